"""What planning needs of a graph, as plain arrays: where every clip goes on the floor, and where it may be left.

Frames of all clips are counted one after the other; clip c begins at `starts[c]`. The root's path is smoothed over a
step, so that swaying hips do not count as way walked (Kovar 2002, 5.1, takes a spline through it).
"""

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numba import types
from scipy.ndimage import gaussian_filter1d

from motiongraph.errors import MotionError
from motiongraph.model import sides

SAMPLES = 4  # points at which a transition's way is looked at
COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}
_SMOOTH = 0.2  # s, of the Gaussian over the root's path
_RATE = 30.0  # Hz, at which pieces are looked at


class Terrain(NamedTuple):
    """path: (F, 2) x, z of the smoothed root, metres, as captured; arc: (F,) metres travelled since the clip began;
    face: (F, 2) unit vector x, z the body faces; run_end: (F,) the last frame that may be played to from here, −1 for
    none; next_out: (F + 1,) the first transition that leaves at or after each frame; leave, arrive: (T,) frames
    between which each transition leads; jump: (T, 5) theta, x0, z0, cost (cm), metres walked; way: (T, SAMPLES, 5)
    x, z, metres since the sample before and facing x, z along the transition, in the coordinates of the clip left."""

    path: np.ndarray
    arc: np.ndarray
    face: np.ndarray
    run_end: np.ndarray
    next_out: np.ndarray
    leave: np.ndarray
    arrive: np.ndarray
    jump: np.ndarray
    way: np.ndarray


def read(of, dimensions):
    """The type of a contiguous array that a kernel only reads."""
    return types.Array(of, dimensions, "C", readonly=True)


_REAL, _WHOLE = (lambda n: read(types.float64, n)), (lambda n: read(types.int32, n))
TERRAIN = types.NamedTuple(
    (_REAL(2), _REAL(1), _REAL(2), _WHOLE(1), _WHOLE(1), _WHOLE(1), _WHOLE(1), _REAL(2), _REAL(3)), Terrain
)


@dataclass(frozen=True, eq=False)
class Ground:
    """terrain: the arrays; starts: (clips + 1,) where each clip's frames begin; rows: (T,) the transitions' places in
    the table of candidates; nodes: (n,) frames at which motion can be joined; stride: frames between two looks at a
    piece; quickest: m/s, the highest speed of any clip."""

    terrain: Terrain
    starts: np.ndarray
    rows: np.ndarray
    nodes: np.ndarray
    stride: int
    quickest: float
    fps: float
    window: int

    def place(self, frame: int) -> tuple[int, int]:
        """Clip and frame of a frame counted over all clips."""
        clip = int(np.searchsorted(self.starts, frame, side="right")) - 1
        return clip, int(frame - self.starts[clip])

    def heading(self, frame) -> np.ndarray:
        """Radians about y that the body faces at these frames; 0 faces z."""
        face = self.terrain.face[frame]
        return np.arctan2(face[..., 0], face[..., 1])


_known: WeakKeyDictionary = WeakKeyDictionary()


def ground_of(graph) -> Ground:
    """The ground of a graph, computed once for each view of it."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        found = graph.candidates, _ground(graph)
        _known[graph] = found
    return found[1]


def without_dead_ends(graph):
    """The graph whose walks never end: itself if it is pruned, else its pruned part."""
    kept = graph if graph.is_pruned else _pruned(graph)
    if not kept.open.any():
        costs = graph.candidates.table["cost"]
        more = " a higher threshold keeps more" if len(costs) and costs.max() > graph.thresholds.highest else ""
        raise MotionError(
            f"no motion can go on for ever at {graph.thresholds.highest:g} {graph.metric.unit};{more or ' add clips'}"
        )
    return kept


_pruned_views: WeakKeyDictionary = WeakKeyDictionary()


def _pruned(graph):
    found = _pruned_views.get(graph)
    if found is None or found.candidates is not graph.candidates:
        found = _pruned_views[graph] = graph.pruned()
    return found


_paths: WeakKeyDictionary = WeakKeyDictionary()


def floor_path(clip) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2) x, z of the smoothed root and (F, 2) unit vectors the body faces, x, z; computed once for each clip."""
    if clip not in _paths:
        _paths[clip] = _floor_path(clip)
    return _paths[clip]


def _floor_path(clip):
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
    return path, np.where(size > 1e-9, face / np.maximum(size, 1e-9), [0.0, 1.0])


def _smooth(values, clip):
    """Without what swings within a step; straight on beyond the ends. Frames before `first` stay as they are."""
    out, moving = values.copy(), values[clip.first :]
    sigma = _SMOOTH * clip.fps
    wide = min(int(3 * sigma), len(moving) - 1)
    if wide > 0:
        wider = np.pad(moving, ((wide, wide), (0, 0)), mode="reflect", reflect_type="odd")
        out[clip.first :] = gaussian_filter1d(wider, sigma, axis=0)[wide:-wide]
    return out


def _ground(graph) -> Ground:
    clips, structure, window = graph.clips, graph.structure, graph.window
    starts = np.cumsum([0, *map(len, clips)])
    parts = [floor_path(clip) for clip in clips]
    path, face = (np.concatenate(part) for part in zip(*parts))
    steps = np.linalg.norm(np.diff(path, axis=0, prepend=path[:1]), axis=1)
    for clip, begin in zip(clips, starts):
        steps[begin : begin + clip.first + 1] = 0.0
    arc = np.cumsum(steps)

    rows = np.flatnonzero(graph.open).astype(np.int32)
    table = graph.candidates.table[rows]
    leave = (starts[table["src"]] + table["src_frame"]).astype(np.int32)
    arrive = (starts[table["dst"]] + table["dst_frame"] + window).astype(np.int32)
    jump = np.stack([table[name] for name in ("theta", "x0", "z0", "cost")], axis=1)
    frames = len(path)

    at = starts[structure.clip] + structure.frame
    run_end = np.full(frames, -1, np.int32)
    if len(structure):
        # The run from a node ends at the first node from which the clip may not be played on.
        index = np.where(graph.open_pieces, len(structure), np.arange(len(structure)))
        last = np.minimum.accumulate(index[::-1])[::-1]
        following = np.searchsorted(at, np.arange(frames))
        clip_end = np.repeat(starts[1:], np.diff(starts))
        inside = following < len(structure)
        inside[inside] &= at[following[inside]] < clip_end[inside]
        run_end[inside] = at[last[following[inside]]]
    busy = graph.open_pieces.copy()
    busy[structure.leaves[rows]] = True
    ways = _ways(path, face, leave, arrive, jump, starts[table["src"] + 1] - 1, window)
    jump = np.concatenate([jump, ways[:, :, 2].sum(axis=1, keepdims=True)], axis=1)
    next_out = np.searchsorted(leave, np.arange(frames + 1)).astype(np.int32)
    terrain = Terrain(*map(np.ascontiguousarray, (path, arc, face, run_end, next_out, leave, arrive, jump, ways)))
    for array in terrain:
        array.flags.writeable = False
    stride = max(round(graph.fps / _RATE), 1)
    quickest = float(np.percentile(steps, 99.9) * graph.fps) if frames > 1 else 1.0
    return Ground(
        terrain,
        starts,
        rows,
        at[busy],
        stride,
        max(quickest, 0.1),
        graph.fps,
        window,
    )


def _ways(path, face, leave, arrive, jump, last, window):
    """(T, SAMPLES, 5): see `Terrain.way`; blended as the transition will be (Kovar 2002, eqs. 5 and 7)."""
    way = np.zeros((len(leave), SAMPLES, 5))
    c, s = np.cos(jump[:, 0]), np.sin(jump[:, 0])
    before = path[leave]
    for k in range(SAMPLES):
        offset = round((k + 1) * window / SAMPLES)
        u = offset / window
        alpha = 2.0 * u**3 - 3.0 * u**2 + 1.0
        out, into = np.minimum(leave + offset, last), arrive - window + offset
        place = np.stack([c * path[into, 0] + s * path[into, 1], c * path[into, 1] - s * path[into, 0]], axis=1)
        place = alpha * path[out] + (1.0 - alpha) * (place + jump[:, 1:3])
        facing = np.stack([c * face[into, 0] + s * face[into, 1], c * face[into, 1] - s * face[into, 0]], axis=1)
        facing = alpha * face[out] + (1.0 - alpha) * facing
        way[:, k, :2], way[:, k, 2] = place, np.linalg.norm(place - before, axis=1)
        way[:, k, 3:] = facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)
        before = place
    return way
