"""What a character that is driven did and decided: its lane of the timeline, and why it decided so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import colour32, icons, note, section, tooltip

if TYPE_CHECKING:
    from motiongraph.app.live.live_character import LedCharacter
    from motiongraph.synthesis.requests import Choice, Decision
    from motiongraph.viewer.ui import Ui

_TABLE = int(imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.sizing_stretch_prop)
_FAINT, _HEAD, _NOW = colour32(theme.FAINT), colour32(theme.ACCENT), colour32(theme.GOOD)
_SHORTEST = 10.0  # s that the lane shows at least


def live_lane(
    track: int, led: LedCharacter, state: AppState, ui: Ui, across: tuple[float, float], down: tuple[float, float]
) -> None:
    """The last minute: a bar for every transition that was decided, in the colour of its cost; dragging looks at what
    was done again. across, down: left and right, top and bottom on the screen."""
    draw, (left, right), (top, bottom) = imgui.get_window_draw_list(), across, down
    first, now = led.span
    first = min(first, now - _SHORTEST)
    scale = (right - left) / (now - first)
    fps, window, high = led.graph.fps, led.graph.window / led.graph.fps, 1.3 * imgui.get_font_size()
    limit = max(led.graph.thresholds.highest, 1e-6)
    for decision in reversed(led.character.decisions):
        begins = left + (decision.seconds - first) * scale
        if begins < left:
            break
        if begins < right:
            colour = colour32(theme.cost_colour(float(decision.transition["cost"]) / limit), 0.9)
            end = min(begins + max(window * scale, ui.px(2)), right)
            draw.add_rect_filled((begins, bottom - high), (end, bottom - ui.px(3)), colour, ui.px(2))
    text = f"live, {led.seconds:.1f} s so far"
    text += (
        ": looked at again; steer, or Play, to go on" if led.behind else ": drag to look back, Esc keeps it as a result"
    )
    draw.add_text((left, top + ui.px(3)), _FAINT if led.behind else _NOW, text)
    x = left + (led.shown - first) * scale
    draw.add_line((x, top), (x, bottom), _HEAD, ui.px(2))
    if imgui.is_item_activated():
        state.issue(do.TakeTrack(track))
        state.issue(do.Pause())
    seconds = first + (imgui.get_mouse_pos().x - left) / max(scale, 1e-9)
    if imgui.is_item_active():
        state.issue(do.Seek(seconds * fps, track))
    elif imgui.is_item_hovered():
        near = min(led.character.decisions, key=lambda d: abs(d.seconds - seconds), default=None)
        if near is not None and abs(near.seconds - seconds) * scale < ui.px(12):
            imgui.set_tooltip(f"{near.seconds:.1f} s: {_leads(led, near)}")


def _leads(led: LedCharacter, decision: Decision | Choice) -> str:
    """Where a way to go on leads, in words."""
    row = decision.transition
    if row is None:
        return "play on"
    clips = led.graph.clips
    ends = ((clips[int(row[end])], int(row[f"{end}_frame"])) for end in ("src", "dst"))
    return " to ".join(f"{clip.name} {clip.file_frame(frame):.0f}" for clip, frame in ends)


def live_decision(led: LedCharacter, state: AppState) -> None:
    """The decision that is seen, and what else was considered, with what each would have cost."""
    decision, decisions = led.decision, led.character.decisions
    if decision is None:
        note("It has not decided on a transition yet. Drive it, then look here.")
        return
    number = decisions.index(decision)
    for icon, to in ((icons.ICON_FA_CHEVRON_LEFT, number - 1), (icons.ICON_FA_CHEVRON_RIGHT, number + 1)):
        there = 0 <= to < len(decisions) and led.span[0] <= decisions[to].seconds <= led.span[1]
        imgui.begin_disabled(not there)
        if imgui.button(icon, (imgui.get_frame_height(), 0)):
            state.issue(do.Pause())
            state.issue(do.Seek(decisions[to].seconds * led.graph.fps + 1.0))
        imgui.end_disabled()
        tooltip("the one before" if to < number else "the next one")
        imgui.same_line()
    imgui.align_text_to_frame_padding()
    imgui.text(f"decided for {decision.seconds:.2f} s")
    imgui.text_wrapped(_leads(led, decision))
    unit = led.graph.metric.unit
    cost, limit = float(decision.transition["cost"]), led.graph.thresholds.highest
    imgui.text_disabled(f"{cost:.2f} {unit}, {100 * cost / max(limit, 1e-9):.0f} % of the threshold")
    section(f"{len(decision.others)} other ways that were considered")
    note("error: how far the coming seconds would be from what was asked, with what their transitions cost.")
    if not imgui.begin_table("considered", 3, _TABLE, (0, max(imgui.get_content_region_avail().y, 90.0))):
        return
    for name, share in (("error", 1.0), (f"cost {unit}", 1.0), ("way to go on", 3.4)):
        imgui.table_setup_column(name, imgui.TableColumnFlags_.width_stretch, share)
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_headers_row()
    for way, taken in ((decision, True), *((other, False) for other in decision.others)):
        imgui.table_next_row()
        for text in (
            f"{way.error:.2f}",
            "–" if way.transition is None else f"{float(way.transition['cost']):.2f}",
            f"{_leads(led, way)}{' (taken)' if taken else ''}",
        ):
            imgui.table_next_column()
            imgui.text_colored(theme.ACCENT if taken else theme.INK, text)
    imgui.end_table()
