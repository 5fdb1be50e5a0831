"""How the search grows with the motion: processor time, pairs looked at, memory and minima over 1k, 4k, 16k … frames,
beside the exhaustive search as far as that is feasible and its extrapolation beyond. Writes a plot.

Every size runs in a process of its own, without the cache of distances, on files taken at random from a folder.
"""

import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

SIZES = [1000 * 4**k for k in range(6)]
EXHAUSTIVE = 64_000  # frames up to which every pair is looked at as well
CEILING = 4.0  # cm: what an automatic ceiling is for a database
PLOT = Path("scale.png")


def run(folder: Path) -> dict:
    """Rows of growing sets; a set that is smaller than asked for is the last."""
    rows, rate = [], None
    for size in SIZES:
        row = _process(folder, size)
        rate = row.pop("rate") or rate
        row["exhaustive, cpu s"] = row.pop("exhaustive") or (rate and row["pairs"] / rate)
        row["extrapolated"] = "" if size <= EXHAUSTIVE else "yes"
        rows.append(row)
        if row["frames"] < size:
            break
    _plot(rows)
    return {"rows": rows, "ceiling": f"{CEILING:g} cm", "plot": str(PLOT)}


def _process(folder, size):
    command = [sys.executable, __file__, str(folder), str(size)]
    result = subprocess.run(command, env=os.environ | {"MOTIONGRAPH_CACHE": "off"}, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr.strip().splitlines()[-1])
    return json.loads(result.stdout)


def _measure(folder: Path, size: int) -> dict:
    import motiongraph as mg
    from motiongraph.formats.collection import find_files, read_files
    from motiongraph.graph.fitting import fitted
    from motiongraph.metric import tape as tape_of
    from motiongraph.metric.pruned import Kept
    from motiongraph.metric.tape import Tape, search_tape

    files, clips, metric = find_files(folder), [], mg.Metric()
    random.Random(0).shuffle(files)
    frames = 0
    for _, found in read_files(files, on_error=lambda path, problem: None):
        found = [clip for clip in found if len(clip) - clip.first > metric.frames(clip.fps)]
        for clip in found:
            clip = clip.resampled(120.0)[: max(size - frames, 2 * metric.frames(120.0))]  # the last is cut to fit
            clips.append(clip.packed())
            frames += len(clip)
        if frames >= size:
            break
    like = clips[0].skeleton
    used = fitted([clip for clip in clips if clip.skeleton.names == like.names], False)
    prepared = [metric.prepare(clip) for clip in used]
    few, tape_of.FEW = tape_of.FEW, 0
    search_tape([], prepared[:1], ceiling=CEILING)  # compiles, or loads what is compiled
    tape_of.FEW = few
    tape, looked = Tape.of(prepared), Kept()
    del prepared
    began = time.process_time()
    minima = search_tape([], tape, ceiling=CEILING, radius=8, tally=looked)
    row = {"frames": sum(map(len, used)), "clips": len(used), "pairs": looked.pairs}
    row["pruned, cpu s"] = time.process_time() - began
    for name, kept in zip(("coarse", "fine"), looked.levels):
        row[f"{name} %"] = 100.0 * kept / looked.pairs
    row |= {"compared %": 100.0 * looked.compared / looked.pairs, "minima": len(minima)}
    row["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row |= {"exhaustive": None, "rate": None}
    if size <= EXHAUSTIVE:
        search_tape([], Tape.of([metric.prepare(used[0])]), ceiling=CEILING, search="exhaustive")
        began = time.process_time()
        same = search_tape([], tape, ceiling=CEILING, radius=8, search="exhaustive")
        row["exhaustive"] = time.process_time() - began
        row["rate"] = looked.pairs / row["exhaustive"]
        row["the same"] = "yes" if same.tobytes() == minima.tobytes() else "NO"
    return row


def _plot(rows):
    from experiments.plot import COLOURS, Plot

    plot = Plot(f"processor time of a search up to {CEILING:g} cm", "frames", "seconds", log_x=True, log_y=True)
    for name, colour in (("exhaustive", 0), ("pruned", 1)):
        known = [(row["frames"], row[f"{name}, cpu s"]) for row in rows if row[f"{name}, cpu s"]]
        told = sum(not row["extrapolated"] for row in rows) if name == "exhaustive" else len(known)
        dashed = told < len(known)
        plot.line(*zip(*known[:told]), f"{name}; dashed: extrapolated" if dashed else name, COLOURS[colour])
        if dashed:
            plot.line(*zip(*known[told - 1 :]), None, COLOURS[colour], dashed=True)
    plot.save(PLOT)


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), int(sys.argv[2]))))
