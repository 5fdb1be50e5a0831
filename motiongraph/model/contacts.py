"""When feet are planted, and how high the ground is on which they stand.

A foot joint is planted while it is slow and low. Slow is judged beside the motion where that is quicker than a walk: in
a run, or a capture whose rate is said to be twice what it was, everything is faster. Low is measured from the height at
which that very joint rests when its foot stands, found in the motion itself: ankles sit above the sole, and floors are
not always at zero.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.errors import MotionError
from motiongraph.model import sides
from motiongraph.model.labels import Labels, Span
from motiongraph.model.sides import Foot
from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip

# How the ground is found: seconds over which speed is measured, and m/s below which a foot may be standing.
_SPAN = 0.05
_SLOW = 0.4
# How quick a motion is beside a walk: m/s at which feet swing and the body moves in one, seconds over which these are
# measured, and seconds to both sides in which every foot swings once.
_SWING, _SWING_SPAN = 3.5, 0.1
_WALK, _WALK_SPAN = 0.8, 0.3
_STRIDE = 0.6


class Contacts(np.ndarray):
    """(F, n) bool, True where a foot joint is planted; names: the n joints' names; joints: their indices.

    Cutting frames or picking columns keeps both in step; what is no longer frames × joints carries none.
    """

    names: tuple[str, ...] = ()
    joints: tuple[int, ...] = ()

    @classmethod
    def of(cls, planted: np.ndarray, skeleton: Skeleton, joints: Iterable[int]) -> "Contacts":
        contacts = np.asarray(planted, bool).view(cls)
        contacts.joints = tuple(int(j) for j in joints)
        contacts.names = tuple(skeleton.names[j] for j in contacts.joints)
        return contacts

    def ranges(self) -> dict[str, list[Span]]:
        """Name of a joint → the stretches (start, stop) in which it is planted."""
        planted = np.asarray(self)
        return {name: [(int(a), int(b)) for a, b in _runs(planted[:, k])] for k, name in enumerate(self.names)}

    def __array_finalize__(self, parent: np.ndarray | None) -> None:
        names = getattr(parent, "names", ())
        if self.ndim == 2 and self.shape[1] == len(names):
            self.names, self.joints = names, getattr(parent, "joints", ())

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if isinstance(part, Contacts) and part.ndim == 2 and isinstance(key, tuple) and len(key) == 2:
            columns = np.arange(len(self.names))[key[1]]
            part.names = tuple(self.names[c] for c in columns)
            part.joints = tuple(self.joints[c] for c in columns)
        return part


def find_contacts(
    clip: "Clip",
    *,
    enter_speed: float = 0.3,
    leave_speed: float = 0.7,
    enter_height: float = 0.05,
    leave_height: float = 0.08,
    linger: float = 0.06,
    span: float = _SPAN,
    shortest: float = 0.06,
    firm: bool = False,
) -> Contacts:
    """(F, n) bool: which foot joints (ankle and toe base of each foot) are planted at each frame.

    Speeds are meant for a walk and grow with the `_pace` of quicker motion; with `firm` that to leave does not, beyond
    the one to enter: of quick steps landing and rolling off are left out. A joint below `enter_speed` (m/s) and
    `enter_height` (m above where it rests) is surely planted. The contact reaches on to both sides while the joint
    stays below `leave_speed` and `leave_height`, but no further than `linger` seconds: landing and rolling off take
    less, a foot that shuffles takes more. Speed is measured over `span` seconds, whatever the frame rate. Contacts and
    gaps shorter than `shortest` seconds are passed over, except at the clip's ends, where one cannot know. Frames
    before `clip.first` are never in contact and never count.
    """
    ordered = 0 < enter_speed <= leave_speed and 0 < enter_height <= leave_height
    if not (ordered and span > 0 and linger >= 0 and shortest >= 0):
        raise MotionError("contact thresholds must be positive, and those to enter no higher than those to leave")
    feet = sides.feet(clip)
    joints = [joint for foot in feet for joint in foot]
    planted = np.zeros((len(clip), len(joints)), bool)
    if joints:
        heights, speeds = _measured(clip, joints, span)
        above = heights - _levels(clip, feet)[joints]
        pace = _pace(clip, feet)[:, None]
        slow = enter_speed * pace
        loose = (speeds < np.maximum(leave_speed, slow if firm else leave_speed * pace)) & (above < leave_height)
        sure = (speeds < slow) & (above < enter_height)
        for k in range(len(joints)):
            planted[clip.first :, k] = _steady(loose[:, k], sure[:, k], round(linger * clip.fps), shortest * clip.fps)
    return Contacts.of(planted, clip.skeleton, joints)


def given_contacts(clip: "Clip", planted: Labels) -> Contacts:
    """(F, n) bool: what is said of the clip's foot joints; a word that names none of them is refused."""
    joints = [joint for foot in sides.feet(clip) for joint in foot]
    names = [clip.skeleton.names[joint] for joint in joints]
    unknown = [name for name in planted if name not in names]
    if unknown:
        feet = ", ".join(names) or "none"
        raise MotionError(f"clip {clip.name!r}: {unknown[0]!r} is not one of its foot joints, which are {feet}")
    columns = [planted.at(name) for name in names]
    return Contacts.of(np.stack(columns, axis=1) if columns else np.zeros((len(clip), 0)), clip.skeleton, joints)


def floor_height(clip: "Clip") -> float:
    """Metres: the height of the ground, that of the lowest joint of a standing foot.

    Found from where the feet are when they are slow, so jumps, outliers and a few frames below ground do not
    matter; for a body without feet it is what its lowest joint comes down to.
    """
    feet = sides.feet(clip)
    if not feet:
        return float(np.percentile(clip.positions()[clip.first :, :, 1].min(axis=1), 5))
    return float(np.nanmin(_levels(clip, feet)))


def _measured(clip: "Clip", joints: Sequence[int], span: float) -> tuple[np.ndarray, np.ndarray]:
    """Heights (F', n) in metres and speeds (F', n) in m/s of joints over the captured frames."""
    places = clip.positions()[clip.first :, joints]
    last = len(places) - 1
    half = 0.5 * span * clip.fps
    before = np.clip(np.arange(last + 1) - half, 0, last)
    after = np.clip(np.arange(last + 1) + half, 0, last)

    def at(time: np.ndarray) -> np.ndarray:
        below = np.minimum(time.astype(int), max(last - 1, 0))
        t = (time - below)[:, None, None]
        return (1.0 - t) * places[below] + t * places[np.minimum(below + 1, last)]

    # At the ends the span is cut; a single frame stands still.
    seconds = np.maximum(after - before, 1e-9) / clip.fps
    return places[..., 1], np.linalg.norm(at(after) - at(before), axis=-1) / seconds[:, None]


def _pace(clip: "Clip", feet: Sequence[Foot]) -> np.ndarray:
    """(F',) how many times as fast as in a walk the body moves and every foot swings around each captured frame; at
    least 1, so that only quick motion is judged by it. A body that stands while a foot kicks is not quick, nor one
    that glides without steps."""
    swings = _measured(clip, [foot[0] for foot in feet], _SWING_SPAN)[1]
    fastest = scipy.ndimage.maximum_filter1d(swings, 2 * round(_STRIDE * clip.fps) + 1, axis=0, mode="nearest")
    body = _measured(clip, [0], _WALK_SPAN)[1][:, 0]
    return np.maximum(np.minimum(fastest.min(axis=1) / _SWING, body / _WALK), 1.0)


def _levels(clip: "Clip", feet: Sequence[Foot]) -> np.ndarray:
    """(J,) metres: the heights at which the joints of the feet, toe tips included, rest on the ground; else NaN."""
    whole = [[foot[0], *sides.below(clip.skeleton, foot[0])] for foot in feet]
    joints = [joint for foot in whole for joint in foot]
    heights, speeds = _measured(clip, joints, _SPAN)
    slow = speeds < _SLOW
    soles = np.concatenate(_above_soles(clip, whole, heights, slow))
    lowered = heights - soles
    enough = max(3.0, 0.05 * clip.fps)
    found = soles + np.percentile(lowered.min(axis=1), 10)
    if slow.sum() >= enough:
        ground = _lowest_level(lowered[slow])
        found = soles + ground
        for k in range(len(joints)):
            # A joint's own record is truer than the rest pose, as long as it does not speak of another level.
            own = lowered[slow[:, k], k]
            own = own[np.abs(own - ground) < 0.05]
            if len(own) >= enough:
                found[k] = soles[k] + _lowest_level(own)
    levels = np.full(len(clip.skeleton), np.nan)
    levels[joints] = found
    return levels


def _lowest_level(heights: np.ndarray) -> float:
    """The lowest height at which many of `heights` gather: lower ones are errors, higher ones raised feet."""
    heights = np.sort(heights)
    reach = 0.03
    near = np.searchsorted(heights, heights + reach, "right") - np.searchsorted(heights, heights - reach)
    foothold = np.argmax(near >= 0.3 * near.max())
    peak = foothold + np.argmax(near[foothold : np.searchsorted(heights, heights[foothold] + 2 * reach, "right")])
    return float(np.median(heights[np.abs(heights - heights[peak]) <= reach]))


def _above_soles(clip: "Clip", feet: Sequence[list[int]], heights: np.ndarray, slow: np.ndarray) -> list[np.ndarray]:
    """For each foot (n,) metres: how far its joints rest above the lowest of them.

    Taken from the rest pose where that stands on its feet; otherwise from how the foot is held when slow.
    feet: the joints of each foot; heights, slow: (F', all of them).
    """
    rest, lengths = clip.skeleton.rest[:, 1], clip.skeleton.bone_lengths
    soles, column = [], 0
    for foot in feet:
        columns = slice(column, column + len(foot))
        column += len(foot)
        leg = lengths[sides.ancestors(clip.skeleton, foot[0])].sum()
        above = rest[foot] - rest[foot].min()
        # A rest pose stands when the ankle is far below the root and the foot is not stretched.
        if -rest[foot[0]] < 0.5 * leg or above.max() > 0.2 * leg:
            held = slow[:, columns].all(axis=1)
            own = heights[held if held.any() else slice(None), columns]
            above = np.median(own - own.min(axis=1, keepdims=True), axis=0)
        soles.append(above)
    return soles


def _runs(mask: np.ndarray) -> np.ndarray:
    """(n, 2) int: start and stop of every unbroken stretch of True in (F,) bool."""
    return np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)


def _steady(loose: np.ndarray, sure: np.ndarray, linger: int, shortest: float) -> np.ndarray:
    """(F,) bool: the `sure` frames and what of their `loose` stretch lies within `linger` frames of them; then no
    gap and no contact is left under `shortest` frames, but at the ends."""
    planted = np.zeros(len(loose), bool)
    frames = np.arange(len(loose))
    for start, stop in _runs(loose):
        certain = start + np.flatnonzero(sure[start:stop])
        if len(certain):
            place = np.searchsorted(certain, frames[start:stop])
            before, after = certain[np.maximum(place - 1, 0)], certain[np.minimum(place, len(certain) - 1)]
            nearest = np.minimum(np.abs(frames[start:stop] - before), np.abs(after - frames[start:stop]))
            planted[start:stop] = nearest <= linger
    # The small number keeps 0.06 s at 50 Hz, which is 3 frames, from being taken for more.
    for value in (False, True):
        for start, stop in _runs(planted == value):
            if stop - start < shortest - 1e-6 and start > 0 and stop < len(planted):
                planted[start:stop] = not value
    return planted
