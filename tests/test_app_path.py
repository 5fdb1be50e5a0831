"""The path on the floor: strokes become paths, points are moved, labels painted, edits taken back."""

from functools import partial

import numpy as np
import pytest
import sessions

from motiongraph.app import commands as do
from motiongraph.app.path import path_state
from motiongraph.app.path.path_state import painted, tidied
from motiongraph.app.update import update

tell = partial(sessions.tell, dt=1.0)  # far enough apart to be taken back one by one


@pytest.fixture
def state():
    return sessions.begin()


def errors(state):
    return [message.text for message in state.messages if message.level == "error"]


def drawn(state, points):
    x, z = points[0]
    for command in (do.BeginStroke(x, z), *(do.ExtendStroke(x, z) for x, z in points[1:]), do.EndStroke()):
        state.issue(command)
    update(state, 1.0)


def wave(count=200, length=8.0, shaking=0.0):
    t = np.linspace(0.0, 1.0, count)
    noise = np.random.default_rng(2).normal(0.0, shaking, (count, 2)) if shaking else 0.0
    return np.stack([1.5 * np.sin(2 * np.pi * t), length * t], axis=1) + noise


def turning(line):
    """The sharpest turn of a curve, 1/m."""
    heading = np.unwrap(np.arctan2(*line.tangents.T))
    return np.abs(np.gradient(heading, line.spacing)).max()


def test_a_shaking_hand_draws_a_path_that_can_be_walked(state):
    drawn(state, wave(shaking=0.03))
    path = state.path
    assert path.curve == "spline"
    assert not path.closed
    steady = wave()
    np.testing.assert_allclose(path.line.places[[0, -1]], steady[[0, -1]], atol=0.12)
    off = [np.hypot(*(steady - place).T).min() for place in path.line.places]
    assert max(off) < 0.15
    assert turning(path.line) < 2.5  # a radius of 40 cm at the least; the wave itself turns with 0.7 m


def test_smoothing_keeps_ends_and_straight_lines():
    line = np.stack([np.linspace(0, 5, 30), np.zeros(30)], axis=1)
    np.testing.assert_allclose(path_state.smoothed(line)[[0, -1]], line[[0, -1]], atol=1e-9)
    assert np.abs(path_state.smoothed(line)[:, 1]).max() < 1e-9
    circle = 3 * np.stack([np.cos(np.linspace(0, 2 * np.pi, 60)), np.sin(np.linspace(0, 2 * np.pi, 60))], axis=1)
    radius = np.hypot(*path_state.smoothed(circle[:-1], closed=True).T)
    np.testing.assert_allclose(radius, radius.mean(), atol=0.01)


def test_a_stroke_goes_on_from_the_end_or_replaces(state):
    drawn(state, wave())
    first, length = state.path.points, state.path.length
    x, z = first[-1]
    drawn(state, [(x + 0.2, z + s) for s in np.linspace(0.1, 3.0, 40)])
    assert state.path.length == pytest.approx(length + 3.0, abs=0.3)
    np.testing.assert_array_equal(state.path.points[:5], first[:5])
    drawn(state, [(20.0, s) for s in np.linspace(0.0, 3.0, 40)])
    assert state.path.length == pytest.approx(3.0, abs=0.01)


def test_a_stroke_that_comes_back_closes_itself_and_a_click_is_none(state):
    turn = np.linspace(0.0, 2 * np.pi, 80)
    drawn(state, np.stack([2 * np.cos(turn), 2 * np.sin(turn)], axis=1))
    assert state.path.closed
    assert state.path.length == pytest.approx(4 * np.pi, rel=0.05)
    before = state.path.points
    drawn(state, [(5.0, 5.0), (5.02, 5.0)])
    assert state.path.points is before


@pytest.mark.parametrize("name", path_state.PRESETS)
def test_ready_made_paths_begin_where_the_last_one_did(state, name):
    tell(state, do.SetPath(((1.0, 2.0), (1.0, 5.0)), curve="polyline"))
    tell(state, do.PathPreset(name, 6.0))
    line = state.path.line
    np.testing.assert_allclose(line.places[0], [1.0, 2.0], atol=1e-6)
    thin = line.places[::10]
    extent = np.hypot(*(thin[:, None] - thin[None]).T).max()
    assert extent == pytest.approx(6.0 * (np.sqrt(2) if name == "square" else 1.0), abs=0.2)
    assert line.closed == (name in ("circle", "eight", "square"))
    tell(state, do.PathPreset("line", 6.0))
    np.testing.assert_allclose(state.path.points, [[1.0, 2.0], [1.0, 8.0]], atol=1e-9)  # and goes the same way


def test_points_are_moved_added_and_removed(state):
    tell(state, do.SetPath(((0, 0), (0, 2), (0, 4)), curve="polyline"))
    tell(state, do.MovePoint(1, 1.0, 2.0))
    np.testing.assert_array_equal(state.path.points[1], [1.0, 2.0])
    tell(state, do.AddPoint(0.5, 0.9))
    assert len(state.path.points) == 4
    assert state.path.chosen == 1
    assert state.path.nearest(*state.path.points[1])[1] < 0.02
    tell(state, do.RemovePoint(1), do.RemovePoint(7))
    assert errors(state) == ["the path has no point 7"]
    tell(state, do.ClosePath(True))
    assert state.path.length == pytest.approx(2 * np.sqrt(5) + 4)
    tell(state, do.AddPoint(-0.1, 2.0))  # on the way back
    np.testing.assert_allclose(state.path.points[-1], [0.0, 2.0], atol=0.02)
    tell(state, do.SetCurve("spline"), do.SmoothPath())
    assert state.path.closed
    assert state.path.curve == "spline"


def test_painting():
    assert painted(None, 2.0, 4.0, "run", 10.0) == [(0.0, None), (2.0, "run"), (4.0, None)]
    twice = painted([(0.0, None), (2.0, "run"), (4.0, None)], 3.0, 5.0, "walk", 10.0)
    assert twice == [(0.0, None), (2.0, "run"), (3.0, "walk"), (5.0, None)]
    assert painted(twice, 2.0, 5.0, None, 10.0) is None
    assert painted(None, -1.0, 99.0, "walk", 10.0) == [(0.0, "walk")]
    assert tidied([(0.0, "a"), (1.0, "a"), (20.0, "b")], 10.0) == [(0.0, "a")]


def test_labels_move_with_the_path_and_turn_round(state):
    tell(state, do.SetPath(((0, 0), (0, 10)), curve="polyline"), do.PaintPath(2.0, 4.0, "run"))
    tell(state, do.MovePoint(1, 0.0, 20.0))
    assert state.path.labels == [(0.0, None), (4.0, "run"), (8.0, None)]
    tell(state, do.ReversePath())
    assert state.path.labels == [(0.0, None), (12.0, "run"), (16.0, None)]


def test_there_and_back_as_a_file(state, tmp_path):
    drawn(state, wave())
    tell(state, do.PaintPath(1.3, 4.1, "run"), do.SavePath(tmp_path / "a.csv"))
    before, labels = state.path.line, state.path.labels
    tell(state, do.ClearPath(), do.LoadPath(tmp_path / "a.csv"))
    assert [word for _, word in state.path.labels] == [word for _, word in labels]
    np.testing.assert_allclose([m for m, _ in state.path.labels], [m for m, _ in labels], atol=0.05)
    off = [np.hypot(*(before.places - place).T).min() for place in state.path.line.places]
    assert max(off) < 0.05
    tell(state, do.LoadPath(tmp_path / "none.csv"))
    assert "cannot be read" in errors(state)[0]


def test_edits_are_taken_back(state):
    drawn(state, wave())
    first = state.path.points
    tell(state, do.PaintPath(1.0, 2.0, "run"), do.MovePoint(2, 0.0, 0.0), do.ClearPath())
    assert state.path.line is None
    tell(state, do.Undo())
    assert len(state.path.points) == len(first)
    tell(state, do.Undo())
    np.testing.assert_array_equal(state.path.points, first)
    assert state.path.labels
    tell(state, do.Undo())
    assert state.path.labels is None
    tell(state, do.Undo())
    assert len(state.path.points) == 0
    tell(state, do.Redo(), do.Redo())
    assert state.path.labels


def test_nonsense_is_refused_with_a_sentence(state):
    tell(state, do.SetTool("hammer"), do.WalkPath(), do.PathPreset("spiral"), do.ExtendStroke(0.0, 0.0))
    tell(state, do.SetPath(((0.0, 0.0), (np.nan, 1.0))), do.PlantGoal((np.inf, 0.0)), do.ResetWalk())
    assert len(errors(state)) == 7
    assert state.path.goal is None


def test_a_path_that_cannot_be_taken_leaves_the_one_there_is(state, tmp_path):
    tell(state, do.SetPath(((0, 0), (0, 10)), curve="polyline"), do.PaintPath(2.0, 4.0, "run"), do.PlantGoal((1, 1)))
    path = state.path
    before = path.points, path.labels, path.goal, path.version, len(state.history.done)
    (tmp_path / "short.csv").write_text("0,0\n0,0.2\n")
    (tmp_path / "long.csv").write_text("0,0\n0,2000\n")
    tell(state, do.LoadPath(tmp_path / "short.csv"), do.LoadPath(tmp_path / "long.csv"))
    tell(state, do.SetPath(((0.0, 0.0), (np.nan, 1.0))), do.SetPath(((0, 0), (0, 2000))))
    drawn(state, [(50.0 * (s % 2), 20.0 + 0.1 * s) for s in range(60)])  # scribbled, and too long
    assert (path.points, path.labels, path.goal, path.version, len(state.history.done)) == before
    said = errors(state)[::-1]
    assert [any(words in text for text in said) for words in ("shorter than 0.5 m", "500 m long at most")] == [True] * 2
    assert len(said) == 5


def test_a_stroke_that_another_tool_interrupts_can_be_taken_back(state):
    for command in (do.SetTool("draw"), do.BeginStroke(0, 0), do.ExtendStroke(0, 2), do.SetTool("edit")):
        state.issue(command)
    update(state, 1.0)
    assert state.path.length == pytest.approx(2.0)
    tell(state, do.Undo())
    assert state.path.line is None
    assert not errors(state)


def test_goals_are_taken_back_and_leave_the_path_alone(state):
    tell(state, do.SetPath(((0, 0), (0, 4))), do.PlantGoal((1, 2)), do.PlantGoal((3, 4)), do.Undo())
    assert state.path.goal == (1, 2)
    tell(state, do.Undo())
    assert state.path.goal is None
    assert state.path.length == pytest.approx(4.0)


def test_what_changes_nothing_is_no_edit(state):
    tell(state, do.SetPath(((0, 0), (0, 4)), curve="polyline"), do.PaintPath(1, 2, "run"))
    count = len(state.history.done)
    tell(state, do.PaintPath(1, 2, "run"), do.SetCurve("polyline"), do.MovePoint(1, 0, 4), do.ClosePath(False))
    assert len(state.history.done) == count
