"""Feet that stay where they are planted (after Kovar, Schreiner and Gleicher, Footskate Cleanup, 2002).

Each contact of heel and toe gets one place on the floor. While it lasts the foot is held there; before and after, the
correction comes and goes smoothly. Legs reach their feet by an exact two-bone solution, and the root gives way where
a leg would stretch or its knee snap. Bones keep their length, which theirs do not. Where all that would jolt a joint
more than the motion itself does, the correction is smoothed until it does not: there the contact is let go softly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.feet import CLEAR, Foot, foot_of, keep_lift, plants
from motiongraph.synthesis.jolts import ORDERS, Account, Limit
from motiongraph.synthesis.legs import Knees, Leg, legs_of, length, little, root_shift

_SLOW = 0.05  # s; what the root does in less than about this is sudden
_SUDDEN = 0.02  # s over which even that is smoothed
_SUNK = 0.005  # m; a foot captured this far below the ground is half taken for standing
_CALM = (0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32)  # s over which a jolt is smoothed, by rounds
_WIDE = 2.0  # times that to both sides of it
# s around a jolt in which what was mended is taken back, and how much of it, by rounds
_BACK = ((0.04, 0.4), (0.08, 0.4), (0.16, 0.4), (0.16, 0.6), (0.08, 1.0), (0.16, 1.0), (0.32, 1.0))
_SLOWER = 1.0, 2.0, 4.0  # times as long to lift feet out of the floor that still are in it
_DEEP = 0.001  # m that a foot may be deeper in the floor than before
_DRY = 1e-6  # m


def cleaned(
    clip: Clip, floor: np.ndarray | None = None, onto: float | None = None, progress: Progress = SILENT
) -> Clip:
    """`clip` with planted feet held, floor never entered and legs never overstretched; without legs, `clip` itself.

    floor: (F,) metres, the ground under every frame where that changes, as it does when pieces of several clips are
    joined; by default that of the clip. onto: metres, the height that all of it is brought to, by default the first.
    """
    whole = Stance.of(clip, floor, onto)
    if whole is None:
        return clip
    whole = whole.stepping()
    # An added T-pose would tug at the first captured frames.
    stance = whole.part(slice(clip.first, len(clip)))
    progress(0, 2, "holding planted feet")
    moved, turns = stance.held()
    progress(1, 2, "holding planted feet")
    moved, turns = soothed(stance, moved, turns, limits_of(stance))
    root, rotations = stance.root + moved, stance.turned(turns)
    if clip.first:
        root = np.concatenate([whole.root[: clip.first], root])
        rotations = np.concatenate([whole.rotations[: clip.first], rotations])
    made = replace(clip, root=root, rotations=rotations, source=clip._layout())
    return replace(made, origin=clip.origin and replace(clip.origin, floor=whole.ground))


def limits_of(stance: "Stance", account: Account | None = None) -> list[Limit]:
    """How suddenly its joints may move, none for a few frames. account: of the longer motion that these frames are a
    part of, if they are."""
    if len(stance.root) <= max(ORDERS):
        return []
    still = np.zeros((len(stance.root), 3)), np.zeros((len(stance.root), len(stance.legs), 4, 3))
    before = stance.positions(*still)
    return [Limit.of(before, stance.fps, stance.swinging, order, account) for order in ORDERS]


def soothed(
    stance: "Stance", moved: np.ndarray, turns: np.ndarray, limits: Sequence[Limit]
) -> tuple[np.ndarray, np.ndarray]:
    """What holds the feet (see `held`), smoothed where it jolts a joint; the more rounds that takes, the wider."""
    fps = stance.fps
    if not limits:
        return moved, turns

    def jolted(places: np.ndarray) -> np.ndarray:
        return stance.shares(np.logical_or(*(limit.jolted(places) for limit in limits)))

    was = moved, turns
    for calm in _CALM:
        jolts = jolted(stance.positions(moved, turns))
        if not jolts.any():
            break
        turns = turns.copy()
        near = _near(jolts, calm * fps)
        moved = _smoother(moved, near.max(axis=0), calm * fps)
        for n in np.flatnonzero(jolts.any(axis=1)):
            turns[:, n] = _smoother(turns[:, n], near[n], calm * fps)
    if turns is was[1]:
        return moved, turns
    # What was smoothed is off its place, or in the floor: both are mended as far as that jolts nothing more. What would
    # is mended by a part, and what is left in the floor is lifted out of it more slowly.
    places = stance.positions(moved, turns)
    calmed, depth = ~jolted(places), stance.depth(places)
    for place, over in ((was, CLEAR), *((None, times * CLEAR) for times in _SLOWER)):
        mended = stance.mended(moved, turns, place, over)
        for calm, share in (*_BACK, (0.0, 0.0)):
            places = stance.positions(moved, mended)
            deep = stance.depth(places)
            spoilt = jolted(places) & calmed | (deep > np.maximum(depth, 0.0) + _DEEP)
            if not spoilt.any():
                turns, depth = mended, deep
                break
            if share:
                mended += share * _near(spoilt, calm * fps).T[..., None, None] * (turns - mended)
        if depth.max() < _DRY:
            break
    return moved, turns


def _smoother(values: np.ndarray, near: np.ndarray, sigma: float) -> np.ndarray:
    """values (F, …), where near (F,) is 1 smoothed over `sigma` frames."""
    smooth = scipy.ndimage.gaussian_filter1d(values, sigma, axis=0, mode="nearest")
    return values + near.reshape(-1, *[1] * (values.ndim - 1)) * (smooth - values)


def _near(jolted: np.ndarray, sigma: float) -> np.ndarray:
    """(n, F) 1 around where jolted (n, F), and smoothly to 0."""
    wide = scipy.ndimage.maximum_filter1d(jolted.astype(float), 2 * max(round(_WIDE * sigma), 1) + 1, axis=1)
    return scipy.ndimage.gaussian_filter1d(wide, sigma, axis=1, mode="nearest")


@dataclass(frozen=True, eq=False)
class Stance:
    """A motion of n legs and what holding its feet takes."""

    skeleton: Skeleton
    fps: float
    legs: list[Leg]
    bones: np.ndarray  # (m, 3) joints of the legs, the joint above each, and which of the turns moves it
    planted: dict[int, np.ndarray]  # (F,) bool for every foot joint
    ground: float  # metres
    root: np.ndarray  # (F, 3) metres
    rotations: np.ndarray  # (F, J, 4)
    offsets: np.ndarray | None  # (F, J, 3) metres, where joints slide
    places: np.ndarray  # (F, J, 3) metres
    turns: np.ndarray  # (F, J, 4) global orientations
    feet: list[Foot]
    knees: Knees

    @classmethod
    def of(cls, clip: Clip, floor: np.ndarray | None = None, onto: float | None = None) -> "Stance | None":
        """Of a clip with its floor and where that is brought to (see `cleaned`), None without legs; its feet come with
        `stepping`."""
        contacts = plants(clip)
        legs = legs_of(clip.skeleton, contacts.joints)
        if not legs:
            return None
        floor = np.broadcast_to(clip.floor if floor is None else floor, len(clip))
        ground = float(floor[0]) if onto is None else onto
        planted = {joint: np.ascontiguousarray(contacts[:, k], bool) for k, joint in enumerate(contacts.joints)}
        up = (ground - floor)[:, None] * np.array([0.0, 1.0, 0.0])
        places, turns = clip.positions() + up[:, None], clip.orientations()
        hip, knee, ankle = (
            np.stack([places[:, joint] for joint in joints])
            for joints in zip(*((leg.hip, leg.knee, leg.ankle) for leg in legs))
        )
        above = np.stack([turns[:, clip.skeleton.parents[leg.hip]] for leg in legs])
        knees = Knees.of(hip, knee, ankle, above, clip.fps)
        moving = clip.root + up, clip.rotations, clip.offsets
        bones = np.array(
            [
                (joint, above, 4 * n + k)
                for n, leg in enumerate(legs)
                for k, (above, joints) in enumerate(leg.bones(clip.skeleton))
                for joint in joints
            ]
        )
        return cls(clip.skeleton, clip.fps, legs, bones, planted, ground, *moving, places, turns, [], knees)

    def stepping(self, shown: np.ndarray | None = None, instead: np.ndarray | None = None) -> "Stance":
        """With its feet held where they are planted. shown: (S, J, 3) joints of the first frames where they were shown
        already: feet that stand there stay there. instead: (J, 3) where the last of those would be now: feet that are
        about to land land as they were going to."""
        held = self.places, self.turns
        feet = [foot_of(*held, leg, self.planted, self.fps, shown, instead) for leg in self.legs]
        return replace(self, feet=feet)

    @property
    def swinging(self) -> list[int]:
        """The joints of the legs below their hips."""
        return [joint for leg in self.legs for joint in (leg.knee, leg.ankle, leg.ball, *leg.tips) if joint >= 0]

    def part(self, frames: slice) -> "Stance":
        """Some of its frames."""
        moving = {name: getattr(self, name)[frames] for name in ("root", "rotations", "places", "turns")}
        offsets = None if self.offsets is None else self.offsets[frames]
        feet, knees = [foot.part(frames) for foot in self.feet], self.knees.part(frames)
        planted = {joint: down[frames] for joint, down in self.planted.items()}
        return replace(self, **moving, offsets=offsets, feet=feet, knees=knees, planted=planted)

    def positions(self, moved: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """(F, J + 1, 3) metres, of the joints when the body is moved and turned like this (see `held`), and the height
        of the root alone: bodies must not bob."""
        places = np.empty((len(moved), len(self.skeleton) + 1, 3))
        turn = rot.from_vector(turns).reshape(len(turns), -1, 4)
        _kernels.swing(np.ascontiguousarray(self.places), np.ascontiguousarray(moved), turn, self.bones, places)
        return places

    def depth(self, places: np.ndarray) -> np.ndarray:
        """(n, F) metres that the lowest joint of each foot is below the ground; places: see `positions`."""
        feet = ([joint for joint in (leg.ankle, leg.ball, *leg.tips) if joint >= 0] for leg in self.legs)
        return np.stack([self.ground - places[:, joints, 1].min(axis=1) for joints in feet])

    def held(self) -> tuple[np.ndarray, np.ndarray]:
        """What holds the feet: moves of the root (F, 3), and turns (F, n, 4, 3), vectors that act on the global
        orientations of thighs, shins, feet and toes."""
        fps, feet = self.fps, self.feet
        hip = np.stack([self.places[:, leg.hip] for leg in self.legs])
        firm, held = np.stack([foot.firm for foot in feet]), np.stack([foot.held for foot in feet])
        goal = np.stack([foot.above(foot.goal, self.ground, fps) for foot in feet])
        for n, leg in enumerate(self.legs):  # a foot captured below the ground stands higher now, and so must it swing
            keep_lift(goal[n, :, 1], self.places[:, leg.ankle, 1], held[n] >= 1.0)
        # A foot that would be below the ground stands on it.
        lift = goal[..., 1] - np.stack([foot.goal[:, 1] for foot in feet])
        stands = 1.0 - (1.0 - held) * _SUNK / (_SUNK + lift)
        bend = self.knees.wanted(length(goal - hip)[..., 0], fps)
        span = self.knees.span(bend)
        # Slowly, the root goes along with every foot that stands. Of a sudden, with those that cannot give way; feet
        # in the air do that with it, and knees even out the rest.
        slow = scipy.ndimage.gaussian_filter1d(root_shift(hip, goal, span, stands), _SLOW * fps, axis=0, mode="nearest")
        now = length(goal - hip - slow)[..., 0]
        sudden = root_shift(hip + slow, goal, span - little(span - now), firm)
        sudden = scipy.ndimage.gaussian_filter1d(sudden, _SUDDEN * fps, axis=0, mode="nearest")
        shift = slow + sudden
        goal += (1.0 - held[..., None]) * sudden
        feet = [foot.yielding(at, hip[n] + shift, span[n]) for n, (foot, at) in enumerate(zip(feet, goal))]
        for n, leg in enumerate(self.legs):  # what it yields to must not take that again, as far as the knee can help
            keep_lift(feet[n].goal[:, 1], self.places[:, leg.ankle, 1], held[n] >= 1.0)
        goal = np.stack([foot.above(foot.goal, self.ground, fps) for foot in feet])
        goal = self.knees.trembling(bend, goal - hip - shift) + hip + shift
        goal = np.stack([foot.above(at, self.ground, fps) for foot, at in zip(feet, goal)])
        thigh, shin, ankle = self.knees.reach(bend, goal - hip - shift)
        ankle = ankle + hip + shift
        toes = [foot.bent(foot.heading, at, self.ground, fps) for foot, at in zip(feet, ankle)]
        turns = [thigh, shin, np.stack([foot.turn for foot in feet]), np.stack(toes)]
        return shift, rot.to_vector(np.ascontiguousarray(np.stack(turns, axis=-2).swapaxes(0, 1)))

    def mended(
        self, moved: np.ndarray, turns: np.ndarray, held: tuple[np.ndarray, np.ndarray] | None, over: float
    ) -> np.ndarray:
        """These turns (see `held`) with no foot in the ground, which takes them `over` seconds, and feet that stand
        where those held are, if given."""
        places, turns = self.positions(moved, turns), turns.copy()
        wanted = places if held is None else self.positions(*held)
        for n, (leg, foot) in enumerate(zip(self.legs, self.feet)):
            hip, knee, ankle = (places[:, joint] for joint in (leg.hip, leg.knee, leg.ankle))
            goal = ankle
            if held is not None:
                stands = foot.held[:, None]
                turns[:, n, 2] += stands * (held[1][:, n, 2] - turns[:, n, 2])
                goal = ankle + stands * (wanted[:, leg.ankle] - ankle)
            thigh, shin, sole, toes = rot.from_vector(turns[:, n].swapaxes(0, 1))
            foot = replace(foot, turn=sole)
            goal = foot.above(goal, self.ground, self.fps, over)
            if (goal != ankle).any():
                above = self.turns[:, self.skeleton.parents[leg.hip]]
                knees = Knees.of(hip[None], knee[None], ankle[None], above[None], self.fps)
                more = knees.reach(knees.wanted(length(goal - hip)[None, :, 0], self.fps), (goal - hip)[None])
                turns[:, n, 0] = rot.to_vector(rot.multiply(more[0][0], thigh))
                turns[:, n, 1] = rot.to_vector(rot.multiply(more[1][0], shin))
                ankle = hip + more[2][0]
            if leg.toe >= 0:
                turns[:, n, 3] = rot.to_vector(foot.bent(toes, ankle, self.ground, self.fps, over))
        return turns

    def turned(self, turns: np.ndarray) -> np.ndarray:
        """Local rotations (F, J, 4) when thighs, shins, feet and toes are turned by (F, n, 4, 3)."""
        was, rotations, parents = self.turns, self.rotations.copy(), self.skeleton.parents
        for leg, turn in zip(self.legs, rot.from_vector(turns).swapaxes(0, 1)):
            joints = [leg.hip, leg.knee, leg.ankle, *([leg.ball] if leg.toe >= 0 else [])]
            now = rot.multiply(turn[:, : len(joints)], was[:, joints])
            above = np.concatenate([was[:, [parents[leg.hip]]], now[:, :-1]], axis=1)
            if leg.toe >= 0:  # which may be below another bone of the foot
                above[:, 3] = rot.multiply(turn[:, 2], was[:, parents[leg.ball]])
            rotations[:, joints] = rot.multiply(rot.conjugate(above), now)
        return rotations

    def shares(self, jolted: np.ndarray) -> np.ndarray:
        """(n, F) bool: where joints are jolted (F, J) that each leg has to answer for."""
        own = [[leg.hip, leg.knee, leg.ankle, *leg.tips, *([leg.ball] if leg.ball >= 0 else [])] for leg in self.legs]
        others = np.ones(jolted.shape[1], bool)
        others[[joint for joints in own for joint in joints]] = False
        body = jolted[:, others].any(axis=1)
        return np.stack([jolted[:, joints].any(axis=1) | body for joints in own])
