"""Rigid motions of the floor as 4×4 matrices, point by point; imports nothing of ours."""

import math


def matrix(theta, x, z):
    """Rows of the 4×4 matrix that turns about y and then shifts."""
    c, s = math.cos(theta), math.sin(theta)
    return [[c, 0.0, s, x], [0.0, 1.0, 0.0, 0.0], [-s, 0.0, c, z], [0.0, 0.0, 0.0, 1.0]]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def moved(theta, x, z, point, weight=1.0):
    """[x, y, z] of a point, or of a direction with weight 0."""
    column = [*point, weight]
    return [sum(row[k] * column[k] for k in range(4)) for row in matrix(theta, x, z)[:3]]
