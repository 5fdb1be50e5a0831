"""`labels.toml`: which files take part, which frames of each, and what they show (design/interface.md, Labels)."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from motiongraph.errors import FormatError
from motiongraph.files import writing

NAME = "labels.toml"


@dataclass(frozen=True)
class Entry:
    """One [[clip]]: file, as written, relative to the labels.toml; frames: (start, stop) or None for all; labels."""

    file: str
    frames: tuple[int, int] | None = None
    labels: tuple[str, ...] = ()


def read_labels(path) -> tuple[Entry, ...]:
    """The entries of a labels.toml, or a FormatError that says what is wrong with it."""
    path = Path(path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise FormatError(path, f"cannot be read: {problem.strerror or problem}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise FormatError(path, f"is not a TOML file: {problem}") from problem
    clips = table.get("clip", [])
    if not isinstance(clips, list) or not all(isinstance(c, dict) for c in clips):
        raise FormatError(path, "expected [[clip]] tables")
    return tuple(_entry(path, number, clip) for number, clip in enumerate(clips, start=1))


def _entry(path, number, clip) -> Entry:
    where = f"[[clip]] number {number}"
    file, frames, labels = clip.get("file"), clip.get("frames"), clip.get("labels", [])
    if not isinstance(file, str) or not file:
        raise FormatError(path, f'{where}: expected file = "name"')
    if frames is not None:
        whole = isinstance(frames, list) and len(frames) == 2 and all(type(f) is int for f in frames)
        if not whole or not 0 <= frames[0] < frames[1]:
            raise FormatError(path, f"{where} ({file}): expected frames = [start, stop] with 0 <= start < stop")
        frames = (frames[0], frames[1])
    if isinstance(labels, str):
        labels = [labels]
    if not isinstance(labels, list) or not all(isinstance(label, str) and label for label in labels):
        raise FormatError(path, f'{where} ({file}): expected labels = ["walk", ...]')
    return Entry(file, frames, tuple(labels))


def labels_beside(path: Path) -> dict[str, list[tuple[int, int]]] | None:
    """Label → ranges for a motion file, from the labels.toml in its folder; None where that says nothing of it.

    A range without frames reaches from 0 to as far as there are frames.
    """
    file = path.parent / NAME
    try:
        status = file.stat()
    except OSError:
        return None
    ranges: dict[str, list[tuple[int, int]]] = {}
    for entry in _entries(str(file), status.st_mtime_ns, status.st_size):
        if Path(entry.file).name == path.name and (path.parent / entry.file).parent == path.parent:
            for label in entry.labels:
                ranges.setdefault(label, []).append(entry.frames or (0, 1 << 62))
    return ranges or None


@lru_cache(maxsize=64)
def _entries(path: str, *stamp) -> tuple[Entry, ...]:
    """Read once for all the files of a folder, until it changes."""
    return read_labels(path)


def write_labels(entries, path) -> None:
    """Write entries as a labels.toml, whole or not at all."""
    lines = ["# Which files take part, which frames of each, and what they show."]
    for entry in entries:
        lines += ["", "[[clip]]", f"file = {_quoted(entry.file)}"]
        if entry.frames is not None:
            lines.append(f"frames = [{entry.frames[0]}, {entry.frames[1]}]")
        lines.append(f"labels = [{', '.join(map(_quoted, entry.labels))}]")
    with writing(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("\n".join(lines) + "\n")


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
