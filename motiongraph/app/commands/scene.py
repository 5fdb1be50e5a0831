"""Asking for what is shown besides the pose."""

from pathlib import Path

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


@command
class OpenProp:
    """Put the mesh of an .obj file into the scene."""

    path: Path


@command
class AddProp:
    """Put a thing into the scene, beside the character in hand. shape: one of `props.SHAPES`, or a mesh of
    `props.read_mesh` and the file it came from."""

    shape: object
    path: Path | None = None


@command
class SetProp:
    """The name, x, z, height (metres), turn (radians) or colour (r g b) of a prop, which is known by its number."""

    prop: int
    name: str
    value: object


@command
class SizeProp:
    """How large a prop is along its own x, y or z (0, 1, 2); what belongs together grows along."""

    prop: int
    axis: int
    metres: float


@command
class RemoveProp:
    prop: int
