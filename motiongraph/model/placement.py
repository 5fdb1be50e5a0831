"""Placements: rigid motions of the floor, which say where a clip stands in the world.

A placement (theta, x, z) turns by theta radians about the y axis and then shifts by x, z metres (Kovar 2002, 3.1):

    x → x cos θ + z sin θ + x0        z → −x sin θ + z cos θ + z0

Heights stay. A heading is an angle about y in radians, 0 along z and growing towards x, so that placing adds theta.
The first functions take numbers or arrays; those at the end take numbers only and are inlined into kernels.
"""

from typing import Any, TypeAlias, overload

import numpy as np

from motiongraph.elementary import arctan2, cos, sin, sincos
from motiongraph.kernels import FAST, njit

Placement: TypeAlias = tuple[float, float, float]  # theta, x, z
Placements: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]  # (n,) each

IDENTITY: Placement = (0.0, 0.0, 0.0)  # the placement that changes nothing


def _cos_sin(theta: Any) -> tuple[Any, Any]:
    return cos(theta), sin(theta)


@overload
def compose(outer: Placement, inner: Placement) -> Placement: ...
@overload
def compose(outer: Placements, inner: Placement | Placements) -> Placements: ...
@overload
def compose(outer: Placement, inner: Placements) -> Placements: ...
def compose(outer: Any, inner: Any) -> Any:
    """The placement that first applies `inner` and then `outer`."""
    theta, x, z = outer
    turn, u, w = inner
    c, s = _cos_sin(theta)
    return theta + turn, x + c * u + s * w, z - s * u + c * w


@overload
def inverse(placement: Placement) -> Placement: ...
@overload
def inverse(placement: Placements) -> Placements: ...
def inverse(placement: Any) -> Any:
    """The placement that undoes another: q = T(p) ⇔ p = T⁻¹(q)."""
    theta, x, z = placement
    c, s = _cos_sin(theta)
    return -theta, s * z - c * x, -s * x - c * z


def turn(theta: float | np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (…, 2) x, z or (…, 3) x, y, z turned by theta, one angle for all or (…) one each."""
    vectors = np.asarray(vectors, np.float64)
    c, s = _cos_sin(theta)
    x, z = vectors[..., 0], vectors[..., -1]
    turned_x, turned_z = c * x + s * z, c * z - s * x
    out = np.empty((*np.shape(turned_x), vectors.shape[-1]))
    out[..., 0], out[..., -1] = turned_x, turned_z
    if vectors.shape[-1] == 3:
        out[..., 1] = vectors[..., 1]
    return out


def place(placement: Placement | Placements, points: np.ndarray) -> np.ndarray:
    """Points (…, 2) x, z or (…, 3) x, y, z, metres, moved by one placement, or by one each."""
    theta, x, z = placement
    out = turn(theta, points)
    out[..., 0] += x
    out[..., -1] += z
    return out


def place_onto(theta: float, point: np.ndarray, target: np.ndarray) -> Placement:
    """The placement that turns by theta and brings a point to a target; (2,) x, z or (3,) x, y, z each, metres."""
    x, z = float(point[0]), float(point[-1])
    c, s = cos(theta), sin(theta)
    return theta, float(target[0]) - (c * x + s * z), float(target[-1]) - (c * z - s * x)


def direction_of(heading: float | np.ndarray) -> np.ndarray:
    """(…, 2) unit vectors x, z of headings (…)."""
    c, s = _cos_sin(heading)
    return np.stack([s, c], axis=-1)


def heading_of(direction: np.ndarray) -> np.ndarray:
    """(…) radians: headings of vectors (…, 2) x, z or (…, 3) x, y, z."""
    direction = np.asarray(direction)
    return arctan2(direction[..., 0], direction[..., -1])


def wrapped(angle: Any) -> Any:
    """The same angles, radians, from −π to π."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


# In kernels: numbers only. c and s are the cosine and sine of theta, computed once for many points.


@njit(**FAST)
def turned(c, s, u, w):
    """x, z of the vector u, w turned."""
    return c * u + s * w, c * w - s * u


@njit(**FAST)
def placed(c, s, x, z, u, w):
    """x, z of the point u, w turned and then shifted by x, z."""
    return x + c * u + s * w, z - s * u + c * w


@njit(**FAST)
def composed(theta, x, z, turn, u, w):
    """`compose` of the outer placement theta, x, z and the inner one turn, u, w."""
    s, c = sincos(theta)
    return theta + turn, x + c * u + s * w, z - s * u + c * w


@njit(**FAST)
def inverted(theta, x, z):
    """`inverse` of a placement."""
    s, c = sincos(theta)
    return -theta, s * z - c * x, -s * x - c * z
