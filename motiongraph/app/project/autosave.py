"""Work that was not saved: kept every minute, when other work takes its place, and when the program ends, however."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motiongraph.app.command import unchanged
from motiongraph.app.jobs import JobKind
from motiongraph.app.project.project_file import has_work, mark, snapshot
from motiongraph.app.project.unsaved import (
    own_files,
    remove_own,
    set_own_aside,
    take_over_lost,
    unsaved_works,
    write_unsaved,
)
from motiongraph.app.window import show_panel
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

_SHARE = 0.02  # of the time that autosaves may take
_PATIENCE = 1.0  # seconds after the question what to do with unsaved work until closing the window once more answers it


def unsaved(state: AppState) -> bool:
    """Whether there is work that is in no file of its own."""
    return has_work(state) and not unchanged(mark(state), state.project.saved)


def _name(state: AppState) -> str:
    return state.project.path.stem if state.project.path else ""


def autosave(state: AppState) -> None:
    """Keep the work of the last minutes, if there is any; asked every frame."""
    session, every = state.project, 60.0 * state.settings.autosave
    kept, due = session.kept
    due = every if due is None else due
    if state.clock < due or not every:
        return
    now = mark(state)
    session.kept = kept, state.clock + every
    if unchanged(now, kept) or unchanged(now, session.saved) or not has_work(state):
        return
    project, name, old, began = snapshot(state), _name(state), own_files(), state.clock

    def work(progress, deliver):
        write_unsaved(project, name, last=False, instead=old, progress=progress)
        deliver(None)

    def then(_):
        session.kept = now, state.clock + max(every, (state.clock - began) / _SHARE)

    state.jobs.start(JobKind.AUTOSAVE, "keeping a copy", work, then, quiet=True)


def set_aside(state: AppState) -> None:
    """Keep what was not saved, beside the loop: something else is about to take its place."""
    if not unsaved(state):
        return
    project, name, old = snapshot(state), _name(state), own_files()

    def work(progress, deliver):
        write_unsaved(project, name, last=True, instead=old, progress=progress)
        deliver(None)

    def then(_):
        state.project.unsaved = unsaved_works()
        state.say("what was not saved is kept: File > Unsaved work brings it back")

    state.jobs.start(JobKind.SET_ASIDE, "keeping what was not saved", work, then, quiet=True, needed=True)


def look_for_lost(state: AppState) -> None:
    """What earlier runs did not save; once, at the start. What one left that did not end as it should is offered."""
    lost = take_over_lost()
    state.project.unsaved = unsaved_works()
    if lost:
        show_panel(state, "unsaved", True)


# The end


def ask_to_end(state: AppState) -> None:
    """The window was closed. Once more, after what is to become of unsaved work was asked: it is kept."""
    asked = state.project.asked_at
    if asked is not None and state.clock - asked > _PATIENCE:
        state.project.decision = "keep"
    state.window.quit = True


def may_end(state: AppState) -> bool:
    """Whether the program ends now: someone has asked for it, nothing is being written that would be lost, and what
    was not saved is kept, or was said to be lost."""
    session = state.project
    if not state.window.quit:
        return False
    if state.live is not None:  # what was walked so far is made a result first
        state.live.stop(state)
        return False
    for job in state.jobs.running:
        job.needed |= job.kind is JobKind.KEEP
    awaited, session.awaited = session.awaited, state.jobs.unfinished
    if awaited is not None and awaited.reason:
        state.window.quit, session.awaited = False, None
        state.say("motiongraph stays open, because that could not be written", "warning")
        return False
    if session.awaited is not None:
        if awaited is None:
            state.say(f"motiongraph ends as soon as it is done with {session.awaited.title}")
        return False
    return _settled(state)


def _settled(state: AppState) -> bool:
    """Whether nothing is left to ask and to keep; otherwise the window stays, with a question."""
    session = state.project
    if not unsaved(state) or session.decision == "lose":
        remove_own()
        return True
    if session.decision == "keep":
        try:
            keep(state)
            return True
        except MotionError as problem:
            session.unkept = str(problem)
            state.say(f"motiongraph stays open, because what was not saved cannot be kept: {problem}", "error")
    state.window.quit, session.decision, session.asked_at = False, "", state.clock
    return False


def keep(state: AppState) -> None:
    """Keep what was not saved among the last works; MotionError where no place takes it."""
    if not unsaved(state):
        remove_own()
    elif not unchanged(state.project.kept[0], mark(state)) or not set_own_aside():
        write_unsaved(snapshot(state), _name(state), last=True, instead=own_files())


def end_badly(state: AppState) -> None:
    """The program ends in the middle: what was not saved is offered at the next start. MotionError where no place
    takes it."""
    if state.live is not None:
        state.live.stop(state)
    state.jobs.close()
    if not unsaved(state):
        remove_own()
        return
    now = mark(state)
    if not unchanged(state.project.kept[0], now) or not own_files():
        write_unsaved(snapshot(state), _name(state), last=False, instead=own_files())
        state.project.kept = now, None
