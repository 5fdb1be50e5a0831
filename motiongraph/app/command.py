"""What a command is, and undo.

A command is a frozen record of what was asked, which knows how to do it and what undo keeps of it. Menus, keys, buttons
and tests issue the same commands. Each is defined beside the state that it changes, and all of them are listed in
`commands`. A command that cannot be carried out raises a MotionError, which becomes a message.

Undo keeps parts of the state as they were before each command that changed them; a command names the part that it
changes. Commands that follow each other closely and change the same part, such as the many of one drag, are one edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, dataclass_transform, overload

from motiongraph.app.part import Part, unchanged
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.part import Part
    from motiongraph.app.state import AppState


C = TypeVar("C")

LONGEST = 200
_TOGETHER = 0.7  # seconds between commands of one edit


class Command(Protocol):
    """What `state.issue` takes."""

    def apply(self, state: AppState) -> None: ...


@overload
def command(cls: type[C]) -> type[C]: ...
@overload
def command(
    *, undo: Part | Callable[[Any, AppState], Part] | None = None, edit: str = ""
) -> Callable[[type[C]], type[C]]: ...
@dataclass_transform(frozen_default=True)
def command(cls=None, *, undo=None, edit=""):
    """Make a class a command: a frozen dataclass with `apply(self, state)`.

    undo: the part of the state that undo keeps, or a function of the command and the state that gives it.
    edit: what people call the edit, as in "Undo trim".
    """

    def decorate(cls):
        found: Any = dataclass(frozen=True)(cls)
        found.undo_part, found.edit_name = undo if undo is None or not callable(undo) else staticmethod(undo), edit
        return found

    return decorate if cls is None else decorate(cls)


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


def perform(asked: Command, state: AppState) -> None:
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
