"""The next metres of a path, planned as a whole path is, where going from moment to moment would stray: a corner at
which it turns about is seen too late by a search of two seconds, which then stops there and swings round, and so may be
the end of a path."""

from typing import NamedTuple

import numpy as np

from motiongraph.model.placement import Placement
from motiongraph.progress import SILENT
from motiongraph.synthesis.requests import Request
from motiongraph.walks.beam_search import beam_search
from motiongraph.walks.curve import Curve, path_error, progress_along
from motiongraph.walks.found_walk import as_walk
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import STANDING_END, Effort, Goal, Weights
from motiongraph.walks.steering import Steering
from motiongraph.walks.turned_search import SHARES
from motiongraph.walks.turned_walk import turned_along
from motiongraph.walks.walk import Walk

# 6 to 29 ms of the processor on subject 16, 141 and the samples, half as wide 56 to 69 on Bandai-Namco's 142,000
# transitions, for routes of 7 m; those asked for are shorter. With the body turned as many again, and 23 ms on 16 where
# that is searched for more widely, as only then a way comes round.
_WIDTH, _NARROW, _MANY = 16, 8, 50_000
_WIDER = 4
_WEIGHTS = Weights(change=0.25, facing=0.2)  # no jumps and sidesteps to be a little nearer
_HASTY = 0.6  # m/s at which nobody stops: a route that ended in a run shot 1.8 m past the end of its path
_RESTS = 1.0  # s within which it stands: who has just set off for the last half metre walks on past the end
_NEAR = 0.25  # m: where a route as captured keeps within this, none with the body turned is looked for
_STRIP = 8.0  # as where paths are searched for round sharp corners


class Route(NamedTuple):
    """A way through the graph, some of which is gone whatever else is asked for."""

    taken: list[int]  # transitions
    frames: int  # of motion for which it is gone
    along: float  # metres of the path that are done then
    turns: np.ndarray | None = None  # (n, 5) by which the body is turned, as `turn_frames` has them; None: not


def route(
    steering: Steering, request: Request, first: int, bound: int, last: int, frame: int, placement: Placement,
    off: float, turned: bool = False,
) -> Route | None:  # fmt: skip
    """The way from a frame, with its clip at a placement, along samples first … last of the path that is asked for,
    which is gone up to sample `bound`: as captured, or, if it may be `turned` and that is nearer, with the body turned
    towards the path; None where none keeps within `off` metres of it, a third of that on average, or comes to rest
    where it ends."""
    path, graph = request.path, steering.graph
    assert path is not None
    begins, ends = first * path.spacing, last * path.spacing
    part = slice(first, last + 1)
    line = Curve(path.places[part], path.tangents[part], np.array([0.0, ends - begins]), ends - begins, False)
    changes = np.zeros(1) if request.changes is None else request.changes
    until = np.append(changes[1:], np.inf)
    labels = [
        (max(a - begins, 0.0), name) for a, b, name in zip(changes, until, request.labels) if b > begins and a < ends
    ]
    stops = last == len(path.places) - 1 and steering.can_stand
    end = {**STANDING_END, "end_rest": _WEIGHTS.rest} if stops else {}
    states = np.zeros((1, REALS))
    states[0, :3] = placement
    roots, many, rate = np.array([frame]), len(steering.ground.rows), steering.turning
    width = _WIDTH if many < _MANY else _NARROW
    ways = [(0.0, width)]
    if turned and rate > 0.0:
        ways += [(SHARES[0], width), (SHARES[0], _WIDER * width)]
    best, least = None, off
    for share, wide in ways:
        if best is not None and wide > width:
            break
        turns = "" if share else "corners"
        goal = Goal.of(graph, line, labels, _WEIGHTS, False, turns, strip=_STRIP, turning=share * rate, **end)
        found = beam_search(graph, goal, roots, states, Effort(width=wide), SILENT)
        hasty = steering.ground.pace[found.last] > _HASTY or steering.standing.away[found.last] > _RESTS
        if not found.complete or (hasty and stops and bound == last):
            continue
        walk = as_walk(graph, found, roots, states)
        walk = turned_along(walk, line, rate) if share else walk
        error = path_error(walk, line)
        worst, mean = error["path_error_worst"], error["path_error_mean"]
        if worst <= least and 3.0 * mean <= off:
            done = progress_along(walk, line) >= (bound - first) * path.spacing
            frames = int(done.argmax()) if done.any() else len(done) - 1
            best, least = Route(list(found.taken), frames, bound * path.spacing, _with_rates(walk)), worst
            if worst <= _NEAR:
                break
    return best


def _with_rates(walk: Walk) -> np.ndarray | None:
    """(F, 5) theta, x, z, rad/s and rad/s² of the turns of a walk, None where it is not turned."""
    if walk.turns is None:
        return None
    rate = np.diff(walk.turns[:, 0], prepend=0.0) * walk.fps
    return np.column_stack([walk.turns, rate, np.diff(rate, prepend=0.0) * walk.fps])
