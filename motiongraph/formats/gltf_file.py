"""glTF 2.0 files as they are written (.gltf, .glb, .vrm): a JSON document and the numbers it points to.

Nothing in a file is trusted: every index, size and count is checked before it is used, and every complaint names the
file and the place in its document, such as `animations[0].samplers[3].input`.
"""

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.files import read_bytes
from motiongraph.formats.scanner import quoted

MOST_BYTES = 2**32  # of a file; the container's own limit
_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_COMPRESSED = ("EXT_meshopt_compression", "KHR_meshopt_compression")


@dataclass(frozen=True)
class Item:
    """A value of the document, and where it stands."""

    value: Any
    where: str  # such as "nodes[3].translation"; "" for the whole document
    path: Path

    def error(self, message: str) -> FormatError:
        return FormatError(self.path, f"{self.where or 'the document'}: {message}")

    def __contains__(self, key: str) -> bool:
        return key in self._object()

    def __getitem__(self, key: str) -> "Item":
        """The value of a key that must be there."""
        if key not in self._object():
            raise self.error(f"expected {quoted(key)} here")
        return Item(self.value[key], f"{self.where}.{key}" if self.where else key, self.path)

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.error(f"expected an object, found {_shown(self.value)}")
        return self.value

    def array(self, key: str) -> list["Item"]:
        """The items of an array; none where the key is missing."""
        if key not in self:
            return []
        inside = self[key]
        if not isinstance(inside.value, list):
            raise inside.error(f"expected an array, found {_shown(inside.value)}")
        return [Item(value, f"{inside.where}[{i}]", self.path) for i, value in enumerate(inside.value)]

    def text(self, key: str, default: str = "") -> str:
        value = self.value[key] if key in self else default
        if not isinstance(value, str):
            raise self[key].error(f"expected a text, found {_shown(value)}")
        return value

    def whole(self, key: str, below: int, default: int | None = None) -> int:
        """A whole number of 0 up to, but not including, `below`."""
        if default is not None and key not in self:
            return default
        return self[key].as_whole(below)

    def as_whole(self, below: int) -> int:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value or not 0 <= value < below:
            most = f"0 to {below - 1:,}" if below else "none, since there is nothing to point to"
            raise self.error(f"expected a whole number, {most}; found {_shown(value)}")
        if value != int(value):
            raise self.error(f"expected a whole number, found {_shown(value)}")
        return int(value)

    def numbers(self, key: str, count: int, default: list[float]) -> np.ndarray:
        """(count,) finite numbers of an array."""
        if key not in self:
            return np.array(default, float)
        found = self.array(key)
        good = [isinstance(item.value, int | float) and not isinstance(item.value, bool) for item in found]
        if len(found) != count or not all(good) or not all(abs(item.value) < 1e30 for item in found):
            raise self[key].error(f"expected {count} finite numbers, found {_shown(self.value[key])}")
        return np.array([item.value for item in found], float)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


class GltfFile:
    """A document with its buffers; `accessor` gives the numbers that it points to."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        content = read_bytes(self.path, MOST_BYTES)
        text, self._binary = self._blocks(content) if content[:4] == b"glTF" else (content, None)
        try:
            value = json.loads(text.decode("utf-8-sig"), parse_constant=_refused)
        except (ValueError, RecursionError) as problem:
            raise FormatError(self.path, f"its JSON cannot be read: {problem}") from problem
        self.document = Item(value, "", self.path)
        version = self.document["asset"].text("version")
        if not version.startswith("2."):
            raise FormatError(self.path, f"is glTF {version or 'without a version'}; only 2.0 is read")
        self._buffers: dict[int, np.ndarray] = {}

    def _blocks(self, content: bytes) -> tuple[bytes, bytes | None]:
        """The JSON and the binary block of a .glb (glTF 2.0, section 4.4)."""
        if len(content) < 20:
            raise FormatError(self.path, f"is cut short after {len(content):,} bytes")
        version, length = struct.unpack_from("<II", content, 4)
        if version != 2:
            raise FormatError(self.path, f"is a GLB of version {version}; only 2 is read")
        if length > len(content):
            raise FormatError(self.path, f"is cut short: {len(content):,} of {length:,} bytes are there")
        blocks: dict[bytes, bytes] = {}
        for kind, block in self._chunks(content[:length]):
            blocks.setdefault(kind, block)
        if b"JSON" not in blocks:
            raise FormatError(self.path, "holds no JSON block")
        return blocks[b"JSON"], blocks.get(b"BIN\0")

    def _chunks(self, content: bytes) -> Iterator[tuple[bytes, bytes]]:
        place = 12
        while place + 8 <= len(content):
            size, kind = struct.unpack_from("<I4s", content, place)
            if place + 8 + size > len(content):
                raise FormatError(self.path, f"a block of {size:,} bytes at byte {place} reaches past the end")
            yield kind, content[place + 8 : place + 8 + size]
            place += 8 + size

    def accessor(self, number: Item, width: int) -> np.ndarray:
        """(n, width) float64: the numbers of the accessor that `number` points to, sparse ones and normalised too."""
        accessors = self.document.array("accessors")
        item = accessors[number.as_whole(len(accessors))]
        kind = item.text("type")
        if _WIDTHS.get(kind) != width:
            raise item["type"].error(f"expected {width} numbers an element, found {quoted(kind)}")
        dtype = self._component(item)
        count = item.whole("count", MOST_BYTES)
        if "bufferView" in item:
            with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused below
                values = self._view(item, dtype, count, width).astype(np.float64)
        elif "sparse" in item and count * width <= 8 * self._sparse_count(item) + 1_000_000:
            values = np.zeros((count, width))
        else:
            raise item.error("expected a bufferView: there are no numbers to read")
        if "sparse" in item:
            self._overlay(item["sparse"], values, dtype)
        if item.value.get("normalized") is True and dtype.kind != "f":
            # glTF 2.0, section 3.6.2.2; the smallest signed number stands for −1 too.
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        if not np.isfinite(values).all():
            raise item.error("holds a number that is not finite")
        return values

    def _component(self, item: Item) -> np.dtype:
        code = item.whole("componentType", 65536)
        if code not in _COMPONENTS:
            raise item["componentType"].error(f"expected a type of number ({', '.join(map(str, _COMPONENTS))})")
        return np.dtype(_COMPONENTS[code])

    def _sparse_count(self, item: Item) -> int:
        return item["sparse"].whole("count", MOST_BYTES)

    def _overlay(self, sparse: Item, values: np.ndarray, dtype: np.dtype) -> None:
        """Put the numbers of a sparse accessor in their places (glTF 2.0, section 3.6.2.3)."""
        count = sparse.whole("count", len(values) + 1)
        indices = sparse["indices"]
        code = self._component(indices)
        if code.kind != "u":
            raise indices["componentType"].error("expected unsigned whole numbers")
        places = self._view(indices, code, count, 1)[:, 0].astype(np.int64)
        if count and (places.max() >= len(values) or (np.diff(places) <= 0).any()):
            raise indices.error(f"expected rising numbers below {len(values):,}")
        values[places] = self._view(sparse["values"], dtype, count, values.shape[1])

    def _view(self, item: Item, dtype: np.dtype, count: int, width: int) -> np.ndarray:
        """(count, width) numbers of an item with bufferView and byteOffset; a copy, or a view of the buffer."""
        views = self.document.array("bufferViews")
        view = views[item.whole("bufferView", len(views))]
        if "extensions" in view and any(name in view["extensions"] for name in _COMPRESSED):
            raise view.error("is compressed with meshopt, which is not read here; export without compression")
        size = view.whole("byteLength", MOST_BYTES)
        start = view.whole("byteOffset", MOST_BYTES, 0)
        inside = item.whole("byteOffset", MOST_BYTES, 0)
        element = dtype.itemsize * width
        stride = view.whole("byteStride", 4096, element)
        if stride < element:
            raise view["byteStride"].error(f"expected at least the {element} bytes of an element")
        if count and inside + stride * (count - 1) + element > size:
            raise item.error(f"{count:,} elements of {element} bytes reach past the end of {view.where}")
        buffers = self.document.array("buffers")
        content = self._buffer(view.whole("buffer", len(buffers)))
        if start + size > len(content):
            raise view.error(f"reaches past the end of its buffer, which has {len(content):,} bytes")
        if not count:
            return np.zeros((0, width), dtype)
        first = content[start + inside : start + inside + stride * (count - 1) + element]
        rows = np.lib.stride_tricks.as_strided(first, (count, element), (stride, 1), writeable=False)
        return np.ascontiguousarray(rows).view(dtype)

    def _buffer(self, number: int) -> np.ndarray:
        """The bytes of a buffer: the binary block, a data URI, or a file beside this one."""
        if number not in self._buffers:
            item = self.document.array("buffers")[number]
            length = item.whole("byteLength", MOST_BYTES)
            if "uri" in item:
                content = self._resource(item["uri"], item.text("uri"))
            elif number == 0 and self._binary is not None:
                content = self._binary
            else:
                raise item.error("expected a uri: there is no binary block for it")
            if len(content) < length:
                raise item.error(f"expected {length:,} bytes, found {len(content):,}")
            self._buffers[number] = np.frombuffer(content, np.uint8)[:length]
        return self._buffers[number]

    def _resource(self, item: Item, uri: str) -> bytes:
        if uri.startswith("data:"):
            head, comma, body = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                raise item.error("expected a data URI in base64")
            try:
                return base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError) as problem:
                raise item.error(f"is not base64: {problem}") from problem
        name = unquote(uri)
        folder = self.path.absolute().parent
        try:
            file = (folder / name).resolve()
            inside = file.is_relative_to(folder.resolve())
        except (OSError, ValueError) as problem:
            raise item.error(f"names no file: {problem}") from problem
        if ":" in name or not inside:
            raise item.error(f"expected a file in the folder of this one, found {quoted(name)}")
        try:
            return read_bytes(file, MOST_BYTES)
        except FormatError as problem:
            raise item.error(f"{quoted(name)} {problem.message}") from problem


def _refused(word: str) -> float:
    raise ValueError(f"{word} is not a number")
