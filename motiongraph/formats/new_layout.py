"""New BVH hierarchies and ASF skeletons, for clips that have no file or whose file's channels cannot hold them.

Every joint that turns gets three rotations, every joint that slides three translations.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.formats.asf import Asf
from motiongraph.formats.bvh import Hierarchy
from motiongraph.formats.motion import AmcMotion
from motiongraph.formats.source import UPRIGHT
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

_CMU_LENGTH = 0.45  # the `length` unit of a new ASF, CMU's own
_POSITION, _ROTATION = ((0, 0), (0, 1), (0, 2)), ((1, 2), (1, 1), (1, 0))
_ALL_TURNS, _ALL_SHIFTS = ("rx", "ry", "rz"), ("tx", "ty", "tz")


def turning(clip: Clip) -> np.ndarray:
    """(J,) bool: which joints ever turn."""
    return np.abs(clip.rotations[:, :, 1:]).max(axis=(0, 2)) > 1e-9


def sliding(clip: Clip) -> np.ndarray:
    """(J,) bool: which joints leave their offset."""
    if clip.offsets is None:
        return np.zeros(len(clip.skeleton), bool)
    return np.abs(clip.offsets - clip.skeleton.offsets).max(axis=(0, 2)) > 1e-7


def same_skeleton(clip: Clip, skeleton: Skeleton) -> bool:
    """Whether a clip still has the joints and, unless they slide, the offsets of its file."""
    own = clip.skeleton
    same = own.names == skeleton.names and np.array_equal(own.parents, skeleton.parents)
    return same and bool(np.allclose(own.offsets, skeleton.offsets, rtol=0, atol=1e-8) or clip.offsets is not None)


def _rearranged(
    clip: Clip, names: tuple[str, ...], parents: np.ndarray, joints: Sequence[int], offsets: np.ndarray
) -> Clip:
    """A clip with other joints: joint k is joints[k] of the old one, or new and still where that is −1."""
    picks = np.array(joints)
    rotations = clip.rotations[:, picks].copy()
    rotations[:, picks < 0] = rot.IDENTITY
    moving = None
    if clip.offsets is not None:
        moving = np.where((picks < 0)[:, None], offsets, clip.offsets[:, picks])
    return replace(clip, skeleton=Skeleton(names, parents, offsets), rotations=rotations, offsets=moving, source=None)


def new_hierarchy(clip: Clip, scale: float) -> tuple[Hierarchy, Clip]:
    """A BVH hierarchy for any clip, and the clip with just its joints.

    Joints are put depth first. A still leaf called "<parent>_end" becomes an end site; any other leaf gets one of
    length zero, because programs expect every branch to close with one.
    """
    body = clip.skeleton
    turns, slides = turning(clip), sliding(clip)
    names: list[str] = []
    above: list[int] = []
    picks: list[int] = []
    places: list[np.ndarray] = []
    channels: list[tuple[tuple[int, int], ...]] = []
    ends: list[bool] = []

    def add(name: str, parent: int, pick: int, place: np.ndarray, own: tuple[tuple[int, int], ...], end: bool) -> None:
        names.append(name)
        above.append(parent)
        picks.append(pick)
        places.append(place)
        channels.append(own)
        ends.append(end)

    stack = [(0, -1)]
    while stack:
        j, parent = stack.pop()
        here = len(names)
        leaf = not body.children[j]
        end = (
            j > 0 and leaf and not turns[j] and not slides[j] and body.names[j] == f"{body.names[body.parents[j]]}_end"
        )
        name = re.sub(r"[{}\r\n\0]", "_", body.names[j]).strip() or f"joint_{j}"
        own = () if end else (*(_POSITION if j == 0 or slides[j] else ()), *_ROTATION)
        add(name, parent, j, body.offsets[j], own, end)
        if leaf and not end:
            add(f"{name}_end", here, -1, np.zeros(3), (), True)
        stack += [(c, here) for c in reversed(body.children[j])]
    parents, offsets = np.array(above, np.int64), np.array(places)
    record = Hierarchy(tuple(names), parents, offsets / scale, tuple(channels), np.array(ends))
    return record, _rearranged(clip, tuple(f"{k} {n}" for k, n in enumerate(names)), parents, picks, offsets)


def new_asf(clip: Clip) -> tuple[Asf, Clip]:
    """An ASF for any clip, and the clip with just its joints.

    A bone ends where its children begin. Where children begin at different places the bone gets length zero, and a
    still bone "<child>_base" leads to each child; the root has no length, so the same holds for its children.
    """
    body = clip.skeleton
    turns, slides = turning(clip), sliding(clip)
    scale = 0.0254 / _CMU_LENGTH
    names: list[str] = []
    above: list[int] = []
    ends: list[np.ndarray] = []  # of the bones, in the axes of their joints
    picks: list[int] = []
    taken: set[str] = set()

    def add(name: str, parent: int, end: np.ndarray, pick: int) -> int:
        names.append(_token(name, taken))
        above.append(parent)
        ends.append(end)
        picks.append(pick)
        return len(names) - 1

    stack = [(0, -1)]
    while stack:
        j, parent = stack.pop()
        children = body.children[j]
        if j and not np.allclose(body.offsets[j], ends[parent], rtol=0, atol=1e-9):
            parent = add(f"{body.names[j]}_base", parent, body.offsets[j] - ends[parent], -1)
        tip = np.zeros(3)
        if j and children and np.allclose(body.offsets[list(children)], body.offsets[children[0]], rtol=0, atol=1e-9):
            tip = body.offsets[children[0]]
        bone = add("root" if j == 0 else body.names[j], parent, tip, j)
        only_end = len(children) == 1 and j and body.names[children[0]] == f"{body.names[j]}_end"
        if only_end and not body.children[children[0]] and not turns[children[0]] and not slides[children[0]]:
            continue  # the far end of a leaf bone needs no bone of its own
        stack += [(c, bone) for c in reversed(children)]
    tips = np.array(ends)
    lengths = np.linalg.norm(tips, axis=1)
    dofs: list[tuple[str, ...]] = [("tx", "ty", "tz", *_ALL_TURNS)]
    for j in picks[1:]:
        dofs.append(() if j < 0 else (*(_ALL_SHIFTS if slides[j] else ()), *(_ALL_TURNS if turns[j] else ())))
    asf = Asf(
        names=tuple(names),
        parents=np.array(above, np.int64),
        directions=np.divide(tips, lengths[:, None], out=np.zeros_like(tips), where=lengths[:, None] > 0),
        lengths=lengths / scale,
        axes=np.zeros((len(names), 3)),
        orders=("XYZ",) * len(names),
        dofs=tuple(dofs),
        limits=((),) * len(names),
        position=np.zeros(3),
        length_unit=_CMU_LENGTH,
    )
    joints, parents, offsets, bones = asf.joints
    picked = [picks[b] if b >= 0 else -1 for b in bones]
    return asf, _rearranged(clip, joints, parents, picked, offsets * scale)


def _token(name: str, taken: set[str]) -> str:
    """A name as one word of an ASF that no other bone has and nobody takes for a number or a key word."""
    word = re.sub(r"[\s\0- ()#]", "_", name)
    if not word or word[0] in "0123456789+-.:" or word.lower() in ("begin", "end") or (word == "root" and taken):
        word = f"bone_{word}"
    unique, n = word, 2
    while unique.lower() in taken:
        unique, n = f"{word}_{n}", n + 1
    taken.add(unique.lower())
    return unique


def widened_asf(clip: Clip) -> Asf | None:
    """The clip's own ASF with all three rotations for bones that turn in ways it did not foresee, and translations
    for those that slide; None for a clip that has no ASF or whose skeleton is no longer that."""
    source = clip.source
    if source is None or not isinstance(source.motion, AmcMotion):
        return None
    motion, basis = source.motion, UPRIGHT[source.up]
    names, parents, offsets, bones = motion.record.joints
    if not same_skeleton(clip, Skeleton(names, parents, rot.rotate(basis, offsets * source.scale))):
        return None
    slides = sliding(clip)
    slides[0] = True  # the root is where it is in every frame
    dofs, limits = list(motion.record.dofs), list(motion.record.limits)
    for j, b in enumerate(bones):
        if b < 0:
            if slides[j]:
                return None
            continue
        try:
            motion.channels.angles(b, clip.rotations[:, j], basis)
            turns = tuple(d for d in dofs[b] if d[0] == "r")
        except MotionError:
            turns = _ALL_TURNS
        needed = (*(_ALL_SHIFTS if slides[j] else ()), *turns)
        if set(needed) != set(dofs[b]):
            dofs[b], limits[b] = needed, ()
    return replace(motion.record, dofs=tuple(dofs), limits=tuple(limits))
