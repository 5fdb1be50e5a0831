"""How well the current result keeps to its path, said honestly, and what would help."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import command
from motiongraph.app.walk.results import Made, current_result
from motiongraph.walks.curve import Curve
from motiongraph.walks.sharp_turns import sharp_stretches, tightest_turn

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

STRAYS, LEAVES = 0.2, 0.6  # m off the path in the mean, and at worst, from which on a walk does not keep to it


@dataclass(frozen=True, eq=False)
class Verdict:
    """What there is to say of a walk along a path."""

    kept: bool  # to the path
    text: str
    sharp: tuple[tuple[float, float], ...]  # stretches too sharp for the clips, metres along the path
    radius: float  # m, of the tightest turn the clips can do
    curve: Curve  # the path it is about

    @classmethod
    def of(cls, made: Made) -> Verdict | None:
        report = made.report
        if made.asked is None or "path_error_mean" not in report or made.graph is None:
            return None
        mean, worst = report["path_error_mean"], report["path_error_worst"]
        curve, turn = Curve.of(made.asked), tightest_turn(made.graph)
        sharp, radius = tuple(sharp_stretches(curve, turn)), 1.0 / max(turn, 1e-3)
        off = f"{100 * mean:.0f} cm off the path, {100 * worst:.0f} at worst"
        if mean <= STRAYS and worst <= LEAVES:
            return cls(True, f"It keeps to the path: {off}.", sharp, radius, curve)
        if sharp:
            why = (
                f"the path turns more sharply than these clips can; their tightest turn has a radius of {radius:.1f} m"
            )
        else:
            why = "the graph offers too few ways at this threshold"
        return cls(False, f"It strays, {off}: {why}.", sharp, radius, curve)


@lru_cache(maxsize=4)
def _verdict(made: Made) -> Verdict | None:
    return Verdict.of(made)


def verdict(state: AppState) -> Verdict | None:
    """Of the current result; None where it follows no path."""
    entry = current_result(state)
    return None if entry is None or entry.made is None or entry.made.live else _verdict(entry.made)


def turn_circle(found: Verdict) -> np.ndarray | None:
    """(n, 2) a circle of the tightest turn that touches the path where it is too sharp, on the inside of the bend."""
    if not found.sharp:
        return None
    start, stop = found.sharp[0]
    a, b, c = found.curve.at(np.array([start, 0.5 * (start + stop), stop]))
    inward = 0.5 * (a + c) - b
    size = float(np.hypot(*inward))
    way = inward / size if size > 1e-6 else np.array([1.0, 0.0])
    angle = np.linspace(0.0, 2.0 * np.pi, 65)
    return b + found.radius * way + found.radius * np.stack([np.sin(angle), np.cos(angle)], axis=1)


@command
class ShowTightestTurn:
    """Draw the tightest turn of the clips where the path is too sharp, or no longer."""

    shown: bool

    def apply(self, state: AppState) -> None:
        state.path.shows_turn = self.shown
