"""The better planner, compiled: many walks side by side along the path, near-equal ones merged.

States are kept by how far along the path they are, in cells of some centimetres. Of the states in a cell that stand in
nearly the same frame at nearly the same place only the cheapest stays, and of the others the `width` best by error so
far plus the bound on what remains (`path_cost.remaining`). So the work grows with the length of the path and not
exponentially, and every walk in a cell has covered the same stretch of path. As in branch and bound, a walk whose error
exceeds that of the best complete one is dropped.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, types

from motiongraph.walks.floor_path import COMPILED, TERRAIN, read
from motiongraph.walks.path_cost import ALONG, ERROR, REALS, ROAD, RULES, THETA, X, Z, remaining, survey

_NEAR = 0.12  # m, a cell of the floor within which states are merged
_TURN = np.pi / 15  # radians, a cell of heading
_TIME = 0.1  # s, a cell of a clip


class Cells(NamedTuple):
    """The states kept, by cell along the path, and the best complete walks."""

    states: np.ndarray  # (cells, width, REALS) see `path_cost`
    value: np.ndarray  # (cells, width) error so far and bound on the rest
    key: np.ndarray  # (cells, width) the same number for states that are merged
    # (cells, width, 3) frame arrived at; state it came from, as cell × width + slot or −1 − start; transition taken
    links: np.ndarray
    filled: np.ndarray  # (cells,) states in each cell
    best: np.ndarray  # (r,) errors of the best complete walks, least first
    ends: np.ndarray  # (r, 2) their last state and last frame
    effort: np.ndarray  # (2,) states expanded; frames and transitions looked at
    limits: np.ndarray  # (cells + 1,) error from which on a state has no place in each cell, and in any
    size: np.ndarray  # (1,) metres of a cell

    @classmethod
    def empty(cls, cells: int, width: int, best: int, size: float) -> "Cells":
        return cls(
            np.empty((cells, width, REALS)),
            np.full((cells, width), np.inf),
            np.full((cells, width), -1),
            np.zeros((cells, width, 3), np.int64),
            np.zeros(cells, np.int64),
            np.full(best, np.inf),
            np.zeros((best, 2), np.int64),
            np.zeros(2, np.int64),
            np.full(cells + 1, np.inf),
            np.array([size]),
        )


_real, _whole = types.float64, types.int64
CELLS = types.NamedTuple(
    (_real[:, :, ::1], _real[:, ::1], _whole[:, ::1], _whole[:, :, ::1], _whole[::1], _real[::1], _whole[:, ::1],
     _whole[::1], _real[::1], _real[::1]), Cells)  # fmt: skip


@njit(types.int64(RULES, _real, _real, _real, types.int64), **COMPILED)
def _key(rules, theta, x, z, frame):
    """One number for all states that are nearly the same."""
    turn = np.int64(np.floor(theta / _TURN)) % 30
    floor_x, floor_z = np.int64(np.floor(x / _NEAR)) & 0xFFFF, np.int64(np.floor(z / _NEAR)) & 0xFFFF
    return (((np.int64(frame / (_TIME * rules.fps)) * 30 + turn) << 16 | floor_x) << 16) | floor_z


@njit(types.void(TERRAIN, ROAD, RULES, CELLS, types.int64, types.int64, _real[::1], types.int64, types.int64),
      **COMPILED)  # fmt: skip
def _place(terrain, road, rules, cells, earliest, frame, state, parent, via):
    """Put a state into its cell, no earlier than cell `earliest`, if it is among the best there."""
    # What has walked beyond the end of the path competes in the last cell.
    last = cells.filled.shape[0] - 1
    where = max(min(np.int64(state[ALONG] / cells.size[0]), last), earliest)
    if where > last:
        return
    value, key, width, count = cells.value[where], cells.key[where], cells.value.shape[1], cells.filled[where]
    if state[ERROR] >= cells.limits[where]:
        return
    a, b = terrain.path[frame, 0], terrain.path[frame, 1]
    c, s = np.cos(state[THETA]), np.sin(state[THETA])
    x, z = state[X] + c * a + s * b, state[Z] - s * a + c * b
    whole = state[ERROR] + remaining(road, rules, state[ALONG], x, z, frame)
    if whole >= cells.limits[where]:
        return
    own, slot = _key(rules, state[THETA], x, z, frame), -1
    for i in range(count):
        if key[i] == own:
            if value[i] <= whole:
                return
            slot = i
            break
    if slot < 0 and count < width:
        slot, cells.filled[where] = count, count + 1
    elif slot < 0:
        slot = value.argmax()
    value[slot], key[slot] = whole, own
    cells.links[where, slot, 0], cells.links[where, slot, 1], cells.links[where, slot, 2] = frame, parent, via
    cells.states[where, slot] = state
    if cells.filled[where] == width:
        cells.limits[where] = min(value.max(), cells.best[-1])


@njit(types.void(CELLS, _real, types.int64, types.int64), **COMPILED)
def _complete(cells, total, state, last):
    """Enter a complete walk among the r best."""
    best, ends = cells.best, cells.ends
    i = best.shape[0] - 1
    while i > 0 and best[i - 1] > total:
        best[i], ends[i, 0], ends[i, 1] = best[i - 1], ends[i - 1, 0], ends[i - 1, 1]
        i -= 1
    best[i], ends[i, 0], ends[i, 1] = total, state, last
    cells.limits[-1] = best[-1]


@njit(types.void(TERRAIN, ROAD, RULES, CELLS, types.int64, read(_real, 1), types.int64, types.int64, types.int32[::1],
                 _real[:, ::1]), **COMPILED)  # fmt: skip
def expand(terrain, road, rules, cells, frame, state, number, earliest, taken, children):
    """Put all that may follow a state into its cells."""
    size = cells.size[0]
    count, last, total, looks = survey(terrain, road, rules, frame, state, cells.limits, size, taken, children)
    cells.effort[0] += 1
    cells.effort[1] += looks
    if total < cells.best[-1]:
        _complete(cells, total, number, last)
    for n in range(count):
        _place(terrain, road, rules, cells, earliest, terrain.arrive[taken[n]], children[n], number, taken[n])


@njit(types.void(TERRAIN, ROAD, RULES, CELLS, read(types.int64, 1), read(_real, 2), types.int64, types.int64,
                 types.int32[::1], _real[:, ::1]), **COMPILED)  # fmt: skip
def sweep(terrain, road, rules, cells, roots, root_states, start, stop, taken, children):
    """Expand the starts, roots (n,) frames and root_states (n, REALS), and every state of cells start … stop − 1.

    taken, children: room for all transitions of a run.
    """
    for i in range(roots.shape[0]):
        expand(terrain, road, rules, cells, roots[i], root_states[i], -1 - i, 0, taken, children)
    width = cells.value.shape[1]
    for where in range(start, stop):
        for slot in range(cells.filled[where]):
            if cells.value[where, slot] < cells.best[-1]:
                state, frame = cells.states[where, slot], cells.links[where, slot, 0]
                number = where * width + slot
                expand(terrain, road, rules, cells, frame, state, number, where + 1, taken, children)
