"""The camera: what its moves keep, where pixels lead, and that it stays above the floor and the right way up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seeing import project

from motiongraph.errors import MotionError
from motiongraph.viewer.camera import CLEARANCE, FARTHEST, NAMED, NEAREST, Camera

RECT = (100, 40, 800, 600)
reals = st.floats(-400, 400)
moves = st.one_of(
    st.tuples(st.just("orbit"), reals, reals),
    st.tuples(st.just("pan"), reals, reals, st.just(600)),
    st.tuples(st.just("zoom"), st.floats(-40, 40)),
    st.tuples(st.just("look"), reals, reals),
    st.tuples(st.just("fly"), st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 50)),
    st.tuples(st.just("follow"), st.tuples(reals, reals, reals), st.floats(0, 2)),
    st.tuples(st.just("show"), st.sampled_from(sorted(NAMED)), reals),
    st.tuples(st.just("fit"), st.lists(st.tuples(reals, reals, reals), min_size=1, max_size=5)),
)


@given(st.lists(moves, max_size=12), st.sampled_from([0.0, -0.4, 1.3]))
def test_never_upside_down_nor_through_the_floor(steps, floor):
    camera = Camera(floor=floor)
    for name, *arguments in steps:
        getattr(camera, name)(*arguments)
        assert camera.eye[1] >= floor + CLEARANCE - 1e-6
        assert camera.axes[1].y >= -1e-9  # up is never down
        assert NEAREST <= camera.distance <= FARTHEST
        assert np.isfinite(camera.eye).all()
        np.testing.assert_allclose(np.array(camera.axes) @ np.array(camera.axes).T, np.eye(3), atol=1e-9)


def test_through_the_floor_when_asked():
    camera = Camera(floor=None)
    camera.orbit(0.0, -60.0)
    assert camera.eye[1] < -1.0


def test_the_named_views():
    camera = Camera(target=[0.0, 1.0, 0.0], distance=3.0)
    camera.show("front")
    assert camera.eye[2] > 2.9
    camera.show("side")
    assert camera.eye[0] > 2.9
    camera.show("top")
    np.testing.assert_allclose(camera.eye, [0.0, 4.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(camera.axes[1], [0.0, 0.0, -1.0], atol=1e-9)  # the way faced points down the picture
    camera.show("front", facing=90.0)
    assert camera.eye[0] > 2.9
    with pytest.raises(MotionError, match="no view is called 'back'; there are front, side, top, three-quarter"):
        camera.show("back")


def test_matrices_put_the_target_in_the_middle():
    camera = Camera(target=[1.0, 1.2, -3.0], yaw=130.0, pitch=25.0, distance=5.0)
    view = camera.view(RECT)
    pixels, ahead = project(view, [camera.target, camera.eye + camera.axes[2]])
    np.testing.assert_allclose(pixels[0], [500.0, 340.0], atol=1e-6)
    assert ahead.tolist() == [True, False]
    np.testing.assert_allclose(view.eye, camera.eye)
    np.testing.assert_allclose(view.view * camera.target, [0.0, 0.0, -5.0], atol=1e-9)


@given(st.floats(0, 800), st.floats(0, 600), st.floats(-180, 180), st.floats(-20, 89), st.floats(-60, 60))
def test_a_ray_leads_back_to_its_pixel(x, y, yaw, pitch, roll):
    camera = Camera(yaw=yaw, pitch=pitch, roll=roll)
    eye, way = camera.ray(100 + x, 40 + y, RECT)
    (pixel,), _ = project(camera.view(RECT), [eye + 3.0 * way])
    np.testing.assert_allclose(pixel, [100 + x, 40 + y], atol=1e-4)


def test_the_point_of_the_floor_under_a_pixel():
    camera = Camera(target=[2.0, 0.5, 1.0], pitch=35.0)
    point = camera.floor_point(300, 500, RECT, height=0.1)
    assert point[1] == pytest.approx(0.1)
    (pixel,), _ = project(camera.view(RECT), [point])
    np.testing.assert_allclose(pixel, [300, 500], atol=1e-6)
    assert camera.floor_point(500, -3000, RECT) is None  # the sky


def test_panning_moves_what_is_looked_at_with_the_mouse():
    camera = Camera(target=[0.0, 3.0, 0.0], pitch=20.0)
    before = camera.target
    camera.pan(70, -40, RECT[3])
    (pixel,), _ = project(camera.view(RECT), [before])
    np.testing.assert_allclose(pixel, [500 + 70, 340 - 40], atol=1e-6)


def test_looking_around_keeps_the_eye():
    camera = Camera(target=[0.0, 3.0, 0.0])
    eye = camera.eye
    camera.look(35.0, -10.0)
    np.testing.assert_allclose(camera.eye, eye, atol=1e-9)


def test_flying_goes_where_it_looks():
    camera = Camera(target=[0.0, 5.0, 0.0], yaw=0.0, pitch=0.0)
    eye = camera.eye
    camera.fly(1, 0, 0, 2.0)
    np.testing.assert_allclose(camera.eye - eye, [0.0, 0.0, -2.0], atol=1e-9)
    camera.fly(0, 1, 0, 2.0)
    camera.fly(0, 0, 1, 1.0)
    np.testing.assert_allclose(camera.eye - eye, [2.0, 1.0, -2.0], atol=1e-9)
    camera.fly(0, 0, 0, 2.0)
    np.testing.assert_allclose(camera.eye - eye, [2.0, 1.0, -2.0], atol=1e-9)


def test_following_is_the_same_at_any_frame_rate():
    coarse, fine = Camera(), Camera()
    coarse.follow([3.0, 1.0, 2.0], 0.2)
    for _ in range(50):
        fine.follow([3.0, 1.0, 2.0], 0.2 / 50)
    np.testing.assert_allclose(coarse.target, fine.target, atol=1e-9)
    coarse.follow([3.0, 1.0, 2.0], 10.0)
    np.testing.assert_allclose(coarse.target, [3.0, 1.0, 2.0], atol=1e-9)


@pytest.mark.parametrize("name", sorted(NAMED))
@pytest.mark.parametrize("rect", [(0, 0, 1280, 720), (0, 0, 300, 900)])
def test_fitting_sees_all_points(name, rect):
    points = np.random.default_rng(0).normal(size=(200, 3)) * [3.0, 0.4, 1.0] + [5.0, 1.5, -2.0]
    camera = Camera()
    camera.show(name)
    camera.fit(points, rect[2] / rect[3])
    pixels, ahead = project(camera.view(rect), points)
    assert ahead.all()
    assert (pixels >= 0).all()
    assert (pixels <= rect[2:]).all()
    across = np.ptp(pixels, axis=0) / rect[2:]
    assert across.max() > 0.5  # and not from farther away than needed


def test_a_copy_goes_its_own_way():
    camera, still = Camera(floor=0.3), Camera(floor=0.3)
    other = camera.copy()
    other.orbit(50.0, 20.0)
    other.pan(50, 9, 100)
    assert (camera.yaw, camera.pitch, other.floor) == (still.yaw, still.pitch, 0.3)
    np.testing.assert_array_equal(camera.target, still.target)
    assert other.yaw != camera.yaw


def test_gliding_arrives_by_the_shorter_way():
    camera, goal = Camera(yaw=170.0), Camera(yaw=-170.0, pitch=60.0, distance=9.0, target=[1.0, 2.0, 3.0])
    assert camera.approach(goal, 0.05)
    assert abs(camera.yaw) > 169.0
    for _ in range(200):
        going = camera.approach(goal, 0.05)
    assert not going
    np.testing.assert_array_equal(camera.target, goal.target)
    assert (camera.yaw, camera.pitch, camera.distance) == (goal.yaw, goal.pitch, goal.distance)


def test_an_empty_view_has_matrices_too():
    view = Camera().view((0, 0, 0, 0))
    assert np.isfinite(view.projection).all()
