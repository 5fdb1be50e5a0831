"""Playback: transport, speed, how the root goes, and a lane for every track that is scrubbed with the mouse."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import FASTEST, ROOTS, SLOWEST, TRACKS, frame_of, visible_tracks
from motiongraph.app.state import AppState
from motiongraph.app.walk.results import made_of
from motiongraph.viewer import theme
from motiongraph.viewer.panels.contact_rows import contact_rows, contact_rows_height
from motiongraph.viewer.panels.live import live_lane
from motiongraph.viewer.panels.menu import ROOT_NAMES
from motiongraph.viewer.panels.seam_handles import drag_seam, draw_blends, seam_menu
from motiongraph.viewer.panels.walk_report import cost_shares, source_colour
from motiongraph.viewer.panels.widgets import action_button, colour32, icons, tooltip, word_colour

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.walk.results import Made
    from motiongraph.viewer.ui import Ui

_LOOP_ICONS = {
    "loop": icons.ICON_FA_REPEAT,
    "ping-pong": icons.ICON_FA_RIGHT_LEFT,
    "once": icons.ICON_FA_ARROW_RIGHT_LONG,
}

_BACK = (icons.ICON_FA_BACKWARD_FAST, "start"), (icons.ICON_FA_BACKWARD_STEP, "step back")
_AHEAD = (icons.ICON_FA_FORWARD_STEP, "step"), (icons.ICON_FA_FORWARD_FAST, "end")
_WIDTH = 4.6  # of the field for the frame, in heights of the text
_LANES = tuple(f"lane {track}" for track in range(len(TRACKS)))
# Plain numbers and points: Dear ImGui's binding takes longer to make them of flags and tuples than for the call.
_SPEED = int(imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp)
_ENTERED, _RIGHT = int(imgui.InputTextFlags_.enter_returns_true), int(imgui.MouseButton_.right)
_GROUND = colour32((0, 0, 0), 0.28)
_Point = imgui.ImVec2


def timeline_panel(state: AppState, ui: Ui) -> None:
    _transport(state, ui)
    for track in visible_tracks(state):
        _lane(track, state, ui)
    contact_rows(state, ui)


def height(state: AppState, ui: Ui) -> float:
    """What the panel needs, in screen coordinates."""
    return _height(state.scene.views, imgui.get_font_size(), ui.scale) + contact_rows_height(state)


@lru_cache(maxsize=16)
def _height(lanes: int, font_size: float, scale: float) -> float:
    style = imgui.get_style()
    each = _lane_height() + style.item_spacing.y
    return imgui.get_frame_height_with_spacing() + lanes * each + 2 * style.window_padding.y


def _transport(state: AppState, ui: Ui) -> None:
    playback, unit = state.playback, imgui.get_font_size()
    size, near, apart = _Point(2.3 * unit, 0), ui.px(3), ui.px(12)
    play = icons.ICON_FA_PAUSE if playback.playing else icons.ICON_FA_PLAY
    for icon, name in (*_BACK, (play, "play"), *_AHEAD):
        action_button(icon, name, state, ui, size)
        imgui.same_line(0, near)
    imgui.same_line(0, apart)
    action_button(_LOOP_ICONS[playback.loop], "loop", state, ui, size)
    imgui.same_line(0, near)
    action_button(icons.ICON_FA_BACKWARD, "reverse", state, ui, size)
    imgui.same_line(0, apart)
    imgui.set_next_item_width(4.5 * unit)
    changed, speed = imgui.drag_float("##speed", playback.speed, 0.01, SLOWEST, FASTEST, "× %.2f", _SPEED)
    if changed:
        state.issue(do.SetSpeed(speed))
    if imgui.is_item_clicked(_RIGHT):
        state.issue(do.SetSpeed(1.0))
    tooltip("speed, 0.1 to 4 times: drag, double-click to type, right click for normal")
    imgui.same_line(0, apart)
    _root(state, ui)
    _where(state, ui)


def _root(state: AppState, ui: Ui) -> None:
    playback = state.playback
    imgui.set_next_item_width(11.5 * imgui.get_font_size())
    if imgui.begin_combo("##root", ROOT_NAMES[playback.root]):
        for mode in ROOTS:
            if imgui.selectable(ROOT_NAMES[mode], mode == playback.root)[0]:
                state.issue(do.SetRoot(mode))
        imgui.end_combo()
    tooltip("where the root goes")
    if playback.root == "straight":
        imgui.same_line(0, ui.px(3))
        imgui.set_next_item_width(5 * imgui.get_font_size())
        degrees = math.degrees(playback.direction)
        changed, degrees = imgui.drag_float("##direction", degrees, 1.0, -180.0, 180.0, "%.0f°")
        if changed:
            state.issue(do.SetRoot("straight", math.radians(degrees)))
        tooltip("direction, 0° along z; drag or double-click to type")


def _where(state: AppState, ui: Ui) -> None:
    """The frame, as a number to be typed over, and the time; at the right end."""
    entry = state.entry
    if entry is None:
        return
    frame, fps, frames, unit = frame_of(state), entry.clip.fps, len(entry.clip), imgui.get_font_size()
    right = imgui.get_window_width() - _room(frames, fps, unit, ui.scale)
    imgui.same_line()
    if right < imgui.get_cursor_pos_x():
        imgui.new_line()  # never over the controls: on a narrow window it is left out
        imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() - imgui.get_style().item_spacing.y)
        return
    imgui.set_cursor_pos_x(right)
    imgui.text_disabled("frame")
    imgui.same_line()
    imgui.set_next_item_width(_WIDTH * unit)
    changed, value = imgui.input_int("##frame", int(frame), 0, 0, _ENTERED)
    if changed:
        state.issue(do.Seek(value))
    tooltip("type a frame and press Enter")
    imgui.same_line()
    imgui.text_disabled(f"/ {frames - 1}  ·  {frame / fps:.2f} s")


@lru_cache(maxsize=64)
def _room(frames: int, fps: float, font_size: float, scale: float) -> float:
    """What frame and time of a clip need at the most, up to the window's edge."""
    style, longest = imgui.get_style(), f"/ {frames - 1}  ·  {frames / fps:.2f} s"
    texts = imgui.calc_text_size("frame").x + imgui.calc_text_size(longest).x
    return _WIDTH * font_size + texts + 2 * style.item_spacing.x + style.window_padding.x


def _lane_height() -> float:
    return 3.3 * imgui.get_font_size()


def _lane(track: int, state: AppState, ui: Ui) -> None:
    """A ruler in frames with the labels below it; dragging scrubs, dragging an end trims."""
    entry = state.library.get(state.tracks[track].clip)
    unit, wide, high = imgui.get_font_size(), max(imgui.get_content_region_avail().x, 1.0), _lane_height()
    where, draw = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list()
    x, top = where.x, where.y
    split = state.scene.views > 1
    imgui.invisible_button(_LANES[track], _Point(wide, high))
    left, right, bottom = x + (3.0 * unit if split else 0.0), x + wide, top + high
    edge, rounding = ui.px(6), ui.px(4)
    inner = left + edge, max(right - edge, left + edge + 1.0)
    middle = top + 0.5 * (high - unit)
    draw.add_rect_filled(_Point(left, top), _Point(right, bottom), _GROUND, rounding)
    if split:
        draw.add_text(
            (x + ui.px(2), middle),
            colour32(theme.ACCENT if track == state.active else theme.FAINT),
            TRACKS[track],
        )
    if entry is None:
        hint = "choose a clip in the library" if track < 2 else "the result of a walk comes here, or any clip"
        draw.add_text((inner[0], middle), colour32(theme.FAINT), hint)
        if imgui.is_item_clicked():
            state.issue(do.TakeTrack(track))
        return
    if state.live is not None and entry.number == state.live.number:
        live_lane(track, state.live, state, ui, inner, (top, bottom))
        return
    last = max(len(entry.clip) - 1, 1)

    def at(frame: float) -> float:
        return inner[0] + (inner[1] - inner[0]) * frame / last

    for start, stop, place, text in _ruler(last, *inner, top, unit, ui.scale):
        draw.add_line(start, stop, colour32(theme.FAINT, 0.35))
        if text:
            draw.add_text(place, colour32(theme.FAINT), text)
    if entry.made:
        tall = 1.35 * unit
        pieces(draw, entry, inner, bottom - tall - ui.px(2), tall, ui)
        draw_blends(draw, entry, at, bottom - tall - ui.px(2), tall, ui)
    else:
        for corner, other, colour, place, size, text in _spans(entry, *inner, bottom, unit, ui.scale):
            draw.add_rect_filled(corner, other, colour, rounding)
            if text:
                draw.add_text(imgui.get_font(), size, place, colour32(theme.INK, 0.95), text)
    ends = _ends(left, at(entry.start), at(entry.stop - 1), right, top, bottom, ui.scale)
    for (corner, other), colour, radius in zip(
        ends,
        (
            colour32(theme.PAPER[0], 0.72),
            colour32(theme.PAPER[0], 0.72),
            colour32(theme.FAINT, 0.9),
            colour32(theme.FAINT, 0.9),
        ),
        (rounding, rounding, 1, 1),
    ):
        draw.add_rect_filled(corner, other, colour, radius)
    x, half = at(frame_of(state, track)), ui.px(5)
    tip = _Point(x, top)
    draw.add_line(tip, _Point(x, bottom), colour32(theme.ACCENT), ui.px(2))
    tip.y += 1.4 * half
    draw.add_triangle_filled(_Point(x - half, top), _Point(x + half, top), tip, colour32(theme.ACCENT))
    if drag_seam(track, entry, at, bottom - 1.35 * unit - ui.px(2), state, ui):
        return
    seam_menu(entry, at, state)
    _drag(track, entry, at, (inner[0], inner[1], last), state, ui)


@lru_cache(maxsize=64)
def _ends(left: float, start: float, stop: float, right: float, top: float, bottom: float, scale: float) -> list:
    """Corners of what lies before the part in use, of what lies after it, and of the two handles between."""
    half = 1.5 * scale
    spans = (left, start), (stop, right), (start - half, start + half), (stop - half, stop + half)
    return [(_Point(a, top), _Point(b, bottom)) for a, b in spans]


@lru_cache(maxsize=64)
def _ruler(last: int, left: float, right: float, top: float, high: float, scale: float) -> list:
    """A number every 1, 2 or 5 times ten frames, as far apart as there is room: ends of its line, its place and text;
    the same frame after frame."""
    step = last / max((right - left) / (90 * scale), 1.0)
    power = 10 ** math.floor(math.log10(max(step, 1.0)))
    step = max(int(next(m * power for m in (1, 2, 5, 10) if m * power >= step)), 1)
    found = []
    for frame in range(0, last + 1, step):
        x, text = left + (right - left) * frame / last, str(frame)
        text = text if x + 0.62 * high * len(text) < right else ""  # digits are that wide
        points = (x, top + 3 * scale), (x, top + 1.25 * high), (x + 3 * scale, top + scale)
        found.append((*(_Point(*point) for point in points), text))
    return found


@lru_cache(maxsize=4)
def _spans(entry: Entry, left: float, right: float, bottom: float, size: float, scale: float) -> list:
    """The labels as coloured bars with their names, where there is room; those of the same frames share one: corners,
    colour, and place, size and text of the name."""
    found = []
    rows = min(max((row for *_, row in entry.bars), default=0) + 1, 3)
    high, text_size = (1.3 if rows == 1 else 1.75 / rows) * size, (1.0 if rows == 1 else 0.78) * size
    last = max(len(entry.clip) - 1, 1)
    at = lambda frame: left + (right - left) * frame / last  # noqa: E731
    for words, start, stop, row in entry.bars:
        below = bottom - 3 * scale - row % 3 * high
        begin, end = at(start), at(min(stop, len(entry.clip) - 1))
        text, named = ", ".join(words), max(begin, at(entry.start))  # in the part that is played
        if rows == 3 or end - named <= imgui.calc_text_size(text).x + 10 * scale:
            text = ""
        place = _Point(named + 5 * scale, below - high + 0.5 * (high - text_size))
        corners = _Point(begin, below - high + 1), _Point(end, below)
        found.append((*corners, colour32(word_colour(words[0]), 0.42), place, text_size, text))
    return found


def _drag(
    track: int, entry: Entry, at: Callable[[float], float], span: tuple[float, float, int], state: AppState, ui: Ui
) -> None:
    """What the mouse does with the lane: an end of the part in use when it was caught, else the play head."""
    held = ui.drag is not None and ui.drag[1] == track
    if not (held or imgui.is_item_hovered() or imgui.is_item_activated()):
        return
    mouse = imgui.get_mouse_pos().x
    left, right, last = span
    frame = (mouse - left) / max(right - left, 1.0) * last
    near = ui.px(5)
    ends = {"start": at(entry.start), "stop": at(entry.stop - 1)}
    caught = next((name for name, x in ends.items() if abs(mouse - x) < near), None)
    # The play head wins where it stands on an end, so that a clip can be scrubbed from its first frame.
    if caught and abs(mouse - at(frame_of(state, track))) < near and not imgui.get_io().key_alt:
        caught = None
    if imgui.is_item_hovered() and caught and ui.drag is None:
        imgui.set_mouse_cursor(imgui.MouseCursor_.resize_ew)
    if imgui.is_item_activated():
        if track != state.active:
            state.issue(do.TakeTrack(track))
        ui.drag = (caught or "scrub", track)
        ui.resume = state.playback.playing and not caught
        if ui.resume:
            state.issue(do.Pause())
    if ui.drag is None or ui.drag[1] != track:
        if imgui.is_item_hovered():
            shown = min(max(round(frame), 0), last)
            about = described(entry, shown) if entry.made else ", ".join(entry.words_at(shown))
            imgui.set_tooltip(f"frame {shown}\n{about}" if about else f"frame {shown}")
        return
    kind = ui.drag[0]
    if imgui.is_item_active():
        if kind == "scrub":
            state.issue(do.Seek(frame, track))
        elif kind == "start":
            state.issue(do.Trim(entry.number, round(frame), entry.stop))
        else:
            state.issue(do.Trim(entry.number, entry.start, round(frame) + 1))
    else:
        if ui.resume:
            state.issue(do.Play())
        ui.drag, ui.resume = None, False


# Results in the timeline: pieces in the colour of the clip they came from, transitions hatched

Bar = tuple[float, float, int]  # x, x, colour

_MOST = 600  # bars; where there are more, what no eye can tell apart is joined
_HATCH = 5.0  # points between the lines of a transition
_LINES = colour32((0.05, 0.05, 0.06), 0.45)


@lru_cache(maxsize=8)
def _strip(
    made: Made, first: float, last: float, high: float, scale: float
) -> tuple[list[Bar], list[tuple[float, float, float, float]], list[tuple[float, str]]]:
    """Bars (x, x, colour), hatching lines (x, y, x, y) and words (x, text), from 0, 0 at the top left of the lane."""
    walk = made.walk
    width = last - first
    begins = np.asarray(walk.begins, float)
    ends = begins + (walk.steps["stop"] - walk.steps["start"])
    frames = max(len(walk) - 1, 1)
    x = [first + width * at / frames for at in (begins, ends, ends + walk.window)]
    pieces = [colour32(source_colour(walk.clips[clip]), 0.5) for clip in walk.steps["clip"].tolist()]
    costs = [colour32(theme.cost_colour(share), 0.9) for share in cost_shares(made).tolist()]
    bars = [(*span, colour) for span, colour in zip(zip(x[0].tolist(), x[1].tolist()), pieces)]
    seams = [(*span, colour) for span, colour in zip(zip(x[1].tolist(), x[2].tolist()), costs)]
    if len(bars) + len(seams) > _MOST:
        return _joined(bars, seams, first, last), [], []
    lines = []
    for left, right, _ in seams:
        for at in np.arange(left, right, _HATCH * scale).tolist():
            far = min(0.6 * high, right - at)
            lines.append((at, high, at + far, high - far / 0.6))
    words = []
    for (left, right, _), clip in zip(bars, walk.steps["clip"].tolist()):
        text = walk.clips[clip].name
        if right - left > imgui.calc_text_size(text).x + 8 * scale:
            words.append((left + 5 * scale, text))
    return bars + seams, lines, words


def _joined(bars: list[Bar], seams: list[Bar], first: float, last: float) -> list[Bar]:
    """A bar for every two pixels at most, in the colour of what is played there."""
    spans = sorted(bars + seams)
    edges, colours = np.array([span[0] for span in spans]), np.array([span[2] for span in spans])
    columns = np.arange(first, last, 2.0)
    shown = colours[np.maximum(np.searchsorted(edges, columns, side="right") - 1, 0)]
    cuts = np.flatnonzero(np.diff(shown, prepend=-1))
    stops = np.append(columns[cuts[1:]], last)
    return list(zip(columns[cuts].tolist(), stops.tolist(), shown[cuts].tolist()))


def pieces(draw: imgui.ImDrawList, entry: Entry, span: tuple[float, float], top: float, high: float, ui: Ui) -> None:
    """Draw them between `span` (x of the first frame and the last), `high` from y `top` down."""
    bars, lines, words = _strip(made_of(entry), span[0], span[1], high, ui.scale)
    bottom = top + high
    for left, right, colour in bars:
        draw.add_rect_filled((left, top), (max(right, left + 1.0), bottom), colour)
    for x, y, to, end in lines:
        draw.add_line((x, top + y), (to, top + end), _LINES)
    below = top + 0.5 * (high - imgui.get_font_size())
    for x, text in words:
        draw.add_text((x, below), colour32(theme.INK, 0.95), text)


def described(entry: Entry, frame: float) -> str:
    """What is played at a frame, for a tooltip."""
    made, walk = made_of(entry), made_of(entry).walk
    step = int(np.clip(np.searchsorted(walk.begins, frame, side="right") - 1, 0, len(walk.steps) - 1))
    clip, start, stop = walk.steps[step].tolist()
    into = int(frame - walk.begins[step])
    if into < stop - start or step >= len(walk.transitions):
        return f"step {step + 1}: {walk.clips[clip].name}, frame {made.file_frame(clip, start + into)}"
    jump = walk.transitions[step]
    names = walk.clips[jump["src"]].name, walk.clips[jump["dst"]].name
    frames = (made.file_frame(int(jump[end]), int(jump[f"{end}_frame"])) for end in ("src", "dst"))
    ends = " to ".join(f"{name} {frame}" for name, frame in zip(names, frames))
    return f"transition {step + 1}: {ends}, {jump['cost']:.2f} {made.unit}"


theme.KEPT.extend((_spans.cache_clear, _strip.cache_clear))
