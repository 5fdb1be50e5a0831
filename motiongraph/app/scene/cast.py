"""The characters in the scene: who they are, the frame each is at, and their poses, one call a skeleton."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import cos, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.playback import Playback, visible_tracks
from motiongraph.app.scene import poses
from motiongraph.metric.metric import Metric
from motiongraph.model.skeleton import Skeleton

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState


_LOOPS = {"loop": poses.LOOP, "ping-pong": poses.PING_PONG, "once": poses.ONCE}
_MODES = {
    "captured": poses.CAPTURED, "in place": poses.IN_PLACE, "fixed": poses.FIXED, "path": poses.CAPTURED,
    "straight": poses.STRAIGHT,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Pair:
    """Two windows of motion, one brought to the other. Placements are theta, x, z."""

    a: Entry  # of the library, or of `GraphState.entries`
    frame_a: int  # where the window of a begins
    b: Entry
    frame_b: int  # where the window of b begins
    alignment: tuple[float, float, float]  # brings b to a
    window: int  # frames of either window
    placed: tuple[float, float, float] | None = None  # where a is put on the floor; None: where the camera looks
    clouds: bool = False  # show the points that are compared
    windows: bool = False  # show the poses of the whole windows, not only of their first frames
    metric: Metric = field(default_factory=Metric)  # by which they are compared


def place_of(pair: Pair, target: Any) -> tuple[float, float, float]:
    """theta, x, z where a is put: as asked for, or so that its root is where the camera looks (target: x, y, z)."""
    if pair.placed is not None:
        return pair.placed
    x, _, z = pair.a.clip.root[pair.frame_a].tolist()
    return 0.0, float(target[0]) - x, float(target[2]) - z


def centre_of(pair: Pair, target: Any) -> tuple[float, float, float]:
    """x, y, z metres: the root of a, where it is put."""
    theta, x, z = place_of(pair, target)
    u, y, w = pair.a.clip.root[pair.frame_a].tolist()
    return cos(theta) * u + sin(theta) * w + x, y, -sin(theta) * u + cos(theta) * w + z


def record_of(entry: Entry, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """A `poses.CHARACTER` (0-d) for an entry at its first frame; theta, x, z: where it is set."""
    clip = entry.clip
    clip.keep_poses()
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
    """How to play, as the compiled functions take it."""
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


# Who is on stage: the casts are made anew when clips, layers or places change, and posed every frame


_HERE = (0.0, 0.0, 0.0)


def set_stage(state: AppState) -> None:
    """Pose the characters of every view for this moment."""
    tracks = visible_tracks(state)
    layers = state.scene.layers
    crowd = layers.several and state.scene.views == 1
    # Clips would be walked into by a crowd that sets off; who is driven is made way for.
    alone = state.crowd.moving is not None and state.live is None
    key = (
        tuple((t, state.tracks[t].clip) for t in tracks),
        state.library.version,
        state.scene.version,
        crowd,
        alone,
    )
    if key != state.stage_key:
        state.stage_key = key
        state.casts = [Cast(() if alone else _members(state, t, crowd)) for t in tracks]
    playback = state.playback
    for track, cast in zip(tracks, state.casts):
        moment = state.tracks[track].elapsed, playback.loop, playback.root, playback.direction
        if cast.moment != moment:
            cast.moment = moment
            cast.at(playback, state.tracks[track].elapsed)


def _members(state: AppState, track: int, crowd: bool) -> Iterator[tuple[Entry, np.ndarray, int]]:
    """(entry, record, tint) of the characters of a view: the track's clip first, then the crowd: all ticked clips,
    all results where the first is one, or both."""
    lead = state.library.get(state.tracks[track].clip)
    if lead is None:
        return
    places = state.scene.places
    yield lead, record_of(lead, places.get(lead.number, _HERE)), track
    if not crowd:
        return
    layers = state.scene.layers
    together = state.library.results if layers.compared and lead.made else []
    if layers.crowd:
        together = [*together, *(e for e in state.library if e.used and (not e.made or not lead.made))]
    others = [entry for entry in together if entry is not lead]
    spots = _rows(len(others) + 1, state.scene.layers.rows)[1:]
    for i, (entry, (x, z)) in enumerate(zip(others, spots)):
        place = places.get(entry.number, _HERE)
        if state.scene.layers.rows > 0 and not _same_way(lead, entry):
            place = _beside(lead, entry, place[0], x, z)
        yield entry, record_of(entry, place), i + 1


def _same_way(a: Entry, b: Entry) -> bool:
    """Whether both were made to follow a path: then they are compared on it, not in rows."""
    return all(entry.made and entry.made.asked is not None for entry in (a, b))


def _rows(count: int, gap: float) -> np.ndarray:
    """(n, 2) x, z metres: places in rows, the first one in the middle of the front row, the others around it."""
    wide = int(np.ceil(np.sqrt(count)))
    column = np.arange(wide)
    column = np.where(column % 2 == 0, column // 2, -(column + 1) // 2)  # 0, −1, 1, −2, 2, …
    index = np.arange(count)
    return np.column_stack([column[index % wide], -(index // wide)]) * gap


def _beside(lead: Entry, entry: Entry, theta: float, x: float, z: float) -> tuple[float, float, float]:
    """(theta, x, z) that sets an entry's first frame x, z metres beside the lead's."""
    cosine, sine = np.cos(theta), np.sin(theta)
    own, to = entry.clip.root[entry.start], lead.clip.root[lead.start]
    turned = cosine * own[0] + sine * own[2], -sine * own[0] + cosine * own[2]
    return theta, float(to[0] + x - turned[0]), float(to[2] + z - turned[1])
