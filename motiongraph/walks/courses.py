"""Where characters of a crowd are on a graph, as plain numbers, and how a course is gone along.

A course is the clip now played, the transitions planned, then the clip of the last one. How far along it a character is
counts in frames of motion, which pass more slowly where it has to wait. A state is (done, jump, at, c, s, x, z): the
transitions of the plan behind it; the transition under way, −1 for none; the frame, or frames since that transition
began; cosine, sine and shift of the placement of the clip now played.
"""

from typing import NamedTuple

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.kernels import F64, FAST, I32, I64, kernel, njit, read, types
from motiongraph.model.placement import placed, turned
from motiongraph.walks.floor_path import FLOOR

STATE = 6  # numbers kept of a state: jump, at, c, s, x, z; none of a plan is behind it


class Ground(NamedTuple):
    """What courses need of a graph beside its `Floor`."""

    root: np.ndarray  # (F, 3) metres, as captured, upwards from the floor
    about: np.ndarray  # (F, 2) x, z of the foot that stands
    fps: float
    window: int  # frames of a transition


GROUND = types.NamedTuple((read(F64, 2), read(F64, 2), F64, I64), Ground)


@njit(**FAST)
def blend(jump, at, window):
    """Share of the motion that is left, `at` frames into a transition (Kovar 2002, eq. 7)."""
    if jump < 0:
        return 1.0
    u = at / window
    return 2.0 * u * u * u - 3.0 * u * u + 1.0


@njit(**FAST)
def _between(values, frame, column):
    """values (F, n) between two frames."""
    f = int(frame)
    g = min(f + 1, values.shape[0] - 1)
    return values[f, column] + (frame - f) * (values[g, column] - values[f, column])


@njit(**FAST)
def frames_of(floor, window, jump, at):
    """Frame of the motion played, or left, and of the one that a transition leads to."""
    if jump < 0:
        return at, at
    return floor.leave[jump] + at, floor.arrive[jump] - window + at


@njit(**FAST)
def where(floor, values, window, state, x_column, z_column, is_point):
    """World x, z of two columns of an array (F, n) over frames at a state: points, or directions (of any length)."""
    _, jump, at, c, s, x, z = state
    out, into = frames_of(floor, window, jump, at)
    ux, uz = _between(values, out, x_column), _between(values, out, z_column)
    if jump >= 0:
        share = blend(jump, at, window)
        vx, vz = _between(values, into, x_column), _between(values, into, z_column)
        js, jc = sincos(floor.jump[jump, 0])
        if is_point:
            vx, vz = placed(jc, js, floor.jump[jump, 1], floor.jump[jump, 2], vx, vz)
        else:
            vx, vz = turned(jc, js, vx, vz)
        ux, uz = share * ux + (1.0 - share) * vx, share * uz + (1.0 - share) * vz
    return placed(c, s, x, z, ux, uz) if is_point else turned(c, s, ux, uz)


@njit(**FAST)
def _next(floor, plan, done, at):
    """The transition that ends the run now played: the planned one, or else the last that there is."""
    end = floor.run_end[int(at)]
    if done < plan.shape[0] and plan[done] >= 0:
        leave = floor.leave[plan[done]]
        if leave >= at and leave <= end:
            return plan[done]
    return floor.next_out[end + 1] - 1


@njit(**FAST)
def gone(floor, ground, plan, state, frames, turn):
    """The state so many frames of motion later, the body turned by `turn` radians about the foot that stands."""
    done, jump, at, c, s, x, z = state
    if turn != 0.0:
        px, pz = where(floor, ground.about, ground.window, state, 0, 1, True)
        ts, tc = sincos(turn)
        ux, uz = turned(tc, ts, x - px, z - pz)
        c, s, x, z = c * tc - s * ts, s * tc + c * ts, px + ux, pz + uz
    left = frames
    while left > 0.0:
        if jump < 0:
            k = _next(floor, plan, done, at)
            gap = max(floor.leave[k] - at, 0.0)
            if left < gap:
                at += left
                break
            left, jump, at = left - gap, k, 0.0
        else:
            gap = ground.window - at
            if left < gap:
                at += left
                break
            js, jc = sincos(floor.jump[jump, 0])
            x, z = placed(c, s, x, z, floor.jump[jump, 1], floor.jump[jump, 2])
            c, s = c * jc - s * js, s * jc + c * js
            left, at, jump, done = left - gap, float(floor.arrive[jump]), -1, done + 1
    return done, jump, at, c, s, x, z


@njit(**FAST)
def spun(floor, ground, state, angle):
    """The state turned about its root."""
    done, jump, at, c, s, x, z = state
    px, pz = where(floor, ground.root, ground.window, state, 0, 2, True)
    ts, tc = sincos(angle)
    ux, uz = turned(tc, ts, x - px, z - pz)
    return done, jump, at, c * tc - s * ts, s * tc + c * ts, px + ux, pz + uz


@njit(**FAST)
def read_state(states, i):
    """The state of character i; states: (N, STATE)."""
    return 0, int(states[i, 0]), states[i, 1], states[i, 2], states[i, 3], states[i, 4], states[i, 5]


@njit(**FAST)
def write_state(states, i, state):
    """Keep a state without its count of transitions."""
    _, jump, at, c, s, x, z = state
    size = np.sqrt(c * c + s * s)  # which rounding changes
    states[i, 0], states[i, 1], states[i, 2], states[i, 3], states[i, 4], states[i, 5] = (
        jump, at, c / size, s / size, x, z
    )  # fmt: skip


_PLANS, _STATES = read(I32, 2), read(F64, 2)


@kernel((FLOOR, GROUND, _PLANS, _STATES, read(F64, 2), F64, F64[:, :, ::1]))
def look_ahead(floor, ground, plans, states, speeds, step, out):
    """Fill out (N, S, 4) with x, z and facing of N characters now and every `step` seconds, going on as they do.

    plans: (N, P) transitions, −1 for none; speeds: (N, 2) pace and rad/s of turning, which fades within the first half
    second.
    """
    for i in range(states.shape[0]):
        state = read_state(states, i)
        for n in range(out.shape[1]):
            out[i, n, 0], out[i, n, 1] = where(floor, ground.root, ground.window, state, 0, 2, True)
            out[i, n, 2], out[i, n, 3] = where(floor, floor.face, ground.window, state, 0, 1, False)
            frames = speeds[i, 0] * step * ground.fps
            turn = speeds[i, 1] * max(1.0 - 2.0 * n * step, 0.0) * frames / ground.fps
            state = gone(floor, ground, plans[i], state, frames, turn)


@kernel(types.Tuple((I32[::1], I64, F64, F64, F64, F64, F64))(FLOOR, GROUND, read(I32), read(F64), F64))
def from_here(floor, ground, plan, state, frames):
    """Where a plan can be changed: the transitions gone through within so many frames and to the end of the one then
    under way; the frame reached; cosine, sine, x, z of the placement there; and how many frames after now that is."""
    now = 0, int(state[0]), state[1], state[2], state[3], state[4], state[5]
    taken, many, passed = np.empty(plan.shape[0] + 8, np.int32), 0, 0.0
    if now[1] >= 0:
        taken[0], many = now[1], 1
    while passed < frames and many < taken.shape[0]:
        before = now
        step = ground.window - now[2] if now[1] >= 0 else min(1.0, frames - passed)
        now = gone(floor, ground, plan, now, max(step, 1e-6), 0.0)
        passed += max(step, 1e-6)
        if now[1] >= 0 and before[1] < 0:
            taken[many], many = now[1], many + 1
    if now[1] >= 0:
        step = ground.window - now[2]
        now = gone(floor, ground, plan, now, step, 0.0)
        passed += step
    return taken[:many].copy(), int(np.ceil(now[2])), now[3], now[4], now[5], now[6], passed
