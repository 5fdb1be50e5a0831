"""Files appear whole or not at all, keep what people set on them, and only plain files are read."""

import os
import stat
import subprocess
import sys
import time

import pytest

from motiongraph import files
from motiongraph.errors import FormatError, MotionError
from motiongraph.files import borrowed_bytes, read_bytes, read_text, write_together, writing

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX systems")


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    with writing(path, "w") as file:
        file.write("hello")
        assert not path.exists()
    assert path.read_text() == "hello"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, MotionError])
def test_what_was_there_stays_when_writing_fails(tmp_path, problem):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(problem), writing(path, "w") as file:  # noqa: PT012
        file.write("new")
        raise problem("no")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_problems_of_the_file_system_are_one_sentence(tmp_path):
    with (
        pytest.raises(MotionError, match=r"nowhere/a\.txt: cannot be written: No such file"),
        writing(tmp_path / "nowhere/a.txt"),
    ):
        pass
    with pytest.raises(MotionError, match="there is a folder of that name"), writing(tmp_path):
        pass


@posix
def test_permissions_are_kept(tmp_path):
    path = tmp_path / "a.txt"
    path.touch()
    for mode in (0o600, 0o640, 0o755):
        path.chmod(mode)
        with writing(path, "w") as file:
            file.write("new")
        assert mode_of(path) == mode
    with writing(tmp_path / "b.txt") as file:
        file.write(b"new")
    assert mode_of(tmp_path / "b.txt") == 0o666 & ~files._UMASK


@posix
def test_symbolic_links_stay(tmp_path):
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far/real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to("far/real.txt")
    with writing(link, "w") as file:
        file.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert os.listdir(tmp_path / "far") == ["real.txt"]


def test_content_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    order = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("sync"), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("rename"), replace(a, b)))
    with writing(tmp_path / "a.txt", "w") as file:
        file.write("hello")
    assert order == ["sync", "rename"]


@posix
def test_parts_of_killed_runs_are_removed(tmp_path):
    code = (
        "import os, sys, signal\nfrom motiongraph.files import writing\n"
        "with writing(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.txt")])
    (part,) = os.listdir(tmp_path)
    assert part.endswith(".part")
    (tmp_path / ".mine.12345678.part").write_text("not ours")
    with writing(tmp_path / "b.txt"):
        pass
    assert part in os.listdir(tmp_path), "it could be in use"
    before = time.time() - 3600
    os.utime(tmp_path / part, (before, before))
    with writing(tmp_path / "c.txt") as file:
        own = file.name
        names = [name for name in os.listdir(tmp_path) if name.endswith(".motiongraph.part")]
        assert part not in names
        os.utime(tmp_path / names[0], (before, before))
        with writing(tmp_path / "d.txt"):  # another run: what is open is in use, however old
            assert names[0] in os.listdir(tmp_path), own
    assert sorted(os.listdir(tmp_path)) == [".mine.12345678.part", "b.txt", "c.txt", "d.txt"]


def test_files_that_belong_together(tmp_path, monkeypatch):
    a, b = tmp_path / "a.asf", tmp_path / "a.amc"
    write_together({a: "one", b: "two"})
    assert (a.read_text(), b.read_text()) == ("one", "two")

    renames, replace = [], os.replace

    def fail_at_the_second(part, target):
        renames.append(target)
        if len(renames) == 2:
            raise PermissionError(13, "Permission denied")
        replace(part, target)

    monkeypatch.setattr(os, "replace", fail_at_the_second)
    with pytest.raises(MotionError, match="Permission denied"):
        write_together({a: "three", b: "four"})
    assert (a.read_text(), b.read_text()) == ("one", "two")
    b.unlink()
    a.unlink()
    renames.clear()
    with pytest.raises(MotionError, match="Permission denied"):
        write_together({a: "three", b: "four"})
    assert os.listdir(tmp_path) == []


def test_nothing_but_renaming_comes_between_two_files(tmp_path, monkeypatch):
    """Both are whole and on the disk before the first gets its name: a kill has no time to come between."""
    order = []
    for name in ("fsync", "replace", "chmod"):
        call = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, name=name, call=call: (order.append(name), call(*args)))
    write_together({tmp_path / "a": "x" * 100_000, tmp_path / "b": "y"})
    assert order[-2:] == ["replace", "replace"]
    assert order.count("replace") == 2


@posix
def test_only_plain_files_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FormatError, match="is a pipe or a device; expected a file"):
        read_bytes(pipe)
    with pytest.raises(FormatError, match="is a pipe or a device"):
        read_bytes("/dev/zero")
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        read_bytes(tmp_path)
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_bytes(tmp_path / "none")
    with pytest.raises(FormatError, match="cannot be read: embedded null"):
        read_bytes("a\0b")


def test_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_text(path, "utf-8-sig") == "one\ntwo\nthree\n"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="is not a text file in UTF-8"):
        read_text(path)
    with pytest.raises(FormatError, match="is too large: 2 bytes, and at most 1 make sense"):
        read_text(path, most=1)


def test_borrowed_memory_holds_one_file_at_a_time(tmp_path):
    for name, content in (("long", b"x" * 5000), ("short", b"yz"), ("empty", b""), ("longer", b"w" * 9000)):
        (tmp_path / name).write_bytes(content)
        with borrowed_bytes(tmp_path / name) as found:
            assert found == content
            with borrowed_bytes(tmp_path / "long") as other:  # as a skeleton beside a motion
                assert other is not found
                assert other == b"x" * 5000
            assert found == content
    view = memoryview(found)  # someone who goes on looking keeps what he looks at
    with borrowed_bytes(tmp_path / "short") as found:
        assert found == b"yz"
    assert len(view) in (9000, 2)
    with pytest.raises(FormatError, match="cannot be read"), borrowed_bytes(tmp_path / "none"):
        pass
