"""What is done by dragging in the scene, in steps for keys and menus: camera, active character, last ghost."""

import math

from motiongraph.app import commands as do

_ANGLE, _SHIFT, _STRIDE, _TURN = 5.0, 0.04, 0.1, math.radians(15.0)  # degrees, share of the view, metres, radians
_ARROWS = (("left", -1, 0), ("right", 1, 0), ("up", 0, 1), ("down", 0, -1))


def _over_floor(make, right: int, away: int):
    """A step over the floor as the camera sees it; make: (metres along x, along z) → command."""

    def step(state):
        across = state.camera.axes[0]
        x, z = _STRIDE * across.x, _STRIDE * across.z
        return make(right * x + away * z, right * z - away * x)

    return step


def _way(up: int, name: str) -> str:
    """On the floor, what is up on the screen is farther away."""
    return {1: "away", -1: "nearer"}.get(up, name)


def _steps(name: str, text: str, keys: str, make, floor: bool = False) -> tuple:
    """One step for every arrow; make: (right, up), of which one is ±1 → (state → command)."""
    return tuple(
        (f"{name} {way}", f"{text} {_way(up, way) if floor else way}", f"{keys}+{way.title()}Arrow", make(right, up))
        for way, right, up in _ARROWS
    )


# (name, what it is called, its key, state → command)
ORBIT = _steps("orbit", "Turn", "Alt", lambda right, up: lambda s: do.Orbit(_ANGLE * right, _ANGLE * up))
PAN = _steps("pan", "Shift", "Alt+Shift", lambda right, up: lambda s: do.Pan(-_SHIFT * right, _SHIFT * up))
ZOOM = (
    ("zoom in", "Closer", "Alt+PageUp", lambda s: do.Zoom(1.0)),
    ("zoom out", "Farther", "Alt+PageDown", lambda s: do.Zoom(-1.0)),
)
CHARACTER = (
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
