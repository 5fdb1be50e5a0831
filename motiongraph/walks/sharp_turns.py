"""How sharply clips turn; where a path turns more sharply than any of them, so that no walk can follow it; and the
sharp corners of a path, with what a search has to know near them."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.elementary import arctan2
from motiongraph.graph.floor import floor_path
from motiongraph.model.clip import Clip
from motiongraph.model.placement import heading_of
from motiongraph.walks.curve import Curve

if TYPE_CHECKING:
    from motiongraph.graph.candidates import Candidates
    from motiongraph.graph.motion_graph import MotionGraph

_OVER = 1.0  # m along the way over which a turn is measured: about a step and a half
_STEP = 0.05  # m between two places of a way
_SLOWEST = 4.0  # s for that metre; who takes longer stands, and sways
_LEEWAY = 1.2  # times the tightest turn of the clips, which transitions add to
_SHARP = 1.75  # rad of a corner that is sharp, between half of _OVER before and after it
_BEFORE, _BEHIND = 4.0, 1.5  # m before and after such a corner where room to turn counts
_STRAIGHT = 0.15  # m off a line that is straight
_known: WeakKeyDictionary["Candidates", float] = WeakKeyDictionary()


def tightest_turn(graph: "MotionGraph", frames: np.ndarray | None = None) -> float:
    """Radians that the clips turn within a metre at most; kept for each graph. frames: (F,) bool, of all clips, within
    which the metre must be."""
    if frames is not None:
        own = np.split(frames, np.cumsum([len(clip) for clip in graph.clips])[:-1])
        return max((_turn_of(clip, mask) for clip, mask in zip(graph.clips, own) if mask.any()), default=0.0)
    if graph.candidates not in _known:
        _known[graph.candidates] = max((_turn_of(clip) for clip in graph.clips), default=0.0)
    return _known[graph.candidates]


def _turn_of(clip: Clip, within: np.ndarray | None = None) -> float:
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
    if within is not None:
        lacking = np.append(0, np.cumsum(~within[clip.first :]))[(when * clip.fps).astype(int)]
        brisk &= lacking[over:] == lacking[:-over]
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


def corners(curve: Curve) -> list[tuple[int, float]]:
    """The sharp corners of a path: sample and radians of the turn, to the left above zero."""
    over, tangents = _half(curve), curve.tangents
    if len(tangents) <= 2 * over:
        return []
    turn = _angle(tangents[: -2 * over], tangents[2 * over :])
    found: list[tuple[int, float]] = []
    sharp = np.append(np.abs(turn) > _SHARP, False)
    for first, last in np.flatnonzero(np.diff(sharp, prepend=False)).reshape(-1, 2).tolist():
        most = float(np.abs(turn[first:last]).max())
        level = np.flatnonzero(np.abs(turn[first:last]) >= most - 1e-6)
        middle = first + int(level[len(level) // 2])
        found.append((middle + over, float(turn[middle])))
    return found


def near_corners(curve: Curve, everywhere: bool) -> np.ndarray:
    """(M, 8) for every sample of a path near a sharp corner: the corner's x, z, the directions x, z after and before
    it, the heading after it, 1; zeros elsewhere. everywhere: there too, of the path a little ahead."""
    out, over = np.zeros((len(curve.places), 8)), _half(curve)
    if everywhere:
        ahead = np.minimum(np.arange(len(out)) + over, len(out) - 1)
        out[:, :2], out[:, 2:4], out[:, 4:6] = curve.places[ahead], curve.tangents[ahead], curve.tangents
        out[:, 6], out[:, 7] = heading_of(curve.tangents[ahead]), 1.0
    for at, _ in corners(curve):
        before, after = curve.tangents[max(at - over, 0)], curve.tangents[min(at + over, len(out) - 1)]
        # Only where the path leads straight to the corner and away from it: elsewhere it has other turns to make.
        first = at - _straight(curve.places[at::-1], before, _BEFORE / curve.spacing)
        last = at + _straight(curve.places[at:], after, _BEHIND / curve.spacing)
        out[first : last + 1] = *curve.places[at], *after, *before, float(heading_of(after)), 1.0
    out.flags.writeable = False
    return out


def turn_near(curve: Curve, at: float, reach: float = 0.0) -> float:
    """Degrees by which a path turns at most within a metre, no farther than a metre and `reach` from this place."""
    over, i = max(round(1.0 / curve.spacing), 1), round(at / curve.spacing)
    around = over + round(reach / curve.spacing)
    headings = np.unwrap(heading_of(curve.tangents[max(i - around, 0) : i + around + 1]))
    turns = headings[over:] - headings[:-over] if len(headings) > over else headings[-1:] - headings[:1]
    return float(np.degrees(np.abs(turns).max(initial=0.0)))


def _half(curve: Curve) -> int:
    return max(round(0.5 * _OVER / curve.spacing), 1)


def _straight(places: np.ndarray, way: np.ndarray, most: float) -> int:
    """How many samples (n, 2), `most` at most, are on a line through the first one in this direction."""
    gap = places[: int(most) + 1] - places[0]
    off = np.abs(gap[:, 0] * way[1] - gap[:, 1] * way[0]) > _STRAIGHT
    return int(off.argmax()) - 1 if off.any() else len(gap) - 1


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Radians from directions a (n, 2) to b (n, 2), x, z; to the left above zero."""
    return arctan2(a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1], (a * b).sum(axis=1))
