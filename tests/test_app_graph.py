"""The graph in hand: building, building again, thresholds, what cannot take part, files, what is pointed at."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph import rotations as rot
from motiongraph.app import commands as do
from motiongraph.app.graphs import stale
from motiongraph.app.lanes import DEAD, DIM, KEPT, Filter, kept_spans, last_exits, sampled
from motiongraph.app.prepared import prepare
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import Cancelled
from motiongraph.viewer.camera import Camera


@pytest.fixture
def state():
    """Three clips, 60 frames a second, of which two are ticked."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    for seed, name in enumerate(("one", "two", "three")):
        put(state, swinging(seed), name, used=name != "three")
    return state


def swinging(seed, frames=300, fps=60.0):
    """Forth and back through the same second of motion, never quite alike: transitions at all costs."""
    base = smooth_clip(np.random.default_rng(7), person(), frames=60, fps=60.0)
    time, rng = np.arange(frames), np.random.default_rng(seed)
    at = np.abs((time + rng.integers(118)) % 118 - 59)
    sway = 0.5 * np.sin(2 * np.pi * time / rng.uniform(70, 130) + rng.uniform(0, 6))
    rotations = base.rotations[at]
    half = 0.5 * sway
    turn = np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half], axis=1)
    for joint in range(1, len(base.skeleton), 2):
        rotations[:, joint] = rot.multiply(rotations[:, joint], turn)
    return replace(base, root=base.root[at], rotations=rotations, fps=fps, labels=())


def put(state, clip, name, used=True):
    clip = replace(clip, name=name)
    return state.library.add(clip, prepare(clip), used=used)


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)


def said(state, level="info"):
    return [m.text for m in state.messages if m.level == level]


def numbers(state):
    return {entry.name: entry.number for entry in state.library}


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
    graphs = state.graphs
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
    same(state.graphs.graph, fresh(state))
    tell(state, do.UseClip(numbers(state)["one"], False))
    assert stale(state) == "1 clip to remove"
    tell(state, do.BuildGraph())
    assert "0 new pairs of 3 compared" in said(state)[0]
    same(state.graphs.graph, fresh(state))
    # A trim makes it another clip, which keeps its place among the lanes.
    tell(state, do.UseClip(numbers(state)["one"], True), do.Trim(numbers(state)["two"], 20, 140))
    assert stale(state) == "1 clip to add, 1 clip changed"
    tell(state, do.BuildGraph())
    assert "5 new pairs of 6 compared" in said(state)[0]
    same(state.graphs.graph, fresh(state))
    assert state.graphs.offsets == (0, 20, 0)
    assert state.graphs.file_frame(1, 5) == 25


def test_mirrored_and_updated(state):
    tell(state, do.BuildGraph(mirror=True))
    assert [c.name for c in state.graphs.graph.clips] == ["one", "one_mirrored", "two", "two_mirrored"]
    assert [e.number for e in state.graphs.entries] == [1, 1, 2, 2]
    tell(state, do.UseClip(numbers(state)["three"], True), do.BuildGraph())
    assert state.graphs.options.mirror
    assert "11 new pairs of 21" in said(state)[0]
    same(state.graphs.graph, MotionGraph.build([e.part for e in state.library], mirror=True))
    tell(state, do.SetGraphOption("mirror", False))
    assert stale(state) == "other options"


def test_labels_need_no_comparison(state):
    tell(state, do.BuildGraph(mirror=True))
    table = state.graphs.graph.candidates.table
    tell(state, do.SetLabels(numbers(state)["one"], ("turn-left",), 0, 60))
    assert stale(state) == "1 clip labelled anew"
    tell(state, do.BuildGraph())
    graph = state.graphs.graph
    assert "0 new pairs of 10 compared" in said(state)[0]
    assert graph.candidates.table is table
    assert [tuple(c.labels) for c in graph.clips] == [("turn-left",), ("turn-right",), (), ()]
    assert len(graph.candidates.labelling.sets) == 3
    assert stale(state) == ""


def test_other_rates_are_brought_to_the_one_most_have(state):
    put(state, swinging(5, frames=60, fps=30.0), "slow")
    tell(state, do.BuildGraph())
    graph = state.graphs.graph
    assert graph.fps == 60.0
    assert [len(c) for c in graph.clips] == [300, 300, 119]
    assert state.graphs.file_frame(2, 20) == 10
    tell(state, do.BuildGraph(fps=20.0))
    assert state.graphs.graph.fps == 20.0
    assert state.graphs.options.fps == 20.0
    tell(state, do.BuildGraph(fps=0))
    assert state.graphs.graph.fps == 60.0


def test_what_cannot_take_part_is_left_out(state):
    rng = np.random.default_rng(3)
    body = person()
    names = [f"x{name}" for name in body.names]
    put(state, smooth_clip(rng, Skeleton(names, body.parents, body.offsets), frames=150, fps=60.0), "alien")
    put(state, smooth_clip(rng, body, frames=12, fps=60.0), "short")
    tell(state, do.BuildGraph())
    assert [c.name for c in state.graphs.graph.clips] == ["one", "two"]
    warnings = said(state, "warning")
    assert any("alien is left out" in w and "other joints" in w for w in warnings)
    assert any("short is left out" in w and "0.20 s" in w for w in warnings)
    assert state.graphs.warnings[: len(state.graphs.drawn.left_out)] == list(state.graphs.drawn.left_out)
    assert stale(state) == ""  # asking again would change nothing


def test_a_clip_like_no_other(state):
    lying = swinging(4)
    turned = lying.rotations.copy()
    turned[:, 0] = rot.multiply(rot.about("X", np.pi / 2), turned[:, 0])
    put(state, replace(lying, rotations=turned), "lying")
    tell(state, do.BuildGraph())
    assert len(state.graphs.graph.clips) == 3
    assert [w for w in state.graphs.warnings if "joined to no other" in w] == [
        "lying is joined to no other clip: nothing is alike up to 15 cm"
    ]


def test_nothing_ticked(state):
    tell(state, do.UseClip(None, False), do.BuildGraph())
    assert state.graphs.graph is None
    assert "tick those" in said(state, "error")[0]
    tell(state, do.SetThreshold(3.0))
    assert "build one" in said(state, "error")[0]


def test_cancelling_keeps_the_old_graph(state, monkeypatch):
    tell(state, do.BuildGraph(), do.UseClip(numbers(state)["three"], True))
    graph = state.graphs.graph

    def cancelled(*_, **__):
        raise Cancelled("enough")

    monkeypatch.setattr("motiongraph.graph.candidates.search", cancelled)
    tell(state, do.BuildGraph())
    assert state.graphs.graph is graph
    assert stale(state)
    assert not said(state, "error")


def test_thresholds(state):
    tell(state, do.BuildGraph())
    graphs = state.graphs
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
    version = state.graphs.version
    for value in (1.0, 2.0, 3.0, 4.0):
        state.issue(do.SetThreshold(value))
    update(state, 0.01)
    assert state.graphs.version == version + 1
    assert state.graphs.graph.thresholds.within == 4.0


def test_threshold_stays_when_clips_are_added(state):
    tell(state, do.BuildGraph(), do.SetThreshold(3.0), do.UseClip(None, True), do.BuildGraph())
    assert state.graphs.graph.thresholds.within == 3.0


def test_saved_opened_exported(state, tmp_path):
    tell(state, do.BuildGraph(mirror=True), do.SetThreshold(4.0))
    graph, path = state.graphs.graph, tmp_path / "g.mgraph"
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
        same(opened.graphs.graph, graph)
        assert opened.graphs.graph.thresholds == graph.thresholds
        assert opened.graphs.options.mirror
    assert stale(other) == ""
    assert [e.number for e in other.graphs.entries] == [1, 1, 2, 2]
    tell(other, do.UseClip(1, False), do.BuildGraph())
    assert "0 new pairs of 3 compared" in said(other)[0]
    tell(other, do.OpenGraph(tmp_path / "nowhere.mgraph"))
    assert "no such file" in said(other, "error")[0]


def test_lanes_tell_of_every_transition(state):
    tell(state, do.BuildGraph(), do.SetThreshold(5.0))
    graph, lanes = state.graphs.graph, state.graphs.lanes
    chosen = lanes.chosen(graph, Filter())
    shown = set(lanes.there[chosen.index].tolist()) | set(lanes.back[chosen.index].tolist())
    assert shown == set(np.flatnonzero(graph.taken).tolist())
    assert chosen.of == len(chosen.index)
    bright = chosen.index[chosen.state == KEPT]
    ways = set(lanes.there[bright].tolist()) | set(lanes.back[bright].tolist())
    assert ways >= set(np.flatnonzero(graph.kept.transitions).tolist())
    # A sample is a first part of the whole, and so are the filters' parts.
    few = lanes.chosen(graph, Filter(), most=5)
    assert np.array_equal(few.index, chosen.index[:5])
    assert few.of == chosen.of
    within = lanes.chosen(graph, Filter(kind="within"))
    between = lanes.chosen(graph, Filter(kind="between"))
    assert within.of + between.of == chosen.of
    assert lanes.chosen(graph, Filter(kept=True)).of == len(bright)
    assert lanes.chosen(graph, Filter(labels=frozenset({"nothing"}))).of == 0
    frames = sum(stop - start for _, start, stop in kept_spans(graph)) * graph.fps
    assert frames == pytest.approx(graph.kept.frames)
    table = graph.candidates.table[graph.taken]
    for clip, last in enumerate(last_exits(graph)):
        assert last == table["src_frame"][table["src"] == clip].max(initial=-1)
    for curve, what in zip(chosen.index, chosen.state):
        rows = graph.candidates.table[[lanes.there[curve], lanes.back[curve]]]
        late = (rows["dst_frame"] + graph.window > last_exits(graph)[rows["dst"]]).any()
        assert what == (KEPT if curve in bright else DEAD if late else DIM)


def test_the_nearest_curve(state):
    tell(state, do.BuildGraph(), do.SetThreshold(15.0))
    graph, lanes = state.graphs.graph, state.graphs.lanes
    index, scale = lanes.chosen(graph, Filter()).index, np.array([150.0, 60.0])
    curves = [sampled(lanes.ends[i], 400) * scale for i in index]
    rng = np.random.default_rng(5)
    for _ in range(60):
        point = rng.uniform([0.0, -0.5], [2.5, 1.2])
        away = np.array([np.hypot(*(curve - point * scale).T).min() for curve in curves])
        found, _ = lanes.nearest(index, point, scale)
        if found < 0:
            assert away.min() > 8.0
        elif away.min() < 8.0:
            assert away[np.flatnonzero(index == found)[0]] < away.min() + 1.5


def test_pointing_and_previewing(state):
    tell(state, do.BuildGraph(), do.PointAtTransition(3))
    row, pair = state.graphs.graph.candidates.table[3], state.scene.pair
    assert (pair.a, pair.frame_a) == (state.graphs.entries[row["src"]], row["src_frame"])
    assert (pair.b, pair.frame_b) == (state.graphs.entries[row["dst"]], row["dst_frame"])
    assert pair.alignment == (row["theta"], row["x0"], row["z0"])
    tell(state, do.PointAtTransition())
    assert state.scene.pair is None
    assert state.graphs.pointed is None
    tell(state, do.PreviewTransition(3))
    made = state.entry.made
    assert made.preview
    assert len(made.walk.steps) == 2
    assert made.walk.transitions[0] == row
    tell(state, do.PreviewTransition(4))
    assert sum(bool(e.made) for e in state.library) == 1


def test_what_is_seen_stays_inside(state):
    tell(state, do.BuildGraph(), do.ShowLanes((-50.0, -49.0, 0.0, 1.0)))
    left, right, top, bottom = state.graphs.span
    whole = state.graphs.lanes.whole
    assert left == whole[0]
    assert right == pytest.approx(left + 1.0)
    assert (top, bottom) == (0.0, 1.0)
    tell(state, do.ShowLanes((-9e9, 9e9, -9e9, 9e9)))
    assert state.graphs.span == pytest.approx(whole)
    tell(state, do.ShowLanes((0.0, float("nan"), 0.0, 1.0)))
    assert state.graphs.span == pytest.approx(whole)
    tell(state, do.ShowLanes(), do.FilterGraph("kind", "sideways"))
    assert state.graphs.span is None
    assert "sideways" in said(state, "error")[0]
