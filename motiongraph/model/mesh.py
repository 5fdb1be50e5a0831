"""Triangle meshes."""

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

    @cached_property
    def box(self) -> np.ndarray:
        """(2, 3) metres: lowest and highest corner of the box around it."""
        used = self.positions[np.unique(self.triangles)] if self.triangles.size else np.zeros((1, 3))
        return np.stack([used.min(axis=0), used.max(axis=0)]).astype(np.float64)

    @cached_property
    def extent(self) -> float:
        """Metres from the origin to the farthest vertex."""
        return float(np.linalg.norm(self.positions, axis=1).max(initial=0.0))
