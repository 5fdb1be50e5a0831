"""The library: clips grouped by skeleton, ticked for the graph, chosen with a click."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.viewer import theme
from motiongraph.viewer.actions import ACTIONS, act
from motiongraph.viewer.panels.widgets import colour32, icons, keys_of, note, tooltip

_SPAN = int(imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap)
_TABLE = int(imgui.TableFlags_.sizing_fixed_fit | imgui.TableFlags_.row_bg | imgui.TableFlags_.pad_outer_x)
_TREE = int(
    imgui.TreeNodeFlags_.default_open
    | imgui.TreeNodeFlags_.span_avail_width
    | imgui.TreeNodeFlags_.no_tree_push_on_open
)
_STRETCH, _PADDING = int(imgui.TableColumnFlags_.width_stretch), int(imgui.StyleVar_.frame_padding)
_TEXT, _FAINT = int(imgui.Col_.text), colour32(theme.FAINT)
_OPENING = tuple(
    (icon, ACTIONS[name], f"{ACTIONS[name].text}  ({keys_of(name)})")
    for icon, name in (
        (icons.ICON_FA_FILE, "open"),
        (icons.ICON_FA_FOLDER_OPEN, "open folder"),
        (icons.ICON_FA_CLOUD_ARROW_DOWN, "fetch"),
    )
)


def library_panel(state, ui) -> None:
    _buttons(state, ui)
    if not len(state.library):
        imgui.dummy((0, ui.px(8)))
        note("No clips yet. Open or drop .bvh, .amc or .glb files, or whole folders, on this window.")
        imgui.dummy((0, ui.px(2)))
        if imgui.button(f"{icons.ICON_FA_PERSON_WALKING}  Open the samples", (-1, 0)):
            state.issue(do.OpenSamples())
        if imgui.button(f"{icons.ICON_FA_CLOUD_ARROW_DOWN}  Get CMU clips…", (-1, 0)):
            state.issue(do.ShowPanel("fetch", True))
        return
    filtered = _filter(state, ui)
    imgui.begin_child("clips")
    for title, entries in state.library.groups():
        if filtered:
            entries = [entry for entry in entries if filtered in entry.findable]
        if entries:
            _group(title, entries, state, ui)
    imgui.end_child()
    if ui.texts.get("context"):
        imgui.open_popup("clip")
        ui.texts["menu of"] = ui.texts.pop("context")
    if imgui.begin_popup("clip"):
        entry = state.library.get(int(ui.texts["menu of"]))
        if entry is not None:
            _context(entry, state, ui)
        imgui.end_popup()


def _buttons(state, ui) -> None:
    for icon, action, told in _OPENING:
        if imgui.button(icon):
            act(action, state, ui)
        tooltip(told)
        imgui.same_line()
    if len(state.library):
        used = state.library.used
        if imgui.button(icons.ICON_FA_LIST_CHECK):
            state.issue(do.UseClip(None, used < len(state.library)))
        tooltip("Tick all clips, or none")
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(f"{used} of {len(state.library)}")
        tooltip("clips that are ticked: they take part in graphs and crowds")


def _filter(state, ui) -> str:
    if len(state.library) < 8:
        return ""
    imgui.set_next_item_width(-1)
    text = ui.texts.get("filter", "")
    _, ui.texts["filter"] = imgui.input_text_with_hint("##filter", "find by name or label", text)
    return ui.texts["filter"].strip().lower()


def _group(title: str, entries: list, state, ui) -> None:
    imgui.push_style_color(_TEXT, _FAINT)
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
            _row(entry, state, ui)
            if entry.number == chosen and fresh:
                ui.texts["chosen"] = str(chosen)
                if not imgui.is_item_visible():
                    imgui.set_scroll_here_y(0.5)
    imgui.pop_style_var()
    imgui.end_table()


def _row(entry, state, ui) -> None:
    imgui.push_id(entry.number)
    imgui.table_next_row()
    imgui.table_next_column()
    changed, used = imgui.checkbox("##use", entry.used)
    if changed:
        state.issue(do.UseClip(entry.number, used))
    imgui.table_next_column()
    chosen = state.tracks[state.active].clip == entry.number
    label = entry.name
    if state.scene.views > 1:
        marks = "".join("ABR"[t] for t in range(state.scene.views) if state.tracks[t].clip == entry.number)
        label = f"{label}  {marks}##clip"
    if imgui.selectable(label, chosen, _SPAN)[0]:
        state.issue(do.SelectClip(entry.number))
    if imgui.is_item_hovered():
        tooltip(_described(entry))
        if imgui.is_mouse_clicked(imgui.MouseButton_.right):
            ui.texts["context"] = str(entry.number)
    imgui.table_next_column()
    imgui.text_disabled(entry.lasting)
    imgui.pop_id()


def _described(entry) -> str:
    lines = [entry.name, f"{len(entry.clip)} frames · {entry.clip.fps:g} Hz · {entry.clip.duration:.2f} s"]
    if entry.trimmed:
        lines.append(f"trimmed to {entry.start} … {entry.stop}")
    if entry.words:
        lines.append(entry.words)
    if entry.path:
        lines.append(str(entry.path))
    return "\n".join(lines)


def _context(entry, state, ui) -> None:
    for track, name in enumerate(("A", "B", "the result")):
        if imgui.menu_item(f"Show as {name}", "", state.tracks[track].clip == entry.number)[0]:
            if track >= state.scene.views:
                state.issue(do.Split(track + 1))
            state.issue(do.SelectClip(entry.number, track))
    imgui.separator()
    if imgui.menu_item("Add mirrored", "", False)[0]:
        state.issue(do.MirrorClip(entry.number))
    if imgui.menu_item("Remove", "", False)[0]:
        state.issue(do.RemoveClip(entry.number))
