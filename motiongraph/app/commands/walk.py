"""Asking for new motion, and for what was made. entry: the number a made clip has in the library."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class SetWalk:
    """How the next walk is found: one of `walks.METHODS`."""

    method: str


@command
class SetWalkOption:
    """One of `walks.OPTIONS`; method "motion" for what holds for all of them."""

    method: str
    name: str
    value: object


@command
class SetSeed:
    """The same seed gives the same walk."""

    seed: int


@command
class MakeWalk:
    """Find a walk with the present method, options and seed, and make its motion; builds a graph first if there is
    none."""


@command
class NewSeed:
    """Make another walk like it: the next seed."""


@command
class SeekStep:
    """Go to where a step of a walk begins, with the transition that leads there."""

    entry: int
    step: int


@command
class ReplayResult:
    """From its start, in the result's track or in A or B."""

    entry: int
    track: int | None = None


@command
class RenameResult:
    entry: int
    name: str


@command
class TakeOptions:
    """Set method, options and seed to those a result was made with."""

    entry: int


@command
class ClearResults: ...


@command
class SaveLog:
    """Write which pieces were played, as text."""

    entry: int
    path: Path
