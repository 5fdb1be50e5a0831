"""Finding a walk for a goal, by beam or by branch and bound; and the r best walks that differ."""

from dataclasses import replace
from typing import Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.beam_search import beam_search
from motiongraph.walks.branch_and_bound import branch_and_bound
from motiongraph.walks.floor_path import FloorGraph, floor_graph
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import Effort, Found, Goal
from motiongraph.walks.walk import Walk

_SAME = 0.2  # s: transitions between the same clips that leave and arrive this near are no change
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
    for _ in range(pick):
        used += _nearly(ground, walks[-1].taken)
        walks.append(best)
        for price in _PRICES:
            extra = used * (price * allowed / max(len(best.taken), 1))
            extra.flags.writeable = False
            other = replace(goal, target=goal.target._replace(extra=extra))
            found = beam_search(graph, other, roots, states, each.share(1.0 / len(_PRICES)), progress)
            spent += found.expansions
            error = found.error - float(extra[list(found.taken)].sum())
            if found.complete and error <= best.error + allowed:
                walks[-1] = replace(found, error=error)
                break
    chosen = walks[-1]
    new = used[list(chosen.taken)] == 0
    differs = float(new.mean()) if pick and len(new) else 0.0
    facts = {"rank": pick, "best_error": best.error, "differs": differs}
    return replace(chosen, expansions=spent, facts=facts)


def _nearly(ground: FloorGraph, taken: tuple[int, ...]) -> np.ndarray:
    """(T,) bool: transitions that are nearly the same as one of these."""
    floor, near = ground.floor, _SAME * ground.fps
    out = np.zeros(len(floor.leave), bool)
    for k in set(taken):
        out |= (np.abs(floor.leave - floor.leave[k]) <= near) & (np.abs(floor.arrive - floor.arrive[k]) <= near)
    return out


def as_walk(graph: MotionGraph, found: Found, roots: np.ndarray, states: np.ndarray, **fields: Any) -> Walk:
    """The walk of a way."""
    ground = floor_graph(graph)
    rows = graph.candidates.table[ground.rows[np.array(found.taken, int)]]
    clip, stop = ground.place(found.last)
    theta, x, z = (float(v) for v in states[found.start, :3])
    start = ground.place(int(roots[found.start]))
    assert clip == (rows["dst"][-1] if len(rows) else start[0])
    return Walk.of(
        graph, start, rows, stop=stop, placed=(theta, x, z), complete=found.complete, note=found.note, **fields
    )
