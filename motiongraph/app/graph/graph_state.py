"""The current graph: what it was built from, the view at its threshold, and what is pointed at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import Part, command, edit
from motiongraph.app.graph.lanes import Drawn, Filter, Lanes, Options
from motiongraph.app.jobs import Job, JobKind
from motiongraph.app.library.entries import Entry
from motiongraph.app.scene.cast import Pair
from motiongraph.errors import MotionError
from motiongraph.graph.coverage import coverage
from motiongraph.graph.overview import Overview
from motiongraph.graph.thresholds import Thresholds, automatic
from motiongraph.metric.metric import Metric

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.model.clip import Clip

    Saved = tuple[Thresholds, bool, int, str]  # limits, whether they are automatic, of which graph, their unit


_FRAMES_COVERED = 200_000  # of a graph whose coverage is worked out unasked
_LEGIBLE = 15  # clips up to which lanes can be read; more are shown as an overview first


@dataclass(eq=False)
class GraphState:
    """The graph, and how it is built and seen."""

    graph: MotionGraph | None = None  # a pruned view at the present threshold
    report: dict = field(default_factory=dict)  # its figures
    drawn: Drawn | None = None  # what is needed to show it
    options: Options = field(default_factory=Options)  # for building
    made_with: Options = field(default_factory=Options)  # those this graph was built with
    curve: np.ndarray | None = None  # what the threshold trades, see `MotionGraph.trade_off`; None until it is known
    automatic: float | None = None  # the automatic threshold, None until it is known
    trial: Job | None = None  # the job that finds these two, also once it is over
    covered: tuple[int, dict] | None = None  # version at which it was measured what can be reached, and `coverage`
    filter: Filter = field(default_factory=Filter)  # what of the graph is drawn
    span: tuple[float, float, float, float] | None = None  # the part of the lanes that is seen, None for all
    overview: bool = False  # which clips lead to which is shown instead of the lanes
    rows: tuple[int, ...] = ()  # a row of the overview, or both of a cell, to which the lanes are narrowed down
    pointed: int | None = None  # the transition shown in the scene
    pair: Pair | None = None  # how it is shown
    waiting: dict[str, Callable[[MotionGraph], None]] = field(default_factory=dict)  # see `when_built`
    measured: tuple[MotionGraph | None, dict] = (None, {})  # a graph and how good motion made on it is, see `assess`
    version: int = 0  # grows with every change
    built: int = 0  # grows with every new table of candidates
    _lanes: Lanes | None = None
    _cells: tuple[int, Overview] | None = None
    _stale: tuple[tuple | None, str] = (None, "")

    @property
    def entries(self) -> tuple[Entry, ...]:
        """One for each of the graph's clips, in their order, for drawing poses of them: not in the library, `number` is
        that of the entry the clip is from, also for its mirror image."""
        return self.drawn.entries if self.drawn else ()

    @property
    def lanes(self) -> Lanes | None:
        """All of them, or those that `isolate` left."""
        return self._lanes or (self.drawn.lanes if self.drawn else None)

    def isolate(self, rows: tuple[int, ...]) -> None:
        """Narrow the lanes down to a row of the overview, or to the two of a cell; (): to none."""
        self.rows, self.span, self._lanes = rows, None, None
        if rows and self.graph is not None and self.drawn is not None:
            self._lanes = self.drawn.lanes.isolated(self.graph, rows)

    def cells(self) -> Overview:
        """The overview of the graph as it is seen."""
        assert self.graph is not None
        if self._cells is None or self._cells[0] != self.version:
            self._cells = self.version, Overview.of(self.graph, self.drawn.clusters if self.drawn else None)
        return self._cells[1]

    def file_frame(self, clip: int, frame: int) -> int:
        """The frame of its file that a clip's frame is."""
        return 0 if self.graph is None else round(self.graph.clips[clip].file_frame(frame))

    def see(self, graph: MotionGraph | None) -> None:
        """Show another view of the same candidates."""
        self.graph = graph
        self.report = graph.report() if graph is not None else {}
        self.version += 1

    def take(self, graph: MotionGraph | None, drawn: Drawn | None = None, made_with: Options | None = None) -> None:
        """Another graph, or none."""
        self.drawn = drawn or None
        if graph is not None:
            self.made_with = made_with or _options_of(graph)
            self.options = self.made_with if made_with is None else self.options
        self.curve = self.automatic = self.trial = self.covered = self.pointed = self.pair = None
        self.built += 1
        if graph is not None and (self.graph is None or len(graph.clips) != len(self.graph.clips)):
            self.overview = len(graph.candidates.originals) > _LEGIBLE
        self.isolate(())
        self.see(graph)

    @property
    def warnings(self) -> list[str]:
        """What to know before walking: clips left out or alone, labels that are lost."""
        return [*(self.drawn.left_out if self.drawn else ()), *self.report.get("warnings", ())]


def _options_of(graph: MotionGraph) -> Options:
    """Those that a graph from a file was built with."""
    resampled = any(_is_resampled(clip) for clip in graph.candidates.originals)
    c = graph.candidates
    bones = tuple(c.bones.items())
    return Options(c.mirror, graph.fps if resampled else None, graph.metric, bones, c.rules)


def _is_resampled(clip: Clip) -> bool:
    """Whether its captured frames are not so many frames of the file."""
    frames = clip.file_frames
    return frames is not None and len(clip) - clip.first > 1 and bool(np.any(np.diff(frames[clip.first :]) != 1.0))


def taking_part(state: AppState) -> list[Entry]:
    """The ticked clips, without what was made here."""
    return state.library.taking_part


def need_graph(state: AppState) -> MotionGraph:
    """The graph, or a sentence that says what to do."""
    if state.graph.graph is None:
        raise MotionError("there is no graph yet: tick clips in the library and build one")
    return state.graph.graph


def being_built(state: AppState) -> bool:
    """Whether a graph is on its way."""
    return state.jobs.under_way(JobKind.GRAPH)


def when_built(state: AppState, what: str, then: Callable[[MotionGraph], None]) -> None:
    """Call `then` once the graph that is being built is there; never if none comes. what: "walk", "live" or
    "threshold"; a later call for the same thing takes its place."""
    state.graph.waiting[what] = then


def go_on(state: AppState) -> None:
    """A job that builds or opens a graph is over: go on with what waits for the graph, unless another is on its way."""
    if being_built(state):
        return
    waiting, state.graph.waiting = state.graph.waiting, {}
    if state.graph.graph is not None:
        for then in waiting.values():
            then(state.graph.graph)


def stale(state: AppState) -> str:
    """What has changed in the library since the graph was built, in words; "" where nothing has."""
    graphs = state.graph
    if graphs.graph is None:
        return ""
    key = state.library.version, graphs.built, graphs.options
    if graphs._stale[0] != key:
        graphs._stale = key, _difference(graphs, taking_part(state))
    return graphs._stale[1]


def _difference(graphs: GraphState, entries: list[Entry]) -> str:
    if graphs.drawn is None:
        return ""
    asked = {source.number: (source, labels) for source, labels in graphs.drawn.asked}
    here = {entry.number: entry for entry in entries}
    known = [number for number in here if number in asked]
    trimmed = [n for n in known if not asked[n][0].same(here[n])]
    labelled = [n for n in known if n not in trimmed and asked[n][1] != here[n].clip.labels]
    parts = [
        _many(len(here) - len(known), "to add"),
        _many(len(asked) - len(known) + sum(s is None for s in graphs.drawn.sources), "to remove"),
        _many(len(trimmed), "changed"),
        _many(len(labelled), "labelled anew"),
    ]
    if _kind(graphs.options) != _kind(graphs.made_with):
        parts.append("other options")
    return ", ".join(part for part in parts if part)


def _many(count: int, words: str) -> str:
    return f"{count} clip{'s' if count > 1 else ''} {words}" if count else ""


def _kind(options: Options) -> tuple:
    """What of the options makes another graph; the usual metric is the same whether it is named or not."""
    metric = options.metric or Metric()
    return (
        options.mirror, options.fps, metric.key, metric.search_fps, options.bones, options.rules, options.ceiling
    )  # fmt: skip


def leave_transition(state: AppState) -> None:
    """Point at no transition any more."""
    graphs = state.graph
    if graphs.pair is not None and state.scene.pair is graphs.pair:
        state.scene.pair = None
    graphs.pointed = graphs.pair = None


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
    graph = graph.at(threshold if isinstance(threshold, Thresholds) else Thresholds.automatic(threshold))
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


def quickly_covered(state: AppState) -> bool:
    """Whether coverage may be worked out unasked: it reads every pose, which takes long with a whole database."""
    return need_graph(state).candidates.frames <= _FRAMES_COVERED


@command
class FindCoverage:
    """Work out, beside the loop, what can be reached on the graph as it is now, and what its clips lack."""

    def apply(self, state: AppState) -> None:
        graph, version = state.graph.graph, state.graph.version
        if graph is None:  # it went after the panel had asked
            return

        def work(progress, deliver):
            deliver(coverage(graph, progress=progress))

        def then(found):
            if state.graph.graph is not None:
                state.graph.covered = version, found

        state.graph.covered = version, {}
        state.jobs.start(JobKind.COVERAGE, "trying where the graph leads", work, then, quiet=True)
