"""Compiled recomputation in float64 of single windows: for alignments, and for costs too small for float32 products.

float32 products carry an error of about 1e-8 m² into D / M, which is nothing at a cost of a centimetre and too much
at a hundredth of one. Those few cells are computed again from the same rounded bodies, so that equal windows give 0.
"""

import numpy as np
from numba import njit, types

from motiongraph.metric._kernels import F32, F64, GRID, I64, read

_FUSED = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
# Inside one product the terms may be reordered, or it would not be vectorised; the order is always the same.
_REORDERED = {**_FUSED, "fastmath": {"contract", "reassoc"}}
# D / M in m² below which a cost (0.001 cm) is rounding: shown as zero, so that copies of a clip form one plateau.
_NOTHING = 1e-10


@njit(**_REORDERED)
def _dot(x, y):
    """Σ x y in float64 of two flat float32 arrays."""
    total = 0.0
    for k in range(x.shape[0]):
        total += F64(x[k]) * F64(y[k])
    return total


@njit(**_FUSED)
def _frames(A, B, a, b, count):
    """C, S, Y summed over `count` frames from a and b on, bodies and paths; A: (xz, y, left), B: (xz, zx, y, right).

    The frames of a window lie one after the other, so each sum is one long product.
    """
    J, K = A[0].shape[1], A[1].shape[1]
    left, right = A[2], B[3]
    last = left.shape[0] - 1
    x, xz, zx = A[0].ravel()[a * J : (a + count) * J], B[0].ravel(), B[1].ravel()
    c = _dot(x, xz[b * J : (b + count) * J])
    y = _dot(A[1].ravel()[a * K : (a + count) * K], B[2].ravel()[b * K : (b + count) * K])
    s = _dot(x, zx[b * J : (b + count) * J]) if last == 2 else 0.0
    for t in range(count):
        f, h = a + t, b + t
        c += left[0, 0, f] * right[0, 0, h] + left[0, 1, f] * right[0, 1, h]
        y += left[last, 0, f] * right[last, 0, h]
        if last == 2:
            s += left[1, 0, f] * right[1, 0, h] + left[1, 1, f] * right[1, 1, h]
    return c, s, y


@njit(**_FUSED)
def _weighted(A, B, g, a, b):
    """C, S, Y over the windows that start at a and b, frame by frame: rounded to the grid, then weighted."""
    c = s = y = 0.0
    for t in range(g.shape[0]):
        dc, ds, dy = _frames(A, B, a + t, b + t, 1)
        c += g[t] * ((dc + GRID) - GRID)
        s += g[t] * ((ds + GRID) - GRID)
        y += g[t] * ((dy + GRID) - GRID)
    return c, s, y


@njit(**_FUSED)
def _distance(c, s, y, starts, others, a, b, planar):
    """D, and the centred C and S, of one pair of windows from its sums."""
    energy = starts[2, a] + others[2, b]
    if not planar:
        return energy - 2.0 * (c + y), 1.0, 0.0
    c -= starts[0, a] * others[0, b] + starts[1, a] * others[1, b]
    s -= starts[0, a] * others[1, b] - starts[1, a] * others[0, b]
    energy -= 2.0 * y
    rest = 4.0 * (c * c + s * s)
    return (energy * energy - rest) / (energy + np.sqrt(rest) + 1e-300), c, s


_CELLS = (
    read(F32, 2), read(F32, 2), read(F64, 3), read(F64, 2),
    read(F32, 2), read(F32, 2), read(F32, 2), read(F64, 3), read(F64, 2),
    read(F64, 1), types.boolean, read(I64, 1), read(I64, 1), F64[:, ::1],
)  # fmt: skip


@njit(_CELLS, **_FUSED)
def exact_cells(xz, y, left, starts, xz2, zx2, y2, right, others, g, even, a, b, out):
    """out[i] = D, C, S of the windows at a[i], b[i]; arrays as in `Bodies`, even: whether the weights g are all 1."""
    A, B = (xz, y, left), (xz2, zx2, y2, right)
    for i in range(a.shape[0]):
        if even:
            c, s, h = _frames(A, B, a[i], b[i], g.shape[0])
        else:
            c, s, h = _weighted(A, B, g, a[i], b[i])
        out[i, 0], out[i, 1], out[i, 2] = _distance(c, s, h, starts, others, a[i], b[i], left.shape[0] == 3)


_MEND = I64(
    read(F32, 2), read(F32, 2), read(F64, 3), read(F64, 2),
    read(F32, 2), read(F32, 2), read(F32, 2), read(F64, 3), read(F64, 2),
    read(F64, 1), types.boolean, F64, F32, I64, I64, I64, F64[:, ::1], F32[:, ::1], I64, I64, I64, I64,
)  # fmt: skip


@njit(_MEND, **_FUSED)
def mend(
    xz, y, left, starts, xz2, zx2, y2, right, others,
    g, even, scale, limit, a0, b0, band, state, cost, row, column, rows, columns,
):  # fmt: skip
    """Recompute the costs below `limit` of a block whose corner, the windows a0 and b0, is at cost[row, column].

    Cells with b − a < band are left as they are. state (4, rows + columns) remembers the sums on each diagonal, so
    that a run of small cells is one full window and then a frame pair in and a frame pair out, on the grid of
    `_kernels` and therefore the same. Returns the number of cells recomputed.
    """
    A, B = (xz, y, left), (xz2, zx2, y2, right)
    L = g.shape[0]
    planar = left.shape[0] == 3
    state[3] = -2.0
    count = 0
    for i in range(rows):
        line = cost[row + i, column : column + columns]
        small = 0
        for j in range(columns):
            small += line[j] < limit
        if small == 0:
            continue
        a = a0 + i
        for j in range(max(0, a + band - b0), columns):
            if not line[j] < limit:
                continue
            b, d = b0 + j, j - i + rows
            if even and state[3, d] == i - 1:
                c, s, h = _frames(A, B, a + L - 1, b + L - 1, 1)
                c1, s1, h1 = _frames(A, B, a - 1, b - 1, 1)
                c = state[0, d] + ((c + GRID) - (c1 + GRID))
                s = state[1, d] + ((s + GRID) - (s1 + GRID))
                h = state[2, d] + ((h + GRID) - (h1 + GRID))
            else:
                c, s, h = _weighted(A, B, g, a, b)
            state[0, d], state[1, d], state[2, d], state[3, d] = c, s, h, i
            D = _distance(c, s, h, starts, others, a, b, planar)[0]
            line[j] = np.sqrt(scale * D) if scale * D > 1e4 * _NOTHING else 0.0
            count += 1
    return count
