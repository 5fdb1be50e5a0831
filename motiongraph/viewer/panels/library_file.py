"""What the active clip's file was taken to mean, its unit, up axis and skeleton, and a way to say otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.library.reading import described
from motiongraph.app.state import AppState
from motiongraph.formats.guess import STATURE, UNITS, UP_AXES
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import colour32, field, icons, note, tooltip

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.formats.motion import Source
    from motiongraph.viewer.ui import Ui

_TEXT = int(imgui.Col_.text)
_TYPED = int(imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.chars_decimal)
_MEANING = {"cmu": "cmu: 1/0.45 inch, as in CMU's BVH files", "dm": "dm: decimetres"}


def file_line(entry: Entry, state: AppState, ui: Ui) -> None:
    """What the file of a clip was taken to mean, as a line that opens a menu; nothing for motion that was made here."""
    source = entry.clip.source
    if source is None or entry.path is None or entry.made is not None:
        return
    imgui.push_style_color(_TEXT, colour32(theme.WARN if source.scaled else theme.FAINT))
    if imgui.selectable(f"{described(entry.clip)}  {icons.ICON_FA_PEN}##file", False)[0]:
        imgui.open_popup("file")
    imgui.pop_style_color()
    tooltip("unit, up axis and height along the bones of the file: click to change what was found")
    if imgui.begin_popup("file"):
        imgui.dummy((ui.px(300), 0))
        _choices(entry, source, state, ui)
        imgui.end_popup()


def _choices(entry: Entry, source: Source, state: AppState, ui: Ui) -> None:
    assert entry.path is not None
    folder = ui.texts.get("read folder") == "yes"
    if source.scaled:
        note(f"No unit fits its bones, so it was scaled to {STATURE:g} m.")
    _unit(entry, source, folder, state)
    _up(entry, source, folder, state)
    if source.skeleton:
        field("skeleton")
        if imgui.button(f"{Path(source.skeleton).name}…", (-1, 0)):
            ui.dialogs.ask("skeleton of folder" if folder else "skeleton", state)
        tooltip(f"{source.skeleton}\nchoose another .asf")
    changed, folder = imgui.checkbox("for all clips of its folder", folder)
    if changed:
        ui.texts["read folder"] = "yes" if folder else ""
    tooltip(f"what is changed above holds for all clips of\n{entry.path.parent}\nand for files opened from there later")


def _unit(entry: Entry, source: Source, folder: bool, state: AppState) -> None:
    field("unit")
    if imgui.begin_combo("##unit", source.units):
        if imgui.selectable("find out", source.unit_from != "given")[0]:
            state.issue(do.ReadAgain(entry.number, units="auto", folder=folder))
        for name, metres in UNITS.items():
            if imgui.selectable(name, source.unit == name and source.unit_from == "given")[0]:
                state.issue(do.ReadAgain(entry.number, units=name, folder=folder))
            height = (source.stature or entry.clip.skeleton.height) / source.scale * metres
            tooltip(f"{_MEANING.get(name, name)}; the body is {height:.2f} m tall then")
        imgui.set_next_item_width(-1)
        entered, metres = imgui.input_float("##metres", source.scale, 0.0, 0.0, "%.6g metres a unit", _TYPED)
        if entered and metres > 0.0:
            state.issue(do.ReadAgain(entry.number, units=metres, folder=folder))
            imgui.close_current_popup()
        imgui.end_combo()
    tooltip("how long one unit of the file is")


def _up(entry: Entry, source: Source, folder: bool, state: AppState) -> None:
    field("up axis")
    if imgui.begin_combo("##up", f"{source.up} (guessed)" if source.up_from == "guess" else source.up):
        if imgui.selectable("find out", source.up_from != "given")[0]:
            state.issue(do.ReadAgain(entry.number, up="auto", folder=folder))
        for name in UP_AXES:
            if imgui.selectable(name, source.up == name and source.up_from == "given")[0]:
                state.issue(do.ReadAgain(entry.number, up=name, folder=folder))
        imgui.end_combo()
    tooltip("the axis that points up in the file")
