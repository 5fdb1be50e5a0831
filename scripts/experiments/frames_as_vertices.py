"""Hoang and Truong's course report: every frame a vertex, two thresholds, dead ends pruned, a random walk."""

import sys
from itertools import combinations_with_replacement

import numpy as np
import plot
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from study import BVH, Clock, main

import motiongraph as mg
from motiongraph.graph.structure import TRANSITION, both_ways
from motiongraph.walks.walk import Walk

TITLE = "7. Hoang and Truong: frames as vertices"
DATASETS = {
    "walks with turns": ("16_15", "16_17", "16_19", "16_21"),
    "walking and running": ("16_15", "16_21", "16_35", "16_41"),
}
WINDOW = 30 / 120  # their k = 30 frames
SECONDS = 60.0


def run(study):
    study.text(
        """Their graph has one vertex for every frame and an edge wherever two windows of 30 frames are closer than
        a threshold, one threshold within a clip and another between clips, set so that there are at least half as
        many new edges as old ones; then vertices without a way on are removed until there are none, and a walk
        picks any edge at random. Points sit on the joints (equation 1). Their report ends before its results, so
        there is nothing to compare with but the method itself; beside it stands our graph of the same clips, with
        local minima only and the largest strongly connected part."""
    )
    rows = []
    for name, files in DATASETS.items():
        clips = [study.clip(f"{BVH}/{file}.bvh") for file in files[: 2 if study.quick else None]]
        clips = [clip.captured().resampled(60 if study.quick else 120) for clip in clips]
        graph = FrameGraph(clips, mg.Metric(window=WINDOW, samples_per_bone=0), study.progress)
        rows.append((name, *dataset(study, name, graph)))
        if name == next(iter(DATASETS)):
            thresholds(study, graph)
        ours(rows, clips, study)
    header = ["clips", "graph", "threshold within / between, cm", "vertices", "transitions", "kept after pruning"]
    study.table(
        [
            *header,
            "in the largest strong part",
            "walk: jumps a second",
            "mean cost, cm",
            "foot slide, cm/s (cleaned up)",
        ],
        rows,
    )
    each, times = rows[::2], [theirs[4] / ours[4] for theirs, ours in zip(rows[::2], rows[1::2])]
    study.text(
        f"""Removing dead ends is not enough, as the authors suspect: of the frames it leaves only
        {" and ".join(row[6] for row in each)} lie in one strongly connected part; elsewhere a walk may never come back.
        All cells below a threshold are about {np.mean(times):.0f} times as many transitions as the local minima of our
        graph, mostly beside one another, and a walk that picks any of them jumps more often without
        getting anywhere else."""
    )


class FrameGraph:
    """Every pair of windows of every pair of clips, for choosing thresholds by hand or by count.

    near: structured transitions of all cells worth considering, sorted by cost, within and between clips.
    """

    def __init__(self, clips, metric, progress):
        self.clips, self.metric, self.window, self.fps = tuple(clips), metric, metric.frames(clips[0].fps), clips[0].fps
        self.frames = np.array([len(clip) for clip in clips])
        self.starts = np.concatenate([[0], np.cumsum(self.frames)])
        self.own_edges = int(np.sum(self.frames - 1))
        found, self.backwards = {True: [], False: []}, []
        for i, j in combinations_with_replacement(range(len(clips)), 2):
            m = mg.distance_matrix(clips[i], clips[j], metric, progress=progress)
            found[i == j].append(self._cheapest(m, i, j))
        self.near = {own: np.concatenate(parts) for own, parts in found.items()}
        self.near = {own: table[np.argsort(table["cost"], kind="stable")] for own, table in self.near.items()}

    def _cheapest(self, m, i, j):
        """The cheapest cells of a matrix, as many as could ever be wanted, both ways."""
        cost = m.cost.copy()
        if i == j:
            cost[np.abs(np.subtract.outer(*map(np.arange, cost.shape))) < self.window] = np.inf
            cost[np.tril_indices(len(cost))] = np.inf
        # Twice the original edges, though thresholds need half of them: room to look at higher ones.
        count = min(2 * self.own_edges, int(np.isfinite(cost).sum()))
        cells = np.argpartition(cost, count - 1, axis=None)[:count]
        a, b = np.unravel_index(cells, cost.shape)
        table = np.empty(
            count, [("a", int), ("b", int), ("cost", float), ("theta", float), ("x0", float), ("z0", float)]
        )
        exact, table["theta"], table["x0"], table["z0"] = m.pair.exact(a, b)
        table["a"], table["b"], table["cost"] = a, b, exact
        sample = np.random.default_rng(0).integers(0, m.cost.shape, (4000, 2))
        self.backwards.append(np.mean(np.abs(m.pair.exact(*sample.T)[1]) > np.pi / 2))
        return both_ways(i, j, table)

    def chosen(self, share):
        """Transitions and thresholds so that new edges come to `share` of the old ones, half of them within clips."""
        count = int(np.ceil(0.5 * share * self.own_edges))
        parts = [self.near[own][: min(count, len(self.near[own]))] for own in (True, False)]
        limits = [float(part["cost"][-1]) if len(part) else 0.0 for part in parts]
        table = np.concatenate(parts)
        inside = table["dst_frame"] + self.window < self.frames[table["dst"]]
        return table[inside], limits

    def edges(self, table):
        """(2, E) vertices that edges lead from and to: frame to next frame, and A_i to B_j, after the blend."""
        here = np.delete(np.arange(self.starts[-1]), self.starts[1:] - 1)
        leaves = self.starts[table["src"]] + table["src_frame"]
        arrives = self.starts[table["dst"]] + table["dst_frame"] + self.window
        return np.stack([np.concatenate([here, leaves]), np.concatenate([here + 1, arrives])])


def without_dead_ends(edges, count):
    """(count,) bool: the vertices left when those without a way on are removed until there are none."""
    alive = np.ones(count, bool)
    while True:
        useful = alive[edges[0]] & alive[edges[1]]
        leads = np.zeros(count, bool)
        leads[edges[0][useful]] = True
        if (leads == alive).all():
            return alive
        alive = alive & leads


def strong_share(edges, alive):
    """Share of the vertices alive that lie in the largest strongly connected part."""
    if not alive.any():
        return 0.0
    useful = alive[edges[0]] & alive[edges[1]]
    ones = np.ones(int(useful.sum()), np.int8)
    network = csr_array((ones, tuple(edges[:, useful])), shape=(len(alive),) * 2)
    part = connected_components(network, connection="strong")[1]
    return float(np.bincount(part[alive]).max() / alive.sum())


def dataset(study, name, graph):
    """Build, prune and walk; one row of the table."""
    table, limits = graph.chosen(0.5)
    edges = graph.edges(table)
    alive = without_dead_ends(edges, graph.starts[-1])
    walk = random_walk(graph, table, alive, np.random.default_rng(study.seed), 10.0 if study.quick else SECONDS)
    motion, raw = mg.synthesize(walk), mg.synthesize(walk, cleanup=False)
    mg.save(motion, study.file(f"{name.replace(' ', '_')}.bvh"))
    slide = mg.quality(raw)["slide_mean"], mg.quality(motion)["slide_mean"]
    shares = [f"{alive.mean():.0%}", f"{strong_share(edges, alive):.0%}"]
    wrong = float(np.mean(graph.backwards))
    study.text(
        f"""{name.capitalize()}: {", ".join(clip.name for clip in graph.clips)}. Of all pairs of windows,
        {wrong:.0%} need a turn of more than a right angle, where the arctangent of equation 2 returns the worst
        turn instead of the best; ours is a two-argument arctangent."""
    )
    size = [int(graph.starts[-1]), len(table)]
    figures = len(walk.transitions) / walk.duration, float(walk.transitions["cost"].mean())
    slides = f"{slide[0]:.1f} ({slide[1]:.1f})"
    return "frames", f"{limits[0]:.2f} / {limits[1]:.2f}", *size, *shares, *figures, slides


def random_walk(graph, table, alive, rng, seconds):
    """Any edge at random, the one to the next frame included, until the motion is long enough."""
    leaves = graph.starts[table["src"]] + table["src_frame"]
    arrives = graph.starts[table["dst"]] + table["dst_frame"] + graph.window
    table = table[alive[leaves] & alive[arrives]]
    table = table[np.lexsort((table["src_frame"], table["src"]))]
    leaves = graph.starts[table["src"]] + table["src_frame"]
    first = np.searchsorted(leaves, np.arange(graph.starts[-1] + 1))
    at = int(rng.choice(np.flatnonzero(alive)))
    clip = int(np.searchsorted(graph.starts, at, "right") - 1)
    start = clip, at - int(graph.starts[clip])
    jumps, frames = [], 0
    while frames < seconds * graph.fps:
        on = at + 1 < graph.starts[-1] and at + 1 not in graph.starts and bool(alive[at + 1])
        ways = first[at + 1] - first[at]
        pick = int(rng.integers(ways + on))
        if pick < ways:
            jump = table[first[at] + pick]
            jumps.append(jump)
            frames += graph.window
            at = int(graph.starts[jump["dst"]] + jump["dst_frame"] + graph.window)
        else:
            frames += 1
            at += 1
    clip = int(np.searchsorted(graph.starts, at, "right") - 1)
    return Walk.of(graph, start, np.array(jumps, TRANSITION), at - int(graph.starts[clip]) + 1, method="random")


def thresholds(study, graph):
    """How much of the graph survives as the number of new edges grows."""
    shares = np.linspace(0.05, 1.5, 8 if study.quick else 30)
    kept, strong = [], []
    for share in shares:
        edges = graph.edges(graph.chosen(share)[0])
        alive = without_dead_ends(edges, graph.starts[-1])
        kept.append(100 * alive.mean())
        strong.append(100 * alive.mean() * strong_share(edges, alive))
    chart = plot.Plot("What pruning leaves", "new edges, as a share of the original ones", "% of all frames")
    chart.line(shares, kept, "dead ends removed").line(shares, strong, "of these, in the largest strong part")
    chart.rule("their rule", x=0.5).limits(y=(0, 100))
    chart.save(
        study.figure("pruning.png", "Their rule of thumb (half as many new edges as old ones) and what it keeps.")
    )


def ours(rows, clips, study):
    """The same clips in our graph."""
    clock = Clock()
    graph = mg.MotionGraph.build(clips, mg.Metric(window=WINDOW), progress=study.progress).pruned()
    report = graph.report()
    seconds = 10.0 if study.quick else SECONDS
    walk = mg.random_walk(graph, seconds=seconds, rng=study.seed)
    slide = mg.quality(mg.synthesize(walk, cleanup=False))["slide_mean"], mg.quality(mg.synthesize(walk))["slide_mean"]
    threshold = f"{graph.thresholds.within:.2f} / {graph.thresholds.between:.2f}"
    jumps = len(walk.transitions) / walk.duration
    share = f"{report['share_kept']:.0%}"
    cost = float(walk.transitions["cost"].mean()) if len(walk.transitions) else None
    name = rows[-1][0]
    size = report["frames"], report["transitions"]
    rows.append((name, "ours", threshold, *size, share, "100%", jumps, cost, f"{slide[0]:.1f} ({slide[1]:.1f})"))
    study.say(f"{name}: our graph and walk in {clock.seconds:.1f} s")


if __name__ == "__main__":
    main(sys.modules[__name__])
