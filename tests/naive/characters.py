"""The bodies of characters as rows, one bone at a time; imports nothing of ours."""

import numpy as np


def turned(q, v):
    """Vector v (3,) turned by the unit quaternion q (w, x, y, z), by way of its matrix."""
    w, x, y, z = q
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return matrix @ np.asarray(v)


def capsule_rows(joints, starts, ends, radii, positions, orientations, colours):
    """(C · n, 12): start, radius, end, radius, colour of every capsule of every character."""
    rows = []
    for c in range(len(positions)):
        for k, j in enumerate(joints):
            q, p = orientations[c][j], positions[c][j]
            rows.append([*(p + turned(q, starts[k])), radii[k][0], *(p + turned(q, ends[k])), radii[k][1], *colours[c]])
    return np.array(rows)


def times(p, q):
    """The quaternion (w, x, y, z) that turns by q and then by p."""
    (a, u), (b, v) = (p[0], np.asarray(p[1:])), (q[0], np.asarray(q[1:]))
    return [a * b - u @ v, *(a * v + b * u + np.cross(u, v))]


def box_rows(joints, centres, turns, sizes, positions, orientations, colours):
    """(C · n, 16): centre, 0, orientation, size, 0, colour of every bone of every character as a box."""
    rows = []
    for c in range(len(positions)):
        for k, j in enumerate(joints):
            q, p = orientations[c][j], positions[c][j]
            rows.append([*(p + turned(q, centres[k])), 0.0, *times(q, turns[k]), *sizes[k], 0.0, *colours[c]])
    return np.array(rows)


def sphere_rows(radii, positions, colours):
    """(C · J, 8): centre, radius, colour of every joint of every character."""
    rows = []
    for c in range(len(positions)):
        for j in range(len(positions[c])):
            rows.append([*positions[c][j], radii[j], *colours[c]])
    return np.array(rows)
