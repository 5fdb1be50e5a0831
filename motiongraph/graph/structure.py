"""Choice points: where motion may leave a clip or arrive in one (Kovar 2002, 3).

A node (clip, frame) stands for "about to play this frame". Two kinds of edges leave it: the piece of original motion
up to the next node of the clip, and transitions. The nodes are those of *all* candidates, so that another threshold
only switches transitions on and off; nothing is built again.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit, types

from motiongraph.graph.transitions import TRANSITION


def read(of):
    """The type of a contiguous array (n,) that a kernel only reads."""
    return types.Array(of, 1, "C", readonly=True)


@dataclass(frozen=True, eq=False)
class Structure:
    """clip, frame: (N,) of every node, sorted; leaves, arrives: (T,) the node each transition starts from and ends in;
    first: (N + 1,) the transitions that leave node n are first[n] … first[n + 1] − 1; window: their frames."""

    clip: np.ndarray
    frame: np.ndarray
    leaves: np.ndarray
    arrives: np.ndarray
    first: np.ndarray
    window: int

    @classmethod
    def of(cls, transitions: np.ndarray, window: int) -> "Structure":
        """The choice points of transitions sorted as `transitions.in_order` does."""
        assert transitions.dtype == TRANSITION
        wide = np.int64(1) << 32
        out = transitions["src"] * wide + transitions["src_frame"]
        into = transitions["dst"] * wide + (transitions["dst_frame"].astype(np.int64) + window)
        keys, index = np.unique(np.concatenate([out, into]), return_inverse=True)
        leaves, arrives = index[: len(out)].astype(np.int32), index[len(out) :].astype(np.int32)
        first = np.searchsorted(leaves, np.arange(len(keys) + 1)).astype(np.int32)
        return cls(*(keys // wide, keys % wide), leaves, arrives, first, window)

    def __len__(self):
        return len(self.clip)

    @cached_property
    def goes_on(self) -> np.ndarray:
        """(N,) bool: whether the next node is in the same clip, so that a piece of it leads there."""
        return np.append(self.clip[1:] == self.clip[:-1], False)[: len(self)]

    @cached_property
    def piece(self) -> np.ndarray:
        """(N,) frames of the piece from each node to the next; 0 at the last node of a clip."""
        return np.where(self.goes_on, np.diff(self.frame, append=0), 0)


@njit(
    types.int32[::1](read(types.int32), read(types.int32), read(types.boolean), read(types.boolean)),
    cache=True,
    nogil=True,
)
def strong_components(first, arrives, taken, goes_on):
    """(N,) the strongly connected component of every node (Tarjan 1972), numbered from 0 in the order found; −1 for
    nodes that lead nowhere and are led to by none.

    Node n leads to n + 1 where goes_on[n], and to arrives[t] for t in first[n] … first[n + 1] − 1 where taken[t].
    Written as a loop with its own stack: depth is no limit.
    """
    n = goes_on.shape[0]
    component = np.full(n, -1, np.int32)
    order = np.zeros(n, np.int32)  # when a node was first met, from 1; 0 for not yet
    low = np.zeros(n, np.int32)
    cursor = np.empty(n, np.int32)  # the next edge to look at; first[v] − 1 stands for the piece
    path = np.empty(n, np.int32)
    waiting = np.empty(n, np.int32)
    met = found = depth = held = 0
    for start in range(n):
        if order[start]:
            continue
        leads = goes_on[start]
        for e in range(first[start], first[start + 1]):
            leads |= taken[e]
        if not leads:
            continue
        path[0], depth = start, 1
        met += 1
        order[start] = low[start] = met
        cursor[start] = first[start] - 1
        waiting[held] = start
        held += 1
        while depth:
            v = path[depth - 1]
            e = cursor[v]
            if e < first[v + 1]:
                cursor[v] = e + 1
                if e < first[v]:
                    if not goes_on[v]:
                        continue
                    w = v + 1
                elif taken[e]:
                    w = arrives[e]
                else:
                    continue
                if order[w] == 0:
                    met += 1
                    order[w] = low[w] = met
                    cursor[w] = first[w] - 1
                    path[depth] = w
                    depth += 1
                    waiting[held] = w
                    held += 1
                elif component[w] < 0 and order[w] < low[v]:
                    low[v] = order[w]
                continue
            depth -= 1
            if depth and low[v] < low[path[depth - 1]]:
                low[path[depth - 1]] = low[v]
            if low[v] == order[v]:
                while True:
                    held -= 1
                    w = waiting[held]
                    component[w] = found
                    if w == v:
                        break
                found += 1
    return component
