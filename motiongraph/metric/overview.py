"""A large matrix at a glance: its lowest costs at every scale, and how its costs are spread."""

from collections.abc import Iterator

import numpy as np

from motiongraph.progress import SILENT, Progress

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
