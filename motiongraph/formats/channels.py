"""From the numbers of a file's frames to local rotations and positions, and back.

`Channels` says what each column of a file means, for BVH and ASF/AMC alike. A joint's rotation is C·R·C⁻¹, R the
product of its channels' rotations (dissertation 4.1); for BVH, C is the identity. A file whose z axis points up
is brought upright by the same C, because a change of basis Q acts as Q·R·Q⁻¹.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit, types

from motiongraph import rotations as rot
from motiongraph.elementary import cos, sincos_degrees
from motiongraph.errors import MotionError


def _read(dimensions, of=types.float64):
    return types.Array(of, dimensions, "C", readonly=True)


@njit(
    types.void(
        _read(2),
        _read(2, types.int64),
        _read(2, types.int64),
        _read(2),
        types.float64,
        types.float64[:, :, ::1],
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def _compose(values, columns, axes, frames, half, out):
    """out[f, j] = C·R·C⁻¹, R = product over k of the turn about axes[j, k] by values[f, columns[j, k]]."""
    for f in range(values.shape[0]):
        for j in range(columns.shape[0]):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for k in range(3):
                if columns[j, k] < 0:
                    break
                angle = values[f, columns[j, k]]
                if angle == 0.0:
                    continue
                s, c = sincos_degrees(angle * half)
                if axes[j, k] == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif axes[j, k] == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            if frames[j, 0] != 1.0:
                # C·R·C⁻¹ turns R's axis by C and leaves its angle alone.
                a, b, d, e = frames[j, 0], frames[j, 1], frames[j, 2], frames[j, 3]
                tx, ty, tz = 2.0 * (d * z - e * y), 2.0 * (e * x - b * z), 2.0 * (b * y - d * x)
                x, y, z = (
                    x + a * tx + d * tz - e * ty,
                    y + a * ty + e * tx - b * tz,
                    z + a * tz + b * ty - d * tx,
                )
            out[f, j, 0] = w
            out[f, j, 1] = x
            out[f, j, 2] = y
            out[f, j, 3] = z


@njit(types.void(types.float64[:, ::1]), cache=True, nogil=True, error_model="numpy")
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
    """turns: (J, 3) column of each rotation channel in the order of multiplication, −1 for none (those last);
    axes: (J, 3) its axis, 0 1 2; places: (J, 3) column of the x, y, z position channel, −1 for none;
    frames: (J, 4) the quaternion C of each joint; degrees: how many degrees one unit of angle is."""

    turns: np.ndarray
    axes: np.ndarray
    places: np.ndarray
    frames: np.ndarray
    degrees: float = 1.0

    @property
    def width(self) -> int:
        """Numbers in a frame."""
        return int(np.sum(self.turns >= 0) + np.sum(self.places >= 0))

    def rotations(self, values: np.ndarray, basis=rot.IDENTITY) -> np.ndarray:
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

    def angles(self, joint: int, rotations: np.ndarray, basis=rot.IDENTITY, tolerance=1e-6) -> np.ndarray:
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
