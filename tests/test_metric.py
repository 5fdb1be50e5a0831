"""Costs and alignments against brute force over every point of the cloud."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import random_clip, random_skeleton
from naive import distance as naive
from walkers import joined, walking

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.files import resource
from motiongraph.metric.cloud import Cloud, correspondence

TENTH = 0.01  # of a millimetre, in cm: the promise is 0.1 mm
ALIGNMENTS = ["planar", "in-place", "none"]


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def brute_force(a, b, metric, weights=None):
    """cost, theta, x0, z0 (n, m) from all points of both clouds."""
    a, b = a.captured(), b.captured()
    lengths = (a.skeleton.bone_lengths + b.skeleton.bone_lengths) / 2
    weights = np.ones(len(a.skeleton)) if weights is None else weights
    clouds = []
    for clip in (a, b):
        positions = clip.positions()
        points, w = naive.cloud(positions, clip.skeleton.parents, lengths, weights, metric.samples_per_bone)
        clouds.append(naive.in_place(points, positions[:, 0]) if metric.align == "in-place" else points)
    g = metric.frame_weights(metric.frames(a.fps))
    return naive.matrix(*clouds, w, g, metric.align == "planar")


def check(a, b, metric, weights=None):
    """Everything the matrix says about two clips, against brute force; returns the matrix."""
    comp = mg.distance_matrix(a, b, metric, cache=False)
    cost, theta, x0, z0 = brute_force(a, b, metric, weights)
    assert comp.cost.shape == cost.shape
    assert np.abs(comp.cost - cost).max() < TENTH
    exact = comp.pair.exact(*np.indices(cost.shape).reshape(2, -1))
    exact_cost, turn, x, z = (v.reshape(cost.shape) for v in exact)
    assert np.abs(exact_cost - cost).max() < TENTH
    if metric.align == "planar":
        assert np.abs(np.angle(np.exp(1j * (turn - theta)))).max() < 1e-4
        assert max(np.abs(x - x0).max(), np.abs(z - z0).max()) < 1e-3
    elif metric.align == "none":
        assert not turn.any()
        assert not x.any()
        assert not z.any()
    return comp


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("taper", [None, "gaussian"])
@pytest.mark.parametrize("samples", [0, 1, 5])
def test_cost_and_alignment(rng, align, taper, samples):
    skeleton = random_skeleton(rng, 9)
    a, b = walking(rng, skeleton, 60), walking(rng, skeleton, 77, at=(-3.0, 2.0))
    check(a, b, mg.Metric(window=0.15, align=align, taper=taper, samples_per_bone=samples))


@pytest.mark.parametrize(("frames", "window"), [((1, 1), 0.0), ((5, 9), 0.0), ((40, 41), 0.25), ((70, 90), 0.55)])
@pytest.mark.parametrize("taper", [None, "gaussian"])
def test_window_lengths(rng, frames, window, taper):
    skeleton = random_skeleton(rng, 6)
    a, b = (walking(rng, skeleton, n) for n in frames)
    check(a, b, mg.Metric(window=window, taper=taper))


@pytest.mark.parametrize("joints", [2, 3, 7, 23])
def test_poses_that_have_nothing_in_common(rng, joints):
    skeleton = random_skeleton(rng, joints)
    a, b = random_clip(rng, skeleton, 30), random_clip(rng, skeleton, 25)
    check(a, b, mg.Metric(window=0.05, samples_per_bone=0))


@pytest.mark.parametrize("align", ALIGNMENTS)
def test_fifty_metres_from_the_origin(rng, align):
    skeleton = random_skeleton(rng, 8)
    a, b = walking(rng, skeleton, 70, at=(50.0, -50.0)), walking(rng, skeleton, 60, at=(-50.0, 35.0))
    again = a[10:50].moved(2.0, 1.0, -80.0) if align == "planar" else a[10:50]
    comp = check(a, joined(b, again), mg.Metric(window=0.1, align=align))
    alike = comp.cost[range(10, 10 + 29), range(60, 60 + 29)]
    assert alike.max() < 0.005  # shown as 0.00


def test_a_path_that_jumps_all_over_the_place(rng):
    skeleton = random_skeleton(rng, 8)
    a, b = walking(rng, skeleton, 50), walking(rng, skeleton, 40)
    a, b = (replace(c, root=c.root + rng.uniform(-50, 50, (len(c), 3)) * (1, 0, 1)) for c in (a, b))
    metric = mg.Metric(window=0.1)
    comp = check(a, joined(b, a[5:40].moved(1.0, 9.0, 9.0)), metric)
    assert comp.cost[5:29, 40:64].diagonal().max() < 0.005


def test_identical_windows_cost_nothing(rng):
    skeleton = random_skeleton(rng, 20)
    clip = walking(rng, skeleton, 300)
    own = mg.distance_matrix(clip, clip, cache=False)
    assert own.own
    assert (own.cost.diagonal() == 0).all()
    assert np.array_equal(own.cost, own.cost.T)
    copy = mg.distance_matrix(clip, joined(clip[:100], clip[50:200].moved(1.0, 2.0, 3.0)), cache=False)
    assert not copy.own
    assert (copy.cost[range(61), range(61)] == 0).all()
    assert (copy.cost[range(50, 161), range(100, 211)] == 0).all()
    still = joined(*[clip[:1]] * 90)
    assert (mg.distance_matrix(still, still.moved(0.3), cache=False).cost == 0).all()


@pytest.mark.parametrize("taper", [None, "gaussian"])
def test_moving_a_clip_on_the_floor_changes_nothing(rng, taper):
    skeleton = random_skeleton(rng, 15)
    a, b = walking(rng, skeleton, 130), walking(rng, skeleton, 110)
    metric = mg.Metric(taper=taper)
    ref = mg.distance_matrix(a, b, metric, cache=False)
    comp = mg.distance_matrix(a.moved(2.5, -48.0, 41.0), b, metric, cache=False)
    assert np.abs(comp.cost - ref.cost).max() < TENTH


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("taper", [None, "gaussian"])
def test_exchanging_the_clips_transposes_the_matrix(rng, align, taper):
    skeleton = random_skeleton(rng, 15)
    a, b = walking(rng, skeleton, 230), walking(rng, skeleton, 145)
    metric = mg.Metric(align=align, taper=taper)
    ab, ba = (mg.distance_matrix(*pair, metric, cache=False) for pair in ((a, b), (b, a)))
    assert np.array_equal(ab.cost, ba.cost.T)
    theta, x0, z0 = ab.alignment(3, 5)
    back = ba.alignment(5, 3)
    there = rot.rotate(rot.about("Y", theta), [1.0, 0.0, 2.0]) + np.array([x0, 0.0, z0])
    home = rot.rotate(rot.about("Y", back[0]), there) + np.array([back[1], 0.0, back[2]])
    assert np.allclose(home, [1.0, 0.0, 2.0], atol=1e-9)


def test_alignment_is_that_of_moved(rng):
    skeleton = random_skeleton(rng, 10)
    a, b = walking(rng, skeleton, 90), walking(rng, skeleton, 80, at=(20.0, 5.0))
    aligned = mg.distance_matrix(a, b, cache=False)
    i, j = 11, 29
    moved = b.moved(*aligned.alignment(i, j))
    as_is = mg.distance_matrix(a, moved, mg.Metric(align="none"), cache=False)
    assert abs(as_is.cost[i, j] - aligned.cost[i, j]) < TENTH
    with pytest.raises(mg.MotionError, match="outside a matrix"):
        aligned.alignment(len(a), 0)


def test_in_place_alignment_brings_the_roots_together(rng):
    skeleton = random_skeleton(rng, 10)
    a, b = walking(rng, skeleton, 50), walking(rng, skeleton, 50, at=(20.0, 5.0))
    comp = mg.distance_matrix(a, b, mg.Metric(align="in-place", window=0.1), cache=False)
    theta, x0, z0 = comp.alignment(4, 9)
    between = (a.root[4:16] - b.root[9:21]).mean(axis=0)
    assert theta == 0
    assert np.allclose([x0, z0], between[[0, 2]])


def test_weights(rng):
    skeleton = random_skeleton(rng, 9)
    a, b = walking(rng, skeleton, 40), walking(rng, skeleton, 45)
    weights = {"joint0": 0.0, "joint3": 0.0, "joint4": 2.5, "joint8": 0.25}
    values = np.array([weights.get(n, 1.0) for n in skeleton.names])
    for samples in (0, 3):
        check(a, b, mg.Metric(window=0.1, joint_weights=weights, samples_per_bone=samples), values)
    taper = np.r_[0.0, 0.0, 1.0, 3.0, 0.5, 0.0]
    check(a, b, mg.Metric(window=0.05, taper=taper, joint_weights=weights), values)


def test_one_point_alone_weighs(rng):
    skeleton = random_skeleton(rng, 5)
    a, b = walking(rng, skeleton, 20), walking(rng, skeleton, 22)
    values = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    weights = dict(zip(skeleton.names, values))
    check(a, b, mg.Metric(window=0.05, joint_weights=weights, samples_per_bone=0), values)


def test_an_even_taper_is_none(rng):
    skeleton = random_skeleton(rng, 9)
    a, b = walking(rng, skeleton, 60), walking(rng, skeleton, 50)
    ref = mg.distance_matrix(a, b, mg.Metric(window=0.1), cache=False)
    comp = mg.distance_matrix(a, b, mg.Metric(window=0.1, taper=[0.3] * 12), cache=False)
    assert np.abs(comp.cost - ref.cost).max() < 1e-4  # the last bits of float32 products may differ
    assert np.array_equal(comp.minima(), ref.minima())


def test_density_changes_neither_the_size_nor_much_of_the_cost(rng):
    skeleton = random_skeleton(rng, 12)
    sparse, dense = (Cloud.of((skeleton,), samples_per_bone=n) for n in (5, 1000))
    assert sparse.factor.shape == dense.factor.shape
    a, b = walking(rng, skeleton, 60), walking(rng, skeleton, 50)
    few, many = (mg.distance_matrix(a, b, mg.Metric(samples_per_bone=n), cache=False).cost for n in (5, 1000))
    assert np.abs(few / many - 1).max() < 0.02


def test_joints_that_move_as_one_are_not_multiplied_twice(rng):
    parents = [-1, 0, 0, 0, 3, 3, 3, 3, 3]
    offsets = np.array([(0, 0, 0), (0, 0, 0), (0.1, 0, 0), (0, 0.5, 0), *rng.normal(0, 0.2, (5, 3))], float)
    skeleton = mg.Skeleton([f"joint{j}" for j in range(9)], parents, offsets)
    cloud = Cloud.of((skeleton,))
    assert list(cloud.used) == [0, 2, 3, 4, 5, 6]  # 1 sits on 0; 7 and 8 are combinations of 4, 5 and 6
    check(walking(rng, skeleton, 30), walking(rng, skeleton, 25), mg.Metric(window=0.1))


def test_joints_that_slide(rng):
    skeleton = random_skeleton(rng, 7)
    a, b = walking(rng, skeleton, 40), walking(rng, skeleton, 35)
    slid = skeleton.offsets + rng.normal(0, 0.05, (40, 7, 3)) * (np.arange(7)[:, None] > 0)
    check(replace(a, offsets=slid), b, mg.Metric(window=0.1))


def test_other_proportions_and_another_order_of_joints(rng):
    skeleton = random_skeleton(rng, 8)
    larger = mg.Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * rng.uniform(0.8, 1.3, (8, 1)))
    a, b = walking(rng, skeleton, 40), walking(rng, larger, 45)
    metric = mg.Metric(window=0.1)
    ref = check(a, b, metric)
    assert np.array_equal(mg.distance_matrix(b, a, metric, cache=False).cost, ref.cost.T)
    order = [0, *(1 + rng.permutation(7))]
    while any(larger.parents[j] >= 0 and order.index(larger.parents[j]) > k for k, j in enumerate(order)):
        order = [0, *(1 + rng.permutation(7))]
    shuffled = mg.Skeleton(
        [larger.names[j] for j in order],
        [-1 if larger.parents[j] < 0 else order.index(larger.parents[j]) for j in order],
        larger.offsets[order],
    )
    comp = mg.distance_matrix(a, replace(b, skeleton=shuffled, rotations=b.rotations[:, order]), metric, cache=False)
    assert np.abs(comp.cost - ref.cost).max() < TENTH


def test_matrices_begin_at_the_first_captured_frame(rng):
    skeleton = random_skeleton(rng, 8)
    a, b = replace(walking(rng, skeleton, 61), first=1), walking(rng, skeleton, 50)
    comp = check(a, b, mg.Metric(window=0.1))
    assert (comp.first_a, comp.first_b) == (1, 0)
    assert comp.cost.shape == (60 - 12 + 1, 50 - 12 + 1)


def test_raw_distance(rng):
    skeleton = random_skeleton(rng, 8)
    a, b = walking(rng, skeleton, 30), walking(rng, skeleton, 35)
    metric = mg.Metric(window=0.1)
    comp = mg.distance_matrix(a, b, metric, cache=False)
    points = [naive.cloud(c.positions(), skeleton.parents, skeleton.bone_lengths, np.ones(8), 5) for c in (a, b)]
    weights = np.outer(np.ones(12), points[0][1])
    D = naive.window_pair(points[0][0][3:15], points[1][0][7:19], weights, True)[0]
    assert np.isclose(comp.raw[3, 7], D, rtol=1e-5)


def test_long_sums_do_not_drift(rng):
    """Thousands of frames along a diagonal, several strips and tasks: any cell is that of its own window."""
    skeleton = random_skeleton(rng, 6)
    a, b = walking(rng, skeleton, 4600, at=(40.0, 40.0)), walking(rng, skeleton, 2300)
    comp = mg.distance_matrix(a, b, cache=False)
    n, m = comp.cost.shape
    cells = np.stack([rng.integers(0, n, 3000), rng.integers(0, m, 3000)])
    edges = [(i, j) for i in (0, 1, 1520, 1521, n - 1) for j in (0, 1129, 1130, 1131, m - 1)]
    cells = np.concatenate([cells, np.array(edges).T], axis=1)
    exact = comp.pair.exact(*cells)[0]
    assert np.abs(comp.cost[tuple(cells)] - exact).max() < TENTH


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("asf_amc/dissertation/walk_16_15.amc", "asf_amc/dissertation/sneak_17_03.amc"),
        ("asf_amc/05/05_01.amc", "asf_amc/16/16_35.amc"),
        ("bvh/07_01.bvh", "bvh/35_20.bvh"),
        ("bvh/16_15.bvh", "asf_amc/16/16_15.amc"),
    ],
)
def test_real_motion(mocap, rng, first, second):
    agrees(*(mg.load(mocap / "cmu" / f) for f in (first, second)), rng)


@pytest.mark.parametrize(("first", "second"), [("walk.bvh", "walk_left_90.bvh"), ("jump.amc", "idle.bvh")])
def test_sample_motion(rng, first, second):
    agrees(*(mg.load(resource("assets/samples") / f) for f in (first, second)), rng)


def agrees(a, b, rng):
    """Whether two clips of people compare as brute force says, whichever comes first and wherever they are."""
    comp = mg.distance_matrix(a, b, cache=False)
    assert np.array_equal(mg.distance_matrix(b, a, cache=False).cost, comp.cost.T)
    moved = mg.distance_matrix(a.moved(1.0, 30.0, -40.0), b, cache=False)
    assert np.abs(moved.cost - comp.cost).max() < TENTH
    # Brute force over all points of some cells, among them the best; every other cell against exact arithmetic.
    cells = np.stack([rng.integers(0, n, 60) for n in comp.cost.shape], axis=1).tolist()
    cells.append(np.unravel_index(comp.cost.argmin(), comp.cost.shape))
    order = correspondence(a.skeleton, b.skeleton)
    lengths = (a.skeleton.bone_lengths + b.skeleton.bone_lengths[order]) / 2
    clouds = []
    for clip, joints in ((a, np.arange(len(a.skeleton))), (b, order)):
        positions = clip.captured().positions()[:, joints]
        cloud, weights = naive.cloud(positions, a.skeleton.parents, lengths, np.ones(len(joints)), 5)
        clouds.append(cloud)
    weights = np.tile(weights, (40, 1))
    for i, j in cells:
        D, theta, x0, z0 = naive.window_pair(clouds[0][i : i + 40], clouds[1][j : j + 40], weights, True)
        assert abs(comp.cost[i, j] - 100.0 * np.sqrt(D / weights.sum())) < TENTH
        turn, x, z = comp.alignment(i, j)
        assert abs(np.angle(np.exp(1j * (turn - theta)))) < 1e-4
        assert max(abs(x - x0), abs(z - z0)) < 1e-3
    exact = comp.pair.exact(*np.indices(comp.cost.shape).reshape(2, -1))[0].reshape(comp.cost.shape)
    assert np.abs(comp.cost - exact).max() < TENTH
    own = mg.distance_matrix(a, a, cache=False)
    assert (own.cost.diagonal() == 0).all()
