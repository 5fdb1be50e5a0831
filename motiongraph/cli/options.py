"""Options that several commands share: how to read files that do not say everything themselves, and which frames."""

import re
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

_UNITS = ("auto", "m", "dm", "cm", "mm", "inch", "cmu")


class Up(StrEnum):
    auto = "auto"
    x = "x"
    y = "y"
    z = "z"
    minus_x = "-x"
    minus_y = "-y"
    minus_z = "-z"


def positive(text: str) -> float:
    """A number above zero, or wrong usage."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (isfinite(number) and number > 0):
        raise typer.BadParameter(f"expected a number above zero, found {text!r}.")
    return number


def _units(text: str) -> str | float:
    if text in _UNITS:
        return text
    try:
        return positive(text)
    except typer.BadParameter:
        words = ", ".join(_UNITS)
        raise typer.BadParameter(f"expected one of {words} or metres per unit, found {text!r}.") from None


def _frames(text: str) -> slice:
    if not re.fullmatch(r"-?\d*:-?\d*", text) or "-:" in text or text.endswith("-"):
        raise typer.BadParameter(f"expected frames as in 10:200, 10: or :200, found {text!r}.")
    start, stop = text.split(":")
    return slice(int(start) if start else None, int(stop) if stop else None)


Frames = Annotated[
    slice | None,
    typer.Option(parser=_frames, metavar="A:B", help="Only the frames from A up to, but not including, B."),
]
Units = Annotated[
    str,
    typer.Option(
        parser=_units,
        metavar="U",
        help="Unit of length of the files: auto, m, dm, cm, mm, inch, cmu or metres per unit.",
    ),
]
UpAxis = Annotated[Up, typer.Option("--up", help="Axis that points up in the files.")]
Skeleton = Annotated[
    Path | None,
    typer.Option(metavar="ASF", help="Skeleton of AMC files. (default: the .asf beside them)"),
]
Rate = Annotated[
    float | None,
    typer.Option(
        parser=positive,
        metavar="HZ",
        help="Frame rate of the files, whatever they say. (default: theirs; 120 for an AMC)",
    ),
]
Force = Annotated[bool, typer.Option("--force", metavar="", help="Overwrite files that are there already.")]
