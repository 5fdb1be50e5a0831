"""Characters as rows of batches: compiled fills for one or many at once.

The fills write float32 rows straight into a batch, so that a crowd costs one pass over its joints and one upload.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, types

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.kernels import F32, F64, FAST, I64, kernel, read
from motiongraph.model.body import STATURE, Body, body_of
from motiongraph.model.skeleton import Skeleton
from motiongraph.viewer.draw.frame import Capsules, Numbers, Solids, Spheres

_LEAST_JOINT, _LARGEST_JOINT = 0.018, 0.062  # metres of radius, on an adult
_ROWS, _BOX = F32[:, ::1], F64[:, ::1]
_READ1, _READ2, _READ3 = read(F64, 1), read(F64, 2), read(F64, 3)
_BONES = types.void(read(I64), _READ2, _READ2, _READ2, _READ3, _READ3, _READ2, _ROWS, _BOX)


@njit(inline="always", **FAST)
def _empty(box):
    box[0, :], box[1, :] = np.inf, -np.inf


@njit(inline="always", **FAST)
def _hold(box, x, y, z):
    """Make the box, its lowest and its highest corner, large enough for a point."""
    box[0, 0], box[1, 0] = min(box[0, 0], x), max(box[1, 0], x)
    box[0, 1], box[1, 1] = min(box[0, 1], y), max(box[1, 1], y)
    box[0, 2], box[1, 2] = min(box[0, 2], z), max(box[1, 2], z)


@njit(inline="always", **FAST)
def _widen(box, reach):
    for i in range(3):
        box[0, i] -= reach
        box[1, i] += reach


@kernel(_BONES)
def _fill_capsules(joints, starts, ends, radii, positions, orientations, colours, rows, box):
    """Every capsule of every character: its two ends turned by its joint's orientation and set at its place.

    box: (2, 3) becomes the corners of a box around them all, here and in the other fills."""
    _empty(box)
    row = 0
    for c in range(positions.shape[0]):
        for k in range(joints.shape[0]):
            j = joints[k]
            w, x, y, z = orientations[c, j, 0], orientations[c, j, 1], orientations[c, j, 2], orientations[c, j, 3]
            for side in range(2):
                vx, vy, vz = starts[k, 0], starts[k, 1], starts[k, 2]
                if side == 1:
                    vx, vy, vz = ends[k, 0], ends[k, 1], ends[k, 2]
                tx = 2.0 * (y * vz - z * vy)
                ty = 2.0 * (z * vx - x * vz)
                tz = 2.0 * (x * vy - y * vx)
                px = positions[c, j, 0] + vx + w * tx + y * tz - z * ty
                py = positions[c, j, 1] + vy + w * ty + z * tx - x * tz
                pz = positions[c, j, 2] + vz + w * tz + x * ty - y * tx
                _hold(box, px, py, pz)
                rows[row, 4 * side] = px
                rows[row, 4 * side + 1] = py
                rows[row, 4 * side + 2] = pz
                rows[row, 4 * side + 3] = radii[k, side]
            for i in range(4):
                rows[row, 8 + i] = colours[c, i]
            row += 1
    _widen(box, radii.max())


@kernel(_BONES)
def _fill_boxes(joints, centres, turns, sizes, positions, orientations, colours, rows, box):
    """Every bone as a box: centre (n, 3), orientation (n, 4) and size (n, 3) in its joint's axes, set in the world."""
    _empty(box)
    row = 0
    for c in range(positions.shape[0]):
        for k in range(joints.shape[0]):
            j = joints[k]
            w, x, y, z = orientations[c, j, 0], orientations[c, j, 1], orientations[c, j, 2], orientations[c, j, 3]
            vx, vy, vz = centres[k, 0], centres[k, 1], centres[k, 2]
            tx = 2.0 * (y * vz - z * vy)
            ty = 2.0 * (z * vx - x * vz)
            tz = 2.0 * (x * vy - y * vx)
            px = positions[c, j, 0] + vx + w * tx + y * tz - z * ty
            py = positions[c, j, 1] + vy + w * ty + z * tx - x * tz
            pz = positions[c, j, 2] + vz + w * tz + x * ty - y * tx
            _hold(box, px, py, pz)
            rows[row, 0] = px
            rows[row, 1] = py
            rows[row, 2] = pz
            rows[row, 3] = 0.0
            tw, tx, ty, tz = turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3]
            rows[row, 4] = w * tw - x * tx - y * ty - z * tz
            rows[row, 5] = w * tx + x * tw + y * tz - z * ty
            rows[row, 6] = w * ty - x * tz + y * tw + z * tx
            rows[row, 7] = w * tz + x * ty - y * tx + z * tw
            for i in range(3):
                rows[row, 8 + i] = sizes[k, i]
            rows[row, 11] = 0.0
            for i in range(4):
                rows[row, 12 + i] = colours[c, i]
            row += 1
    _widen(box, 0.5 * np.sqrt(3.0) * sizes.max())


@kernel(types.void(_READ1, _READ3, _READ2, _ROWS, _BOX))
def _fill_spheres(radii, positions, colours, rows, box):
    """A sphere at every joint of every character."""
    _empty(box)
    row = 0
    for c in range(positions.shape[0]):
        for j in range(positions.shape[1]):
            for i in range(3):
                rows[row, i] = positions[c, j, i]
            _hold(box, positions[c, j, 0], positions[c, j, 1], positions[c, j, 2])
            rows[row, 3] = radii[j]
            for i in range(4):
                rows[row, 4 + i] = colours[c, i]
            row += 1
    _widen(box, radii.max())


@dataclass(frozen=True, eq=False)
class Look:
    """How the characters of one skeleton are drawn."""

    skeleton: Skeleton
    body: Body  # the capsules of n bones
    boxes: tuple[np.ndarray, np.ndarray, np.ndarray]  # their centres (n, 3), turns (n, 4), sizes (n, 3) by joint
    radii: np.ndarray  # (J,) of the spheres at the joints

    def bones(self, characters: int, **options: Any) -> Capsules:
        """A batch with room for the capsules of so many characters; `groups` are the characters where translucent."""
        rows = np.zeros((characters * len(self.body), Capsules.columns), np.float32)
        return Capsules(rows, body=len(self.body), **options)

    def boxed_bones(self, characters: int, **options: Any) -> Solids:
        """The same with room for boxes."""
        return Solids(np.zeros((characters * len(self.body), Solids.columns), np.float32), shape="box", **options)

    def joints(self, characters: int, **options: Any) -> Spheres:
        """The same with room for the spheres at the joints."""
        return Spheres(np.zeros((characters * len(self.skeleton), Spheres.columns), np.float32), **options)

    def groups(self, characters: int) -> np.ndarray:
        """(C + 1,) the rows at which characters begin in a batch of bones, for translucent ones."""
        return np.arange(characters + 1) * len(self.body)

    def fill_bones(
        self, batch: Capsules | Solids, positions: np.ndarray, orientations: np.ndarray, colours: Numbers
    ) -> None:
        """Write the bones of C characters from global joint positions (C, J, 3) in metres and orientations
        (C, J, 4), w x y z; colours: (C, 4). The batch draws just these from then on."""
        positions, colours = self._checked(positions, colours)
        orientations = np.ascontiguousarray(orientations, np.float64).reshape(*positions.shape[:2], 4)
        rows, box = self._room(batch, len(positions) * len(self.body))
        body = self.body
        if isinstance(batch, Capsules):
            _fill_capsules(body.joints, body.starts, body.ends, body.radii, positions, orientations, colours, rows, box)
        else:
            _fill_boxes(body.joints, *self.boxes, positions, orientations, colours, rows, box)
        batch.touch(box)

    def fill_joints(self, batch: Spheres, positions: np.ndarray, colours: Numbers) -> None:
        """Write the joints of C characters from global positions (C, J, 3); colours: (C, 4)."""
        positions, colours = self._checked(positions, colours)
        rows, box = self._room(batch, len(positions) * len(self.skeleton))
        _fill_spheres(self.radii, positions, colours, rows, box)
        batch.touch(box)

    def _checked(self, positions: np.ndarray, colours: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Positions (C, J, 3) and colours (C, 4), contiguous; one pose or one colour will do."""
        positions = np.ascontiguousarray(positions, np.float64).reshape(-1, len(self.skeleton), 3)
        wide = np.broadcast_to(np.asarray(colours, np.float64), (len(positions), 4))
        return positions, np.ascontiguousarray(wide)

    @staticmethod
    def _room(batch: Capsules | Solids | Spheres, needed: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows to write to, and the box that becomes theirs."""
        # The kernels write where they are told to, so what they are given must be large enough.
        if needed > len(batch.rows):
            raise MotionError(f"a batch of {len(batch.rows)} rows has no room for {needed}")
        batch.count = needed
        return batch.rows, np.empty((2, 3)) if batch.box is None else batch.box


def look_of(skeleton: Skeleton) -> Look:
    """The body of a skeleton, ready to be drawn."""
    body = body_of(skeleton)
    body = Body(
        np.ascontiguousarray(body.joints, np.int64),
        *(np.ascontiguousarray(a, np.float64) for a in (body.starts, body.ends, body.radii)),
    )
    along = body.ends - body.starts
    thick = body.radii.mean(axis=1)
    length = np.linalg.norm(along, axis=1)
    # A box as long as its bone with a third of the rounding at either end, a little flatter than the capsule is thick.
    sizes = np.stack([1.6 * thick, length + 0.6 * thick, 1.6 * thick], axis=1)
    boxes = (0.5 * (body.starts + body.ends), rot.between([0.0, 1.0, 0.0], along), sizes)
    # A joint's sphere shows through the bones of a limb, but the trunk's are no larger than a fist.
    scale = max(skeleton.height, 0.1) / STATURE
    radii = np.full(len(skeleton), _LEAST_JOINT * scale)
    for j, bone in zip(body.joints, body.radii):
        radii[j] = min(max(radii[j], 1.06 * bone[0]), _LARGEST_JOINT * scale)
    return Look(skeleton, body, boxes, radii)
