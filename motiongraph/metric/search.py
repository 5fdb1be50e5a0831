"""The streaming form: the minima of many pairs of clips without ever holding a matrix."""

import threading
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric import stream
from motiongraph.metric.cache import Cache, open_cache
from motiongraph.metric.metric import Metric
from motiongraph.metric.minima import ALIGNMENT, FOUND, MINIMUM, Scanner, best_first, settle, transposed, with_fields
from motiongraph.metric.pairs import RELATIVE, ROWS, Pair, pair
from motiongraph.progress import SILENT, Progress

TRANSITION = np.dtype(MINIMUM.descr + ALIGNMENT)


def find_minima(
    a: Any, b: Any, metric: Metric | None = None, *, progress: Progress = SILENT, **options: Any
) -> np.ndarray:
    """The minima of a against b as `search` finds them; a, b: clips, or clips prepared by `metric.prepare`."""
    metric = metric or Metric()
    if not hasattr(a, "digest"):
        a, b = metric.prepare(a, like=b), metric.prepare(b, like=a)
    return search([(a, b)], progress=progress, **options)[0]


def search(
    pairs: Iterable[tuple[Any, Any]],
    *,
    ceiling: float | None = None,
    radius: int | None = None,
    method: str = "neighbours",
    border: bool = True,
    cache: "Cache | Literal[False] | None" = None,
    progress: Progress = SILENT,
) -> list[np.ndarray]:
    """Minima of many pairs (a, b) of prepared clips, each a structured array sorted by cost.

    a, b: the starts of the windows, counted from the clip's first captured frame; cost as in a matrix; theta
    (radians), x0, z0 (metres): where b's motion has to be moved to meet a's (METRIC.md 4). A clip against itself
    gives each minimum once, with b ≥ a + L: nearer, a clip only meets itself.
    ceiling: leave out costs above it. radius (frames), method, border: see `DistanceMatrix.minima`.
    cache: a `Cache`, False for none; by default the user's. What is found for a pair is kept there at once, so that a
    search that was stopped goes on where it was.
    """
    comparisons = [_Comparison(a, b, ceiling, method) for a, b in pairs]
    store = open_cache() if cache is None else cache or None
    jobs: list[tuple[_Comparison, stream.Rectangle]] = []
    total = 0
    for c in comparisons:
        if not (store and c.recall(store)):
            jobs += [(c, rectangle) for rectangle in c.rectangles]
            total += c.cells
    stream.run(jobs, lambda job, tick: job[0].work(job[1], tick, store), total, progress, "comparing motions")
    return [c.minima(radius, border) for c in comparisons]


def find_cells(a: Any, b: Any, ceiling: float, most: int, tick: Callable[[int], None] = lambda _: None) -> np.ndarray:
    """Every cell of two prepared clips that costs no more than the ceiling, as `search` gives minima; more than `most`
    are refused. A clip against itself gives each once, with b ≥ a + L."""
    own, turned = a.digest == b.digest, a.digest > b.digest
    both = pair(b, a) if turned else pair(a, b)
    # Ranks may be off by their error: what could be low enough is settled exactly.
    limit = np.float32(both.rank(ceiling) * (1.0 + (RELATIVE if both.error else 0.0)) + both.error)
    parts, count = [np.empty(0, FOUND)], 0
    for a0, a1, b0, b1 in stream.rectangles(both.shape, both.window if own else None):
        sweep, row = both.sweep(a0, a1, b0, b1, ceiling), a0
        cost = np.empty((ROWS, b1 - b0), np.float32)
        while written := sweep.advance(cost, 0, 0):
            i, j = np.nonzero(cost[:written] <= limit)
            i, j = i + row, j + b0
            if own:
                i, j = i[j - i >= both.window], j[j - i >= both.window]
            found = np.zeros(len(i), FOUND)
            if len(i):
                found["a"], found["b"] = i, j
                found["cost"], found["theta"], found["x0"], found["z0"] = both.exact(i, j)
            parts.append(found[found["cost"] <= np.float32(ceiling)])
            count += len(parts[-1])
            if count > most:
                raise MotionError(f"more than {most:,} cells cost no more than {ceiling:g}; lower the ceiling")
            row += written
            tick(written * (b1 - b0))
    found = np.concatenate(parts)
    return with_fields(best_first(transposed(found) if turned else found), TRANSITION)


class _Comparison:
    """One pair on its way through `search`. Computed and settled in an order of the two clips that does not depend on
    which is named first, so that exchanging them exchanges the result and nothing else."""

    def __init__(self, a: Any, b: Any, ceiling: float | None, method: str):
        self.own = a.digest == b.digest
        self.turned = a.digest > b.digest
        self.full = pair(b, a) if self.turned else pair(a, b)
        self.pair, self.step = self.full, _step(a)
        self.ceiling, self.method = (np.inf if ceiling is None else float(ceiling)), method
        Scanner(self.ceiling, method)  # refuses what it does not know before any work is done
        self.asked_ceiling = self.ceiling
        if self.step > 1:
            # What lies just above the ceiling at the lower rate may lie below it at the full one.
            self.ceiling = 1.1 * self.ceiling + 0.5
            self.pair = pair(self.full.a.every(self.step), self.full.b.every(self.step))
        self.band = self.pair.window if self.own else None
        self.rectangles = stream.rectangles(self.pair.shape, self.band)
        self.cells = sum((a1 - a0) * (b1 - b0) for a0, a1, b0, b1 in self.rectangles)
        self.found, self.left, self.lock = [np.empty(0, FOUND)], len(self.rectangles), threading.Lock()
        self.key = f"minima {method} {self.step} {self.pair.a.digest} {self.pair.b.digest}"

    def recall(self, store: Cache) -> bool:
        """Take the candidates from the cache, if it has them up to the ceiling."""
        kept = store.get(self.key)
        if kept is None or not kept["ceiling"][0] >= self.ceiling:
            return False
        candidates = kept["candidates"]
        self.found, self.left = [candidates[candidates["cost"] <= np.float32(self.ceiling)]], 0
        return True

    def work(self, rectangle: stream.Rectangle, tick: Callable[[int], None], store: Cache | None) -> None:
        """Scan one rectangle."""
        found = scan(self.pair, rectangle, self.ceiling, self.method, self.band, tick)
        with self.lock:
            self.found.append(found)
            self.left -= 1
            complete = self.left == 0
        if complete and store:
            store.put(self.key, {"ceiling": np.array([self.ceiling]), "candidates": np.concatenate(self.found)})

    def minima(self, radius: int | None, border: bool) -> np.ndarray:
        """The table of the pair, once every rectangle was scanned."""
        candidates = np.concatenate(self.found)
        # Threads finish in any order; the table of a pair is the same every time.
        candidates = candidates[np.lexsort((candidates["b"], candidates["a"]))]
        minima = settle(candidates, None if border else self.pair.shape)
        if self.step > 1:
            minima = self._refined(minima, border)
        minima = best_first(minima, radius)
        return with_fields(best_first(transposed(minima)) if self.turned else minima, TRANSITION)

    def _refined(self, minima: np.ndarray, border: bool) -> np.ndarray:
        """Minima at the full rate: from each coarse one, downhill to where no neighbour is lower."""
        n, m = self.full.shape
        edge = 0 if border else 1
        cell = np.stack([minima["a"], minima["b"]], axis=1).astype(np.int64) * self.step
        cell = np.unique(np.clip(cell, edge, (n - 1 - edge, m - 1 - edge)), axis=0)
        moves = np.array([(da, db) for da in (-1, 0, 1) for db in (-1, 0, 1)])
        cost, moving = self.full.exact(*cell.T)[0], np.arange(len(cell))
        while len(moving):
            around = np.clip(cell[moving, None] + moves, edge, (n - 1 - edge, m - 1 - edge))
            costs = self.full.exact(*around.reshape(-1, 2).T)[0].reshape(len(moving), -1)
            best = costs.argmin(axis=1)
            lower = costs[np.arange(len(moving)), best] < cost[moving]
            moving, best, around, costs = moving[lower], best[lower], around[lower], costs[lower]
            cell[moving], cost[moving] = around[np.arange(len(moving)), best], costs[np.arange(len(moving)), best]
        cell = np.unique(cell, axis=0)
        refined = np.zeros(len(cell), FOUND)
        refined["a"], refined["b"] = cell.T
        refined["cost"], refined["theta"], refined["x0"], refined["z0"] = self.full.exact(*cell.T)
        kept = refined["cost"] <= np.float32(self.asked_ceiling)
        if self.own:
            kept &= refined["b"] - refined["a"] >= self.full.window
        return refined[kept]


def _step(features: Any) -> int:
    rate = features.metric.search_fps
    if rate is None or features.fps <= rate:
        return 1
    if features.metric.kind != "cloud":
        raise MotionError("a reduced search rate is for the cloud metric; joint angles are compared at every frame")
    return max(1, round(features.fps / rate))


def scan(
    pair: Pair,
    rectangle: stream.Rectangle,
    ceiling: float,
    method: str,
    band: int | None,
    tick: Callable[[int], None],
) -> np.ndarray:
    """Candidates (FOUND) of one rectangle of the matrix, looked for a few rows at a time."""
    a0, a1, b0, b1 = rectangle
    first, last, west, east = stream.with_neighbours(rectangle, pair.shape)
    width = b1 - b0 + 2
    scanner = Scanner(pair.rank(ceiling), method, band, pair.error, RELATIVE if pair.error else 0.0)
    cost = np.full((ROWS + 3, width), np.inf, np.float32)
    sweep = pair.sweep(first, last, west, east, ceiling)
    have, top = (1 if a0 == 0 else 0), a0
    while written := sweep.advance(cost, have, west - (b0 - 1)):
        have += written
        if a1 == last and sweep.finished:
            cost[have] = np.inf
            have += 1
        scanner.scan(cost, have, top, b0, width)
        kept = min(have, 2)
        cost[:kept] = cost[have - kept : have]
        top, have = top + have - kept, kept
        tick(written * (b1 - b0))
    found = pair.settled(scanner.candidates())
    return found[found["cost"] <= np.float32(ceiling)]
