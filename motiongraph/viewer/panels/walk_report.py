"""A walk step by step, and how good it and its motion are beside the captured clips."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.state import AppState
from motiongraph.app.walk.results import made_of, step_begins
from motiongraph.viewer import theme
from motiongraph.viewer.lengths import long, short
from motiongraph.viewer.panels.widgets import colour32, icons, word_colour

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.walk.results import Made
    from motiongraph.model.clip import Clip
    from motiongraph.viewer.ui import Ui

TABLE = int(
    imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.borders_inner_h
    | imgui.TableFlags_.no_pad_outer_x
)
STRETCH = int(imgui.TableColumnFlags_.width_stretch)
ROW = int(imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap)


def steps_view(entry: Entry, state: AppState, ui: Ui) -> None:
    """The pieces played; the present one is lit and kept in view, a click goes there."""
    made = made_of(entry)
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
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg1, colour32(theme.ACCENT, 0.22))
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
def _openings(made: Made) -> list[int]:
    return step_begins(made.walk).tolist()


@lru_cache(maxsize=256)  # as many as are ever in sight
def _row(made: Made, k: int) -> tuple:
    """Number, colour and name of the clip, frames of its file, cost and its colour."""
    walk = made.walk
    clip, start, stop = walk.steps[k].tolist()
    frames = f"{made.file_frame(clip, start)} – {made.file_frame(clip, stop - 1)}" if stop > start else "–"
    cost, ink = "start", theme.FAINT
    if k:
        price = float(walk.transitions["cost"][k - 1])
        cost, ink = f"{price:.2f}", (*theme.cost_colour(float(cost_shares(made)[k - 1])), 1.0)
    return f"{k + 1}", (*source_colour(walk.clips[clip]), 1.0), walk.clips[clip].name, frames, cost, ink


def into_view(heading: float) -> None:
    """Scroll a table so that the row just drawn is seen whole; heading: how high the one is that stays."""
    top, bottom, window = imgui.get_item_rect_min().y, imgui.get_item_rect_max().y, imgui.get_window_pos().y
    if top < window + heading or bottom > window + imgui.get_window_height():
        imgui.set_scroll_here_y(0.5)


def cost_shares(made: Made) -> np.ndarray:
    """(T,) what every transition of a walk costs, as a share of what its graph allows: up to 1 is fine. Where fast
    motion is allowed more than the threshold says, what was taken was allowed."""
    cost, limits = made.walk.transitions["cost"], made.graph.thresholds if made.graph is not None else None
    highest = limits.highest if limits is not None else 0.0
    shares = cost / (highest if 0.0 < highest < np.inf else max(float(cost.max(initial=0.0)), 1e-9))
    return np.minimum(shares, 1.0) if limits is not None and limits.paced else shares


def source_colour(clip: Clip) -> tuple[float, float, float]:
    """Of pieces: that of the clip's first label, or of its name."""
    return word_colour(next(iter(clip.labels), clip.name))


# How good it is

Line = tuple[str, tuple[float, float, float, float], str]  # what, colour, sentence

_LIKE, _MORE = 1.25, 2.0  # times what the captured clips have: as good, and noticeably worse


@lru_cache(maxsize=16)
def judged(made: Made) -> tuple[Line, ...]:
    """(what, colour, sentence) for a `results.Made`."""
    report = {"unit": made.unit, **made.report}
    return tuple(line for part in (_way, _path, _search, _seams, _feet, _knees, _rest) for line in part(report))


theme.KEPT.extend((judged.cache_clear, _row.cache_clear))


def _compared(value: float, captured: float) -> tuple[float, float, float, float]:
    """Green where it is like the captured clips or better, yellow, red."""
    return theme.GOOD if value <= _LIKE * captured else theme.WARN if value <= _MORE * captured else theme.BAD


def _way(report: dict[str, Any]) -> Iterator[Line]:
    count = report.get("transitions", 0)
    costs = (
        f", {report['cost_mean']:.2f} {report['unit']} on average, {report['cost_max']:.2f} at worst" if count else ""
    )
    many = "1 transition" if count == 1 else f"{count} transitions"
    clips = "1 clip" if report.get("clips") == 1 else f"{report.get('clips', 0)} clips"
    yield "walk", theme.INK, f"{many} through {clips}{costs}"


def _path(report: dict[str, Any]) -> Iterator[Line]:
    if "path_error_mean" in report:
        mean, worst = 100 * report["path_error_mean"], 100 * report["path_error_worst"]
        colour = theme.GOOD if mean < 20 else theme.WARN if mean < 50 else theme.BAD
        walked = f"{long(report['path_walked'])} of {long(report['path_length'])}"
        yield "path", colour, f"{walked}, {short(0.01 * mean)} beside it on average, {short(0.01 * worst)} at worst"
        if "arc_error_mean" in report:
            said = f"{short(report['arc_error_mean'])} off on average, which is what equation 9 of Kovar 2002 sums up"
            yield "equal arc", theme.INK, said
        along = report["facing_along"]
        colour = theme.GOOD if along > 0.9 else theme.WARN if along > 0.6 else theme.BAD
        yield "facing", colour, f"along the path {100 * along:.0f} % of the time"
        if "turned" in report:
            yield "turned", theme.INK, f"by {report['turned']:.0f}° a second on average, besides what was captured"
    if "labels_held" in report:
        held = report["labels_held"]
        colour = theme.GOOD if held > 0.9 else theme.WARN if held > 0.6 else theme.BAD
        yield "labels", colour, f"as painted {100 * held:.0f} % of the time"
    if report.get("end_distance") is not None:
        far = 100 * report["end_distance"]
        turn = f", turned {report['end_turn']:.0f}° away" if report.get("end_turn") is not None else ""
        colour = theme.GOOD if far < 15 else theme.WARN if far < 50 else theme.BAD
        yield "end", colour, f"{short(0.01 * far)} from the place{turn}"


def _search(report: dict[str, Any]) -> Iterator[Line]:
    gap, states = report.get("gap"), f"{report.get('expansions', 0):,} states"
    if report.get("limited"):
        lower = "" if gap is None else f"; the error could be up to {gap:.0%} lower"
        yield "search", theme.WARN, f"limited after {states}{lower}"
    elif gap is not None:
        yield "search", theme.GOOD, f"every stage proven to be the best, {states}"
    if report.get("rank"):
        said = f"{report['differs']:.0%} of its transitions are in none of those before it"
        yield "variety", theme.INK, f"number {report['rank'] + 1} of the walks that differ; {said}"


def _seams(report: dict[str, Any]) -> Iterator[Line]:
    ratio = report.get("seam_ratio")
    if ratio is None:
        return
    if ratio <= _LIKE:
        said = "as smooth as the motion around them"
    else:
        said = "a little rougher than the motion around them" if ratio <= _MORE else "they jolt"
    yield "seams", _compared(ratio, 1.0), f"{said} (accelerations × {ratio:.2f})"


def _feet(report: dict[str, Any]) -> Iterator[Line]:
    if "slide_mean" not in report:
        return
    mean, worst = report["slide_mean"], report["slide_worst"]
    captured = report.get("captured", {}).get("slide_mean")
    colour = _compared(mean, max(captured, 1.0)) if captured is not None else theme.INK
    beside = f"; captured {short(0.01 * captured, 1)}/s" if captured is not None else ""
    said = "stand still" if mean < 0.5 else "slide"
    yield "feet", colour, f"{said}: {short(0.01 * mean, 1)}/s, {short(0.01 * worst, 1)}/s at worst{beside}"
    if report.get("penetration", 0.0) > 0.5:
        yield "floor", theme.WARN, f"a foot is {short(0.01 * report['penetration'], 1)} below it at worst"


def _knees(report: dict[str, Any]) -> Iterator[Line]:
    if "knee_pop_p99" not in report:
        return
    value, captured = report["knee_pop_p99"], report.get("captured", {}).get("knee_pop_p99")
    if captured is None:
        yield "knees", theme.INK, f"bend with jumps of {value:.1f} rad/s a frame"
        return
    colour = _compared(value, captured)
    said = "bend as captured" if colour == theme.GOOD else "bend a little suddenly" if colour == theme.WARN else "pop"
    yield "knees", colour, f"{said} ({value:.1f} rad/s a frame; captured {captured:.1f})"


def _rest(report: dict[str, Any]) -> Iterator[Line]:
    if report.get("glitches"):
        yield "capture", theme.WARN, f"{report['glitches']} frames came with errors of the capture; trim them away"
    if "compute_seconds" in report:
        yield "found in", theme.INK, f"{report['compute_seconds']:.2f} s"
