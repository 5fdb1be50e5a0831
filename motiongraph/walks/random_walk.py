"""Random walks of any length (de Chenu 2006, 3.10; Hoang and Truong, 7), and greedy ones (dissertation, 4.7.1)."""

import time
from collections.abc import Callable

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, I32, I64, kernel, read, types
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.ease import LEAST, LONGEST_PLAYED, balanced_ease, ease
from motiongraph.walks.floor_path import RUNS, FloorGraph, Runs, floor_graph
from motiongraph.walks.walk import Name, Seed, Walk, called, frames_named

_WEARY = 1e-6  # how gladly walks stay in a clip in which they have gone round and round
LONGEST, _MOST = 36_000.0, 10_000_000  # seconds of motion, transitions
_BLOCK = 4096  # transitions between two reports of progress
# After four steps a clip that was played is half forgotten: 0.5 ** (age / 4) for ages of up to 63 steps. Products with
# powers of two are exact, so that this is the same on every processor.
_FORGOTTEN = np.array([0.5 ** (age // 4) * (1.0, 0.8408964152537145, 0.7071067811865476, 0.5946035575013605)[age % 4]
                       for age in range(64)])  # fmt: skip


def random_walk(
    graph: MotionGraph, seconds: float = 60.0, rng: Seed = 0, *, start: Name | None = None,
    transitions: int | None = None, least: float = LEAST, most: float = LONGEST_PLAYED, variety: float = 0.5,
    care: float = 1.0, limit: float | None = None, progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """A walk that leaves clips at random.

    seconds: of motion; transitions: their number instead. start: a clip, (clip, frame) or label, by default any. least,
    most: seconds played between two transitions, where the clip has as many ahead and can be left; no less than twice
    `least` are allowed. variety: 0 picks every clip alike; above that clips are entered the more often the more moments
    there are to leave them, and 1 hardly ever goes where it has just been. care: 0 picks transitions alike whatever
    they cost and however they show, 1 hardly ever one near the threshold or unlike captured motion. limit: seconds to
    compute for. `walk.log()` writes what was played.
    """
    if not (0 <= variety <= 1 and 0 <= care <= 1):
        raise MotionError("variety and care are between 0 and 1")
    if not 0 <= least <= LONGEST or not (seconds > 0 and most > 0) or (transitions is not None and transitions < 0):
        raise MotionError("the length must be above 0 and the time between transitions not below")
    if limit is None and ((seconds > LONGEST) if transitions is None else (transitions > _MOST)):
        longest = f"{LONGEST:,.0f} seconds" if transitions is None else f"{_MOST:,} transitions"
        raise MotionError(f"a walk may have {longest} at most; make several, each from where the one before ended")
    began, generator = time.perf_counter(), np.random.default_rng(rng)
    ground = floor_graph(graph)
    named = frames_named(graph, start)
    nodes = ground.nodes[named[ground.nodes]]
    if isinstance(start, tuple):
        nodes = np.flatnonzero(named)
    if not len(nodes):
        raise MotionError(
            f"no way leads on from {called(graph, start)} at {graph.thresholds.highest:g} {graph.metric.unit}; "
            "a higher threshold may have one"
        )
    frame = begin = int(generator.choice(nodes))
    length = np.inf if transitions is not None else seconds * graph.fps
    number = transitions if transitions is not None else 1 << 62
    clip_of = np.repeat(np.arange(len(graph.clips)), np.diff(ground.starts)).astype(np.int32)
    seen, staying = np.full(len(graph.clips), -(1 << 40), np.int64), np.ones(1)
    weights = balanced_ease(graph, ground, care, progress) if variety > 0 else ease(graph, ground, care)
    between, within = (round(min(value, LONGEST) * graph.fps) for value in (least, max(most, 2.0 * least)))
    parts, frames, count, note = [], 0, 0, ""
    while frames < length and count < number:
        done, total = (count, number) if transitions is not None else (frames, length)
        progress(done, total, "walking")
        if limit is not None and time.perf_counter() - began > limit:
            note = f"the {limit:g} s allowed ran out after {frames / graph.fps:.1f} s of motion"
            break
        chances = generator.random(int(min(_BLOCK, number - count)))
        taken = np.empty(len(chances), np.int32)
        found, frame, frames = random_transitions(
            ground.runs,
            clip_of,
            weights,
            seen,
            staying,
            chances,
            frame,
            frames,
            length,
            between,
            within,
            variety * (2.0 - variety),
            ground.window,
            count,
            taken,
        )
        parts.append(taken[:found])
        count += found
        if found < len(chances) and frames < length:
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
    stop = None if note else _last_frame(ground, place, taken, length, transitions)
    return Walk.of(
        graph, place, rows, stop, method="random", note=note, complete=not note, seconds=time.perf_counter() - began
    )


def _last_frame(
    ground: FloorGraph, begin: tuple[int, int], taken: np.ndarray, length: float, transitions: int | None
) -> int:
    """Where the last clip is left so that the walk is as long as asked: at the clip's end where that is sooner."""
    runs = ground.runs
    first = int(ground.starts[begin[0]]) + begin[1]
    arrived = int(runs.arrive[taken[-1]]) if len(taken) else first
    clip, frame = ground.place(arrived)
    if transitions is not None:
        return max(int(runs.run_end[arrived] - ground.starts[clip]), frame)
    entries = np.concatenate([[first], runs.arrive[taken[:-1]]]) if len(taken) else np.empty(0)
    played = int(np.sum(runs.leave[taken] - entries)) + ground.window * len(taken)
    return min(frame + max(round(length) - played, 0), int(ground.starts[clip + 1] - ground.starts[clip]))


@kernel(types.UniTuple(I64, 3)(
    RUNS, read(I32), read(F64), I64[::1], F64[::1], read(F64), I64, I64, F64, I64, I64, F64, I64, I64, I32[::1],
))  # fmt: skip
def random_transitions(
    runs, clip_of, ease, seen, staying, chances, frame, frames, length, least, most, variety, window, count, taken
):
    """Take one transition for each of `chances`; returns how many, the frame arrived at and the frames played.

    ease: (T,) how gladly each is taken; seen: (clips,) the step at which each clip was last played; staying: (1,) how
    gladly the walk stays in its clip, after doing so again and again; frames, count: frames played and transitions
    taken before; least, most: frames between two transitions. Stops where no transition lies ahead, or after `length`
    frames. variety: the share of its weight that a clip just played loses.
    """
    weights = np.empty(runs.leave.shape[0])
    for n in range(chances.shape[0]):
        end = runs.run_end[frame]
        if end < 0:
            return n, frame, frames
        last = runs.next_out[end + 1]
        first = runs.next_out[min(frame + least, end + 1)]
        if first >= last:
            first = runs.next_out[frame]
        if first >= last:
            return n, frame, frames + end - frame
        soon = runs.next_out[min(frame + most, end) + 1]
        last = soon if soon > first else last
        clip = clip_of[frame]
        seen[clip] = count + n
        total = 0.0
        for k in range(first, last):
            there = clip_of[runs.arrive[k]]
            age = count + n - seen[there]
            weight = ease[k] * (1.001 - variety * _FORGOTTEN[age] if age < 64 else 1.0)
            total += weight * staying[0] if there == clip else weight
            weights[k - first] = total
        k = first + min(np.searchsorted(weights[: last - first], chances[n] * total, side="right"), last - first - 1)
        after = frames + runs.leave[k] - frame + window
        if after >= length:  # the last clip is played on instead
            return n, frame, after
        frames, frame = after, runs.arrive[k]
        staying[0] = max(staying[0] * (1.001 - variety), _WEARY) if clip_of[frame] == clip else 1.0
        taken[n] = k
    return chances.shape[0], frame, frames


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
    cost = graph.candidates.cost[ground.rows]

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
        frame = int(ground.runs.arrive[taken[-1]])
    rows = graph.candidates.table[ground.rows[np.array(taken, int)]]
    return Walk.of(
        graph, begin, rows, method="greedy", note=note, complete=not note, seconds=time.perf_counter() - began
    )


def _start(graph: MotionGraph, ground: FloorGraph, start: Name | None, pick: Callable[[np.ndarray], int]) -> int:
    """The frame to begin with: the start of the clip or labelled stretch, where one of the cheapest can be taken."""
    named = frames_named(graph, start)
    if isinstance(start, tuple):
        return int(np.flatnonzero(named)[0])
    possible = np.flatnonzero(named[ground.runs.leave])
    if not len(possible):
        if start is None:
            raise MotionError(f"the graph has no transitions below {graph.thresholds.highest:g} {graph.metric.unit}")
        raise MotionError(
            f"no transition below {graph.thresholds.highest:g} {graph.metric.unit} leaves "
            f"{called(graph, start)}; a higher threshold has more"
        )
    return beginning(ground.runs, ground.starts, named, int(ground.runs.leave[pick(possible)]))


def beginning(runs: Runs, starts: np.ndarray, named: np.ndarray, frame: int) -> int:
    """The first frame of the stretch of `named` frames around one, as far back as the clip leads there unbroken."""
    clip_start = starts[np.searchsorted(starts, frame, side="right") - 1]
    before = np.flatnonzero(~named[clip_start:frame] | (runs.run_end[clip_start:frame] < frame))
    return int(clip_start + before[-1] + 1 if len(before) else clip_start)
