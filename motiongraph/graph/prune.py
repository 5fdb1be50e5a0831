"""Pruning: what is left is motion that can go on for ever (Kovar 2002, 3.4; Mao 2011, 4.3).

Every frame, piece and transition has a set of labels, and every set a graph of its own (Kovar 2002, 3.3). Of each the
largest strongly connected part of the edges that have exactly this set is kept; dead ends and sinks go. Edges from one
kept part to another stay: wherever they arrive, motion goes on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from motiongraph.graph.structure import Structure, strong_components
from motiongraph.kernels import B1, I32, I64, kernel, read, types
from motiongraph.model.clip import Clip

MIXED = -1  # frames of more than one set, or a union that no original frame has


@dataclass(frozen=True, eq=False)
class Labelling:
    """The sets of labels of all frames."""

    sets: tuple[frozenset[str], ...]  # the different sets of labels of the original frames
    frames: np.ndarray  # the number of each frame's set, all clips one after the other
    starts: np.ndarray  # (clips + 1,) where each clip's frames begin in it
    captured: np.ndarray  # (sets,) captured frames of each set

    @classmethod
    def of(cls, clips: Iterable[Clip]) -> "Labelling":
        """Of the captured frames; those before them count as the first of them."""
        index: dict[frozenset[str], int] = {}
        parts, captured = [], []
        for clip in clips:
            mask = clip.labels.mask[clip.first :]
            if mask.all():  # as it mostly is; rows need not be told apart
                rows, which = mask[:1], np.zeros(len(mask), np.intp)
            else:
                rows, which = np.unique(mask, axis=0, return_inverse=True)
            words = [frozenset(n for n, has in zip(clip.labels.names, row) if has) for row in rows]
            numbers = np.array([index.setdefault(s, len(index)) for s in words], np.int32)[which.reshape(-1)]
            captured.append(numbers)
            parts.append(np.concatenate([np.full(clip.first, numbers[0]), numbers]))
        count = np.bincount(np.concatenate(captured), minlength=len(index))
        return cls(tuple(index), np.concatenate(parts), np.cumsum([0, *map(len, parts)]), count)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every label there is, in the order of the alphabet."""
        return tuple(sorted(frozenset().union(*self.sets)))

    @cached_property
    def _changes(self) -> np.ndarray:
        """How often the set has changed up to each frame."""
        return np.concatenate([[0], np.cumsum(self.frames[1:] != self.frames[:-1])])

    def pieces(self, structure: Structure) -> np.ndarray:
        """(N,) the set of the piece from each node to the next, MIXED where its frames have several."""
        if len(self.sets) <= 1:
            return np.zeros(len(structure), np.int32)
        at = self.starts[structure.clip] + structure.frame
        last = at + np.maximum(structure.piece, 1) - 1
        return np.where(self._changes[at] == self._changes[last], self.frames[at], MIXED)

    def transitions(self, transitions: np.ndarray, window: int) -> np.ndarray:
        """(T,) the set of each transition: every frame of it has the labels of both frames it is blended from."""
        if len(self.sets) <= 1:
            return np.zeros(len(transitions), np.int32)
        index = {s: i for i, s in enumerate(self.sets)}
        union = np.array([[index.get(a | b, MIXED) for b in self.sets] for a in self.sets], np.int32)
        src, dst = (self.starts[transitions[end]] + transitions[f"{end}_frame"] for end in ("src", "dst"))
        found = union[self.frames[src], self.frames[dst]]
        # Only where labels change within a window do its other frames have to be looked at.
        changing = [self._changes[at] != self._changes[at + window - 1] for at in (src, dst)]
        some = np.flatnonzero(changing[0] | changing[1])
        mixed = np.zeros(len(some), bool)
        for frame in range(1, window):
            mixed |= union[self.frames[src[some] + frame], self.frames[dst[some] + frame]] != found[some]
        found[some[mixed]] = MIXED
        return found

    def at(self, clip: np.ndarray, frame: np.ndarray) -> np.ndarray:
        """The set of single frames; arrays of clips and frames."""
        return self.frames[self.starts[clip] + frame]


@dataclass(frozen=True, eq=False)
class Layers:
    """Every set of labels by itself: its edges and the choice points they touch, side by side in one graph.

    No edge leads from one layer to another, so that one search of all of them finds the strong parts of every set.
    Which candidates a layer has does not depend on the threshold: layers are made once and serve all views.
    A choice point has a place in each layer that an edge of it belongs to; places are sorted by set and choice point.
    """

    labels: np.ndarray  # (M,) the set of labels of every place
    node: np.ndarray  # (M,) its choice point
    goes_on: np.ndarray  # (M,) bool, whether the piece from here leads to the next place
    piece: np.ndarray  # (M,) frames of that piece, 0 for none
    first: np.ndarray  # (M + 1,) the edges that leave place m are first[m] … first[m + 1] − 1
    arrives: np.ndarray  # (E,) the place where each edge ends
    transition: np.ndarray  # (E,) which candidate it is
    sets: int  # number of sets

    @classmethod
    def of(cls, structure: Structure, piece_sets: np.ndarray, transition_sets: np.ndarray, sets: int) -> "Layers":
        """piece_sets: (N,) and transition_sets: (T,) as `Labelling` gives them; what is MIXED is in no layer."""
        layers, places = [], 0
        for labels in range(sets):
            goes_on = structure.goes_on & (piece_sets == labels)
            on, edges = np.flatnonzero(goes_on), np.flatnonzero(transition_sets == labels)
            leaves, arrives = structure.leaves[edges], structure.arrives[edges]
            touched = np.zeros(len(structure), bool)
            for ends in (leaves, arrives, on, on + 1):
                touched[ends] = True
            node = np.flatnonzero(touched)
            place = np.cumsum(touched, dtype=np.int32) + np.int32(places - 1)
            leaving = np.bincount(leaves, minlength=len(structure))
            piece = np.where(goes_on, structure.piece, 0)
            own = np.full(len(node), labels, np.int32), node.astype(np.int32), goes_on[node], piece[node]
            layers.append((*own, leaving[node], place[arrives], edges))
            places += len(node)
        labels, node, goes_on, piece, leaving, arrives, edges = map(np.concatenate, zip(*layers))
        first = np.append(0, np.cumsum(leaving)).astype(np.int32)
        return cls(labels, node, goes_on, piece, first, arrives, edges, sets)

    def __len__(self) -> int:
        return len(self.node)

    @cached_property
    def loops(self) -> np.ndarray:
        """The edges that arrive where they leave."""
        return np.flatnonzero(self.arrives == np.repeat(np.arange(len(self)), np.diff(self.first)))


@dataclass(frozen=True, eq=False)
class Kept:
    """What may be walked."""

    transitions: np.ndarray  # (T,) bool
    pieces: np.ndarray  # (N,) bool, whether the piece from a node to the next may be played
    nodes: np.ndarray  # (N,) bool, those in the kept part of a set
    places: np.ndarray  # (M,) bool, the same in the `layers` of the sets
    counted: np.ndarray  # (N,) bool, pieces inside those parts: motion of the same labels can go on there for ever
    sizes: tuple[np.ndarray, ...]  # for every set of labels the frames of its strong parts with a cycle, largest first
    reach: np.ndarray  # (sets, sets) bool, from which set motion can get to which other
    layers: Layers

    @cached_property
    def parts(self) -> np.ndarray:
        """(sets,) frames in the largest strong part of each set of labels."""
        return np.array([size[0] if len(size) else 0 for size in self.sizes], np.int64)

    @property
    def frames(self) -> int:
        """Frames of original motion from which motion of the same labels can go on for ever."""
        return int(self.parts.sum())

    @cached_property
    def members(self) -> np.ndarray:
        """(sets, N) bool: the nodes in the kept part of each set."""
        members = np.zeros((self.layers.sets, len(self.nodes)), bool)
        members[self.layers.labels[self.places], self.layers.node[self.places]] = True
        return members


def prune(structure: Structure, layers: Layers, taken: np.ndarray) -> Kept:
    """Prune the graph whose transitions are those of `taken` (T,) bool."""
    open_ = taken[layers.transition]
    part = strong_components(layers.first, layers.arrives, open_, layers.goes_on)
    frames, labels = _sizes(part, layers.piece, layers.labels, layers.arrives[layers.loops[open_[layers.loops]]])
    # By set, then from the largest; of equal ones the first that was found is kept.
    order = np.lexsort((-frames, labels))
    order = order[frames[order] >= 0]
    starts = np.searchsorted(labels[order], np.arange(layers.sets + 1))
    sizes = tuple(frames[order[a:b]] for a, b in pairwise(starts))
    best = np.zeros(len(frames), bool)
    best[order[starts[:-1][np.diff(starts) > 0]]] = True

    # Of a node in several sets one is noted: motion can change between all of them there, which reach tells.
    reach = np.eye(layers.sets, dtype=bool)
    own, counted = np.full(len(structure), -1, np.int32), np.zeros(len(structure), bool)
    places = _mark(part, best, layers.goes_on, layers.labels, layers.node, own, counted, reach)
    pieces = np.zeros(len(structure), bool)
    transitions = _join(structure.clip, structure.leaves, structure.arrives, taken, own, pieces, reach)
    for _ in range(layers.sets.bit_length()):
        reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
    return Kept(transitions, pieces, own >= 0, places, counted, sizes, reach, layers)


_MARKS, _REACH = B1[::1], B1[:, ::1]


@kernel(types.UniTuple(I64[::1], 2)(read(I32), read(I64), read(I32), read(I32)))
def _sizes(part, piece, labels, loops):
    """Of every part: its frames, −1 where it has no cycle, and its set. loops: places that lead to themselves."""
    count = 0
    for v in range(part.shape[0]):
        count = max(count, part[v] + 1)
    frames, own, places = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int32)
    for v in range(part.shape[0]):
        p = part[v]
        if p >= 0:
            own[p] = labels[v]
            places[p] += 1
            if piece[v] and part[v + 1] == p:
                frames[p] += piece[v]
    for v in loops:
        places[part[v]] += 1
    for p in range(count):
        if places[p] < 2:
            frames[p] = -1
    return frames, own


@kernel(_MARKS(read(I32), read(B1), read(B1), read(I32), read(I32), I32[::1], _MARKS, _REACH))
def _mark(part, best, goes_on, labels, node, own, counted, reach):
    """(M,) bool, the places in the parts that are `best`. Writes to own (N,) a set that each node is in, to counted
    (N,) the pieces inside, and to reach (sets, sets) that motion can change between sets that share a node."""
    places = np.zeros(part.shape[0], np.bool_)
    for v in range(part.shape[0]):
        p = part[v]
        if p < 0 or not best[p]:
            continue
        n, label = node[v], labels[v]
        places[v] = True
        if own[n] >= 0:
            reach[own[n], label] = reach[label, own[n]] = True
        own[n] = label
        if goes_on[v] and part[v + 1] == p:
            counted[n] = True
    return places


@kernel(_MARKS(read(I64), read(I32), read(I32), read(B1), read(I32), _MARKS, _REACH))
def _join(clip, leaves, arrives, taken, own, pieces, reach):
    """(T,) bool, the transitions taken between nodes that have a set. Marks in pieces (N,) those between two such nodes
    of one clip, and in reach (sets, sets) which set leads straight to which."""
    last = -1
    for v in range(own.shape[0]):
        if own[v] >= 0:
            if last >= 0 and clip[last] == clip[v]:
                pieces[last:v] = True
                reach[own[last], own[v]] = True
            last = v
    transitions = np.zeros(taken.shape[0], np.bool_)
    for e in range(taken.shape[0]):
        # Without branches, since which are taken cannot be foreseen. A node without a set is −1, another's place in
        # reach, where False then changes nothing.
        out, into = own[leaves[e]], own[arrives[e]]
        transitions[e] = taken[e] & (out >= 0) & (into >= 0)
        reach[out, into] |= transitions[e]
    return transitions
