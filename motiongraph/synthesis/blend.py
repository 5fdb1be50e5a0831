"""Making the frames of one transition from the two windows it joins.

A window is (root (L, 3), rotations (L, J, 4), offsets (L, J, 3) or None), both already placed on the same floor.
"""

import numpy as np

from motiongraph import rotations as rot

_QUICKEST = 4.0  # m/s or rad/s


def weights(frames: int) -> np.ndarray:
    """(L,) share of the first motion at frame p of a transition, falling smoothly from 1 to 0 (Kovar 2002, eq. 7)."""
    u = (np.arange(frames) + 1.0) / frames
    return 2.0 * u**3 - 3.0 * u**2 + 1.0


def linear(first, second, alpha: np.ndarray):
    """Root by linear interpolation, joints by slerp along the shorter arc (Kovar 2002, eqs. 5 and 6)."""
    (root_a, turns_a, slide_a), (root_b, turns_b, slide_b) = first, second
    beta = 1.0 - alpha
    root = alpha[:, None] * root_a + beta[:, None] * root_b
    slide = None
    if slide_a is not None:
        slide = alpha[:, None, None] * slide_a + beta[:, None, None] * slide_b
    return root, rot.slerp(turns_a, turns_b, beta[:, None]), slide


def inertialized(before, first, second, earlier, fps: float):
    """The second motion from the start, plus what it lacks of the first in pose and velocity, dying away.

    before: the first motion's pose one frame before the window; earlier: the second's, or None where its clip begins
    with the window. The difference follows a quintic that starts with its value and velocity and ends with the
    window, at rest (the idea is Bollo's, GDC 2018).
    """
    root_b, turns_b, slide_b = second
    frames = len(root_b)

    def dying(now, then):
        """(L, …) the difference `now` at frame 0, with the velocity it has coming from `then`.

        A glitch of the capture just before the window would throw the pose far off: no difference between motions
        that blend well is quicker than a few metres or radians a second.
        """
        velocity = (now - then) * fps
        speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
        return _quintic(now, velocity * np.minimum(1.0, _QUICKEST / np.maximum(speed, 1e-9)), frames, fps)

    def turn(a, b):
        return _rotation_vector(rot.multiply(a, rot.conjugate(b)))

    now = first[0][0] - root_b[0], turn(first[1][0], turns_b[0])
    then = now if earlier is None else (before[0] - earlier[0], turn(before[1], earlier[1]))
    root = root_b + dying(now[0], then[0])
    turns = rot.multiply(_from_rotation_vector(dying(now[1], then[1])), turns_b)
    slide = slide_b
    if slide_b is not None:
        gap = first[2][0] - slide_b[0]
        slide = slide_b + dying(gap, gap if earlier is None else before[2] - earlier[2])
    return root, turns, slide


def _quintic(value, velocity, frames, fps):
    """(L, …) from `value` and `velocity` (a second) at frame 0, with no acceleration, to rest after L frames."""
    span = frames / fps
    u = (np.arange(frames) / frames).reshape(-1, *[1] * np.ndim(value))
    hold = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    swing = u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2)
    return hold * value + swing * span * velocity


def _rotation_vector(q):
    """(…, 3) axis times angle, along the shorter way."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)


def _from_rotation_vector(v):
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    half = 0.5 * angle
    return np.concatenate([np.cos(half), v * 0.5 * np.sinc(half / np.pi)], axis=-1)


def registered(first_places: np.ndarray, second_places: np.ndarray) -> np.ndarray:
    """(L, 2) which moments of the two windows belong together, in frames, monotone from (0, 0) to (L − 1, L − 1).

    places: (L, J, 3) joint positions on the same floor. A small dynamic program over the squared distances, neither
    motion running at less than half or more than twice the other's speed.
    """
    frames = len(first_places)
    between = ((first_places[:, None] - second_places[None]) ** 2).sum(axis=(2, 3))
    total = np.full((frames, frames), np.inf)
    total[0, 0] = between[0, 0]
    back = np.zeros((frames, frames), np.int8)
    moves = ((1, 1), (1, 2), (2, 1))
    for a in range(1, frames):
        for b in range(max(1, a // 2), min(frames, 2 * a + 1)):
            ways = [total[a - i, b - j] + max(i, j) * between[a, b] if a >= i and b >= j else np.inf for i, j in moves]
            back[a, b] = int(np.argmin(ways))
            total[a, b] = ways[back[a, b]]
    path = [(frames - 1, frames - 1)]
    while path[-1] != (0, 0):
        a, b = path[-1]
        i, j = moves[back[a, b]]
        path.append((a - i, b - j))
    path = np.array(path[::-1], float)
    middle = path.mean(axis=1)
    moments = np.arange(frames)
    return np.stack([np.interp(moments, middle, path[:, k]) for k in range(2)], axis=1)
