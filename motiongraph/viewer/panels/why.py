"""Why this transition: its windows in the scene, its cost against the threshold, its cell, and what else there was."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.live import live_decision
from motiongraph.viewer.panels.widgets import colour32, icons, note, section, tooltip

if TYPE_CHECKING:
    from motiongraph.app.walk.why import Reason
    from motiongraph.viewer.ui import Ui

_PLOT = int(implot.Flags_.equal | implot.Flags_.no_legend | implot.Flags_.no_inputs | implot.Flags_.no_mouse_text)
_AXIS = int(
    implot.AxisFlags_.no_grid_lines
    | implot.AxisFlags_.no_highlight
    | implot.AxisFlags_.lock
    | implot.AxisFlags_.no_label
)
_DOWN = _AXIS | int(implot.AxisFlags_.invert)
_WINDOW = int(imgui.WindowFlags_.no_docking | imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_saved_settings)
_TABLE = int(imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.sizing_stretch_prop)
_ROW = int(imgui.SelectableFlags_.span_all_columns)
_CELL, _RIM = colour32((1.0, 1.0, 1.0)), colour32((0.0, 0.0, 0.0), 0.6)


def why_window(state: AppState, ui: Ui) -> None:
    """Shown while it is asked for; otherwise nothing is left in the scene of what it explained."""
    if "why" not in state.window.shown:
        if state.why.reason is not None:
            state.issue(do.WatchWhy())
        return
    state.issue(do.WatchWhy())
    x, y, width, height = ui.scene
    wide, high = min(ui.px(316), 0.8 * width), min(ui.px(620), height - ui.px(84))
    left = x + ui.px(12)
    if width < 2.6 * wide:  # a small scene is left in sight: it stands over the panels beside it
        left = max(x - wide + ui.px(40), ui.px(8))
    imgui.set_next_window_pos((left, y + ui.px(64)), imgui.Cond_.appearing)
    imgui.set_next_window_size((wide, high), imgui.Cond_.appearing)
    visible, kept = imgui.begin("Why this transition", True, _WINDOW)
    if visible:
        _content(state, ui)
    imgui.end()
    if not kept:
        state.issue(do.AskWhy())


def _content(state: AppState, ui: Ui) -> None:
    reason = state.why.reason
    if reason is None:
        if state.live is not None:
            live_decision(state.live, state)
            return
        note("Make a walk, or click a cell of the matrix: whatever turns from one clip into another is explained here.")
        return
    if state.why.aside:
        imgui.text_colored(theme.ACCENT, "an alternative is played")
        imgui.same_line()
        if imgui.small_button(f"{icons.ICON_FA_ARROW_LEFT}  back to the result"):
            state.issue(do.LeaveAlternative())
    _steps(reason, state)
    _ends(reason)
    _cost(reason, ui)
    _crop(reason, ui)
    _alternatives(reason, state)


def _steps(reason: Reason, state: AppState) -> None:
    """Which of the transitions it is, and the way to the others."""
    count, number = len(reason.walk.transitions), reason.number
    for icon, to in ((icons.ICON_FA_CHEVRON_LEFT, number - 1), (icons.ICON_FA_CHEVRON_RIGHT, number + 1)):
        imgui.begin_disabled(not 0 <= to < count)
        if imgui.button(icon, (imgui.get_frame_height(), 0)):
            state.issue(do.ShowTransition(to))
        imgui.end_disabled()
        tooltip("the one before" if to < number else "the next one")
        imgui.same_line()
    imgui.align_text_to_frame_padding()
    seconds = reason.begin / reason.walk.fps
    imgui.text(f"{number + 1} of {count}, at {seconds:.2f} s")


def _ends(reason: Reason) -> None:
    """From which frame of which clip to which."""
    walk, jump = reason.walk, reason.jump
    for word, clip, frame, colour in (
        ("leaves", jump["src"], jump["src_frame"], theme.SERIES[0]),
        ("enters", jump["dst"], jump["dst_frame"], theme.SERIES[1]),
    ):
        imgui.text_disabled(word)
        imgui.same_line(4.0 * imgui.get_font_size())
        imgui.text_colored((*colour, 1.0), walk.clips[clip].name)
        imgui.same_line()
        imgui.text_disabled(f"frame {reason.file_frame(int(clip), frame)}")


def _cost(reason: Reason, ui: Ui) -> None:
    """A bar as long as the cost, on a scale that ends a little beyond the threshold."""
    cost, threshold = float(reason.jump["cost"]), reason.threshold
    draw, where = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    wide, high = imgui.get_content_region_avail().x, ui.px(16)
    full = 1.25 * max(threshold or 0.0, cost, 1e-6)
    good = threshold is None or cost <= threshold
    draw.add_rect_filled(where, (where.x + wide, where.y + high), colour32((0, 0, 0), 0.35), ui.px(3))
    end = where.x + wide * cost / full
    colour = colour32(theme.GOOD if good else theme.WARN, 0.9)
    draw.add_rect_filled(where, (end, where.y + high), colour, ui.px(3))
    if threshold is not None:
        x = where.x + wide * threshold / full
        draw.add_line((x, where.y - ui.px(2)), (x, where.y + high + ui.px(2)), colour32(theme.INK), ui.px(2))
    imgui.dummy((wide, high))
    words = f"{cost:.2f} {reason.unit}"
    if threshold is not None:
        words += f", {100 * cost / max(threshold, 1e-9):.0f} % of the threshold of {threshold:.2f} {reason.unit}"
    imgui.text_disabled(words)


def _crop(reason: Reason, ui: Ui) -> None:
    """The matrix around the cell."""
    crop = reason.crop
    wide = imgui.get_content_region_avail().x
    high = min(0.7 * wide, ui.px(210))
    if crop is None:
        imgui.dummy((wide, high))
        return
    if not implot.begin_plot("##crop", (wide, high), _PLOT):
        return
    n, m = crop.levels[0].shape
    jump = reason.jump
    shift_a = reason.file_frame(int(jump["src"]), crop.start_a)
    shift_b = reason.file_frame(int(jump["dst"]), crop.start_b)
    implot.setup_axes("", "", _AXIS, _DOWN)
    kept = ui.heats.kept
    area = kept.get("crop area", (wide, high))
    scale = 1.03 * max(m / max(area[0], 1.0), n / max(area[1], 1.0))
    middle_a, middle_b = shift_a + 0.5 * (n - 1), shift_b + 0.5 * (m - 1)
    row, column = shift_a + crop.cell[0], shift_b + crop.cell[1]
    halves = 0.5 * scale * area[0], 0.5 * scale * area[1]
    x, y = (middle_b - halves[0], middle_b + halves[0]), (middle_a - halves[1], middle_a + halves[1])
    implot.setup_axes_limits(*x, *y, imgui.Cond_.always)
    implot.setup_finish()
    place, size, limits = implot.get_plot_pos(), implot.get_plot_size(), implot.get_plot_limits()
    kept["crop area"] = size.x, size.y
    seen = limits.x.min - shift_b + 0.5, limits.y.min - shift_a + 0.5
    seen += limits.x.max - shift_b + 0.5, limits.y.max - shift_a + 0.5
    density = imgui.get_io().display_framebuffer_scale.x
    pixels = max(round(density * size.x), 1), max(round(density * size.y), 1)
    threshold = reason.threshold if reason.threshold is not None else float(jump["cost"])
    texture = ui.heats["why"].show(crop.levels, seen, pixels, threshold, crop.highest)
    draw = implot.get_plot_draw_list()
    implot.push_plot_clip_rect()
    draw.add_image(imgui.ImTextureRef(texture), (place.x, place.y), (place.x + size.x, place.y + size.y))
    for a, b, cost in crop.minima:
        if cost > threshold:
            break
        at = implot.plot_to_pixels(shift_b + b, shift_a + a)
        draw.add_circle_filled((at.x, at.y), ui.px(2.6), colour32(theme.LANES.minimum))
    at = implot.plot_to_pixels(float(column), float(row))
    draw.add_circle((at.x, at.y), ui.px(6), _RIM, 0, ui.px(3))
    draw.add_circle((at.x, at.y), ui.px(6), _CELL, 0, ui.px(1.5))
    implot.pop_plot_clip_rect()
    implot.end_plot()


@lru_cache(maxsize=2)
def _rows(reason: Reason) -> list[tuple[str, str, str]]:
    """Of every alternative: cost, clip and frame it leads to, frame at which it leaves."""
    rows, frame_of, clips = [], reason.file_frame, reason.walk.clips
    for jump in reason.alternatives:
        to, arrives = int(jump["dst"]), frame_of(int(jump["dst"]), int(jump["dst_frame"]))
        leaves = frame_of(int(jump["src"]), int(jump["src_frame"]))
        rows.append((f"{jump['cost']:.2f}", f"{clips[to].name} {arrives}", f"{leaves}"))
    return rows


def _alternatives(reason: Reason, state: AppState) -> None:
    """What else could have been taken from the piece that was played, the cheapest first."""
    found = _rows(reason)
    others = len(found) + reason.more - (reason.taken >= 0)
    section(f"{others:,} other {'way' if others == 1 else 'ways'} out of this piece")
    if not others:
        note("Nothing else leaves it below the threshold.")
        return
    if not imgui.begin_table("alternatives", 3, _TABLE, (0, max(imgui.get_content_region_avail().y, 90.0))):
        return
    for name, share in ((f"cost {reason.unit}", 1.0), ("to", 2.4), ("leaves at", 1.2)):
        imgui.table_setup_column(name, imgui.TableColumnFlags_.width_stretch, share)
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_headers_row()
    clipper = imgui.ListClipper()
    clipper.begin(len(found))
    while clipper.step():
        for row in range(clipper.display_start, clipper.display_end):
            _alternative(row, found[row], row == reason.taken, state)
    imgui.end_table()


def _alternative(row: int, texts: Sequence[str], taken: bool, state: AppState) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.push_id(row)
    if imgui.selectable(texts[0], taken, _ROW)[0]:
        state.issue(do.PreviewAlternative(row))
    if imgui.is_item_hovered():
        imgui.set_tooltip("taken" if taken else "click to see it played")
    imgui.pop_id()
    imgui.table_next_column()
    imgui.text_colored(theme.ACCENT if taken else theme.INK, texts[1])
    imgui.table_next_column()
    imgui.text_disabled(texts[2])
