"""Compiling ahead of use: what playing needs behind the open window, and for someone new all that the first steps need.

The first time that takes most of a minute, afterwards it is read from numba's cache in a second or two.
"""

import subprocess
import sys
import time
from importlib import import_module

from motiongraph.app.state import AppState

_PLAYING = ("numba", "motiongraph.model.kinematics", "motiongraph.formats.load", "motiongraph.app.scene.stage")
# What building a graph, walking a path and leading a character compile, in the order in which they are needed.
AHEAD = tuple(
    f"motiongraph.{module}"
    for module in (
        "metric.distance",
        "graph.motion_graph",
        "graph.thresholds",
        "graph.report",
        "walks.follow_path",
        "synthesis.synthesize",
        "synthesis.quality",
        "walks.live",
        "synthesis.live",
    )
)


def warm_up(state: AppState, *modules: str) -> None:
    """Compile, or load from the cache, what playing needs, and import `modules`; behind the open window."""

    def work(progress, deliver):
        _load((*_PLAYING, *modules), progress)
        deliver(True)
        import_module("motiongraph.walks.curve")  # the first path drawn must not wait for it

    def then(_):
        state.ready = True

    if state.hint and not state.inline:  # someone new, who shall not wait for each step of the list in turn
        state.jobs.start("ahead", "compiling for graphs and walks, once", _ahead, lambda _: None)
    state.jobs.start("kernels", "compiling kernels", work, then)


def _ahead(progress, deliver) -> None:
    """In a process of its own, which leaves its work in numba's cache: compiling in this one would hold up frames."""
    command = [sys.executable, "-c", f"import {', '.join(AHEAD)}"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None:
                progress(0, 0, "")
                time.sleep(0.1)
        except BaseException:
            process.kill()
            raise
    _load(AHEAD, progress)  # whatever became of it: from the cache, or compiled here and now


def _load(modules, progress) -> None:
    for index, module in enumerate(modules):
        progress(index, len(modules), module.rpartition(".")[2])
        import_module(module)
