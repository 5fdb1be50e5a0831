"""Compiled distances of single windows in float64, the same on every processor.

Coordinates lie on a grid (`bodies._step`) so coarse that a float64 holds the sum of products of two whole windows
exactly. Its terms may then be added in any order, fused or not, with vectors of any width. Products of the paths are
rounded to the grid of `_kernels` frame by frame, and their sums are exact as well. So a cell may take the sums of the
cell before it on its diagonal, with a frame pair more and a frame pair less. Only frames that weigh differently are
added up anew, always in the same order.
"""

import numpy as np

from motiongraph.kernels import B1, F32, F64, FAST, I64, U1, kernel, njit, read
from motiongraph.metric._kernels import GRID


# Every order gives the same sum, which therefore may be vectorised.
@njit(**FAST, fastmath={"reassoc", "contract"})
def _dot(x, y):
    """Σ x y in float64 of two float32 arrays on the grid."""
    total = 0.0
    for k in range(x.shape[0]):
        total += F64(x[k]) * F64(y[k])
    return total


@njit(**FAST)
def _bodies(xz, y, xz2, y2, planar, f, h, count):
    """C, S, Y of the bodies, summed over `count` frames from f and h on: they lie one after the other."""
    J, K = xz.shape[1], y.shape[1]
    c, s = _dot(xz.ravel()[f * J : (f + count) * J], xz2.ravel()[h * J : (h + count) * J]), 0.0
    if planar:
        for t in range(count):
            s += _dot(xz[f + t, :K], xz2[h + t, K:]) - _dot(xz[f + t, K:], xz2[h + t, :K])
    return c, s, _dot(y.ravel()[f * K : (f + count) * K], y2.ravel()[h * K : (h + count) * K])


@njit(**FAST)
def _paths(left, right, planar, f, h):
    """C, S, Y of the paths at one pair of frames, on the grid."""
    last = left.shape[0] - 1
    c = left[0, 0, f] * right[0, 0, h] + left[0, 1, f] * right[0, 1, h]
    s = left[1, 0, f] * right[1, 0, h] + left[1, 1, f] * right[1, 1, h] if planar else 0.0
    v = left[last, 0, f] * right[last, 0, h]
    return (c + GRID) - GRID, (s + GRID) - GRID, (v + GRID) - GRID


@njit(**FAST)
def _distance(c, s, y, starts, others, a, b, planar):
    """D, and the centred C and S, of one pair of windows from its sums (Kovar 2002, 3.1; METRIC.md 4)."""
    energy = starts[2, a] + others[2, b]
    if not planar:
        return energy - 2.0 * (c + y), 1.0, 0.0
    c -= starts[0, a] * others[0, b] + starts[1, a] * others[1, b]
    s -= starts[0, a] * others[1, b] - starts[1, a] * others[0, b]
    energy -= 2.0 * y
    rest = 4.0 * (c * c + s * s)
    return (energy * energy - rest) / (energy + np.sqrt(rest) + 1e-300), c, s


@njit(**FAST)
def _window_pair(xz, y, left, xz2, y2, right, g, even, a, b):
    """C, S, Y summed over the frames of the windows at a and b."""
    planar, L = left.shape[0] == 3, g.shape[0]
    if even:
        C, S, Y = _bodies(xz, y, xz2, y2, planar, a, b, L)
        for t in range(L):
            c, s, v = _paths(left, right, planar, a + t, b + t)
            C, S, Y = C + c, S + s, Y + v
        return C, S, Y
    C = S = Y = 0.0
    for t in range(L):
        c, s, v = _bodies(xz, y, xz2, y2, planar, a + t, b + t, 1)
        c2, s2, v2 = _paths(left, right, planar, a + t, b + t)
        C, S, Y = C + g[t] * (c + c2), S + g[t] * (s + s2), Y + g[t] * (v + v2)
    return C, S, Y


@njit(**FAST)
def _beside(xz, y, left, xz2, y2, right, g, even, a, b, C, S, Y, step):
    """`_window_pair` at a + step, b + step from C, S, Y of the windows at a, b; step: 1 or −1."""
    if not even:
        return _window_pair(xz, y, left, xz2, y2, right, g, even, a + step, b + step)
    planar, L = left.shape[0] == 3, g.shape[0]
    comes, goes = (L, 0) if step > 0 else (-1, L - 1)
    c, s, v = _bodies(xz, y, xz2, y2, planar, a + comes, b + comes, 1)
    c2, s2, v2 = _paths(left, right, planar, a + comes, b + comes)
    C, S, Y = C + c + c2, S + s + s2, Y + v + v2
    c, s, v = _bodies(xz, y, xz2, y2, planar, a + goes, b + goes, 1)
    c2, s2, v2 = _paths(left, right, planar, a + goes, b + goes)
    return C - c - c2, S - s - s2, Y - v - v2


_ARRAYS = (
    read(F32, 2), read(F32, 2), read(F64, 3), read(F64, 2),
    read(F32, 2), read(F32, 2), read(F64, 3), read(F64, 2), read(F64), B1, read(I64), read(I64),
)  # fmt: skip


@kernel((*_ARRAYS, F64[:, ::1]))
def exact_cells(xz, y, left, starts, xz2, y2, right, others, g, even, a, b, out):
    """out[i] = D, C, S of the windows at a[i], b[i]; arrays as in `Bodies`, even: whether the weights g are all 1.

    Quickest where cells that follow each other on a diagonal come one after the other.
    """
    C = S = Y = 0.0
    planar = left.shape[0] == 3
    for i in range(a.shape[0]):
        if i > 0 and a[i] == a[i - 1] + 1 and b[i] == b[i - 1] + 1:
            C, S, Y = _beside(xz, y, left, xz2, y2, right, g, even, a[i - 1], b[i - 1], C, S, Y, 1)
        else:
            C, S, Y = _window_pair(xz, y, left, xz2, y2, right, g, even, a[i], b[i])
        out[i, 0], out[i, 1], out[i, 2] = _distance(C, S, Y, starts, others, a[i], b[i], planar)


@njit(**FAST)
def _cleared(D, nothing):
    """0 for distances that are rounding."""
    return max(D, 0.0) if abs(D) > nothing else 0.0


@kernel((read(I64), read(I64), read(I64), read(F64), F64, U1[::1]))
def beside(a, b, ties, D, nothing, beaten):
    """beaten[i] = 1 for cells, sorted by a and then b, that have a lower one beside them; ties: bits of `AROUND`."""
    below, n = 0, a.shape[0]
    for i in range(n):
        here = _cleared(D[i], nothing)
        while below < n and (a[below] < a[i] + 1 or (a[below] == a[i] + 1 and b[below] < b[i] - 1)):
            below += 1
        for k in range(4):
            # The one to the right, then up to three in the next row.
            j = i + 1 if k == 0 else below + k - 1
            if j >= n:
                break
            beside_ = (a[j] == a[i] and b[j] == b[i] + 1) if k == 0 else (a[j] == a[i] + 1 and abs(b[j] - b[i]) <= 1)
            if not beside_:
                continue
            bit = 4 if k == 0 else 6 + b[j] - b[i]
            other = _cleared(D[j], nothing)
            if other < here and ties[i] & (1 << bit):
                beaten[i] = 1
            if here < other and ties[j] & (1 << (7 - bit)):
                beaten[j] = 1


# Bits of `ties` for the neighbours before and after a cell on its diagonal, in the order of `minima.AROUND`.
_BEFORE, _AFTER = 0, 7


@kernel((*_ARRAYS, read(I64), read(I64), U1[::1], read(I64, 2), F64, F64[:, ::1]))
def settle_cells(
    xz, y, left, starts, xz2, y2, right, others, g, even, a, b, stills, stills2, ties, around, nothing, out
):
    """Decide which cells a[i], b[i] are lower than or equal to their neighbours; out[i] = D, C, S, D −1 where not.

    ties: bits of the neighbours (`around`) that may be lower or equal; on return of those that are equal. Cells are
    in the order of their diagonals. There costs change least, so that the neighbours on it are looked at first, and
    what is known of a cell serves the next one. stills: windows of the same number are the same (`Bodies.stills`), and
    so are their distances.
    """
    planar = left.shape[0] == 3
    C = S = Y = D = c = s = before = C2 = S2 = Y2 = 0.0
    ahead = False  # C2, S2, Y2 are those of the next cell on the diagonal
    for i in range(a.shape[0]):
        p, q, open_, equal = a[i], b[i], ties[i], 0
        follows = i > 0 and p == a[i - 1] + 1 and q == b[i - 1] + 1
        if follows:
            before = D
            if ahead:
                C, S, Y = C2, S2, Y2
            else:
                C, S, Y = _beside(xz, y, left, xz2, y2, right, g, even, p - 1, q - 1, C, S, Y, 1)
        else:
            C, S, Y = _window_pair(xz, y, left, xz2, y2, right, g, even, p, q)
        D, c, s = _distance(C, S, Y, starts, others, p, q, planar)
        D = _cleared(D, nothing)
        out[i, 0], out[i, 1], out[i, 2] = D, c, s
        ahead = False
        for order in range(8):
            # The two on the diagonal first: the one before, then the one after.
            k = _BEFORE if order == 0 else _AFTER if order == 1 else order - 1
            if not open_ & (1 << k):
                continue
            u, v = p + around[k, 0], q + around[k, 1]
            if stills[u] == stills[p] and stills2[v] == stills2[q]:
                other = D
            elif k == _BEFORE and follows:
                other = before
            else:
                if k in (_BEFORE, _AFTER):
                    c, s, h = _beside(xz, y, left, xz2, y2, right, g, even, p, q, C, S, Y, u - p)
                else:
                    c, s, h = _window_pair(xz, y, left, xz2, y2, right, g, even, u, v)
                if k == _AFTER:
                    ahead, C2, S2, Y2 = True, c, s, h
                other = _cleared(_distance(c, s, h, starts, others, u, v, planar)[0], nothing)
            if other < D:
                out[i, 0] = -1.0
                break
            equal |= (other == D) << k
        ties[i] = equal
