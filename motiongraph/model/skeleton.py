"""A skeleton: named joints, their parents and their offsets in the rest pose."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph.errors import MotionError

SPAN_OF_STATURE = 1.5  # longest way along the bones between two ends of a person, finger to toe, over stature


@dataclass(frozen=True, eq=False)
class Skeleton:
    """J joints, the root first and every parent before its children; arrays are copied and become read-only."""

    names: tuple[str, ...]  # J different names
    parents: np.ndarray  # (J,) int, −1 for the root
    offsets: np.ndarray  # (J, 3) metres from the parent's joint in the rest pose, y up; the root's own is 0

    def __post_init__(self) -> None:
        names = tuple(self.names)
        parents = np.array(self.parents, np.int64)
        offsets = np.array(self.offsets, np.float64)
        if not names:
            raise MotionError("a skeleton needs at least one joint")
        if parents.shape != (len(names),) or offsets.shape != (len(names), 3):
            raise MotionError(
                f"a skeleton of {len(names)} joints needs parents of shape ({len(names)},) and offsets of shape "
                f"({len(names)}, 3), not {parents.shape} and {offsets.shape}"
            )
        if len(set(names)) != len(names):
            twice = next(n for i, n in enumerate(names) if n in names[:i])
            raise MotionError(f"a skeleton has two joints named {twice!r}")
        if parents[0] != -1 or (parents[1:] < 0).any() or (parents >= np.arange(len(names))).any():
            raise MotionError("a skeleton's joints must be ordered: root first, every parent before its children")
        if not np.isfinite(offsets).all():
            raise MotionError("a skeleton's offsets must be finite")
        for array in (parents, offsets):
            array.flags.writeable = False
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "offsets", offsets)

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Skeleton)
            and self.names == other.names
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.offsets, other.offsets)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.offsets.tobytes()))

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, root {self.names[0]!r}, {self.height:.2f} m)"

    def index(self, name: str) -> int:
        """The joint called `name`, or a MotionError that says which there are."""
        try:
            return self.by_name[name]
        except KeyError:
            raise MotionError(f"no joint {name!r}; there are {', '.join(self.names)}") from None

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The joint of every name."""
        return {n: i for i, n in enumerate(self.names)}

    @cached_property
    def rest(self) -> np.ndarray:
        """(J, 3) joint positions of the rest pose, metres, root at the origin."""
        rest = self.offsets.copy()
        rest[0] = 0.0
        for j in range(1, len(self)):
            rest[j] += rest[self.parents[j]]
        return rest

    @cached_property
    def height(self) -> float:
        """Metres from the lowest joint to the highest, standing straight: along the chains from the root to both,
        upright bones count with their length (a rest pose may straddle), slanting ones with what they rise. Where the
        rest pose does not stand, as in LAFAN1, what a body with such bones has."""
        rise, height = np.abs(self.offsets[:, 1]), 0.0
        rise = np.where(rise > 0.8 * self.bone_lengths, self.bone_lengths, rise)
        for j in (int(np.argmax(self.rest[:, 1])), int(np.argmin(self.rest[:, 1]))):
            while j > 0:
                height += float(rise[j])
                j = int(self.parents[j])
        usual = self.span / SPAN_OF_STATURE
        return height if height > 0.5 * usual else usual

    @cached_property
    def span(self) -> float:
        """Metres, the longest way along the bones between any two joints."""
        reach, best = np.zeros(len(self)), 0.0
        for joint in range(len(self) - 1, 0, -1):
            parent, length = int(self.parents[joint]), reach[joint] + self.bone_lengths[joint]
            best = max(best, reach[parent] + length)
            reach[parent] = max(reach[parent], length)
        return float(best)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every joint, in order."""
        lists: list[list[int]] = [[] for _ in self.names]
        for j, p in enumerate(self.parents[1:].tolist(), start=1):
            lists[p].append(j)
        return tuple(map(tuple, lists))

    @cached_property
    def bone_lengths(self) -> np.ndarray:
        """(J,) metres, length of the bone from the parent to each joint; 0 for the root."""
        lengths = np.linalg.norm(self.offsets, axis=1)
        lengths[0] = 0.0
        return lengths
