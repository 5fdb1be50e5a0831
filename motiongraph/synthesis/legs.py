"""Legs that reach where they should: the exact two-bone solution, all frames at once."""

from dataclasses import dataclass

import numpy as np

from motiongraph import rotations as rot

STRETCH = 0.999  # of thigh and shin together: as far as a leg reaches
EASY = 0.985  # the same, without being noticed


@dataclass(frozen=True)
class Leg:
    """hip, knee, ankle, ball: joint indices (ball −1 where the foot has no toe joint); tips: joints beyond the ball."""

    hip: int
    knee: int
    ankle: int
    ball: int
    tips: tuple[int, ...]


def legs_of(skeleton, joints) -> list[Leg]:
    """The legs that end in these foot joints (ankles, and toe bases below them); a foot without a leg is left out."""
    joints, legs = list(joints), []
    for ankle in joints:
        knee = int(skeleton.parents[ankle])
        if knee in joints or knee <= 0 or skeleton.parents[knee] <= 0:
            continue
        balls = [j for j in joints if j != ankle and skeleton.parents[j] == ankle]
        ball = balls[0] if balls else -1
        tips = tuple(skeleton.children[ball if balls else ankle])
        if min(skeleton.bone_lengths[ankle], skeleton.bone_lengths[knee]) > 1e-3:
            legs.append(Leg(int(skeleton.parents[knee]), knee, ankle, ball, tips))
    return legs


def reach(hip, knee, ankle, target):
    """Turns (F, 4) of thigh and shin, and the ankle (F, 3), for legs given by joint positions (F, 3).

    The knee stays in the plane in which it bends, carried along as the leg swings; the ankle comes to `target` (F, 3),
    or as near as the leg is long. The turns act on global orientations.
    """
    thigh, shin, now, wanted = knee - hip, ankle - knee, ankle - hip, target - hip
    upper, lower = _length(thigh), _length(shin)
    far = _length(wanted)
    # Nearer than the difference of the bones, or farther than their sum, no knee can bring the ankle.
    distance = np.clip(far, np.abs(upper - lower) + 1e-4, STRETCH * (upper + lower))
    toward = wanted / np.maximum(far, 1e-9)
    swing = rot.between(now, wanted)
    plane = rot.rotate(swing, _bending(thigh, shin))
    outward = _unit(np.cross(toward, plane))
    cosine = np.clip((upper**2 + distance**2 - lower**2) / (2.0 * upper * distance), -1.0, 1.0)
    new_thigh = upper * (cosine * toward + np.sqrt(1.0 - cosine**2) * outward)
    new_ankle = hip + distance * toward
    turn = rot.multiply(rot.between(rot.rotate(swing, thigh), new_thigh), swing)
    new_shin = new_ankle - hip - new_thigh
    return turn, rot.multiply(rot.between(rot.rotate(turn, shin), new_shin), turn), new_ankle


def _bending(thigh, shin):
    """(F, 3) unit normals of the planes in which the knees bend.

    A straight leg has none of its own; the mean of all frames, weighed by how far each bends, stands in.
    """
    normal = np.cross(thigh, shin)
    direction = thigh / _length(thigh)
    usual = normal.sum(axis=0)
    usual = usual / max(float(np.linalg.norm(usual)), 1e-9)
    usual = usual - direction * np.sum(direction * usual, axis=1, keepdims=True)
    # A hundredth of full bend: enough where the leg is straight, unnoticed where it is not.
    return _unit(normal + 0.01 * _length(thigh) * _length(shin) * usual)


def overreach(hip, target, longest):
    """(F, 3) how far a hip must come nearer for its ankle to be within `longest` (F, 1) of it: down if that will do."""
    away = target - hip
    flat = np.hypot(away[:, 0], away[:, 2])[:, None]
    allowed = np.sqrt(np.maximum(longest**2 - flat**2, 0.0))
    down = np.minimum(away[:, 1:2] + allowed, 0.0)
    shift = np.concatenate([np.zeros_like(flat), down, np.zeros_like(flat)], axis=1)
    # Where the target is farther than a leg sideways, or above, the root has to move towards it.
    direct = away * (1.0 - longest / np.maximum(_length(away), 1e-9))
    return np.where(_length(away) > longest, np.where(flat < 0.95 * longest, shift, direct), 0.0)


def comfortable(hip, knee, ankle):
    """(F, 1) how far apart hip and ankle may be: as they are, or else with a little bend left in the knee.

    Near full length a millimetre more turns the knee by degrees, and it would be seen to snap.
    """
    length = _length(knee - hip) + _length(ankle - knee)
    return np.clip(_length(ankle - hip), EASY * length, STRETCH * length)


def _length(vectors):
    return np.linalg.norm(vectors, axis=-1, keepdims=True)


def _unit(vectors):
    return vectors / np.maximum(_length(vectors), 1e-12)
