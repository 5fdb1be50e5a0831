"""Taking edits back: labels, trims, paths and thresholds, as they were before each command that changed them.

What an edit may change is a part: a way to read it from the state and to put it back. Commands that follow each other
closely and change the same part, such as the many of one drag, are one edit.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.playback import frame_of, seek
from motiongraph.errors import MotionError

LONGEST = 200
_TOGETHER = 0.7  # seconds between commands of one edit


@dataclass(frozen=True)
class Part:
    """read: (state, key) → a tuple, None where there is nothing; write: (state, key, value), which raises a sentence
    where that is no longer possible."""

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
    if len(labels.mask) != len(entry.clip):
        raise MotionError(f"{entry.name} is not the clip it was at that edit")
    shown = [t for t, track in enumerate(state.tracks) if track.clip == number]
    frames = [frame_of(state, t) for t in shown]
    clip = entry.clip if labels is entry.clip.labels else entry.clip.labelled(labels)
    state.library.put(replace(entry, clip=clip, start=start, stop=stop))
    for t, frame in zip(shown, frames):
        seek(state, frame, t)


# Others are added where they are at home, as are their commands.
PARTS = {"entry": Part(_entry, _put_entry)}
# Command → part, its key, and what the edit is called.
EDITS: dict[type, tuple[str, Callable, str]] = {
    do.SetLabels: ("entry", lambda command, state: command.clip, "labels"),
    do.RemoveLabel: ("entry", lambda command, state: command.clip, "labels"),
    do.Trim: ("entry", lambda command, state: command.clip, "trim"),
}


def carry_out(command, state) -> None:
    """Apply a command, remembering what it changes if that can be taken back. A command that edits by way of another
    one carries that out, too."""
    if type(command) not in EDITS:
        apply(command, state)
        return
    part, key_of, name = EDITS[type(command)]
    with edit(state, part, key_of(command, state), name):
        apply(command, state)


@contextmanager
def edit(state, part: str, key, name: str):
    """What changes meanwhile of a part can be taken back; nothing where it fails."""
    history, before = state.history, PARTS[part].read(state, key)
    yield
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


def same(before, now) -> bool:
    """Whether nothing changed; both are what a part has read."""
    return now is not None and all(map(_equal, before, now))


def _equal(a, b) -> bool:
    return a is b or (np.array_equal(a, b) if isinstance(a, np.ndarray) else type(a) is type(b) and a == b)


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
