"""What the scene shows: layers, ghosts, flow, crowd, props and surroundings; and the camera in numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.live.crowd import CHOICES as CROWD_CHOICES
from motiongraph.app.live.crowd import LIMITS as CROWD_LIMITS
from motiongraph.app.scene.camera_moves import camera_of
from motiongraph.app.scene.layers import CHOICES, MOST_POSES, flow_step
from motiongraph.app.scene.props import AXES, LIMITS, ROUND, SIZES, Prop
from motiongraph.app.state import AppState
from motiongraph.viewer.keys import shown
from motiongraph.viewer.panels.widgets import action_button, field, icons, note, section, toggle, tooltip

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_STEP = 0.25  # metres a button moves
_TURN = math.radians(15.0)


def scene_panel(state: AppState, ui: Ui) -> None:
    layers = state.scene.layers
    section("Body")
    if imgui.begin_table("body", 2):
        for name, text in (
            ("bones", "Body"), ("joints", "Joints"), ("trajectory", "Trajectory"), ("contacts", "Foot contacts"),
            ("names", "Names"),
        ):  # fmt: skip
            imgui.table_next_column()
            toggle(name, state, ui, text)
        imgui.end_table()
    _choice("body as", "bone_style", state)
    if layers.bone_style == "skin":
        toggle("sides", state, ui, "Tint left and right")
    _choice("point cloud", "cloud", state)
    tooltip(
        "the points the metric compares: of the pose, or of the window that begins with it, as the Matrix panel sets it"
    )
    section("Crowd")
    toggle("crowd", state, ui, "All ticked clips at once")
    if layers.crowd:
        field("apart")
        text = "%.2f m" if layers.rows else "as captured"
        changed, value = imgui.drag_float("##rows", layers.rows, 0.02, 0.0, 10.0, text)
        if changed:
            state.issue(do.SetLayer("rows", value))
    _crowd(state, ui)
    _ghosts(state, ui)
    _flow(state, ui)
    _place(state, ui)
    props_section(state, ui)
    section("Surroundings")
    _choice("floor", "floor", state)
    toggle("shadows", state, ui, "Shadows")
    imgui.same_line(0, ui.px(24))
    toggle("day", state, ui, "Bright")
    for name, text, low, high in (("lamp_turn", "lamp from", -180.0, 180.0), ("lamp_height", "lamp height", 5.0, 90.0)):
        field(text)
        changed, value = imgui.slider_float(f"##{name}", getattr(layers, name), low, high, "%.0f°")
        if changed:
            state.issue(do.SetLayer(name, value))
        tooltip("where the light comes from: degrees about the scene, and above the horizon")


def _choice(text: str, name: str, state: AppState) -> None:
    value = getattr(state.scene.layers, name)
    field(text)
    if imgui.begin_combo(f"##{name}", value):
        for choice in CHOICES[name]:
            if imgui.selectable(choice, choice == value)[0]:
                state.issue(do.SetLayer(name, choice))
        imgui.end_combo()


def _crowd(state: AppState, ui: Ui) -> None:
    """Characters on the graph that go their ways."""
    asked, moving = state.crowd.asked, state.crowd.moving
    icon, word = (
        (icons.ICON_FA_STOP, "Stop") if state.crowd.moves else (icons.ICON_FA_PLAY, "Go on" if asked.on else "Start")
    )
    action_button(f"{icon}  {word}", "start crowd", state, ui)
    imgui.same_line()
    action_button(f"{icons.ICON_FA_TRASH}##crowd", "clear crowd", state, ui)
    if moving is not None:
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(f"{int(moving.crowd.arrived.sum())} of {len(moving.crowd)} there")
    else:
        note("they walk on the graph, around each other and props")
    for name, text, step, unit in (("count", "characters", 0.5, "%.0f"), ("apart", "start apart", 0.01, "%.2f m")):
        field(text)
        changed, value = imgui.drag_float(
            f"##crowd {name}", getattr(asked, name), step, *CROWD_LIMITS[name], unit, _CLAMPED
        )
        if changed:
            state.issue(do.SetCrowd(name, value))
    for name, text in (("layout", "start"), ("goals", "go to")):
        field(text)
        if imgui.begin_combo(f"##crowd {name}", getattr(asked, name)):
            for choice in CROWD_CHOICES[name]:
                if imgui.selectable(choice, choice == getattr(asked, name))[0]:
                    state.issue(do.SetCrowd(name, choice))
            imgui.end_combo()
    tooltip("one place: the planted goal, or the middle of the floor; path: the one that is drawn on the floor")


def _ghosts(state: AppState, ui: Ui) -> None:
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


def _flow(state: AppState, ui: Ui) -> None:
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


def _place(state: AppState, ui: Ui) -> None:
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


# Props

_ADD = (
    (icons.ICON_FA_CUBE, "box", "Add a box"),
    (icons.ICON_FA_CIRCLE, "sphere", "Add a sphere"),
    (icons.ICON_FA_DATABASE, "cylinder", "Add a cylinder"),
    (icons.ICON_FA_CAPSULES, "capsule", "Add a capsule"),
    (icons.ICON_FA_SQUARE, "plane", "Add a plane"),
)
_ALL = (0, 1, 2)
_NAMES = ("width", "height", "depth")
_DRAGS = {1: imgui.drag_float, 2: imgui.drag_float2, 3: imgui.drag_float3}
_COLOUR = int(imgui.ColorEditFlags_.no_inputs)
_SWATCH = int(imgui.ColorEditFlags_.no_tooltip | imgui.ColorEditFlags_.no_drag_drop)
_TREE = int(imgui.TreeNodeFlags_.span_avail_width)


def props_section(state: AppState, ui: Ui) -> None:
    section("Props")
    for icon, shape, text in _ADD:
        if imgui.button(icon):
            state.issue(do.AddProp(shape))
        tooltip(text)
        imgui.same_line(0, ui.px(3))
    action_button(".obj…", "open", state, ui)
    swatch = 0.8 * imgui.get_font_size()
    for prop in state.scene.props:
        imgui.push_id(prop.number)
        imgui.color_button("##seen", (*prop.colour, 1.0), _SWATCH, (swatch, swatch))
        imgui.same_line()
        if imgui.tree_node_ex("##one", _TREE, prop.name):
            _prop(prop, state)
            imgui.tree_pop()
        imgui.pop_id()


def _prop(prop: Prop, state: AppState) -> None:
    field("name")
    _, text = imgui.input_text("##name", prop.name)
    if imgui.is_item_deactivated_after_edit():
        state.issue(do.SetProp(prop.number, "name", text))
    field("place")
    far = LIMITS["x"]
    changed, (x, z) = imgui.drag_float2("##place", [prop.x, prop.z], 0.02, -far, far, "%.2f m")
    tooltip("x and z of its middle")
    for name, value in (("x", x), ("z", z)) if changed else ():
        if value != getattr(prop, name):
            state.issue(do.SetProp(prop.number, name, value))
    field("above floor")
    far = LIMITS["height"]
    changed, value = imgui.drag_float("##height", prop.height, 0.01, -far, far, "%.2f m")
    if changed:
        state.issue(do.SetProp(prop.number, "height", value))
    if prop.shape not in ROUND:
        field("turned by")
        changed, value = imgui.drag_float("##turn", math.degrees(prop.turn), 1.0, -180.0, 180.0, "%.0f°")
        if changed:
            state.issue(do.SetProp(prop.number, "turn", math.radians(value)))
    _size(prop, state)
    field("colour")
    changed, value = imgui.color_edit3("##colour", list(prop.colour), _COLOUR)
    if changed:
        state.issue(do.SetProp(prop.number, "colour", tuple(value)))
    imgui.same_line()
    if imgui.button(f"{icons.ICON_FA_TRASH}  Remove"):
        state.issue(do.RemoveProp(prop.number))


def _size(prop: Prop, state: AppState) -> None:
    field("size")
    axes = AXES.get(prop.shape, _ALL)
    before = [prop.size[axis] for axis in axes]
    drag, given = _DRAGS[len(axes)], before if len(axes) > 1 else before[0]
    changed, after = drag("##size", given, 0.01, *SIZES, "%.2f m")
    tooltip("diameter" if axes == (0,) else ", ".join(_NAMES[axis] for axis in axes))
    if changed:
        for axis, old, new in zip(axes, before, after if len(axes) > 1 else (after,)):
            if new != old:
                state.issue(do.SizeProp(prop.number, axis, new))


# The camera

# Field, what it is called, step, least, most, format.
_FIELDS = (
    ("yaw", "yaw", 0.5, -180.0, 180.0, "%.1f°"),
    ("pitch", "pitch", 0.5, -90.0, 90.0, "%.1f°"),
    ("roll", "roll", 0.5, -180.0, 180.0, "%.1f°"),
    ("distance", "distance", 0.02, 0.15, 300.0, "%.2f m"),
    ("fov", "angle of view", 0.25, 5.0, 120.0, "%.0f°"),
)
_VIEWS = (("front", "Front"), ("side", "Side"), ("top", "Top"), ("three-quarter", "3/4"))
_CLAMPED, _RIGHT = int(imgui.SliderFlags_.always_clamp), int(imgui.MouseButton_.right)


def camera_panel(state: AppState, ui: Ui) -> None:
    camera = camera_of(state, state.active)
    quarter = (imgui.get_content_region_avail().x - 3 * imgui.get_style().item_spacing.x) / 4
    size = imgui.ImVec2(quarter, 0)
    for name, text in _VIEWS:
        action_button(text, name, state, ui, size)
        imgui.same_line()
    imgui.new_line()
    action_button("Reset", "reset camera", state, ui, size)
    imgui.same_line()
    toggle("follow", state, ui, "Follow the character")
    section("Numbers")
    for name, said, step, low, high, text in _FIELDS:
        field(said)
        changed, value = imgui.drag_float(f"##{name}", getattr(camera, name), step, low, high, text, _CLAMPED)
        if changed:
            state.issue(do.SetCamera(((name, value),)))
        if imgui.is_item_clicked(_RIGHT) and name in ("roll", "fov"):
            state.issue(do.SetCamera(((name, 0.0 if name == "roll" else 38.0),)))
    field("looks at")
    changed, target = imgui.drag_float3("##target", camera.target.to_list(), 0.02, -500.0, 500.0, "%.2f")
    if changed:
        state.issue(do.SetCamera((("target", tuple(target)),)))
    tooltip("x, y, z in metres")
    toggle("below floor", state, ui)
