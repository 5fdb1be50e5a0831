"""`motiongraph view`, and `motiongraph` alone: the window."""

import os
from pathlib import Path
from typing import Annotated

import typer

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
