"""What is around the bones of a body: rounded shapes, each carried by a joint, in the bind pose.

Widths are those of a slim adult of 1.75 m, chosen by eye, and grow with the body; lengths are the skeleton's own, so a
bone that a file makes long becomes a long limb. What a bone is, its name says (`body.bone_kinds`).
"""

from itertools import pairwise

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.model import sides
from motiongraph.model.bind_pose import BindPose, main_child
from motiongraph.model.extremities import add_foot, add_hand, add_head
from motiongraph.model.flesh_shapes import Flesh, times
from motiongraph.model.skeleton import Skeleton

_Y, _Z = np.eye(3)[1:]

# Along a bone: share of its length, half width, half depth, shift to the front; metres of an adult.
_LIMBS = {
    "thigh": (
        (0.0, 0.084, 0.088, 0.0),
        (0.35, 0.078, 0.084, 0.006),
        (0.75, 0.059, 0.062, 0.0),
        (1.0, 0.049, 0.054, 0.0),
    ),
    "shin": (
        (0.0, 0.048, 0.052, 0.0),
        (0.28, 0.053, 0.055, -0.012),
        (0.65, 0.040, 0.042, -0.006),
        (1.0, 0.030, 0.035, 0.0),
    ),
    "arm": ((0.0, 0.046, 0.048, 0.0), (0.4, 0.043, 0.047, 0.002), (0.8, 0.037, 0.038, 0.0), (1.0, 0.034, 0.036, 0.0)),
    "forearm": (
        (0.0, 0.034, 0.037, 0.0),
        (0.25, 0.037, 0.041, 0.0),
        (0.7, 0.027, 0.032, 0.0),
        (1.0, 0.021, 0.027, 0.0),
    ),
    "neck": ((0.0, 0.055, 0.054, -0.006), (1.0, 0.047, 0.050, 0.0)),
    "clavicle": ((0.0, 0.045, 0.045, 0.0), (1.0, 0.046, 0.050, 0.0)),
}
# Up the trunk, from between the hips to the neck: share of the way, half width, half depth, shift to the front.
_TRUNK = (
    (-0.09, 0.080, 0.072, -0.012),
    (0.00, 0.146, 0.104, -0.012),
    (0.16, 0.142, 0.100, -0.004),
    (0.36, 0.118, 0.088, 0.006),
    (0.60, 0.138, 0.100, 0.008),
    (0.80, 0.150, 0.104, 0.004),
    (0.93, 0.118, 0.080, -0.004),
    (1.00, 0.058, 0.058, -0.006),
)
_SLICES = 17  # of a trunk
_ROUND = 0.2  # share of the trunk over which the corners of a spine are rounded, up and down
_FAMILY = {"thigh": "leg", "shin": "leg", "arm": "arm", "forearm": "arm"}
# An animal's, by the length of its trunk: half widths where a bone begins and where it ends.
_ANIMAL = {
    "pelvis": (0.150, 0.155),
    "torso": (0.165, 0.180),
    "neck": (0.115, 0.080),
    "clavicle": (0.095, 0.080),
    "arm": (0.082, 0.050),
    "forearm": (0.048, 0.028),
    "hand": (0.030, 0.028),
    "thigh": (0.105, 0.060),
    "shin": (0.058, 0.030),
    "foot": (0.030, 0.027),
    "toe": (0.030, 0.022),
    "finger": (0.020, 0.016),
}


def flesh_of(skeleton: Skeleton, pose: BindPose) -> Flesh:
    """The shapes of a skeleton's body; at least one, whatever its bones."""
    flesh = Flesh()
    (_person if pose.upright else _creature)(skeleton, pose, flesh)
    if not flesh.rows:
        flesh.ball(0, pose.positions[0], (0.1 * pose.size,) * 3)
    return flesh


def _person(skeleton: Skeleton, pose: BindPose, flesh: Flesh) -> None:
    kinds, place, size = pose.kinds, pose.positions, pose.size
    trunk, pelvis = _trunk(skeleton, pose, flesh)
    heads = [j for j, kind in enumerate(kinds) if kind == "head" and (j == 0 or kinds[skeleton.parents[j]] != "head")]
    hidden = {b for j in heads for b in sides.below(skeleton, j)}  # faces are not modelled
    for joint, kind in enumerate(kinds):
        child = main_child(skeleton, kinds, joint)
        if joint in hidden or joint in trunk or (child is None and kind not in ("forearm", "shin")):
            continue
        if child is None:  # a file that ends at elbows or knees
            above = place[joint] - place[skeleton.parents[joint]]
            tip = place[joint] + above * (0.3 * size if kind == "forearm" else 0.42 * size) / max(
                np.linalg.norm(above), 1e-9
            )
            if kinds[skeleton.parents[joint]] != kind:
                _limb(
                    joint, place[joint], tip, kind, False, size, f"{_FAMILY[kind]} {pose.left[joint] or joint}", flesh
                )
            continue
        if kind in _LIMBS:
            limb = "trunk" if kind == "neck" else f"{_FAMILY.get(kind, kind)} {pose.left[joint] or joint}"
            _limb(joint, place[joint], place[child], kind, kinds[child] == kind, size, limb, flesh)
        elif not kind and kinds[child] not in ("pelvis", "torso", "thigh") and not _held(skeleton, joint):
            thick = min(max(0.13 * skeleton.bone_lengths[child], 0.008 * size), 0.05 * size)
            flesh.add(joint, place[joint], place[child], (thick, thick), (0.8 * thick, 0.8 * thick), melt=0.01 * size)
    for joint in heads[:1]:
        add_head(skeleton, pose, joint, flesh)
    for joint, kind in enumerate(kinds):
        above = kinds[skeleton.parents[joint]] if joint else ""
        if kind == "hand" and above != "hand":
            add_hand(skeleton, pose, joint, flesh)
        elif (kind in ("foot", "toe")) and above not in ("foot", "toe"):
            add_foot(skeleton, pose, joint, flesh)
        elif kind == "arm" and above != "arm":
            side = np.sign(place[joint, 0]) or 1.0
            flesh.ball(
                joint, place[joint] + np.array([0.004 * side, -0.018, 0.0]) * size, times(size, 0.053, 0.064, 0.055)
            )
        elif kind == "thigh" and above != "thigh":
            seat = place[joint] + np.array([-0.012 * np.sign(place[joint, 0]), -0.01, -0.052]) * size
            above = int(skeleton.parents[joint]) if pelvis is None else pelvis  # one with the back above it
            flesh.ball(above, seat, times(size, 0.080, 0.088, 0.070), melt=0.05 * size)


def _held(skeleton: Skeleton, joint: int) -> bool:
    """Whether a bone without a name of the body is a thing that is carried (Xsens writes "Prop1")."""
    names = (skeleton.names[joint], *(skeleton.names[c] for c in skeleton.children[joint]))
    return any("prop" in name.lower() for name in names)


def _trunk(skeleton: Skeleton, pose: BindPose, flesh: Flesh) -> tuple[set[int], int | None]:
    """Pelvis, belly and chest around the spine; returns the joints of the spine and the one that carries the pelvis."""
    kinds, place, size = pose.kinds, pose.positions, pose.size
    top = next((j for j, kind in enumerate(kinds) if kind in ("neck", "head")), None)
    if top is None:
        return set(), None
    hips = [j for j, kind in enumerate(kinds) if kind == "thigh" and kinds[skeleton.parents[j]] != "thigh"]
    base = place[hips].mean(axis=0)
    chain = [j for j in sides.ancestors(skeleton, top)[::-1] if place[j, 1] > base[1] or j == top]
    low = int(skeleton.parents[hips[0]])
    while kinds[low] == "pelvis" and low not in chain and low > 0 and place[low, 1] > base[1]:
        low = int(skeleton.parents[low])
    # The line through the middle of the trunk, and which joint carries what lies above each of its points.
    points = np.array([base, *(place[j] for j in chain)])
    carriers = [int(skeleton.parents[chain[0]]) if chain and skeleton.parents[chain[0]] >= 0 else 0, *chain]
    pelvis = carriers[0] = low if low in sides.ancestors(skeleton, top) else carriers[0]
    keep = np.concatenate([np.diff(points[:, 1]) > 1e-4, [True]])  # of joints in one place the last carries
    points, carriers = points[keep], [c for c, k in zip(carriers, keep) if k]
    height = points[-1, 1] - base[1]
    shares = (points[:, 1] - base[1]) / height
    shares[-1] = 1.0

    def at(share: float) -> np.ndarray:
        # The spine of a file has corners; a back has none.
        around = share + np.linspace(-_ROUND, _ROUND, 9)
        here = np.array([np.interp(around, shares, points[:, axis]).mean() for axis in range(3)])
        here[1] = base[1] + share * height
        return here

    def carrier(share: float) -> int:
        # The pelvis reaches above the joint at which many files bend the back.
        found = carriers[max(np.searchsorted(shares, share, side="right") - 1, 0)]
        if share < 0.22 or (found == top and len(carriers) < 2):
            return pelvis
        return carriers[-2] if found == top else found

    # One straight line would have no waist, few would have edges: cut at joints and often enough to look round.
    knots = np.array(_TRUNK)
    cuts = np.unique(np.concatenate([np.linspace(knots[0, 0], 1.0, _SLICES), shares[1:-1]]).round(4))
    cuts = cuts[np.concatenate([[True], np.diff(cuts) > 0.01])]
    profile = scipy.interpolate.PchipInterpolator(knots[:, 0], knots[:, 1:])(cuts) * size
    wide = 0.5 * np.ptp(place[hips, 0]) + 0.062 * size  # hips that a file puts far apart need a wide pelvis
    profile[:, 0] *= np.interp(cuts, [0.0, 0.36], [max(wide / (0.146 * size), 1.0), 1.0])
    for n in range(len(cuts) - 1):
        middle = 0.5 * (cuts[n] + cuts[n + 1])
        joint = carrier(middle)
        (w0, d0, f0), (w1, d1, f1) = profile[n], profile[n + 1]
        a, b = at(cuts[n]) + f0 * _Z, at(cuts[n + 1]) + f1 * _Z
        flesh.add(joint, a, b, (w0, d0), (w1, d1), caps=(0.4 * d0, 0.4 * d1), melt=0.04 * size, group="trunk")
    chest = carrier(0.75)
    for side in (-1.0, 1.0):
        breast = at(0.77) + np.array([0.068 * side, 0.0, 0.054]) * size
        flesh.ball(chest, breast, times(size, 0.080, 0.060, 0.036), melt=0.06 * size)
        blade = at(0.76) + np.array([0.075 * side, 0.0, -0.055]) * size
        flesh.ball(chest, blade, times(size, 0.068, 0.085, 0.042), melt=0.05 * size)
    shoulders = [j for j, kind in enumerate(kinds) if kind == "arm" and kinds[skeleton.parents[j]] != "arm"]
    for joint in shoulders:  # from the neck down to the shoulders
        above = int(skeleton.parents[joint])
        a, b = at(1.0) + np.array([0.0, 0.045, -0.012]) * size, place[joint] + np.array([0.0, 0.016, -0.004]) * size
        a, b = a + 0.12 * (b - a), a + 0.86 * (b - a)
        flesh.add(above, a, b, times(size, 0.036, 0.046), times(size, 0.034, 0.044), melt=0.06 * size)
        a = at(0.80) + np.array([0.0, 0.0, 0.0]) * size
        b = place[joint] - np.array([0.0, 0.03, 0.0]) * size
        a, b = a + 0.35 * (b - a), a + 0.85 * (b - a)
        flesh.add(above, a, b, times(size, 0.075, 0.070), times(size, 0.058, 0.052), melt=0.05 * size)
    return set(sides.ancestors(skeleton, top)) - {top}, pelvis


def _limb(
    joint: int, a: np.ndarray, b: np.ndarray, kind: str, goes_on: bool, size: float, limb: str, flesh: Flesh
) -> None:
    """Shapes along one bone."""
    knots = _LIMBS[kind] if not goes_on else (_LIMBS[kind][0], _LIMBS[kind][1])
    melt = 0.04 if limb == "trunk" else 0.028
    for (s, w0, d0, f0), (t, w1, d1, f1) in pairwise(knots):
        if goes_on:
            s, t = 0.0, 1.0
        start, stop = a + s * (b - a) + f0 * size * _Z, a + t * (b - a) + f1 * size * _Z
        flesh.add(joint, start, stop, times(size, w0, d0), times(size, w1, d1), melt=melt * size, group=limb)


def _creature(skeleton: Skeleton, pose: BindPose, flesh: Flesh) -> None:
    """An animal, or whatever has bones: a shape along every bone."""
    kinds, place = pose.kinds, pose.positions
    trunk = pose.size / 1.3
    known = sum(kind in ("torso", "thigh", "shin", "head") for kind in kinds) >= 4
    for joint in range(1, len(skeleton)):
        above = int(skeleton.parents[joint])
        length = float(np.linalg.norm(place[joint] - place[above]))
        kind = kinds[above]
        if length < 1e-3 * pose.size or kinds[joint] == "pelvis" or "footsteps" in skeleton.names[joint].lower():
            continue
        if kind == "head" and known:
            skull = place[above] + 0.35 * (place[joint] - place[above])
            flesh.add(
                above, place[above], skull, times(trunk, 0.085, 0.085), times(trunk, 0.095, 0.09), front=_Y, melt=0.03
            )
            flesh.add(
                above, skull, place[joint], times(trunk, 0.060, 0.060), times(trunk, 0.035, 0.035), front=_Y, melt=0.04
            )
        elif kind in _ANIMAL and known:
            begin, end = times(trunk, *_ANIMAL[kind])
            if kind in ("torso", "pelvis") and kinds[joint] in ("thigh", "arm", "clavicle"):
                begin, end = 0.6 * begin, 0.6 * end
            deep = 1.15 if kind == "torso" else 1.0
            flesh.add(
                above, place[above], place[joint], (begin, deep * begin), (end, deep * end), front=_Y, melt=0.05 * trunk
            )
        else:
            thick = min(max(0.14 * length, 0.008 * pose.size), (0.028 if known else 0.09) * pose.size)
            flesh.add(
                above, place[above], place[joint], (thick, thick), (0.8 * thick, 0.8 * thick), melt=0.025 * pose.size
            )
