"""What can be done with the path: drawing, editing and painting it, ready-made ones, files, taking edits back."""

from pathlib import Path

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app import history, snapshot, strokes
from motiongraph.app.commands import apply
from motiongraph.app.path import CURVES, SHORTEST, TOOLS, checked, course, need_path, painted, tidied
from motiongraph.app.view import facing, overlook, watch_floor
from motiongraph.errors import MotionError

_NEAR = 0.6  # m from the end, where a new stroke goes on from it
_MEETS = 0.45  # m between the ends of a stroke that closes itself


# Drawing


@apply.register
def _(command: do.SetTool, state):
    if command.tool not in TOOLS:
        raise MotionError(f"the tool can be {', '.join(TOOLS)}, not {command.tool!r}")
    path = state.path
    if command.tool == path.tool:
        return
    if path.stroke:
        history.carry_out(do.EndStroke(), state)
    path.tool, path.under = command.tool, None
    if command.tool != "edit":
        path.chosen = None
    watch_floor(state, command.tool)


@apply.register
def _(command: do.PointAt, state):
    state.path.under = command.place


@apply.register
def _(command: do.BeginStroke, state):
    path, start = state.path, (float(command.x), float(command.z))
    if not np.isfinite(start).all():
        raise MotionError("a stroke begins at a place")
    state.goal = None  # the camera stands still under the hand
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
    else:
        closed = far > 3.0 and float(np.hypot(*(raw[-1] - raw[0]))) < _MEETS
        path.anew(strokes.smoothed(raw[:-1] if closed else raw, closed), closed, "spline")
    path.goal = None  # who is led goes along what was drawn last


@apply.register
def _(command: do.SetPath, state):
    if command.curve not in CURVES:
        raise MotionError(f"a path is a {' or a '.join(CURVES)}, not {command.curve!r}")
    state.path.anew(command.points, command.closed, command.curve, command.labels)


@apply.register
def _(command: do.PathPreset, state):
    if command.name not in strokes.PRESETS:
        raise MotionError(f"there are the paths {', '.join(strokes.PRESETS)}, not {command.name!r}")
    if not 0.5 <= command.size <= 100.0:
        raise MotionError(f"a path can be 0.5 to 100 m in size, not {command.size:g}")
    path = state.path
    path.size, origin = float(command.size), path.origin
    if origin is None and path.line is not None:
        origin = path.line.places[0], float(np.arctan2(*path.line.tangents[0]))
    elif origin is None:
        origin = state.focus(state.active)[[0, 2]], float(np.radians(facing(state, state.active)))
    points, closed, curve = strokes.preset(command.name, command.size)
    path.anew(strokes.placed(points, *origin), closed, curve)
    path.goal, path.origin = None, origin
    _see(state)


@apply.register
def _(command: do.SetPresetSize, state):
    state.path.size = min(max(float(command.size), 0.5), 100.0)


def _see(state) -> None:
    """Let the camera glide to where the whole path is in view."""
    if state.path.line is not None:
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
    path.goal, path.stroke = None, []
    path.anew(np.zeros((0, 2)), False, path.curve)


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
    points, curve = checked(found.points), found.curve or "polyline"
    closed = bool(found.closed) and len(points) > 2
    line = course(points, closed, curve)
    if line is None:
        raise MotionError(f"{command.path}: the path is shorter than {SHORTEST:g} m")
    state.path.anew(points, closed, curve, tuple(zip(line.knots, found.labels)) if found.labels else None)
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


# Taking back, and projects


def _read(state, _):
    path = state.path
    return path.points, path.closed, path.curve, path.labels, path.goal


def _write(state, _, value):
    points, closed, curve, labels, goal = value
    state.path.anew(points, closed, curve, labels)
    state.path.goal = goal


history.PARTS["path"] = history.Part(_read, _write)
history.EDITS |= {
    command: ("path", lambda command, state: "path", name)
    for name, commands in {
        "drawing": (do.EndStroke, do.SetPath, do.PathPreset, do.LoadPath, do.ClearPath),
        "path": (do.MovePoint, do.ReversePath, do.ClosePath, do.SetCurve, do.SmoothPath),
        "point": (do.AddPoint, do.RemovePoint),
        "painting": (do.PaintPath,),
        "goal": (do.PlantGoal,),
    }.items()
    for command in commands
}


def _tell(state):
    path = state.path
    told = {name: getattr(path, name) for name in ("closed", "curve", "labels", "goal", "lead_label")}
    return told, {"points": path.points}


def _take(state, plain, arrays):
    path = state.path
    if plain["curve"] not in CURVES:
        raise MotionError(f"a path is a {' or a '.join(CURVES)}, not {plain['curve']!r}")
    labels = plain["labels"] and [(float(metres), word) for metres, word in plain["labels"]]
    goal = plain["goal"] and tuple(snapshot.fit(value, 0.0, "goal") for value in plain["goal"])
    path.stroke, path.chosen, path.origin, path.waiting, path.roomy = [], None, None, False, False
    path.lead_label = plain.get("lead_label")
    _write(state, None, (arrays["points"], plain["closed"], plain["curve"], labels, goal))


snapshot.TOLD["path"], snapshot.TAKEN["path"] = _tell, _take
