"""What was made: a table to compare walks by, and the current one step by step, with how good it is."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind
from motiongraph.app.state import AppState
from motiongraph.app.walk.measure import SECONDS, WALKS, measured
from motiongraph.app.walk.results import current_result, made_of, results
from motiongraph.synthesis.assess import rows
from motiongraph.viewer import theme
from motiongraph.viewer.lengths import long, short
from motiongraph.viewer.panels.walk_report import ROW, STRETCH, TABLE, into_view, judged, steps_view
from motiongraph.viewer.panels.widgets import icons, note, section, tooltip

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.walk.results import Made
    from motiongraph.viewer.ui import Ui

_FIXED = int(imgui.TableColumnFlags_.width_fixed)
_TABS = int(imgui.TabBarFlags_.draw_selected_overline)
_FEW, _MANY = 3, 6  # rows of the table before it scrolls, in a small window and a large one
_MEASURED = int(imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.row_bg | imgui.TableFlags_.no_pad_outer_x)
_COST = "cost"  # stands for the unit of the metric
# Heading, unit, meaning, figure of the report, what it is multiplied by, format.
_COLUMNS = (
    ("time", "s", "how long the motion is", "seconds", 1.0, "{:.1f}"),
    ("trans.", "", "transitions taken", "transitions", 1, "{}"),
    ("mean", _COST, "cost of its transitions, mean", "cost_mean", 1.0, "{:.1f}"),
    ("worst", _COST, "its highest cost of a transition", "cost_max", 1.0, "{:.1f}"),
    ("path", "cm", "distance from the path, mean", "path_error_mean", 100.0, "{:.0f}"),
    ("slide", "cm/s", "speed of feet that should stand still, mean", "slide_mean", 1.0, "{:.1f}"),
    ("took", "s", "seconds to find it", "compute_seconds", 1.0, "{:.2f}"),
)


def results_view(state: AppState, ui: Ui) -> None:
    """The lower part of the walk panel."""
    entries, here = results(state), current_result(state)
    section("Results")
    if not entries:
        note("Walks you make are kept here, to be compared, replayed and saved.")
        return
    _compared(entries, here, state, ui)
    if here is None:
        note("Click a result to see its steps.")
        return
    _buttons(here, state, ui)
    report = made_of(here).report
    if not report.get("complete", True) or report.get("note"):
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(
            theme.WARN, f"{icons.ICON_FA_HOURGLASS_END}  {report.get('note') or 'the best found in time'}"
        )
        imgui.pop_text_wrap_pos()
    _advice(here, state)
    if imgui.begin_tab_bar("about", _TABS):
        if imgui.begin_tab_item("Steps")[0]:
            steps_view(here, state, ui)
            imgui.end_tab_item()
        if imgui.begin_tab_item("Quality")[0]:
            _measure(state)
            _quality(here, ui)
            imgui.end_tab_item()
        if len(entries) > 1:
            _together(state)
        imgui.end_tab_bar()


def _advice(entry: Entry, state: AppState) -> None:
    """What would bring a walk nearer to where it was to go."""
    made = made_of(entry)
    advice = made.report.get("advice")
    if not advice:
        return
    what = "the path" if made.method == "path" else "the place"
    missed = made.report["path_error_mean" if made.method == "path" else "end_distance"]
    imgui.push_text_wrap_pos(0.0)
    imgui.text_colored(
        theme.WARN,
        f"{icons.ICON_FA_LIGHTBULB}  It is {long(missed)} off {what}: too few transitions lead that way. "
        f"At a threshold of {advice['threshold']:g} {made.unit} it would be {short(advice['missed'])}.",
    )
    imgui.pop_text_wrap_pos()
    graph, own = state.graph.graph, made.graph
    # Of another graph it would say nothing.
    known = graph is not None and own is not None and graph.candidates is own.candidates
    if known and imgui.button(f"Use {advice['threshold']:g} {made.unit}", (-1, 0)):
        state.issue(do.SetThreshold(advice["threshold"]))
        state.issue(do.TakeOptions(entry.number))
        state.issue(do.MakeWalk())


@lru_cache(maxsize=2)
def compared(made: tuple[Made, ...]) -> tuple[list[tuple[str, str, str]], list[list[str]]]:
    """Results as a table: (heading, unit, meaning) of the columns that any of them has a figure for, and the rows.
    Costs in several units have theirs beside them, and none in the heading."""
    units = {each.unit for each in made}
    headings, columns = [], []
    for heading, unit, meaning, name, times, how in _COLUMNS:
        values = [each.report.get(name) for each in made]
        if not any(value is not None for value in values):
            continue
        cells = ["" if value is None else how.format(value * times) for value in values]
        if unit is _COST:
            unit = "" if len(units) > 1 else next(iter(units))
            cells = cells if unit else [cell and f"{cell} {each.unit}" for cell, each in zip(cells, made)]
        headings.append((heading, unit, meaning))
        columns.append(cells)
    return headings, list(map(list, zip(*columns)))


@lru_cache(maxsize=2)
def _widths(made: tuple[Made, ...], size: float) -> list[float]:
    """What the columns need, at a size of letters."""
    headings, rows = compared(made)
    return [
        max(imgui.calc_text_size(text).x for text in (*heading[:2], *{row[k] for row in rows}))
        for k, heading in enumerate(headings)
    ]


def _compared(entries: list[Entry], here: Entry | None, state: AppState, ui: Ui) -> None:
    """All results, one row each; a click replays."""
    all_made = tuple(made_of(entry) for entry in entries)
    headings, rows = compared(all_made)
    line = imgui.get_text_line_height() + 2 * imgui.get_style().cell_padding.y + 1
    top = line + imgui.get_text_line_height() + imgui.get_style().item_spacing.y
    beside = 2 * imgui.get_frame_height_with_spacing() + 4 * line  # the buttons, and some of the steps
    fit = int((imgui.get_content_region_avail().y - top - beside) / line)
    high = top + min(len(entries), max(_FEW, min(fit, _MANY))) * line + ui.px(2)
    seen = f"{here and here.number} {high:.0f}"
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (ui.px(4), imgui.get_style().cell_padding.y))
    shown = imgui.begin_table("results", 1 + len(headings), TABLE, (0, high))
    imgui.pop_style_var()
    if not shown:
        return
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_setup_column("name", STRETCH)
    for (heading, _, _), wide in zip(headings, _widths(all_made, imgui.get_font_size())):
        imgui.table_setup_column(heading, _FIXED, wide)
    imgui.table_next_row(imgui.TableRowFlags_.headers)
    imgui.table_next_column()
    imgui.begin_group()
    imgui.new_line()
    imgui.text_disabled("name")
    imgui.end_group()
    for heading, unit, meaning in headings:
        imgui.table_next_column()
        imgui.begin_group()
        _right(heading, theme.FAINT)
        _right(unit, theme.FAINT)
        imgui.end_group()
        tooltip(meaning)
    for entry, row in zip(entries, rows):
        imgui.push_id(entry.number)
        imgui.table_next_row()
        imgui.table_next_column()
        _name(entry, entry is here, state, ui)
        if entry is here and ui.texts.get("result") != seen:
            ui.texts["result"] = seen
            into_view(top)
        for cell in row:
            imgui.table_next_column()
            _right(cell)
        imgui.pop_id()
    imgui.end_table()


def _right(text: str, colour: tuple[float, float, float, float] = theme.INK) -> None:
    """Text at the right end of its column."""
    room = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
    imgui.text_colored(colour, text)


def _name(entry: Entry, chosen: bool, state: AppState, ui: Ui) -> None:
    """The name as what is clicked, or, after a double click, as a field to type in."""
    if ui.texts.get("renaming") == str(entry.number):
        imgui.set_next_item_width(-1)
        if not ui.texts.get("renaming begun"):
            imgui.set_keyboard_focus_here()
            ui.texts["renaming begun"] = "yes"
        flags = imgui.InputTextFlags_.auto_select_all | imgui.InputTextFlags_.enter_returns_true
        imgui.push_style_var(imgui.StyleVar_.frame_padding, (ui.px(4), 0))
        entered, ui.texts["new name"] = imgui.input_text("##name", ui.texts["new name"], flags)
        imgui.pop_style_var()
        if entered:
            state.issue(do.RenameResult(entry.number, ui.texts["new name"]))
        if entered or imgui.is_item_deactivated():
            ui.texts["renaming"] = ""
        return
    views = range(state.scene.views if state.scene.views > 1 else 0)
    shown = "".join("ABR"[t] for t in views if state.tracks[t].clip == entry.number)
    marks = ("" if made_of(entry).report.get("complete", True) else f" {icons.ICON_FA_HOURGLASS_END}") + f"  {shown}"
    if imgui.selectable(f"{entry.name}{marks}##row", chosen, ROW)[0]:
        state.issue(do.ReplayResult(entry.number))
    if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
        rename(entry, ui)
    if imgui.begin_popup_context_item("row menu"):
        _menu(entry, state, ui)
        imgui.end_popup()


def rename(entry: Entry, ui: Ui) -> None:
    ui.texts |= {"renaming": str(entry.number), "new name": entry.name, "renaming begun": ""}


def _menu(entry: Entry, state: AppState, ui: Ui) -> None:
    for text, command in (
        ("Replay", do.ReplayResult(entry.number)),
        ("Show as A", do.ReplayResult(entry.number, 0)),
        ("Show as B", do.ReplayResult(entry.number, 1)),
        ("Use its options again", do.TakeOptions(entry.number)),
        ("Remove", do.RemoveClip(entry.number)),
        ("Remove all results", do.ClearResults()),
    ):
        if imgui.menu_item(text, "", False)[0]:
            state.issue(command)
        if text == "Show as B" and imgui.menu_item("Rename", "", False)[0]:
            rename(entry, ui)


def _buttons(entry: Entry, state: AppState, ui: Ui) -> None:
    """What can be done with the current result."""
    number = entry.number
    for text, about, command in (
        (icons.ICON_FA_ROTATE_LEFT, "replay from the start", do.ReplayResult(number)),
        ("A", "show it at the left, to compare", do.ReplayResult(number, 0)),
        ("B", "show it beside A, to compare", do.ReplayResult(number, 1)),
        (icons.ICON_FA_SLIDERS, "set the options above to those it was made with", do.TakeOptions(number)),
    ):
        if imgui.button(text):
            state.issue(command)
        tooltip(about)
        imgui.same_line(0, ui.px(4))
    if imgui.button(icons.ICON_FA_PEN):
        rename(entry, ui)
    tooltip("rename")
    imgui.same_line(0, ui.px(12))
    for text, about, question in (
        (f"{icons.ICON_FA_FLOPPY_DISK}  Save", "as BVH, AMC or GLB", "save result"),
        (icons.ICON_FA_FILE_LINES, "save which pieces were played, as text", "save log"),
    ):
        if imgui.button(text):
            ui.dialogs.ask(question, state)
        tooltip(about)
        imgui.same_line(0, ui.px(4))
    if imgui.button(icons.ICON_FA_FILM):
        if state.entry is not entry:
            state.issue(do.SelectClip(number))
        state.issue(do.ShowPanel("film", True))
    tooltip("render to video")
    imgui.same_line(0, ui.px(4))
    if imgui.button(icons.ICON_FA_TRASH):
        state.issue(do.RemoveClip(number))
    tooltip("remove this result")


def _together(state: AppState) -> None:
    """All results in one scene."""
    crowd = state.scene.layers.compared
    flags = imgui.TabItemFlags_.trailing
    if imgui.tab_item_button(f"{icons.ICON_FA_USERS}  {'only this' if crowd else 'all at once'}###together", flags):
        state.issue(do.SetLayer("compared", not crowd))
    tooltip("all results in the scene together, or only the current one")


def _quality(entry: Entry, ui: Ui) -> None:
    """Figures in words; green is as good as what was captured."""
    for name, colour, sentence in judged(made_of(entry)):
        imgui.text_disabled(name)
        imgui.same_line(4.6 * imgui.get_font_size())
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(colour, sentence)
        imgui.pop_text_wrap_pos()


def _measure(state: AppState) -> None:
    """How good walks on this graph are in general, beside its clips."""
    busy = any(job.kind is JobKind.MEASURE for job in state.jobs.running)
    imgui.begin_disabled(busy or state.graph.graph is None)
    if imgui.button(f"{icons.ICON_FA_RULER}  Measure"):
        state.issue(do.MeasureQuality())
    imgui.end_disabled()
    tooltip(
        f"makes {WALKS} random walks of {SECONDS:g} s on the graph and measures them beside its clips, as motiongraph "
        "quality does; with scikit-learn installed, a judge looks for seams"
    )
    found = measured(state)
    if found is None or not imgui.begin_table("measured", 3, _MEASURED):
        return
    for name, flags in (("", STRETCH), ("captured", 0), ("made", 0)):
        imgui.table_setup_column(name, flags)
    imgui.table_headers_row()
    for row in rows(found):
        imgui.table_next_row()
        for text in row:
            imgui.table_next_column()
            imgui.text_unformatted(text)
    imgui.end_table()
