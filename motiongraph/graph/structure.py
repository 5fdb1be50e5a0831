"""Choice points: where motion may leave a clip or arrive in one (Kovar 2002, 3).

A node (clip, frame) stands for "about to play this frame". Two kinds of edges leave it: the piece of original motion
up to the next node of the clip, and transitions. The nodes are those of *all* candidates, so that another threshold
only switches transitions on and off; nothing is built again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.kernels import B1, I32, kernel, read
from motiongraph.model.placement import inverse

# src, dst index the graph's clips; frames are window starts: src plays to src_frame − 1, window frames are blended,
# dst goes on at dst_frame + window. cost in cm; theta (radians), x0, z0 (metres) place dst in the frame of src
# (`model.placement`).
TRANSITION = np.dtype(
    [
        ("src", np.int32),
        ("src_frame", np.int32),
        ("dst", np.int32),
        ("dst_frame", np.int32),
        ("cost", np.float64),
        ("theta", np.float64),
        ("x0", np.float64),
        ("z0", np.float64),
    ]
)


def both_ways(src: int | np.ndarray, dst: int | np.ndarray, minima: np.ndarray) -> np.ndarray:
    """The transitions src → dst and dst → src of every minimum (Mao 2011, figure 4.7), unsorted.

    src, dst: numbers of clips, one for all minima or (n,); minima: (n,) structured a, b, cost, theta, x0, z0, where
    the alignment places b's clip in the frame of a's.
    """
    there, back = np.empty(len(minima), TRANSITION), np.empty(len(minima), TRANSITION)
    there["src"], there["src_frame"], there["dst"], there["dst_frame"] = src, minima["a"], dst, minima["b"]
    back["src"], back["src_frame"], back["dst"], back["dst_frame"] = dst, minima["b"], src, minima["a"]
    for name in ("cost", "theta", "x0", "z0"):
        there[name] = minima[name]
    back["cost"] = minima["cost"]
    back["theta"], back["x0"], back["z0"] = inverse((minima["theta"], minima["x0"], minima["z0"]))
    return np.concatenate([there, back])


def in_order(transitions: np.ndarray) -> np.ndarray:
    """Sorted by source clip and frame, then by target: the order of every table of transitions."""
    keys = transitions["dst_frame"], transitions["dst"], transitions["src_frame"], transitions["src"]
    return transitions[np.lexsort(keys)]


def renumbered(transitions: np.ndarray, number: np.ndarray) -> np.ndarray:
    """The transitions between clips that stay, with new numbers for their clips, in order.

    number: (C,) the new number of every clip, −1 for those that go. Where nothing changes, the table itself.
    """
    if np.array_equal(number, np.arange(len(number))):
        return transitions
    number = number.astype(np.int32)
    src, dst = number[transitions["src"]], number[transitions["dst"]]
    stays = (src >= 0) & (dst >= 0)
    table = transitions[stays]
    table["src"], table["dst"] = src[stays], dst[stays]
    return in_order(table)


@dataclass(frozen=True, eq=False)
class Structure:
    """The choice points of all candidates and the edges between them."""

    clip: np.ndarray  # (N,) of every node, sorted by clip and frame
    frame: np.ndarray  # (N,)
    leaves: np.ndarray  # (T,) the node each transition starts from
    arrives: np.ndarray  # (T,) the node it ends in
    first: np.ndarray  # (N + 1,) the transitions that leave node n are first[n] … first[n + 1] − 1
    window: int  # frames of a transition

    @classmethod
    def of(cls, transitions: np.ndarray, frames: Sequence[int], window: int) -> "Structure":
        """The choice points of transitions sorted as `transitions.in_order` does; frames: (C,) of every clip."""
        assert transitions.dtype == TRANSITION
        # All clips one after the other, each with its end: marking and counting takes less than sorting.
        starts = np.append(0, np.cumsum(np.asarray(frames) + 1))
        leaves = starts[transitions["src"]] + transitions["src_frame"]
        arrives = starts[transitions["dst"]] + transitions["dst_frame"] + window
        met = np.zeros(starts[-1], bool)
        met[leaves] = met[arrives] = True
        number, at = np.cumsum(met, dtype=np.int32) - np.int32(1), np.flatnonzero(met)
        leaves, arrives = number[leaves], number[arrives]
        clip = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[at]
        first = np.searchsorted(leaves, np.arange(len(at) + 1)).astype(np.int32)
        return cls(clip, at - starts[clip], leaves, arrives, first, window)

    def __len__(self) -> int:
        return len(self.clip)

    @cached_property
    def goes_on(self) -> np.ndarray:
        """(N,) bool: whether the next node is in the same clip, so that a piece of it leads there."""
        return np.append(self.clip[1:] == self.clip[:-1], False)[: len(self)]

    @cached_property
    def piece(self) -> np.ndarray:
        """(N,) frames of the piece from each node to the next; 0 at the last node of a clip."""
        return np.where(self.goes_on, np.diff(self.frame, append=0), 0)


@kernel(I32[::1](read(I32), read(I32), read(B1), read(B1)))
def strong_components(first, arrives, taken, goes_on):
    """(N,) the strongly connected component of every node (Tarjan 1972), numbered from 0 in the order found; −1 for
    nodes that lead nowhere and are led to by none.

    Node n leads to n + 1 where goes_on[n], and to arrives[t] for t in first[n] … first[n + 1] − 1 where taken[t].
    Written as a loop with its own stack: depth is no limit.
    """
    n = goes_on.shape[0]
    # What is looked up at random is one array: 0 for a node not met yet; when it was met, from 1, while its component
    # is open; −1, −2, … for one in component 0, 1, …
    state = np.zeros(n, np.int32)
    waiting = np.empty(n, np.int32)  # the nodes of open components
    # Of the nodes on the way to v: which, the edge to look at next, and the earliest met that can be got back to.
    path, cursor, lows = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    met = found = held = 0
    for start in range(n):
        if state[start]:
            continue
        leads = goes_on[start]
        for e in range(first[start], first[start + 1]):
            leads |= taken[e]
        if not leads:
            continue
        depth, entered = 0, start
        v = e = low = 0
        while True:
            if entered >= 0:
                met += 1
                # The edge before the first stands for the piece.
                v, e, low = entered, first[entered] - 1, met
                state[v] = met
                waiting[held] = v
                held += 1
                entered = -1
            while e < first[v + 1]:
                # Of an edge that is not taken v itself is looked at, which changes nothing.
                if e < first[v]:
                    w = v + 1 if goes_on[v] else v
                else:
                    w = arrives[e] if taken[e] else v
                e += 1
                if state[w] == 0:
                    path[depth], cursor[depth], lows[depth] = v, e, low
                    depth += 1
                    entered = w
                    break
                if 0 < state[w] < low:
                    low = state[w]
            if entered >= 0:
                continue
            if low == state[v]:
                found += 1
                while True:
                    held -= 1
                    w = waiting[held]
                    state[w] = -found
                    if w == v:
                        break
            if depth == 0:
                break
            depth -= 1
            v, e, low = path[depth], cursor[depth], min(low, lows[depth])
    return ~state
