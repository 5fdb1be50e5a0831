"""How hips and head pass from one captured motion to the next: by blended velocities, and slower than the limbs.

Two walks that blend well still differ in speed, and in how far the trunk leans. A blend of positions makes up for that
within the window, so that the whole body speeds up and the head sways over. Limbs are quick and hide it; hips and head
hardly ever change their speed so soon, and give the seam away. Here their velocities are blended instead, over a
longer stretch, and what is left to make up for is spread over all of it. The root is moved and the trunk leant to
match: a centimetre or two. Legs are not touched; footplant cleanup sees to it that feet stay where they stand.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.model.bone_map import body_parts
from motiongraph.model.clip import Clip
from motiongraph.model.placement import place
from motiongraph.model.skeleton import Skeleton
from motiongraph.walks.walk import Walk

# s before and after a transition over which hips and head pass over. On subject 16 a shorter time (0.17 s) hides seams
# less; on Bandai-Namco's walks a longer one (0.5 s) shows them more.
REACH = 1 / 3
_SUDDEN = 0.04  # s; what two motions do less alike than for about this long does not count
_FARTHEST = 0.05  # m; farther than this neither hips nor head are moved: feet and hips must stay together
_FLOOR = [0, 2]  # the coordinates on the floor


def swayed(walk: Walk, clip: Clip) -> Clip:
    """The motion of a walk, stitched, with hips and head passing over more slowly."""
    if not len(walk.transitions):
        return clip
    points = moved_joints(clip.skeleton)
    assert clip.origin is not None
    made, share = clip.positions(), 1.0 - clip.origin.weight
    off = np.zeros((len(clip), len(points), 2))
    for k in range(len(walk.transitions)):
        first, moved = _around(walk, k, points, made, share)
        begin, end = max(first, 0), min(first + len(moved), len(clip))
        off[begin:end] += moved[begin - first : end - first]
    return moved_by(clip, off)


def moved_joints(skeleton: Skeleton) -> list[int]:
    """Hips and head, or the root alone where they are not known."""
    trunk = _trunk(skeleton)
    return [0] if trunk is None else [trunk[0], trunk[2]]


def moved_by(clip: Clip, off: np.ndarray) -> Clip:
    """A clip with hips and head moved on the floor by off (F, 1 or 2, 2) metres."""
    root, rotations, trunk = clip.root.copy(), clip.rotations, _trunk(clip.skeleton)
    root[:, _FLOOR] += off[:, 0]
    if trunk is not None:
        rotations = _leant(clip, trunk, off[:, 1] - off[:, 0])
    return replace(clip, root=root, rotations=rotations, source=clip._layout())


def passage(walk: Walk, window: Clip, most: int) -> tuple[int, np.ndarray]:
    """Of a walk that is one transition alone, and its motion, the first frame that is moved and (n, points, 2) metres
    by which from there; it begins before the window, as a number below zero says, by at most so many frames."""
    assert window.origin is not None
    return _around(walk, 0, moved_joints(window.skeleton), window.positions(), 1.0 - window.origin.weight, most)


def _around(
    walk: Walk, k: int, points: list[int], made: np.ndarray, share: np.ndarray, most: int | None = None
) -> tuple[int, np.ndarray]:
    """The first frame of the motion that is moved around transition k, and (n, points, 2) metres by which from there.

    made: (F, J, 3) joints of the motion as it was blended; share: (F,) of the second motion in it; most: frames
    before the window.
    """
    jump, window, reach = walk.transitions[k], walk.window, round(REACH * walk.fps)
    ends = [(walk.clips[jump[end]], int(jump[f"{end}_frame"])) for end in ("src", "dst")]
    lead = max(min(reach if most is None else min(reach, most), *(at - clip.first for clip, at in ends)), 0)
    follow = max(min(reach, *(len(clip) - at - window for clip, at in ends)), 0)
    frames = np.arange(-lead - 1, window + follow + 1)
    first, second = (
        place(walk.placements[k + n], clip.positions()[np.clip(at + frames, clip.first, len(clip) - 1)][:, points])[
            ..., _FLOOR
        ]
        for n, (clip, at) in enumerate(ends)
    )
    apart = _smooth(second - first, walk.fps)
    rough = second - first - apart
    # How far the blend has come from the first motion to the second: none of it before the window, all of it after.
    opens = int(walk.begins[k + 1]) - window
    inside, played = slice(lead + 1, lead + 1 + window), slice(opens, opens + window)
    come = np.where((frames < 0)[:, None, None], 0.0, apart)
    come[inside] = made[played][:, points][..., _FLOOR] - first[inside] - share[played, None, None] * rough[inside]
    # And how far it comes by blended velocities; what those miss of the second motion is spread over all of it.
    slower = smoothstep(np.arange(len(frames)) / (len(frames) - 1.0))[:, None, None]
    way = np.cumsum(0.5 * (slower[1:] + slower[:-1]) * np.diff(apart, axis=0), axis=0)
    way = np.concatenate([np.zeros_like(way[:1]), way])
    way += slower * (apart[-1] - way[-1])
    moved = (way - come)[1:-1]
    farthest = np.sqrt((moved**2).sum(axis=-1).max(initial=0.0))
    return opens - lead, moved * min(1.0, _FARTHEST / max(farthest, 1e-9))


def _smooth(values: np.ndarray, fps: float) -> np.ndarray:
    """values (n, …) without what is sudden, as errors of the capture are just outside a window."""
    wide = min(round(3.0 * _SUDDEN * fps), len(values) - 1)
    wider = np.pad(values, ((wide, wide), (0, 0), (0, 0)), "reflect", reflect_type="odd")
    return scipy.ndimage.gaussian_filter1d(wider, _SUDDEN * fps, axis=0, truncate=3.0)[wide : wide + len(values)]


_known: WeakKeyDictionary[Skeleton, tuple[int, int, int] | None] = WeakKeyDictionary()


def _trunk(skeleton: Skeleton) -> tuple[int, int, int] | None:
    """Hips, the joint above them that the trunk leans at, and head; None where they are not known."""
    if skeleton not in _known:
        parts = body_parts(skeleton)
        hips, joint = parts.get("hips"), parts.get("head")
        found = None
        if hips is not None and joint is not None:
            head = lowest = joint
            while joint > 0 and joint != hips:
                lowest, joint = joint, int(skeleton.parents[joint])
            found = (hips, lowest, head) if joint == hips and lowest != hips else None
        _known[skeleton] = found
    return _known[skeleton]


def _leant(clip: Clip, trunk: tuple[int, int, int], off: np.ndarray) -> np.ndarray:
    """(F, J, 4) local rotations with the trunk leant so that the head is moved by off (F, 2) on the floor, metres."""
    _, lowest, head = trunk
    where = np.flatnonzero(off.any(axis=1))
    places, rotations = clip.positions()[where], clip.rotations.copy()
    upright = places[:, head] - places[:, lowest]
    leaning = upright.copy()
    leaning[:, _FLOOR] += off[where]
    above = clip.orientations()[where, clip.skeleton.parents[lowest]]
    lean = rot.multiply(rot.conjugate(above), rot.multiply(rot.between(upright, leaning), above))
    rotations[where, lowest] = rot.multiply(lean, rotations[where, lowest])
    return rotations
