"""Small graphs made up for tests: clips without motion, transitions at random."""

import numpy as np

from motiongraph.graph.candidates import Candidates
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import TRANSITION, in_order
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

POINT = Skeleton(["root"], [-1], [[0.0, 0.0, 0.0]])
FPS = 10.0


def still(frames, name="clip", labels=(), first=0):
    """A clip in which nothing moves."""
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1, 1))
    return Clip(POINT, np.zeros((frames, 3)), rotations, FPS, name, labels, first)


def graph_of(clips, rows, window, threshold=10.0):
    """The graph of transitions (src, src_frame, dst, dst_frame, cost)."""
    table = np.zeros(len(rows), TRANSITION)
    for name, column in zip(TRANSITION.names, zip(*rows) if rows else ()):
        table[name] = column
    metric = Metric(window=window / FPS)
    candidates = Candidates(tuple(clips), tuple(clips), metric, in_order(table), 10.0, 0.0, False)
    return MotionGraph(candidates, threshold)


def random_graph(rng, clips=3, most=24, transitions=12, words=("a", "b"), window=None, least=0):
    """Clips of up to `most` frames with labels on ranges, and transitions between windows anywhere."""
    window = int(rng.integers(1, 4)) if window is None else window
    made = []
    for c in range(clips):
        frames = int(rng.integers(window + 2, most))
        labels = {}
        for word in words:
            if rng.random() < 0.6:
                edge = sorted(rng.integers(0, frames + 1, 2))
                labels[word] = (0, frames) if rng.random() < 0.5 else tuple(int(e) for e in edge)
        made.append(still(frames, f"clip{c}", labels, int(rng.integers(0, 2))))
    rows = set()
    for _ in range(int(rng.integers(least, transitions + 1))):
        src, dst = (int(c) for c in rng.integers(0, clips, 2))
        a = int(rng.integers(made[src].first, len(made[src]) - window + 1))
        b = int(rng.integers(made[dst].first, len(made[dst]) - window))
        rows.add((src, a, dst, b))
    costs = rng.uniform(0.0, 10.0, len(rows))
    return graph_of(made, [(*row, float(cost)) for row, cost in zip(sorted(rows), costs)], window)


def plain(graph, chosen=None):
    """Clips and transitions as tests.naive.graph takes them: label sets of frames, and rows of those `chosen` (T,)."""
    clips = []
    for clip in graph.clips:
        sets = [frozenset(n for n in clip.labels if clip.labels.at(n)[f]) for f in range(len(clip))]
        clips.append(sets)
    table = graph.candidates.table if chosen is None else graph.candidates.table[chosen]
    return clips, [tuple(row) for row in table[["src", "src_frame", "dst", "dst_frame", "cost"]].tolist()]
