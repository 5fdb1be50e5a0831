"""The goal of following a path, compiled: what going on from a state costs, at every way it can be left.

The error is Kovar's equation 9 (2002, 5.1) per second instead of per frame: the squared distance between the
character and the point of the path that belongs to it, summed over time. That point advances by the length walked,
by no less than gamma a second, and may differ from it by the share `slack` towards the nearest point, since a body
that rounds a corner walks less than the path is long and should not have to make up for it; 0 is equation 9 itself.
Added are terms for facing elsewhere than along the path, for the cost of transitions, and for motion of the wrong
label.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, types

from motiongraph.walks.floor_path import COMPILED, SAMPLES, TERRAIN, read


class Road(NamedTuple):
    """line: (M, 6) x, z, tangent x, z, what a second of the wrong label costs and metres to the end of the stretch,
    every `spacing` metres; stretch: (M,) which label is asked for there; need: (S, F) 1 where a frame has the label of
    a stretch; away: (S, F) seconds from arriving at a frame until that label can be had."""

    line: np.ndarray
    stretch: np.ndarray
    need: np.ndarray
    away: np.ndarray


class Rules(NamedTuple):
    """length, spacing: metres of the path; fps; stride, least, window: frames between looks, between transitions, and
    of a transition; gamma: m/s; slack: share; facing: m² for (1 − cos); cost: m²s for a cm²; early, late: metres before
    and after the path's end at which a walk may end; end_place: s for the square of missing the end; end_facing: m²s;
    end_x, end_z: the direction to end in; strict: 1 where the last label must hold at the end; quickest: m/s;
    spare: m²s of error beyond the limits up to which a clip is played on, since what comes may make up for it."""

    length: float
    spacing: float
    fps: float
    stride: int
    least: int
    window: int
    gamma: float
    slack: float
    facing: float
    cost: float
    early: float
    late: float
    end_place: float
    end_facing: float
    end_x: float
    end_z: float
    strict: int
    quickest: float
    spare: float


ROAD = types.NamedTuple(
    (read(types.float64, 2), read(types.int32, 1), read(types.uint8, 2), read(types.float32, 2)), Road
)
RULES = types.NamedTuple(
    tuple(types.int64 if kind is int else types.float64 for kind in Rules.__annotations__.values()), Rules
)

# Of a state or child, reals: theta, x, z of its clip's placement; metres along the path; error; seconds since the
# start. Whole numbers beside them: the frame arrived at, the state it came from, the transition taken.
THETA, X, Z, ALONG, ERROR, TIME = range(6)
REALS = 6
_reals, _rows = types.float64[::1], types.float64[:, ::1]
POSE = types.UniTuple(types.float64, 4)  # x, z of a placement; cosine and sine of its turn


@njit(types.UniTuple(types.float64, 2)(ROAD, RULES, types.float64, types.float64, types.float64, types.float64,
      types.float64, types.float64, types.float64, types.int64), inline="always", **COMPILED)  # fmt: skip
def look(road, rules, along, x, z, fx, fz, walked, seconds, frame):
    """Metres along the path after walking `walked` more to x, z, and the error a second there."""
    least = rules.gamma * seconds
    low = along + max(least, (1.0 - rules.slack) * walked)
    high = along + max(least, (1.0 + rules.slack) * walked)
    top = road.line.shape[0] - 1
    if high > low:
        middle = along + walked
        i = min(max(int(middle / rules.spacing + 0.5), 0), top)
        there = middle + (x - road.line[i, 0]) * road.line[i, 2] + (z - road.line[i, 1]) * road.line[i, 3]
        along = min(max(there, low), high)
    else:
        along = low
    i = min(max(int(along / rules.spacing + 0.5), 0), top)
    dx, dz = x - road.line[i, 0], z - road.line[i, 1]
    error = dx * dx + dz * dz + rules.facing * (1.0 - fx * road.line[i, 2] - fz * road.line[i, 3])
    if road.line[i, 4] > 0.0 and not road.need[road.stretch[i], frame]:
        error += road.line[i, 4]
    return along, error


@njit(types.float64(ROAD, RULES, types.float64, types.float64, types.float64, types.int64),
      **COMPILED)  # fmt: skip
def remaining(road, rules, along, x, z, frame):
    """What is surely or most likely still to come from a state at x, z: the lower bound that orders the search.

    Whoever is d off the path closes in by no more than two metres for each one walked, which costs at least
    d³ / (6 v) at the highest speed v; and a label that cannot be had before its stretch begins costs the seconds
    until it can.
    """
    top = road.line.shape[0] - 1
    i = min(max(int(along / rules.spacing + 0.5), 0), top)
    dx, dz = x - road.line[i, 0], z - road.line[i, 1]
    d2 = dx * dx + dz * dz
    bound = d2 * np.sqrt(d2) / (6.0 * rules.quickest)
    here = road.stretch[i]
    if road.line[i, 4] > 0.0:
        bound += road.line[i, 4] * road.away[here, frame]
    if here + 1 < road.need.shape[0]:
        late = road.away[here + 1, frame] - road.line[i, 5] / rules.quickest
        if late > 0.0:
            bound += late * road.line[top, 4]
    return bound


@njit(types.UniTuple(types.float64, 2)(TERRAIN, ROAD, RULES, types.int64, types.int64, POSE, types.float64),
      inline="always", **COMPILED)  # fmt: skip
def played(terrain, road, rules, position, following, pose, along):
    """Metres along the path after playing from one frame on to another, and the error a second there."""
    x, z, c, s = pose
    a, b = terrain.path[following, 0], terrain.path[following, 1]
    fx = c * terrain.face[following, 0] + s * terrain.face[following, 1]
    fz = c * terrain.face[following, 1] - s * terrain.face[following, 0]
    walked, seconds = terrain.arc[following] - terrain.arc[position], (following - position) / rules.fps
    return look(road, rules, along, x + c * a + s * b, z - s * a + c * b, fx, fz, walked, seconds, following)


@njit(types.float64(TERRAIN, ROAD, RULES, types.int64, POSE, types.float64, types.float64),
      inline="always", **COMPILED)  # fmt: skip
def ended(terrain, road, rules, position, pose, along, error):
    """The whole error of a walk that ends at this frame; infinity where it may not."""
    if along < rules.length - rules.early or (rules.strict and not road.need[road.need.shape[0] - 1, position]):
        return np.inf
    x, z, c, s = pose
    top = road.line.shape[0] - 1
    a, b = terrain.path[position, 0], terrain.path[position, 1]
    dx = x + c * a + s * b - road.line[top, 0]
    dz = z - s * a + c * b - road.line[top, 1]
    fx = c * terrain.face[position, 0] + s * terrain.face[position, 1]
    fz = c * terrain.face[position, 1] - s * terrain.face[position, 0]
    error += rules.end_place * (dx * dx + dz * dz)
    return error + rules.end_facing * (1.0 - fx * rules.end_x - fz * rules.end_z)


@njit(types.UniTuple(types.int64, 2)(TERRAIN, RULES, types.int64), inline="always", **COMPILED)
def exits(terrain, rules, frame):
    """The transitions, first and one past the last, by which the run from a frame may be left."""
    end = terrain.run_end[frame]
    last = terrain.next_out[end + 1]
    first = terrain.next_out[min(frame + rules.least, end + 1)]
    return (first if first < last else terrain.next_out[frame]), last


@njit(types.Tuple((types.int64, types.int64, types.float64, types.int64))(
    TERRAIN, ROAD, RULES, types.int64, read(types.float64, 1), _reals, types.float64, types.int32[::1], _rows),
    **COMPILED)  # fmt: skip
def survey(terrain, road, rules, frame, state, limits, cell, taken, children):
    """All that may follow a state: plays on from `frame`, and fills in a child for every transition met.

    state: (REALS,). taken: the transition of each child; children: (n, REALS) their states. Returns how many; the
    frame at which the walk best ends within this run with its whole error (−1, infinity where it cannot); and how many
    frames and transitions were looked at. limits: (n,) the error from which on a walk is of no use, for every `cell`
    metres along the path, the last wherever it is; playing stops there too, with something to spare.
    """
    theta, x, z = state[THETA], state[X], state[Z]
    along, error, time = state[ALONG], state[ERROR], state[TIME]
    c, s = np.cos(theta), np.sin(theta)
    pose = x, z, c, s
    end = terrain.run_end[frame]
    count, stop, least_error, looks = 0, -1, np.inf, 0
    if end < frame:
        return count, stop, least_error, looks
    k, last = exits(terrain, rules, frame)
    furthest, position = limits.shape[0] - 1, frame
    part = rules.window / (SAMPLES * rules.fps)
    while True:
        looks += 1
        total = ended(terrain, road, rules, position, pose, along, error)
        if total < least_error:
            stop, least_error = position, total
        limit = min(limits[min(int(along / cell), furthest)] + rules.spare, limits[furthest])
        if along >= rules.length + rules.late or error >= limit:
            break
        following = min(position + rules.stride, end)
        further, rate, seconds = along, 0.0, (following - position) / rules.fps
        if following > position:
            further, rate = played(terrain, road, rules, position, following, pose, along)
        while k < last and (terrain.leave[k] < following or position == end):
            u = (terrain.leave[k] - position) / max(following - position, 1)
            progress, total = along + u * (further - along), error + u * rate * seconds
            total += rules.cost * terrain.jump[k, 3] ** 2
            limit = limits[min(int((progress + terrain.jump[k, 4]) / cell), furthest)]
            if total < limit:
                looks += 1
                for m in range(SAMPLES):
                    a, b, walked = terrain.way[k, m, 0], terrain.way[k, m, 1], terrain.way[k, m, 2]
                    fx = c * terrain.way[k, m, 3] + s * terrain.way[k, m, 4]
                    fz = c * terrain.way[k, m, 4] - s * terrain.way[k, m, 3]
                    there = terrain.leave[k] if 2 * m < SAMPLES else terrain.arrive[k]
                    progress, more = look(
                        road, rules, progress, x + c * a + s * b, z - s * a + c * b, fx, fz, walked, part, there
                    )
                    total += more * part
            if total < limit:
                a, b = terrain.jump[k, 1], terrain.jump[k, 2]
                child = children[count]
                child[THETA] = theta + terrain.jump[k, 0]
                child[X], child[Z] = x + c * a + s * b, z - s * a + c * b
                child[ALONG], child[ERROR] = progress, total
                child[TIME] = time + (terrain.leave[k] - position + rules.window) / rules.fps
                taken[count] = k
                count += 1
            k += 1
        if position == end:
            break
        along, error, time, position = further, error + rate * seconds, time + seconds, following
    return count, stop, least_error, looks


@njit(types.Tuple((types.int64, types.int64, types.float64))(
    TERRAIN, ROAD, RULES, types.int64, read(types.float64, 1), _reals, types.float64, types.int32[::1], _rows),
    **COMPILED)  # fmt: skip
def onward(terrain, road, rules, frame, state, limits, cell, taken, children):
    """`survey`, for whoever does not count the looks."""
    count, stop, least_error, _ = survey(terrain, road, rules, frame, state, limits, cell, taken, children)
    return count, stop, least_error
