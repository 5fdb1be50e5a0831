"""The matrix: which clips are compared and how, its costs at every scale, its minima, its threshold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import Part, SavedPart, checked_clip, command
from motiongraph.app.graph.graph_state import change_threshold
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Entry
from motiongraph.app.matrix.heat import METHODS, Heat, Search, compared, first_threshold, minima_of
from motiongraph.app.matrix.metric_choice import with_field
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_flag, checked_number
from motiongraph.graph.stored import checked_metric, metric_to_plain
from motiongraph.metric.metric import Metric

if TYPE_CHECKING:
    from motiongraph.app.scene.cast import Pair
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph

LARGEST = 150_000_000  # cells that are shown
AT_ONCE = 40_000_000  # cells that are compared without being asked
_PATIENCE = 0.15  # seconds that a choice must last before it is worth comparing


@dataclass(eq=False)
class MatrixState:
    """Which clips are compared and how, and the matrix that came out."""

    a: int | None = None  # number of a clip, None for that of track A
    b: int | None = None  # number of a clip, None for that of track B
    metric: Metric = field(default_factory=Metric)
    search: Search = field(default_factory=Search)
    heat: Heat | None = None  # what was computed last
    asked: Hashable = None  # the comparison that was started last, see `comparison`
    problem: str = ""  # why that failed
    threshold: float | None = None  # in `unit`, None before there is any
    unit: str = ""
    linked: bool = True  # the threshold is the graph's
    cell: tuple[int, int] | None = None  # the cell pointed at
    pair: Pair | None = None  # how it is shown in the scene
    clouds: bool = False  # it is shown with the points that are compared
    cut: bool = False  # the darkest grey is for the 99th percentile, so that outliers do not leave the rest white
    picture: Path | None = None  # a file that the view is to be written to
    made: int = 0  # matrices so far
    _seen: tuple[Hashable, float] = (None, 0.0)  # the comparison chosen, and since when


def chosen(state: AppState) -> tuple[Entry, Entry] | None:
    """The entries to compare: as chosen, else as the tracks A and B show them; where there is only one, with itself."""
    matrix, library = state.matrix, state.library
    a = library.get(matrix.a) or library.get(state.tracks[0].clip)
    b = library.get(matrix.b) or library.get(state.tracks[1].clip) or a
    return None if b is None else (a or b, b)


def comparison(state: AppState) -> Hashable:
    """What the chosen comparison depends on: equal to `asked` where nothing has changed; None where there is none."""
    both = chosen(state)
    if both is None:
        return None
    return tuple((e.number, e.start, e.stop, id(e.clip.rotations)) for e in both), state.matrix.metric


def cells(state: AppState) -> tuple[int, int]:
    """Rows and columns of the chosen matrix."""
    both = chosen(state)
    return (0, 0) if both is None else (_windows(state, both[0]), _windows(state, both[1]))


def _windows(state: AppState, entry: Entry) -> int:
    captured = entry.stop - max(entry.start, entry.clip.first)
    return max(captured - state.matrix.metric.frames(entry.clip.fps) + 1, 0)


def linked_graph(state: AppState) -> MotionGraph | None:
    """The graph whose threshold is the matrix's too: they are linked, in the same unit, and the graph has only one."""
    graph, matrix = state.graph.graph, state.matrix
    if not matrix.linked or graph is None or matrix.heat is None or graph.metric.unit != matrix.heat.unit:
        return None
    limits = graph.thresholds
    one = not limits.pairs and limits.within == limits.between and np.isfinite(limits.within)
    return graph if one else None


def common(state: AppState) -> bool:
    """Whether matrix and graph have one threshold."""
    return linked_graph(state) is not None


def threshold_of(state: AppState) -> float:
    """The threshold that is shown."""
    graph = linked_graph(state)
    return graph.thresholds.within if graph is not None else state.matrix.threshold or 0.0


def highest_threshold(state: AppState) -> float:
    """The highest that can be set: the graph knows no candidates above its ceiling."""
    heat = state.matrix.heat
    high = heat.highest if heat else 1.0
    graph = linked_graph(state)
    return high if graph is None else min(high, graph.candidates.ceiling)


def need_heat(state: AppState) -> Heat:
    if state.matrix.heat is None:
        raise MotionError("there is no matrix yet: open the Matrix panel and choose two clips")
    return state.matrix.heat


# Computing


def _compute(state: AppState) -> None:
    matrix = state.matrix
    both = chosen(state)
    if both is None:
        raise MotionError("there is no clip to compare: open some")
    a, b = both
    matrix.asked, matrix.problem = comparison(state), ""
    n, m = cells(state)
    if n * m > LARGEST:
        matrix.problem = (
            f"{a.name} and {b.name} make a matrix of {n:,} × {m:,} cells, more than can be shown: "
            "trim one of them, or choose shorter ones"
        )
        return
    metric, search, asked = matrix.metric, matrix.search, matrix.asked

    def work(progress, deliver):
        try:
            deliver(compared(a, b, metric, search, progress))
        except MotionError as problem:
            deliver(str(problem))

    def then(found):
        if matrix.asked != asked or not all(e.number in state.library.entries for e in (a, b)):
            return  # something else was chosen, or a clip is gone
        if isinstance(found, str):
            matrix.problem, matrix.heat = found, None
            return
        matrix.made += 1
        matrix.heat, matrix.cell = replace(found, number=matrix.made, key=asked), None
        if matrix.threshold is None or matrix.unit != found.unit:
            matrix.threshold, matrix.unit = first_threshold(found), found.unit
        if search != matrix.search:
            _find_minima(state)

    title = f"comparing {a.name} with {b.name}" if a is not b else f"comparing {a.name}"
    state.jobs.start(JobKind.MATRIX, title, work, then)


def _find_minima(state: AppState) -> None:
    """Only the minima anew."""
    matrix = state.matrix
    heat, search = matrix.heat, matrix.search
    if heat is None:
        return

    def work(progress, deliver):
        progress(0, 1, "")
        deliver(minima_of(heat.matrix, search))

    def then(found):
        if matrix.heat is heat:
            matrix.heat = replace(heat, minima=found, search=search)

    state.jobs.start(JobKind.MINIMA, "finding minima", work, then)


def leave_cell(state: AppState) -> None:
    """Point at no cell any more."""
    matrix = state.matrix
    if matrix.pair is not None and state.scene.pair is matrix.pair:
        state.scene.pair = None
    matrix.cell = matrix.pair = None


def _searching(search: Search, name: str, value: Any) -> Search:
    """A search for minima with one of its fields changed."""
    if name == "method" and value not in METHODS:
        raise MotionError(f"minima are found by {' or '.join(METHODS)}, not {value!r:.40}")
    if name not in {f.name for f in fields(Search)}:
        raise MotionError(f"the search for minima has no {name!r}")
    return replace(search, **{name: min(max(float(value), 0.0), 10.0) if name == "radius" else value})


# What undo keeps: the threshold, where it is the matrix's own


def _read_threshold(state: AppState) -> tuple[float | None, str] | None:
    return None if common(state) else (state.matrix.threshold, state.matrix.unit)


def _write_threshold(state: AppState, value: tuple[float | None, str]) -> None:
    if common(state) or state.matrix.unit != value[1]:
        raise MotionError("the threshold of that edit is no longer in use")
    state.matrix.threshold = value[0]


MATRIX_THRESHOLD = Part("matrix threshold", _read_threshold, _write_threshold)


# What projects keep: everything that is chosen


@dataclass(frozen=True)
class Choices:
    """The fields of `MatrixState` that are saved."""

    metric: Metric
    search: Search
    a: int | None
    b: int | None
    threshold: float | None
    unit: str
    linked: bool
    clouds: bool
    cut: bool = False


def _read(state: AppState) -> Choices:
    return Choices(**{f.name: getattr(state.matrix, f.name) for f in fields(Choices)})


def _write(state: AppState, value: Choices) -> None:
    matrix = state.matrix
    leave_cell(state)
    matrix.heat, matrix.asked, matrix.problem = None, None, ""
    for f in fields(Choices):
        setattr(matrix, f.name, getattr(value, f.name))


def _to_plain(value: Choices) -> tuple[dict, dict]:
    plain = {f.name: getattr(value, f.name) for f in fields(Choices)}
    return {"matrix": plain | {"metric": metric_to_plain(value.metric), "search": asdict(value.search)}}, {}


def _from_plain(saved: Record, state: AppState) -> Choices:
    matrix, search = saved.record("matrix"), Search()
    for name, value in matrix.record("search").values.items():
        value = checked_number(value, name) if name == "radius" else value
        search = _searching(search, name, checked_flag(value, name) if name == "border" else value)
    a, b = (checked_clip(matrix.get(name), state) for name in ("a", "b"))
    threshold = None if matrix.get("threshold") is None else matrix.number("threshold", 0.0)
    flags = matrix.flag("linked"), matrix.flag("clouds")
    flags += (matrix.flag("cut") if "cut" in matrix.values else False,)
    return Choices(checked_metric(matrix.get("metric")), search, a, b, threshold, matrix.word("unit"), *flags)


MATRIX = SavedPart(
    "matrix", _read, _write, to_plain=_to_plain, from_plain=_from_plain, optional="matrix", is_work=False
)


# Commands. Cells are (row, column) of the matrix.


@command
class ChooseMatrix:
    """The clips to compare, by number; None for the one that track A, or B, shows."""

    a: int | None = None
    b: int | None = None

    def apply(self, state: AppState) -> None:
        for number in (self.a, self.b):
            if number is not None:
                _ = state.library[number]  # raises where it is not there
        state.matrix.a, state.matrix.b = self.a, self.b


@command
class SwapMatrix:
    """Exchange rows and columns."""

    def apply(self, state: AppState) -> None:
        both = chosen(state)
        if both is not None:
            state.matrix.a, state.matrix.b = both[1].number, both[0].number


@command
class Compare:
    """Compute the matrix of the chosen clips, however large."""

    def apply(self, state: AppState) -> None:
        _compute(state)


@command
class WatchMatrix:
    """The matrix is looked at in this frame: compare what was chosen, as soon as it stays the same for a moment."""

    def apply(self, state: AppState) -> None:
        matrix, now = state.matrix, comparison(state)
        heat = matrix.heat
        if heat is not None and not all(e.number in state.library.entries for e in (heat.a, heat.b)):
            matrix.heat = None
            leave_cell(state)
        if now != matrix._seen[0]:
            matrix._seen = now, state.clock
        n, m = cells(state) if now else (0, 0)
        still = state.inline or state.clock - matrix._seen[1] >= _PATIENCE
        if now is not None and now != matrix.asked and still and n * m <= AT_ONCE and state.ready:
            _compute(state)


@command
class SetMetric:
    """One field of the matrix's `Metric`, by name."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        state.matrix.metric = with_field(state.matrix.metric, self.name, self.value)


@command
class SetMinima:
    """method, radius or border: how local minima are found; see `DistanceMatrix.minima`. radius: seconds."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        state.matrix.search = _searching(state.matrix.search, self.name, self.value)
        if state.matrix.heat is not None and state.matrix.heat.search != state.matrix.search:
            _find_minima(state)


@command(undo=MATRIX_THRESHOLD, edit="threshold")
class SetMatrixThreshold:
    """In the matrix's unit; the graph's too, where the two are linked."""

    cost: float

    def apply(self, state: AppState) -> None:
        if not np.isfinite(self.cost):
            raise MotionError("a threshold is a cost from 0 up")
        cost = min(max(float(self.cost), 0.0), highest_threshold(state))
        state.matrix.threshold = cost
        graph = linked_graph(state)
        if graph is not None and cost != graph.thresholds.within:
            change_threshold(state, cost)


@command
class SetMatrixOption:
    """linked: the threshold is the graph's; clouds: cells show the points that are compared; cut: outliers."""

    name: str
    value: bool

    def apply(self, state: AppState) -> None:
        if self.name not in ("linked", "clouds", "cut"):
            raise MotionError(f"the matrix has no option {self.name!r}")
        if self.name == "linked" and not self.value and common(state):
            state.matrix.threshold = threshold_of(state)  # goes on from where it was
        setattr(state.matrix, self.name, bool(self.value))
