"""Overviews of a matrix by plain loops."""


def level(cost, k):
    """Rows of the lowest cost in every square of 2^k × 2^k cells."""
    size = 2**k
    rows = []
    for i in range(0, len(cost), size):
        row = []
        for j in range(0, len(cost[0]), size):
            low = float("inf")
            for r in cost[i : i + size]:
                for c in r[j : j + size]:
                    low = min(low, c)
            row.append(low)
        rows.append(row)
    return rows


def histogram(costs, bins):
    high = max(costs)
    counts = [0] * bins
    for cost in costs:
        step = int(cost / (high / bins))
        counts[min(step, bins - 1)] += 1
    return counts


def thinned(rows, columns, limits, cells):
    top, bottom, left, right = limits
    seen, kept = set(), []
    for number, (i, j) in enumerate(zip(rows, columns)):
        if not (top <= i <= bottom and left <= j <= right):
            continue
        down = min(int((i - top) * cells[0] / (bottom - top)), cells[0] - 1)
        across = min(int((j - left) * cells[1] / (right - left)), cells[1] - 1)
        if (down, across) not in seen:
            seen.add((down, across))
            kept.append(number)
    return kept


def cells(transitions, row, rows):
    """Count and lowest cost of transitions (src, dst, cost) from row to row."""
    count = [[0] * rows for _ in range(rows)]
    lowest = [[float("inf")] * rows for _ in range(rows)]
    for src, dst, cost in transitions:
        count[row[src]][row[dst]] += 1
        lowest[row[src]][row[dst]] = min(lowest[row[src]][row[dst]], cost)
    return count, lowest


def nearest(transitions, row, rows, far):
    """The lowest cost from every clip to every row, `far` where there is none below it."""
    near = [[far] * rows for _ in row]
    for src, dst, cost in transitions:
        near[src][row[dst]] = min(near[src][row[dst]], cost)
    return near


def silhouette(apart, cluster):
    """Rousseeuw's mean silhouette."""
    scores = []
    for i, own in enumerate(cluster):
        means = {}
        for k in set(cluster):
            others = [apart[i][j] for j, c in enumerate(cluster) if c == k and j != i]
            means[k] = sum(others) / len(others) if others else None
        inside = means.pop(own)
        outside = min(means.values())
        scores.append(0.0 if inside is None else (outside - inside) / max(outside, inside, 1e-12))
    return sum(scores) / len(scores)


def strong_parts(edges, nodes):
    """Which nodes can be reached from each other, as sets of two and more."""
    reach = [{n} for n in range(nodes)]
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            for r in reach:
                if a in r and b not in r:
                    r.add(b)
                    changed = True
    return [{m for m in range(nodes) if m in reach[n] and n in reach[m]} for n in range(nodes)]
