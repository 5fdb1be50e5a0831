"""Finding a walk for a goal: the beam or branch and bound, within limits, from one start or many."""

import time
from dataclasses import dataclass, field

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks import beam_search
from motiongraph.walks.floor_path import ground_of
from motiongraph.walks.path_cost import ALONG, ERROR, REALS, TIME
from motiongraph.walks.path_goal import Goal
from motiongraph.walks.walk import Walk

METHODS = ("beam", "branch and bound")
_BLOCK = 12  # cells between two looks at the clock


@dataclass(frozen=True)
class Effort:
    """How hard to search. method: "beam" or "branch and bound"; width: states in a cell of the beam; cell: metres along
    the path in which they compete; seconds: at most, with it the beam widens until the time is used; expansions: at
    most, for the whole walk; plan, keep: seconds that branch and bound looks ahead, and keeps of it; best, tolerance:
    of the r best walks, any within this share of the best may be taken, for variety; rng: seed or generator to choose
    with."""

    method: str = "beam"
    width: int = 64
    cell: float = 0.15
    seconds: float | None = None
    expansions: int | None = None
    plan: float = 3.0
    keep: float = 1.0
    best: int = 1
    tolerance: float = 0.1
    rng: object = field(default=0, compare=False)

    def __post_init__(self):
        if self.method not in METHODS:
            raise MotionError(f"a planner is one of {', '.join(METHODS)}, not {self.method!r}")
        if min(self.width, self.best) < 1 or min(self.plan, self.keep, self.cell) <= 0:
            raise MotionError("width, best, cell, plan and keep must be above zero")


@dataclass(frozen=True, eq=False)
class Found:
    """A way: the start chosen, transitions by number, the frame to end at, its error, and what it took."""

    start: int
    taken: tuple[int, ...]
    last: int
    error: float
    complete: bool
    expansions: int
    note: str = ""


def find(graph, goal: Goal, roots, states, effort: Effort, progress=SILENT) -> Found:
    """The best way from these starts: roots (n,) frames, states (n, REALS)."""
    roots = np.ascontiguousarray(roots, np.int64)
    states = np.ascontiguousarray(states, np.float64).reshape(len(roots), REALS)
    if not len(roots):
        raise MotionError("there is no frame to start from in the pruned graph; name another start")
    search = _by_beam if effort.method == "beam" else _by_branches
    return search(graph, goal, roots, states, effort, progress)


def as_walk(graph, found: Found, roots, states, **fields) -> Walk:
    """The walk of a way."""
    ground = ground_of(graph)
    rows = graph.candidates.table[ground.rows[np.array(found.taken, int)]]
    clip, stop = ground.place(found.last)
    placed = tuple(float(v) for v in states[found.start, :3])
    start = ground.place(int(roots[found.start]))
    assert clip == (rows["dst"][-1] if len(rows) else start[0])
    return Walk.of(graph, start, rows, stop=stop, placed=placed, complete=found.complete, note=found.note, **fields)


def _room(ground):
    """Arrays that hold all children of a state."""
    terrain = ground.terrain
    widest = int(np.max(np.diff(np.searchsorted(terrain.leave, ground.starts)), initial=1))
    return widest, np.empty(widest, np.int32), np.empty((widest, REALS))


def _choose(errors, effort):
    """One of the r best whose error is within tolerance of the best."""
    good = np.flatnonzero(errors <= errors[0] * (1.0 + effort.tolerance) + 1e-12)
    return int(np.random.default_rng(effort.rng).choice(good)) if len(good) > 1 else 0


def _by_beam(graph, goal, roots, states, effort, progress):
    """Sweep once; with a time limit, sweep wider and wider while another sweep is likely to fit."""
    began, width, best, used = time.perf_counter(), effort.width, None, 0
    if effort.seconds is not None:
        width = min(8, width)
    while True:
        before = time.perf_counter()
        found = _sweep(graph, goal, roots, states, effort, width, began, used, progress)
        took, used = time.perf_counter() - before, used + found.expansions
        if best is None or (found.complete, -found.error) > (best.complete, -best.error):
            best = found
        left = np.inf if effort.expansions is None else effort.expansions - used
        time_left = 0.0 if effort.seconds is None else effort.seconds - (time.perf_counter() - began)
        if effort.seconds is None or 2.5 * took > time_left or 2.5 * found.expansions > left or width >= 4096:
            return Found(best.start, best.taken, best.last, best.error, best.complete, used, best.note)
        width *= 2


def _sweep(graph, goal, roots, states, effort, width, began, used, progress):
    ground = ground_of(graph)
    # Beyond the end of the path a state still has its run to find the end in.
    count = int(goal.longest / effort.cell) + 2
    cells = beam_search.Cells.empty(count, width, effort.best, effort.cell)
    _, taken, children = _room(ground)
    none, no_state = np.empty(0, np.int64), np.empty((0, REALS))
    beam_search.sweep(ground.terrain, goal.road, goal.rules, cells, roots, states, 0, 0, taken, children)
    reached, note = count, ""
    for start in range(0, count, _BLOCK):
        progress(min(start * effort.cell, goal.rules.length), goal.rules.length, "planning the walk")
        if effort.seconds is not None and time.perf_counter() - began > effort.seconds:
            reached, note = start, f"the {effort.seconds:g} s allowed ran out"
            break
        if effort.expansions is not None and used + cells.effort[0] > effort.expansions:
            reached, note = start, f"the {effort.expansions:,} expansions allowed ran out"
            break
        stop = min(start + _BLOCK, count)
        beam_search.sweep(ground.terrain, goal.road, goal.rules, cells, none, no_state, start, stop, taken, children)
    complete = bool(np.isfinite(cells.best[0]))
    if complete:
        chosen = _choose(cells.best[np.isfinite(cells.best)], effort)
        (number, last), error, note = cells.ends[chosen].tolist(), float(cells.best[chosen]), ""
    else:
        number, last, error, along = _furthest(cells, reached, roots)
        note = f"{note or 'every way ends'} after {along:.1f} of {goal.rules.length:.1f} m"
    way = []
    while number >= 0:
        _, number, via = cells.links[number // width, number % width].tolist()
        way.append(via)
    return Found(-1 - number, tuple(way[::-1]), last, error, complete, int(cells.effort[0]), note)


def _furthest(cells, reached, roots):
    """The best state of the last cell that has any: its number, frame, error and metres along the path."""
    full = np.flatnonzero(cells.filled[: max(reached, 1)])
    if not len(full):
        full = np.flatnonzero(cells.filled)[:1]
    if not len(full):
        return -1, int(roots[0]), 0.0, 0.0
    where = int(full[-1])
    slot = int(np.argmin(cells.value[where, : cells.filled[where]]))
    state = cells.states[where, slot]
    return (
        where * cells.value.shape[1] + slot,
        int(cells.links[where, slot, 0]),
        float(state[ERROR]),
        float(state[ALONG]),
    )


def _by_branches(graph, goal, roots, states, effort, progress):
    """Plan n seconds, keep m, and go on from there; of several starts one is picked at random (Kovar 2002, 4.2)."""
    from motiongraph.walks import branch_and_bound  # takes seconds to compile the first time, and few ask for it

    ground, began, rng = ground_of(graph), time.perf_counter(), np.random.default_rng(effort.rng)
    widest, rules = _room(ground)[0], goal.rules._replace(spare=0.0)  # beyond the bound nothing can be made up for
    way, spent, error, note = [], 0, 0.0, ""
    start = int(rng.integers(len(roots)))
    frames, current = roots[start : start + 1], states[start : start + 1]
    # Limits are shared out over the path: what the walked part has not used is there for the rest.
    while True:
        along = float(current[:, ALONG].max())
        progress(min(along, goal.rules.length), goal.rules.length, "planning the walk")
        share = _share(goal, along, effort, began, spent)
        if share <= 0:
            note = f"the limit was reached after {along:.1f} of {goal.rules.length:.1f} m"
            return Found(start, tuple(way), int(frames[0]), error, False, spent, note)
        plans = branch_and_bound.Plans.empty(effort.best)
        until = float(current[:, TIME].min()) + effort.plan
        branch_and_bound.search(ground.terrain, goal.road, rules, frames, current, until, share, plans, widest)
        spent += int(plans.effort[0])
        if not np.isfinite(plans.error[0]):
            note = f"every way ends after {along:.1f} of {goal.rules.length:.1f} m"
            return Found(start, tuple(way), int(frames[0]), error, False, spent, note)
        good = np.flatnonzero(plans.error <= plans.error[0] * (1.0 + effort.tolerance) + 1e-12)
        chosen = int(rng.choice(good)) if len(good) > 1 else 0
        length = int(plans.length[chosen])
        taken = plans.taken[chosen, :length].tolist()
        if plans.last[chosen] >= 0:
            found = (*way, *taken)
            return Found(start, found, int(plans.last[chosen]), float(plans.error[chosen]), True, spent)
        kept = 1 + int(np.searchsorted(plans.states[chosen, :length, TIME], until - effort.plan + effort.keep))
        kept = min(kept, length)
        way += taken[:kept]
        current = plans.states[chosen, kept - 1 : kept].copy()
        frames, error = ground.terrain.arrive[way[-1:]].astype(np.int64), float(current[0, ERROR])


def _share(goal, along, effort, began, spent):
    """Expansions that this stage may use: its share, by metres, of what is left of expansions or time."""
    left = effort.expansions - spent if effort.expansions is not None else np.inf
    if effort.seconds is not None:
        used = time.perf_counter() - began
        rate = spent / used if spent else 20_000.0
        left = min(left, (effort.seconds - used) * rate)
    part = max(effort.keep * goal.rules.quickest / max(goal.longest - along, 0.1), 1e-3)
    return int(min(left * min(part, 1.0), 2000 if not np.isfinite(left) else np.inf))
