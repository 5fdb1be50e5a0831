"""The cheapest walk through an order of motions, exactly, compiled.

An order is a layered graph: one copy of the choice points for each item, joined by the transitions from an item to
the next. Within an item pieces cost nothing and add to the stay, transitions cost and add none; an item may be left
only after its least stay. The state is node, layer and stay, and of two states at a node in a layer the one that is no
dearer and has stayed as long makes the other useless: popped in order of cost, a state is needed only if it has stayed
longer than all before it there.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit, types

from motiongraph.errors import MotionError
from motiongraph.walks.floor_path import COMPILED, read
from motiongraph.walks.frames import called, frames_named, spans
from motiongraph.walks.shortest_paths import Choices, drop, push

_whole = types.int32


@dataclass(frozen=True, eq=False)
class Order:
    """names: of the items; masks: (layers, F) their frames; begin, end: (layers, F) the first frame and the end
    (exclusive) of the unbroken stretch of an item around each of its frames; least: (layers,) frames of least stay."""

    names: tuple[str, ...]
    masks: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    least: np.ndarray

    @classmethod
    def of(cls, graph, items, stay) -> "Order":
        items = [items] if isinstance(items, str) else list(items)
        if not items:
            raise MotionError("an order needs at least one clip or label")
        masks = np.array([frames_named(graph, item) for item in items])
        begin, end = (np.array(part) for part in zip(*(spans(graph, mask) for mask in masks)))
        stays = np.broadcast_to(np.asarray(stay, float) * graph.fps, len(items))
        if (stays < 0).any():
            raise MotionError("the least stay in an item cannot be negative")
        return cls(tuple(called(graph, item) for item in items), masks, begin, end, np.round(stays).astype(np.int32))


@njit(types.Tuple((_whole[:, ::1], types.float64[::1], _whole[::1]))(
    _whole[:, ::1], types.float64[::1], _whole[::1]), **COMPILED)  # fmt: skip
def _doubled(states, values, heap):
    """Twice the room for states and the heap of them."""
    n = states.shape[0]
    more, more_values, more_heap = np.empty((2 * n, 5), np.int32), np.empty(2 * n), np.empty(2 * n, np.int32)
    more[:n], more_values[:n], more_heap[:n] = states, values, heap
    return more, more_values, more_heap


@njit(types.Tuple((types.float64, types.int32[:, ::1], types.int64, types.int64))(
    read(_whole, 1), read(_whole, 1), read(_whole, 1), read(types.float64, 1), read(_whole, 1), read(types.uint8, 2),
    read(_whole, 1), read(_whole, 2), read(_whole, 1)), **COMPILED)  # fmt: skip
def cheapest(first, to, row, cost, frames, inside, entry, left, least):
    """The cheapest way through all layers.

    first, to, row, cost, frames: the edges, as in `Choices` (row < 0 for a piece). inside: (layers, N) 1 where a node
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


def exact(order: Order, network: Choices):
    """Cost, first frame, candidates taken and end (exclusive) of the cheapest walk, and the last layer reached."""
    inside = np.ascontiguousarray(order.masks[:, network.at], np.uint8)
    at = network.at.astype(np.int32)
    entry = np.where(inside[0], at - order.begin[0, network.at], -1).astype(np.int32)
    left = np.where(inside, order.end[:, network.at] - at, 0).astype(np.int32)
    frames = network.frames.astype(np.int32)
    alone = order.masks[0] & (order.end[0] - order.begin[0] >= order.least[0])
    if len(order.names) == 1 and alone.any():
        frame = int(np.argmax(np.where(alone, order.end[0] - order.begin[0], -1)))
        return 0.0, order.begin[0, frame], [], order.end[0, frame], 0
    arrays = [np.ascontiguousarray(a) for a in (frames, inside, entry, left, order.least)]
    total, states, last, deepest = cheapest(network.first, network.to, network.row, network.cost, *arrays)
    if last < 0:
        return np.inf, 0, [], 0, deepest
    edges, state = [], last
    while states[state, 3] >= 0:
        edges.append(int(states[state, 4]))
        state = int(states[state, 3])
    begin = order.begin[0, at[states[state, 0]]]
    rows = [int(network.row[e]) for e in edges[::-1] if network.row[e] >= 0]
    layer, node = len(order.names) - 1, states[last, 0]
    return total, begin, rows, order.end[layer, at[node]], deepest
