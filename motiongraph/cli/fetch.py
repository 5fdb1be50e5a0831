"""`motiongraph fetch`: motion capture from the network."""

from pathlib import Path
from typing import Annotated

import typer

from motiongraph.cli.console import progress_bar, say

app = typer.Typer(no_args_is_help=True)


def _subject(text: str) -> str:
    if text != "all" and not (text.isascii() and text.isdigit() and 0 < int(text) < 1000):
        raise typer.BadParameter(f"expected the number of a subject, or all, found {text!r}.")
    return text


@app.callback()
def fetch() -> None:
    """Download motion capture."""


@app.command()
def cmu(
    subject: Annotated[
        str, typer.Argument(parser=_subject, metavar="SUBJECT|all", help="Number of the subject, such as 16, or all.")
    ],
    trials: Annotated[
        list[int] | None, typer.Argument(min=1, metavar="TRIAL", help="Numbers of the trials; all without any.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to. (default: cmu/SUBJECT)"),
    ] = None,
    url: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Download ASF/AMC from the CMU motion capture database, mocap.cs.cmu.edu, and what it says of every trial.

    Files that are there already are kept, and a download that was cut off goes on where it stopped.
    """
    from motiongraph.fetch import fetch_all, fetch_cmu, fetch_index
    from motiongraph.formats.load import check_capture

    with progress_bar() as progress:
        if subject == "all":
            if trials:
                raise typer.BadParameter("all means all trials; name no others.")
            all_ = fetch_all(folder or "cmu", progress, base=url, check=check_capture)
            count = sum(len(one.new) + len(one.kept) - 1 for one in all_)
            say(f"{folder or 'cmu'} has {count:,} trials of {len(all_)} subjects")
            return
        fetched = fetch_cmu(int(subject), trials or (), folder, progress, base=url, check=check_capture)
        if not fetch_index(fetched.folder, base=url):
            say("the descriptions of the trials could not be had; the motion is complete without them")
    count = len(fetched.new) + len(fetched.kept) - 1
    kept = f", {len(fetched.kept)} files were there already" if fetched.kept else ""
    trials_ = f"{count} trial{'' if count == 1 else 's'}"
    say(f"{fetched.folder} has the skeleton and {trials_} of subject {int(subject):02d}{kept}")
