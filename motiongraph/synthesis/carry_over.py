"""Feet of motion that is made a stretch at a time, joined to what was shown already so that nothing jumps.

What holds the feet is made twice. Exactly: feet that stand stay where they were, whatever is now known of what comes.
And soothed, as it is shown: smoothed where holding them jolts a joint, as in motion that is made as a whole. Each
stretch soothes what the last one held exactly, not what it showed, so that both smooth the same curve and hardly
differ where they meet. What they do differ by fades over a few frames: of the body, in its joints; of the feet, in the
world, for feet that stand must not be moved by what hips and knees make up for. Where that would throw a joint, as the
knee of a straight leg, the foot goes along with its leg.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.synthesis.feet import EASE
from motiongraph.synthesis.footplant import Stance, limits_of, soothed
from motiongraph.synthesis.jolts import ORDERS, Account, Limit, moves_of
from motiongraph.synthesis.legs import Knees, length

MEET = 0.15  # s over which a stretch passes into the next
_ELSEWHERE = 0.001  # m: a foot farther than this from where it was shown was on its way to another place
_LANDED = 0.04  # s over which a foot that stands does, as it is held exactly,
_SHOWN = 0.08  # and as it is shown: what was let go softly, to jolt nothing, must not be fetched back in a frame
_SLOWER = 1.0, 1.0, 1.5, 2.2, 3.3  # times as long by tries, where that jolts a joint; feet give way from the second
_DRY = 0.0015  # m that feet may be deeper in the floor for that
_AROUND = 0.3  # s before and after the frames of a stretch that are soothed with it


def held_after(
    clip: Clip, past: np.ndarray, floor: np.ndarray, onto: float, stop: int, account: Account
) -> tuple[Clip, np.ndarray, np.ndarray | None]:
    """The clip with its feet held; (F, 2, D) what holds them, exactly and as shown; and how suddenly the joints move in
    the frames that are new (see `Record.add`). Nothing without legs.

    past: (S, 2, D) the same of its first frames, which were shown; floor, onto: as for `footplant.cleaned`; stop: what
    follows this frame will be made again; account: of what was shown.
    """
    bare, count, frames = Stance.of(clip, floor, onto), len(past), len(clip)
    if bare is None:
        return clip, np.zeros((frames, 2, 0)), None
    begin, end = max(count - round(_AROUND * clip.fps), 0), min(stop + round(_AROUND * clip.fps), frames)
    part = slice(begin, end)
    if count:
        places = bare.part(slice(0, count)).positions(*_unpacked(past[:, 0]))[:, :-1]
        stance = bare.stepping(places)
        moved, turns = stance.held()
        instead = stance.positions(moved, turns)[count - 1, :-1]
        apart = np.abs(instead - places[-1])[list(stance.planted)].max(initial=0.0)
        if apart > _ELSEWHERE and _lands(stance, count):
            stance = bare.stepping(places, instead)
            moved, turns = stance.held()
        moved, turns = _carried_over(stance, past[:, 0], moved, turns, _LANDED)
    else:
        stance = bare.stepping()
        moved, turns = stance.held()
    exact = _packed(moved, turns)
    moved, turns = moved.copy(), turns.copy()
    own, new = stance.part(part), slice(count - begin, stop - begin)
    limits = limits_of(own, replace(account, first=new.start, stop=new.stop))
    moved[part], turns[part] = soothed(own, moved[part], turns[part], limits)
    if count:
        moved, turns = _calmly_carried_over(stance, past[:, 1], moved, turns, limits, part, new)
    made = replace(clip, root=stance.root + moved, rotations=stance.turned(turns), source=clip._layout())
    made = replace(made, origin=clip.origin and replace(clip.origin, floor=stance.ground))
    late = slice(max(count - max(ORDERS), 0), stop)
    ways = (np.zeros_like(moved[late]), np.zeros_like(turns[late])), (moved[late], turns[late])
    moves = moves_of([stance.part(late).positions(*way) for way in ways], stop - count)
    return made, np.stack([exact, _packed(moved, turns)], axis=1), moves


def _calmly_carried_over(
    stance: Stance,
    past: np.ndarray,
    moved: np.ndarray,
    turns: np.ndarray,
    limits: Sequence[Limit],
    part: slice,
    new: slice,
) -> tuple[np.ndarray, np.ndarray]:
    """As `_carried_over`. Where that jolts a joint, the feet that have to answer for it go along with their legs,
    and it takes longer, unless that puts a foot into the floor. part: the frames that the limits are for; new: those of
    them that are new."""
    own, best, fewest, deepest = stance.part(part), (moved, turns), np.inf, np.inf
    firm = np.ones(len(stance.legs), bool)
    for slower in _SLOWER:
        found = _carried_over(stance, past, moved, turns, slower * _SHOWN, slower * MEET, firm)
        places = own.positions(found[0][part], found[1][part])
        jolted = np.logical_or.reduce([limit.jolted(places)[new] for limit in limits])
        jolts, deep = int(jolted.sum()), own.depth(places)[:, new].max()
        if jolts < fewest and deep < deepest:
            best, fewest, deepest = found, jolts, min(deepest, max(deep, 0.0) + _DRY)
        if not jolts:
            break
        firm &= ~own.shares(jolted).any(axis=1)
    return best


def _packed(moved: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(F, D) moves (F, 3) and turns (F, n, 4, 3) side by side."""
    return np.concatenate([moved, turns.reshape(len(turns), -1)], axis=1)


def _unpacked(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moves (F, 3) and turns (F, n, 4, 3) of rows (F, D)."""
    return np.ascontiguousarray(rows[:, :3]), rows[:, 3:].reshape(len(rows), -1, 4, 3)


def _lands(stance: Stance, count: int) -> bool:
    """Whether a foot lands soon after the first `count` frames."""
    soon = slice(count, count + round(EASE * stance.fps) + 1)
    return any(
        (down[soon] & ~down[count - 1 : soon.stop - 1][: len(down[soon])]).any() for down in stance.planted.values()
    )


def _carried_over(
    stance: Stance,
    past: np.ndarray,
    moved: np.ndarray,
    turns: np.ndarray,
    landed: float,
    meet: float = MEET,
    firm: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Moves (F, 3) and turns (F, n, 4, 3) that hold the feet, passing over from those of the first frames (S, D)
    within `meet` seconds; feet that stand are at their places after `landed` seconds. firm: (n,) bool, all unless told:
    the feet that pass over in the world, whatever hips and knees do; others go along with their legs."""
    count, (fade, quick) = len(past), (max(round(s * stance.fps), 1) for s in (meet, landed))
    two, later = slice(max(count - 2, 0), count), slice(count, min(count + fade, len(moved)))
    part = stance.part(slice(two.start, later.stop))
    was = _unpacked(past[two])
    held = part.positions(moved[two.start : later.stop], turns[two.start : later.stop])
    frames, ahead = np.arange(1.0, later.stop - count + 1.0), slice(count - two.start, None)
    usual = fading(frames, fade)
    new_moved, new_turns = moved.copy(), turns.copy()
    new_moved[:count], new_turns[:count] = _unpacked(past)
    new_moved[later] += lacking(was[0] - moved[two], *usual)
    new_turns[later] += lacking(was[1] - turns[two], *usual)
    firm = np.ones(len(stance.legs), bool) if firm is None else firm
    if not firm.any():
        return new_moved, new_turns
    soft = new_turns[later].copy()
    places = part.positions(new_moved[two.start : later.stop], new_turns[two.start : later.stop])
    air = []  # frames until each foot lands
    for leg in stance.legs:
        down = np.logical_or.reduce([stance.planted[j][later] for j in (leg.ankle, leg.ball) if j in stance.planted])
        air.append(max(int(np.argmax(np.append(down, True))), quick))
    landing = [share[..., None] for share in fading(frames[:, None], np.array(air))]
    hips, knees, ankles = zip(*((leg.hip, leg.knee, leg.ankle) for leg in stance.legs))
    lack = (places - held)[: ahead.start, list(ankles)]
    still = lacking(lack, *landing)
    # Up and down they have all the time there is: that slides nothing, and knees would snap.
    still[..., 1] = lacking(lack[..., 1], *usual)
    goal = (held[ahead, list(ankles)] + still).swapaxes(0, 1)
    new_turns[later, :, 2] = turns[later, :, 2] + lacking((was[1] - turns[two])[:, :, 2], *landing)
    hip, knee, ankle = (places[ahead, list(joints)].swapaxes(0, 1) for joints in (hips, knees, ankles))
    above = stance.turns[later, stance.skeleton.parents[list(hips)]].swapaxes(0, 1)
    bent = Knees.of(hip, knee, ankle, above, stance.fps)
    bend = np.copysign(bent.bend_at(length(goal - hip)[..., 0]), bent.bend)
    more = np.stack(bent.reach(bend, goal - hip)[:2], axis=2).swapaxes(0, 1)
    new_turns[later, :, :2] = rot.to_vector(rot.multiply(more, rot.from_vector(new_turns[later, :, :2])))
    new_turns[later][:, ~firm] = soft[:, ~firm]
    return new_moved, new_turns


def fading(frames: np.ndarray, fade: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of what is lacking, and of how it changes in a frame, after so many frames: a quintic without acceleration
    at its ends that is zero after `fade` frames."""
    u = np.minimum(frames / fade, 1.0)
    return 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2), fade * (u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2))


def lacking(lack: np.ndarray, hold: np.ndarray, swing: np.ndarray) -> np.ndarray:
    """(frames, …) what is lacking in the frames after those of `lack` (1 or 2, …), which goes on as it came."""
    shape = (*hold.shape, *[1] * (lack.ndim - hold.ndim))
    return hold.reshape(shape) * lack[-1] + swing.reshape(shape) * (lack[-1] - lack[0])
