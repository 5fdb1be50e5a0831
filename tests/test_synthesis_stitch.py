"""Walks become motion: placing, blending and carrying contacts, against plain loops over 4×4 matrices."""

import numpy as np
import pytest
from bodies import person, random_skeleton, smooth_clip
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import synthesis as naive
from naive.glb import Glb
from walking import joined, sample, sample_graph, turns_of

import motiongraph as mg
from motiongraph.files import resource
from motiongraph.synthesis import _kernels, blend
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.synthesize import registration, stitched
from motiongraph.walks.walk import Walk


def plain(walk):
    clips = [(c.root, c.rotations, c.skeleton.parents, c.skeleton.offsets) for c in walk.clips]
    rows = [
        (r["src"], r["src_frame"], r["dst"], r["dst_frame"], r["theta"], r["x0"], r["z0"]) for r in walk.transitions
    ]
    return naive.walk_positions(clips, walk.window, walk.steps.tolist(), rows, walk.placed)


def some_walk(rng, window=8, jumps=3):
    skeleton = random_skeleton(rng, 7)
    clips = [smooth_clip(rng, skeleton, int(rng.integers(60, 90)), name=f"c{i}") for i in range(3)]
    rows, clip, frame = [], int(rng.integers(3)), 3
    start = clip, frame
    for _ in range(jumps):
        at = int(rng.integers(frame, len(clips[clip]) - window))
        to = int(rng.integers(3))
        into = int(rng.integers(0, 20))
        rows.append((clip, at, to, into, 1.0, *rng.uniform(-3, 3, 3)))
        clip, frame = to, into + window
    return joined(clips, window, start, rows, frame + 10, placed=tuple(rng.uniform(-2, 2, 3)))


def test_weights_are_kovars():
    for k in (1, 2, 40, 41):
        np.testing.assert_allclose(blend.weights(k), [naive.alpha(p, k) for p in range(k)], atol=1e-15)
    assert blend.weights(40)[-1] == 0.0


@pytest.mark.parametrize("length", [2, 9, 10, 19, 20])
def test_shorter_blends_lie_in_the_middle_of_the_window(length):
    alpha = blend.weights(20, length)
    lead = (20 - length) // 2
    np.testing.assert_array_equal(alpha[:lead], 1.0)
    np.testing.assert_allclose(alpha[lead : lead + length], blend.weights(length), atol=1e-15)
    np.testing.assert_array_equal(alpha[lead + length :], 0.0)


@pytest.mark.parametrize("how", ["linear", "inertialized"])
def test_every_transition_may_have_a_length_of_its_own(how):
    walk = some_walk(np.random.default_rng(5), window=12, jumps=3)
    whole = stitched(walk, how)
    short = stitched(walk, how, lengths=[4 / walk.fps, 12 / walk.fps, 99.0])
    assert len(short) == len(whole)
    changed = np.abs(short.rotations - whole.rotations).max(axis=(1, 2)) > 1e-9
    seams = whole.origin.seams()
    assert changed[slice(*seams[0])].any()
    changed[slice(*seams[0])] = False
    assert not changed.any()
    if how == "linear":  # outside the middle four frames one motion plays alone
        weight = short.origin.weight[slice(*seams[0])]
        assert weight.tolist()[:4] == [1.0] * 4
        assert weight.tolist()[8:] == [0.0] * 4


@pytest.mark.parametrize("lengths", [0.0, -1.0, np.nan, [0.1, 0.2]])
def test_lengths_that_make_no_sense(lengths):
    with pytest.raises(mg.MotionError, match="blends take"):
        stitched(some_walk(np.random.default_rng(5)), lengths=lengths)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 3))
def test_motion_of_a_walk_is_that_of_plain_matrices(seed, window, jumps):
    walk = some_walk(np.random.default_rng(seed), window, jumps)
    motion = mg.synthesize(walk, cleanup=False)
    assert len(motion) == len(walk)
    np.testing.assert_allclose(motion.positions(), plain(walk), atol=1e-9)


def test_frames_are_those_of_the_steps():
    walk = some_walk(np.random.default_rng(1))
    motion, at = stitched(walk), 0
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        here = slice(at, at + stop - start)
        origin = motion.origin
        assert (origin.clip[here] == clip).all()
        assert (origin.frame[here] == np.arange(start, stop)).all()
        assert (origin.other[here] == -1).all()
        assert (origin.weight[here] == 1.0).all()
        assert (origin.step[here] == k).all()
        at = here.stop
        if k < len(walk.transitions):
            seam = slice(at, at + walk.window)
            jump = walk.transitions[k]
            np.testing.assert_array_equal(origin.frame[seam], jump["src_frame"] + np.arange(walk.window))
            np.testing.assert_array_equal(origin.other_frame[seam], jump["dst_frame"] + np.arange(walk.window))
            np.testing.assert_array_equal(origin.weight[seam], blend.weights(walk.window))
            at = seam.stop
    assert at == len(motion)
    np.testing.assert_array_equal(motion.origin.seams()[:, 1] - motion.origin.seams()[:, 0], walk.window)
    assert len(motion.origin.seams()) == len(walk.transitions)


def test_two_transitions_without_a_frame_between_are_two_seams():
    clip = smooth_clip(np.random.default_rng(2), random_skeleton(np.random.default_rng(3)), 100)
    walk = joined([clip], 10, (0, 0), [(0, 30, 0, 50, 1, 0, 0, 0), (0, 60, 0, 5, 1, 0, 0, 0)], 20)
    assert mg.synthesize(walk).origin.seams().tolist() == [[30, 40], [40, 50]]


def test_labels_of_a_blend_are_those_of_both():
    rng = np.random.default_rng(4)
    skeleton = random_skeleton(rng)
    a, b = (smooth_clip(rng, skeleton, 60, labels=labels) for labels in ({"walk": (0, 25)}, ["run"]))
    motion = mg.synthesize(joined([a, b], 10, (0, 0), [(0, 20, 1, 5, 1, 0, 0, 0)], 30))
    np.testing.assert_array_equal(np.flatnonzero(motion.labels.at("walk")), np.arange(25))
    np.testing.assert_array_equal(np.flatnonzero(motion.labels.at("run")), np.arange(20, len(motion)))


@pytest.mark.parametrize("window", [10, 11])
def test_contacts_come_from_the_first_motion_and_then_from_the_second(window):
    walk, run = sample("walk"), sample("run")
    motion = stitched(joined([walk, run], window, (0, 100), [(0, 200, 1, 300, 1, 0, 0, 0)], 400))
    ours, theirs = np.asarray(plants(walk)), np.asarray(plants(run))
    half = -(-window // 2)
    expected = np.concatenate([ours[100 : 200 + half], theirs[300 + half : 400]])
    np.testing.assert_array_equal(motion.origin.planted, expected)
    np.testing.assert_array_equal(motion.contacts(), expected)


def test_offsets_that_slide_are_blended():
    rng = np.random.default_rng(5)
    skeleton = random_skeleton(rng, 5)
    still = smooth_clip(rng, skeleton, 50)
    offsets = skeleton.offsets + rng.normal(0, 0.01, (50, 5, 3))
    sliding = mg.Clip(skeleton, still.root, still.rotations, offsets=offsets)
    motion = mg.synthesize(joined([still, sliding], 10, (0, 0), [(0, 20, 1, 5, 1, 0, 0, 0)], 30), cleanup=False)
    np.testing.assert_array_equal(motion.offsets[:20], np.broadcast_to(skeleton.offsets, (20, 5, 3)))
    np.testing.assert_array_equal(motion.offsets[30:], offsets[15:30])
    a = blend.weights(10)[:, None, None]
    np.testing.assert_allclose(motion.offsets[20:30], a * skeleton.offsets + (1 - a) * offsets[5:15], atol=1e-12)


def test_inertialized_motion_leaves_with_the_pose_and_velocity_of_the_first():
    rng = np.random.default_rng(6)
    skeleton = random_skeleton(rng, 6)
    a, b = smooth_clip(rng, skeleton, 200), smooth_clip(rng, skeleton, 200)
    walk = joined([a, b], 40, (0, 0), [(0, 100, 1, 60, 1, 0.0, 0.0, 0.0)], 150)
    places = mg.synthesize(walk, cleanup=False, blend="inertialized").positions()
    np.testing.assert_allclose(places[100], a.positions()[100], atol=1e-9)
    np.testing.assert_allclose(places[140:], b.positions()[100:150], atol=1e-9)
    speeds = np.diff(places, axis=0) * 120.0
    assert np.abs(np.diff(speeds, axis=0)).max() < 0.5  # m/s a frame: no jolt anywhere


def test_registration_is_the_cheapest_of_all_ways():
    rng = np.random.default_rng(7)
    for frames in (1, 2, 5, 9):
        first, second = rng.normal(size=(2, frames, 3, 3))
        path = _kernels.register(first, second)
        least, _ = naive.registered(first, second)
        assert path[0].tolist() == [0, 0]
        assert path[-1].tolist() == [frames - 1, frames - 1]
        moves = np.diff(path, axis=0)
        assert {tuple(m) for m in moves.tolist()} <= {(1, 1), (1, 2), (2, 1)}
        costs = ((first[path[:, 0]] - second[path[:, 1]]) ** 2).sum(axis=(1, 2))
        total = costs[0] + (costs[1:] * moves.max(axis=1)).sum()
        np.testing.assert_allclose(total, least, rtol=1e-12)


def test_registration_finds_what_one_motion_lags_behind():
    clip = sample("walk")
    slower = np.arange(120, 160) + 2.0 * np.sin(np.pi * np.arange(40) / 39) ** 2
    pair = blend.registered(clip.positions()[120:160], clip.positions()[np.round(slower).astype(int)])
    assert pair[0].tolist() == [0.0, 0.0]
    assert pair[-1].tolist() == [39.0, 39.0]
    assert (np.diff(pair, axis=0) > 0).all()
    assert 0.5 < (pair[:, 0] - pair[:, 1]).max() < 3.0


@pytest.mark.parametrize("method", ["linear", "inertialized"])
def test_lined_up_windows_make_motion_too(method):
    graph = sample_graph("walk", "walk_left_90")
    walk = mg.random_walk(graph, 5, rng=3)
    motion = mg.synthesize(walk, blend=method, register=True)
    assert len(motion) == len(walk)
    assert registration(walk, 0).shape == (graph.window, 2)


def test_two_left_turns_are_a_u_turn_and_four_a_square():
    clip = sample("walk_left_90")
    graph = mg.MotionGraph.build([clip], threshold=8.0)
    found = graph.transitions[graph.transitions["src_frame"] > graph.transitions["dst_frame"] + 200]
    jump = found[np.argmin(np.abs(np.abs(found["theta"]) - np.pi / 2))]
    check_square(graph, jump)


def test_a_captured_left_turn_four_times_is_a_square(mocap):
    clip = mg.load(mocap / "cmu/asf_amc/16/16_17.amc")
    graph = mg.MotionGraph.build([clip], threshold=4.0)
    found = graph.transitions[graph.transitions["src_frame"] > graph.transitions["dst_frame"] + 200]
    check_square(graph, found[np.argmin(np.abs(np.abs(found["theta"]) - np.pi / 2))])


def check_square(graph, jump):
    """The clip played round and round by one transition; each round turns by about 90° and goes on from there."""
    start, stop = int(jump["dst_frame"]) + graph.window, int(jump["src_frame"])
    round_ = stop - start + graph.window
    once = mg.synthesize(Walk.of(graph, (0, start), [], stop), cleanup=False)
    walk = Walk.of(graph, (0, start), np.repeat(jump, 4), start + 1)
    motion = mg.synthesize(walk)
    places, turn = motion.root[:, [0, 2]], turns_of(motion)
    corners = places[[0, round_, 2 * round_, 3 * round_, 4 * round_]]
    sides = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    assert len(motion) == 4 * round_ + 1
    assert np.linalg.norm(once.root[-1] - once.root[0]) > 1.0
    # Two turns: facing back. Four: facing as at first, in the same place, around a square of equal sides.
    assert abs(abs(turn[2 * round_] - turn[0]) - 180.0) < 12.0
    assert abs(abs(turn[4 * round_] - turn[0]) - 360.0) < 20.0
    np.testing.assert_allclose(sides, sides.mean(), rtol=0.03)
    assert np.linalg.norm(corners[4] - corners[0]) < 0.2 * sides.mean()
    assert np.linalg.norm(corners[2] - corners[0]) > 1.25 * sides.mean()  # the diagonal
    # The way back of the U-turn is beside the way there, not on it.
    assert abs(turn[4 * round_] - turn[0]) > 300.0


@pytest.mark.parametrize("suffix", ["bvh", "amc", "glb"])
def test_made_motion_is_written_and_read_back(suffix, tmp_path):
    graph = sample_graph("walk", "walk_left_90")
    motion = mg.synthesize(mg.random_walk(graph, 4, rng=5))
    path = tmp_path / f"out.{suffix}"
    mg.save(motion, path)
    frames = np.arange(len(motion))
    if suffix == "glb":
        file, frames = Glb(path), frames[::7]  # a plain reader, frame by frame
        places = np.array([file.positions(frame / motion.fps) for frame in frames])
    else:
        places = mg.load(path).positions()
    np.testing.assert_allclose(places, motion.positions()[frames], atol=1e-4)


def test_a_walk_that_cannot_be_made_says_why():
    clip = smooth_clip(np.random.default_rng(8), person(), 60)
    with pytest.raises(mg.MotionError, match="a blend is one of linear, inertialized, not 'cubic'"):
        mg.synthesize(joined([clip], 10, (0, 0), [], 20), blend="cubic")
    with pytest.raises(mg.MotionError, match="no frames"):
        mg.synthesize(joined([clip], 10, (0, 20), [], 20))


@pytest.mark.long
@pytest.mark.parametrize("mirror", [False, True])
def test_any_walk_on_the_samples_becomes_motion(mirror):
    clips = mg.load_all(resource("assets/samples"))[:: 1 + mirror]
    graph = mg.MotionGraph.build(clips, mirror=mirror).pruned()
    for seed in range(4):
        walk = mg.random_walk(graph, 6, rng=seed)
        motion = mg.synthesize(walk, blend=("linear", "inertialized")[seed % 2], register=seed > 1)
        assert len(motion) == len(walk)
        lengths = np.linalg.norm(
            motion.positions()[:, 1:] - motion.positions()[:, motion.skeleton.parents[1:]], axis=-1
        )
        np.testing.assert_allclose(lengths, np.broadcast_to(motion.skeleton.bone_lengths[1:], lengths.shape), atol=1e-6)
        figures = mg.quality(motion)
        assert figures["penetration"] < 0.1
        assert figures["slide_mean"] < 1.0


@pytest.mark.parametrize("subject", ["07", "35", "69"])
def test_any_walk_on_captured_bvh_becomes_motion(subject, mocap):
    clips = [mg.load(path) for path in sorted((mocap / "cmu/bvh").glob(f"{subject}_*.bvh"))[:3]]
    graph = mg.MotionGraph.build(clips).pruned()
    motion = mg.synthesize(walk := mg.random_walk(graph, 6, rng=1))
    captured = np.mean([mg.quality(clip)["slide_mean"] for clip in clips])
    figures = mg.quality(motion)
    assert len(motion) == len(walk)
    assert figures["penetration"] < 0.1
    assert figures["slide_mean"] < min(1.0, 0.5 * captured)
