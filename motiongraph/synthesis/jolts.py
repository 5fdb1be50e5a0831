"""How suddenly joints may move when feet are held: hardly more so than they did before.

What counts is the 99th percentile of each joint's acceleration and jerk. A motion that is made as a whole has one. One
that never ends has a record of how its joints moved so far, as blended and as shown, and so of what it may still spend.
It keeps lower percentiles too: who stands for long after a walk makes one of them the 99th of the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.model.clip import Clip
from motiongraph.synthesis import _kernels

_WORSE = 1.2  # times its acceleration and jerk before that a joint may have
_USUAL = 99.0  # percentile of them that counts
# Those that motion keeps which is made a part at a time. A cycle that is walked again and again has a few frames far
# above all others: of five percentiles, the 98.8th was free to rise to the 99th, and later it was the 99th.
UPPER = 100.0 - np.geomspace(1.0, 3.0, 9)
_NEAR = 0.1  # s around a frame in which motion may have been as sudden
# m/s² and m/s³, by the order of the derivative, that are never noticed: of anything, of a body and of legs at a moment
_GENTLE = {2: (2.0, 12.0, 30.0), 3: (40.0, 150.0, 800.0)}
ORDERS = tuple(_GENTLE)
# The same as _WORSE, of motion that is made a part at a time: what is made of parts is a little worse than each, but
# since its percentile is kept it need not be stricter at a single moment.
_PARTLY = 1.17
_MOMENT = 1.3
_LONG = 30.0  # s after which what was counts a third
_BEFORE = 2.0  # s of the clips played that are taken to have been before
_OCTAVE, _LEAST, _OCTAVES = 32, -17, 18  # of a record: bins for every factor of two, from 2⁻¹⁷ m a frame on
_BINS = _OCTAVE * _OCTAVES
_MOST_KNOWN = 200  # clips whose bins are kept, 0.4 MB each: who walks a whole database comes by thousands
_SHARES = 1.0 - 0.01 * UPPER[:, None]
_EDGES = np.ldexp(1.0 + np.arange(_BINS + 1) % _OCTAVE / _OCTAVE, np.arange(_BINS + 1) // _OCTAVE + _LEAST)


@dataclass(frozen=True, eq=False)
class Limit:
    """How suddenly joints may move: by a derivative of this order, metres a frame to that power."""

    order: int
    before: np.ndarray  # (F − order, J) as they did
    usual: np.ndarray  # (K, J) the upper percentiles that each joint may have
    lower: np.ndarray  # (K, J) what they were: who is below has to stay so where a percentile is higher than it may be,
    worse: float  # but for this factor,
    tiny: float  # or up to this
    loose: np.ndarray  # (F − order, J) at any moment
    counted: slice  # the frames that count
    rare: np.ndarray | None  # (K, J) how many of them may be above each, if not one in a hundred

    @classmethod
    def of(
        cls, places: np.ndarray, fps: float, swinging: list[int], order: int, account: "Account | None" = None
    ) -> "Limit":
        """As this motion (F, J, 3) itself moves them; swinging: the joints of the legs; account: of the longer motion
        that it is a part of: so few frames have no percentile of their own."""
        tiny, gentle, legs = (size / fps**order for size in _GENTLE[order])
        gentle = np.full(places.shape[1], gentle)
        gentle[swinging], gentle[-1] = legs, np.inf
        size = _kernels.sudden(places, order)
        near = scipy.ndimage.maximum_filter1d(size, 2 * max(round(_NEAR * fps), 1) + 1, axis=0, mode="nearest")
        if account is None:
            last = 0.01 * _USUAL * (len(size) - 1)
            lower, higher = np.partition(size.T, (int(last), int(np.ceil(last))))[:, [int(last), int(np.ceil(last))]].T
            upper, lower = (lower + (last - int(last)) * (higher - lower))[None], lower[None]
            worse, moment, counted, rare = _WORSE, _WORSE, slice(None), None
        else:
            worse, moment, counted = _PARTLY, _MOMENT, account.rows(order)
            upper = lower = account.percentiles(order, size[counted])
            rare = account.rare(order, np.maximum(worse * upper, tiny), len(size[counted]))
        loose = np.maximum(moment * np.maximum(near, upper[0]), gentle)
        return cls(order, size, np.maximum(worse * upper, tiny), lower, worse, tiny, loose, counted, rare)

    def jolted(self, places: np.ndarray) -> np.ndarray:
        """(F, J) bool: where joints move more suddenly than they may."""
        size, found = _kernels.sudden(places, self.order), np.zeros(places.shape[:2], bool)
        over = size > self.loose
        if self.rare is None:
            last = len(size) - 1
            spent = (size > self.usual).sum(axis=0, keepdims=True) >= last - int(0.01 * _USUAL * last)
            spent[spent] = np.percentile(size[:, spent[0]], _USUAL, axis=0) > self.usual[spent]
        else:
            spent = (size[self.counted] > self.usual[:, None]).sum(axis=1) > self.rare
        worse = spent.any(axis=0)
        # Who is nowhere above the lowest percentile that is spent, or no more than he was, has spent none.
        least = np.where(spent, self.lower, np.inf).min(axis=0)[worse]
        strict = np.maximum(self.worse * np.maximum(self.before[:, worse], least), self.tiny)
        over[:, worse] = size[:, worse] > strict
        for k in range(self.order + 1):
            found[k : k + len(over)] |= over
        return found


@dataclass(frozen=True, eq=False)
class Account:
    """What joints may do in a part of a longer motion, by what they did before."""

    counts: np.ndarray  # (2, 2, J, B) frames by order, as blended and as shown, joint and how suddenly it moved
    first: int = 0  # the frames of the part that will be shown
    stop: int = 0

    def rows(self, order: int) -> slice:
        """Of derivatives, those whose last frame will be shown."""
        return slice(max(self.first - order, 0), self.stop - order)

    def percentiles(self, order: int, size: np.ndarray) -> np.ndarray:
        """(K, J) the upper ones, as blended, with these frames (n, J)."""
        counts = self.counts[ORDERS.index(order), 0] + counted(size)
        above, joints = _above(counts), np.arange(len(counts))
        many = _SHARES * above[:, 0]
        bins = np.stack([(above > each[:, None]).sum(axis=1) - 1 for each in many])
        share = (above[joints, bins] - many) / np.maximum(counts[joints, bins], 1e-12)
        return _EDGES[bins] + share * (_EDGES[bins + 1] - _EDGES[bins])

    def rare(self, order: int, limits: np.ndarray, more: int) -> np.ndarray:
        """(K, J) in how many of so many more frames joints may move more suddenly than these limits (K, J)."""
        counts = self.counts[ORDERS.index(order), 1]
        above, bins, joints = _above(counts), _bins(limits), np.arange(len(counts))
        below = np.minimum((limits - _EDGES[bins]) / (_EDGES[bins + 1] - _EDGES[bins]), 1.0) * counts[joints, bins]
        return _SHARES * (above[:, 0] + more) - (above[joints, bins] - below)


class Record:
    """How suddenly the joints of a motion that never ends moved so far, as blended and as shown; what is long past
    counts less. joints: how many there are, with the root's height."""

    def __init__(self, joints: int, fps: float):
        self.fps = fps
        self.counts = np.zeros((len(ORDERS), 2, joints, _BINS))

    def add(self, moves: np.ndarray) -> None:
        """More frames (n, 2, 2, J) that were shown, by order, as blended and as shown."""
        self.counts *= np.exp(-len(moves) / (_LONG * self.fps))
        for at in np.ndindex(2, 2):
            self.counts[at] += counted(moves[:, *at])

    def account(self, clips: Sequence[Clip]) -> Account:
        """For frames of these clips."""
        usual = sum(usual_in(clip) for clip in clips) / len(clips)
        return Account(self.counts + _BEFORE * self.fps * usual)


def moves_of(places: Sequence[np.ndarray], frames: int) -> np.ndarray:
    """(frames, 2, 2, J) how suddenly joints move in the last frames, by order, of motion (F, J, 3) as blended and as
    shown; 0 where that cannot be told."""
    out = np.zeros((frames, len(ORDERS), len(places), places[0].shape[1]))
    for k, way in enumerate(places):
        for n, order in enumerate(ORDERS):
            size = _kernels.sudden(way, order)[-frames:]
            out[frames - len(size) :, n, k] = size
    return out


_known: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def usual_in(clip: Clip) -> np.ndarray:
    """(2, 1, J + 1, B) share of its frames in which the joints of a captured clip, and its root up and down, move so
    suddenly, by order."""
    if clip not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        places = clip.positions()[clip.first :]
        root = places[:, :1] * np.array([0.0, 1.0, 0.0])
        places = np.concatenate([places, root], axis=1)
        sizes = [_kernels.sudden(places, order) for order in ORDERS]
        _known[clip] = np.stack([counted(size)[None] / max(len(size), 1) for size in sizes])
    return _known[clip]


def counted(size: np.ndarray) -> np.ndarray:
    """(J, B) how many of these sizes (n, J) are in each bin."""
    joints = size.shape[1]
    return np.bincount((np.arange(joints) * _BINS + _bins(size)).ravel(), minlength=joints * _BINS).reshape(joints, -1)


def _bins(size: np.ndarray) -> np.ndarray:
    part, octave = np.frexp(np.maximum(size, _EDGES[0]))
    return np.clip((octave - 1 - _LEAST) * _OCTAVE + ((2.0 * part - 1.0) * _OCTAVE).astype(int), 0, _BINS - 1)


def _above(counts: np.ndarray) -> np.ndarray:
    """(J, B) how many are in a bin (J, B) or a higher one."""
    return counts[:, ::-1].cumsum(axis=1)[:, ::-1]
