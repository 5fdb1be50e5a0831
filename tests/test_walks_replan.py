"""Planning a few metres ahead: the way against plain loops, plans against exact ones and the whole beam."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import walks as naive
from test_walks_planning import EXACT, ring, small_task

import motiongraph as mg
from motiongraph.synthesis.live import Live
from motiongraph.walks.beam_search import Cells
from motiongraph.walks.curve import SPACING, Curve, between, smooth_points
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.follow_path import find
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import Effort, Goal
from motiongraph.walks.replan import Replanner, better_plan, plan_error, sample_polyline

NOTHING = np.empty(0, np.int32)


def room(ground):
    count = max(len(ground.floor.leave), 1)
    return np.empty(count, np.int32), np.empty((count, REALS))


def steered(graph, goal, start, state, plan=NOTHING, width=512, looks=10**9):
    """The transitions that `better_plan` finds for a goal, and its cells."""
    ground = floor_graph(graph)
    cells = Cells.empty(int(goal.longest / 0.15) + 2, width, 0.15)
    plan = np.array(plan, np.int32)
    return better_plan(ground.floor, goal.target, goal.rules, cells, start, state[0], plan, looks, *room(ground)), cells


def error_of(graph, goal, start, state, plan):
    return plan_error(floor_graph(graph).floor, goal.target, goal.rules, start, state[0], np.array(plan, np.int32))


@pytest.mark.parametrize("seed", range(8))
def test_a_way_is_laid_as_by_plain_loops_and_as_a_curve(seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.4, 1.0, (int(rng.integers(2, 9)), 2)).cumsum(axis=0)
    if seed % 2:
        points = np.repeat(points, 2, axis=0)  # a point twice, as where a way begins where another ends
    line, length = sample_polyline(points)
    ref, ref_length = naive.sampled([tuple(p) for p in points.tolist()], SPACING, 0.3)
    curve = Curve.of(points)
    assert length == pytest.approx(ref_length) == pytest.approx(curve.length)
    np.testing.assert_allclose(line[:, :4], ref, atol=1e-9)
    np.testing.assert_allclose(line[:, :2], curve.places, atol=1e-9)
    np.testing.assert_allclose(line[:, 2:4], curve.tangents, atol=1e-7)
    assert not line[:, 4:].any()


@pytest.mark.parametrize("facing", [None, 2.0])
def test_the_way_to_a_place_is_the_smooth_one(facing):
    place, target = np.array([1.0, -2.0]), np.array([2.5, 0.5])
    line, _ = sample_polyline(smooth_points(place, 0.7, target, facing))
    np.testing.assert_allclose(line[:, :2], between(place, 0.7, target, facing).places, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_plans_against_the_exact_ones(seed):
    graph, goal, start, state = small_task(seed)
    exact = find(graph, goal, [start], state, EXACT)  # itself compared with every walk there is
    taken, _ = steered(graph, goal, start, state)
    error, used = error_of(graph, goal, start, state, taken)
    if not exact.complete:
        assert np.isinf(error)
        return
    # Measuring a plan again gives what the planner gave it.
    assert error_of(graph, goal, start, state, exact.taken)[0] == pytest.approx(exact.error, rel=1e-9)
    assert exact.error - 1e-9 <= error < np.inf
    assert used == len(taken)
    # With one state in a cell and hardly a look, too, a plan is never worse than the current one.
    for plan in (exact.taken, taken):
        kept, _ = steered(graph, goal, start, state, plan, width=1, looks=1)
        current = error_of(graph, goal, start, state, plan)[0]
        assert error_of(graph, goal, start, state, kept)[0] <= current + 1e-12
    assert error_of(graph, goal, start, state, steered(graph, goal, start, state, exact.taken)[0])[0] == pytest.approx(
        exact.error, rel=1e-9
    )


def test_plans_are_as_good_as_the_beam_finds():
    ratios = []
    for seed in range(60):
        graph, goal, start, state = small_task(seed)
        beam = find(graph, goal, [start], state, Effort(width=512))
        if beam.complete:
            ratios.append(error_of(graph, goal, start, state, steered(graph, goal, start, state)[0])[0] / beam.error)
    assert len(ratios) > 30
    assert 0.99 < np.mean(ratios) < 1.01


def test_a_plan_that_can_no_longer_be_taken_counts_only_as_far_as_it_can():
    graph = ring([-0.7, 0.0, 0.7])
    ground, goal = floor_graph(graph), Goal.of(graph, Curve.of([[0, 0], [0, 3]]))
    floor = ground.floor
    start = int(floor.leave[0]) + 1
    state = np.zeros((1, REALS))
    alone = error_of(graph, goal, start, state, [])
    elsewhere = int(floor.next_out[floor.run_end[start] + 1])
    for k in (0, elsewhere):  # one whose frame has passed, and one of another clip
        assert error_of(graph, goal, start, state, [k]) == alone
    ahead = int(floor.next_out[start])
    elsewhere = int(floor.next_out[floor.run_end[floor.arrive[ahead]] + 1])
    one = error_of(graph, goal, start, state, [ahead])
    assert error_of(graph, goal, start, state, [ahead, elsewhere]) == one != alone


def test_looks_are_bounded_and_shared_out_over_the_way():
    graph = ring([-1.5, -0.7, 0.0, 0.7, 1.5])
    ground, goal = floor_graph(graph), Goal.of(graph, Curve.of([[0, 0], [0, 6]]), end_place=1.0, repeat=0.0)
    start, state = int(ground.nodes[0]), np.zeros((1, REALS))
    state[0, 1:3] = -ground.floor.path[start]
    looks, errors = [], []
    for most in (100, 400, 1600, 10**9):
        taken, cells = steered(graph, goal, start, state, width=6, looks=most)
        again, _ = steered(graph, goal, start, state, width=6, looks=most)
        assert again.tolist() == taken.tolist()
        looks.append(int(cells.effort[1]))
        errors.append(error_of(graph, goal, start, state, taken)[0])
    assert np.isfinite(errors).all()  # every share lets the walk come to the end of the way
    assert looks == sorted(looks)
    assert looks[0] < looks[-1] / 2
    assert errors[-1] <= min(errors) + 1e-9


def test_what_is_asked_of_the_effort():
    with pytest.raises(mg.MotionError, match="must be above zero"):
        Replanner(ring([0.0, 1.0]), looks=0)


def test_steering_and_making_motion_together():
    """Transitions are decided when the motion that follows them is made: in time, and not long before."""
    graph = ring([-1.5, -0.7, 0.0, 0.7, 1.5])
    walk = mg.LiveWalk(graph, rng=1)
    live = Live(walk.graph, walk.start, walk.placed, cleanup=False)
    rng, ahead, near = np.random.default_rng(0), round(2.0 * graph.fps), []
    for frame in range(round(30 * graph.fps)):
        if frame % round(6 * graph.fps) == 0:
            point = rng.uniform(-3, 3, 2)
            walk.head_for(point)
            near.append(np.inf)
        if live.ready < frame + 2:
            while not walk.lead(live, live.ready + ahead):
                pass
            clip, entered, _ = live.now
            begins = live.decided - (len(walk.graph.clips[clip]) - entered)
            assert begins <= live.ready + ahead + graph.window  # the last leaves within what was to be settled
            live.prepare(frame + 2)
        near[-1] = min(near[-1], np.linalg.norm(live.pose(frame)[0][[0, 2]] - point))
    assert np.mean(near) < 0.7
    made = walk.walk()
    assert len(made.transitions) > 10
    whole = mg.synthesize(made, cleanup=False)
    assert len(whole) >= frame
    root = np.array([live.pose(n)[0] for n in range(frame)])
    np.testing.assert_allclose(root, whole.root[:frame], atol=1e-9)
