"""Motion that was made here: clips of the library like any other, which remember the walk they were made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from motiongraph.app.command import command
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.clips import remove_clip
from motiongraph.app.library.entries import Entry, prepare
from motiongraph.app.playback import RESULT, activate_track, play, seek, show_clip
from motiongraph.app.scene.layers import split
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.progress import Progress, stretch
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.turned_walk import turns_at_seams
from motiongraph.walks.walk import STEP, Walk

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Prepared
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.metric.metric import Metric
    from motiongraph.model.clip import Clip


@dataclass(frozen=True, eq=False)
class Made:
    """How motion was made."""

    walk: Walk
    method: str  # of the request, with its options and seed
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    report: dict[str, Any] = field(default_factory=dict)  # figures, plain numbers; "captured": of the clips played
    asked: np.ndarray | None = None  # (n, 2) x, z metres of the path that was to be followed
    entries: tuple[Entry, ...] = ()  # of the graph's clips, for showing where frames came from
    graph: MotionGraph | None = None  # the graph walked
    driven: np.ndarray | None = None  # (n, 3) theta, x, z by which a driven body was turned where transitions begin
    preview: bool = False  # only to look at: the next one takes its place

    @property
    def live(self) -> bool:
        """Still being made: a character that is led."""
        return self.preview and self.method == "live"

    @property
    def turns(self) -> np.ndarray | None:
        """(n, 3) theta, x, z by which the body was turned where each transition begins, if it was."""
        return self.driven if self.driven is not None else turns_at_seams(self.walk)

    @property
    def unit(self) -> str:
        """What its costs are counted in."""
        return self.walk.metric.unit

    def file_frame(self, clip: int, frame: int) -> int:
        """The frame of its file that a frame of one of the walk's clips is."""
        return round(self.walk.clips[clip].file_frame(frame))


def show_made(state: AppState, clip: Clip, prepared: Prepared, made: Made) -> Entry:
    """Take made motion into the library and play it from its start in the result's track. A preview makes room for
    it; a character that is led stops, and what it walked is kept."""
    if state.live is not None:
        state.live.stop(state)
    old = next((e for e in state.library if e.made and e.made.preview), None)
    entry = state.library.add(clip, prepared, used=False, made=made)
    if old is not None:
        take_place(state, entry, old)
    replay(state, entry.number)
    return entry


def replay(state: AppState, number: int, track: int | None = None) -> None:
    """Play a result from its start, in the result's track or another."""
    entry = made_entry(state, number)
    track = RESULT if track is None else track
    if state.scene.views > 1 or track != RESULT:
        split(state, max(state.scene.views, track + 1, 2))  # where it can be seen
    show_clip(state, entry.number, track)
    activate_track(state, track)
    seek(state, entry.start, track)
    play(state)


def take_place(state: AppState, entry: Entry, old: Entry) -> None:
    """Remove an old entry; tracks that showed it show the other one."""
    state.library.remove(old.number)
    state.scene.places.pop(old.number, None)
    for track in state.tracks:
        if track.clip == old.number:
            track.clip, track.elapsed = entry.number, 0.0


def results(state: AppState) -> list[Entry]:
    """Entries of made motion worth keeping, oldest first."""
    return state.library.results


def current_result(state: AppState) -> Entry | None:
    """The result that is looked at: that of the active track, or else of the result's track."""
    for track in (state.active, RESULT):
        entry = state.library.get(state.tracks[track].clip)
        if entry is not None and entry.made and not entry.made.preview:
            return entry
    return None


def step_begins(walk: Walk) -> np.ndarray:
    """(n,) the frame of the motion at which each step begins, with the transition that leads to it."""
    return np.maximum(walk.begins - walk.window, 0)


def made_of(entry: Entry) -> Made:
    """How an entry was made, or a sentence."""
    if entry.made is None:
        raise MotionError(f"{entry.name} was not made here")
    return entry.made


def made_entry(state: AppState, number: int) -> Entry:
    """A result by its number, or a sentence."""
    entry = state.library[number]
    made_of(entry)
    return entry


# Commands. entry: the number of a result in the library.


@command
class ReplayResult:
    """From its start, in the result's track or in A or B."""

    entry: int
    track: int | None = None

    def apply(self, state: AppState) -> None:
        replay(state, self.entry, self.track)


@command
class SeekStep:
    """Go to where a step of a walk begins, with the transition that leads there."""

    entry: int
    step: int

    def apply(self, state: AppState) -> None:
        entry = made_entry(state, self.entry)
        begins = step_begins(made_of(entry).walk)
        if not 0 <= self.step < len(begins):
            raise MotionError(f"{entry.name} has steps 0 to {len(begins) - 1}, not {self.step}")
        shown = [t for t in (state.active, RESULT) if state.tracks[t].clip == entry.number]
        if not shown:
            show_clip(state, entry.number)
        track = shown[0] if shown else RESULT
        if track != state.active:
            activate_track(state, track)
        seek(state, int(begins[self.step]), track)


@command
class RenameResult:
    """Give a result another name."""

    entry: int
    name: str

    def apply(self, state: AppState) -> None:
        entry, name = made_entry(state, self.entry), " ".join(self.name.split())
        if not name:
            raise MotionError("a result needs a name")
        if any(other.name == name and other is not entry for other in state.library):
            raise MotionError(f"there is a clip called {name} already")
        state.library.put(replace(entry, clip=replace(entry.clip, name=name)))


@command
class ClearResults:
    """Remove all results."""

    def apply(self, state: AppState) -> None:
        for entry in results(state):
            remove_clip(state, entry.number)


@command
class SaveLog:
    """Write which pieces were played, as text."""

    entry: int
    path: Path

    def apply(self, state: AppState) -> None:
        entry, path = made_entry(state, self.entry), Path(self.path)
        with writing(path, "w", encoding="utf-8") as file:
            file.write(made_of(entry).walk.log(made_of(entry).file_frame))
        state.say(f"wrote {path}")


# Previews: the motion of a short walk, such as one transition, shown until the next one


_LEAD = 1.4  # seconds played before and after a transition
Found = tuple["Walk", "tuple[Entry, ...]"]  # a walk and the entries of its clips


class Source(Protocol):
    """What transitions are from: a matrix, a graph or a walk."""

    @property
    def window(self) -> int: ...
    @property
    def fps(self) -> float: ...
    @property
    def metric(self) -> Metric: ...


def transition_walk_of(source: Source, clips: tuple[Clip, ...], jump: np.void, method: str = "transition") -> Walk:
    """A little before a transition, the transition (a row of TRANSITION), and a little after it."""
    window, fps = source.window, source.fps
    lead = round(_LEAD * fps)
    (src, at, dst, to) = (int(jump[name]) for name in ("src", "src_frame", "dst", "dst_frame"))
    steps = [
        (src, max(at - lead, clips[src].first), at),
        (dst, to + window, min(to + window + lead, len(clips[dst]))),
    ]
    steps = np.array(steps, STEP)
    return Walk(clips, window, fps, steps, jump.reshape(1), method=method, metric=source.metric)


def show_walk(state: AppState, make: Callable[[Progress], Found], name: str, graph: MotionGraph | None = None) -> None:
    """Make the motion of a walk beside the loop and show it as a preview; graph: the one it is from, if any."""

    def work(progress, deliver):
        walk, entries = make(progress)
        clip = synthesize(walk, name=name, progress=stretch(progress, 0.0, 0.7))
        report = walk.report(stretch(progress, 0.7, 0.9))
        made = Made(walk, walk.method, report=report, entries=entries, graph=graph, preview=True)
        deliver((clip, prepare(clip), made))

    state.jobs.start(JobKind.PREVIEW, f"blending {name}", work, lambda made: show_made(state, *made))
