"""Which pairs of windows become transitions: local minima, or every cell below the ceiling; those at the border or not;
all pairs, or only those with the same feet down."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motiongraph.graph.structure import TRANSITION
from motiongraph.metric.minima import best_first
from motiongraph.model import sides
from motiongraph.model.clip import Clip


@dataclass(frozen=True)
class Rules:
    """See `MotionGraph.build`."""

    border: bool = True  # minima at the edge of a matrix, where clips begin or end, count
    every_cell: bool = False  # every cell up to the ceiling, not only minima: frames are vertices (Hoang and Truong)
    same_feet: bool = False  # only windows in whose middle the same feet stand (Mao 2011, 6)


USUAL = Rules()


def without_border(table: np.ndarray, windows: np.ndarray, radius: int) -> np.ndarray:
    """Minima (clip_a, clip_b, a, b, cost …) without those at the edge of their matrix, the others thinned by the
    radius, in frames; windows: (C,) of every clip."""
    last_a, last_b = windows[table["clip_a"]] - 1, windows[table["clip_b"]] - 1
    inside = (table["a"] > 0) & (table["b"] > 0) & (table["a"] < last_a) & (table["b"] < last_b)
    table = table[inside]
    if not radius or not len(table):
        return table
    table = table[np.lexsort((table["clip_b"], table["clip_a"]))]
    new = (np.diff(table["clip_a"]) != 0) | (np.diff(table["clip_b"]) != 0)
    return np.concatenate([best_first(part, radius) for part in np.split(table, np.flatnonzero(new) + 1)])


@dataclass(frozen=True, eq=False)
class Stretch:
    """Windows of a clip in whose middle the same feet stand."""

    clip: int  # number of the clip
    start: int  # first of its windows, counted from the first captured frame
    stop: int  # the one after its last
    before: int  # 1 where the window before it is part of it as a neighbour, 0 where there is none
    part: Clip  # the frames of all of them, with a window more at either end, so that minima are those of the whole


def stretches(clips: Sequence[Clip], window: int) -> list[list[Stretch]]:
    """The clips cut by which feet stand, a list for every set of feet that occurs."""
    found: dict[tuple[bool, ...], list[Stretch]] = {}
    for number, clip in enumerate(clips):
        captured = clip.captured()
        contacts, column, feet = np.asarray(clip.contacts())[clip.first :], 0, []
        for foot in sides.feet(clip):
            feet.append(contacts[:, column : column + len(foot)].any(axis=1))
            column += len(foot)
        down = np.stack(feet, axis=1) if feet else np.zeros((len(captured), 0), bool)
        down = down[window // 2 : window // 2 + len(captured) - window + 1]
        edges = np.flatnonzero((down[1:] != down[:-1]).any(axis=1)) + 1
        for start, stop in zip([0, *edges.tolist()], [*edges.tolist(), len(down)]):
            before = min(start, 1)
            part = replace(captured[start - before : stop + window], name=f"{clip.name} from {start}")
            found.setdefault(tuple(down[start].tolist()), []).append(Stretch(number, start, stop, before, part))
    return [found[key] for key in sorted(found)]


def share_compared(groups: Sequence[Sequence[Stretch]]) -> float:
    """0 … 1: of all pairs of windows, those that are compared."""
    counts = [sum(s.stop - s.start for s in group) for group in groups]
    return sum(n * n for n in counts) / max(sum(counts) ** 2, 1)


def by_feet(
    clips: Sequence[Clip],
    window: int,
    pairs: Iterable[tuple[int, int]],
    find: Callable[[Sequence[Clip], Sequence[tuple[int, int]]], np.ndarray],
) -> np.ndarray:
    """What `find` finds, (clips, pairs) → transitions by windows, within each set of feet that stand."""
    wanted, tables = set(pairs), [np.empty(0, TRANSITION)]
    for group in stretches(clips, window):
        inside = [
            (i, j)
            for i in range(len(group))
            for j in range(i, len(group))
            if (min(group[i].clip, group[j].clip), max(group[i].clip, group[j].clip)) in wanted
        ]
        if not inside:
            continue  # nothing new stands like this
        table = find([stretch.part for stretch in group], inside)
        clip, start, stop, before = (
            np.array([getattr(s, name) for s in group], np.int32) for name in ("clip", "start", "stop", "before")
        )
        own = np.ones(len(table), bool)
        for end in ("src", "dst"):
            part, frame = table[end].copy(), f"{end}_frame"
            table[frame] += start[part] - before[part]
            own &= (table[frame] >= start[part]) & (table[frame] < stop[part])
            table[end] = clip[part]
        near = (table["src"] == table["dst"]) & (np.abs(table["src_frame"] - table["dst_frame"]) < window)
        tables.append(table[own & ~near])
    return np.concatenate(tables)
