"""Where a driven character is to go: its request as it looks from a place, as points to head for at a speed."""

import numpy as np

from motiongraph.synthesis.requests import Label, Request
from motiongraph.walks.curve import Curve, distance
from motiongraph.walks.plan_search import Aim
from motiongraph.walks.steering import Kind, Steering

ARRIVED, LEFT = 0.4, 0.7  # m from a goal: nearer is being there; it is left again when farther away
_CARROT = 0.6  # m ahead on a path that is headed for
_FARTHEST = 1e4  # m: so far away is the point that a direction heads for


class Course:
    """The present request, and how far it has been carried out."""

    def __init__(self, steering: Steering):
        self.kinds: dict[Label, Kind] = {None: steering.any}  # of the labels asked for so far
        self._steering = steering
        self.take(Request())

    def take(self, request: Request) -> None:
        """Go on with another request."""
        self.request = request
        self._along, self._there = 0.0, False  # metres of the path that are done; whether it is at its goal

    def aim(self, here: np.ndarray) -> Aim:
        """What to head for from a place (2,) x, z."""
        steering, request = self._steering, self.request
        kind = self.kinds.get(request.labels[0], steering.any)
        if request.direction is not None:
            speed = request.share * max(kind.speed, kind.cruising)
            return steering.aim((here + _FARTHEST * request.direction)[None], speed, kind)
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
        kind = self.kinds.get(name, self._steering.any)
        samples = self._steering.horizon // self._steering.stride + 1
        step = self._steering.stride / self._steering.ground.fps * kind.cruising
        along = self._along + _CARROT + np.arange(samples) * step
        if not path.closed and self._along + 2.5 >= path.length:
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
