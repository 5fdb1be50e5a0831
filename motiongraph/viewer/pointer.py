"""What the mouse does in the scene: on the floor for a tool, else to the camera; and flying. All becomes commands."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.path.path_state import HANDLE, caught, grip
from motiongraph.app.playback import visible_tracks
from motiongraph.app.state import AppState
from motiongraph.viewer.matrices import dvec3, glm
from motiongraph.viewer.scenery import camera_of
from motiongraph.viewer.ui import Ui

_TURN = 180.0  # degrees for a drag as long as the view is high
_LOOK = 70.0
_SPEED = 2.5  # metres a second
_LEFT, _RIGHT, _MIDDLE = 0, 1, 2
_KEYS = (("w", "s"), ("d", "a"), ("e", "q"))
_FARTHEST = 60.0  # metres from the eye: beyond that a pixel is a street
Place = tuple[float, float]  # x, z metres
_BRUSH = 0.15  # metres to each side
_NEW = -1  # stands for the point that was just added
_CLICK, _LONG = 0.25, 1.0  # s after which a button is held; so long it may be a click all the same
_JUMP = 1.5  # metres: farther apart along the path are other stretches, where it crosses itself


class FloorTool:
    """Remembers what was caught. Places are x, z metres."""

    def __init__(self):
        self._point: int | None = None  # that is held
        self._added = False  # whether a new point is held, whose number is the chosen one
        self._along: float | None = None  # metres of the path up to where the brush was

    def press(self, state: AppState, button: int, place: Place) -> bool:
        """Whether the button is the tool's from now on."""
        path, tool = state.path, state.path.tool
        if tool == "edit":
            point = caught(state, place)
            if button == _RIGHT:
                if point is not None:
                    state.issue(do.RemovePoint(point))
                return point is not None
            if button != _LEFT:
                return False
            if point is None and path.nearest(*place)[1] < grip(state):
                state.issue(do.AddPoint(*place))
                self._added = True
            else:
                state.issue(do.ChoosePoint(point))
            self._point = point
            return True
        if button != _LEFT:
            return False
        if tool == "draw":
            state.issue(do.BeginStroke(*place))
        elif tool == "goal":
            state.issue(do.PlantGoal(place))
        elif tool == "paint":
            self._along = None
            self._paint(state, place)
        return True

    def drag(self, state: AppState, place: Place) -> None:
        path, tool = state.path, state.path.tool
        if tool == "draw" and path.stroke:
            state.issue(do.ExtendStroke(*place))
        elif tool == "edit":
            point = path.chosen if self._added else self._point
            if point is not None and point < len(path.points):
                state.issue(do.ChoosePoint(point))
                state.issue(do.MovePoint(point, *place))
        elif tool == "goal":
            state.issue(do.PlantGoal(place))
        elif tool == "paint":
            self._paint(state, place)

    def release(self, state: AppState) -> None:
        self._point, self._along, self._added = None, None, False
        if state.path.stroke:
            state.issue(do.EndStroke())

    def _paint(self, state: AppState, place: Place) -> None:
        """The brush reaches from where it was to where it is, along the path."""
        path = state.path
        along, off = path.nearest(*place)
        if off > 2 * HANDLE:
            self._along = None
            return
        before = along if self._along is None or abs(along - self._along) > _JUMP else self._along
        state.issue(do.PaintPath(min(before, along) - _BRUSH, max(before, along) + _BRUSH, path.brush))
        self._along = along


class Pointer:
    """Remembers what a button that is held down was pressed for; presses on panels are none of its business."""

    def __init__(self):
        self._holding: tuple[int, str] | None = None
        self._at = None
        self._place: Place | None = None  # where on the floor a character is drawn to
        self._held = self._moved = 0.0  # s since that began, and points the mouse has moved
        self._tool = FloorTool()

    def update(self, state: AppState, ui: Ui, dt: float) -> None:
        io = imgui.get_io()
        self._press(state, ui, io)
        if self._holding is not None and not imgui.is_mouse_down(self._holding[0]):
            if self._holding[1] == "tool":
                self._tool.release(state)
            elif self._holding[1] == "drive":
                self._let_go(state, ui)
            self._holding = None
        kind = self._holding[1] if self._holding else ""
        if kind == "drive":
            self._lead(state, ui, io, dt)
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
            elif state.live is not None and button == _LEFT and not (io.key_alt or io.key_ctrl):
                self._place, self._held, self._moved = _near(state, self._at), 0.0, 0.0
                if self._place is not None:
                    self._holding = button, "drive"
                return
            elif button == _LEFT and imgui.is_mouse_double_clicked(button):
                state.issue(do.ResetCamera())
                return
            self._holding = button, _purpose(button, io, state.path.tool != "off" or state.live is not None)
            return

    def _lead(self, state: AppState, ui: Ui, io: imgui.IO, dt: float) -> None:
        """Held on the floor, the mouse draws the character along; a click plants a goal."""
        self._held += dt
        self._place = _near(state, _floor(state, ui, self._pane, io.mouse_pos)) or self._place
        self._moved += abs(io.mouse_delta.x) + abs(io.mouse_delta.y)
        if self._held > _CLICK:
            state.issue(do.Steer(fast=io.key_shift, place=self._place))

    def _let_go(self, state: AppState, ui: Ui) -> None:
        if self._held > _CLICK and (self._moved > ui.px(4) or self._held > _LONG):
            state.issue(do.Steer())
        elif state.live is not None:
            state.issue(do.PlantGoal(self._place))

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
        if kind in ("tool", "drive"):
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
