"""Feet that stay where they are planted (after Kovar, Schreiner and Gleicher, Footskate Cleanup, 2002).

Each contact of heel and toe gets one place on the floor. While it lasts the foot is held there; before and after, the
correction comes and goes smoothly. Legs reach their feet by an exact two-bone solution, and the root gives way where
a leg would stretch or its knee snap. Bones keep their length, which theirs do not. Where all that would jolt a joint
more than the motion itself does, the correction is smoothed, and if that is not enough made in part only: the contact
is let go.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.model import kinematics
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.feet import Foot, foot_of, plants, runs
from motiongraph.synthesis.legs import Knees, Leg, legs_of, length, little, root_shift

_SLOW = 0.05  # s; what the root does in less than about this is sudden
_SUDDEN = 0.02  # s over which even that is smoothed
_SUNK = 0.005  # m; a foot captured this far below the ground is half taken for standing
_WORSE = 1.2  # times its acceleration and jerk before that a joint may have
_NEAR = 0.1  # s around a frame in which motion may have been as sudden
_USUAL = 99.0  # percentile of a joint's acceleration and jerk that is always allowed
# m/s² and m/s³, by the order of the derivative: so much is never noticed of a body, and of legs
_GENTLE = {2: (12.0, 30.0), 3: (150.0, 800.0)}
_WIDE, _SOFT = 0.1, 0.05  # s around a jolt that are let go, and over which that comes and goes
_CALM, _CALM_KNEES = 0.01, 0.02  # s over which corrections of feet and knees are smoothed at a jolt
_STERNLY = (0.0, 0.75, 1.5, 3.0)  # how much is let go for a jolt, from round to round, as a power of it
_AROUND = 0.8  # s around a jolt that are looked at: what is let go, and as far as that changes anything
_MEET = 0.2  # s over which the soothed stretch and the rest pass into each other


def cleaned(
    clip: Clip, floor: np.ndarray | None = None, onto: float | None = None, progress: Progress = SILENT,
    shown: np.ndarray | None = None, instead: np.ndarray | None = None, soothe: bool = True,
) -> Clip:  # fmt: skip
    """`clip` with planted feet held, floor never entered and legs never overstretched; without legs, `clip` itself.

    floor: (F,) metres, the ground under every frame where that changes, as it does when pieces of several clips are
    joined; by default that of the clip. onto: metres, the height that all of it is brought to, by default the first.
    shown: (S, J, 3) joints of the first frames where they were shown already: feet that stand there stay there.
    instead: (J, 3) where the last of those would be now: feet that are about to land land as they were going to.
    soothe: let feet go where holding them would jolt the body.
    """
    contacts = plants(clip)
    legs = legs_of(clip.skeleton, contacts.joints)
    if not legs:
        return clip
    floor = np.broadcast_to(clip.floor if floor is None else floor, len(clip))
    ground = float(floor[0]) if onto is None else onto
    planted = {joint: np.ascontiguousarray(contacts[:, k], bool) for k, joint in enumerate(contacts.joints)}
    whole = _Stance.of(clip, ground - floor, legs, planted, ground, shown, instead)
    # An added T-pose would tug at the first captured frames.
    stance = whole.part(slice(clip.first, len(clip)))
    swinging = [joint for leg in legs for joint in (leg.knee, leg.ankle, leg.ball, *leg.tips) if joint >= 0]
    progress(0, 2, "holding planted feet")
    shape = len(legs), len(stance.root)
    root, rotations = stance.held(np.ones(shape), np.zeros(shape))
    progress(1, 2, "holding planted feet")
    if soothe:
        limits = _Limits.of(stance.places, clip.fps, swinging)
        # Jolts are few and far between: each is looked after on its own.
        jolt = limits.jolt(stance.positions(root, rotations))
        jolted = jolt.max(axis=1, initial=0.0) > 1.0
        around = scipy.ndimage.maximum_filter1d(jolted, 2 * round(_AROUND * clip.fps) + 1, mode="constant")
        for start, stop in runs(around):
            part = slice(start, stop)
            soothed = _soothed(stance.part(part), limits.part(part), jolt[part])
            share = _share(len(around), start, stop, round(_MEET * clip.fps))
            _kernels.mix(root[part], rotations[part], *soothed, share, root[part], rotations[part])
    if clip.first:
        root = np.concatenate([whole.root[: clip.first], root])
        rotations = np.concatenate([whole.rotations[: clip.first], rotations])
    made = replace(clip, root=root, rotations=rotations, source=clip._layout())
    return replace(made, origin=clip.origin and replace(clip.origin, floor=ground))


def _soothed(stance: "_Stance", limits: "_Limits", jolt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Root and rotations with feet held as far as that jolts nothing; jolt: (F, J) when they are held altogether."""
    hold, rough = np.ones((2, len(stance.legs), len(stance.root)))
    root, rotations = stance.root, stance.rotations
    for sternly in _STERNLY:
        worst = stance.shares(jolt)
        rough = np.minimum(rough, _released(np.ones_like(hold), np.where(worst > 1.0, np.inf, 1.0), stance.fps))
        hold = _released(hold, worst**sternly, stance.fps)
        root, rotations = stance.held(hold, 1.0 - rough)
        jolt = limits.jolt(stance.positions(root, rotations))
        if jolt.max(initial=0.0) <= 1.0:
            break
    return root, rotations


def _share(frames: int, start: int, stop: int, meet: int) -> np.ndarray:
    """(stop − start,) 1, but where the stretch does not begin or end with the motion, from 0 and to 0 smoothly."""
    at = np.arange(stop - start)
    inward = np.minimum(at + (0 if start > 0 else meet), at[::-1] + (0 if stop < frames else meet))
    return smoothstep(np.minimum(inward / max(meet, 1), 1.0))


@dataclass(frozen=True, eq=False)
class _Stance:
    """A motion of n legs and what holding its feet takes."""

    skeleton: Skeleton
    fps: float
    legs: list[Leg]
    ground: float  # metres
    root: np.ndarray  # (F, 3) metres
    rotations: np.ndarray  # (F, J, 4)
    offsets: np.ndarray | None  # (F, J, 3) metres, where joints slide
    places: np.ndarray  # (F, J, 3) metres
    turns: np.ndarray  # (F, J, 4) global orientations
    feet: list[Foot]
    knees: Knees

    @classmethod
    def of(
        cls, clip: Clip, rise: np.ndarray, legs: list[Leg], planted: dict[int, np.ndarray], ground: float,
        shown: np.ndarray | None, instead: np.ndarray | None,
    ) -> "_Stance":  # fmt: skip
        """Of a clip moved up by `rise` (F,) metres."""
        up = rise[:, None] * np.array([0.0, 1.0, 0.0])
        places, turns = clip.positions() + up[:, None], clip.orientations()
        hip, knee, ankle = (
            np.stack([places[:, joint] for joint in joints])
            for joints in zip(*((leg.hip, leg.knee, leg.ankle) for leg in legs))
        )
        knees = Knees.of(hip, knee, ankle, np.stack([turns[:, leg.hip] for leg in legs]), clip.fps)
        feet = [foot_of(places, turns, leg, planted, clip.fps, shown, instead) for leg in legs]
        moving = clip.root + up, clip.rotations, clip.offsets
        return cls(clip.skeleton, clip.fps, legs, ground, *moving, places, turns, feet, knees)

    def part(self, frames: slice) -> "_Stance":
        """Some of its frames."""
        moving = {name: getattr(self, name)[frames] for name in ("root", "rotations", "places", "turns")}
        offsets = None if self.offsets is None else self.offsets[frames]
        feet = [foot.part(frames) for foot in self.feet]
        return replace(self, **moving, offsets=offsets, feet=feet, knees=self.knees.part(frames))

    def positions(self, root: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """(F, J, 3) metres, of the joints when the body is moved like this."""
        return kinematics.positions(self.skeleton, root, rotations, self.offsets)

    def held(self, hold: np.ndarray, calm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Root and rotations with feet held, corrected by the share `hold` (n, F), smoothly where calm (n, F) is 1."""
        fps = self.fps
        hip, ankle = (np.stack([self.places[:, getattr(leg, end)] for leg in self.legs]) for end in ("hip", "ankle"))
        feet = [foot.softened(*each, _CALM * fps) for foot, each in zip(self.feet, zip(ankle, hold, calm))]
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
        thigh, shin, ankle = self.knees.reach(bend, goal - hip - shift, calm, _CALM_KNEES * fps)
        return self._turned(thigh, shin, ankle + hip + shift, feet, shift)

    def _turned(
        self, thigh: np.ndarray, shin: np.ndarray, ankle: np.ndarray, feet: list[Foot], shift: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The root moved by shift (F, 3); rotations with thighs and shins turned (n, F, 4), ankles at (n, F, 3)."""
        turns, rotations, parents = self.turns, self.rotations.copy(), self.skeleton.parents
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
                toes = rot.multiply(
                    foot.bent(ankle[n], self.ground, self.fps), rot.multiply(foot.heading, turns[:, leg.ball])
                )
                rotations[:, leg.ball] = rot.multiply(rot.conjugate(over), toes)
        return self.root + shift, rotations

    def shares(self, jolt: np.ndarray) -> np.ndarray:
        """(n, F): the worst of the joints' jolts (F, J) that each leg has to answer for."""
        own = [[leg.hip, leg.knee, leg.ankle, *leg.tips, *([leg.ball] if leg.ball >= 0 else [])] for leg in self.legs]
        others = np.setdiff1d(np.arange(jolt.shape[1]), np.concatenate(own))
        body = jolt[:, others].max(axis=1, initial=0.0)
        return np.stack([np.maximum(jolt[:, joints].max(axis=1), body) for joints in own])


@dataclass(frozen=True, eq=False)
class _Limits:
    """How suddenly joints may move: by acceleration and by jerk, metres a frame² and a frame³."""

    most: tuple[np.ndarray, ...]  # (F − 2, J), (F − 3, J)

    @classmethod
    def of(cls, places: np.ndarray, fps: float, swinging: list[int]) -> "_Limits":
        """As this motion (F, J, 3) itself moves them; swinging: the joints of the legs."""
        window = 2 * max(round(_NEAR * fps), 1) + 1
        most = []
        for order, (body, leg) in _GENTLE.items():
            gentle = np.full(places.shape[1], body)
            gentle[swinging] = leg
            size = _kernels.sudden(places, order)
            usual = np.percentile(size, _USUAL, axis=0) if len(size) else 0.0
            near = scipy.ndimage.maximum_filter1d(size, window, axis=0, mode="nearest") if len(size) else size
            most.append(np.maximum(_WORSE * np.maximum(near, usual), gentle / fps**order))
        return cls(tuple(most))

    def part(self, frames: slice) -> "_Limits":
        """Some of its frames."""
        return _Limits(tuple(most[frames.start : frames.stop - order] for order, most in zip(_GENTLE, self.most)))

    def jolt(self, places: np.ndarray) -> np.ndarray:
        """(F, J) how much more suddenly than it may each joint moves: 1 for as much."""
        worst = np.zeros(places.shape[:2])
        for order, most in zip(_GENTLE, self.most):
            share = _kernels.sudden(places, order) / most
            for k in range(order + 1):
                here = worst[k : k + len(share)]
                np.maximum(here, share, out=here)
        return worst


def _released(hold: np.ndarray, jolt: np.ndarray, fps: float) -> np.ndarray:
    """`hold` (n, F) with less of it where the jolt (n, F) is more than 1, and smoothly around."""
    less = 1.0 / np.maximum(jolt, 1.0)
    less = scipy.ndimage.minimum_filter1d(less, 2 * max(round(_WIDE * fps), 1) + 1, axis=1, mode="nearest")
    return hold * scipy.ndimage.gaussian_filter1d(less, _SOFT * fps, axis=1, mode="nearest")
