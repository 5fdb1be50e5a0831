"""Props: things that stand in the scene beside the characters, simple shapes and meshes from .obj files."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, isfinite, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import Part, SavedPart, command, edit
from motiongraph.app.jobs import JobKind
from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.obj import read_obj
from motiongraph.formats.record import Record, checked_word
from motiongraph.model.mesh import Mesh
from motiongraph.model.placement import place
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

# Width, height and depth that a shape begins with, metres.
SHAPES = {
    "box": (0.5, 0.45, 0.5),
    "sphere": (0.4, 0.4, 0.4),
    "cylinder": (0.4, 0.9, 0.4),
    "capsule": (0.4, 1.7, 0.4),
    "plane": (2.0, 0.0, 2.0),
}
# Which sizes of a shape can be chosen (0 x, 1 y, 2 z), and those that grow along in proportion.
AXES = {"sphere": (0,), "cylinder": (0, 1), "capsule": (0, 1), "plane": (0, 2)}
_TIED = {"sphere": (0, 1, 2), "cylinder": (0, 2), "capsule": (0, 2), "mesh": (0, 1, 2)}
ROUND = ("sphere", "cylinder", "capsule")  # whose turn nobody sees
LIMITS = {"x": 1000.0, "z": 1000.0, "height": 100.0}  # metres either way
SIZES = (0.01, 200.0)  # metres
_COLOURS = ((0.72, 0.62, 0.50), (0.55, 0.62, 0.66), (0.66, 0.69, 0.58), (0.70, 0.56, 0.52), (0.62, 0.60, 0.70))
_LONGEST = 60  # letters of a name
# Metres of the longest edge: what fits into a room, what is most usual there, and from when on it is the room.
_PLAUSIBLE, _USUAL, _ROOM = (0.02, 30.0), 1.2, 6.0
_UNITS = {"centimetres": 0.01, "inches": 0.0254, "millimetres": 0.001}
_HEAD, _STEP = 1.9, 0.03  # metres: higher above the floor nobody meets it, lower one treads on it
_ARM, _GAP = 0.6, 0.1  # metres that a new prop keeps away from the character, and from others


@dataclass(frozen=True, eq=False)
class Prop:
    """A thing in the scene; lengths in metres."""

    number: int
    name: str
    shape: str  # one of SHAPES, or "mesh"
    size: tuple[float, float, float]  # along its own x, y, z
    colour: tuple[float, float, float] = _COLOURS[0]  # r g b
    x: float = 0.0  # where it stands
    z: float = 0.0
    height: float = 0.0  # of its foot above the floor
    turn: float = 0.0  # radians about y
    mesh: Mesh | None = field(default=None, repr=False)  # in metres, its origin in the middle of its foot
    path: Path | None = None  # the file the mesh came from

    @property
    def is_room(self) -> bool:
        """Whether it is so large that things stand within it rather than beside it."""
        return 2.0 * self.radius > _ROOM

    @property
    def radius(self) -> float:
        """Metres from its middle to the farthest point of the floor under it."""
        return 0.5 * hypot(self.size[0], self.size[2])


def footprint(prop: Prop) -> tuple | None:
    """What of a prop stands in the way, as walks take obstacles; None for what one walks on, under or within."""
    if prop.shape == "plane" or prop.is_room or prop.height > _HEAD or prop.size[1] + prop.height < _STEP:
        return None
    if prop.shape in ROUND:
        return prop.x, prop.z, 0.5 * prop.size[0]
    x, z = 0.5 * prop.size[0], 0.5 * prop.size[2]
    corners = place((prop.turn, prop.x, prop.z), np.array([(x, 0, z), (x, 0, -z), (-x, 0, -z), (-x, 0, z)]))
    return tuple(map(tuple, corners[:, ::2].tolist()))


def read_mesh(path: Path, progress: Progress = SILENT) -> tuple[Mesh, str]:
    """The mesh of an .obj file as a prop needs it, and a sentence where its unit had to be guessed, else "".

    An .obj does not say what its numbers mean. Metres are believed unless the thing would be absurdly large or small
    for a room; then it is the unit, or the power of ten, that makes its longest edge most nearly that of furniture.
    """
    path = Path(path)
    mesh = read_obj(path, progress)
    low, high = mesh.box
    longest = float((high - low).max())
    if not longest > 0.0:
        raise FormatError(path, "has no extent that could be shown")
    factor, said = 1.0, ""
    if longest > _PLAUSIBLE[1]:
        unit = min(_UNITS, key=lambda name: abs(np.log(longest * _UNITS[name] / _USUAL)))
        factor = _UNITS[unit]
        if longest * factor > _PLAUSIBLE[1]:
            factor = 10.0 ** round(np.log10(_USUAL / longest))
            unit = f"units of {factor:g} m"
        said = f"{path.name} would be {longest:,.0f} m large: its numbers are taken to be {unit}"
    elif longest < _PLAUSIBLE[0]:
        factor = 10.0 ** round(np.log10(_USUAL / longest))
        said = f"{path.name} would be {1000.0 * longest:.3g} mm small: it is shown {factor:,.0f} times larger"
    foot = np.array([0.5 * (low[0] + high[0]), low[1], 0.5 * (low[2] + high[2])])
    return Mesh((mesh.positions - foot) * factor, mesh.normals, mesh.triangles), said


def mesh_prop(number: int, mesh: Mesh, path: Path, **fields) -> Prop:
    """A mesh of `read_mesh` at its own size."""
    x, y, z = (mesh.box[1] - mesh.box[0]).tolist()
    return Prop(number, path.stem[:_LONGEST], "mesh", (x, y, z), _colour(number), mesh=mesh, path=path, **fields)


def _colour(number: int) -> tuple[float, float, float]:
    return _COLOURS[(number - 1) % len(_COLOURS)]


def put_beside(prop: Prop, others: Iterable[Prop], middle: Sequence[float], right: Sequence[float]) -> Prop:
    """A prop beside the place `middle` (x, z), to the right of it (a direction x, z) or else to the left, clear of the
    others; around it if it is as large as a room."""
    if prop.is_room:
        return replace(prop, x=float(middle[0]), z=float(middle[1]))
    others = [other for other in others if not other.is_room]
    away, side, free = _ARM + prop.radius, 1.0, False
    while not free:
        x, z = (float(m + side * away * r) for m, r in zip(middle, right))
        free = all(hypot(x - o.x, z - o.z) >= prop.radius + o.radius + _GAP for o in others)
        away, side = away + (0.0 if side > 0.0 else 0.25), -side
    return replace(prop, x=x, z=z)


def prop_of(state: AppState, number: int) -> Prop:
    for prop in state.scene.props:
        if prop.number == number:
            return prop
    raise MotionError(f"there is no prop number {number} in the scene")


def _put(state: AppState, changed: Prop) -> None:
    state.scene.props = tuple(changed if prop.number == changed.number else prop for prop in state.scene.props)


def add_prop(state: AppState, shape: str | Mesh, path: Path | None = None) -> None:
    """Put a thing into the scene beside the active character, under a name of its own."""
    props = state.scene.props
    number = 1 + max((prop.number for prop in props), default=0)
    if isinstance(shape, Mesh):
        prop = mesh_prop(number, shape, path or Path("mesh.obj"))
    elif shape in SHAPES:
        prop = Prop(number, shape, shape, SHAPES[shape], _colour(number))
    else:
        raise MotionError(f"a prop can be a {', '.join(SHAPES)} or an .obj file, not {shape!r}")
    names = {other.name for other in props}
    possible = itertools.chain([prop.name], (f"{prop.name} {i}" for i in itertools.count(2)))
    prop = replace(prop, name=next(name for name in possible if name not in names))
    camera, middle, right = state.camera, (0.0, 0.0), (1.0, 0.0)
    if camera is not None:
        at = state.focus(state.active) if state.entry is not None else camera.target
        middle, right = (at[0], at[2]), camera.axes[0].xz
    state.scene.props = (*props, put_beside(prop, props, middle, right))


# What undo and projects keep: all props

_PLAIN = ("number", "name", "shape", "size", "colour", "x", "z", "height", "turn", "path")
Props = tuple[Prop, ...]


def _write(state: AppState, value: Props) -> None:
    state.scene.props = value


def _to_plain(props: Props) -> tuple[dict, dict]:
    meshes = {}
    for prop in props:
        if prop.mesh is not None:
            for name in ("positions", "normals", "triangles"):
                meshes[f"props/{prop.number}/{name}"] = getattr(prop.mesh, name)
    return {"props": [{name: getattr(prop, name) for name in _PLAIN} for prop in props]}, meshes


def _from_plain(saved: Record, state: AppState) -> Props:
    return tuple(_prop(Record(row, "a prop", saved.arrays)) for row in saved.rows("props"))


def _prop(row: Record) -> Prop:
    number, shape = row.whole("number", 1, 2**31), row.word("shape", (*SHAPES, "mesh"))
    x, y, z = row.numbers("size", 3, 0.0, 10.0 * SIZES[1])
    red, green, blue = row.numbers("colour", 3, 0.0, 1.0)
    place = {name: row.number(name, -LIMITS[name], LIMITS[name]) for name in LIMITS}
    mesh, path = None, row.get("path")
    if shape == "mesh":
        positions = row.array(f"props/{number}/positions", "f", (None, 3))
        normals = row.array(f"props/{number}/normals", "f", (len(positions), 3))
        triangles = row.array(f"props/{number}/triangles", "iu", (None, 3))
        if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(positions):
            raise MotionError("a mesh has triangles between points that it does not have")
        mesh = Mesh(positions, normals, triangles)
    file = None if path is None else Path(checked_word(path, "path"))
    turn = row.number("turn")
    name = row.word("name")
    return Prop(number, name, shape, (x, y, z), (red, green, blue), turn=turn, mesh=mesh, path=file, **place)


PROPS = SavedPart(
    "props",
    lambda state: state.scene.props,
    _write,
    to_plain=_to_plain,
    from_plain=_from_plain,
    optional="props",
)


def props_part(command: AddProp | SetProp | SizeProp | RemoveProp, state: AppState) -> Part:
    """All props; edits of different ones are never joined."""
    number = len(state.scene.props) if isinstance(command, AddProp) else command.prop
    return replace(PROPS, key=(type(command), number))


def open_prop(state: AppState, path: Path) -> None:
    """Read an .obj file beside the loop and put its mesh into the scene."""
    if os.path.exists(path):  # says no to any text; Path.exists raises where a name is too long
        state.settings.opened(path.absolute())

    def work(progress, deliver):
        progress(0, 1, path.name)
        deliver(read_mesh(path, progress))

    def then(result):
        mesh, said = result
        with edit(state, replace(PROPS, key=(AddProp, len(state.scene.props))), "prop"):
            add_prop(state, mesh, path.absolute())
        if said:
            state.say(said, "warning")

    # For a thing of its own each: files opened one after the other all come in.
    state.jobs.start(JobKind.OPEN, f"opening {path.name}", work, then, of=object())


# Commands


@command
class OpenProp:
    """Put the mesh of an .obj file into the scene."""

    path: Path

    def apply(self, state: AppState) -> None:
        open_prop(state, Path(self.path))


@command(undo=props_part, edit="prop")
class AddProp:
    """Put a thing into the scene, beside the active character. shape: one of `SHAPES`, or a mesh of `read_mesh` and
    the file it came from."""

    shape: str | Mesh
    path: Path | None = None

    def apply(self, state: AppState) -> None:
        add_prop(state, self.shape, self.path)


@command(undo=props_part, edit="prop")
class SetProp:
    """The name, x, z, height (metres), turn (radians) or colour (r g b) of a prop, which is known by its number."""

    prop: int
    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        prop, name, value = prop_of(state, self.prop), self.name, self.value
        if name == "name":
            value = " ".join(str(value).split())[:_LONGEST] or prop.shape
        elif name == "colour":
            value = tuple(min(max(float(part), 0.0), 1.0) for part in value)
            if len(value) != 3 or not all(map(isfinite, value)):
                raise MotionError("the colour of a prop is red, green and blue, three numbers from 0 to 1")
        elif name not in (*LIMITS, "turn"):
            raise MotionError(f"a prop has no {name!r} that could be set")
        elif not isfinite(value):
            raise MotionError(f"the {name} of a prop must be a number")
        elif name == "turn":
            value = (float(value) + pi) % (2.0 * pi) - pi
        else:
            value = min(max(float(value), -LIMITS[name]), LIMITS[name])
        if value != getattr(prop, name):
            _put(state, replace(prop, **{name: value}))


@command(undo=props_part, edit="prop")
class SizeProp:
    """How large a prop is along its own x, y or z (0, 1, 2); what belongs together grows along."""

    prop: int
    axis: int
    metres: float

    def apply(self, state: AppState) -> None:
        prop, axis = prop_of(state, self.prop), self.axis
        if axis not in AXES.get(prop.shape, (0, 1, 2)) or not prop.size[axis]:
            raise MotionError(f"{prop.name} has no size that way")
        if not isfinite(self.metres):
            raise MotionError("the size of a prop must be a number of metres")
        tied = _TIED.get(prop.shape, ())
        tied = tied if axis in tied else (axis,)
        growth = min(max(float(self.metres), SIZES[0]), SIZES[1]) / prop.size[axis]
        size = [edge * growth if i in tied else edge for i, edge in enumerate(prop.size)]
        if prop.shape == "capsule":  # never shorter than its round ends
            size[1] = max(size[1], size[0])
        if tuple(size) != prop.size:
            _put(state, replace(prop, size=tuple(size)))


@command(undo=props_part, edit="prop")
class RemoveProp:
    """Take a prop out of the scene."""

    prop: int

    def apply(self, state: AppState) -> None:
        gone = prop_of(state, self.prop)
        state.scene.props = tuple(prop for prop in state.scene.props if prop is not gone)
