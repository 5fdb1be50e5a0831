"""Sequential walks by trial and error, as in the dissertation (4.7.2): for variety, and to reproduce it."""

import time

import numpy as np

from motiongraph.progress import SILENT


def by_trials(graph, order, network, trials: int, rng=0, limit=None, progress=SILENT):
    """First frame, candidates taken, end and items covered of the longest walk of many trials, then the cheapest.

    Every trial starts with a stretch of the first item that may be left, and at each item picks one of the transitions
    to the next that can still be taken, with a probability that falls with the square of its cost.
    """
    rng, began = np.random.default_rng(rng), time.perf_counter()
    table = graph.candidates.table
    rows = np.unique(network.row[network.row >= 0])
    starts, window, layers = network.starts, graph.window, len(order.names)
    leave = starts[table["src"][rows]] + table["src_frame"][rows]
    arrive = starts[table["dst"][rows]] + table["dst_frame"][rows] + window
    cost = table["cost"][rows]
    # Of each item: the transitions from it to the next.
    ways = [np.flatnonzero(order.masks[k][leave] & order.masks[k + 1][arrive]) for k in range(layers - 1)]
    stretches = np.unique(order.begin[0][np.flatnonzero(order.masks[0])])
    best = None
    for trial in range(max(trials, 1)):
        if not trial % 32:
            progress(trial, trials, "trying walks")
        if limit is not None and time.perf_counter() - began > limit and best is not None:
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
        if best is None or key > best[0]:
            best = key, begin, taken, int(order.end[len(taken)][frame])
    return best[1], best[2], best[3], best[0][0] + 1
