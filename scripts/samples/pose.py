"""From feet and pelvis to a whole body: legs by exact two-bone inverse kinematics, trunk, head and arms on top."""

import numpy as np

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from samples.body import HIP, SHANK, THIGH, person
from samples.curves import calm, keyed, smooth, wander
from samples.feet import foot_motion
from samples.pelvis import gait_track, pelvis_motion
from samples.plan import GRAVITY, LEFT, RIGHT

FPS = 120
MARGIN = 3.0  # seconds computed before and after a clip, so that smoothing sees no edge


def _from_axes(x, y):
    """Quaternions (F, 4) of the frames with axes x, y (F, 3), orthonormal, and z = x × y."""
    m = np.stack([x, y, np.cross(x, y)], axis=-1)
    # Shepperd's formula in the form that is safe here: legs never turn half a turn from the rest pose in tilt, so
    # the heading is taken out first and put back.
    yaw = np.arctan2(-m[:, 2, 0], m[:, 0, 0])
    back = rot.to_matrix(rot.about("Y", -yaw))
    m = back @ m
    w = 0.5 * np.sqrt(np.maximum(1.0 + m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2], 1e-12))
    q = np.stack([w, *((m[:, i, j] - m[:, j, i]) / (4 * w) for i, j in ((2, 1), (0, 2), (1, 0)))], axis=-1)
    return rot.normalized(rot.multiply(rot.about("Y", yaw), q))


def _leg(hip, foot, forward):
    """Global orientations (F, 4) of thigh and shank; the knee bends towards `forward` (F, 3)."""
    line = foot.ankle - hip
    length = np.linalg.norm(line, axis=1)
    along = line / length[:, None]
    ahead = forward - np.sum(forward * along, axis=1)[:, None] * along
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    cosine = (THIGH**2 + length**2 - SHANK**2) / (2 * THIGH * length)
    if (cosine > 1.0).any():
        raise ValueError("a leg is asked to reach farther than it is long")
    knee = hip + THIGH * (cosine[:, None] * along + np.sqrt(1 - cosine**2)[:, None] * ahead)
    hinge = np.cross(ahead, along)  # to the left: forward × down
    hinge /= np.linalg.norm(hinge, axis=1)[:, None]
    return _from_axes(hinge, (hip - knee) / THIGH), _from_axes(hinge, (knee - foot.ankle) / SHANK)


def _heading_vector(yaw):
    return np.stack([np.sin(yaw), 0.0 * yaw, np.cos(yaw)], axis=-1)


def _shared(whole, joints):
    """The rotation (F, 4) each of `joints` joints in a row makes so that together they make `whole`."""
    return rot.slerp(np.broadcast_to(rot.IDENTITY, whole.shape), whole, np.full(len(whole), 1.0 / joints))


class Body:
    """Collects local rotations by joint name."""

    def __init__(self, frames):
        self.skeleton = person()
        self.rotations = np.zeros((frames, len(self.skeleton), 4))
        self.rotations[..., 0] = 1.0

    def set(self, name, q):
        self.rotations[:, self.skeleton.index(name)] = q


def animate(plan, name) -> Clip:
    """The plan as a clip at 120 Hz."""
    count = round(plan.seconds * FPS)
    margin = round(MARGIN * FPS)
    t = (np.arange(count + 2 * margin) - margin) / FPS
    feet = {side: foot_motion(plan.feet[side], t) for side in (LEFT, RIGHT)}
    pelvis = pelvis_motion(plan, feet, t, FPS)
    body = Body(len(t))
    body.set("root", pelvis.turn)
    for side, letter in ((LEFT, "l"), (RIGHT, "r")):
        _legs(body, pelvis, feet[side], side, letter)
    chest = _trunk(body, plan, pelvis, t)
    for side, letter in ((LEFT, "l"), (RIGHT, "r")):
        _arm(body, plan, pelvis, chest, side, letter, t)
    kept = slice(margin, margin + count)
    rotations = rot.continuous(rot.normalized(body.rotations[kept]))
    return Clip(body.skeleton, pelvis.root[kept], rotations, fps=FPS, name=name)


def _legs(body, pelvis, foot, side, letter):
    hip = pelvis.root + rot.rotate(pelvis.turn, HIP * [side, 1.0, 1.0])
    facing = _heading_vector(foot.yaw) + _heading_vector(pelvis.heading + pelvis.rotation)
    thigh, shank = _leg(hip, foot, facing)
    sole = rot.multiply(rot.about("Y", foot.yaw), rot.about("X", -foot.pitch))
    toes = rot.multiply(rot.about("Y", foot.yaw), rot.about("X", -foot.toe))
    chain = [pelvis.turn, thigh, shank, sole, toes]
    for joint, above, own in zip(("femur", "tibia", "foot", "toes"), chain, chain[1:]):
        body.set(letter + joint, rot.multiply(rot.conjugate(above), own))


def _trunk(body, plan, pelvis, t):
    """Sets spine, neck and head; returns the chest's global orientation (F, 4)."""
    rng = plan.rng
    quiet = calm(t, plan.seconds)
    drift = [np.radians(1.0) * quiet * wander(rng, len(t), 0.8, FPS) for _ in range(5)]
    bend = np.radians(keyed(t, plan.keys.get("bend", []), 0.11, FPS))
    breath = np.radians(0.8) * np.sin(2 * np.pi * t / 3.6 + 0.6 * wander(rng, len(t), 2.0, FPS))
    lean = np.radians(gait_track(plan, t, FPS, "lean")) + bend + 0.6 * np.arctan(pelvis.push[:, 0] / GRAVITY)
    # The trunk gives a little as the pelvis sinks and straightens as it rises.
    sunk = smooth(pelvis.root[:, 1], 0.3, FPS) - pelvis.root[:, 1]
    lean = lean + np.radians(2.5) * np.tanh(smooth(sunk, 0.03, FPS) / 0.04)
    roll = -0.8 * np.arctan(pelvis.push[:, 1] / GRAVITY)
    against = -gait_track(plan, t, FPS, "counter") * pelvis.rotation
    chest = rot.multiply(
        rot.about("Y", pelvis.heading + against + 0.5 * drift[0]),
        rot.multiply(rot.about("Z", roll + 0.4 * drift[1]), rot.about("X", lean + 0.4 * drift[2] - breath)),
    )
    spine = _shared(rot.multiply(rot.conjugate(pelvis.turn), chest), 3)
    for joint in ("lowerback", "upperback", "thorax"):
        body.set(joint, spine)
    # The head looks where the body will be heading a moment later, and stays level.
    later = np.interp(t + 0.35, t, pelvis.heading)
    look = np.radians(keyed(t, plan.keys.get("look", []), 0.16, FPS)) + drift[3]
    nod = np.radians(keyed(t, plan.keys.get("nod", []), 0.16, FPS)) + 0.6 * drift[4] + 0.18 * lean
    head = rot.multiply(
        rot.about("Y", smooth(later, 0.12, FPS) + look), rot.multiply(rot.about("Z", 0.3 * roll), rot.about("X", nod))
    )
    neck = _shared(rot.multiply(rot.conjugate(chest), head), 3)
    for joint in ("lowerneck", "upperneck", "head"):
        body.set(joint, neck)
    return chest


def _arm(body, plan, pelvis, chest, side, letter, t):
    rng = plan.rng
    drift = [calm(t, plan.seconds) * wander(rng, len(t), 0.7, FPS) for _ in range(3)]
    number = {
        k: gait_track(plan, t, FPS, k) for k in ("swing", "arm", "abduction", "elbow", "elbow_swing", "twist", "curl")
    }
    reach = keyed(t, plan.keys.get("reach", []), 0.12, FPS)
    swing = -side * number["swing"] * pelvis.stride + 1.5 * drift[0]
    shoulder = np.radians(number["arm"] + swing + reach)
    abduction = np.radians(number["abduction"] + 1.0 * drift[1] + 0.12 * np.abs(reach))
    # Elbows bend as the arm comes forward and ease as it goes back, never past straight.
    bent = number["elbow"] + number["elbow_swing"] * swing + 1.5 * drift[2] + 0.25 * np.abs(reach)
    elbow = np.radians(6.0 + np.logaddexp(0.0, (bent - 6.0) / 4.0) * 4.0)
    twist = np.radians(number["twist"])
    # The arm hangs from the heading's vertical more than from the leaning chest.
    upright = rot.slerp(chest, rot.about("Y", pelvis.heading), np.full(len(t), 0.5))
    hang = rot.multiply(rot.about("X", -shoulder), rot.about("Z", -side * (0.5 * np.pi - abduction)))
    upper = rot.multiply(upright, rot.multiply(hang, rot.about("X", twist)))
    shrug = rot.multiply(
        rot.about("Y", -side * 0.12 * shoulder), rot.about("Z", side * 0.1 * np.maximum(shoulder, 0.0))
    )
    collar = rot.multiply(chest, shrug)
    body.set(letter + "clavicle", shrug)
    body.set(letter + "humerus", rot.multiply(rot.conjugate(collar), upper))
    body.set(letter + "radius", rot.about("Y", -side * elbow))
    curl = np.radians(number["curl"] + 1.5 * drift[0])
    body.set(letter + "wrist", rot.about("Z", -side * 0.25 * curl))
    for joint, part in (("hand", 0.8), ("fingers", 1.2)):
        body.set(letter + joint, rot.about("Z", -side * part * curl))
    body.set(letter + "thumb", rot.about("Y", side * 0.4 * curl))
