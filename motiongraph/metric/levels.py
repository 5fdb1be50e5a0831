"""Lower bounds of many costs at once: which parts of the matrix cannot hold a cost up to the ceiling.

The aligned cost of two windows is a metric d, so that d(i', j') ≥ d(i, j) − d(i, i') − d(j, j'). One window stands for
all those of a cell, whose radius is the largest distance to it. Of the windows that stand for cells only the leading
directions are multiplied; Cauchy and Schwarz bound what the rest can add:

    d(i, j)² ≥ e_i + e_j − 2 (|⟨Pz_i, Pz_j⟩| + ρ_i ρ_j) − 2 (⟨Qy_i, Qy_j⟩ + σ_i σ_j)

A pair of cells goes on where that is no more than (ceiling + r_i + r_j)². All but the complex product is one real
product W of two vectors: cells go on where W ≤ |⟨Pz_i, Pz_j⟩|. Rounding is bounded and taken off (METRIC.md 10).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiongraph.metric.bodies import Bodies, over_windows
from motiongraph.metric.pairs import CloudPair
from motiongraph.metric.sketch import FAR, UNIT, Sketch, slack

# Windows of a cell, and directions of turns and of heights, of every level.
LEVELS = ((8, 8, 8), (4, 24, 24))
# Polynomials over a window in which directions are looked for, and windows to find them from.
_TIME, _SAMPLE = 8, 3000


@dataclass(frozen=True, eq=False)
class Projection:
    """Orthonormal directions of whole windows."""

    time: np.ndarray  # (L, T) polynomials
    turn: np.ndarray  # (T m + PATH, M) complex
    rise: np.ndarray  # (T k, N)

    @classmethod
    def of(cls, blocks: Sequence[tuple[Sketch, np.ndarray]]) -> "Projection":
        """The leading directions of windows of these sketches; with the weights (L,) of their frames."""
        weights = blocks[0][1]
        t = np.linspace(-1.0, 1.0, len(weights))
        time = np.linalg.qr(np.vander(t, min(_TIME, len(t)), increasing=True))[0]
        each = max(_SAMPLE // len(blocks), 1)
        parts = []
        for sketch, g in blocks:
            there = np.flatnonzero(sketch.energy < 0.5 * FAR)
            parts.append(_series(sketch, g, time, there[:: max(len(there) // each, 1)]))
        z, y = (np.concatenate(each) for each in zip(*parts))
        return cls(time, _leading(z.conj().T @ z, LEVELS[-1][1]), _leading(y.T @ y, LEVELS[-1][2]))


def _leading(moments: np.ndarray, count: int) -> np.ndarray:
    return np.ascontiguousarray(np.linalg.eigh(moments)[1][:, ::-1][:, :count])


def _series(sketch: Sketch, g: np.ndarray, time: np.ndarray, windows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients over time of windows: (n, T m + PATH) complex of turns and paths, (n, T k) of heights."""
    rooted = np.sqrt(g)[:, None] * time
    xz, y = (
        np.lib.stride_tricks.sliding_window_view(q, len(g), axis=0)[windows] @ rooted for q in (sketch.xz, sketch.y)
    )
    m = xz.shape[1] // 2
    z = (xz[:, :m] + 1j * xz[:, m:]).reshape(len(windows), -1)
    path = sketch.path[0::2, windows] + 1j * sketch.path[1::2, windows]
    return np.concatenate([z, path.T], axis=1), y.reshape(len(windows), -1)


@dataclass(frozen=True, eq=False)
class Level:
    """The n cells of a block at one level, each a few windows that follow each other."""

    first: np.ndarray  # (n,) int64 the first window of each cell
    count: np.ndarray  # (n,) int64 its windows
    turn: np.ndarray  # (n, 2M) float32: real and then imaginary coefficients of the window that stands for it
    turned: np.ndarray  # (n, 2M): multiplied by i
    left: np.ndarray  # (n, N + 5) float32: what W is the product of
    right: np.ndarray  # (n, N + 5)

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(
        cls,
        bodies: Bodies,
        sketch: Sketch,
        projection: Projection,
        level: tuple[int, int, int],
        ceiling: float,
    ) -> "Level":
        """Cells of the windows of a block, of which the first and the last stand alone; level: as one of `LEVELS`,
        ceiling: √ of a D."""
        size, M, N = level
        first, count = _cells(sketch.energy < 0.5 * FAR, size)
        middle = first + count // 2
        z, y = _series(sketch, bodies.weights, projection.time, middle)
        turn, rise = z @ projection.turn[:, :M], y @ projection.rise[:, :N]
        g = bodies.weights
        heights = over_windows(_squares(bodies.y) + (bodies.left[-1, 0] - sketch.height) ** 2, g)[0, middle]
        energy = sketch.energy[middle]
        # Sums in float64 are off by far less than what is added.
        rest = np.sqrt(np.maximum(energy - heights - _squares(turn), 0.0) + 1e-12 * energy)
        low = np.sqrt(np.maximum(heights - _squares(rise), 0.0) + 1e-12 * energy)
        reach = _radii(bodies, first, count, middle) + 0.5 * ceiling
        turn = np.concatenate([np.real(turn), np.imag(turn)], axis=1).astype(np.float32)
        M, half, one = turn.shape[1] // 2, 0.5 * (energy - reach**2), np.ones(len(first))
        both = np.concatenate([rise, np.stack([rest, low, reach], axis=1)], axis=1)
        # |x y| ≤ (x² + y²) / 2 shares the rounding of both products between the two cells.
        sizes = half**2 + 1.0 + _squares(both) + 2.0 * _squares(turn)
        half = half - 2.0 * (N + 2 * M + 16) * UNIT * sizes
        left = np.concatenate([half[:, None], one[:, None], -both], axis=1).astype(np.float32)
        right = np.concatenate([one[:, None], half[:, None], both], axis=1).astype(np.float32)
        return cls(first, count, turn, np.concatenate([-turn[:, M:], turn[:, :M]], axis=1), left, right)

    def leading(self, M: int, N: int) -> "Level":
        """The same cells by the leading directions of turns and of heights alone."""
        own, real = self.turn.shape[1] // 2, self.turn.astype(np.float64)
        both = self.right[:, 2:].astype(np.float64)
        rise, (rest, low, reach) = both[:, :-3], both[:, -3:].T
        # What is left out counts as the rest does; a little more, for rounding.
        rest = (1.0 + 1e-6) * np.sqrt(rest**2 + _squares(real[:, M:own]) + _squares(real[:, own + M :]))
        low = (1.0 + 1e-6) * np.sqrt(low**2 + _squares(rise[:, N:]))
        both = np.concatenate([rise[:, :N], np.stack([rest, low, reach], axis=1)], axis=1).astype(np.float32)
        turn = np.ascontiguousarray(np.concatenate([self.turn[:, :M], self.turn[:, own : own + M]], axis=1))
        left, right = (np.concatenate([x[:, :2], y], axis=1) for x, y in ((self.left, -both), (self.right, both)))
        return Level(self.first, self.count, turn, np.concatenate([-turn[:, M:], turn[:, :M]], axis=1), left, right)

    def cell_of(self, windows: int) -> np.ndarray:
        """(windows,) int32 the cell every window belongs to, −1 for windows that do not exist."""
        cells = np.full(windows, -1, np.int32)
        cells[_spread(self.first, self.count)] = np.repeat(np.arange(len(self), dtype=np.int32), self.count)
        return cells


def _cells(exists: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """First windows and numbers of windows of cells, of those that exist; the first and last window stand alone."""
    cell = np.arange(len(exists)) - 1
    cell = np.where(cell >= 0, cell // size, -1)
    cell[-1] = len(exists)
    there = np.flatnonzero(exists)
    if not len(there):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # A gap of windows that do not exist ends a cell as well.
    new = np.append(True, (np.diff(cell[there]) != 0) | (np.diff(there) != 1))
    begins = np.flatnonzero(new)
    return there[begins], np.diff(np.append(begins, len(there)))


def _spread(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """first[0], first[0] + 1, … of every cell, one after the other."""
    ends = np.cumsum(count)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count - first, count)


def _radii(bodies: Bodies, first: np.ndarray, count: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """(n,) the largest d of a cell's windows to the one in its middle."""
    if not len(first):
        return np.zeros(0)
    _, _, sums = CloudPair(bodies, bodies).sums(np.repeat(middle, count), _spread(first, count))
    begins = np.cumsum(count) - count
    largest = np.maximum(np.maximum.reduceat(sums[:, 0], begins), 0.0)
    return np.sqrt(largest + slack(bodies.window) + 1e-13 * bodies.starts[2, middle])


def _squares(values: np.ndarray) -> np.ndarray:
    """(n,) sums of squared sizes of values (n, m)."""
    values = values.astype(np.promote_types(values.dtype, np.float64))
    return np.einsum("nm,nm->n", values, values.conj()).real
