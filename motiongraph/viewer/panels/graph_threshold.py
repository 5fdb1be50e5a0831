"""Setting the threshold: a slider, the curve of what it trades, and limits by kind of transition or by labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.state import AppState
from motiongraph.viewer import keys, theme
from motiongraph.viewer.panels.widgets import icons, note, progress_row, tooltip

if TYPE_CHECKING:
    from motiongraph.graph.candidates import Candidates
    from motiongraph.graph.thresholds import Thresholds
    from motiongraph.viewer.ui import Ui

Limits = dict[tuple[str, str], float]  # of pairs of labels

MODES = {"one": "one for all", "kinds": "within / between clips", "labels": "by labels"}
_TOLD = (
    "the highest cost a transition may have: higher keeps more motion, lower looks better; "
    f"{keys.shown('Ctrl+click')} to type"
)
_SLIDER = int(imgui.SliderFlags_.always_clamp)
_PLOT = int(implot.Flags_.no_mouse_text | implot.Flags_.no_menus | implot.Flags_.no_legend)
_AXIS = int(implot.AxisFlags_.no_label | implot.AxisFlags_.no_highlight | implot.AxisFlags_.no_menus)
_ACCENT, _GOOD = imgui.ImVec4(*theme.ACCENT), imgui.ImVec4(*theme.GOOD[:3], 0.9)
_ACROSS, _UP, _ALWAYS = int(implot.ImAxis_.x1), int(implot.ImAxis_.y1), int(imgui.Cond_.always)
_HIGH = 118.0  # points of the curve
_TABLE = int(imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.scroll_x | imgui.TableFlags_.no_pad_outer_x)
_WORD = int(imgui.TableColumnFlags_.width_fixed)
_PAIRED = int(imgui.TableColumnFlags_.width_fixed | imgui.TableColumnFlags_.angled_header)
_LEAN = math.radians(22.0)  # of the words above the columns
_SLANT, _PADDING = int(imgui.StyleVar_.table_angled_headers_angle), int(imgui.StyleVar_.cell_padding)
_FRAME, _GRAB = int(imgui.StyleVar_.frame_padding), int(imgui.StyleVar_.grab_min_size)
_TEXT, _RIGHT = int(imgui.Col_.text), int(imgui.MouseButton_.right)


def threshold_controls(state: AppState, ui: Ui) -> None:
    graph = need_graph(state)
    limits, unit, highest = graph.thresholds, graph.metric.unit, max(graph.candidates.max_cost, 1e-3)
    mode = _mode(limits, ui)
    _row(state, ui, mode)
    if mode == "one":
        _big(state, ui, limits.within, highest, unit)
    else:
        for name, text in (("within", "within clips"), ("between", "between clips")):
            imgui.set_next_item_width(-7.0 * imgui.get_font_size())
            changed, value = imgui.slider_float(text, getattr(limits, name), 0.0, highest, f"%.2f {unit}", _SLIDER)
            if changed:
                set_limits(state, value if name == "within" else None, value if name == "between" else None)
    if mode == "labels":
        _pairs(state, ui, highest)
    _plot(state, ui, highest, unit, mode)


def _mode(limits: Thresholds, ui: Ui) -> str:
    """As chosen; but limits that need another one to be seen come first."""
    if limits.pairs:
        return "labels"
    chosen = ui.texts.get("threshold mode", "one")
    return "kinds" if limits.within != limits.between and chosen == "one" else chosen


def _big(state: AppState, ui: Ui, value: float, highest: float, unit: str) -> None:
    imgui.push_style_var(_FRAME, (ui.px(8), ui.px(8)))
    imgui.push_style_var(_GRAB, ui.px(16))
    imgui.set_next_item_width(-1)
    graph = need_graph(state)
    most = np.isfinite(graph.candidates.ceiling) and value >= highest
    shown = f"threshold %.2f {unit}" + ("  (the ceiling)" if most else "  (automatic)" if graph.is_auto else "")
    changed, value = imgui.slider_float("##threshold", min(value, highest), 0.0, highest, shown, _SLIDER)
    imgui.pop_style_var(2)
    corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
    ui.graph_view.slider = corner.x, corner.y, size.x, size.y
    if changed:
        state.issue(do.SetThreshold(value))
    tooltip(f"{_TOLD}\n{_kept(graph.candidates)}")


def _kept(candidates: Candidates) -> str:
    """How far transitions are known."""
    told = f"transitions are known up to {candidates.max_cost:.3g} {candidates.metric.unit}, the ceiling of the graph"
    if candidates.per_window:
        stretch = f"{1000 * candidates.radius:.0f} ms"
        return f"{told}, and of them the {candidates.per_window} cheapest from and to every {stretch}"
    return told


def set_limits(
    state: AppState, within: float | None = None, between: float | None = None, pairs: Limits | None = None
) -> None:
    """Change some of the limits."""
    limits = need_graph(state).thresholds
    table: dict[str | tuple[str, str], float] = dict(limits.pairs if pairs is None else pairs.items())
    table["within"] = limits.within if within is None else within
    table["between"] = limits.between if between is None else between
    state.issue(do.SetThreshold(table))


def _row(state: AppState, ui: Ui, mode: str) -> None:
    """How the threshold is set, and Auto."""
    graphs, graph = state.graph, need_graph(state)
    imgui.set_next_item_width(11.0 * imgui.get_font_size())
    if imgui.begin_combo("##mode", MODES[mode]):
        for name, text in MODES.items():
            if imgui.selectable(text, name == mode)[0] and name != mode:
                ui.texts["threshold mode"] = ui.texts["threshold unfolds"] = name
                limits = graph.thresholds
                if name == "one":
                    state.issue(do.SetThreshold(max(limits.within, limits.between)))
                elif limits.pairs and name == "kinds":
                    set_limits(state, pairs={})
        imgui.end_combo()
    if ui.texts.pop("threshold unfolds", ""):  # what there is now to set comes into sight
        imgui.set_scroll_here_y(0.0)
    tooltip("one limit for all transitions; one inside clips and one between them; or one for each pair of labels")
    imgui.same_line()
    known = graphs.automatic is not None
    label = f"{icons.ICON_FA_WAND_MAGIC_SPARKLES}  Auto" + (f" {graphs.automatic:.1f}" if known else "")
    imgui.begin_disabled(graph.is_auto)
    if imgui.button(label):
        ui.texts["threshold mode"] = "one"
        state.issue(do.SetThreshold("auto"))
    imgui.end_disabled()
    tooltip("where raising the threshold keeps little more motion and only makes transitions more expensive")
    imgui.same_line()
    if imgui.button("½"):
        ui.texts["threshold mode"] = "one"
        state.issue(do.SetThreshold("half"))
    tooltip("the lowest at which there are half as many transitions as steps from frame to frame (Hoang and Truong)")


def _plot(state: AppState, ui: Ui, highest: float, unit: str, mode: str) -> None:
    """Share of the motion that is kept, over the threshold."""
    graphs, view = state.graph, ui.graph_view
    if graphs.curve is None:
        _trial(state, ui)
        return
    if view.trade is None or view.trade[0] is not graphs.curve:
        curve = graphs.curve
        view.trade = curve, np.ascontiguousarray(curve["threshold"]), 100.0 * curve["share"]
    imgui.push_id("trade-off")
    if implot.begin_plot("##kept", (-1, ui.px(_HIGH)), _PLOT):
        implot.setup_axes("", "", _AXIS, _AXIS)
        implot.setup_axis_format(_ACROSS, f"%g {unit}")
        implot.setup_axis_format(_UP, "%g%%")
        implot.setup_axes_limits(0.0, highest, 0.0, 105.0, _ALWAYS)
        _, x, y = view.trade
        spec = implot.Spec()
        spec.fill_color = imgui.ImVec4(*theme.ACCENT[:3], 0.22)
        implot.plot_shaded("##share", x, y, 0.0, spec)
        spec = implot.Spec()
        spec.line_color, spec.line_weight = _ACCENT, ui.px(2)
        implot.plot_line("##share", x, y, spec)
        _marks(state, ui, highest, mode)
        corner, size = implot.get_plot_pos(), implot.get_plot_size()
        view.plot = corner.x, corner.y, size.x, size.y
        implot.end_plot()
    imgui.pop_id()
    tooltip("how much of the motion the pruned graph keeps at each threshold; drag the white line")


def _marks(state: AppState, ui: Ui, highest: float, mode: str) -> None:
    """Where the automatic threshold is, and the one that is set, which can be dragged."""
    graphs, graph = state.graph, need_graph(state)
    if graphs.automatic is not None and not graph.is_auto:
        spec = implot.Spec()
        spec.line_color = _GOOD
        implot.plot_inf_lines("##auto", np.array([graphs.automatic]), spec)
        side = 1.0 if graphs.automatic < 0.9 * highest else -1.0
        free = 8.0 if graphs.report["share_kept"] > 0.4 else 60.0  # of the share that is written below
        implot.plot_text("auto", graphs.automatic, free, (side * ui.px(18), 0.0))
    if mode == "one":
        limit = min(graph.thresholds.within, highest)
        moved, value, *_ = implot.drag_line_x(1, limit, imgui.ImVec4(*theme.INK), ui.px(2))
        if moved:
            state.issue(do.SetThreshold(min(max(value, 0.0), highest)))
        share = 100.0 * graphs.report["share_kept"]
        implot.annotation(limit, share, _ACCENT, (ui.px(8), ui.px(14)), True, f"{share:.0f}% kept")


def _trial(state: AppState, ui: Ui) -> None:
    """The curve is asked for once; while it is worked out, how far that is; where it was not, why."""
    job, top = state.graph.trial, imgui.get_cursor_pos_y()
    if job is None:
        state.issue(do.FindTradeOff())
    imgui.dummy((0.0, 0.2 * ui.px(_HIGH)))
    if job is None or (job in state.jobs.running and not job.cancelled.is_set()):
        note("Working out what each threshold keeps …")
        if job is not None:
            progress_row(job, state, ui)
    else:
        note(job.reason or "What each threshold keeps was not worked out.")
        if imgui.button("Work it out"):
            state.issue(do.FindTradeOff())
    # As high as the curve, so that nothing moves when it comes.
    imgui.dummy((0.0, max(top + ui.px(_HIGH) - imgui.get_cursor_pos_y(), 0.0)))


def _pairs(state: AppState, ui: Ui, highest: float) -> None:
    """A cell for every pair of labels; faint ones follow the sliders."""
    graph = need_graph(state)
    words, size = graph.candidates.labelling.words, imgui.get_font_size()
    if not words:
        note("No clip has labels yet: give them some in the Clip panel, then update the graph.")
        return
    longest = max(imgui.calc_text_size(word).x for word in words)
    # As many columns as fit side by side while their numbers can be read; a scroll bar for the rest.
    beyond = math.sin(_LEAN) * imgui.calc_text_size(words[-1]).x + 0.6 * size
    wide = (imgui.get_content_region_avail().x - longest - beyond) / len(words) - 2 * ui.px(1)
    wide = min(max(wide, 1.75 * size), 2.8 * size)
    high = len(words) * (imgui.get_frame_height() + ui.px(2)) + math.cos(_LEAN) * longest + 1.4 * size
    imgui.push_style_var(_PADDING, (ui.px(1), ui.px(1)))
    imgui.push_style_var(_SLANT, _LEAN)
    if imgui.begin_table("pairs", len(words) + 1, _TABLE, (0.0, high + imgui.get_style().scrollbar_size)):
        imgui.table_setup_scroll_freeze(1, 0)
        imgui.table_setup_column("", _WORD, longest + ui.px(4))
        for word in words:
            imgui.table_setup_column(word, _PAIRED, wide)
        imgui.table_angled_headers_row()
        _rows(state, words, highest)
        imgui.end_table()
    imgui.pop_style_var(2)


def _rows(state: AppState, words: Sequence[str], highest: float) -> None:
    limits: Limits = dict(need_graph(state).thresholds.pairs)
    for i, first in enumerate(words):
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(first)
        for second in words[: i + 1]:
            imgui.table_next_column()
            _cell(state, limits, (second, first), highest)


def _cell(state: AppState, limits: Limits, pair: tuple[str, str], highest: float) -> None:
    swapped = pair[1], pair[0]
    key = pair if pair in limits else swapped if swapped in limits else None
    graph = need_graph(state)
    value = min(limits[key] if key else graph.thresholds.between, highest)
    imgui.set_next_item_width(-1)
    imgui.push_font(None, 0.88 * imgui.get_style().font_size_base)
    imgui.push_style_color(_TEXT, theme.INK if key else theme.FAINT)
    changed, value = imgui.drag_float(f"##{pair[0]}–{pair[1]}", value, highest / 300, 0.0, highest, "%.3g", _SLIDER)
    imgui.pop_style_color()
    imgui.pop_font()
    if imgui.is_item_hovered():
        how = f"{value:.3g} {graph.metric.unit}; right click: as above" if key else "as above; drag or double-click it"
        imgui.set_tooltip(f"{pair[0]} – {pair[1]}: {how}")
    emptied = key is not None and imgui.is_item_clicked(_RIGHT)
    if changed or emptied:
        table = {k: v for k, v in limits.items() if k != key}
        if not emptied and math.isfinite(value):
            table[pair] = value
        set_limits(state, pairs=table)
