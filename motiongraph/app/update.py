"""The program in time: compiling behind the open window, then step after step.

The phases of a step in the order they happen: commands, finished jobs, time, poses. Compiling takes most of a minute
the first time, afterwards it is read from numba's cache in a second or two.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from motiongraph.app.command import perform
from motiongraph.app.jobs import JobKind, in_words, say_failure
from motiongraph.app.live import crowd, drive, live_character
from motiongraph.app.playback import advance
from motiongraph.app.project import autosave
from motiongraph.app.scene import camera_moves
from motiongraph.app.scene.cast import set_stage
from motiongraph.app.state import AppState
from motiongraph.errors import MotionError
from motiongraph.kernels import compile_all
from motiongraph.progress import Progress

# Parts whose kernels are needed to open and play clips, and those for graphs, walks and characters that are led.
_PLAYING = ("motiongraph.model", "motiongraph.formats", "motiongraph.app", "motiongraph.viewer")
_AHEAD = ("motiongraph.metric", "motiongraph.graph", "motiongraph.walks", "motiongraph.synthesis")
EVERYTHING = "import motiongraph.app.update; from motiongraph.kernels import compile_all; compile_all()"


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


def isolated(code: str) -> list[str]:
    """The command that runs code in another Python, which executes neither what lies in the working folder nor what the
    environment names."""
    package = str(Path(__file__).resolve().parents[2])
    return [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {package!r}); {code}"]


def _compile_beside(progress: Progress, deliver: Callable[[Any], None]) -> None:
    """Compile in a process of its own, which leaves its work in numba's cache: here it would hold up frames."""
    with subprocess.Popen(isolated(EVERYTHING), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None:
                progress(0, 0, "")
                time.sleep(0.1)
        except BaseException:
            process.kill()
            raise
    compile_all(progress, _AHEAD)  # whatever became of it: from the cache, or compiled here and now


def update(state: AppState, dt: float) -> None:
    """Bring the state `dt` seconds of the clock further."""
    state.clock += dt
    carry_out(state)
    state.jobs.collect()
    advance(state, dt)
    _attempt(state, "leading a character", live_character.advance, state, dt)
    _attempt(state, "moving a crowd", crowd.advance, state, dt)
    _attempt(state, "keeping a copy", autosave.autosave, state)
    if state.ready:
        set_stage(state)
        camera_moves.follow(state, dt)
        drive.chase(state, dt)


def carry_out(state: AppState) -> None:
    """Do everything that was issued; what cannot be done becomes a message and stops nothing else."""
    for _ in range(len(state.queue)):
        command = state.queue.popleft()
        try:
            perform(command, state)
        except MotionError as problem:
            state.say(str(problem), "error")
        except Exception as problem:
            say_failure(state.say, problem, in_words(command))


def _attempt(state: AppState, doing: str, phase: Callable[..., None], *given: Any) -> None:
    """A part of the step that does what commands do: if it fails, the window stays."""
    try:
        phase(*given)
    except Exception as problem:
        say_failure(state.say, problem, doing)
