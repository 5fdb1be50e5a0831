"""The path: its tools, floating at the top of the scene, and the panel with its course, labels, files and the walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind
from motiongraph.app.live.live_character import under_way
from motiongraph.app.path.path_state import PRESETS
from motiongraph.app.state import AppState
from motiongraph.viewer import theme
from motiongraph.viewer.lengths import long
from motiongraph.viewer.panels.path_kept import kept_to_it
from motiongraph.viewer.panels.widgets import (
    OVERLAY,
    action_button,
    colour32,
    field,
    icons,
    note,
    searched,
    section,
    toggle,
    tooltip,
    word_colour,
)

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_TOOLS = (
    (f"{icons.ICON_FA_PENCIL}  Draw", "draw"),
    (f"{icons.ICON_FA_BEZIER_CURVE}  Edit", "edit path"),
    (f"{icons.ICON_FA_PAINTBRUSH}  Paint", "paint"),
    (f"{icons.ICON_FA_LOCATION_DOT}  Goal", "goal"),
)


def path_panel(state: AppState, ui: Ui) -> None:
    path = state.path
    note("Draw a path on the floor and a character walks it, with motion from the graph.")  # always: it holds its place
    _row([(lambda size, t=text, n=name: action_button(t, n, state, ui, size)) for text, name in _TOOLS])
    _presets(state, ui)
    if path.line is None:
        imgui.dummy((0, ui.px(2)))
        _files(state, ui)
        _lead(state, ui)
        return
    section("Course")
    imgui.text(long(path.length))
    imgui.same_line()
    imgui.text_disabled(f"through {len(path.points)} points")
    field("joined by")
    if imgui.begin_combo("##curve", {"spline": "a smooth curve", "polyline": "straight lines"}[path.curve]):
        for kind, text in (("spline", "a smooth curve"), ("polyline", "straight lines")):
            if imgui.selectable(text, kind == path.curve)[0]:
                state.issue(do.SetCurve(kind))
        imgui.end_combo()
    toggle("close path", state, ui)
    _row(
        [
            lambda size: action_button("Smooth", "smooth", state, ui, size),
            lambda size: action_button("Reverse", "reverse path", state, ui, size),
            lambda size: action_button("Clear", "clear path", state, ui, size),
        ]
    )
    _labels(state, ui)
    section("Walk")
    _row(
        [
            lambda size: walk_button(state, ui, size=size),
            lambda size: action_button(f"{icons.ICON_FA_ROTATE_LEFT}  Replay", "replay", state, ui, size),
            lambda size: action_button("Reset", "reset walk", state, ui, size),
        ]
    )
    if state.walk.method == "path" and state.walk.problem:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(theme.BAD, state.walk.problem)
        imgui.pop_text_wrap_pos()
    kept_to_it(state, ui)
    _lead(state, ui)
    section("File")
    _files(state, ui)


def _row(buttons: Sequence[Callable[[imgui.ImVec2], None]]) -> None:
    """Buttons side by side over the whole width."""
    gap = imgui.get_style().item_spacing.x
    wide = (imgui.get_content_region_avail().x - gap * (len(buttons) - 1)) / len(buttons)
    for index, button in enumerate(buttons):
        if index:
            imgui.same_line()
        button(imgui.ImVec2(wide, 0.0))


def _presets(state: AppState, ui: Ui) -> None:
    section("Ready-made")
    field("size")
    changed, size = imgui.slider_float("##size", state.path.size, 2.0, 20.0, "%.1f m")
    if changed:
        state.issue(do.SetPresetSize(size))

    def button(name: str) -> Callable[[imgui.ImVec2], None]:
        def draw(size: imgui.ImVec2) -> None:
            if imgui.button(name, size):
                state.issue(do.PathPreset(name, state.path.size))

        return draw

    _row([button(name) for name in PRESETS])


def _labels(state: AppState, ui: Ui) -> None:
    section("Labels along it")
    if not words_known(state):
        note("No clip has a label yet. Label clips in the Clip panel to ask for one kind of motion here.")
        return
    brush_buttons(state, ui, imgui.get_content_region_avail().x)
    tooltip("choose a label, then paint along the path in the scene")
    path = state.path
    _brush_boxes(state)
    if path.labels:
        for index, (metres, word) in enumerate(path.labels):
            until = path.labels[index + 1][0] if index + 1 < len(path.labels) else path.length
            imgui.text_disabled(f"{metres:5.1f} … {until:.1f} m")
            imgui.same_line(8 * imgui.get_font_size())
            imgui.text(word or "any")


def _lead(state: AppState, ui: Ui) -> None:
    section("Lead")
    path, led = state.path, state.live
    lead_button(state, ui, size=imgui.ImVec2(imgui.get_content_region_avail().x, 0.0))
    if led is None:
        note("Sets a character off that you drive, with keys, a gamepad or the mouse; it never ends by itself.")
        tooltip("it walks in the part of the graph from which motion can always go on, until you stop it")
    else:
        steered = "steered" if led.stick is not None else "waiting"
        where = "to the goal" if path.goal else "along the path" if path.line is not None and not led.stick else steered
        imgui.text(f"{led.seconds:.1f} s")
        imgui.same_line()
        imgui.text_disabled(f"{where} · {led.character.taken} transitions")
        if led.character.problem:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_colored(theme.BAD, led.character.problem)
            imgui.pop_text_wrap_pos()
    field("motion")
    if imgui.begin_combo("##lead label", path.lead_label or "any"):
        for word in searched((None, *words_known(state)), lambda word: word or "any"):
            if imgui.selectable(word or "any", word == path.lead_label)[0]:
                state.issue(do.SetLeadLabel(word))
        imgui.end_combo()
    field("turning")
    changed, degrees = imgui.slider_float("##turning", path.lead_turning, 0.0, 240.0, "%.0f °/s")
    if changed:
        state.issue(do.SetLeadTurning(degrees))
    tooltip(
        "how fast it is turned besides what its clips do, from the next start on.\n"
        "0: as captured only; a turn then takes one to three times as long.\n"
        "More: it answers sooner, and the standing leg twists by so much in a second."
    )
    if path.goal is not None:
        field("goal")
        imgui.text(f"{path.goal[0]:.1f}, {path.goal[1]:.1f} m")
        imgui.same_line()
        if imgui.small_button("Clear goal"):
            state.issue(do.PlantGoal(None))


def _files(state: AppState, ui: Ui) -> None:
    _row(
        [
            lambda size: action_button(f"{icons.ICON_FA_FOLDER_OPEN}  Open…", "load path", state, ui, size),
            lambda size: action_button(f"{icons.ICON_FA_FILE_EXPORT}  Save…", "save path", state, ui, size),
        ]
    )


# The tools for the floor, floating at the top of the scene

_FLOATING = (
    (icons.ICON_FA_PENCIL, "draw"),
    (icons.ICON_FA_BEZIER_CURVE, "edit path"),
    (icons.ICON_FA_PAINTBRUSH, "paint"),
    (icons.ICON_FA_LOCATION_DOT, "goal"),
)
_ALWAYS, _PADDING = int(imgui.Cond_.always), int(imgui.StyleVar_.window_padding)
_BUTTON, _HOVERED = int(imgui.Col_.button), int(imgui.Col_.button_hovered)
_Point = imgui.ImVec2
_MIDDLE, _AS_NEEDED = _Point(0.5, 0.0), _Point(0.0, 0.0)
_NARROW = 430  # points of width below which words are left out
# What to do next, for the tool in the hand.
_HINTS = {
    "draw": "Hold the left button and draw on the floor. Begin at the path's end to go on from there.",
    "edit": "Drag points · click the line to add one · right click removes one",
    "paint": "Paint along the path",
    "goal": "Click on the floor: a character that is led goes there",
}
_DRIVING = "W A S D or arrows: go · Shift: run · click the floor: a goal · right drag: camera · Esc: stop"


def tool_bar(state: AppState, ui: Ui) -> None:
    """Always there, whatever the panels show."""
    x, y, width, height = ui.scene
    if not state.ready or width < ui.px(250) or height < ui.px(120):
        return
    imgui.set_next_window_pos(_Point(x + 0.5 * width, y + ui.px(10)), _ALWAYS, _MIDDLE)
    imgui.set_next_window_bg_alpha(0.88)
    imgui.push_style_var(_PADDING, _Point(ui.px(6), ui.px(5)))
    imgui.begin("tools", None, OVERLAY)
    imgui.pop_style_var()
    wide = width >= ui.px(_NARROW)
    size, near = _Point(2.2 * imgui.get_font_size(), 0), ui.px(3)
    for icon, name in _FLOATING:
        action_button(icon, name, state, ui, size)
        imgui.same_line(0, near)
    if imgui.button(icons.ICON_FA_SHAPES, size):
        imgui.open_popup("presets")
    tooltip("ready-made paths")
    if imgui.begin_popup("presets"):
        presets_menu(state, ui)
        imgui.end_popup()
    imgui.same_line(0, near)
    action_button(icons.ICON_FA_ERASER, "clear path", state, ui, size)
    imgui.same_line(0, ui.px(10))
    walk_button(state, ui, wide)
    imgui.same_line(0, near)
    lead_button(state, ui, wide)
    imgui.end()
    text = _below(state, wide)
    if text == "":
        return
    # A window of its own: the tools above stay where they are whatever it says.
    imgui.set_next_window_pos(_Point(x + 0.5 * width, y + ui.px(26) + imgui.get_frame_height()), _ALWAYS, _MIDDLE)
    imgui.set_next_window_bg_alpha(0.88)
    imgui.begin("tool hint", None, OVERLAY)
    if text is None:
        brush_buttons(state, ui, ui.px(420))
    else:
        imgui.text_disabled(text)
    imgui.end()


def walk_button(state: AppState, ui: Ui, words: bool = True, size: imgui.ImVec2 = _AS_NEEDED) -> None:
    """Walk it: what all the others are for."""
    busy = any(job.kind is JobKind.WALK for job in state.jobs.running) or "walk" in state.graph.waiting
    ready = state.path.line is not None and not busy
    if ready:
        imgui.push_style_color(_BUTTON, colour32(theme.ACCENT, 0.85))
        imgui.push_style_color(_HOVERED, colour32(theme.ACCENT))
        imgui.push_style_color(imgui.Col_.text, theme.ON_ACCENT)
    icon = icons.ICON_FA_HOURGLASS_HALF if busy else icons.ICON_FA_PERSON_WALKING
    action_button(f"{icon} Walk it###walk it" if words else icon, "walk path", state, ui, size)
    if ready:
        imgui.pop_style_color(3)


def lead_button(state: AppState, ui: Ui, words: bool = True, size: imgui.ImVec2 = _AS_NEEDED) -> None:
    on = under_way(state)
    icon = icons.ICON_FA_STOP if on else icons.ICON_FA_GAMEPAD
    if words and not size.x:  # as wide whatever it says
        room = max(imgui.calc_text_size(f"{icons.ICON_FA_GAMEPAD} {word}").x for word in ("Stop", "Lead"))
        size = _Point(room + 2 * imgui.get_style().frame_padding.x, 0.0)
    action_button(f"{icon} {'Stop' if on else 'Lead'}###lead" if words else icon, "lead", state, ui, size)


def presets_menu(state: AppState, ui: Ui) -> None:
    imgui.set_next_item_width(7 * imgui.get_font_size())
    size = state.path.size
    changed, size = imgui.slider_float("##size", size, 2.0, 20.0, "%.1f m", imgui.SliderFlags_.always_clamp)
    if changed:
        state.issue(do.SetPresetSize(size))
    for name in PRESETS:
        if imgui.selectable(name, False)[0]:
            state.issue(do.PathPreset(name, state.path.size))


def words_known(state: AppState) -> tuple[str, ...]:
    """The labels that can be asked for along the path."""
    return state.walk.names(state)[0]


def _brush_boxes(state: AppState) -> None:
    """A check box for every label: what is painted is motion that has all labels ticked here."""
    single = [word for word in words_known(state) if "+" not in word]
    if len(single) < 2 or not imgui.tree_node("several labels at once"):
        return
    ticked = set(filter(None, (state.path.brush or "").split("+")))
    for word in single:
        changed, on = imgui.checkbox(f"{word}##brush box", word in ticked)
        if changed:
            chosen = ticked | {word} if on else ticked - {word}
            state.issue(do.SetBrush("+".join(sorted(chosen)) or None))
            state.issue(do.SetTool("paint"))
    imgui.tree_pop()


def brush_buttons(state: AppState, ui: Ui, across: float) -> None:
    """A button for every label, in its colour, and one that takes labels away; in lines no wider than `across`."""
    path, style = state.path, imgui.get_style()
    used = 0.0
    for word in (None, *words_known(state)):
        text = word or f"{icons.ICON_FA_ERASER} any"
        wide = imgui.calc_text_size(text).x + 2 * style.frame_padding.x
        if used and used + wide + style.item_spacing.x < across:
            imgui.same_line(0, ui.px(4))
        else:
            used = 0.0
        used += wide + ui.px(4)
        chosen = path.brush == word
        colour = word_colour(word) if word else (0.55, 0.57, 0.6)
        imgui.push_style_color(_BUTTON, colour32(colour, 0.75 if chosen else 0.22))
        imgui.push_style_color(_HOVERED, colour32(colour, 0.6))
        if imgui.button(f"{text}##brush"):
            state.issue(do.SetBrush(word))
            if path.tool != "paint":
                state.issue(do.SetTool("paint"))
        imgui.pop_style_color(2)


def _below(state: AppState, wide: bool) -> str | None:
    """What to do with the current tool, or how the led character is steered; "": nothing; None: labels to paint."""
    path = state.path
    if path.tool == "paint":
        if path.line is None:
            return "Draw a path first, then paint labels along it"
        return None if words_known(state) else "No clip has a label yet: give them some in the Clip panel"
    text = _HINTS.get(path.tool, "")
    if path.tool == "edit" and path.line is None:
        text = "There is no path yet: draw one (P) or take a ready-made one"
    elif path.tool == "goal" and state.live is None:
        text = "Click on the floor to plant a goal, then press Lead"
    elif path.tool == "off" and state.live is not None:
        text = _DRIVING
    elif "live" in state.graph.waiting or "walk" in state.graph.waiting:
        text = "Building the graph first…"
    return text if wide else ""
