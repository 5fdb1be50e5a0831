"""Retargeting: other bones, the same motion, feet on the same floor."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_clip, smooth_clip

from motiongraph.errors import MotionError
from motiongraph.model import sides
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton


@pytest.fixture
def rng():
    return np.random.default_rng(21)


def stretched(skeleton, factors):
    """The same rest directions with other bone lengths; factors: a number, or (J,)."""
    factors = np.broadcast_to(factors, len(skeleton))
    return Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * factors[:, None])


def bones(clip):
    """(F, J, 3) from every joint's parent to it, and (J,) which of them have a length."""
    vectors = clip.positions() - clip.positions()[:, np.maximum(clip.skeleton.parents, 0)]
    return vectors, clip.skeleton.bone_lengths > 1e-9


def assert_same_directions(a, b):
    (va, there), (vb, _) = bones(a), bones(b)
    unit_a, unit_b = (v[:, there] / np.linalg.norm(v[:, there], axis=-1, keepdims=True) for v in (va, vb))
    np.testing.assert_allclose(unit_a, unit_b, atol=1e-12)


def test_the_same_skeleton_changes_nothing(rng):
    clip = random_clip(rng, person())
    assert clip.retargeted(person()) is clip


def test_joints_may_come_in_another_order(rng):
    clip = smooth_clip(rng, person(), frames=30)
    order = [0, *rng.permutation(np.arange(1, len(clip.skeleton)))]
    names, place = [], {}
    while len(names) < len(order):  # a random order in which parents still come first
        for j in order:
            if j not in place and (j == 0 or clip.skeleton.parents[j] in place):
                place[j] = len(names)
                names.append(clip.skeleton.names[j])
    taken = list(place)
    parents = [-1, *(place[int(clip.skeleton.parents[j])] for j in taken[1:])]
    target = Skeleton(names, parents, clip.skeleton.offsets[taken])
    assert target.names != clip.skeleton.names
    comp = clip.retargeted(target)
    np.testing.assert_allclose(comp.positions(), clip.positions()[:, taken], atol=1e-12)


def test_other_lengths_keep_all_directions(rng):
    clip = smooth_clip(rng, person(uneven=0.02, rng=rng), labels="walk", first=1, name="it")
    target = stretched(clip.skeleton, rng.uniform(0.7, 1.3, len(clip.skeleton)))
    comp = clip.retargeted(target)
    assert comp.skeleton is target
    assert_same_directions(comp, clip)
    np.testing.assert_allclose(
        np.linalg.norm(bones(comp)[0], axis=-1), np.tile(target.bone_lengths, (len(clip), 1)), atol=1e-12
    )
    assert (comp.labels, comp.first, comp.fps, comp.name) == (clip.labels, 1, clip.fps, "it")


def test_other_rest_directions_keep_bones_where_they_were(rng):
    # An A-pose for a T-pose: every bone of the arm hangs at rest, and still points where it did in the motion.
    clip = smooth_clip(rng, person())
    offsets = clip.skeleton.offsets.copy()
    for side, sign in (("l", 1), ("r", -1)):
        for part, length in (("forearm", 0.28), ("hand", 0.25), ("hand_end", 0.15)):
            offsets[clip.skeleton.index(side + part)] = [sign * 0.3 * length, -np.sqrt(0.91) * length, 0.0]
    comp = clip.retargeted(Skeleton(clip.skeleton.names, clip.skeleton.parents, offsets))
    assert_same_directions(comp, clip)
    ends = sides.ends(clip.skeleton)
    assert np.abs(comp.rotations - clip.rotations).max() > 0.3
    still = replace(clip, rotations=np.where(ends[:, None], [1.0, 0, 0, 0], clip.rotations))
    np.testing.assert_allclose(np.abs(still.retargeted(comp.skeleton).rotations[:, ends, 0]), 1.0, atol=1e-12)


def test_half_the_body_walks_half_as_far_from_the_same_floor(rng):
    clip = smooth_clip(rng, person())
    clip = replace(clip, root=clip.root + np.array([0, 0.4, 0]))
    comp = clip.retargeted(stretched(clip.skeleton, 0.5))
    floor = np.array([0, clip.floor, 0])
    ref = floor + 0.5 * (clip.positions() - floor)
    np.testing.assert_allclose(comp.positions(), ref, atol=1e-12)


def test_the_legs_set_the_scale(rng):
    clip = smooth_clip(rng, person())
    factors = np.ones(len(clip.skeleton))
    for j, name in enumerate(clip.skeleton.names):
        if name.endswith(("shin", "foot")):
            factors[j] = 1.2
        elif name.endswith(("arm", "hand", "head")):
            factors[j] = 0.6
    comp = clip.retargeted(stretched(clip.skeleton, factors))
    np.testing.assert_allclose(comp.root[:, [0, 2]], 1.2 * clip.root[:, [0, 2]], atol=1e-12)


def test_soles_meet_the_floor_whatever_pelvis_and_feet():
    skeleton = person()
    standing = np.tile([1.0, 0.0, 0.0, 0.0], (60, len(skeleton), 1))
    clip = Clip(skeleton, np.tile([0, 0.3 - skeleton.rest[:, 1].min(), 0], (60, 1)), standing)
    factors = np.array([2.0 if n.endswith(("thigh", "toe", "toe_end")) else 1.0 for n in skeleton.names])
    comp = clip.retargeted(stretched(skeleton, factors))
    assert clip.positions()[..., 1].min() == pytest.approx(0.3)
    assert comp.positions()[..., 1].min() == pytest.approx(0.3)
    assert comp.root[0, 1] == pytest.approx(clip.root[0, 1] + 0.08 + 0.06 + 0.01)


def test_without_legs_the_height_sets_the_scale(rng):
    snake = Skeleton(["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [0, 0.5, 0], [0, 0.5, 0]])
    clip = random_clip(rng, snake)
    comp = clip.retargeted(stretched(snake, 3.0))
    np.testing.assert_allclose(comp.root[:, [0, 2]], 3.0 * clip.root[:, [0, 2]], atol=1e-12)


def test_there_and_back(rng):
    clip = smooth_clip(rng, person(uneven=0.03, rng=rng))
    other = person(uneven=0.03, rng=rng)
    back = clip.retargeted(other).retargeted(clip.skeleton)
    np.testing.assert_allclose(back.rotations, clip.rotations, atol=1e-9)
    np.testing.assert_allclose(back.positions()[..., [0, 2]], clip.positions()[..., [0, 2]], atol=1e-9)


def test_sliding_joints_slide_in_proportion(rng):
    clip = smooth_clip(rng, person(), frames=60)
    offsets = clip.skeleton.offsets * rng.uniform(0.8, 1.2, (60, len(clip.skeleton), 1))
    sliding = replace(clip, offsets=offsets)
    factors = rng.uniform(0.7, 1.3, len(clip.skeleton))
    comp = sliding.retargeted(stretched(clip.skeleton, factors))
    np.testing.assert_allclose(comp.offsets, offsets * factors[:, None], atol=1e-12)


def test_a_files_record_does_not_follow_onto_another_skeleton(rng):
    clip = replace(smooth_clip(rng, person(), frames=20), source=object())
    assert clip.retargeted(stretched(clip.skeleton, 1.1)).source is None


def test_other_joints_are_refused_by_name(rng):
    clip = random_clip(rng, Skeleton(["a", "b", "c", "d", "e"], [-1, 0, 1, 2, 3], np.ones((5, 3))))
    with pytest.raises(MotionError, match=r"same joints; it lacks x and the other lacks c$"):
        clip.retargeted(Skeleton(["a", "b", "x", "d", "e"], [-1, 0, 1, 2, 3], np.ones((5, 3))))
    with pytest.raises(MotionError, match=r"the other lacks b, c, d and 1 more$"):
        clip.retargeted(Skeleton(["a"], [-1], np.ones((1, 3))))
    with pytest.raises(MotionError, match="joint d hangs on b but on c in the clip"):
        clip.retargeted(Skeleton(["a", "b", "c", "d", "e"], [-1, 0, 1, 1, 3], np.ones((5, 3))))
    with pytest.raises(MotionError, match="joint a hangs on b but at the root in the clip"):
        clip.retargeted(Skeleton(["b", "a", "c", "d", "e"], [-1, 0, 0, 2, 3], np.ones((5, 3))))


@pytest.mark.parametrize("other", ["05/05_01.amc", "127/127_13.amc"])
def test_captured_motion(mocap, other):
    import motiongraph as mg

    folder = mocap / "cmu" / "asf_amc"
    clip, target = mg.load(folder / "16" / "16_15.amc"), mg.load(folder / other).skeleton
    comp = clip.retargeted(target)
    assert_same_directions(comp, clip)
    assert comp.floor == pytest.approx(clip.floor, abs=0.01)
    contacts = clip.contacts()
    assert (np.asarray(comp.contacts()) != np.asarray(contacts)).mean() < 0.03

    def slide(moving):
        feet = moving.positions()[:, list(contacts.joints)][..., [0, 2]]
        return np.linalg.norm(np.diff(feet, axis=0), axis=-1)[np.asarray(contacts[1:] & contacts[:-1])].mean()

    assert slide(comp) < 1.15 * slide(clip)
    back = comp.retargeted(clip.skeleton)
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-3)
