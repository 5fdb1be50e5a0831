"""Work that was not saved: kept every minute in case the program ends badly, and when other work takes its place."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.command import unchanged
from motiongraph.app.jobs import JobKind
from motiongraph.app.project.project_file import SUFFIX, Project, has_work, mark, save_project, snapshot
from motiongraph.app.settings import config_folder
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

_EVERY = 60.0  # seconds between autosaves; more where they take long
_SHARE = 0.02  # of the time they may take


def own_file() -> Path:
    """Where this run keeps its autosave."""
    return config_folder() / f"autosave-{os.getpid()}{SUFFIX}"


def spare_file() -> Path:
    """Where the last work lies that was left without being saved."""
    return config_folder() / f"unsaved{SUFFIX}"


def unsaved(state: AppState) -> bool:
    """Whether there is work that is in no file of its own."""
    return has_work(state) and not unchanged(mark(state), state.project.saved)


def _write(path: Path, project: Project, progress: Progress = SILENT) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_project(path, project, light=True, progress=progress)


def autosave(state: AppState) -> None:
    """Keep the work of the last minute, if there is any; asked every frame."""
    session = state.project
    kept, due = session.kept
    due = _EVERY if due is None else due
    if state.clock < due:
        return
    now = mark(state)
    session.kept = kept, state.clock + _EVERY
    if unchanged(now, kept) or unchanged(now, session.saved) or not has_work(state):
        return
    project, path, began = snapshot(state), own_file(), state.clock

    def work(progress, deliver):
        _write(path, project, progress)
        deliver(None)

    def then(_):
        session.kept = now, state.clock + max(_EVERY, (state.clock - began) / _SHARE)

    state.jobs.start(JobKind.AUTOSAVE, "keeping a copy", work, then, quiet=True)


def set_aside(state: AppState) -> None:
    """Keep what was not saved, beside the loop: something else is about to take its place."""
    if not unsaved(state):
        return
    project, path = snapshot(state), spare_file()

    def work(progress, deliver):
        _write(path, project, progress)
        deliver(None)

    def then(_):
        state.project.spare = True
        state.say("what was not saved is kept: File > Reopen unsaved work brings it back")

    state.jobs.start(JobKind.SET_ASIDE, "keeping what was not saved", work, then, quiet=True, needed=True)


def look_for_lost(state: AppState) -> None:
    """What a run that no longer runs has left, and what the last one did not save; once, at the start."""
    session, found, own = state.project, [], own_file()
    if os.path.exists(own):  # of an earlier run that had our number, as in a container
        os.replace(own, own.with_name(f"autosave-0{SUFFIX}"))
    for path in config_folder().glob(f"autosave-*{SUFFIX}"):
        process = path.stem.removeprefix("autosave-")
        if process.isdigit() and not _runs(int(process)):
            found.append((_written(path), path))
    if found:
        session.left, session.lost = max(found)
    session.spare = os.path.exists(spare_file())
    if session.spare:
        when = _written(spare_file())
        state.say(f"work of {when:%d %B, %H:%M} was not saved: File > Reopen unsaved work brings it back")


def _written(path: Path) -> datetime:
    """When; a file that has just gone counts as the oldest."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime)
    except FileNotFoundError:
        return datetime.fromtimestamp(0)


def _runs(process: int) -> bool:
    """Whether there is such a process; 0 is none."""
    if not process:
        return False
    if os.name == "nt":  # where os.kill would end it
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)
        return bool(handle and (ctypes.windll.kernel32.CloseHandle(handle) or True))
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# The end


def may_end(state: AppState) -> bool:
    """Whether the program ends now: someone has asked for it, and nothing is being written that would be lost."""
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
    if session.awaited is not None and awaited is None:
        state.say(f"motiongraph ends as soon as it is done with {session.awaited.title}")
    return session.awaited is None


def end(state: AppState) -> None:
    """The program ends as it should: what was not saved can be reopened, nothing else is left behind."""
    if unsaved(state):
        _write(spare_file(), snapshot(state))
    own_file().unlink(missing_ok=True)


def end_badly(state: AppState) -> None:
    """The program ends in the middle: what was not saved is offered at the next start."""
    state.jobs.close()
    own = own_file()
    if not unsaved(state):
        own.unlink(missing_ok=True)
    elif not unchanged(state.project.kept[0], mark(state)) or not own.exists():
        _write(own, snapshot(state))
