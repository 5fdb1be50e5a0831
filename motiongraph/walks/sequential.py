"""Walks that cover an order of clips or labels (dissertation, 4.7.2), exactly or by trials."""

import time
from dataclasses import dataclass

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks.choices import Choices, choices, choices_of
from motiongraph.walks.layers import cheapest
from motiongraph.walks.naming import called, frames_named, spans
from motiongraph.walks.walk import Walk

METHODS = ("exact", "trials")


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


def sequential_walk(
    graph, order, rng=0, *, stay=0.5, method: str = "exact", trials: int = 1000, limit: float | None = None,
    progress=SILENT,
) -> Walk:  # fmt: skip
    """A walk through clips or labels in this order, straight from each to the next.

    stay: seconds of each item at least (one number, or one for each), not counting transitions. method: "exact" gives
    the walk with the least sum of transition costs, or proves that there is none; "trials" tries at random, cheap
    transitions being likelier, and keeps the longest and of those the cheapest, as in the dissertation; limit: seconds
    for all trials. Within an item, transitions may be taken too where that leads on.
    """
    if method not in METHODS:
        raise MotionError(f"a sequential walk is found by one of {', '.join(METHODS)}, not {method!r}")
    began = time.perf_counter()
    asked = Order.of(graph, order, stay)
    network = choices_of(graph)
    if method == "trials":
        from motiongraph.walks.trials import by_trials

        begin, rows, stop, covered = by_trials(graph, asked, network, trials, rng, limit, progress)
        note = "" if covered == len(asked.names) else f"no trial got beyond {asked.names[covered - 1]}"
        return _walk(graph, begin, rows, stop, began, "sequential by trials", note, items_covered=covered)
    progress(0, 1, "covering the order")
    total, begin, rows, stop, deepest = exact(asked, network)
    if not np.isfinite(total):
        raise MotionError(_why_not(graph, asked, deepest, progress))
    return _walk(graph, begin, rows, stop, began, "sequential", "", items_covered=len(asked.names), cost_total=total)


def _walk(graph, begin, rows, stop, began, method, note, **facts):
    starts = np.cumsum([0, *map(len, graph.clips)])
    clip = int(np.searchsorted(starts, begin, side="right")) - 1
    rows = graph.candidates.table[np.array(rows, int)]
    last = rows["dst"][-1] if len(rows) else clip
    return Walk.of(
        graph, (clip, int(begin - starts[clip])), rows, stop=int(stop - starts[last]), method=method, note=note,
        complete=not note, seconds=time.perf_counter() - began, facts=facts,
    )  # fmt: skip


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


def _why_not(graph, order: Order, deepest: int, progress) -> str:
    """One sentence: between which items the way is missing, and from which threshold on there is one."""
    place = min(deepest, len(order.names) - 2) if len(order.names) > 1 else 0
    if len(order.names) == 1:
        return f"no stretch of {order.names[0]} lasts {order.least[0] / graph.fps:.2f} s; a shorter stay would do"
    costs = np.unique(graph.candidates.table["cost"])
    costs = costs[costs > graph.thresholds.highest]
    starts = np.cumsum([0, *map(len, graph.clips)])

    def found(threshold):
        taken = graph.candidates.table["cost"] <= threshold
        network = choices(graph.structure, graph.candidates.table, starts, taken, graph.structure.goes_on)
        return np.isfinite(exact(order, network)[0])

    missing = f"no way leads from {order.names[place]} to {order.names[place + 1]} after a stay of "
    missing += f"{order.least[place] / graph.fps:.2f} s below {graph.thresholds.highest:.1f} {graph.metric.unit}"
    if graph.is_pruned and found(graph.thresholds.highest):
        return f"{missing} in the pruned graph; there is one in the graph that is not pruned"
    if not len(costs) or not found(costs[-1]):
        ceiling = f"{graph.candidates.ceiling:g} {graph.metric.unit}"
        return f"{missing}, nor at the ceiling of {ceiling}; a shorter stay or other clips would help"
    low, high = 0, len(costs) - 1
    while low < high:
        progress(0, 1, "looking for a threshold")
        middle = (low + high) // 2
        low, high = (low, middle) if found(costs[middle]) else (middle + 1, high)
    return f"{missing}; the whole order can be covered at {np.ceil(costs[low] * 10.0) / 10.0:.1f}"
