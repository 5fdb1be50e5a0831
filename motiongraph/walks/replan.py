"""The next few metres of a walk that is steered, planned in one compiled call that cannot take long.

The way is laid, the plan at hand is measured along it, and the beam looks for a better one: so a plan is never worse
than the one before, what cannot better it is dropped at once, and there is always something to go on with. The effort
is counted in looks at frames and transitions and shared out over the way, which makes a plan the same on every machine
and the longest planning not much longer than the usual one.
"""

import numpy as np
from numba import njit, types

from motiongraph.errors import MotionError
from motiongraph.walks.beam_search import CELLS, Cells, expand
from motiongraph.walks.curve import SPACING, Curve
from motiongraph.walks.floor_path import COMPILED, SAMPLES, TERRAIN, ground_of, read
from motiongraph.walks.path_cost import ALONG, ERROR, REALS, ROAD, RULES, THETA, Road, X, Z, ended, exits, look, played
from motiongraph.walks.path_goal import Goal, Weights

_CELL = 0.25  # m along the way in which states compete
_BEND = 0.3  # m over which the direction of the way is taken, as a `Curve` does
# A plan is only as good as where it leaves the body: near the way's end (s), facing along it (m²s). Less is spared than
# for a whole path (m²s), to be there in time.
_PASSING = {"end_place": 1.0, "end_facing": 0.3, "spare": 0.4}
_ARRIVING = {"end_place": 8.0, "end_facing": 0.0, "early": 0.3, "late": 0.5}
_real, _whole = types.float64, types.int64
# A plan is made sooner than the interpreter, once released, is had back from a thread that makes motion meanwhile.
_AT_ONCE = COMPILED | {"nogil": False}


@njit(types.Tuple((_real[:, ::1], _real))(read(_real, 2)), **_AT_ONCE)
def lay(points):
    """`Road.line` along a polyline, points (N, 2) x, z metres, and its length: what `Curve.of` makes of it."""
    last = points.shape[0] - 1
    gaps = np.empty(last)
    for n in range(last):
        gaps[n] = np.hypot(points[n + 1, 0] - points[n, 0], points[n + 1, 1] - points[n, 1])
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
        size = max(np.hypot(dx, dz), 1e-12)
        line[i, 2], line[i, 3] = dx / size, dz / size
    return line, length


@njit(types.Tuple((_real, _whole))(TERRAIN, ROAD, RULES, _whole, read(_real, 1), read(types.int32, 1)), **COMPILED)
def retrace(terrain, road, rules, frame, state, plan):
    """The least whole error of a walk that takes these transitions, plan (n,), or the first of them, from a state on;
    and how many it takes. Infinity and 0 where none of these walks comes to the path's end."""
    theta, x, z, along, error = state[THETA], state[X], state[Z], state[ALONG], state[ERROR]
    best, used, part = np.inf, 0, rules.window / (SAMPLES * rules.fps)
    for n in range(plan.shape[0] + 1):
        end, k = terrain.run_end[frame], -1
        if end < frame:
            break
        if n < plan.shape[0]:
            first, last = exits(terrain, rules, frame)
            k = plan[n] if first <= plan[n] < last else -1
        c, s = np.cos(theta), np.sin(theta)
        pose = x, z, c, s
        while True:
            total = ended(terrain, road, rules, frame, pose, along, error)
            if total < best:
                best, used = total, n
            if along >= rules.length + rules.late:
                return best, used
            following = min(frame + rules.stride, end)
            further, rate, seconds = along, 0.0, (following - frame) / rules.fps
            if following > frame:
                further, rate = played(terrain, road, rules, frame, following, pose, along)
            if k >= 0 and (terrain.leave[k] < following or frame == end):
                break
            if frame == end:
                return best, used
            along, error, frame = further, error + rate * seconds, following
        u = (terrain.leave[k] - frame) / max(following - frame, 1)
        along, error = along + u * (further - along), error + u * rate * seconds + rules.cost * terrain.jump[k, 3] ** 2
        # The transition's looks as in `survey`, which does without a function they could share: it is a tenth slower.
        for m in range(SAMPLES):
            a, b, walked = terrain.way[k, m, 0], terrain.way[k, m, 1], terrain.way[k, m, 2]
            fx = c * terrain.way[k, m, 3] + s * terrain.way[k, m, 4]
            fz = c * terrain.way[k, m, 4] - s * terrain.way[k, m, 3]
            there = terrain.leave[k] if 2 * m < SAMPLES else terrain.arrive[k]
            along, more = look(road, rules, along, x + c * a + s * b, z - s * a + c * b, fx, fz, walked, part, there)
            error += more * part
        a, b = terrain.jump[k, 1], terrain.jump[k, 2]
        theta, x, z = theta + terrain.jump[k, 0], x + c * a + s * b, z - s * a + c * b
        frame = terrain.arrive[k]
    return best, used


@njit(types.int32[::1](CELLS, _whole), **COMPILED)
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


@njit(types.int32[::1](TERRAIN, ROAD, RULES, CELLS, _whole, read(_real, 1), types.int32[::1], _whole, types.int32[::1],
                       _real[:, ::1]), **_AT_ONCE)  # fmt: skip
def steer(terrain, road, rules, cells, frame, state, plan, looks, taken, children):
    """The transitions to take from a state, (REALS,) at `frame`: those of the plan at hand, plan (n,), or better ones.

    cells: empty, for one walk; looks: how many at frames and transitions are allowed; taken, children: room for all
    transitions of a run. Where no walk comes to the end of the way, those of the best of the furthest.
    """
    at_hand, used = retrace(terrain, road, rules, frame, state, plan)
    cells.best[0] = at_hand
    cells.limits[:] = at_hand
    expand(terrain, road, rules, cells, frame, state, -1, 0, taken, children)
    count, width = cells.value.shape
    for where in range(count):
        # A crowded stretch must not use up what the rest of the way needs; its best state goes on in any case.
        until = cells.effort[1] + (looks - cells.effort[1]) // (count - where)
        for slot in np.argsort(cells.value[where, : cells.filled[where]]):
            if cells.value[where, slot] >= cells.best[0]:
                break
            number, at = where * width + slot, cells.links[where, slot, 0]
            expand(terrain, road, rules, cells, at, cells.states[where, slot], number, where + 1, taken, children)
            if cells.effort[1] >= until:
                break
    if cells.best[0] < at_hand:
        return _taken(cells, cells.ends[0, 0])
    if at_hand < np.inf:
        return plan[:used].copy()
    for where in range(count - 1, -1, -1):
        if cells.filled[where]:
            return _taken(cells, where * width + cells.value[where, : cells.filled[where]].argmin())
    return np.empty(0, np.int32)


class Ahead:
    """Plans on one graph; what that needs of the graph is made once. width: states that go on side by side; looks: at
    frames and transitions, for one plan."""

    def __init__(self, graph, weights: Weights | None = None, width: int = 6, looks: int = 4000):
        if min(width, looks) < 1:
            raise MotionError("width and looks must be above zero")
        self.graph, self.weights, self.width, self.looks = graph, weights, width, looks
        ground = ground_of(graph)
        self.terrain = ground.terrain
        widest = int(np.max(np.diff(np.searchsorted(self.terrain.leave, ground.starts)), initial=1))
        self._room = np.empty(widest, np.int32), np.empty((widest, REALS))
        self._goals: dict[str | None, Goal] = {}

    def goal(self, label: str | None) -> Goal:
        """What asks for motion of this label along any way; made when first asked for."""
        if label not in self._goals:
            way = Curve.of([[0.0, 0.0], [0.0, 1.0]])
            self._goals[label] = Goal.of(self.graph, way, label, self.weights, check=False, **_PASSING)
        return self._goals[label]

    def plan(self, frame: int, placement, way, label=None, arriving=False, at_hand=()) -> list[int]:
        """The transitions to take from a frame, its clip placed at theta, x, z.

        way: (N, 2) x, z metres of the way to go; arriving: whether its end is where to arrive, in whatever direction,
        or only to be passed along it; at_hand: the transitions that were to be taken until now.
        """
        goal = self.goal(label)
        line, length = lay(np.ascontiguousarray(way, float))
        line[:, 4:] = goal.road.line[0, 4:]
        line.flags.writeable = False
        stretch = np.zeros(len(line), np.int32)
        stretch.flags.writeable = False
        road = Road(line, stretch, goal.road.need, goal.road.away)
        ends = _ARRIVING if arriving else dict(zip(("end_x", "end_z"), line[-1, 2:4].tolist()))
        rules = goal.rules._replace(length=length, spacing=length / (len(line) - 1), **ends)
        cells = Cells.empty(int((length + rules.late) / _CELL) + 2, self.width, 1, _CELL)
        state, plan = np.zeros(REALS), np.array(at_hand, np.int32)
        state[:3] = placement
        return steer(self.terrain, road, rules, cells, frame, state, plan, self.looks, *self._room).tolist()
