"""Why a result turned from one clip into another: the two windows, what the transition cost, what else there was."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.cells import show_walk, transition_walk_of
from motiongraph.app.commands import apply
from motiongraph.app.library import Entry
from motiongraph.app.matrix import threshold_of
from motiongraph.app.pair import Pair
from motiongraph.app.playback import RESULT, frame_of, seek
from motiongraph.errors import MotionError

_AROUND = 0.5  # seconds to either side of the cell in the small matrix
MOST = 200  # alternatives that are listed
ALTERNATIVE = "alternative"  # the method of a walk that shows one


@dataclass(frozen=True, eq=False)
class Crop:
    """The matrix around a transition: levels and highest as for a heat map; start_a, start_b: the frames of the graph's
    clips in row and column 0; cell: the transition's; minima: (row, column, cost), the best first."""

    levels: tuple[np.ndarray, ...]
    highest: float
    start_a: int
    start_b: int
    cell: tuple[int, int]
    minima: list[tuple[int, int, float]]


@dataclass(frozen=True, eq=False)
class Reason:
    """One transition of a result. entry: the result; number: which of its transitions; jump: that row; begin, end: its
    frames in the motion; threshold: what it might have cost at most, None where that is not known; alternatives: rows
    of TRANSITION that leave the same piece, from where it was entered, the cheapest first, and taken: the row among
    them; more: how many are not listed; ends: both clips, prepared for drawing, and crop: None until they are there."""

    entry: Entry
    number: int
    jump: np.void
    begin: int
    end: int
    threshold: float | None
    alternatives: np.ndarray
    taken: int
    more: int
    ends: tuple[Entry, Entry] | None = None
    crop: Crop | None = None

    @property
    def walk(self):
        return self.entry.made.walk

    @property
    def unit(self) -> str:
        return self.entry.made.unit

    def file_frame(self, clip: int, frame: int) -> int:
        return self.entry.made.file_frame(clip, frame)


@dataclass(eq=False)
class WhyState:
    """reason: what is explained, or None; pair: how it is shown in the scene, and place: theta, x, z of the character
    then; aside: an alternative is played, and the result it belongs to is explained meanwhile."""

    reason: Reason | None = None
    pair: Pair | None = None
    place: tuple[float, float, float] | None = None
    aside: bool = False


def explained(state) -> Entry | None:
    """The result to explain: the one in hand, or the one in the result's track."""
    for track in (state.active, RESULT):
        entry = state.library.get(state.tracks[track].clip)
        if entry is not None and entry.made and len(entry.made.walk.transitions):
            return entry
    return None


def _track(state, entry: Entry) -> int:
    """The track in which the result to explain is shown."""
    return state.active if state.tracks[state.active].clip == entry.number else RESULT


def seams(walk) -> np.ndarray:
    """(n, 2) first frame and frame after the last of every transition in the motion of a walk."""
    ends = walk.begins[1:]
    return np.column_stack([ends - walk.window, ends])


def nearest(walk, frame: float) -> int:
    """The transition that is played at a frame of the motion, or the nearest one."""
    return bisect_left(_halfway(walk), frame)


@lru_cache(maxsize=2)
def _halfway(walk) -> list[float]:
    """The frames half way from each transition to the next; asked for in every frame that is drawn."""
    spans = seams(walk)
    return (0.5 * (spans[:-1, 1] - 1 + spans[1:, 0])).tolist()


def _same(rows, jump) -> np.ndarray:
    """Which rows of TRANSITION join the same two frames."""
    same = np.ones(len(rows), bool)
    for name in ("src", "src_frame", "dst", "dst_frame"):
        same &= rows[name] == jump[name]
    return same


def _limit(graph, jump) -> float | None:
    """What a transition of a graph may cost at most; None where it is none of its candidates."""
    limits = graph.thresholds.limits(graph.candidates)
    if np.ndim(limits) == 0:
        return float(limits)
    row = np.flatnonzero(_same(graph.candidates.table, jump))
    return float(limits[row[0]]) if len(row) else None


def alternatives(graph, walk, number: int) -> tuple[np.ndarray, int]:
    """The transitions of a graph that leave the piece before a transition, from where it was entered to the clip's
    end, the cheapest first, and which of them was taken (−1: it is none of the graph's any more)."""
    step, jump = walk.steps[number], walk.transitions[number]
    table = graph.transitions
    first = np.searchsorted(table["src"], step["clip"], "left")
    last = np.searchsorted(table["src"], step["clip"], "right")
    found = table[first:last]
    found = found[found["src_frame"] >= step["start"]]
    found = found[np.argsort(found["cost"], kind="stable")]
    same = _same(found, jump)
    return found, int(np.argmax(same)) if same.any() else -1


def reason_of(state, entry: Entry, number: int) -> Reason:
    made = entry.made
    walk, graph = made.walk, made.graph
    jump = walk.transitions[number]
    begin, end = seams(walk)[number].tolist()
    found, taken, threshold = walk.transitions[number : number + 1], 0, None
    if graph is not None:
        found, taken = alternatives(graph, walk, number)
        threshold = _limit(graph, jump)
    elif state.matrix.heat is not None and state.matrix.heat.unit == made.unit:
        threshold = threshold_of(state)
    listed = found[:MOST]
    if taken >= MOST:  # the one that was taken is always among them
        listed, taken = np.append(listed, found[taken]), MOST
    finite = threshold if threshold is not None and np.isfinite(threshold) else None
    ends = (made.entries[jump["src"]], made.entries[jump["dst"]]) if made.entries else None
    return Reason(entry, number, jump, begin, end, finite, listed, taken, len(found) - len(listed), ends)


def _ends_of(walk, jump) -> tuple[Entry, Entry]:
    """Both clips of a transition prepared for drawing, where the result came from a file without that."""
    from motiongraph.app.prepared import prepare

    clips = {clip: walk.clips[clip] for clip in (jump["src"], jump["dst"])}
    ready = {i: Entry(-1, clip, prepare(clip), start=clip.first, stop=len(clip)) for i, clip in clips.items()}
    return ready[jump["src"]], ready[jump["dst"]]


def pair_of(reason: Reason, place) -> Pair | None:
    """Both windows where the walk put them; place: theta, x, z of the result's character."""
    from motiongraph.model.placement import compose

    if reason.ends is None:
        return None
    (a, b), jump = reason.ends, reason.jump
    placed = compose(place, reason.walk.placements[reason.number])
    alignment = tuple(float(jump[name]) for name in ("theta", "x0", "z0"))
    placed = tuple(float(value) for value in placed)
    frames = int(jump["src_frame"]), int(jump["dst_frame"])
    return Pair(a, frames[0], b, frames[1], alignment, reason.walk.window, placed=placed, windows=True)


def crop_of(walk, jump, progress) -> Crop:
    """The matrix around a transition, computed from the few frames it needs."""
    from motiongraph.metric.distance import distance_matrix
    from motiongraph.metric.overview import pyramid

    progress(0, 1, "")
    around, parts, starts = round(_AROUND * walk.fps), [], []
    for clip, frame in ((walk.clips[jump["src"]], jump["src_frame"]), (walk.clips[jump["dst"]], jump["dst_frame"])):
        # As much on one side as is missing on the other, where the clip begins or ends near by.
        low = max(min(int(frame) - around, len(clip) - walk.window - 2 * around), clip.first)
        parts.append(clip[low : low + 2 * around + walk.window])
        starts.append(low)
    matrix = distance_matrix(*parts, walk.metric, cache=False, progress=progress)
    i, j = int(jump["src_frame"]) - starts[0], int(jump["dst_frame"]) - starts[1]
    minima = matrix.minima(None, border=False).tolist()
    return Crop(pyramid(matrix.cost), float(matrix.cost.max()), *starts, (i, j), minima)


def _explain(state, entry: Entry, number: int) -> None:
    why = state.why
    why.reason = reason = reason_of(state, entry, number)

    def work(progress, deliver):
        crop = crop_of(reason.walk, reason.jump, progress)
        deliver((reason.ends or _ends_of(reason.walk, reason.jump), crop))

    def then(found):
        if why.reason is reason:
            why.reason = replace(reason, ends=found[0], crop=found[1])

    state.jobs.start("why", "looking around the transition", work, then, quiet=True)


def _hide(state) -> None:
    why = state.why
    if why.pair is not None and state.scene.pair is why.pair:
        state.scene.pair = None
    why.pair = None


def forget(state) -> None:
    """Explain nothing any more."""
    _hide(state)
    state.why.reason, state.why.aside = None, False


# Commands


@apply.register
def _(command: do.AskWhy, state):
    if "why" in state.wishes.shown:
        forget(state)
        apply(do.ShowPanel("why", False), state)
        return
    entry = explained(state)
    if entry is not None:
        apply(do.TakeTrack(_track(state, entry)), state)
        apply(do.Pause(), state)
    apply(do.ShowPanel("why", True), state)


@apply.register
def _(command: do.WatchWhy, state):
    why, entry = state.why, explained(state)
    if "why" not in state.wishes.shown:
        forget(state)
        return
    if entry is None:
        forget(state)
        return
    shown = why.reason and why.reason.entry
    known = shown is not None and shown is not entry and shown.number in state.library.entries
    why.aside = known and entry.made.method == ALTERNATIVE
    if why.aside:
        _hide(state)
        return
    track = _track(state, entry)
    number = nearest(entry.made.walk, frame_of(state, track))
    if shown is not entry or why.reason.number != number:
        _hide(state)
        _explain(state, entry, number)
    place = state.scene.places.get(entry.number, (0.0, 0.0, 0.0))
    if state.playback.playing or track != state.active or place != why.place:
        _hide(state)  # what is played comes first
    if not state.playback.playing and track == state.active and state.scene.pair is None:
        why.place = place
        state.scene.pair = why.pair = pair_of(why.reason, place)


@apply.register
def _(command: do.ShowTransition, state):
    entry = explained(state)
    if entry is None:
        raise MotionError("there is no result whose transitions could be shown: make a walk first")
    spans = seams(entry.made.walk)
    if not 0 <= command.number < len(spans):
        raise MotionError(f"{entry.name} has transitions 0 to {len(spans) - 1}, not {command.number}")
    track = _track(state, entry)
    apply(do.TakeTrack(track), state)
    apply(do.Pause(), state)
    seek(state, 0.5 * (spans[command.number, 0] + spans[command.number, 1] - 1), track)


@apply.register
def _(command: do.PreviewAlternative, state):
    reason = state.why.reason
    if reason is None or not 0 <= command.row < len(reason.alternatives):
        raise MotionError("there is no such alternative")
    made, jump = reason.entry.made, reason.alternatives[command.row]
    walk = made.walk
    name = f"{walk.clips[jump['src']].name} → {walk.clips[jump['dst']].name}"
    found = transition_walk_of(walk, walk.clips, jump, ALTERNATIVE)
    show_walk(state, lambda progress: (found, made.entries, made.report.get("files") or ()), name, made.graph)


@apply.register
def _(command: do.LeaveAlternative, state):
    reason = state.why.reason
    if reason is not None and reason.entry.number in state.library.entries:
        apply(do.SelectClip(reason.entry.number, RESULT), state)
        apply(do.TakeTrack(RESULT), state)
        apply(do.ShowTransition(reason.number), state)
