"""Transitions in the timeline, changed by hand: an edge is dragged for the blend length, with Shift all of it to the
minimum beside it; a right click offers both."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.state import AppState
from motiongraph.app.walk.edit_transitions import blend_lengths, editable, neighbour, next_minimum
from motiongraph.app.walk.results import made_of
from motiongraph.app.walk.why import seams
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import colour32

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.viewer.ui import Ui

_FEW = 150  # transitions; more are too close together to be caught
_NEAR = 5.0  # points within which an edge is caught
_RIGHT = int(imgui.MouseButton_.right)


@lru_cache(maxsize=4)
def blends(entry: Entry) -> np.ndarray:
    """(n, 2) first frame and frame after the last that each transition of a result blends."""
    lengths, begins = blend_lengths(entry), seams(made_of(entry).walk)[:, 0]
    first = begins + (made_of(entry).walk.window - lengths) // 2
    return np.column_stack([first, first + lengths])


def _can(entry: Entry) -> bool:
    return editable(entry) and len(made_of(entry).walk.transitions) <= _FEW


def draw_blends(
    draw: imgui.ImDrawList, entry: Entry, at: Callable[[float], float], top: float, high: float, ui: Ui
) -> None:
    """A line over what each transition blends, with an edge at either end to be dragged."""
    if not _can(entry):
        return
    ink, thin = colour32(theme.INK, 0.9), ui.px(2)
    for first, stop in blends(entry).tolist():
        left, right = at(first), at(stop)
        draw.add_rect_filled((left, top - thin), (right, top), ink)
        for x in (left, right):
            draw.add_rect_filled((x - 0.5 * thin, top - thin), (x + 0.5 * thin, top + high), ink)


def _frame(at: Callable[[float], float]) -> float:
    """The frame under the mouse."""
    return (imgui.get_mouse_pos().x - at(0.0)) / max(at(1.0) - at(0.0), 1e-9)


def _caught(entry: Entry, at: Callable[[float], float], ui: Ui) -> tuple[str, int] | None:
    """What of which transition is under the mouse: an edge, or with Shift the whole."""
    spans, frame, near = blends(entry), _frame(at), ui.px(_NEAR) / max(at(1.0) - at(0.0), 1e-9)
    if imgui.get_io().key_shift:
        inside = np.flatnonzero((spans[:, 0] - near <= frame) & (frame < spans[:, 1] + near))
        return ("slide", int(inside[0])) if len(inside) else None
    away = np.abs(spans - frame)
    number, end = np.unravel_index(np.argmin(away), away.shape)
    return ("blend", int(number)) if away[number, end] < near else None


def drag_seam(track: int, entry: Entry, at: Callable[[float], float], top: float, state: AppState, ui: Ui) -> bool:
    """What the mouse does with transitions, below `top`; whether it has one in its hand."""
    if ui.seam is not None and ui.seam[1] == track:
        _dragged(entry, at, state, ui)
        return True
    if not _can(entry) or not imgui.is_item_hovered() or ui.drag is not None or imgui.get_mouse_pos().y < top:
        return False
    caught = _caught(entry, at, ui)
    if caught is None:
        return False
    kind, number = caught
    imgui.set_mouse_cursor(imgui.MouseCursor_.resize_ew if kind == "blend" else imgui.MouseCursor_.hand)
    frames, fps = int(blend_lengths(entry)[number]), entry.clip.fps
    tip = "drag: blend length;  Shift+drag: slide it to another minimum;  right click: more"
    imgui.set_tooltip(f"transition {number + 1}: blends {frames} frames, {frames / fps:.2f} s\n{tip}")
    if imgui.is_item_activated():
        if track != state.active:
            state.issue(do.TakeTrack(track))
        ui.seam = kind, track, number, _frame(at) - float(seams(made_of(entry).walk)[number, 0])
        return True
    return False


def _dragged(entry: Entry, at: Callable[[float], float], state: AppState, ui: Ui) -> None:
    assert ui.seam is not None
    kind, _, number, grabbed = ui.seam
    if not imgui.is_item_active() or not _can(entry) or number >= len(made_of(entry).walk.transitions):
        ui.seam = None
        return
    made, frame = made_of(entry), _frame(at)
    begin, end = seams(made.walk)[number].tolist()
    if kind == "blend":
        imgui.set_mouse_cursor(imgui.MouseCursor_.resize_ew)
        frames = 2.0 * abs(frame - 0.5 * (begin + end))  # both edges move: blends stay in the middle of the window
        state.issue(do.SetBlendLength(entry.number, number, frames / made.walk.fps))
        shown = int(blend_lengths(entry)[number])
        imgui.set_tooltip(f"blends {shown} frames, {shown / made.walk.fps:.2f} s")
        return
    imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
    found = neighbour(made, number, frame - grabbed - begin)
    state.issue(do.SlideTransition(entry.number, number, int(found["src_frame"]), int(found["dst_frame"])))
    imgui.set_tooltip(f"{made.walk.transitions[number]['cost']:.2f} {made.unit}")


def seam_menu(entry: Entry, at: Callable[[float], float], state: AppState) -> None:
    """A right click on a transition: the minima next to it, and its blend over the whole window again."""
    if not _can(entry):
        return
    frame, walk = _frame(at), made_of(entry).walk
    inside = np.flatnonzero((seams(walk)[:, 0] <= frame) & (frame < seams(walk)[:, 1]))
    name = f"seam menu {entry.number}"
    if imgui.is_item_clicked(_RIGHT) and len(inside):
        imgui.get_state_storage().set_int(imgui.get_id(name), int(inside[0]))
        imgui.open_popup(name)
    if not imgui.begin_popup(name):
        return
    number = min(imgui.get_state_storage().get_int(imgui.get_id(name)), len(walk.transitions) - 1)
    made, jump = made_of(entry), walk.transitions[number]
    imgui.text_disabled(f"transition {number + 1}, {jump['cost']:.2f} {made.unit}")
    for way, text in ((-1, "Earlier minimum"), (1, "Later minimum")):
        found = next_minimum(made, number, way)
        about = "none near" if found is None else f"{found['cost']:.2f} {made.unit}"
        if imgui.menu_item(text, about, False, found is not None)[0] and found is not None:
            state.issue(do.SlideTransition(entry.number, number, int(found["src_frame"]), int(found["dst_frame"])))
    if imgui.menu_item("Blend over the whole window", "", False)[0]:
        state.issue(do.SetBlendLength(entry.number, number, walk.window / walk.fps))
    imgui.end_popup()
