"""Feet that stay where they are planted (after Kovar, Schreiner and Gleicher, Footskate Cleanup, 2002).

Each contact of heel and toe gets one place on the floor. While it lasts the foot is held there; before and after, the
correction comes and goes smoothly. Legs reach their feet by an exact two-bone solution, and the root gives way where
a leg would stretch or its knee snap. Bones keep their length, which theirs do not.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.easing import eased, envelope, nearness
from motiongraph.synthesis.knees import root_shift, wanted_span
from motiongraph.synthesis.legs import Leg, bending_axis, legs_of, length, reach, unit
from motiongraph.synthesis.origin import plants

EASE = 0.2  # s; how long a correction takes to come or go
_FOOT_EASE = 0.15  # s; the same for the foot's own turn
_GIVE = 0.12  # s; the same for the root's readiness to give way
_LEAP, _STEP = 0.02, 0.06  # m between two frames that no standing foot moves, and s before and after to make up for it
_ROLL = 0.05  # s; after the heel has left, or before it lands, until the foot pivots freely about its toe
_SLOW = 0.05  # s; what the root does in less than about this is sudden
_CLEAR = 0.1  # s; over which a foot is lifted off the floor it would enter
_FARTHEST = 0.05  # m; no contact is carried farther than this by the one before


def cleaned(clip: Clip, floor=None, onto: float | None = None) -> Clip:
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
    level = np.zeros((len(clip), 3))
    level[:, 1] = ground - floor
    places, turns = clip.positions() + level[:, None], clip.orientations()
    planted = {joint: np.ascontiguousarray(contacts[:, k], bool) for k, joint in enumerate(contacts.joints)}

    feet = [_foot(places, leg, planted, clip.fps) for leg in legs]
    hip, knee, ankle = (np.stack([places[:, getattr(leg, end)] for leg in legs]) for end in ("hip", "knee", "ankle"))
    firm, held = np.stack([foot.firm for foot in feet]), np.stack([foot.held for foot in feet])
    goal = np.stack([foot.above(foot.goal, ground, clip.fps) for foot in feet])
    wanted = wanted_span(hip, knee, ankle, goal, clip.fps)
    # Slowly, the root goes along with every foot that stands. Of a sudden, with those that cannot give way; feet in the
    # air do that with it, and knees even out the rest.
    slow = gaussian_filter1d(root_shift(hip, goal, wanted, held), _SLOW * clip.fps, axis=0, mode="nearest")
    sudden = root_shift(hip + slow, goal, wanted, firm)
    shift = slow + sudden
    goal += (1.0 - held[..., None]) * sudden
    feet = [foot.yielding(at, hip[n] + shift, wanted[n]) for n, (foot, at) in enumerate(zip(feet, goal))]
    goal = np.stack([foot.above(foot.goal, ground, clip.fps) for foot in feet])

    above = np.stack([turns[:, clip.skeleton.parents[leg.hip]] for leg in legs])
    usual = np.stack([bending_axis(*joints) for joints in zip(hip, knee, ankle, above)])
    thigh, shin, _ = reach(hip + shift, knee + shift, ankle + shift, goal, usual)
    rotations = clip.rotations.copy()
    for n, leg in enumerate(legs):
        new_hip = rot.multiply(thigh[n], turns[:, leg.hip])
        new_knee = rot.multiply(shin[n], turns[:, leg.knee])
        rotations[:, leg.hip] = rot.multiply(rot.conjugate(above[n]), new_hip)
        rotations[:, leg.knee] = rot.multiply(rot.conjugate(new_hip), new_knee)
        rotations[:, leg.ankle] = rot.multiply(rot.conjugate(new_knee), rot.multiply(feet[n].turn, turns[:, leg.ankle]))
    origin = clip.origin and replace(clip.origin, floor=ground)
    return replace(clip, root=clip.root + level + shift, rotations=rotations, origin=origin, source=clip._layout())


@dataclass(frozen=True, eq=False)
class _Foot:
    """goal: (F, 3) where the ankle goes; turn: (F, 4) by how much the foot is turned; held: (F,) 1 while it stands,
    falling to 0 around; loose: (F,) 1 while it stands on its toe alone and may pivot about it; parts: (k, F, 3) from
    the ankle to ball, where there is one, and tips, as captured."""

    goal: np.ndarray
    turn: np.ndarray
    held: np.ndarray
    loose: np.ndarray
    parts: np.ndarray

    @property
    def firm(self):
        """(F,) how much the root has to give way if the leg cannot."""
        return self.held * (1.0 - self.loose)

    def above(self, goal, ground, fps):
        """`goal` (F, 3), lifted smoothly where the foot would be below the ground."""
        depth = -np.minimum(rot.rotate(self.turn, self.parts)[..., 1].min(axis=0, initial=0.0), 0.0)
        lift = envelope(np.maximum(ground + depth - goal[:, 1], 0.0), max(round(_CLEAR * fps), 1))
        return goal + lift[:, None] * np.array([0.0, 1.0, 0.0])

    def yielding(self, goal, hip, wanted):
        """With the ankle at `goal` (F, 3), but where the foot may, nearer to the hip (F, 3) so that they are not more
        than `wanted` (F, 1) apart: in the air by as much, on its toe by turning about it."""
        away = goal - hip
        distance = length(away)
        nearer = goal - (distance - wanted) * away / np.maximum(distance, 1e-9)
        free = (1.0 - self.held[:, None]) * (distance > wanted)
        if not self.loose.any():
            return replace(self, goal=goal + free * (nearer - goal))
        foot = rot.rotate(self.turn, self.parts[0])
        ball = goal + foot
        turned = length(foot) * unit(ball - goal - self.loose[:, None] * (nearer - goal))
        goal = ball - turned + free * (1.0 - self.loose[:, None]) * (nearer - goal)
        return replace(self, goal=goal, turn=rot.multiply(rot.between(foot, turned), self.turn))


def _foot(places, leg: Leg, planted, fps) -> _Foot:
    """A foot held where its heel and toe are planted."""
    ankle = np.ascontiguousarray(places[:, leg.ankle])
    turn = np.tile(rot.IDENTITY, (len(places), 1))
    down, target, loose = planted[leg.ankle], np.zeros_like(ankle), np.zeros(len(places))
    if leg.ball < 0:
        nothing = np.zeros(len(places), bool)
        _kernels.settle(down, nothing, ankle, ankle, _FARTHEST, target, np.empty_like(ankle))
    else:
        toe_down, ball = planted[leg.ball], np.ascontiguousarray(places[:, leg.ball])
        toe, foot, both = np.zeros_like(ankle), ball - ankle, down & toe_down
        _kernels.settle(down, toe_down, ankle, ball, _FARTHEST, target, toe)
        wanted = rot.between(foot, np.where(both[:, None], toe - target, foot))
        turn = rot.from_vector(eased(both, rot.to_vector(wanted), round(_FOOT_EASE * fps)))
        target = np.where(down[:, None], target, toe - rot.rotate(turn, foot))
        loose = nearness(toe_down, round(_GIVE * fps)) * (1.0 - nearness(down, round(_ROLL * fps)))
        down = _without_leaps(down | toe_down, target, fps)
    goal = ankle + eased(down, target - ankle, round(EASE * fps))
    parts = np.stack([places[:, j] - ankle for j in (leg.ball, *leg.tips) if j >= 0] or [np.zeros_like(ankle)])
    return _Foot(goal, turn, nearness(down, round(_GIVE * fps)), loose, parts)


def _without_leaps(down, target, fps):
    """`down` (F,) let go around where the place to stand on jumps: a foot that was carried too far steps over."""
    leaps = np.flatnonzero(down[1:] & down[:-1] & (length(np.diff(target, axis=0))[:, 0] > _LEAP))
    down, gap = down.copy(), max(round(_STEP * fps), 1)
    for at in leaps:
        down[max(at + 1 - gap, 0) : at + 1 + gap] = False
    return down
