"""Thresholds that depend on how fast the motion is."""

import numpy as np
import pytest
from graphs import graph_of, still
from naive import graph as naive
from walking import sample

import motiongraph as mg
from motiongraph.graph.candidates import STROLL, _pace, pace
from motiongraph.graph.thresholds import Thresholds


@pytest.mark.parametrize(("frames", "step", "window"), [(1, 1, 4), (2, 4, 4), (50, 4, 40), (61, 2, 7)])
def test_pace_is_the_mean_speed_of_a_window(frames, step, window):
    places = np.random.default_rng(frames).normal(size=(-(-frames // step), 3, 3))
    out = np.empty(frames)
    _pace(places, step, window, 120.0, out)
    np.testing.assert_allclose(out, naive.pace(places.tolist(), step, window, 120.0, frames), rtol=1e-12)


def test_pace_does_not_depend_on_the_rate():
    walk, run, idle = (np.median(pace(sample(name), 40)) for name in ("walk", "run", "idle"))
    assert idle < 0.1 < 0.5 * STROLL < walk < 1.6 * STROLL
    assert run > 1.4 * walk
    assert np.median(pace(sample("run").resampled(30.0), 10)) == pytest.approx(run, rel=0.03)


def test_fast_motion_is_allowed_more_by_automatic_thresholds_alone():
    graph = mg.MotionGraph.build([sample("walk"), sample("run")])
    c = graph.candidates
    assert graph.thresholds.paced
    assert not graph.at(3.0).thresholds.paced
    assert c.leeway.min() == 1.0
    walks, runs = ((c.table["src"] == clip) & (c.table["dst"] == clip) for clip in (0, 1))
    assert c.leeway[runs].max() > 1.5 * c.leeway[walks].max()
    np.testing.assert_array_equal(graph.taken, c.cost <= graph.thresholds.within * c.leeway)
    assert graph.transitions["cost"].max() > graph.thresholds.within
    assert graph.at(3.0).transitions["cost"].max() <= 3.0


def test_raised_thresholds_stay_what_they_were():
    paced = Thresholds.automatic(4.0)
    assert paced.raised(1.5, 15.0) == Thresholds(6.0, 6.0, paced=True)
    table = Thresholds(2.0, 8.0, ((("walk", "run"), 12.0),))
    assert table.raised(2.0, 15.0) == Thresholds(4.0, 15.0, ((("walk", "run"), 15.0),))


def test_a_graph_file_keeps_them(tmp_path):
    graph = mg.MotionGraph.build([sample("walk"), sample("run")])
    graph.save(tmp_path / "g.mgraph")
    again = mg.MotionGraph.load(tmp_path / "g.mgraph")
    assert again.thresholds == graph.thresholds
    np.testing.assert_array_equal(again.taken, graph.taken)


def test_clips_of_which_nothing_is_kept_are_named():
    clips = [still(60, name) for name in ("a", "b", "c")]
    rows = [(0, 30, 0, 5, 1.0), (0, 20, 1, 5, 1.0), (1, 40, 2, 5, 1.0)]
    graph = graph_of(clips, rows, window=2).pruned()
    assert graph.warnings == ["nothing of b, c is kept at this threshold: no way leads there and back"]
    back = graph_of(clips, [*rows, (2, 30, 0, 5, 1.0)], window=2).pruned()
    assert back.warnings == []


def test_walks_and_runs_stay_in_one_graph(mocap):
    """Unlabelled at the automatic threshold, which is one number for both."""
    numbers = [15, 17, 21, 31, 8, 35, 36, 45, 46, 55, 56]
    clips = [mg.load(mocap / f"cmu/asf_amc/16/16_{n:02d}.amc") for n in numbers]
    with pytest.warns(UserWarning, match="errors of the capture"):
        graph = mg.MotionGraph.build(clips).pruned()
    alone = graph.at(graph.thresholds.within)
    assert graph.kept.frames >= alone.kept.frames
    for name in ("16_35", "16_36", "16_45"):
        assert not any(name in sentence for sentence in graph.warnings)
