"""`labels.toml`: which files take part, which frames of each, and what they show.

[[clip]]
file = "16_17.amc"
frames = [40, 480]          # optional: the part to use
labels = ["walk", "turn-left"]
contacts = { lfoot = [[52, 110]], ltoes = [[60, 121]] }  # optional: when which foot joint stands, instead of found
"""

import itertools
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from motiongraph.errors import FormatError, MotionError
from motiongraph.files import read_text, writing
from motiongraph.formats.scanner import quoted
from motiongraph.model.labels import Labels, Span

NAME = "labels.toml"
_LARGEST = 1 << 24  # bytes
_LONGEST = 1000  # letters of a file's name or a label
_LAST_FRAME = 1 << 40
Spans: TypeAlias = tuple[tuple[str, int, int], ...]  # word, start, stop
# A key with thousands of dots takes tomllib a time that grows with their square, brackets within brackets more stack
# than there is; nothing that a labels.toml may say needs them.
_TOO_DEEP = re.compile(r"""(?<![^\s='"#\[])(?:[^\s.,='"#\[]{0,99}+\.){100}|(?:\[\s*+){50}|(?:\{[^{}\n]*+){50}""")


@dataclass(frozen=True)
class Entry:
    """One [[clip]]."""

    file: str  # as written, relative to the labels.toml
    frames: Span | None = None  # start and stop, or None for all
    labels: tuple[str, ...] = ()
    contacts: Spans | None = None  # when which foot joint stands, by the file's frames; None: as found in the motion


def _read_toml(path: str | os.PathLike) -> dict[str, Any]:
    """The tables of a TOML file, or a FormatError that says what is wrong with it."""
    text = read_text(path, most=_LARGEST)
    if deep := _TOO_DEEP.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        raise FormatError(path, f"is not what is expected: {quoted(deep[0])} goes too deep", line)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # also of numbers with thousands of digits
        raise FormatError(path, f"is not a TOML file: {quoted(str(problem), 200)[1:-1]}") from problem


def read_labels(path: str | os.PathLike) -> tuple[Entry, ...]:
    """The entries of a labels.toml, or a FormatError that says what is wrong with it."""
    clips = _read_toml(path).get("clip", [])
    if not isinstance(clips, list) or not all(isinstance(c, dict) for c in clips):
        raise FormatError(path, "expected [[clip]] tables")
    return tuple(_entry(path, number, clip) for number, clip in enumerate(clips, start=1))


def _entry(path: str | os.PathLike, number: int, clip: dict[str, Any]) -> Entry:
    where = f"[[clip]] number {number}"
    file, frames, labels = clip.get("file"), clip.get("frames"), clip.get("labels", [])
    if not _is_word(file):
        raise FormatError(path, f'{where}: expected file = "name"')
    where = f"{where} ({quoted(file)[1:-1]})"
    if frames is not None:
        if not _is_span(frames):
            raise FormatError(path, f"{where}: expected frames = [start, stop] with 0 <= start < stop")
        frames = (frames[0], frames[1])
    if isinstance(labels, str):
        labels = [labels]
    if not isinstance(labels, list) or not all(map(_is_word, labels)):
        raise FormatError(path, f'{where}: expected labels = ["walk", ...]')
    return Entry(file, frames, tuple(labels), _contacts(path, where, clip.get("contacts")))


def _contacts(path: str | os.PathLike, where: str, given: Any) -> Spans | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise FormatError(path, f"{where}: expected contacts = {{ lfoot = [[start, stop], ...] }}")
    spans = []
    for joint, stretches in given.items():
        if not isinstance(stretches, list) or not all(map(_is_span, stretches)):
            raise FormatError(path, f"{where}: expected {quoted(joint)[1:-1]} = [[start, stop], ...] in contacts")
        spans += [(joint, a, b) for a, b in stretches]
    return tuple(spans)


def _is_span(value: Any) -> bool:
    """Whether it is [start, stop] of a stretch of frames."""
    whole = isinstance(value, list) and len(value) == 2 and all(type(f) is int for f in value)
    return whole and 0 <= value[0] < value[1] <= _LAST_FRAME


def _is_word(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and "\0" not in value


def labels_beside(path: Path) -> tuple[dict[str, list[Span]], dict[str, list[Span]] | None]:
    """Label → ranges and foot joint → ranges for a motion file, from the labels.toml in its folder; empty and None
    where that says nothing of it.

    A range without frames reaches from 0 to as far as there are frames.
    """
    file = path.parent / NAME
    try:
        status = file.stat()
    except OSError:
        return {}, None
    ranges: dict[str, list[Span]] = {}
    contacts: dict[str, list[Span]] | None = None
    for entry in _entries(str(file), status.st_mtime_ns, status.st_size):
        if Path(entry.file).name == path.name and (path.parent / entry.file).parent == path.parent:
            for label in entry.labels:
                ranges.setdefault(label, []).append(entry.frames or (0, 1 << 62))
            if entry.contacts is not None:
                contacts = grouped(entry.contacts, contacts or {})
    return ranges, contacts


def grouped(spans: Spans, found: dict[str, list[Span]] | None = None) -> dict[str, list[Span]]:
    """Word → its stretches, added to those found before."""
    found = {} if found is None else found
    for word, start, stop in spans:
        found.setdefault(word, []).append((start, stop))
    return found


@lru_cache(maxsize=64)
def _entries(path: str, *stamp: int) -> tuple[Entry, ...]:
    """Read once for all the files of a folder, until it changes."""
    return read_labels(path)


def write_labels(entries: Iterable[Entry], path: str | os.PathLike) -> None:
    """Write entries as a labels.toml, whole or not at all."""
    lines = ["# Which files take part, which frames of each, and what they show."]
    for entry in entries:
        lines += ["", "[[clip]]", f"file = {_quoted(entry.file)}"]
        if entry.frames is not None:
            lines.append(f"frames = [{entry.frames[0]}, {entry.frames[1]}]")
        lines.append(f"labels = [{', '.join(map(_quoted, entry.labels))}]")
        if entry.contacts is not None:
            feet = (f"{_quoted(j)} = {[list(span) for span in spans]}" for j, spans in grouped(entry.contacts).items())
            lines.append(f"contacts = {{ {', '.join(feet)} }}")
    with writing(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("\n".join(lines) + "\n")


def entries_of(
    path: Path, folder: Path, start: int, stop: int, labels: Labels, whole: bool = True, planted: Labels | None = None
) -> list[Entry]:
    """Frames start to stop of a clip as entries of a labels.toml in `folder`; whole: they are all that it has; planted:
    contacts that were given, which stand in the first entry."""
    try:
        file = Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        file = path.as_posix()
    edges = {start, stop} | {min(max(edge, start), stop) for _, *span in labels.spans() for edge in span}
    lines, whole = [], whole and len(edges) == 2
    for first, last in itertools.pairwise(sorted(edges)):
        words = tuple(word for word in labels if labels.at(word)[first])
        lines.append(Entry(file, None if whole else (first, last), words))
    if planted is not None:
        inside = ((joint, max(a, start), min(b, stop)) for joint, a, b in planted.spans())
        lines[0] = replace(lines[0], contacts=tuple(span for span in inside if span[1] < span[2]))
    return lines


def read_bones(path: str | os.PathLike) -> dict[str, str]:
    """Joint of the body that is moved → joint that moves it, "" for none, from the [bones] of a TOML file."""
    bones = _read_toml(path).get("bones")
    if not isinstance(bones, dict) or not all(isinstance(led, str) for led in bones.values()):
        raise FormatError(path, 'expected [bones] with lines as in "LeftFoot" = "lfoot", or "" for none')
    return bones


def read_weights(path: str | os.PathLike) -> dict[str, float]:
    """Joint or part of the body → weight, from the [weights] of a TOML file."""
    weights = _read_toml(path).get("weights")
    if not isinstance(weights, dict) or not all(type(w) in (int, float) and w >= 0 for w in weights.values()):
        raise FormatError(path, 'expected [weights] with lines as in "left arm" = 0.5, numbers from 0 up')
    return {name: float(weight) for name, weight in weights.items()}


def write_bones(bones: Mapping[str, str], path: str | os.PathLike) -> None:
    """Write a map of bones for `read_bones`, whole or not at all."""
    lines = ['# joint of the body that is moved = joint that moves it, "" for none', "[bones]"]
    lines += [f"{_quoted(joint)} = {_quoted(led)}" for joint, led in bones.items()]
    with writing(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("\n".join(lines) + "\n")


def _quoted(text: str) -> str:
    """A TOML basic string."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        shown = text.encode("ascii", "backslashreplace").decode()
        raise MotionError(f"{shown} has bytes that are no letters, which a {NAME} cannot hold")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
