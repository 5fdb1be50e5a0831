"""From the numbers of a file's frames to local rotations and positions, and back.

`Channels` says what each column of a file means, for BVH and ASF/AMC alike. A joint's rotation is C·R·C⁻¹, R the
product of its channels' rotations (dissertation 4.1); for BVH, C is the identity. A file whose z axis points up
is brought upright by the same C, because a change of basis Q acts as Q·R·Q⁻¹.
"""

import math
from dataclasses import dataclass

import numpy as np

from motiongraph import rotations as rot
from motiongraph.elementary import cos, sincos_quarter
from motiongraph.errors import MotionError
from motiongraph.kernels import F64, FAST, I64, kernel, njit, read, types

_BLOCK = 128  # frames worked on at once, so that the processor's vector units and nearest cache are used
_LARGEST = 1e6  # degrees up to which a block is worked on at once; beyond, an angle is reduced first


@njit(**FAST)
def _sincos_block(angles, count, sines, cosines):
    """`sincos_degrees` of the first `count` angles, to the bit, without branches: a loop of vector instructions."""
    for i in range(count):
        quarter = math.floor(angles[i] * (1.0 / 90.0) + 0.5)
        turn = quarter - 4.0 * math.floor(quarter * 0.25)  # 0, 1, 2, 3
        s, c = sincos_quarter((angles[i] - 90.0 * quarter) * (math.pi / 180.0))
        odd = turn == 1.0 or turn == 3.0
        sines[i] = (c if odd else s) * (-1.0 if turn >= 2.0 else 1.0)
        cosines[i] = (s if odd else c) * (-1.0 if turn == 1.0 or turn == 2.0 else 1.0)


@kernel(types.void(read(F64, 2), read(I64, 2), read(I64, 2), read(F64, 2), F64, F64[:, :, ::1]))
def _compose(values, columns, axes, frames, half, out):
    """out[f, j] = C·R·C⁻¹, R = product over k of the turn about axes[j, k] by values[f, columns[j, k]]."""
    angles, sines, cosines = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    q = np.empty((4, _BLOCK))
    for start in range(0, values.shape[0], _BLOCK):
        count = min(_BLOCK, values.shape[0] - start)
        for j in range(columns.shape[0]):
            q[0, :count], q[1:, :count] = 1.0, 0.0
            for k in range(3):
                column = columns[j, k]
                if column < 0:
                    break
                large = 0.0
                for i in range(count):
                    angles[i] = values[start + i, column] * half
                    large = max(large, abs(angles[i]))
                if large == 0.0:
                    continue
                if large > _LARGEST:
                    for i in range(count):
                        angles[i] %= 360.0
                _sincos_block(angles, count, sines, cosines)
                # Turning about an axis mixes w with it, and the other two with each other.
                u = axes[j, k] + 1
                v, w = u % 3 + 1, (u + 1) % 3 + 1
                for i in range(count):
                    s, c = sines[i], cosines[i]
                    a, b, d, e = q[0, i], q[u, i], q[v, i], q[w, i]
                    q[0, i], q[u, i] = a * c - b * s, b * c + a * s
                    q[v, i], q[w, i] = d * c + e * s, e * c - d * s
            fw, fx, fy, fz = frames[j, 0], frames[j, 1], frames[j, 2], frames[j, 3]
            if fw != 1.0:
                # C·R·C⁻¹ turns R's axis by C and leaves its angle alone.
                for i in range(count):
                    x, y, z = q[1, i], q[2, i], q[3, i]
                    tx, ty, tz = 2.0 * (fy * z - fz * y), 2.0 * (fz * x - fx * z), 2.0 * (fx * y - fy * x)
                    q[1, i] = x + fw * tx + fy * tz - fz * ty
                    q[2, i] = y + fw * ty + fz * tx - fx * tz
                    q[3, i] = z + fw * tz + fx * ty - fy * tx
            for i in range(count):
                out[start + i, j, 0], out[start + i, j, 1] = q[0, i], q[1, i]
                out[start + i, j, 2], out[start + i, j, 3] = q[2, i], q[3, i]


@kernel(types.void(F64[:, ::1]))
def _follow(angles):
    """Of each frame's equivalent triples (F, 3), radians, take the one closest to the frame before, in place.

    (a, b, c) and (a + π, π − b, c + π) are the same rotation, and so is any of them with whole turns added: a
    dancer who keeps spinning counts on past 180°, and nothing jumps where the middle angle passes 90°.
    """
    turn = 2.0 * math.pi
    for f in range(1, angles.shape[0]):
        nearest = np.inf
        best = (0.0, 0.0, 0.0)
        a, b, c = angles[f, 0], angles[f, 1], angles[f, 2]
        for other in range(2):
            if other:
                a, b, c = a + math.pi, math.pi - b, c + math.pi
            u = a + turn * math.floor((angles[f - 1, 0] - a) / turn + 0.5)
            v = b + turn * math.floor((angles[f - 1, 1] - b) / turn + 0.5)
            w = c + turn * math.floor((angles[f - 1, 2] - c) / turn + 0.5)
            far = (u - angles[f - 1, 0]) ** 2 + (v - angles[f - 1, 1]) ** 2 + (w - angles[f - 1, 2]) ** 2
            if far < nearest - 1e-9:
                nearest, best = far, (u, v, w)
        angles[f, 0], angles[f, 1], angles[f, 2] = best


@dataclass(frozen=True)
class Channels:
    """What every column of a file's frames is to its J joints."""

    turns: np.ndarray  # (J, 3) column of each rotation channel in the order of multiplication, −1 for none (those last)
    axes: np.ndarray  # (J, 3) the axis it turns about: 0, 1, 2
    places: np.ndarray  # (J, 3) column of the x, y, z position channel, −1 for none
    frames: np.ndarray  # (J, 4) the quaternion C of each joint
    degrees: float = 1.0  # degrees in one unit of angle

    @property
    def width(self) -> int:
        """Numbers in a frame."""
        return int(np.sum(self.turns >= 0) + np.sum(self.places >= 0))

    def of_joints(self, joints: np.ndarray) -> "Channels":
        """Of these joints, in this order; −1: one that never moves."""
        missing = joints < 0
        turns, axes, places, frames = (part[joints] for part in (self.turns, self.axes, self.places, self.frames))
        turns[missing], places[missing], frames[missing] = -1, -1, rot.IDENTITY
        return Channels(turns, axes, places, frames, self.degrees)

    def rotations(self, values: np.ndarray, basis: np.ndarray = rot.IDENTITY) -> np.ndarray:
        """(F, J, 4) local rotations of frames (F, C), seen in a basis turned by the quaternion `basis`."""
        out = np.empty((len(values), len(self.turns), 4))
        frames = rot.multiply(basis, self.frames)
        _compose(np.ascontiguousarray(values), self.turns, self.axes, frames, 0.5 * self.degrees, out)
        return out

    def positions(self, values: np.ndarray, joint: int, rest: np.ndarray) -> np.ndarray:
        """(F, 3) position of a joint in its parent, in file units: its channels, the rest offset for the others."""
        out = np.broadcast_to(rest, (len(values), 3)).copy()
        for k, column in enumerate(self.places[joint]):
            if column >= 0:
                out[:, k] = values[:, column]
        return out

    def angles(
        self, joint: int, rotations: np.ndarray, basis: np.ndarray = rot.IDENTITY, tolerance: float = 1e-6
    ) -> np.ndarray:
        """(F, n) angles in file units for the n rotation channels of a joint, from rotations (F, 4).

        The inverse of `rotations`. Raises MotionError where the joint's channels cannot hold the rotation.
        """
        used = [int(a) for a, column in zip(self.axes[joint], self.turns[joint]) if column >= 0]
        order = "".join("XYZ"[a] for a in [*used, *(a for a in range(3) if a not in used)])
        frame = rot.multiply(basis, self.frames[joint])
        q = rot.multiply(rot.multiply(rot.conjugate(frame), rotations), frame)
        if len(order) != 3 or len(set(order)) != 3:
            raise MotionError(f"channels {order} cannot hold a general rotation")
        angles = rot.to_euler(q, order)
        if len(used) == 3:
            _follow(angles)
        else:
            # Of the two equivalent triples (see `_follow`) the one that does not need the missing angles.
            other = cos(angles[:, 2]) < 0.0
            angles[other] = np.pi - angles[other] * [-1.0, 1.0, -1.0]
            angles = np.unwrap(angles, axis=0)
            angles[:, len(used) :] = 0.0
            if len(q) and rot.angle_between(rot.from_euler(angles, order), q).max() > tolerance:
                raise MotionError(f"channels {order[: len(used)] or 'without rotation'} cannot hold the rotation")
        return np.degrees(angles[:, : len(used)]) / self.degrees
