"""What the commands share: options, and what is said to a person (all on standard error) or as JSON to scripts."""

import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from motiongraph.errors import FormatWarning, MotionError
from motiongraph.progress import SILENT, Progress

_LONGEST = 2000  # letters of a sentence
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
BoneMap = Annotated[
    Path | None,
    typer.Option("--map", metavar="TOML", help="Which joint moves which on another body; goes before what is found."),
]
Force = Annotated[bool, typer.Option("--force", metavar="", help="Overwrite files that are there already.")]


def printable(text: str) -> str:
    """Text that a terminal only shows: names of files may hold control characters, which it would obey, and bytes that
    are no letters, which it cannot take."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape", "replace").decode()
        for letter in text
    )


def say(sentence: str) -> None:
    """One line to the person at the terminal."""
    if len(sentence) > _LONGEST:
        sentence = f"{sentence[: _LONGEST // 2]} […] {sentence[-_LONGEST // 2 :]}"
    print(f"motiongraph: {printable(' '.join(sentence.splitlines()))}", file=sys.stderr, flush=True)


def refuse_existing(paths: Iterable[Path | None], force: bool) -> None:
    """Before any work: none of the files that a command would write may be there already, unless forced."""
    for path in paths:
        if path is not None and not force and os.path.lexists(path):
            raise MotionError(f"{path} is there already; --force overwrites it")


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(value, indent=2, allow_nan=False))


@contextmanager
def warnings_said() -> Iterator[None]:
    """Within, every different warning is said once, as one line."""
    said: set[str] = set()

    def show(message: Warning | str, *_: Any) -> None:
        sentence = f"warning: {' '.join(str(message).split())}"
        if sentence not in said:
            said.add(sentence)
            say(sentence)

    with warnings.catch_warnings():
        warnings.simplefilter("always", FormatWarning)
        warnings.showwarning = show
        yield


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar that shows the progress reported within; nothing where standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield SILENT
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(done: float, total: float, what: str = "") -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield report
