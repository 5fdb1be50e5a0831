"""Distances between motions by their definitions (METRIC.md 1, 2, 4, 5, 8): points, loops, float64, no shortcuts."""

import math

import numpy as np


def cloud(positions, parents, lengths, joint_weights, samples):
    """Points (F, S, 3) and their weights (S,): `samples` along every bone, or with 0 one on every joint."""
    points, weights = [], []
    for j in range(len(parents)):
        if samples == 0:
            points.append(positions[:, j])
            weights.append(joint_weights[j])
        elif parents[j] >= 0:
            for i in range(samples):
                f = (i + 0.5) / samples
                points.append((1 - f) * positions[:, parents[j]] + f * positions[:, j])
                weights.append(lengths[j] * joint_weights[j] / samples)
    return np.stack(points, axis=1), np.array(weights)


def in_place(points, roots):
    """Every frame moved so that its root stands over the origin."""
    moved = points.copy()
    for f in range(len(points)):
        moved[f, :, 0] -= roots[f, 0]
        moved[f, :, 2] -= roots[f, 2]
    return moved


def window_pair(p, q, weights, align):
    """D, theta, x0, z0 for two windows of points p, q (L, S, 3) with weights (L, S).

    The best turn is found from the centred clouds as complex numbers, and D is the sum of squares that is left after
    really moving q.
    """
    theta = x0 = z0 = 0.0
    if align:
        M = weights.sum()
        a, b = p[..., 0] + 1j * p[..., 2], q[..., 0] + 1j * q[..., 2]
        mean_a, mean_b = (weights * a).sum() / M, (weights * b).sum() / M
        # T turns x + iz by −theta; the best turn makes Σ w ā·T(b) real and positive.
        turn = (weights * (a - mean_a) * np.conj(b - mean_b)).sum()
        theta = -math.atan2(turn.imag, turn.real)
        moved = mean_a - mean_b * complex(math.cos(theta), -math.sin(theta))
        x0, z0 = moved.real, moved.imag
    x = q[..., 0] * math.cos(theta) + q[..., 2] * math.sin(theta) + x0
    z = -q[..., 0] * math.sin(theta) + q[..., 2] * math.cos(theta) + z0
    D = (weights * ((p[..., 0] - x) ** 2 + (p[..., 1] - q[..., 1]) ** 2 + (p[..., 2] - z) ** 2)).sum()
    return D, theta, x0, z0


def matrix(p, q, point_weights, frame_weights, align=True):
    """cost (cm), theta, x0, z0, all (n, m), of every window of points p (F, S, 3) against every one of q."""
    L = len(frame_weights)
    n, m = len(p) - L + 1, len(q) - L + 1
    weights = np.outer(frame_weights, point_weights)
    result = np.empty((4, n, m))
    for a in range(n):
        for b in range(m):
            D, theta, x0, z0 = window_pair(p[a : a + L], q[b : b + L], weights, align)
            result[:, a, b] = 100.0 * math.sqrt(D / weights.sum()), theta, x0, z0
    return result


def angle_between(q, r):
    """Degrees, 0 to 180, between two rotations given as unit quaternions w x y z."""
    chord = math.sqrt(sum((x - y) ** 2 for x, y in zip(q, _nearer(q, r))))
    return math.degrees(4.0 * math.asin(chord / 2.0))


def _nearer(q, r):
    """r or −r, the one on q's side of the sphere: both are the same rotation."""
    return r if sum(x * y for x, y in zip(q, r)) >= 0 else [-y for y in r]


def rotation_vector(q, r):
    """(3,) degrees: axis times angle of the rotation from q to r, in q's own frame."""
    w, x, y, z = q[0], -q[1], -q[2], -q[3]
    r = _nearer(q, r)
    d = [
        w * r[0] - x * r[1] - y * r[2] - z * r[3],
        w * r[1] + x * r[0] + y * r[3] - z * r[2],
        w * r[2] - x * r[3] + y * r[0] + z * r[1],
        w * r[3] + x * r[2] - y * r[1] + z * r[0],
    ]
    sine = math.sqrt(d[1] ** 2 + d[2] ** 2 + d[3] ** 2)
    angle = math.degrees(2.0 * math.atan2(sine, d[0]))
    return [angle * v / sine if sine > 0 else 0.0 for v in d[1:]]


def angle_matrix(q, r, weights, order, derivative, fps):
    """(F, G) norms over the joints: (Σ w |Δ|^order / Σ w)^(1/order); q, r: (F, J, 4), (G, J, 4); weights (J,).

    derivative 1 compares the change from the frame before a second, 2 the change of that; the first frames, which
    have none before them, take the first there is.
    """
    if derivative:
        q, r = (_changes(c, derivative, fps) for c in (q, r))
    total = sum(weights)
    result = np.empty((len(q), len(r)))
    for a in range(len(q)):
        for b in range(len(r)):
            norm = 0.0
            for j, w in enumerate(weights):
                if derivative:
                    d = math.sqrt(sum((x - y) ** 2 for x, y in zip(q[a][j], r[b][j])))
                else:
                    d = angle_between(q[a, j], r[b, j])
                norm += w * d**order
            result[a, b] = (norm / total) ** (1.0 / order)
    return result


def _changes(q, derivative, fps):
    F, J = q.shape[:2]
    speed = np.zeros((F, J, 3))
    for f in range(1, F):
        for j in range(J):
            speed[f, j] = [fps * v for v in rotation_vector(q[f - 1, j], q[f, j])]
    speed[0] = speed[min(1, F - 1)]
    if derivative == 1:
        return speed
    change = np.zeros_like(speed)
    for f in range(2, F):
        change[f] = (speed[f] - speed[f - 1]) * fps
    change[:2] = change[min(2, F - 1)]
    return change
