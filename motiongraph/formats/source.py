"""What a clip remembers of the file it came from, so that it can be written back as it came."""

from dataclasses import dataclass, replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.formats.motion import AmcMotion, BvhMotion

# A quarter turn about x takes a world with z up to ours with y up: (x, y, z) → (x, z, −y).
UPRIGHT = {"y": rot.IDENTITY, "z": rot.about("X", np.array(-np.pi / 2))}


@dataclass(frozen=True, eq=False)
class Source:
    """path, format ("bvh" or "amc"); scale: metres in a file unit; units: its name and whether guessed; up: "y" or
    "z" in the file; motion: the file's own hierarchy and channels; values: (F, C) the numbers of every frame as
    read, None once the motion has changed; fps: the file's rate; timing: the frame time's text of a BVH, the number
    of the first frame of an AMC; notes: what was odd."""

    path: str
    format: str
    scale: float
    units: str
    up: str
    motion: BvhMotion | AmcMotion
    values: np.ndarray | None
    fps: float
    timing: str | int
    notes: tuple[str, ...] = ()

    def sliced(self, frames: slice) -> "Source":
        """For the clip's frames start:stop:step."""
        timing = self.timing + frames.start if isinstance(self.timing, int) else self.timing
        return replace(self, values=None if self.values is None else self.values[frames], timing=timing)

    def layout(self) -> "Source":
        """How to write, no longer what: for a clip whose motion is not the file's any more."""
        return self if self.values is None else replace(self, values=None)
