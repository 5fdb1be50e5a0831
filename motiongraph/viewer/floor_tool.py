"""What a tool does on the floor when it is pressed, dragged and let go: drawing, moving points, painting, planting."""

from motiongraph.app import commands as do

_LEFT, _RIGHT = 0, 1
_POINT, _LINE = 0.25, 0.35  # metres within which a point is caught, and the path
_BRUSH = 0.15  # metres to each side
_JUMP = 1.5  # metres: farther apart along the path are other stretches, where it crosses itself


def reach(state) -> float:
    """Metres within which a point is caught; more from afar. Points of a drawn path leave room between them to add
    others there."""
    return _POINT * max(1.0, state.camera.distance / 12.0)


class FloorTool:
    """Remembers what was caught. Places are x, z metres."""

    def __init__(self):
        self._point: int | None = None
        self._along: float | None = None

    def press(self, state, button: int, place) -> bool:
        """Whether the button is the tool's from now on."""
        path, tool = state.path, state.path.tool
        if tool == "edit":
            near = reach(state)
            caught = path.point_at(*place, near)
            if button == _RIGHT:
                if caught is not None:
                    state.issue(do.RemovePoint(caught))
                return caught is not None
            if button != _LEFT:
                return False
            if caught is None and path.nearest(*place)[1] < near * _LINE / _POINT:
                state.issue(do.AddPoint(*place))
                caught = "new"
            else:
                state.issue(do.ChoosePoint(caught))
            self._point = caught
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
            point = path.chosen if self._point == "new" else self._point
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
        if off > 2 * _LINE:
            self._along = None
            return
        before = along if self._along is None or abs(along - self._along) > _JUMP else self._along
        state.issue(do.PaintPath(min(before, along) - _BRUSH, max(before, along) + _BRUSH, path.brush))
        self._along = along
