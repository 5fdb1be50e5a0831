"""The current project: saved, opened, opened again after a bad end, and begun anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.command import command
from motiongraph.app.jobs import Job, JobKind
from motiongraph.app.project import autosave
from motiongraph.app.project.project_file import SUFFIX, mark, redrawn, rehearse, save_project, snapshot, take_in
from motiongraph.app.project.project_reader import load_project
from motiongraph.errors import FormatError, MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState


@dataclass(eq=False)
class Session:
    """The current project, its file, and work that has none."""

    path: Path | None = None  # of the project file
    saved: tuple | None = None  # the mark (see `snapshot.mark`) of what is in it
    number: int = 0  # grows with every other project
    lost: Path | None = None  # what an earlier run left behind
    left: datetime | None = None  # and when
    spare: bool = False  # there is work that was not saved, see `autosave.spare_file`
    kept: tuple[tuple | None, float | None] = (None, None)  # the mark of the last autosave, and when the next is due
    awaited: Job | None = None  # the job that the end waits for

    def becomes(self, path: Path | None, saved: tuple | None) -> None:
        """Another project is the current one."""
        self.path, self.saved, self.number = path, saved, self.number + 1


@command
class SaveProject:
    """Everything into one file; path None: the one it was saved to or opened from last."""

    path: Path | None = None

    def apply(self, state: AppState) -> None:
        session = state.project
        path = self.path or session.path
        if path is None:
            raise MotionError("this project has no file yet: say where it is to be saved")
        path, project, now, which = Path(path), snapshot(state), mark(state), session.number
        if path.suffix.lower() != SUFFIX:
            path = path.with_name(path.name + SUFFIX)

        def work(progress, deliver):
            save_project(path, project, progress=progress)
            deliver(path)

        def then(path):
            if session.number == which:
                session.path, session.saved = path, now
            state.settings.opened(path.absolute())
            state.say(f"the project is in {path}")
            if not autosave.unsaved(state):
                autosave.own_file().unlink(missing_ok=True)

        state.jobs.start(JobKind.WRITE, f"saving {path.name}", work, then, path, needed=True)


@command
class OpenProject:
    """In place of everything that is there."""

    path: Path

    def apply(self, state: AppState) -> None:
        open_project(state, Path(self.path))


@command
class Recover:
    """Open what was kept when the program ended unexpectedly, or throw it away."""

    open: bool

    def apply(self, state: AppState) -> None:
        lost, state.project.lost = state.project.lost, None
        if lost is not None and self.open:
            _reopen(state, lost)
        elif lost is not None:
            lost.unlink(missing_ok=True)


@command
class ReopenUnsaved:
    """Open what was not saved when something else took its place or the program ended."""

    def apply(self, state: AppState) -> None:
        if not state.project.spare:
            raise MotionError("there is no work that was not saved")
        _reopen(state, autosave.spare_file())


def open_project(state: AppState, path: Path) -> None:
    """Open a project file in place of everything that is there."""

    def before() -> Path:
        autosave.set_aside(state)
        return path

    _open(state, path, before, f"opened {path.name}")


def _reopen(state: AppState, path: Path) -> None:
    """Open what was kept of work that has no file; it is ours to keep from then on."""

    def then():
        os.replace(path, autosave.own_file())
        state.project.spare = os.path.exists(autosave.spare_file())
        autosave.set_aside(state)

    _open(state, path, then, "what was there before is back; save it to keep it")


def _open(state: AppState, path: Path, before: Callable[[], Path | None], said: str) -> None:
    """Read a project and take it in; before: called in between, gives the file to save to from then on, or None."""

    def work(progress, deliver):
        project = load_project(path, progress)
        try:
            drawn = redrawn(project, progress)
            rehearse(state, project, drawn)
        except MotionError as problem:
            raise FormatError(path, f"is not a project this version can take in: {problem}") from problem
        deliver((project, drawn))

    def then(result):
        project, drawn = result
        state.jobs.call_off_all(before=job.number)
        own = before()
        take_in(state, project, drawn)
        for sentence in project.notes:
            state.say(sentence, "warning")
        state.project.becomes(own, mark(state) if own else None)
        if own is not None:
            state.settings.opened(own.absolute())
        state.say(said)

    job = state.jobs.start(JobKind.PROJECT, f"opening {path.name}", work, then)


@command
class NewProject:
    """Begin with nothing."""

    def apply(self, state: AppState) -> None:
        autosave.set_aside(state)
        state.jobs.call_off(JobKind.PROJECT)
        state.jobs.call_off_all()
        blank = type(state)()
        blank.playback, blank.scene.layers, blank.follow = state.playback, state.scene.layers, state.follow
        take_in(state, snapshot(blank), None)
        state.project.becomes(None, None)
