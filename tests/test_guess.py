"""Up axis and unit of files that say neither: by the lengths of bones, and by how bodies stand and move."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bodies import person
from naive import guess as naive_guess

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.cli import main
from motiongraph.formats import guess
from motiongraph.formats.load import load
from motiongraph.formats.motion import UPRIGHT
from motiongraph.formats.save import save
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

DATA = Path(__file__).parent / "data"


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture(scope="session")
def wild(mocap):
    folder = mocap / "wild"
    if not folder.is_dir():
        pytest.skip("no files of other sources beside CMU's")
    return folder


@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_every_wild_file_stands_upright_in_metres(wild):
    truth = json.loads((wild / "truth.json").read_text())
    assert len(truth) == 83
    wrong = []
    for entry in truth:
        skeleton = entry.get("skeleton")
        clip = load(wild / entry["file"], skeleton=skeleton and wild / skeleton)
        source = clip.source
        if source.up != entry["up"] or source.scale != pytest.approx(entry["metres_per_unit"], rel=1e-3):
            wrong.append((entry["file"], source.up, source.units))
        assert source.scaled is False
        assert source.up_from == "guess"
        assert source.unit_from == ("guess" if source.format == "bvh" else "file")
        assert 1.25 < source.stature < 2.25 or not entry["human"]
    assert wrong == []


@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_a_slice_of_a_wild_file_gets_the_unit_of_the_whole(wild, tmp_path):
    for entry in json.loads((wild / "truth.json").read_text())[::4]:
        if not entry["file"].endswith(".bvh"):
            continue
        clip = load(wild / entry["file"])
        for part in (clip[:1], clip[len(clip) // 2 :], clip[len(clip) // 3 : len(clip) // 3 + 5]):
            save(part, tmp_path / "part.bvh")
            assert load(tmp_path / "part.bvh").source.scale == clip.source.scale, entry["file"]


@pytest.mark.long
def test_every_real_bvh_of_cmu_is_upright_in_its_unit(mocap):
    clips = mg.load_all(mocap / "cmu" / "bvh")
    assert len(clips) == 94
    assert {clip.source.up for clip in clips} == {"y"}
    assert {clip.source.units for clip in clips} == {"cmu (guessed)"}


@pytest.mark.parametrize("unit", guess.UNITS)
def test_a_person_is_seen_in_every_unit(unit):
    body = person()
    seen = guess.unit_of(replace(body, offsets=body.offsets / guess.UNITS[unit]))
    assert (seen.name, seen.metres) == (unit, guess.UNITS[unit])


def test_a_body_that_fits_no_unit_is_scaled_to_a_usual_height():
    body = person()
    giant = replace(body, offsets=body.offsets * 7.0)
    seen = guess.unit_of(giant)
    assert seen.name == ""
    assert guess.stature(giant) * seen.metres == pytest.approx(1.65)


def test_a_dog_may_be_small():
    names = ["Hips", "LeftUpLeg", "LeftFoot", "RightUpLeg", "RightFoot", "Spine", "Head", "Tail"]
    parents = [-1, 0, 1, 0, 3, 0, 5, 0]
    offsets = [
        [0, 0, 0],
        [0.1, 0, 0],
        [0, -0.3, 0],
        [-0.1, 0, 0],
        [0, -0.3, 0],
        [0, 0, 0.4],
        [0, 0.1, 0.2],
        [0, 0, -0.2],
    ]
    dog = Skeleton(names, parents, offsets)
    assert guess.unit_of(dog).name == "m"
    assert guess.unit_of(replace(dog, offsets=dog.offsets * 100)).name == "cm"
    assert guess.unit_of(Skeleton([*names[:-1], "Belt"], parents, offsets)).name == "", "a person is never this small"


def test_bodies_without_names_are_measured_along_their_bones_too():
    body = person()
    nameless = Skeleton([f"joint {j}" for j in range(len(body))], body.parents, body.offsets * 100)
    assert guess.stature(nameless) == 0.0
    assert guess.unit_of(nameless).name == "cm"


@pytest.mark.parametrize("axis", guess.UP_AXES)
def test_people_stand_along_every_axis(axis, rng):
    """The world is turned so that this axis points up, the rest pose with it or left as it was."""
    body = person()
    poses = body.rest - [0.0, body.rest[:, 1].min(), 0.0] + rng.normal(0, 0.02, (40, len(body), 3))
    back = rot.conjugate(UPRIGHT[axis])
    turned = rot.rotate(back, poses)
    assert guess.up_axis(replace(body, offsets=rot.rotate(back, body.offsets)), turned) == axis
    if axis in ("y", "z"):
        assert guess.up_axis(body, turned) == axis, "a rest pose with y up in a world with z up"


@pytest.mark.parametrize("head", [-1, 3])
@pytest.mark.parametrize("shortest", [0.0, 1.5])
def test_poses_are_looked_at_joint_by_joint(head, shortest, rng):
    poses = rng.normal(0.0, 1.0, (7, 5, 3))
    poses[2] = 0.0  # everything in one place
    way, lowest = guess._looked_at(poses, np.array([1, 4]), head, shortest)
    expected = naive_guess.looked_at(poses, [1, 4], head, shortest)
    np.testing.assert_allclose(way, expected[0], atol=1e-12)
    np.testing.assert_array_equal(lowest, expected[1])
    np.testing.assert_allclose(guess._median(lowest), np.median(lowest, axis=1))
    np.testing.assert_allclose(guess._median(lowest[:, 1:]), np.median(lowest[:, 1:], axis=1))


def test_push_ups_do_not_turn_the_world(rng):
    """Lying along z on a floor with y up, with a rest pose that stands: the floor decides."""
    body = person()
    lying = rot.rotate(rot.about("X", np.array(np.pi / 2)), body.rest)
    lying = lying - [0.0, lying[:, 1].min(), 0.0] + rng.normal(0, 0.01, (60, 1, 3)) * [1.0, 0.2, 1.0]
    assert guess.up_axis(body, lying) == "y"


def test_the_axis_can_be_given(tmp_path):
    clip = load(DATA / "person.bvh")
    for axis in ("x", "-x", "-y", "-z", "z"):
        turned = load(DATA / "person.bvh", up=axis)
        assert (turned.source.up, turned.source.up_from) == (axis, "given")
        expected = rot.rotate(UPRIGHT[axis], clip.positions())
        assert np.abs(turned.positions() - expected).max() < 1e-12
        save(turned, tmp_path / "a.bvh")
        assert (tmp_path / "a.bvh").read_text() == _saved(clip, tmp_path / "b.bvh"), "written with the numbers as read"
    assert load(DATA / "person.bvh", up="+y").source.up == "y"


def _saved(clip, path):
    save(clip, path)
    return path.read_text()


def test_facts_are_fields(tmp_path):
    source = load(DATA / "person.bvh").source
    assert (source.unit, source.unit_from, source.scaled, source.units) == ("cm", "guess", False, "cm (guessed)")
    assert source.stature == pytest.approx(guess.stature(load(DATA / "person.bvh").skeleton))
    given = load(DATA / "person.bvh", units=0.02).source
    assert (given.unit, given.unit_from, given.scaled) == ("0.02 m", "given", False)


def test_info_says_what_was_guessed_and_what_was_scaled(tmp_path, capsys):
    body = person()
    small = replace(body, offsets=body.offsets * 0.6)
    save(Clip(small, np.zeros((3, 3)), np.tile(rot.IDENTITY, (3, len(body), 1))), tmp_path / "small.bvh")
    with pytest.raises(SystemExit) as status:
        main(["info", "--json", str(tmp_path / "small.bvh")])
    assert status.value.code == 0
    facts = json.loads(capsys.readouterr().out)["clips"][0]
    assert (facts["units"], facts["scaled"], facts["guessed"]) == ("scaled to 1.65 m", True, ["unit", "up"])
    assert facts["height"] == pytest.approx(1.65)
    with pytest.raises(SystemExit):
        main(["info", str(tmp_path / "small.bvh"), "--up", "-z"])
    table = capsys.readouterr().out
    assert "scaled to 1.65 m" in table
    assert " -z" in table
