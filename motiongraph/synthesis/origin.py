"""Where every frame of made motion came from."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.model.contacts import Contacts

# m/s; a foot that is to be held still must be nearly so already: heels that rise and toes that land are moving.
_STILL = {"enter_speed": 0.2, "leave_speed": 0.35}
_known: WeakKeyDictionary = WeakKeyDictionary()


def plants(clip) -> Contacts:
    """(F, n) bool: where the feet of a clip are planted firmly enough to be held; found once for every clip.

    Made motion carries its own.
    """
    if clip.origin is not None:
        return clip.contacts()
    if clip not in _known:
        _known[clip] = clip.contacts(**_STILL)
    return _known[clip]


@dataclass(frozen=True, eq=False)
class Origin:
    """names: of the clips; clip, frame: (F,) what was played, by index and frame number; other, other_frame: (F,) what
    it was blended with, −1 where nothing; weight: (F,) share of the first, 1 for frames as captured; step: (F,) of the
    walk; planted: (F, n) bool for the foot joints `joints`."""

    names: tuple[str, ...]
    clip: np.ndarray
    frame: np.ndarray
    other: np.ndarray
    other_frame: np.ndarray
    weight: np.ndarray
    step: np.ndarray
    planted: np.ndarray
    joints: tuple[int, ...]

    def take(self, frames) -> "Origin":
        """The origin of these frames: a slice or an index array."""
        parts = (self.clip, self.frame, self.other, self.other_frame, self.weight, self.step, self.planted)
        return Origin(self.names, *(part[frames] for part in parts), self.joints)

    @property
    def blended(self) -> np.ndarray:
        """(F,) bool: frames of transitions."""
        return self.other >= 0

    def seams(self) -> np.ndarray:
        """(n, 2) first and last + 1 frame of every transition."""
        return np.flatnonzero(np.diff(self.blended.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
