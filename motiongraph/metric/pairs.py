"""Two prepared clips against each other: blocks of costs, row after row, and single windows in full precision.

Every kind of metric offers the same few things, which is all that matrices, minima and graphs know of it:
`shape`, `window`, `sweep(...)` and `exact(a, b)`. A new metric is a new kind of features and of pair.
"""

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric._exact import exact_cells
from motiongraph.metric._kernels import slide

# Frames of A in one matrix product: large enough for BLAS, small enough that the products stay in the cache.
ROWS = 64
# Half the promised 0.1 mm, in metres.
_TOLERANCE = 0.5e-4
# D / M in m² below which a cost (0.001 cm) is rounding: shown as zero, so that copies of a clip form one plateau.
_NOTHING = 1e-10


def pair(a, b):
    """The pair of two prepared clips; refuses those that cannot be compared."""
    if type(a) is not type(b) or a.metric.key != b.metric.key:
        raise MotionError(f"{a.name!r} and {b.name!r} were prepared for different metrics")
    if abs(a.fps - b.fps) > 1e-3 * a.fps:
        raise MotionError(f"{a.name!r} has {a.fps:g} frames a second and {b.name!r} {b.fps:g}; resample one of them")
    return a.against(b)


class CloudPair:
    """Windows of a against windows of b by their point clouds; a and b: `Bodies`."""

    def __init__(self, a, b):
        if a.cloud.key != b.cloud.key:
            raise MotionError(
                f"{a.name!r} and {b.name!r} have other joints or proportions; prepare them like each other, or retarget"
            )
        self.a, self.b = a, b
        self.window = a.window
        self.shape = len(a), len(b)
        # A float32 product of K terms is off by about √K·2⁻²⁴ of its factors' lengths (Higham and Mary 2019, and thirty
        # times less in practice); a cost c with an error e in c² is off by e / 2c. Costs below this (cm) are mended.
        error = 2.0 * np.sqrt(a.xz.shape[1]) * 2.0**-24 * max(a.energy, b.energy)
        self.limit = 100.0 * error / (2.0 * _TOLERANCE)

    def sweep(self, a0, a1, b0, b1, band=None, ceiling=np.inf):
        """A `CloudSweep` over the windows a0 … a1−1 of a and b0 … b1−1 of b; of those with b − a < band, small costs
        need not be exact, and any above the ceiling may be infinite."""
        return CloudSweep(self, a0, a1, b0, b1, band, ceiling)

    def exact(self, a, b):
        """Costs (n,) in cm and alignments theta, x0, z0 (n,) of single windows a, b (n,), in float64."""
        A, B = self.a, self.b
        a, b, out = self._cells(a, b)
        total = A.weights.sum()
        cost = 100.0 * np.sqrt(np.maximum(out[:, 0], 0.0) / total)
        if A.metric.align != "planar":
            theta = np.zeros(len(a))
            x0, z0 = (A.shift[a] - B.shift[b]).T if A.shift is not None else np.zeros((2, len(a)))
            return cost, theta, x0, z0
        theta = np.arctan2(out[:, 2], out[:, 1])
        cos, sin = np.cos(theta), np.sin(theta)
        x, z = A.starts[:2, a] / np.sqrt(total) + A.origin[:, None]
        x2, z2 = B.starts[:2, b] / np.sqrt(total) + B.origin[:, None]
        return cost, theta, x - x2 * cos - z2 * sin, z + x2 * sin - z2 * cos

    def mended(self, a, b):
        """Costs (n,) of windows a, b (n,), too small for float32 products; the same for any choice of cells."""
        down = np.lexsort((a, b - a))
        a, b, out = self._cells(a[down], b[down], grid=True)
        mean = out[:, 0] / self.a.weights.sum()
        cost = np.empty(len(down), np.float32)
        cost[down] = 100.0 * np.sqrt(np.where(mean > _NOTHING, mean, 0.0))
        return cost

    def _cells(self, a, b, grid=False):
        a, b = (np.ascontiguousarray(np.atleast_1d(i), np.int64) for i in (a, b))
        A, out = self.a, np.empty((len(a), 3))
        exact_cells(A.xz, A.y, A.left, A.starts, *self.b.across, A.weights, A.even, grid, a, b, out)
        return a, b, out


class CloudSweep:
    """Works down a strip of the matrix, from the products of frames (BLAS) to costs; one thread's workspace.

    Running sums are carried from block to block, so every pair of frames is multiplied once.
    """

    def __init__(self, pair, a0, a1, b0, b1, band=None, ceiling=np.inf):
        self.pair, self.a0, self.b0, self.b1 = pair, a0, b0, b1
        self.frames = a1 - a0 + pair.window - 1
        self.band = band
        # A little more than the ceiling, so that rounding decides nothing.
        self.scale = np.float32(1e4 / pair.a.weights.sum())
        self.far = np.float32(2.001 * ceiling**2 / self.scale)
        self.done = self.written = 0
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
            from motiongraph.metric._taper import weigh  # compiled when first needed

            self.weigh, self.v = weigh, np.empty(self.u.shape)
            self.g = np.concatenate([A.weights, np.zeros(-L % 4)])

    @property
    def finished(self) -> bool:
        """Whether every row has been written."""
        return self.done >= self.frames

    def advance(self, cost, row, column) -> int:
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
                written = self.weigh(
                    self.u, self.v, A.left, self.right, self.acc, A.starts, self.others,
                    self.g, L, *where, self.scale, self.far, self.scratch, cost, row, column,
                )  # fmt: skip
            self.done += rows
        if written:
            self._mend(cost, row, column, written)
            self.written += written
        return written

    def _multiply(self, first, rows):
        """The products of these frames of A with the strip's, into their slot of the ring."""
        A = self.pair.a
        u = self.u[(self.done // ROWS) % len(self.u)]
        # Always whole blocks: BLAS adds the terms of a single row in another order.
        self.block[0, :rows] = A.xz[first : first + rows]
        self.heights[:rows] = A.y[first : first + rows]
        if len(u) == 3:
            np.negative(A.zx[first : first + rows], out=self.block[1, :rows])
        tall = (len(u) - 1) * ROWS
        np.matmul(self.block.reshape(tall, len(self.xz)), self.xz, out=u[:-1].reshape(tall, u.shape[2]))
        np.matmul(self.heights, self.y, out=u[-1])

    def _mend(self, cost, row, column, rows):
        """Compute again what is too small for float32 products."""
        block = cost[row : row + rows, column : column + self.b1 - self.b0]
        if block.min() < self.pair.limit:
            i, j = np.nonzero(block < np.float32(self.pair.limit))
            a, b = self.a0 + self.written + i, self.b0 + j
            if self.band is not None:
                kept = b - a >= self.band
                i, j, a, b = i[kept], j[kept], a[kept], b[kept]
            block[i, j] = self.pair.mended(a, b)
