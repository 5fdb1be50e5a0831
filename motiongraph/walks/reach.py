"""Reaching a place, facing a way, perhaps in a certain clip (Kovar 2002, 4.3)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.elementary import arccos
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model import placement
from motiongraph.model.placement import direction_of
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.curve import Curve, between, distance, trace
from motiongraph.walks.floor_path import floor_graph, without_dead_ends
from motiongraph.walks.follow_path import find, kept_clear, placed_at, starting_frames
from motiongraph.walks.found_walk import finished
from motiongraph.walks.obstacles import Obstacle, around, checked, distance_to
from motiongraph.walks.path_goal import Effort, Found, Goal, Weights, not_too_far
from motiongraph.walks.walk import Name, Seed, Stretches, Walk, frames_named

# How the end counts beside the way: missing it by 10 cm as much as walking 10 cm beside the way for 8 seconds.
_END = {"early": 0.75, "late": 2.0, "end_place": 8.0}
_END_FACING = 2.0  # m²s for facing a quarter turn away
_HANDLES = (0.4, 0.8, 1.6, 3.0)  # how widely the way may swing out, as a share of the distance
_SCOUT = 12  # width of the beam that tells which of these is best
_LAST = 1.5  # m before the end, where a clip asked for should begin, if it goes so far


def _scouting(effort: Effort) -> Effort:
    """A quick look: a fraction of the width, and of the time and expansions allowed."""
    return replace(effort.share(0.1), method="beam", width=min(effort.width, _SCOUT), best=1)


def heading_of(facing: ArrayLike) -> float:
    """Radians about y, 0 facing z, from a number or a direction (x, z)."""
    try:
        direction = np.asarray(facing, float)
    except (TypeError, ValueError):
        direction = np.empty(0)
    if direction.shape == () and np.isfinite(direction):
        return float(direction)
    if direction.shape == (2,) and np.isfinite(direction).all() and direction.any():
        return float(placement.heading_of(direction))
    raise MotionError(f"a facing is an angle in radians or a direction (x, z), not {facing!r}")


def reach(
    graph: MotionGraph, position: ArrayLike, facing: ArrayLike | None = None, clip: Name | None = None, *,
    start: Name | None = None, at: ArrayLike = (0.0, 0.0), heading: ArrayLike = 0.0, weights: Weights | None = None,
    effort: Effort | None = None, obstacles: Sequence[Obstacle] = (), rng: Seed | None = None,
    progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """The walk that ends at a position (x, z metres), facing a way: radians (0 is along z), a direction (x, z), or None
    for any; `clip`: a clip, or label, to end in.

    It begins at `at` (x, z), facing `heading`, with `start`: a clip, (clip, frame) or label, by default the best. A
    smooth curve to the goal guides it on the way, so that it neither wanders nor turns on the spot. Without a facing
    this is walking towards a point planted on the floor (Mao 2011, 4.5). obstacles: as for `follow_path`.
    """
    began = time.perf_counter()
    graph = without_dead_ends(graph)
    place, target = np.asarray(at, float), np.asarray(position, float)
    if target.shape != (2,) or place.shape != (2,) or not np.isfinite([*target, *place]).all():
        raise MotionError(f"a place is a pair x, z in metres, not {position!r}")
    not_too_far(floor_graph(graph), distance(place, target))
    turn, last = heading_of(heading), None if facing is None else heading_of(facing)
    effort = effort or Effort(rng=0 if rng is None else rng)
    roots = starting_frames(graph, start)
    states = placed_at(floor_graph(graph), roots, place, turn)
    ends: dict[str, Any] = dict(_END)
    if last is not None:
        end_x, end_z = direction_of(last).tolist()
        ends |= {"end_facing": _END_FACING, "end_x": end_x, "end_z": end_z}
    direct, things = [between(place, turn, target, last, handle) for handle in _HANDLES], checked(obstacles)

    # By its number: a word among the labels of a path is a label first.
    clip = next((number for number, own in enumerate(graph.clips) if own.name == clip), clip)
    last_metres = _LAST if clip is None else min(_LAST, _metres(graph, clip))

    def towards(clearance: float) -> Walk:
        curves = direct
        if things:
            free = [curve for curve in direct if (distance_to(things, curve.places) >= clearance).all()]
            curves = free or [around(Curve.of([place, target]), things, clearance)[0]]
        tried: list[tuple[Goal, Found]] = []
        for curve in curves:
            labels = None
            if clip is not None:
                labels, ends["strict"] = [(max(curve.length - last_metres, 0.0), clip)], 1
            goal = Goal.of(graph, curve, labels, weights, **ends)
            tried.append((goal, find(graph, goal, roots, states, _scouting(effort), progress)))
        goal, scouted = max(tried, key=lambda pair: pair[1].merit)
        found = find(graph, goal, roots, states, effort.share(1.0 - 0.1 * len(curves)), progress)
        if effort.best == 1 and (effort.method == "beam" or not found.complete):
            found = max(scouted, found, key=lambda one: one.merit)
        return finished(graph, goal, found, roots, states, "reach", began)

    walk = kept_clear(things, towards)
    places, facings = trace(walk)
    walk.facts["end_distance"] = distance(places[-1], target) if len(places) else None
    if last is not None and len(places):
        off = float((facings[-1] * direction_of(last)).sum())
        walk.facts["end_turn"] = float(np.degrees(arccos(min(max(off, -1.0), 1.0))))
    return walk


def _metres(graph: MotionGraph, name: Name) -> float:
    """The way of the root in the longest of what is named: a jump on the spot has hardly any."""
    ground = floor_graph(graph)
    named = Stretches.of(ground.starts, frames_named(graph, name))
    return float((ground.floor.arc[named.end - 1] - ground.floor.arc[named.begin]).max())
