"""What a graph can reach: places, headings, turns, starts and stops, and what is missing in words."""

import numpy as np
import pytest
import sessions
from naive import coverage as naive
from test_walks_planning import ring
from walking import sample

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.graph import graph_state
from motiongraph.graph.coverage import explore, in_words


@pytest.mark.parametrize("seed", range(3))
def test_everything_is_tried(seed):
    """Against plain loops, on a small graph with random places."""
    rng = np.random.default_rng(seed)
    count, many = 12, 16
    leaves = np.sort(rng.integers(0, count, many)).astype(np.int32)
    first = np.searchsorted(leaves, np.arange(count + 1)).astype(np.int32)
    arrives, taken = rng.integers(0, count, many).astype(np.int32), rng.random(many) < 0.8
    goes_on = np.append(rng.random(count - 1) < 0.8, False)
    lasts, place = rng.uniform(0.1, 0.4, count), rng.uniform(-1, 1, (count, 3))
    jump = rng.uniform(-1, 1, (many, 3))
    floor, headings, turns = np.zeros((17, 17), bool), np.zeros(16, bool), np.full(2, np.inf)
    explore(first, arrives, taken, goes_on, lasts, place, jump, 3, 0.3, 2.0, 100_000, floor, headings, turns)
    ref = naive.explore(leaves, arrives, taken, goes_on, lasts, place, jump, 3, 0.3, 2.0)
    assert floor.any()
    assert {tuple(cell) for cell in np.argwhere(floor)} <= ref[0]  # some of what is left out led elsewhere
    assert set(np.flatnonzero(headings)) <= ref[1]
    assert all(ours >= theirs - 1e-9 for ours, theirs in zip(turns, ref[2]))
    assert floor.sum() >= 0.5 * len(ref[0])
    assert headings.sum() >= 0.7 * len(ref[1])


def test_clips_that_turn_one_way_only():
    found = ring([0.0, 1.0]).report(coverage=12)["coverage"]
    assert found["turn_left_seconds"] is not None
    assert found["turn_right_seconds"] is None
    assert any("no clip turns right" in sentence for sentence in found["missing"])
    assert not any("turns left" in sentence for sentence in found["missing"])
    both = ring([-1.0, 0.0, 1.0]).report(coverage=12)["coverage"]
    assert both["headings_reached"] > found["headings_reached"]
    assert "coverage" not in ring([0.0, 1.0]).report()


def test_standing_and_walking():
    names = ("walk", "idle", "walk_left_90")
    found = mg.MotionGraph.build([sample(name).resampled(30) for name in names]).report(coverage=8)["coverage"]
    assert 0.0 < found["stop_seconds"] < 10.0
    assert 0.0 < found["start_seconds"] < 10.0
    alone = mg.MotionGraph.build([sample("idle").resampled(30)]).report(coverage=8)["coverage"]
    assert any("goes anywhere" in sentence for sentence in alone["missing"])
    assert alone["places_reached"] < 0.05


@pytest.mark.usefixtures("config")
def test_the_window_measures_it_at_the_present_threshold(monkeypatch):
    state, graph = sessions.begin(), ring([0.0, 1.0])
    sessions.tell(state, do.FindCoverage())
    assert not sessions.said(state), "a panel asked for it just before the graph went"
    state.graph.take(graph)
    assert graph_state.quickly_covered(state)
    monkeypatch.setattr(graph_state, "_FRAMES_COVERED", graph.candidates.frames - 1)
    assert not graph_state.quickly_covered(state), "with a whole database only when asked"
    sessions.tell(state, do.FindCoverage())
    version, found = state.graph.covered
    assert version == state.graph.version
    assert found["turn_right_seconds"] is None
    words = in_words(found)
    assert [name for name, _ in words][:2] == ["reached", "time to"]
    assert any("no clip turns right" in text for _, text in words)
    state.graph.take(None)
    assert state.graph.covered is None
