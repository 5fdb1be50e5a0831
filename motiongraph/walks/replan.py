"""Planning the next few metres of a steered walk again, in one compiled call that cannot take long (Kovar 2002, 5.3).

The current plan is measured along the path to go, and the beam looks for a better one. So a plan is never worse than
the one before, what cannot improve on it is dropped at once, and there is always something to go on with. The effort is
counted in looks at frames and transitions and shared out over the path, which makes a plan the same on every machine
and the longest planning not much longer than the usual one.
"""

from collections.abc import Sequence

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, FAST, I32, I64, kernel, njit, read, types
from motiongraph.model.placement import Placement, placed, turned
from motiongraph.walks.beam_search import CELLS, Cells, expand
from motiongraph.walks.curve import SPACING, Curve
from motiongraph.walks.floor_path import FLOOR, SAMPLES, floor_graph
from motiongraph.walks.path_cost import (
    ALONG,
    ERROR,
    REALS,
    RULES,
    TARGET,
    THETA,
    X,
    Z,
    error_at,
    error_ended,
    error_played,
    exits,
)  # fmt: skip
from motiongraph.walks.path_goal import Goal, Weights

_CELL = 0.25  # m along the way in which states compete
_BEND = 0.3  # m over which the direction of the way is taken, as a `Curve` does
# A plan is only as good as where it leaves the body: near the way's end (s), facing along it (m²s). Less is spared than
# for a whole path (m²s), to be there in time.
# The plan that is being followed is compared with new ones, and has no price for repeats.
_PASSING = {"end_place": 1.0, "end_facing": 0.3, "spare": 0.4, "repeat": 0.0}
_ARRIVING = {"end_place": 8.0, "end_facing": 0.0, "early": 0.3, "late": 0.5}
# A plan takes less time than getting the interpreter back, once released, from a thread that makes motion meanwhile.
_AT_ONCE = FAST | {"nogil": False}


@kernel(types.Tuple((F64[:, ::1], F64))(read(F64, 2)), **_AT_ONCE)
def sample_polyline(points):
    """`TargetPath.line` along a polyline, points (N, 2) x, z metres, and its length: as `Curve.of` samples it."""
    last = points.shape[0] - 1
    gaps = np.empty(last)
    for n in range(last):
        dx, dz = points[n + 1, 0] - points[n, 0], points[n + 1, 1] - points[n, 1]
        gaps[n] = np.sqrt(dx * dx + dz * dz)
    length = gaps.sum()
    top = max(np.int64(np.rint(length / SPACING)), 1)
    line = np.zeros((top + 1, 6))
    n, begins = 0, 0.0
    for i in range(top + 1):
        along = length * i / top
        while n < last - 1 and along > begins + gaps[n]:
            begins += gaps[n]
            n += 1
        u = min((along - begins) / gaps[n], 1.0) if gaps[n] > 0.0 else 0.0
        line[i, 0] = points[n, 0] + u * (points[n + 1, 0] - points[n, 0])
        line[i, 1] = points[n, 1] + u * (points[n + 1, 1] - points[n, 1])
    reach = max(np.int64(np.rint(_BEND / 2 / SPACING)), 1)
    for i in range(top + 1):
        before, after = max(i - reach, 0), min(i + reach, top)
        dx, dz = line[after, 0] - line[before, 0], line[after, 1] - line[before, 1]
        if dx * dx + dz * dz <= 1e-12:
            before, after = max(i - 1, 0), min(i + 1, top)
            dx, dz = line[after, 0] - line[before, 0], line[after, 1] - line[before, 1]
        size = max(np.sqrt(dx * dx + dz * dz), 1e-12)
        line[i, 2], line[i, 3] = dx / size, dz / size
    return line, length


@kernel(types.Tuple((F64, I64))(FLOOR, TARGET, RULES, I64, read(F64), read(I32)))
def plan_error(floor, target, rules, frame, state, plan):
    """The least whole error of a walk that takes these transitions, plan (n,), or the first of them, from a state on;
    and how many it takes. Infinity and 0 where none of these walks comes to the path's end."""
    theta, x, z, along, error = state[THETA], state[X], state[Z], state[ALONG], state[ERROR]
    best, used, part = np.inf, 0, rules.window / (SAMPLES * rules.fps)
    for n in range(plan.shape[0] + 1):
        end, k = floor.run_end[frame], -1
        if end < frame:
            break
        if n < plan.shape[0]:
            first, last = exits(floor, rules, frame)
            k = plan[n] if first <= plan[n] < last else -1
        s, c = sincos(theta)
        pose = x, z, c, s
        while True:
            total = error_ended(floor, target, rules, frame, pose, along, error)
            if total < best:
                best, used = total, n
            if along >= rules.length + rules.late:
                return best, used
            following = min(frame + rules.stride, end)
            further, rate, seconds = along, 0.0, (following - frame) / rules.fps
            if following > frame:
                further, rate = error_played(floor, target, rules, frame, following, pose, along)
            if k >= 0 and (floor.leave[k] < following or frame == end):
                break
            if frame == end:
                return best, used
            along, error, frame = further, error + rate * seconds, following
        u = (floor.leave[k] - frame) / max(following - frame, 1)
        along, error = along + u * (further - along), error + u * rate * seconds
        error += rules.cost * floor.jump[k, 3] ** 2 + target.extra[k]
        # The transition's samples as in `successors`; a function that both could share makes that a tenth slower.
        for m in range(SAMPLES):
            px, pz = placed(c, s, x, z, floor.way[k, m, 0], floor.way[k, m, 1])
            fx, fz = turned(c, s, floor.way[k, m, 3], floor.way[k, m, 4])
            there = floor.leave[k] if 2 * m < SAMPLES else floor.arrive[k]
            along, more = error_at(target, rules, along, px, pz, fx, fz, floor.way[k, m, 2], part, there)
            error += more * part
        theta += floor.jump[k, 0]
        x, z = placed(c, s, x, z, floor.jump[k, 1], floor.jump[k, 2])
        frame = floor.arrive[k]
    return best, used


@njit(**FAST)
def _taken(cells, number):
    """The transitions that lead to a state."""
    width, count, state = cells.value.shape[1], 0, number
    while state >= 0:
        state, count = cells.links[state // width, state % width, 1], count + 1
    taken = np.empty(count, np.int32)
    while number >= 0:
        count -= 1
        taken[count] = cells.links[number // width, number % width, 2]
        number = cells.links[number // width, number % width, 1]
    return taken


@kernel(I32[::1](FLOOR, TARGET, RULES, CELLS, I64, read(F64), I32[::1], I64, I32[::1], F64[:, ::1]), **_AT_ONCE)
def better_plan(floor, target, rules, cells, frame, state, plan, looks, taken, children):
    """The transitions to take from a state, (REALS,) at `frame`: those of the current plan (n,), or better ones.

    cells: empty, for one walk; looks: how many at frames and transitions are allowed; taken, children: room for all
    transitions of a run. Where no walk comes to the end of the way, those of the best of the furthest.
    """
    current, used = plan_error(floor, target, rules, frame, state, plan)
    cells.best[0] = current
    cells.limits[:] = current
    expand(floor, target, rules, cells, frame, state, -1, 0, taken, children)
    count, width = cells.value.shape
    for where in range(count):
        # A crowded stretch must not use up what the rest of the way needs; its best state goes on in any case.
        until = cells.effort[1] + (looks - cells.effort[1]) // (count - where)
        for slot in np.argsort(cells.value[where, : cells.filled[where]], kind="mergesort"):
            if cells.value[where, slot] >= cells.best[0]:
                break
            number, at = where * width + slot, cells.links[where, slot, 0]
            expand(floor, target, rules, cells, at, cells.states[where, slot], number, where + 1, taken, children)
            if cells.effort[1] >= until:
                break
    if cells.best[0] < current:
        return _taken(cells, cells.end[0])
    if current < np.inf:
        return plan[:used].copy()
    for where in range(count - 1, -1, -1):
        if cells.filled[where]:
            return _taken(cells, where * width + cells.value[where, : cells.filled[where]].argmin())
    return np.empty(0, np.int32)


class Replanner:
    """Plans on one graph; what that needs of the graph is computed once. width: states that go on side by side; looks:
    at frames and transitions, for one plan."""

    def __init__(self, graph: MotionGraph, weights: Weights | None = None, width: int = 6, looks: int = 4000):
        if min(width, looks) < 1:
            raise MotionError("width and looks must be above zero")
        self.graph, self.weights, self.width, self.looks = graph, weights, width, looks
        ground = floor_graph(graph)
        self.floor = ground.floor
        self._room = np.empty(ground.widest, np.int32), np.empty((ground.widest, REALS))
        self._goals: dict[str | None, Goal] = {}

    def goal(self, label: str | None) -> Goal:
        """The goal of motion with this label along any path; computed when first asked for."""
        if label not in self._goals:
            path = Curve.of([[0.0, 0.0], [0.0, 1.0]])
            self._goals[label] = Goal.of(self.graph, path, label, self.weights, check=False, **_PASSING)
        return self._goals[label]

    def plan(
        self, frame: int, placement: Placement, path: np.ndarray, label: str | None = None, arriving: bool = False,
        current: Sequence[int] = (),
    ) -> list[int]:  # fmt: skip
        """The transitions to take from a frame, with its clip at a placement.

        path: (N, 2) x, z metres, to go along; arriving: whether its end is where to arrive, in whatever direction, or
        only to be passed along it; current: the transitions that were to be taken until now.
        """
        goal = self.goal(label)
        line, length = sample_polyline(np.ascontiguousarray(path, float))
        line[:, 4:] = goal.target.line[0, 4:]
        line.flags.writeable = False
        stretch = np.zeros(len(line), np.int32)
        stretch.flags.writeable = False
        target = goal.target._replace(line=line, stretch=stretch)
        ends = _ARRIVING if arriving else dict(zip(("end_x", "end_z"), line[-1, 2:4].tolist()))
        rules = goal.rules._replace(length=length, spacing=length / (len(line) - 1), **ends)
        cells = Cells.empty(int((length + rules.late) / _CELL) + 2, self.width, _CELL)
        state, plan = np.zeros(REALS), np.array(current, np.int32)
        state[:3] = placement
        return better_plan(self.floor, target, rules, cells, frame, state, plan, self.looks, *self._room).tolist()
