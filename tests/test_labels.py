"""Labels: words and the frames they hold for."""

import numpy as np
import pytest

from motiongraph.errors import MotionError
from motiongraph.model.labels import Labels


def test_words_hold_for_all_frames():
    labels = Labels.of(5, ["walk", "happy"])
    assert labels.names == ("happy", "walk")
    assert labels.mask.shape == (5, 2)
    assert labels.mask.all()
    assert Labels.of(5, "walk").names == ("walk",)
    assert len(Labels.of(5)) == 0


def test_ranges():
    labels = Labels.of(10, {"walk": (0, 4), "turn": [(2, 5), (8, 20)], "never": [], "before": (-4, -1)})
    assert list(labels) == ["turn", "walk"]
    assert np.flatnonzero(labels.at("walk")).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(labels.at("turn")).tolist() == [2, 3, 4, 8, 9]
    assert labels.spans() == [("turn", 2, 5), ("turn", 8, 10), ("walk", 0, 4)]
    assert "walk" in labels
    assert "never" not in labels
    assert not labels.at("never").any()
    assert labels.at("never").shape == (10,)


def test_a_range_may_begin_before_the_clip():
    assert Labels.of(10, {"walk": (-3, 2)}).spans() == [("walk", 0, 2)]


def test_spans_give_the_labels_back():
    rng = np.random.default_rng(2)
    mask = rng.random((200, 3)) < 0.5
    labels = Labels(("a", "b", "c"), mask)
    ranges = {}
    for name, start, stop in labels.spans():
        ranges.setdefault(name, []).append((start, stop))
    assert Labels.of(200, ranges) == labels


def test_take_drops_words_that_hold_nowhere():
    labels = Labels.of(10, {"walk": (0, 4), "run": (4, 10)})
    assert labels.take(slice(5, 8)).names == ("run",)
    taken = labels.take(np.array([9, 3, 3]))
    assert taken.at("run").tolist() == [True, False, False]
    assert taken.at("walk").tolist() == [False, True, True]


def test_union_is_either_word_at_each_frame():
    a, b = Labels.of(6, {"walk": (0, 3)}), Labels.of(6, {"walk": (2, 5), "turn": (5, 6)})
    both = a.union(b)
    assert both.spans() == [("turn", 5, 6), ("walk", 0, 5)]
    assert both == b.union(a)
    assert Labels.of(6).union(Labels.of(6)) == Labels.of(6)


def test_wrong_lengths_are_refused():
    with pytest.raises(MotionError, match="labels for 5 frames do not fit a clip of 6"):
        Labels.of(6, Labels.of(5, "walk"))
    with pytest.raises(MotionError, match="5 and of 6 frames"):
        Labels.of(5, "walk").union(Labels.of(6, "walk"))


def test_read_only_and_told_apart():
    labels = Labels.of(4, {"walk": (0, 1), "run": (0, 4)})
    with pytest.raises(ValueError, match="read-only"):
        labels.mask[0, 0] = False
    assert labels == Labels.of(4, {"run": [(0, 2), (2, 4)], "walk": (0, 1)})
    assert labels != Labels.of(4, "run")
    assert repr(labels) == "Labels(run, walk 25%)"
