"""The timeline: transport, speed, how the root goes, and a lane for every track that is scrubbed with the mouse."""

import math
from functools import lru_cache

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import FASTEST, ROOTS, SLOWEST, TRACKS, frame_of
from motiongraph.app.scene import visible_tracks
from motiongraph.viewer import theme
from motiongraph.viewer.panels.menu import ROOT_NAMES
from motiongraph.viewer.panels.pieces import pieces, told
from motiongraph.viewer.panels.widgets import action_button, colour32, icons, tooltip, word_colour

_LOOP_ICONS = {
    "loop": icons.ICON_FA_REPEAT,
    "ping-pong": icons.ICON_FA_RIGHT_LEFT,
    "once": icons.ICON_FA_ARROW_RIGHT_LONG,
}

_SPEED = int(imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp)
_FAINT, _LINE = colour32(theme.FAINT), colour32(theme.FAINT, 0.35)


def timeline_panel(state, ui) -> None:
    _transport(state, ui)
    for track in visible_tracks(state):
        _lane(track, state, ui)


def height(state, ui) -> float:
    """What the panel needs, in screen coordinates."""
    style = imgui.get_style()
    lanes = len(visible_tracks(state)) * (_lane_height(ui) + style.item_spacing.y)
    return imgui.get_frame_height_with_spacing() + lanes + 2 * style.window_padding.y


def _transport(state, ui) -> None:
    playback, size = state.playback, imgui.ImVec2(2.3 * imgui.get_font_size(), 0)
    play = icons.ICON_FA_PAUSE if playback.playing else icons.ICON_FA_PLAY
    for icon, name in (
        (icons.ICON_FA_BACKWARD_FAST, "start"),
        (icons.ICON_FA_BACKWARD_STEP, "step back"),
        (play, "play"),
        (icons.ICON_FA_FORWARD_STEP, "step"),
        (icons.ICON_FA_FORWARD_FAST, "end"),
    ):
        action_button(icon, name, state, ui, size)
        imgui.same_line(0, ui.px(3))
    imgui.same_line(0, ui.px(12))
    action_button(_LOOP_ICONS[playback.loop], "loop", state, ui, size)
    imgui.same_line(0, ui.px(3))
    action_button(icons.ICON_FA_BACKWARD, "reverse", state, ui, size)
    imgui.same_line(0, ui.px(12))
    imgui.set_next_item_width(4.5 * imgui.get_font_size())
    changed, speed = imgui.drag_float("##speed", playback.speed, 0.01, SLOWEST, FASTEST, "× %.2f", _SPEED)
    if changed:
        state.issue(do.SetSpeed(speed))
    if imgui.is_item_clicked(imgui.MouseButton_.right):
        state.issue(do.SetSpeed(1.0))
    tooltip("speed, 0.1 to 4 times: drag, double-click to type, right click for normal")
    imgui.same_line(0, ui.px(12))
    _root(state, ui)
    _where(state, ui)


def _root(state, ui) -> None:
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


def _where(state, ui) -> None:
    """The frame, as a number to be typed over, and the time; at the right end."""
    entry = state.entry
    if entry is None:
        return
    frame, fps = frame_of(state), entry.clip.fps
    tail = f"/ {len(entry.clip) - 1}  ·  {frame / fps:.2f} s"
    room = f"/ {len(entry.clip) - 1}  ·  {len(entry.clip) / fps:.2f} s"
    width = 4.6 * imgui.get_font_size()
    style = imgui.get_style()
    wanted = width + imgui.calc_text_size("frame").x + imgui.calc_text_size(room).x + 2 * style.item_spacing.x
    right = imgui.get_window_width() - style.window_padding.x - wanted
    imgui.same_line()
    if right < imgui.get_cursor_pos_x():
        imgui.new_line()  # never over the controls: on a narrow window it is left out
        imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() - imgui.get_style().item_spacing.y)
        return
    imgui.set_cursor_pos_x(right)
    imgui.text_disabled("frame")
    imgui.same_line()
    imgui.set_next_item_width(width)
    changed, value = imgui.input_int("##frame", int(frame), 0, 0, imgui.InputTextFlags_.enter_returns_true)
    if changed:
        state.issue(do.Seek(value))
    tooltip("type a frame and press Enter")
    imgui.same_line()
    imgui.text_disabled(tail)


def _lane_height(ui) -> float:
    return 3.3 * imgui.get_font_size()


def _lane(track: int, state, ui) -> None:
    """A ruler in frames with the labels below it; dragging scrubs, dragging an end trims."""
    entry = state.library.get(state.tracks[track].clip)
    wide, high = max(imgui.get_content_region_avail().x, 1.0), _lane_height(ui)
    where, draw = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list()
    split = state.scene.views > 1
    imgui.invisible_button(f"lane {track}", (wide, high))
    left = where.x + (3.0 * imgui.get_font_size() if split else 0.0)
    edge = ui.px(6)
    inner = left + edge, max(where.x + wide - edge, left + edge + 1.0)
    rounding = ui.px(4)
    active = track == state.active
    draw.add_rect_filled((left, where.y), (where.x + wide, where.y + high), colour32((0, 0, 0), 0.28), rounding)
    if split:
        colour = theme.ACCENT if active else theme.FAINT
        at_middle = where.x + ui.px(2), where.y + 0.5 * (high - imgui.get_font_size())
        draw.add_text(at_middle, colour32(colour), TRACKS[track])
    if entry is None:
        hint = "choose a clip in the library" if track < 2 else "the result of a walk comes here, or any clip"
        draw.add_text((inner[0], where.y + 0.5 * (high - imgui.get_font_size())), colour32(theme.FAINT), hint)
        if imgui.is_item_clicked():
            state.issue(do.TakeTrack(track))
        return
    if state.leading is not None and entry.number == state.leading.number:
        text = f"live, {state.leading.seconds:.1f} s so far: Stop (Shift+W) keeps it as a result"
        draw.add_text((inner[0], where.y + 0.5 * (high - imgui.get_font_size())), colour32(theme.GOOD), text)
        return
    last = max(len(entry.clip) - 1, 1)

    def at(frame):
        return inner[0] + (inner[1] - inner[0]) * frame / last

    for start, stop, place, text in _ruler(last, *inner, where.y, imgui.get_font_size(), ui.scale):
        draw.add_line(start, stop, _LINE)
        if text:
            draw.add_text(place, _FAINT, text)
    if entry.made:
        tall = 1.35 * imgui.get_font_size()
        pieces(draw, entry, inner, where.y + high - tall - ui.px(2), tall, ui)
    else:
        _spans(draw, entry, at, where.y + high, ui)
    dim = colour32((0.086, 0.094, 0.110), 0.72)
    draw.add_rect_filled((left, where.y), (at(entry.start), where.y + high), dim, rounding)
    draw.add_rect_filled((at(entry.stop - 1), where.y), (where.x + wide, where.y + high), dim, rounding)
    for frame in (entry.start, entry.stop - 1):
        x = at(frame)
        draw.add_rect_filled((x - ui.px(1.5), where.y), (x + ui.px(1.5), where.y + high), colour32(theme.FAINT, 0.9), 1)
    x = at(frame_of(state, track))
    colour = colour32(theme.ACCENT)
    draw.add_line((x, where.y), (x, where.y + high), colour, ui.px(2))
    half = ui.px(5)
    draw.add_triangle_filled((x - half, where.y), (x + half, where.y), (x, where.y + 1.4 * half), colour)
    _drag(track, entry, at, (inner[0], inner[1], last), state, ui)


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
        found.append((*(imgui.ImVec2(*point) for point in points), text))
    return found


def _spans(draw, entry, at, bottom, ui) -> None:
    """The labels as coloured bars with their names, where there is room; those of the same frames share one."""
    bars = entry.bars
    if not bars:
        return
    size = imgui.get_font_size()
    rows = min(max(row for *_, row in bars) + 1, 3)
    high, text_size = (1.3 if rows == 1 else 1.75 / rows) * size, (1.0 if rows == 1 else 0.78) * size
    for words, start, stop, row in bars:
        below = bottom - ui.px(3) - row % 3 * high
        left, right = at(start), at(min(stop, len(entry.clip) - 1))
        colour = colour32(word_colour(words[0]), 0.42)
        draw.add_rect_filled((left, below - high + 1), (right, below), colour, ui.px(3))
        text, left = ", ".join(words), max(left, at(entry.start))  # in the part that is played
        if rows < 3 and right - left > imgui.calc_text_size(text).x + ui.px(10):
            place = left + ui.px(5), below - high + 0.5 * (high - text_size)
            draw.add_text(imgui.get_font(), text_size, place, colour32(theme.INK, 0.95), text)


def _drag(track, entry, at, span, state, ui) -> None:
    """What the mouse does with the lane: an end of the part in use when it was caught, else the play head."""
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
            about = told(entry, shown) if entry.made else ", ".join(entry.words_at(shown))
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
