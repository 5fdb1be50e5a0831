"""Pruning: what is left is motion that can go on for ever (Kovar 2002, 3.4; Mao 2011, 4.3).

For every set of labels the largest strongly connected part of the edges that have exactly this set is kept; dead ends
and sinks go. Edges from one kept part to another stay: wherever they arrive, motion goes on.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit, types

from motiongraph.graph.labelling import Labelling
from motiongraph.graph.structure import Structure, read, strong_components


@dataclass(frozen=True, eq=False)
class Kept:
    """What may be walked. transitions: (T,) bool; pieces: (N,) bool, whether the piece from a node to the next may be
    played; nodes: (N,) bool, those in the kept part of a set; members: (sets, N) bool, of which set; counted: (N,)
    bool, the pieces inside those parts, from whose frames motion of the same labels can go on for ever; sizes: for
    every set of labels the frames of its strong parts with a cycle, largest first; reach: (sets, sets) bool, from
    which set motion can get to which other."""

    transitions: np.ndarray
    pieces: np.ndarray
    nodes: np.ndarray
    members: np.ndarray
    counted: np.ndarray
    sizes: tuple[np.ndarray, ...]
    reach: np.ndarray

    @property
    def parts(self) -> np.ndarray:
        """(sets,) frames in the largest strong part of each set of labels."""
        return np.array([size[0] if len(size) else 0 for size in self.sizes], np.int64)

    @property
    def frames(self) -> int:
        """Frames of original motion from which motion of the same labels can go on for ever."""
        return int(self.parts.sum())


def prune(structure: Structure, taken: np.ndarray, labelling: Labelling, piece_sets, transition_sets) -> Kept:
    """Prune the graph whose transitions are those of `taken` (T,) bool."""
    sets = len(labelling.sets)
    members = np.zeros((sets, len(structure)), bool)
    pieces, transitions = np.zeros(len(structure), bool), np.zeros(len(taken), bool)
    sizes = []
    for s in range(sets):
        own = structure.goes_on if sets == 1 else structure.goes_on & (piece_sets == s)
        open_ = taken if sets == 1 else taken & (transition_sets == s)
        size, members[s], inner_pieces, inner = _largest(structure, open_, own)
        sizes.append(size)
        pieces |= inner_pieces
        transitions |= inner
    nodes, counted, reach = members.any(axis=0), pieces.copy(), np.eye(sets, dtype=bool)
    if sets > 1:
        transitions |= taken & nodes[structure.leaves] & nodes[structure.arrives]
        following, between = _between(structure, nodes)
        pieces |= between
        on = np.flatnonzero(between & nodes)
        leaves = np.concatenate([structure.leaves[transitions], on])
        reach = _reach(members, leaves, np.concatenate([structure.arrives[transitions], following[on]]))
    return Kept(transitions, pieces, nodes, members, counted, tuple(sizes), reach)


def _largest(structure, open_, own):
    """The largest strong part of the edges open_ (T,) and own (N,): the frames of all parts with a cycle, largest
    first, and what belongs to the largest: nodes (N,), pieces (N,) and transitions (T,)."""
    nodes, pieces, inner = np.zeros(len(own), bool), np.zeros(len(own), bool), np.zeros(len(open_), bool)
    if not open_.any():
        return np.zeros(0, np.int64), nodes, pieces, inner
    part = strong_components(structure.first, structure.arrives, open_, own)
    sizes = _mark(structure.first, structure.arrives, open_, own, structure.piece, part, nodes, pieces, inner)
    return np.sort(sizes)[::-1], nodes, pieces, inner


_B = types.boolean
_GRAPH = read(types.int32), read(types.int32), read(_B), read(_B), read(types.int64), read(types.int32)


@njit(types.int64[::1](*_GRAPH, _B[::1], _B[::1], _B[::1]), cache=True, nogil=True)
def _mark(first, arrives, open_, own, piece, part, nodes, pieces, inner):
    """Marks the part with most frames of those with a cycle; returns the frames of all of them."""
    count = part.max() + 1
    frames, cyclic = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for v in range(part.shape[0]):
        p = part[v]
        if own[v] and part[v + 1] == p:
            frames[p] += piece[v]
        for e in range(first[v], first[v + 1]):
            # Pieces lead forward only, so that every cycle has a transition.
            if open_[e] and part[arrives[e]] == p:
                cyclic[p] = True
    best = -1
    for p in range(count):
        if cyclic[p] and (best < 0 or frames[p] > frames[best]):
            best = p
    if best >= 0:
        for v in range(part.shape[0]):
            if part[v] == best:
                nodes[v] = True
                pieces[v] = own[v] and part[v + 1] == best
                for e in range(first[v], first[v + 1]):
                    inner[e] = open_[e] and part[arrives[e]] == best
    return frames[cyclic]


def _between(structure, nodes):
    """(N,) the next of `nodes` after each node, and (N,) bool, the pieces that lie between two of them in one clip."""
    count = np.arange(len(nodes))
    last = np.maximum.accumulate(np.where(nodes, count, 0))
    following = np.minimum.accumulate(np.append(np.where(nodes, count, len(nodes) - 1), len(nodes) - 1)[:0:-1])[::-1]
    met = nodes[last] & nodes[following] & (following > count)
    clip = structure.clip
    return following, met & (clip[last] == clip) & (clip[following] == clip)


def _reach(members, leaves, arrives):
    """(sets, sets) bool: from which set's part motion can get to which other's; edges from leaves to arrives (E,)."""
    reach = np.eye(len(members), dtype=bool)
    for s, member in enumerate(members):
        reach[s] |= members[:, arrives[member[leaves]]].any(axis=1)
    for _ in range(len(reach).bit_length()):
        reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
    return reach
