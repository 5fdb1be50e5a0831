"""Labels asked for together: motion that is "walk" and "fast" at once (Kovar 2002, 3.4)."""

import numpy as np
import pytest
from graphs import graph_of, still
from test_walks_planning import ring

import motiongraph as mg
from motiongraph.errors import MotionError
from motiongraph.model.labels import Labels
from motiongraph.walks.walk import called, frames_named


@pytest.fixture(scope="module")
def graph():
    """Turns on a ring; half of the clips also count as fast, one of them as "one+two"."""
    words = [("walk",), ("walk", "fast"), ("walk", "fast"), ("walk", "fast"), ("walk", "one+two")]
    return ring([-1.5, -0.7, 0.0, 0.7, 1.5], words)


def test_a_set_means_frames_with_all_of_its_labels(graph):
    both = frames_named(graph, {"walk", "fast"})
    np.testing.assert_array_equal(both, frames_named(graph, "walk") & frames_named(graph, "fast"))
    np.testing.assert_array_equal(both, frames_named(graph, "fast+walk"))
    np.testing.assert_array_equal(both, frames_named(graph, "walk + fast"))
    assert 0 < both.sum() < frames_named(graph, "walk").sum()
    assert called(graph, frozenset({"walk", "fast"})) == "fast + walk"


def test_a_label_with_a_plus_sign_is_itself(graph):
    assert frames_named(graph, "one+two").sum() == len(graph.clips[4])


@pytest.mark.parametrize("asked", [{"walk", "slow"}, "walk+slow", "fast+one+two", set()])
def test_sets_that_hold_nowhere(graph, asked):
    with pytest.raises(MotionError, match=r"at once|at least one label"):
        frames_named(graph, asked)


@pytest.mark.parametrize("labels", [{"walk", "fast"}, "walk+fast", [(0.0, {"walk", "fast"})]])
def test_along_a_path(graph, labels):
    walk = mg.follow_path(graph, [(0.0, 0.0), (0.0, 6.0)], labels)
    assert walk.facts["labels_held"] == 1.0
    assert set(walk.steps["clip"].tolist()) <= {1, 2, 3}


def test_around_an_obstacle(graph):
    """Sets keep their stretches of a path on its way round."""
    asked = [(0.0, "walk"), (5.0, {"walk", "fast"})]
    walk = mg.follow_path(graph, [(0.0, 0.0), (0.0, 9.0)], asked, obstacles=[(0.1, 3.0, 0.3)])
    assert walk.facts["labels_held"] > 0.95
    (switch,) = walk.facts["switches"]
    assert 5.0 < switch["asked"] < 5.6  # as much later as the way round is longer
    assert walk.steps["clip"][-1] in (1, 2, 3)
    assert walk.facts["clearance"] > 0.0


def test_in_a_sequence_with_a_detour():
    """Where no transition leads from a set to the next item, other motion leads there."""
    words = ("walk", "fast"), ("turn",), ("walk", "slow")
    clips = [still(20, f"clip{k}", labels) for k, labels in enumerate(words)]
    graph = graph_of(clips, [(0, 12, 1, 3, 1.0), (1, 10, 2, 4, 1.0)], 2)
    walk = mg.sequential_walk(graph, [{"walk", "fast"}, "slow+walk"], stay=0.1)
    assert set(walk.steps["clip"].tolist()) == {0, 1, 2}
    assert walk.facts["detour_seconds"] > 0
    with pytest.raises(mg.Unreachable, match=r"from fast \+ walk to slow\+walk"):
        mg.sequential_walk(graph, [{"walk", "fast"}, "slow+walk"], stay=0.1, detours=False)


def test_in_a_sequence(graph):
    walk = mg.sequential_walk(graph, ["fast+walk", 4, {"walk", "fast"}])
    clips = walk.steps["clip"].tolist()
    assert clips[0] in (1, 2, 3)
    assert 4 in clips
    assert clips[-1] in (1, 2, 3)


def test_while_driving(graph):
    driven = mg.LiveCharacter(graph)
    driven.steer((0.0, 1.0), label={"walk", "fast"})
    for _ in range(30):
        driven.advance(0.1)
    assert driven.problem is None


def test_sets_that_occur():
    labels = Labels.of(10, {"walk": (0, 8), "fast": (4, 6), "turn": (5, 10)})
    assert labels.together() == [("turn", "walk"), ("fast", "walk"), ("fast", "turn", "walk")]
    assert Labels.of(4, "walk").together() == []
