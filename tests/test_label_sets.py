"""Labels asked for together: motion that is "walk" and "fast" at once (Kovar 2002, 3.4)."""

import numpy as np
import pytest
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
