"""Several error functions added up (de Chenu 2006, 3.7): a weighted sum of clouds, angles, their velocities, ….

Costs of clouds stream past in float32 and are uncertain by a little; what could be a minimum is settled by the sums in
float64.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.metric.minima import AROUND, FOUND, with_fields
from motiongraph.metric.pairs import ROWS, Pair, pair
from motiongraph.model.clip import Clip

if TYPE_CHECKING:
    from motiongraph.metric.metric import Metric


@dataclass(frozen=True, eq=False)
class Combined:
    """A clip as each of the error functions sees it."""

    metric: "Metric"
    name: str
    fps: float
    first: int  # first captured frame of the clip
    window: int  # L, frames of a window
    parts: tuple[Any, ...]  # prepared for each kind, those with an alignment first

    @classmethod
    def of(cls, metric: "Metric", clip: Clip, like: "Clip | Iterable[Clip] | None" = None) -> "Combined":
        """Prepare a clip, in the same way as the clips it will be compared with (`like`)."""
        parts = tuple(replace(metric, kind=kind, shares=None).prepare(clip, like) for kind in metric.shares or ())
        return cls(metric, clip.name, clip.fps, clip.first, metric.frames(clip.fps), parts)

    def __len__(self) -> int:
        """Windows of the clip."""
        return len(self.parts[0])

    @cached_property
    def digest(self) -> str:
        """Of everything a distance depends on."""
        text = f"{self.metric.key} {' '.join(part.digest for part in self.parts)}"
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def against(self, other: "Combined") -> "CombinedPair":
        """The pair of two clips prepared alike."""
        return CombinedPair(self, other)


class CombinedPair:
    """Windows of a against windows of b; see `pairs`. Ranks are costs."""

    def __init__(self, a: Combined, b: Combined):
        self.a, self.b, self.window = a, b, a.window
        self.shape = len(a), len(b)
        self.parts: list[tuple[float, Pair]] = [
            (share, pair(x, y)) for share, x, y in zip((a.metric.shares or {}).values(), a.parts, b.parts)
        ]
        # A cost is the root of a rank that is off by up to its error, or the rank itself; float32 adds its own.
        self.error = sum(share * np.sqrt(each.error) for share, each in self.parts)

    def rank(self, cost: float) -> float:
        """The cost itself."""
        return cost

    def shown(self, ranks: np.ndarray, a0: int, b0: int) -> None:
        """Ranks are already costs."""

    def sweep(self, a0: int, a1: int, b0: int, b1: int, ceiling: float = np.inf) -> "CombinedSweep":
        """A `CombinedSweep` over the windows a0 … a1−1 of a and b0 … b1−1 of b."""
        return CombinedSweep(self, a0, a1, b0, b1)

    def settled(self, candidates: np.ndarray) -> np.ndarray:
        """What of the candidates is no higher than its neighbours, with costs, ties and alignments, as FOUND."""
        result, lowest = with_fields(candidates, FOUND), np.ones(len(candidates), bool)
        if not len(result):
            return result
        cost, result["theta"], result["x0"], result["z0"] = self.exact(result["a"], result["b"])
        result["cost"], result["ties"] = cost, 0
        for k, (da, db) in enumerate(AROUND.tolist()):
            # Only neighbours that may be as low were marked; they all lie within the matrix.
            here = np.flatnonzero((candidates["ties"] >> k) & 1)
            if len(here):
                other = self.exact(result["a"][here] + da, result["b"][here] + db)[0].astype(np.float32)
                lowest[here] &= other >= result["cost"][here]
                result["ties"][here] |= ((other == result["cost"][here]) << k).astype(np.uint8)
        return result[lowest]

    def exact(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Costs (n,) and alignments theta, x0, z0 (n,) of windows a, b (n,): those of the first error function."""
        found = [each.exact(a, b) for _, each in self.parts]
        cost = np.zeros(len(found[0][0]))
        for (share, _), one in zip(self.parts, found):
            cost += share * one[0]
        return cost, *found[0][1:]


class CombinedSweep:
    """A strip of the matrix of a `CombinedPair`: added up at once, handed out row by row."""

    def __init__(self, pair: CombinedPair, a0: int, a1: int, b0: int, b1: int):
        self.total, self.done = np.zeros((a1 - a0, b1 - b0), np.float32), 0
        block = np.empty((ROWS, b1 - b0), np.float32)
        for share, each in pair.parts:
            sweep, row = each.sweep(a0, a1, b0, b1), 0
            while written := sweep.advance(block, 0, 0):
                each.shown(block[:written], a0 + row, b0)
                self.total[row : row + written] += np.float32(share) * block[:written]
                row += written

    @property
    def finished(self) -> bool:
        """Whether every row has been written."""
        return self.done >= len(self.total)

    def advance(self, cost: np.ndarray, row: int, column: int) -> int:
        """Write the next rows, at most `ROWS`, to cost[row:, column:]; returns how many, 0 at the end."""
        part = self.total[self.done : self.done + ROWS]
        cost[row : row + len(part), column : column + part.shape[1]] = part
        self.done += len(part)
        return len(part)
