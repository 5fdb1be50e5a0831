"""The graph panel: its picture, the threshold, and what there is to know of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import need_graph, quickly_covered, stale, taking_part
from motiongraph.app.graph.lanes import KINDS
from motiongraph.app.jobs import JobKind
from motiongraph.app.state import AppState
from motiongraph.graph.coverage import in_words
from motiongraph.viewer import theme
from motiongraph.viewer.panels.graph_bones import bones_choice, rate_choice
from motiongraph.viewer.panels.graph_threshold import threshold_controls
from motiongraph.viewer.panels.graph_view import Figure, GraphView
from motiongraph.viewer.panels.widgets import (
    action_button,
    colour32,
    field,
    icons,
    keys_of,
    note,
    progress_row,
    section,
    tooltip,
    word_colour,
)

if TYPE_CHECKING:
    from motiongraph.app.jobs import Job
    from motiongraph.viewer.ui import Ui

_ABOUT = (
    "A motion graph knows every place where one clip can turn into another without anyone noticing. New motion is a "
    "walk through it."
)
_KINDS = {"all": "all", "within": "within clips", "between": "between clips"}
_DARK = colour32((0.06, 0.06, 0.07))
_BUTTON, _HOVERED, _TEXT = int(imgui.Col_.button), int(imgui.Col_.button_hovered), int(imgui.Col_.text)
_LISTED = 50  # of the cheapest transitions of a cell
_ROUNDING, _PADDING = int(imgui.StyleVar_.frame_rounding), int(imgui.StyleVar_.frame_padding)
_OPEN = f"{icons.ICON_FA_FOLDER_OPEN}  Open a graph…"
_BRIDGE = f"{icons.ICON_FA_BRIDGE}  Bridge what is apart"
_TABLE = int(imgui.TableFlags_.sizing_stretch_prop | imgui.TableFlags_.row_bg)


def graph_panel(state: AppState, ui: Ui) -> None:
    graphs = state.graph
    job = next((j for j in state.jobs.running if j.kind is JobKind.GRAPH and not j.cancelled.is_set()), None)
    if graphs.graph is None:
        _invitation(state, ui, job)
        return
    _head(state, ui, job)
    _pictures(state, ui)
    section("Threshold")
    threshold_controls(state, ui)
    _figures(state, ui)
    _warnings(state, ui)


def _pictures(state: AppState, ui: Ui) -> None:
    """The overview or the lanes, and what of them is shown."""
    graphs, view = state.graph, ui.graph_view
    for text, overview in (("Overview", True), ("Lanes", False)):
        lit = graphs.overview == overview
        if lit:
            imgui.push_style_color(_BUTTON, colour32(theme.ACCENT, 0.35))
        if imgui.button(text):
            state.issue(do.ShowOverview(overview))
        if lit:
            imgui.pop_style_color()
        tooltip("which clips lead to which, in clusters" if overview else "clips in time, transitions as curves")
        imgui.same_line(0.0, ui.px(2))
    large = state.window.maximised == "graph"
    imgui.same_line(0.0, ui.px(8))
    if imgui.button(icons.ICON_FA_COMPRESS if large else icons.ICON_FA_EXPAND):
        state.issue(do.MaximisePanel("graph"))
    tooltip("back to the scene" if large else "fill the window (double click on a panel's tab)")
    if graphs.rows and not graphs.overview:
        names = [need_graph(state).candidates.clusters.names[row] for row in graphs.rows]
        imgui.same_line(0.0, ui.px(8))
        if imgui.button(f"{icons.ICON_FA_XMARK}  {'  and  '.join(names)}###isolated"):
            state.issue(do.IsolateRows())
        tooltip("all lanes again")
    room = max((0.74 if large else 0.46) * imgui.get_content_region_avail().y, ui.px(190))
    if graphs.overview:
        ui.overview.draw(state, ui, max(room, ui.px(300)))
        note("colour: lowest cost, size: how many; click a cell or a name, wheel: zoom")
        return
    view.draw(state, ui, room)
    if len(graphs.rows) == 2:
        _cheapest(state, ui, view)
    _filters(state, ui, view)


def _cheapest(state: AppState, ui: Ui, view: GraphView) -> None:
    """The cheapest transitions of a cell of the overview: pointed at they show in the scene, a click plays one."""
    graph, own = need_graph(state), state.graph.lanes
    if own is None:
        return
    view.listed = None
    if imgui.begin_child(
        "cheapest", (0.0, min(len(view.index) + 0.5, 5.5) * imgui.get_text_line_height_with_spacing())
    ):
        for candidate in own.there[view.index[:_LISTED]].tolist():
            row = graph.candidates.table[candidate]
            ends = [(int(row[end]), int(row[f"{end}_frame"])) for end in ("src", "dst")]
            places = [f"{graph.clips[clip].name} {state.graph.file_frame(clip, frame)}" for clip, frame in ends]
            text = f"{'  →  '.join(places)}    {row['cost']:.2f} {graph.metric.unit}##{candidate}"
            if imgui.selectable(text, candidate == state.graph.pointed)[0]:
                state.issue(do.PreviewTransition(candidate))
            if imgui.is_item_hovered():
                view.listed = candidate
    imgui.end_child()


def graph_aside(state: AppState, ui: Ui) -> None:
    """While the picture is not to be seen, no curve of it is pointed at."""
    if state.graph.pair is not None and ui.graph_view.looked != ui.timings.count:
        state.issue(do.PointAtTransition())


def _invitation(state: AppState, ui: Ui, job: Job | None) -> None:
    """Nothing is built yet."""
    gap = imgui.ImVec2(0.0, ui.px(6))
    imgui.dummy(gap)
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(_ABOUT)
    imgui.pop_text_wrap_pos()
    imgui.dummy(gap)
    if job is not None:
        progress_row(job, state, ui)
        return
    count = len(taking_part(state))
    clips = f"{count} ticked clip{'' if count == 1 else 's'}"
    imgui.begin_disabled(not count)
    imgui.push_style_color(_BUTTON, colour32(theme.ACCENT, 0.85 if count else 0.3))
    imgui.push_style_color(_TEXT, colour32(theme.ON_ACCENT if count else theme.INK))
    imgui.push_font(ui.fonts.bold, imgui.get_style().font_size_base)
    size = imgui.ImVec2(-1, 2.6 * imgui.get_font_size())
    if imgui.button(f"{icons.ICON_FA_DIAGRAM_PROJECT}  Build graph of {clips}", size):
        state.issue(do.BuildGraph())
    imgui.pop_font()
    imgui.pop_style_color(2)
    imgui.end_disabled()
    _options(state, ui)
    if not count:
        note("Tick clips in the library first." if len(state.library) else "Open clips first, or drop files here.")
    imgui.dummy(imgui.ImVec2(0.0, ui.px(4)))
    action_button(_OPEN, "open graph", state, ui)


def _options(state: AppState, ui: Ui) -> None:
    options = state.graph.options
    bones_choice(state, ui)
    rate_choice(state)
    changed, mirror = imgui.checkbox("with mirror images", options.mirror)
    if changed:
        state.issue(do.SetGraphOption("mirror", mirror))
    tooltip("every clip also with left and right exchanged: twice the motion, four times the pairs to compare")
    imgui.same_line()
    metric = state.matrix.metric
    own = options.metric is not None and options.metric == metric
    changed, own = imgui.checkbox("metric of the Matrix panel", own)
    if changed:
        state.issue(do.SetGraphOption("metric", metric if own else None))
    tooltip("compare as set there: window, weights, alignment; otherwise as Kovar, Gleicher and Pighin do")
    _rules(state)


_RULES = {
    "border": ("at the ends of clips", "minima at the edge of a matrix, where a clip begins or ends, count as well"),
    "same_feet": ("same feet down", "compare only windows in whose middle the same feet stand: quicker, fewer"),
    "every_cell": (
        "every cell",
        "a transition at every cell below the ceiling, not only at minima: frames are vertices",
    ),
}


def _rules(state: AppState) -> None:
    """Which pairs of windows become transitions."""
    options = state.graph.options
    for number, (name, (text, about)) in enumerate(_RULES.items()):
        if number:
            imgui.same_line()
        changed, value = imgui.checkbox(text, getattr(options.rules, name))
        if changed:
            state.issue(do.SetGraphOption(name, value))
        tooltip(about)
    if options.rules.every_cell and options.ceiling is not None:
        field("up to")
        changed, ceiling = imgui.slider_float("##ceiling", options.ceiling, 0.5, 15.0, "%.1f")
        if changed:
            state.issue(do.SetGraphOption("ceiling", ceiling))
        tooltip("what a transition may cost at most; there are very many of them")


def _head(state: AppState, ui: Ui, job: Job | None) -> None:
    """What the graph is of, and whether it still is."""
    graphs, report = state.graph, state.graph.report
    imgui.push_font(ui.fonts.bold, imgui.get_style().font_size_base)
    imgui.text(f"{report['transitions']:,} transitions")
    imgui.pop_font()
    imgui.same_line()
    imgui.text_disabled(f"of {report['candidates']:,} candidates, {report['clips']} clips, {report['seconds']:.0f} s")
    if job is not None:
        progress_row(job, state, ui)
        return
    changed = stale(state)
    if not changed:
        return
    imgui.align_text_to_frame_padding()
    imgui.text_colored(theme.WARN, f"{icons.ICON_FA_ROTATE}  {changed}")
    imgui.same_line()
    imgui.begin_disabled(not taking_part(state))
    if imgui.button("Update"):
        state.issue(do.BuildGraph())
    imgui.end_disabled()
    tooltip(f"compare what is new; pairs that are known are not compared again  ({keys_of('build')})")
    if graphs.options != graphs.made_with:
        _options(state, ui)


def _filters(state: AppState, ui: Ui, view: GraphView) -> None:
    """What of the graph is drawn, and how much of that."""
    graphs = state.graph
    shown = graphs.filter
    imgui.set_next_item_width(7.2 * imgui.get_font_size())
    if imgui.begin_combo("##kind", _KINDS[shown.kind]):
        for kind in KINDS:
            if imgui.selectable(_KINDS[kind], kind == shown.kind)[0]:
                state.issue(do.FilterGraph("kind", kind))
        imgui.end_combo()
    imgui.same_line()
    changed, kept = imgui.checkbox("only what is kept", shown.kept)
    if changed:
        state.issue(do.FilterGraph("kept", kept))
    tooltip("only transitions that survive pruning: from them motion can go on for ever")
    if graphs.span is not None:
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_EXPAND}  All"):
            state.issue(do.ShowLanes())
        tooltip("see the whole graph (double click in it)")
    _chips(state, ui)
    # Always a line, so that the slider below stays where it is while it is dragged.
    if view.of > len(view.index):
        note(f"{view.of:,} curves, bundled; point at a name for its own")
    else:
        note(f"all {view.of:,} curves here; wheel: zoom, drag: move, click: preview")
    tooltip("a curve stands for both directions; the wheel zooms (Shift: time, Ctrl: lanes), double click shows all")


def _chips(state: AppState, ui: Ui) -> None:
    """Labels to choose from, in their colours; chosen ones are filled."""
    shown = state.graph.filter.labels
    words = need_graph(state).candidates.labelling.words
    if len(words) < 2:
        return
    style, room = imgui.get_style(), imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    imgui.push_style_var(_ROUNDING, ui.px(10))
    imgui.push_style_var(_PADDING, (ui.px(8), ui.px(1)))
    for i, word in enumerate(words):
        if i:
            wide = imgui.calc_text_size(word).x + 2 * style.frame_padding.x
            if imgui.get_item_rect_max().x + ui.px(4) + wide < room:
                imgui.same_line(0.0, ui.px(4))
        colour, on = word_colour(word), word in shown
        imgui.push_style_color(_BUTTON, colour32(colour, 0.9 if on else 0.16))
        imgui.push_style_color(_HOVERED, colour32(colour, 0.7 if on else 0.35))
        imgui.push_style_color(_TEXT, _DARK if on else colour32(colour))
        if imgui.button(f"{word}##chip"):
            state.issue(do.FilterGraph("labels", shown ^ {word}))
        imgui.pop_style_color(3)
    imgui.pop_style_var(2)


def _figures(state: AppState, ui: Ui) -> None:
    """The numbers of the dissertation's section 5.1.2."""
    graphs, view, report = state.graph, ui.graph_view, state.graph.report
    if view.figures[0] != graphs.version:
        view.figures = graphs.version, list(_rows(report, need_graph(state).metric.unit))
    section("In numbers")
    if imgui.begin_table("figures", 2, _TABLE):
        for name, value, more in view.figures[1]:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_disabled(name)
            if more:
                tooltip(more)
            imgui.table_next_column()
            imgui.text_unformatted(value)
        imgui.end_table()
    _coverage(state)
    sets = report["label_sets"]
    if len(sets) > 1 and imgui.begin_table("labels", 4, _TABLE):
        for name in ("labels", "seconds", "kept", "parts"):
            imgui.table_setup_column(name)
        imgui.table_headers_row()
        for row in sets:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_unformatted(" + ".join(row["labels"]) or "none")
            imgui.table_next_column()
            imgui.text_disabled(f"{row['frames'] / report['fps']:.1f}")
            imgui.table_next_column()
            share = row["frames_kept"] / max(row["frames"], 1)
            imgui.text_colored(theme.INK if share > 0 else theme.WARN, f"{share:.0%}")
            imgui.table_next_column()
            imgui.text_disabled(f"{len(row['component_frames'])}")
        imgui.end_table()


def _coverage(state: AppState) -> None:
    """What can be reached, measured once, and again when asked for; and what the clips lack."""
    graphs = state.graph
    if graphs.covered is None and quickly_covered(state):
        if graphs.curve is not None:  # one after the other
            state.issue(do.FindCoverage())
        return
    version, found = graphs.covered or (None, {})
    if state.jobs.under_way(JobKind.COVERAGE):
        note("Trying where it leads …")
    elif version != graphs.version or not found:
        if imgui.button("Try where it leads"):
            state.issue(do.FindCoverage())
        tooltip("what can be reached in 4 s at this threshold, how long turns, starts and stops take, what clips lack")
    elif imgui.begin_table("reached", 2, _TABLE):
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch, 0.42)
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch, 0.58)
        for name, text in in_words(found):
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_disabled(name)
            imgui.table_next_column()
            imgui.text_wrapped(text)
        imgui.end_table()


def _rows(report: dict[str, Any], unit: str) -> Iterator[Figure]:
    """(name, value, explanation) of every figure."""
    within, count = report["transitions_within_clips"], report["transitions"]
    yield "transitions", f"{count:,}, {within:,} within clips", "those of the pruned graph; each direction is one"
    yield "connectivity", f"{report['transitions_per_clip']:.1f} a clip", "transitions that leave a clip, on average"
    kept = f"{report['share_kept']:.1%} of all frames"
    yield "strongly connected", kept, "the largest part, for every set of labels, in which all can be reached from all"
    if count:
        low, mean, high = (report[f"cost_{name}"] for name in ("min", "mean", "max"))
        yield "cost", f"{low:.2f} … {high:.2f}, mean {mean:.2f} {unit}", "smallest, largest and mean cost"
    for name in ("most", "least"):
        most = report[f"{name}_connected"]
        yield f"{name} connected", f"{most['clip']}, {most['transitions']:,}", "the clip, and how many leave it"
    yield "choice points", f"{report['choice_points']:,}", "places where motion may leave a clip or arrive in one"


def _warnings(state: AppState, ui: Ui) -> None:
    found = state.graph.warnings
    if not found:
        return
    section("Mind")
    imgui.push_style_color(_TEXT, theme.WARN)
    imgui.push_text_wrap_pos(0.0)
    for sentence in found[:12]:
        imgui.text_unformatted(f"{icons.ICON_FA_TRIANGLE_EXCLAMATION}  {sentence}")
    if len(found) > 12:
        imgui.text_unformatted(f"… and {len(found) - 12} more")
    imgui.pop_text_wrap_pos()
    imgui.pop_style_color()
    if not state.jobs.under_way(JobKind.GRAPH):
        action_button(_BRIDGE, "bridge", state, ui)
        note("makes clips that pass from one motion into another, as from walk to run, where no way leads over")
