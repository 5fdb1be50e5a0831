"""Where a graph can take a character (Reitsma and Pollard 2007, "Evaluating motion graphs for character animation").

From random choice points, everything is tried for a few seconds: the share of places and headings that is reached, how
long a turn takes, and what the clips lack.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.elementary import sincos
from motiongraph.kernels import B1, F64, I32, I64, kernel, read
from motiongraph.model import sides
from motiongraph.model.placement import composed, heading_of, placed
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.model.clip import Clip

SECONDS, RADIUS = 4.0, 4.0  # s that are tried, and m around the start that count
_CELL, _HEADINGS = 0.5, 16  # m of a cell of the floor, and parts of a full turn
_MOST = 200_000  # states that are tried from one start
_KNOWN = 4_000_037  # room for what was met; two that share a place in it count as one
_SLOW, _QUICK = 0.2, 0.4  # m/s: standing, and going


@kernel(
    (
        read(I32), read(I32), read(B1), read(B1), read(F64), read(F64, 2), read(F64, 2), I64, F64, F64, I64,
        B1[:, ::1], B1[::1], F64[::1],
    )
)  # fmt: skip
def explore(first, arrives, taken, goes_on, lasts, place, jump, start, window, longest, most, floor, headings, turns):
    """Try everything from node `start` for `longest` seconds, at most `most` states, in the order of time.

    Nodes and edges as in `Structure`; lasts: (N,) s of the piece from each node; place: (N, 3) x, z and heading of each
    node; jump: (T, 3) theta, x0, z0; window: s of a transition. Marks floor (n, n), cells of _CELL about the start, and
    headings (_HEADINGS,), all as seen from the start; turns (2,): s until it faces 90° to the left and to the right.
    A transition to the motion, place, heading and time of another one, to eight nodes, half a metre, an eighth of a
    turn and a quarter of a second, is left out.
    """
    half = floor.shape[0] // 2
    times = int(4.0 * longest) + 1
    wide = 2 * int(8.0 / _CELL) + 1
    known = np.zeros(_KNOWN, B1)
    reals, nodes = np.empty((most, 5)), np.empty(most, np.int64)  # theta, x, z of the clip, s, radians turned
    s, c = sincos(-place[start, 2])
    x, z = placed(c, s, 0.0, 0.0, place[start, 0], place[start, 1])
    reals[0] = -place[start, 2], -x, -z, 0.0, 0.0
    nodes[0] = start
    count, at = 1, 0
    bucket = np.full(most, -1, np.int64)
    heads = np.full(times + 1, -1, np.int64)
    heads[0] = 0
    for slot in range(times):
        at = heads[slot]
        while at >= 0:
            node, theta, x, z, t, gone = nodes[at], reals[at, 0], reals[at, 1], reals[at, 2], reals[at, 3], reals[at, 4]
            s, c = sincos(theta)
            px, pz = placed(c, s, x, z, place[node, 0], place[node, 1])
            i, j = int(np.floor(px / _CELL + 0.5)) + half, int(np.floor(pz / _CELL + 0.5)) + half
            if 0 <= i < floor.shape[0] and 0 <= j < floor.shape[0]:
                floor[i, j] = True
            headings[int(np.floor(gone / (2.0 * np.pi) * _HEADINGS + 0.5)) % _HEADINGS] = True
            if gone >= 0.5 * np.pi:
                turns[0] = min(turns[0], t)
            if gone <= -0.5 * np.pi:
                turns[1] = min(turns[1], t)
            for e in range(first[node] - 1, first[node + 1]):
                if e < first[node]:
                    if not goes_on[node]:
                        continue
                    to, after, tt, tx, tz = node + 1, t + lasts[node], theta, x, z
                else:
                    if not taken[e]:
                        continue
                    to, after = np.int64(arrives[e]), t + window
                    tt, tx, tz = composed(theta, x, z, jump[e, 0], jump[e, 1], jump[e, 2])
                if after > longest or count >= most:
                    continue
                heading = tt + place[to, 2]
                turn = heading - gone - 2.0 * np.pi * np.floor((heading - gone) / (2.0 * np.pi) + 0.5)
                s, c = sincos(tt)
                px, pz = placed(c, s, tx, tz, place[to, 0], place[to, 1])
                i, j = int(np.floor(px / _CELL + 0.5)) + wide // 2, int(np.floor(pz / _CELL + 0.5)) + wide // 2
                k, way = int(4.0 * after), int(np.floor((gone + turn) / (0.25 * np.pi) + 0.5)) % 8
                if e >= first[node]:
                    key = (((((to >> 3) * times + k) * 8 + way) * wide + i) * wide + j) * 2654435761 % _KNOWN
                    if known[key]:
                        continue
                    known[key] = True
                reals[count, 0], reals[count, 1], reals[count, 2] = tt, tx, tz
                reals[count, 3], reals[count, 4] = after, gone + turn
                nodes[count], bucket[count] = to, heads[k]
                if k == slot:  # still to be looked at in this round, after what is being looked at
                    bucket[count], bucket[at] = bucket[at], count
                else:
                    heads[k] = count
                count += 1
            at = bucket[at]


def coverage(graph: "MotionGraph", starts: int = 24, rng: int = 0, progress: Progress = SILENT) -> dict[str, Any]:
    """Share of the places within 4 m and of the headings that can be reached in 4 s, mean over random starts; mean
    seconds to turn by 90° to the left and right, to start and to stop, None where that cannot be; and what is missing,
    in words. Of the pruned graph."""
    structure, kept, fps = graph.structure, graph.kept, graph.fps
    table, window = graph.candidates.table, graph.window / fps
    tracks = [_track(clip) for clip in graph.clips]
    node = np.array([tracks[c][f] for c, f in zip(structure.clip, structure.frame)]).reshape(-1, 4)
    place, speed = np.ascontiguousarray(node[:, :3]), node[:, 3]
    jump = np.ascontiguousarray(np.stack([table[name] for name in ("theta", "x0", "z0")], axis=1))
    lasts = structure.piece / fps
    alive = np.flatnonzero(kept.nodes)
    chosen = np.random.default_rng(rng).choice(alive, min(starts, len(alive)), replace=False) if len(alive) else alive
    half = int(RADIUS / _CELL)
    i, j = np.mgrid[-half : half + 1, -half : half + 1]
    disc = i * i + j * j <= half * half
    shares, times = [], []
    for number, start in enumerate(chosen.tolist()):
        progress(number, len(chosen), "trying where it leads")
        floor, headings = np.zeros(disc.shape, bool), np.zeros(_HEADINGS, bool)
        turns = np.full(2, np.inf)
        explore(
            structure.first, structure.arrives, kept.transitions, kept.pieces, lasts, place, jump, start, window,
            SECONDS, _MOST, floor, headings, turns,
        )  # fmt: skip
        shares.append((float(floor[disc].mean()), float(headings.mean())))
        times.append(turns)
    figures: dict[str, Any] = {
        "places_reached": float(np.mean([a for a, _ in shares])) if shares else 0.0,
        "headings_reached": float(np.mean([b for _, b in shares])) if shares else 0.0,
    }
    for side, name in enumerate(("turn_left_seconds", "turn_right_seconds")):
        found = [turn[side] for turn in times if np.isfinite(turn[side])]
        figures[name] = float(np.mean(found)) if 2 * len(found) > len(times) else None
    figures["start_seconds"] = _away(graph, speed > _QUICK, alive[speed[alive] < _SLOW])
    figures["stop_seconds"] = _away(graph, speed < _SLOW, alive[speed[alive] > _QUICK])
    return figures | {"missing": _missing(figures, speed[alive])}


def _track(clip: "Clip") -> np.ndarray:
    """(F, 4) x, z, heading in radians and m/s over half a second, of every frame and one more."""
    path, pairs = clip.root[:, [0, 2]], sides.pairs(clip.skeleton)
    reach = max(round(0.25 * clip.fps), 1)
    index = np.arange(len(clip))
    before, after = np.maximum(index - reach, 0), np.minimum(index + reach, len(clip) - 1)
    far = path[after] - path[before]
    face = far
    if len(pairs):
        places = clip.positions()
        across = (places[:, pairs[:, 0]] - places[:, pairs[:, 1]]).mean(axis=1)
        face = np.stack([-across[:, 2], across[:, 0]], axis=1)
    speed = np.sqrt((far * far).sum(axis=1)) * clip.fps / np.maximum(after - before, 1)
    rows = np.column_stack([path, heading_of(face), speed])
    return np.concatenate([rows, rows[-1:]])


def _away(graph: "MotionGraph", to: np.ndarray, sources: np.ndarray) -> float | None:
    """Mean seconds of the quickest ways from nodes to the nearest of those `to` (N,); None without such, or if more
    than half of them cannot get there."""
    structure, kept = graph.structure, graph.kept
    if not len(sources) or not to.any():
        return None
    pieces, taken, count = np.flatnonzero(kept.pieces), np.flatnonzero(kept.transitions), len(structure)
    # Backwards, from one more node that leads to all of those looked for at once.
    ends = np.flatnonzero(to)
    rows = np.concatenate([pieces + 1, structure.arrives[taken], np.full(len(ends), count)])
    columns = np.concatenate([pieces, structure.leaves[taken], ends])
    frames = np.concatenate([structure.piece[pieces], np.full(len(taken), structure.window), np.full(len(ends), 1e-9)])
    order = np.lexsort((frames, columns, rows))
    rows, columns, frames = rows[order], columns[order], frames[order]
    new = np.append(True, (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1]))
    network = scipy.sparse.csr_array((frames[new], (rows[new], columns[new])), shape=(count + 1, count + 1))
    away = scipy.sparse.csgraph.dijkstra(network, indices=count)[sources] / graph.fps
    there = np.isfinite(away)
    return float(away[there].mean()) if 2 * there.sum() > len(away) else None


def _missing(figures: dict[str, Any], speeds: np.ndarray) -> list[str]:
    """What the clips lack, a sentence each."""
    found = []
    for side in ("left", "right"):
        if figures[f"turn_{side}_seconds"] is None:
            found.append(f"no clip turns {side} within {SECONDS:g} s of most places: add one that does")
    if not (speeds < _SLOW).any():
        found.append("no clip stands still: add one of someone who stands")
    elif figures["stop_seconds"] is None and (speeds > _QUICK).any():
        found.append("nothing leads from walking to standing: add a clip that stops")
    if not (speeds > _QUICK).any():
        found.append("no clip goes anywhere: add a walk")
    elif figures["start_seconds"] is None and (speeds < _SLOW).any():
        found.append("nothing leads from standing to walking: add a clip that sets off")
    return found


def in_words(found: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, text) of what `coverage` found."""
    words = {"turn left": "turn_left", "turn right": "turn_right", "start": "start", "stop": "stop"}
    times = {word: found[f"{name}_seconds"] for word, name in words.items()}
    known = [f"{word} {'never' if time is None else f'{time:.2f} s'}" for word, time in times.items()]
    share = (
        f"{found['places_reached']:.0%} of places within 4 m, {found['headings_reached']:.0%} of headings, after 4 s"
    )
    missing = [("missing" if n == 0 else "", sentence) for n, sentence in enumerate(found["missing"])]
    return [("reached", share), ("time to", f"{', '.join(known)} (turns by 90°)"), *missing]
