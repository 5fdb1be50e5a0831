"""Branch and bound along a path (Kovar 2002, 4.2): depth first, cheapest child first, and no further where the error
exceeds that of the best walk found.

The walk is found in stages: a plan of n seconds, of which m are kept before planning again. Without a limit every stage
runs until its plan is proven to be the best. With one, the gap says how far from proven it is: the least error of the
branches that are still open bounds what a longer search could find. Branch and bound is quickest when it begins with a
good bound: that of the plan which a narrow beam finds.
"""

import time
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import B1, F64, FAST, I32, I64, kernel, njit, types
from motiongraph.progress import Progress
from motiongraph.walks.beam_search import Cells, chain, sweep
from motiongraph.walks.floor_path import FLOOR, FloorGraph, floor_graph
from motiongraph.walks.path_cost import ALONG, ERROR, REALS, RULES, TARGET, TIME, successors
from motiongraph.walks.path_goal import Effort, Found, Goal

_DEEPEST = 128  # transitions in one plan, at most
_BLOCK = 1000  # expansions between two looks at the clock
_WIDTH, _CELL = 32, 0.15  # of the beam that finds the first plan: states, and metres of a cell


class Plans(NamedTuple):
    """The r best plans; of those that keep the same transitions only the best counts. D: transitions at most."""

    error: np.ndarray  # (r,) m²s, least first, infinity for none
    length: np.ndarray  # (r,) transitions taken
    kept: np.ndarray  # (r,) how many of them are kept
    last: np.ndarray  # (r,) frame at which the walk is complete, −1 where it goes on
    taken: np.ndarray  # (r, D)
    states: np.ndarray  # (r, D, REALS) after each transition
    expanded: np.ndarray  # (1,) states

    @classmethod
    def empty(cls, best: int, deepest: int) -> "Plans":
        length, kept, last = (np.zeros(best, np.int64) for _ in range(3))
        taken, states = np.zeros((best, deepest), np.int64), np.zeros((best, deepest, REALS))
        return cls(np.full(best, inf), length, kept, last, taken, states, np.zeros(1, np.int64))


class Branch(NamedTuple):
    """The branch that is being searched, so that the search can pause; at each depth, the children of its node."""

    children: np.ndarray  # (D + 1, widest, REALS)
    offered: np.ndarray  # (D + 1, widest) transition of each child
    order: np.ndarray  # (D + 1, widest) cheapest first
    count: np.ndarray  # (D + 1,) children
    cursor: np.ndarray  # (D + 1,) how many of them were searched
    taken: np.ndarray  # (D,) transitions taken
    states: np.ndarray  # (D + 1, REALS) of the start, and after each transition
    at: np.ndarray  # (2,) depth, −1 when all is searched; frame to expand next, −1 for none

    @classmethod
    def at_start(cls, frame: int, state: np.ndarray, deepest: int, widest: int) -> "Branch":
        states = np.zeros((deepest + 1, REALS))
        states[0] = state
        return cls(
            np.empty((deepest + 1, widest, REALS)),
            np.empty((deepest + 1, widest), np.int32),
            np.empty((deepest + 1, widest), np.int64),
            np.zeros(deepest + 1, np.int64),
            np.zeros(deepest + 1, np.int64),
            np.empty(deepest, np.int64),
            states,
            np.array([0, frame]),
        )

    def bound(self) -> float:
        """The least error of what was not searched; infinity where all was."""
        depth, frame = self.at.tolist()
        least = float(self.states[depth, ERROR]) if frame >= 0 else inf
        for level in range(depth + 1 if frame < 0 else depth):
            rest = self.order[level, self.cursor[level] : self.count[level]]
            least = min(least, float(self.children[level, rest, ERROR].min(initial=inf)))
        return least


PLANS = types.NamedTuple(
    (F64[::1], I64[::1], I64[::1], I64[::1], I64[:, ::1], F64[:, :, ::1], I64[::1]), Plans)  # fmt: skip
BRANCH = types.NamedTuple(
    (F64[:, :, ::1], I32[:, ::1], I64[:, ::1], I64[::1], I64[::1], I64[::1], F64[:, ::1], I64[::1]), Branch
)


@njit(**FAST)
def _enter(plans, branch, error, length, last, keep):
    """Enter the plan of a branch among the r best; keep: seconds up to which its transitions are kept."""
    kept = 0
    while kept < length:
        kept += 1
        if branch.states[kept, TIME] >= keep:
            break
    slot = plans.error.shape[0] - 1
    for i in range(plans.error.shape[0]):
        if plans.error[i] < np.inf and plans.kept[i] == kept and (plans.taken[i, :kept] == branch.taken[:kept]).all():
            if plans.error[i] <= error:
                return
            slot = i
            break
    while slot > 0 and plans.error[slot - 1] > error:
        plans.error[slot], plans.length[slot] = plans.error[slot - 1], plans.length[slot - 1]
        plans.kept[slot], plans.last[slot] = plans.kept[slot - 1], plans.last[slot - 1]
        plans.taken[slot], plans.states[slot] = plans.taken[slot - 1], plans.states[slot - 1]
        slot -= 1
    plans.error[slot], plans.length[slot], plans.kept[slot], plans.last[slot] = error, length, kept, last
    plans.taken[slot, :length], plans.states[slot, :length] = branch.taken[:length], branch.states[1 : length + 1]


@kernel(B1(FLOOR, TARGET, RULES, F64, F64, I64, PLANS, BRANCH))
def search_on(floor, target, rules, until, keep, most, plans, branch):
    """Search on where a branch stands, for the plans that last `until` seconds or end the walk.

    keep: seconds of a plan that are kept; most: states to expand before the search pauses. Returns whether all is
    searched.
    """
    depth, frame = branch.at[0], branch.at[1]
    deepest, limits = branch.taken.shape[0], np.empty(1)
    while depth >= 0:
        if frame >= 0:
            if most == 0:
                branch.at[0], branch.at[1] = depth, frame
                return False
            most -= 1
            plans.expanded[0] += 1
            # A node is entered: find its children and whether the walk can end here.
            state, children = branch.states[depth], branch.children[depth]
            limits[0] = plans.error[-1]
            n, last, total, _ = successors(
                floor, target, rules, frame, state, limits, np.inf, branch.offered[depth], children
            )
            if total < plans.error[-1]:
                _enter(plans, branch, total, depth, last, keep)
            # Edges differ in length, so the cheapest is that of the least error a second.
            rate = (children[:n, ERROR] - state[ERROR]) / (children[:n, TIME] - state[TIME])
            branch.order[depth, :n] = np.argsort(rate, kind="mergesort")
            branch.count[depth], branch.cursor[depth], frame = n, 0, -1
        if branch.cursor[depth] == branch.count[depth]:
            depth -= 1
            continue
        child = branch.order[depth, branch.cursor[depth]]
        branch.cursor[depth] += 1
        if branch.children[depth, child, ERROR] >= plans.error[-1]:
            continue
        branch.taken[depth] = branch.offered[depth, child]
        depth += 1
        branch.states[depth] = branch.children[depth - 1, child]
        if branch.states[depth, TIME] >= until or depth == deepest:
            _enter(plans, branch, branch.states[depth, ERROR], depth, -1, keep)
            depth -= 1
        else:
            frame = floor.arrive[branch.taken[depth - 1]]
    branch.at[0], branch.at[1] = -1, -1
    return True


class _Clock:
    """What is left of the limits of a search, and how much of that a stage may use."""

    def __init__(self, goal: Goal, effort: Effort):
        self.goal, self.effort = goal, effort
        self.began, self.spent, self.stages = time.perf_counter(), 0, 0

    def stage(self, along: float) -> tuple[float, float]:
        """Expansions and seconds for the stage that begins `along` the path: its share, by metres, of what is left.
        What the walked part has not used is there for the rest."""
        stage = along / self.stages if self.stages else 0.5 * self.effort.keep * self.goal.rules.quickest
        self.stages += 1
        share = min(max(stage / max(self.goal.longest - along, 0.1), 1e-3), 1.0)
        expansions = inf if self.effort.expansions is None else int((self.effort.expansions - self.spent) * share)
        if self.effort.seconds is None:
            return expansions, inf
        return expansions, (self.effort.seconds - (time.perf_counter() - self.began)) * share


def branch_and_bound(
    graph: MotionGraph, goal: Goal, roots: np.ndarray, states: np.ndarray, effort: Effort, progress: Progress
) -> Found:
    """Plan n seconds, keep m, and go on from there.

    Of several starts a narrow beam picks the best; for variety, the best of some picked at random (Kovar picks one).
    """
    ground, rng, clock = floor_graph(graph), np.random.default_rng(effort.rng), _Clock(goal, effort)
    some = rng.permutation(len(roots))[: max(len(roots) // effort.best, 1)]
    start = int(some[0])
    if len(some) > 1:
        cells, _ = _beam(ground, goal, roots[some], states[some], effort.plan)
        clock.spent += int(cells.effort[0])
        start = int(some[chain(cells, int(cells.end[0]))[0]]) if np.isfinite(cells.best[0]) else start
    frame, state = int(roots[start]), states[start]
    way: list[int] = []
    limited, gap = False, 0.0
    while True:
        plans, stage_gap = _stage(ground, goal, frame, state, effort, clock, progress)
        along, error = float(state[ALONG]), float(state[ERROR])
        limited, gap = limited or stage_gap > 0, max(gap, stage_gap)
        if not np.isfinite(plans.error[0]):
            why = "the limit was reached" if stage_gap > 0 else "every way ends"
            note = f"{why} after {along:.1f} of {goal.rules.length:.1f} m"
            return Found(start, tuple(way), frame, error, False, clock.spent, note, limited, gap)
        good = np.flatnonzero(plans.error <= plans.error[0] * (1.0 + effort.tolerance) + 1e-12)
        chosen = int(rng.choice(good)) if len(good) > 1 else 0
        length, kept, last = int(plans.length[chosen]), int(plans.kept[chosen]), int(plans.last[chosen])
        taken = plans.taken[chosen, :length].tolist()
        if last >= 0:
            note = f"the search was limited; the error could be up to {gap:.0%} lower" if limited else ""
            way += taken
            return Found(start, tuple(way), last, float(plans.error[chosen]), True, clock.spent, note, limited, gap)
        way += taken[:kept]
        frame, state = int(ground.floor.arrive[way[-1]]), plans.states[chosen, kept - 1].copy()


def _stage(
    ground: FloorGraph, goal: Goal, frame: int, state: np.ndarray, effort: Effort, clock: _Clock, progress: Progress
) -> tuple[Plans, float]:
    """The best plans from a state, and the share of the best one's error by which others could be better: 0 where that
    is proven to be the best, 1 where a limit left nothing."""
    deepest = min(ceil(min(effort.plan * ground.fps / ground.window, _DEEPEST)) + 1, _DEEPEST)
    plans, branch = Plans.empty(effort.best, deepest), Branch.at_start(frame, state, deepest, ground.widest)
    rules = goal.rules._replace(spare=0.0)  # beyond the bound nothing can be made up for
    along, begins, error = float(state[ALONG]), float(state[TIME]), float(state[ERROR])
    expansions, seconds = clock.stage(along)
    deadline, gap = time.perf_counter() + seconds, 1.0
    until, keep = begins + effort.plan, begins + effort.keep
    if expansions > 0 and seconds > 0:
        used = _first_plan(ground, goal, frame, state, until, keep, plans)
        clock.spent, expansions = clock.spent + used, expansions - used
    while True:
        what = f"planning the walk, {clock.spent:,} expansions" + (f", gap {gap:.0%}" if gap < 1 else "")
        progress(min(along, goal.rules.length), goal.rules.length, what)
        most = int(min(expansions - plans.expanded[0], _BLOCK))
        if most <= 0 or time.perf_counter() >= deadline:
            return plans, gap
        before = int(plans.expanded[0])
        done = search_on(ground.floor, goal.target, rules, until, keep, most, plans, branch)
        clock.spent += int(plans.expanded[0]) - before
        if done:
            return plans, 0.0
        best = float(plans.error[0])
        if np.isfinite(best):
            gap = max(best - max(branch.bound(), error), 0.0) / max(best - error, 1e-12)


def _beam(
    ground: FloorGraph, goal: Goal, frames: np.ndarray, states: np.ndarray, seconds: float
) -> tuple[Cells, float]:
    """A narrow beam from some states, far enough along the path to take so many seconds; and how far, metres."""
    end, furthest = goal.rules.length, float(states[:, ALONG].max())
    length = min(end, furthest + 1.2 * seconds * goal.rules.quickest + 1.0)
    rules = goal.rules._replace(length=length)
    if length < end:
        rules = rules._replace(end_place=0.0, end_facing=0.0, strict=0)
    cells = Cells.empty(int((length + rules.late) / _CELL) + 2, _WIDTH, Effort(cell=_CELL), goal)
    room = np.empty(ground.widest, np.int32), np.empty((ground.widest, REALS))
    sweep(ground.floor, goal.target, rules, cells, frames, states, 0, len(cells.filled), *room)
    return cells, length


def _first_plan(
    ground: FloorGraph, goal: Goal, frame: int, state: np.ndarray, until: float, keep: float, plans: Plans
) -> int:
    """Enter the plan of a narrow beam; returns the states expanded for it."""
    cells, length = _beam(ground, goal, np.array([frame]), state[None], until - float(state[TIME]))
    if not np.isfinite(cells.best[0]):
        return int(cells.effort[0])
    _, taken, states = chain(cells, int(cells.end[0]))
    late = np.flatnonzero(states[:, TIME] >= until)
    if len(late):
        size, last, error = int(late[0]) + 1, -1, float(states[late[0], ERROR])
    else:
        size, last, error = len(taken), int(cells.end[1]), float(cells.best[0])
    if size <= plans.taken.shape[1] and (len(late) or length == goal.rules.length):
        plans.error[0], plans.length[0], plans.last[0] = error, size, last
        plans.kept[0] = min(int(np.searchsorted(states[:size, TIME], keep)) + 1, size)
        plans.taken[0, :size], plans.states[0, :size] = taken[:size], states[:size]
    return int(cells.effort[0])
