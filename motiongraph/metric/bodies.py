"""Clips prepared for the cloud metric: the body of every frame, compressed, and the path of its centre of weight."""

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric.cloud import Cloud
from motiongraph.metric.joints import correspondence
from motiongraph.metric.stream import single_threaded_blas


@dataclass(frozen=True, eq=False)
class Bodies:
    """The F captured frames of a clip as the cloud metric sees them; n = F − L + 1 windows.

    xz: (F, 2K) float32 metres, x and then z of the compressed body about its centre of weight; y: (F, K) float32,
    its heights about those of the rest pose. left, right: (Q, 2, F) float64, the centre's path as `_kernels` wants it
    on either side of a product. starts: (3, n): mean x, mean z (times √Σg) and energy of every window. origin: (2,)
    metres taken off the path's x, z; shift: (n, 2) metres, mean x, z of what "in-place" removed, over each window.
    """

    metric: object
    cloud: Cloud
    name: str
    fps: float
    first: int
    weights: np.ndarray
    xz: np.ndarray
    y: np.ndarray
    left: np.ndarray
    right: np.ndarray
    starts: np.ndarray
    origin: np.ndarray
    shift: np.ndarray | None

    @classmethod
    def of(cls, metric, clip, like=None) -> "Bodies":
        window = metric.frames(clip.fps)
        g = metric.frame_weights(window)
        require_window(clip, window)
        others = [like] if hasattr(like, "skeleton") else list(like or ())
        skeletons = _distinct([clip.skeleton, *(c.skeleton for c in others)])
        rigid = clip.offsets is None and all(c.offsets is None for c in others)
        cloud = Cloud.of(skeletons, metric.joint_weights, int(metric.samples_per_bone), rigid)
        joints = correspondence(cloud.skeleton, clip.skeleton)[cloud.used]

        positions = clip.positions()[clip.first :]
        P = positions[:, joints] - positions[:, :1]  # about the root, for the sake of rounding
        with single_threaded_blas():
            bodies = np.matmul(P.transpose(0, 2, 1), cloud.factor)
        xz = np.ascontiguousarray(bodies[:, ::2].reshape(len(P), -1), np.float32)
        y = np.ascontiguousarray(bodies[:, 1] - cloud.rest, np.float32)
        path = np.einsum("fja,j->fa", P, cloud.centre) + positions[:, 0] * cloud.centre.sum()
        origin, shift = np.zeros(2), None
        if metric.align == "planar":
            origin = path[:, ::2].mean(axis=0)
        elif metric.align == "in-place":
            path[:, ::2] -= positions[:, 0, ::2]
            shift = _over_windows(positions[:, 0, ::2].T, g / g.sum()).T
        path[:, ::2] -= origin
        left, right = _sides(path, metric.align == "planar")
        starts = _windows(xz, y, path, g, metric.align == "planar")
        bodies = cls(metric, cloud, clip.name, clip.fps, clip.first, g, xz, y, left, right, starts, origin, shift)
        for array in (g, xz, y, left, right, starts, origin):
            array.flags.writeable = False
        return bodies

    @property
    def window(self) -> int:
        """L, frames of a window."""
        return len(self.weights)

    def __len__(self):
        """Windows of the clip."""
        return self.starts.shape[1]

    @cached_property
    def even(self) -> bool:
        """Whether all frames of a window weigh the same."""
        return bool((self.weights == 1.0).all())

    @cached_property
    def zx(self) -> np.ndarray:
        """(F, 2K) float32: z and then −x, so that S is a product of xz and zx."""
        K = self.y.shape[1]
        return np.concatenate([self.xz[:, K:], -self.xz[:, :K]], axis=1)

    @property
    def across(self) -> tuple[np.ndarray, ...]:
        """The arrays of the clip on the right of a product."""
        return self.xz, self.zx, self.y, self.right, self.starts

    @cached_property
    def digest(self) -> str:
        """Of everything a distance depends on."""
        digest = blake2b(f"{self.metric.key} {self.cloud.key} {self.fps!r}".encode(), digest_size=16)
        for array in (self.xz, self.y, self.left, self.weights):
            digest.update(array)
        return digest.hexdigest()

    @cached_property
    def energy(self) -> float:
        """Metres²: the largest mean square of a body's coordinates, which bounds the error of float32 products."""
        xz, y = (np.einsum("fk,fk->f", q, q, dtype=np.float64).max(initial=0.0) for q in (self.xz, self.y))
        return float(np.sqrt(2.0) * xz + y)

    def against(self, other: "Bodies"):
        """The pair of two clips prepared alike."""
        from motiongraph.metric.pairs import CloudPair

        return CloudPair(self, other)

    def every(self, step: int) -> "Bodies":
        """Every `step`-th frame of the clip and of its windows, for a coarse search."""
        thin = {k: np.ascontiguousarray(getattr(self, k)[::step]) for k in ("weights", "xz", "y")}
        thin |= {k: np.ascontiguousarray(getattr(self, k)[:, :, ::step]) for k in ("left", "right")}
        path = np.stack([thin["left"][0, 0], thin["left"][-1, 0], thin["left"][0, 1]], axis=1)
        starts = _windows(thin["xz"], thin["y"], path, thin["weights"], self.metric.align == "planar")
        return replace(self, fps=self.fps / step, starts=starts, shift=None, **thin)


def require_window(clip, window):
    """Refuse a clip that is shorter than one window."""
    frames = len(clip) - clip.first
    if frames < window:
        raise MotionError(f"{clip.name!r} has {frames} captured frames, fewer than the {window} of a window")


def _distinct(skeletons):
    """Every different skeleton once, in an order that does not depend on who asks."""
    kept = []
    for s in skeletons:
        if not any(s == k for k in kept):
            kept.append(s)
    return tuple(sorted(kept, key=lambda s: (s.names, s.offsets.tobytes())))


def _sides(path, planar):
    """The path (F, 3) as the two sides of the products C, S (planar only) and Y; both (Q, 2, F)."""
    x, h, z = path.T
    zero = np.zeros(len(path))
    left, right = [[x, z], [x, -z], [h, zero]], [[x, z], [z, x], [h, zero]]
    kept = (0, 1, 2) if planar else (0, 2)
    return tuple(np.array([side[q] for q in kept]) for side in (left, right))


def _over_windows(values, g):
    """Weighted sums of values (m, F) over every window; (m, n)."""
    return np.stack([np.convolve(row, g[::-1], "valid") for row in np.atleast_2d(values)])


def _windows(xz, y, path, g, planar):
    """(3, n): weighted mean x and z of every window times √Σg, and its energy about that mean (metric.md 4)."""
    energy = np.einsum("fk,fk->f", xz, xz, dtype=np.float64) + np.einsum("fk,fk->f", y, y, dtype=np.float64)
    x, h, z = path.T
    if not planar:
        energy = _over_windows(energy + x * x + h * h + z * z, g)
        return np.concatenate([np.zeros((2, energy.shape[1])), energy])
    means = _over_windows([x, z], g) / np.sqrt(g.sum())
    energy = _over_windows(energy + x * x + h * h + z * z, g) - np.sum(means**2, axis=0)
    return np.concatenate([means, energy])
