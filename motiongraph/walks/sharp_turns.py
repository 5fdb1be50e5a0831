"""How sharply clips turn, and where a path turns more sharply than any of them: there no walk can follow it."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.graph.floor import floor_path
from motiongraph.model.clip import Clip
from motiongraph.walks.curve import Curve

if TYPE_CHECKING:
    from motiongraph.graph.candidates import Candidates
    from motiongraph.graph.motion_graph import MotionGraph

_OVER = 1.0  # m along the way over which a turn is measured: about a step and a half
_STEP = 0.05  # m between two places of a way
_SLOWEST = 4.0  # s for that metre; who takes longer stands, and sways
_LEEWAY = 1.2  # times the tightest turn of the clips, which transitions add to
_known: WeakKeyDictionary["Candidates", float] = WeakKeyDictionary()


def tightest_turn(graph: "MotionGraph") -> float:
    """Radians that the clips turn within a metre at most; kept for each graph."""
    if graph.candidates not in _known:
        _known[graph.candidates] = max((_turn_of(clip) for clip in graph.clips), default=0.0)
    return _known[graph.candidates]


def _turn_of(clip: Clip) -> float:
    path = floor_path(clip)[0][clip.first :]
    gone = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1)))
    if gone[-1] < 1.5 * _OVER:
        return 0.0
    at = np.arange(0.0, gone[-1], _STEP)
    places = np.stack([np.interp(at, gone, path[:, k]) for k in range(2)], axis=1)
    over = round(_OVER / _STEP)
    when = np.interp(at, gone, np.arange(len(gone)) / clip.fps)
    brisk = when[over:] - when[:-over] < _SLOWEST
    turns = _turns(_headings(places), over)
    return float(np.abs(turns[brisk[: len(turns)]]).max(initial=0.0))


def _headings(places: np.ndarray) -> np.ndarray:
    """(n,) radians, unwrapped, of the way through places (n, 2), over a quarter of a metre."""
    reach, index = max(round(0.125 / _STEP), 1), np.arange(len(places))
    way = places[np.minimum(index + reach, len(places) - 1)] - places[np.maximum(index - reach, 0)]
    return np.unwrap(np.arctan2(way[:, 0], way[:, 1]))


def _turns(headings: np.ndarray, over: int) -> np.ndarray:
    return headings[over:] - headings[:-over]


def sharp_stretches(curve: Curve, turn: float) -> list[tuple[float, float]]:
    """Where a path turns by more than `turn` radians within a metre, with some leeway: from and to, metres along it."""
    over = max(round(_OVER / curve.spacing), 1)
    headings = np.unwrap(np.arctan2(curve.tangents[:, 0], curve.tangents[:, 1]))
    if len(headings) <= over:
        return []
    sharp = np.zeros(len(headings) + 1, bool)
    for start in np.flatnonzero(np.abs(_turns(headings, over)) > _LEEWAY * turn):
        sharp[start : start + over] = True
    edges = np.flatnonzero(np.diff(sharp.astype(np.int8), prepend=0)).reshape(-1, 2)
    return [(float(a * curve.spacing), float(b * curve.spacing)) for a, b in edges]
