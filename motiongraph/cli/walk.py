"""`motiongraph walk`: new motion from a graph, in each of the ways there are to go through one."""

import re
from dataclasses import replace
from enum import StrEnum
from math import radians
from pathlib import Path
from typing import Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.build import Threshold
from motiongraph.cli.console import Force, positive, print_json, printable, progress_bar, refuse_existing, say
from motiongraph.files import writing
from motiongraph.progress import Progress


class Method(StrEnum):
    greedy = "greedy"
    random = "random"
    sequential = "sequential"
    connect = "connect"
    path = "path"
    reach = "reach"


class Planner(StrEnum):
    beam = "beam"
    branch = "branch and bound"


class Blend(StrEnum):
    linear = "linear"
    inertialized = "inertialized"


class Line(StrEnum):
    polyline = "polyline"
    spline = "spline"


def _pair(text: str) -> tuple[float, float]:
    try:
        x, z = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"expected two numbers as in 3,-1.5, found {text!r}.") from None
    return x, z


def _circle(text: str) -> tuple[float, float, float]:
    try:
        x, z, radius = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"expected place and radius as in 2,0.5,0.4, found {text!r}.") from None
    return x, z, radius


def _lengths(text: str) -> float | list[float]:
    """Seconds of all blends, or of each."""
    seconds = [positive(part.strip()) for part in text.split(",")]
    return seconds[0] if len(seconds) == 1 else seconds


def _named(text: str) -> str | tuple[str, int]:
    """A clip or label, or a frame of a clip as in walk:120."""
    found = re.fullmatch(r"(.+):(\d+)", text)
    return (found[1], int(found[2])) if found else text


def _labels(text: str) -> list[tuple[float, str]] | list[str | None]:
    """Labels of the stretches between points, "-" for any; or metres and label as in 0=walk,5.5=run."""
    parts = [part.strip() for part in text.split(",")]
    if all("=" in part for part in parts):
        try:
            return [(float(part.split("=")[0]), part.split("=", 1)[1]) for part in parts]
        except ValueError:
            raise typer.BadParameter(f"expected metres and labels as in 0=walk,5.5=run, found {text!r}.") from None
    return [None if part == "-" else part for part in parts]


# How a path is searched for, and what counts how much in it.
_EFFORT = ("planner", "limit", "expansions", "plan", "keep", "best", "tolerance", "turning")
_WEIGHTS = ("speed", "gamma", "slack", "cost_weight", "equation_9")
_SEARCH = (*_EFFORT, *_WEIGHTS)
# What each way of walking needs, and which of the other options it takes.
_NEEDS = {"sequential": {"order"}, "connect": {"source", "target"}, "path": {"points"}, "reach": {"position"}}
_TAKES = {
    "greedy": {"start", "transitions"},
    "random": {"start", "seconds", "transitions"},
    "sequential": {"order", "stay", "trials", "direct"},
    "connect": {"source", "target", "cheapest"},
    "path": {"points", "labels", "start", "curve", "closed", "obstacles", *_SEARCH},
    "reach": {"position", "facing", "clip", "start", "obstacles", *_SEARCH} - {"turning"},
}
_OPTIONS = {
    "source": "--from",
    "obstacles": "--obstacle",
    "target": "--to",
    "equation_9": "--equation-9",
    "cost_weight": "--cost-weight",
}


def walk(
    source_graph: Annotated[Path, typer.Argument(metavar="MGRAPH", help="Graph to walk in.")],
    method: Annotated[Method, typer.Argument(help="How to find the way.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT", help="Motion to write: .bvh, .amc, .glb or .usda.")
    ],
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same walk.")] = 0,
    start: Annotated[
        str | None, typer.Option(parser=_named, metavar="NAME", help="Clip, label, or clip:frame to begin with.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(parser=positive, metavar="S", help="Length of a random walk.")
    ] = None,
    transitions: Annotated[int | None, typer.Option(min=0, metavar="N", help="Transitions to take at most.")] = None,
    order: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="Clips or labels to cover in this order (sequential).")
    ] = None,
    stay: Annotated[
        float | None, typer.Option(min=0.0, metavar="S", help="Least stay in each of them. (default: 0.5)")
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Try at random this often, instead of the exact answer.")
    ] = None,
    direct: Annotated[
        bool, typer.Option("--direct", metavar="", help="No detours through other clips (sequential).")
    ] = False,
    source: Annotated[
        str | None, typer.Option("--from", parser=_named, metavar="NAME", help="Clip, label or clip:frame to connect.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--to", parser=_named, metavar="NAME", help="What to connect it with.")
    ] = None,
    cheapest: Annotated[
        bool, typer.Option("--cheapest", metavar="", help="The cheapest connection, not the quickest.")
    ] = False,
    points: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Path to follow: a line with x,z in metres, perhaps a label, for each point."),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            parser=_labels,
            metavar="L,…",
            help="Labels on the path: one, one a stretch, or metres=label,…; a+b is both.",
        ),
    ] = None,
    curve: Annotated[Line | None, typer.Option(help="How to join the points. (default: polyline)")] = None,
    closed: Annotated[bool, typer.Option("--closed", metavar="", help="The path returns to its first point.")] = False,
    position: Annotated[str | None, typer.Option(parser=_pair, metavar="X,Z", help="Place to reach.")] = None,
    facing: Annotated[
        float | None, typer.Option(metavar="DEG", help="Degrees to face there; 0 is along z, 90 along x.")
    ] = None,
    clip: Annotated[str | None, typer.Option(metavar="NAME", help="Clip or label to be in there.")] = None,
    planner: Annotated[Planner | None, typer.Option(help="How a path is searched for. (default: beam)")] = None,
    limit: Annotated[
        float | None,
        typer.Option(parser=positive, metavar="S", help="Time to search; the best found by then is taken."),
    ] = None,
    expansions: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="States to expand at most. (default: no limit)")
    ] = None,
    plan: Annotated[
        float | None,
        typer.Option(parser=positive, metavar="S", help="Seconds that branch and bound looks ahead. (default: 3)"),
    ] = None,
    keep: Annotated[
        float | None, typer.Option(parser=positive, metavar="S", help="Seconds of them that it keeps. (default: 1)")
    ] = None,
    best: Annotated[
        int | None, typer.Option(min=1, metavar="R", help="Take one of the R best walks that differ, by --seed.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="X", help="Share by which their error may exceed the best. (default: 0.5)"),
    ] = None,
    turning: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=240.0,
            metavar="DEG/S",
            help="Turn bodies where walks would stray; 0 does not. (default: 120)",
        ),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(parser=positive, metavar="M/S", help="How fast to go along the path. (default: any speed)"),
    ] = None,
    gamma: Annotated[
        float | None, typer.Option(min=0.0, metavar="M/S", help="Least progress along the path. (default: 0.1)")
    ] = None,
    slack: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, metavar="X", help="Share by which progress may differ from what is walked. (default: 0.3)"
        ),
    ] = None,
    cost_weight: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="W", help="Weight of a transition's squared cost. (default: 0.0006)"),
    ] = None,
    equation_9: Annotated[
        bool,
        typer.Option("--equation-9", metavar="", help="Minimise the distance at equal arc length alone (Kovar 2002)."),
    ] = False,
    obstacle: Annotated[
        list[str] | None,
        typer.Option(parser=_circle, metavar="X,Z,R", help="Thing to go around: place and radius; may be repeated."),
    ] = None,
    threshold: Threshold = None,
    pruned: Annotated[
        bool | None,
        typer.Option(
            "--pruned/--all", help="Walk where motion never ends, or everywhere. (default: pruned, if random)"
        ),
    ] = None,
    cleanup: Annotated[bool, typer.Option("--cleanup/--no-cleanup", help="Hold planted feet in place.")] = True,
    blend: Annotated[Blend, typer.Option(help="How two motions pass into each other.")] = Blend.linear,
    register: Annotated[
        bool, typer.Option("--register", metavar="", help="Line two motions up in time before they are blended.")
    ] = False,
    blend_length: Annotated[
        str | None,
        typer.Option(
            parser=_lengths, metavar="S,…", help="Seconds of blends: one for all, or one each. (default: the window)"
        ),
    ] = None,
    bend: Annotated[
        float,
        typer.Option(min=0.0, max=0.3, metavar="X", help="Bend steps towards the path, by so much of their length."),
    ] = 0.0,
    log: Annotated[Path | None, typer.Option(metavar="TXT", help="Also write which pieces were played.")] = None,
    json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Make new motion: walk through a graph and write what was walked.

    greedy takes cheap transitions, random wanders, sequential covers an order of clips or labels, connect finds the way
    from one to another, path follows a line on the floor, reach ends at a place.
    """
    given = {
        "start": start, "seconds": seconds, "transitions": transitions, "order": order, "stay": stay, "trials": trials,
        "direct": direct or None,
        "source": source, "target": target, "cheapest": cheapest or None, "points": points, "labels": labels,
        "curve": curve, "closed": closed or None, "position": position, "facing": facing, "clip": clip,
        "planner": planner, "limit": limit, "expansions": expansions, "plan": plan, "keep": keep, "best": best,
        "tolerance": tolerance, "turning": turning, "speed": speed, "gamma": gamma, "slack": slack,
        "cost_weight": cost_weight, "equation_9": equation_9 or None, "obstacles": obstacle or None,
    }  # fmt: skip
    _check(method, {name for name, value in given.items() if value is not None})
    from motiongraph.formats.save import files_written
    from motiongraph.synthesis.bending import as_bent

    refuse_existing([*files_written(output), log], force)
    graph = mg.MotionGraph.load(source_graph)
    if threshold is not None:
        graph = graph.at(threshold)
    if pruned is None:
        pruned = method in (Method.greedy, Method.random) or graph.is_pruned
    graph = graph.pruned(graph.least) if pruned else graph.whole()
    with progress_bar() as progress:
        found = _find(graph, method, given, seed, progress)
        how: dict[str, Any] = {"blend": blend.value, "register": register, "lengths": blend_length, "bend": bend}
        motion = mg.synthesize(found, cleanup=cleanup, name=output.stem, progress=progress, **how)
    if bend:
        found = as_bent(found, motion)
    mg.save(motion, output)
    if log is not None:
        with writing(log, "w", encoding="utf-8") as file:
            file.write(found.log())
    report = {"graph": str(source_graph), "output": str(output), "seed": seed, **found.report()}
    if json:
        print_json(report)
    else:
        _print(report, found)
    if found.note:
        say(f"warning: {found.note}")
    say(f"wrote {output}: {len(motion)} frames, {motion.fps:g} Hz, {motion.duration:.2f} s")


def _check(method: Method, given: set[str]) -> None:
    """Wrong usage: what a method needs and was not given, or was given and does not take."""
    for name in sorted(_NEEDS.get(method, set()) - given):
        raise typer.BadParameter(f"{method} needs {_option(name)}.")
    for name in sorted(given - _TAKES[method]):
        raise typer.BadParameter(f"{method} does not take {_option(name)}.")


def _option(name: str) -> str:
    return _OPTIONS.get(name, f"--{name}")


def _find(graph: "mg.MotionGraph", method: Method, given: dict[str, Any], seed: int, progress: Progress) -> "mg.Walk":
    """The walk that was asked for."""
    given = {name: value for name, value in given.items() if value is not None}
    if method is Method.greedy:
        return mg.greedy_walk(graph, seed, given.get("transitions", 50), start=given.get("start"), progress=progress)
    if method is Method.random:
        return mg.random_walk(graph, rng=seed, progress=progress, **given)
    if method is Method.sequential:
        items = [item.strip() for item in given.pop("order").split(",")]
        way, detours = "trials" if "trials" in given else "exact", not given.pop("direct", False)
        return mg.sequential_walk(graph, items, seed, method=way, detours=detours, progress=progress, **given)
    if method is Method.connect:
        by = "cheapest" if given.pop("cheapest", False) else "quickest"
        return mg.connect(graph, given["source"], given["target"], by, progress=progress)
    asked = {name: given.pop(name) for name in _SEARCH if name in given}
    effort, weights = _effort(asked, seed), _weights(asked)
    if method is Method.path:
        from motiongraph.formats.path_file import read_path

        found = read_path(given.pop("points"))
        given["curve"] = str(given.get("curve") or found.curve or "polyline")
        given["closed"] = bool(given.get("closed") or found.closed)
        if found.labels and "labels" not in given:
            given["labels"] = found.labels if given["closed"] else found.labels[:-1]
        return mg.follow_path(graph, found.points, **given, effort=effort, weights=weights, progress=progress)
    if "facing" in given:
        given["facing"] = radians(given["facing"])
    return mg.reach(graph, **given, effort=effort, weights=weights, progress=progress)


def _effort(asked: dict[str, Any], seed: int) -> "mg.Effort":
    """How hard to search, from the options given."""
    names = {"planner": "method", "limit": "seconds"}
    fields = {names.get(name, name): asked[name] for name in _EFFORT if name in asked}
    if "method" in fields:
        fields["method"] = str(fields["method"])
    return mg.Effort(rng=seed, **fields)


def _weights(asked: dict[str, Any]) -> "mg.Weights":
    """What counts how much, from the options given."""
    weights = mg.Weights.equation_9() if asked.get("equation_9") else mg.Weights()
    names = {"cost_weight": "cost"}
    return replace(weights, **{names.get(n, n): asked[n] for n in _WEIGHTS[:-1] if n in asked})


# name in the report, unit; "unit" stands for that of the costs
_FIGURES = (
    ("seconds", "s"), ("transitions", ""), ("cost_mean", "unit"), ("cost_max", "unit"), ("path_error_mean", "m"),
    ("path_error_worst", "m"), ("path_speed", "m/s"), ("arc_error_mean", "m"), ("facing_along", ""),
    ("turned", "degrees/s"),
    ("labels_held", ""), ("clearance", "m"), ("detour_seconds", "s"),
    ("end_distance", "m"), ("end_turn", "degrees"), ("differs", ""), ("expansions", ""), ("gap", ""),
    ("compute_seconds", "s"),
)  # fmt: skip


def _print(report: dict[str, Any], found: "mg.Walk") -> None:
    """What was walked, step by step, and the figures."""
    typer.echo(printable(found.log()), nl=False)
    for name, unit in _FIGURES:
        value = report.get(name)
        if value is not None:
            number = f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
            typer.echo(f"{name.replace('_', ' '):>16}  {number} {report['unit'] if unit == 'unit' else unit}".rstrip())
