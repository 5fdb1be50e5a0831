"""Wavefront .obj files, as far as geometry goes: positions, normals and faces, without materials and textures."""

import os
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.files import read_bytes
from motiongraph.formats.scanner import quoted
from motiongraph.model.mesh import Mesh
from motiongraph.progress import SILENT, Progress

_PASSED_OVER = {"vt", "vp", "o", "g", "s", "mtllib", "usemtl", "l", "p", "usemap", "lod", "shadow_obj", "trace_obj"}
_BLOCK = 10_000  # lines between reports
_MOST_CORNERS = 10_000  # of a face; what has more is no polygon anybody drew
_FARTHEST = 1e12  # beyond, squares of single precision end
_CREASE = np.cos(np.radians(40.0))  # faces that turn from the average by more than this keep their own normal


def read_obj(path: str | os.PathLike, progress: Progress = SILENT) -> Mesh:
    """The mesh in an .obj file, in its own unit. Polygons become fans of triangles; where the file gives no normals
    they are those of the faces, evened out at shared vertices unless there is a sharp edge."""
    path = Path(path)
    text = read_bytes(path).decode("utf-8", "replace")
    positions: list[list[float]] = []
    normals: list[list[float]] = []
    corners: list[tuple[int, int]] = []  # position and normal (−1: none) of every corner of every triangle
    lines = text.splitlines()
    for number, line in _lines(lines):
        if number % _BLOCK == 0:
            progress(number, len(lines), path.name)
        word, *rest = line.split("#", 1)[0].split() or [""]
        if word in ("v", "vn"):
            (positions if word == "v" else normals).append(_numbers(path, number, word, rest))
        elif word == "f":
            if not 3 <= len(rest) <= _MOST_CORNERS:
                raise FormatError(path, f"a face needs 3 to {_MOST_CORNERS:,} corners, found {len(rest)}", number)
            face = [_corner(path, number, text, len(positions), len(normals)) for text in rest]
            corners += [corner for k in range(1, len(face) - 1) for corner in (face[0], face[k], face[k + 1])]
        elif word and word not in _PASSED_OVER:
            raise FormatError(path, f"expected v, vn, vt or f, found {quoted(word)}", number)
    if not corners:
        raise FormatError(path, "holds no faces")
    return _mesh(np.array(positions), np.array(normals).reshape(-1, 3), np.array(corners))


def _lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """(number of its first line, line), lines that end in a backslash joined with the next."""
    begun, start = "", 0
    for number, line in enumerate(lines, start=1):
        start = start or number
        if line.endswith("\\"):
            begun += line[:-1] + " "
            continue
        yield start, begun + line
        begun, start = "", 0
    if begun:
        yield start, begun


def _numbers(path: Path, number: int, word: str, texts: list[str]) -> list[float]:
    try:
        values = [float(text) for text in texts[:3]]
    except ValueError:
        values = []
    if len(values) < 3 or not all(map(isfinite, values)):
        raise FormatError(path, f"{word} needs three numbers, found {quoted(' '.join(texts) or 'nothing')}", number)
    if max(map(abs, values)) > _FARTHEST:
        raise FormatError(path, f"{word} {' '.join(texts[:3])} is too far away to be drawn", number)
    return values


def _corner(path: Path, number: int, text: str, positions: int, normals: int) -> tuple[int, int]:
    """Indices from 0 of "7", "7/1", "7//3", "7/1/3" or, counted back from the last one so far, "-1//-1"."""
    parts = text.split("/")
    try:
        wanted = [int(part) if part else None for part in parts]
    except ValueError:
        wanted = []
    if not 1 <= len(wanted) <= 3 or wanted[0] is None:
        raise FormatError(path, f"expected a corner as in 7 or 7/1/3, found {quoted(text)}", number)
    normal = wanted[2] if len(wanted) == 3 else None
    found = []
    for index, count, kind in ((wanted[0], positions, "v"), (normal, normals, "vn")):
        if index is None:
            found.append(-1)
            continue
        at = index - 1 if index > 0 else count + index
        if index == 0 or not 0 <= at < count:
            raise FormatError(path, f"a face uses {kind} {index}, and there are {count} so far", number)
        found.append(at)
    return found[0], found[1]


def _mesh(positions: np.ndarray, normals: np.ndarray, corners: np.ndarray) -> Mesh:
    triangles = corners[:, 0].reshape(-1, 3)
    a, b, c = (positions[triangles[:, i]] for i in range(3))
    flat = np.cross(b - a, c - a)  # longer for larger faces, which should count for more
    smooth = np.zeros_like(positions)
    np.add.at(smooth, triangles, flat[:, None])
    flat, smooth = np.repeat(_unit(flat), 3, axis=0), _unit(smooth)[corners[:, 0]]
    chosen = np.where(np.sum(flat * smooth, axis=1, keepdims=True) > _CREASE, smooth, flat)
    own = corners[:, 1] >= 0
    chosen[own] = _unit(normals[corners[own, 1]])
    vertices, places = np.unique(np.c_[positions[corners[:, 0]], chosen], axis=0, return_inverse=True)
    return Mesh(vertices[:, :3], vertices[:, 3:], places.reshape(-1, 3))


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Of length one; upwards where there is no direction."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 0.0, vectors / np.where(length > 0.0, length, 1.0), [0.0, 1.0, 0.0])
