"""Comparing clips: the transitions of all pairs of which one clip at least is new."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.limits import CEILING, Limits, automatic_ceiling, cheapest
from motiongraph.graph.rules import USUAL, Rules, by_feet, without_border
from motiongraph.graph.structure import TRANSITION, both_ways
from motiongraph.metric.bodies import Bodies, Part
from motiongraph.metric.cache import open_cache
from motiongraph.metric.cells import Cells
from motiongraph.metric.levels import LEVELS
from motiongraph.metric.metric import Metric
from motiongraph.metric.pruned import Kept
from motiongraph.metric.search import find_cells, search
from motiongraph.metric.stream import ahead
from motiongraph.metric.tape import Plan, Tape, search_tape
from motiongraph.model.clip import Clip
from motiongraph.model.poses import clear_shelf
from motiongraph.progress import Comparing, Progress

if TYPE_CHECKING:
    from distributed import Client

# Work is cut into about this many batches, none below so many pairs of windows, to tell what was found so far.
_BATCHES, _LEAST = 50, 1 << 22
_FEW_NEW = 4096  # windows
_MOST_CELLS = 5_000_000  # of a graph that takes every cell


class Pairs:
    """Pairs (i, j) of clips with i ≤ j of which one at least is new: of a database there are millions."""

    def __init__(self, new: np.ndarray):
        """new: (C,) bool."""
        self.new = new.tolist()

    @property
    def numbers(self) -> list[int]:
        """Of the clips that are new."""
        return [i for i, new in enumerate(self.new) if new]

    def __len__(self) -> int:
        clips, known = len(self.new), self.new.count(False)
        return (clips * (clips + 1) - known * (known + 1)) // 2

    def __iter__(self) -> Iterator[tuple[int, int]]:
        new, clips = self.new, len(self.new)
        return ((i, j) for i in range(clips) for j in range(i, clips) if new[i] or new[j])


SomePairs: TypeAlias = Sequence[tuple[int, int]] | Pairs


class Found(NamedTuple):
    """What comparing clips gave."""

    table: np.ndarray  # transitions, both ways
    ceiling: float  # up to which
    looked: Kept  # at how many pairs of windows
    cells: Cells | None = None  # of all clips, where the search pruned


class _Asked(NamedTuple):
    """What is to be compared, and how."""

    clips: Sequence[Clip]
    metric: Metric
    limits: Limits
    radius: int  # frames between two minima
    pairs: SomePairs
    progress: Progress


def compare(
    clips: Sequence[Clip],
    metric: Metric,
    limits: Limits,
    pairs: SomePairs,
    progress: Progress,
    client: "Client | None" = None,
    rules: Rules = USUAL,
    cells: Cells | None = None,
) -> Found:
    """The transitions, both ways, of these pairs of clips: all those with a clip that is new.

    client: of a Dask cluster, for metrics that know a tape; cells: of the clips that are not new, up to the ceiling."""
    window, frames = metric.frames(clips[0].fps), round(max(limits.radius, 0.0) * clips[0].fps)
    ceiling, looked, kept = limits.ceiling, Kept(), None

    def find(clips: Sequence[Clip], pairs: SomePairs) -> np.ndarray:
        """Transitions by windows, counted from the first captured frame."""
        nonlocal ceiling, kept
        asked = _Asked(clips, metric, replace(limits, ceiling=ceiling), frames, pairs, progress)
        if rules.every_cell:
            table, ceiling, more, _ = _every_cell(asked)
        elif metric.kind == "cloud" and metric.search_fps is None:
            given = None if rules.same_feet else cells
            table, ceiling, more, kept = _on_tape(asked, client, rules.border, given)
        else:
            table, ceiling, more, _ = _pair_by_pair(asked, rules.border)
        looked.add(more)
        return table

    table = by_feet(clips, window, pairs, find) if rules.same_feet else find(clips, pairs)
    if isinstance(ceiling, str):  # nothing was compared
        ceiling = max(CEILING, limits.least)
    progress(1, 1, Comparing(len(pairs), len(pairs), len(table)))
    # Windows are counted from the first captured frame, transitions from the first of the file.
    first, last = (np.array(values, np.int32) for values in zip(*((c.first, len(c)) for c in clips)))
    table["src_frame"] += first[table["src"]]
    table["dst_frame"] += first[table["dst"]]
    # After a window at the very end there is nothing of the target left to go on with.
    table = table[table["dst_frame"] + window < last[table["dst"]]]
    kept = None if rules.same_feet else kept
    return Found(cheapest(table, limits.per_window or 0, frames), ceiling, looked, kept)


def _prepared(
    clips: Sequence[Clip],
    numbers: Sequence[int],
    metric: Metric,
    progress: Progress,
    parts: Mapping[int, Part] | None = None,
) -> Iterator[Any]:
    """These of the clips, or parts of them, as the metric sees them, one by one."""

    def prepare(i: int) -> Any:
        return metric.prepare(clips[i]) if parts is None else Bodies.of(metric, clips[i], part=parts[i])

    for done, bodies in enumerate(ahead(prepare, numbers)):
        progress(done, len(numbers), f"preparing {clips[numbers[done]].name}")
        yield bodies


def _on_tape(asked: _Asked, client: "Client | None" = None, border: bool = True, cells: Cells | None = None) -> Found:
    """Transitions of all pairs at once, clips end to end on a tape."""
    clips, metric, limits, radius, pairs, progress = asked
    new = pairs.numbers if isinstance(pairs, Pairs) else sorted({i for i, j in pairs if i == j})
    old = sorted(set(range(len(clips))) - set(new))
    lengths = [len(clip) - clip.first for clip in clips]
    fresh = Tape.of(_prepared(clips, new, metric, progress), [lengths[i] for i in new])
    ceiling, looked = limits.ceiling, Kept()
    if isinstance(ceiling, str):
        ceiling = max(automatic_ceiling(fresh.bodies) if metric.align == "planar" else CEILING, limits.least)
    known, plan, kept = None, None, list[Cells]()
    if cells is not None and cells.usable(fresh.bodies):
        old, known, plan, more = _near(clips, metric, cells, fresh, ceiling, progress)
        kept.append(more)
        whole = cells.windows * (len(fresh.bodies) - 2)
        looked.pairs += whole - (len(known.bodies) - 2 if known else 0) * (len(fresh.bodies) - 2)
    elif old:
        known = Tape.of(_prepared(clips, old, metric, progress), [lengths[i] for i in old])
    clear_shelf()
    order = np.array([*old, *new], np.int32)
    found = search_tape(
        known or (),
        fresh,
        ceiling=ceiling,
        radius=(radius or None) if border else None,
        search=limits.search,
        cache=None if kept else open_cache(),
        client=client,
        progress=progress,
        tally=looked,
        plan=plan,
        keep=None if kept else lambda cells: kept.append(cells.renumbered(order, len(clips))),
    )
    if not border:
        windows = np.array(lengths)[order] - metric.frames(clips[0].fps) + 1
        found = without_border(found, windows, radius)
    table = both_ways(order[found["clip_a"]], order[found["clip_b"]], found)
    return Found(table, ceiling, looked, kept[0] if kept else None)


def _near(
    clips: Sequence[Clip], metric: Metric, cells: Cells, fresh: Tape, ceiling: float, progress: Progress
) -> tuple[list[int], Tape | None, Plan, Cells]:
    """Of clips whose cells are known, what can be within the ceiling of new ones: their numbers, what of them was
    prepared, how to compare it, and the cells of all clips together."""
    blocks = fresh.blocks(Plan(ceiling, "neighbours", cells.directions, cells.projection))
    chosen = cells.frames(cells.near(blocks), fresh.bodies.window)
    new = [i for i in range(len(clips)) if not cells.digests[i]]
    joined = cells.joined(Cells.of(fresh, blocks).renumbered(np.array(new), len(clips)))
    # Of few new windows it takes longer to find out what need not be compared than to compare it.
    projection = None if len(fresh.bodies) <= _FEW_NEW else cells.projection
    plan, known = Plan(ceiling, "neighbours", cells.directions, projection), None
    if chosen:
        parts = {i: Part(frames, cells.origin[i]) for i, frames in chosen.items()}
        prepared = _prepared(clips, list(parts), metric, progress, parts)
        frames = tuple(part.frames for part in parts.values())
        known = replace(Tape.of(prepared, list(map(len, frames)), [cells.digests[i] for i in parts]), parts=frames)
    return list(chosen), known, plan, joined


def _every_cell(asked: _Asked) -> Found:
    """Transitions at every cell up to the ceiling."""
    clips, metric, limits, _, pairs, progress = asked
    ceiling = max(CEILING, limits.least) if isinstance(limits.ceiling, str) else limits.ceiling
    prepared = list(_prepared(clips, range(len(clips)), metric, progress))
    if not np.isfinite(ceiling):
        raise MotionError("every cell below a threshold needs a ceiling: what a transition may cost at most")
    parts, found = [np.empty(0, TRANSITION)], 0
    for done, (i, j) in enumerate(pairs):
        progress(done, len(pairs), Comparing(done + 1, len(pairs), found))
        i, j = (j, i) if prepared[i].digest > prepared[j].digest else (i, j)
        parts.append(both_ways(i, j, find_cells(prepared[i], prepared[j], ceiling, _MOST_CELLS - found // 2)))
        found += len(parts[-1])
    return Found(np.concatenate(parts), ceiling, Kept())


def _pair_by_pair(asked: _Asked, border: bool = True) -> Found:
    """Transitions of one pair of clips after the other, for metrics that know no tape."""
    clips, metric, limits, radius, pairs, progress = asked
    ceiling = max(CEILING, limits.least) if isinstance(limits.ceiling, str) else limits.ceiling
    prepared = list(_prepared(clips, range(len(clips)), metric, progress))
    # In an order of the two clips that depends on them alone, and with it the last bits of their alignments.
    pairs = [(j, i) if prepared[i].digest > prepared[j].digest else (i, j) for i, j in pairs]
    cells = [len(prepared[i]) * len(prepared[j]) // (2 if i == j else 1) for i, j in pairs]
    done, parts, ends = 0, [np.empty(0, TRANSITION)], np.cumsum(cells)
    for start, stop in _batches(cells):
        here = sum(cells[start:stop])
        batch = [(prepared[i], prepared[j]) for i, j in pairs[start:stop]]
        report = partial(_report, progress, ends, done, here, sum(map(len, parts)))
        minima = search(batch, ceiling=ceiling, radius=radius or None, border=border, progress=report)
        src, dst = (np.repeat(ends, list(map(len, minima))) for ends in zip(*pairs[start:stop]))
        parts.append(both_ways(src, dst, np.concatenate(minima)))
        done += here
    return Found(np.concatenate(parts), ceiling, Kept(done, [done] * len(LEVELS), done))


def _batches(cells: Sequence[int]) -> list[tuple[int, int]]:
    """(start, stop) of runs of pairs of about equal work; cells: windows to compare of every pair."""
    number = np.cumsum(cells) // max(sum(cells) // _BATCHES, _LEAST)
    return list(pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(cells)])) if cells else []


def _report(progress, ends, before, here, found, done, whole, _=""):
    """The progress of one batch as that of all; ends: windows to compare up to the end of every pair."""
    at = before + here * (done / whole if whole else 0.0)
    pair = min(int(np.searchsorted(ends, at, side="right")) + 1, len(ends))
    progress(at, float(ends[-1]), Comparing(pair, len(ends), found))
