"""The compiled inner loops of `_kernels` for frames that weigh differently: every window is summed on its own."""

from numba import njit, types

from motiongraph.metric._kernels import F32, F64, FUSED, GRID, I64, cost_row, read


@njit(**FUSED)
def _lift(v, u, left, right, first, done, rows):
    """v (slots, Q, R, N) float64: the products with the paths added."""
    slots, Q, R, N = u.shape
    for f in range(done, done + rows):
        slot, i = (f // R) % slots, f % R
        for q in range(Q):
            p0, p1 = left[q, 0, first + f], left[q, 1, first + f]
            to, body, b0, b1 = v[slot, q, i], u[slot, q, i], right[q, 0], right[q, 1]
            for j in range(N):
                to[j] = (body[j] + (p0 * b0[j] + (p1 * b1[j] + GRID))) - GRID


@njit(**FUSED)
def _four(acc, v0, v1, v2, v3, g0, g1, g2, g3):
    for j in range(acc.shape[0]):
        acc[j] += (g0 * v0[j] + g1 * v1[j]) + (g2 * v2[j] + g3 * v3[j])


_WEIGH = types.int64(
    read(F32, 4), F64[:, :, :, ::1], read(F64, 3), read(F64, 3), F64[:, ::1], read(F64, 2), read(F64, 2),
    read(F64, 1), I64, I64, I64, I64, F32, F32, F32[:, ::1], F32[:, ::1], I64, I64,
)  # fmt: skip


@njit(_WEIGH, **FUSED)
def weigh(u, v, left, right, acc, starts, others, g, window, first, done, rows, scale, far, scratch, cost, row, column):
    """Like `slide` for frame weights g (a multiple of four long, zeros at its end): sums all terms of a window."""
    slots, Q, R, N = u.shape
    _lift(v, u, left, right, first, done, rows)
    n = N - window + 1
    written = 0
    for f in range(done, done + rows):
        a = f - window + 1
        if a < 0:
            continue
        for q in range(Q):
            line = acc[q, :n]
            line[:] = 0.0
            for t in range(0, window, 4):
                # Beyond the window the weights are zero; any row will do for those, but it must exist.
                t1, t2, t3 = min(t + 1, window - 1), min(t + 2, window - 1), min(t + 3, window - 1)
                f0, f1, f2, f3 = a + t, a + t1, a + t2, a + t3
                _four(
                    line,
                    v[(f0 // R) % slots, q, f0 % R, t : t + n],
                    v[(f1 // R) % slots, q, f1 % R, t1 : t1 + n],
                    v[(f2 // R) % slots, q, f2 % R, t2 : t2 + n],
                    v[(f3 // R) % slots, q, f3 % R, t3 : t3 + n],
                    g[t], g[t + 1], g[t + 2], g[t + 3],
                )  # fmt: skip
        to = cost[row + written, column : column + n]
        cost_row(to, scratch, acc, 0, starts, others, first + a, scale, far)
        written += 1
    return written
