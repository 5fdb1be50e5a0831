"""Choosing the next transitions of a driven character: the best of the coming seconds (Kovar 2002, 5.3).

The future is searched in time, not along a path, so that standing still and turning on the spot are choices like any
other. What a walk does is compared, ten or more times a second, with the velocity and facing asked for, as motion
matching does with its trajectory features (Clavet 2016); transitions cost what the metric says.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit, types

from motiongraph.elementary import sincos
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import B1, F64, FAST, I32, I64, kernel, read
from motiongraph.model.placement import Placement, placed, turned
from motiongraph.walks.floor_path import FLOOR, SAMPLES, floor_graph

# s that are searched; longer where there are fewer transitions in a second of motion than _SPARSE, as a turn then takes
# several clips. On subject 16, with 43, 3.5 s turned no sooner than 2 s and took twice the time. On samples at 1.6
# times the automatic threshold, 5 s walked in all of five directions asked for in turn, 3.5 s strayed in one of them.
_HORIZON, _HORIZON_SPARSE, _SPARSE = 2.0, 5.0, 25.0
_END = 2.0  # s for which the error of the last moment counts on
_CELL = 0.2  # s; states that arrive within the same one compete
_WIDTH = 16  # states that go on from each
_STANDING = 0.2  # m/s: slower is standing
_STAYING = 20.0  # s after which standing counts as lasting for ever
_FAR = 4.0  # s: a label farther away than this is as good as this far


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


AIM = types.NamedTuple(
    (read(F64, 2), F64, F64, read(B1), read(F64), read(F64), F64, F64, F64, F64, I64, I64, F64, I64), Aim
)


@njit(**FAST)
def _rate(aim, frame, t, x, z, vx, vz, fx, fz):
    """Error a second of being at x, z at time t (frames), moving at vx, vz m/s and facing fx, fz."""
    point = aim.points[min(max(int(t / aim.stride), 0), aim.points.shape[0] - 1)]
    dx, dz = point[0] - x, point[1] - z
    far = np.sqrt(dx * dx + dz * dz)
    speed = aim.speed
    if aim.slow > 0.0:
        speed = min(speed, max(far - 0.15, 0.0) / aim.slow)
    size = max(far, 1e-9)
    dx, dz = dx / size, dz / size
    ex, ez = vx - speed * dx, vz - speed * dz
    scale = max(aim.speed, 0.7)
    share = min(speed / scale, 1.0)
    error = (ex * ex + ez * ez) / (scale * scale) + aim.facing * share * (1.0 - fx * dx - fz * dz)
    return error if aim.need[frame] else error + aim.outside


@njit(**FAST)
def _moment(floor, aim, frame, t, pose):
    """`_rate` of a frame as captured; pose: x, z, cosine and sine of its clip's placement."""
    x, z, c, s = pose
    px, pz = placed(c, s, x, z, floor.path[frame, 0], floor.path[frame, 1])
    fx, fz = turned(c, s, floor.face[frame, 0], floor.face[frame, 1])
    after = frame + min(aim.stride, aim.window)  # the window of the transition that ends the run is there
    rate = aim.fps / (after - frame)
    vx, vz = turned(
        c, s, rate * (floor.path[after, 0] - floor.path[frame, 0]), rate * (floor.path[after, 1] - floor.path[frame, 1])
    )
    return _rate(aim, frame, t, px, pz, vx, vz, fx, fz), px, pz


@njit(**FAST)
def _ended(floor, aim, frame, t, pose):
    """What is still to be expected of a walk that the search leaves at a frame."""
    rate, px, pz = _moment(floor, aim, frame, t, pose)
    error, near = aim.end * rate, 0.0
    if aim.slow > 0.0:
        point = aim.points[aim.points.shape[0] - 1]
        far = np.sqrt((point[0] - px) ** 2 + (point[1] - pz) ** 2)
        near = max(1.0 - far / 2.0, 0.0)
        error += far / max(aim.speed, 0.7)
    return error + near * min(aim.rest[frame], 4.0) + (1.0 - near) * min(aim.away[frame], 4.0)


@njit(**FAST)
def _taken(floor, aim, k, t, state, error):
    """State theta, x, z and error after transition k, entered at time t with the source clip at `state`."""
    theta, x, z = state
    s, c = sincos(theta)
    leave, part = floor.leave[k], aim.window / SAMPLES
    bx, bz = placed(c, s, x, z, floor.path[leave, 0], floor.path[leave, 1])
    error += aim.costly * floor.jump[k, 3] * floor.jump[k, 3]
    rate = aim.fps / part
    for m in range(SAMPLES):
        px, pz = placed(c, s, x, z, floor.way[k, m, 0], floor.way[k, m, 1])
        fx, fz = turned(c, s, floor.way[k, m, 3], floor.way[k, m, 4])
        there = leave if 2 * m < SAMPLES else floor.arrive[k]
        now = t + (m + 1) * part
        error += _rate(aim, there, now, px, pz, rate * (px - bx), rate * (pz - bz), fx, fz) * part / aim.fps
        bx, bz = px, pz
    x, z = placed(c, s, x, z, floor.jump[k, 1], floor.jump[k, 2])
    return (theta + floor.jump[k, 0], x, z), error


@njit(**FAST)
def _played(floor, aim, frame, t, state, error, sums):
    """Fill sums[n] with the error after n strides of the clip from a frame on; how many, and that of playing on to the
    horizon, infinity where the run ends before."""
    theta, x, z = state
    s, c = sincos(theta)
    pose = x, z, c, s
    end, n = floor.run_end[frame], 0
    sums[0] = error
    while frame + n * aim.stride <= end and t + n * aim.stride < aim.horizon:
        rate, _, _ = _moment(floor, aim, frame + n * aim.stride, t + n * aim.stride, pose)
        sums[n + 1] = sums[n] + rate * aim.stride / aim.fps
        n += 1
    last = frame + max(aim.horizon - t, 0)
    if last > end:
        return n, np.inf
    return n, sums[n] + _ended(floor, aim, last, aim.horizon, pose)


@kernel(F64(FLOOR, AIM, I64, F64, F64, F64, read(I32)))
def plan_cost(floor, aim, frame, theta, x, z, plan):
    """Error of a plan (n,) from a frame on: its transitions in turn, then the clip; infinity where it cannot be."""
    sums = np.empty(aim.horizon // aim.stride + 3)
    state, error, t = (theta, x, z), 0.0, 0
    for n in range(plan.shape[0] + 1):
        count, whole = _played(floor, aim, frame, t, state, error, sums)
        if n == plan.shape[0]:
            return whole
        k = plan[n]
        gone = floor.leave[k] - frame
        if gone < 0 or floor.run_end[frame] < floor.leave[k]:
            return np.inf
        if t + gone >= aim.horizon:
            return whole
        at = min(gone // aim.stride, count)
        error = sums[at]
        if at < count:
            error += (sums[at + 1] - sums[at]) * (gone - at * aim.stride) / aim.stride
        state, error = _taken(floor, aim, k, t + gone, state, error)
        frame, t = floor.arrive[k], t + gone + aim.window
        if t >= aim.horizon:
            s, c = sincos(state[0])
            return error + _ended(floor, aim, frame, t, (state[1], state[2], c, s))
    return np.inf


@kernel(types.Tuple((I32[::1], F64, F64[::1]))(FLOOR, AIM, I64, F64, F64, F64, I64, I64))
def best_plan(floor, aim, frame, theta, x, z, cell, width):
    """The transitions of the best plan found from a frame on, its error, and of each exit of the run the least error
    found after taking it first; the last of these is that of playing on.

    cell: frames; of the states that arrive within the same one, the best `width` go on.
    """
    cells = aim.horizon // cell + 1
    reals, links = np.empty((cells, width, 4)), np.empty((cells, width, 5), np.int64)
    filled = np.zeros(cells, np.int64)
    first = floor.next_out[frame]
    end = floor.run_end[frame]
    exits = max(floor.next_out[end + 1] - first, 0) if end >= frame else 0
    firsts = np.full(exits + 1, np.inf)
    sums = np.empty(aim.horizon // aim.stride + 3)
    best, best_at, best_last = np.inf, -1, -1
    for number in range(-1, cells * width):
        at, t, origin, state, error = frame, 0, -1, (theta, x, z), 0.0
        if number >= 0:
            where, slot = number // width, number % width
            if slot >= filled[where]:
                continue
            error, at, t, origin = (
                reals[where, slot, 3],
                links[where, slot, 0],
                links[where, slot, 1],
                links[where, slot, 4],
            )
            state = reals[where, slot, 0], reals[where, slot, 1], reals[where, slot, 2]
        count, whole = _played(floor, aim, at, t, state, error, sums)
        own = exits if origin < 0 else origin
        firsts[own] = min(firsts[own], whole)
        if whole < best:
            best, best_at, best_last = whole, number, -1
        if floor.run_end[at] < at:
            continue
        for k in range(floor.next_out[at], floor.next_out[floor.run_end[at] + 1]):
            gone = floor.leave[k] - at
            if t + gone >= aim.horizon:
                break
            step = min(gone // aim.stride, count)
            before = sums[step]
            if step < count:
                before += (sums[step + 1] - sums[step]) * (gone - step * aim.stride) / aim.stride
            if number >= 0 and before >= best:
                break  # errors only grow
            after, total = _taken(floor, aim, k, t + gone, state, before)
            then, own = t + gone + aim.window, k - first if origin < 0 else origin
            if then >= aim.horizon:
                s, c = sincos(after[0])
                total += _ended(floor, aim, floor.arrive[k], then, (after[1], after[2], c, s))
                firsts[own] = min(firsts[own], total)
                if total < best:
                    best, best_at, best_last = total, number, k
                continue
            if total >= best and number >= 0:
                continue
            where = then // cell
            slot = filled[where]
            if slot < width:
                filled[where] += 1
            else:
                slot = 0
                for other in range(1, width):
                    if reals[where, other, 3] > reals[where, slot, 3]:
                        slot = other
                # Expanded states stay, so that plans can be traced back to them.
                if total >= reals[where, slot, 3] or where * width <= number:
                    continue
            reals[where, slot, 0], reals[where, slot, 1], reals[where, slot, 2] = after
            reals[where, slot, 3] = total
            links[where, slot, 0], links[where, slot, 1], links[where, slot, 2] = floor.arrive[k], then, number
            links[where, slot, 3], links[where, slot, 4] = k, own
    steps = 0 if best_last < 0 else 1
    number = best_at
    while number >= 0:
        number, steps = links[number // width, number % width, 2], steps + 1
    plan = np.empty(steps, np.int32)
    if best_last >= 0:
        steps -= 1
        plan[steps] = best_last
    number = best_at
    while number >= 0:
        steps -= 1
        plan[steps] = links[number // width, number % width, 3]
        number = links[number // width, number % width, 2]
    return plan, best, firsts


@kernel(F64[::1](FLOOR, read(B1), I64))
def frames_away(floor, need, window):
    """(F,) frames that pass until a frame of `need` (F,) is reached, infinity where none can be."""
    away = np.where(need & (floor.run_end >= 0), 0.0, np.inf)
    changed = True
    while changed:
        changed = False
        for frame in range(away.shape[0] - 1, -1, -1):
            end = floor.run_end[frame]
            if end < frame:
                continue
            least = away[frame]
            if frame < end:
                least = min(least, away[frame + 1] + 1.0)
            for k in range(floor.next_out[frame], floor.next_out[frame + 1]):
                least = min(least, away[floor.arrive[k]] + window)
            if least < away[frame]:
                away[frame] = least
                changed = True
    return away


@kernel(F64[::1](FLOOR, read(B1), I64, F64))
def frames_stayed(floor, need, window, most):
    """(F,) for how many frames, up to `most`, a walk can stay within the frames of `need` (F,), transitions too."""
    stayed = np.zeros(need.shape[0])
    changed = True
    while changed:
        changed = False
        for frame in range(need.shape[0] - 1, -1, -1):
            end = floor.run_end[frame]
            if end < frame or not need[frame]:
                continue
            longest = stayed[frame]
            if frame < end:
                longest = max(longest, min(stayed[frame + 1] + 1.0, most))
            for k in range(floor.next_out[frame], floor.next_out[frame + 1]):
                to = floor.arrive[k]
                if need[to] and need[to - window] and need[min(frame + window, need.shape[0] - 1)]:
                    longest = max(longest, min(stayed[to] + window, most))
            if longest > stayed[frame]:
                stayed[frame] = longest
                changed = True
    return stayed


def _read_only(array: np.ndarray) -> np.ndarray:
    """As kernels expect the arrays of an `Aim`."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Kind:
    """Frames of one kind: a label, standing, or all."""

    need: np.ndarray  # (F,) bool
    away: np.ndarray  # (F,) seconds until one that travels, if any does, is reached, at most 4
    speed: float  # m/s of the quicker ones
    cruising: float  # m/s usual in those that travel


class Steering:
    """Plans of the coming seconds on one pruned graph; what they need of the graph is computed once."""

    def __init__(self, graph: MotionGraph):
        self.graph, self.ground = graph, floor_graph(graph)
        floor, fps = self.ground.floor, self.ground.fps
        self.open = floor.run_end >= 0
        self.speeds = self._speeds()
        self.stride = max(round(0.1 * fps), 1)
        rate = len(floor.leave) * fps / max(int(self.open.sum()), 1)  # transitions in a second of motion
        self.horizon = round((_HORIZON_SPARSE if rate < _SPARSE else _HORIZON) * fps)
        self._costly = 0.3 / max(graph.thresholds.highest, 1e-6) ** 2
        slow = self.open & (self.speeds < _STANDING)
        stayed = frames_stayed(floor, slow, self.ground.window, _STAYING * fps) / fps
        self.can_stand = bool((stayed >= _STAYING - 0.5).any())
        standing = stayed >= (_STAYING - 0.5 if self.can_stand else 0.5)
        self.standing = self.kind(standing if standing.any() else slow)
        self.any = self.kind(np.ones(len(self.open), bool))

    def _speeds(self) -> np.ndarray:
        """(F,) m/s, over half a second around each frame."""
        speeds = []
        for clip, begin in zip(self.graph.clips, self.ground.starts):
            path = self.ground.floor.path[begin : begin + len(clip)]
            reach, index = max(round(0.25 * clip.fps), 1), np.arange(len(clip))
            before, after = np.maximum(index - reach, clip.first), np.minimum(index + reach, len(clip) - 1)
            before = np.minimum(before, after)
            far = path[after] - path[before]
            speeds.append(np.sqrt((far * far).sum(axis=1)) * clip.fps / np.maximum(after - before, 1))
        return np.concatenate(speeds)

    def kind(self, need: np.ndarray) -> Kind:
        """The frames of a mask (F,) bool."""
        inside = need & self.open
        moving = inside & (self.speeds > 2.0 * _STANDING)
        away = frames_away(self.ground.floor, moving if moving.any() else inside, self.ground.window) / self.ground.fps
        speeds, travelling = self.speeds[inside], self.speeds[moving]
        speed = float(np.percentile(speeds, 80)) if len(speeds) else 0.0
        cruising = float(np.median(travelling)) if len(travelling) else 0.3
        away = _read_only(np.minimum(away, _FAR))
        return Kind(_read_only(need.copy()), away, max(speed, 0.3), max(cruising, 0.3))

    def aim(self, points: np.ndarray, speed: float, kind: Kind, arriving: bool = False) -> Aim:
        """points: (N, 2) x, z to head for, one every `stride` frames; speed: m/s; arriving: to stop there."""
        return Aim(
            _read_only(np.array(points, float, order="C")), float(speed), 0.6 if arriving else 0.0, kind.need,
            kind.away, self.standing.away, 1.5, self._costly, 0.6, _END, self.horizon, self.stride,
            float(self.ground.fps), self.ground.window,
        )  # fmt: skip

    def plan(
        self, frame: int, placement: Placement, aim: Aim, current: list[int]
    ) -> tuple[list[int], float, np.ndarray]:
        """The transitions to take from a frame on, with its clip at a placement: those planned so far, or better ones;
        their error; and of each exit of the run, then of playing on, the least error found."""
        theta, x, z = map(float, placement)
        floor, cell = self.ground.floor, max(round(_CELL * self.ground.fps), 1)
        kept = plan_cost(floor, aim, frame, theta, x, z, np.array(current, np.int32))
        plan, error, firsts = best_plan(floor, aim, frame, theta, x, z, cell, _WIDTH)
        if kept <= error and kept < np.inf:
            return list(current), kept, firsts
        return plan.tolist(), error, firsts
