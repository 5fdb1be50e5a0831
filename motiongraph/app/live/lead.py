"""Walking the path and leading a character, from asking for it to taking it back; the graph that is needed for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from motiongraph.app.command import command
from motiongraph.app.graph.build_graph import build_graph
from motiongraph.app.graph.graph_state import being_built, change_threshold, need_graph, when_built
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.clips import remove_clip
from motiongraph.app.live.live_character import set_off, under_way
from motiongraph.app.path.draw_path import set_tool
from motiongraph.app.path.path_state import need_path
from motiongraph.app.playback import RESULT, activate_track, jump, play
from motiongraph.app.scene.camera_moves import overlook
from motiongraph.app.walk.walk_options import make_walk, set_method
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph

ROOMY = 3.0  # cm: a threshold at which captured walks offer ways enough to follow a path


def _make_roomy(state: AppState, graph: MotionGraph) -> None:
    """Raise the automatic threshold of a graph that was built for paths."""
    if graph.is_auto and graph.metric.unit == "cm":
        least = graph.thresholds.highest
        if least < ROOMY <= graph.candidates.ceiling:
            change_threshold(state, replace(graph.thresholds, within=ROOMY, between=ROOMY))
            state.say(f"threshold raised from {least:.1f} to {ROOMY:g} cm, so that there are ways enough for a path")


def _graph_there(state: AppState) -> bool:
    """Whether there is a graph; if not, one is built."""
    if state.graph.graph is None and not being_built(state):
        prepare_graph(state)
    return state.graph.graph is not None


def prepare_graph(state: AppState) -> None:
    """Build a graph that paths can be followed in: with mirror images, which turn to both sides, and a threshold that
    leaves ways enough."""
    build_graph(state, mirror=True)
    when_built(state, "threshold", lambda graph: _make_roomy(state, graph))


def walk_path(state: AppState) -> None:
    """Make a walk along the path; builds the graph first where there is none."""
    line = need_path(state)
    _graph_there(state)
    set_tool(state, "off")
    overlook(state, line.places)
    set_method(state, "path")
    make_walk(state)


def stop_leading(state: AppState) -> None:
    """Lead no character any more; what it walked is kept."""
    state.graph.waiting.pop("live", None)
    state.jobs.call_off(JobKind.LEAD)
    if state.live is not None:
        state.live.stop(state)


# Commands


@command
class PrepareGraph:
    """Build a graph that paths can be followed in: with mirror images, which turn to both sides, and a threshold that
    leaves ways enough."""

    def apply(self, state: AppState) -> None:
        prepare_graph(state)


@command
class AllowMore:
    """Raise the threshold by half, so that there are more transitions to choose from, and walk the path again."""

    def apply(self, state: AppState) -> None:
        graph = need_graph(state)
        now, most = graph.thresholds.highest, graph.candidates.ceiling
        if now >= most:
            raise MotionError(f"the threshold is at its highest, {most:g}; more kinds of motion would help")
        change_threshold(state, graph.thresholds.raised(1.5, most))
        walk_path(state)


@command
class WalkPath:
    """A walk along the path; builds the graph first where there is none."""

    def apply(self, state: AppState) -> None:
        walk_path(state)


@command
class Lead:
    """Set a character off that is steered, or goes along the path or to the goal; off: what it walked is kept."""

    on: bool = True

    def apply(self, state: AppState) -> None:
        if not self.on:
            stop_leading(state)
        elif state.live is None:
            if _graph_there(state):
                set_off(state)
            else:
                when_built(state, "live", lambda _: set_off(state))


@command
class SetLeadLabel:
    """Lead it with motion of this label; None: of any."""

    word: str | None

    def apply(self, state: AppState) -> None:
        state.path.lead_label = self.word


@command
class SetLeadTurning:
    """Degrees a second, 0 to 360, by which a character that sets off is turned besides what its clips do."""

    degrees: float

    def apply(self, state: AppState) -> None:
        if not 0.0 <= self.degrees <= 360.0:
            raise MotionError(f"a character is turned by 0 to 360 degrees a second, not {self.degrees!r}")
        state.path.lead_turning = float(self.degrees)


@command
class Replay:
    """From the start of what is played."""

    def apply(self, state: AppState) -> None:
        if state.live is not None:
            stop_leading(state)  # what was walked is then played from its start
            return
        jump(state)
        play(state)


@command
class ResetWalk:
    """Back to the start (Mao 2011, 3.2): the character is no longer led and the current walk is removed; the path
    stays."""

    def apply(self, state: AppState) -> None:
        led, track = state.live, state.tracks[RESULT]
        entry = state.library.get(led.number if led is not None else track.clip)
        sets_off = led is None and under_way(state)
        state.live = None
        state.graph.waiting.pop("live", None)
        state.jobs.call_off(JobKind.LEAD)
        if sets_off:  # which it does not any more: that is all there is to take back
            return
        if entry is None or not entry.made:
            raise MotionError("there is no walk to take back")
        state.jobs.call_off(JobKind.KEEP, of=entry.number)
        remove_clip(state, entry.number)
        for each in state.tracks:
            each.elapsed = 0.0
        shown = state.library.get(track.clip)
        if shown is None or not shown.made:
            track.clip = None
            activate_track(state, 0)
