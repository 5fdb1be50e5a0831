"""Transitions of a result changed by hand: another blend length, or the neighbouring minimum of the same two clips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import Part, command, edit
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Entry, prepare
from motiongraph.app.walk.make_walk import looked_over, synthesis
from motiongraph.app.walk.results import made_entry, made_of
from motiongraph.app.walk.walk_options import OPTIONS
from motiongraph.errors import MotionError
from motiongraph.progress import stretch
from motiongraph.synthesis.bending import as_bent
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.walks.curve import Curve, path_error
from motiongraph.walks.path_goal import Effort
from motiongraph.walks.turned_walk import turned_along

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.app.walk.results import Made
    from motiongraph.walks.walk import Walk

_AWAY = 1.0  # seconds in either clip that a neighbouring minimum is away at most


def blend_lengths(entry: Entry) -> np.ndarray:
    """(n,) frames over which the motions of each transition of a result pass over."""
    origin, walk = entry.clip.origin, made_of(entry).walk
    assert origin is not None
    passing = (origin.weight > 0.0) & (origin.weight < 1.0)
    spans = walk.begins[1:, None] - walk.window + np.arange(walk.window)
    return passing[spans].sum(axis=1) + 1


def editable(entry: Entry) -> bool:
    """Whether its transitions can be changed: not those of a driven character, whose body was turned between them."""
    made = entry.made
    return made is not None and not made.preview and made.driven is None and len(made.walk.transitions) > 0


def neighbours(made: Made, number: int) -> np.ndarray:
    """Rows of TRANSITION near one of a walk, between the same clips and where the pieces before and after it still
    have frames, by where they leave the first; the one that is taken is among them."""
    walk, jump = made.walk, made.walk.transitions[number]
    if made.graph is None:
        return jump.reshape(1)
    table, away = made.graph.transitions, round(_AWAY * walk.fps)
    near = (table["src"] == jump["src"]) & (table["dst"] == jump["dst"])
    for name in ("src_frame", "dst_frame"):
        near &= np.abs(table[name].astype(int) - int(jump[name])) <= away
    near &= (table["src_frame"] >= walk.steps["start"][number]) & (
        table["dst_frame"] + walk.window <= walk.steps["stop"][number + 1]
    )
    same = (table["src_frame"] == jump["src_frame"]) & (table["dst_frame"] == jump["dst_frame"])
    found = np.append(table[near & ~same], jump)
    return found[np.lexsort((found["dst_frame"], found["src_frame"]))]


def neighbour(made: Made, number: int, by: float) -> np.void:
    """The minimum nearest to a transition whose two windows are moved by so many frames."""
    found, jump = neighbours(made, number), made.walk.transitions[number]
    away = [found[name].astype(float) - float(jump[name]) - by for name in ("src_frame", "dst_frame")]
    return found[np.argmin(np.hypot(*away))]


def next_minimum(made: Made, number: int, way: int) -> np.void | None:
    """The nearest minimum that leaves the first clip earlier (way −1) or later (1)."""
    found, jump = neighbours(made, number), made.walk.transitions[number]
    apart = [found[name].astype(float) - float(jump[name]) for name in ("src_frame", "dst_frame")]
    away = np.where(way * apart[0] > 0, np.hypot(*apart), np.inf)
    return found[np.argmin(away)] if np.isfinite(away).any() else None


def _slid(made: Made, number: int, src_frame: int, dst_frame: int) -> Walk:
    """The walk with one transition at another minimum."""
    found = neighbours(made, number)
    here = found[(found["src_frame"] == src_frame) & (found["dst_frame"] == dst_frame)]
    if not len(here):
        raise MotionError(f"transition {number + 1} has no minimum at frames {src_frame} and {dst_frame} near it")
    walk, steps, jumps = made.walk, made.walk.steps.copy(), made.walk.transitions.copy()
    jumps[number] = here[0]
    steps["stop"][number], steps["start"][number + 1] = src_frame, dst_frame + walk.window
    slid = replace(walk, steps=steps, transitions=jumps, turns=None, facts={}, note="")
    if walk.turns is not None and walk.path is not None:
        rate = made.options.get("turning", Effort.turning)
        slid = turned_along(slid, Curve.of(walk.path), float(np.radians(rate)))
    if made.asked is not None:
        slid.facts.update(path_error(slid, Curve.of(made.asked)))
    return slid


def _part(number: int) -> Part[Entry]:
    def write(state: AppState, value: Entry) -> None:
        made_entry(state, number)
        state.library.put(value)

    return Part("result", lambda state: state.library.get(number), write, number)


def _change(
    state: AppState, number: int, transition: int, name: str, how: Callable[[Entry], tuple[Walk, np.ndarray]]
) -> None:
    """Make the motion of a result again, in its place and while it goes on playing. how: its walk and the frames of
    its blends. What is asked meanwhile waits, only the last of it, so that a drag is always shown soon."""
    entry = made_entry(state, number)
    made = made_of(entry)
    if not editable(entry):
        raise MotionError(f"the transitions of {entry.name} cannot be changed")
    if not 0 <= transition < len(made.walk.transitions):
        raise MotionError(f"{entry.name} has transitions 0 to {len(made.walk.transitions) - 1}, not {transition}")
    if state.jobs.under_way(JobKind.RETOUCH):
        state.walk.waiting = lambda: _change(state, number, transition, name, how)
        return
    walk, lengths = how(entry)
    if walk is made.walk and np.array_equal(lengths, blend_lengths(entry)):
        return
    usual = OPTIONS["motion"]
    options = synthesis({key: made.options.get(key, value) for key, value in usual.items()})
    options["lengths"] = lengths / walk.fps

    def work(progress, deliver):
        clip = synthesize(walk, name=entry.name, progress=stretch(progress, 0.0, 0.6), **options)
        told = as_bent(walk, clip) if options["bend"] else walk
        deliver((clip, prepare(clip), looked_over(told, stretch(progress, 0.6, 1.0))))

    def then(found):
        here = state.library.get(number)
        if here is not None and here.made is made:
            clip, prepared, report = found
            new = replace(made, walk=walk, report={**report, "advice": made.report.get("advice")})
            span = {} if len(clip) == len(here.clip) else {"start": clip.first, "stop": len(clip)}
            clip = replace(clip, name=here.name)
            with edit(state, _part(number), name):
                state.library.put(replace(here, clip=clip, prepared=prepared, made=new, **span))

    def after():
        waiting, state.walk.waiting = state.walk.waiting, None
        if waiting is not None:
            waiting()

    state.jobs.start(JobKind.RETOUCH, f"blending {entry.name} again", work, then, after=after, quiet=True)


# Commands. entry: the number of a result in the library; number: of one of its transitions.


@command
class SetBlendLength:
    """Seconds over which the motions of one transition pass over, at most the window."""

    entry: int
    number: int
    seconds: float

    def apply(self, state: AppState) -> None:
        def how(entry: Entry) -> tuple[Walk, np.ndarray]:
            walk, lengths = made_of(entry).walk, blend_lengths(entry)
            if not np.isfinite(self.seconds):
                raise MotionError("a blend takes a number of seconds")
            lengths[self.number] = np.clip(round(self.seconds * walk.fps), min(2, walk.window), walk.window)
            return walk, lengths

        _change(state, self.entry, self.number, "blend length", how)


@command
class SlideTransition:
    """Move one transition to another minimum near it, by the frames where it leaves and enters its clips."""

    entry: int
    number: int
    src_frame: int
    dst_frame: int

    def apply(self, state: AppState) -> None:
        def how(entry: Entry) -> tuple[Walk, np.ndarray]:
            made = made_of(entry)
            jump = made.walk.transitions[self.number]
            if (jump["src_frame"], jump["dst_frame"]) == (self.src_frame, self.dst_frame):
                return made.walk, blend_lengths(entry)
            return _slid(made, self.number, self.src_frame, self.dst_frame), blend_lengths(entry)

        _change(state, self.entry, self.number, "transition", how)
