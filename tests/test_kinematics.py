"""Forward kinematics against joint-by-joint 4×4 matrices."""

import numpy as np
import pytest
from bodies import random_clip, random_quaternions, random_skeleton
from naive import kinematics as naive

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model import kinematics


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("joints", [1, 2, 7, 31, 80])
def test_matches_matrices_on_random_skeletons(joints, rng):
    for _ in range(5):
        skeleton = random_skeleton(rng, joints)
        clip = random_clip(rng, skeleton, frames=6)
        ref = naive.transforms(skeleton.parents, skeleton.offsets, clip.root, clip.rotations)
        comp = kinematics.transforms(skeleton, clip.root, clip.rotations)
        np.testing.assert_allclose(comp[0], ref[0], atol=1e-12)
        np.testing.assert_allclose(rot.to_matrix(comp[1]), ref[1], atol=1e-12)
        np.testing.assert_array_equal(clip.positions(), comp[0])
        np.testing.assert_array_equal(clip.orientations(), comp[1])


def test_a_long_chain(rng):
    joints = 2000
    skeleton = kinematics_chain(joints, rng)
    rotations = random_quaternions(rng, 1, joints)
    ref = naive.transforms(skeleton.parents, skeleton.offsets, np.zeros((1, 3)), rotations)[0]
    np.testing.assert_allclose(kinematics.positions(skeleton, np.zeros((1, 3)), rotations), ref, atol=1e-10)


def kinematics_chain(joints, rng):
    from motiongraph.model.skeleton import Skeleton

    return Skeleton([f"j{j}" for j in range(joints)], np.arange(joints) - 1, rng.normal(0, 0.1, (joints, 3)))


def test_sliding_offsets_replace_the_skeletons(rng):
    skeleton = random_skeleton(rng)
    clip = random_clip(rng, skeleton, frames=5)
    offsets = rng.normal(size=(5, len(skeleton), 3))
    ref = naive.transforms(skeleton.parents, offsets, clip.root, clip.rotations)[0]
    np.testing.assert_allclose(kinematics.positions(skeleton, clip.root, clip.rotations, offsets), ref, atol=1e-12)
    # A single frame has its own offsets too, and whole numbers are numbers.
    one = kinematics.positions(skeleton, clip.root[2], clip.rotations[2], offsets[2])
    np.testing.assert_allclose(one, ref[2], atol=1e-12)
    whole = np.rint(offsets * 3)
    np.testing.assert_array_equal(
        kinematics.positions(skeleton, clip.root, clip.rotations, whole.astype(int)),
        kinematics.positions(skeleton, clip.root, clip.rotations, whole),
    )


def test_a_single_frame_leaves_out_the_first_axis(rng):
    skeleton = random_skeleton(rng)
    clip = random_clip(rng, skeleton)
    positions, orientations = kinematics.transforms(skeleton, clip.root[3], clip.rotations[3])
    assert positions.shape == (len(skeleton), 3)
    assert orientations.shape == (len(skeleton), 4)
    np.testing.assert_array_equal(positions, clip.positions()[3])


def test_out_is_filled_and_returned(rng):
    skeleton = random_skeleton(rng)
    joints = len(skeleton)
    clip = random_clip(rng, skeleton)
    out = np.empty((len(clip), joints, 3)), np.empty((len(clip), joints, 4))
    positions, orientations = kinematics.transforms(skeleton, clip.root, clip.rotations, out=out)
    assert positions is out[0]
    assert orientations is out[1]
    np.testing.assert_array_equal(out[0], clip.positions())
    # The viewer's buffers hold one pose, with or without the first axis.
    for shape in ((joints,), (1, joints)):
        out = np.empty((*shape, 3)), np.empty((*shape, 4))
        positions, _ = kinematics.transforms(skeleton, clip.root[7], clip.rotations[7], out=out)
        np.testing.assert_array_equal(out[0].reshape(joints, 3), clip.positions()[7])
        assert np.shares_memory(positions, out[0])


def test_buffers_that_do_not_fit_are_refused(rng):
    skeleton = random_skeleton(rng)
    clip = random_clip(rng, skeleton)
    good = np.empty((20, 12, 3)), np.empty((20, 12, 4))
    wrong = [
        (good[0][:19], good[1]),
        (good[0], good[1][:, :11]),
        (good[0].astype(np.float32), good[1]),
        (np.empty((20, 12, 6))[..., ::2], good[1]),
    ]
    for out in wrong:
        with pytest.raises(MotionError, match="out must be float64 of shape"):
            kinematics.transforms(skeleton, clip.root, clip.rotations, out=out)
    with pytest.raises(MotionError, match="sliding offsets of 7 frames do not fit 20"):
        kinematics.transforms(skeleton, clip.root, clip.rotations, np.zeros((7, 12, 3)))


def test_inputs_may_be_read_only_sliced_or_lists(rng):
    skeleton = random_skeleton(rng)
    clip = random_clip(rng, skeleton)
    assert not clip.rotations.flags.writeable
    ref = clip.positions()[::3]
    np.testing.assert_array_equal(kinematics.positions(skeleton, clip.root[::3], clip.rotations[::3]), ref)
    np.testing.assert_array_equal(
        kinematics.positions(skeleton, clip.root[::3].tolist(), clip.rotations[::3].tolist()), ref
    )
