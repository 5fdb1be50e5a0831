"""Which transitions look like seams, and walks that avoid them."""

from dataclasses import replace

import numpy as np
import pytest
from naive import discriminator as naive
from walking import sample

import motiongraph as mg
from motiongraph.walks import discriminator, ease, seam_windows
from motiongraph.walks.balance import taken
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.seam_windows import LEVELS


@pytest.fixture(scope="module")
def graph():
    clips = [sample(name) for name in ("walk", "walk_left", "walk_right", "walk_run", "run", "sneak")]
    return mg.MotionGraph.build(clips, threshold=6.0).pruned()


def test_what_was_made_does_not_count_as_captured(graph):
    """Else walks would not shy away from how bridges move."""
    clips = [replace(clip, name=f"{clip.name}, made") if clip.name == "run" else clip for clip in graph.clips]
    bridged = mg.MotionGraph.build(clips, threshold=6.0).pruned()
    for built, expected in ((graph, True), (bridged, False)):
        ground = floor_graph(built)
        windows = seam_windows.seam_windows(built, ground)
        run = [clip.name.startswith("run") for clip in built.clips].index(True)
        count = len(ground.rows)
        assert (windows.clips[count:, 0] == run).any() == expected
        assert (windows.clips[:count] == run).any()


@pytest.mark.parametrize("seed", range(4))
def test_boosted_stumps_agree_with_plain_loops(seed):
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, LEVELS, (23, 60)).astype(np.uint8)
    learn, weight = np.flatnonzero(rng.random(60) < 0.7), rng.uniform(0.1, 3.0, 60)
    stumps = discriminator.boosted(levels[:, learn].copy(), weight[learn], int((learn < 25).sum()), 12)
    comp = discriminator.judged_by(levels, np.arange(60), *stumps)
    settings = (getattr(discriminator, name) for name in ("_EVERY", "_RATE", "_STEADY", "_LEAF"))
    ref = naive.boosted(levels.tolist(), learn.tolist(), weight.tolist(), 25, 12, *settings)
    np.testing.assert_allclose(comp, ref, atol=1e-9)
    assert np.ptp(comp) > 0.05


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_windows_agree_with_plain_loops(fps):
    rng = np.random.default_rng(int(fps))
    places = rng.normal(size=(400, 2, 3)).cumsum(axis=0).astype(np.float32) * 0.01
    across, placed = rng.normal(size=(400, 2)), rng.normal(size=(6, 3))
    middle = rng.integers(20, 180, (6, 2)) + np.array([0, 200])
    bounds = np.broadcast_to([[0, 200], [200, 400]], (6, 2, 2)).astype(np.int64)
    window, half, rate = round(fps / 3), seam_windows._HALF, seam_windows._RATE
    found = np.empty((2 * seam_windows._EACH, 6), np.float32)
    seam_windows.look(places, across, middle, np.ascontiguousarray(bounds), placed, fps, window, found)
    fine = np.array(seam_windows._FINE)
    for w in range(6):
        for part in range(2):
            own = places[:, part].astype(float).tolist()
            given = middle[w].tolist(), bounds[w].tolist(), placed[w].tolist(), across[middle[w, 0]].tolist()
            velocity, acceleration = map(np.array, naive.seen(own, own, *given, fps, window, half, rate))
            row, told = found[part * seam_windows._EACH :, w], seam_windows._TOLD
            close = {"atol": 0.51, "rtol": 1e-6}  # rounded to whole steps of what is seen
            for k, (course, step) in enumerate(((velocity, fine[0]), (acceleration, fine[1]))):
                size, middle_of = np.linalg.norm(course, axis=1), len(course) // 2
                for axis, values in enumerate((*course.T, size)):
                    amid = values[middle_of - 3 : middle_of + 4]
                    ref = [values.mean(), values.std(), values.max(), values.min(), amid.mean(), amid.std()]
                    start = (4 * k + axis) * told
                    np.testing.assert_allclose(row[start : start + told], np.array(ref) / step, **close)
            np.testing.assert_allclose(row[8 * told : 8 * told + 24], velocity[::3].ravel() / fine[0], **close)


def test_levels_count_the_edges_that_are_passed():
    rng = np.random.default_rng(0)
    shown, edges = rng.integers(0, 9, (5, 70)).astype(np.float32), np.sort(rng.integers(0, 9, (5, 15)), axis=1)
    levels = np.full((5, 100), 255, np.uint8)
    seam_windows.levelled(shown, edges.astype(np.float32), 20, levels)
    ref = [[sum(edge < value for edge in row) for value in values] for row, values in zip(edges, shown)]
    assert levels[:, 20:90].tolist() == ref
    assert (levels[:, [*range(20), *range(90, 100)]] == 255).all()


def test_captured_windows_fill_all_levels(graph):
    ground = floor_graph(graph)
    windows = seam_windows.seam_windows(graph, ground)
    count = len(ground.rows)
    captured = windows.levels[:, count:]
    assert windows.levels.shape[1] == len(windows.clips) == count + len(windows.frames)
    assert (windows.clips[count:, 0] == windows.clips[count:, 1]).all()
    often = np.array([np.bincount(row, minlength=LEVELS).max() for row in captured])
    assert np.median(often) < 3 * captured.shape[1] / LEVELS


def test_what_looks_unlike_captured_motion_is_suspicious():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, LEVELS, (40, 1200)).astype(np.uint8)
    odd = np.arange(600) % 3 == 0
    levels[3, :600][odd] = LEVELS - 1
    clips = rng.integers(0, 12, (1200, 1)).repeat(2, axis=1)
    said = discriminator.suspicion(levels, clips, np.ones(600), np.ones(600))
    assert np.percentile(said[odd], 5) > 0.1
    assert said[odd].mean() > 0.5
    assert said[~odd].mean() < 0.0


def test_nothing_is_learnt_from_the_clips_that_are_judged():
    """Every clip's seams have a mark of their own: who knows it sees them, who knows the others' does not."""
    clips = np.concatenate([np.arange(240), np.arange(240)])[:, None].repeat(2, axis=1) % 8
    levels = np.zeros((80, 480), np.uint8)
    for i in range(240):
        levels[i % 8 * 10 : i % 8 * 10 + 10, i] = LEVELS - 1
    assert discriminator.suspicion(levels, clips, np.ones(240), np.ones(240)).max() < 0.0
    known = discriminator.boosted(levels, np.ones(480), 240, 100)
    assert discriminator.judged_by(levels, np.arange(240), *known).min() > 0.5


def test_walks_take_what_shows_less(graph):
    ground = floor_graph(graph)
    windows = seam_windows.seam_windows(graph, ground)
    least, most = (round(seconds * graph.fps) for seconds in (ease.LEAST, ease.LONGEST_PLAYED))
    even = np.full(len(windows.frames), 1.0)

    def shown(weight):
        seams = taken(ground.runs, weight, least, most)
        return float(np.average(discriminator.suspicion(windows.levels, windows.clips, seams, even), weights=seams))

    assert shown(ease.balanced_ease(graph, ground, 1.0)) < shown(ease.ease(graph, ground, 1.0)) - 0.1


def test_few_clips_and_no_care_are_not_looked_at(graph, monkeypatch):
    monkeypatch.setattr(ease, "seam_windows", lambda *_: pytest.fail("looked at"))
    ease._balanced(graph, floor_graph(graph), 0.0, lambda *_: None)
    few = mg.MotionGraph.build([sample("walk"), sample("walk_left")], threshold=6.0).pruned()
    ease._balanced(few, floor_graph(few), 1.0, lambda *_: None)
    for most in ((10, 1 << 30), (1 << 30, 10)):
        monkeypatch.setattr(ease, "_MOST", most)
        ease._balanced(graph, floor_graph(graph), 1.0, lambda *_: None)


def test_clips_too_short_to_look_at_are_walked_all_the_same():
    clip = sample("walk")
    clips = [clip[at : at + 100] for at in range(60, 300, 40)]
    graph = mg.MotionGraph.build(clips, threshold=20.0)
    assert seam_windows.seam_windows(graph, floor_graph(graph)) is None
    assert np.isfinite(ease.balanced_ease(graph, floor_graph(graph), 1.0)).all()
