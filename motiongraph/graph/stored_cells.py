"""The cells of a graph's clips in its file, with which clips are added soon (`metric.cells`)."""

from collections.abc import Sequence

import numpy as np

from motiongraph.formats.record import Record
from motiongraph.metric.cells import Cells
from motiongraph.metric.levels import Projection
from motiongraph.metric.sketch import Directions

_PLAIN = ("clip", "first", "count", "turn", "bound", "origin")


def cells_to_arrays(cells: Cells) -> dict[str, np.ndarray]:
    """By name, with complex numbers as two."""
    d, p = cells.directions, cells.projection
    arrays = {name: getattr(cells, name) for name in _PLAIN}
    arrays["digest"] = np.frombuffer(bytes.fromhex("".join(cells.digests)), np.uint8).reshape(len(cells.digests), -1)
    arrays |= {"turns": _real(d.turn), "rise": d.rise, "height": np.array([d.height]), "path": d.path}
    arrays |= {"time": p.time, "window_turns": _real(p.turn), "window_rise": p.rise}
    return {f"cells/{name}": array for name, array in arrays.items()}


def checked_cells(saved: Record, window: int, lengths: Sequence[int]) -> Cells | None:
    """Of clips of so many captured frames; None where a file has none, or others than this version makes."""
    if "cells/clip" not in saved.arrays:
        return None

    def array(name: str, kind: str, *shape: int | None) -> np.ndarray:
        return saved.array(f"cells/{name}", kind, shape)

    directions = Directions(
        _complex(array("turns", "f", None, None, 2)),
        array("rise", "f", None, None),
        float(array("height", "f", 1)[0]),
        array("path", "f", None, None),
    )
    time, rise = array("time", "f", None, None), array("window_rise", "f", None, None)
    projection = Projection(time, _complex(array("window_turns", "f", None, None, 2)), rise)
    cells = Cells(
        directions,
        projection,
        array("clip", "i", None),
        array("first", "i", None),
        array("count", "i", None),
        array("turn", "f", None, None),
        array("bound", "f", None, None),
        tuple(row.tobytes().hex() for row in array("digest", "u", None, 16)),
        array("origin", "f", None, 2),
    )
    return cells if cells.fits(window, lengths) else None


def _real(values: np.ndarray) -> np.ndarray:
    return np.stack([np.real(values), np.imag(values)], axis=-1)


def _complex(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values[..., 0] + 1j * values[..., 1])
