"""The project in hand: saved, opened, opened again after a bad end, and begun anew."""

import os
from datetime import datetime
from pathlib import Path

from motiongraph.app import commands as do
from motiongraph.app import graph_notes, recovery
from motiongraph.app.commands import apply
from motiongraph.app.snapshot import MISTAKES, SUFFIX, mark, rehearse, snapshot, take_in
from motiongraph.errors import FormatError, MotionError


class Session:
    """path: of the project file, or None; saved: the mark (see `snapshot.mark`) of what is in it; number: grows with
    every other project; lost: what an earlier run left behind, or None, and left: when; spare: there is work that was
    not saved (`recovery.spare_file`); kept: the mark of the last autosave, and the clock when the next is due, None
    where there was none yet; awaited: the job that the end waits for."""

    def __init__(self):
        self.path: Path | None = None
        self.saved: object = None
        self.number = 0
        self.lost: Path | None = None
        self.left: datetime | None = None
        self.spare = False
        self.kept: tuple[object, float | None] = (None, None)
        self.awaited = None

    def becomes(self, path: Path | None, saved) -> None:
        """Another project is in hand."""
        self.path, self.saved, self.number = path, saved, self.number + 1


@apply.register
def _(command: do.SaveProject, state):
    session = state.session
    path = command.path or session.path
    if path is None:
        raise MotionError("this project has no file yet: say where it is to be saved")
    path, project, now, which = Path(path), snapshot(state), mark(state), session.number
    if path.suffix.lower() != SUFFIX:
        path = path.with_name(path.name + SUFFIX)

    def work(progress, deliver):
        from motiongraph.app.project import save_project

        save_project(path, project, progress=progress)
        deliver(path)

    def then(path):
        if session.number == which:
            session.path, session.saved = path, now
        state.settings.opened(path.absolute())
        state.say(f"the project is in {path}")
        if not recovery.unsaved(state):
            recovery.own_file().unlink(missing_ok=True)

    state.jobs.start(f"save {path}", f"saving {path.name}", work, then, needed=True)


@apply.register
def _(command: do.OpenProject, state):
    path = Path(command.path)

    def then():
        recovery.set_aside(state)
        return path

    _open(state, path, then, f"opened {path.name}")


@apply.register
def _(command: do.Recover, state):
    lost, state.session.lost = state.session.lost, None
    if lost is not None and command.open:
        _reopen(state, lost)
    elif lost is not None:
        lost.unlink(missing_ok=True)


@apply.register
def _(command: do.ReopenUnsaved, state):
    if not state.session.spare:
        raise MotionError("there is no work that was not saved")
    _reopen(state, recovery.spare_file())


def _reopen(state, path: Path) -> None:
    """Open what was kept of work that has no file; it is ours to keep from then on."""

    def then():
        os.replace(path, recovery.own_file())
        state.session.spare = os.path.exists(recovery.spare_file())
        recovery.set_aside(state)

    _open(state, path, then, "what was there before is back; save it to keep it")


def _open(state, path: Path, before, said: str) -> None:
    """Read a project and take it in; before: called in between, gives the file to save to from then on, or None."""

    def work(progress, deliver):
        from motiongraph.app.project_reader import load_project

        project = load_project(path, progress)
        try:
            told = project.plain.get("graph")
            drawn = graph_notes.drawn_again(project.graph, project.entries, told, project.ready, progress)
            rehearse(state, project, drawn)
        except MISTAKES as problem:
            raise FormatError(path, f"is not a project this version can take in: {problem!r}") from problem
        deliver((project, drawn))

    def then(result):
        project, drawn = result
        state.jobs.call_off_all(before=job.number)
        own = before()
        take_in(state, project, drawn)
        for sentence in project.notes:
            state.say(sentence, "warning")
        state.session.becomes(own, mark(state) if own else None)
        if own is not None:
            state.settings.opened(own.absolute())
        state.say(said)

    job = state.jobs.start("project", f"opening {path.name}", work, then)


@apply.register
def _(command: do.NewProject, state):
    from motiongraph.app.state import AppState

    recovery.set_aside(state)
    state.jobs.call_off("project")
    state.jobs.call_off_all()
    blank = AppState()
    blank.playback, blank.scene.layers, blank.follow = state.playback, state.scene.layers, state.follow
    take_in(state, snapshot(blank), None)
    state.session.becomes(None, None)
