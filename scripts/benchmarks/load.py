"""How fast files become clips, beside the libraries a user would take instead; all in one run.

The libraries are the `bench` extra (`pip install -e .[bench]`); one that is missing is said to be missing. Each
contender reads the same bytes from the same warm file, on one core: the least processor time of several runs counts,
so that it matters little what else the machine does. For a folder, which is read by several threads, the clock counts.
"""

import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import motiongraph as mg


def best(function, clock=time.process_time, seconds=1.0, least=3):
    """The shortest of at least `least` runs within about `seconds`."""
    times, start = [], time.perf_counter()
    while len(times) < least or time.perf_counter() - start < seconds:
        at = clock()
        function()
        times.append(clock() - at)
    return min(times)


def _bare_numbers(path: Path) -> str:
    """The text of a BVH's frames, for numpy to read."""
    text = path.read_text()
    return text[text.index("\n", text.lower().index("frame time")) :]


def _contenders(path: Path):
    yield "motiongraph, file to Clip", lambda: mg.load(path)
    if find_spec("pybvh"):
        import pybvh

        yield "pybvh", lambda: pybvh.read_bvh_file(path)
    if find_spec("pymotion"):
        from pymotion.io.bvh import BVH

        yield "upc-pymotion", lambda: BVH().load(str(path))
    if find_spec("bvhio"):
        import bvhio

        yield "bvhio", lambda: bvhio.readAsBvh(str(path))
    numbers = _bare_numbers(path)
    yield "numpy.fromstring, bare numbers", lambda: np.fromstring(numbers, sep=" ")


def run(mocap: Path) -> dict:
    """Rows of (what, size in MB, seconds, MB/s, times ours)."""
    warnings.simplefilter("ignore")
    largest = max((mocap / "cmu/bvh").glob("*.bvh"), key=lambda f: f.stat().st_size)
    rows, size = [], largest.stat().st_size / 1e6
    mg.load(largest)
    for name, function in _contenders(largest):
        seconds = best(function)
        rows.append({"what": f"{largest.name}: {name}", "MB": size, "seconds": seconds, "MB/s": size / seconds})
    for row in rows:
        row["times slower"] = row["seconds"] / rows[0]["seconds"]
    missing = [m for m in ("pybvh", "pymotion", "bvhio") if not find_spec(m)]

    amc = max((mocap / "cmu/asf_amc").rglob("*.amc"), key=lambda f: f.stat().st_size)
    size = amc.stat().st_size / 1e6
    seconds = best(lambda: mg.load(amc))
    rows.append(
        {"what": f"{amc.name}: motiongraph, file to Clip", "MB": size, "seconds": seconds, "MB/s": size / seconds}
    )

    folder = mocap / "cmu/bvh"
    size = sum(f.stat().st_size for f in folder.glob("*.bvh")) / 1e6
    seconds = best(lambda: mg.load_all(folder), time.perf_counter)
    frames = sum(map(len, mg.load_all(folder)))
    what = f"all {len(list(folder.glob('*.bvh')))} BVH, {frames:,} frames, as clips"
    rows.append({"what": what, "MB": size, "seconds": seconds, "MB/s": size / seconds})
    return {"rows": rows, "missing": missing}


if __name__ == "__main__":
    import os

    found = run(Path(os.environ.get("MOTIONGRAPH_MOCAP", "../shared/mocap")))
    for row in found["rows"]:
        print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else str(v) for k, v in row.items()))
    print("missing:", found["missing"])
