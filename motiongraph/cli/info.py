"""`motiongraph info`: what is in motion-capture files, as a table or as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motiongraph.cli.console import Rate, Skeleton, Units, Up, UpAxis, print_json, printable, progress_bar, say
from motiongraph.errors import MotionError
from motiongraph.files import resource

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip


def info(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files (.bvh, .amc, .asf, .glb, .gltf) and folders of them. (default: the bundled samples)",
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
    from motiongraph.formats.collection import find_files, read_files

    rows, failed = [], []

    def fail(path: Path, problem: MotionError) -> None:
        failed.append({"path": str(path), "error": str(problem)})

    files = []
    for path in paths or [resource("assets/captured")]:
        try:
            if not path.exists():
                raise MotionError(f"{path}: there is no such file or folder")
            files += find_files(path, fail)
        except MotionError as problem:
            fail(path, problem)
    skeletons = [file for file in files if file.suffix.lower() == ".asf"]
    clips = [file for file in files if file.suffix.lower() != ".asf"]
    for file in skeletons:
        try:
            rows.append(_skeleton_facts(file))
        except MotionError as problem:
            fail(file, problem)
    options = {"units": units, "up": up.value, "skeleton": skeleton, "fps": rate}
    with progress_bar() as progress:
        for _, found in read_files(clips, progress, fail, **options):
            rows += map(_facts, found)
    for failure in failed:
        say(failure["error"])
    if as_json:
        print_json({"clips": rows, "failed": failed})
    elif rows:
        _print_table(rows)
    if failed:
        raise typer.Exit(1)


def _facts(clip: "Clip") -> dict[str, Any]:
    """What there is to say of one clip, as plain numbers and words; lengths in metres, labels in frames."""
    labels: dict[str, list[list[int]]] = {}
    for word, start, stop in clip.labels.spans():
        labels.setdefault(word, []).append([start, stop])
    source = clip.source
    assert source is not None, "it was read from a file"
    return {
        "path": str(source.path),
        "name": clip.name,
        "format": source.format,
        "frames": len(clip),
        "fps": clip.fps,
        "seconds": clip.duration,
        "joints": len(clip.skeleton),
        "height": source.stature or clip.skeleton.height,
        "units": source.units,
        "metres_per_unit": source.scale,
        "scaled": source.scaled,
        "up": source.up,
        "guessed": [what for what in ("unit", "up") if getattr(source, f"{what}_from") == "guess"],
        "first": clip.first,
        "labels": labels,
        "notes": list(source.notes),
    }


def _skeleton_facts(path: Path) -> dict[str, Any]:
    """What there is to say of an ASF by itself: the same as of a clip, without motion."""
    from motiongraph.formats.asf_parser import read_asf
    from motiongraph.formats.guess import stature, up_axis
    from motiongraph.formats.motion import UPRIGHT
    from motiongraph.formats.scanner import Text
    from motiongraph.model.skeleton import Skeleton
    from motiongraph.rotations import rotate

    asf = read_asf(Text(path))
    names, parents, offsets, _ = asf.joints
    drawn = Skeleton(names, parents, offsets)
    up = up_axis(drawn, drawn.rest[None])
    body = Skeleton(names, parents, rotate(UPRIGHT[up], offsets * asf.metres))
    return {
        "path": str(path),
        "name": path.stem,
        "format": "asf",
        "frames": 0,
        "fps": None,
        "seconds": None,
        "joints": len(body),
        "height": stature(body) or body.height,
        "units": f"{asf.length_unit:g} per inch",
        "metres_per_unit": asf.metres,
        "scaled": False,
        "up": up,
        "guessed": ["up"],
        "first": 0,
        "labels": {},
        "notes": [],
    }


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("name", overflow="fold")
    table.add_column("format", no_wrap=True)
    for number in ("frames", "Hz", "seconds", "joints", "height"):
        table.add_column(number, justify="right", no_wrap=True)
    table.add_column("units", no_wrap=True)
    table.add_column("up", no_wrap=True)
    # Most files have neither an added T-pose nor labels; then those columns would be empty.
    first, labels = any(row["first"] for row in rows), any(row["labels"] for row in rows)
    if first:
        table.add_column("first", justify="right", no_wrap=True)
    if labels:
        table.add_column("labels", overflow="fold")
    for row in rows:
        cells = [
            row["name"],
            row["format"],
            str(row["frames"] or ""),
            "" if row["fps"] is None else f"{row['fps']:.6g}",
            "" if row["seconds"] is None else f"{row['seconds']:.2f}",
            f"{row['joints']}",
            f"{row['height']:.2f} m",
            row["units"],
            row["up"],
        ]
        cells += [str(row["first"] or "")] * first + [" ".join(row["labels"])] * labels
        table.add_row(*(Text(printable(cell)) for cell in cells))
    console = Console()
    if not console.is_terminal:
        console = Console(width=10_000)  # nothing is cut off or folded on its way into a file or a pipe
    console.print(table)
