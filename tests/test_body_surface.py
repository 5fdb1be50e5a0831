"""The skin of a skeleton: its field, its mesh, how that is made smaller, its weights, and the pose it is made in."""

from collections import Counter

import numpy as np
import pytest
from bodies import person, random_skeleton
from naive import surfaces as naive

from motiongraph.model import isosurface, simplify
from motiongraph.model.bind_pose import bind_pose
from motiongraph.model.body_surface import LEVELS, body_surface, make_surface
from motiongraph.model.flesh_shapes import Flesh
from motiongraph.model.skeleton import Skeleton


@pytest.fixture
def shapes():
    rng, flesh = np.random.default_rng(4), Flesh()
    for k in range(9):
        a, b = rng.normal(size=(2, 3)) * 0.2
        widths = rng.uniform(0.03, 0.1, (2, 2))
        cut = -0.1 if k % 3 == 0 else -np.inf
        flesh.add(
            0, a, b, tuple(widths[0]), tuple(widths[1]), rng.normal(size=3), melt=0.03, cut=cut, group=f"{k // 2}"
        )
    flesh.ball(0, np.array([0.1, 0.0, 0.0]), (0.05, 0.08, 0.06), melt=0.02)
    return flesh.shapes()[0]


def test_fields_as_plain_loops_give(shapes):
    points = np.random.default_rng(5).normal(size=(60, 3)) * 0.15
    distances = np.empty((60, len(shapes)))
    isosurface.measure(shapes, points, distances)
    expected = [[naive.distance(shape, point) for shape in shapes.tolist()] for point in points.tolist()]
    near = distances < 100.0
    assert near.mean() > 0.5
    np.testing.assert_allclose(distances[near], np.array(expected)[near], atol=1e-9)
    step, origin = 0.05, np.array([-0.3, -0.3, -0.3])
    grid = np.full((13, 13, 13), isosurface.FAR, np.float32)
    isosurface.fill(shapes, origin, step, grid)
    for index in np.argwhere(grid < 0.02)[::7]:
        assert grid[tuple(index)] == pytest.approx(naive.field(shapes.tolist(), origin + step * index), abs=1e-5)


def is_closed(triangles):
    """Whether every edge has as many triangles on one side as on the other: two parts may touch along one."""
    edges = Counter((t[k], t[(k + 1) % 3]) for t in triangles.tolist() for k in range(3))
    return all(edges[b, a] == count for (a, b), count in edges.items())


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def test_a_ball_is_meshed_and_made_smaller():
    flesh = Flesh()
    flesh.ball(0, np.array([0.3, -0.2, 0.1]), (0.1, 0.1, 0.1))
    rows, _ = flesh.shapes()
    points, triangles = isosurface.polygonised(rows, 0.012)
    assert is_closed(triangles)
    ball = 4.0 / 3.0 * np.pi * 0.1**3
    assert volume(points, triangles) == pytest.approx(ball, rel=0.03)
    expected = naive.quadrics(points.tolist(), triangles.tolist())
    quadrics = np.empty((len(points), 10))
    simplify._quadrics(points, triangles, quadrics)
    np.testing.assert_allclose(quadrics, expected, atol=1e-9)
    for target in (400, 100):
        points, triangles = simplify.simplified(points, triangles, target)
        assert len(triangles) <= target
        assert is_closed(triangles)
        assert volume(points, triangles) == pytest.approx(ball, rel=0.1)
    normals, openness = np.empty_like(points), np.empty(len(points))
    isosurface.settle(rows, points, normals, openness)
    away = points - [0.3, -0.2, 0.1]
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), 0.1, atol=1e-4)
    np.testing.assert_allclose(normals, away / 0.1, atol=2e-3)
    assert openness.min() > 0.95


@pytest.fixture(scope="module")
def surface():
    return make_surface(person())


def test_levels_are_closed_and_grow_coarser(surface):
    for skin, most in zip(surface.levels, LEVELS):
        assert len(skin.triangles) <= most
        assert is_closed(skin.triangles)
        np.testing.assert_allclose(np.linalg.norm(skin.normals, axis=1), 1.0, atol=1e-5)
        np.testing.assert_allclose(skin.weights.sum(axis=1), 1.0, atol=1e-5)
        assert (np.diff(skin.weights, axis=1) <= 1e-7).all()
        assert skin.joints.max() < len(surface.skeleton)
        assert np.abs(skin.marks).max() <= 1.0
    volumes = [volume(skin.positions.astype(float), skin.triangles) for skin in surface.levels]
    assert min(volumes) > 0.85 * max(volumes)


def test_skin_lies_around_the_joints_that_carry_it(surface):
    skin, pose = surface.levels[0], surface.pose
    for joint in np.unique(skin.joints[:, 0]).tolist():
        own = skin.positions[skin.joints[:, 0] == joint]
        ends = [pose.positions[c] for c in surface.skeleton.children[joint]] or [pose.positions[joint]]
        start = pose.positions[joint]
        way = np.concatenate([start + np.linspace(0, 1, 9)[:, None] * (end - start) for end in ends])
        assert np.linalg.norm(own[:, None] - way[None], axis=2).min(axis=1).max() < 0.3, surface.skeleton.names[joint]


def test_lines_lie_in_planes_across_the_joints(surface):
    skin, pose, names = surface.levels[0], surface.pose, surface.skeleton.names
    signs = np.sign(skin.marks[:, 0])
    a, b = (signs[skin.triangles[:, k]] for k in (0, 1))
    crossed = skin.positions[skin.triangles[a != b][:, :2]].mean(axis=1)
    lined = [j for j, kind in enumerate(pose.kinds) if kind in ("arm", "forearm", "hand", "shin", "foot", "toe")]
    away = np.linalg.norm(crossed[:, None] - pose.positions[lined], axis=2)
    assert away.min(axis=1).max() < 0.16, "no line but around joints of limbs"
    for joint in (j for j in lined if pose.kinds[j] == "shin"):
        knee = crossed[away[:, lined.index(joint)] < 0.1]
        assert len(knee) > 8, names[joint]
        assert np.ptp(knee[:, 1]) < 0.08, "level, but for an edge up and down"


def test_marks_at_joints_are_no_second_limb():
    """GenoView's skeleton has "RightUpLegEnd" below "RightLeg"."""
    plain = person()
    knees = [j for j, kind in enumerate(bind_pose(plain).kinds) if kind == "shin"]
    names, parents, offsets = list(plain.names), list(plain.parents), list(plain.offsets)
    for knee in knees:
        names.append(f"{names[plain.parents[knee]]}End")
        parents.append(knee)
        offsets.append(np.zeros(3))
    marked = Skeleton(names, np.array(parents), np.array(offsets))
    assert bind_pose(marked).kinds[len(plain) :] == [""] * len(knees)
    assert bind_pose(marked).size == pytest.approx(bind_pose(plain).size)


def test_soles_are_flat_and_level(surface):
    skin = surface.levels[0]
    lowest = skin.positions[:, 1].min()
    feet = skin.positions[skin.positions[:, 1] < lowest + 0.006]
    assert len(feet) > 20
    for side in (-1, 1):
        one = feet[np.sign(feet[:, 0]) == side]
        assert np.ptp(one[:, 2]) > 0.12  # as long as a foot, less its round ends


def test_a_person_stands_upright_with_limbs_apart_whatever_the_rest_pose():
    skeleton = person()
    heap = Skeleton(skeleton.names, skeleton.parents, np.linalg.norm(skeleton.offsets, axis=1)[:, None] * [1.0, 0, 0])
    pose = bind_pose(heap)
    hands = [skeleton.index(n) for n in ("lhand", "rhand")]
    feet = [skeleton.index(n) for n in ("lfoot", "rfoot")]
    assert np.ptp(pose.positions[hands, 0]) > 0.5
    assert pose.positions[feet, 1].max() < pose.positions[hands, 1].min()


def test_a_bone_of_no_length_under_a_foot_divides_nothing_by_zero():
    """It is lost in rounding behind a shin of 10¹⁶ metres, or is a head, which has its end in itself."""
    skeleton = person()
    offsets = skeleton.offsets.copy()
    offsets[[skeleton.index("lfoot"), skeleton.index("rfoot")]] *= 1e17
    names = tuple("head2" if name == "ltoe" else name for name in skeleton.names)
    for odd in (
        Skeleton(skeleton.names, skeleton.parents, offsets),
        Skeleton(names, skeleton.parents, skeleton.offsets),
    ):
        with np.errstate(all="raise"):
            assert np.isfinite(bind_pose(odd).positions).all()


def test_surfaces_are_kept_by_skeleton():
    a, b = person(), person()
    assert a is not b
    assert body_surface(a) is body_surface(b)


@pytest.mark.parametrize("joints", [1, 2, 7, 30])
def test_any_skeleton_has_a_skin(joints):
    surface = make_surface(random_skeleton(np.random.default_rng(joints), joints))
    for skin in surface.levels:
        assert len(skin.triangles) > 20
        assert np.isfinite(skin.positions).all()
        assert np.isfinite(skin.weights).all()


def test_no_bones_at_all():
    surface = make_surface(Skeleton(["a", "b"], [-1, 0], np.zeros((2, 3))))
    assert len(surface.levels[-1].triangles) > 20
