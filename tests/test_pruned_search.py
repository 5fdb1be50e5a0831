"""The pruned search finds what the exhaustive one finds and what pair by pair finds, to the last bit."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bodies import person, random_skeleton
from test_graph_build import swing
from walkers import walking

import motiongraph as mg
from motiongraph.graph import sentences
from motiongraph.graph.build import Options, build_graph
from motiongraph.metric import tape
from motiongraph.metric.bodies import Bodies
from motiongraph.metric.propose import limit
from motiongraph.metric.pruned import Kept
from motiongraph.metric.search import search


@pytest.fixture
def rng():
    return np.random.default_rng(16)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Bounds for every set, however small, and several blocks."""
    monkeypatch.setattr(tape, "FEW", 0)
    monkeypatch.setattr(tape, "_LONGEST_PRUNED", 300)
    monkeypatch.setattr(tape, "_LONGEST", 250)


def tables(clips, metric, ceiling, radius=6, old=0):
    """The table of both searches, and what the pruned one looked at."""
    prepared = [metric.prepare(clip) for clip in clips]
    tally, given = Kept(), (prepared[:old], prepared[old:])
    pruned = tape.search_tape(*given, ceiling=ceiling, radius=radius, search="pruned", tally=tally)
    return pruned, tape.search_tape(*given, ceiling=ceiling, radius=radius, search="exhaustive"), tally


def quarter(clips, metric, share=0.1):
    """A ceiling below which about this share of costs lies."""
    return float(np.quantile(mg.distance_matrix(clips[0], clips[1], metric, cache=False).cost, share))


@pytest.mark.parametrize(
    "options",
    [{}, {"taper": "gaussian"}, {"joint_weights": "some"}, {"window": 0.0}, {"window": 0.1}, {"samples_per_bone": 0}],
)
def test_the_same_table_for_every_metric(rng, options):
    skeleton = random_skeleton(rng, 12)
    clips = [walking(rng, skeleton, frames) for frames in (500, 333, 41, 260)]
    if "joint_weights" in options:
        options = {"joint_weights": {name: 0.2 * k for k, name in enumerate(skeleton.names)}}
    metric = mg.Metric(**options)
    pruned, whole, tally = tables(clips, metric, quarter(clips, metric))
    assert len(whole) > 3
    assert pruned.tobytes() == whole.tobytes()
    assert tally.pairs >= tally.levels[0] >= tally.levels[1] > 0


@pytest.mark.parametrize("share", [0.001, 0.03, 0.5, 1.0])
def test_the_same_table_at_every_ceiling(rng, share):
    skeleton = random_skeleton(rng, 12)
    clips = [walking(rng, skeleton, frames) for frames in (600, 500)]
    pruned, whole, _ = tables(clips, mg.Metric(), quarter(clips, mg.Metric(), share))
    assert pruned.tobytes() == whole.tobytes()


def test_what_is_found_is_what_pair_by_pair_finds(rng):
    skeleton, metric = random_skeleton(rng, 12), mg.Metric()
    clips = [walking(rng, skeleton, frames) for frames in (400, 300)]
    ceiling = quarter(clips, metric)
    pruned, _, _ = tables(clips, metric, ceiling, None)
    prepared = [metric.prepare(clip) for clip in clips]
    pairs = [(0, 0), (0, 1), (1, 1)]
    found = search([(prepared[i], prepared[j]) for i, j in pairs], ceiling=ceiling, cache=False)
    for (i, j), rows in zip(pairs, found):
        low, high = (f(pruned["clip_a"], pruned["clip_b"]) for f in (np.minimum, np.maximum))
        assert sorted(pruned["cost"][(low == i) & (high == j)].tolist()) == sorted(rows["cost"].tolist())


def test_identical_constant_and_far_clips(rng):
    clip = walking(rng, person(), 240)
    still = replace(clip, **{k: np.repeat(getattr(clip, k)[:1], 240, axis=0) for k in ("root", "rotations")})
    far = replace(clip, root=clip.root + np.array([40.0, 0.0, -35.0]))
    jump = replace(clip, root=clip.root + np.where(np.arange(240) < 110, 0.0, 500.0)[:, None] * [1.0, 0.0, 1.0])
    clips = [clip, clip, still, still, far, clip.mirrored(), jump]
    for ceiling in (0.0, 1.0, 6.0):
        pruned, whole, _ = tables(clips, mg.Metric(), ceiling)
        assert len(whole)
        assert pruned.tobytes() == whole.tobytes()


@pytest.mark.parametrize("taper", [None, "gaussian"])
def test_what_stands_still_is_compared_once(rng, taper, monkeypatch):
    """Windows that are the same are not compared again, and nothing else comes of it."""
    clip = walking(rng, person(), 200)
    frames = np.concatenate([np.arange(80), np.full(90, 79), np.arange(80, 110), np.full(60, 109), np.arange(110, 200)])
    halting = replace(clip, labels=(), root=clip.root[frames], rotations=clip.rotations[frames])
    metric = mg.Metric(taper=taper)
    assert len(np.unique(metric.prepare(halting).stills)) < len(metric.prepare(halting)) - 40
    told = tables([halting, clip, halting], metric, 4.0)[0]
    monkeypatch.setattr(Bodies, "stills", property(lambda bodies: np.arange(len(bodies))))
    assert len(told)
    assert tables([halting, clip, halting], metric, 4.0)[0].tobytes() == told.tobytes()


def test_new_clips_against_old_ones(rng):
    skeleton = random_skeleton(rng, 12)
    clips = [walking(rng, skeleton, frames) for frames in (400, 300, 350)]
    pruned, whole, _ = tables(clips, mg.Metric(), quarter(clips, mg.Metric()), old=2)
    assert len(whole)
    assert pruned.tobytes() == whole.tobytes()


def test_no_bound_is_above_the_cost_it_bounds(rng):
    metric = mg.Metric()
    clips = [walking(rng, random_skeleton(np.random.default_rng(3), 12), 300) for _ in range(3)]
    laid = tape.Tape.of([metric.prepare(clip) for clip in clips])
    plan = tape.Plan.of([laid], 5.0, "neighbours", "pruned")
    (block, *_) = laid.blocks(plan)
    pair, ceiling = block.bodies.against(block.bodies), np.sqrt(limit(5.0, laid.bodies.window, laid.bodies.window))
    for level in block.levels:
        i, j = (k.ravel() for k in np.meshgrid(np.arange(len(level)), np.arange(len(level))))
        a, b = (level.first[k] + level.count[k] // 2 for k in (i, j))
        middle = np.sqrt(np.maximum(pair.sums(a, b)[2][:, 0], 0.0))
        reach = level.right[:, -1]
        W = np.sum(level.left[i] * level.right[j], axis=1)
        C, S = np.sum(level.turn[i] * level.turn[j], axis=1), np.sum(level.turned[i] * level.turn[j], axis=1)
        # Whatever the bound rejects has windows farther apart than the ceiling and both radii.
        rejected = np.sqrt(C * C + S * S) < W
        assert 0 < rejected.sum() < len(rejected)
        assert (middle[rejected] > (reach[i] + reach[j])[rejected] * (1 - 1e-6)).all()
        assert (reach >= 0.5 * ceiling * (1 - 1e-6)).all()


def test_metrics_without_bounds_are_searched_whole():
    assert not tape.prunes(mg.Metric(align="in-place"), 6.0)
    assert not tape.prunes(mg.Metric(kind="angle"), 6.0)
    assert not tape.prunes(mg.Metric(), np.inf)
    assert tape.prunes(mg.Metric(), 6.0)
    with pytest.raises(mg.MotionError, match="'pruned' or 'exhaustive', not 'quick'"):
        tape.Plan.of([], 6.0, "neighbours", "quick")


@pytest.mark.parametrize(
    ("metric", "ceiling", "what"),
    [
        (mg.Metric(align="in-place"), 15.0, "alignment 'in-place': "),
        (mg.Metric(kind="angle"), 15.0, "a metric of kind angle: "),
        (mg.Metric(), np.inf, "no ceiling: "),
        (mg.Metric(), 15.0, None),
    ],
)
def test_a_search_of_every_pair_is_said(monkeypatch, metric, ceiling, what):
    monkeypatch.setattr(sentences, "FEW", 0)
    clips = [swing(seed, frames=40) for seed in range(2)]
    for way in tape.SEARCHES:
        said = build_graph(clips, Options(metric, ceiling=ceiling, search=way)).warnings
        whole = [sentence for sentence in said if "every pair of windows was compared" in sentence]
        assert len(whole) == (what is not None and way == "pruned")
        assert all(sentence.startswith(str(what)) for sentence in whole)


@pytest.mark.skipif("MOTIONGRAPH_MOCAP" not in os.environ, reason="needs motion capture")
def test_real_motion():
    files = sorted(Path(os.environ["MOTIONGRAPH_MOCAP"]).glob("cmu/**/*.bvh"))[::16]
    clips = mg.MotionGraph.build([mg.load(file).resampled(60.0) for file in files], ceiling=1.0).clips
    for ceiling in (3.0, 8.0):
        pruned, whole, _ = tables(clips, mg.Metric(), ceiling)
        assert len(whole)
        assert pruned.tobytes() == whole.tobytes()
