"""What the scene shows: layers, ghosts, flow, crowd, props, surroundings, and where the character stands."""

import math

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.scene.layers import CHOICES, MOST_POSES, flow_step
from motiongraph.viewer.keys import shown
from motiongraph.viewer.panels.props import props_section
from motiongraph.viewer.panels.widgets import action_button, field, icons, note, section, toggle, tooltip

_STEP = 0.25  # metres a button moves
_TURN = math.radians(15.0)


def scene_panel(state, ui) -> None:
    layers = state.scene.layers
    section("Body")
    if imgui.begin_table("body", 2):
        for name, text in (
            ("bones", "Bones"), ("joints", "Joints"), ("trajectory", "Trajectory"), ("contacts", "Foot contacts"),
        ):  # fmt: skip
            imgui.table_next_column()
            toggle(name, state, ui, text)
        imgui.end_table()
    _choice("bones as", "bone_style", state)
    _choice("point cloud", "cloud", state)
    tooltip("the points the metric compares: of the pose, or of the window of 1/3 s that begins with it")
    section("Crowd")
    toggle("crowd", state, ui, "All ticked clips at once")
    if layers.crowd:
        field("apart")
        text = "%.2f m" if layers.rows else "as captured"
        changed, value = imgui.drag_float("##rows", layers.rows, 0.02, 0.0, 10.0, text)
        if changed:
            state.issue(do.SetLayer("rows", value))
    _ghosts(state, ui)
    _flow(state, ui)
    _place(state, ui)
    props_section(state, ui)
    section("Surroundings")
    _choice("floor", "floor", state)
    toggle("shadows", state, ui, "Shadows")
    imgui.same_line(0, ui.px(24))
    toggle("day", state, ui, "Bright")


def _choice(text: str, name: str, state) -> None:
    value = getattr(state.scene.layers, name)
    field(text)
    if imgui.begin_combo(f"##{name}", value):
        for choice in CHOICES[name]:
            if imgui.selectable(choice, choice == value)[0]:
                state.issue(do.SetLayer(name, choice))
        imgui.end_combo()


def _ghosts(state, ui) -> None:
    section("Ghosts")
    ghosts = state.scene.ghosts
    action_button(f"{icons.ICON_FA_THUMBTACK}  Pin pose", "pin", state, ui)
    imgui.begin_disabled(not ghosts)
    imgui.same_line()
    action_button(icons.ICON_FA_ROTATE_LEFT, "unpin", state, ui)
    imgui.same_line()
    action_button(icons.ICON_FA_TRASH, "clear ghosts", state, ui)
    imgui.end_disabled()
    imgui.same_line()
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(f"{len(ghosts)} pinned" if ghosts else "none")
    if not ghosts:
        return
    field("shift last")
    for icon, x, z in (
        (icons.ICON_FA_ARROW_LEFT, -_STEP, 0.0),
        (icons.ICON_FA_ARROW_RIGHT, _STEP, 0.0),
        (icons.ICON_FA_ARROW_UP, 0.0, -_STEP),
        (icons.ICON_FA_ARROW_DOWN, 0.0, _STEP),
    ):
        if imgui.button(f"{icon}##ghost"):
            state.issue(do.ShiftGhost(x, z))
        imgui.same_line(0, ui.px(3))
    imgui.new_line()
    changed, shown = imgui.checkbox("Show ghosts", state.scene.layers.ghosts)
    if changed:
        state.issue(do.SetLayer("ghosts", shown))


def _flow(state, ui) -> None:
    section("Flow")
    layers = state.scene.layers
    toggle("flow", state, ui, "The pose every few frames")
    if not layers.flow:
        return
    field("every")
    changed, value = imgui.drag_int("##every", layers.flow_every, 0.5, 1, 500, "%d frames")
    if changed:
        state.issue(do.SetLayer("flow_every", value))
    if state.entry is not None and flow_step(layers, state.entry) > layers.flow_every:
        note(f"every {flow_step(layers, state.entry)} frames: more than {MOST_POSES} poses at once are too many")
    made = state.entry is not None and state.entry.clip.origin is not None
    offsets = [("flow_offset", "push apart", "every pose on from the one before, along the way it goes")]
    if made:
        offsets.append(("flow_gap", "transitions", "what follows a transition, on from what comes before it"))
    for name, text, tip in offsets:
        field(text)
        changed, value = imgui.drag_float(f"##{name}", getattr(layers, name), 0.01, -5.0, 5.0, "%.2f m")
        if changed:
            state.issue(do.SetLayer(name, value))
        tooltip(tip)


def _place(state, ui) -> None:
    section("Character")
    entry = state.entry
    if entry is None:
        note("none")
        return
    theta, x, z = state.scene.places.get(entry.number, (0.0, 0.0, 0.0))
    field("moved by")
    changed, (new_x, new_z) = imgui.drag_float2("##place", [x, z], 0.02, -100.0, 100.0, "%.2f m")
    if changed:
        state.issue(do.MoveCharacter(x=new_x - x, z=new_z - z))
    tooltip(f"x and z; or {shown('Ctrl+drag')} in the scene")
    field("turned by")
    changed, degrees = imgui.drag_float("##turn", math.degrees(theta), 1.0, -180.0, 180.0, "%.0f°")
    if changed:
        state.issue(do.MoveCharacter(turn=math.radians(degrees) - theta))
    tooltip(f"about where it stands; or {shown('Ctrl+Shift+drag')} in the scene")
    imgui.begin_disabled(entry.number not in state.scene.places)
    action_button("Back to its place", "place", state, ui)
    imgui.end_disabled()
