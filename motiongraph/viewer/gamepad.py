"""A gamepad: its sticks and triggers as glfw's mapping names them, plugged in and out at any time."""

from dataclasses import dataclass
from math import hypot
from typing import Any

_DEAD = 0.2  # share of a stick's way in which it rests
_PULLED = 0.0  # of a trigger, which rests at −1


@dataclass(frozen=True)
class Pad:
    """What a gamepad says now. Sticks: right and up, each −1 to 1, 0 where they rest."""

    left: tuple[float, float] = (0.0, 0.0)
    right: tuple[float, float] = (0.0, 0.0)
    trigger: bool = False  # either of them
    start: bool = False


def out_of_dead_zone(x: float, y: float) -> tuple[float, float]:
    """A stick with its dead zone taken out, so that it begins at 0 where that ends; of length 1 at the most."""
    size = hypot(x, y)
    if not size > _DEAD:  # nor where it is not a number
        return 0.0, 0.0
    share = min((size - _DEAD) / (1.0 - _DEAD), 1.0) / size
    return x * share, y * share


class Gamepad:
    """The first gamepad there is; glfw: the module, or what stands for it."""

    def __init__(self, glfw: Any):
        self._glfw = glfw
        self._number: int | None = None
        self.name = ""  # "" where there is none

    def read(self) -> Pad | None:
        """What it says, None where there is none. A few microseconds."""
        glfw = self._glfw
        if self._number is None or not glfw.joystick_is_gamepad(self._number):
            numbers = range(glfw.JOYSTICK_1, glfw.JOYSTICK_LAST + 1)
            self._number = next((n for n in numbers if glfw.joystick_is_gamepad(n)), None)
            name = None if self._number is None else glfw.get_gamepad_name(self._number)
            self.name = name.decode("utf-8", "replace") if isinstance(name, bytes) else name or ""
        state = None if self._number is None else glfw.get_gamepad_state(self._number)
        if not state:
            return None
        axes = state.axes

        def stick(x: int, y: int) -> tuple[float, float]:
            return out_of_dead_zone(float(axes[x]), -float(axes[y]))  # glfw counts down

        pulled = max(axes[glfw.GAMEPAD_AXIS_LEFT_TRIGGER], axes[glfw.GAMEPAD_AXIS_RIGHT_TRIGGER]) > _PULLED
        return Pad(
            stick(glfw.GAMEPAD_AXIS_LEFT_X, glfw.GAMEPAD_AXIS_LEFT_Y),
            stick(glfw.GAMEPAD_AXIS_RIGHT_X, glfw.GAMEPAD_AXIS_RIGHT_Y),
            bool(pulled),
            bool(state.buttons[glfw.GAMEPAD_BUTTON_START]),
        )
