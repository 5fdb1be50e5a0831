"""What a person's own goal g(w, e) is given: the walk so far, and an edge that may be appended to it (Kovar 2002, 4.2).

A search makes hundreds of both for every step, so they are plain objects whose figures are computed when asked for.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.elementary import atan2, sincos
from motiongraph.model.placement import Placement, composed, place, placed, turn
from motiongraph.walks.floor_path import FloorGraph


@dataclass(eq=False)
class Edge:
    """One clip played from `start` to `stop` (exclusive), as captured, and the transition that then leaves it."""

    ground: FloorGraph
    clip: int  # its index in the graph
    start: int
    stop: int
    number: int  # the transition, as `Floor` counts them
    placement: Placement  # of the clip played

    @property
    def transition(self) -> int:
        """Row of the transition in the graph's table of candidates."""
        return int(self.ground.rows[self.number])

    @property
    def cost(self) -> float:
        """Of the transition, cm."""
        return float(self.ground.floor.jump[self.number, 3])

    @property
    def frames(self) -> int:
        """How long all of it is, transition included."""
        return self.stop - self.start + self.ground.window

    @cached_property
    def after(self) -> Placement:
        """Placement of the clip arrived in."""
        return composed(*self.placement, *self.ground.floor.jump[self.number, :3].tolist())

    @cached_property
    def places(self) -> np.ndarray:
        """(n, 2) x, z on the floor along the edge, metres: a sample a frame for the clip, four for the transition."""
        first = self.ground.starts[self.clip]
        own = self.ground.floor.path[first + self.start : first + self.stop]
        return place(self.placement, np.concatenate([own, self.ground.floor.way[self.number, :, :2]]))

    @cached_property
    def facing(self) -> np.ndarray:
        """(n, 2) unit vectors x, z the body faces at those places."""
        first = self.ground.starts[self.clip]
        own = self.ground.floor.face[first + self.start : first + self.stop]
        return turn(self.placement[0], np.concatenate([own, self.ground.floor.way[self.number, :, 3:]]))

    @cached_property
    def length(self) -> float:
        """Metres walked."""
        first, floor = self.ground.starts[self.clip], self.ground.floor
        return float(floor.arc[first + self.stop] - floor.arc[first + self.start] + floor.jump[self.number, 4])


@dataclass(eq=False)
class PartialWalk:
    """The walk so far."""

    ground: FloorGraph
    frame: int  # where it has arrived, counted over all clips
    placement: Placement  # of the clip it is in
    error: float = 0.0  # of all edges together
    frames: int = 0
    length: float = 0.0  # metres
    before: "PartialWalk | None" = None  # the walk without its last edge, None at the start
    edge: Edge | None = None  # the last edge

    @property
    def clip(self) -> int:
        """Index of the clip it is in."""
        return self.ground.place(self.frame)[0]

    @property
    def place(self) -> np.ndarray:
        """(2,) x, z where the body is."""
        return np.array(self.stand[:2])

    @property
    def heading(self) -> float:
        """Radians about y that the body faces, 0 along z."""
        return self.stand[2]

    @cached_property
    def stand(self) -> tuple[float, float, float]:
        """x, z, and the heading."""
        theta, x, z = self.placement
        (a, b), (fx, fz) = self.ground.floor.path[self.frame].tolist(), self.ground.floor.face[self.frame].tolist()
        s, c = sincos(theta)
        return *placed(c, s, x, z, a, b), atan2(fx, fz) + theta

    @property
    def edges(self) -> list[Edge]:
        """All edges, first to last."""
        found: list[Edge] = []
        walk: PartialWalk | None = self
        while walk is not None and walk.edge is not None:
            found.append(walk.edge)
            walk = walk.before
        return found[::-1]

    def choices(self) -> list[Edge]:
        """Every edge that may be appended."""
        clip, start = self.ground.place(self.frame)
        first, exits = int(self.ground.starts[clip]), self.ground.exits(self.frame)
        leave = (self.ground.floor.leave[exits] - first).tolist()
        return [Edge(self.ground, clip, start, at, k, self.placement) for at, k in zip(leave, exits.tolist())]

    def plus(self, edge: Edge, more: float) -> "PartialWalk":
        """With one more edge, which adds `more` to the error."""
        arrive = int(self.ground.floor.arrive[edge.number])
        frames, length = self.frames + edge.frames, self.length + edge.length
        return PartialWalk(self.ground, arrive, edge.after, self.error + more, frames, length, self, edge)
