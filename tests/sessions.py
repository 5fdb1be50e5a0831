"""A state with clips, a graph, a result and settings of every kind, for tests of projects."""

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import drawable
from motiongraph.app.library.entries import prepare
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.app.walk.results import Made, results, show_made
from motiongraph.files import resource
from motiongraph.formats.load import load
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.viewer.camera import Camera
from motiongraph.walks.random_walk import random_walk

SAMPLES = resource("assets/samples")


def begin(names=(), folder=SAMPLES):
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    update(state, 0.0)
    paths = tuple(folder / f"{name}.bvh" for name in names)
    if paths:
        tell(state, do.OpenPaths(paths))
    return state


def tell(state, *commands, dt=0.0):
    for command in commands:
        state.issue(command)
        update(state, dt)
    update(state, 0.0)


def said(state) -> list[str]:
    return [message.text for message in state.messages]


def made_motion():
    """A graph of two samples, a walk through it, and its motion."""
    graph = MotionGraph.build([load(SAMPLES / f"{name}.bvh") for name in ("walk", "walk_run")], mirror=True).pruned()
    walk = random_walk(graph, seconds=6, rng=3)
    return graph, walk, synthesize(walk, name="wander")


def worked(motion, folder=SAMPLES):
    """Both samples, trimmed and labelled, with a graph and a result."""
    graph, walk, clip = motion
    state = begin(("walk", "walk_run"), folder)
    tell(state, do.Trim(1, 5, 90), do.SetLabels(2, ("quick", "turn"), 10, 60))
    drawn = drawable(graph, list(state.library))
    state.graph.take(graph, drawn)
    asked, options = np.array([[0.0, 0.0], [1.0, 2.0]]), {"seconds": 6.0}
    made = Made(walk, "random", options, 3, {"frames": 5}, asked, drawn.entries, graph)
    show_made(state, clip, prepare(clip), made)
    tell(state, do.SetMetric("window", 0.5), do.SetWalk("sequential"), do.SetSeed(9))
    tell(state, do.SetWalkOption("sequential", "order", ("walk", "turn")))
    tell(state, do.Split(2), do.MoveCharacter(x=1.5), do.SetLayer("flow", True), do.SetCamera((("yaw", 12.0),)))
    return state


def assert_same(found, wanted):
    assert [e.name for e in found.library] == [e.name for e in wanted.library]
    for a, b in zip(found.library, wanted.library):
        assert (a.number, a.start, a.stop, a.used, a.path) == (b.number, b.start, b.stop, b.used, b.path)
        assert a.clip.labels.spans() == b.clip.labels.spans()
        for name in ("root", "rotations"):
            np.testing.assert_array_equal(getattr(a.clip, name), getattr(b.clip, name))
    np.testing.assert_array_equal(found.graph.graph.candidates.table, wanted.graph.graph.candidates.table)
    assert found.graph.graph.thresholds == wanted.graph.graph.thresholds
    assert found.graph.report == wanted.graph.report
    (made,), (other,) = results(found), results(wanted)
    for name in ("steps", "transitions", "placements"):
        np.testing.assert_array_equal(getattr(made.made.walk, name), getattr(other.made.walk, name))
    np.testing.assert_array_equal(made.made.asked, other.made.asked)
    assert (made.made.options, made.made.seed) == (other.made.options, other.made.seed)
    np.testing.assert_array_equal(made.clip.origin.planted, other.clip.origin.planted)
    assert made.clip.origin.names == other.clip.origin.names
    assert vars(found.scene.layers) == vars(wanted.scene.layers)
    assert found.scene.places == wanted.scene.places
    assert (found.scene.views, found.active) == (wanted.scene.views, wanted.active)
    assert [t.clip for t in found.tracks] == [t.clip for t in wanted.tracks]
    assert found.matrix.metric == wanted.matrix.metric
    assert found.matrix.metric.window == 0.5
    assert vars(found.walk) | {"_names": 0} == vars(wanted.walk) | {"_names": 0}
    assert found.camera.yaw == wanted.camera.yaw
    np.testing.assert_array_equal(found.camera.target, wanted.camera.target)
