"""What is shown besides the pose: layers, ghosts, where characters were moved to, how the screen is split."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart, checked_clip, command
from motiongraph.app.playback import show_clip
from motiongraph.app.scene.cast import record_of, set_time
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_like, checked_number, checked_rows

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.scene.cast import Pair
    from motiongraph.app.scene.props import Prop
    from motiongraph.app.state import AppState

LAMP = -56.0, 53.0  # degrees, where the lamp usually is
Place = tuple[float, float, float]  # theta (radians about y), x and z (metres)


@dataclass(eq=False)
class Layers:
    """What is drawn; see CHOICES for the words."""

    bones: bool = True
    joints: bool = False
    bone_style: str = "skin"
    sides: bool = False  # whether the skin tells left from right
    trajectory: bool = True
    contacts: bool = False
    names: bool = False  # above the characters
    cloud: str = "off"
    ghosts: bool = True
    flow: bool = False  # many poses of the clip side by side
    flow_every: int = 20  # frames from one to the next
    flow_offset: float = 0.0  # metres that each is pushed on from the one before
    flow_gap: float = 0.0  # metres more at every transition of made motion
    crowd: bool = False  # all ticked clips at once
    compared: bool = False  # all results at once, where one is shown
    rows: float = 1.5  # metres between them, 0: where they were captured
    floor: str = "checker"
    shadows: bool = True
    lamp_turn: float = LAMP[0]  # degrees about y, 0 along z, from which the light comes
    lamp_height: float = LAMP[1]  # degrees above the horizon

    @property
    def several(self) -> bool:
        """Whether more than the active character may be on stage."""
        return self.crowd or self.compared


CHOICES = {
    "bone_style": ("skin", "capsules", "boxes", "sticks"),
    "cloud": ("off", "pose", "window"),
    "floor": ("checker", "grid", "none"),
}
MOST_POSES = 200  # of a flow picture: each is drawn on its own
_LIMITS = {"flow_every": (1, 10_000), "flow_offset": (-5.0, 5.0), "flow_gap": (-5.0, 5.0), "rows": (0.0, 10.0)}
_LIMITS |= {"lamp_turn": (-180.0, 180.0), "lamp_height": (5.0, 90.0)}


@dataclass(frozen=True, eq=False)
class Ghost:
    """A pose left standing."""

    entry: Entry
    record: np.ndarray  # the character it was (`poses.CHARACTER`), frame, place and all


@dataclass(eq=False)
class Scene:
    layers: Layers = field(default_factory=Layers)
    ghosts: list[Ghost] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)  # number of an entry → where its character was moved to
    views: int = 1  # beside each other: A, A and B, or A, B and the result
    pair: Pair | None = None  # shown instead of the active character
    version: int = 0  # grows with every change of ghosts and places
    props: tuple[Prop, ...] = ()  # another tuple with every change


def flow_step(layers: Layers, entry: Entry) -> int:
    """Frames between the poses of an entry's flow picture: more than asked for where they would be too many."""
    return max(layers.flow_every, -(-(entry.stop - entry.start) // MOST_POSES))


def set_layer(state: AppState, name: str, value: Any) -> None:
    """Change one option of `Layers`, by name."""
    layers = state.scene.layers
    if name not in {f.name for f in fields(layers)}:
        raise MotionError(f"there is no layer {name!r}")
    if name in CHOICES and value not in CHOICES[name]:
        raise MotionError(f"{name} can be {', '.join(CHOICES[name])}, not {value!r}")
    if name in _LIMITS:
        low, high = _LIMITS[name]
        value = type(low)(min(max(value, low), high))
    setattr(layers, name, value)
    state.scene.version += 1
    if name in ("crowd", "compared"):
        state.frame_camera = True  # so that all of them are seen


def split(state: AppState, views: int) -> None:
    """Show 1, 2 or 3 views."""
    if views not in (1, 2, 3):
        raise MotionError(f"the screen can show 1, 2 or 3 views, not {views}")
    state.scene.views = views
    if views > 1:
        numbers = [entry.number for entry in state.library]
        taken = state.tracks[0].clip
        if state.tracks[1].clip is None and numbers:  # something to compare with: the clip after A
            after = numbers.index(taken) + 1 if taken in numbers else 0
            show_clip(state, numbers[after % len(numbers)], track=1)
    state.active = min(state.active, views - 1)


# Commands


@command
class SetLayer:
    """One option of `Layers`, by name."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        set_layer(state, self.name, self.value)


@command
class ToggleLayer:
    """The next of a layer's choices, or the other of two."""

    name: str

    def apply(self, state: AppState) -> None:
        value = getattr(state.scene.layers, self.name, None)
        choices = CHOICES.get(self.name, (False, True))
        if value not in choices:
            raise MotionError(f"there is no layer {self.name!r} to switch")
        set_layer(state, self.name, choices[(choices.index(value) + 1) % len(choices)])


@command
class PinGhost:
    """Leave the pose of this moment standing in the scene."""

    def apply(self, state: AppState) -> None:
        entry = state.entry
        if entry is None:
            raise MotionError("there is no character whose pose could be pinned")
        record = record_of(entry, state.scene.places.get(entry.number, (0.0, 0.0, 0.0))).reshape(1)
        set_time(record, state.playback, state.tracks[state.active].elapsed)
        state.scene.ghosts.append(Ghost(entry, record[0].copy()))
        state.scene.layers.ghosts = True
        state.scene.version += 1


@command
class UnpinGhost:
    """Take the last ghost back."""

    def apply(self, state: AppState) -> None:
        if state.scene.ghosts:
            state.scene.ghosts.pop()
            state.scene.version += 1


@command
class ShiftGhost:
    """Move the last ghost over the floor, metres."""

    x: float
    z: float

    def apply(self, state: AppState) -> None:
        if not state.scene.ghosts:
            raise MotionError("there is no pinned ghost to shift")
        record = state.scene.ghosts[-1].record
        record["x"] += self.x
        record["z"] += self.z
        state.scene.version += 1


@command
class ClearGhosts:
    """Remove all ghosts."""

    def apply(self, state: AppState) -> None:
        state.scene.ghosts.clear()
        state.scene.version += 1


@command
class MoveCharacter:
    """Move (metres) and turn (radians, about where it stands) the active character."""

    x: float = 0.0
    z: float = 0.0
    turn: float = 0.0

    def apply(self, state: AppState) -> None:
        entry = state.entry
        if entry is None:
            raise MotionError("there is no character to move")
        theta, x, z = state.scene.places.get(entry.number, (0.0, 0.0, 0.0))
        if self.turn:
            # Turned about where it stands: the place the root has now must stay.
            here = state.focus(state.active)[[0, 2]]
            cosine, sine = np.cos(self.turn), np.sin(self.turn)
            away = np.array([x, z]) - here
            x, z = here + np.array([cosine * away[0] + sine * away[1], -sine * away[0] + cosine * away[1]])
            theta = float(np.remainder(theta + self.turn + np.pi, 2 * np.pi) - np.pi)
        place = theta, float(x) + self.x, float(z) + self.z
        if not np.isfinite(place).all():
            raise MotionError("a character can only be moved to a place")
        state.scene.places[entry.number] = place
        state.scene.version += 1


@command
class PlaceCharacter:
    """Back to where it was captured."""

    def apply(self, state: AppState) -> None:
        if state.entry is not None and state.scene.places.pop(state.entry.number, None) is not None:
            state.scene.version += 1


@command
class Split:
    """One view, A and B, or A, B and the result: 1, 2 or 3."""

    views: int

    def apply(self, state: AppState) -> None:
        split(state, self.views)


# What projects keep of it

# Of a ghost's record: the pose and where it stands; the rest follows from its clip.
_GHOST = ("frame", "root_frame", "mode", "start", "stop", "laps", "direction", "theta", "x", "z")
View = tuple[Layers, int]  # layers and views
Places = tuple[tuple[int, Place], ...]  # number of an entry and its place
Ghosts = tuple[tuple[float, ...], ...]  # number of an entry and the values of _GHOST


def _read_view(state: AppState) -> View:
    return replace(state.scene.layers), state.scene.views


def _write_view(state: AppState, value: View) -> None:
    state.scene.layers, state.scene.views = replace(value[0]), value[1]
    state.scene.version += 1


def _view_from_plain(saved: Record, state: AppState) -> View:
    layers, given = Layers(), saved.record("layers")
    for name in given.values.keys() & {f.name for f in fields(Layers)}:
        value = checked_like(given.get(name), getattr(layers, name), name)
        if name in CHOICES:
            value = given.word(name, CHOICES[name])
        if name in _LIMITS:
            value = min(max(value, _LIMITS[name][0]), _LIMITS[name][1])
        setattr(layers, name, value)
    return layers, saved.whole("views", 1, 3)


VIEW = SavedPart(
    "view",
    _read_view,
    _write_view,
    to_plain=lambda value: ({"layers": asdict(value[0]), "views": value[1]}, {}),
    from_plain=_view_from_plain,
    is_work=False,
)


def _write_places(state: AppState, value: Places) -> None:
    state.scene.places = dict(value)
    state.scene.version += 1


def _places_from_plain(saved: Record, state: AppState) -> Places:
    found = {}
    for number, *place in saved.rows("places", 4):
        theta, x, z = (checked_number(value, "a place") for value in place)
        clip = checked_clip(number, state)
        if clip is not None:
            found[clip] = theta, x, z
    return tuple(found.items())


PLACES = SavedPart(
    "places",
    lambda state: tuple(state.scene.places.items()),
    _write_places,
    to_plain=lambda value: ({"places": [[number, *place] for number, place in value]}, {}),
    from_plain=_places_from_plain,
)


def _read_ghosts(state: AppState) -> Ghosts:
    """Ghosts whose clip has not changed since they were pinned."""
    kept = {id(e.clip.motion) for e in state.library if not (e.made and e.made.preview)}
    ghosts = [ghost for ghost in state.scene.ghosts if id(ghost.entry.clip.motion) in kept]
    return tuple((ghost.entry.number, *(ghost.record[name].item() for name in _GHOST)) for ghost in ghosts)


def _write_ghosts(state: AppState, value: Ghosts) -> None:
    state.scene.ghosts = []
    for number, *pose in value:
        entry = state.library[int(number)]
        record = record_of(entry).reshape(1)
        for name, part in zip(_GHOST, pose, strict=True):
            record[name] = part
        state.scene.ghosts.append(Ghost(entry, record[0].copy()))
    state.scene.version += 1


def _ghosts_from_plain(saved: Record, state: AppState) -> Ghosts:
    found = []
    for number, *pose in checked_rows(saved.get("ghosts"), "ghosts", 1 + len(_GHOST)):
        entry = state.library.get(checked_clip(number, state))
        if entry is None:
            continue
        ghost = Record(dict(zip(_GHOST, pose)), "a ghost")
        ghost.whole("mode", 0, 2)
        start = ghost.number("start", 0, len(entry.clip) - 1)
        ghost.number("stop", start + 1, len(entry.clip))
        for name in ("frame", "root_frame", "laps", "direction", "theta", "x", "z"):
            ghost.number(name)
        found.append((number, *pose))
    return tuple(found)


GHOSTS = SavedPart(
    "ghosts",
    _read_ghosts,
    _write_ghosts,
    to_plain=lambda value: ({"ghosts": list(value)}, {}),
    from_plain=_ghosts_from_plain,
    optional="ghosts",
)
