"""Beam search along a path: many walks side by side along the path, near-equal ones merged.

States are kept by how far along the path they are, in cells of some centimetres. Of the states in a cell that stand in
nearly the same frame at nearly the same place only the cheapest stays, and of the others the `width` best by error so
far plus what remains (`path_cost.lower_bound` and `turn_ahead`). So the work grows with the length of the path and not
exponentially, and every walk in a cell has covered the same stretch of path. As in branch and bound, a walk whose error
exceeds that of the best complete one is dropped.
"""

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import BARE, F32, F64, I32, I64, kernel, njit, read, types
from motiongraph.model.placement import placed, turned
from motiongraph.progress import Progress
from motiongraph.walks.floor_path import FLOOR, floor_graph
from motiongraph.walks.path_cost import (
    ALONG,
    ERROR,
    REALS,
    RULES,
    TARGET,
    THETA,
    X,
    Z,
    lower_bound,
    successors,
    turn_ahead,
)
from motiongraph.walks.path_goal import Effort, Found, Goal
from motiongraph.walks.turn_table import room_ahead

_NEAR = 0.12  # m, a cell of the floor within which states are merged
_TURN = np.pi / 15  # radians, a cell of heading
_TIME = 0.1  # s, a cell of a clip
_BLOCK = 12  # cells between two looks at the clock
_AGAIN = 0.25  # s; to come as near as this to a frame that was played is to repeat it
_KINDS = 8  # of states that are kept side by side
_SLOW = 0.4  # m/s; a slower one may be about to turn on the spot
_ROOM = 1.0  # s for which the distance is taken to last by which a sharp corner will be missed
_REMEMBERED = 16  # transitions back that are looked at for that
# m by which a state may be behind the cell it is in: every transition leads to a later one, and who takes one after the
# other on the spot would take the places of those who have really come so far, and never get there.
_BEHIND = 0.75


class Cells(NamedTuple):
    """The states kept, by cell along the path, and the best complete walk."""

    states: np.ndarray  # (cells, width, REALS) see `path_cost`
    value: np.ndarray  # (cells, width) error so far, bound on the rest and what turning may cost
    key: np.ndarray  # (cells, width) the same number for states that are merged
    # (cells, width, 3) frame arrived at; state it came from, as cell × width + slot or −1 − start; transition taken
    links: np.ndarray
    filled: np.ndarray  # (cells,) states in each cell
    kinds: np.ndarray  # (cells, _KINDS) and of each kind
    refused: np.ndarray  # (cells, _KINDS) value from which on a state of each kind has no place in a full cell
    best: np.ndarray  # (1,) error of the best complete walk, or from which on none is wanted
    end: np.ndarray  # (2,) its last state and last frame
    effort: np.ndarray  # (2,) states expanded; frames and transitions looked at
    limits: np.ndarray  # (cells + 1,) error from which on a state has no place in each cell, and in any
    size: np.ndarray  # (2,) metres of a cell; states of every kind that have a place in it, see `_kind`
    played: np.ndarray  # (_REMEMBERED, 2) room for the pieces that `repeats` looks back at
    corner: np.ndarray  # these three as in `Goal.turns`
    room: np.ndarray
    moment: np.ndarray

    @classmethod
    def empty(cls, cells: int, width: int, effort: Effort, goal: Goal) -> "Cells":
        return cls(
            np.empty((cells, width, REALS)),
            np.full((cells, width), np.inf),
            np.full((cells, width), -1),
            np.zeros((cells, width, 3), np.int64),
            np.zeros(cells, np.int64),
            np.zeros((cells, _KINDS), np.int64),
            np.full((cells, _KINDS), np.inf),
            np.full(1, effort.error, float),
            np.zeros(2, np.int64),
            np.zeros(2, np.int64),
            np.append(np.full(cells, np.inf), effort.error),
            np.array([effort.cell, width // (2 * _KINDS) if effort.kinds else 0.0]),
            np.zeros((_REMEMBERED, 2), np.int64),
            *goal.turns,
        )


CELLS = types.NamedTuple(
    (F64[:, :, ::1], F64[:, ::1], I64[:, ::1], I64[:, :, ::1], I64[::1], I64[:, ::1], F64[:, ::1], F64[::1], I64[::1],
     I64[::1], F64[::1], F64[::1], I64[:, ::1], read(F64, 2), read(F32, 3), read(I32, 2)), Cells)  # fmt: skip


@njit(inline="always", **BARE)
def _key(rules, theta, x, z, frame):
    """One number for all states that are nearly the same."""
    turn = np.int64(np.floor(theta / _TURN)) % 30
    floor_x, floor_z = np.int64(np.floor(x / _NEAR)) & 0xFFFF, np.int64(np.floor(z / _NEAR)) & 0xFFFF
    return (((np.int64(frame / (_TIME * rules.fps)) * 30 + turn) << 16 | floor_x) << 16) | floor_z


@njit(inline="always", **BARE)
def _kind(target, rules, along, fx, fz, frame):
    """Which of `_KINDS` a state is: facing along the path, back or to a side, and slow or not."""
    i = min(max(int(along / rules.spacing + 0.5), 0), target.line.shape[0] - 1)
    tx, tz = target.line[i, 2], target.line[i, 3]
    forth, aside = fx * tx + fz * tz, fx * tz - fz * tx
    slow = np.int64(target.pace[frame] < _SLOW)
    if forth > 0.5:
        return slow
    if forth < -0.5:
        return 2 + slow
    return (4 if aside > 0.0 else 6) + slow


@njit(**BARE)
def _worst(value, key, count, kind, whole, least):
    """The state that one of this kind and value replaces in a full cell, -1 for none.

    count: states of each kind; least: places of every kind: round a sharp corner comes who slows down and turns before
    it pays."""
    slot, most = -1, -np.inf if count[kind] < least or least == 0 else whole
    for i in range(value.shape[0]):
        if value[i] > most and (least == 0 or count[key[i] >> 58] > least or key[i] >> 58 == kind):
            slot, most = i, value[i]
    return slot


@njit(inline="always", **BARE)
def _place(floor, target, rules, cells, earliest, frame, state, parent, via):
    """Put a state into its cell, no earlier than cell `earliest`, if it is among the best there."""
    # What has walked beyond the end of the path competes in the last cell.
    last = cells.filled.shape[0] - 1
    where = max(min(np.int64(state[ALONG] / cells.size[0]), last), earliest)
    if where > last or where * cells.size[0] > state[ALONG] + _BEHIND:
        return
    value, key, width, count = cells.value[where], cells.key[where], cells.value.shape[1], cells.filled[where]
    if state[ERROR] >= cells.limits[where]:
        return
    s, c = sincos(state[THETA])
    x, z = placed(c, s, state[X], state[Z], floor.path[frame, 0], floor.path[frame, 1])
    fx, fz = turned(c, s, floor.face[frame, 0], floor.face[frame, 1])
    whole = state[ERROR] + lower_bound(target, rules, state[ALONG], x, z, frame)
    if whole >= cells.best[0]:
        return
    i = min(max(int(state[ALONG] / rules.spacing + 0.5), 0), target.line.shape[0] - 1)
    if i < cells.corner.shape[0] and cells.corner[i, 7] > 0.0:
        far = room_ahead(cells.corner[i], cells.room, cells.moment[frame], state[THETA], x, z)
        whole += _ROOM * (far + rules.strip * max(far - rules.inside, 0.0))
    else:
        whole += turn_ahead(target, rules, state[ALONG], fx, fz)
    if whole >= cells.limits[where]:
        return
    kind = _kind(target, rules, state[ALONG], fx, fz, frame)
    if whole >= cells.refused[where, kind]:
        return
    own, slot = kind << 58 | _key(rules, state[THETA], x, z, frame), -1
    same = 0
    for i in range(count):  # without a branch, so that several are compared at once
        same += np.int64(key[i] == own)
    if same > 0:
        slot = 0
        while key[slot] != own:
            slot += 1
        if value[slot] <= whole:
            return
    if slot < 0 and count < width:
        slot, cells.filled[where] = count, count + 1
        cells.kinds[where, kind] += 1
    elif slot < 0:
        slot = _worst(value, key, cells.kinds[where], kind, whole, np.int64(cells.size[1]))
        if slot < 0:
            cells.refused[where, kind] = whole
            return
        if key[slot] >> 58 != kind:  # others may give way now
            cells.refused[where] = np.inf
            cells.kinds[where, key[slot] >> 58] -= 1
            cells.kinds[where, kind] += 1
    before, value[slot], key[slot] = value[slot], whole, own
    cells.links[where, slot, 0], cells.links[where, slot, 1], cells.links[where, slot, 2] = frame, parent, via
    for i in range(REALS):
        cells.states[where, slot, i] = state[i]
    if cells.filled[where] == width and before >= cells.limits[where]:
        most = value[0]
        for i in range(1, width):
            most = max(most, value[i])
        cells.limits[where] = most


@njit(**BARE)
def expand(floor, target, rules, cells, frame, state, number, earliest, taken, children):
    """Put all that may follow a state into its cells."""
    size = cells.size[0]
    count, last, total, looks = successors(floor, target, rules, frame, state, cells.limits, size, taken, children)
    cells.effort[0] += 1
    cells.effort[1] += looks
    if total < cells.best[0]:
        cells.best[0] = cells.limits[-1] = total
        cells.end[0], cells.end[1] = number, last
    if rules.repeat > 0.0:
        repeats(floor, rules, cells, number, taken, children, count)
    for n in range(count):
        _place(floor, target, rules, cells, earliest, floor.arrive[taken[n]], children[n], number, taken[n])


@njit(**BARE)
def repeats(floor, rules, cells, number, taken, children, count):
    """Add to the error of children that arrive where the walk to state `number` has been before, the more so the
    sooner it comes again."""
    width, near = cells.value.shape[1], _AGAIN * rules.fps
    played, before, left = cells.played, 0, -1
    while number >= 0 and before < _REMEMBERED:
        where, slot = number // width, number % width
        played[before, 0], played[before, 1] = cells.links[where, slot, 0], left
        left = floor.leave[cells.links[where, slot, 2]]
        number, before = cells.links[where, slot, 1], before + 1
    for n in range(count):
        at = floor.arrive[taken[n]]
        for m in range(before):
            last = played[m, 1] if m > 0 else floor.leave[taken[n]]
            if played[m, 0] - near <= at <= last:
                children[n, ERROR] += rules.repeat * (_REMEMBERED - m) / _REMEMBERED


@kernel(types.void(
    FLOOR, TARGET, RULES, CELLS, read(I64), read(F64, 2), I64, I64, I32[::1], F64[:, ::1]), **BARE)  # fmt: skip
def sweep(floor, target, rules, cells, roots, root_states, start, stop, taken, children):
    """Expand the starts, roots (n,) frames and root_states (n, REALS), and every state of cells start … stop − 1.

    taken, children: room for all transitions of a run.
    """
    for i in range(roots.shape[0]):
        expand(floor, target, rules, cells, roots[i], root_states[i], -1 - i, 0, taken, children)
    width = cells.value.shape[1]
    for where in range(start, stop):
        for slot in range(cells.filled[where]):
            if cells.states[where, slot, ERROR] < cells.best[0]:
                state, frame = cells.states[where, slot], cells.links[where, slot, 0]
                number = where * width + slot
                expand(floor, target, rules, cells, frame, state, number, where + 1, taken, children)


def beam_search(
    graph: MotionGraph, goal: Goal, roots: np.ndarray, states: np.ndarray, effort: Effort, progress: Progress
) -> Found:
    """Sweep once along the path; with a time limit, wider and wider while another sweep is likely to fit."""
    began, width, used = time.perf_counter(), effort.width, 0
    if effort.seconds is not None:
        width = min(8, width)
    best: Found | None = None
    while True:
        before = time.perf_counter()
        found = _swept(graph, goal, roots, states, effort, width, began, used, progress)
        took, used = time.perf_counter() - before, used + found.expansions
        if best is None or found.merit > best.merit:
            best = found
        left = np.inf if effort.expansions is None else effort.expansions - used
        time_left = 0.0 if effort.seconds is None else effort.seconds - (time.perf_counter() - began)
        if effort.seconds is None or 2.5 * took > time_left or 2.5 * found.expansions > left or width >= 4096:
            return replace(best, expansions=used)
        width *= 2


def _swept(
    graph: MotionGraph, goal: Goal, roots: np.ndarray, states: np.ndarray, effort: Effort, width: int, began: float,
    used: int, progress: Progress,
) -> Found:  # fmt: skip
    """The best walk of one sweep; began, used: when the search began, and what it has expanded so far."""
    ground = floor_graph(graph)
    # Beyond the end of the path a state still has its run to find the end in.
    count = int(goal.longest / effort.cell) + 2
    cells = Cells.empty(count, width, effort, goal)
    room = np.empty(ground.widest, np.int32), np.empty((ground.widest, REALS))
    none, no_state = np.empty(0, np.int64), np.empty((0, REALS))
    sweep(ground.floor, goal.target, goal.rules, cells, roots, states, 0, 0, *room)
    reached, note = count, ""
    for start in range(0, count, _BLOCK):
        progress(min(start * effort.cell, goal.rules.length), goal.rules.length, "planning the walk")
        if effort.seconds is not None and time.perf_counter() - began > effort.seconds:
            reached, note = start, f"the {effort.seconds:g} s allowed ran out"
            break
        if effort.expansions is not None and used + cells.effort[0] > effort.expansions:
            reached, note = start, f"the {effort.expansions:,} expansions allowed ran out"
            break
        stop = min(start + _BLOCK, count)
        sweep(ground.floor, goal.target, goal.rules, cells, none, no_state, start, stop, *room)
    complete, limited = bool(cells.best[0] < effort.error), bool(note)
    if complete:
        (number, last), error, note = cells.end.tolist(), float(cells.best[0]), ""
    else:
        number, last, error, along = _furthest(cells, reached, roots)
        note = f"{note or 'every way ends'} after {along:.1f} of {goal.rules.length:.1f} m"
    start, taken, _ = chain(cells, number)
    return Found(start, tuple(taken.tolist()), last, error, complete, int(cells.effort[0]), note, limited)


def chain(cells: Cells, number: int) -> tuple[int, np.ndarray, np.ndarray]:
    """The start from which a state was reached, (n,) the transitions taken, and (n, REALS) the states after each."""
    width, taken, states = cells.value.shape[1], [], []
    while number >= 0:
        states.append(cells.states[number // width, number % width])
        _, number, via = cells.links[number // width, number % width].tolist()
        taken.append(via)
    return -1 - number, np.array(taken[::-1], np.int64), np.array(states[::-1]).reshape(len(taken), REALS)


def _furthest(cells: Cells, reached: int, roots: np.ndarray) -> tuple[int, int, float, float]:
    """The best state of the last cell that has any: its number, frame, error and metres along the path."""
    full = np.flatnonzero(cells.filled[: max(reached, 1)])
    if not len(full):
        full = np.flatnonzero(cells.filled)[:1]
    if not len(full):
        return -1, int(roots[0]), 0.0, 0.0
    where = int(full[-1])
    slot = int(np.argmin(cells.value[where, : cells.filled[where]]))
    state, number = cells.states[where, slot], where * cells.value.shape[1] + slot
    return number, int(cells.links[where, slot, 0]), float(state[ERROR]), float(state[ALONG])
