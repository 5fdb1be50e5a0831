"""Paths as text files: read as people write them, written as they are read."""

import os

import numpy as np
import pytest

from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.path_file import PathFile, read_path, write_path


def written(tmp_path, text):
    file = tmp_path / "path.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "text", ["0,0\n1,2.5\n", "x,z\n0,0\n1,2.5", "0 0 # start\n\n1;2.5\n", "# closed\n0,0\n1,2.5\n"]
)
def test_ways_to_write_points(tmp_path, text):
    found = read_path(written(tmp_path, text))
    np.testing.assert_array_equal(found.points, [[0.0, 0.0], [1.0, 2.5]])
    assert found.labels is None
    assert found.closed is (True if "closed" in text else None)


def test_a_third_column_labels_the_stretch_that_begins_there(tmp_path):
    found = read_path(written(tmp_path, "# spline\nx,z,label\n0,0,walk\n1,0\n2,0,turn-left\n"))
    assert found.labels == ("walk", None, "turn-left")
    assert (found.curve, found.closed) == ("spline", False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0,0\n1,two\n", "path.csv:2: expected x and z in metres, found '1,two'"),
        ("0,0\n1\n", "path.csv:2: expected x and z"),
        ("0,0,1\n1,2,3\n", "path.csv:1: expected x and z"),
        ("0,0\n1,nan\n", "path.csv:2: expected x and z"),
        ("x,z\n0,0\n", "at least two points"),
        ("", "at least two points"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(tmp_path, text, sentence):
    with pytest.raises(FormatError) as caught:
        read_path(written(tmp_path, text))
    assert sentence in str(caught.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_path(tmp_path / "none.csv")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(FormatError, match="not a text file"):
        read_path(tmp_path / "picture.csv")


def test_there_and_back(tmp_path):
    rng = np.random.default_rng(1)
    labels = ("walk", None, "run", "run", None)
    asked = PathFile(rng.uniform(-9, 9, (5, 2)), labels, "spline", True)
    write_path(tmp_path / "a.csv", asked)
    found = read_path(tmp_path / "a.csv")
    np.testing.assert_allclose(found.points, asked.points, atol=5.1e-5)
    assert (found.labels, found.curve, found.closed) == (labels, "spline", True)
    with pytest.raises(MotionError, match="cannot be written"):
        write_path(tmp_path / "nowhere" / "a.csv", asked)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(FormatError, match="is a pipe or a device"):
        read_path(tmp_path / "a.csv")


@pytest.mark.parametrize("row", ["0,1e300", "2e6,0", "0,-inf"])
def test_no_path_leads_out_of_the_world(tmp_path, row):
    (tmp_path / "a.csv").write_text(f"0,0\n{row}\n")
    with pytest.raises(FormatError, match=r"a.csv:2: expected x and z of at most 1e\+06 m"):
        read_path(tmp_path / "a.csv")
