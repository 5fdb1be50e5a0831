"""How much room turning takes, from every frame: what a search has to know before a sharp corner, where walks that will
come round it are not those that are nearest to the path.

Of a body that faces an angle off a direction, the table has the metres it moves aside, seen along that direction, until
it faces there: the least that any way through the graph needs, found as shortest ways are (Bellman) over frames and
angles, wherever on the floor that is. Angles are counted on from half a turn, so that left and right are told apart.
"""

from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.elementary import cos, sin
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import BARE, F32, F64, I32, I64, kernel, njit, read
from motiongraph.walks.floor_path import FLOOR, FloorGraph, floor_graph

TURN = 72  # angles of a whole turn
MIDDLE = 42  # the number of the angle 0 among those of a row
ANGLES = 2 * MIDDLE + 1
_FACES = 1  # angles off a direction that is faced
_AGAINST = 0.3  # what a metre moved against the direction, or away, counts beside one moved aside
NEVER = 9.0  # m, where no way leads round
_SWEEPS = 16
_LEAST = 0.003  # m; sweeps that gain less are the last


class TurnTable(NamedTuple):
    """Room to turn, in rows of moments about 1/30 s apart."""

    # (rows, ANGLES, 3) metres moved aside; against the direction; and to the other side, before that
    room: np.ndarray
    # (F, 2) the row of each frame, and the heading as captured of the row's, in whole angles
    moment: np.ndarray


NONE = TurnTable(np.zeros((0, ANGLES, 3), np.float32), np.zeros((0, 2), np.int32))
NONE.room.flags.writeable = NONE.moment.flags.writeable = False
_known: WeakKeyDictionary[MotionGraph, tuple[object, TurnTable]] = WeakKeyDictionary()


def turn_table(graph: MotionGraph) -> TurnTable:
    """The table of a graph, worked out once for each view of it."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        found = _known[graph] = (graph.candidates, _worked_out(floor_graph(graph)))
    return found[1]


def room_to_turn(graph: MotionGraph) -> float:
    """Metres from side to side that turning round takes at least."""
    aside = turn_table(graph).room[:, :, 0]
    return float(min(aside[:, MIDDLE + side * (TURN // 2)].min(initial=NEVER) for side in (-1, 1)))


def _worked_out(ground: FloorGraph) -> TurnTable:
    floor, step = ground.floor, 2.0 * np.pi / TURN
    starts = ground.starts.tolist()
    frames = np.concatenate([np.arange(a, b, ground.stride) for a, b in pairwise(starts)])
    many = np.diff(np.append(frames, len(floor.path)))
    facing = np.floor(ground.heading(frames) / step + 0.5)
    moment = np.repeat(np.stack([np.arange(len(frames)), facing], axis=1).astype(np.int32), many, axis=0)
    room = np.full((len(frames), ANGLES, 3), NEVER, np.float32)
    room[:, MIDDLE - _FACES : MIDDLE + _FACES + 1] = 0.0
    angles = np.arange(TURN + ANGLES) * step
    changed = np.zeros(len(frames), np.int64)
    for number in range(1, _SWEEPS):
        if not _sweep(floor, frames, moment, sin(angles), cos(angles), number, changed, room):
            break
    table = TurnTable(room, moment)
    for array in table:
        array.flags.writeable = False
    return table


@kernel(I64(FLOOR, read(I64), read(I32, 2), read(F64), read(F64), I64, I64[::1], F32[:, :, ::1]), **BARE)
def _sweep(floor, frames, moment, sine, cosine, number, changed, room):
    """Look once, from the last frame to the first, whether playing on or a transition leads round with less room; how
    many rows that changed. changed: (rows,) the number of the sweep that changed each last."""
    count = 0
    for here in range(frames.shape[0] - 1, -1, -1):
        f = frames[here]
        end, facing = floor.run_end[f], moment[f, 1]
        if end < f:
            continue
        after = frames[here + 1] if here + 1 < frames.shape[0] else floor.path.shape[0]
        goes_on, gained = after <= end, False
        shift = (-MIDDLE - facing) % TURN  # by which the row's first angle is placed
        first = floor.next_out[f]
        for k in range(first - 1, floor.next_out[after if goes_on else end + 1]):
            if k < first:
                if not goes_on:
                    continue
                there, turn, x, z = after, 0.0, floor.path[after, 0], floor.path[after, 1]
            else:
                way = floor.way[k, floor.way.shape[1] - 1]
                there, turn, x, z = np.int64(floor.arrive[k]), floor.jump[k, 0] * (TURN / (2.0 * np.pi)), way[0], way[1]
            vx, vz, row = x - floor.path[f, 0], z - floor.path[f, 1], moment[there, 0]
            if changed[row] < number - 1:
                continue
            turn += moment[there, 1] - facing
            turn -= TURN * np.floor(turn / TURN + 0.5)
            whole = int(np.floor(turn))
            part = turn - whole
            for b in range(max(0, -whole), min(ANGLES, ANGLES - 1 - whole)):
                if abs(b - MIDDLE) <= _FACES:
                    continue
                c, s = cosine[b + shift], sine[b + shift]
                x, z = c * vx + s * vz, c * vz - s * vx
                if b < MIDDLE:
                    x = -x
                low, high, own = room[row, b + whole], room[row, b + whole + 1], room[here, b]
                aside = max(x, 0.0) + (1.0 - part) * low[0] + part * high[0]
                against = max(-z, 0.0) + (1.0 - part) * low[1] + part * high[1]
                away = max(-x, 0.0) + (1.0 - part) * low[2] + part * high[2]
                if aside + _AGAINST * (against + away) < own[0] + _AGAINST * (own[1] + own[2]) - _LEAST:
                    own[0], own[1], own[2] = aside, against, away
                    gained = True
        if gained:
            changed[here], count = number, count + 1
    return count


@njit(**BARE)
def room_ahead(corner, room, moment, theta, x, z):
    """The square of the metres by which a body at x, z, whose clip is turned by theta, will leave the path at the sharp
    corner near it, by the table of turns: to the better side. moment: (2,) of `TurnTable`, the frame's."""
    cx, cz, dx, dz = corner[0], corner[1], corner[2], corner[3]
    beside, beyond = (x - cx) * dz - (z - cz) * dx, -(x - cx) * dx - (z - cz) * dz
    outside = (x - cx) * corner[5] - (z - cz) * corner[4]
    angle = (theta - corner[6]) * (TURN / (2.0 * np.pi)) + moment[1]
    angle -= TURN * np.floor(angle / TURN + 0.5)
    least = np.inf
    for _ in range(2):
        b = int(np.floor(angle + MIDDLE))
        if 0 <= b < ANGLES - 1:
            part = angle + MIDDLE - b
            low, high = room[moment[0], b], room[moment[0], b + 1]
            aside, against = (1.0 - part) * low[0] + part * high[0], (1.0 - part) * low[1] + part * high[1]
            away = (1.0 - part) * low[2] + part * high[2]
            side = 1.0 if angle > 0.0 else -1.0
            aside = max(side * beside - away + aside, side * outside + away, 0.0)
            against = max(beyond + against, 0.0)
            least = min(least, aside * aside + against * against)
        angle += -TURN if angle > 0.0 else TURN
    return least
