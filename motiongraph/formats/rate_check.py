"""Whether a motion is faster than a body can be: its file then gives a frame rate that it was not captured at.

Two things tell. Nothing falls faster than gravity lets it: at twice its rate a jump falls with 4 g. And a leg that
swings forwards is a pendulum: it takes about 1.4 to 2 times √(leg / g) in walking and running, and hardly ever less
than 1. Motion that is too slow cannot be told: people walk and move as slowly as they like.
"""

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.model import kinematics, sides
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

_G = 9.81  # m/s²
# Shares of the body's mass, and how far from its upper end a segment's centre is (Winter, Biomechanics and Motor
# Control of Human Movement, 4th ed. 2009, table 4.1); trunk, head and arms are what is left.
_THIGH, _SHIN, _FOOT, _CENTRE = 0.1, 0.0465, 0.0145, 0.433
_WINDOWS = 0.1, 0.15  # s over which a fall is measured: a short one for runs, and one that makes sure
# g; of 640 clips captured at their rate (14 CMU subjects, 70 more with one clip each, Bandai-Namco, 80 files of other
# sources) none falls so fast, of those said to be twice as fast half do, or swing their legs too fast
_FALLS = 2.4, 2.0
_OFTEN = 99.0  # percentile of all moments that counts
_CURVED = 0.25  # share of its height by which a fall may be off a parabola; what leaps about is an error of the capture
_SWINGS = 4  # of legs that are needed to judge by them
_STEP = 0.8  # leg lengths that a foot must go in one
_QUICK = 0.85  # times √(leg / g); the quickest seen are 0.90, in a run around a sharp corner
_EDGE = 0.25  # share of its highest speed that a foot has where a swing begins and ends
_SMOOTH = 0.03  # s over which speeds are smoothed
_ENOUGH = 50.0  # Hz at which all this can be seen
_MOST = 600  # frames that are looked at; it takes 1 ms


def rate_note(clip: Clip) -> str:
    """What there is to say about the rate of a clip: a sentence without its subject, or nothing."""
    every = max(int(clip.fps // _ENOUGH), 1)
    seen = slice(clip.first, clip.first + every * _MOST, every)
    root, rotations = np.ascontiguousarray(clip.root[seen]), np.ascontiguousarray(clip.rotations[seen])
    sliding = None if clip.offsets is None else np.ascontiguousarray(clip.offsets[seen])
    places = kinematics.positions(clip.skeleton, root, rotations, sliding)
    if not looks_too_fast(clip.skeleton, places, clip.fps / every):
        return ""
    half = f"{clip.fps / 2:g}"
    return f"falls or steps faster than a body can at {clip.fps:g} Hz; if it was captured at {half}, use --rate {half}"


@np.errstate(over="ignore", invalid="ignore")  # a file may hold any numbers
def looks_too_fast(skeleton: Skeleton, places: np.ndarray, fps: float) -> bool:
    """Whether a body on two legs, with joints at `places` (F, J, 3) metres, falls or steps faster than one can.

    At twice the right rate most jumps, runs and brisk walks do; little else can be told from quick motion.
    """
    legs = [sides.ancestors(skeleton, foot[0])[:3] for foot in sides.feet_by_name(skeleton)]
    if len(legs) != 2 or min(map(len, legs)) < 3 or len(places) < max(_WINDOWS) * fps + 2:
        return False
    leg = float(np.mean([skeleton.bone_lengths[joints[:2]].sum() for joints in legs]))
    if leg < 1e-3:
        return False
    height = _centre(skeleton, places, legs)
    if all(_fall(height, fps, window) > limit * _G for window, limit in zip(_WINDOWS, _FALLS)):
        return True
    swings = np.concatenate([_swings(places[:, joints[0]], _STEP * leg, fps) for joints in legs])
    return len(swings) >= _SWINGS and bool(np.median(swings) < _QUICK * np.sqrt(leg / _G))


def _centre(skeleton: Skeleton, places: np.ndarray, legs: list[list[int]]) -> np.ndarray:
    """(F,) metres: about how high the body's centre of mass is; legs: ankle, knee and hip of each."""
    height = places[..., 1]
    lower = {below for _, _, hip in legs for below in (hip, *sides.below(skeleton, hip))}
    others = [joint for joint in range(1, len(skeleton)) if joint not in lower]
    lengths = skeleton.bone_lengths[others]
    total = np.zeros(len(places))
    for ankle, knee, hip in legs:
        total += _THIGH * (height[:, hip] + _CENTRE * (height[:, knee] - height[:, hip])) + _FOOT * height[:, ankle]
        total += _SHIN * (height[:, knee] + _CENTRE * (height[:, ankle] - height[:, knee]))
    middles = 0.5 * (height[:, others] + height[:, skeleton.parents[others]])
    trunk = middles @ lengths / lengths.sum() if lengths.sum() > 0.0 else height[:, 0]
    return total + (1.0 - len(legs) * (_THIGH + _SHIN + _FOOT)) * trunk


def _fall(height: np.ndarray, fps: float, seconds: float) -> float:
    """m/s² with which a height (F,) falls at its fastest along a parabola of so many seconds."""
    count = max(round(seconds * fps), 4) + 1
    if len(height) < count:
        return 0.0
    windows = np.lib.stride_tricks.sliding_window_view(height, count)
    t = (np.arange(count) - 0.5 * (count - 1)) / fps
    basis = np.linalg.qr(np.stack([np.ones(count), t, t * t], axis=1))[0]
    shares = windows @ basis
    off = np.sqrt(np.maximum((windows**2).sum(axis=1) - (shares**2).sum(axis=1), 0.0))
    fall = -2.0 * shares[:, 2] / float(basis[:, 2] @ (t * t))
    return float(np.percentile(np.where(off <= _CURVED * np.abs(shares[:, 2]), fall, 0.0), _OFTEN))


def _swings(ankle: np.ndarray, step: float, fps: float) -> np.ndarray:
    """(n,) seconds that an ankle (F, 3) takes for each of its swings of at least `step` metres."""
    smooth = scipy.ndimage.uniform_filter1d(ankle, max(round(_SMOOTH * fps), 1), axis=0, mode="nearest")
    speed = np.linalg.norm(np.gradient(smooth, axis=0), axis=1)
    moving = np.diff((speed > _EDGE * np.percentile(speed, 95)).astype(np.int8), prepend=0, append=0)
    found = []
    for start, stop in np.flatnonzero(moving).reshape(-1, 2):
        if start == 0 or stop == len(speed) or stop - start < 3:
            continue
        fast = start + np.flatnonzero(speed[start:stop] > _EDGE * speed[start:stop].max())
        if np.linalg.norm(ankle[fast[-1], ::2] - ankle[fast[0], ::2]) >= step:
            found.append((fast[-1] - fast[0] + 1) / fps)
    return np.array(found)
