"""The searches made for a walk along a path, one after the other, and which of the walks they find is the best.

Most paths are followed by the first search. Where a walk strays, or is fickle, others are made that see sharp corners
coming, keep to a strip along the path, or pay more for changes of behaviour.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.walks.curve import distance, trace
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.path_goal import Effort, Goal, Labels, Weights, change_of
from motiongraph.walks.path_report import FAR, LATE, NEARLY, least_off
from motiongraph.walks.sharp_turns import corners
from motiongraph.walks.walk import Walk

_UNSURE = 0.3  # m off it from which on another search may do better
_CHANGE, _SPEED = 0.05, 0.025  # m for a change of behaviour, and for one of speed by 1 m/s, by its square
# Changes of behaviour from which on a steadier walk is looked for, by so many times the price of each.
_FICKLE, _DEAR, _DEARER = 2.0, 2.0, 5.0
# Between walls: times the square of the distance beyond that of a strip along the path, and times the width of the
# beam. By it the samples' spiral is 0.45 m off at worst instead of 0.82; a beam of half the width does not find that.
_WALLS, _WIDE = 1000.0, 8
# Changes a metre from which on a steadier one is looked for there: between walls as wide as it may stray, m², and by so
# many times the price. The samples' "Hello" so changes 38 times instead of 43, and plays a quarter of its frames once
# instead of a sixth. One of 24 changes is known, but 0.62 m off the path.
_VERY_FICKLE, _WIDER_WALLS, _DEAREST = 0.4, FAR * FAR, 20.0
_BROKEN = 300.0  # m²s of a walk that has gone through a wall: 6 s at 0.5 m
_MISPLACED = 0.5  # metres off the path that one by which a label is misplaced counts like
# For labels that are misplaced: times what other labels cost, metres around a change where they cost less, and times
# the square of the distance beyond a strip along the path. Of nine such searches it did best on 13 of 18 paths.
_HELD, _AT, _NARROW = 4.0, 0.3, 30.0
# Changes of behaviour from which on a body is turned, and the metres by which it must be better.
_RESTLESS, _TURNED = 3, 0.05
_HARDER = 4  # times the width of a beam that found no way near the path
_LOST = 1.5  # m off it from which on walks of every kind are kept in the beam
# Metres times transitions up to which a harder search is made, walls are tried, who is lost is looked for, and the
# table of turns is used, where a walk is unsure and where it is far off.
_WORK, _MORE_WORK, _SOME, _MUCH, _VERY_MUCH = 150_000, 400_000, 1_000_000, 3_000_000, 8_000_000


def searches(
    graph: MotionGraph, goal: Goal, effort: Effort, labels: Labels | None, weights: Weights, ends: dict[str, Any],
    astray_by: Callable[[], float], misplaced: Callable[[], float] = lambda: 0.0,
    turned: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Effort, Goal]]:  # fmt: skip
    """How hard to search and for what, in turn. astray_by: metres by which the best walk that was found is off;
    misplaced: by which a label begins early or late in it; turned: looks for a walk whose body is turned, and tells
    whether nothing else need be looked for.

    Where labels do not begin where they were painted, and bodies that are turned do not help, they are searched for by
    a higher price and a wide beam, near the path.

    The beam is full of walks that keep to the path up to a corner they cannot come round. Where that may be so it is
    searched again by the table of turns, in a strip along the path. Where that strays as well, bodies are turned, which
    takes less time than what follows. Who is lost then, as where only slow steps turn and all others walk away, is
    searched for among walks of every kind. At last much wider: first between walls that nobody passes, however long it
    takes: seen from the nearest point of the path, not at equal arc length, and with a higher price for changes, as
    there are many ways to step to and fro; then without them.
    """
    takes = work(graph, goal)
    yield effort, goal
    if searches_on(effort) and takes <= _MUCH and misplaced() > LATE:
        if turned():
            return
        labelled = replace(weights, label=_HELD * weights.label, near=min(_AT, weights.near))
        wide = replace(effort, width=(_WIDE if takes <= _MORE_WORK else _HARDER) * effort.width)
        strict = Goal.of(graph, goal.curve, labels, labelled, False, "everywhere", **{**ends, "strip": _NARROW})
        yield wide, strict
    if not searches_on(effort) or takes > _VERY_MUCH or astray_by() <= (_UNSURE if takes <= _MUCH else FAR):
        return
    again = partial(Goal.of, graph, goal.curve, labels, check=False, **ends)
    # Where it takes long, a beam half as wide does nearly as well.
    width = effort.width if takes <= _MUCH else max(effort.width // 2, 1)
    yield replace(effort, width=width), again(weights, turns="everywhere", strip=2.0)
    if astray_by() > FAR and turned():
        return
    if corners(goal.curve) and astray_by() > FAR:
        yield replace(effort, width=2 * effort.width), again(weights, turns="corners", strip=8.0)
        if astray_by() <= least_off(graph, goal.curve) + NEARLY:
            return
    harder = replace(effort, width=_HARDER * effort.width, kinds=True)
    if astray_by() > _LOST and takes <= _SOME:
        yield harder, again(weights, strip=2.0)
    for turning in (True, False) if takes <= _MORE_WORK else ():
        if astray_by() > FAR:
            walled = again(replace(weights, slack=1.0), strip=_WALLS)
            prices = _DEARER * weights.change * change_of(graph, turning)
            yield replace(effort, width=_WIDE * effort.width, error=_BROKEN), _priced(walled, prices)
    if astray_by() > FAR and takes <= _WORK:
        yield harder, goal


def steadier(
    graph: MotionGraph, walk: Walk, effort: Effort, goal: Goal, weights: Weights
) -> Iterator[tuple[Effort, Goal]]:
    """How to search for a walk of fewer changes than the one that was found by this search, in turn.

    Turning is a change too or it is none: a slalom of left and right turns is walked all the way.
    """
    any_change, behaviour = (weights.change * change_of(graph, turning) for turning in (True, False))
    # Which takes long, and keeps near the path what little leads along it; or was searched for with labels in mind.
    if effort.kinds or goal.rules.strip == _NARROW:
        return
    if goal.rules.strip < _WALLS:
        for prices in (_DEARER * any_change, _DEARER * behaviour, _DEAR * any_change):
            yield effort, _priced(goal, prices)
    elif walk.facts["changes"] > _VERY_FICKLE * goal.curve.length:
        wider = replace(goal, rules=goal.rules._replace(inside=_WIDER_WALLS))
        yield replace(effort, kinds=True, error=2.0 * _BROKEN), _priced(wider, _DEAREST * behaviour)


def may_turn(graph: MotionGraph, walk: Walk, effort: Effort, goal: Goal) -> bool:
    """Whether a walk is looked for whose body is turned: where the best one as captured strays, keeps changing what it
    does, or has a label that begins early or late."""
    bad = walk.facts["behaviour_changes"] >= _RESTLESS or off(walk) > FAR or labels_off(walk) > LATE
    return bad and searches_on(effort) and effort.turning > 0.0 and work(graph, goal) <= _MUCH


def worth_turning(turned: Walk, walk: Walk) -> bool:
    """Whether a walk whose body is turned is better than one as captured: as near, clearly better or with labels where
    they were painted at last, and to its end."""
    better = labels_off(turned) <= LATE < labels_off(walk) or astray(turned)[1] + _TURNED < astray(walk)[1]
    return better and near_enough(turned, walk) and short(turned) <= max(FAR, short(walk))


def good(walk: Walk) -> bool:
    """Whether a walk keeps near its path, with labels where they were painted."""
    return walk.complete and off(walk) <= FAR and labels_off(walk) <= LATE


def short(walk: Walk) -> float:
    """Metres from where a walk ends to where its path does."""
    assert walk.path is not None
    return distance(trace(walk)[0][-1], walk.path[-1])


def steady(walk: Walk) -> bool:
    """Whether a walk changes its behaviour so rarely that no steadier one is looked for."""
    return walk.facts["changes"] <= _FICKLE


def near_enough(walk: Walk, nearest: Walk) -> bool:
    """Whether a walk keeps near enough to its path, or as near as the nearest one."""
    return walk.complete and off(walk) <= max(FAR, off(nearest))


def work(graph: MotionGraph, goal: Goal) -> float:
    """Metres times transitions, by which the time of a search grows."""
    return goal.curve.length * len(floor_graph(graph).rows)


def _priced(goal: Goal, prices: np.ndarray) -> Goal:
    """The goal with these prices (T,), m²s, of transitions."""
    prices.flags.writeable = False
    return replace(goal, target=goal.target._replace(extra=prices))


def searches_on(effort: Effort) -> bool:
    """Whether more than one search may be made."""
    return effort.again and effort.method == "beam" and effort.best == 1 and not effort.limited


def off(walk: Walk) -> float:
    """Metres by which a walk leaves its path, or half of those by which a label on it begins early or late; the share
    of it that has other labels than asked for counts like metres."""
    facts = walk.facts
    worst = max(facts.get("path_error_worst", 0.0), 1.0 - facts.get("labels_held", 1.0))
    return max(worst, _MISPLACED * labels_off(walk))


def labels_off(walk: Walk) -> float:
    """Metres by which a label of the path begins early or late."""
    switches = walk.facts.get("switches", ())
    return max((np.inf if s["begins"] is None else abs(s["begins"] - s["asked"]) for s in switches), default=0.0)


def astray(walk: Walk) -> tuple[bool, float]:
    """How bad a walk is: whether it ends early, and how far it is off, at worst and on average, where what is held of
    labels and changes of behaviour count like metres."""
    facts = walk.facts
    mean = facts.get("path_error_mean", np.inf) + 1.0 - facts.get("labels_held", 1.0)
    behaviour = min(facts["behaviour_changes"], facts["changes"])
    changes = _CHANGE * behaviour + _SPEED * (facts["changes"] - behaviour)
    return not walk.complete, max(off(walk), FAR) + mean + changes
