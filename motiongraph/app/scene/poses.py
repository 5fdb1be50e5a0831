"""The poses of many characters at once, sampled between frames: one compiled call for a soloist or a crowd.

A character is a record that says where its clip's arrays lie in memory; nothing is copied or packed together, so a
hundred clips of any length join the scene at once. `cast.Cast` holds the clips as long as their addresses are used.
"""

from typing import Any

import numpy as np

from motiongraph.kernels import B1, F64, FAST, I64, kernel, njit, numba, read, types, value

CAPTURED, IN_PLACE, STRAIGHT, FIXED = 0, 1, 2, 3
LOOP, PING_PONG, ONCE = 0, 1, 2

# Addresses of float64 arrays: rotations (F, J, 4), root (F, 3), sliding offsets (F, J, 3) or 0, path (F, 4): see
# `synthesis.root.path_of`. fps, first: as in Clip. frame: of the body, and of the root where that is another one.
# start, stop: the part that is played, which straight motion puts end to end `laps` times; direction: radians about
# y. theta, x, z: where the character is set, as in Clip.moved; lift: metres upwards.
CHARACTER = np.dtype(
    [
        *[(name, np.int64) for name in ("rotations", "root", "sliding", "path", "frames", "mode")],
        *[(name, np.float64) for name in ("fps", "first", "frame", "root_frame", "start", "stop", "laps", "direction")],
        *[(name, np.float64) for name in ("theta", "x", "z", "lift")],
    ]
)


@numba.extending.intrinsic
def _pointer(context: Any, address: Any) -> Any:
    """An address as a pointer to float64."""

    def code(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return value(types.CPointer(F64)(I64)), code


carray = numba.carray
_CAST = types.Array(numba.from_dtype(CHARACTER), 1, "C")
_TIME = (F64, I64, I64, B1, F64)
_BODY = (read(I64), read(F64, 2), F64[:, :, ::1], F64[:, :, ::1])


@njit(**FAST)
def _between(frame, frames):
    """The frame below and the share of the one above it."""
    frame = min(max(frame, 0.0), frames - 1.0)
    below = min(np.floor(frame), max(frames - 2.0, 0.0))
    return below, frame - below


@njit(**FAST)
def _frame_at(elapsed, start, stop, fps, loop):
    """As `playback.frame_at`, for one character."""
    last, ahead = stop - start - 1.0, elapsed * fps
    if loop == LOOP:
        ahead %= last + 1.0
    elif loop == PING_PONG:
        turn = max(last, 1e-9)
        ahead = turn - abs(ahead % (2.0 * turn) - turn)
    return start + min(max(ahead, 0.0), last)


@kernel(types.void(_CAST, *_TIME))
def set_time(cast, elapsed, loop, mode, along, direction):
    """Put C characters where they are after `elapsed` seconds of playing their parts.

    along: the body plays its part over and over, the root goes its whole way (de Chenu 2006, 3.11.1).
    """
    for c in range(cast.shape[0]):
        actor = cast[c]
        fps, start, stop = actor.fps, actor.start, actor.stop
        actor.frame = actor.root_frame = _frame_at(elapsed, start, stop, fps, loop)
        if along:
            whole = elapsed + (start - actor.first) / fps
            actor.root_frame = _frame_at(whole, actor.first, float(actor.frames), fps, loop)
        # Only loops put one lap behind the other.
        actor.laps = np.floor(elapsed * fps / (stop - start)) if loop == LOOP else 0.0
        actor.mode, actor.direction = mode, direction


@kernel(types.void(_CAST, *_BODY))
def pose(cast, parents, offsets, positions, orientations):
    """Fill global positions (C, J, 3), metres, and orientations (C, J, 4), w x y z, of C characters of one skeleton.

    parents: (J,); offsets: (J, 3) metres. Rotations between two frames by slerp, the root and sliding joints linearly.
    """
    J = parents.shape[0]
    for c in range(cast.shape[0]):
        actor = cast[c]
        F = actor.frames
        rotations = carray(_pointer(actor.rotations), (F, J, 4))
        root = carray(_pointer(actor.root), (F, 3))
        sliding = carray(_pointer(actor.sliding), (F, J, 3))
        body, u = _between(actor.frame, F)
        f = int(body)
        g = min(f + 1, F - 1)
        body, v = _between(actor.root_frame, F)
        rf = int(body)
        rg = min(rf + 1, F - 1)
        first = int(actor.start)
        if actor.mode == FIXED:
            rf, rg, v = first, first, 0.0

        # Where the root is and how far the body is turned about it.
        x = root[rf, 0] + v * (root[rg, 0] - root[rf, 0])
        y = root[rf, 1] + v * (root[rg, 1] - root[rf, 1])
        z = root[rf, 2] + v * (root[rg, 2] - root[rf, 2])
        turn = actor.theta
        if actor.mode == IN_PLACE:
            x, z = root[first, 0], root[first, 2]
        elif actor.mode == STRAIGHT:
            path = carray(_pointer(actor.path), (F, 4))
            last = int(actor.stop) - 1
            length = path[last, 2] - path[first, 2]
            gone = path[rf, 2] + v * (path[rg, 2] - path[rf, 2]) - path[first, 2] + actor.laps * length
            off_x = x - path[rf, 0] - v * (path[rg, 0] - path[rf, 0])
            off_z = z - path[rf, 1] - v * (path[rg, 1] - path[rf, 1])
            straighten = actor.direction - path[rf, 3] - v * (path[rg, 3] - path[rf, 3])
            cosine, sine = np.cos(straighten), np.sin(straighten)
            x = path[first, 0] + np.sin(actor.direction) * gone + cosine * off_x + sine * off_z
            z = path[first, 1] + np.cos(actor.direction) * gone - sine * off_x + cosine * off_z
            turn += straighten
        cosine, sine = np.cos(actor.theta), np.sin(actor.theta)
        positions[c, 0, 0] = cosine * x + sine * z + actor.x
        positions[c, 0, 1] = y + actor.lift
        positions[c, 0, 2] = -sine * x + cosine * z + actor.z

        for j in range(J):
            a, b, t = f, g, u
            if j == 0:
                a, b, t = rf, rg, v
            w, qx, qy, qz = rotations[a, j, 0], rotations[a, j, 1], rotations[a, j, 2], rotations[a, j, 3]
            if t > 0.0:
                ew, ex, ey, ez = rotations[b, j, 0], rotations[b, j, 1], rotations[b, j, 2], rotations[b, j, 3]
                dot = w * ew + qx * ex + qy * ey + qz * ez
                near, far = 1.0 - t, t
                if abs(dot) < 0.999999:  # beyond that a straight line differs by less than a billionth of a turn
                    angle = np.arccos(min(abs(dot), 1.0))
                    near, far = np.sin(near * angle) / np.sin(angle), np.sin(far * angle) / np.sin(angle)
                if dot < 0.0:
                    far = -far
                w, qx, qy, qz = near * w + far * ew, near * qx + far * ex, near * qy + far * ey, near * qz + far * ez
                scale = 1.0 / np.sqrt(w * w + qx * qx + qy * qy + qz * qz)
                w, qx, qy, qz = w * scale, qx * scale, qy * scale, qz * scale
            if j == 0:
                if turn != 0.0:
                    cosine, sine = np.cos(0.5 * turn), np.sin(0.5 * turn)
                    w, qx, qy, qz = (
                        cosine * w - sine * qy,
                        cosine * qx + sine * qz,
                        cosine * qy + sine * w,
                        cosine * qz - sine * qx,
                    )
            else:
                p = parents[j]
                vx, vy, vz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
                if actor.sliding != 0:
                    vx = sliding[f, j, 0] + u * (sliding[g, j, 0] - sliding[f, j, 0])
                    vy = sliding[f, j, 1] + u * (sliding[g, j, 1] - sliding[f, j, 1])
                    vz = sliding[f, j, 2] + u * (sliding[g, j, 2] - sliding[f, j, 2])
                pw, px, py, pz = (
                    orientations[c, p, 0],
                    orientations[c, p, 1],
                    orientations[c, p, 2],
                    orientations[c, p, 3],
                )
                tx, ty, tz = 2.0 * (py * vz - pz * vy), 2.0 * (pz * vx - px * vz), 2.0 * (px * vy - py * vx)
                positions[c, j, 0] = positions[c, p, 0] + vx + pw * tx + py * tz - pz * ty
                positions[c, j, 1] = positions[c, p, 1] + vy + pw * ty + pz * tx - px * tz
                positions[c, j, 2] = positions[c, p, 2] + vz + pw * tz + px * ty - py * tx
                w, qx, qy, qz = (
                    pw * w - px * qx - py * qy - pz * qz,
                    pw * qx + px * w + py * qz - pz * qy,
                    pw * qy - px * qz + py * w + pz * qx,
                    pw * qz + px * qy - py * qx + pz * w,
                )
            orientations[c, j, 0] = w
            orientations[c, j, 1] = qx
            orientations[c, j, 2] = qy
            orientations[c, j, 3] = qz


@kernel(types.void(_CAST, *_TIME, *_BODY))
def play(cast, elapsed, loop, mode, along, direction, parents, offsets, positions, orientations):
    """`set_time` and `pose` in one go: what every frame does."""
    set_time(cast, elapsed, loop, mode, along, direction)
    pose(cast, parents, offsets, positions, orientations)
