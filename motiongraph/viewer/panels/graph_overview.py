"""The graph at a glance: which clips lead to which. A cell's colour is its lowest cost, its size how many there are.

A click on a cell shows its transitions, one on a name what that clip leads to; the wheel zooms.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.state import AppState
from motiongraph.graph.overview import PARTS, Overview
from motiongraph.viewer import theme
from motiongraph.viewer.draw.frame import Rect, Sheet
from motiongraph.viewer.panels.widgets import colour32, word_colour

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_PAPER = 0.075, 0.082, 0.097, 1.0  # in both themes: its cells are bright
_FRAME = colour32((1.0, 1.0, 1.0), 0.55)
_PARTS = [colour32((r / 255, g / 255, b / 255)) for r, g, b in PARTS]
_COSTS = np.array([(1.0, 0.9, 0.52), (0.99, 0.66, 0.33), (0.9, 0.4, 0.36), (0.66, 0.27, 0.52), (0.4, 0.26, 0.6)])
_NO_CURVES = np.zeros((0, 8), np.float32)
_BUTTONS = int(imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_middle)
_ROOM = 24.0  # pixels of a cell from which numbers are written into it


class OverviewView:
    """Remembers what was drawn, and which part of it is seen."""

    def __init__(self):
        self.rect: Rect = (0.0, 0.0, 1.0, 1.0)  # where the cells are
        self.at: tuple[float, float, float] = (0.0, 0.0, 1.0)  # first column and row in sight, share of all that is
        self.pointed: tuple[int, ...] = ()  # the row or cell under the mouse
        self._sheet: tuple[tuple[Any, ...], Sheet] | None = None
        self._dragged = 0.0

    def draw(self, state: AppState, ui: Ui, height: float) -> None:
        seen, rows = state.graph.cells(), len(state.graph.cells().clusters.names)
        origin, wide = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
        font, em = imgui.get_font(), imgui.get_font_size()
        told = max(imgui.calc_text_size(c.name).x for c in seen.clusters.each)
        gutter = min(max(imgui.calc_text_size(name).x for name in seen.clusters.names) + ui.px(26), 0.32 * wide)
        margin = min(told + ui.px(12), 0.22 * wide)
        side = max(min(wide - gutter - margin, height), 16.0)
        rect = self.rect = origin.x + gutter, origin.y, side, side
        zoom = self.at[2] if self.at[2] * rows >= 2.0 else 1.0
        cell = side / (rows * zoom)
        left, top = (min(max(v, 0.0), rows * (1.0 - zoom)) for v in self.at[:2])
        self.at = left, top, zoom
        draw = imgui.get_window_draw_list()
        self._cells(state, ui, draw, seen, cell)
        step = max(1, math.ceil(0.62 * em / cell))
        size = min(em, max(cell * step / 0.95, 0.62 * em))
        corner = rect[0], rect[1] + rect[3]
        draw.push_clip_rect((origin.x, rect[1]), (origin.x + wide, rect[1] + side), True)
        for k in range(max(int(top), 0), min(int(top + rows * zoom) + 1, rows)):
            y = rect[1] + (k + 0.5 - top) * cell
            part, share = int(seen.part[k]), float(seen.share[k])
            if part >= 0:
                x = rect[0] - ui.px(3)
                thick = max(0.38 * cell, 0.5)
                draw.add_rect_filled((x - ui.px(7) * share, y - thick), (x, y + thick), _PARTS[min(part, 5)])
            if seen.clusters.labels[k]:  # what it is labelled most
                x, tint = rect[0] - ui.px(15), colour32(word_colour(seen.clusters.labels[k][0]))
                draw.add_rect_filled((x, y - max(0.38 * cell, 0.5)), (x + ui.px(3), y + max(0.38 * cell, 0.5)), tint)
            lit = k in self.pointed
            if k % step == 0 or lit:
                text = seen.clusters.names[k]
                ink = colour32(theme.INK if lit else theme.FAINT)
                draw.push_clip_rect((origin.x, rect[1]), (rect[0] - ui.px(17), rect[1] + side), True)
                draw.add_text(font, size, (origin.x, y - 0.5 * size), ink, text)
                draw.pop_clip_rect()
        self._clusters(draw, ui, seen, cell, margin)
        draw.pop_clip_rect()
        imgui.set_cursor_screen_pos(rect[:2])
        imgui.invisible_button("cells", (side, side), _BUTTONS)
        imgui.set_item_key_owner(imgui.Key.mouse_wheel_y)
        self._mouse(state, ui, draw, seen, cell, origin.x)
        imgui.set_cursor_screen_pos((origin.x, corner[1] + ui.px(4)))
        imgui.dummy((0.0, 0.0))

    def _cells(self, state: AppState, ui: Ui, draw: imgui.ImDrawList, seen: Overview, cell: float) -> None:
        (x, y, side, _), density = self.rect, imgui.get_io().display_framebuffer_scale.x
        left, top, _ = self.at
        size = round(side * density), round(side * density)
        key = state.graph.version, size, self.at
        if self._sheet is None or self._sheet[0] != key:
            i, j = np.nonzero(seen.count)
            bars = np.zeros((len(i), 8), np.float32)
            half = 0.5 * np.maximum(seen.size[i, j], min(1.0, 1.6 / cell))  # a pixel and a half at least
            bars[:, 0], bars[:, 1], bars[:, 2] = j + 0.5 - half, j + 0.5 + half, i + 0.5
            bars[:, 3] = half * cell * density
            bars[:, 4:7] = _shade(seen.lowest[i, j] / seen.dear)
            bars[:, 7] = 1.0
            scale = cell * density
            place = scale, scale, -scale * left, -scale * top
            self._sheet = key, Sheet(size, place, _NO_CURVES, np.zeros(0, np.float32), bars, 1.0, 1.0, _PAPER)
        shown = ui.canvases["overview"].show(self._sheet[1])
        draw.add_image(imgui.ImTextureRef(shown), (x, y), (x + side, y + side), (0.0, 1.0), (1.0, 0.0))
        if cell < ui.px(_ROOM):
            return
        small, font = 0.72 * imgui.get_font_size(), imgui.get_font()
        draw.push_clip_rect((x, y), (x + side, y + side), True)
        for i, j in np.argwhere(seen.count > 0).tolist():
            at = x + (j + 0.5 - left) * cell, y + (i + 0.5 - top) * cell
            if x - cell < at[0] < x + side + cell and y - cell < at[1] < y + side + cell:
                text = f"{seen.count[i, j]}"
                room = 0.36 * imgui.calc_text_size(text).x
                draw.add_text(font, small, (at[0] - room, at[1] - 0.5 * small), colour32((0.0, 0.0, 0.0), 0.85), text)
        draw.pop_clip_rect()

    def _clusters(self, draw: imgui.ImDrawList, ui: Ui, seen: Overview, cell: float, margin: float) -> None:
        (x, y, side, _), (left, top, _) = self.rect, self.at
        last = -1e9
        for cluster in seen.clusters.each:
            a, b = (y + (k - top) * cell for k in (cluster.first, cluster.stop))
            across = [x + (k - left) * cell for k in (cluster.first, cluster.stop)]
            draw.push_clip_rect((x, y), (x + side, y + side), True)
            draw.add_rect((across[0], a), (across[1], b), _FRAME, 0.0, ui.px(1.2))
            draw.pop_clip_rect()
            bar = x + side + ui.px(4)
            draw.add_rect_filled((bar, a + 1.0), (bar + ui.px(3), b - 1.0), _FRAME)
            middle = 0.5 * (max(a, y) + min(b, y + side))
            at = max(middle - 0.5 * imgui.get_font_size(), last)
            last = at + imgui.get_font_size()
            words = cluster.name.split(" + ")
            draw.add_text((bar + ui.px(6), at), colour32(word_colour(words[0])), cluster.name)

    def _mouse(
        self, state: AppState, ui: Ui, draw: imgui.ImDrawList, seen: Overview, cell: float, margin: float
    ) -> None:
        io, (x, y, side, _), rows = imgui.get_io(), self.rect, len(seen.clusters.names)
        left, top, zoom = self.at
        hovered, active = imgui.is_item_hovered(), imgui.is_item_active()
        column, row = left + (io.mouse_pos.x - x) / cell, top + (io.mouse_pos.y - y) / cell
        named = imgui.is_window_hovered() and margin <= io.mouse_pos.x < x and y <= io.mouse_pos.y < y + side
        if imgui.is_item_activated():
            self._dragged = 0.0
        if active:
            self._dragged += abs(io.mouse_delta.x) + abs(io.mouse_delta.y)
            if self._dragged > 4.0:
                self.at = left - io.mouse_delta.x / cell, top - io.mouse_delta.y / cell, zoom
        if hovered and io.mouse_wheel:
            closer = min(max(zoom * 0.85**io.mouse_wheel, 2.0 / rows), 1.0)
            by = closer / zoom
            self.at = column - (column - left) * by, row - (row - top) * by, closer
        if hovered and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            self.at = 0.0, 0.0, 1.0
        i, j = int(row), int(column)
        inside = 0 <= i < rows and 0 <= j < rows
        self.pointed = (i, j) if hovered and inside else (i,) if named and 0 <= i < rows else ()
        if not self.pointed:
            return
        a = y + (i - top) * cell
        draw.add_rect((x, a), (x + side, a + cell), colour32((1.0, 1.0, 1.0), 0.5))
        if len(self.pointed) == 2:
            b = x + (j - left) * cell
            draw.add_rect((b, y), (b + cell, y + side), colour32((1.0, 1.0, 1.0), 0.5))
        if not (active and self._dragged > 4.0):
            imgui.set_tooltip(told(state, seen, self.pointed))
        clicked = imgui.is_item_deactivated() and self._dragged <= 4.0 if hovered else imgui.is_mouse_clicked(0)
        if clicked and (len(self.pointed) == 1 or seen.count[i, j] or seen.count[j, i]):
            state.issue(do.IsolateRows(self.pointed))


def told(state: AppState, seen: Overview, pointed: tuple[int, ...]) -> str:
    """A row or a cell in words."""
    names, unit = seen.clusters.names, need_graph(state).metric.unit
    if len(pointed) == 2:
        i, j = pointed
        if not seen.count[i, j]:
            return f"{names[i]}  →  {names[j]}\nno transition"
        cost = f"lowest cost {seen.lowest[i, j]:.2f} {unit}"
        return f"{names[i]}  →  {names[j]}\n{seen.count[i, j]:,} transitions, {cost}\nclick to see them"
    (i,) = pointed
    words = ", ".join(seen.clusters.labels[i][:4])
    part = f"{seen.share[i]:.0%} in strong part {seen.part[i] + 1}" if seen.part[i] >= 0 else "in no strong part"
    others = np.count_nonzero(seen.count[i])
    leads = f"{seen.count[i].sum():,} transitions to {others} of {len(names)}"
    return "\n".join(line for line in (names[i], words, leads, part, "click to see only these") if line)


def _shade(share: np.ndarray) -> np.ndarray:
    """(n, 3) the colours of the lanes' curves, as in shaders/curves.vert; share: of the highest cost."""
    return np.stack([np.interp(share, np.linspace(0.0, 1.0, len(_COSTS)), channel) for channel in _COSTS.T], axis=1)
