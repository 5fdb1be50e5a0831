"""What a transition may cost: given as one number, inside clips and between, or for pairs of labels; or automatic.

How much of a difference is seen depends on how fast the motion is: runs blend unseen over distances that would show in
a walk. An automatic threshold holds for slow motion. Faster motion is allowed more, by the square of how much faster
than a stroll it is (`Candidates.leeway`), as accelerations grow. A threshold set as a number is the same for all.

Raising the threshold keeps more of the motion in the pruned graph and makes its transitions more expensive. The share
of frames kept climbs steeply and then levels off, and the automatic choice is where it bends: of the thresholds that
keep at least three quarters of what the ceiling keeps, the one with the largest difference between share and cost, both
counted from 0 to 1 between nothing and the ceiling. It is then lowered as far as the share stays the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.candidates import Candidates
from motiongraph.graph.limits import HIGHEST
from motiongraph.graph.prune import prune
from motiongraph.progress import SILENT, Progress

ENOUGH = 0.75  # share of what the ceiling keeps
_STEPS = 41
POINT = np.dtype([("threshold", "f8"), ("share", "f8"), ("transitions", "i8"), ("mean_cost", "f8")])


@dataclass(frozen=True)
class Thresholds:
    """Highest costs that transitions may have, in cm or the metric's unit.

    Where several pairs apply to a transition, the lowest counts; where none does, `within` or `between`.
    """

    within: float  # for transitions inside a clip (Hoang and Truong's report)
    between: float  # from one clip to another
    pairs: tuple[tuple[tuple[str, str], float], ...] = ()  # between two labels (Kovar 2002, 3.2; Mao 2011, 4.2.1)
    paced: bool = False  # whether more is allowed to fast motion, as automatic thresholds do

    @classmethod
    def of(cls, threshold: "AnyThreshold") -> "Thresholds":
        """From a number, a mapping with "within" and "between", or a mapping of label pairs with a "default"."""
        if isinstance(threshold, Thresholds):
            return threshold
        if not isinstance(threshold, Mapping):
            value = _number(threshold)
            return cls(value, value)
        named = dict(threshold)
        default = named.pop("default", None)
        within, between = named.pop("within", default), named.pop("between", default)
        pairs = []
        for key, value in named.items():
            if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, str) for k in key)):
                raise MotionError(f"a threshold is for 'within', 'between', 'default' or a pair of labels, not {key!r}")
            pairs.append((key, _number(value)))
        if within is None or between is None:
            raise MotionError("a table of thresholds needs 'default', or both 'within' and 'between'")
        return cls(_number(within), _number(between), tuple(pairs))

    @classmethod
    def automatic(cls, threshold: float) -> "Thresholds":
        """What the number that `automatic` finds stands for."""
        return cls(threshold, threshold, paced=True)

    def raised(self, factor: float, most: float) -> "Thresholds":
        """Each times a factor, but none above `most`."""
        pairs = tuple((key, min(factor * value, most)) for key, value in self.pairs)
        return Thresholds(min(factor * self.within, most), min(factor * self.between, most), pairs, self.paced)

    @property
    def highest(self) -> float:
        """The highest of all of them."""
        return max([self.within, self.between, *(value for _, value in self.pairs)])

    def limits(self, candidates: Candidates) -> np.ndarray | float:
        """What each of the `Candidates` (T,) may cost at most, cm; one number where it is the same for all."""
        if self.paced:
            return self._plain_limits(candidates) * candidates.leeway
        return self._plain_limits(candidates)

    def _plain_limits(self, candidates: Candidates) -> np.ndarray | float:
        """The same for slow motion."""
        if not self.pairs and self.within == self.between:
            return self.within
        src, dst = candidates.ends
        limits = np.where(src == dst, self.within, self.between)
        if self.pairs:
            sets = candidates.labelling.sets
            table = np.full((len(sets),) * 2, np.inf)
            for (first, second), value in self.pairs:
                has = [np.array([label in s for s in sets]) for label in (first, second)]
                applies = np.logical_or(np.outer(has[0], has[1]), np.outer(has[1], has[0]))
                table[applies] = np.minimum(table[applies], value)
            own = table.ravel()[candidates.set_pairs]
            limits = np.where(np.isfinite(own), own, limits)
        return limits

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it; None for no limit."""

        def number(value: float) -> float | None:
            return value if np.isfinite(value) else None

        pairs = [[*key, number(value)] for key, value in self.pairs]
        return {"within": number(self.within), "between": number(self.between), "pairs": pairs} | (
            {"paced": True} if self.paced else {}
        )

    def __str__(self) -> str:
        """In cm, as a person would say it."""
        words = (
            f"{self.within:g}" if self.within == self.between else f"{self.within:g} within, {self.between:g} between"
        )
        return ", ".join([words, *(f"{a}–{b} {value:g}" for (a, b), value in self.pairs)])


AnyThreshold: TypeAlias = float | str | Mapping[Any, float] | Thresholds  # what a threshold can be given as


def _kept_at(c: Candidates, threshold: float) -> int:
    taken = c.cost <= threshold * c.leeway
    return prune(c.structure, c.layers, taken).frames


def automatic(candidates: Candidates, progress: Progress = SILENT) -> float:
    """The automatic threshold for slow motion, cm, in steps of 0.1; 0 where nothing can be kept at all."""
    costs = np.unique(candidates.cost / candidates.leeway)
    if not len(costs):
        return 0.0
    steps = np.linspace(0.0, costs[-1], _STEPS)[1:]
    known: dict[int, int] = {}  # step → frames kept, which never fall as the threshold rises

    def kept(step: int) -> int:
        if step not in known:
            progress(len(known), len(steps), "the automatic threshold")
            known[step] = _kept_at(candidates, steps[step])
        return known[step]

    last = len(steps) - 1
    if not kept(last):
        return 0.0
    best, most = last, 0.0
    waiting = [(0, last)]  # steps from the one to before the other
    while waiting:
        low, stop = waiting.pop()
        # What any of them could be at best: as cheap as the first, keeping as much as the one after the last.
        if low == stop or kept(stop) < ENOUGH * kept(last):
            continue
        if _gain(kept(stop), kept(last), steps[low], steps[-1]) < most:
            continue
        middle = (low + stop) // 2
        if kept(middle) >= ENOUGH * kept(last):
            gain = _gain(kept(middle), kept(last), steps[middle], steps[-1])
            if gain > most or (gain == most and middle < best):
                best, most = middle, gain
        waiting += [(low, middle), (middle + 1, stop)]
    # One decimal reads better on a slider, and rounding up keeps what is kept.
    low, high = 0, int(np.ceil(steps[best] * 10.0))
    while low + 1 < high:
        progress(len(steps), len(steps), "the automatic threshold")
        middle = (low + high) // 2
        if _kept_at(candidates, middle / 10.0) >= kept(best):
            high = middle
        else:
            low = middle
    return float(min(high / 10.0, candidates.max_cost))


def _gain(kept: int, all_: int, step: float, last: float) -> float:
    return kept / all_ - step / last


def half_as_many(candidates: Candidates) -> float:
    """The lowest threshold, cm, at which transitions are at least half as many as the steps from frame to frame of the
    captured motion (Hoang and Truong 2014, 2.2)."""
    steps = candidates.frames - len(candidates.clips)
    wanted = max(-(-steps // 2), 1)
    if wanted > len(candidates.cost):
        raise MotionError(
            f"half as many transitions as steps from frame to frame are {wanted:,}, and there are "
            f"{len(candidates.cost):,} candidates: build with every cell, or with a higher ceiling"
        )
    return float(np.partition(candidates.cost, wanted - 1)[wanted - 1])


def trade_off(candidates: Candidates, points: int = 33, progress: Progress = SILENT) -> np.ndarray:
    """(points,) threshold (cm), share of frames kept by the pruned graph, its transitions and their mean cost."""
    c = candidates
    rows = np.zeros(points, POINT)
    rows["threshold"] = np.linspace(0.0, c.max_cost, points)
    for done, row in enumerate(rows):
        progress(done, points, "what each threshold keeps")
        taken = c.cost <= row["threshold"]
        kept = prune(c.structure, c.layers, taken)
        row["share"] = kept.frames / c.frames
        row["transitions"] = kept.transitions.sum()
        row["mean_cost"] = c.cost[kept.transitions].mean() if kept.transitions.any() else 0.0
    return rows


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not (0 <= number <= HIGHEST or number == np.inf):
        raise MotionError(f"a threshold is a cost from 0 to {HIGHEST:g}, in cm, or 'auto' or 'half', not {value!r}")
    return number
