"""What can be done with the path: drawing, editing and painting it, ready-made ones, files, taking edits back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import command, edit
from motiongraph.app.path import path_state
from motiongraph.app.path.path_state import CURVES, PATH, SHORTEST, TOOLS, checked, course, need_path, painted, tidied
from motiongraph.app.scene.camera_moves import facing, overlook, watch_floor
from motiongraph.app.walk.walk_options import walk_again
from motiongraph.errors import MotionError
from motiongraph.formats.path_file import PathFile, read_path, write_path

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

_NEAR = 0.6  # m from the end, where a new stroke goes on from it
_MEETS = 0.45  # m between the ends of a stroke that closes itself


def set_tool(state: AppState, tool: str) -> None:
    """What the mouse does on the floor from now on; a stroke that was begun ends."""
    if tool not in TOOLS:
        raise MotionError(f"the tool can be {', '.join(TOOLS)}, not {tool!r}")
    path = state.path
    if tool == path.tool:
        return
    if path.stroke:
        with edit(state, PATH, "drawing"):
            end_stroke(state)
    path.tool, path.under = tool, None
    if tool != "edit":
        path.chosen = None
    watch_floor(state, tool)


def end_stroke(state: AppState) -> None:
    """The stroke becomes the path, or goes on from it."""
    path = state.path
    raw, path.stroke = np.array(path.stroke).reshape(-1, 2), []
    goes_on = len(path.points) > 1 and not path.closed and len(raw) and bool((raw[0] == path.points[-1]).all())
    far = path_state.length(raw)
    if far < SHORTEST:
        return
    if goes_on:
        # Smoothed together with the last metre, so that the way does not bend where the strokes meet.
        join = max(len(path.points) - 3, 1)
        tail = path_state.smoothed(np.concatenate([path.points[join - 1 :], raw[1:]]))
        path.set(np.concatenate([path.points[: join - 1], tail]), curve="spline", keep_metres=True)
    else:
        closed = far > 3.0 and float(np.hypot(*(raw[-1] - raw[0]))) < _MEETS
        path.anew(path_state.smoothed(raw[:-1] if closed else raw, closed), closed, "spline")
    path.goal = None  # who is led goes along what was drawn last


# Commands: drawing


@command
class SetTool:
    """What the mouse does on the floor: "off", "draw", "edit", "paint" or "goal"."""

    tool: str

    def apply(self, state: AppState) -> None:
        set_tool(state, self.tool)


@command
class PointAt:
    """Where on the floor the mouse is, for showing what it would do; None: nowhere."""

    place: tuple[float, float] | None

    def apply(self, state: AppState) -> None:
        state.path.under = self.place


@command
class BeginStroke:
    """Start drawing. Near the end of the path that is there the stroke goes on from it, elsewhere it replaces it."""

    x: float
    z: float

    def apply(self, state: AppState) -> None:
        path, start = state.path, (float(self.x), float(self.z))
        if not np.isfinite(start).all():
            raise MotionError("a stroke begins at a place")
        state.camera_goal = None  # the camera stands still under the hand
        path.stroke = [start]
        if len(path.points) > 1 and not path.closed and np.hypot(*(path.points[-1] - start)) < _NEAR:
            path.stroke = [tuple(path.points[-1].tolist()), start]


@command
class ExtendStroke:
    """Draw on to a place, metres."""

    x: float
    z: float

    def apply(self, state: AppState) -> None:
        stroke, place = state.path.stroke, (float(self.x), float(self.z))
        if not stroke:
            raise MotionError("no stroke was begun")
        if np.isfinite(place).all() and np.hypot(place[0] - stroke[-1][0], place[1] - stroke[-1][1]) > 0.01:
            stroke.append(place)


@command(undo=PATH, edit="drawing")
class EndStroke:
    """The stroke becomes the path: evenly spaced and smooth enough to be walked."""

    def apply(self, state: AppState) -> None:
        end_stroke(state)


@command(undo=PATH, edit="drawing")
class SetPath:
    """points: pairs x, z; labels: as for `follow_path`, pairs of (metres, word or None) where each begins."""

    points: tuple[tuple[float, float], ...]
    closed: bool = False
    curve: str = "spline"
    labels: tuple[tuple[float, str | None], ...] | None = None

    def apply(self, state: AppState) -> None:
        if self.curve not in CURVES:
            raise MotionError(f"a path is a {' or a '.join(CURVES)}, not {self.curve!r}")
        state.path.anew(self.points, self.closed, self.curve, self.labels)


@command(undo=PATH, edit="drawing")
class PathPreset:
    """name: "line", "circle", "eight", "square" or "S"; size: metres from end to end. It begins where the path did
    that it replaces, else at the character, and goes the same way."""

    name: str
    size: float = 8.0

    def apply(self, state: AppState) -> None:
        if self.name not in path_state.PRESETS:
            raise MotionError(f"there are the paths {', '.join(path_state.PRESETS)}, not {self.name!r}")
        if not 0.5 <= self.size <= 100.0:
            raise MotionError(f"a path can be 0.5 to 100 m in size, not {self.size:g}")
        path = state.path
        path.size, origin = float(self.size), path.origin
        if origin is None and path.line is not None:
            origin = path.line.places[0], float(np.arctan2(*path.line.tangents[0]))
        elif origin is None:
            origin = state.focus(state.active)[[0, 2]], float(np.radians(facing(state, state.active)))
        points, closed, curve = path_state.preset(self.name, self.size)
        path.anew(path_state.placed(points, *origin), closed, curve)
        path.goal, path.origin = None, origin
        _see(state)


@command
class SetPresetSize:
    """Metres, of the next ready-made path."""

    size: float

    def apply(self, state: AppState) -> None:
        state.path.size = min(max(float(self.size), 0.5), 100.0)


def _see(state: AppState) -> None:
    """Let the camera glide to where the whole path is in view."""
    if state.path.line is not None:
        overlook(state, state.path.line.places)


# Editing


@command(undo=PATH, edit="path")
class MovePoint:
    """Move a point of the path, by its number, to a place in metres."""

    point: int
    x: float
    z: float

    def apply(self, state: AppState) -> None:
        points = _some(state, self.point).copy()
        points[self.point] = self.x, self.z
        state.path.set(points)
        walk_again(state)


def _some(state: AppState, point: int) -> np.ndarray:
    points = state.path.points
    if not 0 <= point < len(points):
        raise MotionError(f"the path has no point {point}")
    return points


@command
class ChoosePoint:
    """The point that Delete removes; None: none."""

    point: int | None

    def apply(self, state: AppState) -> None:
        if self.point is not None:
            _some(state, self.point)
        state.path.chosen = self.point


@command(undo=PATH, edit="point")
class AddPoint:
    """A point of the path, where it is nearest to x, z."""

    x: float
    z: float

    def apply(self, state: AppState) -> None:
        path, line = state.path, need_path(state)
        metres, _ = path.nearest(self.x, self.z)
        after = int(np.clip(np.searchsorted(line.knots, metres, side="right"), 1, len(line.knots) - 1))
        path.set(np.insert(path.points, after, line.at(metres), axis=0))
        path.chosen = after


@command(undo=PATH, edit="point")
class RemovePoint:
    """Take a point out of the path, by its number."""

    point: int

    def apply(self, state: AppState) -> None:
        points = _some(state, self.point)
        state.path.chosen = None
        state.path.set(np.delete(points, self.point, axis=0))
        walk_again(state)


@command(undo=PATH, edit="path")
class ClosePath:
    """Whether the path leads back to where it begins."""

    closed: bool

    def apply(self, state: AppState) -> None:
        path = state.path
        if self.closed and len(path.points) < 3:
            raise MotionError("a path needs three points to lead back to where it begins")
        path.set(path.points, self.closed, keep_metres=True)


@command(undo=PATH, edit="path")
class SetCurve:
    """kind: "polyline" or "spline"."""

    kind: str

    def apply(self, state: AppState) -> None:
        if self.kind not in CURVES:
            raise MotionError(f"a path is a {' or a '.join(CURVES)}, not {self.kind!r}")
        state.path.set(state.path.points, curve=self.kind)


@command(undo=PATH, edit="path")
class SmoothPath:
    """Take corners and wiggles out of it."""

    def apply(self, state: AppState) -> None:
        line, path = need_path(state), state.path
        places = line.places[:-1] if path.closed else line.places
        path.set(path_state.smoothed(places, path.closed, 1.4 * path_state.SMOOTHING), curve="spline")
        walk_again(state)


@command(undo=PATH, edit="path")
class ReversePath:
    """The other way along it."""

    def apply(self, state: AppState) -> None:
        path = state.path
        labels, length = path.labels, path.length
        path.set(path.points[::-1])
        if labels:
            ends = [metres for metres, _ in labels[1:]] + [length]
            path.labels = tidied([(length - end, word) for end, (_, word) in zip(ends, labels)], length)


@command(undo=PATH, edit="drawing")
class ClearPath:
    """Remove the path and the goal."""

    def apply(self, state: AppState) -> None:
        path = state.path
        path.goal, path.stroke = None, []
        path.anew(np.zeros((0, 2)), False, path.curve)


# Labels, goal


@command
class SetBrush:
    """The word to paint with; None takes words away."""

    word: str | None

    def apply(self, state: AppState) -> None:
        state.path.brush = self.word


@command(undo=PATH, edit="painting")
class PaintPath:
    """The stretch between two distances along the path is to be gone with motion of this label; None: with any."""

    start: float
    stop: float
    word: str | None

    def apply(self, state: AppState) -> None:
        length, path = need_path(state).length, state.path
        start, stop = sorted((float(self.start), float(self.stop)))
        if not np.isfinite([start, stop]).all():
            raise MotionError("a stretch of the path lies between two distances along it, in metres")
        path.labels = painted(path.labels, max(start, 0.0), min(stop, length), self.word, length)
        path.version += 1


@command(undo=PATH, edit="goal")
class PlantGoal:
    """Where the character that is led goes; None: nowhere in particular."""

    place: tuple[float, float] | None

    def apply(self, state: AppState) -> None:
        place = self.place
        if place is not None and not (len(place) == 2 and np.isfinite(place).all()):
            raise MotionError("a goal is planted at a place, x and z in metres")
        state.path.goal = None if place is None else (float(place[0]), float(place[1]))
        state.path.version += 1


# Files


@command(undo=PATH, edit="drawing")
class LoadPath:
    """Read a path from a file."""

    path: Path

    def apply(self, state: AppState) -> None:
        found = read_path(Path(self.path))
        points, curve = checked(found.points), found.curve or "polyline"
        closed = bool(found.closed) and len(points) > 2
        line = course(points, closed, curve)
        if line is None:
            raise MotionError(f"{self.path}: the path is shorter than {SHORTEST:g} m")
        state.path.anew(points, closed, curve, tuple(zip(line.knots, found.labels)) if found.labels else None)
        _see(state)


@command
class SavePath:
    """Write the path to a file."""

    path: Path

    def apply(self, state: AppState) -> None:
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
        write_path(Path(self.path), PathFile(points, words, path.curve, path.closed))
        state.say(f"wrote {self.path}")
