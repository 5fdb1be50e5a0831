"""Slots for work that was not saved: files that neither another window nor a later run writes over.

A run keeps its current work as "autosave-…" and, when it ends or other work takes its place, as "unsaved-…". The last
ten of these can be opened again. Where the folder of the settings cannot be written, a private one for temporary files
is tried.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.project.project_file import SUFFIX, Project, save_project
from motiongraph.app.settings import config_folder
from motiongraph.errors import MotionError
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST = 10  # works that are kept
_RUN = secrets.token_hex(4)  # tells this run from one that had the same number of process, as in a container


@dataclass(frozen=True)
class Unsaved:
    """Work that was not saved."""

    path: Path
    when: datetime  # it was written
    what: str  # is in it


def second_place() -> Path:
    """A folder of this person's own for temporary files."""
    return Path(tempfile.gettempdir()) / f"motiongraph-{os.getuid() if hasattr(os, 'getuid') else 'unsaved'}"


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can have put files into a folder: everyone may make folders among temporary files."""
    if folder == config_folder():
        return True
    with suppress(OSError):
        status = os.lstat(folder)
        return stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())
    return False


def own_prefix() -> str:
    """How the names of this run's autosaves begin."""
    return f"autosave-{os.getpid()}-{_RUN}"


def _named(beginning: str) -> Iterator[Path]:
    """Files whose names begin so."""
    for folder in filter(_is_ours, (config_folder(), second_place())):
        yield from folder.glob(f"{beginning}*{SUFFIX}")


def described(project: Project, name: str) -> str:
    """What is in a project, in words that the name of a file can hold; name: of its file, "" where it has none."""
    captured = sum(not entry.made for entry in project.entries)
    made = len(project.entries) - captured
    words = [name.encode("ascii", "replace").decode().translate(dict.fromkeys(map(ord, '/\\:*?"<>|'), "_"))[:60]]
    words += [f"{count} {word}{'s' * (count != 1)}" for count, word in ((captured, "clip"), (made, "result")) if count]
    return ", ".join(filter(None, [*words, "a graph" if project.graph is not None else ""]))


def own_files() -> list[Path]:
    """This run's autosaves; more than one for a moment only."""
    return list(_named(own_prefix()))


def write_unsaved(
    project: Project, name: str, last: bool, instead: Iterable[Path] = (), progress: Progress = SILENT
) -> Path:
    """Keep a project; name: of its file; last: for good, otherwise as this run's autosave; instead: files that are not
    needed once it is written. Raises a MotionError where no place takes it."""
    beginning = "unsaved" + own_prefix().removeprefix("autosave") if last else own_prefix()
    problems = []
    for folder in (config_folder(), second_place()):
        path = folder / f"{beginning}-{time.time_ns()} {described(project, name)}{SUFFIX}"
        try:
            folder.mkdir(0o700, parents=True, exist_ok=True)
            if not _is_ours(folder):
                raise MotionError(f"{folder} belongs to someone else")
            save_project(path, project, light=True, progress=progress)
        except (MotionError, OSError) as problem:
            problems.append(str(problem))
            continue
        for old in instead:
            with suppress(OSError):
                old.unlink()
        if last:
            _forget_oldest()
        return path
    raise MotionError("; ".join(problems))


def remove_own() -> None:
    """The work is saved, or kept otherwise: an autosave is not needed any more."""
    for path in own_files():
        path.unlink(missing_ok=True)


def take_as_own(path: Path) -> None:
    """Work that is opened again is this run's to keep."""
    os.replace(path, path.with_name(f"{own_prefix()}-{time.time_ns()} {path.stem.partition(' ')[2]}{SUFFIX}"))


def set_own_aside() -> bool:
    """Make this run's autosave one of the works that are kept; whether there was one."""
    own = own_files()
    for path in own:
        _set_aside(path)
    _forget_oldest()
    return bool(own)


def _set_aside(path: Path) -> None:
    name = path.name if " " in path.name else path.stem + " " + SUFFIX  # as older versions have it
    with suppress(FileNotFoundError):  # another window was quicker
        os.replace(path, path.with_name("unsaved" + name.removeprefix("autosave")))


def take_over_lost() -> bool:
    """Set aside what runs that are no longer there have left behind; whether there was any."""
    lost = [path for path in _named("autosave-") if not path.name.startswith(own_prefix()) and not _runs(path)]
    for path in lost:
        _set_aside(path)
    return bool(lost)


def unsaved_works() -> tuple[Unsaved, ...]:
    """All that are kept, newest first."""
    found = []
    for path in _named("unsaved"):
        with suppress(OSError):
            when = datetime.fromtimestamp(path.stat().st_mtime)
            found.append(Unsaved(path, when, path.stem.partition(" ")[2]))
    return tuple(sorted(found, key=lambda work: work.when, reverse=True))


def _forget_oldest() -> None:
    for work in unsaved_works()[MOST:]:
        with suppress(OSError):
            work.path.unlink()


def _runs(path: Path) -> bool:
    """Whether the run that writes this autosave is still there."""
    number = path.stem.partition(" ")[0].split("-")[1]
    process = int(number) if number.isdigit() and len(number) < 10 else 0
    if process in (0, os.getpid()):  # ours has another name
        return False
    if os.name == "nt":  # where os.kill would end it
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)
        return bool(handle and (ctypes.windll.kernel32.CloseHandle(handle) or True))
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
