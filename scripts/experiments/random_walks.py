"""The dissertation's second experiment: its motion graph of six clips, and 20 greedy walks (3.4.2, 5.1.2).

`dissertation_edges.csv`, beside this file, has the 380 edges of the author's own program: source, target, their frames
and the distance.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import plot
from dissertation_graph import CENTRE, PUBLISHED, as_published, edges_of, last_edges, walk_picture
from pictures import flow, pushed_apart
from study import SIX, Clock, main

import motiongraph as mg
from motiongraph.graph.picture import save_picture

TITLE = "2. Dissertation, experiment 2: the graph of six clips and random walks"
EDGES = Path(__file__).with_name("dissertation_edges.csv")
WALKS = 20
# transitions of the walk of figure 5.7 as the text has them: from, to, frames, distance
FIGURE = (
    ("run", "walk", 129, 193, 145.04),
    ("walk", "one leg jump", 418, 113, 366.075),
    ("one leg jump", "jump", 429, 379, 82.13),
)


def run(study):
    six = study.six()
    words = {file: word for word, file in SIX.items()}
    clips = list(six.values())
    clock = Clock()
    graph = as_published(clips, study.progress)
    seconds = clock.seconds
    statistics(study, graph, seconds)
    known = program_edges()
    compare(study, graph, known)
    tie(study, six, known)
    thresholds(study, graph, list(six))
    figure_transitions(study, graph, words)
    program, theirs = as_programmed(study, graph, list(six)), greedy(study, graph, list(six))
    table(study, program, theirs, planar(study, clips))


def statistics(study, graph, seconds):
    """The numbers of section 5.1.2 beside ours."""
    cost = graph.transitions["cost"]
    out = np.bincount(graph.transitions["src"], minlength=len(graph.clips))
    frames = sum(map(len, graph.clips))
    study.text(
        """The metric of the original program (see `motiongraph/metric/dissertation.py`: a sum of fourth powers
        over 968 points and 81 frames, in place), its rule for minima (no cell beside the border), pairs of
        different clips only, no threshold."""
    )
    study.table(
        ["figure", "published", "its program, run again", "ours"],
        [
            ["vertices", 6, 6, len(graph.clips)],
            ["frames", 2623, 2623, frames],
            ["edges", 380, 380, len(cost)],
            ["smallest distance", 18.92, 18.92, float(cost.min())],
            ["largest distance", 20743.55, 20743.55, float(cost.max())],
            ["mean distance", 1834.15, 1839.28, float(cost.mean())],
            ["most connected vertex", 96, 95, int(out.max())],
            ["least connected vertex", 38, 38, int(out.min())],
            ["edges a vertex", 63, 63.33, float(out.mean())],
            ["seconds to build", 336, "321 to 395 unoptimised, 87 with -O2, 8.6 with -O3 and one copy less", seconds],
        ],
    )
    study.text(
        """The second column is what the author's own program gives when compiled and run on these files; its 380 edges
        are in `scripts/experiments/dissertation_edges.csv`. Edges, smallest and largest distance and the least
        connected vertex follow from the published method; the mean and the most connected vertex do not, not even in
        the program itself. Along a bone the sum of fourth powers is a polynomial, so that 30 bones stand for the 968
        points; that, and two cores, is the difference in time."""
    )


def program_edges() -> dict:
    """The 380 edges of the original program: {(source, target, i, j): d}."""
    with open(EDGES, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(e["src"][:-4], e["dst"][:-4], int(e["i"]), int(e["j"])): float(e["d"]) for e in rows}


def compare(study, graph, known):
    """Our edges against all 380 of the program."""
    ours = edges_of(graph)
    both = set(ours) & set(known)
    off = max(abs(ours[e] / known[e] - 1.0) for e in both)
    study.text(
        f"""Edge by edge: of the program's {len(known)} edges {len(both)} are found at the same frames, the largest
        relative difference of a distance is {off:.1e}; not found: {_told(set(known) - both)}; found beyond:
        {_told(set(ours) - both)}."""
    )


def _told(edges):
    return ", ".join(f"{a} {i} to {b} {j}" for a, b, i, j in sorted(edges)) or "none"


def tie(study, six, known):
    """The two neighbouring cells that the program finds equal, computed in double precision."""
    a, b, i, j = "sneak", "one leg jump", 98, (187, 188)
    matrix = mg.distance_matrix(six[a], six[b], PUBLISHED)
    ours = matrix.pair.exact(np.full(2, i - CENTRE), np.array(j) - CENTRE)[0]
    theirs = [known[SIX[a], SIX[b], i, frame] for frame in j]
    study.text(
        f"""The two edges fewer are one place: {a} {i} with {b} {j[0]} and {j[1]}. The program has {theirs[0]:.4f} for
        both, in single precision, and its test (no neighbour is smaller) keeps both cells. In double precision they are
        {ours[0]:.4f} and {ours[1]:.4f}, so only one of them is a minimum."""
    )


def thresholds(study, graph, lanes):
    """The same graph at four thresholds (figure A.2)."""
    pictures = []
    for limit in (250.0, 500.0, 1000.0, 2000.0):
        part = graph.at(limit)
        chart = walk_picture(part, [], lanes, f"d up to {limit:,.0f}: {len(part.transitions)} edges")
        pictures.append(("", chart.drawn()))
    path = study.figure("thresholds.png", "Figure A.2: the graph at four thresholds (the text does not give its own).")
    plot.write(plot.sheet(pictures, 2), path)


def figure_transitions(study, graph, words):
    """The transitions of figure 5.7 looked up among the edges."""
    ours = edges_of(graph)
    rows = []
    for src, dst, i, j, d in FIGURE:
        found = [(a, b) for (a, b, p, q), cost in ours.items() if (p, q) == (i, j) and abs(cost - d) < 0.01]
        a, b = found[0] if found else (None, None)
        there = f"{words[a]} to {words[b]}" if found else "no such edge"
        rows.append([f"{src} to {dst}", f"{i}–{j}", d, there, ours.get((a, b, i, j))])
    study.table(
        ["figure 5.7, as the text names them", "frames", "d", "the edge with these frames and distance", "d ours"], rows
    )
    starts, ends = [0, *(j for *_, j, _ in FIGURE)], [*(i for _, _, i, _, _ in FIGURE), len(graph.clips[4]) - CENTRE]
    frames = sum(ends) - sum(starts)
    study.text(
        f"""All three transitions of the published walk exist to the last digit, but two of them between other clips
        than the text says: frames 129–193 at 145.04 lead from the walk to the jump, and 418–113 at 366.07 from the
        jump to the one leg jump. The walk of figure 5.7 began with walking, not running. By the frames given,
        up to half a window before the end of the last clip, it lasts {frames} frames and not the published 482."""
    )


def as_programmed(study, graph, lanes):
    """Walks by the rule that the program follows, from every edge that its pool may begin with."""
    cost = graph.transitions["cost"]
    cheapest = np.argsort(cost, kind="stable")
    walks = {
        share: [last_edges(graph, int(edge)) for edge in cheapest[: round(share * len(cost))]]
        for share in (0.05, 0.2, 1.0)
    }
    known = [(i, j) for _, _, i, j, _ in FIGURE]
    found = [walk for walk in walks[1.0] if _frames(walk)[: len(known)] == known]
    study.heading("The walk of figure 5.7, by the program's rule")
    said = "yes" if any(_frames(walk) == known for walk in found) else "no"
    study.text(
        f"""The text describes a greedy search among the cheapest transitions. The program does something else: its
        `traverse_min_rand` compares every distance with a minimum that it never updates. So it begins with an edge at
        random, and from then on takes the last edge in its list that leaves far enough ahead (here: a window). With the
        clips in the order of the text that rule, begun at frames {known[0][0]}–{known[0][1]}, gives
        {", ".join(f"{i}–{j}" for i, j in _frames(found[0])) if found else "another walk"}. Is that the published walk?
        {said.capitalize()}."""
    )
    lengths = sorted(walks[0.2], key=lambda walk: -len(walk.transitions))
    shown = [lengths[k] for k in (0, len(lengths) // 3, 2 * len(lengths) // 3, -1)]
    pictures = [("", walk_picture(graph.at(1000.0), [walk], lanes, _title(walk)).drawn()) for walk in shown]
    path = study.figure("alternatives.png", "Figure A.3: other walks by the program's rule.")
    plot.write(plot.sheet(pictures, 2), path)
    return walks


def _frames(walk):
    """Its transitions as they are published."""
    return [(int(t["src_frame"]) + CENTRE, int(t["dst_frame"]) + CENTRE) for t in walk.transitions]


def _title(walk):
    return f"{len(walk.transitions)} transitions, mean d {walk.transitions['cost'].mean():.0f}"


def greedy(study, graph, lanes):
    """Greedy walks on the graph as published, from the first frame of any clip, for both sizes of pool in the text.

    The graph is not pruned: they end where no transition lies ahead.
    """
    walks = {}
    for share in (0.05, 0.2):
        rng = np.random.default_rng(study.seed)
        starts = rng.integers(len(graph.clips), size=40 if study.quick else 400)
        walks[share] = [mg.greedy_walk(graph, rng=rng, start=(int(clip), 0), share=share) for clip in starts]
    like_theirs = [walk for walk in walks[0.2] if len(walk.transitions) == 3]
    shown = max(like_theirs, key=lambda walk: (len(set(walk.steps["clip"].tolist())), -walk.transitions["cost"].max()))
    motion = mg.synthesize(shown)
    chart = walk_picture(graph.at(1000.0), [shown], lanes, "A greedy walk on the graph up to d = 1000")
    chart.save(study.figure("walk.png", "Figure 5.6: the graph, and a greedy walk on it; its first clip blue."))
    picture = flow(study, pushed_apart(motion), 30, size=(1500, 380))
    plot.write(
        picture, study.figure("flow.png", "Figure 5.7: the same walk as motion, pushed apart at each transition.")
    )
    mg.save(motion, study.file("greedy.bvh"))
    return walks


def planar(study, clips):
    """The same six clips in our own graph: planar alignment, windows of a third of a second, pruned."""
    clock = Clock()
    graph = mg.MotionGraph.build(clips, ceiling=20.0, progress=study.progress)
    seconds = clock.seconds
    report = graph.report()
    study.heading("The same six clips in our graph")
    study.text(
        f"""Planar alignment, windows of {graph.window} frames, transitions within clips too, an automatic threshold
        of {graph.thresholds.within:.1f} cm: {report["transitions"]:,} transitions of {report["cost_min"]:.2f} to
        {report["cost_max"]:.2f} cm (mean {report["cost_mean"]:.2f}), built in {seconds:.2f} s. Pruning leaves
        {report["share_kept"]:.0%} of all frames, from where motion can go on for ever."""
    )
    path = study.figure("graph.png", "Our graph of the six clips; bright is what survives pruning.")
    save_picture(graph, path, 1600)
    rng = np.random.default_rng(study.seed)
    pruned = graph.pruned()
    return [mg.greedy_walk(pruned, rng=rng, max_transitions=50) for _ in range(WALKS)]


def table(study, program, theirs, ours):
    """The walks in numbers."""
    rows = [["published", WALKS, "3 (1 to 5)", "214.64", "4.0 (the one shown)"]]
    sets = [(f"the program's rule, begun with the cheapest {share:.0%}", walks, "") for share, walks in program.items()]
    for share, walks in theirs.items():
        sets += [(f"as the text describes, pool of {share:.0%}", part, "") for part in (walks[:WALKS], walks)]
    for words, walks, unit in (*sets, ("our graph, pruned, 50 at most", ours, " cm")):
        counts = np.array([len(w.transitions) for w in walks])
        cost = np.concatenate([w.transitions["cost"] for w in walks]).mean()
        spread = f"{counts.mean():.1f} ({counts.min()} to {counts.max()})"
        rows.append([words, len(walks), spread, f"{cost:.2f}{unit}", f"{np.mean([w.duration for w in walks]):.1f}"])
    study.heading("Greedy walks")
    study.table(["graph", "walks", "transitions", "mean d", "seconds"], rows)
    study.text(
        """By the text, a walk starts at the first frame of a clip picked at random and takes one of the cheapest
        transitions ahead at every step; the size of that pool is given twice, as the best 20% (3.4.2) and as the best
        5% (4.7.1). The program's rule is deterministic after its first edge, so every walk that it can make from such a
        pool is counted once. After every jump a clip is only played forward, so that without pruning and without
        transitions within clips a walk soon comes to the end of one. In the pruned graph it never does."""
    )


if __name__ == "__main__":
    main(sys.modules[__name__])
