"""The figures of a graph: those of the dissertation's section 5.1.2, and what Kovar 2002 says of connectivity."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.graph.coverage import coverage as covered
from motiongraph.kernels import B1, I32, I64, kernel, read

if TYPE_CHECKING:
    from motiongraph.graph.candidates import Candidates
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.graph.prune import Kept


def report(graph: "MotionGraph", connections: int = 0, coverage: int = 0) -> dict[str, Any]:
    """Plain numbers: clips, frames, transitions, costs (cm), degrees per clip, what pruning keeps.

    connections: from how many random choice points to measure the quickest way to all others (Kovar 2002, 4.2, found
    about two seconds); 0 leaves the figure out, since it takes longer than a frame. coverage: from how many to measure
    what can be reached, see `graph.coverage`; likewise.
    """
    kept, clips, candidates, labelling = graph.kept, graph.clips, graph.candidates, graph.candidates.labelling
    cost = candidates.cost[np.flatnonzero(graph.open)]
    degrees, choice = np.zeros((2, len(clips)), np.int64), np.zeros(len(graph.structure), bool)
    within = _tally(graph.open, *candidates.ends, graph.structure.leaves, graph.structure.arrives, degrees, choice)
    out, into = degrees
    most, least = int(np.argmax(out)), int(np.argmin(out))
    figures = {
        "clips": len(clips),
        "frames": candidates.frames,
        "seconds": candidates.frames / graph.fps,
        "fps": graph.fps,
        "window_frames": graph.window,
        "unit": graph.metric.unit,
        "threshold": graph.thresholds.plain(),
        "threshold_is_auto": graph.is_auto,
        "ceiling": candidates.ceiling if np.isfinite(candidates.ceiling) else None,
        "suppression_radius_frames": round(candidates.radius * graph.fps),
        "per_window": candidates.per_window or None,
        "search": candidates.looked.plain(),
        "candidates": len(candidates.table),
        "pruned": graph.is_pruned,
        "transitions": len(cost),
        "transitions_within_clips": within,
        "choice_points": int(choice.sum()),
        "cost_min": float(cost.min()) if len(cost) else None,
        "cost_mean": float(cost.mean()) if len(cost) else None,
        "cost_max": float(cost.max()) if len(cost) else None,
        "most_connected": {"clip": clips[most].name, "transitions": int(out[most])},
        "least_connected": {"clip": clips[least].name, "transitions": int(out[least])},
        "transitions_per_clip": float(out.mean()),
        "degrees": {clip.name: [int(a), int(b)] for clip, a, b in zip(clips, out, into)},
        "frames_kept": kept.frames,
        "share_kept": kept.frames / candidates.frames,
        "components": sum(map(len, kept.sizes)),
        "label_sets": [
            {
                "labels": sorted(words),
                "frames": int(count),
                "frames_kept": int(part),
                "component_frames": size.tolist(),
                "no_way_to": [sorted(labelling.sets[j]) for j in np.flatnonzero(away)],
            }
            for words, count, part, size, away in zip(
                labelling.sets, labelling.captured, kept.parts, kept.sizes, _apart(kept)
            )
        ],
        "alone": alone(candidates),
        "clusters": candidates.clusters.plain(),
        "subjects": subjects_of(graph),
        "left_out": [left.clip for left in candidates.left_out],
        "warnings": warnings_of(graph),
    }
    if connections:
        figures["connection_seconds"] = mean_connection(graph, connections)
    if coverage:
        figures["coverage"] = covered(graph, coverage)
    return figures


@kernel(I64(read(B1), *[read(I32)] * 4, I64[:, ::1], B1[::1]))
def _tally(open_, src, dst, leaves, arrives, degrees, choice):
    """Counts the open transitions (T,) that leave and enter every clip into degrees (2, C), marks the nodes (N,) they
    join; returns how many stay in their clip. Without branches, since which are open cannot be foreseen."""
    within = 0
    for t in range(open_.shape[0]):
        degrees[0, src[t]] += open_[t]
        degrees[1, dst[t]] += open_[t]
        within += open_[t] and src[t] == dst[t]
        choice[leaves[t]] |= open_[t]
        choice[arrives[t]] |= open_[t]
    return within


@kernel((read(B1), read(I32), read(I32), read(I64), B1[:, ::1]))
def _lead(open_, src, dst, of, leads):
    """Marks in leads (S, S) from which subject open transitions (T,) lead to which; of: (C,) the subject of a clip."""
    for t in range(open_.shape[0]):
        leads[of[src[t]], of[dst[t]]] |= open_[t]


def _kept_clips(graph: "MotionGraph") -> np.ndarray:
    """(C,) bool: the clips of which something is kept."""
    alive = np.zeros(len(graph.clips), bool)
    alive[graph.structure.clip[graph.kept.nodes]] = True
    return alive


def subjects_of(graph: "MotionGraph") -> list[dict[str, Any]]:
    """Which subjects connect, where clips are named subject_trial as CMU's: for each its clips, how many of them are
    kept, and the subjects that kept transitions lead to."""
    names = [clip.name.partition("_") for clip in graph.clips]
    if not all(rest and word.isdigit() for word, rest, _ in names):
        return []
    subjects, of = np.unique([word for word, _, _ in names], return_inverse=True)
    alive, leads = _kept_clips(graph), np.zeros((len(subjects),) * 2, bool)
    _lead(graph.kept.transitions, *graph.candidates.ends, of, leads)
    np.fill_diagonal(leads, False)
    return [
        {
            "subject": str(name),
            "clips": int((of == k).sum()),
            "clips_kept": int(alive[of == k].sum()),
            "leads_to": subjects[leads[k]].tolist(),
        }
        for k, name in enumerate(subjects)
    ]


NAMED = 12  # clips, or sets of labels, that a sentence names
_FEW = 6  # sets of labels of which each has a sentence of its own


def listed(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def alone(candidates: "Candidates") -> list[str]:
    """The names of clips that no transition joins to another, whatever it costs, where there are others."""
    count = len(candidates.originals)
    if count < 2:
        return []
    src, dst = (ends // (2 if candidates.mirror else 1) for ends in candidates.ends)
    joined = np.zeros(count, bool)
    joined[src[src != dst]] = joined[dst[src != dst]] = True
    return [candidates.originals[i].name for i in np.flatnonzero(~joined)]


def _apart(kept: "Kept") -> np.ndarray:
    """(sets, sets) bool: from which of the sets of labels that keep something no way leads to which."""
    return (kept.parts[:, None] > 0) & (kept.parts > 0) & ~kept.reach


def warnings_of(graph: "MotionGraph") -> list[str]:
    """What is lost: clips left out or without a way there and back, sets of labels that keep too little or cannot be
    reached from others."""
    kept, sets = graph.kept, graph.candidates.labelling.sets
    least = max(graph.least * graph.fps, 1.0)
    found = [str(left) for left in graph.candidates.left_out]
    names = ["motion " + (f"labelled {' + '.join(sorted(s))}" if s else "without labels") for s in sets]
    if len(sets) == 1:
        names = ["the graph"]
    few = [i for i in range(len(sets)) if kept.parts[i] < least]
    found += [
        f"{names[i]} keeps {kept.parts[i] / graph.fps:.1f} s at this threshold; a higher one keeps more"
        for i in few
        if len(few) <= _FEW
    ]
    if len(few) > _FEW:
        words = listed([_words(sets[i]) for i in few])
        less = f"less than {graph.least:g} s" if graph.least else "nothing"
        found.append(f"{len(few)} of {len(sets)} sets of labels keep {less} at this threshold: {words}")
    lost = np.flatnonzero(~_kept_clips(graph))
    if 0 < len(lost) < len(graph.clips):
        shown = listed([graph.clips[i].name for i in lost])
        found.append(f"nothing of {shown} is kept at this threshold: no way leads there and back")
    apart = _apart(kept)
    stuck = np.flatnonzero(apart.any(axis=1)).tolist()
    for i in stuck if len(stuck) <= _FEW else ():
        words = ", ".join(_words(sets[j]) for j in np.flatnonzero(apart[i]))
        found.append(f"from {names[i]} there is no way to {words} at this threshold")
    if len(stuck) > _FEW:
        words = listed([_words(sets[i]) for i in stuck])
        found.append(
            f"from {len(stuck)} of {len(sets)} sets of labels there is no way to some others at this threshold: {words}"
            "; the report lists them (label_sets, no_way_to)"
        )
    return found


def _words(labels: frozenset[str]) -> str:
    return " + ".join(sorted(labels)) or "what has no label"


def mean_connection(graph: "MotionGraph", sources: int = 16, rng: int = 0) -> float | None:
    """Seconds of the quickest way between two random choice points of the pruned graph, mean over `sources` starts."""
    structure, kept = graph.structure, graph.kept
    pieces, taken = np.flatnonzero(kept.pieces), np.flatnonzero(kept.transitions)
    nodes = np.unique(np.concatenate([structure.leaves[taken], structure.arrives[taken]]))
    if len(nodes) < 2:
        return None
    rows = np.concatenate([pieces, structure.leaves[taken]])
    columns = np.concatenate([pieces + 1, structure.arrives[taken]])
    # Of parallel edges the shorter counts; a sparse array would add them up.
    frames = np.concatenate([structure.piece[pieces], np.full(len(taken), structure.window)]).astype(float)
    order = np.lexsort((frames, columns, rows))
    rows, columns, frames = rows[order], columns[order], frames[order]
    new = np.append(True, (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1]))
    network = scipy.sparse.csr_array((frames[new], (rows[new], columns[new])), shape=(len(structure),) * 2)
    starts = np.random.default_rng(rng).choice(nodes, min(sources, len(nodes)), replace=False)
    away = scipy.sparse.csgraph.dijkstra(network, indices=starts)[:, nodes]
    reached = np.isfinite(away) & (away > 0)
    return float(away[reached].mean() / graph.fps) if reached.any() else None
