"""`motiongraph fetch`: motion capture from the network."""

from pathlib import Path
from typing import Annotated

import typer

from motiongraph.cli.console import progress_bar, say

app = typer.Typer(no_args_is_help=True)


@app.callback()
def fetch() -> None:
    """Download motion capture."""


@app.command()
def cmu(
    subject: Annotated[int, typer.Argument(min=1, metavar="SUBJECT", help="Number of the subject, such as 16.")],
    trials: Annotated[
        list[int] | None, typer.Argument(min=1, metavar="TRIAL", help="Numbers of the trials; all without any.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to. (default: cmu/SUBJECT)"),
    ] = None,
    url: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Download ASF/AMC from the CMU motion capture database, mocap.cs.cmu.edu.

    Files that are there already are kept, and a download that was cut off goes on where it stopped.
    """
    from motiongraph.fetch import fetch_cmu
    from motiongraph.formats.load import check_capture

    with progress_bar() as progress:
        fetched = fetch_cmu(subject, trials or (), folder, progress, base=url, check=check_capture)
    count = len(fetched.new) + len(fetched.kept) - 1
    kept = f", {len(fetched.kept)} files were there already" if fetched.kept else ""
    say(
        f"{fetched.folder} has the skeleton and {count} trial{'' if count == 1 else 's'} of subject {subject:02d}{kept}"
    )
