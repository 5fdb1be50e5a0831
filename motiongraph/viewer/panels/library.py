"""The library, clips grouped by skeleton; and the active clip: its labels, the part in use, and what to do with it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.library.many import chosen_clips
from motiongraph.app.playback import frame_of
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.panels.library_file import file_line
from motiongraph.viewer.panels.library_many import clip_menu, many_clips
from motiongraph.viewer.panels.widgets import (
    action_button,
    colour32,
    field,
    icons,
    note,
    section,
    tooltip,
    word_colour,
)

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry

    Groups = list[tuple[str, list[Entry]]]  # title, its clips
    from motiongraph.viewer.ui import Ui

_SPAN = int(imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap)
_TABLE = int(imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.row_bg | imgui.TableFlags_.pad_outer_x)
_TREE = int(
    imgui.TreeNodeFlags_.default_open
    | imgui.TreeNodeFlags_.span_avail_width
    | imgui.TreeNodeFlags_.no_tree_push_on_open
)
_STRETCH, _PADDING = int(imgui.TableColumnFlags_.width_stretch), int(imgui.StyleVar_.frame_padding)
_TEXT = int(imgui.Col_.text)
_OPENING = (
    (icons.ICON_FA_FILE, "open"),
    (icons.ICON_FA_FOLDER_OPEN, "open folder"),
    (icons.ICON_FA_CLOUD_ARROW_DOWN, "fetch"),
)


def library_panel(state: AppState, ui: Ui) -> None:
    _buttons(state, ui)
    if not len(state.library):
        imgui.dummy((0, ui.px(8)))
        note("No clips yet. Open or drop .bvh, .amc or .glb files, or whole folders, on this window.")
        imgui.dummy((0, ui.px(2)))
        if imgui.button(f"{icons.ICON_FA_PERSON_WALKING}  Open the samples", (-1, 0)):
            state.issue(do.OpenSamples())
        if imgui.button(f"{icons.ICON_FA_CLOUD_ARROW_DOWN}  Get CMU clips…", (-1, 0)):
            state.issue(do.ShowPanel("fetch", True))
        if state.library.orphans:
            _orphans(state, ui)
        return
    filtered = _filter(state, ui)
    if state.library.orphans:
        _orphans(state, ui)
    imgui.begin_child("clips")
    groups = state.library.found(filtered)
    for title, entries in groups:
        _group(title, entries, groups, state, ui)
    imgui.end_child()
    if ui.texts.get("context"):
        imgui.open_popup("clip")
        ui.texts["menu of"] = ui.texts.pop("context")
    if imgui.begin_popup("clip"):
        entry = state.library.get(int(ui.texts["menu of"]))
        if entry is not None:
            clip_menu(entry, _numbers(groups), state, ui)
        imgui.end_popup()


def _numbers(groups: Groups) -> tuple[int, ...]:
    """Of the clips that are shown, in order."""
    return tuple(entry.number for _, entries in groups for entry in entries)


def _buttons(state: AppState, ui: Ui) -> None:
    for icon, name in _OPENING:
        action_button(icon, name, state, ui)
        imgui.same_line()
    if len(state.library):
        used, text = state.library.used, ui.texts.get("filter", "").strip().lower()
        if imgui.button(icons.ICON_FA_LIST_CHECK):
            shown = [entry for _, entries in state.library.found(text) for entry in entries]
            numbers = tuple(entry.number for entry in shown)
            state.issue(do.UseClips(numbers, not all(entry.used for entry in shown)))
        tooltip("Tick what the filter shows, or none of it" if text else "Tick all clips, or none")
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(f"{used} of {len(state.library)}")
        tooltip("clips that are ticked: they take part in graphs and crowds")


def _orphans(state: AppState, ui: Ui) -> None:
    """AMC files that could not be opened for want of their skeleton."""
    files = state.library.orphans
    note(f"{files[0].name}{f' and {len(files) - 1} more' if len(files) > 1 else ''}: its skeleton (.asf) is not known")
    if imgui.button("Choose .asf…"):
        ui.dialogs.ask("missing skeleton", state)
    imgui.same_line()
    if imgui.button(f"{icons.ICON_FA_XMARK}##orphans"):
        state.issue(do.GiveSkeleton(None))
    tooltip("\n".join(["leave them", *map(str, files[:12])]))


def _filter(state: AppState, ui: Ui) -> str:
    if len(state.library) < 8:
        return ""
    imgui.set_next_item_width(-1)
    text = ui.texts.get("filter", "")
    _, ui.texts["filter"] = imgui.input_text_with_hint("##filter", "find by name, label or description", text)
    return ui.texts["filter"].strip().lower()


def _group(title: str, entries: list[Entry], groups: Groups, state: AppState, ui: Ui) -> None:
    imgui.push_style_color(_TEXT, colour32(theme.FAINT))
    is_open = imgui.tree_node_ex(title, _TREE)
    imgui.pop_style_color()
    if not is_open:
        return
    if not imgui.begin_table(title, 3, _TABLE):
        return
    imgui.table_setup_column("use")
    imgui.table_setup_column("name", _STRETCH)
    imgui.table_setup_column("seconds")
    imgui.push_style_var(_PADDING, imgui.ImVec2(ui.px(2), 0))
    clipper = imgui.ListClipper()
    clipper.begin(len(entries))
    chosen = state.tracks[state.active].clip
    fresh = ui.texts.get("chosen") != str(chosen)  # it is brought into sight once
    index = next((i for i, e in enumerate(entries) if e.number == chosen), None) if fresh else None
    if index is not None:
        clipper.include_item_by_index(index)
    while clipper.step():
        for entry in entries[clipper.display_start : clipper.display_end]:
            _row(entry, groups, state, ui)
            if entry.number == chosen and fresh:
                ui.texts["chosen"] = str(chosen)
                if not imgui.is_item_visible():
                    imgui.set_scroll_here_y(0.5)
    imgui.pop_style_var()
    imgui.end_table()


def _row(entry: Entry, groups: Groups, state: AppState, ui: Ui) -> None:
    imgui.push_id(entry.number)
    imgui.table_next_row()
    imgui.table_next_column()
    io = imgui.get_io()
    changed, used = imgui.checkbox("##use", entry.used)
    if changed:
        state.issue(do.TickClip(entry.number, used, _numbers(groups) if io.key_shift else ()))
    imgui.table_next_column()
    active, many = state.tracks[state.active].clip, state.library.chosen
    chosen = active == entry.number or (entry.number in many and active in many)
    label = entry.name
    if state.scene.views > 1:
        marks = "".join("ABR"[t] for t in range(state.scene.views) if state.tracks[t].clip == entry.number)
        label = f"{label}  {marks}##clip"
    if imgui.selectable(label, chosen, _SPAN)[0]:
        how = "range" if io.key_shift else "add" if io.key_ctrl else "only"
        state.issue(do.ChooseClip(entry.number, how, _numbers(groups) if how == "range" else ()))
        if how == "only" or active not in many:
            state.issue(do.SelectClip(entry.number))
    if imgui.is_item_hovered():
        tooltip(_described(entry))
        if imgui.is_mouse_clicked(imgui.MouseButton_.right):
            ui.texts["context"] = str(entry.number)
    imgui.table_next_column()
    imgui.text_disabled(entry.lasting)
    imgui.pop_id()


def _described(entry: Entry) -> str:
    lines = [entry.name, f"{len(entry.clip)} frames · {entry.clip.fps:g} Hz · {entry.clip.duration:.2f} s"]
    if entry.trimmed:
        lines.append(f"trimmed to {entry.start} … {entry.stop}")
    lines += [text for text in (entry.words, entry.description) if text]
    if entry.path:
        lines.append(str(entry.path))
    return "\n".join(lines)


# The active clip

_CLAMPED = int(imgui.SliderFlags_.always_clamp)
_GROOVE = colour32((0, 0, 0), 0.35)
_MIRROR, _EXPORT = f"{icons.ICON_FA_CLONE}  Mirror", f"{icons.ICON_FA_FILE_EXPORT}  Export"
_Point = imgui.ImVec2
_ALL_WIDE = _Point(-1, 0)


def clip_panel(state: AppState, ui: Ui) -> None:
    entry, many = state.entry, chosen_clips(state)
    if entry is None:
        note("Choose a clip in the library to see what it is.")
        return
    if len(many) > 1:
        many_clips(many, state, ui)
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
    file_line(entry, state, ui)
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


def _labels(entry: Entry, state: AppState, ui: Ui) -> None:
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
    _proposed(entry, state, ui)


def _proposed(entry: Entry, state: AppState, ui: Ui) -> None:
    """What the motion looks like, faint until it is accepted."""
    proposed = state.library.proposed.get(entry.number)
    if proposed is None:
        if imgui.button(f"{icons.ICON_FA_WAND_MAGIC_SPARKLES}  Propose", _ALL_WIDE):
            state.issue(do.ProposeLabels(entry.number))
        tooltip("look at speed, turning, posture and feet, and propose labels for the stretches of this clip")
        return
    for index, word in enumerate(proposed):
        share = float(proposed.at(word)[entry.clip.first :].mean())
        imgui.push_id(1000 + index)
        if imgui.small_button(icons.ICON_FA_CHECK):
            state.issue(do.AcceptLabels(entry.number, word))
        tooltip("accept this label")
        imgui.same_line()
        if imgui.small_button(icons.ICON_FA_XMARK):
            state.issue(do.DismissLabels(entry.number, word))
        tooltip("drop this proposal")
        imgui.same_line()
        imgui.text_disabled(f"{word}?  {share:.0%} of the frames")
        imgui.pop_id()
    if imgui.button("Accept all"):
        state.issue(do.AcceptLabels(entry.number))
    imgui.same_line()
    if imgui.button("Drop all"):
        state.issue(do.DismissLabels(entry.number))


def _words(entry: Entry, state: AppState, ui: Ui) -> None:
    """A line for the words that hold everywhere. They belong to the clip they were typed for, whichever is active by
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


def _trim(entry: Entry, state: AppState, ui: Ui) -> None:
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


def _bar(entry: Entry, frame: float, ui: Ui) -> None:
    """The part in use within the whole, and where the play head is."""
    draw, where = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    wide, high = imgui.get_content_region_avail().x, ui.px(5)
    left, top, count = where.x, where.y, max(len(entry.clip), 1)
    bottom, scale = top + high, wide / count
    draw.add_rect_filled(where, _Point(left + wide, bottom), _GROOVE, high / 2)
    start, stop = left + scale * entry.start, left + scale * entry.stop
    draw.add_rect_filled(_Point(start, top), _Point(stop, bottom), colour32(word_colour("walk"), 0.8), high / 2)
    x = left + scale * frame
    draw.add_rect_filled(_Point(x - 1, top - 2), _Point(x + 1, bottom + 2), colour32(theme.INK))
    imgui.dummy(_Point(wide, high + ui.px(4)))
