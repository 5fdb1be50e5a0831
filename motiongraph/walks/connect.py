"""The quickest or cheapest way from one motion to another (Kovar 2002, 4.2), and tables of all such ways."""

import time

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks.choices import choices_of, shortest, way_back
from motiongraph.walks.naming import called, clip_of, frames_named, no_way, spans
from motiongraph.walks.walk import Walk

_MOST = 3000  # choice points in a table of all pairs
_TIE = 1e-6  # of ways that are equally quick the cheaper is taken, and the other way round


def connect(graph, source, target, by: str = "quickest", *, lead: float = 1.0, progress=SILENT) -> Walk:
    """The way from a clip, (clip, frame) or label to another.

    by: "quickest" has the fewest frames, "cheapest" the least sum of transition costs. From a frame the walk begins
    there, and at a frame it ends there; of a clip or label it takes the best place, and plays up to `lead` seconds of
    it before leaving and after arriving.
    """
    began = time.perf_counter()
    progress(0, 1, "connecting")
    network = choices_of(graph)
    weight = _weight(network, by)
    scale = _TIE if by == "cheapest" else 1.0
    sources, targets = frames_named(graph, source), frames_named(graph, target)
    begin, rest = _entering(network, source, sources), _leaving(network, target, targets)
    length, via = shortest(network, weight, np.where(np.isfinite(begin), begin * scale, np.inf))
    whole = length + rest * scale
    node = int(np.argmin(whole)) if len(whole) else -1
    straight = _straight(network.starts, source, target, sources, targets)
    if straight is not None and (node < 0 or straight[2] * scale <= whole[node]):
        first, last, _ = straight
        return _walk(graph, first, [], last, lead, (source, target), (sources, targets), by, began)
    if node < 0 or not np.isfinite(whole[node]):
        raise no_way(graph, sources, targets, called(graph, source), called(graph, target))
    edges = way_back(network, via, node)
    first = int(network.tail[edges[0]]) if edges else node
    rows = [int(network.row[e]) for e in edges if network.row[e] >= 0]
    ends = (source, target), (sources, targets)
    return _walk(graph, int(network.at[first]), rows, int(network.at[node]), lead, *ends, by, began)


def _weight(network, by):
    if by not in ("quickest", "cheapest"):
        raise MotionError(f"a way is 'quickest' or 'cheapest', not {by!r}")
    return network.frames + _TIE * network.cost if by == "quickest" else network.cost + _TIE * network.frames


def _entering(network, name, mask):
    """(N,) frames played before each node is reached from what is named; infinity where that is not its start."""
    if not isinstance(name, tuple):
        return np.where(mask[network.at] & network.busy, 0.0, np.inf)
    frame = np.flatnonzero(mask)[0]
    same = clip_of(network.starts, network.at) == clip_of(network.starts, frame)
    return np.where(same & network.busy & (network.at >= frame), network.at - frame, np.inf)


def _leaving(network, name, mask):
    """(N,) frames still to be played at each node until what is named is reached; infinity where it is not there."""
    if not isinstance(name, tuple):
        return np.where(mask[network.at] & network.busy, 0.0, np.inf)
    frame = np.flatnonzero(mask)[0]
    same = clip_of(network.starts, network.at) == clip_of(network.starts, frame)
    return np.where(same & network.busy & (network.at <= frame), frame - network.at, np.inf)


def _straight(starts, source, target, sources, targets):
    """First frame, last frame and frames of the way that needs no transition, or None."""
    here, there = np.flatnonzero(sources), np.flatnonzero(targets)
    if not (isinstance(source, tuple) or isinstance(target, tuple)):
        both = np.flatnonzero(sources & targets)
        return (int(both[0]), int(both[0]), 0) if len(both) else None
    if isinstance(source, tuple):
        later = there[(there >= here[0]) & (clip_of(starts, there) == clip_of(starts, here[0]))]
        return (int(here[0]), int(later[0]), int(later[0] - here[0])) if len(later) else None
    before = here[(here <= there[0]) & (clip_of(starts, here) == clip_of(starts, there[0]))]
    return (int(before[-1]), int(there[0]), int(there[0] - before[-1])) if len(before) else None


def _walk(graph, first, rows, last, lead, names, masks, by, began):
    starts, extra = np.cumsum([0, *map(len, graph.clips)]), round(lead * graph.fps)
    rows = graph.candidates.table[np.array(rows, int)]
    if isinstance(names[0], tuple):
        first = int(np.flatnonzero(masks[0])[0])
    else:
        first = max(int(spans(graph, masks[0])[0][first]), first - extra)
    if isinstance(names[1], tuple):
        last = int(np.flatnonzero(masks[1])[0])
    else:
        last = min(int(spans(graph, masks[1])[1][last]), last + extra)
    clip = int(clip_of(starts, first))
    end = int(rows["dst"][-1]) if len(rows) else clip
    return Walk.of(
        graph, (clip, int(first - starts[clip])), rows, stop=int(last - starts[end]), method=f"connect, {by}",
        seconds=time.perf_counter() - began, facts={"cost_total": float(rows["cost"].sum())},
    )  # fmt: skip


def connection_table(graph, between: str = "clips", by: str = "quickest", progress=SILENT):
    """The names of all motions and the (n, n) lengths of the ways from each to each; infinity where there is none.

    between: "clips", "labels", or "choice points" (small graphs only; named by clip and frame). Seconds for the
    quickest ways, cm for the cheapest. A way between clips or labels counts from the best place of the one to the best
    place of the other.
    """
    network = choices_of(graph)
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
