"""From clips to files, in the layout of the file a clip came from where that can hold the motion.

Clips that have no file, or whose file's channels cannot hold them, get a new BVH hierarchy or ASF skeleton: every joint
that turns has three rotations, every joint that slides three translations.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.files import write_together
from motiongraph.formats import guess
from motiongraph.formats.amc import Amc, format_amc
from motiongraph.formats.asf import Asf, format_asf
from motiongraph.formats.bvh import Bvh, Hierarchy, format_bvh
from motiongraph.formats.gltf import write_glb
from motiongraph.formats.motion import UPRIGHT, AmcMotion, BvhMotion
from motiongraph.formats.usd import write_usd
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

Motion = TypeVar("Motion", BvhMotion, AmcMotion)

_CMU_LENGTH = 0.45  # the `length` unit of a new ASF, CMU's own
_POSITION, _ROTATION = ((0, 0), (0, 1), (0, 2)), ((1, 2), (1, 1), (1, 0))
_ALL_TURNS, _ALL_SHIFTS = ("rx", "ry", "rz"), ("tx", "ty", "tz")


def files_written(path: str | os.PathLike) -> tuple[Path, ...]:
    """The files that `save` writes for a name: an .amc has its .asf beside it."""
    path = Path(path)
    return (path, path.with_suffix(".asf")) if path.suffix.lower() == ".amc" else (path,)


def save(clip: Clip, path: str | os.PathLike) -> None:
    """Write a clip as .bvh, .amc (and the .asf of the same name beside it), .glb, .usda or .usdc.

    The file appears whole or not at all. A clip as loaded is written with the numbers it was read with; a changed
    one in the channels of its file where those can hold it, and otherwise in a full set of channels.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".bvh":
        write_together({path: format_bvh(bvh_of(clip))})
    elif kind == ".amc":
        asf, amc = amc_of(clip)
        name = re.sub(r"[\s\0- :#]", "_", clip.name)
        write_together({path.with_suffix(".asf"): format_asf(asf, name), path: format_amc(amc, asf, clip.fps)})
    elif kind == ".glb":
        write_glb(clip, path)
    elif kind in (".usda", ".usdc"):
        write_usd(clip, path)
    else:
        raise MotionError(f"{path}: expected a name that ends in .bvh, .amc, .glb, .usda or .usdc")


def bvh_of(clip: Clip) -> Bvh:
    """The BVH record of a clip."""
    own, source = _in_its_own_channels(clip, BvhMotion), clip.source
    if own is None or source is None:
        unit = _unit(clip)
        record, written = new_hierarchy(clip, unit)
        motion = BvhMotion(record, record.layout(), 0, np.zeros(sum(map(len, record.channels))))
        return Bvh(record, _frame_time(clip), motion.values(written, UPRIGHT["y"], unit))
    motion, values = own
    return Bvh(motion.record, str(source.timing) if clip.fps == source.fps else _frame_time(clip), values)


def _unit(clip: Clip) -> float:
    """Metres in a unit of a new BVH: centimetres as is customary, metres where a reader would take those for inches.

    A body that no person has is written so that its reader sees that no unit fits, and not in a unit that seems to.
    """
    body, units = clip.skeleton, (0.01, 1.0)
    read = [guess.unit_of(replace(body, offsets=body.offsets / unit)) for unit in units]
    right = [unit for unit, seen in zip(units, read) if seen.metres == unit]
    unknown = [unit for unit, seen in zip(units, read) if not seen.name]
    return [*right, *unknown, 0.01][0]


def _frame_time(clip: Clip) -> str:
    return f"{1.0 / clip.fps:.12f}"  # all digits: "0.003" alone could be 1/300 cut short


def amc_of(clip: Clip) -> tuple[Asf, Amc]:
    """The ASF and AMC records of a clip."""
    own, source = _in_its_own_channels(clip, AmcMotion), clip.source
    if own is not None and source is not None:
        motion, values = own
        return motion.record, replace(motion.amc, values=values, number=int(source.timing))
    asf = widened_asf(clip)
    if asf is not None and source is not None:
        written, basis, scale = clip, UPRIGHT[source.up], source.scale
    else:
        asf, written = new_asf(clip)
        basis, scale = UPRIGHT["y"], asf.metres
    motion = AmcMotion.of(asf, Amc(np.zeros((0, 0)), 1, True, tuple(b for b, dof in enumerate(asf.dofs) if dof)))
    return asf, replace(motion.amc, values=motion.values(written, basis, scale))


def _in_its_own_channels(clip: Clip, kind: type[Motion]) -> tuple[Motion, np.ndarray] | None:
    """The channels of the clip's own file, if it is of this kind, with the numbers (F, C) of the clip's frames; None
    where they cannot hold it."""
    source = clip.source
    if source is None or not isinstance(source.motion, kind):
        return None
    basis, motion = UPRIGHT[source.up], source.motion
    if source.values is not None and len(source.values) == len(clip):
        skeleton, root, rotations, sliding = motion.build(source.values, basis, source.scale)
        pairs = [(root, clip.root), (rotations, clip.rotations), (sliding, clip.offsets)]
        if same_skeleton(clip, skeleton) and all(_equal(a, b) for a, b in pairs):
            return motion, source.values
    try:
        values = motion.values(clip, basis, source.scale)
    except MotionError:
        return None
    return (motion, values) if same_skeleton(clip, motion.build(values[:1], basis, source.scale)[0]) else None


def _equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is b if a is None or b is None else np.allclose(a, b, rtol=0, atol=1e-9)


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
