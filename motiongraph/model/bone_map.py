"""Which joint of one body does the work of which joint of another.

A joint's part (hips, left knee, …) is found by the names of hands, feet and head, which all conventions share (CMU's
ASF and BVH, Mixamo, LAFAN1, Xsens, Bip01, SMPL, VRM and Unity, Rokoko, Biovision), and by structure from there: a knee
is what lies between hip and ankle, whatever it is called. The result is a plain value that can be shown, corrected
with `with_pair`, and kept as JSON or TOML.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model import sides
from motiongraph.model.skeleton import Skeleton

_HAND = re.compile(r"hand(?!le)|wrist", re.I)
_HEAD = re.compile(r"head|skull", re.I)
_NECK = re.compile(r"neck", re.I)
_STEERING = re.compile(r"(?<![a-z])(ik|pole|target|ctrl|control)(?![a-z])|(?-i:IK)|footsteps", re.I)
_GIRDLE = re.compile(r"collar|clav|buttock|hip_?joint|pelvis", re.I)
_SHOULDER = re.compile(r"shoulder", re.I)
_ARM = re.compile(r"(?<!fore)(?<!lower)(?<!low)(?<!lo)(?<!fore_)(?<!lower_)arm", re.I)
_FINGERS = ("thumb", "index", "middle", "ring", "pinky|little")
_ESSENTIAL = ("hips", "left hip", "left knee", "left ankle", "right hip", "right knee", "right ankle")


@dataclass(frozen=True)
class BoneMap:
    """Pairs of joints that correspond, and the joints that nothing corresponds to."""

    pairs: Mapping[str, str]  # joint of the target → joint of the source
    parts: Mapping[str, str]  # joint of the target → its part, such as "left knee"; of those that are paired
    without_source: tuple[str, ...] = ()  # joints of the target that keep still in their parent
    unused: tuple[str, ...] = ()  # joints of the source whose motion is lost

    def with_pair(self, target: str, source: str | None) -> "BoneMap":
        """With a joint of the target led by another joint of the source, or by none."""
        pairs = {joint: led for joint, led in self.pairs.items() if joint != target}
        if source is not None:
            pairs[target] = source
        everything = {*self.pairs.values(), *self.unused}
        without = {*self.without_source, *self.pairs, target} - set(pairs)
        return replace(
            self,
            pairs=pairs,
            without_source=tuple(sorted(without)),
            unused=tuple(sorted((everything | ({source} if source else set())) - set(pairs.values()))),
        )

    def to_plain(self) -> dict[str, str]:
        """As JSON and TOML can keep it."""
        return dict(self.pairs)

    @classmethod
    def from_plain(cls, plain: Mapping[str, str], source: Skeleton, target: Skeleton) -> "BoneMap":
        """From `to_plain`, checked against both skeletons."""
        for joint, led in plain.items():
            target.index(joint)
            source.index(led)
        names = {joint: part for part, joint in _named(body_parts(target), target).items()}
        return cls(
            dict(plain),
            {joint: names[joint] for joint in plain if joint in names},
            tuple(name for name in target.names if name not in plain),
            tuple(name for name in source.names if name not in set(plain.values())),
        )


def bone_map(source: Skeleton, target: Skeleton, corrections: Mapping[str, str] | None = None) -> BoneMap:
    """The joints of `target` and those of `source` that do the same; a MotionError where the legs cannot be found.

    corrections: joint of the target → joint of the source, "" for none, which go before what is found; those for
    joints that the two bodies do not have are passed over.
    """
    theirs, ours = body_parts(source), body_parts(target)
    for body, which in ((source, "the clip's"), (target, "the other")):
        if missing := unrecognised(body):
            raise MotionError(f"retargeting: {which} skeleton has no {', '.join(missing)} that can be recognised")
    pairs: dict[int, int] = {}
    parts: dict[int, str] = {}
    for part, joint in ours.items():
        led = theirs.get(part)
        if led is None and part.startswith("spine "):
            led = _nearest_spine(part, theirs, ours)
        if led is not None and joint not in pairs:
            pairs[joint], parts[joint] = led, part
    found = BoneMap(
        {target.names[joint]: source.names[led] for joint, led in sorted(pairs.items())},
        {target.names[joint]: part for joint, part in sorted(parts.items())},
        tuple(name for j, name in enumerate(target.names) if j not in pairs),
        tuple(name for j, name in enumerate(source.names) if j not in set(pairs.values())),
    )
    for joint, led in (corrections or {}).items():
        if joint in target.by_name and (not led or led in source.by_name):
            found = found.with_pair(joint, led or None)
    return found


def unrecognised(skeleton: Skeleton) -> list[str]:
    """The parts without which nothing can be mapped, hips and legs, that a skeleton does not show."""
    parts = body_parts(skeleton)
    return [part for part in _ESSENTIAL if part not in parts]


def _nearest_spine(part: str, theirs: Mapping[str, int], ours: Mapping[str, int]) -> int | None:
    """For a spine of more joints than the other's: the one as far up."""
    counts = [sum(name.startswith("spine ") for name in parts) for parts in (theirs, ours)]
    if not counts[0]:
        return None
    place = (int(part.split()[1]) - 0.5) / counts[1]
    return theirs[f"spine {min(int(place * counts[0]), counts[0] - 1) + 1}"]


def _named(parts: Mapping[str, int], skeleton: Skeleton) -> dict[str, str]:
    return {part: skeleton.names[joint] for part, joint in parts.items()}


def body_parts(skeleton: Skeleton) -> dict[str, int]:
    """Part → joint, as far as names and structure tell: "hips", "spine 1" upwards, "chest", "neck", "head", and of
    both sides "hip", "knee", "ankle", "toe", "collar", "shoulder", "elbow", "wrist" and fingers ("left index 1")."""
    parts: dict[str, int] = {}
    left_of = {int(j): "left" for j in sides.pairs(skeleton)[:, 0]}
    side_of = left_of | {int(j): "right" for j in sides.pairs(skeleton)[:, 1]}
    legs = _limbs(skeleton, side_of, [foot[0] for foot in sides.feet_by_name(skeleton)])
    arms = _limbs(skeleton, side_of, [j for j, name in enumerate(skeleton.names) if _HAND.search(name)])
    toes = {foot[0]: foot[1] for foot in sides.feet_by_name(skeleton) if len(foot) > 1}
    for side, chain in legs.items():
        leg = chain[: _top(skeleton, chain, 0.3)]
        parts |= {f"{side} ankle": leg[0], f"{side} knee": _middle(skeleton, leg), f"{side} hip": leg[-1]}
        if leg[0] in toes:
            parts[f"{side} toe"] = toes[leg[0]]
    for side, chain in arms.items():
        parts |= _arm(skeleton, side, chain)
    if len(legs) == 2:
        parts["hips"] = _branch(skeleton, [chain[-1] for chain in legs.values()])
        chest = _branch(skeleton, [chain[-1] for chain in arms.values()]) if len(arms) == 2 else None
        parts |= _trunk(skeleton, parts["hips"], chest)
    return parts


def _limbs(skeleton: Skeleton, side_of: Mapping[int, str], ends: list[int]) -> dict[str, list[int]]:
    """For each side the joints from the first of `ends` up to the topmost that belongs to that side alone."""
    limbs: dict[str, list[int]] = {}
    for end in ends:
        side = side_of.get(end)
        if side is None or side in limbs or _STEERING.search(skeleton.names[end]):
            continue
        chain = [end]
        while (above := int(skeleton.parents[chain[-1]])) > 0 and side_of.get(above) == side:
            chain.append(above)
        if len(chain) >= 3:
            limbs[side] = chain
    return limbs


def _top(skeleton: Skeleton, chain: list[int], share: float) -> int:
    """How many joints of a limb's chain there are up to hip or shoulder: above it are joints of pelvis and chest.

    They are called so, or their bone is short: less than `share` of the limb where one joint may be meant, less than
    a fifth where several may be twisting parts of one bone.
    """
    count, lengths = len(chain), skeleton.bone_lengths
    while count > 3:
        name, below = skeleton.names[chain[count - 1]], [skeleton.names[joint] for joint in chain[1 : count - 1]]
        short = lengths[chain[count - 2]] < (share if count == 4 else 0.2) * lengths[chain[: count - 1]].sum()
        called = _GIRDLE.search(name) or (_SHOULDER.search(name) and any(_ARM.search(other) for other in below))
        if not (short or called):
            break
        count -= 1
    return count


def _middle(skeleton: Skeleton, chain: list[int]) -> int:
    """The knee or elbow: what divides the chain most evenly; joints between it and the ends only twist."""
    lengths = np.cumsum(skeleton.bone_lengths[chain[:-1]])
    return chain[1 + int(np.argmin(np.abs(lengths[:-1] - 0.5 * lengths[-1])))] if len(chain) > 2 else chain[0]


def _arm(skeleton: Skeleton, side: str, chain: list[int]) -> dict[str, int]:
    """Wrist, elbow, shoulder and collar from a chain upwards, and the fingers below."""
    arm = chain[: _top(skeleton, chain, 0.4)]
    parts = {f"{side} wrist": arm[0], f"{side} elbow": _middle(skeleton, arm), f"{side} shoulder": arm[-1]}
    if len(arm) < len(chain):
        parts[f"{side} collar"] = chain[len(arm)]
    for joint in sides.below(skeleton, arm[0]):
        for finger in _FINGERS:
            found = re.search(rf"(?:{finger})\D*(\d+)", skeleton.names[joint], re.I)
            if found and not skeleton.names[joint].endswith("_end"):
                parts.setdefault(f"{side} {finger.partition('|')[0]} {int(found[1])}", joint)
    return parts


def _branch(skeleton: Skeleton, joints: list[int]) -> int:
    """The lowest joint that has all of `joints` below it."""
    return max(set.intersection(*(set(sides.ancestors(skeleton, joint)[1:]) for joint in joints)))


def _trunk(skeleton: Skeleton, hips: int, chest: int | None) -> dict[str, int]:
    """Spine from the hips up to the chest, neck and head; joints at one place count once, by the lowest of them."""
    heads = [j for j, name in enumerate(skeleton.names) if _HEAD.search(name)]
    necks = [j for j, name in enumerate(skeleton.names) if _NECK.search(name) and not name.endswith("_end")]
    parts: dict[str, int] = {}
    if chest is not None and chest != hips:
        above = sides.ancestors(skeleton, chest)
        spine = above[: above.index(hips)][::-1] if hips in above else above[:1]
        parts |= {f"spine {k}": joint for k, joint in enumerate(spine[:-1], 1)} | {"chest": spine[-1]}
    if heads:
        parts["head"] = heads[0]
        necks = [neck for neck in necks if neck in sides.ancestors(skeleton, heads[0])[1:]]
    if necks:
        parts["neck"] = necks[0]
    return parts
