"""A character that is driven: it goes where it is asked to, from frame to frame, and never ends (Kovar 2002, 5.3).

`synthesis.driven_walk` decides where it goes and has motion made of that. Motion that was made and not yet shown is
thrown away when the request changes, so that the character leaves its clip at the next frame that has a way out.
"""

from collections import deque
from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.clip import Clip
from motiongraph.model.placement import IDENTITY, Placement
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.astray import Astray
from motiongraph.synthesis.course import ARRIVED, LEFT, Course
from motiongraph.synthesis.driven_walk import DrivenWalk
from motiongraph.synthesis.requests import Decision, Label, Request, floor_point, same
from motiongraph.walks.curve import Curve, distance
from motiongraph.walks.floor_path import without_dead_ends
from motiongraph.walks.follow_path import placed_at, starting_frames
from motiongraph.walks.gaits import Gait, gait_frames
from motiongraph.walks.obstacles import Obstacle, checked, circles
from motiongraph.walks.path_goal import Labels, stretches
from motiongraph.walks.steering import Kind, Steering
from motiongraph.walks.walk import Name, Seed, Walk, as_label, fixed, frames_named

_STRETCH = 0.4  # s of motion made at a time: short, as much of it is thrown away
_REACT = 0.1  # s between two requests that are acted on, so that a trembling stick does not remake all motion
_HALT = 0.4  # s in which motion comes to a halt, or gets going again
_FADE = 0.3  # s in which a walk that had to begin anew passes over from the last pose
_MEMORY = 10_000  # decisions kept


class LiveCharacter:
    """A character on a graph that is driven while it moves.

    c = LiveCharacter(graph, placed=(theta, x, z)); c.steer((0, 1)); root, rotations = c.advance(1 / 60)

    placed: heading in radians (0 along z) and x, z metres of where it sets off; start: a clip, (clip, frame) or label
    to begin with, by default standing if the graph can; rng: which of several; cleanup: hold planted feet; memory:
    seconds of motion that can be looked at again.
    turning: degrees a second by which a walking body is turned towards where it is to go, besides what its clips do.
    0 turns as captured only: on subject 16's walks 45° then take 1.6 s instead of 0.5 s. The price is that the standing
    leg twists by up to this much in a second; feet slide and seams jolt no more.
    looser: the threshold of the graph is raised by this factor, no further than the ceiling the graph was built with;
    1.5 lets it turn and stop sooner, at seams up to half as large again.
    """

    def __init__(
        self, graph: MotionGraph, placed: Placement = IDENTITY, rng: Seed = 0, *, start: Name | None = None,
        cleanup: bool = True, looser: float = 1.0, turning: float = 120.0, memory: float = 30.0,
    ):  # fmt: skip
        if looser != 1.0:
            graph = graph.at(graph.thresholds.raised(looser, graph.candidates.ceiling))
        self.graph = without_dead_ends(graph)
        if not 0.0 <= turning <= 720.0:
            raise MotionError(f"a body turns by 0 to 720 degrees a second, not {turning!r}")
        self._steering = Steering(self.graph, float(np.radians(turning)))
        theta, x, z = map(float, placed)
        if not (isfinite(theta) and isfinite(x) and isfinite(z)):
            raise MotionError(f"a character is placed at an angle, x and z, not {placed!r}")
        self._options = {"cleanup": cleanup, "stretch": _STRETCH, "turning": self._steering.turning, "memory": memory}
        self._rng = np.random.default_rng(rng)
        self._frames = starting_frames(self.graph, start)
        if start is None and self._steering.standing.need[self._frames].any():
            self._frames = self._frames[self._steering.standing.need[self._frames]]
        if not len(self._frames):
            raise MotionError("there is no frame to start from in the pruned graph; name another start")
        self.seconds = 0.0  # since it set off
        self.played = 0.0  # of motion: as many, unless it was stopped for want of motion that stands
        self._pace = 1.0  # s of motion a second
        self._decisions: deque[Decision] = deque(maxlen=_MEMORY)
        self._course, self._changed, self._reacted = Course(self._steering), False, -_REACT
        self._set_off((theta, x, z))
        self._astray = Astray(self._steering)
        self._refused: Request | None = None  # the request that was given up
        self._obstacles: Sequence[Obstacle] = ()
        self.messages: deque[str] = deque(maxlen=100)  # what could not be done as asked, and what was done instead
        self.problem: str | None = None  # the same, of the present request only
        self.said = 0  # messages so far
        self.root, self.rotations = self._pose()

    def _set_off(self, placed: Placement) -> None:
        """Begin a walk at a placement, with any of the frames to start from."""
        frame, ground = int(self._rng.choice(self._frames)), self._steering.ground
        theta, x, z = placed_at(ground, np.array([frame]), np.array(placed[1:]), placed[0])[0][:3].tolist()
        self._driven = DrivenWalk(
            self._steering, self._course, frame, (theta, x, z), self.played, self._decisions, **self._options
        )
        self._before: tuple[np.ndarray, np.ndarray] | None = None  # the pose that it fades from

    # What it is asked to do

    def steer(self, direction: ArrayLike | None, label: Label = None) -> None:
        """Go in a direction of the world, x, z of length 0 to 1, a share of full speed; None: stand still.

        label: the kind of motion, any by default; a `Gait` finds walking or running by labels or by speed.
        """
        way = np.zeros(2) if direction is None else floor_point(direction, "direction")
        size = min(distance(np.zeros(2), way), 1.0)
        label = label if isinstance(label, Gait) else fixed(label)
        self._kind(label)
        request = Request(labels=(label,))
        if size >= 1e-3:
            request = Request(way / distance(np.zeros(2), way), size, labels=(label,))
        self._ask(request)

    def go_to(self, goal: ArrayLike, label: Label = None) -> None:
        """Go to a place, x, z metres, and stop there."""
        label = label if isinstance(label, Gait) else fixed(label)
        self._kind(label)
        self._ask(Request(share=1.0, goal=floor_point(goal, "place"), labels=(label,)))

    def follow(self, points: ArrayLike | Curve, labels: Labels | None = None) -> None:
        """Go along a path, (N, 2) x, z metres, from its first point to its last, and stop there; a closed `Curve` is
        gone round for ever. labels: as for `follow_path`."""
        path = points if isinstance(points, Curve) else Curve.of(points)
        names, changes = stretches(labels, path)
        for name in names:
            self._kind(name)
        self._ask(Request(share=1.0, path=path, labels=names, changes=changes))

    def _ask(self, request: Request) -> None:
        if self._refused is not None and same(self._refused, request):
            return
        if not same(self._course.request, request):
            self._refused = None
            if request.direction is None or self._course.request.direction is None:
                self._astray.forget()
            self._course.take(request)
            self._changed, self.problem = True, None
            clip, _, earliest = self._driven.live.now
            if lacking := self._course.lacking(int(self._steering.ground.starts[clip]) + earliest):
                self._say(lacking)
        if request.stops and not self._steering.can_stand:
            self._say("no clip stands still: the character is stopped in its step; add a clip of someone who stands")

    @property
    def obstacles(self) -> Sequence[Obstacle]:
        """What it goes round when it is steered or sent to a place, as for `follow_path`; may be set at any time."""
        return self._obstacles

    @obstacles.setter
    def obstacles(self, obstacles: Sequence[Obstacle]) -> None:
        self._course.obstacles, self._obstacles = circles(checked(obstacles)), obstacles
        self._changed = True

    def _kind(self, label: Label) -> Kind:
        """The frames of a label or gait, computed once."""
        kinds = self._course.kinds
        if label not in kinds:
            if isinstance(label, Gait):
                need = gait_frames(self.graph, self._steering, label)
                missing = f"no clip {label.value}s for long"
            else:
                need = frames_named(self.graph, as_label(self.graph, label))
                missing = f"no motion of {label!r} goes on for ever at this threshold"
            if need is None or not (need & self._steering.open).any():
                self._say(f"{missing}: any motion is used")
                return self._steering.any
            kinds[label] = self._steering.kind(need)
        return kinds[label]

    def _say(self, message: str) -> None:
        self.problem = message
        if not self.messages or self.messages[-1] != message:
            self.messages.append(message)
            self.said += 1

    # What it does

    def advance(self, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """The pose `dt` seconds later: root (3,) metres and rotations (J, 4), w x y z. Never raises."""
        left = float(dt) if isfinite(dt) and dt > 0.0 else 0.0
        while True:
            step = min(left, _REACT)
            left -= step
            self.seconds += step
            self.played += self._paced(step)
            root, rotations = self._pose_or_another()
            course = self._course
            if left_out := course.wait(step):
                self._changed = True
                self._say(left_out)
            lacking = self._astray.look(step, course.request, root[[0, 2]], self._last_heading, course.left)
            if lacking is not None:
                refused = self._course.request
                self._ask(Request(labels=refused.labels))
                self._refused = refused
                self._say(lacking)
            if np.isfinite(root).all() and np.isfinite(rotations).all():
                self.root, self.rotations = root, rotations
            else:
                self._say("a pose was not finite and was left out")
            if left <= 0.0:
                return self.root, self.rotations

    def _paced(self, dt: float) -> float:
        """Seconds of motion in the next `dt`: fewer and fewer where it should stand and no clip does."""
        request, halt = self._course.request, False
        if request.stops and not self._steering.can_stand:
            goal = request.goal if request.path is None else request.path.places[-1]
            near = LEFT if self._pace < 1.0 else ARRIVED
            halt = goal is None or (self._course.nearly_done and distance(self.root[[0, 2]], goal) < near)
        before = self._pace
        self._pace = max(before - dt / _HALT, 0.0) if halt else min(before + dt / _HALT, 1.0)
        return 0.5 * (before + self._pace) * dt

    def _pose_or_another(self) -> tuple[np.ndarray, np.ndarray]:
        """The pose to show now. Whatever goes wrong is said; the walk then begins anew from where the character is."""
        for _ in range(2):
            try:
                return self._pose()
            except Exception as problem:
                self._say(f"{type(problem).__name__}: {problem}; the character sets off anew from where it is")
                try:
                    before, heading = (self.root, self.rotations), self._last_heading
                    self._set_off((heading, float(self.root[0]), float(self.root[2])))
                    self._before = before
                except Exception as again:
                    self._say(f"{type(again).__name__}: {again}; the character stands")
                    break
        return self.root, self.rotations

    def _pose(self) -> tuple[np.ndarray, np.ndarray]:
        """The pose to show now, between two frames of motion."""
        at = self._driven.at(self.played)
        frame = int(at)
        if len(self._course.obstacles):
            self._changed |= self._course.turns_aside(self.root[[0, 2]])
        if self._changed and self.seconds - self._reacted >= _REACT:
            self._changed, self._reacted = False, self.seconds
            self._driven.forget(frame + 2)
        self._driven.make(frame + 2)
        pose, since = self.pose(self.played), self.played - self._driven.begun
        self._last_heading = self._driven.heading(frame)
        if self._before is not None and since < _FADE:
            pose = _mixed(self._before, pose, since / _FADE)
        return pose

    def pose(self, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """The pose that was shown after so many seconds of motion, or the earliest that is remembered: root (3,) and
        rotations (J, 4)."""
        at = self._remembered(seconds)
        (root, turns, _), (after, later, _) = self._driven.live.pose(int(at)), self._driven.live.pose(int(at) + 1)
        return _mixed((root, turns), (after, later), at - int(at))

    def offsets(self, seconds: float) -> np.ndarray | None:
        """(J, 3) metres, the joints' offsets in that pose; None unless they slide."""
        return self._driven.live.pose(int(self._remembered(seconds)))[2]

    def _remembered(self, seconds: float) -> float:
        """The frame, with a fraction, nearest to that moment of which a pose is remembered."""
        return min(max(self._driven.at(seconds), self._driven.live.oldest), self._driven.live.ready - 1.001)

    @property
    def since(self) -> float:
        """The earliest second of motion that is still remembered."""
        return self._driven.begun + self._driven.live.oldest / self.graph.fps

    def motion(self, first: float = 0.0, last: float | None = None, name: str = "live") -> Clip:
        """What was shown from one second of motion to another, as far as it is remembered; by default all of it."""
        until = self.played if last is None else min(last, self.played)
        return self._driven.live.clip(int(self._driven.at(first)), int(self._driven.at(until)) + 1, name)

    def recorded(self, first: float = 0.0, name: str = "live") -> tuple[Clip, Walk, np.ndarray]:
        """What was shown from a second of motion on, as far as it is remembered; the walk it is of; (n, 3) theta, x, z
        by which the body was turned where each of its transitions begins. A transition under way is gone through."""
        live = self._driven.live
        walk, begin = live.part(max(int(self._driven.at(first)), live.oldest), int(self._driven.at(self.played)) + 1)
        if begin < live.oldest:  # in a transition: from its end on
            walk, begin = live.part(begin + int(walk.begins[1]), int(self._driven.at(self.played)) + 1)
        self._driven.make(begin + len(walk))
        seams = begin + walk.begins[1:] - self.graph.window
        turns = np.array([live.turning.at(int(frame)) for frame in seams]).reshape(-1, 3)
        return live.clip(begin, begin + len(walk), name), walk, turns

    # What is known of it

    @property
    def heading(self) -> float:
        """Radians about y that it faces, 0 along z; in a transition, of the motions blended."""
        return self._last_heading

    def planned(self, seconds: float = 2.0) -> np.ndarray:
        """(N, 2) x, z metres of the root from now on, ten times a second: what is decided, then the clip played on."""
        return self._driven.way(int(self._driven.at(self.played)), round(seconds * self.graph.fps))

    def wanted(self, seconds: float = 2.0) -> np.ndarray:
        """(N, 2) x, z metres where the request would have it from now on, ten times a second."""
        return self._course.wanted(self.root[[0, 2]].astype(float), seconds)

    @property
    def can_stand(self) -> bool:
        """Whether the graph has motion that stands still for as long as one likes."""
        return self._steering.can_stand

    @property
    def decisions(self) -> Sequence[Decision]:
        """The last transitions taken, up to ten thousand, oldest first; the latest may begin a moment from now."""
        return tuple(self._decisions)

    @property
    def taken(self) -> int:
        """How many transitions were taken since it set off."""
        return len(self._driven.taken)

    def walk(self) -> Walk:
        """What was decided so far, up to the end of the last clip."""
        return self._driven.walk()


def _mixed(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray], share: float
) -> tuple[np.ndarray, np.ndarray]:
    """Root (3,) and rotations (J, 4) of two poses, `share` of the second."""
    root, turns = np.empty((1, 3)), np.empty((1, *first[1].shape))
    arrays = (np.ascontiguousarray(part)[None].copy() for part in (*first, *second))
    _kernels.mix(*arrays, np.array([share], float), root, turns)
    return root[0], turns[0]
