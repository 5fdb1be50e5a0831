"""Figures of `motiongraph quality`, and the judge of seams."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sessions import tell, worked
from walking import sample, sample_graph

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.walk.measure import measured
from motiongraph.cli import main
from motiongraph.synthesis import judge
from motiongraph.synthesis.assess import _figures, _played, assess, rows, thrown


def test_a_file_is_measured_before_and_after():
    clip = sample("walk")
    drift = clip.root + np.linspace(0, 0.5, len(clip))[:, None] * [1.0, 0.0, 0.0]
    found = assess(mg.Clip(clip.skeleton, drift, clip.rotations, clip.fps))
    assert found["captured"]["slide"] > 4.0
    assert found["made"]["slide"] < 0.8
    assert found["made"]["jolts"] == found["captured"]["jolts"] == 0.0
    assert found["made"]["penetration"] < 0.1
    assert found["lift_kept"] > 0.9
    assert found["seam_visibility"] is None


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_thrown_joints_are_jolts(fps):
    clip = sample("walk").resampled(fps)
    assert _figures([clip], [clip])["jolts"] == 0.0
    root = clip.root.copy()
    root[100:180:8] += [0.0, 0.0, 0.2]
    thrown = mg.Clip(clip.skeleton, root, clip.rotations, clip.fps)
    assert _figures([thrown], [clip])["jolts"] > 10.0


def test_the_command_prints_figures(tmp_path, capsys):
    graph = tmp_path / "g.mgraph"
    sample_graph("walk", "walk_left_90").save(graph)
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["quality", str(graph), "--walks", "2", "--seconds", "4", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert set(found["made"]) == set(found["captured"])
    assert found["made"]["slide"] < 1.0
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["quality", str(graph), "--walks", "1", "--seconds", "4"])
    assert "slide of planted feet" in capsys.readouterr().out


@pytest.mark.long
def test_a_judge_sees_what_differs_and_nothing_else():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(300, 6)), np.repeat([0, 1], 150)
    groups = np.tile(rng.integers(0, 12, 300)[:, None], 2)
    assert abs(judge._area(x, y, groups, np.random.default_rng(0)) - 0.5) < 0.12
    x[y == 1, 2] += 2.0
    assert judge._area(x, y, groups, np.random.default_rng(0)) > 0.85


def test_a_judge_sees_the_same_wherever_a_body_goes():
    clip = sample("walk")
    here, there = (judge._Mover(each, False).window(1.0) for each in (clip, clip.moved(2.0, 3.0, -4.0)))
    np.testing.assert_allclose(here, there, atol=2e-3)


def test_a_judge_sees_how_far_a_body_gets_in_a_window():
    """The means of its velocities are where it gets to, those of its accelerations what its velocity gains."""
    clip = sample("walk").moved(0.0, 1.0, 2.0)
    mover = judge._Mover(clip, False)
    n, steps = mover.places.shape[1], 2 * judge._HALF + 2
    seen = mover.window(1.0)[24 * n + (steps - 1) * n :].reshape(2, len(judge._TOLD), n, 4)
    at = np.round((1.0 + (np.array([0, 1, steps - 1, steps]) - judge._HALF - 1) / judge.RATE) * clip.fps).astype(int)
    places = mover.places[at]
    far = np.linalg.norm((places[3] - places[0])[:, [0, 2]], axis=1) * judge.RATE / steps
    np.testing.assert_allclose(np.linalg.norm(seen[0, 0][:, [0, 2]], axis=1), far, rtol=1e-4)
    gained = (places[3] - places[2] - places[1] + places[0])[:, 1] * judge.RATE**2 / (steps - 1)
    np.testing.assert_allclose(seen[1, 0, :, 1], gained, atol=1e-3)
    assert (seen[:, 3] <= seen[:, 4] + 1e-6).all()
    assert (seen[:, 4] <= seen[:, 2] + 1e-6).all()


def test_a_judge_looks_at_the_moments_that_seams_join():
    graph = sample_graph("walk", "walk_left", "run")
    motions = [mg.synthesize(mg.random_walk(graph, 20.0, rng=seed)) for seed in range(2)]
    seams, captured = judge._windows_of(motions, graph.clips, "same")
    assert 2 * len(seams) == len(captured) > 0
    joined = {(row["motion"], row["clip"]) for row in captured}
    assert {(row["motion"], row[end]) for row in seams for end in ("clip", "other")} == joined
    assert len(judge._windows_of(motions, graph.clips, "any")[0]) >= len(seams)


def test_a_trial_without_seams_sees_captured_motion_alone():
    """It sees the same however seams are made: the moments that they join, and others that are played. What it says of
    one was learnt without the other, which is much like it."""
    graph = sample_graph("walk", "walk_left", "walk_right", "run", "run_left")
    walks = [mg.random_walk(graph, 25.0, rng=seed) for seed in range(8)]
    ways = [[mg.synthesize(walk, cleanup=False, lengths=s) for walk in walks] for s in (None, 0.01)]

    def seen(motions, beside, most=80):
        found = judge.seen(motions, graph.clips, beside, np.random.default_rng(0), most=most)
        assert found is not None
        return found

    (x, y, groups), cut = (seen(motions, "captured") for motions in ways)
    np.testing.assert_array_equal(x, cut[0])
    assert not np.array_equal(seen(ways[0], "any")[0], seen(ways[1], "any")[0])
    assert (groups[y == 0, 0] == groups[y == 0, 1]).all()
    joined = {(int(row["src"]), int(row["dst"])) for walk in walks for row in walk.transitions}
    assert {(a, b) for a, b in groups[y == 1].tolist()} <= joined | {(b, a) for a, b in joined}
    assert (groups[y == 1, 0] != groups[y == 1, 1]).any()
    moments, seam, _ = seen(ways[0], "same", 2500)
    known = {row.tobytes() for row in moments[seam == 0]}
    assert {row.tobytes() for row in x[y == 1]} <= known
    assert not {row.tobytes() for row in x[y == 0]} <= known


def test_the_strictest_judge_looks_at_all_clips_and_every_joint():
    graph = sample_graph("walk", "walk_left", "jump")
    motions = [mg.synthesize(mg.random_walk(graph, 10.0, rng=1, start="walk"))]
    played = set(motions[0].origin.clip.tolist())
    captured = judge._windows_of(motions, graph.clips, "all")[1]
    assert played < set(range(3)) == set(captured["clip"].tolist())
    inside = [clip.duration - 2 * (judge._HALF + judge._MARGIN) / judge.RATE for clip in graph.clips]
    np.testing.assert_allclose(np.bincount(captured["clip"]), judge.RATE * np.array(inside), atol=2)
    joints = int((graph.clips[0].skeleton.bone_lengths > 1e-4).sum()) + 1  # and the root
    assert judge._Mover(graph.clips[0], True).places.shape[1] == joints


def test_a_judge_needs_enough_to_learn_from():
    graph = sample_graph("walk", "walk_left_90").pruned()
    motion = mg.synthesize(mg.random_walk(graph, 4, rng=1))
    assert np.isnan(judge.seam_visibility([motion], graph.clips))
    with pytest.raises(mg.MotionError, match="was not made from a graph"):
        judge.seam_visibility([sample("walk")], graph.clips)


def test_the_window_measures_its_graph(motion):
    state = worked(motion)
    tell(state, do.MeasureQuality(walks=1, seconds=3.0))
    found = measured(state)
    assert found is not None
    assert found["made"]["slide"] < 1.0
    table = rows(found)
    assert [row[0] for row in table][:3] == ["slide of planted feet, cm/s", "slide of low feet, cm/s", "jolts a minute"]
    assert all(len(row) == 3 for row in table)
    tell(state, do.SetThreshold(2.0))
    assert measured(state) is None  # it was of another graph


def test_walks_are_measured_beside_the_frames_they_play():
    """Not beside all clips: a walk that runs most of the time is no rougher than it was captured."""
    clips = [sample(name) for name in ("walk", "run")]
    graph = mg.MotionGraph.build(clips)
    made = [mg.synthesize(mg.random_walk(graph, 4.0, rng=1, start=name)) for name in ("walk", "run")]
    figures = _played(made, clips)
    rates = []
    for each in made:
        sizes = []
        for clip, frame in zip(each.origin.clip.tolist(), each.origin.frame.round().astype(int).tolist()):
            if frame >= clips[clip].first + 3:
                places = clips[clip].positions()[frame - 3 : frame + 1]
                sizes.append(np.linalg.norm(places[3] - 3 * places[2] + 3 * places[1] - places[0], axis=-1))
        rates.append(np.percentile(sizes, 99) * clips[0].fps ** 3)
    assert figures["jerk"] == pytest.approx(np.average(rates, weights=[each.duration for each in made]))


def test_walks_jolt_beside_the_frames_they_play():
    """A capture that jolts here and there, of which walks play some moments more often than others."""
    walk, run = sample("walk"), sample("run")
    root = walk.root.copy()
    root[100:1000:12, 1] += 0.2
    clips = [replace(walk, root=root), run]
    graph = mg.MotionGraph.build([walk, run])
    made = [mg.synthesize(mg.random_walk(graph, 5.0, rng=seed, start="walk")) for seed in range(3)]
    odd = set(np.flatnonzero(thrown(clips[0].positions(), walk.fps)).tolist())
    assert len(odd) >= 10
    played = [[(c, round(f)) for c, f in zip(m.origin.clip.tolist(), m.origin.frame.tolist())] for m in made]
    count = sum(clip == 0 and frame in odd for frames in played for clip, frame in frames)
    assert count > 0
    assert _played(made, clips)["jolts"] == pytest.approx(60.0 * count / sum(m.duration for m in made))
    assert _played(made, [walk, run])["jolts"] == 0.0
