"""Where every frame of synthesized motion came from."""

import itertools
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class Origin:
    """What each of F frames was put together from."""

    names: tuple[str, ...]  # of the clips
    clip: np.ndarray  # (F,) which clip was played
    frame: np.ndarray  # (F,) which frame of it
    other: np.ndarray  # (F,) which clip it was blended with, −1 for none
    other_frame: np.ndarray  # (F,) which frame of that, −1 for none
    weight: np.ndarray  # (F,) share of the first, 1 for frames as captured
    step: np.ndarray  # (F,) which step of the walk
    planted: np.ndarray  # (F, n) bool, whether each of the foot joints stands
    joints: tuple[int, ...]  # those foot joints
    floor: float | None = None  # metres, the ground cleanup put all frames on; None: every piece stands on its own

    def take(self, frames: slice | np.ndarray) -> "Origin":
        """The origin of these frames."""
        names = ("clip", "frame", "other", "other_frame", "weight", "step", "planted")
        return replace(self, **{name: getattr(self, name)[frames] for name in names})

    @property
    def blended(self) -> np.ndarray:
        """(F,) bool: frames of transitions."""
        return self.other >= 0

    def seams(self) -> np.ndarray:
        """(n, 2) first and last + 1 frame of every transition, also where one follows upon another."""
        inside = np.where(self.blended, self.step, -1)
        edges = np.flatnonzero(np.diff(inside, prepend=-2, append=-2))
        return np.array([(a, b) for a, b in itertools.pairwise(edges) if inside[a] >= 0], int).reshape(-1, 2)
