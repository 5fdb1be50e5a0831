"""Asking the window."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class ShowPanel:
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
    """What is played, once, as it is seen: .mp4 or .gif."""

    path: Path
    fps: float = 60.0
    width: int = 1280
    height: int = 720


@command
class CancelJob:
    job: int


@command
class DismissMessages: ...


@command
class DismissHint: ...


@command
class Quit: ...
