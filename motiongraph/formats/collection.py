"""Files, folders and labels.toml: which motion of them takes part, and reading it file by file.

One rule for the command line, the API and the window. A labels.toml that is given, or that stands in a folder that is
given, chooses: of the files it speaks for only those it lists take part, cut to their `frames`. It speaks for its
folder and all below, as far as no other does. A file that is named by itself always takes part, whole unless a
labels.toml beside it says otherwise. Entries of one file that touch make one clip with labels on ranges of its frames;
a gap between them makes two.
"""

import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from errno import EACCES
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.files import unreadable
from motiongraph.formats.descriptions import chosen, description_of, label_of
from motiongraph.formats.labels_file import NAME, Entry, Spans, grouped, read_labels
from motiongraph.formats.load import KINDS, annotated, load_clips, may_hold_motion
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Span
from motiongraph.progress import SILENT, Progress

Paths: TypeAlias = str | os.PathLike | Iterable[str | os.PathLike]
OnError: TypeAlias = Callable[[Path, MotionError], None]  # path, and what is wrong with it
MUCH = 1 << 29  # bytes of poses from which on clips are packed
_ENDLESS = 1 << 62  # the stop of a range that reaches to the last frame


@dataclass(frozen=True)
class Part:
    """A stretch of a file that takes part."""

    file: Path
    frames: Span | None = None  # start and stop by the file's numbers, or None for all
    labels: tuple[tuple[str, int, int], ...] | None = None  # word, start, stop likewise; None for what `load` finds
    contacts: Spans | None = None  # foot joint, start, stop likewise; None for what `load` finds
    alone: bool = True  # whether no other part is of this file


def load_all(paths: Paths, progress: Progress = SILENT, on_error: OnError | None = None, **options: Any) -> list[Clip]:
    """Load all clips of many files and folders (searched for motion) side by side, in order; options as for `load`.

    on_error(path, error) is called for a file that fails, which is then left out; without it the error is raised.
    """
    return [clip for _, clips in read_files(find_files(paths), progress, on_error, **options) for clip in clips]


def load_collection(
    paths: Paths,
    labels: str | os.PathLike | None = None,
    progress: Progress = SILENT,
    on_error: OnError | None = None,
    where: str | None = None,
    **options: Any,
) -> list[Clip]:
    """Load what `find_parts` finds, in its order and cut to its frames; on_error and options as for `load_all`.

    Clips of many large files are packed as they come (`Clip.packed`): together they would not fit into memory.
    """
    clips, size = [], 0
    for part, clip in read_collection(paths, labels, progress, on_error, where, **options):
        clips.append(_cut(clip, part))
        size += clip.root.nbytes + clip.rotations.nbytes
        if size > MUCH:
            clips = [clip.packed() for clip in clips] if size < np.inf else [*clips[:-1], clips[-1].packed()]
            size = np.inf
    return clips


def read_collection(
    paths: Paths,
    labels: str | os.PathLike | None = None,
    progress: Progress = SILENT,
    on_error: OnError | None = None,
    where: str | None = None,
    **options: Any,
) -> Iterator[tuple[Part, Clip]]:
    """Every part that `find_parts` finds, one by one, with the whole clip of its file under the part's name and labels.

    on_error(path, problem) is called for what cannot be found or read, and the rest is read; without it the problem is
    raised. Options as for `load`.
    """
    of_file: dict[Path, list[Part]] = {}
    for part in find_parts(paths, labels, on_error, where):
        of_file.setdefault(part.file, []).append(part)
    for file, clips in read_files(list(of_file), progress, on_error, **options):
        for part in of_file[file]:
            yield from ((part, named(clip, part)) for clip in clips)


def read_files(
    files: Iterable[Path], progress: Progress = SILENT, on_error: OnError | None = None, **options: Any
) -> Iterator[tuple[Path, list[Clip]]]:
    """Every file and its clips, in order. A few files are read ahead on all processors, so that what is not kept by the
    caller takes little memory however many there are. on_error and options as for `load_all`."""
    files = list(files)
    ahead: deque[Future[list[Clip]]] = deque()
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number, file in enumerate(files):
                while len(ahead) <= 2 * workers and number + len(ahead) < len(files):
                    ahead.append(pool.submit(load_clips, files[number + len(ahead)], **options))
                progress(number, len(files), file.name)
                try:
                    clips = ahead.popleft().result()
                except MotionError as problem:
                    if on_error is None:
                        raise
                    on_error(file, problem)
                    continue
                yield file, clips
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    progress(len(files), len(files), "")


def find_files(paths: Paths, on_error: OnError | None = None) -> list[Path]:
    """The motion files among files and folders; folders are searched to the bottom, each in order of names.

    on_error(path, problem) is called for folders within that cannot be searched; without it they are warned of.
    """
    found: list[Path] = []
    for path in _listed_paths(paths):
        if not os.path.isdir(path):
            found.append(path)
            continue
        inside: list[Path] = []
        for folder, _, names in os.walk(path, onerror=lambda problem: _not_searched(problem, on_error)):
            if not os.access(folder, os.X_OK):  # names can be listed, but not what they stand for
                _not_searched(PermissionError(EACCES, os.strerror(EACCES), folder), on_error)
                continue
            inside += [file for name in names if may_hold_motion(file := Path(folder, name))]
        if not inside:
            raise FormatError(path, f"this folder holds no {KINDS} file with motion")
        found += sorted(inside)
    return found


def _not_searched(problem: OSError, on_error: OnError | None) -> None:
    path = Path(os.fsdecode(problem.filename))
    said = FormatError(path, f"cannot be searched: {problem.strerror}")
    if on_error is not None:
        on_error(path, said)
    else:
        warnings.warn(f"{said}; what is in it was left out", FormatWarning, stacklevel=4)


def _listed_paths(paths: Paths) -> list[Path]:
    return [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(path) for path in paths]


def find_parts(
    paths: Paths,
    labels: str | os.PathLike | None = None,
    on_error: OnError | None = None,
    where: str | None = None,
) -> list[Part]:
    """The parts of files that take part. paths: files, folders, and labels.toml files, which stand for all they list;
    labels: a labels.toml that chooses among all of them, wherever it lies. on_error(path, problem) is called for what
    cannot be found or read, and the rest takes part; without it, that is raised. where: a pattern that the name of a
    file, its labels or its description must hold, as in "walk|run"."""
    wanted = None if where is None else chosen(where)
    if labels is not None:
        parts = _chosen(Path(labels), _listed_paths(paths))
    else:
        parts = []
        for path in _listed_paths(paths):
            try:
                parts += _parts(path, on_error)
            except (MotionError, OSError) as problem:
                said = unreadable(path, problem) if isinstance(problem, OSError) else problem
                if on_error is None:
                    raise said from None
                on_error(path, said)
    parts = list(dict.fromkeys(parts))  # what is named twice takes part once
    if wanted is None:
        return parts
    found = [part for part in parts if wanted.search(_about(part))]
    if parts and not found:
        raise MotionError(f"none of {len(parts):,} clips has {where!r} in its name, labels or description")
    return found


def _about(part: Part) -> str:
    """All that is known of a part before its file is read."""
    words = [label_of(part.file) or ""] if part.labels is None else [word for word, _, _ in part.labels]
    return " ".join([part.file.stem, *words, description_of(part.file)])


def _parts(path: Path, on_error: OnError | None) -> list[Part]:
    if not os.path.exists(path):  # says no to any text; Path.exists raises where a name is too long
        raise MotionError(f"{path}: there is no such file or folder")
    if path.suffix.lower() == ".toml":
        if on_error is not None:
            return [part for parts in _listed(path, on_error).values() for part in parts]
        return _joined([(_existing(path, entry, [path.parent]), entry) for entry in read_labels(path)])
    if not path.is_dir():
        beside = path.parent / NAME
        if beside.is_file():
            return _listed(beside, on_error and _ignore).get(path.absolute()) or [Part(path)]
        return [Part(path)]
    parts: list[Part] = []
    listed: dict[Path, dict[Path, list[Part]]] = {}
    for file in find_files(path, on_error):
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


def _ignore(path: Path, problem: MotionError) -> None:
    """For files beside the one that was asked for."""


def _listed(path: Path, on_error: OnError | None = None) -> dict[Path, list[Part]]:
    """Absolute path of every file that a labels.toml lists → its parts; missing ones are reported."""
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
    for part in _joined(found):
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
    return _joined(found)


def _existing(labels: Path, entry: Entry, folders: Iterable[Path], preferred: Iterable[Path] = ()) -> Path:
    """The file of an entry, looked for in these folders; one that is preferred comes first."""
    folders = list(dict.fromkeys(folders))
    files = [folder / entry.file for folder in folders if (folder / entry.file).is_file()]
    if not files:
        raise FormatError(labels, f"there is no file {entry.file!r} in {' or '.join(map(str, folders))}")
    return next((file for file in files if file.absolute() in preferred), files[0])


def _joined(found: list[tuple[Path, Entry]]) -> list[Part]:
    """One part of every stretch of a file without gaps, in the order the files are first listed."""
    entries: dict[Path, list[Entry]] = {}
    for file, entry in found:
        entries.setdefault(file, []).append(entry)
    parts = []
    for file, own in entries.items():
        ranges = [entry.frames or (0, _ENDLESS) for entry in own]
        words = tuple((word, start, stop) for entry, (start, stop) in zip(own, ranges) for word in entry.labels)
        spans: list[Span] = []
        for start, stop in sorted(ranges):
            if spans and start <= spans[-1][1]:
                spans[-1] = spans[-1][0], max(spans[-1][1], stop)
            else:
                spans.append((start, stop))
        given = [entry.contacts for entry in own if entry.contacts is not None]
        contacts = tuple(span for one in given for span in one) if given else None
        if any(entry.frames is None for entry in own):
            parts.append(Part(file, None, words, contacts))
        else:
            parts += [Part(file, span, words, contacts, len(spans) == 1) for span in spans]
    return parts


def named(clip: Clip, part: Part) -> Clip:
    """All of the clip of a part's file, with the part's labels, contacts and name."""
    if part.labels is not None:
        ranges: dict[str, list[Span]] = {}
        for word, start, stop in part.labels:
            ranges.setdefault(word, []).append((min(start, len(clip)), min(stop, len(clip))))
        clip = clip.labelled(ranges)
    if part.contacts is not None:
        clip = annotated(clip, grouped(part.contacts), part.file)
    if part.alone or part.frames is None:
        return clip
    return clip.described(name=f"{clip.name}_{part.frames[0]}")


def _cut(clip: Clip, part: Part) -> Clip:
    """The frames of a part, from the clip of its file."""
    if part.frames is None:
        return clip
    start, stop = part.frames
    if start >= len(clip):
        raise MotionError(f"{part.file} has frames 0 to {len(clip) - 1}; its labels ask for {start} to {stop - 1}")
    if stop > len(clip):
        asked = f"{part.file} has frames 0 to {len(clip) - 1}; its labels ask for {start} to {stop - 1}"
        warnings.warn(f"{asked}, the last ones are missing", FormatWarning, stacklevel=3)
    return clip[start:stop]
