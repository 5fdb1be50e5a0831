"""Two poses, or two windows of poses, brought together as the metric does: what a cell of a matrix, a transition or
the reason for one looks like in the scene."""

from dataclasses import dataclass
from math import cos, sin

from motiongraph.app.library.entries import Entry


@dataclass(frozen=True, eq=False)
class Pair:
    """a, b: entries (of the library, or of `GraphState.entries`) and the frame of each; alignment: theta, x, z that
    bring b to a; placed: theta, x, z where a is put on the floor (None: under the camera's eyes, where the character
    in hand is); window: frames of the two windows; clouds: show the points that are compared; windows: show the poses
    of the whole windows, not of their first frames only."""

    a: Entry
    frame_a: int
    b: Entry
    frame_b: int
    alignment: tuple[float, float, float]
    window: int
    placed: tuple[float, float, float] | None = None
    clouds: bool = False
    windows: bool = False


def place_of(pair: Pair, target) -> tuple[float, float, float]:
    """theta, x, z where a is put: as asked for, or so that its root is where the camera looks (target: (3,) metres)."""
    if pair.placed is not None:
        return pair.placed
    x, _, z = pair.a.clip.root[pair.frame_a].tolist()
    return 0.0, float(target[0]) - x, float(target[2]) - z


def centre_of(pair: Pair, target) -> tuple[float, float, float]:
    """x, y, z metres: the root of a, where it is put."""
    theta, x, z = place_of(pair, target)
    u, y, w = pair.a.clip.root[pair.frame_a].tolist()
    return cos(theta) * u + sin(theta) * w + x, y, -sin(theta) * u + cos(theta) * w + z
