"""Files that are not what they should be: one sentence with file, line and column, soon, and in little memory."""

import os
import re
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import pytest
from counting import counted

from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats.load import load

DATA = Path(__file__).parent / "data"
BVH = (DATA / "person.bvh").read_text()
ASF, AMC = (DATA / "simple.asf").read_text(), (DATA / "simple.amc").read_text()
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")


@pytest.fixture
def attempt(tmp_path):
    """Load what is handed in and give back the FormatError, held to its form; anything else is a failure."""

    def attempt(name, content, asf=None, place=True, traced=True):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if asf is not None:
            path.with_suffix(".asf").write_bytes(asf if isinstance(asf, bytes) else asf.encode())
        size = sum(f.stat().st_size for f in tmp_path.iterdir())
        if traced:  # which makes loading many times slower
            tracemalloc.start()
        try:
            with pytest.raises(FormatError) as caught:
                load(path)
            assert tracemalloc.get_traced_memory()[1] < 64 * 2**20 + 10 * size
        finally:
            tracemalloc.stop()
        error = caught.value
        assert "\n" not in str(error)
        assert len(str(error)) < 400 + len(str(path))
        if place:
            assert error.line >= 1
            assert error.column >= 1
            assert str(error) == f"{error.path}:{error.line}:{error.column}: {error.message}"
            lines = Path(error.path).read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
            assert error.line <= len(lines)
        assert Path(error.path) in (path, path.with_suffix(".asf"))
        return error

    return attempt


def test_empty_files(attempt):
    for content in ("", " \n\t\r\n", "\ufeff"):
        assert attempt("a.bvh", content, place=False).message == "the file is empty"
        assert attempt("a.amc", content, ASF, place=False).message == "the file is empty"
        assert attempt("a.amc", AMC, content, place=False).message == "the file is empty"


def test_pictures_archives_and_bytes(attempt):
    for content, says in ((PNG, "PNG picture"), (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"), (b"PK\x03\x04\x14\0", "zip")):
        assert says in attempt("a.bvh", content).message
        assert says in attempt("a.amc", content, ASF).message
        assert says in attempt("a.amc", AMC, content).message
    noise = bytes(range(256)) * 400
    for content in (noise, noise[1:], noise.replace(b"\0", b""), b"\xff" * 1000, b"\x80\x81\x82"):
        attempt("a.bvh", content)
        attempt("a.amc", content, ASF)
        attempt("a.amc", AMC, content)


def test_formats_taken_for_each_other(attempt):
    assert "expected HIERARCHY" in attempt("a.bvh", AMC).message
    assert "expected HIERARCHY" in attempt("b.bvh", ASF).message
    assert "'HIERARCHY' is not in the skeleton" in attempt("a.amc", BVH, ASF).message
    assert "expected a section such as :version" in attempt("a.amc", AMC, BVH).message
    attempt("a.amc", AMC, AMC)
    attempt("a.amc", ASF, ASF)


@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_files_cut_off_anywhere(tmp_path):
    """Every prefix loads the whole frames there are, or says where it stopped."""
    loaded = 0
    for cut in range(0, len(BVH), 3):
        path = tmp_path / "a.bvh"
        path.write_text(BVH[:cut])
        if cut < BVH.index("\n1.5 95.25") - 1:
            with pytest.raises(FormatError) as caught:
                load(path)
            assert caught.value.line is not None or cut == 0
        else:
            assert 1 <= len(load(path)) <= 4
            loaded += 1
    assert loaded > 100


@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_skeletons_and_motions_cut_off_anywhere(tmp_path):
    (tmp_path / "a.amc").write_text(AMC)
    for cut in range(0, len(ASF) - len("end\n"), 2):
        (tmp_path / "a.asf").write_text(ASF[:cut])
        with pytest.raises(FormatError) as caught:
            load(tmp_path / "a.amc")
        assert caught.value.line is not None or cut == 0
    (tmp_path / "a.asf").write_text(ASF)
    failed = []
    for cut in range(len(AMC)):
        (tmp_path / "a.amc").write_text(AMC[:cut])
        try:
            assert 1 <= len(load(tmp_path / "a.amc")) <= 3
        except FormatError as error:
            failed.append(error)
    assert all(error.line is not None for error in failed[1:])
    assert 100 < len(failed) < len(AMC) - 20


def test_numbers_that_are_none(attempt, tmp_path):
    for word in (
        "nan",
        "NaN",
        "inf",
        "-inf",
        "infinity",
        "1e999",
        "-1e400",
        "0x1F",
        "1_0",
        "1,5",
        "1.5.2",
        "--3",
        "zwei",
    ):
        (tmp_path / "b.bvh").write_text(BVH.replace("1.5 95.25", f"1.5 {word}"))
        with pytest.warns(FormatWarning, match=f":63:5: .*{word}"):
            load(tmp_path / "b.bvh")
        error = attempt("a.bvh", BVH.replace("OFFSET 9 -8 1", f"OFFSET 9 {word} 1"))
        assert (error.line, error.column) == (8, 12)
        (tmp_path / "b.amc").write_text(AMC.replace("lfemur -21 4 5", f"lfemur -21 {word} 5"))
        (tmp_path / "b.asf").write_text(ASF)
        with pytest.warns(FormatWarning, match=f":11:12: .*{word}"):
            load(tmp_path / "b.amc")
        error = attempt("a.amc", AMC, ASF.replace("direction 0 1 0", f"direction 0 {word} 0"))
        assert error.column == 17
        assert word in error.message


def test_too_few_and_too_many_numbers(attempt):
    rows = BVH.split("\n")
    for change in (lambda r: r.rsplit(" ", 1)[0], lambda r: r + " 1", lambda r: r + " 1 2 3"):
        changed = [*rows[:62], change(rows[62]), change(rows[63]), *rows[64:]]
        error = attempt("a.bvh", "\n".join(changed))
        assert error.line == 63
        assert "frame 1 should be a line of 30 numbers" in error.message
    attempt("a.amc", re.sub("ltibia 3.", "ltibia", AMC), ASF)
    attempt("a.amc", re.sub("ltibia 3.", "ltibia 31 2", AMC), ASF)


def test_a_hierarchy_that_never_closes(attempt):
    error = attempt("a.bvh", BVH.replace("}\nMOTION", "MOTION"))
    assert error.message == "expected OFFSET, CHANNELS, JOINT, End Site or '}' inside 'Hips', found 'MOTION'"
    error = attempt("a.bvh", BVH[: BVH.index("MOTION")].replace("}", ""))
    assert "found the end of the file" in error.message
    error = attempt("a.bvh", BVH.replace("}\nMOTION", "}}\nMOTION"))
    assert error.message == "expected MOTION, found '}'"


@pytest.mark.parametrize("closed", [True, False])
def test_nesting_a_hundred_thousand_deep(attempt, closed):
    joint = "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    text = "HIERARCHY\n" + joint.replace("JOINT", "ROOT") + joint * 100_000 + "}" * (100_001 * closed)
    text += "\nMOTION\nFrames: 1\nFrame Time: 0.01\n" + "0 " * 300_003
    error = attempt("a.bvh", text, traced=False)
    assert error.message == "more than 10,000 joints"
    assert error.line == 3 + 4 * 10_000 - 1
    attempt("a.bvh", "HIERARCHY\n" + "{" * 100_000)
    attempt("a.bvh", "HIERARCHY\nROOT r\n" + "{" * 100_000)
    attempt("a.amc", AMC, ASF.replace("begin", "begin " * 100_000), traced=False)
    attempt("a.amc", AMC, ASF.replace("dof rx", "limits " + "(" * 100_000), traced=False)


def test_nine_thousand_deep_is_only_a_long_chain(tmp_path):
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n" for i in range(9000))
    text = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n{joints}{'}' * 9001}\n"
    (tmp_path / "a.bvh").write_text(f"{text}MOTION\nFrames: 1\nFrame Time: .01\n1 2 3\n")
    assert len(load(tmp_path / "a.bvh").skeleton) == 9001


def test_ten_thousand_joints_of_one_name_are_soon_told_apart(tmp_path):
    for one in ("JOINT a\n{\nOFFSET 0 1 0\n}\n", "End Site\n{\nOFFSET 0 1 0\n}\n"):
        text = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n{one * 9_900}}}\n"
        (tmp_path / "a.bvh").write_text(f"{text}MOTION\nFrames: 1\nFrame Time: .01\n1 2 3\n")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            clip = load(tmp_path / "a.bvh")
        assert len(set(clip.skeleton.names)) == 9_901
        assert len(caught) == ("JOINT" in one)


def test_a_billion_of_anything(attempt, tmp_path):
    for count in ("1000000000", "1e9", "999999999999999999999999", "1e30"):
        (tmp_path / "a.bvh").write_text(BVH.replace("Frames: 4", f"Frames: {count}"))
        with pytest.warns(UserWarning, match=r"but holds 4; the 4 whole frames were loaded"):
            assert len(load(tmp_path / "a.bvh")) == 4
        head = BVH[: BVH.index("0 96 0")].replace("Frames: 4", f"Frames: {count}")
        assert "no whole frame" in attempt("a.bvh", head).message
        attempt("a.bvh", BVH.replace("CHANNELS 6", f"CHANNELS {count}"))
        (tmp_path / "a.asf").write_text(ASF.replace("id 1", f"id {count}"))
        (tmp_path / "a.amc").write_text(AMC)
        assert len(load(tmp_path / "a.amc")) == 3
    (tmp_path / "a.amc").write_text(AMC.replace("\n2\n", "\n1000000000\n"))
    with pytest.warns(UserWarning, match="frame 1000000000 follows frame 1"):
        load(tmp_path / "a.amc")


@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_joints_that_cost_the_file_nothing_do_not_cost_the_machine_everything(attempt):
    """10,000 joints without channels and 400,000 frames of two bytes would be 128 GB of poses."""
    joints = "JOINT j\n{\nOFFSET 0 1 0\n}\n" * 9_999
    text = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n{joints}}}\nMOTION\nFrames: 1\nFrame Time: 1\n"
    error = attempt("a.bvh", text + "0\n" * 400_000, traced=False)
    assert error.message == "400,000 frames of 10,000 joints are too many for a file of this size"
    bones = "".join(f"begin\nname b{i}\ndof rx ry rz\nend\n" for i in range(9_000))
    asf = f":bonedata\n{bones}:hierarchy\nbegin\nroot {' '.join(f'b{i}' for i in range(9_000))}\nend\n"
    amc = "".join(f"{i}\nb0 1 2 3\n" for i in range(50_000))
    error = attempt("a.amc", amc, asf, traced=False)
    assert "frames of 9,001 bones in a file of this size" in error.message


@pytest.mark.long
def test_words_without_end(attempt):
    long = "x" * 2_000_000
    for content in (long, f"HIERARCHY {long}", BVH.replace("Hips", long).replace("OFFSET", "OFSET", 1)):
        attempt("a.bvh", content)
    attempt("a.bvh", BVH.replace("\n1.5 ", f"\n{'1' * 2_000_000}x ").replace("\n3.25 ", f"\n{'1' * 2_000_000} "))
    attempt("a.bvh", BVH.replace("Frames: 4", "Frames: " + "9" * 2_000_000))
    attempt("a.amc", long, ASF)
    attempt("a.amc", AMC, ":" + long)
    attempt("a.amc", " " * 2_000_000 + "x", ASF)
    attempt("a.amc", AMC, ":documentation " + ": " * 300_000, traced=False)
    attempt("a.bvh", "\n" * 2_000_000 + "x")


def test_cycles_and_strangers_in_a_hierarchy(attempt):
    assert "runs in a circle" in attempt("a.amc", AMC, ASF.replace("root lfemur lowerback", "ltibia lfemur")).message
    assert "'nobody'" in attempt("a.amc", AMC, ASF.replace("lfemur ltibia\n", "lfemur nobody\n")).message
    assert "two parents" in attempt("a.amc", AMC, ASF.replace("lfemur ltibia\n", "lfemur lowerback\n")).message


def test_bones_of_another_skeleton(attempt):
    error = attempt("a.amc", AMC.replace("ltibia", "LeftLeg"), ASF)
    assert error.message.startswith("bone 'LeftLeg' is not in the skeleton ")
    assert (error.line, error.column) == (7, 1)


def test_things_that_are_no_files(tmp_path):
    (tmp_path / "folder.bvh").mkdir()
    (tmp_path / "loop.bvh").symlink_to("loop.bvh")
    (tmp_path / "dangling.amc").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.bvh")
    for name, says in {
        "folder.bvh": "is a folder; expected a .bvh, .amc, .glb, .gltf, .vrm or .npz file",
        "missing.bvh": "cannot be read: No such file or directory",
        "missing.amc": "cannot be read: No such file or directory",
        "no/such/folder.amc": "cannot be read: No such file or directory",
        "loop.bvh": "cannot be read: Too many levels of symbolic links",
        "dangling.amc": "cannot be read: No such file or directory",
        "pipe.bvh": "is a pipe or a device; expected a file",
        "x" * 300 + ".bvh": "cannot be read: File name too long",
    }.items():
        with pytest.raises(FormatError, match=re.escape(says)):
            load(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read(tmp_path):
    (tmp_path / "a.bvh").write_text(BVH)
    (tmp_path / "a.bvh").chmod(0)
    with pytest.raises(FormatError, match="cannot be read: Permission denied"):
        load(tmp_path / "a.bvh")


def test_files_that_may_not_be_read_say_so(monkeypatch):
    """As root nothing is forbidden, so the system's answer is made up."""

    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(FormatError, match=r"person.bvh: cannot be read: Permission denied"):
        load(DATA / "person.bvh")


@pytest.mark.long
def test_little_memory_is_enough_for_the_worst(tmp_path):
    """In a process that may have 400 MB on top of the program itself no file of a megabyte does harm."""
    deep = "HIERARCHY\n" + "ROOT r\n{\nOFFSET 0 0 0\n" + "JOINT j\n{\nOFFSET 0 0 0\n" * 50_000
    joints = "JOINT j\n{\nOFFSET 0 1 0\n}\n" * 9_999
    wide = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n{joints}}}\nMOTION\nFrames: 1\nFrame Time: 1\n"
    bones = "".join(f"begin\nname b{i}\ndof rx ry rz\nend\n" for i in range(9_000))
    files = {
        "deep.bvh": deep,
        "wide.bvh": wide + "0\n" * 400_000,
        "many.bvh": BVH.replace("Frames: 4", "Frames: 1000000000")[: BVH.index("0 96 0")],
        "noise.bvh": bytes(range(1, 256)) * 4_000,
        "wide.amc": "".join(f"{i}\nb0 1 2 3\n" for i in range(50_000)),
        "words.amc": "begin " * 200_000,
    }
    (tmp_path / "only.asf").write_text(
        f":bonedata\n{bones}:hierarchy\nbegin\nroot {' '.join(f'b{i}' for i in range(9_000))}\nend\n"
    )
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    code = (
        "import sys, resource; from motiongraph.formats.load import load\n"
        "from motiongraph.errors import FormatError\n"
        "load(sys.argv[1])\n"
        "now = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (now + 400 * 2**20,) * 2)\n"
        "for path in sys.argv[2:]:\n"
        "    try: load(path)\n"
        "    except FormatError as error: print(error.message)\n"
    )
    arguments = [str(DATA / "person.bvh"), *(str(tmp_path / name) for name in files)]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(files)


@pytest.mark.long
def test_a_million_bones_are_refused_at_once(attempt):
    """Not one more is read: as many calls are made as for a file of 20,000."""

    def calls(bones):
        content = "begin\nid 1\nname b\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend\n" * bones
        with counted("motiongraph") as count:
            error = attempt("a.amc", AMC, f":bonedata\n{content}", traced=False)
        assert error.message == "more than 10,000 bones"
        return count()

    calls(20_000)  # what is compiled or loaded once is not counted
    assert calls(1_000_000) == calls(20_000)


def test_no_file_makes_a_sentence_of_pages():
    assert len(str(FormatError("a.mgraph", "is damaged: align is 'planar', not " + "x" * 5000))) < 400
