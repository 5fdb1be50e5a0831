"""The skin of a skeleton: one smooth closed surface around its bones, with weights that bend it, in levels of detail.

Shapes around the bones (`flesh`) melt into each other; their surface is polygonised in the bind pose, simplified, and
every vertex is given the joints that carry it. Made once for a skeleton, in about a tenth of a second, and kept.
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.model import sides
from motiongraph.model.bind_pose import BindPose, bind_pose
from motiongraph.model.clip import Clip
from motiongraph.model.flesh import flesh_of
from motiongraph.model.isosurface import measure, polygonised, settle
from motiongraph.model.simplify import simplified
from motiongraph.model.skeleton import Skeleton

LEVELS = (7000, 2400, 900, 360)  # triangles, from near to far
_STEP = 0.0115  # metres of the grid on an adult
_MOST_CELLS = 3e6
_KEPT = 64  # surfaces
_BLURS = 3  # rounds in which weights are mixed with those of the neighbours
# Kinds of bones whose joints get a line around them: one wherever two meet that differ.
_ODD = ("torso", "clavicle", "neck", "head", "forearm", "thigh", "foot")
_EVEN = ("pelvis", "arm", "hand", "finger", "shin", "toe")


@dataclass(frozen=True, eq=False)
class Skin:
    """n vertices and m triangles in the bind pose; each vertex follows up to four joints."""

    positions: np.ndarray  # (n, 3) float32, metres
    normals: np.ndarray  # (n, 3) float32, unit length
    triangles: np.ndarray  # (m, 3) uint32, counter-clockwise seen from outside
    joints: np.ndarray  # (n, 4) int, those with weight first
    weights: np.ndarray  # (n, 4) float32, falling, sum 1
    marks: np.ndarray  # (n, 3) float32: changes sign across joint lines; side, 1 left … −1 right; open to light, 0 … 1

    @property
    def attributes(self) -> tuple[np.ndarray, ...]:
        """What a vertex shader is given of every vertex, in order: float32 arrays (n, k)."""
        return self.positions, self.normals, self.joints.astype(np.float32), self.weights, self.marks


@dataclass(frozen=True, eq=False)
class BodySurface:
    """The levels of detail of a skeleton's skin, the finest first, and the pose that they are modelled in."""

    skeleton: Skeleton
    pose: BindPose
    levels: tuple[Skin, ...]

    @cached_property
    def reach(self) -> float:
        """Metres that the skin goes beyond its joints."""
        skin = self.levels[0]
        away = np.linalg.norm(skin.positions - self.pose.positions[skin.joints[:, 0]], axis=1)
        return float(away.max())


_known: OrderedDict[Skeleton, BodySurface] = OrderedDict()
_lock = Lock()


def body_surface(skeleton: Skeleton, clip: Clip | None = None) -> BodySurface:
    """The surface of a skeleton. clip: motion from which to learn how its joints are usually turned, where the
    surface is not known yet; without one the rest pose must do."""
    with _lock:
        found = _known.get(skeleton)
        if found is None:
            found = _known[skeleton] = make_surface(skeleton, clip)
            if len(_known) > _KEPT:
                _known.popitem(last=False)
        _known.move_to_end(skeleton)
        return found


def make_surface(skeleton: Skeleton, clip: Clip | None = None) -> BodySurface:
    """As `body_surface`, always made anew."""
    pose = bind_pose(skeleton, clip)
    shapes, carriers = flesh_of(skeleton, pose).shapes()
    extent = np.ptp(np.concatenate([shapes[:, :3], shapes[:, 3:6]]), axis=0) + 0.3 * pose.size
    step = max(_STEP * pose.size, (float(np.prod(extent)) / _MOST_CELLS) ** (1.0 / 3.0))
    points, triangles = polygonised(shapes, step)
    levels = []
    for target in LEVELS:
        points, triangles = simplified(points, triangles, target)
        levels.append(_skin(skeleton, pose, shapes, carriers, points.copy(), triangles))
    return BodySurface(skeleton, pose, tuple(levels))


def _skin(
    skeleton: Skeleton,
    pose: BindPose,
    shapes: np.ndarray,
    carriers: np.ndarray,
    points: np.ndarray,
    triangles: np.ndarray,
) -> Skin:
    normals, openness = np.empty_like(points), np.empty(len(points))
    settle(shapes, points, normals, openness)
    parity = np.array([1.0 if kind in _ODD else -1.0 if kind in _EVEN else 0.0 for kind in pose.kinds])
    for joint in range(1, len(parity)):  # what has no name goes with what it hangs on
        parity[joint] = parity[joint] or parity[skeleton.parents[joint]]
    joints, weights, dense, lines = _weights(skeleton, shapes, carriers, points, triangles, parity)
    marks = np.stack([lines, dense @ pose.left, openness], axis=1)
    return Skin(
        points.astype(np.float32),
        normals.astype(np.float32),
        np.ascontiguousarray(triangles, np.uint32),
        joints,
        weights.astype(np.float32),
        marks.astype(np.float32),
    )


def _weights(
    skeleton: Skeleton,
    shapes: np.ndarray,
    carriers: np.ndarray,
    points: np.ndarray,
    triangles: np.ndarray,
    parity: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Joints (n, 4) and weights (n, 4) of every vertex, all its weights (n, J) before the four largest were taken, and
    −1 … 1 (n,) with a joint line where it is 0; parity: (J,) of the joints to either side of lines.

    The nearest joint's flesh counts in full, that of its neighbours the less the farther it is, beyond half of the
    limb's thickness not at all. Mixing along the surface smooths what is left, and never leaks between limbs.
    """
    distances = np.empty((len(points), len(shapes)))
    measure(shapes, points, distances)
    count = len(skeleton)
    by_joint, thick = np.full((len(points), count), np.inf), np.zeros(count)
    for k, joint in enumerate(carriers.tolist()):
        by_joint[:, joint] = np.minimum(by_joint[:, joint], distances[:, k])
        thick[joint] = max(thick[joint], shapes[k, 12:16].mean())
    nearest = np.argmin(by_joint, axis=1)
    least = by_joint[np.arange(len(points)), nearest]
    away = (by_joint - least[:, None]) / (0.7 * thick[nearest])[:, None]
    near = _neighbours(skeleton, carriers)[nearest]
    odd, even = (np.where(near & (parity == sign), away, 2.0).min(axis=1) for sign in (1.0, -1.0))
    # Beside a joint the distance to the other bone grows with the square of the way: its root is even.
    lines = np.clip(np.sign(even - odd) * np.sqrt(np.abs(even - odd)), -1.0, 1.0)
    dense = np.where(near, np.maximum(1.0 - away, 0.0) ** 2, 0.0)
    dense /= dense.sum(axis=1, keepdims=True)
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    ones = np.ones(len(ends))
    mixed = scipy.sparse.csr_matrix((ones, (ends[:, 0], ends[:, 1])), shape=(len(points),) * 2)
    mixed = mixed + scipy.sparse.identity(len(points)) * 4.0
    mixed = scipy.sparse.diags(1.0 / np.asarray(mixed.sum(axis=1)).ravel()) @ mixed
    for _ in range(_BLURS):
        dense, lines = mixed @ dense, mixed @ lines
    order = np.argsort(-dense, axis=1, kind="stable")[:, :4]
    if count < 4:
        order = np.concatenate([order, np.zeros((len(points), 4 - count), int)], axis=1)
    weights = np.take_along_axis(dense, order, axis=1)
    weights[:, min(count, 4) :] = 0.0
    weights[weights < 0.01] = 0.0
    return order, weights / weights.sum(axis=1, keepdims=True), dense, lines


def _neighbours(skeleton: Skeleton, carriers: np.ndarray) -> np.ndarray:
    """(J, J) bool: joints that may share skin: each with itself and with the next ones up and down that carry any."""
    carrying = set(carriers.tolist())
    near = np.eye(len(skeleton), dtype=bool)
    for joint in carrying:
        above = next((a for a in sides.ancestors(skeleton, joint)[1:] if a in carrying), joint)
        near[joint, above] = near[above, joint] = True
    return near
