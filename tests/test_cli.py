"""The command line as a person or a script meets it: what it prints where, and how it exits."""

import json
import os
import signal
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from motiongraph import __version__
from motiongraph.cli import console, main
from motiongraph.errors import FormatWarning
from motiongraph.formats.load import load

WALKER = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT LeftUpLeg
  {
    OFFSET 10 -5 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -85 0
    }
  }
  JOINT RightUpLeg
  {
    OFFSET -10 -5 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -85 0
    }
  }
  JOINT Head
  {
    OFFSET 0 60 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 20 0
    }
  }
}
MOTION
Frames: 20
Frame Time: .0083333
""" + "".join(f"0 90 {n} 0 0 0 0 0 {n} 0 0 -{n} 0 0 0\n" for n in range(20))


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """run("info", ...) → exit status, standard output, standard error; in a folder with walker.bvh, 170 cm tall."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOTIONGRAPH_DEBUG", raising=False)
    (tmp_path / "walker.bvh").write_text(WALKER)

    def command(*arguments):
        with pytest.raises(SystemExit) as exit:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        assert "Traceback" not in output.err
        return exit.value.code or 0, output.out, output.err

    return command


# ---- the program as a whole


@pytest.mark.parametrize("arguments", [["--help"], ["-h"]])
def test_help(run, arguments):
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    assert all(word in out for word in ("Usage: motiongraph", "info", "convert", "fetch", "--version"))


@pytest.mark.parametrize("command", [["view"], ["info"], ["convert"], ["fetch"], ["fetch", "cmu"]])
def test_help_of_commands(run, command):
    status, out, err = run(*command, "--help")
    assert (status, err) == (0, "")
    assert f"Usage: motiongraph {' '.join(command)}" in out


def test_version(run):
    assert run("--version") == (0, f"motiongraph {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["info", "--nonsense"],
        ["convert", "walker.bvh"],
        ["convert", "walker.bvh", "o.bvh", "--fps", "0"],
        ["convert", "walker.bvh", "o.bvh", "--fps", "nan"],
        ["convert", "walker.bvh", "o.bvh", "--frames", "5"],
        ["convert", "walker.bvh", "o.bvh", "--frames", "a:b"],
        ["convert", "walker.bvh", "o.bvh", "--frames", "1:2:3"],
        ["convert", "walker.bvh", "o.bvh", "--units", "stone"],
        ["convert", "walker.bvh", "o.bvh", "--units", "-1"],
        ["convert", "walker.bvh", "o.bvh", "--up", "w"],
        ["fetch", "cmu"],
        ["fetch", "cmu", "sixteen"],
        ["fetch", "cmu", "0"],
        ["fetch", "cmu", "16", "0"],
    ],
)
def test_wrong_usage(run, tmp_path, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "Usage: motiongraph" in err
    assert [p.name for p in tmp_path.iterdir()] == ["walker.bvh"]


def broken(*arguments, **options):
    raise ZeroDivisionError("two\nlines")


def test_a_mistake_of_ours_is_one_sentence(run, monkeypatch):
    monkeypatch.setattr("motiongraph.formats.collection.read_files", broken)
    status, out, err = run("info", "walker.bvh")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "unexpected ZeroDivisionError: two lines" in err
    assert "MOTIONGRAPH_DEBUG=1" in err


def test_debugging_shows_where(run, monkeypatch):
    monkeypatch.setattr("motiongraph.formats.collection.read_files", broken)
    monkeypatch.setenv("MOTIONGRAPH_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["info", "walker.bvh"])


def test_interrupted_is_quiet(run, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("motiongraph.formats.collection.read_files", interrupted)
    status, out, err = run("info", "walker.bvh")
    assert (status, out, err.strip()) == (130, "", "")


def test_interrupt_of_the_process(tmp_path):
    """Ctrl-C while a download waits for a server that never answers."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-m", "motiongraph", "fetch", "cmu", "16", "1", "--url", url],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        silent.settimeout(120)
        connection, _ = silent.accept()  # it is inside fetch_cmu now
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        connection.close()
    assert (process.returncode, out, err.strip()) == (130, "", "")


def test_warnings_are_said_once_each(run, monkeypatch):
    def odd(*arguments, **options):
        for text in ("a.bvh: odd", "b.bvh: odd\ntoo", "a.bvh: odd"):
            warnings.warn(text, FormatWarning, stacklevel=2)
        return []

    monkeypatch.setattr("motiongraph.formats.collection.read_files", odd)
    status, _, err = run("info", "walker.bvh")
    assert status == 0
    assert err == "motiongraph: warning: a.bvh: odd\nmotiongraph: warning: b.bvh: odd too\n"


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    with console.progress_bar() as progress:
        progress(1, 2, "half")
    assert capsys.readouterr() == ("", "")

    class Terminal:
        def __init__(self):
            self.text = ""

        def write(self, text):
            self.text += text

        def flush(self):
            pass

        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress_bar() as progress:
        progress(1, 2, "half [way]")
    assert "half [way]" in terminal.text
    assert capsys.readouterr().out == ""


# ---- info


def test_info_table(run):
    status, out, err = run("info", "walker.bvh")
    assert (status, err) == (0, "")
    header, _, row = (" ".join(line.split()) for line in out.strip().splitlines())
    assert header == "name format frames Hz seconds joints height units up"
    assert row == "walker bvh 20 120 0.17 7 1.70 m cm (guessed) y"


def test_info_json(run, tmp_path):
    status, out, err = run("info", "--json", tmp_path)
    assert (status, err) == (0, "")
    report = json.loads(out)
    (clip,) = report["clips"]
    assert report["failed"] == []
    assert clip["path"] == str(tmp_path / "walker.bvh")
    assert {k: clip[k] for k in ("name", "format", "frames", "fps", "joints", "up", "first", "labels", "notes")} == {
        "name": "walker",
        "format": "bvh",
        "frames": 20,
        "fps": 120.0,
        "joints": 7,
        "up": "y",
        "first": 0,
        "labels": {},
        "notes": [],
    }
    assert clip["height"] == pytest.approx(1.7)
    assert clip["seconds"] == pytest.approx(20 / 120)
    assert (clip["units"], clip["metres_per_unit"]) == ("cm (guessed)", 0.01)


def test_info_units_can_be_told(run):
    status, out, _ = run("info", "--json", "--units", "inch", "walker.bvh")
    (clip,) = json.loads(out)["clips"]
    assert (status, clip["units"]) == (0, "inch")
    assert clip["height"] == pytest.approx(170 * 0.0254)


def test_info_goes_on_past_files_that_fail(run, tmp_path):
    (tmp_path / "picture.bvh").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "cut.bvh").write_text(WALKER[:200])
    status, out, err = run("info", "--json", ".", "nowhere", "nowhere.bvh")
    report = json.loads(out)
    assert status == 1
    assert [clip["name"] for clip in report["clips"]] == ["walker"]
    assert sorted(failure["path"] for failure in report["failed"]) == [
        "cut.bvh",
        "nowhere",
        "nowhere.bvh",
        "picture.bvh",
    ]
    assert sorted(err.splitlines()) == sorted(f"motiongraph: {failure['error']}" for failure in report["failed"])
    assert all(failure["error"].startswith(failure["path"]) for failure in report["failed"])


def test_info_of_nothing_readable(run, tmp_path):
    (tmp_path / "empty").mkdir()
    status, out, err = run("info", "empty")
    assert (status, out, err.count("\n")) == (1, "", 1)


def test_info_shows_more_clips_than_are_loaded_at_once(run, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    for n in range(8):
        (tmp_path / f"walker{n}.bvh").write_text(WALKER)
    status, out, _ = run("info", "--json", ".")
    names = [clip["name"] for clip in json.loads(out)["clips"]]
    assert (status, names) == (0, ["walker", *(f"walker{n}" for n in range(8))])


def test_info_table_in_a_pipe_is_not_cut_off(run, tmp_path):
    name = "a_very_long_name_" * 12
    (tmp_path / f"{name}.bvh").write_text(WALKER)
    _, out, _ = run("info", f"{name}.bvh")
    assert f"{name} " in out


@pytest.mark.long
def test_info_of_every_real_file(run, mocap):
    """A person is 1.3 to 2.1 m tall along the bones (CMU's BVH lack one); 94 BVH and 68 AMC files."""
    status, out, err = run("info", "--json", mocap / "cmu")
    report = json.loads(out)
    assert (status, err, report["failed"]) == (0, "", [])
    clips = report["clips"]
    assert len(clips) == len([p for p in (mocap / "cmu").rglob("*") if p.suffix in (".bvh", ".amc")]) > 100
    assert [clip["name"] for clip in clips if not 1.3 <= clip["height"] <= 2.1] == []
    assert {clip["fps"] for clip in clips} == {120.0}
    assert sum(clip["frames"] for clip in clips if clip["format"] == "bvh") == 78_840


def test_info_of_a_skeleton_alone(run, mocap):
    status, out, _ = run("info", "--json", mocap / "cmu/asf_amc/16/16.asf", mocap / "cmu/asf_amc/16/16_15.amc")
    skeleton, clip = json.loads(out)["clips"]
    assert status == 0
    assert (skeleton["format"], skeleton["frames"], skeleton["fps"]) == ("asf", 0, None)
    assert clip["format"] == "amc"
    for same in ("joints", "height", "units", "metres_per_unit", "up"):
        assert skeleton[same] == clip[same]


# ---- convert


def test_convert_to_the_same_format(run, tmp_path):
    status, out, err = run("convert", "walker.bvh", "again.bvh")
    assert (status, out) == (0, "")
    assert err == "motiongraph: wrote again.bvh: 20 frames, 120 Hz, 0.17 s\n"
    np.testing.assert_allclose(load("again.bvh").positions(), load("walker.bvh").positions(), atol=1e-9)


def test_convert_cuts_then_mirrors_then_resamples(run):
    run("convert", "walker.bvh", "out.bvh", "--frames", "4:13", "--mirror", "--fps", "30")
    made, expected = load("out.bvh"), load("walker.bvh")[4:13].mirrored().resampled(30)
    assert (len(made), made.fps) == (3, 30.0)
    np.testing.assert_allclose(made.positions(), expected.positions(), atol=1e-5)
    left, right = (made.skeleton.index(f"{side}UpLeg_end") for side in ("Left", "Right"))
    assert (
        made.positions()[-1, left, 2] > made.positions()[-1, right, 2] + 0.1
    )  # in walker.bvh it is the other way round


@pytest.mark.parametrize(("frames", "count"), [("5:", 15), (":5", 5), ("-5:", 5), (":", 20), (":-5", 15)])
def test_frames(run, frames, count):
    run("convert", "walker.bvh", "out.bvh", f"--frames={frames}")
    assert len(load("out.bvh")) == count


def test_convert_with_units_and_axis(run):
    run("convert", "walker.bvh", "out.glb", "--units", "inch", "--up", "y")
    header = (Path("out.glb")).read_bytes()[:12]
    assert header[:4] == b"glTF"
    assert int.from_bytes(header[8:12], "little") == Path("out.glb").stat().st_size


def test_convert_real_amc_at_another_rate(run, mocap):
    trial = mocap / "cmu/asf_amc/16/16_15.amc"
    status, _, err = run("convert", trial, "out.amc", "--rate", "60", "--skeleton", trial.with_name("16.asf"))
    assert (status, err) == (0, "motiongraph: wrote out.amc and out.asf: 471 frames, 60 Hz, 7.85 s\n")
    np.testing.assert_allclose(load("out.amc").positions(), load(trial).positions(), atol=1e-5)


def test_nothing_is_overwritten_without_force(run, tmp_path):
    taken = tmp_path / "taken.bvh"
    taken.write_text("mine")
    assert run("convert", "walker.bvh", "taken.bvh") == (
        1,
        "",
        "motiongraph: taken.bvh is there already; --force overwrites it\n",
    )
    assert taken.read_text() == "mine"
    assert run("convert", "walker.bvh", "taken.bvh", "--force")[0] == 0
    assert len(load(taken)) == 20


def test_the_skeleton_of_an_amc_is_not_overwritten_either(run, tmp_path):
    (tmp_path / "out.asf").write_text("mine")
    status, _, err = run("convert", "walker.bvh", "out.amc")
    assert (status, err.count("\n")) == (1, 1)
    assert (tmp_path / "out.asf").read_text() == "mine"
    assert not (tmp_path / "out.amc").exists()


@pytest.mark.parametrize(
    ("source", "target", "more"),
    [
        ("nowhere.bvh", "o.bvh", []),
        ("walker.bvh", "o.txt", []),
        ("walker.bvh", "o", []),
        ("walker.bvh", "nowhere/o.bvh", []),
        ("walker.bvh", "o.bvh", ["--frames", "30:40"]),
        (".", "o.bvh", []),
    ],
)
def test_convert_that_cannot_be_done(run, tmp_path, source, target, more):
    status, out, err = run("convert", source, target, *more)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "unexpected" not in err
    assert [p.name for p in tmp_path.iterdir()] == ["walker.bvh"]


# ---- fetch (what is downloaded how: test_fetch.py)


def test_fetch_without_a_server(run):
    with socket.socket() as reserved:  # bound but not listening: connections are refused
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        status, out, err = run("fetch", "cmu", "16", "15", "--url", url)
    assert (status, out, err) == (1, "", f"motiongraph: {url} cannot be reached: Connection refused\n")


def test_fetch_says_what_there_is(run, tmp_path):
    folder = tmp_path / "16"
    folder.mkdir()
    for name in ("16.asf", "16_15.amc", "16_17.amc"):
        (folder / name).write_text("there already")
    status, out, err = run("fetch", "cmu", "16", "15", "17", "-o", folder)
    assert (status, out) == (0, "")
    assert f"{folder} has the skeleton and 2 trials of subject 16, 3 files were there already" in err


# ---- the window


def test_a_file_in_place_of_a_command_is_opened(run, monkeypatch):
    from motiongraph.viewer import start

    opened = []
    monkeypatch.setattr(start, "view", opened.append)
    assert [run(*words)[0] for words in (["walker.bvh"], [".", "walker.bvh"], ["view", "walker.bvh"], [])] == [0] * 4
    assert opened == [[Path("walker.bvh")], [Path("."), Path("walker.bvh")], [Path("walker.bvh")], ()]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [("wlak", "No such command 'wlak'"), ("wlak.bvh", "wlak.bvh: there is no such file or folder")],
)
def test_neither_a_command_nor_a_file(run, word, sentence):
    status, out, err = run(word)
    assert (status, out) == (2, "")
    assert sentence in err


# ---- the environment


@pytest.mark.skipif(os.name == "nt", reason="bash")
@pytest.mark.parametrize("script", ["scripts/run", "scripts/test", ".ci/run"])
def test_scripts_parse(script):
    subprocess.run(["bash", "-n", ROOT / script], check=True)
    assert os.access(ROOT / script, os.X_OK)


@pytest.mark.parametrize("there", ["16.amc", "16.asf", "played.txt"])
def test_walk_replaces_nothing_without_force(run, tmp_path, there):
    """An .amc brings its .asf, and a captured 16.asf is not to be lost; looked at before any work is done."""
    (tmp_path / there).write_text("captured")
    status, out, err = run("walk", "none.mgraph", "random", "-o", "16.amc", "--log", "played.txt")
    assert (status, out, err) == (1, "", f"motiongraph: {there} is there already; --force overwrites it\n")
    assert (tmp_path / there).read_text() == "captured"
    status, _, err = run("walk", "none.mgraph", "random", "-o", "16.amc", "--force")
    assert status == 1
    assert "none.mgraph: cannot be read" in err


def test_control_characters_do_not_reach_the_terminal(run, tmp_path):
    name = "a\x1b[31m\x07\u009b5m.bvh"
    (tmp_path / name).write_text(WALKER)
    (tmp_path / f"bad{name}").write_text("nonsense")
    _, out, err = run("info", name, f"bad{name}")
    assert not [letter for letter in out + err if not letter.isprintable() and letter != "\n"]
    assert "a\\x1b[31m\\x07" in out
    assert "bada\\x1b[31m" in err


def test_sentences_have_an_end(run, capsys):
    console.say("x" * 100_000)
    assert len(capsys.readouterr().err) < 2100
    console.say("two\nlines\x00")
    assert capsys.readouterr().err == "motiongraph: two lines\\x00\n"


def test_names_that_are_no_letters(run, tmp_path):
    name = os.fsdecode(b"w\xe4lk.bvh")
    (tmp_path / name).write_text(WALKER)
    status, out, err = run("info", name)
    assert (status, err) == (0, "")
    assert "w\\udce4lk" in out
