"""Two prepared clips against each other: blocks of costs, row after row, and single windows in full precision.

Every kind of metric offers the same few things, which is all that matrices, minima and graphs know of it: `shape`,
`window`, `sweep(...)`, `settled(...)` and `exact(a, b)`. A new metric is a new kind of features and of pair.

A sweep writes ranks, which order windows as their costs do: squared costs for clouds, costs for the others. Ranks of
clouds come from float32 products and are uncertain by `error`; `settled` decides in float64 what they leave open.
"""

from typing import Any, Protocol

import numpy as np

from motiongraph.elementary import arctan2
from motiongraph.errors import MotionError
from motiongraph.metric._exact import beside, exact_cells, settle_cells
from motiongraph.metric._kernels import slide, weigh
from motiongraph.metric.bodies import Bodies
from motiongraph.metric.minima import AROUND, FOUND, with_fields

# Frames of A in one matrix product: large enough for BLAS, small enough that the products stay in the cache.
ROWS = 64
# Relative error of a rank through the few float32 operations after the products.
RELATIVE = 1e-6
# D / M in m² below which a cost (0.001 cm) is rounding: shown as zero, so that copies of a clip form one plateau.
_NOTHING = 1e-10
# cm by which a cost that a matrix shows may be off. Where float32 could be off by more, the exact cost is shown.
_SHOWN = 0.5e-2


class Sweep(Protocol):
    """Ranks of a strip of the matrix, a few rows at a time; one thread's workspace."""

    @property
    def finished(self) -> bool:
        """Whether every row has been written."""
        ...

    def advance(self, cost: np.ndarray, row: int, column: int) -> int:
        """Write the next rows, at most `ROWS`, to cost[row:, column:]; returns how many, 0 at the end."""
        ...


class Pair(Protocol):
    """What matrices and searches know of two prepared clips a and b."""

    a: Any
    b: Any
    window: int
    shape: tuple[int, int]
    error: float  # how far a rank of the sweep may be off

    def rank(self, cost: float) -> float: ...
    def shown(self, ranks: np.ndarray, a0: int, b0: int) -> None: ...
    def sweep(self, a0: int, a1: int, b0: int, b1: int, ceiling: float = np.inf) -> Sweep: ...
    def settled(self, candidates: np.ndarray) -> np.ndarray: ...
    def exact(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...


def pair(a: Any, b: Any) -> Pair:
    """The pair of two prepared clips; refuses those that cannot be compared."""
    if type(a) is not type(b) or a.metric.key != b.metric.key:
        raise MotionError(f"{a.name!r} and {b.name!r} were prepared for different metrics")
    if abs(a.fps - b.fps) > 1e-3 * a.fps:
        raise MotionError(f"{a.name!r} has {a.fps:g} frames a second and {b.name!r} {b.fps:g}; resample one of them")
    return a.against(b)


class ExactPair:
    """Pairs whose sweeps are the same on every processor: ranks are costs, and nothing is left open."""

    error = 0.0

    def rank(self, cost: float) -> float:
        """The cost itself."""
        return cost

    def shown(self, ranks: np.ndarray, a0: int, b0: int) -> None:
        """Ranks are already costs."""

    def settled(self, candidates: np.ndarray) -> np.ndarray:
        """The candidates with their alignments, as FOUND."""
        result = with_fields(candidates, FOUND)
        if len(result):
            _, result["theta"], result["x0"], result["z0"] = self.exact(result["a"], result["b"])
        return result

    def exact(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Costs and alignments of single windows."""
        raise NotImplementedError


def _gamma(terms: int) -> float:
    """Relative error of a float32 sum of products in any order, fused or not, against Σ |x y| (Higham 2002, 3.1)."""
    return terms * 2.0**-24 / (1.0 - terms * 2.0**-24)


class CloudPair:
    """Windows of a against windows of b by their point clouds."""

    def __init__(self, a: Bodies, b: Bodies):
        if a.cloud.key != b.cloud.key:
            raise MotionError(
                f"{a.name!r} and {b.name!r} have other joints or proportions; prepare them like each other, or retarget"
            )
        self.a, self.b = a, b
        self.window = a.window
        self.shape = len(a), len(b)
        # D/M = E − 2Y − 2√(C² + S²). By Cauchy and Schwarz, Σ |x y| is at most the product of the bodies' lengths.
        (xz, y), (xz2, y2) = a.sizes, b.sizes
        product = 2.0 * np.sqrt(2.0) * _gamma(a.xz.shape[1]) * xz * xz2 + 2.0 * _gamma(a.y.shape[1]) * y * y2
        self.error = float(1e4 * (product + 2.0**-32))  # cm²; the last is for the grid of `_kernels`

    def rank(self, cost: float) -> float:
        """Squared cost, cm²."""
        return cost * cost

    def shown(self, ranks: np.ndarray, a0: int, b0: int) -> None:
        """Turn ranks, the first of which is cell (a0, b0), into costs to be looked at; small ones become exact."""
        np.sqrt(ranks, out=ranks)
        # A rank off by e means a cost c off by c − √(c² − e), which is at most s from c = (e + s²) / 2s on. A tenth of
        # its bound is allowed for e; a 35th was the most found with BLAS kernels for AVX-512, AVX2 and SSE.
        limit = np.float32((0.1 * self.error + _SHOWN**2) / (2.0 * _SHOWN))
        if ranks.min() < limit:
            i, j = np.nonzero(ranks < limit)
            down = np.lexsort((i, j - i))
            i, j = i[down], j[down]
            ranks[i, j] = 100.0 * np.sqrt(self._means(self.sums(a0 + i, b0 + j)[2]))

    def sweep(self, a0: int, a1: int, b0: int, b1: int, ceiling: float = np.inf) -> "CloudSweep":
        """A `CloudSweep` over the windows a0 … a1−1 of a and b0 … b1−1 of b; ranks above the ceiling (cm) may be
        infinite."""
        return CloudSweep(self, a0, a1, b0, b1, ceiling)

    def settled(self, candidates: np.ndarray) -> np.ndarray:
        """Those of the candidates (see `minima.Scanner`) that really have no lower neighbour, as FOUND: with exact
        costs, alignments, and `ties` for neighbours that cost exactly the same."""
        result = with_fields(self._unbeaten(candidates), FOUND)
        down = np.lexsort((result["a"], result["b"] - result["a"]))
        result = result[down]
        a, b = result["a"].astype(np.int64), result["b"].astype(np.int64)
        ties, sums, total = result["ties"].copy(), np.empty((len(a), 3)), self.a.weights.sum()
        settle_cells(*self._arrays(a, b), self.a.stills, self.b.stills, ties, AROUND, _NOTHING * total, sums)
        lowest = sums[:, 0] >= 0.0
        result, sums = result[lowest], sums[lowest]
        result["cost"], result["ties"] = 100.0 * np.sqrt(sums[:, 0] / total), ties[lowest]
        result["theta"], result["x0"], result["z0"] = self._aligned(a[lowest], b[lowest], sums)
        return result

    def _unbeaten(self, candidates: np.ndarray) -> np.ndarray:
        """Those that no other candidate beside them is lower than. Where little moves, nearly all cells are candidates;
        down a diagonal their exact distances cost little."""
        down = np.lexsort((candidates["a"], candidates["b"].astype(np.int64) - candidates["a"]))
        candidates = candidates[down]
        D = self.sums(candidates["a"], candidates["b"])[2][:, 0]
        across = np.lexsort((candidates["b"], candidates["a"]))
        candidates, total = candidates[across], self.a.weights.sum()
        beaten = np.zeros(len(D), np.uint8)
        beside(*(candidates[k].astype(np.int64) for k in ("a", "b", "ties")), D[across], _NOTHING * total, beaten)
        return candidates[beaten == 0]

    def exact(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Costs (n,) in cm and alignments theta, x0, z0 (n,) of single windows a, b (n,), in float64."""
        a, b, sums = self.sums(a, b)
        return 100.0 * np.sqrt(self._means(sums)), *self._aligned(a, b, sums)

    def _aligned(self, a: np.ndarray, b: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """theta, x0, z0 (n,) of windows a, b (n,) from their sums (n, 3)."""
        A, B = self.a, self.b
        if A.metric.align != "planar":
            x0, z0 = np.zeros((2, len(a)))
            if A.shift is not None and B.shift is not None:
                x0, z0 = (A.shift[a] - B.shift[b]).T
            return np.zeros(len(a)), x0, z0
        size = np.sqrt(sums[:, 1] ** 2 + sums[:, 2] ** 2)
        flat = size == 0.0  # any turn will do: none
        cos, sin = (np.where(flat, still, sums[:, k] / np.where(flat, 1.0, size)) for k, still in ((1, 1.0), (2, 0.0)))
        root = np.sqrt(A.weights.sum())
        x, z = A.starts[:2, a] / root + A.origins(a)
        x2, z2 = B.starts[:2, b] / root + B.origins(b)
        return arctan2(sin, cos), x - x2 * cos - z2 * sin, z + x2 * sin - z2 * cos

    def sums(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Single windows a, b (n,) and their D, C and S (n, 3), in float64."""
        a, b = (np.ascontiguousarray(np.atleast_1d(i), np.int64) for i in (a, b))
        out = np.empty((len(a), 3))
        exact_cells(*self._arrays(a, b), out)
        return a, b, out

    def _arrays(self, a: np.ndarray, b: np.ndarray) -> tuple[Any, ...]:
        """What the kernels of `_exact` take first."""
        A = self.a
        return A.xz, A.y, A.left, A.starts, *self.b.across, A.weights, A.even, a, b

    def _means(self, sums: np.ndarray) -> np.ndarray:
        """D / M in m² (n,) from what `sums` gives (n, 3)."""
        total = self.a.weights.sum()
        return np.where(sums[:, 0] > _NOTHING * total, sums[:, 0] / total, 0.0)


class CloudSweep:
    """Works down a strip of the matrix, from the products of frames (BLAS) to ranks; one thread's workspace.

    Running sums are carried from block to block, so every pair of frames is multiplied once.
    """

    def __init__(self, pair: CloudPair, a0: int, a1: int, b0: int, b1: int, ceiling: float = np.inf):
        self.pair, self.a0, self.b0, self.b1 = pair, a0, b0, b1
        self.frames = a1 - a0 + pair.window - 1
        self.scale = np.float32(1e4 / pair.a.weights.sum())
        # Enough more than the ceiling that neither rounding nor the error of a rank decides anything.
        self.far = np.float32(2.001 * (ceiling**2 + pair.error) / self.scale)
        self.done = 0
        A, B, L = pair.a, pair.b, pair.window
        strip = slice(b0, b1 + L - 1)
        N = b1 - b0 + L - 1
        Q = len(A.left)
        slots = -(-L // ROWS) + 1
        self.u = np.empty((slots, Q, ROWS, N), np.float32)
        self.acc = np.zeros((Q, N + ROWS))
        self.right = np.ascontiguousarray(B.right[:, :, strip])
        self.others = np.ascontiguousarray(B.starts[:, b0:b1])
        self.scratch = np.empty((2, b1 - b0), np.float32)
        self.xz, self.y = B.xz[strip].T, B.y[strip].T
        self.block = np.zeros((Q - 1, ROWS, A.xz.shape[1]), np.float32)
        self.heights = np.zeros((ROWS, A.y.shape[1]), np.float32)
        if not A.even:
            self.v = np.empty(self.u.shape)
            self.g = np.concatenate([A.weights, np.zeros(-L % 4)])

    @property
    def finished(self) -> bool:
        """Whether every row has been written."""
        return self.done >= self.frames

    def advance(self, cost: np.ndarray, row: int, column: int) -> int:
        """Write the next rows, at most `ROWS`, to cost[row:, column:column + b1 − b0]; returns how many, 0 at the end.

        cost: (·, ·) float32, contiguous.
        """
        A, L = self.pair.a, self.pair.window
        written = 0
        while not written and not self.finished:
            rows = min(ROWS, self.frames - self.done)
            self._multiply(self.a0 + self.done, rows)
            where = self.a0, self.done, rows
            if A.even:
                written = slide(
                    self.u, A.left, self.right, self.acc, A.starts, self.others,
                    L, *where, self.scale, self.far, self.scratch, cost, row, column,
                )  # fmt: skip
            else:
                written = weigh(
                    self.u, self.v, A.left, self.right, self.acc, A.starts, self.others,
                    self.g, L, *where, self.scale, self.far, self.scratch, cost, row, column,
                )  # fmt: skip
            self.done += rows
        return written

    def _multiply(self, first: int, rows: int) -> None:
        """The products of these frames of A with the strip's, into their slot of the ring."""
        A = self.pair.a
        u = self.u[(self.done // ROWS) % len(self.u)]
        self.block[0, :rows] = A.xz[first : first + rows]
        self.heights[:rows] = A.y[first : first + rows]
        if len(u) == 3:
            K, here = A.y.shape[1], A.xz[first : first + rows]
            np.negative(here[:, K:], out=self.block[1, :rows, :K])
            self.block[1, :rows, K:] = here[:, :K]
        tall = (len(u) - 1) * ROWS
        np.matmul(self.block.reshape(tall, len(self.xz)), self.xz, out=u[:-1].reshape(tall, u.shape[2]))
        np.matmul(self.heights, self.y, out=u[-1])
