"""What the panels work with, without a window: timings, our own file browser, the table of keys."""

from types import SimpleNamespace

import numpy as np
import pytest
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.viewer.actions import ACTIONS
from motiongraph.viewer.dialogs import QUESTIONS, _listing
from motiongraph.viewer.keys import _CHORDS, Keys, shown
from motiongraph.viewer.ui import OWN, PHASES, Timings

import glfw  # isort: skip - after imgui_bundle, see viewer/window.py


@pytest.mark.parametrize(("worst", "ceiling"), [(0.0, 2.0), (1.5, 2.0), (1.9, 4.0), (100.0, 128.0), (9000.0, 16384.0)])
def test_the_frame_graph_has_room_for_the_worst_frame(worst, ceiling):
    timings = Timings(50)
    for _ in range(50):
        timings.add(np.where(np.array(PHASES) == "draw", worst, 0.0))
    assert timings.summary()[2] == pytest.approx(worst)
    assert timings.ceiling() == ceiling
    assert timings.stacked()[len(OWN) - 1] == pytest.approx(worst)


def test_the_browser_lists_folders_and_what_it_is_asked_for(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("walk.BVH", "a.amc", "labels.toml", "notes.md", ".hidden.bvh"):
        (tmp_path / name).touch()
    listed = [path.name for path in _listing(tmp_path, QUESTIONS["open files"])]
    assert listed == ["sub", "a.amc", "labels.toml", "walk.BVH"]
    assert [path.name for path in _listing(tmp_path, QUESTIONS["open folder"])] == ["sub"]
    assert _listing(tmp_path / "nowhere", QUESTIONS["open files"]) == []


def test_no_chord_means_two_things():
    chords = [(int(key), modifiers) for key, _, modifiers, _ in _CHORDS]
    assert len(set(chords)) == len(chords)


def test_the_keys_people_were_promised():
    """design/viewer.md: Playback and Manners."""
    promised = {
        "play": "Space", "step": "→", "step back": "←", "start": "Home", "end": "End", "panels": "U",
        "full screen": "F11", "screenshot": "F12", "cloud": "C", "follow": "F",
    }  # fmt: skip
    assert {name: shown(ACTIONS[name].keys[0]) for name in promised} == promised


@pytest.fixture
def imgui_context():
    imgui.create_context()
    io = imgui.get_io()
    io.set_ini_filename("")
    io.display_size, io.delta_time = (640, 480), 1 / 60
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    yield io
    imgui.destroy_context()


def test_a_chord_is_what_was_held_when_its_key_went_down(imgui_context, monkeypatch):
    """On a slow machine Shift may be up again before the frame in which Dear ImGui tells of the G."""
    monkeypatch.setattr(glfw, "get_key_name", lambda key, code: "g" if key == glfw.KEY_G else None)
    keys, issued = Keys(), []
    state = SimpleNamespace(issue=issued.append, entry=object())
    names = {glfw.KEY_G: [imgui.Key.g], glfw.KEY_LEFT_SHIFT: [imgui.Key.left_shift, imgui.Key.mod_shift]}

    def happens(key, action, modifiers):
        keys.heard(key, 0, action, modifiers)
        for name in names[key]:
            imgui_context.add_key_event(name, action == glfw.PRESS)

    def frame():
        imgui.new_frame()
        keys.act(state, SimpleNamespace(flying=False))
        imgui.end_frame()

    frame()
    happens(glfw.KEY_LEFT_SHIFT, glfw.PRESS, 0)
    frame()
    happens(glfw.KEY_G, glfw.PRESS, glfw.MOD_SHIFT | glfw.MOD_CAPS_LOCK)
    happens(glfw.KEY_LEFT_SHIFT, glfw.RELEASE, glfw.MOD_SHIFT)
    happens(glfw.KEY_G, glfw.RELEASE, 0)
    for _ in range(4):
        frame()
    assert issued == [do.UnpinGhost()]
    happens(glfw.KEY_G, glfw.PRESS, 0)
    for _ in range(4):
        frame()
    assert issued == [do.UnpinGhost(), do.PinGhost()]
