"""The project file: what is saved comes back to the last bit, what is missing is named, nonsense disturbs nothing."""

import json
import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from sessions import SAMPLES, assert_same, begin, said, tell, worked

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import stale
from motiongraph.app.project import project_file
from motiongraph.app.project.project_file import KIND, redrawn, rehearse, save_project, snapshot
from motiongraph.app.project.project_reader import load_project
from motiongraph.app.walk.results import results
from motiongraph.app.walk.walk_options import made_before
from motiongraph.errors import MotionError
from motiongraph.progress import SILENT, Cancelled
from motiongraph.walks.random_walk import random_walk

DATA = ROOT / "tests" / "data"
pytestmark = pytest.mark.usefixtures("config")


@pytest.fixture
def state(motion):
    return worked(motion)


def saved(state, path):
    """The same, opened by another run."""
    tell(state, do.SaveProject(path))
    again = begin()
    tell(again, do.OpenProject(path))
    return again


def test_a_project_comes_back_as_it_was(state, tmp_path):
    path = tmp_path / "work.mgproj"
    tell(state, do.SaveProject(path))
    assert path.exists()
    assert "Saved to" in state.messages[0].text
    again = begin()
    tell(again, do.OpenProject(path))
    assert_same(again, state)
    # What was made goes on being made: a new walk in the graph that was read is the same as before.
    fresh = random_walk(again.graph.graph, seconds=6, rng=3)
    np.testing.assert_array_equal(fresh.steps, results(state)[0].made.walk.steps)
    # Captured files are still written back as they came.
    assert again.library[1].clip.source is not None
    # The next clip gets a number of its own.
    tell(again, do.OpenPaths((SAMPLES / "jump.bvh",)))
    assert len({e.number for e in again.library}) == len(again.library) == 4


def test_files_that_changed_or_went_are_in_the_project(state, tmp_path):
    moved = tmp_path / "clips"
    moved.mkdir()
    for name in ("walk", "walk_run"):
        (moved / f"{name}.bvh").write_bytes((SAMPLES / f"{name}.bvh").read_bytes())
    other = begin()
    tell(other, do.OpenPaths((moved,)), do.SaveProject(tmp_path / "p.mgproj"))
    (moved / "walk.bvh").unlink()
    (moved / "walk_run.bvh").write_bytes((SAMPLES / "jump.bvh").read_bytes())
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    np.testing.assert_array_equal(again.library[1].clip.rotations, other.library[1].clip.rotations)
    np.testing.assert_array_equal(again.library[2].clip.rotations, other.library[2].clip.rotations)
    assert any("is no longer what it was" in m.text for m in again.messages)


def test_what_is_no_project_disturbs_nothing(state, tmp_path):
    path = tmp_path / "work.mgproj"
    tell(state, do.SaveProject(path))
    content = path.read_bytes()
    before = [e.name for e in state.library]
    for spoilt in (
        b"",
        b"HIERARCHY",
        content[:1000],
        content[:-64],
        content[:500] + bytes([content[500] ^ 1]) + content[501:],
    ):
        path.write_bytes(spoilt)
        tell(state, do.OpenProject(path))
        assert state.messages[0].level == "error"
        assert "work.mgproj" in state.messages[0].text
        assert [e.name for e in state.library] == before
    tell(state, do.OpenProject(tmp_path / "nowhere.mgproj"))
    assert "cannot be read" in state.messages[0].text


def test_saving_nowhere_is_said(state, tmp_path):
    tell(state, do.SaveProject())
    assert "no file yet" in state.messages[0].text
    tell(state, do.SaveProject(tmp_path / "no" / "folder" / "p.mgproj"))
    assert state.messages[0].level == "error"
    tell(state, do.SaveProject(tmp_path / "p"), do.SaveProject())
    assert (tmp_path / "p.mgproj").exists()


def test_ghosts_filters_and_what_a_led_character_does_come_back(state, tmp_path):
    tell(state, do.Seek(20), do.PinGhost(), do.ShiftGhost(0.5, -1.0), do.Seek(40), do.PinGhost())
    tell(state, do.FilterGraph("kind", "between"), do.FilterGraph("labels", ("turn",)), do.FilterGraph("kept", True))
    tell(state, do.ShowLanes((0.5, 1.5, 0.0, 2.0)), do.SetLeadLabel("turn"), do.PlantGoal((1.0, 2.0)))
    again = saved(state, tmp_path / "p.mgproj")
    for found, wanted in zip(again.scene.ghosts, state.scene.ghosts, strict=True):
        assert found.entry.number == wanted.entry.number
        names = [name for name in wanted.record.dtype.names if name not in ("rotations", "root", "sliding", "path")]
        assert [found.record[name] for name in names] == [wanted.record[name] for name in names]
        assert found.record["rotations"] == found.entry.clip.rotations.ctypes.data
    assert again.graph.filter == state.graph.filter
    assert again.graph.span == state.graph.span is not None
    assert (again.path.lead_label, again.path.goal) == ("turn", (1.0, 2.0))


def test_saved_while_a_preview_plays_it_opens_on_what_is_there(state, tmp_path):
    tell(state, do.Split(1), do.PreviewTransition(0))
    assert state.entry.made.preview
    again = saved(state, tmp_path / "p.mgproj")
    assert again.entry is results(again)[0]
    assert (again.active, len(again.casts[0])) == (2, 1)
    tell(state, do.ClearResults(), do.PreviewTransition(0))
    again = saved(state, tmp_path / "p.mgproj")
    assert again.entry is again.library[1]


def test_a_reopened_graph_knows_what_it_was_built_from(tmp_path):
    state = begin(("walk", "walk_run", "jump"))
    tell(state, do.Trim(3, 0, 12), do.BuildGraph())
    assert stale(state) == ""
    assert any("jump is left out" in warning for warning in state.graph.warnings)
    again = saved(state, tmp_path / "p.mgproj")
    assert stale(again) == ""
    assert again.graph.warnings == state.graph.warnings
    for each in (state, again):  # what is changed before it is saved is still known to have changed
        tell(each, do.SetLabels(1, ("slow",)), do.Trim(2, 3, 80))
        assert stale(each) == "1 clip changed, 1 clip labelled anew"
    third = saved(again, tmp_path / "p.mgproj")
    assert stale(third) == "1 clip changed, 1 clip labelled anew"
    assert third.graph.file_frame(1, 10) == again.graph.file_frame(1, 10)


def test_a_reopened_result_shows_why_and_is_not_made_twice(motion, tmp_path):
    state = begin(("walk", "walk_run"))
    tell(state, do.BuildGraph(), do.SetWalk("sequential"))
    tell(state, do.SetWalkOption("sequential", "order", ("walk", "walk_run")), do.MakeWalk())
    tell(state, do.SetThreshold(14.0))
    assert not made_before(state)
    again = saved(state, tmp_path / "p.mgproj")
    assert not made_before(again)
    for each in (state, again):
        tell(each, do.SetThreshold(results(each)[0].made.graph.thresholds))
        assert made_before(each)
        tell(each, do.Pause(), do.ShowTransition(0), do.AskWhy(), do.WatchWhy())
        assert each.why.pair.a.name == state.why.pair.a.name
    assert again.why.pair.a.number == state.why.pair.a.number
    np.testing.assert_array_equal(again.why.pair.a.prepared.path, state.why.pair.a.prepared.path)


def test_a_dot_in_the_name_is_no_ending(state, tmp_path):
    tell(state, do.SaveProject(tmp_path / "walk 1.2"), do.SaveProject(tmp_path / "walk.MGPROJ"))
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"walk 1.2.mgproj", "walk.MGPROJ"}


def test_saving_can_be_watched_and_stopped(state, tmp_path):
    shares, path, last = [], tmp_path / "p.mgproj", [-1]

    def progress(done, total, what=""):
        shares.append(done / total)
        if len(shares) == last[0]:
            raise Cancelled

    save_project(path, snapshot(state), progress=progress)
    assert shares == sorted(shares)
    assert (shares[0], len(shares) > 20, shares[-1] > 0.9) == (0.0, True, True)
    content = path.read_bytes()
    for last[0] in (1, 3, len(shares) // 2, len(shares)):
        shares.clear()
        with pytest.raises(Cancelled):
            save_project(path, snapshot(state), progress=progress)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


# Clips that are gone


@pytest.fixture
def moved(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("walk", "walk_run"):
        shutil.copy(SAMPLES / f"{name}.bvh", folder)
    return folder


def lightly(state, path, monkeypatch):
    """Saved as an autosave of much is: without copies of what is in files."""
    monkeypatch.setattr(project_file, "_MUCH", 0)
    save_project(path, snapshot(state), light=True)


def test_an_autosave_of_little_needs_no_other_file(state, moved, motion, tmp_path):
    state = worked(motion, moved)
    save_project(tmp_path / "p.mgproj", snapshot(state), light=True)
    shutil.rmtree(moved)
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    assert_same(again, state)


def test_what_can_be_opened_is_and_the_rest_is_named(moved, tmp_path, monkeypatch):
    state = begin(("walk", "walk_run"), moved)
    tell(state, do.BuildGraph(mirror=True), do.SetPath(((0.0, 0.0), (0.0, 3.0))))
    tell(state, do.SetWalk("random"), do.SetWalkOption("random", "seconds", 4.0))
    tell(state, do.SetWalkOption("random", "start", "walk"), do.MakeWalk())
    tell(state, do.SetWalk("sequential"), do.SetWalkOption("sequential", "order", ("walk_run", "walk")), do.MakeWalk())
    lightly(state, tmp_path / "p.mgproj", monkeypatch)
    (moved / "walk.bvh").write_bytes((SAMPLES / "jump.bvh").read_bytes())
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    first, second = results(state)
    assert [e.name for e in again.library] == ["walk_run", first.name, second.name]
    for entry in (first, second):  # the motion is there, whatever it was made of
        np.testing.assert_array_equal(again.library[entry.number].clip.rotations, entry.clip.rotations)
    assert [clip.name for clip in again.graph.graph.clips] == ["walk_run", "walk_run_mirrored"]
    table, here = state.graph.graph.candidates.table, again.graph.graph.candidates.table
    own = table[(table["src"] >= 2) & (table["dst"] >= 2)]
    assert len(here) == len(own) > 0
    np.testing.assert_array_equal(here["cost"], own["cost"])
    np.testing.assert_array_equal(again.path.points, state.path.points)
    (sentence,) = [text for text in said(again) if "could not be opened again" in text]
    assert sentence.startswith("walk could not be opened again, because its file has changed or gone")
    assert second.name in sentence


def test_a_result_that_plays_nothing_that_is_gone_still_knows_its_steps(moved, tmp_path, monkeypatch):
    state = begin(("walk_run", "walk"), moved)
    tell(state, do.BuildGraph(), do.UseClip(2, False))
    graph = state.graph.graph
    rows = graph.transitions[(graph.transitions["src"] == 1) & (graph.transitions["dst"] == 1)][:1]
    from motiongraph.app.library.entries import prepare
    from motiongraph.app.walk.results import Made, show_made
    from motiongraph.synthesis.synthesize import synthesize
    from motiongraph.walks.walk import Walk

    walk = Walk.of(graph, (1, int(rows["src_frame"][0]) - 5), rows)
    clip = synthesize(walk, name="second")
    show_made(state, clip, prepare(clip), Made(walk, "random", {}, 0, {}, None, state.graph.entries, graph))
    lightly(state, tmp_path / "p.mgproj", monkeypatch)
    (moved / "walk_run.bvh").unlink()
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    (found,) = results(again)
    assert found.made.walk.steps["clip"].tolist() == [0, 0]
    assert found.made.walk.steps["start"].tolist() == walk.steps["start"].tolist()
    assert found.made.file_frame(0, 1) == 1
    assert [entry.number for entry in found.made.entries] == [2]
    assert again.graph.graph is found.made.graph


def test_a_project_of_which_nothing_is_left_is_said(moved, tmp_path, monkeypatch):
    state = begin(("walk",), moved)
    tell(state, do.BuildGraph())
    lightly(state, tmp_path / "p.mgproj", monkeypatch)
    (moved / "walk.bvh").unlink()
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    assert len(again.library) == 0
    assert any(text.startswith("walk could not") and "no graph" in text for text in said(again))


# Nonsense


def rewrite(path, change):
    """Change what a project says of everything but clips, checksums and all."""
    content = path.read_bytes()
    start = len(KIND.magic)
    version, length, _ = struct.unpack("<IQI", content[start : start + 16])
    head = json.loads(content[start + 16 : start + 16 + length])
    change(head["plain"])
    text = json.dumps(head).encode()
    text += b" " * (-(start + 16 + len(text)) % 64)
    body = content[start + 16 + length :]
    path.write_bytes(KIND.magic + struct.pack("<IQI", version, len(text), zlib.crc32(text)) + text + body)


def without(*names):
    def change(plain):
        for name in names[:-1]:
            plain = plain[name]
        del plain[names[-1]]

    return change


def put(*names):
    *way, name, value = names

    def change(plain):
        for step in way:
            plain = plain[step]
        plain[name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        *(without(name) for name in ("tracks", "active", "playback", "layers", "views", "places", "camera", "follow")),
        without("matrix", "metric"),
        without("walk", "options"),
        without("path", "curve"),
        without("graph", "sources"),
        put("active", 7),
        put("active", "first"),
        put("views", 0),
        put("tracks", [[1, 0.0]]),
        put("tracks", 0, [1, "late"]),
        put("places", [[1, 0.0]]),
        put("layers", "floor", "lava"),
        put("layers", "flow_every", "often"),
        put("playback", "loop", "sometimes"),
        put("playback", "speed", None),
        put("camera", "yaw", "left"),
        put("camera", "target", [1.0]),
        put("matrix", "metric", {"window": -1}),
        put("matrix", "search", {"method": "guess"}),
        put("walk", "method", "dance"),
        put("walk", "options", "random", "seconds", "long"),
        put("ghosts", [[1, 2]]),
        put("graph", "filter", "kind", "odd"),
        put("graph", "options", "mirror", "yes"),
        put("path", "curve", "bezier"),
        put("path", "goal", ["x", "z"]),
        put("path", "goal", [1.0]),
        put("path", "labels", [[0.0, 3]]),
        put("props", [{"number": 1}]),
        put("props", "chair"),
        put("walk", "seed", -1),
        put("walk", "options", "sequential", "order", [1]),
        put("matrix", "threshold", "low"),
        put("matrix", "metric", {"colour": 1}),
        put("graph", "span", [0.0, 1.0]),
        put("graph", "asked", [[[1, 0], []]]),
        put("ghosts", [[1, *["x"] * 10]]),
        put("live", {"label": 3}),
    ],
)
def test_nonsense_in_a_project_disturbs_nothing(projected, change):
    path, content = projected
    path.write_bytes(content)
    rewrite(path, change)
    state = begin(("jump",))
    tell(state, do.SetPath(((0.0, 0.0), (0.0, 3.0))))
    tell(state, do.OpenProject(path))
    assert state.messages[0].level == "error"
    assert f"{path}: is not a project this version can take in" in state.messages[0].text
    assert [entry.name for entry in state.library] == ["jump"]
    assert len(state.path.points) == 2
    assert state.project.path is None


def test_a_long_word_in_a_project_makes_no_long_sentence(projected):
    path, content = projected
    path.write_bytes(content)
    rewrite(path, put("matrix", "search", {"method": "guess" * 1000}))
    state = begin(("jump",))
    tell(state, do.OpenProject(path))
    assert "minima are found by" in state.messages[0].text
    assert len(state.messages[0].text) < 300 + len(str(path))


@pytest.mark.parametrize(
    "change",
    [
        put("graph", "filter", "kind", "odd" * 2000),
        put("playback", "loop", "odd" * 2000),
        put("layers", "floor", "odd" * 2000),
        put("walk", "method", "odd" * 2000),
        put("path", "curve", "odd" * 2000),
        put("matrix", "search", {"method": "odd" * 2000}),
        put("matrix", "metric", {"kind": "odd" * 2000}),
        put("graph", "options", "fps", "odd" * 2000),
    ],
)
def test_what_a_project_says_is_quoted_briefly(projected, change):
    path, content = projected
    path.write_bytes(content)
    rewrite(path, change)

    def taken_in():
        project = load_project(path)
        rehearse(begin(("jump",)), project, redrawn(project, SILENT))

    with pytest.raises(MotionError) as refused:
        taken_in()
    assert len(str(refused.value)) < 300 + len(str(path))


@pytest.fixture(scope="module")
def projected(motion, tmp_path_factory):
    path = tmp_path_factory.mktemp("projects") / "p.mgproj"
    save_project(path, snapshot(worked(motion)))
    return path, path.read_bytes()


def test_what_a_project_does_not_know_yet_is_as_at_the_start(projected):
    path, content = projected
    path.write_bytes(content)

    def change(plain):
        for name in ("ghosts", "graph", "props", "path"):
            plain.pop(name, None)

    rewrite(path, change)
    state = begin(("jump",))
    tell(state, do.PinGhost(), do.SetPath(((0.0, 0.0), (0.0, 3.0))), do.FilterGraph("kept", True))
    tell(state, do.OpenProject(path))
    assert "opened p.mgproj" in said(state)
    assert (len(state.library), state.scene.ghosts, len(state.path.points)) == (3, [], 0)
    assert not state.graph.filter.kept
    assert state.graph.made_with.mirror


def test_a_project_of_the_first_version_opens():
    """tests/data/version1.mgproj was written before the parts of a project were described in one place."""
    state = begin()
    tell(state, do.OpenProject(DATA / "version1.mgproj"))
    assert state.messages[0].text == "opened version1.mgproj"
    clips = [("walk", 2, 60), ("walk_run", 0, 69), ("random 1", 0, 95)]
    assert [(e.name, e.start, e.stop) for e in state.library] == clips
    assert state.library[1].path == Path("/clips/walk.bvh")
    assert ("turn", 10, 40) in state.library[2].spans
    assert (len(state.graph.graph.clips), state.graph.graph.thresholds.highest) == (4, 15.0)
    assert stale(state) == ""
    assert (state.graph.filter.kind, state.graph.filter.labels) == ("between", frozenset({"turn"}))
    assert state.graph.span == pytest.approx((0.5, 1.5, -0.4, 1.6))  # mirror images have no lanes of their own any more
    (result,) = results(state)
    assert (result.made.method, result.made.seed, result.made.options["seconds"]) == ("random", 4, 3.0)
    assert (state.matrix.metric.window, state.matrix.search.radius, state.matrix.linked) == (0.25, 0.1, False)
    assert (state.walk.method, state.walk.seed) == ("sequential", 4)
    assert state.walk.option["order"] == ("walk", "turn")
    assert state.path.points.tolist() == [[0.0, 0.0], [0.0, 4.0], [2.0, 5.0]]
    assert (state.path.labels, state.path.goal) == ([(0.0, None), (1.5, "quick")], (1.0, 2.0))
    assert state.path.lead_label == "turn"
    (ghost,) = state.scene.ghosts
    assert (ghost.entry.number, ghost.record["frame"], ghost.record["x"]) == (1, 20.0, 0.5)
    assert state.scene.places[1][0] == 0.5
    (prop,) = state.scene.props
    assert (prop.shape, prop.height) == ("box", 0.25)
    assert (state.scene.layers.flow, state.scene.views, state.active) == (True, 2, 0)
    assert (state.playback.speed, state.playback.loop) == (0.5, "ping-pong")
    assert (state.camera.yaw, list(state.camera.target), state.follow) == (12.0, [1.0, 0.9, 2.0], False)
