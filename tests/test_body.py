"""The capsule body: what bones are by their names, and how thick."""

import itertools

import numpy as np
import pytest

from motiongraph.model.body import body_of, bone_kinds
from motiongraph.model.skeleton import Skeleton

# One leg and one arm of five ways to name a person, each from hips to toe and from chest to hand.
STYLES = {
    "cmu asf": "root lhipjoint lfemur ltibia lfoot ltoes lowerback thorax lclavicle lhumerus lradius lwrist lthumb",
    "cmu bvh": "Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase LowerBack Spine1 LeftShoulder LeftArm "
    "LeftForeArm LeftHand LThumb",
    "mixamo": "mixamorig:Hips mixamorig:Pelvis mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot "
    "mixamorig:LeftToeBase mixamorig:Spine mixamorig:Spine2 mixamorig:LeftShoulder mixamorig:LeftArm "
    "mixamorig:LeftForeArm mixamorig:LeftHand mixamorig:LeftHandThumb1",
    "bandai": "joint_Root Hips UpperLeg_L LowerLeg_L Foot_L Toes_L Spine Chest Shoulder_L UpperArm_L LowerArm_L "
    "Hand_L Thumb_L",
    "smpl": "Pelvis Root L_Hip L_Knee L_Ankle L_Toe Spine1 Spine3 L_Collar L_Shoulder L_Elbow L_Wrist L_Thumb",
}
KINDS = [
    "pelvis",
    "pelvis",
    "thigh",
    "shin",
    "foot",
    "toe",
    "torso",
    "torso",
    "clavicle",
    "arm",
    "forearm",
    "hand",
    "finger",
]


@pytest.mark.parametrize("style", STYLES)
def test_bones_are_known_by_name(style):
    names = STYLES[style].split()
    assert bone_kinds(Skeleton(names, np.arange(len(names)) - 1, np.ones((len(names), 3)))) == KINDS


@pytest.mark.parametrize(
    ("name", "kind"),
    [("torso_head", "head"), ("pelvis_lowerback", "torso"), ("lTorso_Clavicle", "clavicle"), ("r_hip", "thigh"),
     ("lShldr", "arm"), ("Head_end", "head"), ("b_LeftClav", "clavicle")],
)  # fmt: skip
def test_names_of_two_bones_mean_the_second(name, kind):
    assert bone_kinds(Skeleton(["Hips", "LeftArm", name], [-1, 0, 1], np.ones((3, 3))))[2] == kind


def test_thickness_follows_kind_and_size():
    names = ["Hips", "Spine", "Neck", "Head", "Head_end", "LeftUpLeg", "LeftLeg", "LeftFoot"]
    names += ["LeftArm", "LeftForeArm", "LeftHand", "Index1", "Index2"]
    parents = [-1, 0, 1, 2, 3, 0, 5, 6, 1, 8, 9, 10, 11]
    offsets = np.zeros((13, 3))
    offsets[1:5, 1] = 0.5, 0.1, 0.1, 0.2
    offsets[5:8, 1] = -0.05, -0.4, -0.4
    offsets[8:, 0] = 0.2, 0.3, 0.25, 0.1, 0.03
    person = Skeleton(names, parents, offsets)
    body = body_of(person)
    # The head is one capsule at its own joint; every other bone one at the joint it begins at.
    assert sorted(body.joints) == sorted([*(p for j, p in enumerate(parents) if p >= 0 and j != 4), 3])
    thick = {names[j]: body.radii[body.joints == j].max() for j in body.joints}
    order = ["Spine", "Hips", "LeftUpLeg", "LeftLeg", "LeftArm", "LeftForeArm", "LeftHand", "Index1"]
    assert all(thick[a] > thick[b] for a, b in itertools.pairwise(order)), thick
    crown = body.ends[body.joints == 3][0] + [0.0, body.radii[body.joints == 3][0, 1], 0.0]
    assert 0.15 < crown[1] < 0.3
    giant = body_of(Skeleton(names, parents, 2.0 * offsets))
    np.testing.assert_allclose(giant.radii, 2.0 * body.radii)
    np.testing.assert_allclose(giant.ends, 2.0 * body.ends)


def test_a_reference_point_below_the_person_is_no_bone():
    skeleton = Skeleton(
        ["joint_Root", "Hips", "Spine", "Spine_end"], [-1, 0, 1, 2], [[0, 0, 0], [0, 1, 0]] + [[0, 0.3, 0]] * 2
    )
    assert 0 not in body_of(skeleton).joints


@pytest.mark.parametrize("offsets", [np.zeros((1, 3)), np.zeros((4, 3))])
def test_something_is_there_without_bones(offsets):
    body = body_of(Skeleton([f"j{i}" for i in range(len(offsets))], np.arange(len(offsets)) - 1, offsets))
    assert len(body) == 1
    assert (body.radii > 0.01).all()
