"""A matrix of costs between two clips, as the panel shows it: at every scale, with its histogram and minima."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.metric import overview
from motiongraph.metric.distance import distance_matrix
from motiongraph.metric.metric import Metric
from motiongraph.progress import Progress, stretch

if TYPE_CHECKING:
    from motiongraph.metric.distance import DistanceMatrix

METHODS = ("neighbours", "partial")
_SHARE = 0.04  # of the cells lie below the threshold at first


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
    levels: tuple[np.ndarray, ...]  # see `overview.pyramid`
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

    def below(self, threshold: float) -> int:
        """How many of the minima cost no more than that."""
        return int(np.searchsorted(self.minima["cost"], np.float32(threshold), side="right"))


def compared(a: Entry, b: Entry, metric: Metric, search: Search, progress: Progress) -> Heat:
    """Everything the panel shows of a matrix; on a worker."""
    found = distance_matrix(a.part, b.part, metric, progress=stretch(progress, 0.0, 0.7))
    levels = overview.pyramid(found.cost, stretch(progress, 0.7, 0.8))
    counts, edges = overview.histogram(found.cost, progress=stretch(progress, 0.8, 0.9))
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
