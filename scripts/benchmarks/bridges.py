"""Bridges: what they cost, what they add, and whether their seams are told more easily than others.

One judge learns from all seams of walks on the graph with bridges; what it says of a bridge's seams was learnt without
any window of that bridge or of the clips that it is made of. (A judge that learns from seams at bridges alone meets the
same few moments again, and tells them by where they lie.) How much of it is where they lie is told by captured motion
at the moments that seams join, in which there is no seam. The graphs: CMU's subject 16 and the bundled captured clips.
"""

import warnings
from pathlib import Path

import numpy as np
from benchmarks._quality_sets import sets

import motiongraph as mg
from motiongraph.model.clip import MADE
from motiongraph.synthesis.bridge import in_words
from motiongraph.synthesis.judge import learnt, seen

_WALKS, _SECONDS, _SEED = 96, 30.0, 91_000
_FOLDS, _REPEATS = 5, 8
_MOST = 1800  # seams, of which a fifth are at bridges, and captured windows
_FEWEST = 5  # windows of which an area can be told


def run(mocap: Path) -> dict:
    """Rows of every set: seams at bridges and others, beside captured motion of any moment, of the same and of all; and
    captured motion where they lie."""
    warnings.simplefilter("ignore")
    rows, found = [], []
    for name, files in sets(mocap).items():
        if name not in ("16", "captured"):
            continue
        plain = mg.MotionGraph.build([mg.load(file) for file in files])
        graph, told = mg.bridged(plain)
        found += map(in_words, told)
        graph = graph.pruned()
        walks = _walks(graph)
        motions = [mg.synthesize(walk) for walk in walks]
        row = {"set": name, "clips played": _played(walks), "before": _played(_walks(plain.pruned()))}
        for beside in ("any", "same", "all", "captured"):
            bridges, others = told_apart(motions, list(graph.clips), beside)
            row |= {f"{beside}: bridges": bridges, f"{beside}: others": others}
        rows.append(row)
    return {"rows": rows, "bridges": found}


def _walks(graph):
    """Seeds that nothing was tuned to."""
    return [mg.random_walk(graph, _SECONDS, rng=_SEED + n) for n in range(_WALKS)]


def _played(walks) -> str:
    return f"{len({int(c) for walk in walks for c in walk.steps['clip']})} of {len(walks[0].clips)}"


def told_apart(motions, clips, beside):
    """Areas under the ROC curve of seams at made clips and of the others, by the same judge."""
    from sklearn.metrics import roc_auc_score
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    windows = seen(motions, clips, beside, rng, most=_MOST)
    if windows is None:
        return None, None
    x, y, ends = windows
    names = [clip.name for clip in clips]
    made = np.array([name.endswith(MADE) for name in names])
    belongs = np.arange(len(clips))  # bridges, and the clips that they are made of, are one and the same
    for name in np.array(names)[made]:
        belongs[[names.index(name), *(names.index(part) for part in name[: -len(MADE)].split(" to "))]] = -1
    counts = ~made[ends[:, 0]] | ((y == 1) & (beside != "captured"))  # a bridge's own motion was not captured
    x, y, ends = x[counts], y[counts], ends[counts]
    at = made[ends].any(axis=1) & (y == 1)
    # A seam is judged with the bridge it is at, any other with the clip it leaves, captured windows with their clip.
    judged = np.where(at & made[ends[:, 1]], ends[:, 1], ends[:, 0])
    captured = y == 0
    areas: dict[str, list] = {"bridges": [], "others": []}
    with threadpool_limits(1, "openmp"):
        for _ in range(_REPEATS):
            parts = np.unique(belongs)
            fold = dict(zip(parts.tolist(), (rng.permutation(len(parts)) % _FOLDS).tolist()))
            folds, own = (np.vectorize(fold.get)(belongs[of]) for of in (ends, judged))
            for k in range(_FOLDS):
                learn = (folds != k).all(axis=1)
                said = learnt(x[learn], y[learn])(x)
                for kind, mine in (("bridges", at), ("others", (y == 1) & ~at)):
                    test = (mine | captured) & (own == k)
                    if min((mine & test).sum(), (captured & test).sum()) > _FEWEST:
                        areas[kind].append((roc_auc_score(y[test], said[test]), int((mine & test).sum())))
    return [
        float(np.average([area for area, _ in values], weights=[count for _, count in values]))
        for values in areas.values()
    ]
