"""Reading glTF: our own files come back, others are posed as a plain evaluation (naive/gltf.py) poses them, and files
that are wrong are refused with the place that is."""

import base64
import copy
import json
import os
import struct
import warnings
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from bodies import person, random_clip, random_skeleton, smooth_clip
from naive.gltf import Gltf

import motiongraph as mg
from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.formats.collection import find_files
from motiongraph.formats.load import load_clips
from motiongraph.formats.save import save
from motiongraph.model.clip import Clip

HUNDREDTH_OF_A_MM = 1e-5


@pytest.fixture
def rng():
    return np.random.default_rng(18)


# ---- what we write ourselves


def back(clip, folder):
    save(clip, folder / "copy.glb")
    (again,) = load_clips(folder / "copy.glb")
    return again


def test_our_own_files_come_back(tmp_path, rng):
    for body in (person(), random_skeleton(rng, 30)):
        clip = smooth_clip(rng, body, labels=["walk"], first=1)
        again = back(clip, tmp_path)
        assert again.skeleton.names == clip.skeleton.names
        assert np.array_equal(again.skeleton.parents, clip.skeleton.parents)
        assert np.abs(again.positions() - clip.positions()).max() < HUNDREDTH_OF_A_MM
        assert (again.fps, again.first, again.labels.spans()) == (clip.fps, clip.first, clip.labels.spans())
        assert again.offsets is None
        assert (again.name, again.file, again.source.format) == ("copy", str(tmp_path / "copy.glb"), "glb")
        assert (again.source.unit, again.source.unit_from, again.source.up) == ("m", "file", "y")


def test_long_clips_and_odd_rates_come_back(tmp_path, rng):
    for fps, frames in ((120.0, 6000), (59.94, 300), (29.97, 300), (7.5, 40), (30.0, 1), (24.0, 2)):
        clip = smooth_clip(rng, person(), frames, fps)
        again = back(clip, tmp_path)
        assert (again.fps, len(again)) == (fps, frames)
        assert np.abs(again.positions() - clip.positions()).max() < HUNDREDTH_OF_A_MM


def test_sliding_joints_come_back(tmp_path, rng):
    body = person()
    offsets = np.tile(body.offsets, (40, 1, 1))
    offsets[:, 3] *= 1.0 + 0.2 * np.sin(np.arange(40))[:, None]
    clip = random_clip(rng, body, 40, offsets=offsets)
    again = back(clip, tmp_path)
    assert np.abs(again.positions() - clip.positions()).max() < HUNDREDTH_OF_A_MM
    assert np.abs(again.offsets - offsets).max() < HUNDREDTH_OF_A_MM


def test_a_statue_lasts_as_long_as_it_did(tmp_path):
    body = person()
    still = Clip(body, np.ones((50, 3)), np.tile([1.0, 0, 0, 0], (50, len(body), 1)), fps=60.0)
    again = back(still, tmp_path)
    assert (len(again), again.fps) == (50, 60.0)


def test_the_samples_come_back(tmp_path):
    for path in find_files(Path(__file__).parent.parent / "assets" / "samples")[::5]:
        clip = mg.load(path)
        again = back(clip, tmp_path)
        assert np.abs(again.positions() - clip.positions()).max() < HUNDREDTH_OF_A_MM
        assert again.fps == clip.fps


# ---- what others write


class Maker:
    """A glTF document put together by hand."""

    def __init__(self):
        self.gltf = pygltflib.GLTF2(asset=pygltflib.Asset(version="2.0"), scene=0, scenes=[pygltflib.Scene(nodes=[0])])
        self.gltf.animations, self.data = [pygltflib.Animation(name="first")], bytearray()

    def numbers(self, values, kind, dtype="<f4", normalized=False, sparse=None, stride=0):
        """Another accessor; sparse: (places, values) put over them; stride: bytes of every element in its view."""
        component = {"<f4": 5126, "i1": 5120, "u1": 5121, "<i2": 5122, "<u2": 5123}[dtype]
        array = np.ascontiguousarray(values, dtype)
        accessor = pygltflib.Accessor(componentType=component, count=len(array), type=kind, normalized=normalized)
        if stride:
            padded = np.zeros((len(array), stride), np.uint8)
            padded[:, : array.nbytes // len(array)] = array.reshape(len(array), -1).view(np.uint8)
            array = padded
        accessor.bufferView = self.view(array.tobytes(), stride)
        if sparse:
            places, others = sparse
            accessor.sparse = pygltflib.Sparse(
                count=len(places),
                indices=pygltflib.AccessorSparseIndices(
                    bufferView=self.view(np.array(places, "<u2").tobytes()), componentType=5123
                ),
                values=pygltflib.AccessorSparseValues(bufferView=self.view(np.array(others, dtype).tobytes())),
            )
        self.gltf.accessors.append(accessor)
        return len(self.gltf.accessors) - 1

    def view(self, content, stride=0):
        self.data += bytes(-len(self.data) % 4)
        view = pygltflib.BufferView(buffer=0, byteOffset=len(self.data), byteLength=len(content))
        if stride:
            view.byteStride = stride
        self.data += content
        self.gltf.bufferViews.append(view)
        return len(self.gltf.bufferViews) - 1

    def node(self, name, parent=None, **fields):
        self.gltf.nodes.append(pygltflib.Node(name=name, **fields))
        if parent is not None:
            self.gltf.nodes[parent].children.append(len(self.gltf.nodes) - 1)
        return len(self.gltf.nodes) - 1

    def track(self, node, path, times, values, way="LINEAR", animation=0, **options):
        kind = "VEC4" if path == "rotation" else "VEC3"
        animation = self.gltf.animations[animation]
        animation.samplers.append(
            pygltflib.AnimationSampler(
                input=self.numbers(times, "SCALAR"), output=self.numbers(values, kind, **options), interpolation=way
            )
        )
        target = pygltflib.AnimationChannelTarget(node=node, path=path)
        animation.channels.append(pygltflib.AnimationChannel(sampler=len(animation.samplers) - 1, target=target))

    def save(self, path, uri=None):
        self.gltf.buffers = [pygltflib.Buffer(byteLength=len(self.data))]
        if path.suffix == ".glb":
            self.gltf.set_binary_blob(bytes(self.data))
            self.gltf.save_binary(str(path))
            return path
        if uri == "data":
            uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.data)).decode()
        else:
            (path.parent / "numbers with space.bin").write_bytes(self.data)
            uri = "numbers%20with%20space.bin"
        self.gltf.buffers[0].uri = uri
        self.gltf.save_json(str(path))
        return path


def quaternions(rng, n):
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def armature(rng, keys=11, step=1 / 30, way="LINEAR", **options):
    """Blender's layout of a Mixamo character: a turned, scaled armature above joints in centimetres."""
    make = Maker()
    half = np.sqrt(0.5)
    top = make.node("Armature", rotation=[half, 0, 0, half], scale=[0.01] * 3, translation=[0.1, 0.2, 0.3])
    hips = make.node("mixamorig:Hips", top, translation=[0, 0, -98], rotation=[half, 0, 0, -half])
    leg = make.node("mixamorig:LeftUpLeg", hips, translation=[9, -6, 1], rotation=quaternions(rng, 1)[0].tolist())
    matrix = np.eye(4)
    matrix[:3, 3] = [0.0, 41.0, 2.0]
    shin = make.node("mixamorig:LeftLeg", leg, matrix=matrix.T.reshape(-1).tolist())
    foot = make.node("mixamorig:LeftFoot", shin, translation=[0, 40, 0])
    make.node("mixamorig:LeftFoot_end", foot, translation=[0, 12, 6])
    make.gltf.skins = [pygltflib.Skin(joints=[hips, leg, shin, foot])]
    make.gltf.scenes[0].nodes = [top]
    times = 0.5 + np.arange(keys) * step
    each = 3 if way == "CUBICSPLINE" else 1
    make.track(hips, "translation", times, rng.normal([0, 0, -98], 9, (each * keys, 3)), way)
    for node in (hips, leg, foot):
        make.track(node, "rotation", times, quaternions(rng, each * keys), way, **options)
    return make


def off(path, clip, animation=0, frames=None):
    """How far any joint of a clip is from where a plain evaluation of its file puts it, metres."""
    gltf = Gltf(path)
    names = [node.get("name") for node in gltf.json["nodes"]]
    tracks = gltf.tracks(animation)
    start = min(min(times) for _, _, times, _, _ in tracks)
    joints, worst = [names.index(name) for name in clip.skeleton.names], 0.0
    for frame in range(len(clip)) if frames is None else frames:
        world = gltf.world(tracks, start + frame / clip.fps)
        there = np.array([world[j][:3, 3] for j in joints]) * clip.source.scale
        worst = max(worst, np.abs(clip.positions()[frame] - there).max())
    return worst


@pytest.mark.parametrize("name", ["a.glb", "a.gltf", "embedded.gltf", "a.vrm"])
def test_a_turned_and_scaled_armature(tmp_path, rng, name):
    make = armature(rng)
    path = make.save(tmp_path / name.replace("vrm", "glb"), "data" if "embedded" in name else None)
    path = path.rename(tmp_path / name)
    clip = mg.load(path)
    assert clip.skeleton.names[0] == "mixamorig:Hips"
    assert clip.skeleton.names[-1] == "mixamorig:LeftFoot_end", "an end that is no joint of the skin"
    assert (len(clip), clip.fps) == (11, 30.0)
    assert clip.offsets is None
    assert off(path, clip) < HUNDREDTH_OF_A_MM
    legs = clip.skeleton.bone_lengths
    assert legs[2] == pytest.approx(0.01 * np.hypot(41, 2)), "centimetres under a scale of 0.01 are metres"


def test_the_rest_pose_is_the_one_the_nodes_stand_in(tmp_path, rng):
    path = armature(rng).save(tmp_path / "a.gltf")
    gltf = Gltf(path)
    world, names = gltf.world([], 0.0), [node["name"] for node in gltf.json["nodes"]]
    clip = mg.load(path)
    there = np.array([world[names.index(name)][:3, 3] for name in clip.skeleton.names])
    assert np.abs(clip.skeleton.rest - (there - there[0])).max() < 1e-6


@pytest.mark.parametrize("way", ["STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("keys", [1, 2, 9])
def test_other_interpolations(tmp_path, rng, way, keys):
    path = armature(rng, keys, 0.1, way).save(tmp_path / "a.gltf")
    clip = mg.load(path)
    assert clip.fps == 30.0
    assert len(clip) == 3 * (keys - 1) + 1
    # Between keys of STEP a frame must not be taken for the key before it.
    assert off(path, clip, frames=range(len(clip)) if way != "STEP" else range(1, len(clip), 3)) < HUNDREDTH_OF_A_MM


@pytest.mark.parametrize(("dtype", "most", "close"), [("i1", 127, 0.02), ("<i2", 32767, 1e-4)])
def test_normalised_rotations(tmp_path, rng, dtype, most, close):
    make = armature(np.random.default_rng(3))
    exact = mg.load(make.save(tmp_path / "exact.gltf"))
    for sampler in make.gltf.animations[0].samplers[1:]:
        accessor = make.gltf.accessors[sampler.output]
        view = make.gltf.bufferViews[accessor.bufferView]
        values = np.frombuffer(bytes(make.data), "<f4", 44, view.byteOffset).reshape(-1, 4)
        sampler.output = make.numbers(np.round(values * most), "VEC4", dtype, normalized=True)
    path = make.save(tmp_path / "rounded.gltf")
    clip = mg.load(path)
    assert off(path, clip) < HUNDREDTH_OF_A_MM
    assert np.abs(clip.positions() - exact.positions()).max() < close


@pytest.mark.filterwarnings("error")
def test_numbers_that_are_none(tmp_path):
    """0x7fa00000 is a signalling NaN: numpy warns when it is cast."""
    make = armature(np.random.default_rng(3))
    accessor = make.gltf.accessors[make.gltf.animations[0].samplers[1].output]
    place = make.gltf.bufferViews[accessor.bufferView].byteOffset
    make.data[place : place + 4] = b"\x00\x00\xa0\x7f"
    with pytest.raises(FormatError, match="not finite"):
        mg.load(make.save(tmp_path / "nan.gltf"))


def test_sparse_and_strided_numbers(tmp_path, rng):
    others = quaternions(rng, 3)
    path = armature(rng, sparse=([0, 4, 10], others), stride=20).save(tmp_path / "a.gltf")
    assert off(path, mg.load(path)) < HUNDREDTH_OF_A_MM


def test_uneven_scale_and_scale_tracks(tmp_path, rng):
    make = armature(rng)
    make.gltf.nodes[2].scale = [1.0, 1.5, 0.7]
    path = make.save(tmp_path / "a.gltf")
    clip = mg.load(path)
    assert off(path, clip) < HUNDREDTH_OF_A_MM
    assert clip.offsets is not None, "a turning joint below uneven scale leaves its place"
    make = armature(rng)
    make.track(3, "scale", [0.5, 0.8], [[1, 1, 1], [2, 2, 2]])
    path = make.save(tmp_path / "b.gltf")
    with pytest.warns(FormatWarning, match="animates the size of mixamorig:LeftLeg, which is left out"):
        clip = mg.load(path)
    assert clip.source.notes
    assert off(path, clip) < HUNDREDTH_OF_A_MM
    make = armature(rng)
    make.track(3, "scale", [0.5, 0.8], [[1, 1, 1], [1, 1, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mg.load(make.save(tmp_path / "c.gltf"))


def test_several_animations_are_several_clips(tmp_path, rng):
    make = armature(rng)
    make.gltf.animations.append(pygltflib.Animation(name="second"))
    make.track(2, "rotation", [0.0, 1.0, 1.5], quaternions(rng, 3), animation=1)
    path = make.save(tmp_path / "hero.gltf")
    first, second = load_clips(path)
    assert (first.name, second.name) == ("hero_first", "hero_second")
    assert first.skeleton == second.skeleton
    assert (second.fps, len(second)) == (24.0, 37)
    assert off(path, second, 1) < HUNDREDTH_OF_A_MM
    assert [clip.name for clip in mg.load_all(tmp_path)] == ["hero_first", "hero_second"]
    with pytest.warns(FormatWarning, match="holds 2 motions; only hero_first was loaded, not hero_second"):
        assert mg.load(path).name == "hero_first"
    assert mg.load(path, animation="second").name == mg.load(path, animation=1).name == "hero_second"
    with pytest.raises(MotionError, match="there is no animation 'third'; there are hero_first, hero_second"):
        mg.load(path, animation="third")


def test_a_root_that_stands_still_above_the_pelvis_is_left_out(tmp_path, rng):
    make = Maker()
    root = make.node("root")
    pelvis = make.node("pelvis", root, translation=[0, 1, 0])
    spine = make.node("spine", pelvis, translation=[0, 0.3, 0])
    head = make.node("head", spine, translation=[0, 0.3, 0])
    steering = make.node("ik_foot_root", root)
    make.gltf.skins = [pygltflib.Skin(joints=[root, pelvis, spine, head, steering])]
    times = np.arange(5) / 60
    make.track(root, "rotation", times, [[0, 0, 0, 1]] * 5)
    make.track(pelvis, "translation", times, rng.normal(size=(5, 3)))
    make.track(spine, "rotation", times, quaternions(rng, 5))
    path = make.save(tmp_path / "a.glb")
    clip = mg.load(path)
    assert clip.skeleton.names == ("pelvis", "spine", "head")
    assert clip.offsets is None
    assert off(path, clip) < HUNDREDTH_OF_A_MM


def test_nodes_without_a_skin_and_children_before_their_parents(tmp_path, rng):
    make = Maker()
    for name in ("hand", "arm", "body"):
        make.node(name, translation=[0.3, 0.1, 0])
    make.gltf.nodes[2].children, make.gltf.nodes[1].children = [1], [0]
    make.gltf.scenes[0].nodes = [2]
    times = np.arange(7) / 25
    for node in (0, 1, 2):
        make.track(node, "rotation", times, quaternions(rng, 7))
    path = make.save(tmp_path / "a.gltf")
    clip = mg.load(path)
    assert clip.skeleton.names == ("body", "arm", "hand")
    assert clip.fps == 25.0
    assert off(path, clip) < HUNDREDTH_OF_A_MM


def test_two_bodies_are_two_clips_and_a_skin_that_hangs_on_another_is_not(tmp_path, rng):
    make = Maker()
    joints = []
    for who in "ab":
        top = make.node(f"{who} top", translation=[1, 0, 0])
        joints.append([top, make.node(f"{who} end", top, translation=[0, 1, 0])])
    prop = make.node("handle", joints[0][1], translation=[0, 0, 1])
    tip = make.node("tip", prop, translation=[0, 0, 1])
    make.gltf.skins = [pygltflib.Skin(joints=j) for j in (*joints, [tip])]
    make.gltf.scenes[0].nodes = [joints[0][0], joints[1][0]]
    for top, _ in joints:
        make.track(top, "rotation", [0, 0.5, 1.0], quaternions(rng, 3))
    clips = load_clips(make.save(tmp_path / "a.gltf"))
    assert [clip.skeleton.names for clip in clips] == [("a top", "a end", "handle", "tip"), ("b top", "b end")]
    assert [clip.name for clip in clips] == ["a_first", "a_first_2"]


def test_without_animation_the_rest_pose_is_loaded(tmp_path, rng):
    make = armature(rng)
    make.gltf.animations = []
    path = make.save(tmp_path / "a.gltf")
    with pytest.warns(FormatWarning, match="holds no animation of its skeleton; its rest pose was loaded"):
        clip = mg.load(path)
    assert len(clip) == 1
    with pytest.raises(FormatError, match=r"this folder holds no .* file with motion"):
        mg.load_all(tmp_path)


def test_unit_and_axis_can_be_given_and_centimetres_are_seen(tmp_path, rng):
    clip = smooth_clip(rng, person(), 20)
    save(clip, tmp_path / "a.glb")
    doubled = mg.load(tmp_path / "a.glb", units=2.0, up="z")
    x, y, z = np.moveaxis(2.0 * clip.positions(), -1, 0)
    assert np.abs(doubled.positions() - np.stack([x, z, -y], axis=-1)).max() < 1e-5
    assert (doubled.source.unit_from, doubled.source.up, doubled.source.up_from) == ("given", "z", "given")
    body = person()
    large = Clip(mg.Skeleton(body.names, body.parents, body.offsets * 100), clip.root * 100, clip.rotations, clip.fps)
    save(large, tmp_path / "b.glb")
    seen = mg.load(tmp_path / "b.glb")
    assert (seen.source.unit, seen.source.unit_from, seen.source.scale) == ("cm", "guess", 0.01)
    assert np.abs(seen.positions() - clip.positions()).max() < 1e-5
    assert mg.load(tmp_path / "a.glb", fps=60).fps == 60.0


# ---- what is wrong


def document(rng, folder):
    return json.loads(armature(rng).save(folder / "good.gltf", "data").read_text())


WRONG = [
    (["asset"], {"version": "1.0"}, r"is glTF 1.0; only 2.0 is read"),
    (["asset"], None, r"the document: expected 'asset' here"),
    (["nodes", 0, "children", 0], 99, r"nodes\[0\].children\[0\]: expected a whole number, 0 to 5; found 99"),
    (["nodes", 0, "children", 0], -1, r"nodes\[0\].children\[0\]: expected a whole number"),
    (["nodes", 1, "children", 0], 1.5, r"nodes\[1\].children\[0\]: expected a whole number, found 1.5"),
    (["nodes", 4, "children"], [1], r"nodes\[4\].children\[0\]: node 1 is a child of node 0 already"),
    (["nodes", 4, "children"], [5, 0], r"nodes\[\d\]: has more than 500 ancestors, or is its own"),
    (["nodes", 1, "translation"], [1, 2], r"nodes\[1\].translation: expected 3 finite numbers, found \[1, 2\]"),
    (["nodes", 1, "rotation"], [0, 0, 0, 0], r"nodes\[1\].rotation: expected a unit quaternion"),
    (["nodes", 1, "name"], 7, r"nodes\[1\].name: expected a text, found 7"),
    (["nodes", 2], 3, r"nodes\[2\]: expected an object, found 3"),
    (["nodes"], {}, r"nodes: expected an array, found \{\}"),
    (["skins", 0, "joints", 1], 77, r"skins\[0\].joints\[1\]: expected a whole number, 0 to 5; found 77"),
    (["animations", 0, "channels", 0, "sampler"], 44, r"animations\[0\].channels\[0\].sampler: expected"),
    (["animations", 0, "channels", 0, "target", "node"], 44, r"animations\[0\].channels\[0\].target.node: expected"),
    (["animations", 0, "samplers", 0, "interpolation"], "SMOOTH", r"expected STEP, LINEAR or CUBICSPLINE, found"),
    (["animations", 0, "samplers", 0, "interpolation"], "CUBICSPLINE", r"output: expected 33 elements, found 11"),
    (["animations", 0, "samplers", 0, "output"], 2, r"accessors\[2\].type: expected 3 numbers an element, found 'SC"),
    (["accessors", 0, "count"], 12, r"accessors\[0\]: 12 elements of 4 bytes reach past the end of bufferViews\[0\]"),
    (["accessors", 0, "count"], 10**12, r"accessors\[0\].count: expected a whole number"),
    (["accessors", 0, "count"], 0, r"samplers\[0\].input: expected at least one key time"),
    (["accessors", 0, "componentType"], 5130, r"accessors\[0\].componentType: expected a type of number"),
    (["accessors", 0, "bufferView"], None, r"accessors\[0\]: expected a bufferView"),
    (["bufferViews", 0, "byteOffset"], 10**6, r"bufferViews\[0\]: reaches past the end of its buffer"),
    (["bufferViews", 0, "byteStride"], 2, r"bufferViews\[0\].byteStride: expected at least the 4 bytes"),
    (["bufferViews", 0, "buffer"], 3, r"bufferViews\[0\].buffer: expected a whole number, 0 to 0; found 3"),
    (["bufferViews", 0, "extensions"], {"EXT_meshopt_compression": {}}, r"is compressed with meshopt"),
    (["buffers", 0, "byteLength"], 10**6, r"buffers\[0\]: expected 1,000,000 bytes, found"),
    (["buffers", 0, "uri"], "data:application/octet-stream;base64,!!!", r"buffers\[0\].uri: is not base64"),
    (["buffers", 0, "uri"], "../secret.bin", r"expected a file in the folder of this one, found '../secret.bin'"),
    (["buffers", 0, "uri"], "/etc/passwd", r"expected a file in the folder of this one"),
    (["buffers", 0, "uri"], "http://example.org/a.bin", r"expected a file in the folder of this one"),
    (["buffers", 0, "uri"], "gone.bin", r"buffers\[0\].uri: 'gone.bin' cannot be read"),
    (["buffers", 0, "uri"], None, r"buffers\[0\]: expected a uri"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), WRONG)
def test_wrong_documents_are_refused_with_their_place(tmp_path, rng, place, value, sentence):
    wrong = document(rng, tmp_path)
    inside = wrong
    for key in place[:-1]:
        inside = inside[key]
    if value is None:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    (tmp_path / "wrong.gltf").write_text(json.dumps(wrong))
    with pytest.raises(FormatError, match=sentence) as problem:
        mg.load(tmp_path / "wrong.gltf")
    assert "\n" not in str(problem.value)


def test_times_that_do_not_rise_and_motion_that_is_too_long(tmp_path, rng):
    for times, sentence in (
        ([0.0, 0.2, 0.2], "input: expected key times that rise from each to the next"),
        ([0.0, np.nan, 0.2], "holds a number that is not finite"),
        ([0.0, 1.0, 1e9], "frames of 5 joints are too many for this file"),
    ):
        make = armature(rng)
        make.track(3, "translation", times, rng.normal(size=(3, 3)))
        path = make.save(tmp_path / "a.gltf")
        with pytest.raises(FormatError, match=sentence):
            mg.load(path)


def test_containers_that_are_cut_short_or_no_gltf(tmp_path, rng):
    whole = armature(rng).save(tmp_path / "a.glb").read_bytes()
    for content, sentence in (
        (whole[:-9], "is cut short: "),
        (whole[:15], "is cut short after 15 bytes"),
        (whole[:4] + struct.pack("<I", 1) + whole[8:], "is a GLB of version 1; only 2 is read"),
        (whole[:12] + struct.pack("<I", 2**31) + whole[16:], "reaches past the end"),
        (whole[:16] + b"JUNK" + whole[20:], "holds no JSON block"),
        (b"", "its JSON cannot be read"),
        (b"[1, NaN]", "its JSON cannot be read: NaN is not a number"),
        (b"[" * 100_000, "its JSON cannot be read"),
        (b"\xff\xfe", "its JSON cannot be read"),
        (b'{"asset": {"version": "2.0"}}', "holds no skeleton"),
    ):
        (tmp_path / "b.glb").write_bytes(content)
        with pytest.raises(FormatError, match=sentence):
            mg.load(tmp_path / "b.glb")


def test_nothing_a_file_says_raises_anything_else(tmp_path, rng):
    """Values of a good document exchanged at random: it is read, or refused in one sentence."""
    good = document(rng, tmp_path)
    good["buffers"][0]["uri"] = "good.bin"
    (tmp_path / "good.bin").write_bytes(base64.b64decode(document(rng, tmp_path)["buffers"][0]["uri"].split(",")[1]))
    odd = [None, -1, 0, 1, 2, 3, 1e308, 10**40, "", "x", [], {}, [0], True, 5126, 0.5, [[1]], {"a": 1}]
    read = refused = 0
    for _ in range(600):
        wrong = copy.deepcopy(good)
        inside = wrong
        while True:
            keys = list(inside) if isinstance(inside, dict) else range(len(inside))
            key = list(keys)[rng.integers(len(keys))]
            if not isinstance(inside[key], dict | list) or not inside[key] or rng.random() < 0.15:
                inside[key] = odd[rng.integers(len(odd))]
                break
            inside = inside[key]
        (tmp_path / "wrong.gltf").write_text(json.dumps(wrong))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FormatWarning)
                load_clips(tmp_path / "wrong.gltf")
            read += 1
        except MotionError as problem:
            refused += "wrong.gltf: " in str(problem)
    assert read + refused == 600
    assert min(read, refused) > 60


# ---- Khronos' samples, which stay outside the project: clone KhronosGroup/glTF-Sample-Assets and name the folder


@pytest.mark.skipif("MOTIONGRAPH_GLTF_SAMPLES" not in os.environ, reason="no folder of Khronos' samples")
@pytest.mark.parametrize("model", ["CesiumMan", "Fox", "RiggedFigure", "RiggedSimple", "BrainStem", "SimpleSkin"])
def test_khronos_samples(model):
    folder = Path(os.environ["MOTIONGRAPH_GLTF_SAMPLES"]) / "Models" / model
    files = [file for kind in ("glTF", "glTF-Binary", "glTF-Embedded") for file in (folder / kind).glob("*.gl*")]
    assert files
    for file in files:
        gltf = Gltf(file)
        nodes = gltf.json["nodes"]
        for number, node in enumerate(nodes):
            node.setdefault("name", f"node {number}")
        clips = load_clips(file, units=1.0)
        assert len(clips) == len(gltf.json["animations"])
        for number, clip in enumerate(clips):
            tracks = gltf.tracks(number)
            start = min(min(times) for _, _, times, _, _ in tracks)
            joints = [[n["name"] for n in nodes].index(name) for name in clip.skeleton.names]
            size = np.ptp(clip.positions()[0], axis=0).max()
            for frame in range(0, len(clip), max(len(clip) // 8, 1)):
                world = gltf.world(tracks, start + frame / clip.fps)
                there = np.array([world[j][:3, 3] for j in joints])
                # A key may lie up to a fiftieth of a frame beside its frame.
                assert np.abs(clip.positions()[frame] - there).max() < 2e-4 * size, (file, frame)
