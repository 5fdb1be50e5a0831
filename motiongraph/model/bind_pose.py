"""The pose in which a body is modelled: upright, legs and arms a little apart, soles flat, facing +z.

A rest pose will not do: in many files every bone of it points the same way. So the motion says how each joint is
usually turned; limbs are then swung, without twist, to where a modeller wants them.
"""

from dataclasses import dataclass

import numpy as np

from motiongraph import rotations as rot
from motiongraph.model import sides
from motiongraph.model.body import bone_kinds
from motiongraph.model.clip import Clip
from motiongraph.model.kinematics import transforms
from motiongraph.model.skeleton import Skeleton

_FRAMES = 96  # of a clip, to learn from
_LOW = 10.0  # percentile of a joint's height at which it stands
# Where bones of limbs point: outwards, upwards, ahead.
_LIMBS = {
    "thigh": (0.10, -1.0, 0.0),
    "shin": (0.05, -1.0, -0.03),
    "arm": (0.62, -0.78, 0.0),
    "forearm": (0.60, -0.78, 0.12),
    "hand": (0.58, -0.80, 0.10),
}
_CHAINS = (("thigh", "shin", "foot", "toe"), ("arm", "forearm", "hand", "finger"))
_HIP = 0.12  # most of a body's height that lies between the middle of the pelvis and a hip


@dataclass(frozen=True, eq=False)
class BindPose:
    """How a skeleton stands to be modelled. Facing +z; +x is its left."""

    positions: np.ndarray  # (J, 3) metres
    orientations: np.ndarray  # (J, 4) w x y z, global
    kinds: list[str]  # what each joint's bone is, see `body.bone_kinds`
    left: np.ndarray  # (J,) 1 for joints of the left side, −1 for those of the right, else 0
    upright: bool  # a person, or something built like one
    size: float  # against an adult of 1.75 m


def bind_pose(skeleton: Skeleton, clip: Clip | None = None) -> BindPose:
    """The pose of a skeleton; clip: motion of it, from which the usual turn of every joint is learnt."""
    kinds, height = bone_kinds(skeleton), float(np.ptp(skeleton.rest, axis=0).max())
    for joint in range(1, len(kinds)):
        # A bone that leads to the hip is no thigh: "lhip" before "lthigh", MakeHuman's "__UpLeg_L".
        leads = [c for c in skeleton.children[joint] if kinds[c] == kinds[joint] == "thigh"]
        short = any(skeleton.bone_lengths[c] < _HIP * height for c in leads)
        if short and kinds[skeleton.parents[joint]] == "pelvis":
            kinds[joint] = "pelvis"
    for joint in range(1, len(kinds)):
        # "RightUpLegEnd" below "RightLeg" is a mark at the knee and no second leg.
        above = next((kinds[a] for a in sides.ancestors(skeleton, joint)[1:] if kinds[a]), "")
        if any(above in limb and kinds[joint] in limb[: limb.index(above)] for limb in _CHAINS):
            kinds[joint] = ""
    necks = [j for j, kind in enumerate(kinds) if kind == "neck" and not skeleton.names[j].endswith("_end")]
    if "head" not in kinds and necks:
        kinds[necks[-1]] = "head"
    left = np.zeros(len(skeleton))
    found = sides.pairs(skeleton)
    left[found[:, 0]], left[found[:, 1]] = 1.0, -1.0
    if clip is None:
        rotations, heights = np.tile(rot.IDENTITY, (len(skeleton), 1)), skeleton.rest[:, 1]
    else:
        rotations, heights = _usual(clip)
    feet = [foot for foot in sides.feet_by_name(skeleton) if kinds[foot[0]] in ("foot", "toe")]
    leg, trunk = _leg(skeleton, kinds), _trunk(skeleton, kinds)
    places, _ = transforms(skeleton, np.zeros(3), rotations)
    upright = {"thigh", "shin"} <= set(kinds) and bool(len(found)) and (leg > trunk or _on_two_legs(kinds, places))
    if upright:
        _stand(skeleton, kinds, left, heights, feet, rotations)
    positions, orientations = transforms(skeleton, np.zeros(3), rotations)
    extent = float(np.ptp(positions, axis=0).max())
    size = leg / 0.83 if upright else 1.3 * min(trunk, extent) if trunk > 0.0 else extent / 1.75
    return BindPose(positions, orientations, kinds, left, upright, size if size > 1e-3 else 1.0)


def main_child(skeleton: Skeleton, kinds: list[str], joint: int) -> int | None:
    """The joint at the far end of a joint's bone: of several, the one that goes on with the limb."""
    ahead = [c for c in skeleton.children[joint] if skeleton.bone_lengths[c] > 1e-6]
    if not ahead:
        return None
    order = ["pelvis", "torso", "neck", "head", "clavicle", "arm", "forearm", "hand", "thigh", "shin", "foot", "toe"]
    rank = {kind: n for n, kind in enumerate(order)}
    own = rank.get(kinds[joint], -9)
    following = [c for c in ahead if rank.get(kinds[c], 99) in (own, own + 1)]
    thumbless = [c for c in ahead if "thumb" not in skeleton.names[c].lower()]
    # Not a helper beside the limb, which carries nothing.
    return max(following or thumbless or ahead, key=lambda c: (bool(skeleton.children[c]), skeleton.bone_lengths[c]))


def _usual(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """The mean local rotations (J, 4) of a clip, turned to face +z, and the heights (J,) at which its joints stand."""
    captured = np.unique(np.linspace(clip.first, len(clip) - 1, _FRAMES).round().astype(int))
    offsets = None if clip.offsets is None else clip.offsets[captured]
    rotations = np.array(clip.rotations[captured])
    positions, _ = transforms(clip.skeleton, clip.root[captured], rotations, offsets)
    for frame, pose in enumerate(positions):
        ahead = np.radians(sides.facing(clip.skeleton, pose))
        rotations[frame, 0] = rot.multiply(rot.about("Y", -ahead), rotations[frame, 0])
    signs = np.where(np.sum(rotations * rotations[:1], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    mean = (signs * rotations).sum(axis=0)
    lengths = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.where(lengths > 1e-6, mean / np.maximum(lengths, 1e-6), rotations[0])
    return mean, np.percentile(positions[:, :, 1], _LOW, axis=0)


def _on_two_legs(kinds: list[str], places: np.ndarray) -> bool:
    """Whether hands are not where feet are, in a pose (J, 3)."""
    heights = [
        np.mean([places[j, 1] for j, k in enumerate(kinds) if k == kind] or [0.0]) for kind in ("hand", "foot", "thigh")
    ]
    hand, foot, hip = heights
    return "hand" in kinds and "foot" in kinds and bool(hand - foot > 0.4 * (hip - foot))


def _leg(skeleton: Skeleton, kinds: list[str]) -> float:
    """Metres from hip to ankle, mean over the legs; 0 without any."""
    lengths = []
    for joint, kind in enumerate(kinds):
        if kind == "thigh" and kinds[skeleton.parents[joint]] != "thigh":
            length, child = 0.0, main_child(skeleton, kinds, joint)
            while child is not None and kinds[joint] in ("thigh", "shin"):
                length, joint = length + skeleton.bone_lengths[child], child
                child = main_child(skeleton, kinds, joint)
            lengths.append(length)
    return float(np.mean(lengths)) if lengths else 0.0


def _trunk(skeleton: Skeleton, kinds: list[str]) -> float:
    """Metres along the spine from the root to the head, or to the end of what is called spine; 0 without any."""
    ends = [j for j, kind in enumerate(kinds) if kind == "head"] or [j for j, k in enumerate(kinds) if k == "torso"]
    if not ends:
        return 0.0
    chain = sides.ancestors(skeleton, ends[0])
    first = next((n for n, j in enumerate(chain) if kinds[j] == "pelvis"), len(chain))
    return float(skeleton.bone_lengths[chain[:first]].sum())


def _stand(
    skeleton: Skeleton,
    kinds: list[str],
    left: np.ndarray,
    heights: np.ndarray,
    feet: list[sides.Foot],
    rotations: np.ndarray,
) -> None:
    """Swing the bones of a person, in place, from the root outwards."""
    _, usual = transforms(skeleton, np.zeros(3), rotations)
    head = next((j for j, kind in enumerate(kinds) if kind in ("neck", "head")), None)
    if head is not None:  # the trunk as a whole upright, its own curve kept
        place, _ = transforms(skeleton, np.zeros(3), rotations)
        hips = [j for j, kind in enumerate(kinds) if kind == "thigh" and kinds[skeleton.parents[j]] != "thigh"]
        lower = place[hips].mean(axis=0) if hips else place[0]
        rotations[0] = rot.multiply(rot.between(place[head] - lower, [0.0, 1.0, 0.0]), rotations[0])
        place, _ = transforms(skeleton, np.zeros(3), rotations)
        across = sum((left[j] * place[j] for j in hips), np.zeros(3))
        rotations[0] = rot.multiply(rot.about("Y", np.arctan2(across[2], across[0])), rotations[0])
    standing = {j for foot in feet for j in [foot[0], *sides.below(skeleton, foot[0])]}
    for joint in range(len(skeleton)):
        child = joint if kinds[joint] == "head" else main_child(skeleton, kinds, joint)
        side = left[joint] or left[skeleton.parents[joint]]
        if child is None:
            continue
        place, turned = transforms(skeleton, np.zeros(3), rotations)
        now = place[child] - place[joint]
        if joint in standing:
            length = max(float(np.linalg.norm(now)), 1e-9)  # a bone of no length has no slope
            drop = np.clip((heights[child] - heights[joint]) / length, -0.8, 0.2)
            level = now * [1.0, 0.0, 1.0] if now[2] > 0.3 * length else np.array([0.1 * side, 0.0, 1.0])
            level /= np.linalg.norm(level)
            wanted = np.sqrt(1.0 - drop**2) * level + [0.0, drop, 0.0]
        elif kinds[joint] in _LIMBS and side:
            wanted = np.array(_LIMBS[kinds[joint]]) * [side, 1.0, 1.0]
        elif kinds[joint] == "head" and kinds[skeleton.parents[joint]] != "head":
            wanted = None  # heads are held upright, wherever a file says that they end
        else:
            continue
        swing = usual[joint] if wanted is None else rot.multiply(rot.between(now, wanted), turned[joint])
        above = skeleton.parents[joint]
        rotations[joint] = rot.multiply(rot.conjugate(turned[above]), swing) if above >= 0 else swing
