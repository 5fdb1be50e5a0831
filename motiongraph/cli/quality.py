"""`motiongraph quality`: how good the motion of a file or a graph is."""

from pathlib import Path
from typing import Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.console import print_json, progress_bar, say


def quality(
    source: Annotated[Path, typer.Argument(metavar="FILE|MGRAPH", help="A motion-capture file, or a graph.")],
    walks: Annotated[int, typer.Option(min=1, metavar="N", help="Random walks made of a graph.")] = 12,
    seconds: Annotated[float, typer.Option(min=2.0, metavar="S", help="Length of each.")] = 30.0,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the first random walk.")] = 0,
    json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
) -> None:
    """Measure motion: sliding and floating feet, jolts, acceleration and jerk beside captured motion, visible seams.

    A file is measured as it was captured and with its feet held. A graph is measured by random walks, beside its clips;
    with scikit-learn installed, a classifier then tries to tell seams from captured motion: 0.5 is chance, 1 means that
    it finds every one.
    """
    from motiongraph.synthesis.assess import assess

    graph = source.suffix.lower() == ".mgraph"
    motion = mg.MotionGraph.load(source) if graph else mg.load(source)
    with progress_bar() as progress:
        found = assess(motion, walks, seconds, seed, progress)
    if json:
        print_json({"source": str(source), **found})
        return
    _print(found, "made" if graph else "feet held")
    if graph and found["seam_visibility"] is None:
        say("seams were not judged: that needs scikit-learn, and a graph with enough clips and transitions")


def _print(found: dict[str, Any], made: str) -> None:
    from motiongraph.synthesis.assess import rows

    found_rows = rows(found)
    wide = max(len(words) for words, _, _ in found_rows)
    print(f"{'':{wide}}  {'captured':>10}  {made:>10}")
    for words, captured, value in found_rows:
        print(f"{words:{wide}}  {captured:>10}  {value:>10}")
