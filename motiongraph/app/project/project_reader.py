"""Reading a project file (see `project_file`): all of it is checked, everything that can be had is, and a sentence
names the clips that cannot."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from motiongraph.app.library.entries import Entry, Prepared, prepare
from motiongraph.app.library.reading import Reading
from motiongraph.app.project.project_file import KIND, ORIGIN, Project, upgraded
from motiongraph.app.walk.results import Made
from motiongraph.app.walk.walk_options import options_from_plain
from motiongraph.errors import MotionError
from motiongraph.formats.container import read_container
from motiongraph.formats.load import EXTENSIONS
from motiongraph.formats.record import (
    Record,
    about_file,
    checked_like,
    checked_number,
    checked_rows,
    checked_whole,
)
from motiongraph.formats.scanner import LARGEST
from motiongraph.graph.candidates import Candidates, among
from motiongraph.graph.fitting import fitted
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.store import content_hash
from motiongraph.graph.stored import (
    StoredClip,
    StoredGraph,
    checked_skeleton,
    checked_thresholds,
    transitions_between,
)
from motiongraph.graph.thresholds import Thresholds
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis.synthesize import Origin
from motiongraph.walks.walk import STEP, Walk

_NUMBERS = 2**31  # of entries
_MOST_FILES = 20_000  # files that are looked at to find one that moved
# Figures of a report that are shown together: all of them, or none.
_TOGETHER = (
    ("path_error_mean", "path_error_worst", "path_walked", "path_length", "facing_along"),
    ("slide_mean", "slide_worst"),
)


def load_project(path: Path, progress: Progress = SILENT) -> Project:
    """Read it; entries come prepared for drawing."""
    values, arrays = read_container(path, KIND)
    with about_file(path):
        return _Reader(Record(values, "the project", arrays), progress, Path(path).absolute().parent).project()


class MovedFiles:
    """Looks for files that are no longer where they were: below the folders that a project knows."""

    def __init__(self, folders: Iterable[Path]):
        self.folders = list(dict.fromkeys(folders))
        self.found: dict[Path, Path] = {}  # where a file was → where it is

    @cached_property
    def _files(self) -> list[Path]:
        """Motion files below the folders."""
        walks = (os.walk(folder) for folder in self.folders)
        names = (Path(at, name) for walk in walks for at, _, files in walk for name in files)
        looked_at = dict.fromkeys(islice(names, _MOST_FILES))
        return [file for file in looked_at if file.suffix.lower() in EXTENSIONS]

    def places(self, file: Path, size: int | None) -> list[Path]:
        """Files that may be it: of the same name, or renamed but of the same kind and size in bytes."""
        named = [place for place in self._files if place.name == file.name]
        alike = [place for place in self._files if place.suffix == file.suffix and place not in named]
        return named + [place for place in alike if size is not None and os.path.getsize(place) == size]

    def sentences(self) -> list[str]:
        if not self.found:
            return []
        old, new = next(iter(self.found.items()))
        more = f" and {len(self.found) - 1} more files" if len(self.found) > 1 else ""
        return [f"{old.name}{more} moved: found in {new.parent}"]


@dataclass(frozen=True, eq=False)
class _Graph:
    """A graph of the file."""

    candidates: Candidates | None  # None where too little of it is left
    clips: Sequence[StoredClip]  # one for each of the graph's clips as it was
    stays: np.ndarray  # (C,) bool, which of them are left
    window: int

    @property
    def number(self) -> np.ndarray:
        """(C,) the numbers that the clips have now."""
        return np.cumsum(self.stays) - 1


class _Reader:
    """Reads one file, part after part."""

    def __init__(self, head: Record, progress: Progress, folder: Path):
        self.head, self.progress = head, progress
        self.skeletons = [checked_skeleton(saved) for saved in head.records("skeletons")]
        self.stored: list[StoredClip] = []  # the clips as the file describes them
        self.clips: list[Clip | None] = []  # None where one cannot be had
        self.graphs: list[_Graph] = []
        self.views: dict[tuple[int, Thresholds, bool], MotionGraph] = {}  # so that equal ones are the same
        self.ready: dict[int, Prepared] = {}  # by the id of a clip
        self.notes: list[str] = []
        places = (Path(row.word("path")).parent for row in head.records("clips") if "path" in row)
        self.moved = MovedFiles([folder, *places])
        self.missing: list[str] = []  # names of clips that cannot be had
        self.bare: list[str] = []  # names of results that no longer know how they were made

    def project(self) -> Project:
        head, rows = self.head, self.head.records("clips")
        self.stored = [StoredClip.of(row, self.skeletons, "file") for row in rows]
        for i, stored in enumerate(self.stored):
            self.progress(0.5 * i, len(rows), stored.name)
            self.clips.append(self._clip(stored, f"clips/{i}"))
        self.graphs = [self._graph(row, f"graphs/{i}/table") for i, row in enumerate(head.records("graphs"))]
        graph, entries = self._view(head, "graph"), dict[int, Entry]()
        listed = head.records("entries")
        for i, row in enumerate(listed):
            self.progress(len(listed) + i, 2 * len(listed), "")
            if (entry := self._entry(row)) is not None:
                if entry.number in entries:
                    raise MotionError(f"there are two clips of number {entry.number}")
                entries[entry.number] = entry
        plain = {n.removeprefix("plain/"): array for n, array in head.arrays.items() if n.startswith("plain/")}
        notes = (*self.notes, *self.moved.sentences(), *self._losses(graph))
        parts = upgraded(head.record("plain").values)
        return Project(tuple(entries.values()), graph, parts, plain, notes, self.ready)

    def _losses(self, graph: MotionGraph | None) -> list[str]:
        """One sentence, if anything is lost."""
        if not self.missing:
            return []
        ways = "their files have" if len(self.missing) > 1 else "its file has"
        said = f"{', '.join(self.missing)} could not be opened again, because {ways} changed or gone"
        if self.head.has("graph") and graph is None:
            said += "; there is no graph without them"
        if self.bare:
            said += f"; {', '.join(self.bare)} came back as motion only"
        return [said]

    def _clip(self, stored: StoredClip, prefix: str) -> Clip | None:
        row = stored.record
        if "stretch" in row:
            ((number, start),) = checked_rows([row.get("stretch")], "stretch", 2)
            whole = self.clips[checked_whole(number, "the clip of a stretch", 0, len(self.clips) - 1)]
            if whole is None:
                return None
            start = checked_whole(start, "the start of a stretch", 0, len(whole) - stored.frames)
            part = whole[start : start + stored.frames]
            if (part.fps, part.skeleton) != (stored.fps, stored.skeleton):
                raise MotionError(f"{row.name} is no stretch of another")
            return replace(part, first=stored.first, **stored.words(len(part)))
        changed = ""
        if "path" in row:
            clip, changed = self._read(Path(row.word("path")), stored)
            if clip is not None:
                return replace(clip, **stored.words(len(clip)))
        if not stored.has_arrays(prefix):
            self.missing.append(stored.name)
            return None
        if changed:
            self.notes.append(f"{changed}; the project's own copy of {stored.name} is used")
        return stored.clip(prefix)

    def _read(self, file: Path, stored: StoredClip) -> tuple[Clip | None, str]:
        """A clip from its file, wherever that is now; or None and what is wrong with the file."""
        row, there = stored.record, os.path.exists(file)
        reading = Reading.from_plain(row.get("reading")) if "reading" in row else Reading()
        size = row.whole("bytes", 0, 2**53) if "bytes" in row else None
        problem = f"{file} is no longer what it was" if there else ""
        for place in [file] if there else self.moved.places(file, size):
            try:
                # A clip that came with a graph is packed.
                found = [
                    form
                    for clip in reading.clips(place)
                    for form in (clip, clip.packed())
                    if content_hash(form) == row.word("hash")
                ]
            except (MotionError, OSError) as wrong:
                problem = str(wrong) if there else problem
                continue
            if found and len(found[0]) == stored.frames:
                if not there:
                    self.moved.found[file] = place
                return found[0], ""
        return None, problem

    def _graph(self, row: Record, key: str) -> _Graph:
        """A graph without the clips that are gone, as long as the others are still of the body it was made for."""
        numbers = [checked_whole(n, "a clip of the graph", 0, len(self.clips) - 1) for n in row.rows("originals")]
        if not numbers:
            raise MotionError(f"{row.name} has no clips")
        stored, found, graph = [self.stored[n] for n in numbers], [self.clips[n] for n in numbers], StoredGraph.of(row)
        body = self.skeletons[row.whole("body", 0, len(self.skeletons) - 1)]
        table, each = graph.table(key, stored), 2 if graph.mirror else 1
        stays, window = np.repeat([clip is not None for clip in found], each), graph.metric.frames(stored[0].fps)
        clips, originals = [one for one in stored for _ in range(each)], [clip for clip in found if clip is not None]
        used = fitted(originals, graph.mirror, bones=graph.bones) if originals else ()
        if not used or (not stays.all() and used[0].skeleton != body):
            return _Graph(None, clips, stays, window)
        return _Graph(graph.candidates(originals, used, among(table, stays)), clips, stays, window)

    def _view(self, saved: Record, key: str) -> MotionGraph | None:
        """One of the graphs at its thresholds."""
        if not saved.has(key):
            return None
        row = saved.record(key)
        number, auto = row.whole("graph", 0, len(self.graphs) - 1), row.flag("auto")
        thresholds, candidates = checked_thresholds(row.record("thresholds")), self.graphs[number].candidates
        if candidates is None:
            return None
        if (number, thresholds, auto) not in self.views:
            graph = MotionGraph(candidates, thresholds, is_pruned=True)
            graph.is_auto = auto
            self.views[number, thresholds, auto] = graph
        return self.views[number, thresholds, auto]

    def _entry(self, row: Record) -> Entry | None:
        """None where its clip is gone."""
        number, used = row.whole("number", 1, _NUMBERS), row.flag("used")
        clip = self.clips[row.whole("clip", 0, len(self.clips) - 1)]
        if clip is None:
            return None
        start = row.whole("start", 0, len(clip) - 1)
        stop = row.whole("stop", start + 1, len(clip))
        file, made = Path(row.word("path")) if row.has("path") else None, None
        if "made" in row:
            saved, prefix = row.record("made"), f"made/{number}"
            graph = self._view(saved, "graph")
            found = None if graph is None else self._made(saved, prefix, graph, len(clip), len(clip.skeleton))
            if found is None:
                self.bare.append(clip.name)
            else:
                made, clip = found[0], replace(clip, origin=found[1])
        file = self.moved.found.get(file, file) if file else None
        return Entry(number, clip, prepare(clip), file, start, stop, used, made)

    def _made(
        self, saved: Record, prefix: str, graph: MotionGraph, frames: int, joints: int
    ) -> tuple[Made, Origin] | None:
        """How a result of so many frames and joints was made, and of what; None where a clip that it plays is gone."""
        held = self.graphs[saved.record("graph").whole("graph", 0, len(self.graphs) - 1)]
        steps = saved.table(f"{prefix}/steps", STEP).copy()
        jumps = transitions_between(saved, f"{prefix}/transitions", held.clips, held.window).copy()
        _within(steps["clip"], 0, len(held.clips), "a step of a walk")
        origin = self._origin(saved.record("origin"), f"{prefix}/origin", held, frames, joints, len(steps))
        played = (steps["clip"], jumps["src"], jumps["dst"], origin.clip, origin.other[origin.other >= 0])
        if not all(held.stays[clips].all() for clips in played):
            return None
        number = held.number
        steps["clip"], jumps["src"], jumps["dst"] = number[steps["clip"]], number[jumps["src"]], number[jumps["dst"]]
        other = np.where(origin.other >= 0, number[origin.other], -1)
        names = tuple(name for name, stay in zip(origin.names, held.stays) if stay)
        origin = replace(origin, names=names, clip=number[origin.clip], other=other)
        about, placed = saved.record("walk"), saved.record("walk").numbers("placed", 3)

        def optional(name: str, shape: tuple[int | None, int]) -> np.ndarray | None:
            return saved.array(f"{prefix}/{name}", "f", shape) if f"{prefix}/{name}" in saved.arrays else None

        walk = Walk(
            graph.clips, graph.window, graph.fps, steps, jumps, about.word("method"), about.flag("complete"),
            about.word("note"), about.number("seconds"), placed=(placed[0], placed[1], placed[2]), metric=graph.metric,
            path=optional("path", (None, 2)), turns=optional("turned", (frames, 3)),
        )  # fmt: skip
        numbers = saved.rows("numbers") if "numbers" in saved and saved.has("numbers") else [-1] * len(held.clips)
        if len(numbers) != len(held.clips):
            raise MotionError(f"numbers of {saved.name} has {len(numbers)} items, not {len(held.clips)}")
        numbers = [checked_whole(n, "a clip of a walk", -1, _NUMBERS) for n, stay in zip(numbers, held.stays) if stay]
        entries = tuple(self._shown(n, clip) for n, clip in zip(numbers, graph.clips))
        method, seed = saved.word("method"), saved.whole("seed", 0, 2**63)
        options = options_from_plain(method, saved.record("options"))
        asked, driven = optional("asked", (None, 2)), optional("turns", (len(jumps), 3))
        report = _report(saved.record("report"), walk)
        return Made(walk, method, options, seed, report, asked, entries, graph, driven), origin

    def _origin(self, saved: Record, prefix: str, held: _Graph, frames: int, joints: int, steps: int) -> Origin:
        names = saved.words("names")
        if len(names) != len(held.clips):
            raise MotionError(f"the origin of a result has {len(names)} names, not {len(held.clips)}")
        whole = {n: saved.array(f"{prefix}/{n}", "iu", (frames,)) for n in ORIGIN[:5]}
        lengths, what = np.array([clip.frames for clip in held.clips]), "the origin of a result"
        weight = saved.array(f"{prefix}/weight", "f", (frames,))
        for name, low, high in (("clip", 0, len(names)), ("other", -1, len(names)), ("step", 0, steps)):
            _within(whole[name], low, high, what)
        _within(whole["frame"], 0, lengths[whole["clip"]], what)
        _within(whole["other_frame"], -1, lengths[whole["other"]], what)
        _within(weight, 0, 2, what)
        feet = tuple(checked_whole(joint, "a foot", 0, joints - 1) for joint in saved.rows("joints"))
        planted = saved.array(f"{prefix}/planted", "b", (frames, len(feet)))
        floor = saved.number("floor") if saved.has("floor") else None
        return Origin(names, **whole, weight=weight, planted=planted, joints=feet, floor=floor)

    def _shown(self, number: int, clip: Clip) -> Entry:
        """One of a graph's clips, for drawing poses of it."""
        if id(clip) not in self.ready:
            self.progress(1, 2, f"looking at {clip.name}")
            self.ready[id(clip)] = prepare(clip)
        return Entry(number, clip, self.ready[id(clip)], start=clip.first, stop=len(clip))


def _within(numbers: np.ndarray, low: int, high: int | np.ndarray, what: str) -> None:
    """All from `low` up to below `high`, or a sentence."""
    if not ((numbers >= low) & (numbers < high)).all():
        raise MotionError(f"{what} names what is not there")


def _report(saved: Record, walk: Walk) -> dict[str, Any]:
    """The figures of a result: those that every walk has, and what else the file knows. What is no number is left
    out, as are figures without those that are shown with them."""
    report = walk.report()
    for name, value in saved.values.items():
        if name in report:
            report[name] = checked_like(value, report[name], name)
        elif name in ("captured", "advice"):
            if value is not None:
                report[name] = {key: checked_number(figure, key) for key, figure in saved.record(name).values.items()}
        elif isinstance(value, bool | int | float) and abs(value) <= LARGEST:
            report[name] = value
    for group in _TOGETHER:
        if not all(name in report for name in group):
            report = {name: value for name, value in report.items() if name not in group}
    missed = "path_error_mean" if walk.method == "path" else "end_distance"
    if missed not in report or not {"threshold", "missed"} <= set(report.get("advice", ())):
        report.pop("advice", None)
    return report
