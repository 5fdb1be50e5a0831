"""Forward kinematics, joint by joint with 4×4 matrices; imports nothing of ours."""

import numpy as np


def _matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def transforms(parents, offsets, root, rotations):
    """(F, J, 3) positions and (F, J, 3, 3) orientations; offsets (J, 3), or (F, J, 3) where joints slide."""
    frames, joints = rotations.shape[:2]
    positions, orientations = np.empty((frames, joints, 3)), np.empty((frames, joints, 3, 3))
    for f in range(frames):
        world = []
        for j in range(joints):
            local = np.eye(4)
            local[:3, :3] = _matrix(rotations[f, j])
            local[:3, 3] = root[f] if parents[j] < 0 else (offsets[j] if offsets.ndim == 2 else offsets[f, j])
            world.append(local if parents[j] < 0 else world[parents[j]] @ local)
            positions[f, j], orientations[f, j] = world[j][:3, 3], world[j][:3, :3]
    return positions, orientations
