"""The curve that shows a transition between lanes (dissertation, figures 4.5 and 5.6).

x is seconds, y lanes downwards. One formula for the picture and for the window; shaders/curves.vert repeats it for the
graphics card. Numpy only, because the window needs it before numba is there.
"""

from typing import Any

import numpy as np


def arc_height(across: Any) -> Any:
    """How many lanes a curve that stays in its clip rises, by the seconds between its ends; never a whole lane."""
    return 0.25 + 0.6 * np.minimum(np.abs(across) / 3.0, 1.0)


def along(x0: Any, y0: Any, x1: Any, y1: Any, t: Any) -> tuple[Any, Any]:
    """(x, y) a share t of the way from (x0, y0) to (x1, y1); numbers, or arrays that broadcast.

    Between lanes an S with upright ends: x eases while y runs evenly. Within a lane an arc above it.
    """
    rise = np.where(np.equal(y0, y1), arc_height(np.subtract(x1, x0)), 0.0)
    return x0 + (x1 - x0) * t * t * (3.0 - 2.0 * t), y0 + (y1 - y0) * t - rise * 4.0 * t * (1.0 - t)


def bent(points: int) -> np.ndarray:
    """(points,) shares from 0 to 1, closer to each other where curves bend."""
    return 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, points))
