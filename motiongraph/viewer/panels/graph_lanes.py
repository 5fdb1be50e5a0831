"""What the lanes of the graph's picture show: labels, what pruning keeps, dead ends, a walk and where it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.graph.lanes import kept_spans
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.state import AppState
from motiongraph.graph.picture import along
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import word_colour

if TYPE_CHECKING:
    from motiongraph.app.graph.lanes import Lanes
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.walks.walk import Walk

Place = tuple[float, float]  # seconds and lane


def graph_and_lanes(state: AppState) -> tuple[MotionGraph, Lanes]:
    """The graph and its lanes; what draws them is shown only where there are some."""
    graph, lanes = need_graph(state), state.graph.lanes
    assert lanes is not None
    return graph, lanes


def bars(
    graph: MotionGraph, own: Lanes, strips: np.ndarray, exits: np.ndarray, gap: float, density: float
) -> np.ndarray:
    """(m, 8) of a `Sheet`: labels as strips, darkened where pruning takes frames away, red where motion can only be
    played to its clip's end. strips: as `label_strips` gives; exits: as `last_exits` does; gap: pixels from lane to
    lane."""
    half = min(max(0.15 * gap, 1.2 * density), 6.0 * density)
    found = np.zeros((len(strips), 8), np.float32)
    found[:, :2], found[:, 4:7], found[:, 7] = strips[:, 1:3], strips[:, 5:8], 1.0
    found[:, 3] = half * strips[:, 4]
    found[:, 2] = strips[:, 0] + half / gap * strips[:, 3]
    lost, tails = _lost(graph, own), _tails(graph, own, exits)
    shade = np.zeros((len(lost) + len(tails), 8), np.float32)
    shade[:, [2, 0, 1]] = np.concatenate([lost, tails])
    shade[: len(lost), 3], shade[: len(lost), 4:] = half + 0.5 * density, (*theme.LANES.paper, 0.72)
    shade[len(lost) :, 3], shade[len(lost) :, 4:] = 0.4 * half, (*theme.LANES.tail, 1.0)
    return np.concatenate([found, shade])


def label_strips(graph: MotionGraph, own: Lanes) -> np.ndarray:
    """(n, 8) lane, start and stop in seconds, where in the lane (−1 … 1), how much of it, and colour: a strip for every
    stretch of a label, one for the whole of a clip without any."""
    strips = []
    for lane, clip in enumerate(graph.clips[c] for c in own.shown):
        end = (len(clip) - clip.first) / graph.fps
        strips.append([lane, 0.0, end, 0.0, 1.0, *theme.LANES.bar])
        words = list(clip.labels)
        for word, start, stop in clip.labels.spans():
            left, right = ((max(f - clip.first, 0)) / graph.fps for f in (start, stop))
            place = (2 * words.index(word) + 1) / len(words) - 1.0
            strips.append([lane, left, right, place, 1.0 / len(words), *word_colour(word)])
    return np.array(strips, np.float32)


def _lost(graph: MotionGraph, own: Lanes) -> np.ndarray:
    """(n, 3) lane, start and stop of the stretches that pruning takes away."""
    kept, seconds = kept_spans(graph), own.seconds
    kept = kept[np.isin(kept[:, 0], own.shown)]
    kept[:, 0] = own.lane[kept[:, 0].astype(int)]
    lanes = np.arange(len(seconds))
    edges = np.concatenate(
        [
            np.column_stack([lanes, np.zeros(len(lanes))]),
            np.column_stack([kept[:, 0], kept[:, 2]]),
            np.column_stack([kept[:, 0], kept[:, 1]]),
            np.column_stack([lanes, seconds]),
        ]
    )
    kinds = np.repeat([0, 0, 1, 1], [len(lanes), len(kept), len(kept), len(lanes)])
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    edges, kinds = edges[order], kinds[order]
    # Every start of what is lost (0) is followed by its end (1); equal times may have come the other way round.
    starts, stops = edges[kinds == 0], edges[kinds == 1]
    gaps = np.column_stack([starts[:, 0], starts[:, 1], stops[:, 1]])
    return gaps[gaps[:, 2] > gaps[:, 1] + 1e-6]


def _tails(graph: MotionGraph, own: Lanes, exits: np.ndarray) -> np.ndarray:
    """(n, 3) lane, start and stop of what can only be played to its clip's end."""
    firsts = np.array([graph.clips[c].first for c in own.shown])
    start = np.maximum(exits[own.shown] - firsts, 0) / graph.fps
    tails = np.column_stack([np.arange(len(start)), start, own.seconds])
    return tails[tails[:, 2] > tails[:, 1]]


# The walk


def walk_of(state: AppState) -> Walk | None:
    """The walk of the current result, where there is one."""
    entry = state.library.get(state.tracks[RESULT].clip)
    return entry.made.walk if entry is not None and entry.made else None


def lane_numbers(graph: MotionGraph, own: Lanes, walk: Walk) -> dict[int, tuple[int, int]]:
    """clip of the walk → the clip of the current graph that it is, and its lane; for those that have one."""
    if walk.clips is graph.clips:
        return {i: (i, int(lane)) for i, lane in enumerate(own.lane) if lane >= 0}
    clips = {clip.name: i for i, clip in enumerate(graph.clips) if own.lane[i] >= 0}
    same = ((i, clips.get(clip.name), clip) for i, clip in enumerate(walk.clips))
    found = ((i, c) for i, c, clip in same if c is not None and len(clip) == len(graph.clips[c]))
    return {i: (c, int(own.lane[c])) for i, c in found}


def seconds_of(graph: MotionGraph, lanes: dict[int, tuple[int, int]], clip: int, frame: float) -> Place:
    """Where a frame of one of the walk's clips is."""
    own, lane = lanes[clip]
    return (frame - graph.clips[own].first) / graph.fps, float(lane)


def ends_of(graph: MotionGraph, own: Lanes, row: np.void) -> list[float]:
    """(4,) where the curve of a transition begins and ends."""
    found = []
    for end in ("src", "dst"):
        clip = int(row[end])
        start = (int(row[f"{end}_frame"]) - graph.clips[clip].first + 0.5 * graph.window) / graph.fps
        found += [start, float(own.lane[clip])]
    return found


def walked(graph: MotionGraph, own: Lanes, walk: Walk, half: float) -> tuple[np.ndarray, np.ndarray]:
    """(rows of curves, bars) of a walk on the lanes of the current graph."""
    lanes = lane_numbers(graph, own, walk)
    rows, pieces = [], []
    for row in walk.transitions:
        if row["src"] in lanes and row["dst"] in lanes:
            ends = [
                value
                for end in ("src", "dst")
                for value in seconds_of(graph, lanes, row[end], row[f"{end}_frame"] + 0.5 * walk.window)
            ]
            rows.append([*ends, row["cost"], 0.0, 0.0, 0.0])
    for clip, start, stop in walk.steps.tolist():
        if clip in lanes:
            left, lane = seconds_of(graph, lanes, clip, start)
            pieces.append([left, left + (stop - start) / graph.fps, lane, half, *theme.LANES.walk, 1.0])
    return np.array(rows, np.float32).reshape(-1, 8), np.array(pieces, np.float32).reshape(-1, 8)


def playing(state: AppState, own: Lanes, lanes: dict[int, tuple[int, int]]) -> Place | None:
    """The play head: along the walk where the active clip is a result, else in the lane of the clip."""
    entry, graph, drawn = state.entry, need_graph(state), state.graph.drawn
    if entry is None or drawn is None:
        return None
    frame = frame_of(state)
    origin = entry.clip.origin
    if entry.made and origin is not None:
        at = min(int(frame), len(origin.clip) - 1)
        clip, other = int(origin.clip[at]), int(origin.other[at])
        if clip not in lanes or (other >= 0 and other not in lanes):
            return None
        here = seconds_of(graph, lanes, clip, int(origin.frame[at]))
        if other < 0:
            return here
        there = seconds_of(graph, lanes, other, int(origin.other_frame[at]))
        return along(*here, *there, 1.0 - float(origin.weight[at]))
    number = next((i for i, e in enumerate(drawn.entries) if e.number == entry.number), None)
    if number is None or own.lane[number] < 0:
        return None
    clip = graph.clips[number]
    at = entry.clip.file_frame(frame)
    if clip.file_frames is not None:
        at = float(np.interp(at, clip.file_frames, np.arange(len(clip)), left=-1.0, right=-1.0))
    return ((at - clip.first) / clip.fps, float(own.lane[number])) if clip.first <= at < len(clip) else None
