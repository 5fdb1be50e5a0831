#!/usr/bin/env python
"""Measures what the project promises to be fast at, beside something to compare with, in one run.

    scripts/bench.py load|distance|graph|… [--json] [--mocap FOLDER]
    scripts/bench.py scale FOLDER

Each benchmark is a module in scripts/benchmarks with `run(mocap) -> {"rows": [...], ...}`. Timing depends on what else
the machine does: compare the rows of one run with each other.
"""

import argparse
import importlib
import json
import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


def machine() -> dict:
    """What the figures were measured on."""
    import numba
    import numpy

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    names = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": cores,
        "load before": busy,
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
    }


def _lines(path):
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _cell(value):
    if value is None:
        return ""
    return (
        f"{value:,.4g}"
        if isinstance(value, float) and abs(value) < 1e4
        else f"{value:,.0f}"
        if isinstance(value, float)
        else str(value)
    )


def table(rows) -> str:
    """Rows of a dict each as aligned columns; a column for every key that occurs."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [keys, *([_cell(row.get(key)) for key in keys] for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(keys))]
    lines = [
        "  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths))) for line in cells
    ]
    return "\n".join([lines[0].rstrip(), "  ".join("-" * w for w in widths), *(line.rstrip() for line in lines[1:])])


def main():
    names = sorted(f.stem for f in (HERE / "benchmarks").glob("*.py") if not f.stem.startswith("_"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=names)
    parser.add_argument("folder", type=Path, nargs="?", help="of motion, for scale; as --mocap")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--mocap", type=Path, default=Path(os.environ.get("MOTIONGRAPH_MOCAP", HERE / "../../shared/mocap"))
    )
    asked = parser.parse_args()
    told = machine()
    found = importlib.import_module(f"benchmarks.{asked.name}").run(asked.folder or asked.mocap)
    if asked.json:
        print(json.dumps({"machine": told, **found}, indent=2))
        return
    print(",  ".join(f"{k} {_cell(v)}" for k, v in told.items()), end="\n\n")
    print(table(found.pop("rows")))
    for key, value in found.items():
        if value:
            print(f"\n{key}: {value if isinstance(value, str) else ', '.join(map(str, value))}")


if __name__ == "__main__":
    main()
