"""The current project: saved, opened, opened again after a bad end, and begun anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.command import command
from motiongraph.app.jobs import Job, JobKind
from motiongraph.app.project import autosave
from motiongraph.app.project.project_file import SUFFIX, mark, redrawn, rehearse, save_project, snapshot, take_in
from motiongraph.app.project.project_reader import load_project
from motiongraph.app.project.unsaved import Unsaved, remove_own, take_as_own, unsaved_works
from motiongraph.errors import FormatError, MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState


@dataclass(eq=False)
class Session:
    """The current project, its file, and work that has none."""

    path: Path | None = None  # of the project file
    saved: tuple | None = None  # the mark (see `snapshot.mark`) of what is in it
    number: int = 0  # grows with every other project
    unsaved: tuple[Unsaved, ...] = ()  # work that earlier sessions did not save, newest first
    kept: tuple[tuple | None, float | None] = (None, None)  # the mark of the last autosave, and when the next is due
    awaited: Job | None = None  # the job that the end waits for
    asked_at: float | None = (
        None  # the clock when it was asked what is to become of unsaved work; None: nothing is asked
    )
    decision: str = ""  # the answer: "keep" or "lose"
    unkept: str = ""  # why unsaved work cannot be kept, where that was tried

    def becomes(self, path: Path | None, saved: tuple | None) -> None:
        """Another project is the current one."""
        self.path, self.saved, self.number = path, saved, self.number + 1


def window_title(state: AppState) -> str:
    """Project, a star where it has changes that are not saved, and the clip that is shown."""
    project = state.project.path.stem if state.project.path else ""
    star = "*" if autosave.unsaved(state) else ""
    project = f"{star}{project or 'untitled'}" if project or star else ""
    return " – ".join(filter(None, (project, state.entry.name if state.entry else "", "motiongraph")))


@command
class SaveProject:
    """Everything into one file; path None: the one it was saved to or opened from last."""

    path: Path | None = None
    quit: bool = False  # afterwards

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
            state.say(f"Saved to {path}")
            if not autosave.unsaved(state):
                remove_own()

        state.jobs.start(JobKind.WRITE, f"saving {path.name}", work, then, path, needed=True)
        if self.quit:
            Quit().apply(state)


@command
class OpenProject:
    """In place of everything that is there."""

    path: Path

    def apply(self, state: AppState) -> None:
        open_project(state, Path(self.path))


@command
class ReopenUnsaved:
    """Open work that was not saved; path None: the last."""

    path: Path | None = None

    def apply(self, state: AppState) -> None:
        works = state.project.unsaved = unsaved_works()
        if not works:
            raise MotionError("there is no work that was not saved")
        _reopen(state, Path(self.path or works[0].path))


@command
class ForgetUnsaved:
    """Delete work that was not saved."""

    path: Path

    def apply(self, state: AppState) -> None:
        if Path(self.path) in (work.path for work in unsaved_works()):
            Path(self.path).unlink(missing_ok=True)
        state.project.unsaved = unsaved_works()


@command
class Quit:
    """End the program, once nothing is being written any more. unsaved: what becomes of work that is not saved: "ask",
    "keep" (among the last works that were not saved) or "lose"."""

    unsaved: str = "ask"

    def apply(self, state: AppState) -> None:
        if self.unsaved not in ("ask", "keep", "lose"):
            raise MotionError(f"unsaved work is kept or lost, not {self.unsaved!r}")
        state.window.quit, state.project.asked_at = True, None
        state.project.decision = "" if self.unsaved == "ask" else self.unsaved


@command
class CancelQuit:
    """Go on working."""

    def apply(self, state: AppState) -> None:
        state.window.quit, state.project.asked_at, state.project.unkept = False, None, ""


def open_project(state: AppState, path: Path) -> None:
    """Open a project file in place of everything that is there."""

    def before() -> Path:
        autosave.set_aside(state)
        return path

    _open(state, path, before, f"opened {path.name}")


def _reopen(state: AppState, path: Path) -> None:
    """Open what was kept of work that has no file; it is ours to keep from then on."""

    def then():
        autosave.set_aside(state)
        take_as_own(path)
        state.project.unsaved = unsaved_works()

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
