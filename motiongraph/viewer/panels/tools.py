"""The tools for the floor, floating at the top of the scene; ready-made paths; walk it, and lead."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind
from motiongraph.app.live.live_character import under_way
from motiongraph.app.path.strokes import PRESETS
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import OVERLAY, action_button, colour32, icons, tooltip, word_colour

_TOOLS = (
    (icons.ICON_FA_PENCIL, "draw"),
    (icons.ICON_FA_BEZIER_CURVE, "edit path"),
    (icons.ICON_FA_PAINTBRUSH, "paint"),
    (icons.ICON_FA_LOCATION_DOT, "goal"),
)
_ALWAYS, _PADDING = int(imgui.Cond_.always), int(imgui.StyleVar_.window_padding)
_BUTTON, _HOVERED = int(imgui.Col_.button), int(imgui.Col_.button_hovered)
_READY, _POINTED = colour32(theme.ACCENT, 0.75), colour32(theme.ACCENT, 0.95)
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


def tool_bar(state, ui) -> None:
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
    for icon, name in _TOOLS:
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
    _line_below(state, ui, wide)
    imgui.end()


def walk_button(state, ui, words: bool = True, size=_AS_NEEDED) -> None:
    """Walk it: what all the others are for."""
    busy = any(job.kind is JobKind.WALK for job in state.jobs.running) or "walk" in state.graph.waiting
    ready = state.path.line is not None and not busy
    if ready:
        imgui.push_style_color(_BUTTON, _READY)
        imgui.push_style_color(_HOVERED, _POINTED)
    icon = icons.ICON_FA_HOURGLASS_HALF if busy else icons.ICON_FA_PERSON_WALKING
    action_button(f"{icon} Walk it" if words else icon, "walk path", state, ui, size)
    if ready:
        imgui.pop_style_color(2)


def lead_button(state, ui, words: bool = True, size=_AS_NEEDED) -> None:
    on = under_way(state)
    icon = icons.ICON_FA_STOP if on else icons.ICON_FA_GAMEPAD
    action_button(f"{icon} {'Stop' if on else 'Lead'}" if words else icon, "lead", state, ui, size)


def presets_menu(state, ui) -> None:
    imgui.set_next_item_width(7 * imgui.get_font_size())
    size = state.path.size
    changed, size = imgui.slider_float("##size", size, 2.0, 20.0, "%.1f m", imgui.SliderFlags_.always_clamp)
    if changed:
        state.issue(do.SetPresetSize(size))
    for name in PRESETS:
        if imgui.selectable(name, False)[0]:
            state.issue(do.PathPreset(name, state.path.size))


def words_known(state) -> tuple[str, ...]:
    """The labels that can be asked for along the path."""
    return state.walk.names(state)[0]


def brush_buttons(state, ui, across: float) -> None:
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


def _line_below(state, ui, wide) -> None:
    """What to do with the tool in the hand, or how the led character is steered."""
    path = state.path
    if path.tool == "paint":
        if path.line is None:
            imgui.text_disabled("Draw a path first, then paint labels along it")
        elif not words_known(state):
            imgui.text_disabled("No clip has a label yet: give them some in the Clip panel")
        else:
            brush_buttons(state, ui, ui.px(420))
        return
    text = _HINTS.get(path.tool, "")
    if path.tool == "edit" and path.line is None:
        text = "There is no path yet: draw one (P) or take a ready-made one"
    elif path.tool == "goal" and state.live is None:
        text = "Click on the floor to plant a goal, then press Lead"
    elif path.tool == "off" and state.live is not None:
        text = "Plant a goal (V) or draw a path (P): the character goes there"
    elif "live" in state.graph.waiting or "walk" in state.graph.waiting:
        text = "Building the graph first…"
    if text and wide:
        imgui.text_disabled(text)
