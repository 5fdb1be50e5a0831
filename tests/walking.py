"""Graphs of the bundled samples, and walks on made-up motion, for tests of synthesis."""

from functools import cache
from types import SimpleNamespace

import numpy as np

import motiongraph as mg
from motiongraph.files import resource
from motiongraph.graph.structure import TRANSITION
from motiongraph.walks.walk import Walk


@cache
def sample(name):
    return mg.load(resource("assets/samples") / f"{name}.bvh")


@cache
def sample_graph(*names):
    """The pruned graph of bundled samples at the automatic threshold."""
    return mg.MotionGraph.build([sample(name) for name in names]).pruned()


def joined(clips, window, start, jumps, stop=None, **facts):
    """A walk from (clip, frame) along rows (src, src_frame, dst, dst_frame, cost, theta, x0, z0)."""
    graph = SimpleNamespace(clips=tuple(clips), window=window, fps=clips[0].fps, metric=mg.Metric())
    return Walk.of(graph, start, np.array([tuple(row) for row in jumps], TRANSITION), stop, **facts)


def turns_of(clip):
    """(F,) degrees, unwound, that the way the hips go across the body is turned about y."""
    left, right = (next(j for j, n in enumerate(clip.skeleton.names) if n in names) for names in _HIPS)
    across = clip.positions()[:, left] - clip.positions()[:, right]
    return np.degrees(np.unwrap(np.arctan2(across[:, 0], across[:, 2])))


_HIPS = ({"lfemur", "LeftUpLeg"}, {"rfemur", "RightUpLeg"})
