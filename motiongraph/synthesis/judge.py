"""A judge of seams: can a classifier tell windows with a transition from captured ones?

Gradient boosting sees how the parts of a body move: their velocities and accelerations at 30 Hz over two thirds of a
second. Windows with a transition in their middle come from made motion, the others from the captured clips, cleaned
alike, around frames that the same motion plays. What it says of a clip was learnt from others. 0.5 is chance, 1 means
that every seam is seen. It needs scikit-learn, which motiongraph does not: `pip install scikit-learn`.
"""

from collections.abc import Sequence

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.bone_map import body_parts
from motiongraph.model.clip import Clip
from motiongraph.model.sides import facing
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis.footplant import cleaned

RATE = 30.0  # Hz
_HALF = 10  # frames of RATE before and after the middle of a window
_FOLDS = 5
_MOST = 800  # windows of each kind: more tell little more
_MARGIN = 4  # frames at the ends of a motion whose cleanup has not seen enough


def seam_visibility(motions: Sequence[Clip], clips: Sequence[Clip], progress: Progress = SILENT) -> float:
    """Area under the ROC curve of the judge: the chance that it finds a seam more suspicious than captured motion.

    motions: made by `synthesize` from walks on the same clips. NaN where there are too few clips or transitions to
    learn from.
    """
    seams, played = _windows_of(motions, clips)
    if min(len(seams), len(played)) < 10 * _FOLDS or len(np.unique(played["clip"])) < _FOLDS:
        return float("nan")
    rng = np.random.default_rng(0)
    seams, played = (rows[rng.permutation(len(rows))[:_MOST]] for rows in (seams, played))
    movers = [_Mover(motion) for motion in motions]
    captured = {int(c): _Mover(cleaned(clips[c])) for c in np.unique(played["clip"])}
    x, y, groups = [], [], []
    for done, row in enumerate(seams):
        progress(done, len(seams) + len(played), "looking at seams")
        x.append(movers[row["motion"]].window(row["second"]))
        y.append(1)
        groups.append((row["clip"], row["other"]))
    for done, row in enumerate(played):
        progress(len(seams) + done, len(seams) + len(played), "looking at captured motion")
        x.append(captured[int(row["clip"])].window(row["second"]))
        y.append(0)
        groups.append((row["clip"], row["clip"]))
    return _area(np.array(x), np.array(y), np.array(groups), rng)


_ROW = np.dtype([("motion", "i4"), ("clip", "i4"), ("other", "i4"), ("second", "f8")])


def _windows_of(motions: Sequence[Clip], clips: Sequence[Clip]) -> tuple[np.ndarray, np.ndarray]:
    """Seams: the second of the motion at their middle and the clips they join; and frames played as captured: the
    second of their clip."""
    reach = (_HALF + _MARGIN) / RATE
    seams, played = [], []
    for n, motion in enumerate(motions):
        origin = motion.origin
        if origin is None:
            raise MotionError(f"{motion.name!r} was not made from a graph: only made motion has seams")
        for start, stop in origin.seams():
            # A whole frame, as for captured motion: between frames positions are blurred, which would give it away.
            second = (start + stop - 1) // 2 / motion.fps
            if reach < second < motion.duration - reach:
                seams.append((n, origin.clip[start], origin.other[start], second))
        for frame in range(0, len(motion), round(motion.fps / 3)):
            clip = clips[origin.clip[frame]]
            second = (origin.frame[frame] - clip.first) / clip.fps
            if reach < second < (len(clip) - clip.first) / clip.fps - reach:
                played.append((n, origin.clip[frame], origin.clip[frame], second))
    return np.unique(np.array(seams, _ROW)), np.array(played, _ROW)


class _Mover:
    """The parts of a body over time, positions (F, n, 3) in metres at the motion's own rate."""

    def __init__(self, clip: Clip):
        clip = clip.captured()
        self.clip, self.fps = clip, clip.fps
        parts = sorted({joint for part, joint in body_parts(clip.skeleton).items() if not part[-1].isdigit()} | {0})
        self.places = clip.positions()[:, parts]

    def window(self, second: float) -> np.ndarray:
        """Velocities (m/s) and accelerations (m/s²) around a moment, seen from the way the body faces there."""
        at = (second + np.arange(-_HALF - 1, _HALF + 2) / RATE) * self.fps
        below = np.clip(at.astype(int), 0, len(self.places) - 2)
        t = (at - below)[:, None, None]
        places = (1.0 - t) * self.places[below] + t * self.places[below + 1]
        turn = -facing(self.clip.skeleton, self.clip.positions()[below[_HALF + 1]])
        x, z = places[..., 0].copy(), places[..., 2].copy()
        places[..., 0], places[..., 2] = np.cos(turn) * x + np.sin(turn) * z, np.cos(turn) * z - np.sin(turn) * x
        velocity = np.diff(places, axis=0) * RATE
        acceleration = np.linalg.norm(np.diff(velocity, axis=0), axis=-1) * RATE
        return np.concatenate([velocity[::3].ravel(), acceleration.ravel()]).astype(np.float32)


def _area(x: np.ndarray, y: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> float:
    """Area under the ROC curve of windows x (n, k), judged by what was learnt from other clips (groups (n, 2))."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.metrics import roc_auc_score
    except ImportError as problem:
        raise MotionError("judging seams needs scikit-learn: pip install motiongraph[judge]") from problem
    names = np.unique(groups)
    fold = dict(zip(names.tolist(), (rng.permutation(len(names)) % _FOLDS).tolist()))
    folds = np.array([[fold[a], fold[b]] for a, b in groups.tolist()])
    said = np.full(len(y), np.nan)
    for k in range(_FOLDS):
        learn, test = (folds != k).all(axis=1), folds[:, 0] == k
        model = HistGradientBoostingClassifier(max_iter=60, max_depth=4, learning_rate=0.1, random_state=0)
        said[test] = model.fit(x[learn], y[learn]).predict_proba(x[test])[:, 1]
    return float(roc_auc_score(y, said))
