"""How suddenly joints may move when feet are held: hardly more so than they did before.

What counts is the 99th percentile of each joint's acceleration and jerk. A motion that is made as a whole has one. One
that never ends may be cut off anywhere, and whoever stands for long after a walk makes a lower percentile of the walk
the 99th of the whole. So it keeps all upper percentiles at any time: however sudden you call sudden, no more of its
frames so far may be 1.18 times as sudden as were so sudden before. (One distribution then dominates the other, and so
do sums of such.) A record of how joints moved, as blended and as shown, tells what is left to spend.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.model.clip import Clip
from motiongraph.synthesis import _kernels

_WORSE = 1.2  # times its acceleration and jerk before that a joint may have
_USUAL = 99.0  # percentile of them that counts
_NEAR = 0.1  # s around a frame in which motion may have been as sudden
# m/s² and m/s³, by the order of the derivative, that are never noticed: of anything, of a body and of legs at a moment
_GENTLE = {2: (2.0, 12.0, 30.0), 3: (40.0, 150.0, 800.0)}
ORDERS = tuple(_GENTLE)
# The same as _WORSE, of motion that is made a part at a time: what is made of parts is a little worse than each, but
# since its percentile is kept it need not be stricter at a single moment.
_PARTLY = 1.18
_MOMENT = 1.3
_LONG = 30.0  # s after which what was counts a third
_BEFORE = 2.0  # s of the clips played that are taken to have been before
_SOON = 10.0  # s; of shorter motion one frame in a hundred is hardly any
# Of all frames, or of those of the first _SOON: how many may be more sudden than any before, and how many count.
_FREE, _UPPER = 0.005, 0.03
_SPARED = 1.0  # frames, for what cannot be helped where two parts meet
_CUTS = 4  # moments of a part at which motion may be cut off
_OCTAVE, _LEAST, _OCTAVES = 32, -17, 18  # of a record: bins for every factor of two, from 2⁻¹⁷ m a frame on
_BINS = _OCTAVE * _OCTAVES
_MOST_KNOWN = 200  # clips whose bins are kept, 0.4 MB each: who walks a whole database comes by thousands
_EDGES = np.ldexp(1.0 + np.arange(_BINS + 1) % _OCTAVE / _OCTAVE, np.arange(_BINS + 1) // _OCTAVE + _LEAST)


@dataclass(frozen=True, eq=False)
class Limit:
    """How suddenly joints may move: by a derivative of this order, metres a frame to that power."""

    order: int
    before: np.ndarray  # (F − order, J) as they did
    loose: np.ndarray  # (F − order, J) at any moment
    spent: Callable[[np.ndarray], np.ndarray]  # (J,) of such sizes, from which on none may be `worse` any more, or ∞;
    worse: float  # times as sudden as before that is,
    tiny: float  # or this

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
            worse = moment = _WORSE
            usual, spent = _of_whole(size, tiny)
        else:
            worse, moment = _PARTLY, _MOMENT
            usual, spent = account.of_part(order, size, tiny)
        return cls(order, size, np.maximum(moment * np.maximum(near, usual), gentle), spent, worse, tiny)

    def jolted(self, places: np.ndarray) -> np.ndarray:
        """(F, J) bool: where joints move more suddenly than they may."""
        size, found = _kernels.sudden(places, self.order), np.zeros(places.shape[:2], bool)
        # Who is below what is spent, or moves no more suddenly than he did, has spent nothing.
        strict = np.maximum(self.worse * np.maximum(self.before, self.spent(size)), self.tiny)
        over = (size > strict) | (size > self.loose)
        for k in range(self.order + 1):
            found[k : k + len(over)] |= over
        return found


def _of_whole(size: np.ndarray, tiny: float) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """(J,) what is usual of a motion (F, J) that is made as a whole, and its `spent`."""
    last = 0.01 * _USUAL * (len(size) - 1)
    lower, higher = np.partition(size.T, (int(last), int(np.ceil(last))))[:, [int(last), int(np.ceil(last))]].T
    usual = lower + (last - int(last)) * (higher - lower)
    limit = np.maximum(_WORSE * usual, tiny)

    def spent(size: np.ndarray) -> np.ndarray:
        over = (size > limit).sum(axis=0) >= len(size) - 1 - int(last)
        over[over] = np.percentile(size[:, over], _USUAL, axis=0) > limit[over]
        return np.where(over, lower, np.inf)

    return usual, spent


@dataclass(frozen=True, eq=False)
class Account:
    """What joints may do in a part of a longer motion, by what they did before."""

    counts: np.ndarray  # (2, 2, J, B) frames by order, as blended and as shown, joint and how suddenly it moved
    fps: float
    first: int = 0  # the frames of the part that will be shown
    stop: int = 0

    def of_part(
        self, order: int, size: np.ndarray, tiny: float
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """(J,) what is usual with a part (F, J), as blended, and its `spent`."""
        blended, shown = self.counts[ORDERS.index(order)]
        # Of derivatives, those whose last frame will be shown, up to each moment at which motion may be cut off.
        first, stop = max(self.first - order, 0), self.stop - order
        cuts = [slice(first, first + round((stop - first) * (k + 1) / _CUTS)) for k in range(_CUTS)]
        above = np.stack([_above(blended + counted(size[cut])) for cut in cuts])
        many = np.maximum(above[..., :1], _SOON * self.fps)
        left = np.maximum(above - _SPARED, _FREE * many) - _above(shown)
        left[(above > _UPPER * many) | (_EDGES[:-1] * _PARTLY < tiny)] = np.inf
        usual = _EDGES[(above[-1] > 0.01 * (100.0 - _USUAL) * above[-1, :, :1]).sum(axis=1) - 1]

        def spent(size: np.ndarray) -> np.ndarray:
            over = np.zeros((size.shape[1], _BINS + 1), bool)
            over[:, -1] = True
            for cut, most in zip(cuts, left):
                over[:, :-1] |= _above(counted(size[cut] / _PARTLY)) > most
            return np.append(_EDGES[:-1], np.inf)[over.argmax(axis=1)]

        return usual, spent


class Record:
    """How suddenly the joints of a motion that never ends moved so far, as blended and as shown, there in shares of
    what each may be worse; what is long past counts less. joints: how many there are, with the root's height."""

    def __init__(self, joints: int, fps: float):
        self.fps = fps
        self.counts = np.zeros((len(ORDERS), 2, joints, _BINS))

    def add(self, moves: np.ndarray) -> None:
        """More frames (n, 2, 2, J) that were shown, by order, as blended and as shown."""
        self.counts *= np.exp(-len(moves) / (_LONG * self.fps))
        for order, way in np.ndindex(2, 2):
            self.counts[order, way] += counted(moves[:, order, way] / (1.0, _PARTLY)[way])

    def account(self, clips: Sequence[Clip]) -> Account:
        """For frames of these clips."""
        usual = sum(usual_in(clip) for clip in clips) / len(clips)
        return Account(self.counts + _BEFORE * self.fps * usual, self.fps)


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
