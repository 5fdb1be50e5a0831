"""How long work tells the world how far it is, and how the world tells it to stop.

Anything that may take more than a frame takes `progress=SILENT`, calls `progress(done, total, what)` between
blocks, and lets `Cancelled` pass through. Standard library only.
"""

from typing import Protocol


class Cancelled(Exception):
    """The caller asked for the work to stop; nothing was changed."""


class Progress(Protocol):
    def __call__(self, done: float, total: float, what: str = "") -> None:
        """Report `done` of `total`; raise `Cancelled` to stop the work at this point."""


def stretch(progress: Progress, low: float, high: float) -> Progress:
    """The progress of a part of the work, which is the share `low` to `high` of the whole."""

    def told(done: float, total: float, what: str = "") -> None:
        progress(low + (high - low) * (done / total if total > 0 else 0.0), 1.0, what)

    return told


def SILENT(done: float, total: float, what: str = "") -> None:
    """Reports to nobody and never cancels."""
