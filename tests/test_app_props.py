"""Props: things that stand in the scene, from shapes and .obj files, and what is kept of them."""

from functools import partial

import numpy as np
import pytest
import sessions

from motiongraph.app import commands as do
from motiongraph.app.scene.props import SHAPES, read_mesh
from motiongraph.app.state import AppState
from motiongraph.app.update import warm_up
from motiongraph.errors import FormatError
from motiongraph.files import resource
from motiongraph.model import mesh as meshes
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw.frame import Capsules, Spheres
from motiongraph.viewer.draw.layers import prop_batches
from motiongraph.viewer.draw.store import bounds

pytestmark = pytest.mark.usefixtures("config")


tell = partial(sessions.tell, dt=1.0)  # far enough apart to be taken back one by one


@pytest.fixture
def state():
    return sessions.begin()


def write_box(path, low, high):
    """An .obj with a box from one corner to the other."""
    mesh = meshes.box()
    corners = low + (mesh.positions + 0.5) * (np.asarray(high) - low)
    text = "".join("v {} {} {}\n".format(*corner) for corner in corners)
    path.write_text(text + "".join("f {} {} {}\n".format(*(t + 1)) for t in mesh.triangles))
    return path


@pytest.fixture
def chair(tmp_path):
    """Half a metre wide, 0.9 high, 0.6 deep, somewhere in space."""
    return write_box(tmp_path / "chair.obj", (3.0, -0.2, 1.0), (3.5, 0.7, 1.6))


def test_a_mesh_rests_on_the_floor_at_its_own_size(state, chair):
    tell(state, do.OpenPaths((chair,)))
    (prop,) = state.scene.props
    assert (prop.name, prop.shape, prop.path) == ("chair", "mesh", chair)
    assert prop.size == pytest.approx((0.5, 0.9, 0.6))
    np.testing.assert_allclose(prop.mesh.box, [[-0.25, 0.0, -0.3], [0.25, 0.9, 0.3]], atol=1e-6)
    (batch,) = prop_batches(state.scene.props)
    x, z = batch.rows[0, [0, 2]]
    np.testing.assert_allclose(batch.box, [[x - 0.25, 0.0, z - 0.3], [x + 0.25, 0.9, z + 0.3]], atol=0.002)
    assert not state.messages
    assert str(chair) in map(str, state.settings.recent)


@pytest.mark.parametrize(
    ("longest", "seen", "words"),
    [
        (25.0, 25.0, None),
        (0.03, 0.03, None),
        (90.0, 0.9, "would be 90 m large: its numbers are taken to be centimetres"),
        (48.0, 48 * 0.0254, "inches"),
        (1200.0, 1.2, "would be 1,200 m large: its numbers are taken to be millimetres"),
        (1e7, 1.0, "units of 1e-07 m"),
        (0.0012, 1.2, "would be 1.2 mm small: it is shown 1,000 times larger"),
    ],
)
def test_what_would_be_absurd_in_a_room_is_scaled_and_said(state, tmp_path, longest, seen, words):
    tell(state, do.OpenProp(write_box(tmp_path / "thing.obj", (0, 0, 0), (longest, 0.5 * longest, 0.2 * longest))))
    assert state.scene.props[0].size == pytest.approx((seen, 0.5 * seen, 0.2 * seen), rel=1e-5)
    assert [m.level for m in state.messages] == (["warning"] if words else [])
    assert not words or words in state.messages[0].text


def test_a_bad_file_is_one_sentence_and_disturbs_nothing(state, tmp_path, chair):
    tell(state, do.OpenProp(chair))
    before = state.scene.props
    (tmp_path / "bad.obj").write_text("v 0 0 0\nf 1 2 3\n")
    (tmp_path / "point.obj").write_text("v 1 2 3\n" * 3 + "f 1 2 3\n")
    (tmp_path / "huge.obj").write_text("v 0 0 0\nv -1e300 0 0\nv 0 1 0\nf 1 2 3\n")
    for name, words in (
        ("bad.obj", "bad.obj:2: a face uses v 2, and there are 1 so far"),
        ("point.obj", "point.obj: has no extent"),
        ("huge.obj", "huge.obj:2: v -1e300 0 0 is too far away to be drawn"),
        ("gone.obj", "gone.obj: cannot be read"),
    ):
        tell(state, do.OpenPaths((tmp_path / name,)))
        assert (state.messages[0].level, words in state.messages[0].text) == ("error", True), state.messages[0]
    assert state.scene.props is before
    with pytest.raises(FormatError, match="has no extent"):
        read_mesh(tmp_path / "point.obj")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_stands_on_the_floor(state, shape):
    tell(state, do.AddProp(shape), do.SetProp(1, "turn", 0.5), do.SetProp(1, "height", 0.25))
    (prop,) = state.scene.props
    assert (prop.name, prop.size) == (shape, SHAPES[shape])
    (batch,) = prop_batches(state.scene.props, floor=0.5)
    assert batch.shadow
    worked_out = bounds(batch, batch.rows)
    low = worked_out[0, 1] if isinstance(batch, Capsules | Spheres) else batch.rows[0, 1] - 0.5 * prop.size[1]
    assert low == pytest.approx(0.75, abs=0.003)
    assert (batch.box[0] >= worked_out[0] - 0.01).all()
    assert (batch.box[1] <= worked_out[1] + 0.01).all()
    assert np.ptp(batch.box, axis=0)[1] == pytest.approx(prop.size[1], abs=0.003)


def test_new_ones_stand_clear_of_the_character_and_of_each_other(state):
    tell(state, *[do.AddProp("box")] * 4)
    props = state.scene.props
    assert [prop.name for prop in props] == ["box", "box 2", "box 3", "box 4"]
    places = np.array([(prop.x, prop.z) for prop in props])
    assert (np.hypot(*places.T) > 0.6).all()
    apart = np.linalg.norm(places[:, None] - places, axis=2)[~np.eye(4, dtype=bool)]
    assert apart.min() > 2 * props[0].radius


def test_one_of_a_kind_is_one_batch(state, chair):
    tell(state, do.AddProp("box"), do.AddProp("sphere"), do.AddProp("box"), do.OpenProp(chair), do.OpenProp(chair))
    assert [len(batch) for batch in prop_batches(state.scene.props)] == [2, 1, 1, 1]


def test_setting_what_a_prop_is(state):
    tell(state, do.AddProp("box"))
    given = {"x": 2.0, "z": -3.0, "height": 0.5, "turn": 7.0, "colour": (0.1, 0.2, 2.0), "name": "  the   table "}
    tell(state, *(do.SetProp(1, name, value) for name, value in given.items()))
    (prop,) = state.scene.props
    assert (prop.x, prop.z, prop.height, prop.name) == (2.0, -3.0, 0.5, "the table")
    assert prop.turn == pytest.approx(7.0 - 2 * np.pi)
    assert prop.colour == (0.1, 0.2, 1.0)
    tell(state, do.SetProp(1, "x", 1e9))
    assert state.scene.props[0].x == 1000.0
    for command, words in (
        (do.SetProp(1, "x", float("nan")), "the x of a prop must be a number"),
        (do.SetProp(1, "colour", (1.0, 0.0)), "three numbers"),
        (do.SetProp(1, "smell", 1.0), "has no 'smell'"),
        (do.SetProp(9, "x", 1.0), "no prop number 9"),
        (do.RemoveProp(9), "no prop number 9"),
        (do.SizeProp(1, 0, float("inf")), "a number of metres"),
        (do.AddProp("cone"), "a prop can be a box, sphere, cylinder, capsule, plane or an .obj file, not 'cone'"),
    ):
        tell(state, command)
        assert words in state.messages[0].text
    tell(state, do.RemoveProp(1))
    assert state.scene.props == ()


@pytest.mark.parametrize(
    ("shape", "axis", "metres", "size"),
    [
        ("box", 1, 2.0, (0.5, 2.0, 0.5)),
        ("sphere", 0, 1.0, (1.0, 1.0, 1.0)),
        ("cylinder", 0, 0.8, (0.8, 0.9, 0.8)),
        ("cylinder", 1, 3.0, (0.4, 3.0, 0.4)),
        ("capsule", 0, 2.0, (2.0, 2.0, 2.0)),
        ("capsule", 1, 0.1, (0.4, 0.4, 0.4)),
        ("plane", 2, 5.0, (2.0, 0.0, 5.0)),
        ("box", 0, -4.0, (0.01, 0.45, 0.5)),
    ],
)
def test_sizes_that_belong_together_grow_together(state, shape, axis, metres, size):
    tell(state, do.AddProp(shape), do.SizeProp(1, axis, metres))
    assert state.scene.props[0].size == pytest.approx(size)


def test_a_mesh_keeps_its_proportions(state, chair):
    tell(state, do.OpenProp(chair), do.SizeProp(1, 1, 1.8))
    assert state.scene.props[0].size == pytest.approx((1.0, 1.8, 1.2))
    (batch,) = prop_batches(state.scene.props)
    np.testing.assert_allclose(batch.rows[0, 8:11], 2.0, rtol=1e-5)
    tell(state, do.AddProp("plane"), do.SizeProp(2, 1, 1.0))
    assert "plane has no size that way" in state.messages[0].text


def test_edits_are_taken_back(state, chair):
    tell(state, do.OpenProp(chair), do.AddProp("box"), do.SetProp(2, "x", 4.0), do.RemoveProp(1))
    assert [prop.name for prop in state.scene.props] == ["box"]
    tell(state, do.Undo())
    assert [prop.name for prop in state.scene.props] == ["chair", "box"]
    assert state.scene.props[1].x == 4.0
    tell(state, do.Undo(), do.Undo())
    assert [prop.name for prop in state.scene.props] == ["chair"]
    tell(state, do.Undo())
    assert state.scene.props == ()
    tell(state, *[do.Redo()] * 4)
    assert [prop.name for prop in state.scene.props] == ["box"]


def test_props_are_in_the_project(state, chair, tmp_path):
    tell(state, do.OpenProp(chair), do.AddProp("capsule"), do.SetProp(1, "turn", 0.3), do.SetProp(2, "height", 1.0))
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    chair.unlink()
    other = AppState(inline=True, camera=Camera())
    tell(other, do.AddProp("box"), do.OpenProject(tmp_path / "p.mgproj"))
    for found, wanted in zip(other.scene.props, state.scene.props, strict=True):
        for name in ("number", "name", "shape", "size", "colour", "x", "z", "height", "turn", "path"):
            assert getattr(found, name) == getattr(wanted, name), name
    np.testing.assert_array_equal(other.scene.props[0].mesh.positions, state.scene.props[0].mesh.positions)
    np.testing.assert_array_equal(other.scene.props[0].mesh.triangles, state.scene.props[0].mesh.triangles)
    tell(other, do.NewProject())
    assert other.scene.props == ()


def test_every_view_shows_them(state, chair):
    from motiongraph.viewer.scenery import Scenery

    warm_up(state)
    tell(state, do.OpenPaths((resource("assets/samples") / "walk.bvh", chair)), do.Pause(), do.Split(2))
    sceneries = Scenery(), Scenery()
    for track, scenery in enumerate(sceneries):
        batches = scenery.compose(state, track, state.casts[track]).batches
        shown = [batch for batch in batches if getattr(batch, "shape", None) is state.scene.props[0].mesh]
        assert len(shown) == 1
        assert shown[0] in scenery.compose(state, track, state.casts[track]).batches  # kept, not made anew
