"""A matrix of costs between two clips, as the panel shows it: at every scale, with its histogram and minima."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.metric.distance import distance_matrix
from motiongraph.metric.metric import Metric
from motiongraph.progress import SILENT, Progress, stretch

if TYPE_CHECKING:
    from motiongraph.metric.distance import DistanceMatrix


METHODS = ("neighbours", "partial")
_SHARE = 0.04  # of the cells lie below the threshold at first
_LEAST = 64  # cells along the longer side of the coarsest level
_ROWS = 512  # of a matrix at a time


def pyramid(cost: np.ndarray, progress: Progress = SILENT) -> tuple[np.ndarray, ...]:
    """The costs (n, m) and ever coarser levels of them, float32: a cell of level k is the lowest of 2^k × 2^k, so that
    no minimum vanishes. The last one is no longer than 64 cells."""
    levels = [cost]
    while max(levels[-1].shape) > _LEAST:
        levels.append(_halved(levels[-1], progress))
    return tuple(levels)


def _halved(cost: np.ndarray, progress: Progress) -> np.ndarray:
    """(⌈n/2⌉, ⌈m/2⌉): the lowest of two by two; what is left over at the edges stands for itself."""
    n, m = cost.shape
    half = np.empty(((n + 1) // 2, (m + 1) // 2), np.float32)
    for i in range(0, n, _ROWS):
        progress(i, n, "looking for the lowest")
        rows = cost[i : i + _ROWS]
        even, odd = rows[::2], rows[1::2]
        low = np.array(even)
        np.minimum(low[: len(odd)], odd, out=low[: len(odd)])
        out = half[i // 2 : i // 2 + len(low)]
        out[:] = low[:, ::2]
        np.minimum(out[:, : m // 2], low[:, 1::2], out=out[:, : m // 2])
    return half


def histogram(cost: np.ndarray, bins: int = 200, progress: Progress = SILENT) -> tuple[np.ndarray, np.ndarray]:
    """counts (bins,) of the costs (n, m) in equal steps from 0 to the highest, and the edges (bins + 1,) of the steps;
    a cost at an edge counts above it, the highest in the last step. What is not finite is left out."""
    high = max((float(np.max(rows, initial=0.0, where=np.isfinite(rows))) for rows in _strips(cost)), default=0.0)
    edges = np.linspace(0.0, high if high > 0.0 else 1.0, bins + 1)
    counts, scale = np.zeros(bins, np.int64), np.float32(bins / edges[-1])
    for done, rows in enumerate(_strips(cost)):
        progress(done * _ROWS, len(cost), "counting costs")
        rows = rows[np.isfinite(rows)]
        step = np.minimum((rows * scale).astype(np.int32), bins - 1)
        counts += np.bincount(step, minlength=bins)
    return counts, edges


def _strips(cost: np.ndarray) -> Iterator[np.ndarray]:
    return (cost[i : i + _ROWS] for i in range(0, len(cost), _ROWS))


def share_below(counts: np.ndarray, edges: np.ndarray, cost: float) -> float:
    """0 … 1: how many of the counted costs are below `cost`, as if they were even within each step."""
    total = int(counts.sum())
    return float(np.interp(cost, edges, np.concatenate([[0], np.cumsum(counts)]))) / max(total, 1)


def thinned(
    rows: np.ndarray, columns: np.ndarray, limits: tuple[float, float, float, float], cells: tuple[int, int]
) -> np.ndarray:
    """Which of the points at rows, columns (n,), the best first, to show: of those within the limits (first row, last
    row, first column, last column) the best in each of cells (down, across) equal fields. (k,) numbers, rising."""
    top, bottom, left, right = limits
    down, across = cells
    inside = np.flatnonzero((rows >= top) & (rows <= bottom) & (columns >= left) & (columns <= right))
    i = ((rows[inside] - top) * (down / max(bottom - top, 1e-9))).astype(np.int64)
    j = ((columns[inside] - left) * (across / max(right - left, 1e-9))).astype(np.int64)
    field = np.minimum(i, down - 1) * across + np.minimum(j, across - 1)
    best = np.full(down * across, -1, np.int64)
    best[field[::-1]] = inside[::-1]  # the best is written last
    return np.sort(best[best >= 0])


@dataclass(frozen=True)
class Search:
    """How local minima are found; see `DistanceMatrix.minima`."""

    method: str = "neighbours"  # one of METHODS
    radius: float = 8 / 120  # seconds
    border: bool = False


@dataclass(frozen=True, eq=False)
class Heat:
    """A computed matrix, as the panel shows it."""

    a: Entry  # the entries compared
    b: Entry
    matrix: DistanceMatrix
    levels: tuple[np.ndarray, ...]  # see `pyramid`
    counts: np.ndarray  # its histogram
    edges: np.ndarray
    minima: np.ndarray  # (n,) a, b, cost, the best first, found as `search` says
    search: Search
    number: int = 0  # no other matrix has it
    key: Hashable = None  # what it depends on, see `matrix.comparison`

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.cost.shape

    @property
    def unit(self) -> str:
        return self.matrix.metric.unit

    @property
    def window(self) -> int:
        return self.matrix.window

    @property
    def start_a(self) -> int:
        """The frame of clip A in row 0."""
        return self.a.start + self.matrix.first_a

    @property
    def start_b(self) -> int:
        """The frame of clip B in column 0."""
        return self.b.start + self.matrix.first_b

    @property
    def highest(self) -> float:
        return float(self.edges[-1])

    def percentile(self, percent: float) -> float:
        """The cost that so many percent of the cells do not exceed, to a step of the histogram."""
        passed = np.cumsum(self.counts) >= 0.01 * percent * self.counts.sum()
        return float(self.edges[1:][int(np.argmax(passed))])

    def below(self, threshold: float) -> int:
        """How many of the minima cost no more than that."""
        return int(np.searchsorted(self.minima["cost"], np.float32(threshold), side="right"))


def compared(a: Entry, b: Entry, metric: Metric, search: Search, progress: Progress) -> Heat:
    """Everything the panel shows of a matrix; on a worker."""
    found = distance_matrix(a.part, b.part, metric, progress=stretch(progress, 0.0, 0.7))
    levels = pyramid(found.cost, stretch(progress, 0.7, 0.8))
    counts, edges = histogram(found.cost, progress=stretch(progress, 0.8, 0.9))
    progress(0.9, 1.0, "finding minima")
    minima = minima_of(found, search)
    found.alignment(0, 0)  # compiles what pointing at a cell needs
    return Heat(a, b, found, levels, counts, edges, minima, search)


def minima_of(matrix: DistanceMatrix, search: Search) -> np.ndarray:
    """All local minima of a `DistanceMatrix`, the best first."""
    radius = round(search.radius * matrix.fps)
    found = matrix.minima(None, search.method, radius or None, search.border)
    return found[np.isfinite(found["cost"])]


def first_threshold(heat: Heat) -> float:
    """Where a few cells in a hundred are below it, and a minimum at least."""
    passed = np.cumsum(heat.counts) >= _SHARE * heat.counts.sum()
    threshold = float(heat.edges[1:][int(np.argmax(passed))])
    if len(heat.minima):
        threshold = max(threshold, 1.05 * float(heat.minima["cost"][0]))
    return float(f"{threshold:.2g}")
