"""Batched quaternions (w, x, y, z). Every function broadcasts over leading axes and returns float64.

Euler orders are strings such as "ZYX" that name the axes in the order in which the matrices are multiplied,
left to right: "ZYX" is Rz·Ry·Rx, the meaning of BVH channels `Zrotation Yrotation Xrotation`. An ASF's
`rx ry rz` applies x first and is therefore "ZYX" as well.
"""

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.elementary import arccos, arctan2, atan2, cos, sin, sincos
from motiongraph.kernels import F64, Kernel, kernel, read, types

AXES = {"X": 0, "Y": 1, "Z": 2}
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def multiply(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """Hamilton product a·b of (…, 4) and (…, 4): rotate by b, then by a."""
    return _each(_multiply, 4, a, b)


def conjugate(q: ArrayLike) -> np.ndarray:
    """Inverse of unit quaternions (…, 4)."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> np.ndarray:
    """Vectors (…, 3) turned by unit quaternions (…, 4)."""
    return _each(_rotate, 3, q, v)


def normalized(q: ArrayLike) -> np.ndarray:
    """Scaled to length one; (…, 4)."""
    q = np.asarray(q, float)
    return q / np.sqrt(_dot(q, q))[..., None]


def cross(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """a × b of (…, 3) and (…, 3); numpy's own takes several times as long."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sums of products over the last axis, from the first to the last: numpy's own sums depend on the processor."""
    total = a[..., 0] * b[..., 0]
    for k in range(1, a.shape[-1]):
        total = total + a[..., k] * b[..., k]
    return total


def about(axis: str | np.ndarray, angle: ArrayLike) -> np.ndarray:
    """Rotation by `angle` radians (…) about "X", "Y", "Z" or a unit vector (3,)."""
    vector = np.eye(3)[AXES[axis]] if isinstance(axis, str) else np.asarray(axis, float)
    half = 0.5 * np.asarray(angle, float)[..., None]
    return np.concatenate([cos(half), sin(half) * vector], axis=-1)


def between(u: ArrayLike, v: ArrayLike) -> np.ndarray:
    """The smallest rotations that turn directions u (…, 3) into v (…, 3); identity where either is zero."""
    return _each(_between, 4, u, v)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> np.ndarray:
    """From a (…, 4) to b (…, 4) along the shorter arc; t (…) in [0, 1]."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    t = np.asarray(t, float)[..., None]
    dot = _dot(a, b)[..., None]
    b = np.where(dot < 0, -b, b)
    dot = np.minimum(np.abs(dot), 1.0)
    angle = arccos(dot)
    # Close together the arc is its chord: sin(x)/x cannot be formed, and the difference is below rounding.
    near = dot > 1.0 - 1e-9
    sine = np.where(near, 1.0, sin(angle))
    wa = np.where(near, 1.0 - t, sin((1.0 - t) * angle) / sine)
    wb = np.where(near, t, sin(t * angle) / sine)
    return normalized(wa * a + wb * b)


def continuous(q: ArrayLike) -> np.ndarray:
    """The same rotations (F, …, 4) with signs chosen so that no frame jumps to the far side of the sphere."""
    q = np.array(q, float)
    if len(q) > 1:
        flips = np.sum(q[1:] * q[:-1], axis=-1) < 0
        q[1:][np.cumsum(flips, axis=0) % 2 == 1] *= -1.0
    return q


def angle_between(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """Angle in radians, 0 … π, of the rotation from a (…, 4) to b (…, 4); accurate for small angles too."""
    d = multiply(conjugate(a), b)
    return 2.0 * arctan2(np.sqrt(_dot(d[..., 1:], d[..., 1:])), np.abs(d[..., 0]))


def to_vector(q: ArrayLike) -> np.ndarray:
    """(…, 3) axis times angle in radians, 0 … π, of unit quaternions (…, 4); accurate for small angles too."""
    return _each(_to_vector, 3, q)


def from_vector(v: ArrayLike) -> np.ndarray:
    """Unit quaternions (…, 4) of rotation vectors (…, 3): axis times angle in radians, any angle."""
    return _each(_from_vector, 4, v)


def from_euler(angles: ArrayLike, order: str) -> np.ndarray:
    """Angles (…, n) in radians, n = len(order), to quaternions; "ZYX" is Rz·Ry·Rx. No axis: identity."""
    angles = np.asarray(angles, float)
    q = np.broadcast_to(IDENTITY, (*angles.shape[:-1], 4)).copy()
    for k, axis in enumerate(order):
        q = multiply(q, about(axis, angles[..., k]))
    return q


def to_matrix(q: ArrayLike) -> np.ndarray:
    """Rotation matrices (…, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(r, axis=-1) for r in rows], axis=-2)


def to_euler(q: ArrayLike, order: str) -> np.ndarray:
    """Angles (…, 3) in radians with from_euler(angles, order) = q, for three different axes such as "ZYX".

    The middle angle lies in ±90°. Where it reaches that (gimbal lock) the last angle is set to 0.
    """
    i, j, k = (AXES[a] for a in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    # For R = Ri·Rj·Rk, row i of R is (cos j cos k, ∓cos j sin k, ±sin j) in the columns i, j, k.
    cos_b = np.sqrt(m[..., i, i] ** 2 + m[..., i, j] ** 2)
    b = arctan2(sign * m[..., i, k], cos_b)
    a = arctan2(-sign * m[..., j, k], m[..., k, k])
    locked = cos_b < 1e-9
    a = np.where(locked, arctan2(sign * m[..., k, j], m[..., j, j]), a)
    # Row j of Ri⁻¹·R = Rj·Rk holds sin c and cos c undiminished: near the lock, c makes up for what a is off.
    cos_a, sin_a = cos(a), sign * sin(a)
    c = arctan2(sign * (cos_a * m[..., j, i] + sin_a * m[..., k, i]), cos_a * m[..., j, j] + sin_a * m[..., k, j])
    return np.stack([a, b, np.where(locked, 0.0, c)], axis=-1)


def _each(function: Kernel, width: int, *values: ArrayLike) -> np.ndarray:
    """(…, width) what a kernel makes of the rows of arrays (…, n), whose leading axes broadcast."""
    arrays = [np.asarray(value, np.float64) for value in values]
    lead = arrays[0].shape[:-1]
    if any(array.shape[:-1] != lead for array in arrays):
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        arrays = [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]
    out = np.empty((*lead, width))
    function(*(np.ascontiguousarray(array).reshape(-1, array.shape[-1]) for array in arrays), out.reshape(-1, width))
    return out


_ROWS, _OUT = read(F64, 2), F64[:, ::1]


@kernel(types.void(_ROWS, _ROWS, _OUT))
def _multiply(a, b, out):
    for i in range(out.shape[0]):
        aw, ax, ay, az = a[i, 0], a[i, 1], a[i, 2], a[i, 3]
        bw, bx, by, bz = b[i, 0], b[i, 1], b[i, 2], b[i, 3]
        out[i, 0] = aw * bw - ax * bx - ay * by - az * bz
        out[i, 1] = aw * bx + ax * bw + ay * bz - az * by
        out[i, 2] = aw * by - ax * bz + ay * bw + az * bx
        out[i, 3] = aw * bz + ax * by - ay * bx + az * bw


@kernel(types.void(_ROWS, _ROWS, _OUT))
def _rotate(q, v, out):
    for i in range(out.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        vx, vy, vz = v[i, 0], v[i, 1], v[i, 2]
        # v + w t + u × t with t = 2 u × v
        tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
        out[i, 0] = vx + w * tx + y * tz - z * ty
        out[i, 1] = vy + w * ty + z * tx - x * tz
        out[i, 2] = vz + w * tz + x * ty - y * tx


@kernel(types.void(_ROWS, _ROWS, _OUT))
def _between(u, v, out):
    for i in range(out.shape[0]):
        ux, uy, uz, vx, vy, vz = u[i, 0], u[i, 1], u[i, 2], v[i, 0], v[i, 1], v[i, 2]
        norms = np.sqrt((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz))
        dot = ux * vx + uy * vy + uz * vz
        w, x, y, z = norms + dot, uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        if norms > 0.0 and norms + dot <= 1e-12 * norms:
            # Opposite directions have no unique smallest turn: take half a turn about any perpendicular.
            if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
                w, x, y, z = 0.0, 0.0, uz, -uy
            elif abs(uy) <= abs(uz):
                w, x, y, z = 0.0, -uz, 0.0, ux
            else:
                w, x, y, z = 0.0, uy, -ux, 0.0
        if norms == 0.0 or (np.sqrt(x * x + y * y + z * z) <= 1e-9 * norms and dot > 0.0):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
        size = np.sqrt(w * w + x * x + y * y + z * z)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w / size, x / size, y / size, z / size


@kernel(types.void(_ROWS, _OUT))
def _to_vector(q, out):
    for i in range(out.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        sine = np.sqrt(x * x + y * y + z * z)
        scale = 2.0  # near no turn at all the angle is twice the sine; 0/0 must not be formed
        if sine > 1e-12:
            scale = 2.0 * atan2(sine, abs(w)) / sine
        scale = -scale if w < 0.0 else scale
        out[i, 0], out[i, 1], out[i, 2] = x * scale, y * scale, z * scale


@kernel(types.void(_ROWS, _OUT))
def _from_vector(v, out):
    for i in range(out.shape[0]):
        x, y, z = v[i, 0], v[i, 1], v[i, 2]
        half = 0.5 * np.sqrt(x * x + y * y + z * z)
        sine, cosine = sincos(half)
        scale = 0.5 * sine / half if half > 1e-12 else 0.5
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = cosine, scale * x, scale * y, scale * z
