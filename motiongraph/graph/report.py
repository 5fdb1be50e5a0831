"""The figures of a graph: those of the dissertation's section 5.1.2, and what Kovar 2002 says of connectivity."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra


def report(graph, connections: int = 0) -> dict:
    """Plain numbers: clips, frames, transitions, costs (cm), degrees per clip, what pruning keeps.

    connections: from how many random choice points to measure the quickest way to all others (Kovar 2002, 4.2, found
    about two seconds); 0 leaves the figure out, since it takes longer than a frame.
    """
    table, kept, clips = graph.transitions, graph.kept, graph.clips
    count = len(clips)
    out, into = (np.bincount(table[end], minlength=count) for end in ("src", "dst"))
    cost = table["cost"]
    most, least = int(np.argmax(out)), int(np.argmin(out))
    sets = [sorted(s) for s in graph.candidates.labelling.sets]
    figures = {
        "clips": count,
        "frames": graph.candidates.frames,
        "seconds": graph.candidates.frames / graph.fps,
        "fps": graph.fps,
        "window_frames": graph.window,
        "threshold": graph.thresholds.plain(),
        "ceiling": graph.candidates.ceiling,
        "candidates": len(graph.candidates.table),
        "pruned": graph.is_pruned,
        "transitions": len(table),
        "transitions_within_clips": int(np.sum(table["src"] == table["dst"])),
        "choice_points": len(np.union1d(graph.structure.leaves[graph.open], graph.structure.arrives[graph.open])),
        "cost_min": float(cost.min()) if len(cost) else None,
        "cost_mean": float(cost.mean()) if len(cost) else None,
        "cost_max": float(cost.max()) if len(cost) else None,
        "most_connected": {"clip": clips[most].name, "transitions": int(out[most])},
        "least_connected": {"clip": clips[least].name, "transitions": int(out[least])},
        "transitions_per_clip": float(out.mean()),
        "degrees": {clip.name: [int(a), int(b)] for clip, a, b in zip(clips, out, into)},
        "frames_kept": kept.frames,
        "share_kept": kept.frames / graph.candidates.frames,
        "components": int(kept.components.sum()),
        "label_sets": [
            {"labels": words, "frames_kept": int(frames), "components": int(parts)}
            for words, frames, parts in zip(sets, kept.parts, kept.components)
        ],
        "warnings": warnings_of(graph),
    }
    if connections:
        figures["connection_seconds"] = mean_connection(graph, connections)
    return figures


def warnings_of(graph) -> list[str]:
    """What pruning loses: sets of labels that keep too little, and sets that cannot be reached from others."""
    kept, sets = graph.kept, graph.candidates.labelling.sets
    least = max(graph.least * graph.fps, 1.0)
    names = [", ".join(sorted(s)) or "no label" for s in sets]
    found = []
    for name, frames in zip(names, kept.parts):
        if frames < least:
            seconds = frames / graph.fps
            found.append(f"motion labelled {name} keeps {seconds:.1f} s at this threshold: a higher one keeps more")
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if kept.parts[i] and kept.parts[j] and not kept.reach[i, j]:
                found.append(f"there is no way from {a} to {b} at this threshold")
    return found


def mean_connection(graph, sources: int = 16, rng=0) -> float | None:
    """Seconds of the quickest way between two random choice points of the pruned graph, mean over `sources` starts."""
    structure, kept = graph.structure, graph.kept
    nodes = np.flatnonzero(kept.nodes)
    if len(nodes) < 2:
        return None
    pieces, taken = np.flatnonzero(kept.pieces), np.flatnonzero(kept.transitions)
    rows = np.concatenate([pieces, structure.leaves[taken]])
    columns = np.concatenate([pieces + 1, structure.arrives[taken]])
    # A parallel edge must not add to another: all transitions last one window, and pieces are never parallel to them
    # within a clip unless a transition ends where the piece does; the shorter of the two counts.
    frames = np.concatenate([structure.piece[pieces], np.full(len(taken), structure.window)]).astype(float)
    order = np.lexsort((frames, columns, rows))
    rows, columns, frames = rows[order], columns[order], frames[order]
    new = np.append(True, (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1]))
    network = csr_array((frames[new], (rows[new], columns[new])), shape=(len(structure),) * 2)
    starts = np.random.default_rng(rng).choice(nodes, min(sources, len(nodes)), replace=False)
    away = dijkstra(network, indices=starts)[:, nodes]
    reached = np.isfinite(away) & (away > 0)
    return float(away[reached].mean() / graph.fps) if reached.any() else None
