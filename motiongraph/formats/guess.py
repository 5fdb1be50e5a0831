"""What a file does not say: its unit of length, its up axis, its exact frame rate, whether it opens with a T-pose.

Every guess is reported by `motiongraph info` and can be overruled when loading.
"""

from decimal import Decimal

import numpy as np

from motiongraph.model.skeleton import Skeleton

# Metres in one unit. "cmu": the number of an ASF with `length 0.45`, which the 2010 BVH conversion kept.
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
TYPICAL_STATURE = 1.7
_CUSTOMARY = (24, 25, 30, 48, 50, 60, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 480, 500, 1000)
_TELEVISION = (24, 30, 60, 120, 240)


def metres_per_unit(stature: float) -> tuple[float, str]:
    """(metres in a unit, its name): the unit that makes a body of `stature` units most nearly 1.7 m tall."""
    if not stature > 0:
        return 1.0, "m"
    name = min(UNITS, key=lambda n: abs(np.log(stature * UNITS[n] / TYPICAL_STATURE)))
    return UNITS[name], name


def sampled(frames: int) -> np.ndarray:
    """Indices of the poses, at most 64, that are looked at."""
    return np.unique(np.linspace(0, frames - 1, 64).astype(int))


def stature(positions: np.ndarray, skeleton: Skeleton) -> float:
    """Height of a standing body in the unit of its skeleton and its poses (F, J, 3), y up.

    The skeleton's own height, or more where its rest pose does not stand: then the 95th percentile of the poses'
    extent from the lowest joint to the one that is highest at rest, so that arms held up do not count.
    """
    head = int(np.argmax(skeleton.rest[:, 1]))
    extents = positions[:, head, 1] - positions[:, :, 1].min(axis=1)
    return float(max(skeleton.height, np.percentile(extents, 95)))


def up_axis(rest: np.ndarray, positions: np.ndarray) -> str:
    """ "y" or "z": along which the rest pose (J, 3) stands, or the poses (F, J, 3) where the rest pose does not.

    A standing body reaches far above and far below its root; along a horizontal axis it does not, arms aside.
    """
    score = _reach(rest[None])
    if score.max() < 0.2 * np.ptp(rest, axis=0).max():
        score = _reach(positions)
    return "z" if score[1] > 1.5 * score[0] else "y"


def _reach(positions):
    """(2,) how far, above and below alike, the typical pose reaches from its root along y and z."""
    relative = positions - positions[:, :1]
    above, below = relative.max(axis=1), -relative.min(axis=1)
    return np.median(np.minimum(above, below), axis=0)[1:]


def frame_rate(frame_time: str) -> float:
    """Frames a second meant by a frame time in seconds, as text: ".0083333" is 120, "0.033333" is 30.

    A rate in customary use whose frame time was rounded or cut to these digits is what was meant ("0.017" is 60,
    not 59), unless they give another whole rate exactly. Then the last digit may be off by one: if a whole rate, or
    a television rate n·1000/1001, lies in that range, it was meant.
    """
    seconds = float(frame_time)
    whole = round(1.0 / seconds)
    if abs(1.0 / seconds - whole) < 1e-6 * whole:
        return float(whole)
    digit = 10.0 ** Decimal(frame_time).as_tuple().exponent
    for rate in sorted(_CUSTOMARY, key=lambda rate: abs(1.0 / rate - seconds)):
        if -0.5 * digit <= 1.0 / rate - seconds < digit:
            return float(rate)
    for rate in (whole, *(rate / 1.001 for rate in _TELEVISION)):
        if rate and abs(1.0 / rate - seconds) <= min(max(digit, 1e-6 * seconds), 0.5 * seconds):
            return float(rate)
    return 1.0 / seconds


def opens_with_t_pose(values: np.ndarray, turns: np.ndarray, root: np.ndarray) -> bool:
    """Whether frame 0 was added by CMU's BVH conversion: whole degrees, mostly 0, root upright, far from what comes.

    values: (F, C) degrees; turns: the columns of all rotations but the root's; root: (4,) the root's rotation in frame
    0, which may face anywhere: clips are turned and written again. Captured angles are never all whole; a file whose
    other frames are whole too was not captured, and proves nothing.
    """
    if len(values) < 3 or len(turns) < 27 or np.hypot(root[1], root[3]) > 1e-6:
        return False
    pose, motion = values[0, turns], values[1:12, turns]
    if np.any(pose != np.round(pose)) or np.mean(pose == 0.0) < 0.5 or np.all(motion == np.round(motion)):
        return False
    away = (np.median(motion, axis=0) - pose + 180.0) % 360.0 - 180.0
    return bool(np.abs(away).mean() > 1.0)
