"""Walks that cover an order of clips or labels (dissertation, 4.7.2), exactly or by trials.

An order is a layered graph: one copy of the choice points for each item, joined by the transitions from an item to
the next. Within an item pieces cost nothing and add to the stay, transitions cost and add none; an item may be left
only after its least stay. The state is node, layer and stay. Of two states at a node in a layer, the one that costs no
more and has stayed as long makes the other useless: states are popped in order of cost, and one is needed only if it
has stayed longer than all before it there.

Where no way leads straight on, detours do: between two items there is a layer more, in which any motion may be played,
at a price for every frame.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiongraph.errors import MotionError, Unreachable
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, FAST, I32, I64, U1, kernel, njit, read, types
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.shortest_paths import Network, drop, network_of, push, rounded_up
from motiongraph.walks.walk import Name, Seed, Stretches, Walk, called, frames_named


@dataclass(frozen=True, eq=False)
class Order:
    """Items to cover, one a layer; F frames of all clips."""

    names: tuple[str, ...]
    masks: tuple[np.ndarray, ...]  # (F,) bool: the frames of each item
    stretches: tuple[Stretches | None, ...]  # of each item; None for detours, which may go on beyond any
    least: np.ndarray  # (layers,) frames of least stay
    price: np.ndarray  # (layers,) cost of a frame; above 0 in the layers of detours, which may be passed over

    @classmethod
    def of(cls, graph: MotionGraph, items: str | Sequence[Name], stay: float | Sequence[float]) -> "Order":
        """stay: seconds, one number or one for each item."""
        items = [items] if isinstance(items, str | set | frozenset) else list(items)
        if not items:
            raise MotionError("an order needs at least one clip or label")
        masks = tuple(frames_named(graph, item) for item in items)
        starts = np.cumsum([0, *map(len, graph.clips)])
        parts = tuple(Stretches.of(starts, mask) for mask in masks)
        stays = np.broadcast_to(np.asarray(stay, float) * graph.fps, len(items))
        if (stays < 0).any():
            raise MotionError("the least stay in an item cannot be negative")
        least = np.round(stays).astype(np.int32)
        return cls(tuple(called(graph, item) for item in items), masks, parts, least, np.zeros(len(items)))

    def with_detours(self, anywhere: np.ndarray, price: float) -> "Order":
        """The same items with a layer of any motion, (F,) bool, between each two; price: cost of a frame there."""
        layers = 2 * len(self.names) - 1
        items = np.arange(layers) % 2 == 0
        least = np.zeros(layers, np.int32)
        least[items] = self.least
        rows = [
            row for own in zip(self.names, self.masks, self.stretches) for row in (own, ("any motion", anywhere, None))
        ]
        names, masks, parts = zip(*rows[:-1])
        return Order(names, masks, parts, least, np.where(items, 0.0, price))

    def begin(self, layer: int, frames: int | np.ndarray) -> np.ndarray:
        """First frame of the unbroken stretch of an item around each of its frames."""
        own = self.stretches[layer]
        return np.zeros_like(frames) if own is None else own.around(frames)[0]

    def end(self, layer: int, frames: int | np.ndarray) -> np.ndarray:
        """Its end, exclusive."""
        own = self.stretches[layer]
        return np.full_like(frames, 2**30) if own is None else own.around(frames)[1]


@njit(**FAST)
def _doubled(states, values, heap):
    """Twice the room for states and the heap of them."""
    n = states.shape[0]
    more, more_values, more_heap = np.empty((2 * n, 5), np.int32), np.empty(2 * n), np.empty(2 * n, np.int32)
    more[:n], more_values[:n], more_heap[:n] = states, values, heap
    return more, more_values, more_heap


@kernel(types.Tuple((F64, I32[:, ::1], I64, I64))(
    read(I32), read(I32), read(I32), read(F64), read(I32), read(U1, 2), read(I32), read(I32, 2), read(I32), read(F64)),
)  # fmt: skip
def cheapest(first, to, row, cost, frames, inside, entry, left, least, price):
    """The cheapest way through all layers.

    first, to, row, cost, frames: the edges, as in `Network` (row < 0 for a piece). inside: (layers, N) 1 where a node
    may be visited in a layer; entry: (N,) frames of the first item that can be played before a node, −1 where the walk
    cannot begin; left: (layers, N) frames of the item that can still be played from a node; least: (layers,)
    frames of least stay; price: (layers,) cost of every frame, above 0 in layers that may be passed over. Returns the
    cost (infinity for none), the states found (n, 5: node, layer, stay, parent, edge), the last state, and the deepest
    layer that was reached.
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
            for level in range(layer, min(layer + 3, layers)):
                if level == layer + 2 and price[layer + 1] == 0.0:
                    break
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
                size = push(values, heap, size, far + cost[e] + price[level] * frames[e], count)
                count += 1
    return np.inf, states[:count].copy(), -1, deepest


def exact(order: Order, network: Network) -> tuple[float, int, list[int], int, int]:
    """Cost, first frame, candidates taken and end (exclusive) of the cheapest walk, and the last layer reached."""
    if len(order.names) == 1 and order.stretches[0] is not None:
        begin, end = order.stretches[0]
        longest = int(np.argmax(end - begin))
        if end[longest] - begin[longest] >= order.least[0]:
            return 0.0, int(begin[longest]), [], int(end[longest]), 0
    at, frames = network.at, network.frames.astype(np.int32)
    inside = np.array([mask[at] for mask in order.masks], np.uint8)
    entry = np.where(inside[0], at - order.begin(0, at), -1).astype(np.int32)
    left = np.array([np.where(own, order.end(k, at) - at, 0) for k, own in enumerate(inside)], np.int32)
    arrays = [np.ascontiguousarray(a) for a in (frames, inside, entry, left, order.least, order.price)]
    total, states, last, deepest = cheapest(network.first, network.to, network.row, network.cost, *arrays)
    if last < 0:
        return np.inf, 0, [], 0, deepest
    edges, state = [], last
    while states[state, 3] >= 0:
        edges.append(int(states[state, 4]))
        state = int(states[state, 3])
    begin = int(order.begin(0, at[states[state, 0]]))
    rows = [int(network.row[e]) for e in edges[::-1] if network.row[e] >= 0]
    layer, node = len(order.names) - 1, states[last, 0]
    return total, begin, rows, int(order.end(layer, at[node])), deepest


METHODS = ("exact", "trials")


def sequential_walk(
    graph: MotionGraph, order: str | Sequence[Name], rng: Seed = 0, *, stay: float | Sequence[float] = 0.5,
    method: str = "exact", trials: int = 1000, limit: float | None = None, detours: bool = True,
    progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """A walk through clips or labels in this order, straight from each to the next.

    stay: seconds of each item at least (one number, or one for each), not counting transitions. method: "exact" gives
    the walk with the least sum of transition costs, or proves that there is none; "trials" tries at random, cheap
    transitions being likelier, and keeps the longest and of those the cheapest, as in the dissertation; limit: seconds
    for all trials. Within an item, transitions may be taken too where that leads on. detours: where the order cannot be
    covered like that, the exact way may lead through other motion between two items, as little as there can be; a
    second of it counts as a transition at the threshold.
    """
    if method not in METHODS:
        raise MotionError(f"a sequential walk is found by one of {', '.join(METHODS)}, not {method!r}")
    began = time.perf_counter()
    asked = Order.of(graph, order, stay)
    network = network_of(graph)
    if method == "trials":
        begin, rows, stop, covered = _by_trials(graph, asked, network, trials, rng, limit, progress)
        note = "" if covered == len(asked.names) else f"no trial got beyond {asked.names[covered - 1]}"
        return _walk(graph, begin, rows, stop, began, "sequential by trials", note, items_covered=covered)
    progress(0, 1, "covering the order")
    total, begin, rows, stop, deepest = exact(asked, network)
    if not np.isfinite(total) and detours and len(asked.names) > 1:
        price = min(graph.thresholds.highest, graph.candidates.ceiling) / graph.fps
        around = asked.with_detours(frames_named(graph, None), price)
        total, begin, rows, stop, _ = exact(around, network)
        if np.isfinite(total):
            cost = float(graph.candidates.table["cost"][np.array(rows, int)].sum())
            walk = _walk(
                graph, begin, rows, stop, began, "sequential", "", items_covered=len(asked.names), cost_total=cost
            )
            other = _elsewhere(graph, walk, asked)
            walk.facts["detour_seconds"] = float(other / graph.fps)
            return walk
    if not np.isfinite(total):
        raise _why_not(graph, asked, deepest, progress)
    return _walk(graph, begin, rows, stop, began, "sequential", "", items_covered=len(asked.names), cost_total=total)


def _elsewhere(graph: MotionGraph, walk: Walk, order: Order) -> int:
    """Frames of the walk's pieces that belong to no item."""
    starts, wanted = np.cumsum([0, *map(len, graph.clips)]), np.logical_or.reduce(order.masks)
    return sum(int((~wanted[starts[c] + a : starts[c] + b]).sum()) for c, a, b in walk.steps.tolist())


def _walk(
    graph: MotionGraph, begin: int, taken: list[int], stop: int, began: float, method: str, note: str, **facts: float
) -> Walk:
    starts = np.cumsum([0, *map(len, graph.clips)])
    clip = int(np.searchsorted(starts, begin, side="right")) - 1
    rows = graph.candidates.table[np.array(taken, int)]
    last = rows["dst"][-1] if len(rows) else clip
    return Walk.of(
        graph, (clip, int(begin - starts[clip])), rows, stop=int(stop - starts[last]), method=method, note=note,
        complete=not note, seconds=time.perf_counter() - began, facts=facts,
    )  # fmt: skip


def _by_trials(
    graph: MotionGraph, order: Order, network: Network, trials: int, seed: Seed, limit: float | None, progress: Progress
) -> tuple[int, list[int], int, int]:
    """First frame, candidates taken, end and items covered of the longest walk of many trials, then the cheapest.

    Every trial starts with a stretch of the first item that may be left, and at each item picks one of the transitions
    to the next that can still be taken, with a probability that falls with the square of its cost.
    """
    rng, began = np.random.default_rng(seed), time.perf_counter()
    table = graph.candidates.table
    rows = np.unique(network.row[network.row >= 0])
    starts, window, layers = network.starts, graph.window, len(order.names)
    leave = starts[table["src"][rows]] + table["src_frame"][rows]
    arrive = starts[table["dst"][rows]] + table["dst_frame"][rows] + window
    cost = table["cost"][rows]
    # Of each item: the transitions from it to the next.
    ways = [np.flatnonzero(order.masks[k][leave] & order.masks[k + 1][arrive]) for k in range(layers - 1)]
    assert order.stretches[0] is not None
    stretches = order.stretches[0].begin
    best_key, best = (-1, 0.0), (0, [], 0, 0)
    for trial in range(max(trials, 1)):
        if not trial % 32:
            progress(trial, trials, "trying walks")
        if limit is not None and trial and time.perf_counter() - began > limit:
            break
        frame = begin = int(rng.choice(stretches))
        taken, total = [], 0.0
        for k in range(layers - 1):
            ahead = ways[k]
            last = order.end(k, frame)
            ahead = ahead[(leave[ahead] >= frame + order.least[k]) & (leave[ahead] < last)]
            if k + 1 == layers - 1:
                ahead = ahead[order.end(k + 1, arrive[ahead]) - arrive[ahead] >= order.least[k + 1]]
            if not len(ahead):
                break
            chance = 1.0 / (0.01 + cost[ahead]) ** 2
            choice = int(rng.choice(ahead, p=chance / chance.sum()))
            taken.append(int(rows[choice]))
            total += float(cost[choice])
            frame = int(arrive[choice])
        key = (len(taken), -total)
        if key > best_key:
            best_key, best = key, (begin, taken, int(order.end(len(taken), frame)), len(taken) + 1)
    return best


def _why_not(graph: MotionGraph, order: Order, deepest: int, progress: Progress) -> Unreachable:
    """The error that says between which items the way is missing, and from which threshold on there is one."""
    place = min(deepest, len(order.names) - 2) if len(order.names) > 1 else 0
    if len(order.names) == 1:
        return Unreachable(
            f"no stretch of {order.names[0]} lasts {order.least[0] / graph.fps:.2f} s; a shorter stay would do"
        )
    costs = np.unique(graph.candidates.table["cost"])
    costs = costs[costs > graph.thresholds.highest]

    def found(threshold: float) -> bool:
        taken = graph.candidates.table["cost"] <= threshold
        return bool(np.isfinite(exact(order, Network.of(graph, taken, graph.structure.goes_on))[0]))

    missing = f"no way leads from {order.names[place]} to {order.names[place + 1]} after a stay of "
    missing += f"{order.least[place] / graph.fps:.2f} s below {graph.thresholds.highest:.1f} {graph.metric.unit}"
    if graph.is_pruned and found(graph.thresholds.highest):
        return Unreachable(f"{missing} in the pruned graph; there is one in the graph that is not pruned")
    if not len(costs) or not found(costs[-1]):
        ceiling = f"{graph.candidates.ceiling:g} {graph.metric.unit}"
        return Unreachable(f"{missing}, nor at the ceiling of {ceiling}; a shorter stay or other clips would help")
    low, high = 0, len(costs) - 1
    while low < high:
        progress(0, 1, "looking for a threshold")
        middle = (low + high) // 2
        low, high = (low, middle) if found(costs[middle]) else (middle + 1, high)
    threshold = rounded_up(costs[low])
    return Unreachable(f"{missing}; the whole order can be covered at {threshold:.1f}", threshold)
