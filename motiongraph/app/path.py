"""The path on the floor: drawn, moved, painted with labels, closed, saved; and the goal planted beside it."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app import strokes
from motiongraph.app.commands import apply
from motiongraph.errors import MotionError

TOOLS = ("off", "draw", "edit", "paint", "goal")
CURVES = ("polyline", "spline")
SHORTEST = 0.5  # m: anything shorter is no path to walk along
_NEAR = 0.6  # m from the end, where a new stroke goes on from it
_MEETS = 0.45  # m between the ends of a stroke that closes itself
_LONGEST = 500.0  # m


@dataclass(eq=False)
class PathState:
    """points: (N, 2) x, z metres, never written to, always replaced; closed, curve ("polyline" or "spline") and
    labels (pairs of metres and a word or None where each begins, or None): as `follow_path` takes them; goal: x, z or
    None. version grows with every change of these.

    tool: what the mouse does on the floor; brush: the word it paints; size: of ready-made paths, metres; stroke: the
    places a stroke in the making went through; under: where on the floor the mouse is; chosen: number of a point;
    waiting: what is to happen when the graph is there: "walk", "lead" or ""."""

    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    closed: bool = False
    curve: str = "spline"
    labels: list[tuple[float, str | None]] | None = None
    goal: tuple[float, float] | None = None
    version: int = 0
    tool: str = "off"
    brush: str | None = None
    size: float = 6.0
    stroke: list[tuple[float, float]] = field(default_factory=list)
    under: tuple[float, float] | None = None
    chosen: int | None = None
    waiting: str = ""
    origin: tuple[np.ndarray, float] | None = None  # where ready-made paths begin, and their heading
    follow: bool = False  # whether the camera went with the character before the floor was looked at
    _line: tuple = (-1, None)

    @property
    def line(self):
        """The `Curve` through the points, or None where there is no path."""
        if self._line[0] != self.version:
            self._line = self.version, self._made()
        return self._line[1]

    def _made(self):
        from motiongraph.walks.curve import Curve

        loop = np.concatenate([self.points, self.points[:1]]) if self.closed else self.points
        if len(self.points) < 2 or strokes.length(loop) < SHORTEST:
            return None
        return Curve.of(self.points, self.curve, self.closed)

    @property
    def length(self) -> float:
        return self.line.length if self.line is not None else 0.0

    def set(self, points, closed=None, curve=None, keep_metres=False) -> None:
        """Another course. Painted stretches keep their share of the way, or their metres where it only goes on."""
        points = np.array(points, float).reshape(-1, 2)
        if not np.isfinite(points).all():
            raise MotionError("a path goes through places, x and z in metres")
        loop = np.concatenate([points, points[:1]]) if len(points) else points
        if strokes.length(loop) > 2 * _LONGEST:
            raise MotionError(f"a path may be {_LONGEST:g} m long at most")
        points.flags.writeable = False
        before = self.length
        self.points = points
        self.closed = bool(self.closed if closed is None else closed) and len(points) > 2
        self.curve = self.curve if curve is None else curve
        self.chosen = self.chosen if self.chosen is not None and self.chosen < len(points) else None
        self.version += 1
        if self.labels is not None:
            share = 1.0 if keep_metres or before == 0.0 else self.length / before
            self.labels = tidied([(share * metres, word) for metres, word in self.labels], self.length)

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


# Drawing


@apply.register
def _(command: do.SetTool, state):
    if command.tool not in TOOLS:
        raise MotionError(f"the tool can be {', '.join(TOOLS)}, not {command.tool!r}")
    path = state.path
    if command.tool == path.tool:
        return
    if path.stroke:
        apply(do.EndStroke(), state)
    path.tool, path.under = command.tool, None
    if command.tool != "edit":
        path.chosen = None
    from motiongraph.app.view import watch_floor

    watch_floor(state, command.tool)


@apply.register
def _(command: do.PointAt, state):
    state.path.under = command.place


@apply.register
def _(command: do.BeginStroke, state):
    path, start = state.path, (float(command.x), float(command.z))
    if not np.isfinite(start).all():
        raise MotionError("a stroke begins at a place")
    path.stroke = [start]
    if len(path.points) > 1 and not path.closed and np.hypot(*(path.points[-1] - start)) < _NEAR:
        path.stroke = [tuple(path.points[-1].tolist()), start]


@apply.register
def _(command: do.ExtendStroke, state):
    stroke, place = state.path.stroke, (float(command.x), float(command.z))
    if not stroke:
        raise MotionError("no stroke was begun")
    if np.isfinite(place).all() and np.hypot(place[0] - stroke[-1][0], place[1] - stroke[-1][1]) > 0.01:
        stroke.append(place)


@apply.register
def _(command: do.EndStroke, state):
    path = state.path
    raw, path.stroke = np.array(path.stroke).reshape(-1, 2), []
    goes_on = len(path.points) > 1 and not path.closed and len(raw) and bool((raw[0] == path.points[-1]).all())
    far = strokes.length(raw)
    if far < SHORTEST:
        return
    if goes_on:
        # Smoothed together with the last metre, so that the way does not bend where the strokes meet.
        join = max(len(path.points) - 3, 1)
        tail = strokes.smoothed(np.concatenate([path.points[join - 1 :], raw[1:]]))
        path.set(np.concatenate([path.points[: join - 1], tail]), curve="spline", keep_metres=True)
        return
    closed = far > 3.0 and float(np.hypot(*(raw[-1] - raw[0]))) < _MEETS
    path.labels = path.origin = None
    path.set(strokes.smoothed(raw[:-1] if closed else raw, closed), closed, "spline")


@apply.register
def _(command: do.SetPath, state):
    path = state.path
    if command.curve not in CURVES:
        raise MotionError(f"a path is a {' or a '.join(CURVES)}, not {command.curve!r}")
    path.labels = path.origin = None
    path.set(command.points, command.closed, command.curve)
    path.labels = tidied(command.labels, path.length) if command.labels else None


@apply.register
def _(command: do.PathPreset, state):
    if command.name not in strokes.PRESETS:
        raise MotionError(f"there are the paths {', '.join(strokes.PRESETS)}, not {command.name!r}")
    if not 0.5 <= command.size <= 100.0:
        raise MotionError(f"a path can be 0.5 to 100 m in size, not {command.size:g}")
    path = state.path
    path.size = float(command.size)
    if path.origin is None and path.line is not None:
        path.origin = path.line.places[0], float(np.arctan2(*path.line.tangents[0]))
    elif path.origin is None:
        from motiongraph.app.view import facing

        path.origin = state.focus(state.active)[[0, 2]], float(np.radians(facing(state, state.active)))
    at, heading = path.origin
    points, closed, curve = strokes.preset(command.name, command.size)
    path.labels = None
    path.set(strokes.placed(points, at, heading), closed, curve)
    _see(state)


def _see(state) -> None:
    """Let the camera glide to where the whole path is in view."""
    from motiongraph.app.view import overlook

    if state.camera is not None and state.path.line is not None:
        overlook(state, state.path.line.places)


# Editing


@apply.register
def _(command: do.MovePoint, state):
    points = _some(state, command.point).copy()
    points[command.point] = command.x, command.z
    state.path.set(points)


def _some(state, point: int) -> np.ndarray:
    points = state.path.points
    if not 0 <= point < len(points):
        raise MotionError(f"the path has no point {point}")
    return points


@apply.register
def _(command: do.ChoosePoint, state):
    if command.point is not None:
        _some(state, command.point)
    state.path.chosen = command.point


@apply.register
def _(command: do.AddPoint, state):
    path, line = state.path, need_path(state)
    metres, _ = path.nearest(command.x, command.z)
    after = int(np.clip(np.searchsorted(line.knots, metres, side="right"), 1, len(line.knots) - 1))
    path.set(np.insert(path.points, after, line.at(metres), axis=0))
    path.chosen = after


@apply.register
def _(command: do.RemovePoint, state):
    points = _some(state, command.point)
    state.path.chosen = None
    state.path.set(np.delete(points, command.point, axis=0))


@apply.register
def _(command: do.ClosePath, state):
    path = state.path
    if command.closed and len(path.points) < 3:
        raise MotionError("a path needs three points to lead back to where it begins")
    path.set(path.points, command.closed, keep_metres=True)


@apply.register
def _(command: do.SetCurve, state):
    if command.kind not in CURVES:
        raise MotionError(f"a path is a {' or a '.join(CURVES)}, not {command.kind!r}")
    state.path.set(state.path.points, curve=command.kind)


@apply.register
def _(command: do.SmoothPath, state):
    line, path = need_path(state), state.path
    places = line.places[:-1] if path.closed else line.places
    path.set(strokes.smoothed(places, path.closed, 1.4 * strokes.SMOOTHING), curve="spline")


@apply.register
def _(command: do.ReversePath, state):
    path = state.path
    labels, length = path.labels, path.length
    path.set(path.points[::-1])
    if labels:
        ends = [metres for metres, _ in labels[1:]] + [length]
        path.labels = tidied([(length - end, word) for end, (_, word) in zip(ends, labels)], length)


@apply.register
def _(command: do.ClearPath, state):
    path = state.path
    path.labels = path.goal = path.origin = None
    path.stroke = []
    path.set(np.zeros((0, 2)), closed=False)


# Labels, goal


@apply.register
def _(command: do.SetBrush, state):
    state.path.brush = command.word


@apply.register
def _(command: do.PaintPath, state):
    length, path = need_path(state).length, state.path
    start, stop = sorted((float(command.start), float(command.stop)))
    if not np.isfinite([start, stop]).all():
        raise MotionError("a stretch of the path lies between two distances along it, in metres")
    path.labels = painted(path.labels, max(start, 0.0), min(stop, length), command.word, length)
    path.version += 1


@apply.register
def _(command: do.PlantGoal, state):
    place = command.place
    if place is not None and not (len(place) == 2 and np.isfinite(place).all()):
        raise MotionError("a goal is planted at a place, x and z in metres")
    state.path.goal = None if place is None else (float(place[0]), float(place[1]))
    state.path.version += 1


# Files


@apply.register
def _(command: do.LoadPath, state):
    from motiongraph.formats.path_file import read_path

    found = read_path(Path(command.path))
    state.path.labels = state.path.origin = None
    state.path.set(found.points, bool(found.closed), found.curve or "polyline")
    if state.path.line is None:
        raise MotionError(f"{command.path}: the path is shorter than {SHORTEST:g} m")
    if found.labels:
        state.path.labels = tidied(zip(state.path.line.knots, found.labels), state.path.length)
        state.path.version += 1
    _see(state)


@apply.register
def _(command: do.SavePath, state):
    from motiongraph.formats.path_file import PathFile, write_path

    line, path = need_path(state), state.path
    points, words = path.points, None
    if path.labels:
        # A label is that of the stretch from a point on: wherever it changes there must be one.
        knots = line.knots[:-1] if path.closed else line.knots
        extra = [metres for metres, _ in path.labels if np.abs(knots - metres).min() > 0.02]
        at = np.append(knots, extra)
        order = np.argsort(at, kind="stable")
        points = np.concatenate([points, line.at(np.array(extra)).reshape(-1, 2)])[order]
        words = tuple(path.labels[k][1] for k in path.word_at(at[order] + 0.02))
    write_path(Path(command.path), PathFile(points, words, path.curve, path.closed))
    state.say(f"wrote {command.path}")
