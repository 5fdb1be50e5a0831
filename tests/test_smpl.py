"""AMASS and SMPL motion, against a plain evaluation of the joints with matrices."""

import os
import zipfile
from contextlib import suppress

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats import guess
from motiongraph.formats.smpl import holds_motion, skeleton

# (parent, offset) of joints 0, 1, 4, 7: the left leg, written down again here.
LEG = ((0, (-0.0018, -0.2233, 0.0282)), (1, (0.0695, -0.0914, -0.0068)))
LEG += ((4, (0.0343, -0.3752, -0.0045)), (7, (-0.0136, -0.398, -0.0437)))


def matrix(vector):
    """Rodrigues' formula."""
    angle = np.linalg.norm(vector)
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


@pytest.fixture
def motion():
    rng = np.random.default_rng(7)
    poses = rng.normal(0, 0.6, (12, 165))
    poses[:, :3] = rng.normal([np.pi / 2, 0, 0], 0.05, (12, 3))  # AMASS: a quarter turn brings the body to z up
    return {"poses": poses, "trans": rng.normal(0, 1, (12, 3)), "mocap_framerate": np.array(120.0)}


def saved(folder, **arrays):
    np.savez(folder / "a.npz", **arrays)
    return folder / "a.npz"


@pytest.mark.parametrize("width", [66, 72, 156, 165])
def test_joints_are_where_a_plain_evaluation_puts_them(tmp_path, motion, width):
    motion["poses"] = motion["poses"][:, :width]
    clip = mg.load(saved(tmp_path, **motion, betas=np.zeros(16), gender="neutral"))
    assert (len(clip), clip.fps, len(clip.skeleton)) == (12, 120.0, 22)
    for frame in range(12):
        turn, place = np.eye(3), motion["trans"][frame].copy()
        for joint, offset in LEG:
            place = place + turn @ offset
            turn = turn @ matrix(motion["poses"][frame, 3 * joint : 3 * joint + 3])
            x, y, z = place
            name = {0: "pelvis", 1: "left_hip", 4: "left_knee", 7: "left_ankle"}[joint]
            ours = clip.positions()[frame, clip.skeleton.index(name)]
            assert np.abs(ours - [x, z, -y]).max() < 1e-12


def test_a_body_that_stands_in_amass_stands_here(tmp_path):
    poses = np.zeros((3, 156))
    poses[:, 0] = np.pi / 2
    clip = mg.load(saved(tmp_path, poses=poses, trans=np.tile([2.0, 3.0, 1.2], (3, 1)), mocap_framerate=60.0))
    heights = dict(zip(clip.skeleton.names, clip.positions()[0, :, 1]))
    assert heights["head"] > heights["pelvis"] + 0.5 > heights["left_foot"] + 1.0
    assert (clip.source.up, clip.source.up_from, clip.source.unit) == ("z", "file", "m")
    assert 1.5 < clip.source.stature < 1.8
    assert guess.up_axis(clip.skeleton, clip.positions()) == "y"
    assert {clip.skeleton.names[j] for j in clip.contacts().joints} == {
        "left_ankle", "right_ankle", "left_foot", "right_foot",
    }  # fmt: skip
    assert mg.load(tmp_path / "a.npz", up="y").source.up_from == "given"
    assert np.abs(mg.load(tmp_path / "a.npz", units="mm").root - clip.root / 1000).max() < 0.3


def test_other_ways_of_keeping_it(tmp_path, motion):
    whole = mg.load(saved(tmp_path, **motion)).positions()
    poses = motion["poses"]
    apart = {"root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "transl": motion["trans"], "fps": 120}
    assert np.array_equal(mg.load(saved(tmp_path, **apart)).positions(), whole)
    cube = motion | {"poses": poses.reshape(12, 55, 3).astype(np.float32)}
    assert np.abs(mg.load(saved(tmp_path, **cube)).positions() - whole).max() < 1e-6
    del motion["mocap_framerate"]
    with pytest.warns(FormatWarning, match="does not say its frame rate; 30 Hz was taken"):
        assert mg.load(saved(tmp_path, **motion)).fps == 30.0


def test_folders_give_the_archives_that_hold_motion(tmp_path, motion):
    np.savez(tmp_path / "matrix.npz", cost=np.zeros((3, 3)))
    saved(tmp_path, **motion)
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04")
    assert [clip.name for clip in mg.load_all(tmp_path)] == ["a"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"poses": np.zeros((12, 70))}, r"poses: expected 66 \(22 body joints\), 72 \(SMPL\).* found 70"),
        ({"poses": np.zeros((0, 156))}, "poses: expected at least one frame"),
        ({"poses": np.zeros(12)}, "poses: expected frames of numbers"),
        ({"poses": np.full((12, 156), np.nan)}, "poses: expected finite numbers"),
        ({"poses": np.array([["a"]])}, "poses: expected at most"),
        ({"poses": np.array([{"a": 1}], object)}, "poses: expected at most .* found object"),
        ({"trans": np.zeros((11, 3))}, r"trans: expected shape \(12, 3\), found \(11, 3\)"),
        ({"trans": None}, "expected an array 'transl'"),
        ({"poses": None}, "holds no poses: it has mocap_framerate, trans"),
        ({"mocap_framerate": np.array(0.0)}, "mocap_framerate: expected frames a second, found 0.0"),
        ({"mocap_framerate": np.zeros(3)}, "mocap_framerate: expected at most 1 numbers"),
    ],
)
def test_wrong_arrays_are_named(tmp_path, motion, change, sentence):
    arrays = {name: value for name, value in (motion | change).items() if value is not None}
    with pytest.raises(FormatError, match=sentence) as problem:
        mg.load(saved(tmp_path, **arrays))
    assert "\n" not in str(problem.value)


def test_archives_that_are_none(tmp_path, motion):
    whole = saved(tmp_path, **motion).read_bytes()
    at = whole.index(b"PK\x01\x02") + 6  # the version of zip that is needed, here 7.6
    newer = whole[:at] + bytes([76]) + whole[at + 1 :]
    for content in (b"", b"PK", whole[: len(whole) // 2], b"\x93NUMPY" + bytes(100), newer):
        (tmp_path / "b.npz").write_bytes(content)
        with pytest.raises(FormatError, match=r"cannot be read as \.npz"):
            mg.load(tmp_path / "b.npz")


def test_archives_whose_packing_is_damaged(tmp_path, motion):
    np.savez_compressed(tmp_path / "c.npz", **motion)
    whole = (tmp_path / "c.npz").read_bytes()
    start = whole.index(b"poses.npy") + 9
    for at in range(start, start + 60):  # the first bytes of the packed array, and what zipfile says before them
        (tmp_path / "d.npz").write_bytes(whole[:at] + b"\xff\xff" + whole[at + 2 :])
        with suppress(FormatError):
            mg.load(tmp_path / "d.npz")


def test_a_small_file_that_unfolds_to_a_large_one_is_refused(tmp_path, motion):
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 156)}
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("poses.npy", "w") as member:
            np.lib.format.write_array_header_1_0(member, header)
        with archive.open("trans.npy", "w") as member:
            np.lib.format.write_array(member, motion["trans"])
    with pytest.raises(FormatError, match="poses: expected at most 82,500,000 numbers"):
        mg.load(tmp_path / "a.npz")


def test_the_mean_body_is_even_on_both_sides():
    body = skeleton()
    for name in body.names:
        if name.startswith("left"):
            left, right = (body.rest[body.index(n)] for n in (name, name.replace("left", "right")))
            assert np.abs(left * [-1, 1, 1] - right).max() < 0.02


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.npz")
    with pytest.raises(FormatError, match="is a pipe"):
        mg.load(tmp_path / "a.npz")
    assert not holds_motion(tmp_path / "a.npz")
