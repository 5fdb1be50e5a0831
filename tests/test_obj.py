"""Reading .obj files, and the meshes made from formulas."""

import os

import numpy as np
import pytest
from counting import counted

from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.obj import read_obj
from motiongraph.model import mesh as meshes
from motiongraph.progress import Cancelled

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


@pytest.fixture
def obj(tmp_path):
    def write(text):
        path = tmp_path / "shape.obj"
        path.write_text(text)
        return path

    return write


def outward(mesh):
    """(m,) for every triangle, how much the way it winds agrees with its normals."""
    a, b, c = (mesh.positions[mesh.triangles[:, i]] for i in range(3))
    return np.sum(np.cross(b - a, c - a) * mesh.normals[mesh.triangles].mean(axis=1), axis=1)


def test_a_polygon_becomes_triangles(obj):
    mesh = read_obj(obj(SQUARE + "f 1 2 3 4\n"))
    assert mesh.triangles.shape == (2, 3)
    corners = mesh.positions[mesh.triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    assert area.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(mesh.normals, np.tile([0.0, 0.0, 1.0], (4, 1)))


def test_comments_groups_and_continued_lines(obj):
    text = (
        f"# a square\nmtllib x.mtl\no square\n{SQUARE}vt 0 0\ng one\ns off\nusemtl red\nf 1/1 2/1 \\\n 3/1 4/1 # all\n"
    )
    mesh = read_obj(obj(text))
    np.testing.assert_array_equal(mesh.box, [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])


def test_indices_count_back_too(obj):
    forward = read_obj(obj(SQUARE + "f 1 2 3\n"))
    back = read_obj(obj(SQUARE + "f -4 -3 -2\n"))
    np.testing.assert_array_equal(forward.positions[forward.triangles], back.positions[back.triangles])


def test_normals_of_the_file_are_kept(obj):
    mesh = read_obj(obj(SQUARE + "vn 0 3 4\nf 1//1 2//1 3//1\n"))
    np.testing.assert_allclose(mesh.normals, np.tile([0.0, 0.6, 0.8], (3, 1)), atol=1e-6)


def test_sharp_edges_stay_sharp_and_gentle_ones_are_evened_out(obj):
    box, ball = meshes.box(), meshes.sphere(24, 12)
    for source, sharp in ((box, True), (ball, False)):
        positions, places = np.unique(source.positions.round(5), axis=0, return_inverse=True)
        faces = places.reshape(-1)[source.triangles] + 1
        faces = [f for f in faces if len(set(f)) == 3]
        text = "".join("v {} {} {}\n".format(*p) for p in positions) + "".join("f {} {} {}\n".format(*f) for f in faces)
        mesh = read_obj(obj(text))
        assert len(mesh.positions) == (24 if sharp else len(positions))
        assert (outward(mesh) > 0).all()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("v 0 0\n", ":1: v needs three numbers, found '0 0'"),
        ("v 0 0 nan\n", ":1: v needs three numbers, found '0 0 nan'"),
        (SQUARE + "f 1 2\n", ":5: a face needs 3 to 10,000 corners, found 2"),
        (SQUARE + "f 1 2 9\n", ":5: a face uses v 9, and there are 4 so far"),
        (SQUARE + "f 1 2 0\n", ":5: a face uses v 0, and there are 4 so far"),
        (SQUARE + "f 1//1 2//1 3//1\n", ":5: a face uses vn 1, and there are 0 so far"),
        (SQUARE + "f a b c\n", ":5: expected a corner as in 7 or 7/1/3, found 'a'"),
        (SQUARE + "f /1 2 3\n", ":5: expected a corner as in 7 or 7/1/3, found '/1'"),
        ("solid cube\n", ":1: expected v, vn, vt or f, found 'solid'"),
        (SQUARE, "shape.obj: holds no faces"),
        ("", "shape.obj: holds no faces"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(obj, text, sentence):
    with pytest.raises(FormatError) as problem:
        read_obj(obj(text))
    assert sentence in str(problem.value)


def test_reading_can_be_stopped(obj):
    said = []

    def stop(done, total, what=""):
        said.append((done, total, what))
        raise Cancelled

    path = obj("v 0 0 0\n" * 25_000)
    with pytest.raises(Cancelled):
        read_obj(path, stop)
    assert said == [(10_000, 25_000, "shape.obj")]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_obj(tmp_path / "nothing.obj")


@pytest.mark.parametrize(
    "mesh",
    [meshes.sphere(12, 6), meshes.box(), meshes.cylinder(12), meshes.plane()],
    ids=["sphere", "box", "cylinder", "plane"],
)
def test_meshes_face_outwards(mesh):
    assert (outward(mesh) > -1e-9).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-6)
    assert mesh.extent <= 1.0 + 1e-6


def test_a_mesh_is_checked():
    with pytest.raises(MotionError, match="a triangle with vertex 9"):
        meshes.Mesh(np.zeros((3, 3)), np.zeros((3, 3)), [[0, 1, 9]])
    with pytest.raises(MotionError, match=r"shape \(n, 3\)"):
        meshes.Mesh(np.zeros((3, 3)), np.zeros((2, 3)), [[0, 1, 2]])
    with pytest.raises(MotionError, match=r"triangles of shape \(m, 3\)"):
        meshes.Mesh(np.zeros((3, 3)), np.zeros((3, 3)), [0, 1, 2])


def test_a_face_of_a_million_corners_is_refused_at_once(tmp_path):
    """Its corners are not read one by one."""
    path = tmp_path / "a.obj"

    def calls(thirds):
        path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf " + "1 2 3 " * thirds)
        with (
            counted("motiongraph") as count,
            pytest.raises(FormatError, match=f"a.obj:4: a face needs 3 to 10,000 corners, found {3 * thirds}"),
        ):
            read_obj(path)
        return count()

    calls(4_000)
    assert calls(330_000) == calls(4_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.obj")
    with pytest.raises(FormatError, match="is a pipe or a device"):
        read_obj(tmp_path / "a.obj")
