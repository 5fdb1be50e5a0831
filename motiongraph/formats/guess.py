"""What a file does not say: its unit of length, its up axis, its exact frame rate, whether it opens with a T-pose.

Every guess is reported by `motiongraph info` and can be overruled when loading.
"""

import numpy as np

from motiongraph.model.skeleton import Skeleton

# Metres in one unit. "cmu": the number of an ASF with `length 0.45`, which the 2010 BVH conversion kept.
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
TYPICAL_STATURE = 1.7
_TELEVISION = (24, 30, 60, 120, 240)


def metres_per_unit(stature: float) -> tuple[float, str]:
    """(metres in a unit, its name): the unit that makes a body of `stature` units most nearly 1.7 m tall."""
    if not stature > 0:
        return 1.0, "m"
    name = min(UNITS, key=lambda n: abs(np.log(stature * UNITS[n] / TYPICAL_STATURE)))
    return UNITS[name], name


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

    The last digit may be off by one; if a whole rate, or a television rate n·1000/1001, lies in that range, it is
    what was meant.
    """
    seconds = float(frame_time)
    mantissa, _, exponent = frame_time.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    slack = max(10.0 ** (int(exponent or 0) - digits), 1e-6 * seconds)
    slow, fast = 1.0 / (seconds + slack), 1.0 / max(seconds - slack, 1e-12)
    whole = round(1.0 / seconds)
    if whole and slow <= whole <= fast:
        return float(whole)
    for rate in _TELEVISION:
        if slow <= rate / 1.001 <= fast:
            return rate / 1.001
    return 1.0 / seconds


def opens_with_t_pose(values: np.ndarray, turns: np.ndarray, root_turns: np.ndarray) -> bool:
    """Whether frame 0 was added by CMU's BVH conversion: whole degrees, mostly 0, root unturned, and then a jump.

    values: (F, C) degrees; turns, root_turns: the columns of all rotations and of the root's.
    """
    if len(values) < 3 or len(turns) < 30 or np.any(values[0, root_turns]):
        return False
    head = values[:12, turns]
    if np.any(head[0] != np.round(head[0])) or np.mean(head[0] == 0.0) < 0.5:
        return False
    steps = np.abs((np.diff(head, axis=0) + 180.0) % 360.0 - 180.0).mean(axis=1)
    return bool(steps[0] > 1.0 and steps[0] > 4.0 * np.median(steps[1:]))
