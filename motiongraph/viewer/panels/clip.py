"""The clip in hand: what it is, its labels, the part in use, and what can be done with it."""

from functools import lru_cache

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import frame_of
from motiongraph.viewer.panels.widgets import action_button, colour32, field, icons, note, section, tooltip, word_colour

_CLAMPED = int(imgui.SliderFlags_.always_clamp)
_GROOVE, _IN_USE, _HEAD = colour32((0, 0, 0), 0.35), colour32(word_colour("walk"), 0.8), colour32((1, 1, 1))
_MIRROR, _EXPORT = f"{icons.ICON_FA_CLONE}  Mirror", f"{icons.ICON_FA_FILE_EXPORT}  Export"
_Point = imgui.ImVec2
_ALL_WIDE = _Point(-1, 0)


def clip_panel(state, ui) -> None:
    entry = state.entry
    if entry is None:
        note("Choose a clip in the library to see what it is.")
        return
    if entry.made and entry.made.live:
        note("A character is being led. When it is stopped, what it walked is kept among the clips made here.")
        return
    clip = entry.clip
    imgui.push_font(ui.fonts.bold, imgui.get_style().font_size_base)
    imgui.text(entry.name)
    imgui.pop_font()
    if entry.path:
        tooltip(str(entry.path))
    imgui.text_disabled(_told(len(clip), clip.fps, clip.duration, len(clip.skeleton)))
    if clip.first:
        imgui.text_disabled(f"opens with {clip.first} added pose{'s' if clip.first > 1 else ''}, left out")
    _labels(entry, state, ui)
    _trim(entry, state, ui)
    imgui.dummy(_Point(0, ui.px(2)))
    changed, used = imgui.checkbox("Use in graph", entry.used)
    if changed:
        state.issue(do.UseClip(entry.number, used))
    action_button(_MIRROR, "mirror", state, ui)
    imgui.same_line()
    action_button(_EXPORT, "export", state, ui)
    imgui.same_line()
    action_button(icons.ICON_FA_TRASH, "remove", state, ui)


@lru_cache(maxsize=8)
def _told(frames: int, fps: float, seconds: float, joints: int) -> str:
    return f"{frames} frames · {fps:g} Hz · {seconds:.2f} s · {joints} joints"


def _labels(entry, state, ui) -> None:
    section("Labels")
    _words(entry, state, ui)
    for index, (word, start, stop) in enumerate(entry.spans):
        if (start, stop) == (0, len(entry.clip)):
            continue
        imgui.push_id(index)
        imgui.text_colored((*word_colour(word), 1.0), icons.ICON_FA_SQUARE)
        imgui.same_line()
        size = imgui.get_frame_height()
        room = imgui.get_content_region_avail().x - size - imgui.get_style().item_spacing.x
        if imgui.selectable(f"{word}  {start} … {stop}", False, 0, (room, 0))[0]:
            state.issue(do.Seek(start))
        tooltip("click to go there")
        imgui.same_line()
        if imgui.small_button(icons.ICON_FA_XMARK):
            state.issue(do.RemoveLabel(entry.number, word, start, stop))
        tooltip("take this label off these frames")
        imgui.pop_id()
    imgui.set_next_item_width(0.5 * imgui.get_content_region_avail().x)
    _, ui.texts["part"] = imgui.input_text_with_hint("##part", "word for a part", ui.texts.get("part", ""))
    imgui.same_line()
    imgui.begin_disabled(not ui.texts["part"].strip() or not entry.trimmed)
    if imgui.button("Label part", _ALL_WIDE):
        here = {w for w, a, b in entry.spans if a <= entry.start and b >= entry.stop}
        words = tuple(here | {ui.texts["part"].strip()})
        state.issue(do.SetLabels(entry.number, words, entry.start, entry.stop))
    imgui.end_disabled()
    tooltip("trim the clip first: the word then holds for the frames in use only")


def _words(entry, state, ui) -> None:
    """A line for the words that hold everywhere. They belong to the clip they were typed for, whichever is in hand by
    the time they are complete."""
    number, had, typed = ui.labels
    if (number, had) != (entry.number, entry.everywhere):
        if number != entry.number and typed != had and state.library.get(number) is not None:
            state.issue(do.SetLabels(number, tuple(typed.split(",")), keep=True))
        number, had = entry.number, entry.everywhere
        typed = had
    imgui.push_id(number)  # another clip, another field: the keyboard does not stay in it
    imgui.set_next_item_width(-1)
    _, typed = imgui.input_text_with_hint("##labels", "walk, turn-left, …", typed)
    tooltip("words for all frames of the clip, with commas between them")
    if imgui.is_item_deactivated_after_edit():
        words = tuple(typed.split(","))
        state.issue(do.SetLabels(number, words, keep=True))
        had = typed = ", ".join(sorted({word.strip() for word in words} - {""}))
    ui.labels = number, had, typed
    imgui.pop_id()


def _trim(entry, state, ui) -> None:
    section("Trim")
    last = len(entry.clip)
    field("frames")
    changed, start, stop = imgui.drag_int_range2(
        "##trim", entry.start, entry.stop, 1.0, entry.clip.first, last, "%d", "%d", _CLAMPED
    )
    if changed:
        state.issue(do.Trim(entry.number, start, max(stop, start + 1)))
    third = _Point((imgui.get_content_region_avail().x - 2 * imgui.get_style().item_spacing.x) / 3, 0)
    action_button("begin here", "trim start", state, ui, third)
    imgui.same_line()
    action_button("end here", "trim end", state, ui, third)
    imgui.same_line()
    imgui.begin_disabled(not entry.trimmed)
    action_button("all", "untrim", state, ui, third)
    imgui.end_disabled()
    _bar(entry, frame_of(state), ui)


def _bar(entry, frame, ui) -> None:
    """The part in use within the whole, and where the play head is."""
    draw, where = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    wide, high = imgui.get_content_region_avail().x, ui.px(5)
    left, top, count = where.x, where.y, max(len(entry.clip), 1)
    bottom, scale = top + high, wide / count
    draw.add_rect_filled(where, _Point(left + wide, bottom), _GROOVE, high / 2)
    start, stop = left + scale * entry.start, left + scale * entry.stop
    draw.add_rect_filled(_Point(start, top), _Point(stop, bottom), _IN_USE, high / 2)
    x = left + scale * frame
    draw.add_rect_filled(_Point(x - 1, top - 2), _Point(x + 1, bottom + 2), _HEAD)
    imgui.dummy(_Point(wide, high + ui.px(4)))
