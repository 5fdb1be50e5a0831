"""Sharp corners of a path made into turns that clips can walk: out to the side, round a circle through the corner, and
back onto the path. A search that looks along the path goes straight on at a sharp corner, as turning early costs more
there than it pays; along such a turn it does not."""

import numpy as np

from motiongraph.elementary import arctan2, cos, sin
from motiongraph.walks.curve import Curve

_OVER = 0.5  # m before and after a corner between which its turn is measured
_SHARP = 1.75  # rad; less of a turn is walked as it is
_BACK = 2.6  # rad; after more than this it may be turned to either side
_LEAVE = 3.0  # m before the corner at which the path is left, if there is room
_STEP = 0.1  # rad between two points of the turn


def corners(curve: Curve) -> list[tuple[int, float]]:
    """The sharp corners of a path: sample and radians of the turn, to the left above zero."""
    over, tangents = max(round(_OVER / curve.spacing), 1), curve.tangents
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


def rounded(curve: Curve, off: float, side: int = 1) -> tuple[Curve, np.ndarray]:
    """The path with turns at its sharp corners that leave it by `off` metres at most, and (M,) metres along it of every
    sample of the old one; side: −1 to turn back the other way round."""
    found, along = corners(curve), curve.along
    if not found:
        return curve, along
    pieces, kept, begin = [], [], 0
    bounds = [0, *(at for at, _ in found), len(along) - 1]
    for n, (at, turn) in enumerate(found):
        if side < 0 and abs(turn) > _BACK:
            turn -= np.copysign(2.0 * np.pi, turn)
        room = [abs(at - bounds[n]) // (2 if n else 1), abs(bounds[n + 2] - at) // (2 if n + 1 < len(found) else 1)]
        leave = [min(round(_LEAVE / curve.spacing), most) for most in room]
        first, last = at - leave[0], at + leave[1]
        way = _turn(curve, first, at, last, turn, off)
        if way is None:
            continue
        pieces += [curve.places[begin : first + 1], way]
        kept.append((first, last))
        begin = last
    if not kept:
        return curve, along
    pieces.append(curve.places[begin:])
    places = np.concatenate(pieces)
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1)))
    # Samples outside of the turns keep their place; those within are spread along them.
    metres, index, count = [], [], 0
    for n, piece in enumerate(pieces):
        if n % 2 == 0:
            start = 0 if n == 0 else kept[n // 2 - 1][1]
            index.append(np.arange(start, start + len(piece)))
            metres.append(lengths[count : count + len(piece)])
        count += len(piece)
    led = Curve.of(places)
    told = np.interp(np.arange(len(along)), np.concatenate(index), np.concatenate(metres))
    return Curve(led.places, led.tangents, np.interp(curve.knots, along, told), led.length, curve.closed), told


def _turn(curve: Curve, first: int, at: int, last: int, turn: float, off: float) -> np.ndarray | None:
    """(n, 2) the way from one sample of a path to another round the corner between; None where there is no room."""
    over = max(round(_OVER / curve.spacing), 1)
    corner, before, after = (
        curve.places[at],
        curve.tangents[max(at - over, 0)],
        curve.tangents[min(at + over, len(curve.tangents) - 1)],
    )
    inward = after - before
    inward /= max(float(np.sqrt((inward * inward).sum())), 1e-9)
    # A circle through the corner bulges over both legs by r (1 − cos(turn / 2)).
    radius = off / max(1.0 - abs(float(cos(0.5 * turn))), 0.1)
    middle, way = corner + radius * inward, 1.0 if turn > 0.0 else -1.0
    ends = []
    for place, sense in ((curve.places[first], -way), (curve.places[last], way)):
        gap = place - middle
        far2 = float((gap * gap).sum())
        if far2 <= radius * radius:
            return None
        # Seen from the middle, the tangent touches this much before or after the direction of the place.
        beside = float(arctan2(np.sqrt(far2 - radius * radius), radius))
        ends.append(float(arctan2(gap[0], gap[1])) - sense * beside)
    sweep = way * ((way * (ends[1] - ends[0])) % (2.0 * np.pi))
    angles = ends[0] + np.linspace(0.0, 1.0, max(round(abs(sweep) / _STEP), 2)) * sweep
    return middle + radius * np.stack([sin(angles), cos(angles)], axis=1)


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Radians from directions a (n, 2) to b (n, 2), x, z; to the left above zero."""
    return arctan2(a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1], (a * b).sum(axis=1))
