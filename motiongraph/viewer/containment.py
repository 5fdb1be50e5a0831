"""A panel that fails while it is drawn: the window goes on, and says in the panel what went wrong."""

import os
from collections.abc import Callable

from imgui_bundle import imgui, implot

from motiongraph.app.jobs import failure_sentence
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.ui import Ui

_RECOVERY = tuple(f"config_error_recovery_enable_{name}" for name in ("assert", "tooltip", "debug_log"))


def contained(name: str, content: Callable[[AppState, Ui], None], state: AppState, ui: Ui) -> bool:
    """Draw a panel, or what can be drawn of it; whether all went well. While debugging, what it raises is raised."""
    begun = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(begun)
    try:
        content(state, ui)
    except Exception as problem:
        if os.environ.get("MOTIONGRAPH_DEBUG"):
            raise
        _end_what_was_begun(begun)
        kind = f"{type(problem).__name__}: {problem}"
        if ui.failures.get(name, ("", ""))[0] != kind:  # it fails in every frame, and is told once
            ui.failures[name] = kind, failure_sentence(problem, f"the panel {name}")
            state.say(ui.failures[name][1], "error")
        return False
    ui.failures.pop(name, None)
    return True


def contained_panel(name: str, content: Callable[[AppState, Ui], None], state: AppState, ui: Ui) -> None:
    """The same inside a window, which says what went wrong."""
    if not contained(name, content, state, ui):
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(theme.BAD, ui.failures[name][1])
        imgui.pop_text_wrap_pos()


def _end_what_was_begun(begun: imgui.internal.ErrorRecoveryState) -> None:
    """Dear ImGui ends it by itself; it need not complain."""
    io = imgui.get_io()
    before = {name: getattr(io, name) for name in _RECOVERY}
    for name in _RECOVERY:
        setattr(io, name, False)
    if implot.internal.get_current_plot() is not None:
        implot.end_plot()
    imgui.internal.error_recovery_try_to_recover_state(begun)
    for name, value in before.items():
        setattr(io, name, value)
