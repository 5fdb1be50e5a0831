"""Boosted stumps, and what is seen around a transition, by plain loops."""

import math
from itertools import pairwise


def boosted(levels, learn, weight, seams, stumps, every, rate, steady, leaf):
    """f of every window: levels[k][i] of feature k and window i; the first `seams` windows are seams."""
    features, windows = len(levels), len(levels[0])
    found = [0.0] * windows
    top = max(max(row) for row in levels)
    for n in range(stumps):
        slope, bend = {}, {}
        for i in learn:
            likely = 0.5 + found[i] / (2.0 * math.sqrt(1.0 + found[i] ** 2))
            # Gradient of the log-likelihood and the Fisher information, with d likely / d f = (1 + f²)^-1.5 / 2.
            grow = 0.5 * (1.0 + found[i] ** 2) ** -1.5
            slope[i] = weight[i] * ((i < seams) - likely) * grow / (likely * (1.0 - likely))
            bend[i] = weight[i] * grow**2 / (likely * (1.0 - likely))
        best, stump = 0.0, None
        for k in range(n % every, features, every):
            for cut in range(top):
                sides = [[i for i in learn if (levels[k][i] > cut) == high] for high in (False, True)]
                sums = [(sum(slope[i] for i in side), sum(bend[i] for i in side)) for side in sides]
                if min(s[1] for s in sums) <= leaf:
                    continue
                gain = sum(g * g / (h + steady) for g, h in sums)
                if gain > best * (1.0 + 1e-12):
                    best, stump = gain, (k, cut, [g / (h + steady) for g, h in sums])
        if stump:
            k, cut, values = stump
            found = [f + rate * values[levels[k][i] > cut] for i, f in enumerate(found)]
    return found


def seen(first, second, middle, bounds, placed, left, fps, window, half, rate):
    """Velocities and accelerations [(x, y, z), …] at `rate` of one joint around the middle of a blend, seen from a body
    with its left at `left`. first, second: positions by frame of the two motions; middle, bounds: of both."""
    theta, x0, z0 = placed
    places = []
    for i in range(2 * half + 3):
        step = (i - half - 1) * fps / rate
        u = min(max(((window - 1) // 2 + step + 1) / window, 0.0), 1.0)
        share = 3 * u**2 - 2 * u**3
        both = []
        for motion, at, (low, high) in zip((first, second), middle, bounds):
            below = min(max(math.floor(at + step), low), high - 2)
            t = at + step - below
            both.append([(1 - t) * a + t * b for a, b in zip(motion[below], motion[below + 1])])
        x, y, z = both[1]
        moved = (math.cos(theta) * x + math.sin(theta) * z + x0, y, math.cos(theta) * z - math.sin(theta) * x + z0)
        x, y, z = ((1 - share) * a + share * b for a, b in zip(both[0], moved))
        size = math.hypot(*left)
        along, across = (left[0] * x + left[1] * z) / size, (left[0] * z - left[1] * x) / size
        places.append((along, y, across))
    velocity = [[(b - a) * rate for a, b in zip(*pair)] for pair in pairwise(places)]
    acceleration = [[(b - a) * rate for a, b in zip(*pair)] for pair in pairwise(velocity)]
    return velocity, acceleration
