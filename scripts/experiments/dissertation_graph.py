"""The dissertation's graph of six clips, as its program builds it and as ours does, and pictures of walks on it."""

from itertools import combinations

import numpy as np
import plot

import motiongraph as mg
from motiongraph.graph.candidates import Candidates
from motiongraph.graph.picture import curves
from motiongraph.graph.structure import TRANSITION, both_ways, in_order
from motiongraph.metric.search import search
from motiongraph.walks.walk import Walk

PUBLISHED = mg.Metric(kind="dissertation", window=81 / 120)
CENTRE = 40  # transitions are published by the middle frame of their window


def as_published(clips, progress) -> mg.MotionGraph:
    """Every local minimum between two different clips that is not at the border, whatever it costs, both ways."""
    prepared = [PUBLISHED.prepare(clip) for clip in clips]
    pairs = list(combinations(range(len(clips)), 2))
    found = search([(prepared[i], prepared[j]) for i, j in pairs], border=False, progress=progress)
    table = np.concatenate(
        [both_ways(i, j, minima) for (i, j), minima in zip(pairs, found)] or [np.empty(0, TRANSITION)]
    )
    clips = tuple(clips)
    return mg.MotionGraph(Candidates(clips, clips, PUBLISHED, in_order(table), np.inf, 0.0, False), np.inf)


def edges_of(graph) -> dict:
    """{(source, target, i, j): cost}, clips by name and frames as published."""
    names = [clip.name for clip in graph.clips]
    return {
        (names[e["src"]], names[e["dst"]], int(e["src_frame"]) + CENTRE, int(e["dst_frame"]) + CENTRE): float(e["cost"])
        for e in graph.transitions
    }


def last_edges(graph, first, most=20) -> Walk:
    """The walk that the dissertation's program makes from one edge of the graph.

    Its search for the cheapest edge never lowers the minimum it compares with. So the last edge of its list wins that
    leaves far enough after the current frame: here a window, so that every walk can be played. most: of transitions.
    """
    table, taken = graph.transitions, [graph.transitions[first]]
    # Its list: pairs of clips in order, each matrix row by row, every minimum added to both of its clips.
    low, high = np.minimum(table["src"], table["dst"]), np.maximum(table["src"], table["dst"])
    forward = table["src"] < table["dst"]
    row = np.where(forward, table["src_frame"], table["dst_frame"])
    column = np.where(forward, table["dst_frame"], table["src_frame"])
    listed = table[np.lexsort((column, row, high, low))]
    while len(taken) < most:
        clip, frame = taken[-1]["dst"], taken[-1]["dst_frame"]
        ahead = np.flatnonzero((listed["src"] == clip) & (listed["src_frame"] >= frame + graph.window))
        if not len(ahead):
            break
        taken.append(listed[ahead[-1]])
    start = int(taken[0]["src"]), 0
    return Walk.of(graph, start, np.array(taken, table.dtype), method="program")


def walk_picture(graph, walks, words, title) -> plot.Plot:
    """Clips as lanes in time with all transitions faint, and walks on them in green, their starts blue (figure 5.6 b).

    words: what the lanes are called.
    """
    lanes = {-float(i): word for i, word in enumerate(words)}
    chart = plot.Plot(title, "seconds", size=(900, 90 + 62 * len(words)), ticks_y=lanes)
    for curve in curves(graph, graph.transitions):
        chart.line(curve[:, 0], -curve[:, 1], colour=(222, 224, 230), width=0.8)
    for i, clip in enumerate(graph.clips):
        chart.line([0, len(clip) / graph.fps], [-i, -i], colour=(120, 126, 138), width=3)
    for walk in walks:
        half = walk.window / 2
        for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
            # Half of each blend belongs to the clip before it and half to the one after.
            ends = start - half * (k > 0), stop + half * (k < len(walk.steps) - 1)
            chart.line(
                np.array(ends) / graph.fps, [-clip, -clip], colour=(31, 105, 175) if k == 0 else (20, 150, 70), width=5
            )
        for curve in curves(graph, walk.transitions):
            chart.line(curve[:, 0], -curve[:, 1], colour=(20, 150, 70), width=2.5)
    return chart
