"""Every set of labels by itself: its edges and the choice points they touch, side by side in one graph.

No edge leads from one layer to another, so that one search of all of them finds the strong parts of every set. Which
candidates a layer has does not depend on the threshold: layers are made once and serve all views.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.graph.structure import Structure


@dataclass(frozen=True, eq=False)
class Layers:
    """labels, node: (M,) the set of labels and the choice point of every place, sorted; a choice point has a place in
    each layer that an edge of it belongs to. goes_on: (M,) bool, whether the piece from here leads to the next place;
    piece: (M,) its frames, 0 for none. first: (M + 1,) the edges that leave place m are first[m] … first[m + 1] − 1;
    arrives, transition: (E,) the place where each ends, and which candidate it is. sets: how many sets there are."""

    labels: np.ndarray
    node: np.ndarray
    goes_on: np.ndarray
    piece: np.ndarray
    first: np.ndarray
    arrives: np.ndarray
    transition: np.ndarray
    sets: int

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

    def __len__(self):
        return len(self.node)

    @cached_property
    def loops(self) -> np.ndarray:
        """The edges that arrive where they leave."""
        return np.flatnonzero(self.arrives == np.repeat(np.arange(len(self)), np.diff(self.first)))
