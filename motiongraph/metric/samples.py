"""The points of a body that are compared, each a fixed combination of a few places that move with the skeleton.

Those places are the joints and, where points sit beside the bones, the tips of three short axes that turn with each
joint: a point at d in the frame of a joint at P is P + Σ d_k (tip_k − P) / AXIS, which is linear in them.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model.body_surface import body_surface
from motiongraph.model.mesh import Mesh
from motiongraph.model.skeleton import Skeleton

AXIS = 0.1  # metres from a joint to the tips of its axes
_MOST = 1000  # points of a mesh; more change next to nothing
_UNITS = (1.0, 0.1, 0.01, 0.001, 0.0254)  # metres in a unit that an .obj may have
Surface = tuple[tuple[float, float, float, float], ...]  # x y z in metres, and weight, of every point


@dataclass(frozen=True, eq=False)
class Samples:
    """S points; with `axes` places are (J joints, then 3 J tips, joint by joint), otherwise joints alone."""

    places: np.ndarray  # (S, k) int, the places each point is made of
    shares: np.ndarray  # (S, k) how much of each
    weights: np.ndarray  # (S,)
    axes: bool

    @classmethod
    def of(cls, skeleton: Skeleton, weights: np.ndarray, samples: int, mesh: "Surface | str | None") -> "Samples":
        """weights: (J,) of the joints; samples: along a bone, 0 for the joints alone; mesh: "body", or points of a mesh
        in the rest pose, instead."""
        if mesh is not None:
            return _on_body(skeleton, weights) if isinstance(mesh, str) else _on_mesh(skeleton, weights, mesh)
        if samples == 0:
            return cls(np.arange(len(skeleton))[:, None], np.ones((len(skeleton), 1)), weights, False)
        f = (np.arange(samples) + 0.5) / samples
        far = np.repeat(np.arange(1, len(skeleton)), samples)
        shares = np.tile(np.stack([1.0 - f, f], axis=1), (len(skeleton) - 1, 1))
        own = skeleton.bone_lengths[far] * weights[far] / samples
        return cls(np.stack([skeleton.parents[far], far], axis=1), shares, own, False)

    def weighing(self, joints: np.ndarray) -> "Samples":
        """Without the points of joints whose weight, of (J,), is 0."""
        kept = self.weights > 0.0 if self.axes else joints[self.places[:, -1]] > 0.0
        return Samples(self.places[kept], self.shares[kept], self.weights[kept], self.axes)

    def points(self, positions: np.ndarray, orientations: np.ndarray | None) -> np.ndarray:
        """(F, S, 3) of poses: joints (F, J, 3) and, with axes, their orientations (F, J, 4)."""
        if self.axes:
            assert orientations is not None
            positions = with_tips(positions, orientations)
        found = positions[:, self.places[:, 0]] * self.shares[:, :1]
        for k in range(1, self.places.shape[1]):
            found += positions[:, self.places[:, k]] * self.shares[:, k, None]
        return found


def with_tips(positions: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """(F, 4 J, 3): joints (F, J, 3) turned by orientations (F, J, 4), then the tips of their axes, joint by joint."""
    frames, joints = positions.shape[:2]
    tips = positions[:, :, None] + rot.rotate(orientations[:, :, None], AXIS * np.eye(3))
    return np.concatenate([positions, tips.reshape(frames, 3 * joints, 3)], axis=1)


def surface_of(mesh: Mesh) -> Surface:
    """The points of a mesh, weighing by the area around them, no more than are worth it."""
    corners = mesh.positions[mesh.triangles].astype(float)
    sides = rot.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.sqrt(np.sum(sides * sides, axis=1)) / 6.0
    weights = np.bincount(mesh.triangles.ravel(), np.repeat(area, 3), len(mesh.positions))
    every = -(-len(weights) // _MOST)
    rows = np.column_stack([mesh.positions[::every], weights[::every]]).astype(float)
    return tuple(tuple(row) for row in np.round(rows, 7).tolist() if row[3] > 0.0)


def _attached(skeleton: Skeleton, joints: np.ndarray, shares: np.ndarray, local: np.ndarray) -> tuple:
    """Places (S, 4 k) and shares (S, 4 k) of points at `local` (S, k, 3) metres in the frames of joints (S, k), mixed
    by shares (S, k)."""
    tips = len(skeleton) + 3 * joints[..., None] + np.arange(3)
    places = np.concatenate([joints[..., None], tips], axis=2)
    along = local / AXIS
    own = np.concatenate([1.0 - along.sum(axis=2, keepdims=True), along], axis=2) * shares[..., None]
    return places.reshape(len(joints), -1), own.reshape(len(joints), -1)


@lru_cache(maxsize=16)
def _body_points(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and shares of the body's surface, and the joint each point follows most."""
    surface = body_surface(skeleton)
    skin, pose = surface.levels[-1], surface.pose
    every = -(-len(skin.positions) // _MOST)
    joints, shares, points = skin.joints[::every], skin.weights[::every].astype(float), skin.positions[::every]
    local = rot.rotate(rot.conjugate(pose.orientations[joints]), points[:, None] - pose.positions[joints])
    return *_attached(skeleton, joints, shares, local), joints[:, 0]


def _on_body(skeleton: Skeleton, weights: np.ndarray) -> Samples:
    places, shares, joint = _body_points(skeleton)
    return Samples(places, shares, weights[joint] / len(joint), True)


def _on_mesh(skeleton: Skeleton, weights: np.ndarray, mesh: Surface) -> Samples:
    """A mesh that stands as the rest pose does; each point follows the bone it is nearest to."""
    rows, rest = np.array(mesh), skeleton.rest
    points = rows[:, :3]
    high, tall = np.ptp(points[:, 1]), np.ptp(rest[:, 1])
    if not (high > 0.0 and tall > 0.0):
        raise MotionError("a mesh to compare by must stand as the skeleton's rest pose does; one of them has no height")
    points = points * min(_UNITS, key=lambda unit: abs(np.log(unit * high / tall)))
    low, middle = points.min(axis=0), 0.5 * (points.min(axis=0) + points.max(axis=0))
    centre = 0.5 * (rest.min(axis=0) + rest.max(axis=0))
    points = points + np.array([centre[0] - middle[0], rest[:, 1].min() - low[1], centre[2] - middle[2]])
    start, along = rest[skeleton.parents[1:]], skeleton.offsets[1:]
    t = np.sum((points[:, None] - start) * along, axis=2) / np.maximum(np.sum(along * along, axis=1), 1e-12)
    away = points[:, None] - start - np.clip(t, 0.0, 1.0)[..., None] * along
    joint = skeleton.parents[1:][np.argmin(np.sum(away * away, axis=2), axis=1)]
    places, shares = _attached(skeleton, joint[:, None], np.ones((len(points), 1)), (points - rest[joint])[:, None])
    return Samples(places, shares, rows[:, 3] * weights[joint], True)
