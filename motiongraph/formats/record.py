"""What the head of a file of our own says, looked at before it is used: of the kind asked for, and within its limits.

Files come from strangers. A `Record` gives nothing unchecked, and each format is described by the calls that read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np

from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.scanner import LARGEST

_WORD = 100_000  # letters of a name, a label or a sentence


@contextmanager
def about_file(path: str | PathLike) -> Iterator[None]:
    """Within, a sentence about what a file says becomes one about the file."""
    try:
        yield
    except FormatError:
        raise
    except MotionError as problem:
        raise FormatError(path, f"is damaged: {problem}") from problem


class Record:
    """A dictionary from a file. What is read from it is there, of the kind asked for, and within its limits."""

    def __init__(self, values: Any, name: str, arrays: Mapping[str, np.ndarray] | None = None):
        if not isinstance(values, dict):
            raise MotionError(f"{name} is {shown(values)}, not a record")
        self.values, self.name, self.arrays = values, name, arrays or {}

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Any:
        """Any value, unchecked."""
        if key not in self.values:
            raise MotionError(f"{self.name} has no {key}")
        return self.values[key]

    def has(self, key: str) -> bool:
        """Whether there is a value other than null."""
        return self.get(key) is not None

    def record(self, key: str) -> Record:
        return Record(self.get(key), key, self.arrays)

    def records(self, key: str) -> list[Record]:
        return [Record(row, f"number {i} of {key}", self.arrays) for i, row in enumerate(self.rows(key))]

    def flag(self, key: str) -> bool:
        return checked_flag(self.get(key), key)

    def number(self, key: str, low: float = -LARGEST, high: float = LARGEST) -> float:
        return checked_number(self.get(key), key, low, high)

    def whole(self, key: str, low: int, high: int) -> int:
        return checked_whole(self.get(key), key, low, high)

    def numbers(self, key: str, count: int, low: float = -LARGEST, high: float = LARGEST) -> tuple[float, ...]:
        values = self.rows(key)
        if len(values) != count:
            raise MotionError(f"{key} has {len(values)} numbers, not {count}")
        return tuple(checked_number(value, key, low, high) for value in values)

    def word(self, key: str, choices: tuple[str, ...] | None = None) -> str:
        return checked_word(self.get(key), key, choices)

    def words(self, key: str) -> tuple[str, ...]:
        return tuple(checked_word(value, key) for value in self.rows(key))

    def rows(self, key: str, length: int | None = None) -> list:
        """A list; length: of each of its items, which are lists then."""
        return checked_rows(self.get(key), key, length)

    def array(self, key: str, kind: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """An array of numbers; kind: letters of `dtype.kind`, shape: None where any length will do."""
        if key not in self.arrays:
            raise MotionError(f"{self.name} has no {key}")
        array = self.arrays[key]
        fits = len(array.shape) == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape))
        if array.dtype.kind not in kind or not fits or not _moderate(array):
            raise MotionError(f"{key} of {self.name} is not an array as it should be")
        return array

    def table(self, key: str, dtype: np.dtype) -> np.ndarray:
        """(n,) rows of this type, all of their numbers moderate."""
        array = self.arrays.get(key)
        fits = array is not None and array.dtype == dtype and array.ndim == 1
        if array is None or not fits or not all(_moderate(array[name]) for name in dtype.names or ()):
            raise MotionError(f"{key} of {self.name} is not a table as it should be")
        return array


def _moderate(array: np.ndarray) -> bool:
    """Whether no number is larger than `LARGEST`, nor infinite, nor none at all."""
    if array.dtype.kind != "f" or not array.size:
        return True
    with np.errstate(invalid="ignore"):
        return bool(array.min() >= -LARGEST and array.max() <= LARGEST)


def checked_flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise MotionError(f"{name} is {shown(value)}, not true or false")
    return value


def checked_number(value: Any, name: str, low: float = -LARGEST, high: float = LARGEST) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise MotionError(f"{name} is {shown(value)}, not a number{_limits(low, high)}")
    return float(value)


def checked_whole(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise MotionError(f"{name} is {shown(value)}, not a whole number{_limits(low, high)}")
    return value


def checked_word(value: Any, name: str, choices: tuple[str, ...] | None = None) -> str:
    if not isinstance(value, str) or len(value) > _WORD or (choices is not None and value not in choices):
        raise MotionError(f"{name} is {shown(value)}, not {'text' if choices is None else ' or '.join(choices)}")
    return value


def checked_rows(value: Any, name: str, length: int | None = None) -> list:
    if not isinstance(value, list) or any(length is not None and not _has(row, length) for row in value):
        raise MotionError(f"{name} is {shown(value)}, not a list as it should be")
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


def shown(value: Any) -> str:
    """A value in a few words, however large or deep it is."""
    if isinstance(value, dict | list):
        return "a record" if isinstance(value, dict) else "a list"
    text = repr(value[:61] if isinstance(value, str) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _has(row: Any, length: int) -> bool:
    return isinstance(row, list) and len(row) == length


def _limits(low: float, high: float) -> str:
    return "" if (low, high) == (-LARGEST, LARGEST) else f" from {low:g} to {high:g}"
