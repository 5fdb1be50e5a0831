"""The keyboard: which chord belongs to which action, and the actions whose chords were pressed in this frame."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.viewer.actions import ACTIONS, Action, act
from motiongraph.viewer.driving import steers

import glfw  # isort: skip - after imgui_bundle, see window.py
from motiongraph.app.state import AppState

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_NAMES = {
    "[": "left_bracket", "]": "right_bracket", "\\": "backslash", "RightArrow": "right_arrow",
    "LeftArrow": "left_arrow", "UpArrow": "up_arrow", "DownArrow": "down_arrow", "PageUp": "page_up",
    "PageDown": "page_down", ",": "comma", ".": "period",
}  # fmt: skip


def names(platform: str) -> dict[str, str]:
    """What is printed on keys that are called something else here."""
    arrows = {"RightArrow": "→", "LeftArrow": "←", "UpArrow": "↑", "DownArrow": "↓", "Equal": "+", "Minus": "−"}
    return arrows | ({"Ctrl": "Cmd", "Alt": "Option"} if platform == "darwin" else {})


_TYPING = 1.6  # seconds after the last digit until a typed frame is gone to
_SHOWN = names(sys.platform)
_CONTROL = glfw.MOD_SUPER if sys.platform == "darwin" else glfw.MOD_CONTROL  # Command there, as Dear ImGui has it
_MODIFIERS = {"Ctrl": _CONTROL, "Shift": glfw.MOD_SHIFT, "Alt": glfw.MOD_ALT}
_PRINTED = "abcdefghijklmnopqrstuvwxyz0123456789`-=[]\\,;'./"  # glfw's numbers for these are their codes


def chord(text: str) -> tuple[imgui.Key, int, int]:
    """The key of the chord "Ctrl+O" for Dear ImGui and for glfw, and the modifiers that must be held."""
    *modifiers, key = text.split("+")
    name = _NAMES.get(key, key.lower())
    number = getattr(glfw, f"KEY_{name.removesuffix('_arrow').upper()}")
    known = getattr(imgui.Key, f"_{name}" if name.isdigit() else name)
    return known, number, sum(_MODIFIERS[modifier] for modifier in modifiers)


def shown(text: str) -> str:
    """A chord as people read it."""
    return "+".join(_SHOWN.get(part, part) for part in text.split("+"))


DEFAULT_KEYS = {name: action.keys for name, action in ACTIONS.items()}
_CHORDS: list[tuple[imgui.Key, int, int, Action]] = []


def bind(chosen: dict[str, str]) -> None:
    """Give actions the keys that were chosen for them, and the others their own; what is no chord is left out."""
    _CHORDS.clear()
    for name, usual in DEFAULT_KEYS.items():
        keys = usual
        if name in chosen:
            try:
                keys = (chosen[name],) if chosen[name] and chord(chosen[name]) else ()
            except (AttributeError, KeyError):  # from a file of settings
                keys = usual
        ACTIONS[name] = replace(ACTIONS[name], keys=keys)
        _CHORDS.extend((*chord(key), ACTIONS[name]) for key in keys)


def rebound(chosen: dict[str, str], name: str, key: str) -> dict[str, str]:
    """The choices once an action has another key; whatever had it has none then."""
    taken = {other: "" for other, action in ACTIONS.items() if key in action.keys}
    return chosen | taken | {name: key}


bind({})


_KEYS = {
    chord(name)[1]: name
    for name in (
        *(letter.upper() for letter in _PRINTED if letter.isalnum()),
        *(f"F{number}" for number in range(1, 13)),
        *("[", "]", "\\", ",", ".", "RightArrow", "LeftArrow", "UpArrow", "DownArrow", "PageUp", "PageDown"),
        *("Home", "End", "Space", "Enter", "Tab", "Backspace", "Delete", "Insert", "Equal", "Minus"),
    )
}


def _chord_of(key: int, modifiers: int) -> str:
    """What glfw tells, as a chord; "" where it is none."""
    held = [name for name, bit in _MODIFIERS.items() if modifiers & bit]
    return "+".join([*held, _KEYS[key]]) if key in _KEYS else ""


class Keys:
    """Keys that are down, and the modifiers each was last pressed with.

    Dear ImGui spreads what happens at once over several frames, but not the release of Shift behind G: when both come
    between two frames it sees G alone. What was held when a key went down is known here.
    """

    def __init__(self):
        self._down: set[int] = set()
        self._with: dict[int, int] = {}
        self.last = ""  # the chord that was pressed last, "" where there is no word for it
        self._pressed = False  # whether one went down since the last frame
        self._lately = 0  # frames for which one pressed a moment ago may still count

    def heard(self, key: int, code: int, action: int, modifiers: int) -> None:
        """A key went down, is repeated or came up, as glfw tells it."""
        if not glfw.KEY_KP_0 <= key <= glfw.KEY_KP_EQUAL:  # where this layout prints it, not where it is
            name = glfw.get_key_name(key, code)
            key = ord(name.upper()) if name and len(name) == 1 and name in _PRINTED else key
        if action == glfw.RELEASE:
            self._down.discard(key)
        else:
            self._down.add(key)
            self.last, self._pressed = _chord_of(key, modifiers), action == glfw.PRESS or self._pressed
            self._with[key] = modifiers & (glfw.MOD_SHIFT | glfw.MOD_CONTROL | glfw.MOD_ALT | glfw.MOD_SUPER)
            self._lately = 6

    def act(self, state: AppState, ui: Ui) -> None:
        """Carry out the shortcuts pressed in this frame; not while someone types or flies, or is asked for a file."""
        if self._pressed or any(imgui.is_mouse_clicked(button) for button in range(3)):
            state.history.gesture += 1
            self._pressed = False
        if not self._down and not self._lately:
            return
        self._lately -= self._lately > 0
        if ui.rebinding:
            ui.pressed, self.last = self.last, ""
            return
        asked = ui.dialogs.question is not None or state.project.asked_at is not None
        if imgui.get_io().want_text_input or ui.flying or asked:
            return
        for key, number, modifiers, action in _CHORDS:
            if modifiers in (0, glfw.MOD_SHIFT) and steers(state, key):
                continue
            if self._with.get(number) == modifiers and imgui.is_key_pressed(key, action.repeats):
                act(action, state, ui)


# Letters


def heard_letter(letter: str, state: AppState, ui: Ui) -> None:
    """A letter from the keyboard, whatever its layout: digits name a frame, a question mark asks for help."""
    if imgui.get_io().want_text_input or ui.dialogs.question is not None or state.project.asked_at is not None:
        return
    if letter.isdigit() and letter.isascii() and state.entry is not None:
        ui.typed, ui.typed_at = (ui.typed + letter)[-9:], state.clock
    elif letter == "?":
        state.issue(do.ShowPanel("shortcuts"))


def go_to_typed(state: AppState, ui: Ui) -> None:
    """Go to the frame whose number was typed, once it is complete."""
    if not ui.typed:
        return
    if imgui.is_key_pressed(imgui.Key.escape):
        ui.typed = ""
    elif imgui.is_key_pressed(imgui.Key.backspace):
        ui.typed, ui.typed_at = ui.typed[:-1], state.clock
    elif (
        imgui.is_key_pressed(imgui.Key.enter)
        or imgui.is_key_pressed(imgui.Key.keypad_enter)
        or state.clock - ui.typed_at > _TYPING
    ):
        state.issue(do.Pause())
        state.issue(do.Seek(float(ui.typed)))
        ui.typed = ""
