"""Clips of one graph: by different names, on one skeleton, with mirror images; poses are worked out when asked for."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.bone_map import bone_map
from motiongraph.model.clip import Clip
from motiongraph.model.mirror import mirrored_words
from motiongraph.model.poses import Later
from motiongraph.model.retarget import Heights, can_retarget, hanging, planted_on, poses_on, put_on
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress


def named_apart(clips: Iterable[Clip], mirror: bool) -> tuple[Clip, ...]:
    """Clips by different names, so that each, and its mirror image, can be asked for by its own."""
    taken: set[str] = set()
    named = []
    for clip in clips:
        name, n = clip.name, 2
        while taken & _names(name, mirror):
            name, n = f"{clip.name}_{n}", n + 1
        taken |= _names(name, mirror)
        named.append(clip if name == clip.name else clip.described(name=name))
    return tuple(named)


def _names(name: str, mirror: bool) -> set[str]:
    """What a clip of this name and its mirror image are called (`model.mirror`)."""
    return {name, f"{name}_mirrored", name.removesuffix("_mirrored")} if mirror else {name}


def fitted(
    originals: Sequence[Clip],
    mirror: bool,
    known: Mapping[int, Sequence[Clip]] | None = None,
    progress: Progress = SILENT,
    bones: Mapping[str, str] | None = None,
    heights: Sequence[Heights] | None = None,
) -> tuple[Clip, ...]:
    """On one skeleton, with mirror images if asked for. known: id of an original → what it became before; bones:
    corrections of which joint leads which, see `model.bone_map`; heights: of every original, as `heights_of` told.

    The skeleton is the one that most clips have, the first of them where several do, so that it does not depend on
    what was added when. Motion takes part in float32, as files hold it (`poses.Packed`), so that a graph from a file
    goes on exactly where the one that was built would.
    """
    fps, counts = originals[0].fps, Counter[Skeleton]()
    for clip in originals:
        counts[clip.skeleton] += 1
        if clip.fps != fps:
            other = f"{originals[0].name!r} {fps:g}"
            raise MotionError(f"{clip.name!r} has {clip.fps:g} frames a second and {other}; resample one of them")
    body = counts.most_common(1)[0][0]
    like = next(clip for clip in originals if clip.skeleton == body)
    used: list[Clip] = []
    for done, clip in enumerate(originals):
        progress(done, len(originals), f"fitting {clip.name}")
        before = (known or {}).get(id(clip))
        if before and before[0].skeleton == body:
            used += before
            continue
        try:
            fits = clip.packed()
            if clip.skeleton != body:
                fits = _retargeted_later(fits, body, like, bones, None if heights is None else heights[done])
        except MotionError as problem:
            raise MotionError(f"{clip.name!r} cannot be in one graph with {like.name!r}: {problem}") from problem
        used += [fits, mirrored_later(fits)] if mirror else [fits]
    return tuple(used)


class _Onto:
    """A clip on a body with the same joints. What depends on all of its motion is found once."""

    def __init__(self, clip: Clip, body: Skeleton, heights: Heights | None):
        self.clip, self.body, self.heights = clip, body, heights

    def load(self) -> tuple[np.ndarray, np.ndarray]:
        return self.some(slice(None))

    def some(self, frames: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        known = None if self.heights is None else poses_on(self.clip, self.body, self.heights, frames)
        if known is not None:
            return known
        fits, self.heights = put_on(self.clip, self.body)
        return fits.root[frames], fits.rotations[frames]


_onto: WeakKeyDictionary[Later, _Onto] = WeakKeyDictionary()


def heights_of(original: Clip, used: Clip) -> Heights | None:
    """How high an original was put on the body of the graph; None where that is not known. Zero where it has no say."""
    if original.skeleton == used.skeleton or hanging(original.skeleton) != hanging(used.skeleton):
        return Heights(0.0, 0.0)
    onto = _onto.get(used.__dict__["later"]) if "later" in used.__dict__ else None
    return None if onto is None else onto.heights


def _retargeted_later(
    clip: Clip, body: Skeleton, like: Clip, bones: Mapping[str, str] | None, heights: Heights | None
) -> Clip:
    """A clip on another body; poses are worked out when they are asked for."""
    one = hanging(clip.skeleton) == hanging(body)
    if not can_retarget(clip.skeleton, body) or clip.offsets is not None:
        return clip.retargeted(body, None if one else bone_map(clip.skeleton, body, bones), like)

    def load() -> tuple[np.ndarray, np.ndarray]:
        fits = clip.retargeted(body, bone_map(clip.skeleton, body, bones), like)
        return fits.root, fits.rotations

    about = _about(clip)
    about["planted"] = planted_on(clip, body)
    if not one:
        return Clip.of_later(Later(load), body, **about)
    onto = _Onto(clip, body, heights)
    later = Later(onto.load, some=onto.some)
    _onto[later] = onto
    return Clip.of_later(later, body, **about)


def mirrored_later(clip: Clip) -> Clip:
    """A clip's mirror image; poses are worked out when they are asked for."""
    if clip.offsets is not None:
        return clip.mirrored()

    def load() -> tuple[np.ndarray, np.ndarray]:
        image = clip.mirrored()
        return image.root, image.rotations

    return Clip.of_later(Later(load), clip.skeleton, **_about(clip) | mirrored_words(clip))


def _about(clip: Clip) -> dict[str, Any]:
    """What stays when poses change."""
    names = "fps", "name", "labels", "planted", "first", "file", "file_frames"
    return {name: getattr(clip, name) for name in names}
