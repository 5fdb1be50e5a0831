"""Walks that cover an order of clips or labels (dissertation, 4.7.2), exactly or by trials."""

import time
from collections.abc import Sequence

import numpy as np

from motiongraph.errors import MotionError, Unreachable
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.frames import Name
from motiongraph.walks.order_search import Order, exact
from motiongraph.walks.shortest_paths import Network, network_of, rounded_up
from motiongraph.walks.walk import Seed, Walk

METHODS = ("exact", "trials")


def sequential_walk(
    graph: MotionGraph, order: str | Sequence[Name], rng: Seed = 0, *, stay: float | Sequence[float] = 0.5,
    method: str = "exact", trials: int = 1000, limit: float | None = None, progress: Progress = SILENT,
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
    network = network_of(graph)
    if method == "trials":
        begin, rows, stop, covered = _by_trials(graph, asked, network, trials, rng, limit, progress)
        note = "" if covered == len(asked.names) else f"no trial got beyond {asked.names[covered - 1]}"
        return _walk(graph, begin, rows, stop, began, "sequential by trials", note, items_covered=covered)
    progress(0, 1, "covering the order")
    total, begin, rows, stop, deepest = exact(asked, network)
    if not np.isfinite(total):
        raise _why_not(graph, asked, deepest, progress)
    return _walk(graph, begin, rows, stop, began, "sequential", "", items_covered=len(asked.names), cost_total=total)


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
    stretches = np.unique(order.begin[0][np.flatnonzero(order.masks[0])])
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
            last = order.end[k][frame]
            ahead = ahead[(leave[ahead] >= frame + order.least[k]) & (leave[ahead] < last)]
            if k + 1 == layers - 1:
                ahead = ahead[order.end[k + 1][arrive[ahead]] - arrive[ahead] >= order.least[k + 1]]
            if not len(ahead):
                break
            chance = 1.0 / (0.01 + cost[ahead]) ** 2
            choice = int(rng.choice(ahead, p=chance / chance.sum()))
            taken.append(int(rows[choice]))
            total += float(cost[choice])
            frame = int(arrive[choice])
        key = (len(taken), -total)
        if key > best_key:
            best_key, best = key, (begin, taken, int(order.end[len(taken)][frame]), len(taken) + 1)
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
