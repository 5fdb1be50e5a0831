"""What a tool does on the floor when it is pressed, dragged and let go: drawing, moving points, painting, planting."""

import numpy as np

from motiongraph.app import commands as do

_LEFT, _RIGHT = 0, 1
_HANDLE, _LEAST = 0.35, 0.1  # metres within which points and the path are caught, from near by; points at the least
_ROOM = 0.35  # of the way to the next point: beyond that another one can be added
_BRUSH = 0.15  # metres to each side
_NEW = -1  # stands for the point that was just added
_JUMP = 1.5  # metres: farther apart along the path are other stretches, where it crosses itself


def _reach(state) -> float:
    """Metres; more from afar."""
    return _HANDLE * max(1.0, state.camera.distance / 12.0)


def caught(state, place) -> int | None:
    """The number of the point that a press at a place takes hold of; half way between two it is none of them."""
    points = state.path.points
    near = state.path.point_at(*place, _reach(state))
    if near is None or len(points) < 2:
        return near
    gap = np.partition(np.hypot(*(points - points[near]).T), 1)[1]
    return near if np.hypot(*(points[near] - place)) <= max(_ROOM * gap, _LEAST) else None


class FloorTool:
    """Remembers what was caught. Places are x, z metres."""

    def __init__(self):
        self._point: int | None = None  # the number of the point that is dragged, _NEW for the one just added
        self._along: float | None = None

    def press(self, state, button: int, place) -> bool:
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
                point = _NEW
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

    def drag(self, state, place) -> None:
        path, tool = state.path, state.path.tool
        if tool == "draw" and path.stroke:
            state.issue(do.ExtendStroke(*place))
        elif tool == "edit" and self._point is not None:
            point = path.chosen if self._point == _NEW else self._point
            if point is not None and point < len(path.points):
                state.issue(do.ChoosePoint(point))
                state.issue(do.MovePoint(point, *place))
        elif tool == "goal":
            state.issue(do.PlantGoal(place))
        elif tool == "paint":
            self._paint(state, place)

    def release(self, state) -> None:
        self._point = self._along = None
        if state.path.stroke:
            state.issue(do.EndStroke())

    def _paint(self, state, place) -> None:
        """The brush reaches from where it was to where it is, along the path."""
        path = state.path
        along, off = path.nearest(*place)
        if off > 2 * _HANDLE:
            self._along = None
            return
        before = along if self._along is None or abs(along - self._along) > _JUMP else self._along
        state.issue(do.PaintPath(min(before, along) - _BRUSH, max(before, along) + _BRUSH, path.brush))
        self._along = along
