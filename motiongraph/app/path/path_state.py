"""The path on the floor: the points it goes through, what is asked for along it, and the goal planted beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart
from motiongraph.app.scene.camera_moves import camera_of
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_number, checked_word
from motiongraph.walks.curve import Curve

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.walks.curve import Curve


TOOLS = ("off", "draw", "edit", "paint", "goal")
CURVES = ("polyline", "spline")
SHORTEST = 0.5  # m: anything shorter is no path to walk along
_LONGEST = 500.0  # m
PathLabels = list[tuple[float, str | None]]  # metres at which each label begins, None: any motion
PRESETS = ("line", "circle", "eight", "square", "S")
SMOOTHING = 0.25  # m: wiggles much shorter than this are taken out of a stroke; a body turns no faster
GAP = 0.8  # m between the points of a path made of a stroke
HANDLE, _LEAST = 0.35, 0.1  # metres within which points and the path are caught, from near by; points at the least
_ROOM = 0.35  # of the way to the next point: beyond that another one can be added
_FINE = 0.05  # m between the samples that are smoothed


def length(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def resampled(points: np.ndarray, gap: float) -> np.ndarray:
    """The same line through points `gap` apart or a little less, with the same ends."""
    points = np.asarray(points, float)
    far = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    keep = np.append(True, np.diff(far) > 1e-9)
    at = np.linspace(0.0, far[-1], max(int(np.ceil(far[-1] / gap)), 1) + 1)
    return np.stack([np.interp(at, far[keep], points[keep, k]) for k in range(2)], axis=1)


def smoothed(points: np.ndarray, closed: bool = False, sigma: float = SMOOTHING, gap: float = GAP) -> np.ndarray:
    """Evenly spaced points along a line freed from wiggles; an open line keeps its ends, a closed one has its first
    point once."""
    points = np.asarray(points, float)
    if closed:
        points = np.concatenate([points, points[:1]])
    fine = resampled(points, _FINE)
    reach = min(int(np.ceil(3.0 * sigma / _FINE)), len(fine) - 1)
    if closed:
        around = np.concatenate([fine[-reach - 1 : -1], fine, fine[1 : reach + 1]])
    else:  # mirrored through its ends, which so stay where they are
        around = np.concatenate([2 * fine[0] - fine[reach:0:-1], fine, 2 * fine[-1] - fine[-2 : -reach - 2 : -1]])
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * _FINE / sigma) ** 2)
    bell /= bell.sum()
    fine = np.stack([np.convolve(around[:, k], bell, "valid") for k in range(2)], axis=1)
    found = resampled(fine, gap)
    return found[:-1] if closed and len(found) > 3 else found


def preset(name: str, size: float) -> tuple[np.ndarray, bool, str]:
    """Points, closed and curve of a ready-made path that begins at the origin along z; size: its length, diameter or
    edge in metres."""
    if name == "line":
        return np.array([[0.0, 0.0], [0.0, size]]), False, "polyline"
    if name == "square":
        return size * np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), True, "polyline"
    if name == "circle":
        turn = np.linspace(0.0, 2 * np.pi, 9)[:-1]
        return 0.5 * size * np.stack([1.0 - np.cos(turn), np.sin(turn)], axis=1), True, "spline"
    if name == "eight":
        turn = np.linspace(0.0, 2 * np.pi, 17)[:-1]
        # Bernoulli's lemniscate from its crossing, turned to set off along z.
        scale = 0.5 * size / (1.0 + np.cos(turn) ** 2)
        way = np.stack([scale * np.sin(turn) * np.cos(turn), scale * np.sin(turn)], axis=1)
        return way @ _turn(-0.25 * np.pi).T, True, "spline"
    share = np.linspace(0.0, 1.0, 13)
    side = 0.28 * size * np.sin(2 * np.pi * share) * np.sin(np.pi * share) ** 0.5
    return np.stack([side, size * share], axis=1), False, "spline"


def placed(points: np.ndarray, at: np.ndarray, heading: float) -> np.ndarray:
    """Points about the origin set at `at` (x, z), their z pointing where `heading` does (radians, 0 along z)."""
    return np.asarray(points) @ _turn(heading).T + np.asarray(at, float)


def _turn(angle: float) -> np.ndarray:
    """(2, 2) that turns x, z by an angle about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s], [-s, c]])


@dataclass(eq=False)
class PathState:
    """The path, and what the mouse does with it. Points, labels, curve and closed are as `follow_path` takes them."""

    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))  # (N, 2) x, z metres; replaced, never changed
    closed: bool = False
    curve: str = "spline"  # one of CURVES
    labels: PathLabels | None = None
    goal: tuple[float, float] | None = None  # x, z metres
    version: int = 0  # grows with every change of the fields above
    tool: str = "off"  # what the mouse does on the floor, one of TOOLS
    brush: str | None = None  # the label it paints
    size: float = 8.0  # of ready-made paths, metres
    stroke: list[tuple[float, float]] = field(default_factory=list)  # places of the stroke being drawn
    under: tuple[float, float] | None = None  # where on the floor the mouse is
    chosen: int | None = None  # number of a point
    lead_label: str | None = None  # what a led character does, None for anything
    lead_turning: float = 120.0  # degrees a second that a led character is turned besides what its clips do
    origin: tuple[np.ndarray, float] | None = None  # where ready-made paths begin, and their heading
    shows_turn: bool = False  # the tightest turn of the clips is drawn where the path is too sharp
    follow: bool = False  # whether the camera went with the character before the floor was looked at
    _line: tuple[np.ndarray | None, bool, str, Curve | None] = (None, False, "", None)

    @property
    def line(self) -> Curve | None:
        """The `Curve` through the points, or None where there is no path."""
        points, closed, curve, line = self._line
        if points is not self.points or (closed, curve) != (self.closed, self.curve):
            line = course(self.points, self.closed, self.curve)
            self._line = self.points, self.closed, self.curve, line
        return line

    @property
    def length(self) -> float:
        return self.line.length if self.line is not None else 0.0

    def set(self, points: Any, closed: bool | None = None, curve: str | None = None, keep_metres: bool = False) -> None:
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

    def anew(self, points: Any, closed: bool, curve: str, labels: Iterable | None = None) -> None:
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

    def word_at(self, metres: np.ndarray) -> np.ndarray:
        """Index into `labels` of what is asked for there; −1 before the first."""
        return np.searchsorted([begin for begin, _ in self.labels or ()], metres, side="right") - 1


def checked(points: Any) -> np.ndarray:
    """(N, 2) the points of a path, or a sentence that says why they are none."""
    points = np.array(points, float).reshape(-1, 2)
    if not np.isfinite(points).all():
        raise MotionError("a path goes through places, x and z in metres")
    if length(np.concatenate([points, points[:1]])) > 2 * _LONGEST:
        raise MotionError(f"a path may be {_LONGEST:g} m long at most")
    points.flags.writeable = False
    return points


def course(points: np.ndarray, closed: bool, curve: str) -> Curve | None:
    """The `Curve` through checked points, or None where that is too short to walk along."""
    loop = np.concatenate([points, points[:1]]) if closed else points
    if len(points) < 2 or length(loop) < SHORTEST:
        return None
    return Curve.of(points, curve, closed)


def tidied(labels: Iterable[tuple[float, str | None]], length: float) -> PathLabels | None:
    """Pairs of metres and word in order, from the start of the path, equal neighbours joined; None where none asks."""
    found: PathLabels = [(0.0, None)]
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


def painted(labels: PathLabels | None, start: float, stop: float, word: str | None, length: float) -> PathLabels | None:
    """The labels with this word from start to stop, metres."""
    labels = labels or [(0.0, None)]
    after = [w for metres, w in labels if metres <= stop][-1]
    kept = [(metres, w) for metres, w in labels if metres < start or metres > stop]
    return tidied([*kept, (start, word), (stop, after)], length)


def need_path(state: AppState) -> Curve:
    """The path's curve, or a sentence that says what to do."""
    if state.path.line is None:
        raise MotionError("there is no path yet: draw one on the floor (P), or take a ready-made one")
    return state.path.line


# What undo and projects keep of it

Saved = tuple[np.ndarray, bool, str, "PathLabels | None", "tuple[float, float] | None"]  # points, closed, …, goal


def _read(state: AppState) -> Saved:
    path = state.path
    return path.points, path.closed, path.curve, path.labels, path.goal


def _write(state: AppState, value: Saved) -> None:
    points, closed, curve, labels, goal = value
    state.path.anew(points, closed, curve, labels)
    state.path.goal = goal


def _to_plain(value: Saved) -> tuple[dict, dict]:
    points, closed, curve, labels, goal = value
    return {"path": {"closed": closed, "curve": curve, "labels": labels, "goal": goal}}, {"path/points": points}


def _from_plain(saved: Record, state: AppState) -> Saved:
    path = saved.record("path")
    points = checked(path.array("path/points", "f", (None, 2)))
    labels: PathLabels | None = None
    if path.get("labels") is not None:
        labels = []
        for metres, word in path.rows("labels", 2):
            word = None if word is None else checked_word(word, "a label of the path")
            labels.append((checked_number(metres, "a label of the path"), word))
    goal = None
    if path.get("goal") is not None:
        x, z = path.numbers("goal", 2)
        goal = x, z
    return points, path.flag("closed"), path.word("curve", CURVES), labels, goal


def grip(state: AppState) -> float:
    """Metres within which points and the path are caught; more from afar."""
    return HANDLE * max(1.0, camera_of(state, state.active).distance / 12.0)


def caught(state: AppState, place: tuple[float, float]) -> int | None:
    """The number of the point that a press at x, z takes hold of; half way between two it is none of them."""
    points = state.path.points
    near = state.path.point_at(*place, grip(state))
    if near is None or len(points) < 2:
        return near
    gap = np.partition(np.hypot(*(points - points[near]).T), 1)[1]
    return near if np.hypot(*(points[near] - place)) <= max(_ROOM * gap, _LEAST) else None


PATH = SavedPart("path", _read, _write, to_plain=_to_plain, from_plain=_from_plain, optional="path")
