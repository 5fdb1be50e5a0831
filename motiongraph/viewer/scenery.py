"""From the state to what is drawn: the batches of one view, kept from frame to frame and touched where they change."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from motiongraph.app.cast import Cast, Group, record_of
from motiongraph.app.pair import centre_of
from motiongraph.app.playback import frame_of
from motiongraph.app.view import camera_of
from motiongraph.viewer.draw import layers as motions
from motiongraph.viewer.draw.characters import look_of
from motiongraph.viewer.draw.frame import DAY, NIGHT, Batch, Floor, Light, Marks, Points, SceneFrame, marks, polyline
from motiongraph.viewer.draw.palette import CHARACTERS
from motiongraph.viewer.pairs import Pairs
from motiongraph.viewer.paths import Paths

_GHOST = (0.35, 0.45, 0.58, 0.55)
_PRINT, _PLANTED = (0.16, 0.42, 0.33, 0.40), (0.12, 0.62, 0.42, 0.95)
_PALETTE = np.array([(*rgb, 1.0) for rgb in CHARACTERS])
_SAMPLES = 5  # points a bone in a point cloud, as the metric takes them (metric.md 2)
_WINDOW = 1.0 / 3.0  # seconds
_LONGEST = 3000  # points of a drawn path
_SHADOWS, _NO_SHADOWS = Light(), Light(shadows=False)


def colours_of(tints) -> np.ndarray:
    """(n, 4) the colours of characters."""
    return _PALETTE[np.asarray(tints) % len(_PALETTE)]


look = lru_cache(maxsize=64)(look_of)


class Scenery:
    """Everything in the view of one track."""

    def __init__(self):
        self._parts: dict[str, tuple[object, Sequence]] = {}
        self._pairs, self._paths = Pairs(), Paths()

    def compose(self, state, track: int, cast: Cast) -> SceneFrame:
        """The scene of this moment."""
        layers, scene = state.scene.layers, state.scene
        pair = scene.pair if track == state.active else None
        # A pair takes the place of the character and of all that belongs to it.
        entry = state.library.get(state.tracks[track].clip) if pair is None else None
        place = scene.places.get(entry.number, (0.0, 0.0, 0.0)) if entry else None
        travels = state.playback.root in ("captured", "path")
        batches = self._characters(cast, layers) if pair is None else []
        fixed = (cast.number, entry and entry.number, state.library.version, scene.version)
        if entry is not None:
            if layers.trajectory and travels and not self._paths.knows_way(state, entry):
                batches += self._part("trajectory", fixed, lambda: _trajectories(cast))
            if layers.contacts:
                if travels:
                    batches += self._part("prints", (*fixed, place), lambda: [_prints(entry, place)])
                batches += self._planted(state, track, entry, cast)
            if layers.cloud != "off":
                batches += self._cloud(layers.cloud, cast.groups[0])
            if layers.flow:
                key = (*fixed, layers.flow_every, layers.flow_offset, layers.flow_gap, layers.bone_style)
                batches += self._part("flow", key, lambda: _flow(entry, place, layers, track))
        if layers.ghosts and scene.ghosts:
            key = (scene.version, layers.bone_style)
            batches += self._part("ghosts", key, lambda: _ghosts(scene.ghosts, layers))
        if travels or entry is None:
            batches += self._paths.batches(state, entry, place)
        x, _, z = cast.groups[0].positions[0, 0].tolist() if cast.groups else (0.0, 0.0, 0.0)
        if pair is not None:
            target = camera_of(state, track).target
            batches += self._pairs.batches(pair, target, look)
            x, _, z = centre_of(pair, target)
        return SceneFrame(
            batches,
            light=_SHADOWS if layers.shadows else _NO_SHADOWS,
            floor=Floor(style=layers.floor, centre=(x, z)),
            backdrop=DAY if state.settings.day else NIGHT,
        )

    def _part(self, name: str, key, make) -> Sequence:
        """Batches, or what they need, that are made anew only when `key` changes."""
        if self._parts.get(name, (None,))[0] != key:
            self._parts[name] = key, make()
        return self._parts[name][1]

    def _characters(self, cast: Cast, layers) -> list[Batch]:
        found = []
        for index, group in enumerate(cast.groups):
            count, fixed = len(group.entries), (cast.number, index)
            own, colours = self._part(f"look {index}", fixed, lambda g=group: (look(g.skeleton), colours_of(g.tints)))
            if layers.bones:
                make = own.bones if layers.bone_style == "capsules" else own.boxed_bones
                (batch,) = self._part(f"bones {index}", (*fixed, layers.bone_style), lambda m=make, n=count: [m(n)])
                if self._stale(batch, cast):
                    own.fill_bones(batch, group.positions, group.orientations, colours)
                found.append(batch)
            if layers.joints:
                (batch,) = self._part(f"joints {index}", fixed, lambda o=own, n=count: [o.joints(n)])
                if self._stale(batch, cast):
                    own.fill_joints(batch, group.positions, _lighter(colours))
                found.append(batch)
        return found

    @staticmethod
    def _stale(batch: Batch, cast: Cast) -> bool:
        """Whether a batch shows an older pose of the cast than the present one; it is taken to be filled now."""
        stale = getattr(batch, "posed", None) != (cast.number, cast.version)
        batch.posed = cast.number, cast.version
        return stale

    def _planted(self, state, track, entry, cast) -> list[Batch]:
        """A ring under every foot joint that is planted at this moment."""
        feet = entry.prepared.feet
        (batch,) = self._part("planted", len(feet), lambda: [marks(np.zeros((len(feet), 3)), 0.07, (0, 0, 0, 0))])
        if len(feet):
            down = entry.prepared.planted[int(frame_of(state, track))]
            batch.rows[:, :3] = cast.groups[0].positions[0, feet]
            batch.rows[:, 1] = 2 * motions.ABOVE_FLOOR
            batch.rows[:, 4:] = np.where(down[:, None], _PLANTED, (0.0, 0.0, 0.0, 0.0))
            batch.touch()
        return [batch]

    def _cloud(self, kind: str, group: Group) -> list[Batch]:
        """The points that the metric compares: of this pose, or of the whole window that begins with it."""
        frames = 1 if kind == "pose" else max(round(_WINDOW * group.entries[0].clip.fps), 1)
        joints = len(group.skeleton)
        make = lambda: [Points(np.zeros((frames * (joints - 1) * _SAMPLES, 8), np.float32), pixels=2.5)]  # noqa: E731
        (batch,) = self._part("cloud", (frames, joints), make)
        positions = group.positions[:1]
        if frames > 1:
            positions = self._window(group, frames).groups[0].positions
        ends = positions[:, 1:]
        starts = positions[:, group.skeleton.parents[1:]]
        share = ((np.arange(_SAMPLES) + 0.5) / _SAMPLES)[:, None]
        rows = batch.rows.reshape(frames, joints - 1, _SAMPLES, 8)
        rows[..., :3] = starts[:, :, None] + share * (ends - starts)[:, :, None]
        rows[..., 3] = 0.011 if frames == 1 else 0.006
        age = np.linspace(0.0, 1.0, frames)[:, None, None, None]
        rows[..., 4:] = (1.0 - age) * np.array([0.85, 0.16, 0.20, 1.0]) + age * np.array([0.16, 0.28, 0.80, 0.5])
        batch.touch()
        return [batch]

    def _window(self, group: Group, frames: int) -> Cast:
        """The character's next poses, each one frame after the other."""
        entry = group.entries[0]
        key = (entry, frames)
        if getattr(self, "_ahead", (None,))[0] != key:
            self._ahead = key, Cast([(entry, group.records[0], 0)] * frames)
        cast = self._ahead[1]
        records = cast.groups[0].records
        records[:] = group.records[0]
        for name in ("frame", "root_frame"):
            records[name] = np.minimum(records[name] + np.arange(frames), records["stop"] - 1)
        cast.pose()
        return cast


def _lighter(colours):
    """Joints stand out from the bones of their character."""
    return np.concatenate([0.55 + 0.45 * colours[:, :3], colours[:, 3:]], axis=1)


def _trajectories(cast: Cast) -> list[Batch]:
    """The way of every root over the floor, in its character's colour."""
    found, alpha = [], 0.9 if len(cast) < 20 else 0.5
    rows, colours, joined = [], [], []
    for group in cast.groups:
        for entry, record, colour in zip(group.entries, group.records, colours_of(group.tints)):
            part = entry.clip.root[entry.start : entry.stop]
            part = part[:: max(1, len(part) // _LONGEST)]
            line = _placed(part, record["theta"], record["x"], record["z"])
            line[:, 1] = motions.ABOVE_FLOOR
            rows.append(line)
            shade = np.linspace(0.35, 1.0, len(line))[:, None]
            colours.append(np.concatenate([np.tile(0.85 * colour[:3], (len(line), 1)), alpha * shade], axis=1))
            joined.append(np.r_[0.0, np.ones(len(line) - 1)])
    if rows:
        lines = polyline(np.concatenate(rows), np.concatenate(colours), np.concatenate(joined), width=0.025, flat=True)
        found.append(lines)
    return found


def _placed(points, theta, x, z):
    """Points (n, 3) turned by theta and shifted by x, z, as Clip.moved does."""
    cosine, sine = np.cos(theta), np.sin(theta)
    return np.column_stack(
        [
            cosine * points[:, 0] + sine * points[:, 2] + x,
            points[:, 1],
            -sine * points[:, 0] + cosine * points[:, 2] + z,
        ]
    )


def _prints(entry, place) -> Marks:
    """A disc wherever a foot joint stood, in the part that is played."""
    prints = entry.prepared.prints
    prints = prints[(prints[:, 3] < entry.stop) & (prints[:, 4] > entry.start)]
    centres = _placed(np.column_stack([prints[:, 0], np.full(len(prints), motions.ABOVE_FLOOR), prints[:, 1]]), *place)
    return marks(centres, 0.05, _PRINT)


def _ghosts(ghosts, layers) -> list[Batch]:
    """The pinned poses, so that one looks through them."""
    found = []
    for group in Cast([(ghost.entry, ghost.record, 0) for ghost in ghosts]).groups:
        own, count = look(group.skeleton), len(group.entries)
        make = own.bones if layers.bone_style == "capsules" else own.boxed_bones
        batch = make(count, groups=own.groups(count), shadow=False)
        own.fill_bones(batch, group.positions, group.orientations, _GHOST)
        found.append(batch)
    return found


def _flow(entry, place, layers, tint) -> list[Batch]:
    """The pose every so many frames at once, clearer with age, pushed apart where that is asked for; those of
    transitions in their own colour."""
    frames = np.arange(entry.start, entry.stop, layers.flow_every)
    record = record_of(entry, place)
    cast = Cast([(entry, record, tint)] * len(frames))
    group = cast.groups[0]
    group.records["frame"] = group.records["root_frame"] = frames
    cast.pose()
    poses, root = np.arange(len(frames)), group.positions[:, 0]
    breaks = np.searchsorted(frames, motions.breaks(entry.clip))  # the first pose of each transition
    shift = motions.spread(root, poses, layers.flow_offset) + motions.spread(root, poses, layers.flow_gap, breaks)
    colours = motions.tinted(entry.clip, colours_of([tint])[0, :3])[frames]
    return motions.flow(look(group.skeleton), group.positions, group.orientations, colours, shift)
