"""Files of our own: a head in JSON and raw arrays, checked, written whole or not at all, never pickled.

    magic (12 bytes) · version (uint32) · length of the head (uint64) · CRC-32 of the head (uint32) · head · arrays

All numbers little-endian. The head is JSON: everything that is not an array, and of every array its name, type,
shape, place and CRC-32. Arrays are raw, each at a multiple of 64 bytes, so that loading is one read and a checksum.
A file of a later version is refused rather than half understood.
"""

import json
import math
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeGuard

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.files import read_bytes, unreadable, writing
from motiongraph.progress import SILENT, Progress

_FIXED = struct.Struct("<IQI")
_ALIGNED = 64
_NUMBERS = {"<f8", "<f4", "<i8", "<i4", "<i2", "<u4", "<u2", "|i1", "|u1", "|b1"}


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    mark: bytes  # six letters
    version: int
    what: str  # what people call it, "a motion graph"
    suffix: str  # how its name ends

    @property
    def magic(self) -> bytes:
        # As PNG's: a byte no text begins with, and line ends that a transfer as text would spoil.
        return b"\x89" + self.mark + b"\r\n\x1a\n\x00"


def write_container(
    path: str | os.PathLike[str],
    kind: Kind,
    head: dict[str, Any],
    arrays: dict[str, np.ndarray],
    progress: Progress = SILENT,
) -> None:
    """head: what JSON can hold; arrays: by name."""
    with writing(path) as file:
        for part in _packed(kind, head, arrays, progress):
            file.write(part)


def _packed(
    kind: Kind, head: dict[str, Any], arrays: dict[str, np.ndarray], progress: Progress
) -> Iterator[bytes | memoryview]:
    """The bytes of a file, part by part."""
    steps = 2 * len(arrays)  # each is read through for its checksum, then written
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    head, place = head | {"arrays": []}, 0
    for done, (name, array) in enumerate(arrays.items()):
        progress(done, steps, name)
        dtype = np.lib.format.dtype_to_descr(array.dtype.newbyteorder("<"))
        check = zlib.crc32(_bytes(array))
        head["arrays"].append([name, dtype, array.shape, place, check])
        place += _padded(array.nbytes)
    head["bytes"] = place
    # In ASCII: names of files may hold what UTF-8 cannot.
    text = json.dumps(head).encode()
    fixed = len(kind.magic) + _FIXED.size
    # Spaces after the JSON bring the arrays to a multiple of 64 bytes.
    text += b" " * (_padded(fixed + len(text)) - fixed - len(text))
    yield kind.magic + _FIXED.pack(kind.version, len(text), zlib.crc32(text)) + text
    for done, (name, array) in enumerate(arrays.items(), len(arrays)):
        progress(done, steps, name)
        yield _bytes(array)
        yield bytes(_padded(array.nbytes) - array.nbytes)


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _bytes(array: np.ndarray) -> bytes | memoryview:
    return array.reshape(-1).view(np.uint8).data if array.size else b""


def read_container(
    path: str | os.PathLike[str], kind: Kind, at_once: int | None = None
) -> tuple[dict[str, Any], Mapping[str, np.ndarray]]:
    """Head and arrays (read-only) of a file, all checked; a FormatError says what is wrong with it.

    Nothing in the file is believed: no array is larger than what the file holds, none lies outside it, and their types
    are plain numbers or records of them. What the head says otherwise is for the caller to check. at_once: bytes from
    which on a file stays open, and arrays are read and checked only when they are asked for.
    """
    path = Path(path)
    try:
        later = at_once is not None and os.name != "nt" and os.path.getsize(path) > at_once
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from problem
    if later:
        # It stays what it is while it is open, even where another takes its name. Windows would not allow that.
        file = open(path, "rb")  # noqa: SIM115
        size, read = os.fstat(file.fileno()).st_size, partial(_read_part, path, file)
    else:
        content = np.frombuffer(read_bytes(path), np.uint8)
        size, read = len(content), lambda start, count: content[start : start + count]
    fixed = len(kind.magic) + _FIXED.size
    start = read(0, min(fixed, size)).tobytes()
    if not start or not start.startswith(kind.magic[: len(start)]):
        raise FormatError(path, f"is not {kind.what}: expected an {kind.suffix} file")
    if len(start) < fixed:
        raise FormatError(path, f"is cut short after {size:,} bytes")
    version, length, check = _FIXED.unpack(start[len(kind.magic) :])
    if version > kind.version:
        raise FormatError(path, f"was written by a newer motiongraph (format {version}, this one reads {kind.version})")
    if length > size - fixed:
        raise FormatError(path, f"is cut short after {size:,} bytes")
    text = read(fixed, length).tobytes()
    if zlib.crc32(text) != check:
        raise FormatError(path, "is damaged: its head does not match its checksum")
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise FormatError(path, "is damaged: its head cannot be understood") from problem
    told = head.get("bytes") if isinstance(head, dict) else None
    if not _whole(told) or not isinstance(head.get("arrays"), list):
        raise FormatError(path, "is damaged: its head does not say what the file holds")
    body = fixed + length
    if size - body != told:
        fault = "is cut short after" if size - body < told else "is damaged: it has"
        raise FormatError(path, f"{fault} {size:,} of {body + told:,} bytes")
    arrays = _Arrays(path, _listed(path, head["arrays"], told), lambda place, count: read(body + place, count))
    return head, arrays if later else arrays.all()


def _read_part(path: Path, file: IO[bytes], start: int, count: int) -> np.ndarray:
    """Bytes of an open file, whoever else reads from it."""
    try:
        found = os.pread(file.fileno(), count, start)
        while len(found) < count and (more := os.pread(file.fileno(), count - len(found), start + len(found))):
            found += more  # one call reads up to 2 GB
    except OSError as problem:
        raise unreadable(path, problem) from problem
    if len(found) != count:
        raise FormatError(path, "was cut short while it was open")
    return np.frombuffer(found, np.uint8)


def _whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number from 0 up."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


class _Listed(NamedTuple):
    """Where an array lies in a file."""

    dtype: np.dtype
    shape: tuple[int, ...]
    place: int  # bytes after the head
    check: int  # CRC-32

    @property
    def size(self) -> int:
        return self.dtype.itemsize * math.prod(self.shape)


def _listed(path: Path, rows: list[Any], size: int) -> dict[str, _Listed]:
    """The arrays that a head lists; size: bytes there are for them."""
    listed: dict[str, _Listed] = {}
    for entry in rows:
        if not isinstance(entry, list) or len(entry) != 5 or not isinstance(entry[0], str) or entry[0] in listed:
            raise FormatError(path, "is damaged: its list of arrays cannot be understood")
        name, descr, shape, place, check = entry
        dtype = _dtype(descr)
        if dtype is None or not isinstance(shape, list) or not all(map(_whole, (place, check, *shape))):
            raise FormatError(path, f"is damaged: its {name} is not an array of numbers")
        one = _Listed(dtype, tuple(shape), place, check)
        if place % _ALIGNED or place + one.size > size or (not one.size and any(n > size for n in shape)):
            raise FormatError(path, f"is damaged: its {name} lies outside the file")
        listed[name] = one
    return listed


class _Arrays(Mapping[str, np.ndarray]):
    """The arrays of a file by name, read and compared with their checksums when they are asked for."""

    def __init__(self, path: Path, listed: dict[str, _Listed], read: Callable[[int, int], np.ndarray]):
        self.path, self.listed, self.read = path, listed, read

    def __getitem__(self, name: str) -> np.ndarray:
        one = self.listed[name]
        part = self.read(one.place, one.size)
        if zlib.crc32(_bytes(part)) != one.check:
            raise FormatError(self.path, f"is damaged: its {name} does not match its checksum")
        array = part.view(one.dtype).reshape(one.shape)
        array.flags.writeable = False
        return array

    def __contains__(self, name: object) -> bool:
        return name in self.listed

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def all(self) -> dict[str, np.ndarray]:
        with ThreadPoolExecutor() as pool:
            return dict(zip(self.listed, pool.map(self.__getitem__, self.listed)))


def _dtype(descr: Any) -> np.dtype | None:
    """The type that a description names: a number, or a record of named numbers; None for anything else."""
    if isinstance(descr, str):
        return np.dtype(descr) if descr in _NUMBERS else None
    if not isinstance(descr, list) or not 0 < len(descr) <= 64:
        return None
    for field in descr:
        if not isinstance(field, list) or len(field) != 2 or not isinstance(field[0], str) or field[1] not in _NUMBERS:
            return None
    names = [name for name, _ in descr]
    return np.dtype([tuple(field) for field in descr]) if all(names) and len(set(names)) == len(names) else None
