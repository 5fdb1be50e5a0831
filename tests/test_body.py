"""The capsule body: what bones are by their names, how thick, and the mesh made of it."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from motiongraph.formats.gltf import mesh_of
from motiongraph.model.body import Body, body_of, bone_kinds
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


def _capsules(rng, n):
    radii = rng.uniform(0.01, 0.2, (n, 2))
    return Body(rng.integers(0, 9, n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), radii)


def test_mesh_lies_on_the_capsules_and_faces_outwards():
    body = _capsules(np.random.default_rng(1), 40)
    mesh = mesh_of(body)
    each = len(mesh.positions) // len(body)
    for k in range(len(body)):
        for v in range(k * each, (k + 1) * each):
            assert mesh.joints[v] == body.joints[k]
            # Along its normal each vertex is one radius away from one of the ends.
            miss = [
                np.linalg.norm(mesh.positions[v] - centre - radius * mesh.normals[v])
                for centre, radius in zip((body.starts[k], body.ends[k]), body.radii[k])
            ]
            assert min(miss) < 1e-12
            # A capsule is all balls between its ends: none may hold a vertex within, and one must touch it.
            depth = max(
                (1 - t) * body.radii[k, 0]
                + t * body.radii[k, 1]
                - math.dist(mesh.positions[v], (1 - t) * body.starts[k] + t * body.ends[k])
                for t in np.linspace(0.0, 1.0, 33)
            )
            assert abs(depth) < 1e-12
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
    faces = np.cross(b - a, c - a)
    for k in range(3):
        assert (np.sum(faces * mesh.normals[mesh.triangles[:, k]], axis=1) > 0.0).all()


def test_mesh_is_closed_and_holds_the_right_volume():
    body = Body(np.array([0]), np.zeros((1, 3)), np.array([[0.3, 0.4, 0.0]]), np.array([[0.1, 0.1]]))
    mesh = mesh_of(body)
    edges = Counter((t[k], t[(k + 1) % 3]) for t in mesh.triangles.tolist() for k in range(3))
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)
    a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
    volume = np.sum(a * np.cross(b, c)) / 6.0
    exact = np.pi * 0.1**2 * 0.5 + 4.0 / 3.0 * np.pi * 0.1**3
    assert 0.9 * exact < volume < exact


def test_a_ball_within_a_ball_is_meshed():
    body = Body(
        np.array([0, 1]), np.zeros((2, 3)), np.array([[0, 0.01, 0], [0, 0, 0.0]]), np.array([[0.1, 0.02], [0.1, 0.1]])
    )
    mesh = mesh_of(body)
    assert np.isfinite(mesh.positions).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    assert np.linalg.norm(mesh.positions, axis=1).max() <= 0.1 + 1e-12
