"""The library: opening, what fails, groups, labels, trims, mirroring, saving, removing."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph.app import commands as do
from motiongraph.app.playback import frame_of
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.formats.labels_file import Entry as Line
from motiongraph.formats.labels_file import write_labels
from motiongraph.formats.save import save
from motiongraph.viewer.camera import Camera


@pytest.fixture
def folder(tmp_path):
    """Three clips of two skeletons."""
    rng = np.random.default_rng(5)
    folder = tmp_path / "clips"
    folder.mkdir()
    for name, body in (("one", person()), ("two", person()), ("three", person(uneven=0.02, rng=rng))):
        save(smooth_clip(rng, body, frames=90, fps=60.0), folder / f"{name}.bvh")
    return folder


@pytest.fixture
def state():
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    return state


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)


def names(state):
    return [entry.name for entry in state.library]


def test_a_folder_opens_grouped_and_plays(state, folder):
    tell(state, do.OpenPaths((folder,)))
    assert sorted(names(state)) == ["one", "three", "two"]
    assert sorted(len(entries) for _, entries in state.library.groups()) == [1, 2]
    assert state.playback.playing
    assert state.entry.name == names(state)[0]
    assert state.settings.recent == [str(folder)]
    assert len(state.casts[0]) == 1


def test_names_that_no_file_can_have_are_one_sentence(state, folder):
    tell(state, do.OpenPaths((folder / f"{'x' * 300}.bvh",)))
    assert [(m.level, "there is no such file" in m.text) for m in state.messages] == [("error", True)]


def test_ticks_are_counted_and_labels_found(state, folder):
    tell(state, do.OpenPaths((folder,)))
    assert state.library.used == 3
    tell(state, do.UseClip(2, False), do.SetLabels(1, ("Walk",)), do.SetLabels(1, ("slow", "Walk"), 10, 20))
    assert state.library.used == 2
    entry = state.library[1]
    assert entry.everywhere == "Walk"
    assert "walk" in entry.findable
    assert entry.name in entry.findable


def test_what_fails_says_why_and_disturbs_nothing(state, folder):
    (folder / "bad.bvh").write_text("HIERARCHY\nROOT hips\n{\n  OFFSET 0 0 zero\n")
    tell(state, do.OpenPaths((folder, folder / "nowhere.bvh")))
    assert sorted(names(state)) == ["one", "three", "two"]
    errors = [m.text for m in state.messages if m.level == "error"]
    assert len(errors) == 2
    assert any("bad.bvh:4:14" in text for text in errors)
    assert any("nowhere.bvh" in text for text in errors)


def test_opening_again_takes_the_same_place(state, folder):
    tell(state, do.OpenPaths((folder,)), do.OpenPaths((folder / "one.bvh",)))
    assert len(state.library) == 3


def test_an_empty_folder_is_a_message(state, tmp_path):
    tell(state, do.OpenPaths((tmp_path,)))
    assert "holds no .bvh, .amc, .glb, .gltf, .vrm or .npz file" in state.messages[0].text


def test_trim_keeps_the_frame_where_it_can(state, folder):
    tell(state, do.OpenPaths((folder / "one.bvh",)), do.Pause(), do.Seek(50), do.Trim(1, 30, 60))
    assert (state.entry.start, state.entry.stop, frame_of(state)) == (30, 60, pytest.approx(50))
    tell(state, do.Trim(1, 30, 40))
    assert frame_of(state) == pytest.approx(39)
    tell(state, do.Trim(1, 500, 2))
    assert (state.entry.start, state.entry.stop) == (89, 90)
    assert len(state.entry.part) == 1


def test_labels_for_all_and_for_a_part(state, folder):
    tell(state, do.OpenPaths((folder / "one.bvh",)))
    tell(state, do.SetLabels(1, (" walk ", "", "slow")))
    assert tuple(state.entry.clip.labels) == ("slow", "walk")
    tell(state, do.SetLabels(1, ("turn-left", "walk"), 20, 40))
    assert state.entry.spans == [("slow", 0, 20), ("slow", 40, 90), ("turn-left", 20, 40), ("walk", 0, 90)]
    tell(state, do.SetLabels(1, ()))
    assert state.entry.spans == []


def test_words_for_all_frames_leave_those_of_parts(state, folder):
    tell(
        state,
        do.OpenPaths((folder / "one.bvh",)),
        do.SetLabels(1, ("walk",)),
        do.SetLabels(1, ("walk", "turn"), 20, 40),
    )
    tell(state, do.SetLabels(1, ("run", "slow"), keep=True))
    assert state.entry.spans == [("run", 0, 90), ("slow", 0, 90), ("turn", 20, 40)]
    tell(state, do.SetLabels(1, (), 25, 30, keep=True))
    assert state.entry.spans == [
        ("run", 0, 25), ("run", 30, 90), ("slow", 0, 25), ("slow", 30, 90), ("turn", 20, 25), ("turn", 30, 40),
    ]  # fmt: skip
    tell(state, do.RemoveLabel(1, "run", 30, 90), do.RemoveLabel(1, "slow", 0, 90), do.RemoveLabel(1, "turn", 20, 25))
    assert state.entry.spans == [("run", 0, 25), ("turn", 30, 40)]


def test_labels_as_bars(state, folder):
    """Words for the same frames share a bar; bars that overlap have rows of their own."""
    tell(state, do.OpenPaths((folder / "one.bvh",)), do.SetLabels(1, ("walk", "slow")))
    assert state.entry.bars == [(("slow", "walk"), 0, 90, 0)]
    tell(state, do.SetLabels(1, ("slow", "turn", "walk"), 20, 40), do.SetLabels(1, ("slow", "stop", "walk"), 40, 60))
    assert state.entry.bars == [(("slow", "walk"), 0, 90, 0), (("turn",), 20, 40, 1), (("stop",), 40, 60, 1)]
    assert [set(state.entry.words_at(frame)) for frame in (19, 39, 59, 60)] == [
        {"slow", "walk"}, {"slow", "walk", "turn"}, {"slow", "walk", "stop"}, {"slow", "walk"},
    ]  # fmt: skip


def test_labels_go_where_asked_and_come_back(state, folder, tmp_path):
    tell(state, do.OpenPaths((folder,)))
    number = {e.name: e.number for e in state.library}
    tell(
        state,
        do.SetLabels(number["one"], ("walk",)),
        do.SetLabels(number["one"], ("walk", "turn"), 10, 30),
        do.SetLabels(number["two"], ("run",)),
        do.Trim(number["two"], 5, 50),
        do.UseClip(number["three"], False),
        do.SaveLabels(tmp_path / "mine.toml"),
    )
    table = tomllib.loads((tmp_path / "mine.toml").read_text())["clip"]
    assert {line["file"] for line in table} == {"clips/one.bvh", "clips/two.bvh"}
    assert {"file": "clips/two.bvh", "frames": [5, 50], "labels": ["run"]} in table
    assert not (folder / "labels.toml").exists()

    tell(state, do.RemoveAll(), do.OpenPaths((tmp_path / "mine.toml",)))
    found = {e.name: e for e in state.library}
    assert set(found) == {"one", "two"}
    assert (found["two"].start, found["two"].stop) == (5, 50)
    assert ("turn", 10, 30) in found["one"].spans
    assert found["one"].clip.labels.at("walk").all()


def test_a_labels_file_rules_its_folder_here_too(state, folder):
    lines = [
        ("two.bvh", (5, 50), ("run",)),
        ("one.bvh", (0, 20), ("walk",)),
        ("one.bvh", (40, 80), ()),
        ("gone.bvh", None, ()),
    ]
    write_labels([Line(*line) for line in lines], folder / "labels.toml")
    expected = {"two": (5, 50), "one_0": (0, 20), "one_40": (40, 80)}
    for path in (folder, folder / "labels.toml"):
        tell(state, do.RemoveAll(), do.OpenPaths((path,)))
        assert {e.name: (e.start, e.stop) for e in state.library} == expected
        assert {len(e.clip) for e in state.library} == {90}  # trimmed, not cut: it can be had back
        assert any("there is no file 'gone.bvh'" in message.text for message in state.messages)
        state.messages.clear()
    tell(state, do.OpenPaths((folder / "one.bvh",)), do.OpenPaths((folder / "three.bvh",)))
    assert sorted(names(state)) == ["one_0", "one_40", "three", "two"]


def test_the_samples_come_with_their_labels(state):
    tell(state, do.OpenSamples())
    assert state.entry.name == "walk"
    assert set(state.entry.clip.labels) == {"walk"}
    assert {word for entry in state.library for word in entry.clip.labels} == {"walk", "run", "jump"}


def test_labels_are_not_written_over_a_file_unasked(state, folder, tmp_path):
    (tmp_path / "mine.toml").write_text("mine")
    tell(state, do.OpenPaths((folder,)), do.SaveLabels(tmp_path / "mine.toml"))
    assert (tmp_path / "mine.toml").read_text() == "mine"
    assert state.messages[0].level == "error"


def test_mirrored_clip_is_added_and_shown(state, folder):
    tell(state, do.OpenPaths((folder / "one.bvh",)), do.MirrorClip(1))
    assert names(state) == ["one", "one_mirrored"]
    assert state.entry.name == "one_mirrored"


def test_removing_shows_the_neighbour(state, folder):
    tell(state, do.OpenPaths((folder,)))
    first, second, third = (e.number for e in state.library)
    tell(state, do.SelectClip(second), do.PinGhost(), do.RemoveClip(second))
    assert state.entry.number == third
    assert len(state.scene.ghosts) == 1  # a pinned pose outlives its clip
    tell(state, do.RemoveClip(third))
    assert state.entry.number == first
    tell(state, do.RemoveClip(first), do.RemoveClip(first))
    assert state.entry is None
    assert len(state.casts[0]) == 0
    assert "no clip number" in state.messages[0].text


def test_next_and_previous_go_around(state, folder):
    tell(state, do.OpenPaths((folder,)))
    order = [e.number for e in state.library]
    tell(state, do.SelectNext(-1))
    assert state.entry.number == order[-1]
    tell(state, do.SelectNext(1))
    assert state.entry.number == order[0]


def test_a_clip_is_exported_as_trimmed(state, folder, tmp_path):
    from motiongraph.formats.load import load

    tell(state, do.OpenPaths((folder / "one.bvh",)), do.Trim(1, 10, 40), do.SaveClip(1, tmp_path / "part.bvh"))
    assert len(load(tmp_path / "part.bvh")) == 30
    assert state.messages[0].text == f"wrote {tmp_path / 'part.bvh'}"


def test_a_clip_of_one_frame_is_posed(state, tmp_path):
    rng = np.random.default_rng(2)
    save(smooth_clip(rng, person(), frames=2)[:1], tmp_path / "still.bvh")
    tell(state, do.OpenPaths((tmp_path / "still.bvh",)), do.Play())
    for _ in range(5):
        update(state, 0.3)
    posed = state.casts[0].groups[0].positions[0]
    expected = state.entry.clip.positions()[0] + [0.0, state.entry.prepared.lift, 0.0]
    assert posed == pytest.approx(expected, abs=1e-9)


def test_real_subjects_group_by_skeleton(state, mocap):
    files = [mocap / "cmu/asf_amc/16/16_15.amc", mocap / "cmu/asf_amc/16/16_35.amc", mocap / "cmu/bvh/16_15.bvh"]
    tell(state, do.OpenPaths(tuple(map(Path, files))))
    titles = [title for title, _ in state.library.groups()]
    assert len(titles) == 2
    assert titles[0].startswith("subject 16 · ")
    bvh = next(e for e in state.library if e.path.suffix == ".bvh")
    assert bvh.start == bvh.clip.first == 1  # the added T-pose is not played


def test_what_panels_ask_of_all_entries_is_worked_out_once_a_change(state, folder):
    tell(state, do.OpenPaths((folder,)))
    asked = []
    for _ in range(3):
        assert state.library.once("names", lambda: asked.append(1) or len(state.library)) == len(state.library)
    assert len(asked) == 1
    entry = next(iter(state.library))
    assert entry in state.library.taking_part
    tell(state, do.TickClip(entry.number, False))
    assert entry.number not in [e.number for e in state.library.taking_part]
    state.library.once("names", lambda: asked.append(1))
    assert len(asked) == 2


def test_poses_of_many_large_files_are_packed_as_they_come(state, folder, monkeypatch):
    monkeypatch.setattr("motiongraph.app.library.open_files.MUCH", 0)
    tell(state, do.OpenPaths((folder,)))
    assert len(state.library) == 3
    assert all(entry.clip.is_packed and entry.part.is_packed for entry in state.library)
    assert len(state.casts[0]) == 1
