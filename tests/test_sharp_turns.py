"""How sharply clips turn, and where paths turn more sharply."""

import numpy as np
import pytest
from graphs import FPS, POINT, graph_of

from motiongraph.model.clip import Clip
from motiongraph.walks.curve import Curve
from motiongraph.walks.sharp_turns import corners, sharp_stretches, tightest_turn


def circling(radius, frames=120, speed=1.2, name="clip"):
    """A point that goes round a circle."""
    angle = np.arange(frames) / FPS * speed / radius
    root = radius * np.stack([np.sin(angle), 0.0 * angle, np.cos(angle)], axis=1)
    return Clip(POINT, root, np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1, 1)), FPS, name, ())


@pytest.mark.parametrize("radius", [0.8, 1.5, 4.0])
def test_the_tightest_turn_is_that_of_the_tightest_circle(radius):
    graph = graph_of([circling(8.0, name="wide"), circling(radius)], [], 3)
    assert 1.0 / tightest_turn(graph) == pytest.approx(radius, rel=0.1)


def test_who_stands_does_not_turn():
    rng = np.random.default_rng(1)
    clip = circling(5.0)
    still = Clip(
        POINT, rng.normal(0.0, 0.02, (300, 3)).cumsum(axis=0) * 0.01, np.tile([1.0, 0, 0, 0], (300, 1, 1)), FPS
    )
    assert tightest_turn(graph_of([clip, still], [], 3)) == pytest.approx(0.2, rel=0.1)


def test_the_corner_of_a_path_is_found():
    corner = Curve.of([(0.0, 0.0), (0.0, 5.0), (5.0, 5.0)])
    (found,) = sharp_stretches(corner, 1.0)
    assert 3.8 < found[0] < 5.0 < found[1] < 6.2
    assert sharp_stretches(corner, 3.2) == []
    t = np.linspace(0.0, np.pi, 60)
    bow = Curve.of(np.stack([3.0 * np.sin(t), 3.0 * np.cos(t)], axis=1))
    assert sharp_stretches(bow, 1.0 / 3.0) == []
    assert sharp_stretches(bow, 1.0 / 5.0) == [(pytest.approx(0.0), pytest.approx(bow.length, abs=0.2))]
    assert sharp_stretches(Curve.of([(0.0, 0.0), (0.5, 0.0)]), 1.0) == []


def test_only_sharp_corners_are_found():
    assert corners(Curve.of([(0, 0), (0, 6), (6, 6)])) == []
    back = Curve.of([(0, 0), (0, 6), (0.05, 0)])
    ((at, turn),) = corners(back)
    assert at * back.spacing == pytest.approx(6.0, abs=0.1)
    assert abs(turn) == pytest.approx(np.pi, abs=0.02)
    (left, right) = corners(Curve.of([(0, 0), (0, 6), (3, 1), (6, 6)]))
    assert left[1] * right[1] < 0
