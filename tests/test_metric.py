"""Costs and alignments against brute force over every point of the cloud."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import random_clip, random_skeleton, smooth_clip
from naive import distance as naive

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.metric import stream
from motiongraph.metric.cloud import Cloud
from motiongraph.metric.joints import correspondence, joint_weights
from motiongraph.metric.search import search
from motiongraph.progress import Cancelled

TENTH = 0.01  # of a millimetre, in cm: the promise is 0.1 mm
ALIGNMENTS = ["planar", "in-place", "none"]


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def walking(rng, skeleton, frames, at=(0.0, 0.0), **fields):
    """A swinging body that walks a winding path from `at` (x, z metres)."""
    clip = smooth_clip(rng, skeleton, frames, **fields)
    heading = rng.uniform(0, 6) + np.cumsum(rng.normal(0, 0.03, frames))
    steps = np.stack([np.sin(heading), np.zeros(frames), np.cos(heading)], axis=1) * 1.4 / clip.fps
    root = np.array([at[0], 1.0, at[1]]) + np.cumsum(steps, axis=0)
    turn = np.stack([np.cos(heading / 2), 0 * heading, np.sin(heading / 2), 0 * heading], axis=1)
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    return replace(clip, root=root, rotations=rotations)


def joined(*clips):
    """One clip after the other, with a jump in between."""
    return replace(
        clips[0],
        root=np.concatenate([c.root for c in clips]),
        rotations=np.concatenate([c.rotations for c in clips]),
        labels=(),
    )


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
    assert np.array_equal(comp.cost, ref.cost)


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


@pytest.mark.parametrize("options", [{}, {"taper": "gaussian"}, {"align": "none"}, {"kind": "angle"}])
def test_streaming_finds_what_the_matrix_shows(rng, options):
    skeleton = random_skeleton(rng, 12)
    a, b = walking(rng, skeleton, 900), walking(rng, skeleton, 620)
    metric = mg.Metric(**options)
    found = 0
    for pair in ((a, b), (b, a), (a, a)):
        matrix = mg.distance_matrix(*pair, metric, cache=False)
        ceiling = float(np.quantile(matrix.cost, 0.4))
        for how in (
            {},
            {"ceiling": ceiling},
            {"method": "partial", "ceiling": ceiling},
            {"radius": 9, "border": False},
        ):
            comp = mg.find_minima(*pair, metric, cache=False, **how)
            ref = matrix.minima(how.get("ceiling"), **{k: v for k, v in how.items() if k != "ceiling"})
            if matrix.own and "radius" not in how:
                ref = ref[ref["b"] > ref["a"]]
            found += len(comp)
            if not (matrix.own and "radius" in how):
                assert all(np.array_equal(comp[name], ref[name]) for name in ("a", "b", "cost"))
            for row in comp[:20]:
                assert np.allclose(matrix.alignment(row["a"], row["b"]), row[["theta", "x0", "z0"]].item(), atol=1e-9)
    assert found


def test_a_clip_against_itself_leaves_out_the_trivial_band(rng):
    clip = walking(rng, random_skeleton(rng, 12), 700)
    own = mg.distance_matrix(clip, clip, cache=False)
    minima = own.minima()
    assert len(minima)
    assert (np.abs(minima["a"] - minima["b"]) >= own.window).all()
    once = mg.find_minima(clip, clip, cache=False)
    assert (once["b"] - once["a"] >= own.window).all()
    short = clip[:60]
    assert len(mg.find_minima(short, short, cache=False)) == 0


def test_a_lower_rate_finds_most_and_refines_each(rng):
    skeleton = random_skeleton(rng, 12)
    a, b = walking(rng, skeleton, 800), walking(rng, skeleton, 600)
    for pair in ((a, b), (a, a)):
        every = {(r["a"], r["b"]): r for r in mg.find_minima(*pair, cache=False)}
        coarse = mg.find_minima(*pair, mg.Metric(search_fps=30), cache=False)
        assert len(coarse) > 0.4 * len(every)
        assert coarse[["a", "b"]][0].item() == next(iter(every))  # the best of all is among them
        for row in coarse:
            ref = every[row["a"], row["b"]]
            assert abs(row["cost"] - ref["cost"]) < TENTH
            assert np.allclose(row[["theta", "x0", "z0"]].item(), ref[["theta", "x0", "z0"]].item(), atol=1e-6)


def test_many_pairs_at_once(rng):
    skeleton = random_skeleton(rng, 10)
    metric = mg.Metric()
    clips = [metric.prepare(walking(rng, skeleton, n)) for n in (120, 260, 90, 530)]
    pairs = [(p, q) for i, p in enumerate(clips) for q in clips[i:]]
    told = []
    together = search(pairs, cache=False, progress=lambda done, total, what: told.append((done, total)))
    for pair, found in zip(pairs, together):
        assert np.array_equal(found, search([pair], cache=False)[0])
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1]
    assert sorted(told) == told


def test_work_stops_when_asked(rng):
    skeleton = random_skeleton(rng, 20)
    metric = mg.Metric()
    long = metric.prepare(walking(rng, skeleton, 20_000))
    calls = []

    def stop(done, total, what):
        calls.append(done)
        if len(calls) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        search([(long, long)], cache=False, progress=stop)
    assert len(calls) == 3
    calls.clear()
    shorter = metric.prepare(walking(rng, skeleton, 6000))
    with pytest.raises(Cancelled):
        mg.distance_matrix(shorter, shorter, metric, cache=False, progress=stop)


def test_trouble_in_a_thread_reaches_the_caller():
    def trip(job, tick):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stream.run(range(10), trip, 10)


def test_refusals(rng):
    skeleton, other = random_skeleton(rng, 6), random_skeleton(rng, 7)
    a = walking(rng, skeleton, 60, name="first")
    for b, words in [
        (walking(rng, other, 60, name="second"), "have other joints: none against joint6"),
        (walking(rng, skeleton, 60, fps=60.0, name="slow"), "'first' has 120 frames a second and 'slow' 60"),
        (walking(rng, skeleton, 39, name="short"), "'short' has 39 captured frames, fewer than the 40 of a window"),
    ]:
        with pytest.raises(mg.MotionError, match=words):
            mg.distance_matrix(a, b, cache=False)
    for fields, words in [
        ({"window": -1}, "seconds from 0 up"),
        ({"align": "sideways"}, "align is one of 'planar', 'in-place', 'none'"),
        ({"kind": "colour"}, "kind is one of"),
        ({"order": 3}, "order is one of 1, 2, 4"),
        ({"samples_per_bone": 1.5}, "whole number"),
        ({"taper": "sharp"}, "taper is one of"),
        ({"taper": [0.0, 0.0]}, "not all of them 0"),
        ({"search_fps": 0}, "positive number"),
    ]:
        with pytest.raises(mg.MotionError, match=words):
            mg.Metric(**fields)
    for fields, words in [
        ({"taper": [1.0, 2.0]}, "the taper has 2 weights, but the window has 40 frames"),
        ({"joint_weights": {"tail": 1.0}}, "no joint 'tail'"),
        ({"joint_weights": {"joint1": -1.0}}, "must be a number from 0 up"),
        ({"joint_weights": "heavy"}, "a mapping of joint names"),
        ({"joint_weights": dict.fromkeys(skeleton.names, 0.0)}, "all joints weigh nothing"),
        ({"joint_weights": {n: float(n == "joint0") for n in skeleton.names}}, "all bones weigh nothing"),
        ({"joint_weights": "mao"}, "Mao's joint weights need"),
    ]:
        with pytest.raises(mg.MotionError, match=words):
            mg.distance_matrix(a, a, mg.Metric(**fields), cache=False)
    prepared = [m.prepare(a) for m in (mg.Metric(), mg.Metric(window=0.2))]
    with pytest.raises(mg.MotionError, match="different metrics"):
        mg.distance_matrix(*prepared, cache=False)


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
    a, b = (mg.load(mocap / "cmu" / f) for f in (first, second))
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


@pytest.mark.parametrize("kind", ["angle", "angle-velocity", "angle-acceleration"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_joint_angles(rng, kind, order):
    skeleton = random_skeleton(rng, 7)
    a, b = walking(rng, skeleton, 30), joined(walking(rng, skeleton, 20), random_clip(rng, skeleton, 15))
    derivative = ("angle", "angle-velocity", "angle-acceleration").index(kind)
    weights = {"joint2": 0.0, "joint5": 3.0}
    values = [weights.get(n, 1.0) for n in skeleton.names[1:]]
    comp = mg.distance_matrix(a, b, mg.Metric(kind=kind, order=order, window=0, joint_weights=weights), cache=False)
    ref = naive.angle_matrix(a.rotations[:, 1:], b.rotations[:, 1:], values, order, derivative, 120.0)
    assert np.abs(comp.cost - ref).max() < 1e-6 * ref.max() + 2e-5
    assert np.isclose(comp.raw[3, 4], ref[3, 4] ** order * sum(values), rtol=1e-4)
    cells = np.indices(ref.shape).reshape(2, -1)
    assert np.abs(comp.pair.exact(*cells)[0].reshape(ref.shape) - ref).max() < 1e-6 * ref.max() + 2e-5
    assert np.array_equal(mg.distance_matrix(b, a, comp.metric, cache=False).cost.T, comp.cost)
    windows = mg.distance_matrix(
        a, b, mg.Metric(kind=kind, order=order, joint_weights=weights, window=0.1), cache=False
    )
    assert np.array_equal(windows.cost, comp.cost[: 30 - 11, : 35 - 11])


def test_weights_of_mao():
    asf = [
        "root",
        "lhipjoint",
        "lfemur",
        "ltibia",
        "lfoot",
        "ltoes",
        "ltoes_end",
        "rhipjoint",
        "rfemur",
        "rtibia",
        "rfoot",
    ]
    asf += ["lowerback", "upperback", "thorax", "lowerneck", "upperneck", "head", "lclavicle", "lhumerus", "lradius"]
    asf += ["rclavicle", "rhumerus", "rradius"]
    bvh = ["Hips", "LHipJoint", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase", "LeftToeBase_end", "RHipJoint"]
    bvh += ["RightUpLeg", "RightLeg", "RightFoot", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"]
    bvh += ["LeftShoulder", "LeftArm", "LeftForeArm", "RightShoulder", "RightArm", "RightForeArm"]
    table = [0, 0, 0.4, 0.4, 0.9, 0, 0, 0, 0.4, 0.4, 0.9, 0.8, 0.1, 0.1, 0.1, 0.8, 0, 0, 0.4, 0.2, 0, 0.4, 0.2]
    for names in (asf, bvh):
        parents = range(-1, len(names) - 1)
        skeleton = mg.Skeleton(names, parents, np.ones((len(names), 3)))
        assert joint_weights(skeleton, "mao").tolist() == table
