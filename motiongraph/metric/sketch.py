"""A sketch of many frames: the few directions in which bodies differ most, in float32, and what is left of them.

Bodies have 27 numbers an axis, but sixteen directions hold all but a millimetre of any pose, and three polynomials the
path of a body through a window. Products of sketches cost half of those of bodies. What a sketch leaves out is known
for every window, and with it how far a cost may be off (METRIC.md 10). Sketches only propose and `_exact` decides, so
that the directions, found with LAPACK, may differ from processor to processor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiongraph.metric.bodies import FAR, Bodies, over_windows

# Frames from which the directions are found, and the share of their energy that may be left out: (0.7 mm / 16 cm)².
_SAMPLE, _LEFT_OUT = 4096, 2e-5
# Polynomials for the path of the centre of weight; more gain nothing, sensors are no smoother.
PATH = 3
UNIT = 2.0**-24  # of rounding to float32


def slack(window: int) -> float:
    """m² by which a D that `_exact` computes may differ from the true one: it rounds products of paths to a grid."""
    return window * 2.0**-32


@dataclass(frozen=True, eq=False)
class Directions:
    """Orthonormal directions that bodies are projected on."""

    turn: np.ndarray  # (K, m) complex: x + iz of a body times its conjugate are the coefficients
    rise: np.ndarray  # (K, n) of heights
    height: float  # metres, taken off the heights of all centres of weight
    path: np.ndarray  # (L, PATH) polynomials over a window, orthogonal to 1

    @classmethod
    def of(cls, tapes: Sequence[Bodies]) -> "Directions":
        """The directions of a sample of the frames of prepared clips."""
        step = -(-sum(len(tape.xz) for tape in tapes) // _SAMPLE)
        xz, y = (np.concatenate([getattr(t, k)[::step] for t in tapes]).astype(np.float64) for k in ("xz", "y"))
        height = float(np.median(np.concatenate([tape.left[-1, 0, ::step] for tape in tapes])))
        K, window = y.shape[1], tapes[0].window
        z = xz[:, :K] + 1j * xz[:, K:]
        t = np.linspace(-1.0, 1.0, window)
        polynomials = np.linalg.qr(np.vander(t, min(PATH + 1, window), increasing=True))[0][:, 1:]
        path = np.zeros((window, PATH))
        path[:, : polynomials.shape[1]] = polynomials
        return cls(_leading(z.conj().T @ z), _leading(y.T @ y), height, path)


def _leading(moments: np.ndarray) -> np.ndarray:
    """The eigenvectors of moments (K, K), largest first, a multiple of four that leaves next to nothing out."""
    values, vectors = np.linalg.eigh(moments)
    left = np.cumsum(np.maximum(values, 0.0))  # below each, smallest first
    enough = len(values) - int(np.searchsorted(left, _LEFT_OUT * max(left[-1], 1e-300), side="right"))
    return np.ascontiguousarray(vectors[:, ::-1][:, : min(-(-max(enough, 1) // 4) * 4, len(values))])


@dataclass(frozen=True, eq=False)
class Sketch:
    """F frames and n windows of a stretch of tape. Energies and doubts are m², summed over a window."""

    xz: np.ndarray  # (F, 2m) float32 metres: real and then imaginary coefficients
    y: np.ndarray  # (F, k) float32 metres: of heights, the centre's last
    path: np.ndarray  # (2 PATH, n) float32 metres: real and imaginary coefficients of the centre's path, in turns
    energy: np.ndarray  # (n,): of xz, y and the path about its mean; FAR where no window is
    longest: tuple[float, float]  # metres, the longest window of xz and of y
    left_out: np.ndarray  # (n,): energy that is not in the sketch
    height: float  # metres, taken off the heights of all centres of weight

    @classmethod
    def of(cls, bodies: Bodies, directions: Directions) -> "Sketch":
        K, g = bodies.y.shape[1], bodies.weights
        z = bodies.xz[:, :K].astype(np.float64) + 1j * bodies.xz[:, K:]
        turned, risen = z @ directions.turn, bodies.y.astype(np.float64) @ directions.rise
        height = (bodies.left[-1, 0] - directions.height)[:, None]
        centre = bodies.left[0, 0] + 1j * bodies.left[0, 1]
        whole = [_squares(z), _squares(bodies.y.astype(np.float64)), height[:, 0] ** 2]
        kept = [_squares(turned), _squares(risen)]
        exists = bodies.starts[2] < 0.5 * FAR
        sums = np.where(exists, over_windows(np.array([*whole, *kept]), g), 0.0)
        # The centre's path about the mean of its window, and its share in the polynomials.
        mean = over_windows(bodies.left[0], g) / g.sum()
        far = np.zeros(len(exists))
        path = np.zeros((directions.path.shape[1], len(exists)), np.complex128)
        for t, weight in enumerate(g):
            here = np.where(exists, centre[t : t + len(exists)] - (mean[0] + 1j * mean[1]), 0.0)
            far += weight * np.abs(here) ** 2
            path += np.sqrt(weight) * directions.path[t, :, None] * here
        left = (sums[0] - sums[3]) + (sums[1] - sums[4]) + (far - _squares(path.T))
        energy = sums[0] + sums[1] + sums[2] + far
        parts = np.stack([path.real, path.imag], axis=1).reshape(-1, len(exists))
        return cls(
            np.concatenate([turned.real, turned.imag], axis=1).astype(np.float32),
            np.concatenate([risen, height], axis=1).astype(np.float32),
            np.ascontiguousarray(parts, np.float32),
            np.where(exists, energy, FAR),
            (float(np.sqrt(sums[0].max(initial=0.0))), float(np.sqrt((sums[1] + sums[2]).max(initial=0.0)))),
            # Sums in float64 are off by far less than this.
            np.maximum(left, 0.0) + 1e-12 * energy,
            directions.height,
        )


def _squares(values: np.ndarray) -> np.ndarray:
    """(F,) sums of squared sizes of values (F, m)."""
    return np.einsum("fm,fm->f", values, values.conj()).real
