"""Building a graph: clips are brought to one rate and one skeleton, and every pair that is new is compared.

Python, the command line and the window all build here. What a previous graph knows is used again; the result is the
same as if everything had been compared.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph import sentences
from motiongraph.graph.candidates import RADIUS, Candidates, LeftOut, pace
from motiongraph.graph.compare import Found, Pairs, compare
from motiongraph.graph.fitting import fitted, mirrored_later, named_apart
from motiongraph.graph.floor import floor_rows
from motiongraph.graph.limits import Limits, cheapest, pushed_out
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.rules import Rules
from motiongraph.graph.structure import TRANSITION, in_order, renumbered
from motiongraph.graph.thresholds import AnyThreshold, Thresholds
from motiongraph.metric.cells import Cells
from motiongraph.metric.metric import Metric
from motiongraph.metric.pruned import Kept
from motiongraph.metric.stream import ahead
from motiongraph.model.bone_map import unrecognised
from motiongraph.model.clip import Clip
from motiongraph.model.despike import despiked
from motiongraph.model.retarget import can_retarget, hanging, planted_on
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from distributed import Client

NOTHING = "a graph needs at least one clip that is as long as a transition"


@dataclass(frozen=True)
class Options:
    """How a graph is built. What is None is as in the previous graph where that still makes sense, else as usual."""

    metric: Metric = field(default_factory=Metric)
    mirror: bool = False  # every clip's mirror image takes part as well (Kovar 2002, figure 6)
    fps: float | None = None  # rate of the graph; None: the rate that most clips have
    ceiling: float | str | None = None  # cost up to which transitions are kept, in the metric's unit, or "auto"
    radius: float | None = None  # seconds; of minima nearer than this only the cheapest is kept
    threshold: AnyThreshold | None = None  # as for `MotionGraph.build`
    bones: Mapping[str, str] = field(default_factory=dict)  # corrections of bone maps, see `model.bone_map`
    rules: Rules = field(default_factory=Rules)  # which pairs of windows become transitions
    per_window: int | None = None  # cheapest transitions that every stretch of `radius` keeps; 0: all
    search: str = "pruned"  # or "exhaustive"


@dataclass(frozen=True, eq=False)
class Built:
    """A graph and how it came about."""

    graph: MotionGraph  # not pruned
    sources: tuple[int, ...]  # which of the clips given each of the graph's originals is
    left_out: tuple[LeftOut, ...]  # clips given that are not in the graph
    compared: int  # pairs of clips compared for it
    total: int  # pairs of clips it has
    warnings: tuple[str, ...]  # sentences about the clips that do take part

    @property
    def sentences(self) -> tuple[str, ...]:
        """All there is to say: clips left out, then warnings."""
        return (*map(str, self.left_out), *self.warnings)


def build_graph(
    clips: Iterable[Clip],
    options: Options | None = None,
    previous: MotionGraph | None = None,
    progress: Progress = SILENT,
    client: "Client | None" = None,
) -> Built:
    """The graph of these clips, in their order.

    Clips of several rates are resampled to the one that most have. Clips with other joints than most are put on the
    body that most have, bone by bone; those whose bones cannot be recognised, and clips that are too short, are left
    out. previous: a graph whose pairs need not be compared again, where it has the same rate,
    metric, ceiling and mirror images; a clip is known by its motion, so names and labels may change. client: of a
    Dask cluster whose workers compare the clips.
    """
    options, clips = options or Options(), list(clips)
    if not clips:
        raise MotionError(NOTHING)
    rate = options.fps or Counter(clip.fps for clip in clips).most_common(1)[0][0]
    mended, at_rate = [], []
    mend = partial(_as_known, {id(clip) for clip in previous.candidates.originals} if previous is not None else set())
    for done, (clip, one) in enumerate(zip(clips, ahead(mend, clips))):
        progress(done, len(clips), f"reading {clip.name}")
        mended.append(one)
        resampled = one[0].resampled(rate)
        at_rate.append(resampled.packed() if clip.is_packed else resampled)
    sources, left_out = _fitting(at_rate, options.metric)
    if not sources:
        raise MotionError(f"{NOTHING}; {'; '.join(map(str, left_out))}")
    wanted = named_apart([at_rate[i] for i in sources], options.mirror)

    plan = _Plan.of(options, rate, previous, wanted)
    originals, ready, number = _known_again(wanted, plan.known)
    used = fitted(originals, options.mirror, ready, progress, options.bones)
    table, new, cells, stays = np.empty(0, TRANSITION), np.ones(len(used), bool), None, None
    if plan.known is not None and used[0].skeleton == plan.known.clips[0].skeleton:
        each = np.arange(2 if options.mirror else 1)
        number = np.where(number[:, None] >= 0, len(each) * number[:, None] + each, -1).ravel()
        again = pushed_out(plan.known.table, number, plan.known.per_window, round(plan.known.radius * rate))
        number = np.where(again, -1, number)
        table, stays = renumbered(plan.known.table, number), number
        new[number[number >= 0]] = False
        if not new.all() and new.any():
            cells = _cells_left(plan.known, number, len(used))
    pairs = Pairs(new)
    limits = plan.limits.of_frames(sum(len(clip) - clip.first for clip in used))
    ceiling, looked = limits.ceiling, Kept()
    kept = partial(_cells_left, plan.known, stays, len(used))  # read where they are asked for
    if len(pairs):
        found = compare(used, options.metric, limits, pairs, progress, client, options.rules, cells)
        table, ceiling, looked, there = _joined(found, table, limits, rate)
        kept = partial(lambda cells: cells, there)
    if plan.known is not None:
        ceiling = plan.known.ceiling
        looked.add(plan.known.looked)
    assert not isinstance(ceiling, str)
    candidates = Candidates(
        originals,
        used,
        options.metric,
        table,
        ceiling,
        limits.radius,
        options.mirror,
        tuple(left_out),
        dict(options.bones),
        options.rules,
        limits.per_window or 0,
        looked,
        kept,
    )
    if plan.known is not None and stays is not None:
        _carry_over(plan.known, candidates, stays)
    threshold = plan.threshold
    if previous is not None and options.threshold is None and lasting(previous, candidates):
        threshold = previous.thresholds
    graph = MotionGraph(candidates, threshold, progress=progress)
    total = len(used) * (len(used) + 1) // 2
    said = [
        sentences.rates(clips, rate),
        sentences.errors(mended),
        sentences.bodies(originals, used[0].skeleton, options.bones),
        sentences.prepared_anew(plan.known, candidates) if len(pairs) else [],
        sentences.whole(candidates, options.search) if len(pairs) else [],
        sentences.feet(candidates),
        sentences.lonely(candidates),
    ]
    warnings = tuple(chain.from_iterable(said))
    return Built(graph, tuple(sources), tuple(left_out), len(pairs), total, warnings)


def _as_known(known: set[int], clip: Clip) -> tuple[Clip, list[tuple[int, int]]]:
    """`despiked`, but clips of the previous graph, by their ids, were mended when they came into it."""
    return (clip, []) if id(clip) in known else despiked(clip)


def _joined(found: Found, table: np.ndarray, limits: Limits, fps: float) -> Found:
    """What was found and what was known before, within the limits of both together."""
    table = cheapest(np.concatenate([table, found.table]), limits.per_window or 0, round(limits.radius * fps))
    return found._replace(table=in_order(table))


def _cells_left(known: Candidates | None, number: np.ndarray | None, clips: int) -> Cells | None:
    """The cells of those known clips that stay, by their new numbers (C,), −1 for those that go."""
    cells = None if known is None or number is None else known.cells()
    return None if cells is None or number is None else cells.renumbered(number, clips)


def _carry_over(known: Candidates, candidates: Candidates, number: np.ndarray) -> None:
    """Give candidates what is known of every frame of clips that stay, and work out that of new ones only.

    number: (C,) the new number of every clip that was known, −1 for those that go."""
    frames, each = np.cumsum([0, *map(len, known.clips)]), {"paces": partial(pace, window=known.window)}
    for name, work in (each | {"paths": floor_rows}).items():
        if name not in known.__dict__:
            continue  # it is worked out when it is asked for
        before = getattr(known, name)
        rows = {int(n): before[frames[i] : frames[i + 1]] for i, n in enumerate(number) if n >= 0}
        parts = [rows[n] if n in rows else work(clip) for n, clip in enumerate(candidates.clips)]
        candidates.__dict__[name] = np.concatenate(parts)


def lasting(previous: MotionGraph | None, candidates: Candidates) -> bool:
    """Whether thresholds that were set by hand still mean something for other candidates: 3 cm are not 3°."""
    if previous is None or previous.is_auto or previous.metric.unit != candidates.metric.unit:
        return False
    highest = previous.thresholds.highest
    return not np.isfinite(highest) or highest <= candidates.ceiling


def same_motion(a: Clip, b: Clip) -> bool:
    """Whether two clips have the same frames, as graphs hold them, on the same skeleton; names and labels may
    differ."""
    if (len(a), a.first, a.fps) != (len(b), b.first, b.fps) or a.skeleton != b.skeleton:
        return False
    one, other = a.packed().poses, b.packed().poses
    if one is not None and other is not None:
        return one.same(other)
    return _equal(a.root, b.root) and _equal(a.rotations, b.rotations) and _equal(a.offsets, b.offsets)


def _equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is compared, and what is not compared again."""

    known: Candidates | None  # of the previous graph, where its pairs can be used
    limits: Limits
    threshold: AnyThreshold

    @classmethod
    def of(cls, options: Options, rate: float, previous: MotionGraph | None, wanted: Sequence[Clip]) -> "_Plan":
        metric, known, least = options.metric, None, 0.0
        threshold = options.threshold if options.threshold is not None else "auto"
        if previous is not None:
            c = previous.candidates
            kind = previous.fps, c.mirror, c.metric.key, c.metric.search_fps, dict(c.bones), c.rules
            asked = rate, options.mirror, metric.key, metric.search_fps, dict(options.bones), options.rules
            known = c if kind == asked else None
        ceiling, radius, per_window = options.ceiling, options.radius, options.per_window
        if ceiling is None:
            ceiling = known.ceiling if known else "auto"
        if ceiling == "auto" and metric.kind != "cloud":
            ceiling = np.inf
        if radius is None:
            radius = known.radius if known else RADIUS
        if per_window is None and known is not None:
            per_window = known.per_window
        if not (isinstance(threshold, str) and threshold in ("auto", "half")):
            threshold = Thresholds.of(threshold)
            least = threshold.highest if np.isfinite(threshold.highest) else 0.0
            ceiling = ceiling if isinstance(ceiling, str) else max(ceiling, least)
        limits = Limits(ceiling, float(radius), per_window, options.search, least)
        if known is not None and (known.ceiling, known.radius, known.per_window) != (ceiling, radius, per_window):
            known = None
        return cls(known, limits, threshold)


def _fitting(clips: Sequence[Clip], metric: Metric) -> tuple[list[int], list[LeftOut]]:
    """The numbers of the clips that can be in one graph, and the others with the reason."""
    joints = [hanging(clip.skeleton) for clip in clips]
    usual = Counter(joints).most_common(1)[0][0]
    like = clips[joints.index(usual)]
    fitting, left_out = [], []
    for i, clip in enumerate(clips):
        frames = len(clip) - clip.first
        if joints[i] != usual and not can_retarget(clip.skeleton, like.skeleton):
            other = f"its skeleton has other joints than that of {like.name}"
            missing = unrecognised(clip.skeleton) or unrecognised(like.skeleton)
            parts = ", ".join(missing) if len(missing) < 4 else "hips and legs"
            left_out.append(LeftOut(clip.name, f"{other}, and no {parts} that can be recognised"))
        elif frames < metric.frames(clip.fps):
            left_out.append(LeftOut(clip.name, f"its {frames / clip.fps:.2f} s are shorter than a transition"))
        else:
            fitting.append(i)
    return fitting, left_out


def _known_again(
    wanted: Sequence[Clip], known: Candidates | None
) -> tuple[tuple[Clip, ...], dict[int, tuple[Clip, ...]], np.ndarray]:
    """The clips wanted, those of the same motion taken from `known` with their new names and labels.

    Returns (originals; id of an original that was known → its clips in the graph; (C,) the new number of every
    original that was known, −1 for those that go).
    """
    if known is None:
        return tuple(wanted), {}, np.empty(0, np.int32)
    same = {id(clip): i for i, clip in enumerate(known.originals)}
    there = {same[id(clip)] for clip in wanted if id(clip) in same}
    free: dict[tuple, list[int]] = {}
    for i, clip in enumerate(known.originals):
        if i not in there:
            free.setdefault(_mark(clip), []).append(i)
    originals, ready, number = [], {}, np.full(len(known.originals), -1, np.int32)
    each = 2 if known.mirror else 1
    for n, clip in enumerate(wanted):
        match = same.pop(id(clip), None)
        if match is None and free:
            # Of clips with the same motion the one of the same name comes first.
            alike = sorted(free.get(_mark(clip), []), key=lambda i: known.originals[i].name != clip.name)
            match = next((i for i in alike if same_motion(clip, known.originals[i])), None)
            if match is not None:
                free[_mark(clip)].remove(match)
        if match is not None:
            number[match] = n
            clip, used = _renewed(known.originals[match], known.clips[each * match : each * (match + 1)], clip)
            ready[id(clip)] = used
        originals.append(clip)
    return tuple(originals), ready, number


def _mark(clip: Clip) -> tuple:
    """Differs for nearly all clips of different motion; takes no time."""
    root = clip.root if clip.poses is None else clip.poses.root
    return len(clip), clip.first, *(root[k].astype(np.float32).tobytes() for k in (0, -1))


def _renewed(original: Clip, used: tuple[Clip, ...], clip: Clip) -> tuple[Clip, tuple[Clip, ...]]:
    """A known original and its clips in the graph, with the name, labels and file of `clip`."""
    same_file = original.file == clip.file and _equal(original.file_frames, clip.file_frames)
    said = {"name": clip.name, "labels": clip.labels, "planted": clip.planted}
    if all(getattr(original, key) == value for key, value in said.items()) and (same_file or clip.file is None):
        return original, used
    about = {**said, "file": clip.file, "file_frames": clip.file_frames}
    fits = used[0].described(**about | {"planted": planted_on(clip, used[0].skeleton)})
    renewed = fits if used[0] is original else original.described(**about)
    return renewed, (fits, mirrored_later(fits))[: len(used)]
