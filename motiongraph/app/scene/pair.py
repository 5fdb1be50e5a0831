"""Two poses, or two windows of poses, brought together as the metric does: what a cell of a matrix, a transition or
the reason for one looks like in the scene."""

from dataclasses import dataclass
from math import cos, sin
from typing import Any

from motiongraph.app.library.entries import Entry


@dataclass(frozen=True, eq=False)
class Pair:
    """Two windows of motion, one brought to the other. Placements are theta, x, z."""

    a: Entry  # of the library, or of `GraphState.entries`
    frame_a: int  # where the window of a begins
    b: Entry
    frame_b: int  # where the window of b begins
    alignment: tuple[float, float, float]  # brings b to a
    window: int  # frames of either window
    placed: tuple[float, float, float] | None = None  # where a is put on the floor; None: where the camera looks
    clouds: bool = False  # show the points that are compared
    windows: bool = False  # show the poses of the whole windows, not only of their first frames


def place_of(pair: Pair, target: Any) -> tuple[float, float, float]:
    """theta, x, z where a is put: as asked for, or so that its root is where the camera looks (target: x, y, z)."""
    if pair.placed is not None:
        return pair.placed
    x, _, z = pair.a.clip.root[pair.frame_a].tolist()
    return 0.0, float(target[0]) - x, float(target[2]) - z


def centre_of(pair: Pair, target: Any) -> tuple[float, float, float]:
    """x, y, z metres: the root of a, where it is put."""
    theta, x, z = place_of(pair, target)
    u, y, w = pair.a.clip.root[pair.frame_a].tolist()
    return cos(theta) * u + sin(theta) * w + x, y, -sin(theta) * u + cos(theta) * w + z
