"""Projects, autosave and undo: what is saved comes back to the last bit, and edits can be taken back."""

import numpy as np
import pytest

from motiongraph.app import commands as do
from motiongraph.app import recovery
from motiongraph.app.prepared import prepare
from motiongraph.app.results import Made, results, show_made
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.formats.load import load
from motiongraph.resources import resource
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.viewer.camera import Camera
from motiongraph.walks.wander import random_walk


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_CONFIG", str(tmp_path / "config"))
    return tmp_path / "config"


def begin(names=()):
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    update(state, 0.0)
    paths = tuple(resource("assets/samples") / f"{name}.bvh" for name in names)
    if paths:
        tell(state, do.OpenPaths(paths))
    return state


def tell(state, *commands, dt=0.0):
    for command in commands:
        state.issue(command)
        update(state, dt)
    update(state, 0.0)


@pytest.fixture(scope="module")
def motion():
    """A graph of two samples and a walk through it, made once."""
    clips = [load(resource("assets/samples") / f"{name}.bvh") for name in ("walk", "walk_run")]
    from motiongraph.graph.motion_graph import MotionGraph

    graph = MotionGraph.build(clips, mirror=True).pruned()
    walk = random_walk(graph, seconds=6, rng=3)
    return graph, walk, synthesize(walk, name="wander")


@pytest.fixture
def state(motion):
    """Both samples, trimmed and labelled, with a graph and a result."""
    graph, walk, clip = motion
    state = begin(("walk", "walk_run"))
    tell(state, do.Trim(1, 5, 90), do.SetLabels(2, ("quick", "turn"), 10, 60))
    from motiongraph.app.graphs import drawable

    state.graphs.take(graph, drawable(graph, list(state.library)))
    asked = np.array([[0.0, 0.0], [1.0, 2.0]])
    show_made(state, clip, prepare(clip), Made(walk, "random", {"seconds": 6.0}, 3, {"frames": 5}, asked, graph=graph))
    tell(state, do.SetMetric("window", 0.5), do.SetWalk("sequential"), do.SetSeed(9))
    tell(state, do.SetWalkOption("sequential", "order", ("walk", "turn")))
    tell(state, do.Split(2), do.MoveCharacter(x=1.5), do.SetLayer("flow", True), do.SetCamera((("yaw", 12.0),)))
    return state


def assert_same(found, wanted):
    assert [e.name for e in found.library] == [e.name for e in wanted.library]
    for a, b in zip(found.library, wanted.library):
        assert (a.number, a.start, a.stop, a.used, a.path) == (b.number, b.start, b.stop, b.used, b.path)
        assert a.clip.labels.spans() == b.clip.labels.spans()
        for name in ("root", "rotations"):
            np.testing.assert_array_equal(getattr(a.clip, name), getattr(b.clip, name))
    np.testing.assert_array_equal(found.graphs.graph.candidates.table, wanted.graphs.graph.candidates.table)
    assert found.graphs.graph.thresholds == wanted.graphs.graph.thresholds
    assert found.graphs.report == wanted.graphs.report
    (made,), (other,) = results(found), results(wanted)
    for name in ("steps", "transitions", "placements"):
        np.testing.assert_array_equal(getattr(made.made.walk, name), getattr(other.made.walk, name))
    np.testing.assert_array_equal(made.made.asked, other.made.asked)
    assert (made.made.options, made.made.seed) == (other.made.options, other.made.seed)
    np.testing.assert_array_equal(made.clip.origin.planted, other.clip.origin.planted)
    assert made.clip.origin.names == other.clip.origin.names
    assert vars(found.scene.layers) == vars(wanted.scene.layers)
    assert found.scene.places == wanted.scene.places
    assert (found.scene.views, found.active) == (wanted.scene.views, wanted.active)
    assert [t.clip for t in found.tracks] == [t.clip for t in wanted.tracks]
    assert found.matrix.metric == wanted.matrix.metric
    assert found.matrix.metric.window == 0.5
    assert vars(found.walking) | {"_names": 0} == vars(wanted.walking) | {"_names": 0}
    assert found.camera.yaw == wanted.camera.yaw
    np.testing.assert_array_equal(found.camera.target, wanted.camera.target)


def test_a_project_comes_back_as_it_was(state, tmp_path):
    path = tmp_path / "work.mgproj"
    tell(state, do.SaveProject(path))
    assert path.exists()
    assert "the project is in" in state.messages[0].text
    again = begin()
    tell(again, do.OpenProject(path))
    assert_same(again, state)
    # What was made goes on being made: a new walk in the graph that was read is the same as before.
    fresh = random_walk(again.graphs.graph, seconds=6, rng=3)
    np.testing.assert_array_equal(fresh.steps, results(state)[0].made.walk.steps)
    # Captured files are still written back as they came.
    assert again.library[1].clip.source is not None
    # The next clip gets a number of its own.
    tell(again, do.OpenPaths((resource("assets/samples") / "jump.bvh",)))
    assert len({e.number for e in again.library}) == len(again.library) == 4


def test_files_that_changed_or_went_are_in_the_project(state, tmp_path, monkeypatch):
    moved = tmp_path / "clips"
    moved.mkdir()
    for name in ("walk", "walk_run"):
        (moved / f"{name}.bvh").write_bytes((resource("assets/samples") / f"{name}.bvh").read_bytes())
    other = begin()
    tell(other, do.OpenPaths((moved,)), do.SaveProject(tmp_path / "p.mgproj"))
    (moved / "walk.bvh").unlink()
    (moved / "walk_run.bvh").write_bytes((resource("assets/samples") / "jump.bvh").read_bytes())
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
    for spoilt in (b"", b"HIERARCHY", content[:1000], content[:-64], content[:3000] + b"x" + content[3001:]):
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


def test_autosave_is_offered_after_a_crash_and_gone_after_an_ordinary_end(state, config, monkeypatch):
    tell(state, dt=0.0)
    assert not list(config.glob("autosave*"))
    state.clock = 1000.0
    update(state, 0.0)
    update(state, 0.0)
    (kept,) = config.glob("autosave*")
    assert kept == recovery.own_file()
    # Nothing new, nothing written.
    written = kept.stat().st_mtime_ns
    state.clock += 1000.0
    update(state, 0.0)
    update(state, 0.0)
    assert kept.stat().st_mtime_ns == written
    # Of a run that is still there nothing is offered.
    other = begin()
    recovery.look_for_lost(other)
    assert other.session.lost is None
    lost = kept.with_name("autosave-999999999.mgproj")
    kept.rename(lost)
    recovery.look_for_lost(other)
    assert other.session.lost == lost
    tell(other, do.Recover(True))
    assert_same(other, state)
    assert not lost.exists()
    assert other.session.path is None
    recovery.end(other)
    assert not list(config.glob("autosave*"))


def test_lost_work_can_be_thrown_away(state, config):
    config.mkdir(exist_ok=True)
    lost = config / "autosave-999999999.mgproj"
    lost.write_bytes(b"x")
    recovery.look_for_lost(state)
    tell(state, do.Recover(False))
    assert not lost.exists()
    assert state.session.lost is None


def test_opened_clips_alone_are_not_kept(config):
    state = begin(("walk",))
    state.clock = 1000.0
    update(state, 0.0)
    assert not list(config.glob("autosave*"))


# Undo


def test_labels_trims_and_thresholds_are_taken_back(state):
    entry = state.library[1]
    before = entry.start, entry.stop, entry.clip.labels.spans()
    threshold = state.graphs.graph.thresholds
    tell(state, do.Trim(1, 20, 80), do.SetLabels(1, ("slow",)), do.SetThreshold(3.0), dt=2.0)
    after = state.library[1].start, state.library[1].stop, state.library[1].clip.labels.spans()
    assert after != before
    tell(state, do.Undo())
    assert state.graphs.graph.thresholds == threshold
    tell(state, do.Undo(), do.Undo())
    entry = state.library[1]
    assert (entry.start, entry.stop, entry.clip.labels.spans()) == before
    tell(state, do.Redo(), do.Redo(), do.Redo())
    entry = state.library[1]
    assert (entry.start, entry.stop, entry.clip.labels.spans()) == after
    assert state.graphs.graph.thresholds.within == 3.0
    tell(state, do.Redo())
    assert "nothing to redo" in state.messages[0].text


def test_one_drag_is_one_edit(state):
    state.history.done.clear()
    for stop in range(89, 60, -1):
        tell(state, do.Trim(1, 5, stop), dt=0.02)
    assert len(state.history.done) == 1
    tell(state, do.Undo())
    assert state.library[1].stop == 90
    tell(state, do.Trim(1, 5, 70))
    assert not state.history.undone
    tell(state, do.Trim(1, 5, 70))
    assert len(state.history.done) == 1


def test_edits_of_what_is_gone_are_said(state):
    tell(state, do.RemoveClip(1), do.RemoveClip(2))
    while state.history.done:
        count = len(state.history.done)
        tell(state, do.Undo())
        assert len(state.history.done) == count - 1
    assert "no longer in the library" in state.messages[0].text
    tell(state, do.Undo())
    assert "nothing to undo" in state.messages[0].text
