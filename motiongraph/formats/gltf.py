"""Writing a clip as glTF 2.0 binary (.glb): its skeleton, a capsule body skinned to it, and its motion.

The container is two length-prefixed blocks, JSON and numbers (glTF 2.0, section 4), so it is written with json
and struct: a library of glTF objects would still leave the packing of the numbers, which is the work, to us.
"""

import json
import struct
from dataclasses import dataclass, replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.model.body import Body, body_of
from motiongraph.model.clip import Clip

# Numbers that the format itself gives to component types and to what a piece of the buffer is for.
_COMPONENT = {"u1": 5121, "u2": 5123, "u4": 5125, "f4": 5126}
_VERTICES, _INDICES = 34962, 34963

# A track that moves no more than this (metres, or parts of a unit quaternion) is still: below what float32 holds.
_STILL = 1e-7
SIDES = 12  # vertices around a capsule
RINGS = 3  # circles of each rounded end, the last of them where the straight part begins


@dataclass(frozen=True, eq=False)
class Skin:
    """positions: (V, 3) metres and normals: (V, 3), both in the axes of each vertex's joint; joints: (V,) int;
    triangles: (T, 3) vertex numbers, counter-clockwise seen from outside."""

    positions: np.ndarray
    normals: np.ndarray
    joints: np.ndarray
    triangles: np.ndarray


def mesh_of(body: Body) -> Skin:
    """All capsules at once: a sphere's surface, cut where the cone between both ends touches them tangentially,
    its lower part around the start and its upper around the end. Normals are those of the exact surface."""
    axis = body.ends - body.starts
    length = np.linalg.norm(axis, axis=1)
    axis = np.where(length[:, None] > 0.0, axis / np.maximum(length, 1e-300)[:, None], [0.0, 1.0, 0.0])
    # Sine of the cone's slope. Where one end holds the other there is no cone: stay short of the pole.
    slope = (body.radii[:, 0] - body.radii[:, 1]) / np.maximum(length, 1e-9)
    seam = np.arcsin(np.clip(slope, -0.9, 0.9))
    part = np.arange(1, RINGS + 1) / RINGS
    lower = -np.pi / 2 + (seam[:, None] + np.pi / 2) * part
    upper = np.pi / 2 - (np.pi / 2 - seam[:, None]) * part[::-1]
    latitude = np.concatenate([lower, upper], axis=1)[:, :, None, None]
    around = np.arange(SIDES) * (2 * np.pi / SIDES)
    least = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    side = np.cross(axis, least)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    front = np.cross(axis, side)
    circle = np.cos(around)[:, None] * side[:, None] + np.sin(around)[:, None] * front[:, None]
    rings = np.cos(latitude) * circle[:, None] + np.sin(latitude) * axis[:, None, None]
    normals = np.concatenate([-axis[:, None], rings.reshape(len(body), -1, 3), axis[:, None]], axis=1)
    half = 1 + RINGS * SIDES
    positions = normals * np.repeat(body.radii, half, axis=1)[..., None]
    positions += np.repeat(np.stack([body.starts, body.ends], axis=1), half, axis=1)
    triangles = _triangles()[None] + np.arange(len(body))[:, None, None] * (2 * half)
    joints = np.repeat(body.joints, 2 * half)
    return Skin(positions.reshape(-1, 3), normals.reshape(-1, 3), joints, triangles.reshape(-1, 3))


def _triangles():
    """(T, 3) of one capsule: the pole at the start, 2·RINGS circles, the pole at the end."""
    here = np.arange(SIDES)
    after = (here + 1) % SIDES
    first, last = 1, 1 + (2 * RINGS - 1) * SIDES
    pieces = [np.stack([np.zeros_like(here), first + after, first + here], axis=1)]
    for start in range(first, last, SIDES):
        low, low_after, high, high_after = start + here, start + after, start + SIDES + here, start + SIDES + after
        pieces += [np.stack([low, low_after, high_after], axis=1), np.stack([low, high_after, high], axis=1)]
    pieces.append(np.stack([last + here, last + after, np.full(SIDES, last + SIDES)], axis=1))
    return np.concatenate(pieces)


class _Numbers:
    """The binary block as it grows, with the `bufferViews` and `accessors` that describe it."""

    def __init__(self):
        self.blocks, self.views, self.accessors, self.size = [], [], [], 0

    def add(self, array, kind, dtype="f4", target=None, bounds=False) -> int:
        """Append an array (n,) or (n, k) as accessor type `kind` ("SCALAR", "VEC3", …); returns its number."""
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(array, np.dtype(dtype).newbyteorder("<"))
        if not np.isfinite(array).all():
            raise MotionError("the clip holds a number that does not fit the 32-bit floats of a .glb file")
        view = {"buffer": 0, "byteOffset": self.size, "byteLength": array.nbytes}
        accessor = {
            "bufferView": len(self.views),
            "componentType": _COMPONENT[dtype],
            "count": len(array),
            "type": kind,
        }
        if target:
            view["target"] = target
        if bounds:
            accessor["min"] = np.atleast_1d(array.min(axis=0)).tolist()
            accessor["max"] = np.atleast_1d(array.max(axis=0)).tolist()
        assert array.nbytes % 4 == 0, "each piece must end where the next may begin"
        self.blocks.append(array)
        self.views.append(view)
        self.accessors.append(accessor)
        self.size += array.nbytes
        return len(self.accessors) - 1


def write_glb(clip: Clip, path) -> None:
    """Write `clip` to `path`; joint names, hierarchy, rest pose and every frame are the clip's own.

    Node i is joint i, unturned at rest, so a bone's mesh needs no more than the joint's place to be bound.
    The animation's `extras` keep what glTF has no word for: fps, first, and labels as [word, start, stop].
    """
    numbers = _Numbers()
    joints = len(clip.skeleton)
    skin = {
        "joints": list(range(joints)),
        "skeleton": 0,
        "inverseBindMatrices": numbers.add(_inverse_bind(clip.skeleton), "MAT4"),
    }
    document = {
        "asset": {"version": "2.0", "generator": "motiongraph"},
        "scene": 0,
        # The skinned node stands beside the skeleton: only joints may move it (glTF 2.0, section 3.7.3.3).
        "scenes": [{"name": clip.name, "nodes": [0, joints]}],
        "nodes": [*_nodes(clip.skeleton), {"name": "capsule body", "mesh": 0, "skin": 0}],
        "skins": [skin],
        "meshes": [{"name": "capsule body", "primitives": [_body(clip, numbers)]}],
        "materials": [
            {
                "name": "body",
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.42, 0.55, 0.72, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.6,
                },
            }
        ],
        "animations": [_animation(clip, numbers)],
        "accessors": numbers.accessors,
        "bufferViews": numbers.views,
        "buffers": [{"byteLength": numbers.size}],
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + numbers.size
    if size >= 2**32:
        raise MotionError(f"clip {clip.name!r} is too long for a .glb file, which holds no more than 4 GiB")
    with writing(path) as file:
        file.write(struct.pack("<4sII", b"glTF", 2, size))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", numbers.size, b"BIN\0"))
        for block in numbers.blocks:
            file.write(block)


def _nodes(skeleton):
    nodes = []
    for name, offset, children in zip(skeleton.names, skeleton.offsets.tolist(), skeleton.children):
        node = {"name": name}
        if nodes:  # the root stands where the clip puts it
            node["translation"] = offset
        if children:
            node["children"] = list(children)
        nodes.append(node)
    return nodes


def _inverse_bind(skeleton):
    """(J, 16) column by column: from the rest pose into each joint's axes, which are parallel to the world's."""
    matrices = np.tile(np.eye(4).reshape(-1), (len(skeleton), 1))
    matrices[:, 12:15] = -skeleton.rest
    return matrices


def _body(clip, numbers):
    """The mesh of the body in the rest pose, each vertex moved by one joint alone."""
    skeleton = clip.skeleton
    if len(skeleton) > 2**16:
        raise MotionError(f"clip {clip.name!r} has {len(skeleton)} joints; a .glb file can skin no more than 65536")
    if clip.offsets is not None:  # joints that slide: bones as long as they are when the motion begins
        skeleton = replace(skeleton, offsets=clip.offsets[clip.first])
    mesh = mesh_of(body_of(skeleton))
    joints, weights = np.zeros((2, len(mesh.joints), 4))
    joints[:, 0], weights[:, 0] = mesh.joints, 1.0
    positions = mesh.positions + clip.skeleton.rest[mesh.joints]
    return {
        "attributes": {
            "POSITION": numbers.add(positions, "VEC3", target=_VERTICES, bounds=True),
            "NORMAL": numbers.add(mesh.normals, "VEC3", target=_VERTICES),
            "JOINTS_0": numbers.add(joints, "VEC4", "u1" if len(skeleton) <= 2**8 else "u2", _VERTICES),
            "WEIGHTS_0": numbers.add(weights, "VEC4", target=_VERTICES),
        },
        # 65535 itself is no vertex number in 16 bits (it restarts strips), so it needs 32.
        "indices": numbers.add(
            mesh.triangles.reshape(-1), "SCALAR", "u2" if len(mesh.joints) < 2**16 else "u4", _INDICES
        ),
        "material": 0,
    }


def _animation(clip, numbers):
    """A track for the root's place, for each joint that turns and for each that slides, sampled at every frame.

    What stays still keeps its two ends, or nothing where the rest pose says it already; the root's place is
    always there, so that even a statue lasts as long as its clip.
    """
    seconds = (np.arange(len(clip)) / clip.fps).astype("f4")
    if (np.diff(seconds) <= 0.0).any():
        raise MotionError(
            f"clip {clip.name!r}: {len(clip)} frames at {clip.fps:g} Hz cannot be told apart in the 32-bit seconds "
            "of a .glb file"
        )
    ends = [0, -1] if len(clip) > 1 else [0]
    samplers, channels, inputs = [], [], {}

    def track(joint, path, values, rest=None):
        still = np.ptp(values, axis=0).max() <= _STILL
        if still and rest is not None and np.abs(values[0] - rest).max() <= _STILL:
            return
        if still:
            values = values[ends]
        if len(values) not in inputs:
            times = seconds[ends] if still else seconds
            inputs[len(values)] = numbers.add(times, "SCALAR", bounds=True)
        channels.append({"sampler": len(samplers), "target": {"node": joint, "path": path}})
        output = numbers.add(values, f"VEC{values.shape[1]}")
        samplers.append({"input": inputs[len(values)], "output": output, "interpolation": "LINEAR"})

    track(0, "translation", clip.root)
    for joint in range(len(clip.skeleton)):
        q = rot.continuous(rot.normalized(clip.rotations[:, joint]))
        q = q if q[0, 0] >= 0.0 else -q
        track(joint, "rotation", q[:, [1, 2, 3, 0]], rest=[0.0, 0.0, 0.0, 1.0])
        if joint and clip.offsets is not None:
            track(joint, "translation", clip.offsets[:, joint], rest=clip.skeleton.offsets[joint])
    extras = {"name": clip.name, "fps": clip.fps, "first": clip.first, "labels": clip.labels.spans()}
    return {"name": clip.name, "channels": channels, "samplers": samplers, "extras": extras}
