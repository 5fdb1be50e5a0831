"""How well paths are followed: twelve of them on every set of issue 20, planned as a whole and gone along live.

Metres from the nearest point of the path, over the frames of the motion. The sets are those of `_quality_sets`, at the
automatic threshold; MOTIONGRAPH_RATES names further rates to measure subjects 16 and 69 at, and MOTIONGRAPH_LIVE=0
leaves out what is gone along live, which takes longest.
"""

import os
import time
import warnings
from pathlib import Path

import numpy as np
from benchmarks._quality_sets import sets
from benchmarks.walks import paths

import motiongraph as mg
from motiongraph.app.live.live_character import best_start
from motiongraph.model.placement import heading_of
from motiongraph.walks.curve import Curve, nearest_on

_STEP, _SLOWEST = 1.0 / 60.0, 0.4  # s between two looks at a live character; m/s below which it is given up
_CLOSE, _PASSED = 0.5, 1.5  # m from its end at which a path is done, and from every mark on it that is passed


def twelve() -> dict[str, Curve]:
    """The paths: those of the benchmark of walks, the straight one longer, and two corners."""
    found = {name: curve for name, curve in paths().items() if not name.startswith("straight")}
    return {
        "straight 30 m": Curve.of([(0, 0), (0, 30)]),
        "corner 90°": Curve.of([(0, 0), (0, 6), (6, 6)]),
        "corner 180°": Curve.of([(0, 0), (0, 6), (0.05, 0)]),
        **found,
    }


def offline(graph: mg.MotionGraph, curve: Curve) -> dict:
    """The walk that is planned as a whole."""
    own = time.process_time()
    walk = mg.follow_path(graph, curve)
    own = time.process_time() - own
    frames = [(clip, f) for clip, a, b in walk.steps.tolist() for f in range(a, b)]
    facts = walk.facts
    return {
        "mean": facts["path_error_mean"],
        "worst": facts["path_error_worst"],
        "distinct": len(set(frames)) / max(len(frames), 1),
        "changes": facts["behaviour_changes"],
        "own s": own,
        "said": walk.note,
    }


def live(graph: mg.MotionGraph, curve: Curve, cleanup: bool) -> dict:
    """A character that goes along it from its first point, beginning as it does in the window."""
    theta, (x, z) = float(heading_of(curve.tangents[0])), curve.places[0].tolist()
    character = mg.LiveCharacter(graph, (theta, x, z), start=best_start(graph, curve), cleanup=cleanup)
    character.follow(curve)
    places, longest = [], curve.length / _SLOWEST
    while character.seconds < longest and not (len(places) % 30 == 0 and gone(places, curve)):
        places.append(character.advance(_STEP)[0][[0, 2]].astype(float))
    distance, _ = nearest_on(np.array(places), curve)
    return {
        "mean": float(distance.mean()),
        "worst": float(distance.max()),
        "done": gone(places, curve),
        "transitions": character.taken / character.seconds,
    }


def gone(places: list[np.ndarray], curve: Curve) -> bool:
    """Whether every half metre of a path was passed in turn and its end is near; its legs may lie side by side."""
    marks = curve.at(np.append(np.arange(0.0, curve.length, 0.5), curve.length))
    passed = 0
    for place in places:
        while passed < len(marks) and np.linalg.norm(marks[passed] - place) < _PASSED:
            passed += 1
    return passed == len(marks) and bool(np.linalg.norm(places[-1] - marks[-1]) < _CLOSE)


def rows_of(name: str, graph: mg.MotionGraph) -> list[dict]:
    """A row for every path, then their median and worst."""
    rows = []
    feet = {} if os.environ.get("MOTIONGRAPH_LIVE") == "0" else {"live, feet held": True, "live, feet free": False}
    mg.follow_path(graph, [(0, 0), (0, 2)])  # what is worked out once for a graph
    for title, curve in twelve().items():
        a = offline(graph, curve)
        row = {
            "set": name,
            "path": title,
            "mean m": a["mean"],
            "worst m": a["worst"],
            "distinct": a["distinct"],
            "changes": a["changes"],
            "own s": a["own s"],
        }
        for who, held in feet.items():
            b = live(graph, curve, held)
            row |= {f"{who}, {key}": value for key, value in b.items()}
            row[f"{who} / offline"] = b["mean"] / a["mean"]
        rows.append(row | {"said": a["said"]})
    whole = {
        "set": name,
        "path": "median of twelve",
        "mean m": float(np.median([row["mean m"] for row in rows])),
        "worst m": max(row["worst m"] for row in rows if row["path"].startswith("corner")),
        "distinct": float(np.median([row["distinct"] for row in rows])),
        "changes": sum(row["changes"] for row in rows),
        "own s": max(row["own s"] for row in rows),
    }
    for who in feet:
        whole[f"{who}, mean"] = float(np.median([row[f"{who}, mean"] for row in rows]))
        whole[f"{who} / offline"] = whole[f"{who}, mean"] / whole["mean m"]
        whole[f"{who}, done"] = sum(row[f"{who}, done"] for row in rows)
        whole[f"{who}, transitions"] = float(np.mean([row[f"{who}, transitions"] for row in rows]))
    return [*rows, whole]


def run(mocap: Path) -> dict:
    """Rows for every set and path."""
    warnings.simplefilter("ignore")
    rows = []
    rates = [float(rate) for rate in os.environ.get("MOTIONGRAPH_RATES", "").split()]
    for name, files in sets(mocap).items():
        clips = [mg.load(file) for file in files]
        for rate in (None, *rates) if name in ("16", "69") else (None,):
            own = [clip.resampled(rate) for clip in clips] if rate else clips
            graph = mg.MotionGraph.build(own).pruned()
            rows += rows_of(name + (f" at {rate:g} Hz" if rate else ""), graph)
    return {"rows": rows}
