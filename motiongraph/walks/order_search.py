"""The cheapest walk through an order of motions, exactly, compiled.

An order is a layered graph: one copy of the choice points for each item, joined by the transitions from an item to
the next. Within an item pieces cost nothing and add to the stay, transitions cost and add none; an item may be left
only after its least stay. The state is node, layer and stay. Of two states at a node in a layer, the one that costs no
more and has stayed as long makes the other useless: states are popped in order of cost, and one is needed only if it
has stayed longer than all before it there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit, types

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, FAST, I32, I64, U1, kernel, read
from motiongraph.walks.frames import Name, called, frames_named, spans
from motiongraph.walks.shortest_paths import Network, drop, push


@dataclass(frozen=True, eq=False)
class Order:
    """Items to cover, one a layer; F frames of all clips."""

    names: tuple[str, ...]
    masks: np.ndarray  # (layers, F) bool: the frames of each item
    begin: np.ndarray  # (layers, F) first frame of the unbroken stretch of the item around each of its frames
    end: np.ndarray  # (layers, F) its end, exclusive
    least: np.ndarray  # (layers,) frames of least stay

    @classmethod
    def of(cls, graph: MotionGraph, items: str | Sequence[Name], stay: float | Sequence[float]) -> "Order":
        """stay: seconds, one number or one for each item."""
        items = [items] if isinstance(items, str) else list(items)
        if not items:
            raise MotionError("an order needs at least one clip or label")
        masks = np.array([frames_named(graph, item) for item in items])
        begin, end = (np.array(part) for part in zip(*(spans(graph, mask) for mask in masks)))
        stays = np.broadcast_to(np.asarray(stay, float) * graph.fps, len(items))
        if (stays < 0).any():
            raise MotionError("the least stay in an item cannot be negative")
        return cls(tuple(called(graph, item) for item in items), masks, begin, end, np.round(stays).astype(np.int32))


@njit(**FAST)
def _doubled(states, values, heap):
    """Twice the room for states and the heap of them."""
    n = states.shape[0]
    more, more_values, more_heap = np.empty((2 * n, 5), np.int32), np.empty(2 * n), np.empty(2 * n, np.int32)
    more[:n], more_values[:n], more_heap[:n] = states, values, heap
    return more, more_values, more_heap


@kernel(types.Tuple((F64, I32[:, ::1], I64, I64))(
    read(I32), read(I32), read(I32), read(F64), read(I32), read(U1, 2), read(I32), read(I32, 2), read(I32)),
)  # fmt: skip
def cheapest(first, to, row, cost, frames, inside, entry, left, least):
    """The cheapest way through all layers.

    first, to, row, cost, frames: the edges, as in `Network` (row < 0 for a piece). inside: (layers, N) 1 where a node
    may be visited in a layer; entry: (N,) frames of the first item that can be played before a node, −1 where the walk
    cannot begin; left: (layers, N) frames of the item that can still be played from a node; least: (layers,)
    frames of least stay. Returns the cost (infinity for none), the states found (n, 5: node, layer, stay, parent,
    edge), the last state, and the deepest layer that was reached.
    """
    layers, nodes = inside.shape
    longest = np.full((layers, nodes), -1, np.int32)  # the longest stay popped so far
    room = nodes + 64
    states = np.empty((room, 5), np.int32)
    values, heap = np.empty(room), np.empty(room, np.int32)
    count = size = 0
    deepest = 0
    for node in range(nodes):
        if inside[0, node] and entry[node] >= 0:
            states[count, 0], states[count, 1] = node, 0
            states[count, 2], states[count, 3], states[count, 4] = min(entry[node], least[0]), -1, -1
            size = push(values, heap, size, 0.0, count)
            count += 1
    while size:
        here, far = heap[0], values[0]
        size = drop(values, heap, size)
        node, layer, stay = states[here, 0], states[here, 1], states[here, 2]
        if stay <= longest[layer, node]:
            continue
        longest[layer, node] = stay
        deepest = max(deepest, layer)
        if layer == layers - 1 and stay + left[layer, node] >= least[layer]:
            return far, states[:count].copy(), here, deepest
        for e in range(first[node], first[node + 1]):
            target, piece = to[e], row[e] < 0
            if piece and frames[e] >= left[layer, node]:
                continue
            for level in range(layer, min(layer + 2, layers)):
                if not inside[level, target] or (level > layer and (piece or stay < least[layer])):
                    continue
                longer = stay if level == layer else 0
                if piece:
                    longer = min(stay + frames[e], least[layer])
                if longer <= longest[level, target]:
                    continue
                if count == states.shape[0]:
                    states, values, heap = _doubled(states, values, heap)
                states[count, 0], states[count, 1], states[count, 2] = target, level, longer
                states[count, 3], states[count, 4] = here, e
                size = push(values, heap, size, far + cost[e], count)
                count += 1
    return np.inf, states[:count].copy(), -1, deepest


def exact(order: Order, network: Network) -> tuple[float, int, list[int], int, int]:
    """Cost, first frame, candidates taken and end (exclusive) of the cheapest walk, and the last layer reached."""
    inside = np.ascontiguousarray(order.masks[:, network.at], np.uint8)
    at = network.at.astype(np.int32)
    entry = np.where(inside[0], at - order.begin[0, network.at], -1).astype(np.int32)
    left = np.where(inside, order.end[:, network.at] - at, 0).astype(np.int32)
    frames = network.frames.astype(np.int32)
    alone = order.masks[0] & (order.end[0] - order.begin[0] >= order.least[0])
    if len(order.names) == 1 and alone.any():
        frame = int(np.argmax(np.where(alone, order.end[0] - order.begin[0], -1)))
        return 0.0, int(order.begin[0, frame]), [], int(order.end[0, frame]), 0
    arrays = [np.ascontiguousarray(a) for a in (frames, inside, entry, left, order.least)]
    total, states, last, deepest = cheapest(network.first, network.to, network.row, network.cost, *arrays)
    if last < 0:
        return np.inf, 0, [], 0, deepest
    edges, state = [], last
    while states[state, 3] >= 0:
        edges.append(int(states[state, 4]))
        state = int(states[state, 3])
    begin = int(order.begin[0, at[states[state, 0]]])
    rows = [int(network.row[e]) for e in edges[::-1] if network.row[e] >= 0]
    layer, node = len(order.names) - 1, states[last, 0]
    return total, begin, rows, int(order.end[layer, at[node]]), deepest
