"""What a command says to a person, all on standard error: sentences, warnings and progress; and JSON for scripts."""

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from motiongraph.errors import FormatWarning, MotionError
from motiongraph.progress import SILENT, Progress

_LONGEST = 2000  # letters of a sentence


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
