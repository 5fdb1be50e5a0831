"""Skeletons: what they refuse and what they know of themselves."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_skeleton

from motiongraph.errors import MotionError
from motiongraph.model.skeleton import Skeleton

NAMES, PARENTS = ("hips", "knee", "ankle", "head"), (-1, 0, 1, 0)
OFFSETS = np.array([[0, 0, 0], [0.1, -0.4, 0], [0, -0.3, 0.4], [0, 0.6, 0.0]])


@pytest.fixture
def skeleton():
    return Skeleton(NAMES, PARENTS, OFFSETS)


@pytest.mark.parametrize(
    ("names", "parents", "offsets", "says"),
    [
        ((), (), np.zeros((0, 3)), "at least one joint"),
        (NAMES, (-1, 0, 1), OFFSETS, "parents of shape"),
        (NAMES, PARENTS, OFFSETS[:3], "offsets of shape"),
        (("a", "b", "c", "b"), PARENTS, OFFSETS, "two joints named 'b'"),
        (NAMES, (0, 0, 1, 0), OFFSETS, "root first"),
        (NAMES, (-1, -1, 1, 0), OFFSETS, "root first"),
        (NAMES, (-1, 2, 1, 0), OFFSETS, "parent before"),
        (NAMES, (-1, 1, 1, 0), OFFSETS, "parent before"),
        (NAMES, PARENTS, OFFSETS * np.nan, "finite"),
    ],
)
def test_what_is_not_a_skeleton_is_refused(names, parents, offsets, says):
    with pytest.raises(MotionError, match=says):
        Skeleton(names, parents, offsets)


def test_rest_pose_is_the_sum_of_offsets(skeleton):
    np.testing.assert_allclose(skeleton.rest, [[0, 0, 0], [0.1, -0.4, 0], [0.1, -0.7, 0.4], [0, 0.6, 0]])
    np.testing.assert_allclose(skeleton.bone_lengths, [0, np.hypot(0.1, 0.4), 0.5, 0.6])


def test_height_is_that_of_standing_straight(skeleton):
    # The thigh straddles a little and counts in full; the foot lies and counts with what it rises.
    assert skeleton.height == pytest.approx(0.6 + np.hypot(0.1, 0.4) + 0.3)


def test_a_rest_pose_that_lies_still_has_a_height():
    """LAFAN1's bodies, all of whose offsets point along x, were 6 cm high: cameras and joints were made for that."""
    body = person()
    lying = replace(body, offsets=np.linalg.norm(body.offsets, axis=1)[:, None] * [1.0, 0.0, 0.0])
    assert lying.span == pytest.approx(body.span)
    assert lying.height == pytest.approx(body.height, rel=0.25)


def test_the_roots_own_offset_does_not_count():
    skeleton = Skeleton(("a", "b"), (-1, 0), [[5, 5, 5], [0, 1, 0]])
    np.testing.assert_array_equal(skeleton.rest, [[0, 0, 0], [0, 1, 0]])
    assert skeleton.bone_lengths[0] == 0


def test_children(skeleton):
    assert skeleton.children == ((1, 3), (2,), (), ())
    tree = random_skeleton(np.random.default_rng(3), 40)
    assert sorted((p, j) for p, js in enumerate(tree.children) for j in js) == sorted(
        (int(p), j) for j, p in enumerate(tree.parents) if p >= 0
    )


def test_joints_by_name(skeleton):
    assert skeleton.index("ankle") == 2
    with pytest.raises(MotionError, match=r"no joint 'foot'; there are hips, knee, ankle, head"):
        skeleton.index("foot")


def test_equal_means_same_names_tree_and_offsets(skeleton):
    again = Skeleton(list(NAMES), list(PARENTS), OFFSETS.tolist())
    assert skeleton == again
    assert hash(skeleton) == hash(again)
    assert skeleton != Skeleton(("hips", "knee", "foot", "head"), PARENTS, OFFSETS)
    assert skeleton != Skeleton(NAMES, (-1, 0, 0, 0), OFFSETS)
    assert skeleton != Skeleton(NAMES, PARENTS, OFFSETS + 1e-9)
    assert skeleton != "skeleton"


def test_arrays_are_its_own_and_read_only():
    parents, offsets = np.array(PARENTS), OFFSETS.copy()
    skeleton = Skeleton(NAMES, parents, offsets)
    parents[1], offsets[1] = 3, 7.0
    assert skeleton == Skeleton(NAMES, PARENTS, OFFSETS)
    for array in (skeleton.parents, skeleton.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_it_introduces_itself():
    assert repr(person()) == "Skeleton(26 joints, root 'root', 1.75 m)"
