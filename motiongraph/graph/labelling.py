"""Which set of labels every frame, piece and transition has (Kovar 2002, 3.3 and 3.4)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.graph.structure import Structure

MIXED = -1  # frames of more than one set, or a union that no original frame has


@dataclass(frozen=True, eq=False)
class Labelling:
    """sets: the different sets of labels of the original frames; frames: for all clips one after the other, the index
    of each frame's set; starts: (clips + 1,) where each clip's frames begin in it; captured: (sets,) captured frames
    of each set."""

    sets: tuple[frozenset[str], ...]
    frames: np.ndarray
    starts: np.ndarray
    captured: np.ndarray

    @classmethod
    def of(cls, clips) -> "Labelling":
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

    def at(self, clip, frame) -> np.ndarray:
        """The set of single frames; arrays of clips and frames."""
        return self.frames[self.starts[clip] + frame]
