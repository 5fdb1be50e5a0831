"""Below the heat map: the threshold in its slider and in the histogram of costs, how motions are compared, exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.matrix.comparison import common, highest_threshold, threshold_of
from motiongraph.app.matrix.heat import METHODS, share_below
from motiongraph.app.matrix.metric_choice import SLIDERS, weight_of
from motiongraph.app.state import AppState
from motiongraph.metric.metric import ALIGNMENTS, KINDS
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import field, icons, note, section, tooltip

if TYPE_CHECKING:
    from motiongraph.app.command import Command
    from motiongraph.app.matrix.heat import Heat
    from motiongraph.viewer.ui import Ui

_KINDS = dict(
    zip(
        KINDS,
        ("point clouds", "joint angles", "angle velocities", "angle accelerations", "fourth powers, in place",
         "sum over Euler angles", "several, added up"),
    )
)  # fmt: skip
_ALIGNMENTS = dict(zip(ALIGNMENTS, ("turned and shifted on the floor", "in place, heading kept", "as they stand")))
_WEIGHTS = {
    None: "all joints alike",
    "mao": "Mao's table",
    "length": "by the length of bones",
    "children": "by the joints that hang on them",
    "parts": "by parts of the body",
}
_MESHES = {None: "on the bones", "body": "on the body's surface", "mesh": "on a mesh…"}
_TAPERS = {None: "all frames alike", "gaussian": "falling off"}
_METHODS = dict(zip(METHODS, ("lower than all eight around", "lower than the four beside")))
_ORDERS = {1: "sum", 2: "root of squares", 4: "fourth root of fourth powers"}
_EXPORTS = {
    "view": "This view, as shown (.png)",
    "figure": "Figure with axes and legend (.png)",
    "cells": "One pixel a cell (.png)",
    "numbers": "Numbers (.npz)",
    "table": "Numbers as text (.csv, .dat for Gnuplot)",
}
_HIGH = 74.0  # points of the histogram
BARE = int(  # a plot with nothing over it
    implot.Flags_.no_legend
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_mouse_text
    | implot.Flags_.no_title
)
_LOCKED = int(implot.AxisFlags_.lock | implot.AxisFlags_.no_grid_lines | implot.AxisFlags_.no_highlight)
_HIDDEN = _LOCKED | int(implot.AxisFlags_.no_decorations)
_CLAMP = int(imgui.SliderFlags_.always_clamp)


def options_height(ui: Ui) -> float:
    """What the rows below the heat map need when nothing is unfolded."""
    return ui.px(_HIGH) + 4.6 * imgui.get_frame_height_with_spacing() + imgui.get_text_line_height_with_spacing()


def thresholds(heat: Heat, state: AppState, ui: Ui) -> None:
    """One threshold in two places: a slider, and a line in the histogram."""
    threshold, linked = threshold_of(state), state.matrix.linked
    high = min(_span(heat, threshold, ui), highest_threshold(state))
    link = 10.2 * imgui.get_font_size()
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - link, ui.px(80)))
    shown = f"threshold %.2f {heat.unit}".replace("%.2f", "%.2f" if high < 100 else "%.0f")
    changed, value = imgui.slider_float("##threshold", threshold, 0.0, high, shown, _CLAMP)
    if changed:
        state.issue(do.SetMatrixThreshold(value))
    tooltip("cells above it are dark, and only minima below it are shown; double-click to type")
    imgui.same_line()
    changed, linked = imgui.checkbox("as in the graph", linked)
    if changed:
        state.issue(do.SetMatrixOption("linked", linked))
    tooltip(_link_words(state))
    _histogram(heat, threshold, state, ui)
    below, share = heat.below(threshold), share_below(heat.counts, heat.edges, threshold)
    imgui.text_disabled(f"{below:,} of {len(heat.minima):,} minima and {100 * share:.3g} % of all cells are below")


def _link_words(state: AppState) -> str:
    if common(state):
        return "the graph's threshold changes with it"
    if state.graph.graph is None:
        return "once there is a graph, its threshold is this one"
    if state.matrix.linked:
        return "the graph has several thresholds, or another unit: this one stands alone"
    return "this threshold stands alone"


def _span(heat: Heat, threshold: float, ui: Ui) -> float:
    """How far slider and histogram reach: most of the costs, and always the threshold; still while it is dragged."""
    kept = ui.heats.kept
    if kept.get("span of") != heat.number or (threshold > kept["span"] and not imgui.is_mouse_down(0)):
        passed = np.cumsum(heat.counts) >= 0.7 * heat.counts.sum()
        most = float(heat.edges[1:][int(np.argmax(passed))])
        kept["span of"], kept["span"] = heat.number, min(max(most, 1.3 * threshold), heat.highest)
        width = heat.edges[1] - heat.edges[0]
        kept["bars"] = (heat.edges[:-1] + 0.5 * width, np.sqrt(heat.counts.astype(np.float64)), width)
    return max(kept["span"], 1e-6)


def _histogram(heat: Heat, threshold: float, state: AppState, ui: Ui) -> None:
    """How often every cost occurs: what lies below the threshold light, the rest dim; heights are square roots, so that
    the rare low costs can be seen."""
    if not implot.begin_plot("##costs", (-1, ui.px(_HIGH)), BARE):
        return
    high = _span(heat, threshold, ui)
    middles, heights, width = ui.heats.kept["bars"]
    implot.setup_axes("", "", _LOCKED, _HIDDEN)
    implot.setup_axis_format(implot.ImAxis_.x1, f"%g {heat.unit}")
    visible = middles <= high + width
    tallest = float(heights[visible].max(initial=1.0))
    implot.setup_axes_limits(0.0, high, 0.0, 1.08 * tallest, imgui.Cond_.always)
    for colour, chosen in (((0.93, 0.84, 0.70), middles <= threshold), ((0.34, 0.37, 0.42), middles > threshold)):
        chosen &= visible
        if chosen.any():
            spec = implot.Spec()
            spec.fill_color = spec.line_color = imgui.ImVec4(*colour, 1.0)
            name = f"##{colour}"
            implot.plot_bars(name, middles[chosen], heights[chosen], float(width), spec)
    accent = imgui.ImVec4(*theme.ACCENT)
    moved, value, *_ = implot.drag_line_x(1, threshold, accent, ui.px(1.5), implot.DragToolFlags_.no_fit)
    if moved:
        state.issue(do.SetMatrixThreshold(max(value, 0.0)))
    elif implot.is_plot_hovered() and imgui.is_mouse_clicked(0):
        state.issue(do.SetMatrixThreshold(max(implot.get_plot_mouse_pos().x, 0.0)))
    implot.end_plot()


def bottom_rows(heat: Heat | None, state: AppState, ui: Ui) -> None:
    """Clouds, export, and how the comparison is made."""
    if heat is not None:
        changed, clouds = imgui.checkbox("point clouds", state.matrix.clouds)
        if changed:
            state.issue(do.SetMatrixOption("clouds", clouds))
        tooltip("pointing at a cell shows all points of both windows, as they are compared")
        imgui.same_line()
        changed, cut = imgui.checkbox("cut outliers", state.matrix.cut)
        if changed:
            state.issue(do.SetMatrixOption("cut", cut))
        tooltip("the highest hundredth of the costs is black, here and in exported pictures")
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_EXPAND}  Whole"):
            ui.heats.kept["fit"] = 2
        tooltip("the whole matrix again; the wheel zooms, dragging moves it")
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_FILE_EXPORT}  Export"):
            imgui.open_popup("export matrix")
        if imgui.begin_popup("export matrix"):
            for kind, text in _EXPORTS.items():
                if imgui.menu_item(text, "", False)[0]:
                    ui.dialogs.ask(f"matrix {kind}", state)
            imgui.end_popup()
        note("Point at a cell: both poses. Click: the transition. Right click: a loop.")
    is_open = imgui.collapsing_header("How motions are compared")
    if imgui.is_item_toggled_open():  # below the edge of a small window: what was asked for comes into sight
        imgui.set_scroll_here_y(0.5)
    if is_open:
        _metric(state, ui)


def _choice(name: str, value: Any, choices: Mapping[Any, str], make: Callable[[Any], Command], state: AppState) -> None:
    """A field with a few choices; make: value → command."""
    field(name)
    if imgui.begin_combo(f"##{name}", choices.get(value, str(value))):
        for choice, text in choices.items():
            if imgui.selectable(text, choice == value)[0]:
                state.issue(make(choice))
        imgui.end_combo()


def _metric(state: AppState, ui: Ui) -> None:
    metric, search = state.matrix.metric, state.matrix.search
    cloud = metric.kind in ("cloud", "combined")

    def of(name: str) -> Callable[[Any], Command]:
        return lambda value: do.SetMetric(name, value)

    _choice("measure", metric.kind, _KINDS, of("kind"), state)
    if metric.shares:
        for kind in KINDS[:4]:
            field(f"  {_KINDS[kind].split()[-1]}")
            share = metric.shares.get(kind, 0.0)
            changed, share = imgui.slider_float(f"##share {kind}", share, 0.0, 2.0, "× %.3f", _CLAMP)
            if changed:
                state.issue(do.SetShare(kind, share))
            tooltip(f"what the cost of {_KINDS[kind]} is multiplied with before they are added up; 0 leaves it out")
    field("window")
    changed, value = imgui.slider_float("##window", metric.window, 0.0, 1.0, "%.3f s", _CLAMP)
    if changed:
        state.issue(do.SetMetric("window", round(value, 3)))
    tooltip("how long the pieces are that are compared, and a transition lasts")
    imgui.begin_disabled(not cloud)
    mesh = metric.mesh if metric.mesh is None or isinstance(metric.mesh, str) else "mesh"
    field("points")
    if imgui.begin_combo("##mesh", _MESHES[mesh].rstrip("…")):
        for choice, text in _MESHES.items():
            if imgui.selectable(text, choice == mesh)[0]:
                if choice == "mesh":
                    ui.dialogs.ask("load mesh", state)
                else:
                    state.issue(do.SetMetric("mesh", choice))
        imgui.end_combo()
    field("how many")
    changed, value = imgui.slider_int("##points", int(metric.samples_per_bone), 0, 12, "%d a bone", _CLAMP)
    if changed:
        state.issue(do.SetMetric("samples_per_bone", value))
    tooltip("0: one on every joint; more make it no slower")
    _choice("frames", metric.taper, _TAPERS, of("taper"), state)
    _choice("aligned", metric.align, _ALIGNMENTS, of("align"), state)
    imgui.end_disabled()
    imgui.begin_disabled(metric.kind == "dissertation")
    _weights(state, ui)
    imgui.end_disabled()
    if metric.kind.startswith("angle") or metric.kind in ("euler", "combined"):
        _choice("over joints", metric.order, _ORDERS, of("order"), state)
    section("Minima")
    _choice("which", search.method, _METHODS, lambda value: do.SetMinima("method", value), state)
    field("apart")
    changed, value = imgui.slider_float("##apart", search.radius, 0.0, 0.5, "%.3f s", _CLAMP)
    if changed:
        state.issue(do.SetMinima("radius", value))
    tooltip("of minima nearer than this to a better one only that is kept")
    changed, border = imgui.checkbox("at the border too", search.border)
    if changed:
        state.issue(do.SetMinima("border", border))


def _weights(state: AppState, ui: Ui) -> None:
    """Which joints count how much: one of a few rules, or sliders for the parts of the body."""
    weights = state.matrix.metric.joint_weights
    parts = isinstance(weights, Mapping)
    make = lambda value: do.SetPartWeight("trunk", 1.0) if value == "parts" else do.SetMetric("joint_weights", value)  # noqa: E731
    _choice("weights", "parts" if parts else weights, _WEIGHTS, make, state)
    tooltip("how much each joint counts; Mao's table: that of Mao 2011, most for ankles, lower back and neck")
    if not parts:
        return
    for part in SLIDERS:
        field(f"  {part}")
        changed, weight = imgui.slider_float(
            f"##weight {part}", weight_of(state.matrix.metric, part), 0.0, 3.0, "%.2f", _CLAMP
        )
        if changed:
            state.issue(do.SetPartWeight(part, weight))
    if imgui.button(f"{icons.ICON_FA_FOLDER_OPEN}  From a file…"):
        ui.dialogs.ask("load weights", state)
    tooltip('a TOML file with [weights]: names of joints or parts and what they weigh, as in "left arm" = 0.5')
