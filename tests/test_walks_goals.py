"""Searching with one's own goal, reaching places, and walks steered while they play."""

import numpy as np
import pytest
from test_walks_planning import FPS, ring
from walking import sample

import motiongraph as mg
from motiongraph.walks.curve import trace
from motiongraph.walks.path_goal import Effort, Goal


@pytest.fixture(scope="module")
def steerable():
    return ring([-1.5, -0.7, 0.0, 0.7, 1.5])


def eastward(w, e):
    """Stay on the x axis."""
    return float(np.sum(e.places[:, 1] ** 2)) / FPS


def far_enough(w):
    return w.place[0] > 4.0 or w.length > 9.0


@pytest.mark.parametrize("method", ["beam", "branch and bound"])
def test_ones_own_goal(steerable, method):
    effort = Effort(method, width=4, expansions=150, plan=1.5, keep=0.7)
    walk = mg.search(steerable, eastward, far_enough, heading=np.pi / 2, effort=effort)
    assert walk.complete
    places, _ = trace(walk)
    assert places[-1, 0] > 3.5
    assert np.abs(places[:, 1]).max() < 0.5
    again = mg.search(steerable, eastward, far_enough, heading=np.pi / 2, effort=effort)
    assert again.steps.tolist() == walk.steps.tolist()


def test_the_error_is_the_sum_of_g_and_the_trail_is_what_it_says(steerable):
    seen = []

    def g(w, e):
        assert len(w.edges) == 0 or w.edges[-1].after == w.placement == e.placement
        assert w.frames == sum(edge.frames for edge in w.edges)
        assert w.length == pytest.approx(sum(edge.length for edge in w.edges))
        seen.append(w)
        return 1.0

    walk = mg.search(steerable, g, lambda w: len(w.edges) == 3, effort=Effort(width=2))
    assert walk.facts["error"] == 3.0
    assert len(walk.transitions) == 3
    edge = seen[-1].edge
    # An edge is as long on the floor as its places say, but for the bend between two samples.
    steps = np.linalg.norm(np.diff(edge.places, axis=0), axis=1)
    assert steps.sum() == pytest.approx(edge.length, rel=0.05)
    np.testing.assert_allclose(np.linalg.norm(edge.facing, axis=1), 1.0)


def test_what_may_be_appended_can_be_restricted(steerable):
    walk = mg.search(
        steerable, eastward, far_enough, start="clip2", heading=np.pi / 2, allowed=lambda w, e: e.clip in (2, 3),
        effort=Effort(width=3, expansions=200),
    )  # fmt: skip
    assert set(walk.steps["clip"][:-1].tolist()) <= {2, 3}


def test_a_bound_leads_sooner_to_the_same_goal(steerable):
    def away(w, e):
        return e.frames / FPS

    def goal(w):
        return np.linalg.norm(w.place - [3.0, 3.0]) < 0.4

    effort = Effort(width=24, expansions=400)
    blind = mg.search(steerable, away, goal, effort=effort)
    led = mg.search(steerable, away, goal, bound=lambda w: np.linalg.norm(w.place - [3.0, 3.0]) / 1.3, effort=effort)
    assert led.complete
    assert led.facts["expansions"] <= blind.facts["expansions"]
    assert not blind.complete or led.facts["error"] <= blind.facts["error"] + 0.5


def test_limits_cancelling_and_mistakes(steerable):
    def never(w):
        return False

    with pytest.raises(mg.MotionError, match="must not be negative"):
        mg.search(steerable, lambda w, e: -1.0, never)
    with pytest.raises(mg.MotionError, match=r"needs halt\(w\)"):
        mg.search(steerable, eastward)
    for method in ("beam", "branch and bound"):
        walk = mg.search(steerable, eastward, never, effort=Effort(method, expansions=30, plan=1.0, keep=0.5))
        assert not walk.complete
        assert "30 expansions allowed ran out" in walk.note
        assert len(walk.transitions) > 0
        walk = mg.search(steerable, eastward, never, effort=Effort(method, seconds=0.2, plan=1.0, keep=0.5))
        assert "0.2 s allowed ran out" in walk.note

        def stop(done, total, what=""):
            if done:
                raise mg.Cancelled

        with pytest.raises(mg.Cancelled):
            mg.search(steerable, eastward, never, effort=Effort(method), progress=stop)
    with pytest.raises(mg.MotionError, match="not 'depth first'"):
        Effort("depth first")


def test_a_compiled_goal_in_the_same_call(steerable):
    curve = mg.Curve.of([[0, 0], [4, 0]])
    walk = mg.search(steerable, Goal.of(steerable.pruned(), curve), heading=np.pi / 2)
    assert walk.complete
    assert walk.facts["path_error_mean"] < 0.3


@pytest.mark.parametrize(
    ("position", "facing"), [((2.0, 4.0), 0.5), ((-3.0, -1.0), np.pi), ((0.5, 3.0), (1.0, 0.0)), ((4.0, 0.0), None)]
)
def test_places_are_reached_without_turning_on_the_spot(steerable, position, facing):
    walk = mg.reach(steerable, position, facing)
    assert walk.complete
    assert walk.facts["end_distance"] < 0.35
    if facing is not None:
        assert walk.facts["end_turn"] < 30.0
    places, _ = trace(walk)
    np.testing.assert_allclose(places[0], [0, 0], atol=0.05)
    walked = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    assert walked < 2.5 * np.linalg.norm(position) + 5.0


def test_reaching_in_a_clip_from_a_place():
    graph = ring([-1.0, 0.0, 1.0] * 2, labels=[["walk"]] * 3 + [["kick"]] * 3)
    walk = mg.reach(graph, (3.0, 5.0), 0.0, clip="kick", start="walk", at=(1.0, -1.0), heading=0.3)
    assert walk.complete
    assert "kick" in walk.clips[walk.steps["clip"][-1]].labels
    assert "walk" in walk.clips[walk.steps["clip"][0]].labels
    np.testing.assert_allclose(trace(walk)[0][0], [1.0, -1.0], atol=0.05)
    with pytest.raises(mg.MotionError, match="pair x, z"):
        mg.reach(graph, (1.0, 2.0, 3.0))
    with pytest.raises(mg.MotionError, match="a facing is an angle"):
        mg.reach(graph, (1.0, 2.0), facing="north")
    with pytest.raises(mg.MotionError, match="no clip or label 'kneel'"):
        mg.reach(graph, (1.0, 2.0), clip="kneel")


def test_a_jump_on_the_spot_is_at_the_place_asked_for():
    """It has no way along which it could begin earlier."""
    names = ("walk", "walk_left", "walk_right", "walk_left_90", "walk_right_90", "jump")
    graph = mg.MotionGraph.build([sample(name).resampled(30) for name in names], threshold=15.0).pruned()
    walk = mg.reach(graph, (2.0, 3.0), 1.5, "jump")
    assert graph.clips[walk.steps["clip"][-1]].name == "jump"
    assert walk.facts["end_distance"] < 0.15
    assert walk.facts["end_turn"] < 10.0
