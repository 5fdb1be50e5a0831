"""What the panels work with, without a window: timings, asking for files, messages, the table of keys, the menus."""

import json
from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest
from bodies import person, smooth_clip
from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.command import History
from motiongraph.app.library.entries import prepare
from motiongraph.app.settings import Settings
from motiongraph.app.state import AppState
from motiongraph.app.update import update
from motiongraph.app.window import FRESH, Message, SeenMessages
from motiongraph.viewer import action, lengths, theme
from motiongraph.viewer import dialogs as asking
from motiongraph.viewer import keys as keyboard
from motiongraph.viewer.actions import ACTIONS, PANELS
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.containment import contained_panel
from motiongraph.viewer.dialogs import QUESTIONS, Dialogs, list_folder
from motiongraph.viewer.keys import _CHORDS, Keys, shown
from motiongraph.viewer.panels import menu
from motiongraph.viewer.ui import OWN, PHASES, Timings

import glfw  # isort: skip - after imgui_bundle, see viewer/window.py


@pytest.fixture
def imgui_context():
    imgui.create_context()
    io = imgui.get_io()
    io.set_ini_filename("")
    io.display_size, io.delta_time = (640, 480), 1 / 60
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    yield io
    imgui.destroy_context()


@pytest.mark.parametrize(("worst", "ceiling"), [(0.0, 2.0), (1.5, 2.0), (1.9, 4.0), (100.0, 128.0), (9000.0, 16384.0)])
def test_the_frame_graph_has_room_for_the_worst_frame(worst, ceiling):
    timings = Timings(50)
    for _ in range(50):
        timings.add(np.where(np.array(PHASES) == "draw", worst, 0.0))
    assert timings.summary()[2] == pytest.approx(worst)
    assert timings.ceiling() == ceiling
    assert timings.stacked()[len(OWN) - 1] == pytest.approx(worst)


def test_phases_are_stacked_frame_by_frame_and_all_at_once():
    rng, timings = np.random.default_rng(5), Timings(20)
    for frames in (1, 3, 1, 1, 25, 1):  # the graph may be out of sight for a while
        for _ in range(frames):
            timings.add(rng.random(len(PHASES)))
        assert timings.stacked() == pytest.approx(np.cumsum(timings.ring[: len(OWN)], axis=0), rel=1e-5)


def test_the_browser_lists_folders_and_what_it_is_asked_for(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("walk.BVH", "a.amc", "labels.toml", "notes.md", ".hidden.bvh"):
        (tmp_path / name).touch()
    listed = list_folder(tmp_path, QUESTIONS["open files"])
    assert [label for label, _, _ in listed] == ["sub/", "a.amc", "labels.toml", "walk.BVH"]
    assert [path.name for _, path, inside in listed if inside] == ["sub"]
    assert [label for label, _, _ in list_folder(tmp_path, QUESTIONS["open folder"])] == ["sub/"]
    assert list_folder(tmp_path / "nowhere", QUESTIONS["open files"]) == []


def test_a_folder_is_listed_once_a_second(tmp_path, monkeypatch):
    looks, clock = [], [7.2]
    monkeypatch.setattr(asking, "list_folder", lambda folder, question: looks.append(folder) or [])
    monkeypatch.setattr(asking.time, "monotonic", lambda: clock[0])
    dialogs = Dialogs(native=False)
    dialogs.question, dialogs.folder = QUESTIONS["open files"], tmp_path
    for clock[0] in (7.2, 7.3, 7.9, 8.1, 8.2):
        dialogs.listing()
    assert len(looks) == 2
    dialogs.folder = tmp_path / "sub"
    dialogs.listing()
    assert looks[2:] == [tmp_path / "sub"]


@pytest.fixture
def state(tmp_path):
    """Two clips, the first of them in hand."""
    state = AppState(inline=True, camera=Camera())
    state.settings.folder = str(tmp_path)
    for name in ("ann", "bob"):
        clip = smooth_clip(np.random.default_rng(3), person(), frames=20, name=name)
        state.library.add(clip, prepare(clip))
    state.issue(do.SelectClip(1))
    update(state, 0.0)
    return state


class System:
    """A dialog of the system, answered from here."""

    def __init__(self):
        self.answer, self.killed = None, False

    def ready(self, milliseconds):
        return self.answer is not None

    def result(self):
        return self.answer

    def kill(self):
        self.killed = True


@pytest.mark.parametrize("question", ["export", "record"])
def test_an_answer_is_about_the_clip_it_was_asked_for(state, tmp_path, question):
    dialogs = Dialogs(native=False)
    dialogs.ask(question, state)
    assert dialogs.text.startswith("ann.")
    state.issue(do.SelectClip(2))
    update(state, 0.0)
    dialogs.answer(state, [tmp_path / "out"])
    (command,) = state.queue
    assert command.clip == 1
    assert command.path == tmp_path / f"out.{dialogs.text[4:]}"


@pytest.mark.parametrize("native", [False, True])
def test_the_skeleton_of_an_amc_is_asked_about_too(state, tmp_path, native):
    """A captured 16.asf is not replaced by the export of a 16.amc, also where the system's dialog asked about that."""
    (tmp_path / "16.asf").touch()
    dialogs = Dialogs(native=False)
    dialogs.ask("export", state)
    if native:
        dialogs.pending = True
    dialogs.answer(state, [tmp_path / "16.amc"])
    assert not state.queue
    assert dialogs.doubtful == tmp_path / "16.amc"
    assert dialogs.there == [tmp_path / "16.asf"]


@pytest.mark.parametrize("question", ["export", "record", "save result", "save log"])
def test_an_answer_about_a_clip_that_is_gone_is_one_sentence(state, tmp_path, question):
    dialogs = Dialogs(native=False)
    dialogs.ask(question, state)
    state.issue(do.RemoveAll())
    update(state, 0.0)
    dialogs.answer(state, [tmp_path / "out.bvh"])
    assert not state.queue
    assert dialogs.question is None
    assert state.messages[0].level == "error"


def test_a_file_that_is_there_is_asked_about(state, tmp_path):
    (tmp_path / "there.bvh").touch()
    dialogs = Dialogs(native=False)
    dialogs.ask("export", state)
    dialogs.answer(state, [tmp_path / "there"])  # the ending comes later
    assert dialogs.doubtful == tmp_path / "there.bvh"
    assert not state.queue
    dialogs.again()
    assert (dialogs.doubtful, dialogs.text) == (None, "there.bvh")
    dialogs.answer(state, [tmp_path / "there.bvh"])
    dialogs.finish(state, [dialogs.doubtful])
    assert state.queue[0].path == tmp_path / "there.bvh"


def test_the_system_asks_about_what_it_is_told_and_we_about_the_rest(state, tmp_path):
    (tmp_path / "there.bvh").touch()
    dialogs, system = Dialogs(native=False), System()
    dialogs.ask("export", state)
    dialogs.pending = system
    assert dialogs.found() is None
    system.answer = str(tmp_path / "there.bvh")
    dialogs.answer(state, dialogs.found())
    assert state.queue.pop().path == tmp_path / "there.bvh"
    dialogs.ask("export", state)
    dialogs.pending, system.answer = system, str(tmp_path / "there")  # it has not seen that there.bvh is meant
    dialogs.answer(state, dialogs.found())
    assert dialogs.doubtful == tmp_path / "there.bvh"
    assert not state.queue


def test_closing_ends_a_dialog_of_the_system(state):
    dialogs, system = Dialogs(native=False), System()
    dialogs.ask("export", state)
    dialogs.pending = system
    dialogs.close()
    assert system.killed
    assert dialogs.question is None


def test_what_went_wrong_is_shown_until_it_is_seen():
    seen, messages = SeenMessages(), deque()

    def say(text, level, clock):
        messages.appendleft(Message(text, level, "12:00:00", clock))

    def shown_at(clock):
        found = seen.worth_showing(messages, clock)
        return found and found.text

    assert shown_at(0.0) is None
    say("wrong", "error", 1.0)
    say("wrote it", "info", 2.0)
    assert shown_at(2.0) == "wrong"  # not hidden by what is said a moment later
    assert shown_at(1.5 + FRESH) == "wrote it"
    assert shown_at(100.0) == "wrong"
    say("wrote it again", "info", 100.0)
    assert shown_at(101.0) == "wrote it again"
    assert shown_at(200.0) == "wrong"
    seen.all(messages)
    assert shown_at(200.0) is None
    say("careful", "warning", 300.0)
    assert shown_at(999.0) == "careful"
    messages.clear()
    assert shown_at(999.0) is None


def test_no_chord_means_two_things():
    chords = [(int(key), modifiers) for key, _, modifiers, _ in _CHORDS]
    assert len(set(chords)) == len(chords)


def test_digits_are_for_typing_a_frame():
    """On the keypad too: they must not also do something else."""
    digits = {*range(glfw.KEY_0, glfw.KEY_9 + 1), *range(glfw.KEY_KP_0, glfw.KEY_KP_9 + 1)}
    assert not [action.text for _, number, modifiers, action in _CHORDS if number in digits and not modifiers]


def test_keys_are_called_what_is_printed_on_them(monkeypatch):
    assert shown("Ctrl+Shift+LeftArrow") == "Ctrl+Shift+←"
    monkeypatch.setattr(keyboard, "_SHOWN", keyboard.names("darwin"))
    assert shown("Ctrl+Shift+LeftArrow") == "Cmd+Shift+←"


def test_everything_is_in_a_menu(state, imgui_context, monkeypatch):
    listed = {"loop", "root", *(f"panel {name}" for name in PANELS)}  # as a line for each choice
    monkeypatch.setattr(menu, "action_item", lambda name, *rest: listed.add(name))
    monkeypatch.setattr(imgui, "begin_menu", lambda *rest: True)
    monkeypatch.setattr(imgui, "end_menu", lambda: None)
    imgui.new_frame()
    imgui.begin("menus")
    for content in menu._MENUS.values():
        content(state, SimpleNamespace(renderer="", dialogs=None, px=lambda points: points))
    imgui.end()
    imgui.end_frame()
    assert listed == set(ACTIONS)


def test_steps_go_where_they_say(state):
    state.camera.yaw = 0.0  # from the front: right is along x, away against z

    def step(name):
        state.issue(ACTIONS[name].make(state))
        update(state, 0.0)

    for name, place in (("move right", (0.1, 0.0)), ("move up", (0.1, -0.1)), ("move left", (0.0, -0.1))):
        step(name)
        assert state.scene.places[1][1:] == pytest.approx(place, abs=1e-6)
    yaw, distance, target = state.camera.yaw, state.camera.distance, state.camera.target
    step("orbit right")
    assert state.camera.yaw > yaw
    step("zoom in")
    assert state.camera.distance < distance
    step("pan up")
    assert state.camera.target[1] > target[1]
    assert {name for steps in action.LISTED for name, *_ in steps} < set(ACTIONS)


def test_the_keys_people_were_promised():
    """What playback and manners were promised."""
    promised = {
        "play": "Space", "step": "→", "step back": "←", "start": "Home", "end": "End", "panels": "U",
        "full screen": "F11", "screenshot": "F12", "cloud": "C", "follow": "F",
    }  # fmt: skip
    assert {name: shown(ACTIONS[name].keys[0]) for name in promised} == promised


def test_a_chord_is_what_was_held_when_its_key_went_down(imgui_context, monkeypatch):
    """On a slow machine Shift may be up again before the frame in which Dear ImGui tells of the G."""
    monkeypatch.setattr(glfw, "get_key_name", lambda key, code: "g" if key == glfw.KEY_G else None)
    keys, issued, ui = Keys(), [], SimpleNamespace(flying=False, rebinding="", dialogs=Dialogs(native=False))
    state = SimpleNamespace(project=SimpleNamespace(asked_at=None), live=None, issue=issued.append, entry=object())
    state.history = History()
    names = {glfw.KEY_G: [imgui.Key.g], glfw.KEY_LEFT_SHIFT: [imgui.Key.left_shift, imgui.Key.mod_shift]}

    def happens(key, action, modifiers):
        keys.heard(key, 0, action, modifiers)
        for name in names[key]:
            imgui_context.add_key_event(name, action == glfw.PRESS)

    def frame():
        imgui.new_frame()
        keys.act(state, ui)
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
    assert state.history.gesture == 3  # keys that went down: an edit of each is one of its own
    happens(glfw.KEY_G, glfw.RELEASE, 0)
    ui.dialogs.question = QUESTIONS["open files"]  # nothing happens behind a dialog
    happens(glfw.KEY_G, glfw.PRESS, 0)
    for _ in range(4):
        frame()
    assert len(issued) == 2


def test_a_panel_that_fails_is_contained_and_says_so(state, imgui_context, config):
    """Whatever was begun and not ended in it; the next frame draws all the others, and it, once it can be."""
    implot.create_context()
    ui = SimpleNamespace(failures={})
    working = [False]

    def content(state, ui):
        imgui.push_id("inside")
        imgui.push_style_color(imgui.Col_.text, (1.0, 0.0, 0.0, 1.0))
        imgui.begin_child("part")
        if working[0]:
            imgui.end_child()
            imgui.pop_style_color()
            imgui.pop_id()
            return
        implot.begin_plot("plot")
        raise ValueError("no such joint")

    try:
        for frame in range(4):
            working[0] = frame == 3
            imgui.new_frame()
            imgui.begin("Matrix")
            contained_panel("Matrix", content, state, ui)
            assert imgui.internal.get_current_window().name == "Matrix"
            imgui.end()
            if frame < 3:
                assert "Matrix went wrong inside motiongraph: ValueError: no such joint" in ui.failures["Matrix"][1]
            imgui.render()
    finally:
        implot.destroy_context()
    assert ui.failures == {}
    assert len([m for m in state.messages if "no such joint" in m.text]) == 1  # not once a frame


def luminance(colour):
    """Relative luminance as WCAG 2 has it."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("safe", [False, True])
def test_letters_and_boxes_can_be_seen(light, safe):
    try:
        theme.choose(light, safe)
        panel = theme.PAPER[1]
        assert contrast(theme.INK, panel) > 7.0
        for ink in (theme.FAINT, theme.GOOD, theme.WARN, theme.BAD):
            assert contrast(ink, panel) >= 4.5, ink
        assert contrast(theme.ACCENT, panel) >= 4.0
        assert contrast(theme.ON_ACCENT, theme.ACCENT) >= 4.0
        assert contrast(theme.EDGE, panel) >= 3.0
        if safe:  # as people without red or without green see them, by lightness and blue
            (good, bad) = (theme.GOOD, theme.BAD)
            assert abs(good[2] - bad[2]) > 0.3
    finally:
        theme.choose(False, False)


def test_keys_can_be_chosen(monkeypatch):
    try:
        chosen = keyboard.rebound({}, "play", "Ctrl+B")
        assert chosen == {"play": "Ctrl+B", "build": ""}
        keyboard.bind(chosen)
        assert ACTIONS["play"].keys == ("Ctrl+B",)
        assert ACTIONS["build"].keys == ()
        assert [action.text for *_, action in _CHORDS if action.keys == ("Ctrl+B",)] == [ACTIONS["play"].text]
        keyboard.bind({"play": "Nonsense+Q", "step": "no such key", "no such action": "A"})
        assert ACTIONS["play"].keys == ("Space",)
        pressed = Keys()
        monkeypatch.setattr(glfw, "get_key_name", lambda key, code: None)
        pressed.heard(glfw.KEY_F7, 0, glfw.PRESS, glfw.MOD_SHIFT)
        assert pressed.last == "Shift+F7"
    finally:
        keyboard.bind({})
    assert {name: action.keys for name, action in ACTIONS.items()} == keyboard.DEFAULT_KEYS


def test_lengths_are_in_the_units_that_were_chosen():
    try:
        assert (lengths.short(0.254), lengths.long(3.048)) == ("25 cm", "3.0 m")
        lengths.choose("inch")
        assert (lengths.short(0.254), lengths.long(3.048)) == ("10.0 in", "10.0 ft")
    finally:
        lengths.choose("cm")


def test_settings_that_make_no_sense_are_put_right(tmp_path):
    wrong = {"units": "ell", "cache": 0, "autosave": 999, "quality": "x", "samples": 99, "keys": {"play": 3}, "zoom": 9}
    (tmp_path / "settings.json").write_text(json.dumps(wrong))
    found = Settings.load(tmp_path / "settings.json")
    assert (found.units, found.cache, found.autosave, found.quality, found.samples) == ("cm", 1, 60, "auto", 16)
    assert (found.keys, found.zoom) == ({}, 3.0)
