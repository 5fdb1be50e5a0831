"""The steps of asking for a file that we draw ourselves, as popups in front of everything: see `dialogs`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app.state import AppState

if TYPE_CHECKING:
    from motiongraph.viewer.dialogs import Dialogs

_KEEP_OPEN = int(imgui.SelectableFlags_.no_auto_close_popups)
_BORDERS, _ENTERED = int(imgui.ChildFlags_.borders), int(imgui.InputTextFlags_.enter_returns_true)
_APPEARING = int(imgui.Cond_.appearing)
_AS_NEEDED = int(imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings)
_WORDS = {"open": "Open", "folder": "Open this folder", "save": "Save"}
_HINT = "a file or folder, typed or pasted"


def _popup(title: str, dialog: Dialogs, flags: int = 0) -> tuple[bool, bool]:
    """Begin the popup of this step: whether it is there, and whether its cross was left alone."""
    if not dialog.opened:
        imgui.open_popup(title)
        dialog.opened = True
    imgui.set_next_window_pos(imgui.get_main_viewport().get_center(), _APPEARING, (0.5, 0.5))
    visible, kept = imgui.begin_popup_modal(title, True, flags)
    return visible, bool(kept)


def _gives_up(kept: bool) -> bool:
    return imgui.button("Cancel") or not kept or imgui.is_key_pressed(imgui.Key.escape, False)


def wait(dialog: Dialogs, state: AppState) -> None:
    """A dialog of the system is open: it is said so, and it can be given up from here."""
    visible, kept = _popup(dialog.asked.title, dialog, _AS_NEEDED)
    if not visible:
        dialog.close()
        return
    imgui.text("This is asked in a window of its own.")
    size = imgui.get_font_size()
    imgui.dummy((imgui.calc_text_size(dialog.asked.title).x + 3 * size, 0.2 * size))  # the title is to be read
    found = dialog.found()
    if found is not None:
        imgui.close_current_popup()
        dialog.answer(state, found)
    elif _gives_up(kept):
        imgui.close_current_popup()
        dialog.close()
    imgui.end_popup()


def replace(dialog: Dialogs, path: Path, state: AppState) -> None:
    """The file is there already, or the .asf of an .amc is."""
    visible, kept = _popup("Replace it?", dialog, _AS_NEEDED)
    if not visible:
        dialog.close()
        return
    names = " and ".join(file.name for file in dialog.there)
    imgui.text(f"{names} {'is' if len(dialog.there) == 1 else 'are'} there already, in")
    imgui.text_disabled(str(path.parent))
    sure = imgui.button("Replace it")
    imgui.same_line()
    other = imgui.button("Another name…")
    imgui.same_line()
    given_up = _gives_up(kept)
    if sure or other or given_up:
        imgui.close_current_popup()
    if sure:
        dialog.finish(state, [path])
    elif other:
        dialog.again()
    elif given_up:
        dialog.close()
    imgui.end_popup()


def browse(dialog: Dialogs, state: AppState) -> None:
    """A folder with its clips, a line to type in, and two buttons."""
    question, size = dialog.asked, imgui.get_font_size()
    imgui.set_next_window_size((40 * size, 28 * size), _APPEARING)
    visible, kept = _popup(question.title, dialog)
    if not visible:
        dialog.close()
        return
    imgui.text_disabled(str(dialog.folder))
    imgui.begin_child("files", (0, -2.6 * imgui.get_frame_height_with_spacing()), _BORDERS)
    _files(dialog, question.kind == "open")
    imgui.end_child()
    imgui.set_next_item_width(-1)
    if imgui.is_window_appearing():
        imgui.set_keyboard_focus_here()
    entered, dialog.text = imgui.input_text_with_hint("##path", _HINT, dialog.text, _ENTERED)
    pressed = imgui.button(_WORDS[question.kind])
    imgui.same_line()
    if _gives_up(kept):
        imgui.close_current_popup()
        dialog.close()
    elif pressed or entered:
        paths = _typed(dialog)
        if paths:
            imgui.close_current_popup()
            dialog.answer(state, paths)
    imgui.end_popup()


def _files(dialog: Dialogs, several: bool) -> None:
    """The lines of the list: folders are entered, files are chosen, or several of them with Ctrl."""
    entered = None
    if imgui.selectable("..", False, _KEEP_OPEN)[0]:
        entered = dialog.folder.parent
    lines = dialog.listing()
    clipper = imgui.ListClipper()
    clipper.begin(len(lines))
    while clipper.step():
        for label, path, inside in lines[clipper.display_start : clipper.display_end]:
            if not imgui.selectable(label, path in dialog.chosen, _KEEP_OPEN)[0]:
                continue
            if inside:
                entered = path
            else:
                add = several and imgui.get_io().key_ctrl
                dialog.chosen = (dialog.chosen ^ {path}) if add else {path}
                dialog.text = path.name
    if entered is not None:
        dialog.folder, dialog.chosen = entered, set()


def _typed(dialog: Dialogs) -> list[Path]:
    """What is chosen or typed; nothing yet where a folder was typed to save in: that is entered."""
    if len(dialog.chosen) > 1:
        return sorted(dialog.chosen)
    path = dialog.folder / os.path.expanduser(dialog.text.strip())
    if dialog.asked.kind == "save" and os.path.isdir(path):
        dialog.folder, dialog.text = path, ""
        return []
    return [path]
