"""Pruning: what is left is motion that can go on for ever (Kovar 2002, 3.4; Mao 2011, 4.3).

For every set of labels the largest strongly connected part of the edges that have exactly this set is kept; dead ends
and sinks go. Edges from one kept part to another stay: wherever they arrive, motion goes on.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numba import types

from motiongraph.graph.labelling import Layers
from motiongraph.graph.structure import Structure, strong_components
from motiongraph.kernels import B1, I32, I64, kernel, read


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
