"""What is needed to show a graph: its clips prepared for drawing, the entries they came from, and its lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.graph.lanes import Lanes
from motiongraph.app.library.entries import Entry, Prepared, prepare
from motiongraph.graph.build import same_motion
from motiongraph.metric.metric import Metric
from motiongraph.model.labels import Labels
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.model.clip import Clip


@dataclass(frozen=True)
class Options:
    """How the next graph is built."""

    mirror: bool = False  # mirror images take part
    fps: float | None = None  # rate of the graph, None for the one most clips have
    metric: Metric | None = None  # None for the usual one


@dataclass(frozen=True, eq=False)
class Source:
    """What one of a graph's originals was made from: frames start … stop of an entry, whose clip has this root."""

    number: int
    root: np.ndarray
    start: int
    stop: int

    @classmethod
    def of(cls, entry: Entry) -> Source:
        return cls(entry.number, entry.clip.root, entry.start, entry.stop)

    def same(self, entry: Entry) -> bool:
        """Whether the entry still has that motion, whatever its labels."""
        here = entry.number, entry.start, entry.stop
        return here == (self.number, self.start, self.stop) and entry.clip.root is self.root


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is needed to show a graph."""

    entries: tuple[Entry, ...]  # one for each of its clips; `number` is that of the library's entry it is from, or −1
    sources: tuple[Source | None, ...]  # one for each original, None where it has no entry
    asked: tuple[tuple[Source, Labels | None], ...]  # all that the graph was asked for, left out or not, with labels
    left_out: tuple[str, ...]  # sentences about clips that could not take part, or are alone
    lanes: Lanes


def drawing(
    graph: MotionGraph,
    entries: Sequence[Entry],
    sources: Sequence[Source | None],
    progress: Progress = SILENT,
    ready: dict[int, Prepared] | None = None,
    left_out: Iterable[str] = (),
) -> Drawn:
    """What is needed to show a graph made from entries of the library; ready: id of a clip → what is prepared of it."""
    ready = {id(entry.clip): entry.prepared for entry in entries} | (ready or {})
    numbers = {entry.number for entry in entries}
    each = 2 if graph.candidates.mirror else 1
    found = []
    for i, clip in enumerate(graph.clips):
        progress(i, len(graph.clips), f"looking at {clip.name}")
        source = sources[i // each]
        number = source.number if source and source.number in numbers else -1
        found.append(Entry(number, clip, ready.get(id(clip)) or prepare(clip), start=clip.first, stop=len(clip)))
    asked = tuple((Source.of(entry), entry.clip.labels) for entry in entries)
    return Drawn(tuple(found), tuple(sources), asked, tuple(left_out), Lanes.of(graph))


def sources_of(graph: MotionGraph, entries: Sequence[Entry]) -> list[Source | None]:
    """Which entry each original of a graph from a file has the motion of."""
    free, found = [entry for entry in entries if not entry.made], []
    for clip in graph.candidates.originals:
        match = next((entry for entry in free if _alike(clip, entry)), None)
        found.append(Source.of(match) if match else None)
        if match:
            free.remove(match)
    return found


def _alike(clip: Clip, entry: Entry) -> bool:
    if clip.skeleton != entry.clip.skeleton:
        return False
    if clip.fps != entry.clip.fps and not clip.name.startswith(entry.name):
        return False  # resampling takes a while: only where the name says that it may be the same
    part = entry.part.resampled(clip.fps)
    return len(part) == len(clip) and same_motion(clip, part)


def drawable(graph: MotionGraph | None, entries: Sequence[Entry]) -> Drawn | None:
    """What is needed to show a graph that came from a file; entries: of the library. Takes as long as loading them."""
    if graph is None:
        return None
    sources = sources_of(graph, entries)
    held = {source.number for source in sources if source}
    return drawing(graph, [entry for entry in entries if entry.number in held], sources)
