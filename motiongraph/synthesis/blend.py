"""Making the frames of one transition from the two windows it joins.

A window is (root (L, 3), rotations (L, J, 4), offsets (L, J, 3) or None), both already placed on the same floor.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from motiongraph import rotations as rot
from motiongraph.synthesis import _kernels

_QUICKEST = 4.0  # m/s or rad/s


def weights(frames: int) -> np.ndarray:
    """(L,) share of the first motion at frame p of a transition, falling smoothly from 1 to 0 (Kovar 2002, eq. 7)."""
    u = (np.arange(frames) + 1.0) / frames
    return 2.0 * u**3 - 3.0 * u**2 + 1.0


def linear(first, second, alpha: np.ndarray):
    """Root by linear interpolation, joints by slerp along the shorter arc (Kovar 2002, eqs. 5 and 6)."""
    (root_a, turns_a, slide_a), (root_b, turns_b, slide_b) = first, second
    root, turns = np.empty_like(root_a), np.empty_like(turns_a)
    _kernels.mix(root_a, turns_a, root_b, turns_b, 1.0 - alpha, root, turns)
    slide = None
    if slide_a is not None:
        slide = slide_b + alpha[:, None, None] * (slide_a - slide_b)
    return root, turns, slide


def inertialized(before, first, second, earlier, fps: float):
    """The second motion from the start, plus what it lacks of the first in pose and velocity, dying away.

    before, earlier: the poses (root (3,), rotations (J, 4), offsets (J, 3) or None) of the two motions one frame
    before the window, or None where its clip begins with it. The difference follows a quintic that starts with its
    value and velocity and ends with the window, at rest (the idea is Bollo's, GDC 2018).
    """
    root_b, turns_b, slide_b = second
    frames, known = len(root_b), before is not None and earlier is not None

    def dying(now, then):
        """(L, …) the difference `now` at frame 0, with the velocity it has coming from `then`.

        A glitch of the capture just before the window would throw the pose far off: no difference between motions
        that blend well is quicker than a few metres or radians a second.
        """
        velocity = (now - then) * fps
        speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
        return quintic(now, velocity * np.minimum(1.0, _QUICKEST / np.maximum(speed, 1e-9)), frames, fps)

    def turn(a, b):
        return rot.to_vector(rot.multiply(a, rot.conjugate(b)))

    now = first[0][0] - root_b[0], turn(first[1][0], turns_b[0])
    then = (before[0] - earlier[0], turn(before[1], earlier[1])) if known else now
    root = root_b + dying(now[0], then[0])
    turns = rot.multiply(rot.from_vector(dying(now[1], then[1])), turns_b)
    slide = slide_b
    if slide_b is not None:
        gap = first[2][0] - slide_b[0]
        slide = slide_b + dying(gap, before[2] - earlier[2] if known else gap)
    return root, turns, slide


def quintic(value, velocity, frames, fps):
    """(L, …) from `value` and `velocity` (a second) at frame 0, with no acceleration, to rest after L frames."""
    span = frames / fps
    u = (np.arange(frames) / frames).reshape(-1, *[1] * np.ndim(value))
    hold = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    swing = u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2)
    return hold * value + swing * span * velocity


def registered(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(L, 2) which moments of the two windows belong together, in frames, as far from p as to the other side of it.

    first, second: (L, J, 3) joint positions on the same floor. A small dynamic program over their squared distances,
    neither motion running at more than twice the other's speed. The frames found are whole and make steps; what they
    lead or lag is smoothed, and fades at both ends, where the motions run at their own speed.
    """
    frames = len(first)
    path = _kernels.register(np.ascontiguousarray(first), np.ascontiguousarray(second)).astype(float)
    p = np.arange(frames, dtype=float)
    lead = np.interp(p, path.mean(axis=1), 0.5 * (path[:, 0] - path[:, 1]))
    u = np.minimum(p, p[::-1]) / max(0.25 * frames, 1.0)
    u = np.minimum(u, 1.0)
    lead = gaussian_filter1d(lead, 0.075 * frames, mode="nearest") * u**2 * (3.0 - 2.0 * u)
    return np.stack([p + lead, p - lead], axis=1)
