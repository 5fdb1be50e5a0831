"""Small pieces that several panels share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.actions import ACTIONS, act, possible
from motiongraph.viewer.keys import shown

if TYPE_CHECKING:
    from motiongraph.app.jobs import Job
    from motiongraph.viewer.ui import Ui

T = TypeVar("T")
_LONG = 12  # lines of a drop-down from which on it can be searched
_search = [""]  # what is typed there; one is open at a time
COMBO = 11.0  # widths in units of the text's height
__all__ = ["action_button", "action_item", "field", "icons", "note", "progress_row", "section", "toggle", "word_colour"]


# Flags are put together once: doing so costs more than what they are for.
_TIP = int(imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled)
_BUTTON = int(imgui.Col_.button)
_AS_NEEDED = imgui.ImVec2(0, 0)
# A window that floats over the scene and takes as much room as it needs.
OVERLAY = int(
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_move
)


def keys_of(name: str) -> str:
    keys = ACTIONS[name].keys
    return shown(keys[0]) if keys else ""


def tooltip(text: str) -> None:
    if imgui.is_item_hovered(_TIP):
        imgui.set_tooltip(text)


def action_item(name: str, state: AppState, ui: Ui, more: str = "") -> None:
    """An action as a line of a menu; more: what is said after its name."""
    action = ACTIONS[name]
    checked = bool(action.checked and action.checked(state))
    if imgui.menu_item(action.text + more, keys_of(name), checked, possible(action, state))[0]:
        act(action, state, ui)


def action_button(label: str, name: str, state: AppState, ui: Ui, size: imgui.ImVec2 = _AS_NEEDED) -> None:
    """An action as a button, lit while it is on; its tooltip names it and its key."""
    action = ACTIONS[name]
    lit, dead = action.checked is not None and action.checked(state), not possible(action, state)
    if lit:
        imgui.push_style_color(_BUTTON, colour32(theme.ACCENT, 0.35))
    if dead:
        imgui.begin_disabled()
    if imgui.button(label, size):
        act(action, state, ui)
    if dead:
        imgui.end_disabled()
    if lit:
        imgui.pop_style_color()
    if imgui.is_item_hovered(_TIP):
        keys = keys_of(name)
        imgui.set_tooltip(f"{action.text}  ({keys})" if keys else action.text)


def toggle(name: str, state: AppState, ui: Ui, text: str | None = None) -> None:
    """An action that is on or off as a check box."""
    action = ACTIONS[name]
    changed, _ = imgui.checkbox(text or action.text, action.checked is not None and bool(action.checked(state)))
    if changed:
        act(action, state, ui)
    if action.keys and imgui.is_item_hovered(_TIP):
        imgui.set_tooltip(keys_of(name))


def section(text: str) -> None:
    imgui.separator_text(text)


def note(text: str) -> None:
    """A remark, wrapped and faint."""
    imgui.push_text_wrap_pos(0.0)
    imgui.text_disabled(text)
    imgui.pop_text_wrap_pos()


def progress_row(job: Job, state: AppState, ui: Ui) -> None:
    """How far a job is, and a button that stops it."""
    share = -1.0 * imgui.get_time() if job.share is None else job.share
    imgui.progress_bar(share, (-ui.px(70), 0.0), job.what[:48])
    imgui.same_line()
    if imgui.button("Cancel", (-1, 0)):
        state.issue(do.CancelJob(job.number))


def searched(lines: Sequence[T], text: Callable[[T], str] = str) -> Sequence[T]:
    """Inside an open drop-down: where it is long, a field to search in, and the lines that were found."""
    if len(lines) <= _LONG:
        return lines
    if imgui.is_window_appearing():
        _search[0] = ""
        imgui.set_keyboard_focus_here()
    imgui.set_next_item_width(-1)
    _, _search[0] = imgui.input_text_with_hint("##search", "find", _search[0])
    wanted = _search[0].strip().lower()
    return [line for line in lines if wanted in text(line).lower()] if wanted else lines


def in_sight(lines: Sequence[T]) -> Iterator[T]:
    """Those of many lines that are scrolled into view; the others take their room."""
    clipper = imgui.ListClipper()
    clipper.begin(len(lines))
    while clipper.step():
        yield from lines[clipper.display_start : clipper.display_end]


def field(text: str, width: float = 0.0) -> None:
    """The name of the control that follows, at the left, all controls of a panel in one column."""
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(text)
    imgui.same_line(6.2 * imgui.get_font_size())
    imgui.set_next_item_width(width * imgui.get_font_size() if width else -1)


@lru_cache(maxsize=512)
def word_colour(word: str) -> tuple[float, float, float]:
    """The same colour for the same label, wherever it shows."""
    number = sum((i + 1) * ord(c) for i, c in enumerate(word))
    return theme.SERIES[number % len(theme.SERIES)]


@lru_cache(maxsize=2048)
def colour32(colour: tuple[float, ...], alpha: float = 1.0) -> int:
    """r g b as Dear ImGui's draw lists take them."""
    red, green, blue = colour[:3]
    return imgui.color_convert_float4_to_u32((red, green, blue, alpha))


theme.KEPT.append(word_colour.cache_clear)
