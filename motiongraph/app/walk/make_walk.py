"""From a request to motion: the walk is found, synthesized and looked over. Runs on a worker."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from math import radians
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.app.library.entries import Prepared, prepare
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.clip import Clip
from motiongraph.progress import Progress, stretch
from motiongraph.synthesis.bending import as_bent
from motiongraph.synthesis.quality import quality
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.connect import connect
from motiongraph.walks.curve import Curve
from motiongraph.walks.follow_path import follow_path
from motiongraph.walks.path_goal import Effort, Weights
from motiongraph.walks.random_walk import greedy_walk, random_walk
from motiongraph.walks.reach import reach
from motiongraph.walks.sequential import sequential_walk
from motiongraph.walks.sharp_turns import tightest_turn
from motiongraph.walks.walk import Walk

if TYPE_CHECKING:
    from motiongraph.app.path.path_state import PathLabels

_CAPTURED = ("slide_mean", "knee_pop_p99")  # figures that are compared with those of the captured clips
# Metres from the path, or from the place to reach, that are too many, and few enough to be worth another threshold;
# thresholds to try, as a multiple of the present one; seconds to try for.
_MISSED = {"path": ("path_error_mean", 0.3, 0.15), "reach": ("end_distance", 0.5, 0.25)}
_HIGHER, _PATIENCE = (1.2, 1.5, 2.0, 2.5, 3.0), 3.0
_known: WeakKeyDictionary[Clip, dict[str, float]] = WeakKeyDictionary()
DrawnPath = tuple[np.ndarray, "PathLabels | None", str, bool]  # points (N, 2), labels, curve, closed


@dataclass(frozen=True)
class Request:
    """A walk to be made."""

    method: str  # one of `walk_options.METHODS`
    options: dict[str, Any]  # of the method
    motion: dict[str, Any]  # options of the synthesis
    seed: int
    path: DrawnPath | None  # where one is drawn
    at: tuple[float, float, float]  # x, z, heading (metres, radians) to begin at when a place is to be reached
    name: str  # of the motion
    obstacles: tuple = ()  # what to go around, as `follow_path` takes them


def make(
    graph: MotionGraph, request: Request, progress: Progress, quick: bool = False
) -> tuple[Clip, Prepared, Walk, dict[str, Any], np.ndarray | None]:
    """(clip, prepared, walk, report, path asked for (n, 2) or None) of a request; quick: without trying what would
    help, while someone is waiting with the mouse held."""
    asked = None
    if request.path is not None:
        asked = Curve.of(request.path[0], request.path[2], request.path[3])
    walk = find(graph, request, asked, stretch(progress, 0.0, 0.5), quick)
    clip = synthesize(walk, name=request.name, progress=stretch(progress, 0.5, 0.75), **synthesis(request.motion))
    if request.motion["bend"]:
        walk = as_bent(walk, clip)
    report = looked_over(walk, stretch(progress, 0.75, 0.95))
    report["advice"] = None if quick else advice(graph, request, asked, report, progress)
    if asked is not None:
        tightest_turn(graph)  # here, beside the loop, which asks for it next
    progress(0.95, 1.0, "preparing to show it")
    return clip, prepare(clip), walk, report, None if asked is None else asked.places


def looked_over(walk: Walk, progress: Progress) -> dict[str, Any]:
    """The figures of a walk whose motion is made; "captured": the same of the clips played."""
    report = walk.report(stretch(progress, 0.0, 0.7))
    return report | {"captured": captured(walk, stretch(progress, 0.7, 1.0))}


def advice(
    graph: MotionGraph, request: Request, curve: Curve | None, report: dict[str, Any], progress: Progress
) -> dict[str, float] | None:
    """Where a walk goes far from where it should: the lowest of some higher thresholds at which it would not, with
    the metres it would be off then."""
    name, far, near = _MISSED.get(request.method, ("", 0.0, 0.0))
    limits = graph.thresholds
    if (report.get(name) or 0.0) <= far or limits.pairs or limits.within != limits.between:
        return None
    until = time.perf_counter() + _PATIENCE
    for times in _HIGHER:
        threshold = round(times * limits.highest, 1)
        if threshold > graph.candidates.ceiling or time.perf_counter() > until:
            return None
        progress(0.95, 1.0, f"trying {threshold:g} {graph.metric.unit}")
        missed = find(graph.at(threshold), request, curve, lambda *_: progress(0.95, 1.0)).facts.get(name)
        if missed is not None and missed <= near:
            return {"threshold": threshold, "missed": missed}
    return None


def captured(walk: Walk, progress: Progress) -> dict[str, float]:
    """The same figures of the clips that were played, weighed by how long; each clip is looked at only once."""
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


def find(graph: MotionGraph, request: Request, curve: Curve | None, progress: Progress, quick: bool = False) -> Walk:
    """The walk; raises a MotionError where there is none."""
    own, seed = dict(request.options), request.seed
    for name in ("start", "source", "target", "clip"):
        if name in own:
            own[name] = named(graph, own[name])
    if request.method == "greedy":
        share = own["share"] / 100.0
        return greedy_walk(graph, seed, own["transitions"], start=own["start"], share=share, progress=progress)
    if request.method == "random":
        return random_walk(graph, rng=seed, progress=progress, **own)
    if request.method in ("sequential", "connect") and not own["pruned"]:
        graph = graph.whole()
    if request.method == "sequential":
        ways = {"method": own["way"], "trials": own["trials"], "stay": own["stay"], "detours": own["detours"]}
        order = [name for item in own["order"] if (name := named(graph, item)) is not None]
        return sequential_walk(graph, order, seed, progress=progress, **ways)
    if request.method == "connect":
        return connect(graph, own["source"], own["target"], own["by"], progress=progress)
    how: dict[str, Any] = {**_search(own, seed), "start": own["start"], "progress": progress}
    how["obstacles"], how["effort"] = request.obstacles, replace(how["effort"], again=not quick)
    if curve is not None and request.path is not None:
        return follow_path(graph, curve, request.path[1], **how)
    facing = radians(own["angle"]) if own["faces"] else None
    x, z, heading = request.at
    return reach(graph, (own["x"], own["z"]), facing, own["clip"], at=(x, z), heading=heading, **how)


def _search(own: dict[str, Any], seed: int) -> dict[str, Any]:
    """Weights and effort of the panel's options; with equation 9 only its own numbers count."""
    effort = Effort(
        own["planner"], seconds=own["limit"] or None, expansions=own["expansions"] or None, plan=own["plan"],
        keep=own["keep"], best=own["among"], tolerance=own["tolerance"], turning=own.get("turning", 0.0), rng=seed,
    )  # fmt: skip
    if own["equation_9"]:
        return {"weights": Weights.equation_9(own["gamma"]), "effort": effort}
    usual = Weights()
    weights = {"facing": own["facing"] * usual.facing, "cost": own["cost"] * usual.cost, "speed": own["speed"]}
    return {"weights": Weights(**weights, gamma=own["gamma"], slack=own["slack"]), "effort": effort}


def synthesis(motion: dict[str, Any]) -> dict[str, Any]:
    """The panel's options as `synthesize` takes them."""
    return {**{k: v for k, v in motion.items() if k != "length"}, "lengths": motion["length"] or None}


def named(graph: MotionGraph, text: str) -> str | tuple[int, int] | None:
    """What walks take for a name in the panel: None for "", (clip, frame of the graph's clip) for clip:frame."""
    if not text:
        return None
    clips = [clip.name for clip in graph.clips]
    at = re.fullmatch(r"(.+):(\d+)", text)
    if text in clips or at is None or at[1] not in clips:
        return text
    index = clips.index(at[1])
    return index, clip_frame(graph.clips[index], int(at[2]))


def clip_frame(clip: Clip, file_frame: int) -> int:
    """The frame of a clip that shows a frame of its file."""
    frames = clip.file_frames
    if frames is None:
        return file_frame
    if not round(frames[0]) <= file_frame <= round(frames[-1]):
        raise MotionError(f"{clip.name} shows frames {frames[0]:.0f} to {frames[-1]:.0f} of its file, not {file_frame}")
    return int(np.argmin(np.abs(frames - file_frame)))
