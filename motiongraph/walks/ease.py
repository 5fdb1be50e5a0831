"""How gladly random walks take each transition: by what it costs, where it leads, and how much it shows."""

from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, I32, I64, kernel, read
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.balance import balance, can_leave, freedom, inside, taken
from motiongraph.walks.discriminator import suspicion
from motiongraph.walks.floor_path import FloorGraph
from motiongraph.walks.seam_windows import seam_windows

LEAST, LONGEST_PLAYED = 0.5, 6.0  # seconds between two transitions
_SLOWEST = 0.25  # of a stroll; slower motion is taken for this slow
_HIDDEN = 2.0  # cm that hardly show in a stroll, whatever a graph's transitions may cost
# Change of speed, as a share, at which a transition is half as welcome. On subject 16 a stricter one (0.08, squared)
# hid seams no better and played less of the motion; 0.2 did not hide them.
_LIKE = 0.12
_MOMENT = 0.15  # s before and after a transition, in which others leave at the same moment
_END = 0.65  # s at the ends of clips, where transitions are known by what is about to end or has just begun
_ROUNDS = 8  # of asking what shows, and avoiding it
_EVEN_FIRST, _EVEN_AGAIN = 24, 6  # rounds of balancing clips, before that and after each
_PLAINER = 40.0  # times more or less gladly for how much it shows
# Transitions and frames of a graph of which that is asked, at most: more would take longer than a person waits, and
# of a whole database not all poses are loaded.
_MOST = 200_000, 400_000
_CLIPS = 4  # fewest clips to learn from
_LOOKING = "looking at transitions"

_known: WeakKeyDictionary[FloorGraph, tuple[float, np.ndarray]] = WeakKeyDictionary()


def balanced_ease(graph: MotionGraph, ground: FloorGraph, care: float, progress: Progress = SILENT) -> np.ndarray:
    """(T,) `ease`, more where a walk can then be left at many moments and away from the ends of clips, so that seams
    are spread evenly over the clips, and less where they show; worked out once for a graph."""
    found = _known.get(ground)
    if found is None or found[0] != care:
        found = _known[ground] = (care, _balanced(graph, ground, care, progress))
    return found[1]


def _balanced(graph: MotionGraph, ground: FloorGraph, care: float, progress: Progress) -> np.ndarray:
    progress(0, _ROUNDS + 1, _LOOKING)
    runs, count = ground.runs, len(ground.rows)
    clip_of = np.repeat(np.arange(len(graph.clips)), np.diff(ground.starts))
    near, least, most = (round(seconds * ground.fps) for seconds in (_MOMENT, LEAST, LONGEST_PLAYED))
    free = can_leave(runs, near)
    first = ground.starts[:-1] + [clip.first for clip in graph.clips]
    amid = inside(runs, clip_of, first, ground.starts[1:], ground.window, round(_END * ground.fps))
    glad = ease(graph, ground, care) * freedom(runs, free, least, most) * amid
    moments = np.bincount(clip_of, free, len(graph.clips))
    factor, mass = np.ones(len(graph.clips)), np.full(count, 1.0 / max(count, 1))
    weight = balance(runs, glad, clip_of, moments, least, most, factor, mass, _EVEN_FIRST)
    large = count > _MOST[0] or len(clip_of) > _MOST[1]
    if not care or large or len(np.unique(clip_of[runs.leave])) < _CLIPS:
        return weight
    windows, plain = seam_windows(graph, ground), np.ones(count)
    if windows is None:
        return weight
    for done in range(_ROUNDS):
        progress(done + 1, _ROUNDS + 1, _LOOKING)
        seams = taken(runs, weight, least, most, mass)
        f = suspicion(windows.levels, windows.clips, seams, _played(ground, seams, windows.frames))
        # By the root of the odds of being captured motion: by the odds themselves it goes to and fro.
        plain = np.clip(plain * (np.sqrt(1.0 + f * f) - f), 1.0 / _PLAINER, _PLAINER)
        shown = glad * (1.0 - care + care * plain)
        weight = balance(runs, shown, clip_of, moments, least, most, factor, mass, _EVEN_AGAIN)
    return weight


def _played(ground: FloorGraph, seams: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """(C,) how often walks that take transitions so often, seams (T,), play each of some frames; half of it evenly
    over all frames, so that what is seldom played is not strange."""
    runs, window = ground.runs, ground.window
    change = np.bincount(runs.arrive - window, seams, len(runs.run_end) + window)
    change -= np.bincount(runs.leave + window, seams, len(change))
    often = np.maximum(np.cumsum(change)[frames], 0.0)
    return 0.5 * often / max(often.sum(), 1e-12) + 0.5 / len(frames)


def ease(graph: MotionGraph, ground: FloorGraph, care: float) -> np.ndarray:
    """(T,) how gladly each transition is taken, by its cost in shares of what hardly shows, or of what it may cost
    where that is less: 1 / (1 + share²)³, which needs no exponential and so is the same on every processor. Falling
    faster, the few cheapest would be taken again and again, and always at the same moments of a motion, which gives
    them away more than their cost does.

    In motion slower than a stroll less is hidden, and a cost counts as more. Who speeds up or slows down at a seam
    shows it, whatever it costs. Moments from which many transitions leave are left no more often than others: walks
    that always change clips where the body rests give themselves away.
    """
    candidates = graph.candidates
    limits = np.broadcast_to(graph.thresholds.limits(candidates), len(candidates.table))[ground.rows]
    cost = candidates.cost[ground.rows]
    if not np.isfinite(limits).all():
        limits = np.full(len(cost), cost.max(initial=0.0))
    if candidates.metric.unit == "cm":
        pace = candidates.pace[ground.rows]
        limits = np.minimum(limits, _HIDDEN * candidates.leeway[ground.rows]) * np.clip(pace, _SLOWEST, 1.0)
    share = cost / np.maximum(limits, 1e-12)
    fall = 1.0 / (1.0 + care * share * share)
    change = _change(graph, ground) / _LIKE
    ease = fall * fall * fall / (1.0 + care * change * change) + 1e-9
    # Of all that leave about the same moment each gets its share of what the best of them would have alone. Its root:
    # which moment is left counts less than how, or the few cheapest would be taken again and again.
    total, near = np.append(0.0, np.cumsum(ease)), round(_MOMENT * ground.fps)
    return ease * (1.0 - care + alone(ground.runs.leave, ease, total, near, care))


def _change(graph: MotionGraph, ground: FloorGraph) -> np.ndarray:
    """(T,) by how much the two motions of each transition differ in how fast they get on over its window, as a share of
    their speed, or of 1 m/s for slower ones."""
    window, path = ground.window, graph.candidates.paths[:, :2]
    far = []
    for start in (ground.runs.leave, ground.runs.arrive - window):
        step = path[start + window - 1].astype(float) - path[start]
        far.append(np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1]))
    first, second = (each * ground.fps / max(window - 1, 1) for each in far)
    return (second - first) / np.maximum(0.5 * (first + second), 1.0)


@kernel(F64[::1](read(I32), read(F64), read(F64), I64, F64))
def alone(leave, ease, total, near, care):
    """(T,) the root of the largest ease of the transitions that leave within `near` frames of each, times `care`, as a
    share of all of them together; total: (T + 1,) the ease of those before."""
    count = leave.shape[0]
    out, first, last, best = np.empty(count), 0, 0, 0.0
    for k in range(count):
        if k == 0 or leave[k] > leave[k - 1]:
            while leave[first] < leave[k] - near:
                first += 1
            while last < count and leave[last] <= leave[k] + near:
                last += 1
            best = 0.0
            for i in range(first, last):
                best = max(best, ease[i])
        out[k] = care * np.sqrt(best) / (total[last] - total[first])
    return out
