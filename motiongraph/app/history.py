"""Undo and redo: parts of the state as they were before each command that changed them.

A command names the part that it changes. Commands that follow each other closely and change the same part, such as the
many of one drag, are one edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import Command, command
from motiongraph.app.part import Part, unchanged
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

LONGEST = 200
_TOGETHER = 0.7  # seconds between commands of one edit


@dataclass(frozen=True, eq=False)
class Edit:
    """What a part was before an edit."""

    part: Part
    value: Any
    name: str  # what people call the edit
    when: float  # the clock at its last command


@dataclass(eq=False)
class History:
    done: list[Edit] = field(default_factory=list)  # edits that can be undone, newest last
    undone: list[Edit] = field(default_factory=list)  # edits that can be made again


def carry_out(asked: Command, state: AppState) -> None:
    """Apply a command; what it changes is remembered if that can be undone."""
    part = getattr(asked, "undo_part", None)
    if part is None:
        asked.apply(state)
        return
    with edit(state, part if isinstance(part, Part) else part(asked, state), getattr(asked, "edit_name", "")):
        asked.apply(state)


@contextmanager
def edit(state: AppState, part: Part, name: str) -> Iterator[None]:
    """Changes of a part made inside can be undone; nothing is remembered if they fail."""
    history, before = state.history, part.read(state)
    yield
    if before is None or unchanged(before, part.read(state)):
        return
    last = history.done[-1] if history.done else None
    if (
        last is not None
        and not history.undone
        and (last.part.name, last.part.key, last.name) == (part.name, part.key, name)
        and state.clock - last.when < _TOGETHER
    ):
        before, history.done = last.value, history.done[:-1]
    history.done = [*history.done[1 - LONGEST :], Edit(part, before, name, state.clock)]
    history.undone.clear()


def _back(state: AppState, source: list[Edit], target: list[Edit], word: str) -> None:
    if not source:
        raise MotionError(f"there is nothing to {word}")
    edit = source.pop()
    now = edit.part.read(state)
    edit.part.write(state, edit.value)
    target.append(replace(edit, value=now, when=-1e9))


@command
class Undo:
    """Take the last edit of labels, trims, paths, props or thresholds back."""

    def apply(self, state: AppState) -> None:
        _back(state, state.history.done, state.history.undone, "undo")


@command
class Redo:
    """Make the edit again that was undone last."""

    def apply(self, state: AppState) -> None:
        _back(state, state.history.undone, state.history.done, "redo")
