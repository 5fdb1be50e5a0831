"""`motiongraph graph`: what is in a motion graph, as figures, tables for other programs, and a picture."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.build import CONNECTIONS, Between, Pair, Threshold, Within, thresholds
from motiongraph.cli.console import Force, print_json, printable, refuse_existing, say

_FEW = 6  # clips of a cluster that are named


class View(StrEnum):
    clips = "clips"
    choices = "choices"
    segments = "segments"


STARTS = 24  # random choice points from which it is tried what can be reached


def graph(
    source: Annotated[Path, typer.Argument(metavar="MGRAPH", help="Graph to read.")],
    threshold: Threshold = None,
    within: Within = None,
    between: Between = None,
    pair: Pair = None,
    pruned: Annotated[
        bool | None, typer.Option("--pruned/--all", help="Without dead ends, or with all. (default: as it was saved)")
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", metavar="", help="Also what every threshold would keep, for a plot.")
    ] = False,
    dot: Annotated[Path | None, typer.Option(metavar="F", help="Write the graph for Graphviz.")] = None,
    graphml: Annotated[Path | None, typer.Option(metavar="F", help="Write the graph as GraphML.")] = None,
    graph_json: Annotated[Path | None, typer.Option(metavar="F", help="Write nodes and edges as JSON.")] = None,
    view: Annotated[
        View, typer.Option(help="Nodes of DOT and GraphML: clips, choice points, or the segments between them.")
    ] = View.clips,
    png: Annotated[Path | None, typer.Option(metavar="F", help="Draw the graph: clips as lanes in time.")] = None,
    overview: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Draw which clips lead to which, in clusters: readable for any number."),
    ] = None,
    clips: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="The clips of a graph that does not hold them.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Show a motion graph: transitions and their costs, how well the clips are connected, what pruning keeps."""
    written = [path for path in (dot, graphml, graph_json, png, overview) if path is not None]
    refuse_existing(written, force)
    limits = thresholds(threshold, within, between, pair)
    seen = mg.MotionGraph.load(source, clips=clips or None)
    if limits is not None:
        seen = seen.at(limits)
    if pruned is not None:
        seen = seen.pruned(seen.least) if pruned else seen.whole()
    if dot or graphml or graph_json:
        from motiongraph.graph import export

        for save, path in ((export.save_dot, dot), (export.save_graphml, graphml)):
            if path is not None:
                save(seen, path, view.value)
        if graph_json is not None:
            export.save_json(seen, graph_json)
    if png is not None:
        from motiongraph.graph.picture import save_picture

        save_picture(seen, png)
    from motiongraph.walks.auto_labels import named_clusters

    clusters = named_clusters(seen)
    if overview is not None:
        from motiongraph.graph.overview import Overview, save_overview

        save_overview(seen, overview, Overview.of(seen, clusters))
    report = {"path": str(source), **seen.report(CONNECTIONS, STARTS)}
    if curve:
        rows = seen.trade_off()
        report["curve"] = [dict(zip(rows.dtype.names or (), row.tolist())) for row in rows]
    if json:
        print_json(report)
    else:
        _print_report({**report, "clusters": clusters.plain()}, seen.thresholds)
        for sentence in report["warnings"]:
            say(f"warning: {sentence}")
    if written:
        say(f"wrote {', '.join(map(str, written))}")


def _print_report(report: dict[str, Any], limits: Any) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from motiongraph.graph.coverage import in_words

    unit = report["unit"]
    connection = report["connection_seconds"]
    auto = " (auto)" if report["threshold_is_auto"] else ""
    sizes = sorted((size for s in report["label_sets"] for size in s["component_frames"]), reverse=True)
    rows = [
        ("clips", f"{report['clips']}"),
        ("frames", f"{report['frames']:,} ({report['seconds']:.1f} s at {report['fps']:g} Hz)"),
        ("transition", f"{report['window_frames']} frames ({report['window_frames'] / report['fps']:.2f} s)"),
        ("threshold", f"{limits} {unit}{auto}"),
        ("transitions", f"{report['transitions']:,}{' after pruning' if report['pruned'] else ''}"),
        ("  within clips", f"{report['transitions_within_clips']:,}"),
        ("  candidates", f"{report['candidates']:,}"),
        ("choice points", f"{report['choice_points']:,}"),
    ]
    if report["transitions"]:
        most, least = report["most_connected"], report["least_connected"]
        costs = (f"{report[f'cost_{kind}']:.2f}" for kind in ("min", "mean", "max"))
        rows += [
            ("cost", f"{' / '.join(costs)} {unit} (lowest, mean, highest)"),
            ("most connected", f"{most['clip']}, {most['transitions']:,} transitions"),
            ("least connected", f"{least['clip']}, {least['transitions']:,} transitions"),
            ("mean", f"{report['transitions_per_clip']:.1f} transitions a clip"),
        ]
    rows += [
        ("never ends", f"{report['share_kept']:.1%} of frames ({report['frames_kept']:,})"),
        ("strong parts", f"{report['components']}, of {', '.join(f'{s:,}' for s in sizes[:6]) or 'no'} frames"),
        ("connection", "none" if connection is None else f"{connection:.2f} s from one choice point to another, mean"),
        *in_words(report["coverage"]),
    ]
    if len(subjects := report["subjects"]) > 1:
        alone = [s["subject"] for s in subjects if not s["leads_to"]]
        most = max(subjects, key=lambda s: len(s["leads_to"]))
        words = f"{len(subjects) - len(alone)} of {len(subjects)} lead to others, {most['subject']} to the most"
        rows.append(("subjects", f"{words} ({len(most['leads_to'])}){'; alone: ' if alone else ''}{', '.join(alone)}"))
    console = Console()
    if not console.is_terminal:
        console = Console(width=10_000)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in rows:
        table.add_row(name, printable(value))
    console.print(table)
    if len(report["label_sets"]) > 1:
        table = Table(box=box.SIMPLE_HEAD, header_style="bold")
        for name in ("labels", "frames", "kept"):
            table.add_column(name, justify="left" if name == "labels" else "right")
        for s in report["label_sets"]:
            table.add_row(printable(", ".join(s["labels"])) or "none", f"{s['frames']:,}", f"{s['frames_kept']:,}")
        console.print(table)
    if len(report["clusters"]) > 1:
        table = Table(box=box.SIMPLE_HEAD, header_style="bold")
        for name in ("cluster", "clips", ""):
            table.add_column(name, justify="right" if name == "clips" else "left")
        for c in report["clusters"]:
            few, more = ", ".join(c["rows"][:_FEW]), len(c["rows"]) - _FEW
            table.add_row(
                printable(c["name"]), f"{len(c['rows'])}", printable(few + (f" and {more} more" if more > 0 else ""))
            )
        console.print(table)
    if "curve" in report:
        table = Table(box=box.SIMPLE_HEAD, header_style="bold")
        for name in (f"threshold, {unit}", "frames kept", "transitions", f"mean cost, {unit}"):
            table.add_column(name, justify="right")
        for row in report["curve"]:
            share, mean = f"{row['share']:.1%}", f"{row['mean_cost']:.2f}"
            table.add_row(f"{row['threshold']:.2f}", share, f"{row['transitions']:,}", mean)
        console.print(table)
