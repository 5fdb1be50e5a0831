"""All that is computed once and for any threshold: the clips and every transition between them up to a ceiling."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.labelling import Labelling
from motiongraph.graph.structure import Structure
from motiongraph.graph.transitions import TRANSITION, both_ways, in_order
from motiongraph.metric.metric import Metric
from motiongraph.metric.search import search
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT

CEILING = 15.0  # cm; beyond this a blend is no longer taken for captured motion
RADIUS = 8 / 120  # s; a dearer minimum this near to a cheaper one adds nothing (scripts/bench.py graph)


@dataclass(frozen=True, eq=False)
class Candidates:
    """originals: the clips as given; clips: those in the graph, on one skeleton, each followed by its mirror image if
    `mirror`; table: every transition up to `ceiling` cm, in order; radius: seconds of suppression around minima."""

    originals: tuple[Clip, ...]
    clips: tuple[Clip, ...]
    metric: Metric
    table: np.ndarray
    ceiling: float
    radius: float
    mirror: bool

    @classmethod
    def of(cls, clips, metric, ceiling=CEILING, radius=RADIUS, mirror=False, progress=SILENT) -> "Candidates":
        """Compare every pair of clips, and each clip with itself."""
        originals = _unique_names(tuple(clips))
        used = _prepared(originals, metric, mirror)
        found = _compare(used, metric, ceiling, radius, _pairs(len(used)), progress)
        return cls(originals, used, metric, in_order(found), float(ceiling), float(radius), mirror)

    def with_clips(self, clips, progress=SILENT) -> "Candidates":
        """With more clips; only pairs with a new one are computed."""
        originals = _unique_names((*self.originals, *clips))
        used = _prepared(originals, self.metric, self.mirror)
        if not _same(used[: len(self.clips)], self.clips):
            return Candidates.of(originals, self.metric, self.ceiling, self.radius, self.mirror, progress)
        pairs = [(i, j) for i, j in _pairs(len(used)) if j >= len(self.clips)]
        found = _compare(used, self.metric, self.ceiling, self.radius, pairs, progress)
        table = in_order(np.concatenate([self.table, found]))
        return replace(self, originals=originals, clips=used, table=table)

    def without(self, names, progress=SILENT) -> "Candidates":
        """Without the clips of these names, and their mirror images."""
        known = {clip.name for clip in self.originals}
        for name in names:
            if name not in known:
                raise MotionError(f"the graph has no clip {name!r}; it has {', '.join(sorted(known))}")
        originals = tuple(clip for clip in self.originals if clip.name not in names)
        if not originals:
            raise MotionError("a graph needs at least one clip")
        used = _prepared(originals, self.metric, self.mirror)
        index = {clip.name: i for i, clip in enumerate(used)}
        kept = tuple(clip for clip in self.clips if clip.name in index)
        if not _same(used, kept):
            return Candidates.of(originals, self.metric, self.ceiling, self.radius, self.mirror, progress)
        number = np.array([index.get(clip.name, -1) for clip in self.clips], np.int32)
        rows = (number[self.table["src"]] >= 0) & (number[self.table["dst"]] >= 0)
        table = self.table[rows]
        table["src"], table["dst"] = number[table["src"]], number[table["dst"]]
        return replace(self, originals=originals, clips=used, table=in_order(table))

    @property
    def window(self) -> int:
        """L, the frames of a transition."""
        return self.metric.frames(self.clips[0].fps)

    @property
    def frames(self) -> int:
        """Captured frames of all clips together."""
        return sum(len(clip) - clip.first for clip in self.clips)

    @cached_property
    def structure(self) -> Structure:
        return Structure.of(self.table, self.window)

    @cached_property
    def labelling(self) -> Labelling:
        return Labelling.of(self.clips)

    @cached_property
    def piece_sets(self) -> np.ndarray:
        return self.labelling.pieces(self.structure)

    @cached_property
    def transition_sets(self) -> np.ndarray:
        return self.labelling.transitions(self.table, self.window)


def _pairs(count):
    """Every unordered pair, and each clip with itself."""
    return [(i, j) for i in range(count) for j in range(i, count)]


def _unique_names(clips) -> tuple[Clip, ...]:
    """Clips by different names, so that each can be asked for by its own."""
    if not clips:
        raise MotionError("a graph needs at least one clip")
    taken: set[str] = set()
    named = []
    for clip in clips:
        name, n = clip.name, 2
        while name in taken:
            name, n = f"{clip.name}_{n}", n + 1
        taken.add(name)
        named.append(clip if name == clip.name else replace(clip, name=name))
    return tuple(named)


def _prepared(originals, metric, mirror) -> tuple[Clip, ...]:
    """On one skeleton, long enough to hold a transition, with mirror images if asked for.

    The skeleton is the one that most clips have, the first of them where several do, so that it does not depend on
    what was added when.
    """
    first = originals[0]
    for clip in originals[1:]:
        if clip.fps != first.fps:
            raise MotionError(
                f"{clip.name!r} has {clip.fps:g} frames a second and {first.name!r} {first.fps:g}; resample one of them"
            )
    counts: dict = {}
    for clip in originals:
        counts[clip.skeleton] = counts.get(clip.skeleton, 0) + 1
    body = max(counts, key=counts.get)
    window, used = metric.frames(first.fps), []
    for clip in originals:
        if len(clip) - clip.first < window:
            warnings.warn(f"{clip.name!r} is shorter than the window of {window} frames and was left out", stacklevel=4)
            continue
        fitted = clip.retargeted(body)
        used += [fitted, fitted.mirrored()] if mirror else [fitted]
    if not used:
        raise MotionError(f"no clip is as long as the window of {window} frames")
    return tuple(used)


def _same(first, second) -> bool:
    """Whether two lists hold the same motions."""
    return len(first) == len(second) and all(
        a is b
        or (
            a.name == b.name
            and a.skeleton == b.skeleton
            and a.first == b.first
            and a.labels == b.labels
            and np.array_equal(a.root, b.root)
            and np.array_equal(a.rotations, b.rotations)
        )
        for a, b in zip(first, second)
    )


def _compare(clips, metric, ceiling, radius, pairs, progress) -> np.ndarray:
    """The transitions, both ways, of these pairs of clips."""
    prepared = [metric.prepare(clip) for clip in clips]
    frames = max(round(radius * clips[0].fps), 0)
    found = search(
        [(prepared[i], prepared[j]) for i, j in pairs], ceiling=ceiling, radius=frames or None, progress=progress
    )
    parts = [np.empty(0, TRANSITION)]
    for (i, j), minima in zip(pairs, found):
        rows = both_ways(i, j, minima)
        offsets = np.array([clip.first for clip in clips], np.int32)
        rows["src_frame"] += offsets[rows["src"]]
        rows["dst_frame"] += offsets[rows["dst"]]
        # A transition that starts in the very last window has nothing of its target left to go on with.
        lengths = np.array([len(clip) for clip in clips])
        parts.append(rows[rows["dst_frame"] + metric.frames(clips[0].fps) < lengths[rows["dst"]]])
    return np.concatenate(parts)
