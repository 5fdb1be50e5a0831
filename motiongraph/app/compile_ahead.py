"""Compiling ahead of use: what playing needs behind the open window, and for someone new all that the first steps need.

The first time that takes most of a minute, afterwards it is read from numba's cache in a second or two.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from motiongraph.app.jobs import JobKind
from motiongraph.app.state import AppState
from motiongraph.kernels import compile_all
from motiongraph.progress import Progress

# Parts whose kernels are needed to open and play clips, and those for graphs, walks and characters that are led.
_PLAYING = ("motiongraph.model", "motiongraph.formats", "motiongraph.app", "motiongraph.viewer")
_AHEAD = ("motiongraph.metric", "motiongraph.graph", "motiongraph.walks", "motiongraph.synthesis")
_EVERYTHING = "import motiongraph.app.update; from motiongraph.kernels import compile_all; compile_all()"


def warm_up(state: AppState) -> None:
    """Compile, or load from the cache, what playing needs; behind the open window."""

    def work(progress: Progress, deliver: Callable[[Any], None]) -> None:
        compile_all(progress, _PLAYING)
        deliver(True)

    def then(_: Any) -> None:
        state.ready = True

    if state.hint and not state.inline:  # someone new, who shall not wait at each of the first steps
        title = "compiling for graphs and walks, once"
        state.jobs.start(JobKind.COMPILE_AHEAD, title, _compile_beside, lambda _: None)
    state.jobs.start(JobKind.COMPILE, "compiling kernels", work, then)


def _compile_beside(progress: Progress, deliver: Callable[[Any], None]) -> None:
    """Compile in a process of its own, which leaves its work in numba's cache: here it would hold up frames."""
    command = [sys.executable, "-c", _EVERYTHING]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None:
                progress(0, 0, "")
                time.sleep(0.1)
        except BaseException:
            process.kill()
            raise
    compile_all(progress, _AHEAD)  # whatever became of it: from the cache, or compiled here and now
