"""All that is computed once and for any threshold: the clips and every transition between them up to a ceiling."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.clusters import Clusters
from motiongraph.graph.prune import Labelling, Layers
from motiongraph.graph.rules import USUAL, Rules, by_feet, without_border
from motiongraph.graph.structure import TRANSITION, Structure, both_ways, renumbered
from motiongraph.kernels import F64, I64, kernel, read
from motiongraph.metric.cache import open_cache
from motiongraph.metric.metric import Metric
from motiongraph.metric.search import find_cells, search
from motiongraph.metric.tape import search_tape
from motiongraph.model.bone_map import bone_map
from motiongraph.model.clip import Clip
from motiongraph.model.kinematics import positions
from motiongraph.model.retarget import hanging
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Comparing, Progress

if TYPE_CHECKING:
    from distributed import Client

CEILING = 15.0  # cm; beyond this a blend is no longer taken for captured motion
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
        speeds = [pace(clip, self.window) for clip in self.clips]
        first = np.cumsum([0, *map(len, speeds)])
        flat = np.concatenate(speeds)
        rows = self.table
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


def named_apart(clips: Iterable[Clip], mirror: bool) -> tuple[Clip, ...]:
    """Clips by different names, so that each, and its mirror image, can be asked for by its own."""
    taken: set[str] = set()
    named = []
    for clip in clips:
        name, n = clip.name, 2
        while taken & _names(name, mirror):
            name, n = f"{clip.name}_{n}", n + 1
        taken |= _names(name, mirror)
        named.append(clip if name == clip.name else replace(clip, name=name))
    return tuple(named)


def _names(name: str, mirror: bool) -> set[str]:
    """What a clip of this name and its mirror image are called (`model.mirror`)."""
    return {name, f"{name}_mirrored", name.removesuffix("_mirrored")} if mirror else {name}


def fitted(
    originals: Sequence[Clip],
    mirror: bool,
    known: Mapping[int, Sequence[Clip]] | None = None,
    progress: Progress = SILENT,
    bones: Mapping[str, str] | None = None,
) -> tuple[Clip, ...]:
    """On one skeleton, with mirror images if asked for. known: id of an original → what it became before; bones:
    corrections of which joint leads which, see `model.bone_map`.

    The skeleton is the one that most clips have, the first of them where several do, so that it does not depend on
    what was added when.
    """
    fps, counts = originals[0].fps, Counter[Skeleton]()
    for clip in originals:
        counts[clip.skeleton] += 1
        if clip.fps != fps:
            other = f"{originals[0].name!r} {fps:g}"
            raise MotionError(f"{clip.name!r} has {clip.fps:g} frames a second and {other}; resample one of them")
    body = counts.most_common(1)[0][0]
    like = next(clip for clip in originals if clip.skeleton == body)
    used: list[Clip] = []
    for done, clip in enumerate(originals):
        progress(done, len(originals), f"fitting {clip.name}")
        before = (known or {}).get(id(clip))
        if before and before[0].skeleton == body:
            used += before
            continue
        try:
            other = hanging(clip.skeleton) != hanging(body)
            fits = clip.retargeted(body, bone_map(clip.skeleton, body, bones) if other else None, like)
        except MotionError as problem:
            raise MotionError(f"{clip.name!r} cannot be in one graph with {like.name!r}: {problem}") from problem
        used += [fits, fits.mirrored()] if mirror else [fits]
    return tuple(used)


def compare(
    clips: Sequence[Clip],
    metric: Metric,
    ceiling: float,
    radius: float,
    pairs: Sequence[tuple[int, int]],
    progress: Progress,
    client: "Client | None" = None,
    rules: Rules = USUAL,
) -> np.ndarray:
    """The transitions, both ways, of these pairs of clips: all those with a clip that is new.

    client: of a Dask cluster, for metrics that know a tape."""
    window, frames = metric.frames(clips[0].fps), round(max(radius, 0.0) * clips[0].fps)

    def find(clips: Sequence[Clip], pairs: Sequence[tuple[int, int]]) -> np.ndarray:
        """Transitions by windows, counted from the first captured frame."""
        prepared = []
        for done, clip in enumerate(clips):
            progress(done, len(clips), f"preparing {clip.name}")
            prepared.append(metric.prepare(clip))
        if rules.every_cell:
            return _every_cell(prepared, ceiling, pairs, progress)
        if metric.kind == "cloud" and metric.search_fps is None:
            return _on_tape(prepared, ceiling, frames, pairs, progress, client, rules.border)
        return _pair_by_pair(prepared, ceiling, frames, pairs, progress, rules.border)

    table = by_feet(clips, window, pairs, find) if rules.same_feet else find(clips, pairs)
    progress(1, 1, Comparing(len(pairs), len(pairs), len(table)))
    # Windows are counted from the first captured frame, transitions from the first of the file.
    first, last = (np.array(values, np.int32) for values in zip(*((c.first, len(c)) for c in clips)))
    table["src_frame"] += first[table["src"]]
    table["dst_frame"] += first[table["dst"]]
    # After a window at the very end there is nothing of the target left to go on with.
    return table[table["dst_frame"] + window < last[table["dst"]]]


def _on_tape(
    prepared: list[Any],
    ceiling: float,
    radius: int,
    pairs: Sequence[tuple[int, int]],
    progress: Progress,
    client: "Client | None",
    border: bool,
) -> np.ndarray:
    """Transitions of all pairs at once, clips end to end on a tape."""
    new = sorted({i for i, j in pairs if i == j})
    old = sorted(set(range(len(prepared))) - set(new))
    order = np.array([*old, *new], np.int32)
    found = search_tape(
        [prepared[i] for i in old],
        [prepared[i] for i in new],
        ceiling=ceiling,
        radius=(radius or None) if border else None,
        cache=open_cache(),
        client=client,
        progress=progress,
    )
    if not border:
        found = without_border(found, np.array([len(prepared[i]) for i in order]), radius)
    return both_ways(order[found["clip_a"]], order[found["clip_b"]], found)


def _every_cell(
    prepared: list[Any], ceiling: float, pairs: Sequence[tuple[int, int]], progress: Progress
) -> np.ndarray:
    """Transitions at every cell up to the ceiling."""
    if not np.isfinite(ceiling):
        raise MotionError("every cell below a threshold needs a ceiling: what a transition may cost at most")
    parts, found = [np.empty(0, TRANSITION)], 0
    for done, (i, j) in enumerate(pairs):
        progress(done, len(pairs), Comparing(done + 1, len(pairs), found))
        i, j = (j, i) if prepared[i].digest > prepared[j].digest else (i, j)
        parts.append(both_ways(i, j, find_cells(prepared[i], prepared[j], ceiling, _MOST_CELLS - found // 2)))
        found += len(parts[-1])
    return np.concatenate(parts)


def _pair_by_pair(
    prepared: list[Any],
    ceiling: float,
    radius: int,
    pairs: Sequence[tuple[int, int]],
    progress: Progress,
    border: bool,
) -> np.ndarray:
    """Transitions of one pair of clips after the other, for metrics that know no tape."""
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
    return np.concatenate(parts)


def _batches(cells: Sequence[int]) -> list[tuple[int, int]]:
    """(start, stop) of runs of pairs of about equal work; cells: windows to compare of every pair."""
    number = np.cumsum(cells) // max(sum(cells) // _BATCHES, _LEAST)
    return list(pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(cells)])) if cells else []


def _report(progress, ends, before, here, found, done, whole, _=""):
    """The progress of one batch as that of all; ends: windows to compare up to the end of every pair."""
    at = before + here * (done / whole if whole else 0.0)
    pair = min(int(np.searchsorted(ends, at, side="right")) + 1, len(ends))
    progress(at, float(ends[-1]), Comparing(pair, len(ends), found))
