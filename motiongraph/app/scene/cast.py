"""The characters in the scene: who they are, the frame each is at, and their poses, one call a skeleton."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.playback import Playback
from motiongraph.app.scene import poses
from motiongraph.model.skeleton import Skeleton

_LOOPS = {"loop": poses.LOOP, "ping-pong": poses.PING_PONG, "once": poses.ONCE}
_MODES = {"captured": poses.CAPTURED, "path": poses.CAPTURED, "in place": poses.IN_PLACE, "straight": poses.STRAIGHT}


def record_of(entry: Entry, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """A `poses.CHARACTER` (0-d) for an entry at its first frame; theta, x, z: where it is set."""
    clip = entry.clip
    record = np.zeros((), poses.CHARACTER)
    record["rotations"], record["root"] = clip.rotations.ctypes.data, clip.root.ctypes.data
    record["sliding"] = 0 if clip.offsets is None else clip.offsets.ctypes.data
    record["path"], record["frames"] = entry.prepared.path.ctypes.data, len(clip)
    record["fps"], record["first"] = clip.fps, clip.first
    record["frame"] = record["root_frame"] = record["start"] = entry.start
    record["stop"], record["lift"] = entry.stop, entry.prepared.lift
    record["theta"], record["x"], record["z"] = place
    return record


def set_time(records: np.ndarray, playback: Playback, elapsed: float) -> None:
    """Put characters where they are after `elapsed` seconds of playing their parts."""
    poses.set_time(records, elapsed, *_how(playback))


def _how(playback: Playback) -> tuple[int, int, bool, float]:
    """How the compiled functions are told to play."""
    return _LOOPS[playback.loop], _MODES[playback.root], playback.root == "path", playback.direction


@dataclass(eq=False)
class Group:
    """Characters of one skeleton."""

    skeleton: Skeleton
    entries: list[Entry]  # held, so that the addresses in the records stay good
    records: np.ndarray  # (C,) `poses.CHARACTER`
    tints: np.ndarray  # (C,) int, which colour of the palette each has
    positions: np.ndarray  # (C, J, 3) metres, global
    orientations: np.ndarray  # (C, J, 4) w x y z, global

    def pose(self) -> None:
        poses.pose(self.records, self.skeleton.parents, self.skeleton.offsets, self.positions, self.orientations)


class Cast:
    """Characters, in groups by skeleton."""

    _numbers = itertools.count()

    def __init__(self, members: Iterable[tuple[Entry, np.ndarray, int]] = ()):
        """members: (entry, record, tint) of each character."""
        found: dict[Skeleton, list[tuple[Entry, np.ndarray, int]]] = {}
        for entry, record, tint in members:
            found.setdefault(entry.clip.skeleton, []).append((entry, record, tint))
        self.groups: list[Group] = []
        for skeleton, rows in found.items():
            entries, records, tints = zip(*rows)
            count, joints = len(rows), len(skeleton)
            arrays = np.zeros((count, joints, 3)), np.zeros((count, joints, 4))
            group = Group(skeleton, list(entries), np.array(records), np.array(tints), *arrays)
            self.groups.append(group)
        self.number = next(self._numbers)  # no other cast has or had it
        self.version = 0  # grows with every pose
        self.moment: tuple | None = None  # what it was posed for last, None to pose it again
        self.pose()

    def __len__(self) -> int:
        return sum(len(group.entries) for group in self.groups)

    def at(self, playback: Playback, elapsed: float) -> None:
        """Everyone after `elapsed` seconds."""
        how = _how(playback)
        for group in self.groups:
            body = group.skeleton
            poses.play(group.records, elapsed, *how, body.parents, body.offsets, group.positions, group.orientations)
        self.version += 1

    def pose(self) -> None:
        for group in self.groups:
            group.pose()
        self.version += 1
