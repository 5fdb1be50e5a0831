"""Mirroring: what one would see in a mirror, and twice is once back."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_clip, smooth_clip

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.files import resource
from motiongraph.formats.load import load
from motiongraph.model import sides
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

ACROSS = np.array([-1.0, 1.0, 1.0])


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def directions(clip):
    """(F, J, 3) unit vectors from every joint's parent to it."""
    skeleton = clip.skeleton
    bones = clip.positions() - clip.positions()[:, np.maximum(skeleton.parents, 0)]
    length = np.linalg.norm(bones, axis=-1, keepdims=True)
    return np.divide(bones, length, out=np.zeros_like(bones), where=length > 1e-9)


def assert_same_motion(a, b, within=1e-6):
    np.testing.assert_allclose(a.positions(), b.positions(), atol=within)
    np.testing.assert_allclose(a.root, b.root, atol=within)
    assert rot.angle_between(a.rotations, b.rotations).max() < within


@pytest.mark.parametrize("words", [("l", "r"), ("Left", "Right"), ("mixamorig:Left", "mixamorig:Right"), ("L_", "R_")])
def test_a_symmetric_body_moves_as_its_mirror_image(words, rng):
    clip = random_clip(rng, person(*words))
    partner = sides.partners(clip.skeleton)
    assert (partner != np.arange(len(partner))).sum() == 20
    np.testing.assert_allclose(clip.mirrored().positions(), (clip.positions() * ACROSS)[:, partner], atol=1e-12)


def test_an_uneven_body_keeps_its_bones_and_mirrors_their_directions(rng):
    clip = random_clip(rng, person(uneven=0.03, rng=rng))
    skeleton, comp = clip.skeleton, clip.mirrored()
    partner = sides.partners(skeleton)
    ref = (directions(clip) * ACROSS)[:, partner]
    single = np.array([p >= 0 and len(skeleton.children[p]) == 1 for p in skeleton.parents])
    assert single.sum() == 19
    np.testing.assert_allclose(directions(comp)[:, single], ref[:, single], atol=1e-12)
    lengths = np.linalg.norm(comp.positions() - comp.positions()[:, np.maximum(skeleton.parents, 0)], axis=-1)
    np.testing.assert_allclose(lengths, np.tile(skeleton.bone_lengths, (len(clip), 1)), atol=1e-12)


@pytest.mark.parametrize("uneven", [0.0, 0.03, 0.2])
def test_twice_is_once_back(uneven, rng):
    clip = random_clip(rng, person(uneven=uneven, rng=rng), name="walk_3", labels={"turn-left": (2, 9)}, first=1)
    once, twice = clip.mirrored(), clip.mirrored().mirrored()
    assert np.abs(once.positions() - clip.positions()).max() > 0.1
    assert_same_motion(twice, clip)
    assert twice.labels == clip.labels
    assert (once.name, twice.name) == ("walk_3_mirrored", "walk_3")
    assert (once.first, once.fps) == (1, clip.fps)


def test_what_one_side_holds_stays_on_that_side(rng):
    # A sword in the right hand, on the joint where the left hand ends: twice must still be once back.
    body = person(uneven=0.05, rng=rng)
    offsets = np.concatenate([body.offsets, [[0.0, 0.1, 0.7]]])
    armed = Skeleton([*body.names, "sword"], [*body.parents, body.index("rhand_end")], offsets)
    clip = random_clip(rng, armed)
    assert sides.partners(armed)[-1] == len(armed) - 1
    assert_same_motion(clip.mirrored().mirrored(), clip)


def test_end_joints_stay_unturned(rng):
    clip = random_clip(rng, person(uneven=0.05, rng=rng))
    ends = sides.ends(clip.skeleton)
    rotations = clip.rotations.copy()
    rotations[:, ends] = rot.IDENTITY
    comp = replace(clip, rotations=rotations).mirrored()
    np.testing.assert_allclose(np.abs(comp.rotations[:, ends, 0]), 1.0, atol=1e-12)


def turned(skeleton, q):
    """The same body with its rest pose lying or facing another way."""
    return Skeleton(skeleton.names, skeleton.parents, rot.rotate(q, skeleton.offsets))


@pytest.mark.parametrize(
    ("q", "normal", "within"),
    [
        (rot.about("Y", np.pi / 2), [0, 0, 1], 1e-12),
        (rot.about("Y", 0.7), [np.cos(0.7), 0, -np.sin(0.7)], 1e-12),
        (rot.about("X", np.pi / 2), [1, 0, 0], 1e-12),
        (rot.about("Y", np.radians(2.0)), [1, 0, 0], 0.06),
    ],
    ids=["facing x", "facing anywhere", "lying", "two degrees off an axis"],
)
def test_the_plane_comes_from_the_rest_pose(q, normal, within, rng):
    clip = random_clip(rng, turned(person(), q))
    comp = clip.mirrored()
    ref = clip.positions() - 2 * (clip.positions() @ normal)[..., None] * np.array(normal)
    np.testing.assert_allclose(comp.root, ref[:, 0], atol=1e-12)
    np.testing.assert_allclose(comp.positions(), ref[:, sides.partners(clip.skeleton)], atol=within)
    assert_same_motion(comp.mirrored(), clip)


@pytest.mark.parametrize("q", [rot.about("Z", np.pi / 2), rot.about("Z", 0.6)])
def test_a_rest_pose_on_its_side_still_leaves_up_up(q, rng):
    # The rest pose's left is up, but the motion's up is y: the world's mirror stands upright.
    upright = random_clip(rng, person())
    lying = turned(upright.skeleton, q)
    # Global orientations G·q⁻¹ make the lying body do what the upright one does.
    rotations = rot.multiply(q, rot.multiply(upright.rotations, rot.conjugate(q)))
    rotations[:, 0] = rot.multiply(upright.rotations[:, 0], rot.conjugate(q))
    clip = replace(upright, skeleton=lying, rotations=rotations)
    np.testing.assert_allclose(clip.positions(), upright.positions(), atol=1e-12)
    comp = clip.mirrored()
    np.testing.assert_allclose(comp.positions(), (upright.positions() * ACROSS)[:, sides.partners(lying)], atol=1e-12)
    assert_same_motion(comp.mirrored(), clip)


def test_a_rest_pose_that_says_nothing_leaves_it_to_the_first_pose():
    # Both arms point up at rest; the motion spreads them along z.
    names, parents = ["root", "larm", "lhand", "rarm", "rhand", "head"], [-1, 0, 1, 0, 3, 0]
    offsets = [[0, 0, 0], [0, 0.2, 0], [0, 0.5, 0], [0, 0.2, 0], [0, 0.5, 0], [0, 0.4, 0]]
    rotations = np.tile(rot.IDENTITY, (4, 6, 1))
    rotations[1:, 1] = rot.about("X", [1.2, 1.3, 1.0])
    rotations[1:, 3] = rot.about("X", [-1.2, -0.8, -0.4])
    clip = Clip(Skeleton(names, parents, offsets), np.zeros((4, 3)), rotations, first=1)
    comp = clip.mirrored()
    ref = clip.positions() * [1.0, 1.0, -1.0]
    np.testing.assert_allclose(comp.positions(), ref[:, [0, 3, 4, 1, 2, 5]], atol=1e-12)
    assert_same_motion(comp.mirrored(), clip)


def test_sliding_joints_slide_on_the_other_side(rng):
    clip = random_clip(rng, person())
    offsets = clip.skeleton.offsets + rng.normal(0, 0.05, (len(clip), len(clip.skeleton), 3))
    sliding = replace(clip, offsets=offsets)
    comp = sliding.mirrored()
    ref = (sliding.positions() * ACROSS)[:, sides.partners(clip.skeleton)]
    np.testing.assert_allclose(comp.positions(), ref, atol=1e-12)
    uneven = replace(sliding, skeleton=person(uneven=0.05, rng=rng))
    twice = uneven.mirrored().mirrored()
    assert_same_motion(twice, uneven)
    np.testing.assert_allclose(twice.offsets, uneven.offsets, atol=1e-12)


def test_labels_exchange_left_and_right(rng):
    pairs = {
        "turn-left": "turn-right",
        "walk_left": "walk_right",
        "Left turn": "Right turn",
        "turnRight": "turnLeft",
        "leftTurn": "rightTurn",
        "LEFT": "RIGHT",
        "upright": "upright",
        "cleft": "cleft",
        "leftover": "leftover",
        "copyRIGHT": "copyRIGHT",
        "walk": "walk",
    }
    clip = smooth_clip(rng, person(), frames=30, labels={name: (k, 10 + k) for k, name in enumerate(pairs)})
    comp = clip.mirrored()
    assert set(comp.labels) == set(pairs.values())
    for before, after in pairs.items():
        np.testing.assert_array_equal(comp.labels.at(after), clip.labels.at(before))
    both = clip.labelled({"left": (0, 3), "right": (2, 9)}).mirrored()
    assert both.labels.spans() == [("left", 2, 9), ("right", 0, 3)]


def test_the_files_record_keeps_only_its_layout(rng):
    class Record:
        def layout(self):
            return "layout"

    assert replace(random_clip(rng, person()), source=Record()).mirrored().source == "layout"


def test_a_body_without_sides_cannot_be_mirrored(rng):
    names = ["root", "spine", "lowerneck"]
    with pytest.raises(MotionError, match=r"cannot mirror 'snake': .* no left and right joints"):
        random_clip(rng, Skeleton(names, [-1, 0, 1], np.ones((3, 3))), name="snake").mirrored()
    one = Skeleton(["root", "larm", "rarm"], [-1, 0, 0], np.ones((3, 3)))
    with pytest.raises(MotionError, match="lie in one place"):
        random_clip(rng, one).mirrored()


@pytest.mark.parametrize("path", ["asf_amc/16/16_17.amc", "bvh/16_17.bvh"])
def test_captured_motion(mocap, path):
    import motiongraph as mg

    clip = mg.load(mocap / "cmu" / path)
    comp = clip.mirrored()
    partner = sides.partners(clip.skeleton)
    # Subject 16's left and right differ by some millimetres a bone; a wrong side would be off by decimetres.
    assert (partner != np.arange(len(partner))).sum() == 30
    assert np.abs(comp.positions() - (clip.positions() * ACROSS)[:, partner]).max() < 0.05
    assert_same_motion(comp.mirrored(), clip)


def baked(clip):
    """The same motion on a skeleton as rigs are baked to: every bone along x in its joint's frame, those on the right
    the other way, so that its rest pose is none."""
    skeleton = clip.skeleton
    bones, right = sides.bone_directions(skeleton), set(sides.pairs(skeleton)[:, 1].tolist())
    frames = np.array([
        rot.between((-1.0 if j in right else 1.0) * np.eye(3)[0], bone) if bone.any() else rot.IDENTITY
        for j, bone in enumerate(bones)
    ])  # fmt: skip
    parents = np.maximum(skeleton.parents, 0)
    offsets = rot.rotate(rot.conjugate(frames[parents]), skeleton.offsets)
    whole = rot.multiply(clip.orientations(), frames)
    turns = np.concatenate([whole[:, :1], rot.multiply(rot.conjugate(whole[:, parents[1:]]), whole[:, 1:])], axis=1)
    return Clip(Skeleton(skeleton.names, skeleton.parents, offsets), clip.root, turns, clip.fps, clip.name)


def test_a_skeleton_without_a_rest_pose():
    clip = load(resource("assets/samples") / "walk_left_90.bvh")
    other = baked(clip)
    np.testing.assert_allclose(other.positions(), clip.positions(), atol=1e-9)
    image = other.mirrored()
    np.testing.assert_allclose(image.positions(), clip.mirrored().positions(), atol=1e-6)
    np.testing.assert_allclose(image.mirrored().positions(), clip.positions(), atol=1e-6)
    assert image.name == "walk_left_90_mirrored"
