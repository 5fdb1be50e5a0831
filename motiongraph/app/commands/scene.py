"""Asking for what is shown besides the pose."""

from motiongraph.app.commands.base import command


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
