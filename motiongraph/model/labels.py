"""Which words describe which frames: "walk", "turn-left", …"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from motiongraph.errors import MotionError

Span: TypeAlias = tuple[int, int]  # start, stop
# Words for all frames, one word, or word → one range or several.
LabelsLike: TypeAlias = "Labels | Iterable[str] | Mapping[str, Span | Sequence[Span]] | str"


_MOST = 1000  # different words in a clip; each is a mask of all frames


@dataclass(frozen=True, eq=False)
class Labels:
    """Iterating gives the words; `"walk" in labels` asks for one; `labels.at("walk")` is its (F,) mask."""

    names: tuple[str, ...]  # n words, sorted
    mask: np.ndarray  # (F, n) bool, which of them hold at each frame

    @classmethod
    def of(cls, frames: int, labels: LabelsLike = ()) -> "Labels":
        """Words that hold for all `frames`, or a mapping of word → (start, stop) or list of such ranges."""
        if isinstance(labels, Labels):
            if len(labels.mask) != frames:
                raise MotionError(f"labels for {len(labels.mask)} frames do not fit a clip of {frames}")
            return labels
        if isinstance(labels, str):
            labels = [labels]
        ranges = labels if isinstance(labels, Mapping) else dict.fromkeys(labels, (0, frames))
        names = tuple(sorted(ranges))
        if len(names) > _MOST:
            raise MotionError(f"{len(names):,} different labels are too many for a clip; it may have {_MOST:,}")
        mask = np.zeros((frames, len(names)), bool)
        for k, name in enumerate(names):
            for start, stop in np.asarray(ranges[name], int).reshape(-1, 2):
                mask[max(start, 0) : max(stop, 0), k] = True
        return cls._kept(names, mask)

    @classmethod
    def _kept(cls, names: tuple[str, ...], mask: np.ndarray) -> "Labels":
        """Without the words that hold nowhere."""
        used = np.flatnonzero(mask.any(axis=0))
        mask = np.ascontiguousarray(mask[:, used])
        mask.flags.writeable = False
        return cls(tuple(names[k] for k in used), mask)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.mask, other.mask)

    def __repr__(self) -> str:
        parts = []
        for name in self.names:
            share = self.at(name).mean()
            parts.append(name if share == 1.0 else f"{name} {share:.0%}")
        return f"Labels({', '.join(parts)})"

    def at(self, name: str) -> np.ndarray:
        """(F,) bool: where `name` holds; nowhere for a word that is not used."""
        if name not in self.names:
            return np.zeros(len(self.mask), bool)
        return self.mask[:, self.names.index(name)]

    def together(self) -> list[tuple[str, ...]]:
        """The sets of two and more words that hold at the same frame somewhere."""
        rows = self.mask[:1] if self.mask.all() else np.unique(self.mask, axis=0)
        return [tuple(n for n, has in zip(self.names, row) if has) for row in rows if row.sum() > 1]

    def spans(self) -> list[tuple[str, int, int]]:
        """(word, start, stop) of every unbroken stretch, by word and then by start."""
        spans = []
        for k, name in enumerate(self.names):
            edges = np.flatnonzero(np.diff(self.mask[:, k].astype(np.int8), prepend=0, append=0))
            spans += [(name, int(a), int(b)) for a, b in edges.reshape(-1, 2)]
        return spans

    def take(self, frames: slice | np.ndarray) -> "Labels":
        """The labels of these frames: a slice or an index array."""
        return self._kept(self.names, self.mask[frames])

    def ranges(self) -> dict[str, list[Span]]:
        """Word → (start, stop) of each of its stretches."""
        found: dict[str, list[Span]] = {}
        for word, start, stop in self.spans():
            found.setdefault(word, []).append((start, stop))
        return found

    def renamed(self, names: Mapping[str, str]) -> "Labels":
        """Words under the names they are given, where two get the same both; the others are dropped."""
        found: dict[str, list[Span]] = {}
        for word, start, stop in self.spans():
            if word in names:
                found.setdefault(names[word], []).append((start, stop))
        return Labels.of(len(self.mask), found)

    def union(self, other: "Labels") -> "Labels":
        """Frame by frame, the words of either; both must have the same number of frames (Kovar 2002, 3.3)."""
        if len(self.mask) != len(other.mask):
            raise MotionError(f"labels of {len(self.mask)} and of {len(other.mask)} frames cannot be joined")
        names = tuple(sorted({*self.names, *other.names}))
        return self._kept(names, np.stack([self.at(n) | other.at(n) for n in names], axis=1)) if names else self
