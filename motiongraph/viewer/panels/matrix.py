"""The distance matrix of two clips as a heat map: pointing at a cell shows both poses, clicking plays what it means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind
from motiongraph.app.matrix.cell import CUT
from motiongraph.app.matrix.comparison import AT_ONCE, cells, chosen, comparison, threshold_of
from motiongraph.app.matrix.heat import thinned
from motiongraph.app.playback import frame_of
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.matrix_options import BARE, bottom_rows, options_height, thresholds
from motiongraph.viewer.panels.widgets import (
    action_button,
    colour32,
    icons,
    in_sight,
    note,
    progress_row,
    searched,
    tooltip,
)

if TYPE_CHECKING:
    from motiongraph.app.matrix.heat import Heat
    from motiongraph.viewer.ui import Ui

Seen = tuple[float, float, float, float]  # left, top, right, bottom in cells; of `_whole` left, right, top, bottom

_NEAR = 7.0  # points around the mouse in which a click takes a minimum
_APART = 7.0  # points between minima that are drawn
_STILL = 4.0  # points that the mouse may move in a click
_ZOOM = 0.2  # a step of the wheel, as in the picture of the graph
_PLOT = BARE | int(implot.Flags_.equal)
_AXIS = int(implot.AxisFlags_.no_grid_lines | implot.AxisFlags_.no_highlight | implot.AxisFlags_.no_initial_fit)
_DOWN = _AXIS | int(implot.AxisFlags_.invert)
_CROSS, _RIM = colour32(theme.ACCENT, 0.75), colour32((0.0, 0.0, 0.0), 0.55)
_CELL, _EDGE = colour32((1.0, 1.0, 1.0), 0.95), colour32((0.0, 0.0, 0.0), 0.16)
_LARGE = 11.0  # points of a cell that is seen as one


def matrix_panel(state: AppState, ui: Ui) -> None:
    if not len(state.library):
        note("A matrix shows how alike every two moments of two clips are. Open clips to compare them.")
        action_button(f"{icons.ICON_FA_FOLDER_OPEN}  Open the samples", "samples", state, ui)
        return
    ui.heats.kept["looked"] = ui.timings.count
    state.issue(do.WatchMatrix())
    _chooser(state, ui)
    heat, job = state.matrix.heat, next((j for j in state.jobs.running if j.kind is JobKind.MATRIX), None)
    if job is not None:
        progress_row(job, state, ui)
    elif state.matrix.problem:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(theme.WARN, state.matrix.problem)
        imgui.pop_text_wrap_pos()
    elif heat is None or heat.key != comparison(state):
        _offer(state)
    if heat is None:
        ui.heats.forget("matrix")
        bottom_rows(None, state, ui)
        return
    rest = options_height(ui)
    room = imgui.get_content_region_avail()
    high = max(min(room.y - rest, 1.15 * room.x), ui.px(190))
    _plot(heat, (room.x, high), state, ui)
    thresholds(heat, state, ui)
    bottom_rows(heat, state, ui)


def matrix_aside(state: AppState, ui: Ui) -> None:
    """While the panel is not to be seen, no cell is pointed at."""
    if state.matrix.pair is not None and ui.heats.kept.get("looked") != ui.timings.count:
        state.issue(do.PointAtCell(None))


# Which clips


def _chooser(state: AppState, ui: Ui) -> None:
    """Rows of one clip, columns of another, and a button between that swaps them."""
    wide, gap = imgui.get_content_region_avail().x, imgui.get_style().item_spacing.x
    middle = imgui.get_frame_height()
    each = (wide - middle - 2 * gap) / 2
    _combo("rows", 0, each, state)
    imgui.same_line()
    if imgui.button(icons.ICON_FA_RIGHT_LEFT, (middle, 0)):
        state.issue(do.SwapMatrix())
    tooltip("swap rows and columns")
    imgui.same_line()
    _combo("columns", 1, each, state)


def _combo(name: str, which: int, wide: float, state: AppState) -> None:
    both, matrix = chosen(state), state.matrix
    entry = both and both[which]
    numbers = [matrix.a, matrix.b]
    imgui.set_next_item_width(wide)
    opened = imgui.begin_combo(f"##{name}", entry.name if entry else "–")
    if not opened:
        tooltip(f"{name}: {entry.name if entry else 'nothing'}")
        return
    track = "AB"[which]
    choices = [(None, f"as track {track} shows")] + [(e.number, e.name) for e in state.library]
    for number, text in in_sight(searched(choices, lambda choice: choice[1])):
        imgui.push_id(-1 if number is None else number)
        if imgui.selectable(text, numbers[which] == number)[0]:
            numbers[which] = number
            state.issue(do.ChooseMatrix(*numbers))
        imgui.pop_id()
    imgui.end_combo()


def _offer(state: AppState) -> None:
    """What is too large to be compared unasked, or was cancelled; where nothing is chosen, to choose."""
    if comparison(state) is None:
        note("Choose two clips above, or one to compare with itself.")
        return
    n, m = cells(state)
    if n * m > AT_ONCE or comparison(state) == state.matrix.asked:
        note(f"{n:,} × {m:,} windows.")
        if imgui.button(f"{icons.ICON_FA_TABLE_CELLS}  Compare"):
            state.issue(do.Compare())


# The heat map


def _plot(heat: Heat, size: tuple[float, float], state: AppState, ui: Ui) -> None:
    n, m = heat.shape
    kept = ui.heats.kept
    if kept.get("shown") != (heat.number, heat.shape):
        kept["shown"], kept["fit"] = (heat.number, heat.shape), 3
    # ImPlot zooms one step a frame, however far the wheel was turned.
    implot.get_input_map().zoom_rate = _ZOOM * min(max(abs(imgui.get_io().mouse_wheel), 1.0), 4.0)
    if not implot.begin_plot("##matrix", size, _PLOT):
        return
    implot.setup_axes(f"{heat.b.name}, frames", f"{heat.a.name}, frames", _AXIS, _DOWN)
    for axis, ticks in zip((implot.ImAxis_.x1, implot.ImAxis_.y1), _ticks(heat, kept, ui)):
        implot.setup_axis_zoom_constraints(axis, 6.0, 4.0 * max(n, m))
        implot.setup_axis_ticks(axis, ticks)
    if kept["fit"]:
        kept["fit"], kept["whole"] = kept["fit"] - 1, True
        implot.setup_axes_limits(*_whole(heat, kept.get("area", (1.0, 1.0))), imgui.Cond_.always)
    implot.setup_finish()
    place, area = implot.get_plot_pos(), implot.get_plot_size()
    if kept["whole"] and kept.get("area") != (area.x, area.y):
        kept["fit"] = 2  # what shows all of it goes on doing so when the panel grows
    kept["area"] = area.x, area.y
    limits = implot.get_plot_limits()
    # Cell k is centred on its frame: it reaches half a frame to either side.
    seen = (
        limits.x.min - heat.start_b + 0.5,
        limits.y.min - heat.start_a + 0.5,
        limits.x.max - heat.start_b + 0.5,
        limits.y.max - heat.start_a + 0.5,
    )
    kept["plot"], kept["seen"] = (place.x, place.y, area.x, area.y), seen
    density = imgui.get_io().display_framebuffer_scale.x
    pixels = max(round(density * area.x), 1), max(round(density * area.y), 1)
    highest = heat.percentile(CUT) if state.matrix.cut else heat.highest
    texture = ui.heats["matrix"].show(heat.levels, seen, pixels, threshold_of(state), highest)
    draw = implot.get_plot_draw_list()
    implot.push_plot_clip_rect()
    corner = place.x + area.x, place.y + area.y
    draw.add_image(imgui.ImTextureRef(texture), (place.x, place.y), corner)
    if area.x > ui.px(_LARGE) * (seen[2] - seen[0]):
        _edges(draw, heat.shape, seen, place, area)
    implot.pop_plot_clip_rect()
    minima = _minima(heat, seen, area, threshold_of(state), kept, ui)
    implot.push_plot_clip_rect()
    _crosshair(draw, heat, place, area, state)
    _point(draw, heat, minima, state, ui)
    implot.pop_plot_clip_rect()
    implot.end_plot()
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    kept["view"] = ui.timings.count, low.x, low.y, high.x, high.y


def _edges(draw: imgui.ImDrawList, shape: tuple[int, int], seen: Seen, place: imgui.ImVec2, area: imgui.ImVec2) -> None:
    """Lines between cells: neighbours cost so nearly the same that colours alone do not tell them apart."""
    left, top, right, bottom = seen
    first, last = (max(math.ceil(top), 0), max(math.ceil(left), 0)), (min(bottom, shape[0]), min(right, shape[1]))
    scale = area.x / (right - left), area.y / (bottom - top)
    low = place.x + (max(left, 0.0) - left) * scale[0], place.y + (max(top, 0.0) - top) * scale[1]
    high = place.x + (last[1] - left) * scale[0], place.y + (last[0] - top) * scale[1]
    for k in range(first[1], math.floor(last[1]) + 1):
        x = place.x + (k - left) * scale[0]
        draw.add_line((x, low[1]), (x, high[1]), _EDGE)
    for k in range(first[0], math.floor(last[0]) + 1):
        y = place.y + (k - top) * scale[1]
        draw.add_line((low[0], y), (high[0], y), _EDGE)


def _whole(heat: Heat, area: tuple[float, float]) -> Seen:
    """left, right, top, bottom: frames that show all of the matrix, in cells as high as wide."""
    n, m = heat.shape
    scale = 1.04 * max(m / area[0], n / area[1])
    x, y = heat.start_b + 0.5 * (m - 1), heat.start_a + 0.5 * (n - 1)
    return x - 0.5 * scale * area[0], x + 0.5 * scale * area[0], y - 0.5 * scale * area[1], y + 0.5 * scale * area[1]


def _ticks(heat: Heat, kept: dict[str, Any], ui: Ui) -> tuple[list[float], list[float]]:
    """Round numbers of frames along both axes as they were seen last; only of frames that there are."""
    (n, m), (left, top, right, bottom) = heat.shape, kept.get("seen", (0.0, 0.0, *heat.shape[::-1]))
    area = kept.get("area", (1.0, 1.0))
    key = heat.number, left, top, right, bottom, area
    if kept.get("ticks key") != key:
        across = _round_frames(heat.start_b, m, left, right, ui.px(44) / area[0])
        kept["ticks key"], kept["ticks"] = (
            key,
            (across, _round_frames(heat.start_a, n, top, bottom, ui.px(26) / area[1])),
        )
    return kept["ticks"]


def _round_frames(start: int, count: int, low: float, high: float, share: float) -> list[float]:
    """Those of the cells low … high, of which there are `count` from frame `start` on; apart by at least a share of
    what is seen."""
    least = max(share * (high - low), 1.0)
    ten = 10 ** math.floor(math.log10(least))
    step = next(ten * k for k in (1, 2, 5, 10) if ten * k >= least)
    first, last = start + max(low - 0.5, 0.0), start + min(high - 0.5, count - 1.0)
    return [float(step * k) for k in range(math.ceil(first / step), math.floor(last / step) + 1)] or [float(start)]


def _minima(heat: Heat, seen: Seen, area: imgui.ImVec2, threshold: float, kept: dict[str, Any], ui: Ui) -> np.ndarray:
    """Draw the minima below the threshold, where they crowd the best of them; those drawn."""
    count = heat.below(threshold)
    left, top, right, bottom = seen
    key = heat.number, id(heat.minima), count, seen, (area.x, area.y)
    if kept.get("minima key") != key:
        found = heat.minima[:count]
        fields = max(int(area.y / ui.px(_APART)), 1), max(int(area.x / ui.px(_APART)), 1)
        found = found[thinned(found["a"], found["b"], (top - 1, bottom, left - 1, right), fields)]
        points = found["b"].astype(np.float64) + heat.start_b, found["a"].astype(np.float64) + heat.start_a
        kept["minima key"], kept["minima"] = key, (found, points)
    found, points = kept["minima"]
    if len(found):
        spec = implot.Spec()
        spec.marker, spec.marker_size = implot.Marker_.circle, ui.px(2.6)
        spec.marker_fill_color = imgui.ImVec4(*theme.LANES.minimum, 1.0)
        spec.marker_line_color, spec.line_weight = imgui.ImVec4(0.0, 0.12, 0.05, 0.9), 1.0
        x, y = points
        implot.plot_scatter("##minima", x, y, spec)
    return found


def _crosshair(draw: imgui.ImDrawList, heat: Heat, place: imgui.ImVec2, area: imgui.ImVec2, state: AppState) -> None:
    """Where the tracks are that play the two clips."""
    for entry, across in ((heat.b, False), (heat.a, True)):
        tracks = (1, 0) if entry is heat.b and heat.a is not heat.b else (0, 1)
        track = next((t for t in tracks if state.tracks[t].clip == entry.number), None)
        if track is None:
            continue
        frame = frame_of(state, track)
        at = implot.plot_to_pixels(frame, frame)
        if across:
            draw.add_line((place.x, at.y), (place.x + area.x, at.y), _CROSS)
        else:
            draw.add_line((at.x, place.y), (at.x, place.y + area.y), _CROSS)


def _point(draw: imgui.ImDrawList, heat: Heat, minima: np.ndarray, state: AppState, ui: Ui) -> None:
    """The cell under the mouse: marked, described, shown in the scene, and played when clicked."""
    n, m = heat.shape
    kept = ui.heats.kept
    mouse = implot.get_plot_mouse_pos()
    i, j = round(mouse.y) - heat.start_a, round(mouse.x) - heat.start_b
    if not implot.is_plot_hovered() or not (0 <= i < n and 0 <= j < m):
        if state.matrix.pair is not None:
            state.issue(do.PointAtCell(None))
        return
    if imgui.get_io().mouse_wheel or imgui.is_mouse_dragging(0):
        kept["whole"] = False
    state.issue(do.PointAtCell((i, j)))
    taken = _nearest(heat, minima, (i, j), ui)
    row, column = taken or (i, j)
    at = implot.plot_to_pixels(float(heat.start_b + column), float(heat.start_a + row))
    corner = implot.plot_to_pixels(heat.start_b + column + 0.5, heat.start_a + row + 0.5)
    radius = max(abs(corner.x - at.x), ui.px(5))
    draw.add_circle((at.x, at.y), radius + 1, _RIM, 0, 3)
    draw.add_circle((at.x, at.y), radius + 1, _CELL, 0, 1.5)
    _tell(heat, (i, j), taken, state)
    position = imgui.get_mouse_pos()
    for button, command in ((0, do.PreviewCell), (1, do.LoopCell)):
        if imgui.is_mouse_clicked(button):
            kept[f"pressed {button}"] = position.x, position.y
        if imgui.is_mouse_double_clicked(button):
            kept["fit"] = 2
            kept.pop(f"pressed {button}", None)
        pressed = kept.get(f"pressed {button}")
        if imgui.is_mouse_released(button) and pressed is not None:
            del kept[f"pressed {button}"]
            if max(abs(position.x - pressed[0]), abs(position.y - pressed[1])) <= ui.px(_STILL):
                state.issue(command((row, column)))


def _nearest(heat: Heat, minima: np.ndarray, cell: tuple[int, int], ui: Ui) -> tuple[int, int] | None:
    """The drawn minimum within a few points of a cell."""
    if not len(minima):
        return None
    here, on = implot.plot_to_pixels(0.0, 0.0), implot.plot_to_pixels(1.0, 1.0)
    away = (minima["b"] - cell[1]) ** 2 * (on.x - here.x) ** 2 + (minima["a"] - cell[0]) ** 2 * (on.y - here.y) ** 2
    best = int(np.argmin(away))
    return (int(minima["a"][best]), int(minima["b"][best])) if away[best] <= ui.px(_NEAR) ** 2 else None


def _tell(heat: Heat, cell: tuple[int, int], taken: tuple[int, int] | None, state: AppState) -> None:
    """Frames, seconds and cost of a cell; of the minimum that a click takes instead, too."""
    fps, (i, j) = heat.matrix.fps, cell
    lines = [
        f"{heat.a.name}  frame {heat.start_a + i} · {(heat.start_a + i) / fps:.2f} s",
        f"{heat.b.name}  frame {heat.start_b + j} · {(heat.start_b + j) / fps:.2f} s",
        f"{heat.matrix.cost[i, j]:.2f} {heat.unit}",
    ]
    if taken is not None and taken != cell:
        at = f"{heat.start_a + taken[0]} × {heat.start_b + taken[1]}"
        lines.append(f"minimum at {at}: {heat.matrix.cost[taken]:.2f} {heat.unit}")
    imgui.set_tooltip("\n".join(lines))
