"""Turning a body from frame to frame towards where it is to go, at a bounded rate, and softly (see `synthesis.turning`
for characters that are driven, `turned_walk` for walks along a path)."""

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.elementary import arctan2, atan2, sincos
from motiongraph.graph.floor import floor_path
from motiongraph.kernels import F64, FAST, I64, kernel, njit, read
from motiongraph.model.clip import Clip
from motiongraph.model.contacts import Contacts
from motiongraph.model.placement import placed, turned
from motiongraph.walks.plan_search import WALKING, towards

_RAMP = 0.12  # s in which the full rate would be reached at full acceleration,
_SOFT = 0.05  # s in which that is
SETTLE = 0.15  # s in which the last few degrees are turned
# rad: whoever has to turn this far goes on to the side that the body turns to already. By centimetres alone it was
# turned against the clip that turns round, and came back 1.4 m beside the path.
_BEHIND = 2.6
_NEAR = 0.5  # m: a point nearer than this is turned to less and less
LEAD, STRAIGHT = 0.25, 0.35  # m along a path, and straight on from there, of the point that is headed for
_OVER = 0.5  # s before and after a moment over which the way of a body and its turn are taken: a step
_ASLANT = 0.27  # tangent of the angle to where it faces up to which it goes there, and does not step aside: 15°
_STEP = 0.06  # s, of the Gaussian over the change from one standing foot to the other
# s, of the Gaussian over where a steered body faces. Hips swing with every stride, and a body that is turned against
# that wags. On Bandai-Namco's walks under a random stick it was turned by 67°/s on average without this, 46 with 0.25 s
# and 40 with 0.4 s; the judge of seams read 0.75, 0.63 and 0.60. There it answers as soon, on subject 69 0.1 s later.
_SWING = 0.4
# rad by which a body is turned at most above a foot that stands, to either side. Beyond 45° such a foot is taken along
# (see `feet`) and its toes slide: who was steered to and fro was turned by up to 80°. The rest is for what overshoots.
WRUNG = np.radians(40.0)


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
    """Placements theta, x, z, rad/s and rad/s² of frames, into out (n, 5 + 2 · feet), turned towards points (N, 2), one
    every `stride`; then, for every foot that stands, the least and the greatest theta above it, else NaN.

    track: (n, 9, or 11 + feet) x, z of the root, facing x, z, x, z to turn about, the direction x, z of its way, the
    rad/s by which it turns, as placed without this, two more, and of every foot whether it stands, above 0.5; most:
    rad/s; share: of that, 0 where turning is to cease; before: of the frame before.
    """
    theta, x, z, omega, gain = before[0], before[1], before[2], before[3], before[4]
    hardest = max(most / _RAMP, 1e-9)
    change = hardest / max(_SOFT * fps, 1.0)
    bounds = before[5:].copy()
    for i in range(track.shape[0]):
        s, c = sincos(theta)
        px, pz = placed(c, s, x, z, track[i, 0], track[i, 1])
        fx, fz = turned(c, s, track[i, 6], track[i, 7])
        dx, dz, far = towards(points, i // stride, px, pz)
        after, earlier = min(i + 1, track.shape[0] - 1), max(i - 1, 0)
        ux, uz = track[after, 0] - track[earlier, 0], track[after, 1] - track[earlier, 1]
        speed = np.sqrt(ux * ux + uz * uz) * fps / max(after - earlier, 1)
        angle = atan2(fz * dx - fx * dz, fx * dx + fz * dz)
        if abs(angle) > _BEHIND and angle * (omega + track[i, 8]) < 0.0:
            angle = -angle
        # What the clip turns by itself more than its way bends is taken back at once: who only answers to what is left
        # of it goes along beside the way.
        own = track[i, 8]
        bend = _bend(points, i // stride) * fps / stride
        own -= max(min(own, bend), 0.0) + min(max(own, bend), 0.0)
        allowed = share * most * min(speed / WALKING, 1.0) * min(far / _NEAR, 1.0)
        wanted = min(max(angle / SETTLE - own, -allowed), allowed)
        for k in range(bounds.shape[0] // 2):
            if track[i, 11 + k] <= 0.5:
                bounds[2 * k : 2 * k + 2] = np.nan
                continue
            if np.isnan(bounds[2 * k]):  # it lands midway between the turns that are planned above it
                bounds[2 * k], bounds[2 * k + 1] = theta - 2.0 * WRUNG, theta + 2.0 * WRUNG
            least, greatest = min(bounds[2 * k] - theta, 0.0), max(bounds[2 * k + 1] - theta, 0.0)
            wanted = min(max(wanted, least / SETTLE), greatest / SETTLE)
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
        out[i, 5:] = bounds


def pivots_of(clip: Clip, contacts: Contacts) -> np.ndarray:
    """(F, 2) x, z metres about which a body turns: the foot that stands, between both where both do, or the root."""
    path, down = floor_path(clip)[0], np.asarray(contacts, float)[:, :, None]
    feet = clip.positions()[:, list(contacts.joints)][:, :, [0, 2]]
    count = down.sum(axis=1)
    about = np.where(count > 0.0, (down * feet).sum(axis=1) / np.maximum(count, 1.0), path)
    # Relative to the root, which moves on meanwhile.
    return scipy.ndimage.gaussian_filter1d(about - path, _STEP * clip.fps, axis=0, mode="nearest") + path


def ways_of(path: np.ndarray, face: np.ndarray, fps: float, first: int = 0) -> np.ndarray:
    """(F, 3) unit vectors x, z in which a body goes, up to _ASLANT off where it faces, or where it faces; and the rad/s
    by which it turns. path, face: (F, 2) x, z, see `floor_path`; first: the frame before which nothing counts.

    Who faces a few degrees off the way he goes, as in one clip of subject 69, would go along a path beside it.
    """
    reach, index = max(round(_OVER * fps), 1), np.arange(len(path))
    after = np.minimum(index + reach, len(path) - 1)
    before = np.minimum(np.maximum(index - reach, first), after)
    way, a, b = path[after] - path[before], face[before], face[after]
    aside, ahead = way[:, 0] * face[:, 1] - way[:, 1] * face[:, 0], way[:, 0] * face[:, 0] + way[:, 1] * face[:, 1]
    goes = ahead > np.maximum(2.0 * _OVER * WALKING, np.abs(aside) / _ASLANT)
    size = np.sqrt(way[:, :1] ** 2 + way[:, 1:] ** 2)
    turn = arctan2(b[:, 0] * a[:, 1] - b[:, 1] * a[:, 0], a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1]) * fps
    way = np.where(goes[:, None], way / np.maximum(size, 1e-9), face)
    return np.column_stack([way, turn / np.maximum(after - before, 1)])


def facing_of(face: np.ndarray, fps: float, first: int = 0) -> np.ndarray:
    """(F, 2) unit vectors x, z of where a body faces but for the swing of its hips. face: (F, 2) x, z, see
    `floor_path`; first: the frame before which nothing counts."""
    out = face.copy()
    out[first:] = scipy.ndimage.gaussian_filter1d(face[first:], _SWING * fps, axis=0, mode="nearest")
    size = np.sqrt((out * out).sum(axis=1, keepdims=True))
    return np.where(size > 0.1, out / np.maximum(size, 1e-9), face)  # who spins round faces no way on average
