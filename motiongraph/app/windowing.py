"""What the window is asked for: panels, full screen, pictures, settings, and the end."""

from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.settings import FILM_SIZES
from motiongraph.app.state import PANELS
from motiongraph.errors import MotionError


@apply.register
def _(command: do.ShowPanel, state):
    if command.name not in PANELS:
        raise MotionError(f"there is no panel {command.name!r}")
    shown = state.wishes.shown
    if command.name not in shown if command.shown is None else command.shown:
        shown.add(command.name)
        state.wishes.panels, state.wishes.front = True, command.name
    else:
        shown.discard(command.name)


@apply.register
def _(command: do.TogglePanels, state):
    state.wishes.panels = not state.wishes.panels


@apply.register
def _(command: do.ToggleFullScreen, state):
    state.wishes.full_screen = not state.wishes.full_screen


@apply.register
def _(command: do.ResetLayout, state):
    state.wishes.reset_layout = True
    state.wishes.shown = type(state.wishes)().shown


@apply.register
def _(command: do.SetSetting, state):
    if command.name not in {f.name for f in fields(state.settings)}:
        raise MotionError(f"there is no setting {command.name!r}")
    setattr(state.settings, command.name, command.value)
    state.settings.sane()


def new_name(folder: Path, stem: str, suffix: str) -> Path:
    """A file that is not there yet, named after what it shows and the time of day."""
    stamp = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    path, count = folder / f"{stem}_{stamp}{suffix}", 1
    while path.exists():
        count += 1
        path = folder / f"{stem}_{stamp}_{count}{suffix}"
    return path


@apply.register
def _(command: do.Screenshot, state):
    path = command.path
    if path is None:
        from platformdirs import user_pictures_path

        folder = user_pictures_path() / "motiongraph"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise MotionError(f"{folder}: cannot be made: {problem.strerror or problem}") from problem
        path = new_name(folder, state.entry.name if state.entry else "scene", ".png")
    taken = {wanted for wanted, _ in state.wishes.screenshots}
    count = 1
    while path in taken:  # two in one second
        count += 1
        path = path.with_name(f"{path.stem}_{count}{path.suffix}")
    state.wishes.screenshots.append((Path(path), command.panels))


@apply.register
def _(command: do.RecordVideo, state):
    entry = state.entry if command.clip is None else state.library[command.clip]
    if entry is None:
        raise MotionError("there is nothing that could be recorded: open a clip first")
    if entry.made and entry.made.live:
        raise MotionError("stop leading the character first: what it walked is then kept, and can be recorded")
    if state.wishes.recording is not None:
        raise MotionError("a video is being recorded already; wait for it or cancel it")
    if Path(command.path).suffix.lower() not in (".mp4", ".gif"):
        raise MotionError(f"{command.path}: a video is written as .mp4 or .gif")
    if entry is not state.entry:
        apply(do.SelectClip(entry.number), state)
    settings = state.settings
    asked = FILM_SIZES[settings.film_size] if command.width is None or command.height is None else None
    width, height = asked or (command.width, command.height)
    fps = settings.film_rate if command.fps is None else command.fps
    if not 1 <= fps <= 240 or not (width == height == 0 or (16 <= width <= 7680 and 16 <= height <= 7680)):
        raise MotionError(f"no video has {fps:g} frames a second of {width} × {height} pixels")
    state.wishes.recording = replace(command, path=Path(command.path), fps=fps, width=width, height=height)


@apply.register
def _(command: do.CancelJob, state):
    state.jobs.cancel(command.job)


@apply.register
def _(command: do.DismissMessages, state):
    state.messages.clear()


@apply.register
def _(command: do.DismissHint, state):
    state.hint = ""
    state.settings.hint = False


@apply.register
def _(command: do.ShowHint, state):
    state.hint = "first" if command.shown else ""


@apply.register
def _(command: do.Quit, state):
    state.wishes.quit = True
