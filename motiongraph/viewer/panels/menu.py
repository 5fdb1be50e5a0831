"""The menu bar: everything there is, by name, with its key; the frame rate at its end."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import ROOTS
from motiongraph.app.state import AppState
from motiongraph.viewer import action, theme
from motiongraph.viewer.actions import PANELS
from motiongraph.viewer.panels.path import presets_menu
from motiongraph.viewer.panels.widgets import action_item, keys_of

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

ROOT_NAMES = {
    "captured": "As captured",
    "in place": "In place",
    "fixed": "In place, not turning",
    "path": "Along the original path",
    "straight": "Straight on",
}
LOOP_NAMES = {"loop": "Loop", "ping-pong": "Ping-pong", "once": "Once"}


def menu_bar(state: AppState, ui: Ui) -> None:
    if not imgui.begin_main_menu_bar():
        return
    for name, content in _MENUS.items():
        if imgui.begin_menu(name):
            content(state, ui)
            if imgui.is_key_pressed(imgui.Key.escape, False):
                imgui.close_current_popup()
            imgui.end_menu()
    text, width = _rate(ui.timings.summary()[0], ui.scale)
    imgui.same_line(imgui.get_window_width() - width)
    imgui.text_disabled(text)
    if imgui.is_item_hovered():
        imgui.set_tooltip(
            f"frames a second and how long each lasts; {ui.timings.summary()[1]:.1f} ms of it are work\nclick for more"
        )
    if imgui.is_item_clicked():
        state.issue(do.ShowPanel("stats", True))
    imgui.end_main_menu_bar()


@lru_cache(maxsize=4)
def _rate(rate: float, scale: float) -> tuple[str, float]:
    """Frames a second and ms of a frame in words, and how wide that is up to the window's edge."""
    text = f"{rate:.0f} fps · {1000.0 / max(rate, 0.1):.1f} ms"
    return text, imgui.calc_text_size(text).x + 2 * imgui.get_style().item_spacing.x


def _items(names: str, state: AppState, ui: Ui) -> None:
    for name in names.split("|"):
        imgui.separator() if name == "-" else action_item(name, state, ui)


def _file(state: AppState, ui: Ui) -> None:
    _items("open|open folder", state, ui)
    if imgui.begin_menu("Recent", bool(state.settings.recent)):
        for path in state.settings.recent:
            if imgui.menu_item(path, "", False)[0]:
                state.issue(do.OpenPaths((Path(path),)))
        imgui.end_menu()
    _items(
        "samples|fetch|-|new|save|save as|reopen|-|save labels|export|-|screenshot|screenshot all|record|-|quit",
        state,
        ui,
    )


def _edit(state: AppState, ui: Ui) -> None:
    for name, edits in (("undo", state.history.done), ("redo", state.history.undone)):
        action_item(name, state, ui, f" {edits[-1].name}" if edits else "")
    _items("-|preferences", state, ui)


def _clip(state: AppState, ui: Ui) -> None:
    _items(
        "next|previous|-|use|trim start|trim end|untrim|mirror|find contacts|-|tick all|tick none|-|remove|remove all",
        state,
        ui,
    )


def _playback(state: AppState, ui: Ui) -> None:
    _items("play|step|step back|step ten|back ten|start|end|-|faster|slower|normal speed|reverse|-", state, ui)
    for mode, text in LOOP_NAMES.items():
        if imgui.menu_item(text, keys_of("loop") if mode == "loop" else "", state.playback.loop == mode)[0]:
            state.issue(do.SetLoop(mode))
    imgui.separator()
    imgui.text_disabled("The root goes")
    for mode in ROOTS:
        if imgui.menu_item(ROOT_NAMES[mode], keys_of("root") if mode == ROOTS[0] else "", state.playback.root == mode)[
            0
        ]:
            state.issue(do.SetRoot(mode))
    _items("straight left|straight right|-|autoplay", state, ui)


def _scene(state: AppState, ui: Ui) -> None:
    _items("bones|boxes|sides|joints|trajectory|contacts|cloud|flow|crowd|names", state, ui)
    _items("-|start crowd|clear crowd|-|pin|unpin|clear ghosts", state, ui)
    _steps("The last ghost", action.GHOST, state, ui, bool(state.scene.ghosts))
    imgui.separator()
    _steps("The character", action.CHARACTER, state, ui, state.entry is not None)
    _items("place|-|floor|shadows|day", state, ui)


def _steps(text: str, steps: tuple[action.Step, ...], state: AppState, ui: Ui, possible: bool = True) -> None:
    """Steps of `action` as a menu of their own."""
    if imgui.begin_menu(text, possible):
        for name, *_ in steps:
            action_item(name, state, ui)
        imgui.end_menu()


def _path(state: AppState, ui: Ui) -> None:
    _items("draw|edit path|paint|goal|no tool|-", state, ui)
    if imgui.begin_menu("Ready-made"):
        presets_menu(state, ui)
        imgui.end_menu()
    _items("smooth|reverse path|close path|clear path|-", state, ui)
    _items("walk path|lead|replay|reset walk|-|load path|save path", state, ui)


def _graph(state: AppState, ui: Ui) -> None:
    _items("build|bridge|mirror graph|-|auto threshold|whole graph|-|open graph|save graph|export graph", state, ui)
    _items("-|make walk|new seed|clear results", state, ui)
    _items("-|why|-|drop graph", state, ui)


def _camera(state: AppState, ui: Ui) -> None:
    _items("follow|reset camera|-|front|side|top|three-quarter|-", state, ui)
    _steps("Orbit", action.ORBIT, state, ui)
    _steps("Pan", action.PAN, state, ui)
    _items("zoom in|zoom out|-|below floor", state, ui)


def _view(state: AppState, ui: Ui) -> None:
    for name in PANELS:  # here they can also be taken away; their keys bring them to the front
        if imgui.menu_item(name.title(), keys_of(f"panel {name}"), name in state.window.shown)[0]:
            state.issue(do.ShowPanel(name))
    imgui.separator()
    _items("panels|full screen|-|split 1|split 2|split 3|next track|-|larger|smaller|-|vsync", state, ui)
    if imgui.begin_menu("Frames a second"):
        for rate in (30, 60, 90, 120, 144, 240):
            if imgui.menu_item(str(rate), "", state.settings.rate == rate)[0]:
                state.issue(do.SetSetting("rate", rate))
        imgui.end_menu()
    _items("layout", state, ui)


def _help(state: AppState, ui: Ui) -> None:
    _items("shortcuts|hint|-", state, ui)
    from motiongraph import __version__

    imgui.push_style_color(imgui.Col_.text, theme.FAINT)
    imgui.text(f"motiongraph {__version__}")
    imgui.text(ui.renderer)
    imgui.pop_style_color()


_MENUS = {
    "File": _file,
    "Edit": _edit,
    "Clip": _clip,
    "Playback": _playback,
    "Scene": _scene,
    "Graph": _graph,
    "Path": _path,
    "Camera": _camera,
    "View": _view,
    "Help": _help,
}
