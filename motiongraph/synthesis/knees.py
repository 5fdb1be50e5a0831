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
_SLACK = np.radians(4.0)  # the least bend of a held knee, about
_DAMPING = 0.02  # keeps legs side by side from asking for the moon
_ROUNDS = 4


def wanted_span(hip, goal, upper, lower, fps: float) -> np.ndarray:
    """(n, F, 1) metres that hip and ankle should be apart, for legs given by hip and goal of the ankle (n, F, 3) and
    bone lengths upper, lower (n, F, 1): as far as they are, with little tremor in the knee and never quite straight.
    """
    angle = bend(length(goal - hip), upper, lower)
    window = 2 * max(round(_SMOOTH * fps), 2) + 1
    if angle.shape[1] >= window:
        smooth = savgol_filter(angle, window, 3, axis=1, mode="interp")
        angle = smooth + _TREMOR * np.tanh((angle - smooth) / _TREMOR)
    return span(np.hypot(np.maximum(angle, 0.0), _SLACK), upper, lower)


def root_shift(hip, goal, wanted, firm) -> np.ndarray:
    """(F, 3) metres by which the root moves so that hips are `wanted` (n, F, 1) from the goals of their ankles.

    hip, goal: (n, F, 3); firm: (n, F) 1 while the ankle must be at its goal, less where it may give way itself.
    """
    shift = np.empty(hip.shape[1:])
    _kernels.give(hip, goal, np.ascontiguousarray(wanted[..., 0]), firm, _DAMPING, _ROUNDS, shift)
    return shift
