"""BVH files of every variety, against a plain reader (naive/bvh.py) that shares no line with ours."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from naive import bvh as naive

import motiongraph as mg
from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats.bvh import format_bvh, read_bvh
from motiongraph.formats.load import load, load_clips
from motiongraph.formats.scanner import Text

DATA = Path(__file__).parent / "data"
PERSON = (DATA / "person.bvh").read_text()


@pytest.fixture
def write(tmp_path):
    """Write a file, give its path."""

    def write(content, name="clip.bvh"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def one_joint(offset="0 0 0", channels="3 Zrotation Yrotation Xrotation", numbers="0 0 0", frames=1, time="0.01"):
    return (
        f"HIERARCHY\nROOT r\n{{\nOFFSET {offset}\nCHANNELS {channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"
        f"MOTION\nFrames: {frames}\nFrame Time: {time}\n{numbers}\n"
    )


def same_motion(clip, path, up="y"):
    """Largest distance in metres between our joints and the plain reader's."""
    joints, frames, _ = naive.read(path)
    assert len(clip) == len(frames)
    names = [j[0] for j in joints]
    # twins of an end site, "Saddle_end2", are told apart by us only
    ours = [n for n in clip.skeleton.names if n in names]
    worst, scale = 0.0, clip.source.scale
    for f, frame in enumerate(frames):
        there = naive.positions(joints, frame)
        for name in ours:
            p = there[name] * scale
            p = p if up == "y" else np.array([p[0], p[2], -p[1]])
            worst = max(worst, np.abs(p - clip.positions()[f, clip.skeleton.index(name)]).max())
    assert len(ours) > 0.5 * len(names)
    return worst


@pytest.mark.parametrize("name", ["person", "mixed", "static_root", "z_up"])
def test_joints_are_where_a_plain_reader_puts_them(name):
    clip = load(DATA / f"{name}.bvh")
    assert same_motion(clip, DATA / f"{name}.bvh", clip.source.up) < 1e-12


def test_every_real_file_agrees_with_the_plain_reader(mocap):
    """A few frames of a few files: the plain reader is slow."""
    for path in sorted((mocap / "cmu" / "bvh").glob("*.bvh"))[::13]:
        clip = load(path)
        joints, frames, seconds = naive.read(path)
        assert abs(seconds * clip.fps - 1) < 1e-4
        assert clip.source.values.tolist() == frames
        for f in range(0, len(frames), len(frames) // 3):
            there = naive.positions(joints, frames[f])
            ours = clip.positions()[f] / clip.source.scale
            assert max(np.abs(there[n] - p).max() for n, p in zip(clip.skeleton.names, ours)) < 1e-11


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("carriage returns and line feeds", lambda s: s.replace("\n", "\r\n")),
        ("carriage returns", lambda s: s.replace("\n", "\r")),
        ("spaces for tabs", lambda s: s.replace("\t", "    ")),
        ("tabs for spaces", lambda s: re.sub(r"(?<!\w) |(?<=\d) ", "\t", s)),
        ("upper case", lambda s: re.sub(r"[XYZ](rotation|position)|Frame Time|Frames|End Site", up, s)),
        ("lower case", lambda s: re.sub(r"[A-Z]{2,}|[XYZ](rotation|position)|Frame Time|Frames|End Site", low, s)),
        ("a byte order mark", lambda s: "\ufeff" + s),
        ("no last newline", lambda s: s.rstrip()),
        ("many last newlines", lambda s: s + "\n\n  \r\n"),
        ("blank lines", lambda s: s.replace("\n", "\n\n \t\n")),
        ("blanks at line ends", lambda s: s.replace("\n", " \t\n")),
        ("braces on the line of the joint", lambda s: re.sub(r"\n\t*\{", " {", s)),
        ("braces against the name", lambda s: re.sub(r"\n\t*\{", "{", s)),
        ("closing braces in a row", lambda s: re.sub(r"\n\t*\}", "}", s)),
        ("frame lines broken after every number", lambda s: broken(s, 1)),
        ("frame lines broken after seven numbers", lambda s: broken(s, 7)),
        ("no blank after colons", lambda s: s.replace(": ", ":")),
        ("blank before colons", lambda s: s.replace(":", " :")),
        ("plus signs", lambda s: re.sub(r"(?<=[ \n])(?=[\d.])", "+", s)),
    ],
)
def test_varieties_of_writing_mean_the_same(write, what, change):
    plain = load(DATA / "person.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = load(write(change(PERSON)))
    assert clip.skeleton == plain.skeleton, what
    assert np.array_equal(clip.rotations, plain.rotations)
    assert np.array_equal(clip.root, plain.root)
    assert clip.fps == plain.fps == 120.0


def up(match):
    return match[0].upper()


def low(match):
    return match[0].lower()


def broken(text, every):
    head, time, numbers = re.split(r"(Frame Time: \S+\n)", text)
    lines = []
    for line in numbers.strip().split("\n"):
        words = line.split()
        lines += [" ".join(words[i : i + every]) for i in range(0, len(words), every)]
    return head + time + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("mixamorig:Hips", "mixamorig:Hips"),
        ("Left Up Leg", "Left Up Leg"),
        ("Bip01 L Thigh.001", "Bip01 L Thigh.001"),
        ("Hüfte 腰", "Hüfte 腰"),
        (" padded\t", "padded"),
        ("End", "End"),
        ("ROOT", "ROOT"),
        ("1", "1"),
        ("a\tb", "a\tb"),
        ("OFFSET 1 2 3", "OFFSET 1 2 3"),
        ("x" * 5000, "x" * 5000),
    ],
)
def test_names_of_any_kind(write, name, read):
    clip = load(write(PERSON.replace("LeftUpLeg", name)))
    assert clip.skeleton.names[1] == read
    assert clip.skeleton.names[4] == "LeftFoot_end"


def test_latin_names_of_old_programs(write):
    clip = load(write(PERSON.replace("Hips", "Hüfte").encode("latin-1")))
    assert clip.skeleton.names[0] == "Hüfte"


def test_two_joints_of_one_name_are_told_apart(write):
    with pytest.warns(FormatWarning, match=r"clip.bvh:25:2: has two joints named 'Leg'.*'Leg_2'") as caught:
        clip = load(write(PERSON.replace("LeftUpLeg", "Leg").replace("RightUpLeg", "Leg")))
    assert len(caught) == 1
    assert [n for n in clip.skeleton.names if n.startswith("Leg")] == ["Leg", "Leg_2"]


def test_several_end_sites_of_a_joint():
    clip = load(DATA / "mixed.bvh")
    names = clip.skeleton.names
    assert names[names.index("Saddle") + 1 :][:3] == ("Saddle_end", "Twice", "Twice_end")
    text = (DATA / "mixed.bvh").read_text().replace("JOINT Twice", "End Site\n{\nOFFSET 3 4 5\n}\nJOINT Twice")
    names = read_bvh(Text("x", text.encode()))[0].hierarchy.names
    assert names[names.index("Saddle") + 1 :][:3] == ("Saddle_end", "Saddle_end2", "Twice")


def test_several_roots_are_several_clips(write):
    second = "ROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    text = PERSON.replace("MOTION", second * 2 + "MOTION")
    head, numbers = text.split("Frame Time: .0083333\n")
    numbers = "".join(line + " 70 80 90 1 2 3\n" for line in numbers.strip().split("\n"))
    plain = load(DATA / "person.bvh")
    path = write(head + "Frame Time: .0083333\n" + numbers)
    first, second, third = load_clips(path)
    assert [clip.name for clip in (first, second, third)] == ["clip_Hips", "clip_Hips_2", "clip_Hips_3"]
    assert first.skeleton == plain.skeleton
    assert np.array_equal(first.rotations, plain.rotations)
    assert second.skeleton.names == third.skeleton.names == ("Hips", "Hips_end")
    assert second.source.values.tolist() == [[70, 80, 90]] * 4
    assert third.source.values.tolist() == [[1, 2, 3]] * 4
    assert [len(clip) for clip in mg.load_all(path)] == [4, 4, 4]
    with pytest.warns(FormatWarning, match=r"holds 3 motions; only clip_Hips was loaded, not clip_Hips_2, clip_Hips_3"):
        assert np.array_equal(load(path).rotations, plain.rotations)
    assert load(path, animation="Hips_3").name == "clip_Hips_3"


def test_static_root_is_folded_into_what_moves():
    clip = load(DATA / "static_root.bvh")
    assert clip.skeleton.names == ("Hips", "Chest", "Chest_end", "Leg", "Leg_end")
    # joint_Root stands at (10, 1, 2) and is turned by 30° about y
    assert np.allclose(clip.root[0], [0.10, 0.96, 0.02], atol=1e-12)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    assert np.allclose(clip.root[1], [0.10 + 0.01 * (c + 5 * s), 0.95, 0.02 + 0.01 * (5 * c - s)], atol=1e-12)
    assert clip.source.notes == ("root 'joint_Root' stands still and was left out",)


def test_a_root_that_moves_is_not_folded(write):
    text = (DATA / "static_root.bvh").read_text().replace("10 1 2 0 0 30 2", "10 1 2 0 0 31 2")
    assert load(write(text)).skeleton.names[0] == "joint_Root"
    first = text.partition("Frames: 3")[0]
    lone = load(write(f"{first}Frames: 1\nFrame Time: 0.03\n0 0 0 0 0 0 4 95 0 1 2 3 4 5 6 7 8 9\n"))
    assert lone.skeleton.names[0] == "Hips", "a single pose below a root that was never touched"
    lone = load(write(f"{first}Frames: 1\nFrame Time: 0.03\n9 9 9 0 0 0 4 95 0 1 2 3 4 5 6 7 8 9\n"))
    assert lone.skeleton.names[0] == "joint_Root"


def test_position_channels_replace_the_offset():
    clip = load(DATA / "mixed.bvh", units="cm")
    up, slider = clip.skeleton.index("Up"), clip.skeleton.index("Slider")
    assert np.allclose(clip.offsets[:, up] * 100, [[1, 11, 2], [2, 12, 3], [3, 13, 4]])
    assert np.allclose(clip.offsets[:, slider] * 100, [[0, 30.5, 2.5], [0, 31.5, 2.0], [0, 32.5, 1.5]])
    assert np.allclose(clip.root[0] * 100, [1, 90, -20]), "the root's missing x channel is its offset"
    assert np.allclose(clip.offsets[:, 3], clip.skeleton.offsets[3])


def test_position_channels_that_never_change_are_offsets(write):
    text = (DATA / "mixed.bvh").read_text()
    head, numbers = text.split("0.033333\n")
    rows = [line.split() for line in numbers.strip().split("\n")]
    for row in rows:
        row[6], row[8], row[10], row[12], row[13] = rows[0][6], rows[0][8], rows[0][10], rows[0][12], rows[0][13]
    path = write(head + "0.033333\n" + "\n".join(" ".join(row) for row in rows))
    clip = load(path, units="m")
    assert clip.offsets is None
    assert clip.skeleton.offsets[1].tolist() == [1, 11, 2]
    assert same_motion(clip, path) < 1e-12


def swaying(frames=40, jitter=0.0, first=None):
    """A BVH in cm whose two joints have position channels that vary by `jitter`, turning slowly; first: frame 0."""
    turns = "Zrotation Yrotation Xrotation"
    six = f"CHANNELS 6 Xposition Yposition Zposition {turns}"
    head = (
        f"HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\n{six}\nJOINT Head\n{{\nOFFSET 0 70 0\n{six}\n"
        f"End Site\n{{\nOFFSET 0 15 0\n}}\n}}\nJOINT LeftFoot\n{{\nOFFSET 10 -80 0\nCHANNELS 3 {turns}\n"
        "End Site\n{\nOFFSET 0 0 15\n}\n}\n}\n"
    )
    rows = [[i / 10, 82, i, 0, i, 0, 0, 70 + jitter * (i % 2), 0, 3, i, 0, 0, 0, 5] for i in range(frames)]
    if first is not None:
        rows[0] = first
    numbers = "\n".join(" ".join(map(str, row)) for row in rows)
    return f"{head}MOTION\nFrames: {frames}\nFrame Time: 0.033333\n{numbers}\n"


def test_offsets_that_vary_by_less_than_a_tenth_of_a_millimetre_were_rounded(write):
    rigid = load(write(swaying()))
    rounded = load(write(swaying(jitter=0.009)))
    assert rigid.offsets is None
    assert rounded.offsets is None
    assert rounded.skeleton == rigid.skeleton, "its OFFSET is what was meant"
    assert rounded.source.values[1, 7] == 70.009, "and it is written back as it came"
    assert load(write(swaying(jitter=0.011))).offsets is not None
    shifted = load(write(swaying(jitter=0.009).replace("OFFSET 0 70 0", "OFFSET 0 60 0")))
    assert shifted.offsets is None
    assert shifted.skeleton.offsets[1, 1] == pytest.approx(0.700045)


def test_a_graph_of_a_rounded_and_a_rigid_clip_builds(write):
    clips = [load(write(swaying(60, jitter))).labelled(word) for jitter, word in ((0.0, "a"), (0.009, "b"))]
    graph = mg.MotionGraph.build(clips, threshold=100.0)
    assert {clip.name for clip in graph.clips} == {"clip", "clip_2"}
    assert all(clip.offsets is None and clip.skeleton == clips[0].skeleton for clip in graph.clips)


@pytest.mark.parametrize(
    ("what", "first", "added"),
    [
        ("the motion's own", None, 0),
        ("a T-pose at the origin", [0, 82, 0, 0, 0, 0, 0, 70, 0, 0, 0, 0, 0, 0, 0], 0),  # it is where the motion starts
        ("another place", [50, 82, 40, 0, 0, 0, 0, 70, 0, 3, 0, 0, 0, 0, 5], 1),
        ("another pose", [0, 82, 0, 0, 0, 90, 0, 70, 0, 0, 0, 90, 0, 0, 90], 1),
        ("lying", [0, 10, 0, 90.5, 0, 0.5, 0, 70, 0, 3.25, 0, 0, 0, 0, 5], 1),
    ],
)
def test_a_first_pose_is_known_by_its_jump(write, what, first, added):
    assert load(write(swaying(first=first))).first == added, what
    assert len(load(write(swaying(first=first)))) == 40, "and it is kept"
    assert load(write(swaying(5, first=first))).first == 0, "few frames prove nothing"


def test_a_captured_error_is_no_first_pose(write):
    lines = swaying().split("\n")
    at = lines.index("Frame Time: 0.033333") + 2
    lines[at] = " ".join(["500", *lines[at].split()[1:]])
    assert load(write("\n".join(lines))).first == 0


@pytest.mark.parametrize(
    ("time", "rate"),
    [
        (".0083333", 120),
        ("0.0083333", 120),
        ("0.00833333", 120),
        ("0.008333333333333333", 120),
        ("8.33333e-03", 120),
        ("0.0083334", 120),
        ("0.033333", 30),
        ("0.0333333", 30),
        ("0.033", 30),
        ("0.0333", 30),
        ("0.03", 30),
        ("0.0166667", 60),
        ("0.016666", 60),
        ("0.0167", 60),
        ("0.017", 60),
        ("0.0416667", 24),
        ("0.042", 24),
        ("0.04", 25),
        ("0.02", 50),
        ("0.01", 100),
        ("0.008", 125),
        ("0.0333667", 30 / 1.001),
        ("0.041708", 24 / 1.001),
        ("0.0166833", 60 / 1.001),
        ("0.00416667", 240),
        ("1", 1),
        ("2", 0.5),
        ("0.0365", 1 / 0.0365),
    ],
)
def test_frame_rates_are_what_they_should_be(write, time, rate):
    assert load(write(one_joint(time=time))).fps == pytest.approx(rate, rel=1e-12)


def test_odd_blanks_before_the_frame_time(write):
    assert load(write(one_joint(time="\x04.0083333"))).source.timing == ".0083333"


def test_rate_can_be_overruled(write):
    assert load(write(one_joint()), fps=48).fps == 48.0


@pytest.mark.parametrize("said", [0, 1, 2, 5, 10**9])
def test_whole_frames_are_loaded_when_the_count_disagrees(write, said):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clip = load(write(one_joint(numbers="1 2 3\n4 5 6", frames=said)))
    assert len(clip) == 2
    complaint = f"says {said} frames but holds 2; the 2 whole frames were loaded"
    assert [complaint in str(w.message) for w in caught] == ([] if said == 2 else [True])


def test_a_file_cut_off_in_a_frame_keeps_the_whole_ones(write):
    with pytest.warns(FormatWarning, match="holds 2 and 1 of 3 numbers of one more"):
        assert len(load(write(one_joint(numbers="1 2 3\n4 5 6\n7", frames=3)))) == 2


@pytest.mark.parametrize(
    ("change", "line", "column", "says"),
    [
        (("HIERARCHY", "HIERACHY"), 1, 1, "expected HIERARCHY at the start of a BVH file, found 'HIERACHY'"),
        (("ROOT", "JOINT"), 2, 1, "expected ROOT, found 'JOINT'"),
        (("ROOT Hips", "ROOT"), 2, 1, "expected a name after ROOT"),
        (("OFFSET 9 -8 1", "OFFSET 9 -8"), 9, 3, "expected a number of the OFFSET, found 'CHANNELS'"),
        (("OFFSET 9 -8 1", "OFFSET 9 x 1"), 8, 12, "expected a number of the OFFSET, found 'x'"),
        (("OFFSET 9 -8 1", "OFFSET 9 nan 1"), 8, 12, "expected a number of the OFFSET, found 'nan'"),
        (("OFFSET 0 -6 14", ""), 21, 5, "joint 'LeftFoot_end' closes without an OFFSET"),
        (("CHANNELS 6", "CHANNELS 7"), 5, 11, "expected 0 to 6 channels, found 7"),
        (("CHANNELS 6", "CHANNELS -1"), 5, 11, "expected 0 to 6 channels, found -1"),
        (("CHANNELS 6", "CHANNELS 1000000000"), 5, 11, "expected 0 to 6 channels, found 1e"),
        (("CHANNELS 6", "CHANNELS 2.5"), 5, 11, "expected 0 to 6 channels, found 2.5"),
        (("CHANNELS 6", "CHANNELS 5"), 5, 63, "expected OFFSET, CHANNELS, JOINT, End Site or '}' inside 'Hips'"),
        (("Yposition", "Xposition"), 5, 23, "expected each position once"),
        (("Xposition", "Wposition"), 5, 13, "expected a channel such as Xposition or Zrotation, found 'Wposition'"),
        (("MOTION\n", ""), 59, 1, "expected MOTION, found 'Frames:'"),
        (("MOTION\n", "MOTION\nMOTION\n"), 60, 1, "expected 'Frames:' after MOTION, found 'MOTION'"),
        (("Frames: 4", "Frmes: 4"), 60, 1, "expected 'Frames:' after MOTION, found 'Frmes:'"),
        (("Frames: 4", "Frames: x"), 60, 9, "expected the number of frames, found 'x'"),
        (("Frames: 4", "Frames: -4"), 60, 9, "expected a whole number of frames, found -4"),
        (("Frames: 4", "Frames: 1.5"), 60, 9, "expected a whole number of frames, found 1.5"),
        (("Frame Time: .0083333", "Frame Time: 0"), 61, 13, "expected a frame time above zero, found 0"),
        (("Frame Time: .0083333", "Frame Time: -1"), 61, 13, "expected a frame time above zero, found -1"),
        (("Frame Time: .0083333", "Frame Time: 1e-310"), 61, 13, "expected a frame time above zero"),
        (("Frame Time: .0083333", "Frame Time: inf"), 61, 13, "expected the frame time in seconds, found 'inf'"),
        (("Frame Time: .0083333\n", ""), 61, 1, "expected 'Frame Time:' after the number of frames, found '0'"),
    ],
)
def test_complaints_say_what_was_expected_and_where(write, change, line, column, says):
    path = write(PERSON.replace(*change, 1))
    with pytest.raises(FormatError) as caught:
        load(path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{caught.value.line}:{caught.value.column}: ")
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("name", ["person", "mixed", "static_root", "z_up"])
def test_written_records_are_read_as_the_same(name):
    (bvh,) = read_bvh(Text(DATA / f"{name}.bvh"))
    (again,) = read_bvh(Text("again", format_bvh(bvh).encode()))
    assert again.hierarchy.names == bvh.hierarchy.names
    assert again.hierarchy.channels == bvh.hierarchy.channels
    assert np.array_equal(again.hierarchy.parents, bvh.hierarchy.parents)
    assert np.array_equal(again.hierarchy.offsets, bvh.hierarchy.offsets)
    assert np.array_equal(again.hierarchy.ends, bvh.hierarchy.ends)
    assert np.array_equal(again.values, bvh.values)
    assert again.frame_time == bvh.frame_time


@pytest.mark.parametrize(
    ("change", "column", "says"),
    [
        (("1.5 95.25", "1.5 nan"), 5, "expected a number, found 'nan'"),
        (("1.5 95.25", "1.5 -1.#IND"), 5, "expected a number, found '-1.#IND'"),
        (("1.5 95.25", "1.5 1e400"), 5, "expected a number of at most 1e+38, found '1e400'"),
        (("1.5 95.25", "1.5 1 95.25"), 1, "frame 1 should be a line of 30 numbers, found 31"),
        (("1.5 95.25", "1.5"), 1, "frame 1 should be a line of 30 numbers, found 29"),
    ],
)
def test_one_bad_number_does_not_lose_a_file(write, change, column, says):
    path = write(PERSON.replace(*change, 1))
    with pytest.warns(FormatWarning) as caught:
        clip = load(path)
    assert [str(w.message) for w in caught] == [f"{path}:63:{column}: {says}; the frame before was kept there"]
    assert clip.source.notes == (f"{says}; the frame before was kept there",)
    plain = load(DATA / "person.bvh")
    assert len(clip) == 4
    assert np.array_equal(clip.rotations[[0, 2, 3]], plain.rotations[[0, 2, 3]])
    assert clip.root[1, 1] == plain.root[0, 1]
