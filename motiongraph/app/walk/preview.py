"""Previews: the motion of a short walk, such as one transition, made beside the loop and shown until the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from motiongraph.app.jobs import JobKind
from motiongraph.app.library.prepared import prepare
from motiongraph.app.walk.results import Made, show_made
from motiongraph.progress import Progress, stretch
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.walk import STEP, Walk

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.metric.metric import Metric
    from motiongraph.model.clip import Clip
    from motiongraph.walks.walk import Walk

_LEAD = 1.4  # seconds played before and after a transition
Found = tuple["Walk", "tuple[Entry, ...]"]  # a walk and the entries of its clips


class Source(Protocol):
    """What transitions are from: a matrix, a graph or a walk."""

    @property
    def window(self) -> int: ...
    @property
    def fps(self) -> float: ...
    @property
    def metric(self) -> Metric: ...


def transition_walk_of(source: Source, clips: tuple[Clip, ...], jump: np.void, method: str = "transition") -> Walk:
    """A little before a transition, the transition (a row of TRANSITION), and a little after it."""
    window, fps = source.window, source.fps
    lead = round(_LEAD * fps)
    (src, at, dst, to) = (int(jump[name]) for name in ("src", "src_frame", "dst", "dst_frame"))
    steps = [
        (src, max(at - lead, clips[src].first), at),
        (dst, to + window, min(to + window + lead, len(clips[dst]))),
    ]
    steps = np.array(steps, STEP)
    return Walk(clips, window, fps, steps, jump.reshape(1), method=method, metric=source.metric)


def show_walk(state: AppState, make: Callable[[Progress], Found], name: str, graph: MotionGraph | None = None) -> None:
    """Make the motion of a walk beside the loop and show it as a preview; graph: the one it is from, if any."""

    def work(progress, deliver):
        walk, entries = make(progress)
        clip = synthesize(walk, name=name, progress=stretch(progress, 0.0, 0.7))
        report = walk.report(stretch(progress, 0.7, 0.9))
        made = Made(walk, walk.method, report=report, entries=entries, graph=graph, preview=True)
        deliver((clip, prepare(clip), made))

    state.jobs.start(JobKind.PREVIEW, f"blending {name}", work, lambda made: show_made(state, *made))
