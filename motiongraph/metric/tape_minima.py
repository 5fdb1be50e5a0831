"""From candidates of blocks of a tape to minima of pairs of clips, with their alignments."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.metric.minima import FOUND, best_first, settle, transposed
from motiongraph.metric.search import TRANSITION

if TYPE_CHECKING:
    from motiongraph.metric.tape import Tape

FOUND_ON_TAPE = np.dtype([("clip_a", "i4"), ("clip_b", "i4"), *TRANSITION.descr])
_NAMED = np.dtype([("clip_a", "i4"), ("clip_b", "i4"), *FOUND.descr])


def named(rows: np.ndarray, left: "Tape | None", right: "Tape", before: int, known: bool) -> np.ndarray:
    """Candidates by clip and window instead of by place on a tape; before: how many clips are on the other tape."""
    named = np.empty(len(rows), _NAMED)
    for name in FOUND.names or ():
        named[name] = rows[name]
    for side, tape, first in (("a", left, 0 if known else before), ("b", right, before)):
        assert tape is not None
        clip, named[side] = tape.clip_at(rows[side])
        named[f"clip_{side}"] = clip + first
    return named


def minima_of(parts: Sequence[np.ndarray], tapes: "Sequence[Tape]", radius: int) -> np.ndarray:
    """The minima (FOUND_ON_TAPE) among candidates that were `named`, by clips of these tapes one after the other."""
    digests = [digest for tape in tapes for digest in tape.digests]
    rows = _minima(np.concatenate([np.empty(0, _NAMED), *parts]), digests, radius)
    _align(rows, tapes)
    return rows


def _align(rows: np.ndarray, tapes: "Sequence[Tape]") -> None:
    """Alignments of minima, from the first clip of each to the second: turning one round would change its last bits."""
    ends = np.cumsum([len(tape) for tape in tapes])
    side = [np.searchsorted(ends, rows[name], side="right") for name in ("clip_a", "clip_b")]
    for i, left in enumerate(tapes):
        for j, right in enumerate(tapes):
            here = np.flatnonzero((side[0] == i) & (side[1] == j))
            a, b = (
                tape.place(rows[f"clip_{name}"][here] - ends[k] + len(tape), rows[name][here])
                for name, tape, k in (("a", left, i), ("b", right, j))
            )
            _, rows["theta"][here], rows["x0"][here], rows["z0"][here] = left.bodies.against(right.bodies).exact(a, b)


def _minima(rows: np.ndarray, digests: list[str], radius: int) -> np.ndarray:
    """Plateaus settled and neighbours within `radius` dropped, in an order of clips that depends on them alone."""
    order = np.empty(len(digests), np.int64)
    order[sorted(range(len(digests)), key=lambda i: (digests[i], i))] = np.arange(len(digests))
    turned = order[rows["clip_a"]] > order[rows["clip_b"]]
    back = transposed(rows[turned])
    back["clip_a"], back["clip_b"] = rows["clip_b"][turned], rows["clip_a"][turned]
    rows[turned] = back
    # One plane for all pairs, with clips so far from each other that no neighbourhood reaches across.
    lengths = np.zeros(len(digests), np.int64)
    for side in "ab":
        np.maximum.at(lengths, rows[f"clip_{side}"], rows[side].astype(np.int64) + 1)
    begins = np.append(0, np.cumsum(lengths + radius + 2))
    for side in "ab":
        rows[side] += begins[rows[f"clip_{side}"]].astype(np.int32)
    rows = rows[np.lexsort((rows["b"], rows["a"]))]
    rows = best_first(settle(rows), radius or None)
    result = np.empty(len(rows), FOUND_ON_TAPE)
    for name in FOUND_ON_TAPE.names or ():
        result[name] = rows[name]
    for side in "ab":
        result[side] -= begins[rows[f"clip_{side}"]].astype(np.int32)
    return result
