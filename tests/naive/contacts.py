"""Hysteresis and debouncing frame by frame; imports nothing of ours."""


def steady(loose, sure, linger, shortest):
    """List of bool: walk from every sure frame both ways, at most `linger` frames, while it is loose;
    then gaps, then contacts, under `shortest` frames go."""
    frames = len(loose)
    planted = [False] * frames
    for f in range(frames):
        if loose[f] and sure[f]:
            for step in (-1, 1):
                g = f
                while 0 <= g < frames and loose[g] and abs(g - f) <= linger:
                    planted[g] = True
                    g += step
    for value in (False, True):
        before = list(planted)
        for f in range(frames):
            if before[f] == value:
                a, b = f, f
                while a > 0 and before[a - 1] == value:
                    a -= 1
                while b < frames - 1 and before[b + 1] == value:
                    b += 1
                if a > 0 and b < frames - 1 and b - a + 1 < shortest:
                    planted[f] = not value
    return planted
