"""Which motion of which files takes part, as paths and labels.toml say (design/interface.md, Labels).

One rule for the command line, the API and the window. A labels.toml that is given, or that stands in a folder that is
given, chooses: of the files it speaks for only those it lists take part, cut to their `frames`. It speaks for its
folder and all below, as far as no other does. A file that is named by itself always takes part, whole unless a
labels.toml beside it says otherwise. Entries of one file that touch make one clip with labels on ranges of its frames;
a gap between them makes two.
"""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path

from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.formats.labels_file import NAME, Entry, read_labels
from motiongraph.formats.load import find_files, load_each
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT


@dataclass(frozen=True)
class Part:
    """A stretch of a file. frames: (start, stop) by the file's numbers, or None for all; labels: (word, start, stop)
    by the same numbers, or None for what `load` finds; alone: whether no other part is of this file."""

    file: Path
    frames: tuple[int, int] | None = None
    labels: tuple[tuple[str, int, int], ...] | None = None
    alone: bool = True


def load_collection(paths, labels=None, progress=SILENT, on_error=None, **options) -> list[Clip]:
    """Load what `find_parts` finds, in its order; on_error and options as for `load_all`."""
    parts = find_parts(paths, labels)
    files = list(dict.fromkeys(part.file for part in parts))
    clips = load_each(files, progress=progress, on_error=on_error, **options)
    return [_cut(clip, part) for part in parts for clip in clips.get(part.file, ())]


def find_parts(paths, labels=None, on_error=None) -> list[Part]:
    """The parts of files that take part. paths: files, folders, and labels.toml files, which stand for all they list;
    labels: a labels.toml that chooses among all of them, wherever it lies. on_error(path, problem) is told what cannot
    be found or read, and the rest takes part; without it, that is raised."""
    paths = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    if labels is not None:
        parts = _chosen(Path(labels), paths)
    else:
        parts = []
        for path in paths:
            try:
                parts += _parts(path, on_error)
            except (MotionError, OSError) as problem:
                if on_error is None:
                    raise
                on_error(path, problem)
    return list(dict.fromkeys(parts))  # what is named twice takes part once


def _parts(path: Path, on_error) -> list[Part]:
    if path.suffix.lower() == ".toml":
        if on_error is not None:
            return [part for parts in _listed(path, on_error).values() for part in parts]
        return _joined(path, [(_existing(path, entry, [path.parent]), entry) for entry in read_labels(path)])
    if not path.is_dir():
        beside = path.parent / NAME
        if beside.is_file():
            others = on_error and (lambda path, problem: None)  # files beside the one that was asked for
            return _listed(beside, others).get(path.absolute()) or [Part(path)]
        return [Part(path)]
    parts, listed = [], {}
    for file in find_files(path):
        ruler = next((f / NAME for f in file.parents if f.is_relative_to(path) and (f / NAME).is_file()), None)
        if ruler is None:
            parts.append(Part(file))
            continue
        if ruler not in listed:
            listed[ruler] = _listed(ruler, on_error)
        parts += [replace(part, file=file) for part in listed[ruler].get(file.absolute(), ())]
    if not parts:
        raise FormatError(path / NAME, "lists no file of this folder")
    return parts


def _listed(path: Path, on_error=None) -> dict[Path, list[Part]]:
    """Absolute path of every file that a labels.toml lists → its parts; those that are missing are told of."""
    found = []
    for entry in read_labels(path):
        file = path.parent / entry.file
        if file.is_file():
            found.append((file, entry))
        elif on_error is not None:
            on_error(path, FormatError(path, f"there is no file {entry.file!r}"))
        else:
            warnings.warn(f"{path}: there is no file {entry.file!r}", FormatWarning, stacklevel=2)
    parts: dict[Path, list[Part]] = {}
    for part in _joined(path, found):
        parts.setdefault(part.file.absolute(), []).append(part)
    return parts


def _chosen(labels: Path, paths: list[Path]) -> list[Part]:
    """What `labels` lists of the files at `paths`: beside it, in one of the folders, or among the files by name."""
    asked = {file.absolute() for path in paths for file in find_files(path)}
    folders = [path for path in paths if path.is_dir()]
    folders += [path.parent for path in paths if not path.is_dir()]
    found = []
    for entry in read_labels(labels):
        file = _existing(labels, entry, [*folders, labels.parent], asked)
        if file.absolute() in asked:
            found.append((file, entry))
    if not found:
        raise FormatError(labels, "lists none of the files given")
    return _joined(labels, found)


def _existing(labels, entry: Entry, folders, preferred=()) -> Path:
    """The file of an entry, looked for in these folders; one that is preferred comes first."""
    files = [folder / entry.file for folder in folders if (folder / entry.file).is_file()]
    if not files:
        raise FormatError(labels, f"there is no file {entry.file!r} in {' or '.join(map(str, dict.fromkeys(folders)))}")
    return next((file for file in files if file.absolute() in preferred), files[0])


def _joined(path, found: list[tuple[Path, Entry]]) -> list[Part]:
    """One part of every stretch of a file without gaps, in the order the files are first listed."""
    entries: dict[Path, list[Entry]] = {}
    for file, entry in found:
        entries.setdefault(file, []).append(entry)
    parts = []
    for file, own in entries.items():
        words = tuple((word, *(e.frames or (0, 1 << 62))) for e in own for word in e.labels)
        spans: list[list[int]] = []
        for start, stop in sorted(e.frames or (0, 1 << 62) for e in own):
            if spans and start <= spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], stop)
            else:
                spans.append([start, stop])
        if any(e.frames is None for e in own):
            parts.append(Part(file, None, words))
        else:
            parts += [Part(file, (start, stop), words, len(spans) == 1) for start, stop in spans]
    return parts


def named(clip: Clip, part: Part) -> Clip:
    """All of the clip of a part's file, with the part's labels and name."""
    if part.labels is not None:
        ranges: dict[str, list] = {}
        for word, start, stop in part.labels:
            ranges.setdefault(word, []).append((start, min(stop, len(clip))))
        clip = clip.labelled(ranges)
    return clip if part.alone else replace(clip, name=f"{clip.name}_{part.frames[0]}")


def _cut(clip: Clip, part: Part) -> Clip:
    """The clip of a part, from that of its file."""
    clip = named(clip, part)
    if part.frames is None:
        return clip
    start, stop = part.frames
    if start >= len(clip):
        raise MotionError(f"{part.file} has frames 0 to {len(clip) - 1}; its labels ask for {start} to {stop - 1}")
    if stop > len(clip):
        asked = f"{part.file} has frames 0 to {len(clip) - 1}; its labels ask for {start} to {stop - 1}"
        warnings.warn(f"{asked}, the last ones are missing", FormatWarning, stacklevel=3)
    return clip[start:stop]
