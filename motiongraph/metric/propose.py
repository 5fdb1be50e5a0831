"""Candidates of a block of tape against a block, from their sketches."""

import math
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from motiongraph.metric._sketch import propose
from motiongraph.metric.minima import CANDIDATE
from motiongraph.metric.sketch import FAR, UNIT, Sketch

# Frames of A in one matrix product, and windows of B in a strip: large enough for BLAS, small enough for the cache.
ROWS, STRIP = 64, 2048


def candidates(
    a: Sketch,
    b: Sketch,
    rectangle: tuple[int, int, int, int],
    window: int,
    ceiling: float,
    band: int | None,
    tick: Callable[[int], None],
) -> np.ndarray:
    """Every cell (CANDIDATE, without costs) of a rectangle that may be a minimum up to the ceiling.

    rectangle: a0, a1, b0, b1, windows with a neighbour on every side; window: L; ceiling: cm; band: the least b − a.
    """
    a0, a1, b0, b1 = rectangle
    strips = _Strips(a, b, a0, a1, window, limit(ceiling, window), -(1 << 40) if band is None else band)
    count = max(-(-(b1 - b0) // STRIP), 1)
    edges = [b0 + (b1 - b0) * k // count for k in range(count + 1)]
    cells = np.concatenate([part for low, high in pairwise(edges) for part in strips.search(low, high, tick)])
    result = np.zeros(len(cells), CANDIDATE)
    result["a"], result["b"], result["ties"] = cells.T
    return result


def limit(ceiling: float, window: int) -> float:
    """The D (m², summed over a window) of the ceiling (cm), with room for its rounding."""
    return (ceiling / 100.0) ** 2 * window * (1.0 + 1e-6) + 1e-12


def doubt(one: Sketch, other: Sketch, window: int) -> np.ndarray:
    """(n,) for every window of one, m²: D of a cell lies within its two windows' doubts of what `propose` computes.

    What is left out of sketches u, v is Σ u v, at most half of u² + v². Sums of float32 products are off by γ_n
    (Higham 2002, 3.1) and rounding the sketches by two units more, whole numbers by one a frame, and the last few
    operations by a few units of all energies.
    """
    shape = one.xz.shape[1] + 4, one.y.shape[1] + 4
    lengths = [x * y for x, y in zip(one.longest, other.longest)]
    products = sum(w * n * UNIT * size for w, n, size in zip((3.0, 2.0), shape, lengths))
    whole = sum(w * window / scale for w, scale in zip((3.0, 2.0), scales(one, other)[:2]))
    there = one.energy < 0.5 * FAR
    most = max((each.energy[each.energy < 0.5 * FAR].max(initial=0.0) for each in (one, other)), default=0.0)
    return np.where(there, one.left_out + 0.5 * (products + whole) + 16.0 * UNIT * (one.energy + most), 0.0)


def scales(one: Sketch, other: Sketch) -> np.ndarray:
    """What makes whole numbers below 2³¹ of window sums of C and S, and of Y; and what undoes it, for 2 Y."""
    sizes = [max(1.01 * x * y, 1e-6) for x, y in zip(one.longest, other.longest)]
    up = [2.0 ** np.floor(np.log2(2.0**31 / size)) for size in sizes]
    return np.array([*up, 1.0 / up[0], 2.0 / up[1]], np.float32)


_workspaces = threading.local()


def _workspace(name: str, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """An array of this thread, used again: fresh memory costs more than what is done with it."""
    size = math.prod(shape)
    kept = getattr(_workspaces, name, None)
    if kept is None or len(kept) < size:
        kept = np.empty(size, dtype)
        setattr(_workspaces, name, kept)
    return kept[:size].reshape(shape)


class _Strips:
    """Strips of B against the same windows of A, worked down a few rows at a time."""

    def __init__(self, a: Sketch, b: Sketch, a0: int, a1: int, window: int, ceiling: float, band: int):
        self.a, self.b, self.window = a, b, window
        self.first, self.frames = a0 - 1, a1 - a0 + window + 1
        of_a, of_b = doubt(a, b, window), doubt(b, a, window)
        self.energy, self.energies = ((s.energy - d).astype(np.float32) for s, d in ((a, of_a), (b, of_b)))
        self.doubt, self.doubts = (1.0 + 1e-6) * of_a.astype(np.float32), 2.0 * (1.0 + 1e-6) * of_b.astype(np.float32)
        self.path, self.limits = np.ascontiguousarray(a.path.T), (band, scales(a, b), ceiling)

    def search(self, b0: int, b1: int, tick: Callable[[int], None]) -> Iterator[np.ndarray]:
        """(n, 3) candidates a, b, ties among the windows b0 … b1 − 1 of B."""
        a, b, L, frames = self.a, self.b, self.window, self.frames
        width, N, m, rows = b1 - b0 + 2, b1 - b0 + L + 1, a.xz.shape[1], min(ROWS, frames)
        windows, strip, slots = slice(b0 - 1, b1 + 1), slice(b0 - 1, b0 - 1 + N), -(-L // rows) + 1
        u, total = _workspace("u", (slots, 3, rows, N), np.float32), np.zeros((3, N + frames), np.int32)
        cells = _workspace("cells", (rows * (width - 2), 3), np.int64)  # next to none of it is ever touched
        least, lowest = np.empty((3, width), np.float32), np.empty((3, width - 2), np.float32)
        xz, y, (band, scale, ceiling) = b.xz[strip].T, b.y[strip].T, self.limits
        paths, energies, doubts = np.ascontiguousarray(b.path[:, windows]), self.energies[windows], self.doubts[windows]
        both, heights = np.zeros((2, rows, m), np.float32), np.zeros((rows, a.y.shape[1]), np.float32)
        yield np.empty((0, 3), np.int64)
        for done in range(0, frames, rows):
            now = min(rows, frames - done)
            here, slot = slice(self.first + done, self.first + done + now), u[done // rows % slots]
            both[0, :now], both[1, :now], heights[:now] = a.xz[here], a.turned[here], a.y[here]
            np.matmul(both.reshape(-1, m), xz, out=slot[:2].reshape(-1, N))
            np.matmul(heights, y, out=slot[2])
            count = propose(
                u, total, self.path, self.energy, self.doubt, paths, energies, doubts,
                L, self.first, done, now, band, b0, scale, ceiling, least, lowest, cells,
            )  # fmt: skip
            if count:
                yield cells[:count].copy()
            tick(now * (b1 - b0))
