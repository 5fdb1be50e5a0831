"""Where a walk goes: every frame's place on the floor and the way the body faces, and how far that is from a path."""

import numpy as np
from numba import njit, types

from motiongraph.walks.curve import Curve
from motiongraph.walks.floor_path import COMPILED, floor_path, read
from motiongraph.walks.walk import Walk

_BACK, _AHEAD = 0.5, 1.0  # m, how far from the last nearest point the next one is looked for
_ALONG = 45.0  # degrees, within which a body faces along the path


def trace(walk: Walk) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2) x, z of the root on the floor, metres, and (F, 2) unit vectors the body faces; blended in transitions."""
    u = (np.arange(walk.window) + 1.0) / walk.window
    alpha = (2.0 * u**3 - 3.0 * u**2 + 1.0)[:, None]
    parts = []
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        parts.append(_placed(walk.clips[clip], slice(start, stop), walk.placements[k]))
        if k < len(walk.transitions):
            jump = walk.transitions[k]
            a, b = int(jump["src_frame"]), int(jump["dst_frame"])
            first = _placed(walk.clips[jump["src"]], slice(a, a + walk.window), walk.placements[k])
            second = _placed(walk.clips[jump["dst"]], slice(b, b + walk.window), walk.placements[k + 1])
            parts.append(tuple(alpha * x + (1.0 - alpha) * y for x, y in zip(first, second)))
    places, facing = (np.concatenate(part) for part in zip(*parts))
    return places, facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)


def _placed(clip, frames, placement):
    theta, x, z = placement
    c, s = np.cos(theta), np.sin(theta)
    turn = np.array([[c, -s], [s, c]])
    return clip.root[frames][:, [0, 2]] @ turn + [x, z], floor_path(clip)[1][frames] @ turn


@njit(types.Tuple((types.float64[::1], types.int64[::1]))(
    read(types.float64, 2), read(types.float64, 2), types.int64, types.int64), **COMPILED)  # fmt: skip
def _nearest(places, line, back, ahead):
    """Of each place, the distance from the line and the nearest sample, looked for near the one before."""
    n, here = line.shape[0], 0
    distance, index = np.empty(places.shape[0]), np.empty(places.shape[0], np.int64)
    for f in range(places.shape[0]):
        least = np.inf
        first = max(here - back, 0)
        for i in range(first, min(here + ahead, n)):
            d = (places[f, 0] - line[i, 0]) ** 2 + (places[f, 1] - line[i, 1]) ** 2
            if d < least:
                least, here = d, i
        distance[f], index[f] = np.sqrt(least), here
    return distance, index


def progress_along(walk: Walk, curve: Curve) -> np.ndarray:
    """(F,) metres along the path of the point nearest to each frame, looked for near the one before."""
    return nearest_on(trace(walk)[0], curve)[1] * curve.spacing


def nearest_on(places, curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """Of each of places (F, 2), metres from the path and the number of its nearest sample, looked for near the one
    before."""
    back, ahead = max(round(_BACK / curve.spacing), 1), max(round(_AHEAD / curve.spacing), 2)
    return _nearest(np.ascontiguousarray(places), curve.places, back, ahead)


def path_error(walk: Walk, curve: Curve) -> dict:
    """Metres from the path, mean and worst over the frames; the share of time the body faces along it; how far."""
    places, facing = trace(walk)
    if not len(places):
        return {"path_length": curve.length, "path_walked": 0.0}
    distance, index = nearest_on(places, curve)
    along = np.einsum("ij,ij->i", facing, curve.tangents[index]) >= np.cos(np.radians(_ALONG))
    return {
        "path_length": curve.length,
        "path_walked": float(index.max() * curve.spacing),
        "path_error_mean": float(distance.mean()),
        "path_error_worst": float(distance.max()),
        "facing_along": float(along.mean()),
    }
