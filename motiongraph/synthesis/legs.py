"""Legs that reach where they should: the exact two-bone solution, all frames of all legs at once."""

from dataclasses import dataclass

import numpy as np

from motiongraph import rotations as rot
from motiongraph.model import sides

STRETCH = 0.9995  # of thigh and shin together: as far as a leg reaches


@dataclass(frozen=True)
class Leg:
    """hip, knee, ankle, ball: joint indices (ball −1 where the foot has no toe joint); tips: the other joints of the
    foot, which must not enter the floor either; toe: the one of them at the end of the bone that turns at the ball,
    or −1."""

    hip: int
    knee: int
    ankle: int
    ball: int
    tips: tuple[int, ...]
    toe: int


def legs_of(skeleton, joints) -> list[Leg]:
    """The legs that end in these foot joints (ankles, and toe bases below them); a foot without a leg is left out."""
    joints, legs = list(joints), []
    for ankle in joints:
        knee = int(skeleton.parents[ankle])
        above = set(sides.ancestors(skeleton, ankle)[1:])
        if above & set(joints) or knee <= 0 or skeleton.parents[knee] <= 0:
            continue
        foot = sides.below(skeleton, ankle)
        ball = next((j for j in foot if j in joints), -1)
        if min(skeleton.bone_lengths[ankle], skeleton.bone_lengths[knee]) > 1e-3:
            toes = skeleton.children[ball] if ball >= 0 else ()
            toe = max(toes, key=lambda j: skeleton.bone_lengths[j], default=-1)
            toe = toe if toe >= 0 and skeleton.bone_lengths[toe] > 1e-3 else -1
            legs.append(Leg(int(skeleton.parents[knee]), knee, ankle, ball, tuple(j for j in foot if j != ball), toe))
    return legs


def reach(hip, knee, ankle, target, usual):
    """Turns (…, F, 4) of thigh and shin, and the ankle (…, F, 3), for legs given by joint positions (…, F, 3).

    The knee stays in the plane in which it bends, carried along as the leg swings; the ankle comes to `target`
    (…, F, 3), or as near as the leg is long. usual: (…, F, 3) the axis about which the knee of a straight leg would
    bend, see `bending_axis`. The turns act on global orientations.
    """
    thigh, shin, wanted = knee - hip, ankle - knee, target - hip
    upper, lower, far = length(thigh), length(shin), length(wanted)
    # Nearer than the difference of the bones, or farther than their sum, no knee can bring the ankle.
    distance = np.clip(far, np.abs(upper - lower) + 1e-4, STRETCH * (upper + lower))
    toward = wanted / np.maximum(far, 1e-9)
    swing = rot.between(ankle - hip, wanted)
    # A hundredth of full bend about the usual axis: enough where the leg is straight, unnoticed where it is not.
    direction = thigh / np.maximum(upper, 1e-12)
    usual = usual - direction * np.sum(direction * usual, axis=-1, keepdims=True)
    plane = rot.rotate(swing, rot.cross(thigh, shin) + 0.01 * upper * lower * usual)
    outward = unit(rot.cross(toward, plane))
    cosine = np.clip((upper**2 + distance**2 - lower**2) / (2.0 * upper * distance), -1.0, 1.0)
    new_thigh = upper * (cosine * toward + np.sqrt(1.0 - cosine**2) * outward)
    turn = rot.multiply(rot.between(rot.rotate(swing, thigh), new_thigh), swing)
    new_shin = distance * toward - new_thigh
    return turn, rot.multiply(rot.between(rot.rotate(turn, shin), new_shin), turn), hip + distance * toward


def bending_axis(hip, knee, ankle, pelvis):
    """(F, 3) the axis about which a knee mostly bends, as it is fixed to the pelvis; positions (F, 3), pelvis (F, 4).

    The mean over the frames, weighed by how far the knee bends in each. A body that never bends it gets the axis
    across, pointing to the pelvis's own x.
    """
    normal = rot.rotate(rot.conjugate(pelvis), rot.cross(knee - hip, ankle - knee)).sum(axis=0)
    size = float(np.linalg.norm(normal))
    return rot.rotate(pelvis, normal / size if size > 1e-9 else np.array([1.0, 0.0, 0.0]))


def bend(distance, upper, lower):
    """Radians by which a knee is bent, 0 for straight, with hip and ankle `distance` apart and bones so long."""
    cosine = (distance**2 - upper**2 - lower**2) / (2.0 * upper * lower)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def span(angle, upper, lower):
    """Metres between hip and ankle when the knee is bent by `angle`: the inverse of `bend`."""
    return np.sqrt(np.maximum(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(angle), 0.0))


def length(vectors):
    """(…, 1) of (…, 3)."""
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]


def unit(vectors):
    """Directions (…, 3); zero stays zero."""
    return vectors / np.maximum(length(vectors), 1e-12)
