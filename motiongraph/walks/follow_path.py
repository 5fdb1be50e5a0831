"""Following a path on the floor (Kovar 2002, 5; Mao 2011, 4.4.2): by beam or by branch and bound, and the r best walks
that differ."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.placement import heading_of, turn
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.beam_search import beam_search
from motiongraph.walks.branch_and_bound import branch_and_bound
from motiongraph.walks.curve import Curve, trace
from motiongraph.walks.floor_path import FloorGraph, floor_graph, without_dead_ends
from motiongraph.walks.found_walk import finished
from motiongraph.walks.obstacles import CLEARANCE, TOUCH, Obstacle, around, checked, distance_to
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import (
    STANDING_END,
    Effort,
    Found,
    Goal,
    Labels,
    Weights,
    can_stop,
    stretches,
)
from motiongraph.walks.path_report import FAR
from motiongraph.walks.path_searches import (
    astray,
    good,
    labels_off,
    near_enough,
    off,
    searches,
    searches_on,
    steadier,
    steady,
    work,
)
from motiongraph.walks.turned_search import TurnedWalks
from motiongraph.walks.walk import Name, Seed, Walk, frames_named

_EVERY = 0.1  # s, between the starts that are tried
_MOST = 2000  # starts
_WIDER = (1.0, 1.4, 1.9, 2.6)  # ways around obstacles that are tried, as shares of the usual clearance
_SAME = 0.2  # s: transitions between the same clips that leave and arrive this near are no change
# m/s at its end from which on a walk that comes to stand is looked for, by so many times the price of not standing, and
# the metres by which it may be worse.
_HASTY, _CALMER, _WORTH = 0.35, 4.0, 0.03
_SOME = 1_000_000  # metres times transitions up to which that is done
_PRICES = (4.0, 2.0, 1.0, 0.5, 0.25)  # of taking a transition again, as shares of what the tolerance allows each


def find(
    graph: MotionGraph, goal: Goal, roots: np.ndarray, states: np.ndarray, effort: Effort, progress: Progress = SILENT
) -> Found:
    """The best way from these starts, or one of the r best: roots (n,) frames, states (n, REALS)."""
    roots = np.ascontiguousarray(roots, np.int64)
    states = np.ascontiguousarray(states, np.float64).reshape(len(roots), REALS)
    if not len(roots):
        raise MotionError("there is no frame to start from in the pruned graph; name another start")
    if effort.method == "branch and bound":
        return branch_and_bound(graph, goal, roots, states, effort, progress)
    if effort.best == 1:
        return beam_search(graph, goal, roots, states, effort, progress)
    return _one_of_the_best(graph, goal, roots, states, effort, progress)


def _one_of_the_best(
    graph: MotionGraph, goal: Goal, roots: np.ndarray, states: np.ndarray, effort: Effort, progress: Progress
) -> Found:
    """One of the r best walks that differ (Kovar 2002, 4.2, retains the r best for variety).

    The best comes first; for each further one, transitions that others take have a price, the highest at which the
    error stays within the tolerance.
    """
    ground, pick = floor_graph(graph), effort.pick()
    each = effort.share(1.0 / (1 + 2 * pick))
    walks = [beam_search(graph, goal, roots, states, each, progress)]
    best, spent = walks[0], walks[0].expansions
    if not best.complete:
        return best
    used = np.zeros(len(ground.rows))  # by how many walks each transition is taken, or one that is nearly the same
    allowed = best.error * effort.tolerance + 1e-12
    differs = 0.0  # share of the last walk's transitions that no other takes
    for _ in range(pick):
        differs = 0.0
        used += _nearly(ground, walks[-1].taken)
        walks.append(best)
        # Where no price leaves a walk within the tolerance, some chance leads elsewhere.
        chance = (used > 0) + np.random.default_rng(len(walks)).random(len(used))
        for price, count in product(_PRICES, (used, chance)):
            more = count * (price * allowed / max(len(best.taken), 1))
            extra = goal.target.extra + more
            extra.flags.writeable = False
            other = replace(goal, target=goal.target._replace(extra=extra))
            found = beam_search(graph, other, roots, states, each.share(1.0 / len(_PRICES)), progress)
            spent += found.expansions
            error = found.error - float(more[list(found.taken)].sum())
            new = float((used[list(found.taken)] == 0).mean()) if found.taken else 0.0
            if found.complete and error <= best.error + allowed and new > differs:
                walks[-1], differs = replace(found, error=error), new
            if differs > 0.5:
                break
    chosen = walks[-1]
    facts = {"rank": pick, "best_error": best.error, "differs": differs}
    few = f"fewer than {effort.best} walks that differ are within the tolerance; this is the best one again"
    note = few if pick and chosen is best else chosen.note
    return replace(chosen, expansions=spent, facts=facts, note=note)


def _nearly(ground: FloorGraph, taken: tuple[int, ...]) -> np.ndarray:
    """(T,) bool: transitions that are nearly the same as one of these."""
    floor, near = ground.floor, _SAME * ground.fps
    out = np.zeros(len(floor.leave), bool)
    for k in set(taken):
        out |= (np.abs(floor.leave - floor.leave[k]) <= near) & (np.abs(floor.arrive - floor.arrive[k]) <= near)
    return out


def follow_path(
    graph: MotionGraph, points: ArrayLike | Curve, labels: Labels | None = None, *, start: Name | None = None,
    curve: str = "polyline", closed: bool = False, weights: Weights | None = None, effort: Effort | None = None,
    obstacles: Sequence[Obstacle] = (), rng: Seed | None = None, progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """The walk that goes along a path, starting at its first point and facing along it.

    points: (N, 2) x, z metres; curve: "polyline" or "spline"; closed: back to the first point; paths may cross
    themselves. labels: one for the whole path; one, or None for any, for each stretch between points; or pairs of
    (metres, label) where each begins. start: a clip, (clip, frame) or label to begin with; by default the best.
    weights: `Weights`, what counts how much; effort: `Effort`, how to search and when to stop; rng: for the latter.
    obstacles: what stands in the way, x, z and radius in metres or the corners (n, 2) of each; the path is led around.
    Where the graph has standing motion, the walk comes to stand at the end of an open path.
    Walks in the pruned part of the graph. `walk.facts` has how far from the path it goes, how the
    search ended and how much better a longer one could be.
    """
    began = time.perf_counter()
    graph = without_dead_ends(graph)
    line = points if isinstance(points, Curve) else Curve.of(points, curve, closed)
    effort = effort or Effort(rng=0 if rng is None else rng)
    things = checked(obstacles)
    weights = weights or Weights()
    stops = weights.rest > 0 and not line.closed and can_stop(graph)
    ends: dict[str, Any] = {**STANDING_END, "end_rest": weights.rest} if stops else {}

    def along(clearance: float) -> Walk:
        led, names = _led_around(line, labels, things, clearance) if things else (line, labels)
        goal = Goal.of(graph, led, names, weights, **ends)
        heading = float(heading_of(led.tangents[0]))
        roots = starting_frames(graph, start, goal.needs[0])
        states = placed_at(floor_graph(graph), roots, led.places[0], heading)
        made: list[tuple[Walk, Effort, Goal]] = []  # the walks found, and by which search
        turned = TurnedWalks(graph, goal, weights, ends, roots, states, effort, progress, began)

        def search(tried: Effort, towards: Goal) -> Walk:
            found = find(graph, towards, roots, states, tried, progress)
            return finished(graph, goal, found, roots, states, "path", began)

        def astray_by() -> float:
            return min((off(walk) for walk, *_ in made if walk.complete), default=np.inf)

        def the_nearest() -> tuple[Walk, Effort, Goal]:
            return min(made, key=lambda each: (not each[0].complete, off(each[0])))

        def misplaced() -> float:
            return labels_off(the_nearest()[0])

        def turns() -> bool:
            walk = turned.instead_of(the_nearest()[0])
            return walk is not None and good(walk)

        for tried, towards in searches(graph, goal, effort, names, weights, ends, astray_by, misplaced, turns):
            made.append((search(tried, towards), tried, towards))
        nearest = the_nearest()
        if turned and (other := turned.instead_of(nearest[0])) is not None and good(other):
            return other
        made = [each for each in made if each is nearest or near_enough(each[0], nearest[0])]
        if searches_on(effort) and not steady(min((walk for walk, *_ in made), key=astray)):
            for tried, towards in steadier(graph, *nearest, weights):
                other = search(tried, towards)
                if near_enough(other, nearest[0]):
                    made.append((other, tried, towards))
                    if steady(other):
                        break
        walk, tried, towards = min(made, key=lambda each: astray(each[0]))
        if (other := turned.instead_of(walk)) is not None:
            return other
        if stops and walk.facts["end_speed"] > _HASTY and searches_on(effort) and work(graph, goal) <= _SOME:
            calm = replace(towards, rules=towards.rules._replace(end_rest=_CALMER * weights.rest))
            calmer = search(tried, calm)
            slows = calmer.complete and calmer.facts["end_speed"] < 0.5 * walk.facts["end_speed"]
            keeps = off(calmer) <= max(FAR, off(walk)) and astray(calmer)[1] <= astray(walk)[1] + _WORTH
            walk = calmer if slows and keeps else walk
        return walk

    return kept_clear(things, along)


def _led_around(
    line: Curve, labels: Labels | None, things: Sequence[np.ndarray], clearance: float
) -> tuple[Curve, Labels | None]:
    """A path and the labels on it, led around things."""
    led, metres = around(line, things, clearance)
    return led, labels if led is line else _moved(labels, line, metres)


def _moved(labels: Labels | None, line: Curve, metres: np.ndarray) -> Labels | None:
    """The labels on a path that was changed, (M,) metres along it now of every sample it had."""
    if labels is None or isinstance(labels, str | set | frozenset):
        return labels
    names, begins = stretches(labels, line)
    return list(zip(np.interp(begins, line.along, metres).tolist(), names))


def kept_clear(things: Sequence[np.ndarray], walk_at: Callable[[float], Walk]) -> Walk:
    """The walk that `walk_at` finds at a clearance in metres from things: in wider and wider ways until it touches
    none. Says how near it comes."""
    if not things:
        return walk_at(0.0)
    best, clearance = None, -np.inf
    for wider in _WIDER:
        try:
            walk = walk_at(wider * CLEARANCE)
        except MotionError:
            if best is None:
                raise
            break  # no room for a wider way
        near = float(distance_to(things, trace(walk)[0]).min(initial=np.inf))
        if best is None or near > clearance:
            best, clearance = walk, near
        if near >= TOUCH:
            break
    assert best is not None
    best.facts["clearance"] = clearance
    if clearance < TOUCH:
        note = f"the walk comes within {max(clearance, 0.0):.2f} m of an obstacle"
        best = replace(best, note="; ".join([note, *([best.note] if best.note else [])]))
    return best


def starting_frames(graph: MotionGraph, start: Name | None = None, need: np.ndarray | None = None) -> np.ndarray:
    """(n,) frames, counted over all clips, from which to begin: within what is named and, if it can be, `need`."""
    ground = floor_graph(graph)
    nodes = ground.nodes
    if isinstance(start, tuple):
        frame = int(np.flatnonzero(frames_named(graph, start))[0])
        return np.array([frame] if ground.floor.run_end[frame] >= 0 else [], np.int64)
    if start is not None:
        nodes = nodes[frames_named(graph, start)[nodes]]
    if need is not None and need[nodes].any():
        nodes = nodes[need[nodes]]
    # Two starts a moment apart in the same clip lead to the same walks.
    moments = nodes // max(_EVERY * ground.fps, 1.0)
    nodes = nodes[np.unique(moments, return_index=True)[1]]
    return nodes[:: max(-(-len(nodes) // _MOST), 1)].astype(np.int64)


def placed_at(ground: FloorGraph, frames: np.ndarray, place: ArrayLike, heading: float) -> np.ndarray:
    """(n, REALS) states at these frames, standing at `place` (x, z) and facing `heading` (radians)."""
    states = np.zeros((len(frames), REALS))
    theta = heading - ground.heading(frames)
    states[:, 0] = theta
    states[:, 1:3] = np.asarray(place, float) - turn(theta, ground.floor.path[frames])
    return states
