"""Where a driven character is to go: its request as it looks from a place, as points to head for at a speed."""

import numpy as np

from motiongraph.synthesis.requests import Label, Request
from motiongraph.walks.avoidance import choose_ways
from motiongraph.walks.curve import Curve, distance
from motiongraph.walks.gaits import Gait
from motiongraph.walks.plan_search import Aim
from motiongraph.walks.steering import Kind, Steering

ARRIVED, LEFT = 0.4, 0.7  # m from a goal: nearer is being there; it is left again when farther away
_CARROT = 0.6  # m ahead on a path that is headed for
_ENDING = 2.5  # m before its end from which on a path's end is headed for
_LOOK = 6.0  # m that are looked ahead for what stands in the way
_CLEAR = 0.8  # m, twice what is kept from it
_ASIDE = 0.966  # cosine of a change of direction that is acted on
_FARTHEST = 1e4  # m: so far away is the point that a direction heads for


class Course:
    """The present request, and how far it has been carried out."""

    def __init__(self, steering: Steering):
        self.kinds: dict[Label, Kind] = {None: steering.any}  # of the labels asked for so far
        self._steering = steering
        self.obstacles = np.zeros((0, 3))  # (n, 3) x, z, radius of what stands in the way
        self.take(Request())

    def take(self, request: Request) -> None:
        """Go on with another request."""
        self.request = request
        self._noticed: np.ndarray | None = None  # (2,) the direction that `turns_aside` found last
        self._along, self._there = 0.0, False  # metres of the path that are done; whether it is at its goal

    @property
    def nearly_done(self) -> bool:
        """Whether no more of a path is left than its end; a path may end where it begins."""
        path = self.request.path
        return path is None or (not path.closed and self._along + _ENDING >= path.length)

    def lacking(self, frame: int) -> str | None:
        """Which kind of motion asked for no way leads to from a frame of the floor, in words."""
        for label in self.request.labels:
            if label in self.kinds and not self.kinds[label].reached[frame]:
                what = f"a clip that {label.value}s" if isinstance(label, Gait) else f"{label!r}"
                return f"no way leads from here to {what} at this threshold: it goes on as it can"
        return None

    def aim(self, here: np.ndarray) -> Aim:
        """What to head for from a place (2,) x, z."""
        steering, request = self._steering, self.request
        kind = self.kinds.get(request.labels[0], steering.any)
        if request.direction is not None:
            speed = request.share * max(kind.speed, kind.cruising)
            way = self._around(here, here + _LOOK * request.direction)
            return steering.aim((here + _FARTHEST * way)[None], speed, kind)
        goal = request.goal
        if request.path is not None:
            goal, points, kind = self._on_path(request, request.path, here)
            if goal is None:
                return steering.aim(points, kind.cruising, kind)
        if goal is None:
            return steering.aim(here[None], 0.0, steering.standing)
        far = distance(here, goal)
        self._there = far < (LEFT if self._there else ARRIVED)
        if self._there:
            return steering.aim(goal[None], 0.3, steering.standing if steering.can_stand else steering.any, True)
        if request.path is None and len(self.obstacles) and far > ARRIVED:
            way = self._around(here, goal)
            if float(way @ (goal - here)) < 0.99 * far:
                return steering.aim((here + _FARTHEST * way)[None], kind.cruising, kind)
        return steering.aim(goal[None], kind.cruising, kind, True)

    def _around(self, here: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """(2,) unit vector in which to go from a place to another, past what stands in the way."""
        way, ahead = np.zeros((1, 3)), np.zeros((1, 1, 4))
        if not len(self.obstacles):
            return (goal - here) / max(distance(here, goal), 1e-9)
        ahead[0, 0, :2], one = here, np.zeros(1)
        choose_ways(
            ahead, goal[None].copy(), one, one, self.obstacles, _CLEAR, 0.5 * _CLEAR, 0.1, np.zeros(1, int), way
        )
        return way[0, :2].copy()

    def turns_aside(self, here: np.ndarray) -> bool:
        """Whether what stands in the way asks for another direction than it did last time."""
        request, before = self.request, self._noticed
        goal = request.goal if request.direction is None else here + _LOOK * request.direction
        if not len(self.obstacles) or goal is None:
            return False
        way = self._around(here, goal)
        aside = before is not None and float(way @ before) < _ASIDE
        self._noticed = way if before is None or aside else before
        return aside

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
        kind = self.kinds.get(name, self._steering.any)
        samples = self._steering.horizon // self._steering.stride + 1
        step = self._steering.stride / self._steering.ground.fps * kind.cruising
        along = self._along + _CARROT + np.arange(samples) * step
        if self.nearly_done:
            return path.places[-1], path.places[-1:], kind
        ahead = (along / spacing).astype(int)
        return None, path.places[ahead % last if path.closed else np.minimum(ahead, last)], kind

    def wanted(self, here: np.ndarray, seconds: float) -> np.ndarray:
        """(N, 2) x, z metres where the request would have it from a place on, ten times a second."""
        kept = self._along, self._there
        aim, every, fps = self.aim(here), self._steering.stride, self._steering.ground.fps
        self._along, self._there = kept
        step, out = aim.speed * every / fps, [here]
        for n in range(round(seconds * fps / every)):
            gap = aim.points[min(n, len(aim.points) - 1)] - out[-1]
            far = distance(np.zeros(2), gap)
            out.append(out[-1] + gap * min(step / max(far, 1e-9), 1.0))
        return np.array(out)
