"""The person: 1.75 m tall, joint names and tree of CMU's ASF files, left and right exactly alike.

Segment lengths are the usual fractions of body height (Drillis and Contini 1966; Winter, Biomechanics and Motor
Control of Human Movement, table of anthropometric data), rounded to half a centimetre: thigh and shank 0.245 H,
ankle 0.04 H, upper arm 0.186 H, forearm 0.146 H, hand 0.108 H, shoulder height 0.818 H, foot 0.15 H.
"""

import numpy as np

from motiongraph.model.skeleton import Skeleton

THIGH = SHANK = 0.43
LEG = THIGH + SHANK
HIP = np.array([0.09, -0.065, 0.0])  # left hip joint from the pelvis centre, metres; x to the left, z forward
ANKLE_HEIGHT = 0.075
BALL = np.array([0.0, -0.055, 0.13])  # from the ankle, foot flat
TIP = np.array([0.0, -0.01, 0.07])  # toe tip from the ball, toes flat
HEEL = np.array([0.0, -ANKLE_HEIGHT, -0.055])  # where the heel meets the floor, from the ankle; not a joint
BALL_HEIGHT = ANKLE_HEIGHT + BALL[1]
TIP_HEIGHT = BALL_HEIGHT + TIP[1]

# (joint, parent, offset of the left or middle joint from its parent in the rest pose: arms out, toes forward)
_SPINE = [
    ("lowerback", "root", (0.0, 0.0, 0.0)),
    ("upperback", "lowerback", (0.0, 0.13, 0.0)),
    ("thorax", "upperback", (0.0, 0.13, 0.0)),
    ("lowerneck", "thorax", (0.0, 0.13, 0.0)),
    ("upperneck", "lowerneck", (0.0, 0.09, 0.015)),
    ("head", "upperneck", (0.0, 0.08, 0.015)),
    ("head_end", "head", (0.0, 0.195, 0.0)),
]
_LEG = [
    ("hipjoint", "root", (0.0, 0.0, 0.0)),
    ("femur", "hipjoint", HIP),
    ("tibia", "femur", (0.0, -THIGH, 0.0)),
    ("foot", "tibia", (0.0, -SHANK, 0.0)),
    ("toes", "foot", BALL),
    ("toes_end", "toes", TIP),
]
_ARM = [
    ("clavicle", "thorax", (0.0, 0.13, 0.0)),
    ("humerus", "clavicle", (0.19, 0.04, -0.01)),
    ("radius", "humerus", (0.325, 0.0, 0.0)),
    ("wrist", "radius", (0.255, 0.0, 0.0)),
    ("hand", "wrist", (0.05, 0.0, 0.0)),
    ("fingers", "hand", (0.07, 0.0, 0.0)),
    ("fingers_end", "fingers", (0.07, 0.0, 0.0)),
    ("thumb", "wrist", (0.05, 0.0, 0.0)),
    ("thumb_end", "thumb", (0.04, -0.01, 0.045)),
]


def _side(joints, letter):
    """A limb's joints with the side's letter in front, x mirrored for the right."""
    mirror = np.array([1.0 if letter == "l" else -1.0, 1.0, 1.0])
    middle = ("root", "thorax")
    return [(letter + n, p if p in middle else letter + p, mirror * np.asarray(o)) for n, p, o in joints]


def person() -> Skeleton:
    """The skeleton, in the order of the ASF: left leg, right leg, spine, left arm, right arm."""
    joints = [("root", None, (0.0, 0.0, 0.0)), *_side(_LEG, "l"), *_side(_LEG, "r")]
    joints += [*_SPINE, *_side(_ARM, "l"), *_side(_ARM, "r")]
    names = [name for name, _, _ in joints]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in joints]
    return Skeleton(tuple(names), np.array(parents), np.array([offset for _, _, offset in joints], float))
