"""Preferences in one dialog: look, drawing, files and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.settings import QUALITIES
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.actions import ACTIONS
from motiongraph.viewer.keys import DEFAULT_KEYS, rebound, shown
from motiongraph.viewer.panels.widgets import field, icons, note, tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motiongraph.viewer.ui import Ui

_APPEARING = int(imgui.Cond_.appearing)
_FLAGS = int(imgui.WindowFlags_.no_docking | imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_saved_settings)
_TABLE = int(imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.sizing_stretch_prop)
_CLAMPED = int(imgui.SliderFlags_.always_clamp)
_QUALITY = {
    "auto": "automatic: fast where no graphics card draws",
    "best": "best looks",
    "fast": "fast while anything moves",
}
_WIDE = 15.0  # of controls, in units of the text's height


def preferences_window(state: AppState, ui: Ui) -> None:
    imgui.set_next_window_pos(imgui.get_main_viewport().get_work_center(), _APPEARING, (0.5, 0.5))
    imgui.set_next_window_size((ui.px(520), ui.px(400)), _APPEARING)
    visible, kept = imgui.begin("Preferences", True, _FLAGS)
    if visible and imgui.begin_tab_bar("pages"):
        for title, page in (("Look", _look), ("Drawing", _drawing), ("Files", _files), ("Keys", _keys)):
            if imgui.begin_tab_item(title)[0]:
                imgui.dummy((0, ui.px(4)))
                page(state, ui)
                imgui.end_tab_item()
        imgui.end_tab_bar()
    imgui.end()
    if not kept:
        state.issue(do.ShowPanel("preferences", False))


def _look(state: AppState, ui: Ui) -> None:
    settings = state.settings
    field("text size", _WIDE)
    size = int(ui.texts.get("text size") or round(100 * settings.zoom))
    _, size = imgui.slider_int("##zoom", size, 50, 300, "%d %%", _CLAMPED)
    ui.texts["text size"] = str(size) if imgui.is_item_active() else ""
    if imgui.is_item_deactivated_after_edit():  # while it is dragged the slider would move away
        state.issue(do.SetSetting("zoom", 0.01 * size))
    tooltip("panels widen with it")
    _choice("theme", "light", settings.light, (False, True), ("dark", "light"), state)
    _choice("scene", "day", settings.day, (True, False), ("bright", "dark"), state)
    _choice("colours", "safe_colours", settings.safe_colours, (False, True),
            ("usual", "safe for colour-blind people"), state)  # fmt: skip
    _choice("lengths", "units", settings.units, ("cm", "inch"), ("metres and cm", "feet and inches"), state)
    tooltip("costs of transitions stay in the unit of their metric")


def _drawing(state: AppState, ui: Ui) -> None:
    settings = state.settings
    names = tuple(_QUALITY[name] for name in QUALITIES)
    _choice("quality", "quality", settings.quality, QUALITIES, names, state)
    _choice("smooth edges", "samples", settings.samples, (1, 2, 4, 8), ("off", "2 ×", "4 ×", "8 ×"), state)
    _choice("frames / s", "rate", settings.rate, (30, 60, 90, 120, 144, 240), None, state)
    tooltip("at the most; the processor draws at most 60")
    _check("wait for the display (vsync)", "vsync", settings.vsync, state)
    note(ui.renderer)


def _files(state: AppState, ui: Ui) -> None:
    settings = state.settings
    _choice("autosave", "autosave", settings.autosave, (1, 2, 5, 10, 30, 0),
            ("every minute", *(f"every {n} minutes" for n in (2, 5, 10, 30)), "never"), state)  # fmt: skip
    tooltip("copies of unsaved work, for the case that the program ends badly")
    _folder("open from", "open_in", settings.open_in, state)
    _folder("save to", "save_in", settings.save_in, state)
    _choice(
        "disk cache",
        "cache",
        settings.cache,
        (1, 2, 5, 10, 20, 50),
        tuple(f"{n} GB" for n in (1, 2, 5, 10, 20, 50)),
        state,
    )
    tooltip("distances between clips are kept there, so that graphs are built again quickly")
    _check("play what is opened", "autoplay", settings.autoplay, state)


def _choice(
    text: str, name: str, value: str | int, values: Sequence[str | int], words: Sequence[str] | None, state: AppState
) -> None:
    """A setting with few values, as a list."""
    words = words or tuple(map(str, values))
    field(text, _WIDE)
    if imgui.begin_combo(f"##{name}", words[values.index(value)] if value in values else str(value)):
        for each, word in zip(values, words):
            if imgui.selectable(word, each == value)[0]:
                state.issue(do.SetSetting(name, each))
        imgui.end_combo()


def _check(text: str, name: str, value: bool, state: AppState) -> None:
    field("")
    changed, value = imgui.checkbox(text, value)
    if changed:
        state.issue(do.SetSetting(name, value))


def _folder(text: str, name: str, value: str, state: AppState) -> None:
    field(text)
    _, typed = imgui.input_text_with_hint(f"##{name}", "the folder used last", value)
    if typed != value:
        state.issue(do.SetSetting(name, typed))


def _keys(state: AppState, ui: Ui) -> None:
    """Every action with its key: click it and press another one."""
    chosen, texts = state.settings.keys, ui.texts
    imgui.set_next_item_width(-ui.px(120))
    _, texts["find key"] = imgui.input_text_with_hint(
        "##find key", "find an action or a key", texts.get("find key", "")
    )
    imgui.same_line()
    if imgui.button("Reset all keys", (-1, 0)):
        state.issue(do.SetSetting("keys", {}))
    wanted = texts["find key"].strip().lower()
    if not imgui.begin_table("keys", 3, _TABLE):
        return
    for name, action in ACTIONS.items():
        keys = ", ".join(map(shown, action.keys))
        if wanted and wanted not in f"{action.group} {action.text} {keys}".lower():
            continue
        imgui.push_id(name)
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(action.group)
        imgui.table_next_column()
        imgui.text_unformatted(action.text)
        imgui.table_next_column()
        _key(name, keys, chosen, state, ui)
        imgui.pop_id()
    imgui.end_table()


def _key(name: str, keys: str, chosen: dict[str, str], state: AppState, ui: Ui) -> None:
    if ui.rebinding == name:
        if imgui.button(f"press a key…##{name}") or imgui.is_key_pressed(imgui.Key.escape, False):
            ui.rebinding = ""
        elif ui.pressed:
            state.issue(do.SetSetting("keys", rebound(chosen, name, ui.pressed)))
            ui.rebinding = ""
        return
    imgui.push_style_color(imgui.Col_.text, theme.ACCENT if name in chosen else theme.INK)
    if imgui.button(f"{keys or '–'}##{name}"):
        ui.rebinding, ui.pressed = name, ""
    imgui.pop_style_color()
    tooltip("click, then press the key that is to do this; Esc leaves it as it is")
    if name in chosen:
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_ROTATE_LEFT}##reset {name}"):
            state.issue(do.SetSetting("keys", {other: key for other, key in chosen.items() if other != name}))
        tooltip(f"back to {', '.join(map(shown, DEFAULT_KEYS[name])) or 'none'}")
