"""Shapes on the floor: what a hand has drawn becomes a path that can be walked, and the ready-made ones.

Points are (N, 2) x, z in metres.
"""

import numpy as np

PRESETS = ("line", "circle", "eight", "square", "S")
SMOOTHING = 0.25  # m: wiggles much shorter than this are taken out of a stroke; a body turns no faster
GAP = 0.8  # m between the points of a path made of a stroke
_FINE = 0.05  # m between the samples that are smoothed


def length(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def resampled(points: np.ndarray, gap: float) -> np.ndarray:
    """The same line through points `gap` apart or a little less, with the same ends."""
    points = np.asarray(points, float)
    far = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    keep = np.append(True, np.diff(far) > 1e-9)
    at = np.linspace(0.0, far[-1], max(int(np.ceil(far[-1] / gap)), 1) + 1)
    return np.stack([np.interp(at, far[keep], points[keep, k]) for k in range(2)], axis=1)


def smoothed(points: np.ndarray, closed: bool = False, sigma: float = SMOOTHING, gap: float = GAP) -> np.ndarray:
    """Evenly spaced points along a line freed from wiggles; an open line keeps its ends, a closed one has its first
    point once."""
    points = np.asarray(points, float)
    if closed:
        points = np.concatenate([points, points[:1]])
    fine = resampled(points, _FINE)
    reach = min(int(np.ceil(3.0 * sigma / _FINE)), len(fine) - 1)
    if closed:
        around = np.concatenate([fine[-reach - 1 : -1], fine, fine[1 : reach + 1]])
    else:  # mirrored through its ends, which so stay where they are
        around = np.concatenate([2 * fine[0] - fine[reach:0:-1], fine, 2 * fine[-1] - fine[-2 : -reach - 2 : -1]])
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * _FINE / sigma) ** 2)
    bell /= bell.sum()
    fine = np.stack([np.convolve(around[:, k], bell, "valid") for k in range(2)], axis=1)
    found = resampled(fine, gap)
    return found[:-1] if closed and len(found) > 3 else found


def preset(name: str, size: float) -> tuple[np.ndarray, bool, str]:
    """Points, closed and curve of a ready-made path that begins at the origin along z; size: its length, diameter or
    edge in metres."""
    if name == "line":
        return np.array([[0.0, 0.0], [0.0, size]]), False, "polyline"
    if name == "square":
        return size * np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), True, "polyline"
    if name == "circle":
        turn = np.linspace(0.0, 2 * np.pi, 9)[:-1]
        return 0.5 * size * np.stack([1.0 - np.cos(turn), np.sin(turn)], axis=1), True, "spline"
    if name == "eight":
        turn = np.linspace(0.0, 2 * np.pi, 17)[:-1]
        # Bernoulli's lemniscate from its crossing, turned to set off along z.
        scale = 0.5 * size / (1.0 + np.cos(turn) ** 2)
        way = np.stack([scale * np.sin(turn) * np.cos(turn), scale * np.sin(turn)], axis=1)
        return way @ _turn(-0.25 * np.pi).T, True, "spline"
    share = np.linspace(0.0, 1.0, 13)
    side = 0.28 * size * np.sin(2 * np.pi * share) * np.sin(np.pi * share) ** 0.5
    return np.stack([side, size * share], axis=1), False, "spline"


def placed(points: np.ndarray, at: np.ndarray, heading: float) -> np.ndarray:
    """Points about the origin set at `at` (x, z), their z pointing where `heading` does (radians, 0 along z)."""
    return np.asarray(points) @ _turn(heading).T + np.asarray(at, float)


def _turn(angle: float) -> np.ndarray:
    """(2, 2) that turns x, z by an angle about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s], [-s, c]])
