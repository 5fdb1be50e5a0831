"""Feet that stay where they are planted (after Kovar, Schreiner and Gleicher, Footskate Cleanup, 2002).

Each contact of heel and toe gets one place on the floor. While it lasts the foot is held there; before and after, the
correction comes and goes smoothly. Legs reach their feet by an exact two-bone solution, and the root gives way where
a leg would stretch or its knee snap. Bones keep their length, which theirs do not. Where all that would jolt a joint
more than the motion itself does, the correction is made in part only: the contact is let go.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis.feet import Foot, foot_of, plants
from motiongraph.synthesis.legs import Knees, Leg, legs_of, length, little, root_shift

_SLOW = 0.05  # s; what the root does in less than about this is sudden
_SUDDEN = 0.006  # s over which even that is smoothed
_SUNK = 0.005  # m; a foot captured this far below the ground is half taken for standing
_WORSE = 1.2  # times its acceleration and jerk before that a joint may have
_NEAR = 0.1  # s around a frame in which motion may have been as sudden
_USUAL = 99.0  # percentile of a joint's acceleration and jerk that is always allowed
# m/s² and m/s³, by the order of the derivative: so much is never noticed of a body, and of legs
_GENTLE = {2: (12.0, 30.0), 3: (2000.0, 4000.0)}
_WIDE, _SOFT = 0.1, 0.05  # s around a jolt that are let go, and over which that comes and goes
_ROUNDS = 6  # of letting go


def cleaned(
    clip: Clip, floor: np.ndarray | None = None, onto: float | None = None, progress: Progress = SILENT
) -> Clip:
    """`clip` with planted feet held, floor never entered and legs never overstretched; without legs, `clip` itself.

    floor: (F,) metres, the ground under every frame where that changes, as it does when pieces of several clips are
    joined; by default that of the clip. onto: metres, the height that all of it is brought to, by default the first.
    """
    contacts = plants(clip)
    legs = legs_of(clip.skeleton, contacts.joints)
    if not legs:
        return clip
    floor = np.broadcast_to(clip.floor if floor is None else floor, len(clip))
    ground = float(floor[0]) if onto is None else onto
    planted = {joint: np.ascontiguousarray(contacts[:, k], bool) for k, joint in enumerate(contacts.joints)}
    stance = _Stance.of(_level(clip, ground - floor), legs, planted, ground)
    swinging = [joint for leg in legs for joint in (leg.knee, leg.ankle, leg.ball, *leg.tips) if joint >= 0]
    hold, limits = np.ones((len(legs), len(clip))), _Limits.of(stance.clip.positions(), clip.fps, swinging)
    for done in range(_ROUNDS):
        progress(done, _ROUNDS, "holding planted feet")
        result = stance.held(hold)
        jolt = limits.jolt(result.positions())
        if jolt.max(initial=0.0) <= 1.0:
            break
        hold = _released(hold, stance.shares(jolt) ** (0.5 + 0.25 * done), clip.fps)
    return replace(result, origin=clip.origin and replace(clip.origin, floor=ground))


def _level(clip: Clip, rise: np.ndarray) -> Clip:
    """The clip moved up by `rise` (F,) metres."""
    root = clip.root.copy()
    root[:, 1] += rise
    return replace(clip, root=root)


@dataclass(frozen=True, eq=False)
class _Stance:
    """A motion of n legs and what holding its feet takes."""

    clip: Clip
    legs: list[Leg]
    feet: list[Foot]
    ground: float  # metres
    hip: np.ndarray  # (n, F, 3) metres
    ankle: np.ndarray  # (n, F, 3) metres
    knees: Knees

    @classmethod
    def of(cls, clip: Clip, legs: list[Leg], planted: dict[int, np.ndarray], ground: float) -> "_Stance":
        places, turns = clip.positions(), clip.orientations()
        hip, knee, ankle = (
            np.stack([places[:, joint] for joint in joints])
            for joints in zip(*((leg.hip, leg.knee, leg.ankle) for leg in legs))
        )
        knees = Knees.of(hip, knee, ankle, np.stack([turns[:, leg.hip] for leg in legs]), clip.fps)
        feet = [foot_of(places, leg, planted, clip.fps) for leg in legs]
        return cls(clip, legs, feet, ground, hip, ankle, knees)

    def held(self, hold: np.ndarray) -> Clip:
        """The motion with its feet held, corrected by the share `hold` (n, F)."""
        fps, hip = self.clip.fps, self.hip
        feet = [foot.softened(*rest) for foot, *rest in zip(self.feet, self.ankle, hold)]
        firm, held = np.stack([foot.firm for foot in feet]), np.stack([foot.held for foot in feet])
        goal = np.stack([foot.above(foot.goal, self.ground, fps) for foot in feet])
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
        goal = np.stack([foot.above(foot.goal, self.ground, fps) for foot in feet])
        goal = self.knees.trembling(bend, goal - hip - shift) + hip + shift
        goal = np.stack([foot.above(at, self.ground, fps) for foot, at in zip(feet, goal)])
        thigh, shin, ankle = self.knees.reach(bend, goal - hip - shift)
        return self._posed(thigh, shin, ankle + hip + shift, feet, shift)

    def _posed(
        self, thigh: np.ndarray, shin: np.ndarray, ankle: np.ndarray, feet: list[Foot], shift: np.ndarray
    ) -> Clip:
        """The motion with its root moved by shift (F, 3), thighs and shins turned (n, F, 4), ankles at (n, F, 3)."""
        clip, turns = self.clip, self.clip.orientations()
        rotations, parents = clip.rotations.copy(), clip.skeleton.parents
        for n, (leg, foot) in enumerate(zip(self.legs, feet)):
            above = turns[:, parents[leg.hip]]
            new_hip = rot.multiply(thigh[n], turns[:, leg.hip])
            new_knee = rot.multiply(shin[n], turns[:, leg.knee])
            rotations[:, leg.hip] = rot.multiply(rot.conjugate(above), new_hip)
            rotations[:, leg.knee] = rot.multiply(rot.conjugate(new_hip), new_knee)
            new_ankle = rot.multiply(foot.turn, turns[:, leg.ankle])
            rotations[:, leg.ankle] = rot.multiply(rot.conjugate(new_knee), new_ankle)
            if leg.toe >= 0:
                over = rot.multiply(foot.turn, turns[:, parents[leg.ball]])
                toes = rot.multiply(foot.bent(ankle[n], self.ground), rot.multiply(foot.turn, turns[:, leg.ball]))
                rotations[:, leg.ball] = rot.multiply(rot.conjugate(over), toes)
        return replace(clip, root=clip.root + shift, rotations=rotations, source=clip._layout())

    def shares(self, jolt: np.ndarray) -> np.ndarray:
        """(n, F): the worst of the joints' jolts (F, J) that each leg has to answer for."""
        own = [[leg.hip, leg.knee, leg.ankle, *leg.tips, *([leg.ball] if leg.ball >= 0 else [])] for leg in self.legs]
        others = np.setdiff1d(np.arange(jolt.shape[1]), np.concatenate(own))
        body = jolt[:, others].max(axis=1, initial=0.0)
        return np.stack([np.maximum(jolt[:, joints].max(axis=1), body) for joints in own])


@dataclass(frozen=True, eq=False)
class _Limits:
    """How suddenly joints may move: by acceleration and by jerk, metres a frame² and a frame³."""

    most: tuple[np.ndarray, np.ndarray]  # (F − 2, J), (F − 3, J)

    @classmethod
    def of(cls, places: np.ndarray, fps: float, swinging: list[int]) -> "_Limits":
        """As this motion (F, J, 3) itself moves them; swinging: the joints of the legs."""
        window = 2 * max(round(_NEAR * fps), 1) + 1
        most = []
        for order, (body, leg) in _GENTLE.items():
            gentle = np.full(places.shape[1], body)
            gentle[swinging] = leg
            size = _sudden(places, order)
            usual = np.percentile(size, _USUAL, axis=0) if len(size) else 0.0
            near = scipy.ndimage.maximum_filter1d(size, window, axis=0, mode="nearest") if len(size) else size
            most.append(np.maximum(_WORSE * np.maximum(near, usual), gentle / fps**order))
        return cls((most[0], most[1]))

    def jolt(self, places: np.ndarray) -> np.ndarray:
        """(F, J) how much more suddenly than it may each joint moves: 1 for as much."""
        worst = np.zeros(places.shape[:2])
        for order, most in zip((2, 3), self.most):
            share = _sudden(places, order) / most
            for k in range(order + 1):
                here = worst[k : k + len(share)]
                np.maximum(here, share, out=here)
        return worst


def _sudden(places: np.ndarray, order: int) -> np.ndarray:
    """(F − order, J) size of the difference of that order."""
    return length(np.diff(places, order, axis=0))[..., 0]


def _released(hold: np.ndarray, jolt: np.ndarray, fps: float) -> np.ndarray:
    """`hold` (n, F) with less of it where the jolt (n, F) is more than 1, and smoothly around."""
    less = 1.0 / np.maximum(jolt, 1.0)
    less = scipy.ndimage.minimum_filter1d(less, 2 * max(round(_WIDE * fps), 1) + 1, axis=1, mode="nearest")
    return hold * scipy.ndimage.gaussian_filter1d(less, _SOFT * fps, axis=1, mode="nearest")
