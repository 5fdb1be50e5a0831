"""Transitions of a result changed by hand: blend lengths, neighbouring minima, undo."""

from dataclasses import replace

import numpy as np
import pytest
from sessions import begin, said, tell, worked

from motiongraph.app import commands as do
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.walk.edit_transitions import blend_lengths, neighbour, neighbours, next_minimum
from motiongraph.app.walk.results import results
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.curve import Curve
from motiongraph.walks.follow_path import follow_path
from motiongraph.walks.path_goal import Effort
from motiongraph.walks.random_walk import random_walk
from motiongraph.walks.turned_walk import turned_along


@pytest.fixture(scope="module")
def turning(motion):
    """A walk with transitions that have other minima near them."""
    walk = random_walk(motion[0], seconds=20, rng=3)
    assert len(walk.transitions) >= 2
    return motion[0], walk, synthesize(walk, name="wander")


@pytest.fixture
def state(turning):
    state = worked(turning)
    tell(state, do.Pause())
    return state


def shown(state):
    return results(state)[0]


def test_a_blend_length_of_one_transition(state):
    before = shown(state)
    walk, number = before.made.walk, before.number
    tell(state, do.Seek(30, RESULT), do.SetBlendLength(number, 0, 4 / walk.fps))
    after = shown(state)
    assert after.number == number
    assert blend_lengths(after).tolist() == [4, *[walk.window] * (len(walk.transitions) - 1)]
    expected = synthesize(walk, lengths=blend_lengths(after) / walk.fps)
    np.testing.assert_array_equal(after.clip.rotations, expected.rotations)
    assert not np.array_equal(after.clip.rotations, before.clip.rotations)
    assert frame_of(state, RESULT) == 30  # the play head stays
    tell(state, do.SetBlendLength(number, 0, 99.0))
    assert blend_lengths(shown(state))[0] == walk.window  # at most
    tell(state, do.Undo())  # one drag, one edit
    assert shown(state) is before
    tell(state, do.SetBlendLength(number, 50, 0.1))
    assert "transitions 0 to" in said(state)[0]


def test_a_transition_slides_to_the_next_minimum(state):
    before = shown(state)
    made, slid = before.made, False
    for number in range(len(made.walk.transitions)):
        jump, near = made.walk.transitions[number], neighbours(made, number)
        assert jump in near
        assert (near["src"] == jump["src"]).all()
        assert (near["dst"] == jump["dst"]).all()
        assert neighbour(made, number, 0.0) == jump
        for way in (-1, 1):
            found = next_minimum(made, number, way)
            if found is None:
                continue
            assert way * (int(found["src_frame"]) - int(jump["src_frame"])) > 0
            tell(state, do.SlideTransition(before.number, number, int(found["src_frame"]), int(found["dst_frame"])))
            after = shown(state)
            assert after.made.walk.transitions[number] == found
            assert len(after.clip) == len(after.made.walk) != 0
            assert after.made.report["cost_max"] == pytest.approx(after.made.walk.transitions["cost"].max())
            others = np.arange(len(made.walk.transitions)) != number
            np.testing.assert_array_equal(after.made.walk.transitions[others], made.walk.transitions[others])
            tell(state, do.Undo())
            assert shown(state) is before
            slid = True
    assert slid
    tell(state, do.SlideTransition(before.number, 0, 1, 1))
    assert "no minimum" in said(state)[0]
    assert shown(state) is before


@pytest.mark.usefixtures("config")
def test_what_was_changed_is_saved_and_can_be_changed_on(state, tmp_path):
    number, walk = shown(state).number, shown(state).made.walk
    found = [(k, next_minimum(shown(state).made, k, 1)) for k in range(len(walk.transitions))]
    slid, jump = next((k, jump) for k, jump in found if jump is not None)
    tell(state, do.SetBlendLength(number, 0, 4 / walk.fps))
    tell(state, do.SlideTransition(number, slid, int(jump["src_frame"]), int(jump["dst_frame"])))
    tell(state, do.SaveProject(tmp_path / "edited.mgproj"))
    other = begin()
    tell(other, do.OpenProject(tmp_path / "edited.mgproj"))
    before, after = shown(state), shown(other)
    np.testing.assert_array_equal(blend_lengths(after), blend_lengths(before))
    assert blend_lengths(after)[0] == 4
    np.testing.assert_array_equal(after.made.walk.transitions, before.made.walk.transitions)
    np.testing.assert_array_equal(after.clip.rotations, before.clip.rotations)
    tell(other, do.SetBlendLength(after.number, 0, 8 / walk.fps))
    assert blend_lengths(shown(other))[0] == 8
    tell(other, do.Undo())
    np.testing.assert_array_equal(shown(other).clip.rotations, before.clip.rotations)


@pytest.mark.usefixtures("config")
def test_a_body_that_is_turned_is_turned_again(motion, tmp_path):
    """Along a path that bends more than the clips do, before and after the project was saved."""
    graph, curve, rate = motion[0], Curve.of([(0, 0), (2, 6), (0, 12)]), np.radians(Effort.turning)
    walk = follow_path(graph, curve, effort=Effort(turning=0.0))
    walk = turned_along(walk, curve, rate)
    state = worked((graph, walk, synthesize(walk, name="along")))
    made = shown(state).made
    assert np.abs(made.turns[:, 0]).max() > 0.05
    number, jump = next((k, j) for k in range(len(walk.transitions)) if (j := next_minimum(made, k, 1)) is not None)
    tell(state, do.SaveProject(tmp_path / "turned.mgproj"))
    other = begin()
    tell(other, do.OpenProject(tmp_path / "turned.mgproj"))
    np.testing.assert_array_equal(shown(other).made.walk.turns, walk.turns)
    for here in (state, other):
        tell(here, do.SetBlendLength(shown(here).number, number, 4 / walk.fps))
        np.testing.assert_array_equal(shown(here).made.walk.turns, walk.turns)
        tell(here, do.SlideTransition(shown(here).number, number, int(jump["src_frame"]), int(jump["dst_frame"])))
        slid = shown(here).made.walk
        assert slid.transitions[number] == jump
        expected = turned_along(replace(slid, turns=None), curve, rate)
        np.testing.assert_allclose(slid.turns, expected.turns, atol=1e-6)
    np.testing.assert_array_equal(shown(state).clip.root, shown(other).clip.root)
