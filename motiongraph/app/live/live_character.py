"""A character that is led: it walks on for ever, along the path on the floor or to the goal planted there.

A worker decides and makes the next stretch while the one before is played; the loop only copies poses. What is shown
is a clip of two frames that is written over again and again, so that the character is drawn like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart
from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.jobs import Job, JobKind
from motiongraph.app.library.clips import remove_clip
from motiongraph.app.library.entries import Prepared, prepare
from motiongraph.app.playback import RESULT
from motiongraph.app.scene.camera_moves import facing
from motiongraph.app.walk.make_walk import looked_over
from motiongraph.app.walk.results import Made, show_made, take_place
from motiongraph.app.walk.walk_options import next_name
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record
from motiongraph.model.clip import Clip
from motiongraph.progress import stretch
from motiongraph.synthesis.live import Live
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.follow_path import follow_path
from motiongraph.walks.live import LiveWalk
from motiongraph.walks.walk import Walk

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry, Prepared
    from motiongraph.app.path.path_state import PathLabels
    from motiongraph.app.scene.layers import Place
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.model.clip import Clip
    from motiongraph.synthesis.live import Live
    from motiongraph.walks.curve import Curve
    from motiongraph.walks.live import LiveWalk
    from motiongraph.walks.walk import Walk

_SPARE = 0.5  # s of motion that must be there; below that the next stretch is made
_FIRST = 1.5  # s that are made before it sets off
_DECIDED = 0.8  # s beyond what is made for which it is known how the walk goes on: feet look that far ahead
_TRAIL, _EVERY = 4000, 0.1  # places kept of the way gone, and seconds between them
_LOOK = 4.0  # m for which the best start is looked for
_OFF, _ON = 2.0, 1.0  # m from the path: farther away its start is gone to first, until that is so near


@dataclass(eq=False)
class Target:
    """Where a character is led, and how."""

    goal: tuple[float, float] | None = None  # x, z metres
    line: Curve | None = None  # the path
    labels: PathLabels | None = None  # painted on the path
    label: str | None = None  # for everything else


@dataclass(eq=False)
class LedCharacter:
    """A character that is led: its walk, its motion so far, and the clip that shows it."""

    graph: MotionGraph
    walk: LiveWalk  # decides
    live: Live  # makes motion
    start: tuple[int, int]  # clip and frame it set off from
    placed: Place
    target: Target
    entries: tuple[Entry, ...] = ()  # of the graph's clips
    jumps: list[Any] = field(default_factory=list)  # the transitions taken, rows of TRANSITION
    number: int = -1  # of its entry in the library
    made: Made | None = None  # of that entry
    root: np.ndarray = field(default_factory=lambda: np.zeros((2, 3)))  # of the clip on stage, written every frame
    turns: np.ndarray = field(default_factory=lambda: np.zeros((2, 1, 4)))  # (2, J, 4), likewise
    slide: np.ndarray | None = None  # (2, J, 3), likewise
    seconds: float = 0.0  # shown so far
    frame: int = -1  # shown last
    trail: np.ndarray = field(default_factory=lambda: np.zeros((_TRAIL, 2)))  # x, z of the way gone
    gone: int = 0  # how many places of the trail are filled
    held: int = 0  # frames for which motion was not there in time
    along: float | None = None  # metres of the path behind it, None while it is off the path
    job: Job | None = None  # makes the next stretch

    def make(self, frames: int) -> None:
        """Decide far enough and make the motion of so many frames; on a worker, by one caller at a time."""
        live, need = self.live, frames + round(_DECIDED * self.graph.fps)
        while True:
            _, entered, earliest = live.now
            self._steer()
            # Frames of the clip now played, counted so that the last one needed is `latest`.
            row: Any = self.walk.decide(earliest, entered + need - self._begins)
            if row is None:
                break
            live.take(row)
            self.jumps.append(row)
        live.prepare(frames)

    @property
    def _begins(self) -> int:
        """The frame of the motion at which the clip now played was entered."""
        clip, entered, _ = self.live.now
        return self.live.decided - (len(self.graph.clips[clip]) - entered)

    def _steer(self) -> None:
        """Tell the walk where to go from where the next choice can be made."""
        target, walk = self.target, self.walk
        label = target.label
        if target.goal is not None:
            self.along = None
            walk.head_for(target.goal)
        elif target.line is not None:
            ahead = self._on_path(target.line)
            if ahead is not None:
                walk.head_for(ahead)
            if target.labels and self.along is not None:
                label = [word for metres, word in target.labels if metres <= self.along + 1.0][-1] or label
        else:
            walk.head_for()
        if label != walk.label:
            walk.label = label

    def _on_path(self, line: Curve) -> Curve | np.ndarray | None:
        """What to head for to go along the path: itself once, then nothing new; or its start, while far from it."""
        place = self.walk.place
        if self.along is None or self._line is not line:
            self._line, self.along = line, None
            if np.hypot(*(line.places[0] - place)) > _ON:
                return line.places[0]
            self.along = 0.0
            return line
        spacing = line.spacing
        first = int(self.along / spacing)
        near = line.places[first : first + max(round(1.5 / spacing), 2)]
        off = np.hypot(*(near - place).T)
        self.along = (first + int(np.argmin(off))) * spacing
        ended = self.along >= line.length - 0.3
        if (ended and not line.closed) or off.min() > _OFF:  # to the start, and once more
            self.along = None
            return line.places[0]
        if ended:
            self.along = 0.0
        return None

    _line: Curve | None = None

    def show(self, frame: int) -> None:
        """Write this frame and the next into the clip on stage."""
        for k in (0, 1):
            root, turns, slide = self.live.pose(frame + k)
            self.root[k], self.turns[k] = root, turns
            if self.slide is not None:
                self.slide[k] = slide
        self.frame = frame
        every = _EVERY * self.graph.fps
        while self.gone * every <= frame and self.gone < _TRAIL:
            self.trail[self.gone] = self.live.pose(int(self.gone * every))[0][[0, 2]]
            self.gone += 1

    def stop(self, state: AppState) -> None:
        """Lead it no longer. What it walked is kept, unless that is next to nothing or it was removed."""
        state.live = None
        if self.number in state.library.entries:
            if self.seconds > 0.5:
                keep(state, self)
            else:
                remove_clip(state, self.number)

    def walked(self) -> Walk:
        """The walk shown so far; a transition under way is gone through to its end."""
        shown, begin, entered, count = self.frame + 1, 0, self.start[1], 0
        window = self.graph.window
        for row in self.jumps:
            leaves = begin + int(row["src_frame"]) - entered
            if leaves >= shown:
                break
            begin, entered, count = leaves + window, int(row["dst_frame"]) + window, count + 1
        stop = entered + max(shown - begin, 0)
        rows = np.array(self.jumps[:count], self.graph.candidates.table.dtype)
        return Walk.of(self.graph, self.start, rows, stop=stop, placed=self.placed, method="live")


def target_of(state: AppState) -> Target:
    path = state.path
    return Target(path.goal, path.line, path.labels, path.lead_label)


def under_way(state: AppState) -> bool:
    """Whether a character is led, or about to be."""
    return state.live is not None or "live" in state.graph.waiting or state.jobs.under_way(JobKind.LEAD)


def advance(state: AppState, dt: float) -> None:
    """Show the moment `dt` seconds later, and see to it that there is motion to come."""
    led = state.live
    if led is None:
        return
    entry = state.library.get(led.number)
    if entry is None or entry.made is not led.made:  # removed, or something else was made
        state.live = None
        return
    job = led.job
    if job is not None and job.over.is_set() and job not in state.jobs.running:  # cancelled, or it failed
        led.job = None
        if job.problem is not None:
            led.stop(state)
            return
    if state.tracks[RESULT].clip != led.number:
        return
    fps = led.graph.fps
    if state.playback.playing:
        led.seconds += dt * state.playback.speed
    at = led.seconds * fps
    if at > led.live.ready - 2:  # not made in time: it waits rather than jumps
        led.held += 1
        at = float(led.live.ready - 2)
        led.seconds = at / fps
    frame = int(at)
    if frame != led.frame:
        led.show(frame)
        for cast in state.casts:
            cast.moment = None
    state.tracks[RESULT].elapsed = (at - frame) / fps
    spare = max(_SPARE, 3.0 * dt) * max(state.playback.speed, 1.0)
    if led.job is None and led.live.ready - at < spare * fps:
        _go_on(state, led)


def _go_on(state: AppState, led: LedCharacter) -> None:
    """Have the next stretch made."""
    led.target, frames = target_of(state), led.live.ready + 1

    def work(progress, deliver):
        try:
            led.make(frames)
            deliver(None)
        except MotionError as problem:
            deliver(problem)

    def then(problem):
        led.job = None
        if problem is not None:
            if state.path.lead_label is not None:  # there is no such motion: as it was, then
                state.path.lead_label = None
                state.say(str(problem), "error")
            elif state.live is led:
                state.say(f"the walk ends here: {problem}", "error")
                led.stop(state)

    led.job = state.jobs.start(JobKind.STRETCH, "making the next stretch", work, then, quiet=True)


def set_off(state: AppState) -> None:
    """Start leading a character on the current graph."""
    graph, entries, target = need_graph(state), state.graph.entries, target_of(state)
    if target.line is not None and target.goal is None:
        at, heading = target.line.places[0], float(np.arctan2(*target.line.tangents[0]))
    else:
        at, heading = state.focus(state.active)[[0, 2]], float(np.radians(facing(state, state.active)))

    def work(progress, deliver):
        progress(0, 3, "looking at the graph")
        start = best_start(graph, at, heading, target)
        walk = LiveWalk(graph, start, at=at, heading=heading)
        placed = walk.walk().placed
        live = Live(walk.graph, start, placed)
        led = LedCharacter(walk.graph, walk, live, start, placed, target, entries)
        progress(1, 3, "finding a way")
        led.make(round(_FIRST * graph.fps))
        progress(2, 3, "preparing to show it")
        deliver((led, *_drawable(led)))

    def then(result):
        led, clip, prepared = result
        made = Made(led.walked(), "live", entries=entries, graph=graph, preview=True)
        led.number, led.made = show_made(state, clip, prepared, made).number, made
        state.live = led
        state.follow = True

    state.jobs.start(JobKind.LEAD, "setting off", work, then)


def best_start(graph: MotionGraph, at: np.ndarray, heading: float, target: Target) -> tuple[int, int]:
    """(clip, frame) from which the first metres are gone best: of the path, or straight on."""
    if target.line is not None and target.goal is None:
        points = target.line.places[: round(_LOOK / target.line.spacing) + 1]
    else:
        points = np.array([at, at + _LOOK * np.array([np.sin(heading), np.cos(heading)])])
    found = follow_path(graph, points)
    return int(found.steps["clip"][0]), int(found.steps["start"][0])


def _drawable(led: LedCharacter) -> tuple[Clip, Prepared]:
    """A clip of two frames that are written over as it goes."""
    first = led.graph.clips[led.start[0]]
    joints = len(first.skeleton)
    led.root, led.turns = np.zeros((2, 3)), np.zeros((2, joints, 4))
    led.slide = None if led.live.pose(0)[2] is None else np.zeros((2, joints, 3))
    led.show(0)
    slide = None if led.slide is None else led.slide[:]
    # Views become read-only, what they look at does not.
    clip = Clip(first.skeleton, led.root[:], led.turns[:], first.fps, "live", offsets=slide)
    lift = led.entries[led.start[0]].prepared.lift if led.entries else 0.0
    nothing = np.zeros((2, 0), bool), np.zeros(0, np.int64), np.zeros((0, 5))
    return clip, Prepared(lift, np.zeros((2, 4)), *nothing)


def keep(state: AppState, led: LedCharacter) -> None:
    """Make what was walked a result like any other, shown where the character is still in sight."""
    walk = led.walked()

    def work(progress, deliver):
        clip = synthesize(walk, progress=stretch(progress, 0.0, 0.6))
        report = looked_over(walk, stretch(progress, 0.6, 0.9))
        made = Made(walk, "live", report=report, entries=led.entries, graph=led.graph)
        deliver((clip, prepare(clip), made))

    def then(result):
        clip, prepared, made = result
        clip, old = replace(clip, name=next_name(state, "live")), state.library.get(led.number)
        if old is not None and state.tracks[RESULT].clip == old.number:
            show_made(state, clip, prepared, made)
            return
        entry = state.library.add(clip, prepared, used=False, made=made)
        if old is not None:
            take_place(state, entry, old)
        state.say(f"what was walked is kept as {entry.name}")

    state.jobs.start(JobKind.KEEP, "keeping what was walked", work, then, of=led.number)


# What projects keep of it: the label it is led with


def _write(state: AppState, value: tuple[str | None]) -> None:
    (state.path.lead_label,) = value


def _from_plain(saved: Record, state: AppState) -> tuple[str | None]:
    live = saved.record("live")
    return (None if live.get("label") is None else live.word("label"),)


LIVE = SavedPart(
    "live",
    lambda state: (state.path.lead_label,),
    _write,
    to_plain=lambda value: ({"live": {"label": value[0]}}, {}),
    from_plain=_from_plain,
    optional="live",
    is_work=False,
)
