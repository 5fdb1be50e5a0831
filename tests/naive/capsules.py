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
