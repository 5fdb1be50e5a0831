"""The matrix in hand: which clips are compared and how, its costs at every scale, its minima, its threshold."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.history import EDITS, PARTS, Part, carry_out
from motiongraph.app.library import Entry
from motiongraph.errors import MotionError
from motiongraph.metric.metric import Metric
from motiongraph.progress import stretch

LARGEST = 150_000_000  # cells that are shown
AT_ONCE = 40_000_000  # cells that are compared without being asked
METHODS = ("neighbours", "partial")
EXPORTS = ("figure", "cells", "numbers", "view")
_PATIENCE = 0.15  # seconds that a choice must last before it is worth comparing
_SHARE = 0.04  # of the cells lie below the threshold at first


@dataclass(frozen=True)
class Search:
    """How minima are found; radius: seconds."""

    method: str = "neighbours"
    radius: float = 8 / 120
    border: bool = False


@dataclass(frozen=True, eq=False)
class Heat:
    """A computed matrix. a, b: the entries compared; matrix: the `DistanceMatrix`; levels: see `overview.pyramid`;
    counts, edges: its histogram; minima: (n,) a, b, cost, the best first, found as `search` says; start_a, start_b:
    the frames of the clips in row and column 0. number: no other one has it; key: what it depends on, see `wanted`."""

    a: Entry
    b: Entry
    matrix: object
    levels: tuple[np.ndarray, ...]
    counts: np.ndarray
    edges: np.ndarray
    minima: np.ndarray
    search: Search
    number: int = 0
    key: object = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.cost.shape

    @property
    def unit(self) -> str:
        return self.matrix.metric.unit

    @property
    def window(self) -> int:
        return self.matrix.window

    @property
    def start_a(self) -> int:
        return self.a.start + self.matrix.first_a

    @property
    def start_b(self) -> int:
        return self.b.start + self.matrix.first_b

    @property
    def highest(self) -> float:
        return float(self.edges[-1])

    def below(self, threshold: float) -> int:
        """How many of the minima cost no more than that."""
        return int(np.searchsorted(self.minima["cost"], np.float32(threshold), side="right"))


@dataclass(eq=False)
class MatrixState:
    """a, b: numbers of the chosen clips, None for those of the tracks A and B; metric, search: how; heat: what was
    computed last, or None; asked: what was asked to be computed last, see `wanted`; problem: why that failed;
    threshold: in `unit`, None before there is any; linked: it is the graph's; cell: the one pointed at, and pair: how
    it is shown; clouds: with its points; picture: a file that the view is to be written to."""

    a: int | None = None
    b: int | None = None
    metric: Metric = field(default_factory=Metric)
    search: Search = Search()
    heat: Heat | None = None
    asked: object = None
    problem: str = ""
    threshold: float | None = None
    unit: str = ""
    linked: bool = True
    clouds: bool = False
    cell: tuple[int, int] | None = None
    pair: object = None
    picture: Path | None = None
    made: int = 0
    _seen: tuple = (None, 0.0)


def chosen(state) -> tuple[Entry | None, Entry | None]:
    """The entries to compare: as chosen, else as the tracks A and B show them; B alone with itself is A with itself."""
    matrix, library = state.matrix, state.library
    a = library.get(matrix.a) or library.get(state.tracks[0].clip)
    b = library.get(matrix.b) or library.get(state.tracks[1].clip) or a
    return a or b, b


def wanted(state):
    """What the chosen comparison depends on: equal to `asked` where nothing has changed; None where there is none."""
    a, b = chosen(state)
    if a is None:
        return None
    return tuple((e.number, e.start, e.stop, id(e.clip.rotations)) for e in (a, b)), state.matrix.metric


def cells(state) -> tuple[int, int]:
    """Rows and columns of the chosen matrix."""
    metric = state.matrix.metric
    window = metric.frames
    return tuple(max(e.stop - max(e.start, e.clip.first) - window(e.clip.fps) + 1, 0) for e in chosen(state))


def common(state) -> bool:
    """Whether matrix and graph have one threshold: linked, in the same unit, and the graph has only one."""
    graph, matrix = state.graphs.graph, state.matrix
    if not matrix.linked or graph is None or matrix.heat is None or graph.metric.unit != matrix.heat.unit:
        return False
    limits = graph.thresholds
    return not limits.pairs and limits.within == limits.between and np.isfinite(limits.within)


def threshold_of(state) -> float:
    """The threshold that is shown."""
    return state.graphs.graph.thresholds.within if common(state) else state.matrix.threshold or 0.0


def highest_threshold(state) -> float:
    """The highest that can be set: the graph knows no candidates above its ceiling."""
    heat = state.matrix.heat
    high = heat.highest if heat else 1.0
    return min(high, state.graphs.graph.candidates.ceiling) if common(state) else high


def need_heat(state) -> Heat:
    if state.matrix.heat is None:
        raise MotionError("there is no matrix yet: open the Matrix panel and choose two clips")
    return state.matrix.heat


# Computing


def _compute(state) -> None:
    matrix = state.matrix
    a, b = chosen(state)
    if a is None:
        raise MotionError("there is no clip to compare: open some")
    matrix.asked, matrix.problem = wanted(state), ""
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
            matrix.threshold, matrix.unit = _first_threshold(found), found.unit
        if search != matrix.search:
            _find_minima(state)

    state.jobs.start("matrix", f"comparing {a.name} with {b.name}" if a is not b else f"comparing {a.name}", work, then)


def compared(a: Entry, b: Entry, metric: Metric, search: Search, progress) -> Heat:
    """Everything the panel shows of a matrix; on a worker."""
    from motiongraph.metric.distance import distance_matrix
    from motiongraph.metric.overview import histogram, pyramid

    found = distance_matrix(a.part, b.part, metric, progress=stretch(progress, 0.0, 0.7))
    levels = pyramid(found.cost, stretch(progress, 0.7, 0.8))
    counts, edges = histogram(found.cost, progress=stretch(progress, 0.8, 0.9))
    progress(0.9, 1.0, "finding minima")
    minima = minima_of(found, search)
    found.alignment(0, 0)  # compiles what pointing at a cell needs
    return Heat(a, b, found, levels, counts, edges, minima, search)


def minima_of(matrix, search: Search) -> np.ndarray:
    """All local minima of a `DistanceMatrix`, the best first."""
    radius = round(search.radius * matrix.fps)
    found = matrix.minima(None, search.method, radius or None, search.border)
    return found[np.isfinite(found["cost"])]


def _find_minima(state) -> None:
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

    state.jobs.start("minima", "finding minima", work, then)


def _first_threshold(heat: Heat) -> float:
    """Where a few cells in a hundred are below it, and a minimum at least."""
    passed = np.cumsum(heat.counts) >= _SHARE * heat.counts.sum()
    threshold = float(heat.edges[1:][int(np.argmax(passed))])
    if len(heat.minima):
        threshold = max(threshold, 1.05 * float(heat.minima["cost"][0]))
    return float(f"{threshold:.2g}")


# Commands


@apply.register
def _(command: do.ChooseMatrix, state):
    for number in (command.a, command.b):
        if number is not None:
            _ = state.library[number]  # raises where it is not there
    state.matrix.a, state.matrix.b = command.a, command.b


@apply.register
def _(command: do.SwapMatrix, state):
    a, b = chosen(state)
    if a is not None:
        state.matrix.a, state.matrix.b = b.number, a.number


@apply.register
def _(command: do.Compare, state):
    _compute(state)


@apply.register
def _(command: do.WatchMatrix, state):
    matrix, now = state.matrix, wanted(state)
    heat = matrix.heat
    if heat is not None and not all(e.number in state.library.entries for e in (heat.a, heat.b)):
        matrix.heat = None
        apply(do.PointAtCell(None), state)
    if now != matrix._seen[0]:
        matrix._seen = now, state.clock
    n, m = cells(state) if now else (0, 0)
    still = state.inline or state.clock - matrix._seen[1] >= _PATIENCE
    if now is not None and now != matrix.asked and still and n * m <= AT_ONCE and state.ready:
        _compute(state)


@apply.register
def _(command: do.SetMetric, state):
    if command.name not in Metric.__dataclass_fields__:
        raise MotionError(f"a metric has no {command.name!r}")
    state.matrix.metric = replace(state.matrix.metric, **{command.name: command.value})


@apply.register
def _(command: do.SetMinima, state):
    if command.name == "method" and command.value not in METHODS:
        raise MotionError(f"minima are found by {' or '.join(METHODS)}, not {command.value!r}")
    if command.name not in Search.__dataclass_fields__:
        raise MotionError(f"the search for minima has no {command.name!r}")
    value = min(max(float(command.value), 0.0), 10.0) if command.name == "radius" else command.value
    state.matrix.search = replace(state.matrix.search, **{command.name: value})
    if state.matrix.heat is not None and state.matrix.heat.search != state.matrix.search:
        _find_minima(state)


@apply.register
def _(command: do.SetMatrixThreshold, state):
    if not np.isfinite(command.cost):
        raise MotionError("a threshold is a cost from 0 up")
    cost = min(max(float(command.cost), 0.0), highest_threshold(state))
    state.matrix.threshold = cost
    if common(state) and cost != state.graphs.graph.thresholds.within:
        carry_out(do.SetThreshold(cost), state)


@apply.register
def _(command: do.SetMatrixOption, state):
    if command.name not in ("linked", "clouds"):
        raise MotionError(f"the matrix has no option {command.name!r}")
    if command.name == "linked" and not command.value and common(state):
        state.matrix.threshold = threshold_of(state)  # goes on from where it was
    setattr(state.matrix, command.name, bool(command.value))


@apply.register
def _(command: do.ExportMatrix, state):
    heat, path, threshold = need_heat(state), Path(command.path), threshold_of(state)
    if command.kind not in EXPORTS:
        raise MotionError(f"a matrix is exported as {', '.join(EXPORTS)}, not {command.kind!r}")
    if command.kind == "view":
        if path.suffix.lower() != ".png":
            raise MotionError(f"{path}: the view is written as .png")
        state.matrix.picture = path
        state.wishes.screenshots.append((path, True))
        return
    search = heat.search
    how = {"method": search.method, "border": search.border}
    how["radius"] = round(search.radius * heat.matrix.fps) or None

    def work(progress, deliver):
        progress(0, 1, path.name)
        if command.kind == "numbers":
            heat.matrix.save_numbers(path, threshold, **how)
        else:
            heat.matrix.save_image(path, threshold, annotated=command.kind == "figure", **how)
        deliver(path)

    then = lambda done: state.say(f"matrix in {done}")  # noqa: E731
    state.jobs.start(f"export {path}", f"writing {path.name}", work, then, needed=True)


# Taking the threshold back, where it is the matrix's own


def _read(state, _):
    return None if common(state) else (state.matrix.threshold, state.matrix.unit)


def _write(state, _, value):
    if common(state) or state.matrix.unit != value[1]:
        raise MotionError("the threshold of that edit is no longer in use")
    state.matrix.threshold = value[0]


PARTS["matrix"] = Part(_read, _write)
EDITS[do.SetMatrixThreshold] = "matrix", lambda command, state: "matrix", "threshold"
