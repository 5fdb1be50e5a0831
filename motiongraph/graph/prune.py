"""Pruning: what is left is motion that can go on for ever (Kovar 2002, 3.4; Mao 2011, 4.3).

For every set of labels the largest strongly connected part of the edges that have exactly this set is kept; dead ends
and sinks go. Edges between sets stay where both their ends do.
"""

from dataclasses import dataclass

import numpy as np

from motiongraph.graph.labelling import Labelling
from motiongraph.graph.structure import Structure, strong_components


@dataclass(frozen=True, eq=False)
class Kept:
    """What may be walked. transitions: (T,) bool; pieces: (N,) bool, whether the piece from a node to the next may be
    played; nodes: (N,) bool; parts: (sets,) frames in the largest strong part of each set of labels; components:
    (sets,) how many strong parts with a cycle each has; counted: (N,) bool, the pieces that belong to those parts;
    reach: (sets, sets) bool, from which set motion can get to which other."""

    transitions: np.ndarray
    pieces: np.ndarray
    nodes: np.ndarray
    parts: np.ndarray
    components: np.ndarray
    counted: np.ndarray
    reach: np.ndarray

    @property
    def frames(self) -> int:
        """Frames of original motion from which motion of the same labels can go on for ever."""
        return int(self.parts.sum())


def prune(structure: Structure, taken: np.ndarray, labelling: Labelling, piece_sets, transition_sets) -> Kept:
    """Prune the graph whose transitions are those of `taken` (T,) bool."""
    sets = max(len(labelling.sets), 1)
    nodes = np.zeros(len(structure), bool)
    pieces, transitions = np.zeros(len(structure), bool), np.zeros(len(taken), bool)
    parts, components = np.zeros(sets, np.int64), np.zeros(sets, np.int64)
    membership = np.zeros((sets, len(structure)), bool)
    for s in range(sets):
        alone = sets == 1
        own = structure.goes_on if alone else structure.goes_on & (piece_sets == s)
        open_ = taken if alone else taken & (transition_sets == s)
        if not open_.any():
            continue
        part = strong_components(structure.first, structure.arrives, open_, own)
        inner_piece = own.copy()
        inner_piece[:-1] &= part[1:] == part[:-1]
        inner = open_ & (part[structure.leaves] == part[structure.arrives])
        cycles = np.unique(part[structure.leaves[inner]])
        if not len(cycles):
            continue
        frames = np.bincount(part[inner_piece], structure.piece[inner_piece], minlength=part.max() + 1)
        largest = cycles[np.argmax(frames[cycles])]
        components[s], parts[s] = len(cycles), frames[largest]
        membership[s] = part == largest
        nodes |= membership[s]
        pieces |= inner_piece & membership[s]
        transitions |= inner & membership[s][structure.leaves]
    counted = pieces.copy()
    reach = np.eye(sets, dtype=bool)
    if sets > 1:
        # An edge between two strong parts is safe: motion goes on wherever it arrives.
        bridges = taken & ~transitions & nodes[structure.leaves] & nodes[structure.arrives]
        crossing = structure.goes_on & ~pieces & nodes
        crossing[:-1] &= nodes[1:]
        ends = np.flatnonzero(crossing)
        leaves = np.concatenate([structure.leaves[bridges], ends])
        reach = _reach(membership, leaves, np.concatenate([structure.arrives[bridges], ends + 1]))
        transitions |= bridges
        pieces |= crossing
    return Kept(transitions, pieces, nodes, parts, components, counted, reach)


def _reach(membership, leaves, arrives):
    """(sets, sets) bool: from which set's part motion can get to which other's; edges from leaves to arrives (E,)."""
    out, into = membership[:, leaves].astype(np.int64), membership[:, arrives].astype(np.int64)
    reach = (out @ into.T > 0) | np.eye(len(membership), dtype=bool)
    for _ in range(len(reach)):
        reach = reach | (reach.astype(np.int64) @ reach.astype(np.int64) > 0)
    return reach
