"""A character that is driven: it goes where it is asked to, from frame to frame, and never ends (Kovar 2002, 5.3).

`walks.steering` chooses transitions, `synthesis.live` makes motion of them. Motion that was made and not yet shown is
thrown away when the request changes, so that the character leaves its clip at the next frame that has a way out.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.placement import IDENTITY, Placement, heading_of, place, turn
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.live import Live
from motiongraph.walks.curve import Curve, distance
from motiongraph.walks.floor_path import without_dead_ends
from motiongraph.walks.follow_path import placed_at, starting_frames
from motiongraph.walks.frames import Name, fixed, frames_named
from motiongraph.walks.path_goal import Labels, stretches
from motiongraph.walks.steering import Aim, Kind, Steering
from motiongraph.walks.walk import Seed, Walk

_STRETCH = 0.4  # s of motion made at a time: short, as much of it is thrown away
_REACT = 0.1  # s between two requests that are acted on, so that a trembling stick does not remake all motion
_SAME = 0.998  # cosine between directions that count as the same request
_ARRIVED, _LEFT = 0.4, 0.7  # m from a goal: nearer is being there; it is left again when farther away
_CARROT = 0.6  # m ahead on a path that is headed for
_FARTHEST = 1e4  # m: so far away is the point that a direction heads for
_OTHERS = 8  # alternatives kept of a decision
_MEMORY = 10_000  # decisions kept


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to go on, and its error over the next seconds."""

    transition: np.ndarray | None  # a row of TRANSITION; None: play on
    error: float


@dataclass(frozen=True, eq=False)
class Decision:
    """A transition that was taken, and what else there was."""

    seconds: float  # when it begins
    transition: np.ndarray  # a row of TRANSITION
    error: float  # of the plan that begins with it
    others: tuple[Choice, ...]  # other ways to go on, best first


@dataclass(frozen=True, eq=False)
class Request:
    """What a character is asked to do: a direction, a goal or a path; none of them: stand still."""

    direction: np.ndarray | None = None  # (2,) unit vector x, z
    share: float = 0.0  # of full speed, 0 to 1
    goal: np.ndarray | None = None  # (2,) x, z
    path: Curve | None = None
    labels: tuple[Name | None, ...] = (None,)  # one, or of each stretch of the path
    changes: np.ndarray | None = None  # (S,) metres at which stretches of the path begin


class LiveCharacter:
    """A character on a graph that is driven while it moves.

    c = LiveCharacter(graph, placed=(theta, x, z)); c.steer((0, 1)); root, rotations = c.advance(1 / 60)

    placed: heading in radians (0 along z) and x, z metres of where it sets off; start: a clip, (clip, frame) or label
    to begin with, by default standing if the graph can; rng: which of several; cleanup: hold planted feet. looser:
    the threshold of the graph is raised by this factor; 1.5 lets it turn and stop sooner, at seams up to half as large
    again; no further than the ceiling the graph was built with.
    """

    def __init__(
        self, graph: MotionGraph, placed: Placement = IDENTITY, rng: Seed = 0, *, start: Name | None = None,
        cleanup: bool = True, looser: float = 1.0,
    ):  # fmt: skip
        if looser != 1.0:
            graph = graph.at(min(graph.thresholds.highest * looser, graph.candidates.ceiling))
        self.graph = without_dead_ends(graph)
        self._steering = Steering(self.graph)
        ground = self._steering.ground
        theta, x, z = map(float, placed)
        if not (isfinite(theta) and isfinite(x) and isfinite(z)):
            raise MotionError(f"a character is placed at an angle, x and z, not {placed!r}")
        frames = starting_frames(self.graph, start)
        if start is None and self._steering.standing.need[frames].any():
            frames = frames[self._steering.standing.need[frames]]
        if not len(frames):
            raise MotionError("there is no frame to start from in the pruned graph; name another start")
        frame = int(np.random.default_rng(rng).choice(frames))
        first = placed_at(ground, np.array([frame]), (x, z), theta)[0]
        self._start, self._placed = ground.place(frame), (float(first[0]), float(first[1]), float(first[2]))
        self._live = Live(self.graph, self._start, self._placed, cleanup=cleanup, stretch=_STRETCH)
        self._plan: list[int] = []  # transitions to take next, as `Floor` counts them
        self._taken: list[int] = []  # those taken
        self._kinds: dict[Name | None, Kind] = {None: self._steering.any}
        self._request, self._changed, self._reacted = Request(), False, -_REACT
        self._along, self._there = 0.0, False  # metres of the path behind it; whether it is at its goal
        self._decisions: deque[Decision] = deque(maxlen=_MEMORY)
        self._shown = -1.0  # frames, with a fraction
        self.messages: deque[str] = deque(maxlen=100)  # what could not be done as asked, and what was done instead
        self.problem: str | None = None  # the same, of the present request only
        self.seconds = 0.0  # of motion shown
        self.root, self.rotations = self._pose()

    # What it is asked to do

    def steer(self, direction: ArrayLike | None, label: Name | None = None) -> None:
        """Go in a direction of the world, x, z of length 0 to 1, a share of full speed; None: stand still.

        label: the kind of motion, any by default.
        """
        way = np.zeros(2) if direction is None else _floor_point(direction, "direction")
        size = min(distance(np.zeros(2), way), 1.0)
        label = fixed(label)
        self._kind(label)
        if size < 1e-3:
            request = Request(labels=(label,))
        else:
            request = Request(way / distance(np.zeros(2), way), size, labels=(label,))
        self._ask(request)

    def go_to(self, goal: ArrayLike, label: Name | None = None) -> None:
        """Go to a place, x, z metres, and stop there."""
        label = fixed(label)
        self._kind(label)
        self._ask(Request(share=1.0, goal=_floor_point(goal, "place"), labels=(label,)))

    def follow(self, points: ArrayLike | Curve, labels: Labels | None = None) -> None:
        """Go along a path, (N, 2) x, z metres, from its first point to its last, and stop there; a closed `Curve` is
        gone round for ever. labels: as for `follow_path`."""
        path = points if isinstance(points, Curve) else Curve.of(points)
        names, changes = stretches(labels, path)
        for name in names:
            self._kind(name)
        self._along = 0.0
        self._ask(Request(share=1.0, path=path, labels=names, changes=changes))

    def _ask(self, request: Request) -> None:
        if not _same(self._request, request):
            self._request, self._changed, self._there, self.problem = request, True, False, None
        still = request.direction is None and request.goal is None and request.path is None
        stops = still or request.goal is not None or (request.path is not None and not request.path.closed)
        if stops and not self._steering.can_stand:
            self._say(
                "no motion of this graph stands still for long: the character moves on the spot as well as it can"
            )

    def _kind(self, label: Name | None) -> Kind:
        """The frames of a label, computed once."""
        if label not in self._kinds:
            need = frames_named(self.graph, label)
            if not (need & self._steering.open).any():
                self._say(f"no motion of {label!r} goes on for ever at this threshold: any motion is used")
                return self._steering.any
            self._kinds[label] = self._steering.kind(need)
        return self._kinds[label]

    def _say(self, message: str) -> None:
        self.problem = message
        if not self.messages or self.messages[-1] != message:
            self.messages.append(message)

    # What it does

    def advance(self, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """The pose `dt` seconds later: root (3,) metres and rotations (J, 4), w x y z. Never raises."""
        left = float(dt) if isfinite(dt) and dt > 0.0 else 0.0
        while True:
            step = min(left, _REACT)
            left -= step
            self.seconds += step
            root, rotations = self._pose()
            if left <= 0.0:
                break
        if np.isfinite(root).all() and np.isfinite(rotations).all():
            self.root, self.rotations = root, rotations
        else:
            self._say("a pose was not finite and was left out")
        return self.root, self.rotations

    def _pose(self) -> tuple[np.ndarray, np.ndarray]:
        """The pose to show now, between two frames of motion."""
        at = self.seconds * self.graph.fps
        frame = int(at)
        if self._changed and self.seconds - self._reacted >= _REACT:
            self._changed, self._reacted = False, self.seconds
            self._forget(frame + 2)
        self._make(frame + 2)
        self._shown = at
        (root, turns, _), (after, later, _) = self._live.pose(frame), self._live.pose(frame + 1)
        share = np.array([at - frame])
        shown, rotations = np.empty((1, 3)), np.empty((1, *turns.shape))
        _kernels.mix(
            root[None].copy(), turns[None].copy(), after[None].copy(), later[None].copy(), share, shown, rotations
        )
        return shown[0], rotations[0]

    def _forget(self, frames: int) -> None:
        """Throw away what follows so many frames, unless it is shown already or a transition is under way."""
        gone = self._live.rewind(frames)
        if gone:
            self._plan = self._taken[-gone:] + self._plan
            del self._taken[-gone:]
            for _ in range(min(gone, len(self._decisions))):
                self._decisions.pop()

    def _make(self, frames: int) -> None:
        """See to it that so many frames of motion are made, and the walk decided beyond what that fixes."""
        live = self._live
        while live.ready < frames:
            while self._decide(live.sees):
                pass
            live.prepare(live.ready + 1)

    def _decide(self, until: int) -> bool:
        """Take the next transition if it begins before frame `until` of the motion, or must, as the clip can no longer
        be left after that (see `walks.live.FIXED`)."""
        live, ground = self._live, self._steering.ground
        clip, entered, earliest = live.now
        if live.entered >= until:
            return False
        first = int(ground.starts[clip])
        frame, floor = first + earliest, ground.floor
        aim = self._aim(frame, live.placement)
        plan, error, firsts = self._steering.plan(frame, live.placement, aim, self._plan)
        self._plan = plan
        latest = first + entered + until - live.entered  # the floor's frame that is shown at `until`
        last_exit = int(floor.leave[floor.next_out[floor.run_end[frame] + 1] - 1])
        if (not plan or floor.leave[plan[0]] >= latest) and last_exit >= latest:
            return False
        if not plan:  # the search saw no reason to leave before it must
            ways = ground.exits(frame)
            plan = [int(ways[np.argmin(floor.jump[ways, 3])])]
        k, table = plan[0], self.graph.candidates.table
        exits = ground.exits(frame)
        order = np.argsort(firsts, kind="stable")
        others = tuple(
            Choice(None if n == len(exits) else table[ground.rows[exits[n]]], float(firsts[n]))
            for n in order[: _OTHERS + 1].tolist()
            if np.isfinite(firsts[n]) and (n == len(exits) or exits[n] != k)
        )
        begins = live.entered + int(floor.leave[k]) - first - entered
        self._decisions.append(Decision(begins / self.graph.fps, table[ground.rows[k]], error, others[:_OTHERS]))
        live.take(table[ground.rows[k]])
        self._taken.append(k)
        self._plan = plan[1:]
        return True

    # What it aims at

    def _aim(self, frame: int, placement: Placement) -> Aim:
        """The request as seen from a frame of the floor, its clip at a placement."""
        steering, request = self._steering, self._request
        here = place(placement, steering.ground.floor.path[frame])
        kind = self._kinds.get(request.labels[0], steering.any)
        if request.direction is not None:
            return steering.aim((here + _FARTHEST * request.direction)[None], request.share * kind.speed, kind)
        goal = request.goal
        if request.path is not None:
            goal, points, kind = self._on_path(request, request.path, here)
            if goal is None:
                return steering.aim(points, kind.cruising, kind)
        if goal is None:
            return steering.aim(here[None], 0.0, steering.standing)
        far = distance(here, goal)
        self._there = far < (_LEFT if self._there else _ARRIVED)
        if self._there:
            return steering.aim(goal[None], 0.3, steering.standing if steering.can_stand else steering.any, True)
        return steering.aim(goal[None], kind.cruising, kind, True)

    def _on_path(self, request: Request, path: Curve, here: np.ndarray) -> tuple[np.ndarray | None, np.ndarray, Kind]:
        """The end of the path when it is near, else None; points to head for over the next seconds; and the label."""
        spacing, last = path.spacing, len(path.places) - 1
        first = int(self._along / spacing)
        index = np.arange(first, first + max(round(1.5 / spacing), 2))
        index = index % last if path.closed else np.minimum(index, last)
        gaps = path.places[index] - here
        nearest = first + int(np.argmin((gaps * gaps).sum(axis=1)))
        nearest = nearest % last if path.closed else min(nearest, last)
        self._along = nearest * spacing
        changes = np.zeros(1) if request.changes is None else request.changes
        name = request.labels[int(np.searchsorted(changes, self._along + _CARROT, side="right")) - 1]
        kind = self._kinds.get(name, self._steering.any)
        samples = self._steering.horizon // self._steering.stride + 1
        along = self._along + _CARROT + np.arange(samples) * self._steering.stride / self.graph.fps * kind.cruising
        if not path.closed and self._along + 2.5 >= path.length:
            return path.places[-1], path.places[-1:], kind
        ahead = (along / spacing).astype(int)
        return None, path.places[ahead % last if path.closed else np.minimum(ahead, last)], kind

    # What is known of it

    @property
    def heading(self) -> float:
        """Radians about y that it faces, 0 along z; in a transition, of the motions blended."""
        frame, floor = max(int(self._shown), 0), self._steering.ground
        clip, at, (theta, _, _) = self._live.at(frame)
        face = turn(theta, floor.floor.face[floor.starts[clip] + at])
        moment = self._live.moment(frame)
        if moment["other"] >= 0:
            before = self._live.before(frame)
            share = float(moment["weight"])
            face = (
                share * turn(before, floor.floor.face[floor.starts[moment["clip"]] + moment["frame"]])
                + (1 - share) * face
            )
        return float(heading_of(face))

    @property
    def decisions(self) -> Sequence[Decision]:
        """The last transitions taken, up to ten thousand, oldest first; the latest may begin a moment from now."""
        return tuple(self._decisions)

    @property
    def taken(self) -> int:
        """How many transitions were taken since it set off."""
        return len(self._taken)

    def walk(self) -> Walk:
        """What was decided so far, up to the end of the last clip."""
        ground = self._steering.ground
        rows = self.graph.candidates.table[ground.rows[np.array(self._taken, int)]]
        return Walk.of(self.graph, self._start, rows, placed=self._placed, method="live")


def _floor_point(value: ArrayLike, what: str) -> np.ndarray:
    try:
        point = np.asarray(value, float)
    except (TypeError, ValueError):
        point = np.empty(0)
    if point.shape != (2,) or not np.isfinite(point).all():
        raise MotionError(f"a {what} is a pair x, z, not {value!r}")
    return point


def _same(a: Request, b: Request) -> bool:
    """Whether two requests differ so little that nothing need be planned again."""
    if a.labels != b.labels or a.path is not b.path or abs(a.share - b.share) > 0.1:
        return False
    for one, other in ((a.direction, b.direction), (a.goal, b.goal)):
        if (one is None) != (other is None):
            return False
    if a.direction is not None and b.direction is not None:
        return float(a.direction @ b.direction) >= _SAME
    return a.goal is None or b.goal is None or distance(a.goal, b.goal) < 0.05
