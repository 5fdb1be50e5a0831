"""How much room turning takes, and what is said of it."""

import numpy as np
import pytest
from naive import paths as naive_paths
from naive.turn_table import least_room
from test_walks_planning import FPS, WINDOW, meeting, mover

import motiongraph as mg
from motiongraph.graph.candidates import Candidates
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import in_order
from motiongraph.metric.metric import Metric
from motiongraph.walks.curve import Curve
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.path_goal import Goal
from motiongraph.walks.turn_table import MIDDLE, TURN, room_ahead, room_to_turn, turn_table

FRAMES = 60


@pytest.fixture(scope="module", params=[(1.2, 0.7), (0.8, 2.0)])
def graph(request):
    """A straight clip and two that go round to either side, joined everywhere."""
    left, right = request.param  # rad/s
    made = [mover(FRAMES, turn, name=f"clip{k}") for k, turn in enumerate((0.0, left, -right))]
    every = range(4, FRAMES - WINDOW - 2, 4)
    rows = [meeting(made, a, f, b, 6, 1.0) for a in range(3) for b in range(3) for f in every if a != b or f > 40]
    table = in_order(np.concatenate(rows))
    return MotionGraph(Candidates(tuple(made), tuple(made), Metric(window=WINDOW / FPS), table, 10.0, 0.0, False), 10.0)


@pytest.mark.parametrize("degrees", [-180, -120, 60, 150, 180])
def test_the_room_of_a_turn_is_that_of_the_best_way(graph, degrees):
    graph = graph.pruned()
    ground, table = floor_graph(graph), turn_table(graph)
    assert ground.stride == 1
    for frame in ground.nodes[[0, len(ground.nodes) // 2, -1]].tolist():
        room = table.room[table.moment[frame, 0], MIDDLE + degrees * TURN // 360]
        aside, price = least_room(ground.floor, frame, np.radians(degrees))
        assert room[0] + 0.3 * (room[1] + room[2]) == pytest.approx(price, rel=0.1, abs=0.06)
        assert room[0] == pytest.approx(aside, rel=0.15, abs=0.1)


def test_what_is_said_of_a_corner_is_the_room_of_the_sharpest_turn(graph):
    graph = graph.pruned()
    ground = floor_graph(graph)
    frames = np.flatnonzero(ground.floor.run_end >= np.arange(len(ground.floor.path)))[::15].tolist()
    least = min(least_room(ground.floor, f, sign * np.pi)[0] for f in frames for sign in (-1, 1))
    assert room_to_turn(graph) == pytest.approx(least, rel=0.1)
    walk = mg.follow_path(graph, [(0, 0), (0, 6), (0.05, 0)], effort=mg.Effort(turning=0.0))
    assert walk.facts["path_error_worst"] > 0.45 * least
    if walk.facts["path_error_worst"] > 0.5:
        assert f"need {room_to_turn(graph):.1f} m from side to side" in walk.note


def test_where_a_corner_will_be_missed(graph):
    graph, curve = graph.pruned(), Curve.of([(0, 0), (0, 6), (0.05, 0)])
    corner, room, moment = Goal.of(graph, curve, turns="corners").turns
    near = corner[:, 7] > 0
    assert [bool(near[round(at / curve.spacing)]) for at in (1.0, 4.0, 6.5)] == [False, True, True]
    rng = np.random.default_rng(0)
    for _ in range(50):
        i, frame = int(rng.choice(np.flatnonzero(near))), int(rng.integers(2 * FRAMES))
        theta, x, z = rng.uniform(-7, 7), rng.normal(0, 1), rng.normal(6, 1)
        ref = naive_paths.room_ahead(corner[i], room, moment[frame], theta, x, z)
        assert room_ahead(corner[i], room, moment[frame], theta, x, z) == pytest.approx(ref)
