"""Where the characters of a crowd are going: a place, a path, or wherever; and how they are set up."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.elementary import cos, sin
from motiongraph.errors import MotionError
from motiongraph.model.placement import heading_of
from motiongraph.walks.curve import Curve

LAYOUTS = ("grid", "circle", "scattered")
ARRIVED = 0.4  # m from the goal: nearer is being there
_TAKEN = 0.9  # m from someone who is at the same goal: as good as being there
_RESIGNED = 3.0  # s of waiting after which being so near is being there
_NEARER, _PATIENCE = 0.3, 5.0  # m that are getting nearer, and s without that after which one is stuck
_CARROT = 1.0  # m ahead on a path that is headed for
_WANDER = 0.8  # m from where a wanderer was headed: it goes elsewhere
_TIRED = 25.0  # s after which a wanderer goes elsewhere
_AROUND = 4.0  # m beyond the starts within which wanderers stay


def layout(kind: str, count: int, spacing: float = 1.2, rng: Any = 0) -> np.ndarray:
    """(N, 3) starts, heading, x, z about the middle: on a "grid", on a "circle" facing inwards, or "scattered"."""
    if kind not in LAYOUTS:
        raise MotionError(f"a crowd starts on a {', '.join(LAYOUTS)}, not {kind!r}")
    rng = np.random.default_rng(rng)
    starts, index = np.zeros((count, 3)), np.arange(count)
    if kind == "circle":
        radius = max(count * spacing / (2.0 * np.pi), 3.0)
        angle = 2.0 * np.pi * index / max(count, 1)
        starts[:, 0] = angle + np.pi
        starts[:, 1], starts[:, 2] = radius * sin(angle), radius * cos(angle)
    elif kind == "grid":
        wide = int(np.ceil(np.sqrt(count)))
        starts[:, 1] = (index % wide - 0.5 * (wide - 1)) * spacing
        starts[:, 2] = (index // wide - 0.5 * (wide - 1)) * spacing
    else:
        size = 0.75 * spacing * np.sqrt(count) + 1.0
        places = np.empty((0, 2))
        gap = spacing
        while len(places) < count:
            for point in rng.uniform(-size, size, (64 * count, 2)):
                if len(places) < count and not (((places - point) ** 2).sum(axis=1) < gap * gap).any():
                    places = np.vstack([places, point])
            gap *= 0.9
        starts[:, 0], starts[:, 1:] = rng.uniform(-np.pi, np.pi, count), places
    return starts


def opposite(starts: np.ndarray) -> np.ndarray:
    """(N, 2) the places on the other side of the middle of all starts (N, 3)."""
    return 2.0 * starts[:, 1:].mean(axis=0) - starts[:, 1:]


class Goals:
    """The goals of N characters, as they get there."""

    def __init__(self, goals: ArrayLike | Sequence | None, starts: np.ndarray, rng: np.random.Generator):
        """goals, starts: as for `Crowd`."""
        count = len(starts)
        self._rng, self._middle = rng, starts[:, 1:].mean(axis=0)
        self._radius = float(np.sqrt(((starts[:, 1:] - self._middle) ** 2).sum(axis=1).max())) + _AROUND
        self._paths: dict[int, Curve] = {}
        self.wanders, self._since = np.zeros(count, bool), np.zeros(count)
        self._along = np.zeros(count)  # metres of the path behind each
        self.heading_for = starts[:, 1:].copy()  # (N, 2) x, z
        self.final = starts[:, 1:].copy()  # (N, 2) x, z where each stops
        self.there = np.zeros(count, bool)  # who has arrived
        self.distance = np.zeros(count)  # metres to where each is headed
        self.stuck = np.zeros(count, bool)  # who has not come nearer for long
        self._nearest, self._came = np.full(count, np.inf), np.zeros(count)  # metres that each was near, and when, s
        each: list[Any] = [None] * count if goals is None else list(goals)  # pyright: ignore[reportArgumentType]
        if len(each) != count:
            raise MotionError(f"there are {len(each)} goals for {count} characters")
        for i, goal in enumerate(each):
            self.set(i, goal)

    def set(self, i: int, goal: ArrayLike | Curve | None) -> None:
        """Send a character elsewhere."""
        self._paths.pop(i, None)
        self.there[i], self.wanders[i], self._along[i], self._nearest[i] = False, goal is None, 0.0, np.inf
        if goal is None:
            self._elsewhere(i, 0.0)
            return
        if not isinstance(goal, Curve):
            try:
                goal = np.asarray(goal, float)
            except (TypeError, ValueError):
                goal = np.empty(0)
            if goal.shape != (2,):
                goal = Curve.of(goal)
        if isinstance(goal, Curve):
            self._paths[i] = goal
            self.heading_for[i], self.final[i] = goal.places[0], goal.places[-1]
        elif np.isfinite(goal).all():
            self.heading_for[i] = self.final[i] = goal
        else:
            raise MotionError(f"a goal is a pair x, z, not {goal!r}")

    def _elsewhere(self, i: int, seconds: float) -> None:
        angle, far = self._rng.uniform(-np.pi, np.pi), self._radius * np.sqrt(self._rng.random())
        self.heading_for[i] = self._middle + far * np.array([sin(angle), cos(angle)])
        self._since[i] = seconds

    @property
    def stops(self) -> np.ndarray:
        """(N,) bool: whose way ends where it is headed now."""
        ends = ~self.wanders
        for i, path in self._paths.items():
            ends[i] = not path.closed and self._along[i] + _CARROT >= path.length
        return ends

    def update(self, places: np.ndarray, waited: np.ndarray, seconds: float) -> None:
        """Look where everyone (N, 2) is now; waited: (N,) s."""
        for i, path in self._paths.items():
            self._follow(i, path, places[i])
        gaps = self.heading_for - places
        self.distance = np.sqrt((gaps * gaps).sum(axis=1))
        for i in np.flatnonzero(self.wanders & ((self.distance < _WANDER) | (seconds - self._since > _TIRED))).tolist():
            self._elsewhere(i, seconds)
        stops = self.stops
        # Who is beside its goal and gets no nearer leaves it at that: someone stands in the way.
        self.there |= stops & (self.distance < np.where(waited > _RESIGNED, _TAKEN, ARRIVED))
        # Where others stand at the same goal already, being next to them is being there.
        for i in np.flatnonzero(stops & ~self.there & (self.distance < 6.0)).tolist():
            same = self.there & (((self.final - self.final[i]) ** 2).sum(axis=1) < ARRIVED**2)
            self.there[i] = bool((((places[same] - places[i]) ** 2).sum(axis=1) < _TAKEN**2).any())
        nearer = self.distance < self._nearest - _NEARER
        self._nearest[nearer], self._came[nearer] = self.distance[nearer], seconds
        self.stuck = stops & ~self.there & (seconds - self._came > _PATIENCE)

    def _follow(self, i: int, path: Curve, place: np.ndarray) -> None:
        """Head for a point a little ahead on the path."""
        spacing, last = path.spacing, len(path.places) - 1
        first = int(self._along[i] / spacing)
        index = np.arange(first, first + max(round(2.0 / spacing), 2))
        index = index % last if path.closed else np.minimum(index, last)
        gaps = path.places[index] - place
        nearest = int(index[np.argmin((gaps * gaps).sum(axis=1))])
        self._along[i] = nearest * spacing
        ahead = nearest + round(_CARROT / spacing)
        self.heading_for[i] = path.places[ahead % last if path.closed else min(ahead, last)]


def headings(starts: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """(N,) radians from starts (N, 3) towards goals (N, 2)."""
    return heading_of(goals - starts[:, 1:])
