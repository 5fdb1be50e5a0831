"""Time: where each track is, by the clock and not by counting frames.

A track remembers the seconds it has played, without end and without wrapping; the frame shown follows from them and
from the part of the clip that is played. Nothing is added up a frame at a time but the clock's own differences, so
playback cannot drift against it, whatever the display rate.
"""

from dataclasses import dataclass

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.scene import visible_tracks
from motiongraph.errors import MotionError

SLOWEST, FASTEST = 0.1, 4.0
LOOPS = ("loop", "ping-pong", "once")
ROOTS = ("captured", "in place", "path", "straight")
TRACKS = ("A", "B", "result")
RESULT = 2  # the track that made motion is shown in


@dataclass(eq=False)
class Playback:
    """How all tracks are played. direction: radians about y, for the root mode "straight"; 0 walks along z."""

    playing: bool = False
    speed: float = 1.0
    reverse: bool = False
    loop: str = "loop"
    root: str = "captured"
    direction: float = 0.0


@dataclass(eq=False)
class Track:
    """clip: number of the library's entry, or None; elapsed: seconds played since frame `start`, at normal speed."""

    clip: int | None = None
    elapsed: float = 0.0


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


def advance(state, dt: float) -> None:
    """Move every track on by `dt` seconds of the clock. Played once, it is over when all that is seen has ended."""
    playback = state.playback
    if not playback.playing:
        return
    seconds = -dt * playback.speed if playback.reverse else dt * playback.speed
    ends, seen = [], visible_tracks(state)
    for number, track in enumerate(state.tracks):
        entry = state.library.get(track.clip)
        if entry is None:
            continue
        track.elapsed += seconds
        last = (entry.stop - 1 - entry.start) / entry.clip.fps
        if playback.loop == "once":
            if number in seen:
                ends.append(track.elapsed <= 0.0 if playback.reverse else track.elapsed >= last)
            track.elapsed = min(max(track.elapsed, 0.0), last)
    if ends and all(ends):
        playback.playing = False


def frame_of(state, track: int | None = None) -> float:
    """The frame a track is at, with its fraction; 0 where it plays nothing."""
    track = state.tracks[state.active if track is None else track]
    entry = state.library.get(track.clip)
    if entry is None:
        return 0.0
    return frame_at(track.elapsed, entry.start, entry.stop, entry.clip.fps, state.playback.loop)


def way_of(entry, playback) -> tuple[int, int]:
    """First frame and end of the way its root goes over the floor: the part that is played, or all that was captured
    where the root goes its original path."""
    return (entry.clip.first, len(entry.clip)) if playback.root == "path" else (entry.start, entry.stop)


def seek(state, frame: float, track: int | None = None) -> None:
    """Show this frame; frames outside of the part that is played count as its ends."""
    track = state.tracks[state.active if track is None else track]
    entry = state.library.get(track.clip)
    if entry is not None:
        track.elapsed = (min(max(frame, entry.start), entry.stop - 1) - entry.start) / entry.clip.fps


# Commands


@apply.register
def _(command: do.Play, state):
    playback = state.playback
    if playback.loop == "once":  # from the end there is nothing more to play: begin again
        for number in visible_tracks(state):
            frame, entry = frame_of(state, number), state.library.get(state.tracks[number].clip)
            if entry and frame >= entry.stop - 1 and not playback.reverse:
                seek(state, entry.start, number)
            elif entry and frame <= entry.start and playback.reverse:
                seek(state, entry.stop - 1, number)
    playback.playing = True


@apply.register
def _(command: do.Pause, state):
    state.playback.playing = False


@apply.register
def _(command: do.TogglePlay, state):
    apply(do.Pause() if state.playback.playing else do.Play(), state)


@apply.register
def _(command: do.Seek, state):
    seek(state, command.frame, command.track)


@apply.register
def _(command: do.Step, state):
    state.playback.playing = False
    frame = frame_of(state)
    # From between two frames, a step leads to the next whole one.
    whole = np.floor(frame + 1e-6) if command.frames > 0 else np.ceil(frame - 1e-6)
    seek(state, whole + command.frames)


@apply.register
def _(command: do.Jump, state):
    if state.entry is not None:
        seek(state, state.entry.stop - 1 if command.end else state.entry.start)


@apply.register
def _(command: do.SetSpeed, state):
    if not np.isfinite(command.speed):
        raise MotionError(f"the speed must be a number from {SLOWEST} to {FASTEST:g}, not {command.speed!r}")
    state.playback.speed = min(max(float(command.speed), SLOWEST), FASTEST)


@apply.register
def _(command: do.SetReverse, state):
    state.playback.reverse = bool(command.reverse)


@apply.register
def _(command: do.SetLoop, state):
    if command.mode not in LOOPS:
        raise MotionError(f"playback can {', '.join(LOOPS)}, not {command.mode!r}")
    # The frame on screen stays: modes count the seconds differently beyond the first lap.
    frames = [frame_of(state, t) for t in range(len(state.tracks))]
    state.playback.loop = command.mode
    for t, frame in enumerate(frames):
        seek(state, frame, t)


@apply.register
def _(command: do.SetRoot, state):
    if command.mode not in ROOTS:
        raise MotionError(f"the root can go {', '.join(ROOTS)}, not {command.mode!r}")
    state.playback.root = command.mode
    if command.direction is not None:
        if not np.isfinite(command.direction):
            raise MotionError("the direction must be a number of radians")
        state.playback.direction = float(np.remainder(command.direction + np.pi, 2 * np.pi) - np.pi)
