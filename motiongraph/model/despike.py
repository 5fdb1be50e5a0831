"""Errors of a capture that last a few frames: markers swapped, a joint thrown aside and back. Found, and mended.

A frame is wrong where a joint is far from the curve through the two frames before and the two after it, and much
farther than it usually is around there. Fast motion is smooth and stays; what stays wrong for longer is left alone.
"""

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph import rotations as rot
from motiongraph.kernels import F64, kernel, read
from motiongraph.model import kinematics

_known: "WeakKeyDictionary[Clip, tuple[Clip | None, list[tuple[int, int]]]]" = WeakKeyDictionary()

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip

# m off the curve at 120 Hz, growing with the square of the time between frames: may be an error, and is one
_OFF, _THROWN = 0.02, 0.05
_USUAL = 8.0  # times the median deviation around
_AROUND = 0.25  # s to both sides for that
_TURNED = 4.0  # times the same: joints whose turns were so far off are mended, and the others left alone
_TREMBLE = 0.002  # m, or half of radians, that are never an error
_GAP = 0.04  # s; wrong frames nearer than this are one stretch
_LONGEST = 0.2  # s; longer stretches cannot be made up
_ROUNDS = 2  # what was hidden beside an error may come out when that is mended


def despiked(clip: "Clip") -> tuple["Clip", list[tuple[int, int]]]:
    """The clip with errors of the capture bridged, and the stretches (start, stop) of frames that were.

    Frames keep their numbers. A clip without errors is returned as it is.
    """
    if clip not in _known:
        mended, found = clip, set()
        for _ in range(_ROUNDS):
            mended, more = _mended(mended)
            if not more:
                break
            found.update(more)
        if clip.is_packed:
            mended = mended.packed()
        _known[clip] = (None if mended is clip else mended), sorted(found)
    mended, stretches = _known[clip]
    return mended or clip, stretches


def _mended(clip: "Clip") -> tuple["Clip", list[tuple[int, int]]]:
    """One round of `despiked`."""
    first, fps = clip.first, clip.fps
    root, rotations = clip.root[first:], clip.rotations[first:]
    if len(root) < 6:
        return clip, []
    off = deviations(clip.positions()[first:])
    half = round(_AROUND * fps)
    wrong = np.zeros(len(off), bool)
    far = (120.0 / fps) ** 2
    for frame, joint in np.argwhere(off > _OFF * far):
        usual = _USUAL * np.median(off[max(frame - half, 0) : frame + half + 1, joint])
        wrong[frame] |= off[frame, joint] > min(usual, _THROWN * far)
    stretches = _stretches(wrong, max(round(_GAP * fps), 1), max(_LONGEST * fps, 4.0))
    if not stretches:
        return clip, []
    # Root and joints as columns of four numbers, which are bridged alike.
    values = np.zeros((len(root), 1 + rotations.shape[1], 4))
    values[:, 0, :3], values[:, 1:] = root, rot.continuous(rotations)
    whole_root, whole_turns = clip.root.copy(), clip.rotations.copy()
    made = []
    for start, stop in stretches:
        begin = max(start - half, 0)
        own = deviations(np.ascontiguousarray(values[begin : stop + half]))
        far = own[start - begin : stop - begin].max(axis=0) > _TURNED * np.median(own, axis=0) + _TREMBLE
        joints = np.flatnonzero(far[1:])
        here, around = slice(first + start, first + stop), slice(first + max(start - 4, 0), first + stop + 4)
        was = whole_root[here].copy(), whole_turns[here].copy()
        whole_turns[here, joints] = rot.normalized(_bridge(values[:, 1 + joints], start, stop))
        if far[0]:
            whole_root[here] = _bridge(values[:, 0, :3], start, stop)
        offsets = None if clip.offsets is None else clip.offsets[around]
        now = deviations(kinematics.positions(clip.skeleton, whole_root[around], whole_turns[around], offsets))
        if now.max() < off[around.start - first : around.stop - first].max():
            made.append((here.start, here.stop))
        else:  # it ends amid another error
            whole_root[here], whole_turns[here] = was
    return (replace(clip, root=whole_root, rotations=whole_turns, source=clip._layout()) if made else clip), made


def _stretches(wrong: np.ndarray, gap: int, longest: float) -> list[tuple[int, int]]:
    """Stretches of wrong frames (F,) with one more to each side, those nearer than `gap` frames joined unless that is
    more than `longest`."""
    found: list[tuple[int, int]] = []
    for frame in np.flatnonzero(wrong).tolist():
        start, stop = max(frame - 1, 0), min(frame + 2, len(wrong))
        if found and start - found[-1][1] < gap and stop - found[-1][0] <= longest:
            start = found.pop()[0]
        # Of the frames at the very ends nothing is known.
        found.append((start if start > 2 else 0, stop if stop < len(wrong) - 2 else len(wrong)))
    return [(start, stop) for start, stop in found if stop - start <= longest and stop - start < len(wrong)]


def _bridge(values: np.ndarray, start: int, stop: int) -> np.ndarray:
    """(n, …) cubic curves from before `start` to `stop` with the velocities there; at an end of the motion, straight on
    from the other side."""
    ahead = np.arange(start, stop).reshape(-1, *[1] * (values.ndim - 1))
    if start == 0:
        late = min(stop + 4, len(values) - 1)
        return values[stop] + (ahead - stop) * (values[late] - values[stop]) / max(late - stop, 1)
    if stop == len(values):
        early = max(start - 5, 0)
        return values[start - 1] + (ahead - start + 1) * (values[start - 1] - values[early]) / max(start - 1 - early, 1)
    span = stop - start + 1
    u = (np.arange(1, span) / span).reshape(-1, *[1] * (values.ndim - 1))
    before, after = values[start - 1], values[stop]
    early, late = max(start - 3, 0), min(stop + 2, len(values) - 1)
    out = (before - values[early]) * (span / max(start - 1 - early, 1))
    into = (values[late] - after) * (span / max(late - stop, 1))
    return (
        (1.0 + 2.0 * u) * (1.0 - u) ** 2 * before
        + u * (1.0 - u) ** 2 * out
        + u * u * (3.0 - 2.0 * u) * after
        + u * u * (u - 1.0) * into
    )


@kernel(F64[:, ::1](read(F64, 3)))
def deviations(values):
    """(F, n) how far each of `values` (F, n, k) is from the cubic through the two frames before it and the two after; 0
    for the first and last two frames."""
    frames, columns, numbers = values.shape
    out = np.zeros((frames, columns))
    for f in range(2, frames - 2):
        for j in range(columns):
            total = 0.0
            for k in range(numbers):
                near, far = values[f - 1, j, k] + values[f + 1, j, k], values[f - 2, j, k] + values[f + 2, j, k]
                total += (values[f, j, k] - (4.0 * near - far) / 6.0) ** 2
            out[f, j] = np.sqrt(total)
    return out
