"""The things that stand in the scene: added, moved, turned, sized, coloured and removed."""

import math

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.scene.props import AXES, LIMITS, ROUND, SIZES, Prop
from motiongraph.viewer.panels.widgets import action_button, field, icons, section, tooltip

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


def props_section(state, ui) -> None:
    section("Props")
    for icon, shape, text in _ADD:
        if imgui.button(icon):
            state.issue(do.AddProp(shape))
        tooltip(text)
        imgui.same_line(0, ui.px(3))
    action_button(".obj…", "open", state, ui)
    for prop in state.scene.props:
        imgui.push_id(prop.number)
        imgui.color_button("##seen", (*prop.colour, 1.0), _SWATCH, (0.8 * imgui.get_font_size(),) * 2)
        imgui.same_line()
        if imgui.tree_node_ex("##one", _TREE, prop.name):
            _prop(prop, state)
            imgui.tree_pop()
        imgui.pop_id()


def _prop(prop: Prop, state) -> None:
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


def _size(prop: Prop, state) -> None:
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
