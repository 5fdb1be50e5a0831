"""The way a clip goes over the floor, smoothed: what playing it straight on needs (de Chenu 2006, 3.11)."""

import numpy as np

_CYCLE = 1.0  # seconds: about one stride, over which the hips sway to both sides
_STANDING = 0.15  # m/s: slower is no travelling, and shows no direction


def path_of(root, fps: float) -> np.ndarray:
    """(F, 4): x, z of the smoothed way in metres, the distance gone along it, and its direction in radians.

    root: (F, 3) metres. de Chenu adds up the distance from frame to frame; the smoothed way leaves out the sway of
    the hips, which is kept beside it, so that feet stay where they stood. A direction of 0 is z, π/2 is x; while the
    character stands it is the one it had before.
    """
    floor = np.ascontiguousarray(root[:, [0, 2]], np.float64)
    half = min(max(round(0.5 * _CYCLE * fps), 1), max((len(floor) - 1) // 2, 0))
    smooth = _averaged(floor, half)
    step = np.diff(smooth, axis=0, prepend=smooth[:1])
    gone = np.cumsum(np.hypot(step[:, 0], step[:, 1]))
    wide = min(max(half, 1), max(len(floor) - 1, 0))
    before = np.maximum(np.arange(len(floor)) - wide, 0)
    after = np.minimum(np.arange(len(floor)) + wide, len(floor) - 1)
    over = smooth[after] - smooth[before]
    seconds = np.maximum(after - before, 1) / fps
    moving = np.hypot(over[:, 0], over[:, 1]) > _STANDING * seconds
    heading = np.zeros(len(floor))
    if moving.any():
        last = np.maximum.accumulate(np.where(moving, np.arange(len(floor)), -1))
        last[last < 0] = np.argmax(moving)
        heading = np.unwrap(np.arctan2(over[:, 0], over[:, 1])[last])
    return np.ascontiguousarray(np.column_stack([smooth, gone, heading]))


def _averaged(values, half):
    """The mean over `half` frames to both sides, fewer at the ends, where both sides keep the same number."""
    if half < 1:
        return values.copy()
    frames = np.arange(len(values))
    reach = np.minimum(np.minimum(frames, len(values) - 1 - frames), half)
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(values, axis=0)])
    return (total[frames + reach + 1] - total[frames - reach]) / (2 * reach + 1)[:, None]
