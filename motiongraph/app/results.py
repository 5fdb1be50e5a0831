"""Motion that was made here: clips of the library like any other, which remember the walk they were made of."""

from dataclasses import dataclass, field

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.playback import RESULT


@dataclass(frozen=True, eq=False)
class Made:
    """walk: the `Walk`; method and options (name → value) it was asked with, and seed; report: its figures, plain
    numbers; asked: (n, 2) x, z metres of the path that was to be followed, or None; entries: those of the graph's
    clips (see `graphs.GraphState`), for showing where frames came from; graph: the graph walked, or None;
    preview: only to look at, the next one takes its place."""

    walk: object
    method: str
    options: dict = field(default_factory=dict)
    seed: int = 0
    report: dict = field(default_factory=dict)
    asked: np.ndarray | None = None
    entries: tuple = ()
    graph: object = None
    preview: bool = False


def show_made(state, clip, prepared, made: Made):
    """Take made motion into the library and play it from its start in the result's track; the entry."""
    old = next((e for e in state.library if e.made and e.made.preview), None)
    if old is not None:
        state.library.remove(old.number)
        state.scene.places.pop(old.number, None)
    entry = state.library.add(clip, prepared, used=False, made=made)
    apply(do.SelectClip(entry.number, RESULT), state)
    apply(do.TakeTrack(RESULT), state)
    apply(do.Play(), state)
    return entry


def results(state) -> list:
    """Entries of made motion worth keeping, oldest first."""
    return [entry for entry in state.library if entry.made and not entry.made.preview]
