"""What is needed to show a graph: its clips prepared for drawing, and its lanes and curves.

As in the dissertation's figures 4.5 and 5.6, clips lie in time and transitions join them. Here are the numbers, in
seconds and lanes, downwards; the viewer says how they look. Curves are those of `graph.picture`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.library.entries import Entry, Prepared, prepare_for
from motiongraph.graph.build import same_motion
from motiongraph.graph.picture import along, arc_height, bent
from motiongraph.graph.rules import Rules
from motiongraph.metric.metric import Metric
from motiongraph.model.despike import despiked
from motiongraph.model.labels import Labels
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.auto_labels import named_clusters

if TYPE_CHECKING:
    from motiongraph.graph.clusters import Clusters
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.model.clip import Clip
    from motiongraph.model.poses import Later


DIM, KEPT, DEAD = 0, 1, 2  # cheap enough but pruned; survives pruning; leads where its clip only ends
MOST = 20_000  # curves drawn at once
_BANDS = 96  # bands of lanes that bundles tell apart
_FAR = 12.0  # pixels beyond which nobody means a curve
KINDS = ("all", "within", "between")


@dataclass(frozen=True)
class Filter:
    """Which transitions are drawn."""

    labels: frozenset[str] = frozenset()  # only curves with one of these words at an end; all where empty
    kind: str = "all"  # one of KINDS: within clips or between them
    kept: bool = False  # only what survives pruning


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves that are drawn."""

    index: np.ndarray  # (k,) which of the lanes' curves
    state: np.ndarray  # (k,) DIM, KEPT or DEAD
    of: int  # how many there are to be drawn; of those in a bundle the cheapest is
    exits: np.ndarray  # (C,) as `last_exits` gives


@dataclass(frozen=True, eq=False)
class Lanes:
    """All curves of a graph, the cheapest first; a transition and the one back are the same curve. A clip and its
    mirror image share a lane; lanes have the order of the graph's clusters."""

    rows: np.ndarray  # (n, 8) float32 seconds and lane of both ends, cost, and three to spare, as they are drawn
    there: np.ndarray  # (n,) the candidate that leaves the first end
    back: np.ndarray  # (n,) the candidate that leaves the second end; the same where there is only one way
    sets: np.ndarray  # (n, 2) which set of labels either end has
    into: np.ndarray  # (n, 2, 2) clip and frame where `there` and `back` arrive
    clips: np.ndarray  # (n, 2) the clips of both ends
    lane: np.ndarray  # (C,) the lane of each clip, −1 where it is not shown
    shown: np.ndarray  # (L,) the clip of each lane, never a mirror image
    seconds: np.ndarray  # (L,) how long it is

    @classmethod
    def of(cls, graph: MotionGraph) -> Lanes:
        table, firsts = graph.candidates.table, np.array([clip.first for clip in graph.clips])
        places = [table[end].astype(np.int64) << 32 | table[f"{end}_frame"] for end in ("src", "dst")]
        low, high = np.minimum(*places), np.maximum(*places)
        order = np.lexsort((places[0] != low, high, low))
        low, high = low[order], high[order]
        twin = np.append((low[1:] == low[:-1]) & (high[1:] == high[:-1]), False)[: len(low)]
        lead = np.flatnonzero(~np.append(False, twin[:-1])[: len(low)])
        there = order[lead]
        back = np.where(twin[lead], order[np.minimum(lead + 1, max(len(order) - 1, 0))], there) if len(lead) else there
        cheap = np.argsort(table["cost"][there], kind="stable")
        there, back = there[cheap].astype(np.int32), back[cheap].astype(np.int32)
        rows, middle = table[there], 0.5 * graph.window
        drawn = np.zeros((len(there), 8), np.float32)
        drawn[:, 4] = rows["cost"]
        sets = np.empty((len(there), 2), np.int32)
        for k, end in enumerate(("src", "dst")):
            drawn[:, 2 * k] = (rows[f"{end}_frame"] - firsts[rows[end]] + middle) / graph.fps
            sets[:, k] = graph.candidates.labelling.at(rows[end], rows[f"{end}_frame"])
        into = np.empty((len(there), 2, 2), np.int32)
        for k, way in enumerate((there, back)):
            into[:, k, 0], into[:, k, 1] = table["dst"][way], table["dst_frame"][way] + graph.window
        clips, nothing = np.stack([rows["src"], rows["dst"]], axis=1), np.zeros(0, np.int32)
        whole = cls(drawn, there, back, sets, into, clips, nothing, nothing, np.zeros(0))
        return whole.arranged(graph, np.ones(len(graph.clips), bool))

    def arranged(self, graph: MotionGraph, wanted: np.ndarray) -> Lanes:
        """The same curves on the lanes of some clips only; wanted: (C,) bool, of a clip or its mirror image."""
        each = 2 if graph.candidates.mirror else 1
        units = np.flatnonzero(wanted.reshape(-1, each).any(axis=1)) * each
        shown = units[np.argsort(graph.candidates.clusters.row[units], kind="stable")]
        lane = np.full(len(graph.clips), -1, np.int32)
        for k in range(each):
            lane[shown + k] = np.arange(len(shown))
        seconds = np.array([(len(graph.clips[c]) - graph.clips[c].first) / graph.fps for c in shown])
        rows = self.rows.copy()
        rows[:, 1], rows[:, 3] = lane[self.clips].T
        return replace(self, rows=rows, lane=lane, shown=shown, seconds=seconds)

    def isolated(self, graph: MotionGraph, rows: tuple[int, ...]) -> Lanes:
        """The lanes of a row of the overview and of all that it has transitions with, or of the two rows of a cell."""
        row = graph.candidates.clusters.row
        wanted = np.isin(row, rows)
        if len(rows) == 1:
            clips = self.clips[graph.taken[self.there] & (row[self.clips] == rows[0]).any(axis=1)]
            wanted[clips.reshape(-1)] = True
        return self.arranged(graph, wanted)

    def __len__(self) -> int:
        return len(self.there)

    @property
    def ends(self) -> np.ndarray:
        """(n, 4) float32: seconds and lane of both ends."""
        return self.rows[:, :4]

    @property
    def whole(self) -> tuple[float, float, float, float]:
        """left, right, top, bottom of everything, with some air."""
        longest = float(self.seconds.max(initial=0.1))
        return -0.02 * longest, 1.02 * longest, -1.0, len(self.seconds) - 0.4

    def chosen(
        self,
        graph: MotionGraph,
        seen: Filter,
        span: tuple[float, float, float, float] | None = None,
        most: int = MOST,
        rows: Sequence[int] = (),
        lane: int | None = None,
    ) -> Curves:
        """The curves to be drawn of a view of the graph: those that pass the filter and cross `span`; where they are
        more than `most`, bundles of them. rows: only those of a row of the overview, or of a cell; lane: pointed at,
        others only as bundles from lane to lane."""
        kept, exits = graph.kept.transitions, last_exits(graph)
        passed = kept[self.there] | kept[self.back] if seen.kept else graph.taken[self.there]
        if seen.kind != "all":
            passed = passed & ((self.clips[:, 0] == self.clips[:, 1]) == (seen.kind == "within"))
        if seen.labels:
            allowed = np.array([bool(seen.labels & words) for words in graph.candidates.labelling.sets])
            passed = passed & (allowed[self.sets[:, 0]] | allowed[self.sets[:, 1]])
        if len(self.shown) * (2 if graph.candidates.mirror else 1) < len(self.lane):
            passed = passed & (self.lane[self.clips] >= 0).all(axis=1)
        if len(rows):
            ends = graph.candidates.clusters.row[self.clips]
            one, other = ends == rows[0], ends[:, ::-1] == rows[-1] if len(rows) == 2 else True
            passed = passed & (one & other).any(axis=1)
        if span is not None and tuple(span) != self.whole:
            passed = passed & self._crossing(span)
        index = np.flatnonzero(passed)
        count, own = len(index), np.zeros(0, np.intp)
        if lane is not None:
            mine = (self.ends[index, 1] == lane) | (self.ends[index, 3] == lane)
            own, index = index[mine][:most], index[~mine]
        index = np.append(self.bundled(index, span or self.whole, most if lane is None else 0), own)
        # Asked only of those that are drawn: a slider that moves asks in every frame.
        state = np.where(kept[self.there[index]] | kept[self.back[index]], KEPT, DIM).astype(np.int8)
        state[self._dead(index, state, exits)] = DEAD
        if lane is not None:
            state = np.append(np.full(len(index) - len(own), DIM, np.int8), state[len(index) - len(own) :])
        return Curves(index, state, count, exits)

    def bundled(self, index: np.ndarray, span: tuple[float, float, float, float], most: int) -> np.ndarray:
        """Of curves that begin and end near each other the cheapest; near enough that about `most` are left."""
        found = index
        for bins in (16, 5, 1) if most else (1,):
            if len(found) <= most:
                break
            found = index[self._cheapest(index, span, bins)]
        return found[:most] if most else found

    def _cheapest(self, index: np.ndarray, span: tuple[float, float, float, float], bins: int) -> np.ndarray:
        """Which of `index` are the first that begin and end in their two cells of a grid over the span."""
        left, right, top, bottom = span
        lanes = int(min(len(self.shown), _BANDS)) + 2
        x = np.clip((self.ends[index, ::2] - left) * (bins / (right - left)) + 1.0, 0.0, bins + 1.0).astype(np.int32)
        y = (self.ends[index, 1::2] - max(top, 0.0)) * min(1.0, _BANDS / max(bottom - max(top, 0.0), 1e-6))
        cell = np.clip(y + 1.0, 0.0, lanes - 1.0).astype(np.int32) * (bins + 2) + x
        key = cell.min(axis=1) * (lanes * (bins + 2)) + cell.max(axis=1)
        first, numbers = np.zeros((lanes * (bins + 2)) ** 2, np.int32), np.arange(len(index), dtype=np.int32)
        first[key[::-1]] = numbers[::-1]  # the last that is written counts: the cheapest
        return np.flatnonzero(first[key] == numbers)

    def _crossing(self, span: tuple[float, float, float, float]) -> np.ndarray:
        left, right, top, bottom = span
        x0, y0, x1, y1 = self.ends.T
        beside = (np.maximum(x0, x1) >= left) & (np.minimum(x0, x1) <= right)
        return beside & (np.maximum(y0, y1) >= top) & (np.minimum(y0, y1) - 1.0 <= bottom)  # arcs rise by a lane

    def _dead(self, index: np.ndarray, state: np.ndarray, exits: np.ndarray) -> np.ndarray:
        """Which of the curves of `index` that are dim arrive, either way, where a clip is played to its end."""
        found = np.flatnonzero(state == DIM)
        into = self.into[index[found]]
        return found[(into[..., 1] > exits[into[..., 0]]).any(axis=1)]

    def nearest(self, index: np.ndarray, point: tuple[float, float], scale: tuple[float, float]) -> tuple[int, float]:
        """(the curve of `index` that passes nearest to a point, how far, pixels); −1 where there is none.

        point: seconds and lane; scale: pixels a second and a lane.
        """
        (x, y), (wide, high) = point, scale
        ends = self.ends[index]
        x0, y0, x1, y1 = ends.T
        reach = _FAR / wide, _FAR / high
        near = (np.minimum(x0, x1) - reach[0] < x) & (np.maximum(x0, x1) + reach[0] > x)
        near &= (np.minimum(y0, y1) - reach[1] - (y0 == y1) < y) & (np.maximum(y0, y1) + reach[1] > y)
        near = np.flatnonzero(near)
        if not len(near):
            return -1, np.inf
        away = _distance(ends[near].astype(float), x, y, wide, high)
        best = int(np.argmin(away))
        return int(index[near[best]]), float(away[best])


def _distance(ends: np.ndarray, x: float, y: float, wide: float, high: float) -> np.ndarray:
    """(n,) pixels from curves to a point: at its height, how far away is the curve, and how far at its x? Where both
    can be said, the height of the triangle between them."""
    x0, y0, x1, y1 = ends.T
    flat, across = y0 == y1, np.where(x0 == x1, 1e-6, x1 - x0)
    share = (x - x0) / across
    t = 0.5 - np.sin(np.arcsin(np.clip(1.0 - 2.0 * share, -1.0, 1.0)) / 3.0)  # where x is eased that far
    rise = np.where(flat, arc_height(across), 0.0)
    upright = high * np.abs(y - y0 - (y1 - y0) * t + rise * 4.0 * t * (1.0 - t))
    upright[(share < 0.0) | (share > 1.0)] = np.inf
    done = np.where(flat, (y0 - y) / np.where(flat, rise, 1.0), (y - y0) / np.where(flat, 1.0, y1 - y0))
    root = 0.5 * np.sqrt(np.clip(1.0 - done, 0.0, 1.0))
    level = np.full(len(x0), np.inf)
    for t in (np.where(flat, 0.5 - root, done), np.where(flat, 0.5 + root, done)):
        level = np.minimum(level, wide * np.abs(x - x0 - across * t * t * (3.0 - 2.0 * t)))
    level[(done < 0.0) | (done > 1.0)] = np.inf
    tips = np.minimum(np.hypot(wide * (x - x0), high * (y - y0)), np.hypot(wide * (x - x1), high * (y - y1)))
    least, most = np.minimum(upright, level), np.maximum(upright, level)
    longer = np.where(np.isfinite(most), np.maximum(most, 1e-9), 1e9)
    least = np.minimum(least, 1e9)
    return np.minimum(least / np.sqrt(1.0 + (least / longer) ** 2), tips)


def sampled(ends: np.ndarray, points: int = 25) -> np.ndarray:
    """(points, 2) seconds and lanes along one curve; ends: (4,)."""
    x0, y0, x1, y1 = (float(value) for value in ends)
    return np.column_stack(along(x0, y0, x1, y1, bent(points)))


def last_exits(graph: MotionGraph) -> np.ndarray:
    """(C,) the last frame of every clip at which a transition leaves at this threshold, −1 where none does: what is
    played on from there comes to the clip's end."""
    taken, last = np.flatnonzero(graph.taken), np.full(len(graph.clips), -1, np.int64)
    src = graph.candidates.ends[0][taken]  # sorted, and by frame within a clip
    ends = np.flatnonzero(np.append(src[1:] != src[:-1], True)[: len(src)])
    last[src[ends]] = graph.candidates.table["src_frame"][taken[ends]]
    return last


def kept_spans(graph: MotionGraph) -> np.ndarray:
    """(n, 3) clip, start and stop in seconds of the stretches from which motion can go on for ever."""
    structure, counted = graph.structure, graph.kept.counted
    first = np.flatnonzero(counted & ~np.append(False, counted[:-1])[: len(counted)])
    after = np.flatnonzero(counted & ~np.append(counted[1:], False)[: len(counted)])
    starts = np.array([clip.first for clip in graph.clips])[structure.clip[first]]
    start, stop = structure.frame[first] - starts, structure.frame[after] + structure.piece[after] - starts
    return np.column_stack([structure.clip[first], start / graph.fps, stop / graph.fps])


@dataclass(frozen=True)
class Options:
    """How the next graph is built."""

    mirror: bool = False  # mirror images take part
    fps: float | None = None  # rate of the graph, None for the one most clips have
    metric: Metric | None = None  # None for the usual one
    bones: tuple[tuple[str, str], ...] = ()  # corrections of bone maps: joint of the graph's body, joint that leads it
    rules: Rules = field(default_factory=Rules)  # which pairs of windows become transitions
    ceiling: float | None = None  # cost up to which transitions are kept, None as usual


@dataclass(frozen=True, eq=False)
class Source:
    """What one of a graph's originals was made from: frames start … stop of an entry, whose clip has this motion."""

    number: int
    motion: Later | np.ndarray
    start: int
    stop: int

    @classmethod
    def of(cls, entry: Entry) -> Source:
        return cls(entry.number, entry.clip.motion, entry.start, entry.stop)

    def same(self, entry: Entry) -> bool:
        """Whether the entry still has that motion, whatever its labels."""
        here = entry.number, entry.start, entry.stop
        return here == (self.number, self.start, self.stop) and entry.clip.motion is self.motion


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is needed to show a graph."""

    entries: tuple[Entry, ...]  # one for each of its clips; `number` is that of the library's entry it is from, or −1
    sources: tuple[Source | None, ...]  # one for each original, None where it has no entry
    asked: tuple[tuple[Source, Labels | None], ...]  # all that the graph was asked for, left out or not, with labels
    left_out: tuple[str, ...]  # sentences about clips that could not take part, or are alone
    lanes: Lanes
    clusters: Clusters  # those of the graph, named by proposed labels where it has none


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
        found.append(Entry(number, clip, ready.get(id(clip)) or prepare_for(clip), start=clip.first, stop=len(clip)))
    asked = tuple((Source.of(entry), entry.clip.labels) for entry in entries)
    return Drawn(tuple(found), tuple(sources), asked, tuple(left_out), Lanes.of(graph), named_clusters(graph))


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
    part = despiked(entry.part)[0].resampled(clip.fps)  # as `graph.build` does
    return len(part) == len(clip) and same_motion(clip, part)


def drawable(graph: MotionGraph | None, entries: Sequence[Entry]) -> Drawn | None:
    """What is needed to show a graph that came from a file; entries: of the library. Takes as long as loading them."""
    if graph is None:
        return None
    sources = sources_of(graph, entries)
    held = {source.number for source in sources if source}
    return drawing(graph, [entry for entry in entries if entry.number in held], sources)
