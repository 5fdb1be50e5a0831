"""The distance that the Manchester dissertation's program really measures, for reproducing what it published.

Its section 4.3 describes a sum of squared distances between points; the program squares them once more. Points sit on
every bone, four on each of int(3 · length) places (length in the units of CMU's files) at fractions i / n from the
bone's near end, 968 for CMU's subject 16. Every frame's root x, z are removed, the heading is kept, and nothing is
divided by: a cost is a sum of fourth powers of metres over the points and frames of a window, by default those of the
published figures with a window of 81 frames, `Metric(kind="dissertation", window=81 / 120)`.

Along a bone the difference of two poses changes linearly, Δ(f) = Δ₀ + f E, so that |Δ|⁴ is a polynomial in f, and the
sum over any number of points is five sums of powers of f, known beforehand: the same numbers from 30 bones instead of
968 points.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.kernels import F32, F64, FAST, I64, kernel, njit, read
from motiongraph.metric.bodies import over_windows, partners, require_window
from motiongraph.metric.pairs import ROWS, ExactPair
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.metric.metric import Metric

CMU = 0.0254 / 0.45  # metres per unit of CMU's files
PROGRAM = 0.056444  # the same as the program has it, rounded: 3e-5 of a fourth power
_PLACES, _POINTS = 3.0, 4.0  # places per unit of length, points on each


@njit(**FAST)
def _bone(out, p, q, s):
    """out[b] += the sum over a bone's points of |Δ|⁴; p: (6,) near end and direction, q: (6, N), s: (5,) sums."""
    p0, p1, p2, p3, p4, p5 = p[0], p[1], p[2], p[3], p[4], p[5]
    s0, s1, s2, s3, s4 = s[0], s[1], s[2], s[3], s[4]
    q0, q1, q2, q3, q4, q5 = q[0], q[1], q[2], q[3], q[4], q[5]
    for b in range(out.shape[0]):
        dx, dy, dz = p0 - q0[b], p1 - q1[b], p2 - q2[b]
        ex, ey, ez = p3 - q3[b], p4 - q4[b], p5 - q5[b]
        # |Δ₀ + f E|² = u + v f + w f²
        u = dx * dx + dy * dy + dz * dz
        v = 2.0 * (dx * ex + dy * ey + dz * ez)
        w = ex * ex + ey * ey + ez * ez
        out[b] += u * (u * s0 + 2.0 * v * s1 + 2.0 * w * s2) + v * (v * s2 + 2.0 * w * s3) + w * w * s4


_ROWS = I64(
    read(F64, 3), F64[:, :, ::1], read(F64, 2), I64, I64, I64, I64, F64[:, ::1], F64[::1], F32[:, ::1], I64, I64
)  # fmt: skip


@kernel(_ROWS)
def _rows(p, q, sums, window, first, done, rows, ring, total, cost, row, column):
    """Go on with frames first … first + rows − 1 of p (F, B, 6) against a strip q (B, 6, N); returns the rows written.

    done: how many frames came before; ring: (L, N) the distances of the last L frames; total: (N,) the sums of the
    windows that end at the last of them, by the column of their last frame. A window is one step down a diagonal from
    the one before it.
    """
    width = q.shape[2]
    written = 0
    for i in range(rows):
        at = (done + i) % window
        for b in range(width - 1, 0, -1):
            total[b] = total[b - 1]
        total[0] = 0.0
        if done + i >= window:
            for b in range(window, width):
                total[b] -= ring[at, b - window]
        ring[at] = 0.0
        for k in range(sums.shape[0]):
            _bone(ring[at], p[first + i, k], q[k], sums[k])
        for b in range(width):
            total[b] += ring[at, b]
        if done + i >= window - 1:
            for b in range(window - 1, width):
                cost[row + written, column + b - window + 1] = max(total[b], 0.0)
            written += 1
    return written


@kernel((read(F64, 3), read(F64, 3), read(F64, 2), I64, read(I64), read(I64), F64[::1]))
def _cells(p, q, sums, window, a, b, out):
    """out[i] = the distance of the windows at a[i] of p (F, B, 6) and b[i] of q (F', B, 6)."""
    single = np.empty((6, 1))
    for i in range(a.shape[0]):
        out[i] = 0.0
        for t in range(window):
            for k in range(sums.shape[0]):
                single[:, 0] = q[b[i] + t, k]
                _bone(out[i : i + 1], p[a[i] + t, k], single, sums[k])


def bones_of(skeleton: Skeleton) -> np.ndarray:
    """(B, 2) near and far joint of every bone that has a length, each once though several children begin at its end."""
    bones, seen = [], set()
    for j in range(1, len(skeleton)):
        key = int(skeleton.parents[j]), skeleton.offsets[j].tobytes()
        if skeleton.bone_lengths[j] > 0.0 and key not in seen:
            seen.add(key)
            bones.append((key[0], j))
    return np.array(bones, np.int64).reshape(-1, 2)


def _sums(lengths: np.ndarray) -> np.ndarray:
    """(B, 5): Σ f⁰ … Σ f⁴ over the points of bones of these lengths (metres), in the program's metres⁴."""
    places = np.floor(_PLACES * lengths / CMU + 1e-9).astype(int)
    powers = [[np.sum((np.arange(n) / max(n, 1)) ** k) for k in range(5)] for n in places]
    return _POINTS * (PROGRAM / CMU) ** 4 * np.array(powers).reshape(-1, 5)


@dataclass(frozen=True, eq=False)
class Segments:
    """The F captured frames of a clip as this metric sees them; n = F − L + 1 windows."""

    metric: "Metric"
    name: str
    fps: float
    first: int  # first captured frame of the clip
    window: int  # L, frames of a window
    values: np.ndarray  # (F, B, 6) float64 metres: near end and direction of every bone, root x, z removed
    sums: np.ndarray  # (B, 5), see `_sums`
    shift: np.ndarray  # (n, 2) metres: mean x, z of the root over each window
    total: float = 1.0  # a cost is already a sum

    @classmethod
    def of(cls, metric: "Metric", clip: Clip, like: "Clip | Iterable[Clip] | None" = None) -> "Segments":
        """Prepare a clip; `like`: clips that it will be compared with, of the same skeleton."""
        window = metric.frames(clip.fps)
        require_window(clip, window)
        if any(other.skeleton != clip.skeleton for other in partners(like)):
            raise MotionError("the dissertation's metric compares clips of one skeleton; retarget them to it first")
        bones = bones_of(clip.skeleton)
        positions = clip.positions()[clip.first :].copy()
        root = positions[:, 0, ::2].copy()
        positions[:, :, ::2] -= root[:, None]
        near, far = positions[:, bones[:, 0]], positions[:, bones[:, 1]]
        values = np.ascontiguousarray(np.concatenate([near, far - near], axis=2))
        shift = over_windows(root.T, np.full(window, 1.0 / window)).T
        sums = _sums(clip.skeleton.bone_lengths[bones[:, 1]])
        return cls(metric, clip.name, clip.fps, clip.first, window, values, sums, shift)

    def __len__(self) -> int:
        """Windows of the clip."""
        return len(self.values) - self.window + 1

    @cached_property
    def digest(self) -> str:
        """Of everything a distance depends on."""
        digest = blake2b(f"{self.metric.key} {self.fps!r} {self.window}".encode(), digest_size=16)
        for array in (self.values, self.sums):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def against(self, other: "Segments") -> "SegmentPair":
        """The pair of two clips of one skeleton."""
        return SegmentPair(self, other)


class SegmentPair(ExactPair):
    """Windows of a against windows of b; see `pairs`."""

    def __init__(self, a: Segments, b: Segments):
        if not np.array_equal(a.sums, b.sums):
            raise MotionError(f"{a.name!r} and {b.name!r} have other bones; retarget them to one skeleton first")
        self.a, self.b = a, b
        self.window = a.window
        self.shape = len(a), len(b)

    def sweep(self, a0: int, a1: int, b0: int, b1: int, ceiling: float = np.inf) -> "SegmentSweep":
        """A `SegmentSweep` over the windows a0 … a1−1 of a and b0 … b1−1 of b."""
        return SegmentSweep(self, a0, a1, b0, b1)

    def exact(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Costs (n,) and alignments theta, x0, z0 (n,) of windows a, b (n,): b's root brought to a's, not turned."""
        a, b = (np.ascontiguousarray(np.atleast_1d(i), np.int64) for i in (a, b))
        cost = np.empty(len(a))
        _cells(self.a.values, self.b.values, self.a.sums, self.window, a, b, cost)
        x0, z0 = (self.a.shift[a] - self.b.shift[b]).T
        return cost, np.zeros(len(a)), x0, z0


class SegmentSweep:
    """Works down a strip of the matrix of a `SegmentPair`; one thread's workspace."""

    def __init__(self, pair: SegmentPair, a0: int, a1: int, b0: int, b1: int):
        self.pair, self.a0, self.done = pair, a0, 0
        self.frames = a1 - a0 + pair.window - 1
        self.others = np.ascontiguousarray(pair.b.values[b0 : b1 + pair.window - 1].transpose(1, 2, 0))
        width = self.others.shape[2]
        self.ring, self.total = np.zeros((pair.window, width)), np.zeros(width)

    @property
    def finished(self) -> bool:
        """Whether every row has been written."""
        return self.done >= self.frames

    def advance(self, cost: np.ndarray, row: int, column: int) -> int:
        """Write the next rows, at most `ROWS`, to cost[row:, column:]; returns how many, 0 at the end."""
        a, written = self.pair.a, 0
        while not written and not self.finished:
            rows = min(ROWS, self.frames - self.done)
            where = self.pair.window, self.a0 + self.done, self.done, rows
            written = _rows(a.values, self.others, a.sums, *where, self.ring, self.total, cost, row, column)
            self.done += rows
        return written
