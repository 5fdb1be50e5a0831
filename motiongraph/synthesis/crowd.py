"""Many characters on one graph, each on its way, who keep out of each other's way (Kovar 2002, 6).

All of it is arrays over characters. Time passes in moments of 1/30 s: `walks.avoidance` chooses where to go and moves
everyone, `walks.steering` plans transitions on worker threads, for a few characters at a time. A plan that is begun in
one moment takes effect a fixed number of moments later, so that what happens does not depend on how quick the workers
are.
"""

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from math import atan2, isfinite

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.elementary import cos, sin
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import compile_all
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis.crowd_motion import recorded
from motiongraph.synthesis.crowd_poses import ground_of, pose_all
from motiongraph.walks.avoidance import HALT, choose_ways, move
from motiongraph.walks.courses import STATE, from_here, look_ahead
from motiongraph.walks.crowd_goals import Goals
from motiongraph.walks.floor_path import without_dead_ends
from motiongraph.walks.follow_path import placed_at, starting_frames
from motiongraph.walks.obstacles import Obstacle, checked, circles
from motiongraph.walks.steering import Kind, Steering
from motiongraph.walks.walk import Name, Seed, as_label, fixed, frames_named

TICK = 1 / 30  # s of a moment
NEAREST = 0.42  # m that roots keep apart, unless they began nearer: 0.35 are asked for, a moment lies between
_PERIOD, _DELAY = 9, 3  # moments between two plans of a character, and until one takes effect
_LEAD = 0.4  # s of its course that a plan leaves as it is: what passes until it takes effect, and a halt
_LOOKS = 1200  # at transitions, for one plan
_BETTER = 0.15  # error by which a new plan has to be better than the one it replaces
_AHEAD = 30  # samples of where the others will be
_NEIGHBOURS, _SEEN = 8, 5.0  # how many of those nearest a plan minds, and within how many metres
_PLAN = 12  # transitions kept of a plan
_FARTHEST = 1e4  # m: so far away is the point that a direction heads for
_SETTLE, _APART = 0.5, 7.3  # s in which someone who waits comes to stand; s between what two neighbours then do
_SPEEDS = (0.85, 1.1)  # share of the usual speed that characters like to go at
_MOST = 5000  # characters
_COMPILED = ("motiongraph.walks.avoidance", "motiongraph.walks.courses", "motiongraph.synthesis.crowd_poses")


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(min((os.cpu_count() or 2) - 1, 4), 1), "crowd")


class Crowd:
    """Characters on a graph, each with a goal, a path, or wandering.

    crowd = Crowd(graph, starts, goals); crowd.advance(1 / 60); crowd.roots

    starts: (N, 3) heading in radians (0 along z), x, z metres. goals: (N, 2) x, z metres; or one for each: a pair, a
    path ((K, 2) or a `Curve`) or None for wandering; None: all wander. labels: the kind of motion, one for all or one
    for each. obstacles: what they go round, (x, z, radius) or corners as for `follow_path`. clear: metres they would
    keep from each other where they can. choices: each takes at random one of so many best ways on, so that neighbours
    do not move in step. turning: as for `LiveCharacter`.
    """

    def __init__(
        self, graph: MotionGraph, starts: ArrayLike, goals: ArrayLike | Sequence | None = None, rng: Seed = 0, *,
        labels: Name | Sequence[Name | None] | None = None, obstacles: Sequence[Obstacle] = (), clear: float = 0.6,
        choices: int = 3, turning: float = 120.0,
    ):  # fmt: skip
        self.graph = without_dead_ends(graph)
        starts = _rows(starts, 3, "starts of a crowd are rows of a heading, x and z")
        if not 1 <= len(starts) <= _MOST:
            raise MotionError(f"a crowd has 1 to {_MOST:,} characters, not {len(starts):,}")
        self.obstacles = obstacles
        if not 0.0 < clear <= 5.0 or choices < 1 or not 0.0 <= turning <= 720.0:
            raise MotionError("clear is 0 to 5 m, choices 1 or more, turning 0 to 720 degrees a second")
        self._steering = Steering(self.graph, float(np.radians(turning)))
        self._ground, self._turns = ground_of(self.graph)
        self._rng, self._clear, self._choices = np.random.default_rng(rng), float(clear), choices
        count = len(starts)
        self.goals = Goals(goals, starts, self._rng)
        self._kinds = self._kinds_of(labels, count)
        self._share = self._rng.uniform(*_SPEEDS, count)
        self._states = self._placed(starts)
        self._plans = np.full((count, _PLAN), -1, np.int32)
        self._speeds = np.zeros((count, 3))  # pace, rad/s of turning, s waited
        self._ahead = np.zeros((count, _AHEAD, 4))
        self._brakes = np.zeros((count, round(HALT / TICK) + 2, 2))
        self._wanted = np.zeros((count, 3))
        self._free = np.zeros(count)
        self._taken = np.zeros(count, np.int64)  # transitions behind each
        self._still = self._standing_stretch()
        self._rests = np.zeros(count)  # 0 … 1, how far those who wait have come to stand
        self._rested = self._rests.copy()  # a moment ago
        self._moves, self._done = np.zeros((count, 3)), np.zeros(count, np.int64)
        self._before = self._states.copy(), self._plans.copy()  # a moment ago
        self._moment, self._left = 0, 0.0  # moments since they set off, and seconds since the last one
        self._looked = False  # whether the next moment is half done
        self._waiting: deque[tuple[int, Future]] = deque()  # plans that take effect at a moment
        self.seconds = 0.0  # since they set off
        self._look()
        self._brakes[:] = self._ahead[:, :1, :2]
        self._choose(np.arange(count))
        self._plan(np.arange(count), 0)
        compile_all(parts=_COMPILED)  # now, as no frame should wait for that

    def __len__(self) -> int:
        return len(self._states)

    def _kinds_of(self, labels: Name | Sequence[Name | None] | None, count: int) -> list[Kind]:
        """The kind of motion of each character."""
        single = labels is None or isinstance(labels, str | int | set | frozenset | tuple)
        each = [labels] * count if single else list(labels)  # pyright: ignore[reportArgumentType]
        if len(each) != count:
            raise MotionError(f"there are {len(each)} labels for {count} characters")
        known: dict[Name | None, Kind] = {None: self._steering.any}
        for label in map(fixed, each):  # pyright: ignore[reportArgumentType]
            if label not in known:
                need = frames_named(self.graph, as_label(self.graph, label))
                if not (need & self._steering.open).any():
                    raise MotionError(f"no motion of {label!r} goes on for ever at this threshold")
                known[label] = self._steering.kind(need)
        return [known[fixed(label)] for label in each]  # pyright: ignore[reportArgumentType]

    def _placed(self, starts: np.ndarray) -> np.ndarray:
        """(N, STATE) of characters who stand, if the graph can, at `starts`."""
        frames, states = starting_frames(self.graph), np.zeros((len(starts), STATE))
        frames = frames[self._steering.lasting[frames]]
        standing = self._steering.standing.need[frames]
        if self._steering.can_stand and standing.any():
            frames = frames[standing]
        for i, (theta, x, z) in enumerate(starts.tolist()):
            frame = int(self._rng.choice(frames))
            placed = placed_at(self._steering.ground, np.array([frame]), np.array([x, z]), theta)[0]
            states[i] = -1, frame, cos(placed[0]), sin(placed[0]), placed[1], placed[2]
        return states

    @property
    def obstacles(self) -> Sequence[Obstacle]:
        """What they go round; another sequence may be given at any time."""
        return self._obstacles

    @obstacles.setter
    def obstacles(self, obstacles: Sequence[Obstacle]) -> None:
        self._circles, self._obstacles = circles(checked(obstacles)), obstacles

    # Time passes

    def advance(self, dt: float) -> np.ndarray:
        """Go on by `dt` seconds; returns `roots`. Never raises."""
        step = float(dt) if isfinite(dt) and dt > 0.0 else 0.0
        self.seconds += step
        self._left += step
        while self._left >= TICK:
            if not self._looked:
                self._look_out()
            self._left -= TICK
            self._tick()
        if self._left >= 0.5 * TICK and not self._looked:  # in another frame than the rest of a moment's work
            self._look_out()
        return self.roots

    def _look_out(self) -> None:
        """The first half of a moment: see where everyone will be, and choose where to go."""
        self._moment += 1
        self._looked = True
        while self._waiting and self._waiting[0][0] <= self._moment:
            self._take_up(self._waiting.popleft()[1].result())
        self._look()
        self._choose(np.arange(self._moment % 3, len(self), 3))
        self._pace()

    def _tick(self) -> None:
        """The second half: everyone moves."""
        self._looked = False
        self._before = self._states.copy(), self._plans.copy()
        # Who has waited longest goes first.
        order = np.argsort(-self._speeds[:, 2], kind="stable")
        steering = self._steering
        move(
            steering.ground.floor, self._ground, self._plans, self._states, self._speeds, self._wanted, self._brakes,
            order, self._circles, NEAREST, TICK, steering.turning, self._moves, self._done,
        )  # fmt: skip
        for i in np.flatnonzero(self._done).tolist():
            many = int(self._done[i])
            self._plans[i] = np.append(self._plans[i, many:], np.full(min(many, _PLAN), -1))[:_PLAN]
        self._taken += self._done
        self._rest()
        self._plan(np.arange(self._moment % _PERIOD, len(self), _PERIOD), _DELAY)

    def _standing_stretch(self) -> tuple[int, int] | None:
        """First and last frame of the longest stretch of standing in any clip; None where there is no second of it."""
        longest = round(self._ground.fps), None
        for clip, begin in zip(self.graph.clips, self._steering.ground.starts.tolist()):
            still = self._steering.still[begin + clip.first : begin + len(clip)]
            edges = np.flatnonzero(np.diff(np.concatenate([[0], still.astype(np.int8), [0]])))
            for first, end in zip(
                (edges[::2] + begin + clip.first).tolist(), (edges[1::2] + begin + clip.first).tolist()
            ):
                longest = max(longest, (end - first, (first, end - 1)), key=lambda found: found[0])
        return longest[1]

    def _rest(self) -> None:
        """Who is halted in its step comes to stand, and leaves that as it goes on."""
        self._rested = self._rests.copy()
        if self._still is None:
            return
        standing = self._steering.standing.need[self._states[:, 1].astype(np.int64)] & (self._states[:, 0] < 0)
        halted = (self._speeds[:, 0] == 0.0) & ~standing
        self._rests = np.clip(self._rests + np.where(halted, 1.0, -2.0) * (TICK / _SETTLE), 0.0, 1.0)

    def _resting(self) -> np.ndarray:
        """(N, 2) share of standing in everyone's pose now, and the frame of that: to and fro in a stretch of it, each
        elsewhere."""
        out = np.zeros((len(self), 2))
        if self._still is not None:
            first, last = self._still
            share = self._rested + self._left / TICK * (self._rests - self._rested)
            out[:, 0] = share * share * (3.0 - 2.0 * share)
            gone = (self.seconds + _APART * np.arange(len(self))) * self._ground.fps
            out[:, 1] = first + np.abs((gone + last - first) % (2 * (last - first) or 1) - (last - first))
        return out

    def _look(self) -> None:
        """Where everyone will be."""
        steering = self._steering
        step = steering.stride / steering.ground.fps
        look_ahead(steering.ground.floor, self._ground, self._plans, self._states, self._speeds, step, self._ahead)
        self.goals.update(self._ahead[:, 0, :2], self._speeds[:, 2], self._moment * TICK)

    def _choose(self, which: np.ndarray) -> None:
        """Where these characters (n,) go."""
        steering, out = self._steering, np.zeros((len(which), 3))
        step = steering.stride / steering.ground.fps
        far = self._ahead[:, 1, :2] - self._ahead[:, 0, :2]
        speeds = np.sqrt((far * far).sum(axis=1)) / step
        waited = np.ascontiguousarray(self._speeds[:, 2])
        choose_ways(
            self._ahead, self.goals.heading_for, speeds, waited, self._circles, self._clear, NEAREST, step, which, out
        )
        self._wanted[which, :2], self._free[which] = out[:, :2], out[:, 2]

    def _pace(self) -> None:
        """How quickly everyone would go: slower where little is free ahead, and no farther at the goal."""
        there, off = self.goals.there, self.goals.distance
        usual = np.array([kind.cruising for kind in self._kinds])
        pace = np.clip(self._free / (0.5 * usual), 0.25, 1.0)
        face = self._ahead[:, 0, 2:]
        behind = (face * self._wanted[:, :2]).sum(axis=1)
        pace[(off < 1.5) & (behind < 0.3) & ~there] = -1.0  # turns on the spot rather than round its goal
        standing = self._steering.standing.need[self._states[:, 1].astype(np.int64)] & (self._states[:, 0] < 0)
        pace[there & ~(standing & self._steering.can_stand)] = 0.0
        self._wanted[:, 2] = pace

    # Plans

    def _plan(self, which: np.ndarray, delay: int) -> None:
        """Have transitions planned for these characters (n,); they are taken up `delay` moments later."""
        if not len(which):
            return
        picks = self._rng.random(len(which))
        snapshot = [
            (int(i), float(u), int(self._taken[i]), self._plans[i].copy(), self._states[i].copy(), self._task(int(i)))
            for i, u in zip(which, picks)
        ]
        if delay == 0:
            self._take_up(self._planned(snapshot))
        else:
            self._waiting.append((self._moment + delay, _workers().submit(self._planned, snapshot)))

    def _task(self, i: int) -> tuple[np.ndarray, float, Kind, bool, np.ndarray]:
        """What a plan of character i aims at: a point, speed, kind, whether it stops there; and (M, S, 2) others."""
        steering, kind, here = self._steering, self._kinds[i], self._ahead[i, 0, :2]
        gaps = self._ahead[:, 0, :2] - here
        off = (gaps * gaps).sum(axis=1)
        off[i] = np.inf
        near = np.argsort(off, kind="stable")[:_NEIGHBOURS]
        others = self._ahead[near[off[near] < _SEEN**2], :, :2].copy()
        if self.goals.there[i]:
            return (
                self.goals.heading_for[i].copy(),
                0.3,
                steering.standing if steering.can_stand else kind,
                True,
                others,
            )
        kind = steering.travelling(kind) if self.goals.stuck[i] else kind
        speed = self._share[i] * kind.cruising
        if self.goals.stops[i] and self.goals.distance[i] < 2.0 and self._free[i] >= 0.9 * self.goals.distance[i]:
            return self.goals.heading_for[i].copy(), speed, kind, True, others
        return here + _FARTHEST * self._wanted[i, :2], speed, kind, False, others

    def _planned(self, snapshot: list) -> list[tuple[int, int, list[int]]]:
        """Plans of some characters, from where each can still change its own; on a worker."""
        steering, found = self._steering, []
        ground, floor = steering.ground, steering.ground.floor
        for i, pick, taken, plan, state, (point, speed, kind, arriving, others) in snapshot:
            kept, frame, c, s, x, z, passed = from_here(floor, self._ground, plan, state, _LEAD * ground.fps)
            current = [int(k) for k in plan[len(kept) :] if k >= 0]
            later = min(round(passed / steering.stride), others.shape[1] - 1)
            aim = steering.aim(point[None], speed, kind, arriving, others[:, later:], self._clear)
            way, _, firsts = steering.plan(frame, (atan2(s, c), x, z), aim, current, _LOOKS, _BETTER)
            if way != current or not current:
                way = self._one_of(way, firsts, ground.exits(frame), pick)
            found.append((i, taken, [*kept.tolist(), *way]))
        return found

    def _one_of(self, way: list[int], firsts: np.ndarray, exits: np.ndarray, pick: float) -> list[int]:
        """The best plan, or one that begins with another of the best choices; pick: 0 to 1, which."""
        order = np.argsort(firsts, kind="stable")[: self._choices]
        order = order[np.isfinite(firsts[order])]
        order = order[firsts[order] <= firsts[order[:1]] + _BETTER] if len(order) else order
        chosen = int(order[int(pick * len(order))]) if len(order) else len(exits)
        if chosen == len(exits) or not way or exits[chosen] == way[0]:
            return way
        return [int(exits[chosen])]

    def _take_up(self, found: list[tuple[int, int, list[int]]]) -> None:
        """Replace the plans of some characters."""
        for i, taken, plan in found:
            rest = plan[int(self._taken[i]) - taken :][:_PLAN]
            self._plans[i] = -1
            self._plans[i, : len(rest)] = rest

    # What is known of them

    @property
    def arrived(self) -> np.ndarray:
        """(N,) bool: who is at the end of its way."""
        return self.goals.there.copy()

    @property
    def roots(self) -> np.ndarray:
        """(N, 3) metres."""
        return self.poses()[0]

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Roots (N, 3) metres and local rotations (N, J, 4), w x y z, of this moment."""
        return self.poses_and_states()[:2]

    def poses_and_states(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, and where on the graph everyone is: (N, STATE), see `walks.courses`."""
        states, plans = self._before
        root, turns = np.empty((len(self), 3)), np.empty((len(self), *self._turns.shape[1:]))
        now = np.empty((len(self), STATE))
        moves = self._moves * (self._left / TICK)
        pose_all(
            self._steering.ground.floor,
            self._ground,
            self._turns,
            plans,
            states,
            moves,
            self._resting(),
            root,
            turns,
            now,
        )
        return root, turns, now

    @property
    def sliding(self) -> np.ndarray:
        """(N,) bool: whose feet slide, as it turns on the spot or comes to stand, waiting."""
        return (self._moves[:, 2] != 0.0) | ((self._rests > 0.0) & (self._rests < 1.0))

    def motions(self, seconds: float = 60.0, *, cleanup: bool = True, progress: Progress = SILENT) -> list[Clip]:
        """Go on until all have arrived, but no longer than `seconds`; what each did meanwhile, a clip for each at the
        rate of the graph. cleanup: hold planted feet."""
        return recorded(self, seconds, cleanup, progress)


def _rows(values: ArrayLike, width: int, what: str) -> np.ndarray:
    """Values as an array (n, width)."""
    try:
        rows = np.asarray(values, float)
    except (TypeError, ValueError):
        rows = np.full((1, 1), np.nan)
    rows = np.zeros((0, width)) if rows.size == 0 else rows
    if rows.ndim != 2 or rows.shape[1] != width or not np.isfinite(rows).all():
        raise MotionError(f"{what}, all finite numbers")
    return np.ascontiguousarray(rows)
