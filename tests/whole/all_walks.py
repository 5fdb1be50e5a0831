"""Every kind of walk through a saved graph, as plain data: to compare processors and versions byte for byte.

python tests/all_walks.py GRAPH [OUT.json]
"""

import json
import sys
from itertools import pairwise

import numpy as np

import motiongraph as mg

PATH = ((0.0, 0.0), (1.0, 2.5), (3.5, 3.0), (4.0, 6.0), (2.0, 8.0))


def described(walk) -> dict:
    """What a walk plays, every bit of it; the transitions' costs and alignments are those of the table."""
    return {
        "steps": walk.steps.tolist(),
        "transitions": walk.transitions[["src", "src_frame", "dst", "dst_frame"]].tolist(),
        "placements": walk.placements.tobytes().hex(),
        "error": float(walk.facts.get("error", 0.0)).hex(),
    }


def live(graph, seconds=20.0) -> dict:
    """A character that is steered, sent to places and along a path."""
    driven = mg.LiveCharacter(graph, rng=3, cleanup=False)
    for ask in (
        lambda: driven.go_to((3.0, 4.0)),
        lambda: driven.steer((0.9, -0.4)),
        lambda: driven.follow(mg.Curve.of(PATH, "spline")),
        lambda: driven.go_to((-2.0, 1.0)),
    ):
        ask()
        for _ in range(int(seconds / 4 * 30)):
            driven.advance(1 / 30)
    return described(driven.walk())


def every_walk(graph) -> dict:
    """Name → walk."""
    pruned = graph.pruned()
    names = [clip.name for clip in pruned.clips if len(clip) > 0]
    out = {"live": live(graph)}
    for seed in range(3):
        out[f"greedy {seed}"] = described(mg.greedy_walk(pruned, seed, 40))
        out[f"random {seed}"] = described(mg.random_walk(pruned, 120.0, seed))
        effort = mg.Effort(best=4, tolerance=0.5, rng=seed)
        out[f"path {seed}"] = described(mg.follow_path(graph, PATH, effort=effort))
    out["spline"] = described(mg.follow_path(graph, PATH, curve="spline"))
    bounded = mg.Effort("branch and bound", expansions=3000, plan=2.0)
    out["branch and bound"] = described(mg.follow_path(graph, PATH, effort=bounded))
    out["reach"] = described(mg.reach(graph, (2.0, 3.0), 1.0))
    for a, b in pairwise(names):
        for by in ("quickest", "cheapest"):
            try:
                out[f"connect {a} {b} {by}"] = described(mg.connect(graph, a, b, by))
            except mg.MotionError as error:
                out[f"connect {a} {b} {by}"] = {"error": str(error)}
        for method in ("exact", "trials"):
            try:
                walk = mg.sequential_walk(graph, [a, b, a], method=method, trials=200)
                out[f"sequential {a} {b} {method}"] = described(walk)
            except mg.MotionError as error:
                out[f"sequential {a} {b} {method}"] = {"error": str(error)}
    own = mg.Effort(width=4, expansions=60)
    goal = mg.search(graph, lambda w, e: float(np.sum(np.abs(e.places))), lambda w: w.length > 3.0, effort=own)
    out["search"] = described(goal)
    return out


if __name__ == "__main__":
    text = json.dumps(every_walk(mg.MotionGraph.load(sys.argv[1])), indent=1)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text)
