"""Asking for a graph and what is seen of it. transition: a row of the graph's candidates."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class BuildGraph:
    """Compare the ticked clips and find where one can turn into another; what was compared before is not again.

    mirror: their mirror images take part too; fps: at this rate, 0 for their own; metric: how to compare. None: as set
    before (`SetGraphOption`).
    """

    mirror: bool | None = None
    fps: float | None = None
    metric: object = None


@command
class SetGraphOption:
    """One of `building.Options`, for the next time a graph is built: mirror, fps or metric."""

    name: str
    value: object


@command
class SetThreshold:
    """As for `MotionGraph.at`: cm, "auto", or limits by kind of transition."""

    threshold: object


@command
class FindTradeOff:
    """Work out, beside the loop, what every threshold would keep, and the automatic choice."""


@command
class DropGraph:
    """Forget the graph."""


@command
class OpenGraph:
    """An .mgraph file; its clips come into the library."""

    path: Path


@command
class SaveGraph:
    """Write an .mgraph file, clips and all."""

    path: Path


@command
class ExportGraph:
    """For other programs: .dot, .graphml, .json, or a picture (.png)."""

    path: Path


@command
class FilterGraph:
    """What of the graph is drawn, one option of `lanes.Filter`: labels, kind or kept."""

    name: str
    value: object


@command
class ShowLanes:
    """The part of the lanes that is seen: left and right in seconds, top and bottom in lanes; None: all of it."""

    span: tuple[float, float, float, float] | None = None


@command
class PointAtTransition:
    """Show both windows of a transition in the scene, one on the other; None: no longer."""

    transition: int | None = None


@command
class PreviewTransition:
    """Play up to a transition, through it and on."""

    transition: int
