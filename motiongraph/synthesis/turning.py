"""Turning a driven character a little more than its clips do, so that it answers sooner.

Every frame gets a placement that is applied after that of its clip. From frame to frame it turns towards where the body
is to face, at a bounded rate, about the foot that stands: as people do who turn within a step. Feet are held afterwards
as always, so that the planted one stays as it is and the other lands where the body has turned to.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph import rotations as rot
from motiongraph.elementary import arctan2, atan2, cos, sin, sincos
from motiongraph.graph.floor import floor_path
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, FAST, I64, kernel, njit, read
from motiongraph.model.clip import Clip
from motiongraph.model.placement import Placement, place, placed, turned
from motiongraph.synthesis.feet import plants
from motiongraph.walks.plan_search import WALKING, towards

_RAMP = 0.12  # s in which the full rate would be reached at full acceleration,
_SOFT = 0.05  # s in which that is
STILL = 0.2  # s after which a body that is to turn no more does not
_SETTLE = 0.15  # s in which the last few degrees are turned
_BEHIND = 2.6  # rad: whoever turns round this far goes on to the same side
_NEAR = 0.5  # m: a point nearer than this is turned to less and less
_OVER = 0.5  # s before and after a moment over which the way of a body and its turn are taken: a step
_ASLANT = 0.27  # tangent of the angle to where it faces up to which it goes there, and does not step aside: 15°
_STEP = 0.06  # s, of the Gaussian over the change from one standing foot to the other


@njit(inline="always", **FAST)
def _bend(points, n):
    """The sine by which the way through points (N, 2) bends after the n-th; 0 at its end."""
    if n + 2 >= points.shape[0]:
        return 0.0
    ux, uz = points[n + 1, 0] - points[n, 0], points[n + 1, 1] - points[n, 1]
    vx, vz = points[n + 2, 0] - points[n + 1, 0], points[n + 2, 1] - points[n + 1, 1]
    return (uz * vx - ux * vz) / max(np.sqrt((ux * ux + uz * uz) * (vx * vx + vz * vz)), 1e-9)


@kernel((read(F64, 2), read(F64, 2), I64, F64, F64, F64, read(F64), F64[:, ::1]))
def turn_frames(track, points, stride, fps, most, share, before, out):
    """Placements theta, x, z, rad/s and rad/s² of frames, into out (n, 5), turned towards points (N, 2), one every
    `stride`.

    track: (n, 9) x, z of the root, facing x, z, x, z to turn about, the direction x, z of its way and the rad/s by
    which it turns, as placed without this; most: rad/s; share: of that, 0 where turning is to cease; before: (5,) of
    the frame before.
    """
    theta, x, z, omega, gain = before[0], before[1], before[2], before[3], before[4]
    hardest = max(most / _RAMP, 1e-9)
    change = hardest / max(_SOFT * fps, 1.0)
    for i in range(track.shape[0]):
        s, c = sincos(theta)
        px, pz = placed(c, s, x, z, track[i, 0], track[i, 1])
        fx, fz = turned(c, s, track[i, 6], track[i, 7])
        dx, dz, far = towards(points, i // stride, px, pz)
        after, earlier = min(i + 1, track.shape[0] - 1), max(i - 1, 0)
        ux, uz = track[after, 0] - track[earlier, 0], track[after, 1] - track[earlier, 1]
        speed = np.sqrt(ux * ux + uz * uz) * fps / max(after - earlier, 1)
        angle = atan2(fz * dx - fx * dz, fx * dx + fz * dz)
        if abs(angle) > _BEHIND and angle * omega < 0.0:
            angle = -angle
        # What the clip turns by itself more than its way bends is taken back at once: who only answers to what is left
        # of it goes along beside the way.
        own = track[i, 8]
        bend = _bend(points, i // stride) * fps / stride
        own -= max(min(own, bend), 0.0) + min(max(own, bend), 0.0)
        allowed = share * most * min(speed / WALKING, 1.0) * min(far / _NEAR, 1.0)
        wanted = min(max(angle / _SETTLE - own, -allowed), allowed)
        # As hard as can be and still end softly: what is lacking is reached while the gain falls to 0, frame by frame.
        lack = wanted - omega
        aim = min(change * (np.sqrt(0.25 + 2.0 * fps * abs(lack) / change) - 0.5), hardest)
        gain += min(max((aim if lack > 0.0 else -aim) - gain, -change), change)
        omega += gain / fps
        if abs(wanted - omega) < change / fps and abs(gain) <= 2.0 * change:
            omega, gain = wanted, 0.0
        qx, qz = placed(c, s, x, z, track[i, 4], track[i, 5])
        s, c = sincos(omega / fps)
        ux, uz = turned(c, s, x - qx, z - qz)
        theta, x, z = theta + omega / fps, qx + ux, qz + uz
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4] = theta, x, z, omega, gain


class Turning:
    """By how much every frame of a motion is turned. rate: rad/s at the most; keep: frames that are remembered."""

    def __init__(self, graph: MotionGraph, rate: float, keep: int):
        self.graph, self.rate = graph, rate
        self.until = 1  # frames whose turn is known; the first is not turned
        self._rows = np.zeros((keep, 5))  # theta, x, z, rad/s, rad/s², each at its number modulo `keep`

    def at(self, frame: int) -> Placement:
        """The placement of a frame, or of the last known before it."""
        theta, x, z, _, _ = self._rows[min(frame, self.until - 1) % len(self._rows)].tolist()
        return theta, x, z

    def rewind(self, frames: int) -> None:
        """Forget all after so many frames."""
        self.until = max(min(self.until, frames), 1)

    def go_on(self, track: np.ndarray, points: np.ndarray, stride: int, share: float) -> None:
        """The next frames: their track (n, 9), and the points to face, one every `stride`; share: of the rate."""
        out = np.empty((len(track), 5))
        before = self._rows[(self.until - 1) % len(self._rows)].copy()
        turn_frames(track, points, stride, self.graph.fps, self.rate, share, before, out)
        self._rows[np.arange(self.until, self.until + len(track)) % len(self._rows)] = out
        self.until += len(track)

    def turned(self, clip: Clip, first: int) -> Clip:
        """A clip whose frame 0 is frame `first` of the motion, with its frames turned."""
        frames = np.minimum(np.arange(first, first + len(clip)), self.until - 1) % len(self._rows)
        theta, x, z, _, _ = self._rows[frames].T
        turns = clip.rotations.copy()
        about = np.zeros((len(clip), 4))
        about[:, 0], about[:, 2] = cos(0.5 * theta), sin(0.5 * theta)
        turns[:, 0] = rot.multiply(about, turns[:, 0])
        return replace(clip, root=place((theta, x, z), clip.root), rotations=turns)


_pivots: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def pivots(clip: Clip) -> np.ndarray:
    """(F, 2) x, z metres about which a body turns: the foot that stands, between both where both do, or the root."""
    if clip not in _pivots:
        contacts, path = plants(clip), floor_path(clip)[0]
        down = np.asarray(contacts, float)[:, :, None]
        feet = clip.positions()[:, list(contacts.joints)][:, :, [0, 2]]
        count = down.sum(axis=1)
        about = np.where(count > 0.0, (down * feet).sum(axis=1) / np.maximum(count, 1.0), path)
        # Relative to the root, which moves on meanwhile.
        about = scipy.ndimage.gaussian_filter1d(about - path, _STEP * clip.fps, axis=0, mode="nearest")
        _pivots[clip] = about + path
    return _pivots[clip]


_ways: WeakKeyDictionary[Clip, np.ndarray] = WeakKeyDictionary()


def ways(clip: Clip) -> np.ndarray:
    """(F, 3) unit vectors x, z in which a body goes, up to _ASLANT off where it faces, or where it faces; and the rad/s
    by which it turns.

    Who faces a few degrees off the way he goes, as in one clip of subject 69, would go along a path beside it.
    """
    if clip not in _ways:
        path, face = floor_path(clip)
        reach, index = max(round(_OVER * clip.fps), 1), np.arange(len(path))
        after = np.minimum(index + reach, len(path) - 1)
        before = np.minimum(np.maximum(index - reach, clip.first), after)
        way, a, b = path[after] - path[before], face[before], face[after]
        aside, ahead = way[:, 0] * face[:, 1] - way[:, 1] * face[:, 0], (way * face).sum(axis=1)
        goes = ahead > np.maximum(2.0 * _OVER * WALKING, np.abs(aside) / _ASLANT)
        size = np.sqrt((way * way).sum(axis=1, keepdims=True))
        turn = arctan2(b[:, 0] * a[:, 1] - b[:, 1] * a[:, 0], (a * b).sum(axis=1)) * clip.fps
        way = np.where(goes[:, None], way / np.maximum(size, 1e-9), face)
        _ways[clip] = np.column_stack([way, turn / np.maximum(after - before, 1)])
    return _ways[clip]
