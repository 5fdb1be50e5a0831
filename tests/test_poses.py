"""Poses between frames, in every mode of the root, against a plain evaluation (naive/poses.py)."""

import numpy as np
import pytest
from bodies import random_clip, random_skeleton
from naive import poses as naive
from naive.graph import tally
from naive.rotations import matrix

from motiongraph.app.scene import poses
from motiongraph.graph.report import _tally
from motiongraph.synthesis.root import path_of

MODES = [poses.CAPTURED, poses.IN_PLACE, poses.STRAIGHT, poses.FIXED]
LOOPS = [poses.LOOP, poses.PING_PONG, poses.ONCE]


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def cast_of(rng, clips):
    """Records of characters that stand anywhere and play a part of their clips, and the paths they point at."""
    cast, paths = np.zeros(len(clips), poses.CHARACTER), []
    for actor, clip in zip(cast, clips):
        paths.append(path_of(clip.root, clip.fps))
        actor["rotations"], actor["root"] = clip.rotations.ctypes.data, clip.root.ctypes.data
        actor["sliding"] = 0 if clip.offsets is None else clip.offsets.ctypes.data
        actor["path"], actor["frames"], actor["fps"] = paths[-1].ctypes.data, len(clip), clip.fps
        actor["start"], actor["stop"] = 2, len(clip) - 1
        actor["theta"], actor["x"], actor["z"], actor["lift"] = rng.normal(size=4)
    return cast, paths


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("along", [False, True])
def test_every_mode_as_a_plain_evaluation(rng, mode, loop, along):
    skeleton = random_skeleton(rng, 7)
    slides = np.repeat(skeleton.offsets[None], 9, axis=0) + rng.normal(0, 0.02, (9, 7, 3))
    clips = [random_clip(rng, skeleton, 12, fps=30.0), random_clip(rng, skeleton, 9, fps=60.0, offsets=slides)]
    cast, paths = cast_of(rng, clips)
    places, turns = np.empty((2, 7, 3)), np.empty((2, 7, 4))
    for elapsed in (0.0, 0.11, 0.283, 1.37):
        direction = float(rng.normal())
        body = skeleton.parents.astype(np.int64), np.ascontiguousarray(skeleton.offsets, np.float64), places, turns
        poses.play(cast, elapsed, loop, mode, along, direction, *body)
        for c, clip in enumerate(clips):
            fps, start, stop = clip.fps, 2, len(clip) - 1
            frame = root_frame = naive.frame_at(elapsed, start, stop, fps, loop)
            if along:
                root_frame = naive.frame_at(elapsed + start / fps, 0, len(clip), fps, loop)
            laps = int(elapsed * fps / (stop - start)) if loop == poses.LOOP else 0
            offsets = skeleton.offsets if clip.offsets is None else clip.offsets
            placed = tuple(float(cast[c][name]) for name in ("theta", "x", "z"))
            given = skeleton.parents, offsets, clip.root, clip.rotations, paths[c], frame, root_frame
            ref = naive.pose(*given, start, stop, laps, mode, direction, placed, float(cast[c]["lift"]))
            np.testing.assert_allclose(places[c], ref[0], atol=1e-6)
            np.testing.assert_allclose([matrix(q) for q in turns[c]], ref[1], atol=1e-6)


def test_degrees_as_counted_one_by_one(rng):
    open_ = rng.random(200) < 0.5
    src, dst = rng.integers(0, 5, (2, 200)).astype(np.int32)
    leaves, arrives = rng.integers(0, 90, (2, 200)).astype(np.int32)
    degrees, choice = np.zeros((2, 5), np.int64), np.zeros(90, bool)
    within = _tally(open_, src, dst, leaves, arrives, degrees, choice)
    ref = tally(open_, src, dst, leaves, arrives, 5, 90)
    assert (within, degrees.tolist(), choice.tolist()) == ref
