"""A foot: when it is planted, where it is held, how it turns about its toe, and how it keeps out of the floor."""

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.model import sides
from motiongraph.model.clip import Clip
from motiongraph.model.contacts import Contacts
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.legs import Leg, length, unit

EASE = 0.2  # s; how long a correction takes to come or go
_FOOT_EASE = 0.15  # s; the same for the foot's own turn
_GIVE = 0.12  # s; the same for the root's readiness to give way
_LEAP = 1.5  # m/s; a correction that changes faster than this is a step from one place to another
_STEP = 0.06  # s before and after such a step to make up for it
_ROLL = 0.05  # s; after the heel has left, or before it lands, until the foot pivots freely about its toe
CLEAR = 0.1  # s; over which a foot is lifted off the floor it would enter
_EASY, _STIFF = np.radians(45.0), np.radians(15.0)  # by which an ankle turns freely, and at most beyond that
_FARTHEST = 0.05  # m; no contact is carried farther than this by the one before
_UP = 0.5  # sine of the angle by which toes point up at most to keep out of the floor
_BARELY = 0.0005  # m that they are kept above it, for what is made of two such motions
# m/s; a foot that is to be held still must be nearly so already: heels that rise and toes that land are moving.
_STILL = {"enter_speed": 0.2, "leave_speed": 0.35, "firm": True}
_ROCK = 0.008  # m; a joint farther above or below where it rests during a contact is landing or leaving
_DRIFT = 0.004  # m by which both ends of a foot may go up or down together before that counts
_SHORTEST = 0.05  # s
_ALONE = 0.5  # share of a contact's time without another from which on its foot must carry the body
_known: WeakKeyDictionary[Clip, Contacts] = WeakKeyDictionary()
_STEADY = 1 / 30  # s over which a velocity is taken: a single frame is mostly noise


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot over F frames."""

    goal: np.ndarray  # (F, 3) metres, where the ankle goes
    turn: np.ndarray  # (F, 4) by how much the foot is turned
    held: np.ndarray  # (F,) 1 while it stands, falling to 0 around
    loose: np.ndarray  # (F,) 1 while it stands on its toe alone and may pivot about it
    parts: np.ndarray  # (k, F, 3) metres, from the ankle to the ball, where there is one, and to the tips, as captured
    toe: int  # which of the parts is the tip that bends at the ball, −1 for none
    hinge: np.ndarray  # (F, 3) unit vectors across the foot, as captured; toes that turn about it point up

    @property
    def firm(self) -> np.ndarray:
        """(F,) how much the root has to give way if the leg cannot."""
        return self.held * (1.0 - self.loose)

    @property
    def heading(self) -> np.ndarray:
        """(F, 4) what of `turn` is about the vertical: toes, which lie on the floor already, are not tilted."""
        return rot.normalized(self.turn * np.array([1.0, 0.0, 1.0, 0.0]))

    def part(self, frames: slice) -> "Foot":
        """Some of its frames."""
        own = self.goal[frames], self.turn[frames], self.held[frames], self.loose[frames], self.parts[:, frames]
        return Foot(*own, self.toe, self.hinge[frames])

    def above(self, goal: np.ndarray, ground: float, fps: float, over: float = CLEAR) -> np.ndarray:
        """`goal` (F, 3), lifted within `over` seconds where the foot, without the toe that bends, would be below the
        ground."""
        stiff = np.delete(self.parts, self.toe, axis=0) if self.toe >= 0 else self.parts
        depth = -rot.rotate(self.turn, stiff)[..., 1].min(axis=0, initial=0.0)
        lift = envelope(np.maximum(ground + depth - goal[:, 1], 0.0), max(round(over * fps), 1))
        return goal + lift[:, None] * np.array([0.0, 1.0, 0.0])

    def yielding(self, goal: np.ndarray, hip: np.ndarray, wanted: np.ndarray) -> "Foot":
        """With the ankle at `goal` (F, 3), but where the foot may, nearer to the hip (F, 3) or farther so that they are
        `wanted` (F,) apart: in the air by as much, on its toe by turning about it."""
        away = goal - hip
        distance = length(away)
        nearer = goal - (distance - wanted[:, None]) * away / np.maximum(distance, 1e-9)
        free = 1.0 - self.held[:, None]
        if not self.loose.any():
            return replace(self, goal=goal + free * (nearer - goal))
        foot = rot.rotate(self.turn, self.parts[0])
        ball = goal + foot
        turned = length(foot) * unit(ball - goal - self.loose[:, None] * (nearer - goal))
        goal = ball - turned + free * (1.0 - self.loose[:, None]) * (nearer - goal)
        return replace(self, goal=goal, turn=rot.multiply(rot.between(foot, turned), self.turn))

    def bent(self, turned: np.ndarray, goal: np.ndarray, ground: float, fps: float, over: float = CLEAR) -> np.ndarray:
        """(F, 4) `turned` (F, 4) of the toes, and about the ball as far as keeps them out of the ground, with the ankle
        at `goal` (F, 3)."""
        ball, tip = rot.rotate(self.turn, self.parts[0]), self.parts[self.toe]
        toes, hinge = rot.rotate(turned, tip - self.parts[0]), rot.rotate(turned, self.hinge)
        # Turned by θ they reach up to level + swing · cos(θ − top).
        level = np.sum(toes * hinge, axis=1) * hinge[:, 1]
        rise, fall = rot.cross(hinge, toes)[:, 1], toes[:, 1] - level
        swing, top = np.hypot(rise, fall), np.arctan2(rise, fall)
        top = np.where(top < -0.5 * np.pi, top + 2.0 * np.pi, top)  # toes that point back bend forwards
        lowest = (ground + _BARELY - goal[:, 1] - ball[:, 1] - level) / np.maximum(swing, 1e-9)
        clear = np.arccos(np.clip(lowest, -1.0, _UP))  # they are above the ground within so much of the top
        angle = np.where(top + clear < 2.0 * np.pi, np.maximum(top - clear, 0.0), 0.0)
        angle = envelope(angle, max(round(over * fps), 1))
        return rot.multiply(rot.from_vector(angle[:, None] * hinge), turned)


def plants(clip: Clip) -> Contacts:
    """(F, n) bool: where the feet of a clip are planted firmly enough to be held; found once for every clip.

    Synthesized motion carries its own, and annotated motion what it was given.
    """
    if clip.origin is not None or clip.planted is not None:
        return clip.contacts()
    if clip not in _known:
        contacts = clip.contacts(**_STILL)
        firm = _level(clip, contacts)
        _carry(clip, firm)
        _known[clip] = Contacts.of(firm, clip.skeleton, contacts.joints)
    return _known[clip]


def _carry(clip: Clip, firm: np.ndarray) -> None:
    """Add to firm (F, n), in place, contacts of feet that are hardly ever still but carry the body alone, as in
    captures whose feet slide: those that `Clip.contacts` finds."""
    contacts = clip.contacts()
    usual, level, first = np.asarray(contacts), None, 0
    touches = []
    for foot in sides.feet(clip):
        touches.append((slice(first, first + len(foot)), usual[:, first : first + len(foot)].any(axis=1)))
        first += len(foot)
    count = np.stack([touch for _, touch in touches], axis=1).sum(axis=1) if touches else np.zeros(len(clip))
    for columns, touch in touches:
        for start, stop in runs(touch):
            alone = count[start:stop] == 1
            still = np.logical_or.reduce(firm[start:stop, columns], axis=1)
            if alone.mean() >= _ALONE and still[alone].mean() < _ALONE:
                level = _level(clip, contacts) if level is None else level
                firm[start:stop, columns] |= level[start:stop, columns]


def _level(clip: Clip, contacts: Contacts) -> np.ndarray:
    """Contacts (F, n) without what lies, in each, far from the height that the joint has in the middle of it."""
    planted, level, first = np.asarray(contacts), np.zeros(contacts.shape, bool), 0
    height = clip.positions()[:, list(contacts.joints), 1]
    for foot in sides.feet(clip):
        for k in range(first, first + len(foot)):
            others = [other for other in range(first, first + len(foot)) if other != k]
            for start, stop in runs(planted[:, k]):
                off = _off_level(height[start:stop, k], clip.fps)
                for other in others:
                    # Where both ends of a foot rise or sink together it stands on a floor that the capture bends.
                    along = np.where(planted[start:stop, other], _off_level(height[start:stop, other], clip.fps), 0.0)
                    off -= np.sign(off) * np.clip(np.sign(off) * along - _DRIFT, 0.0, np.abs(off))
                for begin, end in start + runs(np.abs(off) <= _ROCK):
                    if end - begin >= _SHORTEST * clip.fps or (begin, end) == (start, stop):
                        level[begin:end, k] = True
        first += len(foot)
    return level


def _off_level(height: np.ndarray, fps: float) -> np.ndarray:
    """(F,) metres by which a height (F,) is off its median: a mean over a few frames, as captured feet tremble."""
    own = scipy.ndimage.uniform_filter1d(height, max(round(0.04 * fps), 1), mode="nearest")
    return own - np.median(own)


def foot_of(
    places: np.ndarray, turns: np.ndarray, leg: Leg, planted: dict[int, np.ndarray], fps: float,
    shown: np.ndarray | None = None, instead: np.ndarray | None = None,
) -> Foot:  # fmt: skip
    """A foot held where its heel and toe are planted. shown: (S, J, 3) joints of the first frames, as held before;
    instead: (J, 3) where the last of them would be now, so that a foot about to land lands where it was going to."""
    shown = places[:0] if shown is None else shown
    ends = np.ascontiguousarray(np.stack([shown[:, leg.ankle], shown[:, leg.ball]]))
    ankle = np.ascontiguousarray(places[:, leg.ankle])
    turn = np.tile(rot.IDENTITY, (len(places), 1))
    down, target, loose = planted[leg.ankle], np.zeros_like(ankle), np.zeros(len(places))
    toe_down = planted[leg.ball] if leg.ball >= 0 else np.zeros(len(places), bool)
    foot = places[:, leg.ball] - ankle
    heel, ball = ankle, ankle + foot
    if instead is not None:
        heel, ball = _going_on(ankle, foot, (down, toe_down), ends, instead[[leg.ankle, leg.ball]], fps)
    if leg.ball < 0:
        _kernels.settle(down, toe_down, heel, heel, ends, _FARTHEST, target, np.empty_like(ankle))
    else:
        toe, both = np.zeros_like(ankle), down & toe_down
        _kernels.settle(down, toe_down, heel, ball, ends, _FARTHEST, target, toe)
        wanted = rot.between(foot, np.where(both[:, None], toe - target, foot))
        turn = rot.from_vector(eased(both, _within(rot.to_vector(wanted)), _FOOT_EASE, fps))
        target = np.where(down[:, None], target, toe - rot.rotate(turn, foot))
        loose = nearness(toe_down, round(_GIVE * fps)) * (1.0 - nearness(down, round(_ROLL * fps)))
        down = _without_leaps(down, toe_down, target - ankle, fps)
    goal = ankle + eased(down, target - ankle, EASE, fps)
    keep_lift(goal[:, 1], ankle[:, 1], down)
    joints = [joint for joint in (leg.ball, *leg.tips) if joint >= 0]
    parts = np.stack([places[:, joint] - ankle for joint in joints] or [np.zeros_like(ankle)])
    toe = joints.index(leg.toe) if leg.toe >= 0 else -1
    hinge = toe_hinge(parts[0], turns[:, leg.ankle])
    return Foot(goal, turn, nearness(down, round(_GIVE * fps)), loose, parts, toe, hinge)


def _within(turns: np.ndarray) -> np.ndarray:
    """Turns (F, 3) of a foot, softly limited: a body that turns on and on above a foot that stands takes it along."""
    angle = length(turns)
    most = _EASY + _STIFF * np.tanh((angle - _EASY) / _STIFF)
    return np.where(angle > _EASY, turns * most / np.maximum(angle, 1e-9), turns)


def toe_hinge(foot: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(F, 3) unit vectors, fixed to a foot that leads along `foot` (F, 3) and is turned by `turns` (F, 4): level and
    across it on average."""
    across = rot.rotate(rot.conjugate(turns), rot.cross(foot, np.array([[0.0, 1.0, 0.0]]))).sum(axis=0)
    return rot.rotate(turns, unit(across)[None])


def _going_on(
    ankle: np.ndarray, foot: np.ndarray, down: tuple[np.ndarray, np.ndarray], shown: np.ndarray, instead: np.ndarray,
    fps: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """(F, 3) of heel and toe, whose foot (F, 3) leads from one to the other, with contacts that begin soon after the
    frames shown (2, S, 3) moved and turned by what `instead` (2, 3) lacks of the last of those: at once by all of it,
    from `EASE` seconds on not at all."""
    count, reach = shown.shape[1], EASE * fps
    moved, turned = np.zeros((2, len(ankle)))  # shares
    landed = runs(down[0] | down[1]), runs(down[0] & down[1])
    for share, (start, stop) in ((share, run) for share, of in zip((moved, turned), landed) for run in of):
        if count <= start < count + reach:
            share[start:stop] = 1.0 - smoothstep((start - count) / reach)
    (heel, toe), (new_heel, new_toe) = shown[:, -1], instead
    turn = np.maximum(moved, turned)[:, None] * rot.to_vector(rot.between(new_toe - new_heel, toe - heel))
    ankle = ankle + moved[:, None] * (heel - new_heel)
    return ankle, ankle + rot.rotate(rot.from_vector(turn), foot)


def keep_lift(goal: np.ndarray, ankle: np.ndarray, down: np.ndarray) -> None:
    """Raise goal (F,) between contacts so that every step is as high as the ankle (F,) was; metres."""
    for start, stop in runs(~down):
        if start > 0 and stop < len(down):
            u = np.arange(1, stop - start + 1) / (stop - start + 1)
            was, now = (h[start:stop] - (1.0 - u) * h[start - 1] - u * h[stop] for h in (ankle, goal))
            bump = 64.0 * u**3 * (1.0 - u) ** 3
            # The least that makes one frame as high: the highest need not be in the middle, where most is added.
            goal[start:stop] += max(float(((was.max() - now) / bump).min()), 0.0) * bump


def _without_leaps(heel: np.ndarray, toe: np.ndarray, correction: np.ndarray, fps: float) -> np.ndarray:
    """Whether heel or toe (F,) are down, let go around where the correction (F, 3) of the ankle jumps as one takes over
    from the other: a foot that was carried too far steps over."""
    down, gap = heel | toe, max(round(_STEP * fps), 1)
    leap = length(np.diff(correction, axis=0))[:, 0] * fps > _LEAP
    for at in np.flatnonzero(down[1:] & down[:-1] & (heel[1:] != heel[:-1]) & leap):
        down[max(at + 1 - gap, 0) : at + 1 + gap] = False
    return down


def runs(mask: np.ndarray) -> np.ndarray:
    """(n, 2) start and stop of every unbroken stretch of True in (F,) bool."""
    return np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)


def eased(known: np.ndarray, values: np.ndarray, reach: float, fps: float) -> np.ndarray:
    """values (F, n) where known (F,), and in between curves that leave and arrive with their value and velocity.

    A gap longer than 2 · reach seconds is zero in its middle; a shorter one is bridged in one go. All curves are
    quintics without acceleration at their ends.
    """
    out = np.empty(values.shape)
    frames, steady = max(round(reach * fps), 1), max(round(_STEADY * fps), 1)
    _kernels.ease(known, np.ascontiguousarray(values), frames, steady, out)
    return out


def envelope(values: np.ndarray, radius: int) -> np.ndarray:
    """A smooth curve (F,) nowhere below `values` (F,) ≥ 0: the highest within the radius, then blurred by a third."""
    if not values.any():
        return values
    high = scipy.ndimage.maximum_filter1d(values, 2 * radius + 1, mode="nearest")
    return np.maximum(scipy.ndimage.gaussian_filter1d(high, radius / 3.0, mode="nearest", truncate=3.0), values)


def nearness(mask: np.ndarray, reach: int) -> np.ndarray:
    """(F,) 1 where mask (F,) holds, falling smoothly to 0 within `reach` frames of it."""
    if not mask.any():
        return np.zeros(len(mask))
    away = np.asarray(scipy.ndimage.distance_transform_edt(~mask))
    return smoothstep(np.maximum(1.0 - away / max(reach, 1), 0.0))
