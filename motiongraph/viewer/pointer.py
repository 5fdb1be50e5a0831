"""What the mouse does in the scene, and flying; everything becomes commands."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.playback import visible_tracks
from motiongraph.app.state import AppState
from motiongraph.viewer.floor_tool import FloorTool
from motiongraph.viewer.matrices import dvec3, glm
from motiongraph.viewer.scenery import camera_of
from motiongraph.viewer.ui import Ui

_TURN = 180.0  # degrees for a drag as long as the view is high
_LOOK = 70.0
_SPEED = 2.5  # metres a second
_LEFT, _RIGHT, _MIDDLE = 0, 1, 2
_KEYS = (("w", "s"), ("d", "a"), ("e", "q"))


_FARTHEST = 60.0  # metres from the eye: beyond that a pixel is a street


class Pointer:
    """Remembers what a button that is held down was pressed for; presses on panels are none of its business."""

    def __init__(self):
        self._holding: tuple[int, str] | None = None
        self._at = None
        self._tool = FloorTool()

    def update(self, state: AppState, ui: Ui, dt: float) -> None:
        io = imgui.get_io()
        self._press(state, ui, io)
        if self._holding is not None and not imgui.is_mouse_down(self._holding[0]):
            if self._holding[1] == "tool":
                self._tool.release(state)
            self._holding = None
        kind = self._holding[1] if self._holding else ""
        if state.path.tool != "off" or state.path.under is not None:
            self._point(kind, state, ui, io)
        ui.flying = kind == "look"
        if kind:
            self._move(kind, state, ui, io)
        if ui.flying:
            self._fly(state, io, dt)
        if io.mouse_wheel and not io.want_capture_mouse:
            state.issue(do.Zoom(io.mouse_wheel * 1.5))

    def _press(self, state: AppState, ui: Ui, io: imgui.IO) -> None:
        if io.want_capture_mouse or self._holding is not None:
            return
        for button in (_LEFT, _RIGHT, _MIDDLE):
            if not imgui.is_mouse_clicked(button):
                continue
            pane = _pane_under(ui, io.mouse_pos)
            if pane is None:
                return
            track = visible_tracks(state)[min(pane, len(visible_tracks(state)) - 1)]
            if track != state.active:
                state.issue(do.TakeTrack(track))
            self._pane, self._at = pane, _floor(state, ui, pane, io.mouse_pos)
            imgui.set_window_focus(None)
            if state.path.tool != "off" and not (io.key_alt or io.key_ctrl or io.key_shift):
                place = _near(state, self._at)
                if place is not None and self._tool.press(state, button, place):
                    self._holding = button, "tool"
                    return
                if button == _LEFT:  # the sky: there is nothing to be done, and nothing to be turned by mistake
                    return
            elif button == _LEFT and imgui.is_mouse_double_clicked(button):
                state.issue(do.ResetCamera())
                return
            self._holding = button, _purpose(button, io, state.path.tool != "off")
            return

    def _point(self, kind: str, state: AppState, ui: Ui, io: imgui.IO) -> None:
        """Where a tool is on the floor: shown there, and used while its button is held."""
        pane = self._pane if kind == "tool" else None if io.want_capture_mouse else _pane_under(ui, io.mouse_pos)
        place = None
        if state.path.tool != "off" and pane is not None and not kind.startswith(("orbit", "pan", "look")):
            place = _near(state, _floor(state, ui, pane, io.mouse_pos))
        if place != state.path.under:
            state.issue(do.PointAt(place))
            if kind == "tool" and place is not None:
                self._tool.drag(state, place)

    def _move(self, kind: str, state: AppState, ui: Ui, io: imgui.IO) -> None:
        if kind == "tool":
            return
        high = max(ui.scene[3], 1.0)
        right, down = io.mouse_delta.x / high, io.mouse_delta.y / high
        if not (right or down):
            return
        if kind == "orbit":
            state.issue(do.Orbit(-_TURN * right, _TURN * down))
        elif kind == "pan":
            state.issue(do.Pan(right, down))
        elif kind == "look":
            state.issue(do.Look(-_LOOK * right, _LOOK * down))
        elif kind == "turn":
            state.issue(do.MoveCharacter(turn=3.0 * right))
        else:
            here = _floor(state, ui, self._pane, io.mouse_pos)
            if here is not None and self._at is not None:
                x, z = (here - self._at).xz
                if abs(x) < 10 and abs(z) < 10:  # near the horizon a pixel is a street
                    state.issue(do.MoveCharacter(x=x, z=z) if kind == "move" else do.ShiftGhost(x, z))
            self._at = here

    @staticmethod
    def _fly(state: AppState, io: imgui.IO, dt: float) -> None:
        forward, right, up = (
            imgui.is_key_down(getattr(imgui.Key, plus)) - imgui.is_key_down(getattr(imgui.Key, minus))
            for plus, minus in _KEYS
        )
        if forward or right or up:
            state.issue(do.Fly(forward, right, up, dt * _SPEED * (4.0 if io.key_shift else 1.0)))


def _purpose(button: int, io: imgui.IO, with_tool: bool = False) -> str:
    """With a tool in the hand the left button is taken: Alt orbits, or the right button."""
    if button == _MIDDLE:
        return "pan"
    if button == _RIGHT:
        return "orbit" if with_tool else "look"
    if with_tool and io.key_alt:
        return "orbit"
    if io.key_ctrl:
        return "turn" if io.key_shift else "move"
    if io.key_alt:
        return "ghost"
    return "pan" if io.key_shift else "orbit"


def _near(state: AppState, point: dvec3 | None) -> tuple[float, float] | None:
    """x, z of a point of the floor that is near enough to work at."""
    if point is None or glm.distance(point, camera_of(state).eye) > _FARTHEST:
        return None
    return point.x, point.z


def _pane_under(ui: Ui, where: imgui.ImVec2) -> int | None:
    for index, (x, y, width, height) in enumerate(ui.panes):
        if x <= where.x < x + width and y <= where.y < y + height:
            return index
    return None


def _floor(state: AppState, ui: Ui, pane: int, where: imgui.ImVec2) -> dvec3 | None:
    """The point of the floor under the mouse, or None."""
    track = visible_tracks(state)[min(pane, len(visible_tracks(state)) - 1)]
    return camera_of(state, track).floor_point(where.x, where.y, ui.panes[pane])
