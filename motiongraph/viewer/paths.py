"""The path on the floor as it is drawn: the one in hand with handles to edit it, the one a result was to follow with
the way walked coloured by its distance from it, the stroke in the making, the goal, and the trail of a led character.
"""

import numpy as np

from motiongraph.app.playback import way_of
from motiongraph.app.strokes import placed
from motiongraph.viewer.draw.frame import Batch, Capsules, Lines, marks, polyline, spheres
from motiongraph.viewer.floor_tool import caught
from motiongraph.viewer.panels.widgets import word_colour

GOOD, FAIR, POOR = (0.20, 0.62, 0.36), (0.93, 0.66, 0.18), (0.84, 0.24, 0.20)
SCALE = (0.1, 0.3, 0.6)  # m off the path at which these colours are reached
_PAPER, _INK = (0.98, 0.98, 0.97), (0.16, 0.19, 0.24)
_START, _GOAL, _AMBER = (0.16, 0.42, 0.86), (0.82, 0.20, 0.36), (0.95, 0.58, 0.16)
_WIDTH = 0.11  # m
_FAINT = 0.45  # of a path that is no longer the one in hand
_LOW, _STEP = 0.004, 0.001  # m above the floor, and from one layer to the next
_ARROWS = 2.0  # m between the marks that tell which way it goes
_LONGEST = 8192  # places of a stroke that are drawn


def off_colours(off) -> np.ndarray:
    """(n, 3) colours of distances from the path, metres."""
    table = np.array([GOOD, FAIR, POOR])
    return np.stack([np.interp(off, SCALE, table[:, k]) for k in range(3)], axis=-1)


def level(places, layer: int = 0) -> np.ndarray:
    """(n, 3) places (n, 2) x, z just above the floor, so many layers up."""
    return np.insert(np.asarray(places, float).reshape(-1, 2), 1, _LOW + layer * _STEP, axis=1)


class Paths:
    """The batches of one view, kept from frame to frame."""

    def __init__(self):
        self._parts: dict[str, tuple[object, list[Batch]]] = {}
        self._stroke, self._trail = (Lines(np.zeros((_LONGEST, 8), np.float32), 0, width=0.05, flat=True) for _ in "ab")

    @staticmethod
    def knows_way(state, entry) -> bool:
        """Whether the way of this entry's character is shown here, and not as that of any other."""
        led = state.leading is not None and entry.number == state.leading.number
        return led or (entry.made is not None and entry.made.asked is not None)

    def batches(self, state, entry, place) -> list[Batch]:
        """entry: the one whose character is seen, or None; place: theta, x, z where it was moved to."""
        path, way = state.path, []
        if entry is not None and state.scene.layers.trajectory and self.knows_way(state, entry):
            if state.leading is not None and entry.number == state.leading.number:
                way = self._gone(state.leading)
            else:
                span = way_of(entry, state.playback)
                way = self._part("walked", (entry.made, span, place), lambda: [_walked(entry, span, place)])
        found = []
        if way and entry.made.asked is not None:
            key = entry.made, place, path.line
            found += self._part("asked", key, lambda: _asked(entry.made.asked, place, path.line))
        if path.line is not None:
            found += self._part("line", (path.line, path.labels), lambda: _in_hand(path))
        found += way
        if path.goal is not None:
            found += self._part("goal", path.goal, lambda: _goal(path.goal))
        if path.tool == "edit" and len(path.points):
            near = caught(state, path.under) if path.under else None
            found += self._part("handles", (path.version, path.chosen, near), lambda: _handles(path, near))
        if path.stroke:
            found += self._drawn(path.stroke)
        if path.under is not None and path.tool != "off":
            found += self._pointer(path)
        return found

    def _part(self, name: str, key, make) -> list[Batch]:
        if self._parts.get(name, (None,))[0] != key:
            self._parts[name] = key, make()
        return self._parts[name][1]

    def _drawn(self, stroke) -> list[Batch]:
        """The stroke as the hand makes it."""
        batch = self._stroke
        if batch.count != min(len(stroke), _LONGEST):
            _fill(batch, np.array(stroke[-_LONGEST:]), (*_AMBER, 1.0), 5)
        return [batch]

    def _gone(self, led) -> list[Batch]:
        """The way a led character came, as far as it is remembered, up to where it is."""
        if self._trail.count != led.gone + 1 or led.gone == 0:
            fade = np.ones((led.gone + 1, 4))
            fade[:, :3], fade[:, 3] = GOOD, np.clip(np.linspace(-led.gone / 120.0, 1.0, led.gone + 1), 0.15, 0.95)
            _fill(self._trail, np.concatenate([led.trail[: led.gone], led.root[:1, [0, 2]]]), fade, 3)
        return [self._trail]

    def _pointer(self, path) -> list[Batch]:
        """What the mouse would do there."""
        colour, radius, hollow = {
            "draw": (_AMBER, 0.06, 0.0),
            "edit": (_AMBER, 0.05, 0.0),
            "paint": (word_colour(path.brush) if path.brush else (0.5, 0.5, 0.5), 0.22, 0.75),
            "goal": (_GOAL, 0.20, 0.7),
        }[path.tool]
        make = lambda: [marks(level([(0.0, 0.0)], 6), radius, (*colour, 0.9), hollow=hollow)]  # noqa: E731
        (batch,) = self._part("pointer", (path.tool, path.brush), make)
        batch.rows[0, [0, 2]] = path.under
        batch.touch()
        return [batch]


def _fill(batch: Lines, places, rgba, layer: int) -> None:
    count = len(places)
    batch.rows[:count, :3], batch.rows[:count, 3], batch.rows[:count, 4:] = level(places, layer), 1.0, rgba
    batch.rows[0, 3], batch.count = 0.0, count
    batch.touch()


def _thinned(places) -> np.ndarray:
    """Numbers of as many places as are worth drawing, the ends among them."""
    every = max(1, len(places) // 4000)
    return np.append(np.arange(0, len(places) - 1, every), len(places) - 1)


def _in_hand(path) -> list[Batch]:
    """A light ribbon with a dark edge, in the colours of what is asked for along it; where it begins, and which way
    it goes."""
    line = path.line
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


def _asked(asked, place, line) -> list[Batch]:
    """What a result was to follow, moved with it; faint, and nothing where it is the path in hand, which is `line`."""
    places = placed(asked, place[1:], place[0])
    if line is not None and len(line.places) == len(places) and np.allclose(line.places, places, atol=1e-6):
        return []
    places = level(places[_thinned(places)])
    return [
        polyline(places, (*_INK, 0.25), width=_WIDTH + 0.05, flat=True),
        polyline(places, (*_PAPER, _FAINT), width=_WIDTH, flat=True),
        marks(places[:1], 0.13, (*_START, _FAINT)),
    ]


def _arrows(line) -> Lines:
    """A small chevron every so often."""
    at = np.arange(_ARROWS / 2, line.length - 0.4, _ARROWS)
    index = np.minimum((at / line.spacing).astype(int), len(line.places) - 1)
    tips, ahead = line.places[index], line.tangents[index]
    side = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    size = 0.04
    corners = np.stack([tips - size * (ahead + side), tips, tips - size * (ahead - side)], axis=1)
    return polyline(level(corners, 2), (*_INK, 0.9), np.tile([0.0, 1.0, 1.0], len(tips)), width=0.018, flat=True)


def _head(place, ahead) -> list[Batch]:
    """The arrow at the end, seen on dark floors and on bright ones."""
    side, size = np.array([ahead[1], -ahead[0]]), 0.24
    corners = [place - size * (ahead + 0.8 * side), place + 0.06 * ahead, place - size * (ahead - 0.8 * side)]
    edge = polyline(level(corners, 2), (*_INK, 0.9), width=0.11, flat=True)
    return [edge, polyline(level(corners, 3), (*_PAPER, 1.0), width=0.06, flat=True)]


def _walked(entry, span, place) -> Lines:
    """The way of the root through the frames of a span, coloured by how far it is from the path that was asked for."""
    from motiongraph.walks.curve import Curve
    from motiongraph.walks.path_error import nearest_on

    part = entry.clip.root[slice(*span)][:, [0, 2]]
    off, _ = nearest_on(part, Curve.of(entry.made.asked))
    every = max(1, len(part) // 3000)
    colours = np.concatenate([off_colours(off), np.full((len(off), 1), 0.95)], axis=1)
    part = placed(part[::every], place[1:], place[0])
    return polyline(level(part, 4), colours[::every], width=0.045, flat=True)


def _handles(path, near) -> list[Batch]:
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


def _goal(place) -> list[Batch]:
    """A pin in the floor with rings around it."""
    x, z = place
    pole = np.array([[x, 0.0, z, 0.018, x, 0.95, z, 0.018, *_INK, 1.0]], np.float32)
    near, far = (
        marks(level([place], 5), size, (*_GOAL, alpha), hollow=0.8) for size, alpha in ((0.3, 0.9), (0.5, 0.4))
    )
    return [near, far, Capsules(pole), spheres([(x, 1.0, z)], 0.10, (*_GOAL, 1.0))]
