"""Frames of a graph by name: those of a clip, one frame of a clip, those of a label or of several labels at once.

Frames are counted over all clips, one after the other, as in `walks.floor_path`.
"""

from typing import TypeAlias

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph

# A clip by name or index, (clip, frame), a label, or labels that hold at the same time: {"walk", "fast"}, "walk+fast".
Name: TypeAlias = str | int | tuple[str | int, int] | frozenset[str] | set[str]


def frames_named(graph: MotionGraph, asked: Name | None) -> np.ndarray:
    """(F,) bool: the frames meant by a clip's name or index, (clip, frame), a label or a set of labels; all for None.

    A text with plus signs is a set of labels, unless a clip or label has that very name.
    """
    starts = np.cumsum([0, *map(len, graph.clips)])
    mask = np.zeros(starts[-1], bool)
    if asked is None:
        for clip, begin in zip(graph.clips, starts):
            mask[begin + clip.first : begin + len(clip)] = True
        return mask
    if isinstance(asked, tuple) and len(asked) == 2:
        clip, frame = _clip_named(graph, asked[0]), asked[1]
        length = len(graph.clips[clip])
        if not isinstance(frame, int | np.integer) or not 0 <= frame < length:
            raise MotionError(f"{graph.clips[clip].name!r} has frames 0 to {length - 1}, not {frame!r}")
        mask[starts[clip] + frame] = True
        return mask
    if isinstance(asked, set | frozenset) or (isinstance(asked, str) and all(c.name != asked for c in graph.clips)):
        words = _words(graph, asked)
        for clip, begin in zip(graph.clips, starts):
            mask[begin : begin + len(clip)] = np.all([clip.labels.at(word) for word in words], axis=0)
            mask[begin : begin + clip.first] = False
        if not mask.any():
            what = f"clip or label {asked!r}" if len(words) == 1 else f"motion that is {' and '.join(words)} at once"
            raise MotionError(f"the graph has no {what}; it has {known_names(graph)}")
        return mask
    clip = _clip_named(graph, asked)
    mask[starts[clip] + graph.clips[clip].first : starts[clip + 1]] = True
    return mask


def fixed(asked: Name | None) -> Name | None:
    """The same name, one that can be a key: a set of labels is frozen."""
    return frozenset(asked) if isinstance(asked, set) else asked


def _words(graph: MotionGraph, asked: str | set[str] | frozenset[str]) -> list[str]:
    """The labels that must hold at the same time."""
    if not isinstance(asked, str):
        if not asked:
            raise MotionError("a set of labels needs at least one label")
        return sorted(asked)
    parts = [part.strip() for part in asked.split("+")]
    whole = len(parts) == 1 or not all(parts) or any(asked in clip.labels for clip in graph.clips)
    return [asked] if whole else parts


def _clip_named(graph: MotionGraph, asked: object) -> int:
    if isinstance(asked, int | np.integer) and 0 <= asked < len(graph.clips):
        return int(asked)
    for index, clip in enumerate(graph.clips):
        if clip.name == asked:
            return index
    raise MotionError(f"the graph has no clip {asked!r}; it has {known_names(graph)}")


def known_names(graph: MotionGraph, most: int = 8) -> str:
    """The labels and clips of a graph, for a sentence."""
    labels = sorted({label for clip in graph.clips for label in clip.labels.take(slice(clip.first, None))})
    clips = [clip.name for clip in graph.clips]
    words = [f"the labels {', '.join(labels)}"] if labels else []
    shown = ", ".join(clips[:most]) + (", …" if len(clips) > most else "")
    return " and ".join([*words, f"the clips {shown}"])


def called(graph: MotionGraph, asked: Name | None) -> str:
    """A name as it is written in a sentence."""
    if asked is None:
        return "any motion"
    if isinstance(asked, tuple):
        return f"frame {asked[1]} of {called(graph, asked[0])}"
    if isinstance(asked, int | np.integer):
        return str(graph.clips[asked].name)
    return " + ".join(sorted(asked)) if isinstance(asked, set | frozenset) else str(asked)


def spans(graph: MotionGraph, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) the first frame and the end (exclusive) of the unbroken stretch of `mask` around each of its frames."""
    breaks = np.zeros(len(mask) + 1, bool)
    breaks[np.cumsum([0, *map(len, graph.clips)])] = True
    opens = mask & (breaks[:-1] | ~np.append(False, mask[:-1]))
    closes = mask & (breaks[1:] | ~np.append(mask[1:], False))
    index = np.arange(len(mask), dtype=np.int32)
    begin = np.maximum.accumulate(np.where(opens, index, 0))
    end = np.minimum.accumulate(np.where(closes, index + 1, len(index))[::-1])[::-1]
    return begin.astype(np.int32), end.astype(np.int32)


def clip_of(starts: np.ndarray, frames: int | np.ndarray) -> np.ndarray:
    """The clip that frames counted over all clips belong to."""
    return np.searchsorted(starts, frames, side="right") - 1
