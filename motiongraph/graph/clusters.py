"""Which clips belong together: rows for an overview of the graph, in an order that puts like beside like, in clusters.

Two rows are as far apart as the lowest cost between them, whatever the threshold, so that order and clusters hold still
while a threshold moves. Mean linkage joins them (as Hoang and Truong sum up a library of motions), the leaves of its
tree are ordered so that neighbours are near (Bar-Joseph 2001), and the tree is cut where clusters are told apart best
(Rousseeuw 1987). A mirror image shares the row of its clip. More clips than rows are grouped by how their names begin,
"16_15" and "16_17" as "16", or where that tells nothing, by the same tree.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.kernels import F64, I32, VOID, kernel, read
from motiongraph.model.labels import Labels

if TYPE_CHECKING:
    from motiongraph.graph.candidates import Candidates

ROWS = 200  # most rows; beyond that groups of clips stand in for clips
_FAR = 1.5  # times the ceiling: how far apart rows without any transition count
_CLUSTERS = 12  # at most
_AS_GOOD = 0.9  # of the best score: of cuts this good the finest is taken
_COMMON, _RARE = 0.9, 0.4  # share of all frames from which a word tells nothing; of a cluster's, below which neither


@dataclass(frozen=True)
class Cluster:
    """Rows first … stop − 1."""

    name: str  # the labels that tell it from the rest, or what its clips are called
    first: int
    stop: int
    labels: dict[str, float]  # word → share of its frames


@dataclass(frozen=True, eq=False)
class Clusters:
    """The rows of an overview: clips or groups of them, in order."""

    names: tuple[str, ...]  # (G,) of every row
    labels: tuple[tuple[str, ...], ...]  # (G,) the words of its clips, the most frequent first
    row: np.ndarray  # (C,) int32, the row of every clip
    each: tuple[Cluster, ...]  # one after the other

    @classmethod
    def of(cls, candidates: "Candidates", most: int = ROWS) -> "Clusters":
        """The clusters of all candidates, in at most so many rows."""
        clips = [clip.name for clip in candidates.originals]
        times = len(candidates.clips) // len(clips)
        unit = np.arange(len(candidates.clips), dtype=np.int32) // times
        group, names = (np.arange(len(clips), dtype=np.int32), clips) if len(clips) <= most else _groups(clips, most)
        if names is None:
            tree = _tree(_apart(candidates, unit))
            group = (scipy.cluster.hierarchy.fcluster(tree, most, "maxclust") - 1).astype(np.int32)
            names = [_called([clips[i] for i in np.flatnonzero(group == g)]) for g in range(group.max() + 1)]
        row = group[unit]
        order, cut = _ordered(_apart(candidates, row))
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        edges = [*np.flatnonzero(np.diff(cut[order], prepend=-1)).tolist(), len(order)]
        each = tuple(Cluster("", a, b, {}) for a, b in pairwise(edges))
        found = cls(tuple(names[i] for i in order), (), place[row], each)
        return found.named(candidates, [clip.labels for clip in candidates.clips])

    def named(self, candidates: "Candidates", labels: Sequence[Labels]) -> "Clusters":
        """The same, named by other labels, one set for each of the clips."""
        rows: list[Counter[str]] = [Counter() for _ in self.names]
        frames = np.zeros(len(rows))
        for clip, words, k in zip(candidates.clips, labels, self.row):
            frames[k] += len(clip) - clip.first
            for word in words:
                rows[k][word] += int(words.at(word)[clip.first :].sum())
        everywhere, total = sum(rows, Counter()), frames.sum()
        found, taken = [], Counter()
        for cluster in self.each:
            own = slice(cluster.first, cluster.stop)
            count, long = sum(rows[own], Counter()), max(frames[own].sum(), 1.0)
            shares = {word: n / long for word, n in count.most_common()}
            often = [word for word, share in shares.items() if share >= _RARE]
            telling = [word for word in often if everywhere[word] < _COMMON * total]
            words = sorted(telling, key=lambda w: (-shares[w] / everywhere[w], w))[:2] or often[:1]
            name = " + ".join(words) or _called(self.names[own])
            taken[name] += 1
            found.append(replace(cluster, name=name if taken[name] == 1 else f"{name} ({taken[name]})", labels=shares))
        words = tuple(tuple(word for word, _ in row.most_common()) for row in rows)
        return replace(self, labels=words, each=tuple(found))

    @property
    def cluster(self) -> np.ndarray:
        """(G,) the number of every row's cluster."""
        return np.repeat(np.arange(len(self.each)), [c.stop - c.first for c in self.each])

    def plain(self) -> list[dict[str, Any]]:
        """For reports: names, rows and labels of the clusters."""
        return [
            {
                "name": cluster.name,
                "rows": list(self.names[cluster.first : cluster.stop]),
                "labels": {word: round(share, 4) for word, share in cluster.labels.items()},
            }
            for cluster in self.each
        ]


def _groups(names: Sequence[str], most: int) -> tuple[np.ndarray, list[str] | None]:
    """The group of every name and what the groups are called: as many first parts of the names as give no more than
    `most` groups; None where the names tell nothing."""
    parts = [re.findall(r"[^_\-. ]+", name) or [name] for name in names]
    best: list[str] | None = None
    for count in range(1, max(map(len, parts)) + 1):
        heads = ["_".join(part[:count]) for part in parts]
        if len(set(heads)) > most:
            break
        best = heads
    if best is None or len(set(best)) < 2:
        return np.zeros(0, np.int32), None
    called = sorted(set(best))
    number = {head: i for i, head in enumerate(called)}
    return np.array([number[head] for head in best], np.int32), called


def _called(names: Sequence[str]) -> str:
    """Clips without labels: what their names begin with, or the first of them and how many more there are."""
    if len(names) == 1:
        return names[0]
    head = "".join(letters[0] for letters in takewhile(lambda same: len(set(same)) == 1, zip(*names))).rstrip("_-. ")
    return f"{head}…" if len(head) > 1 else f"{names[0]} + {len(names) - 1}"


def _apart(candidates: "Candidates", row: np.ndarray) -> np.ndarray:
    """(G, G) how far apart rows are, cm: of every clip of the one the lowest cost to the other, on average."""
    far, count = _FAR * max(candidates.max_cost, 1e-9), int(row.max()) + 1
    near = np.full((len(row), count), far)
    nearest(*candidates.ends, candidates.cost, row, near)
    total = np.zeros((count, count))
    np.add.at(total, row, near)
    mean = total / np.bincount(row, minlength=count)[:, None]
    mean = 0.5 * (mean + mean.T)
    np.fill_diagonal(mean, 0.0)
    return mean


@kernel(VOID(read(I32), read(I32), read(F64), read(I32), F64[:, ::1]))
def nearest(src, dst, cost, row, near):
    """Lowers near (C, G) to the lowest cost of the transitions (T,) from every clip to every row; row: (C,)."""
    for t in range(src.shape[0]):
        into = row[dst[t]]
        if cost[t] < near[src[t], into]:
            near[src[t], into] = cost[t]


def _tree(apart: np.ndarray) -> np.ndarray:
    return scipy.cluster.hierarchy.linkage(scipy.spatial.distance.squareform(apart, checks=False), "average")


def _ordered(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(G,) the order of the rows, and (G,) the cluster of every row."""
    count = len(apart)
    if count < 3:
        return np.arange(count), np.zeros(count, np.int64)
    tree, flat = _tree(apart), scipy.spatial.distance.squareform(apart, checks=False)
    order = scipy.cluster.hierarchy.leaves_list(scipy.cluster.hierarchy.optimal_leaf_ordering(tree, flat))
    cuts = [np.zeros(count, np.int64)]
    for clusters in range(2, min(_CLUSTERS, count - 1) + 1):
        cuts.append(scipy.cluster.hierarchy.fcluster(tree, clusters, "maxclust") - 1)
    scores = [0.0, *(silhouette(apart, cut) for cut in cuts[1:])]
    best = max(scores)
    return order, cuts[max(k for k, score in enumerate(scores) if score >= _AS_GOOD * best)] if best > 0 else cuts[0]


def silhouette(apart: np.ndarray, cluster: np.ndarray) -> float:
    """How well clusters (G,) are told apart by distances (G, G): −1 … 1, the mean over rows; a row alone counts 0."""
    size = np.bincount(cluster)
    if np.count_nonzero(size) < 2:
        return 0.0
    sums = np.stack([apart[:, cluster == k].sum(axis=1) for k in range(len(size))], axis=1)
    own, rows = size[cluster], np.arange(len(cluster))
    inside = sums[rows, cluster] / np.maximum(own - 1, 1)
    others = sums / np.maximum(size, 1)
    others[rows, cluster] = np.inf
    others[:, size == 0] = np.inf
    outside = others.min(axis=1)
    scores = np.where(own > 1, (outside - inside) / np.maximum(np.maximum(outside, inside), 1e-12), 0.0)
    return float(scores.mean())
