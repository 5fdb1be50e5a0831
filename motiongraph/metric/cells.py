"""What a graph keeps of its clips so that others can be added soon: their cells (`levels`).

Comparing a new clip with a database would begin with preparing every pose of it anew, which takes a hundred times
longer than the comparison. The cells, thirty bytes a frame, tell which windows of old clips can be within the ceiling
of any window of the new ones; only the frames of those are prepared, and compared as always. Windows left out lie above
the ceiling, so that no minimum below it has a lower neighbour among them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.metric.bodies import Bodies
from motiongraph.metric.levels import Level, Projection
from motiongraph.metric.pruned import coarse_pairs
from motiongraph.metric.sketch import Directions
from motiongraph.metric.stream import ahead

if TYPE_CHECKING:
    from motiongraph.metric.tape import Block, Tape

_DIRECTIONS = 8, 8  # of turns and of heights, that cells are kept with: more make them larger and hardly tell more
_NEW = 2  # windows of a cell of new clips, of which there are few
_ANYWHERE = -(1 << 40)


@dataclass(frozen=True, eq=False)
class Cells:
    """n cells of C clips, all of their windows up to one ceiling."""

    directions: Directions  # that sketches, and with them the cells, were made with
    projection: Projection
    clip: np.ndarray  # (n,) int32 number of the clip of each cell, rising
    first: np.ndarray  # (n,) int32 its first window, counted from the first captured frame
    count: np.ndarray  # (n,) int32 its windows
    turn: np.ndarray  # (n, 2M) float32, see `Level`
    bound: np.ndarray  # (n, N + 4) float32: `Level.right` without its ones
    digests: tuple[str, ...]  # (C) of the clips as prepared
    origin: np.ndarray  # (C, 2) metres, see `Bodies`

    @classmethod
    def of(cls, tape: "Tape", blocks: "Sequence[Block]") -> "Cells":
        """The cells of all clips on a tape, cut into these blocks for a search that prunes."""
        plan = blocks[0].plan
        assert plan.projection is not None
        place, count, turn, right = [], [], [], []
        for block, level in zip(blocks, ahead(_finest, blocks)):
            # The first and the last window of a block are its neighbours'.
            inside = (level.first > 0) & (level.first < len(block.bodies) - 1)
            place.append(level.first[inside] + block.at)
            count.append(level.count[inside])
            turn.append(level.turn[inside])
            right.append(level.right[inside, 1:])
        at = np.concatenate(place)
        clip = np.searchsorted(tape.begins, at, side="right") - 1
        return cls(
            plan.directions,
            plan.projection,
            clip.astype(np.int32),
            (at - tape.begins[clip]).astype(np.int32),
            np.concatenate(count).astype(np.int32),
            np.concatenate(turn),
            np.concatenate(right),
            tape.digests,
            np.ascontiguousarray(tape.bodies.origin[:, tape.begins[:-1]].T),
        )

    @classmethod
    def all(cls, parts: "Sequence[Cells]") -> "Cells":
        """Those of several tapes, whose clips are numbered one after the other."""
        clips, before, found = sum(len(part.digests) for part in parts), 0, list[Cells]()
        for part in parts:
            found.append(part.renumbered(before + np.arange(len(part.digests)), clips))
            before += len(part.digests)
        return reduce(Cells.joined, found)

    @property
    def windows(self) -> int:
        return int(self.count.sum())

    def usable(self, bodies: Bodies) -> bool:
        """Whether windows of these bodies can be compared with the cells."""
        return len(self.directions.turn) == bodies.y.shape[1] and len(self.directions.path) == bodies.window > 1

    def near(self, blocks: "Sequence[Block]") -> np.ndarray:
        """(n,) bool: which cells may hold windows within the ceiling of a window of these blocks, whose cells were
        made with the same directions."""
        M, one = self.turn.shape[1] // 2, np.ones((len(self.clip), 1), np.float32)
        turned = np.concatenate([-self.turn[:, M:], self.turn[:, :M]], axis=1)
        left = np.concatenate([self.bound[:, :1], one, -self.bound[:, 1:]], axis=1)
        level = Level(self.first.astype(np.int64), self.count.astype(np.int64), self.turn, turned, left, left)
        near = np.zeros(len(self.clip), bool)
        for block in blocks:
            near[coarse_pairs(level, block.level(_NEW, *_DIRECTIONS), _ANYWHERE)[:, 0]] = True
        return near

    def frames(self, chosen: np.ndarray, window: int) -> dict[int, np.ndarray]:
        """Clip → the frames (m,) of the windows of chosen cells (n,) bool, of clips that have any."""
        clips, first, stop = self.clip[chosen], self.first[chosen], (self.first + self.count)[chosen] + window - 1
        found = {}
        for edges in np.split(np.arange(len(clips)), np.flatnonzero(np.diff(clips)) + 1):
            if len(edges):
                mark = np.zeros(int(stop[edges].max()) + 1, np.int32)
                np.add.at(mark, first[edges], 1)
                np.add.at(mark, stop[edges], -1)
                found[int(clips[edges[0]])] = np.flatnonzero(np.cumsum(mark))
        return found

    def renumbered(self, number: np.ndarray, clips: int) -> "Cells":
        """Of those that stay: number (C,) the new number of every clip, −1 for those that go; clips: how many numbers
        there are. The digests of numbers that nobody has are empty."""
        if clips == len(number) and np.array_equal(number, np.arange(clips)):
            return self
        clip = number[self.clip]
        order = np.argsort(clip, kind="stable")
        order = order[clip[order] >= 0]
        digests, origin = [""] * clips, np.zeros((clips, 2))
        for old, new in enumerate(number.tolist()):
            if new >= 0:
                digests[new], origin[new] = self.digests[old], self.origin[old]
        kept = {name: getattr(self, name)[order] for name in ("first", "count", "turn", "bound")}
        return replace(self, clip=clip[order].astype(np.int32), digests=tuple(digests), origin=origin, **kept)

    def joined(self, other: "Cells") -> "Cells":
        """With those of other clips, by numbers that these do not have; both have places for all digests."""
        names = "clip", "first", "count", "turn", "bound"
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        order = np.argsort(both["clip"], kind="stable")
        digests = tuple(a or b for a, b in zip(self.digests, other.digests))
        origin = np.where(np.array([bool(a) for a in self.digests])[:, None], self.origin, other.origin)
        return replace(self, digests=digests, origin=origin, **{name: array[order] for name, array in both.items()})

    def fits(self, window: int, lengths: Sequence[int]) -> bool:
        """Whether these are the cells of clips of so many captured frames, as this version makes them."""
        M, N = _DIRECTIONS
        windows, d, p = np.array(lengths) - window + 1, self.directions, self.projection
        shapes = (
            len(self.clip) == len(self.first) == len(self.count) == len(self.turn) == len(self.bound)
            and self.turn.shape[1:] == (2 * M,)
            and self.bound.shape[1:] == (N + 4,)
            and len(self.digests) == len(self.origin) == len(windows)
            and len(d.path) == len(p.time) == window
            and p.turn.shape[0] == p.time.shape[1] * d.turn.shape[1] + d.path.shape[1]
            and p.rise.shape[0] == p.time.shape[1] * (d.rise.shape[1] + 1)
            and len(d.turn) == len(d.rise)
        )
        if not shapes or not len(self.clip) or self.clip.min() < 0 or self.clip.max() >= len(windows):
            return False
        inside = (self.first >= 0) & (self.count > 0) & (self.first + self.count <= windows[self.clip])
        return bool((np.diff(self.clip) >= 0).all() and inside.all() and self.windows == windows.sum())


def _finest(block: "Block") -> Level:
    return block.levels[-1].leading(*_DIRECTIONS)
