"""The picture of the graph: clips as lanes in time, transitions as curves, the walk in green; mouse and all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import MOST, sampled
from motiongraph.app.playback import RESULT
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.draw.frame import Rect, Sheet, Size
from motiongraph.viewer.panels import graph_lanes as lanes
from motiongraph.viewer.panels.widgets import colour32

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui
    from motiongraph.walks.walk import Walk

Span = tuple[float, float, float, float]  # left and right in seconds, top and bottom in lanes
Figure = tuple[str, str, str]  # name, value, explanation
Scale = tuple[float, float]  # pixels per second and per lane

_WHITE = colour32((1.0, 1.0, 1.0))
_NEAR = 7.0  # pixels within which a curve is pointed at
_BAR = 4.0  # pixels within which a lane's bar is
_CROWD, _SOFTLY = 120.0, 4000  # pixels of canvas a curve has at least; most curves where the processor draws
_BUTTONS = int(imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_middle)


class GraphView:
    """Remembers what was drawn, so that only changes are worked out again."""

    def __init__(self):
        self.index = np.zeros(0, np.intp)  # the curves drawn
        self.of = 0  # how many there are
        self.rect: Rect = (0.0, 0.0, 1.0, 1.0)  # where the lanes are
        self.slider: Rect | None = None  # where the threshold's slider and plot are
        self.plot: Rect | None = None
        self.looked = -1  # the frame it was drawn in last
        self.trade: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  # see `panels.thresholds`
        self.figures: tuple[int, list[Figure]] = -1, []  # of a version of the graph: see `panels.graph`
        self.listed: int | None = None  # the transition pointed at in a list beside the picture
        self._dragged = 0.0  # pixels since the button was pressed
        # What was worked out, each behind what it depends on.
        self._sheet: tuple[tuple[Any, ...], Sheet] | None = None
        self._walk: tuple[tuple[Any, ...], Sheet, Walk] | None = None
        self._labels: tuple[Any, np.ndarray] | None = None
        self._pointer: tuple[tuple[Any, ...], int | None] | None = None
        self._named: tuple[tuple[Any, ...], list[str], float] | None = None
        self._held: tuple[Walk | None, Any, dict[int, tuple[int, int]]] | None = None
        self._lane: int | None = None  # whose curves alone are shown, because its name or its bar is pointed at

    def draw(self, state: AppState, ui: Ui, height: float) -> None:
        graphs, self.looked = state.graph, ui.timings.count
        graph, own = lanes.graph_and_lanes(state)
        origin, wide = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
        key = graphs.built, graphs.rows, imgui.get_font_size()
        if self._named is None or self._named[0] != key:
            names = [graph.clips[c].name for c in own.shown]
            self._named = key, names, max(imgui.calc_text_size(name).x for name in names)
        _, names, longest = self._named
        gutter = min(longest + ui.px(8), 0.28 * wide)
        axis = imgui.get_font_size() + ui.px(4)
        rect = self.rect = origin.x + gutter, origin.y, max(wide - gutter, 16.0), max(height - axis, 16.0)
        density = imgui.get_io().display_framebuffer_scale.x
        size = round(rect[2] * density), round(rect[3] * density)
        span = graphs.span or own.whole
        scale = rect[2] / (span[1] - span[0]), rect[3] / (span[3] - span[2])
        draw = imgui.get_window_draw_list()
        self._lane = self._hovered_lane(own.seconds, origin.x, span, scale)
        self._pictures(state, ui, draw, size, span, scale, density)
        self._names(draw, ui, names, origin.x, span, scale)
        self._axis(draw, ui, span, scale)
        draw.push_clip_rect(rect[:2], (rect[0] + rect[2], rect[1] + rect[3]), True)
        self._heads(state, ui, draw, span, scale)
        imgui.set_cursor_screen_pos(rect[:2])
        imgui.invisible_button("lanes", rect[2:], _BUTTONS)
        imgui.set_item_key_owner(imgui.Key.mouse_wheel_y)
        self._mouse(state, ui, draw, span, scale)
        draw.pop_clip_rect()
        imgui.set_cursor_screen_pos((origin.x, rect[1] + rect[3] + axis))
        imgui.dummy((0.0, 0.0))

    # What is drawn on canvases

    def _pictures(
        self, state: AppState, ui: Ui, draw: imgui.ImDrawList, size: Size, span: Span, scale: Scale, density: float
    ) -> None:
        graphs, (x, y, wide, high) = state.graph, self.rect
        graph, own = lanes.graph_and_lanes(state)
        gap = scale[1] * density
        place = density * scale[0], gap, -density * scale[0] * span[0], -gap * span[2]
        most = int(min(max(size[0] * size[1] / (_CROWD * density**2), 1000), _SOFTLY if ui.software else MOST))
        key = graphs.version, graphs.built, graphs.filter, span, size, most, graphs.rows, self._lane, theme.LANES
        before = self._sheet[0] if self._sheet is not None else ()
        changed = before[1:] != key[1:] or (before != key and not ui.canvases["graph"].busy)
        if self._sheet is None or changed:
            chosen = own.chosen(graph, graphs.filter, span, most, graphs.rows, self._lane)
            self.index, self.of = chosen.index, chosen.of
            picks = (4 * chosen.index + chosen.state).astype(np.float32)
            limit = graph.thresholds.highest
            highest = limit if math.isfinite(limit) else graph.candidates.max_cost
            width = density * (1.0 if len(picks) > size[0] * size[1] / (200.0 * density**2) else 1.4)
            strips = graphs.built, graphs.rows, theme.LANES
            if self._labels is None or self._labels[0] != strips:
                self._labels = strips, lanes.label_strips(graph, own)
            paper = *theme.LANES.paper, 1.0
            bars = lanes.bars(graph, own, self._labels[1], chosen.exits, gap, density)
            self._sheet = key, Sheet(size, place, own.rows, picks, bars, highest, width, paper)
        ends = (x, y), (x + wide, y + high)
        shown = ui.canvases["graph"].show(self._sheet[1])
        draw.add_image(imgui.ImTextureRef(shown), *ends, (0.0, 1.0), (1.0, 0.0))
        walk = lanes.walk_of(state)
        key = walk and id(walk), graphs.built, graphs.rows, span, size, theme.LANES
        if walk is not None:
            if self._walk is None or self._walk[0] != key:
                rows, bars = lanes.walked(graph, own, walk, max(2.0 * density, 0.12 * gap))
                picks = (4 * np.arange(len(rows)) + 3).astype(np.float32)
                clear = 0.0, 0.0, 0.0, 0.0
                own_ink = theme.LANES.walk
                self._walk = key, Sheet(size, place, rows, picks, bars, 1.0, 2.2 * density, clear, own_ink), walk
            shown = ui.canvases["walk"].show(self._walk[1])
            draw.add_image(imgui.ImTextureRef(shown), *ends, (0.0, 1.0), (1.0, 0.0))

    # What is drawn every frame

    def _names(self, draw: imgui.ImDrawList, ui: Ui, names: list[str], left: float, span: Span, scale: Scale) -> None:
        x, y, _, high = self.rect
        size, step = imgui.get_font_size(), 1
        if scale[1] < 0.62 * size:  # too close: only as many as there is room for
            step = math.ceil(0.9 * size / scale[1])
        elif scale[1] < 0.9 * size:  # all of them, a little smaller
            size = scale[1] / 0.9
        font = imgui.get_font()
        draw.push_clip_rect((left, y), (x - ui.px(4), y + high), True)
        for lane in range(max(math.ceil(span[2]), 0), min(math.floor(span[3]) + 1, len(names))):
            if lane % step == 0 or lane == self._lane:
                at = y + (lane - span[2]) * scale[1] - 0.5 * size
                draw.add_text(
                    font, size, (left, at), colour32(theme.INK if lane == self._lane else theme.FAINT), names[lane]
                )
        draw.pop_clip_rect()

    def _hovered_lane(self, seconds: np.ndarray, left: float, span: Span, scale: Scale) -> int | None:
        """The lane whose name the mouse is on, or on whose bar it has come to rest. seconds: how long each is."""
        mouse, (x, y, wide, high) = imgui.get_mouse_pos(), self.rect
        at = span[2] + (mouse.y - y) / scale[1]
        lane = round(at)
        if not (imgui.is_window_hovered() and left <= mouse.x < x + wide and y <= mouse.y < y + high):
            return None
        if not 0 <= lane < len(seconds) or mouse.x < x:
            return lane if 0 <= lane < len(seconds) else None
        on_bar = abs(at - lane) * scale[1] < _BAR and 0.0 <= span[0] + (mouse.x - x) / scale[0] <= seconds[lane]
        moves = imgui.get_io().mouse_delta
        # On its way to somewhere else the mouse crosses many bars.
        return lane if on_bar and (lane == self._lane or not (moves.x or moves.y)) else None

    def _axis(self, draw: imgui.ImDrawList, ui: Ui, span: Span, scale: Scale) -> None:
        x, y, wide, high = self.rect
        least = ui.px(58) / scale[0]
        step = next((s for s in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if s >= least), 1000.0)
        first, last = math.ceil(max(span[0], 0.0) / step), math.floor(span[1] / step)
        for n in range(first, last + 1):
            at = x + (n * step - span[0]) * scale[0]
            text = f"{n * step:g} s"
            room = 0.5 * imgui.calc_text_size(text).x
            draw.add_line((at, y), (at, y + high), colour32(theme.FAINT, 0.10))
            draw.add_text(
                (min(max(at - room, x), x + wide - 2 * room), y + high + ui.px(2)), colour32(theme.FAINT), text
            )

    def _heads(self, state: AppState, ui: Ui, draw: imgui.ImDrawList, span: Span, scale: Scale) -> None:
        """Where the walk starts, and the play heads of what is shown."""
        walk = lanes.walk_of(state)
        graph, own = lanes.graph_and_lanes(state)
        if self._held is None or self._held[0] is not walk or self._held[1] is not own:
            self._held = walk, own, lanes.lane_numbers(graph, own, walk) if walk is not None else {}
        held = self._held[2]
        if walk is not None and walk.steps["clip"][0] in held:
            place = lanes.seconds_of(graph, held, int(walk.steps["clip"][0]), int(walk.steps["start"][0]))
            draw.add_circle_filled(self._at(place, span, scale), ui.px(5), colour32(theme.LANES.start))
            draw.add_circle(self._at(place, span, scale), ui.px(5), _WHITE, 0, ui.px(1))
        place = lanes.playing(state, own, held)
        if place is not None:
            at = self._at(place, span, scale)
            _, y, _, high = self.rect
            draw.add_line((at[0], y), (at[0], y + high), colour32(theme.INK, 0.16))
            tint = colour32(theme.LANES.walk) if state.active == RESULT else _WHITE
            draw.add_circle_filled(at, ui.px(5), tint)
            draw.add_circle(at, ui.px(5), colour32((0.0, 0.0, 0.0), 0.7), 0, ui.px(1.5))

    def _at(self, place: Sequence[float], span: Span, scale: Scale) -> tuple[float, float]:
        return self.rect[0] + (place[0] - span[0]) * scale[0], self.rect[1] + (place[1] - span[2]) * scale[1]

    # The mouse

    def _mouse(self, state: AppState, ui: Ui, draw: imgui.ImDrawList, span: Span, scale: Scale) -> None:
        io, graphs = imgui.get_io(), state.graph
        hovered, active = imgui.is_item_hovered(), imgui.is_item_active()
        x, y = io.mouse_pos.x - self.rect[0], io.mouse_pos.y - self.rect[1]
        point = span[0] + x / scale[0], span[2] + y / scale[1]
        if imgui.is_item_activated():
            self._dragged = 0.0
        if active and (io.mouse_delta.x or io.mouse_delta.y):
            self._dragged += abs(io.mouse_delta.x) + abs(io.mouse_delta.y)
            if self._dragged > 4.0:
                across, down = io.mouse_delta.x / scale[0], io.mouse_delta.y / scale[1]
                state.issue(do.ShowLanes((span[0] - across, span[1] - across, span[2] - down, span[3] - down)))
        if hovered and io.mouse_wheel:
            whole = lanes.graph_and_lanes(state)[1].whole
            state.issue(do.ShowLanes(_zoomed(span, point, io.mouse_wheel, io, whole, scale[1], ui)))
        if hovered and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            state.issue(do.ShowLanes())
        pointed = None
        if hovered and not (active and self._dragged > 4.0):
            pointed = self._pointed(state, point, scale)
        shown = self.listed if pointed is None and len(graphs.rows) == 2 else pointed
        if shown != graphs.pointed:
            state.issue(do.PointAtTransition(shown))
        if pointed is None and shown is not None:
            self._highlight(state, draw, ui, shown, span, scale)
        if pointed is not None:
            self._highlight(state, draw, ui, pointed, span, scale)
            _beside(described(state, pointed))
        clicked = imgui.is_item_deactivated() and self._dragged <= 4.0 and hovered
        if clicked and pointed is not None:
            state.issue(do.PreviewTransition(pointed))
        elif hovered and pointed is None and not active:
            self._on_lane(state, point, scale)

    def _pointed(self, state: AppState, point: lanes.Place, scale: Scale) -> int | None:
        """The candidate under the mouse: of the two ways of a curve the one that leaves the nearer end."""
        key = point, scale, state.graph.version, len(self.index)
        if self._pointer is None or self._pointer[0] != key:
            _, own = lanes.graph_and_lanes(state)
            curve, away = own.nearest(self.index, point, scale)
            found = None
            if curve >= 0 and away < _NEAR:
                x0, y0, x1, y1 = own.ends[curve].tolist()
                first = math.hypot((point[0] - x0) * scale[0], (point[1] - y0) * scale[1])
                second = math.hypot((point[0] - x1) * scale[0], (point[1] - y1) * scale[1])
                found = int((own.there if first <= second else own.back)[curve])
            self._pointer = key, found
        return self._pointer[1]

    def _highlight(
        self, state: AppState, draw: imgui.ImDrawList, ui: Ui, candidate: int, span: Span, scale: Scale
    ) -> None:
        graph, own = lanes.graph_and_lanes(state)
        ends = lanes.ends_of(graph, own, graph.candidates.table[candidate])
        points: list[Any] = [imgui.ImVec2(*self._at(place, span, scale)) for place in sampled(np.array(ends)).tolist()]
        draw.add_polyline(points, colour32((0.0, 0.0, 0.0), 0.8), ui.px(5), 0)
        draw.add_polyline(points, _WHITE, ui.px(2.2), 0)
        draw.add_circle_filled(points[0], ui.px(4), _WHITE)
        draw.add_circle_filled(points[-1], ui.px(4), colour32(theme.ACCENT))

    def _on_lane(self, state: AppState, point: lanes.Place, scale: Scale) -> None:
        """The clip under the mouse, where no curve is; a click shows it there."""
        graphs, lane = state.graph, round(point[1])
        graph, own = lanes.graph_and_lanes(state)
        if not 0 <= lane < len(own.shown) or abs(point[1] - lane) * scale[1] > 8.0:
            return
        number = int(own.shown[lane])
        clip, entry = graph.clips[number], graphs.entries[number]
        frame = clip.first + round(point[0] * clip.fps)
        if not clip.first <= frame < len(clip):
            return
        file = graphs.file_frame(number, frame)
        out, into = graphs.report["degrees"][clip.name]
        words = f"\n{', '.join(clip.labels)}" if len(clip.labels) else ""
        _beside(f"{clip.name}, frame {file}{words}\n{out:,} transitions leave, {into:,} arrive")
        if imgui.is_item_deactivated() and self._dragged <= 4.0 and state.library.get(entry.number):
            state.issue(do.SelectClip(entry.number))
            state.issue(do.Seek(file))


def _beside(text: str) -> None:
    """A tooltip that leaves the picture free, where there is room beside its panel."""
    left = imgui.get_window_pos().x
    if left > imgui.calc_text_size(text).x + 4 * imgui.get_font_size():
        imgui.set_next_window_pos((left - 6.0, imgui.get_mouse_pos().y), imgui.Cond_.always, (1.0, 0.5))
    imgui.set_tooltip(text)


def _zoomed(span: Span, point: lanes.Place, wheel: float, io: imgui.IO, whole: Span, gap: float, ui: Ui) -> Span:
    """The span around a point, closer or farther; Shift: time only, Ctrl: lanes only; lanes that are far apart already
    stay as they are."""
    factor = 0.85**wheel
    left, right, top, bottom = span
    if not io.key_ctrl:
        left, right = point[0] + (left - point[0]) * factor, point[0] + (right - point[0]) * factor
    apart = bottom - top >= whole[3] - whole[2] and gap > ui.px(34)
    if io.key_ctrl or not (io.key_shift or apart):
        top, bottom = point[1] + (top - point[1]) * factor, point[1] + (bottom - point[1]) * factor
    return left, right, top, bottom


def described(state: AppState, candidate: int) -> str:
    """A transition in words."""
    graphs, (graph, _) = state.graph, lanes.graph_and_lanes(state)
    row = graph.candidates.table[candidate]
    names = [graph.clips[row[end]].name for end in ("src", "dst")]
    frames = [graphs.file_frame(int(row[end]), int(row[f"{end}_frame"])) for end in ("src", "dst")]
    shift = math.hypot(row["x0"], row["z0"])
    kept = "kept" if graph.kept.transitions[candidate] else "pruned: motion could not go on for ever"
    return (
        f"{names[0]} {frames[0]}  →  {names[1]} {frames[1]}\n"
        f"{row['cost']:.2f} {graph.metric.unit}, {kept}\n"
        f"turned {math.degrees(row['theta']):+.0f}°, moved {shift:.2f} m\n"
        "click to preview it"
    )
