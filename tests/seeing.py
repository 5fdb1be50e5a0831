"""Where a camera shows things, worked out from its matrices: what picking, framing and drawing are held against."""

import numpy as np


def project(view, points) -> tuple[np.ndarray, np.ndarray]:
    """Where points (n, 3) appear: (n, 2) pixels of the target, and (n,) whether they lie before the camera."""
    points = np.asarray(points, np.float64).reshape(-1, 3)
    clip = np.c_[points, np.ones(len(points))] @ np.array(view.matrix).T
    ahead = clip[:, 3] > 1e-6
    x, y, width, height = view.rect
    scaled = clip[:, :2] / np.where(ahead, clip[:, 3], 1.0)[:, None]
    return np.stack([x + 0.5 * (scaled[:, 0] + 1.0) * width, y + 0.5 * (1.0 - scaled[:, 1]) * height], axis=1), ahead
