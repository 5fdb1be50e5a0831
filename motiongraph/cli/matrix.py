"""`motiongraph matrix`: the distances between two clips as a picture and as numbers."""

import re
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.console import (
    Force,
    Rate,
    Skeleton,
    Units,
    Up,
    UpAxis,
    positive,
    print_json,
    progress_bar,
    refuse_existing,
    say,
)


class Align(StrEnum):
    planar = "planar"
    in_place = "in-place"
    none = "none"


class Kind(StrEnum):
    cloud = "cloud"
    angle = "angle"
    angle_velocity = "angle-velocity"
    angle_acceleration = "angle-acceleration"
    dissertation = "dissertation"
    euler = "euler"
    combined = "combined"


class Method(StrEnum):
    neighbours = "neighbours"
    partial = "partial"


class Order(StrEnum):
    one = "1"
    two = "2"
    four = "4"


def _weights(text: str) -> dict[str, float] | str | None:
    if text == "even":
        return None
    if text in ("mao", "length", "children"):
        return text
    from motiongraph.formats.labels_file import read_weights

    return read_weights(text)


def _mesh(text: str) -> Any:
    if text == "body":
        return text
    from motiongraph.formats.obj import read_obj

    return read_obj(text)


def _shares(text: str) -> dict[str, float]:
    found = [re.fullmatch(r"\s*([a-z-]+)\s*=\s*(\S+)\s*", part) for part in text.split(",")]
    if not all(found):
        raise typer.BadParameter(f"expected kinds and shares as in cloud=1,angle=0.2, found {text!r}.")
    return {part[1]: positive(part[2]) for part in found if part}


Weights = Annotated[
    str,
    typer.Option(
        parser=_weights,
        metavar="W|TOML",
        help="Joint weights: even, mao (his table 4.1), length, children, or a file with [weights] of joints or parts.",
    ),
]
Mesh = Annotated[
    str | None,
    typer.Option(parser=_mesh, metavar="OBJ|body", help="Points on a mesh in the rest pose, or on the body drawn."),
]
Shares = Annotated[
    str | None,
    typer.Option("--combine", parser=_shares, metavar="K=S,…", help="Sum of error functions, as in cloud=1,angle=0.2."),
]


def matrix(
    a: Annotated[Path, typer.Argument(metavar="A", help="Clip along the rows: .bvh, .amc or .glb.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Clip along the columns; may be A itself.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="PNG", help="Picture to write, one pixel a cell.")
    ] = None,
    figure: Annotated[
        bool, typer.Option("--figure", metavar="", help="Picture with axes, legend and colour bar instead.")
    ] = False,
    npz: Annotated[Path | None, typer.Option(metavar="NPZ", help="Write costs and minima as a numpy file.")] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write costs as text: .csv, or .dat for Gnuplot.")
    ] = None,
    percentile: Annotated[
        float, typer.Option(min=0.1, max=100.0, metavar="P", help="Darkest grey in the picture; 99 cuts outliers.")
    ] = 100.0,
    threshold: Annotated[
        float | None, typer.Option(parser=positive, metavar="CM", help="Only minima up to this cost; above it, dark.")
    ] = None,
    window: Annotated[
        float | None, typer.Option(parser=positive, metavar="S", help="Seconds of a window. (default: a third)")
    ] = None,
    align: Annotated[Align, typer.Option(help="How B may be moved to meet A.")] = Align.planar,
    kind: Annotated[Kind, typer.Option(help="What is compared: points on the bones, or joint angles.")] = Kind.cloud,
    order: Annotated[Order, typer.Option(help="Norm over the joint angles.")] = Order.two,
    samples: Annotated[int, typer.Option(min=0, metavar="N", help="Points along every bone; 0: on the joints.")] = 5,
    weights: Weights = "even",
    mesh: Mesh = None,
    combine: Shares = None,
    taper: Annotated[bool, typer.Option("--taper", metavar="", help="Frames count less later in the window.")] = False,
    border: Annotated[
        bool, typer.Option("--border/--no-border", help="Whether cells at the edge can be minima.")
    ] = True,
    method: Annotated[Method, typer.Option(help="What a local minimum is.")] = Method.neighbours,
    radius: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Only the best minimum within N frames.")
    ] = None,
    skeleton: Skeleton = None,
    units: Units = "auto",
    up: UpAxis = Up.auto,
    rate: Rate = None,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Keep distances for the next time.")] = True,
    json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Compare two clips, every window of A with every window of B.

    Rows and columns are the frames where the windows begin. Light is close; green dots are local minima, where a
    transition would be best.
    """
    refuse_existing([output, npz, table], force)
    metric = mg.Metric(
        window=1 / 3 if window is None else window,
        align=align.value,
        samples_per_bone=samples,
        joint_weights=weights,
        taper="gaussian" if taper else None,
        kind="combined" if combine else kind.value,
        order=int(order.value),
        shares=combine,  # pyright: ignore[reportArgumentType]  (parsed)
        mesh=mesh,
    )
    reading = {"units": units, "up": up.value, "skeleton": skeleton, "fps": rate}
    clip_a = mg.load(a, **reading)
    clip_b = clip_a if a == b else mg.load(b, **reading)
    started = time.perf_counter()
    with progress_bar() as progress:
        result = mg.distance_matrix(clip_a, clip_b, metric, cache=None if cache else False, progress=progress)
    options = {"method": method.value, "radius": radius, "border": border}
    minima = result.minima(threshold, **options)
    seconds = time.perf_counter() - started
    if output is not None:
        result.save_image(output, threshold, annotated=figure, percentile=percentile, **options)
    if npz is not None:
        result.save_numbers(npz, threshold, **options)
    if table is not None:
        result.save_table(table)
    if json:
        rows, columns = result.cost.shape
        report = {"a": str(a), "b": str(b), "picture": output and str(output), "npz": npz and str(npz)} | {
            "table": table and str(table)
        }
        report |= {"rows": rows, "columns": columns, "window": result.window, "fps": result.fps}
        report |= {"first_a": result.first_a, "first_b": result.first_b, "unit": metric.unit}
        report |= {"minimum": round(float(result.cost.min()), 4), "maximum": round(float(result.cost.max()), 4)}
        print_json(report | {"threshold": threshold, "minima": len(minima), "seconds": round(seconds, 6)})
    else:
        rows, columns = result.cost.shape
        limit = "" if threshold is None else f" up to {threshold:g} {metric.unit}"
        say(f"{rows} × {columns} windows of {result.window} frames compared in {seconds:.3f} s")
        say(f"lowest cost {result.cost.min():.2f} {metric.unit}, {len(minima)} local minima{limit}")
        written = [str(p) for p in (output, npz, table) if p is not None]
        if written:
            say(f"wrote {' and '.join(written)}")
