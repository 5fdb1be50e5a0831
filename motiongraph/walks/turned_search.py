"""Searching for a walk whose body is turned towards its path (see `turned_walk`), some metres at a time.

The search turns bodies as `turned_along` does, but more roughly, and would be a metre off after thirty. So only the
first metres of what it finds are kept, turned, and searched on from where the body then is.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.placement import compose
from motiongraph.progress import Progress
from motiongraph.walks.beam_search import beam_search
from motiongraph.walks.curve import Curve, progress_along
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.found_walk import as_walk, with_figures
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import Effort, Found, Goal, Weights, change_of
from motiongraph.walks.path_searches import astray, good, may_turn, worth_turning
from motiongraph.walks.turned_walk import turned_along
from motiongraph.walks.walk import Walk

KEEP, LOOK = 4.0, 14.0  # m of a plan that are kept, and that it looks ahead
# Of the rate at which the search turns, in turn: so that something is left to make up for what it leaves out; or all,
# where else no way comes round (a corner of 180° on subject 16: 0.37 m off instead of 1.43).
SHARES = 0.75, 1.0
_STRIP = 8.0  # as where paths are searched for round sharp corners
_DEAR = 5.0  # times the price of changes


class TurnedWalks:
    """Walks along a path whose body is turned, each searched for when it is first asked for.

    began: when the search for a walk began, by `time.perf_counter`; the others as for `turned_search`.
    """

    def __init__(
        self, graph: MotionGraph, goal: Goal, weights: Weights, ends: dict[str, Any], roots: np.ndarray,
        states: np.ndarray, effort: Effort, progress: Progress, began: float,
    ):  # fmt: skip
        self._graph, self._goal, self._effort, self._began = graph, goal, effort, began
        made = partial(as_walk, graph, roots=roots, states=states, method="path", path=goal.curve.places)
        self._search = partial(turned_search, graph, goal, weights, ends, roots, states, effort, made, progress)
        self._found: dict[float, Walk] = {}  # by share of the rate

    def __bool__(self) -> bool:
        """Whether any was searched for."""
        return bool(self._found)

    def instead_of(self, walk: Walk) -> Walk | None:
        """A walk that is better than this one as captured, if that needs one: the first that is good, or the best."""
        better: list[Walk] = []
        for share in SHARES if may_turn(self._graph, walk, self._effort, self._goal) else ():
            if share not in self._found:
                found, other = self._search(share)
                other = replace(other, seconds=time.perf_counter() - self._began)
                self._found[share] = with_figures(self._graph, self._goal, found, other)
            if worth_turning(self._found[share], walk):
                better.append(self._found[share])
                if good(better[-1]):
                    return better[-1]
        return min(better, key=astray, default=None)


def turned_search(
    graph: MotionGraph, goal: Goal, weights: Weights, ends: dict[str, Any], roots: np.ndarray, states: np.ndarray,
    effort: Effort, made: Callable[[Found], Walk], progress: Progress, share: float,
) -> tuple[Found, Walk]:  # fmt: skip
    """The way from these starts along a path, and the walk of it that `made` makes, turned. share: see `SHARES`."""
    curve, rate, ground = goal.curve, float(np.radians(effort.turning)), floor_graph(graph)
    taken: tuple[int, ...] = ()
    start, begin, frames, placed, spent = -1, 0, roots, states, 0
    prices = _DEAR * weights.change * change_of(graph, False)
    prices.flags.writeable = False
    while True:
        last = min(begin + round(LOOK / curve.spacing), len(curve.places) - 1)
        if (len(curve.places) - 1 - last) * curve.spacing < KEEP:
            last = len(curve.places) - 1
        ending = last == len(curve.places) - 1
        part = _part(graph, goal, weights, ends if ending else {}, begin, last, share * rate)
        part = replace(part, target=part.target._replace(extra=prices))
        found = beam_search(graph, part, frames, placed, effort, progress)
        start, spent = found.start if start < 0 else start, spent + found.expansions
        whole = replace(found, start=start, taken=(*taken, *found.taken), expansions=spent)
        walk = turned_along(made(whole), curve, rate)
        if ending or not found.complete:
            return whole, walk
        along = progress_along(walk, curve)
        arrivals = walk.begins[1:][walk.begins[1:] < len(along)]
        new = np.flatnonzero(along[arrivals] >= begin * curve.spacing + KEEP)
        new = new[new >= len(taken)]
        if not len(new):
            return replace(whole, complete=False), walk
        cut, turns = int(new[0]), walk.turns
        assert turns is not None
        taken, at = whole.taken[: cut + 1], int(arrivals[cut])
        begin, placed = round(float(along[at]) / curve.spacing), np.zeros((1, REALS))
        placed[0, :3] = compose(tuple(turns[at]), tuple(walk.placements[cut + 1]))
        frames = ground.floor.arrive[[taken[-1]]].astype(np.int64)


def _part(
    graph: MotionGraph, goal: Goal, weights: Weights, ends: dict[str, Any], first: int, last: int, rate: float
) -> Goal:
    """The same from one sample of the path to another."""
    curve, begins, stops = goal.curve, first * goal.curve.spacing, last * goal.curve.spacing
    here = slice(first, last + 1)
    knots = np.array([0.0, stops - begins])
    line = Curve(curve.places[here], curve.tangents[here], knots, stops - begins, False)
    until = np.append(goal.changes[1:], np.inf)
    labels = [
        (max(a - begins, 0.0), name)
        for a, b, name in zip(goal.changes, until, goal.asked)
        if b > begins and a < stops - curve.spacing
    ]
    return Goal.of(graph, line, labels, weights, False, **{**ends, "strip": _STRIP, "turning": rate})
