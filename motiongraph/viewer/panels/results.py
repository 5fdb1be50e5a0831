"""What was made: a table to compare walks by, and the one in hand step by step, with how good it is."""

from weakref import WeakKeyDictionary

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.results import in_hand, opening, results
from motiongraph.viewer import theme
from motiongraph.viewer.panels.judged import judged
from motiongraph.viewer.panels.widgets import colour32, icons, note, section, tooltip, word_colour

_TABLE = int(
    imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.borders_inner_h
    | imgui.TableFlags_.no_pad_outer_x
)
_STRETCH = int(imgui.TableColumnFlags_.width_stretch)
_FIXED = int(imgui.TableColumnFlags_.width_fixed)
_ROW = int(imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap)
_PLAYED = colour32(theme.ACCENT, 0.22)
# Heading, unit, meaning, figure of the report, what it is multiplied by, format.
_COLUMNS = (
    ("time", "s", "how long the motion is", "seconds", 1.0, "{:.1f}"),
    ("trans.", "", "transitions taken", "transitions", 1, "{}"),
    ("mean", "cm", "cost of its transitions, mean", "cost_mean", 1.0, "{:.1f}"),
    ("worst", "cm", "cost of its dearest transition", "cost_max", 1.0, "{:.1f}"),
    ("path", "cm", "distance from the path, mean", "path_error_mean", 100.0, "{:.0f}"),
    ("slide", "cm/s", "speed of feet that should stand still, mean", "slide_mean", 1.0, "{:.1f}"),
    ("took", "s", "seconds to find it", "compute_seconds", 1.0, "{:.2f}"),
)
_told: WeakKeyDictionary = WeakKeyDictionary()


def results_view(state, ui) -> None:
    """The lower part of the walk panel."""
    made, here = results(state), in_hand(state)
    section("Results")
    if not made:
        note("Walks you make are kept here, to be compared, replayed and saved.")
        return
    _compared(made, here, state, ui)
    if here is None:
        note("Click a result to see its steps.")
        return
    _buttons(here, state, ui)
    report = here.made.report
    if not report.get("complete", True) or report.get("note"):
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(
            theme.WARN, f"{icons.ICON_FA_HOURGLASS_END}  {report.get('note') or 'the best found in time'}"
        )
        imgui.pop_text_wrap_pos()
    _advice(here.made, state)
    if imgui.begin_tab_bar("about"):
        if imgui.begin_tab_item("Steps")[0]:
            _steps(here, state, ui)
            imgui.end_tab_item()
        if imgui.begin_tab_item("Quality")[0]:
            _quality(here, ui)
            imgui.end_tab_item()
        if len(made) > 1:
            _together(state)
        imgui.end_tab_bar()


def _advice(made, state) -> None:
    """What would bring a walk nearer to where it was to go."""
    told = made.report.get("advice")
    if not told:
        return
    what = "the path" if made.method == "path" else "the place"
    missed = made.report["path_error_mean" if made.method == "path" else "end_distance"]
    imgui.push_text_wrap_pos(0.0)
    imgui.text_colored(
        theme.WARN,
        f"{icons.ICON_FA_LIGHTBULB}  It is {missed:.1f} m off {what}: too few transitions lead that way. "
        f"At a threshold of {told['threshold']:g} cm it would be {100 * told['missed']:.0f} cm.",
    )
    imgui.pop_text_wrap_pos()
    if imgui.button(f"Use {told['threshold']:g} cm", (-1, 0)):
        state.issue(do.SetThreshold(told["threshold"]))
        state.issue(do.TakeOptions(in_hand(state).number))
        state.issue(do.MakeWalk())


def _figures(entry) -> list[str]:
    """The cells of a result's row, worked out once."""
    if entry.made not in _told:
        report = entry.made.report
        values = [(report.get(name), times, how) for _, _, _, name, times, how in _COLUMNS]
        _told[entry.made] = ["" if value is None else how.format(value * times) for value, times, how in values]
    return _told[entry.made]


def _compared(made, here, state, ui) -> None:
    """All results, one row each; a click replays."""
    wanted = [k for k, column in enumerate(_COLUMNS) if any(_figures(entry)[k] for entry in made)]
    line = imgui.get_text_line_height() + 2 * imgui.get_style().cell_padding.y + 1
    heading = line + imgui.get_text_line_height() + imgui.get_style().item_spacing.y
    high = heading + min(len(made), 6) * line + ui.px(2)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (ui.px(4), imgui.get_style().cell_padding.y))
    shown = imgui.begin_table("results", 1 + len(wanted), _TABLE, (0, high))
    imgui.pop_style_var()
    if not shown:
        return
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_setup_column("name", _STRETCH)
    for k in wanted:
        wide = max(imgui.calc_text_size(text).x for text in (_COLUMNS[k][0], _COLUMNS[k][1], _figures(made[-1])[k]))
        imgui.table_setup_column(_COLUMNS[k][0], _FIXED, wide)
    imgui.table_next_row(imgui.TableRowFlags_.headers)
    imgui.table_next_column()
    imgui.text_disabled("\nname")
    for k in wanted:
        imgui.table_next_column()
        imgui.begin_group()
        for text in _COLUMNS[k][:2]:
            _right(text, theme.FAINT)
        imgui.end_group()
        tooltip(_COLUMNS[k][2])
    for entry in made:
        imgui.push_id(entry.number)
        imgui.table_next_row()
        imgui.table_next_column()
        _name(entry, entry is here, state, ui)
        for k in wanted:
            imgui.table_next_column()
            _right(_figures(entry)[k])
        imgui.pop_id()
    imgui.end_table()


def _right(text: str, colour=theme.INK) -> None:
    """Text at the right end of its column."""
    room = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
    imgui.text_colored(colour, text)


def _name(entry, chosen: bool, state, ui) -> None:
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
    marks = ("" if entry.made.report.get("complete", True) else f" {icons.ICON_FA_HOURGLASS_END}") + f"  {shown}"
    if imgui.selectable(f"{entry.name}{marks}##row", chosen, _ROW)[0]:
        state.issue(do.ReplayResult(entry.number))
    if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
        rename(entry, ui)
    if imgui.begin_popup_context_item("row menu"):
        _menu(entry, state, ui)
        imgui.end_popup()


def rename(entry, ui) -> None:
    ui.texts |= {"renaming": str(entry.number), "new name": entry.name, "renaming begun": ""}


def _menu(entry, state, ui) -> None:
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


def _buttons(entry, state, ui) -> None:
    """What can be done with the result in hand."""
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
        (icons.ICON_FA_FILM, "render to video", "record"),
        (icons.ICON_FA_FILE_LINES, "save which pieces were played, as text", "save log"),
    ):
        if imgui.button(text):
            if question == "record" and state.entry is not entry:
                state.issue(do.SelectClip(number))
            ui.dialogs.ask(question, state)
        tooltip(about)
        imgui.same_line(0, ui.px(4))
    if imgui.button(icons.ICON_FA_TRASH):
        state.issue(do.RemoveClip(number))
    tooltip("remove this result")


def _together(state) -> None:
    """All results in one scene."""
    crowd = state.scene.layers.crowd
    flags = imgui.TabItemFlags_.trailing
    if imgui.tab_item_button(f"{icons.ICON_FA_USERS}  {'only this' if crowd else 'all at once'}###together", flags):
        state.issue(do.SetLayer("crowd", not crowd))
    tooltip("all results in the scene together, or only the one in hand")


def _steps(entry, state, ui) -> None:
    """The pieces played; the present one is lit and kept in view, a click goes there."""
    walk = entry.made.walk
    steps, file_frame = walk.steps, entry.made.file_frame
    top = dearest(entry.made)
    track = next((t for t in (state.active, RESULT) if state.tracks[t].clip == entry.number), RESULT)
    now = int(np.searchsorted(opening(walk), frame_of(state, track), side="right")) - 1
    least = 7 * imgui.get_text_line_height_with_spacing()
    if not imgui.begin_table("steps", 4, _TABLE, (0, max(imgui.get_content_region_avail().y, least))):
        return
    imgui.table_setup_scroll_freeze(0, 1)
    for name, flags in (("", 0), ("clip", _STRETCH), ("frames", 0), ("cost cm", 0)):
        imgui.table_setup_column(name, flags)
    imgui.table_headers_row()
    clipper = imgui.ListClipper()
    clipper.begin(len(steps))
    seen = f"{entry.number} {now}"
    moved = ui.texts.get("step") != seen
    if moved:
        clipper.include_item_by_index(now)
    while clipper.step():
        for k in range(clipper.display_start, clipper.display_end):
            clip, start, stop = steps[k].tolist()
            imgui.table_next_row()
            if k == now:
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg1, _PLAYED)
            imgui.table_next_column()
            if imgui.selectable(f"{k + 1}", False, _ROW)[0]:
                state.issue(do.SeekStep(entry.number, k))
            if k == now and moved:
                ui.texts["step"] = seen
                _into_view()
            imgui.table_next_column()
            name = walk.clips[clip].name
            imgui.text_colored((*source_colour(walk.clips[clip]), 1.0), icons.ICON_FA_SQUARE)
            imgui.same_line(0, ui.px(4))
            imgui.text_unformatted(name)
            imgui.table_next_column()
            first, last = file_frame(clip, start), file_frame(clip, stop - 1)
            imgui.text_unformatted(f"{first} – {last}" if stop > start else "–")
            imgui.table_next_column()
            if k:
                cost = float(walk.transitions["cost"][k - 1])
                imgui.text_colored((*theme.cost_colour(cost / top), 1.0), f"{cost:.2f}")
            else:
                imgui.text_disabled("start")
    imgui.end_table()


def _into_view() -> None:
    """Scroll only as far as the row needs to be seen whole."""
    top, bottom = imgui.get_item_rect_min().y, imgui.get_item_rect_max().y
    window, line = imgui.get_window_pos().y, imgui.get_text_line_height_with_spacing()
    if top < window + line or bottom > window + imgui.get_window_height() - line:
        imgui.set_scroll_here_y(0.5)


def dearest(made) -> float:
    """cm: the cost that is drawn reddest, that of the graph's threshold."""
    highest = made.graph.thresholds.highest if made.graph is not None else 0.0
    return float(highest) if 0.0 < highest < np.inf else float(made.walk.transitions["cost"].max(initial=1e-9))


def source_colour(clip) -> tuple[float, float, float]:
    """Of pieces: that of the clip's first label, or of its name."""
    return word_colour(next(iter(clip.labels), clip.name))


def _quality(entry, ui) -> None:
    """Figures in words; green is as good as what was captured."""
    for name, colour, sentence in judged(entry.made):
        imgui.text_disabled(name)
        imgui.same_line(4.6 * imgui.get_font_size())
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(colour, sentence)
        imgui.pop_text_wrap_pos()
