"""Placing, blending and bending legs with nothing but loops and 3×3 matrices; imports nothing of ours."""

import math
from itertools import pairwise

import numpy as np
from naive import rotations as plain


def alpha(p, k):
    """Kovar's share of the first motion at frame p of k."""
    u = (p + 1) / k
    return 2 * u**3 - 3 * u**2 + 1


def planar(theta, x, z):
    """4×4 that turns about y by theta and then moves by x, z."""
    m = np.eye(4)
    m[:3, :3] = plain.axis_matrix("Y", theta)
    m[:3, 3] = x, 0.0, z
    return m


def forward(root, turns, parents, offsets):
    """Global positions (J, 3) of one pose given by 3×3 local rotations."""
    places, frames = [], []
    for j, p in enumerate(parents):
        if p < 0:
            places.append(np.array(root, float))
            frames.append(turns[j])
        else:
            places.append(places[p] + frames[p] @ offsets[j])
            frames.append(frames[p] @ turns[j])
    return np.array(places)


def walk_positions(clips, window, steps, transitions, placed=(0.0, 0.0, 0.0)):
    """(F, J, 3) positions of a walk: clips as (root, quaternions, parents, offsets), steps as (clip, start, stop),
    transitions as (src, src_frame, dst, dst_frame, theta, x0, z0). Frame by frame, placements as products of 4×4."""
    frames, here = [], planar(*placed)
    for k, (clip, start, stop) in enumerate(steps):
        root, turns, parents, offsets = clips[clip]
        for f in range(start, stop):
            pose = [plain.matrix(q) for q in turns[f]]
            frames.append(_moved(here, forward(root[f], pose, parents, offsets)))
        if k == len(transitions):
            break
        src, at, dst, to, *alignment = transitions[k]
        there = here @ planar(*alignment)
        for p in range(window):
            a = alpha(p, window)
            first, second = clips[src], clips[dst]
            root_a = (here @ [*first[0][at + p], 1.0])[:3]
            root_b = (there @ [*second[0][to + p], 1.0])[:3]
            pose = []
            for j in range(len(parents)):
                qa, qb = first[1][at + p][j], second[1][to + p][j]
                if j == 0:
                    qa, qb = quaternion(here[:3, :3] @ plain.matrix(qa)), quaternion(there[:3, :3] @ plain.matrix(qb))
                pose.append(plain.slerp(qa, qb, 1.0 - a))
            frames.append(forward(a * root_a + (1 - a) * root_b, pose, parents, offsets))
        here = there
    return np.array(frames)


def quaternion(m):
    """w, x, y, z of a rotation matrix, by its eigenvector of eigenvalue 1 and its trace."""
    angle = math.acos(min(1.0, max(-1.0, (np.trace(m) - 1.0) / 2.0)))
    values, vectors = np.linalg.eig(m)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1.0))])
    axis = axis / np.linalg.norm(axis)
    for sign in (1.0, -1.0):
        if np.allclose(plain.vector_matrix(sign * axis, angle), m, atol=1e-6):
            return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * sign * axis)])
    raise AssertionError("not a rotation")


def _moved(transform, places):
    return np.array([(transform @ [*place, 1.0])[:3] for place in places])


def two_bones(hip, knee, ankle, target):
    """Where the knee goes so that the ankle is at target: the shin folds in the plane of the leg until the ankle is as
    far from the hip as the target is, by the law of cosines, then the leg swings to it by the shortest way."""
    thigh, shin, now = knee - hip, ankle - knee, target - hip
    upper, lower, far = np.linalg.norm(thigh), np.linalg.norm(shin), np.linalg.norm(now)
    normal = np.cross(thigh, shin)
    normal = normal / np.linalg.norm(normal)
    bend = math.pi - math.acos((upper**2 + lower**2 - far**2) / (2 * upper * lower))
    folded = thigh + plain.vector_matrix(normal, bend) @ (thigh / upper * lower)
    axis = np.cross(folded, now)
    turn = np.eye(3)
    if np.linalg.norm(axis) > 1e-12:
        turn = plain.vector_matrix(axis / np.linalg.norm(axis), math.atan2(np.linalg.norm(axis), folded @ now))
    return hip + turn @ thigh


def eased(known, values, reach, steady):
    """Values where known; between, quintics that leave and arrive with value and mean velocity."""
    frames = len(known)

    def curve(u, span, value, slope):
        # The quintic with f(0) = value, f'(0) = slope · span, f''(0) = f(1) = f'(1) = f''(1) = 0, by solving for it.
        rows = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], [1] * 6, range(6), [0, 0, 2, 6, 12, 20]]
        c = np.linalg.solve(np.array([list(r) for r in rows], float), [value, slope * span, 0, 0, 0, 0])
        return sum(c[i] * u**i for i in range(6))

    out = [v.copy() if k else np.zeros_like(v) for k, v in zip(known, values)]
    for f in range(frames):
        if known[f]:
            continue
        left = next((i for i in range(f, -1, -1) if known[i]), None)
        right = next((i for i in range(f, frames) if known[i]), None)
        whole = left is not None and right is not None and right - left <= 2 * reach
        span = right - left if whole else reach
        for edge, step in ((left, -1), (right, 1)):
            if edge is None or abs(f - edge) >= span:
                continue
            n = 0
            while n < steady and 0 <= edge + step * (n + 1) < frames and known[edge + step * (n + 1)]:
                n += 1
            slope = (values[edge] - values[edge + step * n]) / max(n, 1)
            for k in range(len(values[f])):
                out[f][k] += curve(abs(f - edge) / span, span, values[edge][k], slope[k])
    return np.array(out)


def registered(first, second):
    """The least sum of squared distances over every path from (0, 0) to the ends, by trying all; and one such path."""
    frames = len(first)
    best = {}

    def search(a, b):
        if (a, b) not in best:
            here = float(((first[a] - second[b]) ** 2).sum())
            if (a, b) == (frames - 1, frames - 1):
                best[a, b] = (0.0, [(a, b)])
            else:
                options = []
                for i, j in ((1, 1), (1, 2), (2, 1)):
                    if a + i < frames and b + j < frames:
                        rest, path = search(a + i, b + j)
                        step = max(i, j) * float(((first[a + i] - second[b + j]) ** 2).sum())
                        options.append((rest + step, [(a, b), *path]))
                best[a, b] = min(options, default=(math.inf, []))
            if (a, b) == (0, 0):
                best[a, b] = (best[a, b][0] + here, best[a, b][1])
        return best[a, b]

    return search(0, 0)


def settled(heel_down, toe_down, heel, toe, farthest, shown=((), ())):
    """Frame by frame: the place of every contact of heel and toe, as (heel, toe) lists with None where there is none.

    A contact that begins while the other end is down, or the frame after, is a foot away from the other's place, in the
    mean direction over the frames they share; if that is farther than allowed from its own mean, it is that mean. One
    that began in the frames shown already stays where it was last.
    """
    frames = len(heel)
    downs, points, places = (heel_down, toe_down), (heel, toe), ([None] * frames, [None] * frames)

    def mean(values):
        return [sum(column) / len(values) for column in zip(*values)]

    for start in range(frames):
        for end in (0, 1):
            down, other = downs[end], downs[1 - end]
            if not down[start] or (start > 0 and down[start - 1]):
                continue
            stop = start
            while stop < frames and down[stop]:
                stop += 1
            place = mean([points[end][f] for f in range(start, stop)])
            leader = None
            if start < len(shown[end]):
                place = shown[end][min(stop, len(shown[end])) - 1]
            elif start > 0 and other[start - 1]:
                leader = places[1 - end][start - 1]
            if end == 1 and other[start] and start >= len(shown[end]):
                leader = places[0][start]
            if leader is not None:
                shared = []
                f = start
                while f < stop and other[f]:
                    shared.append(f)
                    f += 1
                shared = shared or [start - 1]
                own, theirs = (mean([points[e][f] for f in shared]) for e in (end, 1 - end))
                foot = [a - b for a, b in zip(own, theirs)]
                size = sum(x * x for x in foot) ** 0.5
                true = sum((points[end][shared[0]][k] - points[1 - end][shared[0]][k]) ** 2 for k in range(3)) ** 0.5
                carried = [a + b * true / size for a, b in zip(leader, foot)]
                if sum((a - b) ** 2 for a, b in zip(carried, place)) <= farthest**2:
                    place = carried
            for f in range(start, stop):
                places[end][f] = place
    return places


def given(hip, goal, wanted, firm, damping, rounds):
    """One frame: the shift of all hips that brings each to `wanted` from its goal, by damped Gauss and Newton steps on
    the sum of squares of firm · (distance − wanted); lists of legs."""
    shift = [0.0, 0.0, 0.0]
    most = max(firm)
    if most <= 0.0:
        return shift
    for _ in range(rounds):
        matrix = [[damping if a == b else 0.0 for b in range(3)] for a in range(3)]
        right = [0.0, 0.0, 0.0]
        for h, g, w, f in zip(hip, goal, wanted, firm):
            way = [g[k] - h[k] - shift[k] for k in range(3)]
            distance = sum(x * x for x in way) ** 0.5
            way = [x / distance for x in way]
            for a in range(3):
                right[a] += f * f * (distance - w) * way[a]
                for b in range(3):
                    matrix[a][b] += f * f * way[a] * way[b]
        step = solved(matrix, right)
        shift = [s + most * d for s, d in zip(shift, step)]
    return shift


def solved(matrix, right):
    """x of matrix · x = right, by elimination with the largest pivot."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(n):
            if r != k:
                share = rows[r][k] / rows[k][k]
                rows[r] = [a - share * b for a, b in zip(rows[r], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def sudden(places, order):
    """Sizes of the differences of an order of positions (F, J, 3), by frame and joint."""
    rows = [[list(joint) for joint in frame] for frame in places]
    for _ in range(order):
        rows = [[[q - p for p, q in zip(*pair)] for pair in zip(*frames)] for frames in pairwise(rows)]
    return [[math.sqrt(sum(x * x for x in joint)) for joint in frame] for frame in rows]


def swung(places, moved, turns, bones):
    """One frame: places (J, 3) moved (3,), joints of bones (joint, above, turn) put where their turns put them."""
    out = [[p + m for p, m in zip(place, moved)] for place in places]
    for joint, above, turn in bones:
        w, x, y, z = turns[turn]
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        bone = [a - b for a, b in zip(places[joint], places[above])]
        out[joint] = [o + sum(r * v for r, v in zip(row, bone)) for o, row in zip(out[above], rows)]
    return [*out, [0.0, out[0][1], 0.0]]
