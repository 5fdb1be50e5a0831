"""Which joint of other bodies leads which joint of the graph's: what was found, and a way to correct it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import taking_part
from motiongraph.app.state import AppState
from motiongraph.model.bone_map import BoneMap, bone_map, unrecognised
from motiongraph.model.retarget import hanging
from motiongraph.model.skeleton import Skeleton
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import note, searched, tooltip

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.viewer.ui import Ui

_TABLE = int(imgui.TableFlags_.sizing_stretch_prop | imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y)
_RATES = (24.0, 30.0, 60.0, 100.0, 120.0)


def bodies(state: AppState) -> tuple[Skeleton | None, list[tuple[str, Skeleton]]]:
    """The body that most ticked clips have, and (name of a clip, its body) for each of the others."""
    return state.library.once("bodies", lambda: _bodies(taking_part(state)))


def _bodies(entries: list[Entry]) -> tuple[Skeleton | None, list[tuple[str, Skeleton]]]:
    if not entries:
        return None, []
    # Thousands of clips have a few hundred skeletons, and those a few ways of hanging together.
    ways, number = {}, {}
    for skeleton in {entry.clip.skeleton: None for entry in entries}:
        number[skeleton] = ways.setdefault(hanging(skeleton), len(ways))
    joints = [number[entry.clip.skeleton] for entry in entries]
    usual = Counter(joints).most_common(1)[0][0]
    others = {own: entry for own, entry in zip(joints, entries) if own != usual}
    own = entries[joints.index(usual)].clip.skeleton
    return own, [(entry.name, entry.clip.skeleton) for entry in others.values()]


def rate_choice(state: AppState) -> None:
    """The rate of the graph, where ticked clips have several."""
    options = state.graph.options
    rates = state.library.once("rates", lambda: sorted({entry.clip.fps for entry in taking_part(state)}))
    if len(rates) < 2 and options.fps is None:
        return
    imgui.set_next_item_width(9 * imgui.get_font_size())
    if imgui.begin_combo("frames a second", "as most clips" if options.fps is None else f"{options.fps:g}"):
        if imgui.selectable("as most clips", options.fps is None)[0]:
            state.issue(do.SetGraphOption("fps", None))
        for rate in sorted({*_RATES, *rates}):
            if imgui.selectable(f"{rate:g}", options.fps == rate)[0]:
                state.issue(do.SetGraphOption("fps", rate))
        imgui.end_combo()
    tooltip(f"clips have {', '.join(f'{rate:g}' for rate in rates)} frames a second; all are resampled to one rate")


def bones_choice(state: AppState, ui: Ui) -> None:
    """A button that opens the map, where ticked clips have several bodies."""
    own, others = bodies(state)
    if own is None or not others:
        return
    if imgui.button("Bones…"):
        imgui.open_popup("bones")
    imgui.same_line()
    imgui.text_disabled(f"{1 + len(others)} bodies: clips are put on that of most of them")
    imgui.set_next_window_size((ui.px(440), ui.px(540)))
    if imgui.begin_popup("bones"):
        _map(own, others, state, ui)
        imgui.end_popup()


def _map(own: Skeleton, others: list[tuple[str, Skeleton]], state: AppState, ui: Ui) -> None:
    chosen = ui.texts.get("bones of", "")
    name, body = next((other for other in others if other[0] == chosen), others[0])
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("##body", f"motion of {name} and its like"):
        for other, _ in searched(others, lambda other: other[0]):
            if imgui.selectable(other, other == name)[0]:
                ui.texts["bones of"] = other
        imgui.end_combo()
    if missing := unrecognised(body) or unrecognised(own):
        note(f"No {', '.join(missing)} can be recognised: these clips stay out of the graph.")
        return
    found = _found(body, own, state.graph.options.bones)
    if imgui.begin_table("bones", 2, _TABLE, (0, ui.px(380))):
        imgui.table_setup_scroll_freeze(0, 1)
        imgui.table_setup_column("joint of the graph")
        imgui.table_setup_column("is led by")
        imgui.table_headers_row()
        for joint in own.names:
            _row(joint, found, body, state)
        imgui.end_table()
    if unused := [joint for joint in found.unused if not joint.endswith("_end")]:
        note(f"not used: {', '.join(unused[:12])}{f' and {len(unused) - 12} more' if len(unused) > 12 else ''}")
    if imgui.button("Load…"):
        ui.dialogs.ask("load bones", state)
    imgui.same_line()
    if imgui.button("Save…"):
        ui.dialogs.ask("save bones", state)
    tooltip("the corrections, for another project or for --map of the command line")


def _row(joint: str, found: BoneMap, body: Skeleton, state: AppState) -> None:
    corrected = dict(state.graph.options.bones).get(joint)
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(joint)
    tooltip(found.parts.get(joint, "a joint of no known part"))
    imgui.table_next_column()
    imgui.set_next_item_width(-1)
    led = found.pairs.get(joint)
    imgui.push_style_color(int(imgui.Col_.text), theme.FAINT if led is None else theme.INK)
    is_open = imgui.begin_combo(f"##{joint}", f"{led or 'keeps still'}{'  *' if corrected is not None else ''}")
    imgui.pop_style_color()
    if is_open:
        if imgui.selectable("as found", corrected is None)[0]:
            state.issue(do.SetBone(joint, None))
        if imgui.selectable("keeps still", corrected == "")[0]:
            state.issue(do.SetBone(joint, ""))
        for other in searched(body.names):
            if imgui.selectable(other, other == led)[0]:
                state.issue(do.SetBone(joint, other))
        imgui.end_combo()


@lru_cache(maxsize=8)
def _found(source: Skeleton, target: Skeleton, bones: tuple[tuple[str, str], ...]) -> BoneMap:
    return bone_map(source, target, dict(bones))
