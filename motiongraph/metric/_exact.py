"""Compiled recomputation in float64 of single windows: for alignments, and for costs too small for float32 products.

float32 products carry an error of about 1e-8 m² into D / M, which is nothing at a cost of a centimetre and too much
at a hundredth of one. Those few cells are computed again from the same rounded bodies, so that equal windows give 0.
"""

import numpy as np
from numba import njit, types

from motiongraph.metric._kernels import F32, F64, FUSED, GRID, I64, read

# Inside one product the terms may be reordered, or it would not be vectorised; the order is always the same.
_REORDERED = {**FUSED, "fastmath": {"contract", "reassoc"}}


@njit(**_REORDERED)
def _dot(x, y):
    """Σ x y in float64 of two flat float32 arrays."""
    total = 0.0
    for k in range(x.shape[0]):
        total += F64(x[k]) * F64(y[k])
    return total


@njit(**FUSED)
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


@njit(**FUSED)
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
    read(F64, 1), types.boolean, types.boolean, read(I64, 1), read(I64, 1), F64[:, ::1],
)  # fmt: skip


@njit(_CELLS, **FUSED)
def exact_cells(xz, y, left, starts, xz2, zx2, y2, right, others, g, even, grid, a, b, out):
    """out[i] = D, C, S of the windows at a[i], b[i]; arrays as in `Bodies`, even: whether the weights g are all 1.

    grid: round frame by frame as `_kernels` does, so that sums do not depend on their order. Then a cell that follows
    another down its diagonal takes that one's sums, a frame pair more and a frame pair less.
    """
    A, B = (xz, y, left), (xz2, zx2, y2, right)
    L = g.shape[0]
    C = S = Y = 0.0
    for i in range(a.shape[0]):
        follows = grid and even and i > 0 and a[i] == a[i - 1] + 1 and b[i] == b[i - 1] + 1
        steps, count = (1, L) if even and not grid else (L, 1)
        if follows:
            steps = 2
        else:
            C = S = Y = 0.0
        for k in range(steps):
            at, w = k, g[k]
            if follows:
                at, w = (L - 1, 1.0) if k == 0 else (-1, -1.0)
            c, s, h = _frames(A, B, a[i] + at, b[i] + at, count)
            if grid:
                c, s, h = (c + GRID) - GRID, (s + GRID) - GRID, (h + GRID) - GRID
            C += w * c
            S += w * s
            Y += w * h
        out[i, 0], out[i, 1], out[i, 2] = _distance(C, S, Y, starts, others, a[i], b[i], left.shape[0] == 3)
