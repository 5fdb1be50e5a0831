"""How fast it runs: frames a second, the work of each phase, and a graph of the last frames."""

from functools import lru_cache

from imgui_bundle import imgui, implot

from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import note, section, tooltip
from motiongraph.viewer.ui import OWN

_SAID = {
    "poll": "events",
    "update": "commands, time, poses",
    "upload": "rows of the batches",
    "draw": "the scene",
    "panels": "what surrounds it",
}
_COLOURS = tuple((*theme.SERIES[index], 1.0) for index in range(len(OWN)))
_PLAIN = int(implot.Flags_.no_mouse_text | implot.Flags_.no_menus | implot.Flags_.no_legend | implot.Flags_.no_inputs)
_NO_LABEL, _ALWAYS = int(implot.AxisFlags_.no_label), int(imgui.Cond_.always)
_TABLE = int(imgui.TableFlags_.sizing_stretch_prop)
_BARE = int(implot.AxisFlags_.no_tick_labels | implot.AxisFlags_.no_tick_marks | implot.AxisFlags_.no_grid_lines)


def stats_panel(state, ui) -> None:
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
        for phase, colour, text in zip(OWN, _COLOURS, _milliseconds(timings.means())):
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_colored(colour, phase)
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


def _graph(timings, ui) -> None:
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
