"""Names above the characters of the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui

from motiongraph.app.playback import visible_tracks
from motiongraph.app.scene.camera_moves import camera_of
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import colour32

if TYPE_CHECKING:
    from motiongraph.app.scene.cast import Cast
    from motiongraph.viewer.draw.frame import Rect, View
    from motiongraph.viewer.ui import Ui

_ABOVE = 0.16  # metres over the highest joint
_MOST = 200  # names in a view; of more the nearest


def names_overlay(state: AppState, ui: Ui) -> None:
    """Over every view, where the layer is on; behind the panels."""
    if not state.scene.layers.names or not state.ready:
        return
    draw = imgui.get_background_draw_list()
    shade, ink = colour32(theme.PAPER[0], 0.72), colour32(theme.INK)
    for track, cast, rect in zip(visible_tracks(state), state.casts, ui.panes):
        draw.push_clip_rect(rect[:2], (rect[0] + rect[2], rect[1] + rect[3]), True)
        casts = [cast, *([state.crowd.moving.cast] if state.crowd.moving is not None else [])]
        for name, x, y in placed_names(casts, camera_of(state, track).view(rect), rect):
            size = imgui.calc_text_size(name)
            left, top, edge = x - 0.5 * size.x, y - size.y, ui.px(4)
            draw.add_rect_filled((left - edge, top - 0.5 * edge), (left + size.x + edge, y + 0.5 * edge), shade, edge)
            draw.add_text((left, top), ink, name)
        draw.pop_clip_rect()


def placed_names(casts: Sequence[Cast], view: View, rect: Rect) -> list[tuple[str, float, float]]:
    """(name, x, y) of every character before the camera, in screen coordinates: over its root, as high as it is."""
    found = []
    matrix = np.array(view.matrix)
    for group in (group for cast in casts for group in cast.groups):
        points = np.ones((len(group.entries), 4))
        points[:, :3] = group.positions[:, 0]
        points[:, 1] = group.positions[:, :, 1].max(axis=1) + _ABOVE
        for entry, (x, y, _, w) in zip(group.entries, (points @ matrix.T).tolist()):
            if w > 0.05:
                place = rect[0] + 0.5 * (x / w + 1.0) * rect[2], rect[1] + 0.5 * (1.0 - y / w) * rect[3]
                found.append((w, entry.name, *place))
    found.sort(reverse=True)  # the nearest last, above the others
    return [tuple(row[1:]) for row in found[-_MOST:]]
