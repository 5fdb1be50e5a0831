"""How hips and head of live motion pass from one captured motion to the next (see `sway`).

What has been shown cannot be changed, and what lies ahead may be thrown away. So every frame that is made keeps how far
its hips and head were moved. Where the transitions that are now decided would have moved them otherwise, since one was
thrown away or is new and so near that its lead is past, the difference goes on as it came and fades.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np

from motiongraph.model.skeleton import Skeleton
from motiongraph.synthesis.carry_over import fading, lacking
from motiongraph.synthesis.sway import REACH, moved_joints

Passage: TypeAlias = tuple[int, np.ndarray]
_FADE = 1.5 * REACH  # s over which a difference fades: half as long as a transition moves hips and head
_SAME = 1e-9  # m; what differs by less is only rounded differently
_OLD = 12  # transitions that may matter at the same time


class LiveSway:
    """By how much hips and head are moved in every frame of a motion that never ends.

    passage: of a transition by its number, the first frame of the motion that it moves and (n, points, 2) metres by
    which from there; what was made before another frame it is to leave alone. keep: frames that are remembered.
    """

    def __init__(self, skeleton: Skeleton, fps: float, keep: int, passage: Callable[[int, int], Passage]):
        self._passage, self._known = passage, dict[int, tuple[Hashable, Passage]]()
        self._reach, self._fade = round(REACH * fps), max(round(_FADE * fps), 1)
        self._rows = np.zeros((keep, len(moved_joints(skeleton)), 2))  # each frame at its number modulo `keep`
        # The frame from which on a difference is known, and (n, points, 2) what is left of it.
        self._fading = 0, self._rows[:0]

    def offsets(
        self, first: int, start: int, last: int, begins: Sequence[int], which: Callable[[int], Hashable]
    ) -> np.ndarray:
        """(n, points, 2) metres, of frames first … last − 1, those before `start` as they were made.

        begins: the frame at which every step begins; transition k is over where step k + 1 does; which: what tells a
        transition from others. One that was thrown away and is taken again moves what it did before.
        """
        out = np.zeros((last - first, *self._rows.shape[1:]))
        before = max(start - 2, 0)
        wanted = np.zeros((last - before, *self._rows.shape[1:]))
        for k in range(len(begins) - 2, -1, -1):
            if begins[k + 1] + self._reach < before:
                break
            if k not in self._known or self._known[k][0] != which(k):
                self._known = {n: found for n, found in self._known.items() if abs(n - k) < _OLD}
                self._known[k] = which(k), self._passage(k, start)
            at, moved = self._known[k][1]
            begin, end = max(at, before), min(at + len(moved), last)
            if begin < end:
                wanted[begin - before : end - before] += moved[begin - at : end - at]
        out[: start - first] = self._rows[np.arange(first, start) % len(self._rows)]
        lack = self._rows[np.arange(before, start) % len(self._rows)] - wanted[: start - before]
        if before < self._fading[0] or np.abs(lack - self._left(before, start)).max(initial=0.0) > _SAME:
            later = fading(np.arange(1.0, self._fade + 1.0), self._fade)
            self._fading = before, np.concatenate([lack, lacking(lack, *later)]) if len(lack) else lack
        out[start - first :] = wanted[start - before :] + self._left(start, last)
        return out

    def _left(self, first: int, last: int) -> np.ndarray:
        """(n, points, 2) what is left of the difference that fades, of frames first … last − 1."""
        begun, values = self._fading
        out = np.zeros((last - first, *values.shape[1:]))
        begin, end = max(begun, first), min(begun + len(values), last)
        if begin < end:
            out[begin - first : end - first] = values[begin - begun : end - begun]
        return out

    def keep(self, start: int, offsets: np.ndarray) -> None:
        """Remember those of frames from `start` on, which are made."""
        self._rows[np.arange(start, start + len(offsets)) % len(self._rows)] = offsets
