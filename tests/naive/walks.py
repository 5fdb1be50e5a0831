"""Ways through small graphs, found by plain loops over single frames.

A graph is given as clips, the number of frames of each, and transitions (src, a, dst, b, cost): src is played up to
frame a − 1, `window` frames are blended, dst goes on at frame b + window.
"""

import heapq
from itertools import pairwise


def neighbours(clips, transitions, window):
    """(clip, frame) → list of (frames, cost, (clip, frame))."""
    around = {(c, f): [] for c, count in enumerate(clips) for f in range(count)}
    for c, count in enumerate(clips):
        for f in range(count - 1):
            around[c, f].append((1, 0.0, (c, f + 1)))
    for src, a, dst, b, cost in transitions:
        if (src, a) in around:
            around[src, a].append((window, cost, (dst, b + window)))
    return around


def shortest(clips, transitions, window, sources, by):
    """(clip, frame) → the least frames ("frames"), sum of costs ("cost") or highest cost ("steepest") to get there."""
    around = neighbours(clips, transitions, window)
    best = dict.fromkeys(sources, 0.0)
    changed = True
    while changed:
        changed = False
        for place in list(best):
            for frames, cost, target in around[place]:
                if by == "steepest":
                    value = max(best[place], cost)
                else:
                    value = best[place] + (frames if by == "frames" else cost)
                if value < best.get(target, float("inf")):
                    best[target] = value
                    changed = True
    return best


def cheapest_order(clips, transitions, window, items, least):
    """The least sum of costs of a walk that plays `items` (sets of (clip, frame)) in turn, None for none.

    It begins anywhere in the first, goes from each item to the next by a transition, plays at least least[k] frames of
    item k as captured, and may take transitions within an item.
    """
    around = neighbours(clips, transitions, window)
    heap = [(0.0, 0, place, 0) for place in items[0]]
    heapq.heapify(heap)
    done = set()
    while heap:
        total, layer, place, stay = heapq.heappop(heap)
        if (layer, place, stay) in done:
            continue
        done.add((layer, place, stay))
        # What is played of the last item: this frame and those after it, while they belong to it.
        ahead, (clip, frame) = 0, place
        while (clip, frame + ahead) in items[layer]:
            ahead += 1
        if layer == len(items) - 1 and stay + ahead >= least[layer]:
            return total
        for frames, cost, target in around[place]:
            piece = frames == 1 and cost == 0.0 and target == (clip, frame + 1)
            if target in items[layer]:
                longer = min(stay + 1, least[layer]) if piece else stay
                heapq.heappush(heap, (total + cost, layer, target, longer))
            if not piece and layer + 1 < len(items) and stay >= least[layer] and target in items[layer + 1]:
                heapq.heappush(heap, (total + cost, layer + 1, target, 0))
    return None


def cheapest_with_detours(clips, transitions, window, items, least, price):
    """As `cheapest_order`, where any frames may be played between two items, entered and left by transitions; the
    transition into them and every frame there cost `price` each. The sum with those prices."""
    around = neighbours(clips, transitions, window)
    heap = [(0.0, 0, place, 0) for place in items[0]]  # layers 0, 2, … are items, the others what is between
    heapq.heapify(heap)
    done = set()
    while heap:
        total, layer, place, stay = heapq.heappop(heap)
        if (layer, place, stay) in done:
            continue
        done.add((layer, place, stay))
        between, item = layer % 2 == 1, layer // 2
        ahead, (clip, frame) = 0, place
        while not between and (clip, frame + ahead) in items[item]:
            ahead += 1
        if layer == 2 * len(items) - 2 and stay + ahead >= least[item]:
            return total
        for frames, cost, target in around[place]:
            piece = frames == 1 and cost == 0.0 and target == (clip, frame + 1)
            if between:
                heapq.heappush(heap, (total + cost + price * frames, layer, target, 0))
                if not piece and target in items[item + 1]:
                    heapq.heappush(heap, (total + cost, layer + 1, target, 0))
                continue
            if target in items[item]:
                longer = min(stay + 1, least[item]) if piece else stay
                heapq.heappush(heap, (total + cost, layer, target, longer))
            if not piece and item + 1 < len(items) and stay >= least[item]:
                heapq.heappush(heap, (total + cost + price * frames, layer + 1, target, 0))
                if target in items[item + 1]:
                    heapq.heappush(heap, (total + cost, layer + 2, target, 0))
    return None


def equation_nine(places, line, spacing, gamma, seconds):
    """Kovar 2002, equation 9, times the seconds of a frame: places and line are lists of (x, z); the line's points lie
    `spacing` metres apart; gamma metres are the least progress of a frame. The first place is the start and counts
    nothing. Returns the error and the progress at the end."""
    along = total = 0.0
    for (x0, z0), (x, z) in pairwise(places):
        walked = ((x - x0) ** 2 + (z - z0) ** 2) ** 0.5
        along = max(along + walked, along + gamma)
        px, pz = line[min(int(along / spacing + 0.5), len(line) - 1)]
        total += ((x - px) ** 2 + (z - pz) ** 2) * seconds
    return total, along


def all_walks(runs, most):
    """Every sequence of up to `most` transitions; runs: transition or None for the start → those that may follow."""
    walks = [[]]
    while walks:
        walk = walks.pop()
        yield walk
        if len(walk) < most:
            walks += [[*walk, following] for following in runs[walk[-1] if walk else None]]
