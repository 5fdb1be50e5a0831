"""Errors of a capture are bridged; real motion, however fast, is left as it is."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import smooth_clip
from walking import sample

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.model.despike import despiked, deviations
from motiongraph.synthesis.quality import glitches


def test_deviations_are_distances_from_a_cubic():
    values = np.random.default_rng(1).normal(size=(9, 3, 4))
    ref = np.zeros((9, 3))
    for f in range(2, 7):
        for j in range(3):
            beside = values[[f - 2, f - 1, f + 1, f + 2], j]
            cubic = [np.polyval(np.polyfit([-2, -1, 1, 2], column, 3), 0) for column in beside.T]
            ref[f, j] = np.linalg.norm(values[f, j] - cubic)
    np.testing.assert_allclose(deviations(values), ref, atol=1e-9)


@pytest.mark.parametrize("name", ["walk", "run", "jump", "turn_in_place"])
@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_motion_without_errors_is_left_alone(name, fps):
    clip = sample(name).resampled(fps)
    assert despiked(clip) == (clip, [])


@pytest.mark.parametrize("at", [0, 1, 200, -1])
def test_a_joint_thrown_aside_is_brought_back(at):
    clip = sample("walk")
    knee, rotations = clip.skeleton.index("ltibia"), clip.rotations.copy()
    frames = np.arange(len(clip))[at : at + 3] if at >= 0 else np.arange(len(clip) - 2, len(clip))
    rotations[frames, knee] = rot.multiply(rotations[frames, knee], rot.about("X", 0.6))
    mended, stretches = despiked(replace(clip, rotations=rotations, source=None))
    assert len(stretches) == 1
    assert stretches[0][0] <= frames[0]
    assert stretches[0][1] > frames[-1]
    assert np.abs(mended.positions() - clip.positions()).max() < 0.03
    others = [j for j in range(len(clip.skeleton)) if j != knee]
    np.testing.assert_array_equal(mended.rotations[:, others], clip.rotations[:, others])
    assert np.allclose(np.linalg.norm(mended.rotations, axis=-1), 1.0)


def test_many_errors_in_a_row_are_mended_one_by_one():
    """Together they last longer than can be made up, and so close to each other each is hardly unusual."""
    clip = sample("walk")
    toe, rotations = clip.skeleton.index("lfoot"), clip.rotations.copy()
    for frame in range(200, 240, 5):
        rotations[frame, toe] = rot.multiply(rotations[frame, toe], rot.about("X", 0.9))
    mended, stretches = despiked(replace(clip, rotations=rotations, source=None))
    assert sum(stop - start for start, stop in stretches) >= 24
    assert deviations(mended.positions()).max() < 0.02


def test_what_stays_wrong_is_left_alone():
    clip = sample("walk")
    root = clip.root.copy()
    root[200:260] += [0.2, 0.0, 0.0]
    assert all(stop - start < 8 for start, stop in despiked(replace(clip, root=root, source=None))[1])
    short = smooth_clip(np.random.default_rng(2), clip.skeleton, 4)
    assert despiked(short) == (short, [])


def test_captured_errors_are_found(mocap):
    """16_17 jumps aside by 7 cm for a single frame, 474; the left foot of 16_13 flips to and fro around frame 224."""
    for name, frame in (("16_17", 474), ("16_13", 224)):
        clip = mg.load(mocap / f"cmu/asf_amc/16/{name}.amc")
        mended, stretches = despiked(clip)
        assert any(start <= frame < stop for start, stop in stretches)
        assert glitches(clip).any()
        assert not glitches(mended).any()
        assert sum(stop - start for start, stop in stretches) < 0.06 * len(clip)


def test_building_says_what_was_bridged(mocap):
    clips = [mg.load(mocap / f"cmu/asf_amc/16/16_{n}.amc") for n in (15, 17)]
    with pytest.warns(UserWarning, match="errors of the capture were bridged, .* of 2 clips: 16_15 0–"):
        graph = mg.MotionGraph.build(clips)
    assert not any(glitches(clip).any() for clip in graph.clips)
