"""Stitching: the pieces of a walk placed one after the other, with a transition between each two (Kovar 2002, 4.1)."""

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.synthesis import blend
from motiongraph.synthesis.origin import Origin, plants
from motiongraph.walks.walk import Walk, compose

BLENDS = ("linear", "inertialized")


def stitched(walk: Walk, method: str = "linear", register: bool = False, name: str | None = None) -> Clip:
    """The motion of a walk, without footplant cleanup; one frame for each that the steps say.

    method: "linear" (Kovar 2002, 3.3) or "inertialized". register: line the two windows up in time first.
    """
    if method not in BLENDS:
        raise MotionError(f"a blend is one of {', '.join(BLENDS)}, not {method!r}")
    parts = []
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        parts.append(_placed(walk.clips[clip], slice(start, stop), walk.placements[k]))
        if k < len(walk.transitions):
            parts.append(_transition(walk, k, method, register))
    root, turns, slide = (
        None if any(part[i] is None for part in parts) else np.concatenate([part[i] for part in parts])
        for i in range(3)
    )
    origin = _origin(walk)
    return Clip(
        walk.clips[0].skeleton,
        root,
        turns,
        fps=walk.fps,
        name=name or f"{walk.method}_walk",
        labels=_labels(walk, origin),
        offsets=slide,
        origin=origin,
    )


def _placed(clip, frames, placement):
    """Root, rotations and offsets of frames (a slice or an array of moments) of a clip, put on the floor."""
    root, turns, slide = _sampled(clip, frames)
    theta, x, z = placement
    turn = rot.about("Y", theta)
    turns = turns.copy()
    turns[:, 0] = rot.multiply(turn, turns[:, 0])
    return rot.rotate(turn, root) + np.array([x, 0.0, z]), turns, slide


def _sampled(clip, frames):
    sliding = clip.offsets
    if isinstance(frames, slice):
        return clip.root[frames], clip.rotations[frames], None if sliding is None else sliding[frames]
    below = np.minimum(frames.astype(int), len(clip) - 1)
    above = np.minimum(below + 1, len(clip) - 1)
    t = frames - below
    slide = None
    if sliding is not None:
        slide = sliding[below] + t[:, None, None] * (sliding[above] - sliding[below])
    root = clip.root[below] + t[:, None] * (clip.root[above] - clip.root[below])
    return root, rot.slerp(clip.rotations[below], clip.rotations[above], t[:, None]), slide


def _transition(walk, k, method, register):
    """The frames of transition k, placed."""
    jump, window = walk.transitions[k], walk.window
    a, b = walk.clips[jump["src"]], walk.clips[jump["dst"]]
    at, to = int(jump["src_frame"]), int(jump["dst_frame"])
    here, there = walk.placements[k], walk.placements[k + 1]
    first, second = slice(at, at + window), slice(to, to + window)
    if register:
        moved = compose((0.0, 0.0, 0.0), (jump["theta"], jump["x0"], jump["z0"]))
        aligned = rot.rotate(rot.about("Y", moved[0]), b.positions()[second]) + np.array([moved[1], 0.0, moved[2]])
        moments = blend.registered(a.positions()[first], aligned)
        first, second = at + moments[:, 0], to + moments[:, 1]
    windows = _placed(a, first, here), _placed(b, second, there)
    if method == "linear":
        return blend.linear(*windows, blend.weights(window))
    before = _placed(a, slice(max(at - 1, 0), max(at, 1)), here)
    earlier = _placed(b, slice(to - 1, to), there) if to > b.first else None
    return blend.inertialized(_pose(before), *windows, earlier and _pose(earlier), walk.fps)


def _pose(window):
    return tuple(None if part is None else part[0] for part in window)


def _origin(walk: Walk) -> Origin:
    """Where each frame comes from; contacts of the first motion in the first half of a blend, then the second's."""
    contacts = {c: plants(walk.clips[c]) for c in set(walk.steps["clip"].tolist())}
    joints = next(iter(contacts.values())).joints
    alpha = blend.weights(walk.window)
    half = np.arange(walk.window) < walk.window / 2
    rows = []
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        frames, none = np.arange(start, stop), np.full(stop - start, -1)
        planted = np.asarray(contacts[clip])[start:stop]
        rows.append((np.full(stop - start, clip), frames, none, none, np.ones(stop - start), none * 0 + k, planted))
        if k < len(walk.transitions):
            jump = walk.transitions[k]
            a, b = jump["src_frame"] + np.arange(walk.window), jump["dst_frame"] + np.arange(walk.window)
            src, dst = np.full(walk.window, jump["src"]), np.full(walk.window, jump["dst"])
            ours, theirs = np.asarray(contacts[int(jump["src"])])[a], np.asarray(contacts[int(jump["dst"])])[b]
            rows.append((src, a, dst, b, alpha, np.full(walk.window, k), np.where(half[:, None], ours, theirs)))
    parts = [np.concatenate(column) for column in zip(*rows)]
    return Origin(tuple(clip.name for clip in walk.clips), *parts, joints)


def _labels(walk: Walk, origin: Origin) -> Labels:
    """Of each frame, the labels of the frames it is made from (Kovar 2002, 3.3)."""
    words = sorted({word for clip in walk.clips for word in clip.labels})
    mask = np.zeros((len(origin.clip), len(words)), bool)
    for c in set(walk.steps["clip"].tolist()):
        labels = walk.clips[c].labels
        own = (
            np.stack([labels.at(word) for word in words], axis=1) if words else np.zeros((len(walk.clips[c]), 0), bool)
        )
        for clip, frame in ((origin.clip, origin.frame), (origin.other, origin.other_frame)):
            here = clip == c
            mask[here] |= own[frame[here]]
    return Labels(tuple(words), mask) if words else Labels.of(len(mask))
