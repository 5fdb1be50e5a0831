"""A walk along a path whose body is turned a little towards the path while it walks, as a driven character's is.

Clips that do not turn where the path does have others beside them that do, and a search for these ends in walks that
change what they do at every corner. Who walks can turn a little more than was captured; feet are held afterwards.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.model.clip import Clip
from motiongraph.model.placement import place
from motiongraph.walks.curve import Curve, trace
from motiongraph.walks.turn_frames import LEAD, STRAIGHT, pivots_of, turn_frames, ways_of
from motiongraph.walks.walk import Walk

_EVERY = 0.1  # s between two looks at the path
_AHEAD = 1.0  # m of it within which the nearest point is looked for


def turned_along(walk: Walk, curve: Curve, rate: float) -> Walk:
    """The walk with its body turned towards the path at up to `rate` rad/s, see `Walk.turns`."""
    fps, frames, last = walk.fps, len(walk), len(curve.places) - 1
    rows, stride = np.zeros((frames, 5)), max(round(_EVERY * fps), 1)
    track, here, k = _track(walk), np.zeros(5), 0
    for first in range(1, frames, stride):
        end = min(first + stride, frames)
        gap = curve.places[k : k + round(_AHEAD / curve.spacing) + 1] - place(tuple(here[:3]), track[first, :2])
        k += int(np.argmin(gap[:, 0] ** 2 + gap[:, 1] ** 2))
        x, z = (track[min(end, frames - 1), :2] - track[first, :2]).tolist()
        along = k * curve.spacing + LEAD + np.arange(3) * float(np.sqrt(x * x + z * z))
        sample = np.minimum((along / curve.spacing).astype(int), last)
        straight = np.clip(curve.length - along, 0.0, STRAIGHT)[:, None]
        points = curve.places[sample] + straight * curve.tangents[sample]
        turn_frames(track[first:end], points, stride, fps, rate, 1.0, here, rows[first:end])
        here = rows[end - 1].copy()
    return replace(walk, turns=np.ascontiguousarray(rows[:, :3]))


def turns_at_seams(walk: Walk) -> np.ndarray | None:
    """(n, 3) theta, x, z by which the body is turned where each transition begins, None where it is not turned."""
    return None if walk.turns is None else walk.turns[walk.begins[1:] - walk.window]


def _track(walk: Walk) -> np.ndarray:
    """(F, 9) of a walk that is not turned, as `turn_frames` takes it."""
    path, face = trace(walk, smooth=True)
    return np.ascontiguousarray(np.column_stack([path, face, _about(walk), ways_of(path, face, walk.fps)]))


def _about(walk: Walk) -> np.ndarray:
    """(F, 2) x, z about which the body turns: the foot that stands, between both where both do, or the root."""
    parts, half = [], walk.window // 2
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        parts.append(place(tuple(walk.placements[k]), _standing(walk.clips[clip])[start:stop]))
        if k < len(walk.transitions):
            jump = walk.transitions[k]
            for n, name, frames in ((0, "src", slice(0, half)), (1, "dst", slice(half, walk.window))):
                own = _standing(walk.clips[jump[name]])[int(jump[f"{name}_frame"]) :][frames]
                parts.append(place(tuple(walk.placements[k + n]), own))
    return np.concatenate(parts)


_known: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def _standing(clip: Clip) -> np.ndarray:
    """(F, 2) the same, of a clip; computed once."""
    if clip not in _known:
        _known[clip] = pivots_of(clip, clip.contacts())
    return _known[clip]
