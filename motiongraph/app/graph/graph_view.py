"""How the graph is seen: filtered, in part, and what of it is shown in the scene. What projects keep of that."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart, command
from motiongraph.app.graph.graph_state import leave_transition, need_graph
from motiongraph.app.graph.lanes import KINDS, Drawn, Filter, Options, Source, drawing, sources_of
from motiongraph.app.library.entries import Entry
from motiongraph.app.scene.cast import Pair
from motiongraph.app.walk.results import show_walk, transition_walk_of
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_flag, checked_rows, checked_whole, checked_word
from motiongraph.graph.stored import checked_metric, checked_rules, metric_to_plain
from motiongraph.model.labels import Labels
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Prepared
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph

Span = tuple[float, float, float, float]  # left and right in seconds, top and bottom in lanes


def filtered(before: Filter, name: str, value: Any) -> Filter:
    """A filter with one of its fields changed."""
    if name not in {f.name for f in fields(Filter)}:
        raise MotionError(f"there is no filter {name!r}")
    if name == "kind" and value not in KINDS:
        raise MotionError(f"transitions are {', '.join(KINDS)}, not {value!r}")
    return replace(before, **{name: frozenset(value) if name == "labels" else value})


def show_lanes(state: AppState, span: Span | None) -> None:
    """See a part of the lanes, moved and cut so that it lies within them; None: all of it."""
    graphs = state.graph
    if graphs.lanes is None or span is None:
        graphs.span = None
        return
    left, right, top, bottom = map(float, span)
    if not all(map(math.isfinite, (left, right, top, bottom))):
        return
    most = graphs.lanes.whole
    left, right = _inside(left, right, most[0], most[1], 0.05)
    top, bottom = _inside(top, bottom, most[2], most[3], 1.0)
    graphs.span = left, right, top, bottom


def _inside(low: float, high: float, least: float, most: float, shortest: float) -> tuple[float, float]:
    """A stretch moved, and cut where it must be, so that it lies in least … most; never shorter than `shortest`."""
    length = min(max(high - low, shortest), most - least)
    low = min(max(low, least), most - length)
    return low, low + length


# Commands


@command
class FilterGraph:
    """What of the graph is drawn, one option of `lanes.Filter`: labels, kind or kept."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        state.graph.filter = filtered(state.graph.filter, self.name, self.value)


@command
class ShowLanes:
    """The part of the lanes that is seen: left and right in seconds, top and bottom in lanes; None: all of it."""

    span: tuple[float, float, float, float] | None = None

    def apply(self, state: AppState) -> None:
        show_lanes(state, self.span)


@command
class ShowOverview:
    """Show which clips lead to which instead of the lanes, or the lanes."""

    shown: bool

    def apply(self, state: AppState) -> None:
        state.graph.overview = self.shown


@command
class IsolateRows:
    """Show the lanes of a row of the overview and what it leads to, or of the two rows of a cell; (): all lanes."""

    rows: tuple[int, ...] = ()

    def apply(self, state: AppState) -> None:
        graph = need_graph(state)
        count = len(graph.candidates.clusters.names)
        if len(self.rows) > 2 or not all(0 <= row < count for row in self.rows):
            raise MotionError(f"the overview has {count} rows; there is no {self.rows}")
        leave_transition(state)
        state.graph.isolate(tuple(self.rows))
        state.graph.overview = False


@command
class PointAtTransition:
    """Show both windows of a transition in the scene, one on the other; None: no longer."""

    transition: int | None = None

    def apply(self, state: AppState) -> None:
        graphs, graph = state.graph, state.graph.graph
        if self.transition is None or graph is None:  # no longer, or what was pointed at is gone
            leave_transition(state)
            return
        row = graph.candidates.table[self.transition]
        a, b = graphs.entries[row["src"]], graphs.entries[row["dst"]]
        alignment = float(row["theta"]), float(row["x0"]), float(row["z0"])
        graphs.pointed = self.transition
        state.scene.pair = graphs.pair = Pair(
            a, int(row["src_frame"]), b, int(row["dst_frame"]), alignment, graph.window
        )


@command
class PreviewTransition:
    """Play up to a transition, through it and on."""

    transition: int

    def apply(self, state: AppState) -> None:
        graph, entries = need_graph(state), state.graph.entries
        row = graph.candidates.table[self.transition]
        walk = transition_walk_of(graph, graph.clips, row)
        name = f"{graph.clips[row['src']].name} → {graph.clips[row['dst']].name}"
        show_walk(state, lambda _: (walk, entries), name, graph)


# What projects keep of a graph besides the graph: which clips it was built from, and how it is seen

Row = list  # number of a clip, first frame, stop, whether the motion was still that of the entry


@dataclass(frozen=True)
class Notes:
    sources: list[Row | None]  # of the originals of the graph
    asked: list[list]  # pairs of a Row and the (word, start, stop) of its labels
    left_out: tuple[str, ...]
    options: Options
    made_with: Options
    filter: Filter
    span: Span | None


def _read(state: AppState) -> Notes:
    graphs = state.graph
    drawn = graphs.drawn

    def row(source: Source) -> Row:
        entry = state.library.get(source.number)
        return [source.number, source.start, source.stop, entry is not None and entry.clip.motion is source.motion]

    sources = [source and row(source) for source in drawn.sources] if drawn else []
    asked = [[row(source), labels.spans() if labels else []] for source, labels in drawn.asked] if drawn else []
    left_out = drawn.left_out if drawn else ()
    return Notes(sources, asked, left_out, graphs.options, graphs.made_with, graphs.filter, graphs.span)


def _write(state: AppState, value: Notes) -> None:
    graphs = state.graph
    if value.sources or graphs.graph is None:  # else it is not known, and the graph itself has said what it can
        graphs.options, graphs.made_with = value.options, value.made_with
    graphs.filter = value.filter
    show_lanes(state, value.span)


def _to_plain(value: Notes) -> tuple[dict, dict]:
    plain = {f.name: getattr(value, f.name) for f in fields(Notes)}
    for name in ("options", "made_with"):
        plain[name] = asdict(replace(plain[name], metric=None)) | {"metric": metric_to_plain(plain[name].metric)}
    return {"graph": plain | {"filter": asdict(value.filter)}}, {}


def _from_plain(saved: Record, state: AppState) -> Notes:
    return notes_from_plain(saved)


def notes_from_plain(saved: Record) -> Notes:
    graph = saved.record("graph")
    sources = [None if row is None else _checked_row(row) for row in graph.rows("sources")]
    asked = []
    for row, spans in graph.rows("asked", 2):
        words = [
            (
                checked_word(word, "a label"),
                checked_whole(a, "a frame", 0, 2**31),
                checked_whole(b, "a frame", 0, 2**31),
            )
            for word, a, b in checked_rows(spans, "labels", 3)
        ]
        asked.append([_checked_row(row), words])
    left_out = tuple(checked_word(sentence, "left_out") for sentence in graph.rows("left_out"))
    options, made_with = _options(graph.record("options")), _options(graph.record("made_with"))
    seen, given = Filter(), graph.record("filter")
    seen = filtered(seen, "kind", given.word("kind", KINDS))
    seen = filtered(seen, "kept", given.flag("kept"))
    seen = filtered(seen, "labels", [checked_word(word, "a label") for word in given.rows("labels")])
    span = None
    if graph.get("span") is not None:
        left, right, top, bottom = graph.numbers("span", 4)
        span = left, right, top, bottom
    return Notes(sources, asked, left_out, options, made_with, seen, span)


def _checked_row(row: Any) -> Row:
    (number, start, stop, same) = checked_rows([row], "a source of the graph", 4)[0]
    for value in (start, stop):
        checked_whole(value, "a frame of the graph", 0, 2**31)
    return [checked_whole(number, "a clip of the graph", -1, 2**31), start, stop, checked_flag(same, "same")]


def _options(saved: Record) -> Options:
    metric = None if saved.get("metric") is None else checked_metric(saved.get("metric"))
    fps = None if saved.get("fps") is None else saved.number("fps", 1e-3, 1e6)
    rows = saved.rows("bones", 2) if "bones" in saved else []
    bones = tuple((checked_word(joint, "a joint"), checked_word(led, "a joint")) for joint, led in rows)
    ceiling = saved.number("ceiling", 0.0) if "ceiling" in saved and saved.has("ceiling") else None
    return Options(saved.flag("mirror"), fps, metric, bones, checked_rules(saved), ceiling)


GRAPH = SavedPart("graph", _read, _write, to_plain=_to_plain, from_plain=_from_plain, optional="graph", is_work=False)


def drawn_again(
    graph: MotionGraph | None,
    entries: tuple[Entry, ...],
    notes: Notes | None,
    ready: dict[int, Prepared] | None = None,
    progress: Progress = SILENT,
) -> Drawn | None:
    """What is needed to show a graph from a project; notes: None in old ones; ready: id of a clip → what is prepared
    of it."""
    if graph is None:
        return None
    captured = [entry for entry in entries if not entry.made]
    library = {entry.number: entry for entry in captured}
    if notes is None or len(notes.sources) != len(graph.candidates.originals):
        sources = sources_of(graph, captured)
        held = {source.number for source in sources if source}
        return drawing(graph, [entry for entry in captured if entry.number in held], sources, progress, ready)
    sources = [None if row is None else _source(library, *row) for row in notes.sources]
    drawn = drawing(graph, captured, sources, progress, ready, notes.left_out)
    asked = tuple((_source(library, *row), _labels(library, row[0], spans)) for row, spans in notes.asked)
    return replace(drawn, asked=asked)


def _source(library: dict[int, Entry], number: int, start: int, stop: int, same: bool) -> Source:
    """same: the motion was still that of the entry when this was written."""
    entry = library.get(number)
    return Source(number, entry.clip.motion if entry and same else np.empty((0, 3)), start, stop)


def _labels(library: dict[int, Entry], number: int, spans: list[tuple[str, int, int]]) -> Labels | None:
    """Those that a clip had when the graph was built; None where it is gone, and nobody asks."""
    entry = library.get(number)
    if entry is None:
        return None
    frames = len(entry.clip)
    ranges: dict[str, list[tuple[int, int]]] = {}
    for word, start, stop in spans:
        ranges.setdefault(word, []).append((min(start, frames), min(stop, frames)))
    return Labels.of(frames, ranges)
