"""A path on the floor: a polyline or a spline through points, measured along its length."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from motiongraph.errors import MotionError

SPACING = 0.02  # m, between the samples of a path
_TANGENT = 0.3  # m, over which the direction of a path is taken, so that a corner is a bend


@dataclass(frozen=True, eq=False)
class Curve:
    """places: (M, 2) x, z every SPACING metres; tangents: (M, 2) unit; knots: (N,) metres at which the given points
    lie along it; length: metres; closed: whether it ends where it begins."""

    places: np.ndarray
    tangents: np.ndarray
    knots: np.ndarray
    length: float
    closed: bool

    @classmethod
    def of(cls, points, kind: str = "polyline", closed: bool = False) -> "Curve":
        """Through `points`, (N, 2) x, z metres. kind: "polyline" or "spline"; closed: back to the first point."""
        points = np.asarray(points, float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise MotionError(f"a path needs at least two points x, z in metres, not an array of shape {points.shape}")
        if kind not in ("polyline", "spline"):
            raise MotionError(f"a path is a 'polyline' or a 'spline', not {kind!r}")
        if closed and np.linalg.norm(points[0] - points[-1]) > 1e-9:
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
            spline = CubicSpline(parameter, fine, bc_type="periodic" if closed else "natural")
            dense = np.unique(np.concatenate([np.linspace(0, parameter[-1], 64 * len(fine)), parameter]))
            fine = spline(dense)
            at = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1)))
            knots = np.interp(np.append(0.0, np.cumsum(np.sqrt(gaps))), dense, at)
        length = float(at[-1])
        s = np.linspace(0.0, length, max(round(length / SPACING), 1) + 1)
        places = np.stack([np.interp(s, at, fine[:, k]) for k in range(2)], axis=1)
        return cls(places, _tangents(places, closed), knots, length, closed)

    def at(self, s) -> np.ndarray:
        """(…, 2) the place s metres along; the ends beyond them."""
        return np.stack([np.interp(s, self.along, self.places[:, k]) for k in range(2)], axis=-1)

    @property
    def along(self) -> np.ndarray:
        """(M,) metres along the path of each sample."""
        return np.linspace(0.0, self.length, len(self.places))

    @property
    def spacing(self) -> float:
        return self.length / (len(self.places) - 1)


def _tangents(places, closed):
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


def between(place, heading: float, target, facing: float | None = None, handle: float = 0.5) -> Curve:
    """A smooth way from a place (x, z) and heading to a target, arriving with `facing` if it is given (radians).

    A cubic whose handles are this share of the distance, so that the way guides all along and turns no more than it
    must (Kovar 2002, 4.3: guidance throughout).
    """
    place, target = np.asarray(place, float), np.asarray(target, float)
    far = max(handle * float(np.linalg.norm(target - place)), 0.5)
    ahead = place + far * np.array([np.sin(heading), np.cos(heading)])
    if facing is None:
        last = target + (ahead - target) / 3.0
    else:
        last = target - far * np.array([np.sin(facing), np.cos(facing)])
    u = np.linspace(0.0, 1.0, 65)[:, None]
    return Curve.of((1 - u) ** 3 * place + 3 * u * (1 - u) ** 2 * ahead + 3 * u**2 * (1 - u) * last + u**3 * target)
