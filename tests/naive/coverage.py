"""Plain loops for `graph.coverage`: every way through a small graph, nothing left out."""

import math


def explore(leaves, arrives, taken, goes_on, lasts, place, jump, start, window, longest):
    """Cells of half a metre, sixteenths of a turn, and the earliest quarter turns to the left and right."""
    cells, headings, turns = set(), set(), [math.inf, math.inf]

    def turned(theta, x, z):
        return math.cos(theta) * x + math.sin(theta) * z, math.cos(theta) * z - math.sin(theta) * x

    theta = -place[start][2]
    x, z = turned(theta, place[start][0], place[start][1])
    todo = [(start, theta, -x, -z, 0.0, 0.0)]
    while todo:
        node, theta, x, z, t, gone = todo.pop()
        px, pz = turned(theta, place[node][0], place[node][1])
        i, j = math.floor((px + x) / 0.5 + 0.5) + 8, math.floor((pz + z) / 0.5 + 0.5) + 8
        if 0 <= i < 17 and 0 <= j < 17:
            cells.add((i, j))
        headings.add(math.floor(gone / (2 * math.pi) * 16 + 0.5) % 16)
        for side, sign in enumerate((1, -1)):
            if sign * gone >= math.pi / 2:
                turns[side] = min(turns[side], t)
        ways = [(node + 1, lasts[node], (0.0, 0.0, 0.0))] if goes_on[node] else []
        ways += [(int(arrives[e]), window, jump[e]) for e in range(len(leaves)) if taken[e] and leaves[e] == node]
        for to, takes, (by, u, w) in ways:
            if t + takes <= longest:
                dx, dz = turned(theta, u, w)
                turn = math.remainder(theta + by + place[to][2] - gone, 2 * math.pi)
                todo.append((to, theta + by, x + dx, z + dz, t + takes, gone + turn))
    return cells, headings, turns
