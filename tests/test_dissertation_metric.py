"""The dissertation's own distance: against plain loops over every point, and against all 380 edges of its program."""

import csv
from itertools import combinations

import numpy as np
import pytest
from bodies import person, smooth_clip
from naive import dissertation as naive

import motiongraph as mg
from motiongraph.metric.dissertation import CMU, PROGRAM
from motiongraph.metric.search import search

PUBLISHED = mg.Metric(kind="dissertation", window=81 / 120)
CENTRE = 40  # a window's middle frame


def cloud(clip):
    """The naive points of a clip's captured frames, and the bones told from the skeleton in another way."""
    skeleton, ends = clip.skeleton, {}
    for j in range(1, len(skeleton)):
        if np.linalg.norm(skeleton.offsets[j]) > 0:
            ends.setdefault((skeleton.parents[j], *np.round(skeleton.offsets[j], 12)), j)
    bones = [(key[0], far) for key, far in ends.items()]
    lengths = [np.linalg.norm(skeleton.offsets[far]) / CMU for _, far in bones]
    return naive.points(clip.positions()[clip.first :] * (PROGRAM / CMU), bones, lengths)


def test_matrix_is_the_sum_over_all_points():
    rng = np.random.default_rng(3)
    body = person()
    a, b = smooth_clip(rng, body, 12, name="a"), smooth_clip(rng, body, 16, name="b", first=2)
    metric = mg.Metric(kind="dissertation", window=5 / 120)
    comp = mg.distance_matrix(a, b, metric, cache=False)
    ref = naive.matrix(cloud(a), cloud(b), 5)
    assert comp.cost.shape == ref.shape == (8, 10)
    np.testing.assert_allclose(comp.cost, ref, rtol=1e-6)
    cost, theta, x0, z0 = comp.pair.exact([3, 7], [0, 9])
    np.testing.assert_allclose(cost, ref[[3, 7], [0, 9]], rtol=1e-12)
    np.testing.assert_array_equal(theta, 0.0)
    moved = b.root[2:7, ::2].mean(axis=0) + np.array([x0[0], z0[0]])
    np.testing.assert_allclose(moved, a.root[3:8, ::2].mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(comp.raw, comp.cost)
    assert comp.metric.unit == "m^4"


def test_floor_position_does_not_count_but_heading_does():
    rng = np.random.default_rng(4)
    a = smooth_clip(rng, person(), 40)
    metric = mg.Metric(kind="dissertation", window=9 / 120)
    here, away, turned = (
        mg.distance_matrix(a, b, metric, cache=False).cost for b in (a, a.moved(0.0, 7.0, -3.0), a.moved(1.0))
    )
    np.testing.assert_allclose(away, here, atol=1e-9 * here.max())
    assert np.abs(np.diag(here)).max() < 1e-9 * here.max()
    assert np.diag(turned).min() > 1e-3 * here.max()


def test_other_bodies_are_refused():
    rng = np.random.default_rng(5)
    a, b = smooth_clip(rng, person(), 20), smooth_clip(rng, person(uneven=0.01, rng=rng), 20)
    with pytest.raises(mg.MotionError, match="one skeleton"):
        mg.distance_matrix(a, b, mg.Metric(kind="dissertation", window=5 / 120), cache=False)


@pytest.fixture(scope="module")
def clips(mocap):
    folder = mocap / "cmu/asf_amc/dissertation"
    return {path.name: mg.load(path) for path in sorted(folder.glob("*.amc"))}


@pytest.fixture(scope="module")
def edges(oracles):
    with open(oracles / "dissertation_edges.csv", newline="") as file:
        rows = {(e["src"], e["dst"], int(e["i"]), int(e["j"])): float(e["d"]) for e in csv.DictReader(file)}
    assert len(rows) == 380
    return rows


def test_a_pose_has_968_points(clips):
    assert cloud(clips["walk_16_15.amc"][:1]).shape == (1, 968, 3)


def test_naive_distance_is_the_programs(clips, edges):
    src, dst, i, j = min(edges, key=edges.get)
    a, b = (clips[name][at - CENTRE : at + CENTRE + 1] for name, at in ((src, i), (dst, j)))
    assert naive.window_distance(cloud(a), cloud(b), 0, 0, 81) == pytest.approx(edges[src, dst, i, j], rel=1e-5)


def test_all_edges_of_the_program(clips, edges):
    prepared = {name: PUBLISHED.prepare(clip) for name, clip in clips.items()}
    pairs = list(combinations(prepared, 2))
    found = search([(prepared[a], prepared[b]) for a, b in pairs], border=False, cache=False)
    ours = {}
    for (a, b), minima in zip(pairs, found):
        for m in minima:
            i, j = int(m["a"]) + CENTRE, int(m["b"]) + CENTRE
            ours[a, b, i, j] = ours[b, a, j, i] = float(m["cost"])
    tie = {(a, b, i, j) for a, b, i, j in edges if {a, b} == {"sneak_17_03.amc", "jump_one_leg_49_03.amc"}}
    tie = {e for e in tie if sorted(e[2:]) in ([98, 187], [98, 188])}
    assert len(tie) == 4
    assert set(ours) - tie == set(edges) - tie
    kept = set(ours) & tie
    assert len(kept) in (2, 4)
    for edge, cost in ours.items():
        assert cost == pytest.approx(edges[edge], rel=1e-5), edge
    assert min(ours, key=ours.get)[2:] in ((88, 126), (126, 88))
    assert round(min(ours.values()), 2) == 18.92
    assert round(max(ours.values()), 2) == 20743.55
