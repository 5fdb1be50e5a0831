"""How much is kept of many clips: up to a ceiling that a sample tells, and the cheapest transitions of every stretch.

Transitions grow with the square of the motion. Up to 15 cm a few clips give thousands and a whole laboratory's database
hundreds of millions, of which nobody needs the ten-thousandth best way out of a frame.
"""

from dataclasses import dataclass, replace

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric.bodies import Bodies
from motiongraph.metric.sketch import FAR
from motiongraph.metric.tape import SEARCHES

CEILING = 15.0  # cm; beyond this a blend is no longer taken for captured motion
HIGHEST = 1e12  # of a cost in any unit, except that there may be no limit at all
# Windows up to which an automatic ceiling is 15 cm, and pairs of windows that it leaves where there are more. Of CMU's
# database about one in a thousand of them is a minimum.
_FEW, _PAIRS = 100_000, 1.2e9
_SAMPLE = 1000  # windows that are compared to find it
# Frames from which on only the cheapest transitions of a stretch are kept unless something else is asked for.
DATABASE, PER_WINDOW = 500_000, 32
_WIDEST = 3600.0  # seconds of a radius


@dataclass(frozen=True)
class Limits:
    """What of all minima is kept, and how they are searched for."""

    ceiling: float | str = "auto"  # cm, or the metric's unit; "auto": see `automatic_ceiling`
    radius: float = 8 / 120  # seconds; of minima nearer than this only the cheapest is kept
    per_window: int | None = None  # transitions of a stretch of `radius`; None: see `of_frames`
    search: str = "pruned"  # or "exhaustive"
    least: float = 0.0  # an automatic ceiling is no lower

    def __post_init__(self) -> None:
        if isinstance(self.ceiling, str) and self.ceiling != "auto":
            raise MotionError(f"a ceiling is a cost or 'auto', not {self.ceiling!r}")
        if not isinstance(self.ceiling, str) and not (0 <= self.ceiling <= HIGHEST or self.ceiling == np.inf):
            raise MotionError(f"a ceiling is a cost from 0 to {HIGHEST:g}, or none, not {self.ceiling!r}")
        if not self.radius <= _WIDEST:
            raise MotionError(f"a radius is a number of seconds up to {_WIDEST:g}, not {self.radius!r}")
        if self.per_window is not None and not (self.per_window >= 0 and self.per_window == int(self.per_window)):
            raise MotionError(f"a stretch keeps a whole number of transitions, or 0 for all, not {self.per_window!r}")
        if self.search not in SEARCHES:
            raise MotionError(f"a search is {' or '.join(map(repr, SEARCHES))}, not {self.search!r}")

    def of_frames(self, frames: int) -> "Limits":
        """With the usual `per_window` of so many frames where none was asked for: 0 stands for all."""
        usual = PER_WINDOW if frames >= DATABASE else 0
        return self if self.per_window is not None else replace(self, per_window=usual)


def automatic_ceiling(tape: Bodies) -> float:
    """cm, in steps of a tenth, up to 15: what leaves a number of pairs of windows that can be searched and kept."""
    exists = np.flatnonzero(tape.starts[2] < 0.5 * FAR)
    windows, L = len(exists), tape.window
    share = 2.0 * _PAIRS / windows**2
    if windows <= _FEW or share >= 1.0:
        return CEILING
    chosen = exists[:: -(-windows // _SAMPLE)]
    # The windows chosen, one after the other.
    frames = (chosen[:, None] + np.arange(L)).ravel()
    at = L * np.arange(len(chosen))
    starts, origin = np.zeros((3, len(frames) - L + 1)), np.zeros((2, len(frames) - L + 1))
    starts[:, at], origin[:, at] = tape.starts[:, chosen], tape.origins(chosen)
    sample = replace(
        tape,
        xz=tape.xz[frames],
        y=tape.y[frames],
        left=np.ascontiguousarray(tape.left[:, :, frames]),
        right=np.ascontiguousarray(tape.right[:, :, frames]),
        starts=starts,
        origin=origin,
    )
    i, j = np.triu_indices(len(chosen), 1)
    apart = chosen[j] - chosen[i] >= L
    cost = np.sort(sample.against(sample).exact(at[i[apart]], at[j[apart]])[0])
    found = cost[min(int(share * len(cost)), len(cost) - 1)]
    return float(min(max(np.floor(found * 10.0) / 10.0, 0.1), CEILING))


def cheapest(table: np.ndarray, count: int, radius: int) -> np.ndarray:
    """The transitions of a table that are among the `count` cheapest out of their stretch of `radius` frames, or into
    it; 0: all. Equal costs count as one, so that it does not matter in which order clips came.

    Adding others later and doing it again gives what doing it once with all would.
    """
    if not count or not len(table):
        return table
    kept = np.zeros(len(table), bool)
    for end in ("src", "dst"):
        kept |= _cheaper(table, end, radius) < count
    return table[kept]


def _stretch(table: np.ndarray, end: str, radius: int) -> np.ndarray:
    """(T,) a number for the stretch of `radius` frames that each transition leaves ("src") or enters ("dst")."""
    return table[end].astype(np.int64) << 32 | table[f"{end}_frame"] // max(radius, 1)


def _cheaper(table: np.ndarray, end: str, radius: int) -> np.ndarray:
    """(T,) how many of the same stretch cost less."""
    stretch = _stretch(table, end, radius)
    order = np.lexsort((table["cost"], stretch))
    stretch, cost = stretch[order], table["cost"][order]
    begins = np.append(True, stretch[1:] != stretch[:-1])
    dearer = begins | np.append(True, cost[1:] != cost[:-1])
    place, found = np.arange(len(table)), np.empty(len(table), np.int64)
    # From the beginning of the stretch to the first that costs as much.
    less = np.maximum.accumulate(np.where(dearer, place, 0)) - np.maximum.accumulate(np.where(begins, place, 0))
    found[order] = less
    return found


def pushed_out(table: np.ndarray, number: np.ndarray, count: int, radius: int) -> np.ndarray:
    """(C,) bool: clips that stay, and of which transitions may have been dropped as dearer than those of clips that go.

    table: what `cheapest` left; number: (C,) −1 for clips that go. Where one that goes is among the cheapest of a
    stretch that has as many as it may, others take its place, and only comparing tells which.
    """
    goes, found = number < 0, np.zeros(len(number), bool)
    if not count or not goes.any() or not len(table):
        return found
    for end, other in (("src", "dst"), ("dst", "src")):
        _, of, many = np.unique(_stretch(table, end, radius), return_inverse=True, return_counts=True)
        found[table[end][goes[table[other]] & (many[of] >= count)]] = True
    return found & ~goes
