"""Which set of labels every frame, piece and transition has, and every set's own graph (Kovar 2002, 3.3 and 3.4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.graph.structure import Structure
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
