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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.files import read_bytes, writing
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


def read_container(path: str | os.PathLike[str], kind: Kind) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays (read-only) of a file, all checked; a FormatError says what is wrong with it.

    Nothing in the file is believed: no array is larger than what the file holds, none lies outside it, and their types
    are plain numbers or records of them. What the head says otherwise is for the caller to check.
    """
    path = Path(path)
    content = np.frombuffer(read_bytes(path), np.uint8)
    fixed = len(kind.magic) + _FIXED.size
    start = content[:fixed].tobytes()
    if not start or not start.startswith(kind.magic[: len(start)]):
        raise FormatError(path, f"is not {kind.what}: expected an {kind.suffix} file")
    if len(start) < fixed:
        raise FormatError(path, f"is cut short after {len(content):,} bytes")
    version, length, check = _FIXED.unpack(start[len(kind.magic) :])
    if version > kind.version:
        raise FormatError(path, f"was written by a newer motiongraph (format {version}, this one reads {kind.version})")
    if length > len(content) - fixed:
        raise FormatError(path, f"is cut short after {len(content):,} bytes")
    text = content[fixed : fixed + length].tobytes()
    if zlib.crc32(text) != check:
        raise FormatError(path, "is damaged: its head does not match its checksum")
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise FormatError(path, "is damaged: its head cannot be understood") from problem
    size = head.get("bytes") if isinstance(head, dict) else None
    if not _whole(size) or not isinstance(head.get("arrays"), list):
        raise FormatError(path, "is damaged: its head does not say what the file holds")
    body = content[fixed + length :]
    if len(body) != size:
        fault = "is cut short after" if len(body) < size else "is damaged: it has"
        raise FormatError(path, f"{fault} {len(content):,} of {fixed + length + size:,} bytes")
    return head, _arrays(path, head["arrays"], body)


def _whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number from 0 up."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _arrays(path: Path, listed: list[Any], body: np.ndarray) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    checks: list[tuple[str, np.ndarray, int]] = []
    for entry in listed:
        if not isinstance(entry, list) or len(entry) != 5 or not isinstance(entry[0], str) or entry[0] in arrays:
            raise FormatError(path, "is damaged: its list of arrays cannot be understood")
        name, descr, shape, place, check = entry
        dtype = _dtype(descr)
        if dtype is None or not isinstance(shape, list) or not all(map(_whole, (place, check, *shape))):
            raise FormatError(path, f"is damaged: its {name} is not an array of numbers")
        size = dtype.itemsize * math.prod(shape)
        if place % _ALIGNED or place + size > len(body) or (not size and any(n > len(body) for n in shape)):
            raise FormatError(path, f"is damaged: its {name} lies outside the file")
        part = body[place : place + size]
        checks.append((name, part, check))
        arrays[name] = part.view(dtype).reshape(shape)
        arrays[name].flags.writeable = False
    with ThreadPoolExecutor() as pool:
        for (name, _, check), found in zip(checks, pool.map(lambda c: zlib.crc32(c[1]), checks)):
            if found != check:
                raise FormatError(path, f"is damaged: its {name} does not match its checksum")
    return arrays


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
