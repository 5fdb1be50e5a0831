"""Rotations with nothing but loops and the textbook's matrices; imports nothing of ours."""

import math

import numpy as np


def axis_matrix(axis, angle):
    """3×3 rotation about "X", "Y" or "Z" by radians."""
    c, s = math.cos(angle), math.sin(angle)
    return {
        "X": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "Y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "Z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def euler_matrix(angles, order):
    """The product of axis matrices, left to right."""
    m = np.eye(3)
    for angle, axis in zip(angles, order):
        m = m @ axis_matrix(axis, angle)
    return m


def vector_matrix(axis, angle):
    """Rodrigues: 3×3 rotation about a unit vector by radians."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def matrix(q):
    """3×3 of a unit quaternion, by its axis and angle."""
    w, v = q[0], np.array(q[1:])
    sine = math.sqrt(v @ v)
    if sine == 0.0:
        return np.eye(3)
    return vector_matrix(v / sine, 2.0 * math.atan2(sine, w))


def slerp(a, b, t):
    """Part t of the turn from a to b, as matrices: the short way round, about the axis between them."""
    turn = matrix(a).T @ matrix(b)
    angle = math.acos(min(1.0, max(-1.0, (np.trace(turn) - 1.0) / 2.0)))
    if angle < 1e-7:
        return matrix(a)
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return matrix(a) @ vector_matrix(axis / np.linalg.norm(axis), t * angle)
