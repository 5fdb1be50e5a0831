"""How good the motion of a file or a graph is, beside what was captured: the figures of `motiongraph quality`.

A file is measured as it is and with its feet held. A graph is measured by random walks on it, beside its clips.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.clip import Clip
from motiongraph.model.despike import despiked, deviations
from motiongraph.progress import SILENT, Progress, stretch
from motiongraph.synthesis.feet import plants, runs
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.judge import seam_visibility
from motiongraph.synthesis.legs import legs_of
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.random_walk import random_walk

_LOW = 0.03  # m above its lowest place; a foot joint below that is taken for standing by `slide_low`
# m off its curve at 120 Hz, growing with the root of the time between frames: a joint that jolts. Of captured runs no
# joint is 3.4 cm off at 120 Hz, 4.2 at 60, or 9.1 at 30.
_THROWN = 0.05
_KEPT = 0.7  # of its lift that a step should keep
_WORDS = {
    "slide": "slide of planted feet, cm/s",
    "slide_low": "slide of low feet, cm/s",
    "jolts": "jolts a minute",
    "acceleration": "acceleration, m/s², 99th percentile",
    "jerk": "jerk, m/s³, 99th percentile",
    "penetration": "below the floor, cm, worst",
    "float": "above the floor while standing, cm",
}
_NAMES = tuple(_WORDS)
_ALONE = {  # figures of made motion alone
    "lift_kept": "steps that keep their height",
    "seam_visibility": "seams seen, 0.5 is chance",
    "blend_visibility": "seams seen beside the moments they join",
    "errors": "frames of the capture bridged",
}


def assess(
    source: Clip | MotionGraph, walks: int = 12, seconds: float = 30.0, rng: int = 0, progress: Progress = SILENT
) -> dict[str, Any]:
    """Figures of captured and of made motion; walks, seconds: how many random walks of a graph, and how long.

    "captured", "made": slide, cm/s of feet where contacts are found; slide_low, cm/s of feet that are low, whether or
    not they stand; jolts, a minute, acceleration, m/s², and jerk, m/s³, of joints, 99th percentiles, beside those of
    the very frames that walks play; penetration and float, cm that standing feet are below the floor at worst and above
    it on average. lift_kept: share of steps that keep most of their height when feet are held. seam_visibility,
    blend_visibility: how well seams are told from any captured motion and from that of the same moments, see `judge`;
    None for a file, or without scikit-learn, or where there is too little to learn from. errors: frames of the capture
    that were bridged.
    """
    if isinstance(source, Clip):
        mended, errors = despiked(source)
        captured, raw, made = [mended], [mended], [cleaned(mended, progress=progress)]
        seen, bridged = {"seam_visibility": None, "blend_visibility": None}, sum(stop - start for start, stop in errors)
    else:
        graph = source if source.is_pruned else source.pruned()
        found = [random_walk(graph, seconds, rng + n) for n in range(walks)]
        raw = [synthesize(walk, cleanup=False) for walk in found]
        part = stretch(progress, 0.0, 0.4)
        made = []
        for done, walk in enumerate(found):
            part(done, len(found), "making motion")
            made.append(synthesize(walk))
        captured, bridged = list(graph.clips), None
        seen = {
            "seam_visibility": _seen(made, graph.clips, "any", stretch(progress, 0.4, 0.7)),
            "blend_visibility": _seen(made, graph.clips, "same", stretch(progress, 0.7, 1.0)),
        }
    beside = _figures(captured, captured)
    if not isinstance(source, Clip):
        beside |= _played(made, captured)
    return {
        "captured": beside,
        "made": _figures(made, captured if isinstance(source, Clip) else made),
        "lift_kept": _lift_kept(raw, made),
        **seen,
        "errors": bridged,
    }


def _seen(made: Sequence[Clip], clips: Sequence[Clip], beside: str, progress: Progress) -> float | None:
    """How well seams are told; None where that cannot be judged."""
    found = seam_visibility(made, clips, beside, progress) if find_spec("sklearn") else np.nan
    return None if np.isnan(found) else found


def rows(found: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What `assess` found, to be read: what it is, of captured and of made motion."""
    both = [(words, _said(found["captured"][k]), _said(found["made"][k])) for k, words in _WORDS.items()]
    alone = {name: value for name, value in found.items() if name in _ALONE and value is not None}
    return both + [(_ALONE[name], "", f"{value:.3g}") for name, value in alone.items() if value or name != "errors"]


def _said(value: float) -> str:
    """With as many digits as mean something; thousandths of a millimetre do not."""
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.4g}" if value >= 0.01 else "0"


def _figures(clips: Sequence[Clip], standing: Sequence[Clip]) -> dict[str, float]:
    """Means over clips, by their length; penetration is the worst. standing: clips that tell when their feet stand, and
    where."""
    rows = np.array([_of_one(*each) for each in zip(clips, standing)])
    weight = np.array([clip.duration for clip in clips])
    means = (rows * weight[:, None]).sum(axis=0) / weight.sum()
    means[_NAMES.index("penetration")] = rows[:, _NAMES.index("penetration")].max()
    return dict(zip(_NAMES, means.tolist()))


def _played(made: Sequence[Clip], clips: Sequence[Clip]) -> dict[str, float]:
    """Acceleration, jerk and jolts of the captured frames that walks play: one that runs a lot has more of them than
    clips have on average."""
    sizes: dict[int, list[np.ndarray]] = {}
    jolts: dict[int, np.ndarray] = {}
    rows = []
    for motion in made:
        assert motion.origin is not None
        frames = motion.origin.frame.round().astype(int)
        parts, jolted = [], 0
        for clip in np.unique(motion.origin.clip).tolist():
            if clip not in sizes:
                places, fps = clips[clip].positions(), clips[clip].fps
                sizes[clip] = [np.linalg.norm(np.diff(places, n, axis=0), axis=-1) * fps**n for n in (2, 3)]
                jolts[clip] = thrown(places[clips[clip].first :], fps)
            own = frames[motion.origin.clip == clip]
            parts.append([size[own[own >= clips[clip].first + n] - n] for n, size in zip((2, 3), sizes[clip])])
            jolted += int(jolts[clip][own - clips[clip].first].sum())
        sudden = [float(np.percentile(np.concatenate(size, axis=None), 99)) for size in zip(*parts)]
        rows.append([*sudden, 60.0 * jolted / motion.duration])
    weight = [motion.duration for motion in made]
    return dict(zip(("acceleration", "jerk", "jolts"), np.average(rows, axis=0, weights=weight).tolist()))


def _of_one(clip: Clip, standing: Clip) -> list[float]:
    """The figures `_NAMES` of one clip."""
    places, fps, contacts = clip.positions()[clip.first :], clip.fps, plants(standing)
    planted, joints = np.asarray(contacts)[clip.first :], list(contacts.joints)
    sizes = [np.linalg.norm(np.diff(places, order, axis=0), axis=-1).ravel() * fps**order for order in (2, 3)]
    sudden = [float(np.percentile(size, 99)) if len(size) else 0.0 for size in sizes]
    jolts = thrown(places, fps).sum()
    slide = slide_low = below = above = 0.0
    if joints and len(places) > 1:
        feet = places[:, joints]
        # Of the same frames before and after: held feet, all as low, would else count while they begin to swing.
        height = standing.positions()[clip.first :, joints, 1]
        height = height - np.percentile(height, 2, axis=0)
        speed = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=0), axis=-1) * fps * 100.0
        slide, slide_low = (_mean(speed[mask[1:] & mask[:-1]]) for mask in (planted, height < _LOW))
        legs = legs_of(clip.skeleton, joints)
        soles = sorted({*joints, *(joint for leg in legs for joint in leg.tips)})
        lowest = 100.0 * (places[:, soles, 1].min(axis=1) - standing.floor)
        below, above = max(0.0, -float(lowest.min())), _mean(np.maximum(lowest[planted.any(axis=1)], 0.0))
    return [slide, slide_low, 60.0 * float(jolts) * fps / len(places), *sudden, below, above]


def thrown(places: np.ndarray, fps: float) -> np.ndarray:
    """(F,) bool: frames in which a joint of places (F, J, 3) is thrown off the curve of those before and after."""
    return (deviations(np.ascontiguousarray(places)) > _THROWN * (120.0 / fps) ** 0.5).any(axis=1)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else 0.0


def _lift_kept(before: Sequence[Clip], after: Sequence[Clip]) -> float | None:
    """Share of all steps whose ankle rises at least `_KEPT` as far as it did; None without steps."""
    kept = []
    for raw, made in zip(before, after):
        contacts = plants(raw)
        planted = np.asarray(contacts)
        for leg in legs_of(raw.skeleton, contacts.joints):
            ends = [contacts.joints.index(joint) for joint in (leg.ankle, leg.ball) if joint in contacts.joints]
            heights = [clip.positions()[:, leg.ankle, 1] for clip in (raw, made)]
            for start, stop in runs(np.logical_not(planted[:, ends].any(axis=1))):
                if start > 0 and stop < len(planted) and stop - start > 3:
                    was, now = (h[start:stop].max() - 0.5 * (h[start - 1] + h[stop]) for h in heights)
                    if was > 0.01:
                        kept.append(now >= _KEPT * was)
    return float(np.mean(kept)) if kept else None
