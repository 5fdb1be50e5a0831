"""What is drawn besides the pose of this moment: ways of roots, foot contacts, point clouds, and flow pictures."""

import numpy as np

from motiongraph.viewer.draw.characters import Look
from motiongraph.viewer.draw.frame import Batch, Lines, Marks, Points, marks, polyline
from motiongraph.viewer.draw.palette import SEAM

ABOVE_FLOOR = 0.003  # metres, so that nothing flickers
_OLDEST = 0.14  # alpha of the oldest pose of a flow picture
_FAINT = 0.39  # how much is seen of the beginning of a way
_PRINT, _PLANTED = (0.16, 0.42, 0.33, 0.40), (0.12, 0.62, 0.42, 0.95)
_HIDDEN = (0.0, 0.0, 0.0, 0.0)
_SAMPLES = 5  # points a bone in a point cloud, as the metric takes them (metric.md 2)
_SHARES = ((np.arange(_SAMPLES) + 0.5) / _SAMPLES)[:, None]
_NOW, _LATER = np.array([0.85, 0.16, 0.20, 1.0]), np.array([0.16, 0.28, 0.80, 0.5])
WINDOW = 1.0 / 3.0  # seconds of a window's point cloud


def trajectory(root: np.ndarray, floor: float, rgb, width: float = 0.035, joined=None, alpha: float = 0.9) -> Lines:
    """The way of a root (F, 3) as a ribbon on the floor, fainter where it is long ago; rgb: (3,) or (F, 3); joined:
    (F,) 0 where a new ribbon begins."""
    points = np.array(root, np.float64)
    points[:, 1] = floor + ABOVE_FLOOR
    colours = np.empty((len(points), 4))
    colours[:, :3], colours[:, 3] = rgb, np.linspace(_FAINT * alpha, alpha, len(points))
    return polyline(points, colours, joined, width=width, flat=True)


def placed(points, theta: float, x: float, z: float) -> np.ndarray:
    """Points (n, 3) turned by theta and shifted by x, z, as Clip.moved does."""
    cosine, sine = np.cos(theta), np.sin(theta)
    return np.column_stack(
        [
            cosine * points[:, 0] + sine * points[:, 2] + x,
            points[:, 1],
            -sine * points[:, 0] + cosine * points[:, 2] + z,
        ]
    )


def prints(found: np.ndarray, start: int, stop: int, floor: float = 0.0, place=(0.0, 0.0, 0.0)) -> Marks:
    """A disc wherever a foot joint stood between two frames; found: `Prepared.prints`; place: theta, x, z."""
    found = found[(found[:, 3] < stop) & (found[:, 4] > start)]
    centres = np.column_stack([found[:, 0], np.full(len(found), floor + ABOVE_FLOOR), found[:, 1]])
    return marks(placed(centres, *place), 0.05, _PRINT)


def planted_marks(feet: int) -> Marks:
    """Room for a ring under every foot joint."""
    return marks(np.zeros((feet, 3)), 0.07, _HIDDEN)


def fill_planted(batch: Marks, positions, down, floor: float = 0.0) -> None:
    """Set the rings under the joints at positions (n, 3); only those of planted ones, down (n,) bool, are seen."""
    batch.rows[:, :3] = positions
    batch.rows[:, 1] = floor + 2 * ABOVE_FLOOR
    batch.rows[:, 4:] = np.where(down[:, None], _PLANTED, _HIDDEN)
    batch.touch()


def lighter(rgb) -> np.ndarray:
    """Colours (…, 3) of joints, which stand out from the bones of their character."""
    return 0.55 + 0.45 * np.asarray(rgb)


class Cloud:
    """The points that the metric compares: along every bone of each of some poses."""

    def __init__(self, skeleton, radii, colours, **options):
        """radii: (L,) metres and colours: (L, 4) of the points of each pose; options: of the batch."""
        frames, bones = len(radii), len(skeleton) - 1
        self.batch = Points(np.zeros((frames * bones * _SAMPLES, Points.columns), np.float32), **options)
        self._rows = self.batch.rows.reshape(frames, bones, _SAMPLES, Points.columns)
        self._rows[..., 3], self._rows[..., 4:] = radii[:, None, None], colours[:, None, None]
        self._parents = skeleton.parents[1:]

    def fill(self, positions) -> None:
        """Put the points where the joints (L, J, 3) of the poses are."""
        starts = positions[:, self._parents]
        self._rows[..., :3] = starts[:, :, None] + _SHARES * (positions[:, 1:] - starts)[:, :, None]
        self.batch.touch()


def cloud(skeleton, frames: int) -> Cloud:
    """Of one pose, within its body and yet seen; or of a window of so many, from red to blue with time."""
    age = np.linspace(0.0, 1.0, frames)[:, None]
    radii, colours = np.full(frames, 0.011 if frames == 1 else 0.006), (1.0 - age) * _NOW + age * _LATER
    return Cloud(skeleton, radii, colours, pixels=2.5, through=frames == 1)


def spread(root: np.ndarray, frames: np.ndarray, offset: float, breaks=None) -> np.ndarray:
    """(n, 3) by how much the poses at `frames` (n,) of a root (F, 3) are pushed apart along the way it goes.

    Each break (a frame number, such as the start of a transition) pushes what comes after it `offset` metres on from
    the first pose; where `breaks` is None every pose is pushed on from the one before.
    """
    way = (root[frames[-1]] - root[frames[0]]) * np.array([1.0, 0.0, 1.0])
    length = np.linalg.norm(way)
    way = way / length if length > 0.05 else np.array([1.0, 0.0, 0.0])
    steps = np.arange(len(frames)) if breaks is None else np.searchsorted(np.sort(breaks), frames, side="right")
    return (steps - steps[0])[:, None] * offset * way


def breaks(clip) -> np.ndarray:
    """(n,) the frames at which the transitions of made motion begin; none in captured motion."""
    return np.zeros(0, np.int64) if clip.origin is None else clip.origin.seams()[:, 0]


def tinted(clip, rgb) -> np.ndarray:
    """(F, 3) the colour of a clip's poses: `rgb`, and another one in its transitions."""
    colours = np.tile(np.asarray(rgb, np.float64), (len(clip), 1))
    if clip.origin is not None:
        colours[clip.origin.blended] = SEAM
    return colours


def flow(look: Look, positions, orientations, rgb, shift=None, boxes: bool = False) -> list[Batch]:
    """Poses (n, J, 3), (n, J, 4), oldest first, all at once: the last one solid, the others clearer with age (the
    dissertation's figures 5.1 to 5.9). rgb: (3,) or (n, 3); shift: (n, 3) metres to move each by, such as `spread`
    gives; boxes: bones as boxes."""
    positions = np.array(positions, np.float64)
    if shift is not None:
        positions += np.asarray(shift)[:, None]
    count = len(positions)
    colours = np.ones((count, 4))
    colours[:, :3] = rgb
    colours[:, 3] = np.linspace(_OLDEST, 0.75, count)
    make = look.boxed_bones if boxes else look.bones
    newest = make(1)
    look.fill_bones(newest, positions[-1], orientations[-1], (*colours[-1, :3], 1.0))
    if count == 1:
        return [newest]
    older = make(count - 1, groups=look.groups(count - 1), shadow=False)
    look.fill_bones(older, positions[:-1], orientations[:-1], colours[:-1])
    return [older, newest]
