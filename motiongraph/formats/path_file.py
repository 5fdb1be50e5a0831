"""Paths on the floor as text: a line with x,z in metres for each point, and the label of the stretch that begins there.

Numbers and labels are apart by comma, semicolon or space; # begins a comment. A comment that is nothing but the words
"spline", "polyline" and "closed" tells how the points are joined.
"""

import os
from dataclasses import dataclass

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.files import read_text, writing
from motiongraph.formats.scanner import quoted

_KINDS = ("polyline", "spline")
_LARGEST = 1 << 24  # bytes
_FARTHEST = 1e6  # metres: farther than any motion goes


@dataclass(frozen=True, eq=False)
class PathFile:
    """A path of N points."""

    points: np.ndarray  # (N, 2) x, z metres
    labels: tuple[str | None, ...] | None = None  # of the stretch from each point on; None where the file has none
    curve: str | None = None  # "polyline" or "spline"; None where the file does not say
    closed: bool | None = None  # likewise


def read_path(path: str | os.PathLike) -> PathFile:
    """The points of a path, or a FormatError that says what is wrong with the file."""
    text = read_text(path, "utf-8-sig", _LARGEST)
    rows, labels, curve, closed = [], [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        content, _, comment = line.partition("#")
        said = comment.split()
        if said and set(said) <= {*_KINDS, "closed"}:
            curve = next((word for word in said if word in _KINDS), curve)
            closed = "closed" in said
        words = content.replace(",", " ").replace(";", " ").split()
        if not words:
            continue
        try:
            x, z = (float(word) for word in words[:2])
            label = " ".join(words[2:]) or None
            if label is not None and _is_number(label):
                raise ValueError
        except ValueError:
            if not rows and not any(map(_is_number, words)):  # the names of the columns
                continue
            raise FormatError(path, f"expected x and z in metres, found {quoted(line.strip())}", number) from None
        if not (abs(x) <= _FARTHEST and abs(z) <= _FARTHEST):
            raise FormatError(
                path, f"expected x and z of at most {_FARTHEST:g} m, found {quoted(line.strip())}", number
            )
        rows.append((x, z))
        labels.append(label)
    if len(rows) < 2:
        raise FormatError(path, "a path needs at least two points, one on each line as x,z")
    return PathFile(np.array(rows), tuple(labels) if any(labels) else None, curve, closed)


def _is_number(text: str) -> bool:
    try:
        float(text.split()[0])
    except ValueError:
        return False
    return True


def write_path(path: str | os.PathLike, found: PathFile) -> None:
    """Write a path as `read_path` reads it."""
    said = " ".join([found.curve or "", "closed" if found.closed else ""]).strip()
    lines = [f"# {said}"] if said else []
    lines.append("x,z,label" if found.labels else "x,z")
    for (x, z), label in zip(found.points.tolist(), found.labels or [None] * len(found.points)):
        lines.append(f"{x:.4f},{z:.4f}" + (f",{label or ''}" if found.labels else ""))
    with writing(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(lines) + "\n")
