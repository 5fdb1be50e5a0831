"""Reaching a place, facing a way, perhaps in a certain clip (Kovar 2002, 4.3)."""

import time
from dataclasses import replace

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks.curve import between
from motiongraph.walks.floor_path import ground_of, without_dead_ends
from motiongraph.walks.follow_path import finished, placed_at, starting_frames
from motiongraph.walks.path_error import trace
from motiongraph.walks.path_goal import Goal
from motiongraph.walks.planner import Effort, find
from motiongraph.walks.walk import Walk

# How the end counts beside the way: missing it by 10 cm as much as walking 10 cm beside the way for 8 seconds.
_END = {"early": 0.75, "late": 2.0, "end_place": 8.0}
_END_FACING = 2.0  # m²s for facing a quarter turn away
_HANDLES = (0.4, 0.8, 1.6, 3.0)  # how widely the way may swing out, as a share of the distance
_SCOUT = 12  # width of the beam that tells which of these is best
_LAST = 1.5  # m before the end, where a clip asked for should begin


def _scouting(effort: Effort) -> Effort:
    """A quick look: a fraction of the width, and of the time and expansions allowed."""
    return replace(_share(effort, 0.1), width=min(effort.width, _SCOUT), best=1)


def _share(effort: Effort, share: float) -> Effort:
    """With so much of the time and expansions allowed."""
    seconds = None if effort.seconds is None else share * effort.seconds
    return replace(effort, seconds=seconds, expansions=effort.expansions and max(int(share * effort.expansions), 1))


def heading_of(facing) -> float:
    """Radians about y, 0 facing z, from a number or a direction (x, z)."""
    try:
        direction = np.asarray(facing, float)
    except (TypeError, ValueError):
        direction = np.empty(0)
    if direction.shape == () and np.isfinite(direction):
        return float(direction)
    if direction.shape == (2,) and np.isfinite(direction).all() and np.linalg.norm(direction) > 0:
        return float(np.arctan2(direction[0], direction[1]))
    raise MotionError(f"a facing is an angle in radians or a direction (x, z), not {facing!r}")


def reach(
    graph, position, facing=None, clip=None, *, start=None, at=(0.0, 0.0), heading=0.0, weights=None, effort=None,
    rng=None, progress=SILENT,
) -> Walk:  # fmt: skip
    """The walk that ends at a position (x, z metres), facing a way: radians (0 is along z), a direction (x, z), or None
    for any; `clip`: a clip, or label, to end in.

    It begins at `at` (x, z), facing `heading`, with `start`: a clip, (clip, frame) or label, by default the best. A
    smooth curve to the goal guides it on the way, so that it neither wanders nor turns on the spot. Without a facing
    this is walking towards a point planted on the floor (Mao 2011, 4.5).
    """
    began = time.perf_counter()
    graph = without_dead_ends(graph)
    place, target = np.asarray(at, float), np.asarray(position, float)
    if target.shape != (2,) or place.shape != (2,) or not np.isfinite([*target, *place]).all():
        raise MotionError(f"a place is a pair x, z in metres, not {position!r}")
    turn, last = heading_of(heading), None if facing is None else heading_of(facing)
    effort = effort or Effort(rng=0 if rng is None else rng)
    roots = starting_frames(graph, start)
    states = placed_at(ground_of(graph), roots, place, turn)
    ends = dict(_END)
    if last is not None:
        ends |= {"end_facing": _END_FACING, "end_x": np.sin(last), "end_z": np.cos(last)}
    best = None
    for handle in _HANDLES:
        curve = between(place, turn, target, last, handle)
        labels = None
        if clip is not None:
            labels, ends["strict"] = [(max(curve.length - _LAST, 0.0), clip)], 1
        goal = Goal.of(graph, curve, labels, weights, **ends)
        found = find(graph, goal, roots, states, _scouting(effort), progress)
        if best is None or (found.complete, -found.error) > (best[1].complete, -best[1].error):
            best = goal, found
    found = find(graph, best[0], roots, states, _share(effort, 1.0 - 0.1 * len(_HANDLES)), progress)
    if (found.complete, -found.error) > (best[1].complete, -best[1].error):
        best = best[0], found
    walk = finished(graph, *best, roots, states, "reach", began)
    places, facings = trace(walk)
    walk.facts["end_distance"] = float(np.linalg.norm(places[-1] - target)) if len(places) else None
    if last is not None and len(places):
        off = facings[-1] @ [np.sin(last), np.cos(last)]
        walk.facts["end_turn"] = float(np.degrees(np.arccos(np.clip(off, -1.0, 1.0))))
    return walk
