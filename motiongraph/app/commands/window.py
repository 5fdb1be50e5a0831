"""Asking the window."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class ShowPanel:
    """A panel that is to be shown also comes to the front."""

    name: str
    shown: bool | None = None  # None: the other way round


@command
class TogglePanels: ...


@command
class ToggleFullScreen: ...


@command
class ResetLayout: ...


@command
class SetSetting:
    """One of `settings.Settings`, by name."""

    name: str
    value: object


@command
class Screenshot:
    """path: None makes a new name in the pictures folder; panels: with what surrounds the scene."""

    path: Path | None = None
    panels: bool = False


@command
class RecordVideo:
    """A clip (None: the one in hand), once, as it is seen now: .mp4 or .gif. Frames a second and size in pixels are
    those of the settings where None; a size of 0 is that of the view."""

    path: Path
    fps: float | None = None
    width: int | None = None
    height: int | None = None
    clip: int | None = None


@command
class CancelJob:
    job: int


@command
class DismissMessages: ...


@command
class DismissHint:
    """For good: it does not come back at the next start."""


@command
class ShowHint:
    """What to try, or not, until the end of this run."""

    shown: bool


@command
class Quit: ...
