"""Sine, cosine and their inverses with the same bits on every processor.

The system's and numpy's own differ in the last place between processors (fused multiply-add, AVX-512). Nothing that
decides which transition or walk is chosen may depend on that. Errors stay within four units in the last place. Scalar
functions are for use inside kernels; `sin`, `cos`, `arctan2` and `arccos` take numbers or arrays.
"""

import math
from typing import Any

import numpy as np

from motiongraph.kernels import F64, FAST, kernel, njit, read

# π/2 in three parts; the first two have so few bits that their products with a whole number below 2²⁰ are exact.
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)


@njit(**FAST)
def sincos_quarter(x):
    """(sin, cos) of |x| ≤ π/4: Taylor terms to x¹⁶; each sum in two halves, which the processor adds side by side."""
    t = x * x
    u = t * t
    s = (1.0 + u * (1 / 120.0 + u * (1 / 362880.0 + u * (1 / 6227020800.0)))) - t * (
        1 / 6.0 + u * (1 / 5040.0 + u * (1 / 39916800.0 + u * (1 / 1307674368000.0)))
    )
    c = (1.0 + u * (1 / 24.0 + u * (1 / 40320.0 + u * (1 / 479001600.0 + u * (1 / 20922789888000.0))))) - t * (
        0.5 + u * (1 / 720.0 + u * (1 / 3628800.0 + u * (1 / 87178291200.0)))
    )
    return s * x, c


@njit(**FAST)
def _turned(s, c, quarters):
    """(sin, cos) after so many quarter turns more."""
    turn = int(quarters) & 3
    if turn == 0:
        return s, c
    if turn == 1:
        return c, -s
    if turn == 2:
        return -s, -c
    return -c, s


@njit(**FAST)
def sincos(x):
    """(sin, cos) of an angle in radians; beyond ±10⁶ the angle itself is no longer known that well."""
    if not abs(x) <= 1e6:
        x %= 2.0 * math.pi
    quarter = math.floor(x * (2.0 / math.pi) + 0.5)
    if quarter == 0.0:
        return sincos_quarter(x)
    s, c = sincos_quarter(((x - quarter * _HALF_PI[0]) - quarter * _HALF_PI[1]) - quarter * _HALF_PI[2])
    return _turned(s, c, quarter)


@njit(**FAST)
def sincos_degrees(degrees):
    """(sin, cos) of an angle in degrees; exact at multiples of 90°."""
    if not abs(degrees) <= 1e6:
        degrees %= 360.0
    quarter = math.floor(degrees * (1.0 / 90.0) + 0.5)
    s, c = sincos_quarter((degrees - 90.0 * quarter) * (math.pi / 180.0))
    return _turned(s, c, quarter)


@njit(**FAST)
def atan2(y, x):
    """Angle of the direction (x, y), −π … π. A guess good to 0.004 is turned back; what is left is so small that four
    terms of its series are enough."""
    a, b = abs(x), abs(y)
    large = max(a, b)
    if not 0.0 < large < math.inf or a != a or b != b:
        return math.atan2(y, x)  # nothing to compute: multiples of π/4, or NaN
    a, b = a / large, b / large
    t = min(a, b)
    guess = t * (0.25 * math.pi + 0.273 * (1.0 - t))
    if b > a:
        guess = 0.5 * math.pi - guess
    s, c = sincos(guess)
    rest = (b * c - a * s) / (a * c + b * s)
    square = rest * rest
    angle = guess + rest * (1.0 - square * (1 / 3.0 - square * (1 / 5.0 - square * (1 / 7.0))))
    if math.copysign(1.0, x) < 0.0:
        angle = math.pi - angle
    return math.copysign(angle, y)


@njit(**FAST)
def acos(x):
    """Angle 0 … π whose cosine is x."""
    return atan2(math.sqrt((1.0 - x) * (1.0 + x)), x)


@kernel((read(F64), F64[::1]))
def _sin(x, out):
    for i in range(x.shape[0]):
        out[i] = sincos(x[i])[0]


@kernel((read(F64), F64[::1]))
def _cos(x, out):
    for i in range(x.shape[0]):
        out[i] = sincos(x[i])[1]


@kernel((read(F64), read(F64), F64[::1]))
def _arctan2(y, x, out):
    for i in range(x.shape[0]):
        out[i] = atan2(y[i], x[i])


@kernel((read(F64), F64[::1]))
def _arccos(x, out):
    for i in range(x.shape[0]):
        out[i] = acos(x[i])


def _each(function: Any, *values: Any) -> Any:
    """A kernel applied to every element; a number for numbers."""
    arrays = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
    flat = [np.ascontiguousarray(array).ravel() for array in arrays]
    out = np.empty(flat[0].shape)
    function(*flat, out)
    return out.reshape(arrays[0].shape) if arrays[0].ndim else out[0]


def sin(x: Any) -> Any:
    """Sine of angles in radians."""
    return _each(_sin, x)


def cos(x: Any) -> Any:
    """Cosine of angles in radians."""
    return _each(_cos, x)


def arctan2(y: Any, x: Any) -> Any:
    """Angles −π … π of the directions (x, y)."""
    return _each(_arctan2, y, x)


def arccos(x: Any) -> Any:
    """Angles 0 … π whose cosines are x."""
    return _each(_arccos, x)


def smoothstep(u: Any) -> Any:
    """3u² − 2u³ of numbers or arrays from 0 to 1: from 0 to 1 with no slope at either end (Kovar 2002, eq. 7)."""
    return u * u * (3.0 - 2.0 * u)
