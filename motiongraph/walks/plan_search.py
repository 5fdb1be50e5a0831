"""The best transitions of the coming seconds, found in one compiled call of bounded effort.

The future is searched in time, not along a path, so that standing still and turning on the spot are choices like any
other. What a walk does is compared, ten times a second, with the velocity and facing asked for, as motion matching does
with its trajectory features (Clavet 2016); transitions cost what the metric says. The search knows that the body is
also turned a little towards where it is to face (`synthesis.turning`).
"""

from typing import NamedTuple

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.kernels import B1, F64, FAST, I32, I64, kernel, njit, read, types
from motiongraph.model.placement import placed, turned
from motiongraph.walks.floor_path import FLOOR, SAMPLES


class Aim(NamedTuple):
    """What is asked of the coming seconds."""

    points: np.ndarray  # (N, 2) x, z to head for, one for each sample of time
    speed: float  # m/s
    slow: float  # s before arriving at which to slow down; 0: never arrive
    need: np.ndarray  # (F,) bool: frames of the kind asked for
    away: np.ndarray  # (F,) seconds until such a frame can be reached
    rest: np.ndarray  # (F,) seconds until standing can begin: counts near the goal only
    outside: float  # error a second of frames that are not of that kind
    costly: float  # error of a transition that costs 1 cm², in 1/cm²
    facing: float  # error a second of facing backwards
    end: float  # s for which the error of the last moment counts on
    horizon: int  # frames
    stride: int  # frames between samples
    fps: float
    window: int  # frames of a transition
    turning: float  # rad/s by which a body that moves is turned towards where it is to face
    twist: float  # error a second of turning it as fast as that
    others: np.ndarray  # (M, S, 2) x, z of others, at each sample of time
    clear: float  # m to keep from them


AIM = types.NamedTuple(
    (
        read(F64, 2),
        F64,
        F64,
        read(B1),
        read(F64),
        read(F64),
        F64,
        F64,
        F64,
        F64,
        I64,
        I64,
        F64,
        I64,
        F64,
        F64,
        read(F64, 3),
        F64,
    ),
    Aim,
)
WALKING = 0.5  # m/s: slower bodies are turned less, and those that stand not at all
_TOUCHING = 8.0  # error a second of being where another is


@njit(inline="always", **FAST)
def towards(points, sample, x, z):
    """Unit vector from x, z to the point to head for, and metres to it."""
    point = points[min(max(sample, 0), points.shape[0] - 1)]
    dx, dz = point[0] - x, point[1] - z
    far = np.sqrt(dx * dx + dz * dz)
    size = max(far, 1e-9)
    return dx / size, dz / size, far


@njit(inline="always", **FAST)
def _left_to_go(aim, x, z):
    """Metres from x, z to the last point, at which to stop."""
    point = aim.points[aim.points.shape[0] - 1]
    return np.sqrt((point[0] - x) ** 2 + (point[1] - z) ** 2)


@njit(inline="always", **FAST)
def _sampled(aim, frame, t, x, z, vx, vz, fx, fz):
    """Error a second of being at x, z at time t (frames), moving at vx, vz m/s and facing fx, fz; where to face
    instead; and at how many rad/s the body is turned there."""
    dx, dz, _ = towards(aim.points, int(t / aim.stride), x, z)
    speed = aim.speed
    if aim.slow > 0.0:
        speed = min(speed, max(_left_to_go(aim, x, z) - 0.15, 0.0) / aim.slow)
    ex, ez = vx - speed * dx, vz - speed * dz
    scale = max(aim.speed, 0.7)
    share = min(speed / scale, 1.0)
    error = (ex * ex + ez * ez) / (scale * scale) + aim.facing * share * (1.0 - fx * dx - fz * dz)
    turning = aim.turning * share * min(np.sqrt(vx * vx + vz * vz) / WALKING, 1.0)
    for m in range(aim.others.shape[0]):
        other = aim.others[m, min(int(t / aim.stride), aim.others.shape[1] - 1)]
        gap = (other[0] - x) ** 2 + (other[1] - z) ** 2
        if gap < aim.clear * aim.clear:
            error += _TOUCHING * (1.0 - np.sqrt(gap) / aim.clear)
    return error if aim.need[frame] else error + aim.outside, dx, dz, turning


@njit(inline="always", **FAST)
def _turn(pose, px, pz, fx, fz, dx, dz, most):
    """The pose turned about px, pz so that it faces dx, dz rather than fx, fz, by `most` radians at the most."""
    c, s, x, z = pose
    cosine, sine = fx * dx + fz * dz, fz * dx - fx * dz
    h = 0.5 * most
    if cosine < (1.0 - h * h) / (1.0 + h * h):
        cosine, sine = (1.0 - h * h) / (1.0 + h * h), (2.0 if sine >= 0.0 else -2.0) * h / (1.0 + h * h)
    # f is as long as c, s is: without this, what rounding adds to that length doubles with every turn, 50 of them in a
    # plan of 5 s.
    size = max(np.sqrt(cosine * cosine + sine * sine), 1e-9)
    cosine, sine = cosine / size, sine / size
    ux, uz = turned(cosine, sine, x - px, z - pz)
    return c * cosine - s * sine, s * cosine + c * sine, px + ux, pz + uz


@njit(inline="always", **FAST)
def _twist(aim, fx, fz, dx, dz, most):
    """The error, for each second, of turning a body that faces fx, fz to dx, dz, by `most` radians at the most."""
    off = abs(fz * dx - fx * dz) if fx * dx + fz * dz > 0.0 else 1.0
    return aim.twist * min(off / max(most, 1e-9), 1.0) if most > 0.0 else 0.0


@njit(inline="always", **FAST)
def _moment(floor, aim, frame, t, pose):
    """Place and facing of a frame as captured, then `_sampled`; pose: cosine, sine, x, z of its clip's placement."""
    c, s, x, z = pose
    px, pz = placed(c, s, x, z, floor.path[frame, 0], floor.path[frame, 1])
    fx, fz = turned(c, s, floor.face[frame, 0], floor.face[frame, 1])
    after = frame + min(aim.stride, aim.window)  # the window of the transition that ends the run is there
    rate = aim.fps / (after - frame)
    vx, vz = turned(
        c, s, rate * (floor.path[after, 0] - floor.path[frame, 0]), rate * (floor.path[after, 1] - floor.path[frame, 1])
    )
    error, dx, dz, turning = _sampled(aim, frame, t, px, pz, vx, vz, fx, fz)
    return px, pz, fx, fz, error, dx, dz, turning


@njit(inline="always", **FAST)
def _ended(floor, aim, frame, t, pose):
    """What is still to be expected of a walk that the search leaves at a frame."""
    px, pz, _, _, rate, _, _, _ = _moment(floor, aim, frame, t, pose)
    error, near = aim.end * rate, 0.0
    if aim.slow > 0.0:
        far = _left_to_go(aim, px, pz)
        near = max(1.0 - far / 2.0, 0.0)
        error += far / max(aim.speed, 0.7)
    return error + near * min(aim.rest[frame], 4.0) + (1.0 - near) * min(aim.away[frame], 4.0)


@njit(inline="always", **FAST)
def _taken(floor, aim, k, t, pose, error):
    """Pose and error after transition k, entered at time t with the source clip at `pose`."""
    c, s, x, z = pose
    leave, part = floor.leave[k], aim.window / SAMPLES
    bx, bz = placed(c, s, x, z, floor.path[leave, 0], floor.path[leave, 1])
    error += aim.costly * floor.jump[k, 3] * floor.jump[k, 3]
    rate = aim.fps / part
    for m in range(SAMPLES):
        c, s, x, z = pose
        px, pz = placed(c, s, x, z, floor.way[k, m, 0], floor.way[k, m, 1])
        fx, fz = turned(c, s, floor.way[k, m, 3], floor.way[k, m, 4])
        there = leave if 2 * m < SAMPLES else floor.arrive[k]
        vx, vz = rate * (px - bx), rate * (pz - bz)
        more, dx, dz, turning = _sampled(aim, there, t + (m + 1) * part, px, pz, vx, vz, fx, fz)
        error += more * part / aim.fps
        error += _twist(aim, fx, fz, dx, dz, turning * part / aim.fps) * part / aim.fps
        pose = _turn(pose, px, pz, fx, fz, dx, dz, turning * part / aim.fps)
        bx, bz = px, pz
    c, s, x, z = pose
    js, jc = sincos(floor.jump[k, 0])
    x, z = placed(c, s, x, z, floor.jump[k, 1], floor.jump[k, 2])
    return (c * jc - s * js, s * jc + c * js, x, z), error


@njit(**FAST)
def _played(floor, aim, frame, t, pose, error, sums, poses):
    """Fill sums[n] with the error after n strides of the clip from a frame on, and poses[n] with where it is placed
    then; how many, and the error of playing on to the horizon, infinity where the run ends before."""
    end, n = floor.run_end[frame], 0
    sums[0], poses[0] = error, pose
    while frame + n * aim.stride <= end and t + n * aim.stride < aim.horizon:
        now = frame + n * aim.stride
        px, pz, fx, fz, rate, dx, dz, turning = _moment(floor, aim, now, t + n * aim.stride, pose)
        rate += _twist(aim, fx, fz, dx, dz, turning * aim.stride / aim.fps)
        pose = _turn(pose, px, pz, fx, fz, dx, dz, turning * aim.stride / aim.fps)
        n += 1
        sums[n], poses[n] = sums[n - 1] + rate * aim.stride / aim.fps, pose
    last = frame + max(aim.horizon - t, 0)
    if last > end:
        return n, np.inf
    return n, sums[n] + _ended(floor, aim, last, aim.horizon, pose)


@njit(inline="always", **FAST)
def _left(sums, poses, count, gone, stride):
    """Error and pose when the clip is left after `gone` frames of it."""
    n = min(gone // stride, count)
    error = sums[n]
    if n < count:
        error += (sums[n + 1] - sums[n]) * (gone - n * stride) / stride
    return error, (poses[n, 0], poses[n, 1], poses[n, 2], poses[n, 3])


@kernel(F64(FLOOR, AIM, I64, F64, F64, F64, read(I32)))
def plan_cost(floor, aim, frame, theta, x, z, plan):
    """Error of a plan (n,) from a frame on: its transitions in turn, then the clip; infinity where it cannot be."""
    sums, poses = np.empty(aim.horizon // aim.stride + 3), np.empty((aim.horizon // aim.stride + 3, 4))
    s, c = sincos(theta)
    pose, error, t = (c, s, x, z), 0.0, 0
    for n in range(plan.shape[0] + 1):
        count, whole = _played(floor, aim, frame, t, pose, error, sums, poses)
        if n == plan.shape[0]:
            return whole
        k = plan[n]
        gone = floor.leave[k] - frame
        if gone < 0 or floor.run_end[frame] < floor.leave[k]:
            return np.inf
        if t + gone >= aim.horizon:
            return whole
        error, pose = _left(sums, poses, count, gone, aim.stride)
        pose, error = _taken(floor, aim, k, t + gone, pose, error)
        frame, t = floor.arrive[k], t + gone + aim.window
        if t >= aim.horizon:
            return error + _ended(floor, aim, frame, t, pose)
    return np.inf


@kernel(types.Tuple((I32[::1], F64, F64[::1], I64))(FLOOR, AIM, I64, F64, F64, F64, I64, I64, I64))
def best_plan(floor, aim, frame, theta, x, z, cell, width, looks):
    """The transitions of the best plan found from a frame on, its error, of each exit of the run the least error found
    after taking it first, the last of these being that of playing on, and how many transitions were looked at.

    cell: frames, no more than the window; of the states that arrive within the same one, the best `width` go on.
    looks: at transitions, shared out over the cells; of more exits than half of that, some are passed over.
    """
    cells = aim.horizon // cell + 1
    reals, links = np.empty((cells, width, 5)), np.empty((cells, width, 5), np.int64)
    filled = np.zeros(cells, np.int64)
    first, end = floor.next_out[frame], floor.run_end[frame]
    exits = max(floor.next_out[end + 1] - first, 0) if end >= frame else 0
    firsts = np.full(exits + 1, np.inf)
    sums, poses = np.empty(aim.horizon // aim.stride + 3), np.empty((aim.horizon // aim.stride + 3, 4))
    best, best_at, best_last, seen = np.inf, -1, -1, 0
    s, c = sincos(theta)
    for where in range(-1, cells):
        until = seen + (looks - seen) // (cells - where)
        order = np.zeros(1, np.int64)
        if where >= 0:
            order = np.argsort(reals[where, : filled[where], 4], kind="mergesort")
        for slot in order:
            number, at, t, origin, pose, error = -1, frame, 0, -1, (c, s, x, z), 0.0
            if where >= 0:
                number, at, t, origin = where * width + slot, *_link(links, where, slot)
                pose = reals[where, slot, 0], reals[where, slot, 1], reals[where, slot, 2], reals[where, slot, 3]
                error = reals[where, slot, 4]
                if error >= best:
                    break
            count, whole = _played(floor, aim, at, t, pose, error, sums, poses)
            own = exits if origin < 0 else origin
            firsts[own] = min(firsts[own], whole)
            if whole < best:
                best, best_at, best_last = whole, number, -1
            if floor.run_end[at] < at:
                continue
            k = floor.next_out[at]
            last = floor.next_out[min(floor.run_end[at], at + aim.horizon - t) + 1]
            step = 1 + max(last - k, 0) // max((looks if number < 0 else until - seen) // 2, 16)
            while k < last:
                gone = floor.leave[k] - at
                if t + gone >= aim.horizon:
                    break
                before, there = _left(sums, poses, count, gone, aim.stride)
                if number >= 0 and before >= best:
                    break  # errors only grow
                seen += 1
                after, total = _taken(floor, aim, k, t + gone, there, before)
                then, own = t + gone + aim.window, k - first if origin < 0 else origin
                if then >= aim.horizon:
                    total += _ended(floor, aim, floor.arrive[k], then, after)
                    firsts[own] = min(firsts[own], total)
                    if total < best:
                        best, best_at, best_last = total, number, k
                elif total < best or number < 0:
                    into = then // cell
                    slot_of = _room(reals, filled, into, width, total)
                    if slot_of >= 0:
                        reals[into, slot_of] = (*after, total)
                        links[into, slot_of] = np.int64(floor.arrive[k]), then, own, number, k
                k += step
            if seen >= until and where >= 0:
                break
    return _traced(links, width, best_at, best_last), best, firsts, seen


@njit(**FAST)
def _link(links, where, slot):
    """Frame, time and first exit of a state."""
    return links[where, slot, 0], links[where, slot, 1], links[where, slot, 2]


@njit(**FAST)
def _room(reals, filled, where, width, total):
    """The slot of a cell for a state of this error, which takes the place of the worst if need be; −1 for none."""
    slot = filled[where]
    if slot < width:
        filled[where] += 1
        return slot
    slot = 0
    for other in range(1, width):
        if reals[where, other, 4] > reals[where, slot, 4]:
            slot = other
    return slot if total < reals[where, slot, 4] else -1


@njit(**FAST)
def _traced(links, width, number, last):
    """The transitions that lead to a state, and `last` unless that is −1."""
    steps, state = 0 if last < 0 else 1, number
    while state >= 0:
        state, steps = links[state // width, state % width, 3], steps + 1
    plan = np.empty(steps, np.int32)
    if last >= 0:
        steps -= 1
        plan[steps] = last
    while number >= 0:
        steps -= 1
        plan[steps] = links[number // width, number % width, 4]
        number = links[number // width, number % width, 3]
    return plan
