"""The choice points of a graph as a network with edges of both kinds, and the shortest paths through it."""

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.errors import Unreachable
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import B1, F64, FAST, I32, kernel, njit, read, types
from motiongraph.walks.walk import clip_of


@dataclass(frozen=True, eq=False)
class Network:
    """N nodes, the choice points, and E edges, sorted by the node they leave."""

    first: np.ndarray  # (N + 1,) edges first[n] … first[n + 1] − 1 leave node n
    to: np.ndarray  # (E,) node they lead to
    row: np.ndarray  # (E,) candidate they take, −1 for a piece of a clip
    frames: np.ndarray  # (E,) how long they are
    cost: np.ndarray  # (E,) cm
    at: np.ndarray  # (N,) frame of each node, counted over all clips
    starts: np.ndarray  # (clips + 1,) where each clip's frames begin

    @property
    def tail(self) -> np.ndarray:
        """(E,) node the edges come from."""
        return np.repeat(np.arange(len(self.at)), np.diff(self.first)).astype(np.int32)

    def tail_of(self, edge: int) -> int:
        """The node an edge comes from."""
        return int(np.searchsorted(self.first, edge, side="right")) - 1

    @cached_property
    def busy(self) -> np.ndarray:
        """(N,) bool: the nodes that an edge leaves or reaches."""
        busy = np.diff(self.first) > 0
        busy[self.to] = True
        return busy

    def reversed(self) -> "Network":
        """Every edge the other way round."""
        edges = self.row, self.frames, self.cost
        return _sorted(self.to, self.tail, *edges, self.at, self.starts)

    @classmethod
    def of(cls, graph: MotionGraph, transitions: np.ndarray, pieces: np.ndarray) -> "Network":
        """The network of some candidates, (T,) bool, and some pieces, (N,) bool."""
        structure, starts = graph.structure, np.cumsum([0, *map(len, graph.clips)])
        rows, pieces = np.flatnonzero(transitions).astype(np.int32), np.flatnonzero(pieces).astype(np.int32)
        return _sorted(
            np.concatenate([pieces, structure.leaves[rows]]),
            np.concatenate([pieces + 1, structure.arrives[rows]]).astype(np.int32),
            np.concatenate([np.full(len(pieces), -1, np.int32), rows]),
            np.concatenate([structure.piece[pieces], np.full(len(rows), structure.window)]).astype(float),
            np.concatenate([np.zeros(len(pieces)), graph.candidates.table["cost"][rows]]),
            starts[structure.clip] + structure.frame,
            starts,
        )


def _sorted(tail, to, row, frames, cost, at: np.ndarray, starts: np.ndarray) -> Network:
    """The network of edges in any order; tail: (E,) node each comes from."""
    order = np.argsort(tail, kind="stable")
    first = np.searchsorted(tail[order], np.arange(len(at) + 1)).astype(np.int32)
    to, row, frames, cost = (np.ascontiguousarray(a[order]) for a in (to, row, frames, cost))
    for array in (first, to, row, frames, cost):
        array.flags.writeable = False
    return Network(first, to, row, frames, cost, at, starts)


_known: WeakKeyDictionary[MotionGraph, tuple[object, Network]] = WeakKeyDictionary()


def network_of(graph: MotionGraph) -> Network:
    """The network of a graph, built once for each view of it."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        found = _known[graph] = (graph.candidates, Network.of(graph, graph.open, graph.open_pieces))
    return found[1]


# A binary heap in two arrays, values and items: the least value on top.
@njit(**FAST)
def push(values, items, size, value, item):
    """Add an item to a heap of `size`; returns the new size."""
    i = size
    while i and values[(i - 1) // 2] > value:
        values[i], items[i] = values[(i - 1) // 2], items[(i - 1) // 2]
        i = (i - 1) // 2
    values[i], items[i] = value, item
    return size + 1


@njit(**FAST)
def drop(values, items, size):
    """Remove the top of a heap of `size`; returns the new size."""
    size -= 1
    value, item = values[size], items[size]
    i = 0
    while True:
        down = 2 * i + 1
        if down >= size:
            break
        if down + 1 < size and values[down + 1] < values[down]:
            down += 1
        if value <= values[down]:
            break
        values[i], items[i] = values[down], items[down]
        i = down
    values[i], items[i] = value, item
    return size


@kernel(types.Tuple((F64[::1], I32[::1]))(read(I32), read(I32), read(F64), read(F64), read(F64), B1))
def _shortest(first, to, weight, begin, rest, steepest):
    """Dijkstra's algorithm with a binary heap; see `shortest`."""
    n = first.shape[0] - 1
    length, via = begin.copy(), np.full(n, -1, np.int32)
    room, best = n + to.shape[0] + 1, np.inf
    values, nodes, size = np.empty(room), np.empty(room, np.int32), 0
    for node in range(n):
        if begin[node] < np.inf:
            size = push(values, nodes, size, begin[node], node)
    while size:
        here, far = nodes[0], values[0]
        size = drop(values, nodes, size)
        if far > length[here]:
            continue
        if rest.shape[0]:
            if far > best:
                break
            best = min(best, far + rest[here])
        for e in range(first[here], first[here + 1]):
            total = max(far, weight[e]) if steepest else far + weight[e]
            if total < length[to[e]]:
                length[to[e]], via[to[e]] = total, e
                size = push(values, nodes, size, total, to[e])
    return length, via


def shortest(
    network: Network, weight: np.ndarray, begin: np.ndarray, steepest: bool = False, rest: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The shortest path to every node.

    weight: (E,) of the edges, not negative; begin: (N,) costs of starting at each node, infinity for not there.
    steepest: a path is as long as its heaviest edge, not as all together. rest: (N,) cost of ending at each node; where
    it is given, only what is no longer than the shortest way with its rest is found, and the other lengths may be too
    great. Returns (N,) lengths, infinity for out of reach, and (N,) the edges by which the nodes are reached, −1 for
    starts and what is out of reach.
    """
    rest = np.empty(0) if rest is None else rest
    given = (np.ascontiguousarray(values, float) for values in (weight, begin, rest))
    return _shortest(network.first, network.to, *given, steepest)


def edges_to(network: Network, via: np.ndarray, node: int) -> list[int]:
    """The edges of the shortest path to a node, in order; via: as `shortest` returns it."""
    edges = []
    while via[node] >= 0:
        edges.append(int(via[node]))
        node = network.tail_of(edges[-1])
    return edges[::-1]


def needed_threshold(graph: MotionGraph, source: np.ndarray, target: np.ndarray) -> float | None:
    """cm: the lowest threshold at which one of the frames `target` (F,) can be reached from one of `source`; None for
    none up to the ceiling."""
    network = Network.of(graph, np.ones(len(graph.candidates.table), bool), graph.structure.goes_on)
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


def unreachable(
    graph: MotionGraph, source: np.ndarray, target: np.ndarray, source_name: str, target_name: str
) -> Unreachable:
    """The error for frames `target` (F,) that cannot be reached from `source`, with what would help."""
    now = graph.thresholds.highest
    needed = needed_threshold(graph, source, target)
    sentence = f"{target_name} cannot be reached from {source_name} below {now:.1f} {graph.metric.unit}"
    if needed is None:
        ceiling = f"{graph.candidates.ceiling:g} {graph.metric.unit}"
        return Unreachable(f"{sentence}, nor at the ceiling of {ceiling}; other clips would help")
    if needed <= now:
        return Unreachable(f"{sentence} within the pruned graph; it can in the graph that is not pruned")
    threshold = rounded_up(needed)
    return Unreachable(f"{sentence}; it can at {threshold:.1f}", threshold)


def rounded_up(threshold: float) -> float:
    """The next tenth: a threshold to show and to use, at which what needs the exact one succeeds too."""
    return float(np.ceil(threshold * 10.0) / 10.0)
