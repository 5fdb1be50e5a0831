"""Building the graph of the ticked clips, beside the loop."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import command
from motiongraph.app.graph.building import Before, Options, build, lasting
from motiongraph.app.graph.graph_state import leave_transition, taking_part
from motiongraph.app.graph.threshold import SetThreshold
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.metric.metric import Metric


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
    before = Before(graphs.graph, graphs.drawn, graphs.made_with)

    def work(progress, deliver):
        deliver(build(chosen, options, before, progress))

    def then(result):
        (graph, drawn, said), now = result, graphs.graph
        if now is not before.graph and lasting(now, graph.candidates):  # the threshold was set in the meantime
            graph = graph.at(now.thresholds)
        leave_transition(state)
        graphs.take(graph, drawn, options)
        if now is not None and now.is_auto and not graph.is_auto:
            state.issue(SetThreshold("auto"))
        for sentence in drawn.left_out:
            state.say(sentence, "warning")
        state.say(f"graph of {len(graph.clips)} clips, {said}; threshold {graph.thresholds} {graph.metric.unit}")

    what = "building" if graphs.graph is None else "updating"
    state.jobs.start("graph", f"{what} the graph of {len(chosen)} clips", work, then)


def drop_graph(state: AppState) -> None:
    """Forget the graph, and stop what is being done for one."""
    state.jobs.call_off("graph", "trade-off", "threshold")
    leave_transition(state)
    state.graph.take(None)


# Commands


@command
class SetGraphOption:
    """One of `building.Options`, for the next time a graph is built: mirror, fps or metric."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        if self.name not in {f.name for f in fields(Options)}:
            raise MotionError(f"there is no option {self.name!r} of a graph")
        state.graph.options = replace(state.graph.options, **{self.name: self.value})


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
