"""The kernels of walks against plain loops."""

import numpy as np
import pytest
from graphs import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import paths as naive
from test_walks_planning import EXACT, begin, moving_graph, small_task

import motiongraph as mg
from motiongraph.elementary import sincos
from motiongraph.walks.alignment import aligned
from motiongraph.walks.balance import followed
from motiongraph.walks.beam_search import Cells, _place, repeats
from motiongraph.walks.curve import Curve, nearest_on
from motiongraph.walks.ease import alone
from motiongraph.walks.floor_path import SAMPLES, _run_ends, _steps, _ways, floor_graph
from motiongraph.walks.follow_path import find
from motiongraph.walks.path_cost import ERROR, REALS, lower_bound, turn_ahead
from motiongraph.walks.path_goal import Effort, Goal, Weights
from motiongraph.walks.random_walk import _WEARY, random_transitions

SEEDS = st.integers(0, 2**32 - 1)
WORDS = [["walk"], ["run"], ["walk", "run"]]


def labelled_task(seed):
    """A graph with labels, a goal in which everything counts, and a start with its state."""
    rng = np.random.default_rng(seed)
    graph = moving_graph(rng, transitions=9, labels=WORDS)
    curve = Curve.of(rng.uniform(-0.2, 0.8, (4, 2)).cumsum(axis=0))
    speed = float(rng.choice([0.0, 1.5]))
    weights = Weights(slack=float(rng.choice([0.0, 0.3])), stay=float(rng.choice([0.0, 0.2])), speed=speed, repeat=0.0)
    ends = {"early": 0.2, "late": 0.3, "end_place": 2.0, "end_facing": 0.5, "end_x": 0.6, "end_z": 0.8, "end_rest": 0.3}
    labels = [(0.0, "walk"), (0.5 * curve.length, "run")]
    goal = Goal.of(graph, curve, labels, weights, check=False, strict=int(rng.integers(2)), **ends)
    ground = floor_graph(graph)
    start = int(ground.nodes[rng.integers(len(ground.nodes))])
    return rng, graph, goal, start, begin(graph, curve, start)[1]


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_error_of_a_walk(seed):
    """What the search adds up on the way it found, labels, ends, prices and all."""
    rng, graph, goal, start, state = labelled_task(seed)
    floor, count = floor_graph(graph).floor, len(floor_graph(graph).rows)
    extra = rng.choice([0.0, 0.01], count)
    extra.flags.writeable = False
    rules = goal.rules._replace(stride=int(rng.integers(1, 5)), turning=float(rng.choice([0.0, 2.0])))
    goal = type(goal)(goal.curve, goal.target._replace(extra=extra), rules, goal.needs, goal.asked, goal.changes)
    found = find(graph, goal, [start], state, Effort(width=16))
    if found.complete:
        ref = naive.plan_error(floor, goal.target, goal.rules, start, state[0].tolist(), [int(k) for k in found.taken])
        assert found.error == pytest.approx(ref[0], rel=1e-6)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_the_best_walk_against_every_walk(seed):
    graph, goal, start, state = small_task(seed)
    ref, _ = naive.best_plan(floor_graph(graph).floor, goal.target, goal.rules, start, state[0].tolist(), 4)
    exact = find(graph, goal, [start], state, EXACT)
    if exact.complete:
        assert exact.error <= ref + 1e-9
        assert len(exact.taken) > 4 or exact.error == pytest.approx(ref, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_what_is_still_to_come(seed):
    rng, graph, goal, _, _ = labelled_task(seed)
    frame = int(rng.integers(len(floor_graph(graph).floor.path)))
    along, x, z = rng.uniform(-0.2, goal.curve.length + 0.2), *rng.uniform(-2, 2, 2)
    ref = naive.lower_bound(goal.target, goal.rules, along, x, z, frame)
    assert lower_bound(goal.target, goal.rules, along, x, z, frame) == pytest.approx(ref, rel=1e-5)
    facing = sincos(rng.uniform(-4, 4))
    ref = naive.turn_ahead(goal.target, goal.rules, along, *facing)
    assert turn_ahead(goal.target, goal.rules, along, *facing) == pytest.approx(ref, rel=1e-9, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_the_points_of_a_path_that_belong_to_a_walk(seed):
    rng = np.random.default_rng(seed)
    line = rng.normal(0, 0.1, (60, 2)).cumsum(axis=0)
    places = rng.normal(0, 0.06, (40, 2)).cumsum(axis=0)
    every = int(rng.integers(1, 5))
    ref = naive.aligned(places.tolist(), line.tolist(), 0.1 / every, every)
    distance, index = aligned(places, line, 0.1 / every)
    np.testing.assert_allclose(distance, [d for d, _ in ref], rtol=1e-12)
    assert index.tolist() == [i for _, i in ref]


def test_a_walk_is_not_lost_where_its_path_crosses_itself():
    # A loop: who stands and sways at the crossing, a little nearer to the other leg, has still gone round it.
    around = np.linspace(-0.5 * np.pi, 1.5 * np.pi, 200)
    loop = np.stack([1.5 * np.sin(around + 0.5 * np.pi), 1.5 - 1.5 * np.cos(around + 0.5 * np.pi)], axis=1)
    curve = Curve.of(np.concatenate([[(-3.0, 0.0)], loop, [(3.0, 0.0)]]))
    sway = np.cumsum(np.tile([(0.06, 0.05), (-0.06, -0.05)], (20, 1)), axis=0)
    for swaying in (75, 78, 80):
        places = curve.places[::2]
        places = np.concatenate([places[:swaying], places[swaying] + sway, places[swaying:]])
        distance, index = nearest_on(places, curve)
        assert distance.max() < 0.1
        assert index[swaying + len(sway) + 5] * curve.spacing == pytest.approx(
            2 * (swaying + 5) * curve.spacing, abs=0.2
        )
    # Who leaves the loop out is off by as much as it is across.
    short, _ = nearest_on(np.stack([np.linspace(-3, 3, 150), np.zeros(150)], axis=1), curve)
    assert short.max() > 1.5
    # So is one who turns before a corner at which the path turns about.
    there = Curve.of([(0, 0), (0, 6), (0.05, 0)])
    metres = np.concatenate([np.linspace(0, 5, 100), np.linspace(5, 0, 100)])
    early, _ = nearest_on(np.stack([np.zeros(200), metres], axis=1), there)
    assert early.max() > 0.7


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_the_price_of_coming_again(seed):
    rng, graph, goal, start, _ = labelled_task(seed)
    floor, rules, width = floor_graph(graph).floor, goal.rules._replace(repeat=0.02), 3
    count = len(floor.leave)
    cells = Cells.empty(30, width, Effort(), goal)
    steps = [int(k) for k in rng.integers(0, count, rng.integers(0, 25))]
    number, arrived, left = -1, [start], []
    for n, k in enumerate(steps):
        slot = n, int(rng.integers(width))
        cells.links[slot] = floor.arrive[k], number, k
        number = slot[0] * width + slot[1]
        arrived, left = [int(floor.arrive[k]), *arrived], [int(floor.leave[k]), *left]
    taken, children = rng.permutation(count).astype(np.int32), np.zeros((count, REALS))
    repeats(floor, rules, cells, number, taken, children, count)
    # Where the walk began is not remembered: only what transitions led to.
    ref = naive.repeat_prices(floor, rules, arrived[:-1], left, taken.tolist())
    np.testing.assert_allclose(children[:, ERROR], ref, atol=1e-12)


def test_who_takes_transitions_on_the_spot_is_not_far_ahead():
    """A state has no place in a cell that is much farther along the path than the state is."""
    _, graph, goal, start, state = labelled_task(1)
    floor, last = floor_graph(graph).floor, 20
    cells = Cells.empty(last + 1, 4, Effort(), goal)
    own = np.append(np.asarray(state).ravel()[:3], np.zeros(REALS - 3))
    for earliest, taken in ((0, True), (4, True), (6, False), (12, False)):
        before = int(cells.filled.sum())
        _place(floor, goal.target, goal.rules, cells, earliest, start, own, -1, 0)
        assert (int(cells.filled.sum()) > before) == taken, earliest


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_transitions_at_random(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, clips=4, transitions=30, least=5)
    ground = floor_graph(graph)
    clip_of = np.repeat(np.arange(len(graph.clips)), np.diff(ground.starts)).astype(np.int32)
    chances, taken = rng.random(80), np.empty(80, np.int32)
    frame, length = int(rng.integers(len(clip_of))), float(rng.choice([30.0, 1e9]))
    least, most, variety = int(rng.integers(0, 4)), int(rng.integers(4, 20)), float(rng.random())
    seen, ease = np.full(len(graph.clips), -(1 << 40), np.int64), rng.random(len(ground.floor.leave))
    walk = frame, 0, length, least, most, variety, graph.window, 0, taken
    count, last, frames = random_transitions(ground.runs, clip_of, ease, seen, np.ones(1), chances, *walk)
    ref = naive.random_transitions(
        ground.runs,
        clip_of.tolist(),
        ease.tolist(),
        chances.tolist(),
        frame,
        length,
        least,
        most,
        variety,
        graph.window,
        _WEARY,
    )
    assert (taken[:count].tolist(), last, frames) == ref


def test_placements_are_composed_along_a_walk():
    graph = moving_graph(np.random.default_rng(5), transitions=14).pruned()
    walk = mg.random_walk(graph, 30.0, 1)
    assert len(walk.transitions) > 10
    ref = [walk.placed]
    for row in walk.transitions:
        ref.append(naive.compose(ref[-1], (float(row["theta"]), float(row["x0"]), float(row["z0"]))))
    np.testing.assert_allclose(walk.placements[:, 1:], np.array(ref)[:, 1:], atol=1e-9)
    turned = walk.placements[:, 0] - np.array(ref)[:, 0]
    np.testing.assert_allclose(turned, 2 * np.pi * np.round(turned / (2 * np.pi)), atol=1e-9)


def test_ways_through_transitions_agree_with_plain_loops():
    rng = np.random.default_rng(4)
    path, face = rng.normal(size=(2, 90, 2))
    leave, arrive = (rng.integers(12, 70, 40).astype(np.int32) for _ in range(2))
    last = np.minimum(leave + rng.integers(0, 20, 40), 89)
    jump, window, way = rng.normal(size=(40, 4)), 11, np.empty((40, SAMPLES, 5))
    _ways(path, face, leave, arrive, jump, last, window, way)
    plain = naive.ways(*(x.tolist() for x in (path, face, leave, arrive, jump, last)), window, SAMPLES)
    np.testing.assert_allclose(way, plain, atol=1e-12)


def test_what_is_known_of_every_frame_agrees_with_plain_loops():
    rng = np.random.default_rng(8)
    for _ in range(20):
        starts = np.cumsum([0, *rng.integers(2, 12, 5)])
        first = starts[:-1] + rng.integers(0, 2, 5)
        path, frames = rng.normal(size=(starts[-1], 2)), int(starts[-1])
        steps = naive.steps(path.tolist(), starts.tolist(), first.tolist())
        np.testing.assert_allclose(_steps(path, starts, first), steps, atol=1e-12)
        at = np.flatnonzero(rng.random(frames) < 0.4)
        clip = np.searchsorted(starts, at, side="right")
        on = np.append(clip[1:] == clip[:-1], False)[: len(at)] & (rng.random(len(at)) < 0.7)
        ends = naive.run_ends(at.tolist(), on.tolist(), starts.tolist())
        assert _run_ends(at, on, starts).tolist() == ends
        leave, ease = np.sort(rng.integers(0, frames, 30)).astype(np.int32), rng.random(30)
        shares = naive.alone(leave.tolist(), ease.tolist(), 3, 0.7)
        np.testing.assert_allclose(alone(leave, ease, np.append(0.0, np.cumsum(ease)), 3, 0.7), shares, atol=1e-9)


def test_where_walks_are_after_some_steps():
    rng = np.random.default_rng(3)
    for _ in range(10):
        first = rng.integers(0, 20, 20).astype(np.int32)
        last = np.minimum(first + rng.integers(0, 6, 20), 20).astype(np.int32)
        weight, mass = rng.random(20) + 0.1, rng.random(20)
        mass /= mass.sum()
        ref = naive.followed(list(zip(first, last)), weight, 4, mass.tolist())
        followed(first, last, weight, 4, mass)
        np.testing.assert_allclose(mass, ref, atol=1e-9)
