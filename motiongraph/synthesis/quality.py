"""How good a motion is, in figures: feet that slide or sink, seams that jolt, knees that pop."""

import numpy as np

from motiongraph.model.clip import Clip
from motiongraph.synthesis.legs import legs_of
from motiongraph.synthesis.origin import plants


def quality(clip: Clip, floor=None) -> dict:
    """Plain numbers about a captured or made clip.

    slide_mean, slide_worst: horizontal speed of planted foot joints, cm/s; penetration: worst depth of a foot joint
    below the floor, cm; acceleration_p99: of all joints, m/s²; seam_acceleration_p99, seam_jump: the same near seams,
    and the worst change of a joint's velocity there, m/s a frame; knee_pop: worst change of a knee's angular velocity,
    rad/s a frame.
    """
    places = clip.positions()[clip.first :]
    planted = plants(clip)
    contacts, joints = np.asarray(planted)[clip.first :], list(planted.joints)
    floor = np.broadcast_to(clip.floor if floor is None else floor, len(clip))[clip.first :]
    slide = _slide(places, contacts, joints, clip.fps)
    acceleration = _acceleration(places, clip.fps)
    figures = {
        "slide_mean": float(slide.mean()) if len(slide) else 0.0,
        "slide_worst": float(slide.max()) if len(slide) else 0.0,
        "penetration": _penetration(clip, places, joints, floor),
        "acceleration_p99": _percentile(acceleration),
        "knee_pop": _knee_pop(clip, places, joints),
    }
    if clip.origin is not None:
        near = _near_seams(clip)[clip.first :][1:-1]
        figures["seam_acceleration_p99"] = _percentile(acceleration[near])
        figures["seam_jump"] = float(acceleration[near].max() / clip.fps) if near.any() else 0.0
    return figures


def _slide(places, contacts, joints, fps):
    """cm/s of every foot joint over every pair of frames in which it is planted."""
    feet = places[:, joints][..., [0, 2]]
    speed = np.linalg.norm(np.diff(feet, axis=0), axis=-1) * fps * 100.0
    return speed[contacts[1:] & contacts[:-1]]


def _acceleration(places, fps):
    """(F − 2, J) m/s²."""
    if len(places) < 3:
        return np.zeros((0, places.shape[1]))
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1) * fps**2


def _percentile(values):
    return float(np.percentile(values, 99)) if values.size else 0.0


def _penetration(clip, places, joints, floor):
    feet = {*joints, *(c for j in joints for c in clip.skeleton.children[j])}
    if not feet:
        return 0.0
    return float(max(0.0, (floor[:, None] - places[:, sorted(feet), 1]).max()) * 100.0)


def _knee_pop(clip, places, joints):
    worst = 0.0
    for leg in legs_of(clip.skeleton, joints):
        thigh, shin = places[:, leg.hip] - places[:, leg.knee], places[:, leg.ankle] - places[:, leg.knee]
        cosine = np.sum(thigh * shin, axis=1) / (np.linalg.norm(thigh, axis=1) * np.linalg.norm(shin, axis=1))
        angle = np.arccos(np.clip(cosine, -1.0, 1.0))
        if len(angle) > 2:
            worst = max(worst, float(np.abs(np.diff(angle, 2)).max() * clip.fps))
    return worst


def _near_seams(clip, margin=0.05):
    """(F,) bool: the frames of transitions and a little around them."""
    near = np.zeros(len(clip), bool)
    reach = round(margin * clip.fps)
    for start, stop in clip.origin.seams():
        near[max(start - reach, 0) : stop + reach] = True
    return near
