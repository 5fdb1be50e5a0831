"""Where motion of one label passes into motion of another, and why a label of a path begins early or late.

A passage is a transition from one to the other, or a place within a clip at which its label changes: a clip that is
entered before that place, and left after it, is played in between as it was captured, whichever way the path turns.
"""

from typing import NamedTuple

import numpy as np

from motiongraph.elementary import arctan2
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.path_goal import Goal
from motiongraph.walks.sharp_turns import tightest_turn, turn_near
from motiongraph.walks.walk import called

_CORNER = 30.0  # degrees within a metre by which a path turns
_MORE = 20.0  # degrees by which it turns more than a passage
_LONG = 0.8  # m as captured that matter
_FEW = 8  # passages
_MANY = 500  # clips beyond which the tightest turn of a label is not looked for


class Passages(NamedTuple):
    """The n ways in which one label passes into another."""

    metres: np.ndarray  # (n,) played as captured, or blended
    turns: np.ndarray  # (n,) degrees by which the body turns meanwhile


def passages(graph: MotionGraph, before: np.ndarray | None, need: np.ndarray) -> Passages:
    """How motion of `before` (F,) bool, None for any, passes into such of `need` (F,) bool."""
    floor = floor_graph(graph).floor
    other = ~need if before is None else before & ~need
    jumps = np.flatnonzero(other[floor.leave] & need[floor.arrive])
    metres = [floor.jump[jumps, 4]]
    turns = [_angle(floor.way[jumps, 0, 3:], floor.way[jumps, -1, 3:])]
    arrivals = np.unique(floor.arrive)
    # Frames that have the label and go on from one that has not.
    at = np.flatnonzero(other[:-1] & need[1:] & (floor.run_end[:-1] > np.arange(len(need) - 1))) + 1
    entry = np.searchsorted(arrivals, at, side="right") - 1
    at, entry = at[entry >= 0], arrivals[entry[entry >= 0]]
    entered = (entry <= at) & (floor.run_end[entry] >= at)
    at, entry = at[entered], entry[entered]
    leaves = np.append(floor.leave, len(need))[floor.next_out[at]]
    left = np.minimum(leaves, floor.run_end[at])
    metres.append(floor.arc[left] - floor.arc[entry])
    turns.append(_angle(floor.face[entry], floor.face[left]))
    return Passages(np.concatenate(metres), np.concatenate(turns))


def why_misplaced(graph: MotionGraph, goal: Goal, k: int) -> str:
    """Why the label of stretch k of a path does not begin where it was asked for."""
    before, need, at = goal.needs[k - 1], goal.needs[k], float(goal.changes[k])
    assert need is not None
    found, turn = passages(graph, before, need), turn_near(goal.curve, at)
    own = called(graph, goal.asked[k])
    way = f"from {called(graph, goal.asked[k - 1])} to {own}"
    if turn > _CORNER and len(found.metres):
        least, most = float(found.metres.min()), float(found.turns.max())
        if least >= _LONG and turn > most + _MORE:
            return (
                f"the path turns by {turn:.0f}° there, and every way {way} goes on for {least:.1f} m or more as "
                f"captured, turning by {most:.0f}° at most"
            )
    if turn > _CORNER:
        if len(graph.clips) <= _MANY and (sharpest := float(np.degrees(tightest_turn(graph, need)))) + _MORE < turn:
            return f"the path turns by {turn:.0f}° within a metre there, {own} by no more than {sharpest:.0f}°"
        return f"the path turns by {turn:.0f}° there, and no way was found that comes round and to it at once"
    if 0 < (count := len(found.metres)) <= _FEW:
        only = "is only 1 way" if count == 1 else f"are only {count} ways"
        return f"there {only} {way}, and no walk was found that takes it there and keeps near the path"
    return "no way near the path was found that comes to it there"


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n,) degrees between directions a and b (n, 2), x, z."""
    return np.abs(np.degrees(arctan2(a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1], (a * b).sum(axis=1))))
