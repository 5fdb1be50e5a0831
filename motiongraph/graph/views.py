"""One table of transitions, seen three ways, each as plain arrays.

Clips as vertices (dissertation, 4.6); choice points as nodes (Kovar 2002, 3); pieces of clips as nodes (de Chenu 2006,
3.9). All show the transitions the graph has at its threshold, pruned or not. Motion only runs forward: a transition is
taken at or after the frame where its clip was entered, which the last two say by their edges and the first leaves to
whoever walks it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from motiongraph.graph.motion_graph import MotionGraph

ORIGINAL = -1  # in place of the number of a transition: a piece of the clip itself


@dataclass(frozen=True, eq=False)
class ClipView:
    """Clips as vertices."""

    names: tuple[str, ...]  # (C,) of every clip
    frames: np.ndarray  # (C,) its captured frames
    first: np.ndarray  # (C + 1,) the transitions that leave clip c are first[c] … first[c + 1] − 1
    transitions: np.ndarray  # the graph's

    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(src, dst, count, cheapest): (P,) each, of every ordered pair of clips with transitions between them."""
        table, count = self.transitions, len(self.names)
        key = table["src"].astype(np.int64) * count + table["dst"]
        found, index, number = np.unique(key, return_inverse=True, return_counts=True)
        cheapest = np.full(len(found), np.inf)
        np.minimum.at(cheapest, index, table["cost"])
        return found // count, found % count, number, cheapest


@dataclass(frozen=True, eq=False)
class ChoiceView:
    """Choice points as nodes, each "about to play this frame", in order."""

    clip: np.ndarray  # (N,) of every node
    frame: np.ndarray  # (N,)
    source: np.ndarray  # (E,) the node each edge leaves
    target: np.ndarray  # (E,) the node it enters
    frames: np.ndarray  # (E,) how long it lasts
    transition: np.ndarray  # (E,) which of the graph's transitions it is, or ORIGINAL
    cost: np.ndarray  # (E,) 0 for original motion


@dataclass(frozen=True, eq=False)
class SegmentView:
    """Pieces of clips as nodes.

    Where a transition leaves just where another arrives, or where the clip begins, there is a segment without frames
    (start = stop), so that every walk of the choice points is one of the segments.
    """

    clip: np.ndarray  # (S,) of every segment
    start: np.ndarray  # (S,) its first frame
    stop: np.ndarray  # (S,) one after its last frame
    source: np.ndarray  # (E,) a segment
    target: np.ndarray  # (E,) one that may follow it
    transition: np.ndarray  # (E,) how: which of the graph's transitions, or ORIGINAL
    cost: np.ndarray  # (E,) 0 for original motion


def clip_view(graph: "MotionGraph") -> ClipView:
    """Clips as vertices, transitions as edges."""
    frames = np.array([len(clip) - clip.first for clip in graph.clips])
    first = np.searchsorted(graph.transitions["src"], np.arange(len(graph.clips) + 1))
    return ClipView(tuple(clip.name for clip in graph.clips), frames, first, graph.transitions)


def choice_view(graph: "MotionGraph") -> ChoiceView:
    """Choice points as nodes; a graph that is not pruned has one at either end of every clip as well."""
    structure, chosen = graph.structure, np.flatnonzero(graph.open)
    leaves, arrives = structure.leaves[chosen], structure.arrives[chosen]
    used = np.zeros(len(structure), bool)
    used[leaves] = used[arrives] = True
    clip, frame = structure.clip[used], structure.frame[used]
    number = np.cumsum(used) - 1
    leaves, arrives = number[leaves], number[arrives]
    # All nodes between two that are used have only one way on: the pieces there are one.
    closed = np.cumsum(np.append(0, ~graph.open_pieces))[np.append(np.flatnonzero(used), len(used))]
    on = np.append((clip[1:] == clip[:-1]) & (closed[1:-1] == closed[:-2]), False)[: len(clip)]
    source, target = np.flatnonzero(on), np.flatnonzero(on) + 1
    if not graph.is_pruned:
        clip, frame, number = _with_ends(graph, clip, frame)
        leaves, arrives = number[leaves], number[arrives]
        source = np.flatnonzero(clip[1:] == clip[:-1])
        target = source + 1
    return ChoiceView(
        clip,
        frame,
        np.concatenate([source, leaves]),
        np.concatenate([target, arrives]),
        np.concatenate([frame[target] - frame[source], np.full(len(chosen), graph.window)]),
        np.concatenate([np.full(len(source), ORIGINAL), np.arange(len(chosen))]),
        np.concatenate([np.zeros(len(source)), graph.transitions["cost"]]),
    )


def _with_ends(graph: "MotionGraph", clip: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes (clip, frame) with both ends of every clip, and the new number of each old one."""
    wide = np.int64(1) << 32
    ends = [i * wide + f for i, c in enumerate(graph.clips) for f in (c.first, len(c))]
    old = clip * wide + frame
    keys = np.union1d(old, np.array(ends, np.int64))
    return keys // wide, keys % wide, np.searchsorted(keys, old)


def segment_view(graph: "MotionGraph") -> SegmentView:
    """Pieces of clips as nodes, what may follow what as edges."""
    view = choice_view(graph)
    count = len(view.clip)
    own = view.transition == ORIGINAL
    start, stop = view.source[own], view.target[own]
    leaves, arrives, number, cost = (getattr(view, f)[~own] for f in ("source", "target", "transition", "cost"))
    leaving, enters = np.zeros(count, bool), np.ones(count, bool)
    leaving[leaves] = True
    enters[stop] = False
    enters[arrives] = True
    empty = np.flatnonzero(leaving & enters)
    # Sorted by where they start, an empty segment before the piece that starts there.
    order = np.lexsort((np.append(stop, empty), np.append(start, empty)))
    start, stop = np.append(start, empty)[order], np.append(stop, empty)[order]
    piece, touch = (np.full(count, -1) for _ in range(2))
    piece[start[start < stop]] = np.flatnonzero(start < stop)
    touch[start[start == stop]] = np.flatnonzero(start == stop)
    before = np.full(count, -1)
    before[stop[start < stop]] = np.flatnonzero(start < stop)
    # What is entered at a node: the empty segment, which leads on to everything, or else the piece.
    entered = np.where(touch >= 0, touch, piece)
    follow = np.concatenate([_linked(before, piece), _linked(touch, piece)], axis=1)
    links = [(follow[0], follow[1], np.full(follow.shape[1], ORIGINAL), np.zeros(follow.shape[1]))]
    for ended in (before, touch):
        met = (ended[leaves] >= 0) & (entered[arrives] >= 0)
        links.append((ended[leaves][met], entered[arrives][met], number[met], cost[met]))
    return SegmentView(view.clip[start], view.frame[start], view.frame[stop], *map(np.concatenate, zip(*links)))


def _linked(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(2, n): the segments of both lists that belong to the same node."""
    both = (first >= 0) & (second >= 0)
    return np.stack([first[both], second[both]])
