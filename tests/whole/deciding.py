"""Prints a digest of everything that is decided: minima, costs, alignments, thresholds, prunings, walks, paths.

A program of its own, so that it can be run under other BLAS kernels and instruction sets: python deciding.py [reversed]
"""

import hashlib
import json
import sys

import numpy as np

import motiongraph as mg
from motiongraph.files import resource
from motiongraph.formats.collection import load_collection


def digest(*arrays) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[:16]


def by_name(graph) -> np.ndarray:
    """The table of transitions with clips numbered by their names, whatever order they came in."""
    place = np.argsort(np.argsort([clip.name for clip in graph.clips]))
    table = graph.candidates.table.copy()
    table["src"], table["dst"] = place[table["src"]], place[table["dst"]]
    return np.sort(table, order=["src", "src_frame", "dst", "dst_frame"])


def main() -> None:
    clips = load_collection([resource("assets/samples")])
    if sys.argv[1:] == ["reversed"]:
        clips = clips[::-1]
    graph = mg.MotionGraph.build(clips)
    table, looser = by_name(graph), graph.at(threshold=2.5).pruned()
    decided = {name: digest(table[name]) for name in table.dtype.names}
    decided["threshold"] = repr(graph.report()["threshold"])
    decided["report"] = [
        looser.report()[key] for key in ("transitions", "choice_points", "frames_kept", "components", "cost_mean")
    ]
    a, b = sorted(clips, key=lambda clip: clip.name)[:2]
    for name, metric in {
        "taper": mg.Metric(taper="gaussian"),
        "weights": mg.Metric(joint_weights="mao", window=0.2),
        "in place": mg.Metric(align="in-place"),
        "30 Hz first": mg.Metric(search_fps=30),
        "angles": mg.Metric(kind="angle"),
        "angle velocities": mg.Metric(kind="angle-velocity", order=4),
        "dissertation": mg.Metric(kind="dissertation", window=0.2),
    }.items():
        decided[name] = digest(mg.find_minima(a, b, metric, cache=False))
    mirrored = mg.MotionGraph.build([a, b], mirror=True)
    decided["mirrored"] = digest(by_name(mirrored))
    if sys.argv[1:] != ["reversed"]:  # a walk begins where its graph's first clips do
        points = [(0.0, 0.0), (3.0, 0.5), (4.0, 3.0), (1.0, 6.0)]
        walks = {
            "greedy": mg.greedy_walk(looser, rng=1),
            "random": mg.random_walk(looser, seconds=60, rng=7),
            "sequential": mg.sequential_walk(looser, ["walk", "run", "sneak"], rng=0),
            "connect": mg.connect(looser, "run", "walk"),
            "path": mg.follow_path(looser, points),
            "reach": mg.reach(looser, (4.0, 2.0), 1.0),
        }
        decided |= {name: digest(walk.steps, walk.transitions) for name, walk in walks.items()}
        motion = mg.synthesize(walks["path"])
        decided["contacts"] = digest(motion.contacts())
        decided["motion"] = digest(np.round(motion.positions(), 6) + 0.0)
    print(json.dumps(decided))


if __name__ == "__main__":
    main()
