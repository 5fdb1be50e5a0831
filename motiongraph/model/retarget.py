"""The same motion on another body.

Where joints agree, bones keep their directions and the root its share of the legs. A body with other joints goes by a
map of which joint does the work of which (see `bone_map`). Both bodies are first thought of in one reference pose.
That is the rest pose where it stands; rest poses with all bones along one axis (LAFAN1) say nothing, and then it is a
captured pose that stands. From there on a joint of the target turns as its joint of the source does:
G_t = G_s · (G_s at reference)⁻¹ · A · (G_t at reference), with A what brings the target's bone in its own reference
pose onto the source's, so that bones point where they pointed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model import kinematics, sides
from motiongraph.model.bone_map import BoneMap, body_parts, bone_map, unrecognised
from motiongraph.model.labels import Labels
from motiongraph.model.sides import Foot
from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip


_FOOT = 0.05  # metres: how differently high feet of two bodies may be held above the ground
# The part at which the bone of a part ends.
_ENDS = {"hip": "knee", "knee": "ankle", "shoulder": "elbow", "elbow": "wrist", "collar": "shoulder"}


@dataclass(frozen=True)
class _Pose:
    """A body standing, turned so that it faces along z."""

    places: np.ndarray  # (J, 3) metres
    turns: np.ndarray  # (J, 4) global orientations of its joints
    at_rest: bool  # whether this is the rest pose, whose trunk is upright by design


def transferred(
    clip: "Clip", skeleton: Skeleton, bones: BoneMap | None = None, standing: "Clip | None" = None
) -> "Clip":
    """`clip` on `skeleton`; bones: which joint leads which, found where it is not given.

    standing: a clip of `skeleton`, needed where its rest pose does not stand. Strides are in proportion to the legs,
    and the feet are on the clip's floor. Joints that nothing leads keep still in their parent.
    """
    bones = bones or bone_map(clip.skeleton, skeleton)
    source, parts, theirs = clip.skeleton, body_parts(skeleton), body_parts(clip.skeleton)
    pose, other = _reference(skeleton, parts, standing), _reference(source, theirs, clip)
    orientations, root = clip.orientations(), parts["hips"]
    turns = np.empty((len(clip), len(skeleton), 4))
    aligned: dict[int, np.ndarray] = {}
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        led = bones.pairs.get(name)
        if led is None:
            # Its place in its parent is that of the reference pose; at the top, it stands as the hips do.
            anchor = parent if parent >= 0 else root
            following = source.index(bones.pairs[skeleton.names[root]])
            above = turns[:, parent] if parent >= 0 else orientations[:, following]
            before = pose.turns[anchor] if parent >= 0 else other.turns[following]
            turns[:, joint] = rot.multiply(above, rot.multiply(rot.conjugate(before), pose.turns[joint]))
            aligned[joint] = aligned.get(parent, rot.IDENTITY)
            continue
        leader = source.index(led)
        part = bones.parts.get(name, "")
        align = _align(part, (pose, parts), (other, theirs))
        aligned[joint] = aligned.get(parent, rot.IDENTITY) if align is None else align
        fixed = rot.multiply(rot.conjugate(other.turns[leader]), rot.multiply(aligned[joint], pose.turns[joint]))
        turns[:, joint] = rot.multiply(orientations[:, leader], fixed)
    rotations = turns.copy()
    rotations[:, 1:] = rot.multiply(rot.conjugate(turns[:, skeleton.parents[1:]]), turns[:, 1:])
    return _placed(clip, skeleton, rot.normalized(rotations), parts, theirs)


def _align(part: str, own: tuple[_Pose, dict[str, int]], other: tuple[_Pose, dict[str, int]]) -> np.ndarray | None:
    """(4,) the turn that brings a part of one reference pose onto the other's; None: as its parent's.

    Limbs are brought into one direction. Trunk joints carry several bones and have a side and an up. Feet turn about
    the vertical alone: both stand flat, however high their files put the ankle.
    """
    side, _, kind = part.rpartition(" ")
    if kind in _ENDS:
        begin, end = f"{side} {kind}".strip(), f"{side} {_ENDS[kind]}"
        ways = [_way(pose, parts, begin, end) for pose, parts in (own, other)]
        return None if ways[0] is None or ways[1] is None else rot.between(ways[0], ways[1])
    if kind in ("ankle", "toe"):
        ways = [_way(pose, parts, f"{side} ankle", f"{side} toe") for pose, parts in (own, other)]
        flat = [np.zeros(3) if way is None else way * [1.0, 0.0, 1.0] for way in ways]
        shortest = min(float(np.linalg.norm(way)) for way in flat)
        return rot.IDENTITY if shortest < 1e-3 else rot.between(flat[0], flat[1])
    if part == "neck":
        ways = [_way(pose, parts, "neck", "head") for pose, parts in (own, other)]
        return rot.IDENTITY if ways[0] is None or ways[1] is None else rot.between(ways[0], ways[1])
    if kind in ("hips", "chest") or side == "spine":
        if own[0].at_rest and other[0].at_rest:
            return rot.IDENTITY
        part = "chest" if kind == "chest" else "hips"
        pair = ("left hip", "right hip") if part == "hips" else ("left shoulder", "right shoulder")
        upper = [_way(pose, parts, part, "neck" if part == "chest" else "chest") for pose, parts in (own, other)]
        across = [_way(pose, parts, pair[1], pair[0]) for pose, parts in (own, other)]
        frames = [_frame(x, y) for x, y in zip(across, upper)]
        if frames[0] is not None and frames[1] is not None:
            return rot.multiply(frames[1], rot.conjugate(frames[0]))
        return rot.IDENTITY
    return None if kind == "wrist" or side.startswith(("left", "right")) else rot.IDENTITY


def _way(pose: _Pose, parts: dict[str, int], begin: str, end: str) -> np.ndarray | None:
    """(3,) from one part to another, or None where either is not known or they are in one place."""
    if begin not in parts or end not in parts:
        return None
    way = pose.places[parts[end]] - pose.places[parts[begin]]
    return way if np.linalg.norm(way) > 1e-6 else None


def _frame(across: np.ndarray | None, upward: np.ndarray | None) -> np.ndarray | None:
    """(4,) the turn that takes x to the left side and y nearest to `upward`."""
    if across is None or upward is None:
        return None
    first = rot.between(np.array([1.0, 0.0, 0.0]), across)
    axis = across / np.linalg.norm(across)
    up, aim = rot.rotate(first, np.array([0.0, 1.0, 0.0])), upward - (upward @ axis) * axis
    if np.linalg.norm(aim) < 1e-6:
        return None
    angle = np.arctan2(np.cross(up, aim) @ axis, up @ aim)
    return rot.multiply(rot.about(axis, np.array(angle)), first)


def _reference(skeleton: Skeleton, parts: dict[str, int], clip: "Clip | None") -> _Pose:
    """The rest pose where it stands, else the pose of the clip that stands straightest; facing along z."""
    identity = np.tile(rot.IDENTITY, (len(skeleton), 1))
    places, turns, at_rest = skeleton.rest, identity, True
    if _straightness(places[None], parts)[0] < 0.8:
        if clip is None:
            raise MotionError("retargeting: the skeleton's rest pose does not stand; give a clip of it that does")
        frame = clip.first + int(np.argmax(_straightness(clip.positions()[clip.first :], parts)))
        places, turns, at_rest = clip.positions()[frame], clip.orientations()[frame], False
    across = places[parts["left hip"]] - places[parts["right hip"]]
    turn = rot.about("Y", np.arctan2(across[2], across[0]))
    return _Pose(rot.rotate(turn, places), rot.multiply(turn, turns), at_rest)


def _straightness(poses: np.ndarray, parts: dict[str, int]) -> np.ndarray:
    """(F,) how upright poses (F, J, 3) stand: the lowest rise, over its length, of both legs and of the trunk."""
    top = next((parts[name] for name in ("head", "neck", "chest") if name in parts), parts["hips"])
    chains = [(f"{side} ankle", f"{side} knee", f"{side} hip") for side in ("left", "right")]
    bones = [pair for lower, mid, upper in chains for pair in ((lower, mid), (mid, upper))]
    ways = [poses[:, parts[b]] - poses[:, parts[a]] for a, b in bones]
    if top != parts["hips"]:
        ways.append(poses[:, top] - poses[:, parts["hips"]])
    rises = [way[:, 1] / np.maximum(np.linalg.norm(way, axis=1), 1e-9) for way in ways]
    return np.min(rises, axis=0)


def _placed(
    clip: "Clip", skeleton: Skeleton, rotations: np.ndarray, parts: dict[str, int], theirs: dict[str, int]
) -> "Clip":
    """The clip with its root where the source's hips are, in proportion to the legs, and its feet on the floor."""
    scale = _leg(skeleton, parts) / _leg(clip.skeleton, theirs)
    floor = np.array([0.0, clip.floor, 0.0])
    hips = floor + scale * (clip.positions()[:, theirs["hips"]] - floor)
    still = kinematics.positions(skeleton, np.zeros((len(clip), 3)), rotations)
    root = hips - still[:, parts["hips"]]
    lowest = (still + root[:, None])[:, _soles(skeleton, parts), 1].min(axis=1)
    before = clip.positions()[:, _soles(clip.skeleton, theirs), 1].min(axis=1)
    short = floor[1] + scale * (before - floor[1]) - lowest
    planted = np.flatnonzero(np.asarray(clip.contacts()).any(axis=1))
    root[:, 1] += np.median(short[planted] if len(planted) else short[clip.first :])
    body = {"skeleton": skeleton, "root": root, "rotations": rotations, "planted": planted_on(clip, skeleton)}
    result = replace(clip, **body, offsets=None, source=None)
    # Feet of other shapes touch the ground with other joints: what counts is where the result stands. In a few steps
    # that is seen less surely than contacts are, so it settles no more than the shape of feet can make.
    settle = float(np.clip(clip.floor - result.floor, -_FOOT, _FOOT))
    return replace(result, root=root + np.array([0.0, settle, 0.0]))


def planted_on(clip: "Clip", skeleton: Skeleton) -> Labels | None:
    """The contacts that the clip was given, on the feet of the other body."""
    if clip.planted is None or hanging(clip.skeleton) == hanging(skeleton):
        return clip.planted
    theirs, parts = body_parts(clip.skeleton), body_parts(skeleton)
    feet = [part for part in ("left ankle", "left toe", "right ankle", "right toe") if part in theirs and part in parts]
    names = {clip.skeleton.names[theirs[part]]: skeleton.names[parts[part]] for part in feet}
    return clip.planted.renamed(names)


def _soles(skeleton: Skeleton, parts: dict[str, int]) -> list[int]:
    """The joints of both feet: ankles, toes and all below."""
    ankles = [parts[f"{side} ankle"] for side in ("left", "right")]
    return [joint for ankle in ankles for joint in (ankle, *sides.below(skeleton, ankle))]


def _leg(skeleton: Skeleton, parts: dict[str, int]) -> float:
    """Metres from hip to ankle along the bones, mean of both legs."""
    total = 0.0
    for side in ("left", "right"):
        chain = sides.ancestors(skeleton, parts[f"{side} ankle"])
        total += float(skeleton.bone_lengths[chain[: chain.index(parts[f"{side} hip"])]].sum())
    return 0.5 * total


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
    its names and structure tell how to move (then see `transferred`, also for `standing`).

    Global bone directions stay what they were. The root's path is scaled by the ratio of the leg lengths in all
    three directions, heights measured from the floor: strides shrink with the legs, so planted feet stay planted.
    One constant lift then puts the soles on the floor, since pelvis and feet are not in proportion to legs.
    """
    if skeleton == clip.skeleton:
        return clip
    if bones is not None or _maps(clip.skeleton, skeleton):
        return transferred(clip, skeleton, bones, standing)
    return put_on(clip, skeleton)[0]


class Heights(NamedTuple):
    """What of the whole motion decides how a clip's root moves on another body with the same joints."""

    floor: float  # metres: the ground of the clip
    lift: float  # metres that the root is raised in the end


def put_on(clip: "Clip", skeleton: Skeleton) -> tuple["Clip", Heights]:
    """`clip` on a body with the same joints, and the heights that were found for it."""
    fit, floor, offsets = _Fit.of(clip.skeleton, skeleton, tuple(sides.feet(clip))), clip.floor, None
    if clip.offsets is not None:
        offsets = _slid(fit.source, skeleton, clip.offsets[:, fit.order], fit.turns, fit.scale)
    root, rotations = fit.poses(clip.root, clip.rotations, floor)
    result = replace(clip, skeleton=skeleton, root=root, rotations=rotations, offsets=offsets, source=None)
    heights = Heights(floor, _lift(clip, result, fit.feet, fit.scale))
    return replace(result, root=_lifted(root, heights)), heights


def poses_on(
    clip: "Clip", skeleton: Skeleton, heights: Heights, frames: np.ndarray | slice
) -> tuple[np.ndarray, np.ndarray] | None:
    """root and rotations of some frames of what `put_on` gives, with the heights that it found; None where only all
    frames together tell."""
    feet = tuple(sides.feet_by_name(clip.skeleton))
    if not feet or clip.offsets is not None:
        return None
    root, rotations = _Fit.of(clip.skeleton, skeleton, feet).poses(*clip.poses_at(frames), heights.floor)
    return _lifted(root, heights), rotations


def _lifted(root: np.ndarray, heights: Heights) -> np.ndarray:
    return root + np.array([0.0, heights.lift, 0.0])


@dataclass(frozen=True, eq=False)
class _Fit:
    """How poses of one body are put on another with the same joints."""

    skeleton: Skeleton
    source: Skeleton  # the other body, its joints in this one's order
    order: np.ndarray  # (J,) int: the other's joint for every joint
    turns: np.ndarray  # (J, 4), see `corrections`
    scale: float  # of the root's path
    feet: tuple[Foot, ...]

    @classmethod
    @lru_cache(256)
    def of(cls, other: Skeleton, skeleton: Skeleton, feet: tuple[Foot, ...]) -> "_Fit":
        """feet: of the other body."""
        order = _order(other, skeleton)
        source = Skeleton(skeleton.names, skeleton.parents, other.offsets[order])
        directions = sides.bone_directions(skeleton), sides.bone_directions(source)
        turns = corrections(skeleton, *directions, sides.ends(skeleton))
        feet = tuple(tuple(int(np.flatnonzero(order == joint)[0]) for joint in foot) for foot in feet)
        return cls(skeleton, source, order, turns, _scale(source, skeleton, feet), feet)

    def poses(self, root: np.ndarray, rotations: np.ndarray, floor: float) -> tuple[np.ndarray, np.ndarray]:
        """root (F, 3) and rotations (F, J, 4) on this body, whose root is scaled about a height of the floor."""
        ground = np.array([0.0, floor, 0.0])
        rotations = corrected(self.skeleton, rotations[:, self.order], self.turns)
        return ground + self.scale * (root - ground), rotations


def can_retarget(source: Skeleton, target: Skeleton) -> bool:
    """Whether motion of one body can be put on another."""
    return hanging(source) == hanging(target) or _maps(source, target)


def _maps(source: Skeleton, target: Skeleton) -> bool:
    """Whether bodies with other joints are both understood."""
    return hanging(source) != hanging(target) and not unrecognised(source) and not unrecognised(target)


def hanging(skeleton: Skeleton) -> frozenset[tuple[str, str]]:
    """Every joint and what it hangs on: bodies for which this is the same need no map of bones."""
    names = skeleton.names
    return frozenset((name, names[p] if p >= 0 else "") for name, p in zip(names, skeleton.parents.tolist()))


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
