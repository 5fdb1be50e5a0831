"""A walk that is steered while it plays: planned a few metres ahead, again and again (Kovar 2002, 5.3)."""

import time
from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.elementary import sincos
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.placement import Placement, composed, direction_of, placed
from motiongraph.model.placement import heading_of as placement_heading
from motiongraph.walks.curve import Curve, distance, smooth_points
from motiongraph.walks.floor_path import floor_graph, without_dead_ends
from motiongraph.walks.follow_path import placed_at, starting_frames
from motiongraph.walks.path_goal import Weights
from motiongraph.walks.reach import heading_of
from motiongraph.walks.replan import Replanner
from motiongraph.walks.walk import Name, Seed, Walk, frames_named

_AHEAD = 2.5  # m that are planned at once
# The invariant of motion that is made while it is decided: before a stretch is made, the walk is decided so far that it
# can still be left after all that the stretch fixes. Else the only ways out would lie in motion that is fixed already.
STRETCH, MEET = 0.75, 0.15  # s that are made at a time; s over which a stretch passes into the next
FIXED = STRETCH + MEET  # s of motion that a stretch may fix


@dataclass(frozen=True)
class Moment:
    """What to show now: a frame of a clip; within a transition, blended with a frame of another."""

    clip: int
    frame: int
    placement: Placement
    other: int | None = None  # the clip it is blended with, None outside of transitions
    other_frame: int | None = None
    other_placement: Placement | None = None
    share: float = 1.0  # of the first motion


class Motion(Protocol):
    """Motion that is made as the walk goes on: what `lead` needs of a `synthesis.live.Live`."""

    @property
    def now(self) -> tuple[int, int, int]:
        """The clip played, the frame at which it was entered, and the first at which it may be left."""
        ...

    @property
    def decided(self) -> int:
        """Frames of motion that are settled."""
        ...

    def take(self, transition: np.ndarray) -> None:
        """Leave the clip now played by this transition."""
        ...


class LiveWalk:
    """A walk that is steered frame by frame and never ends.

    live = LiveWalk(graph); live.head_for((3, 4)); live.replan(); moment = live.advance()

    `head_for` a point, a direction or along a path; `replan` from the current frame usually takes less than a
    millisecond and may be called at any time; `advance` replans by itself when the plan is used up. `label` asks for
    motion of one kind. To make the motion elsewhere (`synthesis.live`), use `decide` or `lead` instead of `advance`,
    from `start`, a clip and frame, `placed` at theta, x, z. width, looks: how many states are planned with side by
    side, and how many frames and transitions a plan may look at.
    """

    def __init__(
        self, graph: MotionGraph, start: Name | None = None, at: ArrayLike = (0.0, 0.0), heading: ArrayLike = 0.0,
        rng: Seed = 0, weights: Weights | None = None, width: int = 6, looks: int = 4000,
    ):  # fmt: skip
        self.graph = without_dead_ends(graph)
        self.ground = floor_graph(self.graph)
        self._planner = Replanner(self.graph, weights, width, looks)
        frames = starting_frames(self.graph, start)
        if not len(frames):
            raise MotionError("there is no frame to start from in the pruned graph; name another start")
        self._frame = int(np.random.default_rng(rng).choice(frames))
        place = placed_at(self.ground, np.array([self._frame]), np.asarray(at, float), heading_of(heading))[0]
        theta, x, z = place[:3].tolist()
        self._placement: Placement = (theta, x, z)
        self.start, self.placed = self.ground.place(self._frame), self._placement
        self._plan: deque[int] = deque()
        self._within = -1  # frames of the transition under way that were shown, −1 for none
        self._taken: list[int] = []
        self._label: str | None = None
        self.head_for()
        self.replan()  # what the first plan needs is computed now
        self._plan.clear()

    @property
    def label(self) -> str | None:
        """Kind of motion asked for, None for any."""
        return self._label

    @label.setter
    def label(self, name: str | None) -> None:
        if name is not None:
            mask = frames_named(self.graph, name)
            if not mask[self.ground.nodes].any():
                raise MotionError(
                    f"no motion labelled {name} goes on for ever at this threshold; a higher one keeps more"
                )
        self._planner.goal(name)  # so that no plan has to wait for it
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

    def _on_floor(self, frame: int, placement: Placement) -> np.ndarray:
        theta, x, z = placement
        s, c = sincos(theta)
        return np.array(placed(c, s, x, z, *self.ground.floor.path[frame].tolist()))

    def head_for(self, target: ArrayLike | Curve | None = None, direction: ArrayLike | None = None) -> None:
        """Go to a point (x, z), along a `Curve`, in a direction (radians, or x, z), or, with neither, straight on."""
        self._curve: Curve | None = None
        self._point: np.ndarray | None = None
        self._direction: np.ndarray | None = None
        self._along = 0.0  # metres of the curve behind us
        if direction is not None:
            self._direction = direction_of(heading_of(direction))
        elif isinstance(target, Curve):
            self._curve = target
        elif target is not None:
            self._point = np.asarray(target, float)
            if self._point.shape != (2,) or not np.isfinite(self._point).all():
                raise MotionError(f"a place is a pair x, z in metres, not {target!r}")

    def _path(self) -> tuple[np.ndarray, bool]:
        """(N, 2) x, z of the next few metres to go, and whether they end where to arrive."""
        here, heading = self.place, self.heading
        if self._curve is not None:
            return self._along_path(self._curve, here), False
        if self._point is not None:
            far = distance(here, self._point)
            if far > 0.3:
                return smooth_points(here, heading, here + (self._point - here) * min(1.0, _AHEAD / far)), far <= _AHEAD
        ahead = np.array(sincos(heading)) if self._direction is None else self._direction
        return smooth_points(here, heading, here + _AHEAD * ahead, float(placement_heading(ahead))), False

    def _along_path(self, curve: Curve, place: np.ndarray) -> np.ndarray:
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
        return points + rest * (place - points[0])

    def _coming(self) -> tuple[int, Placement]:
        """The frame and placement at which the next choice can be made."""
        if self._within < 0:
            return self._frame, self._placement
        k = self._plan[0]
        return int(self.ground.floor.arrive[k]), self._after(k)

    def _after(self, k: int) -> Placement:
        """Placement after a transition."""
        return composed(*self._placement, *self.ground.floor.jump[k, :3].tolist())

    def replan(self) -> float:
        """Plan the next metres anew from the current frame; returns the seconds it took."""
        began = time.perf_counter()
        frame, placement = self._coming()
        under_way = 1 if self._within >= 0 else 0
        plan = list(self._plan)
        path, arriving = self._path()
        ahead = self._planner.plan(frame, placement, path, self._label, arriving, plan[under_way:])
        self._plan = deque(plan[:under_way] + ahead)
        return time.perf_counter() - began

    def decide(self, earliest: int | None = None, latest: int | None = None) -> np.ndarray | None:
        """The next transition to take, a row of TRANSITION, planned anew; the walk goes on from its end.

        earliest: the frame of the current clip before which it may not leave. latest: if the plan stays in the clip
        beyond this frame, and another stretch of motion would leave it a way out (`FIXED`), nothing is decided yet, and
        None is returned.
        """
        floor, first = self.ground.floor, int(self.ground.starts[self.ground.place(self._frame)[0]])
        if self._within >= 0:
            raise MotionError("a transition is under way; advance to its end before deciding on the next")
        if earliest is not None:
            # Where the last way out has passed, it is taken all the same: the walk must not end.
            self._frame = max(min(first + int(earliest), self._last_exit()), self._frame)
        self.replan()
        self._settle()
        k = self._plan[0]
        if latest is not None:
            until = first + latest
            if floor.leave[k] > until and self._last_exit() >= until + round(FIXED * self.ground.fps):
                return None
        self._plan.popleft()
        self._taken.append(k)
        self._frame, self._placement = int(floor.arrive[k]), self._after(k)
        return self.graph.candidates.table[self.ground.rows[k]]

    def lead(self, motion: Motion, frames: int) -> bool:
        """Decide on the next transition of `motion`, a `synthesis.live.Live` of this graph, `start` and `placed`, and
        have it taken, unless so many frames of it are settled, which is returned. One at a time, to fit in a frame; the
        next stretch of motion, with what it sees, needs two seconds more than are ready."""
        clip, entered, earliest = motion.now
        begins = motion.decided - (len(self.graph.clips[clip]) - entered)
        row = self.decide(earliest, entered + frames - begins) if begins < frames else None
        if row is not None:
            motion.take(row)
        return row is None

    def _settle(self) -> None:
        """A plan at all: a run must be left at its end at the latest, and the cheapest way out will do."""
        if not self._plan:
            ways = self.ground.exits(self._frame)
            self._plan.append(int(ways[np.argmin(self.ground.floor.jump[ways, 3])]))

    def _last_exit(self) -> int:
        """The frame of the last transition that leaves the current run."""
        floor = self.ground.floor
        return int(floor.leave[floor.next_out[floor.run_end[self._frame] + 1] - 1])

    def advance(self) -> Moment:
        """Show the next frame."""
        floor, window = self.ground.floor, self.ground.window
        # Half a second before the last way out is early enough to decide.
        if self._within < 0 and not self._plan and self._frame >= self._last_exit() - self.ground.fps // 2:
            self.replan()
            self._settle()
        if self._within < 0 and self._plan and self._frame >= floor.leave[self._plan[0]]:
            self._within = 0
        if self._within < 0:
            clip, frame = self.ground.place(self._frame)
            self._frame += 1
            return Moment(clip, frame, self._placement)
        k = self._plan[0]
        (a, at), (b, to) = self.ground.place(int(floor.leave[k])), self.ground.place(int(floor.arrive[k]) - window)
        u = (self._within + 1) / window
        share, after, n = 2.0 * u * u * u - 3.0 * u * u + 1.0, self._after(k), self._within
        moment = Moment(a, at + n, self._placement, b, to + n, after, share)
        self._within += 1
        if self._within == window:
            self._plan.popleft()
            self._taken.append(k)
            self._frame, self._placement, self._within = int(floor.arrive[k]), after, -1
        return moment

    def walk(self) -> Walk:
        """What was played so far, up to the end of the last clip's piece."""
        rows = self.graph.candidates.table[self.ground.rows[np.array(self._taken, int)]]
        stop = self.ground.place(max(self._frame - 1, 0))[1] + 1
        if self._taken and self._frame == self.ground.floor.arrive[self._taken[-1]]:
            stop = self.ground.place(self._frame)[1]
        return Walk.of(self.graph, self.start, rows, stop=stop, placed=self.placed, method="live")
