"""Work that was not saved: what becomes of it when the window is closed, and the list of what earlier runs left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.project.unsaved import MOST
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import icons, note, tooltip

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_TITLE = "Save before closing?"
_APPEARING = int(imgui.Cond_.appearing)
_FLAGS = int(
    imgui.WindowFlags_.no_docking | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings
)
_TABLE = int(imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.row_bg)


def quit_question(state: AppState, ui: Ui) -> None:
    """Asked while there is unsaved work and someone wants to quit."""
    session = state.project
    if session.asked_at is None:
        return
    if not imgui.is_popup_open(_TITLE):
        imgui.open_popup(_TITLE)
    imgui.set_next_window_pos(imgui.get_main_viewport().get_center(), _APPEARING, (0.5, 0.5))
    visible, kept = imgui.begin_popup_modal(_TITLE, True, _FLAGS)
    if not visible:
        if not kept:
            state.issue(do.CancelQuit())
        return
    imgui.push_text_wrap_pos(ui.px(430))
    imgui.text(f"{session.path.name if session.path else 'This project'} has changes that are not saved.")
    if session.unkept:
        imgui.text_colored(theme.BAD, f"They cannot be kept either: {session.unkept}")
    else:
        imgui.text_disabled(f"Without saving they are kept under File > Unsaved work: the last {MOST} are.")
    imgui.pop_text_wrap_pos()
    imgui.dummy((0, ui.px(2)))
    _answers(state, ui, not kept)
    imgui.end_popup()


def _answers(state: AppState, ui: Ui, given_up: bool) -> None:
    session, wide = state.project, (ui.px(104), 0)
    save = imgui.button("Save" if session.path else "Save as…", wide)
    imgui.set_item_default_focus()
    imgui.same_line()
    leave = imgui.button("Lose them" if session.unkept else "Don't save", wide)
    imgui.same_line()
    given_up |= imgui.button("Cancel", wide) or imgui.is_key_pressed(imgui.Key.escape, False)
    if not (save or leave or given_up):
        return
    imgui.close_current_popup()
    if leave:
        state.issue(do.Quit("lose" if session.unkept else "keep"))
    elif save and session.path:
        state.issue(do.SaveProject(quit=True))
    else:
        state.issue(do.CancelQuit())
        if save:
            ui.dialogs.ask("save and quit", state)


def unsaved_window(state: AppState, ui: Ui) -> None:
    """The last works that were not saved, newest first."""
    imgui.set_next_window_pos(imgui.get_main_viewport().get_work_center(), _APPEARING, (0.5, 0.5))
    visible, kept = imgui.begin("Unsaved work", True, _FLAGS)
    later = False
    if visible:
        _works(state, ui)
        later = imgui.button("Close")
    imgui.end()
    if later or not kept:
        state.issue(do.ShowPanel("unsaved", False))


def _works(state: AppState, ui: Ui) -> None:
    works = state.project.unsaved
    if not works:
        note("There is none.")
        return
    imgui.text("Work that was not saved when motiongraph ended or something else was opened.")
    note(f"The last {MOST} are kept. Opening one sets aside what is there now.")
    if not imgui.begin_table("works", 3, _TABLE):
        return
    for index, work in enumerate(works):
        imgui.push_id(index)
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text(f"{work.when:%a %d %b %Y, %H:%M}")
        imgui.table_next_column()
        imgui.text_disabled(work.what or "–")
        tooltip(str(work.path))
        imgui.table_next_column()
        if imgui.button(f"Open##{index}"):
            state.issue(do.ReopenUnsaved(work.path))
            state.issue(do.ShowPanel("unsaved", False))
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_TRASH}##{index}"):
            state.issue(do.ForgetUnsaved(work.path))
        tooltip("delete it for good")
        imgui.pop_id()
    imgui.end_table()
