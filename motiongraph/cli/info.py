"""`motiongraph info`: what is in motion-capture files, as a table or as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motiongraph.cli.console import print_json, progress_bar, say
from motiongraph.cli.options import Rate, Skeleton, Units, Up, UpAxis

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip


def info(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files (.bvh, .amc, .asf) and folders of them. (default: the bundled samples)",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="Print one JSON object instead of a table.")
    ] = False,
    skeleton: Skeleton = None,
    units: Units = "auto",
    up: UpAxis = Up.auto,
    rate: Rate = None,
) -> None:
    """Show what is in motion-capture files: frames, rate, joints, height, units and labels.

    Folders are searched for clips with everything below them. A file that cannot be read is reported and the
    others are shown all the same; the exit status is then 1.
    """
    from motiongraph.formats.load import load_all
    from motiongraph.resources import resource

    failed = []
    with progress_bar() as progress:
        clips = load_all(
            paths or [resource("assets/samples")],
            progress=progress,
            units=units,
            up=up.value,
            skeleton=skeleton,
            fps=rate,
            on_error=lambda path, problem: failed.append((str(path), problem)),
        )
    rows = [_facts(clip) for clip in clips]
    for _, problem in failed:
        say(str(problem))
    if as_json:
        print_json({"clips": rows, "failed": [{"path": path, "error": str(problem)} for path, problem in failed]})
    elif rows:
        _print_table(rows)
    if failed:
        raise typer.Exit(1)


def _facts(clip: "Clip") -> dict:
    """What there is to say of one clip, as plain numbers and words; lengths in metres, labels in frames."""
    labels: dict[str, list[list[int]]] = {}
    for word, start, stop in clip.labels.spans():
        labels.setdefault(word, []).append([start, stop])
    source = clip.source
    return {
        "path": str(source.path),
        "name": clip.name,
        "format": source.format,
        "frames": len(clip),
        "fps": clip.fps,
        "seconds": clip.duration,
        "joints": len(clip.skeleton),
        "height": clip.skeleton.height,
        "units": source.units,
        "metres_per_unit": source.scale,
        "up": source.up,
        "first": clip.first,
        "labels": labels,
        "notes": list(source.notes),
    }


def _print_table(rows: list[dict]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("name", overflow="fold")
    table.add_column("format")
    for number in ("frames", "rate Hz", "seconds", "joints", "height m"):
        table.add_column(number, justify="right")
    table.add_column("units")
    table.add_column("up")
    # Most files have neither an added T-pose nor labels; then those columns would be empty.
    first, labels = any(row["first"] for row in rows), any(row["labels"] for row in rows)
    if first:
        table.add_column("first", justify="right")
    if labels:
        table.add_column("labels", overflow="fold")
    for row in rows:
        cells = [
            row["name"],
            row["format"],
            f"{row['frames']}",
            f"{row['fps']:.6g}",
            f"{row['seconds']:.2f}",
            f"{row['joints']}",
            f"{row['height']:.2f}",
            row["units"],
            row["up"],
        ]
        cells += [str(row["first"] or "")] * first + [" ".join(row["labels"])] * labels
        table.add_row(*map(Text, cells))
    console = Console()
    if not console.is_terminal:
        console = Console(width=10_000)  # nothing is cut off or folded on its way into a file or a pipe
    console.print(table)
