"""How much room turning takes, by plain loops: the cheapest of all ways, whatever their angles."""

from heapq import heappop, heappush
from math import atan2, cos, degrees, floor, inf, pi, sin


def least_room(ground, start, angle, faces=5.0, against=0.3):
    """Metres moved aside by the cheapest way from a frame of a body that faces `angle` radians off a direction until it
    faces there within so many degrees, and its price: metres aside and, at a share, metres against it and away."""
    side = 1.0 if angle > 0.0 else -1.0
    heap, done = [(0.0, 0.0, start, angle - heading(ground, start), angle)], set()
    while heap:
        price, aside, frame, theta, off = heappop(heap)
        # Angles are as near as the table's are.
        key = frame, round(degrees(theta) / 5.0)
        if abs(degrees(off)) <= faces + 2.5:
            return aside, price
        if key in done:
            continue
        done.add(key)
        for there, turn, (x, z) in steps(ground, frame):
            u, w = x - ground.path[frame][0], z - ground.path[frame][1]
            u, w = side * (cos(theta) * u + sin(theta) * w), cos(theta) * w - sin(theta) * u
            new = theta + turn + heading(ground, there)
            new -= 2 * pi * floor((new - off) / (2 * pi) + 0.5)
            if abs(degrees(new)) > 205.0 or new * side < -0.5:
                continue
            cost = price + max(u, 0.0) + against * (max(-w, 0.0) + max(-u, 0.0))
            heappush(heap, (cost, aside + max(u, 0.0), there, theta + turn, new))
    return inf, inf


def heading(ground, frame):
    """Radians that a body faces at a frame, as captured."""
    return atan2(ground.face[frame][0], ground.face[frame][1])


def steps(ground, frame):
    """The frame after, and all that transitions lead to: frame, turn of the clip's placement, and place (x, z)."""
    if frame + 1 <= ground.run_end[frame]:
        yield frame + 1, 0.0, ground.path[frame + 1]
    for k, leave in enumerate(ground.leave):
        if leave == frame and ground.run_end[frame] >= frame:
            yield int(ground.arrive[k]), ground.jump[k][0], ground.way[k][-1][:2]
