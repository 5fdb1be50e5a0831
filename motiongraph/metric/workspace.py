"""Arrays of a thread that are used again and again: fresh memory often costs more than what is done with it."""

import math
import threading

import numpy as np

_kept = threading.local()


def workspace(name: str, shape: tuple[int, ...], dtype: type, fill: int | None = None) -> np.ndarray:
    """This thread's array of a name, with what was left in it; fill: what a fresh one holds."""
    size, key = math.prod(shape), f"{name} {fill}"
    kept = getattr(_kept, key, None)
    if kept is None or len(kept) < size:
        kept = np.empty(size, dtype) if fill is None else np.full(size, fill, dtype)
        setattr(_kept, key, kept)
    return kept[:size].reshape(shape)
