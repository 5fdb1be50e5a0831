"""`motiongraph quality`: how good the motion of a file or a graph is."""

from pathlib import Path
from typing import Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.console import print_json, progress_bar, say

_WORDS = {
    "slide": "slide of planted feet, cm/s",
    "slide_low": "slide of low feet, cm/s",
    "jolts": "jolts a minute",
    "acceleration": "acceleration, m/s², 99th percentile",
    "jerk": "jerk, m/s³, 99th percentile",
    "penetration": "below the floor, cm, worst",
    "float": "above the floor while standing, cm",
}


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
    wide = max(map(len, _WORDS.values()))
    print(f"{'':{wide}}  {'captured':>10}  {made:>10}")
    for name, words in _WORDS.items():
        print(f"{words:{wide}}  {found['captured'][name]:10.4g}  {found['made'][name]:10.4g}")
    for name, words in (
        ("lift_kept", "steps that keep their height"),
        ("seam_visibility", "seams seen, 0.5 is chance"),
    ):
        if found[name] is not None:
            print(f"{words:{wide}}  {'':>10}  {found[name]:10.3f}")
    if found["errors"]:
        print(f"{'frames of the capture bridged':{wide}}  {'':>10}  {found['errors']:10d}")
