"""Characters as rows of batches: compiled fills for one or many at once.

The fills write float32 rows straight into a batch, so that a crowd costs one pass over its joints and one upload.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.kernels import F32, F64, FAST, I64, kernel, njit, read, types
from motiongraph.model.body import STATURE, Body, body_of
from motiongraph.model.body_surface import body_surface
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.viewer.draw.frame import Capsules, Numbers, Skins, Solids, Spheres

Bones = Capsules | Skins | Solids
_LEAST_JOINT, _LARGEST_JOINT = 0.018, 0.062  # metres of radius, on an adult
_STICK = 0.011
_ROWS, _BOX = F32[:, ::1], F64[:, ::1]
_READ1, _READ2, _READ3 = read(F64, 1), read(F64, 2), read(F64, 3)
_SKIN = types.void(read(I64), _READ2, _READ2, _READ3, _READ3, _READ2, F64, F64, _ROWS, _BOX)
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


@kernel(_SKIN)
def _fill_skins(parents, places, turns, positions, orientations, colours, sides, reach, rows, box):
    """For every joint of every character its motion from the bind pose, places (J, 3) and turns (J, 4), as a dual
    quaternion; then the character's colour and how strongly its sides are told apart. reach: of skin beyond joints."""
    _empty(box)
    row, count = 0, places.shape[0]
    for c in range(positions.shape[0]):
        for j in range(count):
            ow, ox, oy, oz = orientations[c, j, 0], orientations[c, j, 1], orientations[c, j, 2], orientations[c, j, 3]
            bw, bx, by, bz = turns[j, 0], -turns[j, 1], -turns[j, 2], -turns[j, 3]
            w = ow * bw - ox * bx - oy * by - oz * bz
            x = ow * bx + ox * bw + oy * bz - oz * by
            y = ow * by - ox * bz + oy * bw + oz * bx
            z = ow * bz + ox * by - oy * bx + oz * bw
            if j > 0:  # joints that share skin must lie on one side of the sphere of quaternions
                p = row - j + parents[j]
                if w * rows[p, 0] + x * rows[p, 1] + y * rows[p, 2] + z * rows[p, 3] < 0.0:
                    w, x, y, z = -w, -x, -y, -z
            vx, vy, vz = places[j, 0], places[j, 1], places[j, 2]
            tx = 2.0 * (y * vz - z * vy)
            ty = 2.0 * (z * vx - x * vz)
            tz = 2.0 * (x * vy - y * vx)
            px, py, pz = positions[c, j, 0], positions[c, j, 1], positions[c, j, 2]
            _hold(box, px, py, pz)
            mx = px - (vx + w * tx + y * tz - z * ty)
            my = py - (vy + w * ty + z * tx - x * tz)
            mz = pz - (vz + w * tz + x * ty - y * tx)
            rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = w, x, y, z
            rows[row, 4] = -0.5 * (mx * x + my * y + mz * z)
            rows[row, 5] = 0.5 * (mx * w + my * z - mz * y)
            rows[row, 6] = 0.5 * (my * w + mz * x - mx * z)
            rows[row, 7] = 0.5 * (mz * w + mx * y - my * x)
            row += 1
        for i in range(4):
            rows[row, i] = colours[c, i]
            rows[row, 4 + i] = 0.0
        rows[row, 4] = sides
        row += 1
    _widen(box, reach)


@dataclass(frozen=True, eq=False)
class Look:
    """How the characters of one skeleton are drawn."""

    skeleton: Skeleton
    body: Body  # the capsules of n bones
    boxes: tuple[np.ndarray, np.ndarray, np.ndarray]  # their centres (n, 3), turns (n, 4), sizes (n, 3) by joint
    radii: np.ndarray  # (J,) of the spheres at the joints

    @cached_property
    def sticks(self) -> Body:
        """The capsules, as thin as lines."""
        thin = np.full_like(self.body.radii, _STICK * max(self.skeleton.height, 0.1) / STATURE)
        return replace(self.body, radii=np.minimum(thin, self.body.radii))

    def bones(
        self, characters: int, style: str = "capsules", clip: Clip | None = None, translucent: bool = False
    ) -> Bones:
        """A batch with room for so many characters as "skin", "capsules", "boxes" or "sticks"; clip: motion that a
        skin is made from where the skeleton has none yet."""
        surface = body_surface(self.skeleton, clip) if style == "skin" else None
        each = len(self.skeleton) + 1 if surface else len(self.body)
        groups = np.arange(characters + 1) * each if translucent else None
        kind = Skins if surface else Solids if style == "boxes" else Capsules
        rows = np.zeros((characters * each, kind.columns), np.float32)
        if surface is not None:
            return Skins(rows, groups=groups, surface=surface, capsules=self._capsules(characters))
        if style == "boxes":
            return Solids(rows, groups=groups, shape="box")
        return Capsules(rows, groups=groups, body=len(self.body), thin=style == "sticks")

    def _capsules(self, characters: int) -> Capsules:
        rows = np.zeros((characters * len(self.body), Capsules.columns), np.float32)
        return Capsules(rows, body=len(self.body))

    def joints(self, characters: int) -> Spheres:
        """The same with room for the spheres at the joints."""
        return Spheres(np.zeros((characters * len(self.skeleton), Spheres.columns), np.float32))

    def fill_bones(
        self, batch: Bones, positions: np.ndarray, orientations: np.ndarray, colours: Numbers, sides: float = 0.0
    ) -> None:
        """Write the bones of C characters from global joint positions (C, J, 3) in metres and orientations
        (C, J, 4), w x y z; colours: (C, 4). The batch draws just these from then on. sides: how strongly a skin tells
        left from right, 0 … 1."""
        positions, colours = self._checked(positions, colours)
        orientations = np.ascontiguousarray(orientations, np.float64).reshape(*positions.shape[:2], 4)
        each = len(self.skeleton) + 1 if isinstance(batch, Skins) else len(self.body)
        rows, box = self._room(batch, len(positions) * each)
        if isinstance(batch, Skins) and batch.surface:
            pose = batch.surface.pose
            _fill_skins(
                self.skeleton.parents, pose.positions, pose.orientations, positions, orientations, colours,
                float(sides), batch.surface.reach, rows, box,
            )  # fmt: skip
            if batch.capsules:
                self.fill_bones(batch.capsules, positions, orientations, colours)
        elif isinstance(batch, Solids):
            _fill_boxes(self.body.joints, *self.boxes, positions, orientations, colours, rows, box)
        else:
            body = self.sticks if isinstance(batch, Capsules) and batch.thin else self.body
            _fill_capsules(body.joints, body.starts, body.ends, body.radii, positions, orientations, colours, rows, box)
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
    def _room(batch: Bones | Spheres, needed: int) -> tuple[np.ndarray, np.ndarray]:
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
