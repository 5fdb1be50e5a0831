"""`motiongraph build`: from clips to a motion graph in a file."""

import os
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.console import (
    BoneMap,
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
from motiongraph.cli.matrix import Align, Kind, Mesh, Order, Shares, Weights
from motiongraph.errors import FormatWarning
from motiongraph.files import resource

if TYPE_CHECKING:
    from distributed import Client

CONNECTIONS = 16  # choice points from which quickest ways are measured for a report


def cost_or_auto(text: str) -> float | str:
    """A cost, or the words auto and half."""
    return text if text in ("auto", "half") else positive(text)


def _pair(text: str) -> tuple[tuple[str, str], float]:
    found = re.fullmatch(r"([^,=]+),([^,=]+)=(.+)", text)
    if not found:
        raise typer.BadParameter(f"expected two labels and a cost as in walk,run=8, found {text!r}.")
    return (found[1].strip(), found[2].strip()), positive(found[3])


Threshold = Annotated[
    str | None,
    typer.Option(
        parser=cost_or_auto,
        metavar="CM|auto|half",
        help="What a transition may cost at most, auto, or half as many as frames.",
    ),
]
Within = Annotated[float | None, typer.Option(parser=positive, metavar="CM", help="Threshold inside a clip.")]
Between = Annotated[float | None, typer.Option(parser=positive, metavar="CM", help="Threshold from clip to clip.")]
Pair = Annotated[
    list[str] | None,
    typer.Option(parser=_pair, metavar="A,B=CM", help="Threshold between motions of these labels; may be repeated."),
]


def thresholds(
    threshold: float | str | None,
    within: float | None,
    between: float | None,
    pair: list[Any] | None,
) -> Any:
    """The options as `MotionGraph.at` takes them, or None where none is given."""
    if within is None and between is None and not pair:
        return threshold
    if threshold in ("auto", "half"):
        raise typer.BadParameter(
            f"{threshold} is one threshold for all transitions, without --within, --between and --pair."
        )
    inside, across = (threshold if value is None else value for value in (within, between))
    if inside is None or across is None:
        raise typer.BadParameter("give --threshold, or both --within and --between.")
    return {"within": inside, "between": across, **dict(pair or [])}


@contextmanager
def cluster(scheduler: str | None, workers: int | None) -> "Iterator[Client | None]":
    """A client of the Dask cluster that was asked for, or None; says where its dashboard is."""
    if scheduler is None and workers is None:
        yield None
        return
    if scheduler is not None and workers is not None:
        raise typer.BadParameter("give --scheduler or --workers: the cluster of a scheduler has workers of its own.")
    try:
        from distributed import Client, LocalCluster
    except ImportError as problem:
        raise mg.MotionError("a cluster needs Dask: pip install motiongraph[cluster]") from problem
    with ExitStack() as open_:
        try:
            where = scheduler or open_.enter_context(LocalCluster(n_workers=workers, threads_per_worker=1))
            client = open_.enter_context(Client(where, timeout="10s"))
        except (OSError, ValueError) as problem:
            raise mg.MotionError(f"no Dask cluster at {scheduler or 'this machine'}: {problem}") from problem
        say(f"comparing on {scheduler or f'{workers} processes'}; the dashboard: {client.dashboard_link}")
        yield client


def _left_out(given: list[Path], path: Path, problem: mg.MotionError) -> None:
    """A file that cannot be read is left out of a folder; one that was asked for by its name is missed."""
    if path in given:
        raise problem
    warnings.warn(f"{problem}; it is left out", FormatWarning, stacklevel=2)


# What can be said where clips are added to a graph; the rest is as the graph was built.
_OF_CLIPS = {"output", "paths", "labels", "where", "skeleton", "units", "up", "rate", "json", "force", "referenced"}
_OF_CLIPS |= {"threshold", "within", "between", "pair"}


def _to_grow(context: typer.Context, paths: list[Path]) -> "mg.MotionGraph | None":
    """The graph among the paths, to which the others are added."""
    graphs = [path for path in paths if path.suffix == ".mgraph"]
    if not graphs:
        return None
    if len(graphs) > 1 or len(paths) == 1:
        raise typer.BadParameter("give one graph and the clips to add to it.")
    sources = {name: context.get_parameter_source(name) for name in context.params}
    said = {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}
    if others := sorted(said - _OF_CLIPS):
        names = ", ".join(f"--{name.replace('_', '-')}" for name in others)
        raise typer.BadParameter(f"clips are added to {graphs[0]} as it was built; leave out {names}.")
    return mg.MotionGraph.load(graphs[0])


def _others(graph: "mg.MotionGraph", clips: "list[mg.Clip]") -> "list[mg.Clip]":
    """Those of the clips whose names the graph does not have."""
    from motiongraph.graph.report import listed

    names = {clip.name for clip in graph.candidates.originals}
    there = [clip.name for clip in clips if clip.name in names]
    if len(there) == len(clips):
        raise mg.MotionError(f"the graph has clips of these names already: {listed(there)}")
    if there:
        warnings.warn(f"left out, as the graph has clips of these names: {listed(there)}", FormatWarning, stacklevel=2)
    return [clip for clip in clips if clip.name not in names]


def build(
    context: typer.Context,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MGRAPH", help="Graph to write.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Clips, folders of them and labels.toml files; an .mgraph to add them to. (default: the samples)",
        ),
    ] = None,
    threshold: Threshold = None,
    within: Within = None,
    between: Between = None,
    pair: Pair = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="TOML", help="Which files take part, which frames, and what they are.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Only clips with this in name, labels or description, as in 'walk|run'."),
    ] = None,
    mirror: Annotated[bool, typer.Option("--mirror", metavar="", help="Add every clip's mirror image.")] = False,
    fps: Annotated[
        float | None, typer.Option(parser=positive, metavar="N", help="Resample all clips to this rate first.")
    ] = None,
    ceiling: Annotated[
        str,
        typer.Option(
            parser=cost_or_auto,
            metavar="CM|auto",
            help="Keep candidates up to this cost. (auto: at most 15)",
        ),
    ] = "auto",
    per_window: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="K", help="Keep the K cheapest of every stretch. (default: all; 32 from 500,000 frames on)"
        ),
    ] = None,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", metavar="", help="Look at every pair: slower, the same graph.")
    ] = False,
    cache: Annotated[
        float | None, typer.Option(min=0.0, metavar="GB", help="What the cache may take on disk. (default: 2)")
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="S", help="Of minima this near keep only the cheapest. (default: 8/120)"),
    ] = None,
    least: Annotated[
        float, typer.Option(min=0.0, metavar="S", help="Warn of labels that keep less than this after pruning.")
    ] = 0.0,
    window: Annotated[
        float | None, typer.Option(parser=positive, metavar="S", help="Seconds of a transition. (default: a third)")
    ] = None,
    align: Annotated[Align, typer.Option(help="How a clip may be moved to meet another.")] = Align.planar,
    kind: Annotated[Kind, typer.Option(help="What is compared: points on the bones, or joint angles.")] = Kind.cloud,
    order: Annotated[Order, typer.Option(help="Norm over the joint angles.")] = Order.two,
    samples: Annotated[int, typer.Option(min=0, metavar="N", help="Points along every bone; 0: on the joints.")] = 5,
    weights: Weights = "even",
    mesh: Mesh = None,
    combine: Shares = None,
    taper: Annotated[bool, typer.Option("--taper", metavar="", help="Frames count less later in the window.")] = False,
    search_fps: Annotated[
        float | None,
        typer.Option(parser=positive, metavar="N", help="Look at this lower rate first: quicker, not complete."),
    ] = None,
    border: Annotated[
        bool, typer.Option("--border/--no-border", help="Whether minima where a clip begins or ends count.")
    ] = True,
    every_cell: Annotated[
        bool, typer.Option("--every-cell", metavar="", help="Every cell up to the ceiling, not only minima.")
    ] = False,
    same_feet: Annotated[
        bool, typer.Option("--same-feet", metavar="", help="Compare only windows with the same feet down.")
    ] = False,
    bridge: Annotated[
        bool,
        typer.Option(
            "--bridge",
            metavar="",
            help="Add made clips where little leads over; seams there are seen more (0.70, others 0.64, chance 0.5).",
        ),
    ] = False,
    bones: BoneMap = None,
    skeleton: Skeleton = None,
    units: Units = "auto",
    up: UpAxis = Up.auto,
    rate: Rate = None,
    referenced: Annotated[
        bool, typer.Option("--referenced", metavar="", help="Keep only the clips' hashes, not their motion.")
    ] = False,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Compare on the Dask cluster of this scheduler.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Compare in N processes of a Dask cluster made for it.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Compare all clips with each other and keep the places where one can pass into another.

    A labels.toml in a folder, or given by --labels, says which files take part. What was compared stays in a cache,
    so that after Ctrl-C the same command goes on where it stopped. With a graph among the paths the other clips are
    added to it, and only they are compared.
    """
    refuse_existing([output], force)
    limits = thresholds(threshold, within, between, pair) or "auto"

    from motiongraph.formats.collection import load_collection
    from motiongraph.formats.labels_file import read_bones
    from motiongraph.graph.candidates import RADIUS
    from motiongraph.synthesis.bridge import in_words

    metric = mg.Metric(
        window=1 / 3 if window is None else window,
        align=align.value,
        samples_per_bone=samples,
        joint_weights=weights,
        taper="gaussian" if taper else None,
        search_fps=search_fps,
        kind="combined" if combine else kind.value,
        order=int(order.value),
        shares=combine,  # pyright: ignore[reportArgumentType]  (parsed)
        mesh=mesh,
    )
    reading = {"units": units, "up": up.value, "skeleton": skeleton, "fps": rate}
    given = paths or [resource("assets/captured")]
    grown = _to_grow(context, given)
    given = [path for path in given if path.suffix != ".mgraph"]
    with progress_bar() as progress:
        clips = load_collection(given, labels, progress, partial(_left_out, given), where, **reading)
    if cache is not None:
        os.environ["MOTIONGRAPH_CACHE_LIMIT"] = str(cache)
    started = time.perf_counter()
    try:
        with cluster(scheduler, workers) as client, progress_bar() as progress:
            graph = grown and grown.add(_others(grown, clips), progress)
            graph = graph or mg.MotionGraph.build(
                clips,
                metric,
                limits,
                ceiling=ceiling,
                radius=RADIUS if radius is None else radius,
                mirror=mirror,
                fps=fps,
                bones=bones and read_bones(bones),
                border=border,
                every_cell=every_cell,
                same_feet=same_feet,
                client=client,
                per_window=per_window,
                search="exhaustive" if exhaustive else "pruned",
                progress=progress,
            )
            made = []
            if bridge:
                graph, made = mg.bridged(graph, progress=progress)
    except KeyboardInterrupt:
        say("stopped; what was compared so far is kept, and the same command goes on from there")
        raise
    if grown is None:
        graph.least = least
    elif limits != "auto":
        graph = graph.at(limits)
    try:
        graph.save(output, clips="referenced" if referenced else "included")
    except mg.MotionError as problem:
        raise mg.MotionError(f"{problem}; what was compared is kept, and the same command goes on from there") from None
    seconds = time.perf_counter() - started
    report = graph.report(CONNECTIONS)
    for sentence in report["warnings"]:
        warnings.warn(sentence, FormatWarning, stacklevel=1)
    for entry in made:
        say(in_words(entry))
    if json:
        found = {"bridges": made} if bridge else {}
        print_json({"path": str(output), "build_seconds": round(seconds, 3), **report, **found})
    else:
        say(f"{report['clips']} clips, {report['frames']:,} frames compared in {seconds:.1f} s")
        chosen = " (auto)" if report["threshold_is_auto"] else ""
        say(f"{report['transitions']:,} transitions up to {graph.thresholds} {metric.unit}{chosen}")
        if (share := report["search"]["share_compared"]) < 0.995:
            most = f", the {report['per_window']} cheapest of every stretch" if report["per_window"] else ""
            say(f"candidates up to {report['ceiling']:g} {metric.unit}{most}; {share:.2%} of all pairs were looked at")
        say(f"wrote {output}: {report['share_kept']:.0%} of all frames are in a part where motion never ends")
