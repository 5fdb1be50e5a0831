"""Left and right, feet and legs, in the naming of every system we know."""

import numpy as np
import pytest
from bodies import person

from motiongraph.model import sides
from motiongraph.model.skeleton import Skeleton

STYLES = {
    "CMU ASF": [("lfemur", "rfemur"), ("lhipjoint", "rhipjoint"), ("lthumb_end", "rthumb_end")],
    "CMU BVH": [("LeftUpLeg", "RightUpLeg"), ("LHipJoint", "RHipJoint"), ("LThumb", "RThumb")],
    "Mixamo": [("mixamorig:LeftArm", "mixamorig:RightArm"), ("mixamorig:LeftToe_End", "mixamorig:RightToe_End")],
    "Bandai-Namco": [("UpperLeg_L", "UpperLeg_R"), ("Foot_L", "Foot_R"), ("Toes_L_end", "Toes_R_end")],
    "joint_": [("joint_LeftFoot", "joint_RightFoot"), ("joint_LHip", "joint_RHip")],
    "Blender": [("hand.L", "hand.R"), ("finger.L.001", "finger.R.001"), ("foot.l_end", "foot.r_end")],
    "Unreal": [("thigh_l", "thigh_r"), ("lowerarm_twist_01_l", "lowerarm_twist_01_r")],
    "SMPL": [("L_Hip", "R_Hip"), ("left_knee", "right_knee"), ("l_collar", "r_collar")],
    "Biped": [("Bip01 L Thigh", "Bip01 R Thigh"), ("Bip01 L Toe0", "Bip01 R Toe0")],
    "words": [("Left Arm", "Right Arm"), ("leg left", "leg right"), ("LEFT_HAND", "RIGHT_HAND")],
    "Daz": [("lShldr", "rShldr"), ("lThumb1", "rThumb1")],
    "camel": [("armL", "armR"), ("footL_end", "footR_end")],
}


def star(names):
    """A skeleton with all of these joints on its root."""
    return Skeleton(("root", *names), [-1, *[0] * len(names)], np.zeros((len(names) + 1, 3)))


@pytest.mark.parametrize("style", STYLES)
def test_pairs_are_found_in_every_style(style):
    middle = ["lowerback", "lowerneck", "LowerSpine", "rib", "head", "Neck_R", "lumbar", "root_end"]
    names = [*middle, *(name for pair in STYLES[style] for name in reversed(pair))]
    skeleton = star(names)
    found = {(skeleton.names[a], skeleton.names[b]) for a, b in sides.pairs(skeleton)}
    assert found == set(STYLES[style])
    partner = sides.partners(skeleton)
    np.testing.assert_array_equal(partner[partner], np.arange(len(skeleton)))
    for name in middle:
        assert partner[skeleton.index(name)] == skeleton.index(name)


def test_words_decide_before_letters():
    # "LeftLeg" has two l's and one partner; "l_leg_r" has its partner by its first letter only.
    skeleton = star(["LeftLeg", "RightLeg", "ReftLeg", "l_leg_r", "r_leg_r"])
    found = {(skeleton.names[a], skeleton.names[b]) for a, b in sides.pairs(skeleton)}
    assert found == {("LeftLeg", "RightLeg"), ("l_leg_r", "r_leg_r")}


def test_pairs_carry_the_hierarchy_onto_itself():
    names = ["root", "larm", "rarm", "lhand", "sword", "rhand", "lthumb", "rthumb"]
    skeleton = Skeleton(names, [-1, 0, 0, 1, 2, 4, 3, 5], np.ones((8, 3)))
    found = {skeleton.names[a] for a, _ in sides.pairs(skeleton)}
    assert found == {"larm"}  # the right hand holds on to a sword, the left to the arm: no mirror images


def test_a_root_has_no_partner():
    skeleton = Skeleton(["lroot", "rroot"], [-1, 0], np.zeros((2, 3)))
    assert len(sides.pairs(skeleton)) == 0


FEET = [
    (["lfemur", "ltibia", "lfoot", "ltoes", "ltoes_end"], ["lfoot", "ltoes"]),
    (["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase", "LeftToeBase_end"], ["LeftFoot", "LeftToeBase"]),
    (
        ["mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftToeBase"],
        ["mixamorig:LeftFoot", "mixamorig:LeftToeBase"],
    ),
    (["LowerLeg_L", "Foot_L", "Toes_L", "Toes_L_end"], ["Foot_L", "Toes_L"]),
    (["calf_l", "foot_l", "ball_l"], ["foot_l", "ball_l"]),
    (["L_Knee", "L_Ankle", "L_Foot"], ["L_Ankle", "L_Foot"]),
    (["Shin", "Foot", "Foot_end"], ["Foot", "Foot_end"]),
    (["Shin", "Foot", "tip"], ["Foot", "tip"]),
    (["Bip01 L Calf", "Bip01 L Foot", "Bip01 L Toe0", "Bip01 L Toe0Nub"], ["Bip01 L Foot", "Bip01 L Toe0"]),
    (["lShin", "lFoot", "lMetatarsals", "lToe", "lBigToe"], ["lFoot", "lToe"]),
    (["leg", "toe"], ["toe"]),
]


@pytest.mark.parametrize(("chain", "expected"), FEET)
def test_feet_by_name(chain, expected):
    skeleton = Skeleton(("hips", *chain), np.arange(len(chain) + 1) - 1, np.ones((len(chain) + 1, 3)))
    (foot,) = sides.feet_by_name(skeleton)
    assert [skeleton.names[j] for j in foot] == expected


@pytest.mark.parametrize("name", ["wheel", "eyeball", "LeftEyeball", "ik_foot_l", "LeftFootIK", "foot_ctrl", "hand"])
def test_what_is_no_foot(name):
    assert sides.feet_by_name(star([name])) == []


def test_feet_are_the_lowest_ends_where_names_do_not_tell():
    plain = person()
    skeleton = Skeleton([f"joint{j}" for j in range(len(plain))], plain.parents, plain.offsets)
    feet = sides.feet_by_height(skeleton, skeleton.rest + np.array([3.0, 7.0, 1.0]) * np.ones((4, 1, 1)))
    named = [[plain.names[j] for j in foot] for foot in feet]
    assert named == [["lfoot", "ltoe_end"], ["rfoot", "rtoe_end"]]


def test_nothing_foot_like_is_no_foot():
    snake = Skeleton([f"j{j}" for j in range(6)], np.arange(6) - 1, np.tile([0.3, 0.0, 0.0], (6, 1)))
    lamp = Skeleton(["base", "top"], [-1, 0], [[0, 0, 0], [0, 1.5, 0]])
    dot = Skeleton(["it"], [-1], [[0, 0, 0]])
    for skeleton in (snake, lamp, dot):
        assert sides.feet_by_height(skeleton, skeleton.rest[None]) == []


def test_leg_length_is_thigh_and_shin():
    skeleton = person()
    thigh_and_shin = np.linalg.norm([0.05, 0.42, 0.0]) + np.linalg.norm([0.04, 0.40, 0.02])
    assert sides.leg_length(skeleton, sides.feet_by_name(skeleton)) == pytest.approx(thigh_and_shin)
    assert sides.leg_length(skeleton, []) == 0.0


def test_bone_directions():
    skeleton = person()
    directions = sides.bone_directions(skeleton)
    np.testing.assert_allclose(directions[skeleton.index("rforearm")], [-0.25, 0, 0.02] / np.hypot(0.25, 0.02))
    for name in ("root", "thorax", "head_end"):  # no bone from the root, three from the thorax, none from an end
        np.testing.assert_array_equal(directions[skeleton.index(name)], 0.0)
    # An ASF's bone ends where all of its children begin, and points there.
    forked = Skeleton("abcd", [-1, 0, 1, 1], [[0, 0, 0], [0, 0, 0], [0, 2, 0], [0, 2, 0]])
    np.testing.assert_array_equal(sides.bone_directions(forked)[1], [0, 1, 0])
