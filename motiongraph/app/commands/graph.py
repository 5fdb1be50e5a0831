"""Asking for a graph and what is seen of it."""

from motiongraph.app.commands.base import command


@command
class BuildGraph:
    """Compare the ticked clips and find where one can turn into another; what was compared before is not again.

    mirror: their mirror images take part too; fps: at this rate, None for their own.
    """

    mirror: bool = False
    fps: float | None = None


@command
class SetThreshold:
    """As for `MotionGraph.at`: cm, "auto", or limits by kind of transition."""

    threshold: object


@command
class DropGraph:
    """Forget the graph."""
