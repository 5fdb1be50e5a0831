"""Everything in the menus: what it is called, its keys, the command it issues, and when it makes sense.

Menus, the list of shortcuts and the keyboard all read this one table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from motiongraph.app import commands as do
from motiongraph.app.graph.graph_state import taking_part
from motiongraph.app.library.many import chosen_clips
from motiongraph.app.live.live_character import under_way
from motiongraph.app.playback import LOOPS, RESULT, ROOTS, frame_of
from motiongraph.app.scene.camera_moves import camera_of
from motiongraph.app.state import AppState
from motiongraph.viewer import action
from motiongraph.viewer.action import Action, Make, Step, Test

if TYPE_CHECKING:
    from motiongraph.app.command import Command
    from motiongraph.app.library.entries import Entry
    from motiongraph.viewer.ui import Ui

_SPEEDS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)


def _faster(step: int) -> Make:
    def make(state: AppState) -> Command:
        speed = state.playback.speed
        if step > 0:
            return do.SetSpeed(next((s for s in _SPEEDS if s > speed + 1e-6), _SPEEDS[-1]))
        return do.SetSpeed(next((s for s in reversed(_SPEEDS) if s < speed - 1e-6), _SPEEDS[0]))

    return make


def _layer(name: str) -> Make:
    return lambda state: do.ToggleLayer(name)


def _on(name: str) -> Test:
    return lambda state: getattr(state.scene.layers, name) not in (False, "off", "none")


def _clip(make: Callable[[AppState, Entry], Command]) -> Make:
    """A command about the active clip."""
    return lambda state: make(state, state.entry) if state.entry is not None else None


def _next_loop(state: AppState) -> Command:
    return do.SetLoop(LOOPS[(LOOPS.index(state.playback.loop) + 1) % len(LOOPS)])


def _next_root(state: AppState) -> Command:
    return do.SetRoot(ROOTS[(ROOTS.index(state.playback.root) + 1) % len(ROOTS)])


def _straight(degrees: float) -> Make:
    return lambda state: do.SetRoot("straight", state.playback.direction + math.radians(degrees))


def _goes_straight(state: AppState) -> bool:
    return state.playback.root == "straight"


def _panel(name: str, shown: bool | None = None) -> Make:
    return lambda state: do.ShowPanel(name, shown)


def _setting(name: str) -> Make:
    return lambda state: do.SetSetting(name, not getattr(state.settings, name))


def _set(name: str) -> Test:
    return lambda state: getattr(state.settings, name)


def _shown(name: str) -> Test:
    return lambda state: name in state.window.shown


def _has_graph(state: AppState) -> bool:
    return state.graph.graph is not None


def _action(group: str, text: str, keys: str = "", make: Make | None = None, **fields: Any) -> Action:
    return Action(group, text, tuple(keys.split()), make, **fields)


def _moves(group: str, steps: tuple[Step, ...], **fields: Any) -> Iterator[tuple[str, Action]]:
    """Steps of `action`, which the list of keys mentions together."""
    for name, text, keys, make in steps:
        yield name, _action(group, text, keys, make, repeats=True, family=action.LISTED[steps], **fields)


def _panels() -> Iterator[tuple[str, Action]]:
    """A key for every panel that is docked: it is shown, and comes to the front."""
    for number, name in enumerate(PANELS, 2):
        keys = f"F{number}" if number < 11 else "Ctrl+M"
        family = ("F2 … F10", f"Panels: {', '.join(PANELS[:-1])}") if number < 11 else None
        yield (
            f"panel {name}",
            _action("View", name.title(), keys, _panel(name, True), checked=_shown(name), family=family),
        )


def _crowd(state: AppState) -> Command:
    return do.StopCrowd() if state.crowd.moves else do.StartCrowd()


def _has_clips(state: AppState) -> bool:
    return len(state.library) > 0


def _tool(name: str) -> Make:
    """Take a tool, or put it away again."""
    return lambda state: do.SetTool("off" if state.path.tool == name else name)


def _put_away(state: AppState) -> Command:
    """The tool, or whoever is led where there is none."""
    return do.Lead(False) if state.path.tool == "off" and state.live is not None else do.SetTool("off")


def _using(name: str) -> Test:
    return lambda state: state.path.tool == name


def _made(state: AppState) -> bool:
    entry = state.library.get(state.tracks[RESULT].clip)
    return bool(entry and entry.made)


def _remove(state: AppState, entry: Entry) -> Command:
    """While points are edited, Delete is about those."""
    if state.path.tool == "edit" and state.path.chosen is not None:
        return do.RemovePoint(state.path.chosen)
    many = chosen_clips(state)
    return do.RemoveClips(many) if len(many) > 1 else do.RemoveClip(entry.number)


PANELS = ("library", "clip", "scene", "camera", "matrix", "graph", "walk", "path", "stats", "messages")
ACTIONS: dict[str, Action] = {
    # File
    "open": _action("File", "Open files…", "Ctrl+O", dialog="open files"),
    "open folder": _action("File", "Open folder…", "Ctrl+Shift+O", dialog="open folder"),
    "samples": _action("File", "Open the samples", "Ctrl+Shift+D", lambda s: do.OpenSamples()),
    "fetch": _action("File", "Get CMU clips…", "Ctrl+D", _panel("fetch", True)),
    "save": _action(
        "File", "Save project", "Ctrl+S", lambda s: s.project.path and do.SaveProject(), dialog="save project"
    ),
    "save as": _action("File", "Save project as…", "Ctrl+Shift+S", dialog="save project"),
    "new": _action("File", "New project", "Ctrl+Shift+N", lambda s: do.NewProject()),
    "reopen": _action("File", "Unsaved work…", "", _panel("unsaved", True), possible=lambda s: s.project.unsaved),
    "save labels": _action("File", "Save labels…", "Ctrl+L", dialog="save labels", needs_clip=True),
    "export": _action("File", "Export clip…", "Ctrl+E", dialog="export", needs_clip=True),
    "screenshot": _action("File", "Picture of the scene", "F12", lambda s: do.Screenshot()),
    "screenshot all": _action("File", "Picture of the window", "Shift+F12", lambda s: do.Screenshot(panels=True)),
    "record": _action("File", "Video of the clip…", "Ctrl+R", _panel("film", True), needs_clip=True),
    "quit": _action("File", "Quit", "Ctrl+Q", lambda s: do.Quit()),
    # Edit
    "preferences": _action("Edit", "Preferences…", "Ctrl+,", _panel("preferences", True)),
    "undo": _action("Edit", "Undo", "Ctrl+Z", lambda s: do.Undo(), repeats=True, possible=lambda s: s.history.done),
    "redo": _action(
        "Edit", "Redo", "Ctrl+Shift+Z Ctrl+Y", lambda s: do.Redo(), repeats=True, possible=lambda s: s.history.undone
    ),
    # Playback
    "play": _action(
        "Playback", "Play / pause", "Space", lambda s: do.TogglePlay(), checked=lambda s: s.playback.playing
    ),
    "step": _action("Playback", "Next frame", "RightArrow", lambda s: do.Step(1), repeats=True),
    "step back": _action("Playback", "Previous frame", "LeftArrow", lambda s: do.Step(-1), repeats=True),
    "step ten": _action("Playback", "Ten frames on", "Shift+RightArrow", lambda s: do.Step(10), repeats=True),
    "back ten": _action("Playback", "Ten frames back", "Shift+LeftArrow", lambda s: do.Step(-10), repeats=True),
    "start": _action("Playback", "First frame", "Home", lambda s: do.Jump()),
    "end": _action("Playback", "Last frame", "End", lambda s: do.Jump(end=True)),
    "faster": _action("Playback", "Faster", "UpArrow", _faster(1), repeats=True),
    "slower": _action("Playback", "Slower", "DownArrow", _faster(-1), repeats=True),
    "normal speed": _action("Playback", "Normal speed", "Ctrl+UpArrow", lambda s: do.SetSpeed(1.0)),
    "reverse": _action(
        "Playback",
        "Reverse",
        "R",
        lambda s: do.SetReverse(not s.playback.reverse),
        checked=lambda s: s.playback.reverse,
    ),
    "loop": _action("Playback", "Loop, ping-pong, once", "L", _next_loop),
    "root": _action("Playback", "Root: captured, in place, …", "I", _next_root),
    "straight left": _action("Playback", "Straight on: more left", ",", _straight(15), possible=_goes_straight),
    "straight right": _action("Playback", "Straight on: more right", ".", _straight(-15), possible=_goes_straight),
    "autoplay": _action("Playback", "Play what is opened", "", _setting("autoplay"), checked=_set("autoplay")),
    # Clip
    "next": _action("Clip", "Next clip", "PageDown N", lambda s: do.SelectNext(1), repeats=True),
    "previous": _action("Clip", "Previous clip", "PageUp Shift+N", lambda s: do.SelectNext(-1), repeats=True),
    "trim start": _action(
        "Clip",
        "Trim: begin here",
        "[",
        _clip(lambda s, e: do.Trim(e.number, int(frame_of(s)), e.stop)),
        needs_clip=True,
    ),
    "trim end": _action(
        "Clip",
        "Trim: end here",
        "]",
        _clip(lambda s, e: do.Trim(e.number, e.start, int(frame_of(s)) + 1)),
        needs_clip=True,
    ),
    "untrim": _action(
        "Clip", "Use all frames", "\\", _clip(lambda s, e: do.Trim(e.number, 0, len(e.clip))), needs_clip=True
    ),
    "use": _action(
        "Clip",
        "Use in graph",
        "X",
        _clip(lambda s, e: do.TickClip(e.number, not e.used)),
        checked=lambda s: bool(s.entry and s.entry.used),
        needs_clip=True,
    ),
    "tick all": _action("Clip", "Tick all", "Ctrl+A", lambda s: do.UseClip(None, True), possible=_has_clips),
    "tick none": _action("Clip", "Tick none", "Ctrl+Shift+A", lambda s: do.UseClip(None, False), possible=_has_clips),
    "mirror": _action("Clip", "Add mirrored", "M", _clip(lambda s, e: do.MirrorClip(e.number)), needs_clip=True),
    "find contacts": _action(
        "Clip",
        "Contacts as found in the motion",
        "",
        _clip(lambda s, e: do.FindContacts(e.number)),
        possible=lambda s: s.entry is not None and s.entry.clip.planted is not None,
    ),
    "remove": _action("Clip", "Remove", "Delete", _clip(_remove), needs_clip=True),
    "remove all": _action("Clip", "Remove all", "", lambda s: do.RemoveAll(), possible=_has_clips),
    # Scene
    "bones": _action("Scene", "Body", "B", _layer("bones"), checked=_on("bones")),
    "boxes": _action("Scene", "Body as skin, capsules, boxes, sticks", "Shift+B", _layer("bone_style")),
    "sides": _action("Scene", "Tint left and right", "", _layer("sides"), checked=_on("sides")),
    "names": _action("Scene", "Names above characters", "", _layer("names"), checked=_on("names")),
    "joints": _action("Scene", "Joints", "J", _layer("joints"), checked=_on("joints")),
    "trajectory": _action("Scene", "Root trajectory", "T", _layer("trajectory"), checked=_on("trajectory")),
    "contacts": _action(
        "Scene", "Foot contacts, in the timeline too", "K", _layer("contacts"), checked=_on("contacts")
    ),
    "cloud": _action("Scene", "Point cloud: pose, window, off", "C", _layer("cloud"), checked=_on("cloud")),
    "flow": _action("Scene", "Flow: the pose every N frames", "O", _layer("flow"), checked=_on("flow")),
    "crowd": _action("Scene", "All ticked clips at once", "A", _layer("crowd"), checked=_on("crowd")),
    "start crowd": _action("Scene", "Start, stop a crowd", "Shift+A", _crowd, possible=_has_clips),
    "clear crowd": _action("Scene", "Clear crowd", "", lambda s: do.ClearCrowd(), possible=lambda s: s.crowd.asked.on),
    "pin": _action("Scene", "Pin this pose as a ghost", "G", lambda s: do.PinGhost(), needs_clip=True),
    "unpin": _action("Scene", "Take the last ghost back", "Shift+G", lambda s: do.UnpinGhost()),
    "clear ghosts": _action("Scene", "Clear all ghosts", "Ctrl+G", lambda s: do.ClearGhosts()),
    **dict(_moves("Scene", action.GHOST, possible=lambda s: s.scene.ghosts)),
    **dict(_moves("Scene", action.CHARACTER, needs_clip=True)),
    "place": _action("Scene", "Character back to its place", "Ctrl+Home", lambda s: do.PlaceCharacter()),
    "floor": _action("Scene", "Floor: checker, grid, none", "Shift+F", _layer("floor"), checked=_on("floor")),
    "shadows": _action("Scene", "Shadows", "Shift+S", _layer("shadows"), checked=_on("shadows")),
    "day": _action("Scene", "Bright surroundings", "D", _setting("day"), checked=_set("day")),
    # Walk
    "make walk": _action("Walk", "Make a walk", "Ctrl+Enter", lambda s: do.MakeWalk()),
    "new seed": _action("Walk", "Another walk: new seed", "Ctrl+Shift+Enter", lambda s: do.NewSeed()),
    "clear results": _action("Walk", "Remove all results", "", lambda s: do.ClearResults(), possible=_made),
    # Path
    "draw": _action("Path", "Draw a path on the floor", "P", _tool("draw"), checked=_using("draw")),
    "edit path": _action("Path", "Move its points", "E", _tool("edit"), checked=_using("edit")),
    "paint": _action("Path", "Paint labels along it", "Shift+E", _tool("paint"), checked=_using("paint")),
    "goal": _action("Path", "Plant a goal", "V", _tool("goal"), checked=_using("goal")),
    "no tool": _action("Path", "Deselect tool; stop leading", "Escape", _put_away),
    "walk path": _action("Path", "Walk it", "W", lambda s: do.WalkPath(), possible=lambda s: s.path.line is not None),
    "lead": _action(
        "Path",
        "Drive a character, or lead it on",
        "Shift+W",
        lambda s: do.Lead(not under_way(s)),
        checked=under_way,
        needs_clip=True,
    ),
    "replay": _action("Path", "Replay from the start", "Shift+Home", lambda s: do.Replay(), needs_clip=True),
    "reset walk": _action(
        "Path", "Reset: take the walk back", "Ctrl+Backspace", lambda s: do.ResetWalk(), possible=_made
    ),
    "smooth": _action("Path", "Smooth it", "Shift+P", lambda s: do.SmoothPath(), possible=lambda s: s.path.line),
    "reverse path": _action("Path", "Reverse", "Shift+R", lambda s: do.ReversePath(), possible=lambda s: s.path.line),
    "close path": _action(
        "Path",
        "Close path",
        "Shift+C",
        lambda s: do.ClosePath(not s.path.closed),
        checked=lambda s: s.path.closed,
        possible=lambda s: len(s.path.points) > 2,
    ),
    "clear path": _action(
        "Path",
        "Clear it",
        "Shift+Delete",
        lambda s: do.ClearPath(),
        possible=lambda s: len(s.path.points) or s.path.goal,
    ),
    "load path": _action("Path", "Open a path…", "", dialog="load path"),
    "save path": _action("Path", "Save the path…", "", dialog="save path", possible=lambda s: s.path.line is not None),
    # Graph
    "build": _action("Graph", "Build or update", "Ctrl+B", lambda s: do.BuildGraph(), possible=taking_part),
    "bridge": _action("Graph", "Bridge what is apart", "", lambda s: do.BridgeGraph(), possible=_has_graph),
    "auto threshold": _action(
        "Graph",
        "Automatic threshold",
        "Ctrl+T",
        lambda s: do.SetThreshold("auto"),
        checked=lambda s: s.graph.graph is not None and s.graph.graph.is_auto,
        possible=_has_graph,
    ),
    "mirror graph": _action(
        "Graph",
        "With mirror images",
        "Shift+M",
        lambda s: do.SetGraphOption("mirror", not s.graph.options.mirror),
        checked=lambda s: s.graph.options.mirror,
    ),
    "whole graph": _action("Graph", "See all of it", "Ctrl+0", lambda s: do.ShowLanes(), possible=_has_graph),
    "open graph": _action("Graph", "Open…", "", dialog="open graph"),
    "save graph": _action("Graph", "Save…", "", dialog="save graph", possible=_has_graph),
    "export graph": _action("Graph", "Export…", "", dialog="export graph", possible=_has_graph),
    "drop graph": _action("Graph", "Clear", "", lambda s: do.DropGraph(), possible=_has_graph),
    "why": _action("Graph", "Why this transition", "Y", lambda s: do.AskWhy(), checked=_shown("why")),
    # Camera
    "follow": _action(
        "Camera", "Follow the character", "F", lambda s: do.SetFollow(not s.follow), checked=lambda s: s.follow
    ),
    "reset camera": _action("Camera", "Reset", "Z", lambda s: do.ResetCamera()),
    "front": _action("Camera", "Front", "Ctrl+1", lambda s: do.LookFrom("front")),
    "side": _action("Camera", "Side", "Ctrl+2", lambda s: do.LookFrom("side")),
    "top": _action("Camera", "Top", "Ctrl+3", lambda s: do.LookFrom("top")),
    "three-quarter": _action("Camera", "Three-quarter", "Ctrl+4", lambda s: do.LookFrom("three-quarter")),
    **dict(_moves("Camera", action.ORBIT)),
    **dict(_moves("Camera", action.PAN)),
    **dict(_moves("Camera", action.ZOOM)),
    "below floor": _action(
        "Camera",
        "May go below the floor",
        "Shift+U",
        lambda s: do.LetBelowFloor(camera_of(s, s.active).floor is not None),
        checked=lambda s: camera_of(s, s.active).floor is None,
    ),
    # View
    **dict(_panels()),
    "panels": _action("View", "Hide panels", "U", lambda s: do.TogglePanels(), checked=lambda s: not s.window.panels),
    "full screen": _action(
        "View", "Full screen", "F11", lambda s: do.ToggleFullScreen(), checked=lambda s: s.window.full_screen
    ),
    "split 1": _action("View", "One view", "Alt+1", lambda s: do.Split(1), checked=lambda s: s.scene.views == 1),
    "split 2": _action("View", "A and B", "Alt+2", lambda s: do.Split(2), checked=lambda s: s.scene.views == 2),
    "split 3": _action("View", "A, B and result", "Alt+3", lambda s: do.Split(3), checked=lambda s: s.scene.views == 3),
    "next track": _action(
        "View", "Control the next view", "Tab", lambda s: do.TakeTrack((s.active + 1) % s.scene.views)
    ),
    "vsync": _action("View", "Wait for the display (vsync)", "Shift+V", _setting("vsync"), checked=_set("vsync")),
    "larger": _action("View", "Larger text", "Ctrl+Equal", lambda s: do.SetSetting("zoom", s.settings.zoom + 0.1)),
    "smaller": _action("View", "Smaller text", "Ctrl+Minus", lambda s: do.SetSetting("zoom", s.settings.zoom - 0.1)),
    "layout": _action("View", "Reset the layout", "Ctrl+Shift+L", lambda s: do.ResetLayout()),
    # Help
    "shortcuts": _action("Help", "Keyboard and mouse", "F1", _panel("shortcuts"), checked=_shown("shortcuts")),
    "hint": _action("Help", "What to try", "Shift+F1", lambda s: do.ShowHint(not s.hint), checked=lambda s: s.hint),
}

# What the keyboard cannot list.
MOUSE = (
    ("drag", "orbit"),
    ("Shift+drag, or middle button", "pan"),
    ("wheel", "zoom"),
    ("right button", "look around; with W A S D Q E held: fly (Shift: faster)"),
    ("Ctrl+drag", "move the character over the floor"),
    ("Ctrl+Shift+drag", "turn the character"),
    ("Alt+drag", "shift the last ghost"),
    ("double click", "reset the camera"),
    ("with a tool", "drag uses it; Alt+drag or the right button orbits"),
    ("editing the path", "drag points, click the line to add one, right click to remove one"),
    ("leading: W A S D, arrows, left stick", "go that way as the camera sees it; Shift or a trigger: run"),
    ("leading: click, hold on the floor", "a goal to stop at; go where the mouse is"),
    ("leading: right button, right stick", "turn the camera about the character"),
    ("leading: Space, then the timeline", "look at what it did again; steering goes on from the present"),
    ("digits, then Enter", "go to that frame"),
    ("drop files or folders", "open them"),
    ("?", "this list"),
)


def possible(action: Action, state: AppState) -> bool:
    return (not action.needs_clip or state.entry is not None) and (not action.possible or bool(action.possible(state)))


def act(action: Action, state: AppState, ui: Ui) -> None:
    """Do what the action is for."""
    if not possible(action, state):
        return
    command = action.make(state) if action.make else None
    if command is not None:
        state.issue(command)
    else:
        ui.dialogs.ask(action.dialog, state)
