"""A path on the floor: a polyline or a spline through points, measured along its length; and how far a walk is from it.

Two measures of that distance: to the nearest point of the path, which is what one sees, and at equal arc length, which
is what Kovar's equation 9 sums up (2002, 5.1): a character that falls behind is off by as much, though it may stand on
the path.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import scipy  # whose parts are loaded when first used
from numpy.typing import ArrayLike

from motiongraph.elementary import cos, sincos
from motiongraph.errors import MotionError
from motiongraph.graph.floor import floor_path
from motiongraph.model.clip import Clip
from motiongraph.model.placement import Placement, place, turn
from motiongraph.walks.alignment import aligned
from motiongraph.walks.walk import Walk

SPACING = 0.02  # m, between the samples of a path
_FARTHEST, _LONGEST = 1e6, 1e5  # m; how far the clips of a graph can walk is for `path_goal` to say
_TANGENT = 0.3  # m, over which the direction of a path is taken, so that a corner is a bend
_ALONG = 45.0  # degrees, within which a body faces along the path


@dataclass(frozen=True, eq=False)
class Curve:
    """A path, sampled at equal steps along its length."""

    places: np.ndarray  # (M, 2) x, z about every SPACING metres
    tangents: np.ndarray  # (M, 2) unit vectors x, z along it
    knots: np.ndarray  # (N,) metres along it of the given points
    length: float  # metres
    closed: bool  # whether it ends where it begins

    @classmethod
    def of(cls, points: ArrayLike, kind: str = "polyline", closed: bool = False) -> "Curve":
        """Through `points`, (N, 2) x, z metres. kind: "polyline" or "spline"; closed: back to the first point."""
        points = np.asarray(points, float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise MotionError(f"a path needs at least two points x, z in metres, not an array of shape {points.shape}")
        if kind not in ("polyline", "spline"):
            raise MotionError(f"a path is a 'polyline' or a 'spline', not {kind!r}")
        if np.abs(points).max() > _FARTHEST:
            raise MotionError(f"a path goes through places at most {_FARTHEST / 1000:,.0f} km away")
        if closed and distance(points[0], points[-1]) > 1e-9:
            points = np.concatenate([points, points[:1]])
        gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        kept = np.append(True, gaps > 1e-9)
        knots = np.append(0.0, np.cumsum(gaps))
        if knots[-1] < 0.1:
            raise MotionError(f"a path of {knots[-1]:.3g} m is too short to walk along; 0.1 m is the least")
        fine, at = points[kept], knots[kept]
        if kind == "spline" and len(fine) > 2:
            # The square root of the chord as parameter keeps a spline from looping at close points (centripetal).
            parameter = np.append(0.0, np.cumsum(np.sqrt(np.linalg.norm(np.diff(fine, axis=0), axis=1))))
            spline = scipy.interpolate.CubicSpline(parameter, fine, bc_type="periodic" if closed else "natural")
            dense = np.unique(np.concatenate([np.linspace(0, parameter[-1], 64 * len(fine)), parameter]))
            fine = spline(dense)
            at = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1)))
            knots = np.interp(np.append(0.0, np.cumsum(np.sqrt(gaps))), dense, at)
        length = float(at[-1])
        if length > _LONGEST:
            raise MotionError(f"a path of {length / 1000:,.0f} km is too long; {_LONGEST / 1000:g} km are the most")
        s = np.linspace(0.0, length, max(round(length / SPACING), 1) + 1)
        places = np.stack([np.interp(s, at, fine[:, k]) for k in range(2)], axis=1)
        return cls(places, _tangents(places, closed), knots, length, closed)

    def at(self, s: ArrayLike) -> np.ndarray:
        """(…, 2) the place s metres along; the ends beyond them."""
        s = np.asarray(s, float)
        return np.stack([np.interp(s, self.along, self.places[:, k]) for k in range(2)], axis=-1)

    @property
    def along(self) -> np.ndarray:
        """(M,) metres along the path of each sample."""
        return np.linspace(0.0, self.length, len(self.places))

    @property
    def spacing(self) -> float:
        """Metres between two samples."""
        return self.length / (len(self.places) - 1)


def _tangents(places: np.ndarray, closed: bool) -> np.ndarray:
    """The direction between the places half of _TANGENT before and after each."""
    reach = max(round(_TANGENT / 2 / SPACING), 1)
    n = len(places)
    index = np.arange(n)
    if closed:
        after, before = (index + reach) % (n - 1), (index - reach) % (n - 1)
    else:
        after, before = np.minimum(index + reach, n - 1), np.maximum(index - reach, 0)
    way = places[after] - places[before]
    size = np.linalg.norm(way, axis=1, keepdims=True)
    fallback = np.gradient(places, axis=0)
    way = np.where(size > 1e-6, way, fallback)
    return way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Metres between two places (2,) x, z."""
    x, z = float(b[0] - a[0]), float(b[1] - a[1])
    return sqrt(x * x + z * z)


_U = np.linspace(0.0, 1.0, 65)[:, None]
_V = 1.0 - _U


def smooth_points(
    place: ArrayLike, heading: float, target: ArrayLike, facing: float | None = None, handle: float = 0.5
) -> np.ndarray:
    """(65, 2) x, z of a smooth path from a place and heading to a target, arriving with `facing` if it is given.

    A cubic whose handles are this share of the distance, so that the path guides all along and turns no more than it
    must (Kovar 2002, 4.3: guidance throughout). Angles in radians.
    """
    place, target = np.asarray(place, float), np.asarray(target, float)
    far = max(handle * distance(place, target), 0.5)
    ahead = place + far * np.array(sincos(heading))
    last = target + (ahead - target) / 3.0 if facing is None else target - far * np.array(sincos(facing))
    return _V * _V * _V * place + 3 * _U * _V * _V * ahead + 3 * _U * _U * _V * last + _U * _U * _U * target


def between(
    place: ArrayLike, heading: float, target: ArrayLike, facing: float | None = None, handle: float = 0.5
) -> Curve:
    """The path through `smooth_points`."""
    return Curve.of(smooth_points(place, heading, target, facing, handle))


def trace(walk: Walk, smooth: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2) x, z of the root on the floor, metres, and (F, 2) unit vectors the body faces; blended in transitions.

    smooth: the root's path without the sway of a step, as planning measures it.
    """
    u = (np.arange(walk.window) + 1.0) / walk.window
    alpha = (2.0 * u * u * u - 3.0 * u * u + 1.0)[:, None]
    places, facing = [], []
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        here = _placed(walk.clips[clip], slice(start, stop), walk.placements[k], smooth)
        places.append(here[0])
        facing.append(here[1])
        if k < len(walk.transitions):
            jump = walk.transitions[k]
            a, b = int(jump["src_frame"]), int(jump["dst_frame"])
            first = _placed(walk.clips[jump["src"]], slice(a, a + walk.window), walk.placements[k], smooth)
            second = _placed(walk.clips[jump["dst"]], slice(b, b + walk.window), walk.placements[k + 1], smooth)
            places.append(alpha * first[0] + (1.0 - alpha) * second[0])
            facing.append(alpha * first[1] + (1.0 - alpha) * second[1])
    places, facing = np.concatenate(places), np.concatenate(facing)
    if walk.turns is not None:
        theta, x, z = walk.turns.T
        places, facing = place((theta, x, z), places), turn(theta, facing)
    return places, facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)


def _placed(clip: Clip, frames: slice, placement: Placement, smooth: bool) -> tuple[np.ndarray, np.ndarray]:
    path, face = floor_path(clip)
    own = path[frames] if smooth else clip.root[frames][:, [0, 2]]
    return place(placement, own), turn(placement[0], face[frames])


def progress_along(walk: Walk, curve: Curve) -> np.ndarray:
    """(F,) metres along the path of the point that belongs to each frame."""
    return nearest_on(trace(walk)[0], curve)[1] * curve.spacing


def nearest_on(places: np.ndarray, curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """Of each of places (F, 2), metres from the path and the number of the sample that belongs to it, in order."""
    return aligned(places, curve.places, curve.spacing)


def distance_at_equal_arc(walk: Walk, curve: Curve) -> np.ndarray:
    """(F,) metres between the character and the point of the path at the same arc length (Kovar 2002, eq. 9); beyond
    the path's end, its last point."""
    places, _ = trace(walk, smooth=True)
    walked = np.cumsum(np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1))
    return np.linalg.norm(places - curve.at(walked), axis=1)


def distance_from(path: np.ndarray, places: np.ndarray) -> dict[str, float]:
    """Metres of places (F, 2) from a path (M, 2), mean and worst, and where along it the worst is, as `path_error` has
    them: for motion that is no longer where its walk went."""
    curve = Curve.of(path)
    distance, index = nearest_on(places, curve)
    return {
        "path_error_mean": float(distance.mean()),
        "path_error_worst": float(distance.max()),
        "path_error_worst_at": float(index[distance.argmax()] * curve.spacing),
    }


def path_error(walk: Walk, curve: Curve) -> dict[str, Any]:
    """Metres from the path, mean and worst over the frames, to its nearest point and at equal arc length; the sum of
    equation 9, m² times frames; the share of time the body faces along it; how far it was walked and how fast, m/s, on
    average; where along the path the worst is, m; and by how many degrees a second the body was turned, if it was."""
    places, facing = trace(walk)
    if not len(places):
        return {"path_length": curve.length, "path_walked": 0.0}
    distance, index = nearest_on(places, curve)
    along = (facing * curve.tangents[index]).sum(axis=1) >= cos(np.radians(_ALONG))
    apart = distance_at_equal_arc(walk, curve)
    turned = {}
    if walk.turns is not None:
        turned["turned"] = float(np.degrees(np.abs(np.diff(walk.turns[:, 0])).sum()) * walk.fps / len(places))
    return {
        "path_length": curve.length,
        "path_walked": float(index.max() * curve.spacing),
        "path_speed": float(index.max() * curve.spacing * walk.fps / len(places)),
        "path_error_mean": float(distance.mean()),
        "path_error_worst": float(distance.max()),
        "path_error_worst_at": float(index[distance.argmax()] * curve.spacing),
        "arc_error_mean": float(apart.mean()),
        "arc_error_worst": float(apart.max()),
        "equation_9": float((apart * apart).sum()),
        "facing_along": float(along.mean()),
        **turned,
    }
