"""What a clip remembers of the file it came from, so that it can be written back as it came."""

from dataclasses import dataclass, replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.formats.asf import Asf
from motiongraph.formats.bvh import Hierarchy

# A quarter turn about x takes a world with z up to ours with y up: (x, y, z) → (x, z, −y).
UPRIGHT = {"y": rot.IDENTITY, "z": rot.about("X", np.array(-np.pi / 2))}


@dataclass(frozen=True, eq=False)
class Source:
    """path, format ("bvh" or "amc"); scale: metres in a file unit; units: its name and whether guessed; up: "y" or
    "z" in the file; notes: what was odd. record: the file's own hierarchy; folded: joints above the one that moves,
    which the clip has not; values: (F, C) the numbers of every frame as read, None once the motion has changed;
    timing: the frame time's text, or the number of the first frame; degrees, order: of an AMC."""

    path: str
    format: str
    scale: float
    units: str
    up: str
    record: Hierarchy | Asf
    values: np.ndarray | None
    fps: float
    timing: str | int
    notes: tuple[str, ...] = ()
    folded: int = 0
    folded_values: np.ndarray | None = None
    degrees: bool = True
    order: tuple[int, ...] = ()

    def sliced(self, frames: slice) -> "Source":
        """For the clip's frames start:stop:step."""
        if self.values is None:
            return self
        timing = self.timing + frames.start if isinstance(self.timing, int) else self.timing
        return replace(self, values=self.values[frames], timing=timing)

    def layout(self) -> "Source":
        """How to write, no longer what: for a clip whose motion is not the file's any more."""
        return self if self.values is None else replace(self, values=None)
