"""Taking edits back: labels, trims, paths and thresholds, as they were before each command that changed them.

What an edit may change is a part: a way to read it from the state and to put it back. Commands that follow each other
closely and change the same part, such as the many of one drag, are one edit.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.playback import frame_of, seek
from motiongraph.errors import MotionError

LONGEST = 200
_TOGETHER = 0.7  # seconds between commands of one edit


@dataclass(frozen=True)
class Part:
    """read: (state, key) → value, None where there is nothing; write: (state, key, value)."""

    read: Callable
    write: Callable


@dataclass(frozen=True, eq=False)
class Edit:
    """What a part was before; name: what people call the edit; when: the clock at its last command."""

    part: str
    key: object
    value: object
    name: str
    when: float


@dataclass(eq=False)
class History:
    """done: edits that can be taken back, newest last; undone: those that can be made again."""

    done: list[Edit] = field(default_factory=list)
    undone: list[Edit] = field(default_factory=list)


def _entry(state, number):
    entry = state.library.get(number)
    return entry and (entry.start, entry.stop, entry.clip.labels)


def _put_entry(state, number, value):
    entry = state.library.get(number)
    if entry is None:
        raise MotionError("the clip of that edit is no longer in the library")
    start, stop, labels = value
    shown = [t for t, track in enumerate(state.tracks) if track.clip == number]
    frames = [frame_of(state, t) for t in shown]
    clip = entry.clip if labels is entry.clip.labels else entry.clip.labelled(labels)
    state.library.put(replace(entry, clip=clip, start=start, stop=stop))
    for t, frame in zip(shown, frames):
        seek(state, frame, t)


def _threshold(state, built):
    graph = state.graphs.graph if state.graphs.built == built else None
    return graph and ("auto" if graph.is_auto else graph.thresholds)


def _put_threshold(state, built, value):
    if state.graphs.built != built:
        raise MotionError("the graph of that threshold is no longer there")
    apply(do.SetThreshold(value), state)


PARTS = {
    "entry": Part(_entry, _put_entry),
    "threshold": Part(_threshold, _put_threshold),
}
# Command → part, its key, and what the edit is called.
EDITS: dict[type, tuple[str, Callable, str]] = {
    do.SetLabels: ("entry", lambda command, state: command.clip, "labels"),
    do.RemoveLabel: ("entry", lambda command, state: command.clip, "labels"),
    do.Trim: ("entry", lambda command, state: command.clip, "trim"),
    do.SetThreshold: ("threshold", lambda command, state: state.graphs.built, "threshold"),
}


def carry_out(command, state) -> None:
    """Apply a command, remembering what it changes if that can be taken back."""
    if type(command) not in EDITS:
        apply(command, state)
        return
    part, key_of, name = EDITS[type(command)]
    key, history = key_of(command, state), state.history
    before = PARTS[part].read(state, key)
    apply(command, state)
    if before is None or same(before, PARTS[part].read(state, key)):
        return
    last = history.done[-1] if history.done else None
    if (
        last is not None
        and not history.undone
        and (last.part, last.key, last.name) == (part, key, name)
        and state.clock - last.when < _TOGETHER
    ):
        before, history.done = last.value, history.done[:-1]
    history.done = [*history.done[1 - LONGEST :], Edit(part, key, before, name, state.clock)]
    history.undone.clear()


def same(a, b) -> bool:
    """Whether nothing changed; parts hand out new objects where something did."""
    return a is b or (type(a) is type(b) and isinstance(a, tuple) and len(a) == len(b) and all(map(_equal, a, b)))


def _equal(a, b) -> bool:
    return a is b or (isinstance(a, int | float | str | bool) and type(a) is type(b) and a == b)


def _back(state, source: list, target: list, word: str) -> None:
    if not source:
        raise MotionError(f"there is nothing to {word}")
    edit = source.pop()
    part = PARTS[edit.part]
    now = part.read(state, edit.key)
    part.write(state, edit.key, edit.value)
    target.append(replace(edit, value=now, when=-1e9))


@apply.register
def _(command: do.Undo, state):
    _back(state, state.history.done, state.history.undone, "undo")


@apply.register
def _(command: do.Redo, state):
    _back(state, state.history.undone, state.history.done, "redo")
