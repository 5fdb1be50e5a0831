"""The matrix panel's ground: what is compared, at every scale, its threshold, its cells seen and played, its files."""

import itertools

import naive.overview as naive
import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph.app import commands as do
from motiongraph.app.library.entries import prepare
from motiongraph.app.matrix.cell import loop_walk, pair_of, way_back
from motiongraph.app.matrix.comparison import chosen, common, highest_threshold, threshold_of
from motiongraph.app.matrix.heat import histogram, pyramid, share_below, thinned
from motiongraph.app.playback import RESULT
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.metric.distance import distance_matrix
from motiongraph.metric.metric import Metric
from motiongraph.viewer.camera import Camera


@pytest.fixture
def state(monkeypatch, tmp_path):
    monkeypatch.setenv("MOTIONGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    update(state, 0.0)
    return state


def add(state, name, frames=150, body=None, fps=60.0, seed=0, **fields):
    clip = smooth_clip(np.random.default_rng(seed), body or person(), frames=frames, fps=fps, name=name)
    return state.library.add(clip, prepare(clip), **fields)


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)


def two(state):
    a, b = add(state, "ann", 150, seed=1), add(state, "bob", 130, seed=2)
    tell(state, do.SelectClip(a.number, 0), do.SelectClip(b.number, 1), do.Compare())
    return a, b


def errors(state):
    return [message.text for message in state.messages if message.level == "error"]


# At a glance


@pytest.mark.parametrize("shape", [(1, 1), (63, 64), (65, 1), (130, 257), (200, 131)])
def test_every_level_holds_the_lowest_of_what_it_covers(shape):
    cost = np.random.default_rng(3).random(shape, dtype=np.float32)
    levels = pyramid(cost)
    assert levels[0] is cost
    assert max(levels[-1].shape) <= 64
    for k, level in enumerate(levels):
        ref, comp = naive.level(cost.tolist(), k), level
        assert comp.dtype == np.float32
        np.testing.assert_array_equal(comp, np.array(ref, np.float32))


@pytest.mark.parametrize("bins", [1, 7, 200])
def test_the_histogram_counts_every_cell(bins):
    rng = np.random.default_rng(4)
    cost = (rng.random((600, 41), dtype=np.float32) * 30.0) ** 1.5
    cost[3, 4] = 0.0
    counts, edges = histogram(cost, bins)
    ref = naive.histogram(cost.ravel().tolist(), bins)
    assert edges[-1] == pytest.approx(cost.max())
    assert counts.sum() == cost.size
    assert np.abs(counts - ref).sum() <= 2 * 3  # a cost at an edge may fall on either side of it
    for cut in (0.0, 12.3, float(cost.max())):
        assert share_below(counts, edges, cut) == pytest.approx(float((cost < cut).mean()), abs=1.0 / bins)


def test_a_histogram_of_nothing_but_zeros_and_holes():
    counts, edges = histogram(np.array([[0.0, np.inf], [np.nan, 0.0]], np.float32), 10)
    assert counts.tolist() == [2, *[0] * 9]
    assert edges[-1] == 1.0


def test_thinning_keeps_the_best_of_every_field():
    rng = np.random.default_rng(5)
    rows, columns = rng.integers(0, 500, 3000), rng.integers(0, 700, 3000)
    limits, cells = (100, 420, 50, 610), (9, 13)
    shown = thinned(rows, columns, limits, cells)
    assert shown.tolist() == naive.thinned(rows.tolist(), columns.tolist(), limits, cells)
    assert len(thinned(rows[:0], columns[:0], limits, cells)) == 0


# What is compared


def test_the_tracks_are_compared_unless_others_are_chosen(state):
    a, b = two(state)
    heat = state.matrix.heat
    assert (heat.a, heat.b) == (a, b)
    np.testing.assert_array_equal(heat.matrix.cost, distance_matrix(a.part, b.part).cost)
    assert heat.counts.sum() == heat.matrix.cost.size
    tell(state, do.ChooseMatrix(b.number, b.number), do.WatchMatrix())
    assert (state.matrix.heat.a, state.matrix.heat.b) == (b, b)
    assert state.matrix.heat.matrix.own
    tell(state, do.ChooseMatrix(b.number, None), do.WatchMatrix())
    assert chosen(state) == (b, b)
    tell(state, do.ChooseMatrix(a.number, b.number), do.SwapMatrix(), do.WatchMatrix())
    np.testing.assert_array_equal(state.matrix.heat.matrix.cost, heat.matrix.cost.T)
    tell(state, do.ChooseMatrix(), do.WatchMatrix())
    assert chosen(state) == (a, b)


def test_looking_compares_only_what_has_changed(state):
    two(state)
    number = state.matrix.heat.number
    tell(state, do.WatchMatrix(), do.WatchMatrix())
    assert state.matrix.heat.number == number
    tell(state, do.SetMetric("window", 0.2), do.WatchMatrix())
    assert state.matrix.heat.number == number + 1
    assert state.matrix.heat.window == 12


def test_frames_are_those_of_the_file_when_trimmed(state):
    a, b = two(state)
    tell(state, do.Trim(a.number, 30, 120), do.Trim(b.number, 12, 130), do.WatchMatrix())
    heat = state.matrix.heat
    assert (heat.start_a, heat.start_b) == (30, 12)
    assert heat.shape == (90 - 20 + 1, 118 - 20 + 1)
    whole = distance_matrix(a.clip, b.clip)
    i, j = 17, 23
    assert heat.matrix.cost[i, j] == pytest.approx(whole.cost[30 + i, 12 + j], abs=0.01)
    tell(state, do.PointAtCell((i, j)))
    pair = state.scene.pair
    assert (pair.frame_a, pair.frame_b) == (30 + i, 12 + j)
    assert pair.alignment == pytest.approx(whole.alignment(30 + i, 12 + j), abs=1e-6)


def test_a_cell_is_shown_until_it_is_left(state):
    two(state)
    tell(state, do.PointAtCell((3, 4)))
    shown = state.scene.pair
    tell(state, do.PointAtCell((3, 4)))
    assert state.scene.pair is shown
    tell(state, do.SetMatrixOption("clouds", True), do.PointAtCell((3, 4)))
    assert state.scene.pair.clouds
    tell(state, do.PointAtCell(None))
    assert state.scene.pair is None
    tell(state, do.PointAtCell((3, 4)))
    other = state.scene.pair = pair_of(state.matrix.heat, (7, 7))  # someone else's is left alone
    tell(state, do.PointAtCell(None))
    assert state.scene.pair is other
    tell(state, do.PointAtCell((1000, 0)))
    assert "outside" in errors(state)[0]


# Thresholds and minima


def test_minima_are_found_as_asked(state):
    two(state)
    heat = state.matrix.heat
    expected = heat.matrix.minima(None, "neighbours", 4, False)
    np.testing.assert_array_equal(heat.minima, expected)
    tell(state, do.SetMinima("method", "partial"), do.SetMinima("radius", 0.0), do.SetMinima("border", True))
    found = state.matrix.heat
    np.testing.assert_array_equal(found.minima, heat.matrix.minima(None, "partial", None, True))
    assert found.number == heat.number  # the costs are the same and are not sent to the card again
    costs = found.minima["cost"]
    assert found.below(float(costs[len(costs) // 2])) == np.count_nonzero(costs <= costs[len(costs) // 2])


def test_the_threshold_starts_sensibly_and_stays(state):
    two(state)
    heat, first = state.matrix.heat, threshold_of(state)
    assert heat.below(first) > 0
    assert 0.01 < share_below(heat.counts, heat.edges, first) < 0.5
    tell(state, do.SetMatrixThreshold(5.5))
    tell(state, do.SwapMatrix(), do.WatchMatrix())
    assert threshold_of(state) == 5.5
    tell(state, do.SetMatrixThreshold(-3.0))
    assert threshold_of(state) == 0.0
    tell(state, do.SetMatrixThreshold(1e9))
    assert threshold_of(state) == pytest.approx(state.matrix.heat.highest)
    tell(state, do.SetMetric("kind", "angle"), do.WatchMatrix())
    assert state.matrix.unit == "°"
    assert threshold_of(state) != 5.5


def test_the_threshold_is_the_graphs_where_linked(state):
    two(state)
    tell(state, do.BuildGraph())
    tell(state, do.SetThreshold(4.0))
    assert common(state)
    assert threshold_of(state) == 4.0
    tell(state, do.SetMatrixThreshold(6.0))
    assert state.graph.graph.thresholds.within == 6.0
    tell(state, do.SetMatrixThreshold(1000.0))  # no higher than the graph knows
    assert threshold_of(state) == highest_threshold(state) == state.graph.graph.candidates.ceiling
    tell(state, do.SetMatrixOption("linked", False), do.SetMatrixThreshold(2.0))
    assert threshold_of(state) == 2.0
    assert state.graph.graph.thresholds.within == 15.0
    tell(state, do.SetMatrixOption("linked", True), do.SetMetric("kind", "angle"), do.WatchMatrix())
    assert not common(state)  # degrees are no centimetres
    assert not errors(state)


# Cells played


def test_a_transition_plays_a_then_b(state):
    two(state)
    heat = state.matrix.heat
    tell(state, do.PreviewCell((90, 20)))
    made = state.library[state.tracks[RESULT].clip]
    assert made.made.preview
    walk = made.made.walk
    assert walk.steps.tolist() == [(0, 90 - 84, 90), (1, 40, 40 + 84)]
    jump = walk.transitions[0]
    assert (jump["src_frame"], jump["dst_frame"], jump["cost"]) == (90, 20, pytest.approx(heat.matrix.cost[90, 20]))
    assert tuple(jump[["theta", "x0", "z0"]]) == pytest.approx(heat.matrix.alignment(90, 20))
    assert len(made.clip) == len(walk)
    assert state.playback.playing
    assert state.active == RESULT
    # Another takes its place, and it is none of the clips that are compared from then on.
    tell(state, do.PreviewCell((0, 0)))
    assert [e.name for e in state.library] == ["ann", "bob", "ann → bob"]
    tell(state, do.WatchMatrix())
    assert state.matrix.heat is heat


def test_a_loop_of_one_clip_goes_from_the_later_frame_to_the_earlier(state):
    a = add(state, "ann", 200, seed=1)
    tell(state, do.SelectClip(a.number, 0), do.Compare())
    heat = state.matrix.heat
    for cell in ((130, 40), (40, 130)):
        walk = loop_walk(heat, cell, (a.part, a.part))
        assert set(walk.steps.tolist()) == {(0, 60, 130)}
        assert set(walk.transitions["src_frame"].tolist()) == {130}
        assert set(walk.transitions["dst_frame"].tolist()) == {40}
        assert walk.duration >= 8.0
    tell(state, do.LoopCell((130, 40)))
    assert state.library[state.tracks[RESULT].clip].name == "loop of ann"
    tell(state, do.LoopCell((50, 45)))
    assert "too near" in errors(state)[0]


def test_a_loop_of_two_clips_comes_back_by_a_minimum(state):
    a, b = two(state)
    heat = state.matrix.heat
    n, m = heat.shape
    found = None
    for i, j in itertools.product(range(n - 1, 40, -7), range(0, m, 7)):
        candidates = [c for c in heat.minima if c["a"] + heat.window <= i and c["b"] >= j + heat.window]
        if candidates:
            found = i, j
            best = min(candidates, key=lambda c: c["cost"])
            break
    assert found, "the clips of this test have no loop"
    assert way_back(heat, found) == (best["a"], best["b"])
    walk = loop_walk(heat, found, (a.part, b.part))
    assert walk.transitions["src"].tolist() == ([0, 1] * len(walk.transitions))[: len(walk.transitions)]
    # Once around, the character is turned and shifted by one lap, always the same.
    turns = np.diff(walk.placements[::2, 0])
    assert turns == pytest.approx(turns[0])
    tell(state, do.LoopCell((0, m - 1)))
    assert "upper right" in errors(state)[0]


# What goes wrong


def test_clips_that_cannot_be_compared_say_why(state):
    a, b = two(state)
    tiny = add(state, "tiny", 10, seed=3)
    tell(state, do.ChooseMatrix(a.number, tiny.number), do.WatchMatrix())
    assert "fewer than the 20 of a window" in state.matrix.problem
    assert state.matrix.heat is None
    slow = add(state, "slow", 100, fps=30.0)
    tell(state, do.ChooseMatrix(a.number, slow.number), do.WatchMatrix())
    assert "resample" in state.matrix.problem
    tell(state, do.ChooseMatrix(a.number, b.number), do.WatchMatrix())
    assert not state.matrix.problem
    assert state.matrix.heat is not None


def test_other_proportions_are_retargeted_for_the_blend(state):
    a, _ = two(state)
    tall = add(state, "tall", 140, person(uneven=0.05, rng=np.random.default_rng(8)), seed=9)
    tell(state, do.ChooseMatrix(a.number, tall.number), do.WatchMatrix(), do.PreviewCell((60, 30)))
    made = state.library[state.tracks[RESULT].clip]
    assert made.clip.skeleton == a.clip.skeleton
    assert not errors(state)


def test_a_matrix_too_large_is_refused_in_words(state, monkeypatch):
    two(state)
    monkeypatch.setattr("motiongraph.app.matrix.comparison.LARGEST", 1000)
    tell(state, do.SetMetric("window", 0.25), do.Compare())
    assert "trim one of them" in state.matrix.problem
    monkeypatch.setattr("motiongraph.app.matrix.comparison.LARGEST", 10**9)
    monkeypatch.setattr("motiongraph.app.matrix.comparison.AT_ONCE", 1000)
    tell(state, do.SetMetric("window", 0.3), do.WatchMatrix())
    assert state.matrix.heat.window == 20  # nothing so large unasked
    tell(state, do.Compare())
    assert state.matrix.heat.window == 18


def test_removing_a_clip_forgets_its_matrix(state):
    a, b = two(state)
    tell(state, do.PointAtCell((5, 5)), do.RemoveClip(b.number), do.WatchMatrix())
    assert state.scene.pair is None
    assert {state.matrix.heat.a.number, state.matrix.heat.b.number} == {a.number}
    tell(state, do.RemoveAll(), do.WatchMatrix())
    assert state.matrix.heat is None
    tell(state, do.Compare(), do.PreviewCell((0, 0)))
    assert "open some" in errors(state)[1]
    assert "no matrix yet" in errors(state)[0]


def test_pointing_at_a_matrix_that_is_gone_is_no_fault(state):
    _, b = two(state)
    tell(state, do.PointAtCell((5, 5)))
    for command in (do.RemoveClip(b.number), do.WatchMatrix(), do.PointAtCell((5, 6))):
        state.issue(command)  # all of the frame in which Delete is pressed with the mouse over the matrix
    update(state, 0.0)
    assert state.scene.pair is None
    assert not errors(state)


def test_removing_a_clip_while_it_is_compared(state):
    a, b = two(state)
    tell(state, do.SetMetric("window", 0.25))
    state.issue(do.Compare())
    state.issue(do.RemoveClip(b.number))  # before the finished job is collected
    old = state.matrix.heat
    update(state, 0.0)
    assert state.matrix.heat is old
    tell(state, do.WatchMatrix())
    assert state.matrix.heat.b is a


# Files


def test_exports(state, tmp_path):
    two(state)
    tell(state, do.SetMatrixThreshold(8.0))
    for kind, name in (("figure", "f.png"), ("cells", "c.png"), ("numbers", "n.npz")):
        tell(state, do.ExportMatrix(tmp_path / name, kind))
    from PIL import Image

    n, m = state.matrix.heat.shape
    assert Image.open(tmp_path / "c.png").size == (m, n)
    assert max(Image.open(tmp_path / "f.png").size) > 1000
    numbers = np.load(tmp_path / "n.npz")
    np.testing.assert_array_equal(numbers["cost"], state.matrix.heat.matrix.cost)
    count = state.matrix.heat.below(8.0)
    np.testing.assert_array_equal(numbers["minima"], state.matrix.heat.minima[:count])
    tell(state, do.ExportMatrix(tmp_path / "v.jpg", "view"))
    assert "as .png" in errors(state)[0]
    tell(state, do.ExportMatrix(tmp_path / "v.png", "view"))
    assert state.matrix.picture == tmp_path / "v.png"


def test_metrics_that_make_no_sense_are_refused(state):
    two(state)
    tell(state, do.SetMetric("kind", "smell"), do.SetMetric("colour", 3), do.SetMinima("method", "guess"))
    tell(state, do.SetMinima("luck", 1), do.SetMatrixOption("x", True), do.SetMatrixThreshold(float("nan")))
    assert len(errors(state)) == 6
    assert state.matrix.metric == Metric()
