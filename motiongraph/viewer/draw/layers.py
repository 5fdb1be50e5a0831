"""What is drawn besides the pose of this moment: ways of roots, foot contacts, point clouds, flow pictures, props."""

from math import cos, sin
from typing import Any

import numpy as np

from motiongraph.app.scene.props import ROUND, Prop
from motiongraph.errors import MotionError
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.model.mesh import Mesh
from motiongraph.model.placement import IDENTITY, Placement, place
from motiongraph.model.skeleton import Skeleton
from motiongraph.viewer.draw.characters import Look
from motiongraph.viewer.draw.frame import (
    SEAM,
    Batch,
    Capsules,
    Colour,
    Lines,
    Marks,
    Numbers,
    Points,
    marks,
    polyline,
    solids,
    spheres,
)
from motiongraph.viewer.matrices import dvec3, glm

ABOVE_FLOOR = 0.003  # metres, so that nothing flickers
_OLDEST = 0.14  # alpha of the oldest pose of a flow picture
_FAINT = 0.39  # how much is seen of the beginning of a way
_PRINT, _PLANTED = (0.16, 0.42, 0.33, 0.40), (0.12, 0.62, 0.42, 0.95)
_HIDDEN = (0.0, 0.0, 0.0, 0.0)
_NOW, _LATER = np.array([0.85, 0.16, 0.20, 1.0]), np.array([0.16, 0.28, 0.80, 0.5])
_UP = dvec3(0.0, 1.0, 0.0)
_LIFT = 0.0015  # metres that a plane lies above its place, below all that is drawn on the floor


def trajectory(
    root: np.ndarray,
    floor: float,
    rgb: Colour | np.ndarray,
    width: float = 0.035,
    joined: np.ndarray | None = None,
    alpha: float = 0.9,
) -> Lines:
    """The way of a root (F, 3) as a ribbon on the floor, fainter where it is long ago; rgb: (3,) or (F, 3); joined:
    (F,) 0 where a new ribbon begins."""
    points = np.array(root, np.float64)
    points[:, 1] = floor + ABOVE_FLOOR
    colours = np.empty((len(points), 4))
    colours[:, :3], colours[:, 3] = rgb, np.linspace(_FAINT * alpha, alpha, len(points))
    return polyline(points, colours, joined, width=width, flat=True)


def prints(found: np.ndarray, start: int, stop: int, floor: float = 0.0, placement: Placement = IDENTITY) -> Marks:
    """A disc wherever a foot joint stood between two frames; found: `Prepared.prints`."""
    found = found[(found[:, 3] < stop) & (found[:, 4] > start)]
    centres = np.column_stack([found[:, 0], np.full(len(found), floor + ABOVE_FLOOR), found[:, 1]])
    return marks(place(placement, centres), 0.05, _PRINT)


def planted_marks(feet: int) -> Marks:
    """Room for a ring under every foot joint."""
    return marks(np.zeros((feet, 3)), 0.07, _HIDDEN)


def fill_planted(batch: Marks, positions: np.ndarray, down: np.ndarray, floor: float = 0.0) -> None:
    """Set the rings under the joints at positions (n, 3); only those of planted ones, down (n,) bool, are seen."""
    batch.rows[:, :3] = positions
    batch.rows[:, 1] = floor + 2 * ABOVE_FLOOR
    batch.rows[:, 4:] = np.where(down[:, None], _PLANTED, _HIDDEN)
    batch.touch()


def lighter(rgb: Numbers) -> np.ndarray:
    """Colours (…, 3) of joints, which stand out from the bones of their character."""
    return 0.55 + 0.45 * np.asarray(rgb)


class Cloud:
    """The points that a metric compares, of each of some poses."""

    def __init__(self, metric: Metric, skeleton: Skeleton, radii: np.ndarray, colours: np.ndarray, **options: Any):
        """radii: (L,) metres and colours: (L, 4) of the points of each pose; options: of the batch."""
        try:
            self._samples = metric.samples(skeleton)
        except MotionError:  # weights or a mesh for another body
            self._samples = Metric().samples(skeleton)
        shape = len(radii), len(self._samples.weights), Points.columns
        self.batch = Points(np.zeros((shape[0] * shape[1], Points.columns), np.float32), **options)
        self._rows = self.batch.rows.reshape(shape)
        self._rows[..., 3], self._rows[..., 4:] = radii[:, None], colours[:, None]

    def fill(self, positions: np.ndarray, orientations: np.ndarray) -> None:
        """Put the points where the joints (L, J, 3), (L, J, 4) of the poses are."""
        self._rows[..., :3] = self._samples.points(positions, orientations)
        self.batch.touch()


def cloud(metric: Metric, skeleton: Skeleton, frames: int) -> Cloud:
    """Of one pose, within its body and yet seen; or of a window of so many, from red to blue with time."""
    age = np.linspace(0.0, 1.0, frames)[:, None]
    radii, colours = np.full(frames, 0.011 if frames == 1 else 0.006), (1.0 - age) * _NOW + age * _LATER
    return Cloud(metric, skeleton, radii, colours, pixels=2.5, through=frames == 1)


def spread(root: np.ndarray, frames: np.ndarray, offset: float, breaks: np.ndarray | None = None) -> np.ndarray:
    """(n, 3) by how much the poses at `frames` (n,) of a root (F, 3) are pushed apart along the way it goes.

    Each break (a frame number, such as the start of a transition) pushes what comes after it `offset` metres on from
    the first pose; where `breaks` is None every pose is pushed on from the one before.
    """
    way = (root[frames[-1]] - root[frames[0]]) * np.array([1.0, 0.0, 1.0])
    length = np.linalg.norm(way)
    way = way / length if length > 0.05 else np.array([1.0, 0.0, 0.0])
    steps = np.arange(len(frames)) if breaks is None else np.searchsorted(np.sort(breaks), frames, side="right")
    return (steps - steps[0])[:, None] * offset * way


def breaks(clip: Clip) -> np.ndarray:
    """(n,) the frames at which the transitions of generated motion begin; none in captured motion."""
    return np.zeros(0, np.int64) if clip.origin is None else clip.origin.seams()[:, 0]


def tinted(clip: Clip, rgb: Numbers) -> np.ndarray:
    """(F, 3) the colour of a clip's poses: `rgb`, and another one in its transitions."""
    colours = np.tile(np.asarray(rgb, np.float64), (len(clip), 1))
    if clip.origin is not None:
        colours[clip.origin.blended] = SEAM
    return colours


def flow(
    look: Look,
    positions: np.ndarray,
    orientations: np.ndarray,
    rgb: Numbers,
    shift: np.ndarray | None = None,
    style: str = "skin",
    clip: Clip | None = None,
) -> list[Batch]:
    """Poses (n, J, 3), (n, J, 4), oldest first, all at once: the last one solid, the others clearer with age (the
    dissertation's figures 5.1 to 5.9). rgb: (3,) or (n, 3); shift: (n, 3) metres to move each by, such as `spread`
    gives; style, clip: see `Look.bones`."""
    positions = np.array(positions, np.float64)
    if shift is not None:
        positions += np.asarray(shift)[:, None]
    count = len(positions)
    colours = np.ones((count, 4))
    colours[:, :3] = rgb
    colours[:, 3] = np.linspace(_OLDEST, 0.75, count)
    newest = look.bones(1, style, clip)
    look.fill_bones(newest, positions[-1], orientations[-1], (*colours[-1, :3], 1.0))
    if count == 1:
        return [newest]
    older = look.bones(count - 1, style, clip, translucent=True)
    look.fill_bones(older, positions[:-1], orientations[:-1], colours[:-1])
    return [older, newest]


def prop_batches(props: tuple[Prop, ...], floor: float = 0.0) -> list[Batch]:
    """All that is needed to draw props on a floor at this height."""
    alike: dict[Mesh | str, list[Prop]] = {}
    for prop in props:
        alike.setdefault(prop.mesh or prop.shape, []).append(prop)
    found: list[Batch] = []
    for same in alike.values():
        batch = _batch(same, floor)
        # The renderer would take a box large enough for any turn, and the shadow be coarser for it.
        boxes = np.array([corners(prop, floor) for prop in same])
        batch.box = np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
        found.append(batch)
    return found


def _batch(props: list[Prop], floor: float) -> Batch:
    """The batch of props of one shape or mesh."""
    shape, mesh = props[0].shape, props[0].mesh
    colours = np.array([(*prop.colour, 1.0) for prop in props])
    sizes = np.array([prop.size for prop in props])
    feet = np.array([(prop.x, floor + prop.height, prop.z) for prop in props])
    turns = np.array([(q.w, q.x, q.y, q.z) for q in (glm.angleAxis(prop.turn, _UP) for prop in props)])
    up = np.array(_UP)
    if shape == "sphere":
        return spheres(feet + 0.5 * sizes[:, :1] * up, 0.5 * sizes[:, 0], colours)
    if shape == "capsule":
        radii = 0.5 * sizes[:, :1]
        return Capsules(
            np.hstack([feet + radii * up, radii, feet + (sizes[:, 1:2] - radii) * up, radii, colours], dtype=np.float32)
        )
    if mesh is not None:
        # It keeps its proportions: one edge says how much larger than its file it is.
        return solids(mesh, feet, sizes.max(axis=1, keepdims=True) / np.ptp(mesh.box, axis=0).max(), colours, turns)
    if shape == "plane":
        return solids(shape, feet + _LIFT * up, np.maximum(sizes, 1e-3), colours, turns)
    return solids(shape, feet + 0.5 * sizes[:, 1:2] * up, sizes, colours, turns)


def corners(prop: Prop, floor: float = 0.0) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The lowest and the highest corner of a box around a prop as it stands."""
    wide, high, deep = prop.size
    turn, low = 0.0 if prop.shape in ROUND else prop.turn, floor + prop.height
    cosine, sine = abs(cos(turn)), abs(sin(turn))
    x, z = 0.5 * (cosine * wide + sine * deep), 0.5 * (sine * wide + cosine * deep)
    return (prop.x - x, low, prop.z - z), (prop.x + x, low + high + _LIFT, prop.z + z)
