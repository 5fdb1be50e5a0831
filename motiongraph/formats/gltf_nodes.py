"""The nodes of a glTF document, which of them form bodies, and how its animations move them."""

from dataclasses import dataclass

import numpy as np

from motiongraph import rotations as rot
from motiongraph.formats.gltf_file import MOST_BYTES, GltfFile, Item
from motiongraph.formats.scanner import quoted

_MOST, _DEEPEST = 20_000, 500  # nodes of a document, and how deep they may be nested
_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}


@dataclass(frozen=True)
class Nodes:
    """N nodes as the document lists them, with their transforms when nothing is animated."""

    names: list[str]
    parents: np.ndarray  # (N,), −1 for those at the top
    translations: np.ndarray  # (N, 3)
    rotations: np.ndarray  # (N, 4) unit quaternions, w x y z
    scales: np.ndarray  # (N, 3)
    shown: np.ndarray  # (N,) bool: carries a mesh or a camera, so that it is more than a joint

    @classmethod
    def of(cls, file: GltfFile) -> "Nodes":
        items = file.document.array("nodes")
        if len(items) > _MOST:
            raise file.document["nodes"].error(f"{len(items):,} nodes are more than the {_MOST:,} that are read")
        parents = np.full(len(items), -1)
        for number, item in enumerate(items):
            for child in item.array("children"):
                below = child.as_whole(len(items))
                if parents[below] >= 0:
                    raise child.error(f"node {below} is a child of node {parents[below]} already")
                parents[below] = number
        transforms = [_transform(item) for item in items]
        shown = np.array([any(key in item for key in ("mesh", "camera")) for item in items], bool)
        names = [item.text("name") or f"node {number}" for number, item in enumerate(items)]
        places, turns, scales = (np.array([t[k] for t in transforms]).reshape(-1, w) for k, w in enumerate((3, 4, 3)))
        nodes = cls(names, parents, places, turns, scales, shown)
        for number, item in enumerate(items):
            if len(nodes.above(number)) > _DEEPEST:
                raise item.error(f"has more than {_DEEPEST} ancestors, or is its own")
        return nodes

    def above(self, node: int) -> list[int]:
        """The node and its ancestors, upwards, as far as nodes may be nested."""
        chain = []
        while node >= 0 and len(chain) <= _DEEPEST:
            chain.append(node)
            node = int(self.parents[node])
        return chain

    def top_of(self, chosen: set[int]) -> int:
        """The lowest node that has all of `chosen` below it or is one of them; −1 where there is none."""
        shared = set.intersection(*(set(self.above(node)) for node in chosen))
        return max(shared, key=lambda node: len(self.above(node)), default=-1)

    def closed(self, chosen: set[int]) -> list[set[int]]:
        """Trees that hold `chosen` and the nodes between them: one, or one for each that shares no ancestor."""
        trees: dict[int, set[int]] = {}
        for node in chosen:
            trees.setdefault(self.above(node)[-1], set()).add(node)
        closed = []
        for tree in trees.values():
            beyond = set(self.above(self.top_of(tree))[1:])
            closed.append({node for joint in tree for node in self.above(joint)} - beyond)
        return closed


def _transform(item: Item) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translation, rotation w x y z and scale of a node, from its matrix or from its three parts."""
    if "matrix" in item:
        # Column by column (glTF 2.0, section 3.5.3); scale is what lengthens the columns.
        matrix = item.numbers("matrix", 16, []).reshape(4, 4).T
        scale = np.linalg.norm(matrix[:3, :3], axis=0)
        if scale.min() <= 1e-12:
            return matrix[:3, 3], rot.IDENTITY, scale
        if np.linalg.det(matrix[:3, :3]) < 0.0:
            scale = -scale
        return matrix[:3, 3], _from_matrix(matrix[:3, :3] / scale), scale
    turn = item.numbers("rotation", 4, [0.0, 0.0, 0.0, 1.0])
    if np.linalg.norm(turn) < 1e-6:
        raise item["rotation"].error("expected a unit quaternion, found one without length")
    places = item.numbers("translation", 3, [0.0] * 3), item.numbers("scale", 3, [1.0] * 3)
    return places[0], rot.normalized(turn[[3, 0, 1, 2]]), places[1]


def _from_matrix(m: np.ndarray) -> np.ndarray:
    """Unit quaternion (4,) of a rotation matrix (3, 3): from the largest of its four parts, so that none is lost."""
    squares = np.array([m.trace(), *np.diag(m)]) * [1.0, 2.0, 2.0, 2.0] + [1.0, *[1.0 - m.trace()] * 3]
    k = int(np.argmax(squares))
    twice = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    if k == 0:
        return rot.normalized(np.array([squares[0], *twice]))
    sums = m + m.T
    part = np.array([sums[k - 1, i] if i != k - 1 else squares[k] for i in range(3)])
    return rot.normalized(np.array([twice[k - 1], *part]))


def bodies(file: GltfFile, nodes: Nodes) -> list[set[int]]:
    """The nodes of every body: the joints of skins and what lies between and below them, or, without skins, what is
    animated. Skins that share joints, or hang on each other's, are one body."""
    document, chosen = file.document, []
    for skin in document.array("skins"):
        joints = {joint.as_whole(len(nodes.names)) for joint in skin.array("joints")}
        chosen += nodes.closed(joints) if joints else []
    if not chosen:
        moved = {node for animation in document.array("animations") for node, _ in _targets(animation, nodes)}
        chosen = nodes.closed(moved) if moved else []
    merged: list[set[int]] = []
    for tree in sorted(chosen, key=lambda tree: len(nodes.above(nodes.top_of(tree)))):
        way = nodes.above(nodes.top_of(tree))
        for other in merged:
            if other & set(way) or other & tree:
                meets = next(k for k, node in enumerate(way) if node in other) if other & set(way) else 0
                other |= tree | set(way[:meets])
                break
        else:
            merged.append(set(tree))
    for tree in merged:  # ends of fingers, toes and heads are often nodes without being joints of a skin
        for node in range(len(nodes.names)):
            way = nodes.above(node)
            inside = next((k for k, above in enumerate(way) if above in tree), None)
            if inside is not None and not nodes.shown[way[:inside]].any():
                tree.update(way[:inside])
    return [tree for tree in merged if len(tree) > 1]


def _targets(animation: Item, nodes: Nodes) -> list[tuple[int, Item]]:
    """(node, channel) of what moves or turns nodes; other channels (morph weights, extensions) are passed over."""
    found = []
    for channel in animation.array("channels"):
        target = channel["target"]
        if "node" in target and target.text("path") in _WIDTHS:
            found.append((target.whole("node", len(nodes.names)), channel))
    return found


@dataclass(frozen=True)
class Track:
    """How one part of one node's transform changes."""

    times: np.ndarray  # (K,) seconds, rising
    values: np.ndarray  # (K, n), or (K, 3, n) for CUBICSPLINE: tangent in, value, tangent out
    interpolation: str  # "STEP", "LINEAR" or "CUBICSPLINE"

    def sampled(self, times: np.ndarray) -> np.ndarray:
        """(F, n) values at times (F,), held before the first key and after the last; rotations are normalised."""
        keys, values = self.times, self.values
        turns = values.shape[-1] == 4
        points = values[:, 1] if self.interpolation == "CUBICSPLINE" else values
        if len(keys) == 1:
            return np.tile(rot.normalized(points[0]) if turns else points[0], (len(times), 1))
        k = np.clip(np.searchsorted(keys, times, "right") - 1, 0, len(keys) - 2)
        span = keys[k + 1] - keys[k]
        t = np.clip((times - keys[k]) / span, 0.0, 1.0)
        if self.interpolation == "STEP":
            found = points[np.where(t >= 1.0, k + 1, k)]
        elif self.interpolation == "LINEAR":
            if turns:
                unit = rot.normalized(points)
                return rot.slerp(unit[k], unit[k + 1], t)
            found = (1.0 - t)[:, None] * points[k] + t[:, None] * points[k + 1]
        else:  # a Hermite spline (glTF 2.0, appendix C.4)
            t, span = t[:, None], span[:, None]
            found = (2 * t**3 - 3 * t**2 + 1) * points[k] + span * (t**3 - 2 * t**2 + t) * values[k, 2]
            found += (3 * t**2 - 2 * t**3) * points[k + 1] + span * (t**3 - t**2) * values[k + 1, 0]
        return rot.normalized(found) if turns else found


def tracks_of(file: GltfFile, animation: Item, nodes: Nodes) -> dict[tuple[int, str], Track]:
    """The tracks of an animation by node and path ("translation", "rotation", "scale"); rotations are w x y z."""
    samplers, tracks = animation.array("samplers"), {}
    times: dict[int, np.ndarray] = {}
    for node, channel in _targets(animation, nodes):
        path = channel["target"].text("path")
        sampler = samplers[channel.whole("sampler", len(samplers))]
        number = sampler.whole("input", MOST_BYTES)
        if number not in times:
            times[number] = _times(file, sampler["input"])
        keys = times[number]
        way = sampler.text("interpolation", "LINEAR")
        if way not in ("STEP", "LINEAR", "CUBICSPLINE"):
            raise sampler["interpolation"].error(f"expected STEP, LINEAR or CUBICSPLINE, found {quoted(way)}")
        values = file.accessor(sampler["output"], _WIDTHS[path])
        each = 3 if way == "CUBICSPLINE" else 1
        if len(values) != each * len(keys):
            raise sampler["output"].error(f"expected {each * len(keys):,} elements, found {len(values):,}")
        if path == "rotation":
            values = values[:, [3, 0, 1, 2]]
            if (np.linalg.norm(values[each // 2 :: each], axis=1) < 1e-6).any():
                raise sampler["output"].error("expected unit quaternions, found one without length")
        if each == 3:
            values = values.reshape(len(keys), 3, -1)
        tracks[node, path] = Track(keys, values, way)
    return tracks


def _times(file: GltfFile, source: Item) -> np.ndarray:
    """(K,) the key times of a sampler."""
    keys = file.accessor(source, 1)[:, 0]
    if not len(keys):
        raise source.error("expected at least one key time")
    if (np.diff(keys) <= 0.0).any():
        raise source.error("expected key times that rise from each to the next")
    return keys
