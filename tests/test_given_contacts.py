"""Contacts that are given instead of found: in Python, in files, through changes of a clip, blends and the window."""

from dataclasses import replace

import numpy as np
import pytest
from sessions import begin, said, tell
from typer.testing import CliRunner
from walking import joined, sample

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.library.contacts import contacts_of, dragged
from motiongraph.cli import app
from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.formats.collection import load_collection
from motiongraph.formats.labels_file import Entry, read_labels, write_labels
from motiongraph.graph.build import build_graph

GIVEN = {"lfoot": [(10, 30), (50, 60)], "rtoes": [(20, 40)]}


@pytest.fixture(scope="module")
def walk():
    return sample("walk")[:300]


def columns(clip):
    contacts = clip.contacts()
    return dict(zip(contacts.names, np.asarray(contacts).T))


def mask(frames, *spans):
    found = np.zeros(frames, bool)
    for start, stop in spans:
        found[start:stop] = True
    return found


def test_what_is_given_holds_and_can_be_taken_back(walk):
    clip = walk.with_contacts(GIVEN)
    found = columns(clip)
    np.testing.assert_array_equal(found["lfoot"], mask(len(clip), (10, 30), (50, 60)))
    np.testing.assert_array_equal(found["rtoes"], mask(len(clip), (20, 40)))
    assert not found["ltoes"].any()
    np.testing.assert_array_equal(clip.with_contacts(None).contacts(), walk.contacts())
    np.testing.assert_array_equal(walk.with_contacts(walk.contacts()).contacts(), walk.contacts())
    assert not walk.with_contacts({}).contacts().any()
    with pytest.raises(MotionError, match="'head' is not one of its foot joints, which are lfoot, ltoes"):
        walk.with_contacts({"head": (0, 5)})


def test_they_follow_every_change_of_a_clip(walk):
    clip = walk.with_contacts(GIVEN)
    np.testing.assert_array_equal(columns(clip[20:55])["lfoot"], mask(35, (0, 10), (30, 35)))
    np.testing.assert_array_equal(columns(clip[::2])["rtoes"], mask(-(-len(clip) // 2), (10, 20)))
    half = clip.resampled(clip.fps / 2)
    np.testing.assert_array_equal(columns(half)["rtoes"], mask(len(half), (10, 20)))
    other = columns(clip.mirrored())
    np.testing.assert_array_equal(other["rfoot"], columns(clip)["lfoot"])
    np.testing.assert_array_equal(other["ltoes"], columns(clip)["rtoes"])
    assert not walk.with_contacts({})[5:9].contacts().any()


def test_a_blend_has_the_first_half_of_one_and_the_second_of_the_other(walk):
    a, b = walk.with_contacts({"lfoot": (0, len(walk))}), walk.with_contacts({"rfoot": (0, len(walk))})
    walked = joined([a, b], 20, (0, 5), [(0, 40, 1, 40, 1.0, 0.0, 0.0, 0.0)], 90)
    motion = mg.synthesize(walked, cleanup=False)
    found = columns(motion)
    np.testing.assert_array_equal(found["lfoot"], mask(len(motion), (0, 45)))
    np.testing.assert_array_equal(found["rfoot"], mask(len(motion), (45, len(motion))))


def test_cleanup_holds_what_is_said_to_stand(walk):
    """Feet of a walk that drifts sideways are held where they are given as planted, and left alone where not."""
    foot, planted = walk.skeleton.index("lfoot"), columns(walk)["lfoot"]
    start = int(np.argmax(planted[50:])) + 50
    middle = slice(start + 5, start + int(np.argmin(planted[start:])) - 5)
    root = walk.root + np.linspace(0.0, 0.4, len(walk))[:, None] * np.array([1.0, 0.0, 0.0])
    drifting = replace(walk, root=root)
    captured = np.ptp(drifting.positions()[middle, foot, 0])
    for given, share in ((walk.contacts(), 0.3), ({}, 1.0)):
        walked = joined([drifting.with_contacts(given)], 20, (0, 0), [], len(walk))
        moved = np.ptp(mg.synthesize(walked).positions()[middle, foot, 0])
        assert moved == pytest.approx(share * captured, abs=0.3 * captured), share


def test_labels_files_hold_them(walk, tmp_path):
    mg.save(walk, tmp_path / "a.bvh")
    spans = (("lfoot", 10, 30), ("lfoot", 50, 60), ("rtoes", 20, 40))
    entries = (Entry("a.bvh", (5, 50), ("walk",), spans), Entry("a.bvh", (50, 90), ("turn",)))
    write_labels(entries, tmp_path / "labels.toml")
    assert read_labels(tmp_path / "labels.toml") == entries
    (clip,) = load_collection([tmp_path])
    np.testing.assert_array_equal(columns(clip)["lfoot"], mask(85, (5, 25), (45, 55)))
    alone = mg.load(tmp_path / "a.bvh")
    np.testing.assert_array_equal(columns(alone)["rtoes"], mask(len(walk), (20, 40)))
    write_labels([Entry("a.bvh", None, (), (("Nose", 0, 5),))], tmp_path / "labels.toml")
    with pytest.warns(FormatWarning, match=r"a\.bvh: .*'Nose' is not one of its foot joints.*found in the motion"):
        assert mg.load(tmp_path / "a.bvh").planted is None


@pytest.mark.parametrize("wrong", ["[1, 2]", "{ lfoot = 3 }", "{ lfoot = [[5, 2]] }", "{ lfoot = [3, 5] }"])
def test_wrong_contacts_are_one_sentence(wrong, tmp_path):
    (tmp_path / "labels.toml").write_text(f'[[clip]]\nfile = "a.bvh"\ncontacts = {wrong}\n')
    with pytest.raises(FormatError, match=r"\[\[clip\]\] number 1 \(a\.bvh\): expected .*start, stop"):
        read_labels(tmp_path / "labels.toml")


def test_the_command_writes_what_it_finds_to_be_corrected(walk, tmp_path):
    mg.save(walk, tmp_path / "a.bvh")
    run = CliRunner().invoke(app, ["labels", str(tmp_path), "--contacts", "-o", str(tmp_path / "labels.toml")])
    assert run.exit_code == 0, run.output
    clip = mg.load(tmp_path / "a.bvh")
    assert clip.planted is not None
    np.testing.assert_array_equal(clip.contacts(), walk.contacts())


def test_graphs_keep_them_and_take_over_corrections(walk, tmp_path):
    clip = walk.with_contacts(GIVEN)
    graph = mg.MotionGraph.build([clip])
    graph.save(tmp_path / "g.mgraph")
    again = mg.MotionGraph.load(tmp_path / "g.mgraph")
    assert again.clips[0].planted == clip.planted
    built = build_graph([walk.with_contacts({"lfoot": (1, 9)})], previous=graph)
    assert built.compared == 0
    assert built.graph.clips[0].planted.spans() == [("lfoot", 1, 9)]


def test_a_drag_carries_what_is_under_it():
    spans = [(10, 20), (30, 40)]
    for begun, at, opposite, wanted in [
        (19, 24, False, [(10, 25), (30, 40)]),
        (22, 16, False, [(10, 16), (30, 40)]),
        (50, 55, True, [(10, 20), (30, 40), (50, 56)]),
        (9, 45, False, []),
        (12, 14, True, [(10, 12), (15, 20), (30, 40)]),
    ]:
        planted = mask(60, *dragged(spans, begun, at, opposite))
        np.testing.assert_array_equal(planted, mask(60, *wanted), str((begun, at, opposite)))


@pytest.mark.usefixtures("config")
def test_the_window_corrects_saves_and_takes_back(tmp_path):
    state = begin(("walk",))
    found = contacts_of(state.library[1])
    assert list(found) == ["lfoot", "ltoes", "rfoot", "rtoes"]
    tell(state, do.SetContacts(1, "lfoot", ((3, 9),)))
    entry = state.library[1]
    assert contacts_of(entry) == found | {"lfoot": [(3, 9)]}
    assert entry.prepared.planted[3:9, 0].all()
    tell(state, do.SaveLabels(tmp_path / "mine.toml"), do.SaveProject(tmp_path / "work.mgproj"))
    other = begin()
    tell(other, do.OpenProject(tmp_path / "work.mgproj"))
    assert contacts_of(other.library[1]) == contacts_of(entry)
    tell(other, do.RemoveAll(), do.OpenPaths((tmp_path / "mine.toml",)))
    assert contacts_of(next(iter(other.library))) == contacts_of(entry)
    tell(state, do.Undo())
    assert state.library[1].clip.planted is None
    assert contacts_of(state.library[1]) == found
    tell(state, do.Redo(), do.FindContacts(1))
    assert contacts_of(state.library[1]) == found
    tell(state, do.SetContacts(1, "head", ((3, 9),)))
    assert "is not one of its foot joints" in said(state)[0]
