"""From walks to motion: pieces placed one after the other with a transition between each two (Kovar 2002, 4.1)."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.model.placement import Placement, place
from motiongraph.progress import SILENT, Progress, stretch
from motiongraph.synthesis import _kernels, blend
from motiongraph.synthesis.bending import bent
from motiongraph.synthesis.blend import Window
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.quality import quality
from motiongraph.synthesis.sway import swayed
from motiongraph.synthesis.turning import turned
from motiongraph.walks.walk import Walk

BLENDS = ("linear", "inertialized")


@dataclass(frozen=True, eq=False)
class Origin:
    """What each of F frames was put together from."""

    names: tuple[str, ...]  # of the clips
    clip: np.ndarray  # (F,) which clip was played
    frame: np.ndarray  # (F,) which frame of it
    other: np.ndarray  # (F,) which clip it was blended with, −1 for none
    other_frame: np.ndarray  # (F,) which frame of that, −1 for none
    weight: np.ndarray  # (F,) share of the first, 1 for frames as captured
    step: np.ndarray  # (F,) which step of the walk
    planted: np.ndarray  # (F, n) bool, whether each of the foot joints stands
    joints: tuple[int, ...]  # those foot joints
    floor: float | None = None  # metres, the ground cleanup put all frames on; None: every piece stands on its own

    def take(self, frames: slice | np.ndarray) -> "Origin":
        """The origin of these frames."""
        names = ("clip", "frame", "other", "other_frame", "weight", "step", "planted")
        return replace(self, **{name: getattr(self, name)[frames] for name in names})

    @property
    def blended(self) -> np.ndarray:
        """(F,) bool: frames of transitions."""
        return self.other >= 0

    def seams(self) -> np.ndarray:
        """(n, 2) first and last + 1 frame of every transition, also where one follows upon another."""
        inside = np.where(self.blended, self.step, -1)
        edges = np.flatnonzero(np.diff(inside, prepend=-2, append=-2))
        return np.array([(a, b) for a, b in itertools.pairwise(edges) if inside[a] >= 0], int).reshape(-1, 2)


def synthesize(
    walk: Walk,
    cleanup: bool = True,
    *,
    blend: str = "linear",
    register: bool = False,
    lengths: float | Sequence[float] | None = None,
    bend: float = 0.0,
    name: str | None = None,
    progress: Progress = SILENT,
) -> Clip:
    """The motion of a walk: pieces placed and blended, and, unless cleanup is False, hips and head that pass over as
    slowly as in captured motion (`sway`) and feet held where they are planted.

    blend: "linear" (Kovar 2002, 3.3) or "inertialized"; register: line windows up in time before blending; lengths:
    seconds over which the motions pass over, one number or one for each transition, at most the window, which is usual.
    bend: share of what it walks by which a walk along a path is moved towards it, 0 to 0.3. The clip has as many frames
    as the walk says; `clip.origin` tells where each came from. From now on `walk.report()` has the figures of `quality`
    for this motion.
    """
    clip = stitched(walk, blend, register, lengths, name, stretch(progress, 0.0, 0.2 if cleanup else 1.0))
    if cleanup:
        clip = swayed(walk, clip)
    if walk.turns is not None:
        clip = turned(clip, walk.turns)
    if bend and walk.path is not None:
        clip = bent(clip, walk.path, bend)
    if cleanup:
        clip = cleaned(clip, ground(walk, clip), progress=stretch(progress, 0.2, 1.0))
    walk.facts["quality"] = partial(quality, clip)
    return clip


def ground(walk: Walk, clip: Clip) -> np.ndarray:
    """(F,) metres: the floor under every frame, that of the clip it came from; blends pass from one to the other."""
    used = set(walk.steps["clip"].tolist())
    floors = np.array([walk.clips[c].floor if c in used else 0.0 for c in range(len(walk.clips))])
    origin = clip.origin
    assert origin is not None
    other = np.where(origin.other >= 0, origin.other, origin.clip)
    return origin.weight * floors[origin.clip] + (1.0 - origin.weight) * floors[other]


def stitched(
    walk: Walk,
    method: str = "linear",
    register: bool = False,
    lengths: float | Sequence[float] | None = None,
    name: str | None = None,
    progress: Progress = SILENT,
) -> Clip:
    """The motion of a walk, without footplant cleanup; one frame for each that the steps say.

    method: "linear" (Kovar 2002, 3.3) or "inertialized". register: line the two windows up in time first. lengths: as
    for `synthesize`.
    """
    if method not in BLENDS:
        raise MotionError(f"a blend is one of {', '.join(BLENDS)}, not {method!r}")
    skeleton, frames = walk.clips[0].skeleton, len(walk)
    if not frames:
        raise MotionError("the walk has no frames: it ends where it starts")
    root, turns = np.empty((frames, 3)), np.empty((frames, len(skeleton), 4))
    slide, over = None, _lengths(walk, lengths)
    if any(walk.clips[c].offsets is not None for c in set(walk.steps["clip"].tolist())):
        slide = np.empty((frames, len(skeleton), 3))
    at = 0
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        progress(at, frames, "joining the pieces")
        parts = [_placed(walk.clips[clip], np.arange(start, stop, dtype=float), walk.placements[k], slide is not None)]
        if k < len(walk.transitions):
            parts.append(_transition(walk, k, method, register, over[k], slide is not None))
        for part in parts:
            here = slice(at, at + len(part[0]))
            root[here], turns[here], at = part[0], part[1], here.stop
            if slide is not None:
                slide[here] = part[2]
    progress(at, frames, "joining the pieces")
    origin = _origin(walk, over)
    return Clip(
        skeleton,
        root,
        turns,
        fps=walk.fps,
        name=name or f"{walk.method}_walk",
        labels=_labels(walk, origin),
        offsets=slide,
        origin=origin,
    )


def _lengths(walk: Walk, lengths: float | Sequence[float] | None) -> list[int]:
    """Frames over which the motions of every transition pass over; from 2 to the window's."""
    if lengths is None:
        return [walk.window] * len(walk.transitions)
    seconds = np.asarray(lengths, float)
    if seconds.shape not in ((), (len(walk.transitions),)) or not (np.isfinite(seconds) & (seconds > 0)).all():
        raise MotionError(
            f"blends take a number of seconds above 0, or one for each of {len(walk.transitions)} transitions"
        )
    frames = np.clip(np.round(seconds * walk.fps), min(2, walk.window), walk.window).astype(int)
    return np.broadcast_to(frames, len(walk.transitions)).tolist()


def _placed(clip: Clip, moments: np.ndarray, placement: Placement, sliding: bool) -> Window:
    """Root, rotations and (if asked for) offsets of a clip at `moments` (M,), in frames, put on the floor."""
    root, turns = np.empty((len(moments), 3)), np.empty((len(moments), *clip.rotations.shape[1:]))
    theta, x, z = map(float, placement)
    _kernels.place(clip.root, clip.rotations, moments, theta, x, z, root, turns)
    if not sliding:
        return root, turns, None
    if clip.offsets is None:
        return root, turns, np.broadcast_to(clip.skeleton.offsets, (len(moments), *clip.skeleton.offsets.shape))
    below = moments.astype(int)
    share = (moments - below)[:, None, None]
    above = np.minimum(below + 1, len(clip) - 1)
    return root, turns, clip.offsets[below] + share * (clip.offsets[above] - clip.offsets[below])


def _transition(walk: Walk, k: int, method: str, register: bool, length: int, sliding: bool) -> Window:
    """The frames of transition k, placed."""
    jump, window = walk.transitions[k], walk.window
    a, b = walk.clips[jump["src"]], walk.clips[jump["dst"]]
    at, to = int(jump["src_frame"]), int(jump["dst_frame"])
    here, there = walk.placements[k], walk.placements[k + 1]
    moments = np.arange(window, dtype=float)[:, None].repeat(2, axis=1)
    if register:
        moments = registration(walk, k)
    first = _placed(a, at + moments[:, 0], here, sliding)
    second = _placed(b, to + moments[:, 1], there, sliding)
    if method == "linear":
        return blend.linear(first, second, blend.weights(window, length))
    before = _pose(a, at - 1, here, sliding) if at > a.first else None
    earlier = _pose(b, to - 1, there, sliding) if to > b.first else None
    return blend.inertialized(before, first, second, earlier, walk.fps, length)


def registration(walk: Walk, k: int) -> np.ndarray:
    """(L, 2) the moments of both windows of transition k that belong together; see `blend.registered`."""
    jump, window = walk.transitions[k], np.arange(walk.window)
    first = walk.clips[jump["src"]].positions()[jump["src_frame"] + window]
    second = walk.clips[jump["dst"]].positions()[jump["dst_frame"] + window]
    return blend.registered(first, place((jump["theta"], jump["x0"], jump["z0"]), second))


def _pose(clip: Clip, frame: int, placement: Placement, sliding: bool) -> Window:
    """A single frame: its arrays have no first axis."""
    root, turns, slide = _placed(clip, np.array([float(frame)]), placement, sliding)
    return root[0], turns[0], None if slide is None else slide[0]


def _origin(walk: Walk, lengths: Sequence[int]) -> Origin:
    """Where each frame comes from; contacts of the first motion in the first half of a blend, then the second's."""
    used = sorted(set(walk.steps["clip"].tolist()))
    joints, contacts = contacts_of([walk.clips[c] for c in used])
    contacts = dict(zip(used, contacts))
    frames, window, ramp = len(walk), walk.window, np.arange(walk.window)
    clip, frame, step = (np.empty(frames, np.int32) for _ in range(3))
    other, other_frame, weight = np.full(frames, -1, np.int32), np.full(frames, -1, np.int32), np.ones(frames)
    planted = np.empty((frames, len(joints)), bool)
    for k, (number, start, stop) in enumerate(walk.steps.tolist()):
        begin = int(walk.begins[k])
        last = k == len(walk.transitions)
        end = begin + stop - start + (0 if last else window)  # the first motion goes on through the window
        here, ours = slice(begin, end), contacts[number]
        clip[here], frame[here], step[here] = number, np.arange(start, start + end - begin), k
        planted[here] = ours[start : start + end - begin]
        if not last:
            jump, seam = walk.transitions[k], slice(end - window, end)
            to, then = int(jump["dst"]), jump["dst_frame"] + ramp
            other[seam], other_frame[seam], weight[seam] = to, then, blend.weights(window, lengths[k])
            second = slice(end - window // 2, end)
            planted[second] = contacts[to][then[window - window // 2 :]]
    names = tuple(clip.name for clip in walk.clips)
    return Origin(names, clip, frame, other, other_frame, weight, step, planted, joints)


def contacts_of(clips: Sequence[Clip]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """The foot joints of all clips, and for each its plants (F, n) of them: where names do not tell the feet, one
    motion may show what another does not."""
    found = [plants(clip) for clip in clips]
    joints = tuple(sorted({joint for contacts in found for joint in contacts.joints}))
    columns = []
    for contacts in found:
        own = np.zeros((len(contacts), len(joints)), bool)
        own[:, [joints.index(joint) for joint in contacts.joints]] = contacts
        columns.append(own)
    return joints, columns


def _labels(walk: Walk, origin: Origin) -> Labels:
    """Of each frame, the labels of the frames it is made from (Kovar 2002, 3.3)."""
    used = set(walk.steps["clip"].tolist())
    words = tuple(sorted({word for c in used for word in walk.clips[c].labels}))
    mask = np.zeros((len(origin.clip), len(words)), bool)
    for c in used if words else ():
        own = np.stack([walk.clips[c].labels.at(word) for word in words], axis=1)
        for clip, frame in ((origin.clip, origin.frame), (origin.other, origin.other_frame)):
            here = np.flatnonzero(clip == c)
            mask[here] |= own[frame[here]]
    return Labels(words, mask) if words else Labels.of(len(mask))
