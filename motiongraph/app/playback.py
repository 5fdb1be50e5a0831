"""Time: where each track is, by the clock and not by counting frames.

A track remembers the seconds it has played, without end and without wrapping; the frame shown follows from them and
from the part of the clip that is played. Nothing is added up a frame at a time but the clock's own differences, so
playback cannot drift against it, whatever the display rate.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import SavedPart, command
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_like, checked_number

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState

SLOWEST, FASTEST = 0.1, 4.0
LOOPS = ("loop", "ping-pong", "once")
ROOTS = ("captured", "in place", "fixed", "path", "straight")
TRACKS = ("A", "B", "result")
RESULT = 2  # the track that made motion is shown in
_SPLIT = {2: (0, 1), 3: (0, 1, 2)}  # tracks by the number of views


@dataclass(eq=False)
class Playback:
    """How all tracks are played."""

    playing: bool = False
    speed: float = 1.0
    reverse: bool = False
    loop: str = "loop"  # one of LOOPS
    root: str = "captured"  # one of ROOTS
    direction: float = 0.0  # radians about y, for the root mode "straight"; 0 walks along z


@dataclass(eq=False)
class Track:
    """What a track shows, and where it is in time."""

    clip: int | None = None  # number of the library's entry
    elapsed: float = 0.0  # seconds played since frame `start`, at normal speed


def visible_tracks(state: AppState) -> tuple[int, ...]:
    """The tracks that have a view, in order."""
    return (state.active,) if state.scene.views == 1 else _SPLIT[state.scene.views]


def frame_at(elapsed: float, start: int, stop: int, fps: float, loop: str = "loop") -> float:
    """The frame, with its fraction, after `elapsed` seconds of playing frames start … stop.

    A loop lasts as long as the clip: every frame is there for 1/fps, the last one too. Ping-pong turns at the last.
    """
    last, ahead = float(stop - start - 1), elapsed * fps
    if loop == "loop":
        ahead %= last + 1.0
    elif loop == "ping-pong":
        turn = max(last, 1e-9)
        ahead = turn - abs(ahead % (2.0 * turn) - turn)
    return start + min(max(ahead, 0.0), last)


def advance(state: AppState, dt: float) -> None:
    """Move every track on by `dt` seconds of the clock. Played once, it is over when all that is seen has ended."""
    playback = state.playback
    if not playback.playing:
        return
    seconds = -dt * playback.speed if playback.reverse else dt * playback.speed
    ends, seen = [], visible_tracks(state)
    for number, track in enumerate(state.tracks):
        entry = state.library.get(track.clip)
        if entry is None or (entry.made and entry.made.live):  # who is led has a time of its own
            continue
        track.elapsed += seconds
        last = (entry.stop - 1 - entry.start) / entry.clip.fps
        if playback.loop == "once":
            if number in seen:
                ends.append(track.elapsed <= 0.0 if playback.reverse else track.elapsed >= last)
            track.elapsed = min(max(track.elapsed, 0.0), last)
    if ends and all(ends):
        playback.playing = False


def frame_of(state: AppState, track: int | None = None) -> float:
    """The frame a track is at, with its fraction; 0 where it plays nothing."""
    shown = state.tracks[state.active if track is None else track]
    entry = state.library.get(shown.clip)
    if entry is None:
        return 0.0
    return frame_at(shown.elapsed, entry.start, entry.stop, entry.clip.fps, state.playback.loop)


def way_of(entry: Entry, playback: Playback) -> tuple[int, int]:
    """First frame and end of the way its root goes over the floor: the part that is played, or all that was captured
    where the root goes its original path."""
    return (entry.clip.first, len(entry.clip)) if playback.root == "path" else (entry.start, entry.stop)


def seek(state: AppState, frame: float, track: int | None = None) -> None:
    """Show this frame; frames outside of the part that is played count as its ends. Of a character that is led: of all
    its motion, as far as it is remembered."""
    shown = state.tracks[state.active if track is None else track]
    entry = state.library.get(shown.clip)
    if entry is not None and state.live is not None and shown.clip == state.live.number:
        state.live.look(frame / entry.clip.fps)
        return
    if entry is not None:
        shown.elapsed = (min(max(frame, entry.start), entry.stop - 1) - entry.start) / entry.clip.fps


def play(state: AppState) -> None:
    """Start playing; what was played once, to its end, begins again."""
    playback = state.playback
    if playback.loop == "once":
        for number in visible_tracks(state):
            frame, entry = frame_of(state, number), state.library.get(state.tracks[number].clip)
            if entry and frame >= entry.stop - 1 and not playback.reverse:
                seek(state, entry.start, number)
            elif entry and frame <= entry.start and playback.reverse:
                seek(state, entry.stop - 1, number)
    playback.playing = True


def jump(state: AppState, end: bool = False) -> None:
    """To the first or the last frame of what is played."""
    if state.live is not None and state.entry is not None and state.entry.number == state.live.number:
        state.live.look(state.live.span[end])
    elif state.entry is not None:
        seek(state, state.entry.stop - 1 if end else state.entry.start)


def activate_track(state: AppState, track: int) -> None:
    """Controls work on this track from now on."""
    if not 0 <= track < len(state.tracks):
        raise MotionError(f"there is no track {track}")
    state.active = track


def show_clip(state: AppState, number: int, track: int | None = None) -> None:
    """Show a clip of the library in a track; None: in the active one, or in the result's where it was made here."""
    entry = state.library[number]
    if track is None:  # made motion has a track of its own, which captured clips leave alone
        track = RESULT if entry.made else state.active if state.active != RESULT else 0
        activate_track(state, track)
    shown = state.tracks[track]
    if shown.clip != entry.number:
        shown.clip, shown.elapsed = entry.number, 0.0


# Commands. Frames are those of the file; track: 0 is A, 1 is B, 2 the result, None the active one.


@command
class Play:
    """Start playing."""

    def apply(self, state: AppState) -> None:
        play(state)


@command
class Pause:
    """Stop playing, where it is."""

    def apply(self, state: AppState) -> None:
        state.playback.playing = False


@command
class TogglePlay:
    """Play or pause."""

    def apply(self, state: AppState) -> None:
        if state.playback.playing:
            state.playback.playing = False
        else:
            play(state)


@command
class Seek:
    """Show a frame."""

    frame: float
    track: int | None = None

    def apply(self, state: AppState) -> None:
        seek(state, self.frame, self.track)


@command
class Step:
    """So many whole frames on, or back; playback pauses."""

    frames: int = 1

    def apply(self, state: AppState) -> None:
        state.playback.playing = False
        led = state.live if state.live is not None and state.tracks[state.active].clip == state.live.number else None
        frame = frame_of(state) if led is None else led.shown * led.graph.fps
        # From between two frames, a step leads to the next whole one.
        whole = np.floor(frame + 1e-6) if self.frames > 0 else np.ceil(frame - 1e-6)
        seek(state, whole + self.frames)


@command
class Jump:
    """To the first or the last frame of what is played."""

    end: bool = False

    def apply(self, state: AppState) -> None:
        jump(state, self.end)


@command
class SetSpeed:
    """Play faster or slower; 1 is as captured."""

    speed: float

    def apply(self, state: AppState) -> None:
        if not np.isfinite(self.speed):
            raise MotionError(f"the speed must be a number from {SLOWEST} to {FASTEST:g}, not {self.speed!r}")
        state.playback.speed = min(max(float(self.speed), SLOWEST), FASTEST)


@command
class SetReverse:
    """Play backwards, or not."""

    reverse: bool

    def apply(self, state: AppState) -> None:
        state.playback.reverse = bool(self.reverse)


@command
class SetLoop:
    """mode: "loop", "ping-pong" or "once"."""

    mode: str

    def apply(self, state: AppState) -> None:
        if self.mode not in LOOPS:
            raise MotionError(f"playback can {', '.join(LOOPS)}, not {self.mode!r}")
        # The frame on screen stays: modes count the seconds differently beyond the first lap.
        frames = [frame_of(state, t) for t in range(len(state.tracks))]
        state.playback.loop = self.mode
        for t, frame in enumerate(frames):
            seek(state, frame, t)


@command
class SetRoot:
    """mode: one of ROOTS; direction in radians about y, 0 along z (for "straight")."""

    mode: str
    direction: float | None = None

    def apply(self, state: AppState) -> None:
        if self.mode not in ROOTS:
            raise MotionError(f"the root can go {', '.join(ROOTS)}, not {self.mode!r}")
        state.playback.root = self.mode
        if self.direction is not None:
            if not np.isfinite(self.direction):
                raise MotionError("the direction must be a number of radians")
            state.playback.direction = float(np.remainder(self.direction + np.pi, 2 * np.pi) - np.pi)


@command
class SelectClip:
    """Show this clip, by its number in the library, in a track or in the active one."""

    clip: int
    track: int | None = None

    def apply(self, state: AppState) -> None:
        show_clip(state, self.clip, self.track)


@command
class SelectNext:
    """Show the next clip of the library, or the one before."""

    step: int = 1

    def apply(self, state: AppState) -> None:
        numbers = list(state.library.entries)
        if numbers:
            here = numbers.index(state.entry.number) if state.entry else -min(self.step, 0)
            show_clip(state, numbers[(here + self.step) % len(numbers)])


@command
class TakeTrack:
    """Controls work on this track from now on."""

    track: int

    def apply(self, state: AppState) -> None:
        activate_track(state, self.track)


# What projects keep of it

Saved = tuple[Playback, tuple[tuple[int | None, float], ...], int]  # playback, clip and seconds by track, active track


def _read(state: AppState) -> Saved:
    return replace(state.playback), tuple((track.clip, track.elapsed) for track in state.tracks), state.active


def _write(state: AppState, value: Saved) -> None:
    """Put it back; where the active track has nothing to show, another one is taken."""
    playback, tracks, state.active = value
    vars(state.playback).update(vars(playback))
    for track, (clip, elapsed) in zip(state.tracks, tracks):
        track.clip, track.elapsed = clip if clip in state.library.entries else None, elapsed
    results = state.library.results
    if state.entry is None and state.active == RESULT and results:  # it showed a preview, which is not kept
        state.tracks[RESULT].clip = results[-1].number
    elif state.entry is None and len(state.library):
        shown = next((t for t, track in enumerate(state.tracks) if track.clip is not None), 0)
        state.tracks[shown].clip = state.tracks[shown].clip or next(iter(state.library)).number
        state.active = shown if state.scene.views == 1 else min(shown, state.scene.views - 1)


def _to_plain(value: Saved) -> tuple[dict, dict]:
    playback, tracks, active = value
    return {"tracks": tracks, "active": active, "playback": {**asdict(playback), "playing": False}}, {}


def _from_plain(saved: Record, state: AppState) -> Saved:
    playback, given = Playback(), saved.record("playback")
    for name in given.values.keys() & vars(playback).keys():
        setattr(playback, name, checked_like(given.get(name), getattr(playback, name), name))
    checked_number(playback.speed, "speed", SLOWEST, FASTEST)
    given.word("loop", LOOPS)
    given.word("root", ROOTS)
    tracks = [(clip, checked_number(elapsed, "elapsed")) for clip, elapsed in saved.rows("tracks", 2)]
    if len(tracks) != len(TRACKS) or any(type(clip) not in (int, type(None)) for clip, _ in tracks):
        raise MotionError(f"there are {len(TRACKS)} tracks, each with the number of a clip")
    return playback, tuple(tracks), saved.whole("active", 0, len(TRACKS) - 1)


PLAYBACK = SavedPart(
    "playback",
    _read,
    _write,
    to_plain=_to_plain,
    from_plain=_from_plain,
    is_work=False,
)
