"""Bridges: clips interpolated between two cyclic ones, where a graph hardly leads from one to the other.

A walk and a run are alike in structure: left foot, right foot. A cycle of each, from one strike of a foot to the next,
is closed to a loop; the bridge plays the first, passes over to the second within a few strides, cycle laid on cycle,
and plays that (Safonova and Hodgins 2007; Zhao and Safonova 2009). Before and after it goes on as the clips do, so that
walks come to it and leave it in motion that was captured. Feet are then held as in any made motion. A bridge is a clip
like any other, called after both and "made"; it stays in a graph only where it leads over at less cost.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model import sides
from motiongraph.model.clip import MADE, Clip
from motiongraph.model.contacts import Contacts
from motiongraph.model.kinematics import positions
from motiongraph.model.labels import Labels
from motiongraph.model.placement import heading_of, wrapped
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis.feet import plants, runs
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.quality import quality

_LEAD = 1.0  # cycles of the first that are closed to a loop before it passes over
_STRIDES = 2.0  # cycles over which one passes into the other
_CAPTURED = 1.5  # s at both ends that are as captured, where the clips are so long
_SHORTEST, _LONGEST = 0.35, 2.0  # s of a cycle
_ALONG = np.array([0.0, 0.0, 1.0])  # where cycles are led
_MOMENT = 0.03  # s over which the direction of a way is taken
_EVEN = (0.4, 0.6)  # of a cycle, in which the other foot strikes
_ALIKE = 0.25  # m between joints at the same moment of two cycles of like structure, on average
_FEW = 3  # transitions between two clusters that are hardly any
_TRIED = 6  # clips of a cluster whose cycles are looked at
_DEAR = 0.5  # share of what it may cost from which on a way between two clusters could do with a bridge
_BETTER = 0.8  # times the cost before that a bridge must not exceed


@dataclass(frozen=True, eq=False)
class Cycle:
    """Two steps of a clip, from one strike of a foot to the next, led along z."""

    clip: Clip
    start: int
    stop: int
    root: np.ndarray  # (n, 3) metres, from frame `start` to the one after `stop`, led straight on where the clip turns
    turns: np.ndarray  # (n, J, 4) local rotations of these frames
    open: float  # m that joints are away, on average, from where the cycle began, when it ends
    drift: np.ndarray  # (J, 3) rotation vectors by which joints are turned when it ends

    @property
    def seconds(self) -> float:
        return (self.stop - self.start) / self.clip.fps

    @property
    def stride(self) -> float:
        """Metres."""
        return float(self.root[-2, 2] - self.root[0, 2])

    def at(self, phase: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Root (n, 3), off its steady way and above the floor, rotations (n, J, 4) and frames (n,) at phases from 0.

        A cycle goes on from where its clip comes to it, and is closed more and more until it ends."""
        phase = phase % 1.0
        closing = smoothstep(phase)[:, None]
        moment = phase * (self.stop - self.start)
        below = moment.astype(int)
        share = moment - below
        root, turns = self.root, self.turns
        places = root[below] + share[:, None] * (root[below + 1] - root[below]) - root[0]
        way = root[-2] - root[0]
        places -= phase[:, None] * way * _ALONG + closing * way * (1.0 - _ALONG)
        places += self._begins
        bent = rot.slerp(turns[below], turns[below + 1], share[:, None])
        closed = rot.multiply(bent, rot.from_vector(-closing[..., None] * self.drift))
        return places, closed, self.start + below

    def captured(self, frames: np.ndarray, late: float) -> tuple[np.ndarray, np.ndarray]:
        """Root (n, 3) and rotations (n, J, 4) `late` frames after these, where `at` would have them at phase 0."""
        root, turns = self.clip.root, self.clip.rotations
        places = root[frames] + late * (root[frames + 1] - root[frames]) - root[self.start]
        return places + self._begins, rot.slerp(turns[frames], turns[frames + 1], late)

    @property
    def _begins(self) -> np.ndarray:
        """(3,) metres beside the middle of its way and above the floor where the cycle begins."""
        part = self.root[:-2, 0]
        line = np.linspace(self.root[0, 0], self.root[-2, 0], len(part))
        return np.array([-(part - line).mean(), self.root[0, 1] - self.clip.floor, 0.0])


def cycles(clip: Clip, foot: int) -> list[Cycle]:
    """The cycles of a clip from strikes of one of its feet on, the one that closes best first."""
    feet, contacts = sides.feet(clip), np.asarray(clip.contacts())
    if len(feet) != 2:
        return []
    columns = [slice(0, len(feet[0])), slice(len(feet[0]), len(feet[0]) + len(feet[1]))]
    own, other = (
        [int(a) for a, _ in runs(np.logical_or.reduce(contacts[:, columns[k]], axis=1)) if a > clip.first]
        for k in (foot, 1 - foot)
    )
    found = []
    for start, stop in pairwise(own):
        middle = [(at - start) / (stop - start) for at in other if start < at < stop]
        if not _SHORTEST <= (stop - start) / clip.fps <= _LONGEST or stop + 1 >= len(clip):
            continue
        if len(middle) != 1 or not _EVEN[0] <= middle[0] <= _EVEN[1]:
            continue
        root, _ = _straightened(clip, start, stop)
        led = clip.moved(-float(heading_of(root[-2, [0, 2]] - root[0, [0, 2]])))
        root, turns = _straightened(led, start, stop)
        turned = rot.multiply(rot.conjugate(turns[0]), turns[-2])
        places = positions(
            clip.skeleton, root[[0, -2]], turns[[0, -2]], None if clip.offsets is None else clip.offsets[[start, stop]]
        )
        apart = (places[1] - places[0]) - (root[-2] - root[0]) * [1.0, 0.0, 1.0]
        away = float(np.sqrt((apart**2).sum(axis=-1)).mean())
        found.append(Cycle(led, start, stop, root, turns, away, rot.to_vector(turned)))
    return sorted(found, key=lambda cycle: cycle.open)


def _straightened(clip: Clip, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Root (n, 3) and rotations (n, J, 4) from frame `start` to the one after `stop`, turned back evenly by what the
    way turns meanwhile: a loop of a veering run would leap where it begins anew."""
    frames = slice(start, stop + 2)
    root, turns = clip.root[frames].copy(), clip.rotations[frames].copy()
    few = min(max(round(_MOMENT * clip.fps), 1), start + 1 - clip.first)
    into, out = (clip.root[frame + 1] - clip.root[frame + 1 - few] for frame in (start, stop))
    veers = float(wrapped(heading_of(out[[0, 2]]) - heading_of(into[[0, 2]])))
    back = rot.about("Y", -veers * np.arange(len(root)) / (stop - start))
    turns[:, 0] = rot.multiply(back, turns[:, 0])
    halfway = rot.about("Y", -veers * (np.arange(len(root) - 1) + 0.5) / (stop - start))
    root[1:] = root[0] + np.cumsum(rot.rotate(halfway, np.diff(root, axis=0)), axis=0)
    return root, turns


def bridge(first: Clip, second: Clip) -> Clip:
    """A made clip that passes from a cycle of one clip into a cycle of another; both of the same body and rate."""
    pair = _alike(first, second)
    if pair is None:
        raise MotionError(f"{first.name} and {second.name} have no cycles of like structure to lead over")
    return _led_over(*pair)


def _alike(first: Clip, second: Clip) -> tuple[Cycle, Cycle] | None:
    """The best closed cycles of two clips, from the same foot on; None where they are not alike."""
    best = None
    for foot in (0, 1):
        own, others = cycles(first, foot)[:1], cycles(second, foot)[:1]
        if own and others and _apart(own[0], others[0]) < _ALIKE:
            both = own[0].open + others[0].open
            best = (both, own[0], others[0]) if best is None or both < best[0] else best
    return None if best is None else best[1:]


def _apart(a: Cycle, b: Cycle) -> float:
    """Metres between the joints of two cycles at the same moments, on average."""
    phase = np.arange(16) / 16.0
    places = []
    for cycle in (a, b):
        whole = cycle.clip.positions()[cycle.at(phase)[2]]
        places.append(whole - whole[:, :1] * [1.0, 0.0, 1.0])
    return float(np.linalg.norm(places[0] - places[1], axis=-1).mean())


def _led_over(a: Cycle, b: Cycle) -> Clip:
    fps, total = a.clip.fps, _LEAD + _STRIDES
    phases, at = [], 0.0
    while at < total:
        phases.append(at)
        passed = float(smoothstep(np.clip((at - _LEAD) / _STRIDES, 0.0, 1.0)))
        at += 1.0 / (fps * ((1.0 - passed) * a.seconds + passed * b.seconds))
    phase = np.array(phases)
    share = smoothstep(np.clip((phase - _LEAD) / _STRIDES, 0.0, 1.0))
    (root_a, turns_a, frames_a), (root_b, turns_b, frames_b) = a.at(phase), b.at(phase)
    root = root_a + share[:, None] * (root_b - root_a)
    stride = (1.0 - share) * a.stride + share * b.stride
    gone = np.append(0.0, np.cumsum(0.5 * (stride[1:] + stride[:-1]) * np.diff(phase)))
    root += gone[:, None] * _ALONG
    turns = rot.slerp(turns_a, turns_b, share[:, None])
    # The phase at which the second clip goes on is not quite that of a frame.
    late = (at - total) * (b.stop - b.start)
    ends = gone[-1] + (total - phase[-1]) * b.stride
    before = np.arange(max(a.start - round(_CAPTURED * fps), a.clip.first), a.start)
    after = np.arange(b.start, min(b.start + round((b.seconds + _CAPTURED) * fps), len(b.clip) - 1))
    root_before, turns_before = a.captured(before, 0.0)
    root_after, turns_after = b.captured(after, late)
    root = np.concatenate([root_before, root, root_after + ends * _ALONG])
    root[:, 1] += 0.5 * (a.clip.floor + b.clip.floor)
    turns = np.concatenate([turns_before, turns, turns_after])
    early = np.concatenate([np.ones(len(before), bool), share < 0.5, np.zeros(len(after), bool)])[:, None]
    frames_a, frames_b = (
        np.concatenate([before, frames_a, np.full(len(after), a.start)]),
        np.concatenate([np.full(len(before), b.start), frames_b, after]),
    )
    contacts = [np.asarray(plants(cycle.clip)) for cycle in (a, b)]
    planted = np.where(early, contacts[0][frames_a], contacts[1][frames_b])
    words = tuple(sorted({*a.clip.labels, *b.clip.labels}))
    labels = Labels.of(len(root))
    if words:
        own = [(a.clip.labels, frames_a), (b.clip.labels, frames_b)]
        masks = [np.stack([said.at(word)[frames] for word in words], axis=1) for said, frames in own]
        labels = Labels(words, np.where(early, *masks))
    made = Clip(a.clip.skeleton, root, turns, fps, f"{a.clip.name} to {b.clip.name}{MADE}", labels)
    return cleaned(made.with_contacts(Contacts.of(planted, a.clip.skeleton, plants(a.clip).joints)))


def bridged(graph: MotionGraph, most: int = 4, progress: Progress = SILENT) -> tuple[MotionGraph, list[dict[str, Any]]]:
    """The graph with bridges between clusters of its clips that hardly lead to each other, and what they cost.

    Of each bridge: its name, what the dearest transition of the cheapest way over it costs, and cost before (shares of
    what each may cost; None: there was no way), 99th percentiles of acceleration and of its jumps as shares of those of
    its two clips, and slide in cm/s. most: bridges. What leads over no better is left out again.
    """
    clips, groups, way = graph.candidates.originals, *_ways(graph)
    found, kept, tried = MotionGraph(graph.candidates, "auto" if graph.is_auto else graph.thresholds), [], set()
    while len(kept) < most:
        over = _over(way)
        large = np.array([len(group) for group in groups])
        wanted = [
            (-over[a, b], -large[a] * large[b], a, b) for a, b in np.argwhere(over > _DEAR) if (a, b) not in tried
        ]
        if not wanted:
            break
        progress(len(kept), most, "bridging clips")
        *_, a, b = min(wanted)
        tried.add((a, b))
        ends = [[clips[k] for k in groups[n] if not clips[k].name.endswith(MADE)][:_TRIED] for n in (a, b)]
        pairs = [pair for one in ends[0] for other in ends[1] if (pair := _alike(one, other)) is not None]
        if not pairs:
            continue
        pair = min(pairs, key=lambda pair: pair[0].open + pair[1].open)
        made = _led_over(*pair)
        found.add(made)
        share = _share(found, made.name, {clips[k].name for k in groups[a]}, {clips[k].name for k in groups[b]})
        if share > min(_BETTER * over[a, b], 1.0):
            found.remove(made.name)
            continue
        way[a, b] = share
        figures = [quality(clip) for clip in (made, pair[0].clip, pair[1].clip)]
        names = ("acceleration_p99", "acceleration_jump_p99")
        ratios = [figures[0][name] / max(figures[1][name], figures[2][name], 1e-9) for name in names]
        before = float(over[a, b]) if np.isfinite(over[a, b]) else None
        said = {"share": share, "before": before, "acceleration": ratios[0], "jumps": ratios[1]}
        kept.append({"name": made.name, **said, "slide": figures[0]["slide_mean"]})
    return found, kept


def in_words(found: dict[str, Any]) -> str:
    """A sentence on one of the bridges that `bridged` tells of."""
    before = "where nothing did" if found["before"] is None else f"instead of {found['before']:.0%}"
    return (
        f"{found['name']}: leads over at {found['share']:.0%} of what transitions may cost, {before}; it accelerates "
        f"{found['acceleration']:.2f} times as much as its clips, feet slide {found['slide']:.1f} cm/s"
    )


def _ways(graph: MotionGraph) -> tuple[list[list[int]], np.ndarray]:
    """The originals of every cluster, and what the cheapest transition from each to each costs, as a share of what it
    may; infinity for none, or hardly any."""
    candidates, times = graph.candidates, 2 if graph.candidates.mirror else 1
    row = candidates.clusters.row[::times]
    groups = [np.flatnonzero((row >= c.first) & (row < c.stop)).tolist() for c in candidates.clusters.each]
    group_of = np.empty(len(row), int)
    for n, group in enumerate(groups):
        group_of[group] = n
    src, dst = (group_of[ends // times] for ends in candidates.ends)
    share = candidates.cost / np.maximum(np.broadcast_to(graph.thresholds.limits(candidates), len(src)), 1e-12)
    way, taken = np.full((len(groups), len(groups)), np.inf), graph.kept.transitions
    np.minimum.at(way, (src[taken], dst[taken]), share[taken])
    count = np.zeros(way.shape, int)
    np.add.at(count, (src[taken], dst[taken]), 1)
    return groups, np.where(count < _FEW, np.inf, way)


def _over(way: np.ndarray) -> np.ndarray:
    """(G, G) the dearest transition on the best way from each cluster to each, also over others."""
    over = way.copy()
    np.fill_diagonal(over, 0.0)
    for k in range(len(over)):
        over = np.minimum(over, np.maximum(over[:, k, None], over[None, k]))
    return over


def _share(graph: MotionGraph, name: str, first: set[str], second: set[str]) -> float:
    """What the dearer of the cheapest transitions from clips of these names into a clip and out of it to others costs,
    as a share of what it may; infinity where there is none."""
    clips, table = graph.clips, graph.candidates.table
    limits = np.broadcast_to(graph.thresholds.limits(graph.candidates), len(table))
    share = graph.candidates.cost / np.maximum(limits, 1e-12)
    names = np.array([clip.name for clip in clips])
    own, half = names == name, 0.5 * len(next(clip for clip in clips if clip.name == name))
    into = np.isin(names, list(first))[table["src"]] & own[table["dst"]] & (table["dst_frame"] < half)
    out = own[table["src"]] & np.isin(names, list(second))[table["dst"]] & (table["src_frame"] > half)
    return max(float(share[into].min(initial=np.inf)), float(share[out].min(initial=np.inf)))
