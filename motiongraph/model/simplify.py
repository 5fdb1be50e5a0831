"""Fewer triangles for nearly the same surface: edges are collapsed, those that cost least first.

Costs are squared distances to the planes that met there (Garland and Heckbert 1997, sections 3 to 5), with a share of
the edge's own length so that triangles stay even and bend well. Each round collapses edges that do not touch.
"""

import numpy as np

from motiongraph.kernels import F64, FAST, I64, kernel, njit, read, types

_EVEN = 1.5e-3  # of an edge's squared length
_FIRM = 1e-3  # weight of the middle of an edge against its planes, so that there is one best place
_TURN = 0.3  # cosine of the most that a triangle may turn


_MESH = read(F64, 2), read(I64, 2)  # points and triangles


@kernel(types.void(*_MESH, F64[:, ::1]))
def _quadrics(points, triangles, quadrics):
    """(n, 10) sums over the triangles at each point: of their planes' outer products, upper triangle row by row."""
    quadrics[:] = 0.0
    plane = np.empty(4)
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        size = np.sqrt(x * x + y * y + z * z)
        if size < 1e-15:
            continue
        plane[0], plane[1], plane[2] = x / size, y / size, z / size
        plane[3] = -(plane[0] * points[a, 0] + plane[1] * points[a, 1] + plane[2] * points[a, 2])
        for corner in range(3):
            k, v = 0, triangles[t, corner]
            for i in range(4):
                for j in range(i, 4):
                    quadrics[v, k] += plane[i] * plane[j]
                    k += 1


@njit(**FAST)
def _best(points, quadrics, v, w, place):
    """Put the point of least cost for an edge from v to w into `place`, drawn a little to its middle; returns it."""
    xx, xy = quadrics[v, 0] + quadrics[w, 0], quadrics[v, 1] + quadrics[w, 1]
    xz, xw = quadrics[v, 2] + quadrics[w, 2], quadrics[v, 3] + quadrics[w, 3]
    yy, yz = quadrics[v, 4] + quadrics[w, 4], quadrics[v, 5] + quadrics[w, 5]
    yw, zz = quadrics[v, 6] + quadrics[w, 6], quadrics[v, 7] + quadrics[w, 7]
    zw, ww = quadrics[v, 8] + quadrics[w, 8], quadrics[v, 9] + quadrics[w, 9]
    firm = _FIRM * (xx + yy + zz) + 1e-12
    a, b, c = xx + firm, yy + firm, zz + firm
    rx = 0.5 * firm * (points[v, 0] + points[w, 0]) - xw
    ry = 0.5 * firm * (points[v, 1] + points[w, 1]) - yw
    rz = 0.5 * firm * (points[v, 2] + points[w, 2]) - zw
    # Cramer's rule for the symmetric system.
    i, j, k = b * c - yz * yz, xz * yz - xy * c, xy * yz - xz * b
    det = a * i + xy * j + xz * k
    x = (rx * i + ry * j + rz * k) / det
    y = (rx * j + ry * (a * c - xz * xz) + rz * (xy * xz - a * yz)) / det
    z = (rx * k + ry * (xy * xz - a * yz) + rz * (a * b - xy * xy)) / det
    place[0], place[1], place[2] = x, y, z
    cost = xx * x * x + yy * y * y + zz * z * z + ww
    return cost + 2.0 * (xy * x * y + xz * x * z + yz * y * z + xw * x + yw * y + zw * z)


@kernel(types.int64(*_MESH, read(F64, 2), I64[:, ::1], F64[::1]))
def _edges(points, triangles, quadrics, edges, costs):
    """Every edge once, with what collapsing it costs; returns how many there are."""
    place, count = np.empty(3), 0
    for t in range(triangles.shape[0]):
        for corner in range(3):
            a, b = triangles[t, corner], triangles[t, (corner + 1) % 3]
            if a < b:  # the neighbour across runs the other way
                x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
                edges[count, 0], edges[count, 1] = a, b
                costs[count] = max(_best(points, quadrics, a, b, place), 0.0) + _EVEN * (x * x + y * y + z * z)
                count += 1
    return count


@njit(**FAST)
def _turns(points, triangles, first, around, v, other, place):
    """Whether a triangle at v that does not hold `other` would turn over, or nearly, were v at `place`."""
    for n in range(first[v], first[v + 1]):
        t = around[n]
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if a == other or b == other or c == other:
            continue
        if b == v:
            b, c = c, a
        elif c == v:
            b, c = a, b
        px, py, pz = points[b, 0], points[b, 1], points[b, 2]
        ux, uy, uz = points[c, 0] - px, points[c, 1] - py, points[c, 2] - pz
        vx, vy, vz = points[v, 0] - px, points[v, 1] - py, points[v, 2] - pz
        wx, wy, wz = place[0] - px, place[1] - py, place[2] - pz
        bx, by, bz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
        sizes = np.sqrt((bx * bx + by * by + bz * bz) * (nx * nx + ny * ny + nz * nz))
        if bx * nx + by * ny + bz * nz < _TURN * sizes + 1e-18:
            return True
    return False


@kernel(types.void(F64[:, ::1], read(I64, 2), F64[:, ::1], read(I64), read(I64), read(I64, 2), I64, I64[::1]))
def _collapse(points, triangles, quadrics, first, around, edges, most, into):
    """Collapse up to `most` edges in order, none next to another. first, around: the triangles at each point v are
    around[first[v] : first[v + 1]]; into: becomes the point that each one is part of."""
    locked, seen = np.zeros(points.shape[0], np.bool_), np.full(points.shape[0], -1)
    place, done = np.empty(3), 0
    for e in range(edges.shape[0]):
        a, b = edges[e, 0], edges[e, 1]
        if done >= most:
            break
        if locked[a] or locked[b]:
            continue
        # Both ends may share two neighbours only, or a tunnel would close (link condition, Dey et al. 1999).
        for m in range(first[a], first[a + 1]):
            for corner in range(3):
                seen[triangles[around[m], corner]] = e
        shared = 0
        for m in range(first[b], first[b + 1]):
            for corner in range(3):
                v = triangles[around[m], corner]
                if v != a and v != b and seen[v] == e:
                    shared += 1
                    seen[v] = -1
        if shared != 2:
            continue
        _best(points, quadrics, a, b, place)
        if _turns(points, triangles, first, around, a, b, place):
            continue
        if _turns(points, triangles, first, around, b, a, place):
            continue
        for v in (a, b):
            for m in range(first[v], first[v + 1]):
                for corner in range(3):
                    locked[triangles[around[m], corner]] = True
        for i in range(3):
            points[a, i] = place[i]
        for i in range(10):
            quadrics[a, i] += quadrics[b, i]
        into[b] = a
        done += 1


def simplified(points: np.ndarray, triangles: np.ndarray, target: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and triangles (m, 3) of a closed surface, with about `target` triangles or as few as can be."""
    points, triangles = np.array(points, np.float64), np.array(triangles, np.int64)
    quadrics, numbers = np.empty((len(points), 10)), np.arange(len(points))
    _quadrics(points, triangles, quadrics)
    while len(triangles) > target:
        edges, costs = np.empty((triangles.size, 2), np.int64), np.empty(triangles.size)
        count = _edges(points, triangles, quadrics, edges, costs)
        # The dearer half can wait: the next round may find something cheaper.
        order = np.argsort(costs[:count], kind="stable")[: count // 2 + 1]
        around = np.argsort(triangles.ravel(), kind="stable")
        first = np.searchsorted(triangles.ravel()[around], np.arange(len(points) + 1))
        into = numbers.copy()
        most = (len(triangles) - target + 1) // 2
        _collapse(points, triangles, quadrics, first, around // 3, edges[order], most, into)
        left = into[triangles]
        left = left[(left[:, 0] != left[:, 1]) & (left[:, 1] != left[:, 2]) & (left[:, 2] != left[:, 0])]
        if len(left) == len(triangles):
            break
        triangles = left
    kept, triangles = np.unique(triangles, return_inverse=True)
    return points[kept], triangles.reshape(-1, 3)
