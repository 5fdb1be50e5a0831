"""Building the graph of the ticked clips, beside the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import Part, command, edit
from motiongraph.app.graph.graph_state import SetThreshold, go_on, leave_transition, taking_part
from motiongraph.app.graph.lanes import Drawn, Options, Source, drawing
from motiongraph.app.jobs import JobKind
from motiongraph.errors import MotionError
from motiongraph.formats.labels_file import read_bones, write_bones
from motiongraph.graph import build
from motiongraph.graph.build import lasting
from motiongraph.graph.rules import Rules
from motiongraph.metric.metric import Metric
from motiongraph.progress import Progress

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph


_EVERY = 4.0  # the ceiling, in the metric's unit, where every cell is taken and nothing else is said


def build_graph(
    state: AppState, mirror: bool | None = None, fps: float | None = None, metric: Metric | None = None
) -> None:
    """Start building; None: options as they are set. What was compared before is not compared again."""
    graphs = state.graph
    options = graphs.options
    options = options if mirror is None else replace(options, mirror=mirror)
    options = options if fps is None else replace(options, fps=fps or None)
    options = graphs.options = options if metric is None else replace(options, metric=metric)
    chosen = taking_part(state)
    if not chosen:
        raise MotionError("no clip is ticked in the library: tick those that are to take part in the graph")
    before, shown = graphs.graph, graphs.entries

    def work(progress: Progress, deliver: Callable[[Any], None]) -> None:
        deliver(built(chosen, options, before, shown, progress))

    def then(result: tuple[MotionGraph, Drawn, str]) -> None:
        (graph, drawn, said), now = result, graphs.graph
        if now is not None and now is not before and lasting(now, graph.candidates):  # it was set in the meantime
            graph = graph.at(now.thresholds)
        leave_transition(state)
        graphs.take(graph, drawn, options)
        if now is not None and now.is_auto and not graph.is_auto:
            state.issue(SetThreshold("auto"))
        for sentence in drawn.left_out:
            state.say(sentence, "warning")
        state.say(f"graph of {len(graph.clips)} clips, {said}; threshold {graph.thresholds} {graph.metric.unit}")

    what = "building" if graphs.graph is None else "updating"
    state.jobs.start(JobKind.GRAPH, f"{what} the graph of {len(chosen)} clips", work, then, after=lambda: go_on(state))


def built(
    entries: list[Entry], options: Options, before: MotionGraph | None, shown: tuple[Entry, ...], progress: Progress
) -> tuple[MotionGraph, Drawn, str]:
    """The graph of entries of the library, what is needed to show it, and a sentence about what was computed; on a
    worker. before: the current graph, whose pairs are not compared again; shown: the entries of its clips."""
    metric = options.metric or Metric()
    parts, how = (
        [entry.part for entry in entries],
        build.Options(
            metric, options.mirror, options.fps, options.ceiling, bones=dict(options.bones), rules=options.rules
        ),
    )
    found = build.build_graph(parts, how, before, progress)
    graph = found.graph.pruned()
    graph.kept  # noqa: B018 - here, beside the loop
    sources = [Source.of(entries[i]) for i in found.sources]
    ready = {id(entry.clip): entry.prepared for entry in shown}
    drawn = drawing(graph, entries, sources, progress, ready, found.sentences)
    pairs, costs = f"{found.total:,} pairs compared", graph.candidates
    if found.compared < found.total:
        pairs = f"{found.compared:,} new pairs of {found.total:,} compared"
    said = f"{pairs}: {len(costs.table):,} candidates up to {costs.max_cost:.3g} {metric.unit}"
    return graph, drawn, said


def drop_graph(state: AppState) -> None:
    """Forget the graph, and stop what is being done for one."""
    state.jobs.call_off(JobKind.GRAPH, JobKind.TRADE_OFF, JobKind.THRESHOLD)
    leave_transition(state)
    state.graph.take(None)


# Commands


@command
class SetGraphOption:
    """One of `Options`, or of its `Rules`, for the next time a graph is built."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        options = state.graph.options
        if self.name in {f.name for f in fields(Rules)}:
            options = replace(options, rules=replace(options.rules, **{self.name: bool(self.value)}))
            # Every cell up to the usual ceiling would be far too many.
            ceiling = _EVERY if options.rules.every_cell else None
            state.graph.options = replace(options, ceiling=ceiling) if self.name == "every_cell" else options
            return
        if self.name not in {f.name for f in fields(Options)}:
            raise MotionError(f"there is no option {self.name!r} of a graph")
        state.graph.options = replace(options, **{self.name: self.value})


def _options_part(_: SetBone, __: AppState) -> Part:
    def write(state: AppState, options: Options) -> None:
        state.graph.options = options

    return Part("graph options", lambda state: state.graph.options, write)


@command(undo=_options_part, edit="bones")
class SetBone:
    """Say which joint of other bodies leads a joint of the graph's body: "" for none, None as it is found."""

    joint: str
    led: str | None

    def apply(self, state: AppState) -> None:
        bones = dict(state.graph.options.bones)
        bones.pop(self.joint, None)
        if self.led is not None:
            bones[self.joint] = self.led
        state.graph.options = replace(state.graph.options, bones=tuple(bones.items()))


@command
class LoadBones:
    """Take corrections of bone maps from a file, as the command line's --map does."""

    path: Path

    def apply(self, state: AppState) -> None:
        bones = tuple(read_bones(self.path).items())
        with edit(state, _options_part(SetBone("", None), state), "bones"):
            state.graph.options = replace(state.graph.options, bones=bones)


@command
class SaveBones:
    """Write the corrections of bone maps into a file for the command line's --map."""

    path: Path

    def apply(self, state: AppState) -> None:
        write_bones(dict(state.graph.options.bones), self.path)
        state.say(f"{len(state.graph.options.bones)} bones are in {self.path}")


@command
class BuildGraph:
    """Compare the ticked clips and find where one can turn into another; what was compared before is not again.

    mirror: their mirror images take part too; fps: at this rate, 0 for their own; metric: how to compare. None: as set
    before (`SetGraphOption`).
    """

    mirror: bool | None = None
    fps: float | None = None
    metric: Metric | None = None

    def apply(self, state: AppState) -> None:
        build_graph(state, self.mirror, self.fps, self.metric)


@command
class DropGraph:
    """Forget the graph."""

    def apply(self, state: AppState) -> None:
        drop_graph(state)
