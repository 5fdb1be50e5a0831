"""The root on the spot, along a path, straight on (de Chenu 2006, 3.11)."""

import numpy as np
import pytest
from walking import sample, sample_graph, turns_of

import motiongraph as mg
from motiongraph.cli.convert import Root, convert
from motiongraph.files import resource
from motiongraph.synthesis.root import path_of, rooted


def test_accumulate_changes_nothing():
    clip = sample("walk_left")
    assert rooted(clip, "accumulate") is clip
    assert rooted(clip, "path") is clip


def test_in_place_stays_and_keeps_the_pose():
    clip = sample("walk_left")
    made = rooted(clip, "in place")
    np.testing.assert_array_equal(made.root[:, [0, 2]], np.tile(clip.root[0, [0, 2]], (len(clip), 1)))
    np.testing.assert_array_equal(made.root[:, 1], clip.root[:, 1])
    np.testing.assert_array_equal(made.rotations, clip.rotations)


def test_fixed_neither_moves_nor_turns():
    clip = sample("walk_left")
    held = rooted(clip, "fixed")
    np.testing.assert_array_equal(held.root, np.tile(clip.root[0], (len(clip), 1)))
    np.testing.assert_array_equal(held.rotations[:, 0], np.tile(clip.rotations[0, 0], (len(clip), 1)))
    np.testing.assert_array_equal(held.rotations[:, 1:], clip.rotations[:, 1:])


@pytest.mark.parametrize("degrees", [0.0, 90.0, -135.0])
def test_straight_goes_as_far_in_one_direction(degrees):
    clip, direction = sample("walk_left"), np.radians(degrees)
    made = rooted(clip, "straight", direction)
    gone = made.root[-1, [0, 2]] - made.root[0, [0, 2]]
    length = path_of(clip.root, clip.fps)[-1, 2]
    np.testing.assert_allclose(gone, length * np.array([np.sin(direction), np.cos(direction)]), atol=0.05)
    # It never strays from its line by more than hips sway, and faces along it.
    across = (made.root[:, [0, 2]] - made.root[0, [0, 2]]) @ [np.cos(direction), -np.sin(direction)]
    assert np.abs(across).max() < 0.08
    assert abs(turns_of(made)[-1] - turns_of(made)[0]) < 0.2 * abs(turns_of(clip)[-1] - turns_of(clip)[0])


def test_a_straight_walk_stays_as_it_is():
    clip = sample("walk")
    heading = path_of(clip.root, clip.fps)[len(clip) // 2, 3]
    made = rooted(clip, "straight", heading)
    assert np.linalg.norm(made.positions() - clip.positions(), axis=-1).max() < 0.1


def test_path_leads_round_after_round():
    body, lead = sample("run"), sample("walk_left_90")[100:500]
    made = rooted(body, "path", path=lead)
    np.testing.assert_array_equal(made.root[:400], lead.root)
    np.testing.assert_array_equal(made.rotations[:400, 0], lead.rotations[:, 0])
    np.testing.assert_array_equal(made.rotations[:, 1:], body.rotations[:, 1:])
    # The second round is the first one, moved and turned on the floor, and goes on without a leap.
    first, second = lead.root[:, [0, 2]], made.root[400:800, [0, 2]]
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(second, axis=0), axis=1), np.linalg.norm(np.diff(first, axis=0), axis=1), atol=1e-9
    )
    steps = np.linalg.norm(np.diff(made.root, axis=0), axis=1)
    assert steps[399] < 1.5 * steps[:399].max()
    assert made.root[:, 1].min() == lead.root[:, 1].min()


def test_made_motion_needs_a_path():
    motion = mg.synthesize(mg.random_walk(sample_graph("walk", "walk_left_90"), 2, rng=1))
    with pytest.raises(mg.MotionError, match="name the clip"):
        rooted(motion, "path")
    assert len(rooted(motion, "path", path=sample("walk"))) == len(motion)
    with pytest.raises(mg.MotionError, match="not 'sideways'"):
        rooted(motion, "sideways")


def test_the_command_line_leads_roots_too(tmp_path):
    source, out, options = resource("assets/samples/walk_left.bvh"), tmp_path / "out.bvh", {"force": True}
    convert(source, out, root=Root.straight, direction=90.0, **options)
    expected = rooted(sample("walk_left"), "straight", np.pi / 2)
    np.testing.assert_allclose(mg.load(out).positions(), expected.positions(), atol=1e-4)
    convert(source, out, root=Root.in_place, **options)
    assert np.ptp(mg.load(out).root[:, [0, 2]], axis=0).max() < 1e-4
    lead = resource("assets/samples/walk_left_90.bvh")
    convert(source, out, root=Root.path, along=lead, **options)
    expected = rooted(sample("walk_left"), "path", path=sample("walk_left_90"))
    np.testing.assert_allclose(mg.load(out).positions(), expected.positions(), atol=1e-4)
