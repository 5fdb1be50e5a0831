"""What a command is, and undo.

A command is a frozen record of what was asked, which knows how to do it and what undo keeps of it. Menus, keys, buttons
and tests issue the same commands. Each is defined beside the state that it changes, and all of them are listed in
`commands`. A command that cannot be carried out raises a MotionError, which becomes a message.

Undo keeps parts of the state as they were before each command that changed them; a command names the part that it
changes. Commands that change the same part and follow each other closely, or belong to one drag, are one edit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, dataclass_transform, overload

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_whole

if TYPE_CHECKING:
    from motiongraph.app.state import AppState


C = TypeVar("C")

LONGEST = 200
_TOGETHER = 0.7  # seconds between commands of one edit
T = TypeVar("T")


@dataclass(frozen=True)
class Part(Generic[T]):
    """A part of the state that can be read and put back; its value is never changed in place."""

    name: str
    read: Callable[[AppState], T | None]  # its value now, None where there is none
    write: Callable[[AppState, T], None]  # raises a MotionError where the value fits no longer
    key: Hashable = None  # which of several alike, such as the number of a clip


@dataclass(frozen=True)
class SavedPart(Part[T]):
    """A part that projects and autosaves store.

    The plain form is a dictionary as JSON can hold it, whose keys no other part has, and arrays by name.
    """

    to_plain: Callable[[T], tuple[dict[str, Any], dict[str, np.ndarray]]] = field(kw_only=True)
    from_plain: Callable[[Record, AppState], T] = field(kw_only=True)  # checks all of it; MotionError where it is wrong
    optional: str = field(default="", kw_only=True)  # a key that old files lack; the part is that of a new state then
    is_work: bool = field(default=True, kw_only=True)  # whether a change of it is worth saving


def as_plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def unchanged(before: Any, now: Any) -> bool:
    """Whether two values of a part are the same, down to the numbers of arrays."""
    if before is now:
        return True
    if type(before) is not type(now):
        return False
    if isinstance(before, tuple):
        return len(before) == len(now) and all(map(unchanged, before, now))
    return bool(np.array_equal(before, now)) if isinstance(before, np.ndarray) else bool(before == now)


def checked_clip(value: Any, state: AppState) -> int | None:
    """The number of a clip of the library; None where there is none of that number."""
    number = None if value is None else checked_whole(value, "the number of a clip", -1, 2**31)
    return number if number in state.library.entries else None


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
    gesture: int  # what `History.gesture` was then


@dataclass(eq=False)
class History:
    done: list[Edit] = field(default_factory=list)  # edits that can be undone, newest last
    undone: list[Edit] = field(default_factory=list)  # edits that can be made again
    gesture: int = 0  # how often a key or a button of the mouse was pressed; what is done until the next is one edit


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
        and (state.clock - last.when < _TOGETHER or 0 < last.gesture == history.gesture)
    ):
        before, history.done = last.value, history.done[:-1]
    history.done = [*history.done[1 - LONGEST :], Edit(part, before, name, state.clock, history.gesture)]
    history.undone.clear()


def _back(state: AppState, source: list[Edit], target: list[Edit], word: str) -> None:
    if not source:
        raise MotionError(f"there is nothing to {word}")
    edit = source.pop()
    now = edit.part.read(state)
    edit.part.write(state, edit.value)
    target.append(replace(edit, value=now, when=-1e9, gesture=0))


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
