"""The quickest or cheapest way from one motion to another (Kovar 2002, 4.2), and tables of all such ways."""

import time
from typing import NamedTuple

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.shortest_paths import Network, edges_to, network_of, shortest, unreachable
from motiongraph.walks.walk import Name, Walk, called, clip_of, frames_named, spans

_MOST = 3000  # choice points in a table of all pairs
_TIE = 1e-6  # of ways that are equally quick the cheaper is taken, and the other way round


class _End(NamedTuple):
    """One of the two motions to connect."""

    name: Name
    mask: np.ndarray  # (F,) bool: its frames


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
    sources, targets = frames_named(graph, source), frames_named(graph, target)
    ends = _End(source, sources), _End(target, targets)
    last_source, next_target = _last_before(network.starts, sources), _first_after(network.starts, targets)
    # A node is entered from the last frame of the source before it, and left for the first of the target after it.
    usable = network.busy
    enter = np.where(usable & (last_source[network.at] >= 0), network.at - last_source[network.at], np.inf)
    rest = np.where(usable & (next_target[network.at] >= 0), next_target[network.at] - network.at, np.inf)
    length, via = shortest(network, weight, enter * scale)
    whole = length + rest * scale
    node = int(np.argmin(whole)) if len(whole) else -1
    straight = np.where(targets & (last_source >= 0), np.arange(len(targets)) - last_source, np.inf)
    direct = int(np.argmin(straight))
    if np.isfinite(straight[direct]) and (node < 0 or straight[direct] * scale <= whole[node]):
        return _walk(graph, int(last_source[direct]), [], direct, lead, ends, by, began)
    if node < 0 or not np.isfinite(whole[node]):
        raise unreachable(graph, sources, targets, called(graph, source), called(graph, target))
    edges = edges_to(network, via, node)
    first = int(network.tail[edges[0]]) if edges else node
    rows = [int(network.row[e]) for e in edges if network.row[e] >= 0]
    first, last = int(last_source[network.at[first]]), int(next_target[network.at[node]])
    return _walk(graph, first, rows, last, lead, ends, by, began)


def _last_before(starts: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(F,) the last frame of `mask` at or before each frame in the same clip, −1 for none."""
    index = np.arange(len(mask))
    last = np.maximum.accumulate(np.where(mask, index, -1))
    return np.where(last >= starts[clip_of(starts, index)], last, -1)


def _first_after(starts: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(F,) the first frame of `mask` at or after each frame in the same clip, −1 for none."""
    index, none = np.arange(len(mask)), len(mask)
    first = np.minimum.accumulate(np.where(mask, index, none)[::-1])[::-1]
    return np.where(first < starts[clip_of(starts, index) + 1], first, -1)


def _weight(network: Network, by: str) -> np.ndarray:
    if by not in ("quickest", "cheapest"):
        raise MotionError(f"a way is 'quickest' or 'cheapest', not {by!r}")
    return network.frames + _TIE * network.cost if by == "quickest" else network.cost + _TIE * network.frames


def _walk(
    graph: MotionGraph, first: int, taken: list[int], last: int, lead: float, ends: tuple[_End, _End], by: str,
    began: float,
) -> Walk:  # fmt: skip
    """The walk from one frame to another, with up to `lead` seconds more where an end is not a single frame."""
    starts, extra = np.cumsum([0, *map(len, graph.clips)]), round(lead * graph.fps)
    rows = graph.candidates.table[np.array(taken, int)]
    source, target = ends
    if isinstance(source.name, tuple):
        first = int(np.flatnonzero(source.mask)[0])
    else:
        first = max(int(spans(graph, source.mask)[0][first]), first - extra)
    if isinstance(target.name, tuple):
        last = int(np.flatnonzero(target.mask)[0])
    else:
        last = min(int(spans(graph, target.mask)[1][last]), last + extra)
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
