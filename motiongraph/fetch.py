"""Motion capture from the CMU site: one skeleton and its trials, downloaded so that nothing is ever half there.

A file grows as `<name>.part` and takes its name when it is whole. A download that was cut off goes on where it
stopped, provided the server says that the file is still the same. It comes by https where the site has that, and what
has come is looked at before it takes its name. Standard library only.
"""

import http.client
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from motiongraph import __version__
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.progress import SILENT, Progress

CMU = "https://mocap.cs.cmu.edu/subjects"
INDEX = "index.txt"  # what the database says of every trial
# The page of CMU that lists all trials as text: number, files, and in the last column what they show.
_ALL_TRIALS = "search.php?subjectnumber=%25&motion=%25%25%25&maincat=%25&subcat=%25&subtext=yes"
_LARGEST_INDEX = 1 << 23  # bytes

_BLOCK = 1 << 16  # bytes between two reports of progress
_GAP = 5  # trials missing in a row after which a subject without a listing is taken to have no more
_LONGEST_PAUSE = 30.0  # seconds
_LARGEST = 1 << 28  # bytes of a file: CMU's largest have 30 MB
_DIGITS = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True)
class Fetched:
    """new: files downloaded now; kept: files that were there already."""

    folder: Path
    new: tuple[Path, ...]
    kept: tuple[Path, ...]


def fetch_cmu(
    subject: int,
    trials: Iterable[int] = (),
    folder: str | os.PathLike | None = None,
    progress: Progress = SILENT,
    base: str | None = None,
    check: Callable[[Path, Path], None] | None = None,
    **patience,
) -> Fetched:
    """Download the skeleton of `subject` and these trials, or all there are, into `folder` (./cmu/<subject>).

    base: the address above the subjects' folders; by default the environment's MOTIONGRAPH_CMU_URL or CMU's. check:
    given what has come and the name it is to take, raises a MotionError where it is no motion capture. patience:
    attempts, pause (s) and timeout (s) of `Server`. Files that are there already are kept.
    """
    name = f"{subject:02d}"
    folder = Path("cmu", name) if folder is None else Path(folder)
    server = Server(base or os.environ.get("MOTIONGRAPH_CMU_URL") or CMU, **patience)
    new, kept, missing = [], [], []

    def fetch(file: str, index: int, files: int) -> bool:
        """Whether the server has the file, number `index` of `files`; if so it is in the folder afterwards."""
        path = folder / file

        def report(done: float, total: float, what: str = "") -> None:
            progress(index + done / max(total, 1), files, f"{file} {what}".strip())

        if path.exists():
            kept.append(path)
            return True
        try:
            server.download(f"{name}/{file}", path, report, check)
        except Missing:
            return False
        new.append(path)
        return True

    progress(0, 1, name)
    numbers = sorted(set(trials)) or server.trials(name)
    total = 1 + len(numbers or [1])
    if not fetch(f"{name}.asf", 0, total):
        raise Missing(f"there is no subject {name} at {server.base}/")
    for index, number in enumerate(numbers, start=1):
        if not fetch(f"{name}_{number:02d}.amc", index, total):
            missing.append(f"{name}_{number:02d}")
    if not numbers:
        number = absent = 0
        while absent < _GAP:
            number += 1
            absent = 0 if fetch(f"{name}_{number:02d}.amc", number, number + 1) else absent + 1
    if missing:
        count = f"{len(new)} new file{'' if len(new) == 1 else 's'}"
        raise MotionError(f"there is no {', '.join(missing)} at {server.base}/{name}/ ({count} in {folder})")
    progress(1, 1, name)
    return Fetched(folder, tuple(new), tuple(kept))


def fetch_all(
    folder: str | os.PathLike = "cmu",
    progress: Progress = SILENT,
    base: str | None = None,
    check: Callable[[Path, Path], None] | None = None,
    **patience,
) -> list[Fetched]:
    """Download every subject with all trials into folders of `folder`, and the index; what is there is kept.

    Subjects that the index names, or 1 to 144 where it cannot be had. Arguments as for `fetch_cmu`.
    """
    folder, found = Path(folder), []
    fetch_index(folder, base, **patience)
    index = (folder / INDEX).read_text("utf-8") if (folder / INDEX).exists() else ""
    subjects = sorted({int(n) for n in re.findall(r"^([0-9]{1,3})_[0-9]+\t", index, re.MULTILINE)}) or range(1, 145)
    for number, subject in enumerate(subjects):

        def report(done: float, total: float, what: str = "", /, number: int = number) -> None:
            progress(number + done / max(total, 1), len(subjects), what)

        try:
            found.append(fetch_cmu(subject, (), folder / f"{subject:02d}", report, base, check, **patience))
        except Missing:
            continue  # numbers of subjects have gaps
    progress(1, 1, "")
    return found


def fetch_index(folder: str | os.PathLike, base: str | None = None, **patience) -> bool:
    """Put what CMU says of every trial into `folder`, as `formats.descriptions` reads it; whether that could be had."""
    path = Path(folder, INDEX)
    if path.exists():
        return True
    subjects = base or os.environ.get("MOTIONGRAPH_CMU_URL") or CMU
    server = Server(subjects.rstrip("/").removesuffix("/subjects"), **patience)
    try:
        text = server.text(_ALL_TRIALS, _LARGEST_INDEX)
    except MotionError:  # motion without a description is still motion
        return False
    rows = re.findall(r"^[0-9]+_[0-9]+\t.+$", text.replace("\r", ""), re.MULTILINE)
    if rows:
        with writing(path, "w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(rows) + "\n")
    return bool(rows)


class Missing(MotionError):
    """The server answers, but has no such file."""


class _Transient(Exception):
    """This attempt failed in a way that the next one may not; the message is the reason.

    pause: seconds to wait at least; restart: whether what has come so far is of no use."""

    def __init__(self, reason: str, pause: float = 0.0, restart: bool = False):
        super().__init__(reason)
        self.pause, self.restart = pause, restart


@dataclass
class Server:
    """base: address above the files; attempts: how often each file is tried before giving up;
    pause: seconds before the second attempt, twice as many before each further one; timeout: seconds of silence."""

    base: str
    attempts: int = 5
    pause: float = 1.0
    timeout: float = 30.0
    reached: bool = field(default=False, init=False)

    def __post_init__(self):
        self.base = self.base.rstrip("/")

    def trials(self, subject: str) -> list[int]:
        """The trials that the listing of the subject's folder names; none where the server shows no listing."""
        try:
            page = self.text(f"{subject}/", 1 << 22)
        except MotionError:
            if not self.reached:
                raise
            return []
        return sorted({int(n) for n in re.findall(rf"\b{subject}_(\d+)\.amc\b", page, re.IGNORECASE)})

    def text(self, name: str, most: int) -> str:
        """The first `most` bytes of a page."""

        def page() -> str:
            with self._open(name) as response:
                return self._read(response, most).decode("utf-8", "replace")

        return self._persistently(name, page, SILENT)

    def download(
        self,
        name: str,
        path: Path,
        progress: Progress = SILENT,
        check: Callable[[Path, Path], None] | None = None,
    ) -> None:
        """Make `path` the whole of the server's file `name`, going on with `<path>.part` where that is possible.

        check: see `fetch_cmu`; what it refuses is thrown away."""
        part = path.with_name(path.name + ".part")
        tag = path.with_name(path.name + ".part.tag")
        try:
            self._persistently(name, lambda: self._attempt(name, part, tag, progress), progress)
            tag.unlink(missing_ok=True)
            try:
                if check is not None:
                    check(part, path)
            except MotionError as problem:
                part.unlink(missing_ok=True)
                raise MotionError(f"{self.base}/{name} was thrown away: {problem}") from problem
            os.replace(part, path)
        except OSError as problem:
            raise MotionError(f"{path}: cannot be written: {problem.strerror or problem}") from problem

    def _attempt(self, name: str, part: Path, tag: Path, progress: Progress) -> None:
        """One attempt to bring `part` to its full length. `tag` keeps what the server called this version of it."""
        have = part.stat().st_size if part.exists() and tag.exists() else 0
        headers = {"Range": f"bytes={have}-", "If-Range": tag.read_text("latin-1")} if have else {}
        try:
            with self._open(name, headers) as response:
                have, size = _extent(response, have)
                if size > _LARGEST:
                    raise MotionError(
                        f"{self.base}/{name} is too large: {size:,} bytes, and at most {_LARGEST:,} make sense"
                    )
                if not have:
                    part.parent.mkdir(parents=True, exist_ok=True)
                    part.unlink(missing_ok=True)  # before the tag changes: the two must never belong to different files
                    _remember(_version(response), tag)
                with open(part, "ab" if have else "wb") as file:
                    progress(have, size)
                    while have <= size and (block := self._read(response, _BLOCK)):
                        file.write(block)
                        have += len(block)
                        progress(have, size, f"{have / 1e6:.1f} of {size / 1e6:.1f} MB")
            if have != size:
                raise _Transient(f"{have} of {size} bytes came", restart=have > size)
        except _Transient as problem:
            if problem.restart:
                part.unlink(missing_ok=True)
            raise

    def _persistently(self, name: str, attempt: Callable, progress: Progress):
        """The result of `attempt`, tried again with growing pauses while what fails may pass."""
        for number in range(1, self.attempts + 1):
            try:
                return attempt()
            except _Transient as problem:
                if number == self.attempts:
                    raise MotionError(
                        f"{self.base}/{name} could not be fetched in {number} attempts: {problem}"
                    ) from problem
                until = time.monotonic() + max(self.pause * 2 ** (number - 1), problem.pause)
                while (left := until - time.monotonic()) > 0:
                    progress(0, 1, f"waiting: {problem}")  # may raise Cancelled
                    time.sleep(min(left, 0.25))
        raise AssertionError("attempts must be at least 1")

    def _open(self, name: str, headers=None) -> http.client.HTTPResponse:
        url = f"{self.base}/{name}"
        agent = {"User-Agent": f"motiongraph/{__version__}", "Accept-Encoding": "identity"}
        try:
            response = _opener().open(
                urllib.request.Request(url, headers=agent | (headers or {})), timeout=self.timeout
            )
        except urllib.error.HTTPError as answer:
            self.reached = True
            with answer:
                raise _refusal(url, answer) from answer
        except urllib.error.URLError as problem:
            # No connection. At first contact that means no network or a wrong address; later, one that comes and goes.
            if not self.reached and self.base.startswith("https:") and _speaks_no_tls(problem.reason):
                self.base = "http:" + self.base.removeprefix("https:")
                warnings.warn(f"{self.base}: files come unencrypted, for the site has no https", stacklevel=2)
                return self._open(name, headers)
            if not self.reached:
                raise MotionError(f"{self.base} cannot be reached: {_words(problem.reason)}") from problem
            raise _Transient(_words(problem.reason)) from problem
        except (OSError, http.client.HTTPException) as problem:
            raise _Transient(_words(problem)) from problem
        except ValueError as problem:
            raise MotionError(f"{url} is not an address: {problem}") from problem
        self.reached = True
        return response

    def _read(self, response: http.client.HTTPResponse, size: int) -> bytes:
        try:
            return response.read(size)
        except (OSError, http.client.HTTPException) as problem:
            raise _Transient(_words(problem)) from problem


def _opener() -> urllib.request.OpenerDirector:
    """As urllib's own, but for the web only: no redirect leads to ftp, a file or anything else."""
    opener = urllib.request.OpenerDirector()
    kinds = (urllib.request.ProxyHandler, urllib.request.UnknownHandler, urllib.request.HTTPHandler)
    kinds += (urllib.request.HTTPSHandler, urllib.request.HTTPRedirectHandler)
    for kind in (*kinds, urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPErrorProcessor):
        opener.add_handler(kind())
    return opener


def _speaks_no_tls(reason: object) -> bool:
    """Whether a connection failed because nobody answers https there; a wrong certificate is another matter."""
    return isinstance(reason, ssl.SSLError | ConnectionError) and not isinstance(reason, ssl.SSLCertVerificationError)


def _refusal(url: str, answer: urllib.error.HTTPError) -> Exception:
    """What an error status means for the one who asked."""
    if answer.code in (404, 410):
        return Missing(f"there is no {url}")
    if answer.code == 416:
        return _Transient("the file has changed since its first part came", restart=True)
    if answer.code >= 500 or answer.code in (408, 425, 429):
        wait = answer.headers.get("Retry-After", "")
        pause = min(float(wait), _LONGEST_PAUSE) if _DIGITS.fullmatch(wait) else 0.0
        return _Transient(f"the server answers {answer.code} {answer.reason}", pause)
    return MotionError(f"{url} cannot be fetched: the server answers {answer.code} {answer.reason}")


def _extent(response: http.client.HTTPResponse, have: int) -> tuple[int, int]:
    """(start, size): the byte the answer begins with, and the length in bytes of the whole file."""
    if response.headers.get_content_type() == "text/html":
        raise MotionError(f"{response.url} gives a web page instead of motion capture; does the network ask to log in?")
    length = response.headers.get("Content-Length", "")
    if not _DIGITS.fullmatch(length):
        raise MotionError(f"{response.url} cannot be fetched safely: the server does not say how long it is")
    if response.headers.get("Content-Encoding", "identity").lower() not in ("", "identity"):
        raise MotionError(f"{response.url} comes compressed, which was not asked for")
    if int(length) == 0 and response.status != 206:
        raise MotionError(f"{response.url} is empty")
    if response.status != 206:  # the whole file: nothing was asked for, or Range is not known there, or it has changed
        return 0, int(length)
    answer = re.fullmatch(
        r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})", response.headers.get("Content-Range", "").strip()
    )
    start, last, size = map(int, answer.groups()) if answer else (-1, -1, -1)
    if start != have or last != size - 1 or int(length) != size - have:
        raise _Transient("the server answers with another part than was asked for", restart=True)
    return have, size


def _version(response: http.client.HTTPResponse) -> str:
    """What If-Range may be asked with: a strong ETag, or the date of the last change (RFC 9110, 13.1.5); or ""."""
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else response.headers.get("Last-Modified", "")


def _remember(version: str, tag: Path) -> None:
    if version:
        tag.write_text(version, "latin-1")
    else:
        tag.unlink(missing_ok=True)


def _words(problem) -> str:
    """The reason of a failed connection in words."""
    if isinstance(problem, socket.gaierror):
        return "its name cannot be looked up; is there a network?"
    if isinstance(problem, TimeoutError):
        return "no answer in time"
    if isinstance(problem, http.client.RemoteDisconnected):
        return "the server hung up without an answer"
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
