"""Driven bodies are turned towards where they are to go, and not against the swing of their hips."""

import numpy as np
import pytest
from walking import sample

import motiongraph as mg
from motiongraph.model.placement import heading_of
from motiongraph.walks.turn_frames import facing_of


def unit(heading: np.ndarray) -> np.ndarray:
    """(n, 2) x, z of headings in radians."""
    return np.stack([np.sin(heading), np.cos(heading)], axis=1)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_facing_without_the_swing_of_the_hips(fps):
    """Hips swing once in a stride, 0.9 times a second; a turn goes on as it was."""
    seconds = np.arange(0.0, 8.0, 1.0 / fps)
    swing, turn = 0.2 * np.sin(2.0 * np.pi * 0.9 * seconds), 0.5 * seconds
    steady = np.unwrap(heading_of(facing_of(unit(turn + swing), fps)))
    amid = (seconds > 1.5) & (seconds < 6.5)
    assert np.abs(steady - turn)[amid].max() < 0.15 * 0.2
    np.testing.assert_allclose(np.linalg.norm(facing_of(unit(turn), fps), axis=1), 1.0)


def test_frames_before_the_first_do_not_count():
    face = unit(np.repeat([2.0, 0.0], [20, 40]))
    np.testing.assert_allclose(facing_of(face, 30.0, 20)[20:], unit(np.zeros(40)), atol=1e-12)
    assert abs(facing_of(face, 30.0)[20, 0]) > 0.1


def test_who_walks_straight_on_is_hardly_turned():
    """A body that was turned against every swing of its hips wagged, which told made motion from captured."""
    graph = mg.MotionGraph.build([sample(name).resampled(30) for name in ("walk",)])
    character = mg.LiveCharacter(graph, rng=0, cleanup=False)
    character.steer((0.0, 1.0), "walk")
    character.advance(4.0)
    begun = int(character.played * graph.fps)
    character.advance(8.0)
    live = character._driven.live
    turns = np.array([live.turning.at(frame)[0] for frame in range(begun, int(character.played * graph.fps))])
    rates = np.degrees(np.abs(np.diff(turns))) * graph.fps
    headings = np.unwrap(heading_of(live.track(begun, begun + len(turns))[:, 2:4]))
    swings = np.degrees(np.abs(np.diff(headings))) * graph.fps
    assert rates.mean() < 0.3 * swings.mean()
