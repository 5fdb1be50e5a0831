"""Columns of numbers to rotations and back, in every order of axes, at gimbal lock and past full turns."""

import itertools
import math

import numpy as np
import pytest
from bodies import random_quaternions
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import channels as naive
from naive.rotations import euler_matrix

from motiongraph import rotations as rot
from motiongraph.elementary import sincos_degrees
from motiongraph.errors import MotionError
from motiongraph.formats import channels as kernels
from motiongraph.formats.channels import Channels
from motiongraph.formats.motion import UPRIGHT

ORDERS = ["".join(p) for p in itertools.permutations("XYZ")]
SUBSETS = ["".join(p) for n in (0, 1, 2) for p in itertools.permutations("XYZ", n)]


def channels(order, frame=rot.IDENTITY, degrees=1.0):
    """One joint with the rotation channels of `order`, columns from 0."""
    turns, axes = np.full((1, 3), -1), np.zeros((1, 3), np.int64)
    turns[0, : len(order)] = range(len(order))
    axes[0, : len(order)] = ["XYZ".index(a) for a in order]
    return Channels(turns, axes, np.full((1, 3), -1), np.array([frame], float), degrees)


@given(st.floats(-1e9, 1e9))
@settings(max_examples=500, deadline=None)
def test_sines_and_cosines_are_those_of_math(degrees):
    s, c = sincos_degrees(degrees)
    exact = math.radians(math.fmod(degrees, 360.0))
    assert abs(s - math.sin(exact)) < 5e-15
    assert abs(c - math.cos(exact)) < 5e-15


def test_sines_and_cosines_of_every_tenth_of_a_degree():
    for tenths in range(-7200, 7201):
        s, c = sincos_degrees(tenths / 10)
        exact = math.radians(math.fmod(tenths / 10, 360.0))
        assert abs(s - math.sin(exact)) < 2e-15
        assert abs(c - math.cos(exact)) < 2e-15


def test_quarter_turns_are_exact():
    for quarters in range(-9, 10):
        s, c = sincos_degrees(90.0 * quarters)
        assert (s, c) == [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarters % 4]
    assert sincos_degrees(360.0 * 2**80) == (0.0, 1.0)


@pytest.mark.parametrize("order", ORDERS + SUBSETS + ["XYX", "ZZ", "YXY"])
def test_rotations_multiply_in_the_order_of_the_channels(order):
    rng = np.random.default_rng(len(order))
    values = rng.uniform(-400, 400, (30, len(order)))
    values[0] = 0.0
    got = rot.to_matrix(channels(order).rotations(values)[:, 0])
    for m, row in zip(got, values):
        assert np.abs(m - euler_matrix(np.radians(row), order)).max() < 1e-13


@pytest.mark.parametrize("order", ["ZYX", "XZ", "Y"])
def test_rotations_in_the_frame_of_an_axis_and_another_basis(order):
    rng = np.random.default_rng(3)
    frame = random_quaternions(rng)
    values = rng.uniform(-180, 180, (20, len(order)))
    for basis in UPRIGHT.values():
        got = rot.to_matrix(channels(order, frame).rotations(values, basis)[:, 0])
        turn = rot.to_matrix(rot.multiply(basis, frame))
        for m, row in zip(got, values):
            assert np.abs(m - turn @ euler_matrix(np.radians(row), order) @ turn.T).max() < 1e-13


def test_radians():
    values = np.random.default_rng(4).uniform(-7, 7, (20, 3))
    got = rot.to_matrix(channels("XZY", degrees=math.degrees(1.0)).rotations(values)[:, 0])
    for m, row in zip(got, values):
        assert np.abs(m - euler_matrix(row, "XZY")).max() < 1e-13


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("degrees", [1.0, math.degrees(1.0)])
def test_angles_are_the_inverse_of_rotations(order, degrees):
    rng = np.random.default_rng(7)
    layout = channels(order, random_quaternions(rng), degrees)
    q = random_quaternions(rng, 400, 1)
    for basis in UPRIGHT.values():
        again = layout.rotations(layout.angles(0, q[:, 0], basis), basis)
        assert rot.angle_between(again, q).max() < 1e-12


@pytest.mark.parametrize("order", ORDERS)
def test_angles_in_and_around_gimbal_lock(order):
    rng = np.random.default_rng(8)
    layout = channels(order)
    for middle in (90.0, -90.0, 270.0):
        for off in (0.0, 1e-13, 1e-9, -1e-7, 1e-5, 1e-3):
            values = rng.uniform(-180, 180, (50, 3))
            values[:, 1] = middle + off
            q = layout.rotations(values)
            angles = layout.angles(0, q[:, 0])
            assert np.isfinite(angles).all()
            assert rot.angle_between(layout.rotations(angles), q).max() < 1e-8, (middle, off)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("axis", range(3))
def test_spinning_counts_on_past_full_turns(order, axis):
    """The file's own numbers come back when each channel turns and turns, as a dancer does."""
    values = np.zeros((300, 3))
    values[:, axis] = np.linspace(0, 1500, 300)
    values[:, (axis + 1) % 3] = 20 * np.sin(np.arange(300) / 20)
    if axis == 1:
        values[:, [0, 2]] = 0.0  # elsewhere a middle angle past 90° has another name
    layout = channels(order)
    angles = layout.angles(0, layout.rotations(values)[:, 0])
    assert np.abs(angles - values).max() < 1e-6


@pytest.mark.parametrize("order", SUBSETS)
def test_fewer_channels_hold_what_they_can(order):
    """Also past 90° in the middle, where the usual triple of angles would need the channel that is not there."""
    rng = np.random.default_rng(9)
    layout = channels(order, random_quaternions(rng))
    values = np.cumsum(rng.uniform(-25, 25, (500, len(order))), axis=0) + rng.uniform(-170, 170, len(order))
    q = layout.rotations(values)
    angles = layout.angles(0, q[:, 0])
    assert angles.shape == values.shape
    assert rot.angle_between(layout.rotations(angles), q).max() < 1e-7
    if order:
        assert np.abs(np.diff(angles - values, axis=0)).max() < 1e-5  # the same numbers, whole turns aside
    jumps = layout.rotations(rng.uniform(-180, 180, (500, len(order))))
    assert rot.angle_between(layout.rotations(layout.angles(0, jumps[:, 0])), jumps).max() < 1e-7


@pytest.mark.parametrize("order", [*SUBSETS, "XYX", "ZZY"])
def test_rotations_that_do_not_fit_are_refused(order):
    q = random_quaternions(np.random.default_rng(1), 5)
    with pytest.raises(MotionError, match="cannot hold"):
        channels(order).angles(0, q)


def test_positions_take_the_offset_where_there_is_no_channel():
    layout = Channels(np.full((1, 3), -1), np.zeros((1, 3), np.int64), np.array([[1, -1, 0]]), np.eye(1, 4))
    assert layout.width == 2
    assert layout.positions(np.array([[5.0, 6.0]]), 0, np.array([1.0, 2.0, 3.0])).tolist() == [[6.0, 2.0, 5.0]]


def test_angles_follow_each_other_as_by_trying_every_way():
    rng = np.random.default_rng(2)
    for spread in (0.3, 3.0, 12.0):
        ref = rng.uniform(-spread, spread, (60, 3))
        ref[1::7] = ref[0::7][: len(ref[1::7])]  # and some that stay
        comp = ref.copy()
        kernels._follow(comp)
        np.testing.assert_allclose(comp, naive.follow(ref.tolist()), atol=1e-9)


@pytest.mark.parametrize("frames", [1, 127, 128, 300])
def test_rotations_match_products_of_quaternions(frames):
    """Whatever the number of frames, also beyond a block; angles of any size, and a joint with fewer channels."""
    rng = np.random.default_rng(frames)
    values = rng.uniform(-400, 400, (frames, 9))
    values[0], values[:, 4] = 0.0, 0.0
    values[-1] = [90, 180, -270, 360, 450, 1e7, -3e8, 45, -45]
    columns = np.array([[0, 1, 2], [3, -1, -1], [4, 5, -1], [6, 7, 8], [-1, -1, -1]])
    axes = np.array([[2, 0, 1], [1, 0, 0], [0, 2, 0], [1, 2, 0], [0, 0, 0]])
    turned = np.array([rot.IDENTITY, *random_quaternions(rng, 4)])
    comp = Channels(columns, axes, np.full((5, 3), -1), turned).rotations(values)
    ref = naive.composed(values.tolist(), columns.tolist(), axes.tolist(), turned.tolist(), 0.5)
    np.testing.assert_allclose(comp, ref, atol=1e-13)
