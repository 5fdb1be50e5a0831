"""Where the root goes, apart from what the body does (de Chenu 2006, 3.11): for playback and for files."""

from dataclasses import replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip

ROOTS = ("accumulate", "in place", "fixed", "path", "straight")
_CYCLE = 1.0  # seconds: about one stride, over which the hips sway to both sides
_STANDING = 0.15  # m/s: slower is no travelling, and shows no direction


def rooted(clip: Clip, mode: str, direction: float = 0.0, path: Clip | None = None) -> Clip:
    """`clip` with its root led another way.

    mode: "accumulate", as it is; "in place", always above where it starts; "fixed", neither moved nor turned from
    where it starts; "straight", as far as it goes but straight on in `direction` (radians; 0 is z, π/2 is x); "path",
    along the way of the clip `path`, frame by frame and round after round, whatever the body does. A captured clip's
    own path is what it has already.
    """
    if mode not in ROOTS:
        raise MotionError(f"the root can go {', '.join(ROOTS)}, not {mode!r}")
    if mode == "accumulate" or (mode == "path" and path is None and clip.origin is None):
        return clip
    root, turn = clip.root.copy(), clip.rotations[:, 0]
    if mode == "in place":
        root[:, [0, 2]] = root[clip.first, [0, 2]]
    elif mode == "fixed":
        root[:], turn = root[clip.first], np.broadcast_to(turn[clip.first], turn.shape)
    elif mode == "straight":
        way = path_of(clip.root, clip.fps)
        straighten = rot.about("Y", direction - way[:, 3])
        beside = root * [1.0, 0.0, 1.0]
        beside[:, [0, 2]] -= way[:, :2]
        gone = (way[:, 2] - way[clip.first, 2])[:, None] * np.array([np.sin(direction), np.cos(direction)])
        root[:, [0, 2]] = way[clip.first, :2] + gone + rot.rotate(straighten, beside)[:, [0, 2]]
        turn = rot.multiply(straighten, turn)
    elif path is None:
        raise MotionError("made motion has no path of its own: name the clip whose path it is to follow")
    else:
        root, turn = _along(path, len(clip))
    rotations = clip.rotations.copy()
    rotations[:, 0] = turn
    return replace(clip, root=root, rotations=rotations, source=clip._layout())


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


def _along(path: Clip, frames: int):
    """Root (F, 3) and its rotations (F, 4) over `frames` of a clip's captured way; each round begins where the one
    before ended, turned as that was."""
    root, turns = path.root[path.first :], path.rotations[path.first :, 0]
    heading = 2.0 * np.arctan2(turns[:, 2], turns[:, 0])
    swerve = heading[-1] - heading[0]
    again = rot.about("Y", swerve)
    step = np.array([1.0, 0.0, 1.0]) * (root[-1] - root[-2] if len(root) > 1 else 0.0)
    onward = (root[-1] + step - rot.rotate(again, root[0])) * [1.0, 0.0, 1.0]
    parts, lap = [], (root, turns)
    for _ in range(-(-frames // len(root))):
        parts.append(lap)
        lap = rot.rotate(again, lap[0]) + onward, rot.multiply(again, lap[1])
    return tuple(np.concatenate(column)[:frames] for column in zip(*parts))
