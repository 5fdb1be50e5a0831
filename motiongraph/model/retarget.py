"""The same motion on a body of other proportions: bones keep their directions, the root its share of the legs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model import sides
from motiongraph.model.bone_map import BoneMap, unrecognised
from motiongraph.model.sides import Foot
from motiongraph.model.skeleton import Skeleton
from motiongraph.model.transfer import transferred

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip


def corrections(skeleton: Skeleton, own: np.ndarray, other: np.ndarray, childless: np.ndarray) -> np.ndarray:
    """(J, 4): turns A with A_j · own_j = other_j, for rest poses whose bones point elsewhere.

    own, other: (J, 3) directions as from `sides.bone_directions`; childless: (J,) bool, on both bodies. A joint
    that follows another's global orientation G with G·A_j instead lays its bone, own_j at rest, where the other's
    lies. Joints with several bones stay as they are (A = 1); joints with none follow their parent, so that an end
    joint's own rotation remains 1.
    """
    turns = rot.between(own, other)
    turns[childless] = turns[skeleton.parents[childless]]
    return turns


def corrected(skeleton: Skeleton, rotations: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Local rotations A_parent⁻¹ · q_j · A_j (F, J, 4): what turns every global orientation G_j into G_j · A_j."""
    rotations = rot.multiply(rotations, turns)
    rotations[:, 1:] = rot.multiply(rot.conjugate(turns)[skeleton.parents[1:]], rotations[:, 1:])
    return rotations


def retargeted(
    clip: "Clip", skeleton: Skeleton, bones: BoneMap | None = None, standing: "Clip | None" = None
) -> "Clip":
    """`clip` on `skeleton`: the same joints under the same parents in any order, or another body that `bones` or
    its names and structure tell how to move (then see `transfer`, also for `standing`).

    Global bone directions stay what they were. The root's path is scaled by the ratio of the leg lengths in all
    three directions, heights measured from the floor: strides shrink with the legs, so planted feet stay planted.
    One constant lift then puts the soles on the floor, since pelvis and feet are not in proportion to legs.
    """
    if skeleton == clip.skeleton:
        return clip
    if bones is not None or _maps(clip.skeleton, skeleton):
        return transferred(clip, skeleton, bones, standing)
    order = _order(clip.skeleton, skeleton)
    source = Skeleton(skeleton.names, skeleton.parents, clip.skeleton.offsets[order])
    directions = sides.bone_directions(skeleton), sides.bone_directions(source)
    turns = corrections(skeleton, *directions, sides.ends(skeleton))
    feet = [tuple(int(np.flatnonzero(order == joint)[0]) for joint in foot) for foot in sides.feet(clip)]
    scale = _scale(source, skeleton, feet)
    floor = np.array([0.0, clip.floor, 0.0])
    offsets = None
    if clip.offsets is not None:
        offsets = _slid(source, skeleton, clip.offsets[:, order], turns, scale)
    result = replace(
        clip,
        skeleton=skeleton,
        root=floor + scale * (clip.root - floor),
        rotations=corrected(skeleton, clip.rotations[:, order], turns),
        offsets=offsets,
        source=None,
    )
    lift = np.array([0.0, _lift(clip, result, feet, scale), 0.0])
    return replace(result, root=result.root + lift)


def can_retarget(source: Skeleton, target: Skeleton) -> bool:
    """Whether motion of one body can be put on another."""
    return _hanging(source) == _hanging(target) or _maps(source, target)


def _maps(source: Skeleton, target: Skeleton) -> bool:
    """Whether bodies with other joints are both understood."""
    return _hanging(source) != _hanging(target) and not unrecognised(source) and not unrecognised(target)


def _hanging(skeleton: Skeleton) -> set[tuple[str, str]]:
    """Every joint and what it hangs on."""
    names = skeleton.names
    return {(name, names[p] if p >= 0 else "") for name, p in zip(names, skeleton.parents.tolist())}


def _lift(clip: "Clip", result: "Clip", feet: Sequence[Foot], scale: float) -> float:
    """Metres that `result` hangs too low: its lowest foot joint against the clip's, at the moments of contact."""
    skeleton = result.skeleton
    joints = [j for foot in feet for j in (foot[0], *sides.below(skeleton, foot[0]))] or range(len(skeleton))
    names = [skeleton.names[j] for j in joints]
    before, after = (c.positions()[c.first :, [c.skeleton.index(n) for n in names], 1] for c in (clip, result))
    planted = np.asarray(clip.contacts())[clip.first :].any(axis=1)
    target = clip.floor + scale * (before.min(axis=1) - clip.floor)
    short = target - after.min(axis=1)
    return float(np.median(short[planted] if planted.any() else short))


def _order(source: Skeleton, target: Skeleton) -> np.ndarray:
    """(J,) int: the source's joint for every joint of the target."""
    missing = [n for n in target.names if n not in source.by_name]
    extra = [n for n in source.names if n not in target.by_name]
    if missing or extra:
        parts = [
            f"{what} {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
            for what, names in (("it lacks", missing), ("the other lacks", extra))
            if names
        ]
        raise MotionError(f"retargeting needs two skeletons with the same joints; {' and '.join(parts)}")
    order = np.array([source.index(n) for n in target.names])
    for joint, name in enumerate(target.names):
        theirs, ours = source.parents[order[joint]], target.parents[joint]
        if ours >= 0 and (theirs < 0 or source.names[theirs] != target.names[ours]):
            where = f"on {source.names[theirs]}" if theirs >= 0 else "at the root"
            raise MotionError(f"retargeting: joint {name} hangs on {target.names[ours]} but {where} in the clip")
    return order


def _scale(source: Skeleton, target: Skeleton, feet: Sequence[Foot]) -> float:
    """The target's size over the source's: by legs, else by height, else by all bones."""
    for ours, theirs in (
        (sides.leg_length(target, feet), sides.leg_length(source, feet)),
        (target.height, source.height),
        (target.bone_lengths.sum(), source.bone_lengths.sum()),
    ):
        if ours > 1e-6 and theirs > 1e-6:
            return ours / theirs
    return 1.0


def _slid(source: Skeleton, target: Skeleton, offsets: np.ndarray, turns: np.ndarray, scale: float) -> np.ndarray:
    """Sliding offsets (F, J, 3): how far a joint is from its rest place, in proportion to its bone."""
    theirs = source.bone_lengths
    ratio = np.divide(target.bone_lengths, theirs, out=np.full(len(target), scale), where=theirs > 1e-9)
    parents = np.maximum(target.parents, 0)
    away = rot.rotate(rot.conjugate(turns)[parents], offsets - source.offsets)
    return target.offsets + ratio[:, None] * away
