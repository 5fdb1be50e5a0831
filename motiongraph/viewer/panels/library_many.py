"""Many clips of the library at once: the menu of the right button, and the Clip panel while several are chosen."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.library.many import chosen_clips
from motiongraph.app.state import AppState
from motiongraph.viewer.panels.widgets import action_item, field, icons, note, section, tooltip

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry, Library
    from motiongraph.viewer.ui import Ui

_LISTED = 8  # words of many clips that are listed
_ENTERED = int(imgui.InputTextFlags_.enter_returns_true)


def clip_menu(entry: Entry, shown: tuple[int, ...], state: AppState, ui: Ui) -> None:
    """What can be done with a clip, or with all that are chosen where it is one of them; shown: all in the list."""
    many = chosen_clips(state)
    numbers = many if entry.number in many else (entry.number,)
    several = f" {len(numbers)} clips" if len(numbers) > 1 else ""
    if len(numbers) == 1:
        for track, name in enumerate(("A", "B", "the result")):
            if imgui.menu_item(f"Show as {name}", "", state.tracks[track].clip == entry.number)[0]:
                if track >= state.scene.views:
                    state.issue(do.Split(track + 1))
                state.issue(do.SelectClip(entry.number, track))
        imgui.separator()
    if _item(f"Tick{several}"):
        state.issue(do.UseClips(numbers, True))
    if _item(f"Untick{several}"):
        state.issue(do.UseClips(numbers, False))
    if _item("Tick only these" if several else "Tick only this one"):
        state.issue(do.UseClips(numbers, True, only=True))
    if imgui.begin_menu("Label"):
        _new_word("menu", numbers, state, ui)
        for word, _ in _summary(state.library, state.library.version, numbers)[1]:
            if _item(f"No longer {word}"):
                state.issue(do.LabelClips(numbers, word, False))
        imgui.end_menu()
    if _item("Use all frames"):
        state.issue(do.TrimClips(numbers))
    imgui.separator()
    if _item("Choose all in the list"):
        state.issue(do.SelectClip(entry.number))
        state.issue(do.ChooseClips(shown))
    if len(numbers) == 1:
        if _item("Add mirrored"):
            state.issue(do.MirrorClip(entry.number))
        if state.entry is entry:
            action_item("export", state, ui)
        if entry.path is not None and _item("Copy the path of its file"):
            imgui.set_clipboard_text(str(entry.path))
    imgui.separator()
    if _item(f"Remove{several}"):
        state.issue(do.RemoveClips(numbers))


def _item(text: str) -> bool:
    return imgui.menu_item(text, "", False)[0]


@lru_cache(maxsize=1)
def _summary(library: Library, version: int, numbers: tuple[int, ...]) -> tuple[str, list[tuple[str, int]]]:
    """Many clips in words, and the labels that most of them have with how many do; until the library changes."""
    counts: Counter[str] = Counter()
    seconds, ticked = 0.0, 0
    for entry in (library[number] for number in numbers):
        counts.update(set(entry.clip.labels))
        seconds, ticked = seconds + (entry.stop - entry.start) / entry.clip.fps, ticked + entry.used
    return f"{seconds:,.1f} s in use · {ticked} ticked", counts.most_common(_LISTED)


def _new_word(name: str, numbers: tuple[int, ...], state: AppState, ui: Ui) -> None:
    imgui.set_next_item_width(10 * imgui.get_font_size())
    key = f"word {name}"
    entered, ui.texts[key] = imgui.input_text_with_hint(f"##{key}", "word", ui.texts.get(key, ""), _ENTERED)
    imgui.same_line()
    if (imgui.button("Add") or entered) and ui.texts[key].strip():
        state.issue(do.LabelClips(numbers, ui.texts[key]))
        ui.texts[key] = ""


def many_clips(numbers: tuple[int, ...], state: AppState, ui: Ui) -> None:
    """The Clip panel for several clips."""
    said, words = _summary(state.library, state.library.version, numbers)
    imgui.push_font(ui.fonts.bold, imgui.get_style().font_size_base)
    imgui.text(f"{len(numbers)} clips")
    imgui.pop_font()
    imgui.text_disabled(said)
    if imgui.button("Tick"):
        state.issue(do.UseClips(numbers, True))
    imgui.same_line()
    if imgui.button("Untick"):
        state.issue(do.UseClips(numbers, False))
    imgui.same_line()
    if imgui.button("Tick only these"):
        state.issue(do.UseClips(numbers, True, only=True))
    count = min(max(int(ui.texts.get("best clips") or 20), 1), len(numbers))
    imgui.set_next_item_width(6 * imgui.get_font_size())
    _, count = imgui.drag_int("##best clips", count, 0.2, 1, len(numbers), "%d clips")
    ui.texts["best clips"] = str(count)
    imgui.same_line()
    if imgui.button("Tick the best"):
        state.issue(do.TickBest(numbers, count))
    tooltip("those that together cover speeds and turns best, and no others")
    section("Labels")
    _new_word("panel", numbers, state, ui)
    for word, having in words:
        if imgui.small_button(f"{icons.ICON_FA_XMARK}##{word}"):
            state.issue(do.LabelClips(numbers, word, False))
        tooltip("take this label off all of them")
        imgui.same_line()
        imgui.text(f"{word}  {having} of {len(numbers)}")
    section("Trim")
    cut = [float(ui.texts.get(f"cut {end}") or 0.0) for end in ("start", "end")]
    for i, end in enumerate(("start", "end")):
        field(f"at the {end}")
        _, cut[i] = imgui.drag_float(f"##cut {end}", cut[i], 0.01, 0.0, 60.0, "%.2f s")
        ui.texts[f"cut {end}"] = str(cut[i])
    if imgui.button("Leave these out"):
        state.issue(do.TrimClips(numbers, cut[0], cut[1]))
    tooltip("so much of every clip, at both ends")
    imgui.same_line()
    if imgui.button("Use all frames"):
        state.issue(do.TrimClips(numbers))
    section("")
    if imgui.button(f"{icons.ICON_FA_TRASH}  Remove {len(numbers)} clips", (-1, 0)):
        state.issue(do.RemoveClips(numbers))
    note("Click with Ctrl to choose more or fewer, with Shift for all between.")
