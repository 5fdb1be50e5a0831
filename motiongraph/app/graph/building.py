"""How the graph of the ticked clips is made: what is known from the graph before is kept, the rest is compared.

Runs on a worker. A clip that cannot take part is left out with a sentence that says why; the others still do.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from motiongraph.app.graph.lanes import Lanes
from motiongraph.app.library.entries import Entry
from motiongraph.errors import MotionError
from motiongraph.progress import SILENT


@dataclass(frozen=True)
class Options:
    """mirror: mirror images take part; fps: at this rate, None for the one most clips have; metric: a `Metric`, None
    for the usual one."""

    mirror: bool = False
    fps: float | None = None
    metric: object = None


@dataclass(frozen=True, eq=False)
class Source:
    """What one of a graph's originals was made from: frames start … stop of an entry, whose clip has this root."""

    number: int
    root: np.ndarray
    start: int
    stop: int

    @classmethod
    def of(cls, entry: Entry) -> "Source":
        return cls(entry.number, entry.clip.root, entry.start, entry.stop)

    def same(self, entry: Entry) -> bool:
        """Whether the entry still has that motion; labels are none of it."""
        here = entry.number, entry.start, entry.stop
        return here == (self.number, self.start, self.stop) and entry.clip.root is self.root


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is needed to show a graph. entries: one for each of its clips, `number` is that of the entry it is from or
    −1; offsets, ratios: frame f of a clip is frame offset + ratio · f of its file; sources: one for each original,
    None where it has no entry; asked: the sources of all that was asked for, left out or not, with their labels;
    left_out: sentences about clips that could not take part; lanes: see there."""

    entries: tuple[Entry, ...]
    offsets: tuple[int, ...]
    ratios: tuple[float, ...]
    sources: tuple[Source | None, ...]
    asked: tuple[tuple[Source, object], ...]
    left_out: tuple[str, ...]
    lanes: Lanes


@dataclass(frozen=True, eq=False)
class Before:
    """The graph that is there: the view in hand, what it was drawn from, and the options it was built with."""

    graph: object = None
    drawn: Drawn | None = None
    options: Options = Options()


def build(entries: list[Entry], options: Options, before: Before, progress=SILENT):
    """(graph, drawn, sentence about what was computed) of these entries of the library."""
    from motiongraph.graph.candidates import RADIUS, Candidates
    from motiongraph.metric.metric import Metric

    metric = options.metric or Metric()
    rate = options.fps or _most([entry.clip.fps for entry in entries])
    fitting, left_out = _fitting(entries, metric, rate)
    if not fitting:
        raise MotionError("; ".join(left_out))
    known, candidates = _known(fitting, rate, metric, options, before)
    news = [entry for entry in fitting if entry.number not in known]
    each = 2 if options.mirror else 1
    clips = [_at_rate(entry.part, rate) for entry in news]
    if candidates is None:
        counted = _counting(clips, [], metric, each, progress)
        candidates = Candidates.of(clips, metric, None, RADIUS, options.mirror, counted)
        compared, sources = _pairs(each * len(clips)), [Source.of(entry) for entry in news]
    else:
        body = candidates.clips[0].skeleton
        candidates, sources = _without(candidates, before.drawn.sources, known, progress)
        candidates = _relabelled(candidates, sources, {e.number: e for e in fitting}, rate, each)
        old = len(candidates.clips)
        if clips:
            counted = _counting(clips, candidates.originals, metric, each, progress)
            candidates = candidates.with_clips(clips, counted)
        sources += [Source.of(entry) for entry in news]
        kept = candidates.clips[0].skeleton == body
        compared = _pairs(len(candidates.clips)) - (_pairs(old) if kept else 0)
    candidates, sources = _in_library_order(candidates, sources, [e.number for e in fitting], each)
    graph = _first_view(candidates, before.graph, progress)
    graph.kept  # noqa: B018 - here, beside the loop
    left_out += _lonely(graph, each)
    ready = {id(entry.clip): entry.prepared for entry in (before.drawn.entries if before.drawn else ())}
    drawn = drawing(graph, entries, sources, progress, ready, left_out)
    total = _pairs(len(graph.clips))
    said = f"{compared:,} new pairs of {total:,} compared" if compared < total else f"{total:,} pairs compared"
    said = f"{said}: {len(candidates.table):,} candidates up to {candidates.max_cost:.3g} {metric.unit}"
    return graph, drawn, said


def lasting(old, candidates) -> bool:
    """Whether limits set by hand in an older graph still mean something: 3 cm are not 3°."""
    if old is None or old.is_auto or old.metric.unit != candidates.metric.unit:
        return False
    highest = old.thresholds.highest
    return not np.isfinite(highest) or highest <= candidates.ceiling


def _first_view(candidates, old, progress):
    """The graph at the limits of the one before where those last, else at the automatic threshold."""
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.graph.thresholds import automatic

    if lasting(old, candidates):
        return MotionGraph(candidates, old.thresholds, is_pruned=True)
    graph = MotionGraph(candidates, automatic(candidates, progress), is_pruned=True)
    graph.is_auto = True
    return graph


def _pairs(count: int) -> int:
    """Of so many clips, each with itself too."""
    return count * (count + 1) // 2


def _most(values):
    return Counter(values).most_common(1)[0][0]


def _at_rate(clip, rate):
    return clip if clip.fps == rate else clip.resampled(rate)


def _fitting(entries, metric, rate) -> tuple[list[Entry], list[str]]:
    """The entries that can be in one graph, and sentences about the others."""
    joints = {entry.number: _joints(entry.clip.skeleton) for entry in entries}
    usual, window = _most(joints.values()), metric.frames(rate)
    like = next(entry for entry in entries if joints[entry.number] == usual)
    fitting, left_out = [], []
    for entry in entries:
        captured = entry.stop - max(entry.start, entry.clip.first)
        frames = (captured - 1) * rate / entry.clip.fps + 1
        if joints[entry.number] != usual:
            left_out.append(f"{entry.name} is left out: its skeleton has other joints than that of {like.name}")
        elif frames < window:
            short = captured / entry.clip.fps
            left_out.append(f"{entry.name} is left out: {short:.2f} s are shorter than a transition")
        else:
            fitting.append(entry)
    return fitting, left_out


def _joints(skeleton) -> frozenset:
    """What retargeting needs to be the same: every joint and what it hangs on."""
    names = skeleton.names
    return frozenset((name, names[p] if p >= 0 else "") for name, p in zip(names, skeleton.parents.tolist()))


def _known(fitting, rate, metric, options, before):
    """(numbers of the entries whose pairs are known, the candidates that know them); none where the old graph is of
    another kind."""
    graph = before.graph
    if graph is None or graph.fps != rate or graph.candidates.mirror != options.mirror:
        return set(), None
    if graph.metric.key != metric.key or graph.metric.search_fps != metric.search_fps:
        return set(), None
    held = {source.number: source for source in before.drawn.sources if source is not None}
    known = {e.number for e in fitting if e.number in held and held[e.number].same(e)}
    return known, graph.candidates if known else None


def _without(candidates, sources, known, progress):
    """The candidates with only the originals that are still wanted, and their sources."""
    stays = [source is not None and source.number in known for source in sources]
    gone = [clip.name for clip, stay in zip(candidates.originals, stays) if not stay]
    if gone:
        candidates = candidates.without(gone, progress)
    return candidates, [source for source, stay in zip(sources, stays) if stay]


def _relabelled(candidates, sources, entries, rate, each):
    """With the labels that the entries have now; no pair is compared for it."""
    originals, clips, changed = list(candidates.originals), list(candidates.clips), False
    for i, source in enumerate(sources):
        part = entries[source.number].part
        labels = _at_rate(part, rate).labels
        if labels == originals[i].labels:
            continue
        fits, changed = clips[each * i].labelled(labels), True
        originals[i] = fits if clips[each * i] is originals[i] else originals[i].labelled(labels)
        clips[each * i : each * (i + 1)] = [fits, fits.mirrored()][:each]
    return replace(candidates, originals=tuple(originals), clips=tuple(clips)) if changed else candidates


def _in_library_order(candidates, sources, numbers, each):
    """The same candidates with the clips in the order of `numbers`, whatever order they came in."""
    from motiongraph.graph.transitions import in_order

    order = sorted(range(len(sources)), key=lambda i: numbers.index(sources[i].number))
    if order == sorted(order):
        return candidates, sources
    wide = [each * i + k for i in order for k in range(each)]
    place = np.empty(len(wide), np.int32)
    place[wide] = np.arange(len(wide), dtype=np.int32)
    table = candidates.table.copy()
    table["src"], table["dst"] = place[table["src"]], place[table["dst"]]
    originals = tuple(candidates.originals[i] for i in order)
    clips = tuple(candidates.clips[i] for i in wide)
    return replace(candidates, originals=originals, clips=clips, table=in_order(table)), [sources[i] for i in order]


def _counting(new, old, metric, each, progress):
    """Progress that says which pair is being compared; new, old: the originals."""
    windows = [len(c) - c.first - metric.frames(new[0].fps) + 1 for c in (*old, *new) for _ in range(each)]
    known = each * len(old)
    cells = [
        windows[i] * windows[j] // (2 if i == j else 1)
        for i in range(len(windows))
        for j in range(max(i, known), len(windows))
    ]
    ends = np.cumsum(cells)

    def counted(done, total, what=""):
        if total == ends[-1]:  # comparing; before that clips are prepared
            pair = min(int(np.searchsorted(ends, done, side="right")) + 1, len(ends))
            found = what.rpartition(", ")[2] if "found" in what else ""
            what = f"pair {pair:,}/{len(ends):,}" + (f", {found}" if found else "")
        progress(done, total, what)

    return counted


def _lonely(graph, each) -> list[str]:
    """Sentences about clips that no transition joins to another, however dear."""
    count = len(graph.candidates.originals)
    if count < 2:
        return []
    src, dst = (ends // each for ends in graph.candidates.ends)
    joined = np.zeros(count, bool)
    joined[src[src != dst]] = True
    names = [clip.name for clip in graph.candidates.originals]
    limit = f"{graph.candidates.max_cost:.3g} {graph.metric.unit}"
    return [f"{names[i]} is joined to no other clip: nothing is alike up to {limit}" for i in np.flatnonzero(~joined)]


def drawing(graph, entries, sources, progress=SILENT, ready=None, left_out=()) -> Drawn:
    """What is needed to show a graph made from entries of the library; ready: id of a clip → what is prepared of it."""
    from motiongraph.app.library.prepared import prepare

    ready = {id(entry.clip): entry.prepared for entry in entries} | (ready or {})
    library = {entry.number: entry for entry in entries}
    each = 2 if graph.candidates.mirror else 1
    found, offsets, ratios = [], [], []
    for i, clip in enumerate(graph.clips):
        progress(i, len(graph.clips), f"looking at {clip.name}")
        source = sources[i // each]
        origin = library.get(source.number) if source else None
        prepared = ready.get(id(clip)) or prepare(clip)
        found.append(Entry(origin.number if origin else -1, clip, prepared, start=clip.first, stop=len(clip)))
        offsets.append(source.start if origin else 0)
        ratios.append(origin.clip.fps / clip.fps if origin else 1.0)
    asked = tuple((Source.of(entry), entry.clip.labels) for entry in entries)
    lanes = Lanes.of(graph)
    return Drawn(tuple(found), tuple(offsets), tuple(ratios), tuple(sources), asked, tuple(left_out), lanes)


def sources_of(graph, entries) -> list[Source | None]:
    """Which entry each original of a graph from a file has the motion of."""
    free, found = [entry for entry in entries if not entry.made], []
    for clip in graph.candidates.originals:
        match = next((entry for entry in free if _alike(clip, entry)), None)
        found.append(Source.of(match) if match else None)
        if match:
            free.remove(match)
    return found


def _alike(clip, entry) -> bool:
    if clip.skeleton != entry.clip.skeleton:
        return False
    part = _at_rate(entry.part, clip.fps) if clip.name.startswith(entry.name) or clip.fps == entry.clip.fps else None
    if part is None or len(part) != len(clip):
        return False
    return np.array_equal(clip.root, part.root) and np.array_equal(clip.rotations, part.rotations)
