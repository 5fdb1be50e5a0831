"""Files gone wrong on purpose: mutations that know words, numbers and lines, trees of JSON, and arrays.

What has checksums and lengths gets right ones again, so that a mutation reaches what looks behind them.
"""

import io
import json
import math
import re
import struct
import zlib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

Rng = np.random.Generator

_WORDS = """
0 -0 1 -1 3 6 7 1e9 1000000000 99999999999999999999 1e38 -1e38 1e39 1e400 1e-400 1e-310 5e-324 nan inf -inf .5 5.
. +1 --1 1e 0x10 1_000 1,5 1e5 1e-5 2147483648 9223372036854775808 { } ( ) [ ] [[ ]] = " ' , ; # : :root :units
:bonedata :hierarchy begin end root ROOT JOINT End Site OFFSET CHANNELS MOTION Frames: Frame Time: HIERARCHY Xrotation
Yposition XYZ ZYX rx ry rz tx l dof axis name length direction limits ltibia Hips ٣ ü v vn vt f 1/1/1 1//1 -1 -1//-1
1/ // [[clip]] file frames labels closed spline polyline \\ \x00 \x1b[31m true false {} [] "..\\..\\x" a.b.c
"""
WORDS = [word.encode() for word in _WORDS.split()]
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, -(2**63), 2**64, 10**30, 10**400,
    0.5, -0.5, 1e-9, 1e-310, 1e9, 1e15, 1e18, 1e38, 1e39, 1e300, -1e300, math.inf, -math.inf, math.nan, "", "x", "walk",
    "\x00", "\x1b[2J", "\ud800", "../../x", "/dev/zero", "x" * 5000, [], {}, [[]], [None], [0, 1], [1e300] * 3,
    {"x": 1},
]  # fmt: skip
NUMBERS = [
    0.0,
    1.0,
    -1.0,
    7.0,
    1e-300,
    1e9,
    1e18,
    1e38,
    1e39,
    1e300,
    math.inf,
    -math.inf,
    math.nan,
    2**31 - 1,
    -(2**31),
]


def pick(rng: Rng, items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


# Text


def mutated_text(data: bytes, rng: Rng) -> bytes:
    for _ in range(int(rng.integers(1, 5))):
        data = pick(rng, _TEXT)(data, rng)
    return data


def _spot(data: bytes, rng: Rng) -> int:
    return int(rng.integers(max(len(data), 1)))


def _spans(data: bytes, pattern: bytes = rb"[^\s,;=\[\]{}()/]+") -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(pattern, data)] or [(0, len(data))]


def _flip(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]


def _cut(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + data[at + int(rng.integers(1, 200)) :]


def _truncate(data: bytes, rng: Rng) -> bytes:
    return data[: _spot(data, rng)]


def _repeat(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + data[at : at + int(rng.integers(1, 300))] * int(rng.integers(2, 6)) + data[at:]


def _swap(data: bytes, rng: Rng) -> bytes:
    spans = _spans(data)
    (a, b), (c, d) = sorted(pick(rng, spans) for _ in range(2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:] if b <= c else data


def _word(data: bytes, rng: Rng) -> bytes:
    a, b = pick(rng, _spans(data))
    return data[:a] + pick(rng, WORDS) + data[b:]


def _number(data: bytes, rng: Rng) -> bytes:
    a, b = pick(rng, _spans(data, rb"(?<=[\s,/\[])[-+.\d][-+.\de]*"))
    return data[:a] + pick(rng, WORDS) + data[b:]


def _insert(data: bytes, rng: Rng) -> bytes:
    at = _spot(data, rng)
    return data[:at] + pick(rng, [b" ", b"\n", b"\r", b"\t", b"\x0b"]) + pick(rng, WORDS) + b" " + data[at:]


def _drop_line(data: bytes, rng: Rng) -> bytes:
    lines = data.split(b"\n")
    del lines[int(rng.integers(len(lines)))]
    return b"\n".join(lines)


def _swap_lines(data: bytes, rng: Rng) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.integers(len(lines), size=2)
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _newlines(data: bytes, rng: Rng) -> bytes:
    return data.replace(b"\n", pick(rng, [b"\r\n", b"\r", b"\n\n", b" ", b"\x0c"]))


_TEXT = (
    _flip,
    _cut,
    _truncate,
    _repeat,
    _swap,
    _word,
    _word,
    _number,
    _number,
    _insert,
    _drop_line,
    _swap_lines,
    _newlines,
)


# Trees of JSON


def mutated_tree(tree: Any, rng: Rng) -> Any:
    """A copy with one value replaced, removed, doubled, nested or exchanged for another of the tree."""
    tree = deepcopy(tree)
    places = _places(tree)
    if not places:
        return pick(rng, VALUES)
    holder, key = pick(rng, places)
    how = int(rng.integers(10))
    if how < 6:
        holder[key] = _other(holder[key], rng)
    elif how == 6:
        del holder[key]
    elif how == 7:
        there, other = pick(rng, places)
        holder[key] = deepcopy(there[other])
    elif how == 8 and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[key]))
    else:
        holder[key] = pick(rng, [[holder[key]], {"x": holder[key]}, _deep(int(rng.integers(1, 60)))])
    return tree


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """(holder, key) of every value; long lists of numbers by a few of theirs only."""
    found, waiting = [], [tree]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        for key in keys if len(keys) < 40 else [*keys[:10], *keys[-10:]]:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found


def _other(value: Any, rng: Rng) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.5:
        return value + int(rng.integers(-3, 4))
    if isinstance(value, float) and rng.random() < 0.3:
        return value * float(rng.normal())
    return pick(rng, VALUES)


def _deep(depth: int) -> list:
    nested: list = []
    for _ in range(depth):
        nested = [nested]
    return nested


# Arrays


def mutated_array(array: np.ndarray, rng: Rng) -> np.ndarray:
    """Another one: other numbers, another length, shape or type."""
    array, how = array.copy(), int(rng.integers(8))
    if how < 4 and array.size:
        field = pick(rng, array.dtype.names) if array.dtype.names else None
        flat = (array if field is None else array[field]).reshape(-1)
        for _ in range(int(rng.integers(1, 4))):
            value = pick(rng, NUMBERS)
            if flat.dtype.kind in "iub":
                value = int(rng.integers(-3, 300)) if rng.random() < 0.5 or not math.isfinite(value) else int(value)
                low, high = (0, 1) if flat.dtype.kind == "b" else (np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max)
                value = min(max(value, int(low)), int(high))
            with np.errstate(all="ignore"):
                flat[int(rng.integers(flat.size))] = value
        if field is not None:
            array[field] = flat.reshape(array[field].shape)
        return array if field is not None else flat.reshape(array.shape)
    if how == 4:
        return array[: int(rng.integers(len(array) + 1))] if array.ndim else array.reshape(1)
    if how == 5:
        return np.concatenate([array, array]) if array.ndim else array.reshape(1, 1)
    if how == 6:
        return array.reshape(pick(rng, [(-1,), (1, *array.shape), (*array.shape, 1)])) if array.size else array
    if array.dtype.names:
        return repack_fields(array[list(array.dtype.names)[::-1]])
    with np.errstate(all="ignore"):
        return array.astype(pick(rng, ["<f4", "<f8", "<i4", "<i8", "|u1", "|b1", "<i2"]))


# Formats with lengths and checksums

Split = tuple[bytes, dict[str, Any], dict[str, np.ndarray]]  # magic and version, head, arrays


def split_container(content: bytes) -> Split:
    """A file of our own in its parts (motiongraph/formats/container.py)."""
    length, check = struct.unpack("<QI", content[16:28])
    head, body = json.loads(content[28 : 28 + length]), content[28 + length :]
    assert zlib.crc32(content[28 : 28 + length]) == check
    arrays = {}
    for name, descr, shape, place, _ in head["arrays"]:
        dtype = np.dtype([tuple(field) for field in descr] if isinstance(descr, list) else descr)
        arrays[name] = np.frombuffer(body, dtype, math.prod(shape), place).reshape(shape)
    return content[:16], head, arrays


def mutated_container(split: Split, rng: Rng) -> bytes:
    start, head, arrays = split
    rest = {key: value for key, value in head.items() if key not in ("arrays", "bytes")}
    arrays = dict(arrays)
    for _ in range(int(rng.integers(1, 4))):
        how = rng.random()
        if how < 0.6:
            rest = mutated_tree(rest, rng)
            if not isinstance(rest, dict):
                return packed(start, rest, {}, rng)
        elif how < 0.95 and arrays:
            name = pick(rng, sorted(arrays))
            arrays[name] = mutated_array(arrays[name], rng)
        elif arrays:
            del arrays[pick(rng, sorted(arrays))]
    return packed(start, rest, arrays, rng)


def packed(start: bytes, head: Any, arrays: dict[str, np.ndarray], rng: Rng) -> bytes:
    """A file of our own with right checksums; now and then one entry of its list of arrays is changed."""
    listed, body = [], b""
    for name, array in arrays.items():
        data = array.tobytes()
        descr = np.lib.format.dtype_to_descr(array.dtype)
        listed.append([name, descr, list(array.shape), len(body), zlib.crc32(data)])
        body += data + bytes(-len(data) % 64)
    if isinstance(head, dict):
        if rng.random() < 0.05:
            listed = mutated_tree(listed, rng)
        head = head | {"arrays": listed, "bytes": len(body)}
    text = json.dumps(head).encode()
    text += b" " * (-(28 + len(text)) % 64)
    content = start + struct.pack("<QI", len(text), zlib.crc32(text)) + text + body
    return _flip(content, rng) if rng.random() < 0.02 else content


def split_glb(content: bytes) -> tuple[Any, bytes]:
    """JSON and binary block of a GLB."""
    (length,) = struct.unpack("<I", content[12:16])
    return json.loads(content[20 : 20 + length]), content[28 + length :]


def mutated_gltf(tree: Any, block: bytes, rng: Rng) -> tuple[Any, bytes]:
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.8:
            tree = mutated_tree(tree, rng)
        elif len(block) > 8:
            at = int(rng.integers(len(block) // 4)) * 4
            with np.errstate(all="ignore"):
                block = block[:at] + np.array(pick(rng, NUMBERS), "<f4").tobytes() + block[at + 4 :]
    return tree, block


def packed_glb(tree: Any, block: bytes, rng: Rng) -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(block), b"BIN\0") + block
    content = struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
    return _flip(content, rng) if rng.random() < 0.05 else content


def mutated_npz(arrays: dict[str, np.ndarray], rng: Rng) -> bytes:
    arrays = dict(arrays)
    for _ in range(int(rng.integers(1, 4))):
        name = pick(rng, sorted(arrays)) if arrays else "poses"
        if rng.random() < 0.9 and name in arrays:
            arrays[name] = mutated_array(np.asarray(arrays[name]), rng)
        else:
            arrays.pop(name, None)
    file = io.BytesIO()
    save: Callable[..., None] = pick(rng, [np.savez, np.savez, np.savez_compressed])
    save(file, **arrays)
    content = file.getvalue()
    return mutated_text(content, rng) if rng.random() < 0.3 else content
