"""Quaternions against plain matrices."""

from itertools import permutations, product

import numpy as np
import pytest
from bodies import random_quaternions
from naive import rotations as naive

from motiongraph import rotations as rot

ORDERS = ["".join(p) for p in permutations("XYZ")]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def same_turn(a, b, within=1e-12):
    return np.all(rot.angle_between(a, b) <= within)


def test_product_is_the_product_of_matrices(rng):
    a, b = random_quaternions(rng, 50), random_quaternions(rng, 50)
    comp = rot.to_matrix(rot.multiply(a, b))
    ref = np.array([naive.matrix(p) @ naive.matrix(q) for p, q in zip(a, b)])
    np.testing.assert_allclose(comp, ref, atol=1e-14)


def test_product_broadcasts(rng):
    a, b = random_quaternions(rng, 4, 1), random_quaternions(rng, 3)
    comp = rot.multiply(a, b)
    assert comp.shape == (4, 3, 4)
    np.testing.assert_array_equal(comp[2, 1], rot.multiply(a[2, 0], b[1]))


def test_conjugate_undoes(rng):
    q = random_quaternions(rng, 20)
    np.testing.assert_allclose(rot.multiply(q, rot.conjugate(q)), np.tile(rot.IDENTITY, (20, 1)), atol=1e-15)


def test_rotate_is_the_matrix_times_the_vector(rng):
    q, v = random_quaternions(rng, 50), rng.normal(size=(50, 3))
    ref = np.array([naive.matrix(a) @ b for a, b in zip(q, v)])
    np.testing.assert_allclose(rot.rotate(q, v), ref, atol=1e-14)


def test_about_an_axis(rng):
    for axis, angle in product("XYZ", (-7.0, -1.0, 0.0, 0.3, np.pi, 4.0)):
        np.testing.assert_allclose(rot.to_matrix(rot.about(axis, angle)), naive.axis_matrix(axis, angle), atol=1e-14)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    angles = rng.uniform(-5, 5, (2, 3))
    comp = rot.to_matrix(rot.about(axis, angles))
    np.testing.assert_allclose(comp[1, 2], naive.vector_matrix(axis, angles[1, 2]), atol=1e-14)


@pytest.mark.parametrize("order", ["".join(p) for n in range(5) for p in product("XYZ", repeat=n)])
def test_euler_angles_of_any_order_multiply_left_to_right(order, rng):
    angles = rng.uniform(-4, 4, (5, len(order)))
    ref = np.array([naive.euler_matrix(a, order) for a in angles])
    np.testing.assert_allclose(rot.to_matrix(rot.from_euler(angles, order)), ref, atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_come_back(order, rng):
    angles = rng.uniform([-np.pi, -np.pi / 2 + 0.01, -np.pi], [np.pi, np.pi / 2 - 0.01, np.pi], (200, 3))
    np.testing.assert_allclose(rot.to_euler(rot.from_euler(angles, order), order), angles, atol=1e-11)


@pytest.mark.parametrize("order", ORDERS)
def test_gimbal_lock_keeps_the_rotation(order, rng):
    for side, away in product((-1, 1), (0.0, 1e-12, 1e-10, 1e-9, 2e-9, 1e-8, 1e-7, 1e-6, 1e-3)):
        angles = rng.uniform(-3, 3, (20, 3))
        angles[:, 1] = side * (np.pi / 2 - away)
        q = rot.from_euler(angles, order)
        back = rot.to_euler(q, order)
        assert np.isfinite(back).all()
        assert same_turn(rot.from_euler(back, order), q, 2e-9), (side, away)
        if away == 0.0:
            np.testing.assert_array_equal(back[:, 2], 0.0)


def test_slerp_is_the_even_part_of_the_turn(rng):
    a, b, t = random_quaternions(rng, 60), random_quaternions(rng, 60), rng.random(60)
    ref = np.array([naive.slerp(*each) for each in zip(a, b, t)])
    np.testing.assert_allclose(rot.to_matrix(rot.slerp(a, b, t)), ref, atol=1e-12)


def test_slerp_begins_and_ends_where_it_should(rng):
    a, b = random_quaternions(rng, 60), random_quaternions(rng, 60)
    assert same_turn(rot.slerp(a, b, 0.0), a)
    assert same_turn(rot.slerp(a, b, 1.0), b)


def test_slerp_takes_the_shorter_arc_whatever_the_signs(rng):
    a, b = random_quaternions(rng, 60), random_quaternions(rng, 60)
    half = rot.slerp(a, b, 0.5)
    assert np.all(rot.angle_between(a, half) <= np.pi / 2 + 1e-12)
    assert same_turn(rot.slerp(a, -b, 0.5), half)
    np.testing.assert_allclose(rot.slerp(a, -a, 0.3), a, atol=1e-15)


def test_slerp_between_neighbours_is_accurate():
    for angle in (1e-12, 1e-6, 4e-5, 1e-4, 1e-3):
        a, b = rot.IDENTITY, rot.about("Y", angle)
        comp = rot.angle_between(a, rot.slerp(a, b, 0.25))
        assert comp == pytest.approx(angle / 4, rel=1e-6)


def test_between_turns_one_direction_into_the_other_by_the_least_angle(rng):
    u, v = rng.normal(size=(100, 3)) * 3, rng.normal(size=(100, 3)) * 0.01
    q = rot.between(u, v)
    unit_u, unit_v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (u, v))
    np.testing.assert_allclose(rot.rotate(q, unit_u), unit_v, atol=1e-13)
    least = np.arccos(np.clip(np.sum(unit_u * unit_v, axis=1), -1, 1))
    np.testing.assert_allclose(rot.angle_between(rot.IDENTITY, q), least, atol=1e-9)


def test_between_opposite_parallel_and_no_directions(rng):
    u = np.concatenate([np.eye(3), -np.eye(3), rng.normal(size=(20, 3))])
    opposite = rot.between(u, -2.0 * u)
    np.testing.assert_allclose(np.linalg.norm(opposite, axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(rot.rotate(opposite, u), -u, atol=1e-14)
    np.testing.assert_array_equal(rot.between(u, 5.0 * u), np.tile(rot.IDENTITY, (len(u), 1)))
    np.testing.assert_array_equal(rot.between(u, np.zeros(3)), np.tile(rot.IDENTITY, (len(u), 1)))
    np.testing.assert_array_equal(rot.between(np.zeros(3), np.zeros(3)), rot.IDENTITY)


@pytest.mark.parametrize("short", [1e-3, 1e-5, 1.1e-6, 1e-7, 1e-9])
def test_between_almost_opposite_directions(short):
    u, v = np.array([0.0, 1.0, 0.0]), np.array([np.sin(short), -np.cos(short), 0.0])
    np.testing.assert_allclose(rot.rotate(rot.between(u, v), u), v, atol=2e-6)


def test_continuous_removes_jumps_and_nothing_else(rng):
    angles = np.linspace(0, 20, 100)[:, None] * np.array([1.0, -0.5, 0.1])
    smooth = rot.about("Z", angles)
    signs = rng.choice([-1.0, 1.0], (100, 3, 1))
    given = smooth * signs
    kept = given.copy()
    comp = rot.continuous(given)
    assert np.sum(comp[1:] * comp[:-1], axis=-1).min() > 0
    np.testing.assert_array_equal(comp[0], given[0])
    np.testing.assert_array_equal(np.abs(comp), np.abs(smooth))
    np.testing.assert_array_equal(given, kept)
    np.testing.assert_array_equal(rot.continuous(given[:1]), given[:1])


def test_angle_between_is_accurate_near_zero_and_half_a_turn():
    for angle in (0.0, 1e-12, 1e-7, 1.0, np.pi - 1e-9, np.pi):
        comp = rot.angle_between(rot.about("X", 0.7), rot.about("X", 0.7 + angle))
        assert comp == pytest.approx(angle, abs=1e-15, rel=1e-9 if angle > 1e-6 else 1e-3)
    assert rot.angle_between(rot.about("X", 0.0), rot.about("X", 1.5 * np.pi)) == pytest.approx(np.pi / 2)


def test_rotation_vectors_are_axis_times_angle(rng):
    axis = rng.normal(size=(40, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    for angle in (0.0, 1e-13, 1e-9, 1e-3, 1.0, 3.0, np.pi - 1e-9):
        q = rot.from_vector(axis * angle)
        ref = [naive.vector_matrix(a, angle) for a in axis]
        np.testing.assert_allclose(rot.to_matrix(q), ref, atol=1e-14)
        np.testing.assert_allclose(rot.to_vector(q), axis * angle, rtol=1e-9, atol=1e-22)
        np.testing.assert_allclose(rot.to_vector(-q), axis * angle, rtol=1e-9, atol=1e-22)
    # Beyond half a turn the way back is shorter.
    np.testing.assert_allclose(rot.to_vector(rot.from_vector(axis * 4.0)), axis * (4.0 - 2 * np.pi), atol=1e-12)


def test_normalized(rng):
    q = rng.normal(size=(5, 2, 4))
    comp = rot.normalized(q)
    np.testing.assert_allclose(np.linalg.norm(comp, axis=-1), 1.0)
    np.testing.assert_allclose(comp * np.linalg.norm(q, axis=-1, keepdims=True), q)
