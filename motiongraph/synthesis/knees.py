"""Where the root must go so that legs reach their planted feet and no knee snaps.

Near full length a millimetre more or less between hip and ankle turns a knee by degrees. Feet that are held still
while the hips tremble, or ask for more than a leg's length, would show it: there the root gives way along the leg.
"""

import numpy as np
from scipy.signal import savgol_filter

from motiongraph.synthesis import _kernels
from motiongraph.synthesis.legs import bend, length, span

_SMOOTH = 0.06  # s to either side, over which a held leg's bending is smoothed
_TREMOR = np.radians(1.5)  # a knee may tremble this much, as captured ones do; more is taken by the root
_KEPT = 0.7  # of its bend a knee should keep
_SLACK = np.radians(5.0)  # within which the two wishes are weighed against each other
_DAMPING = 0.02  # keeps legs side by side from asking for the moon
_ROUNDS = 4


def wanted_span(hip, knee, ankle, goal, fps: float) -> np.ndarray:
    """(n, F, 1) metres that hip and goal of the ankle should be apart, for legs given by their positions (n, F, 3).

    As far as they are, but with little tremor in the knee, and not so far that it is much straighter than it was: where
    less than most of its bend would be left, the wish gives way softly.
    """
    upper, lower = length(knee - hip), length(ankle - knee)
    was, angle = (bend(length(end - hip), upper, lower) for end in (ankle, goal))
    window = 2 * max(round(_SMOOTH * fps), 2) + 1
    if angle.shape[1] >= window:
        was, smooth = (savgol_filter(bends, window, 3, axis=1, mode="interp") for bends in (was, angle))
        angle = smooth + _TREMOR * np.tanh((angle - smooth) / _TREMOR)
    least = _KEPT * np.maximum(was, 0.0)
    return span(0.5 * (angle + least + np.hypot(angle - least, _SLACK)), upper, lower)


def root_shift(hip, goal, wanted, firm) -> np.ndarray:
    """(F, 3) metres by which the root moves so that hips are `wanted` (n, F, 1) from the goals of their ankles.

    hip, goal: (n, F, 3); firm: (n, F) 1 while the ankle must be at its goal, less where it may give way itself.
    """
    shift = np.empty(hip.shape[1:])
    _kernels.give(hip, goal, np.ascontiguousarray(wanted[..., 0]), firm, _DAMPING, _ROUNDS, shift)
    return shift
