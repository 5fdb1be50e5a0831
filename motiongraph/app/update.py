"""One step of the program, its phases in the order they happen: commands, finished jobs, time, poses."""

from motiongraph.app import (  # noqa: F401 - what commands do is registered there
    library,
    opening,
    scene,
    view,
    windowing,
)
from motiongraph.app.commands import apply
from motiongraph.app.playback import advance
from motiongraph.app.state import AppState
from motiongraph.errors import MotionError


def update(state: AppState, dt: float) -> None:
    """Bring the state `dt` seconds of the clock further."""
    state.clock += dt
    carry_out(state)
    state.jobs.collect()
    advance(state, dt)
    if state.ready:
        from motiongraph.app.stage import set_stage

        set_stage(state)
        view.follow(state, dt)


def carry_out(state: AppState) -> None:
    """Do everything that was issued; what cannot be done becomes a message and stops nothing else."""
    for _ in range(len(state.queue)):
        try:
            apply(state.queue.popleft(), state)
        except MotionError as problem:
            state.say(str(problem), "error")


def warm_up(state: AppState) -> None:
    """Compile, or load from the cache, what playing needs; behind the open window."""

    def work(progress, deliver):
        progress(0, 3, "numba")
        import numba  # noqa: F401

        progress(1, 3, "kinematics")
        from motiongraph.model import kinematics  # noqa: F401

        progress(2, 3, "poses")
        from motiongraph.app import stage  # noqa: F401

        deliver(True)

    def then(_):
        state.ready = True

    state.jobs.start("kernels", "compiling kernels", work, then)
