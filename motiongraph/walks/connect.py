"""The quickest or cheapest way from one motion to another (Kovar 2002, 4.2), and tables of all such ways."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.shortest_paths import Network, edges_to, network_of, shortest, unreachable
from motiongraph.walks.walk import Name, Stretches, Walk, called, clip_of, frames_named

_MOST = 3000  # choice points in a table of all pairs
_TIE = 1e-6  # of ways that are equally quick the cheaper is taken, and the other way round


class _End(NamedTuple):
    """One of the two motions to connect."""

    name: Name
    mask: np.ndarray  # (F,) bool: its frames
    stretches: Stretches

    @classmethod
    def of(cls, graph: MotionGraph, starts: np.ndarray, name: Name) -> "_End":
        mask = frames_named(graph, name)
        return cls(name, mask, Stretches.of(starts, mask))


def connect(
    graph: MotionGraph, source: Name, target: Name, by: str = "quickest", *, lead: float = 1.0,
    progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """The way from a clip, (clip, frame) or label to another.

    by: "quickest" has the fewest frames, "cheapest" the least sum of transition costs. From a frame the walk begins
    there, and at a frame it ends there; of a clip or label it takes the best place, and plays up to `lead` seconds of
    it before leaving and after arriving.
    """
    began = time.perf_counter()
    progress(0, 1, "connecting")
    network = network_of(graph)
    weight, scale = _weight(network, by), _TIE if by == "cheapest" else 1.0
    source_end, target_end = ends = [_End.of(graph, network.starts, name) for name in (source, target)]
    # A node is entered from the last frame of the source before it, and left for the first of the target after it.
    at, clip = network.at, graph.structure.clip
    last_source = source_end.stretches.last_before(at, network.starts[clip])
    next_target = target_end.stretches.first_after(at, network.starts[clip + 1])
    enter = np.where(network.busy & (last_source >= 0), at - last_source, np.inf)
    rest = np.where(network.busy & (next_target >= 0), next_target - at, np.inf) * scale
    length, via = shortest(network, weight, enter * scale, rest=rest)
    whole = length + rest
    node = int(np.argmin(whole)) if len(whole) else -1
    frames, begun, direct = _straight(network.starts, source_end, target_end)
    if np.isfinite(frames) and (node < 0 or frames * scale <= whole[node]):
        return _walk(graph, begun, [], direct, lead, ends, by, began)
    if node < 0 or not np.isfinite(whole[node]):
        raise unreachable(graph, source_end.mask, target_end.mask, called(graph, source), called(graph, target))
    edges = edges_to(network, via, node)
    first = network.tail_of(edges[0]) if edges else node
    rows = [int(network.row[e]) for e in edges if network.row[e] >= 0]
    return _walk(graph, int(last_source[first]), rows, int(next_target[node]), lead, ends, by, began)


def _straight(starts: np.ndarray, source: _End, target: _End) -> tuple[float, int, int]:
    """The fewest frames that playing on within a clip takes, infinity where no clip leads there; where it begins and
    where it ends."""
    # Where both hold, that is where one of their stretches begins; else a stretch of the target begins there.
    ends = np.union1d(target.stretches.begin, source.stretches.begin[target.mask[source.stretches.begin]])
    begins = source.stretches.last_before(ends, starts[clip_of(starts, ends)])
    frames = np.where(begins >= 0, ends - begins, np.inf)
    best = int(np.argmin(frames))
    return float(frames[best]), int(begins[best]), int(ends[best])


def _weight(network: Network, by: str) -> np.ndarray:
    if by not in ("quickest", "cheapest"):
        raise MotionError(f"a way is 'quickest' or 'cheapest', not {by!r}")
    return network.frames + _TIE * network.cost if by == "quickest" else network.cost + _TIE * network.frames


def _walk(
    graph: MotionGraph, first: int, taken: list[int], last: int, lead: float, ends: Sequence[_End], by: str,
    began: float,
) -> Walk:  # fmt: skip
    """The walk from one frame to another, with up to `lead` seconds more where an end is not a single frame."""
    starts, extra = np.cumsum([0, *map(len, graph.clips)]), round(lead * graph.fps)
    rows = graph.candidates.table[np.array(taken, int)]
    source, target = ends
    if isinstance(source.name, tuple):
        first = int(np.flatnonzero(source.mask)[0])
    else:
        first = max(int(source.stretches.around(first)[0]), first - extra)
    if isinstance(target.name, tuple):
        last = int(np.flatnonzero(target.mask)[0])
    else:
        last = min(int(target.stretches.around(last)[1]), last + extra)
    clip = int(clip_of(starts, first))
    end = int(rows["dst"][-1]) if len(rows) else clip
    return Walk.of(
        graph, (clip, int(first - starts[clip])), rows, stop=int(last - starts[end]), method=f"connect, {by}",
        seconds=time.perf_counter() - began, facts={"cost_total": float(rows["cost"].sum())},
    )  # fmt: skip


def connection_table(
    graph: MotionGraph, between: str = "clips", by: str = "quickest", progress: Progress = SILENT
) -> tuple[list, np.ndarray]:
    """The names of all motions and the (n, n) lengths of the ways from each to each; infinity where there is none.

    between: "clips", "labels", or "choice points" (small graphs only; named by clip and frame). Seconds for the
    quickest ways, cm for the cheapest. A way between clips or labels counts from the best place of the one to the best
    place of the other.
    """
    network = network_of(graph)
    weight, unit = _weight(network, by), 1.0 / graph.fps if by == "quickest" else 1.0
    busy = network.busy
    nodes = np.flatnonzero(busy)
    if between == "clips":
        names = [clip.name for clip in graph.clips]
        groups = [np.flatnonzero(busy & (graph.structure.clip == k)) for k in range(len(names))]
    elif between == "labels":
        names = sorted({label for clip in graph.clips for label in clip.labels})
        groups = [np.flatnonzero(busy & frames_named(graph, name)[network.at]) for name in names]
    elif between == "choice points":
        if len(nodes) > _MOST:
            raise MotionError(
                f"{len(nodes):,} choice points are too many for a table of all pairs; {_MOST:,} is the most"
            )
        names = [
            (graph.clips[c].name, int(f)) for c, f in zip(graph.structure.clip[nodes], graph.structure.frame[nodes])
        ]
        groups = [np.array([node]) for node in nodes]
    else:
        raise MotionError(f"a table is between 'clips', 'labels' or 'choice points', not {between!r}")
    table = np.full((len(groups), len(groups)), np.inf)
    for k, group in enumerate(groups):
        if not k % 16:
            progress(k, len(groups), "connecting all")
        begin = np.full(len(network.at), np.inf)
        begin[group] = 0.0
        length, _ = shortest(network, weight, begin)
        table[k] = (
            [length[other].min(initial=np.inf) for other in groups] if between != "choice points" else length[nodes]
        )
    return names, table * unit
