"""Clips prepared for the cloud metric: the body of every frame, compressed, and the path of its centre of weight."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.kernels import F32, F64, kernel, read
from motiongraph.metric.cloud import Cloud, correspondence
from motiongraph.metric.samples import with_tips
from motiongraph.model.clip import Clip
from motiongraph.model.kinematics import transforms
from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.metric.metric import Metric
    from motiongraph.metric.pairs import CloudPair


# Metres: the finest grid that bodies are rounded to.
_FINEST = 2.0**-22
# Energy (m²) of a window that does not exist: no cost comes near any ceiling.
FAR = 1e12


def _step(reach: float, window: int) -> float:
    """Metres, a power of two: on multiples of it the sum of products of two windows of bodies is exact in float64.

    With R the reach of a body and L frames the sum is at most L R² (Cauchy and Schwarz), of numbers on a grid of step².
    """
    return max(_FINEST, 2.0 ** float(np.ceil(0.5 * np.log2(max(window * reach * reach, 1e-9) * 2.0**-53))))


class Part(NamedTuple):
    """Some frames of a clip; windows that are not all among them do not exist."""

    frames: np.ndarray  # (n,) rising, counted from the first captured one
    origin: np.ndarray  # (2,) metres, see `Bodies`: of the whole clip


@dataclass(frozen=True, eq=False)
class Bodies:
    """The F captured frames of a clip as the cloud metric sees them; n = F − L + 1 windows.

    Coordinates are multiples of a power of two (`_step`), so that sums of their products are exact (`_exact`).
    """

    metric: "Metric"
    cloud: Cloud
    name: str
    fps: float
    first: int  # first captured frame of the clip
    weights: np.ndarray  # (L,) of the frames of a window
    xz: np.ndarray  # (F, 2K) float32 metres: x and then z of the compressed body about its centre of weight
    y: np.ndarray  # (F, K) float32 metres: its heights about those of the rest pose
    left: np.ndarray  # (Q, 2, F) metres: the centre's path as `_kernels` wants it on the left of a product
    right: np.ndarray  # (Q, 2, F) metres: the same for the right of a product
    starts: np.ndarray  # (3, n): mean x, mean z (times √Σg) and energy of every window
    origin: np.ndarray  # (2,) metres taken off the path's x, z, or (2, n) for every window
    shift: np.ndarray | None  # (n, 2) metres: mean x, z of what "in-place" removed, over each window

    @classmethod
    def of(
        cls,
        metric: "Metric",
        clip: Clip,
        like: "Clip | Iterable[Clip] | None" = None,
        part: Part | None = None,
    ) -> "Bodies":
        """Prepare a clip, or part of it, in the same way as the clips it will be compared with (`like`)."""
        window = metric.frames(clip.fps)
        g = metric.frame_weights(window)
        require_window(clip, window)
        others = partners(like)
        skeletons = _distinct([clip.skeleton, *(c.skeleton for c in others)])
        rigid = clip.offsets is None and all(c.offsets is None for c in others)
        weights: Any = metric.joint_weights  # hashable: a metric is frozen
        mesh: Any = metric.mesh  # hashable likewise
        cloud = Cloud.of(skeletons, weights, int(metric.samples_per_bone), rigid, mesh)
        joints = correspondence(cloud.skeleton, clip.skeleton)
        planar, step = metric.align == "planar", _step(cloud.reach, window)

        positions, turns = _captured(clip, None if part is None else part.frames)
        root = np.ascontiguousarray(positions[:, 0])
        P = positions[:, joints] - root[:, None]  # about the root, for the sake of rounding
        if cloud.axes:
            P = with_tips(P, turns[:, joints])
        P = np.ascontiguousarray(P[:, cloud.used])
        xz = np.empty((len(P), 2 * len(cloud.rest)), np.float32)
        y, path = np.empty((len(P), len(cloud.rest)), np.float32), np.empty((len(P), 3))
        _compress(P, root, cloud.factor, cloud.centre, cloud.rest, step, xz, y, path)
        origin, shift = np.zeros(2), None
        if planar:
            origin = _on_grid(path[:, ::2].mean(axis=0), step) if part is None else part.origin
        elif metric.align == "in-place":
            path[:, ::2] -= root[:, ::2]
            shift = over_windows(root[:, ::2].T, g / g.sum()).T
        path[:, ::2] -= origin
        path = _on_grid(path, step)
        left, right = _sides(path, planar)
        starts = _windows(xz, y, path, g, planar)
        if part is not None:
            starts[:, part.frames[window - 1 :] - part.frames[: len(P) - window + 1] >= window] = [[0.0], [0.0], [FAR]]
        bodies = cls(metric, cloud, clip.name, clip.fps, clip.first, g, xz, y, left, right, starts, origin, shift)
        for array in (g, xz, y, left, right, starts, origin):
            array.flags.writeable = False
        return bodies

    @property
    def window(self) -> int:
        """L, frames of a window."""
        return len(self.weights)

    def __len__(self) -> int:
        """Windows of the clip."""
        return self.starts.shape[1]

    @cached_property
    def even(self) -> bool:
        """Whether all frames of a window weigh the same."""
        return bool((self.weights == 1.0).all())

    @cached_property
    def stills(self) -> np.ndarray:
        """(n,) the same number for windows that follow each other and are the same: nothing moves there."""
        same = np.ones(self.left.shape[2], bool)
        for array in (self.xz.T, self.y.T, *self.left):
            same[1:] &= (array[:, 1:] == array[:, :-1]).all(axis=0)
        moved = np.append(0, np.cumsum(~same))
        windows = (moved[self.window :] == moved[: -self.window])[: len(self)]
        windows[1:] &= (self.starts[:, 1:] == self.starts[:, :-1]).all(axis=0)
        windows[:1] = False
        return np.cumsum(~windows)

    @property
    def across(self) -> tuple[np.ndarray, ...]:
        """The arrays of the clip on the right of a product."""
        return self.xz, self.y, self.right, self.starts

    @cached_property
    def digest(self) -> str:
        """Of everything a distance depends on."""
        digest = blake2b(f"{self.metric.key} {self.cloud.key} {self.fps!r}".encode(), digest_size=16)
        for array in (self.xz, self.y, self.left, self.weights):
            digest.update(array.data)
        return digest.hexdigest()

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Metres: the largest length of a frame's xz, and of its y."""
        xz, y = (np.sqrt(_squares(q).max(initial=0.0)) for q in (self.xz, self.y))
        return float(xz), float(y)

    def origins(self, windows: np.ndarray) -> np.ndarray:
        """(2, n) or (2, 1) metres taken off the path's x, z, for these windows (n,)."""
        return self.origin[:, None] if self.origin.ndim == 1 else self.origin[:, windows]

    def against(self, other: "Bodies") -> "CloudPair":
        """The pair of two clips prepared alike."""
        from motiongraph.metric.pairs import CloudPair  # which needs this module

        return CloudPair(self, other)

    def every(self, step: int) -> "Bodies":
        """Every `step`-th frame of the clip and of its windows, for a coarse search."""
        thin = {k: np.ascontiguousarray(getattr(self, k)[::step]) for k in ("weights", "xz", "y")}
        thin |= {k: np.ascontiguousarray(getattr(self, k)[:, :, ::step]) for k in ("left", "right")}
        path = np.stack([thin["left"][0, 0], thin["left"][-1, 0], thin["left"][0, 1]], axis=1)
        starts = _windows(thin["xz"], thin["y"], path, thin["weights"], self.metric.align == "planar")
        return replace(self, fps=self.fps / step, starts=starts, shift=None, **thin)


def _captured(clip: Clip, frames: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Places (F, J, 3) and orientations (F, J, 4) of the captured frames, or of some of them."""
    if frames is None:
        return clip.positions()[clip.first :], clip.orientations()[clip.first :]
    frames = frames + clip.first
    return transforms(clip.skeleton, *clip.poses_at(frames), None if clip.offsets is None else clip.offsets[frames])


def partners(like: "Clip | Iterable[Clip] | None") -> list[Clip]:
    """The clips that another is prepared like: one, several or none."""
    return [like] if isinstance(like, Clip) else list(like or ())


def require_window(clip: Clip, window: int) -> None:
    """Refuse a clip that is shorter than one window."""
    frames = len(clip) - clip.first
    if frames < window:
        raise MotionError(f"{clip.name!r} has {frames} captured frames, fewer than the {window} of a window")


def _distinct(skeletons: list[Skeleton]) -> tuple[Skeleton, ...]:
    """Every different skeleton once, in an order that does not depend on who asks."""
    kept: list[Skeleton] = []
    for s in skeletons:
        if not any(s == k for k in kept):
            kept.append(s)
    return tuple(sorted(kept, key=lambda s: (s.names, s.offsets.tobytes())))


def _on_grid(values: np.ndarray, step: float) -> np.ndarray:
    """Rounded to multiples of a power of two."""
    return np.round(values / step) * step


_COMPRESS = (
    read(F64, 3), read(F64, 2), read(F64, 2), read(F64), read(F64), F64, F32[:, ::1], F32[:, ::1], F64[:, ::1],
)  # fmt: skip


@kernel(_COMPRESS)
def _compress(P, root, factor, centre, rest, step, xz, y, path):
    """Bodies (F, 2K), (F, K) on the grid and centres of weight (F, 3) of joints P (F, r, 3) about the root (F, 3)."""
    K = rest.shape[0]
    body = np.empty((3, K))
    for f in range(P.shape[0]):
        body[:] = 0.0
        path[f] = 0.0
        share = 0.0
        for j in range(P.shape[1]):
            share += centre[j]
            for axis in range(3):
                p = P[f, j, axis]
                path[f, axis] += centre[j] * p
                for k in range(K):
                    body[axis, k] += factor[j, k] * p
        for axis in range(3):
            path[f, axis] += share * root[f, axis]
        for k in range(K):
            xz[f, k] = np.rint(body[0, k] / step) * step
            xz[f, K + k] = np.rint(body[2, k] / step) * step
            y[f, k] = np.rint((body[1, k] - rest[k]) / step) * step


def _sides(path: np.ndarray, planar: bool) -> tuple[np.ndarray, np.ndarray]:
    """The path (F, 3) as the two sides of the products C, S (planar only) and Y; both (Q, 2, F)."""
    x, h, z = path.T
    zero = np.zeros(len(path))
    left, right = [[x, z], [x, -z], [h, zero]], [[x, z], [z, x], [h, zero]]
    kept = (0, 1, 2) if planar else (0, 2)
    return np.array([left[q] for q in kept]), np.array([right[q] for q in kept])


def over_windows(values: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Weighted sums of values (m, F) over every window, terms added in order; (m, n)."""
    values = np.atleast_2d(values)
    n = values.shape[1] - len(g) + 1
    total = np.zeros((len(values), n))
    for t, weight in enumerate(g):
        total += weight * values[:, t : t + n]
    return total


def _squares(values: np.ndarray) -> np.ndarray:
    """(F,) sums of squares in float64, terms added in order."""
    total = np.zeros(len(values))
    for column in values.T:
        total += column.astype(np.float64) ** 2
    return total


def _windows(xz: np.ndarray, y: np.ndarray, path: np.ndarray, g: np.ndarray, planar: bool) -> np.ndarray:
    """(3, n): weighted mean x and z of every window times √Σg, and its energy about that mean (METRIC.md 4)."""
    x, h, z = path.T
    energy = over_windows(_squares(xz) + _squares(y) + (x * x + h * h + z * z), g)
    if not planar:
        return np.concatenate([np.zeros((2, energy.shape[1])), energy])
    means = over_windows(np.array([x, z]), g) / np.sqrt(g.sum())
    return np.concatenate([means, energy - np.sum(means**2, axis=0)])
