"""Making the frames of one transition from the two windows it joins.

Both windows are already placed on the same floor.
"""

from typing import TypeAlias

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.synthesis import _kernels

# Root (L, 3) metres, rotations (L, J, 4), offsets (L, J, 3) metres or None; of a single pose without the first axis.
Window: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray | None]
_QUICKEST = 4.0  # m/s or rad/s


def weights(frames: int, length: int | None = None) -> np.ndarray:
    """(L,) share of the first motion at frame p of a transition, falling smoothly from 1 to 0 (Kovar 2002, eq. 7).

    length: frames in the middle over which it falls, all of them by default.
    """
    length = frames if length is None else length
    passed = np.arange(frames) + 1.0 - (frames - length) // 2
    return 1.0 - smoothstep(np.clip(passed / length, 0.0, 1.0))


def linear(first: Window, second: Window, alpha: np.ndarray) -> Window:
    """Root by linear interpolation, joints by slerp along the shorter arc (Kovar 2002, eqs. 5 and 6)."""
    (root_a, turns_a, slide_a), (root_b, turns_b, slide_b) = first, second
    root, turns = np.empty_like(root_a), np.empty_like(turns_a)
    _kernels.mix(root_a, turns_a, root_b, turns_b, 1.0 - alpha, root, turns)
    slide = None
    if slide_a is not None and slide_b is not None:
        slide = slide_b + alpha[:, None, None] * (slide_a - slide_b)
    return root, turns, slide


def inertialized(
    before: Window | None, first: Window, second: Window, earlier: Window | None, fps: float, length: int | None = None
) -> Window:
    """The second motion from the start, plus what it lacks of the first in pose and velocity, dying away.

    before, earlier: the poses of the two motions one frame before the window, or None where its clip begins with it.
    The difference follows a quintic that starts with its value and velocity and ends after `length` frames, by default
    with the window, at rest (the idea is Bollo's, GDC 2018).
    """
    root_b, turns_b, slide_b = second
    frames = len(root_b)

    def dying(now: np.ndarray, then: np.ndarray) -> np.ndarray:
        """(L, …) the difference `now` at frame 0, with the velocity it has coming from `then`.

        A glitch of the capture just before the window would throw the pose far off: no difference between motions
        that blend well is quicker than a few metres or radians a second.
        """
        velocity = (now - then) * fps
        speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
        slow = velocity * np.minimum(1.0, _QUICKEST / np.maximum(speed, 1e-9))
        left = quintic(now, slow, length or frames, fps)
        return np.concatenate([left, np.zeros((frames - len(left), *now.shape))])

    def gap(a: Window, b: Window) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        turn = rot.to_vector(rot.multiply(a[1], rot.conjugate(b[1])))
        return a[0] - b[0], turn, a[2] - b[2] if a[2] is not None and b[2] is not None else None

    start = _first(first), _first(second)
    now = gap(*start)
    then = gap(before, earlier) if before is not None and earlier is not None else now
    root = root_b + dying(now[0], then[0])
    turns = rot.multiply(rot.from_vector(dying(now[1], then[1])), turns_b)
    slide = slide_b
    if slide_b is not None and now[2] is not None and then[2] is not None:
        slide = slide_b + dying(now[2], then[2])
    return root, turns, slide


def _first(window: Window) -> Window:
    root, turns, slide = window
    return root[0], turns[0], None if slide is None else slide[0]


def quintic(value: np.ndarray, velocity: np.ndarray, frames: int, fps: float) -> np.ndarray:
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
    lead = scipy.ndimage.gaussian_filter1d(lead, 0.075 * frames, mode="nearest") * smoothstep(np.minimum(u, 1.0))
    return np.stack([p + lead, p - lead], axis=1)
