"""From what was asked for to motion: the walk is found, synthesized and looked over. Runs on a worker."""

import re
import time
from math import radians
from weakref import WeakKeyDictionary

from motiongraph.app.library.prepared import prepare
from motiongraph.progress import stretch
from motiongraph.walks.curve import Curve
from motiongraph.walks.effort import Effort
from motiongraph.walks.path_goal import Weights

_CAPTURED = ("slide_mean", "knee_pop_p99")  # figures that are compared with those of the captured clips
# Metres from the path, or from the place to reach, that are too many, and few enough to be worth another threshold;
# thresholds to try, as a multiple of the present one; seconds to try for.
_MISSED = {"path": ("path_error_mean", 0.3, 0.15), "reach": ("end_distance", 0.5, 0.25)}
_HIGHER, _PATIENCE = (1.2, 1.5, 2.0, 2.5, 3.0), 3.0
_known: WeakKeyDictionary = WeakKeyDictionary()


def make(graph, wanted, progress):
    """(clip, prepared, walk, report, path asked for (n, 2) or None) of a `walks.Wanted`."""
    from motiongraph.synthesis.synthesize import synthesize

    asked = None
    if wanted.path is not None:
        asked = Curve.of(wanted.path[0], wanted.path[2], wanted.path[3])
    walk = find(graph, wanted, asked, stretch(progress, 0.0, 0.5))
    clip = synthesize(walk, name=wanted.name, progress=stretch(progress, 0.5, 0.75), **wanted.motion)
    report = looked_over(walk, wanted.files, stretch(progress, 0.75, 0.95))
    report["advice"] = advice(graph, wanted, asked, report, progress)
    progress(0.95, 1.0, "preparing to show it")
    return clip, prepare(clip), walk, report, None if asked is None else asked.places


def looked_over(walk, files, progress) -> dict:
    """The figures of a walk whose motion is made; files: (offset, ratio) of each of its clips, see `results.Made`."""
    report = walk.report(stretch(progress, 0.0, 0.7))
    return report | {"captured": captured(walk, stretch(progress, 0.7, 1.0)), "files": [list(each) for each in files]}


def advice(graph, wanted, curve, report, progress) -> dict | None:
    """Where a walk goes far from where it should: the lowest of some higher thresholds at which it would not, with
    the metres it would be off then."""
    name, far, near = _MISSED.get(wanted.method, ("", 0.0, 0.0))
    limits = graph.thresholds
    if (report.get(name) or 0.0) <= far or limits.pairs or limits.within != limits.between:
        return None
    until = time.perf_counter() + _PATIENCE
    for times in _HIGHER:
        threshold = round(times * limits.highest, 1)
        if threshold > graph.candidates.ceiling or time.perf_counter() > until:
            return None
        progress(0.95, 1.0, f"trying {threshold:g} {graph.metric.unit}")
        missed = find(graph.at(threshold), wanted, curve, lambda *told: progress(0.95, 1.0)).facts.get(name)
        if missed is not None and missed <= near:
            return {"threshold": threshold, "missed": missed}
    return None


def captured(walk, progress) -> dict:
    """The same figures of the clips that were played, weighed by how long; each clip is looked at only once."""
    from motiongraph.synthesis.quality import quality

    frames: dict[int, int] = {}
    for clip, start, stop in walk.steps.tolist():
        frames[clip] = frames.get(clip, 0) + stop - start + walk.window
    for done, index in enumerate(frames):
        clip = walk.clips[index]
        if clip not in _known:
            progress(done, len(frames), f"comparing it with {clip.name}")
            figures = quality(clip)
            _known[clip] = {name: figures[name] for name in _CAPTURED}
    total = sum(frames.values())
    return {name: sum(n * _known[walk.clips[c]][name] for c, n in frames.items()) / total for name in _CAPTURED}


def find(graph, wanted, curve, progress):
    """The walk; raises a MotionError where there is none."""
    own, seed = dict(wanted.options), wanted.seed
    for name in ("start", "source", "target", "clip"):
        if name in own:
            own[name] = named(graph, own[name], wanted.files)
    if wanted.method == "greedy":
        from motiongraph.walks.greedy import greedy_walk

        share = own["share"] / 100.0
        return greedy_walk(graph, seed, own["transitions"], start=own["start"], share=share, progress=progress)
    if wanted.method == "random":
        from motiongraph.walks.random_walk import random_walk

        return random_walk(graph, rng=seed, progress=progress, **own)
    if wanted.method in ("sequential", "connect") and not own["pruned"]:
        graph = graph.whole()
    if wanted.method == "sequential":
        from motiongraph.walks.sequential import sequential_walk

        ways = {"method": own["way"], "trials": own["trials"], "stay": own["stay"]}
        order = [named(graph, item, wanted.files) for item in own["order"]]
        return sequential_walk(graph, order, seed, progress=progress, **ways)
    if wanted.method == "connect":
        from motiongraph.walks.connect import connect

        return connect(graph, own["source"], own["target"], own["by"], progress=progress)
    usual = Weights()
    how = {
        "weights": Weights(facing=own["facing"] * usual.facing, cost=own["cost"] * usual.cost),
        "effort": Effort(method=own["planner"], seconds=own["limit"] or None, best=own["among"], rng=seed),
        "start": own["start"],
        "progress": progress,
    }
    if wanted.method == "path":
        from motiongraph.walks.follow_path import follow_path

        return follow_path(graph, curve, wanted.path[1], **how)
    from motiongraph.walks.reach import reach

    facing = radians(own["angle"]) if own["faces"] else None
    x, z, heading = wanted.at
    return reach(graph, (own["x"], own["z"]), facing, own["clip"], at=(x, z), heading=heading, **how)


def named(graph, text: str, files):
    """What walks take for a name in the panel: None for "", (clip, frame of the graph's clip) for clip:frame."""
    if not text:
        return None
    clips = [clip.name for clip in graph.clips]
    at = re.fullmatch(r"(.+):(\d+)", text)
    if text in clips or at is None or at[1] not in clips:
        return text
    index = clips.index(at[1])
    offset, ratio = files[index]
    return index, round((int(at[2]) - offset) / ratio)
