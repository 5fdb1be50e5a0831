"""Asking for time. Frames are those of the file; track: 0 is A, 1 is B, 2 the result, None the one in hand."""

from motiongraph.app.commands.base import command


@command
class Play: ...


@command
class Pause: ...


@command
class TogglePlay: ...


@command
class Seek:
    frame: float
    track: int | None = None


@command
class Step:
    """So many whole frames on, or back; playback pauses."""

    frames: int = 1


@command
class Jump:
    """To the first or the last frame of what is played."""

    end: bool = False


@command
class SetSpeed:
    speed: float


@command
class SetReverse:
    reverse: bool


@command
class SetLoop:
    """mode: "loop", "ping-pong" or "once"."""

    mode: str


@command
class SetRoot:
    """mode: "captured", "in place", "path" or "straight"; direction in radians about y, 0 along z (for "straight")."""

    mode: str
    direction: float | None = None
