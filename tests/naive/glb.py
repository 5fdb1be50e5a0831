"""A plain reader of .glb files and the rules they must keep, from the glTF 2.0 specification alone."""

import json
import math
import struct
from itertools import pairwise

import numpy as np

COMPONENTS = {5121: ("B", 1), 5123: ("H", 2), 5125: ("I", 4), 5126: ("f", 4)}
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A file's JSON and its accessors as lists of tuples, and the scene posed by hand."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        assert size % 4 == 0
        self.json = json.loads(data[20 : 20 + size].decode("utf-8"))
        block, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0"
        assert block % 4 == 0
        self.binary = data[28 + size :]
        assert len(self.binary) == block
        self.values = [self._read(a) for a in self.json["accessors"]]

    def _read(self, accessor):
        letter, _ = COMPONENTS[accessor["componentType"]]
        width, count = WIDTH[accessor["type"]], accessor["count"]
        start = self.json["bufferViews"][accessor["bufferView"]]["byteOffset"] + accessor.get("byteOffset", 0)
        flat = struct.unpack_from(f"<{width * count}{letter}", self.binary, start)
        return [flat[i : i + width] for i in range(0, len(flat), width)]

    def locals_at(self, time):
        """Translation and rotation (x y z w) of every node at a time; None leaves the animation out."""
        local = [[n.get("translation", (0, 0, 0)), n.get("rotation", (0, 0, 0, 1))] for n in self.json["nodes"]]
        animation = self.json["animations"][0]
        for channel in animation["channels"] if time is not None else ():
            sampler = animation["samplers"][channel["sampler"]]
            value = sample(self.values[sampler["input"]], self.values[sampler["output"]], time)
            local[channel["target"]["node"]][("translation", "rotation").index(channel["target"]["path"])] = value
        return local

    def globals_at(self, time):
        """4×4 matrices of all nodes, children below their parents."""
        local, world = self.locals_at(time), {}
        waiting = [(node, np.eye(4)) for node in self.json["scenes"][0]["nodes"]]
        while waiting:
            node, above = waiting.pop()
            world[node] = above @ matrix(*local[node])
            waiting += [(child, world[node]) for child in self.json["nodes"][node].get("children", ())]
        return world

    def positions(self, time):
        world = self.globals_at(time)
        return np.array([world[j][:3, 3] for j in self.json["skins"][0]["joints"]])

    def mesh(self):
        primitive = self.json["meshes"][0]["primitives"][0]
        return {k: self.values[v] for k, v in primitive["attributes"].items()}, self.values[primitive["indices"]]

    def skinned(self, time):
        """Vertices and normals in the world, by the skinning equation of section 3.7.3.1."""
        world, skin = self.globals_at(time), self.json["skins"][0]
        bind = [np.array(m).reshape(4, 4).T for m in self.values[skin["inverseBindMatrices"]]]
        move = [world[j] @ bind[k] for k, j in enumerate(skin["joints"])]
        mesh, _ = self.mesh()
        vertices, normals = [], []
        for place, normal, joints, weights in zip(*(mesh[k] for k in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0"))):
            m = sum(w * move[j] for j, w in zip(joints, weights))
            vertices.append(m[:3, :3] @ place + m[:3, 3])
            normals.append(m[:3, :3] @ normal)
        return np.array(vertices), np.array(normals)


def sample(times, values, time):
    """A LINEAR sampler (appendix C of the specification): held at both ends, slerp for quaternions."""
    times = [t for (t,) in times]
    if time <= times[0] or len(times) == 1:
        return values[0]
    if time >= times[-1]:
        return values[-1]
    k = max(i for i, t in enumerate(times) if t <= time)
    t = (time - times[k]) / (times[k + 1] - times[k])
    a, b = values[k], values[k + 1]
    wa, wb = 1.0 - t, t
    if len(a) == 4:
        dot = sum(x * y for x, y in zip(a, b))
        angle = math.acos(min(abs(dot), 1.0))
        if angle > 1e-3:
            wa, wb = math.sin(wa * angle) / math.sin(angle), math.sin(wb * angle) / math.sin(angle)
        wb = math.copysign(wb, dot)
    return [wa * x + wb * y for x, y in zip(a, b)]


def matrix(translation, rotation):
    x, y, z, w = rotation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), translation[0]],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), translation[1]],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), translation[2]],
            [0, 0, 0, 1],
        ]
    )


def check(glb):
    """What the specification asks of the parts we write, rule by rule (the Khronos validator's errors)."""
    g = glb.json
    assert g["asset"]["version"] == "2.0"
    assert len(g["buffers"]) == 1
    assert g["buffers"][0]["byteLength"] <= len(glb.binary) <= g["buffers"][0]["byteLength"] + 3
    used, targets = set(), {}

    def use(accessor, kind, components, target=None, bounds=False):
        used.add(accessor)
        a = g["accessors"][accessor]
        assert a["type"] == kind
        assert a["componentType"] in components
        assert targets.setdefault(a["bufferView"], target) == target
        assert a["count"] >= 1
        assert not bounds or ("min" in a and "max" in a)
        return glb.values[accessor]

    for accessor, values in zip(g["accessors"], glb.values):
        view = g["bufferViews"][accessor["bufferView"]]
        size = COMPONENTS[accessor["componentType"]][1]
        assert (accessor.get("byteOffset", 0) + view["byteOffset"]) % size == 0
        assert accessor.get("byteOffset", 0) + size * WIDTH[accessor["type"]] * accessor["count"] <= view["byteLength"]
        assert view["byteOffset"] + view["byteLength"] <= g["buffers"][0]["byteLength"]
        assert all(math.isfinite(x) for v in values for x in v)
        if "min" in accessor:
            assert accessor["min"] == [min(v[k] for v in values) for k in range(WIDTH[accessor["type"]])]
            assert accessor["max"] == [max(v[k] for v in values) for k in range(WIDTH[accessor["type"]])]

    # Nodes form a forest, and the scene lists its roots.
    children = [c for n in g["nodes"] for c in n.get("children", ())]
    assert len(children) == len(set(children))
    roots = g["scenes"][g["scene"]]["nodes"]
    assert sorted([*children, *roots]) == list(range(len(g["nodes"])))
    assert all("children" not in n or n["children"] for n in g["nodes"])

    # The skinned node is a root of the scene without a transform of its own; the skeleton's root holds all joints.
    (skinned,) = [i for i, n in enumerate(g["nodes"]) if "mesh" in n]
    assert skinned in roots
    assert set(g["nodes"][skinned]) <= {"name", "mesh", "skin"}
    skin = g["skins"][g["nodes"][skinned]["skin"]]
    assert len(set(skin["joints"])) == len(skin["joints"])
    below = [skin["skeleton"]]
    for node in below:
        below += g["nodes"][node].get("children", ())
    assert set(skin["joints"]) <= set(below)
    bind = use(skin["inverseBindMatrices"], "MAT4", {5126})
    assert len(bind) >= len(skin["joints"])
    assert all((m[3], m[7], m[11], m[15]) == (0, 0, 0, 1) for m in bind)

    (primitive,) = g["meshes"][g["nodes"][skinned]["mesh"]]["primitives"]
    attributes = primitive["attributes"]
    places = use(attributes["POSITION"], "VEC3", {5126}, 34962, bounds=True)
    normals = use(attributes["NORMAL"], "VEC3", {5126}, 34962)
    joints = use(attributes["JOINTS_0"], "VEC4", {5121, 5123}, 34962)
    weights = use(attributes["WEIGHTS_0"], "VEC4", {5126}, 34962)
    assert len(places) == len(normals) == len(joints) == len(weights)
    assert all(abs(math.hypot(*n) - 1) < 5e-4 for n in normals)
    assert all(abs(sum(w) - 1) < 2e-7 and min(w) >= 0 for w in weights)
    assert all(j < len(skin["joints"]) for quad in joints for j in quad)
    assert all(j == 0 for js, ws in zip(joints, weights) for j, w in zip(js, ws) if w == 0)
    assert all(len({j for j, w in zip(js, ws) if w}) == sum(w > 0 for w in ws) for js, ws in zip(joints, weights))
    triangles = use(primitive["indices"], "SCALAR", {5121, 5123, 5125}, 34963)
    assert len(triangles) % 3 == 0
    highest = {5121: 2**8 - 1, 5123: 2**16 - 1, 5125: 2**32 - 1}
    assert max(triangles)[0] < min(len(places), highest[g["accessors"][primitive["indices"]]["componentType"]])
    assert primitive["material"] < len(g["materials"])

    (animation,) = g["animations"]
    assert animation["channels"]
    aims = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
    assert len(aims) == len(set(aims))
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        assert sampler["interpolation"] == "LINEAR"
        times = use(sampler["input"], "SCALAR", {5126}, bounds=True)
        assert times[0][0] >= 0
        assert all(a < b for a, b in pairwise(times))
        turns = channel["target"]["path"] == "rotation"
        values = use(sampler["output"], "VEC4" if turns else "VEC3", {5126})
        assert len(values) == len(times)
        assert not turns or all(abs(math.hypot(*q) - 1) < 1e-6 for q in values)
    assert {c["sampler"] for c in animation["channels"]} == set(range(len(animation["samplers"])))
    assert used == set(range(len(g["accessors"])))
    assert set(targets) == set(range(len(g["bufferViews"])))
    for view, target in targets.items():
        assert g["bufferViews"][view].get("target") == target
