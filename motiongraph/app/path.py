"""The path on the floor: the points it goes through, what is asked for along it, and the goal planted beside it."""

from dataclasses import dataclass, field

import numpy as np

from motiongraph.app import strokes
from motiongraph.errors import MotionError

TOOLS = ("off", "draw", "edit", "paint", "goal")
CURVES = ("polyline", "spline")
SHORTEST = 0.5  # m: anything shorter is no path to walk along
_LONGEST = 500.0  # m


@dataclass(eq=False)
class PathState:
    """points: (N, 2) x, z metres, never written to, always replaced; closed, curve ("polyline" or "spline") and
    labels (pairs of metres and a word or None where each begins, or None): as `follow_path` takes them; goal: x, z or
    None. version grows with every change of these.

    tool: what the mouse does on the floor; brush: the word it paints; size: of ready-made paths, metres; stroke: the
    places a stroke in the making went through; under: where on the floor the mouse is; chosen: number of a point;
    lead_label: what a led character does, None for anything; waiting: one is to set off when the graph is there."""

    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    closed: bool = False
    curve: str = "spline"
    labels: list[tuple[float, str | None]] | None = None
    goal: tuple[float, float] | None = None
    version: int = 0
    tool: str = "off"
    brush: str | None = None
    size: float = 8.0
    stroke: list[tuple[float, float]] = field(default_factory=list)
    under: tuple[float, float] | None = None
    chosen: int | None = None
    lead_label: str | None = None
    waiting: bool = False
    roomy: bool = False  # the graph in the making gets a threshold that leaves ways enough
    origin: tuple[np.ndarray, float] | None = None  # where ready-made paths begin, and their heading
    follow: bool = False  # whether the camera went with the character before the floor was looked at
    _line: tuple = (None, False, "", None)

    @property
    def line(self):
        """The `Curve` through the points, or None where there is no path."""
        points, closed, curve, line = self._line
        if points is not self.points or (closed, curve) != (self.closed, self.curve):
            line = course(self.points, self.closed, self.curve)
            self._line = self.points, self.closed, self.curve, line
        return line

    @property
    def length(self) -> float:
        return self.line.length if self.line is not None else 0.0

    def set(self, points, closed=None, curve=None, keep_metres=False) -> None:
        """Another course. Painted stretches keep their share of the way, or their metres where it only goes on."""
        points, before = checked(points), self.length
        self.points = points
        self.closed = bool(self.closed if closed is None else closed) and len(points) > 2
        self.curve = self.curve if curve is None else curve
        self.chosen = self.chosen if self.chosen is not None and self.chosen < len(points) else None
        self.version += 1
        if self.labels is not None:
            share = 1.0 if keep_metres or before == 0.0 else self.length / before
            self.labels = tidied([(share * metres, word) for metres, word in self.labels], self.length)

    def anew(self, points, closed: bool, curve: str, labels=None) -> None:
        """Another path in place of this one, with labels of its own; where it cannot be one, nothing changes."""
        points = checked(points)
        self.labels = self.origin = None
        self.set(points, closed, curve)
        self.labels = tidied(labels, self.length) if labels else None

    def nearest(self, x: float, z: float) -> tuple[float, float]:
        """Metres along the path of its place nearest to x, z, and how far that is away."""
        if self.line is None:
            return 0.0, np.inf
        off = np.hypot(*(self.line.places - (x, z)).T)
        index = int(np.argmin(off))
        return index * self.line.spacing, float(off[index])

    def point_at(self, x: float, z: float, reach: float) -> int | None:
        """The number of the point nearest to x, z within `reach` metres."""
        if not len(self.points):
            return None
        off = np.hypot(*(self.points - (x, z)).T)
        return int(np.argmin(off)) if off.min() <= reach else None

    def word_at(self, metres) -> np.ndarray:
        """Index into `labels` of what is asked for there; −1 before the first."""
        return np.searchsorted([begin for begin, _ in self.labels or ()], metres, side="right") - 1


def checked(points) -> np.ndarray:
    """(N, 2) the points of a path, or a sentence that says why they are none."""
    points = np.array(points, float).reshape(-1, 2)
    if not np.isfinite(points).all():
        raise MotionError("a path goes through places, x and z in metres")
    if strokes.length(np.concatenate([points, points[:1]])) > 2 * _LONGEST:
        raise MotionError(f"a path may be {_LONGEST:g} m long at most")
    points.flags.writeable = False
    return points


def course(points, closed: bool, curve: str):
    """The `Curve` through checked points, or None where that is too short to walk along."""
    loop = np.concatenate([points, points[:1]]) if closed else points
    if len(points) < 2 or strokes.length(loop) < SHORTEST:
        return None
    from motiongraph.walks.curve import Curve

    return Curve.of(points, curve, closed)


def tidied(labels, length: float) -> list[tuple[float, str | None]] | None:
    """Pairs of metres and word in order, from the start of the path, equal neighbours joined; None where none asks."""
    found: list[tuple[float, str | None]] = [(0.0, None)]
    for metres, word in sorted(labels, key=lambda pair: pair[0]):
        metres = max(float(metres), 0.0)
        if metres >= length - 1e-6:
            continue
        if metres - found[-1][0] < 1e-6:
            found.pop()
        if not found or found[-1][1] != word:
            found.append((metres, word))
    if found[0][0] > 0.0:
        found[0] = (0.0, found[0][1])
    return found if any(word for _, word in found) else None


def painted(labels, start: float, stop: float, word, length: float):
    """The labels with this word from start to stop, metres."""
    labels = labels or [(0.0, None)]
    after = [w for metres, w in labels if metres <= stop][-1]
    kept = [(metres, w) for metres, w in labels if metres < start or metres > stop]
    return tidied([*kept, (start, word), (stop, after)], length)


def need_path(state):
    """The path's curve, or a sentence that says what to do."""
    if state.path.line is None:
        raise MotionError("there is no path yet: draw one on the floor (P), or take a ready-made one")
    return state.path.line
