"""What an index says of clips, the labels that follow, and choosing clips by them."""

import shutil

import pytest

import motiongraph as mg
from motiongraph.app.library.entries import Library, prepare
from motiongraph.files import resource
from motiongraph.formats.collection import find_parts, load_collection
from motiongraph.formats.descriptions import description_of, forget, label_of, rows_of


@pytest.fixture
def folder(tmp_path):
    """Three clips in a folder of their subject, and an index two above."""
    inside = tmp_path / "data" / "01"
    inside.mkdir(parents=True)
    for name, source in (("01_01", "walk"), ("01_02", "run"), ("01_03", "idle")):
        shutil.copy(resource("assets/samples") / f"{source}.bvh", inside / f"{name}.bvh")
    (tmp_path / "the-index.txt").write_text("A list\n\n01_01\twalk, then jump\n01_02\tStartRun\n01_03\tUnknown\n")
    forget()
    return tmp_path


def test_rows_of_an_index():
    text = "Subject #1 (walks)\r\n01_01\twalk\r\n01_02\tamc\tmpg\trun/jog\n01_03\tUnknown\nno row\n"
    assert rows_of(text) == {"01_01": "walk", "01_02": "run/jog"}


def test_a_clip_without_labels_is_labelled_by_the_first_word_that_is_known(folder):
    data = folder / "data" / "01"
    assert [label_of(data / f"01_0{n}.bvh") for n in (1, 2, 3, 4)] == ["walk", "run", None, None]
    assert set(mg.load(data / "01_01.bvh").labels) == {"walk"}
    assert description_of(data / "01_01.bvh") == "walk, then jump"


def test_a_labels_file_says_it_better(folder):
    data = folder / "data" / "01"
    (data / "labels.toml").write_text('[[clip]]\nfile = "01_01.bvh"\nlabels = ["stroll"]\n')
    assert set(mg.load(data / "01_01.bvh").labels) == {"stroll"}
    assert set(mg.load(data / "01_02.bvh").labels) == set()


def test_the_table_of_words_can_be_replaced(folder):
    (folder / "words.toml").write_text('hop = ["jump"]\n')
    forget()
    assert label_of(folder / "data" / "01" / "01_01.bvh") == "hop"
    (folder / "words.toml").write_text("hop = 3\n")
    forget()
    with pytest.raises(mg.MotionError, match=r"words.toml: expected hop = \["):
        label_of(folder / "data" / "01" / "01_01.bvh")


def test_clips_are_chosen_by_name_label_or_description(folder):
    def names(where):
        return [part.file.stem for part in find_parts([folder], where=where)]

    assert names("JUMP|03") == ["01_01", "01_03"]
    assert names("^01_02") == ["01_02"]
    assert [clip.name for clip in load_collection([folder], where="run")] == ["01_02"]
    with pytest.raises(mg.MotionError, match="none of 3 clips has 'swim' in its name, labels or description"):
        names("swim")
    with pytest.raises(mg.MotionError, match="is not a pattern"):
        names("(walk")


def test_the_library_finds_by_description(folder):
    clip = mg.load(folder / "data" / "01" / "01_01.bvh")
    library = Library()
    entry = library.add(clip, prepare(clip), folder / "data" / "01" / "01_01.bvh")
    assert entry.description == "walk, then jump"
    assert "jump" in entry.findable
    assert "jump" not in library.add(clip, prepare(clip)).findable
