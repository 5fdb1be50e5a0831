"""Writing clips as glTF 2.0 binary (.glb): the skeleton, the skin of the body, and the motion.

The container is two length-prefixed blocks, JSON and numbers (glTF 2.0, section 4), so it is written with json
and struct: a library of glTF objects would still leave the packing of the numbers, which is the work, to us.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.model.body_surface import BodySurface, body_surface
from motiongraph.model.clip import Clip

# Numbers that the format itself gives to component types and to what a piece of the buffer is for.
_COMPONENT = {"u1": 5121, "u2": 5123, "u4": 5125, "f4": 5126}
_VERTICES, _INDICES = 34962, 34963

# A track that moves no more than this (metres, or parts of a unit quaternion) is still: below what float32 holds.
_STILL = 1e-7


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

    Node i is joint i, unturned at rest; the skin is bound in the pose that it was modelled in.
    The animation's `extras` keep what glTF has no word for: fps, first, and labels as [word, start, stop].
    """
    write_glb_together([clip], path)


def write_glb_together(clips: Sequence[Clip], path) -> None:
    """Write clips of one skeleton to `path`, each on a body of its own, all in one animation: they play together.

    The joints of several stand under a node with the name of their clip.
    """
    numbers, first = _Numbers(), clips[0]
    joints = len(first.skeleton)
    if joints > 2**16:
        raise MotionError(f"clip {first.name!r} has {joints} joints; a .glb file can skin no more than 65536")
    skeleton = first.skeleton
    if first.offsets is not None:  # joints that slide: bones as long as they are when the motion begins
        skeleton = replace(skeleton, offsets=first.offsets[first.first])
    surface = body_surface(skeleton, first)
    bind = numbers.add(_inverse_bind(surface), "MAT4")
    nodes, skins, tops = [], [], []
    for number, clip in enumerate(clips):
        root = len(nodes)
        skin = {"joints": list(range(root, root + joints)), "skeleton": root, "inverseBindMatrices": bind}
        skins.append(skin)
        # The skinned node stands beside the skeleton: only joints may move it (glTF 2.0, section 3.7.3.3).
        nodes += [*_nodes(clip.skeleton, root), {"name": "body", "mesh": 0, "skin": number}]
        if len(clips) > 1:
            nodes.append({"name": clip.name, "children": [root]})
        tops += [len(nodes) - 1, root + joints] if len(clips) > 1 else [root, root + joints]
    document = {
        "asset": {"version": "2.0", "generator": "motiongraph"},
        "scene": 0,
        "scenes": [{"name": first.name, "nodes": tops}],
        "nodes": nodes,
        "skins": skins,
        "meshes": [{"name": "body", "primitives": [_body(surface, numbers)]}],
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
        "animations": [_animation(clips, [skin["skeleton"] for skin in skins], numbers)],
        "accessors": numbers.accessors,
        "bufferViews": numbers.views,
        "buffers": [{"byteLength": numbers.size}],
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + numbers.size
    if size >= 2**32:
        raise MotionError(f"clip {first.name!r} is too long for a .glb file, which holds no more than 4 GiB")
    with writing(path) as file:
        file.write(struct.pack("<4sII", b"glTF", 2, size))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", numbers.size, b"BIN\0"))
        for block in numbers.blocks:
            file.write(block)


def _nodes(skeleton, first):
    """The joints, as nodes numbered from `first`."""
    nodes = []
    for name, offset, children in zip(skeleton.names, skeleton.offsets.tolist(), skeleton.children):
        node = {"name": name}
        if nodes:  # the root stands where the clip puts it
            node["translation"] = offset
        if children:
            node["children"] = [first + child for child in children]
        nodes.append(node)
    return nodes


def _inverse_bind(surface: BodySurface) -> np.ndarray:
    """(J, 16) column by column: from the bind pose into each joint's own axes."""
    matrices, turns = np.zeros((len(surface.skeleton), 4, 4)), rot.to_matrix(surface.pose.orientations)
    matrices[:, :3, :3], matrices[:, 3, 3] = turns, 1.0  # stored by columns, which transposes: the inverse of a turn
    matrices[:, 3, :3] = -np.einsum("jki,jk->ji", turns, surface.pose.positions)
    return matrices.reshape(-1, 16)


def _body(surface: BodySurface, numbers: _Numbers) -> dict[str, Any]:
    """The finest skin in the bind pose, each vertex moved by up to four joints."""
    skin = surface.levels[0]
    weights = skin.weights / skin.weights.sum(axis=1, keepdims=True)
    joints = np.where(weights > 0.0, skin.joints, 0)
    # 65535 itself is no vertex number in 16 bits (it restarts strips), so it needs 32.
    size = "u2" if len(skin.positions) < 2**16 else "u4"
    return {
        "attributes": {
            "POSITION": numbers.add(skin.positions, "VEC3", target=_VERTICES, bounds=True),
            "NORMAL": numbers.add(skin.normals, "VEC3", target=_VERTICES),
            "JOINTS_0": numbers.add(joints, "VEC4", "u1" if len(surface.skeleton) <= 2**8 else "u2", _VERTICES),
            "WEIGHTS_0": numbers.add(weights, "VEC4", target=_VERTICES),
        },
        "indices": numbers.add(skin.triangles.reshape(-1), "SCALAR", size, _INDICES),
        "material": 0,
    }


def _animation(clips: Sequence[Clip], roots: Sequence[int], numbers: _Numbers) -> dict[str, Any]:
    """Tracks for the root's place, for each joint that turns and for each that slides, sampled at every frame; roots:
    the node of each clip's root.

    What stays still keeps its two ends, or nothing where the rest pose says it already; the root's place is
    always there, so that even a statue lasts as long as its clip.
    """
    clip = clips[0]
    seconds = (np.arange(len(clip)) / clip.fps).astype("f4")
    if (np.diff(seconds) <= 0.0).any():
        raise MotionError(
            f"clip {clip.name!r}: {len(clip)} frames at {clip.fps:g} Hz cannot be told apart in the 32-bit seconds "
            "of a .glb file"
        )
    ends = [0, -1] if len(clip) > 1 else [0]
    samplers, channels, inputs = [], [], {}

    def track(node, path, values, rest=None):
        still = np.ptp(values, axis=0).max() <= _STILL
        if still and rest is not None and np.abs(values[0] - rest).max() <= _STILL:
            return
        if still:
            values = values[ends]
        if len(values) not in inputs:
            times = seconds[ends] if still else seconds
            inputs[len(values)] = numbers.add(times, "SCALAR", bounds=True)
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        output = numbers.add(values, f"VEC{values.shape[1]}")
        samplers.append({"input": inputs[len(values)], "output": output, "interpolation": "LINEAR"})

    for each, root in zip(clips, roots):
        track(root, "translation", each.root)
        for joint in range(len(each.skeleton)):
            q = rot.continuous(rot.normalized(each.rotations[:, joint]))
            q = q if q[0, 0] >= 0.0 else -q
            track(root + joint, "rotation", q[:, [1, 2, 3, 0]], rest=[0.0, 0.0, 0.0, 1.0])
            if joint and each.offsets is not None:
                track(root + joint, "translation", each.offsets[:, joint], rest=each.skeleton.offsets[joint])
    extras = {"name": clip.name, "fps": clip.fps, "first": clip.first, "labels": clip.labels.spans()}
    return {"name": clip.name, "channels": channels, "samplers": samplers, "extras": extras}
