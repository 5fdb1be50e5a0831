"""How characters of a crowd keep out of each other's way.

Each looks for the direction in which it comes nearest to its goal before it would touch someone, given where the others
are going (Moussaïd, Helbing and Theraulaz 2011: "How simple rules determine pedestrian behavior and crowd disasters").
What it does in the next moment is then allowed only if all could still come to a halt without touching: so nobody ever
does, however crowded it is.
"""

import numpy as np

from motiongraph.elementary import atan2, sincos
from motiongraph.kernels import B1, F64, FAST, I32, I64, kernel, njit, read
from motiongraph.walks.courses import GROUND, gone, read_state, spun, where, write_state
from motiongraph.walks.floor_path import FLOOR

HALT = 0.4  # s in which a character comes to a halt, or gets going
FARTHEST = 6.0  # m that are looked ahead
_EVERY, _SIDE = 0.13, 24  # rad between directions that are tried, and how many of them to either side
_RIGHT = 0.12  # rad by which passing on the right is preferred
_RAMP, _SETTLE = 0.12, 0.2  # s: to the full rate of turning; in which the last few degrees are turned
_ROOM = 0.4  # m that have to be free ahead; where they are not, others are passed more closely
_PATIENCE, _ASTRAY = 0.8, 0.8  # s of waiting after which a detour is made, and metres that such a one is long
_LESS = 0.04  # m by which who has waited so long may come nearer
_TOUCH, _APART = 0.06, 0.3  # m: who is so near is left at an angle of at least this cosine
_SPIN = 1.6  # rad/s at which someone who waits turns on the spot
_ASIDE = 0.35  # rad: who waits turns so far before going on


@kernel((read(F64, 3), read(F64, 2), read(F64), read(F64), read(F64, 2), F64, F64, F64, read(I64), F64[:, ::1]))
def choose_ways(ahead, goals, speeds, waited, obstacles, clear, near, step, which, out):
    """For the characters `which` (n,), fill out (n, 3): unit vector x, z to go in, and metres that are free there.

    ahead: (N, S, 4) x, z … of everyone now and every `step` s; goals: (N, 2); speeds: (N,) m/s; waited: (N,) s;
    obstacles: (M, 3) x, z, radius; clear: m to keep from others, or, where that leaves no way, no less than `near`.
    """
    meets = np.empty((ahead.shape[0] * ahead.shape[1], 2), np.int64)
    for row in range(which.shape[0]):
        i = which[row]
        x, z = ahead[i, 0, 0], ahead[i, 0, 1]
        gx, gz = goals[i, 0] - x, goals[i, 1] - z
        far = np.sqrt(gx * gx + gz * gz)
        straight = atan2(gx, gz) if far > 1e-6 else atan2(ahead[i, 0, 2], ahead[i, 0, 3])
        reach, speed = min(far, FARTHEST), max(speeds[i], 0.5)
        many = _meetings(ahead, i, x, z, clear, near + _TOUCH, speed * step, meets)
        bx, bz, free, room, waits = 0.0, 1.0, 0.0, clear, waited[i] > _PATIENCE
        while room >= near and free < _ROOM:  # where there is no room, less of it has to do
            best = np.inf
            for n in range(-_SIDE, _SIDE + 1):
                s, c = sincos(straight + n * _EVERY)
                f = _free(ahead, meets[:many], obstacles, room, speed * step, x, z, s, c, reach)
                off = n * _EVERY if n == 0 and f >= reach else n * _EVERY + _RIGHT
                some = min(f, _ASTRAY) if waits else f
                cost = reach * reach + some * some - 2.0 * reach * (some + 0.01) * sincos(off)[1]
                if waits:  # anything is better than to wait for ever
                    cost += 4.0 * reach * (waited[i] - _PATIENCE) * (1.0 - some / _ASTRAY)
                if cost < best:
                    best, bx, bz, free = cost, s, c, f
            room = room - 0.07
        out[row, 0], out[row, 1], out[row, 2] = bx, bz, free


@njit(**FAST)
def _meetings(ahead, i, x, z, clear, touch, stride, meets):
    """Fill meets (n, 2) with others and samples of time at which character i at x, z, who goes `stride` metres a
    sample, could be too near to them in some direction; how many."""
    many = 0
    for j in range(ahead.shape[0]):
        for n in range(ahead.shape[1]):
            if j == i or n * stride > FARTHEST:
                break
            ux, uz, wide = ahead[j, n, 0] - x, ahead[j, n, 1] - z, clear if n > 0 else touch
            gap = ux * ux + uz * uz
            least = n * stride - wide
            if gap < (n * stride + wide) ** 2 and (least <= 0.0 or gap > least * least):
                meets[many, 0], meets[many, 1], many = j, n, many + 1
    return many


@njit(**FAST)
def _free(ahead, meets, obstacles, clear, stride, x, z, dx, dz, reach):
    """Metres to go from x, z in a direction before someone or something is too near, at most `reach`."""
    free = reach
    for k in range(meets.shape[0]):
        j, n = meets[k, 0], meets[k, 1]
        if n * stride > free:
            continue
        ux, uz = x + dx * n * stride - ahead[j, n, 0], z + dz * n * stride - ahead[j, n, 1]
        gap = ux * ux + uz * uz
        if n == 0:  # side by side a sway of the hips would be enough
            if ux * dx + uz * dz < _APART * np.sqrt(gap):
                free = 0.0
        elif gap < clear * clear:
            m = n - 1
            ux, uz = x + dx * m * stride - ahead[j, m, 0], z + dz * m * stride - ahead[j, m, 1]
            if gap < ux * ux + uz * uz:
                free = min(free, m * stride)
    for m in range(obstacles.shape[0]):
        ux, uz, wide = obstacles[m, 0] - x, obstacles[m, 1] - z, obstacles[m, 2] + 0.5 * clear
        along = ux * dx + uz * dz
        aside = ux * ux + uz * uz - along * along
        if along > 0.0 and aside < wide * wide:
            free = min(free, max(along - np.sqrt(wide * wide - aside), 0.0))
    return free


@njit(**FAST)
def _braking(floor, ground, plan, state, pace, omega, dt, out):
    """Fill out (B, 2) with x, z of a character that comes to a halt, from now on."""
    for n in range(out.shape[0]):
        out[n, 0], out[n, 1] = where(floor, ground.root, ground.window, state, 0, 2, True)
        if pace > 0.0:
            after = pace - dt / HALT if pace - dt / HALT > 1e-6 else 0.0
            frames = 0.5 * (pace + after) * dt * ground.fps
            state = gone(floor, ground, plan, state, frames, omega * frames / ground.fps)
            pace = after


@njit(**FAST)
def _allowed(i, path, brakes, moved, obstacles, near):
    """Whether a character that brakes along path (B, 2) keeps `near` metres from all others if these brake too, or at
    least comes no nearer than it is. brakes: (N, B, 2); moved: (N,) whose path begins a moment later already."""
    last = path.shape[0] - 1
    reach = 0.0
    for n in range(last + 1):
        reach = max(reach, abs(path[n, 0] - path[0, 0]), abs(path[n, 1] - path[0, 1]))
    for j in range(brakes.shape[0]):
        if j == i:
            continue
        own = brakes[j]
        if abs(own[0, 0] - path[0, 0]) > near + reach + 3.0 or abs(own[0, 1] - path[0, 1]) > near + reach + 3.0:
            continue
        ux, uz = brakes[i, 0, 0] - own[0, 0], brakes[i, 0, 1] - own[0, 1]
        least = min(ux * ux + uz * uz, near * near) - 1e-12
        for n in range(last + 1):
            m = n if moved[j] else min(n + 1, last)
            ux, uz = path[n, 0] - own[m, 0], path[n, 1] - own[m, 1]
            if ux * ux + uz * uz < least:
                return False
    for m in range(obstacles.shape[0]):
        ux, uz, wide = brakes[i, 0, 0] - obstacles[m, 0], brakes[i, 0, 1] - obstacles[m, 1], obstacles[m, 2]
        least = min(ux * ux + uz * uz, wide * wide) - 1e-12
        for n in range(last + 1):
            ux, uz = path[n, 0] - obstacles[m, 0], path[n, 1] - obstacles[m, 1]
            if ux * ux + uz * uz < least:
                return False
    return True


@kernel(
    (
        FLOOR, GROUND, read(I32, 2), F64[:, ::1], F64[:, ::1], read(F64, 2), F64[:, :, ::1], read(I64), read(F64, 2),
        F64, F64, F64, F64[:, ::1], I64[::1],
    )
)  # fmt: skip
def move(floor, ground, plans, states, speeds, wanted, brakes, order, obstacles, near, dt, turning, moves, done):
    """Move N characters by one moment of dt seconds, in this order (N,).

    states: (N, STATE); speeds: (N, 3) pace, rad/s of turning and seconds waited; wanted: (N, 3) unit vector to go in,
    and the pace to go at, −1 to halt and
    turn; brakes: (N, B, 2) how each would come to a halt, renewed here; near: m that all keep apart;
    turning: rad/s. Into moves (N, 3): frames gone, radians turned, and turned on the spot; done: (N,) transitions gone
    through.
    """
    path, moved = np.empty((brakes.shape[1], 2)), np.zeros(states.shape[0], B1)
    change = dt / HALT
    for i in order:
        plan, state = plans[i], read_state(states, i)
        pace, omega = speeds[i, 0], speeds[i, 1]
        fx, fz = where(floor, floor.face, ground.window, state, 0, 1, False)
        dx, dz = wanted[i, 0], wanted[i, 1]
        angle = atan2(fz * dx - fx * dz, fx * dx + fz * dz)
        most = turning * dt / _RAMP
        rate = min(max(angle / _SETTLE, -turning), turning)
        rate = omega + min(max(rate - omega, -most), most)
        spin = 0.0
        if pace == 0.0:
            spin = min(max(angle, -_SPIN * dt), _SPIN * dt) if abs(angle) > 0.1 else 0.0
        top = max(wanted[i, 2], 0.0)
        quicker = min(pace + change, top) if top > pace else max(pace - change, top)
        if pace == 0.0 and abs(angle) > _ASIDE:
            quicker = 0.0
        slower = pace - change if pace - change > 1e-6 else 0.0
        after, then, turn, frames = state, slower, omega, 0.0
        for attempt in range(5):
            if attempt == 0:
                then, turn = quicker, rate
            elif attempt == 1:
                then, turn = quicker, omega
            elif attempt == 2:
                then, turn = min(quicker, pace), 0.0
            elif attempt == 3:
                then, turn = slower, rate
            else:
                then, turn = slower, omega
            frames = 0.5 * (pace + then) * dt * ground.fps
            after = gone(floor, ground, plan, state, frames, turn * frames / ground.fps)
            _braking(floor, ground, plan, after, then, turn, dt, path)
            least = near - _LESS if speeds[i, 2] > _PATIENCE else near
            if attempt == 4 or _allowed(i, path, brakes, moved, obstacles, least):
                break
        if then == 0.0 and frames == 0.0 and spin != 0.0:
            after = spun(floor, ground, after, spin)
        else:
            spin = 0.0
        moves[i, 0], moves[i, 1], moves[i, 2] = frames, turn * frames / ground.fps, spin
        speeds[i, 0], speeds[i, 1] = then, turn if then > 0.0 else 0.0
        speeds[i, 2] = speeds[i, 2] + dt if then < 0.25 and wanted[i, 2] != 0.0 else 0.0
        brakes[i] = path
        done[i] = after[0]
        moved[i] = True
        write_state(states, i, after)
