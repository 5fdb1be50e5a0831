"""Compiled parts of the pruned search: which pairs of cells go on, and candidates among the few that are left."""

import numpy as np

from motiongraph.kernels import F32, F64, FAST, I32, I64, kernel, njit, read

# These choose what is computed, and propose; they decide nothing.
_FUSED = {**FAST, "fastmath": {"contract", "nnan", "nsz"}}
_ANY_ORDER = {**FAST, "fastmath": {"contract", "nnan", "nsz", "reassoc"}}

# Windows of a diagonal between two cells over which it is quicker to go on than to begin anew.
_BRIDGE = 16


@njit(**_FUSED)
def _pass(mark, C, S, W):
    """1 where W ≤ √(C² + S²)."""
    for j in range(C.shape[0]):
        w = W[j] if W[j] > F32(0.0) else F32(0.0)
        mark[j] = C[j] * C[j] + S[j] * S[j] >= w * w * F32(0.999999)


@kernel(I64(read(F32, 2), read(F32, 2), read(F32, 2), I64, read(I64), read(I64), I64, I32[:, ::1]), **_FUSED)
def surviving(C, S, W, i0, low, high, band, found):
    """Pairs (i, j) of cells that go on, of rows i0 … of a level; returns how many.

    low, high: the first window of A's cells and the last of B's; b − a must reach band.
    """
    count, n = 0, C.shape[1]
    mark = np.zeros((n + 7) // 8 * 8, np.uint8)
    words = mark.view(np.uint64)
    for i in range(C.shape[0]):
        _pass(mark, C[i], S[i], W[i])
        for word in range(words.shape[0]):
            if words[word] == 0:
                continue
            for j in range(8 * word, 8 * word + 8):
                if mark[j] and high[j] - low[i0 + i] >= band:
                    found[count, 0], found[count, 1] = i0 + i, j
                    count += 1
    return count


@njit(**_ANY_ORDER)
def _dot(x, y):
    total = F32(0.0)
    for k in range(x.shape[0]):
        total += x[k] * y[k]
    return total


@kernel(
    I64(
        read(I32, 2), read(I64), read(I64), read(F32, 2), read(F32, 2), read(F32, 2), read(F32, 2), read(F32, 2),
        I32[:, ::1],
    ),
    **_FUSED,
)  # fmt: skip
def refined(pairs, begins, begins2, turn, turned, left, turn2, right, found):
    """Pairs of finer cells that go on, of those within pairs (n, 2); returns how many.

    begins, begins2: the first finer cell of every cell of A and B, and their number; the others as in `Level`.
    """
    count = 0
    for n in range(pairs.shape[0]):
        i0, j0 = pairs[n, 0], pairs[n, 1]
        for i in range(begins[i0], begins[i0 + 1]):
            for j in range(begins2[j0], begins2[j0 + 1]):
                w = _dot(left[i], right[j])
                if w > F32(0.0):
                    c, s = _dot(turn[i], turn2[j]), _dot(turned[i], turn2[j])
                    if c * c + s * s < w * w * F32(0.999999):
                        continue
                found[count, 0], found[count, 1] = i, j
                count += 1
    return count


@njit(**_ANY_ORDER)
def _product(xz, y, xz2, y2, f, h):
    """C, S and Y of a pair of frames."""
    c = s = v = F32(0.0)
    m = xz.shape[1] // 2
    for k in range(m):
        c += xz[f, k] * xz2[h, k] + xz[f, m + k] * xz2[h, m + k]
        s += xz[f, k] * xz2[h, m + k] - xz[f, m + k] * xz2[h, k]
    for k in range(y.shape[1]):
        v += y[f, k] * y2[h, k]
    return c, s, v


@njit(**_FUSED)
def _ahead(a, b, step, grid, of_a, of_b):
    """Whether a cell goes on among the next windows of the diagonal, from a, b on; step: 1 or −1."""
    for k in range(_BRIDGE):
        p, q = a + k * step, b + k * step
        if p < 0 or q < 0 or p >= of_a.shape[0] or q >= of_b.shape[0] or of_a[p] < 0 or of_b[q] < 0:
            return False
        if grid[of_a[p], of_b[q]] >= 0:
            return True
    return False


@njit(**_ANY_ORDER)
def _run(
    a, b, size, xz, y, xz2, y2, window, path, path2, energy, energy2, grid, of_a, of_b, first, first2, ring,
    values,
):  # fmt: skip
    """Work down the cells of a diagonal from the windows a, b on, as long as they go on."""
    C = S = Y = 0.0
    for t in range(window - 1):
        c, s, v = _product(xz, y, xz2, y2, a + t, b + t)
        ring[t, 0], ring[t, 1], ring[t, 2] = c, s, v
        C, S, Y = C + c, S + s, Y + v
    at = window - 1
    while a < of_a.shape[0] and b < of_b.shape[0]:
        i, j = of_a[a], of_b[b]
        if i < 0 or j < 0 or (grid[i, j] < 0 and not _ahead(a, b, 1, grid, of_a, of_b)):
            break
        c, s, v = _product(xz, y, xz2, y2, a + window - 1, b + window - 1)
        ring[at, 0], ring[at, 1], ring[at, 2] = c, s, v
        C, S, Y = C + c, S + s, Y + v
        if grid[i, j] >= 0:
            p = q = 0.0
            for d in range(0, path.shape[1], 2):
                p += path[a, d] * path2[b, d] + path[a, d + 1] * path2[b, d + 1]
                q += path[a, d] * path2[b, d + 1] - path[a, d + 1] * path2[b, d]
            least = (energy[a] + energy2[b]) - 2.0 * Y - 2.0 * np.sqrt((C + p) ** 2 + (S + q) ** 2)
            values[grid[i, j], (a - first[i]) * size + (b - first2[j])] = least
        at = at + 1 if at + 1 < window else 0
        C, S, Y = C - ring[at, 0], S - ring[at, 1], Y - ring[at, 2]
        a, b = a + 1, b + 1


_CELLS = (
    read(I32, 2), I64, I32[:, ::1], read(I32), read(I32), read(I64), read(I64), read(I64), read(I64),
)  # fmt: skip


@kernel((*_CELLS, *[read(F32, 2)] * 6, I64, read(F64), read(F64), F32[:, ::1]), **_FUSED)
def work_down(
    cells, size, grid, of_a, of_b, first, count, first2, count2, xz, y, xz2, y2, path, path2, window, energy,
    energy2, values,
):  # fmt: skip
    """values (n, size²): the least D of every pair of windows of cells (n, 2), by sliding down their diagonals.

    grid: the number of a pair of cells in `cells`, −1 for others; of_a, of_b: cells of windows; energy: less the doubt.
    """
    ring = np.empty((window, 3))
    for n in range(cells.shape[0]):
        i, j = cells[n, 0], cells[n, 1]
        a0, b0 = first[i], first2[j]
        # A diagonal enters a cell at its first row or column. It is worked down from the first of a row of cells.
        for k in range(count[i] + count2[j] - 1):
            a = a0 + max(k - count2[j] + 1, 0)
            b = b0 + max(count2[j] - 1 - k, 0)
            if _ahead(a - 1, b - 1, -1, grid, of_a, of_b):
                continue
            _run(
                a, b, size, xz, y, xz2, y2, window, path, path2, energy, energy2, grid, of_a, of_b, first,
                first2, ring, values,
            )  # fmt: skip


@kernel(I64(*_CELLS, read(F32), read(F32), read(F32, 2), read(I32), F32, I64, I64, I64, I32[:, ::1]), **_FUSED)
def lowest(
    cells, size, grid, of_a, of_b, first, count, first2, count2, doubt, doubt2, values, dense, ceiling, band, last,
    last2, found,
):  # fmt: skip
    """Candidates a, b, ties among the windows of cells, as `_sketch.propose` finds them; returns how many.

    dense: 1 for cells that are only neighbours; last, last2: the windows 1 … last count.
    """
    total = 0
    # A cell and the windows around it: the least they may be, and the most. What was not computed is infinite, as it
    # lies above the ceiling.
    least, most = np.empty((size + 2, size + 2), np.float32), np.empty((size + 2, size + 2), np.float32)
    for n in range(cells.shape[0]):
        if dense[n]:
            continue
        low = F32(np.inf)
        for k in range(size * size):
            low = min(low, values[n, k])
        if low > ceiling:
            continue
        a0, b0, rows, columns = first[cells[n, 0]], first2[cells[n, 1]], count[cells[n, 0]], count2[cells[n, 1]]
        least[:], most[:] = np.inf, np.inf
        for r in range(rows + 2):
            a = a0 + r - 1
            if a < 0 or a >= of_a.shape[0] or of_a[a] < 0:
                continue
            for c in range(columns + 2):
                b = b0 + c - 1
                if b < 0 or b >= of_b.shape[0] or of_b[b] < 0:
                    continue
                cell = grid[of_a[a], of_b[b]]
                if cell >= 0:
                    v = values[cell, (a - first[of_a[a]]) * size + (b - first2[of_b[b]])]
                    least[r, c], most[r, c] = v, v + F32(2.0) * (doubt[a] + doubt2[b])
        for r in range(1, rows + 1):
            for c in range(1, columns + 1):
                a, b, v = a0 + r - 1, b0 + c - 1, least[r, c]
                if v > ceiling or b - a < band or a < 1 or a > last or b < 1 or b > last2:
                    continue
                ties, bit, under = 0, 0, False
                for da in range(-1, 2):
                    for db in range(-1, 2):
                        if da != 0 or db != 0:
                            under |= most[r + da, c + db] < v
                            ties |= (least[r + da, c + db] <= most[r, c]) << bit
                            bit += 1
                if not under:
                    found[total, 0], found[total, 1], found[total, 2] = a, b, ties
                    total += 1
    return total
