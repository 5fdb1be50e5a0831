"""The matrix of distances between two clips, for looking at and for reading off minima."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.metric import image, stream
from motiongraph.metric.cache import Cache, open_cache
from motiongraph.metric.metric import Metric
from motiongraph.metric.minima import MINIMUM, best_first, scan_matrix, settle, with_fields
from motiongraph.metric.pairs import RELATIVE, ROWS, Pair, pair
from motiongraph.progress import SILENT, Progress

# Above this a matrix does not fit into ordinary memory; the streaming search has no such bound.
_LARGEST = 8 << 30


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """Every window of one clip against every window of another.

    Rows and columns are window starts counted from the clips' first captured frames: row i is frame first_a + i of
    clip a, column j is frame first_b + j of clip b. `alignment` and `minima` count the same way.

    The matrix is for looking at: its costs are float32, within 0.1 mm, and their last digits may differ between
    processors. Minima, their costs and alignments are computed in float64 and do not.
    """

    cost: np.ndarray  # (NA − L + 1, NB − L + 1) float32, in `metric.unit` (cm for clouds), read-only
    pair: Pair
    own: bool  # a clip against itself

    @property
    def a(self) -> str:
        """The name of the clip along the rows."""
        return self.pair.a.name

    @property
    def b(self) -> str:
        """The name of the clip along the columns."""
        return self.pair.b.name

    @property
    def metric(self) -> Metric:
        """What was measured."""
        return self.pair.a.metric

    @property
    def fps(self) -> float:
        """Frames a second of both clips."""
        return self.pair.a.fps

    @property
    def window(self) -> int:
        """L, the frames of a window."""
        return self.pair.window

    @property
    def first_a(self) -> int:
        """The frame of clip a in row 0."""
        return self.pair.a.first

    @property
    def first_b(self) -> int:
        """The frame of clip b in column 0."""
        return self.pair.b.first

    def __repr__(self) -> str:
        n, m = self.cost.shape
        return f"DistanceMatrix({self.a!r} × {self.b!r}, {n} × {m}, {self.cost.min():.2f} {self.metric.unit} at best)"

    @property
    def raw(self) -> np.ndarray:
        """(n, m) the sums that the costs are the means of: D of METRIC.md 4 in metres² for clouds, else the sum over
        the joints of the differences (degrees …) to the power of the metric's order. The dissertation's are sums."""
        if self.metric.kind in ("dissertation", "combined"):
            return self.cost
        if self.metric.kind == "cloud":
            return (self.cost / 100.0) ** 2 * np.float32(self.pair.a.cloud.total * self.pair.a.weights.sum())
        return self.cost**self.metric.order * np.float32(self.pair.a.total)

    def alignment(self, i: int, j: int) -> tuple[float, float, float]:
        """theta (radians), x0, z0 (metres): b's window j turned about y and then shifted meets a's window i best.

        In the terms of `Clip.moved`, b.moved(theta, x0, z0). "in-place" and joint angles bring b's root to a's without
        turning; "none" moves nothing.
        """
        n, m = self.cost.shape
        if not (-n <= i < n and -m <= j < m):
            raise MotionError(f"windows ({i}, {j}) lie outside a matrix of {n} × {m}")
        _, theta, x0, z0 = self.pair.exact(i % n, j % m)
        return float(theta[0]), float(x0[0]), float(z0[0])

    def minima(
        self,
        threshold: float | None = None,
        method: str = "neighbours",
        radius: int | None = None,
        border: bool = True,
    ) -> np.ndarray:
        """Local minima, a structured array (a, b, cost) sorted by cost; a and b are rows and columns.

        threshold: only costs up to it. method: "neighbours", lower than all eight around (de Chenu 2006, 3.8.1.1), or
        "partial", a change of sign of the differences along both directions (3.8.1.2): lower than the four beside.
        Of a plateau of equal cells the first counts, and only if nothing beside the plateau is lower. radius: drop
        those with a better one within that many frames both ways. border: whether cells at the edge, which have fewer
        neighbours, can be minima. A clip against itself: cells with |a − b| < L are no transitions and are left out,
        with any plateau that reaches them; the others come twice, as (a, b) and (b, a).
        """
        pair, error = self.pair, self.pair.error
        ceiling = None if threshold is None else pair.rank(float(threshold))
        ranks = self.cost * self.cost if error else self.cost
        candidates = scan_matrix(ranks, ceiling, method, error, RELATIVE if error else 0.0)
        if self.own:
            apart = np.abs(candidates["a"].astype(int) - candidates["b"])
            candidates = candidates[apart >= self.window]
        found = pair.settled(candidates)
        if threshold is not None:
            found = found[found["cost"] <= np.float32(threshold)]
        minima = settle(found, None if border else self.cost.shape)
        return with_fields(best_first(minima, radius), MINIMUM)

    def save_image(
        self,
        path: str | os.PathLike[str],
        threshold: float | None = None,
        minima: bool = True,
        annotated: bool = False,
        percentile: float = 100.0,
        **options: Any,
    ) -> None:
        """Write the matrix as a picture; see `image.save`."""
        image.save(self, path, threshold, minima, annotated, percentile, **options)

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Write the costs as text, a line a row: `.csv`, or `.dat` and `.txt` for Gnuplot (`plot "f.dat" matrix with
        image`), where comments say what they are."""
        suffix = Path(path).suffix.lower()
        if suffix not in (".csv", ".dat", ".txt"):
            raise MotionError(f"{path}: tables are written as .csv, .dat or .txt")
        about = (
            f"{self.a} (rows, from frame {self.first_a}) against {self.b} (columns, from frame {self.first_b})\n"
            f"costs in {self.metric.unit}, windows of {self.window} frames at {self.fps:g} Hz"
        )
        with writing(path, "w", encoding="utf-8") as file:
            if suffix == ".csv":
                np.savetxt(file, self.cost, "%.5g", ",")
            else:
                np.savetxt(file, self.cost, "%.5g", " ", header=about)

    def save_numbers(self, path: str | os.PathLike[str], threshold: float | None = None, **options: Any) -> None:
        """Write costs, minima with their alignments, and what they mean as a numpy `.npz`."""
        minima = self.minima(threshold, **options)
        _, theta, x0, z0 = self.pair.exact(minima["a"], minima["b"])
        about = {"a": self.a, "b": self.b, "unit": self.metric.unit, "window": self.window, "fps": self.fps}
        about |= {"first_a": self.first_a, "first_b": self.first_b, "metric": repr(self.metric)}
        alignment = {"theta": theta, "x0": x0, "z0": z0}
        with writing(path) as file:
            np.savez(file, cost=self.cost, minima=minima, **alignment, **about)


def distance_matrix(
    a: Any,
    b: Any,
    metric: Metric | None = None,
    *,
    cache: "Cache | Literal[False] | None" = None,
    progress: Progress = SILENT,
) -> DistanceMatrix:
    """Every window of clip a against every window of clip b; a, b: clips, or clips prepared by `metric.prepare`.

    cache: a `Cache`, False for none; by default the user's.
    """
    metric = metric or Metric()
    if not hasattr(a, "digest"):
        a, b = metric.prepare(a, like=b), metric.prepare(b, like=a)
    asked = pair(a, b)
    if 4 * len(a) * len(b) > _LARGEST:
        raise MotionError(
            f"the matrix of {a.name!r} and {b.name!r} would hold {len(a):,} × {len(b):,} costs; "
            "find_minima searches it without"
        )
    own, turned = a.digest == b.digest, a.digest > b.digest
    # One order of the two clips whoever is named first, so that exchanging them transposes the matrix to the bit.
    ordered = pair(b, a) if turned else asked
    key = f"matrix {ordered.a.digest} {ordered.b.digest}"
    store = open_cache() if cache is None else cache or None
    kept = store.get(key) if store else None
    if kept is None:
        cost = _compute(ordered, own, turned, progress)
        if store:
            store.put(key, {"cost": cost, "turned": np.array([turned])})
    else:
        cost = kept["cost"] if kept["turned"][0] == turned else _transposed(kept["cost"])
    cost.flags.writeable = False
    return DistanceMatrix(cost, asked, own)


def _compute(ordered: Pair, own: bool, turned: bool, progress: Progress) -> np.ndarray:
    """The costs of a pair (n, m), or transposed if `turned`."""
    n, m = ordered.shape
    result = np.empty((m, n) if turned else (n, m), np.float32)
    cost = result.T if turned else result

    def work(rectangle: stream.Rectangle, tick: Callable[[int], None]) -> None:
        a0, a1, b0, b1 = rectangle
        first, last, west, east = stream.with_neighbours(rectangle, (n, m))
        sweep = ordered.sweep(first, last, west, east)
        block, row = np.empty((ROWS, east - west), np.float32), first
        while written := sweep.advance(block, 0, 0):
            ordered.shown(block[:written], row, west)
            above, below = max(row, a0), min(row + written, a1)
            cost[above:below, b0:b1] = block[above - row : below - row, b0 - west : b1 - west]
            row += written
            tick(written * (b1 - b0))

    rectangles = stream.rectangles((n, m), 0 if own else None)
    total = sum((a1 - a0) * (b1 - b0) for a0, a1, b0, b1 in rectangles)
    stream.run(rectangles, work, total, progress, "comparing motions")
    if own:
        _mirror(cost)
    return result


def _transposed(cost: np.ndarray, block: int = 256) -> np.ndarray:
    """The transpose as an array of its own, block by block for the sake of the cache."""
    turned = np.empty(cost.shape[::-1], cost.dtype)
    for i in range(0, len(cost), block):
        for j in range(0, len(turned), block):
            turned[j : j + block, i : i + block] = cost[i : i + block, j : j + block].T
    return turned


def _mirror(cost: np.ndarray, block: int = 512) -> None:
    """Copy the upper triangle to the lower, block by block."""
    n = len(cost)
    for i in range(0, n, block):
        below = np.tril_indices(min(block, n - i), -1)
        square = cost[i : i + block, i : i + block]
        square[below] = square.T[below]
        for j in range(i + block, n, block):
            cost[j : j + block, i : i + block] = cost[i : i + block, j : j + block].T
