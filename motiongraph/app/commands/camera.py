"""Asking for a view. Angles in degrees, lengths in metres; mouse movements as shares of the view's height."""

from motiongraph.app.commands.base import command


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
