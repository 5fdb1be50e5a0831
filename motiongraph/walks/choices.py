"""The choice points of a graph as a network with edges of both kinds, and the shortest ways through it."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numba import njit, types

from motiongraph.walks.ground import COMPILED, read
from motiongraph.walks.heap import drop, push


@dataclass(frozen=True, eq=False)
class Choices:
    """An edge leads from one node to another. first: (N + 1,) the edges that leave node n are first[n] … first[n + 1]
    − 1; to: (E,) where they lead; row: (E,) the candidate they take, −1 for a piece; frames: (E,) how long they are;
    cost: (E,) cm; at: (N,) the frame of each node, counted over all clips; starts: (clips + 1,)."""

    first: np.ndarray
    to: np.ndarray
    row: np.ndarray
    frames: np.ndarray
    cost: np.ndarray
    at: np.ndarray
    starts: np.ndarray

    @property
    def tail(self) -> np.ndarray:
        """(E,) where the edges come from."""
        return np.repeat(np.arange(len(self.at)), np.diff(self.first)).astype(np.int32)

    @property
    def busy(self) -> np.ndarray:
        """(N,) bool: the nodes that an edge leaves or reaches."""
        busy = np.diff(self.first) > 0
        busy[self.to] = True
        return busy

    def reversed(self) -> "Choices":
        """Every edge the other way round."""
        return _sorted(self.to, self.tail, self.row, self.frames, self.cost, self.at, self.starts)


def _sorted(tail, to, row, frames, cost, at, starts) -> Choices:
    order = np.argsort(tail, kind="stable")
    first = np.searchsorted(tail[order], np.arange(len(at) + 1)).astype(np.int32)
    arrays = [np.ascontiguousarray(a[order]) for a in (to, row, frames, cost)]
    for array in (first, *arrays):
        array.flags.writeable = False
    return Choices(first, *arrays, at, starts)


def choices(structure, table, starts, transitions, pieces) -> Choices:
    """The network of some candidates (T,) bool and some pieces (N,) bool."""
    rows, pieces = np.flatnonzero(transitions).astype(np.int32), np.flatnonzero(pieces).astype(np.int32)
    return _sorted(
        np.concatenate([pieces, structure.leaves[rows]]),
        np.concatenate([pieces + 1, structure.arrives[rows]]).astype(np.int32),
        np.concatenate([np.full(len(pieces), -1, np.int32), rows]),
        np.concatenate([structure.piece[pieces], np.full(len(rows), structure.window)]).astype(float),
        np.concatenate([np.zeros(len(pieces)), table["cost"][rows]]),
        starts[structure.clip] + structure.frame,
        starts,
    )


_known: WeakKeyDictionary = WeakKeyDictionary()


def choices_of(graph) -> Choices:
    """The network of a graph, made once for each view of it."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        starts = np.cumsum([0, *map(len, graph.clips)])
        made = choices(graph.structure, graph.candidates.table, starts, graph.open, graph.open_pieces)
        found = _known[graph] = (graph.candidates, made)
    return found[1]


def all_choices(graph) -> Choices:
    """The network of all candidates, at whatever threshold."""
    starts = np.cumsum([0, *map(len, graph.clips)])
    everything = np.ones(len(graph.candidates.table), bool)
    return choices(graph.structure, graph.candidates.table, starts, everything, graph.structure.goes_on)


@njit(types.Tuple((types.float64[::1], types.int32[::1]))(
    read(types.int32, 1), read(types.int32, 1), read(types.float64, 1), read(types.float64, 1), types.boolean),
    **COMPILED)  # fmt: skip
def _shortest(first, to, weight, begin, steepest):
    """Dijkstra's algorithm with a binary heap; begin: (N,) what it costs to start at each node, infinity for not.

    steepest: a way is as long as its heaviest edge, not as all together. Returns (N,) lengths, and the edge by which
    each node is reached, −1 for starts and what is out of reach.
    """
    n = first.shape[0] - 1
    length, via = begin.copy(), np.full(n, -1, np.int32)
    room = n + to.shape[0] + 1
    values, nodes, size = np.empty(room), np.empty(room, np.int32), 0
    for node in range(n):
        if begin[node] < np.inf:
            size = push(values, nodes, size, begin[node], node)
    while size:
        here, far = nodes[0], values[0]
        size = drop(values, nodes, size)
        if far > length[here]:
            continue
        for e in range(first[here], first[here + 1]):
            total = max(far, weight[e]) if steepest else far + weight[e]
            if total < length[to[e]]:
                length[to[e]], via[to[e]] = total, e
                size = push(values, nodes, size, total, to[e])
    return length, via


def shortest(network: Choices, weight: np.ndarray, begin: np.ndarray, steepest: bool = False):
    """The shortest way to every node; weight: (E,) of the edges, not negative; begin: (N,) costs of starting.

    Returns (N,) lengths, infinity for out of reach, and (N,) the edges by which the nodes are reached (−1 for none).
    """
    weight, begin = np.ascontiguousarray(weight, float), np.ascontiguousarray(begin, float)
    return _shortest(network.first, network.to, weight, begin, steepest)


def way_back(network: Choices, via: np.ndarray, node: int) -> list[int]:
    """The edges of the shortest way to a node, in order."""
    edges, tail = [], network.tail
    while via[node] >= 0:
        edges.append(int(via[node]))
        node = int(tail[via[node]])
    return edges[::-1]
