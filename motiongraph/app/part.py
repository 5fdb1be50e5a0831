"""A part of the state, described once: how to read it, put it back, and turn it into plain data and back again.

Undo keeps what a part was before an edit. Projects and autosaves store the parts as plain data. Each room defines its
parts beside its state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric.metric import Metric

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


class Record:
    """A dictionary from a file. What is read from it is there, of the kind asked for, and within its limits."""

    def __init__(self, values: Any, name: str, arrays: Mapping[str, np.ndarray] | None = None):
        if not isinstance(values, dict):
            raise MotionError(f"{name} is {_shown(values)}, not a record")
        self.values, self.name, self.arrays = values, name, arrays or {}

    def get(self, key: str) -> Any:
        """Any value, unchecked."""
        if key not in self.values:
            raise MotionError(f"{self.name} has no {key}")
        return self.values[key]

    def record(self, key: str) -> Record:
        return Record(self.get(key), key, self.arrays)

    def flag(self, key: str) -> bool:
        return checked_flag(self.get(key), key)

    def number(self, key: str, low: float = -inf, high: float = inf) -> float:
        return checked_number(self.get(key), key, low, high)

    def whole(self, key: str, low: int, high: int) -> int:
        return checked_whole(self.get(key), key, low, high)

    def numbers(self, key: str, count: int, low: float = -inf, high: float = inf) -> tuple[float, ...]:
        values = self.rows(key)
        if len(values) != count:
            raise MotionError(f"{key} has {len(values)} numbers, not {count}")
        return tuple(checked_number(value, key, low, high) for value in values)

    def word(self, key: str, choices: tuple[str, ...] | None = None) -> str:
        return checked_word(self.get(key), key, choices)

    def rows(self, key: str, length: int | None = None) -> list:
        """A list; length: of each of its items, which are lists then."""
        return checked_rows(self.get(key), key, length)

    def array(self, key: str, kind: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """An array of finite numbers; kind: letters of `dtype.kind`, shape: None where any length will do."""
        if key not in self.arrays:
            raise MotionError(f"{self.name} has no {key}")
        array = self.arrays[key]
        fits = len(array.shape) == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape))
        if array.dtype.kind not in kind or not fits or not np.isfinite(array).all():
            raise MotionError(f"{key} of {self.name} is not an array as it should be")
        return array


def checked_clip(value: Any, state: AppState) -> int | None:
    """The number of a clip of the library; None where there is none of that number."""
    number = None if value is None else checked_whole(value, "the number of a clip", -1, 2**31)
    return number if number in state.library.entries else None


def checked_flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise MotionError(f"{name} is {_shown(value)}, not true or false")
    return value


def checked_number(value: Any, name: str, low: float = -inf, high: float = inf) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value) or not low <= value <= high:
        raise MotionError(f"{name} is {_shown(value)}, not a number{_limits(low, high)}")
    return float(value)


def checked_whole(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise MotionError(f"{name} is {_shown(value)}, not a whole number{_limits(low, high)}")
    return value


def checked_word(value: Any, name: str, choices: tuple[str, ...] | None = None) -> str:
    if not isinstance(value, str) or (choices is not None and value not in choices):
        raise MotionError(f"{name} is {_shown(value)}, not {'text' if choices is None else ' or '.join(choices)}")
    return value


def checked_rows(value: Any, name: str, length: int | None = None) -> list:
    if not isinstance(value, list) or any(length is not None and not _has(row, length) for row in value):
        raise MotionError(f"{name} is {_shown(value)}, not a list as it should be")
    return value


def checked_like(value: Any, like: Any, name: str) -> Any:
    """A value of the kind that `like` is."""
    if isinstance(like, bool):
        return checked_flag(value, name)
    if isinstance(like, float):
        return checked_number(value, name)
    if isinstance(like, int):
        return checked_whole(value, name, -(2**31), 2**31)
    return checked_word(value, name)


def metric_to_plain(metric: Metric | None) -> dict[str, Any] | None:
    return metric and {f.name: getattr(metric, f.name) for f in fields(metric)}


def checked_metric(value: Any) -> Metric:
    """A metric from its fields, of which the missing ones are as usual."""
    try:
        return Metric(**Record(value, "the metric").values)
    except TypeError as problem:
        raise MotionError(f"the metric is {_shown(value)}, which is none") from problem


def _has(row: Any, length: int) -> bool:
    return isinstance(row, list) and len(row) == length


def _limits(low: float, high: float) -> str:
    return "" if (low, high) == (-inf, inf) else f" from {low:g} to {high:g}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
