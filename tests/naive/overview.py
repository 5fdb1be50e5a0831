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
