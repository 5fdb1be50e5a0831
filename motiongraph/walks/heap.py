"""A binary heap in two arrays, for compiled code: the least value on top."""

from numba import njit, types

from motiongraph.walks.ground import COMPILED

_values, _items = types.float64[::1], types.int32[::1]


@njit(types.int64(_values, _items, types.int64, types.float64, types.int64), **COMPILED)
def push(values, items, size, value, item):
    """Add an item to a heap of `size`; returns the new size."""
    i = size
    while i and values[(i - 1) // 2] > value:
        values[i], items[i] = values[(i - 1) // 2], items[(i - 1) // 2]
        i = (i - 1) // 2
    values[i], items[i] = value, item
    return size + 1


@njit(types.int64(_values, _items, types.int64), **COMPILED)
def drop(values, items, size):
    """Remove the top of a heap of `size`; returns the new size."""
    size -= 1
    value, item = values[size], items[size]
    i = 0
    while True:
        down = 2 * i + 1
        if down >= size:
            break
        if down + 1 < size and values[down + 1] < values[down]:
            down += 1
        if value <= values[down]:
            break
        values[i], items[i] = values[down], items[down]
        i = down
    values[i], items[i] = value, item
    return size
