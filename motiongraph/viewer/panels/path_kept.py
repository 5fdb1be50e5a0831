"""How well a walk keeps to its path, in figures and in words, and what would help where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.path.verdict import verdict
from motiongraph.app.state import AppState
from motiongraph.app.walk.results import current_result, made_of
from motiongraph.viewer import theme
from motiongraph.viewer.draw.frame import SCALE
from motiongraph.viewer.lengths import long, short
from motiongraph.viewer.panels.widgets import colour32, note, tooltip

if TYPE_CHECKING:
    from motiongraph.app.command import Command
    from motiongraph.viewer.ui import Ui


def kept_to_it(state: AppState, ui: Ui) -> None:
    """How far the current result is from what was asked, with the colours of the scene explained."""
    entry = current_result(state)
    report = made_of(entry).report if entry is not None and made_of(entry).asked is not None else {}
    if "path_error_mean" not in report:
        note("The walk is drawn on the floor in the colour of its distance from the path.")
        return
    if imgui.begin_table("kept", 2, imgui.TableFlags_.sizing_stretch_same):
        for name, text in (
            ("off the path, mean", short(report["path_error_mean"])),
            ("off the path, worst", short(report["path_error_worst"])),
            ("facing along it", f"{100 * report['facing_along']:.0f} %"),
            ("with its label", f"{100 * report['labels_held']:.0f} %" if "labels_held" in report else ""),
            ("walked", f"{long(report['path_walked'])} of {long(report['path_length'])} in {report['seconds']:.1f} s"),
        ):
            if text:
                imgui.table_next_row()
                imgui.table_next_column()
                imgui.text_disabled(name)
                imgui.table_next_column()
                imgui.text(text)
        imgui.end_table()
    _legend(ui)
    told = verdict(state)
    if told is not None and not told.kept:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(theme.WARN, told.text)
        imgui.pop_text_wrap_pos()
        buttons = help_buttons(state, told.sharp != ())
        wide = imgui.get_content_region_avail().x / len(buttons) - imgui.get_style().item_spacing.x
        for number, button in enumerate(buttons):
            if number:
                imgui.same_line()
            button(imgui.ImVec2(wide, 0.0))


def help_buttons(state: AppState, sharp: bool) -> list[Callable[[imgui.ImVec2], None]]:
    """What would help a walk that strays: where the path is too sharp, smoothing it; else more transitions."""
    turn = state.path.shows_turn

    def button(text: str, command: Command, more: str) -> Callable[[imgui.ImVec2], None]:
        def draw(size: imgui.ImVec2) -> None:
            if imgui.button(text, size):
                state.issue(command)
            tooltip(more)

        return draw

    if not sharp:
        return [button("Allow more and walk again", do.AllowMore(), "a higher threshold has more transitions")]
    return [
        button("Smooth it", do.SmoothPath(), "take the corners out of the path; the walk is made again"),
        button(
            "Hide turn" if turn else "Tightest turn", do.ShowTightestTurn(not turn), "what these clips can do there"
        ),
    ]


def _legend(ui: Ui) -> None:
    """The colours of a path, from good to poor, and the distances they stand for."""
    draw, where = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    wide, high = imgui.get_content_region_avail().x, ui.px(7)
    half = where.x + 0.5 * wide
    good, fair, poor = (colour32(colour) for colour in theme.PATH)
    draw.add_rect_filled_multi_color(where, (half, where.y + high), good, fair, fair, good)
    draw.add_rect_filled_multi_color((half, where.y), (where.x + wide, where.y + high), fair, poor, poor, fair)
    imgui.dummy((wide, high))
    texts = [f"{short(SCALE[0])} off", short(SCALE[1]), f"{short(SCALE[2])} and more"]
    left = imgui.get_cursor_pos_x()
    for share, text in zip((0.0, 0.5, 1.0), texts):
        if share:
            imgui.same_line()
        imgui.set_cursor_pos_x(left + share * (wide - imgui.calc_text_size(text).x))
        imgui.text_disabled(text)
