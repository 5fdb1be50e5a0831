"""A judge of seams: can a classifier tell windows with a transition from captured ones?

Gradient boosting sees how the parts of a body move: the courses of their velocities and accelerations at 30 Hz over two
thirds of a second, and the means, deviations and extremes of these. Windows with a transition in their middle come from
made motion, the others from the captured clips, cleaned alike: around any frame that the same motion plays, around just
the two moments that a transition joins, or, the strictest, around any frame of all clips, and then it sees every joint.
Beside captured motion of any moment a seam can also be told by where it lies (walks change clips where bodies are slow,
and at the ends of clips, where nothing captured goes on) and by which clips are played at all; beside the same moments
only by the blend. How much of it is where they lie is told by a trial without any seam: captured motion at the moments
that seams join, beside captured motion of any moment. What the judge says of a clip was learnt from others. 0.5 is
chance, 1 means that every seam is seen. It needs scikit-learn, which motiongraph does not: `pip install scikit-learn`.
"""

from collections.abc import Callable, Sequence

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
_REPEATS = 4  # ways to part the clips into folds; one alone is off by 0.03
_BINS = 32  # of a feature's values: more cost time and tell no more
_MOST = 2500  # windows of each kind. On subject 16 800 read 0.643, 1,134, all of 48 walks, 0.656
_MARGIN = 4  # frames at the ends of a motion whose cleanup has not seen enough
_AMID = slice(_HALF - 3, _HALF + 4)
_TOLD = (  # of each course of a velocity or an acceleration
    np.mean, np.std, np.max, np.min,
    lambda course, axis: course[_AMID].mean(axis), lambda course, axis: course[_AMID].std(axis),
)  # fmt: skip


def seam_visibility(
    motions: Sequence[Clip], clips: Sequence[Clip], beside: str = "any", progress: Progress = SILENT
) -> float:
    """Area under the ROC curve of the judge: the chance that it finds a seam more suspicious than captured motion.

    motions: made by `synthesize` from walks on the same clips. beside: captured motion of "any" moment that they play,
    of the "same" moments, which shows the blend alone, or of "all" clips, by every joint. "captured": the trial without
    seams. NaN where there are too few clips or transitions to learn from.
    """
    rng = np.random.default_rng(0)
    windows = seen(motions, clips, beside, rng, progress)
    return float("nan") if windows is None else _area(*windows, rng)


def seen(
    motions: Sequence[Clip],
    clips: Sequence[Clip],
    beside: str,
    rng: np.random.Generator,
    progress: Progress = SILENT,
    most: int = _MOST,
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """What the judge sees of windows (n, k), which of them hold a seam (n,), and the two clips that each joins (n, 2):
    captured ones twice the same, but in the trial without seams, for windows in a seam's stead, their clip and the
    other. most: windows of each kind. None where there are too few."""
    seams, captured = _windows_of(motions, clips, beside)
    if min(len(seams), len(captured)) < 10 * _FOLDS or len(np.unique(captured["clip"])) < _FOLDS:
        return None
    seams, captured = (rows[rng.permutation(len(rows))[:most]] for rows in (seams, captured))
    whole, trial = beside == "all", beside == "captured"
    made = {} if trial else {int(n): _Mover(motions[n], whole) for n in np.unique(seams["motion"])}
    shown = np.concatenate([captured["clip"], seams["clip"] if trial else []]).astype(int)
    played = {int(c): _Mover(cleaned(clips[c]), whole) for c in np.unique(shown)}
    x = []
    for done, row in enumerate([*seams, *captured]):
        progress(done, len(seams) + len(captured), "looking at seams and captured motion")
        mover = made[int(row["motion"])] if done < len(seams) and not trial else played[int(row["clip"])]
        x.append(mover.window(row["second"]))
    y = np.repeat([1, 0], [len(seams), len(captured)])
    groups = np.stack([np.concatenate([seams[name], captured[name]]) for name in ("clip", "other")], axis=1)
    return np.array(x), y, groups


_ROW = np.dtype([("motion", "i4"), ("clip", "i4"), ("other", "i4"), ("second", "f8")])


def _windows_of(motions: Sequence[Clip], clips: Sequence[Clip], beside: str) -> tuple[np.ndarray, np.ndarray]:
    """Seams: the second of the motion at their middle and the clips they join; and captured motion: the second of its
    clip, around frames as `seam_visibility` says. Without seams, in their stead, the two moments of clips."""
    reach, same, trial = (_HALF + _MARGIN) / RATE, beside == "same", beside == "captured"
    seams, captured = [], []

    def frame_of(n: int, number: int, frame: int) -> list[tuple[int, int, int, float]]:
        """The frame of a clip as a row, unless its window would leave the clip."""
        clip = clips[number]
        second = (frame - clip.first) / clip.fps
        inside = reach < second < (len(clip) - clip.first) / clip.fps - reach
        return [(n, number, number, second)] if inside else []

    for n, motion in enumerate(motions):
        origin = motion.origin
        if origin is None:
            raise MotionError(f"{motion.name!r} was not made from a graph: only made motion has seams")
        for start, stop in origin.seams():
            # A whole frame, as for captured motion: between frames positions are blurred, which would give it away.
            middle = (start + stop - 1) // 2
            here, there = int(origin.clip[middle]), int(origin.other[middle])
            ends = frame_of(n, here, int(origin.frame[middle])) + frame_of(n, there, int(origin.other_frame[middle]))
            if reach < middle / motion.fps < motion.duration - reach and (len(ends) == 2 or not (same or trial)):
                captured += ends if same else []
                if trial:  # the two are much alike: none is judged by what was learnt from the other
                    seams += [(n, clip, here + there - clip, second) for _, clip, _, second in ends]
                else:
                    seams.append((n, here, there, middle / motion.fps))
        for frame in range(0, len(motion) if beside == "any" or trial else 0, round(motion.fps / 3)):
            captured += frame_of(n, int(origin.clip[frame]), int(origin.frame[frame]))
    for number, clip in enumerate(clips if beside == "all" else ()):
        for frame in range(clip.first, len(clip), max(round(clip.fps / RATE), 1)):
            captured += frame_of(0, number, frame)
    return np.unique(np.array(seams, _ROW)), np.array(captured, _ROW)


class _Mover:
    """The parts of a body over time, or all its joints, positions (F, n, 3) in metres at the motion's own rate."""

    def __init__(self, clip: Clip, whole: bool):
        clip = clip.captured()
        self.clip, self.fps = clip, clip.fps
        parts = {joint for part, joint in body_parts(clip.skeleton).items() if not part[-1].isdigit()}
        if whole:  # joints of bones without length are where others are
            parts = set(np.flatnonzero(clip.skeleton.bone_lengths > 1e-4).tolist())
        self.places = clip.positions()[:, sorted(parts | {0})]

    def window(self, second: float) -> np.ndarray:
        """Velocities (m/s) and accelerations (m/s²) around a moment, seen from the way the body faces there."""
        at = (second + np.arange(-_HALF - 1, _HALF + 2) / RATE) * self.fps
        below = np.clip(at.astype(int), 0, len(self.places) - 2)
        t = (at - below)[:, None, None]
        places = (1.0 - t) * self.places[below] + t * self.places[below + 1]
        turn = -np.radians(facing(self.clip.skeleton, self.clip.positions()[below[_HALF + 1]]))
        x, z = places[..., 0].copy(), places[..., 2].copy()
        places[..., 0], places[..., 2] = np.cos(turn) * x + np.sin(turn) * z, np.cos(turn) * z - np.sin(turn) * x
        velocity = np.diff(places, axis=0) * RATE
        courses = []
        for course in (velocity, np.diff(velocity, axis=0) * RATE):
            courses.append(np.concatenate([course, np.linalg.norm(course, axis=-1, keepdims=True)], axis=-1))
        told = [f(course, axis=0).ravel() for course in courses for f in _TOLD]
        return np.concatenate([velocity[::3].ravel(), courses[1][..., 3].ravel(), *told]).astype(np.float32)


def _area(x: np.ndarray, y: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> float:
    """Area under the ROC curve of windows x (n, k), judged by what was learnt from other clips (groups (n, 2)); the
    mean over folds, each by its seams, and over several ways to part the clips into folds."""
    try:
        from sklearn.metrics import roc_auc_score
        from threadpoolctl import threadpool_limits  # scikit-learn's own
    except ImportError as problem:
        raise MotionError("judging seams needs scikit-learn: pip install motiongraph[judge]") from problem
    names, areas = np.unique(groups), []
    with threadpool_limits(1, "openmp"):  # so few windows are learnt faster by one thread than by several
        for _ in range(_REPEATS):
            fold = dict(zip(names.tolist(), (rng.permutation(len(names)) % _FOLDS).tolist()))
            folds = np.array([[fold[a], fold[b]] for a, b in groups.tolist()])
            for k in range(_FOLDS):
                learn, test = (folds != k).all(axis=1), folds[:, 0] == k
                if min(len(np.unique(y[learn])), len(np.unique(y[test]))) == 2:
                    areas.append((roc_auc_score(y[test], learnt(x[learn], y[learn])(x[test])), y[test].sum()))
    values, weights = np.array(areas).T
    return float(np.average(values, weights=weights))


def learnt(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """How suspicious windows (n, k) are, by what is learnt from windows x of which y are seams."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(max_iter=60, max_depth=4, max_bins=_BINS, random_state=0)
    model.fit(x, y)
    return lambda windows: model.predict_proba(windows)[:, 1]
