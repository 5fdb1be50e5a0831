"""Guidance: all shortcuts, the first-run hint, the frame being typed, and getting clips from CMU."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind
from motiongraph.app.path.verdict import verdict
from motiongraph.app.state import AppState
from motiongraph.app.walk.results import made_of, results
from motiongraph.viewer import theme
from motiongraph.viewer.actions import ACTIONS, MOUSE
from motiongraph.viewer.keys import shown
from motiongraph.viewer.panels.path_kept import help_buttons
from motiongraph.viewer.panels.widgets import OVERLAY, field, icons, note, section, tooltip

if TYPE_CHECKING:
    from motiongraph.app.command import Command
    from motiongraph.viewer.action import Action
    from motiongraph.viewer.ui import Ui

_STRIP = 510.0  # points of width that the steps need beside one another
Step = tuple[bool, str, str, "Command | None"]  # done, what it is about, word on its button, its command


def _listed(actions: Iterable[Action]) -> list[tuple[str, str]]:
    """(keys, what they do) of those that have any; a family has one line."""
    lines = ((a.family[0] if a.family else a.keys[0], a.family[1] if a.family else a.text) for a in actions if a.keys)
    return [(shown(keys), text) for keys, text in dict.fromkeys(lines)]


def _lines() -> list[tuple[str, list[tuple[str, str]]]]:
    """(title, its lines) of every menu, and of the mouse."""
    return [
        *((name, _listed(found)) for name, found in groupby(ACTIONS.values(), lambda action: action.group)),
        ("Mouse", [(shown(keys), text) for keys, text in MOUSE]),
    ]


_MORE = "Drag orbits, the wheel zooms, ? lists every key. Drop your own .bvh or .amc files here."


def shortcuts_window(state: AppState, ui: Ui) -> None:
    """All keys in columns, by menu; the mouse below."""
    view = imgui.get_main_viewport()
    imgui.set_next_window_pos(view.get_center(), imgui.Cond_.appearing, (0.5, 0.5))
    wide = min(0.96 * view.size.x, ui.px(1240))
    imgui.set_next_window_size((wide, min(0.94 * view.size.y, ui.px(760))), imgui.Cond_.appearing)
    flags = imgui.WindowFlags_.no_docking | imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_saved_settings
    visible, kept = imgui.begin("Keyboard and mouse", True, flags)
    if visible:
        columns = min(max(int(imgui.get_content_region_avail().x / ui.px(285)), 1), 4)
        if imgui.begin_table("columns", columns):
            imgui.table_next_row()
            imgui.table_next_column()
            listed = _lines()
            rows = sum(2 + len(lines) for _, lines in listed)
            filled = 0
            for name, lines in listed:
                if filled and filled + 0.5 * len(lines) > rows / columns:
                    imgui.table_next_column()
                    filled = 0
                filled += 2 + _keys(name, lines, ui)
            imgui.end_table()
    imgui.end()
    if not kept or imgui.is_key_pressed(imgui.Key.escape):
        state.issue(do.ShowPanel("shortcuts", False))


def _keys(title: str, lines: Sequence[tuple[str, str]], ui: Ui) -> int:
    section(title)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (ui.px(6), ui.px(1)))
    if imgui.begin_table(title, 2, imgui.TableFlags_.sizing_stretch_prop):
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch, 1.0)
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch, 1.7)
        for keys, text in lines:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.push_style_color(imgui.Col_.text, theme.ACCENT)
            imgui.text_wrapped(keys)
            imgui.pop_style_color()
            imgui.table_next_column()
            imgui.text_wrapped(text)
        imgui.end_table()
    imgui.pop_style_var()
    return len(lines)


def hint_overlay(state: AppState, ui: Ui) -> None:
    """From clips to a character on a path in four steps that tick themselves, in a corner of the scene."""
    x, y, width, height = ui.scene
    explaining = state.why.reason is not None  # in a window that stands in the same corner
    if not state.hint or explaining or width < ui.px(340) or height < ui.px(230):
        return
    imgui.set_next_window_pos((x + ui.px(14), y + height - ui.px(14)), imgui.Cond_.always, (0.0, 1.0))
    imgui.set_next_window_bg_alpha(0.9)
    imgui.begin("hint", None, OVERLAY)
    steps = _steps(state)
    now = next((index for index, step in enumerate(steps) if not step[0]), len(steps))
    small = width < ui.px(820) or height < ui.px(640)  # no more than the steps, so that the character can be seen
    if now == len(steps):
        _done(state, ui)  # above the buttons: the card grows upwards, and they stay under the pointer
    if small and width >= ui.px(_STRIP):
        _strip(steps, now, state, ui)
        imgui.end()
        return
    imgui.push_font(ui.fonts.bold, imgui.get_style().font_size_base)
    imgui.text("Make a character walk where you draw")
    imgui.pop_font()
    for index, step in enumerate(steps):
        _step(index, step, index == now, state, ui)
    if not small:
        imgui.push_text_wrap_pos(ui.px(320))
        imgui.text_disabled(_MORE)
        imgui.pop_text_wrap_pos()
    if imgui.button("Hide this guide"):
        state.issue(do.DismissHint())
    tooltip("the Help menu brings it back")
    imgui.end()


def _strip(steps: Sequence[Step], now: int, state: AppState, ui: Ui) -> None:
    """The same steps beside one another, along the lower edge of a small scene."""
    for index, (word, step) in enumerate(zip(("Clips", "Graph", "Path", "Walk"), steps)):
        imgui.begin_group()
        imgui.align_text_to_frame_padding()
        _tick(index, step, index == now)
        imgui.same_line()
        imgui.text_colored(theme.INK if index == now else theme.FAINT, word)
        _button(index, step, index == now, state, ui)
        imgui.end_group()
        tooltip(step[1])
        imgui.same_line()
    imgui.begin_group()
    imgui.align_text_to_frame_padding()
    imgui.text_disabled("Walk where you draw")
    if imgui.button("Hide this guide"):
        state.issue(do.DismissHint())
    imgui.end_group()


def _done(state: AppState, ui: Ui) -> None:
    """Whether the character keeps to the path, and what would help where it does not."""
    told = verdict(state)
    if told is None or told.kept:
        imgui.align_text_to_frame_padding()
        imgui.text_colored(theme.GOOD, "Done. Now press Lead and drive: W A S D.")
        return
    imgui.push_text_wrap_pos(ui.px(320))
    imgui.text_colored(theme.WARN, told.text)
    imgui.pop_text_wrap_pos()
    for number, button in enumerate(help_buttons(state, told.sharp != ())):
        if number:
            imgui.same_line()
        button(imgui.ImVec2(0.0, 0.0))


def _steps(state: AppState) -> tuple[Step, ...]:
    """(done, what it is about, word on its button, what the button asks for, or None while that makes no sense)."""
    building = any(job.kind is JobKind.GRAPH for job in state.jobs.running)
    walking = any(job.kind is JobKind.WALK for job in state.jobs.running)
    clips, graph = len(state.library) > 0, state.graph.graph is not None
    drawn = state.path.line is not None
    walked = any(made_of(entry).asked is not None for entry in results(state))
    play = "Pause" if state.playback.playing else "Play"
    return (
        (clips, "Clips of motion are here" if clips else "Open clips of motion", play if clips else "Samples",
         do.TogglePlay() if clips else do.OpenSamples()),
        (graph, "Join them to a motion graph", "Building…" if building else "Build",
         do.BuildGraph() if clips and not building else None),
        (drawn, "Draw a path on the floor", "Draw",
         do.SetTool("draw") if state.path.tool != "draw" else None),
        (walked, "Watch a character walk it", "Making…" if walking else "Walk it",
         do.WalkPath() if drawn and not walking else None),
    )  # fmt: skip


def _step(index: int, step: Step, now: bool, state: AppState, ui: Ui) -> None:
    """A line of the list: a tick or its number, what it is, its button; the next one to do stands out."""
    imgui.align_text_to_frame_padding()
    _tick(index, step, now)
    imgui.same_line(ui.px(34))
    imgui.text_colored(theme.INK if now else theme.FAINT, step[1])
    imgui.same_line(ui.px(236))
    _button(index, step, now, state, ui)


def _tick(index: int, step: Step, now: bool) -> None:
    if step[0]:
        imgui.text_colored(theme.GOOD, icons.ICON_FA_CIRCLE_CHECK)
    else:
        imgui.text_colored(theme.ACCENT if now else theme.FAINT, f" {index + 1}. ")


def _button(index: int, step: Step, now: bool, state: AppState, ui: Ui) -> None:
    _, _, word, command = step
    if now:
        imgui.push_style_color(imgui.Col_.button, (*theme.ACCENT[:3], 0.85))
        imgui.push_style_color(imgui.Col_.text, theme.ON_ACCENT)
    imgui.begin_disabled(command is None)
    if imgui.button(f"{word}##{index}", (ui.px(84), 0)) and command is not None:
        state.issue(command)
    imgui.end_disabled()
    if now:
        imgui.pop_style_color(2)


def scene_overlay(state: AppState, ui: Ui) -> None:
    """Over the scene: what is still being compiled, what an empty scene waits for, the frame being typed."""
    x, y, width, height = ui.scene
    text = ""
    if ui.typed:
        text = f"go to frame {ui.typed}_"
    elif not state.ready:
        text = f"{icons.ICON_FA_GEAR}  compiling kernels…"
    elif not len(state.library) and not state.jobs.running:
        text = f"{icons.ICON_FA_FOLDER_OPEN}  Drop .bvh or .amc files here, or open the samples (File menu)"
    if text:
        imgui.set_next_window_pos((x + 0.5 * width, y + 0.42 * height), imgui.Cond_.always, (0.5, 0.5))
        imgui.set_next_window_bg_alpha(0.86)
        imgui.begin("over the scene", None, OVERLAY | int(imgui.WindowFlags_.no_inputs))
        imgui.text(text)
        imgui.end()
    if state.scene.views > 1:
        for track, (left, top, wide, _) in enumerate(ui.panes):
            _name(track, left, top, wide, state, ui)


def _name(track: int, left: float, top: float, wide: float, state: AppState, ui: Ui) -> None:
    """Which track a view shows, in its corner."""
    entry = state.library.get(state.tracks[track].clip)
    text = f"{('A', 'B', 'result')[track]}  {entry.name if entry else '–'}"
    imgui.set_next_window_pos((left + ui.px(10), top + ui.px(54)))  # below the tools of the path
    imgui.set_next_window_bg_alpha(0.7)
    imgui.begin(f"name {track}", None, OVERLAY | int(imgui.WindowFlags_.no_inputs))
    imgui.text_colored(theme.ACCENT if track == state.active else theme.INK, text)
    imgui.end()


def fetch_window(state: AppState, ui: Ui) -> None:
    """Subject and trials of the CMU database, and where to put them."""
    view = imgui.get_main_viewport()
    imgui.set_next_window_pos(view.get_work_center(), imgui.Cond_.appearing, (0.5, 0.5))
    imgui.set_next_window_size((ui.px(430), 0), imgui.Cond_.appearing)
    flags = imgui.WindowFlags_.no_docking | imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_saved_settings
    visible, kept = imgui.begin("Get CMU clips", True, flags)
    if visible:
        _fetch(state, ui)
    imgui.end()
    if not kept:
        state.issue(do.ShowPanel("fetch", False))


def _fetch(state: AppState, ui: Ui) -> None:
    texts = ui.texts
    note("Motion capture of Carnegie Mellon University, mocap.cs.cmu.edu. Subject 16 walks, runs and jumps.")
    field("subject")
    _, texts["subject"] = imgui.input_text("##subject", texts.get("subject", "16"))
    field("trials")
    _, texts["trials"] = imgui.input_text_with_hint("##trials", "15 17 35, or nothing for all", texts.get("trials", ""))
    field("into")
    default = str(Path.home() / "cmu" / f"{texts['subject'].strip() or '16':0>2}")
    _, texts["into"] = imgui.input_text_with_hint("##into", default, texts.get("into", ""))
    subject = texts["subject"].strip()
    trials = re.findall(r"\d+", texts["trials"])
    wrong = not subject.isdigit() or int(subject) < 1 or re.search(r"[^\d\s,]", texts["trials"])
    imgui.begin_disabled(bool(wrong))
    if imgui.button(f"{icons.ICON_FA_CLOUD_ARROW_DOWN}  Download"):
        folder = Path(texts["into"].strip() or default).expanduser()
        state.issue(do.FetchCmu(int(subject), tuple(map(int, trials)), folder))
        state.issue(do.ShowPanel("fetch", False))
    imgui.end_disabled()
    imgui.same_line()
    if imgui.button("Cancel"):
        state.issue(do.ShowPanel("fetch", False))
