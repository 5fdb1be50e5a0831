"""All that is computed once and for any threshold: the clips and every transition between them up to a ceiling."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.clusters import Clusters
from motiongraph.graph.floor import floor_rows
from motiongraph.graph.limits import CEILING, Limits, automatic_ceiling, cheapest
from motiongraph.graph.prune import Labelling, Layers
from motiongraph.graph.rules import USUAL, Rules, by_feet, without_border
from motiongraph.graph.structure import TRANSITION, Structure, both_ways, renumbered
from motiongraph.kernels import F64, I64, kernel, read
from motiongraph.metric.cache import open_cache
from motiongraph.metric.levels import LEVELS
from motiongraph.metric.metric import Metric
from motiongraph.metric.pruned import Kept
from motiongraph.metric.search import find_cells, search
from motiongraph.metric.stream import ahead
from motiongraph.metric.tape import Tape, search_tape
from motiongraph.model.clip import Clip
from motiongraph.model.kinematics import positions
from motiongraph.model.poses import clear_shelf
from motiongraph.progress import Comparing, Progress

if TYPE_CHECKING:
    from distributed import Client

# Seconds; an expensive minimum this near to a cheaper one adds nothing. Of all CMU BVH files (644,714 candidates up to
# the ceiling) radii of 2, 4, 8 and 16 frames at 120 Hz leave 95, 89, 84 and 80 %, while the share of frames kept falls
# from 86.00 % to 85.98 (8) and 85.97 (16) and the mean connection stays at 1.6 s (scripts/bench.py graph).
RADIUS = 8 / 120
STROLL = 1.2  # m/s; how fast the joints of a person move who walks slowly
_PACE = 30.0  # Hz at which that is measured
# Work is cut into about this many batches, none below so many pairs of windows, to tell what was found so far.
_BATCHES, _LEAST = 50, 1 << 22
_MOST_CELLS = 5_000_000  # of a graph that takes every cell


class LeftOut(NamedTuple):
    """A clip that cannot be in a graph."""

    clip: str  # its name
    reason: str  # "its 0.20 s are shorter than a transition"

    def __str__(self) -> str:
        return f"{self.clip} is left out: {self.reason}"


@dataclass(frozen=True, eq=False)
class Candidates:
    """Clips and all transitions between them; see `graph.build` for how they are found."""

    originals: tuple[Clip, ...]  # the clips as given, at the rate of the graph
    clips: tuple[Clip, ...]  # the same on one skeleton, each followed by its mirror image if `mirror`
    metric: Metric
    table: np.ndarray  # every transition up to `ceiling`, see `graph.structure`
    ceiling: float  # cm, or the metric's unit
    radius: float  # seconds; of minima nearer than this only the cheapest is kept
    mirror: bool
    left_out: tuple[LeftOut, ...] = ()  # clips that were given and cannot take part
    bones: Mapping[str, str] = field(default_factory=dict)  # corrections of bone maps, see `model.bone_map`
    rules: Rules = USUAL  # which pairs of windows became transitions
    per_window: int = 0  # cheapest transitions that every stretch of `radius` keeps, see `graph.limits`; 0: all
    looked: Kept = field(default_factory=Kept)  # at how many pairs of windows the search looked

    def __getattr__(self, name: str) -> Any:
        """The table of a large file is read when it is first asked for."""
        if name != "table" or "later" not in self.__dict__:
            raise AttributeError(f"candidates have no {name!r}")
        self.__dict__["table"] = self.__dict__.pop("later")()
        return self.__dict__["table"]

    @property
    def window(self) -> int:
        """L, the frames of a transition."""
        return self.metric.frames(self.clips[0].fps)

    @cached_property
    def frames(self) -> int:
        """Captured frames of all clips together."""
        return sum(len(clip) - clip.first for clip in self.clips)

    @property
    def max_cost(self) -> float:
        """Highest cost worth choosing as a threshold: the ceiling, or where there is none, that of the candidates."""
        if np.isfinite(self.ceiling):
            return self.ceiling
        return float(self.cost.max(initial=0.0))

    @cached_property
    def cost(self) -> np.ndarray:
        """(T,) of the table, in one piece: a hundred thousand of them are compared while a slider moves."""
        return np.ascontiguousarray(self.table["cost"])

    @cached_property
    def pace(self) -> np.ndarray:
        """(T,) how fast the joints move on average in the two windows of each transition, as a share of a stroll."""
        first, flat, rows = np.cumsum([0, *map(len, self.clips)]), self.paces, self.table
        both = flat[first[rows["src"]] + rows["src_frame"]] + flat[first[rows["dst"]] + rows["dst_frame"]]
        return 0.5 * both / STROLL

    @cached_property
    def leeway(self) -> np.ndarray:
        """(T,) by how much each transition may cost more than one in slow motion, for being faster: from 1 up.

        Faster by a factor, accelerations are larger by its square, and hide as much more."""
        if self.metric.unit != "cm":
            return np.ones(len(self.table))
        faster = np.maximum(self.pace, 1.0)
        return faster * faster

    @cached_property
    def paces(self) -> np.ndarray:
        """m/s at every frame of all clips, one after the other; see `pace`."""
        return np.concatenate(list(ahead(partial(pace, window=self.window), self.clips)))

    @cached_property
    def paths(self) -> np.ndarray:
        """(F, 4) float32: `graph.floor` at every frame of all clips, one after the other."""
        return np.concatenate(list(ahead(floor_rows, self.clips)))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """(T,), (T,): the clips every transition leaves and enters."""
        return np.ascontiguousarray(self.table["src"]), np.ascontiguousarray(self.table["dst"])

    @cached_property
    def structure(self) -> Structure:
        return Structure.of(self.table, [len(clip) for clip in self.clips], self.window)

    @cached_property
    def labelling(self) -> Labelling:
        return Labelling.of(self.clips)

    @cached_property
    def piece_sets(self) -> np.ndarray:
        return self.labelling.pieces(self.structure)

    @cached_property
    def transition_sets(self) -> np.ndarray:
        return self.labelling.transitions(self.table, self.window)

    @cached_property
    def set_pairs(self) -> np.ndarray:
        """(T,) the sets of labels of the frames every transition leaves and enters: first times their number, plus
        second."""
        rows, at = self.table, self.labelling.at
        out, into = (at(rows[end], rows[f"{end}_frame"]).astype(np.intp) for end in ("src", "dst"))
        return out * len(self.labelling.sets) + into

    @cached_property
    def clusters(self) -> Clusters:
        """Which clips belong together, for overviews."""
        return Clusters.of(self)

    @cached_property
    def layers(self) -> Layers:
        return Layers.of(self.structure, self.piece_sets, self.transition_sets, len(self.labelling.sets))


def pace(clip: Clip, window: int) -> np.ndarray:
    """(F,) m/s: how fast joints move on average over the window that begins at each frame."""
    step = max(round(clip.fps / _PACE), 1)
    frames = slice(None, None, step)
    offsets = None if clip.offsets is None else clip.offsets[frames]
    places = positions(clip.skeleton, clip.root[frames], clip.rotations[frames], offsets)
    out = np.empty(len(clip))
    _pace(places, step, window, clip.fps, out)
    return out


@kernel((read(F64, 3), I64, I64, F64, F64[::1]))
def _pace(places, step, window, fps, out):
    """Into out (F,): mean speed over the window at each frame, of joints (n, J, 3) known at every step-th frame."""
    count, joints = places.shape[0], places.shape[1]
    total = np.zeros(count)  # metres that joints moved, on average, up to each known frame
    for n in range(1, count):
        square = 0.0
        for j in range(joints):
            for k in range(3):
                square += (places[n, j, k] - places[n - 1, j, k]) ** 2
        total[n] = total[n - 1] + np.sqrt(square / joints)
    for f in range(out.shape[0]):
        start = min(f // step, max(count - 2, 0))
        stop = min(max((f + window) // step, start + 1), count - 1)
        out[f] = (total[stop] - total[start]) * fps / (step * max(stop - start, 1))


def among(table: np.ndarray, stays: np.ndarray) -> np.ndarray:
    """The transitions of a table between the clips that stay, (C,) bool, whose numbers close the gaps."""
    return renumbered(table, np.where(stays, np.cumsum(stays) - 1, -1))


class Pairs:
    """Pairs (i, j) of clips with i ≤ j of which one at least is new: of a database there are millions."""

    def __init__(self, new: np.ndarray):
        """new: (C,) bool."""
        self.new = new.tolist()

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


def compare(
    clips: Sequence[Clip],
    metric: Metric,
    limits: Limits,
    pairs: SomePairs,
    progress: Progress,
    client: "Client | None" = None,
    rules: Rules = USUAL,
) -> Found:
    """The transitions, both ways, of these pairs of clips: all those with a clip that is new.

    client: of a Dask cluster, for metrics that know a tape."""
    window, frames = metric.frames(clips[0].fps), round(max(limits.radius, 0.0) * clips[0].fps)
    ceiling, looked = limits.ceiling, Kept()

    def find(clips: Sequence[Clip], pairs: SomePairs) -> np.ndarray:
        """Transitions by windows, counted from the first captured frame."""
        nonlocal ceiling
        asked = clips, metric, replace(limits, ceiling=ceiling), frames, pairs, progress
        if rules.every_cell:
            table, ceiling, more = _every_cell(*asked)
        elif metric.kind == "cloud" and metric.search_fps is None:
            table, ceiling, more = _on_tape(*asked, client, rules.border)
        else:
            table, ceiling, more = _pair_by_pair(*asked, rules.border)
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
    return Found(cheapest(table, limits.per_window or 0, frames), ceiling, looked)


def _prepared(clips: Sequence[Clip], numbers: Sequence[int], metric: Metric, progress: Progress) -> Iterator[Any]:
    """These of the clips as the metric sees them, one by one."""
    for done, bodies in enumerate(ahead(metric.prepare, (clips[i] for i in numbers))):
        progress(done, len(numbers), f"preparing {clips[numbers[done]].name}")
        yield bodies


def _on_tape(
    clips: Sequence[Clip],
    metric: Metric,
    limits: Limits,
    radius: int,
    pairs: SomePairs,
    progress: Progress,
    client: "Client | None" = None,
    border: bool = True,
) -> Found:
    """Transitions of all pairs at once, clips end to end on a tape."""
    new = sorted({i for i, j in pairs if i == j})
    old = sorted(set(range(len(clips))) - set(new))
    order = np.array([*old, *new], np.int32)
    tapes = [
        Tape.of(_prepared(clips, part, metric, progress), [len(clips[i]) - clips[i].first for i in part])
        if part
        else None
        for part in (old, new)
    ]
    clear_shelf()
    ceiling, looked = limits.ceiling, Kept()
    if isinstance(ceiling, str):
        assert tapes[1] is not None
        ceiling = max(automatic_ceiling(tapes[1].bodies) if metric.align == "planar" else CEILING, limits.least)
    found = search_tape(
        tapes[0] or (),
        tapes[1] or (),
        ceiling=ceiling,
        radius=(radius or None) if border else None,
        search=limits.search,
        cache=open_cache(),
        client=client,
        progress=progress,
        tally=looked,
    )
    if not border:
        lengths = [len(clips[i]) - clips[i].first - metric.frames(clips[i].fps) + 1 for i in order]
        found = without_border(found, np.array(lengths), radius)
    return Found(both_ways(order[found["clip_a"]], order[found["clip_b"]], found), ceiling, looked)


def _every_cell(
    clips: Sequence[Clip],
    metric: Metric,
    limits: Limits,
    radius: int,
    pairs: SomePairs,
    progress: Progress,
) -> Found:
    """Transitions at every cell up to the ceiling."""
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


def _pair_by_pair(
    clips: Sequence[Clip],
    metric: Metric,
    limits: Limits,
    radius: int,
    pairs: SomePairs,
    progress: Progress,
    border: bool = True,
) -> Found:
    """Transitions of one pair of clips after the other, for metrics that know no tape."""
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
