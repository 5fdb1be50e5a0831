"""Characters as rows of batches: the compiled fills against plain loops, room, flow pictures."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_clip, random_quaternions, random_skeleton
from naive import characters as naive
from naive import surfaces

from motiongraph.app import commands as do
from motiongraph.app.library.entries import prepare
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.synthesis.synthesize import Origin
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw import frame, layers
from motiongraph.viewer.draw.characters import look_of
from motiongraph.viewer.draw.frame import SEAM
from motiongraph.viewer.scenery import Scenery


@pytest.fixture
def crowd():
    """A look, and global positions and orientations of five characters with their colours."""
    rng = np.random.default_rng(3)
    skeleton = person()
    clip = random_clip(rng, skeleton, 5)
    return look_of(skeleton), clip.positions(), clip.orientations(), rng.random((5, 4))


def test_capsules_as_a_plain_loop_gives(crowd):
    look, positions, orientations, colours = crowd
    batch = look.bones(5)
    look.fill_bones(batch, positions, orientations, colours)
    body = look.body
    expected = naive.capsule_rows(body.joints, body.starts, body.ends, body.radii, positions, orientations, colours)
    np.testing.assert_allclose(batch.rows, expected, atol=1e-5)


def test_boxes_as_a_plain_loop_gives(crowd):
    look, positions, orientations, colours = crowd
    batch = look.bones(5, "boxes")
    look.fill_bones(batch, positions, orientations, colours)
    expected = naive.box_rows(look.body.joints, *look.boxes, positions, orientations, colours)
    np.testing.assert_allclose(batch.rows, expected, atol=1e-5)


def test_spheres_as_a_plain_loop_gives(crowd):
    look, positions, _, colours = crowd
    batch = look.joints(5)
    look.fill_joints(batch, positions, colours)
    np.testing.assert_allclose(batch.rows, naive.sphere_rows(look.radii, positions, colours), atol=1e-5)


def test_skins_move_every_joint_where_it_is(crowd):
    look, positions, orientations, colours = crowd
    batch = look.bones(5, "skin")
    look.fill_bones(batch, positions, orientations, colours, sides=0.5)
    pose, each = batch.surface.pose, len(look.skeleton) + 1
    for c in range(5):
        rows = batch.rows[c * each : (c + 1) * each].astype(float)
        for j in range(each - 1):
            # The joint itself, and a point one metre along each of its axes.
            np.testing.assert_allclose(surfaces.moved(rows[j], pose.positions[j]), positions[c, j], atol=1e-5)
            for axis in np.eye(3):
                bound = pose.positions[j] + naive.turned(pose.orientations[j], axis)
                placed = positions[c, j] + naive.turned(orientations[c, j], axis)
                np.testing.assert_allclose(surfaces.moved(rows[j], bound), placed, atol=1e-5)
            above = look.skeleton.parents[j]
            assert above < 0 or rows[j, :4] @ rows[above, :4] >= 0.0
        np.testing.assert_allclose(rows[-1], [*colours[c], 0.5, 0.0, 0.0, 0.0], atol=1e-6)
        np.testing.assert_allclose(batch.middle(c * each, (c + 1) * each), positions[c, 0], atol=1e-5)


def test_sticks_are_thin(crowd):
    look, positions, orientations, colours = crowd
    batch = look.bones(5, "sticks")
    look.fill_bones(batch, positions, orientations, colours)
    assert batch.rows[:, [3, 7]].max() < 0.015


def test_boxes_lie_along_their_capsules(crowd):
    look, positions, orientations, colours = crowd
    capsules, boxes = look.bones(5), look.bones(5, "boxes")
    look.fill_bones(capsules, positions, orientations, colours)
    look.fill_bones(boxes, positions, orientations, colours)
    np.testing.assert_allclose(boxes.rows[:, :3], 0.5 * (capsules.rows[:, :3] + capsules.rows[:, 4:7]), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(boxes.rows[:, 4:8], axis=1), 1.0, atol=1e-5)
    for box, capsule in zip(boxes.rows, capsules.rows):
        along = capsule[4:7] - capsule[:3]
        if np.linalg.norm(along) > 1e-3:
            axis = naive.turned(box[4:8].astype(float), [0.0, 1.0, 0.0])
            np.testing.assert_allclose(axis, along / np.linalg.norm(along), atol=1e-3)
    np.testing.assert_allclose(boxes.rows[:, 12:], capsules.rows[:, 8:])


def test_the_box_holds_what_the_rows_hold(crowd):
    look, positions, orientations, colours = crowd
    for batch in (look.bones(5), look.bones(5, "boxes"), look.joints(5)):
        if isinstance(batch, frame.Spheres):
            look.fill_joints(batch, positions[:3], colours[:3])
        else:
            look.fill_bones(batch, positions[:3], orientations[:3], colours[:3])
        rows = batch.rows[: len(batch)].astype(float)
        if isinstance(batch, frame.Capsules):
            places, reach = np.concatenate([rows[:, :3], rows[:, 4:7]]), rows[:, [3, 7]].max()
        elif isinstance(batch, frame.Spheres):
            places, reach = rows[:, :3], rows[:, 3].max()
        else:
            places, reach = rows[:, :3], np.sqrt(0.75) * rows[:, 8:11].max()
        expected = [places.min(axis=0) - reach, places.max(axis=0) + reach]
        np.testing.assert_allclose(batch.box, expected, atol=1e-5)
        batch.touch()
        assert batch.box is None  # whoever changes rows by hand need not know it


def test_fewer_characters_than_there_is_room_for(crowd):
    look, positions, orientations, _ = crowd
    batch = look.bones(5)
    before = batch.version
    look.fill_bones(batch, positions[:2], orientations[:2], (1, 0, 0, 1))
    assert (len(batch), batch.version) == (2 * len(look.body), before + 1)


def test_no_room(crowd):
    look, positions, orientations, _ = crowd
    with pytest.raises(MotionError, match="no room"):
        look.fill_bones(look.bones(4), positions, orientations, (1, 0, 0, 1))
    with pytest.raises(MotionError, match="no room"):
        look.fill_joints(look.joints(4), positions, (1, 0, 0, 1))


def test_any_skeleton_has_a_look():
    rng = np.random.default_rng(0)
    for joints in (1, 2, 7, 30):
        look = look_of(random_skeleton(rng, joints))
        assert np.isfinite(look.boxes[1]).all()
        assert (look.radii > 0).all()
        assert len(look.body) >= 1


def test_rows_must_be_as_the_renderer_reads_them():
    for rows in (np.zeros((3, 11), np.float32), np.zeros((3, 12)), np.zeros((3, 24), np.float32)[:, ::2], np.zeros(12)):
        with pytest.raises(MotionError, match="Capsules need contiguous float32 rows of 12"):
            frame.Capsules(rows)


def test_flow_grows_older():
    rng = np.random.default_rng(1)
    clip = random_clip(rng, person(), 6)
    look = look_of(clip.skeleton)
    older, newest = layers.flow(look, clip.positions(), clip.orientations(), (0.5, 0.6, 0.7), style="capsules")
    alpha = older.rows[:: len(look.body), 11]
    assert len(alpha) == 5
    assert (np.diff(alpha) > 0).all()
    assert newest.rows[0, 11] == 1.0
    assert newest.groups is None
    assert newest.shadow
    np.testing.assert_array_equal(older.groups, np.arange(6) * len(look.body))
    assert len(layers.flow(look, clip.positions()[:1], clip.orientations()[:1], (1, 1, 1), style="capsules")) == 1


def test_flow_is_pushed_apart_along_its_way():
    root = np.zeros((100, 3))
    root[:, 2] = np.linspace(0.0, 3.0, 100)
    shift = layers.spread(root, np.array([0, 20, 40]), 0.5)
    np.testing.assert_allclose(shift, [[0, 0, 0], [0, 0, 0.5], [0, 0, 1.0]])
    shift = layers.spread(root, np.array([0, 20, 40, 60]), 0.5, breaks=[30, 55])
    np.testing.assert_allclose(shift[:, 2], [0.0, 0.0, 0.5, 1.0])
    still = layers.spread(np.zeros((9, 3)), np.array([0, 4, 8]), 1.0)
    np.testing.assert_allclose(still, [[0, 0, 0], [1, 0, 0], [2, 0, 0]])


def test_trajectory_lies_on_the_floor():
    clip = Clip(
        person(), np.random.default_rng(2).normal(size=(9, 3)), random_quaternions(np.random.default_rng(2), 9, 26)
    )
    line = layers.trajectory(clip.root, 0.25, (0, 0, 0))
    assert np.ptp(line.rows[:, 1]) == 0.0
    assert 0.25 < line.rows[0, 1] < 0.26
    np.testing.assert_array_equal(line.rows[:, 3], [0] + [1] * 8)


def made(frames=60):
    """Made motion that goes along z, with transitions from 20 to 30 and from 40 to 50."""
    clip = random_clip(np.random.default_rng(2), person(), frames)
    root = np.zeros((frames, 3))
    root[:, 2] = np.linspace(0.0, 6.0, frames)
    at = np.arange(frames)
    other = np.where((at // 10 == 2) | (at // 10 == 4), 0, -1)
    step = np.searchsorted([20, 40], at, side="right")
    origin = Origin(("a",), 0 * at, at, other, at, np.ones(frames), step, np.zeros((frames, 0), bool), ())
    return replace(clip, root=root, origin=origin)


def test_transitions_have_their_colour_and_begin_where_they_do():
    clip = made()
    np.testing.assert_array_equal(layers.breaks(clip), [20, 40])
    colours = layers.tinted(clip, (1.0, 0.0, 0.0))
    inside = clip.origin.blended
    np.testing.assert_array_equal(colours[inside], np.tile(SEAM, (20, 1)))
    np.testing.assert_array_equal(colours[~inside], np.tile((1.0, 0.0, 0.0), (40, 1)))
    captured = replace(clip, origin=None)
    assert len(layers.breaks(captured)) == 0
    assert (layers.tinted(captured, (1.0, 0.0, 0.0)) == (1.0, 0.0, 0.0)).all()


def test_the_window_pushes_made_motion_apart_at_its_transitions():
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    update(state, 0.0)
    entry = state.library.add(made(), prepare(made()))
    state.issue(do.SelectClip(entry.number))
    for name, value in (("bone_style", "capsules"), ("flow", True), ("flow_every", 10), ("flow_gap", 2.0)):
        state.issue(do.SetLayer(name, value))
    update(state, 0.0)
    older, newest = Scenery().compose(state, 0, state.casts[0]).batches[-2:]
    hips = np.concatenate([older.rows, newest.rows])[:: len(look_of(entry.clip.skeleton).body)]
    captured = entry.clip.root[::10, 2]
    along = hips[:, 2] - hips[0, 2]
    pushed = [0.0, 0.0, 2.0, 2.0, 4.0, 4.0]
    np.testing.assert_allclose(along, captured + pushed, atol=1.0)  # the hips lean, by less than that
    assert [np.allclose(row[8:11], SEAM) for row in hips] == [False, False, True, False, True, False]
