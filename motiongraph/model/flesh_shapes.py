"""The shapes around bones as they are collected: each carried by a joint, in the bind pose."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiongraph.model.isosurface import COLUMNS

_X, _Y, _Z = np.eye(3)


def times(size: float, *numbers: float) -> tuple[float, ...]:
    """Lengths of an adult for a body of another size."""
    return tuple(size * n for n in numbers)


@dataclass
class Flesh:
    """Shapes as they are added: their rows (see `isosurface`) and the joints that carry them."""

    rows: list[np.ndarray] = field(default_factory=list)
    joints: list[int] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        joint: int,
        a: np.ndarray,
        b: np.ndarray,
        at_a: tuple[float, ...],
        at_b: tuple[float, ...] | None = None,
        front: np.ndarray = _Z,
        caps: tuple[float, ...] | None = None,
        melt: float = 0.03,
        cut: float = -np.inf,
        group: str = "",
    ) -> None:
        """A shape from a to b with half widths (across, to the front) at both; front: roughly which way that is; group:
        shapes that are joined without melting."""
        axis = b - a if np.linalg.norm(b - a) > 1e-9 else (_Y if abs(front[1]) < 0.9 * np.linalg.norm(front) else _Z)
        axis = axis / np.linalg.norm(axis)
        ahead = front - (front @ axis) * axis
        if np.linalg.norm(ahead) < 1e-3:
            ahead = np.cross(axis, _X if abs(axis[0]) < 0.9 else _Y)
        ahead /= np.linalg.norm(ahead)
        at_b = at_b or at_a
        caps = caps or (0.5 * sum(at_a), 0.5 * sum(at_b))
        number = self.groups.setdefault(group or f"shape {len(self.rows)}", len(self.groups))
        row = np.concatenate([a, b, np.cross(axis, ahead), ahead, at_a, at_b, caps, [melt, cut, number]])
        assert len(row) == COLUMNS
        self.rows.append(row)
        self.joints.append(joint)

    def ball(self, joint: int, centre: np.ndarray, radii: tuple[float, ...], up: np.ndarray = _Y, **how: Any) -> None:
        """An ellipsoid with radii across, up and to the front."""
        across, high, deep = radii
        up = up / np.linalg.norm(up) * 1e-6
        self.add(joint, centre - up, centre + up, (across, deep), caps=(high, high), **how)

    def shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """(k, 21) and (k,): those that melt farthest come first, so that small ones keep their form."""
        rows = np.array(self.rows)
        order = np.lexsort([rows[:, 20], -rows[:, 18]])
        return rows[order], np.array(self.joints)[order]
