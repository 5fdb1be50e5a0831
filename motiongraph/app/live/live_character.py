"""A character in the window that is steered, or led along the path or to a goal, and never ends.

A `LiveCharacter` of the package does it all; the room asks it for what people ask for, frame by frame, and shows its
pose in a clip of two frames that is written over again and again, so that it is drawn like any other.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart
from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.clips import remove_clip
from motiongraph.app.library.entries import Prepared, prepare
from motiongraph.app.live.around_props import led_around, things_of, way_to
from motiongraph.app.live.drive import Steer, way_asked
from motiongraph.app.playback import RESULT
from motiongraph.app.scene.camera_moves import facing
from motiongraph.app.walk.make_walk import looked_over
from motiongraph.app.walk.results import Made, show_made, take_place
from motiongraph.app.walk.walk_options import next_name
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record
from motiongraph.kernels import compile_all
from motiongraph.model.clip import Clip
from motiongraph.progress import stretch
from motiongraph.synthesis.live_character import LiveCharacter
from motiongraph.synthesis.quality import quality
from motiongraph.walks.follow_path import follow_path
from motiongraph.walks.gaits import Gait

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.scene.props import Prop
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.synthesis.requests import Decision
    from motiongraph.walks.curve import Curve

_MEMORY = 600.0  # s of motion that are remembered: so much of it is kept when it is led no longer
REWIND = 60.0  # s of them that the timeline shows
_TRAIL, _EVERY = 600, 0.1  # places kept of the way gone, and seconds between them
_LOOK = 8.0  # m for which the best start is looked for: who sets off at a run gets round no corner ahead
_LONGEST = 1.0  # s that pass in a frame at the most, however long it took


@dataclass(eq=False)
class LedCharacter:
    """A character that is led, what it was asked last, and the clip that shows it."""

    character: LiveCharacter
    entries: tuple[Entry, ...] = ()  # of the graph's clips
    number: int = -1  # of its entry in the library
    made: Made | None = None  # of that entry
    root: np.ndarray = field(default_factory=lambda: np.zeros((2, 3)))  # of the clip on stage, written every frame
    turns: np.ndarray = field(default_factory=lambda: np.zeros((2, 1, 4)))  # (2, J, 4), likewise
    slide: np.ndarray | None = None  # (2, J, 3), likewise
    shown: float = 0.0  # the second of its motion that is seen: the last, unless it is looked at again
    stick: Steer | None = None  # what keys, stick or mouse ask for; None: the goal, the path
    line: Curve | None = None  # the path that was there when it was last steered, or set off
    trail: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))  # x, z of the way gone
    asked: tuple | None = None  # what it was asked last
    props: tuple[Prop, ...] = ()  # what it goes round
    said: int = 0  # messages of it that were passed on
    yaw: float | None = None  # degrees, of the camera as it was left behind it
    yielding: float = 0.0  # s for which the camera stays as someone turned it

    @property
    def seconds(self) -> float:
        """Since it set off."""
        return self.character.seconds

    @property
    def graph(self) -> MotionGraph:
        return self.character.graph

    @property
    def behind(self) -> bool:
        """Whether what it did is looked at again."""
        return self.shown < self.character.played

    @property
    def span(self) -> tuple[float, float]:
        """The seconds of its motion that can be gone back to, up to now."""
        last = self.character.played
        return max(self.character.since, last - REWIND), last

    def look(self, seconds: float) -> None:
        """Show a moment of what it did; it goes on when that is over, or when it is steered."""
        first, last = self.span
        self.shown = min(max(seconds, first), last)

    @property
    def decision(self) -> Decision | None:
        """The decision whose transition is seen, or was seen last."""
        found = self.character.decisions
        at = bisect_right(found, self.shown, key=lambda decision: decision.seconds) - 1
        return found[at] if at >= 0 else None

    def ask(self, state: AppState) -> None:
        """Tell it what is asked for now, if that is something new."""
        path, character = state.path, self.character
        if path.goal is not None or path.line is not self.line:  # planted or drawn since it was steered
            self.stick, self.line = None, path.line
        if state.scene.props is not self.props:
            self.props = state.scene.props
            character.obstacles = things_of(self.props)
        label = path.lead_label
        if self.stick is not None:
            gait = Gait.RUN if self.stick.fast else label or Gait.WALK
            self.asked = None
            if self.stick.place is not None:
                character.go_to(self.stick.place, gait)
            else:
                character.steer(way_asked(state, self.stick), gait)
            return
        props = state.scene.props
        asked = path.goal, path.line, path.labels and tuple(path.labels), label, props
        if asked == self.asked:
            return
        self.asked = asked
        if path.goal is not None:
            way = way_to(character.root[[0, 2]], path.goal, props)
            if way is None:
                character.go_to(path.goal, label)
            else:
                character.follow(way, label)
        elif path.line is not None:
            line = led_around(path.line, props)
            character.follow(line, path.labels or label)
        elif character.can_stand:
            character.steer(None)
        else:  # nobody has asked for anything, and it cannot stand there and wait
            character.steer((np.sin(character.heading), np.cos(character.heading)), label)

    def show(self) -> None:
        """Write the pose that is seen into the clip on stage."""
        character, now = self.character, not self.behind
        root, turns = (character.root, character.rotations) if now else character.pose(self.shown)
        self.root[:], self.turns[:] = root, turns
        if self.slide is not None:
            self.slide[:] = character.offsets(self.shown)
        if now and (not len(self.trail) or np.hypot(*(self.trail[-1] - root[[0, 2]])) > 0.05):
            self.trail = np.concatenate([self.trail, root[None, [0, 2]]])[-_TRAIL:]

    def stop(self, state: AppState) -> None:
        """Lead it no longer. What it did is kept, unless that is next to nothing or it was removed."""
        state.live = None
        if self.number in state.library.entries:
            if self.character.played > 0.5:
                keep(state, self)
            else:
                remove_clip(state, self.number)


def under_way(state: AppState) -> bool:
    """Whether a character is led, or about to be."""
    return state.live is not None or "live" in state.graph.waiting or state.jobs.under_way(JobKind.LEAD)


def advance(state: AppState, dt: float) -> None:
    """Show the moment `dt` seconds later."""
    led, playback = state.live, state.playback
    if led is None:
        return
    entry = state.library.get(led.number)
    if entry is None or entry.made is not led.made:  # removed, or something else was made
        state.live = None
        return
    if state.tracks[RESULT].clip != led.number:
        return
    try:
        led.ask(state)
    except MotionError as problem:  # a label that the graph does not have: any motion, then
        state.path.lead_label = None
        state.say(str(problem), "error")
    if playback.playing:
        step = min(dt, _LONGEST) * playback.speed
        if playback.reverse:
            led.look(led.shown - step)
        elif led.behind:
            led.look(led.shown + step)
        else:
            led.character.advance(step)
            led.shown = led.character.played
    led.show()
    for cast in state.casts:
        cast.moment = None
    state.tracks[RESULT].elapsed = 0.0
    new = led.character.said - led.said
    for message in list(led.character.messages)[-new:] if new else ():
        state.say(message, "warning")
    led.said += new


def set_off(state: AppState) -> None:
    """Start leading a character on the current graph."""
    graph, entries, path = need_graph(state), state.graph.entries, state.path
    line, turning = path.line if path.goal is None else None, path.lead_turning
    if line is not None:
        at, heading = line.places[0], float(np.arctan2(*line.tangents[0]))
    else:
        at, heading = state.focus(state.active)[[0, 2]], float(np.radians(facing(state, state.active)))

    def work(progress, deliver):
        compile_all(stretch(progress, 0.0, 0.5), ("motiongraph.walks", "motiongraph.synthesis"))
        progress(1, 2, "looking at the graph")
        start = None if line is None else best_start(graph, line)
        placed = heading, float(at[0]), float(at[1])
        character = LiveCharacter(graph, placed, start=start, turning=turning, memory=_MEMORY)
        if line is not None:
            character.follow(line)  # what has to be worked out for that is there when it is asked
        led = LedCharacter(character, entries, line=path.line)
        deliver((led, *_drawable(led)))

    def then(result):
        led, clip, prepared = result
        made = Made(led.character.walk(), "live", entries=entries, graph=graph, preview=True)
        led.number, led.made = show_made(state, clip, prepared, made).number, made
        state.live = led
        state.follow = True

    state.jobs.start(JobKind.LEAD, "setting off", work, then)


def best_start(graph: MotionGraph, line: Curve) -> tuple[int, int]:
    """(clip, frame) from which the first metres of a path are gone best."""
    found = follow_path(graph, line.places[: round(_LOOK / line.spacing) + 1])
    return int(found.steps["clip"][0]), int(found.steps["start"][0])


def _drawable(led: LedCharacter) -> tuple[Clip, Prepared]:
    """A clip of two frames that are written over as it goes."""
    start = int(led.character.walk().steps["clip"][0])
    first = led.graph.clips[start]
    joints, slides = len(first.skeleton), led.character.offsets(0.0) is not None
    led.root, led.turns = np.zeros((2, 3)), np.zeros((2, joints, 4))
    led.slide = np.zeros((2, joints, 3)) if slides else None
    led.show()
    slide = None if led.slide is None else led.slide[:]
    # Views become read-only, what they look at does not.
    clip = Clip(first.skeleton, led.root[:], led.turns[:], first.fps, "live", offsets=slide)
    lift = led.entries[start].prepared.lift if led.entries else 0.0
    nothing = np.zeros((2, 0), bool), np.zeros(0, np.int64), np.zeros((0, 5))
    return clip, Prepared(lift, np.zeros((2, 4)), *nothing)


def keep(state: AppState, led: LedCharacter) -> None:
    """Make what it did a result like any other, shown where the character is still in sight."""
    name = next_name(state, "live")

    def work(progress, deliver):
        clip, walk, turns = led.character.recorded(name=name)
        walk.facts["quality"] = partial(quality, clip)
        report = looked_over(walk, stretch(progress, 0.3, 0.9))
        made = Made(walk, "live", report=report, entries=led.entries, graph=led.graph, driven=turns)
        deliver((clip, prepare(clip), made))

    def then(result):
        clip, prepared, made = result
        clip, old = replace(clip, name=next_name(state, "live")), state.library.get(led.number)
        if led.seconds > _MEMORY:
            state.say(f"the last {_MEMORY / 60.0:g} minutes of what was driven are kept")
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


LIVE: SavedPart[Any] = SavedPart(
    "live",
    lambda state: (state.path.lead_label,),
    _write,
    to_plain=lambda value: ({"live": {"label": value[0]}}, {}),
    from_plain=_from_plain,
    optional="live",
    is_work=False,
)
