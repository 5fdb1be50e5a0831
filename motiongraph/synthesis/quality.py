"""How good a motion is, in figures: feet that slide or sink, seams that jolt, knees that pop, captures that glitch."""

import numpy as np

from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.legs import legs_of

IMPOSSIBLE = 1000.0  # m/s²: a hundred times gravity; joints that fly so are errors of the capture
_AROUND = 0.05  # s; this much beside a transition still counts as its seam
_NAMES = ("acceleration_p99", "velocity_jump_worst", "acceleration_jump_p99", "acceleration_jump_worst")


def quality(clip: Clip, captured=None, progress=SILENT) -> dict:
    """Plain numbers about a captured or made clip.

    slide_mean, slide_worst: horizontal speed of planted foot joints, cm/s; penetration: how far a joint of a foot is
    below the floor at worst, cm; knee_pop, knee_pop_p99: change of a knee's angular velocity, rad/s a frame; glitches:
    frames in which a joint accelerates impossibly.
    acceleration_p99: of all joints, m/s²; velocity_jump_worst: largest change of a joint's velocity, m/s a frame;
    acceleration_jump_p99, acceleration_jump_worst: change of a joint's acceleration, m/s² a frame; each also for the
    root alone, as root_….
    Made motion has the same figures for the frames at its seams, as seam_…, and for all others, as inside_…; `captured`
    clips, if given, are what inside means instead. seam_ratio: seam_acceleration_p99 by inside_acceleration_p99.
    """
    progress(0, 4, "measuring its quality")
    places = clip.positions()[clip.first :]
    planted = plants(clip)
    progress(1, 4, "measuring its quality")
    contacts, joints = np.asarray(planted)[clip.first :], list(planted.joints)
    slide, pops = _slide(places, contacts, joints, clip.fps), _knee_pops(clip, places, joints)
    progress(2, 4, "measuring its quality")
    figures = {
        "slide_mean": float(slide.mean()) if len(slide) else 0.0,
        "slide_worst": float(slide.max(initial=0.0)),
        "penetration": _penetration(clip, places, joints),
        "knee_pop": float(pops.max(initial=0.0)),
        "knee_pop_p99": _p99(pops),
        "glitches": int(glitches(clip).sum()),
        **_jolts([(places, clip.fps)]),
    }
    progress(3, 4, "measuring its quality")
    if clip.origin is not None and len(seams := clip.origin.seams()):
        reach = round(_AROUND * clip.fps)
        edges = np.clip((seams + np.array([-reach, reach])).ravel(), 0, len(clip))
        pieces = np.split(places, np.maximum.accumulate(edges))  # as captured, seam, as captured, …
        at_seams = _jolts([(piece, clip.fps) for piece in pieces[1::2]], "seam_")
        others = [(piece, clip.fps) for piece in pieces[::2]]
        if captured is not None:
            others = [(other.positions()[other.first :], other.fps) for other in captured]
        inside = _jolts(others, "inside_")
        ratio = at_seams["seam_acceleration_p99"] / max(inside["inside_acceleration_p99"], 1e-9)
        figures |= {"seams": len(seams), **at_seams, **inside, "seam_ratio": ratio}
    return figures


def glitches(clip: Clip) -> np.ndarray:
    """(F,) bool: captured frames in which a joint accelerates impossibly: dropouts, swapped markers, single frames
    that are somewhere else. Nothing is done about them; who builds a graph may want to trim them away."""
    found = np.zeros(len(clip), bool)
    places = clip.positions()[clip.first :]
    if len(places) > 2:
        found[clip.first + 1 : -1] = (_acceleration(places, clip.fps) > IMPOSSIBLE).any(axis=1)
    return found


def _slide(places, contacts, joints, fps):
    """cm/s of every foot joint over every pair of frames in which it is planted."""
    feet = places[:, joints][..., [0, 2]]
    speed = np.linalg.norm(np.diff(feet, axis=0), axis=-1) * fps * 100.0
    return speed[contacts[1:] & contacts[:-1]]


def _acceleration(places, fps):
    """(F − 2, J) m/s²."""
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1) * fps**2


def _jolts(stretches, prefix=""):
    """The figures `_NAMES` over stretches of motion (places (F, J, 3), fps), of all joints and of the root."""
    stretches = [(places, fps) for places, fps in stretches if len(places) > 3]
    none = np.zeros((0, 1))
    velocity = [_acceleration(places, fps) for places, fps in stretches] or [none]
    jump = [np.linalg.norm(np.diff(places, 3, axis=0), axis=-1) * fps**2 for places, fps in stretches] or [none]
    frame = max((1.0 / fps for _, fps in stretches), default=0.0)
    figures = {}
    for who, joints in (("", slice(None)), ("root_", slice(1))):
        fast, sudden = (np.concatenate([part[:, joints].ravel() for part in parts]) for parts in (velocity, jump))
        values = _p99(fast), float(fast.max(initial=0.0)) * frame, _p99(sudden), float(sudden.max(initial=0.0))
        figures |= {f"{prefix}{who}{name}": value for name, value in zip(_NAMES, values)}
    return figures


def _p99(values):
    return float(np.percentile(values, 99)) if values.size else 0.0


def _penetration(clip, places, joints):
    """cm that the lowest joint of a foot is below the floor at worst."""
    feet = {*joints, *(tip for leg in legs_of(clip.skeleton, joints) for tip in leg.tips)}
    if not feet:
        return 0.0
    return float(max(0.0, clip.floor - places[:, sorted(feet), 1].min()) * 100.0)


def _knee_pops(clip, places, joints):
    """rad/s a frame: how suddenly every knee changes the speed at which it bends."""
    pops = [np.zeros(0)]
    for leg in legs_of(clip.skeleton, joints):
        hip, knee, ankle = places[:, leg.hip], places[:, leg.knee], places[:, leg.ankle]
        upper, lower, span = (np.linalg.norm(v, axis=1) for v in (knee - hip, ankle - knee, ankle - hip))
        cosine = (span**2 - upper**2 - lower**2) / (2.0 * upper * lower)
        pops.append(np.abs(np.diff(np.arccos(np.clip(cosine, -1.0, 1.0)), 2)) * clip.fps)
    return np.concatenate(pops)
