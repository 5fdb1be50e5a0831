"""Candidates of a block of tape against a block without looking at what lies above the ceiling (see `levels`).

Coarse cells are tried all at once, what goes on is tried in finer ones, and what is left is compared window by window:
in tiles where much of it is left, as in a set of nothing but walks, and down its diagonals where little is. Cells that
do not go on are above the ceiling, so that no minimum below it has a lower neighbour among them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.metric._levels import lowest, refined, surviving, work_down
from motiongraph.metric.levels import LEVELS, Level
from motiongraph.metric.minima import CANDIDATE, FOUND
from motiongraph.metric.propose import as_candidates, doubt, limit
from motiongraph.metric.workspace import workspace

if TYPE_CHECKING:
    from motiongraph.metric.tape import Block

# Cells of A in one matrix product; windows of a tile; the share of a tile's windows from which on it is quicker whole.
_ROWS, _TILE, _MUCH = 128, 256, 0.3
# The share of all windows from which on no finer cells are tried.
_MOST = 0.5


@dataclass
class Kept:
    """How many pairs of windows a search had, what each level kept of them, and what was compared in the end."""

    pairs: int = 0
    levels: list[int] = field(default_factory=lambda: [0] * len(LEVELS))
    compared: int = 0

    def add(self, other: "Kept") -> None:
        self.pairs += other.pairs
        self.levels = [x + y for x, y in zip(self.levels, other.levels)]
        self.compared += other.compared

    def plain(self) -> dict[str, Any]:
        """Pairs of windows, and the shares of them that each level of bounds kept and that were compared one by one."""
        all_ = max(self.pairs, 1)
        return {
            "pairs": self.pairs,
            "share_kept_by_level": [kept / all_ for kept in self.levels],
            "share_compared": self.compared / all_,
        }


def prune(
    a: "Block",
    b: "Block",
    ceiling: float,
    band: int | None,
    whole: Callable[..., np.ndarray],
    tick: Callable[[int], None],
) -> tuple[np.ndarray, Kept]:
    """Candidates of two blocks as `whole` finds those of a rectangle, and what was looked at; band: the least b − a."""
    least, kept, sketched = -(1 << 40) if band is None else band, Kept(a.windows * b.windows), a.bodies.even
    coarse = coarse_pairs(a.levels[0], b.levels[0], least - 2)
    kept.levels = [windows := _windows(coarse, a.levels[0], b.levels[0])] * len(LEVELS)
    rectangles, found = [(1, a.windows + 1, 1, b.windows + 1)], []
    if windows <= _MOST * kept.pairs:
        fine = _finer(coarse, a, b)
        kept.levels[1] = _windows(fine, a.levels[1], b.levels[1])
        rectangles, rest, dense = _split(fine, a, b, _MUCH if sketched else 0.0)
        if not dense.all():
            kept.compared = _windows(rest[~dense], a.levels[1], b.levels[1])
            found.append(_down(a, b, rest, dense, ceiling, least))
    done = sum((a1 - a0) * (b1 - b0) for a0, a1, b0, b1 in rectangles)
    tick(kept.pairs - done)
    found += [whole(rectangle, tick=tick) for rectangle in rectangles]
    kept.compared += done
    return np.concatenate(found) if found else np.empty(0, CANDIDATE if sketched else FOUND), kept


def _windows(cells: np.ndarray, a: Level, b: Level) -> int:
    """Pairs of windows in pairs of cells (n, 2)."""
    return int(np.sum(a.count[cells[:, 0]] * b.count[cells[:, 1]]))


def coarse_pairs(a: Level, b: Level, band: int) -> np.ndarray:
    """(n, 2) the pairs of the coarsest cells that go on."""
    n, high, found = len(b), b.first + b.count - 1, [np.empty((0, 2), np.int32)]
    for i in range(0, len(a), _ROWS):
        rows = min(_ROWS, len(a) - i)
        both = np.concatenate([a.turn[i : i + rows], a.turned[i : i + rows]])
        CS = workspace("level", (2 * rows, n), np.float32)
        W = workspace("bound", (rows, n), np.float32)
        np.matmul(both, b.turn.T, out=CS)
        np.matmul(a.left[i : i + rows], b.right.T, out=W)
        cells = workspace("surviving", (rows * n, 2), np.int32)
        count = surviving(CS[:rows], CS[rows:], W, i, a.first, high, band, cells)
        if count:
            found.append(cells[:count].copy())
    return np.concatenate(found)


def _finer(coarse: np.ndarray, a: "Block", b: "Block") -> np.ndarray:
    """(n, 2) the pairs of the finest cells that go on."""
    (A, A1), (B, B1) = a.levels, b.levels
    begins, begins2 = (np.searchsorted(f.first, np.append(c.first, 1 << 40)) for c, f in ((A, A1), (B, B1)))
    each = np.diff(begins)[coarse[:, 0]] * np.diff(begins2)[coarse[:, 1]]
    found = np.empty((int(each.sum()), 2), np.int32)
    count = refined(coarse, begins, begins2, A1.turn, A1.turned, A1.left, B1.turn, B1.right, found)
    return found[:count]


def _split(
    cells: np.ndarray, a: "Block", b: "Block", much: float
) -> tuple[list[tuple[int, int, int, int]], np.ndarray, np.ndarray]:
    """Rectangles of windows that are quicker whole, the cells (n, 2) of the rest, and which of them (n,) are only
    neighbours of it."""
    A, B = a.levels[1], b.levels[1]
    rows, columns = (-(-x.windows // _TILE) for x in (a, b))
    at = [
        np.clip((level.first - 1) // _TILE, 0, n - 1)[cells[:, k]]
        for k, (level, n) in enumerate(((A, rows), (B, columns)))
    ]
    full = np.bincount(at[0] * columns + at[1], A.count[cells[:, 0]] * B.count[cells[:, 1]], rows * columns)
    full = full.reshape(rows, columns) > much * _TILE * _TILE
    inside = full[at[0], at[1]]
    # The cells along the edges of a tile are neighbours of those of the next.
    edge = np.zeros(len(cells), bool)
    for k, level in enumerate((A, B)):
        first, last = level.first[cells[:, k]] - 1, (level.first + level.count)[cells[:, k]] - 2
        edge |= (first % _TILE == 0) | (last % _TILE == _TILE - 1)
    stays = ~inside | edge
    rectangles = []
    for i in range(rows):
        ends = np.flatnonzero(np.diff(np.concatenate([[False], full[i], [False]]).astype(np.int8)))
        for low, high in ends.reshape(-1, 2).tolist():
            down = 1 + _TILE * i, min(1 + _TILE * (i + 1), a.windows + 1)
            across = 1 + _TILE * low, min(1 + _TILE * high, b.windows + 1)
            if rectangles and rectangles[-1][1] == down[0] and rectangles[-1][2:] == across:
                rectangles[-1] = (rectangles[-1][0], down[1], *across)
            else:
                rectangles.append((*down, *across))
    return rectangles, cells[stays], inside[stays]


def _down(a: "Block", b: "Block", cells: np.ndarray, dense: np.ndarray, ceiling: float, band: int) -> np.ndarray:
    """Candidates among the windows of cells (n, 2), worked down diagonal by diagonal."""
    A, B, one, other, L = a.levels[1], b.levels[1], a.sketch, b.sketch, a.bodies.window
    size = LEVELS[1][0]
    grid = workspace("grid", (len(A), len(B)), np.int32, -1)
    grid[cells[:, 0], cells[:, 1]] = np.arange(len(cells), dtype=np.int32)
    of_a, of_b = doubt(one, other, L), doubt(other, one, L)
    values = np.full((len(cells), size * size), np.inf, np.float32)
    where = cells, size, grid, a.cell_of, b.cell_of, A.first, A.count, B.first, B.count
    work_down(
        *where, one.xz, one.y, other.xz, other.y, np.ascontiguousarray(one.path.T),
        np.ascontiguousarray(other.path.T), L, one.energy - of_a, other.energy - of_b, values,
    )  # fmt: skip
    found = np.empty((len(cells) * size * size, 3), np.int32)
    doubts = [(1.0 + 1e-6) * d.astype(np.float32) for d in (of_a, of_b)]
    most = limit(ceiling, L, L)
    count = lowest(*where, *doubts, values, dense.astype(np.int32), most, band, a.windows, b.windows, found)
    grid[cells[:, 0], cells[:, 1]] = -1
    return as_candidates(found[:count])
