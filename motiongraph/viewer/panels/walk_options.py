"""The options of every way to find a walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import frame_of
from motiongraph.app.state import AppState
from motiongraph.app.walk.walk_options import CHOICES, LIMITS, drawn_path, goal_of
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import field, icons, in_sight, note, searched, tooltip, word_colour

if TYPE_CHECKING:
    from motiongraph.viewer.ui import Ui

_CLAMP = int(imgui.SliderFlags_.always_clamp)
_FLAT = int(imgui.TreeNodeFlags_.no_tree_push_on_open)


def options_of(state: AppState, ui: Ui) -> None:
    """Those of the present method."""
    {
        "greedy": _greedy,
        "random": _random,
        "sequential": _sequential,
        "connect": _connect,
        "path": _path,
        "reach": _reach,
    }[state.walk.method](state, ui)


def motion_options(state: AppState, ui: Ui) -> None:
    """What holds for all methods, and what few people change; folded away."""
    if not imgui.tree_node_ex("More", _FLAT):
        return
    walking = state.walk
    if walking.method in ("path", "reach"):
        _choice(state, "planner", "search", {"beam": "beam", "branch and bound": "branch and bound"})
        _number(state, "limit", "time limit", "%.1f s", 0.1, "no limit: as long as it takes")
        tooltip("with a limit the search grows wider until the time is used; the best found by then is taken")
        _number(state, "expansions", "state limit", "%d states", 1000.0, "no limit")
        tooltip("how many states a search may look at; unlike a time it gives the same walk on every machine")
        if walking.option["planner"] == "branch and bound":
            _number(state, "plan", "looks ahead", "%.2f s", 0.02)
            tooltip("n of Kovar 2002, 4.2: how far each stage plans (he: 80 to 120 frames at 30 Hz)")
            _number(state, "keep", "keeps", "%.2f s", 0.02)
            tooltip("m of Kovar 2002, 4.2: how much of a plan is kept before the next stage (he: 25 to 30 frames)")
        _number(state, "among", "choose of", "the %d best", 0.1, "the best walk")
        tooltip("r of Kovar 2002, 4.2: take any of so many best walks that differ, so that seeds give different ones")
        if walking.option["among"] > 1:
            _number(state, "tolerance", "tolerance", "%.2f", 0.01)
            tooltip("share by which the error of such a walk may exceed the best")
        changed, value = imgui.checkbox("Around the props", walking.option["around"])
        if changed:
            state.issue(do.SetWalkOption(walking.method, "around", value))
        tooltip("what stands on the floor of the scene is in the way, and the path is led around it")
        changed, value = imgui.checkbox("Distance at equal arc length (equation 9)", walking.option["equation_9"])
        if changed:
            state.issue(do.SetWalkOption(walking.method, "equation_9", value))
        tooltip("Kovar 2002, 5.1: compares places after equal lengths walked; facing and smoothness do not count then")
        if not walking.option["equation_9"]:
            _number(state, "facing", "facing", "× %.2f", 0.02)
            tooltip("how much it counts that the body faces along the way")
            _number(state, "cost", "smoothness", "× %.2f", 0.02)
            tooltip("how much the costs of transitions count beside the distance from the way")
            _number(state, "slack", "slack", "%.2f", 0.01)
            tooltip("share by which progress along the path may differ from the length walked; 0 is equal arc length")
        _number(state, "speed", "speed", "%.1f m/s", 0.05, "any")
        tooltip("how fast to go along the path")
        if walking.method == "path":
            _number(state, "turning", "turn bodies", "up to %.0f°/s", 1.0, "as captured")
            tooltip("where walks as captured stray, keep changing or begin a label late, bodies are turned besides")
        _number(state, "gamma", "least progress", "%.2f m/s", 0.01)
        tooltip("gamma of Kovar 2002, 5.1: progress that is always asked for, so that standing still does not pay")
    if walking.method == "sequential":
        changed, value = imgui.checkbox("Through other motion where need be", walking.option["detours"])
        if changed:
            state.issue(do.SetWalkOption("sequential", "detours", value))
        tooltip("where no transition leads straight from one item to the next, the shortest way round is taken")
    if walking.method in ("sequential", "connect"):
        changed, value = imgui.checkbox("Only where motion can go on for ever", walking.option["pruned"])
        if changed:
            state.issue(do.SetWalkOption(walking.method, "pruned", value))
        tooltip("within the pruned graph: after the walk it could go on without end")
    motion = walking.options["motion"]
    changed, value = imgui.checkbox("Hold planted feet in place", motion["cleanup"])
    if changed:
        state.issue(do.SetWalkOption("motion", "cleanup", value))
    field("blend", 9.0)
    if imgui.begin_combo("##blend", motion["blend"]):
        for blend in CHOICES["blend"]:
            if imgui.selectable(blend, blend == motion["blend"])[0]:
                state.issue(do.SetWalkOption("motion", "blend", blend))
        imgui.end_combo()
    tooltip("linear mixes both motions over the window; inertialized lets their difference die away")
    changed, value = imgui.checkbox("Line windows up in time", motion["register"])
    if changed:
        state.issue(do.SetWalkOption("motion", "register", value))
    tooltip("registration: both motions are warped in time so that like moments are blended")
    field("blend length", 9.0)
    shown = "%.2f s" if motion["length"] else "the window"
    changed, value = imgui.slider_float("##length", motion["length"], 0.0, 1.0, shown, _CLAMP)
    if changed:
        state.issue(do.SetWalkOption("motion", "length", value))
    tooltip("seconds over which one motion passes into the other, in the middle of the window")
    if walking.method == "path":
        field("bend", 9.0)
        shown = "by up to %.2f" if motion["bend"] else "not"
        changed, value = imgui.slider_float("##bend", motion["bend"], 0.0, LIMITS["bend"][1], shown, _CLAMP)
        if changed:
            state.issue(do.SetWalkOption("motion", "bend", value))
        tooltip("Gleicher 2001: steps are led towards the path, each by up to this share of its length")


def _greedy(state: AppState, ui: Ui) -> None:
    _name(state, "start", "start", "anywhere")
    _number(state, "share", "choose of", "the cheapest %.1f %%", 0.1)
    tooltip("one of this share of the transitions ahead is picked at random")
    _number(state, "transitions", "length", "%d transitions", 0.2)


def _random(state: AppState, ui: Ui) -> None:
    _name(state, "start", "start", "anywhere")
    _number(state, "seconds", "length", "%.1f s", 0.5)
    _number(state, "least", "between", "%.2f s at least", 0.005)
    tooltip("time between two transitions, where the clip has as much ahead")
    _number(state, "variety", "variety", "%.2f", 0.005)
    tooltip("0 picks every clip alike, 1 hardly ever goes back where it has just been")
    _number(state, "care", "care", "%.2f", 0.005)
    tooltip("0 picks cheap and expensive transitions alike, 1 hardly ever one near the threshold")


def _sequential(state: AppState, ui: Ui) -> None:
    order = state.walk.option["order"]
    _rows(order, state, ui)
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("##add", f"{icons.ICON_FA_PLUS}  add a label or clip"):
        chosen = _names(state, None)
        if chosen:
            state.issue(do.SetWalkOption("sequential", "order", (*order, chosen)))
        imgui.end_combo()
    _number(state, "stay", "stay", "%.2f s in each at least", 0.01)
    _choice(state, "way", "find", {"exact": "the cheapest", "trials": "by trials"})
    tooltip("the cheapest is exact; trials pick at random, so that every seed gives another walk")
    if state.walk.option["way"] == "trials":
        _number(state, "trials", "", "%d trials", 5.0)


def _rows(order: tuple[str, ...], state: AppState, ui: Ui) -> None:
    """The order, to be rearranged by dragging."""
    if not order:
        note("Add what it is to go through; drag to change the order.")
        return
    for index, item in enumerate(order):
        imgui.push_id(f"{item} {order[:index].count(item)}")  # goes with it when it is moved
        imgui.text_disabled(icons.ICON_FA_GRIP_LINES)
        imgui.same_line()
        wide = imgui.get_content_region_avail().x - 2.8 * imgui.get_font_size()
        imgui.push_style_color(imgui.Col_.text, (*_ink(item, state), 1.0))
        imgui.selectable(f"{index + 1}  {item}###row", False, imgui.SelectableFlags_.allow_overlap, (wide, 0))
        imgui.pop_style_color()
        if imgui.is_item_active() and not imgui.is_item_hovered():
            to = index + (1 if imgui.get_mouse_drag_delta(0).y > 0 else -1)
            if 0 <= to < len(order):  # dragged past its neighbour: they change places, and the drag goes on there
                moved = list(order)
                moved[index], moved[to] = moved[to], moved[index]
                state.issue(do.SetWalkOption("sequential", "order", tuple(moved)))
                imgui.reset_mouse_drag_delta()
        imgui.same_line()
        if imgui.small_button(icons.ICON_FA_XMARK):
            state.issue(do.SetWalkOption("sequential", "order", order[:index] + order[index + 1 :]))
        tooltip("leave it out")
        imgui.pop_id()


def _connect(state: AppState, ui: Ui) -> None:
    _name(state, "source", "from", "choose a clip or label")
    _name(state, "target", "to", "choose a clip or label")
    _choice(state, "by", "find", {"quickest": "the quickest", "cheapest": "the cheapest"})
    tooltip("the quickest way has the fewest frames, the cheapest the least sum of transition costs")


def _path(state: AppState, ui: Ui) -> None:
    path = drawn_path(state)
    field("path")
    if path is None:
        if imgui.button(f"{icons.ICON_FA_PEN}  Draw one on the floor", (-1, 0)):
            state.issue(do.ShowPanel("path", True))
            state.issue(do.SetTool("draw"))
    else:
        closed = ", closed" if path[3] else ""
        words = sorted({word for _, word in path[1] if word}) if path[1] else ()
        imgui.text(f"{len(path[0])} points{closed}{' · ' if words else ''}{', '.join(words)}")
    _name(state, "start", "start", "with the best")


def _reach(state: AppState, ui: Ui) -> None:
    x, z = goal_of(state)
    field("place", 9.0)
    low, high = LIMITS["x"]
    changed, (x, z) = imgui.drag_float2("##place", [x, z], 0.02, low, high, "%.2f m", _CLAMP)
    if changed:
        for name, value in (("x", x), ("z", z)):
            state.issue(do.SetWalkOption("reach", name, value))
        if state.path.goal is not None:
            state.issue(do.PlantGoal((x, z)))
    tooltip("x and z, metres on the floor")
    imgui.same_line()
    if imgui.button(f"{icons.ICON_FA_LOCATION_DOT}  Plant", (-1, 0)):
        state.issue(do.SetTool("goal"))
    tooltip("point at the place on the floor")
    own = state.walk.option
    changed, value = imgui.checkbox("facing", own["faces"])
    if changed:
        state.issue(do.SetWalkOption("reach", "faces", value))
    tooltip("which way the body is to face there")
    imgui.same_line(6.2 * imgui.get_font_size())
    imgui.begin_disabled(not own["faces"])
    imgui.set_next_item_width(-1)
    low, high = LIMITS["angle"]
    changed, value = imgui.drag_float("##angle", own["angle"], 1.0, low, high, "%.0f°  (0° along z)", _CLAMP)
    if changed:
        state.issue(do.SetWalkOption("reach", "angle", value))
    imgui.end_disabled()
    _name(state, "clip", "ends in", "any motion")
    _name(state, "start", "start", "with the best")
    changed, value = imgui.checkbox("Begin where the character stands", own["here"])
    if changed:
        state.issue(do.SetWalkOption("reach", "here", value))


# Pieces


def _number(state: AppState, name: str, text: str, shown: str, speed: float, least: str = "") -> None:
    """An option as a number to be dragged or typed; least: what its lowest value is called."""
    method, value = state.walk.method, state.walk.option[name]
    field(text)
    low, high = LIMITS[name]
    if least and value <= low:
        shown = least
    drag = imgui.drag_int if isinstance(low, int) else imgui.drag_float
    changed, value = drag(f"##{name}", value, speed, low, high, shown, _CLAMP)
    if changed:
        state.issue(do.SetWalkOption(method, name, value))


def _choice(state: AppState, name: str, text: str, words: dict[str, str]) -> None:
    """An option that is one of two or three, side by side."""
    method, value = state.walk.method, state.walk.option[name]
    field(text)
    imgui.begin_group()
    for index, (each, word) in enumerate(words.items()):
        if index:
            imgui.same_line()
        if imgui.radio_button(f"{word}##{name}", each == value):
            state.issue(do.SetWalkOption(method, name, each))
    imgui.end_group()


def _name(state: AppState, name: str, text: str, none: str) -> None:
    """An option that names a label, a clip, or a frame of one."""
    method, value = state.walk.method, state.walk.option[name]
    field(text)
    if not imgui.begin_combo(f"##{name}", value or none):
        return
    chosen = _names(state, none if not none.startswith("choose") else None)
    if chosen is not None:
        state.issue(do.SetWalkOption(method, name, chosen))
    imgui.end_combo()


def _names(state: AppState, none: str | None) -> str | None:
    """The inside of a combo: labels, clips, the frame on screen; what was clicked."""
    labels, clips = state.walk.names(state)
    chosen, entry = None, state.entry
    shown = searched(
        [*(("labels", word) for word in labels), *(("clips", name) for name in clips)], lambda line: line[1]
    )
    if none is not None and imgui.selectable(none, False)[0]:
        chosen = ""
    if entry is not None and entry.name in clips:
        at = f"{entry.name}:{int(frame_of(state))}"
        if imgui.selectable(f"this frame of {entry.name}: {int(frame_of(state))}", False)[0]:
            chosen = at
    for title in ("labels", "clips"):
        words = [word for kind, word in shown if kind == title]
        if not words:
            continue
        imgui.separator_text(title)
        for word in in_sight(words):
            imgui.push_style_color(imgui.Col_.text, (*_ink(word, state), 1.0))
            if imgui.selectable(f"{word}##{title}", False)[0]:
                chosen = word
            imgui.pop_style_color()
    return chosen


def _ink(word: str, state: AppState) -> tuple[float, float, float]:
    """Labels in their own colour."""
    return word_colour(word) if word in state.walk.names(state)[0] else theme.INK[:3]
