"""What a clip remembers of the file it came from, so that it can be written back as it came."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from motiongraph import rotations as rot
from motiongraph.formats.guess import STATURE
from motiongraph.formats.motion import AmcMotion, BvhMotion

# The turn that takes a world with this axis up to ours with y up; for z up it is (x, y, z) → (x, z, −y).
UPRIGHT = {
    "y": rot.IDENTITY,
    "z": rot.about("X", np.array(-np.pi / 2)),
    "-y": rot.about("X", np.array(np.pi)),
    "-z": rot.about("X", np.array(np.pi / 2)),
    "x": rot.about("Z", np.array(np.pi / 2)),
    "-x": rot.about("Z", np.array(-np.pi / 2)),
}


@dataclass(frozen=True, eq=False)
class Source:
    """Where a clip came from, what its file says or was taken to say, and how to write it back."""

    path: str
    format: str  # "bvh", "amc", "glb", …: the ending of its name
    scale: float  # metres in a unit of the file
    unit: str  # name of the unit; "" where none fits and the body was scaled to `guess.STATURE`
    unit_from: Literal["given", "file", "guess"]  # who says so
    up: str  # the file's axis that points up: "y", "-y", "z", …
    up_from: Literal["given", "file", "guess"]
    stature: float  # metres, height of the standing body along its bones; 0 where its joints' names do not tell
    motion: BvhMotion | AmcMotion | None  # the file's own hierarchy and channels; None for other formats
    values: np.ndarray | None  # (F, C) the numbers of every frame as read; None once the motion has changed
    fps: float  # the file's rate
    timing: str | int  # the frame time's text of a BVH, the number of the first frame of an AMC
    notes: tuple[str, ...] = ()  # what was odd

    @property
    def scaled(self) -> bool:
        """Whether no unit fits, so that the body was scaled to a usual height."""
        return not self.unit

    @property
    def units(self) -> str:
        """The unit in words: "cm", "cm (guessed)", "scaled to 1.65 m"."""
        if self.scaled:
            return f"scaled to {STATURE:g} m"
        return f"{self.unit} (guessed)" if self.unit_from == "guess" else self.unit

    def sliced(self, frames: slice) -> "Source":
        """For the clip's frames start:stop:step."""
        timing = self.timing + frames.start if isinstance(self.timing, int) else self.timing
        return replace(self, values=None if self.values is None else self.values[frames], timing=timing)

    def layout(self) -> "Source":
        """How to write, no longer what: for a clip whose motion is not the file's any more."""
        return self if self.values is None else replace(self, values=None)
