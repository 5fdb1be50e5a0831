"""Which transitions look like captured motion: what a classifier says of each, learnt from the other clips.

Gradient boosting of stumps (Friedman 2001) learns to tell windows around transitions from captured ones. Walks that
take a transition the less gladly the more it looks like one show their seams less (discriminator rejection sampling,
Azadi et al. 2019). In place of the logistic function stands 1/2 + f / 2√(1 + f²), which needs no exponential and so is
the same on every processor.
"""

import numpy as np

from motiongraph.kernels import F64, I64, U1, kernel, read, types
from motiongraph.metric.stream import ahead
from motiongraph.walks.seam_windows import LEVELS

_FOLDS = 4  # parts of the clips; what is said of one was learnt from the others
_STUMPS = 300
_EVERY = 10  # a stump chooses among one feature in so many, another tenth each time: as good, and faster
_RATE = 0.3  # how much of what a stump says is believed
_STEADY = 2.0  # windows that speak for 0 in every leaf
_LEAF = 1e-3  # windows that a leaf must have
_WEIGHT = 2000.0  # windows of each kind that all draws count for
_DRAWS = 4000  # windows of each kind to learn from


def suspicion(levels: np.ndarray, clips: np.ndarray, seams: np.ndarray, captured: np.ndarray) -> np.ndarray:
    """(T,) how much each transition looks like a seam: f, above 0 where it does rather than not. The odds of its being
    one are (√(1 + f²) + f)².

    levels, clips: as of `SeamWindows`; seams: (T,) how often each transition is taken; captured: (C,) how often each
    captured moment is met.
    """
    count = len(seams)
    weight = np.concatenate([_drawn(seams), _drawn(captured)])
    used, fold = np.unique(clips[:count]), np.full(clips.max() + 1, -1)
    fold[used] = np.arange(len(used)) % _FOLDS
    total, judged = np.zeros(count), np.zeros(count)
    known = [(fold[clips] != k).all(axis=1) for k in range(_FOLDS)]

    def said(own: np.ndarray) -> np.ndarray:
        learn, unknown = np.flatnonzero(own & (weight > 0.0)), np.flatnonzero(~own[:count])
        stumps = boosted(np.take(levels, learn, axis=1), weight[learn], int((learn < count).sum()), _STUMPS)
        return judged_by(levels, unknown, *stumps)

    for own, f in zip(known, ahead(said, known)):
        total[~own[:count]] += f
        judged[~own[:count]] += 1
    return total / judged


def _drawn(often: np.ndarray) -> np.ndarray:
    """(n,) weights, `_WEIGHT` in all: how often each is met in `_DRAWS` draws at even steps. Of a large graph only some
    are learnt from."""
    sums = np.cumsum(often)
    drawn = np.searchsorted(sums, (np.arange(_DRAWS) + 0.5) * (sums[-1] / _DRAWS), side="right")
    return np.bincount(drawn, minlength=len(often)) * (_WEIGHT / _DRAWS)


@kernel(types.Tuple((I64[:, ::1], F64[:, ::1]))(read(U1, 2), read(F64), I64, I64))
def boosted(levels, weight, seams, stumps):
    """Stumps learnt from windows: of each the feature and the highest level on its low side (stumps, 2), and what it
    says of both sides (stumps, 2). levels: (K, n); weight: (n,); the first `seams` windows are seams."""
    features, windows = levels.shape
    found, slope, bend = np.zeros(windows), np.zeros(windows), np.zeros(windows)
    slopes, bends = np.empty(LEVELS), np.empty(LEVELS)
    cuts, values = np.zeros((stumps, 2), np.int64), np.zeros((stumps, 2))
    for n in range(stumps):
        all_slope = all_bend = 0.0
        for i in range(windows):
            square = 1.0 + found[i] * found[i]
            root = np.sqrt(square)
            wrong = (1.0 if i < seams else 0.0) - 0.5 * (1.0 + found[i] / root)
            slope[i], bend[i] = weight[i] * wrong * 2.0 / root, weight[i] / (square * square)
            all_slope += slope[i]
            all_bend += bend[i]
        best = 0.0
        for k in range(n % _EVERY, features, _EVERY):
            slopes[:], bends[:] = 0.0, 0.0
            for i in range(windows):
                slopes[levels[k, i]] += slope[i]
                bends[levels[k, i]] += bend[i]
            below = bend_below = 0.0
            for b in range(LEVELS - 1):
                below += slopes[b]
                bend_below += bends[b]
                above, bend_above = all_slope - below, all_bend - bend_below
                if bend_below > _LEAF and bend_above > _LEAF:
                    first, second = below / (bend_below + _STEADY), above / (bend_above + _STEADY)
                    gain = below * first + above * second
                    if gain > best:
                        best = gain
                        cuts[n, 0], cuts[n, 1] = k, b
                        values[n, 0], values[n, 1] = _RATE * first, _RATE * second
        for i in range(windows):
            found[i] += values[n, 1 if levels[cuts[n, 0], i] > cuts[n, 1] else 0]
    return cuts, values


@kernel(F64[::1](read(U1, 2), read(I64), read(I64, 2), read(F64, 2)))
def judged_by(levels, windows, cuts, values):
    """(n,) f of some windows (n,), by stumps; see `boosted`. levels: (K, N)."""
    found = np.zeros(windows.shape[0])
    for n in range(cuts.shape[0]):
        for i in range(windows.shape[0]):
            found[i] += values[n, 1 if levels[cuts[n, 0], windows[i]] > cuts[n, 1] else 0]
    return found
