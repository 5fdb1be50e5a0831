"""`motiongraph crowd`: many characters on one graph, each on its way, written one file each or all in one."""

import shutil
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import motiongraph as mg
from motiongraph.cli.build import Threshold
from motiongraph.cli.console import Force, positive, print_json, progress_bar, refuse_existing, say
from motiongraph.progress import stretch


class Layout(StrEnum):
    grid = "grid"
    circle = "circle"
    scattered = "scattered"


class Aims(StrEnum):
    opposite = "opposite"
    wander = "wander"
    point = "point"


class Kind(StrEnum):
    bvh = "bvh"
    glb = "glb"


def _obstacle(text: str) -> tuple[float, float, float]:
    try:
        x, z, radius = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"expected x, z and a radius as in 3,-1.5,0.5, found {text!r}.") from None
    return x, z, radius


def crowd(
    source: Annotated[Path, typer.Argument(metavar="MGRAPH", help="Graph to walk in.")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FOLDER|GLB", help="A folder for one file each, or a .glb for all."),
    ],
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=1000, metavar="N", help="Characters.")] = 20,
    layout: Annotated[Layout, typer.Option(help="Where they start.")] = Layout.circle,
    goals: Annotated[Aims, typer.Option(help="Where they go.")] = Aims.opposite,
    points: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Path that all follow, as for walk path, instead of goals.")
    ] = None,
    spacing: Annotated[float, typer.Option(parser=positive, metavar="M", help="Between starts.")] = 1.2,
    label: Annotated[str | None, typer.Option(metavar="L", help="The kind of motion. (default: any)")] = None,
    obstacle: Annotated[
        list[str] | None, typer.Option(metavar="X,Z,R", help="A place to go round; may be given again.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(parser=positive, metavar="S", help="Longest; it ends when all have arrived.")
    ] = 60.0,
    kind: Annotated[Kind, typer.Option("--format", help="Of the files in a folder.")] = Kind.bvh,
    threshold: Threshold = None,
    cleanup: Annotated[bool, typer.Option("--cleanup/--no-cleanup", help="Hold planted feet in place.")] = True,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same crowd.")] = 0,
    json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Make a crowd: characters that go their ways and keep out of each other's way."""
    from motiongraph.walks.crowd_goals import layout as starts_of
    from motiongraph.walks.crowd_goals import opposite

    refuse_existing([output], force)
    if output.exists() and output.is_dir() == (output.suffix.lower() == ".glb"):
        raise mg.MotionError(f"{output} is {'a folder' if output.is_dir() else 'no folder'}; name another place")
    obstacles = [_obstacle(text) for text in obstacle or []]
    graph = mg.MotionGraph.load(source)
    if threshold is not None:
        graph = graph.at(threshold)
    starts = starts_of(layout.value, count, spacing, seed)
    aims: list | None = None
    if points is not None:
        from motiongraph.formats.path_file import read_path

        found = read_path(points)
        aims = [mg.Curve.of(found.points, found.curve or "polyline", bool(found.closed))] * count
    elif goals is Aims.opposite:
        aims = list(opposite(starts))
    elif goals is Aims.point:
        aims = [(0.0, 0.0)] * count
    made = mg.Crowd(graph, starts, aims, seed, labels=label, obstacles=obstacles)
    with progress_bar() as progress:
        clips = made.motions(seconds, cleanup=cleanup, progress=stretch(progress, 0.0, 0.9))
        files = _write(clips, output, kind.value, stretch(progress, 0.9, 1.0))
    arrived = int(made.arrived.sum())
    if json:
        facts = {"graph": str(source), "output": str(output), "seed": seed, "characters": count, "arrived": arrived}
        print_json({**facts, "frames": len(clips[0]), "fps": clips[0].fps, "files": [str(file) for file in files]})
    if aims is not None and arrived < count:
        say(f"warning: {count - arrived} of {count} have not arrived after {clips[0].duration:.1f} s")
    what = f"{count} characters, {len(clips[0])} frames, {clips[0].fps:g} Hz, {clips[0].duration:.2f} s"
    say(f"wrote {output}: {what}")


def _write(clips: list["mg.Clip"], output: Path, kind: str, progress) -> list[Path]:
    """One .glb with all, or a folder with a file each, which appears when all of them are written."""
    if output.suffix.lower() == ".glb":
        from motiongraph.formats.gltf import write_glb_together

        write_glb_together(clips, output)
        return [output]
    if not output.parent.is_dir():
        raise mg.MotionError(f"{output.parent}: there is no such folder")
    names = [f"{clip.name}.{kind}" for clip in clips]
    part = Path(tempfile.mkdtemp(".part", f".{output.name[:40]}.", output.parent))
    try:
        for number, (clip, name) in enumerate(zip(clips, names)):
            progress(number, len(clips), "writing")
            mg.save(clip, part / name)
        part.chmod(0o755)
        if output.is_dir():  # what else is in a folder that was there stays
            for name in names:
                (part / name).replace(output / name)
        else:
            part.replace(output)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return [output / name for name in names]
