"""The walk panel: how the next walk is found, the button that makes it, and what was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import need_graph, taking_part
from motiongraph.app.jobs import JobKind
from motiongraph.app.state import AppState
from motiongraph.app.walk.walk_options import METHODS, made_before
from motiongraph.viewer import theme
from motiongraph.viewer.panels.walk_options import motion_options, options_of
from motiongraph.viewer.panels.walk_results import results_view
from motiongraph.viewer.panels.widgets import colour32, field, icons, note, tooltip

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

# Icon, name, and what the method does.
_METHODS = {
    "greedy": (icons.ICON_FA_COINS, "Greedy", "Takes one of the cheapest transitions ahead, again and again."),
    "random": (icons.ICON_FA_SHUFFLE, "Random", "Wanders through the clips for as long as you like."),
    "sequential": (icons.ICON_FA_LIST_OL, "Sequence", "Goes through labels or clips in the order you give."),
    "connect": (icons.ICON_FA_LINK, "Connect", "Finds the way from one motion to another."),
    "path": (icons.ICON_FA_ROUTE, "Path", "Walks along the path drawn on the floor."),
    "reach": (icons.ICON_FA_LOCATION_DOT, "Reach", "Goes to a place, and faces the way you want there."),
}
_HOVER = colour32((0.5, 0.5, 0.5), 0.12)


def walk_panel(state: AppState, ui: Ui) -> None:
    _tabs(state, ui)
    note(_METHODS[state.walk.method][2])
    options_of(state, ui)
    motion_options(state, ui)
    if state.walk.method != "connect":
        _seed(state, ui)
    _make(state, ui)
    _problem(state, ui)
    results_view(state, ui)


def _tabs(state: AppState, ui: Ui) -> None:
    """The methods in a row, icon over name; in two rows where there is no room."""
    room, size, gap = imgui.get_content_region_avail().x, imgui.get_font_size(), ui.px(2)
    columns = 6 if room > 6 * 4.0 * size else 3
    wide, high = (room - gap * (columns - 1)) / columns, 3.0 * size
    draw = imgui.get_window_draw_list()
    for index, method in enumerate(METHODS):
        icon, name, about = _METHODS[method]
        if index % columns:
            imgui.same_line(0, gap)
        at = imgui.get_cursor_screen_pos()
        if imgui.invisible_button(method, (wide, high)):
            state.issue(do.SetWalk(method))
        tooltip(about)
        chosen, over = method == state.walk.method, imgui.is_item_hovered()
        if chosen or over:
            draw.add_rect_filled(
                at, (at.x + wide, at.y + high), colour32(theme.ACCENT, 0.16) if chosen else _HOVER, ui.px(4)
            )
        if chosen:
            draw.add_rect_filled((at.x, at.y + high - ui.px(2)), (at.x + wide, at.y + high), colour32(theme.ACCENT))
        for text, y, ink in (
            (icon, 0.38 * size, colour32(theme.ACCENT) if chosen else colour32(theme.FAINT)),
            (name, 1.55 * size, colour32(theme.INK) if chosen else colour32(theme.FAINT)),
        ):
            draw.add_text((at.x + 0.5 * (wide - imgui.calc_text_size(text).x), at.y + y), ink, text)


def _seed(state: AppState, ui: Ui) -> None:
    walking = state.walk
    imgui.begin_disabled(not walking.by_chance)
    field("seed", 5.0)
    changed, seed = imgui.input_int("##seed", walking.seed, 0, 0)
    if changed:
        state.issue(do.SetSeed(seed))
    tooltip("the same seed gives the same walk" if walking.by_chance else "nothing is left to chance here")
    imgui.same_line()
    if imgui.button(f"{icons.ICON_FA_DICE}  New seed", (-1, 0)):
        state.issue(do.NewSeed())
    imgui.end_disabled()
    tooltip("another walk like it" if walking.by_chance else "nothing is left to chance here")


def _make(state: AppState, ui: Ui) -> None:
    """The button; while a walk is being made, how far that is."""
    wide, high = imgui.get_content_region_avail().x, 2.2 * imgui.get_font_size()
    waiting = "walk" in state.graph.waiting
    kind = JobKind.GRAPH if waiting else JobKind.WALK
    job = next((j for j in state.jobs.running if j.kind is kind and not j.cancelled.is_set()), None)
    if job is not None:
        cancel = 5.0 * imgui.get_font_size()
        text = f"{'first ' if waiting else ''}{job.title}"
        share = job.share if job.share is not None else -1.0 * imgui.get_time()
        imgui.progress_bar(share, (wide - cancel - imgui.get_style().item_spacing.x, high), text)
        tooltip(job.what)
        imgui.same_line()
        if imgui.button("Cancel", (-1, high)):
            state.issue(do.CancelJob(job.number))
        imgui.text_disabled(job.what[:64])  # of branch and bound, states looked at and the gap of its bound
        return
    ready = state.graph.graph is not None or bool(taking_part(state))
    another = state.walk.by_chance and made_before(state)
    text = "Make another walk" if another else "Make a walk"
    if state.graph.graph is None:
        text = "Build the graph and make a walk"
    imgui.begin_disabled(not ready)
    imgui.push_style_color(imgui.Col_.button, (*theme.ACCENT[:3], 0.85))
    imgui.push_style_color(imgui.Col_.button_hovered, theme.ACCENT)
    imgui.push_style_color(imgui.Col_.text, theme.ON_ACCENT)
    imgui.push_font(ui.fonts.bold, imgui.get_style().font_size_base)
    if imgui.button(f"{icons.ICON_FA_WAND_MAGIC_SPARKLES}  {text}", (-1, high)):
        state.issue(do.NewSeed() if another else do.MakeWalk())
    imgui.pop_font()
    imgui.pop_style_color(3)
    imgui.end_disabled()
    if not ready:
        note("Open clips and tick those that are to take part.")


def _problem(state: AppState, ui: Ui) -> None:
    """Why there is no walk, and what would help."""
    walking = state.walk
    if not walking.problem:
        return
    imgui.push_style_color(imgui.Col_.child_bg, (*theme.BAD[:3], 0.10))
    flags = imgui.ChildFlags_.auto_resize_y | imgui.ChildFlags_.always_use_window_padding
    imgui.begin_child("problem", (0, 0), flags)
    imgui.text_colored(theme.BAD, icons.ICON_FA_TRIANGLE_EXCLAMATION)
    imgui.same_line()
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(walking.problem[:1].upper() + walking.problem[1:])
    imgui.pop_text_wrap_pos()
    offer = walking.offer(state)
    if offer is not None and imgui.button(f"Use {offer:g} {need_graph(state).metric.unit}"):
        state.issue(do.SetThreshold(offer))
        state.issue(do.MakeWalk())
    ends = walking.problem.endswith("not pruned") and walking.option.get("pruned")
    if ends and imgui.button("Allow dead ends"):
        state.issue(do.SetWalkOption(walking.method, "pruned", False))
        state.issue(do.MakeWalk())
    imgui.end_child()
    imgui.pop_style_color()
