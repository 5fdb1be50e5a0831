"""What a skeleton's joints are: which are left and right of each other, which are feet, how long the legs are.

Names decide first, since every capture system writes "left", "L" and "foot" in its own way; where they say nothing
about feet, the lowest ends of the body do.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip

Foot: TypeAlias = tuple[int, ...]  # the ankle or heel joint, and the toe-base joint if there is one

# Where a joint name says "left", most certain first; replaced by "right" it must name another joint of the
# skeleton. That condition is what keeps "lowerback" and "LowerLeg" from being taken for left-hand joints.
_LEFT = (
    re.compile(r"left", re.I),  # LeftUpLeg, mixamorig:LeftArm, joint_LeftFoot, "Left Arm", leg_left
    re.compile(r"(?<![A-Za-z])l(?![A-Za-z])", re.I),  # L_Arm, arm_l, Foot.L, "Bip01 L Thigh", Foot_L_end, l1
    re.compile(r"(?<![A-Za-z])l", re.I),  # lfemur, LHipJoint, Subject:lfoot
    re.compile(r"(?<=[a-z])L(?![a-z])"),  # armL, footL_end
)
_RIGHT = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R"}

# A joint that stands on the ground, by name; "ik_foot_l" and its like steer a rig and are no part of the body.
_BALL = r"(?:^|[^a-z]|left|right)ball(?![a-z])"
_TOE = re.compile(rf"toe|{_BALL}", re.I)
_FOOT = re.compile(rf"foot|feet|ankle|(?<!w)heel|tarsal|hoof|paw(?![a-z])|toe|{_BALL}", re.I)
_STEERING = re.compile(r"(?<![a-z])(ik|pole|target|ctrl|control)(?![a-z])|(?-i:IK)", re.I)


def _right_of(name: str, known: dict[str, int]) -> str | None:
    """The name of the joint opposite to a left-hand `name`, or None."""
    for pattern in _LEFT:
        for found in pattern.finditer(name):
            right = _RIGHT.get(found[0], "right")
            opposite = name[: found.start()] + right + name[found.end() :]
            if opposite in known:
                return opposite
    return None


def pairs(skeleton: Skeleton) -> np.ndarray:
    """(n, 2) int: the left and the right joint of every pair, found by name.

    Exchanging them carries the hierarchy onto itself: the parents of a pair are one joint or another pair.
    """
    named, taken = [], set()
    for left, name in enumerate(skeleton.names):
        right = skeleton.by_name.get(_right_of(name, skeleton.by_name) or "")
        if right is not None and not {left, right} & taken:
            named.append((left, right))
            taken |= {left, right}
    kept, partner = [], {}
    for left, right in sorted(named, key=max):  # parents come before their children
        above = int(skeleton.parents[left]), int(skeleton.parents[right])
        if partner.get(above[0], above[0]) == above[1]:
            kept.append((left, right))
            partner |= {left: right, right: left}
    return np.array(kept, int).reshape(-1, 2)


def facing(skeleton: Skeleton, pose: np.ndarray) -> float:
    """Degrees about y, 0 along z, that a pose (J, 3) faces: a quarter turn on from its left side, across hips and
    shoulders; 0 where left and right are not known."""
    found = pairs(skeleton)
    if not len(found):
        return 0.0
    across = (pose[found[:, 0]] - pose[found[:, 1]]).mean(axis=0)
    return float(np.degrees(np.arctan2(-across[2], across[0])))


def partners(skeleton: Skeleton) -> np.ndarray:
    """(J,) int: the joint on the other side of the body, or the joint itself where there is none."""
    partner = np.arange(len(skeleton))
    left, right = pairs(skeleton).T
    partner[left], partner[right] = right, left
    return partner


def ends(skeleton: Skeleton) -> np.ndarray:
    """(J,) bool: joints without children."""
    return ~np.isin(np.arange(len(skeleton)), skeleton.parents)


def bone_directions(skeleton: Skeleton) -> np.ndarray:
    """(J, 3): where the bone of each joint points in the rest pose, unit length, in the joint's own frame.

    That is the way to its only child, or to several in one place (an ASF bone's children all begin at its end).
    Zero where a joint carries several bones, or none.
    """
    directions = np.zeros((len(skeleton), 3))
    for joint, children in enumerate(skeleton.children):
        offsets = skeleton.offsets[list(children)]
        if children and np.ptp(offsets, axis=0).max() <= 1e-9 < (length := np.linalg.norm(offsets[0])):
            directions[joint] = offsets[0] / length
    return directions


def ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    """The joint and all above it, upwards."""
    chain = []
    while joint >= 0:
        chain.append(joint)
        joint = int(skeleton.parents[joint])
    return chain


def below(skeleton: Skeleton, joint: int) -> list[int]:
    """All joints below `joint`, parents first."""
    found = {joint}
    for j in range(joint + 1, len(skeleton)):
        if int(skeleton.parents[j]) in found:
            found.add(j)
    return sorted(found - {joint})


@lru_cache(maxsize=4096)
def _stands(name: str) -> bool:
    """Whether a name is that of a joint which stands on the ground; remembered, since folders repeat their names."""
    return bool(_FOOT.search(name)) and not _STEERING.search(name)


def feet_by_name(skeleton: Skeleton) -> list[Foot]:
    """The feet that the names of the joints tell."""
    named = [_stands(name) for name in skeleton.names]
    feet = []
    for joint in range(1, len(skeleton)):
        if not named[joint] or any(named[above] for above in ancestors(skeleton, joint)[1:]):
            continue
        lower = below(skeleton, joint)
        # A toe by name, else the next joint of the foot (SMPL calls it "foot" below "ankle"), else its end.
        toes = [j for j in lower if _TOE.search(skeleton.names[j])]
        toes = toes or [j for j in lower if named[j]] or lower
        alone = bool(_TOE.search(skeleton.names[joint]))
        feet.append((joint,) if alone or not toes else (joint, toes[0]))
    return feet


def feet_by_height(skeleton: Skeleton, positions: np.ndarray) -> list[Foot]:
    """Feet as the lowest ends of the body: (lower leg's end, tip) or (tip,) each; nothing foot-like: empty.

    positions: (F, J, 3) metres. An end is a foot when it comes down as low as the lowest one, within 8 % of the
    body's height, and hangs at least a quarter of that height below the root.
    """
    heights = positions[:, :, 1]
    size = float(np.median(np.ptp(heights, axis=1)))
    low = np.percentile(heights - heights[:, :1], 20, axis=0)
    tips = np.flatnonzero(ends(skeleton))
    tips = tips[(low[tips] <= low[tips].min() + 0.08 * size) & (low[tips] <= -0.25 * size)]
    if size < 1e-6:
        return []
    feet, taken = [], set()
    for tip in tips.tolist():
        # The ankle is the highest joint of the chain that is still near the ground.
        ankle = tip
        while skeleton.parents[ankle] > 0 and low[skeleton.parents[ankle]] <= low[tips].min() + 0.15 * size:
            ankle = int(skeleton.parents[ankle])
        if ankle not in taken:
            taken.add(ankle)
            feet.append((ankle,) if ankle == tip else (ankle, tip))
    return feet


def feet(clip: "Clip") -> list[Foot]:
    """The feet of a clip's skeleton, by name or else by being lowest in its captured motion."""
    by_name = feet_by_name(clip.skeleton)
    return by_name or feet_by_height(clip.skeleton, clip.positions()[clip.first :])


def leg_length(skeleton: Skeleton, feet: Iterable[Foot]) -> float:
    """Metres from hip to ankle along the bones, mean over `feet` (see `feet_by_name`); 0 where there are no legs.

    The hip is the topmost joint that belongs to one leg alone and does not sit where the body branches: a CMU
    skeleton's `lhipjoint` begins in the root and is pelvis, not leg.
    """
    chains = [ancestors(skeleton, foot[0]) for foot in feet]
    lengths = []
    for k, chain in enumerate(chains):
        others = {joint for i, other in enumerate(chains) if i != k for joint in other} | {0}
        leg = [joint for joint in chain if joint not in others]
        while len(leg) > 1 and skeleton.bone_lengths[leg[-1]] <= 1e-6:
            leg.pop()
        lengths.append(skeleton.bone_lengths[leg[:-1]].sum())
    return float(np.mean(lengths)) if lengths else 0.0
