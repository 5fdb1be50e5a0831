"""The characters in the scene: who they are, the frame each is at, and their poses, one call a skeleton."""

import itertools
from dataclasses import dataclass

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.scene import poses

_LOOPS = {"loop": poses.LOOP, "ping-pong": poses.PING_PONG, "once": poses.ONCE}
_MODES = {"captured": poses.CAPTURED, "path": poses.CAPTURED, "in place": poses.IN_PLACE, "straight": poses.STRAIGHT}


def record_of(entry: Entry, place=(0.0, 0.0, 0.0)) -> np.ndarray:
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


def set_time(records: np.ndarray, playback, elapsed: float) -> None:
    """Put characters where they are after `elapsed` seconds of playing their parts."""
    poses.set_time(records, elapsed, *_how(playback))


def _how(playback) -> tuple[int, int, bool, float]:
    """How the compiled functions are told to play."""
    return _LOOPS[playback.loop], _MODES[playback.root], playback.root == "path", playback.direction


@dataclass(eq=False)
class Group:
    """Characters of one skeleton. positions: (C, J, 3) metres and orientations: (C, J, 4), w x y z, global;
    tints: (C,) int, which colour of the palette each has. It holds the entries, so that the addresses in the
    records stay good."""

    skeleton: object
    entries: list[Entry]
    records: np.ndarray
    tints: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray

    def pose(self) -> None:
        poses.pose(self.records, self.skeleton.parents, self.skeleton.offsets, self.positions, self.orientations)


class Cast:
    """Characters, in groups by skeleton. number: no other cast has or had it; version: grows with every pose."""

    _numbers = itertools.count()

    def __init__(self, members=()):
        """members: (entry, record, tint) of each character."""
        found: dict = {}
        for entry, record, tint in members:
            found.setdefault(entry.clip.skeleton, []).append((entry, record, tint))
        self.groups = []
        for skeleton, rows in found.items():
            entries, records, tints = zip(*rows)
            count, joints = len(rows), len(skeleton)
            arrays = np.zeros((count, joints, 3)), np.zeros((count, joints, 4))
            group = Group(skeleton, list(entries), np.array(records), np.array(tints), *arrays)
            self.groups.append(group)
        self.number, self.version = next(self._numbers), 0
        self.pose()

    def __len__(self):
        return sum(len(group.entries) for group in self.groups)

    def at(self, playback, elapsed: float) -> None:
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
