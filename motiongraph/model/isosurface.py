"""A smooth union of rounded shapes as a field of distances, and its surface as triangles.

A shape is a row of 21 numbers: start a (3), end b (3), two unit vectors across (side 3, front 3), half widths along
them at a (2) and at b (2), how far the round ends reach beyond a and b (2), the distance over which the shape melts
into others, the height below which it is cut off level (−inf: nowhere), and its group. Lengths are metres. Shapes of
one group come one after another and are joined as they are, such as the pieces of a limb; groups melt.
"""

import numpy as np

from motiongraph.kernels import F32, F64, FAST, I64, kernel, njit, read, types

COLUMNS = 21
FAR = 1e3  # metres; the field where no shape is near
_SHAPES, _POINTS = read(F64, 2), read(F64, 2)


@njit(**FAST)
def distance(shape, x, y, z):
    """Roughly the metres from a point to a shape, negative inside: that of an ellipsoid (Quilez, "Ellipsoid SDF") whose
    cross-section is that of the shape nearest to the point."""
    ax, ay, az = shape[3] - shape[0], shape[4] - shape[1], shape[5] - shape[2]
    length = np.sqrt(ax * ax + ay * ay + az * az)
    if length > 1e-9:
        ax, ay, az = ax / length, ay / length, az / length
    else:  # a ball: its axis is across both others
        ax = shape[7] * shape[11] - shape[8] * shape[10]
        ay = shape[8] * shape[9] - shape[6] * shape[11]
        az = shape[6] * shape[10] - shape[7] * shape[9]
    vx, vy, vz = x - shape[0], y - shape[1], z - shape[2]
    along = vx * ax + vy * ay + vz * az
    t = min(max(along / length, 0.0), 1.0) if length > 1e-9 else 0.0
    beyond, cap = 0.0, 1.0
    if along < 0.0:
        beyond, cap = along, shape[16]
    elif along > length:
        beyond, cap = along - length, shape[17]
    wide = shape[12] + t * (shape[14] - shape[12])
    deep = shape[13] + t * (shape[15] - shape[13])
    s = (vx * shape[6] + vy * shape[7] + vz * shape[8]) / wide
    f = (vx * shape[9] + vy * shape[10] + vz * shape[11]) / deep
    e = beyond / cap
    k0 = np.sqrt(s * s + f * f + e * e)
    s, f, e = s / wide, f / deep, e / cap
    k1 = np.sqrt(s * s + f * f + e * e)
    d = k0 * (k0 - 1.0) / k1 if k1 > 1e-9 else -min(wide, deep)
    if shape[19] > -FAR:
        d = -melted(-d, y - shape[19], 0.010)
    return d


@njit(inline="always", **FAST)
def melted(a, b, reach):
    """The smaller of two distances, rounded off where they differ by less than `reach` (Quilez, smooth minimum)."""
    h = max(reach - abs(a - b), 0.0) / reach
    return min(a, b) - h * h * h * reach / 6.0


@njit(**FAST)
def _reach(shape):
    """Metres that a shape goes beyond its line."""
    return max(max(max(shape[12], shape[13]), max(shape[14], shape[15])), max(shape[16], shape[17]))


@kernel(types.void(_SHAPES, F64[::1], F64, F32[:, :, ::1]))
def fill(shapes, origin, step, field):
    """The field on a grid; groups are added in order. Only cells near a shape are visited, others stay as they are."""
    group = np.empty(field.shape, np.float32)
    group[:] = FAR
    low, high, first, last = np.empty(3, np.int64), np.empty(3, np.int64), np.empty(3, np.int64), np.empty(3, np.int64)
    fresh = True
    for k in range(shapes.shape[0]):
        shape = shapes[k]
        reach = _reach(shape) + shape[18] + 2.0 * step
        for i in range(3):
            low[i] = max(0, int((min(shape[i], shape[3 + i]) - reach - origin[i]) / step))
            high[i] = min(field.shape[i], int((max(shape[i], shape[3 + i]) + reach - origin[i]) / step) + 2)
            first[i] = low[i] if fresh else min(first[i], low[i])
            last[i] = high[i] if fresh else max(last[i], high[i])
        for i in range(low[0], high[0]):
            for j in range(low[1], high[1]):
                for l in range(low[2], high[2]):
                    d = distance(shape, origin[0] + i * step, origin[1] + j * step, origin[2] + l * step)
                    group[i, j, l] = min(group[i, j, l], d)
        fresh = k + 1 == shapes.shape[0] or shapes[k + 1, 20] != shape[20]
        if not fresh:
            continue
        for i in range(first[0], last[0]):
            for j in range(first[1], last[1]):
                for l in range(first[2], last[2]):
                    field[i, j, l] = melted(field[i, j, l], group[i, j, l], shape[18])
                    group[i, j, l] = FAR


@kernel(types.void(_SHAPES, _POINTS, F64[:, ::1]))
def measure(shapes, points, distances):
    """(n, k) metres from every point to every shape; those that are farther than 0.3 m are only said to be far."""
    for k in range(shapes.shape[0]):
        shape = shapes[k]
        x, y, z = 0.5 * (shape[0] + shape[3]), 0.5 * (shape[1] + shape[4]), 0.5 * (shape[2] + shape[5])
        half = np.sqrt((shape[3] - x) ** 2 + (shape[4] - y) ** 2 + (shape[5] - z) ** 2)
        near = half + _reach(shape) + 0.3
        for i in range(points.shape[0]):
            px, py, pz = points[i, 0], points[i, 1], points[i, 2]
            if (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2 > near * near:
                distances[i, k] = FAR
            else:
                distances[i, k] = distance(shape, px, py, pz)


@njit(**FAST)
def _height(shapes, near, count, x, y, z):
    """The field at a point, of the shapes numbered in near[:count]."""
    found = group = FAR
    for n in range(count):
        shape = shapes[near[n]]
        group = min(group, distance(shape, x, y, z))
        if n + 1 == count or shapes[near[n + 1], 20] != shape[20]:
            found = melted(found, group, shape[18])
            group = FAR
    return found


@kernel(types.void(_SHAPES, F64[:, ::1], F64[:, ::1], F64[::1]))
def settle(shapes, points, normals, open_to_sky):
    """Move points near the surface onto it, and find its normals there and how open it lies, 0 … 1: how much farther
    away the body is than it would be from a plane (Evans 2006, ambient occlusion from distance fields)."""
    near = np.empty(shapes.shape[0], np.int64)
    small = 1e-3
    for i in range(points.shape[0]):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        count = 0
        for k in range(shapes.shape[0]):
            if distance(shapes[k], x, y, z) < 0.16:
                near[count] = k
                count += 1
        nx, ny, nz = 0.0, 1.0, 0.0
        for _ in range(3):
            here = _height(shapes, near, count, x, y, z)
            gx = (_height(shapes, near, count, x + small, y, z) - _height(shapes, near, count, x - small, y, z)) / (
                2 * small
            )
            gy = (_height(shapes, near, count, x, y + small, z) - _height(shapes, near, count, x, y - small, z)) / (
                2 * small
            )
            gz = (_height(shapes, near, count, x, y, z + small) - _height(shapes, near, count, x, y, z - small)) / (
                2 * small
            )
            steep = np.sqrt(gx * gx + gy * gy + gz * gz)
            if steep < 1e-6:
                break
            nx, ny, nz = gx / steep, gy / steep, gz / steep
            step = min(max(here / steep, -0.004), 0.004)
            x, y, z = x - step * nx, y - step * ny, z - step * nz
        points[i, 0], points[i, 1], points[i, 2] = x, y, z
        normals[i, 0], normals[i, 1], normals[i, 2] = nx, ny, nz
        hidden = 0.0
        for n in range(1, 5):
            h = 0.018 * n
            away = _height(shapes, near, count, x + h * nx, y + h * ny, z + h * nz)
            hidden += max(h - away, 0.0) / h
        open_to_sky[i] = 1.0 - 0.25 * hidden


@kernel(types.int64(read(F32, 3), F64[::1], F64, types.Array(types.int32, 3, "C"), F64[:, ::1]))
def net_points(field, origin, step, numbers, points):
    """Naive surface nets (Gibson 1998): a vertex in every cell that the surface passes, amid its crossings of the
    cell's edges. Their numbers by cell go to `numbers`, −1 for none; returns how many there are, which may exceed the
    room."""
    count = 0
    for i in range(field.shape[0] - 1):
        for j in range(field.shape[1] - 1):
            for l in range(field.shape[2] - 1):
                numbers[i, j, l] = -1
                crossings, x, y, z = 0, 0.0, 0.0, 0.0
                inside = 0
                for c in range(8):
                    inside += field[i + (c & 1), j + ((c >> 1) & 1), l + (c >> 2)] < 0.0
                if inside == 0 or inside == 8:
                    continue
                for c in range(8):
                    a = field[i + (c & 1), j + ((c >> 1) & 1), l + (c >> 2)]
                    for axis in range(3):
                        if c & (1 << axis):
                            continue
                        e = c | (1 << axis)
                        b = field[i + (e & 1), j + ((e >> 1) & 1), l + (e >> 2)]
                        if (a < 0.0) != (b < 0.0):
                            t = a / (a - b)
                            x += (c & 1) + (t if axis == 0 else 0.0)
                            y += ((c >> 1) & 1) + (t if axis == 1 else 0.0)
                            z += (c >> 2) + (t if axis == 2 else 0.0)
                            crossings += 1
                if count < points.shape[0]:
                    points[count, 0] = origin[0] + step * (i + x / crossings)
                    points[count, 1] = origin[1] + step * (j + y / crossings)
                    points[count, 2] = origin[2] + step * (l + z / crossings)
                numbers[i, j, l] = count
                count += 1
    return count


@kernel(types.int64(read(F32, 3), types.Array(types.int32, 3, "C", readonly=True), I64[:, ::1]))
def net_triangles(field, numbers, triangles):
    """Two triangles across every edge of the grid that the surface crosses, outside counter-clockwise."""
    count = 0
    for i in range(1, field.shape[0] - 1):
        for j in range(1, field.shape[1] - 1):
            for l in range(1, field.shape[2] - 1):
                inside = field[i, j, l] < 0.0
                for axis in range(3):
                    other = field[i + (axis == 0), j + (axis == 1), l + (axis == 2)]
                    if inside == (other < 0.0):
                        continue
                    # The four cells around the edge, in a turn about it.
                    if axis == 0:
                        a, b, c, d = (
                            numbers[i, j, l],
                            numbers[i, j - 1, l],
                            numbers[i, j - 1, l - 1],
                            numbers[i, j, l - 1],
                        )
                    elif axis == 1:
                        a, b, c, d = (
                            numbers[i, j, l],
                            numbers[i, j, l - 1],
                            numbers[i - 1, j, l - 1],
                            numbers[i - 1, j, l],
                        )
                    else:
                        a, b, c, d = (
                            numbers[i, j, l],
                            numbers[i - 1, j, l],
                            numbers[i - 1, j - 1, l],
                            numbers[i, j - 1, l],
                        )
                    if not inside:
                        b, d = d, b
                    if count + 1 < triangles.shape[0]:
                        triangles[count, 0], triangles[count, 1], triangles[count, 2] = a, b, c
                        triangles[count + 1, 0], triangles[count + 1, 1], triangles[count + 1, 2] = a, c, d
                    count += 2
    return count


def polygonised(shapes: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and triangles (m, 3), outside counter-clockwise, of the surface of shapes (k, 21) in their order,
    on a grid of so many metres."""
    widest = np.maximum(shapes[:, 12:16].max(axis=1), shapes[:, 16:18].max(axis=1))[:, None] + shapes[:, 18:19]
    low = (np.minimum(shapes[:, :3], shapes[:, 3:6]) - widest).min(axis=0) - 3.0 * step
    high = (np.maximum(shapes[:, :3], shapes[:, 3:6]) + widest).max(axis=0) + 3.0 * step
    size = np.ceil((high - low) / step).astype(int) + 1
    field = np.full(size, FAR, np.float32)
    fill(shapes, low, step, field)
    numbers = np.empty(size - 1, np.int32)
    points = np.empty((1 << 15, 3))
    count = net_points(field, low, step, numbers, points)
    if count > len(points):
        points = np.empty((count, 3))
        net_points(field, low, step, numbers, points)
    triangles = np.empty((2 * count + 4096, 3), np.int64)
    made = net_triangles(field, numbers, triangles)
    if made > len(triangles):
        triangles = np.empty((made, 3), np.int64)
        net_triangles(field, numbers, triangles)
    return points[:count], triangles[:made]
