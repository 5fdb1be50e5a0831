"""What a cell of the matrix stands for: two poses aligned, the transition there, the loop it closes."""

from math import ceil

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.library import Entry
from motiongraph.app.matrix import Heat, need_heat
from motiongraph.app.pair import Pair
from motiongraph.app.results import Made, show_made
from motiongraph.errors import MotionError
from motiongraph.progress import stretch

_LEAD = 1.4  # seconds played before and after a transition
_LASTS = 8.0  # seconds of looping, at the least
_MOST = 40  # laps


def pair_of(heat: Heat, cell: tuple[int, int], clouds: bool = False) -> Pair:
    """The two windows of a cell, for the scene."""
    i, j = cell
    alignment = heat.matrix.alignment(i, j)
    return Pair(heat.a, heat.start_a + i, heat.b, heat.start_b + j, alignment, heat.window, clouds=clouds)


def transition_walk(heat: Heat, cell: tuple[int, int], clips):
    """A up to the cell, a transition, and on with B; clips: the parts compared, on one skeleton."""
    i, j = _opens(heat, cell)
    (jump,) = _jumps(heat, [(0, i, 1, j, cell, False)])
    return transition_walk_of(heat.matrix, clips, jump)


def transition_walk_of(source, clips, jump, method: str = "transition"):
    """A little before a transition, the transition (a row of TRANSITION), and a little after it; source: the matrix,
    graph or walk it is from, which knows window, rate and metric."""
    from motiongraph.walks.walk import STEP, Walk

    window, fps = source.window, source.fps
    lead = round(_LEAD * fps)
    (src, at, dst, to) = (int(jump[name]) for name in ("src", "src_frame", "dst", "dst_frame"))
    steps = [
        (src, max(at - lead, clips[src].first), at),
        (dst, to + window, min(to + window + lead, len(clips[dst]))),
    ]
    steps = np.array(steps, STEP)
    return Walk(clips, window, fps, steps, jump.reshape(1), method=method, metric=source.metric)


def loop_walk(heat: Heat, cell: tuple[int, int], clips):
    """The loop that a cell closes, played over and over.

    One clip with itself: from the earlier to the later of the two frames and back by a blend (de Chenu 2006, 3.8.3).
    Two clips, which he has not: A up to the cell, B from there to the cheapest minimum that leads back to A before the
    cell, and so on.
    """
    from motiongraph.walks.walk import STEP, Walk

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


def way_back(heat: Heat, cell: tuple[int, int]) -> tuple[int, int]:
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


def _opens(heat, cell):
    """Where the two windows of a cell open, frames of the parts compared."""
    return cell[0] + heat.matrix.first_a, cell[1] + heat.matrix.first_b


def _jumps(heat, jumps) -> np.ndarray:
    """Rows of TRANSITION; jumps: (src, frame, dst, frame, cell, whether B leads to A)."""
    from motiongraph.graph.transitions import TRANSITION
    from motiongraph.model.placement import inverse

    rows = np.zeros(len(jumps), TRANSITION)
    for row, (src, at, dst, to, (i, j), back) in zip(rows, jumps):
        alignment = heat.matrix.alignment(i, j)
        if back:
            alignment = inverse(alignment)
        row["src"], row["src_frame"], row["dst"], row["dst_frame"] = src, at, dst, to
        row["cost"] = heat.matrix.cost[i, j]
        row["theta"], row["x0"], row["z0"] = alignment
    return rows


def show_walk(state, make, name: str, graph=None) -> None:
    """Make the motion of a walk beside the loop and show it as a preview; make: progress → walk, entries of its clips
    and (offset, ratio) from their frames to those of the files; graph: the one it is from, if any."""

    def work(progress, deliver):
        from motiongraph.app.prepared import prepare
        from motiongraph.synthesis.synthesize import synthesize

        walk, entries, files = make(progress)
        clip = synthesize(walk, name=name, progress=stretch(progress, 0.0, 0.7))
        report = {**walk.report(stretch(progress, 0.7, 0.9)), "files": [list(each) for each in files]}
        made = Made(walk, walk.method, report=report, entries=entries, graph=graph, preview=True)
        deliver((clip, prepare(clip), made))

    state.jobs.start("preview", f"blending {name}", work, lambda made: show_made(state, *made))


def _play(state, heat: Heat, cell, find, name: str) -> None:
    """Show what a cell stands for; find: clips → Walk."""
    n, m = heat.shape
    if not (0 <= cell[0] < n and 0 <= cell[1] < m):
        raise MotionError(f"cell {tuple(cell)} lies outside a matrix of {n} × {m}")

    def make(progress):
        from motiongraph.app.prepared import prepare

        a, b = heat.a.part, heat.b.part
        if b.skeleton != a.skeleton:
            b = b.retargeted(a.skeleton)
        pairs = zip((heat.a, heat.b), (a, b))
        entries = tuple(Entry(e.number, part, prepare(part), start=part.first, stop=len(part)) for e, part in pairs)
        return find((a, b)), entries, ((heat.a.start, 1.0), (heat.b.start, 1.0))

    show_walk(state, make, name)


# Commands


@apply.register
def _(command: do.PointAtCell, state):
    matrix, cell = state.matrix, command.cell
    if cell is None or matrix.heat is None:  # no longer, or what was pointed at is gone
        if matrix.pair is not None and state.scene.pair is matrix.pair:
            state.scene.pair = None
        matrix.cell = matrix.pair = None
        return
    heat = matrix.heat
    n, m = heat.shape
    if not (0 <= cell[0] < n and 0 <= cell[1] < m):
        raise MotionError(f"cell {tuple(cell)} lies outside a matrix of {n} × {m}")
    shown = matrix.pair is not None and state.scene.pair is matrix.pair
    if not shown or cell != matrix.cell or matrix.pair.a is not heat.a or matrix.pair.clouds != matrix.clouds:
        matrix.cell, matrix.pair = tuple(cell), pair_of(heat, cell, matrix.clouds)
        state.scene.pair = matrix.pair


@apply.register
def _(command: do.PreviewCell, state):
    heat = need_heat(state)
    name = f"{heat.a.name} → {heat.b.name}"
    _play(state, heat, command.cell, lambda clips: transition_walk(heat, command.cell, clips), name)


@apply.register
def _(command: do.LoopCell, state):
    heat = need_heat(state)
    name = f"loop of {heat.a.name}" if heat.matrix.own else f"loop of {heat.a.name} and {heat.b.name}"
    _play(state, heat, command.cell, lambda clips: loop_walk(heat, command.cell, clips), name)
