"""The clip in hand: what it is, its labels, the part in use, and what can be done with it."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import frame_of
from motiongraph.viewer.panels.widgets import action_button, colour32, field, icons, note, section, tooltip, word_colour


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
    imgui.text_disabled(f"{len(clip)} frames · {clip.fps:g} Hz · {clip.duration:.2f} s · {len(clip.skeleton)} joints")
    if clip.first:
        imgui.text_disabled(f"opens with {clip.first} added pose{'s' if clip.first > 1 else ''}, left out")
    _labels(entry, state, ui)
    _trim(entry, state, ui)
    imgui.dummy((0, ui.px(2)))
    changed, used = imgui.checkbox("Use in graph", entry.used)
    if changed:
        state.issue(do.UseClip(entry.number, used))
    action_button(f"{icons.ICON_FA_CLONE}  Mirror", "mirror", state, ui)
    imgui.same_line()
    action_button(f"{icons.ICON_FA_FILE_EXPORT}  Export", "export", state, ui)
    imgui.same_line()
    action_button(icons.ICON_FA_TRASH, "remove", state, ui)


def _labels(entry, state, ui) -> None:
    section("Labels")
    everywhere = ", ".join(word for word, start, stop in entry.spans if (start, stop) == (0, len(entry.clip)))
    name = f"labels {entry.number} {everywhere}"
    text = ui.texts.get("labels", "")
    if ui.texts.get("labels of") != name:
        text, ui.texts["labels of"] = everywhere, name
    imgui.set_next_item_width(-1)
    _, ui.texts["labels"] = imgui.input_text_with_hint("##labels", "walk, turn-left, …", text)
    tooltip("words for all frames of the clip, with commas between them")
    if imgui.is_item_deactivated_after_edit():
        state.issue(do.SetLabels(entry.number, tuple(ui.texts["labels"].split(",")), keep=True))
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
    if imgui.button("Label part", (-1, 0)):
        here = {w for w, a, b in entry.spans if a <= entry.start and b >= entry.stop}
        words = tuple(here | {ui.texts["part"].strip()})
        state.issue(do.SetLabels(entry.number, words, entry.start, entry.stop))
    imgui.end_disabled()
    tooltip("trim the clip first: the word then holds for the frames in use only")


def _trim(entry, state, ui) -> None:
    section("Trim")
    last = len(entry.clip)
    field("frames")
    changed, start, stop = imgui.drag_int_range2(
        "##trim", entry.start, entry.stop, 1.0, entry.clip.first, last, "%d", "%d", imgui.SliderFlags_.always_clamp
    )
    if changed:
        state.issue(do.Trim(entry.number, start, max(stop, start + 1)))
    third = (imgui.get_content_region_avail().x - 2 * imgui.get_style().item_spacing.x) / 3
    action_button("begin here", "trim start", state, ui, (third, 0))
    imgui.same_line()
    action_button("end here", "trim end", state, ui, (third, 0))
    imgui.same_line()
    imgui.begin_disabled(not entry.trimmed)
    action_button("all", "untrim", state, ui, (third, 0))
    imgui.end_disabled()
    _bar(entry, frame_of(state), ui)


def _bar(entry, frame, ui) -> None:
    """The part in use within the whole, and where the play head is."""
    draw, where = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    wide, high = imgui.get_content_region_avail().x, ui.px(5)
    draw.add_rect_filled(where, (where.x + wide, where.y + high), colour32((0, 0, 0), 0.35), high / 2)
    count = max(len(entry.clip), 1)
    left, right = (where.x + wide * f / count for f in (entry.start, entry.stop))
    draw.add_rect_filled((left, where.y), (right, where.y + high), colour32(word_colour("walk"), 0.8), high / 2)
    x = where.x + wide * frame / count
    draw.add_rect_filled((x - 1, where.y - 2), (x + 1, where.y + high + 2), colour32((1, 1, 1)))
    imgui.dummy((wide, high + ui.px(4)))
