"""Compiled inner loops of the search by sketches: window sums down the diagonals, costs and candidates, row by row.

Products of frames are turned into whole numbers, so that running sums are exact and never drift. Of every cell the
least squared cost it may have is worked out; `doubt` says how much more it may be. Loops are split so that each touches
few arrays: the compiler then vectorises them.
"""

import numpy as np

from motiongraph.kernels import F32, FAST, I32, I64, kernel, njit, read

# These only propose.
FUSED = {**FAST, "fastmath": {"contract", "nnan", "nsz"}}
FAR = 1e11  # energies beyond are of windows that do not exist


@njit(**FUSED)
def _enter(total, new, scale):
    """Windows still filling: a frame pair comes."""
    for j in range(total.shape[0]):
        total[j] += I32(new[j] * scale)


@njit(**FUSED)
def _advance(total, new, old, scale):
    """Full windows: a frame pair comes, one goes."""
    for j in range(total.shape[0]):
        total[j] += I32(new[j] * scale) - I32(old[j] * scale)


@njit(**FUSED)
def _size(size, C, S, r0, i0, r1, i1, r2, i2, a, unit):
    """C² + S² with the paths' share; a: six coefficients of the row's path."""
    a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
    for j in range(size.shape[0]):
        c = F32(C[j]) * unit + (a0 * r0[j] + a1 * i0[j]) + (a2 * r1[j] + a3 * i1[j]) + (a4 * r2[j] + a5 * i2[j])
        s = F32(S[j]) * unit + (a0 * i0[j] - a1 * r0[j]) + (a2 * i1[j] - a3 * r1[j]) + (a4 * i2[j] - a5 * r2[j])
        size[j] = c * c + s * s


@njit(**FUSED)
def _least(least, size, Y, others, energy, unit):
    """The least D that cells may have: energies less 2 Y and 2 √(C² + S²), the doubt taken off the energies."""
    for j in range(least.shape[0]):
        least[j] = (energy + others[j]) - unit * F32(Y[j]) - F32(2.0) * np.sqrt(size[j])


@njit(**FUSED)
def _lesser(x, y):
    return x if x < y else y


@njit(**FUSED)
def _three(lowest, least, doubts, doubt):
    """The lowest of what each cell and those left and right of it may at most be."""
    n = lowest.shape[0]
    l0, l1, l2, d0, d1, d2 = least[:n], least[1:], least[2:], doubts[:n], doubts[1:], doubts[2:]
    for j in range(n):
        lowest[j] = _lesser(l1[j] + d1[j], _lesser(l0[j] + d0[j], l2[j] + d2[j])) + doubt


@njit(**FUSED)
def _mark(mark, least, above, here, below, ceiling):
    """1 where a cell may be no higher than the ceiling and the nine around it."""
    for j in range(here.shape[0]):
        v = least[j]
        mark[j] = (v <= ceiling) & (v <= _lesser(here[j], _lesser(above[j], below[j])))


@njit(**FUSED)
def _collect(mark, least, doubts, doubt, middle, a, b0, start, found, count):
    """Append the marked cells of a row with the neighbours (bits of `minima.AROUND`) that may be no higher;
    least: three rows, of which this is the middle one."""
    words = mark.view(np.uint64)  # eight marks at a time
    for word in range(start // 8, words.shape[0]):
        if words[word] == 0:
            continue
        for j in range(max(8 * word, start), 8 * word + 8):
            if not mark[j]:
                continue
            most = least[middle, j + 1] + doubts[j + 1] + doubt
            ties, bit = 0, 0
            for da in range(3):
                line = least[(middle + 2 + da) % 3]
                for db in range(3):
                    if da != 1 or db != 1:
                        ties |= (line[j + db] <= most) << bit
                        bit += 1
            found[count, 0], found[count, 1], found[count, 2] = a, b0 + j, ties
            count += 1
    return count


@njit(**FUSED)
def _slide(total, u, scales, window, f, shift):
    """Add the products of frame f of A to the running sums, and take off those that leave their windows."""
    slots, _, R, N = u.shape
    i, slot, gone = f % R, (f // R) % slots, f - window
    for q in range(3):
        line, new, scale = total[q, shift : shift + N], u[slot, q, i], scales[q // 2]
        if gone < 0:
            _enter(line, new, scale)
        else:
            _enter(line[:window], new, scale)
            _advance(line[window:], new[window:], u[(gone // R) % slots, q, gone % R], scale)


_PROPOSE = I64(
    read(F32, 4), I32[:, ::1], read(F32, 2), read(F32), read(F32), read(F32, 2), read(F32),
    read(F32), *[I64] * 6, read(F32), F32, F32[:, ::1], F32[:, ::1], I64[:, ::1],
)  # fmt: skip


@kernel(_PROPOSE, **FUSED)
def propose(
    u, total, path, energy, doubt, paths, energies, doubts, window, first, done, rows, band, b0, scales, ceiling,
    least, lowest, found,
):  # fmt: skip
    """Candidates among the windows that the next `rows` frames of A complete.

    u (slots, 3, R, N) float32: products C, S, Y of A's frames, R a slot in a ring, with the N frames of a strip of B;
    total (3, N + frames of A): running sums, one per diagonal, at first 0. path (n, 6), energy,
    doubt (n,): of A's windows; paths (6, w), energies, doubts (w,): of the strip's w windows. A's frames are counted
    from `first`; `done` of them came before. The first and the last row and column are neighbours only; b0: the
    strip's second window; band: the least b − a that counts. scales: of C and S, of Y, and what undoes them. least
    (3, w), lowest (3, w − 2): the last three rows, kept from call to call. Candidates a, b, ties are written to found
    (rows · (w − 2), 3); returns how many.
    """
    count, N, width = 0, u.shape[3], energies.shape[0]
    size, mark, two = np.empty(width, np.float32), np.zeros((width + 5) // 8 * 8, np.uint8), np.float32(2.0)
    for f in range(done, done + rows):
        shift = total.shape[1] - N - f
        _slide(total, u, scales, window, f, shift)
        k = f - window + 1
        if k < 0:
            continue
        a, row, at = first + k, k % 3, shift + window - 1
        if energy[a] < FAR:
            C, S, Y = total[0, at:], total[1, at:], total[2, at:]
            _size(size, C, S, paths[0], paths[1], paths[2], paths[3], paths[4], paths[5], path[a], scales[2])
            _least(least[row], size, Y, energies, energy[a], scales[3])
        else:
            least[row] = np.inf
        _three(lowest[row], least[row], doubts, two * doubt[a])
        middle, before = (k - 1) % 3, a - 1
        start = max(0, before + band - b0)
        if k > 1 and start < width - 2:
            _mark(mark, least[middle, 1:], lowest[(k - 2) % 3], lowest[middle], lowest[row], ceiling)
            count = _collect(mark, least, doubts, two * doubt[before], middle, before, b0, start, found, count)
    return count
