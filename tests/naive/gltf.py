"""A plain evaluation of any animated glTF 2.0 file, node by node, from the specification alone."""

import base64
import json
import math
import struct
from pathlib import Path
from urllib.parse import unquote

import numpy as np

LETTERS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
MOST = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Gltf:
    def __init__(self, path):
        data = Path(path).read_bytes()
        self.folder, block = Path(path).parent, b""
        if data[:4] == b"glTF":
            size = struct.unpack_from("<I", data, 12)[0]
            block = data[28 + size :]
            data = data[20 : 20 + size]
        self.json = json.loads(data)
        self.buffers = [self._content(buffer, block) for buffer in self.json.get("buffers", ())]
        self.parents = {child: n for n, node in enumerate(self.json["nodes"]) for child in node.get("children", ())}

    def _content(self, buffer, block):
        uri = buffer.get("uri")
        if uri is None:
            return block
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        return (self.folder / unquote(uri)).read_bytes()

    def _read(self, view, offset, component, width, count):
        view = self.json["bufferViews"][view]
        letter = LETTERS[component]
        step = view.get("byteStride") or struct.calcsize(letter) * width
        start = view.get("byteOffset", 0) + offset
        content = self.buffers[view["buffer"]]
        return [struct.unpack_from(f"<{width}{letter}", content, start + step * i) for i in range(count)]

    def values(self, number):
        """An accessor as a list of lists of numbers."""
        a = self.json["accessors"][number]
        kind, width, count = a["componentType"], WIDTH[a["type"]], a["count"]
        if "bufferView" in a:
            rows = [list(r) for r in self._read(a["bufferView"], a.get("byteOffset", 0), kind, width, count)]
        else:
            rows = [[0.0] * width for _ in range(count)]
        if "sparse" in a:
            s = a["sparse"]
            i, v = s["indices"], s["values"]
            places = self._read(i["bufferView"], i.get("byteOffset", 0), i["componentType"], 1, s["count"])
            others = self._read(v["bufferView"], v.get("byteOffset", 0), kind, width, s["count"])
            for (place,), row in zip(places, others):
                rows[place] = list(row)
        if a.get("normalized"):
            rows = [[max(x / MOST[kind], -1.0) for x in row] for row in rows]
        return rows

    def tracks(self, animation):
        """(node, path, times, values, interpolation) of every channel that moves a node."""
        a = self.json["animations"][animation]
        found = []
        for channel in a["channels"]:
            target, sampler = channel["target"], a["samplers"][channel["sampler"]]
            if "node" in target and target["path"] in ("translation", "rotation"):
                times = [t for (t,) in self.values(sampler["input"])]
                way = sampler.get("interpolation", "LINEAR")
                found.append((target["node"], target["path"], times, self.values(sampler["output"]), way))
        return found

    def world(self, tracks, time):
        """The 4×4 matrix of every node at a time; scale as the nodes have it."""
        local = {}
        moved = {(node, path): sampled(times, values, way, time) for node, path, times, values, way in tracks}
        for n, node in enumerate(self.json["nodes"]):
            if "matrix" in node:
                local[n] = np.array(node["matrix"], float).reshape(4, 4).T
                if (n, "translation") in moved or (n, "rotation") in moved:
                    raise ValueError("a node with a matrix must not be animated")
                continue
            t = moved.get((n, "translation"), node.get("translation", [0, 0, 0]))
            r = moved.get((n, "rotation"), node.get("rotation", [0, 0, 0, 1]))
            m = np.eye(4)
            m[:3, :3] = turned(r) * np.array(node.get("scale", [1, 1, 1]), float)
            m[:3, 3] = t
            local[n] = m

        def above(n):
            return above(self.parents[n]) @ local[n] if n in self.parents else local[n]

        return {n: above(n) for n in local}


def turned(q):
    length = math.sqrt(sum(x * x for x in q))
    x, y, z, w = (v / length for v in q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def sampled(times, values, way, time):
    """A sampler at a time (appendix C of the specification)."""
    cubic = way == "CUBICSPLINE"
    at = (lambda k: values[3 * k + 1]) if cubic else (lambda k: values[k])
    if time <= times[0] or len(times) == 1:
        return at(0)
    if time >= times[-1]:
        return at(len(times) - 1)
    k = max(i for i, t in enumerate(times) if t <= time)
    span = times[k + 1] - times[k]
    t = (time - times[k]) / span
    a, b = at(k), at(k + 1)
    if way == "STEP":
        return a
    if cubic:
        out, into = values[3 * k + 2], values[3 * (k + 1)]
        return [
            (2 * t**3 - 3 * t**2 + 1) * p + span * (t**3 - 2 * t**2 + t) * m
            + (3 * t**2 - 2 * t**3) * q + span * (t**3 - t**2) * n
            for p, m, q, n in zip(a, out, b, into)
        ]  # fmt: skip
    wa, wb = 1.0 - t, t
    if len(a) == 4:
        a, b = ([x / math.sqrt(sum(y * y for y in q)) for x in q] for q in (a, b))
        dot = sum(x * y for x, y in zip(a, b))
        angle = math.acos(min(abs(dot), 1.0))
        if angle > 1e-4:
            wa, wb = math.sin(wa * angle) / math.sin(angle), math.sin(wb * angle) / math.sin(angle)
        wb = math.copysign(wb, dot)
    return [wa * x + wb * y for x, y in zip(a, b)]
