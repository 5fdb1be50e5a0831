"""A clip: one skeleton moving for a while. Frozen; every change makes a new one."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model.labels import Labels
from motiongraph.model.placement import place
from motiongraph.model.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Clip:
    """root: (F, 3) metres, y up; rotations: (F, J, 4) local unit quaternions, w x y z; fps: frames a second.

    labels: words for all frames, a mapping word → ranges, or `Labels`. first: the first frame of captured
    motion (1 where a file opens with an added T-pose). offsets: None, or (F, J, 3) metres for the rare clip
    whose joints slide along their parents. source: what `formats` needs to write the file back as it came.
    origin: for made motion, where every frame came from and which feet are planted (see `synthesis.origin`).
    Arrays are taken over, not copied, and become read-only.
    """

    skeleton: Skeleton
    root: np.ndarray
    rotations: np.ndarray
    fps: float = 120.0
    name: str = "clip"
    labels: Labels = ()
    first: int = 0
    offsets: np.ndarray | None = None
    source: Any = field(default=None, repr=False)
    origin: Any = field(default=None, repr=False)

    def __post_init__(self):
        root = np.ascontiguousarray(self.root, np.float64)
        rotations = np.ascontiguousarray(self.rotations, np.float64)
        frames, joints = len(root), len(self.skeleton)
        if root.shape != (frames, 3) or rotations.shape != (frames, joints, 4) or not frames:
            raise MotionError(
                f"clip {self.name!r}: root {root.shape} and rotations {rotations.shape} should be (F, 3) and "
                f"(F, {joints}, 4) with at least one frame"
            )
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise MotionError(f"clip {self.name!r}: the frame rate must be a positive number, not {self.fps!r}")
        offsets = self.offsets
        if offsets is not None:
            offsets = np.ascontiguousarray(offsets, np.float64)
            if offsets.shape != (frames, joints, 3):
                raise MotionError(f"clip {self.name!r}: offsets {offsets.shape} should be ({frames}, {joints}, 3)")
        # One pass of sums finds NaN and infinity without a mask the size of the clip.
        with np.errstate(invalid="ignore"):
            finite = all(np.isfinite(array.sum()) for array in (root, rotations, offsets) if array is not None)
        if not finite:
            raise MotionError(f"clip {self.name!r}: positions and rotations must be finite")
        for array in (root, rotations, offsets):
            if array is not None:
                array.flags.writeable = False
        values = {"root": root, "rotations": rotations, "offsets": offsets, "fps": float(self.fps)}
        values |= {
            "labels": Labels.of(frames, self.labels),
            "first": min(max(int(self.first), 0), frames - 1),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def __len__(self):
        return len(self.root)

    def __repr__(self):
        joints = len(self.skeleton)
        return f"Clip({self.name!r}, {len(self)} frames, {self.fps:g} Hz, {self.duration:.2f} s, {joints} joints)"

    @property
    def duration(self) -> float:
        """Seconds: frames over rate."""
        return len(self) / self.fps

    @cached_property
    def _transforms(self):
        from motiongraph.model import kinematics  # compiled code is loaded when first needed

        pair = kinematics.transforms(self.skeleton, self.root, self.rotations, self.offsets)
        for array in pair:
            array.flags.writeable = False
        return pair

    def positions(self) -> np.ndarray:
        """(F, J, 3) global joint positions, metres; computed once, read-only."""
        return self._transforms[0]

    def orientations(self) -> np.ndarray:
        """(F, J, 4) global joint orientations, w x y z; computed once, read-only."""
        return self._transforms[1]

    def contacts(self, **thresholds):
        """(F, n) bool, True where a foot joint is planted; `.names` are those of the n joints.

        Made motion carries the contacts of the clips it was made from; thresholds make it look for itself.
        """
        from motiongraph.model.contacts import Contacts, find_contacts

        if self.origin is not None and not thresholds:
            return Contacts.of(self.origin.planted, self.skeleton, self.origin.joints)

        return find_contacts(self, **thresholds)

    @cached_property
    def floor(self) -> float:
        """Metres: the height of the ground the feet stand on; made motion knows the one it was put on."""
        if self.origin is not None and self.origin.floor is not None:
            return self.origin.floor
        from motiongraph.model.contacts import floor_height

        return floor_height(self)

    def captured(self) -> "Clip":
        """Without the frames before `first`."""
        return self[self.first :] if self.first else self

    def __getitem__(self, frames: slice) -> "Clip":
        """clip[10:200], clip[:-1], clip[::2] (a step divides the rate)."""
        if not isinstance(frames, slice):
            raise TypeError("a clip is cut with a slice, as in clip[10:200]; clip.rotations[i] is a pose")
        start, stop, step = frames.indices(len(self))
        if step < 1 or stop <= start:
            asked = f"[{frames.start}:{frames.stop}:{frames.step}]"
            raise MotionError(f"clip {self.name!r} has frames 0 to {len(self) - 1}; {asked} holds none in order")
        frames = slice(start, stop, step)
        return replace(
            self,
            root=self.root[frames],
            rotations=self.rotations[frames],
            offsets=None if self.offsets is None else self.offsets[frames],
            labels=self.labels.take(frames),
            fps=self.fps / step,
            first=-(-max(self.first - start, 0) // step),
            source=self.source and self.source.sliced(frames),
            origin=self.origin and self.origin.take(frames),
        )

    def resampled(self, fps: float) -> "Clip":
        """At another rate: joints by slerp, root and sliding offsets linearly, labels by the nearest frame.

        Any ratio is allowed. The first captured frame stays; frames before it (an added T-pose) are copied.
        """
        if not (np.isfinite(fps) and fps > 0):
            raise MotionError(f"cannot resample {self.name!r} to {fps!r} frames a second")
        if fps == self.fps:
            return self
        captured = len(self) - self.first
        # The small number keeps whole ratios whole: 470 / 4 frames on, 117.5 must not lose frame 468.
        count = int(np.floor((captured - 1) * fps / self.fps + 1e-6)) + 1
        time = np.minimum(self.first + np.arange(count) * (self.fps / fps), len(self) - 1)
        time = np.concatenate([np.arange(self.first), time])
        below = np.minimum(np.floor(time + 1e-9).astype(int), len(self) - 1)
        above = np.minimum(below + 1, len(self) - 1)
        t = np.maximum(time - below, 0.0)

        nearest = np.where(t < 0.5, below, above)

        def linear(values):
            weight = t.reshape(-1, *[1] * (values.ndim - 1))
            return (1.0 - weight) * values[below] + weight * values[above]

        return replace(
            self,
            root=linear(self.root),
            rotations=rot.slerp(self.rotations[below], self.rotations[above], t[:, None]),
            offsets=None if self.offsets is None else linear(self.offsets),
            labels=self.labels.take(nearest),
            origin=self.origin and self.origin.take(nearest),
            fps=fps,
            source=self._layout(),
        )

    def moved(self, theta: float = 0.0, x: float = 0.0, z: float = 0.0) -> "Clip":
        """Turned by theta radians about the y axis, then shifted on the floor by x, z metres (`model.placement`)."""
        rotations = self.rotations.copy()
        rotations[:, 0] = rot.multiply(rot.about("Y", theta), rotations[:, 0])
        return replace(self, root=place((theta, x, z), self.root), rotations=rotations, source=self._layout())

    def mirrored(self) -> "Clip":
        """Left and right exchanged; see `model.mirror`."""
        from motiongraph.model.mirror import mirrored

        return mirrored(self)

    def retargeted(self, skeleton: Skeleton) -> "Clip":
        """The same motion on a skeleton with the same joint names and other proportions; see `model.retarget`."""
        from motiongraph.model.retarget import retargeted

        return retargeted(self, skeleton)

    def labelled(self, labels) -> "Clip":
        """With other labels: words for all frames, or a mapping word → (start, stop) or list of ranges."""
        return replace(self, labels=labels)

    def _layout(self):
        """The source without its numbers: how to write, no longer what."""
        return self.source and self.source.layout()
