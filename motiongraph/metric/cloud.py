"""The point cloud of a body and its exact compression (METRIC.md 2 and 3).

Inner products are all the metric needs of the cloud, and W = Σ w_s e_s e_sᵀ holds them: factored once per skeleton,
it turns the positions of J joints into fewer than J numbers an axis, however many points there are. Nothing here is
left to BLAS or LAPACK, whose last bits depend on the processor.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from reprlib import repr as brief

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric.samples import AXIS, Samples, Surface
from motiongraph.model.bone_map import body_parts
from motiongraph.model.skeleton import Skeleton

# Metres² of a direction that is left out. A body moves by about a metre along it: a ten thousandth of a millimetre.
_NOTHING = 1e-14
# CMU's own conversion to BVH renamed the bones of its ASF files; l and r become Left and Right.
_CMU_BVH = {
    "root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1", "lowerneck": "Neck",
    "upperneck": "Neck1", "head": "Head", "lhipjoint": "LHipJoint", "lfemur": "LeftUpLeg", "ltibia": "LeftLeg",
    "lfoot": "LeftFoot", "ltoes": "LeftToeBase", "lclavicle": "LeftShoulder", "lhumerus": "LeftArm",
    "lradius": "LeftForeArm", "lwrist": "LeftHand", "lhand": "LeftFingerBase", "lfingers": "LeftHandIndex1",
    "lthumb": "LThumb",
}  # fmt: skip


_CMU_BVH |= {
    "r" + a[1:]: re.sub("^L(eft)?", lambda m: "Right" if m[1] else "R", b)
    for a, b in _CMU_BVH.items()
    if a[0] == "l" and b[0] == "L" and a != "lowerback" and a != "lowerneck"
}
_CMU_BVH |= {f"{a}_end": f"{b}_end" for a, b in _CMU_BVH.items()}

# Mao 2011, table 4.1 (for the joint a bone turns about); alternatives are tried in order: CMU's ASF, its BVH and
# Mixamo, and the plain names of the table. Where arms are called Arm, a Shoulder is the collar bone.
_MAO = [
    (0.4, "{s}femur", "{Side}UpLeg", "{Side}Hip"),
    (0.4, "{s}tibia", "{Side}Leg", "{Side}Knee"),
    (0.9, "{s}foot", "{Side}Foot", "{Side}Ankle"),
    (0.8, "lowerback", "LowerBack"),
    (0.1, "upperback", "Spine", "Chest"),
    (0.1, "thorax", "Spine1", "Chest2"),
    (0.8, "upperneck", "Neck1", "Neck"),
    (0.1, "lowerneck", "Neck"),
    (0.4, "{s}humerus", "{Side}Arm", "{Side}Shoulder"),
    (0.2, "{s}radius", "{Side}ForeArm", "{Side}Elbow"),
]


def correspondence(
    ours: Skeleton, theirs: Skeleton, our_name: str = "one clip", their_name: str = "the other"
) -> np.ndarray:
    """(J,) int: for every joint of skeleton `ours`, the joint of `theirs` that is the same one.

    By name in any order, or by CMU's two sets of names; a MotionError says which joints have no partner.
    """
    if ours.names == theirs.names and np.array_equal(ours.parents, theirs.parents):
        return np.arange(len(ours))
    a, b = list(ours.names), list(theirs.names)
    if set(a) != set(b):
        a, b = [_CMU_BVH.get(n, n) for n in a], [_CMU_BVH.get(n, n) for n in b]
    if set(a) != set(b):
        only_a, only_b = (_few([n for n in x if n not in set(y)]) for x, y in ((a, b), (b, a)))
        raise MotionError(f"{our_name} and {their_name} have other joints: {only_a} against {only_b}")
    place = {n: i for i, n in enumerate(b)}
    order = np.array([place[n] for n in a])
    parents = np.array([place[a[p]] if p >= 0 else -1 for p in ours.parents])
    if not np.array_equal(parents, theirs.parents[order]):
        raise MotionError(f"{our_name} and {their_name} have the same joints, but hung up differently")
    return order


def _few(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "") if names else "none"


def joint_weights(skeleton: Skeleton, weights: Mapping[str, float] | str | None) -> np.ndarray:
    """(J,) weight of every joint: 1 unless `weights` names it or its part of the body; "mao" is Mao's table 4.1, where
    the others weigh 0; "length" and "children" see `Metric`.

    End joints (`<name>_end`) take their parent's weight unless named themselves (METRIC.md 2).
    """
    values = np.ones(len(skeleton))
    named = np.zeros(len(skeleton), bool)
    if weights in ("length", "children"):
        return _by_shape(skeleton, weights == "length")
    if isinstance(weights, str):
        if weights != "mao":
            words = "a mapping of joint names to numbers, 'mao', 'length' or 'children'"
            raise MotionError(f"joint weights are {words}, not {brief(weights)}")
        weights = _mao(skeleton)
        values[:] = 0.0
    # Parts of the body first, the larger before the smaller, so that what is said of a joint itself counts.
    rank = {name: k for k, name in enumerate(PARTS)}
    for name, value in sorted((weights or {}).items(), key=lambda item: rank.get(item[0], len(rank))):
        if not (np.isfinite(value) and value >= 0):
            raise MotionError(f"the weight of joint {brief(name)} must be a number from 0 up, not {brief(value)}")
        joints = [skeleton.index(name)] if name in skeleton.by_name or name not in PARTS else part(skeleton, name)
        values[joints], named[joints] = value, True
    for j, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents)):
        if name.endswith("_end") and parent >= 0 and not named[j]:
            values[j] = values[parent]
    if not values.any():
        raise MotionError("all joints weigh nothing; at least one must count")
    return values


# Parts of the body that weights can be given to, the larger before the smaller.
PARTS = ("arms", "legs", "trunk", "head", "left arm", "right arm", "left leg", "right leg", "hands", "feet")
_TOPS = {"arm": ("collar", "shoulder"), "leg": ("hip",), "hands": ("wrist",), "feet": ("ankle",)}


def part(skeleton: Skeleton, name: str) -> list[int]:
    """The joints of a part of the body, one of PARTS; none where they cannot be told."""
    known = body_parts(skeleton)
    if name == "trunk":
        others = {joint for other in ("arms", "legs", "head") for joint in part(skeleton, other)}
        return [joint for joint in range(len(skeleton)) if joint not in others]
    if name == "head":
        tops = [known[top] for top in ("neck", "head") if top in known][:1]
    else:
        side, _, limb = name.rpartition(" ")
        sides = (side,) if side else ("left", "right")
        found = (
            [f"{s} {top}" for top in _TOPS[limb.removesuffix("s") if limb in ("arms", "legs") else limb]] for s in sides
        )
        tops = [next(known[top] for top in ways if top in known) for ways in found if any(top in known for top in ways)]
    inside = np.zeros(len(skeleton), bool)
    inside[tops] = True
    for joint in range(1, len(skeleton)):
        inside[joint] |= inside[skeleton.parents[joint]]
    return np.flatnonzero(inside).tolist()


def _by_shape(skeleton: Skeleton, by_length: bool) -> np.ndarray:
    """(J,) the metres of bone that hang directly on each joint, or the number of all joints below it."""
    values = np.zeros(len(skeleton))
    for joint in range(len(skeleton) - 1, 0, -1):
        values[skeleton.parents[joint]] += skeleton.bone_lengths[joint] if by_length else 1.0 + values[joint]
    for joint, name in enumerate(skeleton.names):
        if name.endswith("_end"):
            values[joint] = values[skeleton.parents[joint]]
    if not values.any():
        raise MotionError("all joints weigh nothing; at least one must count")
    return values


def _mao(skeleton: Skeleton) -> dict[str, float]:
    plain = {re.sub(r"^.*[:|]", "", n).lower(): n for n in skeleton.names}
    found: dict[str, float] = {}
    for value, *names in _MAO:
        for s, side in (("l", "Left"), ("r", "Right")):
            targets = (n.format(s=s, Side=side).lower() for n in names)
            match = next((plain[n] for n in targets if n in plain and plain[n] not in found), None)
            if match:
                found[match] = value
            if "{" not in names[0]:
                break
    if len(found) < 10:
        raise MotionError("Mao's joint weights need a skeleton with CMU, Mixamo or plain BVH joint names")
    return found


@dataclass(frozen=True, eq=False)
class Cloud:
    """A skeleton's cloud, compressed. Weights are scaled to add up to one."""

    skeleton: Skeleton  # whose order of joints counts
    used: np.ndarray  # (r,) int, joints whose positions are needed
    factor: np.ndarray  # (r, K): bodies are factorᵀ·P[used], with no share in where the body is as a whole
    centre: np.ndarray  # (r,): the centre of weight is centreᵀ·P[used]
    rest: np.ndarray  # (K,) metres, heights of the rest pose, subtracted from every body's
    total: float  # what the weights added up to before they were scaled
    reach: float  # metres: no body is farther across
    axes: bool = False  # `used` are places of `Samples`: joints, then tips of their axes

    @cached_property
    def key(self) -> str:
        """The same for equal clouds."""
        digest = blake2b(digest_size=16)
        for array in (self.used, self.factor, self.centre, self.rest):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @classmethod
    @lru_cache(maxsize=64)
    def of(
        cls,
        skeletons: tuple[Skeleton, ...],
        weights: Mapping[str, float] | str | None = None,
        samples_per_bone: int = 5,
        rigid: bool = True,
        mesh: "Surface | str | None" = None,
    ) -> "Cloud":
        """The cloud shared by skeletons with the same joints; bones weigh by their mean length over them.

        rigid: False where joints slide, so that no position follows from others. mesh: points on a surface of the first
        skeleton instead.
        """
        first = skeletons[0]
        orders = [correspondence(first, s) for s in skeletons]
        lengths = np.mean([s.bone_lengths[o] for s, o in zip(skeletons, orders)], axis=0)
        offsets = np.concatenate([s.offsets[o] for s, o in zip(skeletons, orders)], axis=1)
        own = joint_weights(first, weights)
        if mesh is not None:
            return cls._of_surface(skeletons, orders, Samples.of(first, own, samples_per_bone, mesh))
        W, v = _moments(first.parents, lengths, own, samples_per_bone)
        total = float(W.sum())
        if not total > 0:
            raise MotionError(
                "all bones weigh nothing: give weight to a joint whose bone has a length, or use 0 samples"
            )
        used, E = _basis(first.parents, offsets) if rigid else (np.arange(len(first)), np.eye(len(first)))
        W, v = _product(_product(E.T, W), E) / total, _product(E.T, v[:, None])[:, 0] / total
        factor = _factor(W - v[:, None] * v)
        heights = np.mean([s.rest[o][:, 1] for s, o in zip(skeletons, orders)], axis=0)
        rest = _product(factor.T, heights[used][:, None])[:, 0]
        reach = max(_reach(first.parents, s.bone_lengths[o]) for s, o in zip(skeletons, orders))
        return cls(first, used, factor, v, rest, total, reach)

    @classmethod
    def _of_surface(cls, skeletons: tuple[Skeleton, ...], orders: list[np.ndarray], samples: Samples) -> "Cloud":
        """Of points beside the bones: what is compressed are joints and tips of their axes."""
        first, count = skeletons[0], 4 * len(skeletons[0])
        total = float(samples.weights.sum())
        if not total > 0:
            raise MotionError("all points of the surface weigh nothing; at least one joint must count")
        W, v, weights = np.zeros((count, count)), np.zeros(count), samples.weights / total
        for places, shares, weight in zip(samples.places, samples.shares, weights):
            np.add.at(v, places, weight * shares)
            np.add.at(W, (places[:, None], places[None]), weight * shares[:, None] * shares)
        used = np.flatnonzero(W.diagonal() > 0.0)
        W, v = W[np.ix_(used, used)], v[used]
        factor = _factor(W - v[:, None] * v)
        heights = []
        for skeleton, order in zip(skeletons, orders):
            joints = skeleton.rest[order][:, 1]
            heights.append(np.concatenate([joints, (joints[:, None] + np.array([0.0, AXIS, 0.0])).ravel()])[used])
        rest = _product(factor.T, np.mean(heights, axis=0)[:, None])[:, 0]
        reach = max(_reach(first.parents, s.bone_lengths[o]) for s, o in zip(skeletons, orders)) + 10.0 * AXIS
        return cls(first, used, factor, v, rest, total, reach, axes=True)


def _reach(parents: np.ndarray, lengths: np.ndarray) -> float:
    """Length of the longest way along the bones from one joint to another."""
    deepest, longest = np.zeros(len(parents)), 0.0  # below each joint; through any
    for j in range(len(parents) - 1, 0, -1):
        p, way = parents[j], deepest[j] + lengths[j]
        longest, deepest[p] = max(longest, deepest[p] + way), max(deepest[p], way)
    return float(longest)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Matrix product (n, m)·(m, k), terms added in order."""
    return np.sum(a[:, :, None] * b[None], axis=1)


def _factor(W: np.ndarray) -> np.ndarray:
    """(r, K) with W = factor·factorᵀ, W (r, r) positive semidefinite: Cholesky's factor, largest pivot first.

    Columns come with the smallest first: BLAS then adds small products first, which loses least.
    """
    rest, columns = W.copy(), []
    for _ in range(len(W)):
        pivot = int(np.argmax(rest.diagonal()))
        if not rest[pivot, pivot] > _NOTHING:
            break
        column = rest[:, pivot] / np.sqrt(rest[pivot, pivot])
        rest -= column[:, None] * column
        columns.append(column)
    return np.ascontiguousarray(np.array(columns[::-1]).reshape(-1, len(W)).T)


def _moments(
    parents: np.ndarray, lengths: np.ndarray, weights: np.ndarray, samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """W (J, J) = Σ w_s e_s e_sᵀ and v (J,) = Σ w_s e_s over the points of the cloud."""
    J = len(parents)
    if samples == 0:
        return np.diag(weights), weights.copy()
    f = (np.arange(samples) + 0.5) / samples
    near, both, far = np.mean((1 - f) ** 2), np.mean((1 - f) * f), np.mean(f**2)
    W, v = np.zeros((J, J)), np.zeros(J)
    for j in range(1, J):
        q, w = parents[j], lengths[j] * weights[j]
        W[q, q] += w * near
        W[j, j] += w * far
        W[q, j] += w * both
        W[j, q] += w * both
        v[q] += w * 0.5
        v[j] += w * 0.5
    return W, v


def _basis(parents: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Joints (r,) whose positions give all others, and E (J, r) that does: P = E·P[used].

    Children of one joint move rigidly with it, so one whose offset is a combination of its siblings' needs no
    column of its own: CMU's hips begin at the root, its collar bones at the neck. offsets: (J, 3·skeletons), so
    that a combination must hold in each of them.
    """
    J = len(parents)
    rows = np.zeros((J, J))
    used: list[int] = []
    for j in range(J):
        p = parents[j]
        siblings = [k for k in used if p >= 0 and parents[k] == p]
        combination = _combination(offsets[siblings], offsets[j])
        left_over = offsets[j] - np.sum(combination[:, None] * offsets[siblings], axis=0)
        if p < 0 or np.abs(left_over).max() > 1e-8 or np.abs(combination).max(initial=0.0) > 10.0:
            used.append(j)
            rows[j, j] = 1.0
        else:
            rows[j] = rows[p] + np.sum(combination[:, None] * (rows[siblings] - rows[p]), axis=0)
    return np.array(used), np.ascontiguousarray(rows[:, used])


def _combination(vectors: np.ndarray, target: np.ndarray) -> np.ndarray:
    """(n,) factors with which independent vectors (n, m) come nearest to target (m,), by Gram and Schmidt."""
    axes: list[np.ndarray] = []  # each vector less its share of those before, not scaled
    shares = np.eye(len(vectors))  # of the vectors in each axis
    factors = np.zeros(len(vectors))
    for k, vector in enumerate(vectors):
        axis = vector.copy()
        for i, other in enumerate(axes):
            size = np.sum(other * other)
            share = np.sum(axis * other) / size if size > 0.0 else 0.0
            axis = axis - share * other
            shares[k] -= share * shares[i]
        if np.sum(axis * axis) <= 1e-12 * np.sum(vector * vector):
            axis = np.zeros_like(axis)
        axes.append(axis)
    rest = target.copy()
    for k, axis in enumerate(axes):
        size = np.sum(axis * axis)
        share = np.sum(rest * axis) / size if size > 0.0 else 0.0
        rest = rest - share * axis
        factors += share * shares[k]
    return factors
