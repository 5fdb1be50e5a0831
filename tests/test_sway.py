"""Hips and head pass from one motion to the next by blended velocities, over longer than the limbs take."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_skeleton, smooth_clip
from walking import joined, sample_graph

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.synthesis.sway import REACH, swayed
from motiongraph.synthesis.synthesize import stitched

FPS, WINDOW = 60.0, 20


def strider(speed, lean, frames=200, name="clip"):
    """Slides along z at a steady speed, its trunk leant forwards by `lean` radians."""
    body = person()
    turns = np.tile(rot.IDENTITY, (frames, len(body), 1))
    turns[:, body.index("lowerback")] = rot.about("X", lean)
    root = np.zeros((frames, 3))
    root[:, 1], root[:, 2] = 1.0, speed * np.arange(frames) / FPS
    return Clip(body, root, turns, FPS, name)


def joining(first, second, at=90, into=60):
    """From the one into the other, which are on the same spot in the middle of the window."""
    middle = first.root[at + WINDOW // 2] - second.root[into + WINDOW // 2]
    jump = (0, at, 1, into, 1.0, 0.0, middle[0], middle[2])
    return joined([first, second], WINDOW, (0, 0), [jump], len(second))


def speeds(clip, joint):
    return np.diff(clip.positions()[:, joint, 2]) * clip.fps


def test_speed_passes_over_evenly_where_a_blend_of_positions_overshoots():
    walk = joining(strider(1.2, 0.0), strider(1.5, 0.0))
    before, after = stitched(walk), swayed(walk, stitched(walk))
    assert speeds(before, 0).min() < 1.17
    assert speeds(before, 0).max() > 1.53
    now = speeds(after, 0)
    assert now.min() > 1.2 - 1e-3
    assert now.max() < 1.5 + 1e-3
    assert (np.diff(now) > -1e-3).all()
    # The speed changes over three times as long, so by a third of that at most in any frame.
    assert np.abs(np.diff(now)).max() < 0.4 * np.abs(np.diff(speeds(before, 0))).max()


def test_a_leaning_trunk_takes_its_time():
    walk = joining(strider(1.2, 0.0), strider(1.2, 0.12))
    head = walk.clips[0].skeleton.index("head")
    before, after = (speeds(clip, head) - 1.2 for clip in (stitched(walk), swayed(walk, stitched(walk))))
    assert np.abs(after).max() < 0.45 * np.abs(before).max()
    np.testing.assert_allclose(np.cumsum(after)[-1], np.cumsum(before)[-1], atol=1e-9)  # it arrives all the same


def test_hips_are_not_torn_from_feet_where_motions_hardly_blend():
    walk = joining(strider(0.2, 0.0), strider(3.0, 0.6))
    before = stitched(walk)
    off = swayed(walk, before).positions() - before.positions()
    hips, head = (np.linalg.norm(off[:, before.skeleton.index(name)], axis=1).max() for name in ("root", "head"))
    assert 0.03 < hips < 0.0501
    assert head < 0.06  # which also sinks a little as the trunk leans


def test_limbs_and_all_that_is_farther_off_are_as_they_were():
    walk = joining(strider(1.2, 0.0), strider(1.5, 0.1))
    before = stitched(walk)
    after, reach = swayed(walk, before), round(REACH * FPS)
    opens = int(walk.begins[1]) - WINDOW
    far = np.r_[: opens - reach, opens + WINDOW + reach : len(before)]
    np.testing.assert_array_equal(after.root[far], before.root[far])
    np.testing.assert_array_equal(after.rotations[far], before.rotations[far])
    others = [j for j, name in enumerate(before.skeleton.names) if name != "lowerback"]
    np.testing.assert_array_equal(after.rotations[:, others], before.rotations[:, others])
    np.testing.assert_array_equal(after.root[:, 1], before.root[:, 1])
    assert not np.array_equal(after.root, before.root)


def test_an_error_of_the_capture_outside_the_window_stays_outside():
    first, second = strider(1.2, 0.0), strider(1.3, 0.0)
    spiked = second.root.copy()
    spiked[55, 2] += 0.05  # five frames before the window of the second clip, which are not played
    jerks = []
    for other in (second, replace(second, root=spiked)):
        walk = joining(first, other)
        jerks.append(np.abs(np.diff(swayed(walk, stitched(walk)).root[:, 2], 3)).max() * FPS**3)
    # Played as it is the spike would be 32,400 m/s³; what hips and head then do may be a hundredth of that.
    assert jerks[1] < jerks[0] + 324.0


def test_nothing_jumps_where_transitions_follow_each_other_closely():
    graph = sample_graph("walk", "walk_left", "walk_right")
    walk = mg.random_walk(graph, seconds=20.0, rng=1, least=0.0, most=0.2)
    before = stitched(walk)
    off = swayed(walk, before).root - before.root
    assert np.abs(np.diff(off, axis=0)).max() * walk.fps < 0.25  # m/s


@pytest.mark.parametrize("cut", [40, 85, 120])
def test_parts_of_a_walk_are_made_as_in_the_whole(cut):
    graph = sample_graph("walk", "walk_left", "walk_right")
    walk = mg.random_walk(graph, seconds=8.0, rng=3)
    whole = swayed(walk, stitched(walk))
    steps = walk.steps.copy()
    cut = min(cut, int(steps["stop"][0] - steps["start"][0]))
    steps["start"][0] += cut
    part = replace(walk, steps=steps)
    np.testing.assert_allclose(swayed(part, stitched(part)).root, whole.root[cut:], atol=1e-12)
    np.testing.assert_allclose(swayed(part, stitched(part)).rotations, whole.rotations[cut:], atol=1e-12)


def test_a_body_without_a_head_moves_its_root_alone():
    rng = np.random.default_rng(4)
    skeleton = random_skeleton(rng, 6)
    clips = [smooth_clip(rng, skeleton, 200, FPS, name=f"c{i}") for i in range(2)]
    walk = joined(clips, WINDOW, (0, 0), [(0, 90, 1, 60, 1.0, 0.3, 0.1, -0.2)], 150)
    before = stitched(walk)
    after = swayed(walk, before)
    np.testing.assert_array_equal(after.rotations, before.rotations)
    assert not np.array_equal(after.root, before.root)


def test_transitions_at_the_ends_of_clips_are_made_without_what_is_not_there():
    first, second = strider(1.2, 0.0, 112), strider(1.4, 0.05)
    walk = joining(first, second, at=112 - WINDOW, into=0)
    after = swayed(walk, stitched(walk))
    assert np.isfinite(after.root).all()
    assert np.isfinite(after.rotations).all()
    assert np.abs(np.diff(speeds(after, 0))).max() < np.abs(np.diff(speeds(stitched(walk), 0))).max()


def test_synthesize_does_it_with_cleanup_alone():
    walk = joining(strider(1.2, 0.0), strider(1.5, 0.0))
    assert speeds(mg.synthesize(walk), 0).max() < 1.51
    np.testing.assert_array_equal(mg.synthesize(walk, cleanup=False).root, stitched(walk).root)
