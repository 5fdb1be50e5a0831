"""Setting the threshold: a slider, the curve of what it trades, and limits by kind of transition or by labels."""

import math

import numpy as np
from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import icons, note, tooltip

MODES = {"one": "one for all", "kinds": "within / between clips", "labels": "by labels"}
_SLIDER = int(imgui.SliderFlags_.always_clamp)
_PLOT = int(implot.Flags_.no_mouse_text | implot.Flags_.no_menus | implot.Flags_.no_legend)
_AXIS = int(implot.AxisFlags_.no_label | implot.AxisFlags_.no_highlight | implot.AxisFlags_.no_menus)
_ACCENT, _GOOD = imgui.ImVec4(*theme.ACCENT), imgui.ImVec4(*theme.GOOD[:3], 0.9)
_MANY = 8  # words of a table that is still readable
_TABLE = int(imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.borders_inner | imgui.TableFlags_.scroll_x)


def threshold_controls(state, ui) -> None:
    graph = state.graphs.graph
    limits, unit, dearest = graph.thresholds, graph.metric.unit, max(graph.candidates.dearest, 1e-3)
    mode = _mode(limits, ui)
    if mode == "one":
        _big(state, ui, limits.within, dearest, unit)
    else:
        for name, text in (("within", "within clips"), ("between", "between clips")):
            imgui.set_next_item_width(-7.0 * imgui.get_font_size())
            changed, value = imgui.slider_float(text, getattr(limits, name), 0.0, dearest, f"%.2f {unit}", _SLIDER)
            if changed:
                set_limits(state, **{name: value})
    if mode == "labels":
        _pairs(state, ui, dearest)
    _row(state, ui, mode)
    _plot(state, ui, dearest, unit, mode)


def _mode(limits, ui) -> str:
    """As chosen; but limits that need another one to be seen come first."""
    if limits.pairs:
        return "labels"
    chosen = ui.texts.get("threshold mode", "one")
    return "kinds" if limits.within != limits.between and chosen == "one" else chosen


def _big(state, ui, value, dearest, unit) -> None:
    imgui.push_style_var(imgui.StyleVar_.frame_padding, (ui.px(8), ui.px(8)))
    imgui.push_style_var(imgui.StyleVar_.grab_min_size, ui.px(16))
    imgui.set_next_item_width(-1)
    shown = f"threshold %.2f {unit}" + ("  (automatic)" if state.graphs.graph.is_auto else "")
    changed, value = imgui.slider_float("##threshold", min(value, dearest), 0.0, dearest, shown, _SLIDER)
    imgui.pop_style_var(2)
    ui.graph_view.slider = *imgui.get_item_rect_min(), *imgui.get_item_rect_size()
    if changed:
        state.issue(do.SetThreshold(value))
    tooltip("the dearest transition that is allowed: higher keeps more motion, lower looks better; Ctrl+click to type")


def set_limits(state, within=None, between=None, pairs=None) -> None:
    """Change some of the limits."""
    limits = state.graphs.graph.thresholds
    table = dict(limits.pairs) if pairs is None else pairs
    table["within"] = limits.within if within is None else within
    table["between"] = limits.between if between is None else between
    state.issue(do.SetThreshold(table))


def _row(state, ui, mode) -> None:
    """How the threshold is set, and Auto."""
    graphs = state.graphs
    imgui.set_next_item_width(11.0 * imgui.get_font_size())
    if imgui.begin_combo("##mode", MODES[mode]):
        for name, text in MODES.items():
            if imgui.selectable(text, name == mode)[0] and name != mode:
                ui.texts["threshold mode"] = name
                limits = graphs.graph.thresholds
                if name == "one":
                    state.issue(do.SetThreshold(max(limits.within, limits.between)))
                elif limits.pairs and name == "kinds":
                    set_limits(state, pairs={})
        imgui.end_combo()
    tooltip("one limit for all transitions; one inside clips and one between them; or one for each pair of labels")
    imgui.same_line()
    known = graphs.automatic is not None
    label = f"{icons.ICON_FA_WAND_MAGIC_SPARKLES}  Auto" + (f" {graphs.automatic:.1f}" if known else "")
    imgui.begin_disabled(graphs.graph.is_auto)
    if imgui.button(label):
        ui.texts["threshold mode"] = "one"
        state.issue(do.SetThreshold("auto"))
    imgui.end_disabled()
    tooltip("where raising the threshold keeps little more motion and only makes transitions dearer")


def _plot(state, ui, dearest, unit, mode) -> None:
    """Share of the motion that is kept, over the threshold."""
    graphs = state.graphs
    if graphs.curve is None:
        running = any(job.kind == "trade-off" for job in state.jobs.running)
        if not running and not any(isinstance(c, do.FindTradeOff) for c in state.queue):
            state.issue(do.FindTradeOff())
        imgui.dummy((0.0, 0.4 * ui.px(96)))
        note("working out what each threshold keeps …")
        imgui.dummy((0.0, 0.4 * ui.px(96)))
        return
    curve = graphs.curve
    imgui.push_id("trade-off")
    if implot.begin_plot("##kept", (-1, ui.px(118)), _PLOT):
        implot.setup_axes("", "", _AXIS, _AXIS)
        implot.setup_axis_format(implot.ImAxis_.x1, f"%g {unit}")
        implot.setup_axis_format(implot.ImAxis_.y1, "%g%%")
        implot.setup_axes_limits(0.0, dearest, 0.0, 100.0, imgui.Cond_.always)
        x, y = np.ascontiguousarray(curve["threshold"]), 100.0 * curve["share"]
        spec = implot.Spec()
        spec.fill_color = imgui.ImVec4(*theme.ACCENT[:3], 0.22)
        implot.plot_shaded("##share", x, y, 0.0, spec)
        spec = implot.Spec()
        spec.line_color, spec.line_weight = _ACCENT, ui.px(2)
        implot.plot_line("##share", x, y, spec)
        if graphs.automatic is not None:
            spec = implot.Spec()
            spec.line_color = _GOOD
            implot.plot_inf_lines("##auto", np.array([graphs.automatic]), spec)
            implot.plot_text("auto", graphs.automatic, 8.0, (ui.px(17), 0.0))
        if mode == "one":
            limit = graphs.graph.thresholds.within
            moved, value, _, _, _ = implot.drag_line_x(1, min(limit, dearest), imgui.ImVec4(1, 1, 1, 0.9), ui.px(2))
            if moved:
                state.issue(do.SetThreshold(float(np.clip(value, 0.0, dearest))))
            share = 100.0 * graphs.report["share_kept"]
            implot.annotation(min(limit, dearest), share, _ACCENT, (ui.px(8), ui.px(14)), True, f"{share:.0f}% kept")
        implot.end_plot()
    imgui.pop_id()
    tooltip("how much of the motion the pruned graph keeps at each threshold; drag the white line")


def _pairs(state, ui, dearest) -> None:
    """A cell for every pair of labels; empty ones follow the sliders."""
    graph = state.graphs.graph
    words = sorted({word for words in graph.candidates.labelling.sets for word in words})
    if not words:
        note("No clip has labels yet: give them some in the Clip panel, then update the graph.")
        return
    limits, cell = dict(graph.thresholds.pairs), 3.6 * imgui.get_font_size()
    if len(words) > _MANY:
        note(f"the first {_MANY} of {len(words)} labels; others follow the sliders")
        words = words[:_MANY]
    high = (len(words) + 1) * imgui.get_frame_height_with_spacing() + ui.px(14)
    if not imgui.begin_table("pairs", len(words) + 1, _TABLE, (0.0, high)):
        return
    imgui.table_setup_column("")
    for word in words:
        imgui.table_setup_column(word, imgui.TableColumnFlags_.width_fixed, cell)
    imgui.table_setup_scroll_freeze(1, 1)
    imgui.table_headers_row()
    for i, first in enumerate(words):
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text(first)
        for second in words[: i + 1]:
            imgui.table_next_column()
            _cell(state, limits, (second, first), dearest, cell)
    imgui.end_table()
    tooltip("drag or double-click a cell; right click empties it")


def _cell(state, limits, pair, dearest, width) -> None:
    key = next((k for k in (pair, pair[::-1]) if k in limits), None)
    between = state.graphs.graph.thresholds.between
    value = limits[key] if key else between
    imgui.push_id(f"{pair}")
    imgui.set_next_item_width(width)
    if key is None:
        imgui.push_style_color(imgui.Col_.text, theme.FAINT)
    changed, value = imgui.drag_float("##limit", min(value, dearest), 0.05, 0.0, dearest, "%.1f", _SLIDER)
    if key is None:
        imgui.pop_style_color()
    emptied = key is not None and imgui.is_item_clicked(imgui.MouseButton_.right)
    imgui.pop_id()
    if changed or emptied:
        table = {k: v for k, v in limits.items() if k != key}
        if not emptied and math.isfinite(value):
            table[pair] = value
        set_limits(state, pairs=table)
