"""How dear a transition may be: one number, one inside clips and one between, or one for every pair of labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from motiongraph.errors import MotionError


@dataclass(frozen=True)
class Thresholds:
    """within, between: cm, for transitions inside a clip and from one clip to another (Hoang and Truong's report);
    pairs: ((label, label), cm) for transitions between frames of those labels, in either direction (Kovar 2002, 3.2;
    Mao 2011, 4.2.1). Where several pairs apply to a transition, the lowest counts; where none does, the others."""

    within: float
    between: float
    pairs: tuple[tuple[tuple[str, str], float], ...] = ()

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

    @property
    def highest(self) -> float:
        return max([self.within, self.between, *(value for _, value in self.pairs)])

    def limits(self, candidates) -> np.ndarray | float:
        """What each of the `Candidates` (T,) may cost at most, cm; one number where it is the same for all."""
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

    def plain(self) -> dict:
        """As JSON can hold it; None for no limit."""

        def number(value):
            return value if np.isfinite(value) else None

        pairs = [[*key, number(value)] for key, value in self.pairs]
        return {"within": number(self.within), "between": number(self.between), "pairs": pairs}

    @classmethod
    def from_plain(cls, plain: dict) -> "Thresholds":
        def number(value):
            return np.inf if value is None else float(value)

        pairs = tuple(((a, b), number(value)) for a, b, value in plain["pairs"])
        return cls(number(plain["within"]), number(plain["between"]), pairs)

    def __str__(self):
        """In cm, as a person would say it."""
        words = (
            f"{self.within:g}" if self.within == self.between else f"{self.within:g} within, {self.between:g} between"
        )
        return ", ".join([words, *(f"{a}–{b} {value:g}" for (a, b), value in self.pairs)])


AnyThreshold: TypeAlias = float | str | Mapping[Any, float] | Thresholds  # what a threshold can be given as


def _number(value) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not number >= 0:
        raise MotionError(f"a threshold is a cost from 0 up, in cm, or 'auto', not {value!r}")
    return number
