"""Distances kept on disk between runs, so that no pair of motions is compared twice.

One file an entry, named by a hash of what it depends on, with a checksum: a damaged file counts as absent. Files appear
whole or not at all, so that any number of programs may share the folder. The least recently used go when it is full.
"""

import json
import os
import time
import warnings
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_dir

from motiongraph.errors import MotionError
from motiongraph.files import writing

# Part of every key: entries of another version of the arithmetic are not found.
_VERSION = "3"
_MAGIC = b"motiongraph cache 1\n"
_LIMIT = 2.0  # GB
_SUFFIX = ".mgcache"


def open_cache() -> "Cache | None":
    """The user's cache; None where MOTIONGRAPH_CACHE is "off". MOTIONGRAPH_CACHE_DIR names another folder, and
    MOTIONGRAPH_CACHE_LIMIT how many gigabytes it may take."""
    if os.environ.get("MOTIONGRAPH_CACHE", "").lower() in ("off", "0", "no"):
        return None
    folder = os.environ.get("MOTIONGRAPH_CACHE_DIR") or os.path.join(user_cache_dir("motiongraph"), "distances")
    return _at(folder, _bytes(os.environ.get("MOTIONGRAPH_CACHE_LIMIT", "")))


def _bytes(gigabytes: str) -> int:
    try:
        size = float(gigabytes or _LIMIT)
    except ValueError:
        size = -1.0
    if not 0.0 <= size < 1e9:
        raise MotionError(f"MOTIONGRAPH_CACHE_LIMIT is a number of gigabytes from 0 up, not {gigabytes!r}")
    return int(size * 2**30)


@cache
def _at(folder: str, limit: int) -> "Cache":
    return Cache(folder, limit)


class Cache:
    """Named arrays under keys, in `folder`, in at most `limit` bytes."""

    def __init__(self, folder: str | os.PathLike[str], limit: int = int(_LIMIT * 2**30)):
        self.folder, self.limit = Path(folder), limit
        self._unchecked = limit  # bytes written since the folder was last measured; unknown at first
        self._complained = False

    def resize(self, limit: int) -> None:
        """Keep at most so many bytes, from the next time that something is put in."""
        self.limit = self._unchecked = limit

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        """The arrays kept under `key`, or None."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        arrays = _unpacked(content)
        if arrays is not None:
            with suppress(OSError):  # another program may have removed it just now; what was read is good
                os.utime(path)
        return arrays

    def put(self, key: str, arrays: dict[str, np.ndarray]) -> bool:
        """Keep arrays under `key`; False where they are too large or the folder cannot be written."""
        size = sum(a.nbytes for a in arrays.values())
        if size > self.limit // 4:
            return False
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with writing(self._path(key), durable=False) as file:
                for part in _packed(arrays):
                    file.write(part)
        except (OSError, MotionError) as problem:
            if not self._complained:
                self._complained = True
                warnings.warn(f"distances are not kept: {problem}", stacklevel=2)
            return False
        self._unchecked += size
        if self._unchecked > self.limit // 16:
            self.trim()
        return True

    def trim(self) -> None:
        """Remove what was used least recently until the folder fits, and what killed programs left half written."""
        entries = []
        for entry in self._files():
            try:
                status = entry.stat()
            except OSError:
                continue  # gone since it was listed
            if not entry.name.endswith(_SUFFIX):
                if entry.name.endswith(".part") and status.st_mtime < time.time() - 3600:
                    _remove(entry.path)
                continue
            entries.append((status.st_mtime, status.st_size, entry.path))
        excess = sum(size for _, size, _ in entries) - self.limit
        for _, size, path in sorted(entries):
            if excess <= 0:
                break
            _remove(path)
            excess -= size
        self._unchecked = 0

    def clear(self) -> None:
        """Remove every entry."""
        for entry in self._files():
            if entry.name.endswith(_SUFFIX):
                _remove(entry.path)

    def _files(self) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.folder) as entries:
                return list(entries)
        except OSError:
            return []

    def _path(self, key: str) -> Path:
        return self.folder / (blake2b(f"{_VERSION} {key}".encode(), digest_size=20).hexdigest() + _SUFFIX)


def _remove(path: str) -> None:
    """Where that is allowed: a folder that only grows is no reason to fail."""
    with suppress(OSError):
        os.unlink(path)


def _packed(arrays: dict[str, np.ndarray]) -> Iterator[bytes]:
    """magic, length of the head, head (JSON: names, dtypes, shapes, checksum), and the arrays' bytes."""
    arrays = {name: np.ascontiguousarray(a) for name, a in arrays.items()}
    check = 0
    for a in arrays.values():
        check = zlib.crc32(a.data.cast("B") if a.size else b"", check)
    head = {"check": check, "arrays": [[n, np.lib.format.dtype_to_descr(a.dtype), a.shape] for n, a in arrays.items()]}
    head = json.dumps(head).encode()
    yield _MAGIC + len(head).to_bytes(4, "little") + zlib.crc32(head).to_bytes(4, "little") + head
    for a in arrays.values():
        yield a.tobytes()


def _unpacked(content: bytes) -> dict[str, np.ndarray] | None:
    """The arrays of a packed file, or None for anything else."""
    start = len(_MAGIC) + 8
    if not content.startswith(_MAGIC) or len(content) < start:
        return None
    length, check = (int.from_bytes(content[i : i + 4], "little") for i in (start - 8, start - 4))
    head, body = content[start : start + length], memoryview(content)[start + length :]
    if len(head) != length or zlib.crc32(head) != check:
        return None
    head = json.loads(head)
    if zlib.crc32(body) != head["check"]:
        return None
    arrays, at = {}, 0
    for name, descr, shape in head["arrays"]:
        dtype = np.lib.format.descr_to_dtype(_tuples(descr))
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(body, dtype, count, at).reshape(shape)
        at += count * dtype.itemsize
    return arrays


def _tuples(descr: Any) -> Any:
    """JSON has no tuples, which numpy's descriptions of structured types are made of."""
    return [tuple(field) for field in descr] if isinstance(descr, list) else descr
