"""A foot: where it is held, how it turns about its toe, and how it keeps out of the floor."""

from dataclasses import dataclass, replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.easing import eased, envelope, nearness
from motiongraph.synthesis.legs import Leg, length, unit

EASE = 0.2  # s; how long a correction takes to come or go
_FOOT_EASE = 0.15  # s; the same for the foot's own turn
_GIVE = 0.12  # s; the same for the root's readiness to give way
_LEAP, _STEP = 0.02, 0.06  # m between two frames that no standing foot moves, and s before and after to make up for it
_ROLL = 0.05  # s; after the heel has left, or before it lands, until the foot pivots freely about its toe
_CLEAR = 0.1  # s; over which a foot is lifted off the floor it would enter
_FARTHEST = 0.05  # m; no contact is carried farther than this by the one before
_SOFT = 0.004  # m; toes near the floor begin to bend this much before they must


@dataclass(frozen=True, eq=False)
class Foot:
    """goal: (F, 3) where the ankle goes; turn: (F, 4) by how much the foot is turned; held: (F,) 1 while it stands,
    falling to 0 around; loose: (F,) 1 while it stands on its toe alone and may pivot about it; parts: (k, F, 3) from
    the ankle to ball, where there is one, and tips, as captured; toe: which of them is the tip that bends at the ball,
    −1 for none."""

    goal: np.ndarray
    turn: np.ndarray
    held: np.ndarray
    loose: np.ndarray
    parts: np.ndarray
    toe: int

    @property
    def firm(self):
        """(F,) how much the root has to give way if the leg cannot."""
        return self.held * (1.0 - self.loose)

    def above(self, goal, ground, fps):
        """`goal` (F, 3), lifted smoothly where the foot, without the toe that bends, would be below the ground."""
        stiff = np.delete(self.parts, self.toe, axis=0) if self.toe >= 0 else self.parts
        depth = -rot.rotate(self.turn, stiff)[..., 1].min(axis=0, initial=0.0)
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

    def bent(self, goal, ground):
        """(F, 4) turns of the toes about the ball that keep them out of the ground, with the ankle at `goal` (F, 3)."""
        ball, tip = rot.rotate(self.turn, self.parts[0]), rot.rotate(self.turn, self.parts[self.toe])
        toes = tip - ball
        lowest = ground - goal[:, 1] - ball[:, 1]
        # Of what is and what must be the higher, rounded where they meet.
        up = 0.5 * (toes[:, 1] + lowest + np.hypot(toes[:, 1] - lowest, _SOFT))
        along, size = toes[:, [0, 2]], length(toes)[:, 0]
        flat = np.sqrt(np.maximum(size**2 - up**2, 0.0)) / np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
        wanted = np.stack([flat * along[:, 0], up, flat * along[:, 1]], axis=1)
        needed = (toes[:, 1] - lowest < 10.0 * _SOFT) & (size > np.abs(up))
        return rot.between(toes, np.where(needed[:, None], wanted, toes))


def foot_of(places, leg: Leg, planted, fps) -> Foot:
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
    joints = [joint for joint in (leg.ball, *leg.tips) if joint >= 0]
    parts = np.stack([places[:, joint] - ankle for joint in joints] or [np.zeros_like(ankle)])
    toe = joints.index(leg.toe) if leg.toe >= 0 else -1
    return Foot(goal, turn, nearness(down, round(_GIVE * fps)), loose, parts, toe)


def _without_leaps(down, target, fps):
    """`down` (F,) let go around where the place to stand on jumps: a foot that was carried too far steps over."""
    leaps = np.flatnonzero(down[1:] & down[:-1] & (length(np.diff(target, axis=0))[:, 0] > _LEAP))
    down, gap = down.copy(), max(round(_STEP * fps), 1)
    for at in leaps:
        down[max(at + 1 - gap, 0) : at + 1 + gap] = False
    return down
