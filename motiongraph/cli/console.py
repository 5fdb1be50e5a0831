"""What a command says to a person, all on standard error: sentences, warnings and progress; and JSON for scripts."""

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from motiongraph.errors import FormatWarning
from motiongraph.progress import SILENT, Progress


def say(sentence: str) -> None:
    """One line to the person at the terminal."""
    print(f"motiongraph: {sentence}", file=sys.stderr, flush=True)


def print_json(value: dict) -> None:
    """One JSON object on standard output."""
    print(json.dumps(value, indent=2, allow_nan=False))


@contextmanager
def warnings_said() -> Iterator[None]:
    """Within, every different warning is said once, as one line."""
    said = set()

    def show(message, category, filename, lineno, file=None, line=None):
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
