"""What an action is, and those that do in steps what dragging in the scene does: camera, character, last ghost."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from motiongraph.app import commands as do
from motiongraph.app.command import Command
from motiongraph.app.scene.camera_moves import camera_of
from motiongraph.app.state import AppState

_ANGLE, _SHIFT, _STRIDE, _TURN = 5.0, 0.04, 0.1, math.radians(15.0)  # degrees, share of the view, metres, radians
_ARROWS = (("left", -1, 0), ("right", 1, 0), ("up", 0, 1), ("down", 0, -1))


Make = Callable[[AppState], Command | None]  # the command, None where a dialog is to be asked first
Test = Callable[[AppState], Any]  # true or false
Step = tuple[str, str, str, Make]  # its name, what it is called, its key, its command


@dataclass(frozen=True)
class Action:
    """Something in a menu."""

    group: str  # the menu
    text: str
    keys: tuple[str, ...]  # chords such as "Ctrl+O", the first one is shown
    make: Make | None = None
    dialog: str = ""  # the one to ask, where there is no command yet
    checked: Test | None = None  # whether it is on
    needs_clip: bool = False
    possible: Test | None = None  # whether there is anything to do
    repeats: bool = False  # while the key is held
    family: tuple[str, str] | None = None  # keys and text that stand for it and others in the list of keys


def _over_floor(make: Callable[[float, float], Command], right: int, away: int) -> Make:
    """A step over the floor as the camera sees it; make: (metres along x, along z) → command."""

    def step(state: AppState) -> Command:
        across = camera_of(state, state.active).axes[0]
        x, z = _STRIDE * across.x, _STRIDE * across.z
        return make(right * x + away * z, right * z - away * x)

    return step


def _way(up: int, name: str) -> str:
    """On the floor, what is up on the screen is farther away."""
    return {1: "away", -1: "nearer"}.get(up, name)


def _steps(name: str, text: str, keys: str, make: Callable[[int, int], Make], floor: bool = False) -> tuple[Step, ...]:
    """One step for every arrow; make: (right, up), of which one is ±1 → (state → command)."""
    return tuple(
        (f"{name} {way}", f"{text} {_way(up, way) if floor else way}", f"{keys}+{way.title()}Arrow", make(right, up))
        for way, right, up in _ARROWS
    )


ORBIT = _steps("orbit", "Turn", "Alt", lambda right, up: lambda s: do.Orbit(_ANGLE * right, _ANGLE * up))
PAN = _steps("pan", "Shift", "Alt+Shift", lambda right, up: lambda s: do.Pan(-_SHIFT * right, _SHIFT * up))
ZOOM: tuple[Step, ...] = (
    ("zoom in", "Closer", "Alt+PageUp", lambda s: do.Zoom(1.0)),
    ("zoom out", "Farther", "Alt+PageDown", lambda s: do.Zoom(-1.0)),
)
CHARACTER: tuple[Step, ...] = (
    *_steps("move", "Move it", "Ctrl+Shift", lambda right, up: _over_floor(do.MoveCharacter, right, up), floor=True),
    ("turn left", "Turn it left", "Ctrl+Shift+PageUp", lambda s: do.MoveCharacter(turn=_TURN)),
    ("turn right", "Turn it right", "Ctrl+Shift+PageDown", lambda s: do.MoveCharacter(turn=-_TURN)),
)
GHOST = _steps("ghost", "Shift it", "Ctrl+Alt", lambda right, up: _over_floor(do.ShiftGhost, right, up), floor=True)

# What the list of keys says of them.
LISTED = {
    ORBIT: ("Alt+arrows", "Orbit"),
    PAN: ("Alt+Shift+arrows", "Pan"),
    ZOOM: ("Alt+PageUp, PageDown", "Zoom"),
    CHARACTER: ("Ctrl+Shift+arrows", "Move the character; PageUp, PageDown turn it"),
    GHOST: ("Ctrl+Alt+arrows", "Shift the last ghost"),
}
