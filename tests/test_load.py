"""Loading: units, up axis, T-poses, the skeleton beside an AMC, and many files at once."""

import os
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from bodies import person
from naive import bvh as naive

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.formats import guess
from motiongraph.formats.collection import find_files, load_all
from motiongraph.formats.load import load
from motiongraph.model.skeleton import Skeleton

DATA = Path(__file__).parent / "data"
PERSON = (DATA / "person.bvh").read_text()


def scaled(text, factor):
    """A BVH of the same person in another unit."""
    lines, numbers = [], False
    for line in text.split("\n"):
        words = line.split()
        if words[:1] == ["OFFSET"]:
            line = "OFFSET " + " ".join(repr(float(w) * factor) for w in words[1:])
        if numbers and words:
            line = " ".join([*(repr(float(w) * factor) for w in words[:3]), *words[3:]])
        numbers = numbers or words[:2] == ["Frame", "Time:"]
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("unit", "metres"), [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("inch", 0.0254), ("cmu", 0.0254 / 0.45)]
)
def test_units_are_guessed_from_the_body_and_can_be_told(tmp_path, unit, metres):
    path = tmp_path / "a.bvh"
    path.write_text(scaled(PERSON, 0.01 / metres))
    reference = load(DATA / "person.bvh", units="cm")
    for size in (0.82, 1.0, 1.22):  # people of 1.4 to 2.1 m
        path.write_text(scaled(PERSON, size * 0.01 / metres))
        clip = load(path)
        assert clip.source.units == f"{unit} (guessed)"
        assert clip.source.scale == metres
        assert np.allclose(clip.positions(), reference.positions() * size, rtol=0, atol=1e-9)
    told = load(path, units=unit)
    assert told.source.units == unit
    assert told.source.scale == metres
    assert load(path, units=2.5).source.scale == 2.5
    assert load(path, units=2).root[0] == pytest.approx(2 / metres * clip.root[0])


def test_the_size_of_a_crouching_body_does_not_fool_the_guess(tmp_path):
    """Someone who sits or lies for the whole clip is still as tall as their skeleton."""
    text = PERSON.split("Frames")[0] + "Frames: 3\nFrame Time: 0.01\n" + ("0 20 0 90 0 0" + " 0" * 24 + "\n") * 3
    (tmp_path / "lying.bvh").write_text(text)
    assert load(tmp_path / "lying.bvh").source.units == "cm (guessed)"


@pytest.mark.parametrize("bad", ["feet", "", "CM", 0, -1.0, float("nan"), float("inf")])
def test_wrong_units_are_refused(bad):
    with pytest.raises(MotionError, match=r"units must be auto|metres per unit must be"):
        load(DATA / "person.bvh", units=bad)


@pytest.mark.parametrize("bad", ["w", "Z", "--y", "", None])
def test_wrong_up_axes_are_refused(bad):
    with pytest.raises(MotionError, match="the up axis must be auto, x, y, z, -x, -y or -z"):
        load(DATA / "person.bvh", up=bad)


@pytest.mark.parametrize("bad", [0, -30, float("nan"), float("inf")])
def test_wrong_rates_are_refused(bad):
    for name in ("person.bvh", "simple.amc"):
        with pytest.raises(MotionError, match="the frame rate must be a positive number"):
            load(DATA / name, fps=bad)


def test_up_axis_is_seen_in_the_rest_pose_and_can_be_told():
    clip = load(DATA / "z_up.bvh")
    assert clip.source.up == "z"
    as_is = load(DATA / "z_up.bvh", up="y", units="m")
    x, y, z = np.moveaxis(as_is.positions(), -1, 0)
    assert np.allclose(clip.positions(), np.stack([x, z, -y], axis=-1), atol=1e-12)
    assert clip.skeleton.height == pytest.approx(1.74, abs=0.01)
    assert load(DATA / "person.bvh").source.up == "y"
    assert load(DATA / "person.bvh", up="z").source.up == "z"


def test_up_axis_is_seen_in_the_poses_where_the_rest_pose_does_not_stand():
    """Rest poses with all bones along one axis say nothing; the motion does."""
    body = person()
    y_up = body.rest + np.random.default_rng(2).normal(0, 0.05, (50, len(body), 3))
    along = np.eye(3)[np.zeros(len(body), int)] * body.bone_lengths[:, None]
    for names in (body.names, [f"joint {j}" for j in range(len(body))]):
        flat = Skeleton(names, body.parents, along)
        assert guess.up_axis(flat, y_up) == "y"
        assert guess.up_axis(flat, y_up[..., [0, 2, 1]]) == "z"


def test_a_body_that_reaches_forward_and_back_still_stands():
    """Arms along z, as in some rest poses, are no second height."""
    rest = np.array([[0, 0, 0], [0, 0.8, 0], [0, 0.5, 0.7], [0, 0.5, -0.7], [0, -0.9, 0]], float)

    def seen(rest, pose):
        return guess.up_axis(Skeleton("abcde", [-1, 0, 0, 0, 0], rest), pose[None])

    assert seen(rest, rest) == "y"
    assert seen(rest[:, [0, 2, 1]], rest) == "y", "in doubt, y"
    rest[2:4, 2] *= 0.5
    assert seen(rest[:, [0, 2, 1]], rest) == "z"


@pytest.mark.long
def test_t_poses_of_every_real_file(mocap):
    bvh = load_all(mocap / "cmu" / "bvh")
    assert len(bvh) == 94
    assert sum(map(len, bvh)) == 78_840
    assert {clip.first for clip in bvh} == {1}
    amc = load_all(mocap / "cmu" / "asf_amc")
    assert len(amc) == 68
    assert {clip.first for clip in amc} == {0}
    for clip in [*bvh, *amc]:
        assert clip.fps == 120.0
        assert clip.source.up == "y"
        assert 1.4 < clip.skeleton.height < 2.1
        assert clip.source.scale == pytest.approx(0.0254 / 0.45)
    # Without the T-pose nothing looks like one, and a cut file is seen as what it is.
    for clip in bvh[::10]:
        values, turns = clip.source.values, clip.source.motion.channels.turns[1:]
        assert guess.opens_with_t_pose(values, turns[turns >= 0], rot.IDENTITY)
        assert not guess.opens_with_t_pose(values[1:], turns[turns >= 0], rot.IDENTITY)


@pytest.mark.parametrize("name", ["person", "mixed", "static_root", "z_up"])
def test_ordinary_files_have_no_t_pose(name):
    assert load(DATA / f"{name}.bvh").first == 0


def test_a_body_without_root_rotation_is_looked_at_right(tmp_path):
    """Its missing columns must not be taken for the last one."""
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n" for i in range(11))
    head = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Yposition\n{joints}{'}' * 12}\nMOTION\nFrames: 9\n"
    rng = np.random.default_rng(1)
    moving = 30 + rng.normal(0, 0.01, (8, 33))
    first = "5" + " 0" * 30 + " 45 45 45\n"
    rows = first + "".join("5 " + " ".join(map(repr, row)) + "\n" for row in moving.tolist())
    (tmp_path / "a.bvh").write_text(head + "Frame Time: 0.01\n" + rows)
    assert load(tmp_path / "a.bvh").first == 1


def test_the_skeleton_beside_an_amc(tmp_path, monkeypatch):
    amc = tmp_path / "walk_01.amc"
    shutil.copy(DATA / "simple.amc", amc)
    with pytest.raises(FormatError, match=r"expected its skeleton walk.asf, or a single .asf.*there is none"):
        load(amc)
    wrong = (DATA / "everything.asf").read_text()
    simple = (DATA / "simple.asf").read_text()
    (tmp_path / "only.asf").write_text(simple)
    assert load(amc).skeleton.names[1] == "lfemur"
    (tmp_path / "other.asf").write_text(wrong)
    assert load(amc).skeleton.names[1] == "lfemur", "the other has none of its bones"
    (tmp_path / "same.asf").write_text(simple)
    with pytest.raises(FormatError, match=r"there are 3: only.asf, other.asf, same.asf"):
        load(amc)
    (tmp_path / "WALK.ASF").write_text(simple.replace("lowerback", "lowerBack"))
    assert "lowerBack" in load(amc).skeleton.names
    (tmp_path / "walk_01.asf").write_text(simple)
    assert "lowerback" in load(amc).skeleton.names
    named = [tmp_path / "WALK.ASF", str(tmp_path / "WALK.ASF")]
    monkeypatch.chdir(tmp_path)
    for skeleton in [*named, "WALK.ASF", "./WALK.ASF"]:
        assert "lowerBack" in load("walk_01.amc", skeleton=skeleton).skeleton.names
    with pytest.raises(FormatError, match=r"none.asf: cannot be read: No such file"):
        load(amc, skeleton="none.asf")
    with pytest.raises(FormatError, match=r"cannot be read: Is a directory"):
        load(amc, skeleton=tmp_path)
    with pytest.raises(FormatError, match=r"bone 'lowerback' is not in the skeleton .*other.asf"):
        load(amc, skeleton="other.asf")


@pytest.mark.parametrize(
    ("motion", "skeleton", "others"),
    [
        ("HDM_mm_squat1Reps_038_120", "HDM_mm", ["HDM_tr", "HDM", "a"]),
        ("HDM_tr_jog", "HDM_tr", ["HDM_mm"]),
        ("07_05-walk", "07-walk", ["08-walk", "0", "a"]),
        ("131_04-dance", "131-dance", ["13", "130", "1"]),
        ("16_15", "16", ["1", "161", "15", "16_1"]),
        ("1_02", "1", ["16", "11"]),
        ("walkA", "walk", ["run", "wal"]),
    ],
)
def test_of_several_skeletons_the_one_with_the_most_similar_name(tmp_path, motion, skeleton, others):
    simple = (DATA / "simple.asf").read_text()
    for name in others:
        (tmp_path / f"{name}.asf").write_text(simple)
    (tmp_path / f"{skeleton}.asf").write_text(simple.replace("lowerback", "LowerBack"))
    shutil.copy(DATA / "simple.amc", tmp_path / f"{motion}.amc")
    assert "LowerBack" in load(tmp_path / f"{motion}.amc").skeleton.names
    # A name that agrees even better is of no use without the bones.
    (tmp_path / f"{motion}.asf").write_text((DATA / "everything.asf").read_text())
    assert "LowerBack" in load(tmp_path / f"{motion}.amc").skeleton.names


def test_relative_paths_and_kinds_of_path(monkeypatch):
    monkeypatch.chdir(DATA.parent)
    for path in ("data/person.bvh", Path("data/person.bvh"), "data/../data/person.bvh"):
        assert mg.load(path).name == "person"
    monkeypatch.chdir(DATA)
    assert mg.load("simple.amc").name == "simple"


def test_relative_skeletons_of_the_same_name_are_not_mixed_up(tmp_path, monkeypatch):
    times = []
    for folder, name in (("a", "lowerback"), ("b", "lowerBACK")):
        (tmp_path / folder).mkdir()
        asf = tmp_path / folder / "s.asf"
        asf.write_text((DATA / "simple.asf").read_text().replace("lowerback", name))
        shutil.copy(DATA / "simple.amc", tmp_path / folder / "s.amc")
        os.utime(asf, ns=(10**18, 10**18))
        monkeypatch.chdir(tmp_path / folder)
        times.append(asf.stat().st_mtime_ns)
        assert name in load("s.amc", skeleton="s.asf").skeleton.names
    assert times[0] == times[1]


@pytest.mark.parametrize("name", ["a.BVH", "a.Bvh"])
def test_endings_in_any_case(tmp_path, name):
    shutil.copy(DATA / "person.bvh", tmp_path / name)
    assert len(load(tmp_path / name)) == 4


@pytest.mark.parametrize("name", ["a.txt", "a", ".bvh", "a.bvh.gz", "a.asf"])
def test_other_endings_are_refused(tmp_path, name):
    shutil.copy(DATA / "person.bvh", tmp_path / name)
    with pytest.raises(
        FormatError, match=r"expected a .bvh, .amc, .glb, .gltf, .vrm or .npz file|an .asf holds no motion"
    ):
        load(tmp_path / name)


def test_clips_are_named_after_their_files(tmp_path):
    for name in ("walk 1", "läufer", "a.b.c", "💃"):
        shutil.copy(DATA / "person.bvh", tmp_path / f"{name}.bvh")
        assert load(tmp_path / f"{name}.bvh").name == name


def test_every_real_file_is_what_a_plain_reader_reads(mocap):
    """Values of one whole file, number by number, as float() has them."""
    path = mocap / "cmu" / "bvh" / "07_01.bvh"
    _, frames, _ = naive.read(path)
    assert load(path).source.values.tolist() == frames


@pytest.fixture
def folder(tmp_path):
    """b/person.bvh, b/deep/mixed.BVH, simple.amc with its .asf, and things that are not clips."""
    (tmp_path / "b" / "deep").mkdir(parents=True)
    shutil.copy(DATA / "person.bvh", tmp_path / "b")
    shutil.copy(DATA / "mixed.bvh", tmp_path / "b" / "deep" / "mixed.BVH")
    for name in ("simple.amc", "simple.asf"):
        shutil.copy(DATA / name, tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "b" / "odd.bvh").mkdir()
    return tmp_path


def test_files_and_folders_are_found_in_order(folder):
    names = [str(f.relative_to(folder)) for f in find_files(folder)]
    assert names == ["b/deep/mixed.BVH", "b/person.bvh", "simple.amc"]
    again = find_files([folder / "simple.amc", str(folder / "b"), folder / "none.bvh"])
    assert [f.name for f in again] == ["simple.amc", "mixed.BVH", "person.bvh", "none.bvh"]
    assert find_files([]) == []
    (folder / "empty").mkdir()
    with pytest.raises(FormatError, match=r"this folder holds no .bvh, .amc, .glb, .gltf, .vrm or .npz file"):
        find_files(folder / "empty")


def test_many_files_load_in_order_with_progress(folder):
    reports = []
    clips = mg.load_all([folder / "simple.amc", folder / "b"], progress=lambda *report: reports.append(report))
    assert [c.name for c in clips] == ["simple", "mixed", "person"]
    assert [r[:2] for r in reports] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [r[2] for r in reports] == ["simple.amc", "mixed.BVH", "person.bvh", ""]
    assert mg.load_all(str(folder / "b"), fps=25)[0].fps == 25.0
    assert mg.load_all([]) == []


def test_a_file_that_fails_stops_the_rest_or_is_handed_over(folder):
    (folder / "b" / "broken.bvh").write_text("HIERARCHY\nROOT")
    paths = [folder, folder / "missing.bvh"]
    with pytest.raises(FormatError, match=r"broken.bvh:2:1: expected a name after ROOT"):
        load_all(paths)
    failed = []
    clips = load_all(paths, on_error=lambda path, error: failed.append((path, error)))
    assert [c.name for c in clips] == ["mixed", "person", "simple"]
    assert [p.name for p, _ in failed] == ["broken.bvh", "missing.bvh"]
    assert all(isinstance(e, FormatError) for _, e in failed)


def test_our_own_mistakes_are_not_handed_over_as_broken_files(folder):
    with pytest.raises(TypeError):
        load_all(folder, on_error=lambda *_: None, colour="red")


def test_loading_can_be_cancelled(folder, monkeypatch):
    before, begun = threading.active_count(), []

    def slowly(path, **options):
        begun.append(path)
        time.sleep(0.01)
        return load(path, **options)

    def stop(done, total, what=""):
        if done == 1:
            raise mg.Cancelled

    monkeypatch.setattr("motiongraph.formats.load.load", slowly)
    with pytest.raises(mg.Cancelled):
        load_all([folder] * 50, progress=stop)
    assert threading.active_count() == before
    assert len(begun) < 75, "files nobody waits for any more are not loaded"


def test_warnings_come_through_from_many_files(folder):
    text = PERSON.replace("Frames: 4", "Frames: 9")
    (folder / "b" / "short.bvh").write_text(text)
    with pytest.warns(FormatWarning, match="says 9 frames but holds 4"):
        clips = load_all(folder / "b")
    assert clips[-1].source.notes == ("says 9 frames but holds 4; the 4 whole frames were loaded",)
