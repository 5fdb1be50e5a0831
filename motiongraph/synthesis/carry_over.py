"""Feet of motion that is made a stretch at a time, joined to what was shown already so that nothing jumps.

What holds the feet is made twice. Exactly: feet that stand stay where they were, whatever is now known of what comes.
And soothed, as it is shown: smoothed where holding them jolts a joint, as in motion that is made as a whole. Each
stretch soothes what the last one held exactly, not what it showed, so that both smooth the same curve and hardly
differ where they meet. What they do differ by fades over a few frames: of the body, in its joints; of the feet, in the
world, for feet that stand must not be moved by what hips and knees make up for.
"""

from dataclasses import replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.synthesis.feet import EASE
from motiongraph.synthesis.footplant import Stance, Sudden, soothed
from motiongraph.synthesis.legs import Knees, length

MEET = 0.15  # s over which a stretch passes into the next
_ELSEWHERE = 0.001  # m: a foot farther than this from where it was shown was on its way to another place
_LANDED = 0.04  # s over which a foot that stands does
_AROUND = 0.3  # s before and after the frames of a stretch that are soothed with it


def held_after(
    clip: Clip, past: np.ndarray, floor: np.ndarray, onto: float, stop: int, usual: Sudden
) -> tuple[Clip, np.ndarray]:
    """The clip with its feet held, and (F, 2, D) what holds them, exactly and as shown; nothing without legs.

    past: (S, 2, D) the same of its first frames, which were shown; floor, onto: as for `footplant.cleaned`; stop: what
    follows this frame will be made again; usual: (F, J + 1) as for `footplant.soothed`.
    """
    bare, count, frames = Stance.of(clip, floor, onto), len(past), len(clip)
    if bare is None:
        return clip, np.zeros((frames, 2, 0))
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
        moved, turns = _carried_over(stance, past[:, 0], moved, turns)
    else:
        stance = bare.stepping()
        moved, turns = stance.held()
    exact = _packed(moved, turns)
    moved, turns = moved.copy(), turns.copy()
    around = {order: size[part] for order, size in usual.items()}
    moved[part], turns[part] = soothed(stance.part(part), moved[part], turns[part], around)
    if count:
        moved, turns = _carried_over(stance, past[:, 1], moved, turns)
    made = replace(clip, root=stance.root + moved, rotations=stance.turned(turns), source=clip._layout())
    made = replace(made, origin=clip.origin and replace(clip.origin, floor=stance.ground))
    return made, np.stack([exact, _packed(moved, turns)], axis=1)


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
    stance: Stance, past: np.ndarray, moved: np.ndarray, turns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Moves (F, 3) and turns (F, n, 4, 3) that hold the feet, passing over from those of the first frames (S, D);
    feet that stand are soon at their places."""
    count, (fade, quick) = len(past), (max(round(s * stance.fps), 1) for s in (MEET, _LANDED))
    two, later = slice(max(count - 2, 0), count), slice(count, min(count + fade, len(moved)))
    frames, held = later.stop - count, stance.positions(moved, turns)
    was, (new_moved, new_turns) = _unpacked(past), (moved.copy(), turns.copy())
    new_moved[:count], new_turns[:count] = was
    new_moved[later] += _fading(was[0][two] - moved[two], fade, frames)
    new_turns[later] += _fading(was[1][two] - turns[two], fade, frames)
    places = stance.positions(new_moved, new_turns)
    for n, leg in enumerate(stance.legs):
        down = np.logical_or.reduce([stance.planted[j][later] for j in (leg.ankle, leg.ball) if j in stance.planted])
        air = max(int(np.argmax(np.append(down, True))), quick)  # frames until it lands
        lack = places[two, leg.ankle] - held[two, leg.ankle]
        goal = held[later, leg.ankle] + _fading(lack, air, frames)
        # Up and down it has all the time there is: that slides nothing, and knees would snap.
        goal[:, 1] = held[later, leg.ankle, 1] + _fading(lack[:, 1], fade, frames)
        new_turns[later, n, 2] = turns[later, n, 2] + _fading(was[1][two, n, 2] - turns[two, n, 2], air, frames)
        hip, knee, ankle = (places[None, later, joint] for joint in (leg.hip, leg.knee, leg.ankle))
        above = stance.turns[None, later, stance.skeleton.parents[leg.hip]]
        knees = Knees.of(hip, knee, ankle, above, stance.fps)
        bend = np.copysign(knees.bend_at(length(goal - hip)[..., 0]), knees.bend)
        thigh, shin, _ = knees.reach(bend, goal - hip)
        for k, more in ((0, thigh), (1, shin)):
            new_turns[later, n, k] = rot.to_vector(rot.multiply(more[0], rot.from_vector(new_turns[later, n, k])))
    return new_moved, new_turns


def _fading(lack: np.ndarray, fade: int, frames: int) -> np.ndarray:
    """(frames, …) what is lacking in the frames after those of `lack` (1 or 2, …): a quintic without acceleration at
    its ends that goes on as it came and is zero after `fade` frames."""
    u = np.minimum(np.arange(1.0, frames + 1.0) / fade, 1.0).reshape(-1, *[1] * (lack.ndim - 1))
    hold, swing = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2), u - u**3 * (6.0 - 8.0 * u + 3.0 * u**2)
    return hold * lack[-1] + swing * fade * (lack[-1] - lack[0])
