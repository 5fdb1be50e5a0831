"""labels.toml: read, refused, written, and found beside the clips it speaks of."""

import os

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.labels_file import Entry, read_labels, write_labels

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Head
  {
    OFFSET 0 90 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 80 0
    }
  }
}
MOTION
Frames: 10
Frame Time: 0.01
"""


@pytest.fixture
def folder(tmp_path):
    for name in ("a.bvh", "b.bvh"):
        rows = "\n".join(" ".join(f"{v:g}" for v in (i, 0, 0, 0, 0, 0, 0, 0, 0)) for i in range(10))
        (tmp_path / name).write_text(BVH + rows)
    return tmp_path


def test_written_and_read_back(tmp_path):
    entries = (Entry("a b.bvh", (3, 8), ("walk", 'say "hi"\\')), Entry("sub/ü.amc", None, ()))
    write_labels(entries, tmp_path / "labels.toml")
    assert read_labels(tmp_path / "labels.toml") == entries


def test_labels_are_found_beside_the_clip(folder):
    write_labels([Entry("a.bvh", (2, 5), ("walk",)), Entry("a.bvh", None, ("calm",))], folder / "labels.toml")
    clip = mg.load(folder / "a.bvh")
    assert list(clip.labels) == ["calm", "walk"]
    np.testing.assert_array_equal(np.flatnonzero(clip.labels.at("walk")), [2, 3, 4])
    assert clip.labels.at("calm").all()
    assert len(clip) == 10, "labels never cut frames off a file"
    assert not len(mg.load(folder / "b.bvh").labels)


def test_a_change_is_noticed(folder):
    write_labels([Entry("a.bvh", None, ("walk",))], folder / "labels.toml")
    assert "walk" in mg.load(folder / "a.bvh").labels
    write_labels([Entry("a.bvh", None, ("run", "fast"))], folder / "labels.toml")
    assert list(mg.load(folder / "a.bvh").labels) == ["fast", "run"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[clip", "is not a TOML file"),
        ("clip = 3", "expected [[clip]] tables"),
        ("[[clip]]\nlabels = []", "expected file"),
        ('[[clip]]\nfile = "a.bvh"\nframes = [5, 2]', "expected frames = [start, stop]"),
        ('[[clip]]\nfile = "a.bvh"\nframes = [0.5, 2]', "expected frames = [start, stop]"),
        ('[[clip]]\nfile = "a.bvh"\nlabels = [3]', "expected labels"),
    ],
)
def test_wrong_files_are_refused_in_one_sentence(folder, text, says):
    (folder / "labels.toml").write_text(text)
    with pytest.raises(mg.FormatError) as caught:
        read_labels(folder / "labels.toml")
    assert says in str(caught.value)
    assert "labels.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.warns(mg.FormatWarning, match="was loaded without labels"):
        assert len(mg.load(folder / "a.bvh")) == 10


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[1," * 100_000, "is not a TOML file"),
        ('[[clip]]\nfile = "a"\nframes = [0, 9223372036854775808]', "expected frames = "),
        ('[[clip]]\nfile = "a"\nframes = [0, ' + "9" * 5000 + "]", "is not a TOML file"),
        ("a = " + "[" * 100_000, "goes too deep"),
        ("a = " + "{a=" * 100_000, "goes too deep"),
        (".".join("a" * 30_000) + " = 1", "goes too deep"),
        ("[" + ".".join("a" * 30_000) + "]", "goes too deep"),
        ('[[clip]]\nfile = "' + "a" * 100_000 + '"', "expected file = "),
        ('[[clip]]\nfile = "a\\u0000b"', "expected file = "),
        ('[[clip]]\nfile = "a"\nlabels = ["' + "x" * 100_000 + '"]', "expected labels = "),
        ('[[clip]]\nfile = "' + "b" * 900 + '"\nframes = 3', "expected frames = "),
    ],
)
def test_nothing_in_it_is_too_much(tmp_path, text, says):
    """Numbers beyond 64 bits, thousands of digits, deep nesting, long names: one sentence."""
    path = tmp_path / "labels.toml"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_labels(path)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_dots_and_brackets_in_names_are_welcome(tmp_path):
    entries = (Entry("take.1.2.3.4.5.6.7.8.9.10.11.bvh", (0, 5), ("walk [[slow]]", "{a}{b}{c}")),)
    write_labels(entries, tmp_path / "labels.toml")
    assert read_labels(tmp_path / "labels.toml") == entries


def test_names_that_are_no_letters_cannot_be_written(tmp_path):
    with pytest.raises(MotionError, match=r"w.udce4lk.bvh has bytes that are no letters"):
        write_labels([Entry("w\udce4lk.bvh")], tmp_path / "labels.toml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "labels.toml")
    with pytest.raises(FormatError, match="is a pipe or a device"):
        read_labels(tmp_path / "labels.toml")
