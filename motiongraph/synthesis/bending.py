"""Bending a walk towards the path it was asked to follow (Gleicher 2001, Motion Path Editing), within limits.

Every frame is moved towards the point of the path that is nearest to it, and turned with the direction of the walk.
How much it is moved changes by no more than a share of what it walks, so that steps become a little longer, shorter or
slanted, and feet are then held as always.
"""

from dataclasses import replace

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import cos, sin
from motiongraph.errors import MotionError
from motiongraph.graph.floor import floor_path
from motiongraph.model.clip import Clip
from motiongraph.model.placement import heading_of, turn
from motiongraph.walks.alignment import aligned
from motiongraph.walks.curve import distance_from
from motiongraph.walks.walk import Walk

MOST = 0.3  # share of what is walked
_BEFORE = "before it was bent, "  # what was noted of it
_SMOOTH = 0.25  # s over which the way is smoothed


def bent(clip: Clip, path: np.ndarray, share: float) -> Clip:
    """`clip`, as stitched, moved towards path (M, 2), x, z metres at equal steps; share: of what it walks, by which it
    may be moved at the most."""
    if not 0.0 <= share <= MOST:
        raise MotionError(f"a walk is bent by a share of 0 to {MOST:g} of what it walks, not {share!r}")
    if share == 0.0 or len(path) < 2 or len(clip) < 2:
        return clip
    own = np.ascontiguousarray(floor_path(clip)[0])
    _, index = aligned(own, path, float(np.linalg.norm(np.diff(path, axis=0), axis=1).max()))
    lacks, steps = _smooth(path[index] - own, clip.fps), np.linalg.norm(np.diff(own, axis=0), axis=1)
    moved = np.zeros_like(own)
    for f, most in enumerate((share * steps).tolist()):
        more = lacks[f + 1] - moved[f]
        moved[f + 1] = moved[f] + more * min(1.0, most / max(float(np.hypot(*more)), 1e-9))
    moved = _smooth(moved, clip.fps) - _smooth(moved, clip.fps)[0]
    was, now = (np.gradient(way, axis=0) for way in (own, own + moved))
    # By how much the way is turned, as a vector: what it is now, seen along what it was.
    angle = heading_of(np.stack([now[:, 0] * was[:, 1] - now[:, 1] * was[:, 0], (now * was).sum(axis=1)], axis=1))
    # Who stands does not turn; nobody turns by more than steps can be slanted.
    angle = np.where(np.linalg.norm(was, axis=1) * clip.fps > 0.2, np.clip(angle, -share, share), 0.0)
    angle = _smooth(angle[:, None], clip.fps)[:, 0]
    about = np.zeros((len(clip), 4))
    about[:, 0], about[:, 2] = cos(0.5 * angle), sin(0.5 * angle)
    root, rotations = clip.root.copy(), clip.rotations.copy()
    sway = root[:, [0, 2]] - own
    root[:, [0, 2]] = own + moved + turn(angle, sway)
    rotations[:, 0] = rot.multiply(about, rotations[:, 0])
    return replace(clip, root=root, rotations=rotations)


def as_bent(walk: Walk, clip: Clip) -> Walk:
    """The walk, with its distance from its path as the clip has it that was made of it by bending."""
    if walk.path is None:
        return walk
    before = ("arc_error_mean", "arc_error_worst", "equation_9")  # of the walk as it was
    facts = {name: fact for name, fact in walk.facts.items() if name not in before}
    facts |= distance_from(walk.path, clip.root[:, [0, 2]])
    return replace(walk, facts=facts, note=walk.note and _BEFORE + walk.note.removeprefix(_BEFORE))


def _smooth(values: np.ndarray, fps: float) -> np.ndarray:
    return scipy.ndimage.gaussian_filter1d(values, _SMOOTH * fps, axis=0, mode="nearest")
