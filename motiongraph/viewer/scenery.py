"""From the state to what is drawn: the batches of one view, kept from frame to frame and touched where they change."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.playback import Playback, frame_of, way_of
from motiongraph.app.scene import camera_moves
from motiongraph.app.scene.cast import Cast, Group, Pair, centre_of, place_of, record_of
from motiongraph.app.scene.layers import LAMP, Ghost, Layers, flow_step
from motiongraph.app.state import AppState
from motiongraph.metric.metric import Metric
from motiongraph.model.placement import IDENTITY, Placement, compose, place
from motiongraph.model.skeleton import Skeleton
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw import layers as motions
from motiongraph.viewer.draw.characters import Bones, Look, look_of
from motiongraph.viewer.draw.frame import (
    CHARACTERS,
    DAY,
    NIGHT,
    Batch,
    Floor,
    Light,
    Lines,
    SceneFrame,
    Spheres,
    polyline,
    reach,
    towards_lamp,
)
from motiongraph.viewer.draw.layers import Cloud
from motiongraph.viewer.matrices import dvec3
from motiongraph.viewer.paths import Parts, Paths

_GHOST = (0.35, 0.45, 0.58, 0.55)
_PALETTE = np.array([(*rgb, 1.0) for rgb in CHARACTERS])
_LONGEST = 3000  # points of a drawn path
_SHADOWS, _NO_SHADOWS = Light(), Light(shadows=False)
_ALPHA = 0.66  # of b, which is seen through to a
_FAINT = 0.75, 0.25  # of the second and of the last pose of a window
_POSES = 9  # of a window in a flow picture


@lru_cache(maxsize=4)
def _light(turn: float, height: float, shadows: bool) -> Light:
    """From a lamp at so many degrees about y and above the horizon."""
    usual = _SHADOWS if shadows else _NO_SHADOWS
    if (turn, height) == LAMP:
        return usual
    return replace(usual, towards=towards_lamp(turn, height))


class _Side:
    """One of the two motions: member f of its cast is f frames into the window.

    Windows are drawn as lines and points, which unlike flesh hide nothing of each other.
    """

    def __init__(self, entry: Entry, look: Look, which: int, pair: Pair, style: str):
        frames = max(pair.window, 1) if pair.clouds or pair.windows else 1
        bones = len(entry.clip.skeleton) - 1
        self.which, self.look, self.rgb = which, look, np.array(CHARACTERS[which])
        self.cast = Cast([(entry, record_of(entry), which)] * frames)
        self.body = look.bones(1, style, entry.clip, translucent=which > 0)
        self.shown = np.zeros(1, int)  # frames of the window whose bones are drawn as lines
        if pair.windows:
            self.shown = np.unique(np.linspace(0, frames - 1, min(_POSES, frames)).round().astype(int))
        count = len(self.shown)
        alphas = np.concatenate([[1.0], np.linspace(*_FAINT, count - 1)]).repeat(2 * bones)
        colours = np.column_stack([np.tile(self.rgb, (len(alphas), 1)), alphas])
        joined = np.arange(len(alphas)) % 2
        self.lines = polyline(np.zeros((len(alphas), 3)), colours, joined, width=2.0)
        self.cloud = self._cloud(frames, pair.metric) if pair.clouds else None
        self.batches: list[Batch] = [self.body, *([self.lines] if pair.windows else [])]
        if self.cloud is not None:
            self.batches = [self.lines, self.cloud.batch]

    def _cloud(self, frames: int, metric: Metric) -> Cloud:
        """Of all frames of the window, fainter with time, the first one larger."""
        radii, colours = np.full(frames, 0.005), np.empty((frames, 4))
        radii[0] = 0.010
        colours[:, :3], colours[:, 3] = 0.8 * self.rgb, np.linspace(1.0, 0.35, frames)
        return Cloud(metric, self.look.skeleton, radii, colours, pixels=1.5)

    def put(self, frame: int, placement: Placement) -> None:
        """Show the window that opens at `frame`, moved by a placement."""
        group = self.cast.groups[0]
        records = group.records
        ahead = frame + np.arange(len(records))
        records["frame"] = records["root_frame"] = np.minimum(ahead, len(group.entries[0].clip) - 1)
        records["theta"], records["x"], records["z"] = placement
        self.cast.pose()
        colour = (*self.rgb, _ALPHA)
        self.look.fill_bones(self.body, group.positions[:1], group.orientations[:1], colour)
        ends, starts = group.positions[:, 1:], group.positions[:, group.skeleton.parents[1:]]
        if self.lines in self.batches:
            rows = self.lines.rows.reshape(len(self.shown), -1, 2, 8)
            rows[:, :, 0, :3], rows[:, :, 1, :3] = starts[self.shown], ends[self.shown]
            self.lines.touch()
        if self.cloud is not None:
            self.cloud.fill(group.positions, group.orientations)


class Pairs:
    """The pair of a view, its batches kept while only frames and places change."""

    def __init__(self):
        self._key: tuple[Any, ...] | None = None  # what the sides depend on
        self._shown: tuple[Any, ...] | None = None  # the frames and places they show
        self._sides: tuple[_Side, ...] = ()

    def batches(self, pair: Pair, target: dvec3, look: Callable[[Skeleton], Look], style: str) -> list[Batch]:
        """What shows a pair; target: where the camera looks; style: of the bones."""
        key = pair.a, pair.b, pair.window, pair.clouds, pair.windows, pair.metric, style
        if key != self._key:
            sides = enumerate((pair.a, pair.b))
            self._sides = tuple(_Side(e, look(e.clip.skeleton), i, pair, style) for i, e in sides)
            self._key, self._shown = key, None
        place = place_of(pair, target.to_list())
        shown = pair.frame_a, pair.frame_b, pair.alignment, place
        if shown != self._shown:
            self._shown = shown
            a, b = self._sides
            a.put(pair.frame_a, place)
            b.put(pair.frame_b, compose(place, pair.alignment))
        return [batch for side in self._sides for batch in side.batches]


def colours_of(tints: np.ndarray | list[int]) -> np.ndarray:
    """(n, 4) the colours of characters."""
    return _PALETTE[np.asarray(tints) % len(_PALETTE)]


look = lru_cache(maxsize=64)(look_of)


def camera_of(state: AppState, track: int | None = None) -> Camera:
    """The camera of a track's view; None: of the active track."""
    camera = camera_moves.camera_of(state, state.active if track is None else track)
    assert isinstance(camera, Camera)  # the app knows only what it asks of one
    return camera


class _Figures:
    """The bones and joints of a cast's characters of one skeleton. Each is filled when it shows an older pose."""

    _bones: dict[str, Bones]  # by style
    _joints: Spheres | None
    _posed: dict[str, tuple[int, bool]]  # the version of the cast that each of them shows, and whether sides differ

    def __init__(self, group: Group):
        self.group, self.look, self.colours = group, look(group.skeleton), colours_of(group.tints)
        self.lighter = np.column_stack([motions.lighter(self.colours[:, :3]), self.colours[:, 3]])
        self._bones, self._joints, self._posed = {}, None, {}

    def bones(self, style: str, sides: bool, version: int) -> Batch:
        """In one of the styles there are; sides: whether left and right differ; version: of the cast."""
        group = self.group
        if style not in self._bones:
            self._bones[style] = self.look.bones(len(group.entries), style, group.entries[0].clip)
        batch = self._bones[style]
        if self._posed.get(style) != (version, sides):
            self._posed[style] = version, sides
            self.look.fill_bones(batch, group.positions, group.orientations, self.colours, sides)
        return batch

    def joints(self, version: int) -> Batch:
        if self._joints is None:
            self._joints = self.look.joints(len(self.group.entries))
        batch = self._joints
        if self._posed.get("joints") != (version, False):
            self._posed["joints"] = version, False
            self.look.fill_joints(batch, self.group.positions, self.lighter)
        return batch


class Scenery:
    """Everything in the view of one track."""

    def __init__(self):
        self._parts = Parts()
        self._posed: dict[str, tuple[int, int, Any]] = {}  # part → number and version of the cast that it shows, …
        self._figures: dict[int, tuple[int, list[_Figures]]] = {}  # number of each of its casts, and its figures
        self._pairs, self._paths = Pairs(), Paths()

    def compose(self, state: AppState, track: int, cast: Cast) -> SceneFrame:
        """The scene of this moment."""
        layers, scene, parts = state.scene.layers, state.scene, self._parts
        pair = scene.pair if track == state.active else None
        # A pair takes the place of the character and of all that belongs to it.
        entry = state.library.get(state.tracks[track].clip) if pair is None and len(cast) else None
        placement = scene.places.get(entry.number, IDENTITY) if entry else IDENTITY
        travels = state.playback.root in ("captured", "path")
        moving = state.crowd.moving
        batches = self._characters(0, cast, layers) if pair is None else []
        batches += self._characters(1, moving.cast, layers) if moving is not None else []
        if entry is not None:
            fixed = (cast.number, entry.number, state.library.version, scene.version, state.playback.root)
            if layers.trajectory and travels and not self._paths.knows_way(state, entry):
                batches += parts.get("trajectory", fixed, lambda: _trajectories(cast, state.playback))
            if layers.contacts:
                # A part that is played over and over along the whole way leaves no prints where it was captured.
                if travels and not (entry.trimmed and state.playback.root == "path"):
                    batches += parts.get("prints", (*fixed, placement), lambda: [_prints(entry, placement)])
                batches += self._planted(state, track, entry, cast)
            if layers.cloud != "off":
                batches += self._cloud(layers.cloud, cast, state)
            if layers.flow:
                key = (*fixed, layers.flow_every, layers.flow_offset, layers.flow_gap, layers.bone_style)
                batches += parts.get("flow", key, lambda: _flow(entry, placement, layers, track))
        if layers.ghosts and scene.ghosts:
            key = (scene.version, layers.bone_style)
            batches += parts.get("ghosts", key, lambda: _ghosts(scene.ghosts, layers))
        if scene.props:
            batches += parts.get("props", scene.props, lambda: motions.prop_batches(scene.props))
        if travels or entry is None:
            batches += self._paths.batches(state, entry, placement)
        x, _, z = cast.groups[0].positions[0, 0].tolist() if cast.groups else IDENTITY
        if pair is not None:
            target = camera_of(state, track).target
            batches += self._pairs.batches(pair, target, look, layers.bone_style)
            x, _, z = centre_of(pair, target.to_list())
        return SceneFrame(
            batches,
            light=_light(layers.lamp_turn, layers.lamp_height, layers.shadows),
            floor=Floor(style=layers.floor, centre=(x, z), reach=reach(camera_of(state).distance)),
            backdrop=DAY if state.settings.day else NIGHT,
        )

    def _characters(self, which: int, cast: Cast, layers: Layers) -> list[Batch]:
        """which: 0 for the cast of the view, 1 for the crowd."""
        if which not in self._figures or self._figures[which][0] != cast.number:
            self._figures[which] = cast.number, [_Figures(group) for group in cast.groups]
        found: list[Batch] = []
        version = cast.version
        for figures in self._figures[which][1]:
            if layers.bones:
                found.append(figures.bones(layers.bone_style, layers.sides, version))
            if layers.joints:
                found.append(figures.joints(version))
        return found

    def _stale(self, name: str, cast: Cast, more: Any = None) -> bool:
        """Whether a part shows an older pose of the cast than the present one, or what else it depends on has changed;
        it is taken to be filled now."""
        now = cast.number, cast.version, more
        stale, self._posed[name] = self._posed.get(name) != now, now
        return stale

    def _planted(self, state: AppState, track: int, entry: Entry, cast: Cast) -> list[Batch]:
        """A ring under every foot joint that is planted at this moment."""
        feet = entry.prepared.feet
        batch = self._parts.get("planted", cast.number, lambda: motions.planted_marks(len(feet)))
        if self._stale("planted", cast, entry.prepared):
            down = entry.prepared.planted[int(frame_of(state, track))]
            motions.fill_planted(batch, cast.groups[0].positions[0, feet], down)
        return [batch]

    def _cloud(self, kind: str, cast: Cast, state: AppState) -> list[Batch]:
        """The points that the metric of the matrix compares: of this pose, or of the whole window that begins here."""
        group, metric = cast.groups[0], state.matrix.metric
        frames = 1 if kind == "pose" else metric.frames(group.entries[0].clip.fps)
        make = lambda: (_ahead(group, frames), motions.cloud(metric, group.skeleton, frames))  # noqa: E731
        ahead, cloud = self._parts.get(kind, (cast.number, metric), make)
        if self._stale(kind, cast, metric):
            shown = _window(group, ahead, state.playback) if frames > 1 else group
            cloud.fill(shown.positions[:frames], shown.orientations[:frames])
        return [cloud.batch]


def _ahead(group: Group, frames: int) -> Cast:
    """So many of a group's first character."""
    return Cast([(group.entries[0], group.records[0], 0)] * frames)


def _window(group: Group, ahead: Cast, playback: Playback) -> Group:
    """The first character's next poses, each one frame after the other."""
    entry, records = group.entries[0], ahead.groups[0].records
    steps = np.arange(len(records))
    records[:] = group.records[0]
    records["frame"] = np.minimum(records["frame"] + steps, entry.stop - 1)
    records["root_frame"] = np.minimum(records["root_frame"] + steps, way_of(entry, playback)[1] - 1)
    ahead.pose()
    return ahead.groups[0]


def _trajectories(cast: Cast, playback: Playback) -> list[Batch]:
    """The way of every root over the floor, in its character's colour."""
    alpha, rows = 0.9 if len(cast) < 20 else 0.5, []
    for group in cast.groups:
        for entry, record, colour in zip(group.entries, group.records, colours_of(group.tints)):
            part = entry.clip.root[slice(*way_of(entry, playback))]
            part = part[:: max(1, len(part) // _LONGEST)]
            line = place((record["theta"], record["x"], record["z"]), part)
            rows.append(motions.trajectory(line, 0.0, 0.85 * colour[:3], alpha=alpha).rows)
    return [Lines(np.concatenate(rows), width=0.025, flat=True)] if rows else []


def _prints(entry: Entry, placement: Placement) -> Batch:
    """A disc wherever a foot joint stood, in the part that is played."""
    return motions.prints(entry.prepared.prints, entry.start, entry.stop, placement=placement)


def _ghosts(ghosts: Iterable[Ghost], layers: Layers) -> list[Batch]:
    """The pinned poses, so that one looks through them."""
    found = []
    for group in Cast([(ghost.entry, ghost.record, 0) for ghost in ghosts]).groups:
        own, count = look(group.skeleton), len(group.entries)
        batch = own.bones(count, layers.bone_style, group.entries[0].clip, translucent=True)
        own.fill_bones(batch, group.positions, group.orientations, _GHOST)
        found.append(batch)
    return found


def _flow(entry: Entry, placement: Placement, layers: Layers, tint: int) -> list[Batch]:
    """The pose every so many frames at once, fainter with age, pushed apart where that is asked for; poses of
    transitions in their own colour."""
    frames = np.arange(entry.start, entry.stop, flow_step(layers, entry))
    record = record_of(entry, placement)
    cast = Cast([(entry, record, tint)] * len(frames))
    group = cast.groups[0]
    group.records["frame"] = group.records["root_frame"] = frames
    cast.pose()
    poses, root = np.arange(len(frames)), group.positions[:, 0]
    breaks = np.searchsorted(frames, motions.breaks(entry.clip))  # the first pose of each transition
    shift = motions.spread(root, poses, layers.flow_offset) + motions.spread(root, poses, layers.flow_gap, breaks)
    colours = motions.tinted(entry.clip, colours_of([tint])[0, :3])[frames]
    style, body = layers.bone_style, look(group.skeleton)
    return motions.flow(body, group.positions, group.orientations, colours, shift, style, entry.clip)
