"""The whole of a session as one project: saved, opened again, and kept every minute in case the program ends badly."""

import os
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.graphs import drawable
from motiongraph.app.history import History
from motiongraph.app.settings import config_folder
from motiongraph.errors import MotionError

SUFFIX = ".mgproj"
_EVERY = 60.0  # seconds between autosaves; more where they take long
_SHARE = 0.02  # of the time they may take


class Session:
    """path: of the project file, or None; saved: the mark (see `mark`) of what is in it; lost: what an earlier run
    left behind, or None; kept: the mark of the last autosave, and the clock when the next is due."""

    def __init__(self):
        self.path: Path | None = None
        self.saved: object = None
        self.lost: Path | None = None
        self.kept: tuple[object, float] = (None, _EVERY)

    @property
    def own(self) -> Path:
        """Where this run keeps its autosave."""
        return config_folder() / f"autosave-{os.getpid()}{SUFFIX}"


def mark(state) -> tuple:
    """Changes with everything that a project would be saved for."""
    return state.library.version, state.graphs.version, state.path.version, state.scene.version


def has_work(state) -> bool:
    """Whether there is more than opened clips: what would be a pity to lose."""
    edited = any(entry.trimmed or entry.made for entry in state.library)
    return edited or state.graphs.graph is not None or bool(state.history.done)


def snapshot(state):
    """The state as a `project.Project`, whose parts nobody changes any more."""
    from motiongraph.app.project import Project

    entries = tuple(entry for entry in state.library if not (entry.made and entry.made.preview))
    camera = {f.name: getattr(state.camera, f.name) for f in fields(state.camera)} if state.camera else None
    plain = {
        "tracks": [[track.clip, track.elapsed] for track in state.tracks],
        "active": state.active,
        "playback": {**asdict(state.playback), "playing": False},
        "layers": asdict(state.scene.layers),
        "views": state.scene.views,
        "places": [[number, *place] for number, place in state.scene.places.items()],
        "camera": camera,
        "follow": state.follow,
    }
    arrays = {}
    for name, tell in TOLD.items():
        plain[name], more = tell(state)
        arrays |= {f"{name}/{key}": array for key, array in more.items()}
    return Project(entries, state.graphs.graph, as_plain(plain), arrays)


def _tell_choices(state):
    """What the matrix and walk panels are set to."""
    matrix, walking = state.matrix, state.walking
    told = {"metric": asdict(matrix.metric), "search": asdict(matrix.search)}
    told |= {name: getattr(matrix, name) for name in _MATRIX}
    return {"matrix": told, "walk": {name: getattr(walking, name) for name in _WALK}}, {}


def _take_choices(state, plain, arrays):
    from motiongraph.metric.metric import Metric

    matrix, walking = state.matrix, state.walking
    matrix.metric = Metric(**plain["matrix"]["metric"])
    matrix.search = type(matrix.search)(**plain["matrix"]["search"])
    for name in _MATRIX:
        setattr(matrix, name, plain["matrix"][name])
    walking.method, walking.seed = plain["walk"]["method"], plain["walk"]["seed"]
    for method, options in plain["walk"]["options"].items():
        known = walking.options.get(method, {})
        for name, value in options.items():
            if name in known:
                known[name] = tuple(value) if isinstance(value, list) else value


_MATRIX = ("a", "b", "threshold", "unit", "linked", "clouds")
_WALK = ("method", "seed", "options")
# Other parts of the state: name → (state) → (plain, arrays), and back: (state, plain, arrays).
TOLD: dict = {"choices": _tell_choices}
TAKEN: dict = {"choices": _take_choices}


def as_plain(value):
    """As JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def take_in(state, project, drawn) -> None:
    """Make the state what the project says; drawn: `graphs.drawable` of its graph."""
    apply(do.RemoveAll(), state)
    state.history, plain = History(), project.plain
    for entry in project.entries:
        state.library.put(entry)
    state.library.begin_at(1 + max((entry.number for entry in project.entries), default=0))
    state.graphs.take(project.graph, drawn)
    for track, (clip, elapsed) in zip(state.tracks, plain["tracks"]):
        track.clip, track.elapsed = clip if state.library.get(clip) else None, elapsed
    state.active = plain["active"]
    for target, name in ((state.playback, "playback"), (state.scene.layers, "layers")):
        known = {f.name for f in fields(target)}
        for key, value in plain[name].items():
            if key in known:
                setattr(target, key, value)
    state.scene.views = plain["views"]
    state.scene.places = {number: tuple(place) for number, *place in plain["places"]}
    state.scene.version += 1
    if plain["camera"] and state.camera:
        for name, value in plain["camera"].items():
            setattr(state.camera, name, np.array(value) if name == "target" else value)
    state.follow, state.goal, state.frame_camera = plain["follow"], None, False
    for name, take in TAKEN.items():
        if name in plain:
            prefix = f"{name}/"
            own = {key.removeprefix(prefix): a for key, a in project.arrays.items() if key.startswith(prefix)}
            take(state, plain[name], own)


@apply.register
def _(command: do.SaveProject, state):
    path = command.path or state.session.path
    if path is None:
        raise MotionError("this project has no file yet: say where it is to be saved")
    path, project, now = Path(path).with_suffix(SUFFIX), snapshot(state), mark(state)

    def work(progress, deliver):
        from motiongraph.app.project import save_project

        progress(0, 1, path.name)
        save_project(path, project)
        deliver(path)

    def then(path):
        state.session.path, state.session.saved = path, now
        state.settings.opened(path.absolute())
        state.say(f"the project is in {path}")

    state.jobs.start("project", f"saving {path.name}", work, then)


@apply.register
def _(command: do.OpenProject, state):
    _open(state, Path(command.path), Path(command.path))


def _open(state, path: Path, own: Path | None) -> None:
    """own: the file to save to from now on."""

    def work(progress, deliver):
        from motiongraph.app.project import load_project

        project = load_project(path, progress)
        deliver((project, drawable(project.graph, project.entries)))

    def then(result):
        project, drawn = result
        take_in(state, project, drawn)
        for sentence in project.notes:
            state.say(sentence, "warning")
        state.session.path, state.session.saved = own, mark(state) if own else None
        if own is not None:
            state.settings.opened(own.absolute())
        else:
            os.replace(path, state.session.own)  # ours to lose from now on
        state.say(f"opened {path.name}" if own else "what was there before is back; save it to keep it")

    state.jobs.start("project", f"opening {path.name}", work, then)


@apply.register
def _(command: do.NewProject, state):
    apply(do.RemoveAll(), state)
    state.graphs.take(None, None)
    state.history, state.session.path, state.session.saved = History(), None, None


# In case the program ends badly


def look_for_lost(state) -> None:
    """What a run that no longer runs has left; once, at the start."""
    for path in sorted(config_folder().glob(f"autosave-*{SUFFIX}"), key=lambda p: p.stat().st_mtime):
        number = path.stem.removeprefix("autosave-")
        if number.isdigit() and not _runs(int(number)):
            state.session.lost = path


def _runs(process: int) -> bool:
    """Whether there is such a process."""
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


def autosave(state) -> None:
    """Keep the work of the last minute, if there is any; asked every frame."""
    session = state.session
    kept, due = session.kept
    if state.clock < due:
        return
    now = mark(state)
    session.kept = kept, state.clock + _EVERY
    if now in (kept, session.saved) or not has_work(state):
        return
    project, path, began = snapshot(state), session.own, state.clock

    def work(progress, deliver):
        from motiongraph.app.project import save_project

        path.parent.mkdir(parents=True, exist_ok=True)
        save_project(path, project, light=True)
        deliver(None)

    def then(_):
        session.kept = now, state.clock + max(_EVERY, (state.clock - began) / _SHARE)

    state.jobs.start("autosave", "keeping a copy", work, then, quiet=True)


@apply.register
def _(command: do.Recover, state):
    lost, state.session.lost = state.session.lost, None
    if lost is None:
        return
    if command.open:
        _open(state, lost, None)
    else:
        lost.unlink(missing_ok=True)


def end(state) -> None:
    """The program ends as it should: nothing is left behind."""
    state.session.own.unlink(missing_ok=True)
