"""What a search over a person's own goal sees: the trail walked so far, and the edge that may be appended to it.

Both are made by the hundred for every step of a search, so they are plain objects whose figures are worked out when
asked for; nothing changes them once they are made.
"""

from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, sin

import numpy as np

from motiongraph.walks.floor_path import Ground


@dataclass(eq=False)
class Edge:
    """One clip played from `start` to `stop` (exclusive), as captured, and the transition that then leaves it.

    clip: index; frames: how long all of it is, transition included; transition: its row in the graph's table of
    candidates; cost: of it, cm; placement: theta, x, z of the clip played; after: of the clip arrived in.
    """

    ground: Ground
    clip: int
    start: int
    stop: int
    number: int
    placement: tuple[float, float, float]

    @property
    def transition(self) -> int:
        return int(self.ground.rows[self.number])

    @property
    def cost(self) -> float:
        return float(self.ground.terrain.jump[self.number, 3])

    @property
    def frames(self) -> int:
        return self.stop - self.start + self.ground.window

    @cached_property
    def after(self) -> tuple[float, float, float]:
        turn, u, w = self.ground.terrain.jump[self.number, :3].tolist()
        theta, x, z = self.placement
        c, s = cos(theta), sin(theta)
        return theta + turn, x + c * u + s * w, z - s * u + c * w

    @cached_property
    def places(self) -> np.ndarray:
        """(n, 2) x, z on the floor along the edge, metres: a sample a frame for the clip, four for the transition."""
        first = self.ground.starts[self.clip]
        own = self.ground.terrain.path[first + self.start : first + self.stop]
        return self._turned(np.concatenate([own, self.ground.terrain.way[self.number, :, :2]]), shift=True)

    @cached_property
    def facing(self) -> np.ndarray:
        """(n, 2) unit vectors x, z the body faces at those places."""
        first = self.ground.starts[self.clip]
        own = self.ground.terrain.face[first + self.start : first + self.stop]
        return self._turned(np.concatenate([own, self.ground.terrain.way[self.number, :, 3:]]), shift=False)

    @cached_property
    def length(self) -> float:
        """Metres walked."""
        first, terrain = self.ground.starts[self.clip], self.ground.terrain
        return float(terrain.arc[first + self.stop] - terrain.arc[first + self.start] + terrain.jump[self.number, 4])

    def _turned(self, values, shift):
        theta, x, z = self.placement
        c, s = np.cos(theta), np.sin(theta)
        out = values @ np.array([[c, -s], [s, c]])
        if shift:
            out += (x, z)
        return out


@dataclass(eq=False)
class Trail:
    """The walk so far. frame: where it has arrived, counted over all clips; placement: theta, x, z of that clip;
    error, frames, length (metres): of all edges together; before: the trail without its last edge, None at the start;
    edge: the last edge."""

    ground: Ground
    frame: int
    placement: tuple[float, float, float]
    error: float = 0.0
    frames: int = 0
    length: float = 0.0
    before: "Trail | None" = None
    edge: Edge | None = None

    @property
    def clip(self) -> int:
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
        (a, b), (fx, fz) = self.ground.terrain.path[self.frame].tolist(), self.ground.terrain.face[self.frame].tolist()
        c, s = cos(theta), sin(theta)
        return x + c * a + s * b, z - s * a + c * b, atan2(fx, fz) + theta

    @property
    def edges(self) -> list[Edge]:
        """All edges, first to last."""
        found, trail = [], self
        while trail.edge is not None:
            found.append(trail.edge)
            trail = trail.before
        return found[::-1]

    def choices(self) -> list[Edge]:
        """Every edge that may be appended."""
        terrain = self.ground.terrain
        end = terrain.run_end[self.frame]
        if end < 0:
            return []
        clip, start = self.ground.place(self.frame)
        first = self.ground.starts[clip]
        ahead = range(terrain.next_out[self.frame], terrain.next_out[end + 1])
        return [Edge(self.ground, clip, start, int(terrain.leave[k] - first), k, self.placement) for k in ahead]

    def plus(self, edge: Edge, more: float) -> "Trail":
        """With one more edge, which adds `more` to the error."""
        arrive = int(self.ground.terrain.arrive[edge.number])
        frames, length = self.frames + edge.frames, self.length + edge.length
        return Trail(self.ground, arrive, edge.after, self.error + more, frames, length, self, edge)
