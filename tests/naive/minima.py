"""Local minima by looking at every cell, plateaus by flooding them."""


def neighbours(cost, a, b, method):
    """Cells around (a, b): eight, or with "partial" the four beside it."""
    rows, columns = len(cost), len(cost[0])
    for i in (a - 1, a, a + 1):
        for j in (b - 1, b, b + 1):
            inside = 0 <= i < rows and 0 <= j < columns and (i, j) != (a, b)
            if inside and (method == "neighbours" or i == a or j == b):
                yield i, j


def minima(cost, threshold=float("inf"), method="neighbours", band=None, border=True):
    """[(cost, a, b)] sorted: the first cell of every plateau (mostly of one cell) with nothing lower beside it.

    band: leave out plateaus with a cell where |a − b| < band; border=False: those with a cell at the edge.
    """
    rows, columns = len(cost), len(cost[0])
    seen, found = set(), []
    for a in range(rows):
        for b in range(columns):
            if (a, b) in seen or cost[a][b] > threshold:
                continue
            value, plateau, lowest, frontier = cost[a][b], [], True, [(a, b)]
            seen.add((a, b))
            while frontier:
                i, j = frontier.pop()
                plateau.append((i, j))
                for k, m in neighbours(cost, i, j, method):
                    if cost[k][m] < value:
                        lowest = False
                    elif cost[k][m] == value and (k, m) not in seen:
                        seen.add((k, m))
                        frontier.append((k, m))
            if band is not None and any(abs(i - j) < band for i, j in plateau):
                continue
            if not border and any(i in (0, rows - 1) or j in (0, columns - 1) for i, j in plateau):
                continue
            if lowest:
                found.append((value, *min(plateau)))
    return sorted(found)


def suppressed(found, radius):
    """Best first, without those that have a better one within `radius` both ways."""
    kept = []
    for value, a, b in sorted(found):
        if all(abs(a - i) > radius or abs(b - j) > radius for _, i, j in kept):
            kept.append((value, a, b))
    return kept
