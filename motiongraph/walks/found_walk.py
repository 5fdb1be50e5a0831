"""The walk of a way that a search has found, with its figures."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.walks.curve import path_error
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.path_goal import Found, Goal, change_of
from motiongraph.walks.path_report import behaviour_count, label_facts, said
from motiongraph.walks.walk import Walk


def as_walk(graph: MotionGraph, found: Found, roots: np.ndarray, states: np.ndarray, **fields: Any) -> Walk:
    """The walk of a way."""
    ground = floor_graph(graph)
    rows = graph.candidates.table[ground.rows[np.array(found.taken, int)]]
    clip, stop = ground.place(found.last)
    theta, x, z = (float(v) for v in states[found.start, :3])
    start = ground.place(int(roots[found.start]))
    assert clip == (rows["dst"][-1] if len(rows) else start[0])
    return Walk.of(
        graph, start, rows, stop=stop, placed=(theta, x, z), complete=found.complete, note=found.note, **fields
    )


def finished(
    graph: MotionGraph, goal: Goal, found: Found, roots: np.ndarray, states: np.ndarray, method: str, began: float
) -> Walk:
    """The walk with its figures."""
    own = {"method": method, "path": goal.curve.places, "seconds": time.perf_counter() - began}
    return with_figures(graph, goal, found, as_walk(graph, found, roots, states, **own))


def with_figures(graph: MotionGraph, goal: Goal, found: Found, walk: Walk) -> Walk:
    """The walk of a way, with its figures."""
    walk.facts.update(path_error(walk, goal.curve), error=found.error, expansions=found.expansions)
    walk.facts.update(found.facts, limited=found.limited, gap=found.gap)
    walk.facts["changes"] = float(change_of(graph, False)[list(found.taken)].sum()) if goal.target.extra.any() else 0.0
    walk.facts["end_speed"] = float(floor_graph(graph).pace[found.last])  # m/s
    walk.facts["behaviour_changes"] = behaviour_count(graph, found.taken)
    if any(need is not None for need in goal.needs):
        label_facts(graph, goal, walk)
    return replace(walk, note=said(graph, goal, walk)) if walk.complete and walk.method == "path" else walk
