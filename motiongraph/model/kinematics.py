"""Forward kinematics, compiled: local rotations to global positions and orientations.

`positions` and `transforms` take one frame or many, and an `out` array so that the viewer allocates nothing.
"""

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.kernels import F64, I64, kernel, read, types
from motiongraph.model.skeleton import Skeleton


@kernel(types.void(read(I64), read(F64, 3), read(F64, 2), read(F64, 3), F64[:, :, ::1], F64[:, :, ::1]))
def _forward(parents, offsets, root, rotations, positions, orientations):
    """Walk each frame's joints from the root outwards; offsets holds one frame for all, or one a frame."""
    own = offsets.shape[0] > 1
    for f in range(root.shape[0]):
        o = f if own else 0
        for j in range(parents.shape[0]):
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            p = parents[j]
            if p < 0:
                positions[f, j, 0] = root[f, 0]
                positions[f, j, 1] = root[f, 1]
                positions[f, j, 2] = root[f, 2]
            else:
                pw, px = orientations[f, p, 0], orientations[f, p, 1]
                py, pz = orientations[f, p, 2], orientations[f, p, 3]
                vx, vy, vz = offsets[o, j, 0], offsets[o, j, 1], offsets[o, j, 2]
                # v + 2w(u×v) + 2u×(u×v), the offset turned by the parent's orientation
                tx = 2.0 * (py * vz - pz * vy)
                ty = 2.0 * (pz * vx - px * vz)
                tz = 2.0 * (px * vy - py * vx)
                positions[f, j, 0] = positions[f, p, 0] + vx + pw * tx + py * tz - pz * ty
                positions[f, j, 1] = positions[f, p, 1] + vy + pw * ty + pz * tx - px * tz
                positions[f, j, 2] = positions[f, p, 2] + vz + pw * tz + px * ty - py * tx
                w, x, y, z = (
                    pw * w - px * x - py * y - pz * z,
                    pw * x + px * w + py * z - pz * y,
                    pw * y - px * z + py * w + pz * x,
                    pw * z + px * y - py * x + pz * w,
                )
            orientations[f, j, 0] = w
            orientations[f, j, 1] = x
            orientations[f, j, 2] = y
            orientations[f, j, 3] = z


def transforms(
    skeleton: Skeleton,
    root: np.ndarray,
    rotations: np.ndarray,
    offsets: np.ndarray | None = None,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Global joint positions (F, J, 3) in metres and orientations (F, J, 4), w x y z.

    root: (F, 3) metres; rotations: (F, J, 4) local unit quaternions; offsets: None for the skeleton's own, or
    (F, J, 3) where joints slide; a single frame may leave out F. `out`: a pair of arrays to fill.
    """
    single, joints = np.ndim(root) == 1, len(skeleton)
    root = np.ascontiguousarray(root, np.float64).reshape(-1, 3)
    rotations = np.ascontiguousarray(rotations, np.float64).reshape(len(root), joints, 4)
    offsets = skeleton.offsets if offsets is None else np.ascontiguousarray(offsets, np.float64)
    offsets = offsets.reshape(-1, joints, 3)
    if len(offsets) not in (1, len(root)):
        raise MotionError(f"sliding offsets of {len(offsets)} frames do not fit {len(root)} frames of motion")
    if out is None:
        out = np.empty((len(root), joints, 3)), np.empty(rotations.shape)
    positions, orientations = out
    for array, components in ((positions, 3), (orientations, 4)):
        # The kernel does not check bounds.
        if array.size != len(root) * joints * components or not array.flags.c_contiguous or array.dtype != np.float64:
            expected = f"float64 of shape ({len(root)}, {joints}, {components})"
            raise MotionError(f"out must be {expected} in C order, not {array.dtype} of shape {array.shape}")
    shaped = positions.reshape(-1, joints, 3), orientations.reshape(-1, joints, 4)
    _forward(skeleton.parents, offsets, root, rotations, *shaped)
    return (positions[0], orientations[0]) if single and positions.ndim == 3 else (positions, orientations)


def positions(
    skeleton: Skeleton, root: np.ndarray, rotations: np.ndarray, offsets: np.ndarray | None = None
) -> np.ndarray:
    """Global joint positions (F, J, 3), or (J, 3) for a single frame; see `transforms`."""
    return transforms(skeleton, root, rotations, offsets)[0]
