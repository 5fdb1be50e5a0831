"""What a tool does on the floor when it is pressed, dragged and let go: drawing, moving points, painting, planting."""

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.scene.camera_moves import camera_of
from motiongraph.app.state import AppState

_LEFT, _RIGHT = 0, 1
_HANDLE, _LEAST = 0.35, 0.1  # metres within which points and the path are caught, from near by; points at the least
_ROOM = 0.35  # of the way to the next point: beyond that another one can be added
Place = tuple[float, float]  # x, z metres

_BRUSH = 0.15  # metres to each side
_NEW = -1  # stands for the point that was just added
_JUMP = 1.5  # metres: farther apart along the path are other stretches, where it crosses itself


def _reach(state: AppState) -> float:
    """Metres; more from afar."""
    return _HANDLE * max(1.0, camera_of(state, state.active).distance / 12.0)


def caught(state: AppState, place: Place) -> int | None:
    """The number of the point that a press at a place takes hold of; half way between two it is none of them."""
    points = state.path.points
    x, z = place
    near = state.path.point_at(x, z, _reach(state))
    if near is None or len(points) < 2:
        return near
    gap = np.partition(np.hypot(*(points - points[near]).T), 1)[1]
    return near if np.hypot(*(points[near] - place)) <= max(_ROOM * gap, _LEAST) else None


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
            if point is None and path.nearest(*place)[1] < _reach(state):
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
        if off > 2 * _HANDLE:
            self._along = None
            return
        before = along if self._along is None or abs(along - self._along) > _JUMP else self._along
        state.issue(do.PaintPath(min(before, along) - _BRUSH, max(before, along) + _BRUSH, path.brush))
        self._along = along
