"""The path on the floor in numbers: tools, ready-made paths, its course, labels along it, files, and how the walk in
hand kept to it."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.path.strokes import PRESETS
from motiongraph.app.walk.results import current_result
from motiongraph.viewer.draw.frame import FAIR, GOOD, POOR, SCALE
from motiongraph.viewer.panels.tools import brush_buttons, lead_button, walk_button, words_known
from motiongraph.viewer.panels.widgets import action_button, colour32, field, icons, note, section, toggle, tooltip

STRAYS = 0.2  # m off the path in the mean, from which on more transitions are offered
_TOOLS = (
    (f"{icons.ICON_FA_PENCIL}  Draw", "draw"),
    (f"{icons.ICON_FA_BEZIER_CURVE}  Edit", "edit path"),
    (f"{icons.ICON_FA_PAINTBRUSH}  Paint", "paint"),
    (f"{icons.ICON_FA_LOCATION_DOT}  Goal", "goal"),
)


def path_panel(state, ui) -> None:
    path = state.path
    if path.line is None:
        note("Draw a path on the floor and a character walks it, with motion from the graph.")
    _row([(lambda size, t=text, n=name: action_button(t, n, state, ui, size)) for text, name in _TOOLS])
    _presets(state, ui)
    if path.line is None:
        imgui.dummy((0, ui.px(2)))
        _files(state, ui)
        _lead(state, ui)
        return
    section("Course")
    imgui.text(f"{path.length:.1f} m")
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
        imgui.text_colored((*POOR, 1.0), state.walk.problem)
        imgui.pop_text_wrap_pos()
    _kept_to_it(state, ui)
    _lead(state, ui)
    section("File")
    _files(state, ui)


def _row(buttons) -> None:
    """Buttons side by side over the whole width."""
    gap = imgui.get_style().item_spacing.x
    wide = (imgui.get_content_region_avail().x - gap * (len(buttons) - 1)) / len(buttons)
    for index, button in enumerate(buttons):
        if index:
            imgui.same_line()
        button((wide, 0))


def _presets(state, ui) -> None:
    section("Ready-made")
    field("size")
    changed, size = imgui.slider_float("##size", state.path.size, 2.0, 20.0, "%.1f m")
    if changed:
        state.issue(do.SetPresetSize(size))

    def button(name):
        def draw(size):
            if imgui.button(name, size):
                state.issue(do.PathPreset(name, state.path.size))

        return draw

    _row([button(name) for name in PRESETS])


def _labels(state, ui) -> None:
    section("Labels along it")
    if not words_known(state):
        note("No clip has a label yet. Label clips in the Clip panel to ask for one kind of motion here.")
        return
    brush_buttons(state, ui, imgui.get_content_region_avail().x)
    tooltip("choose a label, then paint along the path in the scene")
    path = state.path
    if path.labels:
        for index, (metres, word) in enumerate(path.labels):
            until = path.labels[index + 1][0] if index + 1 < len(path.labels) else path.length
            imgui.text_disabled(f"{metres:5.1f} … {until:.1f} m")
            imgui.same_line(8 * imgui.get_font_size())
            imgui.text(word or "any")


def _kept_to_it(state, ui) -> None:
    """How far the result in hand is from what was asked, with the colours of the scene explained."""
    entry = current_result(state)
    report = entry.made.report if entry is not None and entry.made.asked is not None else {}
    if "path_error_mean" not in report:
        note("The walk is drawn on the floor in the colour of its distance from the path.")
        return
    if imgui.begin_table("kept", 2, imgui.TableFlags_.sizing_stretch_same):
        for name, text in (
            ("off the path, mean", f"{100 * report['path_error_mean']:.0f} cm"),
            ("off the path, worst", f"{100 * report['path_error_worst']:.0f} cm"),
            ("facing along it", f"{100 * report['facing_along']:.0f} %"),
            ("with its label", f"{100 * report['labels_held']:.0f} %" if "labels_held" in report else ""),
            ("walked", f"{report['path_walked']:.1f} of {report['path_length']:.1f} m in {report['seconds']:.1f} s"),
        ):
            if text:
                imgui.table_next_row()
                imgui.table_next_column()
                imgui.text_disabled(name)
                imgui.table_next_column()
                imgui.text(text)
        imgui.end_table()
    _legend(ui)
    if report["path_error_mean"] > STRAYS and state.graph.graph is not None:
        note("It strays: the graph offers too few ways. A higher threshold allows more transitions.")
        if imgui.button("Allow more and walk again", (imgui.get_content_region_avail().x, 0)):
            state.issue(do.AllowMore())


def _legend(ui) -> None:
    """Green, amber, red and the distances they stand for."""
    draw, where = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos()
    wide, high = imgui.get_content_region_avail().x, ui.px(7)
    half = where.x + 0.5 * wide
    good, fair, poor = (colour32(colour) for colour in (GOOD, FAIR, POOR))
    draw.add_rect_filled_multi_color(where, (half, where.y + high), good, fair, fair, good)
    draw.add_rect_filled_multi_color((half, where.y), (where.x + wide, where.y + high), fair, poor, poor, fair)
    imgui.dummy((wide, high))
    texts = [f"{100 * SCALE[0]:.0f} cm off", f"{100 * SCALE[1]:.0f} cm", f"{100 * SCALE[2]:.0f} cm and more"]
    left = imgui.get_cursor_pos_x()
    for share, text in zip((0.0, 0.5, 1.0), texts):
        if share:
            imgui.same_line()
        imgui.set_cursor_pos_x(left + share * (wide - imgui.calc_text_size(text).x))
        imgui.text_disabled(text)


def _lead(state, ui) -> None:
    section("Lead")
    path, led = state.path, state.live
    lead_button(state, ui, size=(imgui.get_content_region_avail().x, 0))
    if led is None:
        note("Sets a character off that never stops: along the path, or to the goal you plant while it moves.")
    else:
        where = "to the goal" if path.goal else "along the path" if path.line is not None else "straight on"
        imgui.text(f"{led.seconds:.1f} s")
        imgui.same_line()
        imgui.text_disabled(f"{where} · {len(led.jumps)} transitions")
    field("motion")
    if imgui.begin_combo("##lead label", path.lead_label or "any"):
        for word in (None, *words_known(state)):
            if imgui.selectable(word or "any", word == path.lead_label)[0]:
                state.issue(do.SetLeadLabel(word))
        imgui.end_combo()
    if path.goal is not None:
        field("goal")
        imgui.text(f"{path.goal[0]:.1f}, {path.goal[1]:.1f} m")
        imgui.same_line()
        if imgui.small_button("take it away"):
            state.issue(do.PlantGoal(None))


def _files(state, ui) -> None:
    _row(
        [
            lambda size: action_button(f"{icons.ICON_FA_FOLDER_OPEN}  Open…", "load path", state, ui, size),
            lambda size: action_button(f"{icons.ICON_FA_FILE_EXPORT}  Save…", "save path", state, ui, size),
        ]
    )
