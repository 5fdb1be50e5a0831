"""Turning a driven character a little more than its clips do, so that it answers sooner.

Every frame gets a placement that is applied after that of its clip. From frame to frame it turns towards where the body
is to face, at a bounded rate, about the foot that stands: as people do who turn within a step. Feet are held afterwards
as always, so that the planted one stays as it is and the other lands where the body has turned to. How far that goes
above one foot is bounded too; what is left waits for the next step.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph import rotations as rot
from motiongraph.elementary import cos, sin
from motiongraph.graph.floor import floor_path
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.clip import Clip
from motiongraph.model.placement import Placement, compose, heading_of, place, wrapped
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.legs import legs_of
from motiongraph.walks.turn_frames import WRUNG, facing_of, pivots_of, turn_frames, ways_of

STILL = 0.2  # s after which a body that is to turn no more does not


class Turning:
    """By how much every frame of a motion is turned. rate: rad/s at the most; keep: frames that are remembered."""

    def __init__(self, graph: MotionGraph, rate: float, keep: int):
        self.graph, self.rate = graph, rate
        self.until = 1  # frames whose turn is known; the first is not turned
        legs = legs_of(graph.clips[0].skeleton, plants(graph.clips[0]).joints) if rate else []
        self.feet = [(leg.ankle, leg.ball) for leg in legs if leg.ball >= 0]
        # theta, x, z, rad/s, rad/s², and the least and greatest theta above each foot that stands, each frame at its
        # number modulo `keep`
        self._rows = np.zeros((keep, 5 + 2 * len(self.feet)))
        self._rows[:, 5:] = np.nan

    def at(self, frame: int) -> Placement:
        """The placement of a frame, or of the last known before it."""
        theta, x, z = self._rows[min(frame, self.until - 1) % len(self._rows), :3].tolist()
        return theta, x, z

    def rewind(self, frames: int) -> None:
        """Forget all after so many frames."""
        self.until = max(min(self.until, frames), 1)

    def go_on(self, track: np.ndarray, points: np.ndarray, stride: int, share: float) -> None:
        """The next frames: their track (n, 11 + feet), and the points to face, one every `stride`; share: of the
        rate."""
        out = np.empty((len(track), self._rows.shape[1]))
        before = self._rows[(self.until - 1) % len(self._rows)].copy()
        turn_frames(track, points, stride, self.graph.fps, self.rate, share, before, out)
        self._add(out)

    def go_along(self, rows: np.ndarray, from_there: Placement) -> None:
        """The next frames turned as planned, rows (n, 5) as of `turn_frames`, from a placement on."""
        theta, x, z, *rates = rows.T
        unknown = np.full((len(rows), 2 * len(self.feet)), np.nan)
        self._add(np.column_stack([*compose((theta, x, z), from_there), *rates, unknown]))

    def _add(self, rows: np.ndarray) -> None:
        self._rows[np.arange(self.until, self.until + len(rows)) % len(self._rows)] = rows
        self.until += len(rows)

    def turned(self, clip: Clip, first: int) -> Clip:
        """A clip whose frame 0 is frame `first` of the motion, with its frames turned."""
        frames = np.minimum(np.arange(first, first + len(clip)), self.until - 1) % len(self._rows)
        return turned(clip, self._rows[frames, :3])

    def stands(self, clip: Clip, frames: np.ndarray) -> np.ndarray:
        """(n, feet) bool: in which of these frames (n,) of a captured clip heel and toe of a foot are planted."""
        contacts, out = plants(clip), np.zeros((len(frames), len(self.feet)), bool)
        for k, foot in enumerate(self.feet):
            ends = [contacts.joints.index(joint) for joint in foot if joint in contacts.joints]
            out[:, k] = len(ends) == 2 and np.asarray(contacts)[frames[:, None], ends].all(axis=1)
        return out

    def hold(self, first: int, straight: Clip, shown: Clip) -> None:
        """Feet that stand in frames from `first` on were shown so, whatever was planned when they landed: that bounds
        how far the body may be turned above them. straight: the frames before they were turned."""
        rows = np.arange(first, first + len(shown)) % len(self._rows)
        theta, places = self._rows[rows, 0], (straight.positions(), shown.positions())
        for k, (heel, toe) in enumerate(self.feet):
            was, now = (heading_of(each[:, toe] - each[:, heel]) for each in places)
            held = theta + wrapped(now - was - theta)
            held[np.isnan(self._rows[rows, 5 + 2 * k])] = np.nan
            self._rows[rows, 5 + 2 * k], self._rows[rows, 6 + 2 * k] = held - WRUNG, held + WRUNG


def turned(clip: Clip, turns: np.ndarray) -> Clip:
    """A clip with its frames turned by placements turns (F, 3)."""
    theta, x, z = turns.T
    rotations = clip.rotations.copy()
    about = np.zeros((len(clip), 4))
    about[:, 0], about[:, 2] = cos(0.5 * theta), sin(0.5 * theta)
    rotations[:, 0] = rot.multiply(about, rotations[:, 0])
    return replace(clip, root=place((theta, x, z), clip.root), rotations=rotations)


_pivots: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def pivots(clip: Clip) -> np.ndarray:
    """(F, 2) of a clip, see `pivots_of`; computed once."""
    if clip not in _pivots:
        _pivots[clip] = pivots_of(clip, plants(clip))
    return _pivots[clip]


_ways: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def ways(clip: Clip) -> np.ndarray:
    """(F, 3) of a clip, see `ways_of`; computed once."""
    if clip not in _ways:
        _ways[clip] = ways_of(*floor_path(clip), clip.fps, clip.first)
    return _ways[clip]


_facings: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def facings(clip: Clip) -> np.ndarray:
    """(F, 2) of a clip, see `facing_of`; computed once."""
    if clip not in _facings:
        _facings[clip] = facing_of(floor_path(clip)[1], clip.fps, clip.first)
    return _facings[clip]
