"""Which files take part, which frames of them, and what they are called."""

import os
from pathlib import Path

import numpy as np
import pytest
from test_labels_file import BVH

import motiongraph as mg
from motiongraph.errors import FormatWarning
from motiongraph.files import resource
from motiongraph.formats import collection
from motiongraph.formats.collection import find_files, find_parts, load_collection, read_collection, read_files
from motiongraph.formats.labels_file import Entry, write_labels


@pytest.fixture
def folder(tmp_path):
    """a, b and sub/c, ten frames each, whose root moves a centimetre a frame."""
    (tmp_path / "clips/sub").mkdir(parents=True)
    for name in ("a.bvh", "b.bvh", "sub/c.bvh"):
        rows = "\n".join(" ".join(f"{v:g}" for v in (i, 0, 0, 0, 0, 0, 0, 0, 0)) for i in range(10))
        (tmp_path / "clips" / name).write_text(BVH + rows)
    return tmp_path / "clips"


def told(clips):
    """Name, first frame by the file's numbers, frames and labels of every clip."""
    return [(c.name, round(100 * c.root[0, 0]), len(c), c.labels.spans()) for c in clips]


def test_without_labels_all_files_take_part(folder):
    assert told(load_collection(folder)) == [("a", 0, 10, []), ("b", 0, 10, []), ("c", 0, 10, [])]
    assert told(load_collection([folder / "b.bvh", folder / "sub"])) == [("b", 0, 10, []), ("c", 0, 10, [])]
    assert len(load_collection([folder, folder / "a.bvh", str(folder)])) == 3, "each once"


def test_labels_in_the_folder_choose(folder):
    write_labels([Entry("sub/c.bvh", None, ("calm",)), Entry("a.bvh", (2, 7), ("walk",))], folder / "labels.toml")
    expected = [("a", 2, 5, [("walk", 0, 5)]), ("c", 0, 10, [("calm", 0, 10)])]
    assert told(load_collection(folder)) == expected
    assert told(load_collection(folder / "labels.toml")) == expected[::-1], "in the order of the list"
    assert told(load_collection(folder / "sub")) == [("c", 0, 10, [])], "it speaks for folders it stands in or above"
    write_labels([], folder / "sub/labels.toml")
    assert told(load_collection(folder)) == expected[:1], "the nearest speaks"


def test_a_file_by_itself_takes_part_always(folder):
    write_labels([Entry("a.bvh", (2, 7), ("walk",))], folder / "labels.toml")
    assert told(load_collection(folder / "b.bvh")) == [("b", 0, 10, [])]
    assert told(load_collection(folder / "a.bvh")) == [("a", 2, 5, [("walk", 0, 5)])]


def test_labels_from_elsewhere(folder, tmp_path, monkeypatch):
    labels = tmp_path / "mine.toml"
    write_labels([Entry("b.bvh", (1, 9), ("run",)), Entry("sub/c.bvh", None, ())], labels)
    assert told(load_collection(folder, labels)) == [("b", 1, 8, [("run", 0, 8)]), ("c", 0, 10, [])]
    assert told(load_collection([folder / "a.bvh", folder / "b.bvh"], labels)) == [("b", 1, 8, [("run", 0, 8)])]
    write_labels([Entry("clips/a.bvh", None, ("x",))], labels)
    assert told(load_collection(folder, labels)) == [("a", 0, 10, [("x", 0, 10)])]
    monkeypatch.chdir(folder)
    assert told(load_collection(".", labels)) == [("a", 0, 10, [("x", 0, 10)])]
    with pytest.raises(mg.FormatError, match=r"mine\.toml: lists none of the files given"):
        load_collection(folder / "b.bvh", labels)


def test_ranges_that_touch_are_one_clip(folder):
    entries = [Entry("a.bvh", (5, 8), ("run",)), Entry("a.bvh", (1, 5), ("walk",)), Entry("a.bvh", (2, 4), ("left",))]
    write_labels(entries, folder / "labels.toml")
    assert told(load_collection(folder)) == [("a", 1, 7, [("left", 1, 3), ("run", 4, 7), ("walk", 0, 4)])]
    write_labels([*entries, Entry("a.bvh", None, ("all",))], folder / "labels.toml")
    assert told(load_collection(folder))[0][2] == 10


def test_a_gap_makes_two_clips(folder):
    write_labels([Entry("a.bvh", (1, 4), ("walk",)), Entry("a.bvh", (6, 10), ("run",))], folder / "labels.toml")
    assert told(load_collection(folder)) == [("a_1", 1, 3, [("walk", 0, 3)]), ("a_6", 6, 4, [("run", 0, 4)])]


def test_what_is_wrong_is_said(folder, tmp_path):
    write_labels([Entry("a.bvh", (3, 30), ()), Entry("gone.bvh")], folder / "labels.toml")
    with pytest.warns(mg.FormatWarning) as caught:
        assert told(load_collection(folder)) == [("a", 3, 7, [])]
    said = [str(w.message) for w in caught]
    assert any("there is no file 'gone.bvh'" in s for s in said)
    assert any("has frames 0 to 9; its labels ask for 3 to 29, the last ones are missing" in s for s in said)
    with pytest.raises(mg.FormatError, match=r"labels\.toml: there is no file 'gone.bvh' in "):
        load_collection(folder / "labels.toml")
    write_labels([Entry("a.bvh", (10, 12), ())], folder / "labels.toml")
    with pytest.raises(mg.MotionError, match=r"a\.bvh has frames 0 to 9; its labels ask for 10 to 11"):
        load_collection(folder)
    write_labels([Entry("elsewhere/x.bvh")], tmp_path / "mine.toml")
    with pytest.raises(mg.FormatError, match=r"there is no file 'elsewhere/x\.bvh'"):
        load_collection(folder, tmp_path / "mine.toml")
    write_labels([], folder / "labels.toml")
    with pytest.raises(mg.FormatError, match="lists no file of this folder"):
        find_parts(folder)


def test_files_that_fail_can_be_passed_over(folder):
    (folder / "b.bvh").write_text("nonsense")
    failed = []
    clips = load_collection(folder, on_error=lambda path, problem: failed.append((path.name, str(problem))))
    assert [clip.name for clip in clips] == ["a", "c"]
    assert [name for name, _ in failed] == ["b.bvh"]
    with pytest.raises(mg.FormatError):
        load_collection(folder)


def test_the_samples():
    clips = load_collection(resource("assets/samples"))
    assert len(clips) == 15
    assert len({clip.name for clip in clips}) == 15
    assert all(np.array(clip.labels.mask).any() for clip in clips)
    parts = find_parts(resource("assets/samples"))
    assert all(isinstance(part.file, Path) and part.labels for part in parts)


def test_a_folder_is_read_part_by_part(folder):
    """As the window does: whole clips under the names of their parts, what is wrong beside them, and progress."""
    write_labels(
        [Entry("a.bvh", (1, 4), ("walk",)), Entry("a.bvh", (6, 8)), Entry("gone.bvh"), Entry("sub/c.bvh")],
        folder / "labels.toml",
    )
    (folder / "bad.bvh").write_text("nonsense")
    failed, reports = [], []
    found = read_collection(
        [folder, folder / "bad.bvh", folder / "nowhere"],
        progress=lambda *report: reports.append(report),
        on_error=lambda path, problem: failed.append((path.name, type(problem), str(problem).partition(": ")[2])),
    )
    parts = [(part.file.name, part.frames, clip.name, len(clip), clip.labels.spans()) for part, clip in found]
    assert parts == [
        ("a.bvh", (1, 4), "a_1", 10, [("walk", 1, 4)]),
        ("a.bvh", (6, 8), "a_6", 10, [("walk", 1, 4)]),
        ("c.bvh", None, "c", 10, []),
    ]
    assert [(name, kind.__name__) for name, kind, _ in failed] == [
        ("labels.toml", "FormatError"),
        ("nowhere", "MotionError"),
        ("bad.bvh", "FormatError"),
    ]
    assert failed[1][2] == "there is no such file or folder"
    assert [report[0] for report in reports] == [0, 1, 2, 3]


def test_few_files_are_read_ahead(folder, monkeypatch):
    """A folder may hold more than fits into memory."""
    begun = []
    monkeypatch.setattr(collection, "load_clips", lambda file: begun.append(file) or [])
    found = read_files([folder / f"{i}.bvh" for i in range(1000)])
    next(found)
    assert len(begun) <= 2 * (os.cpu_count() or 1) + 1
    found.close()
    assert len(list(read_files([folder / f"{i}.bvh" for i in range(1000)]))) == 1000


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions that hold")
@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100])
def test_a_folder_that_cannot_be_searched_is_named(folder, mode):
    (folder / "sub").chmod(mode)
    try:
        with pytest.warns(
            FormatWarning, match="sub: cannot be searched: Permission denied; what is in it was left out"
        ):
            assert [file.name for file in find_files(folder)] == ["a.bvh", "b.bvh"]
        failed = []
        find_files(folder, lambda path, problem: failed.append(str(problem)))
        assert failed == [f"{folder / 'sub'}: cannot be searched: Permission denied"]
    finally:
        (folder / "sub").chmod(0o755)
