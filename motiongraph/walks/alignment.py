"""Which point of a path belongs to each place of a walk: the whole row of them that fits best, in order.

To look for the nearest point near the one before is not enough: where a path crosses itself or comes back beside itself
a walk that stands, turns or steps aside slips over to the other part of it and is lost from then on. So the points are
found together, by dynamic programming over places and points a little apart: the sum of squared distances is least,
nobody gets on along the path by more than some times what is walked, and a part of the path that is left out counts by
how far away it is.
"""

import numpy as np

from motiongraph.kernels import F64, I64, kernel, read, types

_EVERY = 0.1  # m between the points that are tried, and beside those found in which the nearest one is looked for
_STEP = 0.05  # m from one place to the next that is looked at
_RATE = 3.0  # metres along the path, forth or back, for each one walked
_BACK = 0.05  # m³ for a metre back along the path
_FIRST = 1.0  # m of the path within which a walk begins; twice its distance from the path's beginning is added
_WINDOW = 512  # points around the best one that are kept


def aligned(places: np.ndarray, line: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Of each of places (F, 2), its distance from the line (M, 2), metres, and the sample of it that it belongs to.

    spacing: metres between two samples of the line.
    """
    if not len(places):
        return np.zeros(0), np.zeros(0, np.int64)
    every = max(round(_EVERY / spacing), 1)
    places, line = (np.ascontiguousarray(array, np.float64) for array in (places, line))
    return _aligned(places, line, float(spacing), every)


@kernel(types.Tuple((F64[::1], I64[::1]))(read(F64, 2), read(F64, 2), F64, I64))
def _aligned(places, line, spacing, every):
    """As `aligned`; every: samples from one point that is tried to the next."""
    last, far = line.shape[0] - 1, spacing * every
    points = (last + every - 1) // every + 1
    window = min(points, _WINDOW)
    kept = np.empty(places.shape[0], np.int64)
    kept[0], count = 0, 1
    for f in range(1, places.shape[0]):
        x, z = places[f, 0] - places[kept[count - 1], 0], places[f, 1] - places[kept[count - 1], 1]
        if x * x + z * z >= _STEP * _STEP:
            kept[count] = f
            count += 1
    came, low = np.zeros((count, window), np.int16), np.zeros(count, np.int64)  # of 10 km walked, 0.2 GB
    cost, before = np.empty(window), np.empty(window)
    for n in range(count):
        x, z = places[kept[n], 0], places[kept[n], 1]
        if n == 0:
            first = _FIRST + 2.0 * np.sqrt((x - line[0, 0]) ** 2 + (z - line[0, 1]) ** 2)
            step, reach = _STEP, 0
        else:
            a, b = x - places[kept[n - 1], 0], z - places[kept[n - 1], 1]
            step = np.sqrt(a * a + b * b)
            reach = int(_RATE * step / far) + 1
            middle = np.argmin(before)
            low[n] = min(max(low[n - 1], low[n - 1] + middle - window // 2), points - window)
        for j in range(window):
            own = low[n] + j
            i = min(own * every, last)
            least = 0.0 if n == 0 and own * far <= first else np.inf
            if n > 0:
                here = own - low[n - 1]
                for k in range(max(here - reach, 0), min(here + reach + 1, window)):
                    value = before[k] + _BACK * far * max(k - here, 0)
                    if value < least:
                        least, came[n, j] = value, k
            cost[j] = least + step * ((x - line[i, 0]) ** 2 + (z - line[i, 1]) ** 2)
        cost, before = before, cost
    distance, index = np.empty(places.shape[0]), np.empty(places.shape[0], np.int64)
    j, stop = np.argmin(before), places.shape[0]
    following = low[count - 1] + j
    for n in range(count - 1, -1, -1):
        own = low[n] + j
        start, end = max((min(own, following) - 1) * every, 0), min((max(own, following) + 1) * every, last)
        for f in range(kept[n], stop):
            least = np.inf
            for i in range(start, end + 1):
                d = (places[f, 0] - line[i, 0]) ** 2 + (places[f, 1] - line[i, 1]) ** 2
                if d < least:
                    least, index[f] = d, i
            distance[f] = np.sqrt(least)
        j, stop, following = np.int64(came[n, j]), kept[n], own
    return distance, index
