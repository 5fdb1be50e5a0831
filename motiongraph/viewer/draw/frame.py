"""What the renderer draws, as plain numbers: batches of instances, the scene they stand in, the view of it.

No OpenGL. A batch is one float32 array of rows and one draw call, whether it holds one character or two hundred. Rows
may be written in place; `touch()` then tells the renderer to upload them again, and batches that were not touched are
not. Keep a batch object from frame to frame: the renderer's buffer belongs to it.

Lengths are metres, y is up, colours are red, green, blue, alpha in 0 … 1 as a colour picker shows them (sRGB).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.body_surface import BodySurface
from motiongraph.model.mesh import Mesh
from motiongraph.viewer.matrices import dmat4, dvec3, product

Rect = tuple[float, float, float, float]  # x, y, width, height; y counts down from the top
Size = tuple[int, int]  # width, height in pixels
Colour = tuple[float, float, float]  # r g b
Numbers = Sequence[float] | np.ndarray
Points3 = Sequence[Sequence[float]] | np.ndarray  # (n, 3)

# Colours of what is drawn, chosen to be told apart by everyone and to sit well beside a quiet interface.
CLAY = (0.85, 0.59, 0.45)
SLATE = (0.46, 0.59, 0.74)
SAGE = (0.55, 0.69, 0.54)
BONE = (0.88, 0.86, 0.81)
PLUM = (0.64, 0.52, 0.67)
GOLD = (0.84, 0.72, 0.45)
INK = (0.20, 0.24, 0.30)
SEAM = (0.29, 0.50, 0.82)  # of transitions in generated motion
CHARACTERS = (CLAY, SLATE, SAGE, GOLD, PLUM, BONE)
SCALE = (0.1, 0.3, 0.6)  # metres off the path at which these are reached

# Batches


@dataclass(eq=False)
class Batch:
    """Instances of one kind, a row each. `columns` are padded to whole texels of four numbers."""

    rows: np.ndarray  # (n, columns) float32, contiguous
    count: int | None = None  # how many of them to draw; None: all
    # None where all is opaque (alpha is then ignored), or (G + 1,) rising row numbers: rows groups[g] to groups[g + 1]
    # form one translucent body, drawn without a view of its inside, the farthest body first.
    groups: np.ndarray | None = None
    shadow: bool = True  # whether it casts one
    version: int = 0  # counts changes of the rows
    box: np.ndarray | None = None  # (2, 3) corners of a box around all that is drawn; None: worked out from the rows

    columns: ClassVar[int] = 0

    def __post_init__(self):
        rows = self.rows
        if rows.ndim != 2 or rows.shape[1] != self.columns or rows.dtype != np.float32 or not rows.flags.c_contiguous:
            raise MotionError(
                f"{type(self).__name__} need contiguous float32 rows of {self.columns} numbers, "
                f"not {rows.dtype} of shape {rows.shape}"
            )

    def __len__(self) -> int:
        return len(self.rows) if self.count is None else min(self.count, len(self.rows))

    def touch(self, box: np.ndarray | None = None) -> None:
        """The rows have changed: upload them before they are drawn next."""
        self.version += 1
        self.box = box

    def middle(self, start: int, stop: int) -> np.ndarray:
        """(3,) metres: where the body of some rows is."""
        return self.rows[start:stop, :3].mean(axis=0)


@dataclass(eq=False)
class Capsules(Batch):
    """Rows of 12: start x y z, radius at the start; end x y z, radius at the end; r g b a. Ends are round."""

    body: int = 0  # so many rows after one another form one character, whose limbs shade each other; 0: no shading
    thin: bool = False  # lines of one width, whatever is around the bones

    columns = 12


class Spheres(Batch):
    """Rows of 8: centre x y z, radius; r g b a."""

    columns = 8


@dataclass(eq=False)
class Solids(Batch):
    """Rows of 16: centre x y z, unused; quaternion w x y z; size along its own x y z, unused; r g b a.

    shape: "box", "cylinder" (upright, the size is its diameters and height) or "plane" (level, the y size does not
    count), each filling a box of its size; or a `Mesh` (such as `read_obj` gives), scaled by its size.
    """

    shape: str | Mesh = "box"

    columns = 16


@dataclass(eq=False)
class Skins(Batch):
    """Characters of one skeleton. Rows of 8, one for each joint and one more for each character: the motion of the
    joint from the bind pose as a unit dual quaternion (real w x y z, dual w x y z), then r g b a and how strongly
    left and right are told apart, 0 … 1. `characters.Look` fills them."""

    surface: BodySurface | None = None
    capsules: Capsules | None = None  # of the same characters: what darkens the floor, and limbs each other

    columns = 8

    @property
    def each(self) -> int:
        """Rows of a character."""
        return len(self.surface.skeleton) + 1 if self.surface else 1

    def middle(self, start: int, stop: int) -> np.ndarray:
        w, x, y, z, *dual = self.rows[start].tolist()
        # The root's translation: twice the vector of dual · conjugate(real).
        dw, dx, dy, dz = dual
        return 2.0 * np.array(
            [w * dx - dw * x - dy * z + dz * y, w * dy - dw * y - dz * x + dx * z, w * dz - dw * z - dx * y + dy * x]
        )


@dataclass(eq=False)
class Lines(Batch):
    """Rows of 8: x y z, joined; r g b a. joined is 0 where a line begins and 1 where it goes on from the row before."""

    width: float = 2.0  # in pixels; or, where `flat`, in metres
    flat: bool = False  # a ribbon that lies level, such as a path on the floor

    columns = 8


@dataclass(eq=False)
class Points(Batch):
    """Rows of 8: x y z, radius; r g b a. Drawn as small balls. They cast no shadow."""

    pixels: float = 2.0  # least width
    through: bool = False  # whether they are seen through whatever is before them

    columns = 8


@dataclass(eq=False)
class Marks(Batch):
    """Rings that lie level, such as foot contacts or a goal. Rows of 8: centre x y z, radius; r g b a. They cast no
    shadow."""

    hollow: float = 0.0  # how much of the radius is empty, 0 for a full disc

    columns = 8


def polyline(points: Points3, rgba: Numbers, joined: Numbers | None = None, **options: Any) -> Lines:
    """Lines through points (n, 3) in one colour (4,) or one per point (n, 4); joined: (n,) 0 where a line begins."""
    points = np.asarray(points, np.float32).reshape(-1, 3)
    rows = np.empty((len(points), Lines.columns), np.float32)
    rows[:, :3], rows[:, 3], rows[:, 4:] = points, 1.0 if joined is None else joined, rgba
    rows[:1, 3] = 0.0
    return Lines(rows, **options)


_Round = TypeVar("_Round", Spheres, Marks)


def _round(kind: type[_Round], centres: Points3, radius: float | Numbers, rgba: Numbers, options: dict) -> _Round:
    centres = np.asarray(centres, np.float32).reshape(-1, 3)
    rows = np.empty((len(centres), 8), np.float32)
    rows[:, :3], rows[:, 3], rows[:, 4:] = centres, radius, rgba
    return kind(rows, **options)


def spheres(centres: Points3, radius: float | Numbers, rgba: Numbers, **options: Any) -> Spheres:
    """Spheres at centres (n, 3); radius and colour one for all, or (n,) and (n, 4)."""
    return _round(Spheres, centres, radius, rgba, options)


def marks(centres: Points3, radius: float | Numbers, rgba: Numbers, **options: Any) -> Marks:
    """Level discs or rings at centres (n, 3); radius and colour one for all, or (n,) and (n, 4)."""
    return _round(Marks, centres, radius, rgba, options)


def solids(
    shape: str | Mesh,
    centres: Points3,
    sizes: Numbers,
    rgba: Numbers,
    quaternions: Numbers = (1.0, 0.0, 0.0, 0.0),
    **options: Any,
) -> Solids:
    """Solids of one shape at centres (n, 3) with sizes (3,) or (n, 3), colours and orientations likewise."""
    centres = np.asarray(centres, np.float32).reshape(-1, 3)
    rows = np.zeros((len(centres), Solids.columns), np.float32)
    rows[:, :3], rows[:, 4:8], rows[:, 8:11], rows[:, 12:] = centres, quaternions, sizes, rgba
    return Solids(rows, shape=shape, **options)


# The scene they stand in


def towards_lamp(turn: float, height: float) -> tuple[float, float, float]:
    """Unit vector from the scene to a lamp at so many degrees about y and above the horizon."""
    across = cos(radians(height))
    return across * sin(radians(turn)), sin(radians(height)), across * cos(radians(turn))


@dataclass(frozen=True, eq=False)
class Light:
    """The sun and the sky."""

    towards: tuple[float, float, float] = (-0.62, 1.0, 0.42)  # direction from the scene to the sun
    sun: float = 1.0  # strengths
    sky: float = 1.0
    softness: float = 0.055  # metres by which a shadow's edge widens per metre from what casts it
    shadows: bool = True


class Floor(NamedTuple):
    """It fades out `reach` metres from `centre`, usually where the characters are."""

    height: float = 0.0
    style: str = "checker"  # or "grid" or "none"
    tile: float = 1.0  # edge of a square
    reach: float = 22.0
    centre: tuple[float, float] = (0.0, 0.0)  # x, z
    contact: float = 1.0  # darkness where a body comes close to the floor, 0 … 1


FLOOR = Floor()


def reach(distance: float) -> float:
    """Metres at which the floor has faded for a camera so far from what it looks at."""
    return max(FLOOR.reach, 4.0 * distance)


@dataclass(frozen=True, eq=False)
class Backdrop:
    """Colours of the surroundings: overhead, at the horizon, and of the floor's two kinds of squares."""

    zenith: Colour = (0.66, 0.71, 0.77)
    horizon: Colour = (0.845, 0.855, 0.865)
    floor: Colour = (0.765, 0.77, 0.775)
    floor_other: Colour = (0.715, 0.722, 0.73)


DAY = Backdrop()
NIGHT = Backdrop((0.085, 0.095, 0.115), (0.17, 0.185, 0.21), (0.205, 0.22, 0.245), (0.165, 0.178, 0.20))


@dataclass(eq=False)
class SceneFrame:
    """Everything in one scene at one moment. Order of the batches does not matter, except among lines, points and
    marks, which are drawn in the order given."""

    batches: list[Batch] = field(default_factory=list)
    light: Light = Light()
    floor: Floor = FLOOR
    backdrop: Backdrop = DAY


class View(NamedTuple):
    """What a camera sees, and the part of the target it fills; `Camera.view` gives it."""

    view: dmat4  # world to camera, which looks along −z
    projection: dmat4  # camera to clip space
    eye: dvec3  # where the camera stands
    rect: Rect  # in pixels of the target
    scale: float = 1.0  # pixels per point on high-density displays, for widths of lines and points

    @property
    def matrix(self) -> dmat4:
        """World to clip space."""
        return product(self.projection, self.view)

    @property
    def zoom(self) -> float:
        """Pixels that a metre is high at a distance of one metre."""
        return 0.5 * self.rect[3] * self.projection[1, 1]


# The picture of the graph


@dataclass(frozen=True, eq=False)
class Sheet:
    """What a canvas of the graph shows: see `graph_canvas`."""

    size: Size
    place: tuple[float, float, float, float]  # pixels per second and per lane, and where 0 s and lane 0 are
    rows: np.ndarray  # (n, 8) float32, ends and cost of all curves there are
    picks: np.ndarray  # (k,) which of them, 4 · row + state
    bars: np.ndarray  # (m, 8) float32, from and to in seconds, lane, half the height in pixels, and colour
    max_cost: float  # the cost that is darkest
    width: float  # of a line, pixels
    paper: tuple[float, float, float, float]  # colour behind it all, alpha 0 for none
    walk: tuple[float, float, float] = (0.0, 0.0, 0.0)  # colour of the curves of a walk
