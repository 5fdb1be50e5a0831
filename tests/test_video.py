"""Videos are whole or not there: what ffmpeg says counts, and only an ffmpeg that belongs to this machine is asked."""

import os
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from motiongraph.app import update
from motiongraph.errors import MotionError
from motiongraph.progress import Cancelled
from motiongraph.viewer.video import write_video


def pictures(count=3):
    rng = np.random.default_rng(1)
    return (rng.integers(0, 255, (48, 64, 3), np.uint8) for _ in range(count))


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    """ffmpeg(script): what is started instead of the real one."""

    def instead(script):
        program = tmp_path / "bin" / "ffmpeg"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))

    return instead


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.mark.parametrize("ending", ["mp4", "gif"])
def test_a_video_appears(out, ending):
    write_video(out / f"walk.{ending}", pictures(), 3, 12.5, (64, 48))
    assert [path.name for path in out.iterdir()] == [f"walk.{ending}"]
    reader = imageio_ffmpeg.read_frames(str(out / f"walk.{ending}"))
    assert next(reader)["size"] == (64, 48)
    assert len(list(reader)) == 3


# Writes half of it, then fails as on a full disk: at once, or when all pictures have come.
FULL = "for last; do :; done; echo half > $last; {} echo 'Error writing trailer: No space left on device' >&2; exit 228"


@pytest.mark.parametrize("ending", ["mp4", "gif"])
@pytest.mark.parametrize("script", [FULL.format(""), FULL.format("cat > /dev/null;"), "exit 0", "kill -9 $$"])
def test_a_video_that_failed_leaves_what_was_there(out, ffmpeg, ending, script):
    path = out / f"walk.{ending}"
    ffmpeg(script)
    for before in (None, b"an older one"):
        if before:
            path.write_bytes(before)
        with pytest.raises(MotionError, match=r"could not be made: ffmpeg (says|wrote nothing)") as caught:
            write_video(path, pictures(200), 200, 30, (64, 48))
        assert "\n" not in str(caught.value)
        assert (path.read_bytes() if path.exists() else None) == before
        assert {file.name for file in out.iterdir()} <= {path.name}


def test_a_disk_that_is_full(tmp_path):
    """The real one, on a file system of a few kilobytes."""
    small = tmp_path / "small"
    small.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        for ending in ("mp4", "gif"):
            with pytest.raises(MotionError, match=r"No space left|could not be made"):
                write_video(small / f"walk.{ending}", pictures(60), 60, 30, (64, 48))
            assert not list(small.iterdir())
    finally:
        subprocess.run(["umount", small], check=True)


def test_cancelling_ends_ffmpeg(out, ffmpeg, tmp_path):
    ffmpeg(f"echo $$ > {tmp_path / 'number'}; exec cat > /dev/null")

    def progress(done, total, what=""):
        if (tmp_path / "number").exists():
            raise Cancelled

    with pytest.raises(Cancelled):
        write_video(out / "walk.mp4", pictures(100_000), 100_000, 30, (64, 48), progress)
    assert not list(out.iterdir())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


def hostile(folder):
    """A folder whose modules and programs say so when they are run."""
    folder.mkdir()
    for name in ("numpy", "numba", "typing", "sitecustomize", "usercustomize", "json", "motiongraph"):
        (folder / f"{name}.py").write_text(f"open({str(folder / 'ran')!r}, 'a').write({name!r})\n")
    (folder / "ffmpeg").write_text(f"#!/bin/sh\necho ffmpeg >> {folder / 'ran'}\n")
    (folder / "ffmpeg").chmod(0o755)
    return folder


def test_nothing_that_lies_beside_clips_is_run(tmp_path, monkeypatch):
    folder = hostile(tmp_path / "clips")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("PYTHONSTARTUP", str(folder / "numpy.py"))
    command = update.isolated("import numpy, numba, typing, motiongraph; print(motiongraph.__file__)")
    done = subprocess.run(command, capture_output=True, text=True)
    assert Path(done.stdout.strip()).resolve() == Path(sys.modules["motiongraph"].__file__).resolve(), done.stderr
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: "ffmpeg")
    with pytest.raises(MotionError, match="videos need ffmpeg"):
        write_video(tmp_path / "walk.mp4", pictures(), 3, 30, (64, 48))
    assert not (folder / "ran").exists()


def test_every_child_process_is_isolated():
    """Whoever starts another program is listed here, and has been looked at."""
    package = Path(update.__file__).parents[1]
    starts = {path.name for path in package.rglob("*.py") if "subprocess" in path.read_text()}
    assert starts == {"update.py", "video.py"}
