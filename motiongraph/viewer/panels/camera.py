"""The camera in numbers, its named places, and what it may do."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.viewer.panels.widgets import action_button, field, section, toggle, tooltip

_NUMBERS = (
    ("yaw", 0.5, -180.0, 180.0, "%.1f°"),
    ("pitch", 0.5, -90.0, 90.0, "%.1f°"),
    ("roll", 0.5, -180.0, 180.0, "%.1f°"),
    ("distance", 0.02, 0.15, 300.0, "%.2f m"),
    ("fov", 0.25, 5.0, 120.0, "%.0f°"),
)
_NAMES = {"fov": "angle of view"}
_FIELDS = tuple((f"##{name}", _NAMES.get(name, name), name, *numbers) for name, *numbers in _NUMBERS)
_VIEWS = (("front", "Front"), ("side", "Side"), ("top", "Top"), ("three-quarter", "3/4"))
_CLAMPED, _RIGHT = int(imgui.SliderFlags_.always_clamp), int(imgui.MouseButton_.right)


def camera_panel(state, ui) -> None:
    camera = state.camera
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
    for label, said, name, step, low, high, text in _FIELDS:
        field(said)
        changed, value = imgui.drag_float(label, getattr(camera, name), step, low, high, text, _CLAMPED)
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
