"""Asking for projects, and to take edits back."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class SaveProject:
    """Everything into one file; path None: the one it was saved to or opened from last."""

    path: Path | None = None


@command
class OpenProject:
    """In place of everything that is there."""

    path: Path


@command
class NewProject:
    """Begin with nothing."""


@command
class Recover:
    """Open what was kept when the program ended unexpectedly, or throw it away."""

    open: bool


@command
class ReopenUnsaved:
    """Open what was not saved when something else took its place or the program ended."""


@command
class Undo:
    """Take the last edit of labels, trims, paths or thresholds back."""


@command
class Redo: ...
