"""What the numbers of a file mean: a file's hierarchy and channels turned into skeleton, root and rotations.

`build(values, basis, scale)` goes from a file's frames (F, C) to the arrays of a clip; `values(clip, …)` goes back,
and raises MotionError where the file's own channels cannot hold the motion.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.formats.amc import Amc
from motiongraph.formats.asf import Asf
from motiongraph.formats.bvh import Hierarchy
from motiongraph.formats.channels import Channels
from motiongraph.formats.guess import STATURE, UNITS
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

_STILL = 1e-4  # metres: a joint whose place in its parent varies by less was rounded, and does not slide

# Skeleton, root (F, 3), rotations (F, J, 4), sliding offsets (F, J, 3) or None: metres, y up.
Built: TypeAlias = tuple[Skeleton, np.ndarray, np.ndarray, np.ndarray | None]


@dataclass(frozen=True)
class BvhMotion:
    """A BVH's joints. Those at the top that stand still are left out: a clip has the joints from `folded` on."""

    record: Hierarchy
    channels: Channels
    folded: int  # how many joints stand still above the one that carries the motion
    above: np.ndarray  # (C,) the first frame, which says where they stand

    @classmethod
    def of(cls, record: Hierarchy, values: np.ndarray) -> "BvhMotion":
        channels = record.layout()
        return cls(record, channels, _joints_above_the_mover(record, channels, values), values[0].copy())

    def _stand(self, basis: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """Position (3,) and orientation (4,) of the frame in which the mover moves."""
        place, turn = np.zeros(3), rot.IDENTITY
        turns = self.channels.rotations(self.above[None], basis)[0] if self.folded else ()
        for j in range(self.folded):
            own = self.channels.positions(self.above[None], j, self.record.offsets[j])[0] * scale
            place = place + rot.rotate(turn, rot.rotate(basis, own))
            turn = rot.multiply(turn, turns[j])
        return place, turn

    def turned(self, values: np.ndarray, basis: np.ndarray) -> np.ndarray:
        """(F, J, 4) what the channels of rotation say: the part of `build` that takes time and knows no unit."""
        return self.channels.rotations(values, basis)

    def build(self, values: np.ndarray, basis: np.ndarray, scale: float, turned: np.ndarray | None = None) -> Built:
        """The arrays of a clip from the numbers (F, C) of its file; `turned`, where it is known, is used up."""
        record, channels, top = self.record, self.channels, self.folded
        rotations = self.turned(values, basis) if turned is None else turned
        root = _turned(basis, channels.positions(values, top, record.offsets[top]) * scale)
        fixed = _turned(basis, record.offsets * scale)
        places: dict[int, np.ndarray] = {}  # of joints that slide
        for j in range(top + 1, len(record.names)):
            if (channels.places[j] >= 0).any():
                place = channels.positions(values, j, record.offsets[j]) * scale
                low, high, offset = place.min(axis=0), place.max(axis=0), record.offsets[j] * scale
                if (high - low).max() > _STILL:
                    places[j] = rot.rotate(basis, place)
                elif max(np.abs(low - offset).max(), np.abs(high - offset).max()) > _STILL:
                    fixed[j] = rot.rotate(basis, 0.5 * (low + high))
        if top:
            place, turn = self._stand(basis, scale)
            root = place + rot.rotate(turn, root)
            rotations[:, top] = rot.multiply(turn, rotations[:, top])
            rotations = rotations[:, top:]
        fixed[top] = 0.0
        sliding = None
        if places:
            sliding = np.tile(fixed, (len(values), 1, 1))
            for j, place in places.items():
                sliding[:, j] = place
            sliding = sliding[:, top:]
        parents = np.concatenate([[-1], record.parents[top + 1 :] - top])
        return Skeleton(record.names[top:], parents, fixed[top:]), root, rotations, sliding

    def values(self, clip: Clip, basis: np.ndarray, scale: float) -> np.ndarray:
        """(F, C) the numbers of a clip's frames in this file's channels."""
        channels, top = self.channels, self.folded
        values = np.tile(self.above, (len(clip), 1))
        place, turn = self._stand(basis, scale)
        back = rot.conjugate(turn)
        for j in range(top, len(self.record.names)):
            q = clip.rotations[:, j - top]
            place_now = _offset(clip, j - top)
            if j == top:
                q = rot.multiply(back, q)
                place_now = rot.rotate(back, clip.root - place)
            used = channels.turns[j] >= 0
            values[:, channels.turns[j][used]] = np.round(channels.angles(j, q, basis), 6)
            local = rot.rotate(rot.conjugate(basis), place_now) / scale
            _put(values, channels.places[j], local, self.record.offsets[j], scale)
        return values


@dataclass(frozen=True)
class AmcMotion:
    """An ASF's bones."""

    record: Asf
    channels: Channels  # of its bones, in its order
    amc: Amc  # how the AMC was written: order of bones, angles

    @classmethod
    def of(cls, asf: Asf, amc: Amc) -> "AmcMotion":
        return cls(asf, asf.channels[amc.degrees], amc)

    def turned(self, values: np.ndarray, basis: np.ndarray) -> np.ndarray:
        """(F, J, 4) what the channels of rotation say; see `BvhMotion.turned`."""
        return self.record.joint_channels[self.amc.degrees].rotations(values, basis)

    def build(self, values: np.ndarray, basis: np.ndarray, scale: float, turned: np.ndarray | None = None) -> Built:
        """The arrays of a clip from the numbers (F, C) of its file; `turned`, where it is known, is used up."""
        rotations = self.turned(values, basis) if turned is None else turned
        shift = self.channels.positions(values, 0, np.zeros(3))
        root = _turned(basis, (self.record.position + shift) * scale)
        sliding = self._sliding(values, scale)
        if sliding is not None:
            sliding = rot.rotate(basis, sliding * scale)
        return self.record.skeleton(basis, scale), root, rotations, sliding

    def _sliding(self, values: np.ndarray, scale: float) -> np.ndarray | None:
        """(F, J, 3) offsets where bones stretch (`l`, along the bone) or shift (`tx ty tz`, in the bone's frame)."""
        channels, asf = self.channels, self.record
        _, parents, offsets, bones = asf.joints

        def moves(columns: np.ndarray | int) -> bool:
            return bool(np.abs(values[:, columns]).max(initial=0.0) * scale > _STILL)

        stretches = {b: c for b, c in asf.stretches.items() if b and moves(c)}
        placed = np.flatnonzero((channels.places >= 0).any(axis=1)).tolist()
        shifts = [b for b in placed if b and moves(channels.places[b][channels.places[b] >= 0])]
        if not stretches and not shifts:
            return None
        joint = np.argsort(bones)[np.sum(bones < 0) :]
        sliding = np.tile(offsets, (len(values), 1, 1))
        for b, column in stretches.items():
            sliding[:, parents == joint[b]] += (values[:, column, None] * asf.directions[b])[:, None]
        for b in shifts:
            sliding[:, joint[b]] += rot.rotate(channels.frames[b], channels.positions(values, b, np.zeros(3)))
        return sliding

    def values(self, clip: Clip, basis: np.ndarray, scale: float) -> np.ndarray:
        """(F, C) the numbers of a clip's frames in this skeleton's degrees of freedom."""
        channels, bones = self.channels, self.record.joints[3]
        values = np.zeros((len(clip), channels.width + len(self.record.stretches)))
        upright = rot.conjugate(basis)
        for j, b in enumerate(bones):
            if b >= 0:
                used = channels.turns[b] >= 0
                angles = channels.angles(b, clip.rotations[:, j], basis)
                values[:, channels.turns[b][used]] = np.round(angles, 6 if channels.degrees == 1.0 else 8)
            if clip.offsets is not None and j:
                shift = rot.rotate(upright, clip.offsets[:, j] - clip.skeleton.offsets[j]) / scale
                shift = rot.rotate(rot.conjugate(channels.frames[b]), shift) if b >= 0 else shift
                _put(values, channels.places[b] if b >= 0 else np.full(3, -1), shift, np.zeros(3), scale)
        local = rot.rotate(upright, clip.root) / scale - self.record.position
        _put(values, channels.places[0], local, np.zeros(3), scale)
        return values


def _turned(basis: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Places (n, 3) turned by a quaternion, which is none for most files."""
    return places if basis is rot.IDENTITY else rot.rotate(basis, places)


def _offset(clip: Clip, joint: int) -> np.ndarray:
    """(F, 3) or (3,) metres: where a joint sits in its parent."""
    return clip.skeleton.offsets[joint] if clip.offsets is None else clip.offsets[:, joint]


def _put(values: np.ndarray, columns: np.ndarray, places: np.ndarray, rest: np.ndarray, scale: float) -> None:
    """Write places (F, 3), file units, into their columns; one without a column must stay at `rest`, or it is lost."""
    places = np.broadcast_to(places, (len(values), 3))
    decimals = 6 + max(0, math.ceil(math.log10(scale)))
    for axis, column in enumerate(columns):
        if column >= 0:
            values[:, column] = np.round(places[:, axis], decimals)
        elif np.abs(places[:, axis] - rest[axis]).max() * scale > 1e-6:
            raise MotionError("the file's channels cannot hold where the joint moves")


def _joints_above_the_mover(record: Hierarchy, channels: Channels, values: np.ndarray) -> int:
    """How many joints at the top stand still above the one that carries the motion (as in Bandai-Namco's files)."""
    above = 0
    while True:
        children = np.flatnonzero(record.parents == above)
        if len(children) != 1 or (channels.places[children[0]] < 0).any():
            return above
        columns = np.concatenate([channels.turns[above], channels.places[above]])
        own = values[:, columns[columns >= 0]]
        below = values[:, channels.places[children[0]]]
        if len(values) > 1:
            still, moves = not np.ptp(own, axis=0).any(), np.ptp(below, axis=0).any()
        else:  # a single pose tells less: then only a root that was never touched
            still, moves = not own.any(), (below[0] != record.offsets[children[0]]).any()
        if not (still and moves):
            return above
        above += 1


# The turn that takes a world with this axis up to ours with y up; for z up it is (x, y, z) → (x, z, −y).
_HALF = math.sqrt(0.5)
UPRIGHT = {
    "y": rot.IDENTITY,
    "z": np.array([_HALF, -_HALF, 0.0, 0.0]),
    "-y": np.array([0.0, 1.0, 0.0, 0.0]),
    "-z": np.array([_HALF, _HALF, 0.0, 0.0]),
    "x": np.array([_HALF, 0.0, 0.0, _HALF]),
    "-x": np.array([_HALF, 0.0, 0.0, -_HALF]),
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
    skeleton: str = ""  # path of the .asf of an AMC
    skeleton_from: Literal["given", "name"] = "name"  # whether it was said or found by its name

    @property
    def given(self) -> dict[str, str | float]:
        """What was said about the file when it was loaded, as options of `load`."""
        known = self.unit in UNITS
        options = {"units": self.unit if known else self.scale, "up": self.up, "skeleton": self.skeleton}
        said = {"units": self.unit_from, "up": self.up_from, "skeleton": self.skeleton_from}
        return {name: value for name, value in options.items() if said[name] == "given"}

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

    @property
    def euler_order(self) -> str | None:
        """The order in which a BVH turns most of its joints, in axes of the clip such as "ZXY"; None: not a BVH's."""
        if not isinstance(self.motion, BvhMotion):
            return None
        channels = self.motion.channels
        whole = channels.axes[(channels.turns >= 0).all(axis=1)].tolist()
        if not whole:
            return None
        axes = max(whole, key=whole.count)
        # What stands upright has its axes exchanged; which way they point does not matter to an angle's size.
        turned = np.abs(rot.rotate(UPRIGHT[self.up], np.eye(3)[axes])).argmax(axis=1).tolist()
        return "".join("XYZ"[axis] for axis in turned) if len(set(turned)) == 3 else None

    def sliced(self, frames: slice) -> "Source":
        """For the clip's frames start:stop:step."""
        timing = self.timing + frames.start if isinstance(self.timing, int) else self.timing
        return replace(self, values=None if self.values is None else self.values[frames], timing=timing)

    def layout(self) -> "Source":
        """How to write, no longer what: for a clip whose motion is not the file's any more."""
        return self if self.values is None else replace(self, values=None)
