"""A crowd in the scene: it sets off as asked, goes round props, can be taken back, and projects keep it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sessions

from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import drawable
from motiongraph.app.live.crowd import CHOICES
from motiongraph.app.project.project_file import snapshot, take_in
from motiongraph.app.state import AppState
from motiongraph.app.update import update
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.viewer.scenery import Scenery
from motiongraph.walks.obstacles import checked, circles, distance_to

pytestmark = pytest.mark.usefixtures("config")

tell = partial(sessions.tell, dt=1.0)  # far enough apart to be taken back one by one


@pytest.fixture(scope="module")
def graph():
    names = ("walk", "walk_left_90", "walk_right_90", "idle")
    clips = [sessions.load(sessions.SAMPLES / f"{name}.bvh").resampled(30) for name in names]
    return MotionGraph.build(clips)


@pytest.fixture
def state(graph):
    state = sessions.begin()
    for clip in graph.clips:
        state.library.add(clip, sessions.prepare(clip))
    state.graph.take(graph, drawable(graph, list(state.library)))
    tell(state, do.SelectClip(1), do.SetCrowd("count", 6))
    return state


def places(state):
    return state.crowd.moving.root[:, 0, ::2].copy()


def play(state, seconds):
    for _ in range(round(seconds * 10)):
        update(state, 0.1)


def test_it_sets_off_stops_goes_on_and_is_cleared(state):
    tell(state, do.StartCrowd())
    before = places(state)
    assert len(before) == len(state.crowd.moving.cast) == 6
    assert not len(state.casts[0])  # the clip makes room
    play(state, 3.0)
    after = places(state)
    assert np.median(np.linalg.norm(after - before, axis=1)) > 0.5  # some wait for others, or for a plan
    joints = state.crowd.moving.cast.groups[0].positions
    np.testing.assert_allclose(joints[:, 0, ::2], after, atol=1e-9)
    drawn = Scenery().compose(state, 0, state.casts[0])
    assert drawn.batches
    tell(state, do.StopCrowd())
    play(state, 0.5)
    np.testing.assert_array_equal(places(state), after)
    tell(state, do.StartCrowd())
    play(state, 0.5)
    assert np.abs(places(state) - after).max() > 0.1
    tell(state, do.ClearCrowd())
    assert state.crowd.moving is None
    assert len(state.casts[0]) == 1


def test_undo_and_projects_bring_the_same_crowd(state):
    tell(state, do.SetCrowd("layout", "grid"), do.SetCrowd("goals", "wander"), do.StartCrowd())
    start = places(state)
    tell(state, do.ClearCrowd(), do.SetCrowd("count", 9), do.Undo())
    assert (state.crowd.asked.count, state.crowd.asked.on) == (6, False)
    tell(state, do.Undo())
    assert state.crowd.asked.on
    np.testing.assert_allclose(places(state), start, atol=0.3)
    kept = snapshot(state)
    other = sessions.begin()
    take_in(other, kept, drawable(state.graph.graph, list(state.library)))
    play(other, 0.2)
    assert other.crowd.asked == state.crowd.asked
    np.testing.assert_allclose(places(other), start, atol=0.3)
    old = {name: value for name, value in kept.plain.items() if name != "crowd"}
    take_in(other, replace(kept, plain=old), drawable(state.graph.graph, list(state.library)))
    play(other, 0.2)
    assert other.crowd.asked == AppState().crowd.asked
    assert other.crowd.moving is None


@pytest.mark.parametrize("goals", CHOICES["goals"])
def test_goals(state, goals):
    tell(state, do.SetCrowd("goals", goals), do.SetPath(((0, 0), (0, 3), (6, 6))), do.PlantGoal((2.0, -2.0)))
    tell(state, do.StartCrowd())
    crowd, starts = state.crowd.moving.crowd, state.crowd.moving.starts[:, 1:]
    heading = crowd.goals.final
    if goals == "opposite side":
        np.testing.assert_allclose(heading, -starts, atol=1e-9)
    elif goals == "wander":
        assert crowd.goals.wanders.all()
    else:
        np.testing.assert_allclose(heading, np.tile([(2, -2) if goals == "one place" else (6, 6)], (6, 1)), atol=0.05)
        tell(state, do.PlantGoal((1.0, 5.0)), do.SetPath(((0, 0), (4, 0))))
        np.testing.assert_allclose(
            crowd.goals.final, np.tile([(1, 5) if goals == "one place" else (4, 0)], (6, 1)), atol=0.05
        )
    assert not [m for m in state.messages if m.level == "error"]


def test_props_are_gone_round(state):
    tell(state, do.SetCrowd("count", 2), do.StartCrowd(), do.AddProp("box"))
    number = state.scene.props[0].number
    tell(state, do.SizeProp(number, 0, 1.5), do.SetProp(number, "x", 0.1), do.SetProp(number, "z", 0.0))
    things, nearest = checked(state.crowd.moving.crowd.obstacles), np.inf
    for _ in range(300):
        update(state, 0.1)
        nearest = min(nearest, distance_to(things, places(state)).min())
    assert nearest > 0.0
    assert state.crowd.moving.crowd.arrived.all()


def test_circles_cover_what_they_stand_for():
    wall = np.array([(0.0, 0.0), (4.0, 1.0), (3.9, 1.4), (-0.1, 0.4)])
    found, rng = circles([np.array([1.0, 2.0, 0.5]), wall]), np.random.default_rng(0)
    np.testing.assert_array_equal(found[0], (1.0, 2.0, 0.5))
    points = rng.uniform(-2, 6, (4000, 2))
    inside = points[distance_to([wall], points) < 0.0]
    off = np.linalg.norm(inside[:, None] - found[1:, :2], axis=2) - found[1:, 2]
    assert (off.min(axis=1) <= 1e-9).all()
    assert distance_to([wall], found[1:, :2]).max() < 0.0
    assert found[1:, 2].max() < 0.5


def test_what_makes_no_sense_is_said(state):
    before = state.crowd.asked
    tell(state, do.SetCrowd("count", float("nan")), do.SetCrowd("layout", "heap"), do.SetCrowd("on", True))
    assert state.crowd.asked == before
    assert len([m for m in state.messages if m.level == "error"]) == 3
    tell(state, do.SetCrowd("count", 5000))
    assert state.crowd.asked.count == 200
