"""Asking for a path on the floor, metres, and for the character to be led."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class SetTool:
    """What the mouse does on the floor: "off", "draw", "edit", "paint" or "goal"."""

    tool: str


@command
class PointAt:
    """Where on the floor the mouse is, for showing what it would do; None: nowhere."""

    place: tuple[float, float] | None


@command
class BeginStroke:
    """Start drawing. Near the end of the path that is there the stroke goes on from it, elsewhere it replaces it."""

    x: float
    z: float


@command
class ExtendStroke:
    x: float
    z: float


@command
class EndStroke:
    """The stroke becomes the path: evenly spaced and smooth enough to be walked."""


@command
class SetPath:
    """points: pairs x, z; labels: as for `follow_path`, pairs of (metres, word or None) where each begins."""

    points: tuple[tuple[float, float], ...]
    closed: bool = False
    curve: str = "spline"
    labels: tuple[tuple[float, str | None], ...] | None = None


@command
class PathPreset:
    """name: "line", "circle", "eight", "square" or "S"; size: metres from end to end. It begins where the path did
    that it replaces, else at the character, and goes the same way."""

    name: str
    size: float = 8.0


@command
class SetPresetSize:
    """Metres, of the next ready-made path."""

    size: float


@command
class MovePoint:
    point: int
    x: float
    z: float


@command
class ChoosePoint:
    """The point that Delete removes; None: none."""

    point: int | None


@command
class AddPoint:
    """A point of the path, where it is nearest to x, z."""

    x: float
    z: float


@command
class RemovePoint:
    point: int


@command
class ClosePath:
    """Whether the path leads back to where it begins."""

    closed: bool


@command
class SetCurve:
    """kind: "polyline" or "spline"."""

    kind: str


@command
class SmoothPath:
    """Take corners and wiggles out of it."""


@command
class ReversePath:
    """The other way along it."""


@command
class ClearPath: ...


@command
class SetBrush:
    """The word to paint with; None takes words away."""

    word: str | None


@command
class PaintPath:
    """The stretch between two distances along the path is to be gone with motion of this label; None: with any."""

    start: float
    stop: float
    word: str | None


@command
class LoadPath:
    path: Path


@command
class SavePath:
    path: Path


@command
class PlantGoal:
    """Where the character that is led goes; None: nowhere in particular."""

    place: tuple[float, float] | None


@command
class PrepareGraph:
    """Build a graph that paths can be followed in: with mirror images, which turn to both sides, and a threshold that
    leaves ways enough."""


@command
class AllowMore:
    """Raise the threshold by half, so that there are more transitions to choose from, and walk the path again."""


@command
class WalkPath:
    """A walk along the path; builds the graph first where there is none."""


@command
class Lead:
    """Set a character off that goes on for ever, along the path or to the goal; off: what it walked is kept."""

    on: bool = True


@command
class SetLeadLabel:
    """Lead it with motion of this label; None: of any."""

    word: str | None


@command
class Replay:
    """From the start of what is played."""


@command
class ResetWalk:
    """Back to the start (Mao 2011, 3.2): the character is no longer led and the walk in hand is removed; the path
    stays."""
