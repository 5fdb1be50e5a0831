"""The .glb writer, read back by a plain reader (naive/glb.py) that knows only the glTF 2.0 specification."""

from dataclasses import replace

import numpy as np
import pygltflib
import pytest
from naive.glb import Glb, check

import motiongraph as mg
from motiongraph.errors import MotionError
from motiongraph.formats.gltf import write_glb
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

TENTH_OF_A_MILLIMETRE = 1e-4

PERSON = {
    "Hips": (None, (0, 0, 0)),
    "LHipJoint": ("Hips", (0, 0, 0)),
    "LeftUpLeg": ("LHipJoint", (0.09, -0.1, 0.04)),
    "LeftLeg": ("LeftUpLeg", (0.13, -0.37, 0)),
    "LeftFoot": ("LeftLeg", (0.15, -0.41, 0)),
    "LeftFoot_end": ("LeftFoot", (0.01, -0.03, 0.12)),
    "Spine": ("Hips", (0, 0.12, -0.01)),
    "Neck": ("Spine", (0, 0.35, 0.01)),
    "Head": ("Neck", (0, 0.09, -0.01)),
    "Head_end": ("Head", (0, 0.1, 0)),
    "LeftArm": ("Spine", (0.18, 0.3, -0.04)),
    "LeftForeArm": ("LeftArm", (0.29, 0, 0)),
    "LeftHand": ("LeftForeArm", (0.21, 0, 0)),
    "LeftHand_end": ("LeftHand", (0.03, 0, 0)),
}
LEAVES = [n for n in PERSON if n.endswith("_end")]


def person():
    names = list(PERSON)
    parents = [-1 if p is None else names.index(p) for p, _ in PERSON.values()]
    return Skeleton(names, parents, [offset for _, offset in PERSON.values()])


def moving(skeleton, frames=40, seed=0, still=(), **options):
    """Smooth random turns, far from any origin, with quaternion signs as scrambled as files have them."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0.0, 2.0, frames)[:, None]
    waves = sum(rng.normal(size=len(skeleton) * 3) * np.sin(k * time + rng.uniform(0, 6)) / k for k in (1, 2, 3))
    turns = waves.reshape(frames, len(skeleton), 3)
    angle = np.linalg.norm(turns, axis=-1, keepdims=True)
    rotations = np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * turns / angle], axis=-1)
    rotations *= rng.choice([-1.0, 1.0], (frames, len(skeleton), 1))
    for name in still:
        rotations[:, skeleton.index(name)] = [1.0, 0.0, 0.0, 0.0]
    root = np.array([20.0, 1.0, -30.0]) + time * np.array([1.3, 0.0, 0.7]) + 0.02 * np.sin(9 * time)
    return Clip(skeleton, root, rotations, **options)


def chain(joints):
    return Skeleton([f"j{i}" for i in range(joints)], np.arange(joints) - 1, np.tile([0.01, 0.05, 0.0], (joints, 1)))


def sliding(frames=30):
    clip = moving(person(), frames, seed=3)
    offsets = np.repeat(clip.skeleton.offsets[None], frames, axis=0)
    offsets[:, clip.skeleton.index("LeftLeg")] *= np.linspace(1.0, 1.4, frames)[:, None]
    offsets[:, clip.skeleton.index("Neck")] += [0.0, 0.05, 0.0]
    return replace(clip, offsets=offsets)


CLIPS = {
    "person": lambda: moving(person(), still=LEAVES, fps=120, first=1, labels={"walk": (1, 30), "turn": (5, 9)}),
    "slow": lambda: moving(person(), 12, fps=29.97),
    "one frame": lambda: moving(person(), 1),
    "two frames": lambda: moving(person(), 2),
    "one joint": lambda: moving(chain(1)),
    "one joint, one frame": lambda: moving(chain(1), 1),
    "no length": lambda: moving(Skeleton(["a", "b", "c"], [-1, 0, 0], np.zeros((3, 3)))),
    "sliding": sliding,
    "sliding, one frame": lambda: sliding()[7:8],
    "300 joints": lambda: moving(chain(300), 3),
    "1000 joints": lambda: moving(chain(1000), 2),
}


@pytest.fixture
def written(tmp_path):
    def write(clip):
        write_glb(clip, tmp_path / "clip.glb")
        return Glb(tmp_path / "clip.glb")

    return write


def channel_of(glb, joint, path):
    """Times and values of a track, or None."""
    animation = glb.json["animations"][0]
    for channel in animation["channels"]:
        if channel["target"] == {"node": joint, "path": path}:
            sampler = animation["samplers"][channel["sampler"]]
            return glb.values[sampler["input"]], glb.values[sampler["output"]]
    return None


@pytest.mark.parametrize("name", CLIPS)
def test_files_keep_the_rules(name, written):
    check(written(CLIPS[name]()))


@pytest.mark.parametrize("name", CLIPS)
def test_joints_are_where_the_clip_has_them(name, written):
    clip = CLIPS[name]()
    glb = written(clip)
    for frame in {0, 1, len(clip) // 2, len(clip) - 1} & set(range(len(clip))):
        error = np.abs(glb.positions(frame / clip.fps) - clip.positions()[frame]).max()
        assert error < TENTH_OF_A_MILLIMETRE, (frame, error)


def test_between_frames_the_motion_is_that_of_the_clip_resampled(written):
    clip = CLIPS["person"]()
    glb, fine = written(clip), replace(clip, first=0).resampled(2 * clip.fps)
    for frame in (3, 24, 41):
        error = np.abs(glb.positions(frame / fine.fps) - fine.positions()[frame]).max()
        assert error < TENTH_OF_A_MILLIMETRE, (frame, error)


def test_nodes_are_the_skeleton(written):
    clip = CLIPS["person"]()
    nodes = written(clip).json["nodes"]
    for j, name in enumerate(clip.skeleton.names):
        assert nodes[j]["name"] == name
        assert nodes[j].get("translation", [0, 0, 0]) == clip.skeleton.offsets[j].tolist()
        assert nodes[j].get("children", []) == [k for k, p in enumerate(clip.skeleton.parents) if p == j]
    assert len(nodes) == len(clip.skeleton) + 1


def test_the_body_follows_its_bones(written):
    clip = CLIPS["person"]()
    glb = written(clip)
    mesh, _ = glb.mesh()
    weights, joints = np.array(mesh["WEIGHTS_0"]), np.array(mesh["JOINTS_0"])
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
    inverse = np.array(glb.values[glb.json["skins"][0]["inverseBindMatrices"]]).reshape(-1, 4, 4).transpose(0, 2, 1)
    bound = np.linalg.inv(inverse)[:, :3, 3]
    firm = weights[:, 0] > 0.9999  # what one joint alone moves keeps its distance to that joint
    assert 0.1 < firm.mean() < 0.95  # and between joints the skin bends
    before = np.linalg.norm(np.array(mesh["POSITION"])[firm] - bound[joints[firm, 0]], axis=1)
    assert before.max() < 0.6
    for frame in (0, 25):
        vertices, normals = glb.skinned(frame / clip.fps)
        after = np.linalg.norm(vertices[firm] - clip.positions()[frame][joints[firm, 0]], axis=1)
        np.testing.assert_allclose(after, before, atol=TENTH_OF_A_MILLIMETRE)
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1)[firm], 1.0, atol=1e-5)


def test_a_body_whose_bones_are_only_in_its_frames(written):
    """Files with positions for every joint may leave the offsets of the hierarchy at zero."""
    clip = moving(person(), 5)
    frames = np.repeat(clip.skeleton.offsets[None], 5, axis=0)
    flat = replace(clip, skeleton=replace(clip.skeleton, offsets=0.0 * clip.skeleton.offsets), offsets=frames)
    plain, slid = written(clip), written(flat)
    check(slid)
    for k in range(2):
        np.testing.assert_allclose(slid.skinned(2 / 120)[k], plain.skinned(2 / 120)[k], atol=1e-5)


def test_triangles_face_outwards(written):
    mesh, indices = written(CLIPS["person"]()).mesh()
    triangles, vertices, normals = (
        np.array(indices).reshape(-1, 3),
        np.array(mesh["POSITION"]),
        np.array(mesh["NORMAL"]),
    )
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    facing = np.sum(np.cross(b - a, c - a) * normals[triangles].sum(axis=1), axis=1)
    assert (facing > 0.0).mean() > 0.995
    assert np.sum(a * np.cross(b, c)) > 0.0  # six times the volume, were it closed or not


def test_quaternions_never_jump_to_the_far_side(written):
    clip = CLIPS["person"]()
    dots = np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1)
    assert (dots < 0).any(), "the clip should have something to mend"
    glb = written(clip)
    tracks = [channel_of(glb, j, "rotation") for j in range(len(clip.skeleton))]
    for _, values in filter(None, tracks):
        q = np.array(values)
        assert (np.sum(q[1:] * q[:-1], axis=1) > 0).all()


def test_what_stays_still_takes_no_room(written):
    skeleton = person()
    clip = moving(skeleton, 50, still=[*LEAVES, "Neck", "LHipJoint"], fps=50)
    rotations = clip.rotations.copy()
    rotations[:, skeleton.index("Neck"), 0] *= np.where(np.arange(50) % 2, 1.0, -1.0)  # ±identity is identity
    rotations[:, skeleton.index("Head")] = [0.8, 0.6, 0.0, 0.0]
    clip = replace(clip, rotations=rotations)
    glb = written(clip)
    for name in [*LEAVES, "Neck", "LHipJoint"]:
        assert channel_of(glb, skeleton.index(name), "rotation") is None
    times, values = channel_of(glb, skeleton.index("Head"), "rotation")
    np.testing.assert_allclose(np.array(times)[:, 0], [0.0, 49 / 50])
    np.testing.assert_allclose(values, [[0.6, 0, 0, 0.8]] * 2, atol=1e-7)
    assert len(channel_of(glb, skeleton.index("LeftArm"), "rotation")[0]) == 50
    assert all(channel_of(glb, j, "translation") is None for j in range(1, len(skeleton)))


def test_only_joints_that_slide_have_translations(written):
    clip = sliding()
    glb = written(clip)
    lengths = {
        clip.skeleton.names[j]: len(track[0])
        for j in range(len(clip.skeleton))
        if (track := channel_of(glb, j, "translation"))
    }
    assert lengths == {"Hips": 30, "LeftLeg": 30, "Neck": 2}


def test_a_statue_lasts_as_long_as_its_clip(written):
    skeleton = person()
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (61, len(skeleton), 1))
    glb = written(Clip(skeleton, np.tile([0.0, 1.0, 0.0], (61, 1)), rotations, fps=30))
    check(glb)
    assert len(glb.json["animations"][0]["channels"]) == 1
    times, values = channel_of(glb, 0, "translation")
    assert times == [(0.0,), (2.0,)]
    assert values == [(0.0, 1.0, 0.0)] * 2


def test_extras_keep_what_gltf_has_no_word_for(written):
    clip = replace(CLIPS["person"](), name='Übung "1"')
    animation = written(clip).json["animations"][0]
    assert animation["name"] == 'Übung "1"'
    assert animation["extras"] == {
        "name": 'Übung "1"',
        "fps": 120.0,
        "first": 1,
        "labels": [["turn", 5, 9], ["walk", 1, 30]],
    }


@pytest.mark.parametrize(("joints", "component"), [(256, 5121), (257, 5123)])
def test_joint_numbers_fit_their_type(joints, component, written):
    glb = written(moving(chain(joints), 1))
    attributes = glb.json["meshes"][0]["primitives"][0]["attributes"]
    assert glb.json["accessors"][attributes["JOINTS_0"]]["componentType"] == component
    assert max(j[0] for j in glb.mesh()[0]["JOINTS_0"]) == joints - 2  # the last joint begins no bone


def test_pygltflib_opens_it(tmp_path):
    clip = CLIPS["person"]()
    write_glb(clip, tmp_path / "clip.glb")
    gltf = pygltflib.GLTF2().load(tmp_path / "clip.glb")
    assert [n.name for n in gltf.nodes[: len(clip.skeleton)]] == list(clip.skeleton.names)
    assert gltf.skins[0].joints == list(range(len(clip.skeleton)))
    assert gltf.animations[0].extras["fps"] == 120.0
    assert len(gltf.binary_blob()) == gltf.buffers[0].byteLength


@pytest.mark.parametrize(
    ("clip", "words"),
    [
        (lambda: moving(chain(2**16 + 1), 1), "65537 joints"),
        (lambda: replace(moving(person()), root=np.full((40, 3), 1e39)), "32-bit"),
        (lambda: moving(person(), fps=1e60), "told apart"),
    ],
)
def test_what_cannot_be_written_is_said_and_leaves_nothing(clip, words, tmp_path):
    with pytest.raises(MotionError, match=words):
        write_glb(clip(), tmp_path / "clip.glb")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(MotionError, match="cannot be written"):
        write_glb(CLIPS["one joint"](), tmp_path / "nowhere" / "clip.glb")


@pytest.mark.parametrize("file", ["bvh/16_15.bvh", "asf_amc/16/16_35.amc"])
def test_a_captured_person(file, mocap, written):
    clip = mg.load(mocap / "cmu" / file)
    glb = written(clip)
    check(glb)
    assert glb.json["animations"][0]["extras"]["first"] == clip.first
    for frame in (0, clip.first, len(clip) // 2, len(clip) - 1):
        error = np.abs(glb.positions(frame / clip.fps) - clip.positions()[frame]).max()
        assert error < TENTH_OF_A_MILLIMETRE, (frame, error)
    # The body reaches from the ground to above the highest joint, and no further.
    vertices, _ = glb.skinned((len(clip) // 2) / clip.fps)
    joints = clip.positions()[len(clip) // 2]
    assert joints[:, 1].max() < vertices[:, 1].max() < joints[:, 1].max() + 0.2
    assert np.abs(vertices.min(axis=0) - joints.min(axis=0)).max() < 0.15
