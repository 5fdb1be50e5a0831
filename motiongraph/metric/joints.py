"""Joints by name: which joint of one skeleton is which of another, and what each weighs."""

import re
from collections.abc import Mapping

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.skeleton import Skeleton

# CMU's own conversion to BVH renamed the bones of its ASF files; l and r become Left and Right.
_CMU_BVH = {
    "root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1", "lowerneck": "Neck",
    "upperneck": "Neck1", "head": "Head", "lhipjoint": "LHipJoint", "lfemur": "LeftUpLeg", "ltibia": "LeftLeg",
    "lfoot": "LeftFoot", "ltoes": "LeftToeBase", "lclavicle": "LeftShoulder", "lhumerus": "LeftArm",
    "lradius": "LeftForeArm", "lwrist": "LeftHand", "lhand": "LeftFingerBase", "lfingers": "LeftHandIndex1",
    "lthumb": "LThumb",
}  # fmt: skip
_CMU_BVH |= {
    "r" + a[1:]: re.sub("^L(eft)?", lambda m: "Right" if m[1] else "R", b)
    for a, b in _CMU_BVH.items()
    if a[0] == "l" and b[0] == "L" and a != "lowerback" and a != "lowerneck"
}
_CMU_BVH |= {f"{a}_end": f"{b}_end" for a, b in _CMU_BVH.items()}

# Mao 2011, table 4.1 (for the joint a bone turns about); alternatives are tried in order: CMU's ASF, its BVH and
# Mixamo, and the plain names of the table. Where arms are called Arm, a Shoulder is the collar bone.
_MAO = [
    (0.4, "{s}femur", "{Side}UpLeg", "{Side}Hip"),
    (0.4, "{s}tibia", "{Side}Leg", "{Side}Knee"),
    (0.9, "{s}foot", "{Side}Foot", "{Side}Ankle"),
    (0.8, "lowerback", "LowerBack"),
    (0.1, "upperback", "Spine", "Chest"),
    (0.1, "thorax", "Spine1", "Chest2"),
    (0.8, "upperneck", "Neck1", "Neck"),
    (0.1, "lowerneck", "Neck"),
    (0.4, "{s}humerus", "{Side}Arm", "{Side}Shoulder"),
    (0.2, "{s}radius", "{Side}ForeArm", "{Side}Elbow"),
]


def correspondence(
    ours: Skeleton, theirs: Skeleton, our_name: str = "one clip", their_name: str = "the other"
) -> np.ndarray:
    """(J,) int: for every joint of skeleton `ours`, the joint of `theirs` that is the same one.

    By name in any order, or by CMU's two sets of names; a MotionError says which joints have no partner.
    """
    if ours.names == theirs.names and np.array_equal(ours.parents, theirs.parents):
        return np.arange(len(ours))
    a, b = list(ours.names), list(theirs.names)
    if set(a) != set(b):
        a, b = [_CMU_BVH.get(n, n) for n in a], [_CMU_BVH.get(n, n) for n in b]
    if set(a) != set(b):
        only_a, only_b = (_few([n for n in x if n not in set(y)]) for x, y in ((a, b), (b, a)))
        raise MotionError(f"{our_name} and {their_name} have other joints: {only_a} against {only_b}")
    place = {n: i for i, n in enumerate(b)}
    order = np.array([place[n] for n in a])
    parents = np.array([place[a[p]] if p >= 0 else -1 for p in ours.parents])
    if not np.array_equal(parents, theirs.parents[order]):
        raise MotionError(f"{our_name} and {their_name} have the same joints, but hung up differently")
    return order


def _few(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "") if names else "none"


def joint_weights(skeleton: Skeleton, weights: Mapping[str, float] | str | None) -> np.ndarray:
    """(J,) weight of every joint: 1 unless `weights` names it; "mao" is Mao's table 4.1, where the others weigh 0.

    End joints (`<name>_end`) take their parent's weight unless named themselves (METRIC.md 2).
    """
    values = np.ones(len(skeleton))
    named = np.zeros(len(skeleton), bool)
    if isinstance(weights, str):
        if weights != "mao":
            raise MotionError(f"joint weights are a mapping of joint names to numbers or 'mao', not {weights!r}")
        weights = _mao(skeleton)
        values[:] = 0.0
    for name, value in (weights or {}).items():
        if not (np.isfinite(value) and value >= 0):
            raise MotionError(f"the weight of joint {name!r} must be a number from 0 up, not {value!r}")
        j = skeleton.index(name)
        values[j], named[j] = value, True
    for j, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents)):
        if name.endswith("_end") and parent >= 0 and not named[j]:
            values[j] = values[parent]
    if not values.any():
        raise MotionError("all joints weigh nothing; at least one must count")
    return values


def _mao(skeleton: Skeleton) -> dict[str, float]:
    plain = {re.sub(r"^.*[:|]", "", n).lower(): n for n in skeleton.names}
    found: dict[str, float] = {}
    for value, *names in _MAO:
        for s, side in (("l", "Left"), ("r", "Right")):
            targets = (n.format(s=s, Side=side).lower() for n in names)
            match = next((plain[n] for n in targets if n in plain and plain[n] not in found), None)
            if match:
                found[match] = value
            if "{" not in names[0]:
                break
    if len(found) < 10:
        raise MotionError("Mao's joint weights need a skeleton with CMU, Mixamo or plain BVH joint names")
    return found
