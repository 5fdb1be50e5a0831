"""A walk step by step: which piece of which clip is played, and what it cost to come there."""

from bisect import bisect_right
from functools import lru_cache

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.walk.results import step_begins
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import colour32, icons, word_colour

TABLE = int(
    imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.borders_inner_h
    | imgui.TableFlags_.no_pad_outer_x
)
STRETCH = int(imgui.TableColumnFlags_.width_stretch)
ROW = int(imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap)
_PLAYED = colour32(theme.ACCENT, 0.22)


def steps_view(entry, state, ui) -> None:
    """The pieces played; the present one is lit and kept in view, a click goes there."""
    made = entry.made
    track = state.active if state.tracks[state.active].clip == entry.number else RESULT
    now = bisect_right(_openings(made), frame_of(state, track)) - 1
    least = 7 * imgui.get_text_line_height_with_spacing()
    if not imgui.begin_table("steps", 4, TABLE, (0, max(imgui.get_content_region_avail().y, least))):
        return
    imgui.table_setup_scroll_freeze(0, 1)
    for name, flags in (("", 0), ("clip", STRETCH), ("frames", 0), (f"cost {made.unit}", 0)):
        imgui.table_setup_column(name, flags)
    imgui.table_headers_row()
    clipper = imgui.ListClipper()
    clipper.begin(len(made.walk.steps))
    seen = f"{entry.number} {now}"
    moved = ui.texts.get("step") != seen
    if moved:
        clipper.include_item_by_index(now)
    while clipper.step():
        for k in range(clipper.display_start, clipper.display_end):
            number, colour, name, frames, cost, ink = _row(made, k)
            imgui.table_next_row()
            if k == now:
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg1, _PLAYED)
            imgui.table_next_column()
            if imgui.selectable(number, False, ROW)[0]:
                state.issue(do.SeekStep(entry.number, k))
            if k == now and moved:
                ui.texts["step"] = seen
                into_view(imgui.get_text_line_height_with_spacing())
            imgui.table_next_column()
            imgui.text_colored(colour, icons.ICON_FA_SQUARE)
            imgui.same_line(0, ui.px(4))
            imgui.text_unformatted(name)
            imgui.table_next_column()
            imgui.text_unformatted(frames)
            imgui.table_next_column()
            imgui.text_colored(ink, cost)
    imgui.end_table()


@lru_cache(maxsize=2)
def _openings(made) -> list[int]:
    return step_begins(made.walk).tolist()


@lru_cache(maxsize=256)  # as many as are ever in sight
def _row(made, k: int) -> tuple:
    """Number, colour and name of the clip, frames of its file, cost and its colour."""
    walk = made.walk
    clip, start, stop = walk.steps[k].tolist()
    frames = f"{made.file_frame(clip, start)} – {made.file_frame(clip, stop - 1)}" if stop > start else "–"
    cost, ink = "start", theme.FAINT
    if k:
        price = float(walk.transitions["cost"][k - 1])
        cost, ink = f"{price:.2f}", (*theme.cost_colour(price / dearest(made)), 1.0)
    return f"{k + 1}", (*source_colour(walk.clips[clip]), 1.0), walk.clips[clip].name, frames, cost, ink


def into_view(heading: float) -> None:
    """Scroll a table so that the row just drawn is seen whole; heading: how high the one is that stays."""
    top, bottom, window = imgui.get_item_rect_min().y, imgui.get_item_rect_max().y, imgui.get_window_pos().y
    if top < window + heading or bottom > window + imgui.get_window_height():
        imgui.set_scroll_here_y(0.5)


def dearest(made) -> float:
    """The cost that is drawn reddest, that of the graph's threshold."""
    highest = made.graph.thresholds.highest if made.graph is not None else 0.0
    return float(highest) if 0.0 < highest < np.inf else float(made.walk.transitions["cost"].max(initial=1e-9))


def source_colour(clip) -> tuple[float, float, float]:
    """Of pieces: that of the clip's first label, or of its name."""
    return word_colour(next(iter(clip.labels), clip.name))
