"""Poses that are not held all the time: packed in float32, unpacked when first asked for, forgotten when others are.

The database of a whole laboratory has millions of poses of a kilobyte each. Packed, a pose takes a third of that, and
beyond a limit packed poses lie in files without a name instead of in memory. What is unpacked stands on a shelf of a
limited size; what was not used for longest goes first.
"""

import os
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

_SHELF = 1 << 29  # bytes
# Bytes of packed poses in memory, and of those in one file.
_HELD, _FILE = 1 << 27, 1 << 28


@dataclass(frozen=True, eq=False)
class Packed:
    """F poses of J joints, of which M move.

    A turn is v / (1 + w) of its quaternion with w ≥ 0 (modified Rodrigues parameters; Schaub and Junkins 1996): three
    numbers of size up to one, and only sums, products and quotients there and back. In float32 it is off by 2e-7
    radians at most, a place by a quarter of a micrometre up to 4 m from the origin.
    """

    root: np.ndarray  # (F, 3) float32 metres
    turns: np.ndarray  # (F, M, 3) float32, of the joints that move
    moving: np.ndarray  # (M,) int32, which those are
    still: np.ndarray  # (J, 3) float32, of all joints at the first frame

    @classmethod
    def of(cls, root: np.ndarray, rotations: np.ndarray) -> "Packed":
        """root: (F, 3) metres; rotations: (F, J, 4) unit quaternions."""
        w = rotations[..., :1]
        turns = (np.where(w < 0.0, -1.0, 1.0) * rotations[..., 1:] / (1.0 + np.abs(w))).astype(np.float32)
        moving = np.flatnonzero((turns != turns[0]).any(axis=(0, 2))).astype(np.int32)
        return cls(root.astype(np.float32), np.ascontiguousarray(turns[:, moving]), moving, turns[0])

    def unpacked(self, frames: np.ndarray | slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """root (F, 3) and rotations (F, J, 4), float64; of these frames."""
        root = self.root[frames].astype(np.float64)
        rotations = np.empty((len(root), len(self.still), 4))
        rotations[:] = _quaternions(self.still)
        rotations[:, self.moving] = _quaternions(self.turns[frames])
        return root, rotations

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, k).nbytes for k in _ARRAYS)

    def same(self, other: "Packed") -> bool:
        return all(np.array_equal(getattr(self, k), getattr(other, k)) for k in _ARRAYS)


_ARRAYS = ("root", "turns", "moving", "still")


def _quaternions(turns: np.ndarray) -> np.ndarray:
    """(…, 4) unit quaternions of turns (…, 3)."""
    p = turns.astype(np.float64)
    # Added in this order everywhere: the metric is the same to the last bit on every processor.
    square = (p[..., 0] * p[..., 0] + p[..., 1] * p[..., 1]) + p[..., 2] * p[..., 2]
    q, over = np.empty((*p.shape[:-1], 4)), 1.0 / (1.0 + square)
    q[..., 0] = (1.0 - square) * over
    q[..., 1:] = 2.0 * p * over[..., None]
    return q


class _Stock:
    """Packed poses: in memory up to a number of bytes, and then in files that go with the last clip of theirs."""

    def __init__(self, held: int):
        self.room, self.lock = held, threading.RLock()
        self.file: Any = None
        self.left = 0  # bytes that the file may still take

    def put(self, packed: Packed) -> Callable[[], Packed]:
        """What gives the same poses when they are asked for."""
        size = packed.nbytes
        with self.lock:
            if size <= self.room:
                self.room -= size
                weakref.finalize(packed, self._give_back, size).atexit = False
                return lambda: packed
            try:
                if self.left < size:
                    self.file = tempfile.TemporaryFile(dir=_folder(), buffering=0)  # noqa: SIM115
                    self.left = max(_FILE, size)
                place = self.file.seek(0, os.SEEK_END)
                shapes = []
                for name in _ARRAYS:
                    array = np.ascontiguousarray(getattr(packed, name))
                    shapes.append((name, array.dtype, array.shape))
                    self.file.write(array.data.cast("B") if array.size else b"")
                if self.file.tell() != place + size:
                    raise OSError("no room left")
            except OSError:
                self.left = 0
                return lambda: packed  # there may still be memory
            self.left -= size
            return partial(_mapped, self.file, place, size, shapes)

    def _give_back(self, size: int) -> None:
        with self.lock:
            self.room += size


def _folder() -> str | None:
    """Of files that may be large: /tmp is often memory."""
    return None if os.environ.get("TMPDIR") or not os.access("/var/tmp", os.W_OK) else "/var/tmp"


def _mapped(file: Any, place: int, size: int, shapes: list[tuple[str, np.dtype, tuple[int, ...]]]) -> Packed:
    """The poses that lie in a file at a place."""
    content, at, arrays = np.memmap(file, np.uint8, "r", place, (size,)), 0, {}
    for name, dtype, shape in shapes:
        stop = at + int(np.prod(shape)) * dtype.itemsize
        arrays[name] = content[at:stop].view(np.ndarray).view(dtype).reshape(shape)
        at = stop
    return Packed(**arrays)


_stock = _Stock(_HELD)


class Later:
    """The arrays of a clip, made by `load` when they are asked for."""

    def __init__(
        self,
        load: Callable[[], tuple[np.ndarray, np.ndarray]],
        packed: Callable[[], Packed] | None = None,
        some: Callable[[np.ndarray | slice], tuple[np.ndarray, np.ndarray]] | None = None,
    ):
        """load: gives root and rotations; packed: what it makes them from, where that is all; some: gives those of
        some frames, where that takes less."""
        self.load, self.packed, self.some = load, packed, some
        self._kept: dict[str, Any] | None = None

    @classmethod
    def of(cls, packed: Packed | Callable[[], Packed]) -> "Later":
        give = _stock.put(packed) if isinstance(packed, Packed) else packed
        return cls(lambda: give().unpacked(), give, lambda frames: give().unpacked(frames))

    def held(self) -> dict[str, Any]:
        """root and rotations, and what was worked out from them and may go with them."""
        return self._kept or _shelf.of(self)

    def keep(self) -> None:
        """From now on the arrays stay where they are in memory."""
        self._kept = self.held()


class _Shelf:
    """What was made last, up to a number of bytes."""

    def __init__(self, limit: int):
        self.limit, self.bytes = limit, 0
        self.lock = threading.RLock()  # a clip may be collected, and leave the shelf, at any time
        self.rows: OrderedDict[int, tuple[int, dict[str, Any]]] = OrderedDict()

    def of(self, later: Later) -> dict[str, Any]:
        key = id(later)
        with self.lock:
            if key in self.rows:
                self.rows.move_to_end(key)
                return self.rows[key][1]
        root, rotations = later.load()
        for array in (root, rotations):
            array.flags.writeable = False
        held = {"root": root, "rotations": rotations}
        size = root.nbytes + 3 * rotations.nbytes  # with places and orientations, which are often asked for next
        weakref.finalize(later, self.drop, key).atexit = False
        with self.lock:
            if key not in self.rows:
                self.rows[key], self.bytes = (size, held), self.bytes + size
            held = self.rows[key][1]
            while self.bytes > self.limit and len(self.rows) > 1:
                self.drop(next(iter(self.rows)))
        return held

    def drop(self, key: int) -> None:
        with self.lock:
            size, _ = self.rows.pop(key, (0, {}))
            self.bytes -= size

    def clear(self) -> None:
        with self.lock:
            self.rows.clear()
            self.bytes = 0


_shelf = _Shelf(_SHELF)


def clear_shelf() -> None:
    """Forget what was unpacked, where memory is wanted for something else."""
    _shelf.clear()
