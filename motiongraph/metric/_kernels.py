"""Compiled inner loops of the cloud metric: window sums along diagonals and planar alignment.

Three quantities of a pair of frames matter, in this order: C = Σ w (x x' + z z'), S = Σ w (x z' − x' z) and
Y = Σ w y y'; without alignment only C and Y (Kovar 2002, 3.1; METRIC.md 4). Each is a float32 product of the bodies
about their own centre of weight (from BLAS) plus the product of those centres' paths in float64, where a person may
be 50 m from the origin. `left` and `right` hold the paths so that every quantity is one expression,
left[q, 0]·right[q, 0] + left[q, 1]·right[q, 1]. Weights of the points add up to one, so D is already D / M per frame.

Every such number is rounded to a grid of 2⁻³⁵ m², by adding GRID first. Sums of up to 2¹⁸ m² (a window of 100 frames
50 m from the middle of its clip) are then exact in float64, whatever their order: running sums never drift.

What is written are squared costs, cm². They only propose: the last bits of a float32 product depend on the processor,
and `_exact` decides. So these loops may fuse multiplications and additions.
"""

import numpy as np

from motiongraph.kernels import F32, F64, FAST, I64, kernel, njit, read

GRID = 1.5 * 2.0**17
_STRETCH = 128
# Reassociation would undo the rounding to the grid.
FUSED = {**FAST, "fastmath": {"contract"}}


@njit(**FUSED)
def _enter(acc, new, b0, b1, p0, p1):
    """Windows still filling: add a frame pair to each."""
    for j in range(acc.shape[0]):
        acc[j] += (new[j] + (p0 * b0[j] + (p1 * b1[j] + GRID))) - GRID


@njit(**FUSED)
def _advance(acc, new, old, b0, b1, c0, c1, p0, p1, r0, r1):
    """Full windows: one frame pair comes, one goes."""
    for j in range(old.shape[0]):
        acc[j] += (new[j] + (p0 * b0[j] + (p1 * b1[j] + GRID))) - (old[j] + (r0 * c0[j] + (r1 * c1[j] + GRID)))


@njit(**FUSED)
def _advance_height(acc, new, old, b0, c0, p0, r0):
    """`_advance` for heights, which are one number a frame."""
    for j in range(old.shape[0]):
        acc[j] += (new[j] + (p0 * b0[j] + GRID)) - (old[j] + (r0 * c0[j] + GRID))


@njit(**FUSED)
def _planar_sums(n, e, r, C, S, Y, mx, mz, eb, x, z, ea):
    """E, 4(C²+S²) and N = E² − 4(C²+S²) of one row of windows, rounded to float32 only at the end."""
    for b in range(n.shape[0]):
        c = C[b] - (x * mx[b] + z * mz[b])
        s = S[b] - (x * mz[b] - z * mx[b])
        energy = (ea + eb[b]) - 2.0 * Y[b]
        rest = 4.0 * (c * c + s * s)
        n[b] = energy * energy - rest
        e[b] = energy
        r[b] = rest


@njit(**FUSED)
def _nearer(n, e, far):
    """How many cells may cost no more than the ceiling: D = N / (E + 2√(C²+S²)) is at least N / 2E."""
    count = 0
    for b in range(n.shape[0]):
        count += n[b] <= far * e[b]
    return count


@njit(**FUSED)
def _planar_costs(cost, e, r, scale):
    """Squared costs from N, which cost holds. D = E − 2√(C²+S²) cancels where it matters; N / (E + 2√(C²+S²)) is the
    same without, and so its root may be float32."""
    for b in range(cost.shape[0]):
        n = cost[b]
        n = n if n > np.float32(0.0) else np.float32(0.0)
        # The tiny number keeps 0 / 0 of two empty windows at 0.
        cost[b] = scale * n / (e[b] + np.sqrt(r[b]) + np.float32(1e-30))


@njit(**FUSED)
def _planar_row(cost, e, r, C, S, Y, others, x, z, ea, scale, far):
    """Squared costs of one row of windows, infinite in stretches above the ceiling; far: 2 ceiling² / scale."""
    _planar_sums(cost, e, r, C, S, Y, others[0], others[1], others[2], x, z, ea)
    if far == np.inf:
        _planar_costs(cost, e, r, scale)
        return
    for start in range(0, cost.shape[0], _STRETCH):
        part = slice(start, min(start + _STRETCH, cost.shape[0]))
        if _nearer(cost[part], e[part], far):
            _planar_costs(cost[part], e[part], r[part], scale)
        else:
            cost[part] = np.inf


@njit(**FUSED)
def _direct_row(cost, C, Y, eb, ea, scale):
    """Squared costs of one row of windows that are compared where they are."""
    for b in range(cost.shape[0]):
        d = np.float32((ea + eb[b]) - 2.0 * (C[b] + Y[b]))
        d = d if d > np.float32(0.0) else np.float32(0.0)
        cost[b] = scale * d


@njit(**FUSED)
def _cost_row(cost, scratch, acc, at, starts, others, a, scale, far):
    """One row of squared costs from its window sums acc[:, at:]."""
    x, z, energy = starts[0, a], starts[1, a], starts[2, a]
    if acc.shape[0] == 3:
        C, S, Y = acc[0, at:], acc[1, at:], acc[2, at:]
        _planar_row(cost, scratch[0], scratch[1], C, S, Y, others, x, z, energy, scale, far)
    else:
        _direct_row(cost, acc[0, at:], acc[1, at:], others[2], energy, scale)


_SLIDE = I64(
    read(F32, 4), read(F64, 3), read(F64, 3), F64[:, ::1], read(F64, 2), read(F64, 2),
    I64, I64, I64, I64, F32, F32, F32[:, ::1], F32[:, ::1], I64, I64,
)  # fmt: skip


@kernel(_SLIDE, **FUSED)
def slide(u, left, right, acc, starts, others, window, first, done, rows, scale, far, scratch, cost, row, column):
    """Squared costs of the windows that the next `rows` frames of A complete, every frame weighing the same.

    u: (slots, Q, R, N) float32 products of A's frames, R a slot in a ring, with the N frames of a strip of B;
    left (Q, 2, FA), right (Q, 2, N) paths; starts (3, ·) and others (3, ·): mean x, mean z (times √L) and energy of
    every window of A and of the strip. acc (Q, N + R) carries the running sums from call to call: one number per
    diagonal, so that a row is updated in place with unit stride. A's frames are counted from `first`; `done` of
    them came before. Rows are written to cost[row:, column:], infinite where that is quicker and they lie above a
    ceiling; returns how many.
    """
    slots, Q, R, N = u.shape
    for q in range(Q):
        for j in range(N - 1, -1, -1):
            acc[q, j + R] = acc[q, j]
        for j in range(R):
            acc[q, j] = 0.0
    written = 0
    for f in range(done, done + rows):
        shift = R - 1 - (f - done)
        new, i = (f // R) % slots, f % R
        full = f >= window
        edge = window if full else N
        for q in range(Q):
            line = acc[q, shift : shift + N]
            p0, p1 = left[q, 0, first + f], left[q, 1, first + f]
            _enter(line[:edge], u[new, q, i], right[q, 0], right[q, 1], p0, p1)
            if full:
                o = f - window
                old, k = (o // R) % slots, o % R
                r0, r1 = left[q, 0, first + o], left[q, 1, first + o]
                b0, b1 = right[q, 0], right[q, 1]
                here, came, went = line[window:], u[new, q, i, window:], u[old, q, k, : N - window]
                if q == Q - 1:
                    _advance_height(here, came, went, b0[window:], b0, p0, r0)
                else:
                    _advance(here, came, went, b0[window:], b1[window:], b0, b1, p0, p1, r0, r1)
        if f >= window - 1:
            to = cost[row + written, column : column + N - window + 1]
            _cost_row(to, scratch, acc, shift + window - 1, starts, others, first + f - window + 1, scale, far)
            written += 1
    return written


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


_WEIGH = I64(
    read(F32, 4), F64[:, :, :, ::1], read(F64, 3), read(F64, 3), F64[:, ::1], read(F64, 2), read(F64, 2),
    read(F64, 1), I64, I64, I64, I64, F32, F32, F32[:, ::1], F32[:, ::1], I64, I64,
)  # fmt: skip


@kernel(_WEIGH, **FUSED)
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
        _cost_row(to, scratch, acc, 0, starts, others, first + a, scale, far)
        written += 1
    return written
