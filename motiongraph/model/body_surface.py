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
from motiongraph.model.bind_pose import BindPose, bind_pose, main_child
from motiongraph.model.clip import Clip
from motiongraph.model.flesh import flesh_of
from motiongraph.model.isosurface import measure, polygonised, settle
from motiongraph.model.simplify import simplified
from motiongraph.model.skeleton import Skeleton

LEVELS = (7000, 2400, 900, 360)  # triangles, from near to far
_STEP = 0.0115  # metres of the grid on an adult
_MOST_CELLS = 3e6
_KEPT = 64  # surfaces
_BLURS = 6  # rounds in which weights are mixed with those of the neighbours
# How far skin follows the next bone as well, in thicknesses of the limb: a back bends over a longer way than a knee.
_REACH = {"pelvis": 1.3, "torso": 1.3, "thigh": 0.9, "clavicle": 1.0, "arm": 0.9}
# Kinds of bones that begin with a line around the joint; hips and waist have none: there the skin is one.
_LINE_REACH = 0.06  # metres on an adult within which a vertex knows how far it is from a line
_LINED = ("arm", "forearm", "hand", "shin", "foot", "toe")


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
    reach = np.array([_REACH.get(kind, 0.7) for kind in pose.kinds])
    joints, weights, dense = _weights(skeleton, shapes, carriers, points, triangles, reach)
    marks = np.stack([_lines(skeleton, pose, points, dense), dense @ pose.left, openness], axis=1)
    return Skin(
        points.astype(np.float32),
        normals.astype(np.float32),
        np.ascontiguousarray(triangles, np.uint32),
        joints,
        weights.astype(np.float32),
        marks.astype(np.float32),
    )


def _lines(skeleton: Skeleton, pose: BindPose, points: np.ndarray, dense: np.ndarray) -> np.ndarray:
    """(n,) −1 … 1, with a joint line where it is 0: a plane through each joint, across the bones that meet there.
    dense: weights (n, J). Its sign changes from part to part down a limb, so that only joints have lines."""
    part, sign = np.zeros(len(skeleton), int), np.full(len(skeleton), -1.0)
    found = {}  # a part's first joint → the plane's normal
    for joint in range(1, len(skeleton)):
        above = int(skeleton.parents[joint])
        part[joint], sign[joint] = part[above], sign[above]
        if pose.kinds[joint] in _LINED and pose.kinds[joint] != pose.kinds[above]:
            child = main_child(skeleton, pose.kinds, joint)
            before = pose.positions[joint] - pose.positions[above]
            after = before if child is None else pose.positions[child] - pose.positions[joint]
            length = np.linalg.norm(before), np.linalg.norm(after)
            if min(length) > 1e-6:
                across = before / length[0] + after / length[1]
                if pose.kinds[joint] == "arm" and pose.upright:  # straight down, so that none runs into the chest
                    across = np.array([across[0], 0.0, 0.0])
                if np.linalg.norm(across) > 1e-3:
                    part[joint], sign[joint] = joint, -sign[above]
                    found[joint] = across / np.linalg.norm(across)
    owner = np.argmax(dense, axis=1)
    lines = sign[owner]
    for joint, normal in found.items():
        above = int(skeleton.parents[joint])
        below_it = part == joint
        beside = (part[owner] == joint) | ((part[owner] == part[above]) & (dense[:, below_it].sum(axis=1) > 0.01))
        height = (points - pose.positions[joint]) @ normal / (_LINE_REACH * pose.size)
        nearer = beside & (np.abs(height) < np.abs(lines))
        lines[nearer] = sign[joint] * height[nearer]
    return lines


def _weights(
    skeleton: Skeleton,
    shapes: np.ndarray,
    carriers: np.ndarray,
    points: np.ndarray,
    triangles: np.ndarray,
    reach: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joints (n, 4) and weights (n, 4) of every vertex, and all its weights (n, J) before the four largest were taken.

    The nearest joint's flesh counts in full, that of its neighbours the less the farther it is, beyond `reach` (J,)
    times the limb's thickness not at all. Mixing along the surface smooths what is left, and never leaks between limbs.
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
    away = (by_joint - least[:, None]) / (reach * thick)[nearest][:, None]
    near = _neighbours(skeleton, carriers)[nearest]
    dense = np.where(near, np.maximum(1.0 - away, 0.0) ** 2, 0.0)
    dense /= dense.sum(axis=1, keepdims=True)
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    ones = np.ones(len(ends))
    mixed = scipy.sparse.csr_matrix((ones, (ends[:, 0], ends[:, 1])), shape=(len(points),) * 2)
    mixed = mixed + scipy.sparse.identity(len(points)) * 4.0
    mixed = scipy.sparse.diags(1.0 / np.asarray(mixed.sum(axis=1)).ravel()) @ mixed
    for _ in range(_BLURS):
        dense = mixed @ dense
    order = np.argsort(-dense, axis=1, kind="stable")[:, :4]
    if count < 4:
        order = np.concatenate([order, np.zeros((len(points), 4 - count), int)], axis=1)
    weights = np.take_along_axis(dense, order, axis=1)
    weights[:, min(count, 4) :] = 0.0
    weights[weights < 0.01] = 0.0
    return order, weights / weights.sum(axis=1, keepdims=True), dense


def _neighbours(skeleton: Skeleton, carriers: np.ndarray) -> np.ndarray:
    """(J, J) bool: joints that may share skin: each with itself and with the next ones up and down that carry any."""
    carrying = set(carriers.tolist())
    near = np.eye(len(skeleton), dtype=bool)
    for joint in carrying:
        above = next((a for a in sides.ancestors(skeleton, joint)[1:] if a in carrying), joint)
        near[joint, above] = near[above, joint] = True
    return near
