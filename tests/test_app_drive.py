"""Driving a character: as the camera sees it, by keys, stick or mouse; arriving, looking back, and a gamepad."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_app_leading import errors, steps, tell
from walking import sample

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import drawable
from motiongraph.app.library.entries import prepare
from motiongraph.app.playback import RESULT
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.app.walk.results import results
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.gamepad import Gamepad, Pad, out_of_dead_zone
from motiongraph.walks.gaits import Gait, gait_frames
from motiongraph.walks.steering import Steering

_NAMES = ("idle", "walk", "walk_left_90", "walk_right_90", "run", "walk_run", "turn_in_place")


@pytest.fixture(scope="module")
def graph():
    graph = mg.MotionGraph.build([sample(name).resampled(30) for name in _NAMES], mirror=True)
    return graph.at(graph.thresholds.raised(2.2, graph.candidates.ceiling))


@pytest.fixture
def driven(graph):
    """Someone who waits to be driven, seen from behind."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    for clip in graph.clips:
        state.library.add(clip, prepare(clip))
    state.graph.take(graph, drawable(graph, list(state.library)))
    tell(state, do.SelectClip(next(iter(state.library)).number), do.Lead(), do.Play(), dt=0.0)
    assert state.live is not None
    return state


def place(state):
    return state.focus(RESULT)[[0, 2]].copy()


def way(state, seconds=3.0):
    """(2,) unit vector of where it goes once it has turned there; and metres a second."""
    steps(state, 90)
    before = place(state)
    steps(state, round(60 * seconds))
    gone = place(state) - before
    far = float(np.hypot(*gone))
    return gone / max(far, 1e-9), far / seconds


def test_it_waits_goes_where_the_camera_looks_and_stands_again(driven):
    here = place(driven)
    steps(driven, 60)
    assert np.hypot(*(place(driven) - here)) < 0.2  # nobody has asked for anything
    driven.camera.yaw, driven.follow = 90.0, False  # it stands on the +x side
    tell(driven, do.Steer(ahead=1.0), dt=0.0)
    assert driven.follow
    driven.follow = False  # so that it stays there
    ahead, walking = way(driven)
    assert ahead @ [-1.0, 0.0] > 0.9
    tell(driven, do.Steer(right=1.0), dt=0.0)
    right, _ = way(driven)
    assert right @ [0.0, -1.0] > 0.9
    tell(driven, do.Steer(right=1.0, fast=True), dt=0.0)
    _, running = way(driven)
    assert running > 1.4 * walking
    tell(driven, do.Steer(), dt=0.0)
    steps(driven, 240)
    here = place(driven)
    steps(driven, 120)
    assert np.hypot(*(place(driven) - here)) < 0.3
    assert not errors(driven)


def test_the_mouse_draws_it_along_and_a_goal_is_stopped_at(driven):
    target = tuple(np.add(place(driven), (2.0, 1.0)).tolist())
    tell(driven, do.Steer(place=target), dt=0.0)
    steps(driven, 480)
    assert np.hypot(*(place(driven) - target)) < 0.7
    tell(driven, do.Steer(), dt=0.0)
    goal = tuple(np.add(place(driven), (-3.0, 1.0)).tolist())
    tell(driven, do.PlantGoal(goal), dt=0.0)
    assert driven.live.stick is None
    steps(driven, 720)
    assert np.hypot(*(place(driven) - goal)) < 0.5
    steps(driven, 240)
    assert np.hypot(*(place(driven) - goal)) < 0.7  # no circling
    tell(driven, do.Steer(ahead=1.0), dt=0.0)
    assert driven.path.goal is None  # what was asked last counts
    assert not errors(driven)


def test_the_camera_comes_round_behind_unless_someone_turned_it(driven):
    driven.camera.yaw = 40.0
    tell(driven, do.Steer(ahead=0.3, right=1.0), dt=0.0)
    steps(driven, 30)
    turned = driven.camera.yaw
    assert turned != pytest.approx(40.0, abs=1.0)
    tell(driven, do.Orbit(30.0, 0.0), dt=1 / 60)
    yaw = driven.camera.yaw
    steps(driven, 60)
    assert driven.camera.yaw == pytest.approx(yaw)
    steps(driven, 120)
    assert driven.camera.yaw != pytest.approx(yaw, abs=1.0)


def test_what_was_driven_is_looked_at_again_while_it_runs(driven):
    tell(driven, do.Steer(ahead=1.0), dt=0.0)
    seen = {}
    for n in range(300):
        update(driven, 1 / 60)
        seen[n] = driven.live.shown, driven.live.root[0].copy()
    led, decisions = driven.live, driven.live.character.decisions
    assert any(decision.others for decision in decisions)
    for n in (60, 150, 290):
        tell(driven, do.Pause(), do.Seek(seen[n][0] * led.graph.fps), dt=0.0)
        np.testing.assert_allclose(led.root[0], seen[n][1], atol=1e-6)
        if n > 60:
            assert led.decision.seconds <= led.shown
    tell(driven, do.Seek(0.0), dt=0.0)
    assert led.behind
    tell(driven, do.Step(3), dt=0.0)
    assert led.shown == pytest.approx(led.span[0] + 3 / led.graph.fps)
    played = led.character.played
    tell(driven, do.Play(), dt=0.0)
    steps(driven, 30)
    assert led.behind  # played again
    assert led.character.played == played
    tell(driven, do.Steer(right=1.0), dt=0.0)  # and on with it
    steps(driven, 30)
    assert not led.behind
    assert led.character.played > played
    tell(driven, do.Lead(False), dt=0.0)
    update(driven, 0.0)
    (entry,) = results(driven)
    assert len(entry.made.turns) == len(entry.made.walk.transitions)
    assert len(entry.clip) == len(entry.made.walk)


def test_gaits_by_labels_and_by_speed(graph):
    steering = Steering(graph)
    bare = mg.MotionGraph.build([sample(name).resampled(30).labelled(()) for name in _NAMES], mirror=True)
    for found, known in ((graph, steering), (bare, Steering(bare))):
        walk, run = (gait_frames(found, known, gait) for gait in Gait)
        assert known.speeds[run & known.open].mean() > 1.3 * known.speeds[walk & known.open].mean()
    idle = mg.MotionGraph.build([sample("idle").resampled(30)])
    assert gait_frames(idle, Steering(idle), Gait.RUN) is None


class FakeGlfw:
    """glfw with one gamepad that is plugged in and out."""

    JOYSTICK_1, JOYSTICK_LAST = 0, 15
    GAMEPAD_AXIS_LEFT_X, GAMEPAD_AXIS_LEFT_Y, GAMEPAD_AXIS_RIGHT_X, GAMEPAD_AXIS_RIGHT_Y = 0, 1, 2, 3
    GAMEPAD_AXIS_LEFT_TRIGGER, GAMEPAD_AXIS_RIGHT_TRIGGER, GAMEPAD_BUTTON_START = 4, 5, 7

    def __init__(self):
        self.plugged, self.axes, self.buttons = None, [0.0, 0.0, 0.0, 0.0, -1.0, -1.0], [0] * 15

    def joystick_is_gamepad(self, number):
        return number == self.plugged

    def get_gamepad_name(self, number):
        return b"Pad of tests"

    def get_gamepad_state(self, number):
        return SimpleNamespace(axes=self.axes, buttons=self.buttons) if number == self.plugged else None


def test_a_gamepad_comes_and_goes():
    glfw = FakeGlfw()
    pad = Gamepad(glfw)
    assert pad.read() is None
    glfw.plugged = 3
    assert pad.read() == Pad()
    assert pad.name == "Pad of tests"
    glfw.axes[:] = 0.0, -1.0, 1.0, 0.0, -1.0, 0.9
    glfw.buttons[7] = 1
    assert pad.read() == Pad((0.0, 1.0), (1.0, 0.0), True, True)
    glfw.plugged = None
    assert pad.read() is None
    assert pad.name == ""


def test_a_stick_at_rest_says_nothing():
    assert out_of_dead_zone(0.1, -0.15) == (0.0, 0.0)
    assert out_of_dead_zone(float("nan"), 1.0) == (0.0, 0.0)
    assert out_of_dead_zone(0.6, 0.0) == pytest.approx((0.5, 0.0))
    assert np.hypot(*out_of_dead_zone(1.0, 1.0)) == pytest.approx(1.0)
