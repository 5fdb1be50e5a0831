"""Whole motions in one picture: the way of the root over the floor, footprints, and flow pictures."""

import numpy as np

from motiongraph.viewer.draw.characters import Look
from motiongraph.viewer.draw.frame import Batch, Lines, Marks, marks, polyline
from motiongraph.viewer.draw.palette import SEAM

ABOVE_FLOOR = 0.003  # metres, so that nothing flickers
_OLDEST = 0.14  # alpha of the oldest pose of a flow picture


def trajectory(root: np.ndarray, floor: float, rgb, width: float = 0.035, joined=None) -> Lines:
    """The way of a root (F, 3) as a ribbon on the floor, fainter where it is long ago; rgb: (3,) or (F, 3); joined:
    (F,) 0 where a new ribbon begins."""
    points = np.array(root, np.float64)
    points[:, 1] = floor + ABOVE_FLOOR
    colours = np.empty((len(points), 4))
    colours[:, :3], colours[:, 3] = rgb, np.linspace(0.35, 0.9, len(points))
    return polyline(points, colours, joined, width=width, flat=True)


def footprints(positions: np.ndarray, planted: np.ndarray, floor: float, rgba) -> Marks:
    """A disc where each foot joint came to stand: positions (F, n, 3), planted (F, n) bool."""
    begins = planted & ~np.concatenate([np.zeros((1, planted.shape[1]), bool), planted[:-1]])
    centres = np.array(positions[begins], np.float64).reshape(-1, 3)
    centres[:, 1] = floor + ABOVE_FLOOR
    return marks(centres, 0.055, rgba)


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


def flow(look: Look, positions, orientations, rgb, shift=None) -> list[Batch]:
    """Poses (n, J, 3), (n, J, 4), oldest first, all at once: the last one solid, the others clearer with age (the
    dissertation's figures 5.1 to 5.9). rgb: (3,) or (n, 3); shift: (n, 3) metres to move each by, such as `spread`
    gives."""
    positions = np.array(positions, np.float64)
    if shift is not None:
        positions += np.asarray(shift)[:, None]
    count = len(positions)
    colours = np.ones((count, 4))
    colours[:, :3] = rgb
    colours[:, 3] = np.linspace(_OLDEST, 0.75, count)
    newest = look.bones(1)
    look.fill_bones(newest, positions[-1], orientations[-1], (*colours[-1, :3], 1.0))
    if count == 1:
        return [newest]
    older = look.bones(count - 1, groups=look.groups(count - 1), shadow=False)
    look.fill_bones(older, positions[:-1], orientations[:-1], colours[:-1])
    return [older, newest]
