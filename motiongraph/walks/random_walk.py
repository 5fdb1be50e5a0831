"""Random walks of any length (de Chenu 2006, 3.10; Hoang and Truong, 7)."""

import time

import numpy as np
from numba import njit, types

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks.floor_path import COMPILED, TERRAIN, ground_of, read
from motiongraph.walks.frames import called, frames_named
from motiongraph.walks.walk import Walk

_BLOCK = 4096  # transitions between two looks at the world
_MEMORY = 4.0  # steps until a clip played is half forgotten


def random_walk(
    graph, seconds: float = 60.0, rng=0, *, start=None, transitions: int | None = None, least: int = 5,
    variety: float = 0.5, limit: float | None = None, progress=SILENT,
) -> Walk:  # fmt: skip
    """A walk that leaves clips at random.

    seconds: of motion; transitions: their number instead. start: a clip, (clip, frame) or label, by default any. least:
    frames played between two transitions, where the clip has as many ahead. variety: 0 picks every transition alike, 1
    hardly ever goes where it has just been. limit: seconds to compute for. `walk.log()` writes what was played.
    """
    if not 0 <= variety <= 1 or least < 0 or not seconds > 0 or (transitions is not None and transitions < 0):
        raise MotionError("variety is between 0 and 1, the length above 0 and the frames between transitions not below")
    began, rng = time.perf_counter(), np.random.default_rng(rng)
    ground = ground_of(graph)
    terrain = ground.terrain
    named = frames_named(graph, start)
    nodes = ground.nodes[named[ground.nodes]]
    if isinstance(start, tuple):
        nodes = np.flatnonzero(named)
    if not len(nodes):
        raise MotionError(
            f"no way leads on from {called(graph, start)} at {graph.thresholds.highest:g} {graph.metric.unit}; "
            "a higher threshold may have one"
        )
    frame = begin = int(rng.choice(nodes))
    wanted = np.inf if transitions is not None else seconds * graph.fps
    most = transitions if transitions is not None else 1 << 62
    clip_of = np.repeat(np.arange(len(graph.clips)), np.diff(ground.starts)).astype(np.int32)
    seen = np.full(len(graph.clips), -(1 << 40), np.int64)
    parts, frames, count, note = [], 0, 0, ""
    while frames < wanted and count < most:
        done, total = (count, most) if transitions is not None else (frames, wanted)
        progress(done, total, "walking")
        if limit is not None and time.perf_counter() - began > limit:
            note = f"the {limit:g} s allowed ran out after {frames / graph.fps:.1f} s of motion"
            break
        chances = rng.random(int(min(_BLOCK, most - count)))
        taken = np.empty(len(chances), np.int32)
        made, frame, frames = _wander(
            terrain, clip_of, seen, chances, frame, frames, wanted, least, float(variety), ground.window, count, taken
        )
        parts.append(taken[:made])
        count += made
        if made < len(chances) and frames < wanted:
            clip, at = ground.place(frame)
            name = graph.clips[clip].name
            note = (
                f"it ended after {count} transitions at frame {at} of {name}, from where none leaves; a pruned graph "
                "has no such end"
            )
            break
    taken = np.concatenate([np.empty(0, np.int32), *parts])
    rows = graph.candidates.table[ground.rows[taken]]
    place = ground.place(begin)
    stop = None if note else _last_frame(ground, place, taken, wanted, transitions)
    return Walk.of(
        graph, place, rows, stop, method="random", note=note, complete=not note, seconds=time.perf_counter() - began
    )


def _last_frame(ground, begin, taken, wanted, transitions):
    """Where the last clip is left so that the walk is as long as asked: at the clip's end where that is sooner."""
    terrain = ground.terrain
    first = ground.starts[begin[0]] + begin[1]
    arrived = int(terrain.arrive[taken[-1]]) if len(taken) else int(first)
    clip, frame = ground.place(arrived)
    if transitions is not None:
        return int(max(terrain.run_end[arrived] - ground.starts[clip], frame))
    entries = np.concatenate([[first], terrain.arrive[taken[:-1]]]) if len(taken) else np.empty(0)
    played = np.sum(terrain.leave[taken] - entries) + ground.window * len(taken)
    length = ground.starts[clip + 1] - ground.starts[clip]
    return int(min(frame + max(round(wanted) - played, 0), length))


@njit(types.UniTuple(types.int64, 3)(
    TERRAIN, read(types.int32, 1), types.int64[::1], read(types.float64, 1), types.int64, types.int64, types.float64,
    types.int64, types.float64, types.int64, types.int64, types.int32[::1]), **COMPILED)  # fmt: skip
def _wander(terrain, clip_of, seen, chances, frame, frames, wanted, least, variety, window, count, taken):
    """Take one transition for each of `chances`; returns how many, the frame arrived at and the frames played.

    seen: (clips,) the step at which each clip was last played. Stops where none lies ahead, or once `wanted` frames
    are reached.
    """
    weights = np.empty(terrain.leave.shape[0])
    for n in range(chances.shape[0]):
        end = terrain.run_end[frame]
        if end < 0:
            return n, frame, frames
        if frames + end - frame >= wanted:
            return n, frame, frames + end - frame
        last = terrain.next_out[end + 1]
        first = terrain.next_out[min(frame + least, end + 1)]
        if first >= last:
            first = terrain.next_out[frame]
        if first >= last:
            return n, frame, frames
        seen[clip_of[frame]] = count + n
        total = 0.0
        for k in range(first, last):
            age = count + n - seen[clip_of[terrain.arrive[k]]]
            total += 1.001 - variety * 0.5 ** (age / _MEMORY) if age < 64 else 1.0
            weights[k - first] = total
        k = first + min(np.searchsorted(weights[: last - first], chances[n] * total, side="right"), last - first - 1)
        frames += terrain.leave[k] - frame + window
        frame = terrain.arrive[k]
        taken[n] = k
        if frames >= wanted:
            return n + 1, frame, frames
    return chances.shape[0], frame, frames
