"""What keys and a gamepad ask of a character that is led. All becomes commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.live.live_character import under_way
from motiongraph.app.state import AppState
from motiongraph.viewer.gamepad import Gamepad, Pad

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_TURN, _TILT = 140.0, 70.0  # degrees a second that the right stick turns the camera
_Key = imgui.Key
_RIGHT, _LEFT = (_Key.d, _Key.right_arrow), (_Key.a, _Key.left_arrow)
_AHEAD, _BACK = (_Key.w, _Key.up_arrow), (_Key.s, _Key.down_arrow)


def steers(state: AppState, key: imgui.Key) -> bool:
    """Whether a key, alone or with Shift, is for steering now; arrows step through what is paused."""
    if state.live is None:
        return False
    return key in (_Key.w, _Key.a, _Key.s, _Key.d) or (
        state.playback.playing and key in (_Key.right_arrow, _Key.left_arrow, _Key.up_arrow, _Key.down_arrow)
    )


class Driving:
    """Remembers what was asked last, and which gamepad is there."""

    def __init__(self, glfw: Any):
        self.gamepad = Gamepad(glfw)
        self._asked = do.Steer()
        self._named, self._start = "", False

    def update(self, state: AppState, ui: Ui, dt: float) -> None:
        pad = self.gamepad.read()
        self._tell(state)
        pad = pad or Pad()
        if pad.start and not self._start and state.entry is not None:
            state.issue(do.Lead(not under_way(state)))
        self._start = pad.start
        if state.live is None:
            self._asked = do.Steer()
            return
        if any(pad.right):
            state.issue(do.Orbit(-_TURN * dt * pad.right[0], -_TILT * dt * pad.right[1]))
        asked = do.Steer(*pad.left, fast=pad.trigger)
        if not any(pad.left):
            asked = self._keys(state, ui, pad.trigger)
        if asked != self._asked:
            self._asked = asked
            state.issue(asked)

    def _tell(self, state: AppState) -> None:
        """Say which gamepad was plugged in, or that it is gone."""
        if self.gamepad.name != self._named:
            name, self._named = self.gamepad.name or self._named, self.gamepad.name
            state.say(f"gamepad {name} {'is there: Start sets a character off' if self._named else 'is gone'}")

    @staticmethod
    def _keys(state: AppState, ui: Ui, fast: bool) -> do.Steer:
        io = imgui.get_io()
        if io.want_text_input or io.key_ctrl or io.key_alt or io.key_super or ui.dialogs.question is not None:
            return do.Steer()
        down = lambda keys: any(steers(state, key) and imgui.is_key_down(key) for key in keys)  # noqa: E731
        right, ahead = down(_RIGHT) - down(_LEFT), down(_AHEAD) - down(_BACK)
        if not (right or ahead):
            return do.Steer()
        return do.Steer(float(right), float(ahead), fast or io.key_shift)
