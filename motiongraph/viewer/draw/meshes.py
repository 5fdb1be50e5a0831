"""Meshes from formulas: sphere, capsule, box, cylinder and plane."""

import numpy as np

from motiongraph.model.mesh import Mesh


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
