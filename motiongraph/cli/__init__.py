"""The command line: `motiongraph COMMAND ...`, or `motiongraph FILE ...` for the viewer.

Results go to standard output, everything said to a person to standard error. Exit status: 0 done, 1 the work could
not be done (one sentence says why), 2 wrong usage, 130 interrupted. The modules here import only typer when they
are loaded; what a command needs it imports when it runs, so that `--help` is there at once.
"""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from motiongraph import __version__
from motiongraph.cli import build, convert, crowd, fetch, graph, info, labels, matrix, quality, render, walk
from motiongraph.cli.console import say, warnings_said
from motiongraph.errors import MotionError
from motiongraph.progress import Cancelled

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE|FOLDER|GRAPH]...",
        help="Clips, folders of clips, labels.toml, .mgraph and .obj files. (default: the bundled samples)",
    ),
]
DebugGl = Annotated[
    bool, typer.Option("--debug-gl", metavar="", help="Look for OpenGL errors after every call (slow).")
]


def view(paths: Files = None, debug_gl: DebugGl = False) -> None:
    """Open the viewer on clips, folders of clips and graphs.

    Files that cannot be read are reported in the window and disturb nothing else.
    """
    if debug_gl:
        os.environ["MOTIONGRAPH_DEBUG_GL"] = "1"
    from motiongraph.viewer.start import view

    view(paths or ())


class Commands(TyperGroup):
    """A file or folder where a command is expected is opened in the viewer."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        first = args[0]
        if first not in self.commands:
            if os.path.exists(first):
                args = ["view", *args]
            elif os.path.dirname(first) or os.path.splitext(first)[1]:
                ctx.fail(f"{first}: there is no such file or folder.")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="motiongraph",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(view)
app.command()(info.info)
app.command()(labels.labels)
app.command()(convert.convert)
app.command()(matrix.matrix)
app.command()(build.build)
app.command()(graph.graph)
app.command()(walk.walk)
app.command()(crowd.crowd)
app.command()(render.render)
app.command()(quality.quality)
app.add_typer(fetch.app, name="fetch")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"motiongraph {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def motiongraph(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Turn motion capture into new motion.

    Without a command: the viewer, on the files and folders named, or on the bundled samples.
    """
    if context.invoked_subcommand is None:
        view()


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one command and exit; whatever goes wrong becomes one sentence and an exit status."""
    with warnings_said():
        try:
            sys.exit(typer.main.get_command(app)(arguments, prog_name="motiongraph"))
        except Exception as problem:
            if os.environ.get("MOTIONGRAPH_DEBUG"):
                raise
            say(_sentence(problem))
            sys.exit(1)


def _sentence(problem: Exception) -> str:
    if isinstance(problem, MotionError):
        return str(problem)
    if isinstance(problem, Cancelled):
        return "stopped before it was done"
    if isinstance(problem, OSError):
        place = "" if problem.filename is None else f"{os.fsdecode(problem.filename)}: "
        return f"{place}{problem.strerror or problem}"
    if isinstance(problem, MemoryError):
        return "there is not enough memory for this"
    words = " ".join(str(problem).split())
    return f"unexpected {type(problem).__name__}: {words} (a mistake in motiongraph; MOTIONGRAPH_DEBUG=1 shows where)"
