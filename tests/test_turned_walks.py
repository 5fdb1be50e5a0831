"""When walks along a path are looked for whose body is turned, and which of them is taken."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.progress import SILENT
from motiongraph.walks import turned_search
from motiongraph.walks.curve import Curve
from motiongraph.walks.path_cost import REALS
from motiongraph.walks.path_goal import Effort, Goal, Weights
from motiongraph.walks.path_searches import good, searches

SAMPLES = Path(__file__).resolve().parent.parent / "assets/samples"
LINE = Curve.of([(0, 0), (0, 6)])


@pytest.fixture(scope="module")
def samples():
    return mg.MotionGraph.build([mg.load(file) for file in sorted(SAMPLES.glob("*.bvh"))]).pruned()


@pytest.mark.long
@pytest.mark.parametrize("helps", [True, False])
def test_bodies_are_turned_before_the_widest_searches(samples, helps):
    goal, widths, asked = Goal.of(samples, LINE), [], []

    def turned():
        asked.append(len(widths))
        return helps

    for effort, _ in searches(samples, goal, Effort(), None, Weights(), {}, lambda: 0.8, turned=turned):
        widths.append(effort.width)
    assert asked == [2]  # after the table of turns was tried
    assert (max(widths) == Effort().width) == helps
    assert (len(widths) == 2) == helps


def test_bodies_are_turned_before_labels_are_searched_for_by_a_wide_beam(samples):
    goal, made = Goal.of(samples, LINE), []
    astray_by, misplaced = (lambda: 0.1), (lambda: 1.0)
    for effort, _ in searches(samples, goal, Effort(), None, Weights(), {}, astray_by, misplaced, lambda: True):
        made.append(effort.width)
    assert made == [Effort().width]


def test_a_label_that_would_begin_late_as_captured(samples):
    line, labels = [(0, 0), (0, 8), (5.66, 13.66)], [(0.0, "walk"), (8.0, "run")]
    rigid = mg.follow_path(samples, line, labels, effort=mg.Effort(turning=0.0))
    walk = mg.follow_path(samples, line, labels)
    assert rigid.facts["path_error_worst"] < 0.5  # by its distance alone it would do
    assert abs(rigid.facts["switches"][0]["begins"] - 8.0) > 0.5
    assert abs(walk.facts["switches"][0]["begins"] - 8.0) < 0.5
    assert walk.turns is not None
    assert walk.facts["path_error_worst"] < 0.5


@pytest.mark.parametrize(("errors", "taken"), [((0.4, 0.2), 0), ((0.7, 0.2), 1), ((0.7, 0.6), 1), ((0.6, 0.7), 0)])
def test_the_first_that_is_good_is_taken_or_the_best(samples, monkeypatch, errors, taken):
    as_captured = mg.follow_path(samples, LINE)
    walks = [_so_far_off(as_captured, error) for error in errors]
    searched = []

    def search(*given):
        searched.append(given[-1])
        return None, walks[len(searched) - 1]

    monkeypatch.setattr(turned_search, "turned_search", search)
    monkeypatch.setattr(turned_search, "with_figures", lambda graph, goal, found, walk: walk)
    goal = Goal.of(samples, LINE)
    nowhere = np.zeros(0, np.int64), np.zeros((0, REALS))
    turned = turned_search.TurnedWalks(samples, goal, Weights(), {}, *nowhere, Effort(), SILENT, 0.0)
    assert not turned
    for _ in range(2):  # each is searched for once
        found = turned.instead_of(_so_far_off(as_captured, 1.5))
        assert found is not None
        assert found.facts == walks[taken].facts
    assert searched == list(turned_search.SHARES[: 1 if good(walks[0]) else 2])
    assert turned.instead_of(as_captured) is None


def _so_far_off(walk, metres):
    """The walk, said to leave its path by so much."""
    return replace(walk, facts={**walk.facts, "path_error_worst": metres})
