"""The cost of following a path, compiled: the error of going on from a state, at every transition that can be taken.

The error is Kovar's equation 9 (2002, 5.1) per second instead of per frame: the squared distance between the character
and the point of the path that belongs to it, summed over time. That point advances by the length walked, and by no less
than gamma a second. It may differ from that by the share `slack` towards the nearest point, since a body that rounds a
corner walks less than the path is long and should not have to make up for it; slack 0 is equation 9 itself, at equal
arc length. Added are terms for facing elsewhere than along the path, for the cost of transitions, for motion of the
wrong label, and for another speed than the one asked for.
"""

from typing import NamedTuple

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.kernels import BARE, F32, F64, I32, I64, U1, njit, read, types
from motiongraph.model.placement import placed, turned
from motiongraph.walks.floor_path import SAMPLES
from motiongraph.walks.plan_search import WALKING
from motiongraph.walks.turn_frames import LEAD, SETTLE, STRAIGHT


class TargetPath(NamedTuple):
    """The path to follow, in M samples, and the labels asked for on its S stretches."""

    # (M, 6) x, z, tangent x, z, what a second of the wrong label costs, metres to the end of the stretch
    line: np.ndarray
    stretch: np.ndarray  # (M,) stretch that each sample belongs to
    need: np.ndarray  # (S, F) 1 where a frame has the label of a stretch
    away: np.ndarray  # (S, F) seconds from arriving at a frame until motion of that label can be reached
    metres: np.ndarray  # (S, F) and metres walked until then
    extra: np.ndarray  # (T,) m²s more for taking each transition
    pace: np.ndarray  # (F,) m/s on the floor at each frame


class Rules(NamedTuple):
    """What counts how much, and when a walk may end."""

    length: float  # m, of the path
    spacing: float  # m, between two of its samples
    fps: float
    stride: int  # frames between two samples of a piece
    least: int  # frames between two transitions
    window: int  # frames of a transition
    gamma: float  # m/s, least progress
    slack: float  # share by which progress may differ from the length walked
    facing: float  # m² for (1 − cos) of the angle off the path
    cost: float  # m²s for a cm² of a transition's cost
    speed: float  # m/s to go at
    hurry: float  # s², times the square of how much faster or slower it goes, m²; 0 where any speed will do
    repeat: float  # m²s for coming again to where a walk was not long before
    early: float  # m before the path's end from which on a walk may end
    late: float  # m after it by which it must
    end_place: float  # s, for the square of the distance from the path's end
    end_facing: float  # m²s, for (1 − cos) of the angle off the direction to end in
    end_x: float  # that direction
    end_z: float
    end_rest: float  # s³, times the square of the speed at the end
    strict: int  # 1 where the last label must hold at the end
    quickest: float  # m/s, highest speed of any clip
    strip: float  # times the square of the distance beyond that of a strip along the path
    inside: float  # m², the square of half the width of the strip
    turning: float  # rad/s by which a body that walks is turned towards the path at the most
    spare: float  # m²s beyond the limit up to which a clip is played on, since what comes may make up for it


TARGET = types.NamedTuple(
    (read(F64, 2), read(I32), read(U1, 2), read(F32, 2), read(F32, 2), read(F64), read(F64)), TargetPath
)
RULES = types.NamedTuple(tuple(I64 if kind is int else F64 for kind in Rules.__annotations__.values()), Rules)

# Of a state or child, reals: theta, x, z of its clip's placement; metres along the path; error; seconds since the
# start. Whole numbers beside them: the frame arrived at, the state it came from, the transition taken.
THETA, X, Z, ALONG, ERROR, TIME = range(6)
REALS = 6
# What facing away from the path a little further on is taken to cost still, m²s for (1 − cos)² of the angle, and how
# much further, m. By it the mean error of twelve paths fell from 29 to 6 cm on Bandai-Namco's walks and from 13 to 8 cm
# on subject 16; 0.2 m²s and 0.8 m did less well.
_TURN, _AHEAD = 0.5, 0.5
_TWIST = 0.05  # m² that turning a body as fast as can be costs
# In the kernels, `pose` is x, z of a placement and the cosine and sine of its turn. Small functions are inlined by
# numba, not left to LLVM, and none of them makes an array, so that no references are counted (`BARE`): planning on 16,
# Bandai-Namco's walks and the samples takes 0.35 to 0.45 of the time, with the same results.


@njit(inline="always", **BARE)
def error_at(target, rules, along, x, z, fx, fz, walked, seconds, frame):
    """Metres along the path after walking `walked` more to x, z, and the error a second there."""
    least = rules.gamma * seconds
    low = along + max(least, (1.0 - rules.slack) * walked)
    high = along + max(least, (1.0 + rules.slack) * walked)
    top = target.line.shape[0] - 1
    if high > low:
        middle = along + walked
        i = min(max(int(middle / rules.spacing + 0.5), 0), top)
        there = middle + (x - target.line[i, 0]) * target.line[i, 2] + (z - target.line[i, 1]) * target.line[i, 3]
        along = min(max(there, low), high)
    else:
        along = low
    i = min(max(int(along / rules.spacing + 0.5), 0), top)
    dx, dz = x - target.line[i, 0], z - target.line[i, 1]
    far = dx * dx + dz * dz
    error = far + rules.facing * (1.0 - fx * target.line[i, 2] - fz * target.line[i, 3])
    if far > rules.inside:
        error += rules.strip * (far - rules.inside)
    if target.line[i, 4] > 0.0 and not target.need[target.stretch[i], frame]:
        error += target.line[i, 4]
    if rules.hurry > 0.0:
        error += rules.hurry * (target.pace[frame] - rules.speed) ** 2
    return along, error


@njit(inline="always", **BARE)
def lower_bound(target, rules, along, x, z, frame):
    """What is surely or most likely still to come from a state at x, z: the lower bound that orders the search.

    Whoever is d off the path closes in by no more than two metres for each one walked, which costs at least
    d³ / (6 v) at the highest speed v; and a label that cannot be had before so many metres after its stretch begins
    costs the seconds for these at that speed.
    """
    top = target.line.shape[0] - 1
    i = min(max(int(along / rules.spacing + 0.5), 0), top)
    dx, dz = x - target.line[i, 0], z - target.line[i, 1]
    d2 = dx * dx + dz * dz
    bound = d2 * np.sqrt(d2) / (6.0 * rules.quickest)
    here = target.stretch[i]
    if target.line[i, 4] > 0.0:
        bound += target.line[i, 4] * target.away[here, frame]
    if here + 1 < target.need.shape[0]:
        late = target.metres[here + 1, frame] - target.line[i, 5]
        if late > 0.0:
            bound += late / rules.quickest * target.line[top, 4]
    return bound


@njit(inline="always", **BARE)
def turn_ahead(target, rules, along, fx, fz):
    """What turning from a direction fx, fz to where the path leads next may cost: no bound, but by it those who are
    about to turn go on, and not only the many who walk straight up to a corner."""
    i = min(max(int((along + _AHEAD) / rules.spacing + 0.5), 0), target.line.shape[0] - 1)
    off = 1.0 - fx * target.line[i, 2] - fz * target.line[i, 3]
    return _TURN * off * off


@njit(inline="always", **BARE)
def error_played(floor, target, rules, position, following, pose, along):
    """Metres along the path after playing from one frame on to another, and the error a second there."""
    x, z, c, s = pose
    px, pz = placed(c, s, x, z, floor.path[following, 0], floor.path[following, 1])
    fx, fz = turned(c, s, floor.face[following, 0], floor.face[following, 1])
    walked, seconds = floor.arc[following] - floor.arc[position], (following - position) / rules.fps
    return error_at(target, rules, along, px, pz, fx, fz, walked, seconds, following)


@njit(inline="always", **BARE)
def error_ended(floor, target, rules, position, pose, along, error):
    """The whole error of a walk that ends at this frame; infinity where it may not."""
    if along < rules.length - rules.early or (rules.strict and not target.need[target.need.shape[0] - 1, position]):
        return np.inf
    x, z, c, s = pose
    top = target.line.shape[0] - 1
    px, pz = placed(c, s, x, z, floor.path[position, 0], floor.path[position, 1])
    dx, dz = px - target.line[top, 0], pz - target.line[top, 1]
    fx, fz = turned(c, s, floor.face[position, 0], floor.face[position, 1])
    error += rules.end_place * (dx * dx + dz * dz) + rules.end_rest * target.pace[position] ** 2
    return error + rules.end_facing * (1.0 - fx * rules.end_x - fz * rules.end_z)


@njit(inline="always", **BARE)
def turned_towards(target, rules, along, x, z, fx, fz, pace, seconds):
    """Radians by which a body at x, z that faces fx, fz is turned towards the path ahead within so many seconds, as
    nearly as matters (see `turn_frames`)."""
    i = min(max(int((along + LEAD) / rules.spacing + 0.5), 0), target.line.shape[0] - 1)
    dx = target.line[i, 0] + STRAIGHT * target.line[i, 2] - x
    dz = target.line[i, 1] + STRAIGHT * target.line[i, 3] - z
    size = max(np.sqrt(dx * dx + dz * dz), 1e-6)
    aside, ahead = (fz * dx - fx * dz) / size, (fx * dx + fz * dz) / size
    if ahead < 0.0:
        aside = 1.0 if aside > 0.0 else -1.0
    most = rules.turning * min(pace / WALKING, 1.0) * seconds
    return min(max(aside * min(seconds / SETTLE, 1.0), -most), most)


@njit(inline="always", **BARE)
def exits(floor, rules, frame):
    """The transitions, first and one past the last, by which the run from a frame may be left."""
    end = floor.run_end[frame]
    last = floor.next_out[end + 1]
    first = floor.next_out[min(frame + rules.least, end + 1)]
    return (first if first < last else floor.next_out[frame]), last


@njit(**BARE)
def successors(floor, target, rules, frame, state, limits, cell, taken, children):
    """All that may follow a state: plays on from `frame`, and fills in a child for every transition met.

    state: (REALS,). taken: the transition of each child; children: (n, REALS) their states. Returns how many; the
    frame at which the walk best ends within this run with its whole error (−1, infinity where it cannot); and how many
    frames and transitions were looked at. limits: (n,) the error from which on a walk is of no use, for every `cell`
    metres along the path, the last wherever it is; playing stops there too, with something to spare.
    """
    theta, x, z = state[THETA], state[X], state[Z]
    along, error, time = state[ALONG], state[ERROR], state[TIME]
    s, c = sincos(theta)
    pose = x, z, c, s
    end = floor.run_end[frame]
    count, stop, least_error, looks = 0, -1, np.inf, 0
    if end < frame:
        return count, stop, least_error, looks
    k, last = exits(floor, rules, frame)
    furthest, position = limits.shape[0] - 1, frame
    part = rules.window / (SAMPLES * rules.fps)
    while True:
        looks += 1
        total = error_ended(floor, target, rules, position, pose, along, error)
        if total < least_error:
            stop, least_error = position, total
        limit = min(limits[min(int(along / cell), furthest)] + rules.spare, limits[furthest])
        if along >= rules.length + rules.late or error >= limit:
            break
        following = min(position + rules.stride, end)
        further, rate, seconds = along, 0.0, (following - position) / rules.fps
        if following > position:
            further, rate = error_played(floor, target, rules, position, following, pose, along)
        while k < last and (floor.leave[k] < following or position == end):
            u = (floor.leave[k] - position) / max(following - position, 1)
            progress, total = along + u * (further - along), error + u * rate * seconds
            total += rules.cost * floor.jump[k, 3] ** 2 + target.extra[k]
            limit = limits[min(int((progress + floor.jump[k, 4]) / cell), furthest)]
            if total < limit:
                looks += 1
                for m in range(SAMPLES):
                    px, pz = placed(c, s, x, z, floor.way[k, m, 0], floor.way[k, m, 1])
                    fx, fz = turned(c, s, floor.way[k, m, 3], floor.way[k, m, 4])
                    there = floor.leave[k] if 2 * m < SAMPLES else floor.arrive[k]
                    progress, more = error_at(target, rules, progress, px, pz, fx, fz, floor.way[k, m, 2], part, there)
                    total += more * part
                    if total >= limit:
                        break
            if total < limit:
                child = children[count]
                child[THETA] = theta + floor.jump[k, 0]
                child[X], child[Z] = placed(c, s, x, z, floor.jump[k, 1], floor.jump[k, 2])
                if rules.turning > 0.0:
                    px, pz = placed(c, s, x, z, floor.way[k, SAMPLES - 1, 0], floor.way[k, SAMPLES - 1, 1])
                    fx, fz = turned(c, s, floor.way[k, SAMPLES - 1, 3], floor.way[k, SAMPLES - 1, 4])
                    pace = target.pace[floor.arrive[k]]
                    more = turned_towards(target, rules, progress, px, pz, fx, fz, pace, rules.window / rules.fps)
                    sm, cm = sincos(more)
                    ux, uz = turned(cm, sm, child[X] - px, child[Z] - pz)
                    child[THETA], child[X], child[Z] = child[THETA] + more, px + ux, pz + uz
                child[ALONG], child[ERROR] = progress, total
                child[TIME] = time + (floor.leave[k] - position + rules.window) / rules.fps
                taken[count] = k
                count += 1
            k += 1
        if position == end:
            break
        along, error, time, position = further, error + rate * seconds, time + seconds, following
        if rules.turning > 0.0 and seconds > 0.0:
            px, pz = placed(c, s, x, z, floor.path[position, 0], floor.path[position, 1])
            fx, fz = turned(c, s, floor.face[position, 0], floor.face[position, 1])
            more = turned_towards(target, rules, along, px, pz, fx, fz, target.pace[position], seconds)
            error += _TWIST * (more / (rules.turning * seconds)) ** 2 * seconds
            sm, cm = sincos(more)
            ux, uz = turned(cm, sm, x - px, z - pz)
            theta, x, z = theta + more, px + ux, pz + uz
            s, c = sincos(theta)
            pose = x, z, c, s
    return count, stop, least_error, looks
