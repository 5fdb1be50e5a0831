"""The cheapest walk through an order of motions, exactly, compiled.

An order is a layered graph: one copy of the choice points for each item, joined by the transitions from an item to
the next. Within an item pieces cost nothing and add to the stay, transitions cost and add none; an item may be left
only after its least stay. The state is node, layer and stay, and of two states at a node in a layer the one that is no
dearer and has stayed as long makes the other useless: popped in order of cost, a state is needed only if it has stayed
longer than all before it there.
"""

import numpy as np
from numba import njit, types

from motiongraph.walks.ground import COMPILED, read
from motiongraph.walks.heap import drop, push

_whole = types.int32


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
