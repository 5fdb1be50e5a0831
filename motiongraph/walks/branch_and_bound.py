"""Branch and bound along a path, compiled (Kovar 2002, 4.2): depth first, cheapest child first, and no further where
the error exceeds that of the best walk found."""

from typing import NamedTuple

import numpy as np
from numba import njit, types

from motiongraph.walks.floor_path import COMPILED, TERRAIN, read
from motiongraph.walks.path_cost import ERROR, REALS, ROAD, RULES, TIME, onward

DEEPEST = 48  # transitions in one plan


class Plans(NamedTuple):
    """The r best plans. error: (r,), dearest last; length: (r,) transitions taken; root: (r,) the start; last: (r,) the
    frame at which the walk is complete, −1 where it goes on; taken: (r, DEEPEST); states: (r, DEEPEST, REALS) after
    each transition; effort: (2,) states expanded, and 1 where the limit of them ended the search."""

    error: np.ndarray
    length: np.ndarray
    root: np.ndarray
    last: np.ndarray
    taken: np.ndarray
    states: np.ndarray
    effort: np.ndarray

    @classmethod
    def empty(cls, best: int) -> "Plans":
        whole = [np.zeros(best, np.int64) for _ in range(3)]
        taken, states = np.zeros((best, DEEPEST), np.int64), np.zeros((best, DEEPEST, REALS))
        return cls(np.full(best, np.inf), *whole, taken, states, np.zeros(2, np.int64))


_real, _whole = types.float64, types.int64
PLANS = types.NamedTuple(
    (_real[::1], _whole[::1], _whole[::1], _whole[::1], _whole[:, ::1], _real[:, :, ::1], _whole[::1]), Plans
)


@njit(types.void(PLANS, _real, types.int64, types.int64, types.int64, _whole[::1], _real[:, ::1]), **COMPILED)
def _keep(plans, error, length, root, last, taken, states):
    """Enter a plan among the r best."""
    i = plans.error.shape[0] - 1
    while i > 0 and plans.error[i - 1] > error:
        plans.error[i], plans.length[i], plans.root[i] = plans.error[i - 1], plans.length[i - 1], plans.root[i - 1]
        plans.last[i], plans.taken[i], plans.states[i] = plans.last[i - 1], plans.taken[i - 1], plans.states[i - 1]
        i -= 1
    plans.error[i], plans.length[i], plans.root[i], plans.last[i] = error, length, root, last
    for j in range(length):
        plans.taken[i, j], plans.states[i, j] = taken[j], states[j]


@njit(types.void(TERRAIN, ROAD, RULES, read(types.int64, 1), read(_real, 2), _real, types.int64, PLANS, types.int64),
      **COMPILED)  # fmt: skip
def search(terrain, road, rules, roots, root_states, until, most, plans, widest):
    """Find the plans from these starts that last `until` seconds or end the walk; at most `most` expansions.

    roots: (n,) frames; root_states: (n, REALS). widest: the largest number of children that a state can have.
    """
    order = np.empty((DEEPEST + 1, widest), np.int64)
    children = np.empty((DEEPEST + 1, widest, REALS))
    offered = np.empty((DEEPEST + 1, widest), np.int32)
    count, cursor = np.zeros(DEEPEST + 1, np.int64), np.zeros(DEEPEST + 1, np.int64)
    taken, states = np.empty(DEEPEST, np.int64), np.empty((DEEPEST, REALS))
    limits = np.empty(1)
    for root in range(roots.shape[0]):
        depth, frame, state = 0, roots[root], root_states[root].copy()
        while depth >= 0:
            if frame >= 0:
                # A node is entered: find its children and whether the walk can end here.
                limits[0] = plans.error[-1]
                count[depth], last, total = onward(
                    terrain, road, rules, frame, state, limits, np.inf, offered[depth], children[depth]
                )
                plans.effort[0] += 1
                if total < plans.error[-1]:
                    _keep(plans, total, depth, root, last, taken, states)
                # Edges differ in length, so the cheapest is that of the least error a second.
                n = count[depth]
                spent = children[depth, :n, TIME] - state[TIME]
                order[depth, :n] = np.argsort((children[depth, :n, ERROR] - state[ERROR]) / spent)
                cursor[depth] = 0
                if plans.effort[0] >= most:
                    plans.effort[1] = 1
                    return
            frame = -1
            if cursor[depth] == count[depth]:
                depth -= 1
                continue
            child = order[depth, cursor[depth]]
            cursor[depth] += 1
            if children[depth, child, ERROR] >= plans.error[-1]:
                continue
            taken[depth] = offered[depth, child]
            states[depth] = children[depth, child]
            if states[depth, TIME] >= until or depth + 1 == DEEPEST:
                _keep(plans, states[depth, ERROR], depth + 1, root, -1, taken, states)
                continue
            depth += 1
            frame = terrain.arrive[taken[depth - 1]]
            state[:] = states[depth - 1]
