"""Clips from glTF 2.0 (.glb, .gltf, .vrm): a skeleton from nodes, a clip from every animation of it.

The rest pose is the one in which the nodes are written, with every joint's axes parallel to the world's, so that the
armature's own turn and scale are part of it. Scale counts as the nodes have it; tracks that animate it are left out.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats import guess
from motiongraph.formats.gltf_file import GltfFile, Item
from motiongraph.formats.gltf_nodes import Nodes, Track, bodies, tracks_of
from motiongraph.formats.motion import UPRIGHT, Source
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.model.skeleton import Skeleton

_SLIDES = 1e-4  # metres: a joint that leaves its place by less does not slide
_SAME = 1e-5  # metres: a still joint this close to its place in the rest pose is there
_BELIEVED = (0.4, 4.0)  # metres: a body of another height is not written in metres, as glTF asks
_RATES = (24, 25, 30, 48, 50, 60, 90, 100, 120, 240)
_USUAL_RATE = 30.0  # where the key times follow none of them
_FEWEST = 5_000_000  # frames × joints that any file may ask for; more if it holds that many numbers

Tracks = dict[tuple[int, str], Track]


def read_gltf(path: str | Path, units: guess.Unit | None = None, up: str = "y") -> list[Clip]:
    """Every animation of every body in a file as a clip, in the order of the file; without one, the rest pose.

    units, up: what the file's numbers mean, where they are not metres and y up as glTF asks. Raises FormatError with
    the place in the document.
    """
    file = GltfFile(path)
    nodes = Nodes.of(file)
    found = bodies(file, nodes)
    if not found:
        raise FormatError(path, "holds no skeleton: it has no skin, and no nodes below each other are animated")
    animations = file.document.array("animations")
    tracks = [tracks_of(file, animation, nodes) for animation in animations]
    clips: list[Clip] = []
    for tree in found:
        body = _Body(nodes, tuple(_ordered(nodes, _below_the_mover(nodes, tree, tracks))))
        moving = [(a, t) for a, t in zip(animations, tracks) if any(node in body.involved for node, _ in t)]
        for animation, own in moving or [(None, {})]:
            clips.append(_seen(body.clip(file.path, animation, own), units, up))
    for clip in clips:
        for note in clip.source.notes if clip.source else ():
            warnings.warn(f"{path}: {note}", FormatWarning, stacklevel=3)
    return _named(clips, file.path.stem)


def has_animation(path: str | Path) -> bool:
    """Whether a file says that it is animated; what cannot be read is left to `read_gltf` to complain about."""
    try:
        return bool(GltfFile(path).document.array("animations"))
    except FormatError:
        return True


@dataclass(frozen=True, eq=False)
class _Body:
    """Some nodes as a skeleton, and the nodes above it, which place it in the world."""

    nodes: Nodes
    joints: tuple[int, ...]  # nodes, every parent before its children

    @cached_property
    def chain(self) -> list[int]:
        """The nodes above the root, from the top downwards."""
        return self.nodes.above(self.joints[0])[:0:-1]

    @cached_property
    def involved(self) -> set[int]:
        return {*self.chain, *self.joints}

    @cached_property
    def skeleton(self) -> Skeleton:
        """As the nodes stand when nothing is animated."""
        names, taken = [], set()
        for node in self.joints:
            name, n = self.nodes.names[node], 2
            while name in taken:
                name, n = f"{self.nodes.names[node]}_{n}", n + 1
            taken.add(name)
            names.append(name)
        index = {node: j for j, node in enumerate(self.joints)}
        parents = [-1, *(index[int(self.nodes.parents[node])] for node in self.joints[1:])]
        _, _, offsets = self.posed({}, np.zeros(1))
        offsets[:, 0] = 0.0
        return Skeleton(tuple(names), np.array(parents), offsets[0])

    @cached_property
    def _rest_turns(self) -> dict[int, np.ndarray]:
        """(4,) orientation in the world of every node involved, when nothing is animated."""
        turns: dict[int, np.ndarray] = {-1: rot.IDENTITY}
        for node in (*self.chain, *self.joints):
            turns[node] = rot.multiply(turns[int(self.nodes.parents[node])], self.nodes.rotations[node])
        return turns

    def posed(self, tracks: Tracks, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Root (F, 3), local rotations (F, J, 4) and offsets (F, J, 3) at times (F,), in the file's unit.

        With r a node's rotation and G⁰ orientations at rest, a joint turns by G⁰_parent · r · (G⁰)⁻¹ in axes that are
        parallel to the world's at rest. Scale above a joint stretches its offset; it is kept as the matrix
        G_parent⁻¹ · (product of rotations and scales above), which for even scale is a number.
        """
        nodes, rest = self.nodes, self._rest_turns
        shape = len(times), len(self.joints)
        rotations, offsets = np.empty((*shape, 4)), np.empty((*shape, 3))
        stretch: dict[int, np.ndarray] = {-1: np.eye(3)}
        turn, root = np.tile(rot.IDENTITY, (len(times), 1)), np.zeros((len(times), 3))
        column = {node: j for j, node in enumerate(self.joints)}
        for node in (*self.chain, *self.joints):
            place, own = (
                tracks[node, path].sampled(times) if (node, path) in tracks else still[node]
                for path, still in (("translation", nodes.translations), ("rotation", nodes.rotations))
            )
            parent = int(nodes.parents[node])
            local = np.einsum("...ij,...j->...i", stretch[parent], place)
            stretch[node] = _stretched(stretch[parent], own, nodes.scales[node])
            if node not in column or column[node] == 0:
                root = root + rot.rotate(turn, local)
                turn = rot.multiply(turn, own)
            else:
                j = column[node]
                offsets[:, j] = rot.rotate(rest[parent], local)
                rotations[:, j] = rot.multiply(rot.multiply(rest[parent], own), rot.conjugate(rest[node]))
        offsets[:, 0] = 0.0
        rotations[:, 0] = rot.multiply(turn, rot.conjugate(rest[self.joints[0]]))
        return root, rotations, offsets

    def clip(self, path: Path, animation: Item | None, tracks: Tracks) -> Clip:
        """An animation of this body, in metres if the file's are; without one, the rest pose."""
        own = {key: track for key, track in tracks.items() if key[0] in self.involved}
        notes = [] if animation else ["holds no animation of its skeleton; its rest pose was loaded"]
        scaled = sorted({self.nodes.names[n] for (n, p), t in own.items() if p == "scale" and self._resized(n, t)})
        if scaled:
            more = f" and {len(scaled) - 1} more" if len(scaled) > 1 else ""
            notes.append(f"animates the size of {scaled[0]}{more}, which is left out")
        keys = np.unique(np.concatenate([np.zeros(0), *(t.times for (_, p), t in own.items() if p != "scale")]))
        extras = _extras(animation)
        fps = _frame_rate(keys, extras.get("fps"))
        frames = float(np.ptp(keys)) * fps + 1.0 if len(keys) else 1.0
        if not frames * len(self.joints) <= max(_FEWEST, 4 * sum(t.values.size for t in own.values())):
            raise FormatError(path, f"{frames:,.0f} frames of {len(self.joints):,} joints are too many for this file")
        times = _grid(keys, fps)
        root, rotations, offsets = self.posed(own, times)
        skeleton, sliding = self._settled(offsets)
        ranges: dict[str, list[tuple[int, int]]] = {}
        for word, start, stop in extras.get("labels", ()):
            if start < len(times):
                ranges.setdefault(word, []).append((start, min(stop, len(times))))
        return Clip(
            skeleton,
            root,
            rotations,
            fps=fps,
            name=animation.text("name") or animation.where if animation else "rest",
            labels=Labels.of(len(times), ranges),
            first=min(extras.get("first", 0), len(times) - 1),
            offsets=sliding,
            file=str(path),
            source=Source(
                path=str(path),
                format=path.suffix.lower().lstrip("."),
                scale=1.0,
                unit="m",
                unit_from="file",
                up="y",
                up_from="file",
                stature=guess.stature(skeleton),
                motion=None,
                values=None,
                fps=fps,
                timing="",
                notes=tuple(notes),
            ),
        )

    def _resized(self, node: int, track: Track) -> bool:
        values = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
        return bool(np.abs(values - self.nodes.scales[node]).max() > 1e-3)

    def _settled(self, offsets: np.ndarray) -> tuple[Skeleton, np.ndarray | None]:
        """The skeleton, and (F, J, 3) where its joints slide, or None: from the offsets of every frame."""
        low, high = offsets.min(axis=0), offsets.max(axis=0)
        slides = (high - low).max(axis=1) > _SLIDES
        still, rest = 0.5 * (low + high), self.skeleton.offsets
        fixed = np.where((slides | (np.abs(still - rest).max(axis=1) <= _SAME))[:, None], rest, still)
        skeleton = self.skeleton if np.array_equal(fixed, rest) else replace(self.skeleton, offsets=fixed)
        return skeleton, np.where(slides[:, None], offsets, fixed) if slides.any() else None


def _stretched(above: np.ndarray, turn: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(3, 3) or (F, 3, 3): what scale does to places below a node, in the node's own turned axes.

    From A above, R⁻¹·A·R·S; even scale commutes with turns, and stays the same in every frame.
    """
    if np.ptp(scale) <= 1e-4 * abs(scale[0]) and np.array_equal(above, np.eye(3) * above[..., 0, 0].flat[0]):
        return above * scale.mean()
    matrix = rot.to_matrix(turn)
    return np.swapaxes(matrix, -1, -2) @ above @ matrix * scale


def _below_the_mover(nodes: Nodes, tree: set[int], tracks: list[Tracks]) -> set[int]:
    """The tree without what stands still above the joint that carries the motion, and beside it.

    As in Unreal's skeletons: `root` never moves, `pelvis` does, and `ik_foot_root` beside it steers a rig.
    """

    def moves(node: int, *paths: str) -> bool:
        found = [t[node, path] for t in tracks for path in paths if (node, path) in t]
        return any(np.ptp(track.values, axis=0).max() > 1e-4 for track in found)

    for node in sorted(tree, key=lambda node: len(nodes.above(node))):
        above = [other for other in nodes.above(node)[1:] if other in tree]
        if any(moves(other, "translation", "rotation") for other in above):
            continue
        below = {other for other in tree if node in nodes.above(other)}
        if moves(node, "translation") and len(below) >= max(0.5 * len(tree), 2):
            return below
    return tree


def _ordered(nodes: Nodes, tree: set[int]) -> list[int]:
    """Every parent before its children: in the document's order where that is one, else depth first."""
    order, top = sorted(tree), nodes.top_of(tree)
    if order[0] == top and all(nodes.parents[node] < node for node in order[1:]):
        return order
    children: dict[int, list[int]] = {}
    for node in reversed(order):
        children.setdefault(int(nodes.parents[node]), []).append(node)
    found, waiting = [], [top]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def _extras(animation: Item | None) -> dict:
    """What our own writer keeps beside an animation (fps, first, labels), as far as it makes sense."""
    extras = animation.value.get("extras") if animation else None
    if not isinstance(extras, dict):
        return {}
    kept = {}
    fps, first, labels = (extras.get(key) for key in ("fps", "first", "labels"))
    if isinstance(fps, float | int) and 0.0 < fps < 1e6:
        kept["fps"] = float(fps)
    if type(first) is int and first >= 0:
        kept["first"] = first
    if isinstance(labels, list):
        shape = [str, int, int]
        spans = [x for x in labels if isinstance(x, list) and [type(v) for v in x] == shape]
        kept["labels"] = [span for span in spans if 0 <= span[1] < span[2]]
    return kept


def _frame_rate(keys: np.ndarray, said: float | None) -> float:
    """Frames a second at which key times (K,) lie: what the file says, else evenly apart, else on a usual rate."""

    def fits(rate: float) -> bool:
        frames = (keys - keys[0]) * rate
        return bool(np.abs(frames - np.round(frames)).max() < 0.02)

    if len(keys) < 2:
        return said or _USUAL_RATE
    if said and fits(said):
        return said
    apart = np.diff(keys)
    even = (len(keys) - 1) / (keys[-1] - keys[0])
    if np.abs(apart * even - 1.0).max() < 0.02 and even > 14.0:
        whole = round(even)
        for rate in (whole, *(television / 1.001 for television in _RATES)):
            if abs(rate / even - 1.0) < 2e-4:
                return float(rate)
        return float(even)
    return float(next((rate for rate in _RATES if fits(rate)), _USUAL_RATE))


def _grid(keys: np.ndarray, fps: float) -> np.ndarray:
    """(F,) times of the frames, from the first key to the last; a key close to one gives its own time.

    Times are kept in 32 bits, so that a frame and its key differ by more than a motion may be off.
    """
    if len(keys) < 2:
        return keys if len(keys) else np.zeros(1)
    times = keys[0] + np.arange(int((keys[-1] - keys[0]) * fps + 0.05) + 1) / fps
    near = np.clip(np.searchsorted(keys, times), 1, len(keys) - 1)
    near = np.where(times - keys[near - 1] < keys[near] - times, near - 1, near)
    return np.where(np.abs(keys[near] - times) < 0.02 / fps, keys[near], times)


def _seen(clip: Clip, units: guess.Unit | None, up: str) -> Clip:
    """The clip with the unit and the axis that were given; else in metres, whatever the file is written in."""
    source = clip.source
    assert source is not None
    unit = units
    if unit is None and source.stature and not _BELIEVED[0] <= source.stature <= _BELIEVED[1]:
        unit = guess.unit_of(clip.skeleton)
        source = replace(source, unit_from="guess")
    elif unit is not None:
        source = replace(source, unit_from="given")
    if unit is not None:
        source = replace(source, unit=unit.name, scale=unit.metres, stature=source.stature * unit.metres)
    if up != "y":
        source = replace(source, up=up, up_from="given")
    basis = UPRIGHT[up]

    def placed(vectors: np.ndarray) -> np.ndarray:
        return rot.rotate(basis, vectors * source.scale)

    if source.scale == 1.0 and up == "y":
        return replace(clip, source=source)
    return replace(
        clip,
        skeleton=replace(clip.skeleton, offsets=placed(clip.skeleton.offsets)),
        root=placed(clip.root),
        rotations=rot.multiply(rot.multiply(basis, clip.rotations), rot.conjugate(basis)),
        offsets=None if clip.offsets is None else placed(clip.offsets),
        source=source,
    )


def _named(clips: Iterable[Clip], stem: str) -> list[Clip]:
    """Clips called as their file, with the name of their animation where there are several."""
    clips = list(clips)
    if len(clips) == 1:
        return [replace(clips[0], name=stem)]
    taken: set[str] = set()
    named = []
    for clip in clips:
        name, n = f"{stem}_{clip.name}", 2
        while name in taken:
            name, n = f"{stem}_{clip.name}_{n}", n + 1
        taken.add(name)
        named.append(replace(clip, name=name))
    return named
