"""Legs as two bones and a hinge: how far knees are bent, how far they should be, and the turns that move a foot.

A knee is a hinge whose axis is fixed to the thigh (Tolani, Goswami and Badler 2000, 2). Captured poses tell the axis
only while the knee is bent, so that it is found over time. Bends have a sign: captured legs are sometimes straight or
overstretched, and must be left so, since near full length a millimetre turns a knee by degrees and the side to which it
bends is undecided.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.model import sides
from motiongraph.model.skeleton import Skeleton
from motiongraph.synthesis import _kernels

_AXIS = 0.25  # s over which the axis of a hinge is averaged
_USUAL = 0.05  # weight of the axis over the whole motion, as the sine of a bend
_STRAIGHT = np.radians(10.0)  # a knee bent less than this keeps its bend rather than have the ankle quite at its place
_SNAP = np.radians(8.0)  # that a knee may be bent more or less than it should to bring an ankle to its place
_SMOOTH = 0.05  # s over which a correction of a bend is smoothed
_TREMBLE = 0.003  # m; a held foot may tremble so much up and down, as captured ones do, where a knee else would snap
_KEPT = 0.7  # of its bend a knee should keep
_SLACK = np.radians(2.0)  # within which the two are weighed against each other
_DAMPING = 0.1  # keeps legs side by side from asking for too much
_ROUNDS = 4


@dataclass(frozen=True)
class Leg:
    """Joint indices of a leg."""

    hip: int
    knee: int
    ankle: int
    ball: int  # −1 where the foot has no toe joint
    tips: tuple[int, ...]  # the other joints of the foot, which must not enter the floor either
    toe: int  # the one of them at the end of the bone that turns at the ball, or −1

    def bones(self, skeleton: Skeleton) -> list[tuple[int, list[int]]]:
        """The joints where thigh, shin, foot and toes begin, each with the joints that it carries."""
        ends = [self.hip, self.knee, self.ankle, *([self.ball] if self.toe >= 0 else [])]
        below = [sides.below(skeleton, joint) for joint in ends]
        later = [*below[1:], []]
        return [(end, [j for j in own if j not in far]) for end, own, far in zip(ends, below, later)]


def legs_of(skeleton: Skeleton, joints: Iterable[int]) -> list[Leg]:
    """The legs that end in these foot joints (ankles, and toe bases below them); a foot without a leg is left out."""
    joints, legs = list(joints), []
    for ankle in joints:
        knee = int(skeleton.parents[ankle])
        above = set(sides.ancestors(skeleton, ankle)[1:])
        if above & set(joints) or knee <= 0 or skeleton.parents[knee] <= 0:
            continue
        foot = sides.below(skeleton, ankle)
        ball = next((j for j in foot if j in joints), -1)
        if min(skeleton.bone_lengths[ankle], skeleton.bone_lengths[knee]) > 1e-3:
            toes = skeleton.children[ball] if ball >= 0 else ()
            toe = max(toes, key=lambda j: skeleton.bone_lengths[j], default=-1)
            toe = toe if toe >= 0 and skeleton.bone_lengths[toe] > 1e-3 else -1
            legs.append(Leg(int(skeleton.parents[knee]), knee, ankle, ball, tuple(j for j in foot if j != ball), toe))
    return legs


@dataclass(frozen=True, eq=False)
class Knees:
    """The knees of n legs over F frames. With a knee bent by β, hip and ankle are √(level + swing · cos β) apart."""

    thigh: np.ndarray  # (n, F, 3) metres, from hip to knee
    shin: np.ndarray  # (n, F, 3) metres, from knee to ankle
    axis: np.ndarray  # (n, F, 3) unit vectors; a shin that turns about it bends the knee
    bend: np.ndarray  # (n, F) radians as captured, 0 straight, below 0 overstretched
    level: np.ndarray  # (n, F) m²
    swing: np.ndarray  # (n, F) m²

    @classmethod
    def of(cls, hip: np.ndarray, knee: np.ndarray, ankle: np.ndarray, turns: np.ndarray, fps: float) -> "Knees":
        """hip, knee, ankle: (n, F, 3) metres; turns: (n, F, 4) global orientations of what the hips are fixed to."""
        thigh, shin = knee - hip, ankle - knee
        axis = hinge_axis(thigh, shin, turns, fps)
        along = np.sum(axis * shin, axis=-1, keepdims=True)
        across = shin - along * axis
        forth = np.sum(thigh * across, axis=-1)
        aside = np.sum(thigh * rot.cross(axis, across), axis=-1)
        fixed = np.sum(thigh * axis, axis=-1) * along[..., 0]
        level = np.sum(thigh * thigh, axis=-1) + np.sum(shin * shin, axis=-1) + 2.0 * fixed
        return cls(thigh, shin, axis, np.arctan2(-aside, forth), level, 2.0 * np.hypot(forth, aside))

    def part(self, frames: slice) -> "Knees":
        """Some of their frames."""
        return Knees(*(getattr(self, each.name)[:, frames] for each in fields(self)))

    def span(self, bend: np.ndarray) -> np.ndarray:
        """(n, F) metres between hip and ankle when the knees are bent by `bend` (n, F)."""
        return np.sqrt(np.maximum(self.level + self.swing * np.cos(bend), 0.0))

    def bend_at(self, distance: np.ndarray) -> np.ndarray:
        """(n, F) radians from 0 up: bends with hip and ankle so far (n, F) apart, or as near to that as can be."""
        return np.arccos(np.clip((distance**2 - self.level) / np.maximum(self.swing, 1e-12), -1.0, 1.0))

    def wanted(self, distance: np.ndarray, fps: float) -> np.ndarray:
        """(n, F) signed bends for legs whose ankles should be so far (n, F) from their hips.

        As captured where nothing changes. Nearly straight legs keep their bend, overstretched ones are at most
        straightened, none becomes much straighter than it was, and what trembles is smoothed: there the distance is
        not kept, and the root or the foot has to give way.
        """
        was = self.bend
        much = self.bend_at(distance)
        change = np.where(was > 0.0, much - was, np.maximum(-was - much, 0.0))
        change *= smoothstep(np.minimum(np.abs(was) / _STRAIGHT, 1.0))
        change = scipy.ndimage.gaussian_filter1d(change, _SMOOTH * fps, axis=-1, mode="nearest")
        least = -(1.0 - _KEPT) * np.maximum(was, 0.0)
        return was + _higher(change, least) - _higher(np.zeros_like(least), least)

    def reach(self, bend: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Turns (n, F, 4) of thigh and shin, and the ankles (n, F, 3) from the hips, towards targets (n, F, 3) from the
        hips, with knees bent by about `bend` (n, F).

        Ankles come to their targets where knees are bent, otherwise as near as that bend lets them. The turns act on
        global orientations. A leg that is where it should be is not turned at all.
        """
        distance = np.sqrt(np.sum(target * target, axis=-1))
        exact = np.copysign(self.bend_at(distance), bend)
        more = smoothstep(np.minimum(np.abs(bend) / _STRAIGHT, 1.0)) * _SNAP * np.tanh((exact - bend) / _SNAP)
        fold = rot.from_vector((bend + more - self.bend)[..., None] * self.axis)
        ankle = self.thigh + rot.rotate(fold, self.shin)
        thigh = rot.between(ankle, target)
        return thigh, rot.multiply(thigh, fold), rot.rotate(thigh, ankle)

    def trembling(self, bend: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Targets (n, F, 3) from the hips a little higher or lower, for knees bent by `bend` (n, F); never beside."""
        down = np.abs(target[..., 1])
        flat = np.sum(target[..., ::2] ** 2, axis=-1)
        more = np.sqrt(np.maximum(self.span(bend) ** 2 - flat, 0.0)) - down
        upright = smoothstep(np.clip(down / np.maximum(np.sqrt(flat + down**2), 1e-9) / 0.3 - 2.0, 0.0, 1.0))
        result = target.copy()
        result[..., 1] += np.sign(target[..., 1]) * upright * little(more)
        return result


def little(metres: np.ndarray) -> np.ndarray:
    """What of an error a trembling foot can take, softly limited."""
    return _TREMBLE * np.tanh(metres / _TREMBLE)


def hinge_axis(thigh: np.ndarray, shin: np.ndarray, turns: np.ndarray, fps: float) -> np.ndarray:
    """(n, F, 3) unit vectors across the thighs, about which knees bend; turns: (n, F, 4) of the pelvis.

    The mean over a while of the axes of all poses as the pelvis sees them, weighed by how far the knee is bent in each:
    captured thighs with straight knees may spin about themselves. A knee that never bends gets its x axis.
    """
    size = np.maximum(length(thigh) * length(shin), 1e-12)
    local = rot.rotate(rot.conjugate(turns), rot.cross(thigh, shin) / size)
    usual = local.sum(axis=-2, keepdims=True)
    usual = np.where(length(usual) > 1e-6 * local.shape[-2], unit(usual), np.array([1.0, 0.0, 0.0]))
    local = scipy.ndimage.gaussian_filter1d(local, _AXIS * fps, axis=-2, mode="nearest")
    local += (_USUAL - np.minimum(np.sum(local * usual, axis=-1, keepdims=True), 0.0)) * usual
    axis, direction = rot.rotate(turns, local), unit(thigh)
    return unit(axis - direction * np.sum(axis * direction, axis=-1, keepdims=True))


def _higher(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The higher of two bends, rounded where they meet."""
    return 0.5 * (a + b + np.hypot(a - b, _SLACK))


def root_shift(hip: np.ndarray, goal: np.ndarray, wanted: np.ndarray, firm: np.ndarray) -> np.ndarray:
    """(F, 3) metres by which the root moves so that hips are `wanted` (n, F) from the goals of their ankles.

    hip, goal: (n, F, 3); firm: (n, F) 1 while the ankle must be at its goal, less where it may give way itself.
    """
    shift = np.empty(hip.shape[1:])
    _kernels.give(hip, goal, np.ascontiguousarray(wanted), firm, _DAMPING, _ROUNDS, shift)
    return shift


def length(vectors: np.ndarray) -> np.ndarray:
    """(…, 1) of (…, 3)."""
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]


def unit(vectors: np.ndarray) -> np.ndarray:
    """Directions (…, 3); zero stays zero."""
    return vectors / np.maximum(length(vectors), 1e-12)
