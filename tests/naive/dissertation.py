"""The dissertation's distance by its definition: every point of every bone, plain loops, float64."""

import numpy as np


def points(positions, bones, lengths, per_unit=3, copies=4):
    """(F, S, 3) points of poses (F, J, 3): on each bone (near, far) `copies` at each of int(per_unit · length) places.

    lengths: of the bones, in the units of the file; root x, z are removed from every frame.
    """
    frames = []
    for pose in positions:
        cloud = []
        for (near, far), length in zip(bones, lengths):
            places = int(per_unit * length)
            for i in range(places):
                point = pose[near] + (pose[far] - pose[near]) * (i / places)
                point = point - np.array([pose[0][0], 0.0, pose[0][2]])
                cloud += [point] * copies
        frames.append(cloud)
    return np.array(frames)


def window_distance(p, q, a, b, frames):
    """The sum of |Δ|⁴ over all points of the windows p[a : a + frames] and q[b : b + frames]."""
    total = 0.0
    for t in range(frames):
        for u, v in zip(p[a + t], q[b + t]):
            square = (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2 + (u[2] - v[2]) ** 2
            total += square * square
    return total


def matrix(p, q, frames):
    """Every window against every window."""
    n, m = len(p) - frames + 1, len(q) - frames + 1
    return np.array([[window_distance(p, q, a, b, frames) for b in range(m)] for a in range(n)])
