"""Choosing a threshold from the data.

Raising the threshold keeps more of the motion in the pruned graph and makes its transitions dearer. The share of
frames kept climbs steeply and then levels off, and the automatic choice is where it bends: of the thresholds that keep
at least three quarters of what the ceiling keeps, the one with the largest difference between share and cost, both
counted from 0 to 1 between nothing and the ceiling. It is then lowered as far as the share stays the same.
"""

import numpy as np

from motiongraph.graph.candidates import Candidates
from motiongraph.graph.prune import prune
from motiongraph.progress import SILENT

ENOUGH = 0.75
_STEPS = 41
POINT = np.dtype([("threshold", "f8"), ("share", "f8"), ("transitions", "i8"), ("mean_cost", "f8")])


def _kept_at(c: Candidates, threshold: float) -> int:
    taken = c.cost <= threshold
    return prune(c.structure, c.layers, taken).frames


def threshold(candidates: Candidates, progress=SILENT) -> float:
    """The automatic threshold, cm, in steps of 0.1; 0 where nothing can be kept at all."""
    costs = np.unique(candidates.cost)
    if not len(costs):
        return 0.0
    steps = np.linspace(0.0, costs[-1], _STEPS)[1:]
    kept = np.zeros(len(steps), np.int64)
    for done, step in enumerate(steps):
        progress(done, len(steps), "the automatic threshold")
        kept[done] = _kept_at(candidates, step)
    if not kept[-1]:
        return 0.0
    gain = np.where(kept >= ENOUGH * kept[-1], kept / kept[-1] - steps / steps[-1], -np.inf)
    best = int(np.argmax(gain))
    costs = costs[costs <= steps[best]]
    low, high = 0, len(costs) - 1
    while low < high:
        progress(len(steps), len(steps), "the automatic threshold")
        middle = (low + high) // 2
        if _kept_at(candidates, costs[middle]) >= kept[best]:
            high = middle
        else:
            low = middle + 1
    # One decimal reads better on a slider, and rounding up keeps what was found.
    return float(min(np.ceil(costs[low] * 10.0 - 1e-9) / 10.0, candidates.dearest))


def trade_off(candidates: Candidates, points: int = 33, progress=SILENT) -> np.ndarray:
    """(points,) threshold (cm), share of frames kept by the pruned graph, its transitions and their mean cost."""
    c = candidates
    rows = np.zeros(points, POINT)
    rows["threshold"] = np.linspace(0.0, c.dearest, points)
    for done, row in enumerate(rows):
        progress(done, points, "what each threshold keeps")
        taken = c.cost <= row["threshold"]
        kept = prune(c.structure, c.layers, taken)
        row["share"] = kept.frames / c.frames
        row["transitions"] = kept.transitions.sum()
        row["mean_cost"] = c.cost[kept.transitions].mean() if kept.transitions.any() else 0.0
    return rows
