"""Smooth curves of one variable: all have continuous acceleration, so that nothing in the motion jerks."""

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d


def ease(t, start, stop):
    """0 before `start`, 1 after `stop`, a quintic with no velocity and no acceleration at both ends between."""
    s = np.clip((t - start) / (stop - start), 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def quintic(t, start, stop, begin, end):
    """The quintic from `begin` to `end`, each (value, velocity, acceleration), over times start … stop.

    t: (F,) seconds inside the interval; values may be numbers or (3,) vectors, and the result is (F,) or (F, 3).
    """
    span = stop - start
    s = (np.asarray(t, float) - start) / span
    (p0, v0, a0), (p1, v1, a1) = (
        [np.asarray(x, float) * span**k for k, x in enumerate(state)] for state in (begin, end)
    )
    rest = p1 - p0 - v0 - 0.5 * a0  # what is left for the cubic and higher terms to do at the end
    speed = v1 - v0 - a0
    bend = a1 - a0
    terms = [
        p0,
        v0,
        0.5 * a0,
        10.0 * rest - 4.0 * speed + 0.5 * bend,
        -15.0 * rest + 7.0 * speed - bend,
        6.0 * rest - 3.0 * speed + 0.5 * bend,
    ]
    powers = s[:, None] ** np.arange(6)
    return powers @ np.stack(terms)


def bump(s, peak=0.5, sharp=3.0):
    """0 at s = 0 and 1, 1 at s = `peak`; with sharp > 2 there is no velocity or acceleration at the ends."""
    late = (1.0 - peak) / peak
    rise, fall = (sharp, sharp * late) if peak <= 0.5 else (sharp / late, sharp)
    s = np.clip(s, 0.0, 1.0)
    return (s / peak) ** rise * ((1.0 - s) / (1.0 - peak)) ** fall


def smooth(values, seconds, fps):
    """Gaussian of standard deviation `seconds` along the first axis; the ends are held."""
    return gaussian_filter1d(values, seconds * fps, axis=0, mode="nearest", truncate=5.0)


def cover(values, seconds, fps):
    """A smooth curve that lies on or above `values` (F,): a running maximum, then a Gaussian of a third its reach."""
    wide = maximum_filter1d(values, 2 * round(seconds * fps) + 1, mode="nearest")
    return gaussian_filter1d(wide, seconds * fps / 3.0, mode="nearest", truncate=3.0)


def wander(rng, count, seconds, fps):
    """(count,) slow random curve of zero mean and unit deviation that changes over about `seconds`."""
    reach = 5 * round(seconds * fps)
    noise = gaussian_filter1d(rng.standard_normal(count + 2 * reach), seconds * fps)[reach : reach + count]
    return noise * np.sqrt(2.0 * np.sqrt(np.pi) * seconds * fps)


def calm(t, seconds):
    """1 in the middle of a clip of `seconds`, 0.3 at and beyond its ends: how far small random motion may go."""
    return 0.3 + 0.7 * ease(t, 0.0, 1.2) * (1.0 - ease(t, seconds - 1.2, seconds))


def keyed(t, keys, seconds, fps):
    """Held values of `keys` [(time, value), …], each change eased by a Gaussian of `seconds`; (F,)."""
    if not keys:
        return np.zeros(len(t))
    times, values = np.array(keys, float).T
    held = values[np.clip(np.searchsorted(times, t, side="right") - 1, 0, None)]
    return smooth(np.where(t < times[0], 0.0, held), seconds, fps)
