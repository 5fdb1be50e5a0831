"""A part of the state, described once: how to read it, put it back, and turn it into plain data and back again.

Undo keeps what a part was before an edit. Projects and autosaves store the parts as plain data. Each room defines its
parts beside its state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from motiongraph.formats.record import Record, checked_whole

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

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
