"""Greedy walks: always one of the cheapest transitions that can still be taken (dissertation, 4.7.1)."""

import time

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks.floor_path import ground_of
from motiongraph.walks.frames import called, frames_named
from motiongraph.walks.walk import Walk


def greedy_walk(graph, rng=0, max_transitions: int = 50, *, start=None, share: float = 0.05, progress=SILENT) -> Walk:
    """At each step one of the cheapest `share` of the transitions that lie ahead in the clip, picked at random.

    start: a clip, (clip, frame) or label; by default where one of the cheapest transitions of the graph leaves. On a
    graph that is not pruned the walk may come to a place with none ahead; it ends there, and its note says so.
    """
    if not 0 < share <= 1 or max_transitions < 0:
        raise MotionError("the share of transitions is above 0 and at most 1, and their number not negative")
    began, rng = time.perf_counter(), np.random.default_rng(rng)
    ground = ground_of(graph)
    terrain, cost = ground.terrain, ground.terrain.jump[:, 3]

    def pick(transitions):
        """One of the cheapest `share` of these; ties in the order of the table."""
        count = max(int(np.ceil(share * len(transitions))), 1)
        return int(rng.choice(transitions[np.argsort(cost[transitions], kind="stable")[:count]]))

    frame = _start(graph, ground, start, pick, rng)
    begin, taken, note = ground.place(frame), [], ""
    for step in range(max_transitions):
        if not step % 64:
            progress(step, max_transitions, "walking")
        end = terrain.run_end[frame]
        ahead = np.arange(terrain.next_out[frame], terrain.next_out[end + 1] if end >= 0 else terrain.next_out[frame])
        if not len(ahead):
            clip, at = ground.place(frame)
            note = (
                f"it ended after {step} transitions at frame {at} of {graph.clips[clip].name}, from where none below "
                f"{graph.thresholds.highest:g} {graph.metric.unit} leaves; a pruned graph has no such end"
            )
            break
        taken.append(pick(ahead))
        frame = int(terrain.arrive[taken[-1]])
    rows = graph.candidates.table[ground.rows[np.array(taken, int)]]
    return Walk.of(
        graph, begin, rows, method="greedy", note=note, complete=not note, seconds=time.perf_counter() - began
    )


def _start(graph, ground, start, pick, rng):
    """The frame to begin with: the start of the clip or labelled stretch, where one of the cheapest can be taken."""
    terrain = ground.terrain
    named = frames_named(graph, start)
    if isinstance(start, tuple):
        return int(np.flatnonzero(named)[0])
    possible = np.flatnonzero(named[terrain.leave])
    if not len(possible):
        if start is None:
            raise MotionError(f"the graph has no transitions below {graph.thresholds.highest:g} {graph.metric.unit}")
        raise MotionError(
            f"no transition below {graph.thresholds.highest:g} {graph.metric.unit} leaves "
            f"{called(graph, start)}; a higher threshold has more"
        )
    return beginning(terrain, ground.starts, named, int(terrain.leave[pick(possible)]))


def beginning(terrain, starts, named, frame: int) -> int:
    """The first frame of the stretch of `named` frames around one, as far back as the clip leads there unbroken."""
    clip_start = starts[np.searchsorted(starts, frame, side="right") - 1]
    before = np.flatnonzero(~named[clip_start:frame] | (terrain.run_end[clip_start:frame] < frame))
    return int(clip_start + before[-1] + 1 if len(before) else clip_start)
