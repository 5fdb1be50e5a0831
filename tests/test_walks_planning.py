"""Planning along a path: against equation 9 in plain loops, and against every walk there is in a small graph."""

import numpy as np
import pytest
from graphs import POINT
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import walks as naive

import motiongraph as mg
from motiongraph.graph.candidates import Candidates
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import TRANSITION, in_order
from motiongraph.metric.metric import Metric
from motiongraph.walks.curve import Curve, between, path_error, trace
from motiongraph.walks.floor_path import SAMPLES, floor_graph
from motiongraph.walks.follow_path import find, placed_at
from motiongraph.walks.path_goal import Effort, Goal, Weights

FPS, WINDOW = 30.0, SAMPLES  # one look at every frame of a transition
KOVAR = Weights.equation_9(gamma=0.3)


def mover(frames, turn, speed=1.3, name="clip", labels=()):
    """A point that walks along a circle: `turn` radians a second."""
    heading = turn * np.arange(frames) / FPS
    steps = np.stack([np.sin(heading), np.zeros(frames), np.cos(heading)], axis=1) * speed / FPS
    return mg.Clip(POINT, np.cumsum(steps, axis=0), np.tile([1.0, 0, 0, 0], (frames, 1, 1)), FPS, name, labels)


def meeting(clips, src, a, dst, b, cost):
    """The transition that puts the window at b of one clip onto that at a of another."""
    row = np.zeros(1, TRANSITION)
    one, two = clips[src].root[[a, a + WINDOW - 1]][:, [0, 2]], clips[dst].root[[b, b + WINDOW - 1]][:, [0, 2]]
    theta = np.arctan2(*(one[1] - one[0])) - np.arctan2(*(two[1] - two[0]))
    c, s = np.cos(theta), np.sin(theta)
    x, z = one.mean(axis=0) - two.mean(axis=0) @ np.array([[c, -s], [s, c]])
    row[0] = (src, a, dst, b, cost, theta, x, z)
    return row


def moving_graph(rng, clips=3, transitions=8, frames=30, labels=None):
    """Clips that bend in different ways, joined at random places."""
    made = [
        mover(frames, turn, name=f"clip{k}", labels=labels[k] if labels else ())
        for k, turn in enumerate(rng.uniform(-2.0, 2.0, clips))
    ]
    places = {
        (
            int(rng.integers(clips)),
            int(rng.integers(2, frames - WINDOW)),
            int(rng.integers(clips)),
            int(rng.integers(0, 8)),
        )
        for _ in range(transitions)
    }
    rows = [meeting(made, *place, cost) for place, cost in zip(sorted(places), rng.uniform(0.5, 9.0, len(places)))]
    metric = Metric(window=WINDOW / FPS)
    table = in_order(np.concatenate(rows))
    return MotionGraph(Candidates(tuple(made), tuple(made), metric, table, 10.0, 0.0, False), 10.0)


def footsteps(ground, start, state, taken, last):
    """(n, 2) where the smoothed root is at every frame of a way, from its first frame on."""
    floor, out = ground.floor, []
    theta, x, z = state
    frame = start

    def put(points):
        c, s = np.cos(theta), np.sin(theta)
        out.extend((np.asarray(points) @ np.array([[c, -s], [s, c]]) + [x, z]).tolist())

    for k in taken:
        put(floor.path[frame + bool(out) : floor.leave[k] + 1])
        put(floor.way[k, :, :2])
        c, s = np.cos(theta), np.sin(theta)
        turn, u, w = floor.jump[k, :3]
        theta, x, z = theta + turn, x + c * u + s * w, z - s * u + c * w
        frame = floor.arrive[k]
    put(floor.path[frame + bool(out) : last + 1])
    return out


def every_walk(ground, start, state, curve, gamma, most):
    """The least error of all walks that reach the path's end, by plain loops; infinity for none."""
    floor, best = ground.floor, np.inf

    def exits(frame):
        end = floor.run_end[frame]
        return list(range(floor.next_out[frame], floor.next_out[end + 1])) if end >= 0 else []

    runs = {None: exits(start)} | {k: exits(floor.arrive[k]) for k in range(len(floor.leave))}
    for taken in naive.all_walks(runs, most):
        frame = floor.arrive[taken[-1]] if taken else start
        for last in range(frame, floor.run_end[frame] + 1):
            steps = footsteps(ground, start, state, taken, last)
            error, along = naive.equation_nine(steps, curve.places.tolist(), curve.spacing, gamma / FPS, 1 / FPS)
            if along >= curve.length:
                best = min(best, error)
                break
    return best


def begin(graph, curve, frame):
    ground = floor_graph(graph)
    return ground, placed_at(ground, np.array([frame]), curve.places[0], float(np.arctan2(*curve.tangents[0])))


def small_task(seed):
    """A graph, a goal and a start small enough to look at every walk; frame and state of the start."""
    rng = np.random.default_rng(seed)
    graph = moving_graph(rng, transitions=7)
    curve = Curve.of(rng.uniform(0.3, 0.6, (4, 2)).cumsum(axis=0) * [1, rng.choice([-1, 1])])
    ground = floor_graph(graph)
    start = int(ground.nodes[rng.integers(len(ground.nodes))])
    return graph, Goal.of(graph, curve, weights=KOVAR), start, begin(graph, curve, start)[1]


EXACT = Effort("branch and bound", plan=1e6, keep=1e6, expansions=10**7)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_both_planners_against_every_walk(seed):
    graph, goal, start, state = small_task(seed)
    exact = find(graph, goal, [start], state, EXACT)
    beam = find(graph, goal, [start], state, Effort(width=512))
    ref = every_walk(floor_graph(graph), start, tuple(state[0, :3]), goal.curve, KOVAR.gamma, 5)
    if not exact.complete:
        assert np.isinf(ref)
        assert not beam.complete
        assert "every way ends" in beam.note
        return
    assert exact.error <= ref + 1e-9
    if len(exact.taken) <= 5:
        assert exact.error == pytest.approx(ref, rel=1e-6, abs=1e-9)
    assert beam.complete
    assert beam.error >= exact.error - 1e-9


def test_merging_near_equal_states_costs_little():
    ratios = []
    for seed in range(100):
        graph, goal, start, state = small_task(seed)
        exact = find(graph, goal, [start], state, EXACT)
        if exact.complete:
            ratios.append(find(graph, goal, [start], state, Effort(width=512)).error / exact.error)
    assert len(ratios) > 50
    assert np.mean(ratios) < 1.02
    assert np.mean(np.array(ratios) > 1.05) < 0.05


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_error_found_is_that_of_the_walk(seed):
    """What the kernel adds up on the way is equation 9 of the walk it returns."""
    rng = np.random.default_rng(seed)
    graph = moving_graph(rng, transitions=12)
    curve = Curve.of(rng.uniform(-0.4, 1.0, (5, 2)).cumsum(axis=0))
    ground = floor_graph(graph)
    start = int(ground.nodes[rng.integers(len(ground.nodes))])
    _, state = begin(graph, curve, start)
    found = find(graph, Goal.of(graph, curve, weights=KOVAR), [start], state, Effort(width=16))
    if not found.complete:
        return
    steps = footsteps(ground, start, tuple(state[0, :3]), found.taken, found.last)
    ref = naive.equation_nine(steps, curve.places.tolist(), curve.spacing, KOVAR.gamma / FPS, 1 / FPS)
    assert ref[0] == pytest.approx(found.error, rel=1e-6, abs=1e-9)
    assert ref[1] >= curve.length


def ring(turns, labels=None, frames=150):
    """Clips that turn at these rates, each of which can be left for any other every third of a second."""
    made = [mover(frames, t, name=f"clip{k}", labels=labels[k] if labels else ()) for k, t in enumerate(turns)]
    rows = [
        meeting(made, a, f, b, 5, 1.0)
        for a in range(len(turns))
        for b in range(len(turns))
        for f in range(10, frames - WINDOW - 10, 10)
    ]
    table = in_order(np.concatenate(rows))
    return MotionGraph(Candidates(tuple(made), tuple(made), Metric(window=WINDOW / FPS), table, 10.0, 0.0, False), 10.0)


@pytest.fixture(scope="module")
def steerable():
    return ring([-1.5, -0.7, 0.0, 0.7, 1.5])


def circle(radius, laps=1.0, points=100):
    t = np.linspace(0, 2 * np.pi * laps, points)
    return np.stack([radius * np.cos(t), radius * np.sin(t)], axis=1)


PATHS = {
    "straight": [[0, 0], [3, 9]],
    "circle": circle(2.5),
    "two laps": circle(2.0, 2.0, 200),
    "zigzag": [[0, 0], [2, 3], [0, 6], [2, 9]],
}


@pytest.mark.parametrize("name", PATHS)
def test_paths_are_followed_and_walked_to_their_end(steerable, name):
    walk = mg.follow_path(steerable, PATHS[name])
    assert walk.complete
    assert walk.facts["path_walked"] == pytest.approx(walk.facts["path_length"], abs=0.25)
    assert walk.facts["path_error_mean"] < 0.15
    places, facing = trace(walk)
    np.testing.assert_allclose(places[0], np.asarray(PATHS[name], float)[0], atol=0.02)
    assert len(places) == len(walk)
    np.testing.assert_allclose(np.linalg.norm(facing, axis=1), 1.0)
    # The walk moves at the clips' own speed: nothing is stretched or slowed to fit.
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) * FPS
    assert 1.0 < np.median(speed) < 1.5


def test_closed_and_smooth_paths(steerable):
    corners = [[0, 0], [5, 0], [5, 5], [0, 5]]
    closed = Curve.of(corners, "spline", closed=True)
    assert closed.length > 18
    np.testing.assert_allclose(closed.places[0], closed.places[-1], atol=1e-9)
    np.testing.assert_allclose(closed.at(closed.knots[:4]), corners, atol=0.02)
    walk = mg.follow_path(steerable, corners, curve="spline", closed=True)
    assert walk.facts["path_error_mean"] < 0.15
    assert np.linalg.norm(trace(walk)[0][-1]) < 0.5


def test_the_same_seed_gives_the_same_walk_and_variety_another(steerable):
    effort = Effort(best=8, tolerance=1.0, rng=4)
    one, two = (mg.follow_path(steerable, PATHS["circle"], effort=effort) for _ in range(2))
    assert one.steps.tolist() == two.steps.tolist()
    walks = {
        str(mg.follow_path(steerable, PATHS["circle"], effort=Effort(best=8, tolerance=1.0, rng=k)).steps.tolist())
        for k in range(6)
    }
    assert len(walks) > 1


def test_a_walk_can_be_cancelled_and_what_there_is_by_then_is_returned(steerable):
    def stop(done, total, what=""):
        if done > 3:
            raise mg.Cancelled

    with pytest.raises(mg.Cancelled):
        mg.follow_path(steerable, PATHS["straight"], progress=stop)
    short = mg.follow_path(steerable, PATHS["straight"], effort=Effort(expansions=60))
    assert not short.complete
    assert "expansions allowed ran out after" in short.note
    assert 0 < short.facts["path_walked"] < short.facts["path_length"] - 0.5
    none = mg.follow_path(steerable, PATHS["straight"], effort=Effort(seconds=0.0))
    assert not none.complete
    assert "0 s allowed ran out" in none.note
    branched = mg.follow_path(steerable, PATHS["zigzag"], effort=Effort("branch and bound", expansions=3))
    assert not branched.complete
    assert "limit was reached" in branched.note


def test_labels_are_kept_and_change_near_their_place():
    graph = ring([-1.0, 0.0, 1.0] * 2, labels=[["walk"]] * 3 + [["run"]] * 3)
    walk = mg.follow_path(graph, [[0, 0], [0, 6], [4, 10]], labels=["walk", "run"])
    assert walk.facts["labels_held"] > 0.95
    (switch,) = walk.facts["switches"]
    assert switch["label"] == "run"
    assert abs(switch["begins"] - 6.0) < 1.0
    kinds = ["run" in walk.clips[c].labels for c in walk.steps["clip"]]
    assert kinds == sorted(kinds)  # once it runs it goes on running
    same = mg.follow_path(graph, [[0, 0], [0, 6], [4, 10]], labels=[(0.0, "walk"), (6.0, "run")])
    assert same.steps.tolist() == walk.steps.tolist()
    only = mg.follow_path(graph, [[0, 0], [0, 6]], labels="run")
    assert all("run" in only.clips[c].labels for c in only.steps["clip"])


def test_labels_that_cannot_be_had_are_explained():
    graph = ring([-1.0, 0.0, 1.0] * 2, labels=[["walk"]] * 3 + [["run"]] * 3)
    table = graph.candidates.table.copy()
    mixed = (table["src"] < 3) != (table["dst"] < 3)
    table["cost"][mixed] = 7.4
    c = graph.candidates
    graph = MotionGraph(Candidates(c.originals, c.clips, c.metric, table, 10.0, 0.0, False), 6.0)
    with pytest.raises(mg.MotionError, match=r"run cannot be reached from walk below 6\.0 cm; it can at 7\.4"):
        mg.follow_path(graph, [[0, 0], [0, 6], [4, 10]], labels=["walk", "run"])
    with pytest.raises(mg.MotionError, match="3 labels for the 2 stretches"):
        mg.follow_path(graph, [[0, 0], [0, 6], [4, 10]], labels=["walk", "run", "walk"])
    with pytest.raises(mg.MotionError, match="no clip or label 'fly'"):
        mg.follow_path(graph, [[0, 0], [0, 6]], labels="fly")


@pytest.mark.parametrize(
    ("points", "options", "sentence"),
    [
        ([[0, 0]], {}, "at least two points"),
        ([[0, 0], [0, np.nan]], {}, "at least two points"),
        ([[0, 0], [0, 0.01]], {}, "too short"),
        ([[0, 0], [0, 5]], {"curve": "bezier"}, "'polyline' or a 'spline', not 'bezier'"),
        ([[0, 0], [0, 5]], {"labels": [(9.0, "x")]}, "within the 5"),
    ],
)
def test_wrong_paths_get_one_sentence(steerable, points, options, sentence):
    with pytest.raises(mg.MotionError, match=sentence):
        mg.follow_path(steerable, points, **options)


def test_a_start_can_be_named(steerable):
    for start in ("clip2", ("clip3", 17)):
        walk = mg.follow_path(steerable, PATHS["straight"], start=start)
        first = walk.steps[0]
        assert walk.clips[first["clip"]].name == (start if isinstance(start, str) else start[0])
        if isinstance(start, tuple):
            assert first["start"] == start[1]


def test_the_beam_is_no_worse_than_branch_and_bound_with_more_time(steerable):
    weights = Weights(repeat=0.0)  # only the beam knows what a walk has played before
    for name in ("circle", "zigzag"):
        beam = mg.follow_path(steerable, PATHS[name], start=("clip2", 5), weights=weights)
        effort = Effort("branch and bound", expansions=20_000)
        bound = mg.follow_path(steerable, PATHS[name], start=("clip2", 5), weights=weights, effort=effort)
        assert bound.complete
        assert beam.facts["error"] <= bound.facts["error"] * 1.02


def test_guidance_begins_and_ends_as_asked():
    curve = between((1.0, 2.0), 0.5, (4.0, -1.0), 2.0)
    np.testing.assert_allclose(curve.places[[0, -1]], [[1, 2], [4, -1]], atol=1e-9)
    np.testing.assert_allclose(np.arctan2(*curve.tangents[0]), 0.5, atol=0.15)
    np.testing.assert_allclose(np.arctan2(*curve.tangents[-1]), 2.0, atol=0.15)


def test_distance_from_a_path_is_measured_near_where_the_walk_is(steerable):
    """On a path that crosses itself the other branch does not count, however near."""
    walk = mg.follow_path(steerable, [[0, 0], [0, 8]])
    there = Curve.of([[0, 0], [0, 8]])
    back = Curve.of([[0, 0], [0, 8], [0.05, 8], [0.05, 0]])
    assert path_error(walk, there)["path_error_mean"] == pytest.approx(
        path_error(walk, back)["path_error_mean"], abs=0.05
    )
    assert path_error(walk, back)["path_walked"] < 9.0
