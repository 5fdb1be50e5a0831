"""Greedy walks: always one of the cheapest transitions that can still be taken (dissertation, 4.7.1)."""

import time
from collections.abc import Callable

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.floor_path import Floor, FloorGraph, floor_graph
from motiongraph.walks.frames import Name, called, frames_named
from motiongraph.walks.walk import Seed, Walk


def greedy_walk(
    graph: MotionGraph, rng: Seed = 0, max_transitions: int = 50, *, start: Name | None = None, share: float = 0.05,
    progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """At each step one of the cheapest `share` of the transitions that lie ahead in the clip, picked at random.

    start: a clip, (clip, frame) or label; by default where one of the cheapest transitions of the graph leaves. On a
    graph that is not pruned the walk may come to a place with none ahead; it ends there, and its note says so.
    """
    if not 0 < share <= 1 or max_transitions < 0:
        raise MotionError("the share of transitions is above 0 and at most 1, and their number not negative")
    began, generator = time.perf_counter(), np.random.default_rng(rng)
    ground = floor_graph(graph)
    floor, cost = ground.floor, ground.floor.jump[:, 3]

    def pick(transitions: np.ndarray) -> int:
        """One of the cheapest `share` of these; ties in the order of the table."""
        count = max(int(np.ceil(share * len(transitions))), 1)
        return int(generator.choice(transitions[np.argsort(cost[transitions], kind="stable")[:count]]))

    frame = _start(graph, ground, start, pick)
    begin, taken, note = ground.place(frame), [], ""
    for step in range(max_transitions):
        if not step % 64:
            progress(step, max_transitions, "walking")
        ahead = ground.exits(frame)
        if not len(ahead):
            clip, at = ground.place(frame)
            note = (
                f"it ended after {step} transitions at frame {at} of {graph.clips[clip].name}, from where none below "
                f"{graph.thresholds.highest:g} {graph.metric.unit} leaves; a pruned graph has no such end"
            )
            break
        taken.append(pick(ahead))
        frame = int(floor.arrive[taken[-1]])
    rows = graph.candidates.table[ground.rows[np.array(taken, int)]]
    return Walk.of(
        graph, begin, rows, method="greedy", note=note, complete=not note, seconds=time.perf_counter() - began
    )


def _start(graph: MotionGraph, ground: FloorGraph, start: Name | None, pick: Callable[[np.ndarray], int]) -> int:
    """The frame to begin with: the start of the clip or labelled stretch, where one of the cheapest can be taken."""
    floor = ground.floor
    named = frames_named(graph, start)
    if isinstance(start, tuple):
        return int(np.flatnonzero(named)[0])
    possible = np.flatnonzero(named[floor.leave])
    if not len(possible):
        if start is None:
            raise MotionError(f"the graph has no transitions below {graph.thresholds.highest:g} {graph.metric.unit}")
        raise MotionError(
            f"no transition below {graph.thresholds.highest:g} {graph.metric.unit} leaves "
            f"{called(graph, start)}; a higher threshold has more"
        )
    return beginning(floor, ground.starts, named, int(floor.leave[pick(possible)]))


def beginning(floor: Floor, starts: np.ndarray, named: np.ndarray, frame: int) -> int:
    """The first frame of the stretch of `named` frames around one, as far back as the clip leads there unbroken."""
    clip_start = starts[np.searchsorted(starts, frame, side="right") - 1]
    before = np.flatnonzero(~named[clip_start:frame] | (floor.run_end[clip_start:frame] < frame))
    return int(clip_start + before[-1] + 1 if len(before) else clip_start)
