"""The window: panels, full screen, pictures, videos, settings, messages, and the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_pictures_path

from motiongraph.app.command import command
from motiongraph.app.playback import show_clip
from motiongraph.app.settings import FILM_SIZES, Settings
from motiongraph.errors import MotionError
from motiongraph.metric.cache import open_cache

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

FLOATING = ("why", "shortcuts", "fetch", "film", "unsaved", "preferences")  # of which the next start knows nothing
DOCKED = ("library", "clip", "scene", "camera", "matrix", "graph", "walk", "path", "stats")
PANELS = (*DOCKED, "messages", *FLOATING)
FRESH = 8.0  # seconds a remark stays in the status line; what went wrong stays until it is seen


@dataclass(frozen=True)
class Message:
    text: str
    level: str  # "info", "warning" or "error"
    when: str  # the time of day
    age: float  # the clock when it came, seconds


class SeenMessages:
    """Which messages were seen, and which is worth showing in the status line."""

    def __init__(self) -> None:
        self.last: Message | None = None  # the newest of those that were seen
        self.problem: Message | None = None  # the newest warning or error that was not
        self._newest: Message | None = None

    def all(self, messages: Sequence[Message]) -> None:
        self.last, self.problem = messages[0], None

    def worth_showing(self, messages: Sequence[Message], clock: float) -> Message | None:
        """What went wrong, for as long as it is new; then what was said since; then what went wrong until it is seen.
        None: there is nothing to say."""
        newest = messages[0] if messages else None
        if newest is not self._newest:
            self._newest = newest
            unseen = takewhile(lambda message: message is not self.last, messages)
            self.problem = next((message for message in unseen if message.level != "info"), None)
        problem = self.problem
        if newest is None or (problem is not None and clock - problem.age <= FRESH):
            return problem
        return newest if newest is not self.last and clock - newest.age <= FRESH else problem


@dataclass(eq=False)
class WindowState:
    """What the window is asked for; the loop looks here and does it."""

    panels: bool = True  # whether any are shown
    shown: set[str] = field(default_factory=lambda: set(DOCKED))  # panels that are open
    front: str = ""  # the panel that is to come to the front
    maximised: str = ""  # the panel that fills the window, above all others
    pulled_out: set[str] = field(default_factory=set)  # panels that float over the scene instead of being docked
    full_screen: bool = False
    reset_layout: bool = False
    quit: bool = False
    screenshots: list[tuple[Path, bool]] = field(default_factory=list)  # file, and whether panels are on it
    recording: RecordVideo | None = None


def show_panel(state: AppState, name: str, shown: bool | None = None) -> None:
    """Show a panel, in front of others, or hide it; None: the other way round."""
    if name not in PANELS:
        raise MotionError(f"there is no panel {name!r}")
    window = state.window
    if name not in window.shown if shown is None else shown:
        window.shown.add(name)
        window.panels, window.front = True, name
        window.maximised = window.maximised and name
    else:
        window.shown.discard(name)
        window.maximised = "" if window.maximised == name else window.maximised


def new_name(folder: Path, stem: str, suffix: str) -> Path:
    """A file that is not there yet, named after what it shows and the time of day."""
    stamp = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    path, count = folder / f"{stem}_{stamp}{suffix}", 1
    while path.exists():
        count += 1
        path = folder / f"{stem}_{stamp}_{count}{suffix}"
    return path


def limit_cache(settings: Settings) -> None:
    """Distances on disk take no more than the settings say."""
    cache = open_cache()
    if cache is not None and cache.limit != settings.cache << 30:
        cache.resize(settings.cache << 30)


# Commands


@command
class ShowPanel:
    """A panel that is to be shown also comes to the front."""

    name: str
    shown: bool | None = None  # None: the other way round

    def apply(self, state: AppState) -> None:
        show_panel(state, self.name, self.shown)


@command
class MaximisePanel:
    """Let a docked panel fill the window, or if it does, put it back; "": put back whichever does."""

    name: str = ""

    def apply(self, state: AppState) -> None:
        if self.name and self.name not in (*DOCKED, "messages"):
            raise MotionError(f"there is no panel {self.name!r} that could fill the window")
        window = state.window
        window.maximised = "" if self.name == window.maximised else self.name
        if window.maximised:
            window.shown.add(self.name)
            window.panels = True


@command
class PullOutPanel:
    """Let a docked panel float over the scene, or dock it again."""

    name: str

    def apply(self, state: AppState) -> None:
        if self.name not in (*DOCKED, "messages"):
            raise MotionError(f"there is no panel {self.name!r} that could float")
        state.window.maximised = ""
        state.window.pulled_out ^= {self.name}
        state.window.shown.add(self.name)


@command
class TogglePanels:
    """Show or hide all panels."""

    def apply(self, state: AppState) -> None:
        state.window.panels = not state.window.panels


@command
class ToggleFullScreen:
    """Fill the screen, or no longer."""

    def apply(self, state: AppState) -> None:
        state.window.full_screen = not state.window.full_screen


@command
class ResetLayout:
    """Put the usual panels back where they were at first."""

    def apply(self, state: AppState) -> None:
        state.window.reset_layout = True
        state.window.shown = type(state.window)().shown
        state.window.maximised = ""
        state.window.pulled_out.clear()


@command
class SetSetting:
    """One of `settings.Settings`, by name."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        if self.name not in {f.name for f in fields(state.settings)}:
            raise MotionError(f"there is no setting {self.name!r}")
        setattr(state.settings, self.name, self.value)
        state.settings.sane()
        limit_cache(state.settings)


@command
class Screenshot:
    """path: None makes a new name in the pictures folder; panels: with what surrounds the scene."""

    path: Path | None = None
    panels: bool = False

    def apply(self, state: AppState) -> None:
        path = self.path
        if path is None:
            folder = user_pictures_path() / "motiongraph"
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as problem:
                raise MotionError(f"{folder}: cannot be made: {problem.strerror or problem}") from problem
            path = new_name(folder, state.entry.name if state.entry else "scene", ".png")
        taken = {other for other, _ in state.window.screenshots}
        count = 1
        while path in taken:  # two in one second
            count += 1
            path = path.with_name(f"{path.stem}_{count}{path.suffix}")
        state.window.screenshots.append((Path(path), self.panels))


@command
class RecordVideo:
    """A clip (None: the active one), once, as it is seen now: .mp4 or .gif. Frames a second and size in pixels are
    those of the settings where None; a size of 0 is that of the view."""

    path: Path
    fps: float | None = None
    width: int | None = None
    height: int | None = None
    clip: int | None = None

    def apply(self, state: AppState) -> None:
        entry = state.entry if self.clip is None else state.library[self.clip]
        if entry is None:
            raise MotionError("there is nothing that could be recorded: open a clip first")
        if entry.made and entry.made.live:
            raise MotionError("stop leading the character first: what it walked is then kept, and can be recorded")
        if state.window.recording is not None:
            raise MotionError("a video is being recorded already; wait for it or cancel it")
        if Path(self.path).suffix.lower() not in (".mp4", ".gif"):
            raise MotionError(f"{self.path}: a video is written as .mp4 or .gif")
        if entry is not state.entry:
            show_clip(state, entry.number)
        settings = state.settings
        width, height = FILM_SIZES[settings.film_size]
        if self.width is not None and self.height is not None:
            width, height = self.width, self.height
        fps = settings.film_rate if self.fps is None else self.fps
        if not 1 <= fps <= 240 or not (width == height == 0 or (16 <= width <= 7680 and 16 <= height <= 7680)):
            raise MotionError(f"no video has {fps:g} frames a second of {width} × {height} pixels")
        state.window.recording = replace(self, path=Path(self.path), fps=fps, width=width, height=height)


@command
class CancelJob:
    """Stop a job, by its number."""

    job: int

    def apply(self, state: AppState) -> None:
        state.jobs.cancel(self.job)


@command
class DismissMessages:
    """Remove all messages."""

    def apply(self, state: AppState) -> None:
        state.messages.clear()


@command
class DismissHint:
    """For good: it does not come back at the next start."""

    def apply(self, state: AppState) -> None:
        state.hint = ""
        state.settings.hint = False


@command
class ShowHint:
    """What to try, or not, until the end of this run."""

    shown: bool

    def apply(self, state: AppState) -> None:
        state.hint = "first" if self.shown else ""
