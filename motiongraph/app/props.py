"""Props: things that stand in the scene beside the characters, simple shapes and meshes from .obj files."""

import itertools
import os
from dataclasses import dataclass, field, replace
from math import hypot, isfinite, pi
from pathlib import Path

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app import history, snapshot
from motiongraph.app.commands import apply
from motiongraph.errors import FormatError, MotionError
from motiongraph.model.mesh import Mesh
from motiongraph.progress import SILENT, Progress

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
_ARM, _GAP = 0.6, 0.1  # metres that a new prop keeps away from the character, and from others


@dataclass(frozen=True, eq=False)
class Prop:
    """shape: one of SHAPES, or "mesh" with the mesh in metres, its origin in the middle of its foot, and the file it
    came from; x, z: where it stands, height: of its foot above the floor, size: along its own x, y, z, all metres;
    turn: radians about y; colour: r g b."""

    number: int
    name: str
    shape: str
    size: tuple[float, float, float]
    colour: tuple[float, float, float] = _COLOURS[0]
    x: float = 0.0
    z: float = 0.0
    height: float = 0.0
    turn: float = 0.0
    mesh: Mesh | None = field(default=None, repr=False)
    path: Path | None = None

    @property
    def is_room(self) -> bool:
        """Whether it is so large that things stand within it rather than beside it."""
        return 2.0 * self.radius > _ROOM

    @property
    def radius(self) -> float:
        """Metres from its middle to the farthest point of the floor under it."""
        return 0.5 * hypot(self.size[0], self.size[2])


def read_mesh(path, progress: Progress = SILENT) -> tuple[Mesh, str]:
    """The mesh of an .obj file as a prop needs it, and a sentence where its unit had to be guessed, else "".

    An .obj does not say what its numbers mean. Metres are believed unless the thing would be absurdly large or small
    for a room; then it is the unit, or the power of ten, that makes its longest edge most nearly that of furniture.
    """
    from motiongraph.formats.obj import read_obj

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
    size = tuple(float(edge) for edge in mesh.box[1] - mesh.box[0])
    return Prop(number, path.stem[:_LONGEST], "mesh", size, _colour(number), mesh=mesh, path=path, **fields)


def _colour(number: int) -> tuple[float, float, float]:
    return _COLOURS[(number - 1) % len(_COLOURS)]


def put_beside(prop: Prop, others, middle, right) -> Prop:
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


def prop_of(state, number: int) -> Prop:
    for prop in state.scene.props:
        if prop.number == number:
            return prop
    raise MotionError(f"there is no prop number {number} in the scene")


def _put(state, changed: Prop) -> None:
    state.scene.props = tuple(changed if prop.number == changed.number else prop for prop in state.scene.props)


# Commands


@apply.register
def _(command: do.OpenProp, state):
    path = Path(command.path)
    if os.path.exists(path):  # says no to any text; Path.exists raises where a name is too long
        state.settings.opened(path.absolute())

    def work(progress, deliver):
        progress(0, 1, path.name)
        deliver(read_mesh(path, progress))

    def then(result):
        mesh, said = result
        history.carry_out(do.AddProp(mesh, path.absolute()), state)
        if said:
            state.say(said, "warning")

    # Its own kind each: files opened one after the other all come in.
    state.jobs.start(f"prop {len(state.jobs.running)} {path}", f"opening {path.name}", work, then)


@apply.register
def _(command: do.AddProp, state):
    shape, props = command.shape, state.scene.props
    number = 1 + max((prop.number for prop in props), default=0)
    if isinstance(shape, Mesh):
        prop = mesh_prop(number, shape, command.path)
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


@apply.register
def _(command: do.SetProp, state):
    prop, name, value = prop_of(state, command.prop), command.name, command.value
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


@apply.register
def _(command: do.SizeProp, state):
    prop, axis = prop_of(state, command.prop), command.axis
    if axis not in AXES.get(prop.shape, (0, 1, 2)) or not prop.size[axis]:
        raise MotionError(f"{prop.name} has no size that way")
    if not isfinite(command.metres):
        raise MotionError("the size of a prop must be a number of metres")
    tied = _TIED.get(prop.shape, ())
    tied = tied if axis in tied else (axis,)
    growth = min(max(float(command.metres), SIZES[0]), SIZES[1]) / prop.size[axis]
    size = [edge * growth if i in tied else edge for i, edge in enumerate(prop.size)]
    if prop.shape == "capsule":  # never shorter than its round ends
        size[1] = max(size[1], size[0])
    if tuple(size) != prop.size:
        _put(state, replace(prop, size=tuple(size)))


@apply.register
def _(command: do.RemoveProp, state):
    gone = prop_of(state, command.prop)
    state.scene.props = tuple(prop for prop in state.scene.props if prop is not gone)


# Taking back, and projects


def _read(state, _):
    return (state.scene.props,)


def _write(state, _, value):
    (state.scene.props,) = value


history.PARTS["props"] = history.Part(_read, _write)
history.EDITS |= {
    kind: ("props", lambda command, state: (type(command), getattr(command, "prop", len(state.scene.props))), "prop")
    for kind in (do.AddProp, do.SetProp, do.SizeProp, do.RemoveProp)
}

_PLAIN = ("number", "name", "shape", "size", "colour", "x", "z", "height", "turn", "path")
_ARRAYS = ("positions", "normals", "triangles")


def _tell(state):
    props = state.scene.props
    meshes = {f"{p.number}/{name}": getattr(p.mesh, name) for p in props if p.mesh is not None for name in _ARRAYS}
    return [{name: getattr(prop, name) for name in _PLAIN} for prop in props], meshes


def _take(state, plain, arrays):
    found = []
    for row in plain:
        mesh = Mesh(*(arrays[f"{row['number']}/{name}"] for name in _ARRAYS)) if row["shape"] == "mesh" else None
        known = {name: tuple(row[name]) if isinstance(row[name], list) else row[name] for name in _PLAIN}
        found.append(Prop(**known | {"mesh": mesh, "path": row["path"] and Path(row["path"])}))
    state.scene.props = tuple(found)


snapshot.TOLD["props"], snapshot.TAKEN["props"] = _tell, _take
