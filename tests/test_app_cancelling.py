"""Whatever takes long can be stopped at each of its steps, and then nothing of it is left: no file, no other state."""

import pytest
from swinging import numbers, said, tell, three_clips

from motiongraph.app import commands as do
from motiongraph.app.jobs import Job, JobKind
from motiongraph.app.update import update
from motiongraph.progress import Cancelled


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A graph and a project to open."""
    state, folder = worked(), tmp_path_factory.mktemp("files")
    tell(state, do.SaveGraph(folder / "g.mgraph"), do.SaveProject(folder / "p.mgproj"))
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("MOTIONGRAPH_CACHE_DIR", str(tmp_path / "cache"))


def worked():
    """Clips compared, and a graph of them at a threshold set by hand."""
    state = three_clips()
    one, two = (numbers(state)[name] for name in ("one", "two"))
    tell(state, do.SelectClip(one, 0), do.SelectClip(two, 1), do.Compare(), do.BuildGraph(), do.SetThreshold(3.0))
    return state


def mark(state):
    """What is there, by name and identity."""
    graphs, matrix = state.graph, state.matrix
    held = graphs.graph, graphs.curve, graphs.automatic, matrix.heat, *(e.clip for e in state.library)
    return [*map(id, held)], [track.clip for track in state.tracks], state.active, state.project.path


LONG = {
    "comparing": lambda *_: do.Compare(),
    "other minima": lambda *_: do.SetMinima("border", True),
    "a cell": lambda *_: do.PreviewCell((60, 30)),
    "a loop": lambda *_: do.LoopCell((200, 10)),
    "the matrix in numbers": lambda _, made: do.ExportMatrix(made / "m.npz", "numbers"),
    "the matrix in a figure": lambda _, made: do.ExportMatrix(made / "m.png", "figure"),
    "building": lambda *_: do.BuildGraph(mirror=True),
    "the trade-off": lambda *_: do.FindTradeOff(),
    "the automatic threshold": lambda *_: do.SetThreshold("auto"),
    "a transition": lambda *_: do.PreviewTransition(3),
    "saving a graph": lambda _, made: do.SaveGraph(made / "g.mgraph"),
    "exporting a graph": lambda _, made: do.ExportGraph(made / "g.json"),
    "picturing a graph": lambda _, made: do.ExportGraph(made / "g.png"),
    "opening a graph": lambda files, _: do.OpenGraph(files / "g.mgraph"),
    "saving a project": lambda _, made: do.SaveProject(made / "p.mgproj"),
    "opening a project": lambda files, _: do.OpenProject(files / "p.mgproj"),
}


def stopped_at(step, what, files, made):
    """A state and its mark before something was asked that stops at this step, None for not at all; and the steps."""
    state, taken, progress = worked(), 0, Job.progress
    before = mark(state)

    def watched(job, *told):
        nonlocal taken
        if taken == step and job.kind is not JobKind.SET_ASIDE:
            raise Cancelled(job.title)
        taken += job.kind is not JobKind.SET_ASIDE  # which nobody waits for
        progress(job, *told)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "progress", watched)
        tell(state, LONG[what](files, made))
        update(state, 0.0)  # some begin another job when they are done
    assert not said(state, "error")
    return state, before, taken


@pytest.mark.parametrize("what", LONG)
def test_stopped_anywhere_nothing_is_left(what, files, tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    state, before, steps = stopped_at(None, what, files, tmp_path)
    assert mark(state) != before or len(list(tmp_path.iterdir())) > 2, "nothing came of it at all"
    assert steps > 0
    # Steps are told at their own pace, never twice exactly as many: the last ones may not come.
    for step in range(steps) if steps < 4 else (0, steps // 4, steps // 2):
        state, before, taken = stopped_at(step, what, files, made)
        assert taken == step
        assert mark(state) == before
        assert not list(made.iterdir())
