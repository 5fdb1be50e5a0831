"""The graph in hand: building, building again, thresholds, what cannot take part, files, what is pointed at."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, smooth_clip
from swinging import numbers, put, said, swinging, tell, three_clips

from motiongraph import rotations as rot
from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import stale
from motiongraph.app.graph.lanes import Filter
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.graph.build import lasting
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.metric.metric import Metric
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import Cancelled
from motiongraph.viewer.camera import Camera


@pytest.fixture
def state():
    return three_clips()


def same(graph, other):
    """Two graphs have the same clips and candidates; costs may differ by rounding."""
    assert [c.name for c in graph.clips] == [c.name for c in other.clips]
    for name in ("src", "src_frame", "dst", "dst_frame"):
        assert np.array_equal(graph.candidates.table[name], other.candidates.table[name])
    for name in ("cost", "theta", "x0", "z0"):
        assert np.allclose(graph.candidates.table[name], other.candidates.table[name])


def fresh(state):
    return MotionGraph.build([e.part for e in state.library if e.used and not e.made])


def test_built_of_the_ticked_clips(state):
    tell(state, do.BuildGraph())
    graphs = state.graph
    same(graphs.graph, fresh(state))
    assert graphs.report["candidates"] > 20
    assert graphs.report["transitions"] > 4
    assert graphs.graph.is_pruned
    assert graphs.graph.is_auto
    assert graphs.built == 1
    assert graphs.report["candidates"] == len(graphs.lanes) + (graphs.lanes.there != graphs.lanes.back).sum()
    assert [e.number for e in graphs.entries] == [numbers(state)[n] for n in ("one", "two")]
    assert "3 pairs compared" in said(state)[0]
    assert stale(state) == ""


def test_only_new_pairs_are_compared(state):
    tell(state, do.BuildGraph(), do.UseClip(numbers(state)["three"], True))
    assert stale(state) == "1 clip to add"
    tell(state, do.BuildGraph())
    assert "3 new pairs of 6 compared" in said(state)[0]
    same(state.graph.graph, fresh(state))
    tell(state, do.UseClip(numbers(state)["one"], False))
    assert stale(state) == "1 clip to remove"
    tell(state, do.BuildGraph())
    assert "0 new pairs of 3 compared" in said(state)[0]
    same(state.graph.graph, fresh(state))
    # A trim makes it another clip, which keeps its place among the lanes.
    tell(state, do.UseClip(numbers(state)["one"], True), do.Trim(numbers(state)["two"], 20, 140))
    assert stale(state) == "1 clip to add, 1 clip changed"
    tell(state, do.BuildGraph())
    assert "5 new pairs of 6 compared" in said(state)[0]
    same(state.graph.graph, fresh(state))
    assert [state.graph.file_frame(clip, 0) for clip in range(3)] == [0, 20, 0]
    assert state.graph.file_frame(1, 5) == 25


def test_mirrored_and_updated(state):
    tell(state, do.BuildGraph(mirror=True))
    assert [c.name for c in state.graph.graph.clips] == ["one", "one_mirrored", "two", "two_mirrored"]
    assert [e.number for e in state.graph.entries] == [1, 1, 2, 2]
    tell(state, do.UseClip(numbers(state)["three"], True), do.BuildGraph())
    assert state.graph.options.mirror
    assert "11 new pairs of 21" in said(state)[0]
    same(state.graph.graph, MotionGraph.build([e.part for e in state.library], mirror=True))
    tell(state, do.SetGraphOption("mirror", False))
    assert stale(state) == "other options"


def test_labels_need_no_comparison(state):
    tell(state, do.BuildGraph(mirror=True))
    table = state.graph.graph.candidates.table
    tell(state, do.SetLabels(numbers(state)["one"], ("turn-left",), 0, 60))
    assert stale(state) == "1 clip labelled anew"
    tell(state, do.BuildGraph())
    graph = state.graph.graph
    assert "0 new pairs of 10 compared" in said(state)[0]
    assert graph.candidates.table is table
    assert [tuple(c.labels) for c in graph.clips] == [("turn-left",), ("turn-right",), (), ()]
    assert len(graph.candidates.labelling.sets) == 3
    assert stale(state) == ""


def test_other_rates_are_brought_to_the_one_most_have(state):
    put(state, swinging(5, frames=60, fps=30.0), "slow")
    tell(state, do.BuildGraph())
    graph = state.graph.graph
    assert graph.fps == 60.0
    assert [len(c) for c in graph.clips] == [300, 300, 119]
    assert state.graph.file_frame(2, 20) == 10
    tell(state, do.BuildGraph(fps=20.0))
    assert state.graph.graph.fps == 20.0
    assert state.graph.options.fps == 20.0
    tell(state, do.BuildGraph(fps=0))
    assert state.graph.graph.fps == 60.0


def test_what_cannot_take_part_is_left_out(state):
    rng = np.random.default_rng(3)
    body = person()
    names = [f"x{name}" for name in body.names]
    put(state, smooth_clip(rng, Skeleton(names, body.parents, body.offsets), frames=150, fps=60.0), "alien")
    put(state, smooth_clip(rng, body, frames=12, fps=60.0), "short")
    tell(state, do.BuildGraph())
    assert [c.name for c in state.graph.graph.clips] == ["one", "two"]
    warnings = said(state, "warning")
    assert any("alien is left out" in w and "other joints" in w for w in warnings)
    assert any("short is left out" in w and "0.20 s" in w for w in warnings)
    assert state.graph.warnings[: len(state.graph.drawn.left_out)] == list(state.graph.drawn.left_out)
    assert stale(state) == ""  # asking again would change nothing


def test_a_clip_like_no_other(state):
    lying = swinging(4)
    turned = lying.rotations.copy()
    turned[:, 0] = rot.multiply(rot.about("X", np.pi / 2), turned[:, 0])
    put(state, replace(lying, rotations=turned), "lying")
    tell(state, do.BuildGraph())
    assert len(state.graph.graph.clips) == 3
    assert [w for w in state.graph.warnings if "joined to no other" in w] == [
        "lying is joined to no other clip: nothing is alike up to 15 cm"
    ]


def test_nothing_ticked(state):
    tell(state, do.UseClip(None, False), do.BuildGraph())
    assert state.graph.graph is None
    assert "tick those" in said(state, "error")[0]
    tell(state, do.SetThreshold(3.0))
    assert "build one" in said(state, "error")[0]


def test_cancelling_keeps_the_old_graph(state, monkeypatch):
    tell(state, do.BuildGraph(), do.UseClip(numbers(state)["three"], True))
    graph = state.graph.graph

    def cancelled(*_, **__):
        raise Cancelled("enough")

    monkeypatch.setattr("motiongraph.graph.build.compare", cancelled)
    tell(state, do.BuildGraph())
    assert state.graph.graph is graph
    assert stale(state)
    assert not said(state, "error")


def test_thresholds(state):
    tell(state, do.BuildGraph())
    graphs = state.graph
    auto = graphs.graph.thresholds.within
    tell(state, do.SetThreshold(0.0))
    assert graphs.report["transitions"] == 0
    assert not graphs.graph.is_auto
    assert not len(graphs.lanes.chosen(graphs.graph, Filter()).index)
    tell(state, do.SetThreshold(graphs.graph.candidates.ceiling))
    assert graphs.graph.taken.all()
    tell(state, do.SetThreshold({"within": 2.0, "between": 6.0}))
    assert (graphs.graph.thresholds.within, graphs.graph.thresholds.between) == (2.0, 6.0)
    version = graphs.version
    tell(state, do.SetThreshold(99.0))
    assert "known up to 15 cm" in said(state, "error")[0]
    assert graphs.version == version
    tell(state, do.SetThreshold("auto"))
    assert graphs.graph.is_auto
    assert graphs.graph.thresholds.within == auto
    tell(state, do.FindTradeOff())
    assert graphs.automatic == auto
    assert graphs.curve["share"][0] == 0.0
    tell(state, do.SetThreshold(1.0), do.SetThreshold("auto"))
    assert graphs.graph.is_auto
    assert graphs.graph.thresholds.within == auto
    tell(state, do.DropGraph())
    assert graphs.graph is None
    assert not graphs.entries
    assert not graphs.report


def test_only_the_newest_threshold_of_a_frame_is_applied(state):
    tell(state, do.BuildGraph())
    version = state.graph.version
    for value in (1.0, 2.0, 3.0, 4.0):
        state.issue(do.SetThreshold(value))
    update(state, 0.01)
    assert state.graph.version == version + 1
    assert state.graph.graph.thresholds.within == 4.0


def test_threshold_stays_when_clips_are_added(state):
    tell(state, do.BuildGraph(), do.SetThreshold(3.0), do.UseClip(None, True), do.BuildGraph())
    assert state.graph.graph.thresholds.within == 3.0


def test_what_is_set_while_a_graph_is_updated_stays(state):
    tell(state, do.BuildGraph(), do.SetThreshold(3.0), do.UseClip(None, True))
    number = state.graph.built
    for command in (do.BuildGraph(), do.SetThreshold({"within": 2.0, "between": 5.0})):
        state.issue(command)  # in one frame: the job is over, and collected after the threshold is set
    update(state, 0.0)
    assert state.graph.built == number + 1
    assert (state.graph.graph.thresholds.within, state.graph.graph.thresholds.between) == (2.0, 5.0)
    assert state.graph.report["clips"] == 3
    tell(state, do.UseClip(numbers(state)["one"], False))
    state.graph.automatic = 4.0  # known, as the panel would have asked for it
    for command in (do.BuildGraph(), do.SetThreshold("auto")):
        state.issue(command)
    update(state, 0.0)
    tell(state)
    update(state, 0.0)
    graph = state.graph.graph
    assert graph.is_auto
    assert graph.thresholds == MotionGraph(graph.candidates).thresholds


def test_centimetres_are_no_degrees(state):
    tell(state, do.BuildGraph(), do.SetThreshold(3.0))
    tell(state, do.BuildGraph(metric=Metric(kind="angle")))
    graph = state.graph.graph
    assert graph.metric.unit == "°"
    assert graph.is_auto
    assert graph.thresholds == MotionGraph(graph.candidates).thresholds
    tell(state, do.SetThreshold(30.0), do.BuildGraph(metric=Metric()))
    assert state.graph.graph.is_auto
    # Another window is compared in the same unit.
    tell(state, do.SetThreshold(3.0), do.BuildGraph(metric=Metric(window=0.25)))
    graph = state.graph.graph
    assert graph.thresholds.within == 3.0
    # A limit above the ceiling would promise transitions that were never looked for.
    assert lasting(graph, graph.candidates)
    assert not lasting(graph, replace(graph.candidates, ceiling=2.0))


def test_a_trade_off_that_fails_says_why_once(state, monkeypatch):
    def failing(*_):
        raise MemoryError

    tell(state, do.BuildGraph())
    with monkeypatch.context() as patch:
        patch.setattr("motiongraph.graph.thresholds.prune", failing)
        tell(state, do.FindTradeOff())
    assert state.graph.curve is None
    assert "not enough memory" in state.graph.trial.reason
    assert said(state, "error") == [state.graph.trial.reason]
    tell(state, do.FindTradeOff())
    assert state.graph.curve is not None
    assert state.graph.trial.reason == ""
    tell(state, do.BuildGraph())
    assert state.graph.trial is None  # the next one is still to be asked for


@pytest.mark.parametrize(
    ("command", "third"),
    [
        (do.FindTradeOff(), (2, "what each threshold keeps")),
        (do.SetThreshold("auto"), (2, "the automatic threshold")),
        (do.BuildGraph(mirror=True), (0, "fitting one")),
    ],
)
def test_long_work_on_a_graph_can_be_stopped_in_the_middle(state, monkeypatch, command, third):
    tell(state, do.BuildGraph(), do.SetThreshold(3.0))
    graph, seen = state.graph.graph, []

    def nobody_waits(job, done, total, what=""):
        seen.append((done, what))
        if len(seen) == 3:
            raise Cancelled(job.title)

    monkeypatch.setattr("motiongraph.app.jobs.Job.progress", nobody_waits)
    tell(state, command)
    assert seen[2:] == [third]
    assert state.graph.graph is graph
    assert (state.graph.curve, state.graph.automatic) == (None, None)
    assert not said(state, "error")


@pytest.mark.parametrize("command", [do.BuildGraph(), do.DropGraph(), do.NewProject()])
def test_what_is_pointed_at_goes_with_its_graph(state, command):
    tell(state, do.BuildGraph(), do.PointAtTransition(3), do.UseClip(None, True))
    assert state.scene.pair is not None
    tell(state, command)
    assert (state.graph.pointed, state.scene.pair) == (None, None)


def test_pointing_at_a_graph_that_is_gone_is_no_fault(state):
    tell(state, do.BuildGraph())
    state.issue(do.DropGraph())
    state.issue(do.PointAtTransition(3))  # the panel of the same frame still saw the curve
    update(state, 0.0)
    assert state.scene.pair is None
    assert not said(state, "error")


def test_a_new_project_takes_no_graph_from_the_old_one(state):
    state.issue(do.BuildGraph())
    state.issue(do.NewProject())  # before the finished job is collected
    update(state, 0.0)
    assert state.graph.graph is None


def test_saved_opened_exported(state, tmp_path):
    tell(state, do.BuildGraph(mirror=True), do.SetThreshold(4.0))
    graph, path = state.graph.graph, tmp_path / "g.mgraph"
    tell(state, do.SaveGraph(path), *(do.ExportGraph(tmp_path / f"g{end}") for end in (".dot", ".graphml", ".json")))
    tell(state, do.ExportGraph(tmp_path / "g.png"), do.ExportGraph(tmp_path / "g.xyz"))
    assert all((tmp_path / f"g{end}").stat().st_size > 200 for end in (".dot", ".graphml", ".json", ".png"))
    assert ".dot, .graphml, .json, .png" in said(state, "error")[0]
    # Here its clips are known and ticked again; elsewhere they come into the library.
    tell(state, do.UseClip(None, False), do.OpenPaths((path,)))
    assert [e.used for e in state.library] == [True, True, False]
    assert stale(state) == ""
    other = AppState(inline=True, camera=Camera())
    warm_up(other)
    tell(other, do.OpenPaths((path,)))
    update(other, 0.0)
    assert [e.name for e in other.library] == ["one", "two"]
    assert other.entry.name == "one"
    for opened in (state, other):
        same(opened.graph.graph, graph)
        assert opened.graph.graph.thresholds == graph.thresholds
        assert opened.graph.options.mirror
    assert stale(other) == ""
    assert [e.number for e in other.graph.entries] == [1, 1, 2, 2]
    tell(other, do.UseClip(1, False), do.BuildGraph())
    assert "0 new pairs of 3 compared" in said(other)[0]
    tell(other, do.OpenGraph(tmp_path / "nowhere.mgraph"))
    assert "no such file" in said(other, "error")[0]
