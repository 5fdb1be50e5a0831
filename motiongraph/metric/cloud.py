"""The point cloud of a body and its exact compression (metric.md 2 and 3).

Inner products are all the metric needs of the cloud, and W = Σ w_s e_s e_sᵀ holds them: factored once per skeleton,
it turns the positions of J joints into fewer than J numbers an axis, however many points there are.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric.joints import correspondence, joint_weights
from motiongraph.metric.stream import single_threaded_blas


@dataclass(frozen=True, eq=False)
class Cloud:
    """What a skeleton's cloud comes to. Weights are scaled to add up to one; `total` is what they were.

    skeleton: the one whose order of joints counts; used: (r,) int, the joints whose positions are needed;
    factor: (r, K), bodies are factorᵀ·P[used], with no share in where the body is as a whole; centre: (r,), the
    centre of weight is centreᵀ·P[used]; rest: (K,) metres, heights of the rest pose, subtracted from every body's.
    """

    skeleton: object
    used: np.ndarray
    factor: np.ndarray
    centre: np.ndarray
    rest: np.ndarray
    total: float

    @cached_property
    def key(self) -> str:
        """The same for equal clouds."""
        digest = blake2b(digest_size=16)
        for array in (self.used, self.factor, self.centre, self.rest):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, skeletons: tuple, weights=None, samples_per_bone: int = 5, rigid: bool = True) -> "Cloud":
        """The cloud shared by skeletons with the same joints; bones weigh by their mean length over them.

        rigid: False where joints slide, so that no position follows from others.
        """
        first = skeletons[0]
        orders = [correspondence(first, s) for s in skeletons]
        lengths = np.mean([s.bone_lengths[o] for s, o in zip(skeletons, orders)], axis=0)
        offsets = np.concatenate([s.offsets[o] for s, o in zip(skeletons, orders)], axis=1)
        W, v = _moments(first.parents, lengths, joint_weights(first, weights), samples_per_bone)
        total = float(W.sum())
        if not total > 0:
            raise MotionError(
                "all bones weigh nothing: give weight to a joint whose bone has a length, or use 0 samples"
            )
        used, E = _basis(first.parents, offsets) if rigid else (np.arange(len(first)), np.eye(len(first)))
        W, v = E.T @ W @ E / total, E.T @ v / total
        with single_threaded_blas():  # its threads keep a core busy for a while after they are done
            values, vectors = np.linalg.eigh(W - np.outer(v, v))
        # Rising eigenvalues: BLAS then adds the small products first, which loses least. A direction moves by about
        # a metre, so that one with an eigenvalue of 1e-14 cannot be worth more than a ten thousandth of a millimetre.
        kept = values > 1e-14
        factor = vectors[:, kept] * np.sqrt(values[kept])
        heights = np.mean([s.rest[o][:, 1] for s, o in zip(skeletons, orders)], axis=0)
        return cls(first, used, factor, v, factor.T @ heights[used], total)


def _moments(parents, lengths, weights, samples):
    """W (J, J) = Σ w_s e_s e_sᵀ and v (J,) = Σ w_s e_s over the points of the cloud."""
    J = len(parents)
    if samples == 0:
        return np.diag(weights), weights.copy()
    f = (np.arange(samples) + 0.5) / samples
    near, both, far = np.mean((1 - f) ** 2), np.mean((1 - f) * f), np.mean(f**2)
    W, v = np.zeros((J, J)), np.zeros(J)
    for j in range(1, J):
        q, w = parents[j], lengths[j] * weights[j]
        W[q, q] += w * near
        W[j, j] += w * far
        W[q, j] += w * both
        W[j, q] += w * both
        v[q] += w * 0.5
        v[j] += w * 0.5
    return W, v


def _basis(parents, offsets):
    """Joints (r,) whose positions give all others, and E (J, r) that does: P = E·P[used].

    Children of one joint move rigidly with it, so one whose offset is a combination of its siblings' needs no
    column of its own: CMU's hips begin at the root, its collar bones at the neck. offsets: (J, 3·skeletons), so
    that a combination must hold in each of them.
    """
    J = len(parents)
    rows = np.zeros((J, J))
    used = []
    for j in range(J):
        p = parents[j]
        siblings = [k for k in used if p >= 0 and parents[k] == p]
        combination = np.zeros(len(siblings))
        if siblings:
            combination = np.linalg.lstsq(offsets[siblings].T, offsets[j], rcond=1e-6)[0]
        left_over = offsets[j] - offsets[siblings].T @ combination
        if p < 0 or np.abs(left_over).max() > 1e-8 or np.abs(combination).max(initial=0.0) > 10.0:
            used.append(j)
            rows[j, j] = 1.0
        else:
            rows[j] = rows[p] + combination @ (rows[siblings] - rows[p])
    return np.array(used), np.ascontiguousarray(rows[:, used])
