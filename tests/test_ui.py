"""What the panels work with, without a window: timings, our own file browser, the table of keys."""

import numpy as np
import pytest

from motiongraph.viewer.actions import _CHORDS, ACTIONS, shown
from motiongraph.viewer.dialogs import QUESTIONS, _listing
from motiongraph.viewer.ui import OWN, PHASES, Timings


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
    chords = [(int(key), modifiers) for key, modifiers, _ in _CHORDS]
    assert len(set(chords)) == len(chords)


def test_the_keys_people_were_promised():
    """design/viewer.md: Playback and Manners."""
    promised = {
        "play": "Space", "step": "→", "step back": "←", "start": "Home", "end": "End", "panels": "U",
        "full screen": "F11", "screenshot": "F12", "cloud": "C", "follow": "F",
    }  # fmt: skip
    assert {name: shown(ACTIONS[name].keys[0]) for name in promised} == promised
