"""Files of our own: a head in JSON and raw arrays, checked, written whole or not at all, never pickled.

    magic (12 bytes) · version (uint32) · length of the head (uint64) · CRC-32 of the head (uint32) · head · arrays

All numbers little-endian. The head is UTF-8: everything that is not an array, and of every array its name, type,
shape, place and CRC-32. Arrays are raw, each at a multiple of 64 bytes, so that loading is one read and a checksum.
A file of a later version is refused rather than half understood.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.files import read_bytes, writing
from motiongraph.progress import SILENT, Progress

_FIXED = struct.Struct("<IQI")
_ALIGNED = 64


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    mark: bytes  # six letters
    version: int
    what: str  # what people call it
    suffix: str  # how its name ends

    @property
    def magic(self) -> bytes:
        # As PNG's: a byte no text begins with, and line ends that a transfer as text would spoil.
        return b"\x89" + self.mark + b"\r\n\x1a\n\x00"


def write_container(
    path: str | os.PathLike,
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
    # Names of files may hold bytes that are no letters, which Python keeps as surrogates.
    text = json.dumps(head, ensure_ascii=False).encode("utf-8", "surrogatepass")
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


def read_container(path: str | os.PathLike, kind: Kind) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays (read-only) of a file, all checked; a FormatError says what is wrong with it."""
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
    text = content[fixed : fixed + length].tobytes()
    if len(text) < length:
        raise FormatError(path, f"is cut short after {len(content):,} bytes")
    if zlib.crc32(text) != check:
        raise FormatError(path, "is damaged: its head does not match its checksum")
    head = json.loads(text)
    body = content[fixed + length :]
    if len(body) != head["bytes"]:
        whole = fixed + length + head["bytes"]
        fault = "is cut short after" if len(body) < head["bytes"] else "is damaged: it has"
        raise FormatError(path, f"{fault} {len(content):,} of {whole:,} bytes")
    return head, _arrays(path, head, body)


def _arrays(path: str | os.PathLike, head: dict[str, Any], body: np.ndarray) -> dict[str, np.ndarray]:
    arrays, checks = {}, []
    for name, descr, shape, place, check in head["arrays"]:
        dtype = np.dtype(descr) if isinstance(descr, str) else np.dtype([tuple(field) for field in descr])
        size = dtype.itemsize * int(np.prod(shape))
        part = body[place : place + size]
        checks.append((name, part, check))
        arrays[name] = part.view(dtype).reshape(shape)
        arrays[name].flags.writeable = False
    with ThreadPoolExecutor() as pool:
        for (name, _, check), found in zip(checks, pool.map(lambda c: zlib.crc32(c[1]), checks)):
            if found != check:
                raise FormatError(path, f"is damaged: its {name} does not match its checksum")
    return arrays
