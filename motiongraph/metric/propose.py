"""Candidates of a block of tape against a block, from their sketches."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from motiongraph.metric._sketch import propose
from motiongraph.metric.minima import CANDIDATE
from motiongraph.metric.sketch import FAR, UNIT, Sketch, slack
from motiongraph.metric.stream import Rectangle
from motiongraph.metric.workspace import workspace

# Frames of A in one matrix product, and windows of B in a strip: large enough for BLAS, small enough for the cache.
ROWS, STRIP = 64, 2048


def limit(ceiling: float, window: int, total: float) -> float:
    """The D (m², summed over a window) of the ceiling (cm), with room for rounding; total: weights of a window."""
    return (ceiling / 100.0) ** 2 * total * (1.0 + 1e-6) + slack(window)


def doubt(one: Sketch, other: Sketch, window: int) -> np.ndarray:
    """(n,) for every window of one, m²: D of a cell lies within its two windows' doubts of what `propose` computes.

    What is left out of sketches u, v is Σ u v, at most half of u² + v². Sums of n float32 products are off by
    γ_n Σ |x y| (Higham 2002, 3.1), again at most half of both energies; rounding the sketches adds two units, the
    last few operations a few of all energies, and whole numbers one step a frame.
    """
    terms = np.sqrt(2.0) * (one.xz.shape[1] + 4) + (one.y.shape[1] + 4) + 16
    whole = sum(w * window / scale for w, scale in zip((1.5, 1.0), scales(one, other)[:2]))
    rounding = 1.001 * terms * UNIT * one.energy + whole + slack(window)
    return np.where(one.energy < 0.5 * FAR, one.left_out + rounding, 0.0)


def scales(one: Sketch, other: Sketch) -> np.ndarray:
    """What makes whole numbers below 2³¹ of window sums of C and S, and of Y; and what undoes it, for 2 Y."""
    sizes = [max(1.01 * x * y, 1e-6) for x, y in zip(one.longest, other.longest)]
    up = [2.0 ** np.floor(np.log2(2.0**31 / size)) for size in sizes]
    return np.array([*up, 1.0 / up[0], 2.0 / up[1]], np.float32)


class Proposals:
    """Cells of two sketches that may be minima up to a ceiling, rectangle by rectangle."""

    def __init__(self, a: Sketch, b: Sketch, window: int, ceiling: float, band: int | None):
        """window: L; ceiling: cm; band: the least b − a."""
        self.a, self.b, self.window = a, b, window
        of_a, of_b = doubt(a, b, window), doubt(b, a, window)
        self.energy, self.energies = ((s.energy - d).astype(np.float32) for s, d in ((a, of_a), (b, of_b)))
        self.doubt, self.doubts = (1.0 + 1e-6) * of_a.astype(np.float32), 2.0 * (1.0 + 1e-6) * of_b.astype(np.float32)
        self.path = np.ascontiguousarray(a.path.T)
        self.limits = -(1 << 40) if band is None else band, scales(a, b), limit(ceiling, window, window)

    def within(self, rectangle: Rectangle, tick: Callable[[int], None]) -> np.ndarray:
        """Candidates (CANDIDATE, without costs); rectangle: a0, a1, b0, b1, windows with neighbours on every side."""
        a0, a1, b0, b1 = rectangle
        count = max(-(-(b1 - b0) // STRIP), 1)
        edges = [b0 + (b1 - b0) * k // count for k in range(count + 1)]
        return as_candidates(
            np.concatenate([part for low, high in pairwise(edges) for part in self._strip(a0, a1, low, high, tick)])
        )

    def _strip(self, a0: int, a1: int, b0: int, b1: int, tick: Callable[[int], None]) -> Iterator[np.ndarray]:
        """(n, 3) candidates a, b, ties of a strip of B, worked down a few rows at a time."""
        a, b, L, first, frames = self.a, self.b, self.window, a0 - 1, a1 - a0 + self.window + 1
        width, N, m, rows = b1 - b0 + 2, b1 - b0 + L + 1, a.xz.shape[1], min(ROWS, frames)
        windows, strip, slots = slice(b0 - 1, b1 + 1), slice(b0 - 1, b0 - 1 + N), -(-L // rows) + 1
        u, total = workspace("u", (slots, 3, rows, N), np.float32), np.zeros((3, N + frames), np.int32)
        cells = workspace("cells", (rows * (width - 2), 3), np.int64)  # next to none of it is ever touched
        least, lowest = np.empty((3, width), np.float32), np.empty((3, width - 2), np.float32)
        xz, y, (band, scale, ceiling) = b.xz[strip].T, b.y[strip].T, self.limits
        paths, energies, doubts = np.ascontiguousarray(b.path[:, windows]), self.energies[windows], self.doubts[windows]
        both, heights = np.zeros((2, rows, m), np.float32), np.zeros((rows, a.y.shape[1]), np.float32)
        yield np.empty((0, 3), np.int64)
        for done in range(0, frames, rows):
            now = min(rows, frames - done)
            here, slot = slice(first + done, first + done + now), u[done // rows % slots]
            both[0, :now], heights[:now] = a.xz[here], a.y[here]
            both[1, :now, : m // 2], both[1, :now, m // 2 :] = -a.xz[here, m // 2 :], a.xz[here, : m // 2]
            np.matmul(both.reshape(-1, m), xz, out=slot[:2].reshape(-1, N))
            np.matmul(heights, y, out=slot[2])
            count = propose(
                u, total, self.path, self.energy, self.doubt, paths, energies, doubts,
                L, first, done, now, band, b0, scale, ceiling, least, lowest, cells,
            )  # fmt: skip
            if count:
                yield cells[:count].copy()
            tick(now * (b1 - b0))


def as_candidates(cells: np.ndarray) -> np.ndarray:
    """CANDIDATE, without costs, of cells (n, 3): a, b, ties."""
    result = np.zeros(len(cells), CANDIDATE)
    result["a"], result["b"], result["ties"] = cells.T
    return result
