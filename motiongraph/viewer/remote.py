"""A socket for tests: it answers questions about the state and passes on what no test can press.

Off unless MOTIONGRAPH_REMOTE names a file for the socket. One JSON object per line, one line back.
"""

import json
import select
import socket
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from motiongraph.app import commands
from motiongraph.app.graph.graph_state import stale
from motiongraph.app.live.live_character import LedCharacter
from motiongraph.app.matrix.comparison import threshold_of
from motiongraph.app.playback import frame_of
from motiongraph.app.scene.cast import Pair
from motiongraph.app.state import AppState
from motiongraph.app.walk.edit_transitions import blend_lengths
from motiongraph.app.walk.results import current_result, made_of, results, step_begins
from motiongraph.viewer.draw.frame import Rect
from motiongraph.viewer.gl.context import live
from motiongraph.viewer.scenery import camera_of
from motiongraph.viewer.ui import PHASES, Ui

if TYPE_CHECKING:
    from motiongraph.viewer.loop import Viewer

_CONTROLS = (
    *("button", "small_button", "invisible_button", "radio_button", "checkbox", "selectable", "menu_item"),
    *("begin_menu", "begin_combo", "collapsing_header", "tree_node", "tree_node_ex", "slider_float", "slider_int"),
    *("drag_float", "drag_float2", "drag_float3", "drag_int", "drag_int_range2"),
    *("input_int", "input_text", "input_text_with_hint"),
)


class Spots:
    """Where the controls are on the screen, for tests and films that press them as a person would.

    A control is known by its window and its label: "Graph/Auto", "##MainMenuBar/File", "Library/walk". The tabs of
    docked panels are known as "tab/Graph". It listens to Dear ImGui's controls as they are drawn.
    """

    def __init__(self):
        self.found: dict[str, Rect] = {}  # of the last frame
        self._now: dict[str, Rect] = {}
        for name in _CONTROLS:
            setattr(imgui, name, self._watched(getattr(imgui, name)))
        setattr(imgui, "begin", self._begun(imgui.begin))  # noqa: B010 - a checker takes it for a constant

    def turn(self) -> None:
        """A frame is over."""
        self.found, self._now = self._now, {}

    def _watched(self, control: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(control)
        def watched(label: str, *rest: Any, **options: Any) -> Any:
            result = control(label, *rest, **options)
            # Inside an open menu or list the last item is not the control itself any more.
            if control.__name__ not in ("begin_menu", "begin_combo") or not result:
                self._note(label)
            return result

        return watched

    def _note(self, label: str) -> None:
        window = imgui.internal.get_current_window()
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        if imgui.is_item_visible():
            name = f"{window.root_window.name.split('###')[-1]}/{label.split('##')[0] or label}"
            if name in self._now:  # one that reads the same is known by the rest of its label
                name = f"{name}##{label.split('##')[-1]}"
            self._now.setdefault(name, (corner.x, corner.y, size.x, size.y))

    def _begun(self, begin: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(begin)
        def begun(title: str, *rest: Any, **options: Any) -> Any:
            result = begin(title, *rest, **options)
            window = imgui.internal.get_current_window()
            if window.dock_node is not None:
                rect = window.dc.dock_tab_item_rect
                self._now[f"tab/{title}"] = rect.min.x, rect.min.y, rect.max.x - rect.min.x, rect.max.y - rect.min.y
            return result

        return begun


class Remote:
    """Listens at a Unix socket; `answer` never waits."""

    def __init__(self, path: str):
        self.path = Path(path)
        self.path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._listener.setblocking(False)
        self._talks: list[tuple[socket.socket, bytearray]] = []
        self.spots: Spots | None = None  # once a test watches them
        self.pace: float | None = None  # seconds per frame, None for as long as the clock says
        self._step: float | None = None  # the frame that was asked for

    def answer(self, viewer: "Viewer") -> float | None:
        """Answer everything that has come in. Once a "step" of so many seconds was asked for, each frame waits for the
        next request and lasts that long: the return value, None for as long as the clock says."""
        if self.spots is not None:
            self.spots.turn()
        self._step = None
        self._hear(viewer)
        while self.pace is not None and self._step is None and not viewer.window.closing:
            select.select([self._listener, *(talk for talk, _ in self._talks)], [], [], 0.1)
            viewer.window.poll()
            self._hear(viewer)
        return self._step

    def waiting(self) -> bool:
        """Whether someone has asked something."""
        return bool(select.select([self._listener, *(talk for talk, _ in self._talks)], [], [], 0.0)[0])

    def _hear(self, viewer: "Viewer") -> None:
        try:
            talk, _ = self._listener.accept()
            talk.setblocking(False)
            self._talks.append((talk, bytearray()))
        except BlockingIOError:
            pass
        for talk, heard in list(self._talks):
            try:
                data = talk.recv(65536)
            except BlockingIOError:
                continue
            if not data:
                self._talks.remove((talk, heard))
                talk.close()
                continue
            heard += data
            while b"\n" in heard:
                line, _, rest = bytes(heard).partition(b"\n")
                heard[:] = rest
                asked = json.loads(line)
                if "step" in asked:  # 0 gives the clock its way again
                    self.pace = self._step = asked["step"] or None
                if "watch" in asked and self.spots is None:
                    self.spots = Spots()
                talk.sendall(json.dumps(_reply(viewer, asked)).encode() + b"\n")

    def close(self) -> None:
        for talk, _ in self._talks:
            talk.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)


def _reply(viewer: "Viewer", asked: dict[str, Any]) -> dict[str, Any]:
    if "drop" in asked:  # as the window system would
        viewer.window.on_drop([Path(path) for path in asked["drop"]])
    if "resize" in asked:
        viewer.window.glfw.set_window_size(viewer.window.handle, *asked["resize"])
    if "iconify" in asked:
        glfw = viewer.window.glfw
        (glfw.iconify_window if asked["iconify"] else glfw.restore_window)(viewer.window.handle)
    if "hidden" in asked:  # as on systems where a minimised window has no size
        viewer.window.pixels = (
            (0, 0) if asked["hidden"] else viewer.window.glfw.get_framebuffer_size(viewer.window.handle)
        )
    for name, *fields in asked.get("do", ()):
        viewer.state.issue(getattr(commands, name)(*fields))
    if "collect" in asked:
        viewer.look_through(always=True)
    return status(viewer)


def _lanes(state: AppState, ui: Ui) -> dict[str, Any] | None:
    """The current graph and its picture. rect: x, y, width, height on the screen; span: what it shows, seconds and
    lanes; curves: chosen, of how many, drawn so far; ends: of the first of them; plot: where the trade-off is, x, y,
    width, height."""
    graphs, view, lanes = state.graph, ui.graph_view, state.graph.lanes
    if graphs.graph is None or lanes is None:
        return None
    return {
        "clips": [clip.name for clip in graphs.graph.clips],
        "candidates": len(graphs.graph.candidates.table),
        "transitions": graphs.report["transitions"],
        "limits": [graphs.graph.thresholds.within, graphs.graph.thresholds.between],
        "pairs": {"–".join(pair): value for pair, value in graphs.graph.thresholds.pairs},
        "auto": graphs.graph.is_auto,
        "automatic": graphs.automatic,
        "stale": stale(state),
        "warnings": graphs.warnings,
        "built": graphs.built,
        "version": graphs.version,
        "rect": view.rect,
        "slider": view.slider,
        "plot": view.plot,
        "span": graphs.span or lanes.whole,
        "curves": [len(view.index), view.of, ui.canvases["graph"].done],
        "ends": lanes.ends[view.index[0]].tolist() if len(view.index) else None,
        "pointed": graphs.pointed,
        "filter": [sorted(graphs.filter.labels), graphs.filter.kind, graphs.filter.kept],
    }


def status(viewer: "Viewer") -> dict[str, Any]:
    """What there is to know, in plain numbers and words."""
    state, ui = viewer.state, viewer.ui
    camera, result = camera_of(state), current_result(state)
    rate, median, worst = ui.timings.summary()
    return {
        "frames": ui.timings.count,
        "clock": state.clock,
        "ready": state.ready,
        "playing": state.playback.playing,
        "frame": [frame_of(state, t) for t in range(3)],
        "lasts": [len(e.clip) if (e := state.library.get(t.clip)) else 0 for t in state.tracks],
        "elapsed": [track.elapsed for track in state.tracks],
        "clips": [e.name for e in state.library],
        "tracks": [state.library[t.clip].name if t.clip else None for t in state.tracks],
        "active": state.active,
        "views": state.scene.views,
        "ghosts": len(state.scene.ghosts),
        "props": [[prop.name, *prop.size] for prop in state.scene.props],
        "layers": vars(state.scene.layers),
        "characters": sum(len(cast) for cast in state.casts),
        "camera": {name: getattr(camera, name) for name in ("yaw", "pitch", "roll", "distance", "fov")}
        | {"eye": camera.eye.to_list()},
        "playback": vars(state.playback),
        "places": {state.library[number].name: place for number, place in state.scene.places.items()},
        "parts": {e.name: [e.start, e.stop, e.words, e.used] for e in state.library},
        "follow": state.follow,
        "panels": state.window.panels,
        "shown": sorted(state.window.shown),
        "full_screen": viewer.window.full_screen,
        "hidden": viewer.window.hidden,
        "size": viewer.window.size,
        "scene": ui.scene,
        "tool": state.path.tool,
        "path": {"points": len(state.path.points), "length": state.path.length, "labels": state.path.labels}
        | {"closed": state.path.closed},
        "brush": state.path.brush,
        "goal": state.path.goal,
        "graph": state.graph.graph is not None,
        "lanes": _lanes(state, ui),
        "rules": vars(state.graph.options.rules),
        "metric": {name: getattr(state.matrix.metric, name) for name in ("kind", "joint_weights", "shares")},
        "planted": state.entry.clip.planted.spans() if state.entry and state.entry.clip.planted else [],
        "led": state.live and _led(state.live),
        "crowd": state.crowd.moving and state.crowd.moving.root[:, 0, ::2].tolist(),
        "hint": state.hint,
        "asked": state.project.asked_at is not None,
        "title": viewer.title,
        "texts": ui.texts,
        "walk": {"method": state.walk.method, "seed": state.walk.seed, "problem": state.walk.problem}
        | {"options": state.walk.option},
        "steps": step_begins(made_of(result).walk).tolist() if result else [],
        "blends": blend_lengths(result).tolist() if result else [],
        "jumps": made_of(result).walk.transitions[["src_frame", "dst_frame"]].tolist() if result else [],
        "results": [[e.name, made_of(e).method, len(made_of(e).walk.transitions)] for e in results(state)],
        "messages": [[m.level, m.text] for m in state.messages],
        "jobs": [job.title for job in state.jobs.running],
        "objects": live(),
        "pair": _pair(state.scene.pair),
        "matrix": _matrix(state, ui),
        "why": state.why.reason and [state.why.reason.entry.name, state.why.reason.number, state.why.aside],
        "fps": rate,
        "own": [median, worst],
        "spots": viewer.remote.spots.found if viewer.remote and viewer.remote.spots else {},
        "phases": dict(zip(PHASES, ui.timings.ring.max(axis=1).tolist())),
    }


def _led(led: LedCharacter) -> dict[str, Any]:
    """The character that is led: where it is, and what it is asked."""
    character = led.character
    return {
        "seconds": led.seconds,
        "place": character.root[[0, 2]].tolist(),
        "heading": character.heading,
        "shown": led.shown,
        "span": led.span,
        "steered": led.stick and [led.stick.right, led.stick.ahead, led.stick.fast, led.stick.place],
        "problem": character.problem,
        "decisions": len(character.decisions),
    }


def _pair(pair: Pair | None) -> dict[str, Any] | None:
    """The two windows in the scene."""
    if pair is None:
        return None
    return {"a": pair.a.name, "b": pair.b.name, "frames": [pair.frame_a, pair.frame_b], "clouds": pair.clouds}


def _matrix(state: AppState, ui: Ui) -> dict[str, Any] | None:
    """What the heat map shows and where: plot is x, y, width, height on the screen, seen left, top, right, bottom in
    cells, view the frame and left, top, right, bottom of the plot with its axes on the screen."""
    heat = state.matrix.heat
    if heat is None:
        return {"problem": state.matrix.problem}
    kept = ui.heats.kept
    threshold = threshold_of(state)
    return {
        "problem": state.matrix.problem,
        "clips": [heat.a.name, heat.b.name],
        "shape": heat.shape,
        "threshold": threshold,
        "unit": heat.unit,
        "window": heat.window,
        "search": [heat.search.method, heat.search.radius, heat.search.border],
        "clouds": state.matrix.clouds,
        "below": heat.below(threshold),
        "best": heat.minima[:5].tolist(),
        "plot": kept.get("plot"),
        "seen": kept.get("seen"),
        "view": kept.get("view"),
        "complete": ui.heats["matrix"].complete,
    }
