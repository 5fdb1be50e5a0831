"""One step of the program, its phases in the order they happen: commands, finished jobs, time, poses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from motiongraph.app import history, jobs
from motiongraph.app.live import live_character
from motiongraph.app.playback import advance
from motiongraph.app.project import autosave
from motiongraph.app.scene import camera_moves
from motiongraph.app.scene.cast import set_stage
from motiongraph.app.state import AppState
from motiongraph.errors import MotionError


def update(state: AppState, dt: float) -> None:
    """Bring the state `dt` seconds of the clock further."""
    state.clock += dt
    carry_out(state)
    state.jobs.collect()
    advance(state, dt)
    _attempt(state, "leading a character", live_character.advance, state, dt)
    _attempt(state, "keeping a copy", autosave.autosave, state)
    if state.ready:
        set_stage(state)
        camera_moves.follow(state, dt)


def carry_out(state: AppState) -> None:
    """Do everything that was issued; what cannot be done becomes a message and stops nothing else."""
    for _ in range(len(state.queue)):
        command = state.queue.popleft()
        try:
            history.carry_out(command, state)
        except MotionError as problem:
            state.say(str(problem), "error")
        except Exception as problem:
            jobs.tell(state.say, problem, jobs.spoken(command))


def _attempt(state: AppState, doing: str, phase: Callable[..., None], *given: Any) -> None:
    """A part of the step that does what commands do: if it fails, the window stays."""
    try:
        phase(*given)
    except Exception as problem:
        jobs.tell(state.say, problem, doing)
