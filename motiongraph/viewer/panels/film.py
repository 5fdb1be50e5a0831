"""Before a video: how large it is to be and how many frames a second it is to have."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.settings import FILM_SIZES
from motiongraph.viewer.panels.widgets import field, icons, note

_NAMES = {"view": "as the view", "720p": "1280 × 720", "1080p": "1920 × 1080", "square": "1080 × 1080"}
_RATES = (24, 25, 30, 50, 60, 120)
_APPEARING = int(imgui.Cond_.appearing)
_FLAGS = int(
    imgui.WindowFlags_.no_docking | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings
)


def film_window(state, ui) -> None:
    imgui.set_next_window_pos(imgui.get_main_viewport().get_work_center(), _APPEARING, (0.5, 0.5))
    visible, kept = imgui.begin("Video of the clip", True, _FLAGS)
    if visible:
        _film(state, ui)
    imgui.end()
    if not kept or imgui.is_key_pressed(imgui.Key.escape, False):
        state.issue(do.ShowPanel("film", False))


def _film(state, ui) -> None:
    entry, settings = state.entry, state.settings
    note(f"{entry.name}, once, as it is seen now" if entry else "Choose a clip first.")
    field("size", 12)
    if imgui.begin_combo("##size", _NAMES[settings.film_size]):
        for name in FILM_SIZES:
            if imgui.selectable(_NAMES[name], name == settings.film_size)[0]:
                state.issue(do.SetSetting("film_size", name))
        imgui.end_combo()
    field("frames / s", 12)
    if imgui.begin_combo("##rate", str(settings.film_rate)):
        for rate in _RATES:
            if imgui.selectable(str(rate), rate == settings.film_rate)[0]:
                state.issue(do.SetSetting("film_rate", rate))
        imgui.end_combo()
    imgui.begin_disabled(entry is None)
    if imgui.button(f"{icons.ICON_FA_FILM}  Save as…"):
        state.issue(do.ShowPanel("film", False))
        ui.dialogs.ask("record", state)
    imgui.end_disabled()
    imgui.same_line()
    if imgui.button("Cancel"):
        state.issue(do.ShowPanel("film", False))
