"""Placements against 4×4 matrices, for numbers, for arrays and within kernels."""

import numpy as np
import pytest
from naive import placement as naive

from motiongraph.model import placement


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def some(rng, n):
    return rng.uniform(-7.0, 7.0, n), rng.normal(0.0, 5.0, n), rng.normal(0.0, 5.0, n)


def each(placements):
    """One placement of plain numbers after the other."""
    return [tuple(map(float, one)) for one in zip(*placements)]


def test_points_and_directions_match_matrices(rng):
    placements, points = some(rng, 40), rng.normal(size=(40, 3))
    ref = [naive.moved(*one, point) for one, point in zip(each(placements), points)]
    np.testing.assert_allclose(placement.place(placements, points), ref, atol=1e-12)
    np.testing.assert_allclose(placement.place(placements, points[:, [0, 2]]), np.array(ref)[:, [0, 2]], atol=1e-12)
    ref = [naive.moved(*one, point, 0.0) for one, point in zip(each(placements), points)]
    np.testing.assert_allclose(placement.turn(placements[0], points), ref, atol=1e-12)
    np.testing.assert_allclose(placement.turn(placements[0], points[:, ::2]), np.array(ref)[:, ::2], atol=1e-12)
    one = each(placements)[0]
    ref = [naive.moved(*one, point) for point in points]
    np.testing.assert_allclose(placement.place(one, points), ref, atol=1e-12)
    np.testing.assert_allclose(placement.place(one, points[3]), ref[3], atol=1e-12)


def test_composition_and_inverse_match_matrices(rng):
    outer, inner = some(rng, 40), some(rng, 40)
    both, back = placement.compose(outer, inner), placement.inverse(outer)
    for k, (a, b) in enumerate(zip(each(outer), each(inner))):
        ref = naive.product(naive.matrix(*a), naive.matrix(*b))
        for comp in (each(both)[k], placement.compose(a, b), placement.composed(*a, *b)):
            np.testing.assert_allclose(naive.matrix(*comp), ref, atol=1e-11)
        for comp in (each(back)[k], placement.inverse(a), placement.inverted(*a)):
            np.testing.assert_allclose(naive.product(naive.matrix(*comp), naive.matrix(*a)), np.eye(4), atol=1e-12)
    assert placement.compose(placement.IDENTITY, a) == a


def test_kernels_agree_with_matrices(rng):
    for one, (u, w) in zip(each(some(rng, 40)), rng.normal(size=(40, 2))):
        c, s = np.cos(one[0]), np.sin(one[0])
        x, _, z = naive.moved(*one, (u, 0.0, w))
        np.testing.assert_allclose(placement.placed(c, s, *one[1:], u, w), (x, z), atol=1e-12)
        x, _, z = naive.moved(*one, (u, 0.0, w), 0.0)
        np.testing.assert_allclose(placement.turned(c, s, u, w), (x, z), atol=1e-12)


def test_headings(rng):
    headings = rng.uniform(-3.0, 3.0, 20)
    directions = placement.direction_of(headings)
    np.testing.assert_allclose(directions, [(np.sin(h), np.cos(h)) for h in headings], atol=1e-15)
    np.testing.assert_allclose(placement.heading_of(directions), headings, atol=1e-12)
    # Placing adds theta to a heading.
    theta = 0.7
    np.testing.assert_allclose(placement.turn(theta, directions), placement.direction_of(headings + theta), atol=1e-12)
    np.testing.assert_allclose(placement.direction_of(0.3), (np.sin(0.3), np.cos(0.3)))
    assert placement.heading_of(np.array([1.0, 9.0, 0.0])) == pytest.approx(np.pi / 2)


def test_a_point_is_brought_to_its_target(rng):
    point, target = rng.normal(size=3), rng.normal(size=3)
    placed = placement.place_onto(1.2, point, target)
    assert placed[0] == 1.2
    np.testing.assert_allclose(placement.place(placed, point)[[0, 2]], target[[0, 2]], atol=1e-12)
    flat = placement.place_onto(1.2, point[[0, 2]], target[[0, 2]])
    assert flat == placed


def test_a_moved_clip_is_placed(rng):
    from bodies import person, smooth_clip

    clip = smooth_clip(rng, person(), frames=5)
    moved = clip.moved(0.8, 1.0, -2.0)
    ref = [[naive.moved(0.8, 1.0, -2.0, joint) for joint in pose] for pose in clip.positions()]
    np.testing.assert_allclose(moved.positions(), ref, atol=1e-12)
