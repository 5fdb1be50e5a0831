"""Asking why a result turned from one clip into another."""

from motiongraph.app.commands.base import command


@command
class AskWhy:
    """Explain the transition that is played now, or the nearest one; asked again, stop explaining."""


@command
class WatchWhy:
    """The explanation is looked at in this frame: keep it up with what is played."""


@command
class ShowTransition:
    """Go to a transition of the result, by number."""

    number: int


@command
class PreviewAlternative:
    """Play one of the transitions that were not taken, by its row in the list."""

    row: int


@command
class LeaveAlternative:
    """Back from an alternative to the result."""
