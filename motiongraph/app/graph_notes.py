"""What a project keeps of the graph in hand besides the graph: which clips it was built from, and how it is seen."""

from dataclasses import asdict, fields, replace

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app import snapshot
from motiongraph.app.building import Drawn, Options, Source, drawing, sources_of
from motiongraph.app.commands import apply
from motiongraph.app.lanes import Filter
from motiongraph.model.labels import Labels
from motiongraph.progress import SILENT


def drawn_again(graph, entries, told: dict | None, ready=None, progress=SILENT) -> Drawn | None:
    """What is needed to show a graph from a project; told: what `_tell` said of it, None in old ones; ready: id of a
    clip → what is prepared of it."""
    if graph is None:
        return None
    captured = [entry for entry in entries if not entry.made]
    library = {entry.number: entry for entry in captured}
    if told is None or len(told["sources"]) != len(graph.candidates.originals):
        sources = sources_of(graph, captured)
        held = {source.number for source in sources if source}
        return drawing(graph, [entry for entry in captured if entry.number in held], sources, progress, ready)
    sources = [row and _source(library, *row) for row in told["sources"]]
    drawn = drawing(graph, captured, sources, progress, ready, told["left_out"])
    asked = tuple((_source(library, *row), _labels(library, row[0], spans)) for row, spans in told["asked"])
    return replace(drawn, asked=asked)


def _source(library, number: int, start: int, stop: int, same: bool) -> Source:
    """same: the motion was still that of the entry when this was written."""
    entry = library.get(number)
    return Source(number, entry.clip.root if entry and same else np.empty((0, 3)), start, stop)


def _labels(library, number: int, spans) -> Labels | None:
    """Those that a clip had when the graph was built; None where it is gone, and nobody asks."""
    entry = library.get(number)
    if entry is None:
        return None
    frames, ranges = len(entry.clip), {}
    for word, start, stop in spans:
        ranges.setdefault(word, []).append((min(start, frames), min(stop, frames)))
    return Labels.of(frames, ranges)


def _tell(state):
    graphs = state.graphs
    drawn = graphs.drawn

    def row(source):
        entry = state.library.get(source.number)
        return [source.number, source.start, source.stop, entry is not None and entry.clip.root is source.root]

    told = {
        "sources": [source and row(source) for source in drawn.sources] if drawn else [],
        "asked": [[row(source), labels.spans() if labels else []] for source, labels in drawn.asked] if drawn else [],
        "left_out": drawn.left_out if drawn else (),
        "options": asdict(graphs.options),
        "made_with": asdict(graphs.made_with),
        "filter": asdict(graphs.filter),
        "span": graphs.span,
    }
    return told, {}


def _take(state, plain, arrays):
    graphs = state.graphs
    if plain["sources"] or graphs.graph is None:  # else it is not known, and the graph itself has said what it can
        graphs.options, graphs.made_with = _options(plain["options"]), _options(plain["made_with"])
    graphs.filter = Filter()
    for name in {f.name for f in fields(Filter)} & plain["filter"].keys():
        like = getattr(graphs.filter, name)
        value = plain["filter"][name]
        apply(do.FilterGraph(name, value if name == "labels" else snapshot.fit(value, like, name)), state)
    span = plain["span"]
    apply(do.ShowLanes(span and tuple(snapshot.fit(value, 0.0, "span") for value in span)), state)


def _options(told: dict) -> Options:
    from motiongraph.metric.metric import Metric

    metric = told["metric"] and Metric(**told["metric"])
    fps = told["fps"] and snapshot.fit(told["fps"], 0.0, "fps")
    return Options(snapshot.fit(told["mirror"], True, "mirror"), fps, metric)


snapshot.TOLD["graph"], snapshot.TAKEN["graph"] = _tell, _take
