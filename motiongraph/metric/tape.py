"""Many prepared clips end to end on one tape, compared block by block.

Comparing clip by clip makes blocks as short as clips happen to be: ninety clips of seven seconds are four thousand
small comparisons. Blocks of a tape are as long as is good for the processor, and every core has one. Windows that would
cross from one clip into the next do not exist. What is found does not depend on the order of the clips or the blocks.

A block against a block is a pure function of the two and of the ceiling (`compare`).
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric import stream
from motiongraph.metric.bodies import Bodies
from motiongraph.metric.cache import Cache
from motiongraph.metric.cells import Cells
from motiongraph.metric.cluster import compare_on
from motiongraph.metric.levels import LEVELS, Level, Projection
from motiongraph.metric.propose import Proposals, limit
from motiongraph.metric.pruned import Kept, prune
from motiongraph.metric.search import scan
from motiongraph.metric.sketch import FAR, Directions, Sketch
from motiongraph.metric.tape_minima import minima_of, named
from motiongraph.progress import SILENT, Comparing, Progress

if TYPE_CHECKING:
    from distributed import Client

    from motiongraph.metric.metric import Metric

SEARCHES = ("pruned", "exhaustive")
# Windows in a block: longer ones gain nothing (scripts/bench.py distance), shorter ones keep every core busy. A block
# of which next to nothing is compared may be longer.
_LONGEST, _LONGEST_PRUNED, _SHORTEST = 2048, 8192, 256
# Windows of a set that is searched whole before bounds are worked out.
FEW = 8192


@dataclass(frozen=True, eq=False)
class Tape:
    """Clips one after the other, all prepared alike."""

    bodies: Bodies  # of all frames
    begins: np.ndarray  # (C + 1,) frame at which each clip begins, and the end
    digests: tuple[str, ...]  # of the clips
    parts: tuple[np.ndarray, ...] | None = None  # frames of each that are on it; None: all

    @classmethod
    def of(
        cls, clips: Iterable[Bodies], frames: Sequence[int] | None = None, whole: Sequence[str] | None = None
    ) -> "Tape":
        """Put clips on a tape. frames: how many each has; clips are then taken one by one and need not all be held.
        whole: the digests of the clips of which these are parts."""
        if frames is None:
            clips = list(clips)
            frames = [len(clip.xz) for clip in clips]
        clips = iter(clips)
        first = next(clips)
        # Between two clips lies at least one window that does not exist, or their cells would be neighbours.
        gap = 1 if first.window == 1 else 0
        # Before the first window and after the last lies one more, so that every block has neighbours.
        begins = 1 + np.append(0, np.cumsum(np.asarray(frames) + gap))
        total, windows = int(begins[-1]) + 1, int(begins[-1]) + 1 - first.window + 1
        bodies = replace(
            first,
            name="tape",
            xz=np.zeros((total, first.xz.shape[1]), np.float32),
            y=np.zeros((total, first.y.shape[1]), np.float32),
            left=np.zeros((*first.left.shape[:2], total)),
            right=np.zeros((*first.right.shape[:2], total)),
            starts=np.zeros((3, windows)),
            origin=np.zeros((2, windows)),
            shift=None if first.shift is None else np.zeros((windows, 2)),
        )
        bodies.starts[2] = FAR
        digests = []
        for clip, begin, count in zip(chain([first], clips), begins.tolist(), frames):
            assert len(clip.xz) == count
            there, at = slice(begin, begin + count), slice(begin, begin + len(clip))
            bodies.xz[there], bodies.y[there] = clip.xz, clip.y
            bodies.left[:, :, there], bodies.right[:, :, there] = clip.left, clip.right
            bodies.starts[:, at], bodies.origin[:, at] = clip.starts, clip.origin[:, None]
            if bodies.shift is not None:
                bodies.shift[at] = clip.shift
            if whole is None:
                digests.append(clip.digest)
        return cls(bodies, begins, tuple(whole or digests))

    @cached_property
    def _windows(self) -> np.ndarray:
        """(n,) of a tape of parts: which window of its clip each window is."""
        found = np.zeros(len(self.bodies), np.int64)
        for part, begin in zip(self.parts or (), self.begins.tolist()):
            here = part[: len(found) - begin]
            found[begin : begin + len(here)] = here
        return found

    def clip_at(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Clips (n,) and their windows (n,) at these places (n,)."""
        clip = np.searchsorted(self.begins, place, side="right") - 1
        return clip, place - self.begins[clip] if self.parts is None else self._windows[place]

    def place(self, clip: np.ndarray, window: np.ndarray) -> np.ndarray:
        """(n,) where these windows (n,) of clips (n,) lie."""
        if self.parts is None:
            return self.begins[clip] + window
        there = np.flatnonzero(self.bodies.starts[2] < 0.5 * FAR)
        clips, windows = self.clip_at(there)
        return there[np.searchsorted(clips << 32 | windows, clip.astype(np.int64) << 32 | window)]

    def __len__(self) -> int:
        """Clips on it."""
        return len(self.digests)

    def blocks(self, plan: "Plan") -> list["Block"]:
        """The tape cut into blocks of about equal length."""
        windows = len(self.bodies) - 2
        count = max(-(-windows // plan.longest), min(4 * stream.workers(), -(-windows // _SHORTEST)))
        edges = [1 + windows * k // count for k in range(count + 1)]
        return [self._block(low, high, plan) for low, high in pairwise(edges)]

    def _block(self, low: int, high: int, plan: "Plan") -> "Block":
        """Windows low … high − 1, with a neighbour on either side."""
        b, window = self.bodies, self.bodies.window
        first, last = low - 1, high + 1
        frames, windows = slice(first, last + window - 1), slice(first, last)
        part = replace(
            b,
            name=f"windows {low} to {high}",
            xz=b.xz[frames],
            y=b.y[frames],
            left=np.ascontiguousarray(b.left[:, :, frames]),
            right=np.ascontiguousarray(b.right[:, :, frames]),
            starts=np.ascontiguousarray(b.starts[:, windows]),
            origin=np.ascontiguousarray(b.origin[:, windows]),
            shift=None if b.shift is None else b.shift[windows],
        )
        return Block(part, plan, first)


@dataclass(frozen=True, eq=False)
class Block:
    """A stretch of a tape."""

    bodies: Bodies  # its windows and a neighbour on either side
    plan: "Plan"  # of the search
    at: int  # place of the first of them on the tape

    @property
    def windows(self) -> int:
        """Windows of its own: 1 … windows of `bodies`."""
        return len(self.bodies) - 2

    @cached_property
    def sketch(self) -> Sketch:
        return Sketch.of(self.bodies, self.plan.directions)

    @cached_property
    def levels(self) -> list[Level]:
        """Its cells, coarse and then fine."""
        return [self.level(*level) for level in LEVELS]

    def level(self, size: int, turns: int, heights: int) -> Level:
        """Its cells of so many windows, by the leading directions of turns and of heights."""
        assert self.plan.projection is not None
        ceiling = np.sqrt(limit(self.plan.ceiling, self.bodies.window, self.bodies.weights.sum()))
        return Level.of(self.bodies, self.sketch, self.plan.projection, (size, turns, heights), float(ceiling))

    @cached_property
    def cell_of(self) -> np.ndarray:
        """(n,) int32 the finest cell of every window."""
        return self.levels[-1].cell_of(len(self.bodies))

    @cached_property
    def key(self) -> str:
        """The same for blocks with the same windows, wherever they lie."""
        digest = blake2b(self.bodies.digest.encode(), digest_size=16)
        digest.update(self.bodies.starts.data)
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Pairing:
    """Two blocks to compare."""

    a: Block
    b: Block
    apart: int | None  # least b − a on the tape, where that matters
    both: bool  # whether a is of the clips that were known before

    @property
    def windows(self) -> int:
        """Pairs of windows."""
        return self.a.windows * self.b.windows

    def key(self, method: str) -> str:
        """Of what is found, in the cache."""
        return f"block2 {method} {self.apart and self.apart + self.a.at - self.b.at} {self.a.key} {self.b.key}"


@dataclass(frozen=True, eq=False)
class Plan:
    """How blocks are compared, the same for all blocks of a search."""

    ceiling: float  # cm
    method: str  # of minima
    directions: Directions  # of sketches
    projection: Projection | None  # of cells; None where every pair of windows is looked at

    @property
    def longest(self) -> int:
        """Windows of a block."""
        return _LONGEST if self.projection is None else _LONGEST_PRUNED

    @classmethod
    def of(cls, tapes: Sequence[Tape], ceiling: float, method: str, search: str) -> "Plan":
        if search not in SEARCHES:
            raise MotionError(f"a search is {' or '.join(map(repr, SEARCHES))}, not {search!r}")
        bodies = [tape.bodies for tape in tapes]
        directions, projection = Directions.of(bodies), None
        if search == "pruned" and prunes(bodies[0].metric, ceiling, method) and sum(map(len, bodies)) >= FEW:
            sample = [b for tape in tapes for b in tape.blocks(cls(ceiling, method, directions, None))]
            sample = sample[:: max(len(sample) // 32, 1)]
            projection = Projection.of([(Sketch.of(b.bodies, directions), b.bodies.weights) for b in sample])
        return cls(ceiling, method, directions, projection)


def prunes(metric: "Metric", ceiling: float, method: str = "neighbours") -> bool:
    """Whether a search can leave out what lies above the ceiling: the bounds hold for aligned clouds only."""
    return metric.kind == "cloud" and metric.align == "planar" and bool(np.isfinite(ceiling)) and method == "neighbours"


def compare(a: Block, b: Block, apart: int | None, tick: Callable[[int], None]) -> tuple[np.ndarray, Kept]:
    """Candidates (FOUND) of two blocks, counted within them, and what was looked at; apart: least b − a on the tape,
    where that matters."""
    plan, pair = a.plan, a.bodies.against(b.bodies)
    band = None if apart is None else apart + a.at - b.at
    whole, settled = partial(scan, pair, ceiling=plan.ceiling, method=plan.method, band=band), _as_they_are
    if a.bodies.even and a.bodies.metric.align == "planar" and plan.method == "neighbours":
        whole = Proposals(a.sketch, b.sketch, pair.window, plan.ceiling, band).within
        settled = pair.settled
    if plan.projection is None:
        all_ = a.windows * b.windows
        found, kept = whole((1, a.windows + 1, 1, b.windows + 1), tick=tick), Kept(all_, [all_] * len(LEVELS), all_)
    else:
        found, kept = prune(a, b, plan.ceiling, band, whole, tick)
    found = settled(found)
    return found[found["cost"] <= np.float32(plan.ceiling)], kept


def _as_they_are(found: np.ndarray) -> np.ndarray:
    return found


def search_tape(
    old: Tape | Sequence[Bodies],
    new: Tape | Sequence[Bodies],
    *,
    ceiling: float,
    radius: int | None = None,
    method: str = "neighbours",
    search: str = "pruned",
    cache: Cache | None = None,
    client: "Client | None" = None,
    progress: Progress = SILENT,
    tally: Kept | None = None,
    plan: Plan | None = None,
    keep: Callable[[Cells], None] | None = None,
) -> np.ndarray:
    """Minima of every clip of `new` against every other, itself, and every clip of `old`.

    clip_a, clip_b: numbers of the clips, those of `old` first; a, b: starts of their windows; cost, theta, x0, z0 as in
    `search`. Each pair of clips comes once, a clip against itself with b ≥ a + L. search: "pruned" leaves out what
    must lie above the ceiling, "exhaustive" looks at all; the minima are the same. cache: keeps what was found, block
    by block, so that a search that was stopped goes on. client: of a Dask cluster whose workers compare the blocks.
    tally: is told what was looked at; keep: is given the cells of all clips, where there are any. plan: how to compare,
    found by default.
    """
    fresh = new if isinstance(new, Tape) else Tape.of(new)
    known = old if isinstance(old, Tape) else Tape.of(old) if old else None
    tapes = [tape for tape in (known, fresh) if tape is not None]
    plan = plan or Plan.of(tapes[::-1], ceiling, method, search)
    blocks, window = fresh.blocks(plan), fresh.bodies.window
    pairings = [Pairing(a, b, window, False) for j, b in enumerate(blocks) for a in blocks[: j + 1]]
    before = known.blocks(plan) if known is not None else []
    pairings += [Pairing(a, b, None, True) for a in before for b in blocks]
    found: list[tuple[bool, np.ndarray]] = []
    looked, lock, number = tally or Kept(), threading.Lock(), 0

    def collect(pairing: Pairing, rows: np.ndarray, kept: Kept) -> None:
        nonlocal number
        rows["a"] += pairing.a.at
        rows["b"] += pairing.b.at
        with lock:
            looked.add(kept)
            number += len(rows)
            if len(rows):
                found.append((pairing.both, rows))

    def remembered(pairing: Pairing) -> bool:
        """Whether the cache knew what these blocks have."""
        saved = cache.get(pairing.key(method)) if cache else None
        if saved is None or saved["ceiling"][0] < ceiling:
            return False
        rows = saved["candidates"][saved["candidates"]["cost"] <= np.float32(ceiling)]
        pairs, *levels, compared = saved["looked at"].tolist()
        collect(pairing, rows, Kept(pairs, levels, compared))
        return True

    def finish(pairing: Pairing, rows: np.ndarray, kept: Kept) -> None:
        if cache:
            seen = np.array([kept.pairs, *kept.levels, kept.compared])
            cache.put(pairing.key(method), {"ceiling": np.array([ceiling]), "candidates": rows, "looked at": seen})
        collect(pairing, rows, kept)

    def work(pairing: Pairing, tick: Callable[[int], None]) -> None:
        if remembered(pairing):
            tick(pairing.windows)
        else:
            finish(pairing, *compare(pairing.a, pairing.b, pairing.apart, tick))

    def report(done: float, total: float, what: str = "", /) -> None:
        share = done / max(total, 1.0)
        progress(done, total, what or Comparing(min(int(share * pairs) + 1, pairs), pairs, 2 * number))

    news, olds = len(fresh), len(known) if known else 0
    pairs = news * (news + 1) // 2 + olds * news
    if client is None:
        stream.run(pairings, work, sum(pairing.windows for pairing in pairings), report)
    else:
        compare_on(client, compare, [pairing for pairing in pairings if not remembered(pairing)], finish, report)
    pairings.clear()  # and with them all that blocks worked out
    if keep is not None and plan.projection is not None:
        cells = [Cells.of(tape, cut) for tape, cut in ((known, before), (fresh, blocks)) if tape is not None]
        keep(Cells.all(cells))
    before.clear()
    blocks.clear()
    parts = [named(rows, fresh if not both else known, fresh, olds, both) for both, rows in found]
    return minima_of(parts, tapes, radius or 0)
