"""What a command is: a frozen record of what was asked, which knows how to do it and what undo keeps of it.

Menus, keys, buttons and tests issue the same commands. Each is defined beside the state that it changes, and all of
them are listed in `commands`. A command that cannot be carried out raises a MotionError, which becomes a message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from motiongraph.app.part import Part
    from motiongraph.app.state import AppState

C = TypeVar("C")


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
