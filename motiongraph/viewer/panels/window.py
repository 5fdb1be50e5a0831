"""The window itself: messages and running jobs, how fast it runs, and what a video is to be like."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.settings import FILM_SIZES
from motiongraph.app.state import AppState
from motiongraph.app.window import Message
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import OVERLAY, field, icons, note, section, tooltip
from motiongraph.viewer.ui import OWN

if TYPE_CHECKING:
    from motiongraph.app.jobs import Job
    from motiongraph.viewer.ui import Timings, Ui

_ICONS = {
    "info": icons.ICON_FA_CIRCLE_INFO,
    "warning": icons.ICON_FA_TRIANGLE_EXCLAMATION,
    "error": icons.ICON_FA_CIRCLE_XMARK,
}
_ALWAYS, _TEXT, _PADDING = int(imgui.Cond_.always), int(imgui.Col_.text), int(imgui.StyleVar_.frame_padding)
_LISTED = 100  # messages in the panel; "Copy all" has all of them


def messages_panel(state: AppState, ui: Ui) -> None:
    if not state.messages:
        note("Nothing to report.")
        return
    if imgui.button("Clear"):
        state.issue(do.DismissMessages())
    imgui.same_line()
    if imgui.button("Copy all"):
        imgui.set_clipboard_text("\n".join(f"{m.when} {m.level}: {m.text}" for m in state.messages))
    ui.seen.all(state.messages)
    imgui.begin_child("list")
    for message in islice(state.messages, _LISTED):
        imgui.text_disabled(message.when)
        imgui.same_line()
        imgui.text_colored(theme.LEVELS[message.level], _ICONS[message.level])
        imgui.same_line()
        imgui.push_text_wrap_pos(0.0)
        imgui.text_unformatted(message.text) if message.level == "info" else imgui.text_colored(
            theme.LEVELS[message.level], message.text
        )
        imgui.pop_text_wrap_pos()
    if len(state.messages) > _LISTED:
        note(f"{len(state.messages) - _LISTED} older ones: Copy all has them.")
    imgui.end_child()


def status_bar(state: AppState, ui: Ui) -> None:
    """Running jobs with their progress at the left, what there is to say at the right."""
    jobs = _jobs(state, ui)
    message = ui.seen.worth_showing(state.messages, state.clock)
    if message is not None:
        _message(message, state, ui)
    elif not jobs:
        _at_rest(state)


def status_overlay(state: AppState, ui: Ui) -> None:
    """The same in a corner of the scene, while the panels are hidden; nothing where there is nothing to say."""
    message = ui.seen.worth_showing(state.messages, state.clock)
    if message is None and not any(map(_shown, state.jobs.running)):
        return
    x, y, width, height = ui.scene
    imgui.set_next_window_pos((x + ui.px(14), y + height - ui.px(14)), _ALWAYS, (0.0, 1.0))
    imgui.set_next_window_size_constraints((0.0, 0.0), (max(width - ui.px(28), 1.0), max(height, 1.0)))
    imgui.set_next_window_bg_alpha(0.9)
    imgui.begin("status", None, OVERLAY)
    _jobs(state, ui)
    if message is not None:
        _message(message, state, ui)
    else:
        imgui.new_line()
    imgui.end()


def _shown(job: Job) -> bool:
    return not job.quiet and not job.cancelled.is_set()


def _jobs(state: AppState, ui: Ui) -> bool:
    """The first jobs in a row, whether there are any; what follows stands beside them."""
    jobs = [job for job in state.jobs.running if _shown(job)]
    for job in jobs[:3]:
        _job(job.title, job.share, job.what, ui)
        imgui.same_line()
        if imgui.small_button(f"cancel##{job.number}"):
            state.issue(do.CancelJob(job.number))
        imgui.same_line(0, ui.px(16))
    return bool(jobs)


def _message(message: Message, state: AppState, ui: Ui) -> None:
    if message is ui.seen.problem:  # it stays until someone says that it was read
        if imgui.small_button(icons.ICON_FA_XMARK):
            ui.seen.all(state.messages)
        tooltip("seen")
        imgui.same_line()
    imgui.push_style_color(_TEXT, theme.LEVELS[message.level])
    more = f"  (+{len(state.messages) - 1})" if len(state.messages) > 1 else ""
    imgui.text_unformatted(f"{_ICONS[message.level]}  {message.text}{more}")
    imgui.pop_style_color()
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"{message.text}\n\nclick for all messages")
    if imgui.is_item_clicked():
        state.issue(do.ShowPanel("messages", True))


def _at_rest(state: AppState) -> None:
    entry = state.entry
    words = f"{entry.name} · {entry.words}" if entry and entry.words else entry.name if entry else "drop clips here"
    imgui.text_disabled(words)


def _job(title: str, share: float | None, what: str, ui: Ui) -> None:
    imgui.text_unformatted(title)
    imgui.same_line()
    style = imgui.get_style()
    imgui.push_style_var(_PADDING, (style.frame_padding.x, 0))
    imgui.progress_bar(-1.0 * imgui.get_time() if share is None else share, (ui.px(140), imgui.get_font_size()), "")
    imgui.pop_style_var()
    if what:
        imgui.same_line()
        imgui.text_disabled(what if len(what) < 42 else f"{what[:40]}…")


# How fast it runs

_SAID = {
    "poll": "events",
    "update": "commands, time, poses",
    "upload": "rows of the batches",
    "draw": "the scene",
    "panels": "what surrounds it",
}
_PLAIN = int(implot.Flags_.no_mouse_text | implot.Flags_.no_menus | implot.Flags_.no_legend | implot.Flags_.no_inputs)
_NO_LABEL = int(implot.AxisFlags_.no_label)
_TABLE = int(imgui.TableFlags_.sizing_stretch_prop)
_BARE = int(implot.AxisFlags_.no_tick_labels | implot.AxisFlags_.no_tick_marks | implot.AxisFlags_.no_grid_lines)


def stats_panel(state: AppState, ui: Ui) -> None:
    timings = ui.timings
    rate, median, worst = timings.summary()
    imgui.push_font(ui.fonts.bold, 1.3 * imgui.get_style().font_size_base)
    fps, work = _words(rate, median, worst)
    imgui.text(fps)
    imgui.pop_font()
    imgui.same_line(0, ui.px(12))
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(work)
    tooltip("the median of everything but the driver's swap, and what 99 of 100 frames stay below")
    _graph(timings, ui)
    if imgui.begin_table("phases", 3, _TABLE):
        for phase, colour, text in zip(OWN, theme.SERIES, _milliseconds(timings.means())):
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_colored((*colour, 1.0), phase)
            imgui.table_next_column()
            imgui.text(text)
            imgui.table_next_column()
            imgui.text_disabled(_SAID[phase])
        imgui.end_table()
    section("Scene")
    characters = sum(len(cast) for cast in state.casts)
    imgui.text_disabled(_counted(characters, len(state.library)))
    note(ui.renderer)


@lru_cache(maxsize=4)
def _counted(characters: int, clips: int) -> str:
    return f"{characters} character{'' if characters == 1 else 's'} · {clips} clip{'' if clips == 1 else 's'}"


@lru_cache(maxsize=4)
def _words(rate: float, median: float, worst: float) -> tuple[str, str]:
    return f"{rate:.0f} fps", f"own work {median:.1f} ms, p99 {worst:.1f} ms"


@lru_cache(maxsize=4)
def _milliseconds(means: tuple[float, ...]) -> list[str]:
    return [f"{mean:.2f} ms" for mean in means]


@lru_cache(maxsize=1)
def _shades() -> list[tuple[int, str, implot.Spec]]:
    """Number, label and look of every phase, the one on top first."""
    found = []
    for index, phase in enumerate(OWN):
        spec = implot.Spec()
        spec.fill_color = imgui.ImVec4(*theme.SERIES[index], 0.75)
        found.append((index, f"##{phase}", spec))
    return found[::-1]


theme.KEPT.append(_shades.cache_clear)


def _graph(timings: Timings, ui: Ui) -> None:
    """Milliseconds of each phase, newest at the right."""
    if not implot.begin_plot("##frames", (-1, ui.px(110)), _PLAIN):
        return
    implot.setup_axes("", "ms", _BARE, _NO_LABEL)
    frames = timings.ring.shape[1]
    implot.setup_axes_limits(0, frames, 0.0, timings.ceiling(), _ALWAYS)
    stacked = timings.stacked()
    for index, label, spec in _shades():
        spec.offset = timings.offset
        implot.plot_shaded(label, timings.numbers, stacked[index], 0.0, spec)
    implot.end_plot()


# Before a video

_NAMES = {"view": "as the view", "720p": "1280 × 720", "1080p": "1920 × 1080", "square": "1080 × 1080"}
_RATES = (24, 25, 30, 50, 60, 120)
_APPEARING = int(imgui.Cond_.appearing)
_FLAGS = int(
    imgui.WindowFlags_.no_docking | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings
)


def film_window(state: AppState, ui: Ui) -> None:
    imgui.set_next_window_pos(imgui.get_main_viewport().get_work_center(), _APPEARING, (0.5, 0.5))
    visible, kept = imgui.begin("Video of the clip", True, _FLAGS)
    if visible:
        _film(state, ui)
    imgui.end()
    if not kept or imgui.is_key_pressed(imgui.Key.escape, False):
        state.issue(do.ShowPanel("film", False))


def _film(state: AppState, ui: Ui) -> None:
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
