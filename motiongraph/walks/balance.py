"""How gladly random walks should go to each clip and moment, so that their seams lie everywhere alike.

Walks that take whatever leads on play some clips far too often, as those that many transitions enter and few leave, and
arrive where a single moment is left to go on from, as near the ends of clips. Seams that gather at few moments are
known by that. In balance clips are entered, and so left, in proportion to the moments at which they can be: short ones,
such as runs, are not full of seams.
"""

import numpy as np

from motiongraph.kernels import F64, I32, I64, kernel, read
from motiongraph.walks.floor_path import Runs

_WORK = 1_700_000  # transitions looked at in a round, at most; 0.01 s
_STEPS = (2, 256)  # that walks are followed in each round, fewest and most
_MOST = 12.0  # times more or less gladly than without balance
_STUCK = 0.002  # how gladly walks go where they cannot leave again
_ENDS = 0.02  # how gladly clips are left or entered near their ends, as a share of elsewhere


def balance(
    runs: Runs,
    ease: np.ndarray,
    clip_of: np.ndarray,
    moments: np.ndarray,
    least: int,
    most: int,
    factor: np.ndarray,
    mass: np.ndarray,
    rounds: int,
) -> np.ndarray:
    """(T,) how gladly each transition is to be taken, by which clip it enters, or goes on in.

    ease: (T,) how gladly it was taken; clip_of: (F,) the clip of every frame; moments: (clips,) what each is to be
    entered in proportion to; least, most: frames between two transitions. Corrected in place in so many rounds: factor
    (clips,) by how much more gladly each is entered, 1 at first; mass (T,) how many of all walks take each transition,
    alike at first. In a whole database, where no walk comes to play everything, all are taken as before.
    """
    count = len(ease)
    if not count or _STEPS[0] * count > _WORK:
        return ease
    dst = clip_of[runs.arrive]
    first, last = _ahead(runs, least, most)
    for _ in range(rounds):
        followed(first, last, ease * factor[dst], _steps(count), mass)
        entered = np.bincount(dst, mass, len(moments))
        wanted = np.where(entered > 0.0, moments, 0.0)
        share = (wanted / wanted.sum()) / np.maximum(entered / entered.sum(), 1e-12)
        factor[:] = np.clip(factor * np.sqrt(np.clip(share, 1.0 / _MOST, _MOST)), 1.0 / _MOST, _MOST)
    return ease * factor[dst]


def taken(runs: Runs, weight: np.ndarray, least: int, most: int, mass: np.ndarray | None = None) -> np.ndarray:
    """(T,) the share of all transitions of long walks that each is, if taken so gladly; as for `balance`. mass: what it
    was for walks that were much the same; walks that seldom leave a part of the graph take many steps to spread."""
    count = len(weight)
    mass = np.full(count, 1.0 / count) if mass is None else mass.copy()
    followed(*_ahead(runs, least, most), weight, _steps(count), mass)
    return mass


def _steps(count: int) -> int:
    """How far walks are followed in a graph of so many transitions."""
    return int(np.clip(_WORK // count, *_STEPS))


def can_leave(runs: Runs, near: int) -> np.ndarray:
    """(F,) bool: frames within `near` frames of one at which a transition leaves."""
    count, edges = len(runs.run_end), np.zeros(len(runs.run_end) + 1, np.int64)
    np.add.at(edges, np.maximum(runs.leave - near, 0), 1)
    np.add.at(edges, np.minimum(runs.leave + near + 1, count), -1)
    return np.cumsum(edges[:count]) > 0


def freedom(runs: Runs, free: np.ndarray, least: int, most: int) -> np.ndarray:
    """(T,) of the time from `least` to `most` frames after each transition, the share at which it can be left again;
    free: (F,) as `can_leave` finds. Not quite 0 where there is none."""
    before = np.append(0, np.cumsum(free))
    end = np.maximum(runs.run_end[runs.arrive], runs.arrive - 1) + 1
    first, last = (np.minimum(runs.arrive + frames, end) for frames in (least, most))
    return _STUCK + (before[last] - before[first]) / max(most - least, 1)


def inside(
    runs: Runs, clip_of: np.ndarray, first: np.ndarray, stop: np.ndarray, window: int, margin: int
) -> np.ndarray:
    """(T,) how gladly each transition is taken for where its middle lies in the two clips: less within `margin` frames
    of the beginning or the end of one, once for each.

    People get ready to move where captures begin and come to rest where they end, and hardly do so elsewhere: what
    joins such moments looks like no captured motion. first, stop: (clips,) captured frames of each; window: frames of a
    transition.
    """
    half, found = window // 2, np.ones(len(runs.leave))
    for clip, middle in ((clip_of[runs.leave], runs.leave + half), (clip_of[runs.arrive], runs.arrive - window + half)):
        room = np.minimum(middle - first[clip], stop[clip] - 1 - middle)
        found *= np.where(room < margin, _ENDS, 1.0)
    return found


def _ahead(runs: Runs, least: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(T,), (T,) the transitions, from one to before another, among which a random walk picks after each: as in
    `random_walk.random_transitions`; none where no way leads on."""
    arrive, next_out = runs.arrive.astype(np.int64), runs.next_out
    end = runs.run_end[arrive].astype(np.int64)
    last = np.where(end < 0, next_out[arrive], next_out[end + 1])
    first = next_out[np.clip(arrive + least, 0, np.maximum(end, arrive - 1) + 1)]
    first = np.where(first >= last, next_out[arrive], first)
    soon = next_out[np.minimum(arrive + most, np.maximum(end, 0)) + 1]
    return first, np.where(soon > first, np.minimum(soon, last), last)


@kernel((read(I32), read(I32), read(F64), I64, F64[::1]))
def followed(first, last, weight, steps, mass):
    """Follow walks for some steps: mass (T,), in place, how many of them take each transition. first, last: (T,) where
    the transitions begin and end among which they pick after each; weight: (T,) how gladly."""
    count = weight.shape[0]
    total = np.zeros(count + 1)
    for k in range(count):
        total[k + 1] = total[k] + weight[k]
    rate = np.empty(count + 1)
    for _ in range(steps):
        rate[:] = 0.0
        for k in range(count):
            if last[k] > first[k]:
                share = mass[k] / (total[last[k]] - total[first[k]])
                rate[first[k]] += share
                rate[last[k]] -= share
        here = everything = 0.0
        for k in range(count):
            here += rate[k]
            # Half stays where it is, or walks that go to and fro would never settle.
            mass[k] = 0.5 * (mass[k] + max(here, 0.0) * weight[k])
            everything += mass[k]
        for k in range(count):
            mass[k] /= everything
