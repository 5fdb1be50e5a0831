"""Everything a person can ask of the program, as data. Menus, keys, buttons and tests issue the same commands.

What a command does is registered with `@apply.register` beside the state it changes; `update.update` carries out
what was issued, in order. A command that cannot be carried out raises a MotionError, which becomes a message.
"""

from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path


@singledispatch
def apply(command, state) -> None:
    """Carry out a command."""
    raise TypeError(f"no one carries out {command!r}")


def command(cls):
    """A frozen record whose fields are what was asked."""
    return dataclass(frozen=True)(cls)


# Playback. Frames are those of the file; track: 0 is A, 1 is B, 2 the result, None the one in hand.


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


# Library. clip: the number an entry has in the library.


@command
class OpenPaths:
    """Files, folders or a labels.toml; replace: clear the library first."""

    paths: tuple[Path, ...]
    replace: bool = False


@command
class OpenSamples: ...


@command
class FetchCmu:
    subject: int
    trials: tuple[int, ...] = ()
    folder: Path | None = None


@command
class RemoveClip:
    clip: int


@command
class RemoveAll: ...


@command
class SelectClip:
    """Show this clip in a track, or in the one in hand."""

    clip: int
    track: int | None = None


@command
class SelectNext:
    """The next clip of the library, or the one before."""

    step: int = 1


@command
class UseClip:
    """Whether a clip takes part in graphs and crowds; clip None means all of them."""

    clip: int | None
    used: bool


@command
class SetLabels:
    """Words for frames start to stop (all of the clip where None); `labels` replaces what held there."""

    clip: int
    labels: tuple[str, ...]
    start: int | None = None
    stop: int | None = None


@command
class Trim:
    """Use only frames start to stop (not included)."""

    clip: int
    start: int
    stop: int


@command
class MirrorClip:
    """Add the clip with left and right exchanged."""

    clip: int


@command
class SaveLabels:
    """Write a labels.toml of the ticked clips; force: also over a file that is there."""

    path: Path
    force: bool = False


@command
class SaveClip:
    """Write a clip, as trimmed, as .bvh, .amc or .glb."""

    clip: int
    path: Path


# Scene.


@command
class SetLayer:
    """One option of `scene.Layers`, by name."""

    name: str
    value: object


@command
class ToggleLayer:
    name: str


@command
class PinGhost:
    """Leave the pose of this moment standing in the scene."""


@command
class UnpinGhost:
    """Take the last ghost back."""


@command
class ShiftGhost:
    """Move the last ghost over the floor, metres."""

    x: float
    z: float


@command
class ClearGhosts: ...


@command
class MoveCharacter:
    """Move (metres) and turn (radians, about where it stands) the character in hand."""

    x: float = 0.0
    z: float = 0.0
    turn: float = 0.0


@command
class PlaceCharacter:
    """Back to where it was captured."""


@command
class Split:
    """One view, A and B, or A, B and the result: 1, 2 or 3."""

    views: int


@command
class TakeTrack:
    """Controls work on this track from now on."""

    track: int


# Camera. Angles in degrees, lengths in metres; mouse movements as shares of the view's height.


@command
class Orbit:
    yaw: float
    pitch: float


@command
class Pan:
    right: float
    down: float


@command
class Zoom:
    """steps: notches of a wheel, positive comes closer."""

    steps: float


@command
class Look:
    """Turn the head where the camera stands."""

    yaw: float
    pitch: float


@command
class Fly:
    """forward, right, up: −1, 0 or 1; metres: how far."""

    forward: float
    right: float
    up: float
    metres: float


@command
class SetCamera:
    """Any of yaw, pitch, roll, distance, fov, and target (x, y, z), as (name, value)."""

    values: tuple[tuple[str, object], ...]


@command
class LookFrom:
    """name: "front", "side", "top" or "three-quarter" of the character in hand."""

    name: str


@command
class ResetCamera:
    """Where the character and the whole of its way can be seen."""


@command
class SetFollow:
    follow: bool


@command
class LetBelowFloor:
    """Whether the camera may go through the floor."""

    allowed: bool


# Window.


@command
class ShowPanel:
    name: str
    shown: bool | None = None  # None: the other way round


@command
class TogglePanels: ...


@command
class ToggleFullScreen: ...


@command
class ResetLayout: ...


@command
class SetSetting:
    """One of `settings.Settings`, by name."""

    name: str
    value: object


@command
class Screenshot:
    """path: None makes a new name in the pictures folder; panels: with what surrounds the scene."""

    path: Path | None = None
    panels: bool = False


@command
class RecordVideo:
    """What is played, once, as it is seen: .mp4 or .gif."""

    path: Path
    fps: float = 60.0
    width: int = 1280
    height: int = 720


@command
class CancelJob:
    job: int


@command
class DismissMessages: ...


@command
class DismissHint: ...


@command
class Quit: ...
