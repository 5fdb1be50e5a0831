"""Where a walk goes on the floor, and how far that is from a path it should follow.

Two measures of that distance: to the nearest point of the path, which is what one sees, and at equal arc length, which
is what Kovar's equation 9 sums up (2002, 5.1): a character that falls behind is off by as much, though it may stand on
the path.
"""

from typing import Any

import numpy as np
from numba import types

from motiongraph.elementary import cos
from motiongraph.kernels import F64, I64, kernel, read
from motiongraph.model.clip import Clip
from motiongraph.model.placement import Placement, place, turn
from motiongraph.walks.curve import Curve
from motiongraph.walks.floor_path import floor_path
from motiongraph.walks.walk import Walk

_BACK, _AHEAD = 0.5, 1.0  # m, how far from the last nearest point the next one is looked for
_ALONG = 45.0  # degrees, within which a body faces along the path


def trace(walk: Walk, smooth: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2) x, z of the root on the floor, metres, and (F, 2) unit vectors the body faces; blended in transitions.

    smooth: the root's path without the sway of a step, as planning measures it.
    """
    u = (np.arange(walk.window) + 1.0) / walk.window
    alpha = (2.0 * u * u * u - 3.0 * u * u + 1.0)[:, None]
    places, facing = [], []
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        here = _placed(walk.clips[clip], slice(start, stop), walk.placements[k], smooth)
        places.append(here[0])
        facing.append(here[1])
        if k < len(walk.transitions):
            jump = walk.transitions[k]
            a, b = int(jump["src_frame"]), int(jump["dst_frame"])
            first = _placed(walk.clips[jump["src"]], slice(a, a + walk.window), walk.placements[k], smooth)
            second = _placed(walk.clips[jump["dst"]], slice(b, b + walk.window), walk.placements[k + 1], smooth)
            places.append(alpha * first[0] + (1.0 - alpha) * second[0])
            facing.append(alpha * first[1] + (1.0 - alpha) * second[1])
    facing = np.concatenate(facing)
    return np.concatenate(places), facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)


def _placed(clip: Clip, frames: slice, placement: Placement, smooth: bool) -> tuple[np.ndarray, np.ndarray]:
    path, face = floor_path(clip)
    own = path[frames] if smooth else clip.root[frames][:, [0, 2]]
    return place(placement, own), turn(placement[0], face[frames])


@kernel(types.Tuple((F64[::1], I64[::1]))(read(F64, 2), read(F64, 2), I64, I64))
def nearest_samples(places, line, back, ahead):
    """Of each of places (F, 2), the distance from the line (M, 2), metres, and its nearest sample.

    back, ahead: how many samples around the last one are searched; more for who is further off, who may cut a bend.
    """
    n, here, far = line.shape[0], 0, 0.0
    distance, index = np.empty(places.shape[0]), np.empty(places.shape[0], np.int64)
    for f in range(places.shape[0]):
        least = np.inf
        wide = 1.0 + 2.0 * far
        first = max(here - int(back * wide), 0)
        for i in range(first, min(here + int(ahead * wide), n)):
            d = (places[f, 0] - line[i, 0]) ** 2 + (places[f, 1] - line[i, 1]) ** 2
            if d < least:
                least, here = d, i
        far = np.sqrt(least)
        distance[f], index[f] = far, here
    return distance, index


def progress_along(walk: Walk, curve: Curve) -> np.ndarray:
    """(F,) metres along the path of the point nearest to each frame, looked for near the one before."""
    return nearest_on(trace(walk)[0], curve)[1] * curve.spacing


def nearest_on(places: np.ndarray, curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """Of each of places (F, 2), metres from the path and the number of its nearest sample, looked for near the one
    before."""
    back, ahead = max(round(_BACK / curve.spacing), 1), max(round(_AHEAD / curve.spacing), 2)
    return nearest_samples(np.ascontiguousarray(places), curve.places, back, ahead)


def distance_at_equal_arc(walk: Walk, curve: Curve) -> np.ndarray:
    """(F,) metres between the character and the point of the path at the same arc length (Kovar 2002, eq. 9); beyond
    the path's end, its last point."""
    places, _ = trace(walk, smooth=True)
    walked = np.cumsum(np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1))
    return np.linalg.norm(places - curve.at(walked), axis=1)


def path_error(walk: Walk, curve: Curve) -> dict[str, Any]:
    """Metres from the path, mean and worst over the frames, to its nearest point and at equal arc length; the sum of
    equation 9, m² times frames; the share of time the body faces along it; how far it was walked."""
    places, facing = trace(walk)
    if not len(places):
        return {"path_length": curve.length, "path_walked": 0.0}
    distance, index = nearest_on(places, curve)
    along = (facing * curve.tangents[index]).sum(axis=1) >= cos(np.radians(_ALONG))
    apart = distance_at_equal_arc(walk, curve)
    return {
        "path_length": curve.length,
        "path_walked": float(index.max() * curve.spacing),
        "path_error_mean": float(distance.mean()),
        "path_error_worst": float(distance.max()),
        "arc_error_mean": float(apart.mean()),
        "arc_error_worst": float(apart.max()),
        "equation_9": float((apart * apart).sum()),
        "facing_along": float(along.mean()),
    }
