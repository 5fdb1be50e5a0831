"""How hard to search for a walk, and what a search found."""

from dataclasses import dataclass, field, replace

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.walks.walk import Seed

METHODS = ("beam", "branch and bound")


@dataclass(frozen=True)
class Effort:
    """How hard to search. Without `seconds` and `expansions` a search runs until it is done."""

    method: str = "beam"  # or "branch and bound" (Kovar 2002, 4.2)
    width: int = 64  # states in a cell of the beam
    cell: float = 0.15  # m along the path in which they compete
    seconds: float | None = None  # to compute, at most; the beam widens until they are used
    expansions: int | None = None  # states expanded, at most, for the whole walk
    plan: float = 3.0  # n: seconds that branch and bound looks ahead
    keep: float = 1.0  # m: seconds of such a plan that are kept, before planning again
    best: int = 1  # r: take one of this many walks that differ, chosen by `rng`
    tolerance: float = 0.5  # share by which the error of such a walk, a sum of squares, may exceed the best
    rng: Seed = field(default=0, compare=False)  # seed 0 … r − 1 picks the best, the next …

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise MotionError(f"a planner is one of {', '.join(METHODS)}, not {self.method!r}")
        if min(self.width, self.best) < 1 or min(self.plan, self.keep, self.cell) <= 0:
            raise MotionError("width, best, cell, plan and keep must be above zero")
        if self.tolerance < 0:
            raise MotionError(f"the tolerance is a share of at least 0, not {self.tolerance:g}")

    @classmethod
    def kovar(cls, plan: float = 100 / 30, keep: float = 28 / 30, **fields: float) -> "Effort":
        """Branch and bound as Kovar et al. ran it (2002, 4.2): n of 80 to 120 frames and m of 25 to 30 at 30 Hz."""
        return cls("branch and bound", plan=plan, keep=keep, **fields)  # pyright: ignore[reportArgumentType]

    @classmethod
    def mao(cls, **fields: float) -> "Effort":
        """Branch and bound as Mao ran it (2011, 4.4): N = 90 frames and M = 40 at 120 Hz."""
        return cls("branch and bound", plan=90 / 120, keep=40 / 120, **fields)  # pyright: ignore[reportArgumentType]

    def share(self, share: float) -> "Effort":
        """With so much of the time and expansions allowed."""
        seconds = None if self.seconds is None else share * self.seconds
        expansions = None if self.expansions is None else max(int(share * self.expansions), 1)
        return replace(self, seconds=seconds, expansions=expansions)

    def pick(self) -> int:
        """Which of the `best` walks is meant, 0 for the best."""
        if isinstance(self.rng, int | np.integer):
            return int(self.rng) % self.best
        return int(np.random.default_rng(self.rng).integers(self.best))


@dataclass(frozen=True, eq=False)
class Found:
    """A way through the graph, and what it took to find it."""

    start: int  # which of the starts
    taken: tuple[int, ...]  # transitions, as `Floor` counts them
    last: int  # frame to end at
    error: float  # m²s
    complete: bool  # whether it serves the goal to its end
    expansions: int
    note: str = ""  # one sentence on how the search ended, if there is something to say
    limited: bool = False  # whether a limit ended the search
    gap: float | None = None  # share of the error by which a search without limit could lower it; None: not known
    facts: dict[str, float] = field(default_factory=dict)  # further figures for the report

    @property
    def merit(self) -> tuple[bool, float]:
        """Greater is better."""
        return self.complete, -self.error
