"""The next metres of a path, planned as a whole path is, where going from moment to moment would stray: a corner at
which it turns about is seen too late by a search of two seconds, which then stops there and swings round, and so may be
the end of a path."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motiongraph.model.placement import Placement
from motiongraph.progress import SILENT
from motiongraph.synthesis.requests import Request
from motiongraph.walks.beam_search import beam_search
from motiongraph.walks.curve import Curve, path_error, progress_along
from motiongraph.walks.found_walk import as_walk
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import Effort, Goal, Weights
from motiongraph.walks.steering import Steering

# 6 to 29 ms of the processor on subject 16, 141 and the samples, half as wide 56 to 69 on Bandai-Namco's 142,000
# transitions, for routes of 7 m; those asked for are shorter.
_WIDTH, _NARROW, _MANY = 16, 8, 50_000
_WEIGHTS = Weights(change=0.25, facing=0.2)  # no jumps and sidesteps to be a little nearer
_STRIP = 8.0  # as where paths are searched for round sharp corners


class Route(NamedTuple):
    """A way through the graph, some of which is gone whatever else is asked for."""

    taken: list[int]  # transitions
    frames: int  # of motion for which it is gone
    along: float  # metres of the path that are done then


def route(
    steering: Steering, request: Request, first: int, bound: int, last: int, frame: int, placement: Placement,
    off: float,
) -> Route | None:  # fmt: skip
    """The way from a frame, with its clip at a placement, along samples first … last of the path that is asked for,
    which is gone up to sample `bound`; None where none keeps within `off` metres of it."""
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
    weights = _WEIGHTS if last == len(path.places) - 1 else replace(_WEIGHTS, rest=0.0)
    goal = Goal.of(graph, line, labels, weights, False, turns="corners", strip=_STRIP)
    states = np.zeros((1, REALS))
    states[0, :3] = placement
    roots, many = np.array([frame]), len(steering.ground.rows)
    found = beam_search(graph, goal, roots, states, Effort(width=_WIDTH if many < _MANY else _NARROW), SILENT)
    walk = as_walk(graph, found, roots, states)
    if not found.complete or path_error(walk, line)["path_error_worst"] > off:
        return None
    done = progress_along(walk, line) >= (bound - first) * path.spacing
    return Route(list(found.taken), int(done.argmax()) if done.any() else len(done) - 1, bound * path.spacing)
