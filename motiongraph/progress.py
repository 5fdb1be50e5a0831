"""Progress of long-running work, and how it is stopped.

Anything that may take more than a frame takes `progress=SILENT`, calls `progress(done, total, what)` between
blocks, and lets `Cancelled` pass through. Standard library only.
"""

from typing import Protocol


class Cancelled(Exception):
    """The caller asked for the work to stop; nothing was changed."""


class Progress(Protocol):
    def __call__(self, done: float, total: float, what: str = "", /) -> None:
        """Report `done` of `total`; raise `Cancelled` to stop the work at this point.

        what: the current step in words. It may be a `str` with fields, as `Comparing` is, for whoever wants figures.
        """


class Comparing(str):
    """The step of a build that compares clips, in words, with its figures as fields."""

    pair: int  # number of the pair being compared, from 1
    pairs: int  # pairs to compare
    transitions: int  # found so far

    def __new__(cls, pair: int, pairs: int, transitions: int) -> "Comparing":
        step = super().__new__(cls, f"pair {pair:,} of {pairs:,}, {transitions:,} transitions found")
        step.pair, step.pairs, step.transitions = pair, pairs, transitions
        return step

    def __getnewargs__(self) -> tuple[int, int, int]:
        return self.pair, self.pairs, self.transitions


def stretch(progress: Progress, low: float, high: float) -> Progress:
    """Progress of a part of the work, which is the share `low` to `high` of the whole."""

    def report(done: float, total: float, what: str = "", /) -> None:
        progress(low + (high - low) * (done / total if total > 0 else 0.0), 1.0, what)

    return report


def SILENT(done: float, total: float, what: str = "", /) -> None:
    """Reports to nobody and never cancels."""
