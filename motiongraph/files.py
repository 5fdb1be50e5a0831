"""Reading and writing files safely: files appear whole or not at all, and only plain files are read.

Standard library only.
"""

import io
import os
import re
import secrets
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from motiongraph.errors import FormatError, MotionError

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be deleted anyway
    fcntl = None

# Asking for the mask means setting it, which other threads would notice: once, before there are any.
_UMASK = os.umask(0)
os.umask(_UMASK)

_HERE = Path(__file__).resolve().parent
# In a wheel they are packed beside this file (pyproject.toml); in a checkout they stand at its root.
_RESOURCES = (_HERE / "_data", _HERE.parent)

_ENDING = ".motiongraph.part"
_PART = re.compile(r"\..{1,40}\.[a-z0-9_]{8}" + re.escape(_ENDING), re.DOTALL)
_spare = threading.local()  # memory for `borrowed_bytes`
_MOST_SPARE = 1 << 24  # bytes of it that are kept
_ABANDONED = 60.0  # seconds after which a part that nobody holds is left over from a run that was killed


def resource(name: str) -> Path:
    """A file or folder that comes with the program, such as "assets/captured" or "shaders/floor.frag"."""
    for place in _RESOURCES:
        if (place / name).exists():
            return place / name
    raise MotionError(f"{name!r} did not come with this installation of motiongraph; install it again")


def open_plain(path: str | os.PathLike) -> io.BufferedReader:
    """A file opened for reading, or a FormatError that says why it cannot be: no pipe, no device, no folder."""
    try:
        # Not to wait for a pipe that nobody writes to, nor to read a device that never ends.
        file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))  # noqa: SIM115
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from problem
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise FormatError(path, "is a pipe or a device; expected a file")
    return file


def read_bytes(path: str | os.PathLike, most: int | None = None) -> bytes:
    """The content of a file, or a FormatError that says why it cannot be read; most: bytes it may have."""
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise FormatError(path, f"is too large: {size:,} bytes, and at most {most:,} make sense")
        try:
            return file.read()
        except OSError as problem:
            raise unreadable(path, problem) from problem


@contextmanager
def borrowed_bytes(path: str | os.PathLike) -> Iterator[bytearray]:
    """The content of a file, good until the block ends: memory that earlier files of this thread were read into.

    Fresh memory takes longer to get from the system than a file that is in its cache takes to read.
    """
    content: bytearray = _spare.__dict__.pop("content", None) or bytearray()
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            content[size:] = bytes(max(size - len(content), 0))
        except BufferError:  # someone still looks at it
            content = bytearray(size)
        try:
            content[file.readinto(content) :] = file.read()
        except OSError as problem:
            raise unreadable(path, problem) from problem
    yield content
    if len(content) <= _MOST_SPARE:
        _spare.content = content


def read_text(path: str | os.PathLike, encoding: str = "utf-8", most: int | None = None) -> str:
    """The content of a text file, or a FormatError that says why it cannot be read; lines end with \\n."""
    try:
        return read_bytes(path, most).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as problem:
        raise FormatError(path, f"is not a text file in UTF-8: {problem.reason}") from problem


def unreadable(path: str | os.PathLike, problem: Exception) -> FormatError:
    """For what the file system says of a path, or Python of its letters."""
    return FormatError(path, f"cannot be read: {getattr(problem, 'strerror', None) or problem}")


@contextmanager
def writing(path: str | os.PathLike, mode: str = "wb", durable: bool = True, **options: Any) -> Iterator[IO[Any]]:
    """An open temporary file beside `path` that takes its name when the block ends well and vanishes otherwise.

    A file that is replaced keeps its permissions, and a symbolic link stays one. durable: wait until the content is on
    the disk. Problems of the file system (no such folder, no permission, disk full) are raised as a MotionError.
    """
    with _parts_of([Path(path)], mode, durable, options) as (file,):
        yield file


def write_together(texts: Mapping[Path, str]) -> None:
    """Write text files that belong together: all of them, or none."""
    options = {"encoding": "utf-8", "errors": "replace", "newline": "\n"}
    with _parts_of(list(texts), "w", True, options) as files:
        for file, text in zip(files, texts.values()):
            file.write(text)


@contextmanager
def _parts_of(paths: list[Path], mode: str, durable: bool, options: dict[str, Any]) -> Iterator[list[IO[Any]]]:
    """Open temporary files beside `paths`; see `writing`."""
    files: list[IO[Any]] = []
    parts: dict[Path, Path] = {}  # temporary name → the name it is to take
    path = Path()
    try:
        for path in paths:
            target = Path(os.path.realpath(path))  # what a symbolic link points to
            if target.is_dir():
                raise IsADirectoryError(0, "there is a folder of that name")
            if durable:  # a cache of a hundred thousand files looks after itself
                _remove_abandoned(target.parent)
            handle, name = tempfile.mkstemp(_ENDING, f".{target.name[:40]}.", target.parent)
            parts[Path(name)] = target
            opened = partial(_given, handle)  # so that the file also has its name
            files.append(open(name, mode, opener=opened, **options))  # noqa: SIM115 (closed below)
            _lock(files[-1])
        path = paths[0]
        yield files
        for path, file, (part, target) in zip(paths, files, parts.items()):  # noqa: B007 (for the message)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            file.close()
            _take_permissions(part, target)
        _rename(parts)  # all are complete: nothing else is left that could take time, or fail
    except OSError as problem:
        raise MotionError(f"{path}: cannot be written: {problem.strerror or problem}") from problem
    finally:
        for file in files:
            with suppress(OSError):  # a full disk has been reported already
                file.close()
        for part in parts:
            part.unlink(missing_ok=True)


def _given(handle: int, name: str, flags: int) -> int:
    return handle


def _rename(parts: dict[Path, Path]) -> None:
    """Give every part its name, or none of them: where one fails, those before it are put back."""
    old: dict[Path, Path] = {}  # name → another name of what was there
    done: list[Path] = []
    try:
        for part, target in parts.items():
            if len(parts) > 1 and target.exists():
                old[target] = part.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}{_ENDING}")
                try:
                    os.link(target, old[target])
                except OSError:  # a file system without links
                    shutil.copy2(target, old[target])
            os.replace(part, target)
            done.append(target)
    except OSError:
        for target in done:
            os.replace(old[target], target) if target in old else target.unlink()
        raise
    finally:
        for name in old.values():
            name.unlink(missing_ok=True)


def _take_permissions(part: Path, target: Path) -> None:
    """Those of the file that is replaced; of a new one, what the person's mask says (mkstemp makes files private)."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        os.chmod(part, 0o666 & ~_UMASK)
        return
    with suppress(OSError, AttributeError):  # only some may give files away, and not on every system
        os.chown(part, status.st_uid, status.st_gid)
    os.chmod(part, stat.S_IMODE(status.st_mode))


def _lock(file: IO[Any]) -> None:
    """Hold a part as long as it is open, so that no other run takes it for abandoned."""
    if fcntl is not None:
        with suppress(OSError):  # not every file system has locks
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_abandoned(folder: Path) -> None:
    """Remove the parts that runs which were killed have left in a folder."""
    with os.scandir(folder) as found:
        parts = [entry.path for entry in found if _PART.fullmatch(entry.name)]
    for part in parts:
        with suppress(OSError):  # in use, or gone already
            if time.time() - os.stat(part).st_mtime > _ABANDONED:
                with open(part, "rb") as file:
                    if fcntl is not None:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(part)
