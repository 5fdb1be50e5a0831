"""Kills the program at random moments while it writes: every file is whole, old or new, and nothing is poisoned.

    python scripts/safety/kill.py [MOMENTS] [--seed N]

Each moment is one process, forked when everything is imported, that saves a motion over an older one (.bvh, .amc with
its .asf, .glb), builds and saves a graph with a cache of distances, saves a project, or downloads from a server of our
own; it is killed (SIGKILL) at a random time of its work. What is found afterwards must be what was there or what was to
be written, the .amc and .asf of one motion, and doing it again must give the same. Ends with status 1 otherwise.
"""

import argparse
import collections
import contextlib
import functools
import http.server
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from subjects import SAMPLES, small_state

from motiongraph.app.project.project_file import save_project, snapshot
from motiongraph.app.project.project_reader import load_project
from motiongraph.fetch import fetch_cmu
from motiongraph.formats.load import load
from motiongraph.formats.save import save
from motiongraph.graph.motion_graph import MotionGraph

OLD, NEW = (load(SAMPLES / f"{name}.bvh") for name in ("walk", "run"))
Work = Callable[[Path], None]  # in a folder


def _save(ending: str, clip, folder: Path) -> None:
    save(clip, folder / f"m.{ending}")


def _project(state, folder: Path) -> None:
    save_project(folder / "m.mgproj", snapshot(state))


def _graph(clips, folder: Path) -> None:
    os.environ["MOTIONGRAPH_CACHE_DIR"] = str(folder / "cache")
    MotionGraph.build(clips).save(folder / "m.mgraph")


def _whole(folder: Path) -> str:
    """What a folder holds, read by the program; "" where there is nothing yet."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix in (".bvh", ".amc", ".glb"):
            clip = load(path)
            found.append(f"{len(clip)} frames {clip.root.sum():.6f} {clip.skeleton.offsets.sum():.6f}")
        elif path.suffix == ".mgraph":
            found.append(f"{len(MotionGraph.load(path).transitions)} transitions")
        elif path.suffix == ".mgproj":
            found.append(f"{len(load_project(path).entries)} clips")
        elif path.is_dir() and path.name != "cache":
            whole = [file for file in sorted(path.iterdir()) if file.suffix in (".asf", ".amc")]
            found += [f"{file.name} {file.stat().st_size}" for file in whole]
    return ", ".join(found)


class Slowly(http.server.SimpleHTTPRequestHandler):
    """A server that takes its time."""

    def log_message(self, *words):
        pass

    def copyfile(self, source, outputfile):
        with contextlib.suppress(ConnectionError):  # whoever asked was killed
            while block := source.read(4096):
                outputfile.write(block)
                time.sleep(0.002)


def works(site: Path) -> dict[str, tuple[Work, Work]]:
    """By name: what was there before, and what is killed."""
    (site / "16").mkdir(parents=True)
    small = load(SAMPLES / "walk.bvh").resampled(30)
    save(small, site / "16" / "16_01.amc")
    (site / "16" / "16_01.asf").rename(site / "16" / "16.asf")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Slowly, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    state, clips = small_state(site), [OLD.resampled(30), NEW.resampled(30)]
    found = {e: (functools.partial(_save, e, OLD), functools.partial(_save, e, NEW)) for e in ("bvh", "amc", "glb")}
    found["graph"] = functools.partial(_graph, clips[:1]), functools.partial(_graph, clips)
    found["project"] = lambda folder: None, functools.partial(_project, state)
    found["fetch"] = lambda folder: None, lambda folder: fetch_cmu(16, [1], folder / "16", base=base) and None
    return found


def _forked(work: Work, folder: Path, seconds: float) -> bool:
    """Do it in another process, killed after so many seconds; whether it was done before."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work(folder)
            status = 0
        finally:
            os._exit(status)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            if status:
                raise AssertionError(f"the work itself failed with status {status}")
            return True
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("moments", type=int, nargs="?", default=200)
    options.add_argument("--seed", type=int, default=0)
    asked = options.parse_args()
    warnings.simplefilter("ignore")
    rng, killed, wrong = np.random.default_rng(asked.seed), collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix="kill-") as place:
        root = Path(place)
        kinds = works(root / "site")
        states, lasts = {}, {}
        for name, (before, work) in kinds.items():
            folder = root / name
            folder.mkdir()
            before(folder)
            states[name] = [_whole(folder)]
            shutil.copytree(folder, root / f"{name}-old")
            work(folder)  # compiled, and in the caches, which the processes below inherit
            shutil.rmtree(folder)
            shutil.copytree(root / f"{name}-old", folder)
            began = time.monotonic()
            _forked(work, folder, 600.0)
            lasts[name] = time.monotonic() - began
            states[name].append(_whole(folder))
        for number in range(asked.moments):
            name = list(kinds)[number % len(kinds)]
            folder = root / name
            shutil.rmtree(folder)
            shutil.copytree(root / f"{name}-old", folder)
            if not _forked(kinds[name][1], folder, float(rng.uniform(0.0, 1.05 * lasts[name]))):
                killed[name] += 1
            try:
                after = _whole(folder)
                # Downloads come one after the other; everything else is there at once.
                good = (
                    after in states[name]
                    if name != "fetch"
                    else set(after.split(", ")) <= {"", *states[name][1].split(", ")}
                )
                _forked(kinds[name][1], folder, 600.0)
                again = _whole(folder)
            except Exception as problem:
                good, after, again = False, repr(problem), ""
            if not good or again != states[name][1]:
                wrong += 1
                print(
                    f"moment {number}, {name}: {after!r}, again {again!r}; expected one of {states[name]}", flush=True
                )
    many = ", ".join(f"{name} {count}" for name, count in killed.items())
    print(f"seed {asked.seed}: {asked.moments} moments, {killed.total()} killed in time ({many}), {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
