"""What a person may name in a graph: a clip, a frame of a clip, or a label; and why one cannot be reached from another.

Frames are counted over all clips, one after the other, as in `walks.ground`.
"""

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.walks.choices import all_choices, shortest


def frames_named(graph, asked) -> np.ndarray:
    """(F,) bool: the frames meant by a clip's name or index, (clip, frame), or a label; all for None."""
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
    if isinstance(asked, str) and all(clip.name != asked for clip in graph.clips):
        for clip, begin in zip(graph.clips, starts):
            mask[begin : begin + len(clip)] = clip.labels.at(asked)
            mask[begin : begin + clip.first] = False
        if not mask.any():
            raise MotionError(f"the graph has no clip or label {asked!r}; it has {known_names(graph)}")
        return mask
    clip = _clip_named(graph, asked)
    mask[starts[clip] + graph.clips[clip].first : starts[clip + 1]] = True
    return mask


def _clip_named(graph, asked) -> int:
    if isinstance(asked, int | np.integer) and 0 <= asked < len(graph.clips):
        return int(asked)
    for index, clip in enumerate(graph.clips):
        if clip.name == asked:
            return index
    raise MotionError(f"the graph has no clip {asked!r}; it has {known_names(graph)}")


def known_names(graph, most: int = 8) -> str:
    """The labels and clips of a graph, for a sentence."""
    labels = sorted({label for clip in graph.clips for label in clip.labels.take(slice(clip.first, None))})
    clips = [clip.name for clip in graph.clips]
    words = [f"the labels {', '.join(labels)}"] if labels else []
    shown = ", ".join(clips[:most]) + (", …" if len(clips) > most else "")
    return " and ".join([*words, f"the clips {shown}"])


def called(graph, asked) -> str:
    """How a sentence speaks of something named."""
    if asked is None:
        return "any motion"
    if isinstance(asked, tuple):
        return f"frame {asked[1]} of {called(graph, asked[0])}"
    if isinstance(asked, int | np.integer):
        return str(graph.clips[asked].name)
    return str(asked)


def spans(graph, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) the first frame and the end (exclusive) of the unbroken stretch of `mask` around each of its frames."""
    breaks = np.zeros(len(mask) + 1, bool)
    breaks[np.cumsum([0, *map(len, graph.clips)])] = True
    opens = mask & (breaks[:-1] | ~np.append(False, mask[:-1]))
    closes = mask & (breaks[1:] | ~np.append(mask[1:], False))
    index = np.arange(len(mask), dtype=np.int32)
    begin = np.maximum.accumulate(np.where(opens, index, 0))
    end = np.minimum.accumulate(np.where(closes, index + 1, len(index))[::-1])[::-1]
    return begin.astype(np.int32), end.astype(np.int32)


def needed_threshold(graph, source: np.ndarray, target: np.ndarray) -> float | None:
    """cm: the lowest threshold at which one of the frames `target` (F,) can be reached from one of `source`; None for
    none up to the ceiling."""
    network = all_choices(graph)
    clips, cuts = clip_of(network.starts, network.at), network.starts[1:-1]
    # From a frame every later node of its clip is in reach, and a frame from every earlier one.
    first = np.array([np.flatnonzero(part)[:1].max(initial=-1) for part in np.split(source, cuts)])
    last = np.array([np.flatnonzero(part)[-1:].max(initial=-1) for part in np.split(target, cuts)])
    local = network.at - network.starts[clips]
    begin = np.where((first[clips] >= 0) & (local >= first[clips]), 0.0, np.inf)
    length, _ = shortest(network, network.cost, begin, steepest=True)
    ends = local <= last[clips]
    least = length[ends].min() if ends.any() else np.inf
    return float(least) if np.isfinite(least) else None


def clip_of(starts, frames):
    """The clip that frames counted over all clips belong to."""
    return np.searchsorted(starts, frames, side="right") - 1


def no_way(graph, source: np.ndarray, target: np.ndarray, source_name: str, target_name: str) -> MotionError:
    """The sentence for motion that cannot be reached, with what would help."""
    now = graph.thresholds.highest
    needed = needed_threshold(graph, source, target)
    sentence = f"{target_name} cannot be reached from {source_name} below {now:.1f} {graph.metric.unit}"
    if needed is None:
        ceiling = f"{graph.candidates.ceiling:g} {graph.metric.unit}"
        return MotionError(f"{sentence}, nor at the ceiling of {ceiling}; other clips would help")
    if needed <= now:
        return MotionError(f"{sentence} within the pruned graph; it can in the graph that is not pruned")
    return MotionError(f"{sentence}; it can at {np.ceil(needed * 10.0) / 10.0:.1f}")
