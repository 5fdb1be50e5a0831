"""What is to be seen of a body around every transition of a graph, and around captured moments, to tell them apart.

Two thirds of a second at 30 Hz: how fast the parts of the body move, in which direction, and how suddenly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F32, F64, FAST, I64, U1, kernel, njit, read
from motiongraph.metric.stream import ahead
from motiongraph.model import sides
from motiongraph.model.bone_map import body_parts
from motiongraph.model.clip import MADE, Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.walks.floor_path import FloorGraph

_RATE = 30.0  # Hz
_HALF = 10  # frames of _RATE before and after the middle of a window
_MARGIN = 4  # more frames that a captured window keeps from the ends of its clip
_APART = 0.1  # s between captured windows
LEVELS = 16  # of what is seen
# m/s and m/s²: what is finer than that no capture measures, and no eye sees. Made clips stand still to the micrometre,
# which would give any blend away.
_FINE = 0.01, 0.5
# Hip joints move as the hips do, shoulders as the chest.
_LOOKED_AT = ("hips", "chest", "neck", "head", "knee", "ankle", "toe", "elbow", "wrist")
_CHUNK = 2048  # windows looked at together
_STEPS = 2 * _HALF + 3  # positions in a window
_COURSES = 4  # of a velocity or an acceleration: along three axes, and its size
_TOLD = 6  # numbers told of each course
_STATISTICS = 2 * _COURSES * _TOLD
_VELOCITIES = _STEPS + 1  # three numbers for every third step
_EACH = _STATISTICS + _VELOCITIES  # features of a part


@dataclass(frozen=True, eq=False)
class SeamWindows:
    """Windows around T transitions, then around C captured moments."""

    levels: np.ndarray  # (K, T + C) uint8: what is seen, each feature by how it ranks among the captured windows
    clips: np.ndarray  # (T + C, 2) the clips that each shows, captured ones twice the same
    frames: np.ndarray  # (C,) middle frames of the captured windows, counted over all clips


def seam_windows(graph: MotionGraph, ground: FloorGraph) -> SeamWindows | None:
    """The windows of all transitions of a graph, and of its captured frames, of which made clips have none; None where
    clips are too short for any."""
    table, count, half = graph.candidates.table[ground.rows], len(ground.rows), (ground.window - 1) // 2
    first, stop = ground.starts[:-1] + [clip.first for clip in graph.clips], ground.starts[1:]
    reach, apart = round((_HALF + _MARGIN) / _RATE * ground.fps), max(round(_APART * ground.fps), 1)
    captured = np.where([clip.name.endswith(MADE) for clip in graph.clips], first, stop)
    frames = np.concatenate([np.arange(a + reach, b - reach, apart) for a, b in zip(first, captured)])
    if len(frames) < LEVELS:
        return None
    own = np.searchsorted(ground.starts, frames, side="right") - 1
    middles = ground.runs.leave + half, ground.runs.arrive - ground.window + half
    middle, clips = (
        np.concatenate([np.stack(pair, axis=1), np.stack([each, each], axis=1)]).astype(np.int64)
        for pair, each in ((middles, frames), ((table["src"], table["dst"]), own))
    )
    placed = np.zeros((len(clips), 3))
    placed[:count] = np.stack([table[name] for name in ("theta", "x0", "z0")], axis=1)
    places, across = (np.concatenate(each) for each in zip(*_bodies(graph.clips)))
    bounds = np.stack([first, stop], axis=1)[clips]

    def seen(part: slice) -> np.ndarray:
        out = np.empty((places.shape[1] * _EACH, len(middle[part])), np.float32)
        look(places, across, middle[part], bounds[part], placed[part], ground.fps, ground.window, out)
        return out

    usual = np.sort(seen(slice(count, None)), axis=1)
    edges = np.ascontiguousarray(usual[:, (np.arange(1, LEVELS) * len(frames)) // LEVELS])

    levels = np.empty((len(edges), len(clips)), np.uint8)
    parts = [slice(start, start + _CHUNK) for start in range(0, len(clips), _CHUNK)]
    for part, shown in zip(parts, ahead(seen, parts)):
        levelled(shown, edges, part.start, levels)
    return SeamWindows(levels, clips, frames)


def _bodies(clips: Sequence[Clip]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of every clip the parts of its body (F, n, 3), metres, and (F, 2) x and z from its right to its left."""
    parts, pairs, out = _parts(clips[0].skeleton), sides.pairs(clips[0].skeleton), []
    for clip in clips:
        places = clip.positions()
        across = np.zeros((len(clip), 2))
        for left, right in pairs.tolist():
            across += places[:, left, ::2] - places[:, right, ::2]
        out.append((places[:, parts].astype(np.float32, order="C"), across))
    return out


def _parts(skeleton: Skeleton) -> list[int]:
    """The joints that are looked at; some ends of the body where its parts are not known."""
    found = {joint for part, joint in body_parts(skeleton).items() if part.endswith(_LOOKED_AT)}
    return sorted((found or set(np.flatnonzero(sides.ends(skeleton))[:10].tolist())) | {0})


@kernel((read(F32, 3), read(F64, 2), read(I64, 2), read(I64, 3), read(F64, 2), F64, I64, F32[:, ::1]))
def look(places, across, middle, bounds, placed, fps, window, seen):
    """Into seen (K, N): of every part of the body what is `_told` of its velocity and acceleration, and velocities.

    places: (F, n, 3) metres; across: (F, 2) to the left of the body; middle: (N, 2) frames of the two motions that a
    window blends; bounds: (N, 2, 2) first and last + 1 frame of their clips, beyond which motion goes straight on;
    placed: (N, 3) theta, x0, z0 of the second. All is seen from the way the first faces in the middle.
    """
    at, course = np.empty((_STEPS, 3)), np.empty((_COURSES, _STEPS - 1))
    below, part, share = np.empty((_STEPS, 2), np.int64), np.empty((_STEPS, 2)), np.empty(_STEPS)
    for w in range(middle.shape[0]):
        left_x, left_z = across[middle[w, 0], 0], across[middle[w, 0], 1]
        size = np.sqrt(left_x * left_x + left_z * left_z)
        left_x, left_z = (left_x / size, left_z / size) if size > 1e-9 else (1.0, 0.0)
        _moments(middle[w], bounds[w], fps, window, below, part, share)
        s, c = sincos(placed[w, 0])
        for p in range(places.shape[1]):
            for i in range(_STEPS):
                at[i, :] = 0.0
                for side in range(2):
                    weight = share[i] if side else 1.0 - share[i]
                    if weight > 0.0:
                        f, t = below[i, side], part[i, side]
                        x = (1.0 - t) * places[f, p, 0] + t * places[f + 1, p, 0]
                        y = (1.0 - t) * places[f, p, 1] + t * places[f + 1, p, 1]
                        z = (1.0 - t) * places[f, p, 2] + t * places[f + 1, p, 2]
                        if side:
                            x, z = c * x + s * z + placed[w, 1], c * z - s * x + placed[w, 2]
                        at[i, 0] += weight * x
                        at[i, 1] += weight * y
                        at[i, 2] += weight * z
            for i in range(_STEPS):
                x, z = at[i, 0], at[i, 2]
                at[i, 0], at[i, 2] = left_x * x + left_z * z, left_x * z - left_z * x
            k = p * _EACH
            for order in range(2):
                count = _STEPS - 1 - order
                for i in range(count):
                    course[3, i] = 0.0
                    for axis in range(3):
                        if order:
                            course[axis, i] = (at[i + 2, axis] - 2.0 * at[i + 1, axis] + at[i, axis]) * _RATE * _RATE
                        else:
                            course[axis, i] = (at[i + 1, axis] - at[i, axis]) * _RATE
                            if i % 3 == 0:
                                seen[p * _EACH + _STATISTICS + i + axis, w] = np.floor(course[axis, i] / _FINE[0] + 0.5)
                        course[3, i] += course[axis, i] * course[axis, i]
                    course[3, i] = np.sqrt(course[3, i])
                for axis in range(_COURSES):
                    _told(course[axis, :count], _FINE[order], seen[k : k + _TOLD, w])
                    k += _TOLD


@kernel((read(F32, 2), read(F32, 2), I64, U1[:, ::1]))
def levelled(seen, edges, first, levels):
    """Into levels (K, N), from window `first` on, how many of its feature's edges (K, n) each of seen (K, m) passes."""
    count = seen.shape[1]
    for k in range(seen.shape[0]):
        own, level = seen[k], levels[k, first : first + count]
        level[:] = 0
        for b in range(edges.shape[1]):
            edge = edges[k, b]
            for w in range(count):
                level[w] += U1(own[w] > edge)


@njit(**FAST)
def _moments(middle, bounds, fps, window, below, part, share):
    """Into below and part (_STEPS, 2) the frames before each step and how far after them it is, of the two motions of a
    window; into share (_STEPS,) that of the second, as linear blends have it."""
    for i in range(_STEPS):
        step = (i - _HALF - 1) * fps / _RATE
        u = min(max(((window - 1) // 2 + step + 1.0) / window, 0.0), 1.0)
        share[i] = u * u * (3.0 - 2.0 * u)
        for side in range(2):
            moment = middle[side] + step
            below[i, side] = min(max(int(np.floor(moment)), bounds[side, 0]), bounds[side, 1] - 2)
            part[i, side] = moment - below[i, side]


@njit(**FAST)
def _told(values, fine, out):
    """Into out (_TOLD,): mean, deviation, most and least of values, and mean and deviation in their middle."""
    count = values.shape[0]
    most, least = values[0], values[0]
    for i in range(count):
        most, least = max(most, values[i]), min(least, values[i])
    out[2], out[3] = np.floor(most / fine + 0.5), np.floor(least / fine + 0.5)
    for k in range(0, _TOLD, 4):
        first = count // 2 - 3 if k else 0
        stop = count // 2 + 4 if k else count
        mean = square = 0.0
        for i in range(first, stop):
            mean += values[i] / (stop - first)
        for i in range(first, stop):
            square += (values[i] - mean) * (values[i] - mean) / (stop - first)
        out[k], out[k + 1] = np.floor(mean / fine + 0.5), np.floor(np.sqrt(square) / fine + 0.5)
