"""Triangle meshes, and those made from formulas: sphere, capsule, box, cylinder and plane."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.errors import MotionError


@dataclass(frozen=True, eq=False)
class Mesh:
    """n vertices and m triangles; arrays become read-only."""

    positions: np.ndarray  # (n, 3) float32, metres
    normals: np.ndarray  # (n, 3) float32, of length one
    triangles: np.ndarray  # (m, 3) uint32, counter-clockwise seen from outside

    def __post_init__(self) -> None:
        positions = np.ascontiguousarray(self.positions, np.float32)
        normals = np.ascontiguousarray(self.normals, np.float32)
        triangles = np.ascontiguousarray(self.triangles, np.uint32)
        if positions.ndim != 2 or positions.shape[1] != 3 or normals.shape != positions.shape:
            raise MotionError(
                f"a mesh needs positions and normals of shape (n, 3), not {positions.shape} and {normals.shape}"
            )
        if triangles.ndim != 2 or triangles.shape[1] != 3:
            raise MotionError(f"a mesh needs triangles of shape (m, 3), not {triangles.shape}")
        if triangles.size and triangles.max() >= len(positions):
            raise MotionError(f"a mesh of {len(positions)} vertices has a triangle with vertex {triangles.max()}")
        for name, array in (("positions", positions), ("normals", normals), ("triangles", triangles)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def attributes(self) -> tuple[np.ndarray, ...]:
        """What a vertex shader is given of every vertex, in order: float32 arrays (n, k)."""
        return self.positions, self.normals

    @cached_property
    def box(self) -> np.ndarray:
        """(2, 3) metres: lowest and highest corner of the box around it."""
        used = self.positions[np.unique(self.triangles)] if self.triangles.size else np.zeros((1, 3))
        return np.stack([used.min(axis=0), used.max(axis=0)]).astype(np.float64)

    @cached_property
    def extent(self) -> float:
        """Metres from the origin to the farthest vertex."""
        return float(np.linalg.norm(self.positions, axis=1).max(initial=0.0))


def _patch(columns: int, rows: int) -> np.ndarray:
    """Triangles of a grid of columns × rows vertices, numbered row by row."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1, 1)
    two = corner + np.array([0, 1, columns + 1, 0, columns + 1, columns])
    return two.reshape(-1, 3)


def capsule(around: int, rings: int) -> Mesh:
    """A capsule that its vertex shader stretches: `positions` hold the cosine and sine of the azimuth and the
    height, 0 … 1 on the round start and 1 … 2 on the round end (1 twice: the tube between), not places."""
    azimuth = np.linspace(0.0, 2.0 * np.pi, around + 1)
    # The rim of the start is 1 − ε so that the shader can tell it from that of the end.
    height = np.concatenate([np.linspace(0.0, 1.0, rings + 1) * (1.0 - 1e-6), np.linspace(1.0, 2.0, rings + 1)])
    grid = np.empty((len(height), around + 1, 3), np.float32)
    grid[..., 0], grid[..., 1], grid[..., 2] = np.cos(azimuth), np.sin(azimuth), height[:, None]
    grid = grid.reshape(-1, 3)
    return Mesh(grid, np.zeros_like(grid), _patch(around + 1, len(height)))


def sphere(around: int, rings: int) -> Mesh:
    """Radius 1."""
    azimuth, polar = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, around + 1), np.linspace(np.pi, 0.0, rings + 1))
    normals = np.stack([np.sin(polar) * np.sin(azimuth), np.cos(polar), np.sin(polar) * np.cos(azimuth)], axis=-1)
    normals = normals.reshape(-1, 3)
    return Mesh(normals, normals, _patch(around + 1, rings + 1))


def box() -> Mesh:
    """Edges of length 1 about the origin, every face flat."""
    positions, normals = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal, across = np.eye(3)[axis] * sign, np.eye(3)[(axis + 1) % 3]
            up = np.cross(normal, across)
            positions += [0.5 * (normal + a * across + b * up) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [normal] * 4
    corners = np.arange(6)[:, None] * 4 + np.array([0, 1, 2, 0, 2, 3])
    return Mesh(np.array(positions), np.array(normals), corners.reshape(-1, 3))


def cylinder(around: int) -> Mesh:
    """Diameter 1 and height 1 about the origin, along y, with flat ends."""
    azimuth = np.linspace(0.0, 2.0 * np.pi, around + 1)
    rim = np.stack([0.5 * np.sin(azimuth), np.zeros_like(azimuth), 0.5 * np.cos(azimuth)], axis=-1)
    up = np.array([0.0, 0.5, 0.0])
    positions, normals = [rim - up, rim + up], [2.0 * rim, 2.0 * rim]
    triangles = [_patch(around + 1, 2)]
    first, ring = 2 * (around + 1), np.arange(around)
    for sign in (-1.0, 1.0):
        positions += [rim + sign * up, sign * up[None]]
        normals += [np.tile(2.0 * sign * up, (around + 2, 1))]
        fan = np.stack([ring, ring + 1, np.full(around, around + 1)], axis=1)[:, :: int(sign)]
        triangles.append(first + fan)
        first += around + 2
    return Mesh(np.concatenate(positions), np.concatenate(normals), np.concatenate(triangles))


def plane() -> Mesh:
    """A level square of edge 1 about the origin, seen from both sides."""
    corners = np.array([[-0.5, 0.0, -0.5], [-0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [0.5, 0.0, -0.5]])
    normals = np.tile([0.0, 1.0, 0.0], (4, 1))
    below = np.array([[0, 2, 1], [0, 3, 2]]) + 4
    return Mesh(np.tile(corners, (2, 1)), np.concatenate([normals, -normals]), np.array([[0, 1, 2], [0, 2, 3], *below]))
