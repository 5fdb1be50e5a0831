"""Corrections that come and go without a jolt."""

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d


def runs(mask) -> np.ndarray:
    """(n, 2) start and stop of every unbroken stretch of True in (F,) bool."""
    return np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)


def eased(known: np.ndarray, values: np.ndarray, reach: int) -> np.ndarray:
    """values (F, 3) where known (F,), and in between curves that leave and arrive with their value and velocity.

    A gap longer than 2 · reach frames is zero in its middle; a shorter one is bridged in one go. All curves are
    quintics without acceleration at their ends.
    """
    out = np.where(known[:, None], values, 0.0)
    stretches = runs(known)
    if not len(stretches):
        return out
    edges = [(None, stretches[0, 0]), *zip(stretches[:-1, 1], stretches[1:, 0]), (stretches[-1, 1], None)]
    for left, right in edges:
        start, stop = 0 if left is None else int(left), len(known) if right is None else int(right)
        before = None if left is None else (values[start - 1], _slope(known, values, start - 1, -1))
        after = None if right is None else (values[stop], _slope(known, values, stop, 1))
        gap = stop - start + 1  # intervals between the known frames on either side
        if before and after and gap <= 2 * reach:
            u = np.arange(1, gap)[:, None] / gap
            out[start:stop] = _leaving(u, gap, *before) + _leaving(1.0 - u, gap, after[0], -after[1])
            continue
        if before:
            frames = np.arange(1, min(reach, stop - start + 1))
            out[start - 1 + frames] += _leaving(frames[:, None] / reach, reach, *before)
        if after:
            frames = np.arange(1, min(reach, stop - start + 1))
            out[stop - frames] += _leaving(frames[:, None] / reach, reach, after[0], -after[1])
    return out


def _leaving(u, span, value, slope):
    """From `value` with `slope` a frame at u = 0 to rest at zero at u = 1, `span` frames later."""
    hold = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    swing = u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2)
    return hold * value + swing * span * slope


def _slope(known, values, at, side):
    """Change a frame of `values` at the edge `at` of a known stretch; side: where the stretch lies, seen from it."""
    inside = at + side
    if not (0 <= inside < len(known) and known[inside]):
        return np.zeros(values.shape[1])
    return (values[at] - values[inside]) * -side


def envelope(values: np.ndarray, radius: int) -> np.ndarray:
    """A smooth curve (F,) nowhere below `values` (F,) ≥ 0: the highest within the radius, then blurred by a third."""
    if not values.any():
        return values
    high = maximum_filter1d(values, 2 * radius + 1, mode="nearest")
    return np.maximum(gaussian_filter1d(high, radius / 3.0, mode="nearest", truncate=3.0), values)
