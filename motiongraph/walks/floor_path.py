"""The path of every clip on the floor, and where it may be left: what planning needs of a graph, as plain arrays.

Frames of all clips are counted one after the other; clip c begins at `starts[c]`.
"""

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, I32, I64, kernel, read, types
from motiongraph.model.placement import heading_of

SAMPLES = 4  # points at which the path through a transition is sampled
_RATE = 30.0  # Hz, at which pieces are sampled


class Floor(NamedTuple):
    """A graph as the kernels read it: F frames of all clips, T transitions."""

    path: np.ndarray  # (F, 2) x, z of the smoothed root, metres, as captured
    arc: np.ndarray  # (F,) metres walked since the clip began
    face: np.ndarray  # (F, 2) unit vector x, z the body faces
    run_end: np.ndarray  # (F,) last frame that may be played to from here, −1 for none
    next_out: np.ndarray  # (F + 1,) first transition that leaves at or after each frame
    leave: np.ndarray  # (T,) frame at which each transition leaves
    arrive: np.ndarray  # (T,) frame at which it arrives
    jump: np.ndarray  # (T, 5) its alignment theta, x0, z0, its cost (cm), metres walked in it
    # (T, SAMPLES, 5) x, z, metres since the sample before and facing x, z along it, placed as the clip it leaves
    way: np.ndarray


FLOOR = types.NamedTuple(
    (read(F64, 2), read(F64), read(F64, 2), read(I32), read(I32), read(I32), read(I32), read(F64, 2), read(F64, 3)),
    Floor,
)


@dataclass(frozen=True, eq=False)
class FloorGraph:
    """A graph laid out on the floor."""

    floor: Floor
    starts: np.ndarray  # (clips + 1,) where each clip's frames begin
    rows: np.ndarray  # (T,) each transition's place in the table of candidates
    nodes: np.ndarray  # (n,) frames at which motion can be joined
    stride: int  # frames between two samples of a piece
    quickest: float  # m/s, highest speed of any clip
    fps: float
    window: int  # frames of a transition

    def place(self, frame: int) -> tuple[int, int]:
        """Clip and frame of a frame counted over all clips."""
        clip = int(np.searchsorted(self.starts, frame, side="right")) - 1
        return clip, int(frame - self.starts[clip])

    def heading(self, frame: int | np.ndarray) -> np.ndarray:
        """Radians about y that the body faces at these frames; 0 faces z."""
        return heading_of(self.floor.face[frame])

    def exits(self, frame: int) -> np.ndarray:
        """(n,) transitions that leave the run which begins at a frame."""
        end = int(self.floor.run_end[frame])
        first = int(self.floor.next_out[frame])
        return np.arange(first, int(self.floor.next_out[end + 1]) if end >= 0 else first)

    @property
    def widest(self) -> int:
        """The largest number of transitions that leave a clip."""
        return int(np.max(np.diff(np.searchsorted(self.floor.leave, self.starts)), initial=1))


_known: WeakKeyDictionary[MotionGraph, tuple[object, FloorGraph]] = WeakKeyDictionary()


def floor_graph(graph: MotionGraph) -> FloorGraph:
    """The graph on the floor, computed once for each view of it."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        found = _known[graph] = (graph.candidates, _floor_graph(graph))
    return found[1]


def without_dead_ends(graph: MotionGraph) -> MotionGraph:
    """The graph whose walks never end: itself if it is pruned, else its pruned part."""
    kept = graph if graph.is_pruned else _pruned(graph)
    if not kept.open.any():
        costs = graph.candidates.table["cost"]
        more = " a higher threshold keeps more" if len(costs) and costs.max() > graph.thresholds.highest else ""
        raise MotionError(
            f"no motion can go on for ever at {graph.thresholds.highest:g} {graph.metric.unit};{more or ' add clips'}"
        )
    return kept


_pruned_views: WeakKeyDictionary[MotionGraph, MotionGraph] = WeakKeyDictionary()


def _pruned(graph: MotionGraph) -> MotionGraph:
    found = _pruned_views.get(graph)
    if found is None or found.candidates is not graph.candidates:
        found = _pruned_views[graph] = graph.pruned()
    return found


def _floor_graph(graph: MotionGraph) -> FloorGraph:
    clips, structure, window = graph.clips, graph.structure, graph.window
    starts = np.cumsum([0, *map(len, clips)])
    path, face = np.hsplit(graph.candidates.paths.astype(np.float64), 2)
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
    busy = graph.open_pieces.copy()
    busy[structure.leaves[rows]] = True
    path, face, ways = np.ascontiguousarray(path), np.ascontiguousarray(face), np.empty((len(rows), SAMPLES, 5))
    _ways(path, face, leave, arrive, jump, starts[table["src"] + 1] - 1, window, ways)
    jump = np.concatenate([jump, ways[:, :, 2].sum(axis=1, keepdims=True)], axis=1)
    next_out = np.searchsorted(leave, np.arange(frames + 1)).astype(np.int32)
    run_end = _run_ends(at, graph.open_pieces, starts)
    floor = Floor(*map(np.ascontiguousarray, (path, arc, face, run_end, next_out, leave, arrive, jump, ways)))
    for array in floor:
        array.flags.writeable = False
    stride = max(round(graph.fps / _RATE), 1)
    quickest = float(np.percentile(steps, 99.9) * graph.fps) if frames > 1 else 1.0
    return FloorGraph(floor, starts, rows, at[busy], stride, max(quickest, 0.1), graph.fps, window)


def _run_ends(at: np.ndarray, open_pieces: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(F,) `Floor.run_end`; at: (N,) frames of the choice points; open_pieces: (N,) whether the clip goes on there."""
    frames, count = int(starts[-1]), len(at)
    run_end = np.full(frames, -1, np.int32)
    if count:
        # The run from a node ends at the first node from which the clip may not be played on.
        index = np.where(open_pieces, count, np.arange(count))
        last = np.minimum.accumulate(index[::-1])[::-1]
        following = np.searchsorted(at, np.arange(frames))
        clip_end = np.repeat(starts[1:], np.diff(starts))
        inside = following < count
        inside[inside] &= at[following[inside]] < clip_end[inside]
        run_end[inside] = at[last[following[inside]]]
    return run_end


@kernel((read(F64, 2), read(F64, 2), read(I32), read(I32), read(F64, 2), read(I64), I64, F64[:, :, ::1]))
def _ways(path, face, leave, arrive, jump, last, window, way):
    """Into way (T, SAMPLES, 5): see `Floor.way`; blended as the transition will be (Kovar 2002, eqs. 5 and 7).

    last: (T,) the last frame of the clip that each transition leaves.
    """
    for t in range(leave.shape[0]):
        s, c = sincos(jump[t, 0])
        before_x, before_z = path[leave[t], 0], path[leave[t], 1]
        for k in range(SAMPLES):
            offset = round((k + 1) * window / SAMPLES)
            u = offset / window
            alpha = 2.0 * u * u * u - 3.0 * u * u + 1.0
            out, into = min(leave[t] + offset, last[t]), arrive[t] - window + offset
            p, q = path[into, 0], path[into, 1]
            x = alpha * path[out, 0] + (1.0 - alpha) * (c * p + s * q + jump[t, 1])
            z = alpha * path[out, 1] + (1.0 - alpha) * (c * q - s * p + jump[t, 2])
            p, q = face[into, 0], face[into, 1]
            facing_x = alpha * face[out, 0] + (1.0 - alpha) * (c * p + s * q)
            facing_z = alpha * face[out, 1] + (1.0 - alpha) * (c * q - s * p)
            size = max(np.sqrt(facing_x * facing_x + facing_z * facing_z), 1e-9)
            way[t, k, 0], way[t, k, 1] = x, z
            way[t, k, 2] = np.sqrt((x - before_x) * (x - before_x) + (z - before_z) * (z - before_z))
            way[t, k, 3], way[t, k, 4] = facing_x / size, facing_z / size
            before_x, before_z = x, z
