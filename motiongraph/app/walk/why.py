"""Why a result turned from one clip into another: the two windows, what the transition cost, what else there was."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import command
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Entry, prepare
from motiongraph.app.matrix import heat
from motiongraph.app.matrix.comparison import threshold_of
from motiongraph.app.playback import RESULT, activate_track, frame_of, seek, show_clip
from motiongraph.app.scene.cast import Pair
from motiongraph.app.walk.results import made_of, show_walk, transition_walk_of
from motiongraph.app.window import show_panel
from motiongraph.errors import MotionError
from motiongraph.metric.distance import distance_matrix
from motiongraph.model.placement import compose
from motiongraph.progress import Progress

if TYPE_CHECKING:
    from motiongraph.app.scene.layers import Place
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.walks.walk import Walk

_AROUND = 0.5  # seconds to either side of the cell in the small matrix
MOST = 200  # alternatives that are listed
ALTERNATIVE = "alternative"  # the method of a walk that shows one


@dataclass(frozen=True, eq=False)
class Crop:
    """The matrix around a transition."""

    levels: tuple[np.ndarray, ...]  # as for a heat map
    highest: float
    start_a: int  # frame of the graph's clip in row 0
    start_b: int  # frame of the graph's clip in column 0
    cell: tuple[int, int]  # of the transition
    minima: list[tuple[int, int, float]]  # row, column and cost, the best first


@dataclass(frozen=True, eq=False)
class Reason:
    """One transition of a result, and what else there was."""

    entry: Entry  # the result
    number: int  # which of its transitions
    jump: np.void  # that row of TRANSITION
    begin: int  # its first frame in the motion
    end: int  # the frame after its last
    threshold: float | None  # highest cost that was allowed, None where that is not known
    alternatives: np.ndarray  # rows of TRANSITION that leave the same piece after it was entered, the cheapest first
    taken: int  # which of them was taken
    more: int  # how many are not listed
    ends: tuple[Entry, Entry] | None = None  # both clips prepared for drawing, None until they are there
    crop: Crop | None = None  # None until it is there

    @property
    def walk(self) -> Walk:
        return made_of(self.entry).walk

    @property
    def unit(self) -> str:
        return made_of(self.entry).unit

    def file_frame(self, clip: int, frame: int) -> int:
        return made_of(self.entry).file_frame(clip, frame)


@dataclass(eq=False)
class WhyState:
    """The transition that is explained."""

    reason: Reason | None = None
    pair: Pair | None = None  # how it is shown in the scene
    place: Place | None = None  # of the character then
    aside: bool = False  # an alternative is played; the result it belongs to stays explained


def explained(state: AppState) -> Entry | None:
    """The result to explain: that of the active track, or of the result's track."""
    for track in (state.active, RESULT):
        entry = state.library.get(state.tracks[track].clip)
        if entry is not None and entry.made and not entry.made.live and len(entry.made.walk.transitions):
            return entry
    return None


def _track(state: AppState, entry: Entry) -> int:
    """The track in which the result to explain is shown."""
    return state.active if state.tracks[state.active].clip == entry.number else RESULT


def seams(walk: Walk) -> np.ndarray:
    """(n, 2) first frame and frame after the last of every transition in the motion of a walk."""
    ends = walk.begins[1:]
    return np.column_stack([ends - walk.window, ends])


def nearest(walk: Walk, frame: float) -> int:
    """The transition that is played at a frame of the motion, or the nearest one."""
    return bisect_left(_halfway(walk), frame)


@lru_cache(maxsize=2)
def _halfway(walk: Walk) -> list[float]:
    """The frames half way from each transition to the next; asked for in every frame that is drawn."""
    spans = seams(walk)
    return (0.5 * (spans[:-1, 1] - 1 + spans[1:, 0])).tolist()


def _same(rows: np.ndarray, jump: np.void) -> np.ndarray:
    """Which rows of TRANSITION join the same two frames."""
    same = np.ones(len(rows), bool)
    for name in ("src", "src_frame", "dst", "dst_frame"):
        same &= rows[name] == jump[name]
    return same


def _limit(graph: MotionGraph, jump: np.void) -> float | None:
    """What a transition of a graph may cost at most; None where it is none of its candidates."""
    limits = graph.thresholds.limits(graph.candidates)
    if not isinstance(limits, np.ndarray):
        return float(limits)
    row = np.flatnonzero(_same(graph.candidates.table, jump))
    return float(limits[row[0]]) if len(row) else None


def alternatives(graph: MotionGraph, walk: Walk, number: int) -> tuple[np.ndarray, int]:
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


def reason_of(state: AppState, entry: Entry, number: int) -> Reason:
    made = made_of(entry)
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


def _ends_of(walk: Walk, jump: np.void) -> tuple[Entry, Entry]:
    """Both clips of a transition prepared for drawing, where the result came from a file without that."""
    clips = {clip: walk.clips[clip] for clip in (jump["src"], jump["dst"])}
    ready = {i: Entry(-1, clip, prepare(clip), start=clip.first, stop=len(clip)) for i, clip in clips.items()}
    return ready[jump["src"]], ready[jump["dst"]]


def pair_of(reason: Reason, place: Place) -> Pair | None:
    """Both windows where the walk put them; place: theta, x, z of the result's character."""
    if reason.ends is None:
        return None
    (a, b), jump, turns = reason.ends, reason.jump, made_of(reason.entry).turns
    placed = reason.walk.placements[reason.number]
    placed = compose(place, placed if turns is None else compose(turns[reason.number], placed))
    alignment = float(jump["theta"]), float(jump["x0"]), float(jump["z0"])
    theta, x, z = map(float, placed)
    frames = int(jump["src_frame"]), int(jump["dst_frame"])
    return Pair(a, frames[0], b, frames[1], alignment, reason.walk.window, placed=(theta, x, z), windows=True)


def crop_of(walk: Walk, jump: np.void, progress: Progress) -> Crop:
    """The matrix around a transition, computed from the few frames it needs."""
    progress(0, 1, "")
    around, parts, starts = round(_AROUND * walk.fps), [], []
    for clip, frame in ((walk.clips[jump["src"]], jump["src_frame"]), (walk.clips[jump["dst"]], jump["dst_frame"])):
        # As much on one side as is missing on the other, where the clip begins or ends near by.
        low = max(min(int(frame) - around, len(clip) - walk.window - 2 * around), clip.first)
        parts.append(clip[low : low + 2 * around + walk.window])
        starts.append(low)
    matrix = distance_matrix(parts[0], parts[1], walk.metric, cache=False, progress=progress)
    i, j = int(jump["src_frame"]) - starts[0], int(jump["dst_frame"]) - starts[1]
    minima = matrix.minima(None, border=False).tolist()
    return Crop(heat.pyramid(matrix.cost), float(matrix.cost.max()), starts[0], starts[1], (i, j), minima)


def _explain(state: AppState, entry: Entry, number: int) -> None:
    why = state.why
    why.reason = reason = reason_of(state, entry, number)

    def work(progress, deliver):
        crop = crop_of(reason.walk, reason.jump, progress)
        deliver((reason.ends or _ends_of(reason.walk, reason.jump), crop))

    def then(found):
        if why.reason is reason:
            why.reason = replace(reason, ends=found[0], crop=found[1])

    state.jobs.start(JobKind.WHY, "looking around the transition", work, then, quiet=True)


def _hide(state: AppState) -> None:
    why = state.why
    if why.pair is not None and state.scene.pair is why.pair:
        state.scene.pair = None
    why.pair = None


def forget(state: AppState) -> None:
    """Explain nothing any more."""
    _hide(state)
    state.why.reason, state.why.aside = None, False


def show_transition(state: AppState, number: int) -> None:
    """Go to a transition of the result, by number."""
    entry = explained(state)
    if entry is None:
        raise MotionError("there is no result whose transitions could be shown: make a walk first")
    spans = seams(made_of(entry).walk)
    if not 0 <= number < len(spans):
        raise MotionError(f"{entry.name} has transitions 0 to {len(spans) - 1}, not {number}")
    track = _track(state, entry)
    activate_track(state, track)
    state.playback.playing = False
    seek(state, 0.5 * (spans[number, 0] + spans[number, 1] - 1), track)


# Commands


@command
class AskWhy:
    """Explain the transition that is played now, or the nearest one; asked again, stop explaining."""

    def apply(self, state: AppState) -> None:
        if "why" in state.window.shown:
            forget(state)
            show_panel(state, "why", False)
            return
        entry = explained(state)
        if entry is not None:
            activate_track(state, _track(state, entry))
            state.playback.playing = False
        show_panel(state, "why", True)


@command
class WatchWhy:
    """The explanation is looked at in this frame: keep it up with what is played."""

    def apply(self, state: AppState) -> None:
        why, entry = state.why, explained(state)
        if "why" not in state.window.shown:
            forget(state)
            return
        if entry is None:
            forget(state)
            return
        shown = why.reason and why.reason.entry
        known = shown is not None and shown is not entry and shown.number in state.library.entries
        why.aside = known and made_of(entry).method == ALTERNATIVE
        if why.aside:
            _hide(state)
            return
        track = _track(state, entry)
        number = nearest(made_of(entry).walk, frame_of(state, track))
        if why.reason is None or shown is not entry or why.reason.number != number:
            _hide(state)
            _explain(state, entry, number)
        place = state.scene.places.get(entry.number, (0.0, 0.0, 0.0))
        if state.playback.playing or track != state.active or place != why.place:
            _hide(state)  # what is played comes first
        if not state.playback.playing and track == state.active and state.scene.pair is None:
            why.place = place
            state.scene.pair = why.pair = None if why.reason is None else pair_of(why.reason, place)


@command
class ShowTransition:
    """Go to a transition of the result, by number."""

    number: int

    def apply(self, state: AppState) -> None:
        show_transition(state, self.number)


@command
class PreviewAlternative:
    """Play one of the transitions that were not taken, by its row in the list."""

    row: int

    def apply(self, state: AppState) -> None:
        reason = state.why.reason
        if reason is None or not 0 <= self.row < len(reason.alternatives):
            raise MotionError("there is no such alternative")
        made, jump = made_of(reason.entry), reason.alternatives[self.row]
        walk = made.walk
        name = f"{walk.clips[jump['src']].name} → {walk.clips[jump['dst']].name}"
        found = transition_walk_of(walk, walk.clips, jump, ALTERNATIVE)
        show_walk(state, lambda progress: (found, made.entries), name, made.graph)


@command
class LeaveAlternative:
    """Back from an alternative to the result."""

    def apply(self, state: AppState) -> None:
        reason = state.why.reason
        if reason is not None and reason.entry.number in state.library.entries:
            show_clip(state, reason.entry.number, RESULT)
            activate_track(state, RESULT)
            show_transition(state, reason.number)
