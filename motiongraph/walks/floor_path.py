"""The path of every clip on the floor, and where it may be left: what planning needs of a graph, as plain arrays.

Frames of all clips are counted one after the other; clip c begins at `starts[c]`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.errors import MotionError
from motiongraph.graph.candidates import Candidates
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, I32, I64, kernel, read, types
from motiongraph.model.placement import heading_of

SAMPLES = 4  # points at which the path through a transition is sampled
_RATE = 30.0  # Hz, at which pieces are sampled


class Runs(NamedTuple):
    """Where motion may be left and joined: F frames of all clips, T transitions."""

    run_end: np.ndarray  # (F,) last frame that may be played to from here, −1 for none
    next_out: np.ndarray  # (F + 1,) first transition that leaves at or after each frame
    leave: np.ndarray  # (T,) frame at which each transition leaves
    arrive: np.ndarray  # (T,) frame at which it arrives


class Floor(NamedTuple):
    """A graph as the kernels read it: F frames of all clips, T transitions."""

    path: np.ndarray  # (F, 2) x, z of the smoothed root, metres, as captured
    arc: np.ndarray  # (F,) metres walked since the clip began
    face: np.ndarray  # (F, 2) unit vector x, z the body faces
    run_end: np.ndarray  # these four as in `Runs`
    next_out: np.ndarray
    leave: np.ndarray
    arrive: np.ndarray
    jump: np.ndarray  # (T, 5) its alignment theta, x0, z0, its cost (cm), metres walked in it
    # (T, SAMPLES, 5) x, z, metres since the sample before and facing x, z along it, placed as the clip it leaves
    way: np.ndarray


RUNS = types.NamedUniTuple(read(I32), 4, Runs)
FLOOR = types.NamedTuple(
    (read(F64, 2), read(F64), read(F64, 2), read(I32), read(I32), read(I32), read(I32), read(F64, 2), read(F64, 3)),
    Floor,
)


@dataclass(frozen=True, eq=False)
class FloorGraph:
    """A graph laid out on the floor; where its clips lead is worked out when it is first asked for."""

    candidates: Candidates
    runs: Runs
    starts: np.ndarray  # (clips + 1,) where each clip's frames begin
    rows: np.ndarray  # (T,) each transition's place in the table of candidates
    nodes: np.ndarray  # (n,) frames at which motion can be joined
    stride: int  # frames between two samples of a piece
    fps: float
    window: int  # frames of a transition

    @property
    def floor(self) -> Floor:
        return self._laid[0]

    @property
    def quickest(self) -> float:
        """m/s, highest speed of any clip."""
        return self._laid[1]

    @cached_property
    def pace(self) -> np.ndarray:
        """(F,) m/s on the floor at every frame: from the one before to the one after, within its clip."""
        arc, pace = self.floor.arc, np.zeros(len(self.floor.arc))
        pace[1:-1] = (arc[2:] - arc[:-2]) / 2 * self.fps
        first, last = self.starts[:-1], self.starts[1:] - 1
        pace[first] = (arc[np.minimum(first + 1, last)] - arc[first]) * self.fps
        pace[last] = (arc[last] - arc[np.maximum(last - 1, first)]) * self.fps
        return pace

    @cached_property
    def _laid(self) -> tuple[Floor, float]:
        starts, paths, table = self.starts, self.candidates.paths, self.candidates.table
        path, face = paths[:, :2].astype(np.float64, order="C"), paths[:, 2:].astype(np.float64, order="C")
        begin = starts[:-1] + [clip.first for clip in self.candidates.clips]
        steps = _steps(path, starts, begin)
        jump, way = np.empty((len(self.rows), 5)), np.empty((len(self.rows), SAMPLES, 5))
        for column, name in enumerate(("theta", "x0", "z0", "cost")):
            jump[:, column] = table[name][self.rows]
        last = starts[table["src"][self.rows] + 1] - 1
        _ways(path, face, self.runs.leave, self.runs.arrive, jump, last, self.window, way)
        jump[:, 4] = way[:, :, 2].sum(axis=1)
        floor = Floor(path, np.cumsum(steps), face, *self.runs, jump, way)
        for array in floor:
            array.flags.writeable = False
        quickest = float(np.percentile(steps, 99.9) * self.fps) if len(steps) > 1 else 1.0
        return floor, max(quickest, 0.1)

    def place(self, frame: int) -> tuple[int, int]:
        """Clip and frame of a frame counted over all clips."""
        clip = int(np.searchsorted(self.starts, frame, side="right")) - 1
        return clip, int(frame - self.starts[clip])

    def heading(self, frame: int | np.ndarray) -> np.ndarray:
        """Radians about y that the body faces at these frames; 0 faces z."""
        return heading_of(self.floor.face[frame])

    def exits(self, frame: int) -> np.ndarray:
        """(n,) transitions that leave the run which begins at a frame."""
        end = int(self.runs.run_end[frame])
        first = int(self.runs.next_out[frame])
        return np.arange(first, int(self.runs.next_out[end + 1]) if end >= 0 else first)

    @property
    def widest(self) -> int:
        """The largest number of transitions that leave a clip."""
        return int(np.max(np.diff(np.searchsorted(self.runs.leave, self.starts)), initial=1))


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
    structure, table, window = graph.structure, graph.candidates.table, graph.window
    starts = np.cumsum([0, *map(len, graph.clips)])
    rows = np.flatnonzero(graph.open).astype(np.int32)
    leave = (starts[table["src"][rows]] + table["src_frame"][rows]).astype(np.int32)
    arrive = (starts[table["dst"][rows]] + table["dst_frame"][rows] + window).astype(np.int32)
    at = starts[structure.clip] + structure.frame
    busy = graph.open_pieces.copy()
    busy[structure.leaves[rows]] = True
    next_out = np.zeros(starts[-1] + 1, np.int32)
    np.cumsum(np.bincount(leave, minlength=starts[-1]), out=next_out[1:])
    runs = Runs(_run_ends(at, graph.open_pieces, starts), next_out, leave, arrive)
    for array in runs:
        array.flags.writeable = False
    stride = max(round(graph.fps / _RATE), 1)
    return FloorGraph(graph.candidates, runs, starts, rows, at[busy], stride, graph.fps, window)


def _run_ends(at: np.ndarray, open_pieces: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(F,) `Runs.run_end`; at: (N,) frames of the choice points; open_pieces: (N,) whether the clip goes on there."""
    run_end, count = np.full(starts[-1], -1, np.int32), len(at)
    if count:
        # The run from a node ends at the first node from which the clip may not be played on, and so do those from the
        # frames before it, back to the node before.
        index = np.where(open_pieces, count, np.arange(count))
        last = np.minimum.accumulate(index[::-1])[::-1]
        run_end[: at[-1] + 1] = np.repeat(at[last], np.diff(at, prepend=-1))
        before = np.searchsorted(at, starts[1:]) - 1
        beyond = np.where(before >= 0, np.maximum(at[before] + 1, starts[:-1]), starts[:-1])
        for first, end in zip(beyond.tolist(), starts[1:].tolist()):
            run_end[first:end] = -1
    return run_end


@kernel(F64[::1](read(F64, 2), read(I64), read(I64)))
def _steps(path, starts, begin):
    """(F,) metres on the floor from the frame before, of path (F, 2); 0 up to frame begin (clips,) of each clip."""
    out = np.zeros(path.shape[0])
    for c in range(begin.shape[0]):
        for f in range(begin[c] + 1, starts[c + 1]):
            x, z = path[f, 0] - path[f - 1, 0], path[f, 1] - path[f - 1, 1]
            out[f] = np.sqrt(x * x + z * z)
    return out


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
