"""What a cell of the matrix stands for: two poses aligned, the transition there, the loop it closes. Exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import command
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Entry, prepare
from motiongraph.app.matrix.comparison import leave_cell, need_heat, threshold_of
from motiongraph.app.matrix.heat import Heat
from motiongraph.app.scene.cast import Pair
from motiongraph.app.walk.results import show_walk, transition_walk_of
from motiongraph.errors import MotionError
from motiongraph.graph.structure import TRANSITION
from motiongraph.model.placement import inverse
from motiongraph.walks.walk import STEP, Walk

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.model.clip import Clip
    from motiongraph.walks.walk import Walk

Cell = tuple[int, int]  # row and column
EXPORTS = ("figure", "cells", "numbers", "table", "view")
CUT = 99.0  # percentile of the costs that gets the darkest grey where outliers are cut
_LASTS = 8.0  # seconds of looping, at the least
_MOST = 40  # laps


def pair_of(heat: Heat, cell: Cell, clouds: bool = False) -> Pair:
    """The two windows of a cell, for the scene."""
    i, j = cell
    alignment = heat.matrix.alignment(i, j)
    return Pair(
        heat.a,
        heat.start_a + i,
        heat.b,
        heat.start_b + j,
        alignment,
        heat.window,
        clouds=clouds,
        metric=heat.matrix.metric,
    )


def transition_walk(heat: Heat, cell: Cell, clips: tuple[Clip, ...]) -> Walk:
    """A up to the cell, a transition, and on with B; clips: the parts compared, on one skeleton."""
    i, j = _opens(heat, cell)
    (jump,) = _jumps(heat, [(0, i, 1, j, cell, False)])
    return transition_walk_of(heat.matrix, clips, jump)


def loop_walk(heat: Heat, cell: Cell, clips: tuple[Clip, ...]) -> Walk:
    """The loop that a cell closes, played over and over.

    One clip with itself: from the earlier to the later of the two frames and back by a blend (de Chenu 2006, 3.8.3).
    Two clips, which he has not: A up to the cell, B from there to the cheapest minimum that leads back to A before the
    cell, and so on.
    """
    matrix, window = heat.matrix, heat.window
    if matrix.own:
        late, early = sorted(cell, reverse=True)
        cell = late, early
        i, j = _opens(heat, cell)
        if i - j - window < 1:
            raise MotionError(
                f"frames {heat.start_a + early} and {heat.start_a + late} are too near each other for a loop: it takes "
                f"more than the {window} frames of a transition"
            )
        lap = [(0, j + window, i)]
        jumps = [(0, i, 0, j, cell, False)]
    else:
        back = way_back(heat, cell)
        (i, j), (home, away) = _opens(heat, cell), _opens(heat, back)
        lap = [(0, home + window, i), (1, j + window, away)]
        jumps = [(0, i, 1, j, cell, False), (1, away, 0, home, back, True)]
    frames = sum(stop - start + window for _, start, stop in lap)
    laps = min(max(ceil(_LASTS * matrix.fps / frames), 2), _MOST)
    steps, rows = np.array(lap * laps, STEP), _jumps(heat, (jumps * laps)[:-1])
    return Walk(clips, window, matrix.fps, steps, rows, method="loop", metric=matrix.metric)


def way_back(heat: Heat, cell: Cell) -> Cell:
    """The cheapest minimum by which B leads back to A before the cell."""
    i, j = cell
    minima = heat.minima
    leads = (minima["a"] + heat.window <= i) & (minima["b"] >= j + heat.window)
    found = minima[leads]
    if not len(found):
        raise MotionError(
            f"no minimum leads from {heat.b.name} after frame {heat.start_b + j} back to {heat.a.name} before frame "
            f"{heat.start_a + i}: a loop needs one to the upper right of the cell"
        )
    return int(found["a"][0]), int(found["b"][0])


def _opens(heat: Heat, cell: Cell) -> Cell:
    """Where the two windows of a cell open, frames of the parts compared."""
    return cell[0] + heat.matrix.first_a, cell[1] + heat.matrix.first_b


def _jumps(heat: Heat, jumps: Sequence[tuple]) -> np.ndarray:
    """Rows of TRANSITION; jumps: (src, frame, dst, frame, cell, whether B leads to A)."""
    rows = np.zeros(len(jumps), TRANSITION)
    for row, (src, at, dst, to, (i, j), back) in zip(rows, jumps):
        alignment = heat.matrix.alignment(i, j)
        if back:
            alignment = inverse(alignment)
        row["src"], row["src_frame"], row["dst"], row["dst_frame"] = src, at, dst, to
        row["cost"] = heat.matrix.cost[i, j]
        row["theta"], row["x0"], row["z0"] = alignment
    return rows


def _entry(number: int, part: Clip) -> Entry:
    return Entry(number, part, prepare(part), start=part.first, stop=len(part))


def _play(state: AppState, heat: Heat, cell: Cell, find: Callable[[tuple[Clip, ...]], Walk], name: str) -> None:
    """Show what a cell stands for; find: clips → Walk."""
    n, m = heat.shape
    if not (0 <= cell[0] < n and 0 <= cell[1] < m):
        raise MotionError(f"cell {tuple(cell)} lies outside a matrix of {n} × {m}")

    def make(progress):
        a, b = heat.a.part, heat.b.part
        if b.skeleton != a.skeleton:
            b = b.retargeted(a.skeleton)
        entries = _entry(heat.a.number, a), _entry(heat.b.number, b)
        return find((a, b)), entries

    show_walk(state, make, name)


# Commands


@command
class PointAtCell:
    """Show both poses of a cell in the scene, aligned; None: no longer."""

    cell: Cell | None = None

    def apply(self, state: AppState) -> None:
        matrix, cell = state.matrix, self.cell
        if cell is None or matrix.heat is None:  # no longer, or what was pointed at is gone
            leave_cell(state)
            return
        heat = matrix.heat
        n, m = heat.shape
        if not (0 <= cell[0] < n and 0 <= cell[1] < m):
            raise MotionError(f"cell {tuple(cell)} lies outside a matrix of {n} × {m}")
        pair = matrix.pair
        shown = pair is not None and state.scene.pair is pair and pair.a is heat.a and pair.clouds == matrix.clouds
        if not shown or cell != matrix.cell:
            matrix.cell, matrix.pair = (cell[0], cell[1]), pair_of(heat, cell, matrix.clouds)
            state.scene.pair = matrix.pair


@command
class PreviewCell:
    """Play A up to the cell, blend, and go on with B."""

    cell: Cell

    def apply(self, state: AppState) -> None:
        heat = need_heat(state)
        name = f"{heat.a.name} → {heat.b.name}"
        _play(state, heat, self.cell, lambda clips: transition_walk(heat, self.cell, clips), name)


@command
class LoopCell:
    """Play the loop that the cell closes, several times over."""

    cell: Cell

    def apply(self, state: AppState) -> None:
        heat = need_heat(state)
        name = f"loop of {heat.a.name}" if heat.matrix.own else f"loop of {heat.a.name} and {heat.b.name}"
        _play(state, heat, self.cell, lambda clips: loop_walk(heat, self.cell, clips), name)


@command
class ExportMatrix:
    """kind: "figure" (with axes and legend), "cells" (one pixel each), "numbers" (.npz), "table" (.csv, or .dat for
    Gnuplot) or "view" (as on screen)."""

    path: Path
    kind: str = "figure"

    def apply(self, state: AppState) -> None:
        heat, path, threshold = need_heat(state), Path(self.path), threshold_of(state)
        if self.kind not in EXPORTS:
            raise MotionError(f"a matrix is exported as {', '.join(EXPORTS)}, not {self.kind!r}")
        if self.kind == "view":
            if path.suffix.lower() != ".png":
                raise MotionError(f"{path}: the view is written as .png")
            state.matrix.picture = path
            state.window.screenshots.append((path, True))
            return
        search = heat.search
        radius = round(search.radius * heat.matrix.fps) or None
        percentile = CUT if state.matrix.cut else 100.0
        how: dict[str, Any] = {"method": search.method, "border": search.border, "radius": radius}

        def work(progress, deliver):
            progress(0, 1, path.name)
            if self.kind == "numbers":
                heat.matrix.save_numbers(path, threshold, **how)
            elif self.kind == "table":
                heat.matrix.save_table(path)
            else:
                annotated = self.kind == "figure"
                heat.matrix.save_image(path, threshold, annotated=annotated, percentile=percentile, **how)
            deliver(path)

        title = f"writing {path.name}"
        state.jobs.start(JobKind.WRITE, title, work, lambda done: state.say(f"matrix in {done}"), path, needed=True)
