"""A simple body to see a skeleton by: one round capsule a bone, as thick as a person is there.

Thicknesses are those of an adult of 1.75 m, chosen by eye near ordinary limb girths, and grow with the skeleton.
What a bone is, its joint's name says; a bone with a name of no known kind gets a thickness from its length.
"""

import re
from dataclasses import dataclass

import numpy as np

from motiongraph.model.skeleton import Skeleton

STATURE = 1.75

# Kind of bone: what its name holds (letters and digits only, lower case), then its radius in metres where it
# begins and where it ends. The first kind that fits counts: "LeftHandThumb1" is a finger, not a hand.
_KINDS = (
    ("pelvis", r"hips|hipjoint|pelvis|^root|root$|armature|^hip$", 0.100, 0.080),
    ("torso", r"spine|chest|thorax|lowerback|upperback|torso|abdomen|waist", 0.115, 0.125),
    ("neck", r"neck", 0.055, 0.050),
    ("head", r"head", 0.085, 0.090),
    ("finger", r"thumb|finger(?!s|base)|index|middle|ring|pinky|little|metacarp", 0.010, 0.008),
    ("hand", r"hand|wrist|palm|finger", 0.034, 0.030),
    ("toe", r"toe|ball", 0.030, 0.020),
    ("foot", r"foot|ankle", 0.040, 0.032),
    ("forearm", r"forearm|lowerarm|elbow|radius|ulna", 0.041, 0.029),
    ("clavicle", r"clav|collar|shoulder", 0.085, 0.055),
    ("arm", r"arm|humerus|shldr", 0.053, 0.042),
    ("thigh", r"thigh|upleg|upperleg|femur|hip", 0.080, 0.056),
    ("shin", r"leg|shin|calf|knee|tibia", 0.058, 0.037),
)
_RADII = {kind: (begin, end) for kind, _, begin, end in _KINDS}


@dataclass(frozen=True, eq=False)
class Body:
    """n capsules, each fixed to a joint."""

    joints: np.ndarray  # (n,) int, the joints whose orientations turn them
    starts: np.ndarray  # (n, 3) metres, in that joint's own axes
    ends: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n, 2) metres at start and end; 0 nowhere

    def __len__(self) -> int:
        return len(self.joints)


def bone_kinds(skeleton: Skeleton) -> list[str]:
    """What each joint's bone is: "thigh", "torso", …, or "" where the name does not say."""
    kinds = [_kind(name) for name in skeleton.names]
    if "arm" not in kinds:  # skeletons named by joints (SMPL): collar, shoulder, elbow
        kinds = [
            "arm" if kind == "clavicle" and "shoulder" in name.lower() else kind
            for kind, name in zip(kinds, skeleton.names)
        ]
    return kinds


def body_of(skeleton: Skeleton) -> Body:
    """The capsules of a skeleton; at least one, whatever its bones."""
    kinds, scale = bone_kinds(skeleton), _scale(skeleton)
    lengths = skeleton.bone_lengths
    capsules = []
    for j in range(1, len(skeleton)):
        p = int(skeleton.parents[j])
        # A bone into the pelvis leads from a file's reference point to the person and is no part of the body.
        if lengths[j] > 1e-6 * scale and kinds[p] != "head" and kinds[j] != "pelvis":
            capsules.append((p, np.zeros(3), skeleton.offsets[j], _radii(skeleton, kinds, p, lengths[j], scale)))
    capsules += [
        (j, *_head(skeleton, j, scale))
        for j, kind in enumerate(kinds)
        if kind == "head" and (j == 0 or kinds[skeleton.parents[j]] != "head")
    ]
    if not capsules:
        capsules.append((0, np.zeros(3), np.zeros(3), (0.1 * scale, 0.1 * scale)))
    joints, starts, ends, radii = map(np.array, zip(*capsules))
    return Body(joints, starts, ends, radii)


def _kind(name: str) -> str:
    name = name.lower().rpartition(":")[2]  # without Mixamo's "mixamorig:"
    before, _, after = name.rpartition("_")
    if _matching(before) and _matching(after):  # "torso_head", between both, carries the head
        return _matching(after)
    return _matching(name)


def _matching(name: str) -> str:
    bare = re.sub(r"[^a-z0-9]", "", name)
    return next((kind for kind, pattern, *_ in _KINDS if re.search(pattern, bare)), "")


def _scale(skeleton: Skeleton) -> float:
    """Size against 1.75 m by the widest extent of the rest pose: a person's reach is as wide as they are tall,
    so this holds for arms out, arms down and for bodies drawn lying down."""
    extent = float(np.ptp(skeleton.rest, axis=0).max())
    return extent / STATURE if extent > 0.0 else 1.0


def _radii(skeleton: Skeleton, kinds: list[str], joint: int, length: float, scale: float) -> tuple[float, float]:
    kind = kinds[joint]
    if not kind:
        radius = min(max(0.15 * length, 0.008 * scale), 0.09 * scale)
        return radius, 0.8 * radius
    begin, end = _RADII[kind]
    if kind == "hand":  # a palm drawn as one bone a finger shares its width among them, the thumb beside it
        scale = scale / np.sqrt(max(len(skeleton.children[joint]) - 1, 1))
    return begin * scale, end * scale


def _head(skeleton: Skeleton, joint: int, scale: float) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Start, end and radii of the head: as large as heads are, however long the file made its bone."""
    ahead = [skeleton.offsets[c] for c in skeleton.children[joint]]
    ahead = next((v for v in [*ahead, skeleton.offsets[joint]] if np.linalg.norm(v) > 0.0), np.array([0.0, 1.0, 0.0]))
    length = np.linalg.norm(ahead)
    begin, end = _RADII["head"]
    # The crown is 0.2 m above the joint where head and neck meet, or where the file puts it if that is higher.
    crown = min(max(length, 0.20 * scale), 0.25 * scale)
    top = ahead / length * (crown - end * scale)
    return top - ahead / length * 0.05 * scale, top, (begin * scale, end * scale)
