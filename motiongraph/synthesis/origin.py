"""Where every frame of made motion came from."""

import itertools
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from scipy.ndimage import uniform_filter1d

from motiongraph.model.contacts import Contacts
from motiongraph.synthesis.easing import runs

# m/s; a foot that is to be held still must be nearly so already: heels that rise and toes that land are moving.
_STILL = {"enter_speed": 0.2, "leave_speed": 0.35}
_ROCK = 0.012  # m; a joint farther above or below where it rests during a contact is landing or leaving
_SHORTEST = 0.05  # s
_known: WeakKeyDictionary = WeakKeyDictionary()


def plants(clip) -> Contacts:
    """(F, n) bool: where the feet of a clip are planted firmly enough to be held; found once for every clip.

    Made motion carries its own.
    """
    if clip.origin is not None:
        return clip.contacts()
    if clip not in _known:
        contacts = clip.contacts(**_STILL)
        firm = np.zeros(contacts.shape, bool)
        for k, joint in enumerate(contacts.joints):
            firm[:, k] = _level(np.asarray(contacts)[:, k], clip.positions()[:, joint, 1], clip.fps)
        _known[clip] = Contacts.of(firm, clip.skeleton, contacts.joints)
    return _known[clip]


def _level(planted, height, fps):
    """planted (F,) without what lies, in each contact, far from the height (F,) it has in the middle of it."""
    level = np.zeros(len(planted), bool)
    for start, stop in runs(planted):
        # A captured foot trembles; a mean over a few frames tells whether it rises.
        own = uniform_filter1d(height[start:stop], max(round(0.04 * fps), 1), mode="nearest")
        near = np.abs(own - np.median(own)) <= _ROCK
        for begin, end in start + runs(near):
            if end - begin >= _SHORTEST * fps or (begin, end) == (start, stop):
                level[begin:end] = True
    return level


@dataclass(frozen=True, eq=False)
class Origin:
    """names: of the clips; clip, frame: (F,) what was played, by index and frame number; other, other_frame: (F,) what
    it was blended with, −1 where nothing; weight: (F,) share of the first, 1 for frames as captured; step: (F,) of the
    walk; planted: (F, n) bool for the foot joints `joints`; floor: metres, the one ground that cleanup put all frames
    on, None where every piece still stands on its own."""

    names: tuple[str, ...]
    clip: np.ndarray
    frame: np.ndarray
    other: np.ndarray
    other_frame: np.ndarray
    weight: np.ndarray
    step: np.ndarray
    planted: np.ndarray
    joints: tuple[int, ...]
    floor: float | None = None

    def take(self, frames) -> "Origin":
        """The origin of these frames: a slice or an index array."""
        parts = (self.clip, self.frame, self.other, self.other_frame, self.weight, self.step, self.planted)
        return Origin(self.names, *(part[frames] for part in parts), self.joints, self.floor)

    @property
    def blended(self) -> np.ndarray:
        """(F,) bool: frames of transitions."""
        return self.other >= 0

    def seams(self) -> np.ndarray:
        """(n, 2) first and last + 1 frame of every transition, also where one follows upon another."""
        inside = np.where(self.blended, self.step, -1)
        edges = np.flatnonzero(np.diff(inside, prepend=-2, append=-2))
        return np.array([(a, b) for a, b in itertools.pairwise(edges) if inside[a] >= 0], int).reshape(-1, 2)
