"""Compiled loops of synthesis: frames put on the floor, two windows mixed, two windows lined up in time."""

import numpy as np

from motiongraph.elementary import acos, sincos
from motiongraph.kernels import B1, F64, FAST, I64, kernel, njit, read, types
from motiongraph.model.placement import placed

_IN = [read(F64, dimensions) for dimensions in range(4)]  # arrays by their dimensions: read, and written
_OUT = [F64, F64[::1], F64[:, ::1], F64[:, :, ::1]]


@njit(**FAST)
def _slerp(w, x, y, z, ew, ex, ey, ez, t):
    """Part t of the way from one unit quaternion to another along the shorter arc; between equal ones, that one."""
    if w == ew and x == ex and y == ey and z == ez:
        return w, x, y, z
    dot = w * ew + x * ex + y * ey + z * ez
    near, far = 1.0 - t, t
    if abs(dot) < 1.0 - 1e-9:  # closer than that the arc is its chord
        angle = acos(abs(dot))
        whole = sincos(angle)[0]
        near, far = sincos(near * angle)[0] / whole, sincos(far * angle)[0] / whole
    if dot < 0.0:
        far = -far
    w, x, y, z = near * w + far * ew, near * x + far * ex, near * y + far * ey, near * z + far * ez
    scale = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


@kernel(types.void(_IN[2], _IN[3], _IN[1], F64, F64, F64, _OUT[2], _OUT[3]))
def place(root, turns, moments, theta, x, z, out_root, out_turns):
    """Frames of a clip (root (F, 3), turns (F, J, 4)) at `moments` (M,), in frames, turned about y by theta and moved
    by x, z; into out_root (M, 3) and out_turns (M, J, 4). Between two frames: root linearly, turns by slerp."""
    last, joints = root.shape[0] - 1, turns.shape[1]
    sine, cosine = sincos(theta)
    half_sine, half_cosine = sincos(0.5 * theta)
    for m in range(moments.shape[0]):
        f = min(max(int(np.floor(moments[m])), 0), last)
        g = min(f + 1, last)
        t = min(max(moments[m] - f, 0.0), 1.0)
        px = root[f, 0] + t * (root[g, 0] - root[f, 0])
        py = root[f, 1] + t * (root[g, 1] - root[f, 1])
        pz = root[f, 2] + t * (root[g, 2] - root[f, 2])
        out_root[m, 0], out_root[m, 2] = placed(cosine, sine, x, z, px, pz)
        out_root[m, 1] = py
        for j in range(joints):
            a, b, c, d = turns[f, j, 0], turns[f, j, 1], turns[f, j, 2], turns[f, j, 3]
            if t > 0.0:
                a, b, c, d = _slerp(a, b, c, d, turns[g, j, 0], turns[g, j, 1], turns[g, j, 2], turns[g, j, 3], t)
            if j == 0:
                a, b, c, d = (
                    half_cosine * a - half_sine * c,
                    half_cosine * b + half_sine * d,
                    half_cosine * c + half_sine * a,
                    half_cosine * d - half_sine * b,
                )
            out_turns[m, j, 0] = a
            out_turns[m, j, 1] = b
            out_turns[m, j, 2] = c
            out_turns[m, j, 3] = d


@kernel(types.void(_IN[2], _IN[3], _IN[2], _IN[3], _IN[1], _OUT[2], _OUT[3]))
def mix(first_root, first_turns, second_root, second_turns, share, out_root, out_turns):
    """Two windows into one, `share` (L,) of the second: roots linearly, turns by slerp. The output may be an input."""
    for p in range(share.shape[0]):
        t = share[p]
        for k in range(3):
            out_root[p, k] = first_root[p, k] + t * (second_root[p, k] - first_root[p, k])
        for j in range(first_turns.shape[1]):
            a, b = first_turns[p, j], second_turns[p, j]
            w, x, y, z = _slerp(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], t)
            out_turns[p, j, 0] = w
            out_turns[p, j, 1] = x
            out_turns[p, j, 2] = y
            out_turns[p, j, 3] = z


@kernel(I64[:, ::1](_IN[3], _IN[3]))
def register(first, second):
    """(n, 2) pairs of frames of two windows of joint positions (L, J, 3) that belong together, from (0, 0) to the
    last of both, by the least sum of squared distances; each move goes 1 or 2 frames ahead in both, never 2 in both.
    """
    frames, joints = first.shape[0], first.shape[1]
    total = np.full((frames, frames), np.inf)
    back = np.zeros((frames, frames), np.int8)
    for a in range(frames):
        for b in range(a // 2, min(2 * a, frames - 1) + 1):
            between = 0.0
            for j in range(joints):
                for k in range(3):
                    between += (first[a, j, k] - second[b, j, k]) ** 2
            if a == 0 and b == 0:
                total[a, b] = between
                continue
            if a >= 1 and b >= 1:
                total[a, b] = total[a - 1, b - 1] + between
            # A move of two frames counts twice, or lingering would be cheaper than going on.
            if a >= 1 and b >= 2 and total[a - 1, b - 2] + 2.0 * between < total[a, b]:
                total[a, b], back[a, b] = total[a - 1, b - 2] + 2.0 * between, 1
            if a >= 2 and b >= 1 and total[a - 2, b - 1] + 2.0 * between < total[a, b]:
                total[a, b], back[a, b] = total[a - 2, b - 1] + 2.0 * between, 2
    path = np.empty((frames, 2), np.int64)
    a, b, n = frames - 1, frames - 1, frames
    while True:
        n -= 1
        path[n, 0], path[n, 1] = a, b
        if a == 0 and b == 0:
            return path[n:].copy()
        move = back[a, b]
        a -= 2 if move == 2 else 1
        b -= 2 if move == 1 else 1


@njit(**FAST)
def _leaving(u, span, value, slope):
    """From `value` with `slope` a frame at u = 0 to rest at zero at u = 1, `span` frames on: a quintic without
    acceleration at its ends."""
    hold = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    swing = u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2)
    return hold * value + swing * span * slope


@kernel(types.void(read(B1), _IN[2], I64, I64, _OUT[2]))
def ease(known, values, reach, steady, out):
    """Into out (F, n): `values` (F, n) where `known` (F,), and in the gaps curves that leave and arrive with value and
    velocity: in one go where a gap is at most 2 · reach frames, else by way of zero. The velocity at an edge is the
    mean over `steady` frames of the known stretch, or what it has of them."""
    frames, columns = values.shape
    start = 0
    while start < frames:
        if known[start]:
            out[start] = values[start]
            start += 1
            continue
        stop = start
        while stop < frames and not known[stop]:
            stop += 1
        before = after = 0  # frames of the known stretches over which velocities are taken
        while before < steady and start - 2 - before >= 0 and known[start - 2 - before]:
            before += 1
        while after < steady and stop + 1 + after < frames and known[stop + 1 + after]:
            after += 1
        gap = stop - start + 1
        span = gap if start > 0 and stop < frames and gap <= 2 * reach else reach
        for f in range(start, stop):
            for k in range(columns):
                value = 0.0
                if start > 0 and f - start + 1 < span:
                    slope = (values[start - 1, k] - values[start - 1 - before, k]) / max(before, 1)
                    value += _leaving((f - start + 1) / span, span, values[start - 1, k], slope)
                if stop < frames and stop - f < span:
                    slope = (values[stop, k] - values[stop + after, k]) / max(after, 1)
                    value += _leaving((stop - f) / span, span, values[stop, k], slope)
                out[f, k] = value
        start = stop


@kernel(types.void(read(B1), read(B1), _IN[2], _IN[2], _IN[3], F64, _OUT[2], _OUT[2]))
def settle(heel_down, toe_down, heel, toe, shown, farthest, heel_place, toe_place):
    """Into heel_place and toe_place (F, 3): one place for every contact of a foot's two ends, given as masks (F,) and
    positions (F, 3).

    A contact that begins while the other end is down, or just after, gets its place from that end's and the foot's
    mean direction over the frames that both are down: the foot stays as long as it is. Where that would carry it
    farther than `farthest` from where it was captured, and where nothing else is down, it is the contact's mean.
    shown: (2, S, 3) where heel and toe were in the first frames, which were shown already: contacts that began there
    stay where they were last.
    """
    frames = heel.shape[0]
    foot, mean = np.empty(3), np.empty(3)
    for start in range(frames):
        for end in range(2):
            down = heel_down if end == 0 else toe_down
            if not down[start] or (start > 0 and down[start - 1]):
                continue
            own, others = (heel, toe) if end == 0 else (toe, heel)
            place, other_place = (heel_place, toe_place) if end == 0 else (toe_place, heel_place)
            other_down = toe_down if end == 0 else heel_down
            stop = start
            while stop < frames and down[stop]:
                stop += 1
            # A contact of the other end that was there first is placed already; of two that begin together, the heel's.
            begun = start - 1 if start > 0 and other_down[start - 1] else -1
            if end == 1 and other_down[start]:
                begun = start
            for k in range(3):
                mean[k] = own[start:stop, k].mean()
            if start < shown.shape[1]:
                mean[:] = shown[end, min(stop, shown.shape[1]) - 1]
            elif begun >= 0:
                last = start
                while last < stop and other_down[last]:
                    last += 1
                first = start if last > start else start - 1  # no frame in common: the one before
                last = max(last, first + 1)
                length = long = 0.0
                for k in range(3):
                    foot[k] = own[first:last, k].mean() - others[first:last, k].mean()
                    length += (own[first, k] - others[first, k]) ** 2
                    long += foot[k] ** 2
                apart = 0.0
                for k in range(3):
                    foot[k] = other_place[begun, k] + foot[k] * np.sqrt(length / max(long, 1e-18))
                    apart += (foot[k] - mean[k]) ** 2
                if apart <= farthest**2:
                    mean[:] = foot
            for f in range(start, stop):
                place[f] = mean


@kernel(types.void(_IN[3], _IN[3], _IN[2], _IN[2], F64, I64, _OUT[2]))
def give(hip, goal, wanted, firm, damping, rounds, shift):
    """Into shift (F, 3): the least move of all hips (n, F, 3) that brings each to `wanted` (n, F) from its goal
    (n, F, 3), as far as it is firm (n, F): damped least squares, linearised anew in every round."""
    for f in range(shift.shape[0]):
        most = firm[:, f].max()
        x = y = z = 0.0
        for _ in range(rounds if most > 0.0 else 0):
            # The symmetric matrix (a b c, b d e, c e g) and the right-hand side (p, q, r)
            a = d = g = damping
            b = c = e = p = q = r = 0.0
            for n in range(hip.shape[0]):
                u = goal[n, f, 0] - hip[n, f, 0] - x
                v = goal[n, f, 1] - hip[n, f, 1] - y
                w = goal[n, f, 2] - hip[n, f, 2] - z
                distance = max(np.sqrt(u * u + v * v + w * w), 1e-9)
                u, v, w = u / distance, v / distance, w / distance
                weight = firm[n, f] ** 2
                a, b, c = a + weight * u * u, b + weight * u * v, c + weight * u * w
                d, e, g = d + weight * v * v, e + weight * v * w, g + weight * w * w
                ask = weight * (distance - wanted[n, f])
                p, q, r = p + ask * u, q + ask * v, r + ask * w
            first, second, third = d * g - e * e, c * e - b * g, b * e - c * d
            share = most / (a * first + b * second + c * third)
            x += share * (first * p + second * q + third * r)
            y += share * (second * p + (a * g - c * c) * q + (b * c - a * e) * r)
            z += share * (third * p + (b * c - a * e) * q + (a * d - b * b) * r)
        shift[f, 0], shift[f, 1], shift[f, 2] = x, y, z


@kernel(_OUT[2](_IN[3], I64))
def sudden(places, order):
    """(F − order, J) size of the difference of that order, 2 or 3, of positions (F, J, 3)."""
    frames, joints = max(places.shape[0] - order, 0), places.shape[1]
    out = np.empty((frames, joints))
    for f in range(frames):
        for j in range(joints):
            total = 0.0
            for k in range(3):
                step = places[f, j, k] - 2.0 * places[f + 1, j, k] + places[f + 2, j, k]
                if order == 3:
                    step = places[f + 1, j, k] - 2.0 * places[f + 2, j, k] + places[f + 3, j, k] - step
                total += step * step
            out[f, j] = np.sqrt(total)
    return out


@kernel(types.void(_IN[3], _IN[2], _IN[3], read(I64, 2), _OUT[3]))
def swing(places, moved, turns, bones, out):
    """Into out (F, J + 1, 3): places (F, J, 3) moved (F, 3), and then, row by row of bones (n, 3), a joint where the
    joint above it and one of the turns (F, m, 4) put it; at last the height of the first joint alone."""
    joints = places.shape[1]
    for f in range(places.shape[0]):
        for j in range(joints):
            for k in range(3):
                out[f, j, k] = places[f, j, k] + moved[f, k]
        for b in range(bones.shape[0]):
            j, above, turn = bones[b, 0], bones[b, 1], bones[b, 2]
            w, x, y, z = turns[f, turn, 0], turns[f, turn, 1], turns[f, turn, 2], turns[f, turn, 3]
            a = places[f, j, 0] - places[f, above, 0]
            d = places[f, j, 1] - places[f, above, 1]
            c = places[f, j, 2] - places[f, above, 2]
            p, q, r = 2.0 * (y * c - z * d), 2.0 * (z * a - x * c), 2.0 * (x * d - y * a)
            out[f, j, 0] = out[f, above, 0] + a + w * p + y * r - z * q
            out[f, j, 1] = out[f, above, 1] + d + w * q + z * p - x * r
            out[f, j, 2] = out[f, above, 2] + c + w * r + x * q - y * p
        out[f, joints, 0] = out[f, joints, 2] = 0.0
        out[f, joints, 1] = out[f, 0, 1]
