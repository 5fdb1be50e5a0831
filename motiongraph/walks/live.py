"""A walk that is steered while it plays: planned a few metres ahead, again and again (Kovar 2002, 5.3)."""

import time
from collections import deque
from dataclasses import dataclass

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.walks.curve import Curve, between
from motiongraph.walks.goal import Goal, Weights
from motiongraph.walks.ground import alive, ground_of
from motiongraph.walks.naming import frames_named
from motiongraph.walks.path import placed_at, starting_frames
from motiongraph.walks.plan import Effort, find
from motiongraph.walks.reach import heading_of
from motiongraph.walks.road import REALS
from motiongraph.walks.walk import Walk, compose

_AHEAD = 2.5  # m that are planned at once
_END_PLACE, _END_FACING = 1.0, 0.3  # s, m²s: a plan is only as good as where it leaves the body
_SPARE, _CELL = 0.4, 0.25  # m²s, m: coarser than for a whole path, to be there in time


@dataclass(frozen=True)
class Moment:
    """What to show now: clip and frame at a placement (theta, x, z); within a transition also the other clip and frame
    it is blended with, at its placement, and the share of the first motion, else None, None, None and 1."""

    clip: int
    frame: int
    placement: tuple[float, float, float]
    other: int | None = None
    other_frame: int | None = None
    other_placement: tuple[float, float, float] | None = None
    share: float = 1.0


class LiveWalk:
    """Goes where it is told, frame by frame, and never ends.

    live = LiveWalk(graph); live.head_for((3, 4)); live.replan(); moment = live.advance()

    `head_for` a point, a direction or along a path; `replan` from the current frame takes a few milliseconds and may
    be called at any time; `advance` replans by itself when the plan is used up. `label` asks for motion of one kind.
    Whoever makes the motion elsewhere (`synthesis.live`) uses `decide` instead of `advance`.
    """

    def __init__(self, graph, start=None, at=(0.0, 0.0), heading=0.0, rng=0, weights=None, width: int = 6):
        self.graph = alive(graph)
        self.ground = ground_of(self.graph)
        self.weights, self.effort = weights or Weights(), Effort(width=width, cell=_CELL)
        frames = starting_frames(self.graph, start)
        if not len(frames):
            raise MotionError("there is no frame to start from in the pruned graph; name another start")
        self._frame = int(np.random.default_rng(rng).choice(frames))
        place = placed_at(self.ground, np.array([self._frame]), np.asarray(at, float), heading_of(heading))[0]
        self._placement = tuple(float(v) for v in place[:3])
        self._begin, self._placed = self._frame, self._placement
        self._plan: deque[int] = deque()
        self._within = -1  # frames of the transition under way that were shown, −1 for none
        self._taken: list[int] = []
        self._label = None
        self.head_for()

    @property
    def label(self) -> str | None:
        return self._label

    @label.setter
    def label(self, name: str | None) -> None:
        if name is not None:
            mask = frames_named(self.graph, name)
            if not mask[self.ground.nodes].any():
                raise MotionError(
                    f"no motion labelled {name} goes on for ever at this threshold; a higher one keeps more"
                )
        self._label = name

    @property
    def place(self) -> np.ndarray:
        """(2,) x, z on the floor now; within a transition, where it ends."""
        frame, placement = self._coming()
        return self._on_floor(frame, placement)

    @property
    def heading(self) -> float:
        """Radians about y that the body faces, 0 along z."""
        frame, placement = self._coming()
        return float(self.ground.heading(frame) + placement[0])

    def _on_floor(self, frame, placement):
        theta, x, z = placement
        a, b = self.ground.terrain.path[frame]
        c, s = np.cos(theta), np.sin(theta)
        return np.array([x + c * a + s * b, z - s * a + c * b])

    def head_for(self, target=None, direction=None) -> None:
        """Go to a point (x, z), along a `Curve`, in a direction (radians, or x, z), or, with neither, straight on."""
        self._curve = self._point = self._direction = None
        self._along = 0.0  # metres of the curve behind us
        if direction is not None:
            turn = heading_of(direction)
            self._direction = np.array([np.sin(turn), np.cos(turn)])
        elif isinstance(target, Curve):
            self._curve = target
        elif target is not None:
            self._point = np.asarray(target, float)
            if self._point.shape != (2,) or not np.isfinite(self._point).all():
                raise MotionError(f"a place is a pair x, z in metres, not {target!r}")

    def _way(self) -> Curve:
        """The next few metres of the way to go."""
        place, heading = self.place, self.heading
        if self._curve is not None:
            return self._along_path(self._curve, place)
        if self._point is not None:
            way = self._point - place
            far = float(np.linalg.norm(way))
            if far > 0.3:
                return between(place, heading, place + way * min(1.0, _AHEAD / far))
        ahead = np.array([np.sin(heading), np.cos(heading)]) if self._direction is None else self._direction
        return between(place, heading, place + _AHEAD * ahead, float(np.arctan2(*ahead)))

    def _along_path(self, curve, place):
        """The path from the nearest place ahead, drawn aside to where the body is; at its end, straight on."""
        spacing, last = curve.spacing, len(curve.places) - 1
        first = int(self._along / spacing)
        near = curve.places[first : first + max(round(1.0 / spacing), 2)]
        here = first + int(np.argmin(((near - place) ** 2).sum(axis=1)))
        if curve.closed and here >= last - 1:
            here = 0
        self._along = here * spacing
        u = np.arange(round(_AHEAD / spacing) + 1)
        index = (here + u) % last if curve.closed else here + u
        beyond = np.zeros(len(u)) if curve.closed else np.maximum(index - last, 0) * spacing
        points = curve.places[np.minimum(index, last)] + beyond[:, None] * curve.tangents[-1]
        rest = np.maximum(1.0 - u / len(u), 0.0)[:, None] ** 2
        return Curve.of(points + rest * (place - points[0]))

    def _coming(self):
        """The frame and placement at which the next choice can be made."""
        if self._within < 0:
            return self._frame, self._placement
        k = self._plan[0]
        return int(self.ground.terrain.arrive[k]), self._after(k)

    def _after(self, k):
        return tuple(float(v) for v in compose(self._placement, self.ground.terrain.jump[k, :3]))

    def replan(self) -> float:
        """Plan the next metres anew from the current frame; returns the seconds it took."""
        began = time.perf_counter()
        frame, placement = self._coming()
        way = self._way()
        ends = {"end_place": _END_PLACE, "end_facing": _END_FACING, "spare": _SPARE}
        ends |= {"end_x": float(way.tangents[-1, 0]), "end_z": float(way.tangents[-1, 1])}
        goal = Goal.of(self.graph, way, self._label, self.weights, check=False, **ends)
        state = np.zeros((1, REALS))
        state[0, :3] = placement
        found = find(self.graph, goal, np.array([frame]), state, self.effort)
        under_way = [self._plan[0]] if self._within >= 0 else []
        self._plan = deque([*under_way, *found.taken])
        return time.perf_counter() - began

    def decide(self, earliest: int | None = None, latest: int | None = None):
        """The next transition to take, a row of the graph's table, planned anew; the walk goes on from its end.

        earliest: the frame of the current clip before which it may not leave. latest: if the plan stays in the clip
        beyond this frame, nothing is decided yet, and None is returned.
        """
        terrain, first = self.ground.terrain, int(self.ground.starts[self.ground.place(self._frame)[0]])
        if self._within >= 0:
            raise MotionError("a transition is under way; advance to its end before deciding on the next")
        if earliest is not None:
            # Where the last way out has passed, it is taken all the same: the walk must not end.
            self._frame = max(min(first + int(earliest), self._last_exit()), self._frame)
        self.replan()
        self._settle()
        k = self._plan[0]
        if latest is not None and terrain.leave[k] > first + latest:
            return None
        self._plan.popleft()
        self._taken.append(k)
        self._frame, self._placement = int(terrain.arrive[k]), self._after(k)
        return self.graph.candidates.table[self.ground.rows[k]]

    def _settle(self):
        """A plan at all: a run must be left at its end at the latest, and the cheapest way out will do."""
        if not self._plan:
            terrain = self.ground.terrain
            ways = np.arange(terrain.next_out[self._frame], terrain.next_out[terrain.run_end[self._frame] + 1])
            self._plan.append(int(ways[np.argmin(terrain.jump[ways, 3])]))

    def _last_exit(self):
        """The frame of the last transition that leaves the current run."""
        terrain = self.ground.terrain
        return int(terrain.leave[terrain.next_out[terrain.run_end[self._frame] + 1] - 1])

    def advance(self) -> Moment:
        """Show the next frame."""
        terrain, window = self.ground.terrain, self.ground.window
        # Half a second before the last way out is early enough to decide.
        if self._within < 0 and not self._plan and self._frame >= self._last_exit() - self.ground.fps // 2:
            self.replan()
            self._settle()
        if self._within < 0 and self._plan and self._frame >= terrain.leave[self._plan[0]]:
            self._within = 0
        if self._within < 0:
            clip, frame = self.ground.place(self._frame)
            self._frame += 1
            return Moment(clip, frame, self._placement)
        k = self._plan[0]
        (a, at), (b, to) = self.ground.place(int(terrain.leave[k])), self.ground.place(int(terrain.arrive[k]) - window)
        u = (self._within + 1) / window
        share, after, n = 2 * u**3 - 3 * u**2 + 1, self._after(k), self._within
        moment = Moment(a, at + n, self._placement, b, to + n, after, share)
        self._within += 1
        if self._within == window:
            self._plan.popleft()
            self._taken.append(k)
            self._frame, self._placement, self._within = int(terrain.arrive[k]), after, -1
        return moment

    def walk(self) -> Walk:
        """What was played so far, up to the end of the last clip's piece."""
        rows = self.graph.candidates.table[self.ground.rows[np.array(self._taken, int)]]
        stop = self.ground.place(max(self._frame - 1, 0))[1] + 1
        if self._taken and self._frame == self.ground.terrain.arrive[self._taken[-1]]:
            stop = self.ground.place(self._frame)[1]
        return Walk.of(self.graph, self.ground.place(self._begin), rows, stop=stop, placed=self._placed, method="live")
