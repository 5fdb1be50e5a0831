"""Joint angles, Mao's weights, and what a metric refuses."""

import numpy as np
import pytest
from bodies import random_clip, random_skeleton
from naive import distance as naive
from walkers import joined, walking

import motiongraph as mg
from motiongraph.metric.cloud import joint_weights


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.mark.parametrize("kind", ["angle", "angle-velocity", "angle-acceleration"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_joint_angles(rng, kind, order):
    skeleton = random_skeleton(rng, 7)
    a, b = walking(rng, skeleton, 30), joined(walking(rng, skeleton, 20), random_clip(rng, skeleton, 15))
    derivative = ("angle", "angle-velocity", "angle-acceleration").index(kind)
    weights = {"joint2": 0.0, "joint5": 3.0}
    values = [weights.get(n, 1.0) for n in skeleton.names[1:]]
    comp = mg.distance_matrix(a, b, mg.Metric(kind=kind, order=order, window=0, joint_weights=weights), cache=False)
    ref = naive.angle_matrix(a.rotations[:, 1:], b.rotations[:, 1:], values, order, derivative, 120.0)
    assert np.abs(comp.cost - ref).max() < 1e-6 * ref.max() + 2e-5
    assert np.isclose(comp.raw[3, 4], ref[3, 4] ** order * sum(values), rtol=1e-4)
    cells = np.indices(ref.shape).reshape(2, -1)
    assert np.abs(comp.pair.exact(*cells)[0].reshape(ref.shape) - ref).max() < 1e-6 * ref.max() + 2e-5
    assert np.array_equal(mg.distance_matrix(b, a, comp.metric, cache=False).cost.T, comp.cost)
    windows = mg.distance_matrix(
        a, b, mg.Metric(kind=kind, order=order, joint_weights=weights, window=0.1), cache=False
    )
    assert np.array_equal(windows.cost, comp.cost[: 30 - 11, : 35 - 11])


def test_weights_of_mao():
    asf = [
        "root",
        "lhipjoint",
        "lfemur",
        "ltibia",
        "lfoot",
        "ltoes",
        "ltoes_end",
        "rhipjoint",
        "rfemur",
        "rtibia",
        "rfoot",
    ]
    asf += ["lowerback", "upperback", "thorax", "lowerneck", "upperneck", "head", "lclavicle", "lhumerus", "lradius"]
    asf += ["rclavicle", "rhumerus", "rradius"]
    bvh = ["Hips", "LHipJoint", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase", "LeftToeBase_end", "RHipJoint"]
    bvh += ["RightUpLeg", "RightLeg", "RightFoot", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"]
    bvh += ["LeftShoulder", "LeftArm", "LeftForeArm", "RightShoulder", "RightArm", "RightForeArm"]
    table = [0, 0, 0.4, 0.4, 0.9, 0, 0, 0, 0.4, 0.4, 0.9, 0.8, 0.1, 0.1, 0.1, 0.8, 0, 0, 0.4, 0.2, 0, 0.4, 0.2]
    for names in (asf, bvh):
        parents = range(-1, len(names) - 1)
        skeleton = mg.Skeleton(names, parents, np.ones((len(names), 3)))
        assert joint_weights(skeleton, "mao").tolist() == table


def test_refusals(rng):
    skeleton, other = random_skeleton(rng, 6), random_skeleton(rng, 7)
    a = walking(rng, skeleton, 60, name="first")
    for b, words in [
        (walking(rng, other, 60, name="second"), "have other joints: none against joint6"),
        (walking(rng, skeleton, 60, fps=60.0, name="slow"), "'first' has 120 frames a second and 'slow' 60"),
        (walking(rng, skeleton, 39, name="short"), "'short' has 39 captured frames, fewer than the 40 of a window"),
    ]:
        with pytest.raises(mg.MotionError, match=words):
            mg.distance_matrix(a, b, cache=False)
    for fields, words in [
        ({"window": -1}, "seconds from 0 to 60"),
        ({"align": "sideways"}, "align is one of 'planar', 'in-place', 'none'"),
        ({"kind": "colour"}, "kind is one of"),
        ({"order": 3}, "order is one of 1, 2, 4"),
        ({"samples_per_bone": 1.5}, "whole number"),
        ({"taper": "sharp"}, "taper is one of"),
        ({"taper": [0.0, 0.0]}, "not all of them 0"),
        ({"search_fps": 0}, "positive number"),
    ]:
        with pytest.raises(mg.MotionError, match=words):
            mg.Metric(**fields)
    for fields, words in [
        ({"taper": [1.0, 2.0]}, "the taper has 2 weights, but the window has 40 frames"),
        ({"joint_weights": {"tail": 1.0}}, "no joint 'tail'"),
        ({"joint_weights": {"joint1": -1.0}}, "must be a number from 0 up"),
        ({"joint_weights": "heavy"}, "a mapping of joint names"),
        ({"joint_weights": dict.fromkeys(skeleton.names, 0.0)}, "all joints weigh nothing"),
        ({"joint_weights": {n: float(n == "joint0") for n in skeleton.names}}, "all bones weigh nothing"),
        ({"joint_weights": "mao"}, "Mao's joint weights need"),
    ]:
        with pytest.raises(mg.MotionError, match=words):
            mg.distance_matrix(a, a, mg.Metric(**fields), cache=False)
    prepared = [m.prepare(a) for m in (mg.Metric(), mg.Metric(window=0.2))]
    with pytest.raises(mg.MotionError, match="different metrics"):
        mg.distance_matrix(*prepared, cache=False)


def test_what_is_refused_is_quoted_briefly():
    with pytest.raises(mg.MotionError) as refused:
        mg.Metric(kind="x" * 5000)
    assert len(str(refused.value)) < 300
