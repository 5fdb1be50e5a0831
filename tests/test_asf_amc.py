"""ASF/AMC files of every variety, against a plain reader (naive/amc.py) that shares no line with ours."""

import re
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from naive import amc as naive

from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats.asf import format_asf
from motiongraph.formats.asf_parser import read_asf
from motiongraph.formats.load import load
from motiongraph.formats.scanner import Text

DATA = Path(__file__).parent / "data"
ASF, AMC = (DATA / "everything.asf").read_text(), (DATA / "everything.amc").read_text()
SIMPLE_ASF, SIMPLE_AMC = (DATA / "simple.asf").read_text(), (DATA / "simple.amc").read_text()


@pytest.fixture
def load_pair(tmp_path):
    """Write an ASF and an AMC, load the clip."""

    def load_pair(asf, amc, **options):
        for name, content in (("a.asf", asf), ("a.amc", amc)):
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return load(tmp_path / "a.amc", **options)

    return load_pair


def apart(clip, asf, amc, degrees=True):
    """Largest distance in metres between our joints and the plain reader's."""
    bones, units = naive.read_asf(asf)
    frames, _ = naive.read_amc(amc)
    assert len(frames) == len(clip)
    worst = 0.0
    for f, frame in enumerate(frames):
        there = naive.positions(bones, units, frame, degrees)
        for name, p in zip(clip.skeleton.names, clip.positions()[f]):
            worst = max(worst, np.abs(there[name.lower()] * 0.0254 / units["length"] - p).max())
    return worst


@pytest.mark.parametrize("name", ["everything", "simple"])
def test_joints_are_where_a_plain_reader_puts_them(name):
    clip = load(DATA / f"{name}.amc")
    assert apart(clip, DATA / f"{name}.asf", DATA / f"{name}.amc") < 1e-13


def test_real_files_agree_with_the_plain_reader(mocap):
    folder = mocap / "cmu" / "asf_amc"
    trials = [("16", "16_15"), ("16", "16_08"), ("05", "05_11"), ("127", "127_14")]
    for subject, trial in trials:
        asf, amc = folder / subject / f"{subject}.asf", folder / subject / f"{trial}.amc"
        clip = load(amc)
        bones, units = naive.read_asf(asf)
        frames, _ = naive.read_amc(amc)
        assert len(frames) == len(clip)
        for f in range(0, len(frames), len(frames) // 4):
            there = naive.positions(bones, units, frames[f])
            ours = clip.positions()[f] / clip.source.scale
            assert max(np.abs(there[n] - p).max() for n, p in zip(clip.skeleton.names, ours)) < 1e-11


def test_joints_sit_where_bones_begin_and_leaves_have_an_end():
    names, parents = load(DATA / "everything.amc").skeleton.names, load(DATA / "everything.amc").skeleton.parents
    tree = {n: names[p] for n, p in zip(names[1:], parents[1:])}
    assert tree == {
        "thigh": "root",
        "shin": "thigh",
        "shin_end": "shin",
        "spine": "root",
        "rib": "spine",
        "arm": "rib",
        "arm_end": "arm",
        "head": "spine",
        "head_end": "head",
    }


def test_what_an_asf_says_is_kept():
    asf = read_asf(Text(DATA / "everything.asf"))
    assert asf.names == ("root", "thigh", "shin", "spine", "rib", "arm", "head")
    assert (asf.length_unit, asf.mass_unit, asf.degrees) == (0.45, 2.0, True)
    assert asf.metres == pytest.approx(0.0254 / 0.45)
    assert asf.orders == ("YZX", "ZYX", "XZY", "XYZ", "YXZ", "XYZ", "ZXY")
    assert asf.dofs[0] == ("tx", "rz", "ty", "rx", "tz", "ry")
    assert asf.dofs[3] == ("tx", "ty", "tz", "rx", "ry", "rz", "l")
    assert asf.dofs[4] == ()
    assert asf.limits[1] == ((-160.0, 20.0), (-70.0, np.inf))
    assert len(asf.limits[3]) == 7
    assert asf.position.tolist() == [1, 2, 3]
    assert asf.axes[0].tolist() == [10, -20, 30]
    assert np.allclose(np.linalg.norm(asf.directions[[1, 2, 3, 4, 6]], axis=1), 1.0)


def swap(old, new):
    return lambda s: s.replace(old, new)


@pytest.mark.parametrize(
    ("what", "asf", "amc"),
    [
        ("CRLF", swap("\n", "\r\n"), swap("\n", "\r\n")),
        ("CR", swap("\n", "\r"), swap("\n", "\r")),
        ("tabs", swap(" ", "\t"), swap(" ", "\t")),
        ("upper case", str.upper, str.upper),
        ("blank lines", swap("\n", "\n\n \t\n"), swap("\n", "\n\n \t\n")),
        ("blanks at line ends", swap("\n", " \t\n"), swap("\n", "\t \n")),
        ("a byte order mark", lambda s: "\ufeff" + s, lambda s: "\ufeff" + s),
        ("no last newline", str.rstrip, str.rstrip),
        ("comments", swap("\n", "\n# begin :root (\n"), swap("\n", "\n# root 1 2 3\n")),
        ("comments after values", swap("\n", " # end\n"), swap("\n", "  # shin 5\n")),
        ("indented frames", lambda s: s, lambda s: re.sub(r"^(?!:)", "   ", s, flags=re.MULTILINE)),
        ("no header", lambda s: s, lambda s: s[s.index("17\n") :]),
        ("limits in one line", lambda s: re.sub(r"\)\s+\(", ")(", s), lambda s: s),
        ("bones in another order of ids", lambda s: re.sub(r"id \d", "id 7", s), lambda s: s),
        ("full words for the angle", swap("angle deg", "angle degrees"), lambda s: s),
    ],
)
def test_varieties_of_writing_mean_the_same(load_pair, what, asf, amc):
    plain = load(DATA / "everything.amc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = load_pair(asf(ASF), amc(AMC))
    assert [n.lower() for n in clip.skeleton.names] == list(plain.skeleton.names), what
    assert np.array_equal(clip.positions(), plain.positions())
    assert np.array_equal(clip.rotations, plain.rotations)
    assert clip.fps == 120.0


def test_radians_in_the_skeleton(load_pair):
    def in_radians(match):
        return match[1] + " ".join(repr(np.radians(float(w)).item()) for w in match[2].split())

    asf = re.sub(r"(axis |orientation )((?:[-\d.]+ ?){3})", lambda m: in_radians(m) + " ", ASF)
    asf = asf.replace("angle deg", "angle rad")
    clip, plain = load_pair(asf, AMC), load(DATA / "everything.amc")
    assert np.abs(clip.positions() - plain.positions()).max() < 1e-12
    assert not read_asf(Text("x", asf.encode())).degrees


def test_radians_in_the_motion(load_pair, tmp_path):
    lines = []
    dofs = {n.lower(): d for n, d in zip(*(lambda a: (a.names, a.dofs))(read_asf(Text(DATA / "everything.asf"))))}
    for line in AMC.splitlines():
        name, *words = line.split()
        if name in dofs:
            turned = [repr(np.radians(float(w)).item()) if d[0] == "r" else w for w, d in zip(words, dofs[name])]
            line = " ".join([name, *turned])
        lines.append(line.replace(":DEGREES", ":RADIANS"))
    clip = load_pair(ASF, "\n".join(lines))
    assert np.abs(clip.positions() - load(DATA / "everything.amc").positions()).max() < 1e-12
    assert apart(clip, tmp_path / "a.asf", tmp_path / "a.amc", degrees=False) < 1e-12


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_axis_orders(load_pair, tmp_path, order):
    asf = re.sub(r"(?<=axis )[XYZ]{3}", order, ASF)
    asf = re.sub(r"(?<=axis)((?: [-\d]+){3}) [XYZ]{3}", rf"\1 {order}", asf)
    clip = load_pair(asf, AMC)
    assert apart(clip, tmp_path / "a.asf", tmp_path / "a.amc") < 1e-13


@pytest.mark.parametrize("dof", ["rx ry rz", "rz rx ry", "ry rx rz", "tx tz ry rz rx", "l rz ty rx tx ry tz"])
def test_dof_in_any_order(load_pair, tmp_path, dof):
    """The root and a bone with the same degrees of freedom in the same odd order."""
    words = dof.split()
    asf = ASF.replace("dof rx rz ry", f"dof {dof}")
    numbers = " ".join(str(10 * i + 3) for i in range(len(words)))
    amc = re.sub(r"head .*", f"head {numbers}", AMC)
    clip = load_pair(asf, amc)
    assert apart(clip, tmp_path / "a.asf", tmp_path / "a.amc") < 1e-12
    assert clip.offsets is not None


def test_units_of_length(load_pair):
    plain, inches = load(DATA / "simple.amc"), load_pair(SIMPLE_ASF.replace("length 0.45", "length 1"), SIMPLE_AMC)
    assert np.allclose(plain.positions() * 0.45, inches.positions())
    assert plain.source.units == "0.45 per inch"
    unsaid = load_pair(SIMPLE_ASF.replace("  length 0.45\n", ""), SIMPLE_AMC)
    assert np.array_equal(unsaid.positions(), inches.positions())
    told = load_pair(SIMPLE_ASF, SIMPLE_AMC, units="cm")
    assert np.allclose(told.positions() * 0.0254 / 0.45, plain.positions() * 0.01)


def test_z_up_is_seen_and_can_be_told(load_pair):
    lying = SIMPLE_ASF.replace("0.34202 -0.939693 0", "0.34202 0 -0.939693").replace(
        "direction 0 1 0", "direction 0 0 1"
    )
    clip = load_pair(lying, SIMPLE_AMC)
    assert clip.source.up == "z"
    assert np.ptp(clip.skeleton.rest[:, 1]) > 1.4
    as_is = load_pair(lying, SIMPLE_AMC, up="y")
    x, y, z = np.moveaxis(as_is.positions(), -1, 0)
    assert np.allclose(clip.positions(), np.stack([x, z, -y], axis=-1))
    assert load(DATA / "simple.amc").source.up == "y"


def test_frames_may_start_at_any_number(load_pair):
    for first in (0, -3, 1, 4711):
        amc = re.sub(r"^\d$", lambda m, first=first: str(first - 1 + int(m[0])), SIMPLE_AMC, flags=re.MULTILINE)
        clip = load_pair(SIMPLE_ASF, amc)
        assert len(clip) == 3
        assert clip.source.timing == first
    with pytest.warns(FormatWarning, match="frame 7 follows frame 1; frames were taken as they stand"):
        assert len(load_pair(SIMPLE_ASF, SIMPLE_AMC.replace("\n2\n", "\n7\n"))) == 3


def test_missing_bones_keep_the_rest_pose_and_are_said_once(load_pair):
    amc = SIMPLE_AMC.replace("lfemur -21 4 5\n", "").replace("ltibia 32\n", "").replace("lowerback 5 6\n", "")
    with pytest.warns(FormatWarning, match="frame 2 has 2 of 4 bones; missing ones keep the rest pose") as caught:
        clip = load_pair(SIMPLE_ASF, amc)
    assert len(caught) == 1
    femur, tibia = clip.skeleton.index("lfemur"), clip.skeleton.index("ltibia")
    assert clip.rotations[1, femur].tolist() == clip.rotations[2, tibia].tolist() == [1, 0, 0, 0]
    plain = load(DATA / "simple.amc")
    assert np.array_equal(clip.rotations[[0, 2], femur], plain.rotations[[0, 2], femur])
    assert "missing ones" in clip.source.notes[0]


def test_a_still_bone_does_not_stand_in_for_a_missing_one(load_pair):
    amc = AMC.replace("shin 65", "rib")
    with pytest.warns(FormatWarning, match="frame 17 has 5 of 6 bones"):
        load_pair(ASF, amc)


def test_names_beyond_ascii(load_pair):
    for encoding in ("utf-8", "latin-1"):
        asf, amc = (s.replace("ltibia", "Lübia") for s in (SIMPLE_ASF, SIMPLE_AMC))
        clip = load_pair(asf.encode(encoding), amc.encode(encoding))
        assert "Lübia" in clip.skeleton.names
        assert np.array_equal(clip.rotations, load(DATA / "simple.amc").rotations)


def test_end_names_do_not_collide(load_pair):
    asf, amc = (s.replace("lowerback", "ltibia_end") for s in (SIMPLE_ASF, SIMPLE_AMC))
    clip = load_pair(asf, amc)
    assert clip.skeleton.names == ("root", "lfemur", "ltibia", "ltibia_end_", "ltibia_end", "ltibia_end_end")


def test_rates_an_amc_may_tell(load_pair):
    assert load_pair(SIMPLE_ASF, SIMPLE_AMC).fps == 120.0
    assert load_pair(SIMPLE_ASF, SIMPLE_AMC, fps=60).fps == 60.0
    assert load_pair(SIMPLE_ASF, "# frame rate: 29.97\n" + SIMPLE_AMC).fps == 29.97
    assert load_pair(SIMPLE_ASF, ":SAMPLES-PER-SECOND 100\n" + SIMPLE_AMC).fps == 100.0
    for comment in ("# frame rate estimated by eye", "# frame rate: 0", "# frame rate: -", "# frame rate: 1e999"):
        assert load_pair(SIMPLE_ASF, f"{comment}\n{SIMPLE_AMC}").fps == 120.0


def test_bones_outside_the_hierarchy_are_left_out_and_said_every_time(load_pair, tmp_path):
    asf = SIMPLE_ASF.replace("root lfemur lowerback", "root lfemur")
    amc = re.sub(r"lowerback.*\n", "", SIMPLE_AMC)
    with pytest.warns(FormatWarning, match="bone 'lowerback' is not in the hierarchy; it was left out"):
        clip = load_pair(asf, amc)
    again = load(tmp_path / "a.amc")
    for c in (clip, again):
        assert c.source.notes == ("bone 'lowerback' is not in the hierarchy; it was left out",)
        assert "lowerback" not in c.skeleton.names


def test_a_skeleton_that_changes_is_read_again(load_pair):
    first = load_pair(SIMPLE_ASF, SIMPLE_AMC)
    second = load_pair(SIMPLE_ASF.replace("length 13", "length 26"), SIMPLE_AMC)
    assert second.skeleton.height > first.skeleton.height + 0.5


def test_written_records_are_read_as_the_same():
    for name in ("everything", "simple"):
        asf = read_asf(Text(DATA / f"{name}.asf"))
        again = read_asf(Text("again", format_asf(asf, name).encode()))
        for field in ("names", "orders", "dofs", "limits", "length_unit", "mass_unit", "degrees"):
            assert getattr(asf, field) == getattr(again, field), field
        for field in ("parents", "directions", "lengths", "axes", "position"):
            assert np.allclose(getattr(asf, field), getattr(again, field), rtol=0, atol=1e-8), field


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        (("# a skeleton", "a skeleton"), "a skeleton", "expected a section such as :version at the start of an ASF"),
        (("length 0.45", "length zero"), "zero", "expected the unit of length, found 'zero'"),
        (("length 0.45", "length 0"), "0\n  angle", "expected a unit of length above zero, found 0"),
        (("length 0.45", "length 1e-300"), "1e-300", "expected a unit of length above zero"),
        (("angle deg", "angle grad"), "grad", "expected angle deg or rad, found 'grad'"),
        (("axis YZX", "axis YZY"), "YZY", "expected an order of axes such as XYZ, found 'YZY'"),
        (("position 1 2 3", "position 1 2"), "orientation", "expected a number of the root's position, found 'orient"),
        (("order TX RZ TY", "order TX RZ TX"), "TX RX", "degree of freedom tx is listed twice"),
        (("order TX RZ TY", "order TX QQ TY"), "QQ", "expected order, axis, position or orientation, found 'qq'"),
        (("begin\n     id 1", "id 1"), "id 1", "expected 'begin' of a bone"),
        (("name shin", "name thigh"), None, "bone 'thigh' is there twice"),
        (("name shin", "name ROOT"), None, "bone 'ROOT' is there twice"),
        (("name shin", ""), None, "this bone has no name"),
        (("length 7.25", "length nan"), "nan", "expected the length, found 'nan'"),
        (("length 7.25", "length 1e39"), "1e39", "expected the length of at most 1e+38, found '1e39'"),
        (("length 7.25", "length"), "axis -15", "expected the length, found 'axis'"),
        (("length 7.25", "lenght 7.25"), "lenght", "expected a field of a bone (id, name,"),
        (("direction 0 -2 0", "direction 0 -2"), "length 7.25", "expected a number of the direction, found 'length'"),
        (("dof ry", "dof ry ry"), "ry\n", "degree of freedom ry is listed twice"),
        (("(-10 170)", "(-10 170"), None, "expected ')' after two limits"),
        (("(-10 170)", "(-10)"), ")", "expected a limit, found ')'"),
        (("rib arm", "rib leg"), "leg\n  end", "the hierarchy names a bone 'leg' that is not in :bonedata"),
        (("rib arm", "rib root"), "root\n  end", "bone 'root' has two parents or is its own"),
        (("rib arm", "rib thigh"), "thigh\n  end", "bone 'thigh' has two parents or is its own"),
        (("rib arm", "arm arm"), "arm\n  end", "bone 'arm' has two parents or is its own"),
        (("root thigh spine\n", "root thigh\n    arm spine\n"), None, "the hierarchy runs in a circle: bone"),
        ((":hierarchy\n  begin", ":hierarchy\n"), "root thigh", "expected 'begin' of the hierarchy"),
        (("    rib arm\n  end", "    rib arm\n"), "", "the hierarchy has no 'end'"),
        ((ASF[ASF.index(":hierarchy") :], ""), "", "expected a :hierarchy section"),
        ((ASF[ASF.index(":bonedata") :], ""), "", "expected a :bonedata section"),
        ((ASF[ASF.index("     axis -15") :], ""), "", "expected a field of a bone"),
    ],
)
def test_complaints_about_the_skeleton_say_what_was_expected_and_where(load_pair, tmp_path, change, place, says):
    assert change[0] in ASF
    asf = ASF.replace(*change, 1)
    with pytest.raises(FormatError) as caught:
        load_pair(asf, AMC)
    error = caught.value
    assert says in str(error)
    assert str(error).startswith(f"{tmp_path / 'a.asf'}:{error.line}:{error.column}: ")
    if place is not None:
        lines = asf.split("\n")
        at = len("\n".join(lines[: error.line - 1])) + (error.line > 1) + error.column - 1
        assert asf[at:].startswith(place) if place else at == len(asf), repr(asf[at : at + 20])


@pytest.mark.parametrize(
    ("change", "line", "column", "says"),
    [
        (("lfemur -21", "lhumerus -21"), 11, 1, "bone 'lhumerus' is not in the skeleton"),
        (("lfemur -21 4 5", "ltibia 3"), 12, 1, "bone 'ltibia' is there twice in one frame"),
        (("1\nroot", "root"), 3, 1, "expected a frame number before the first bone, found 'root'"),
        (("\n2\n", "\n2\n3\n"), 8, 1, "frame 2 has no bones"),
    ],
)
@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_complaints_about_the_motion_say_what_was_expected_and_where(load_pair, tmp_path, change, line, column, says):
    with pytest.raises(FormatError) as caught:
        load_pair(SIMPLE_ASF, SIMPLE_AMC.replace(*change, 1))
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'a.amc'}:{line}:{column}: ")
    for newline in ("\r\n", "\r"):
        with pytest.raises(FormatError) as again:
            load_pair(SIMPLE_ASF, SIMPLE_AMC.replace(*change, 1).replace("\n", newline))
        assert str(again.value) == str(caught.value)


def test_an_amc_without_frames_or_for_a_skeleton_that_cannot_move(load_pair):
    with pytest.raises(FormatError, match=r"a.amc:3:1: no frames"):
        load_pair(SIMPLE_ASF, ":FULLY-SPECIFIED\n:DEGREES\n")
    still = re.sub(r"    dof.*\n", "", SIMPLE_ASF).replace("order TX TY TZ RX RY RZ", "order")
    with pytest.raises(FormatError, match="has degrees of freedom, so nothing can move"):
        load_pair(still, re.sub(r"^([a-z]+).*", r"\1", SIMPLE_AMC, flags=re.MULTILINE))


@pytest.mark.parametrize(
    ("change", "line", "column", "says"),
    [
        (
            ("lfemur -21 4 5", "lfemur -21 4"),
            11,
            1,
            "expected 3 numbers (rx ry rz) for bone 'lfemur' in frame 2, found 2",
        ),
        (
            ("lfemur -21 4 5", "lfemur -21 4 5 6 #"),
            11,
            1,
            "expected 3 numbers (rx ry rz) for bone 'lfemur' in frame 2, f",
        ),
        (("lfemur -21 4 5", "lfemur -21 nan 5"), 11, 12, "expected a number, found 'nan'"),
        (("lfemur -21 4 5", "lfemur -21 1e999 5"), 11, 12, "expected a number of at most 1e+38, found '1e999'"),
        (("\n2\n", "\n2.5\n"), 8, 1, "expected the number of a frame, found '2.5'"),
        (("\n2\n", "\n2x\n"), 8, 1, "expected the number of a frame, found '2x'"),
        (("\n2\n", "\n99999999999999999999\n"), 8, 1, "expected the number of a frame, found '9999"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_one_bad_number_does_not_lose_a_motion(load_pair, tmp_path, change, line, column, says, newline):
    with pytest.warns(FormatWarning) as caught:
        clip = load_pair(SIMPLE_ASF, SIMPLE_AMC.replace(*change, 1).replace("\n", newline))
    assert len(caught) == 1
    assert str(caught[0].message).startswith(f"{tmp_path / 'a.amc'}:{line}:{column}: {says}")
    plain = load(DATA / "simple.amc")
    femur = clip.skeleton.index("lfemur")
    assert len(clip) == 3
    assert np.array_equal(clip.rotations[[0, 2]], plain.rotations[[0, 2]])
    assert np.array_equal(np.delete(clip.rotations, femur, axis=1), np.delete(plain.rotations, femur, axis=1))
    if "rx ry rz" in says:
        assert np.array_equal(clip.rotations[1, femur], plain.rotations[0, femur])


def test_many_lines_that_do_not_fit_are_another_skeleton(load_pair):
    with pytest.raises(FormatError, match=r"a.amc:6:1: expected 3 numbers .* for bone 'lfemur' in frame 1, found 2"):
        load_pair(SIMPLE_ASF, re.sub(r"(lfemur \S+ \S+) \S+", r"\1", SIMPLE_AMC))


def test_a_motion_that_ends_within_a_frame(load_pair):
    for last in ("lowerback", "lowerback 6", "ltibia", "ltibia ", "lfemur -22 5 6\n", "root", "\n3\n", "\n3"):
        whole = SIMPLE_AMC.rindex(last) + len(last)
        with pytest.warns(FormatWarning, match=r"the file ends within frame 3, which was left out"):
            assert len(load_pair(SIMPLE_ASF, SIMPLE_AMC[:whole])) == 2, last
    with pytest.raises(FormatError, match="the file ends within its first frame"):
        load_pair(SIMPLE_ASF, SIMPLE_AMC[: SIMPLE_AMC.index("lfemur") + 8])


def test_numbers_of_a_bone_without_degrees_of_freedom(load_pair):
    plain = load(DATA / "simple.amc")
    femur = "    dof rx ry rz\n"
    assert femur in SIMPLE_ASF
    with pytest.warns(
        FormatWarning, match="'lfemur' has no degrees of freedom in its skeleton; its 3 numbers were taken"
    ):
        clip = load_pair(SIMPLE_ASF.replace(femur, ""), SIMPLE_AMC)
    assert np.array_equal(clip.rotations, plain.rotations)
    with pytest.warns(
        FormatWarning, match="'lfemur' has no degrees of freedom in its skeleton; its 2 numbers were left"
    ):
        clip = load_pair(SIMPLE_ASF.replace(femur, ""), re.sub(r"(lfemur \S+ \S+) \S+", r"\1", SIMPLE_AMC))
    assert (clip.rotations[:, clip.skeleton.index("lfemur")] == [1, 0, 0, 0]).all()


def test_bones_in_any_order_take_no_time(load_pair):
    """10,000 bones in another order in every frame once took 43 s, a hundred times as long as in their own."""
    rng = np.random.default_rng(1)
    names = [f"b{i}" for i in range(9_000)]
    bones = "".join(f"begin\nname {name}\ndof rx\nend\n" for name in names)
    asf = f":bonedata\n{bones}:hierarchy\nbegin\nroot {' '.join(names)}\nend\n"

    def loaded(order):
        frames = [f"{f + 1}\n" + "".join(f"b{i} {i}\n" for i in order(9_000)) for f in range(8)]
        start = time.process_time()
        clip = load_pair(asf, ":FULLY-SPECIFIED\n:DEGREES\n" + "".join(frames))
        return clip, time.process_time() - start

    loaded(range)  # compiles what it needs
    (plain, usual), (clip, seconds) = loaded(range), loaded(rng.permutation)
    assert seconds < 20.0 * usual
    assert np.array_equal(clip.rotations, plain.rotations)
    assert np.array_equal(clip.rotations, clip.rotations[:1].repeat(8, axis=0))


def test_bytes_that_only_kernels_take_for_blanks(tmp_path):
    """A control byte ends a word for the scanner, as it does for the complaint about the line."""
    data = Path(__file__).parent / "data"
    (tmp_path / "m.asf").write_bytes((data / "simple.asf").read_bytes())
    lines = (data / "simple.amc").read_bytes().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line[:1].isalpha() and len(line.split()) > 2)
    name = lines[at].split()[0]
    lines[at] = name + b"\x0e5\n"
    (tmp_path / "m.amc").write_bytes(b"".join(lines))
    with suppress(FormatError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load(tmp_path / "m.amc")
