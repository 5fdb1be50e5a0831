"""What is seen of the graph: its curves, filters, what is pointed at, which part is shown."""

from dataclasses import replace

import numpy as np
import pytest
from swinging import numbers, said, tell, three_clips

from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import DEAD, DIM, KEPT, Filter, kept_spans, last_exits, sampled


@pytest.fixture
def state():
    return three_clips()


def test_lanes_tell_of_every_transition(state):
    tell(state, do.BuildGraph(), do.SetThreshold(5.0))
    graph, lanes = state.graph.graph, state.graph.lanes
    chosen = lanes.chosen(graph, Filter())
    shown = set(lanes.there[chosen.index].tolist()) | set(lanes.back[chosen.index].tolist())
    assert shown == set(np.flatnonzero(graph.taken).tolist())
    assert chosen.of == len(chosen.index)
    bright = chosen.index[chosen.state == KEPT]
    ways = set(lanes.there[bright].tolist()) | set(lanes.back[bright].tolist())
    assert ways >= set(np.flatnonzero(graph.kept.transitions).tolist())
    # Too many are bundled: every curve drawn is the cheapest of its bundle, and the cheapest of all is among them.
    few = lanes.chosen(graph, Filter(), most=5)
    assert len(few.index) <= 5
    assert set(few.index.tolist()) < set(chosen.index.tolist())
    assert few.index[0] == chosen.index[0]
    assert few.of == chosen.of
    assert (np.diff(lanes.rows[:, 4]) >= 0).all()
    within = lanes.chosen(graph, Filter(kind="within"))
    between = lanes.chosen(graph, Filter(kind="between"))
    assert within.of + between.of == chosen.of
    assert lanes.chosen(graph, Filter(kept=True)).of == len(bright)
    assert {graph.kept.transitions[lanes.there[i]] | graph.kept.transitions[lanes.back[i]] for i in bright} == {True}
    frames = sum(stop - start for _, start, stop in kept_spans(graph)) * graph.fps
    assert frames == pytest.approx(graph.kept.frames)
    table = graph.candidates.table[graph.taken]
    for clip, last in enumerate(last_exits(graph)):
        assert last == table["src_frame"][table["src"] == clip].max(initial=-1)
    for curve, what in zip(chosen.index, chosen.state):
        rows = graph.candidates.table[[lanes.there[curve], lanes.back[curve]]]
        late = (rows["dst_frame"] + graph.window > last_exits(graph)[rows["dst"]]).any()
        assert what == (KEPT if curve in bright else DEAD if late else DIM)


def test_curves_are_chosen_by_label_kind_and_what_is_kept(state):
    tell(state, do.SetLabels(numbers(state)["one"], ("walk",)), do.SetLabels(numbers(state)["two"], ("run",), 0, 120))
    tell(state, do.BuildGraph(), do.SetThreshold(9.0))
    graph, lanes = state.graph.graph, state.graph.lanes
    assert graph.candidates.labelling.words == ("run", "walk")
    rows = graph.candidates.table[lanes.there]
    taken = np.flatnonzero(graph.taken[lanes.there])

    def shown(name, value):
        tell(state, do.FilterGraph(name, value))
        found = lanes.chosen(graph, state.graph.filter).index
        tell(state, do.FilterGraph(name, getattr(Filter(), name)))
        return set(found.tolist())

    def words(curve, end):
        clip, frame = rows[end][curve], rows[f"{end}_frame"][curve]
        labels = graph.clips[clip].labels
        return {word for word in labels if labels.at(word)[frame]}

    for wanted in ({"run"}, {"walk"}, {"run", "walk"}):
        expected = {int(c) for c in taken if wanted & (words(c, "src") | words(c, "dst"))}
        assert 0 < len(expected) <= len(taken)
        assert shown("labels", wanted) == expected
    assert shown("labels", {"run"}) < shown("labels", {"run", "walk"})
    assert shown("labels", {"nothing"}) == set()
    assert shown("kind", "within") == {int(c) for c in taken if rows["src"][c] == rows["dst"][c]}
    assert shown("kind", "between") == {int(c) for c in taken if rows["src"][c] != rows["dst"][c]}
    kept = graph.kept.transitions
    assert shown("kept", True) == {int(c) for c in taken if kept[lanes.there[c]] or kept[lanes.back[c]]} < {*taken}
    assert shown("labels", ()) == set(taken.tolist())


def test_the_nearest_curve(state):
    tell(state, do.BuildGraph(), do.SetThreshold(15.0))
    graph, lanes = state.graph.graph, state.graph.lanes
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
    row, pair = state.graph.graph.candidates.table[3], state.scene.pair
    assert (pair.a, pair.frame_a) == (state.graph.entries[row["src"]], row["src_frame"])
    assert (pair.b, pair.frame_b) == (state.graph.entries[row["dst"]], row["dst_frame"])
    assert pair.alignment == (row["theta"], row["x0"], row["z0"])
    tell(state, do.PointAtTransition())
    assert state.scene.pair is None
    assert state.graph.pointed is None
    tell(state, do.PointAtTransition(3))
    other = state.scene.pair = replace(pair, frame_a=0)  # someone else's is left alone
    tell(state, do.PointAtTransition())
    assert state.scene.pair is other
    tell(state, do.PreviewTransition(3))
    made = state.entry.made
    assert made.preview
    assert len(made.walk.steps) == 2
    assert made.walk.transitions[0] == row
    tell(state, do.PreviewTransition(4))
    assert sum(bool(e.made) for e in state.library) == 1


def test_what_is_seen_stays_inside(state):
    tell(state, do.BuildGraph(), do.ShowLanes((-50.0, -49.0, 0.0, 1.0)))
    left, right, top, bottom = state.graph.span
    whole = state.graph.lanes.whole
    assert left == whole[0]
    assert right == pytest.approx(left + 1.0)
    assert (top, bottom) == (0.0, 1.0)
    tell(state, do.ShowLanes((-9e9, 9e9, -9e9, 9e9)))
    assert state.graph.span == pytest.approx(whole)
    tell(state, do.ShowLanes((0.0, float("nan"), 0.0, 1.0)))
    assert state.graph.span == pytest.approx(whole)
    tell(state, do.ShowLanes(), do.FilterGraph("kind", "sideways"))
    assert state.graph.span is None
    assert "sideways" in said(state, "error")[0]


def test_bundles_are_the_cheapest_between_two_places():
    state = three_clips()
    tell(state, do.BuildGraph(), do.SetThreshold(15.0))
    lanes = state.graph.lanes
    index, (left, right, *_) = np.arange(len(lanes)), lanes.whole
    for bins in (1, 5):
        best = {}
        for i in index:
            x0, y0, x1, y1 = lanes.ends[i].tolist()
            ends = tuple(sorted((y, int((x - left) / (right - left) * bins)) for x, y in ((x0, y0), (x1, y1))))
            best.setdefault(ends, int(i))
        assert lanes._cheapest(index, lanes.whole, bins).tolist() == sorted(best.values())


def test_a_lane_pointed_at_shows_its_own_curves(state):
    tell(state, do.BuildGraph(), do.SetThreshold(9.0))
    graph, lanes = state.graph.graph, state.graph.lanes
    whole = lanes.chosen(graph, Filter())
    own = {int(i) for i in whole.index if 1 in lanes.ends[i, 1::2]}
    found = lanes.chosen(graph, Filter(), lane=1)
    assert {int(i) for i, s in zip(found.index, found.state) if s != DIM} <= own <= set(found.index.tolist())
    others = [lanes.ends[i, 1::2] for i in found.index if int(i) not in own]
    assert len({tuple(sorted(pair.tolist())) for pair in others}) == len(others)  # one for each pair of lanes


def test_isolating_a_row_and_a_cell(state):
    tell(state, do.BuildGraph(), do.SetThreshold(9.0))
    graph, row = state.graph.graph, state.graph.graph.candidates.clusters.row
    every = state.graph.lanes
    assert [graph.clips[c].name for c in every.shown] == list(graph.candidates.clusters.names)
    tell(state, do.ShowOverview(True), do.IsolateRows((0, 1)))
    lanes = state.graph.lanes
    assert not state.graph.overview
    assert sorted(row[lanes.shown].tolist()) == [0, 1]
    found = lanes.chosen(graph, Filter(), rows=state.graph.rows).index
    table = graph.candidates.table
    between = {int(t) for t in np.flatnonzero(graph.taken) if row[table["src"][t]] != row[table["dst"][t]]}
    assert {*lanes.there[found].tolist(), *lanes.back[found].tolist()} == between
    seen = state.graph.cells()
    assert seen.count[0, 1] + seen.count[1, 0] == graph.open[sorted(between)].sum()
    tell(state, do.IsolateRows((1,)))
    lanes = state.graph.lanes
    ends = row[lanes.clips[lanes.chosen(graph, Filter(), rows=(1,)).index]]
    assert (ends == 1).any(axis=1).all()
    tell(state, do.IsolateRows())
    assert state.graph.lanes is every
    tell(state, do.IsolateRows((7,)))
    assert "rows" in said(state, "error")[0]


def test_mirror_images_share_the_lane_of_their_clip(state):
    tell(state, do.SetGraphOption("mirror", True), do.BuildGraph(), do.SetThreshold(9.0))
    lanes = state.graph.lanes
    assert len(lanes.shown) == 2
    assert (lanes.lane[0::2] == lanes.lane[1::2]).all()
    assert (lanes.ends[:, 1::2] == lanes.lane[lanes.clips]).all()


def test_a_panel_fills_the_window_and_floats(state):
    window = state.window
    tell(state, do.MaximisePanel("graph"))
    assert window.maximised == "graph"
    tell(state, do.ShowPanel("walk", True))
    assert window.maximised == "walk"  # what is asked for is seen
    tell(state, do.MaximisePanel("walk"))
    assert window.maximised == ""
    tell(state, do.PullOutPanel("graph"))
    assert window.pulled_out == {"graph"}
    tell(state, do.PullOutPanel("graph"), do.MaximisePanel("floor"))
    assert window.pulled_out == set()
    assert "floor" in said(state, "error")[0]
