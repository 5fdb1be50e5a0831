"""How fast clips become a graph, how much memory and disk it takes, how quickly it is tuned, and what the suppression
of near-copies costs in connectivity. Every case runs in a process of its own, without the cache of distances."""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import motiongraph as mg

CASES = {
    "6 dissertation clips": ("cmu/asf_amc/dissertation", False),
    "subject 16": ("cmu/asf_amc/16", False),
    "all BVH": ("cmu/bvh", False),
    "all BVH, mirrored too": ("cmu/bvh", True),
}
RADII = (0, 2, 4, 8, 16)  # frames at 120 Hz
MANY, STEPS = 100_000, 200  # candidates and thresholds when tuning


def run(mocap: Path) -> dict:
    """Rows of the scale of a build and of tuning, then of what suppression radii (frames at 120 Hz) keep at one
    threshold."""
    cases = [("build", name) for name in CASES] + [("radii", name) for name in ("subject 16", "all BVH")]
    return {"rows": [row for what, name in cases for row in _process(mocap, what, name)]}


def _process(mocap, what, name):
    with tempfile.TemporaryDirectory() as folder:
        cache = {"MOTIONGRAPH_CACHE": "off"} if what == "build" else {"MOTIONGRAPH_CACHE_DIR": folder}
        command = [sys.executable, __file__, what, name, str(mocap), folder]
        result = subprocess.run(command, env=os.environ | cache, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def _clips(mocap, name):
    folder, mirror = CASES[name]
    clips = mg.load_all(mocap / folder)
    mg.MotionGraph.build(clips[:1])  # compiled code is loaded before the clock starts
    return clips, mirror


def _build(mocap, name, folder) -> list[dict]:
    clips, mirror = _clips(mocap, name)
    start, busy = time.perf_counter(), time.process_time()
    graph = mg.MotionGraph.build(clips, mirror=mirror)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    peak = _peak()
    windows = np.array([len(clip) - clip.first - graph.window + 1 for clip in graph.clips], float)
    pairs = 0.5 * windows.sum() ** 2
    path = Path(folder) / "g.mgraph"
    graph.save(path)
    row = {
        "what": name,
        "clips": len(graph.clips),
        "frames": sum(map(len, graph.clips)),
        "seconds": seconds,
        "processor s": busy,
        "million frame pairs": pairs / 1e6,
        "million frame pairs/s": pairs / seconds / 1e6,
        "candidates": len(graph.candidates.table),
        "peak MB": peak,
        "MB on disk": path.stat().st_size / 1e6,
        "load s": min(_timed(lambda: mg.MotionGraph.load(path)) for _ in range(3)),
        "threshold cm": graph.thresholds.highest,
        "share kept": graph.kept.frames / graph.candidates.frames,
    }
    return [row, *_tuning(name, graph)] if len(graph.candidates.table) >= MANY else [row]


def _tuning(name, graph) -> list[dict]:
    """Milliseconds of `at`, pruning and report with the cheapest hundred thousand candidates, without labels and with:
    of the first use, which prepares what all thresholds share, and of many thresholds in random order after it."""
    c, rows = graph.candidates, []
    cheapest = np.sort(np.argsort(c.cost, kind="stable")[:MANY])
    steps = np.linspace(0.0, c.cost[cheapest].max(), STEPS + 1)[1:]
    steps = np.random.default_rng(0).permutation(steps)
    graph.pruned().report()  # compiled code is loaded before the clock starts
    for what, clips in (("tuned", c.clips), ("tuned, with labels", tuple(map(_labelled, c.clips)))):
        few = mg.MotionGraph(replace(c, clips=clips, table=c.table[cheapest]), 0.0)
        first = 1e3 * _timed(lambda few=few: few.pruned().report())
        times = [1e3 * _timed(lambda few=few, step=step: few.at(step).pruned().report()) for step in steps]
        rows.append(
            {
                "what": f"{name}, {what}",
                "candidates": MANY,
                "label sets": len(few.candidates.labelling.sets),
                "first use ms": first,
                "tune ms, first": times[0],
                "tune ms, mean": float(np.mean(times)),
                "tune ms, most": float(np.max(times)),
            }
        )
    return rows


def _labelled(clip):
    """Labelled by its subject and by whether its number is odd, as CMU names its files (07_01)."""
    subject, trial = clip.name.removesuffix("_mirrored").split("_")
    return replace(clip, labels=(subject, "odd" if int(trial) % 2 else "even"))


def _radii(mocap, name, _) -> list[dict]:
    clips, _ = _clips(mocap, name)
    rows, threshold = [], None
    for radius in RADII:
        graph = mg.MotionGraph.build(clips, threshold="auto" if threshold is None else threshold, radius=radius / 120)
        threshold = graph.thresholds.highest
        report = graph.report(128)
        rows.append(
            {
                "what": f"{name}, suppression radius {radius}",
                "candidates": report["candidates"],
                "threshold cm": threshold,
                "transitions": report["transitions"],
                "share kept": report["share_kept"],
                "connection s": report["connection_seconds"],
            }
        )
    return rows


def _timed(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _peak() -> float:
    """MB that this process has held at most."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) > 1:
        what, name, mocap, folder = sys.argv[1:]
        print(json.dumps({"build": _build, "radii": _radii}[what](Path(mocap), name, folder)))
    else:
        for row in run(Path(os.environ.get("MOTIONGRAPH_MOCAP", "../shared/mocap")))["rows"]:
            print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
