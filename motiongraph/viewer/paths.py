"""Paths on the floor as they are drawn: the current one with handles to edit it, the one a result was to follow with
the way walked coloured by its distance from it, the stroke being drawn, the goal, and the trail of a led character.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.live.live_character import LedCharacter
from motiongraph.app.path.path_state import PathState, caught
from motiongraph.app.path.verdict import Verdict, turn_circle, verdict
from motiongraph.app.playback import way_of
from motiongraph.app.state import AppState
from motiongraph.model.placement import Placement, place
from motiongraph.viewer import theme
from motiongraph.viewer.draw.frame import (
    SCALE,
    Batch,
    Capsules,
    Lines,
    Numbers,
    marks,
    polyline,
    spheres,
)
from motiongraph.viewer.panels.widgets import word_colour
from motiongraph.walks.curve import Curve, nearest_on

_PAPER, _INK = (0.98, 0.98, 0.97), (0.16, 0.19, 0.24)
_START, _GOAL, _AMBER = (0.16, 0.42, 0.86), (0.82, 0.20, 0.36), (0.95, 0.58, 0.16)
_WIDTH = 0.11  # m
_FAINT = 0.45  # of a path that is no longer the current one
_LOW, _STEP = 0.004, 0.001  # m above the floor, and from one layer to the next
_ARROWS = 2.0  # m between the marks that tell which way it goes
_LONGEST = 8192  # places of a stroke that are drawn

Places = Sequence[Sequence[float]] | np.ndarray  # (n, 2) x, z metres
_T = TypeVar("_T")


class Parts:
    """Batches, or what they need, that are made anew only when their key changes."""

    def __init__(self):
        self._known: dict[str, tuple[Any, Any]] = {}

    def get(self, name: str, key: Any, make: Callable[[], _T]) -> _T:
        if name not in self._known or self._known[name][0] != key:
            self._known[name] = key, make()
        return self._known[name][1]


def off_colours(off: np.ndarray) -> np.ndarray:
    """(n, 3) colours of distances from the path, metres."""
    table = np.array(theme.PATH)
    return np.stack([np.interp(off, SCALE, table[:, k]) for k in range(3)], axis=-1)


def level(places: Places, layer: int = 0) -> np.ndarray:
    """(n, 3) places (n, 2) x, z just above the floor, so many layers up."""
    return np.insert(np.asarray(places, float).reshape(-1, 2), 1, _LOW + layer * _STEP, axis=1)


class Paths:
    """The batches of one view, kept from frame to frame."""

    def __init__(self):
        self._parts = Parts()
        self._stroke, self._trail = (Lines(np.zeros((_LONGEST, 8), np.float32), 0, width=0.05, flat=True) for _ in "ab")
        self._wanted, self._planned = (
            Lines(np.zeros((256, 8), np.float32), 0, width=w, flat=True) for w in (0.1, 0.05)
        )

    @staticmethod
    def knows_way(state: AppState, entry: Entry) -> bool:
        """Whether the way of this entry's character is drawn here, and not as that of any other."""
        led = state.live is not None and entry.number == state.live.number
        return led or (entry.made is not None and entry.made.asked is not None)

    def batches(self, state: AppState, entry: Entry | None, placement: Placement) -> list[Batch]:
        """entry: the one whose character is seen, or None; placement: where that was moved to."""
        path, parts = state.path, self._parts
        found, way = [], []
        if entry is not None and state.scene.layers.trajectory and self.knows_way(state, entry):
            asked = entry.made.asked if entry.made is not None else None
            if state.live is not None and entry.number == state.live.number:
                way = self._gone(state.live)
            elif asked is not None:
                span = way_of(entry, state.playback)
                key = entry.made, span, placement
                way = parts.get("walked", key, lambda: [_walked(entry.clip.root[slice(*span)], asked, placement)])
            if asked is not None:
                key = entry.made, placement, path.line
                found += parts.get("asked", key, lambda: _asked(asked, placement, path.line))
        line, goal = path.line, path.goal
        if line is not None:
            found += parts.get("line", (line, path.labels), lambda: _current(path, line))
        found += way
        told = verdict(state) if line is not None else None
        if told is not None and told.sharp:
            found += parts.get("sharp", (told, path.shows_turn), lambda: _sharp(told, path.shows_turn))
        if goal is not None:
            found += parts.get("goal", goal, lambda: _goal(goal))
        if path.tool == "edit" and len(path.points):
            near = caught(state, path.under) if path.under else None
            found += parts.get("handles", (path.version, path.chosen, near), lambda: _handles(path, near))
        if path.stroke:
            found += self._drawn(path.stroke)
        if path.under is not None and path.tool != "off":
            found += self._pointer(path)
        return found

    def _drawn(self, stroke: list[tuple[float, float]]) -> list[Batch]:
        """The stroke as it is being drawn."""
        batch = self._stroke
        if batch.count != min(len(stroke), _LONGEST):
            _fill(batch, np.array(stroke[-_LONGEST:]), (*_AMBER, 1.0), 5)
        return [batch]

    def _gone(self, led: LedCharacter) -> list[Batch]:
        """The way a led character came, up to where it is; where it should go in the next seconds, and will."""
        gone, fade = len(led.trail), np.ones((len(led.trail) + 1, 4))
        fade[:, :3], fade[:, 3] = theme.PATH[0], np.clip(np.linspace(-gone / 120.0, 1.0, gone + 1), 0.15, 0.95)
        _fill(self._trail, np.concatenate([led.trail, led.root[:1, [0, 2]]]), fade, 3)
        if led.behind:
            return [self._trail]
        for batch, places, colour in (
            (self._wanted, led.character.wanted(), _AMBER),
            (self._planned, led.character.planned(), _START),
        ):
            fade = np.ones((len(places), 4))
            fade[:, :3], fade[:, 3] = colour, np.linspace(0.9, 0.25, len(places))
            _fill(batch, places, fade, 6 if batch is self._planned else 5)
        return [self._trail, self._wanted, self._planned]

    def _pointer(self, path: PathState) -> list[Batch]:
        """What the mouse would do there."""
        colour, radius, hollow = {
            "draw": (_AMBER, 0.06, 0.0),
            "edit": (_AMBER, 0.05, 0.0),
            "paint": (word_colour(path.brush) if path.brush else (0.5, 0.5, 0.5), 0.22, 0.75),
            "goal": (_GOAL, 0.20, 0.7),
        }[path.tool]
        make = lambda: [marks(level([(0.0, 0.0)], 6), radius, (*colour, 0.9), hollow=hollow)]  # noqa: E731
        (batch,) = self._parts.get("pointer", (path.tool, path.brush), make)
        batch.rows[0, [0, 2]] = path.under
        batch.touch()
        return [batch]


def _fill(batch: Lines, places: np.ndarray, rgba: Numbers, layer: int) -> None:
    count = len(places)
    batch.rows[:count, :3], batch.rows[:count, 3], batch.rows[:count, 4:] = level(places, layer), 1.0, rgba
    batch.rows[0, 3], batch.count = 0.0, count
    batch.touch()


def _thinned(places: np.ndarray) -> np.ndarray:
    """Numbers of as many places as are worth drawing, the ends among them."""
    every = max(1, len(places) // 4000)
    return np.append(np.arange(0, len(places) - 1, every), len(places) - 1)


def _current(path: PathState, line: Curve) -> list[Batch]:
    """A light ribbon with a dark edge, in the colours of its labels; where it begins, and which way it goes."""
    at = _thinned(line.places)
    places, along = line.places[at], line.along[at]
    colours = np.ones((len(at), 4))
    colours[:, :3], colours[:, 3] = _PAPER, 0.95
    if path.labels:
        words = np.array([word_colour(word) if word else _PAPER for _, word in path.labels])
        colours[:, :3] = words[np.maximum(path.word_at(along + 1e-6), 0)]
    wide = _WIDTH * (1.5 if path.labels else 1.0)
    begin, end = places[0], places[-1]
    found: list[Batch] = [
        polyline(level(places, 0), (*_INK, 0.55), width=wide + 0.05, flat=True),
        polyline(level(places, 1), colours, width=wide, flat=True),
        _arrows(line),
        marks(level([begin], 2), 0.17, (*_START, 1.0)),
        marks(level([begin], 3), 0.09, (*_PAPER, 1.0)),
    ]
    if not path.closed:
        found += _head(end, line.tangents[-1])
    return found


def _sharp(told: Verdict, turn: bool) -> list[Batch]:
    """Stretches that are too sharp for the clips, and if asked for, the tightest turn they can do."""
    found: list[Batch] = []
    for start, stop in told.sharp:
        places = told.curve.at(np.linspace(start, stop, 40))
        found.append(polyline(level(places, 5), (*theme.PATH[2], 0.95), width=_WIDTH + 0.03, flat=True))
    circle = turn_circle(told) if turn else None
    if circle is not None:
        found.append(polyline(level(circle, 5), (*_AMBER, 0.9), width=0.04, flat=True))
    return found


def _asked(asked: np.ndarray, placement: Placement, line: Curve | None) -> list[Batch]:
    """The path a result was to follow, moved with it; faint, and nothing where it is the current path `line`."""
    places = place(placement, asked)
    if line is not None and len(line.places) == len(places) and np.allclose(line.places, places, atol=1e-6):
        return []
    places = level(places[_thinned(places)])
    return [
        polyline(places, (*_INK, 0.25), width=_WIDTH + 0.05, flat=True),
        polyline(places, (*_PAPER, _FAINT), width=_WIDTH, flat=True),
        marks(places[:1], 0.13, (*_START, _FAINT)),
    ]


def _arrows(line: Curve) -> Lines:
    """A small chevron every so often."""
    at = np.arange(_ARROWS / 2, line.length - 0.4, _ARROWS)
    index = np.minimum((at / line.spacing).astype(int), len(line.places) - 1)
    tips, ahead = line.places[index], line.tangents[index]
    side = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    size = 0.04
    corners = np.stack([tips - size * (ahead + side), tips, tips - size * (ahead - side)], axis=1)
    return polyline(level(corners, 2), (*_INK, 0.9), np.tile([0.0, 1.0, 1.0], len(tips)), width=0.018, flat=True)


def _head(end: np.ndarray, ahead: np.ndarray) -> list[Batch]:
    """The arrow at the end, seen on dark floors and on bright ones."""
    side, size = np.array([ahead[1], -ahead[0]]), 0.24
    corners = np.array([end - size * (ahead + 0.8 * side), end + 0.06 * ahead, end - size * (ahead - 0.8 * side)])
    edge = polyline(level(corners, 2), (*_INK, 0.9), width=0.11, flat=True)
    return [edge, polyline(level(corners, 3), (*_PAPER, 1.0), width=0.06, flat=True)]


def _walked(root: np.ndarray, asked: np.ndarray, placement: Placement) -> Lines:
    """The way of a root (F, 3), coloured by how far it is from the path that was asked for."""
    part = root[:, [0, 2]]
    off, _ = nearest_on(part, Curve.of(asked))
    every = max(1, len(part) // 3000)
    colours = np.concatenate([off_colours(off), np.full((len(off), 1), 0.95)], axis=1)
    part = place(placement, part[::every])
    return polyline(level(part, 4), colours[::every], width=0.045, flat=True)


def _handles(path: PathState, near: int | None) -> list[Batch]:
    """A ball for every point, the chosen one and the one under the mouse larger."""
    count = len(path.points)
    radius, colours = np.full(count, 0.075), np.tile((*_PAPER, 1.0), (count, 1))
    colours[0, :3] = _START
    for point in {near, path.chosen} - {None}:
        radius[point], colours[point, :3] = 0.11, _AMBER
    centres = level(path.points)
    centres[:, 1] = radius
    rings = marks(level(path.points, 5), radius + 0.05, (*_INK, 0.5), hollow=0.6)
    return [rings, spheres(centres, radius, colours)]


def _goal(goal: tuple[float, float]) -> list[Batch]:
    """A pin in the floor with rings around it."""
    x, z = goal
    pole = np.array([[x, 0.0, z, 0.018, x, 0.95, z, 0.018, *_INK, 1.0]], np.float32)
    near, far = (marks(level([goal], 5), size, (*_GOAL, alpha), hollow=0.8) for size, alpha in ((0.3, 0.9), (0.5, 0.4)))
    return [near, far, Capsules(pole), spheres([(x, 1.0, z)], 0.10, (*_GOAL, 1.0))]
