"""Fields of distances, skins and their rows by plain loops; imports nothing of ours."""

import math


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def distance(shape, point):
    """From a point to a shape (21 numbers, see model/isosurface.py)."""
    a, b, side, front = shape[0:3], shape[3:6], shape[6:9], shape[9:12]
    axis = [q - p for p, q in zip(a, b)]
    length = math.sqrt(dot(axis, axis))
    if length > 1e-9:
        axis = [v / length for v in axis]
    else:
        axis = [side[(i + 1) % 3] * front[(i + 2) % 3] - side[(i + 2) % 3] * front[(i + 1) % 3] for i in range(3)]
    off = [p - q for p, q in zip(point, a)]
    along = dot(off, axis)
    t = min(max(along / length, 0.0), 1.0) if length > 1e-9 else 0.0
    wide, deep = (shape[12 + k] + t * (shape[14 + k] - shape[12 + k]) for k in range(2))
    beyond, cap = (along, shape[16]) if along < 0.0 else (max(along - length, 0.0), shape[17])
    parts = [(dot(off, side), wide), (dot(off, front), deep), (beyond, cap)]
    k0 = math.sqrt(sum((v / r) ** 2 for v, r in parts))
    k1 = math.sqrt(sum((v / r / r) ** 2 for v, r in parts))
    d = k0 * (k0 - 1.0) / k1 if k1 > 1e-9 else -min(wide, deep)
    return -melted(-d, point[1] - shape[19], 0.010) if shape[19] > -1e3 else d


def melted(a, b, reach):
    h = max(reach - abs(a - b), 0.0) / reach
    return min(a, b) - h**3 * reach / 6.0


def field(shapes, point):
    """Groups one after another, each the nearest of its shapes."""
    found, number = 1e3, None
    for shape in shapes:
        if shape[20] != number:
            number = shape[20]
            nearest = min(distance(other, point) for other in shapes if other[20] == number)
            found = melted(found, nearest, shape[18])
    return found


def quadrics(points, triangles):
    """The ten numbers of every point, planes of unit normals."""
    sums = [[0.0] * 10 for _ in points]
    for triangle in triangles:
        a, b, c = (points[v] for v in triangle)
        u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
        normal = [u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3] for i in range(3)]
        size = math.sqrt(dot(normal, normal))
        normal = [n / size for n in normal]
        plane = [*normal, -dot(normal, a)]
        for corner in triangle:
            products = [plane[i] * plane[j] for i in range(4) for j in range(i, 4)]
            sums[corner] = [s + p for s, p in zip(sums[corner], products)]
    return sums


def moved(row, point):
    """A point moved by a unit dual quaternion (8 numbers)."""
    w, x, y, z, dw, dx, dy, dz = row
    cross = lambda a, b: [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]  # noqa: E731
    q, d = [x, y, z], [dx, dy, dz]
    t = [2.0 * v for v in cross(q, point)]
    turned = [p + w * a + b for p, a, b in zip(point, t, cross(q, t))]
    shift = [2.0 * (w * a - dw * b + c) for a, b, c in zip(d, q, cross(q, d))]
    return [a + b for a, b in zip(turned, shift)]
