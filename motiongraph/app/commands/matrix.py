"""Asking the matrix panel. Cells are (row, column) of the matrix."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class ChooseMatrix:
    """The clips to compare, by number; None for the one that track A, or B, shows."""

    a: int | None = None
    b: int | None = None


@command
class SwapMatrix:
    """Exchange rows and columns."""


@command
class Compare:
    """Compute the matrix of the chosen clips, however large."""


@command
class WatchMatrix:
    """The matrix is looked at in this frame: compare what was chosen, as soon as it stays the same for a moment."""


@command
class SetMetric:
    """One field of the matrix's `Metric`, by name."""

    name: str
    value: object


@command
class SetMinima:
    """method, radius or border: how local minima are found; see `DistanceMatrix.minima`. radius: seconds."""

    name: str
    value: object


@command
class SetMatrixThreshold:
    """In the matrix's unit; the graph's too, where the two are linked."""

    cost: float


@command
class SetMatrixOption:
    """linked: the threshold is the graph's; clouds: cells show the points that are compared."""

    name: str
    value: bool


@command
class PointAtCell:
    """Show both poses of a cell in the scene, aligned; None: no longer."""

    cell: tuple[int, int] | None = None


@command
class PreviewCell:
    """Play A up to the cell, blend, and go on with B."""

    cell: tuple[int, int]


@command
class LoopCell:
    """Play the loop that the cell closes, several times over."""

    cell: tuple[int, int]


@command
class ExportMatrix:
    """kind: "figure" (with axes and legend), "cells" (one pixel each), "numbers" (.npz) or "view" (as on screen)."""

    path: Path
    kind: str = "figure"
