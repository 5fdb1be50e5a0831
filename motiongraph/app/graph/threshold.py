"""The threshold of the graph: set, chosen automatically, undone."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import command, edit
from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.jobs import JobKind
from motiongraph.app.part import Part
from motiongraph.errors import MotionError
from motiongraph.graph.thresholds import automatic

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.graph.thresholds import Thresholds

    Saved = tuple[Thresholds, bool, int, str]  # limits, whether they are automatic, of which graph, their unit


def set_threshold(state: AppState, threshold: Any) -> None:
    """As for `MotionGraph.at`: cm, "auto", or limits by kind of transition."""
    graph, graphs = need_graph(state), state.graph
    state.jobs.call_off(JobKind.THRESHOLD)
    if isinstance(threshold, str) and threshold == "auto":
        if graphs.automatic is None:
            _choose_threshold(state, graph, is_edit=True)
            return
        graph = _automatic(graph, graphs.automatic)
    else:
        graph = graph.at(threshold)
    graphs.see(graph)


def change_threshold(state: AppState, threshold: Any) -> None:
    """Set the threshold so that it can be undone."""
    with edit(state, THRESHOLD, "threshold"):
        set_threshold(state, threshold)


def _automatic(graph: MotionGraph, threshold: Thresholds | float) -> MotionGraph:
    """A graph at the threshold that is known to be the automatic one."""
    graph = graph.at(threshold)
    graph.is_auto = True
    return graph


def _choose_threshold(state: AppState, graph: MotionGraph, is_edit: bool) -> None:
    """The automatic threshold, where it is not known yet; is_edit: and not taking one back."""
    built = state.graph.built

    def work(progress, deliver):
        chosen = _automatic(graph, automatic(graph.candidates, progress))
        chosen.kept  # noqa: B018 - here, beside the loop
        deliver(chosen)

    def then(chosen):
        if state.graph.built == built:
            state.graph.automatic = chosen.thresholds.within
            with edit(state, THRESHOLD, "threshold") if is_edit else nullcontext():
                state.graph.see(chosen)

    state.jobs.start(JobKind.THRESHOLD, "choosing a threshold", work, then)


# What undo keeps


def _read(state: AppState) -> Saved | None:
    graph = state.graph.graph
    return graph and (graph.thresholds, graph.is_auto, state.graph.built, graph.metric.unit)


def _write(state: AppState, value: Saved) -> None:
    (thresholds, is_auto, built, unit), graphs = value, state.graph
    graph = graphs.graph
    if graph is None:
        raise MotionError("the graph of that threshold is no longer there")
    if unit != graph.metric.unit:
        raise MotionError(f"that threshold was one in {unit}, costs of this graph are in {graph.metric.unit}")
    state.jobs.call_off(JobKind.THRESHOLD)
    if is_auto and built != graphs.built and graphs.automatic is None:  # another graph has another one
        _choose_threshold(state, graph, is_edit=False)
    elif is_auto:
        known = None if built == graphs.built else graphs.automatic
        graphs.see(_automatic(graph, thresholds if known is None else known))
    else:
        graphs.see(graph.at(thresholds))


THRESHOLD = Part("threshold", _read, _write)


# Commands


@command(undo=THRESHOLD, edit="threshold")
class SetThreshold:
    """As for `MotionGraph.at`: cm, "auto", or limits by kind of transition."""

    threshold: Any

    def apply(self, state: AppState) -> None:
        need_graph(state)
        if not any(isinstance(later, SetThreshold) for later in state.queue):
            set_threshold(state, self.threshold)  # a slider asks more often than anyone sees: the newest counts


@command
class FindTradeOff:
    """Work out, beside the loop, what every threshold would keep, and the automatic choice."""

    def apply(self, state: AppState) -> None:
        graph, built = need_graph(state), state.graph.built

        def work(progress, deliver):
            curve = graph.trade_off(progress=progress)
            known = graph.thresholds.within if graph.is_auto else None
            deliver((curve, automatic(graph.candidates, progress) if known is None else known))

        def then(result):
            if state.graph.built == built:
                state.graph.curve, state.graph.automatic = result

        state.graph.trial = state.jobs.start(JobKind.TRADE_OFF, "trying thresholds", work, then, quiet=True)
