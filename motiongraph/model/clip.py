"""A clip: one skeleton moving for a while. Frozen; every change makes a new one.

Clips of graphs hold their poses packed, or in a file, and unpack them when they are asked for (`model.poses`).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model import kinematics
from motiongraph.model.bone_map import BoneMap
from motiongraph.model.contacts import Contacts, find_contacts, floor_height, given_contacts
from motiongraph.model.labels import Labels, LabelsLike
from motiongraph.model.mirror import mirrored
from motiongraph.model.placement import place
from motiongraph.model.poses import Later, Packed
from motiongraph.model.retarget import retargeted
from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.formats.motion import Source
    from motiongraph.synthesis.synthesize import Origin

MADE = ", made"  # how the names of clips end that nobody captured, see `synthesis.bridge`
_OPTIONAL = ("offsets", "source", "origin", "planted", "file", "file_frames")


@dataclass(frozen=True, eq=False)
class Clip:
    """F frames of a skeleton of J joints. Arrays are taken over, not copied, and become read-only.

    labels may be given as words that hold for all frames, or as a mapping of word → ranges; see `Labels.of`.
    """

    skeleton: Skeleton
    root: np.ndarray  # (F, 3) metres, y up
    rotations: np.ndarray  # (F, J, 4) local unit quaternions, w x y z
    fps: float = 120.0  # frames a second
    name: str = "clip"
    labels: Labels = ()  # pyright: ignore[reportAssignmentType]  (made `Labels` below)
    first: int = 0  # first frame of captured motion: 1 where a file opens with an added T-pose
    offsets: np.ndarray | None = None  # (F, J, 3) metres, for the rare clip whose joints slide along their parents
    source: "Source | None" = field(default=None, repr=False)  # what `formats` needs to write the file as it came
    origin: "Origin | None" = field(default=None, repr=False)  # of synthesized motion: where every frame came from
    planted: Labels | None = None  # feet said to be planted: joint → stretches; None: as found in the motion
    file: str | None = None  # path of the file it was read from
    file_frames: np.ndarray | None = field(default=None, repr=False)  # (F,), see `file_frame`; None: the same numbers

    def __post_init__(self) -> None:
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
        file_frames = self.file_frames
        if file_frames is not None:
            file_frames = np.ascontiguousarray(file_frames, np.float64)
            if file_frames.shape != (frames,):
                raise MotionError(f"clip {self.name!r}: file_frames {file_frames.shape} should be ({frames},)")
        for array in (root, rotations, offsets, file_frames):
            if array is not None:
                array.flags.writeable = False
        values = {
            "root": root,
            "rotations": rotations,
            "offsets": offsets,
            "file_frames": file_frames,
            "fps": float(self.fps),
            "labels": Labels.of(frames, self.labels),
            "first": min(max(int(self.first), 0), frames - 1),
            "planted": None if self.planted is None else Labels.of(frames, self.planted),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def __len__(self) -> int:
        return len(self.labels.mask)

    def __getattr__(self, name: str) -> Any:
        """Of poses that are not held all the time."""
        later = self.__dict__.get("later")
        if later is None or name not in ("root", "rotations"):
            raise AttributeError(f"a clip has no {name!r}")
        return later.held()[name]

    @classmethod
    def of_later(cls, later: Later, skeleton: Skeleton, labels: Labels, **about: Any) -> "Clip":
        """A clip whose poses are made when they are asked for. about: as for `Clip`; they are not checked."""
        clip = object.__new__(cls)
        values = {"fps": 120.0, "name": "clip", "first": 0} | dict.fromkeys(_OPTIONAL) | about
        clip.__dict__.update(values, later=later, skeleton=skeleton, labels=labels)
        return clip

    def described(self, **about: Any) -> "Clip":
        """The same motion by another name, labels, file or file_frames; its poses stay where they are."""
        clip = object.__new__(Clip)
        if "labels" in about:
            about["labels"] = Labels.of(len(self), about["labels"])
        clip.__dict__.update(self.__dict__, **about)
        return clip

    def packed(self) -> "Clip":
        """The same motion in float32 (`poses.Packed`), which takes a third of the memory; without what `source` and
        others keep beside it. Joints that slide are kept as they are."""
        if self.is_packed or self.offsets is not None:
            return self
        packed, clip = Packed.of(self.root, self.rotations), self.described(source=self._layout())
        for name in ("root", "rotations", "_transforms", "floor"):
            clip.__dict__.pop(name, None)
        clip.__dict__["later"] = Later.of(packed)
        return clip

    @property
    def is_packed(self) -> bool:
        """Whether the poses are those of a `poses.Packed`."""
        later = self.__dict__.get("later")
        return later is not None and later.packed is not None

    @property
    def poses(self) -> Packed | None:
        """The packed poses; None for a clip that is not packed."""
        later = self.__dict__.get("later")
        return later.packed() if later is not None and later.packed is not None else None

    @property
    def motion(self) -> Later | np.ndarray:
        """The same thing for clips of the very same poses, whatever else is said of them; reads no poses."""
        later = self.__dict__.get("later")
        return self.root if later is None else later

    def poses_at(self, frames: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """root (n, 3) and rotations (n, J, 4) of some frames (n,), without making those of all where that is
        possible."""
        later = self.__dict__.get("later")
        if later is not None and later.some is not None:
            return later.some(frames)
        return self.root[frames], self.rotations[frames]

    def keep_poses(self) -> None:
        """From now on `root` and `rotations` stay where they are in memory."""
        if "later" in self.__dict__:
            self.__dict__["later"].keep()

    def __repr__(self) -> str:
        joints = len(self.skeleton)
        return f"Clip({self.name!r}, {len(self)} frames, {self.fps:g} Hz, {self.duration:.2f} s, {joints} joints)"

    @property
    def duration(self) -> float:
        """Seconds: frames over rate."""
        return len(self) / self.fps

    def file_frame(self, frame: float) -> float:
        """The frame, from 0, of the file `file` that `frame` of this clip shows; between frames linearly."""
        if self.file_frames is None:
            return float(frame)
        return float(np.interp(frame, np.arange(len(self)), self.file_frames))

    @property
    def _transforms(self) -> tuple[np.ndarray, np.ndarray]:
        later = self.__dict__.get("later")
        held = self.__dict__ if later is None else later.held()
        if "_transforms" not in held:
            pair = kinematics.transforms(self.skeleton, held["root"], held["rotations"], self.offsets)
            for array in pair:
                array.flags.writeable = False
            held["_transforms"] = pair
        return held["_transforms"]

    def positions(self) -> np.ndarray:
        """(F, J, 3) global joint positions, metres; computed once, read-only."""
        return self._transforms[0]

    def orientations(self) -> np.ndarray:
        """(F, J, 4) global joint orientations, w x y z; computed once, read-only."""
        return self._transforms[1]

    def contacts(self, **thresholds: Any) -> Contacts:
        """(F, n) bool, True where a foot joint is planted; `.names` are those of the n joints.

        Synthesized motion has the contacts of the clips it was put together from, and annotated motion those it was
        given (`with_contacts`), unless thresholds are.
        """
        if self.planted is not None and not thresholds:
            return given_contacts(self, self.planted)
        if self.origin is not None and not thresholds:
            return Contacts.of(self.origin.planted, self.skeleton, self.origin.joints)
        return find_contacts(self, **thresholds)

    @cached_property
    def floor(self) -> float:
        """Metres: the height of the ground the feet stand on; synthesized motion knows the one it was put on."""
        if self.origin is not None and self.origin.floor is not None:
            return self.origin.floor
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
            planted=None if self.planted is None else self.planted.take(frames),
            fps=self.fps / step,
            first=-(-max(self.first - start, 0) // step),
            source=self.source and self.source.sliced(frames),
            origin=self.origin and self.origin.take(frames),
            file_frames=self._file_frames()[frames],
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

        def linear(values: np.ndarray) -> np.ndarray:
            weight = t.reshape(-1, *[1] * (values.ndim - 1))
            return (1.0 - weight) * values[below] + weight * values[above]

        return replace(
            self,
            root=linear(self.root),
            rotations=rot.slerp(self.rotations[below], self.rotations[above], t[:, None]),
            offsets=None if self.offsets is None else linear(self.offsets),
            labels=self.labels.take(nearest),
            planted=None if self.planted is None else self.planted.take(nearest),
            origin=self.origin and self.origin.take(nearest),
            file_frames=linear(self._file_frames()),
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
        return mirrored(self)

    def retargeted(self, skeleton: Skeleton, bones: BoneMap | None = None, standing: "Clip | None" = None) -> "Clip":
        """The same motion on another skeleton, of the same joints or of others; see `model.retarget`.

        bones: which joint leads which, from `bone_map` or corrected; standing: a clip of `skeleton`, needed where its
        rest pose does not stand.
        """
        return retargeted(self, skeleton, bones, standing)

    def labelled(self, labels: LabelsLike) -> "Clip":
        """With other labels: words for all frames, or a mapping word → (start, stop) or list of ranges."""
        return self.described(labels=labels)

    def with_contacts(self, planted: "LabelsLike | Contacts | None") -> "Clip":
        """With contacts as given instead of found (Kovar 2002, 3): foot joint → (start, stop) or list of ranges, or
        corrected `contacts()`; None: found in the motion again. Joints that are not named are never planted."""
        if isinstance(planted, Contacts):
            planted = planted.ranges()
        given = None if planted is None else Labels.of(len(self), planted)
        if given is not None:
            given_contacts(self, given)
        return self.described(planted=given)

    def _file_frames(self) -> np.ndarray:
        """(F,) float: `file_frames`, also where they are the clip's own numbers."""
        return np.arange(len(self), dtype=np.float64) if self.file_frames is None else self.file_frames

    def _layout(self) -> "Source | None":
        """The source without its numbers: how to write, no longer what."""
        return self.source and self.source.layout()
