"""The path of a clip on the floor, and where the body faces.

The root's path is smoothed over a step, so that swaying hips do not count as distance walked (Kovar 2002, 5.1, takes a
spline through it). Graphs keep it, so that planning in a database does not read every pose.
"""

from weakref import WeakKeyDictionary

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.model import sides
from motiongraph.model.clip import Clip

_SMOOTH = 0.2  # s, of the Gaussian over the root's path

_paths: WeakKeyDictionary[Clip, tuple[np.ndarray, np.ndarray]] = WeakKeyDictionary()


def floor_path(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2) x, z of the smoothed root and (F, 2) unit vectors the body faces, x, z; computed once for each clip."""
    if clip not in _paths:
        path, face = np.hsplit(floor_rows(clip).astype(np.float64), 2)
        _paths[clip] = np.ascontiguousarray(path), np.ascontiguousarray(face)
    return _paths[clip]


def floor_rows(clip: Clip) -> np.ndarray:
    """(F, 4) float32: the same, as files hold it."""
    path = _smooth(clip.root[:, [0, 2]], clip)
    pairs = sides.pairs(clip.skeleton)
    if len(pairs):
        places = clip.positions()
        across = (places[:, pairs[:, 0]] - places[:, pairs[:, 1]]).mean(axis=1)
        face = np.stack([-across[:, 2], across[:, 0]], axis=1)
    else:
        face = np.gradient(path, axis=0) if len(path) > 1 else np.array([[0.0, 1.0]])
    face = _smooth(face, clip)
    size = np.linalg.norm(face, axis=1, keepdims=True)
    face = np.where(size > 1e-9, face / np.maximum(size, 1e-9), [0.0, 1.0])
    return np.concatenate([path, face], axis=1).astype(np.float32)


def _smooth(values: np.ndarray, clip: Clip) -> np.ndarray:
    """Without what swings within a step; straight on beyond the ends. Frames before `first` stay as they are."""
    out, moving = values.copy(), values[clip.first :]
    sigma = _SMOOTH * clip.fps
    wide = min(int(3 * sigma), len(moving) - 1)
    if wide > 0:
        wider = np.pad(moving, ((wide, wide), (0, 0)), mode="reflect", reflect_type="odd")
        out[clip.first :] = scipy.ndimage.gaussian_filter1d(wider, sigma, axis=0)[wide:-wide]
    return out
