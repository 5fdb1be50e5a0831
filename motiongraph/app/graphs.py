"""The graph in hand: built from the ticked clips beside the loop, seen at the threshold that is set."""

import math
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.building import Before, Drawn, Options, build, drawing, lasting, sources_of
from motiongraph.app.commands import apply
from motiongraph.app.history import EDITS, PARTS, Part, edit
from motiongraph.app.jobs import Job
from motiongraph.app.lanes import KINDS, Filter, Lanes
from motiongraph.app.library import Entry
from motiongraph.app.pair import Pair
from motiongraph.errors import MotionError


@dataclass(eq=False)
class GraphState:
    """graph: a pruned view at the present threshold, or None; report: its figures; drawn: see `building.Drawn`;
    options: for building, and made_with: those this graph was built with; curve: what the threshold trades (see
    `MotionGraph.trade_off`) and automatic: the threshold chosen from it, None until they are known; trial: the job that
    finds them, also once it is over; filter, span: what of the graph is drawn (span None: all); pointed: the
    transition shown in the scene, or None, and pair: how it is shown.
    version grows with every change, built with every new table of candidates."""

    graph: object = None
    report: dict = field(default_factory=dict)
    drawn: Drawn | None = None
    options: Options = field(default_factory=Options)
    made_with: Options = field(default_factory=Options)
    curve: np.ndarray | None = None
    automatic: float | None = None
    trial: Job | None = None
    filter: Filter = field(default_factory=Filter)
    span: tuple[float, float, float, float] | None = None
    pointed: int | None = None
    pair: Pair | None = None
    version: int = 0
    built: int = 0
    _stale: tuple = (None, "")

    @property
    def entries(self) -> tuple[Entry, ...]:
        """One for each of the graph's clips, in their order, for drawing poses of them: not in the library, `number` is
        that of the entry the clip is from, also for its mirror image."""
        return self.drawn.entries if self.drawn else ()

    @property
    def offsets(self) -> tuple[int, ...]:
        """What to add to a clip's frames to have those of its file."""
        return self.drawn.offsets if self.drawn else ()

    @property
    def files(self) -> tuple[tuple[int, float], ...]:
        """(offset, ratio) of each clip: its frame f is frame offset + ratio · f of its file."""
        return tuple(zip(self.drawn.offsets, self.drawn.ratios)) if self.drawn else ()

    @property
    def lanes(self) -> Lanes | None:
        return self.drawn.lanes if self.drawn else None

    def file_frame(self, clip: int, frame: int) -> int:
        """The frame of its file that a clip's frame is."""
        return round(self.drawn.offsets[clip] + self.drawn.ratios[clip] * frame)

    def see(self, graph) -> None:
        """Show another view of the same candidates."""
        self.graph = graph
        self.report = graph.report() if graph is not None else {}
        self.version += 1

    def take(self, graph, drawn: Drawn | None = None, made_with: Options | None = None) -> None:
        """Another graph, or none."""
        self.drawn = drawn or None
        if graph is not None:
            self.made_with = made_with or _options_of(graph, drawn)
            self.options = self.made_with if made_with is None else self.options
        self.curve = self.automatic = self.trial = self.span = self.pointed = self.pair = None
        self.built += 1
        self.see(graph)

    @property
    def warnings(self) -> list[str]:
        """What to know before walking: clips left out or alone, labels that are lost."""
        return [*(self.drawn.left_out if self.drawn else ()), *self.report.get("warnings", ())]


def _options_of(graph, drawn: Drawn) -> Options:
    """Those that a graph from a file was built with."""
    resampled = any(ratio != 1.0 for ratio in drawn.ratios)
    return Options(graph.candidates.mirror, graph.fps if resampled else None, graph.metric)


def drawable(graph, entries) -> Drawn | None:
    """What is needed to show a graph that came from a file; entries: of the library. Takes as long as loading them."""
    if graph is None:
        return None
    sources = sources_of(graph, entries)
    held = {source.number for source in sources if source}
    return drawing(graph, [entry for entry in entries if entry.number in held], sources)


def taking_part(state) -> list[Entry]:
    """The ticked clips, without what was made here."""
    return [entry for entry in state.library if entry.used and not entry.made]


def need_graph(state):
    """The graph, or a sentence that says what to do."""
    if state.graphs.graph is None:
        raise MotionError("there is no graph yet: tick clips in the library and build one")
    return state.graphs.graph


def being_built(state) -> bool:
    """Whether a graph is on its way."""
    return any(job.kind == "graph" and not job.cancelled.is_set() for job in state.jobs.running)


def stale(state) -> str:
    """What has changed in the library since the graph was built, in words; "" where nothing has."""
    graphs = state.graphs
    if graphs.graph is None:
        return ""
    key = state.library.version, graphs.built, graphs.options
    if graphs._stale[0] != key:
        graphs._stale = key, _difference(graphs, taking_part(state))
    return graphs._stale[1]


def _difference(graphs, wanted) -> str:
    asked = {source.number: (source, labels) for source, labels in graphs.drawn.asked}
    here = {entry.number: entry for entry in wanted}
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


def _kind(options: Options):
    """What of the options makes another graph; the usual metric is the same whether it is named or not."""
    from motiongraph.metric.metric import Metric

    metric = options.metric or Metric()
    return options.mirror, options.fps, metric.key, metric.search_fps


# Commands


@apply.register
def _(command: do.SetGraphOption, state):
    if command.name not in {f.name for f in fields(Options)}:
        raise MotionError(f"there is no option {command.name!r} of a graph")
    state.graphs.options = replace(state.graphs.options, **{command.name: command.value})


@apply.register
def _(command: do.BuildGraph, state):
    graphs = state.graphs
    for name in ("mirror", "fps", "metric"):
        value = getattr(command, name)
        if value is not None:
            graphs.options = replace(graphs.options, **{name: value or None if name == "fps" else value})
    chosen = taking_part(state)
    if not chosen:
        raise MotionError("no clip is ticked in the library: tick those that are to take part in the graph")
    options, before = graphs.options, Before(graphs.graph, graphs.drawn, graphs.made_with)

    def work(progress, deliver):
        deliver(build(chosen, options, before, progress))

    def then(result):
        (graph, drawn, said), now = result, graphs.graph
        if now is not before.graph and lasting(now, graph.candidates):  # the threshold was set in the meantime
            graph = graph.at(now.thresholds)
        apply(do.PointAtTransition(), state)
        graphs.take(graph, drawn, options)
        if now is not None and now.is_auto and not graph.is_auto:
            state.issue(do.SetThreshold("auto"))
        for sentence in drawn.left_out:
            state.say(sentence, "warning")
        state.say(f"graph of {len(graph.clips)} clips, {said}; threshold {graph.thresholds} {graph.metric.unit}")

    what = "building" if graphs.graph is None else "updating"
    state.jobs.start("graph", f"{what} the graph of {len(chosen)} clips", work, then)


@apply.register
def _(command: do.FindTradeOff, state):
    graph, built = need_graph(state), state.graphs.built

    def work(progress, deliver):
        from motiongraph.graph.thresholds import automatic

        curve = graph.trade_off(progress=progress)
        known = graph.thresholds.within if graph.is_auto else None
        deliver((curve, automatic(graph.candidates, progress) if known is None else known))

    def then(result):
        if state.graphs.built == built:
            state.graphs.curve, state.graphs.automatic = result

    state.graphs.trial = state.jobs.start("trade-off", "trying thresholds", work, then, quiet=True)


@apply.register
def _(command: do.SetThreshold, state):
    graph, graphs, wanted = need_graph(state), state.graphs, command.threshold
    if any(isinstance(later, do.SetThreshold) for later in state.queue):
        return  # a slider asks more often than anyone sees: the newest of a frame counts
    state.jobs.call_off("threshold")
    if isinstance(wanted, str) and wanted == "auto":
        if graphs.automatic is None:
            _choose_threshold(state, graph, is_edit=True)
            return
        graph = _automatic(graph, graphs.automatic)
    else:
        graph = graph.at(wanted)
    graphs.see(graph)


def _automatic(graph, threshold: float):
    """A graph at the threshold that is known to be the automatic one."""
    graph = graph.at(threshold)
    graph.is_auto = True
    return graph


def _choose_threshold(state, graph, is_edit: bool) -> None:
    """The automatic threshold, where it is not known yet; is_edit: and not taking one back."""
    built = state.graphs.built

    def work(progress, deliver):
        from motiongraph.graph.thresholds import automatic

        chosen = _automatic(graph, automatic(graph.candidates, progress))
        chosen.kept  # noqa: B018 - here, beside the loop
        deliver(chosen)

    def then(chosen):
        if state.graphs.built == built:
            state.graphs.automatic = chosen.thresholds.within
            with edit(state, "threshold", "graph", "threshold") if is_edit else nullcontext():
                state.graphs.see(chosen)

    state.jobs.start("threshold", "choosing a threshold", work, then)


@apply.register
def _(command: do.DropGraph, state):
    state.jobs.call_off("graph", "trade-off", "threshold")
    apply(do.PointAtTransition(), state)
    state.graphs.take(None)


# Taking thresholds back


def _read(state, _):
    graph = state.graphs.graph
    return graph and (graph.thresholds, graph.is_auto, state.graphs.built, graph.metric.unit)


def _write(state, _, value):
    (thresholds, is_auto, built, unit), graphs = value, state.graphs
    graph = graphs.graph
    if graph is None:
        raise MotionError("the graph of that threshold is no longer there")
    if unit != graph.metric.unit:
        raise MotionError(f"that threshold was one in {unit}, costs of this graph are in {graph.metric.unit}")
    state.jobs.call_off("threshold")
    if is_auto and built != graphs.built and graphs.automatic is None:  # another graph has another one
        _choose_threshold(state, graph, is_edit=False)
    elif is_auto:
        graphs.see(_automatic(graph, thresholds if built == graphs.built else graphs.automatic))
    else:
        graphs.see(graph.at(thresholds))


PARTS["threshold"] = Part(_read, _write)
EDITS[do.SetThreshold] = "threshold", lambda command, state: "graph", "threshold"


# What is seen of it


@apply.register
def _(command: do.FilterGraph, state):
    if command.name not in {f.name for f in fields(Filter)}:
        raise MotionError(f"there is no filter {command.name!r}")
    if command.name == "kind" and command.value not in KINDS:
        raise MotionError(f"transitions are {', '.join(KINDS)}, not {command.value!r}")
    value = frozenset(command.value) if command.name == "labels" else command.value
    state.graphs.filter = replace(state.graphs.filter, **{command.name: value})


@apply.register
def _(command: do.ShowLanes, state):
    graphs = state.graphs
    if graphs.lanes is None or command.span is None:
        graphs.span = None
        return
    left, right, top, bottom = map(float, command.span)
    if not all(map(math.isfinite, (left, right, top, bottom))):
        return
    most = graphs.lanes.whole
    left, right = _inside(left, right, most[0], most[1], 0.05)
    top, bottom = _inside(top, bottom, most[2], most[3], 1.0)
    graphs.span = left, right, top, bottom


def _inside(low, high, least, most, shortest) -> tuple[float, float]:
    """A stretch moved, and cut where it must be, so that it lies in least … most; never shorter than `shortest`."""
    length = min(max(high - low, shortest), most - least)
    low = min(max(low, least), most - length)
    return low, low + length


@apply.register
def _(command: do.PointAtTransition, state):
    graphs, graph = state.graphs, state.graphs.graph
    if command.transition is None or graph is None:  # no longer, or what was pointed at is gone
        if graphs.pair is not None and state.scene.pair is graphs.pair:
            state.scene.pair = None
        graphs.pointed = graphs.pair = None
        return
    row = graph.candidates.table[command.transition]
    a, b = graphs.entries[row["src"]], graphs.entries[row["dst"]]
    alignment = float(row["theta"]), float(row["x0"]), float(row["z0"])
    graphs.pointed = command.transition
    state.scene.pair = graphs.pair = Pair(a, int(row["src_frame"]), b, int(row["dst_frame"]), alignment, graph.window)


@apply.register
def _(command: do.PreviewTransition, state):
    from motiongraph.app.cells import show_walk, transition_walk_of

    graph, entries, files = need_graph(state), state.graphs.entries, state.graphs.files
    row = graph.candidates.table[command.transition]
    walk = transition_walk_of(graph, graph.clips, row)
    name = f"{graph.clips[row['src']].name} → {graph.clips[row['dst']].name}"
    show_walk(state, lambda progress: (walk, entries, files), name, graph)
