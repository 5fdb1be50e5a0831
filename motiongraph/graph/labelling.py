"""Which set of labels every frame, piece and transition has (Kovar 2002, 3.3 and 3.4)."""

from dataclasses import dataclass

import numpy as np

from motiongraph.graph.structure import Structure

MIXED = -1  # frames of more than one set, or a union that no original frame has


@dataclass(frozen=True, eq=False)
class Labelling:
    """sets: the different sets of labels of the original frames; frames: for all clips one after the other, the index
    of each frame's set; starts: (clips + 1,) where each clip's frames begin in it."""

    sets: tuple[frozenset[str], ...]
    frames: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, clips) -> "Labelling":
        index: dict[frozenset[str], int] = {}
        parts = []
        for clip in clips:
            rows, which = np.unique(clip.labels.mask, axis=0, return_inverse=True)
            words = [frozenset(n for n, has in zip(clip.labels.names, row) if has) for row in rows]
            numbers = np.array([index.setdefault(s, len(index)) for s in words], np.int32)
            parts.append(numbers[which.reshape(-1)])
        starts = np.cumsum([0, *map(len, parts)])
        return cls(tuple(index), np.concatenate(parts) if parts else np.zeros(0, np.int32), starts)

    def _uniform(self, clip, frame, length):
        """The one set of frames frame … frame + length − 1 of a clip, MIXED where there are several; arrays."""
        at = self.starts[clip] + frame
        changes = np.concatenate([[0], np.cumsum(self.frames[1:] != self.frames[:-1])])
        last = np.minimum(at + np.maximum(length, 1) - 1, len(self.frames) - 1)
        return np.where(changes[at] == changes[last], self.frames[at], MIXED)

    def pieces(self, structure: Structure) -> np.ndarray:
        """(N,) the set of the piece from each node to the next."""
        if len(self.sets) <= 1:
            return np.zeros(len(structure), np.int32)
        at = np.minimum(structure.frame, np.diff(self.starts)[structure.clip] - 1)
        return self._uniform(structure.clip, at, structure.piece)

    def transitions(self, transitions: np.ndarray, window: int) -> np.ndarray:
        """(T,) the set of each transition: the union of both its windows' labels."""
        if len(self.sets) <= 1:
            return np.zeros(len(transitions), np.int32)
        out = self._uniform(transitions["src"], transitions["src_frame"], window)
        into = self._uniform(transitions["dst"], transitions["dst_frame"], window)
        index = {s: i for i, s in enumerate(self.sets)}
        union = np.array([[index.get(a | b, MIXED) for b in self.sets] for a in self.sets], np.int32)
        return np.where((out == MIXED) | (into == MIXED), MIXED, union[out, into])

    def at(self, clip, frame) -> np.ndarray:
        """The set of single frames; arrays of clips and frames."""
        return self.frames[self.starts[clip] + frame]
