"""The sample clips: what the person does in each, as a plan, and the words that describe it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from motiongraph.model.clip import Clip
from samples.gaits import CLOSE, JOG, JUMP, RUN, SHUFFLE, SNEAK, START, STOP, WALK
from samples.plan import LEFT, RIGHT, Planner
from samples.pose import animate


@dataclass(frozen=True)
class Sample:
    """`choreography` plans the clip; `labels` describe all of it; `seed` makes its small variations."""

    name: str
    labels: tuple[str, ...]
    choreography: Callable[[Planner], None]
    seed: int
    lead: int = LEFT  # the foot that steps first

    def clip(self) -> Clip:
        planner = Planner(np.random.default_rng(self.seed), side=self.lead)
        planner.stand(0.9)
        self.choreography(planner)
        planner.stand(0.75)
        return animate(planner.plan(), self.name)


def _idle(p):
    for share, look, nod, seconds in ((0.5, 28, 4, 2.0), (0.1, -8, 0, 1.0), (-0.55, -30, 6, 1.8), (0.0, 0, 0, 0.9)):
        p.key("share", share)
        p.key("look", look, 0.3)
        p.key("nod", nod, 0.3)
        p.stand(seconds)


def _halt(p):
    p.step(WALK, length=0.64)
    p.step(STOP)
    p.step(CLOSE)


def _speed_up(p):
    for length in (0.66, 0.78, 0.9):
        p.step(JOG, length=length)


def _slow_down(p):
    for length in (0.92, 0.8, 0.72):
        p.step(JOG, length=length)


def _walking(turns):
    def walk(p):
        p.step(START)
        p.steps(WALK, len(turns), turns)
        _halt(p)

    return walk


def _corner(side):
    """Walks on, turns a right angle in three shorter steps, walks on."""

    def corner(p):
        p.step(START)
        p.steps(WALK, 2)
        p.step(WALK, 12 * side, length=0.66)
        p.steps(WALK, 2, 27 * side, length=0.58)
        p.step(WALK, 18 * side, length=0.62)
        p.step(WALK, 6 * side, length=0.68)
        p.steps(WALK, 2)
        _halt(p)

    return corner


def _running(turns):
    def run(p):
        p.step(START, duration=0.5, length=0.55)
        _speed_up(p)
        p.steps(RUN, len(turns), turns)
        _slow_down(p)
        _halt(p)

    return run


def _walk_run(p):
    p.step(START)
    p.steps(WALK, 3)
    _speed_up(p)
    p.steps(RUN, 5)
    _slow_down(p)
    p.steps(WALK, 3)
    _halt(p)


def _sneak(p):
    p.step(SNEAK, length=0.3, knee=((0.0, 48.0), (0.2, 52.0), (1.0, 7.0)))  # crouches on the other leg meanwhile
    for look in (35, 35, 0, -35, -30, 0):
        p.key("look", look)
        p.step(SNEAK)
    p.step(SNEAK, length=0.3, width=0.18)
    p.step(CLOSE, duration=0.8, knee=((0.0, 14.0), (0.5, 7.0), (1.0, 60.0)))  # and rises on it


def _sidestep(p):
    for side in (LEFT, RIGHT):
        p.key("look", 18 * side)
        for _ in range(2):
            p.step(SHUFFLE, side=side, lateral=0.3 * side)
            p.step(SHUFFLE, side=-side)
        p.key("look", 0)
        p.stand(0.6)


def _jump(length):
    def jump(p):
        p.jump(JUMP, 0.22, length=length)

    return jump


def _pivot(turns):
    """Turns on the spot: the foot on the side of the turn steps first."""

    def pivot(p):
        for turn in turns:
            side = LEFT if turn > 0 else RIGHT
            pairs = max(round(abs(turn) / 90), 1)
            for _ in range(pairs):
                p.step(SHUFFLE, turn / pairs / 2, side=side)
                p.step(SHUFFLE, turn / pairs / 2, side=-side)
            p.step(SHUFFLE, side=side, width=0.18)
            p.stand(0.7)

    return pivot


SAMPLES = (
    Sample("idle", ("idle", "stand"), _idle, 11),
    Sample("walk", ("walk", "straight"), _walking([0.0] * 8), 21),
    Sample("walk_left", ("walk", "turn-left"), _walking([0.0] * 2 + [9.0] * 6), 22, RIGHT),
    Sample("walk_right", ("walk", "turn-right"), _walking([0.0] * 2 + [-9.0] * 6), 23, LEFT),
    Sample("walk_left_90", ("walk", "turn-left"), _corner(LEFT), 24, LEFT),
    Sample("walk_right_90", ("walk", "turn-right"), _corner(RIGHT), 25, RIGHT),
    Sample("run", ("run", "straight"), _running([0.0] * 8), 31, RIGHT),
    Sample("run_left", ("run", "turn-left"), _running([0.0] * 2 + [10.0] * 6), 32, LEFT),
    Sample("run_right", ("run", "turn-right"), _running([0.0] * 2 + [-10.0] * 6), 33, RIGHT),
    Sample("walk_run", ("walk", "run", "straight"), _walk_run, 41),
    Sample("sneak", ("sneak", "straight"), _sneak, 51),
    Sample("sidestep", ("sidestep",), _sidestep, 61),
    Sample("jump", ("jump",), _jump(0.0), 71),
    Sample("jump_forward", ("jump",), _jump(0.4), 72),
    Sample("turn_in_place", ("turn",), _pivot([90, -180]), 81),
)
