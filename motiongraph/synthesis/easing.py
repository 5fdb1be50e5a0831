"""Corrections that come and go without a jolt."""

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.elementary import smoothstep
from motiongraph.synthesis import _kernels

_STEADY = 1 / 30  # s over which a velocity is taken: a single frame is mostly noise


def runs(mask: np.ndarray) -> np.ndarray:
    """(n, 2) start and stop of every unbroken stretch of True in (F,) bool."""
    return np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)


def eased(known: np.ndarray, values: np.ndarray, reach: float, fps: float) -> np.ndarray:
    """values (F, n) where known (F,), and in between curves that leave and arrive with their value and velocity.

    A gap longer than 2 · reach seconds is zero in its middle; a shorter one is bridged in one go. All curves are
    quintics without acceleration at their ends.
    """
    out = np.empty(values.shape)
    frames, steady = max(round(reach * fps), 1), max(round(_STEADY * fps), 1)
    _kernels.ease(known, np.ascontiguousarray(values), frames, steady, out)
    return out


def envelope(values: np.ndarray, radius: int) -> np.ndarray:
    """A smooth curve (F,) nowhere below `values` (F,) ≥ 0: the highest within the radius, then blurred by a third."""
    if not values.any():
        return values
    high = scipy.ndimage.maximum_filter1d(values, 2 * radius + 1, mode="nearest")
    return np.maximum(scipy.ndimage.gaussian_filter1d(high, radius / 3.0, mode="nearest", truncate=3.0), values)


def nearness(mask: np.ndarray, reach: int) -> np.ndarray:
    """(F,) 1 where mask (F,) holds, falling smoothly to 0 within `reach` frames of it."""
    if not mask.any():
        return np.zeros(len(mask))
    away = np.asarray(scipy.ndimage.distance_transform_edt(~mask))
    return smoothstep(np.maximum(1.0 - away / max(reach, 1), 0.0))
