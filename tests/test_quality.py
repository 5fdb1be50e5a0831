"""Figures of quality on motion whose faults are known."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_skeleton, smooth_clip
from walking import joined, sample, sample_graph

import motiongraph as mg
from motiongraph.synthesis.quality import glitches
from motiongraph.synthesis.synthesize import Origin


def standing(root, planted=True):
    """A person who never moves a joint, root given (F, 3), with all feet said to be planted."""
    skeleton = person()
    frames = len(root)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(skeleton), 1))
    joints = [j for j, n in enumerate(skeleton.names) if n in ("lfoot", "rfoot", "ltoe", "rtoe")]
    none = np.full(frames, -1)
    origin = Origin(
        ("a",), none + 1, np.arange(frames), none, none, np.ones(frames), none + 1,
        np.full((frames, len(joints)), planted), tuple(joints), 0.0,
    )  # fmt: skip
    return mg.Clip(skeleton, np.asarray(root, float), rotations, 100.0, origin=origin)


def height():
    skeleton = person()
    return -skeleton.rest[:, 1].min()


def test_slide_is_the_speed_of_planted_feet():
    time = np.arange(200)[:, None] / 100.0
    clip = standing(np.concatenate([0.03 * time, time * 0 + height(), 0.04 * time], axis=1))
    figures = mg.quality(clip)
    np.testing.assert_allclose([figures["slide_mean"], figures["slide_worst"]], 5.0, rtol=1e-6)
    assert figures["knee_pop"] == 0.0
    assert figures["glitches"] == 0
    lifted = mg.quality(standing(clip.root, planted=False))
    assert lifted["slide_mean"] == lifted["slide_worst"] == 0.0


def test_penetration_is_the_depth_of_the_lowest_joint():
    root = np.tile([0.0, height(), 0.0], (50, 1))
    assert mg.quality(standing(root.copy()))["penetration"] < 1e-9
    root[20, 1] -= 0.013
    np.testing.assert_allclose(mg.quality(standing(root))["penetration"], 1.3)


def test_jumps_of_velocity_and_acceleration():
    root = np.tile([0.0, height(), 0.0], (50, 1))
    root[25:, 0] = 0.002 * np.arange(1, 26)  # from rest to 0.2 m/s between two frames
    figures = mg.quality(standing(root))
    for prefix in ("", "root_"):
        np.testing.assert_allclose(figures[f"{prefix}velocity_jump_worst"], 0.2)
        np.testing.assert_allclose(figures[f"{prefix}acceleration_jump_worst"], 20.0)


def test_seams_are_measured_apart_from_what_was_captured():
    rng = np.random.default_rng(1)
    skeleton = random_skeleton(rng)
    clip = smooth_clip(rng, skeleton, 200)
    smooth = joined([clip], 40, (0, 0), [(0, 80, 0, 80, 0, 0, 0, 0)], 200)
    leap = joined([clip], 40, (0, 0), [(0, 80, 0, 80, 0, 0, 0.5, 0)], 200)
    at_rest, jolted = (mg.quality(mg.synthesize(walk, cleanup=False)) for walk in (smooth, leap))
    assert at_rest["seams"] == 1
    assert at_rest["seam_ratio"] < 1.5
    assert jolted["seam_root_acceleration_p99"] > at_rest["seam_root_acceleration_p99"] + 1.0
    np.testing.assert_allclose(jolted["inside_acceleration_p99"], at_rest["inside_acceleration_p99"])
    against = mg.quality(mg.synthesize(smooth), [clip])
    np.testing.assert_allclose(against["inside_acceleration_p99"], mg.quality(clip)["acceleration_p99"])


def test_a_knee_that_snaps_is_seen():
    clip = sample("walk")
    knee = clip.skeleton.index("ltibia")
    rotations = clip.rotations.copy()
    rotations[300, knee] = rotations[280, knee]
    snapped = mg.quality(replace(clip, rotations=rotations, source=None))
    assert snapped["knee_pop"] > mg.quality(clip)["knee_pop"] + 5.0


def test_glitches_are_found_and_left_alone():
    clip = sample("walk")
    assert not glitches(clip).any()
    root = clip.root.copy()
    root[100] += [0.0, 0.3, 0.0]
    assert np.flatnonzero(glitches(replace(clip, root=root, source=None))).tolist() == [99, 100, 101]


def test_a_dropout_at_the_start_of_a_capture_is_a_glitch(mocap):
    clip = mg.load(mocap / "cmu/asf_amc/16/16_15.amc")
    assert np.flatnonzero(glitches(clip)).tolist() == [1, 2]
    assert mg.quality(clip)["glitches"] == 2


def test_short_and_legless_clips_have_figures_too():
    for frames in (1, 2, 3, 4):
        clip = smooth_clip(np.random.default_rng(2), random_skeleton(np.random.default_rng(3)), frames)
        assert all(np.isfinite(value) for value in mg.quality(clip).values())
        clip = smooth_clip(np.random.default_rng(2), person(), frames)
        assert all(np.isfinite(value) for value in mg.quality(clip).values())


def test_a_walk_reports_the_quality_of_its_motion():
    walk = mg.random_walk(sample_graph("walk", "walk_left_90"), 4, rng=1)
    assert "slide_mean" not in walk.report()
    motion = mg.synthesize(walk)
    report = walk.report()
    assert report["slide_mean"] == mg.quality(motion)["slide_mean"]
    assert "quality" not in report
    assert report["transitions"] == len(walk.transitions)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_the_samples_are_good(name):
    figures = mg.quality(sample(name))
    assert figures["slide_mean"] < 2.0
    assert figures["glitches"] == 0
    assert figures["knee_pop"] < 10.0
