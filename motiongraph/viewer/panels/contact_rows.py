"""Contacts of the feet in the timeline: a row for the heel and the toe of each foot, whose stretches are dragged.

They show while the contacts do in the scene.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.library.contacts import contacts_of, dragged
from motiongraph.app.playback import frame_of
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import colour32

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.viewer.ui import Ui

_GROUND = colour32((0, 0, 0), 0.28)
_BUTTONS = int(imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_right)
_HIGH = 0.95  # of a row, in heights of the text
_HOW = "drag an end to move it, with the right button to add or to remove a contact"


def _shown(state: AppState) -> Entry | None:
    """The clip whose contacts are shown."""
    return state.entry if state.scene.layers.contacts and state.live is None else None


def contact_rows_height(state: AppState) -> float:
    entry = _shown(state)
    return 0.0 if entry is None else len(entry.prepared.feet) * _HIGH * imgui.get_font_size()


def contact_rows(state: AppState, ui: Ui) -> None:
    """The rows of the clip that is shown; its own contacts faint while they are found, strong when they were given."""
    entry = _shown(state)
    if entry is None or not len(entry.prepared.feet):
        return
    unit, wide = imgui.get_font_size(), max(imgui.get_content_region_avail().x, 1.0)
    corner, draw, edge = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list(), ui.px(6)
    left = corner.x + (3.0 * unit if state.scene.views > 1 else 0.0) + edge  # in line with the lanes above
    right, last = corner.x + wide - edge, max(len(entry.clip) - 1, 1)
    rows = contacts_of(entry)
    imgui.invisible_button("contacts", (wide, len(rows) * _HIGH * unit), _BUTTONS)
    size, colour = 0.72 * unit, colour32(theme.GOOD, 0.35 if entry.clip.planted is None else 0.8)
    for row, (name, spans) in enumerate(rows.items()):
        top = corner.y + row * _HIGH * unit
        bottom = top + _HIGH * unit - ui.px(1)
        draw.add_rect_filled((left - edge, top), (right + edge, bottom), _GROUND)
        for start, stop in spans:
            begin, end = (left + (right - left) * min(frame, last) / last for frame in (start, stop))
            draw.add_rect_filled((begin, top), (max(end, begin + 1.0), bottom), colour)
        draw.add_text(imgui.get_font(), size, (left, top + 0.5 * (_HIGH * unit - size)), colour32(theme.INK), name)
    x = left + (right - left) * frame_of(state) / last
    draw.add_line((x, corner.y), (x, corner.y + len(rows) * _HIGH * unit), colour32(theme.ACCENT), ui.px(2))
    if entry.made is None:
        _drag(entry, rows, (left, right, last), corner.y, state, ui)


def _drag(
    entry: Entry,
    rows: dict[str, list[tuple[int, int]]],
    span: tuple[float, float, int],
    top: float,
    state: AppState,
    ui: Ui,
) -> None:
    mouse, (left, right, last) = imgui.get_mouse_pos(), span
    frame = min(max(round((mouse.x - left) / max(right - left, 1.0) * last), 0), last)
    if imgui.is_item_activated():
        row = min(max(int((mouse.y - top) / (_HIGH * imgui.get_font_size())), 0), len(rows) - 1)
        name, spans = list(rows.items())[row]
        ui.contact = name, frame, spans, imgui.is_mouse_down(imgui.MouseButton_.right)
    if ui.contact is not None and imgui.is_item_active():
        name, begun, spans, opposite = ui.contact
        state.issue(do.SetContacts(entry.number, name, dragged(spans, begun, frame, opposite)))
    elif ui.contact is not None:
        ui.contact = None
    elif imgui.is_item_hovered():
        said = "given" if entry.clip.planted is not None else "found in the motion"
        imgui.set_tooltip(f"frame {frame}; contacts as {said}\n{_HOW}")
