"""Things that stand in the way: paths are led around them, and walks are measured against them.

The way round is the shortest on a grid of the floor between a little before and a little after what is blocked, pulled
straight where nothing is in between, and rounded.
"""

from collections.abc import Sequence
from math import ceil
from typing import TypeAlias

import numpy as np
import scipy  # whose parts are loaded when first used
from numpy.typing import ArrayLike

from motiongraph.errors import MotionError
from motiongraph.walks.curve import Curve

Obstacle: TypeAlias = ArrayLike  # x, z, radius of a round one; or (n, 2) the corners of a convex one, in order
CLEARANCE = 0.45  # m that a path keeps from obstacles: half a body, and what walks stray
TOUCH = 0.2  # m from the root, nearer than which a body touches
_AHEAD = 1.2  # m before what is blocked, from which on the way turns off
_CELL, _CELLS = 0.1, 300  # m between the points of the grid, and how many there are at most along a side
_ROUND = 0.25  # m by which corners are rounded


def checked(obstacles: Sequence[Obstacle]) -> list[np.ndarray]:
    """As arrays (3,) or (n, 2); a MotionError where one makes no sense."""
    found = []
    for one in obstacles:
        shape = np.asarray(one, float)
        circle = shape.shape == (3,) and shape[2] > 0
        corners = shape.ndim == 2 and shape.shape[1] == 2 and len(shape) >= 3
        if not (circle or corners) or not np.isfinite(shape).all():
            raise MotionError(f"an obstacle is x, z, radius in metres, or at least three corners x, z, not {one!r}")
        found.append(shape)
    return found


def circles(obstacles: Sequence[np.ndarray], wide: float = 0.5) -> np.ndarray:
    """(n, 3) x, z, radius of circles that cover obstacles as `checked` gives them; corners are covered by as many as
    are needed for none to stand out by half of `wide` metres."""
    found = [np.zeros((0, 3))]
    for shape in obstacles:
        if shape.ndim == 1:
            found.append(shape[None])
            continue
        middle, edges = shape.mean(axis=0), np.roll(shape, -1, axis=0) - shape
        lengths = np.sqrt((edges * edges).sum(axis=1))
        along = edges[np.argmax(lengths)] / max(float(lengths.max()), 1e-9)
        across = np.array([-along[1], along[0]])
        own = np.stack([(shape - middle) @ along, (shape - middle) @ across], axis=1)
        low, high = own.min(axis=0), own.max(axis=0)
        many = np.ceil((high - low) / min(max(wide, float((high - low).min())), 2.0 * wide)).astype(int).clip(1, 40)
        cell = (high - low) / many
        at = [low[k] + (np.arange(many[k]) + 0.5) * cell[k] for k in range(2)]
        spots = np.stack(np.meshgrid(*at, indexing="ij"), axis=-1).reshape(-1, 2)
        places = middle + spots[:, :1] * along + spots[:, 1:] * across
        found.append(np.column_stack([places, np.full(len(places), 0.5 * np.sqrt((cell * cell).sum()))]))
    return np.concatenate(found)


def distance_to(obstacles: Sequence[np.ndarray], places: np.ndarray) -> np.ndarray:
    """(n,) metres from places (n, 2) to the nearest edge of an obstacle; 0 and below inside."""
    nearest = np.full(len(places), np.inf)
    for shape in obstacles:
        if shape.ndim == 1:
            away = np.sqrt(np.sum((places - shape[:2]) ** 2, axis=1)) - shape[2]
        else:
            begin, along = shape, np.roll(shape, -1, axis=0) - shape
            to = places[:, None] - begin
            t = np.clip(np.sum(to * along, axis=2) / np.maximum(np.sum(along * along, axis=1), 1e-12), 0.0, 1.0)
            away = np.sqrt(np.sum((to - t[..., None] * along) ** 2, axis=2)).min(axis=1)
            side = along[:, 0] * to[..., 1] - along[:, 1] * to[..., 0]
            inside = (side >= 0).all(axis=1) | (side <= 0).all(axis=1)
            away = np.where(inside, -away, away)
        nearest = np.minimum(nearest, away)
    return nearest


def around(curve: Curve, obstacles: Sequence[np.ndarray], clearance: float = CLEARANCE) -> tuple[Curve, np.ndarray]:
    """The path led around obstacles, and (M,) metres along it of every sample of the old one; itself where it is free.

    Raises a MotionError where it begins or ends in an obstacle, or where there is no way round.
    """
    free = distance_to(obstacles, curve.places) >= clearance
    along, places = curve.along, curve.places
    if free.all():
        return curve, along
    if not (free[0] and free[-1]):
        end = "begins" if not free[0] else "ends"
        raise MotionError(f"the path {end} less than {clearance:g} m from an obstacle; move one of them")
    edges = np.flatnonzero(np.diff(free.astype(np.int8)))
    ahead, pieces, begin = ceil(_AHEAD / curve.spacing), [], 0
    stretches = []
    for first, last in zip(edges[::2].tolist(), (edges[1::2] + 1).tolist()):
        first, last = _back(free, first, -1, ahead), _back(free, last, 1, ahead)
        if stretches and first <= stretches[-1][1]:
            stretches[-1] = stretches[-1][0], last
        else:
            stretches.append((first, last))
    metres = np.zeros(len(places))
    for first, last in stretches:
        route = _route(places[first], places[last], obstacles, clearance)
        pieces += [places[begin:first], route]
        begin = last + 1
    pieces.append(places[begin:])
    led = Curve.of(np.concatenate(pieces), closed=False)
    # Samples outside of the detours keep their place; those within are spread along them.
    at, kept = 0.0, np.ones(len(places), bool)
    for first, last in stretches:
        kept[first + 1 : last] = False
    known = scipy.spatial.cKDTree(led.places)
    for index in np.flatnonzero(kept):
        near = np.array(known.query_ball_point(places[index], 2.0 * curve.spacing), int)
        ahead_of = near[led.along[near] >= at - curve.spacing] if len(near) else near
        at = float(led.along[ahead_of].min()) if len(ahead_of) else at
        metres[index] = at
    metres = np.interp(np.arange(len(places)), np.flatnonzero(kept), metres[kept])
    return Curve(led.places, led.tangents, np.interp(curve.knots, along, metres), led.length, curve.closed), metres


def _back(free: np.ndarray, at: int, step: int, most: int) -> int:
    """The sample up to `most` further on, as far as all of them are free."""
    for _ in range(most):
        if not 0 <= at + step < len(free) or not free[at + step]:
            break
        at += step
    return at


def _route(start: np.ndarray, stop: np.ndarray, obstacles: Sequence[np.ndarray], clearance: float) -> np.ndarray:
    """(n, 2) places of the shortest way that keeps clear, with both ends."""
    reach = max(np.ptp(shape, axis=0).max() if shape.ndim == 2 else 2.0 * shape[2] for shape in obstacles)
    margin = 2.0 * clearance + reach
    low, high = np.minimum(start, stop) - margin, np.maximum(start, stop) + margin
    cell = max(_CELL, float((high - low).max()) / _CELLS)
    count = np.ceil((high - low) / cell).astype(int) + 1
    grid = low + cell * np.stack(np.meshgrid(np.arange(count[0]), np.arange(count[1]), indexing="ij"), axis=-1)
    nodes = grid.reshape(-1, 2)
    open_ = distance_to(obstacles, nodes) >= clearance
    number = np.arange(len(nodes)).reshape(count)
    rows, columns, lengths = [], [], []
    for dx, dz in ((1, 0), (0, 1), (1, 1), (1, -1)):
        a = number[: count[0] - dx, max(-dz, 0) : count[1] - max(dz, 0)].ravel()
        b = a + dx * count[1] + dz
        both = open_[a] & open_[b]
        rows.append(a[both])
        columns.append(b[both])
        lengths.append(np.full(int(both.sum()), cell * (1.0 if dx * dz == 0 else 2.0**0.5)))
    network = scipy.sparse.csr_array(
        (np.concatenate(lengths), (np.concatenate(rows), np.concatenate(columns))), shape=(len(nodes),) * 2
    )
    ends = [int(np.argmin(np.where(open_, np.sum((nodes - place) ** 2, axis=1), np.inf))) for place in (start, stop)]
    _, before = scipy.sparse.csgraph.dijkstra(network, directed=False, indices=ends[0], return_predecessors=True)
    way = [ends[1]]
    while way[-1] != ends[0]:
        if before[way[-1]] < 0:
            raise MotionError("there is no way around the obstacles on the path; leave more room between them")
        way.append(int(before[way[-1]]))
    corners = _pulled(np.concatenate([[start], nodes[way[::-1]], [stop]]), obstacles, clearance - 0.6 * cell)
    fine = Curve.of(corners).places
    rounded = scipy.ndimage.gaussian_filter1d(fine, _ROUND / 0.02, axis=0, mode="nearest")
    rounded[0], rounded[-1] = start, stop
    return rounded


def _pulled(places: np.ndarray, obstacles: Sequence[np.ndarray], clearance: float) -> np.ndarray:
    """Without the places that a straight line can leave out."""
    kept, here = [places[0]], 0
    while here < len(places) - 1:
        there = len(places) - 1
        while there > here + 1:
            line = np.linspace(places[here], places[there], 4 + there - here)
            if (distance_to(obstacles, line) >= clearance).all():
                break
            there -= 1
        kept.append(places[there])
        here = there
    return np.array(kept)
