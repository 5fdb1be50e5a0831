"""Motion graphs in plain loops: one node for every frame, parts by who can reach whom. Imports nothing of ours.

A clip is a list of the label sets (frozenset) of its frames; a transition is (src, src_frame, dst, dst_frame, cost);
window is how many frames one lasts.
"""

import math
from itertools import pairwise


def matrix(theta, x0, z0):
    """3×3 of the alignment x, z → T_θ, then the shift: x cosθ + z sinθ + x0, −x sinθ + z cosθ + z0."""
    c, s = math.cos(theta), math.sin(theta)
    return [[c, s, x0], [-s, c, z0], [0.0, 0.0, 1.0]]


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def reachable(nodes, edges):
    """node → everything that can be reached from it, itself included."""
    after = {n: [] for n in nodes}
    for a, b in edges:
        after[a].append(b)
    found = {}
    for n in nodes:
        seen, waiting = {n}, [n]
        while waiting:
            for m in after[waiting.pop()]:
                if m not in seen:
                    seen.add(m)
                    waiting.append(m)
        found[n] = seen
    return found


def parts(nodes, edges):
    """Strongly connected parts: sets of nodes that can all reach each other."""
    reach = reachable(nodes, edges)
    found = []
    for n in nodes:
        if not any(n in part for part in found):
            found.append({m for m in reach[n] if n in reach[m]})
    return found


def union_of(clips, transition, window):
    """The one label set of all frames of a transition, or None."""
    src, a, dst, b, _ = transition
    sets = {clips[src][a + t] | clips[dst][b + t] for t in range(window)}
    return sets.pop() if len(sets) == 1 else None


def layers(clips, transitions, window):
    """label set → (pieces, transitions) that have exactly this set; a piece is (clip, start, stop), from where a
    transition leaves or arrives to the next such place."""
    points = sorted({(t[0], t[1]) for t in transitions} | {(t[2], t[3] + window) for t in transitions})
    found = {s: (set(), set()) for clip in clips for s in clip}
    for (c, start), (d, stop) in pairwise(points):
        sets = set(clips[c][start:stop])
        if c == d and len(sets) == 1:
            found[sets.pop()][0].add((c, start, stop))
    for t in transitions:
        union = union_of(clips, t, window)
        if union in found:
            found[union][1].add(t)
    return found


def prune(clips, transitions, window):
    """Kovar 2002, 3.4, frame by frame: label set → (frames of every part with a cycle, nodes of the largest part)."""
    nodes = [(c, f) for c, clip in enumerate(clips) for f in range(len(clip) + 1)]
    result = {}
    for labels in {s for clip in clips for s in clip}:
        frames = [((c, f), (c, f + 1)) for c, clip in enumerate(clips) for f in range(len(clip)) if clip[f] == labels]
        jumps = [((t[0], t[1]), (t[2], t[3] + window)) for t in transitions if union_of(clips, t, window) == labels]
        sized = []
        for part in parts(nodes, frames + jumps):
            if any(a in part and b in part for a, b in jumps):
                inside = {a for a, b in frames if a in part and b in part}
                sized.append((len(inside), inside, part))
        sized.sort(key=lambda p: -p[0])
        result[labels] = sized
    return result


def kept(clips, transitions, window):
    """What pruning keeps: transitions, frames counted (motion of their labels goes on for ever), frames that may be
    played, and pairs of label sets (from, to) of which the second can be reached from the first."""
    best = {labels: sized[0] for labels, sized in prune(clips, transitions, window).items() if sized}
    nodes = set().union(*(part for _, _, part in best.values())) if best else set()
    chosen = {t for t in transitions if (t[0], t[1]) in nodes and (t[2], t[3] + window) in nodes}
    counted = set().union(*(inside for _, inside, _ in best.values())) if best else set()
    played = {
        (c, f)
        for c, clip in enumerate(clips)
        for f in range(len(clip))
        if any((c, g) in nodes for g in range(f + 1)) and any((c, g) in nodes for g in range(f + 1, len(clip) + 1))
    }
    everything = [(c, f) for c, clip in enumerate(clips) for f in range(len(clip) + 1)]
    edges = [((c, f), (c, f + 1)) for c, f in played] + [((t[0], t[1]), (t[2], t[3] + window)) for t in chosen]
    reach = reachable(everything, edges)
    ways = set()
    for a, (_, _, here) in best.items():
        for b, (_, _, there) in best.items():
            if reach[next(iter(here))] & there:
                ways.add((a, b))
    return chosen, counted, played, ways


def connection(clips, transitions, window, played):
    """Mean frames of the quickest way between two different choice points, all pairs (Floyd and Warshall)."""
    points = sorted({(t[0], t[1]) for t in transitions} | {(t[2], t[3] + window) for t in transitions})
    away = {(p, q): math.inf for p in points for q in points}
    for p in points:
        for q in points:
            if p[0] == q[0] and p[1] < q[1] and all((p[0], f) in played for f in range(p[1], q[1])):
                away[p, q] = q[1] - p[1]
    for t in transitions:
        pair = (t[0], t[1]), (t[2], t[3] + window)
        away[pair] = min(away[pair], window)
    for k in points:
        for p in points:
            for q in points:
                away[p, q] = min(away[p, q], away[p, k] + away[k, q])
    lengths = [d for (p, q), d in away.items() if p != q and d < math.inf]
    return sum(lengths) / len(lengths) if lengths else None


def follows(transitions, window, played):
    """Pairs (i, j) of transitions of which j may be the next after i: forward in time, through what may be played."""
    found = set()
    for i, t in enumerate(transitions):
        for j, u in enumerate(transitions):
            start = t[3] + window
            if t[2] == u[0] and start <= u[1] and all((u[0], f) in played for f in range(start, u[1])):
                found.add((i, j))
    return found


def pace(places, step, window, fps, frames):
    """Mean speed over the window at each of so many frames, of joints known at every step-th frame."""
    moved = []
    for before, after in pairwise(places):
        squares = [(p - q) ** 2 for a, b in zip(before, after) for p, q in zip(a, b)]
        moved.append((sum(squares) / len(before)) ** 0.5)
    speeds = []
    for f in range(frames):
        start = min(f // step, max(len(places) - 2, 0))
        own = moved[start : max((f + window) // step, start + 1)]
        speeds.append(sum(own) / max(len(own), 1) * fps / step)
    return speeds


def tally(open_, src, dst, leaves, arrives, clips, nodes):
    """Open transitions within a clip; how many leave and enter each; which nodes one leaves or enters."""
    within, degrees, choice = 0, [[0] * clips, [0] * clips], [False] * nodes
    for t in range(len(open_)):
        if open_[t]:
            degrees[0][src[t]] += 1
            degrees[1][dst[t]] += 1
            within += int(src[t] == dst[t])
            choice[leaves[t]] = choice[arrives[t]] = True
    return within, degrees, choice
