"""What is shown besides the pose: layers, ghosts, where characters were moved to, how the screen is split."""

from dataclasses import dataclass, field, fields

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.errors import MotionError


@dataclass(eq=False)
class Layers:
    """bone_style: "capsules" or "boxes"; cloud: "off", "pose" or "window"; floor: "checker", "grid" or "none";
    crowd: all ticked clips at once; rows: metres between them, 0 where they were captured; flow: the pose every
    `flow_every` frames, each pushed on from the one before by `flow_offset` metres, and by `flow_gap` metres at every
    transition of made motion."""

    bones: bool = True
    joints: bool = False
    bone_style: str = "capsules"
    trajectory: bool = True
    contacts: bool = False
    cloud: str = "off"
    ghosts: bool = True
    flow: bool = False
    flow_every: int = 20
    flow_offset: float = 0.0
    flow_gap: float = 0.0
    crowd: bool = False
    rows: float = 1.5
    floor: str = "checker"
    shadows: bool = True


CHOICES = {
    "bone_style": ("capsules", "boxes"),
    "cloud": ("off", "pose", "window"),
    "floor": ("checker", "grid", "none"),
}
MOST_POSES = 200  # of a flow picture: each is drawn on its own
_LIMITS = {"flow_every": (1, 10_000), "flow_offset": (-5.0, 5.0), "flow_gap": (-5.0, 5.0), "rows": (0.0, 10.0)}


@dataclass(frozen=True, eq=False)
class Ghost:
    """A pose left standing; record: the character it was (`poses.CHARACTER`), frame, place and all."""

    entry: object
    record: np.ndarray


@dataclass(eq=False)
class Scene:
    """places: number of an entry → (theta, x, z) where its character was moved to. pair: a `pair.Pair` shown instead of
    the character in hand, or None. version grows with every change of ghosts and places. props: `props.Prop`s,
    another tuple with every change."""

    layers: Layers = field(default_factory=Layers)
    ghosts: list[Ghost] = field(default_factory=list)
    places: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    views: int = 1
    pair: object = None
    version: int = 0
    props: tuple = ()


_TRACKS = ((0,), (1,), (2,)), (0, 1), (0, 1, 2)


def flow_step(layers: Layers, entry) -> int:
    """Frames between the poses of an entry's flow picture: more than asked for where they would be too many."""
    return max(layers.flow_every, -(-(entry.stop - entry.start) // MOST_POSES))


def visible_tracks(state) -> tuple[int, ...]:
    """The tracks that have a view, in order."""
    return _TRACKS[0][state.active] if state.scene.views == 1 else _TRACKS[state.scene.views - 1]


@apply.register
def _(command: do.SetLayer, state):
    layers, name, value = state.scene.layers, command.name, command.value
    if name not in {f.name for f in fields(layers)}:
        raise MotionError(f"there is no layer {name!r}")
    if name in CHOICES and value not in CHOICES[name]:
        raise MotionError(f"{name} can be {', '.join(CHOICES[name])}, not {value!r}")
    if name in _LIMITS:
        low, high = _LIMITS[name]
        value = type(low)(min(max(value, low), high))
    setattr(layers, name, value)
    state.scene.version += 1
    if name == "crowd":
        state.frame_camera = True  # so that all of them are seen


@apply.register
def _(command: do.ToggleLayer, state):
    """The next of a layer's choices, or the other of two."""
    value = getattr(state.scene.layers, command.name, None)
    choices = CHOICES.get(command.name, (False, True))
    if value not in choices:
        raise MotionError(f"there is no layer {command.name!r} to switch")
    apply(do.SetLayer(command.name, choices[(choices.index(value) + 1) % len(choices)]), state)


@apply.register
def _(command: do.PinGhost, state):
    from motiongraph.app.cast import record_of, set_time

    entry = state.entry
    if entry is None:
        raise MotionError("there is no character whose pose could be pinned")
    record = record_of(entry, state.scene.places.get(entry.number, (0.0, 0.0, 0.0))).reshape(1)
    set_time(record, state.playback, state.tracks[state.active].elapsed)
    state.scene.ghosts.append(Ghost(entry, record[0].copy()))
    state.scene.layers.ghosts = True
    state.scene.version += 1


@apply.register
def _(command: do.UnpinGhost, state):
    if state.scene.ghosts:
        state.scene.ghosts.pop()
        state.scene.version += 1


@apply.register
def _(command: do.ShiftGhost, state):
    if not state.scene.ghosts:
        raise MotionError("there is no pinned ghost to shift")
    record = state.scene.ghosts[-1].record
    record["x"] += command.x
    record["z"] += command.z
    state.scene.version += 1


@apply.register
def _(command: do.ClearGhosts, state):
    state.scene.ghosts.clear()
    state.scene.version += 1


@apply.register
def _(command: do.MoveCharacter, state):
    entry = state.entry
    if entry is None:
        raise MotionError("there is no character to move")
    theta, x, z = state.scene.places.get(entry.number, (0.0, 0.0, 0.0))
    if command.turn:
        # Turned about where it stands: the place the root has now must stay.
        here = state.focus(state.active)[[0, 2]]
        cosine, sine = np.cos(command.turn), np.sin(command.turn)
        away = np.array([x, z]) - here
        x, z = here + np.array([cosine * away[0] + sine * away[1], -sine * away[0] + cosine * away[1]])
        theta = float(np.remainder(theta + command.turn + np.pi, 2 * np.pi) - np.pi)
    place = theta, float(x) + command.x, float(z) + command.z
    if not np.isfinite(place).all():
        raise MotionError("a character can only be moved to a place")
    state.scene.places[entry.number] = place
    state.scene.version += 1


@apply.register
def _(command: do.PlaceCharacter, state):
    if state.entry is not None and state.scene.places.pop(state.entry.number, None) is not None:
        state.scene.version += 1


@apply.register
def _(command: do.Split, state):
    if command.views not in (1, 2, 3):
        raise MotionError(f"the screen can show 1, 2 or 3 views, not {command.views}")
    state.scene.views = command.views
    if command.views > 1:
        numbers = [entry.number for entry in state.library]
        taken = state.tracks[0].clip
        if state.tracks[1].clip is None and numbers:  # something to compare with: the clip after A
            after = numbers.index(taken) + 1 if taken in numbers else 0
            apply(do.SelectClip(numbers[after % len(numbers)], track=1), state)
    state.active = min(state.active, command.views - 1)


@apply.register
def _(command: do.TakeTrack, state):
    if not 0 <= command.track < len(state.tracks):
        raise MotionError(f"there is no track {command.track}")
    state.active = command.track
