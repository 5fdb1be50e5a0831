"""Walking the path and leading a character, from asking for it to taking it back; the graph that is needed for it."""

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.graphs import being_built, need_graph
from motiongraph.app.history import carry_out
from motiongraph.app.leading import keep, keeping, set_off, under_way
from motiongraph.app.path import need_path
from motiongraph.app.playback import RESULT
from motiongraph.app.view import overlook
from motiongraph.errors import MotionError

ROOMY = 3.0  # cm: a threshold at which captured walks offer ways enough to follow a path


def go_on(state) -> None:
    """See to the graph that was built for the path, and set off if that was waited for."""
    path, graph = state.path, state.graphs.graph
    if not (path.waiting or path.roomy) or being_built(state):
        return
    if path.roomy and graph is not None and graph.is_auto and graph.metric.unit == "cm":
        least = graph.thresholds.highest
        if least < ROOMY <= graph.candidates.ceiling:
            carry_out(do.SetThreshold(ROOMY), state)
            state.say(f"threshold raised from {least:.1f} to {ROOMY:g} cm, so that there are ways enough for a path")
    waited, path.waiting, path.roomy = path.waiting, False, False
    if waited and graph is not None:
        set_off(state)


def _graph_there(state) -> bool:
    """Whether there is a graph; if not, one is built."""
    if state.graphs.graph is None and not being_built(state):
        apply(do.PrepareGraph(), state)
    return state.graphs.graph is not None


# Commands


@apply.register
def _(command: do.PrepareGraph, state):
    apply(do.BuildGraph(mirror=True), state)
    state.path.roomy = True


@apply.register
def _(command: do.AllowMore, state):
    graph = need_graph(state)
    now, most = graph.thresholds.highest, graph.candidates.ceiling
    if now >= most:
        raise MotionError(f"the threshold is at its highest, {most:g}; more kinds of motion would help")
    carry_out(do.SetThreshold(min(1.5 * now, most)), state)
    apply(do.WalkPath(), state)


@apply.register
def _(command: do.WalkPath, state):
    need_path(state)
    _graph_there(state)
    apply(do.SetTool("off"), state)
    overlook(state, state.path.line.places)
    apply(do.SetWalk("path"), state)
    apply(do.MakeWalk(), state)


@apply.register
def _(command: do.Lead, state):
    led, path = state.leading, state.path
    if command.on and led is None:
        path.waiting = not _graph_there(state)
        if not path.waiting:
            set_off(state)
    elif not command.on:
        state.leading, path.waiting = None, False
        state.jobs.call_off("lead")
        if led is None or led.number not in state.library.entries:  # it was removed: nothing is to be kept
            return
        if led.seconds > 0.5:
            keep(state, led)
        else:
            apply(do.RemoveClip(led.number), state)


@apply.register
def _(command: do.SetLeadLabel, state):
    state.path.lead_label = command.word


@apply.register
def _(command: do.Replay, state):
    if state.leading is not None:
        apply(do.Lead(False), state)  # which is then played from its start
        return
    apply(do.Jump(), state)
    apply(do.Play(), state)


@apply.register
def _(command: do.ResetWalk, state):
    led, track = state.leading, state.tracks[RESULT]
    entry = state.library.get(led.number if led is not None else track.clip)
    sets_off = led is None and under_way(state)
    state.leading, state.path.waiting = None, False
    state.jobs.call_off("lead")
    if sets_off:  # which it does not any more: that is all there is to take back
        return
    if entry is None or not entry.made:
        raise MotionError("there is no walk to take back")
    state.jobs.call_off(keeping(entry.number))
    apply(do.RemoveClip(entry.number), state)
    for each in state.tracks:
        each.elapsed = 0.0
    shown = state.library.get(track.clip)
    if shown is None or not shown.made:
        track.clip = None
        apply(do.TakeTrack(0), state)
