"""Where two motions are closer than anywhere near: local minima of the costs (Kovar 2002, 3.2; de Chenu 2006, 3.8).

Candidates are found block by block while the ranks stream past, and plateaus are settled at the end, so that no more
than a few rows of the matrix are ever held. Where ranks are uncertain, a candidate is every cell that could be a
minimum; the pair then decides (`pairs.CloudPair.settled`).
"""

import numpy as np

from motiongraph.elementary import cos, sin
from motiongraph.errors import MotionError
from motiongraph.kernels import F32, FAST, I64, kernel, njit, read

CANDIDATE = np.dtype([("a", "i4"), ("b", "i4"), ("cost", "f4"), ("ties", "u1")])
MINIMUM = np.dtype([("a", "i4"), ("b", "i4"), ("cost", "f4")])
ALIGNMENT = [("theta", "f8"), ("x0", "f8"), ("z0", "f8")]
FOUND = np.dtype(CANDIDATE.descr + ALIGNMENT)
METHODS = ("neighbours", "partial")

# Neighbours in the order of the bits of `ties`; the first four come before a cell, the others after.
AROUND = np.array([(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
DIRECT = np.array([False, True, False, True, True, False, True, False])
_STRETCH = 256


@njit(**FAST)
def _low(here, ceiling):
    """How many cells are no higher than the ceiling."""
    count = 0
    for j in range(here.shape[0]):
        count += here[j] <= ceiling
    return count


@njit(**FAST)
def _lesser(x, y):
    """min(x, y) as one instruction; numba's own looks for NaN."""
    return x if x < y else y


@njit(**FAST)
def _lowest(up, here, down, eight, share, slack):
    """How many inner cells of three rows may be no higher than those beside them: eight, or the direct four."""
    count, n = 0, here.shape[0] - 2
    west, middle, east = here[:n], here[1:], here[2:]
    north, south = up[1:], down[1:]
    if eight == 8:
        up_west, up_east, down_west, down_east = up[:n], up[2:], down[:n], down[2:]
        for j in range(n):
            least = _lesser(_lesser(north[j], south[j]), _lesser(west[j], east[j]))
            corner = _lesser(_lesser(up_west[j], up_east[j]), _lesser(down_west[j], down_east[j]))
            count += middle[j] * share <= _lesser(least, corner) + slack
    else:
        for j in range(n):
            count += middle[j] * share <= _lesser(_lesser(north[j], south[j]), _lesser(west[j], east[j])) + slack
    return count


@njit(**FAST)
def _ties(cost, r, j, eight, share, slack):
    """Which neighbours of a cell may equal it, as bits in the order of `AROUND`; −1 if one is surely lower."""
    v, ties = cost[r, j], 0
    for k in range(8):
        if eight == 8 or DIRECT[k]:
            other = cost[r + AROUND[k, 0], j + AROUND[k, 1]]
            if other + slack < v * share:
                return -1
            ties |= (other * share <= v + slack) << k
    return ties


_SCAN = I64(read(F32, 2), I64, I64, I64, I64, F32, F32, F32, I64, I64, F32[::1], I64[:, ::1])


@kernel(_SCAN)
def _scan(cost, rows, a0, b0, band, ceiling, share, slack, eight, width, values, cells):
    """Candidates among the cells cost[1:rows − 1, 1:width − 1], the first of which is the windows (a0, b0).

    Those no higher than their neighbours (eight, or the direct four) and the ceiling, with b − a ≥ band, where ranks
    count as equal that differ by no more than `slack` and the share 1 − `share`. Written to values and cells (a, b,
    ties) as far as they go; returns how many there are.
    """
    count = 0
    for r in range(1, rows - 1):
        a = a0 + r - 1
        # Stretches without a candidate, nearly all, are recognised without a branch a cell.
        for start in range(1 + max(0, a + band - b0), width - 1, _STRETCH):
            stop = min(start + _STRETCH, width - 1)
            if not _low(cost[r, start:stop], ceiling):
                continue
            around = slice(start - 1, stop + 1)
            if not _lowest(cost[r - 1, around], cost[r, around], cost[r + 1, around], eight, share, slack):
                continue
            for j in range(start, stop):
                v = cost[r, j]
                if v > ceiling or v * share > cost[r, j - 1] + slack or v * share > cost[r, j + 1] + slack:
                    continue
                ties = _ties(cost, r, j, eight, share, slack)
                if ties < 0:
                    continue
                if count < values.shape[0]:
                    values[count] = v
                    cells[count, 0], cells[count, 1], cells[count, 2] = a, b0 + j - 1, ties
                count += 1
    return count


class Scanner:
    """Finds candidates in blocks of ranks that come row after row; one thread's workspace.

    ceiling: the highest rank that counts; band: the least b − a that does. error, relative: how far a rank may be off,
    both added up; a candidate's `ties` are the neighbours that may be equal or lower.
    """

    def __init__(
        self,
        ceiling: float | None = None,
        method: str = "neighbours",
        band: int | None = None,
        error: float = 0.0,
        relative: float = 0.0,
    ):
        if method not in METHODS:
            raise MotionError(f"minima are found by 'neighbours' or 'partial' differences, not {method!r:.40}")
        # A float32 ceiling, so that a cost that is the ceiling itself counts whatever its rounding.
        self.ceiling = np.float32(np.inf if ceiling is None else ceiling * (1.0 + relative) + error)
        self.share, self.slack = np.float32(1.0 - 2.0 * relative), np.float32(2.0 * error * (1.0 + 1e-6))
        self.eight = 8 if method == "neighbours" else 4
        self.band = -(1 << 40) if band is None else band
        self.values, self.cells = np.empty(1024, np.float32), np.empty((1024, 3), np.int64)
        self.found: list[np.ndarray] = []

    def scan(self, cost: np.ndarray, rows: int, a0: int, b0: int, width: int) -> None:
        """See `_scan`; cost has a row and a column more on every side, infinite beyond the matrix."""
        args = cost, rows, a0, b0, self.band, self.ceiling, self.share, self.slack, self.eight, width
        count = _scan(*args, self.values, self.cells)
        if count > len(self.values):
            self.values, self.cells = np.empty(2 * count, np.float32), np.empty((2 * count, 3), np.int64)
            count = _scan(*args, self.values, self.cells)
        if count:
            found = np.empty(count, CANDIDATE)
            found["cost"] = self.values[:count]
            found["a"], found["b"], found["ties"] = self.cells[:count].T
            self.found.append(found)

    def candidates(self) -> np.ndarray:
        """All that were found, as a structured array."""
        return np.concatenate(self.found) if self.found else np.empty(0, CANDIDATE)


def scan_matrix(
    cost: np.ndarray,
    ceiling: float | None = None,
    method: str = "neighbours",
    error: float = 0.0,
    relative: float = 0.0,
) -> np.ndarray:
    """Candidates of a whole matrix of ranks (n, m) float32; see `Scanner`."""
    n, m = cost.shape
    scanner = Scanner(ceiling, method, None, error, relative)
    rows = max(1, (1 << 20) // (m + 2))
    for r in range(0, n, rows):
        # A frame of one cell around a block of rows: its neighbours, or nothing lower beyond the matrix.
        block = np.full((min(rows, n - r) + 2, m + 2), np.inf, np.float32)
        first, last = max(r - 1, 0), min(r + rows + 1, n)
        block[first - r + 1 : last - r + 1, 1:-1] = cost[first:last]
        scanner.scan(block, len(block), r, 0, m + 2)
    return scanner.candidates()


def transposed(candidates: np.ndarray) -> np.ndarray:
    """The candidates, with their alignments, of the transposed matrix."""
    turned = candidates.copy()
    turned["a"], turned["b"] = candidates["b"], candidates["a"]
    turned["ties"] = 0
    for k, (da, db) in enumerate(AROUND):
        to = AROUND.tolist().index([db, da])
        turned["ties"] |= ((candidates["ties"] >> k) & 1) << to
    c, s = cos(candidates["theta"]), sin(candidates["theta"])
    turned["theta"] = -candidates["theta"]
    turned["x0"] = candidates["z0"] * s - candidates["x0"] * c
    turned["z0"] = -candidates["x0"] * s - candidates["z0"] * c
    return turned


def with_fields(table: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A structured array's fields in another structure; those it does not have are 0."""
    result = np.zeros(len(table), dtype)
    for name in set(table.dtype.names or ()) & set(dtype.names or ()):
        result[name] = table[name]
    return result


def settle(candidates: np.ndarray, border: tuple[int, int] | None = None) -> np.ndarray:
    """Minima from candidates: of a plateau of equal neighbours the first cell, by a and then b, and only if no cell of
    it has a lower neighbour. border: the matrix's shape, to leave out whatever touches its edge."""
    if border is not None:
        a, b = candidates["a"], candidates["b"]
        candidates = candidates[(a > 0) & (b > 0) & (a < border[0] - 1) & (b < border[1] - 1)]
    tied = candidates["ties"] != 0
    if not tied.any():
        return candidates
    flat = candidates[tied]
    flat = flat[np.lexsort((flat["b"], flat["a"]))]
    keys = flat["a"].astype(np.int64) << 32 | flat["b"]
    open_end, links = np.zeros(len(flat), bool), []
    for k, (da, db) in enumerate(AROUND.tolist()):
        here = np.flatnonzero((flat["ties"] >> k) & 1)
        wanted = (flat["a"][here].astype(np.int64) + da << 32) | (flat["b"][here] + db)
        there = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        met = keys[there] == wanted
        # An equal neighbour that is no candidate has a lower one beside it, or lies where nothing counts.
        open_end[here[~met]] = True
        links.append((here[met], there[met]))
    plateau = np.arange(len(flat))
    for here, there in links:
        _join(here, there, plateau)
    # Every cell points to one before it in its plateau; the first points to itself, and the others are flattened.
    while (plateau[plateau] != plateau).any():
        plateau = plateau[plateau]
    spoilt = np.zeros(len(flat), bool)
    spoilt[plateau[open_end]] = True
    first = (plateau == np.arange(len(flat))) & ~spoilt
    return np.concatenate([candidates[~tied], flat[first]])


@kernel((read(I64), read(I64), I64[::1]))
def _join(here, there, plateau):
    """Unite the plateaus of cells here[i] and there[i]; plateau[k]: a cell of the same plateau, no later than k."""
    for i in range(here.shape[0]):
        p, q = here[i], there[i]
        while plateau[p] != p:
            plateau[p] = plateau[plateau[p]]
            p = plateau[p]
        while plateau[q] != q:
            plateau[q] = plateau[plateau[q]]
            q = plateau[q]
        plateau[max(p, q)] = min(p, q)


@kernel(I64(read(I64, 2), I64, I64[::1], I64[:, ::1], I64[::1]))
def _suppress(cells, radius, table, bucket, keep):
    """keep[i] = 1 for cells (n, 2), best first, with no kept one within `radius` in both directions.

    The kept lie in buckets of radius + 1, at most one in each, in a hash table of a power of two places.
    """
    side, mask = radius + 1, table.shape[0] - 1
    count = 0
    for i in range(cells.shape[0]):
        p, q = cells[i, 0] // side, cells[i, 1] // side
        free = True
        for dp in range(-1, 2):
            for dq in range(-1, 2):
                at = ((p + dp) * 73856093 ^ (q + dq) * 19349663) & mask
                while table[at] >= 0:
                    k = table[at]
                    if bucket[at, 0] == p + dp and bucket[at, 1] == q + dq:
                        if abs(cells[k, 0] - cells[i, 0]) <= radius and abs(cells[k, 1] - cells[i, 1]) <= radius:
                            free = False
                        break
                    at = (at + 1) & mask
        keep[i] = free
        if free:
            at = (p * 73856093 ^ q * 19349663) & mask
            while table[at] >= 0:
                at = (at + 1) & mask
            table[at], bucket[at, 0], bucket[at, 1] = i, p, q
            count += 1
    return count


def best_first(minima: np.ndarray, radius: int | None = None) -> np.ndarray:
    """Sorted by cost, then a, then b; with a radius (frames), without those that have a better one within it."""
    minima = minima[np.lexsort((minima["b"], minima["a"], minima["cost"]))]
    if not radius or not len(minima):
        return minima
    if radius < 0 or radius != int(radius):
        raise MotionError(f"a suppression radius is a whole number of frames from 0 up, not {radius!r}")
    size = 1 << (2 * len(minima)).bit_length()
    keep = np.zeros(len(minima), np.int64)
    cells = np.stack([minima["a"], minima["b"]], axis=1).astype(np.int64)
    _suppress(cells, int(radius), np.full(size, -1), np.empty((size, 2), np.int64), keep)
    return minima[keep.astype(bool)]
