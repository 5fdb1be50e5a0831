"""Joint angles as a metric: one frame against one frame (de Chenu 2006, 3.7).

De Chenu compares the angles as his files write them, one axis at a time: kind "euler", in the order of the file's own
channels. A file's axes say nothing about the motion, so otherwise a joint has one angle, that of the rotation from one
frame's pose to the other's, always the shorter way; its velocity and acceleration are vectors (axis times angle),
compared as such. The root is left out, and so are end joints, which do not turn.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.kernels import F32, FAST, I64, kernel, njit, read
from motiongraph.metric.bodies import partners, require_window
from motiongraph.metric.cloud import correspondence, joint_weights
from motiongraph.metric.pairs import ROWS, ExactPair
from motiongraph.model.clip import Clip

if TYPE_CHECKING:
    from motiongraph.metric.metric import Metric

# asin(s) / s as a polynomial in s² for s² ≤ ½ (a Chebyshev fit, within 2e-8); unlike asin it is vectorised.
_ARCSINE = np.array(
    [0.999999987, 0.166669932, 0.074868471, 0.0466362156, 0.0158279045, 0.078228919, -0.094046276, 0.111960899],
    np.float32,
)
_EULER = "ZXY"  # the order of channels for clips that no BVH gives one: that of most BVH files
_C0, _C1, _C2, _C3, _C4, _C5, _C6, _C7 = _ARCSINE


@njit(**FAST)
def _turns(d, w, x, y, z, q):
    """d[b] = the angle in radians from quaternion (w, x, y, z) to q[:, b], float32.

    The chord between unit quaternions is 2 sin(angle / 4); the two signs of q are the same rotation.
    """
    qw, qx, qy, qz = q[0], q[1], q[2], q[3]
    for b in range(d.shape[0]):
        near = (w - qw[b]) ** 2 + (x - qx[b]) ** 2 + (y - qy[b]) ** 2 + (z - qz[b]) ** 2
        far = (w + qw[b]) ** 2 + (x + qx[b]) ** 2 + (y + qy[b]) ** 2 + (z + qz[b]) ** 2
        s2 = np.float32(0.25) * (near if near < far else far)
        p = (((_C7 * s2 + _C6) * s2 + _C5) * s2 + _C4) * s2 + _C3
        p = ((p * s2 + _C2) * s2 + _C1) * s2 + _C0
        d[b] = np.float32(4.0) * np.sqrt(s2) * p


@njit(**FAST)
def _lengths(d, x, y, z, q):
    """d[b] = the distance from the vector (x, y, z) to q[:, b]."""
    qx, qy, qz = q[0], q[1], q[2]
    for b in range(d.shape[0]):
        d[b] = np.sqrt((x - qx[b]) ** 2 + (y - qy[b]) ** 2 + (z - qz[b]) ** 2)


@njit(**FAST)
def _apart(d, x, q):
    """d[b] = how far angle x is from q[b], the shorter way round; both in radians from −π to π."""
    for b in range(d.shape[0]):
        away = abs(x - q[b])
        d[b] = min(away, np.float32(2.0 * np.pi) - away)


@njit(**FAST)
def _add(total, d, weight, order):
    if order == 1:
        for b in range(d.shape[0]):
            total[b] += weight * d[b]
    elif order == 2:
        for b in range(d.shape[0]):
            total[b] += weight * (d[b] * d[b])
    else:
        for b in range(d.shape[0]):
            total[b] += weight * (d[b] * d[b]) * (d[b] * d[b])


@kernel((read(F32, 3), read(F32, 3), read(F32), I64, F32, I64, I64, F32[:, ::1], F32[:, ::1], I64, I64))
def _angle_rows(p, q, weights, order, scale, first, rows, scratch, cost, row, column):
    """Costs of frames first … first + rows − 1 of p (F, J, c) against all of q (J, c, N); c is 4 for quaternions."""
    d, total = scratch[0], scratch[1]
    for i in range(rows):
        total[:] = 0.0
        for j in range(weights.shape[0]):
            v = p[first + i, j]
            if v.shape[0] == 4:
                _turns(d, v[0], v[1], v[2], v[3], q[j])
            elif v.shape[0] == 3:
                _lengths(d, v[0], v[1], v[2], q[j])
            else:
                _apart(d, v[0], q[j, 0])
            _add(total, d, weights[j], order)
        out = cost[row + i, column : column + d.shape[0]]
        for b in range(d.shape[0]):
            t = total[b]
            if order > 1:
                t = np.sqrt(t)
            if order > 2:
                t = np.sqrt(t)
            out[b] = scale * t


@dataclass(frozen=True, eq=False)
class Angles:
    """A clip as an angle metric sees it; n = F − L + 1 windows count, by their first frame."""

    metric: "Metric"
    name: str
    fps: float
    first: int  # first captured frame of the clip
    window: int  # L, frames of a window
    joints: tuple[str, ...]  # the J joints that count
    weights: np.ndarray  # (J,), adding up to one
    total: float  # what the weights added up to before
    values: np.ndarray  # (F, J, 4) float32 rotations, (F, J, 3) radians a second or a second², (F, J, 1) radians
    shift: np.ndarray  # (F, 2) metres, the root's x and z

    @classmethod
    def of(cls, metric: "Metric", clip: Clip, like: "Clip | Iterable[Clip] | None" = None) -> "Angles":
        """Prepare a clip, in the same way as the clips it will be compared with (`like`)."""
        window = metric.frames(clip.fps)
        require_window(clip, window)
        others = partners(like)
        # One of the skeletons names the joints and their order: whichever comes first by name, whoever asks.
        base = min([clip.skeleton, *(c.skeleton for c in others)], key=lambda s: s.names)
        turning = [j for j in range(1, len(base)) if not base.names[j].endswith("_end")]
        weights = joint_weights(base, metric.joint_weights)[turning]
        total = float(weights.sum())
        if not total > 0:
            raise MotionError("all joints that turn weigh nothing; at least one below the root must count")
        kept = weights > 0
        turning, weights = np.array(turning)[kept], weights[kept]
        rotations = clip.rotations[clip.first :, correspondence(base, clip.skeleton)[turning]]
        # One order for all, whoever asks.
        euler = min((c.source.euler_order or _EULER for c in (clip, *others) if c.source), default=_EULER)
        values = np.ascontiguousarray(_derived(rotations, metric.kind, clip.fps, euler), np.float32)
        names = tuple(base.names[j] for j in turning)
        if metric.kind == "euler":  # a sum over channels, as de Chenu wrote it, not a mean over joints
            names, weights, total = tuple(name for name in names for _ in _EULER), np.repeat(weights, len(_EULER)), 1.0
        weights = weights / total
        shift = clip.root[clip.first :, ::2]
        return cls(metric, clip.name, clip.fps, clip.first, window, names, weights, total, values, shift)

    def __len__(self) -> int:
        """Windows of the clip."""
        return len(self.values) - self.window + 1

    @cached_property
    def digest(self) -> str:
        """Of everything a distance depends on."""
        plain = f"{self.metric.key} {self.fps!r} {self.window} {self.joints} {self.weights.tolist()}"
        digest = blake2b(plain.encode(), digest_size=16)
        digest.update(self.values.data)
        return digest.hexdigest()

    def against(self, other: "Angles") -> "AnglePair":
        """The pair of two clips prepared alike."""
        return AnglePair(self, other)


def _derived(q: np.ndarray, kind: str, fps: float, euler: str) -> np.ndarray:
    """Rotations (F, J, 4), or their change a second (F, J, 3) in radians, or the change of that; or (F, 3 J, 1) Euler
    angles in this order.

    The first frames, which have no frame before them, take the first value there is.
    """
    if kind == "angle":
        return q
    if kind == "euler":
        return rot.to_euler(q, euler).reshape(len(q), -1, 1)
    if len(q) < 3:
        raise MotionError("angle velocities and accelerations need at least three frames")
    change = rot.multiply(rot.conjugate(q[:-1]), q[1:])
    speed = fps * rot.to_vector(change)
    if kind == "angle-velocity":
        return np.concatenate([speed[:1], speed])
    change = fps * np.diff(speed, axis=0)
    return np.concatenate([change[:1], change[:1], change])


class AnglePair(ExactPair):
    """Frames of a against frames of b by their joint angles; see `pairs`."""

    def __init__(self, a: Angles, b: Angles):
        if a.joints != b.joints or not np.array_equal(a.weights, b.weights):
            raise MotionError(f"{a.name!r} and {b.name!r} have other joints; prepare them like each other")
        self.a, self.b = a, b
        self.window = a.window
        self.shape = len(a), len(b)

    def sweep(self, a0: int, a1: int, b0: int, b1: int, ceiling: float = np.inf) -> "AngleSweep":
        """An `AngleSweep` over the frames a0 … a1−1 of a and b0 … b1−1 of b."""
        return AngleSweep(self, a0, a1, b0, b1)

    def exact(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Costs (n,) and alignments theta, x0, z0 (n,) of frames a, b (n,): b's root brought to a's, not turned."""
        a, b = np.atleast_1d(a), np.atleast_1d(b)
        p, q = self.a.values[a].astype(float), self.b.values[b].astype(float)
        if p.shape[-1] == 4:
            difference = rot.angle_between(rot.normalized(p), rot.normalized(q))
        elif p.shape[-1] == 3:
            difference = np.linalg.norm(p - q, axis=-1)
        else:
            difference = np.abs(p - q)[..., 0]
            difference = np.minimum(difference, 2.0 * np.pi - difference)
        order, total = self.a.metric.order, np.zeros(len(a))
        powers = difference if order == 1 else difference * difference
        for weight, column in zip(self.a.weights, (powers * powers if order == 4 else powers).T):
            total += weight * column
        for _ in range(order // 2):
            total = np.sqrt(total)
        cost = np.degrees(total)
        x0, z0 = (self.a.shift[a] - self.b.shift[b]).T
        return cost, np.zeros(len(a)), x0, z0


class AngleSweep:
    """Works down a strip of the matrix of an `AnglePair`."""

    def __init__(self, pair: AnglePair, a0: int, a1: int, b0: int, b1: int):
        self.pair, self.at, self.a1, self.width = pair, a0, a1, b1 - b0
        self.others = np.ascontiguousarray(pair.b.values[b0:b1].transpose(1, 2, 0))
        self.scratch = np.empty((2, self.width), np.float32)
        self.weights = pair.a.weights.astype(np.float32)

    @property
    def finished(self) -> bool:
        """Whether every row has been written."""
        return self.at >= self.a1

    def advance(self, cost: np.ndarray, row: int, column: int) -> int:
        """Write the next rows to cost[row:, column:]; returns how many, 0 at the end."""
        a = self.pair.a
        rows = min(ROWS, self.a1 - self.at)
        scale = np.float32(np.degrees(1.0))
        _angle_rows(
            a.values, self.others, self.weights, a.metric.order, scale, self.at, rows, self.scratch, cost, row, column
        )
        self.at += rows
        return rows
