"""From the state to what is drawn: what a view shows, and that it is touched only where it changes."""

import numpy as np
import pytest
from seeing import project

from motiongraph.app import commands as do
from motiongraph.app.scene.cast import Pair
from motiongraph.app.scene.layers import MOST_POSES, flow_step
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.files import resource
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw.frame import Lines, Marks, Points, Skins, Solids, Spheres
from motiongraph.viewer.panels.names import placed_names
from motiongraph.viewer.scenery import Scenery


@pytest.fixture
def state():
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    tell(state, do.OpenPaths((resource("assets/samples") / "walk.bvh",)))
    tell(state, do.Pause(), do.Seek(300))
    return state


@pytest.fixture
def scenery():
    return Scenery()


def tell(state, *commands):
    for command in commands:
        state.issue(command)
    for _ in range(3):
        update(state, 0.0)


def shown(scenery, state, kind=None):
    """The batches of a kind in the view of the track in hand."""
    batches = scenery.compose(state, state.active, state.casts[0]).batches
    return [batch for batch in batches if kind is None or type(batch) is kind]


def everything(state):
    """Switch on all that goes with the pose."""
    for name, value in (("joints", True), ("contacts", True), ("cloud", "window")):
        tell(state, do.SetLayer(name, value))


def test_a_paused_scene_is_not_touched(state, scenery):
    everything(state)
    first = shown(scenery, state)
    assert {type(batch) for batch in first} == {Skins, Spheres, Lines, Marks, Points}
    before = [batch.version for batch in first]
    update(state, 0.01)
    assert shown(scenery, state) == first  # the same objects
    assert [batch.version for batch in first] == before
    tell(state, do.Seek(301))
    assert shown(scenery, state) == first
    # The way and the footprints stay as they were.
    assert [type(b) for b, v in zip(first, before) if b.version > v] == [Skins, Spheres, Marks, Points]


def test_what_is_switched_shows_the_present_pose(state, scenery):
    """Also when another kind was shown at the same moment."""
    tell(state, do.SetLayer("cloud", "pose"), do.SetLayer("joints", True))
    (pose,) = shown(scenery, state, Points)
    tell(state, do.SetLayer("cloud", "window"), do.SetLayer("bone_style", "boxes"))
    (window,) = shown(scenery, state, Points)
    np.testing.assert_array_equal(window.rows[: len(pose), :3], pose.rows[:, :3])
    tell(state, do.SetLayer("cloud", "pose"))
    (again,) = shown(scenery, state, Points)
    np.testing.assert_array_equal(again.rows[:, :3], pose.rows[:, :3])
    assert pose.rows[:, :3].any(axis=1).all()
    tell(state, do.Seek(320))
    ((boxes,), (joints,)) = (shown(scenery, state, kind) for kind in (Solids, Spheres))
    root = state.casts[0].groups[0].positions[0, 0]
    np.testing.assert_allclose(joints.rows[0, :3], root, atol=1e-5)
    assert np.linalg.norm(boxes.rows[:, :3] - root, axis=1).min() < 0.2


def test_the_points_of_a_cloud_lie_on_the_bones(state, scenery):
    tell(state, do.SetLayer("cloud", "pose"))
    (cloud,) = shown(scenery, state, Points)
    group = state.casts[0].groups[0]
    ends, parents = group.positions[0, 1:], group.skeleton.parents[1:]
    middles = cloud.rows[2::5, :3]
    np.testing.assert_allclose(middles, 0.5 * (ends + group.positions[0, parents]), atol=1e-5)


def test_the_cloud_is_that_of_the_metric(state, scenery):
    tell(state, do.SetLayer("cloud", "pose"), do.SetMetric("samples_per_bone", 0), do.SetMetric("window", 0.5))
    (pose,) = shown(scenery, state, Points)
    group = state.casts[0].groups[0]
    np.testing.assert_allclose(pose.rows[:, :3], group.positions[0], atol=1e-5)
    tell(state, do.SetLayer("cloud", "window"))
    (window,) = shown(scenery, state, Points)
    assert len(window.rows) == round(0.5 * state.entry.clip.fps) * len(pose.rows)
    tell(state, do.SetMetric("mesh", "body"), do.SetLayer("cloud", "pose"))
    (surface,) = shown(scenery, state, Points)
    away = np.linalg.norm(surface.rows[:, None, :3] - group.positions[0], axis=2).min(axis=1)
    assert 0.01 < np.median(away) < 0.2


def test_planted_feet_have_rings(state, scenery):
    tell(state, do.SetLayer("contacts", True))
    prepared = state.entry.prepared
    for frame in (np.flatnonzero(prepared.planted.all(axis=1))[0], np.flatnonzero(~prepared.planted.all(axis=1))[0]):
        tell(state, do.Seek(float(frame)))
        rings = shown(scenery, state, Marks)[-1]
        np.testing.assert_array_equal(rings.rows[:, 7] > 0, prepared.planted[frame])
        feet = state.casts[0].groups[0].positions[0, prepared.feet]
        np.testing.assert_allclose(rings.rows[:, [0, 2]], feet[:, [0, 2]], atol=1e-5)


# A trimmed clip whose root goes its whole original way


def test_a_trimmed_clip_along_its_path_shows_all_of_its_way(state, scenery):
    everything(state)
    whole = np.array([batch.rows[[0, -1], 0:3:2] for batch in shown(scenery, state, Lines)])
    prints = len(shown(scenery, state, Marks)[0])
    tell(state, do.Trim(1, 200, 260))
    assert len(shown(scenery, state, Lines)[0]) == 60
    assert len(shown(scenery, state, Marks)[0]) < prints
    tell(state, do.SetRoot("path"))
    (line,) = shown(scenery, state, Lines)
    np.testing.assert_allclose([line.rows[[0, -1], 0:3:2]], whole, atol=1e-5)
    assert len(shown(scenery, state, Marks)) == 1  # rings; prints would not be where these feet stand


def test_the_window_of_a_trimmed_clip_begins_where_its_character_is(state, scenery):
    tell(state, do.SetLayer("cloud", "window"), do.Trim(1, 200, 260), do.SetRoot("path"))
    state.tracks[0].elapsed = 2.0  # the body has begun again, the root is far ahead of the part
    update(state, 0.0)
    group = state.casts[0].groups[0]
    assert group.records["root_frame"][0] > 400
    (cloud,) = shown(scenery, state, Points)
    rows = cloud.rows.reshape(40, len(group.skeleton) - 1, 5, 8)[..., :3]
    on_bones = 0.5 * (group.positions[0, 1:] + group.positions[0, group.skeleton.parents[1:]])
    np.testing.assert_allclose(rows[0, :, 2], on_bones, atol=1e-5)
    gone = np.linalg.norm(np.diff(rows[:, :, 2].mean(axis=1)[:, [0, 2]], axis=0), axis=1)
    assert (gone[:20] > 1e-4).all()  # and goes on with it


# Flow


@pytest.mark.parametrize(("every", "step", "poses"), [(100, 100, 10), (1, 5, 198)])
def test_a_flow_picture_has_only_so_many_poses(state, scenery, every, step, poses):
    tell(state, do.SetLayer("flow", True), do.SetLayer("flow_every", every))
    assert flow_step(state.scene.layers, state.entry) == step
    older, newest = shown(scenery, state, Skins)[1:]
    assert len(older.groups) == poses <= MOST_POSES  # where the others begin and end, and the newest
    assert newest.groups is None
    tell(state, do.SetLayer("bone_style", "boxes"))
    assert len(shown(scenery, state, Solids)) == 3


# Pairs


def test_the_windows_of_a_pair_as_clouds(state, scenery):
    here = (0.0, 0.0, 0.0)
    state.scene.pair = Pair(state.entry, 100, state.entry, 300, here, window=40, placed=here, clouds=True)
    clouds = shown(scenery, state, Points)
    bones = len(state.entry.clip.skeleton) - 1
    for cloud, frame in zip(clouds, (100, 300), strict=True):
        rows = cloud.rows.reshape(40, bones, 5, 8)
        positions = state.entry.clip.positions()[frame : frame + 40]
        middles = 0.5 * (positions[:, 1:] + positions[:, state.entry.clip.skeleton.parents[1:]])
        middles[..., 1] += state.entry.prepared.lift
        np.testing.assert_allclose(rows[:, :, 2, :3], middles, atol=1e-4)
        assert not cloud.through
        assert (rows[0, ..., 3] > rows[1:, ..., 3].max()).all()
        assert (np.diff(rows[:, 0, 0, 7]) < 0).all()  # fainter with time


def test_names_stand_above_the_characters(state):
    tell(state, do.OpenPaths((resource("assets/samples") / "run.bvh",)), do.SetLayer("crowd", True))
    cast, rect = state.casts[0], (200.0, 20.0, 800.0, 600.0)
    view = state.camera.view(rect)
    names = {name: (x, y) for name, x, y in placed_names([cast], view, rect)}
    assert sorted(names) == ["run", "walk"]
    for group in cast.groups:
        for entry, joints in zip(group.entries, group.positions):
            x, y = names[entry.name]
            place, _ = project(view, joints[0] * (1, 0, 1) + (0, joints[:, 1].max() + 0.16, 0))
            assert (x, y) == pytest.approx(place[0])
            assert y < project(view, joints)[0][:, 1].min()
