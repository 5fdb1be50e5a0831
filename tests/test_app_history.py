"""Taking edits back, however they were made, and after what they were made of has changed."""

import pytest
from swinging import numbers, put, swinging, tell, three_clips

from motiongraph.app import commands as do
from motiongraph.app.matrix.comparison import threshold_of
from motiongraph.app.update import update
from motiongraph.metric.metric import Metric


@pytest.fixture
def state():
    state = three_clips()
    tell(state, do.BuildGraph())
    return state


def later(state, *commands):
    """Each an edit of its own."""
    for command in commands:
        update(state, 2.0)
        tell(state, command)


def limit(state):
    return state.graph.graph.thresholds.within


def errors(state):
    return [message.text for message in state.messages if message.level == "error"]


def test_thresholds_are_taken_back_after_the_graph_was_built_anew(state):
    first = limit(state)
    later(state, do.SetThreshold(3.0), do.UseClip(numbers(state)["three"], True), do.BuildGraph())
    assert limit(state) == 3.0
    later(state, do.SetThreshold(4.0), do.Undo())
    assert limit(state) == 3.0
    later(state, do.Undo())
    graph = state.graph.graph
    assert graph.is_auto
    assert limit(state) == type(graph)(graph.candidates).thresholds.within  # that of the new graph
    assert not errors(state)
    later(state, do.Redo(), do.Redo())
    assert limit(state) == 4.0
    assert first != 4.0


def test_a_slow_drag_is_one_edit(state):
    later(state, do.SetThreshold(5.0))
    state.history.gesture = 1  # a button goes down
    later(state, do.SetThreshold(3.0), do.SetThreshold(2.0), do.SetThreshold(1.5))
    state.history.gesture = 2  # and again
    later(state, do.SetThreshold(4.0), do.SetThreshold(4.5))
    for value in (1.5, 5.0):
        later(state, do.Undo())
        assert limit(state) == value
    later(state, do.Redo(), do.SetThreshold(1.0), do.Undo())  # what was undone and made again is not added to
    assert limit(state) == 1.5


def test_the_automatic_threshold_is_an_edit_before_it_is_known(state):
    automatic = limit(state)
    later(state, do.SetThreshold(3.0))
    assert state.graph.automatic is None
    later(state, do.SetThreshold("auto"))
    assert limit(state) == automatic
    later(state, do.Undo())
    assert limit(state) == 3.0
    later(state, do.Undo(), do.Redo(), do.Redo())
    assert limit(state) == automatic
    assert state.graph.graph.is_auto


@pytest.mark.parametrize(("then", "cost"), [(do.AllowMore(), 3.0), (do.Undo(), 4.0)])
def test_a_threshold_that_is_set_calls_off_the_automatic_one(state, then, cost):
    later(state, do.SetPath(((0, 0), (0, 3)), curve="polyline"), do.SetThreshold(4.0), do.SetThreshold(2.0))
    state.issue(do.SetThreshold("auto"))
    state.issue(then)
    update(state, 0.0)
    assert limit(state) == cost


def test_the_matrix_sets_a_threshold_that_can_be_taken_back(state):
    one, two = (numbers(state)[name] for name in ("one", "two"))
    tell(state, do.ChooseMatrix(one, two), do.Compare())
    automatic = limit(state)
    later(state, do.SetMatrixThreshold(2.5))
    assert limit(state) == 2.5
    later(state, do.Undo())
    assert limit(state) == automatic
    later(state, do.SetMatrixOption("linked", False), do.SetMatrixThreshold(1.5), do.SetMatrixThreshold(2.0), do.Undo())
    assert threshold_of(state) == 1.5
    assert limit(state) == automatic
    later(state, do.Undo())
    assert threshold_of(state) == pytest.approx(automatic)
    assert not errors(state)


def test_allowing_more_can_be_taken_back(state):
    later(state, do.SetThreshold(2.0), do.SetPath(((0, 0), (0, 3)), curve="polyline"))
    later(state, do.AllowMore())
    assert limit(state) == 3.0
    assert state.walk.method == "path"
    assert state.walk.problem or any(entry.made for entry in state.library)
    later(state, do.Undo())
    assert limit(state) == 2.0
    highest = state.graph.graph.candidates.ceiling
    later(state, do.SetThreshold(highest), do.AllowMore())
    assert "at its highest" in errors(state)[0]


def test_what_cannot_be_taken_back_is_said_and_does_not_stand_in_the_way(state):
    one = numbers(state)["one"]
    later(state, do.Trim(one, 10, 200), do.SetThreshold(2.0), do.DropGraph(), do.Undo())
    assert errors(state)[0] == "the graph of that threshold is no longer there"
    later(state, do.Undo())
    assert state.library[one].start == 0
    later(state, do.SetLabels(one, ("wild",)))
    entry = put(state, swinging(5, frames=120), "one")
    state.library.remove(entry.number)
    state.library.put(type(entry)(one, entry.clip, entry.prepared, stop=120))  # its file was read again, and is shorter
    later(state, do.Undo())
    assert errors(state)[0] == "one is not the clip it was at that edit"
    assert not state.history.done
    assert state.library[one].stop == 120


def test_a_threshold_of_another_metric_is_not_put_back(state):
    later(state, do.SetThreshold(2.0))
    angles = Metric(kind="angle")
    assert angles.unit != "cm"
    later(state, do.BuildGraph(metric=angles), do.Undo())
    assert "that threshold was one in cm" in errors(state)[0]
